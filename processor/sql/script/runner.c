/*
 * orma_runner_next() takes a statement from dialect/script.c. One of the dialect is carried
 * out by its function in orma_sql.statements and gives an empty statement; any other is
 * prepared by SQLite, and exec/ may replace it. Every call from outside stands between
 * enter and leave (or resume and leave): the outermost clears the error before, and writes out
 * derived rows and dropped tables afterwards.
 */
#include "processor/sql/script/runner.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "processor/sql/dialect/token.h"
#include "processor/sql/exec/exec.h"
#include "processor/sql/script/bound.h"
#include "processor/sql/script/hint.h"
#include "processor/sql/script/sqlstats.h"
#include "processor/sql/script/stub.h"
#include "processor/sql/sqlite/older.h"
#include "processor/sql/tables/dataframe_tables.h"
#include "processor/sql/tables/derived.h"
#include "sdk/base/assert.h"

#define NOT_AHEAD INT32_MIN
/* Scripts that run scripts: includes of includes, metrics that run metrics. */
#define DEPTH_MAX 100

void orma_sql_enter(struct orma_sql *sql)
{
    if (sql->run.depth == 0) {
        atomic_store_explicit(&sql->run.interrupted, false, memory_order_relaxed);
        orma_sql_start_clock(sql);
    }
    orma_sql_resume(sql);
}

void orma_sql_resume(struct orma_sql *sql)
{
    if (sql->run.depth++ == 0) {
        orma_sql_error_clear(&sql->error);
        sql->error_offset = -1;
        orma_derived_flush(sql);
        sql->limits.memory.before_bytes = 0;
        sql->limits.memory.out = false;
        sql->storage->stale = false;
    }
}

void orma_sql_leave(struct orma_sql *sql)
{
    ORMA_ASSERT_HOT(sql->run.depth > 0);
    if (--sql->run.depth == 0 && sql->dataframes.dropped)
        orma_dataframe_tables_sweep(sql);
    if (sql->run.depth == 0)
        orma_derived_flush(sql);
}

static int errno_of(int code)
{
    switch (code & 0xff) {
    case SQLITE_INTERRUPT:
        return -ECANCELED;
    case SQLITE_NOMEM:
        return -ENOMEM;
    }
    return -EINVAL;
}

/* near "x": syntax error. False: it is another message. */
static bool is_syntax_error(const char *message, struct orma_str *ret_near)
{
    static const char begin[] = "near \"", end[] = "\": syntax error";
    size_t len = strlen(message), around = sizeof(begin) - 1 + sizeof(end) - 1;

    if (len < around || strncmp(message, begin, sizeof(begin) - 1) ||
        strcmp(message + len - (sizeof(end) - 1), end))
        return false;
    *ret_near = (struct orma_str){message + sizeof(begin) - 1, len - around};
    return true;
}

static void take_message(struct orma_sql *sql, const struct orma_sql_text *text, uint32_t at,
                         int error)
{
    const char *message = sqlite3_errmsg(sql->db);
    struct orma_str near;

    if (is_syntax_error(message, &near))
        orma_sql_error_set(&sql->error, text, at, "syntax error near '%.*s'", ORMA_STR_ARG(near));
    else if (sql->planner.lacks[0] && !strcmp(message, "no query solution"))
        orma_sql_error_set(&sql->error, text, at, "%s: %s", message, sql->planner.lacks);
    else
        orma_sql_error_set(&sql->error, text, at, "%s", message);
    if (error == -EINVAL)
        orma_sql_hint(sql, text ? orma_sql_text_str(text) : (struct orma_str){0});
}

/* What was decoded from the trace may be wrong: its file is no longer what was loaded. */
ORMA_COLD static int refuse_stale(struct orma_sql *sql)
{
    orma_sql_error_clear(&sql->error); /* that was a consequence */
    return orma_sql_error_set(&sql->error, NULL, 0,
                              "the trace file was overwritten or truncated after it was loaded, "
                              "and this query reads from it: load it again");
}

