/*
 * Counters of track events: events of their own, values beside other events, thread time.
 *
 * Incremental counters say what came to the last value, in the order in which their sequence was
 * written. That is the order of time as well, so events are summed as they are imported. Where a
 * sequence turns out to have an event that is late, or times of the older form, its events are
 * summed as they are read from there on; what still waits of it is read for that once. The sums of
 * events in its run wait in a queue of the sequence; those of others lie beside the item.
 */
#include "processor/import/events/event.h"
#include "protos/fields/trace.h"
#include "protos/fields/track_event.h"

/* A row; `main` ones, which are the event, have its args. */
static void sample(struct orma_import_ctx *imp, struct orma_events_record *e,
                   struct orma_events_track *t, double value, bool main)
{
    struct orma_table *table = orma_model_table(imp->model, ORMA_TABLE_COUNTER);
    uint32_t row = orma_table_add(table);

    orma_table_set_time(table, ORMA_COUNTER_TS, row, e->item->ts);
    orma_table_set(table, ORMA_COUNTER_TRACK_ID, row, t->track);
    orma_table_set_double(table, ORMA_COUNTER_VALUE, row, value);
    if (!main)
        return;
    if (ORMA_LIKELY(!e->annotated && !e->typed && !e->stacked)) {
        if (e->owner.passthrough == ORMA_ID_NONE)
            return;
        struct orma_events_state *st = orma_events_state(imp);
        if (ORMA_UNLIKELY(!st->has_passthrough || st->passthrough != e->owner.passthrough ||
                          st->passthrough_settled != imp->model->storage->args.settled)) {
            ORMA_MODEL_ARGS(args, imp->model);
            orma_events_start_args(imp, NULL);
            orma_events_collect_args(imp, args, e, false);
            st->has_passthrough = true;
            st->passthrough = e->owner.passthrough;
            st->passthrough_settled = imp->model->storage->args.settled;
            st->passthrough_set = orma_args_commit(&imp->model->storage->args, args);
        }
        orma_storage_set_args(table, ORMA_COUNTER_ARG_SET_ID, row, st->passthrough_set);
        return;
    }
    ORMA_MODEL_ARGS(args, imp->model);
    orma_events_start_args(imp, NULL);
    orma_events_collect_args(imp, args, e, false);
    orma_storage_set_args(table, ORMA_COUNTER_ARG_SET_ID, row,
                          orma_args_commit(&imp->model->storage->args, args));
}

static bool is_counter(const struct orma_events_track *t, const struct orma_events_record *e)
{
    return t && t->reserved && t->kind == ORMA_EVENTS_COUNTER && t->order <= e->item->order;
}

/* The track, if it was described as one of a counter. */
static struct orma_events_track *counter_track(struct orma_import_ctx *imp,
                                               const struct orma_events_record *e, uint64_t uuid)
{
    struct orma_events_track *t = orma_events_find(imp, uuid, e->item->machine);

    return is_counter(t, e) ? t : NULL;
}

/* The same of a value beside an event. Those that a sequence has for all of its events are found
 * once. */
static struct orma_events_track *extra_track(struct orma_import_ctx *imp,
                                             const struct orma_events_record *e, unsigned which,
                                             unsigned i)
{
    void **known = &e->item->gen->extra_tracks[which][i];

    if (!e->extras.of_sequence[which])
        return counter_track(imp, e, e->extras.uuids[which][i]);
    if (ORMA_UNLIKELY(!*known))
        *known = orma_events_find(imp, e->extras.uuids[which][i], e->item->machine);
    return is_counter(*known, e) ? *known : NULL;
}

/* The sums that wait for the event, which has come from its run; NULL: there are none. */
static const double *sums_kept(struct orma_seq *seq, uint64_t order)
{
    const union orma_seq_ahead *at;

    while ((at = orma_seq_first_ahead(seq))) {
        const uint64_t num = at->head % ORMA_ORDER_STEP;

        if (at->head - num >= order)
            return at->head - num == order ? &at[1].sum : NULL;
        orma_seq_drop_ahead(seq, 1 + (uint32_t)num); /* its event was dropped, or is done */
    }
    return NULL;
}

