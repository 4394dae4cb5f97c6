/*
 * Packets of profilers: samples of perf, of any sampling profiler, and streamed profiles.
 *
 * A perf sample belongs to a stream of its sequence: the packet defaults describe the timebase and
 * its followers, from which the session and one counter track per event and cpu are found. The
 * sample then is a row that refers to task, execution context, call site and counter values.
 *
 * Streamed profiles carry deltas of time against the previous packet of their thread, so their
 * timestamps are settled in tokenize, in the order of the file; parse walks samples and times in
 * step.
 */
#include "processor/import/profile/heap_names.h"

#include "processor/import/profile/profile.h"
#include "protos/fields/common.h"
#include "protos/fields/orma_ext.h"
#include "protos/fields/profiling.h"
#include "sdk/base/buf.h"

#define FOLLOWERS_MAX 32
#define LOST_MAX ((uint64_t)1 << 62) /* two of them are a number still */

static uint32_t cpu_mode(struct orma_import_ctx *imp, uint64_t mode)
{
    static const char *const modes[] = {NULL,         "kernel",       "user",
                                        "hypervisor", "guest_kernel", "guest_user"};

    return mode < ORMA_ARRAY_LEN(modes) && modes[mode] ? orma_model_lit(imp->model, modes[mode])
                                                       : 0;
}

static uint32_t unwind_error(struct orma_import_ctx *imp, uint64_t error)
{
    static const char *const errors[] = {
        "unknown",     "none",        "memory_invalid",      "unwind_info",
        "unsupported", "invalid_map", "max_frames_exceeded", "repeated_frame",
        "invalid_elf", "system_call", "thread_timeout",      "thread_does_not_exist",
        "bad_arch",    "maps_parse",  "invalid_parameter",   "ptrace_call"};

    return orma_model_cstr(imp->model, errors[error < ORMA_ARRAY_LEN(errors) ? error : 0]);
}

/* ---- perf: names and units of its events ---- */

static const struct {
    const char *name, *unit;
} perf_counters[] = {
    [ORMA_PB_PERF_EVENTS_SW_CPU_CLOCK] = {"cpu-clock", "ns"},
    [ORMA_PB_PERF_EVENTS_SW_PAGE_FAULTS] = {"page-faults", "count"},
    [ORMA_PB_PERF_EVENTS_SW_TASK_CLOCK] = {"task-clock", "ns"},
    [ORMA_PB_PERF_EVENTS_SW_CONTEXT_SWITCHES] = {"context-switches", "count"},
    [ORMA_PB_PERF_EVENTS_SW_CPU_MIGRATIONS] = {"cpu-migrations", "count"},
    [ORMA_PB_PERF_EVENTS_SW_PAGE_FAULTS_MIN] = {"minor-faults", "count"},
    [ORMA_PB_PERF_EVENTS_SW_PAGE_FAULTS_MAJ] = {"major-faults", "count"},
    [ORMA_PB_PERF_EVENTS_SW_ALIGNMENT_FAULTS] = {"alignment-faults", "count"},
    [ORMA_PB_PERF_EVENTS_SW_EMULATION_FAULTS] = {"emulation-faults", "count"},
    [ORMA_PB_PERF_EVENTS_HW_CPU_CYCLES] = {"cpu-cycles", "cycles"},
    [ORMA_PB_PERF_EVENTS_HW_INSTRUCTIONS] = {"instructions", "instructions"},
    [ORMA_PB_PERF_EVENTS_HW_CACHE_REFERENCES] = {"cache-references", "count"},
    [ORMA_PB_PERF_EVENTS_HW_CACHE_MISSES] = {"cache-misses", "count"},
    [ORMA_PB_PERF_EVENTS_HW_BRANCH_INSTRUCTIONS] = {"branch-instructions", "count"},
    [ORMA_PB_PERF_EVENTS_HW_BRANCH_MISSES] = {"branch-misses", "count"},
    [ORMA_PB_PERF_EVENTS_HW_BUS_CYCLES] = {"bus-cycles", "cycles"},
    [ORMA_PB_PERF_EVENTS_HW_STALLED_CYCLES_FRONTEND] = {"stalled-cycles-frontend", "cycles"},
    [ORMA_PB_PERF_EVENTS_HW_STALLED_CYCLES_BACKEND] = {"stalled-cycles-backend", "cycles"},
    [ORMA_PB_PERF_EVENTS_HW_REF_CPU_CYCLES] = {"ref-cycles", "cycles"},
    [ORMA_PB_PERF_EVENTS_SW_DUMMY] = {"dummy", "count"},
};

