/*
 * Walks the encoded config: data sources are compared with those that the service offers,
 * kernel events, system calls and categories with tracefs (probes/), enum values with the
 * schema. Each unknown name becomes one line, with the nearest known name.
 */
#include "tools/record/names.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "probes/probes.h"
#include "protos/fields/config.h"
#include "protos/reflect/schema.h"
#include "protos/reflect/walk.h"
#include "protos/tables/atrace.h"
#include "protos/tables/syscalls.h"
#include "sdk/wire/pb_reader.h"
#include "tools/base/cli.h"
#include "tools/record/source_notes.h"
#include "tools/service/state.h"

#define SOURCES_MAX 256
#define NAMES_MAX 1024

/* Offered by any program with an SDK, whenever it comes. */
static const char programs_source[] = "track_event";

struct check {
    struct orma_record_name_check *in;
    struct orma_buf *out;
    unsigned num;
    char *seen[SOURCES_MAX]; /* names of sources */
    size_t seen_num;
};

/* "what 'name'[; did you mean 'near'?]" */
static void problem(struct check *c, const char *what, const char *name, const char *near)
{
    orma_buf_printf(c->out, "%s%s '%s'", c->num++ ? "\n" : "", what, name);
    if (near)
        orma_buf_printf(c->out, "; did you mean '%s'?", near);
}

/* Once: each of several probes may lack the same. */
static void sentence(struct check *c, const char *what, const char *rest)
{
    char text[700];

    snprintf(text, sizeof(text), "%s %s", what, rest);
    if (orma_str_find(orma_buf_str(c->out), orma_str_from(text)))
        return;
    orma_buf_printf(c->out, "%s%s", c->num++ ? "\n" : "", text);
}

/* ---- data sources ---- */

static const char *near_source(const char *name, char (*offered)[ORMA_SERVICE_NAME_MAX], size_t num)
{
    const char *names[SOURCES_MAX + 32] = {0};
    size_t n = 0;

    while (n < num) {
        names[n] = offered[n];
        n++;
    }
    for (const struct orma_record_source_note *s = orma_record_source_notes;
         s->source && n < ORMA_ARRAY_LEN(names) - 1; s++)
        names[n++] = s->source;
    return orma_cli_did_you_mean(name, names);
}

bool orma_record_names_is_of_probes(const char *name)
{
    for (const char *const *s = orma_probes_sources(); *s; s++) {
        if (!strcmp(*s, name))
            return true;
    }
    return false;
}

static bool is_known(const char *name)
{
    for (const struct orma_record_source_note *s = orma_record_source_notes; s->source; s++) {
        if (!strcmp(s->source, name))
            return true;
    }
    return orma_record_names_is_of_probes(name);
}

bool orma_record_names_near_source(const char *name, struct orma_str state, char *ret,
                                   size_t ret_size)
{
    char(*offered)[ORMA_SERVICE_NAME_MAX] =
        is_known(name) ? NULL : calloc(SOURCES_MAX, sizeof(*offered));

    if (!offered)
        return false;
    size_t num = orma_service_state_sources(state, offered, SOURCES_MAX);
    const char *near = near_source(name, offered, num);
    if (near && strcmp(near, name))
        snprintf(ret, ret_size, "%s", near);
    bool found = near && strcmp(near, name);
    free(offered);
    return found;
}

static void check_source(struct check *c, const char *name)
{
    struct orma_str state = c->in->state;

    if (!strcmp(name, programs_source) || (state.len && orma_service_state_has_source(state, name)))
        return;
    char(*offered)[ORMA_SERVICE_NAME_MAX] = calloc(SOURCES_MAX, sizeof(*offered));
    if (!offered || (!state.len && is_known(name))) {
        free(offered);
        return;
    }
    size_t num = orma_service_state_sources(state, offered, SOURCES_MAX);
    const char *near = is_known(name) ? NULL : near_source(name, offered, num);
    bool absent = state.len && (!c->in->may_come || orma_record_names_is_of_probes(name));
    if (near || absent)
        problem(c, "no producer offers the data source", name, near);
    if (absent && !near && orma_record_names_is_of_probes(name))
        orma_buf_put_str(c->out, ": traced_probes is not running");
    free(offered);
}

