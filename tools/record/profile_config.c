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
#include <string.h>

#include "sdk/base/defs.h"
#include "sdk/base/fd.h"

#define NAME_MAX_LEN 4096

static const char *const events[] = {
    "SW_CPU_CLOCK",
    "SW_TASK_CLOCK",
    "SW_PAGE_FAULTS",
    "SW_CONTEXT_SWITCHES",
    "HW_CPU_CYCLES",
    "HW_INSTRUCTIONS",
    "HW_CACHE_REFERENCES",
    "HW_CACHE_MISSES",
    "HW_BRANCH_INSTRUCTIONS",
    "HW_BRANCH_MISSES",
    "HW_BUS_CYCLES",
    "HW_STALLED_CYCLES_FRONTEND",
    "HW_STALLED_CYCLES_BACKEND",
};

bool orma_record_profile_event_known(const char *name)
{
    for (size_t i = 0; i < ORMA_ARRAY_LEN(events); i++) {
        if (!strcmp(events[i], name))
            return true;
    }
    return false;
}

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
    const char *slash = strrchr(name, '/');

    return !strcmp(name, wanted) || (slash && !strcmp(slash + 1, wanted)) ||
           (partial && strstr(name, wanted));
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

int orma_record_profile_add_processes(struct orma_record_profile_request *self,
                                      const char *proc_root, struct orma_str wanted, bool partial)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf name = {0};
    ORMA_AUTO(orma_buf_fini) struct orma_buf pattern = {0};
    struct dirent *entry;
    int found = 0;
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
        found++;
        if (!has_name(&self->names, is))
            orma_buf_put(&self->names, is, strlen(is) + 1);
    }
    closedir(dir);
    return self->names.failed || pattern.failed ? -ENOMEM : found;
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

static void put_source(struct orma_buf *out, const struct orma_record_profile_request *rq,
                       const char *event)
{
    orma_buf_printf(out,
                    "data_sources {\n  config {\n    name: \"linux.perf\"\n    target_buffer: 1\n"
                    "    perf_event_config {\n      timebase {\n        counter: %s\n"
                    "        frequency: %llu\n        timestamp_clock: PERF_CLOCK_MONOTONIC\n"
                    "      }\n      callstack_sampling {\n",
                    event, (unsigned long long)rq->frequency_hz);
    if (rq->names.len)
        orma_buf_put_str(out, "        scope {\n");
    for (size_t at = 0; at < rq->names.len; at += strlen((const char *)rq->names.data + at) + 1) {
        orma_buf_put_str(out, "          target_cmdline: ");
        put_quoted(out, (const char *)rq->names.data + at);
        orma_buf_put_byte(out, '\n');
    }
    if (rq->names.len)
        orma_buf_put_str(out, "        }\n");
    orma_buf_printf(out, "        kernel_frames: %s\n      }\n    }\n  }\n}\n",
                    rq->kernel_frames ? "true" : "false");
}

void orma_record_profile_config_text(struct orma_buf *out,
                                     const struct orma_record_profile_request *rq)
{
    orma_buf_put_str(out, "buffers {\n  size_kb: 2048\n}\nbuffers {\n  size_kb: 63488\n}\n"
                          "data_sources {\n  config {\n    name: \"linux.process_stats\"\n"
                          "    target_buffer: 0\n    process_stats_config {\n"
                          "      scan_all_processes_on_start: true\n"
                          "      proc_stats_poll_ms: 100\n    }\n  }\n}\n");
    if (rq->duration_ms)
        orma_buf_printf(out, "duration_ms: %llu\n", (unsigned long long)rq->duration_ms);
    orma_buf_put_str(out, "write_into_file: true\nflush_timeout_ms: 30000\n"
                          "flush_period_ms: 604800000\n");
    for (unsigned i = 0; i < rq->events_num; i++)
        put_source(out, rq, rq->events[i]);
    if (!rq->events_num)
        put_source(out, rq, events[0]);
}