struct perf_event {
    uint32_t name, unit;
};

/* Which fields of Timebase and FollowerEvent are the same thing. */
struct perf_event_fields {
    uint32_t counter, tracepoint, raw, name, modifiers;
};
static const struct perf_event_fields timebase_fields = {
    ORMA_PB_PERF_EVENTS_TIMEBASE_COUNTER, ORMA_PB_PERF_EVENTS_TIMEBASE_TRACEPOINT,
    ORMA_PB_PERF_EVENTS_TIMEBASE_RAW_EVENT, ORMA_PB_PERF_EVENTS_TIMEBASE_NAME,
    ORMA_PB_PERF_EVENTS_TIMEBASE_MODIFIERS};
static const struct perf_event_fields follower_fields = {
    ORMA_PB_FOLLOWER_EVENT_COUNTER, ORMA_PB_FOLLOWER_EVENT_TRACEPOINT,
    ORMA_PB_FOLLOWER_EVENT_RAW_EVENT, ORMA_PB_FOLLOWER_EVENT_NAME,
    ORMA_PB_FOLLOWER_EVENT_MODIFIERS};

static void put_raw(struct orma_pb_reader r, struct orma_buf *name)
{
    struct orma_pb_field f;
    uint64_t type = 0, config[3] = {0};

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_PERF_EVENTS_RAW_EVENT_TYPE)
            type = orma_pb_u64(&f);
        else if (f.id >= ORMA_PB_PERF_EVENTS_RAW_EVENT_CONFIG &&
                 f.id <= ORMA_PB_PERF_EVENTS_RAW_EVENT_CONFIG2)
            config[f.id - ORMA_PB_PERF_EVENTS_RAW_EVENT_CONFIG] = orma_pb_u64(&f);
    }
    orma_buf_printf(name, "raw.0x%llx.0x%llx.0x%llx.0x%llx", (unsigned long long)type,
                    (unsigned long long)config[0], (unsigned long long)config[1],
                    (unsigned long long)config[2]);
}

static void put_tracepoint(struct orma_pb_reader r, struct orma_buf *name)
{
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f))
        if (f.id == ORMA_PB_PERF_EVENTS_TRACEPOINT_NAME)
            orma_buf_put(name, f.data, f.len);
}

/* What is counted: a configured name wins, else the event; and ":ukh" for whom it counts. */
static struct perf_event read_perf_event(struct orma_import_ctx *imp, struct orma_str bytes,
                                         const struct perf_event_fields *at)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;
    struct orma_buf name = {0};
    struct orma_str given = {0};
    struct perf_event e = {.unit = orma_model_lit(imp->model, "count")};
    char modifiers[4] = "";
    unsigned modifiers_num = 0;

    while (orma_pb_next(&r, &f)) {
        if (f.id == at->counter) {
            uint64_t c = orma_pb_u64(&f);
            bool known = c < ORMA_ARRAY_LEN(perf_counters) && perf_counters[c].name;

            orma_buf_clear(&name);
            orma_buf_put_str(&name, known ? perf_counters[c].name : "unknown");
            if (known)
                e.unit = orma_model_cstr(imp->model, perf_counters[c].unit);
        } else if (f.id == at->tracepoint) {
            orma_buf_clear(&name);
            put_tracepoint(orma_pb_sub(&f), &name);
        } else if (f.id == at->raw) {
            orma_buf_clear(&name);
            put_raw(orma_pb_sub(&f), &name);
        } else if (f.id == at->name) {
            given = orma_pb_str(&f);
        } else if (f.id == at->modifiers && modifiers_num < 3) {
            uint64_t m = orma_pb_u64(&f);

            if (m >= 1 && m <= 3)
                modifiers[modifiers_num++] = "ukh"[m - 1];
        }
    }
    if (given.len) {
        orma_buf_clear(&name);
        orma_buf_put(&name, given.data, given.len);
    } else if (!name.len) {
        orma_buf_put_str(&name, "unknown");
    }
    if (modifiers_num)
        orma_buf_printf(&name, ":%s", modifiers);
    e.name = orma_model_str(imp->model, orma_buf_str(&name));
    imp->model->storage->failed |= name.failed;
    orma_buf_fini(&name);
    return e;
}

