/*
 * A statement between the stages: binding makes queries of the parse tree, planning rewrites them,
 * running fills their frames.
 *
 *   sources ─► rows that pass `where` ─► [groups] ─► [windows] ─► [order, distinct, limit] ─►
 * results
 *
 * A query has a frame when it ran: `rows` rows; for each source the number of the row that is in it
 * (or nothing, where rows are those of the source), and slots with values that were computed. Its
 * results are expressions over both, evaluated a block at a time and only when somebody asks.
 */
#ifndef ORMA_PROCESSOR_SQL_EXEC_BASE_QUERY_H
#define ORMA_PROCESSOR_SQL_EXEC_BASE_QUERY_H
#include "processor/sql/base/builtins.h"
#include "processor/sql/exec/base/expr.h"
#include "processor/sql/tables/vtab.h"
#include "processor/store/large.h"
#include "sdk/base/arena.h"
#include "sdk/base/map.h"

/* Loops over all rows look whether they should stop after so many: 1 to 3 ms. */
#define EXEC_LOOK (1 << 18)
#define EXEC_SOURCES_MAX 12
#define EXEC_SOURCES_TOO_MANY "more than 12 tables"
#define EXEC_DEPTH_MAX 60
/* By which a query in an expression depends on the row. */
#define EXEC_KEYS_MAX 4
#define EXEC_LOOKUP_KEYS_MAX (EXEC_KEYS_MAX + 1) /* and a value beside them */
/* The most columns and the like in a call that is made for each row. */
#define EXEC_PARAMS_MAX 8
/* Of a row of a LEFT JOIN that has none. */
#define EXEC_NO_ROW UINT32_MAX
/* The most results of a statement. */
#define EXEC_COLUMNS_MAX 64

struct orma_exec_source {
    unsigned index; /* in its query */
    struct orma_str alias;
    enum orma_exec_join join;
    struct orma_exec_exprs on; /* of a LEFT JOIN */
    /* A table: */
    const struct orma_table *table;
    const struct orma_proj *proj;
    /* or a query: */
    struct orma_exec_query *query;
    /* While it runs: */
    uint32_t *passed; /* bits: rows that its own conditions let through; NULL: all */
};

struct orma_exec_key {
    struct orma_exec_expr *expr;
    bool desc, nulls_last;
};
ORMA_VEC_STRUCT(orma_exec_keys, struct orma_exec_key);

struct orma_exec_agg {
    const struct orma_exec_function *function;
    bool distinct, filtered;
    struct orma_exec_expr *arg;
    double fraction;   /* of a percentile */
    int64_t separator; /* of group_concat(): id of a text */
};
ORMA_VEC_STRUCT(orma_exec_aggs, struct orma_exec_agg);

/* Functions over the same window. */
struct orma_exec_win {
    struct orma_exec_keys partition, order;
    struct orma_exec_extent extent; /* as SQLite has it, whatever is written */
    struct orma_exec_wins_func {
        const struct orma_exec_function *function;
        struct orma_exec_expr *arg, *fallback; /* or NULL */
        int64_t offset;
        unsigned slot;
    } funcs[16];
    unsigned funcs_num;
};
ORMA_VEC_STRUCT(orma_exec_wins, struct orma_exec_win *);

struct orma_exec_result {
    struct orma_str name;
    struct orma_exec_expr *expr;
    bool hidden;
    bool given; /* the name, by AS */
};
ORMA_VEC_STRUCT(orma_exec_results, struct orma_exec_result);

/* Values of all rows of a frame. */
struct orma_exec_slot {
    int64_t *vals;
    uint8_t *tags; /* NULL: all of type `tag` */
    uint8_t tag;
};

struct orma_exec_frame {
    uint32_t rows;
    bool identity;                      /* row i is row i of source 0 */
    uint32_t *source[EXEC_SOURCES_MAX]; /* NULL with `identity`, and where groups are */
    struct orma_exec_slot *slots;
    unsigned slots_num;
    uint32_t *order; /* the frame's row that is the i-th; NULL: itself */
};

