/*
 * What the kernel's ring buffers report about themselves at the start and at the end of a session.
 *
 * Each number of a cpu goes to a statistic with suffix _begin or _end, by the tables below; for
 * counters that only grow, the difference becomes a third statistic when the end arrives. Errors of
 * the setup (events that could not be enabled) are counted and logged one by one.
 */
#include <string.h>

#include "processor/import/kernel/kernel.h"
#include "protos/fields/ftrace.h"
#include "protos/fields/trace.h"

#define S(name, what)                                                                              \
    {                                                                                              \
        ORMA_PB_FTRACE_CPU_STATS_##name, ORMA_STAT_FTRACE_CPU_##what##_BEGIN,                      \
            ORMA_STAT_FTRACE_CPU_##what##_END                                                      \
    }
#define NS_PER_S 1e9

/* Times are doubles of seconds. */
static bool is_time(uint32_t field)
{
    return field == ORMA_PB_FTRACE_CPU_STATS_OLDEST_EVENT_TS ||
           field == ORMA_PB_FTRACE_CPU_STATS_NOW_TS;
}

/* The growth from start to end. */
static void set_delta(struct orma_stats *stats, enum orma_stat begin, enum orma_stat delta,
                      int32_t cpu, int64_t end)
{
    const int64_t *from = orma_stats_at(stats, begin, cpu);

    if (from)
        orma_stats_set_at(stats, delta, cpu, end - *from);
}

static void cpu_stats(struct orma_stats *stats, struct orma_str bytes, bool at_end)
{
    static const struct {
        uint8_t field;
        uint16_t begin, end;
    } rows[] = {
        S(ENTRIES, ENTRIES),
        S(OVERRUN, OVERRUN),
        S(COMMIT_OVERRUN, COMMIT_OVERRUN),
        S(BYTES_READ, BYTES),
        S(OLDEST_EVENT_TS, OLDEST_EVENT_TS),
        S(NOW_TS, NOW_TS),
        S(DROPPED_EVENTS, DROPPED_EVENTS),
        S(READ_EVENTS, READ_EVENTS),
    };
    static const struct {
        uint8_t field;
        uint16_t begin, delta;
    } deltas[] = {
        {ORMA_PB_FTRACE_CPU_STATS_ENTRIES, ORMA_STAT_FTRACE_CPU_ENTRIES_BEGIN,
         ORMA_STAT_FTRACE_CPU_ENTRIES_DELTA},
        {ORMA_PB_FTRACE_CPU_STATS_OVERRUN, ORMA_STAT_FTRACE_CPU_OVERRUN_BEGIN,
         ORMA_STAT_FTRACE_CPU_OVERRUN_DELTA},
        {ORMA_PB_FTRACE_CPU_STATS_COMMIT_OVERRUN, ORMA_STAT_FTRACE_CPU_COMMIT_OVERRUN_BEGIN,
         ORMA_STAT_FTRACE_CPU_COMMIT_OVERRUN_DELTA},
        {ORMA_PB_FTRACE_CPU_STATS_BYTES_READ, ORMA_STAT_FTRACE_CPU_BYTES_BEGIN,
         ORMA_STAT_FTRACE_CPU_BYTES_DELTA},
        {ORMA_PB_FTRACE_CPU_STATS_DROPPED_EVENTS, ORMA_STAT_FTRACE_CPU_DROPPED_EVENTS_BEGIN,
         ORMA_STAT_FTRACE_CPU_DROPPED_EVENTS_DELTA},
        {ORMA_PB_FTRACE_CPU_STATS_READ_EVENTS, ORMA_STAT_FTRACE_CPU_READ_EVENTS_BEGIN,
         ORMA_STAT_FTRACE_CPU_READ_EVENTS_DELTA},
    };
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;
    int64_t values[10] = {0};

    while (orma_pb_next(&r, &f))
        if (f.id < ORMA_ARRAY_LEN(values))
            values[f.id] =
                is_time(f.id) ? orma_model_whole(orma_pb_double(&f) * NS_PER_S) : orma_pb_i64(&f);
    int32_t cpu = (int32_t)values[ORMA_PB_FTRACE_CPU_STATS_CPU];
    for (unsigned i = 0; i < ORMA_ARRAY_LEN(rows); i++)
        orma_stats_set_at(stats, at_end ? rows[i].end : rows[i].begin, cpu, values[rows[i].field]);
    for (unsigned i = 0; i < ORMA_ARRAY_LEN(deltas) && at_end; i++)
        set_delta(stats, deltas[i].begin, deltas[i].delta, cpu, values[deltas[i].field]);
}

