/*
 * The tables are those of shared queries (structured.c). Each query notes which others its table
 * was made of; an update carries the tables of unchanged queries over to the new list, and drops
 * those of what changed, of what is gone, and of all that was made of these.
 */
#include "processor/metrics/summarizer.h"

#include <errno.h>
#include <stdlib.h>

#include "processor/metrics/structured_gen.h"
#include "processor/sql/script/runner.h"
#include "protos/fields/trace_processor.h"
#include "protos/reflect/text.h"
#include "sdk/base/clock.h"
#include "sdk/wire/pb_writer.h"

#define SUMMARIZERS_MAX 256
#define QUERIES_MAX 1000
#define INFO(x) ORMA_PB_SUMMARIZER_QUERY_SYNC_INFO_##x
#define RESULT(x) ORMA_PB_QUERY_SUMMARIZER_RESULT_##x

struct summarizer {
    struct summarizer *next;
    char *name;
    struct orma_buf spec; /* ids and messages of the queries are slices of it */
    struct orma_structured structured;
};

struct orma_summarizers {
    struct orma_sql *sql;
    struct summarizer *all;
    unsigned num, made; /* that there are, that there were */
    struct orma_buf error;
};

int orma_summarizers_new(struct orma_sql *sql, struct orma_summarizers **ret)
{
    struct orma_summarizers *self = calloc(1, sizeof(*self));

    if (!self)
        return -ENOMEM;
    self->sql = sql;
    *ret = self;
    return 0;
}

static void queries_free(struct orma_structured_query *queries, size_t num)
{
    for (size_t i = 0; i < num; i++) {
        orma_buf_fini(&queries[i].uses);
        orma_buf_fini(&queries[i].sql);
    }
    free(queries);
}

static void summarizer_free(struct summarizer *s)
{
    if (!s)
        return;
    orma_structured_drop(&s->structured);
    queries_free(s->structured.queries, s->structured.queries_num);
    orma_buf_fini(&s->structured.error);
    orma_buf_fini(&s->spec);
    free(s->name);
    free(s);
}

void orma_summarizers_free(struct orma_summarizers *self)
{
    if (!self)
        return;
    for (struct summarizer *s = self->all, *next; s; s = next) {
        next = s->next;
        summarizer_free(s);
    }
    orma_buf_fini(&self->error);
    free(self);
}

/* Where it hangs; where the last one ends if there is none. */
static struct summarizer **find(struct orma_summarizers *self, struct orma_str name)
{
    struct summarizer **at = &self->all;

    while (*at && !orma_str_eq_c(name, (*at)->name))
        at = &(*at)->next;
    return at;
}

static const char *unknown(struct orma_summarizers *self, struct orma_str name)
{
    orma_buf_clear(&self->error);
    orma_buf_printf(&self->error, "unknown summarizer '%.*s'", (int)ORMA_MIN(name.len, 100u),
                    name.data);
    return orma_buf_cstr(&self->error);
}

const char *orma_summarizers_create(struct orma_summarizers *self, struct orma_str name)
{
    struct summarizer *s;

    if (!name.len || memchr(name.data, 0, name.len))
        return "a summarizer needs an id without zero bytes";
    if (*find(self, name))
        return "a summarizer with this id already exists";
    if (self->num == SUMMARIZERS_MAX)
        return "too many summarizers: destroy one first";
    s = calloc(1, sizeof(*s));
    if (!s || !(s->name = orma_str_dup(name))) {
        free(s);
        return "out of memory";
    }
    s->structured.sql = self->sql;
    s->structured.owner = ++self->made;
    s->next = self->all;
    self->all = s;
    self->num++;
    return NULL;
}

const char *orma_summarizers_destroy(struct orma_summarizers *self, struct orma_str name)
{
    struct summarizer **at = find(self, name), *s = *at;

    if (!s)
        return unknown(self, name);
    *at = s->next;
    self->num--;
    summarizer_free(s);
    return NULL;
}

/* ---- update ---- */

static struct orma_structured_query *find_query(struct orma_structured_query *queries, size_t num,
                                                struct orma_str id)
{
    for (size_t i = 0; i < num; i++) {
        if (orma_str_eq(queries[i].id, id))
            return &queries[i];
    }
    return NULL;
}