/* ---- perf: streams of a sequence ---- */

struct perf_stream {
    uint32_t session;
    struct perf_event events[1 + FOLLOWERS_MAX]; /* the timebase, then its followers */
    uint32_t tracks[1 + FOLLOWERS_MAX];          /* of each event, for the cpu at hand */
    unsigned events_num;
};

static struct orma_str perf_defaults(const struct orma_seq_gen *gen)
{
    struct orma_pb_reader r = orma_pb_reader(gen->defaults.data, gen->defaults.len);
    struct orma_pb_field f;
    struct orma_str ret = {0};

    while (orma_pb_next(&r, &f))
        if (f.id == ORMA_PB_TRACE_PACKET_DEFAULTS_PERF_SAMPLE_DEFAULTS)
            ret = orma_pb_str(&f);
    return ret;
}

static uint32_t perf_session(struct orma_import_ctx *imp, const struct orma_item *item,
                             struct orma_str defaults, uint32_t unit)
{
    struct orma_profile_state *st = orma_profile(imp);
    uint64_t key = (uint64_t)item->machine << 32 | item->gen->seq->id;
    struct orma_stats *stats = orma_model_stats(imp->model, item->machine);
    struct orma_pb_reader r = orma_pb_reader(defaults.data, defaults.len);
    struct orma_pb_field f;

    if (!st)
        return ORMA_ROW_NONE;
    uint64_t have = orma_map_get(&st->sessions, key);
    if (have != ORMA_MAP_NONE)
        return (uint32_t)have;
    uint32_t row = orma_callstacks_session(imp->model, "linux.perf", unit);
    imp->model->storage->failed |= orma_map_put(&st->sessions, key, row) < 0;
    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_PERF_SAMPLE_DEFAULTS_PROCESS_SHARD_COUNT)
            orma_stats_set_at(stats, ORMA_STAT_PERF_PROCESS_SHARD_COUNT, (int32_t)row,
                              orma_pb_i64(&f));
        else if (f.id == ORMA_PB_PERF_SAMPLE_DEFAULTS_CHOSEN_PROCESS_SHARD)
            orma_stats_set_at(stats, ORMA_STAT_PERF_CHOSEN_PROCESS_SHARD, (int32_t)row,
                              orma_pb_i64(&f));
    }
    return row;
}

static void find_stream(struct orma_import_ctx *imp, const struct orma_item *item,
                        struct perf_stream *ret)
{
    struct orma_str defaults = perf_defaults(item->gen);
    struct orma_pb_reader r = orma_pb_reader(defaults.data, defaults.len);
    struct orma_pb_field f;
    struct orma_str timebase = {0};

    ret->events_num = 1;
    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_PERF_SAMPLE_DEFAULTS_TIMEBASE)
            timebase = orma_pb_str(&f);
        else if (f.id == ORMA_PB_PERF_SAMPLE_DEFAULTS_FOLLOWERS && ret->events_num <= FOLLOWERS_MAX)
            ret->events[ret->events_num++] =
                read_perf_event(imp, orma_pb_str(&f), &follower_fields);
    }
    if (timebase.data)
        ret->events[0] = read_perf_event(imp, timebase, &timebase_fields);
    else /* the default of old recorders, which did not write it */
        ret->events[0] = (struct perf_event){orma_model_lit(imp->model, "cpu-clock"),
                                             orma_model_lit(imp->model, "ns")};
    ret->session = perf_session(imp, item, defaults, ret->events[0].unit);
}

/* The track of an event on a cpu; what does not tell its cpu counts for cpu 0, as others have it.
 */
