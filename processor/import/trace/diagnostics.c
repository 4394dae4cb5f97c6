/*
 * What in a config is likely to spoil a recording, with what to do about it.
 *
 * Configs are kept as they come, one for each file and machine. At the end, when the statistics are
 * known, each data source of them is looked at: a source has settings, a check says how sure it is
 * that something is wrong with them. Losses that show it make it surer.
 */
#include <stdlib.h>

#include "processor/import/trace/trace.h"
#include "protos/fields/config.h"
#include "protos/fields/trace.h"
#include "sdk/base/vec.h"

#define LATE_START_NS (5 * 60 * (int64_t)1000000000)
#define TINY_KB 1024
#define BANDWIDTH_MIB_S 5.0
#define PERIOD_MIN_MS 100
#define PERIOD_MAX_MS 60000
#define WRITE_PERIOD_NEVER_MS 604800000
#define INTERVAL_MIN_BYTES 102400
#define BUFFERS_MAX 256

struct text {
    const char *key, *title, *description, *remediation;
};

static const struct text late_start = {
    "preserve_ftrace_buffer_late_start", "The trace may contain old kernel events",
    "The config keeps events that the kernel's buffers held before the session started, and the "
    "machine had been up for more than five minutes by then.",
    "Unset preserve_ftrace_buffer unless you want to trace the boot of the machine."};
static const struct text tiny_buffer = {
    "tiny_ftrace_buffer", "The kernel's buffers are very small",
    "buffer_size_kb is below 1024 per CPU: bursts of events are lost before they are read.",
    "Leave buffer_size_kb unset, or set it to 2048 or more."};
static const struct text low_bandwidth = {
    "low_ftrace_drain_bandwidth", "The kernel's buffers are read too rarely for their size",
    "With this buffer_size_kb and drain_period_ms, less than 5 MiB/s per CPU can be read; events "
    "beyond that rate are lost.",
    "Make buffer_size_kb larger or drain_period_ms shorter, or leave both unset."};
static const struct text extreme_period = {
    "extreme_ftrace_drain_period", "The kernel's buffers are read very often or very rarely",
    "drain_period_ms is not between 100 and 60000: short periods cost CPU time, long ones lose "
    "events.",
    "Leave drain_period_ms unset, or set it between 100 and 60000."};
static const struct text syscalls = {"syscalls_without_filter", "All system calls are recorded",
                                     "raw_syscalls events are enabled and syscall_events is empty: "
                                     "the trace will have very many of them.",
                                     "List the system calls you need in syscall_events."};
static const struct text function_graph = {
    "function_graph_requires_symbolize_ksyms", "Kernel functions will have no names",
    "enable_function_graph is set without symbolize_ksyms: the slices are addresses.",
    "Set symbolize_ksyms."};
static const struct text ksyms = {
    "events_require_symbolize_ksyms", "Kernel events will show addresses instead of function names",
    "An event in the config has the address of a function, and symbolize_ksyms is not set: ",
    "Set symbolize_ksyms."};
static const struct text discard = {
    "discard_buffer_for_streaming", "A DISCARD buffer is written to a file while recording",
    "The trace is written to its file while it is recorded, and this data source uses a buffer "
    "that rejects new data when it is full: data that arrives between two writes may be lost.",
    "Use fill_policy: RING_BUFFER for buffers that are written to a file."};
static const struct text heap_interval = {
    "heapprofd_sampling_interval_too_low", "The heap profiler samples very often",
    "sampling_interval_bytes is below 102400: this slows down the profiled process, and samples "
    "may be lost.",
    "Leave sampling_interval_bytes at its default, or set it to 102400 or more."};
static const struct text no_video = {
    "display_video_not_enabled", "The screen was not recorded",
    "The config asks for screen video, but the device has a user build and the trace has no "
    "frames: user builds must be set to allow it.",
    "Allow screen recording in the developer settings, or use a userdebug build."};

struct config {
    uint32_t trace;
    uint16_t machine;
    struct orma_str bytes;
};

struct orma_trace_diagnostics {
    struct config *list;
    uint32_t num, cap;
};

/* More traces and machines than anybody looks through. */
#define CONFIGS_MAX 1024

void orma_trace_diagnostics_config(struct orma_import_ctx *imp, uint16_t machine,
                                   struct orma_str bytes)
{
    struct orma_trace_diagnostics *d = orma_model_lazy(
        imp->model, (void **)&orma_trace(imp)->diagnostics, sizeof(struct orma_trace_diagnostics));

