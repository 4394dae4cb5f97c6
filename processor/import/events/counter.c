/*
 * Counters of track events: events of their own, values beside other events, thread time.
 *
 * Incremental counters say what came to the last value, in the order in which their sequence was
 * written. That is the order of time as well, so events are summed as they are imported. Where a
 * sequence turns out to have an event that is late, or times of the older form, its events are
 * summed as they are read from there on; what still waits of it is read for that once.
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
        if (e->passthrough == ORMA_ID_NONE)
            return;
        struct orma_events_state *st = orma_events_state(imp);
        if (ORMA_UNLIKELY(!st->has_passthrough || st->passthrough != e->passthrough ||
                          st->passthrough_settled != imp->model->storage->args.settled)) {
            ORMA_MODEL_ARGS(args, imp->model);
            orma_events_start_args(imp, NULL);
            orma_events_collect_args(imp, args, e);
            st->has_passthrough = true;
            st->passthrough = e->passthrough;
            st->passthrough_settled = imp->model->storage->args.settled;
            st->passthrough_set = orma_args_commit(&imp->model->storage->args, args);
        }
        orma_storage_set_args(table, ORMA_COUNTER_ARG_SET_ID, row, st->passthrough_set);
        return;
    }
    ORMA_MODEL_ARGS(args, imp->model);
    orma_events_start_args(imp, NULL);
    orma_events_collect_args(imp, args, e);
    orma_storage_set_args(table, ORMA_COUNTER_ARG_SET_ID, row,
                          orma_args_commit(&imp->model->storage->args, args));
}

/* The track, if it was described as one of a counter. */
static struct orma_events_track *counter_track(struct orma_import_ctx *imp,
                                               const struct orma_events_record *e, uint64_t uuid)
{
    struct orma_events_track *t = orma_events_find(imp, uuid, e->item->machine);

    return t && t->reserved && t->kind == ORMA_EVENTS_COUNTER && t->order <= e->item->order ? t
                                                                                            : NULL;
}

/* The sum after the value of that number, which is `value`. */
static double sum_of(struct orma_import_ctx *imp, const struct orma_events_record *e, uint64_t uuid,
                     double value, unsigned number)
{
    const struct orma_item *item = e->item;
    const double *sums = NULL;

    if (ORMA_UNLIKELY(item->gen->seq->sums_read))
        sums = item->extra && item->extra->sums
                   ? item->extra->sums
                   : orma_map_get_ptr(&orma_events(imp)->sums_ahead, item->order);
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
    if (!t->builtin || t->name != orma_events_builtin_name(imp, t))
        return;
    if (t->builtin == ORMA_PB_COUNTER_DESCRIPTOR_COUNTER_THREAD_TIME_NS) {
        e->has_thread_ns = true;
        e->thread_ns = (int64_t)value;
    } else if (t->builtin == ORMA_PB_COUNTER_DESCRIPTOR_COUNTER_THREAD_INSTRUCTION_COUNT) {
        e->has_instructions = true;
        e->instructions = (int64_t)value;
    }
}

/* The value of that number as the counter has it. */
static double scaled(struct orma_import_ctx *imp, const struct orma_events_record *e,
                     const struct orma_events_track *t, double value, unsigned number)
{
    value *= (double)t->multiplier;
    return t->incremental ? sum_of(imp, e, t->uuid, value, number) : value;
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
        e->upid = t->upid;
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
    if (!e->has_value && !e->has_double) {
        refuse(imp, e, ORMA_STAT_TRACK_EVENT_COUNTER_MISSING_VALUE, NULL);
        return;
    }
    struct orma_events_track *t = counter_track(imp, e, uuid);
    if (!t) {
        refuse(imp, e, ORMA_STAT_TRACK_EVENT_COUNTER_INVALID_TRACK_UUID, &uuid);
        return;
    }
    if (e->extras && !orma_events_check_extras(imp, e))
        return;
    if (!orma_events_resolve_for_event(imp, t)) {
        parser_error(imp, e);
        return;
    }
    e->utid = t->scope == ORMA_EVENTS_THREAD ? t->utid : ORMA_ID_NONE;
    if (ORMA_UNLIKELY(e->has_thread_ns || e->has_instructions))
        orma_events_thread_counters(imp, e);
    /* Its own value comes first, though its row is behind those of the others. */
    double value = scaled(imp, e, t, e->has_value ? (double)e->value : e->double_value, 0);
    if (e->extras)
        orma_events_extra_counters(imp, e);
    put_value(imp, e, t, value, true);
}

