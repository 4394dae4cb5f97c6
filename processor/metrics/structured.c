/*
 * Each query of the tree becomes one WITH clause named sq_N, inner ones first;
 * generators return the number of theirs. Where columns of inputs would collide,
 * SQLite is asked for their names.
 */
#include "processor/metrics/structured_gen.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "processor/sql/dialect/script.h"
#include "processor/sql/dialect/token.h"
#include "processor/sql/script/exec.h"

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

/* ---- generation ---- */

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
    struct orma_sql_exec *exec = NULL;
    struct orma_sql_stmt *stmt = NULL;

    orma_buf_printf(&text, "WITH ");
    orma_buf_put(&text, g->with.data, g->with.len);
    orma_buf_printf(&text, " SELECT * FROM sq_%d", clause);
    int r = orma_sql_exec_new(g->s->sql, "Structured query", orma_buf_str(&text), &exec);
    if (r == 0)
        r = orma_sql_exec_next(exec, &stmt);
    for (int i = 0; r > 0 && i < sqlite3_column_count(stmt->stmt); i++) {
        orma_buf_put_str(ret, sqlite3_column_name(stmt->stmt, i));
        orma_buf_put_byte(ret, 0);
    }
    r = r < 0 ? orma_sq_sql_failed(g, r) : ret->failed ? -ENOMEM : 0;
    orma_sql_stmt_free(stmt);
    orma_sql_exec_free(exec);
    orma_buf_fini(&text);
    return r;
}

bool orma_sq_in_list(const struct orma_buf *list, struct orma_str name)
{
    const char *at = (const char *)list->data, *end = at + list->len;

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
    return orma_sq_generate(g, query);
}

/* ---- one query ---- */

static int include_modules(struct orma_sq_gen *g, struct orma_str msg)
{
    struct orma_pb_reader r = orma_sq_reader(msg);
    struct orma_str module;
    int res = 0;

    while (res == 0 && orma_sq_next_str(&r, SQ(REFERENCED_MODULES), &module))
        res = orma_sq_include(g, module);
    return res;
}

static int put_query(struct orma_sq_gen *g, struct orma_str msg, int source, struct orma_buf *body)
{
    struct orma_buf list = {0};
    struct orma_str group;
    bool grouped = orma_msg_str(msg, SQ(GROUP_BY), &group);
    int num = orma_sq_put_select_list(g, msg, SQ(SELECT_COLUMNS), "", &list), r = num;

    if (r >= 0) {
        r = 0;
        if (grouped && num)
            orma_buf_printf(body, "SELECT %s FROM (", orma_buf_cstr(&list));
        if (grouped) {
            r = orma_sq_put_grouped(g, msg, group, source, body);
        } else {
            orma_buf_printf(body, "SELECT %s\nFROM sq_%d", num ? orma_buf_cstr(&list) : "*",
                            source);
            r = orma_sq_put_where(g, msg, body);
        }
        if (grouped && num)
            orma_buf_put_str(body, ")");
    }
    if (r == 0)
        r = orma_sq_put_order(g, msg, body);
    if (r == 0)
        r = orma_sq_put_limit(g, msg, body);
    orma_buf_fini(&list);
    return r;
}

/* The number of the clause that is the query. */
int orma_sq_generate(struct orma_sq_gen *g, struct orma_str msg)
{
    struct orma_str outer = g->id, id;
    struct orma_buf body = {0};

    if (orma_msg_str(msg, SQ(ID), &id) && id.len)
        g->id = id;
    int r = ++g->depth > ORMA_SQ_DEPTH_MAX ? orma_sq_fail(g, "queries are nested too deeply")
                                           : include_modules(g, msg);
    if (r >= 0)
        r = orma_sq_from_source(g, msg);
    if (r >= 0) {
        int source = r;

        r = put_query(g, msg, source, &body);
        r = r < 0 ? r : orma_sq_add_clause(g, &body);
    }
    orma_buf_fini(&body);
    g->depth--;
    g->id = outer;
    return r;
}

static struct orma_structured_query *find_shared(struct orma_structured *s, struct orma_str id)
{
    for (size_t i = 0; i < s->queries_num; i++) {
        if (orma_str_eq(s->queries[i].id, id))
            return &s->queries[i];
    }
    return NULL;
}

/* CREATE PERFETTO TABLE of a shared query, if it has none yet. */
static int make_table(struct orma_sq_gen *g, struct orma_structured_query *q)
{
    struct orma_buf text = {0};
    char name[sizeof(q->table)];
    int r;

    if (q->table[0])
        return 0;
    if (q->busy)
        return orma_sq_fail(g, "it needs itself");
    q->busy = true;
    snprintf(name, sizeof(name), "_orma_structured_%u", g->s->tables++);
    orma_buf_printf(&text, "CREATE PERFETTO TABLE %s AS\n", name);
    r = orma_structured_sql(g->s, q->msg, &text);
    if (r == 0) {
        r = orma_sql_exec_run(g->s->sql, "Structured query", orma_buf_str(&text));
        if (r < 0) {
            g->id = q->id;
            r = orma_sq_sql_failed(g, r);
        }
    }
    if (r == 0)
        memcpy(q->table, name, sizeof(name));
    q->busy = false;
    orma_buf_fini(&text);
    return r;
}

int orma_sq_from_shared(struct orma_sq_gen *g, struct orma_str id)
{
    struct orma_structured_query *q = find_shared(g->s, id);
    struct orma_buf body = {0};

    if (!q)
        return orma_sq_fail(g, "there is no query '%.*s'", (int)ORMA_MIN(id.len, 100u), id.data);
    int r = make_table(g, q);
    orma_buf_printf(&body, "SELECT * FROM %s", q->table);
    r = r < 0 ? r : orma_sq_add_clause(g, &body);
    orma_buf_fini(&body);
    return r;
}

int orma_structured_sql(struct orma_structured *self, struct orma_str msg, struct orma_buf *out)
{
    struct orma_sq_gen g = {.s = self};
    int r = orma_sq_generate(&g, msg);

    if (r >= 0) {
        orma_buf_put_str(out, "WITH ");
        orma_buf_put(out, g.with.data, g.with.len);
        orma_buf_printf(out, "\nSELECT * FROM sq_%d", r);
        r = g.with.failed || out->failed ? -ENOMEM : 0;
    }
    orma_buf_fini(&g.with);
    return r;
}

int orma_structured_sql_of(struct orma_structured *self, struct orma_str id, struct orma_buf *out)
{
    struct orma_structured_query *q = find_shared(self, id);

    if (!q)
        return orma_structured_fail(self, "there is no query '%.*s'", (int)ORMA_MIN(id.len, 100u),
                                    id.data);
    if (q->table[0]) {
        orma_buf_printf(out, "SELECT * FROM %s", q->table);
        return 0;
    }
    q->busy = true;
    int r = orma_structured_sql(self, q->msg, out);
    q->busy = false;
    return r;
}

void orma_structured_drop(struct orma_structured *self)
{
    for (size_t i = 0; i < self->queries_num; i++) {
        char text[80];

        if (!self->queries[i].table[0])
            continue;
        snprintf(text, sizeof(text), "DROP TABLE IF EXISTS %s", self->queries[i].table);
        (void)orma_sql_run_plain(self->sql, text); /* a table more does no harm */
        self->queries[i].table[0] = '\0';
    }
}
