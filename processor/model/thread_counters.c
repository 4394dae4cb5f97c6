/*
 * Samples of one thread and counter are a group. Until the end a sample's row has the number of its
 * group where its track will be, so that all there is to keep of it is its place:
 *
 *   rows    [ 3 | 4 | 7 | ... ]        counter.track_id   ... 0 | 1 | . | . | 0 ...
 *   groups  [ tid 5 rss.anon | tid 5 swap | ... ]          row 3   4           7
 */
#include "processor/model/thread_counters.h"

#include <stdlib.h>

#include "processor/model/memory.h"
#include "sdk/base/hash.h"
#include "sdk/base/vec.h"

struct group {
    uint32_t utid;
    uint16_t machine;
    struct orma_thread_counter what;
    uint32_t track; /* at the end */
};

struct orma_thread_counters {
    struct group *groups;
    uint32_t groups_num, groups_cap;
    struct orma_map by_hash; /* → index of a group */
    uint32_t *rows;          /* of the counter table */
    uint32_t rows_num, rows_cap;
};

static bool is_same(const struct group *g, uint16_t machine, uint32_t utid,
                    const struct orma_thread_counter *what)
{
    const struct orma_thread_counter *w = &g->what;

    if (g->utid != utid || g->machine != machine || w->memory != what->memory ||
        w->type != what->type || w->dims_num != what->dims_num)
        return false;
    for (unsigned i = 0; i < w->dims_num; i++)
        if (w->dims[i].key != what->dims[i].key || w->dims[i].value != what->dims[i].value)
            return false;
    return true;
}

static uint64_t hash_of(uint16_t machine, uint32_t utid, const struct orma_thread_counter *what)
{
    const char *kind = what->memory ? what->memory : what->type;
    uint64_t h = orma_mix64((uint64_t)utid << 16 | machine) ^ orma_mix64((uintptr_t)kind);

    for (unsigned i = 0; i < what->dims_num; i++)
        h = orma_mix64(h ^ (uint64_t)what->dims[i].value << 20 ^ what->dims[i].key);
    return h;
}

/* UINT32_MAX: no memory. */
static uint32_t group_of(struct orma_model *model, struct orma_thread_counters *st,
                         uint16_t machine, uint32_t utid, const struct orma_thread_counter *what)
{
    uint64_t hash = hash_of(machine, utid, what), known;

    while ((known = orma_map_get(&st->by_hash, hash)) != ORMA_MAP_NONE) {
        if (is_same(&st->groups[known], machine, utid, what))
            return (uint32_t)known;
        hash = orma_mix64(hash + 1);
    }
    if (ORMA_GROW(&st->groups, &st->groups_cap, st->groups_num + (size_t)1) ||
        orma_map_put(&st->by_hash, hash, st->groups_num)) {
        model->storage->failed = true;
        return UINT32_MAX;
    }
    st->groups[st->groups_num] = (struct group){utid, machine, *what, 0};
    return st->groups_num++;
}

void orma_model_add_thread_counter(struct orma_model *model, uint16_t machine, int64_t ts,
                                   uint32_t utid, const struct orma_thread_counter *what,
                                   double value)
{
    struct orma_thread_counters *st =
        orma_model_lazy(model, (void **)&model->thread_counters, sizeof(*st));
    uint32_t group = st ? group_of(model, st, machine, utid, what) : UINT32_MAX;

    if (group == UINT32_MAX)
        return;
    if (ORMA_GROW(&st->rows, &st->rows_cap, st->rows_num + (size_t)1)) {
        model->storage->failed = true;
        return;
    }
    st->rows[st->rows_num++] = orma_model_table(model, ORMA_TABLE_COUNTER)->rows;
    orma_model_counter(model, ts, group, value);
}

static uint32_t track_of(struct orma_model *model, const struct group *g)
{
    uint32_t upid = orma_processes_upid(orma_model_processes(model, g->machine), g->utid);
    bool known = upid != ORMA_ID_NONE;
    const struct orma_thread_counter *w = &g->what;
    struct orma_track_dim dims[1 + ORMA_THREAD_COUNTER_DIMS_MAX] = {
        known ? orma_dim(model->known.upid, upid) : orma_dim(model->known.utid, g->utid)};

    if (w->memory)
        return known ? orma_model_memory_track(model, g->machine, upid, w->memory)
                     : orma_model_thread_memory_track(model, g->machine, g->utid, w->memory);
    if (w->dims_num)
        memcpy(dims + 1, w->dims, w->dims_num * sizeof(*dims));
    return orma_model_counter_track(model, g->machine, known ? w->type : w->fallback_type, w->name,
                                    NULL, 1 + w->dims_num, dims);
}

/* In the order of their first samples, but those of machines beside the host before its own: so
 * does the reference. */
static void make_tracks(struct orma_model *model, struct orma_thread_counters *st)
{
    for (int host = 0; host < 2; host++)
        for (uint32_t i = 0; i < st->groups_num; i++)
            if ((st->groups[i].machine ? 0 : 1) == host)
                st->groups[i].track = track_of(model, &st->groups[i]);
}

void orma_model_finish_thread_counters(struct orma_model *model)
{
    struct orma_thread_counters *st = model->thread_counters;
    struct orma_table *t = orma_model_table(model, ORMA_TABLE_COUNTER);

    if (!st)
        return;
    make_tracks(model, st);
    for (uint32_t i = 0; i < st->rows_num; i++) {
        if (st->rows[i] >= t->rows)
            continue; /* memory was out */
        int64_t group = orma_table_int(t, ORMA_COUNTER_TRACK_ID, st->rows[i]);

        ORMA_ASSERT(group >= 0 && group < st->groups_num);
        orma_table_set(t, ORMA_COUNTER_TRACK_ID, st->rows[i], st->groups[group].track);
    }
    orma_model_fini_thread_counters(model);
}

void orma_model_fini_thread_counters(struct orma_model *model)
{
    struct orma_thread_counters *st = model->thread_counters;

    if (!st)
        return;
    free(st->groups);
    free(st->rows);
    orma_map_fini(&st->by_hash);
    *st = (struct orma_thread_counters){0};
}
