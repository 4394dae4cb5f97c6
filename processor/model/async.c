/*
 * Groups are found by a hash of type, machine and dimensions; the slot is believed only if all of
 * them are equal, else the next hash is tried. A group is an array of lanes, and a look for one is
 * a walk over it: most groups are small, for there are as many lanes as slices overlap. In those
 * that are not, the lane of a cookie is found in a map, and the walk for a free one begins behind
 * those that are taken; of slices of known length the lowest lane that will do is found in a tree.
 *
 *   lane 0   [ a        ]   [ d ]        begin(c): lanes 0 and 1 are busy, so lane 2 is made
 *   lane 1      [ b  ]                   begin(d): lane 0 is the lowest that is free again
 *   lane 2        [ c ]
 */
#include "processor/model/async.h"

#include <stdlib.h>
#include <string.h>

#include "sdk/base/hash.h"

struct orma_async {
    struct orma_map groups; /* hash of type and dimensions → struct orma_lanes * */
    struct orma_map roots;  /* ids of Chrome's events → the name of the first under it */
    uint32_t with_tracks;   /* how many groups have one */
    struct orma_arena arena;
    struct orma_args_list args;
};

static struct orma_async *state(struct orma_model *model)
{
    return orma_model_lazy(model, (void **)&model->async, sizeof(struct orma_async));
}

static uint64_t hash_of(const struct orma_track_spec *spec, uint32_t type)
{
    uint64_t h = orma_mix64((uint64_t)type << 8 | spec->machine);

    for (unsigned i = 0; i < spec->dims_num; i++) {
        h = orma_mix64(h ^ (uint64_t)spec->dims[i].value);
        h = orma_mix64(h ^ ((uint64_t)spec->dims[i].key << 1 | spec->dims[i].is_text));
    }
    return h;
}

static bool is_of(const struct orma_lanes *self, const struct orma_track_spec *spec, uint32_t type)
{
    if (self->type != type || self->machine != spec->machine || self->dims_num != spec->dims_num)
        return false;
    for (unsigned i = 0; i < spec->dims_num; i++)
        if (self->dims[i].key != spec->dims[i].key || self->dims[i].value != spec->dims[i].value ||
            self->dims[i].is_text != spec->dims[i].is_text)
            return false;
    return true;
}

struct orma_lanes *orma_lanes_get(struct orma_model *model, const struct orma_track_spec *spec)
{
    struct orma_async *st = state(model);
    uint32_t type = orma_model_lit(model, spec->type); /* of tracks they are all literals */
    uint64_t hash = hash_of(spec, type);
    struct orma_lanes *g = st ? orma_map_get_ptr(&st->groups, hash) : NULL;

    for (; g && !is_of(g, spec, type); hash++) /* a file may have chosen values that meet */
        g = orma_map_get_ptr(&st->groups, hash + 1);
    if (g || !st)
        return g;
    g = orma_arena_alloc(&st->arena, sizeof(*g));
    if (!g || orma_map_put_ptr(&st->groups, hash, g)) {
        model->storage->failed = true;
        return NULL;
    }
    *g = (struct orma_lanes){.type = type, .machine = spec->machine, .dims_num = spec->dims_num};
    memcpy(g->dims, spec->dims, spec->dims_num * sizeof(*g->dims));
    return g;
}

struct orma_lane *orma_lanes_add(struct orma_model *model, struct orma_lanes *self,
                                 const struct orma_track_spec *spec)
{
    struct orma_lane *lanes = self->lanes;
    struct orma_track_spec numbered = *spec;

    if (!(self->num & (self->num - 1))) { /* as many as fit, a power of two: most have one */
        lanes = realloc(lanes, (self->num ? 2 * (size_t)self->num : 1) * sizeof(*lanes));
        if (!lanes) {
            model->storage->failed = true;
            return NULL;
        }
        self->lanes = lanes;
    }
    numbered.dims[numbered.dims_num++] =
        orma_dim(orma_model_lit(model, "track_compressor_idx"), self->num);
    if (!self->num && model->async)
        self->number = model->async->with_tracks++;
    for (uint32_t i = 0; self->num == ORMA_LANES_FEW && i < self->num; i++)
        if (orma_map_put(&self->by_cookie, lanes[i].cookie, i) < 0)
            model->storage->failed = true;
    lanes[self->num] = (struct orma_lane){.track = orma_tracks_add(&model->tracks, &numbered),
                                          .busy_to = INT64_MIN};
    orma_table_set(orma_model_table(model, ORMA_TABLE_TRACK), ORMA_TRACK_TRACK_GROUP_ID,
                   lanes[self->num].track, self->number);
    return &lanes[self->num++];
}

