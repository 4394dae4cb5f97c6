#include "probes/ftrace/names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probes/ftrace/dynamic.h"
#include "probes/ftrace/events.h"
#include "probes/ftrace/functions.h"
#include "probes/ftrace/select.h"
#include "probes/kernel/tracefs.h"
#include "protos/tables/atrace.h"

/* Categories of programs that write into trace_marker themselves: no kernel event belongs to them.
 */
static const char *const program_categories[] = {
    "adb",    "aidl",   "am",       "audio", "binder_driver", "binder_lock", "bionic",
    "camera", "dalvik", "database", "gfx",   "hal",           "input",       "network",
    "nnapi",  "pdx",    "pm",       "power", "res",           "rro",         "rs",
    "sm",     "ss",     "vibrator", "video", "view",          "webview",     "wm",
};

static int open_top(const char *root, struct orma_tracefs *ret)
{
    char *path = NULL;
    int r = orma_tracefs_find(root, &path);

    if (r == 0)
        r = orma_tracefs_open(ret, path, NULL);
    free(path);
    return r;
}

static bool is_there(const struct orma_tracefs *fs, const struct orma_ftrace_event *ev)
{
    char path[512];

    if (!strcmp(ev->group, "ftrace") && !strcmp(ev->name, "print"))
        return true; /* its layout is known without a format file */
    return (size_t)snprintf(path, sizeof(path), "events/%s/%s/format", ev->group, ev->name) <
               sizeof(path) &&
           orma_tracefs_has(fs, path);
}

static bool is_category(const char *name)
{
    for (size_t i = 0; i < ORMA_ARRAY_LEN(program_categories); i++) {
        if (!strcmp(program_categories[i], name))
            return true;
    }
    for (unsigned i = 0; i < orma_atrace_events_num; i++) {
        if (!strcmp(orma_atrace_events[i].category, name))
            return true;
    }
    return false;
}

static void tell_unknown(const struct orma_ftrace_events *events, orma_ftrace_name_fn *fn,
                         void *ctx)
{
    static const char calls[] = "raw_syscalls/";

    for (size_t i = 0; i < events->unknown.num; i++) {
        const char *name = events->unknown.names[i];
        bool is_call =
            !strncmp(name, calls, sizeof(calls) - 1) && strcmp(name + sizeof(calls) - 1, "*") != 0;

        fn(ctx, is_call ? ORMA_FTRACE_NAME_SYSCALL : ORMA_FTRACE_NAME_EVENT,
           is_call ? name + sizeof(calls) - 1 : name);
    }
}

static void tell_functions(const struct orma_tracefs *fs, char **names, size_t num,
                           orma_ftrace_name_fn *fn, void *ctx)
{
    for (size_t i = 0; i < num; i++) {
        if (!orma_ftrace_functions_can_trace(fs, names[i]))
            fn(ctx, ORMA_FTRACE_NAME_FUNCTION, names[i]);
    }
}

/* The top level: an instance has fewer tracers before 6.12, and that is said when it is taken. */
static void tell_graph(const struct orma_tracefs *fs, const Perfetto__Protos__FtraceConfig *config,
                       orma_ftrace_name_fn *fn, void *ctx)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf tracers = {0};

    if (!config->has_enable_function_graph || !config->enable_function_graph)
        return;
    if (orma_tracefs_read_top(fs, "available_tracers", &tracers) == 0 &&
        !orma_str_find(orma_buf_str(&tracers), ORMA_STR("function_graph"))) {
        fn(ctx, ORMA_FTRACE_NAME_FEATURE,
           "graphs of its functions (CONFIG_FUNCTION_GRAPH_TRACER)");
        return;
    }
    tell_functions(fs, config->function_graph_roots, config->n_function_graph_roots, fn, ctx);
    tell_functions(fs, config->function_filters, config->n_function_filters, fn, ctx);
}

/* Events first, so that what is unknown after the rest are system calls. */
static int find_unknown(struct orma_ftrace_events *events, const struct orma_tracefs *fs,
                        const Perfetto__Protos__FtraceConfig *config, orma_ftrace_name_fn *fn,
                        void *ctx)
{
    char name[512];
    int r = orma_ftrace_events_select(events, fs, config);

    for (size_t i = 0; !r && i < events->num; i++) {
        const struct orma_ftrace_event *ev = &events->list[i];

        if (is_there(fs, ev))
            continue;
        (void)snprintf(name, sizeof(name), "%s/%s", ev->group, ev->name); /* cut: fine */
        fn(ctx, ORMA_FTRACE_NAME_EVENT, name);
    }
    if (!r)
        r = orma_ftrace_select_more(events, fs, config);
    if (r < 0)
        return r;
    tell_unknown(events, fn, ctx);
    for (size_t i = 0; i < config->n_atrace_categories; i++) {
        if (!is_category(config->atrace_categories[i]))
            fn(ctx, ORMA_FTRACE_NAME_CATEGORY, config->atrace_categories[i]);
    }
    tell_graph(fs, config, fn, ctx);
    return orma_ftrace_dynamic_check(fs, config, fn, ctx);
}

int orma_ftrace_unknown_names(const char *root, const Perfetto__Protos__FtraceConfig *config,
                              orma_ftrace_name_fn *fn, void *ctx)
{
    struct orma_tracefs fs;
    struct orma_ftrace_events events = {0};
    int r = open_top(root, &fs);

    if (r < 0)
        return r;
    r = find_unknown(&events, &fs, config, fn, ctx);
    orma_ftrace_events_fini(&events);
    orma_tracefs_close(&fs);
    return r;
}

int orma_ftrace_list_events(const char *root, struct orma_buf *ret)
{
    struct orma_tracefs fs;
    ORMA_AUTO(orma_buf_fini) struct orma_buf text = {0};
    struct orma_str rest, line, group;
    int r = open_top(root, &fs);

    if (r < 0)
        return r;
    r = orma_tracefs_read(&fs, "available_events", &text);
    rest = orma_buf_str(&text);
    while (r == 0 && rest.len && orma_str_cut(&rest, '\n', &line)) {
        if (orma_str_cut(&line, ':', &group))
            orma_buf_printf(ret, "%.*s/%.*s\n", ORMA_STR_ARG(group), ORMA_STR_ARG(line));
    }
    orma_tracefs_close(&fs);
    return r;
}
