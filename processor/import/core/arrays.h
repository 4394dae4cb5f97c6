/*
 * Arrays among the args of one set: where each of them goes on.
 *
 * An array whose key was there before, also in what the set has from an earlier event (the begin of
 * a slice), is continued. Only arrays that lie in no other array are remembered: an element of an
 * array is new, so what is inside it begins at 0.
 */
#ifndef ORMA_PROCESSOR_IMPORT_CORE_ARRAYS_H
#define ORMA_PROCESSOR_IMPORT_CORE_ARRAYS_H
#include "processor/import/core/arg_key.h"
#include "sdk/base/map.h"

struct orma_import_arrays {
    const struct orma_args_list *before; /* what the set has already; or NULL */
    struct orma_map next;                /* hash of a key → index of the next element */
    bool used;                           /* something is in `next`, or nothing needs to be */
};

void orma_import_arrays_fini(struct orma_import_arrays *self);

void orma_import_arrays_forget(struct orma_import_arrays *self);

/* Before the first arg of another set. */
static inline void orma_import_arrays_start(struct orma_import_arrays *self,
                                            const struct orma_args_list *before)
{
    self->before = before;
    if (ORMA_UNLIKELY(self->used))
        orma_import_arrays_forget(self);
}

/* The index of the next element of the array; `list`: the args so far. */
unsigned orma_import_arrays_next(struct orma_import_arrays *self, struct orma_import_ctx *imp,
                                 const struct orma_arg_key *key, const struct orma_args_list *list);

/* `next` is the index from now on. */
void orma_import_arrays_put(struct orma_import_arrays *self, struct orma_import_ctx *imp,
                            const struct orma_arg_key *key, unsigned next);
#endif
