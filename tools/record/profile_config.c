/*
 * The request becomes a TraceConfig in text form; names of processes are resolved by a walk
 * through /proc, since the service matches command lines only.
 */
#include "tools/record/profile_config.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "probes/perf/scope.h"
#include "sdk/base/defs.h"
#include "sdk/base/fd.h"

#define NAME_MAX_LEN 4096
#define MANY 4u /* events: more have smaller rings, and copies of stacks that fit in */
#define MANY_RING_PAGES 256u
#define MANY_STACK_BYTES 16384u

static bool has_name(const struct orma_buf *names, const char *name)
{
    for (size_t at = 0; at < names->len; at += strlen((const char *)names->data + at) + 1) {
        if (!strcmp((const char *)names->data + at, name))
            return true;
    }
    return false;
}

static bool matches(const char *name, const char *wanted, bool partial)
{
    return orma_perf_name_matches(wanted, name) || (partial && strstr(name, wanted));
}

/* The first word of the command line; without one, the name. "" if it is gone. */
static const char *name_of(const char *proc_root, const char *pid, struct orma_buf *buf)
{
    char path[300];

    orma_buf_clear(buf);
    if ((size_t)snprintf(path, sizeof(path), "%s/%s/cmdline", proc_root, pid) < sizeof(path))
        (void)orma_fd_read_file(AT_FDCWD, path, NAME_MAX_LEN, buf); /* the beginning is enough */
    if (!buf->len &&
        (size_t)snprintf(path, sizeof(path), "%s/%s/comm", proc_root, pid) < sizeof(path)) {
        (void)orma_fd_read_file(AT_FDCWD, path, NAME_MAX_LEN, buf);
        while (buf->len && buf->data[buf->len - 1] == '\n')
            buf->len--;
    }
    return orma_buf_cstr(buf);
}

/* Calls `found` for each running process that is wanted. How many; -errno. */
static int each_process(const char *proc_root, struct orma_str wanted, bool partial,
                        void (*found)(struct orma_record_profile_request *self, const char *pid,
                                      const char *name),
                        struct orma_record_profile_request *self)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf name = {0};
    ORMA_AUTO(orma_buf_fini) struct orma_buf pattern = {0};
    struct dirent *entry;
    int num = 0;
    DIR *dir = opendir(proc_root);

    if (!dir)
        return -errno;
    orma_buf_put(&pattern, wanted.data, wanted.len);
    while ((entry = readdir(dir))) {
        if (!isdigit((unsigned char)entry->d_name[0]))
            continue;
        const char *is = name_of(proc_root, entry->d_name, &name);
        if (!*is || !matches(is, orma_buf_cstr(&pattern), partial))
            continue;
        num++;
        /* Titles change while the program runs. */
        bool title =
            orma_perf_name_title(is) && orma_perf_name_matches(orma_buf_cstr(&pattern), is);
        found(self, entry->d_name, title ? orma_buf_cstr(&pattern) : is);
    }
    closedir(dir);
    return pattern.failed ? -ENOMEM : num;
}

static void add_name(struct orma_record_profile_request *self, const char *pid, const char *name)
{
    (void)pid;
    if (!has_name(&self->names, name))
        orma_buf_put(&self->names, name, strlen(name) + 1);
}

static void add_pid(struct orma_record_profile_request *self, const char *pid, const char *name)
{
    int32_t number = atoi(pid);

    (void)name;
    if (number != getpid())
        orma_buf_put(&self->pids, &number, sizeof(number));
}

int orma_record_profile_add_processes(struct orma_record_profile_request *self,
                                      const char *proc_root, struct orma_str wanted, bool partial)
{
    int found = each_process(proc_root, wanted, partial, add_name, self);

    return self->names.failed ? -ENOMEM : found;
}

int orma_record_profile_add_pids(struct orma_record_profile_request *self, const char *proc_root,
                                 struct orma_str wanted, bool partial)
{
    int found = each_process(proc_root, wanted, partial, add_pid, self);

    return self->pids.failed ? -ENOMEM : found;
}

/* A string of the text format. */
static void put_quoted(struct orma_buf *out, const char *text)
{
    orma_buf_put_byte(out, '"');
    for (const char *p = text; *p; p++) {
        if (*p == '"' || *p == '\\' || (unsigned char)*p < ' ')
            orma_buf_printf(out, "\\%03o", (unsigned char)*p);
        else
            orma_buf_put_byte(out, (uint8_t)*p);
    }
    orma_buf_put_byte(out, '"');
}

static void put_scope(struct orma_buf *out, const struct orma_record_profile_request *rq)
{
    if (!rq->names.len && !rq->pids.len)
        return;
    orma_buf_put_str(out, "        scope {\n");
    for (size_t at = 0; at < rq->names.len; at += strlen((const char *)rq->names.data + at) + 1) {
        orma_buf_put_str(out, "          target_cmdline: ");
        put_quoted(out, (const char *)rq->names.data + at);
        orma_buf_put_byte(out, '\n');
    }
    for (size_t at = 0; at < rq->pids.len; at += sizeof(int32_t)) {
        int32_t pid;

        memcpy(&pid, rq->pids.data + at, sizeof(pid));
        orma_buf_printf(out, "          target_pid: %d\n", pid);
    }
    orma_buf_put_str(out, "        }\n");
}

