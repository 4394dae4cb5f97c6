/*
 * A statement as the executor sees it: what exec_bind.c makes of the parse tree, and what
 * exec_run.c carries out. Private to this room.
 *
 *   sources ─► rows that pass `where` ─► [groups] ─► [windows] ─► [order, distinct, limit] ─►
 * results
 *
 * A query has a frame when it ran: `rows` rows; for each source the number of the row that is in it
 * (or nothing, where rows are those of the source), and slots with values that were computed. Its
 * results are expressions over both, evaluated a block at a time and only when somebody asks.
 */
#ifndef ORMA_PROCESSOR_SQL_EXEC_PLAN_H
#define ORMA_PROCESSOR_SQL_EXEC_PLAN_H
#include "processor/sql/exec/exec.h"
#include "processor/sql/exec/exec_ast.h"
#include "processor/sql/exec/exec_funcs.h"
#include "processor/sql/tables/vtab.h"
#include "processor/store/large.h"
#include "sdk/base/map.h"
#include "sdk/base/vec.h"

#define EXEC_BLOCK ORMA_SQL_SCAN_BLOCK
/* Loops over all rows look whether they should stop after so many: 1 to 3 ms. */
#define EXEC_LOOK (1 << 18)
#define EXEC_SOURCES_MAX 12
#define EXEC_DEPTH_MAX 60
/* By which a query in an expression depends on the row. */
#define EXEC_KEYS_MAX 4
/* Of a row of a LEFT JOIN that has none. */
#define EXEC_NO_ROW UINT32_MAX

enum orma_exec_affinity {
    EXEC_AFF_NONE,
    EXEC_AFF_TEXT,
    EXEC_AFF_NUMBER,
    EXEC_AFF_OPEN, /* of a UNION ALL whose parts differ: nothing may depend on it */
};

struct orma_exec_value {
    uint8_t tag;
    int64_t bits;
};

/* A block of values: all of type `tag`, or each of its own. */
struct orma_exec_vec {
    bool tagged;
    uint8_t tag;
    int64_t vals[EXEC_BLOCK];
    uint8_t tags[EXEC_BLOCK];
};

struct orma_exec_expr {
    enum orma_exec_op op;
    uint8_t types; /* that values can have; integers that overflow are not counted */
    uint8_t affinity;
    bool negated, has_base, has_else;
    bool folded;    /* exec_fold.c has seen it */
    bool checked;   /* and exec_check.c */
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
    enum orma_exec_func func;
    bool distinct, filtered;
    struct orma_exec_expr *arg;
    double fraction; /* PERCENTILE */
    bool exact;      /* one of the values */
};
ORMA_VEC_STRUCT(orma_exec_aggs, struct orma_exec_agg);