/* The text for a failure whose kind is known; what SQLite says only if there is nothing else. */
static int say_why(struct orma_sql *sql, const struct orma_sql_text *text, uint32_t at, int r)
{
    if (r == -ECANCELED && sql->limits.memory.out)
        r = -ENOMEM;
    if (sql->error.set)
        orma_sql_error_wrap(&sql->error, text, at);
    else if (r == -ENOMEM && sql->limits.memory.out)
        orma_sql_error_set(&sql->error, text, at,
                           "out of memory: the query needs more than %" PRIu64
                           " MiB; make it read less, or add a LIMIT",
                           sql->limits.memory.limit_bytes >> 20);
    else if (r == -ECANCELED && sql->limits.out_of_time)
        orma_sql_error_set(&sql->error, text, at, "the query takes longer than the limit of %g s",
                           (double)sql->given.time_limit_ns / 1e9);
    else if (r == -ECANCELED)
        orma_sql_error_set(&sql->error, text, at, "interrupted");
    else if (sql->storage->stale)
        (void)refuse_stale(sql);
    else
        take_message(sql, text, at, r);
    return r;
}

int orma_sql_take_error(struct orma_sql *sql, const struct orma_sql_text *text, uint32_t at)
{
    int r = errno_of(sqlite3_errcode(sql->db));

    /* What makes a virtual table fails with an ordinary error when it is interrupted. */
    if (r == -EINVAL && orma_sql_is_interrupted(sql))
        r = -ECANCELED;
    return say_why(sql, text, at, r);
}

/* SQLite looks at an interrupt when rows are read, and of a script that reads none at nothing. */
static int refuse_stopped(struct orma_sql *sql)
{
    orma_sql_look_at_limits(sql);
    return orma_sql_is_told_to_stop(sql) ? say_why(sql, NULL, 0, -ECANCELED) : 0;
}

void orma_sql_result_error(sqlite3_context *ctx, struct orma_sql *sql, int error)
{
    if (error == -ENOMEM)
        sqlite3_result_error_nomem(ctx);
    else
        sqlite3_result_error(ctx, orma_buf_cstr(&sql->error.message), -1);
    if (error == -ECANCELED)
        sqlite3_result_error_code(ctx, SQLITE_INTERRUPT);
}

int orma_runner_new(struct orma_sql *sql, const char *frame, struct orma_str text,
                    struct orma_runner **ret)
{
    struct orma_runner *self = calloc(1, sizeof(*self));
    ORMA_AUTO(orma_sql_source_unref_p)
    struct orma_sql_source *source = orma_sql_source_new(frame, text);
    int r = self && source ? 0 : -ENOMEM;

    orma_sql_enter(sql);
    if (!r)
        r = orma_script_init(&self->script, source, &sql->macros);
    if (r == -E2BIG)
        orma_sql_error_set(&sql->error, NULL, 0, "the text is longer than %zu MiB",
                           ORMA_SQL_TEXT_MAX >> 20);
    else if (r)
        orma_sql_error_oom(&sql->error);
    orma_sql_leave(sql);
    if (r) {
        free(self);
        return r;
    }
    self->sql = sql;
    *ret = self;
    return 0;
}

void orma_runner_free(struct orma_runner *self)
{
    if (!self)
        return;
    orma_script_fini(&self->script);
    free(self);
}

/* Where the byte at `at` stands in the script: macros count as where they are called. */
static uint32_t place_in_script(const struct orma_sql_text *text, uint32_t at)
{
    struct orma_sql_origin origin = orma_sql_text_origin(text, at);

    while (origin.call != ORMA_SQL_NO_CALL)
        origin = ((const struct orma_sql_origin *)(void *)text->calls.data)[origin.call];
    return origin.at;
}

/* Prepares a slice of the text of `s` that begins at `at`. 1: *ret is another statement, which
 * gives the same rows. */
static int prepare(struct orma_sql *sql, const struct orma_statement *s, struct orma_str body,
                   uint32_t at, sqlite3_stmt **ret)
{
    const char *tail = NULL;

    orma_sql_watch_steps(sql);
    orma_exec_begin(sql);
    sql->planner.lacks[0] = '\0';
    int r = sqlite3_prepare_v2(sql->db, body.data, (int)body.len, ret, &tail);

    sql->planner.reads.on = false;
    if (r) {
        int offset = sqlite3_error_offset(sql->db);

        at += offset > 0 ? (uint32_t)offset : 0;
        sql->error_offset = offset < 0 ? -1 : (int)place_in_script(s->text, at);
        return orma_sql_take_error(sql, s->text, at);
    }
    if (!*ret ||
        orma_str_trim((struct orma_str){tail, (size_t)(body.data + body.len - tail)}).len) {
        /* A zero byte, which ends the text for SQLite alone. */
        sqlite3_finalize(*ret);
        *ret = NULL;
        return orma_sql_error_set(&sql->error, s->text, at + (uint32_t)(tail - body.data),
                                  "unexpected text after the end of the statement");
    }
    sqlite3_stmt *faster = orma_exec_prepare(sql, body, *ret);
    if (faster) {
        sqlite3_finalize(*ret);
        *ret = faster;
    }
    return faster != NULL;
}