static void put_native(struct orma_buf *out, const struct orma_record_profile_request *rq,
                       const struct orma_record_perf_event *event, bool off_cpu)
{
    bool many = rq->events.num > MANY;

    if (many) /* of each event and cpu */
        orma_buf_printf(out, "      ring_buffer_pages: %u\n", MANY_RING_PAGES);

    for (size_t at = 0; at < rq->cpus.len; at += sizeof(uint32_t)) {
        uint32_t cpu;

        memcpy(&cpu, rq->cpus.data + at, sizeof(cpu));
        orma_buf_printf(out, "      target_cpu: %u\n", cpu);
    }
    orma_buf_printf(out,
                    "      [perfetto.protos.orma_perf] { follow_children: true names: true "
                    "kernel_optional: true%s",
                    rq->on_exec ? " enable_on_exec: true" : "");
    if (off_cpu)
        orma_buf_put_str(out, " off_cpu: true");
    else if (rq->stack_bytes || many)
        orma_buf_printf(out, " stack_bytes: %u",
                        rq->stack_bytes ? rq->stack_bytes : MANY_STACK_BYTES);
    if (rq->lbr && !off_cpu)
        orma_buf_put_str(out, " lbr: true");
    if (*event->letters)
        orma_buf_printf(out, " modifiers: \"%s\"", event->letters);
    orma_buf_put_str(out, " }\n");
}

/* As the event says, the command, or perf. */
static void put_interval(struct orma_buf *out, const struct orma_record_profile_request *rq,
                         const struct orma_record_perf_event *event)
{
    bool each = rq->native && event->each && !rq->frequency_given;
    uint64_t period = event->period ? event->period : each && !event->frequency;
    uint64_t hz = event->frequency ? event->frequency : rq->frequency_hz;

    orma_buf_printf(out, "        %s: %llu\n", period ? "period" : "frequency",
                    (unsigned long long)(period ? period : hz));
}

static void put_source(struct orma_buf *out, const struct orma_record_profile_request *rq,
                       struct orma_record_perf_event *event, bool off_cpu)
{
    orma_buf_printf(out,
                    "data_sources {\n  config {\n    name: \"linux.perf\"\n    target_buffer: 1\n"
                    "    perf_event_config {\n      timebase {\n        %s\n",
                    orma_buf_cstr(&event->base));
    put_interval(out, rq, event);
    orma_buf_printf(out,
                    "        timestamp_clock: PERF_CLOCK_MONOTONIC\n      }\n%s"
                    "      callstack_sampling {\n",
                    orma_buf_cstr(&event->followers));
    put_scope(out, rq);
    if (rq->native)
        orma_buf_printf(out, "        user_frames: %s\n",
                        rq->frame_pointers ? "UNWIND_FRAME_POINTER" : "UNWIND_DWARF");
    orma_buf_printf(out, "        kernel_frames: %s\n      }\n",
                    rq->kernel_frames ? "true" : "false");
    if (rq->native)
        put_native(out, rq, event, off_cpu);
    orma_buf_put_str(out, "    }\n  }\n}\n");
}

static void put_counter(struct orma_buf *out, const struct orma_record_profile_request *rq,
                        const char *counter, bool off_cpu)
{
    struct orma_record_perf_event event = {0};

    orma_buf_printf(&event.base, "counter: %s", counter);
    put_source(out, rq, &event, off_cpu);
    orma_buf_fini(&event.base);
    orma_buf_fini(&event.followers);
}

/* All processes of the machine: their names are not asked for one by one. */
static void put_process_stats(struct orma_buf *out)
{
    orma_buf_put_str(out, "data_sources {\n  config {\n    name: \"linux.process_stats\"\n"
                          "    target_buffer: 0\n    process_stats_config {\n"
                          "      scan_all_processes_on_start: true\n"
                          "      proc_stats_poll_ms: 100\n    }\n  }\n}\n");
}

void orma_record_profile_config_text(struct orma_buf *out, struct orma_record_profile_request *rq)
{
    orma_buf_put_str(out, "buffers {\n  size_kb: 2048\n}\nbuffers {\n  size_kb: 63488\n}\n");
    if (!rq->native)
        put_process_stats(out);
    else
        orma_buf_put_str(out, "compression { deflate { [perfetto.protos.orma_level]: 1 } }\n");
    if (rq->duration_ms)
        orma_buf_printf(out, "duration_ms: %llu\n", (unsigned long long)rq->duration_ms);
    orma_buf_put_str(out, "write_into_file: true\nflush_timeout_ms: 30000\n"
                          "flush_period_ms: 604800000\n");
    for (size_t i = 0; i < rq->events.num; i++)
        put_source(out, rq, &rq->events.list[i], false);
    if (!rq->events.num) /* software has no LBR */
        put_counter(out, rq, rq->lbr ? "HW_CPU_CYCLES" : "SW_CPU_CLOCK", false);
    if (rq->off_cpu)
        put_counter(out, rq, "SW_CONTEXT_SWITCHES", true);
}