/* ---- what the kernel has ---- */

/* Lines of `list`, with room for a NULL at the end. To be freed with the list. */
static const char **lines_of(struct orma_buf *list)
{
    size_t num = 0;

    for (size_t i = 0; i < list->len; i++)
        num += list->data[i] == '\n';
    const char **names = calloc(num + 1, sizeof(*names));
    char *at = (char *)list->data;
    for (size_t i = 0; names && i < num; i++) {
        char *end = strchr(at, '\n');

        names[i] = at;
        *end = '\0';
        at = end + 1;
    }
    return names;
}

/* Events of a name without group, and groups of "group/" and a star, are compared as such. */
static void reduce(const char **names, bool to_group)
{
    for (; *names; names++) {
        char *slash = strchr(*names, '/');

        if (slash && to_group)
            *slash = '\0';
        else if (slash)
            *names = slash + 1;
    }
}

int orma_record_names_whole_event(const char *name, char *ret, size_t ret_size)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf list = {0};
    int num = 0, r = orma_probes_kernel_events(NULL, &list);

    if (r < 0)
        return r;
    const char **names = lines_of(&list);
    if (!names)
        return -ENOMEM;
    for (size_t i = 0; names[i]; i++) {
        const char *slash = strchr(names[i], '/');

        if (slash && !strcmp(slash + 1, name) && num++ == 0)
            snprintf(ret, ret_size, "%s", names[i]);
    }
    free(names);
    return num;
}

bool orma_record_names_near_event(const char *name, char *ret, size_t ret_size)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf list = {0};
    char wanted[256];
    size_t len = strlen(name);
    bool is_group = len > 2 && !strcmp(name + len - 2, "/*");

    if (orma_probes_kernel_events(NULL, &list) < 0)
        return false;
    const char **names = lines_of(&list);
    if (!names)
        return false;
    snprintf(wanted, sizeof(wanted), "%.*s", (int)(is_group ? len - 2 : len), name);
    if (is_group || !strchr(name, '/'))
        reduce(names, is_group);
    const char *near = orma_cli_did_you_mean(wanted, names);
    if (near)
        snprintf(ret, ret_size, "%s%s", near, is_group ? "/*" : "");
    free(names);
    return near != NULL;
}

static const char *near_syscall(const char *name)
{
    const char *names[NAMES_MAX + 1] = {0};
    const struct orma_syscall_table *table;
    struct utsname uts;
    size_t num = 0;

    table = uname(&uts) == 0 ? orma_syscall_table_find(uts.machine) : NULL;
    for (unsigned i = 0; table && i < table->names_num && num < NAMES_MAX; i++) {
        const char *call = orma_syscall_name(table, i);

        if (call)
            names[num++] = call + 4; /* "sys_" */
    }
    return orma_cli_did_you_mean(!strncmp(name, "sys_", 4) ? name + 4 : name, names);
}

static const char *near_category(const char *name)
{
    const char *names[NAMES_MAX + 1] = {0};
    size_t num = 0;

    for (unsigned i = 0; i < orma_atrace_events_num && num < NAMES_MAX; i++)
        names[num++] = orma_atrace_events[i].category;
    return orma_cli_did_you_mean(name, names);
}

static void on_unknown_name(void *ctx, enum orma_ftrace_name kind, const char *name)
{
    struct check *c = ctx;
    char near[256];

    switch (kind) {
    case ORMA_FTRACE_NAME_EVENT:
        problem(c, "this kernel has no event", name,
                orma_record_names_near_event(name, near, sizeof(near)) ? near : NULL);
        break;
    case ORMA_FTRACE_NAME_SYSCALL:
        problem(c, "there is no system call", name, near_syscall(name));
        break;
    case ORMA_FTRACE_NAME_CATEGORY:
        problem(c, "there is no atrace category", name, near_category(name));
        break;
    case ORMA_FTRACE_NAME_FUNCTION:
        problem(c, "this kernel has no function that it can trace called", name, NULL);
        break;
    case ORMA_FTRACE_NAME_PROBE:
        sentence(c, "cannot set the probe", name);
        break;
    case ORMA_FTRACE_NAME_FEATURE:
        sentence(c, "this kernel does not record", name);
        break;
    }
}