static uint32_t perf_track(struct orma_import_ctx *imp, const struct orma_item *item,
                           const struct perf_stream *s, unsigned event, uint32_t cpu)
{
    ORMA_MODEL_ARGS(source, imp->model);
    const struct orma_track_spec spec = {
        .type = "perf_cpu_counter",
        .event = ORMA_TRACK_COUNTER,
        .machine = item->machine,
        .name = s->events[event].name,
        .parent = ORMA_TRACK_NONE,
        .dims_num = 3,
        .dims = {orma_dim(imp->model->known.cpu, cpu == ORMA_ID_NONE ? 0 : cpu),
                 orma_dim(orma_model_lit(imp->model, "perf_session_id"), s->session),
                 orma_dim_str(imp->model->known.name, s->events[event].name)},
        .source_args = source,
    };

    orma_args_put_bool(source, orma_model_lit(imp->model, "is_timebase"), event == 0);
    return orma_tracks_get(&imp->model->tracks, &spec);
}

/* ---- perf: samples ---- */

struct perf_sample {
    uint32_t cpu, pid, tid; /* cpu ORMA_ID_NONE: not told */
    uint64_t callstack, mode, error, lost, skipped, stop;
    bool has_callstack, has_error, has_skipped, has_event, has_count;
    uint64_t counts[1 + FOLLOWERS_MAX];
    unsigned counts_num;
    struct orma_str trace_id, span_id; /* len 0: none */
};

static uint64_t stop_reason(struct orma_pb_reader r)
{
    struct orma_pb_field f;
    uint64_t reason = 0;

    while (orma_pb_next(&r, &f))
        if (f.id == ORMA_PB_PERF_SAMPLE_PRODUCER_EVENT_SOURCE_STOP_REASON)
            reason = orma_pb_u64(&f);
    return reason;
}

static void read_perf_sample(const struct orma_item *item, struct perf_sample *s)
{
    struct orma_pb_reader r = orma_pb_reader(item->data, item->len);
    struct orma_pb_field f;

    *s = (struct perf_sample){.cpu = ORMA_ID_NONE, .counts_num = 1};
    while (orma_pb_next(&r, &f)) {
        struct orma_pb_reader packed = {0};
        uint64_t val;

        switch (f.id) {
        case ORMA_PB_PERF_SAMPLE_CPU:
            s->cpu = orma_pb_u32(&f);
            break;
        case ORMA_PB_PERF_SAMPLE_PID:
            s->pid = orma_pb_u32(&f);
            break;
        case ORMA_PB_PERF_SAMPLE_TID:
            s->tid = orma_pb_u32(&f);
            break;
        case ORMA_PB_PERF_SAMPLE_CALLSTACK_IID:
            s->callstack = orma_pb_u64(&f);
            s->has_callstack = true;
            break;
        case ORMA_PB_PERF_SAMPLE_CPU_MODE:
            s->mode = orma_pb_u64(&f);
            break;
        case ORMA_PB_PERF_SAMPLE_TIMEBASE_COUNT:
            s->counts[0] = orma_pb_u64(&f);
            s->has_count = true;
            break;
        case ORMA_PB_PERF_SAMPLE_FOLLOWER_COUNTS:
            for (orma_pb_numbers(&f, &packed); orma_pb_number(&f, &packed, &val);)
                if (s->counts_num <= FOLLOWERS_MAX)
                    s->counts[s->counts_num++] = val;
            break;
        case ORMA_PB_PERF_SAMPLE_UNWIND_ERROR:
            s->error = orma_pb_u64(&f);
            s->has_error = true;
            break;
        case ORMA_PB_PERF_SAMPLE_KERNEL_RECORDS_LOST:
            s->lost = ORMA_MIN(orma_pb_u64(&f), LOST_MAX);
            break;
        case ORMA_PB_PERF_SAMPLE_SAMPLE_SKIPPED_REASON:
            s->skipped = orma_pb_u64(&f);
            s->has_skipped = true;
            break;
        case ORMA_PB_PERF_SAMPLE_ORMA_TRACE_ID:
            s->trace_id = orma_pb_str(&f);
            break;
        case ORMA_PB_PERF_SAMPLE_ORMA_SPAN_ID:
            s->span_id = orma_pb_str(&f);
            break;
        case ORMA_PB_PERF_SAMPLE_PRODUCER_EVENT:
            s->stop = stop_reason(orma_pb_sub(&f));
            s->has_event = true;
            break;
        }
    }
}

