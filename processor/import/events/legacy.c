/*
 * Track events in Chrome's older form: phases as letters, async events known
 * by ids, times in microseconds and as differences.
 */
#include <stdlib.h>

#include "processor/import/events/event.h"
#include "processor/model/flows.h"
#include "protos/fields/interned_data.h"
#include "protos/fields/track_event.h"

static bool parser_error(struct orma_import_ctx *imp, const struct orma_events_record *e)
{
    orma_stats_inc(orma_model_stats(imp->model, e->item->machine),
                   ORMA_STAT_TRACK_EVENT_PARSER_ERRORS);
    return false;
}

/* Of tracks that merge, an event can be on several at a time: there is none on which a slice could
 * lie for all of its time, or which a flow could mean. */
static bool is_shared(const struct orma_events_record *e)
{
    return !e->place && orma_events_merges(e->t);
}

/* ---- places ---- */

bool orma_events_place_on_thread(struct orma_import_ctx *imp, struct orma_events_record *e)
{
    const struct orma_seq_gen *gen = e->item->gen;
    struct orma_processes *procs = orma_model_processes(imp->model, e->item->machine);
    const bool other_pid = e->has.legacy && e->legacy.has_pid;
    const bool other_tid = e->has.legacy && e->legacy.has_tid;
    uint32_t pid = other_pid ? (uint32_t)e->legacy.pid : gen->pid;
    uint32_t tid = other_tid ? (uint32_t)e->legacy.tid : gen->tid;

    if (!pid || (!tid && (other_tid || !other_pid)))
        return false;
    e->owner.utid = other_pid && !other_tid ? orma_processes_unknown_thread(procs, pid)
                                            : orma_processes_thread_of(procs, tid, pid);
    e->owner.upid = orma_processes_upid(procs, e->owner.utid);
    e->place = ORMA_EVENTS_ON_THREAD;
    return true;
}

static bool read_id(struct orma_import_ctx *imp, struct orma_events_record *e)
{
    const struct orma_events_legacy *l = &e->legacy;

    if (l->has_unscoped) {
        e->async.source_id = (int64_t)l->unscoped_id;
    } else if (l->has_global) {
        e->async.source_id = (int64_t)l->global_id;
    } else if (l->has_local && e->owner.upid != ORMA_ID_NONE) {
        e->async.source_id = (int64_t)l->local_id;
        e->of_process = true;
    } else {
        return parser_error(imp, e);
    }
    return true;
}

/* The track that the event names is there from now on, wherever the phase places the event; and of
 * those that merge, the lane that the phase takes or gives back, even if the event comes to
 * nothing.
 */
static void take_track(struct orma_import_ctx *imp, const struct orma_events_record *e)
{
    if (!e->t)
        return;
    (void)orma_events_make_rows(imp, e->t, e->name_id, e->item->gen->seq); /* it is resolved */
    switch (e->legacy.phase) {
    case 'b':
    case 'S':
        (void)orma_events_begin_track(imp, e->t, e->item->ts);
        break;
    case 'e':
    case 'F':
        (void)orma_events_end_track(imp, e->t, e->item->ts);
        break;
    default:
        (void)orma_events_instant_track(imp, e->t, e->item->ts, 0);
    }
}

static bool place_async(struct orma_import_ctx *imp, struct orma_events_record *e,
                        bool scope_is_name)
{
    struct orma_strpool *pool = &imp->model->storage->pool;

    take_track(imp, e);
    if (!read_id(imp, e))
        return false;
    e->async.scope = scope_is_name ? e->name_id : e->category_id;
    if (e->legacy.id_scope.data)
        e->async.scope = orma_strpool_addf(pool, "%.*s:%.*s",
                                           ORMA_STR_ARG(orma_strpool_get(pool, e->category_id)),
                                           ORMA_STR_ARG(e->legacy.id_scope));
    e->place = ORMA_EVENTS_ON_ASYNC;
    e->owner.passthrough = e->owner.utid;
    return true;
}

static bool place_instant(struct orma_import_ctx *imp, struct orma_events_record *e)
{
    switch (e->legacy.scope) {
    case ORMA_PB_TRACK_EVENT_LEGACY_EVENT_SCOPE_GLOBAL:
        e->place = ORMA_EVENTS_ON_TRACE;
        break;
    case ORMA_PB_TRACK_EVENT_LEGACY_EVENT_SCOPE_PROCESS:
        if (e->owner.upid == ORMA_ID_NONE)
            return parser_error(imp, e);
        e->place = ORMA_EVENTS_ON_PROCESS;
        break;
    default:
        return e->owner.utid != ORMA_ID_NONE || parser_error(imp, e);
    }
    take_track(imp, e);
    e->owner.passthrough = e->owner.utid;
    e->owner.utid = ORMA_ID_NONE;
    return true;
}

