/*
 * Aggregates over groups: what is kept by group, and what folds blocks of values into it. The table
 * (functions.c) lists it.
 *
 * Sums are kept as functions/sums.c keeps them: integers exact (what overflows is given up),
 * doubles in the order of rows with what is rounded away.
 */
#ifndef ORMA_PROCESSOR_SQL_EXEC_RUN_AGGREGATE_H
#define ORMA_PROCESSOR_SQL_EXEC_RUN_AGGREGATE_H
#include "processor/sql/exec/run/coder.h"
#include "processor/sql/exec/run/run.h"

struct orma_exec_sum {
    int64_t whole, count;
};

/* A sum in which there are doubles. */
struct orma_exec_real_sum {
    struct orma_kbn sum;
    bool on; /* the whole is in it */
};

struct orma_exec_grouped {
    const struct orma_exec_agg *def;
    /* By group; NULL where the function needs none (enum orma_exec_keeps), and before the first
     * double. */
    struct orma_exec_sum *accs;
    struct orma_exec_real_sum *reals;
    struct orma_exec_value *bests;
    struct orma_exec_state *states;
    struct orma_exec_coder set; /* of distinct values */
    struct orma_exec_values vals;
    struct orma_exec_texts texts;
    uint32_t same; /* which has its values, or its sums; mostly itself */
    /* Of integers in a sum: the bits that any of them has, and the sum of their sizes, halved. */
    int64_t bits;
    uint64_t size;
};

/* What all aggregates of a query share. */
struct orma_exec_groups {
    struct orma_exec_plan *plan;
    uint32_t cap;  /* groups that there is room for */
    bool in_order; /* rows come as SQLite has them */
    /* The last min() or max(), and which rows of the block gave it a value; NULL: there is none.
     * What is no part of the groups is of these rows, or else of the first. */
    const struct orma_exec_grouped *picks;
    bool picked[EXEC_BLOCK];
};

/* Zeros behind what was there. `array` is a pointer to a pointer. */
bool orma_exec_run_extend(void *array, uint32_t from, uint32_t to, size_t size);

/* Room for groups [from, to). False: memory is out. */
bool orma_exec_run_grouped_reserve(struct orma_exec_grouped *a, uint32_t from, uint32_t to);
void orma_exec_run_grouped_fini(struct orma_exec_grouped *a);

/* Any aggregate, by its `step`. */
orma_exec_fold orma_exec_run_fold_steps;
orma_exec_group_value orma_exec_run_group_state;

/* ---- for the table ---- */

orma_exec_fold orma_exec_run_fold_count, orma_exec_run_fold_sum, orma_exec_run_fold_best,
    orma_exec_run_fold_first, orma_exec_run_fold_percentile, orma_exec_run_fold_texts;
orma_exec_group_value orma_exec_run_group_count, orma_exec_run_group_sum, orma_exec_run_group_total,
    orma_exec_run_group_avg, orma_exec_run_group_best, orma_exec_run_group_percentile,
    orma_exec_run_group_texts;

/* aggregate_step.c: value by value. */
orma_exec_step orma_exec_run_step_count, orma_exec_run_drop_count, orma_exec_run_step_sum,
    orma_exec_run_drop_sum, orma_exec_run_step_min, orma_exec_run_step_max;
orma_exec_final orma_exec_run_final_count, orma_exec_run_final_sum, orma_exec_run_final_total,
    orma_exec_run_final_avg;
#endif