/* Lanes that are open, or hold slices of known length, can only become free by an end. */
struct orma_lane *orma_lanes_find_in_many(struct orma_lanes *self, uint64_t cookie, int64_t ts)
{
    uint64_t at = orma_map_get(&self->by_cookie, cookie);
    struct orma_lane *last = at == ORMA_MAP_NONE ? NULL : &self->lanes[at];

    if (last && last->cookie == cookie &&
        (last->open || (last->busy_to <= ts && !last->of_lengths)))
        return last;
    while (self->taken < self->num &&
           (self->lanes[self->taken].open || self->lanes[self->taken].of_lengths))
        self->taken++;
    for (uint32_t i = self->taken; i < self->num; i++)
        if (!self->lanes[i].open && self->lanes[i].busy_to <= ts && !self->lanes[i].of_lengths)
            return &self->lanes[i];
    return NULL;
}

/* NULL when memory is out. */
static struct orma_lane *find_or_add(struct orma_model *model, struct orma_lanes *g,
                                     const struct orma_track_spec *spec, uint64_t cookie,
                                     int64_t ts)
{
    struct orma_lane *lane = g ? orma_lanes_find(g, cookie, ts) : NULL;

    if (g && !lane)
        lane = orma_lanes_add(model, g, spec);
    if (lane)
        orma_lanes_take(model, g, lane, cookie);
    return lane;
}

uint32_t orma_async_begin(struct orma_model *model, const struct orma_track_spec *spec,
                          uint64_t cookie, int64_t ts, bool unnestable)
{
    struct orma_lanes *g = orma_lanes_get(model, spec);
    struct orma_lane *lane = find_or_add(model, g, spec, cookie, ts);

    if (!lane)
        return ORMA_TRACK_NONE;
    lane->open = unnestable ? 1 : lane->open + 1;
    if (unnestable)
        orma_slices_set_unnestable(&model->slices, lane->track);
    return lane->track;
}

uint32_t orma_async_end(struct orma_model *model, const struct orma_track_spec *spec,
                        uint64_t cookie, int64_t ts)
{
    struct orma_lanes *g = orma_lanes_get(model, spec);
    struct orma_lane *lane = find_or_add(model, g, spec, cookie, ts);

    if (!lane)
        return ORMA_TRACK_NONE;
    orma_lanes_end(g, lane);
    return lane->track;
}

/* ---- slices of known length ---- */

/* Of all lanes below a node of the tree; of those that have no such slices, an empty range. */
struct orma_lane_bounds {
    int64_t min, max; /* of busy_to */
};

static void join_bounds(struct orma_lane_bounds *tree, uint32_t node)
{
    const struct orma_lane_bounds *a = &tree[2 * node], *b = &tree[2 * node + 1];

    tree[node] = (struct orma_lane_bounds){ORMA_MIN(a->min, b->min), ORMA_MAX(a->max, b->max)};
}

/* A tree of all lanes, with room for as many again. */
static void grow_tree(struct orma_model *model, struct orma_lanes *g, bool nested)
{
    uint32_t leaves = 2 * ORMA_LANES_FEW;

    while (leaves < 2 * g->num)
        leaves *= 2;
    struct orma_lane_bounds *tree = realloc(g->tree, (size_t)leaves * 2 * sizeof(*tree));
    if (!tree) {
        model->storage->failed = true;
        return;
    }
    for (uint32_t i = 0; i < leaves; i++) {
        bool has = i < g->num && (nested || g->lanes[i].of_lengths);

        tree[leaves + i] = (struct orma_lane_bounds){has ? g->lanes[i].busy_to : INT64_MAX,
                                                     has ? g->lanes[i].busy_to : INT64_MIN};
    }
    for (uint32_t node = leaves; --node > 0;)
        join_bounds(tree, node);
    g->tree = tree;
    g->leaves = leaves;
}

/* `nested`: all lanes of the group have slices that nest. */
static void set_busy(struct orma_model *model, struct orma_lanes *g, struct orma_lane *lane,
                     int64_t to, bool nested)
{
    uint32_t i = (uint32_t)(lane - g->lanes);

    lane->busy_to = to;
    if (g->num <= ORMA_LANES_FEW)
        return;
    if (i >= g->leaves) {
        grow_tree(model, g, nested);
        return;
    }
    uint32_t node = g->leaves + i;
    g->tree[node] = (struct orma_lane_bounds){to, to};
    while (node /= 2)
        join_bounds(g->tree, node);
}

