/* Counters of track events: events of their own, values beside other events, thread time. */
#include "processor/import/events/event.h"
#include "protos/fields/track_event.h"

static void sample(struct orma_import_ctx *imp, struct orma_events_record *e,
                   struct orma_events_track *t, double value)
{
    struct orma_table *table = orma_model_table(imp->model, ORMA_TABLE_COUNTER);
    uint32_t row = orma_table_add(table);

    orma_table_set_time(table, ORMA_COUNTER_TS, row, e->item->ts);
    orma_table_set(table, ORMA_COUNTER_TRACK_ID, row, t->track);
    orma_table_set_double(table, ORMA_COUNTER_VALUE, row, value);
    if (e->type != ORMA_PB_TRACK_EVENT_TYPE_COUNTER)
        return;
    if (ORMA_LIKELY(!e->annotated && !e->typed)) {
        if (e->passthrough == ORMA_ID_NONE)
            return;
        struct orma_events_state *st = orma_events_state(imp);
        if (ORMA_UNLIKELY(!st->has_passthrough || st->passthrough != e->passthrough)) {
            ORMA_MODEL_ARGS(args, imp->model);
            orma_events_collect_args(imp, args, e);
            st->has_passthrough = true;
            st->passthrough = e->passthrough;
            st->passthrough_set = orma_args_commit(&imp->model->storage->args, args);
        }
        orma_storage_set_args(table, ORMA_COUNTER_ARG_SET_ID, row, st->passthrough_set);
        return;
    }
    ORMA_MODEL_ARGS(args, imp->model);
    orma_events_collect_args(imp, args, e);
    orma_storage_set_args(table, ORMA_COUNTER_ARG_SET_ID, row,
                          orma_args_commit(&imp->model->storage->args, args));
}

/* `if_bad` counts when the track can't have values. */
static void value_of(struct orma_import_ctx *imp, struct orma_events_record *e, uint64_t uuid,
                     double value, bool is_double, enum orma_stat if_bad)
{
    struct orma_events_track *t = orma_events_find(imp, uuid, e->item->machine);

    if (!t)
        return;
    if (ORMA_UNLIKELY(!t->reserved || t->kind != ORMA_EVENTS_COUNTER ||
                      !orma_events_make_rows(imp, t, 0))) {
        orma_stats_inc(orma_model_stats(imp->model, e->item->machine), if_bad);
        return;
    }
    if (!is_double)
        value *= (double)t->multiplier;
    if (t->incremental)
        value = orma_seq_gen_sum(e->item->gen, uuid, value);
    if (t->builtin == ORMA_PB_COUNTER_DESCRIPTOR_COUNTER_THREAD_TIME_NS) {
        e->has_thread_ns = true;
        e->thread_ns = (int64_t)value;
    } else if (t->builtin == ORMA_PB_COUNTER_DESCRIPTOR_COUNTER_THREAD_INSTRUCTION_COUNT) {
        e->has_instructions = true;
        e->instructions = (int64_t)value;
    }
    if (e->type == ORMA_PB_TRACK_EVENT_TYPE_COUNTER && t->scope != ORMA_EVENTS_THREAD) {
        e->t = t;
        e->upid = t->upid;
        orma_events_find_passthrough(imp, e);
    }
    sample(imp, e, t, value);
}

void orma_events_counter(struct orma_import_ctx *imp, struct orma_events_record *e, uint64_t uuid,
                         bool has_track)
{
    struct orma_stats *stats = orma_model_stats(imp->model, e->item->machine);

    if (!has_track)
        orma_stats_inc(stats, ORMA_STAT_TRACK_EVENT_COUNTER_MISSING_TRACK_UUID);
    else if (!e->has_value && !e->has_double)
        orma_stats_inc(stats, ORMA_STAT_TRACK_EVENT_COUNTER_MISSING_VALUE);
    else
        value_of(imp, e, uuid, e->has_value ? (double)e->value : e->double_value, !e->has_value,
                 ORMA_STAT_TRACK_EVENT_COUNTER_INVALID_TRACK_UUID);
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
    struct orma_stats *stats = orma_model_stats(imp->model, e->item->machine);

    for (unsigned which = 0; which < 2; which++) {
        if (x->values_num[which] > x->uuids_num[which]) {
            orma_stats_inc(stats, x->uuids_num[which]
                                      ? ORMA_STAT_TRACK_EVENT_EXTRA_COUNTER_TRACK_UUID_MISMATCH
                                      : ORMA_STAT_TRACK_EVENT_EXTRA_COUNTER_MISSING_TRACK_UUIDS);
            return false;
        }
    }
    if (x->too_many || x->values_num[0] + x->values_num[1] > ORMA_SEQ_EXTRA_COUNTERS) {
        orma_stats_inc(stats, ORMA_STAT_TRACK_EVENT_EXTRA_COUNTER_EXCEEDS_MAX);
        return false;
    }
    for (unsigned which = 0; which < 2; which++) {
        for (unsigned i = 0; i < x->values_num[which]; i++) {
            const struct orma_events_track *t =
                orma_events_find(imp, x->uuids[which][i], e->item->machine);

            if (t && t->reserved && t->kind == ORMA_EVENTS_COUNTER)
                continue;
            orma_stats_inc(stats, ORMA_STAT_TRACK_EVENT_EXTRA_COUNTER_INVALID_TRACK);
            return false;
        }
    }
    return true;
}

bool orma_events_extra_counters(struct orma_import_ctx *imp, struct orma_events_record *e)
{
    const struct orma_seq_gen *gen = e->item->gen;
    struct extras x;

    x.too_many = false;
    memset(x.uuids_num, 0, sizeof(x.uuids_num));
    memset(x.values_num, 0, sizeof(x.values_num));
    read_extras(e, &x);
    if (!x.uuids_num[0])
        memcpy(x.uuids[0], gen->extra_uuids, (x.uuids_num[0] = gen->extra_num) * sizeof(uint64_t));
    if (!x.uuids_num[1])
        memcpy(x.uuids[1], gen->extra_double_uuids,
               (x.uuids_num[1] = gen->extra_double_num) * sizeof(uint64_t));
    if (ORMA_UNLIKELY(!check_extras(imp, e, &x)))
        return false;
    for (unsigned which = 0; which < 2; which++) {
        for (unsigned i = 0; i < x.values_num[which]; i++) {
            double real;

            memcpy(&real, &x.values[which][i], sizeof(real));
            value_of(imp, e, x.uuids[which][i], which ? real : (double)(int64_t)x.values[which][i],
                     which, ORMA_STAT_TRACK_EVENT_EXTRA_COUNTER_INVALID_TRACK);
        }
    }
    return true;
}

void orma_events_thread_counters(struct orma_import_ctx *imp, const struct orma_events_record *e)
{
    const struct orma_track_dim dim = orma_dim(imp->model->known.utid, e->utid);

    if (e->utid == ORMA_ID_NONE)
        return;
    if (e->has_thread_ns)
        orma_model_counter(imp->model, e->item->ts,
                           orma_model_counter_track(imp->model, e->item->machine, "thread_time",
                                                    orma_model_lit(imp->model, "thread_time"), NULL,
                                                    1, &dim),
                           (double)e->thread_ns);
    if (e->has_instructions)
        orma_model_counter(
            imp->model, e->item->ts,
            orma_model_counter_track(imp->model, e->item->machine, "thread_instructions",
                                     imp->model->known.thread_instruction_count, NULL, 1, &dim),
            (double)e->instructions);
}