    for (uint32_t i = 0; d && i < d->num; i++)
        if (d->list[i].trace == imp->model->trace_row && d->list[i].machine == machine) {
            d->list[i].bytes = bytes;
            return;
        }
    if (!d || d->num == CONFIGS_MAX)
        return;
    if (ORMA_GROW(&d->list, &d->cap, d->num + (size_t)1)) {
        imp->model->storage->failed = true;
        return;
    }
    d->list[d->num++] = (struct config){imp->model->trace_row, machine, bytes};
}

/* ---- what is known at the end ---- */

/* A config that is looked at, with what the checks ask about. */
struct look {
    struct orma_import_ctx *imp;
    const struct config *config;
    bool ftrace_lost, heap_failed, video_failed;
    bool into_file;
    uint64_t write_period_ms;
    uint8_t discards[BUFFERS_MAX];
    unsigned buffers;
};

static void tell(const struct look *l, const struct text *t, const char *more, double confidence)
{
    struct orma_model *model = l->imp->model;
    struct orma_table *table = orma_model_table(model, ORMA_TABLE_TRACE_DIAGNOSTICS);
    uint32_t row = orma_table_add(table);

    orma_table_set(table, ORMA_TRACE_DIAGNOSTICS_KEY, row, orma_model_lit(model, t->key));
    orma_table_set(table, ORMA_TRACE_DIAGNOSTICS_TITLE, row, orma_model_lit(model, t->title));
    orma_table_set(table, ORMA_TRACE_DIAGNOSTICS_DESCRIPTION, row,
                   orma_strpool_addf(&model->storage->pool, "%s%s", t->description, more));
    orma_table_set(table, ORMA_TRACE_DIAGNOSTICS_REMEDIATION, row,
                   orma_model_lit(model, t->remediation));
    orma_table_set_double(table, ORMA_TRACE_DIAGNOSTICS_CONFIDENCE, row, confidence);
    orma_table_set(table, ORMA_TRACE_DIAGNOSTICS_TRACE_ID, row, l->config->trace);
}

static bool counted(const struct orma_stats *stats, enum orma_stat stat)
{
    if (stats->single[stat] > 0)
        return true;
    ORMA_MAP_EACH (slot, &stats->indexed) {
        if (slot->key >> 32 == (uint64_t)stat && stats->values[slot->val] > 0)
            return true;
    }
    return false;
}

/* Any statistic whose name begins so, of at least that severity. */
static bool any_counted(const struct orma_stats *stats, const char *begin, unsigned severity)
{
    for (unsigned i = 0; i < ORMA_STATS_NUM; i++)
        if (orma_stat_defs[i].severity >= severity &&
            !strncmp(orma_stat_defs[i].name, begin, strlen(begin)) &&
            counted(stats, (enum orma_stat)i))
            return true;
    return false;
}

static bool read_discards(struct orma_str bytes)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;
    bool ret = false;

    while (orma_pb_next(&r, &f))
        if (f.id == ORMA_PB_TRACE_CONFIG_BUFFER_CONFIG_FILL_POLICY)
            ret = orma_pb_u64(&f) == ORMA_PB_TRACE_CONFIG_BUFFER_CONFIG_DISCARD;
    return ret;
}

static void read_config(struct look *l)
{
    struct orma_pb_reader r = orma_pb_reader(l->config->bytes.data, l->config->bytes.len);
    const struct orma_stats *stats = orma_model_stats(l->imp->model, l->config->machine);
    struct orma_pb_field f;

    l->ftrace_lost = counted(stats, ORMA_STAT_FTRACE_CPU_HAS_DATA_LOSS) ||
                     counted(stats, ORMA_STAT_FTRACE_CPU_OVERRUN_DELTA) ||
                     counted(stats, ORMA_STAT_FTRACE_CPU_COMMIT_OVERRUN_DELTA);
    l->heap_failed = any_counted(stats, "heapprofd", ORMA_SEVERITY_ERROR);
    l->video_failed = any_counted(stats, "android_video_", ORMA_SEVERITY_DATA_LOSS);
    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_TRACE_CONFIG_BUFFERS && l->buffers < BUFFERS_MAX)
            l->discards[l->buffers++] = read_discards(orma_pb_str(&f));
        else if (f.id == ORMA_PB_TRACE_CONFIG_WRITE_INTO_FILE)
            l->into_file = orma_pb_bool(&f);
        else if (f.id == ORMA_PB_TRACE_CONFIG_FILE_WRITE_PERIOD_MS)
            l->write_period_ms = orma_pb_u64(&f);
    }
}