/* Two lists, of integers and of doubles, each with tracks and values. */
struct extras {
    bool too_many;
    uint64_t uuids[2][ORMA_SEQ_EXTRA_COUNTERS];
    uint64_t values[2][ORMA_SEQ_EXTRA_COUNTERS];
    unsigned uuids_num[2], values_num[2];
};

static void put(struct extras *x, uint64_t *list, unsigned *num, uint64_t val)
{
    if (*num < ORMA_SEQ_EXTRA_COUNTERS)
        list[(*num)++] = val;
    else
        x->too_many = true;
}

static void read_extras(const struct orma_events_record *e, struct extras *x)
{
    struct orma_pb_reader r = orma_pb_reader(e->bytes.data, e->bytes.len);
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        struct orma_pb_reader list = {0};
        uint64_t val;

        switch (f.id) {
        case ORMA_PB_TRACK_EVENT_EXTRA_COUNTER_TRACK_UUIDS:
            for (orma_pb_numbers(&f, &list); orma_pb_number(&f, &list, &val);)
                put(x, x->uuids[0], &x->uuids_num[0], val);
            break;
        case ORMA_PB_TRACK_EVENT_EXTRA_DOUBLE_COUNTER_TRACK_UUIDS:
            for (orma_pb_numbers(&f, &list); orma_pb_number(&f, &list, &val);)
                put(x, x->uuids[1], &x->uuids_num[1], val);
            break;
        case ORMA_PB_TRACK_EVENT_EXTRA_COUNTER_VALUES:
            for (orma_pb_numbers(&f, &list); orma_pb_number(&f, &list, &val);)
                put(x, x->values[0], &x->values_num[0], val);
            break;
        case ORMA_PB_TRACK_EVENT_EXTRA_DOUBLE_COUNTER_VALUES:
            list = orma_pb_sub(&f);
            if (f.wire == ORMA_PB_I64)
                put(x, x->values[1], &x->values_num[1], f.num);
            for (; f.wire == ORMA_PB_LEN && list.end - list.pos >= 8; list.pos += 8) {
                memcpy(&val, list.pos, sizeof(val));
                put(x, x->values[1], &x->values_num[1], val);
            }
            break;
        }
    }
}

/* False, and counted: a value has no place to go to. */
static bool check_extras(struct orma_import_ctx *imp, const struct orma_events_record *e,
                         const struct extras *x)
{
    for (unsigned which = 0; which < 2; which++) {
        if (x->values_num[which] > x->uuids_num[which]) {
            refuse(imp, e,
                   x->uuids_num[which] ? ORMA_STAT_TRACK_EVENT_EXTRA_COUNTER_TRACK_UUID_MISMATCH
                                       : ORMA_STAT_TRACK_EVENT_EXTRA_COUNTER_MISSING_TRACK_UUIDS,
                   NULL);
            return false;
        }
    }
    if (x->too_many || x->values_num[0] + x->values_num[1] > ORMA_SEQ_EXTRA_COUNTERS) {
        refuse(imp, e, ORMA_STAT_TRACK_EVENT_EXTRA_COUNTER_EXCEEDS_MAX, NULL);
        return false;
    }
    for (unsigned which = 0; which < 2; which++) {
        for (unsigned i = 0; i < x->values_num[which]; i++) {
            if (counter_track(imp, e, x->uuids[which][i]))
                continue;
            refuse(imp, e, ORMA_STAT_TRACK_EVENT_EXTRA_COUNTER_INVALID_TRACK, &x->uuids[which][i]);
            return false;
        }
    }
    return true;
}

/* With the tracks of the sequence, where the event names none. */
static void fill_extras(const struct orma_events_record *e, struct extras *x)
{
    const struct orma_seq_gen *gen = e->item->gen;

    x->too_many = false;
    memset(x->uuids_num, 0, sizeof(x->uuids_num));
    memset(x->values_num, 0, sizeof(x->values_num));
    read_extras(e, x);
    if (!x->uuids_num[0])
        memcpy(x->uuids[0], gen->extra_uuids,
               (x->uuids_num[0] = gen->extra_num) * sizeof(uint64_t));
    if (!x->uuids_num[1])
        memcpy(x->uuids[1], gen->extra_double_uuids,
               (x->uuids_num[1] = gen->extra_double_num) * sizeof(uint64_t));
}

bool orma_events_check_extras(struct orma_import_ctx *imp, const struct orma_events_record *e)
{
    struct extras x;

    fill_extras(e, &x);
    return check_extras(imp, e, &x);
}

static double extra_value(const struct extras *x, unsigned which, unsigned i)
{
    double real;

    memcpy(&real, &x->values[which][i], sizeof(real));
    return which ? real : (double)(int64_t)x->values[which][i];
}

