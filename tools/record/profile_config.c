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

#include "sdk/base/defs.h"
#include "sdk/base/fd.h"
#include "tools/base/cli.h"

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

/* perf's names. */
static const struct {
    const char *name, *counter;
} perf_events[] = {
    {"cpu-clock", "SW_CPU_CLOCK"},
    {"task-clock", "SW_TASK_CLOCK"},
    {"page-faults", "SW_PAGE_FAULTS"},
    {"faults", "SW_PAGE_FAULTS"},
    {"minor-faults", "SW_PAGE_FAULTS_MIN"},
    {"major-faults", "SW_PAGE_FAULTS_MAJ"},
    {"context-switches", "SW_CONTEXT_SWITCHES"},
    {"cs", "SW_CONTEXT_SWITCHES"},
    {"cpu-migrations", "SW_CPU_MIGRATIONS"},
    {"migrations", "SW_CPU_MIGRATIONS"},
    {"alignment-faults", "SW_ALIGNMENT_FAULTS"},
    {"emulation-faults", "SW_EMULATION_FAULTS"},
    {"cycles", "HW_CPU_CYCLES"},
    {"cpu-cycles", "HW_CPU_CYCLES"},
    {"instructions", "HW_INSTRUCTIONS"},
    {"cache-references", "HW_CACHE_REFERENCES"},
    {"cache-misses", "HW_CACHE_MISSES"},
    {"branches", "HW_BRANCH_INSTRUCTIONS"},
    {"branch-instructions", "HW_BRANCH_INSTRUCTIONS"},
    {"branch-misses", "HW_BRANCH_MISSES"},
    {"bus-cycles", "HW_BUS_CYCLES"},
    {"stalled-cycles-frontend", "HW_STALLED_CYCLES_FRONTEND"},
    {"stalled-cycles-backend", "HW_STALLED_CYCLES_BACKEND"},
    {"ref-cycles", "HW_REF_CPU_CYCLES"},
};

static bool is_plain(const char *text)
{
    for (; *text; text++) {
        if (!isalnum((unsigned char)*text) && *text != '_' && *text != '-')
            return false;
    }
    return true;
}

/* "group:event" */
static bool tracepoint_text(const char *name, char ret[ORMA_RECORD_PROFILE_EVENT_SIZE])
{
    const char *colon = strchr(name, ':');
    char group[64];

    if (!colon || colon == name || !colon[1] || (size_t)(colon - name) >= sizeof(group))
        return false;
    snprintf(group, sizeof(group), "%.*s", (int)(colon - name), name);
    return is_plain(group) && is_plain(colon + 1) &&
           (size_t)snprintf(ret, ORMA_RECORD_PROFILE_EVENT_SIZE, "tracepoint { name: \"%s/%s\" }",
                            group, colon + 1) < ORMA_RECORD_PROFILE_EVENT_SIZE;
}

/* "r1a2": a number of the cpu's own, in hex. */
static bool raw_text(const char *name, char ret[ORMA_RECORD_PROFILE_EVENT_SIZE])
{
    size_t digits = strspn(name + 1, "0123456789abcdefABCDEF");

    if (*name != 'r' || !digits || digits > 16 || name[1 + digits])
        return false;
    snprintf(ret, ORMA_RECORD_PROFILE_EVENT_SIZE, "raw_event { type: 4 config: 0x%s }", name + 1);
    return true;
}

/* Which of `names`, ended by NULL, `text` begins with; *text is then behind it. -1: none. */
static int take_word(const char **text, const char *const *names)
{
    for (int i = 0; names[i]; i++) {
        size_t len = strlen(names[i]);

        if (strncmp(*text, names[i], len) != 0)
            continue;
        *text += len;
        return i;
    }
    return -1;
}

/* "LLC-load-misses": cache, operation and result are a byte each (PERF_TYPE_HW_CACHE). */
static bool cache_text(const char *name, char ret[ORMA_RECORD_PROFILE_EVENT_SIZE])
{
    static const char *const caches[] = {"L1-dcache-", "L1-icache-", "LLC-",  "dTLB-",
                                         "iTLB-",      "branch-",    "node-", NULL};
    static const char *const ops[] = {"load", "store", "prefetch", NULL};
    static const char *const results[] = {"s", "es", "-misses", NULL};
    int cache = take_word(&name, caches), op = take_word(&name, ops),
        result = take_word(&name, results);

    if (cache < 0 || op < 0 || result < 0 || *name)
        return false;
    snprintf(ret, ORMA_RECORD_PROFILE_EVENT_SIZE, "raw_event { type: 3 config: 0x%x%02x%02x }",
             result == 2, op, cache);
    return true;
}

/* A name without modifiers. */
static bool plain_text(const char *name, char ret[ORMA_RECORD_PROFILE_EVENT_SIZE])
{
    const char *counter = orma_record_profile_event_known(name) ? name : NULL;

    for (size_t i = 0; !counter && i < ORMA_ARRAY_LEN(perf_events); i++) {
        if (!strcmp(perf_events[i].name, name))
            counter = perf_events[i].counter;
    }
    if (!counter)
        return raw_text(name, ret) || cache_text(name, ret);
    snprintf(ret, ORMA_RECORD_PROFILE_EVENT_SIZE, "counter: %s", counter);
    return true;
}