/* The lowest lane that is busy to `ts` at most, or, if they nest, to `end` at least. */
static struct orma_lane *first_lane(const struct orma_lanes *g, int64_t ts, int64_t end,
                                    bool nested)
{
    uint32_t node = 1;

    if (!(g->tree[1].min <= ts || (nested && g->tree[1].max >= end)))
        return NULL;
    while (node < g->leaves) {
        node *= 2;
        if (!(g->tree[node].min <= ts || (nested && g->tree[node].max >= end)))
            node++;
    }
    return node - g->leaves < g->num ? &g->lanes[node - g->leaves] : NULL;
}

/* The lowest lane of such slices that is free by then. */
static struct orma_lane *lengths_lane(const struct orma_lanes *g, int64_t ts)
{
    if (g->leaves && ts < INT64_MAX) /* then, those without such slices seem to be free */
        return first_lane(g, ts, 0, false);
    for (uint32_t i = 0; i < g->num; i++)
        if (g->lanes[i].of_lengths && g->lanes[i].busy_to <= ts)
            return &g->lanes[i];
    return NULL;
}

uint32_t orma_async_instant(struct orma_model *model, const struct orma_track_spec *spec,
                            int64_t ts, int64_t dur)
{
    struct orma_lanes *g = orma_lanes_get(model, spec);
    struct orma_lane *lane = g ? lengths_lane(g, ts) : NULL;

    if (g && !lane)
        lane = orma_lanes_add(model, g, spec);
    if (!lane)
        return ORMA_TRACK_NONE;
    lane->of_lengths = true;
    set_busy(model, g, lane, orma_slice_end(ts, dur), false);
    return lane->track;
}

/* The same by the tree: each lane that is looked at has a slice that ended, or is the one. */
static struct orma_lane *nest_lane_of_many(struct orma_model *model, struct orma_lanes *g,
                                           int64_t ts, int64_t end)
{
    struct orma_lane *lane;

    while ((lane = first_lane(g, ts, end, true)) && lane->busy_to <= ts) {
        int64_t to = orma_slices_innermost_end(&model->slices, lane->track, ts);

        set_busy(model, g, lane, to, true);
        if (to >= end)
            return lane;
        if (to <= ts) /* nothing lasts to where it begins: not with times that are in order */
            return NULL;
    }
    return lane;
}

/* The lowest lane of such slices where this one lies inside of all that goes on. */
static struct orma_lane *nest_lane(struct orma_model *model, struct orma_lanes *g, int64_t ts,
                                   int64_t end)
{
    if (g->leaves)
        return nest_lane_of_many(model, g, ts, end);
    for (uint32_t i = 0; i < g->num; i++) {
        struct orma_lane *lane = &g->lanes[i];

        if (lane->busy_to <= ts)
            lane->busy_to = orma_slices_innermost_end(&model->slices, lane->track, ts);
        if (lane->busy_to >= end)
            return lane;
    }
    return NULL;
}

uint32_t orma_async_nest(struct orma_model *model, const struct orma_track_spec *spec, int64_t ts,
                         int64_t dur)
{
    struct orma_lanes *g = orma_lanes_get(model, spec);
    int64_t end = orma_slice_end(ts, dur);
    struct orma_lane *lane = g ? nest_lane(model, g, ts, end) : NULL;

    if (g && !lane)
        lane = orma_lanes_add(model, g, spec);
    if (!lane)
        return ORMA_TRACK_NONE;
    set_busy(model, g, lane, end, true);
    return lane->track;
}

/* ---- Chrome's ---- */

static void source_args(struct orma_model *model, struct orma_async *st,
                        const struct orma_legacy_async *a)
{
    orma_args_list_clear(&st->args);
    orma_args_put_str(&st->args, model->known.source, orma_model_lit(model, "chrome"));
    orma_args_put_bool(&st->args, orma_model_lit(model, "trace_id_is_process_scoped"),
                       a->of_process);
    orma_args_put_uint(&st->args, model->known.upid, a->upid != ORMA_ID_NONE ? a->upid : 0);
    orma_args_put_str(&st->args, orma_model_lit(model, "source_scope"), a->scope);
}