/* ---- checks ---- */

struct ftrace {
    uint64_t kb, period_ms;
    bool has_kb, has_period, preserves, graph, symbols, all_calls, some_calls;
    const char *needs_symbols; /* the first event that does; NULL: none */
};

static void read_event(struct orma_str name, struct ftrace *ret)
{
    static const char *const addresses[] = {"workqueue/workqueue_execute_start",
                                            "sched/sched_blocked_reason"};

    ret->all_calls |= orma_str_eq(name, ORMA_STR("raw_syscalls/sys_enter")) ||
                      orma_str_eq(name, ORMA_STR("raw_syscalls/sys_exit"));
    for (unsigned i = 0; !ret->needs_symbols && i < ORMA_ARRAY_LEN(addresses); i++)
        if (orma_str_eq_c(name, addresses[i]))
            ret->needs_symbols = addresses[i];
}

static struct ftrace read_ftrace(struct orma_str bytes)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;
    struct ftrace c = {0};

    while (orma_pb_next(&r, &f)) {
        switch (f.id) {
        case ORMA_PB_FTRACE_CONFIG_FTRACE_EVENTS:
            read_event(orma_pb_str(&f), &c);
            break;
        case ORMA_PB_FTRACE_CONFIG_BUFFER_SIZE_KB:
            c.kb = orma_pb_u32(&f);
            c.has_kb = true;
            break;
        case ORMA_PB_FTRACE_CONFIG_DRAIN_PERIOD_MS:
            c.period_ms = orma_pb_u32(&f);
            c.has_period = true;
            break;
        case ORMA_PB_FTRACE_CONFIG_SYSCALL_EVENTS:
            c.some_calls = true;
            break;
        case ORMA_PB_FTRACE_CONFIG_ENABLE_FUNCTION_GRAPH:
            c.graph = orma_pb_bool(&f);
            break;
        case ORMA_PB_FTRACE_CONFIG_SYMBOLIZE_KSYMS:
            c.symbols = orma_pb_bool(&f);
            break;
        case ORMA_PB_FTRACE_CONFIG_PRESERVE_FTRACE_BUFFER:
            c.preserves = orma_pb_bool(&f);
            break;
        }
    }
    return c;
}

/* When the session began, by the clock that counts from the start of the machine; 0: unknown. */
static int64_t started_at(const struct look *l)
{
    const struct orma_timeline *line = &l->imp->reader->timeline;
    struct orma_model *model = l->imp->model;
    const struct orma_table *t = orma_model_table(model, ORMA_TABLE_METADATA);
    uint32_t name = orma_model_lit(model, "tracing_started_ns");

    if (!line->claimed || orma_clock_id(line->trace_clock) == ORMA_CLOCK_TRACE_FILE)
        return 0;
    for (uint32_t row = 0; row < t->rows; row++)
        if (orma_table_int(t, ORMA_METADATA_NAME, row) == name &&
            orma_table_int(t, ORMA_METADATA_MACHINE_ID, row) == l->config->machine &&
            orma_table_int(t, ORMA_METADATA_TRACE_ID, row) == l->config->trace)
            return orma_table_int(t, ORMA_METADATA_INT_VALUE, row);
    return 0;
}

static double surer(const struct look *l, double confidence)
{
    return l->ftrace_lost ? 0.9 : confidence;
}

static void check_sizes(const struct look *l, const struct ftrace *c)
{
    double kb = (double)c->kb;

    if (c->kb && c->kb < TINY_KB)
        tell(l, &tiny_buffer, "",
             surer(l, kb <= 64 ? 0.9 : 0.9 - (kb - 64) / (TINY_KB - 64) * (0.9 - 0.2)));
    if (c->kb && c->period_ms) {
        double rate = kb / 1024 / ((double)c->period_ms / 1000);

        if (rate < BANDWIDTH_MIB_S)
            tell(l, &low_bandwidth, "",
                 surer(l, rate <= 1 ? 0.9 : 0.9 * (BANDWIDTH_MIB_S - rate) / 4));
    }
    if (c->has_period && (c->period_ms < PERIOD_MIN_MS || c->period_ms > PERIOD_MAX_MS))
        tell(l, &extreme_period, "", 0.6);
}