bool orma_events_place_legacy(struct orma_import_ctx *imp, struct orma_events_record *e)
{
    switch (e->legacy.phase) {
    case 'b':
    case 'e':
    case 'n':
        return place_async(imp, e, false);
    case 'S':
    case 'T':
    case 'p':
    case 'F':
        return place_async(imp, e, true);
    case 'i':
    case 'I':
        return place_instant(imp, e);
    case 'X':
        return (e->owner.utid != ORMA_ID_NONE && !is_shared(e)) || parser_error(imp, e);
    case 'B':
    case 'E':
        return e->owner.utid != ORMA_ID_NONE || parser_error(imp, e);
    }
    return true;
}

/* ---- flows ---- */

/* A flow binds to what is on the track as it is: nothing begins or ends. */
static uint32_t flow_track(struct orma_import_ctx *imp, const struct orma_events_record *e)
{
    if (e->place)
        return orma_model_thread_track(imp->model, e->item->machine, e->owner.utid);
    (void)orma_events_make_rows(imp, e->t, e->name_id, e->item->gen->seq); /* it is resolved */
    return orma_events_instant_track(imp, e->t, e->item->ts, 0);
}

static void on_flow(struct orma_import_ctx *imp, struct orma_events_record *e)
{
    const struct orma_events_legacy *l = &e->legacy;

    if (!l->has_unscoped) {
        orma_stats_inc(orma_model_stats(imp->model, e->item->machine), ORMA_STAT_FLOW_INVALID_ID);
        (void)parser_error(imp, e);
        return;
    }
    if (is_shared(e)) {
        (void)parser_error(imp, e);
        return;
    }
    uint64_t flow = orma_flows_id_v1(imp->model, l->unscoped_id, e->category_id, e->name_id);
    uint32_t track = flow_track(imp, e);

    if (l->phase == 's')
        orma_flows_begin_on(imp->model, track, e->item->ts, flow);
    else if (l->phase == 't')
        orma_flows_step_on(imp->model, track, e->item->ts, flow);
    else
        orma_flows_end_on(imp->model, track, e->item->ts, flow, l->bind_to_enclosing);
}

/* ---- events ---- */

static void put_raw(struct orma_import_ctx *imp, struct orma_args_list *args, const char *key,
                    int64_t val)
{
    orma_args_put_int(args, orma_model_cstr(imp->model, key), val);
}

