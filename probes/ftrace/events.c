/*
 * select:  names of the config -> list, each event once; wildcards and names without a
 *          group are resolved by reading the folders of events/
 * compile: format file of each event -> plan (plan.h); sched_switch comes first, because
 *          the compact encoding of wakings relies on it. Plans are indexed by event id.
 *
 * Events without a message of their own get ids from 65536 on, which stay the same while
 * the daemon runs.
 */
#include "probes/ftrace/events.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probes/core/entries.h"
#include "protos/fields/ftrace.h"
#include "sdk/base/fd.h"
#include "sdk/base/hash.h"
#include "sdk/base/vec.h"

#define GENERIC_FIRST 65536u
#define GENERIC_LAST 131072u

struct orma_ftrace_generic_ids {
    struct orma_map ids; /* hash of "group/name" -> id; a collision is seen by `names` */
    struct orma_arena arena;
    const char **names; /* by id - GENERIC_FIRST */
    uint32_t num, cap;
};

int orma_ftrace_generic_ids_new(struct orma_ftrace_generic_ids **ret)
{
    *ret = calloc(1, sizeof(**ret));
    return *ret ? 0 : -ENOMEM;
}

void orma_ftrace_generic_ids_free(struct orma_ftrace_generic_ids *self)
{
    if (!self)
        return;
    orma_map_fini(&self->ids);
    orma_arena_fini(&self->arena);
    free(self->names);
    free(self);
}

uint32_t orma_ftrace_generic_ids_get(struct orma_ftrace_generic_ids *self, const char *group,
                                     const char *name)
{
    char full[512];
    int len = snprintf(full, sizeof(full), "%s/%s", group, name);
    uint64_t hash, id;

    if (len < 0 || (size_t)len >= sizeof(full))
        return 0;
    for (hash = orma_hash_bytes(full, (size_t)len);; hash++) {
        id = orma_map_get(&self->ids, hash);
        if (id == ORMA_MAP_NONE)
            break;
        if (!strcmp(self->names[id], full))
            return GENERIC_FIRST + (uint32_t)id;
    }
    if (self->num > GENERIC_LAST - GENERIC_FIRST)
        return 0;
    if (ORMA_GROW(&self->names, &self->cap, self->num + (size_t)1))
        return 0;
    self->names[self->num] = orma_arena_strdup(&self->arena, (struct orma_str){full, (size_t)len});
    if (!self->names[self->num] || orma_map_put(&self->ids, hash, self->num) < 0)
        return 0;
    return GENERIC_FIRST + self->num++;
}

void orma_ftrace_events_fini(struct orma_ftrace_events *self)
{
    free(self->list);
    free(self->plans);
    free(self->unknown.names);
    free(self->failed.names);
    orma_arena_fini(&self->arena);
    *self = (struct orma_ftrace_events){0};
}

int orma_ftrace_events_note(struct orma_ftrace_events *self, struct orma_ftrace_name_list *list,
                            const char *group, const char *name)
{
    char full[512];

    (void)snprintf(full, sizeof(full), "%s%s%s", group, group[0] ? "/" : "", name); /* cut: fine */
    for (size_t i = 0; i < list->num; i++) {
        if (!strcmp(list->names[i], full))
            return 0;
    }
    if (ORMA_GROW(&list->names, &list->cap, list->num + 1))
        return -ENOMEM;
    list->names[list->num] = orma_arena_strdup(&self->arena, orma_str_from(full));
    return list->names[list->num] ? (int)(++list->num, 0) : -ENOMEM;
}

/* Names become paths: one component each. */
static bool is_component(const char *name)
{
    return name[0] && name[0] != '.' && !strchr(name, '/') && strlen(name) < 200;
}

int orma_ftrace_events_add(struct orma_ftrace_events *self, const char *group, const char *name,
                           struct orma_ftrace_event **ret)
{
    for (size_t i = 0; i < self->num; i++) {
        if (!strcmp(self->list[i].name, name) && !strcmp(self->list[i].group, group)) {
            if (ret)
                *ret = &self->list[i];
            return 0;
        }
    }
    if (!is_component(group) || !is_component(name) || self->num == ORMA_FTRACE_EVENTS_MAX)
        return orma_ftrace_events_note(self, &self->unknown, group, name);
    if (ORMA_GROW(&self->list, &self->cap, self->num + 1))
        return -ENOMEM;
    struct orma_ftrace_event *ev = &self->list[self->num];
    *ev = (struct orma_ftrace_event){
        .group = orma_arena_strdup(&self->arena, orma_str_from(group)),
        .name = orma_arena_strdup(&self->arena, orma_str_from(name)),
        .decode_only = !strcmp(group, "ftrace"),
    };
    if (!ev->group || !ev->name)
        return -ENOMEM;
    self->num++;
    if (ret)
        *ret = ev;
    return 0;
}

static int is_event_name(const struct dirent *entry)
{
    return entry->d_name[0] != '.' && entry->d_type != DT_REG;
}