/* "u", "k", "h": only what happens there is counted. */
static bool add_modifiers(const char *letters, char ret[ORMA_RECORD_PROFILE_EVENT_SIZE])
{
    static const char modes[] = "ukh";
    static const char *const names[] = {"USERSPACE", "KERNEL", "HYPERVISOR"};
    size_t len = strlen(ret);

    if (!*letters || strspn(letters, modes) != strlen(letters))
        return false;
    for (; *letters && len < ORMA_RECORD_PROFILE_EVENT_SIZE; letters++)
        len += (size_t)snprintf(ret + len, ORMA_RECORD_PROFILE_EVENT_SIZE - len,
                                " modifiers: EVENT_MODIFIER_COUNT_%s",
                                names[strchr(modes, *letters) - modes]);
    return len < ORMA_RECORD_PROFILE_EVENT_SIZE;
}

bool orma_record_profile_event_text(const char *name, char ret[ORMA_RECORD_PROFILE_EVENT_SIZE])
{
    const char *colon = strrchr(name, ':');
    char base[128];

    if (plain_text(name, ret))
        return true;
    if (!colon)
        return false;
    if ((size_t)snprintf(base, sizeof(base), "%.*s", (int)(colon - name), name) >= sizeof(base))
        return false;
    if (plain_text(base, ret) || tracepoint_text(base, ret))
        return add_modifiers(colon + 1, ret);
    return tracepoint_text(name, ret);
}

const char *orma_record_profile_event_near(const char *name)
{
    const char *names[ORMA_ARRAY_LEN(perf_events) + 1] = {0};

    for (size_t i = 0; i < ORMA_ARRAY_LEN(perf_events); i++)
        names[i] = perf_events[i].name;
    return orma_cli_did_you_mean(name, names);
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
        found(self, entry->d_name, is);
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
                       bool off_cpu)
{
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
    else if (rq->stack_bytes)
        orma_buf_printf(out, " stack_bytes: %u", rq->stack_bytes);
    if (rq->lbr && !off_cpu)
        orma_buf_put_str(out, " lbr: true");
    orma_buf_put_str(out, " }\n");
}

static void put_source(struct orma_buf *out, const struct orma_record_profile_request *rq,
                       const char *event, bool off_cpu)
{
    char text[ORMA_RECORD_PROFILE_EVENT_SIZE] = "";

    (void)orma_record_profile_event_text(event, text);                            /* was checked */
    bool each = rq->native && !rq->frequency_given && strstr(text, "tracepoint"); /* as perf does */
    orma_buf_printf(out,
                    "data_sources {\n  config {\n    name: \"linux.perf\"\n    target_buffer: 1\n"
                    "    perf_event_config {\n      timebase {\n        %s\n"
                    "        %s: %llu\n        timestamp_clock: PERF_CLOCK_MONOTONIC\n"
                    "      }\n      callstack_sampling {\n",
                    text, each ? "period" : "frequency",
                    each ? 1ull : (unsigned long long)rq->frequency_hz);
    put_scope(out, rq);
    if (rq->native)
        orma_buf_printf(out, "        user_frames: %s\n",
                        rq->frame_pointers ? "UNWIND_FRAME_POINTER" : "UNWIND_DWARF");
    orma_buf_printf(out, "        kernel_frames: %s\n      }\n",
                    rq->kernel_frames ? "true" : "false");
    if (rq->native)
        put_native(out, rq, off_cpu);
    orma_buf_put_str(out, "    }\n  }\n}\n");
}

/* All processes of the machine: their names are not asked for one by one. */
static void put_process_stats(struct orma_buf *out)
{
    orma_buf_put_str(out, "data_sources {\n  config {\n    name: \"linux.process_stats\"\n"
                          "    target_buffer: 0\n    process_stats_config {\n"
                          "      scan_all_processes_on_start: true\n"
                          "      proc_stats_poll_ms: 100\n    }\n  }\n}\n");
}

void orma_record_profile_config_text(struct orma_buf *out,
                                     const struct orma_record_profile_request *rq)
{
    orma_buf_put_str(out, "buffers {\n  size_kb: 2048\n}\nbuffers {\n  size_kb: 63488\n}\n");
    if (!rq->native)
        put_process_stats(out);
    if (rq->duration_ms)
        orma_buf_printf(out, "duration_ms: %llu\n", (unsigned long long)rq->duration_ms);
    orma_buf_put_str(out, "write_into_file: true\nflush_timeout_ms: 30000\n"
                          "flush_period_ms: 604800000\n");
    for (unsigned i = 0; i < rq->events_num; i++)
        put_source(out, rq, rq->events[i], false);
    if (!rq->events_num)
        put_source(out, rq, rq->lbr ? "cycles" : events[0], false); /* software has no LBR */
    if (rq->off_cpu)
        put_source(out, rq, "SW_CONTEXT_SWITCHES", true);
}
