/*
 * Slices of track events: begun, ended, or whole, with their args, flows and thread time. Events in
 * the older form (legacy.c) come here as well, once it is known which track they are on.
 */
#include "processor/import/events/event.h"
#include "processor/model/async.h"
#include "processor/model/flows.h"
#include "protos/fields/track_event.h"
#include "sdk/base/endian.h"

static void read_annotations(struct orma_import_ctx *imp, const struct orma_events_record *e,
                             struct orma_args_list *args)
{
    struct orma_pb_reader r = orma_pb_reader(e->bytes.data, e->bytes.len);
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f))
        if (f.id == ORMA_PB_TRACK_EVENT_DEBUG_ANNOTATIONS)
            orma_events_annotation(imp, e->item->gen, orma_pb_str(&f), args);
}

void orma_events_collect_args(struct orma_import_ctx *imp, struct orma_args_list *args,
                              struct orma_events_record *e, bool leave)
{
    if (ORMA_UNLIKELY(e->place == ORMA_EVENTS_ON_ASYNC))
        orma_args_put_int(args, orma_model_lit(imp->model, "legacy_trace_source_id"),
                          e->async.source_id);
    if (ORMA_UNLIKELY(e->typed))
        orma_events_typed_args(imp, e, args);
    if (ORMA_UNLIKELY(e->stacked))
        orma_events_read_callstack(imp, e);
    if (e->annotated &&
        !(leave && orma_events_leave_annotations(imp, e->item->gen, e->bytes, args)))
        read_annotations(imp, e, args);
    if (e->owner.passthrough !=
        ORMA_ID_NONE) { /* the thread that began a slice is the one that counts */
        const uint32_t key = imp->model->known.passthrough_utid;

        orma_args_put(args, (struct orma_args_item){
                                key, key, ORMA_ARG_UINT, true, {.i = e->owner.passthrough}});
    }
}

static void put_phase(struct orma_import_ctx *imp, struct orma_args_list *args, char phase)
{
    if (phase)
        orma_args_put_str(args, orma_model_lit(imp->model, "legacy_event.phase"),
                          orma_model_str(imp->model, (struct orma_str){&phase, 1}));
}

/* A flow goes on if it is there, begins otherwise; one that ends must be there. */
static void use_flow(struct orma_import_ctx *imp, uint32_t slice, uint64_t flow, bool ends)
{
    bool active = orma_flows_active(imp->model, flow);

    if (ends && active)
        orma_flows_end(imp->model, slice, flow, true);
    else if (!ends && active)
        orma_flows_step(imp->model, slice, flow);
    else if (!ends)
        orma_flows_begin(imp->model, slice, flow);
}

static void read_flows(struct orma_import_ctx *imp, const struct orma_events_record *e,
                       uint32_t slice, uint32_t field, bool ends)
{
    struct orma_pb_reader r = orma_pb_reader(e->bytes.data, e->bytes.len);
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        struct orma_pb_reader list = orma_pb_sub(&f);
        uint64_t id;

        if (f.id != field)
            continue;
        if (f.wire != ORMA_PB_LEN)
            use_flow(imp, slice, f.num, ends);
        else if (field == ORMA_PB_TRACK_EVENT_FLOW_IDS ||
                 field == ORMA_PB_TRACK_EVENT_TERMINATING_FLOW_IDS)
            for (; list.end - list.pos >= 8; list.pos += 8) {
                id = orma_le64_at(list.pos);
                use_flow(imp, slice, id, ends);
            }
        else
            while (list.pos < list.end && !list.failed)
                use_flow(imp, slice, orma_pb_varint(&list), ends);
    }
}

static void bind_flow(struct orma_import_ctx *imp, const struct orma_events_record *e,
                      uint32_t slice)
{
    if (!e->legacy.has_bind)
        return;
    switch (e->legacy.direction) {
    case ORMA_PB_TRACK_EVENT_LEGACY_EVENT_FLOW_OUT:
        orma_flows_begin(imp->model, slice, e->legacy.bind_id);
        break;
    case ORMA_PB_TRACK_EVENT_LEGACY_EVENT_FLOW_INOUT:
        orma_flows_step(imp->model, slice, e->legacy.bind_id);
        break;
    case ORMA_PB_TRACK_EVENT_LEGACY_EVENT_FLOW_IN:
        orma_flows_end(imp->model, slice, e->legacy.bind_id, false);
        break;
    default:
        orma_stats_inc(orma_model_stats(imp->model, e->item->machine),
                       ORMA_STAT_FLOW_WITHOUT_DIRECTION);
    }
}

/* Of TrackEvent: what the event handed to a graphics card. */
#define GPU_CORRELATION 3000
/* And which processes of Chrome are active. */
#define ACTIVE_PROCESSES 1042

/* Extensions that other modules understand: work that was handed to a graphics card or waited for,
 * processes that begin and end. */
