/*
 * Slices in batches: the rows that orma_slices_begin(), _end() and _complete() would make one after
 * the other, made by several threads.
 *
 *   ops   begin A │ begin B │ end A │ instant │ ...      in order of time, of several tracks
 *
 *   nest()    a piece for each track: its stack, a copy, goes through the ops of the track. Rows are
 *             numbered before: each op but an end is one. Lists what comes of it: lengths, depths,
 *             parents, and which sets of args are complete by which op.
 *   (caller)  fills in the sets of args
 *   store()   a piece for each column; that of args commits sets in the order of the ops
 *
 * What an op alone cannot say is not for batches: nest() refuses tracks that do not nest, and stacks
 * that get too deep, and has changed nothing then.
 *
 * Threads: one batch belongs to one thread, which gives the others work.
 */
#ifndef ORMA_PROCESSOR_MODEL_SLICES_BATCH_H
#define ORMA_PROCESSOR_MODEL_SLICES_BATCH_H
#include "processor/model/slices.h"
#include "processor/threads/crew.h"
#include "sdk/base/vec.h"

/* At most so many ops: their rows stay in the tails of tables. */
#define ORMA_SLICES_BATCH_MAX 8192u

enum orma_slices_kind {
    ORMA_SLICES_BEGIN,
    ORMA_SLICES_END, /* of the innermost open slice with that category and name, 0: any */
    ORMA_SLICES_INSTANT,
};

struct orma_slices_op {
    int64_t ts;
    uint32_t track, category, name;
    uint8_t kind;  /* enum orma_slices_kind */
    bool has_args; /* a set of that number (of the op) will be there */
};

/* Args of an op, in `args` of the batch. */
struct orma_slices_set {
    uint32_t first, len, behind, memo_stamp; /* as in orma_args_list */
    struct orma_args_memo *memo;
};

struct orma_slices_batch_track;

/* Zero-initialised is empty. */
struct orma_slices_batch {
    /* From the caller, which sets how many there are; room for ORMA_SLICES_BATCH_MAX each. */
    struct orma_slices_op *ops;
    struct orma_slices_set *sets; /* by number of the op: of those with args */
    uint32_t num;
    ORMA_VEC(struct orma_args_item) args; /* of all sets */
    /* The rest is the batch's own. */
    struct orma_slices *slices;
    struct orma_slices_batch_track *tracks; /* in order of their first op */
    uint32_t tracks_num, tracks_cap;
    uint32_t *place_of_track; /* by track: in `tracks`, + 1; 0: has no op. */
    uint32_t places_cap;
    struct orma_slices_batch_op *of_ops;
    uint32_t *op_of_row; /* by number of the row in the batch */
    uint32_t base, rows; /* the first row, and how many */
};

/* Whether slices may be made in batches at all: nobody listens to them one by one. */
bool orma_slices_batch_may(const struct orma_slices *slices);

/* Room for ops. False: memory is out. */
bool orma_slices_batch_init(struct orma_slices_batch *self, struct orma_slices *slices);
void orma_slices_batch_fini(struct orma_slices_batch *self);

/* False: these must be made one by one; nothing was done. */
bool orma_slices_batch_nest(struct orma_slices_batch *self, struct orma_crew *crew);

/* Behind nest(): whether the op is an end of nothing. */
bool orma_slices_batch_is_alone(const struct orma_slices_batch *self, uint32_t op);

/* After that, always: else stacks and rows are not what they should be. */
void orma_slices_batch_store(struct orma_slices_batch *self, struct orma_crew *crew);

/* The set of an op as a list, which is not to be changed or freed. */
static inline struct orma_args_list orma_slices_batch_list(const struct orma_slices_batch *self,
                                                           uint32_t op)
{
    const struct orma_slices_set *set = &self->sets[op];

    return (struct orma_args_list){.args = self->args.data + set->first,
                                   .len = set->len,
                                   .behind = set->behind,
                                   .memo = set->memo,
                                   .memo_stamp = set->memo_stamp};
}
#endif