int orma_sql_prepare_body(struct orma_sql *sql, const struct orma_statement *s, sqlite3_stmt **ret)
{
    int r = prepare(sql, s, s->body, s->body_at, ret);

    if (r < 0)
        return r;
    if (*ret && sqlite3_column_count(*ret) && sqlite3_stmt_readonly(*ret))
        return 0;
    sqlite3_finalize(*ret);
    *ret = NULL;
    return orma_sql_error_set(&sql->error, s->text, s->body_at, "this must be a SELECT");
}

static int next_statement(struct orma_runner *self, struct orma_sql_stmt *stmt)
{
    const struct orma_str empty = ORMA_STR("SELECT 0 WHERE 0");
    struct orma_sql *sql = self->sql;
    struct orma_statement *s = &self->script.statement;
    int r = orma_script_next(&self->script, &sql->error);

    if (r == -EBADMSG)
        orma_sql_hint(sql, (struct orma_str){0});
    if (r <= 0)
        return r;
    const struct orma_str text = s->kind == ORMA_STMT_SQLITE ? s->body : orma_sql_text_str(s->text);
    if (!self->deferred && s->kind != ORMA_STMT_INCLUDE && s->kind != ORMA_STMT_CREATE_MACRO) {
        r = sql->need(sql, text);
        if (r < 0) {
            orma_sql_error_wrap(&sql->error, s->text, 0);
            return r;
        }
    }
    orma_sqlite_older_note(sql, text);
    stmt->source = orma_sql_source_ref(self->script.source);
    stmt->at = place_in_script(s->text, 0);
    stmt->end = orma_script_pos(&self->script);
    if (sql->run.depth == 1) /* not those of modules and functions */
        stmt->stats = orma_sqlstats_begin(sql, text);
    if (s->kind == ORMA_STMT_SQLITE) {
        r = prepare(sql, s, s->body, s->body_at, &stmt->stmt);
        if (!r) {
            stmt->params = (unsigned)sqlite3_bind_parameter_count(stmt->stmt);
            stmt->bound = orma_bound_new(sql, stmt->stmt);
        }
    } else {
        ORMA_ASSERT(sql->statements[s->kind]);
        r = sql->statements[s->kind](sql, s);
        stmt->no_output = true;
    }
    if (ORMA_UNLIKELY(sql->storage->stale))
        r = refuse_stale(sql);
    if (r < 0 && self->lenient)
        r = orma_stub_make(sql, s, r);
    if (r >= 0 && !stmt->stmt) {
        stmt->no_output = true;
        if (sqlite3_prepare_v2(sql->db, empty.data, (int)empty.len, &stmt->stmt, NULL))
            r = orma_sql_take_error(sql, s->text, 0);
    }
    return r < 0 ? r : 1;
}

int orma_runner_next(struct orma_runner *self, struct orma_sql_stmt **ret)
{
    struct orma_sql *sql = self->sql;
    ORMA_AUTO(orma_sql_stmt_free_p) struct orma_sql_stmt *stmt = calloc(1, sizeof(*stmt));
    int r;

    if (stmt)
        stmt->stats = ORMA_SQLSTATS_NONE;
    orma_sql_resume(sql);
    if (!stmt)
        r = orma_sql_error_oom(&sql->error);
    else if (sql->run.depth > DEPTH_MAX)
        r = orma_sql_error_set(&sql->error, NULL, 0, "scripts are nested too deeply");
    else
        r = refuse_stopped(sql);
    if (r == 0)
        r = next_statement(self, stmt);
    if (r < 0 && stmt)
        orma_sqlstats_end(sql, stmt->stats);
    orma_sql_leave(sql);
    if (r <= 0) {
        if (r < 0)
            self->script.pos = (uint32_t)self->script.source->len;
        return r == -EBADMSG ? -EINVAL : r;
    }
    stmt->sql = sql;
    stmt->ahead = NOT_AHEAD;
    *ret = ORMA_STEAL(stmt);
    return 1;
}