/*
 * All under one id (of the process, if it is one's) goes by the name of the first event, whatever
 * nests in it is called. The scope does not count here: ids of unlike scopes that happen to be the
 * same number share a name, though not a track.
 */
static uint32_t name_of(struct orma_model *model, struct orma_async *st,
                        const struct orma_legacy_async *a)
{
    uint64_t id = orma_mix64((uint64_t)a->id) ^ (a->of_process ? (uint64_t)a->upid + 1 : 0) ^
                  (uint64_t)a->machine << 40;
    uint64_t first = orma_map_get(&st->roots, id);

    if (first != ORMA_MAP_NONE)
        return (uint32_t)first;
    if (orma_map_put(&st->roots, id, a->name))
        model->storage->failed = true;
    return a->name;
}

static struct orma_lane *legacy_lane(struct orma_model *model, struct orma_async *st,
                                     const struct orma_legacy_async *a, uint64_t cookie, int64_t ts,
                                     struct orma_lanes **ret_group)
{
    struct orma_track_spec spec = {
        .type = a->of_process ? "legacy_async_process_slice" : "legacy_async_global_slice",
        .event = ORMA_TRACK_SLICES,
        .machine = a->machine,
        .name = a->name,
        .parent = ORMA_TRACK_NONE,
        .source_args = &st->args,
    };

    if (a->of_process)
        spec.dims[spec.dims_num++] = orma_dim(model->known.upid, a->upid);
    spec.dims[spec.dims_num++] = orma_dim_str(model->known.scope, a->scope);
    spec.dims[spec.dims_num++] = orma_dim_str(model->known.name, name_of(model, st, a));
    struct orma_lanes *g = orma_lanes_get(model, &spec);
    struct orma_lane *lane = g ? orma_lanes_find(g, cookie, ts) : NULL;
    if (g && !lane) {
        source_args(model, st, a);
        lane = orma_lanes_add(model, g, &spec);
    }
    if (lane)
        orma_lanes_take(model, g, lane, cookie);
    *ret_group = g;
    return lane;
}

uint32_t orma_legacy_async_track(struct orma_model *model, const struct orma_legacy_async *a,
                                 enum orma_async_phase phase, int64_t ts)
{
    struct orma_async *st = state(model);
    uint64_t cookie = orma_mix64((uint64_t)a->id);

    if (!st)
        return ORMA_TRACK_NONE;
    cookie = orma_mix64(cookie ^ a->scope);
    cookie = orma_mix64(cookie ^ (a->of_process ? (uint64_t)a->upid + 1 : 0) ^
                        (uint64_t)a->machine << 40);
    struct orma_lanes *g;
    struct orma_lane *lane = legacy_lane(model, st, a, cookie, ts, &g);
    if (!lane)
        return ORMA_TRACK_NONE;
    switch (phase) {
    case ORMA_ASYNC_BEGIN:
        lane->open++;
        break;
    case ORMA_ASYNC_END:
        orma_lanes_end(g, lane);
        break;
    case ORMA_ASYNC_INSTANT:
        if (!lane->open)
            lane->busy_to = ts;
        break;
    }
    return lane->track;
}

uint32_t orma_legacy_instant_track(struct orma_model *model, uint16_t machine, uint32_t upid)
{
    struct orma_args_list source = {0};
    struct orma_track_spec spec = {
        .type = upid == ORMA_ID_NONE ? "legacy_chrome_global_instants" : "chrome_process_instant",
        .event = ORMA_TRACK_SLICES,
        .machine = machine,
        .parent = ORMA_TRACK_NONE,
        .source_args = &source,
    };

    if (upid != ORMA_ID_NONE)
        spec.dims[spec.dims_num++] = orma_dim(model->known.upid, upid);
    orma_args_put_str(&source, model->known.source, orma_model_lit(model, "chrome"));
    model->storage->failed |= source.failed;
    uint32_t track = orma_tracks_get(&model->tracks, &spec);
    orma_args_list_fini(&source);
    return track;
}

void orma_async_fini(struct orma_model *model)
{
    struct orma_async *st = model->async;

    if (!st)
        return;
    ORMA_MAP_EACH (slot, &st->groups) {
        struct orma_lanes *g = (struct orma_lanes *)(uintptr_t)slot->val;

        orma_map_fini(&g->by_cookie);
        free(g->lanes);
        free(g->tree);
    }
    orma_map_fini(&st->groups);
    orma_map_fini(&st->roots);
    orma_arena_fini(&st->arena);
    orma_args_list_fini(&st->args);
}