/* Lies of one writer must not take away what others lost. */
static void add_lost(struct orma_stats *stats, int32_t cpu, uint64_t lost)
{
    const int64_t *before = orma_stats_at(stats, ORMA_STAT_PERF_CPU_LOST_RECORDS, cpu);
    uint64_t sum = before ? (uint64_t)*before + lost : lost;

    orma_stats_set_at(stats, ORMA_STAT_PERF_CPU_LOST_RECORDS, cpu,
                      (int64_t)ORMA_MIN(sum, LOST_MAX));
}

/* Packets that only report what was lost, or why sampling ended. */
static bool perf_report(struct orma_import_ctx *imp, const struct orma_item *item,
                        const struct perf_sample *s, uint32_t session)
{
    struct orma_stats *stats = orma_model_stats(imp->model, item->machine);

    if (s->lost)
        add_lost(stats, s->cpu == ORMA_ID_NONE ? 0 : (int32_t)s->cpu, s->lost);
    else if (s->has_event && s->stop == ORMA_PB_PERF_SAMPLE_PRODUCER_EVENT_PROFILER_STOP_GUARDRAIL)
        orma_stats_set_at(stats, ORMA_STAT_PERF_GUARDRAIL_STOP_TS, (int32_t)session, item->ts);
    return s->lost || s->has_event;
}

/* Samples that lack their stack because it could not be had in time; they are samples all the same.
 * Not in scope: the stack was not wanted. */
static void count_skipped(struct orma_import_ctx *imp, const struct orma_item *item,
                          const struct perf_sample *s)
{
    struct orma_stats *stats = orma_model_stats(imp->model, item->machine);

    switch (s->skipped) {
    case ORMA_PB_PERF_SAMPLE_PROFILER_SKIP_READ_STAGE:
    case ORMA_PB_PERF_SAMPLE_PROFILER_SKIP_UNWIND_STAGE:
        orma_stats_inc(stats, ORMA_STAT_PERF_SAMPLES_SKIPPED);
        break;
    case ORMA_PB_PERF_SAMPLE_PROFILER_SKIP_UNWIND_ENQUEUE:
        orma_stats_inc(stats, ORMA_STAT_PERF_SAMPLES_SKIPPED_DATALOSS);
        break;
    }
}

/* The values that came with the sample. */
static uint32_t add_counts(struct orma_import_ctx *imp, const struct orma_item *item,
                           const struct perf_sample *s, const struct perf_stream *stream)
{
    uint32_t set = ORMA_COUNTER_SET_NONE;

    for (unsigned i = 0; i < stream->events_num; i++) {
        if (i ? i >= s->counts_num : !s->has_count)
            continue;
        if (set == ORMA_COUNTER_SET_NONE)
            set = orma_callstacks_counter_set(imp->model);
        orma_callstacks_add_counter(imp->model, set, item->ts, stream->tracks[i],
                                    (double)s->counts[i]);
    }
    return set;
}

#define TRACE_ID_LEN 16u
#define SPAN_ID_LEN 8u

static uint32_t hex(struct orma_import_ctx *imp, struct orma_str bytes)
{
    static const char digits[] = "0123456789abcdef";
    char text[2 * TRACE_ID_LEN];

    for (size_t i = 0; i < bytes.len; i++) {
        text[2 * i] = digits[(uint8_t)bytes.data[i] >> 4];
        text[2 * i + 1] = digits[(uint8_t)bytes.data[i] & 15];
    }
    return orma_model_str(imp->model, (struct orma_str){text, 2 * bytes.len});
}

