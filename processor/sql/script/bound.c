/*
 * A literal integer alone behind ORDER BY or GROUP BY is the number of a column, which a parameter
 * never is: statements with parameters there stay as they are.
 */
#include "processor/sql/script/bound.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "processor/sql/dialect/token.h"
#include "processor/sql/sqlite/older.h"

/* Longer texts are not worth being written into a statement. */
#define TEXT_MAX 65536
#define NESTING_MAX 64
/* So many rows are nothing beside preparing a statement. */
#define ROWS_SHORT 256
/* After such a run. */
#define PAUSE 16

struct orma_bound *orma_bound_new(struct orma_sql *sql, sqlite3_stmt *stmt)
{
    const int params = sqlite3_bind_parameter_count(stmt);

    if (!params || !sqlite3_column_count(stmt) || !orma_exec_may_run(sql))
        return NULL;
    struct orma_bound *self = calloc(1, sizeof(*self));
    char **literals = calloc((size_t)params, sizeof(*literals));
    if (!self || !literals) {
        free(self);
        free(literals);
        return NULL;
    }
    *self = (struct orma_bound){.params = (unsigned)params, .literals = literals};
    return self;
}

void orma_bound_free(struct orma_bound *self)
{
    if (!self)
        return;
    for (unsigned i = 0; i < self->params; i++)
        sqlite3_free(self->literals[i]);
    free(self->literals);
    sqlite3_finalize(self->given);
    free(self);
}

static void forget(struct orma_sql_stmt *stmt)
{
    orma_bound_free(stmt->bound);
    stmt->bound = NULL;
}

/* ---- values ---- */

void orma_bound_note(struct orma_sql_stmt *stmt, unsigned param, char *literal)
{
    struct orma_bound *self = stmt->bound;

    if (!self || !literal) {
        sqlite3_free(literal);
        if (self) /* memory is out */
            forget(stmt);
        return;
    }
    sqlite3_free(self->literals[param - 1]);
    self->literals[param - 1] = literal;
}

/* The least of all is no literal, but an operation on one that is too large. */
void orma_bound_note_int(struct orma_sql_stmt *stmt, unsigned param, int64_t value)
{
    if (stmt->bound)
        orma_bound_note(stmt, param,
                        value == INT64_MIN ? sqlite3_mprintf("")
                                           : sqlite3_mprintf("(%lld)", (sqlite3_int64)value));
}

/* Whether SQLite reads just this number. */
static bool reads_as(sqlite3 *db, const char *literal, double value)
{
    char *sql = literal ? sqlite3_mprintf("SELECT %s", literal) : NULL;
    sqlite3_stmt *stmt = NULL;
    double seen = 0;
    bool same = sql && !sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) &&
                sqlite3_step(stmt) == SQLITE_ROW && sqlite3_column_type(stmt, 0) == SQLITE_FLOAT;

    if (same)
        seen = sqlite3_column_double(stmt, 0);
    sqlite3_finalize(stmt);
    sqlite3_free(sql);
    return same && !memcmp(&seen, &value, sizeof(value));
}

/* Of a literal zero SQLite makes -0.0 behind a minus; of a value it does not. */
static char *double_literal(double value)
{
    if (isnan(value))
        return sqlite3_mprintf("NULL");
    if (value == 0 && !signbit(value))
        return sqlite3_mprintf("(0.0 + 0.0)");
    return sqlite3_mprintf("(%!.17g)", value);
}

void orma_bound_note_double(struct orma_sql_stmt *stmt, unsigned param, double value)
{
    if (!stmt->bound)
        return;
    char *literal = double_literal(value);
    if (!isnan(value) && !reads_as(stmt->sql->db, literal, value)) {
        sqlite3_free(literal);
        literal = sqlite3_mprintf("");
    }
    orma_bound_note(stmt, param, literal);
}

void orma_bound_note_text(struct orma_sql_stmt *stmt, unsigned param, const char *text, size_t len)
{
    bool plain = stmt->bound && text && len < TEXT_MAX && !memchr(text, 0, len);

    if (stmt->bound)
        orma_bound_note(stmt, param,
                        plain ? sqlite3_mprintf("'%.*q'", (int)len, text) : sqlite3_mprintf(""));
}

/* ---- the text with values ---- */

struct writer {
    const struct orma_bound *bound;
    sqlite3_stmt *stmt;
    struct orma_buf *out;
    unsigned last;          /* parameters that were met */
    bool list[NESTING_MAX]; /* in so many parentheses: of terms behind BY */
    unsigned depth;
    bool begins; /* a term of such a list begins here */
};

