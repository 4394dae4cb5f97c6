/*
 * Tracks: rows of __intrinsic_track, one per (type, dimensions, machine).
 *
 * A dimension is a key with a number or a text: they are stored as a set of
 * args, so equal dimensions have equal sets and the identity of a track is
 * three small numbers. Threads: none.
 */
#ifndef ORMA_PROCESSOR_MODEL_TRACKS_H
#define ORMA_PROCESSOR_MODEL_TRACKS_H
#include "processor/model/known_strings.h"
#include "processor/store/storage.h"
#include "sdk/base/map.h"

#define ORMA_TRACK_DIMENSIONS_MAX 6

enum orma_track_event { ORMA_TRACK_SLICES, ORMA_TRACK_COUNTER, ORMA_TRACK_STATES };

struct orma_track_dim {
    uint32_t key; /* pool id */
    bool is_text;
    int64_t value; /* or a pool id */
};

/* What a track is, and what it is given when it is new. */
struct orma_track_spec {
    const char *type;
    enum orma_track_event event;
    uint32_t machine;
    unsigned dims_num;
    struct orma_track_dim dims[ORMA_TRACK_DIMENSIONS_MAX];
    uint32_t name, unit;                      /* pool ids, 0 = NULL */
    uint32_t parent;                          /* ORMA_TRACK_NONE: none */
    const struct orma_args_list *source_args; /* NULL: none */
};

#define ORMA_TRACK_NONE UINT32_MAX

/* Tracks that were asked for lately, by the address of their type and their dimensions. */
#define ORMA_TRACKS_LATELY 512
struct orma_track_lately {
    const char *type;
    uint32_t machine, track;
    unsigned dims_num;
    struct orma_track_dim dims[2];
};

struct orma_tracks {
    struct orma_storage *storage;
    const struct orma_translations *translations; /* NULL: there are none */
    const struct orma_known_strings *known;
    struct orma_map by_identity; /* → track */
    unsigned settled;            /* `settled` of the args whose sets are in by_identity */
    struct orma_args_list dims;  /* scratch */
    struct orma_track_lately lately[ORMA_TRACKS_LATELY];
};

void orma_tracks_init(struct orma_tracks *self, struct orma_storage *storage,
                      const struct orma_known_strings *known);
void orma_tracks_fini(struct orma_tracks *self);

/* The track, made if it is new. `type` must be a literal. */
uint32_t orma_tracks_get(struct orma_tracks *self, const struct orma_track_spec *spec);

/* The same if it was asked for lately; else ORMA_TRACK_NONE: a name need not be made in vain. */
uint32_t orma_tracks_find_lately(const struct orma_tracks *self,
                                 const struct orma_track_spec *spec);

/* A track of its own, whatever others there are. */
uint32_t orma_tracks_add(struct orma_tracks *self, const struct orma_track_spec *spec);

/* A number and a text as dimension. */
static inline struct orma_track_dim orma_dim(uint32_t key, int64_t value)
{
    return (struct orma_track_dim){key, false, value};
}

static inline struct orma_track_dim orma_dim_str(uint32_t key, uint32_t text)
{
    return (struct orma_track_dim){key, true, text};
}
#endif