/* Functions over the same window. */
struct orma_exec_win {
    struct orma_exec_keys partition, order;
    struct orma_exec_extent extent; /* as SQLite has it, whatever is written */
    struct orma_exec_wins_func {
        enum orma_exec_func func;
        struct orma_exec_expr *arg, *fallback;
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
    struct orma_exec_table *table;  /* by keys */
    struct orma_exec_value missing; /* what it gives for those that it does not have */
};

/* A line of EXPLAIN QUERY PLAN that reads a table. */
struct orma_exec_loop {
    int parent; /* loops with the same one are nested */
    struct orma_str alias;
    bool by_index; /* one that SQLite made */
};

struct orma_exec_scope;

struct orma_exec_plan {
    struct orma_sql *sql;
    struct orma_arena arena;
    struct orma_exec_query *root;
    struct orma_exec_plan *next; /* of those of the connection */
    sqlite3_stmt *stmt;          /* that was made for it */
    sqlite3_stmt *given; /* the same with parameters, which outlives it: runs instead; NULL */
    char *text;          /* of the statement; malloc */
    bool distinct;       /* sql.h: of the statement */
    unsigned off;        /* sql.h: optimizations of SQLite, for the statement */
    bool args;           /* SQLite's plan reads ids of sets of args; */
    bool ids;            /* so does this one, */
    bool sets;           /* or only looks into the sets */
    uint64_t generation;
    struct orma_exec_scope *outer; /* what the query that is bound next may see around it */
    const char *why;               /* it was given up */
    struct orma_exec_memo *memos;  /* all of them, to be freed */
    struct orma_exec_call *calls;
    ORMA_VEC(struct orma_dataframe *) frames;   /* that it reads: they may be dropped meanwhile */
    ORMA_VEC(struct orma_exec_query *) queries; /* all of them */
    ORMA_VEC(struct orma_exec_sub *) subs;      /* in the order in which they run */
    struct orma_exec_vec *spare[2 * EXEC_DEPTH_MAX];
    unsigned spare_num;
    bool ran;
    bool tried;      /* each block of results could be made: nothing may be given up for its cost */
    uint64_t looked; /* rows that scans gave */
    bool sure;       /* what is folded may be left out for rows for which SQLite works it out */
    bool mixes;      /* texts with numbers in a column of a compound query */
    bool used_twice; /* a name of WITH is, */
    bool bare_constant; /* and there is a constant of a sub-select beside aggregates of all rows */
    bool mended;        /* SQLite is too old to answer it as newer ones do */
    bool has_others;    /* queries in expressions, or parts of a UNION ALL */
    /* Of the results: values of a batch, and the first row of the next. */
    struct orma_exec_vec **out;
    struct orma_exec_column *columns;
    struct orma_exec_place *place;
    uint32_t at;
    ORMA_VEC(struct orma_exec_loop) loops; /* of SQLite's plan, in its order */
    /* What names were found to be: columns of tables; tables, views and CTEs, without columns; and
     * tables that SQLite may not name. */
    struct orma_sql_reads reads, tables, views, unsaid;
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

void orma_exec_plan_free(void *plan);

/* Notes why, once. Always false. */
static inline bool orma_exec_give_up(struct orma_exec_plan *plan, const char *why)
{
    if (!plan->why)
        plan->why = why;
    return false;
}

/* exec_bind.c: names become sources and columns. False: it was given up. */
bool orma_exec_bind(struct orma_exec_plan *plan, struct orma_exec_select *ast);

/* exec_check.c: what binding promises to all later stages, as assertions. */
void orma_exec_check(const struct orma_exec_plan *plan);

/* exec_names.c */
struct orma_exec_expr *orma_exec_new_expr(struct orma_exec_plan *plan, enum orma_exec_op op,
                                          unsigned num);
bool orma_exec_same_name(struct orma_str a, struct orma_str b);
/* Whether both give the same for the same row. */
bool orma_exec_same_expr(const struct orma_exec_expr *a, const struct orma_exec_expr *b);

/* The columns of a table, or of a projection of it. */
unsigned orma_exec_table_width(const struct orma_exec_source *src);
struct orma_exec_result orma_exec_table_column(struct orma_exec_plan *plan,
                                               struct orma_exec_source *src, unsigned col);
struct orma_vcolumn orma_exec_table_vcolumn(const struct orma_exec_plan *plan,
                                            const struct orma_exec_source *src, unsigned col);

/* What `name` is: a table (true, in `src`) or a view (its text, of the arena, in `ret_view`). */
bool orma_exec_find_table(struct orma_exec_plan *plan, struct orma_str name,
                          struct orma_exec_source *src, struct orma_str *ret_view);

/* The value of a literal as SQLite reads it. */
bool orma_exec_literal(struct orma_exec_plan *plan, struct orma_str text,
                       struct orma_exec_value *ret);

/* exec_fold.c: calls that give the same for all rows are constants. */
bool orma_exec_is_fixed(const struct orma_exec_expr *e);
bool orma_exec_call_now(struct orma_exec_plan *plan, struct orma_exec_expr *e);

/* What depends on one text alone is remembered by text; unknown functions end it. */
struct orma_exec_expr *orma_exec_fold(struct orma_exec_plan *plan, struct orma_exec_expr *e);
bool orma_exec_memo_value(struct orma_exec_plan *plan, struct orma_exec_memo *memo, uint32_t id,
                          struct orma_exec_value *ret);
/* The most columns and the like in a call that is made for each row. */
#define EXEC_PARAMS_MAX 8
bool orma_exec_apply(struct orma_exec_plan *plan, const struct orma_exec_expr *e,
                     struct orma_exec_vec *const *args, uint32_t num, struct orma_exec_vec *ret);
void orma_exec_memos_free(struct orma_exec_plan *plan);

/* exec_eval.c */

/* False: it was given up. */
bool orma_exec_eval(struct orma_exec_plan *plan, const struct orma_exec_expr *e,
                    const struct orma_exec_rows *rows, struct orma_exec_vec *ret);

/* Which of the rows have a true value: writes their places, and returns how many; -1: given up. */
int orma_exec_select(struct orma_exec_plan *plan, const struct orma_exec_expr *e,
                     const struct orma_exec_rows *rows, uint32_t *ret);

/* exec_load.c: columns of tables and of queries, and what lies in a frame. */
bool orma_exec_load_column(struct orma_exec_plan *plan, const struct orma_exec_expr *e,
                           const struct orma_exec_rows *rows, struct orma_exec_vec *ret);
void orma_exec_load_row(const struct orma_exec_expr *e, const struct orma_exec_rows *rows,
                        struct orma_exec_vec *ret);
void orma_exec_load_slot(const struct orma_exec_expr *e, const struct orma_exec_rows *rows,
                         struct orma_exec_vec *ret);
/* The values under a key in arg sets. */
bool orma_exec_load_args(struct orma_exec_plan *plan, const struct orma_exec_vec *sets,
                         const struct orma_exec_rows *rows, uint32_t key,
                         struct orma_exec_vec *ret);

struct orma_exec_vec *orma_exec_take_vec(struct orma_exec_plan *plan);
void orma_exec_give_vec(struct orma_exec_plan *plan, struct orma_exec_vec *vec);

/* From here on each value has its type. */
static inline void orma_exec_make_tagged(struct orma_exec_vec *v, uint32_t num)
{
    if (!v->tagged)
        memset(v->tags, v->tag, num);
    v->tagged = true;
}

static inline void orma_exec_set(struct orma_exec_vec *v, uint32_t i, uint8_t tag, int64_t bits)
{
    v->tags[i] = tag;
    v->vals[i] = bits;
}

static inline uint8_t orma_exec_tag_at(const struct orma_exec_vec *v, uint32_t i)
{
    return v->tagged ? v->tags[i] : v->tag;
}

static inline double orma_exec_double(int64_t bits)
{
    double d;

    memcpy(&d, &bits, sizeof(d));
    return d;
}

static inline int64_t orma_exec_bits(double d)
{
    int64_t bits;

    memcpy(&bits, &d, sizeof(bits));
    return bits;
}

/* A double, or NULL for what is no number. */
static inline void orma_exec_set_real(struct orma_exec_vec *v, uint32_t i, double d)
{
    if (d != d)
        orma_exec_set(v, i, EXEC_NULL, 0);
    else
        orma_exec_set(v, i, EXEC_REAL, orma_exec_bits(d));
}

/* Order of values as SQLite has it, NULL first; texts by their bytes. */
int orma_exec_compare(const struct orma_strpool *pool, struct orma_exec_value a,
                      struct orma_exec_value b);

/* exec_run.c: fills the frames of the query and of those below. */
bool orma_exec_run(struct orma_exec_plan *plan, struct orma_exec_query *q);

/* exec_select.c: queries in expressions. */
bool orma_exec_run_subs(struct orma_exec_plan *plan);

/* exec_lookup.c: what such a query gives, by its keys. */
struct orma_exec_table *orma_exec_table_new(unsigned keys_num);
void orma_exec_table_free(struct orma_exec_table *self);
/* Of the same keys the first value counts; `vals` NULL: 1. */
bool orma_exec_table_add(struct orma_exec_plan *plan, const struct orma_exec_sub *sub,
                         struct orma_exec_vec *const *keys, const struct orma_exec_vec *vals,
                         uint32_t num);
/* The value for each row (VALUE), or whether there is one (EXISTS). */
bool orma_exec_lookup(struct orma_exec_plan *plan, const struct orma_exec_sub *sub,
                      struct orma_exec_vec *const *keys, uint32_t num, struct orma_exec_vec *ret);
void orma_exec_subs_free(struct orma_exec_plan *plan);

/* exec_collect.c: rows that pass all conditions, in SQLite's order, as the frame. */
bool orma_exec_collect(struct orma_exec_plan *plan, struct orma_exec_query *q);

/* exec_frame.c */
void orma_exec_frame_fini(struct orma_exec_frame *f);

/* Rows `first` and on, `num` of them, of the frame of a query: what its results are evaluated for.
 * `buf` has room for EXEC_BLOCK rows of each source and of slots. */
struct orma_exec_place {
    uint32_t rows[EXEC_SOURCES_MAX + 1][EXEC_BLOCK];
};
void orma_exec_frame_rows(const struct orma_exec_query *q, uint32_t first, uint32_t num,
                          struct orma_exec_place *buf, struct orma_exec_rows *ret);
/* The same for given rows of the frame; EXEC_NO_ROW among them is read as row 0. */
void orma_exec_frame_pick(const struct orma_exec_query *q, const uint32_t *list, uint32_t num,
                          struct orma_exec_place *buf, struct orma_exec_rows *ret);

/* exec_filter.c: a stored column compared with a constant, or with NULL: what a filter of a scan
 * does. */
bool orma_exec_is_filter(struct orma_exec_plan *plan, const struct orma_exec_expr *e, int *ret_op,
                         unsigned *ret_col, const struct orma_exec_expr **ret_val);

bool orma_exec_add_filter(struct orma_exec_plan *plan, const struct orma_table *t,
                          struct orma_rowscan *scan, int op, unsigned col,
                          const struct orma_exec_expr *val);

/* Whether a condition gives the number of the row of the source. */
bool orma_exec_is_given(struct orma_exec_plan *plan, const struct orma_exec_query *q,
                        const struct orma_exec_source *src);

/* Rows that are distinct become groups, where that is the same. False: out of memory. */
bool orma_exec_group_distinct(struct orma_exec_plan *plan, struct orma_exec_query *q);

/* Before a join: adds conditions that follow from those it has. */
bool orma_exec_spread(struct orma_exec_plan *plan, struct orma_exec_query *q);

/* exec_hash.c: rows by a key. Zero-initialised is empty. */
struct orma_exec_hash {
    uint32_t *slots, mask; /* groups by key */
    int64_t *keys;         /* of groups */
    uint32_t groups_num;
    uint32_t *starts; /* of the list of each group in `rows` */
    uint32_t *rows;
    int64_t *vals;    /* by which lists rise, if they do; NULL: there are none */
    uint32_t *groups; /* of rows, while they are added */
    uint32_t num, cap;
    uint8_t tag; /* of keys */
    bool ranged;
};
void orma_exec_hash_fini(struct orma_exec_hash *self);
/* `keys` NULL: all are of one group; `vals` NULL: none, and then for all that are added. */
bool orma_exec_hash_add(struct orma_exec_plan *plan, struct orma_exec_hash *self,
                        const uint32_t *list, uint32_t first, uint32_t num,
                        const struct orma_exec_vec *keys, const struct orma_exec_vec *vals);
bool orma_exec_hash_link(struct orma_exec_plan *plan, struct orma_exec_hash *self);
/* The list of the i-th key. */
bool orma_exec_hash_find(struct orma_exec_plan *plan, const struct orma_exec_hash *self,
                         const struct orma_exec_vec *keys, uint32_t i, uint32_t *ret_from,
                         uint32_t *ret_to);
/* What is left of a list of a `ranged` one: values from `bound` on (`low`), or up to it. */
bool orma_exec_hash_cut(struct orma_exec_plan *plan, const struct orma_exec_hash *self,
                        const struct orma_exec_vec *bound, uint32_t i, bool low, bool strict,
                        uint32_t *from, uint32_t *to);

/* exec_join.c: calls `each` with blocks of rows that pass all conditions. */
typedef bool orma_exec_sink(struct orma_exec_plan *plan, struct orma_exec_query *q,
                            const struct orma_exec_rows *rows, void *data);
bool orma_exec_scan(struct orma_exec_plan *plan, struct orma_exec_query *q, orma_exec_sink *sink,
                    void *data);
/* Whether the source that it begins with gives no more than `limit` rows, before conditions that
 * scans cannot test. */
bool orma_exec_has_few(struct orma_exec_plan *plan, struct orma_exec_query *q, uint32_t limit);
/* Whether it reads one row of each source at most, by its number. */
bool orma_exec_finds_one(struct orma_exec_plan *plan, struct orma_exec_query *q);
/* Several sources: sets `by_loops` where SQLite's loops give rows in another order. */
bool orma_exec_plan_joins(struct orma_exec_plan *plan, struct orma_exec_query *q);

/* exec_group.c */
bool orma_exec_group(struct orma_exec_plan *plan, struct orma_exec_query *q);

/* exec_percentile.c: values of all groups, then those of each. Zero-initialised is empty. */
struct orma_exec_values {
    double *vals;
    uint32_t *groups;
    size_t num, vals_cap, groups_cap;
    size_t *starts; /* by group, when they were dealt out */
};
void orma_exec_values_fini(struct orma_exec_values *self);
/* `codes`: groups of the values; NULL: all are of group 0. */
bool orma_exec_values_add(struct orma_exec_plan *plan, struct orma_exec_values *self,
                          const struct orma_exec_vec *v, const uint32_t *codes, uint32_t num);
bool orma_exec_values_deal(struct orma_exec_plan *plan, struct orma_exec_values *self,
                           uint32_t groups);
/* The caller looks whether it was given up. */
struct orma_exec_value orma_exec_values_at(struct orma_exec_plan *plan,
                                           struct orma_exec_values *self, uint32_t group,
                                           double fraction, bool exact);

/* exec_sort.c: the values of an expression for all rows of the frame, as a slot. */
bool orma_exec_fill_slot(struct orma_exec_plan *plan, struct orma_exec_query *q,
                         const struct orma_exec_expr *e, struct orma_exec_slot *ret);
void orma_exec_slot_fini(struct orma_exec_slot *s);

/* A stable order of the rows of the frame by keys, as a permutation (large.h). NULL in *ret: they
 * lie in that order already. `first`: no more than so many rows are wanted. */
bool orma_exec_sort(struct orma_exec_plan *plan, struct orma_exec_query *q,
                    const struct orma_exec_key *keys, unsigned num, uint32_t first, uint32_t **ret);

/* Takes the rows of the frame in this order, `num` of them, and `perm` itself. */
void orma_exec_permute(struct orma_exec_query *q, uint32_t *perm, uint32_t num);
bool orma_exec_distinct(struct orma_exec_plan *plan, struct orma_exec_query *q);

/* exec_extent.c: where the frame of each row begins and ends (not included). `parts` and `peers`
 * are bits: rows that begin one. Both lists are the caller's, also when it was given up. */
bool orma_exec_extents(struct orma_exec_plan *plan, struct orma_exec_query *q,
                       const struct orma_exec_win *win, const uint64_t *parts,
                       const uint64_t *peers, uint32_t **ret_from, uint32_t **ret_to);

static inline bool orma_exec_bit(const uint64_t *bits, uint32_t i)
{
    return bits[i >> 6] >> (i & 63) & 1;
}

/* From the first row of the partition to the row itself, or to the last one that is its equal. */
static inline bool orma_exec_is_running(const struct orma_exec_extent *x)
{
    return x->from == ORMA_EXEC_FIRST && x->to == ORMA_EXEC_HERE;
}

/* exec_window.c */
bool orma_exec_windows(struct orma_exec_plan *plan, struct orma_exec_query *q);

static inline bool orma_exec_should_stop(struct orma_exec_plan *plan)
{
    return orma_sql_is_interrupted(plan->sql) && !orma_exec_give_up(plan, "interrupted");
}
#endif