void orma_events_extra_counters(struct orma_import_ctx *imp, struct orma_events_record *e)
{
    unsigned number = e->type == ORMA_PB_TRACK_EVENT_TYPE_COUNTER;
    struct extras x;

    fill_extras(e, &x);
    for (unsigned which = 0; which < 2; which++) {
        for (unsigned i = 0; i < x.values_num[which]; i++, number++) {
            struct orma_events_track *t = counter_track(imp, e, x.uuids[which][i]);

            if (t)
                put_value(imp, e, t, scaled(imp, e, t, extra_value(&x, which, i), number), false);
        }
    }
}

/* ---- sums as events are read ---- */

#define SUMS_MAX (1 + 2 * ORMA_SEQ_EXTRA_COUNTERS)

/* False: the event is dropped for this value; what was summed before stays. */
static bool add_sum(struct orma_import_ctx *imp, const struct orma_events_record *e, uint64_t uuid,
                    double value, double *ret)
{
    const struct orma_events_track *t = counter_track(imp, e, uuid);

    if (t && t->incremental)
        *ret = orma_seq_gen_sum(e->item->gen, uuid, value * (double)t->multiplier);
    return t != NULL;
}

/* How many values it has; 0: none, or the event is dropped. */
static unsigned read_sums(struct orma_import_ctx *imp, const struct orma_events_record *e,
                          double ret[SUMS_MAX])
{
    const struct orma_seq_gen *gen = e->item->gen;
    struct extras x;
    unsigned num = 0;

    if (e->type == ORMA_PB_TRACK_EVENT_TYPE_COUNTER &&
        ((!e->has_track && !gen->has_track) || (!e->has_value && !e->has_double) ||
         !add_sum(imp, e, e->has_track ? e->track_uuid : gen->track_uuid,
                  e->has_value ? (double)e->value : e->double_value, &ret[num++])))
        return 0;
    if (!e->extras)
        return num;
    fill_extras(e, &x);
    for (unsigned which = 0; which < 2; which++)
        for (unsigned i = 0; i < x.values_num[which]; i++)
            if (i >= x.uuids_num[which] ||
                !add_sum(imp, e, x.uuids[which][i], extra_value(&x, which, i), &ret[num++]))
                return 0;
    return num;
}

static const double *sum_event(struct orma_import_ctx *imp, const struct orma_item *item)
{
    struct orma_events_record e;
    double sums[SUMS_MAX] = {0}, *ret;

    orma_events_read(item, &e);
    if (e.type != ORMA_PB_TRACK_EVENT_TYPE_COUNTER && !e.extras)
        return NULL;
    const unsigned num = read_sums(imp, &e, sums);
    if (!num)
        return NULL;
    ret = orma_arena_alloc(&imp->reader->sorter.arena, num * sizeof(*ret));
    if (ret)
        memcpy(ret, sums, num * sizeof(*ret));
    else
        imp->model->storage->failed = true;
    return ret;
}

/* Of a packet that waits already. */
static void sum_waiting(void *data, const struct orma_item *item)
{
    struct orma_import_ctx *imp = data;
    const double *sums =
        item->field == ORMA_PB_TRACE_PACKET_TRACK_EVENT && item->gen ? sum_event(imp, item) : NULL;

    if (sums && orma_map_put_ptr(&orma_events(imp)->sums_ahead, item->order, sums))
        imp->model->storage->failed = true;
}

const double *orma_events_sum_read(struct orma_import_ctx *imp, struct orma_seq *seq,
                                   const struct orma_item *item)
{
    if (ORMA_LIKELY(!orma_events(imp)->any_incremental))
        return NULL;
    if (!seq->sums_read) {
        seq->sums_read = seq->tokenize_events = true;
        orma_sorter_walk_run(seq, sum_waiting, imp);
    }
    return sum_event(imp, item);
}

void orma_events_thread_counters(struct orma_import_ctx *imp, const struct orma_events_record *e)
{
    const struct orma_track_dim dim = orma_dim(imp->model->known.utid, e->utid);

    if (e->utid == ORMA_ID_NONE)
        return;
    if (e->has_thread_ns)
        orma_model_counter(imp->model, e->item->ts,
                           orma_model_counter_track(imp->model, e->item->machine, "thread_time",
                                                    imp->model->known.thread_time, NULL, 1, &dim),
                           (double)e->thread_ns);
    if (e->has_instructions)
        orma_model_counter(
            imp->model, e->item->ts,
            orma_model_counter_track(imp->model, e->item->machine, "thread_instructions",
                                     imp->model->known.thread_instruction_count, NULL, 1, &dim),
            (double)e->instructions);
}