/* What the tables have no place for, kept as it was. */
static void on_other(struct orma_import_ctx *imp, struct orma_events_record *e)
{
    struct orma_table *t = orma_model_table(imp->model, ORMA_TABLE_CHROME_RAW);
    const struct orma_events_legacy *l = &e->legacy;

    if (e->owner.utid == ORMA_ID_NONE) {
        (void)parser_error(imp, e);
        return;
    }
    ORMA_MODEL_ARGS(typed, imp->model);
    ORMA_MODEL_ARGS(args, imp->model);
    orma_events_start_args(imp, NULL);
    orma_events_collect_args(imp, typed, e, false);
    orma_args_put_str(args, orma_model_lit(imp->model, "legacy_event.category"), e->category_id);
    orma_args_put_str(args, orma_model_lit(imp->model, "legacy_event.name"), e->name_id);
    orma_args_put_str(args, orma_model_lit(imp->model, "legacy_event.phase"),
                      orma_model_str(imp->model, (struct orma_str){&l->phase, 1}));
    if (l->has_duration)
        put_raw(imp, args, "legacy_event.duration_ns", (int64_t)((uint64_t)l->duration_us * 1000));
    if (e->has_thread_ns)
        put_raw(imp, args, "legacy_event.thread_timestamp_ns", e->thread.ns);
    if (l->has_thread_duration && e->has_thread_ns)
        put_raw(imp, args, "legacy_event.thread_duration_ns",
                (int64_t)((uint64_t)l->thread_duration_us * 1000));
    if (e->has_instructions)
        put_raw(imp, args, "legacy_event.thread_instruction_count", e->thread.instructions);
    if (l->has_instruction_delta && e->has_instructions)
        put_raw(imp, args, "legacy_event.thread_instruction_delta", l->thread_instruction_delta);
    if (l->async_tts)
        orma_args_put_bool(args, orma_model_lit(imp->model, "legacy_event.use_async_tts"), true);
    if (l->has_unscoped)
        orma_args_put_uint(args, orma_model_lit(imp->model, "legacy_event.unscoped_id"),
                           l->unscoped_id);
    if (l->has_global)
        orma_args_put_uint(args, orma_model_lit(imp->model, "legacy_event.global_id"),
                           l->global_id);
    if (l->has_local)
        orma_args_put_uint(args, orma_model_lit(imp->model, "legacy_event.local_id"), l->local_id);
    if (l->id_scope.data)
        orma_args_put_str(args, orma_model_lit(imp->model, "legacy_event.id_scope"),
                          orma_model_str(imp->model, l->id_scope));
    for (uint32_t i = 0; i < typed->len; i++)
        orma_args_put(args, typed->args[i]);
    uint32_t row = orma_table_add(t);
    orma_table_set_time(t, ORMA_CHROME_RAW_TS, row, e->item->ts);
    orma_table_set(t, ORMA_CHROME_RAW_NAME, row,
                   orma_model_lit(imp->model, "track_event.legacy_event"));
    orma_table_set(t, ORMA_CHROME_RAW_UTID, row, e->owner.utid);
    orma_storage_set_args(t, ORMA_CHROME_RAW_ARG_SET_ID, row,
                          orma_args_commit(&imp->model->storage->args, args));
}

static uint64_t name_iid(struct orma_str annotation)
{
    struct orma_pb_reader r = orma_pb_reader(annotation.data, annotation.len);
    struct orma_pb_field f;
    uint64_t iid = 0;

    while (orma_pb_next(&r, &f))
        if (f.id == ORMA_PB_DEBUG_ANNOTATION_NAME_IID)
            iid = orma_pb_u64(&f);
    return iid;
}

void orma_events_read_sample(struct orma_import_ctx *imp, const struct orma_events_record *e)
{
    struct orma_pb_reader r = orma_pb_reader(e->bytes.data, e->bytes.len);
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f))
        if (f.id == ORMA_PB_TRACK_EVENT_DEBUG_ANNOTATIONS)
            (void)orma_events_interned_text(
                imp, e->item->gen, ORMA_PB_INTERNED_DATA_DEBUG_ANNOTATION_NAMES,
                name_iid(orma_pb_str(&f)), ORMA_PB_DEBUG_ANNOTATION_NAME__NAME);
}

/* The text of the first annotation; 0: it has none. */
static uint32_t first_text(struct orma_import_ctx *imp, const struct orma_events_record *e)
{
    struct orma_pb_reader r = orma_pb_reader(e->bytes.data, e->bytes.len);
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        if (f.id != ORMA_PB_TRACK_EVENT_DEBUG_ANNOTATIONS)
            continue;
        struct orma_pb_reader annotation = orma_pb_sub(&f);

        while (orma_pb_next(&annotation, &f))
            if (f.id == ORMA_PB_DEBUG_ANNOTATION_STRING_VALUE)
                return f.len ? orma_model_str(imp->model, orma_pb_str(&f)) : 0;
        return 0;
    }
    return 0;
}

/* thread_name and process_name; others say nothing that the tables hold. */
static void on_metadata(struct orma_import_ctx *imp, struct orma_events_record *e)
{
    struct orma_processes *procs = orma_model_processes(imp->model, e->item->machine);
    struct orma_str what = orma_strpool_get(&imp->model->storage->pool, e->name_id);
    bool thread = orma_str_eq_c(what, "thread_name"), process = orma_str_eq_c(what, "process_name");

    if (!e->name_id) {
        (void)parser_error(imp, e);
        return;
    }
    if (!thread && !process) {
        if (e->owner.utid != ORMA_ID_NONE)
            on_other(imp, e);
        return;
    }
    if (!e->annotated || (thread ? e->owner.utid : e->owner.upid) == ORMA_ID_NONE) {
        (void)parser_error(imp, e);
        return;
    }
    uint32_t name = first_text(imp, e);
    if (name && thread)
        orma_processes_name_thread(procs, e->owner.utid, name, ORMA_THREAD_NAME_DESCRIPTOR);
    else if (name)
        orma_processes_name_process(procs, e->owner.upid, name, ORMA_PROCESS_NAME_DESCRIPTOR);
}

