/* Rows of queries without error handling at each step, and texts by number. */
#include <errno.h>
#include <string.h>

#include "processor/view/view_impl.h"
#include "sdk/base/hash.h"

#define TIME_MAX ((int64_t)1 << 62) /* ns: the year 2116 of the wall clock */

void orma_view_fail(struct orma_view *self, int err)
{
    if (!self->err)
        self->err = err;
}

struct orma_view_query orma_view_query(struct orma_view *self, const char *sql)
{
    struct orma_view_query q = {.view = self};

    if (self->config.progress && atomic_load(&self->config.progress->stop))
        orma_view_fail(self, -ECANCELED);
    int r = self->err ? 0 : orma_query_prepare(self->tp, sql, SIZE_MAX, &q.query, NULL);

    if (r < 0)
        orma_view_fail(self, r);
    return q;
}

bool orma_view_next(struct orma_view_query *q)
{
    if (!q->query)
        return false;
    int r = q->view->err ? 0 : orma_query_step(q->query);
    if (r > 0) {
        q->row = orma_query_row(q->query);
        return true;
    }
    if (r < 0)
        orma_view_fail(q->view, r);
    orma_query_free(q->query);
    q->query = NULL;
    return false;
}

void orma_view_include(struct orma_view *self, const char *module)
{
    struct orma_buf sql = {0};

    orma_buf_printf(&sql, "INCLUDE PERFETTO MODULE %s", module);
    struct orma_view_query q = orma_view_query(self, orma_buf_cstr(&sql));
    while (orma_view_next(&q))
        ;
    orma_buf_fini(&sql);
}

/* The type of a cell, and its value or number of a text; -1: it is not in columns. */
static inline int cell_of(const struct orma_view_query *q, unsigned col, int64_t *ret)
{
    const struct orma_exec_column *c = q->row.columns + col;

    if (q->row.stmt || col >= q->row.columns_num)
        return -1;
    *ret = c->vals[q->row.at];
    return c->types ? c->types[q->row.at] : c->type;
}

bool orma_view_is_null(const struct orma_view_query *q, unsigned col)
{
    int64_t val;
    int type = cell_of(q, col, &val);

    return type < 0 ? orma_query_type(q->query, col) == ORMA_VALUE_NULL
                    : type == ORMA_EXEC_TYPE_NULL;
}

int64_t orma_view_int(const struct orma_view_query *q, unsigned col)
{
    int64_t val;

    return cell_of(q, col, &val) == ORMA_EXEC_TYPE_INT ? val : orma_query_int64(q->query, col);
}

int64_t orma_view_near(int64_t ts)
{
    return ORMA_MIN(ORMA_MAX(ts, -TIME_MAX / 2), TIME_MAX);
}

int64_t orma_view_time(const struct orma_view_query *q, unsigned col)
{
    return orma_view_near(orma_view_int(q, col));
}

int64_t orma_view_duration(const struct orma_view_query *q, unsigned col, int64_t ts)
{
    int64_t dur = orma_view_int(q, col);

    return dur == -1 ? -1 : ORMA_MIN(ORMA_MAX(dur, 0), TIME_MAX - ts);
}

struct orma_str orma_view_bytes(const struct orma_view_query *q, unsigned col)
{
    int64_t val;

    if (cell_of(q, col, &val) == ORMA_EXEC_TYPE_TEXT)
        return orma_strpool_get(q->row.pool, (uint32_t)val);
    const char *text = orma_query_text(q->query, col);

    return (struct orma_str){text, text ? orma_query_bytes(q->query, col) : 0};
}

/* Texts of tables have numbers of the processor's: each is looked up by its bytes once. */
uint32_t orma_view_text(const struct orma_view_query *q, unsigned col)
{
    struct orma_view *v = q->view;
    int64_t val;

    if (cell_of(q, col, &val) != ORMA_EXEC_TYPE_TEXT)
        return orma_view_string(&v->strings, orma_view_bytes(q, col));
    while (v->texts.len <= (uint32_t)val) {
        if (ORMA_VEC_PUSH(&v->texts, 0) < 0)
            return orma_view_string(&v->strings, orma_view_bytes(q, col));
    }
    if (!v->texts.data[val])
        v->texts.data[val] = orma_view_string(&v->strings, orma_view_bytes(q, col)) + 1;
    return v->texts.data[val] - 1;
}

/* ---- texts ---- */

void orma_view_strings_init(struct orma_view_strings *self)
{
    *self = (struct orma_view_strings){0};
    self->failed = ORMA_VEC_PUSH(&self->ends, 0) < 0;
    /* Pictures and levels ask for it: here its number does not depend on when. */
    (void)orma_view_string(self, ORMA_STR("Running"));
}

void orma_view_strings_fini(struct orma_view_strings *self)
{
    orma_buf_fini(&self->bytes);
    ORMA_VEC_FINI(&self->ends);
    orma_map_fini(&self->ids);
}

static struct orma_str string_at(const struct orma_view_strings *self, uint64_t n)
{
    size_t begin = n ? self->ends.data[n - 1] : 0;

    return (struct orma_str){(const char *)self->bytes.data + begin, self->ends.data[n] - begin};
}

uint32_t orma_view_string(struct orma_view_strings *self, struct orma_str text)
{
    uint64_t key = orma_hash_bytes_from(orma_hash_seed(), text.data, text.len), n;

    if (!text.len || self->failed)
        return 0;
    /* An equal hash of another text takes the next key. */
    for (; (n = orma_map_get(&self->ids, key)) != ORMA_MAP_NONE; key++) {
        struct orma_str known = string_at(self, n);

        if (known.len == text.len && !memcmp(known.data, text.data, text.len))
            return (uint32_t)n;
    }
    n = self->ends.len;
    orma_buf_put(&self->bytes, text.data, text.len);
    self->failed = self->bytes.failed || orma_map_put(&self->ids, key, n) < 0 ||
                   ORMA_VEC_PUSH(&self->ends, self->bytes.len) < 0;
    return self->failed ? 0 : (uint32_t)n;
}