/* The request that the thread worked on. */
static void add_context(struct orma_import_ctx *imp, const struct perf_sample *s, uint32_t sample)
{
    struct orma_table *t = orma_model_table(imp->model, ORMA_TABLE_PROFILER_SAMPLE_CONTEXT);

    if (s->trace_id.len != TRACE_ID_LEN || s->span_id.len != SPAN_ID_LEN)
        return;
    uint32_t row = orma_table_add(t);
    orma_table_set(t, ORMA_PROFILER_SAMPLE_CONTEXT_PROFILER_SAMPLE_ID, row, sample);
    orma_table_set(t, ORMA_PROFILER_SAMPLE_CONTEXT_TRACE_ID, row, hex(imp, s->trace_id));
    orma_table_set(t, ORMA_PROFILER_SAMPLE_CONTEXT_SPAN_ID, row, hex(imp, s->span_id));
}

static void perf_parse(struct orma_import_ctx *imp, const struct orma_item *item)
{
    struct orma_processes *p = orma_model_processes(imp->model, item->machine);
    struct perf_sample s;
    struct perf_stream stream;

    read_perf_sample(item, &s);
    find_stream(imp, item, &stream);
    /* The cpu and all tracks of the stream exist, even if there are no values. */
    uint32_t ucpu =
        s.cpu == ORMA_ID_NONE ? ORMA_ID_NONE : orma_model_ucpu(imp->model, item->machine, s.cpu);
    for (unsigned i = 0; i < stream.events_num; i++)
        stream.tracks[i] = perf_track(imp, item, &stream, i, s.cpu);
    if (perf_report(imp, item, &s, stream.session))
        return;
    if (s.has_skipped)
        count_skipped(imp, item, &s);
    uint32_t set = add_counts(imp, item, &s, &stream);
    uint32_t utid = orma_processes_thread_of(p, s.tid, s.pid), upid = orma_processes_upid(p, utid);
    const struct orma_sample row = {
        .ts = item->ts,
        .source = orma_model_lit(imp->model, "linux.perf"),
        .task = orma_callstacks_task(imp->model, upid, utid, ORMA_ROW_NONE),
        .exec = orma_callstacks_execution(imp->model, ucpu, cpu_mode(imp, s.mode)),
        .callsite = s.has_callstack ? orma_profile_interned_callsite(imp, item->machine, upid,
                                                                     item->gen, s.callstack)
                                    : ORMA_CALLSITE_NONE,
        .unwind_error = s.has_error ? unwind_error(imp, s.error) : 0,
        .session = stream.session,
        .counter_set = set,
    };
    add_context(imp, &s, orma_callstacks_sample(imp->model, &row));
}

/* ---- streamed profiles ---- */

/* A sample at rest. */
struct stream_sample {
    uint64_t callstack;
    int32_t priority; /* of the process */
};

/* The next number of a repeated field, wherever it is; false: no more. */
struct number_walk {
    struct orma_pb_reader r, packed;
    struct orma_pb_field f;
    uint32_t id;
    bool inside;
};

static bool next_number(struct number_walk *w, uint64_t *ret)
{
    for (;;) {
        if (w->inside && orma_pb_number(&w->f, &w->packed, ret))
            return true;
        w->inside = false;
        if (!orma_pb_next(&w->r, &w->f))
            return false;
        if (w->f.id != w->id)
            continue;
        orma_pb_numbers(&w->f, &w->packed);
        w->inside = true;
    }
}

static void push_stream_sample(struct orma_import_ctx *imp, const struct orma_packet_ctx *ctx,
                               uint64_t order, int64_t ts, struct stream_sample sample)
{
    struct stream_sample *s = orma_arena_alloc(&imp->reader->sorter.arena, sizeof(*s));
    const struct orma_item item = {
        .ts = ts,
        .order = order,
        .data = (const uint8_t *)ctx->p->payload.data,
        .len = (uint32_t)ctx->p->payload.len,
        .field = ORMA_PB_TRACE_PACKET_STREAMING_PROFILE_PACKET,
        .kind = ORMA_ITEM_PACKET,
        .machine = ctx->machine,
        .gen = ctx->seq->gen,
        .aux = (uintptr_t)s,
    };

    if (!s) {
        imp->model->storage->failed = true;
        return;
    }
    *s = sample;
    if (orma_reader_sortable(imp->reader, ts))
        orma_sorter_push(&imp->reader->sorter, &item);
}