/* group/star */
static int select_group(struct orma_ftrace_events *self, const struct orma_tracefs *fs,
                        const char *group)
{
    struct dirent **entries;
    char path[600];
    int num, r = 0;

    if (!is_component(group))
        return orma_ftrace_events_note(self, &self->unknown, group, "*");
    (void)snprintf(path, sizeof(path), "events/%s", group); /* fits: is_component() */
    num = orma_entries_list(fs->dir_fd, path, &entries, is_event_name, orma_entries_by_name);
    if (num < 0)
        return orma_ftrace_events_note(self, &self->unknown, group, "*");
    for (int i = 0; i < num; i++) {
        if (!r)
            r = orma_ftrace_events_add(self, group, entries[i]->d_name, NULL);
        free(entries[i]);
    }
    free(entries);
    return r;
}

/*
 * The group of an event that the config names without one: that of the known
 * tracepoint if the kernel has it, else the kernel's first of that name. `list`
 * caches available_events, which only the top level has.
 */
static bool find_group(const struct orma_tracefs *fs, const char *name, struct orma_buf *list,
                       char *ret, size_t ret_size)
{
    const struct orma_ftrace_tracepoint *known = orma_ftrace_tracepoint_find(NULL, name);
    struct orma_str rest, line, group, found = {NULL, 0};

    if (!list->len)
        (void)orma_tracefs_read_top(fs, "available_events", list); /* empty: known ones only */
    rest = orma_buf_str(list);
    while (rest.len && orma_str_cut(&rest, '\n', &line)) {
        if (!orma_str_cut(&line, ':', &group) || !orma_str_eq_c(line, name))
            continue;
        if (!found.len || (known && orma_str_eq_c(group, orma_ftrace_name(known->group))))
            found = group;
    }
    if (known && !found.len)
        found = orma_str_from(orma_ftrace_name(known->group));
    (void)snprintf(ret, ret_size, "%.*s", ORMA_STR_ARG(found)); /* cut: not found later */
    return found.len;
}

static int set_filter(struct orma_ftrace_events *self, struct orma_ftrace_event *ev,
                      const char *filter)
{
    if (!ev || !filter)
        return 0;
    ev->filter = orma_arena_strdup(&self->arena, orma_str_from(filter));
    return ev->filter ? 0 : -ENOMEM;
}

/* "group/name", "group/" and a star, "name"; each but the second with " if FILTER" behind. */
static int select_one(struct orma_ftrace_events *self, const struct orma_tracefs *fs,
                      const char *text, struct orma_buf *available)
{
    const char *cond = strstr(text, " if "), *filter = cond ? cond + 4 : NULL;
    struct orma_ftrace_event *ev = NULL;
    char name[512], group[512], *slash;
    int r;

    (void)snprintf(name, sizeof(name), "%.*s", cond ? (int)(cond - text) : INT_MAX,
                   text); /* cut: unknown */
    slash = strchr(name, '/');
    if (!slash) {
        r = find_group(fs, name, available, group, sizeof(group))
                ? orma_ftrace_events_add(self, group, name, &ev)
                : orma_ftrace_events_note(self, &self->unknown, "", name);
        return r ? r : set_filter(self, ev, filter);
    }
    *slash = '\0';
    if (!strcmp(slash + 1, "*"))
        return filter ? orma_ftrace_events_note(self, &self->failed, name, "* with a filter")
                      : select_group(self, fs, name);
    r = orma_ftrace_events_add(self, name, slash + 1, &ev);
    return r ? r : set_filter(self, ev, filter);
}

bool orma_ftrace_events_is_probe(const char *text)
{
    static const char *const prefixes[] = {
        "kprobe:", "kretprobe:", "uprobe:", "uretprobe:", "usdt:"};

    for (size_t i = 0; i < ORMA_ARRAY_LEN(prefixes); i++) {
        if (!strncmp(text, prefixes[i], strlen(prefixes[i])))
            return true;
    }
    return false;
}

int orma_ftrace_events_select(struct orma_ftrace_events *self, const struct orma_tracefs *fs,
                              const Perfetto__Protos__FtraceConfig *config)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf available = {0};
    int r = 0;

    for (size_t i = 0; !r && i < config->n_ftrace_events; i++) {
        const char *text = config->ftrace_events[i];

        if (!orma_ftrace_events_is_probe(text))
            r = select_one(self, fs, text, &available);
    }
    return r;
}

static int read_format(struct orma_ftrace_events *self, const struct orma_tracefs *fs,
                       const struct orma_ftrace_event *ev, unsigned word_size,
                       struct orma_buf *text, struct orma_ftrace_format *ret)
{
    char path[512];
    int r;

    (void)snprintf(path, sizeof(path), "events/%s/%s/format", ev->group, ev->name); /* fits */
    r = orma_tracefs_read(fs, path, text);
    return r < 0 ? r : orma_ftrace_format_parse(&self->arena, orma_buf_str(text), word_size, ret);
}

