/*
 * Names are looked up in tables of names (names.h): data sources to a chain of
 * the entries with that name, producers to their sizes of shared memory,
 * triggers to their index. Each entry has a table of the names in its filter and
 * a list of compiled patterns, which all entries share (patterns.h).
 */
#include "traced/config/wanted.h"

#include <errno.h>
#include <stdlib.h>

#include "sdk/base/assert.h"
#include "sdk/base/vec.h"
#include "traced/config/config.h"
#include "traced/config/names.h"
#include "traced/config/patterns.h"

typedef Perfetto__Protos__TraceConfig config_t;
typedef Perfetto__Protos__TraceConfig__DataSource entry_t;

struct wanted_entry {
    uint32_t next; /* the next entry with the same name of a data source */
    uint32_t target;
    struct traced_names producers; /* of producer_name_filter */
    uint32_t *patterns;            /* of producer_name_regex_filter; owned */
    size_t patterns_num, patterns_cap;
};

struct traced_wanted {
    const config_t *config;
    struct wanted_entry *entries;
    size_t entries_num;
    struct traced_names sources; /* names of data sources */
    struct wanted_name {
        uint32_t first, last; /* entries */
    } * by_name;
    struct traced_names memory; /* names of producers with sizes of shared memory */
    uint32_t *memory_idx;       /* name -> index into the config */
    struct traced_names triggers;
    uint32_t *trigger_patterns; /* by trigger; TRACED_WANTED_NONE: no regular expression */
    struct traced_patterns patterns;
};

static const char *or_empty(const char *text)
{
    return text ? text : "";
}

void traced_wanted_free(struct traced_wanted *self)
{
    if (!self)
        return;
    for (size_t i = 0; i < self->entries_num; i++) {
        traced_names_fini(&self->entries[i].producers);
        free(self->entries[i].patterns);
    }
    free(self->entries);
    free(self->by_name);
    free(self->memory_idx);
    free(self->trigger_patterns);
    traced_names_fini(&self->sources);
    traced_names_fini(&self->memory);
    traced_names_fini(&self->triggers);
    traced_patterns_fini(&self->patterns);
    free(self);
}

/* ---- making ---- */

static const char *source_name(const entry_t *entry)
{
    return or_empty(entry->config ? entry->config->name : NULL);
}

/* Behind the other entries of its name. */
static int index_entry(struct traced_wanted *self, uint32_t idx)
{
    uint32_t name;
    int r = traced_names_add(&self->sources,
                             orma_str_from(source_name(self->config->data_sources[idx])), &name);

    if (r < 0)
        return r;
    if (r == 1)
        self->by_name[name].first = idx;
    else
        self->entries[self->by_name[name].last].next = idx;
    self->by_name[name].last = idx;
    return 0;
}

static int add_pattern(struct traced_wanted *self, const char *pattern, const char *where,
                       const char *name, uint32_t *ret, struct orma_buf *error)
{
    struct orma_buf why = {0};
    int r = traced_patterns_add(&self->patterns, pattern, ret, &why);

    if (r == -EINVAL)
        orma_buf_printf(error, "%s \"%.200s\" has an invalid regular expression \"%.200s\": %s",
                        where, name, pattern, orma_buf_cstr(&why));
    orma_buf_fini(&why);
    return r;
}

static int compile_filters(struct traced_wanted *self, struct wanted_entry *to, const entry_t *from,
                           struct orma_buf *error)
{
    int r = 0;

    for (size_t i = 0; i < from->n_producer_name_filter && r >= 0; i++)
        r = traced_names_add(&to->producers, orma_str_from(from->producer_name_filter[i]), NULL);
    if (ORMA_GROW(&to->patterns, &to->patterns_cap, from->n_producer_name_regex_filter))
        return -ENOMEM;
    for (size_t i = 0; i < from->n_producer_name_regex_filter && r >= 0; i++)
        r = add_pattern(self, from->producer_name_regex_filter[i], "Data source", source_name(from),
                        &to->patterns[to->patterns_num++], error);
    return r;
}

static int add_entries(struct traced_wanted *self, struct orma_buf *error)
{
    int r = 0;

    self->entries = calloc(self->config->n_data_sources + 1, sizeof(*self->entries));
    self->by_name = calloc(self->config->n_data_sources + 1, sizeof(*self->by_name));
    if (!self->entries || !self->by_name)
        return -ENOMEM;
    for (size_t i = 0; i < self->config->n_data_sources && r >= 0; i++) {
        struct wanted_entry *entry = &self->entries[self->entries_num++];

        *entry = (struct wanted_entry){.next = TRACED_WANTED_NONE,
                                       .target = traced_config_target_buffer(self->config, i)};
        r = index_entry(self, (uint32_t)i);
        if (r >= 0)
            r = compile_filters(self, entry, self->config->data_sources[i], error);
    }
    return r;
}

/* Of several with one name the first counts. */
static int add_memory(struct traced_wanted *self)
{
    const config_t *config = self->config;
    int r = 0;

    self->memory_idx = calloc(config->n_producers + 1, sizeof(*self->memory_idx));
    if (!self->memory_idx)
        return -ENOMEM;
    for (size_t i = 0; i < config->n_producers && r >= 0; i++) {
        uint32_t name;

        if (!config->producers[i]->producer_name)
            continue;
        r = traced_names_add(&self->memory, orma_str_from(config->producers[i]->producer_name),
                             &name);
        if (r == 1)
            self->memory_idx[name] = (uint32_t)i;
    }
    return r;
}