/* The queries of a specification. NULL: good; the list is the caller's in any case. */
static const char *read_queries(struct orma_str spec, struct orma_structured_query **ret,
                                size_t *num)
{
    struct orma_pb_reader r = orma_pb_reader(spec.data, spec.len);
    struct orma_str msg, id;

    while (orma_sq_next_str(&r, ORMA_PB_TRACE_SUMMARY_SPEC_QUERY, &msg)) {
        struct orma_structured_query *grown = realloc(*ret, (*num + 1) * sizeof(*grown));

        if (!grown)
            return "out of memory";
        *ret = grown;
        if (!orma_msg_str(msg, SQ(ID), &id) || !id.len)
            return "a query has no id";
        if (memchr(id.data, 0, id.len))
            return "the id of a query contains a zero byte";
        if (*num == QUERIES_MAX)
            return "too many queries";
        if (find_query(grown, *num, id))
            return "two queries have the same id";
        grown[(*num)++] = (struct orma_structured_query){.id = id, .msg = msg};
    }
    return r.failed ? "the specification is malformed" : NULL;
}

/* Whether a table that was made needs another one now: a query that it uses is gone, or has none.
 */
static bool uses_what_changed(const struct orma_structured_query *q,
                              struct orma_structured_query *queries, size_t num)
{
    const char *at = (const char *)q->uses.data, *end = at ? at + q->uses.len : NULL;

    for (; at && at < end; at += strlen(at) + 1) {
        const struct orma_structured_query *used = find_query(queries, num, orma_str_from(at));

        if (!used || !used->table[0])
            return true;
    }
    return false;
}

/* Tables of unchanged queries go to the new list. */
static void carry_over(struct orma_structured *s, struct orma_structured_query *queries, size_t num)
{
    for (size_t i = 0; i < num; i++) {
        struct orma_structured_query *old = find_query(s->queries, s->queries_num, queries[i].id);

        if (!old || !old->table[0] || !orma_str_eq(old->msg, queries[i].msg))
            continue;
        const struct orma_structured_query fresh = queries[i];
        queries[i] = *old;
        queries[i].id = fresh.id;
        queries[i].msg = fresh.msg;
        *old = (struct orma_structured_query){.id = old->id, .msg = old->msg};
    }
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < num; i++) {
            if (!queries[i].table[0] || !uses_what_changed(&queries[i], queries, num))
                continue;
            orma_structured_drop_one(s, &queries[i]);
            more = true;
        }
    }
}

static void put_info(struct orma_str id, bool updated, bool dropped, struct orma_buf *out)
{
    size_t at = orma_pb_begin(out, ORMA_PB_UPDATE_SUMMARIZER_SPEC_RESULT_QUERIES);

    orma_pb_put_bytes(out, INFO(QUERY_ID), id.data, id.len);
    if (updated)
        orma_pb_put_u64(out, INFO(WAS_UPDATED), 1);
    if (dropped)
        orma_pb_put_u64(out, INFO(WAS_DROPPED), 1);
    orma_pb_end(out, at);
}

/* Updated are new and changed queries, and those whose tables went with what they were made of. */
static void put_infos(const struct orma_structured *s, struct orma_structured_query *queries,
                      size_t num, struct orma_buf *out)
{
    for (size_t i = 0; i < num; i++) {
        const struct orma_structured_query *old =
            find_query(s->queries, s->queries_num, queries[i].id);
        const bool went = queries[i].uses.len && !queries[i].table[0];

        put_info(queries[i].id, !old || !orma_str_eq(old->msg, queries[i].msg) || went, false, out);
        if (went)
            orma_buf_clear(&queries[i].uses);
    }
    for (size_t i = 0; i < s->queries_num; i++) {
        if (!find_query(queries, num, s->queries[i].id))
            put_info(s->queries[i].id, false, true, out);
    }
}

static const char *update(struct summarizer *s, struct orma_str spec, struct orma_buf *out)
{
    struct orma_structured *st = &s->structured;
    struct orma_structured_query *queries = NULL;
    struct orma_buf copy = {0};
    size_t num = 0;

    orma_buf_put(&copy, spec.data, spec.len);
    const char *error =
        copy.failed ? "out of memory" : read_queries(orma_buf_str(&copy), &queries, &num);
    if (error) {
        free(queries);
        orma_buf_fini(&copy);
        return error;
    }
    carry_over(st, queries, num);
    put_infos(st, queries, num, out);
    orma_structured_drop(st); /* what was not carried over */
    queries_free(st->queries, st->queries_num);
    st->queries = queries;
    st->queries_num = num;
    orma_buf_fini(&s->spec);
    s->spec = copy;
    return NULL;
}

void orma_summarizers_update(struct orma_summarizers *self, struct orma_str name,
                             struct orma_str spec, struct orma_buf *out)
{
    struct summarizer *s = *find(self, name);
    const char *error = s ? update(s, spec, out) : unknown(self, name);

    if (error)
        orma_pb_put_cstr(out, ORMA_PB_UPDATE_SUMMARIZER_SPEC_RESULT_ERROR, error);
}

/* ---- query ---- */

static double now_ms(void)
{
    return (double)orma_clock_monotonic() / 1e6;
}

