/*
 * The texts are gathered when a number is first asked for, and those that the pool has got since
 * whenever one is asked for again. Their numbers are rough: whoever asks takes all that are near.
 */
#include "processor/sql/tables/number_texts.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "sdk/base/search.h"

/* Relative, and far more than two ways to read a number can differ by. */
#define NEAR 1e-9
/* Exponents beyond give infinity or zero anyway. */
#define EXPONENT_MAX 100000

struct number_text {
    double number;
    uint32_t id;
};

struct orma_number_texts {
    ORMA_VEC(struct number_text) texts; /* by number */
    uint32_t looked_at;                 /* so many texts of the pool */
};

void orma_number_texts_free(struct orma_number_texts *self)
{
    if (self)
        ORMA_VEC_FINI(&self->texts);
    free(self);
}

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The exponent behind a number: "e-5". */
static int read_exponent(const char *p, const char *end)
{
    int sign = 1, val = 0;

    if (p == end || (*p != 'e' && *p != 'E'))
        return 0;
    p++;
    if (p < end && (*p == '-' || *p == '+'))
        sign = *p++ == '-' ? -1 : 1;
    for (; p < end && is_digit(*p); p++)
        val = ORMA_MIN(val * 10 + (*p - '0'), EXPONENT_MAX);
    return sign * val;
}

/* Whether the text begins as a number does, and that. Does not depend on the locale. */
static bool read_number(struct orma_str text, double *ret)
{
    const char *p = text.data, *end = p + text.len;
    int sign = 1, digits = 0, scale = 0;
    double val = 0;

    while (p < end && is_blank(*p))
        p++;
    if (p < end && (*p == '-' || *p == '+'))
        sign = *p++ == '-' ? -1 : 1;
    for (bool point = false; p < end && (is_digit(*p) || (*p == '.' && !point)); p++) {
        if (*p == '.') {
            point = true;
            continue;
        }
        digits++;
        if (val < DBL_MAX / 1e9) {
            scale += point;
            val = val * 10 + (*p - '0');
        } else { /* these digits no longer matter, but for how many there are */
            scale -= !point;
        }
    }
    if (!digits)
        return false;
    /* In two steps: one alone may overflow where both together do not. */
    int by = read_exponent(p, end) - scale;
    *ret = sign * (val == 0 ? 0 : val * pow(10, by / 2) * pow(10, by - by / 2));
    return true;
}

static int by_number(const void *a, const void *b)
{
    const struct number_text *x = a, *y = b;

    return x->number != y->number ? (x->number < y->number ? -1 : 1)
                                  : (x->id > y->id) - (x->id < y->id);
}

/* What the pool has got since. */
static bool look_at_more(struct orma_number_texts *self, const struct orma_strpool *pool)
{
    uint32_t before = self->texts.len;

    for (uint32_t id = ORMA_MAX(self->looked_at, 1u); id < pool->len; id++) {
        struct number_text t = {.id = id};

        if (read_number(orma_strpool_get(pool, id), &t.number) && ORMA_VEC_PUSH(&self->texts, t))
            return false;
        self->looked_at = id + 1;
    }
    if (self->texts.len > before)
        qsort(self->texts.data, self->texts.len, sizeof(*self->texts.data), by_number);
    return true;
}

static bool add_near(struct orma_sql *sql, double val, struct orma_text_ids *ids)
{
    struct orma_number_texts *self = sql->number_texts;

    if (!self)
        self = sql->number_texts = calloc(1, sizeof(*self));
    if (!self || !look_at_more(self, &sql->storage->pool))
        return false;
    const double near = fmax(fmin(val, DBL_MAX / 10), -DBL_MAX / 10); /* infinity is near these */
    const double part = fabs(near) * NEAR + DBL_MIN;
    const double lo = val < 0 ? fmin(val, near - part) : near - part;
    const double hi = val > 0 ? fmax(val, near + part) : near + part;
    const struct number_text *texts = self->texts.data;
    for (uint32_t i = ORMA_PARTITION_POINT(at, 0u, self->texts.len, texts[at].number < lo);
         i < self->texts.len && texts[i].number <= hi; i++) {
        if (ORMA_VEC_PUSH(ids, texts[i].id))
            return false;
    }
    return true;
}

bool orma_number_texts_equal(struct orma_sql *sql, sqlite3_value *val, struct orma_text_ids *ids)
{
    int type = sqlite3_value_type(val);
    double rough;

    if (type == SQLITE_NULL || type == SQLITE_BLOB) /* a blob is greater than all texts */
        return true;
    const char *data = (const char *)sqlite3_value_text(val);
    struct orma_str text = {data, (size_t)sqlite3_value_bytes(val)};
    if (!data)
        return false;
    uint32_t id = orma_strpool_find(&sql->storage->pool, text);
    if (id && ORMA_VEC_PUSH(ids, id))
        return false;
    if (type == SQLITE_TEXT && !read_number(text, &rough))
        return true;
    type = sqlite3_value_numeric_type(val);
    return (type != SQLITE_INTEGER && type != SQLITE_FLOAT) ||
           add_near(sql, sqlite3_value_double(val), ids);
}
