/* What columnar.c hands from the text to the columns. See columnar.h. */
#ifndef ORMA_PROCESSOR_SQL_COLUMNAR_PLAN_H
#define ORMA_PROCESSOR_SQL_COLUMNAR_PLAN_H
#include "processor/sql/tables/vtab.h"
#include "sdk/base/buf.h"

#define ORMA_COLUMNAR_KEYS_MAX 4
#define ORMA_COLUMNAR_AGGS_MAX 24
#define ORMA_COLUMNAR_FILTERS_MAX 16

enum orma_agg {
    ORMA_AGG_COUNT_ALL, /* count(*) */
    ORMA_AGG_COUNT,
    ORMA_AGG_COUNT_DISTINCT,
    ORMA_AGG_SUM,
    ORMA_AGG_AVG,
    ORMA_AGG_MIN,
    ORMA_AGG_MAX,
};

struct orma_columnar_plan {
    struct orma_sql *sql;
    const struct orma_table *table;
    const struct orma_proj *proj;
    bool args;           /* it reads ids of sets of args */
    uint64_t generation; /* of the tables of the engine, when this was made */
    struct {
        unsigned col;
        int op;
        sqlite3_value *val;     /* owned */
        sqlite3_value **values; /* IN: owned, NULL at the end */
    } filters[ORMA_COLUMNAR_FILTERS_MAX];
    unsigned filters_num;
    struct orma_columnar_key {
        unsigned col; /* stored */
        char op;      /* + - * / %, with `operand` > 0; 0: the column itself */
        int64_t operand;
        bool desc; /* groups come in falling order of this one */
    } keys[ORMA_COLUMNAR_KEYS_MAX];
    unsigned keys_num;
    bool grouped;     /* GROUP BY: no row without input; else one row always */
    bool first_order; /* DISTINCT: in order of appearance; else by key */
    struct {
        enum orma_agg agg;
        unsigned col;
    } aggs[ORMA_COLUMNAR_AGGS_MAX];
    unsigned aggs_num;
    char *name;  /* of the table, as SQLite knows it; owned, malloc */
    char *query; /* keys and aggregates as a query, for SQLite's arithmetic; owned, malloc */
};

void orma_columnar_plan_free(void *plan);

/* columnar_parse.c */

/*
 * Reads a statement that SQLite has accepted and that has one table, `v`. True if all
 * of it is understood: then `plan` is filled (its query too) and `rewritten` is the
 * statement over __orma_columnar(?1). `order_inside`: what the rows are ordered by before they are
 * summed up, or empty.
 */
bool orma_columnar_parse(struct orma_str text, sqlite3_stmt *stmt, const struct orma_vtab *v,
                         struct orma_str order_inside, struct orma_columnar_plan *plan,
                         struct orma_buf *rewritten);

/*
 * columnar_flatten.c: the same statement without the sub-select that it reads, if that only picks
 * columns and rows of `v`; and the columns that the sub-select orders by.
 */
bool orma_columnar_flatten(struct orma_str text, sqlite3_stmt *stmt, const struct orma_vtab *v,
                           struct orma_buf *ret, struct orma_buf *ret_order);

/* Names of the columns of __orma_columnar: keys have one for each type. */
#define ORMA_COLUMNAR_KEY_NAME "__orma_k%u%c"
#define ORMA_COLUMNAR_AGG_NAME "__orma_a%u"

/* The groups of an executed plan. */
struct orma_columnar_result {
    uint32_t num;
    uint32_t *order;                    /* the group that is the i-th row; NULL: themselves */
    uint32_t *first_row;                /* of each group */
    struct orma_columnar_input *inputs; /* columnar_agg.c */
    unsigned inputs_num;
    int64_t *counts; /* rows of each group */
    uint32_t cap;
    bool failed;  /* memory is out */
    bool inexact; /* the sums are too large for us: run the query */
};

/* The value of a key with an operator. False: it does not fit. */
bool orma_columnar_key_value(const struct orma_columnar_key *key, int64_t val, int64_t *ret);

/* Carries out a plan. An SQLite code; interrupted: SQLITE_INTERRUPT. */
int orma_columnar_run(const struct orma_columnar_plan *plan, struct orma_columnar_result *ret);
void orma_columnar_result_fini(struct orma_columnar_result *self);

/* The aggregate `agg` of group `group` as the result of a column. */
void orma_columnar_put(const struct orma_columnar_plan *plan,
                       const struct orma_columnar_result *self, unsigned agg, uint32_t group,
                       sqlite3_context *ctx);
#endif