/* The end, or a failure. */
ORMA_COLD static int step_ended(struct orma_sql_stmt *self, int r)
{
    struct orma_sql_text where = {0};

    orma_sqlstats_end(self->sql, self->stats);
    if (r == SQLITE_DONE)
        return 0;
    orma_sql_text_put(&where, (struct orma_sql_origin){self->source, self->at, ORMA_SQL_NO_CALL},
                      1);
    r = orma_sql_take_error(self->sql, &where, 0);
    orma_sql_text_fini(&where);
    return r;
}

/* The next row of the executor; SQLITE_ABORT: SQLite is to run the statement, or to stop it. */
static int step_columns(struct orma_sql_stmt *self)
{
    if (++self->batch_at < self->batch.rows)
        return SQLITE_ROW;
    self->batch_at = 0;
    int r = orma_sql_is_interrupted(self->sql) ? -ECANCELED
                                               : orma_exec_next_batch(self->plan, &self->batch);
    if (r >= 0)
        return r ? SQLITE_ROW : SQLITE_DONE;
    self->plan = NULL;
    return SQLITE_ABORT;
}

static int step(struct orma_sql_stmt *self)
{
    int r = self->plan ? step_columns(self) : SQLITE_ABORT;

    if (r == SQLITE_ABORT)
        r = sqlite3_step(self->stmt);

    if (ORMA_UNLIKELY(self->sql->storage->stale)) {
        orma_sqlstats_end(self->sql, self->stats);
        return refuse_stale(self->sql);
    }
    if (r != SQLITE_ROW)
        return step_ended(self, r);
    if (!self->has_row)
        orma_sqlstats_row(self->sql, self->stats);
    self->has_row = true;
    return 1;
}

int orma_sql_stmt_step(struct orma_sql_stmt *self)
{
    int r = self->ahead;

    self->ahead = NOT_AHEAD;
    if (r != NOT_AHEAD)
        return r;
    orma_sql_resume(self->sql);
    if (self->bound && !self->bound->stepped)
        orma_bound_start(self);
    r = step(self);
    orma_sql_leave(self->sql);
    return r;
}

bool orma_sql_stmt_reset(struct orma_sql_stmt *self)
{
    if (self->no_output)
        return true;
    if (self->bound)
        orma_bound_reset(self);
    if (orma_exec_plan_of(self->sql, self->stmt))
        return false;
    orma_sqlstats_end(self->sql, self->stats);
    self->stats = ORMA_SQLSTATS_NONE;
    self->ahead = NOT_AHEAD;
    self->has_row = false;
    (void)sqlite3_reset(self->stmt); /* says how the last run went */
    return true;
}

bool orma_sql_stmt_has_output(struct orma_sql_stmt *self)
{
    if (self->no_output || !sqlite3_column_count(self->stmt))
        return false;
    if (sqlite3_column_count(self->stmt) > 1)
        return true;
    if (!sqlite3_stricmp(sqlite3_column_name(self->stmt, 0), "suppress_query_output"))
        return false;
    if (self->plan) /* its values are no pointers */
        return true;
    if (self->ahead == NOT_AHEAD)
        self->ahead = orma_sql_stmt_step(self);
    return self->ahead != 1 ||
           !sqlite3_value_pointer(sqlite3_column_value(self->stmt, 0), ORMA_VOID_POINTER);
}

void orma_sql_stmt_free(struct orma_sql_stmt *self)
{
    if (!self)
        return;
    sqlite3_finalize(self->stmt);
    orma_bound_free(self->bound);
    orma_sql_source_unref(self->source);
    free(self);
}

int orma_sql_run_script(struct orma_sql *sql, const char *frame, struct orma_str text)
{
    struct orma_runner *runner;
    struct orma_sql_stmt *stmt;
    int r;

    orma_sql_enter(sql);
    r = orma_runner_new(sql, frame, text, &runner);
    if (r == 0) {
        while ((r = orma_runner_next(runner, &stmt)) > 0) {
            while ((r = orma_sql_stmt_step(stmt)) > 0)
                ;
            orma_sql_stmt_free(stmt);
            if (r < 0)
                break;
        }
        orma_runner_free(runner);
    }
    orma_sql_leave(sql);
    return r;
}
