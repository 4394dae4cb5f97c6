/*
 * What a session records of track events: TrackEventConfig, decoded, and the rules
 * by which categories are matched (those of the C++ SDK).
 *
 * Kinds of patterns are tried in the order exact, prefix ("abc*"), all ("*").
 * Within a kind the first that matches decides: enabled category, disabled
 * category, disabled tag, enabled tag. If nothing matches, the category is on.
 * Without any tags in the config, the tags "slow" and "debug" are disabled.
 */
#ifndef ORMA_SDK_EVENTS_TE_CONFIG_H
#define ORMA_SDK_EVENTS_TE_CONFIG_H
#include <stdbool.h>
#include <stdint.h>

#include "sdk/base/buf.h"
#include "sdk/base/str.h"

enum orma_te_list {
    ORMA_TE_ENABLED_CATEGORIES,
    ORMA_TE_DISABLED_CATEGORIES,
    ORMA_TE_DISABLED_TAGS,
    ORMA_TE_ENABLED_TAGS,
    ORMA_TE_LISTS
};

struct orma_te_config {
    struct orma_buf lists[ORMA_TE_LISTS]; /* of terminated patterns, one after the other */
    bool absolute_timestamps;
    uint64_t unit_ns; /* of timestamps, at least 1 */
    bool filter_annotations;
    bool filter_dynamic_names;
    bool thread_time;
    uint64_t thread_time_period_ns;
};

/* From the bytes of a TrackEventConfig; malformed ones give what was read until there. -ENOMEM. */
int orma_te_config_init(struct orma_te_config *self, struct orma_str bytes);
void orma_te_config_fini(struct orma_te_config *self);

/* `name` may be a group "a,b": on if a member is. `tags`: "x,y" or NULL. */
bool orma_te_config_wants(const struct orma_te_config *self, struct orma_str name,
                          const char *tags);

/* Can events be written in the shortest form? */
static inline bool orma_te_config_is_plain(const struct orma_te_config *self)
{
    return !self->absolute_timestamps && self->unit_ns == 1 && !self->thread_time &&
           !self->filter_annotations && !self->filter_dynamic_names;
}

/* Appends patterns as applications write them, "a,b*,-c", as fields of a TrackEventConfig. NULL is
 * "*". */
void orma_te_config_put_patterns(struct orma_buf *b, const char *text);
#endif