static void check_ftrace(const struct look *l, struct orma_str bytes)
{
    const struct ftrace c = read_ftrace(bytes);

    if (c.preserves && started_at(l) > LATE_START_NS)
        tell(l, &late_start, "", 0.7);
    check_sizes(l, &c);
    if (c.all_calls && !c.some_calls)
        tell(l, &syscalls, "", surer(l, 0.3));
    if (c.graph && !c.symbols)
        tell(l, &function_graph, "", 1.0);
    if (c.needs_symbols && !c.symbols)
        tell(l, &ksyms, c.needs_symbols, 0.6);
}

static void check_heap(const struct look *l, struct orma_str bytes)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;
    uint64_t interval = 0;

    while (orma_pb_next(&r, &f))
        if (f.id == ORMA_PB_HEAPPROFD_CONFIG_SAMPLING_INTERVAL_BYTES)
            interval = orma_pb_u64(&f);
    if (interval && interval < INTERVAL_MIN_BYTES)
        tell(l, &heap_interval, "", l->heap_failed ? 0.9 : 0.3);
}

/* "...:user/release-keys": what is between the last colon and the slash. */
static bool is_user_build(const struct look *l)
{
    struct orma_model *model = l->imp->model;
    const struct orma_table *t = orma_model_table(model, ORMA_TABLE_MACHINE);
    const char *print = orma_strpool_cstr(
        &model->storage->pool,
        (uint32_t)orma_table_int(t, ORMA_MACHINE_ANDROID_BUILD_FINGERPRINT, l->config->machine));
    const char *colon = strrchr(print, ':');

    return colon && !strncmp(colon, ":user/", 6);
}

/* One source of data: its name, buffer, and parts. */
struct data_source {
    struct orma_str name, ftrace, heap;
    uint32_t buffer;
};

static struct data_source read_source(struct orma_str bytes)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;
    struct data_source s = {0};

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_DATA_SOURCE_CONFIG_NAME)
            s.name = orma_pb_str(&f);
        else if (f.id == ORMA_PB_DATA_SOURCE_CONFIG_TARGET_BUFFER)
            s.buffer = orma_pb_u32(&f);
        else if (f.id == ORMA_PB_DATA_SOURCE_CONFIG_FTRACE_CONFIG)
            s.ftrace = orma_pb_str(&f);
        else if (f.id == ORMA_PB_DATA_SOURCE_CONFIG_HEAPPROFD_CONFIG)
            s.heap = orma_pb_str(&f);
    }
    return s;
}

static void check_source(const struct look *l, struct orma_str bytes)
{
    const struct data_source s = read_source(bytes);
    bool streams = l->into_file && l->write_period_ms < WRITE_PERIOD_NEVER_MS;

    if (s.ftrace.data)
        check_ftrace(l, s.ftrace);
    if (streams && s.buffer < l->buffers && l->discards[s.buffer] &&
        (orma_str_eq(s.name, ORMA_STR("linux.ftrace")) ||
         orma_str_eq(s.name, ORMA_STR("track_event"))))
        tell(l, &discard, "", 0.8);
    if (s.heap.data)
        check_heap(l, s.heap);
    if (orma_str_eq(s.name, ORMA_STR("android.display.video")) && is_user_build(l) &&
        !orma_model_table(l->imp->model, ORMA_TABLE_VIDEO_FRAMES)->rows && !l->video_failed)
        tell(l, &no_video, "", 0.7);
}

static void check_sources(const struct look *l)
{
    struct orma_pb_reader r = orma_pb_reader(l->config->bytes.data, l->config->bytes.len);
    struct orma_pb_field f, g;

    while (orma_pb_next(&r, &f)) {
        struct orma_pb_reader inner = orma_pb_sub(&f);

        while (f.id == ORMA_PB_TRACE_CONFIG_DATA_SOURCES && orma_pb_next(&inner, &g))
            if (g.id == ORMA_PB_TRACE_CONFIG_DATA_SOURCE_CONFIG)
                check_source(l, orma_pb_str(&g));
    }
}

static void finish(struct orma_import_ctx *imp)
{
    const struct orma_trace_diagnostics *d = orma_trace(imp)->diagnostics;

    for (uint32_t i = 0; d && i < d->num; i++) {
        struct look l = {.imp = imp, .config = &d->list[i]};

        orma_model_use_trace(imp->model, d->list[i].trace);
        read_config(&l);
        check_sources(&l);
    }
}

static void fini(struct orma_import_ctx *imp)
{
    if (orma_trace(imp)->diagnostics)
        free(orma_trace(imp)->diagnostics->list);
}

const struct orma_importer orma_trace_diagnostics_importer = {
    .name = "diagnostics", .finish = finish, .fini = fini};
