/*
 * What the kernel's ring buffers report about themselves at the start and at the end of a session.
 *
 * Each number of a cpu goes to a statistic with suffix _begin or _end, by the tables below; for
 * counters that only grow, the difference becomes a third statistic when the end arrives. Errors of
 * the setup (events that could not be enabled) are counted and logged one by one.
 *
 * Any producer can write such packets. So an end is compared with the start of the same sequence,
 * and of losses the largest counts: no sequence can hide what another one tells.
 */
#include <string.h>

#include "processor/import/kernel/kernel.h"
#include "processor/model/incidents.h"
#include "protos/fields/ftrace.h"
#include "protos/fields/orma_ext.h"
#include "protos/fields/trace.h"
#include "sdk/base/buf.h"

#define S(name, what)                                                                              \
    {                                                                                              \
        ORMA_PB_FTRACE_CPU_STATS_##name, ORMA_STAT_FTRACE_CPU_##what##_BEGIN,                      \
            ORMA_STAT_FTRACE_CPU_##what##_END                                                      \
    }
#define NS_PER_S 1e9
/* A report may repeat errors; so much of the message is enough. */
#define ERROR_TEXT_MAX 1024

/* Times are doubles of seconds. */
static bool is_time(uint32_t field)
{
    return field == ORMA_PB_FTRACE_CPU_STATS_OLDEST_EVENT_TS ||
           field == ORMA_PB_FTRACE_CPU_STATS_NOW_TS;
}

/* Of one sequence. */
struct ring_report {
    struct orma_stats *stats;
    struct orma_map *begins;
    uint64_t number; /* of the sequence among those that report */
    bool at_end;
};

#define PLACE_CPUS_MAX 0xffffffu /* for kprobes: not of a cpu */
#define OF_ALL UINT32_MAX        /* instead of a sequence: somebody has told a difference */

/* False: too many. */
static bool place_of(const struct ring_report *src, uint32_t cpu, uint8_t field, uint64_t *ret)
{
    *ret = src->number << 32 | (uint64_t)cpu << 8 | field;
    return src->number < OF_ALL && cpu <= PLACE_CPUS_MAX;
}

static void begin_at(const struct ring_report *src, uint32_t cpu, uint8_t field, int64_t value)
{
    uint64_t place;

    if (value >= 0 && place_of(src, cpu, field, &place))
        (void)orma_map_put(src->begins, place, (uint64_t)value); /* no memory: no difference */
}

/* False: its start is not known. */
static bool growth_since(const struct ring_report *src, uint32_t cpu, uint8_t field, int64_t end,
                         int64_t *ret)
{
    uint64_t place, from = ORMA_MAP_NONE;

    if (place_of(src, cpu, field, &place))
        from = orma_map_get(src->begins, place);
    *ret = orma_stats_difference(end, (int64_t)from);
    return from != ORMA_MAP_NONE;
}

/* The largest of all sequences. */
static int64_t most(const struct ring_report *src, uint32_t cpu, uint8_t field, int64_t before,
                    int64_t growth)
{
    uint64_t place = (uint64_t)OF_ALL << 32 | (uint64_t)cpu << 8 | field;

    if (orma_map_get(src->begins, place) != ORMA_MAP_NONE)
        return ORMA_MAX(before, growth);
    (void)orma_map_put(src->begins, place, 1); /* no memory: the last one counts */
    return growth;
}

/* The growth from start to end. */
static void set_delta(const struct ring_report *src, uint8_t field, enum orma_stat delta,
                      bool is_loss, int32_t cpu, int64_t end)
{
    int64_t growth;
    const int64_t *before;

    if (!growth_since(src, (uint32_t)cpu, field, end, &growth))
        return;
    before = is_loss ? orma_stats_at(src->stats, delta, cpu) : NULL;
    if (before)
        growth = most(src, (uint32_t)cpu, field, *before, growth);
    orma_stats_set_at(src->stats, delta, cpu, growth);
}