static void hand_over(struct orma_import_ctx *imp, const struct orma_events_record *e,
                      uint32_t slice)
{
    struct orma_pb_reader r = orma_pb_reader(e->item->data, e->item->len);
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        if (f.id == GPU_CORRELATION)
            orma_port_gpu_call(imp, e->item->machine, slice, orma_pb_str(&f));
        else if (f.id == ACTIVE_PROCESSES)
            orma_events_processes_active(imp, e->item->machine, e->item->ts, orma_pb_str(&f));
        else if (f.id == ORMA_EVENT_PROCESS_STARTED || f.id == ORMA_EVENT_PROCESS_DIED)
            orma_port_process_event(imp, e->item->machine, e->item->ts, f.id, orma_pb_str(&f));
    }
}

static void flows_of(struct orma_import_ctx *imp, const struct orma_events_record *e,
                     uint32_t slice)
{
    if (slice == ORMA_SLICE_NONE)
        return;
    if (ORMA_UNLIKELY(e->typed))
        hand_over(imp, e, slice);
    if (ORMA_UNLIKELY(e->has.legacy && e->legacy.has_bind))
        bind_flow(imp, e, slice);
    if (ORMA_LIKELY(!e->flows))
        return;
    /* The older lists count where the newer ones are not there. */
    if (e->flows & ORMA_EVENTS_FLOWS)
        read_flows(imp, e, slice, ORMA_PB_TRACK_EVENT_FLOW_IDS, false);
    else if (e->flows & ORMA_EVENTS_FLOWS_OLD)
        read_flows(imp, e, slice, ORMA_PB_TRACK_EVENT_FLOW_IDS_OLD, false);
    if (e->flows & ORMA_EVENTS_FLOW_ENDS)
        read_flows(imp, e, slice, ORMA_PB_TRACK_EVENT_TERMINATING_FLOW_IDS, true);
    else if (e->flows & ORMA_EVENTS_FLOW_ENDS_OLD)
        read_flows(imp, e, slice, ORMA_PB_TRACK_EVENT_TERMINATING_FLOW_IDS_OLD, true);
}

/* What a phase does to its lane. A step of the older kind gives it free, its end does not. */
static enum orma_async_phase phase_of(char phase)
{
    switch (phase) {
    case 'b':
    case 'S':
        return ORMA_ASYNC_BEGIN;
    case 'e':
    case 'T':
        return ORMA_ASYNC_END;
    }
    return ORMA_ASYNC_INSTANT;
}

/* Where an event that is on no described track lies. */
ORMA_COLD static uint32_t other_track(struct orma_import_ctx *imp,
                                      const struct orma_events_record *e)
{
    const uint16_t machine = e->item->machine;

    if (e->place == ORMA_EVENTS_ON_THREAD)
        return orma_model_thread_track(imp->model, machine, e->owner.utid);
    if (e->place != ORMA_EVENTS_ON_ASYNC)
        return orma_legacy_instant_track(
            imp->model, machine, e->place == ORMA_EVENTS_ON_PROCESS ? e->owner.upid : ORMA_ID_NONE);
    const struct orma_legacy_async a = {.machine = machine,
                                        .of_process = e->of_process,
                                        .upid = e->owner.upid,
                                        .scope = e->async.scope,
                                        .name = e->name_id,
                                        .id = e->async.source_id};
    return orma_legacy_async_track(imp->model, &a, phase_of(e->legacy.phase), e->item->ts);
}

/* The described track has its rows afterwards: it is resolved. */
static inline struct orma_events_track *described(struct orma_import_ctx *imp,
                                                  const struct orma_events_record *e)
{
    if (ORMA_UNLIKELY(!e->t->has_rows))
        (void)orma_events_make_rows(imp, e->t, e->name_id, e->item->gen->seq);
    return e->t;
}

uint32_t orma_events_track_begin(struct orma_import_ctx *imp, const struct orma_events_record *e)
{
    return e->place ? other_track(imp, e)
                    : orma_events_begin_track(imp, described(imp, e), e->item->ts);
}

uint32_t orma_events_track_end(struct orma_import_ctx *imp, const struct orma_events_record *e)
{
    return e->place ? other_track(imp, e)
                    : orma_events_end_track(imp, described(imp, e), e->item->ts);
}

uint32_t orma_events_track_whole(struct orma_import_ctx *imp, const struct orma_events_record *e,
                                 int64_t dur)
{
    return e->place ? other_track(imp, e)
                    : orma_events_instant_track(imp, described(imp, e), e->item->ts, dur);
}

/* Async events may say more of the thread that wrote them than the slice is about. */
static bool has_thread_time(const struct orma_events_record *e)
{
    return e->owner.utid != ORMA_ID_NONE && e->place != ORMA_EVENTS_ON_ASYNC;
}

