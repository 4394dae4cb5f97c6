/*
 * Groups of tracks that look like one: slices that overlap lie side by side.
 *
 * A group has the identity of a track (type, dimensions, machine). Its rows,
 * here called lanes, differ by one more dimension, the number of the lane. A
 * begin goes to the lane where its cookie is open already, else to the lowest
 * free one; so depth is per lane. Threads: none.
 */
#ifndef ORMA_PROCESSOR_MODEL_ASYNC_H
#define ORMA_PROCESSOR_MODEL_ASYNC_H
#include "processor/model/model.h"

struct orma_lane {
    uint32_t track;
    uint32_t open; /* slices begun under the cookie and not ended */
    uint64_t cookie;
    int64_t busy_to; /* end of the last slice of known length; if they nest: of the innermost */
    bool of_lengths; /* only has slices of known length, which have no cookie */
};

/* Up to so many lanes are walked over; of more it is remembered which cookie was where. */
#define ORMA_LANES_FEW 32

struct orma_lane_bounds;

struct orma_lanes {
    struct orma_lane *lanes;
    uint32_t num;
    uint32_t number;           /* of the group, in the order in which groups get a track */
    uint32_t taken;            /* so many of the first lanes are free for nothing */
    struct orma_map by_cookie; /* of more than a few: cookie → the lane where it was last */
    /* Of more than a few that have slices of known length: a tree over their busy_to, as an array
     * (the children of n are 2n and 2n + 1), with so many leaves. */
    struct orma_lane_bounds *tree;
    uint32_t leaves;
    /* Whose they are. */
    uint32_t type, machine, dims_num;
    struct orma_track_dim dims[ORMA_TRACK_DIMENSIONS_MAX];
};

/* The group of this identity; empty when it is new. NULL when memory is out. */
struct orma_lanes *orma_lanes_get(struct orma_model *model, const struct orma_track_spec *spec);

/* A further lane, described like the spec. NULL when memory is out. */
struct orma_lane *orma_lanes_add(struct orma_model *model, struct orma_lanes *self,
                                 const struct orma_track_spec *spec);

/* The lane where the cookie is open, or NULL. */
static inline struct orma_lane *orma_lanes_open(const struct orma_lanes *self, uint64_t cookie)
{
    for (uint32_t i = 0; i < self->num; i++)
        if (self->lanes[i].open && self->lanes[i].cookie == cookie)
            return &self->lanes[i];
    return NULL;
}

/* The lowest lane with nothing on it at `ts`, or NULL. */
static inline struct orma_lane *orma_lanes_free(const struct orma_lanes *self, int64_t ts)
{
    for (uint32_t i = 0; i < self->num; i++)
        if (!self->lanes[i].open && self->lanes[i].busy_to <= ts && !self->lanes[i].of_lengths)
            return &self->lanes[i];
    return NULL;
}

struct orma_lane *orma_lanes_find_in_many(struct orma_lanes *self, uint64_t cookie, int64_t ts);

/* The lane for what comes under a cookie: where that is open, where it was last, or else the lowest
 * one with nothing on it. NULL: there is none. */
static inline struct orma_lane *orma_lanes_find(struct orma_lanes *self, uint64_t cookie,
                                                int64_t ts)
{
    if (ORMA_UNLIKELY(self->num > ORMA_LANES_FEW))
        return orma_lanes_find_in_many(self, cookie, ts);
    struct orma_lane *lane = orma_lanes_open(self, cookie);

    for (uint32_t i = 0; !lane && i < self->num; i++)
        if (self->lanes[i].cookie == cookie && !self->lanes[i].open &&
            self->lanes[i].busy_to <= ts && !self->lanes[i].of_lengths)
            lane = &self->lanes[i];
    return lane ? lane : orma_lanes_free(self, ts);
}

/* The lane is the cookie's from now on. */
static inline void orma_lanes_take(struct orma_model *model, struct orma_lanes *self,
                                   struct orma_lane *lane, uint64_t cookie)
{
    lane->cookie = cookie;
    if (ORMA_UNLIKELY(self->num > ORMA_LANES_FEW) &&
        orma_map_put(&self->by_cookie, cookie, (uint64_t)(lane - self->lanes)) < 0)
        model->storage->failed = true;
}

/* One of what is open on the lane ends, if there is any. */
static inline void orma_lanes_end(struct orma_lanes *self, struct orma_lane *lane)
{
    if (lane->open && !--lane->open)
        self->taken = ORMA_MIN(self->taken, (uint32_t)(lane - self->lanes));
}

/* All of it in one step, for those who don't keep the group: the track to use. Unnestable: at
 * most one slice of a cookie is open. */
uint32_t orma_async_begin(struct orma_model *model, const struct orma_track_spec *spec,
                          uint64_t cookie, int64_t ts, bool unnestable);
uint32_t orma_async_end(struct orma_model *model, const struct orma_track_spec *spec,
                        uint64_t cookie, int64_t ts);
/* The same for a slice of known length, 0 for instants: on lanes of their own. */
uint32_t orma_async_instant(struct orma_model *model, const struct orma_track_spec *spec,
                            int64_t ts, int64_t dur);

/* The same for slices that may nest: on the lowest lane where it fits into what goes on there. */
uint32_t orma_async_nest(struct orma_model *model, const struct orma_track_spec *spec, int64_t ts,
                         int64_t dur);

/* ---- async events of Chrome: found again by (process or trace, scope, id) whatever their name */

struct orma_legacy_async {
    uint16_t machine;
    bool of_process;
    uint32_t upid; /* ORMA_ID_NONE: unknown; never if of_process */
    uint32_t scope, name;
    int64_t id;
};

/* The track of instants of a process, or with ORMA_ID_NONE of the whole trace. */
uint32_t orma_legacy_instant_track(struct orma_model *model, uint16_t machine, uint32_t upid);

enum orma_async_phase { ORMA_ASYNC_BEGIN, ORMA_ASYNC_END, ORMA_ASYNC_INSTANT };

uint32_t orma_legacy_async_track(struct orma_model *model, const struct orma_legacy_async *a,
                                 enum orma_async_phase phase, int64_t ts);
void orma_async_fini(struct orma_model *model);
#endif
