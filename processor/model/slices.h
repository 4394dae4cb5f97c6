/*
 * Slices: one stack per track, rows of __intrinsic_slice as they begin.
 *
 * Begin pushes a row with dur -1; its depth is the height of the stack and its
 * parent what lies on top. An end looks from the top for an open slice that
 * fits and sets its duration; the slice leaves the stack when later events
 * show that it is over. Ends may therefore close an outer slice first.
 *
 * Args of an open slice wait on the stack, because its end may bring more.
 * Threads: none.
 */
#ifndef ORMA_PROCESSOR_MODEL_SLICES_H
#define ORMA_PROCESSOR_MODEL_SLICES_H
#include "processor/model/known_strings.h"
#include "processor/store/storage.h"

#define ORMA_SLICE_NONE UINT32_MAX
#define ORMA_SLICE_DEPTH_MAX 512

struct orma_slice_entry {
    uint32_t row;
    uint32_t category, name;
    uint32_t op; /* in a batch (slices_batch.h): that which began it there, + 1; 0: none */
    int64_t ts, dur;
    /* Of the slices that have ended, up to this one in the stack: the first end, and the first of
     * those that have a length. INT64_MAX: there are none. */
    int64_t first_end, first_end_long;
    bool pending; /* has args that are not committed yet */
};

struct orma_slice_stack {
    struct orma_slice_entry *entries;
    struct orma_args_list *args; /* of each entry, while pending */
    uint32_t num, cap;
    uint32_t closed; /* entries that have ended and wait to be trimmed */
    bool unnestable; /* at most one open slice; further begins are only counted */
    uint32_t begins; /* of those */
    int64_t last_begin;
};

struct orma_slices {
    struct orma_storage *storage;
    const struct orma_translations *translations; /* NULL: there are none */
    struct orma_slice_stack **stacks;             /* by track */
    uint32_t stacks_num;
    /* Called for each new slice: flows may wait for it. May be NULL. */
    void (*begun)(void *data, uint32_t track, uint32_t slice);
    void *begun_data;
    /* Called when a slice is refused, to count and log it: it reaches out of `existing` (a row), or
     * ends before it begins (ORMA_SLICE_NONE); or too many are around it, `parent` the innermost of
     * them. NULL: it is only counted. */
    void (*dropped)(void *data, int64_t ts, uint32_t existing);
    void (*too_deep)(void *data, int64_t ts, uint32_t parent, uint32_t name);
    void *refused_data;
};

void orma_slices_init(struct orma_slices *self, struct orma_storage *storage);

/* Commits the args of slices that never ended. */
void orma_slices_finish(struct orma_slices *self);
void orma_slices_fini(struct orma_slices *self);

/* The row, or ORMA_SLICE_NONE if the slice was refused. `args` may be NULL. */
uint32_t orma_slices_begin(struct orma_slices *self, int64_t ts, uint32_t track, uint32_t category,
                           uint32_t name, const struct orma_args_list *args);

/* A slice with a known duration; 0 for instants. */
uint32_t orma_slices_complete(struct orma_slices *self, int64_t ts, int64_t dur, uint32_t track,
                              uint32_t category, uint32_t name, const struct orma_args_list *args);

/* The slice that this one would begin in and reach out of, or ORMA_SLICE_NONE. */
uint32_t orma_slices_overlapped(struct orma_slices *self, int64_t ts, int64_t dur, uint32_t track);

/* When the innermost slice that goes on at `ts` ends; INT64_MAX: there is none, or it is open. */
int64_t orma_slices_innermost_end(struct orma_slices *self, uint32_t track, int64_t ts);

/* Category and name 0: anything fits. `args` are added to the slice's. */
uint32_t orma_slices_end(struct orma_slices *self, int64_t ts, uint32_t track, uint32_t category,
                         uint32_t name, const struct orma_args_list *args);

/* True if that would end a slice: args need not be made in vain. */
bool orma_slices_would_end(struct orma_slices *self, int64_t ts, uint32_t track, uint32_t category,
                           uint32_t name);

/* Adds to the args of the innermost open slice that fits, if there is one. */
void orma_slices_add_args(struct orma_slices *self, uint32_t track, uint32_t category,
                          uint32_t name, const struct orma_args_list *args);

/*
 * The innermost slice on the track's stack that goes on at that time, or ORMA_SLICE_NONE. At
 * ORMA_SLICES_LAST what is on top of the stack, also if it is over: until the next event trims it.
 */
#define ORMA_SLICES_LAST INT64_MIN
uint32_t orma_slices_top(const struct orma_slices *self, uint32_t track, int64_t ts);

/* The args that the innermost open slice of the track has so far; NULL: none. */
const struct orma_args_list *orma_slices_open_args(struct orma_slices *self, uint32_t track);

void orma_slices_set_unnestable(struct orma_slices *self, uint32_t track);

/* The stack of a track, made if it is not there yet; room for so many entries in it. NULL, false:
 * memory is out, which is noted. */
struct orma_slice_stack *orma_slices_stack(struct orma_slices *self, uint32_t track);
bool orma_slices_reserve(struct orma_slices *self, struct orma_slice_stack *s, uint32_t num);

/* A row outside any stack. */
uint32_t orma_slices_add_row(struct orma_slices *self, int64_t ts, int64_t dur, uint32_t track,
                             uint32_t category, uint32_t name);

/* Where it ends; no later than time does, whatever a file says how long it is. */
static inline int64_t orma_slice_end(int64_t ts, int64_t dur)
{
    int64_t end;

    return __builtin_add_overflow(ts, dur, &end) ? (dur < 0 ? INT64_MIN : INT64_MAX) : end;
}
#endif