/* The sum after the value of that number, which is `value`. */
static double sum_of(const struct orma_events_record *e, uint64_t uuid, double value,
                     unsigned number)
{
    const struct orma_item *item = e->item;
    const double *sums = NULL;

    if (ORMA_UNLIKELY(item->gen->seq->sums_read))
        sums = item->extra ? item->extra->sums : sums_kept(item->gen->seq, item->order);
    return sums ? sums[number] : orma_seq_gen_sum(item->gen, uuid, value);
}

static void parser_error(struct orma_import_ctx *imp, const struct orma_events_record *e)
{
    orma_stats_inc(orma_model_stats(imp->model, e->item->machine),
                   ORMA_STAT_TRACK_EVENT_PARSER_ERRORS);
}

/* What a counter of thread time says is also said of the slice that it came with, unless it has a
 * name of its own. */
static void note_thread_value(struct orma_import_ctx *imp, struct orma_events_record *e,
                              const struct orma_events_track *t, double value)
{
    if (!t->counter.builtin || t->name != orma_events_builtin_name(imp, t))
        return;
    if (t->counter.builtin == ORMA_PB_COUNTER_DESCRIPTOR_COUNTER_THREAD_TIME_NS) {
        e->has_thread_ns = true;
        e->thread.ns = (int64_t)value;
    } else if (t->counter.builtin == ORMA_PB_COUNTER_DESCRIPTOR_COUNTER_THREAD_INSTRUCTION_COUNT) {
        e->has_instructions = true;
        e->thread.instructions = (int64_t)value;
    }
}

/* The value of that number as the counter has it. */
static double scaled(const struct orma_events_record *e, const struct orma_events_track *t,
                     double value, unsigned number)
{
    value *= (double)t->counter.multiplier;
    return t->counter.incremental ? sum_of(e, t->uuid, value, number) : value;
}

/* Where the way up from the track is broken, that is counted. */
static void put_value(struct orma_import_ctx *imp, struct orma_events_record *e,
                      struct orma_events_track *t, double value, bool main)
{
    if (!orma_events_make_rows(imp, t, e->name_id, e->item->gen->seq))
        return;
    note_thread_value(imp, e, t, value);
    if (main && t->scope != ORMA_EVENTS_THREAD) {
        e->t = t;
        e->owner.upid = t->upid;
        orma_events_find_passthrough(imp, e);
    }
    sample(imp, e, t, value, main);
}

/* Counted, and logged with the place of the packet. */
static void refuse(struct orma_import_ctx *imp, const struct orma_events_record *e,
                   enum orma_stat stat, const uint64_t *uuid)
{
    ORMA_MODEL_ARGS(args, imp->model);
    if (uuid)
        orma_args_put_uint(args, imp->model->known.track_uuid, *uuid);
    orma_model_log_read(imp->model, e->item->machine, stat, e->item->order + ORMA_ORDER_STEP,
                        orma_import_item_offset(imp, e->item), args);
}

void orma_events_counter(struct orma_import_ctx *imp, struct orma_events_record *e, uint64_t uuid,
                         bool has_track)
{
    if (!has_track) {
        refuse(imp, e, ORMA_STAT_TRACK_EVENT_COUNTER_MISSING_TRACK_UUID, NULL);
        return;
    }
    if (!e->has.value && !e->has.double_value) {
        refuse(imp, e, ORMA_STAT_TRACK_EVENT_COUNTER_MISSING_VALUE, NULL);
        return;
    }
    struct orma_events_track *t = counter_track(imp, e, uuid);
    if (!t) {
        refuse(imp, e, ORMA_STAT_TRACK_EVENT_COUNTER_INVALID_TRACK_UUID, &uuid);
        return;
    }
    if (e->has_extras && !orma_events_check_extras(imp, e))
        return;
    if (!orma_events_resolve_for_event(imp, t)) {
        parser_error(imp, e);
        return;
    }
    e->owner.utid = t->scope == ORMA_EVENTS_THREAD ? t->utid : ORMA_ID_NONE;
    if (ORMA_UNLIKELY(e->has_thread_ns || e->has_instructions))
        orma_events_thread_counters(imp, e);
    /* Its own value comes first, though its row is behind those of the others. */
    double value = scaled(e, t, e->has.value ? (double)e->value : e->double_value, 0);
    if (e->has_extras)
        orma_events_extra_counters(imp, e);
    put_value(imp, e, t, value, true);
}

