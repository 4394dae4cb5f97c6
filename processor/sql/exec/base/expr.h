/* Expressions, after their names were found: what binding makes, and all later stages read. */
#ifndef ORMA_PROCESSOR_SQL_EXEC_BASE_EXPR_H
#define ORMA_PROCESSOR_SQL_EXEC_BASE_EXPR_H
#include "processor/sql/exec/base/functions.h"
#include "sdk/base/vec.h"

enum orma_exec_affinity {
    EXEC_AFF_NONE,
    EXEC_AFF_TEXT,
    EXEC_AFF_NUMBER,
    EXEC_AFF_OPEN, /* of a UNION ALL whose parts differ: nothing may depend on it */
};

struct orma_exec_expr {
    enum orma_exec_op op;
    uint8_t types; /* that values can have; integers that overflow are not counted */
    uint8_t affinity;
    bool negated, has_base, has_else;
    bool folded;    /* plan/fold.c has seen it */
    bool checked;   /* and plan/check.c */
    bool is_column; /* no COLUMN, but a result of a sub-select that is no column there */
    struct orma_str name;
    unsigned num;
    struct orma_exec_expr **args;
    struct orma_exec_value val;                /* CONST */
    struct orma_exec_source *source;           /* COLUMN */
    unsigned col;                              /* COLUMN: of the source; SLOT: which */
    struct orma_exec_memo *memo;               /* MEMO */
    struct orma_exec_call *call;               /* APPLY */
    const struct orma_exec_function *function; /* CALL */
    struct orma_exec_sub *sub;                 /* IN_SELECT, VALUE, EXISTS */
};

ORMA_VEC_STRUCT(orma_exec_exprs, struct orma_exec_expr *);

struct orma_exec_plan;

/* NULL: memory is out. */
struct orma_exec_expr *orma_exec_new_expr(struct orma_exec_plan *plan, enum orma_exec_op op,
                                          unsigned num);
bool orma_exec_same_name(struct orma_str a, struct orma_str b);
/* Whether both give the same for the same row. */
bool orma_exec_same_expr(const struct orma_exec_expr *a, const struct orma_exec_expr *b);
#endif