static void on_complete(struct orma_import_ctx *imp, struct orma_events_record *e)
{
    int64_t dur;

    if (__builtin_mul_overflow(e->legacy.duration_us, 1000, &dur) || dur < 0)
        (void)parser_error(imp, e);
    else
        orma_events_whole(imp, e, dur, 0);
}

void orma_events_parse_legacy(struct orma_import_ctx *imp, struct orma_events_record *e)
{
    char phase = e->legacy.phase;

    switch (phase) {
    case 'B':
    case 'b':
    case 'S':
        orma_events_begin(imp, e, phase == 'S' ? 'S' : 0);
        break;
    case 'E':
    case 'e':
    case 'F':
        orma_events_end(imp, e);
        break;
    case 'X':
        on_complete(imp, e);
        break;
    case 'i':
    case 'I':
    case 'R':
        orma_events_whole(imp, e, 0, phase == 'R' ? 'R' : 0);
        break;
    case 'T':
    case 'p':
        orma_events_whole(imp, e, 0, phase);
        break;
    case 'n':
        orma_events_whole(imp, e, 0, 0);
        break;
    case 's':
    case 't':
    case 'f':
        on_flow(imp, e);
        break;
    case 'M':
        on_metadata(imp, e);
        break;
    default:
        on_other(imp, e);
    }
}

/* ---- times ---- */

/* The times of an event that has them as differences to the one before. */
struct times {
    int64_t time_us, thread_us, instructions, delta_us, thread_delta_us, delta_instructions;
    bool absolute, delta, thread_absolute, thread_delta, has_instructions, instruction_delta;
};

static struct times read_times(struct orma_str bytes)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;
    struct times t = {0};

    while (orma_pb_next(&r, &f)) {
        switch (f.id) {
        case ORMA_PB_TRACK_EVENT_TIMESTAMP_DELTA_US:
            t.delta_us = orma_pb_i64(&f);
            t.delta = true;
            break;
        case ORMA_PB_TRACK_EVENT_TIMESTAMP_ABSOLUTE_US:
            t.time_us = orma_pb_i64(&f);
            t.absolute = true;
            break;
        case ORMA_PB_TRACK_EVENT_THREAD_TIME_DELTA_US:
            t.thread_delta_us = orma_pb_i64(&f);
            t.thread_delta = true;
            break;
        case ORMA_PB_TRACK_EVENT_THREAD_TIME_ABSOLUTE_US:
            t.thread_us = orma_pb_i64(&f);
            t.thread_absolute = true;
            break;
        case ORMA_PB_TRACK_EVENT_THREAD_INSTRUCTION_COUNT_DELTA:
            t.delta_instructions = orma_pb_i64(&f);
            t.instruction_delta = true;
            break;
        case ORMA_PB_TRACK_EVENT_THREAD_INSTRUCTION_COUNT_ABSOLUTE:
            t.instructions = orma_pb_i64(&f);
            t.has_instructions = true;
            break;
        }
    }
    return t;
}