struct orma_exec_query {
    ORMA_VEC(struct orma_exec_query *) parts; /* of a UNION ALL: it has nothing else then */
    struct orma_exec_source *sources[EXEC_SOURCES_MAX];
    unsigned sources_num;
    struct orma_exec_exprs where;
    bool grouped;   /* GROUP BY, or aggregates without */
    bool is_fence;  /* AS MATERIALIZED: it stays a query of its own */
    bool appearing; /* groups in the order of their first rows: those of DISTINCT */
    struct orma_exec_keys groups;
    struct orma_exec_aggs aggs;
    uint32_t result_aggs; /* that the results have; those of other clauses are behind them */
    struct orma_exec_exprs having;
    struct orma_exec_wins wins;       /* in the order in which SQLite meets them */
    unsigned slots_num;               /* of windows, while it is bound; then all */
    struct orma_exec_exprs win_slots; /* SLOTs of windows, numbered from 0 while it is bound */
    struct orma_exec_results results;
    bool distinct;
    enum orma_exec_set set; /* of its only source, a compound query, is this: rows of the first part
                             * that are in no other one, or in the second one, too */
    struct orma_exec_keys order;
    bool has_limit;
    int64_t limit, offset;
    uint32_t wanted;                /* no more rows than these are looked at; UINT32_MAX: all */
    struct orma_exec_keys by_loops; /* what puts rows into the order of SQLite's loops */
    uint32_t first_rows;            /* of its only window the query around wants no more; 0: all */
    struct orma_exec_exprs keys;    /* columns that the query around it compares with its own, */
    struct orma_exec_exprs outer;   /* which are these */
    bool is_compound;               /* its only source is the parts of a compound query */
    bool order_has_const;           /* ORDER BY names constants, which are left out */
    bool is_part;                   /* of a UNION ALL */
    bool has_order;                 /* it was written with one, of constants perhaps */
    bool probed;                    /* only whether it has rows is asked */
    bool any_order;                 /* nobody sees in which order rows come */
    struct orma_exec_frame frame;
};

/*
 * A query in an expression: a value, or a set of values of one type and perhaps NULL. One that
 * depends on the row by equality alone is run for all rows at once: what it gives is looked up by
 * keys, which are the last of its results.
 */
struct orma_exec_sub {
    struct orma_exec_query *query;
    struct orma_exec_expr *expr; /* that it stands in */
    uint8_t type;
    bool null;
    struct orma_map set;
    unsigned keys_num;
    uint8_t key_types[EXEC_KEYS_MAX];
    struct orma_exec_lookup *table; /* by keys; of IN by a value and keys, */
    struct orma_exec_lookup *all;   /* and the keys of all values, where a NULL may be asked for, */
    struct orma_exec_lookup *nulls; /* and of those that are NULL */
    struct orma_exec_value missing; /* what it gives for those that it does not have */
};

/* A line of EXPLAIN QUERY PLAN that reads a table. */
struct orma_exec_loop {
    int parent; /* loops with the same one are nested */
    struct orma_str alias;
    bool by_index; /* one that SQLite made */
};

struct orma_exec_scope;

/* The statement, as SQLite was asked for it. */
struct orma_exec_statement {
    sqlite3_stmt *stmt;  /* that was made for the plan */
    sqlite3_stmt *given; /* the same with parameters, which outlives it: runs instead; NULL */
    char *text;          /* malloc */
    unsigned off;        /* sql.h: optimizations of SQLite that are off for it */
    bool distinct;       /* sql.h */
    bool args;           /* SQLite's plan reads ids of sets of args; */
    bool ids;            /* so does this one, */
    bool sets;           /* or only looks into the sets */
    uint64_t generation;
};

/* What names were found to be: columns of tables; tables, views and CTEs, without columns; and
 * tables that SQLite may not name. */
struct orma_exec_names {
    struct orma_sql_reads reads, tables, views, unsaid;
};

/* What stages found out about the whole statement, for later ones. */
struct orma_exec_found {
    bool sure;          /* what is folded may be left out for rows for which SQLite works it out */
    bool mixes;         /* texts with numbers in a column of a compound query */
    bool used_twice;    /* a name of WITH is, */
    bool bare_constant; /* and there is a constant of a sub-select beside aggregates of all rows */
    bool mended;        /* SQLite is too old to answer it as newer ones do */
    bool has_others;    /* queries in expressions, or parts of a UNION ALL */
    bool tried;         /* each block of results could be made: nothing is given up for its cost */
};

/* Of the results: values of a batch, and the first row of the next. */
struct orma_exec_output {
    struct orma_exec_vec **out;
    struct orma_exec_column *columns;
    struct orma_exec_place *place;
    uint32_t at;
};

