/*
 * The executor: queries over columns that SQLite need not run row by row.
 *
 *   SELECT t.name, sum(s.dur) FROM slice s JOIN thread_track tt ON s.track_id = tt.id
 *   JOIN thread t USING (utid) GROUP BY 1
 *
 * SQLite prepares every statement first: it reports errors, names columns, and stays what runs
 * when the executor gives up, which it may do at any moment before its first row is out. So nothing
 * here must be complete, only right.
 *
 *   text ─parse─► tree ─bind─► query ─fold─► run: scans, joins, groups, windows, order ─► vectors
 *
 * What is taken: joins on ids, by equality and by ranges (inner and left), views and sub-selects,
 * compound queries, queries in expressions that depend on the row by equality at most, CASE,
 * arithmetic, comparisons, functions (of one text column once per distinct text), aggregates,
 * window functions, DISTINCT, ORDER BY, LIMIT. Rows, their order, types and names are SQLite's.
 *
 * The statement becomes SELECT c0 AS "name", ... FROM __orma_exec(?1), where ?1 is the plan; who
 * wants whole columns takes them from the statement by orma_exec_plan_of().
 *
 * orma_columnar(0) turns it off for a connection. ORMA_EXEC in the environment: off; on (also where
 * tables are too small to be worth it); both (runs each statement in both ways and aborts when they
 * differ). ORMA_EXEC_PIECES: rows that a thread takes at a time, where there are several threads;
 * few make them work on small tables, too.
 */
#ifndef ORMA_PROCESSOR_SQL_EXEC_H
#define ORMA_PROCESSOR_SQL_EXEC_H
#include "processor/sql/base/builtins.h"

/*
 * `stmt` was prepared from `text`. If the executor can run it, gives the statement to use instead;
 * NULL: it stays. Never fails. Expects that orma_exec_begin() was called before `stmt` was
 * prepared.
 */
sqlite3_stmt *orma_exec_prepare(struct orma_sql *sql, struct orma_str text, sqlite3_stmt *stmt);

/* Before SQLite prepares a statement: forgets which tables were planned. */
static inline void orma_exec_begin(struct orma_sql *sql)
{
    sql->planner.planned = false;
    sql->planner.rows_max = 0;
    sql->planner.args = false;
    sql->planner.rowids = false;
    sql->planner.reads.list.len = 0;
    sql->planner.reads.failed = false;
    sql->planner.reads.on = true;
}

/* A function of that name was made by a user: if it is one of ours, we stand back. */
void orma_exec_note_function(struct orma_sql *sql, const char *name);

/* Whether it is asked for a statement that was just prepared: its tables are large enough. */
bool orma_exec_may_run(const struct orma_sql *sql);

/* Reads the environment. */
void orma_exec_init(struct orma_sql *sql);

/* ---- results as columns ---- */

/* As many rows as a batch can have. */
#define ORMA_EXEC_BATCH 1024

enum orma_exec_type {
    ORMA_EXEC_TYPE_NULL = 1,
    ORMA_EXEC_TYPE_INT = 2,
    ORMA_EXEC_TYPE_REAL = 4, /* bits of a double */
    ORMA_EXEC_TYPE_TEXT = 8, /* id of the string pool of the storage */
};

/* A column of a batch: all values of type `type`, or each of that in `types`. */
struct orma_exec_column {
    const int64_t *vals;
    const uint8_t *types; /* NULL: all are `type` */
    uint8_t type;
};

struct orma_exec_batch {
    uint32_t rows; /* 0: the end */
    unsigned columns_num;
    const struct orma_exec_column *columns;
};

struct orma_exec_plan;

/* Whether SQLite runs the plan after all. NULL is fine. */
bool orma_exec_gave_up(const struct orma_exec_plan *plan);

/* How many rows it looked at; 0: it did not run. NULL is fine. */
uint64_t orma_exec_rows_read(const struct orma_exec_plan *plan);

/* The plan behind a statement of orma_exec_prepare(); NULL: SQLite runs it. */
struct orma_exec_plan *orma_exec_plan_of(struct orma_sql *sql, sqlite3_stmt *stmt);

/*
 * The next rows, valid until the next call. 1: there are some; 0: that was all; -EAGAIN: step the
 * statement instead (only before the first batch); -ECANCELED. Once the statement was stepped, its
 * batches are no longer there, and the other way round.
 */
int orma_exec_next_batch(struct orma_exec_plan *plan, struct orma_exec_batch *ret);

extern const struct orma_sql_module orma_exec_modules[];
extern const struct orma_sql_func orma_exec_funcs[];
#endif