void orma_events_begin(struct orma_import_ctx *imp, struct orma_events_record *e, char phase)
{
    ORMA_MODEL_ARGS(args, imp->model);
    struct orma_table *t = orma_model_table(imp->model, ORMA_TABLE_SLICE);

    orma_events_start_args(imp, NULL);
    orma_events_collect_args(imp, args, e, true);
    put_phase(imp, args, phase);
    uint32_t slice =
        orma_slices_begin(&imp->model->slices, e->item->ts, orma_events_track_begin(imp, e),
                          e->category_id, e->name_id, args);
    if (slice == ORMA_SLICE_NONE)
        return;
    if (e->has_thread_ns && has_thread_time(e))
        orma_table_set(t, ORMA_SLICE_THREAD_TS, slice, e->thread.ns);
    if (e->has_instructions && has_thread_time(e))
        orma_table_set(t, ORMA_SLICE_THREAD_INSTRUCTION_COUNT, slice, e->thread.instructions);
    if (ORMA_UNLIKELY(e->stacked))
        orma_events_callstack(imp, e, slice, false);
    flows_of(imp, e, slice);
}

/* What came in between, if there was a value at the begin and something came. */
static void set_difference(struct orma_table *t, uint32_t slice, unsigned from, unsigned to,
                           int64_t now)
{
    int64_t diff;

    if (!orma_table_is_null(t, from, slice) &&
        !__builtin_sub_overflow(now, orma_table_int(t, from, slice), &diff) && diff)
        orma_table_set(t, to, slice, diff);
}

void orma_events_end(struct orma_import_ctx *imp, struct orma_events_record *e)
{
    ORMA_MODEL_ARGS(args, imp->model);
    struct orma_table *t = orma_model_table(imp->model, ORMA_TABLE_SLICE);

    uint32_t track = orma_events_track_end(imp, e);
    const bool more = e->annotated || e->typed || e->stacked;

    if (ORMA_UNLIKELY(more) && !orma_slices_would_end(&imp->model->slices, e->item->ts, track,
                                                      e->category_id, e->name_id)) {
        orma_import_ended(imp, ORMA_SLICE_NONE);
        return;
    }
    orma_events_start_args(imp,
                           e->annotated ? orma_slices_open_args(&imp->model->slices, track) : NULL);
    orma_events_collect_args(imp, args, e, false);
    uint32_t slice =
        orma_slices_end(&imp->model->slices, e->item->ts, track, e->category_id, e->name_id, args);
    orma_import_ended(imp, slice);
    if (slice == ORMA_SLICE_NONE)
        return;
    if (e->has_thread_ns && has_thread_time(e))
        set_difference(t, slice, ORMA_SLICE_THREAD_TS, ORMA_SLICE_THREAD_DUR, e->thread.ns);
    if (e->has_instructions && has_thread_time(e))
        set_difference(t, slice, ORMA_SLICE_THREAD_INSTRUCTION_COUNT,
                       ORMA_SLICE_THREAD_INSTRUCTION_DELTA, e->thread.instructions);
    if (ORMA_UNLIKELY(e->stacked))
        orma_events_callstack(imp, e, slice, true);
    flows_of(imp, e, slice);
}

void orma_events_whole(struct orma_import_ctx *imp, struct orma_events_record *e, int64_t dur,
                       char phase)
{
    ORMA_MODEL_ARGS(args, imp->model);
    struct orma_table *t = orma_model_table(imp->model, ORMA_TABLE_SLICE);
    bool instant = !e->has.legacy || e->legacy.phase != 'X';

    orma_events_start_args(imp, NULL);
    orma_events_collect_args(imp, args, e, true);
    put_phase(imp, args, phase);
    uint32_t slice = orma_slices_complete(&imp->model->slices, e->item->ts, dur,
                                          orma_events_track_whole(imp, e, dur), e->category_id,
                                          e->name_id, args);
    if (slice == ORMA_SLICE_NONE)
        return;
    if (has_thread_time(e) && e->has_thread_ns) {
        orma_table_set(t, ORMA_SLICE_THREAD_TS, slice, e->thread.ns);
        orma_table_set(t, ORMA_SLICE_THREAD_DUR, slice,
                       instant ? 0 : (int64_t)((uint64_t)e->legacy.thread_duration_us * 1000));
    }
    if (has_thread_time(e) && e->has_instructions) {
        orma_table_set(t, ORMA_SLICE_THREAD_INSTRUCTION_COUNT, slice, e->thread.instructions);
        orma_table_set(t, ORMA_SLICE_THREAD_INSTRUCTION_DELTA, slice,
                       instant ? 0 : e->legacy.thread_instruction_delta);
    }
    if (ORMA_UNLIKELY(e->stacked))
        orma_events_callstack(imp, e, slice, false);
    if (phase != 'T' && phase != 'p') /* steps have none */
        flows_of(imp, e, slice);
}

/* The thread that wrote an event of a process or of the whole trace. */
void orma_events_find_passthrough(struct orma_import_ctx *imp, struct orma_events_record *e)
{
    const struct orma_seq_gen *gen = e->item->gen;
    struct orma_processes *procs = orma_model_processes(imp->model, e->item->machine);

    if (!gen->has_pid)
        return;
    uint32_t utid = orma_processes_thread_of(procs, gen->tid, gen->pid);
    if (e->t->scope == ORMA_EVENTS_GLOBAL || orma_processes_upid(procs, utid) == e->owner.upid)
        e->owner.passthrough = utid;
}
