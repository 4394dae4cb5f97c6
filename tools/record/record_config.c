/*
 * Words -> events and polls (presets expand to both) -> an encoded TraceConfig: ftrace,
 * process and system sources, track events, then buffers, duration, triggers and writing
 * period by the mode (stream or ring).
 */
#include "tools/record/record_config.h"

#include <string.h>

#include "protos/fields/config.h"
#include "sdk/wire/pb_writer.h"
#include "tools/record/presets.h"
#include "tools/record/source_config.h"

#define POLL_MS 1000
/* Often enough that the buffer never fills, seldom enough to write large blocks. */
#define FILE_WRITE_PERIOD_MS 500
/* Flushed data closes the processor's sorting windows: importing a long recording stays small. */
#define FLUSH_PERIOD_MS 5000
/* For who follows the file: each writing is behind a flush. */
#define LIVE_PERIOD_MS 250
/* A ring can be read from the first point where its writers began anew. */
#define CLEAR_PERIOD_MS 1000
/* In a file that is written continuously only what follows a loss needs it. */
#define STREAM_CLEAR_PERIOD_MS 5000
/* What events refer to, processes and the machine, has a buffer of its own where the other one is a
 * ring: it is repeated less often than events drive it out. */
#define NAMES_MIN ((uint64_t)1 << 20)
#define NAMES_MAX ((uint64_t)8 << 20)
/* Without a time limit somebody waits for a rare event: a day. */
#define TRIGGER_TIMEOUT_MS 86400000
/* What follows the trigger at once mostly belongs to it. */
#define TRIGGER_STOP_DELAY_MS 100

static bool add_event(struct orma_record_request *self, const char *event, bool named)
{
    for (size_t i = 0; i < self->events_num; i++) {
        if (strcmp(self->events[i], event))
            continue;
        self->event_named[i] |= named;
        return true;
    }
    if (self->events_num == ORMA_RECORD_EVENTS_MAX)
        return false;
    self->event_named[self->events_num] = named;
    self->events[self->events_num++] = event;
    return true;
}

static bool add_preset(struct orma_record_request *self, const struct orma_record_preset *p)
{
    self->apps |= p->apps;
    self->ksyms |= p->ksyms;
    self->polls |= p->polls;
    for (const char *const *event = p->events; event && *event; event++) {
        if (!add_event(self, *event, false))
            return false;
    }
    return true;
}

static void add_word(struct orma_record_request *self, const char *word)
{
    if (self->words_num < ORMA_RECORD_WORDS_MAX)
        self->words[self->words_num++] = word;
}

bool orma_record_request_add(struct orma_record_request *self, const char *what)
{
    const struct orma_record_preset *p = orma_record_preset_find(what);

    if (!p && !strchr(what, '/'))
        return false;
    add_word(self, what);
    return p ? add_preset(self, p) : add_event(self, what, true);
}

/* What threads are called that do not live long enough to be looked up. */
static bool add_names(struct orma_record_request *self)
{
    return add_event(self, "task/task_newtask", false) &&
           add_event(self, "task/task_rename", false);
}

bool orma_record_request_add_probe(struct orma_record_request *self, const char *spec)
{
    add_word(self, spec);
    return add_event(self, spec, true) && add_names(self);
}

bool orma_record_request_add_root(struct orma_record_request *self, const char *pattern)
{
    if (self->roots_num == ORMA_RECORD_ROOTS_MAX)
        return false;
    add_word(self, "graph:");
    self->roots[self->roots_num++] = pattern;
    self->ksyms = true;
    return add_names(self);
}

bool orma_record_request_has_kernel(const struct orma_record_request *self)
{
    return self->events_num || self->roots_num;
}

bool orma_record_request_drop(struct orma_record_request *self, const char *event)
{
    size_t i = 0;

    while (i < self->events_num && strcmp(self->events[i], event))
        i++;
    if (i == self->events_num || self->event_named[i])
        return false;
    for (self->events_num--; i < self->events_num; i++) {
        self->events[i] = self->events[i + 1];
        self->event_named[i] = self->event_named[i + 1];
    }
    return true;
}

