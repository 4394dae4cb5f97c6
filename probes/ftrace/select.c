/*
 * Adds to a selection what is not named as an event: atrace categories (a table of events
 * each, of which those are taken that this kernel has), system calls (numbers of the
 * running architecture, recorded by raw_syscalls), the function graph tracer, and the
 * counters that a kernel with throttling replaces by events of its own.
 */
#include "probes/ftrace/select.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "protos/tables/atrace.h"
#include "protos/tables/syscalls.h"

static bool exists(const struct orma_tracefs *fs, const char *group, const char *name)
{
    char path[512];

    return (size_t)snprintf(path, sizeof(path), "events/%s/%s", group, name) < sizeof(path) &&
           orma_tracefs_has(fs, path);
}

/* Of a category only what this kernel has: the rest is not worth a complaint. */
static int add_if_there(struct orma_ftrace_events *self, const struct orma_tracefs *fs,
                        const char *group, const char *name)
{
    return exists(fs, group, name) ? orma_ftrace_events_add(self, group, name, NULL) : 0;
}

static int add_known_of(struct orma_ftrace_events *self, const struct orma_tracefs *fs,
                        const char *group)
{
    unsigned num;
    const struct orma_ftrace_tracepoint *all = orma_ftrace_tracepoint_list(&num);
    int r = 0;

    for (unsigned i = 0; !r && i < num; i++) {
        const struct orma_ftrace_tracepoint *tp = &all[i];

        if (!strcmp(orma_ftrace_name(tp->group), group))
            r = add_if_there(self, fs, group, orma_ftrace_name(tp->name));
    }
    return r;
}

static bool in_category(const struct orma_atrace_event *ev, char **categories, size_t num)
{
    for (size_t i = 0; i < num; i++) {
        if (!strcmp(ev->category, categories[i]))
            return true;
    }
    return false;
}

static int add_atrace(struct orma_ftrace_events *self, const struct orma_tracefs *fs,
                      const Perfetto__Protos__FtraceConfig *config)
{
    bool kernel_too = !config->has_atrace_userspace_only || !config->atrace_userspace_only;
    int r;

    if (!config->n_atrace_categories && !config->n_atrace_apps)
        return 0;
    r = orma_ftrace_events_add(self, "ftrace", "print",
                               NULL); /* what programs write to trace_marker */
    for (unsigned i = 0; !r && kernel_too && i < orma_atrace_events_num; i++) {
        const struct orma_atrace_event *ev = &orma_atrace_events[i];

        if (!in_category(ev, config->atrace_categories, config->n_atrace_categories))
            continue;
        r = !strcmp(ev->name, "*") ? add_known_of(self, fs, ev->group)
                                   : add_if_there(self, fs, ev->group, ev->name);
    }
    return r;
}

/* With or without "sys_" in front. -1: there is none. */
static int syscall_number(const struct orma_syscall_table *table, const char *name)
{
    if (!strncmp(name, "sys_", 4))
        name += 4;
    for (unsigned i = 0; table && i < table->names_num; i++) {
        const char *call = orma_syscall_name(table, i);

        if (call && !strcmp(call + 4, name))
            return (int)i;
    }
    return -1;
}

/* The names mean the calls of the architecture that the kernel runs on. */
static int add_syscalls(struct orma_ftrace_events *self,
                        const Perfetto__Protos__FtraceConfig *config)
{
    const struct orma_syscall_table *table;
    struct utsname uts;
    int r = 0;

    if (!config->n_syscall_events)
        return 0;
    table = uname(&uts) == 0 ? orma_syscall_table_find(uts.machine) : NULL;
    for (size_t i = 0; !r && i < config->n_syscall_events; i++) {
        int num = syscall_number(table, config->syscall_events[i]);

        if (num < 0 || num >= ORMA_FTRACE_SYSCALLS_MAX) {
            r = orma_ftrace_events_note(self, &self->unknown, "raw_syscalls",
                                        config->syscall_events[i]);
            continue;
        }
        orma_ftrace_syscall_set_add(&self->syscalls, (unsigned)num);
    }
    if (!r)
        r = orma_ftrace_events_add(self, "raw_syscalls", "sys_enter", NULL);
    if (!r)
        r = orma_ftrace_events_add(self, "raw_syscalls", "sys_exit", NULL);
    return r;
}

void orma_ftrace_select_fd_syscalls(struct orma_ftrace_syscall_set *ret)
{
    static const char *const names[] = {"open",   "openat",  "openat2",     "creat",
                                        "socket", "dup",     "dup2",        "dup3",
                                        "accept", "accept4", "memfd_create"};
    const struct orma_syscall_table *table;
    struct utsname uts;

    *ret = (struct orma_ftrace_syscall_set){.is_limited = true};
    table = uname(&uts) == 0 ? orma_syscall_table_find(uts.machine) : NULL;
    for (size_t i = 0; i < ORMA_ARRAY_LEN(names); i++) {
        int num = syscall_number(table, names[i]);

        if (num >= 0 && num < ORMA_FTRACE_SYSCALLS_MAX)
            orma_ftrace_syscall_set_add(ret, (unsigned)num);
    }
}

static int add_graph(struct orma_ftrace_events *self, const Perfetto__Protos__FtraceConfig *config)
{
    int r;

    if (!config->has_enable_function_graph || !config->enable_function_graph)
        return 0;
    r = orma_ftrace_events_add(self, "ftrace", "funcgraph_entry", NULL);
    return r ? r : orma_ftrace_events_add(self, "ftrace", "funcgraph_exit", NULL);
}

/* A kernel that has been told to thin out these counters has an event of its own for the rest. */
static void throttle(struct orma_ftrace_events *self, const struct orma_tracefs *fs,
                     const Perfetto__Protos__FtraceConfig *config)
{
    if (!config->has_throttle_rss_stat || !config->throttle_rss_stat ||
        !exists(fs, "synthetic", "rss_stat_throttled"))
        return;
    for (size_t i = 0; i < self->num; i++) {
        struct orma_ftrace_event *ev = &self->list[i];

        if (!strcmp(ev->group, "kmem") && !strcmp(ev->name, "rss_stat")) {
            ev->group = "synthetic";
            ev->name = "rss_stat_throttled";
        }
    }
}

int orma_ftrace_select_more(struct orma_ftrace_events *self, const struct orma_tracefs *fs,
                            const Perfetto__Protos__FtraceConfig *config)
{
    int r = add_atrace(self, fs, config);

    if (!r)
        r = add_syscalls(self, config);
    if (!r)
        r = add_graph(self, config);
    throttle(self, fs, config);
    return r;
}

void orma_ftrace_select_syscall_filter(const struct orma_ftrace_syscall_set *set,
                                       struct orma_buf *ret)
{
    bool any = false;

    orma_buf_clear(ret);
    for (unsigned i = 0; set->is_limited && i < ORMA_FTRACE_SYSCALLS_MAX; i++) {
        if (!orma_ftrace_syscall_set_has(set, i))
            continue;
        orma_buf_printf(ret, "%sid == %u", any ? " || " : "", i);
        any = true;
    }
    if (!set->is_limited)
        orma_buf_put_str(ret, "0"); /* the kernel's word for: no filter */
    else if (!any)
        orma_buf_put_str(ret, "id == -1");
}