/* A parameter without name or number is the next one. */
static bool put_literal(struct writer *w, struct orma_str name)
{
    char text[64];
    int at = (int)w->last + 1;

    if (name.len >= sizeof(text) || w->begins)
        return false;
    memcpy(text, name.data, name.len);
    text[name.len] = '\0';
    if (strcmp(text, "?") != 0)
        at = sqlite3_bind_parameter_index(w->stmt, text);
    if (at < 1 || (unsigned)at > w->bound->params)
        return false;
    w->last = ORMA_MAX(w->last, (unsigned)at);
    const char *literal = w->bound->literals[at - 1];
    if (literal && !*literal)
        return false;
    orma_buf_printf(w->out, " %s ", literal ? literal : "NULL");
    return true;
}

/* Keeps count of lists behind BY. */
static bool follow(struct writer *w, struct orma_str text, struct orma_token tok)
{
    bool *list = &w->list[w->depth];

    w->begins = false;
    switch (tok.kind) {
    case ORMA_TOK_OPEN:
        if (++w->depth == NESTING_MAX)
            return false;
        w->list[w->depth] = false;
        break;
    case ORMA_TOK_CLOSE:
        w->depth -= w->depth > 0;
        break;
    case ORMA_TOK_COMMA:
        w->begins = *list;
        break;
    case ORMA_TOK_WORD:
        if (orma_token_is(text, tok, "BY"))
            w->begins = *list = true;
        else if (orma_token_is(text, tok, "SELECT") || orma_token_is(text, tok, "LIMIT"))
            *list = false;
        break;
    default:
        break;
    }
    return true;
}

static bool write_text(struct writer *w, struct orma_str text)
{
    struct orma_token tok = orma_token_next(text, 0);

    for (; tok.kind != ORMA_TOK_END; tok = orma_token_next(text, tok.at + tok.len)) {
        if (tok.kind == ORMA_TOK_VARIABLE) {
            if (!put_literal(w, orma_token_text(text, tok)))
                return false;
        } else {
            orma_buf_put(w->out, text.data + tok.at, tok.len);
        }
        if (tok.kind != ORMA_TOK_SPACE && tok.kind != ORMA_TOK_COMMENT && !follow(w, text, tok))
            return false;
    }
    return !w->out->failed;
}

/* What the executor makes of it; NULL: nothing. */
static sqlite3_stmt *make(struct orma_sql_stmt *stmt, struct orma_str text)
{
    struct orma_sql *sql = stmt->sql;
    sqlite3_stmt *made = NULL, *plain = NULL;

    orma_exec_begin(sql);
    orma_sqlite_older_note(sql, text);
    bool ok = !sqlite3_prepare_v2(sql->db, text.data, (int)text.len, &plain, NULL) && plain &&
              !sqlite3_bind_parameter_count(plain);
    sql->planner.reads.on = false;
    if (ok) {
        sql->planner.by_columns = stmt->by_columns;
        sql->planner.given = stmt->stmt;
        made = orma_exec_prepare(sql, text, plain);
        sql->planner.given = NULL;
        sql->planner.by_columns = false;
    }
    sqlite3_finalize(plain);
    return made;
}

void orma_bound_start(struct orma_sql_stmt *stmt)
{
    struct orma_bound *self = stmt->bound;
    struct orma_buf text = {0};
    struct writer w = {.bound = self, .stmt = stmt->stmt, .out = &text};
    sqlite3_stmt *made = NULL;

    self->stepped = true;
    if (self->pause) {
        self->pause--;
        return;
    }
    bool written = write_text(&w, orma_str_from(sqlite3_sql(stmt->stmt)));
    if (written)
        made = make(stmt, orma_buf_str(&text));
    orma_buf_fini(&text);
    if (written && !made) {
        forget(stmt);
    } else if (made) {
        self->given = stmt->stmt;
        stmt->stmt = made;
        if (stmt->by_columns)
            stmt->plan = orma_exec_plan_of(stmt->sql, made);
    }
}

void orma_bound_reset(struct orma_sql_stmt *stmt)
{
    struct orma_bound *self = stmt->bound;
    self->stepped = false;
    if (!self->given)
        return;
    const struct orma_exec_plan *plan = orma_exec_plan_of(stmt->sql, stmt->stmt);
    const bool gave_up = orma_exec_gave_up(plan);
    self->pause = orma_exec_rows_read(plan) < ROWS_SHORT ? PAUSE : 0;
    sqlite3_finalize(stmt->stmt);
    stmt->stmt = ORMA_STEAL(self->given);
    stmt->plan = NULL;
    stmt->batch_at = stmt->batch.rows = 0;
    if (gave_up)
        forget(stmt);
}