bool orma_record_word_is_kernel(const char *word)
{
    const struct orma_record_preset *p = orma_record_preset_find(word);

    return p ? p->events && !p->polls && !p->apps : strpbrk(word, "/:") != NULL;
}

void orma_record_request_add_defaults(struct orma_record_request *self)
{
    for (const struct orma_record_preset *p = orma_record_presets; p->name; p++) {
        if (p->by_default)
            (void)add_preset(self, p); /* the defaults are far below the limit */
    }
}

void orma_record_request_add_all(struct orma_record_request *self)
{
    for (const struct orma_record_preset *p = orma_record_presets; p->name; p++)
        (void)add_preset(self, p); /* all together are below the limit: tested */
}

void orma_record_events_put(struct orma_buf *out, const struct orma_record_request *rq)
{
    for (size_t i = 0; i < rq->events_num; i++)
        orma_pb_put_cstr(out, ORMA_PB_FTRACE_CONFIG_FTRACE_EVENTS, rq->events[i]);
}

static void put_graph(struct orma_buf *out, const struct orma_record_request *rq)
{
    if (!rq->roots_num)
        return;
    orma_pb_put_u64(out, ORMA_PB_FTRACE_CONFIG_ENABLE_FUNCTION_GRAPH, 1);
    for (size_t i = 0; i < rq->roots_num; i++)
        orma_pb_put_cstr(out, ORMA_PB_FTRACE_CONFIG_FUNCTION_GRAPH_ROOTS, rq->roots[i]);
    if (rq->max_depth)
        orma_pb_put_u64(out, ORMA_PB_FTRACE_CONFIG_FUNCTION_GRAPH_MAX_DEPTH, rq->max_depth);
}

static void put_ftrace(struct orma_buf *out, const struct orma_record_request *rq)
{
    struct orma_record_open_source s = orma_record_source_begin(out, "linux.ftrace");
    size_t ftrace = orma_pb_begin(out, ORMA_PB_DATA_SOURCE_CONFIG_FTRACE_CONFIG);

    orma_record_events_put(out, rq);
    size_t compact = orma_pb_begin(out, ORMA_PB_FTRACE_CONFIG_COMPACT_SCHED);
    orma_pb_put_u64(out, ORMA_PB_FTRACE_CONFIG_COMPACT_SCHED_CONFIG_ENABLED, 1);
    orma_pb_end(out, compact);
    if (rq->ksyms)
        orma_pb_put_u64(out, ORMA_PB_FTRACE_CONFIG_SYMBOLIZE_KSYMS, 1);
    put_graph(out, rq);
    orma_pb_end(out, ftrace);
    orma_record_source_end(out, s);
}

/* The buffer for processes and the machine. */
static uint32_t names_buffer(const struct orma_record_request *rq)
{
    return rq->mode == ORMA_RECORD_RING;
}

static void put_process_stats(struct orma_buf *out, const struct orma_record_request *rq)
{
    struct orma_record_open_source s =
        orma_record_source_begin_in(out, "linux.process_stats", names_buffer(rq));
    size_t stats = orma_pb_begin(out, ORMA_PB_DATA_SOURCE_CONFIG_PROCESS_STATS_CONFIG);

    orma_pb_put_u64(out, ORMA_PB_PROCESS_STATS_CONFIG_SCAN_ALL_PROCESSES_ON_START, 1);
    orma_pb_put_u64(out, ORMA_PB_PROCESS_STATS_CONFIG_RECORD_THREAD_NAMES, 1);
    orma_pb_put_u64(out, ORMA_PB_PROCESS_STATS_CONFIG_RECORD_PROCESS_AGE, 1);
    if (rq->polls & ORMA_RECORD_POLL_PROCESSES)
        orma_pb_put_u64(out, ORMA_PB_PROCESS_STATS_CONFIG_PROC_STATS_POLL_MS, POLL_MS);
    orma_pb_end(out, stats);
    orma_record_source_end(out, s);
}

