/*
 * The four lists are kept as buffers of terminated patterns, one behind the other,
 * and searched from the front: a config has a handful, and each category is looked
 * up once per session. A category is tried against all lists kind by kind (exact,
 * prefix, "*"), so the order of patterns within a kind only matters in their own list.
 */
#include "sdk/events/te_config.h"

#include <errno.h>

#include "protos/fields/config.h"
#include "sdk/wire/pb_reader.h"
#include "sdk/wire/pb_writer.h"

enum kind { EXACT, PREFIX, ALL, KINDS };

static const struct {
    uint32_t field;
    enum orma_te_list list;
} list_fields[] = {
    {ORMA_PB_TRACK_EVENT_CONFIG_ENABLED_CATEGORIES, ORMA_TE_ENABLED_CATEGORIES},
    {ORMA_PB_TRACK_EVENT_CONFIG_DISABLED_CATEGORIES, ORMA_TE_DISABLED_CATEGORIES},
    {ORMA_PB_TRACK_EVENT_CONFIG_DISABLED_TAGS, ORMA_TE_DISABLED_TAGS},
    {ORMA_PB_TRACK_EVENT_CONFIG_ENABLED_TAGS, ORMA_TE_ENABLED_TAGS},
};

static bool read_list(struct orma_te_config *self, const struct orma_pb_field *f)
{
    for (size_t i = 0; i < ORMA_ARRAY_LEN(list_fields); i++) {
        struct orma_buf *b = &self->lists[list_fields[i].list];

        if (f->id != list_fields[i].field)
            continue;
        /* A pattern with a zero inside ends there: no name has one. */
        orma_buf_put(b, f->data, f->len);
        orma_buf_put_byte(b, 0);
        return true;
    }
    return false;
}

int orma_te_config_init(struct orma_te_config *self, struct orma_str bytes)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;

    *self = (struct orma_te_config){.unit_ns = 1};
    while (orma_pb_next(&r, &f)) {
        if (read_list(self, &f))
            continue;
        switch (f.id) {
        case ORMA_PB_TRACK_EVENT_CONFIG_DISABLE_INCREMENTAL_TIMESTAMPS:
            self->absolute_timestamps = f.num != 0;
            break;
        case ORMA_PB_TRACK_EVENT_CONFIG_TIMESTAMP_UNIT_MULTIPLIER:
            self->unit_ns = f.num ? f.num : 1;
            break;
        case ORMA_PB_TRACK_EVENT_CONFIG_FILTER_DEBUG_ANNOTATIONS:
            self->filter_annotations = f.num != 0;
            break;
        case ORMA_PB_TRACK_EVENT_CONFIG_FILTER_DYNAMIC_EVENT_NAMES:
            self->filter_dynamic_names = f.num != 0;
            break;
        case ORMA_PB_TRACK_EVENT_CONFIG_ENABLE_THREAD_TIME_SAMPLING:
            self->thread_time = f.num != 0;
            break;
        case ORMA_PB_TRACK_EVENT_CONFIG_THREAD_TIME_SUBSAMPLING_NS:
            self->thread_time_period_ns = f.num;
            break;
        }
    }
    for (int i = 0; i < ORMA_TE_LISTS; i++) {
        if (self->lists[i].failed) {
            orma_te_config_fini(self);
            return -ENOMEM;
        }
    }
    return 0;
}

void orma_te_config_fini(struct orma_te_config *self)
{
    for (int i = 0; i < ORMA_TE_LISTS; i++)
        orma_buf_fini(&self->lists[i]);
}

static bool matches(struct orma_str pattern, struct orma_str name, enum kind kind)
{
    bool star = pattern.len && pattern.data[pattern.len - 1] == '*';

    switch (kind) {
    case EXACT:
        return !star && orma_str_eq(pattern, name);
    case PREFIX:
        return star && pattern.len > 1 &&
               orma_str_starts(name, (struct orma_str){pattern.data, pattern.len - 1});
    case ALL:
        return star && pattern.len == 1;
    case KINDS:
        break;
    }
    return false;
}

static bool list_has(const struct orma_buf *list, struct orma_str name, enum kind kind)
{
    for (size_t at = 0; at < list->len;) {
        struct orma_str pattern = orma_str_from((const char *)list->data + at);

        if (matches(pattern, name, kind))
            return true;
        at += pattern.len + 1;
    }
    return false;
}

static bool list_has_any(const struct orma_buf *list, const char *tags, enum kind kind)
{
    struct orma_str rest = orma_str_from(tags), tag;

    while (orma_str_cut(&rest, ',', &tag)) {
        if (list_has(list, orma_str_trim(tag), kind))
            return true;
    }
    return false;
}

/* Slow and debug are off unless the config speaks of tags. */
static bool is_off_by_default(const struct orma_te_config *self, const char *tags)
{
    static const char off[] = "slow\0debug";
    const struct orma_buf list = {.data = (uint8_t *)off, .len = sizeof(off)};

    return !self->lists[ORMA_TE_ENABLED_TAGS].len && !self->lists[ORMA_TE_DISABLED_TAGS].len &&
           list_has_any(&list, tags, EXACT);
}

static bool wants_one(const struct orma_te_config *self, struct orma_str name, const char *tags)
{
    for (int kind = EXACT; kind < KINDS; kind++) {
        if (list_has(&self->lists[ORMA_TE_ENABLED_CATEGORIES], name, (enum kind)kind))
            return true;
        if (list_has(&self->lists[ORMA_TE_DISABLED_CATEGORIES], name, (enum kind)kind))
            return false;
        if (list_has_any(&self->lists[ORMA_TE_DISABLED_TAGS], tags, (enum kind)kind) ||
            (kind == EXACT && is_off_by_default(self, tags)))
            return false;
        if (list_has_any(&self->lists[ORMA_TE_ENABLED_TAGS], tags, (enum kind)kind))
            return true;
    }
    return true;
}

bool orma_te_config_wants(const struct orma_te_config *self, struct orma_str name, const char *tags)
{
    struct orma_str part;

    if (!name.len || !memchr(name.data, ',', name.len))
        return wants_one(self, name, tags);
    while (orma_str_cut(&name, ',', &part)) {
        if (wants_one(self, orma_str_trim(part), tags))
            return true;
    }
    return false;
}

void orma_te_config_put_patterns(struct orma_buf *b, const char *text)
{
    struct orma_str rest = orma_str_from(text ? text : "*"), one;
    bool enables = false;

    while (orma_str_cut(&rest, ',', &one)) {
        one = orma_str_trim(one);
        bool off = one.len && one.data[0] == '-';
        enables |= !off;
        if (off)
            orma_pb_put_str(b, ORMA_PB_TRACK_EVENT_CONFIG_DISABLED_CATEGORIES,
                            (struct orma_str){one.data + 1, one.len - 1});
        else if (one.len)
            orma_pb_put_str(b, ORMA_PB_TRACK_EVENT_CONFIG_ENABLED_CATEGORIES, one);
    }
    /* Who names some wants only those; the first match of a kind decides, and "*" is the last kind.
     */
    orma_pb_put_cstr(b,
                     enables ? ORMA_PB_TRACK_EVENT_CONFIG_DISABLED_CATEGORIES
                             : ORMA_PB_TRACK_EVENT_CONFIG_ENABLED_CATEGORIES,
                     "*");
}
