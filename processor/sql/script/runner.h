/*
 * Running scripts: statements of PerfettoSQL one after the other.
 *
 *     struct orma_runner *runner;
 *     struct orma_sql_stmt *stmt;
 *
 *     orma_runner_new(sql, "File \"stdin\"", text, &runner);
 *     while ((r = orma_runner_next(runner, &stmt)) > 0) {
 *         while ((r = orma_sql_stmt_step(stmt)) > 0)
 *             sqlite3_column_int64(stmt->stmt, 0);
 *         orma_sql_stmt_free(stmt);
 *     }
 *     orma_runner_free(runner);
 *
 * Statements of the dialect are carried out by orma_runner_next(); what they
 * give then is a statement without rows. Failures are -EINVAL, -ENOMEM, or
 * -ECANCELED (interrupted), with the text in the engine.
 */
#ifndef ORMA_PROCESSOR_SQL_SCRIPT_RUNNER_H
#define ORMA_PROCESSOR_SQL_SCRIPT_RUNNER_H
#include "processor/sql/base/sql.h"
#include "processor/sql/base/values.h"
#include "processor/sql/dialect/script.h"
#include "processor/sql/exec/exec.h"

struct orma_sql_stmt {
    struct orma_sql *sql;
    sqlite3_stmt *stmt; /* never NULL */
    struct orma_sql_source *source;
    uint32_t at, end; /* where it stands in its source */
    int ahead;        /* result of a step that was made ahead; NOT_AHEAD otherwise */
    bool no_output;   /* a statement of the dialect */
    bool has_row;     /* it gave one already */
    uint64_t stats;   /* its row of sqlstats */
    unsigned params;  /* that its text has; they are those of `stmt` */
    /* Rows by columns: row `batch_at` of the batch. NULL plan: SQLite has the row. */
    struct orma_exec_plan *plan;
    struct orma_exec_batch batch;
    uint32_t batch_at;
    bool by_columns;          /* who reads it takes rows in that form, too */
    struct orma_bound *bound; /* its values, if they may make it run by columns: bound.h */
};

struct orma_runner {
    struct orma_sql *sql;
    struct orma_script script;
    bool lenient;  /* a statement that fails is left out: orma_stub_make() */
    bool deferred; /* what its statements need is there: deferred.h */
};

/* `frame` names the text in tracebacks. 0, -ENOMEM, -E2BIG (with an error). */
int orma_runner_new(struct orma_sql *sql, const char *frame, struct orma_str text,
                    struct orma_runner **ret);
void orma_runner_free(struct orma_runner *self);

/* 1 and the caller owns *ret; 0 at the end; -errno. After a failure the script is over. */
int orma_runner_next(struct orma_runner *self, struct orma_sql_stmt **ret);

/*
 * From now on rows are in `batch` while `plan` is set, and not in `stmt`: for who reads many.
 * Before the first step.
 */
static inline void orma_sql_stmt_by_columns(struct orma_sql_stmt *self)
{
    self->by_columns = true;
    self->plan = self->no_output ? NULL : orma_exec_plan_of(self->sql, self->stmt);
}

/*
 * To its first row again. False: it ran by columns, and must be prepared anew. Statements of the
 * dialect stay what they are.
 */
bool orma_sql_stmt_reset(struct orma_sql_stmt *self);

/* 1: there is a row; 0: no more; -errno. */
int orma_sql_stmt_step(struct orma_sql_stmt *self);

/*
 * Whether the rows are meant for people: not those of statements of the dialect, of a column named
 * suppress_query_output, or of functions that are called for their effect. Looks at the first row.
 */
bool orma_sql_stmt_has_output(struct orma_sql_stmt *self);

/* NULL is fine. */
void orma_sql_stmt_free(struct orma_sql_stmt *self);
ORMA_DEFINE_AUTO(struct orma_sql_stmt *, orma_sql_stmt_free)

/* Runs all statements and forgets their rows. 0 or -errno. */
int orma_sql_run_script(struct orma_sql *sql, const char *frame, struct orma_str text);

/*
 * Every call into the engine is between these two: the outermost begins with a clean error, and
 * forgets an interrupt that came when nothing ran.
 */
void orma_sql_enter(struct orma_sql *sql);
void orma_sql_leave(struct orma_sql *sql);

/* The same for calls that continue a script: an interrupt since its last row still counts. */
void orma_sql_resume(struct orma_sql *sql);

/* The error of SQLite at `at` of `text` (may be NULL) becomes ours. Returns the -errno for it. */
int orma_sql_take_error(struct orma_sql *sql, const struct orma_sql_text *text, uint32_t at);

/* For functions that failed with an error of the engine: passes it on to SQLite. */
void orma_sql_result_error(sqlite3_context *ctx, struct orma_sql *sql, int error);

/* ---- statements of the dialect, in their own files; -errno with the error set ---- */

int orma_sql_create_table(struct orma_sql *sql, const struct orma_statement *stmt);
int orma_sql_create_view(struct orma_sql *sql, const struct orma_statement *stmt);
int orma_sql_create_index(struct orma_sql *sql, const struct orma_statement *stmt);
int orma_sql_drop_index(struct orma_sql *sql, const struct orma_statement *stmt);
int orma_sql_user_create_func(struct orma_sql *sql, const struct orma_statement *stmt);
int orma_sql_user_create_table_func(struct orma_sql *sql, const struct orma_statement *stmt);
int orma_modules_run_include(struct orma_sql *sql, const struct orma_statement *stmt);

/* Prepares the body of a statement, which must be a query. */
int orma_sql_prepare_body(struct orma_sql *sql, const struct orma_statement *stmt,
                          sqlite3_stmt **ret);

/* Compares the columns of a query with the schema of a statement, and checks the names. */
int orma_sql_check_columns(struct orma_sql *sql, const struct orma_statement *stmt,
                           sqlite3_stmt *query);

void orma_sql_user_funcs_fini(struct orma_sql *sql);
void orma_sql_user_table_funcs_fini(struct orma_sql *sql);

/* Enables memoization of a function with one integer argument. */
int orma_sql_user_memoize(struct orma_sql *sql, struct orma_str name);
/* As orma_sql.is_steady. */
bool orma_sql_user_is_steady(struct orma_sql *sql, struct orma_str name, int args);
#endif