static void put_sys_stats(struct orma_buf *out, const struct orma_record_request *rq)
{
    static const struct {
        unsigned poll;
        uint32_t field;
    } periods[] = {
        {ORMA_RECORD_POLL_CPU_TIMES, ORMA_PB_SYS_STATS_CONFIG_STAT_PERIOD_MS},
        {ORMA_RECORD_POLL_MEMINFO, ORMA_PB_SYS_STATS_CONFIG_MEMINFO_PERIOD_MS},
        {ORMA_RECORD_POLL_VMSTAT, ORMA_PB_SYS_STATS_CONFIG_VMSTAT_PERIOD_MS},
        {ORMA_RECORD_POLL_DISK, ORMA_PB_SYS_STATS_CONFIG_DISKSTAT_PERIOD_MS},
        {ORMA_RECORD_POLL_CPUFREQ, ORMA_PB_SYS_STATS_CONFIG_CPUFREQ_PERIOD_MS},
        {ORMA_RECORD_POLL_CPUIDLE, ORMA_PB_SYS_STATS_CONFIG_CPUIDLE_PERIOD_MS},
        {ORMA_RECORD_POLL_PSI, ORMA_PB_SYS_STATS_CONFIG_PSI_PERIOD_MS},
        {ORMA_RECORD_POLL_THERMAL, ORMA_PB_SYS_STATS_CONFIG_THERMAL_PERIOD_MS},
    };
    struct orma_record_open_source s = orma_record_source_begin(out, "linux.sys_stats");
    size_t stats = orma_pb_begin(out, ORMA_PB_DATA_SOURCE_CONFIG_SYS_STATS_CONFIG);

    for (size_t i = 0; i < ORMA_ARRAY_LEN(periods); i++) {
        if (rq->polls & periods[i].poll)
            orma_pb_put_u64(out, periods[i].field, POLL_MS);
    }
    orma_pb_end(out, stats);
    orma_record_source_end(out, s);
}

static void put_track_event(struct orma_buf *out)
{
    struct orma_record_open_source s = orma_record_source_begin(out, "track_event");
    size_t config = orma_pb_begin(out, ORMA_PB_DATA_SOURCE_CONFIG_TRACK_EVENT_CONFIG);

    orma_pb_put_cstr(out, ORMA_PB_TRACK_EVENT_CONFIG_ENABLED_CATEGORIES, "*");
    orma_pb_end(out, config);
    orma_record_source_end(out, s);
}

/* The duration limits the waiting for the trigger: the service accepts either, not both. */
static void put_trigger(struct orma_buf *out, const struct orma_record_request *rq)
{
    size_t config = orma_pb_begin(out, ORMA_PB_TRACE_CONFIG_TRIGGER_CONFIG);

    orma_pb_put_u64(out, ORMA_PB_TRACE_CONFIG_TRIGGER_CONFIG_TRIGGER_MODE,
                    ORMA_PB_TRACE_CONFIG_TRIGGER_CONFIG_STOP_TRACING);
    orma_pb_put_u64(out, ORMA_PB_TRACE_CONFIG_TRIGGER_CONFIG_TRIGGER_TIMEOUT_MS,
                    rq->duration_ms ? rq->duration_ms : TRIGGER_TIMEOUT_MS);
    size_t trigger = orma_pb_begin(out, ORMA_PB_TRACE_CONFIG_TRIGGER_CONFIG_TRIGGERS);
    orma_pb_put_cstr(out, ORMA_PB_TRACE_CONFIG_TRIGGER_CONFIG_TRIGGER_NAME, rq->trigger);
    orma_pb_put_u64(out, ORMA_PB_TRACE_CONFIG_TRIGGER_CONFIG_TRIGGER_STOP_DELAY_MS,
                    TRIGGER_STOP_DELAY_MS);
    orma_pb_end(out, trigger);
    orma_pb_end(out, config);
}

