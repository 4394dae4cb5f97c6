/*
 * linux.ftrace: the kernel's own tracepoints, for one session.
 *
 *   create  find or set up the instance, choose and compile events, enable them
 *   start   recording on
 *   tick    (instance) pages -> translate -> sink; then processes are told
 *   flush   everything recorded so far, statistics
 *   stop    the same once more, then leave
 */
#include "probes/ftrace/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probes/ftrace/drain.h"
#include "probes/ftrace/dynamic.h"
#include "probes/ftrace/instance.h"
#include "probes/ftrace/name_kinds.h"
#include "probes/ftrace/print_filter.h"
#include "probes/ftrace/select.h"
#include "probes/ftrace/setup.h"
#include "probes/ftrace/stats.h"
#include "probes/ftrace/watch.h"
#include "protos/fields/ftrace.h"
#include "sdk/base/clock.h"
#include "sdk/base/fd.h"
#include "sdk/base/log.h"
#include "sdk/ftrace/kallsyms.h"
#include "sdk/ftrace/printk.h"
#include "sdk/ftrace/symbols.h"

#define TIMENS_MAX 4096 /* bytes of a file with two lines */

struct session {
    struct orma_source source;
    struct orma_ftrace_instance *instance; /* NULL: set-up failed, see error */
    struct orma_ftrace_drain drain;
    struct orma_ftrace_translate translate;
    struct orma_ftrace_events events;
    struct orma_ftrace_symbols symbols;
    struct orma_ftrace_print_filter *print_filter;
    struct orma_map printk;
    struct orma_ftrace_snapshot at_start;
    struct orma_ftrace_watch watch;
    struct orma_buf packet;
    struct orma_map inodes;   /* seen in this tick -> device */
    struct orma_map fd_pairs; /* returned by system calls in this tick: pid << 32 | fd */
    bool is_exclusive;        /* its config wants the instance alone */
    char error[512];          /* why nothing is recorded; "" if all is well */
    bool started;
};

static struct session *session_of(struct orma_source *source)
{
    return ORMA_CONTAINER_OF(source, struct session, source);
}

static void put_stats(struct session *self, uint32_t phase,
                      const struct orma_ftrace_snapshot *snapshot)
{
    const struct orma_ftrace_report report = {
        .phase = phase,
        .preserved = self->instance && self->instance->preserved,
        .events = &self->events,
        .counts = phase == ORMA_PB_FTRACE_STATS_END_OF_TRACE ? &self->translate.counts : NULL,
        .setup_error = self->error[0] ? self->error : NULL,
        .incidents = phase == ORMA_PB_FTRACE_STATS_END_OF_TRACE
                         ? orma_buf_str(&self->watch.incidents)
                         : (struct orma_str){0},
        .exclusive_error = self->error[0] && self->is_exclusive ? self->error : NULL,
    };

    orma_ftrace_stats_put(&self->packet, snapshot, &report);
    (void)orma_source_sink_put_buf(self->source.sink,
                                   &self->packet); /* lost: the writer counts it */
}

static int take_snapshot(struct session *self, struct orma_ftrace_snapshot *ret)
{
    struct orma_ftrace_instance *instance = self->instance;
    uint32_t *ids = calloc(instance->cpus_num + 1, sizeof(*ids));
    int r;

    if (!ids)
        return -ENOMEM;
    for (unsigned i = 0; i < instance->cpus_num; i++)
        ids[i] = instance->cpus[i].id;
    r = orma_ftrace_snapshot_take(ret, &instance->fs, ids, instance->cpus_num);
    free(ids);
    if (self->symbols.table) {
        ret->symbols = (uint32_t)orma_kallsyms_num(self->symbols.table);
        ret->symbols_kb = (uint32_t)(orma_kallsyms_bytes(self->symbols.table) / 1024);
    }
    return r;
}

/* Only the kernel's own files count what is read. */
static void count_reads(struct session *self, const struct orma_ftrace_snapshot *now)
{
    if (self->instance && orma_tracefs_is_real(&self->instance->fs))
        orma_ftrace_watch_count(&self->watch, now, self->instance->cpus, self->instance->cpus_num,
                                self->drain.cpus);
}

