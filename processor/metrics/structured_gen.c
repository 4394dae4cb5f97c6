/*
 * What all generators of structured queries write with: fields of messages, errors with the id of
 * the query, names, and clauses. A clause is closed by giving it the next number; where columns of
 * inputs would collide, SQLite is asked for their names by preparing what was written so far.
 */
#include "processor/metrics/structured_gen.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "processor/sql/dialect/script.h"
#include "processor/sql/dialect/token.h"
#include "processor/sql/script/runner.h"

#define QUERIES_MAX 1000

int orma_structured_fail(struct orma_structured *self, const char *fmt, ...)
{
    char text[1024];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    if (!self->error.len)
        orma_buf_put_str(&self->error, text);
    return -EINVAL;
}

bool orma_msg_str(struct orma_str msg, uint32_t id, struct orma_str *ret)
{
    struct orma_pb_reader r = orma_pb_reader(msg.data, msg.len);
    struct orma_pb_field f;
    bool found = false;

    *ret = (struct orma_str){"", 0};
    while (orma_pb_next(&r, &f)) {
        if (f.id == id && f.wire == ORMA_PB_LEN) {
            *ret = (struct orma_str){f.len ? (const char *)f.data : "", f.len};
            found = true;
        }
    }
    return found;
}

bool orma_msg_int(struct orma_str msg, uint32_t id, int64_t *ret)
{
    struct orma_pb_reader r = orma_pb_reader(msg.data, msg.len);
    struct orma_pb_field f;
    bool found = false;

    *ret = 0;
    while (orma_pb_next(&r, &f)) {
        if (f.id == id && f.wire == ORMA_PB_VARINT) {
            *ret = orma_pb_i64(&f);
            found = true;
        }
    }
    return found;
}

/* The next field `id` with a length; begin with a reader over the message. */
bool orma_sq_next_str(struct orma_pb_reader *r, uint32_t id, struct orma_str *ret)
{
    struct orma_pb_field f;

    while (orma_pb_next(r, &f)) {
        if (f.id == id && f.wire == ORMA_PB_LEN) {
            *ret = (struct orma_str){f.len ? (const char *)f.data : "", f.len};
            return true;
        }
    }
    return false;
}

int orma_sq_fail(struct orma_sq_gen *g, const char *fmt, ...)
{
    char text[800];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    if (!g->id.len)
        return orma_structured_fail(g->s, "structured query: %s", text);
    return orma_structured_fail(g->s, "structured query '%.*s': %s", (int)ORMA_MIN(g->id.len, 100u),
                                g->id.data, text);
}

/* The error of the engine, as ours. */
int orma_sq_sql_failed(struct orma_sq_gen *g, int r)
{
    return r == -ENOMEM ? r : orma_sq_fail(g, "%s", orma_sql_error_text(g->s->sql));
}

/* A name as it is if it is plain, else in quotes. */
void orma_sq_put_name(struct orma_buf *out, struct orma_str name)
{
    if (orma_word_is_plain(name))
        orma_buf_put(out, name.data, name.len);
    else
        orma_sql_put_quoted(out, name);
}

/* Closes the clause whose text is `body`; its number. */
int orma_sq_add_clause(struct orma_sq_gen *g, struct orma_buf *body)
{
    if (g->num == QUERIES_MAX)
        return orma_sq_fail(g, "more than %d queries", QUERIES_MAX);
    orma_buf_printf(&g->with, "%ssq_%d AS (\n", g->num ? ",\n" : "", g->num);
    orma_buf_put(&g->with, body->data, body->len);
    orma_buf_put_str(&g->with, "\n)");
    g->with.failed |= body->failed;
    return g->num++;
}

/* Names of the columns of a clause, separated by zeros. */
int orma_sq_columns_of(struct orma_sq_gen *g, int clause, struct orma_buf *ret)
{
    struct orma_buf text = {0};
    struct orma_runner *runner = NULL;
    struct orma_sql_stmt *stmt = NULL;

    orma_buf_printf(&text, "WITH ");
    orma_buf_put(&text, g->with.data, g->with.len);
    orma_buf_printf(&text, " SELECT * FROM sq_%d", clause);
    int r = orma_runner_new(g->s->sql, "Structured query", orma_buf_str(&text), &runner);
    if (r == 0)
        r = orma_runner_next(runner, &stmt);
    for (int i = 0; r > 0 && i < sqlite3_column_count(stmt->stmt); i++) {
        orma_buf_put_str(ret, sqlite3_column_name(stmt->stmt, i));
        orma_buf_put_byte(ret, 0);
    }
    r = r < 0 ? orma_sq_sql_failed(g, r) : ret->failed ? -ENOMEM : 0;
    orma_sql_stmt_free(stmt);
    orma_runner_free(runner);
    orma_buf_fini(&text);
    return r;
}

bool orma_sq_in_list(const struct orma_buf *list, struct orma_str name)
{
    const char *at = (const char *)list->data, *end = at ? at + list->len : NULL;

    for (; at && at < end; at += strlen(at) + 1) {
        if (orma_word_eq(name, orma_str_from(at)))
            return true;
    }
    return false;
}

void orma_sq_note(struct orma_buf *list, struct orma_str name)
{
    orma_buf_put(list, name.data, name.len);
    orma_buf_put_byte(list, 0);
}

/* Writes `prefix.column` for the columns of a clause that `seen` has not; `seen` gets them. */
int orma_sq_put_new_columns(struct orma_sq_gen *g, int clause, const char *prefix,
                            struct orma_buf *seen, struct orma_buf *out)
{
    struct orma_buf names = {0};
    int r = orma_sq_columns_of(g, clause, &names);
    const char *at = (const char *)names.data, *end = at + names.len;

    for (; r == 0 && at && at < end; at += strlen(at) + 1) {
        if (orma_sq_in_list(seen, orma_str_from(at)))
            continue;
        orma_buf_printf(out, "%s%s.", seen->len ? ", " : "", prefix);
        orma_sql_put_quoted(out, orma_str_from(at));
        orma_sq_note(seen, orma_str_from(at));
    }
    orma_buf_fini(&names);
    return r;
}

/* The query in the field `id`, which must be there. */
int orma_sq_inner(struct orma_sq_gen *g, struct orma_str msg, uint32_t id, const char *what)
{
    struct orma_str query;

    if (!orma_msg_str(msg, id, &query))
        return orma_sq_fail(g, "%s is missing", what);
    return g->generate(g, query);
}
