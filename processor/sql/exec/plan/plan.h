/*
 * Planning: queries that were bound are checked, rewritten, and given an order of rows.
 */
#ifndef ORMA_PROCESSOR_SQL_EXEC_PLAN_PLAN_H
#define ORMA_PROCESSOR_SQL_EXEC_PLAN_PLAN_H
#include "processor/sql/exec/base/query.h"

/* check.c: what binding promises to all later stages, as assertions. */
void orma_exec_plan_check(const struct orma_exec_plan *plan);

/* rewrite.c: expressions of all queries are folded. False: given up. */
bool orma_exec_plan_rewrite(struct orma_exec_plan *plan);

/* fold.c: what depends on one text alone is remembered by text. */
struct orma_exec_expr *orma_exec_plan_fold(struct orma_exec_plan *plan, struct orma_exec_expr *e);

/* filter.c: a stored column compared with a constant, or with NULL: what a filter of a scan does.
 */
bool orma_exec_plan_is_filter(struct orma_exec_plan *plan, const struct orma_exec_expr *e,
                              int *ret_op, unsigned *ret_col,
                              const struct orma_exec_expr **ret_val);
/* How many rows of its table a comparison by = or IN lets through, guessed from some of them. 0: it
 * is no filter of a scan. */
double orma_exec_plan_guess_rows(struct orma_exec_plan *plan, const struct orma_exec_expr *e);
/* Values that are equal as integers, or not at all. */
bool orma_exec_plan_is_integer(const struct orma_exec_expr *e);
/* The column that a condition says to be a certain integer; NULL: it says something else. */
struct orma_exec_expr *orma_exec_plan_given_column(const struct orma_exec_expr *e, int64_t *ret);
/* Whether a condition gives the number of the row of the source. */
bool orma_exec_plan_is_given(struct orma_exec_plan *plan, const struct orma_exec_query *q,
                             const struct orma_exec_source *src);

/* order.c: the order of rows, as far as the queries say it. False: given up. */
bool orma_exec_plan_order(struct orma_exec_plan *plan);
/* SQLite's loops, where the order of rows shows them. False: given up. */
bool orma_exec_plan_order_loops(struct orma_exec_plan *plan);
/* Several sources: sets `by_loops` where SQLite's loops give rows in another order. */
bool orma_exec_plan_order_join(struct orma_exec_plan *plan, struct orma_exec_query *q);
#endif
