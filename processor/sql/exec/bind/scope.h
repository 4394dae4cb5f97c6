/* What the files of binding share: the names that an expression can see. */
#ifndef ORMA_PROCESSOR_SQL_EXEC_BIND_SCOPE_H
#define ORMA_PROCESSOR_SQL_EXEC_BIND_SCOPE_H
#include "processor/sql/exec/bind/bind.h"

/* One source as names see it. */
struct orma_exec_seen {
    struct orma_str alias;
    struct orma_exec_results cols;
    struct orma_exec_item *using;
    struct orma_str table; /* its name, if it is one */
};

/* CTEs in sight, the newest first. */
struct orma_exec_ctes {
    struct orma_exec_ctes *next;
    const struct orma_exec_with *with;
    struct orma_exec_ctes *sees; /* what its own query sees */
    bool busy;                   /* its query is bound: to see itself would be recursion */
    bool used;
};

typedef struct orma_exec_query *orma_exec_bind_select(struct orma_exec_plan *plan,
                                                      const struct orma_exec_select *ast,
                                                      struct orma_exec_ctes *ctes, unsigned depth);

struct orma_exec_scope {
    struct orma_exec_plan *plan;
    struct orma_exec_query *q;
    struct orma_exec_seen seen[EXEC_SOURCES_MAX];
    unsigned seen_num;
    const struct orma_exec_results *aliases; /* of results, where they may be used; or NULL */
    const struct orma_exec_window *windows;  /* of the WINDOW clause */
    bool aggregates, window_funcs;           /* are allowed here */
    unsigned depth;
    /* For queries in expressions: how they are bound, and what they see. */
    orma_exec_bind_select *bind_select;
    struct orma_exec_ctes *ctes;
    unsigned select_depth;
    /* How calls are bound: call.c. */
    struct orma_exec_expr *(*bind_call)(struct orma_exec_scope *s, const struct orma_exec_ast *ast);
    /* Of a query in an expression: what is around it, where it may be seen; or NULL. */
    struct orma_exec_scope *outer;
    const struct orma_exec_item *items; /* whose names win over what is around */
};

/* scope.c: puts the CTEs of a WITH in front. False: memory is out. */
bool orma_exec_scope_with(struct orma_exec_plan *plan, const struct orma_exec_with *with,
                          struct orma_exec_ctes **ctes);
/* The CTE that a name of FROM means; NULL: it means a table or a view. */
struct orma_exec_ctes *orma_exec_scope_cte(struct orma_exec_ctes *ctes, struct orma_str name);

/* Whether the column is the same as one of a source to the left, by USING. */
bool orma_exec_scope_is_merged(const struct orma_exec_seen *seen, struct orma_str name);

/* What a name stands for; NULL: nothing that is known here. */
struct orma_exec_expr *orma_exec_scope_find(struct orma_exec_scope *s,
                                            const struct orma_exec_ast *ast);

/* Whether it is TRUE or FALSE and means that. */
bool orma_exec_scope_is_truth(struct orma_exec_scope *s, const struct orma_exec_ast *ast);

/* The columns of the newest source and of the first one to the left of it that has the name.
 * False: refused. */
bool orma_exec_scope_pair(struct orma_exec_scope *s, struct orma_str name,
                          struct orma_exec_expr **ret_left, struct orma_exec_expr **ret_right);

/* tables.c: what `name` is: a table (true, in `src`) or a view (its text, of the arena, in
 * `ret_view`). */
bool orma_exec_bind_table(struct orma_exec_plan *plan, struct orma_str name,
                          struct orma_exec_source *src, struct orma_str *ret_view);
/* The value of a literal as SQLite reads it. */
bool orma_exec_bind_literal(struct orma_exec_plan *plan, struct orma_str text,
                            struct orma_exec_value *ret);

/* from.c: FROM with its conditions becomes sources. */
bool orma_exec_bind_sources(struct orma_exec_scope *s, const struct orma_exec_select *ast);
/* A query as a source of its own. */
bool orma_exec_bind_query_source(struct orma_exec_scope *s, struct orma_exec_query *sub,
                                 struct orma_exec_seen *seen, struct orma_exec_source **ret);
/* Splits at AND. NULL is given up already. */
bool orma_exec_bind_conditions(struct orma_exec_plan *plan, struct orma_exec_exprs *to,
                               struct orma_exec_expr *e);

/* clauses.c */
bool orma_exec_bind_results(struct orma_exec_scope *s, const struct orma_exec_item *items);
bool orma_exec_bind_group(struct orma_exec_scope *s, const struct orma_exec_item *items,
                          const struct orma_exec_results *results);
bool orma_exec_bind_order(struct orma_exec_scope *s, const struct orma_exec_item *items);
bool orma_exec_bind_limit(struct orma_exec_scope *s, const struct orma_exec_select *ast);
/* What comes after the groups reads slots. */
bool orma_exec_bind_regroup(struct orma_exec_scope *s);

/* compound.c: a query of several parts. */
struct orma_exec_query *orma_exec_bind_compound(struct orma_exec_plan *plan,
                                                const struct orma_exec_select *ast,
                                                struct orma_exec_ctes *ctes, unsigned depth,
                                                orma_exec_bind_select *bind_select);

/* subquery.c: of `conditions` those that compare something of the query with something around it
 * become its keys. False: one depends on what is around it in another way. */
bool orma_exec_bind_keys(struct orma_exec_plan *plan, struct orma_exec_query *q,
                         struct orma_exec_exprs *conditions);

/* An expression becomes one with a query; the left side of IN is bound already. */
bool orma_exec_bind_in_select(struct orma_exec_scope *s, const struct orma_exec_ast *ast,
                              struct orma_exec_expr *e);
bool orma_exec_bind_value(struct orma_exec_scope *s, const struct orma_exec_ast *ast,
                          struct orma_exec_expr *e);

/* Always false. */
static inline bool orma_exec_refuse(struct orma_exec_scope *s, const char *why)
{
    return orma_exec_give_up(s->plan, why);
}

/* call.c */
struct orma_exec_expr *orma_exec_bind_call(struct orma_exec_scope *s,
                                           const struct orma_exec_ast *ast);

/* Parts of expressions; NULL: memory is out. */
struct orma_exec_expr *orma_exec_bind_slot(struct orma_exec_scope *s, uint8_t types, unsigned slot);
struct orma_exec_expr *orma_exec_bind_const(struct orma_exec_scope *s, uint8_t tag, int64_t bits);
/* An expression whose arguments are bound; NULL: given up. */
struct orma_exec_expr *orma_exec_bind_args(struct orma_exec_scope *s, enum orma_exec_op op,
                                           const struct orma_exec_ast *args);
uint8_t orma_exec_bind_case_types(const struct orma_exec_expr *e);

/* NULL: it was given up. */
struct orma_exec_expr *orma_exec_bind_expr(struct orma_exec_scope *s,
                                           const struct orma_exec_ast *ast);

/* A copy in which what the groups are is a slot. NULL: given up. */
struct orma_exec_expr *orma_exec_bind_over_groups(struct orma_exec_scope *s,
                                                  struct orma_exec_expr *e);
#endif