static void cpu_stats(const struct ring_report *src, struct orma_str bytes)
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
        bool is_loss;
        uint16_t delta;
    } deltas[] = {
        {ORMA_PB_FTRACE_CPU_STATS_ENTRIES, false, ORMA_STAT_FTRACE_CPU_ENTRIES_DELTA},
        {ORMA_PB_FTRACE_CPU_STATS_OVERRUN, true, ORMA_STAT_FTRACE_CPU_OVERRUN_DELTA},
        {ORMA_PB_FTRACE_CPU_STATS_COMMIT_OVERRUN, true, ORMA_STAT_FTRACE_CPU_COMMIT_OVERRUN_DELTA},
        {ORMA_PB_FTRACE_CPU_STATS_BYTES_READ, false, ORMA_STAT_FTRACE_CPU_BYTES_DELTA},
        {ORMA_PB_FTRACE_CPU_STATS_DROPPED_EVENTS, true, ORMA_STAT_FTRACE_CPU_DROPPED_EVENTS_DELTA},
        {ORMA_PB_FTRACE_CPU_STATS_READ_EVENTS, false, ORMA_STAT_FTRACE_CPU_READ_EVENTS_DELTA},
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
        orma_stats_set_at(src->stats, src->at_end ? rows[i].end : rows[i].begin, cpu,
                          values[rows[i].field]);
    for (unsigned i = 0; i < ORMA_ARRAY_LEN(deltas); i++) {
        int64_t value = values[deltas[i].field];

        if (src->at_end)
            set_delta(src, deltas[i].field, deltas[i].delta, deltas[i].is_loss, cpu, value);
        else
            begin_at(src, (uint32_t)cpu, deltas[i].field, value);
    }
}

static void kprobe_value(const struct ring_report *src, uint8_t field, enum orma_stat begin,
                         enum orma_stat end, enum orma_stat delta, int64_t value)
{
    int64_t growth;

    orma_stats_set(src->stats, src->at_end ? end : begin, value);
    if (!src->at_end) {
        if (value) /* there is no difference to none, as in the reference reader */
            begin_at(src, PLACE_CPUS_MAX, field, value);
    } else if (growth_since(src, PLACE_CPUS_MAX, field, value, &growth)) {
        orma_stats_set(src->stats, delta,
                       most(src, PLACE_CPUS_MAX, field, src->stats->single[delta], growth));
    }
}

/* Each report has them: none is none. */
static void kprobe_stats(const struct ring_report *src, struct orma_str bytes)
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
    kprobe_value(src, ORMA_PB_FTRACE_KPROBE_STATS_HITS, ORMA_STAT_FTRACE_KPROBE_HITS_BEGIN,
                 ORMA_STAT_FTRACE_KPROBE_HITS_END, ORMA_STAT_FTRACE_KPROBE_HITS_DELTA, hits);
    kprobe_value(src, ORMA_PB_FTRACE_KPROBE_STATS_MISSES, ORMA_STAT_FTRACE_KPROBE_MISSES_BEGIN,
                 ORMA_STAT_FTRACE_KPROBE_MISSES_END, ORMA_STAT_FTRACE_KPROBE_MISSES_DELTA, misses);
}

/* ---- errors of the recorder ---- */

static const char *const status_names[] = {
#define NAME(status) [ORMA_PB_FTRACE_STATUS_##status] = "FTRACE_STATUS_" #status
    NAME(UNSPECIFIED),
    NAME(OK),
    NAME(UNEXPECTED_READ_ERROR),
    NAME(PARTIAL_PAGE_READ),
    NAME(ABI_INVALID_PAGE_HEADER),
    NAME(ABI_SHORT_EVENT_HEADER),
    NAME(ABI_NULL_PADDING),
    NAME(ABI_SHORT_PADDING_LENGTH),
    NAME(ABI_INVALID_PADDING_LENGTH),
    NAME(ABI_SHORT_TIME_EXTEND),
    NAME(ABI_SHORT_TIME_STAMP),
    NAME(ABI_SHORT_DATA_LENGTH),
    NAME(ABI_ZERO_DATA_LENGTH),
    NAME(ABI_INVALID_DATA_LENGTH),
    NAME(ABI_SHORT_EVENT_ID),
    NAME(ABI_END_OVERFLOW),
    NAME(SHORT_COMPACT_EVENT),
    NAME(INVALID_EVENT),
#undef NAME
};

