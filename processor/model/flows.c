/*
 * One map from the number of a flow to the slice that has it now. A step draws an arrow from there
 * to the new slice and moves the flow; an end draws it and, if the flow is closed, forgets it.
 * Ends that bind to the next slice of their track are kept in a short list: slices.c calls
 * on_begun() for each slice that begins, which takes what waits on that track off the list.
 */
#include "processor/model/flows.h"

#include <stdlib.h>

#include "sdk/base/hash.h"
#include "sdk/base/vec.h"

/* An end that waits for the next slice of a track. */
struct waiting {
    uint64_t flow;
    uint32_t track;
    uint32_t from; /* of a flow that is forgotten: where it comes from; else ORMA_SLICE_NONE */
};

struct v1 {
    uint32_t category, name;
};

struct orma_flows {
    struct orma_map slices; /* flow → slice */
    struct orma_map v1;     /* hash of a flow known by texts → index into v1_texts */
    struct v1 *v1_texts;
    uint32_t v1_num, v1_cap;
    struct waiting *waiting;
    uint32_t waiting_num, waiting_cap;
    struct orma_args_list args;
};

static struct orma_flows *state(struct orma_model *model)
{
    return orma_model_lazy(model, (void **)&model->flows, sizeof(struct orma_flows));
}

static void count(struct orma_model *model, enum orma_stat stat)
{
    orma_stats_inc(orma_model_stats(model, model->base), stat);
}

bool orma_flows_active(struct orma_model *model, uint64_t flow)
{
    struct orma_flows *st = model->flows;

    return st && orma_map_get(&st->slices, flow) != ORMA_MAP_NONE;
}

void orma_flows_forget(struct orma_model *model, uint64_t flow)
{
    struct orma_flows *st = model->flows;
    uint64_t from = st ? orma_map_take(&st->slices, flow) : ORMA_MAP_NONE;

    for (uint32_t i = 0; from != ORMA_MAP_NONE && i < st->waiting_num; i++)
        if (st->waiting[i].flow == flow && st->waiting[i].from == ORMA_SLICE_NONE)
            st->waiting[i].from = (uint32_t)from;
}

void orma_flows_begin(struct orma_model *model, uint32_t slice, uint64_t flow)
{
    struct orma_flows *st = state(model);

    if (orma_flows_active(model, flow))
        count(model, ORMA_STAT_FLOW_DUPLICATE_ID);
    else if (st && orma_map_put(&st->slices, flow, slice))
        model->storage->failed = true;
}

static uint32_t v1_args(struct orma_model *model, struct orma_flows *st, uint64_t flow)
{
    if (flow >= st->v1_num)
        return ORMA_ARG_SET_NONE;
    orma_args_list_clear(&st->args);
    orma_args_put_str(&st->args, model->known.name, st->v1_texts[flow].name);
    orma_args_put_str(&st->args, orma_model_lit(model, "cat"), st->v1_texts[flow].category);
    return orma_args_commit(&model->storage->args, &st->args);
}

/* The earlier slice is always the one that the arrow leaves. */
static void insert(struct orma_model *model, struct orma_flows *st, uint64_t flow, uint32_t from,
                   uint32_t to)
{
    struct orma_table *t = orma_model_table(model, ORMA_TABLE_FLOW);
    const struct orma_table *slices = orma_model_table(model, ORMA_TABLE_SLICE);
    uint32_t row = orma_table_add(t);

    if (orma_table_int(slices, ORMA_SLICE_TS, to) < orma_table_int(slices, ORMA_SLICE_TS, from)) {
        uint32_t swap = from;

        from = to;
        to = swap;
    }
    orma_table_set(t, ORMA_FLOW_SLICE_OUT, row, from);
    orma_table_set(t, ORMA_FLOW_SLICE_IN, row, to);
    orma_table_set(t, ORMA_FLOW_TRACE_ID, row, (int64_t)flow);
    orma_storage_set_args(t, ORMA_FLOW_ARG_SET_ID, row, v1_args(model, st, flow));
}

void orma_flows_insert(struct orma_model *model, uint32_t from, uint32_t to)
{
    struct orma_table *t = orma_model_table(model, ORMA_TABLE_FLOW);
    uint32_t row = orma_table_add(t);

    orma_table_set(t, ORMA_FLOW_SLICE_OUT, row, from);
    orma_table_set(t, ORMA_FLOW_SLICE_IN, row, to);
}

/* The slice that has the flow; counts `missing` if none does. */
static uint64_t find(struct orma_model *model, struct orma_flows *st, uint64_t flow,
                     enum orma_stat missing)
{
    uint64_t from = st ? orma_map_get(&st->slices, flow) : ORMA_MAP_NONE;

    if (from == ORMA_MAP_NONE)
        count(model, missing);
    return from;
}