/* Their names are different: that was checked. */
static int add_triggers(struct traced_wanted *self, struct orma_buf *error)
{
    const Perfetto__Protos__TraceConfig__TriggerConfig *t = self->config->trigger_config;
    size_t num = t ? t->n_triggers : 0;
    int r = 0;

    self->trigger_patterns = calloc(num + 1, sizeof(*self->trigger_patterns));
    if (!self->trigger_patterns)
        return -ENOMEM;
    for (size_t i = 0; i < num && r >= 0; i++) {
        const char *name = or_empty(t->triggers[i]->name);
        const char *regex = or_empty(t->triggers[i]->producer_name_regex);

        self->trigger_patterns[i] = TRACED_WANTED_NONE;
        r = traced_names_add(&self->triggers, orma_str_from(name), NULL);
        if (r >= 0 && *regex)
            r = add_pattern(self, regex, "Trigger", name, &self->trigger_patterns[i], error);
    }
    return r;
}

int traced_wanted_new(const config_t *config, struct traced_wanted **ret, struct orma_buf *error)
{
    ORMA_AUTO(traced_wanted_free_p) struct traced_wanted *self = calloc(1, sizeof(*self));

    if (!self)
        return -ENOMEM;
    self->config = config;
    int r = add_entries(self, error);
    if (r >= 0)
        r = add_memory(self);
    if (r >= 0)
        r = add_triggers(self, error);
    if (r < 0)
        return r;
    *ret = ORMA_STEAL(self);
    return 0;
}

/* ---- more filters ---- */

int traced_wanted_compile(struct traced_wanted *self, const char *pattern, struct orma_buf *error)
{
    uint32_t idx;

    return traced_patterns_add(&self->patterns, pattern, &idx, error);
}

int traced_wanted_add_pattern(struct traced_wanted *self, uint32_t idx, const char *pattern)
{
    struct wanted_entry *entry = &self->entries[idx];
    struct orma_buf error = {0};

    ORMA_ASSERT(idx < self->entries_num);
    if (ORMA_GROW(&entry->patterns, &entry->patterns_cap, entry->patterns_num + 1))
        return -ENOMEM;
    int r = traced_patterns_add(&self->patterns, pattern, &entry->patterns[entry->patterns_num],
                                &error);
    orma_buf_fini(&error);
    if (r < 0)
        return r;
    entry->patterns_num++;
    return 0;
}

int traced_wanted_add_name(struct traced_wanted *self, uint32_t entry, const char *name)
{
    ORMA_ASSERT(entry < self->entries_num);
    int r = traced_names_add(&self->entries[entry].producers, orma_str_from(name), NULL);

    return r < 0 ? r : 0;
}

/* ---- asking ---- */

uint32_t traced_wanted_first(const struct traced_wanted *self, const char *name)
{
    uint32_t idx = traced_names_find(&self->sources, orma_str_from(name));

    return idx == TRACED_NAMES_NONE ? TRACED_WANTED_NONE : self->by_name[idx].first;
}

uint32_t traced_wanted_next(const struct traced_wanted *self, uint32_t entry)
{
    ORMA_ASSERT(entry < self->entries_num);
    return self->entries[entry].next;
}

uint32_t traced_wanted_target(const struct traced_wanted *self, uint32_t entry)
{
    return self->entries[entry].target;
}

bool traced_wanted_is_filtered(const struct traced_wanted *self, uint32_t entry)
{
    return self->entries[entry].producers.num || self->entries[entry].patterns_num;
}

bool traced_wanted_names(const struct traced_wanted *self, uint32_t entry, const char *name)
{
    return traced_names_find(&self->entries[entry].producers, orma_str_from(name)) !=
           TRACED_NAMES_NONE;
}

bool traced_wanted_has_pattern(const struct traced_wanted *self, uint32_t idx, const char *pattern)
{
    const struct wanted_entry *entry = &self->entries[idx];
    uint32_t known = traced_names_find(&self->patterns.names, orma_str_from(pattern));

    for (size_t i = 0; i < entry->patterns_num; i++)
        if (entry->patterns[i] == known)
            return true;
    return false;
}

bool traced_wanted_lets_in(struct traced_wanted *self, uint32_t idx, uint16_t producer_id,
                           const char *producer_name)
{
    const struct wanted_entry *entry = &self->entries[idx];

    if (!traced_wanted_is_filtered(self, idx) || traced_wanted_names(self, idx, producer_name))
        return true;
    for (size_t i = 0; i < entry->patterns_num; i++)
        if (traced_patterns_match(&self->patterns, entry->patterns[i], producer_id, producer_name))
            return true;
    return false;
}

uint32_t traced_wanted_memory(const struct traced_wanted *self, const char *producer_name)
{
    uint32_t idx = traced_names_find(&self->memory, orma_str_from(producer_name));

    return idx == TRACED_NAMES_NONE ? TRACED_WANTED_NONE : self->memory_idx[idx];
}

uint32_t traced_wanted_trigger(const struct traced_wanted *self, struct orma_str name)
{
    return traced_names_find(&self->triggers, name); /* numbers are those of the config */
}

bool traced_wanted_may_trigger(struct traced_wanted *self, uint32_t trigger, uint16_t producer_id,
                               const char *producer_name)
{
    uint32_t pattern = self->trigger_patterns[trigger];

    return pattern == TRACED_WANTED_NONE ||
           traced_patterns_match(&self->patterns, pattern, producer_id, producer_name);
}

void traced_wanted_forget(struct traced_wanted *self, uint16_t producer_id)
{
    traced_patterns_forget(&self->patterns, producer_id);
}

struct traced_wanted_work traced_wanted_work(const struct traced_wanted *self)
{
    return (struct traced_wanted_work){self->patterns.names.num, self->patterns.matches,
                                       self->patterns.steps, self->patterns.exhausted};
}