static void kprobe_stats(struct orma_stats *stats, struct orma_str bytes, bool at_end)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;
    int64_t hits = 0, misses = 0;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_FTRACE_KPROBE_STATS_HITS)
            hits = orma_pb_i64(&f);
        else if (f.id == ORMA_PB_FTRACE_KPROBE_STATS_MISSES)
            misses = orma_pb_i64(&f);
    }
    if (!at_end) {
        orma_stats_set(stats, ORMA_STAT_FTRACE_KPROBE_HITS_BEGIN, hits);
        orma_stats_set(stats, ORMA_STAT_FTRACE_KPROBE_MISSES_BEGIN, misses);
        return;
    }
    orma_stats_set(stats, ORMA_STAT_FTRACE_KPROBE_HITS_END, hits);
    orma_stats_set(stats, ORMA_STAT_FTRACE_KPROBE_MISSES_END, misses);
    orma_stats_set(stats, ORMA_STAT_FTRACE_KPROBE_HITS_DELTA,
                   hits - stats->single[ORMA_STAT_FTRACE_KPROBE_HITS_BEGIN]);
    orma_stats_set(stats, ORMA_STAT_FTRACE_KPROBE_MISSES_DELTA,
                   misses - stats->single[ORMA_STAT_FTRACE_KPROBE_MISSES_BEGIN]);
}

/* Errors by which the recorder reports that it misread the kernel's memory: its events cannot be
 * trusted. */
void orma_kernel_check_status(struct orma_import_ctx *imp, uint16_t machine, uint64_t status)
{
    switch (status) {
    case ORMA_PB_FTRACE_STATUS_UNSPECIFIED:
    case ORMA_PB_FTRACE_STATUS_OK:
    case ORMA_PB_FTRACE_STATUS_UNEXPECTED_READ_ERROR:
    case ORMA_PB_FTRACE_STATUS_PARTIAL_PAGE_READ:
        break;
    case ORMA_PB_FTRACE_STATUS_ABI_ZERO_DATA_LENGTH:
        orma_stats_inc(orma_model_stats(imp->model, machine),
                       ORMA_STAT_FTRACE_ABI_ERRORS_SKIPPED_ZERO_DATA_LENGTH);
        break;
    default:
        imp->reader->error = "the recorder misread the kernel's event buffer (ERR:ftrace_parse)";
    }
}

/* Each event that could not be enabled is counted, and gets a row in the import log. */
static void setup_error(struct orma_import_ctx *imp, uint16_t machine, const char *what,
                        const struct orma_pb_field *f)
{
    if (!f->len)
        return;
    ORMA_MODEL_ARGS(args, imp->model);
    orma_args_put_str(args, orma_model_lit(imp->model, "error"),
                      orma_strpool_addf(&imp->model->storage->pool, "%s: %.*s", what,
                                        ORMA_STR_ARG(orma_pb_str(f))));
    orma_model_log(imp->model, machine, ORMA_STAT_FTRACE_SETUP_ERRORS, INT64_MIN, -1, args);
}

static void stats_parse(struct orma_import_ctx *imp, const struct orma_item *item)
{
    struct orma_pb_reader r = orma_pb_reader(item->data, item->len), again = r;
    struct orma_pb_field f;
    struct orma_stats *stats = orma_model_stats(imp->model, item->machine);
    bool at_end = false;

    while (orma_pb_next(&r, &f))
        if (f.id == ORMA_PB_FTRACE_STATS_PHASE)
            at_end = orma_pb_u64(&f) == ORMA_PB_FTRACE_STATS_END_OF_TRACE;
    while (orma_pb_next(&again, &f)) {
        struct orma_pb_reader packed = {0};
        uint64_t val;

        switch (f.id) {
        case ORMA_PB_FTRACE_STATS_CPU_STATS:
            cpu_stats(stats, orma_pb_str(&f), at_end);
            break;
        case ORMA_PB_FTRACE_STATS_KPROBE_STATS:
            kprobe_stats(stats, orma_pb_str(&f), at_end);
            break;
        case ORMA_PB_FTRACE_STATS_FAILED_FTRACE_EVENTS:
            setup_error(imp, item->machine, "Ftrace event failed", &f);
            break;
        case ORMA_PB_FTRACE_STATS_UNKNOWN_FTRACE_EVENTS:
            setup_error(imp, item->machine, "Ftrace event unknown", &f);
            break;
        case ORMA_PB_FTRACE_STATS_ATRACE_ERRORS:
            setup_error(imp, item->machine, "Atrace failures", &f);
            break;
        case ORMA_PB_FTRACE_STATS_FTRACE_PARSE_ERRORS:
            for (orma_pb_numbers(&f, &packed); orma_pb_number(&f, &packed, &val);)
                orma_kernel_check_status(imp, item->machine, val);
            break;
        }
    }
}

static const uint16_t fields[] = {ORMA_PB_TRACE_PACKET_FTRACE_STATS, 0};
const struct orma_importer orma_kernel_ftrace_stats_importer = {
    .name = "ftrace_stats", .fields = fields, .parse = stats_parse};
