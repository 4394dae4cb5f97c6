/*
 * What a session's config wants, indexed so that it can be looked up
 * without going through all of it: data sources and triggers by name,
 * filters of producers, regular expressions compiled.
 *
 * Points into the config, which must outlive it. Made when the config has passed
 * its checks.
 * Threads: the service's loop.
 */
#ifndef ORMA_TRACED_CONFIG_WANTED_H
#define ORMA_TRACED_CONFIG_WANTED_H
#include <stdbool.h>
#include <stdint.h>

#include "protos/perfetto/config.pb-c.h"
#include "sdk/base/buf.h"
#include "sdk/base/defs.h"
#include "sdk/base/str.h"

struct traced_wanted;

#define TRACED_WANTED_NONE UINT32_MAX

/* -EINVAL: `error` has what is wrong with a regular expression. -ENOMEM. */
int traced_wanted_new(const Perfetto__Protos__TraceConfig *config, struct traced_wanted **ret,
                      struct orma_buf *error);
/* NULL is fine. */
void traced_wanted_free(struct traced_wanted *self);
ORMA_DEFINE_AUTO(struct traced_wanted *, traced_wanted_free)

/*
 * Entries of the config's data_sources with this name, in order: the first, and
 * the one after `entry`; TRACED_WANTED_NONE: there is none.
 */
uint32_t traced_wanted_first(const struct traced_wanted *self, const char *name);
uint32_t traced_wanted_next(const struct traced_wanted *self, uint32_t entry);

/* The buffer it writes into. */
uint32_t traced_wanted_target(const struct traced_wanted *self, uint32_t entry);

/* Do the filters of the entry match this producer? */
bool traced_wanted_lets_in(struct traced_wanted *self, uint32_t entry, uint16_t producer_id,
                           const char *producer_name);
/* Does the entry have a filter; is this name, or this regular expression, in it? */
bool traced_wanted_is_filtered(const struct traced_wanted *self, uint32_t entry);
bool traced_wanted_names(const struct traced_wanted *self, uint32_t entry, const char *name);
bool traced_wanted_has_pattern(const struct traced_wanted *self, uint32_t entry,
                               const char *pattern);

/*
 * More filters for a running session: after compile() adding the pattern
 * can only fail for lack of memory. The name must outlive this. 0, -ENOMEM; compile()
 * also -EINVAL, with the reason in `error`.
 */
int traced_wanted_compile(struct traced_wanted *self, const char *pattern, struct orma_buf *error);
int traced_wanted_add_pattern(struct traced_wanted *self, uint32_t entry, const char *pattern);
int traced_wanted_add_name(struct traced_wanted *self, uint32_t entry, const char *name);

/* Index into the config's `producers`; TRACED_WANTED_NONE: the name is not there. */
uint32_t traced_wanted_memory(const struct traced_wanted *self, const char *producer_name);

/* Index into the config's triggers; TRACED_WANTED_NONE: the name is not there. */
uint32_t traced_wanted_trigger(const struct traced_wanted *self, struct orma_str name);
/* Does its regular expression match this producer? */
bool traced_wanted_may_trigger(struct traced_wanted *self, uint32_t trigger, uint16_t producer_id,
                               const char *producer_name);

/* The producer is gone. */
void traced_wanted_forget(struct traced_wanted *self, uint16_t producer_id);

/* What has been done so far: regular expressions compiled, matches, steps of those. */
struct traced_wanted_work {
    uint64_t compiled, matches, steps;
    bool exhausted; /* more steps than their budget */
};
struct traced_wanted_work traced_wanted_work(const struct traced_wanted *self);
#endif