/* Adds to the time of the sequence. False: it is out of range, and stays so. */
static bool add_delta(struct orma_seq *seq, uint64_t delta, int64_t *ret_ns)
{
    int64_t sum;
    bool bad = __builtin_add_overflow(seq->times.time_us, (int64_t)delta, &sum);

    seq->times.time_us = bad ? INT64_MAX : sum;
    return !bad && !__builtin_mul_overflow(seq->times.time_us, 1000, ret_ns);
}

static int32_t priority_of(struct orma_pb_reader r)
{
    struct orma_pb_field f;
    int32_t priority = 0;

    while (orma_pb_next(&r, &f))
        if (f.id == ORMA_PB_STREAMING_PROFILE_PACKET_PROCESS_PRIORITY)
            priority = (int32_t)orma_pb_i64(&f);
    return priority;
}

/* Times are sums of differences since the thread's descriptor: settled in the order of the file. A
 * stack without a time is no sample. */
static bool streaming_tokenize(struct orma_import_ctx *imp, const struct orma_packet_ctx *ctx)
{
    struct orma_pb_reader r = orma_pb_reader(ctx->p->payload.data, ctx->p->payload.len);
    struct number_walk stacks = {.r = r, .id = ORMA_PB_STREAMING_PROFILE_PACKET_CALLSTACK_IID};
    struct number_walk deltas = {.r = r, .id = ORMA_PB_STREAMING_PROFILE_PACKET_TIMESTAMP_DELTA_US};
    struct stream_sample sample = {.priority = priority_of(r)};
    uint64_t order = ctx->order, delta;
    int64_t base = 0, ts = 0, ns = 0;
    bool bad = !add_delta(ctx->seq, 0, &base), more = true;

    if (!bad && !orma_reader_to_trace_time(imp->reader, ctx->machine, ORMA_CLOCK_MONOTONIC, base,
                                           &ts, NULL))
        ts = base;
    while (!bad && next_number(&deltas, &delta)) {
        bad = !add_delta(ctx->seq, delta, &ns) || __builtin_sub_overflow(ns, base, &ns) ||
              __builtin_add_overflow(ts, ns, &ns);
        more = more && next_number(&stacks, &sample.callstack);
        if (!bad && more)
            push_stream_sample(imp, ctx, ORMA_MIN(order++, ctx->order + ORMA_ORDER_STEP - 1), ns,
                               sample);
    }
    if (bad)
        orma_stats_inc(orma_model_stats(imp->model, ctx->machine),
                       ORMA_STAT_STREAMING_PROFILE_INVALID_TIMESTAMP);
    else if (more && next_number(&stacks, &sample.callstack))
        orma_model_log(imp->model, ctx->machine, ORMA_STAT_STACKPROFILE_PARSER_ERROR, INT64_MIN,
                       orma_reader_offset(imp->reader, (const uint8_t *)ctx->p->bytes.data), NULL);
    return true;
}

/* A stack that is not known. */
static void log_stack(struct orma_import_ctx *imp, const struct orma_item *item, uint64_t iid)
{
    ORMA_MODEL_ARGS(args, imp->model);
    orma_args_put_uint(args, orma_model_lit(imp->model, "callstack_iid"), iid);
    orma_model_log(imp->model, item->machine, ORMA_STAT_STACKPROFILE_PARSER_ERROR, item->ts, -1,
                   args);
}

static void set_priority(struct orma_import_ctx *imp, uint32_t sample, int32_t priority)
{
    struct orma_table *t = orma_model_table(imp->model, ORMA_TABLE_CHROME_STACK_SAMPLE_EXTRAS);

    if (!priority || sample == ORMA_ROW_NONE)
        return;
    uint32_t row = orma_table_add(t);
    orma_table_set(t, ORMA_CHROME_STACK_SAMPLE_EXTRAS_PROFILER_SAMPLE_ID, row, sample);
    orma_table_set(t, ORMA_CHROME_STACK_SAMPLE_EXTRAS_PROCESS_PRIORITY, row, priority);
}

