/*
 * How the sources of a query are joined: from a driver, which is scanned, step by step. Made when
 * the query runs: it depends on how many rows the queries below it gave.
 */
#ifndef ORMA_PROCESSOR_SQL_EXEC_PLAN_JOIN_H
#define ORMA_PROCESSOR_SQL_EXEC_PLAN_JOIN_H
#include "processor/sql/exec/plan/plan.h"

/* Sources with more rows are not joined row by row with all others. */
#define EXEC_ALL_ROWS_MAX 64

/* What `of` of a source, a column, is compared with: lo <= of, of <= hi. */
struct orma_exec_range {
    struct orma_exec_expr *of; /* NULL: there is none */
    struct orma_exec_expr *lo, *hi;
    bool lo_strict, hi_strict;
};

struct orma_exec_step {
    struct orma_exec_source *src;
    bool by_number;
    struct orma_exec_expr *probe, *build; /* an equality; NULL: there is none */
    struct orma_exec_range range;
    struct orma_exec_exprs on; /* what a LEFT JOIN asks besides */
    uint32_t mask;             /* of sources that must be there */
};

struct orma_exec_condition {
    struct orma_exec_expr *expr;
    uint32_t mask;
    bool done; /* by a scan or a step */
};

struct orma_exec_join_plan {
    struct orma_exec_plan *plan;
    struct orma_exec_query *q;
    struct orma_exec_source *driver;
    struct orma_exec_step steps[EXEC_SOURCES_MAX];
    unsigned steps_num;
    struct orma_exec_condition *conds;
    unsigned conds_num;
};

/* False: given up; to be freed all the same. */
bool orma_exec_plan_join_init(struct orma_exec_join_plan *j, struct orma_exec_plan *plan,
                              struct orma_exec_query *q);
void orma_exec_plan_join_fini(struct orma_exec_join_plan *j);

/* The sources that an expression reads, as bits. */
uint32_t orma_exec_plan_sources_of(const struct orma_exec_expr *e);
/* Whether it reads one row of each source at most, by its number. */
bool orma_exec_plan_finds_one(struct orma_exec_plan *plan, struct orma_exec_query *q);
#endif
