/* What computes operators and scalar functions: the table (functions.c) lists it. */
#ifndef ORMA_PROCESSOR_SQL_EXEC_RUN_OPERATORS_H
#define ORMA_PROCESSOR_SQL_EXEC_RUN_OPERATORS_H
#include "processor/sql/exec/base/query.h"

/* operators.c */
orma_exec_by_values orma_exec_run_compare, orma_exec_run_arithmetic, orma_exec_run_negative,
    orma_exec_run_same, orma_exec_run_bits, orma_exec_run_logic, orma_exec_run_not,
    orma_exec_run_null_test, orma_exec_run_cast;

/* choice.c */
orma_exec_by_values orma_exec_run_in_set, orma_exec_run_nullif, orma_exec_run_remembered,
    orma_exec_run_subquery;
orma_exec_by_rows orma_exec_run_const, orma_exec_run_in_list, orma_exec_run_case,
    orma_exec_run_coalesce, orma_exec_run_least, orma_exec_run_greatest;

/* load.c */
orma_exec_by_rows orma_exec_run_column, orma_exec_run_row, orma_exec_run_slot,
    orma_exec_run_extract_arg;

/* memo.c */
orma_exec_by_values orma_exec_run_apply;

/* ---- what they share ---- */

enum orma_exec_truth { EXEC_FALSE, EXEC_TRUE, EXEC_MAYBE };

/* False: given up. */
bool orma_exec_run_truth(struct orma_exec_plan *plan, const struct orma_exec_vec *v, uint32_t i,
                         enum orma_exec_truth *ret);

/* Compares with `op` and an affinity. */
bool orma_exec_run_compare_as(struct orma_exec_plan *plan, enum orma_exec_op op, uint8_t affinity,
                              const struct orma_exec_vec *a, const struct orma_exec_vec *b,
                              uint32_t num, struct orma_exec_vec *ret);

/* Values of two types where an affinity would change one of them. */
bool orma_exec_run_is_changed(uint8_t affinity, uint8_t ta, uint8_t tb);

static inline bool orma_exec_is_ints(const struct orma_exec_vec *v)
{
    return !v->tagged && v->tag == EXEC_INT;
}
#endif