static void put_both_stats(struct session *self)
{
    struct orma_ftrace_snapshot now = {0};

    put_stats(self, ORMA_PB_FTRACE_STATS_START_OF_TRACE, &self->at_start);
    if (self->instance && take_snapshot(self, &now) == 0) {
        count_reads(self, &now);
        put_stats(self, ORMA_PB_FTRACE_STATS_END_OF_TRACE, &now);
    }
    orma_ftrace_snapshot_fini(&now);
}

/* Hands what the events of this tick have shown to the sources that look at processes and files. */
static void on_tick(struct orma_ftrace_drain *drain)
{
    struct session *self = ORMA_CONTAINER_OF(drain, struct session, drain);
    const struct orma_source_env *env = self->source.env;
    struct orma_ftrace_translate *t = &self->translate;
    struct orma_source *processes = orma_source_of_processes(env, self->source.session_id);
    struct orma_source *files = orma_source_of_inodes(env, self->source.session_id);
    const struct orma_source_process_ops *ops = processes ? processes->type->processes : NULL;

    if (ops)
        ops->seen(processes, &t->renamed, &t->pids);
    if (ops && self->fd_pairs.len)
        ops->fds(processes, &self->fd_pairs);
    if (files && self->inodes.len)
        files->type->inodes_seen(files, &self->inodes);
    orma_map_clear(&self->fd_pairs);
    orma_map_clear(&self->inodes);
    t->fd_pairs = ops && ops->wants_fds(processes) ? &self->fd_pairs : NULL;
    t->inodes = files ? &self->inodes : NULL;
    for (uint32_t i = 0; i < t->renamed.fresh_num; i++)
        orma_source_idset_remove(&t->renamed, t->renamed.fresh[i]);
    t->renamed.fresh_num = t->pids.fresh_num = 0;
    orma_ftrace_symbols_tick(&self->symbols);
}

static int load_printk(struct session *self)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf text = {0};

    if (orma_tracefs_read_top(&self->instance->fs, "printk_formats", &text) < 0)
        return 0; /* such fields stay empty */
    return orma_ftrace_printk_parse(&self->events.arena, orma_buf_str(&text), &self->printk);
}

static void add_symbols(struct session *self, struct orma_ftrace *ftrace)
{
    struct orma_kallsyms *table = orma_ftrace_kallsyms(ftrace);

    orma_ftrace_symbols_fini(&self->symbols);
    orma_ftrace_symbols_init(&self->symbols, table);
}

static int fail(struct session *self, int r, const char *what)
{
    if (!self->error[0])
        (void)snprintf(self->error, sizeof(self->error), "%s: %s", what, strerror(-r)); /* cut */
    return r;
}

static bool wants_syscalls(const struct session *self)
{
    for (size_t i = 0; i < self->events.num; i++) {
        if (!strcmp(self->events.list[i].group, "raw_syscalls") && !self->events.list[i].filter)
            return true;
    }
    return false;
}

/* What is written to trace_marker goes to the top level only. */
static int note_markers(struct session *self)
{
    int r = 0;

    for (size_t i = 0; !r && self->instance->is_own && i < self->events.num; i++) {
        const struct orma_ftrace_event *ev = &self->events.list[i];

        if (!strcmp(ev->group, "ftrace") && !strcmp(ev->name, "print"))
            r = orma_ftrace_events_note(&self->events, &self->events.failed, ev->group, ev->name);
    }
    return r;
}

/* In a time namespace our clocks are not those of the kernel's events, which would be taken for
 * older than the recording. */
static bool has_kernel_time(const struct orma_source_env *env, char *why, size_t why_size)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf path = {0}, text = {0};
    struct orma_str line, rest;

    orma_buf_printf(&path, "%s/self/timens_offsets", env->proc_root);
    if (orma_fd_read_file(AT_FDCWD, orma_buf_cstr(&path), TIMENS_MAX, &text) < 0)
        return true; /* a kernel without such */
    rest = orma_buf_str(&text);
    while (rest.len && orma_str_cut(&rest, '\n', &line)) {
        bool is_zero = true;

        for (size_t i = 0; i < line.len; i++)
            is_zero = is_zero && (line.data[i] < '1' || line.data[i] > '9');
        if (is_zero)
            continue;
        (void)snprintf(why, why_size,
                       "this is a time namespace, whose clocks are not those of kernel events; "
                       "record outside of it"); /* fits */
        return false;
    }
    return true;
}