static void put_status(struct orma_buf *text, uint64_t status)
{
    const char *name = status < ORMA_ARRAY_LEN(status_names) ? status_names[status] : NULL;

    orma_buf_put_str(text, name ? name : "FTRACE_STATUS_UNKNOWN");
    orma_buf_put_str(text, ", ");
}

/* The recorder reports that it misread the kernel's memory: its events cannot be trusted. Pages
 * padded with zeros are the exception, since what is on them is right. */
static void check_statuses(struct orma_import_ctx *imp, const struct orma_packet_ctx *ctx)
{
    struct orma_pb_reader r = orma_pb_reader(ctx->p->payload.data, ctx->p->payload.len);
    struct orma_buf text = {0};
    struct orma_pb_field f;
    bool bad = false;

    orma_buf_put_str(&text, "the recorder misread the kernel's event buffer. Errors: ");
    while (orma_pb_next(&r, &f)) {
        struct orma_pb_reader packed = {0};
        uint64_t val;

        if (f.id != ORMA_PB_FTRACE_STATS_FTRACE_PARSE_ERRORS)
            continue;
        for (orma_pb_numbers(&f, &packed); orma_pb_number(&f, &packed, &val);) {
            if (val == ORMA_PB_FTRACE_STATUS_ABI_ZERO_DATA_LENGTH) {
                orma_stats_inc(orma_model_stats(imp->model, ctx->machine),
                               ORMA_STAT_FTRACE_ABI_ERRORS_SKIPPED_ZERO_DATA_LENGTH);
            } else if (text.len < ERROR_TEXT_MAX) {
                bad = true;
                put_status(&text, val);
            }
        }
    }
    orma_buf_put_str(&text, "(ERR:ftrace_parse)");
    if (bad)
        imp->reader->error = orma_strpool_cstr(&imp->model->storage->pool,
                                               orma_model_str(imp->model, orma_buf_str(&text)));
    imp->model->storage->failed |= text.failed;
    orma_buf_fini(&text);
}

/* ---- errors of the setup ---- */

static void setup_error(struct orma_import_ctx *imp, uint16_t machine, const char *what,
                        struct orma_str text)
{
    ORMA_MODEL_ARGS(args, imp->model);
    orma_args_put_str(
        args, orma_model_lit(imp->model, "message"),
        orma_strpool_addf(&imp->model->storage->pool, "%s: %.*s", what, ORMA_STR_ARG(text)));
    orma_model_log(imp->model, machine, ORMA_STAT_FTRACE_SETUP_ERRORS, INT64_MIN, -1, args);
}

static uint64_t sequence_key(const struct orma_import_ctx *imp, const struct orma_packet_ctx *ctx)
{
    return (uint64_t)imp->model->trace_row << 32 | (ctx->seq ? ctx->seq->id : 0);
}

/* True once for each sequence: its writer repeats what went wrong. */
static bool is_first_told(struct orma_import_ctx *imp, const struct orma_packet_ctx *ctx)
{
    struct orma_kernel_state *st = orma_kernel_state(imp);
    uint64_t key = sequence_key(imp, ctx);

    if (!st || orma_map_get(&st->setup_told, key) != ORMA_MAP_NONE)
        return false;
    imp->model->storage->failed |= orma_map_put(&st->setup_told, key, 1) < 0;
    return true;
}