static int set_plan(struct orma_ftrace_events *self, struct orma_ftrace_plan *plan)
{
    if (plan->id >= self->plans_num) {
        unsigned num = (plan->id | 1023u) + 1;
        struct orma_ftrace_plan **plans = realloc(self->plans, num * sizeof(*plans));

        if (!plans)
            return -ENOMEM;
        memset(plans + self->plans_num, 0, (num - self->plans_num) * sizeof(*plans));
        self->plans = plans;
        self->plans_num = num;
    }
    self->plans[plan->id] = plan;
    return 0;
}

struct compile {
    struct orma_ftrace_events *self;
    const struct orma_tracefs *fs;
    struct orma_ftrace_plan_options options;
    bool generic_disabled;
    struct orma_ftrace_generic_ids *ids;
    struct orma_ftrace_translate *translate;
    struct orma_buf text;
};

/* The plan for an event whose format is known. 0: none, and noted why. */
static int make_plan(struct compile *c, struct orma_ftrace_event *ev,
                     const struct orma_ftrace_format *format, struct orma_ftrace_plan *plan)
{
    const struct orma_ftrace_tracepoint *known = orma_ftrace_tracepoint_find(ev->group, ev->name);
    const struct orma_ftrace_message *message =
        known ? &orma_ftrace_messages[known->message_idx] : NULL;
    int r;

    if (ev->kprobe_type) {
        orma_ftrace_plan_kprobe(format, ev->group, ev->kprobe_name, ev->kprobe_type, plan);
        return 1;
    }
    c->options.generic_field = 0;
    if (!message && !c->generic_disabled)
        c->options.generic_field = orma_ftrace_generic_ids_get(c->ids, ev->group, ev->name);
    if (!message && !c->options.generic_field)
        return orma_ftrace_events_note(c->self, &c->self->failed, ev->group, ev->name);
    r = orma_ftrace_plan_compile(&c->self->arena, ev->group, format, message, &c->options, plan);
    return r < 0 ? r : 1;
}

static int compile_one(struct compile *c, struct orma_ftrace_event *ev)
{
    struct orma_ftrace_format format;
    struct orma_ftrace_plan *plan = orma_arena_alloc(&c->self->arena, sizeof(*plan));
    bool is_print = !strcmp(ev->group, "ftrace") && !strcmp(ev->name, "print");
    int r;

    if (!plan)
        return -ENOMEM;
    r = read_format(c->self, c->fs, ev, c->options.word_size, &c->text, &format);
    if (r == -ENOMEM)
        return r;
    if (r < 0 && is_print) {
        orma_ftrace_plan_print_fallback(plan);
    } else if (r < 0) {
        return orma_ftrace_events_note(
            c->self, r == -ENOENT || r == -ENOTDIR ? &c->self->unknown : &c->self->failed,
            ev->group, ev->name);
    } else {
        c->self->odd_formats += format.odd_lines > 0;
        r = make_plan(c, ev, &format, plan);
        if (r <= 0)
            return r;
        orma_ftrace_translate_set_compact(c->translate, &format, plan);
    }
    ev->plan = plan;
    return set_plan(c->self, plan);
}

static bool has_event(const struct orma_ftrace_events *self, const char *group, const char *name)
{
    for (size_t i = 0; i < self->num; i++) {
        if (!strcmp(self->list[i].group, group) && !strcmp(self->list[i].name, name))
            return true;
    }
    return false;
}

/* The compact encoding of wakings relies on that of switches. */
static int compile_sched_first(struct compile *c, bool wanted)
{
    int r = 0;

    c->options.compact_sched = wanted && has_event(c->self, "sched", "sched_switch");
    for (size_t i = 0; !r && i < c->self->num; i++) {
        struct orma_ftrace_event *ev = &c->self->list[i];

        if (strcmp(ev->group, "sched") || strcmp(ev->name, "sched_switch"))
            continue;
        r = compile_one(c, ev);
        if (!ev->plan || ev->plan->kind != ORMA_FTRACE_PLAN_SCHED_SWITCH)
            c->options.compact_sched = false;
    }
    return r;
}

int orma_ftrace_events_compile(struct orma_ftrace_events *self, const struct orma_tracefs *fs,
                               const Perfetto__Protos__FtraceConfig *config, unsigned word_size,
                               struct orma_ftrace_generic_ids *ids,
                               struct orma_ftrace_translate *translate)
{
    struct compile c = {
        .self = self,
        .fs = fs,
        .options = {.word_size = word_size,
                    .generic_old = config->has_denser_generic_event_encoding &&
                                   !config->denser_generic_event_encoding},
        .generic_disabled = config->has_disable_generic_events && config->disable_generic_events,
        .ids = ids,
        .translate = translate,
    };
    bool compact = !config->compact_sched || !config->compact_sched->has_enabled ||
                   config->compact_sched->enabled;
    int r = compile_sched_first(&c, compact);

    for (size_t i = 0; !r && i < self->num; i++) {
        if (!self->list[i].plan)
            r = compile_one(&c, &self->list[i]);
    }
    orma_buf_fini(&c.text);
    translate->plans = self->plans;
    translate->plans_num = self->plans_num;
    return r;
}