void orma_flows_step(struct orma_model *model, uint32_t slice, uint64_t flow)
{
    struct orma_flows *st = state(model);
    uint64_t from = find(model, st, flow, ORMA_STAT_FLOW_STEP_WITHOUT_START);

    if (from == ORMA_MAP_NONE)
        return;
    insert(model, st, flow, (uint32_t)from, slice);
    if (orma_map_put(&st->slices, flow, slice))
        model->storage->failed = true;
}

void orma_flows_end(struct orma_model *model, uint32_t slice, uint64_t flow, bool close)
{
    struct orma_flows *st = state(model);
    uint64_t from = find(model, st, flow, ORMA_STAT_FLOW_END_WITHOUT_START);

    if (from == ORMA_MAP_NONE)
        return;
    if (close)
        (void)orma_map_take(&st->slices, flow);
    insert(model, st, flow, (uint32_t)from, slice);
}

static uint32_t enclosing_slice(struct orma_model *model, uint32_t track, int64_t ts)
{
    uint32_t slice = orma_slices_top(&model->slices, track, ts);

    if (slice == ORMA_SLICE_NONE)
        count(model, ORMA_STAT_FLOW_NO_ENCLOSING_SLICE);
    return slice;
}

void orma_flows_begin_on(struct orma_model *model, uint32_t track, int64_t ts, uint64_t flow)
{
    uint32_t slice = enclosing_slice(model, track, ts);

    if (slice != ORMA_SLICE_NONE)
        orma_flows_begin(model, slice, flow);
}

void orma_flows_step_on(struct orma_model *model, uint32_t track, int64_t ts, uint64_t flow)
{
    uint32_t slice = enclosing_slice(model, track, ts);

    if (slice != ORMA_SLICE_NONE)
        orma_flows_step(model, slice, flow);
}

/* A flow that waited and was never begun begins at the first slice of all: that is what others
 * make of it, and it counts as begun from then on. */
static void end_waiting(struct orma_model *model, struct orma_flows *st, uint64_t flow,
                        uint32_t slice)
{
    uint64_t from = orma_map_get(&st->slices, flow);

    if (from == ORMA_MAP_NONE) {
        from = 0;
        if (orma_map_put(&st->slices, flow, from))
            model->storage->failed = true;
    }
    insert(model, st, flow, (uint32_t)from, slice);
}

/* A slice began: what waited on its track ends in it. */
static void on_begun(void *data, uint32_t track, uint32_t slice)
{
    struct orma_model *model = data;
    struct orma_flows *st = model->flows;
    uint32_t kept = 0;

    for (uint32_t i = 0; i < st->waiting_num; i++) {
        if (st->waiting[i].track == track && st->waiting[i].from != ORMA_SLICE_NONE)
            insert(model, st, st->waiting[i].flow, st->waiting[i].from, slice);
        else if (st->waiting[i].track == track)
            end_waiting(model, st, st->waiting[i].flow, slice);
        else
            st->waiting[kept++] = st->waiting[i];
    }
    st->waiting_num = kept;
    if (!kept)
        model->slices.begun = NULL;
}

void orma_flows_end_on(struct orma_model *model, uint32_t track, int64_t ts, uint64_t flow,
                       bool enclosing)
{
    struct orma_flows *st = state(model);

    if (enclosing) {
        uint32_t slice = enclosing_slice(model, track, ts);

        if (slice != ORMA_SLICE_NONE)
            orma_flows_end(model, slice, flow, false);
        return;
    }
    if (st && ORMA_GROW(&st->waiting, &st->waiting_cap, st->waiting_num + (size_t)1)) {
        model->storage->failed = true;
        return;
    }
    if (!st)
        return;
    st->waiting[st->waiting_num++] = (struct waiting){flow, track, ORMA_SLICE_NONE};
    model->slices.begun = on_begun;
    model->slices.begun_data = model;
}

uint64_t orma_flows_id_v1(struct orma_model *model, uint64_t id, uint32_t category, uint32_t name)
{
    struct orma_flows *st = state(model);
    uint64_t key = orma_mix64(orma_mix64(id) ^ ((uint64_t)category << 32 | name));
    uint64_t known = st ? orma_map_get(&st->v1, key) : 0;

    if (!st || known != ORMA_MAP_NONE)
        return known;
    if (ORMA_GROW(&st->v1_texts, &st->v1_cap, st->v1_num + (size_t)1) ||
        orma_map_put(&st->v1, key, st->v1_num)) {
        model->storage->failed = true;
        return 0;
    }
    st->v1_texts[st->v1_num] = (struct v1){category, name};
    return st->v1_num++;
}

void orma_flows_fini(struct orma_model *model)
{
    struct orma_flows *st = model->flows;

    if (!st)
        return;
    orma_map_fini(&st->slices);
    orma_map_fini(&st->v1);
    free(st->v1_texts);
    free(st->waiting);
    orma_args_list_fini(&st->args);
}
