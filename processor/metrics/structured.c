/*
 * Each query of the tree becomes one WITH clause named sq_N, inner ones first;
 * generators return the number of theirs. Where columns of inputs would collide,
 * SQLite is asked for their names.
 */
#include "processor/metrics/structured_gen.h"

#include <errno.h>
#include <stdio.h>

#include "processor/sql/script/runner.h"

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
static int generate(struct orma_sq_gen *g, struct orma_str msg)
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

/* A query that only chooses rows and columns of something that is there: a copy would be waste. */
static bool is_plain(struct orma_str msg)
{
    struct orma_str part;

    return (orma_msg_str(msg, SQ(TABLE), &part) || orma_msg_str(msg, SQ(SIMPLE_SLICES), &part) ||
            orma_msg_str(msg, SQ(INNER_QUERY_ID), &part)) &&
           !orma_msg_str(msg, SQ(GROUP_BY), &part) && !orma_msg_str(msg, SQ(ORDER_BY), &part);
}

static void name_table(const struct orma_structured *s, unsigned num, char name[40])
{
    if (s->owner)
        snprintf(name, 40, "_orma_summarizer_%u_%u", s->owner, num);
    else
        snprintf(name, 40, "_orma_structured_%u", num);
}

/* CREATE PERFETTO TABLE of a shared query, if it has none yet. */
static int make_table(struct orma_sq_gen *g, struct orma_structured_query *q)
{
    struct orma_structured_query *outer = g->s->making;
    struct orma_buf text = {0};
    char name[sizeof(q->table)];
    int r;

    if (q->table[0])
        return 0;
    if (q->busy)
        return orma_sq_fail(g, "it depends on itself");
    if (g->s->nested >= ORMA_SQ_DEPTH_MAX)
        return orma_sq_fail(g, "queries are nested too deeply");
    g->s->nested++;
    q->busy = true;
    q->is_view = g->s->owner && is_plain(q->msg);
    g->s->making = q;
    orma_buf_clear(&q->uses);
    orma_buf_clear(&q->sql);
    name_table(g->s, g->s->tables++, name);
    orma_buf_printf(&text, "CREATE PERFETTO %s %s AS\n", q->is_view ? "VIEW" : "TABLE", name);
    const size_t begin = text.len;
    r = orma_structured_sql(g->s, q->msg, &text);
    if (r == 0 && g->s->owner)
        orma_buf_put(&q->sql, text.data + begin, text.len - begin);
    if (r == 0 && (q->uses.failed || q->sql.failed))
        r = -ENOMEM;
    if (r == 0) {
        r = orma_sql_run_script(g->s->sql, "Structured query", orma_buf_str(&text));
        if (r < 0) {
            g->id = q->id;
            r = orma_sq_sql_failed(g, r);
        }
    }
    if (r == 0)
        memcpy(q->table, name, sizeof(name));
    g->s->making = outer;
    g->s->nested--;
    q->busy = false;
    orma_buf_fini(&text);
    return r;
}

/* The query itself, as if it stood here. */
static int write_out(struct orma_sq_gen *g, struct orma_structured_query *q)
{
    if (q->busy)
        return orma_sq_fail(g, "it depends on itself");
    q->busy = true;
    int r = generate(g, q->msg);
    q->busy = false;
    return r;
}

static int from_shared(struct orma_sq_gen *g, struct orma_str id)
{
    struct orma_structured_query *q = find_shared(g->s, id);
    struct orma_buf body = {0};

    if (!q)
        return orma_sq_fail(g, "unknown query '%.*s'", (int)ORMA_MIN(id.len, 100u), id.data);
    if (g->s->inlined)
        return write_out(g, q);
    if (g->s->owner && g->s->making)
        orma_sq_note(&g->s->making->uses, id);
    int r = make_table(g, q);
    orma_buf_printf(&body, "SELECT * FROM %s", q->table);
    r = r < 0 ? r : orma_sq_add_clause(g, &body);
    orma_buf_fini(&body);
    return r;
}

int orma_structured_make(struct orma_structured *self, struct orma_structured_query *query)
{
    struct orma_sq_gen g = {.s = self, .generate = generate, .from_shared = from_shared};

    return make_table(&g, query);
}

int orma_structured_sql(struct orma_structured *self, struct orma_str msg, struct orma_buf *out)
{
    struct orma_sq_gen g = {.s = self, .generate = generate, .from_shared = from_shared};
    int r = generate(&g, msg);

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
        return orma_structured_fail(self, "unknown query '%.*s'", (int)ORMA_MIN(id.len, 100u),
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

void orma_structured_drop_one(struct orma_structured *self, struct orma_structured_query *query)
{
    char text[80];

    if (!query->table[0])
        return;
    snprintf(text, sizeof(text), "DROP %s IF EXISTS %s", query->is_view ? "VIEW" : "TABLE",
             query->table);
    (void)orma_sql_run_plain(self->sql, text); /* a table more does no harm */
    query->table[0] = '\0';
}

void orma_structured_drop(struct orma_structured *self)
{
    for (size_t i = 0; i < self->queries_num; i++)
        orma_structured_drop_one(self, &self->queries[i]);
}
