/* Window functions: the rows of a partition, and what computes values for them. */
#ifndef ORMA_PROCESSOR_SQL_EXEC_RUN_WINDOW_H
#define ORMA_PROCESSOR_SQL_EXEC_RUN_WINDOW_H
#include "processor/sql/exec/run/run.h"

struct orma_exec_windower {
    struct orma_exec_plan *plan;
    struct orma_exec_query *q;
    const struct orma_exec_win *win;
    uint32_t rows;
    uint64_t *parts, *peers; /* bit i: row i begins one */
    uint32_t *from, *to;     /* frames; NULL: from the first row to this one, or to its last peer */
};

/* A function over the rows of a query, in the order of its window. */
struct orma_exec_partition {
    struct orma_exec_windower *w;
    struct orma_exec_slot *to; /* by the row that is stored */
    const uint32_t *order;     /* stored row of the i-th */
    struct orma_exec_slot arg, fallback;
    /* Of functions `by_row`: where the partition of the first row begins, and that of the last row
     * ends. */
    uint32_t begin, end;
};

/* The end of the partition (or peers) in which `from` is the first row. */
uint32_t orma_exec_run_end_of(const struct orma_exec_windower *w, const uint64_t *bits,
                              uint32_t from);

/* The first bit in [at, to) that is set; `to`: there is none. */
uint32_t orma_exec_run_next_begin(const uint64_t *bits, uint32_t at, uint32_t to);

/* The value of row i. */
static inline void orma_exec_put(struct orma_exec_partition *o, uint32_t i, uint8_t tag,
                                 int64_t bits)
{
    uint32_t at = o->order ? o->order[i] : i;

    o->to->vals[at] = bits;
    o->to->tags[at] = tag;
}

/* What an argument has there. */
static inline struct orma_exec_value orma_exec_get(const struct orma_exec_slot *s, uint32_t i)
{
    if (!s->vals)
        return (struct orma_exec_value){EXEC_NULL, 0};
    return (struct orma_exec_value){s->tags ? s->tags[i] : s->tag, s->vals[i]};
}

/* Any aggregate over frames, by its `step`. */
orma_exec_window_func orma_exec_run_frames;

/* ---- for the table ---- */

orma_exec_window_func orma_exec_run_row_number, orma_exec_run_rank, orma_exec_run_dense_rank,
    orma_exec_run_lead, orma_exec_run_lag, orma_exec_run_ntile, orma_exec_run_percent_rank,
    orma_exec_run_cume_dist, orma_exec_run_first_value, orma_exec_run_last_value,
    orma_exec_run_nth_value, orma_exec_run_moving_min, orma_exec_run_moving_max;
#endif