bool orma_events_counter_aside(struct orma_import_ctx *imp, struct orma_events_record *e)
{
    const struct orma_events_state *st = orma_events_state(imp);
    const struct orma_seq_gen *gen = e->item->gen;

    if ((!e->has.track && !gen->has_track) || (!e->has.value && !e->has.double_value) ||
        e->has_extras || e->has_thread_ns || e->has_instructions || e->annotated || e->typed ||
        e->stacked)
        return false;
    struct orma_events_track *t =
        orma_map_get_ptr(&orma_events_state(imp)->by_uuid,
                         orma_events_key(imp->model->trace_row, e->item->machine,
                                         e->has.track ? e->track_uuid : gen->track_uuid));
    if (!is_counter(t, e) || !t->resolved || !t->has_rows)
        return false;
    if (t->scope != ORMA_EVENTS_THREAD) {
        e->t = t;
        e->owner.upid = t->upid;
        orma_events_find_passthrough(imp, e);
    }
    if (e->owner.passthrough != ORMA_ID_NONE &&
        (!st->has_passthrough || st->passthrough != e->owner.passthrough ||
         st->passthrough_settled != imp->model->storage->args.settled))
        return false;
    sample(imp, e, t, scaled(e, t, e->has.value ? (double)e->value : e->double_value, 0), true);
    return true;
}

static bool check_extra_tracks(struct orma_import_ctx *imp, struct orma_events_record *e)
{
    struct orma_events_extras *x = &e->extras;

    for (unsigned which = 0; which < 2; which++) {
        for (unsigned i = 0; i < e->values_num[which]; i++) {
            x->tracks[which][i] = extra_track(imp, e, which, i);
            if (x->tracks[which][i])
                continue;
            refuse(imp, e, ORMA_STAT_TRACK_EVENT_EXTRA_COUNTER_INVALID_TRACK, &x->uuids[which][i]);
            return false;
        }
    }
    return true;
}

bool orma_events_check_extras(struct orma_import_ctx *imp, struct orma_events_record *e)
{
    for (unsigned which = 0; which < 2; which++) {
        if (e->values_num[which] > e->uuids_num[which]) {
            refuse(imp, e,
                   e->uuids_num[which] ? ORMA_STAT_TRACK_EVENT_EXTRA_COUNTER_TRACK_UUID_MISMATCH
                                       : ORMA_STAT_TRACK_EVENT_EXTRA_COUNTER_MISSING_TRACK_UUIDS,
                   NULL);
            return false;
        }
    }
    if (e->too_many_extras || e->values_num[0] + e->values_num[1] > ORMA_SEQ_EXTRA_COUNTERS) {
        refuse(imp, e, ORMA_STAT_TRACK_EVENT_EXTRA_COUNTER_EXCEEDS_MAX, NULL);
        return false;
    }
    return check_extra_tracks(imp, e);
}

static double extra_value(const struct orma_events_record *e, unsigned which, unsigned i)
{
    const uint64_t bits = e->extras.values[which][i];
    double real;

    memcpy(&real, &bits, sizeof(real));
    return which ? real : (double)(int64_t)bits;
}

void orma_events_extra_counters(struct orma_import_ctx *imp, struct orma_events_record *e)
{
    unsigned number = e->type == ORMA_PB_TRACK_EVENT_TYPE_COUNTER;

    for (unsigned which = 0; which < 2; which++) {
        for (unsigned i = 0; i < e->values_num[which]; i++, number++) {
            struct orma_events_track *t = e->extras.tracks[which][i];

            put_value(imp, e, t, scaled(e, t, extra_value(e, which, i), number), false);
        }
    }
}

/* ---- sums as events are read ---- */

#define SUMS_MAX (1 + 2 * ORMA_SEQ_EXTRA_COUNTERS)

/* False: the event is dropped for this value; what was summed before stays. */
static bool add_sum(const struct orma_events_record *e, const struct orma_events_track *t,
                    double value, double *ret)
{
    if (t && t->counter.incremental)
        *ret = orma_seq_gen_sum(e->item->gen, t->uuid, value * (double)t->counter.multiplier);
    return t != NULL;
}

