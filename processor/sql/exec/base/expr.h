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

/*
 * What `op` is says which member of the union counts. All others are operators of `args`, and need
 * nothing else.
 */
struct orma_exec_expr {
    enum orma_exec_op op;
    uint8_t types; /* that values can have; integers that overflow are not counted */
    uint8_t affinity;
    bool negated;   /* IN, IN_SELECT, LIKE, GLOB: a NOT before the word */
    bool folded;    /* plan/fold.c has seen it */
    bool checked;   /* and plan/check.c */
    bool is_column; /* no COLUMN, but a result of a sub-select that is no column there */
    unsigned num;
    struct orma_exec_expr **args;
    union {
        struct {
            struct orma_exec_value val;
            struct orma_str text; /* as it is written; empty: it was worked out */
        } constant;               /* CONST */
        struct {
            struct orma_exec_source *source;
            unsigned at; /* of its columns; of ROW nothing */
        } column;        /* COLUMN, ROW */
        struct {
            unsigned at;    /* of the slots of the frame */
            bool of_window; /* a window function gives it, not the groups */
        } slot;             /* SLOT */
        struct {
            unsigned number; /* from 1 */
        } param;             /* PARAM */
        struct {
            struct orma_str name; /* as it is written */
            const struct orma_exec_function *function;
        } call; /* CALL */
        struct {
            struct orma_str type;
        } cast; /* CAST */
        struct {
            bool has_base, has_else; /* CASE base WHEN ... ELSE ... */
        } choice;                    /* CASE */
        struct {
            struct orma_exec_sub *sub;
        } query; /* IN_SELECT, VALUE, EXISTS */
        struct {
            struct orma_exec_memo *memo;
        } remembered; /* MEMO */
        struct {
            struct orma_exec_call *call;
        } applied; /* APPLY */
    };
};

/* Whether SQLite works it out, and not its arguments alone. */
static inline bool orma_exec_is_by_sqlite(const struct orma_exec_catalog *catalog,
                                          const struct orma_exec_expr *e)
{
    if (e->op == ORMA_EXEC_CALL)
        return !e->call.function->by_values && !e->call.function->by_rows;
    return orma_exec_operator_of(catalog, e->op)->by_sqlite;
}

static inline bool orma_exec_is_query(const struct orma_exec_expr *e)
{
    return e->op == ORMA_EXEC_IN_SELECT || e->op == ORMA_EXEC_VALUE || e->op == ORMA_EXEC_EXISTS;
}

ORMA_VEC_STRUCT(orma_exec_exprs, struct orma_exec_expr *);

struct orma_exec_plan;

/* NULL: memory is out. */
struct orma_exec_expr *orma_exec_new_expr(struct orma_exec_plan *plan, enum orma_exec_op op,
                                          unsigned num);
bool orma_exec_same_name(struct orma_str a, struct orma_str b);
/* Whether both give the same for the same row. */
bool orma_exec_same_expr(const struct orma_exec_expr *a, const struct orma_exec_expr *b);
#endif