/* Everything that can go wrong for reasons outside: then the session lives on, and says so. */
static int set_up(struct session *self, const Perfetto__Protos__FtraceConfig *config)
{
    struct orma_ftrace *ftrace;
    int r = has_kernel_time(self->source.env, self->error, sizeof(self->error)) ? 0 : -EXDEV;

    if (r == 0)
        r = orma_ftrace_get(self->source.env, &ftrace);

    if (r < 0)
        return fail(self, r, "tracefs is not usable");
    r = orma_ftrace_instance_get(ftrace, config, &self->instance, self->error, sizeof(self->error));
    if (r < 0)
        return fail(self, r, "ftrace");
    self->translate.page_layout = self->instance->page_layout;
    self->translate.bundle = &ftrace->bundle;
    self->translate.clock = self->instance->clock;
    if (config->has_symbolize_ksyms && config->symbolize_ksyms)
        add_symbols(self, ftrace);
    r = orma_ftrace_events_select(&self->events, &self->instance->fs, config);
    if (!r)
        r = orma_ftrace_select_more(&self->events, &self->instance->fs, config);
    if (!r)
        r = orma_ftrace_dynamic_add(&self->events, &ftrace->dynamic, &self->instance->fs,
                                    &self->instance->saved, config);
    if (!r)
        r = orma_ftrace_events_compile(&self->events, &self->instance->fs, config,
                                       self->instance->page_layout.commit_size, ftrace->generic_ids,
                                       &self->translate);
    if (!r)
        r = load_printk(self);
    if (!r)
        r = note_markers(self);
    if (r < 0)
        return fail(self, r, "events");
    self->drain.cpus = calloc(self->instance->cpus_num + 1, sizeof(*self->drain.cpus));
    if (!self->drain.cpus)
        return fail(self, -ENOMEM, "ftrace");
    if (wants_syscalls(self))
        self->drain.syscalls = self->translate.syscalls = &self->events.syscalls;
    orma_ftrace_instance_attach(self->instance, &self->drain);
    orma_ftrace_instance_enable(self->instance, &self->events);
    return 0;
}

static void leave_instance(struct session *self)
{
    if (self->drain.link.next)
        orma_ftrace_instance_detach(self->instance, &self->drain);
    orma_ftrace_instance_disable(self->instance, &self->events);
    orma_ftrace_dynamic_release(&self->events, &self->instance->fs);
    orma_ftrace_instance_put(self->instance);
    self->instance = NULL;
}

/* The last one takes the daemon's kernel tracing with it. */
static void leave(struct session *self)
{
    struct orma_ftrace *ftrace = self->source.env->ftrace;

    if (self->instance)
        leave_instance(self);
    if (ftrace && orma_list_empty(&ftrace->instances))
        orma_ftrace_free(ftrace);
}

static void session_free(struct orma_source *source)
{
    struct session *self = session_of(source);

    leave(self);
    free(self->drain.cpus);
    orma_ftrace_print_filter_free(self->print_filter);
    orma_ftrace_events_fini(&self->events);
    orma_ftrace_symbols_fini(&self->symbols);
    orma_map_fini(&self->printk);
    orma_map_fini(&self->inodes);
    orma_map_fini(&self->fd_pairs);
    orma_ftrace_snapshot_fini(&self->at_start);
    orma_ftrace_watch_fini(&self->watch);
    orma_ftrace_translate_fini(&self->translate);
    orma_buf_fini(&self->packet);
    free(self);
}

static int session_create(struct orma_source_env *env,
                          const Perfetto__Protos__DataSourceConfig *config,
                          struct orma_source_sink *sink, struct orma_source **ret)
{
    static const Perfetto__Protos__FtraceConfig empty = PERFETTO__PROTOS__FTRACE_CONFIG__INIT;
    const Perfetto__Protos__FtraceConfig *ftrace =
        config->ftrace_config ? config->ftrace_config : &empty;
    struct session *self = calloc(1, sizeof(*self));
    int r;