/* How many values it has; 0: none, or the event is dropped. */
static unsigned read_sums(struct orma_import_ctx *imp, const struct orma_events_record *e,
                          double ret[SUMS_MAX])
{
    const struct orma_seq_gen *gen = e->item->gen;
    unsigned num = 0;

    if (e->type == ORMA_PB_TRACK_EVENT_TYPE_COUNTER &&
        ((!e->has.track && !gen->has_track) || (!e->has.value && !e->has.double_value) ||
         !add_sum(e, counter_track(imp, e, e->has.track ? e->track_uuid : gen->track_uuid),
                  e->has.value ? (double)e->value : e->double_value, &ret[num++])))
        return 0;
    for (unsigned which = 0; e->has_extras && which < 2; which++)
        for (unsigned i = 0; i < e->values_num[which]; i++)
            if (i >= e->uuids_num[which] ||
                !add_sum(e, extra_track(imp, e, which, i), extra_value(e, which, i), &ret[num++]))
                return 0;
    return num;
}

/* Sums wait for their event, which will come from the run in the order of the file. */
static void keep_ahead(struct orma_import_ctx *imp, struct orma_seq *seq, uint64_t order,
                       const double *sums, unsigned num)
{
    union orma_seq_ahead *at = orma_seq_keep_ahead(seq, 1 + num);

    if (!at) {
        imp->model->storage->failed = true;
        return;
    }
    at->head = order | num; /* packets are numbered in large steps */
    for (unsigned i = 0; i < num; i++)
        at[1 + i].sum = sums[i];
}

static void sum_to_run(struct orma_import_ctx *imp, struct orma_seq *seq,
                       const struct orma_events_record *e)
{
    double sums[SUMS_MAX] = {0};
    const unsigned num = read_sums(imp, e, sums);

    if (num)
        keep_ahead(imp, seq, e->item->order, sums, num);
}

/* Of a packet that waits already. */
static void sum_waiting(void *data, const struct orma_item *item)
{
    struct orma_import_ctx *imp = data;
    struct orma_events_record e;

    if (item->field != ORMA_PB_TRACE_PACKET_TRACK_EVENT || !item->gen)
        return;
    orma_events_read(item, &e);
    sum_to_run(imp, item->gen->seq, &e);
}

static const double *copy_sums(struct orma_import_ctx *imp, const double *sums, unsigned num)
{
    double *ret = orma_arena_alloc(&imp->reader->sorter.arena, num * sizeof(*ret));

    if (ret)
        memcpy(ret, sums, num * sizeof(*ret));
    else
        imp->model->storage->failed = true;
    return ret;
}

const double *orma_events_sum_read(struct orma_import_ctx *imp, struct orma_seq *seq,
                                   struct orma_events_record *e, bool in_run)
{
    double sums[SUMS_MAX] = {0};

    if (ORMA_LIKELY(!orma_events(imp)->any_incremental))
        return NULL;
    if (!seq->sums_read) {
        seq->sums_read = seq->tokenize_events = true;
        orma_sorter_walk_run(seq, sum_waiting, imp);
    }
    if (in_run) {
        sum_to_run(imp, seq, e);
        return NULL;
    }
    const unsigned num = read_sums(imp, e, sums);
    return num ? copy_sums(imp, sums, num) : NULL;
}

void orma_events_thread_counters(struct orma_import_ctx *imp, const struct orma_events_record *e)
{
    const struct orma_track_dim dim = orma_dim(imp->model->known.utid, e->owner.utid);

    if (e->owner.utid == ORMA_ID_NONE)
        return;
    if (e->has_thread_ns)
        orma_model_counter(imp->model, e->item->ts,
                           orma_model_counter_track(imp->model, e->item->machine, "thread_time",
                                                    imp->model->known.thread_time, NULL, 1, &dim),
                           (double)e->thread.ns);
    if (e->has_instructions)
        orma_model_counter(
            imp->model, e->item->ts,
            orma_model_counter_track(imp->model, e->item->machine, "thread_instructions",
                                     imp->model->known.thread_instruction_count, NULL, 1, &dim),
            (double)e->thread.instructions);
}