/* Names of the columns and the number of rows. 0 or -EINVAL with the error set. */
static int put_shape(struct orma_structured *s, const char *table, struct orma_buf *out)
{
    sqlite3_stmt *stmt = NULL;
    struct orma_buf text = {0};

    orma_buf_printf(&text, "SELECT * FROM %s LIMIT 0", table);
    int r = sqlite3_prepare_v2(s->sql->db, orma_buf_cstr(&text), -1, &stmt, NULL);
    for (int i = 0; !r && i < sqlite3_column_count(stmt); i++)
        orma_pb_put_cstr(out, RESULT(COLUMNS), sqlite3_column_name(stmt, i));
    sqlite3_finalize(stmt);
    orma_buf_clear(&text);
    orma_buf_printf(&text, "SELECT count(*) FROM %s", table);
    stmt = NULL;
    if (!r)
        r = sqlite3_prepare_v2(s->sql->db, orma_buf_cstr(&text), -1, &stmt, NULL);
    if (!r && sqlite3_step(stmt) == SQLITE_ROW)
        orma_pb_put_i64(out, RESULT(ROW_COUNT), sqlite3_column_int64(stmt, 0));
    r = sqlite3_finalize(stmt) || r ? orma_structured_fail(s, "%s", sqlite3_errmsg(s->sql->db)) : 0;
    orma_buf_fini(&text);
    return r;
}

/* Its SQL over the tables of other queries, the same without them where that is not too long, and
 * the query as text. */
static int put_texts(struct orma_structured *s, const struct orma_structured_query *q,
                     struct orma_buf *out)
{
    const struct orma_schema *schema = orma_schema_default();
    struct orma_buf modules = {0}, sql = {0}, text = {0};

    s->inlined = true;
    s->modules = &modules;
    int r = orma_structured_sql(s, q->msg, &sql);
    s->inlined = false;
    s->modules = NULL;
    const bool alone = r != -EINVAL; /* too long to be written out, though the tables were made */
    if (!alone)
        r = 0;
    orma_buf_clear(&s->error);
    for (const char *at = (const char *)modules.data, *end = at ? at + modules.len : NULL;
         at && at < end; at += strlen(at) + 1)
        orma_buf_printf(&text, "INCLUDE PERFETTO MODULE %s;\n", at);
    orma_buf_put(&text, sql.data, sql.len);
    orma_pb_put_bytes(out, RESULT(SQL), q->sql.data, q->sql.len);
    if (r == 0 && alone)
        orma_pb_put_bytes(out, RESULT(STANDALONE_SQL), text.data, text.len);
    orma_buf_clear(&text);
    if (r == 0)
        r = orma_text_print(
            schema,
            orma_schema_find_msg(schema, ORMA_STR("perfetto.protos.PerfettoSqlStructuredQuery")),
            q->msg.data, q->msg.len, NULL, &text);
    if (r == 0)
        orma_pb_put_bytes(out, RESULT(TEXTPROTO), text.data, text.len);
    out->failed |= text.failed || sql.failed || modules.failed;
    orma_buf_fini(&modules);
    orma_buf_fini(&sql);
    orma_buf_fini(&text);
    return r;
}

static int answer(struct orma_structured *s, struct orma_structured_query *q, struct orma_buf *out)
{
    const double begin = now_ms();

    orma_buf_clear(&s->error);
    orma_sql_enter(s->sql);
    int r = orma_structured_make(s, q);
    const double took = now_ms() - begin;
    if (r == 0)
        r = put_shape(s, q->table, out);
    if (r == 0)
        r = put_texts(s, q, out);
    orma_sql_leave(s->sql);
    if (r < 0)
        return r;
    orma_pb_put_u64(out, RESULT(EXISTS), 1);
    orma_pb_put_cstr(out, RESULT(TABLE_NAME), q->table);
    orma_pb_put_double(out, RESULT(DURATION_MS), took);
    return out->failed ? -ENOMEM : 0;
}

void orma_summarizers_query(struct orma_summarizers *self, struct orma_str name,
                            struct orma_str query, struct orma_buf *out)
{
    struct summarizer *s = *find(self, name);
    struct orma_structured *st = s ? &s->structured : NULL;
    struct orma_structured_query *q = st ? find_query(st->queries, st->queries_num, query) : NULL;
    const size_t begin = out->len;

    if (!s)
        orma_pb_put_cstr(out, RESULT(ERROR), unknown(self, name));
    if (!q)
        return; /* it does not exist */
    int r = answer(st, q, out);
    if (r == 0 || out->failed)
        return;
    out->len = begin; /* half an answer is none */
    orma_pb_put_cstr(out, RESULT(ERROR),
                     r == -ENOMEM    ? "out of memory"
                     : st->error.len ? orma_buf_cstr(&st->error)
                                     : "the query was interrupted");
}