static void streaming_parse(struct orma_import_ctx *imp, const struct orma_item *item)
{
    const struct stream_sample *s = (const struct stream_sample *)(uintptr_t)item->aux;
    struct orma_processes *p = orma_model_processes(imp->model, item->machine);
    uint32_t utid = orma_processes_thread_of(p, item->gen->tid, item->gen->pid);
    uint32_t callsite = orma_profile_interned_callsite(
        imp, item->machine, orma_processes_upid(p, utid), item->gen, s->callstack);

    if (callsite == ORMA_CALLSITE_NONE)
        log_stack(imp, item, s->callstack);
    else
        set_priority(imp, orma_callstacks_stack(imp->model, item->ts, "chrome", utid, callsite),
                     s->priority);
}

/* ---- module ---- */

void orma_profile_stack_sample_parse(struct orma_import_ctx *imp, const struct orma_item *item);

static bool tokenize(struct orma_import_ctx *imp, const struct orma_packet_ctx *ctx)
{
    return ctx->p->field == ORMA_PB_TRACE_PACKET_STREAMING_PROFILE_PACKET &&
           streaming_tokenize(imp, ctx);
}

static void parse(struct orma_import_ctx *imp, const struct orma_item *item)
{
    struct orma_str bytes = {(const char *)item->data, item->len};

    switch (item->field) {
    case ORMA_PB_TRACE_PACKET_MODULE_SYMBOLS:
        orma_profile_symbols(imp, item->machine, bytes);
        return;
    case ORMA_PB_TRACE_PACKET_DEOBFUSCATION_MAPPING:
        orma_profile_deobfuscate(imp, bytes);
        orma_profile_heap_deobfuscate(imp, bytes);
        return;
    case ORMA_PB_TRACE_PACKET_SMAPS_PACKET:
        orma_profile_smaps_parse(imp, item);
        return;
    }
    if (!item->gen)
        return;
    switch (item->field) {
    case ORMA_PB_TRACE_PACKET_PERF_SAMPLE:
        perf_parse(imp, item);
        break;
    case ORMA_PB_TRACE_PACKET_STACK_SAMPLE:
        orma_profile_stack_sample_parse(imp, item);
        break;
    case ORMA_PB_TRACE_PACKET_STREAMING_PROFILE_PACKET:
        streaming_parse(imp, item);
        break;
    case ORMA_PB_TRACE_PACKET_PROFILE_PACKET:
        orma_profile_heap_parse(imp, item);
        break;
    }
}

static void finish(struct orma_import_ctx *imp)
{
    orma_profile_heap_finish(imp);
}

static void fini(struct orma_import_ctx *imp)
{
    orma_profile_heap_fini(imp);
    orma_map_fini(&orma_profile(imp)->sessions);
    ORMA_VEC_FINI(&orma_profile(imp)->entries);
    orma_map_fini(&orma_profile(imp)->entries_of_others);
}

static const uint16_t fields[] = {ORMA_PB_TRACE_PACKET_PERF_SAMPLE,
                                  ORMA_PB_TRACE_PACKET_STACK_SAMPLE,
                                  ORMA_PB_TRACE_PACKET_STREAMING_PROFILE_PACKET,
                                  ORMA_PB_TRACE_PACKET_PROFILE_PACKET,
                                  ORMA_PB_TRACE_PACKET_MODULE_SYMBOLS,
                                  ORMA_PB_TRACE_PACKET_DEOBFUSCATION_MAPPING,
                                  ORMA_PB_TRACE_PACKET_SMAPS_PACKET,
                                  0};
const struct orma_importer orma_profile_profile_importer = {
    .name = "profile",
    .fields = fields,
    .tokenize = tokenize,
    .parse = parse,
    .finish = finish,
    .fini = fini,
};

static void offer(struct orma_ports *ports, struct orma_import_ctx *self)
{
    ports->profile = (struct orma_profile_port){
        .module = self,
        .inline_callsite = orma_profile_inline_callsite,
        .interned_callsite = orma_profile_interned_callsite,
        .interned_mapping = orma_profile_interned_mapping,
        .symbols = orma_profile_symbols,
        .deobfuscate = orma_profile_deobfuscate,
        .heap_names = orma_profile_heap_deobfuscate,
    };
}

const struct orma_import_module orma_profile_module = {
    .name = "profile", .state_size = sizeof(struct orma_profile_state), .offer = offer};
