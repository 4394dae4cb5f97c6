/* Groups while rows are folded into them: of all rows, or of those that a thread took. */
#ifndef ORMA_PROCESSOR_SQL_EXEC_RUN_GROUP_H
#define ORMA_PROCESSOR_SQL_EXEC_RUN_GROUP_H
#include "processor/sql/exec/run/aggregate.h"
#include "processor/sql/exec/run/team.h"

struct orma_exec_grouper {
    struct orma_exec_plan *plan;
    struct orma_exec_query *q;
    struct orma_exec_groups shared;
    unsigned keys_num;
    struct orma_exec_coder *coders;
    struct orma_exec_value **keys; /* by key, by group */
    struct orma_exec_grouped *aggs;
    uint32_t groups;
    struct orma_exec_vec *vec;
    const struct orma_exec_expr *loaded; /* what `vec` has of the block; NULL: something else */
    /* Of a thread: */
    uint32_t *born; /* in which piece each group was met first; NULL: that does not matter */
    uint32_t piece; /* that is worked on */
    uint64_t seen;  /* rows */
    struct orma_exec_grouper *others; /* of the main one: those of threads; NULL: there are none */
    unsigned others_num;
};

/* grouper.c; to be freed also when it fails. */
bool orma_exec_run_grouper_init(struct orma_exec_grouper *g, struct orma_exec_plan *plan,
                                struct orma_exec_query *q);
void orma_exec_run_grouper_fini(struct orma_exec_grouper *g);
bool orma_exec_run_grouper_reserve(struct orma_exec_grouper *g, uint32_t num);
/* The rows of a block. */
bool orma_exec_run_grouper_take(struct orma_exec_grouper *g, const struct orma_exec_rows *rows);

/* group_share.c: `data` is a grouper that has met no row. */
extern const struct orma_exec_shared_scan orma_exec_run_shared_groups;
/* The rows of the frame. False: one thread does it, unless the plan was given up. */
bool orma_exec_run_shared_frame(struct orma_exec_grouper *g);
#endif