struct orma_exec_plan {
    struct orma_sql *sql;
    const struct orma_exec_catalog *catalog;
    struct orma_arena arena;
    struct orma_exec_query *root;
    struct orma_exec_plan *next; /* of those of the connection */
    struct orma_exec_statement statement;
    struct orma_exec_names names;
    struct orma_exec_found found;
    struct orma_exec_output output;
    struct orma_exec_scope *outer; /* what the query that is bound next may see around it */
    const char *why;               /* it was given up */
    struct orma_exec_memo *memos;  /* all of them, to be freed */
    struct orma_exec_call *calls;
    ORMA_VEC(struct orma_dataframe *) frames;   /* that it reads: they may be dropped meanwhile */
    ORMA_VEC(struct orma_exec_query *) queries; /* all of them */
    ORMA_VEC(struct orma_exec_sub *) subs;      /* in the order in which they run */
    ORMA_VEC(struct orma_exec_loop) loops;      /* of SQLite's plan, in its order */
    struct orma_exec_vec *spare[2 * EXEC_DEPTH_MAX];
    unsigned spare_num;
    bool ran;
    bool helps;      /* a view of another thread (run/team.h); */
    bool shared;     /* or of any, while several work */
    uint64_t looked; /* rows that scans gave */
};

/* Rows that are evaluated: those of a frame, or of sources while a query runs. */
struct orma_exec_rows {
    uint32_t num;
    bool dense; /* rows of source 0 are first, first + 1, ... */
    uint32_t first;
    const uint32_t *source[EXEC_SOURCES_MAX];
    const struct orma_exec_frame *frame; /* of slots; NULL: there are none */
    const uint32_t *slot;                /* rows of the frame */
};

/* Rows `first` and on, `num` of them, of the frame of a query: what its results are evaluated for.
 * `buf` has room for EXEC_BLOCK rows of each source and of slots. */
struct orma_exec_place {
    uint32_t rows[EXEC_SOURCES_MAX + 1][EXEC_BLOCK];
};
void orma_exec_run_frame_rows(const struct orma_exec_query *q, uint32_t first, uint32_t num,
                              struct orma_exec_place *buf, struct orma_exec_rows *ret);
/* The same for given rows of the frame; EXEC_NO_ROW among them is read as row 0. */
void orma_exec_run_frame_pick(const struct orma_exec_query *q, const uint32_t *list, uint32_t num,
                              struct orma_exec_place *buf, struct orma_exec_rows *ret);

/* Notes why, once. Always false. */
static inline bool orma_exec_give_up(struct orma_exec_plan *plan, const char *why)
{
    if (!plan->why)
        plan->why = why;
    return false;
}

/* Other threads look at the flag alone: limits are looked at by the one whose plan it is. */
static inline bool orma_exec_should_stop(struct orma_exec_plan *plan)
{
    return (plan->helps ? orma_sql_is_told_to_stop(plan->sql)
                        : orma_sql_is_interrupted(plan->sql)) &&
           !orma_exec_give_up(plan, "interrupted");
}

/* NULL: given up. */
struct orma_exec_query *orma_exec_new_query(struct orma_exec_plan *plan);
void orma_exec_query_free(struct orma_exec_query *q);
void orma_exec_slot_fini(struct orma_exec_slot *s);
void orma_exec_frame_fini(struct orma_exec_frame *f);

/* Vectors that are used over and over. NULL: given up; NULL is fine. */
struct orma_exec_vec *orma_exec_take_vec(struct orma_exec_plan *plan);
void orma_exec_give_vec(struct orma_exec_plan *plan, struct orma_exec_vec *vec);

/* The columns of a table, or of a projection of it. */
unsigned orma_exec_table_width(const struct orma_exec_source *src);
struct orma_vcolumn orma_exec_table_vcolumn(const struct orma_exec_plan *plan,
                                            const struct orma_exec_source *src, unsigned col);
/* Rows of a source: a query must have run. */
uint32_t orma_exec_source_rows(const struct orma_exec_source *src);
/* The column of a table that holds the number of its row. */
bool orma_exec_is_row_number(const struct orma_exec_plan *plan, const struct orma_exec_expr *e);

/* text.c: an expression as SQLite reads it; columns become parameters. */
void orma_exec_put_expr(struct orma_buf *to, const struct orma_exec_plan *plan,
                        const struct orma_exec_expr *e);
/* The only column of a row of SQLite's. False: given up. */
bool orma_exec_value_of(struct orma_exec_plan *plan, sqlite3_stmt *stmt,
                        struct orma_exec_value *ret);
/* Calls that give the same for all rows are constants. */
bool orma_exec_is_fixed(const struct orma_exec_expr *e);
bool orma_exec_call_now(struct orma_exec_plan *plan, struct orma_exec_expr *e);
#endif