    if (!self)
        return -ENOMEM;
    self->source = (struct orma_source){.type = &orma_ftrace_source, .env = env, .sink = sink};
    self->watch.inotify_fd = -1;
    self->drain = (struct orma_ftrace_drain){
        .translate = &self->translate, .period_ms = ftrace->drain_period_ms, .ticked = on_tick};
    orma_ftrace_symbols_init(&self->symbols, NULL);
    r = orma_ftrace_translate_init(&self->translate);
    if (!r)
        r = orma_ftrace_print_filter_new(ftrace->print_filter, &self->print_filter);
    if (r < 0) {
        session_free(&self->source);
        return r;
    }
    self->is_exclusive = orma_ftrace_setup_is_exclusive(ftrace);
    self->translate.sink = sink;
    self->translate.printk = &self->printk;
    self->translate.symbols = &self->symbols;
    self->translate.print_filter = self->print_filter;
    self->translate.print_allows = self->print_filter ? orma_ftrace_print_filter_allows : NULL;
    self->translate.keep_broken_pages = ftrace->has_debug_ftrace_abi && ftrace->debug_ftrace_abi;
    if (set_up(self, ftrace) < 0) {
        orma_log_error("linux.ftrace: %s", self->error);
        leave(self);
    }
    *ret = &self->source;
    return 0;
}

static void session_start(struct orma_source *source)
{
    struct session *self = session_of(source);

    self->started = true;
    if (!self->instance)
        return;
    if (take_snapshot(self, &self->at_start) < 0)
        orma_log_warn("linux.ftrace: no statistics at the start: out of memory");
    if (self->instance->preserved)
        put_stats(self, ORMA_PB_FTRACE_STATS_START_OF_TRACE, &self->at_start);
    orma_ftrace_select_fd_syscalls(&self->translate.fd_syscalls);
    on_tick(&self->drain); /* who else is there, and wants to know what */
    count_reads(self, &self->at_start);
    orma_ftrace_instance_activate(self->instance, &self->drain, true);
    orma_ftrace_watch_start(&self->watch, &self->instance->fs, &self->events,
                            self->instance->syscall_filters);
}

/* Of the newest event that was read, of any cpu; 0: there is none. */
static uint64_t last_event_ns(const struct session *self)
{
    uint64_t last = 0;

    for (unsigned i = 0; i < self->instance->cpus_num; i++)
        last = ORMA_MAX(last, self->drain.cpus[i].last_ts);
    return self->instance->clock ? 0 : last; /* of the boot clock only */
}

static void check_settings(struct session *self, bool at_end)
{
    if (self->instance && self->drain.active)
        orma_ftrace_watch_check(&self->watch, &self->instance->fs, &self->events,
                                last_event_ns(self), at_end, self->drain.syscalls != NULL,
                                self->instance->syscall_filters);
}

static void session_flush(struct orma_source *source, uint64_t flush_id)
{
    struct session *self = session_of(source);
    struct orma_source *processes;

    if (self->instance && self->drain.active)
        orma_ftrace_drain_flush(self->instance);
    check_settings(self, false);
    put_both_stats(self);
    processes = orma_source_of_processes(source->env, source->session_id);
    if (processes)
        processes->type->processes->finish(processes); /* those that the last events have shown */
    orma_source_flushed(source, flush_id);
}

static void session_stop(struct orma_source *source)
{
    struct session *self = session_of(source);

    check_settings(self, true);
    if (self->instance && self->started)
        orma_ftrace_instance_activate(self->instance, &self->drain, false);
    if (self->started)
        put_both_stats(self);
    leave(self);
    orma_source_stopped(source);
}

bool orma_ftrace_usable(const struct orma_source_env *env, char *why, size_t why_size)
{
    char *root = NULL;
    int r = orma_tracefs_find(env->tracefs_root, &root);

    if (!has_kernel_time(env, why, why_size)) {
        free(root);
        return false;
    }

    free(root);
    if (r == 0)
        return true;
    if (r == -EACCES)
        (void)snprintf(
            why, why_size,
            "no permission to use tracefs; to permit it to the group 'tracing': sudo sh -c 'chgrp "
            "-R tracing /sys/kernel/tracing; chmod -R g+rwX /sys/kernel/tracing'"); /* cut */
    else
        (void)snprintf(why, why_size, ORMA_PROBES_NO_TRACEFS); /* cut */
    return false;
}

const struct orma_source_type orma_ftrace_source = {
    .name = "linux.ftrace",
    .usable = orma_ftrace_usable,
    .create = session_create,
    .start = session_start,
    .flush = session_flush,
    .stop = session_stop,
    .free = session_free,
};