static int64_t add_wrapping(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

/* Counted, and logged with the place of the packet. False. */
static bool refuse(struct orma_import_ctx *imp, const struct orma_packet_ctx *ctx,
                   enum orma_stat stat, bool of_sequence)
{
    ORMA_MODEL_ARGS(args, imp->model);
    if (of_sequence)
        orma_args_put_uint(args, orma_model_lit(imp->model, "packet_sequence_id"), ctx->seq->id);
    orma_model_log(imp->model, ctx->machine, stat, INT64_MIN, orma_import_packet_offset(imp, ctx),
                   args);
    return false;
}

/* False: it has no time that can be believed, which is counted. */
static bool event_time(struct orma_import_ctx *imp, const struct orma_packet_ctx *ctx,
                       const struct times *t, int64_t *ret)
{
    struct orma_seq *seq = ctx->seq;
    int64_t ns;

    if (!t->delta && !t->absolute) {
        *ret = ctx->ts;
        if (!ctx->p->has_timestamp)
            return refuse(imp, ctx, ORMA_STAT_TRACK_EVENT_MISSING_TIMESTAMP, false);
        return ctx->ts >= 0 || refuse(imp, ctx, ORMA_STAT_TRACK_EVENT_INVALID_TIMESTAMP, false);
    }
    if (t->delta && !seq->times.known)
        return refuse(imp, ctx, ORMA_STAT_TRACK_EVENT_SKIPPED_TIMESTAMP_DELTA_WITHOUT_VALID_STATE,
                      true);
    if (t->delta && __builtin_add_overflow(seq->times.time_us, t->delta_us, &seq->times.time_us)) {
        seq->times.known = false;
        return refuse(imp, ctx, ORMA_STAT_TRACK_EVENT_INVALID_TIMESTAMP, false);
    }
    if (__builtin_mul_overflow(t->delta ? seq->times.time_us : t->time_us, 1000, &ns))
        return refuse(imp, ctx, ORMA_STAT_TRACK_EVENT_INVALID_TIMESTAMP, false);
    /* Without a snapshot the clocks are taken to be the same, which is counted. */
    if (!orma_reader_to_trace_time(imp->reader, ctx->machine, ORMA_CLOCK_MONOTONIC, ns, ret, NULL))
        *ret = ns;
    return *ret >= 0 || refuse(imp, ctx, ORMA_STAT_TRACK_EVENT_INVALID_TIMESTAMP, false);
}

/* False: differences to nothing, which is counted. */
static bool fill_extra(struct orma_import_ctx *imp, const struct orma_packet_ctx *ctx,
                       const struct times *t, struct orma_event_extra *x)
{
    struct orma_seq *seq = ctx->seq;

    *x = (struct orma_event_extra){0};
    if (t->thread_delta && !seq->times.known)
        return refuse(imp, ctx, ORMA_STAT_TRACK_EVENT_SKIPPED_THREAD_TIME_DELTA_WITHOUT_VALID_STATE,
                      true);
    if (t->instruction_delta && !seq->times.known)
        return refuse(imp, ctx,
                      ORMA_STAT_TRACK_EVENT_SKIPPED_THREAD_INSTRUCTION_DELTA_WITHOUT_VALID_STATE,
                      true);
    if (t->thread_delta)
        seq->times.thread_time_us = add_wrapping(seq->times.thread_time_us, t->thread_delta_us);
    if (t->instruction_delta)
        seq->times.thread_instructions =
            add_wrapping(seq->times.thread_instructions, t->delta_instructions);
    x->has_thread_ns = t->thread_delta || t->thread_absolute;
    x->has_instructions = t->instruction_delta || t->has_instructions;
    x->thread_ns =
        (int64_t)((uint64_t)(t->thread_delta ? seq->times.thread_time_us : t->thread_us) * 1000);
    x->instructions = t->instruction_delta ? seq->times.thread_instructions : t->instructions;
    return true;
}

bool orma_events_tokenize_legacy(struct orma_import_ctx *imp, const struct orma_packet_ctx *ctx)
{
    struct orma_event_extra x, *extra = NULL;
    struct orma_events_record e;
    struct times t = {0};
    struct orma_item item = {
        .order = ctx->order,
        .data = (const uint8_t *)ctx->p->payload.data,
        .len = (uint32_t)ctx->p->payload.len,
        .field = ctx->p->field,
        .before = (uint32_t)(ctx->p->payload.data - ctx->p->bytes.data),
        .kind = ORMA_ITEM_PACKET,
        .machine = ctx->machine,
        .gen = ctx->seq->gen,
    };

    orma_events_read(&item, &e);
    if (e.timed)
        t = read_times(ctx->p->payload);
    if (!event_time(imp, ctx, &t, &item.ts))
        return true;
    if (!fill_extra(imp, ctx, &t, &x))
        return true;
    if (orma_events_is_cropped(imp, ctx->machine, item.ts))
        return true;
    const bool in_run = !e.timed && ctx->p->has_timestamp && !imp->reader->behind &&
                        !orma_sorter_is_late(ctx->seq, item.ts);
    x.sums = orma_events_sum_read(imp, ctx->seq, &e, in_run);
    if (in_run)
        return false;
    if (x.has_thread_ns || x.has_instructions || ctx->seq->sums_read) {
        extra = orma_arena_alloc(&imp->reader->sorter.arena, sizeof(*extra));
        if (!extra) {
            imp->model->storage->failed = true;
            return true;
        }
        *extra = x;
        item.extra = extra;
    }
    if (orma_reader_sortable(imp->reader, item.ts))
        orma_sorter_push(&imp->reader->sorter, &item);
    return true;
}