/* ---- the config ---- */

static void note_source(struct check *c, struct orma_str text)
{
    char *name = orma_str_dup(text);

    c->in->any_source = true;
    for (size_t i = 0; name && i < c->seen_num; i++) {
        if (!strcmp(c->seen[i], name)) {
            free(name);
            return;
        }
    }
    if (name && c->seen_num < SOURCES_MAX)
        c->seen[c->seen_num++] = name;
    else
        free(name);
}

static int on_value(void *ctx, const struct orma_walk_item *item)
{
    const struct orma_schema *schema = orma_schema_default();
    struct check *c = ctx;
    char number[32];

    if (!item->field || item->type != ORMA_TYPE_ENUM ||
        orma_schema_value_name(schema, item->field->type_idx, (int32_t)item->i64))
        return 0;
    snprintf(number, sizeof(number), "%d", (int)item->i64);
    orma_buf_printf(c->out, "%s", c->num++ ? "\n" : "");
    orma_buf_printf(c->out, "'%s' has no value %s", orma_field_name(schema, item->field), number);
    return 0;
}

static int on_enter(void *ctx, const struct orma_walk_item *item)
{
    const struct orma_schema *schema = orma_schema_default();
    struct check *c = ctx;
    struct orma_pb_reader r = orma_pb_reader(item->bytes.data, item->bytes.len);
    struct orma_pb_field f;

    if (!item->field || strcmp(orma_schema_msg_name(schema, item->field->type_idx),
                               "perfetto.protos.DataSourceConfig"))
        return 0;
    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_DATA_SOURCE_CONFIG_NAME)
            note_source(c, orma_pb_str(&f));
        else if (f.id == ORMA_PB_DATA_SOURCE_CONFIG_FTRACE_CONFIG && !c->in->no_kernel)
            (void)orma_probes_unknown_names(NULL, orma_pb_str(&f), on_unknown_name,
                                            c); /* not readable: the trace will tell */
    }
    return 0;
}

static void look_through(struct check *c)
{
    const struct orma_schema *schema = orma_schema_default();
    struct orma_walk walk = {.value = on_value, .enter = on_enter, .ctx = c};
    uint32_t msg = orma_schema_find_msg(schema, ORMA_STR("perfetto.protos.TraceConfig"));

    /* Malformed ones were refused before. */
    (void)orma_walk(schema, msg, c->in->config.data, c->in->config.len, &walk);
}

static void forget_sources(struct check *c)
{
    while (c->seen_num)
        free(c->seen[--c->seen_num]);
}

unsigned orma_record_names_check(struct orma_record_name_check *check, struct orma_buf *ret)
{
    struct check c = {.in = check, .out = ret};

    look_through(&c);
    for (size_t i = 0; i < c.seen_num; i++)
        check_source(&c, c.seen[i]);
    if (!check->any_source)
        orma_buf_printf(ret,
                        "%sthe config names no data source: nothing would be recorded "
                        "('orma help config' shows one)",
                        c.num++ ? "\n" : "");
    forget_sources(&c);
    return c.num;
}

void orma_record_names_sources(struct orma_str config, void (*fn)(void *ctx, const char *name),
                               void *ctx)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf none = {0};
    struct orma_record_name_check check = {.config = config, .no_kernel = true};
    struct check c = {.in = &check, .out = &none};

    look_through(&c);
    for (size_t i = 0; i < c.seen_num; i++)
        fn(ctx, c.seen[i]);
    forget_sources(&c);
}