static void put_buffer(struct orma_buf *out, uint64_t bytes)
{
    size_t buffer = orma_pb_begin(out, ORMA_PB_TRACE_CONFIG_BUFFERS);

    orma_pb_put_u64(out, ORMA_PB_TRACE_CONFIG_BUFFER_CONFIG_SIZE_KB, (bytes + 1023) / 1024);
    orma_pb_put_u64(out, ORMA_PB_TRACE_CONFIG_BUFFER_CONFIG_FILL_POLICY,
                    ORMA_PB_TRACE_CONFIG_BUFFER_CONFIG_RING_BUFFER);
    orma_pb_end(out, buffer);
}

static void put_session(struct orma_buf *out, const struct orma_record_request *rq)
{
    put_buffer(out, rq->buffer_bytes);
    if (names_buffer(rq))
        put_buffer(out, ORMA_MAX(ORMA_MIN(rq->buffer_bytes / 8, NAMES_MAX), NAMES_MIN));
    if (rq->trigger)
        put_trigger(out, rq);
    else if (rq->duration_ms)
        orma_pb_put_u64(out, ORMA_PB_TRACE_CONFIG_DURATION_MS, rq->duration_ms);
    if (rq->mode == ORMA_RECORD_STREAM) {
        orma_pb_put_u64(out, ORMA_PB_TRACE_CONFIG_WRITE_INTO_FILE, 1);
        orma_pb_put_u64(out, ORMA_PB_TRACE_CONFIG_FILE_WRITE_PERIOD_MS,
                        rq->live ? LIVE_PERIOD_MS : FILE_WRITE_PERIOD_MS);
        orma_pb_put_u64(out, ORMA_PB_TRACE_CONFIG_FLUSH_PERIOD_MS,
                        rq->live ? LIVE_PERIOD_MS : FLUSH_PERIOD_MS);
        if (rq->live)
            orma_pb_put_u64(out, ORMA_PB_TRACE_CONFIG_WRITE_FLUSH_MODE,
                            ORMA_PB_TRACE_CONFIG_WRITE_FLUSH_ENABLED);
        if (rq->max_file_bytes)
            orma_pb_put_u64(out, ORMA_PB_TRACE_CONFIG_MAX_FILE_SIZE_BYTES, rq->max_file_bytes);
    }
    size_t clear = orma_pb_begin(out, ORMA_PB_TRACE_CONFIG_INCREMENTAL_STATE_CONFIG);
    orma_pb_put_u64(out, ORMA_PB_TRACE_CONFIG_INCREMENTAL_STATE_CONFIG_CLEAR_PERIOD_MS,
                    rq->mode == ORMA_RECORD_STREAM ? STREAM_CLEAR_PERIOD_MS : CLEAR_PERIOD_MS);
    orma_pb_end(out, clear);
}

void orma_record_config_put(struct orma_buf *out, const struct orma_record_request *rq)
{
    put_session(out, rq);
    if (rq->ftrace && orma_record_request_has_kernel(rq))
        put_ftrace(out, rq);
    if (rq->process_stats)
        put_process_stats(out, rq);
    if (rq->sys_stats &&
        rq->polls & ~(unsigned)(ORMA_RECORD_POLL_PROCESSES | ORMA_RECORD_POLL_JOURNAL))
        put_sys_stats(out, rq);
    if (rq->system_info)
        orma_record_source_end(
            out, orma_record_source_begin_in(out, "linux.system_info", names_buffer(rq)));
    if (rq->journald && rq->polls & ORMA_RECORD_POLL_JOURNAL)
        orma_record_source_end(out, orma_record_source_begin(out, "linux.systemd_journald"));
    if (rq->apps)
        put_track_event(out);
}