/* What could not be enabled is counted, and gets a row each in the import log. */
static void setup_errors(struct orma_import_ctx *imp, const struct orma_packet_ctx *ctx)
{
    static const struct {
        uint8_t field;
        const char *what;
    } rows[] = {
        {ORMA_PB_FTRACE_STATS_FAILED_FTRACE_EVENTS, "Ftrace event failed"},
        {ORMA_PB_FTRACE_STATS_UNKNOWN_FTRACE_EVENTS, "Ftrace event unknown"},
        {ORMA_PB_FTRACE_STATS_ATRACE_ERRORS, "Atrace failures"},
        {ORMA_PB_FTRACE_STATS_EXCLUSIVE_FEATURE_ERROR, "Ftrace exclusive feature error"},
    };
    bool told = false;

    for (unsigned i = 0; i < ORMA_ARRAY_LEN(rows); i++) {
        struct orma_pb_reader r = orma_pb_reader(ctx->p->payload.data, ctx->p->payload.len);
        struct orma_pb_field f;

        while (orma_pb_next(&r, &f)) {
            if (f.id != rows[i].field || !f.len)
                continue;
            if (!told && !is_first_told(imp, ctx))
                return;
            told = true;
            setup_error(imp, ctx->machine, rows[i].what, orma_pb_str(&f));
        }
    }
}

/* False: no memory. */
static bool source_of(struct orma_import_ctx *imp, const struct orma_packet_ctx *ctx, bool at_end,
                      struct ring_report *ret)
{
    struct orma_kernel_state *st = orma_kernel_state(imp);
    uint64_t key = sequence_key(imp, ctx), number;

    if (!st)
        return false;
    number = orma_map_get(&st->reporters, key);
    if (number == ORMA_MAP_NONE) {
        number = st->reporters.len;
        if (orma_map_put(&st->reporters, key, number) < 0)
            return false;
    }
    *ret = (struct ring_report){orma_model_stats(imp->model, ctx->machine), &st->begins, number,
                                at_end};
    return true;
}

/* Whenever it was written, it is of the whole session. */
static bool stats_early(struct orma_import_ctx *imp, const struct orma_packet_ctx *ctx)
{
    struct orma_pb_reader r = orma_pb_reader(ctx->p->payload.data, ctx->p->payload.len), again = r,
                          incidents = r;
    struct orma_pb_field f;
    struct orma_str kprobes = {NULL, 0};
    struct ring_report src;
    uint64_t phase = ORMA_PB_FTRACE_STATS_UNSPECIFIED;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_FTRACE_STATS_PHASE)
            phase = orma_pb_u64(&f);
        else if (f.id == ORMA_PB_FTRACE_STATS_KPROBE_STATS)
            kprobes = orma_pb_str(&f);
    }
    bool at_end = phase == ORMA_PB_FTRACE_STATS_END_OF_TRACE;
    if (!at_end && phase != ORMA_PB_FTRACE_STATS_START_OF_TRACE)
        return true;
    if (!source_of(imp, ctx, at_end, &src)) {
        imp->model->storage->failed = true;
        return true;
    }
    while (orma_pb_next(&again, &f))
        if (f.id == ORMA_PB_FTRACE_STATS_CPU_STATS)
            cpu_stats(&src, orma_pb_str(&f));
    kprobe_stats(&src, kprobes);
    if (!at_end)
        setup_errors(imp, ctx);
    for (; at_end && orma_pb_next(&incidents, &f);)
        if (f.id == ORMA_PB_FTRACE_STATS_ORMA_FTRACE_INCIDENTS)
            orma_model_add_incident(imp->model, ctx->machine, orma_pb_str(&f));
    check_statuses(imp, ctx);
    return true;
}

static const uint16_t fields[] = {ORMA_PB_TRACE_PACKET_FTRACE_STATS, 0};
const struct orma_importer orma_kernel_ftrace_stats_importer = {
    .name = "ftrace_stats", .fields = fields, .early = stats_early};
