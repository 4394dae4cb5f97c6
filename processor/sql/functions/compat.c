/* Functions that newer versions of SQLite have and 3.40 does not. */
#include <math.h>
#include <stdlib.h>

#include "processor/sql/base/percentile.h"
#include "processor/sql/base/sort.h"
#include "processor/sql/functions/functions.h"
#include "sdk/base/vec.h"

/* ---- concat, octet_length ---- */

static void concat(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct orma_buf out = {0};

    if (!argc) {
        orma_result_error(ctx, "concat: needs at least one argument");
        return;
    }
    for (int i = 0; i < argc && out.len <= orma_result_max(ctx); i++) {
        struct orma_str s = orma_value_str(argv[i]);

        orma_buf_put(&out, s.data, s.len);
    }
    orma_result_buf(ctx, &out, false);
}

static void concat_ws(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct orma_str sep = argc ? orma_value_str(argv[0]) : (struct orma_str){0};
    struct orma_buf out = {0};
    bool any = false;

    if (argc < 2) {
        orma_result_error(ctx, "concat_ws: needs at least two arguments");
        return;
    }
    if (!sep.data)
        return;
    for (int i = 1; i < argc && out.len <= orma_result_max(ctx); i++) {
        struct orma_str s = orma_value_str(argv[i]);

        if (!s.data)
            continue;
        if (any)
            orma_buf_put(&out, sep.data, sep.len);
        any = true;
        orma_buf_put(&out, s.data, s.len);
    }
    orma_result_buf(ctx, &out, false);
}

static void octet_length(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    (void)argc;
    if (sqlite3_value_type(argv[0]) == SQLITE_BLOB)
        sqlite3_result_int(ctx, sqlite3_value_bytes(argv[0]));
    else if (!orma_value_is_null(argv[0]))
        sqlite3_result_int64(ctx, (int64_t)orma_value_str(argv[0]).len);
}

/* ---- logarithms: newer versions round them once, 3.40 divides ---- */

static void logarithm(sqlite3_context *ctx, sqlite3_value *val, double (*of)(double))
{
    int type = sqlite3_value_numeric_type(val);

    if ((type == SQLITE_INTEGER || type == SQLITE_FLOAT) && sqlite3_value_double(val) > 0)
        sqlite3_result_double(ctx, of(sqlite3_value_double(val)));
}

static void log_10(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    (void)argc;
    logarithm(ctx, argv[0], log10);
}

static void log_2(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    (void)argc;
    logarithm(ctx, argv[0], log2);
}

/* ---- iif ---- */

/* Conditions and values in turn, with an optional last value; true is as in WHERE. */
static void iif(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    for (int i = 0; i + 1 < argc; i += 2) {
        if (sqlite3_value_double(argv[i]) != 0) {
            orma_result_value(ctx, argv[i + 1]);
            return;
        }
    }
    if (argc % 2)
        orma_result_value(ctx, argv[argc - 1]);
}

/* ---- string_agg ---- */

/* The pieces of the frame, oldest first. The separator of a piece stands before it. */
struct pieces {
    struct orma_buf text;
    struct piece {
        uint32_t sep_len, len;
    } * list;
    size_t first, len, cap;
};

static void string_agg_step(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct pieces *s = ORMA_AGG_STATE(ctx, struct pieces);
    struct orma_str val = orma_value_str(argv[0]), sep = orma_value_str(argv[1]);

    (void)argc;
    if (!s || !val.data)
        return;
    if (s->first + s->len == s->cap) {
        size_t cap = ORMA_MAX(2 * s->len, (size_t)16);
        struct piece *grown = malloc(cap * sizeof(*grown));

        if (!grown) {
            sqlite3_result_error_nomem(ctx);
            return;
        }
        if (s->len)
            memcpy(grown, s->list + s->first, s->len * sizeof(*grown));
        free(s->list);
        s->list = grown;
        s->first = 0;
        s->cap = cap;
    }
    s->list[s->first + s->len++] = (struct piece){(uint32_t)sep.len, (uint32_t)val.len};
    orma_buf_put(&s->text, sep.data, sep.len);
    orma_buf_put(&s->text, val.data, val.len);
}

static void string_agg_inverse(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct pieces *s = sqlite3_aggregate_context(ctx, 0);

    (void)argc;
    if (!s || !s->len || orma_value_is_null(argv[0]))
        return;
    orma_buf_consume(&s->text, s->list[s->first].sep_len + s->list[s->first].len);
    s->first++;
    s->len--;
}

static void string_agg_value(sqlite3_context *ctx)
{
    const struct pieces *s = sqlite3_aggregate_context(ctx, 0);

    if (!s || !s->len)
        return;
    uint32_t skip = s->list[s->first].sep_len;
    if (s->text.failed)
        sqlite3_result_error_nomem(ctx);
    else if (s->text.len == skip) /* all texts are empty: there may be no buffer */
        orma_result_str(ctx, ORMA_STR(""));
    else
        orma_result_str(ctx,
                        (struct orma_str){(const char *)s->text.data + skip, s->text.len - skip});
}

static void string_agg_final(sqlite3_context *ctx)
{
    struct pieces *s = sqlite3_aggregate_context(ctx, 0);

    if (!s)
        return;
    string_agg_value(ctx);
    orma_buf_fini(&s->text);
    free(s->list);
    *s = (struct pieces){0};
}

/* ---- percentile, median ---- */

enum percentile_kind { PERCENTILE, CONT, DISC, MEDIAN };

struct percentile {
    double *vals;
    size_t len, cap;
    bool sorted, given;
    double fraction;
};

static const char *const percentile_names[] = {"percentile", "percentile_cont", "percentile_disc",
                                               "median"};

static bool read_fraction(sqlite3_context *ctx, struct percentile *s, enum percentile_kind kind,
                          sqlite3_value *val)
{
    double max = kind == PERCENTILE ? 100.0 : 1.0, p = 0.5;

    if (kind != MEDIAN) {
        int type = sqlite3_value_numeric_type(val);

        p = sqlite3_value_double(val);
        if ((type != SQLITE_INTEGER && type != SQLITE_FLOAT) || p < 0 || p > max) {
            orma_result_error(ctx, "the fraction of %s() must be a number between 0 and %.1f",
                              percentile_names[kind], max);
            return false;
        }
        p /= max;
    }
    if (s->given && fabs(p - s->fraction) > 0.00001) {
        orma_result_error(ctx, "the fraction of %s() must be the same for all rows",
                          percentile_names[kind]);
        return false;
    }
    s->given = true;
    s->fraction = p;
    return true;
}

static bool add_number(struct percentile *s, double val)
{
    if (ORMA_GROW(&s->vals, &s->cap, s->len + (size_t)1))
        return false;
    s->sorted = false;
    s->vals[s->len++] = val;
    return true;
}

static bool is_number(sqlite3_context *ctx, enum percentile_kind kind, sqlite3_value *val)
{
    int type = sqlite3_value_type(val);

    if (type == SQLITE_NULL)
        return false;
    if (type != SQLITE_INTEGER && type != SQLITE_FLOAT) {
        orma_result_error(ctx, "input to %s() is not numeric", percentile_names[kind]);
        return false;
    }
    if (isinf(sqlite3_value_double(val))) {
        orma_result_error(ctx, "Inf input to %s()", percentile_names[kind]);
        return false;
    }
    return true;
}

static void add_value(sqlite3_context *ctx, sqlite3_value *val, sqlite3_value *fraction,
                      enum percentile_kind kind)
{
    struct percentile *s = ORMA_AGG_STATE(ctx, struct percentile);

    if (!s || !read_fraction(ctx, s, kind, fraction) || !is_number(ctx, kind, val))
        return;
    if (!add_number(s, sqlite3_value_double(val)))
        sqlite3_result_error_nomem(ctx);
}

static int by_number(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

/* False: interrupted, or out of memory; the error is set. */
static bool sort(sqlite3_context *ctx, struct percentile *s)
{
    int r = s->sorted
                ? 0
                : orma_sql_sort(orma_sql_of(ctx), s->vals, s->len, sizeof(*s->vals), by_number);

    if (r < 0)
        orma_result_errno(ctx, r);
    s->sorted = r == 0;
    return r == 0;
}

static void drop_value(sqlite3_context *ctx, sqlite3_value *val)
{
    struct percentile *s = sqlite3_aggregate_context(ctx, 0);
    int type = sqlite3_value_type(val);

    if (!s || (type != SQLITE_INTEGER && type != SQLITE_FLOAT))
        return;
    double gone = sqlite3_value_double(val), *found;
    if (!sort(ctx, s))
        return;
    found = s->len ? bsearch(&gone, s->vals, s->len, sizeof(*s->vals), by_number) : NULL;
    if (!found)
        return;
    s->len--;
    memmove(found, found + 1, (size_t)(s->vals + s->len - found) * sizeof(*found));
}

static void give_value(sqlite3_context *ctx, enum percentile_kind kind)
{
    struct percentile *s = sqlite3_aggregate_context(ctx, 0);

    if (!s || !s->len || !sort(ctx, s))
        return;
    size_t lo = orma_percentile_place(s->len, s->fraction);
    double low = s->vals[lo], high = s->vals[ORMA_MIN(lo + 1, s->len - 1)];
    sqlite3_result_double(
        ctx, kind == DISC ? low : orma_percentile_between(s->len, s->fraction, low, high));
}

static void finish(sqlite3_context *ctx, enum percentile_kind kind)
{
    struct percentile *s = sqlite3_aggregate_context(ctx, 0);

    if (!s)
        return;
    give_value(ctx, kind);
    free(s->vals);
    *s = (struct percentile){0};
}

#define PERCENTILE_FUNCS(name, kind)                                                               \
    static void name##_step(sqlite3_context *ctx, int argc, sqlite3_value **argv)                  \
    {                                                                                              \
        add_value(ctx, argv[0], argc > 1 ? argv[1] : NULL, kind);                                  \
    }                                                                                              \
    static void name##_inverse(sqlite3_context *ctx, int argc, sqlite3_value **argv)               \
    {                                                                                              \
        (void)argc;                                                                                \
        drop_value(ctx, argv[0]);                                                                  \
    }                                                                                              \
    static void name##_value(sqlite3_context *ctx)                                                 \
    {                                                                                              \
        give_value(ctx, kind);                                                                     \
    }                                                                                              \
    static void name##_final(sqlite3_context *ctx)                                                 \
    {                                                                                              \
        finish(ctx, kind);                                                                         \
    }

PERCENTILE_FUNCS(percentile, PERCENTILE)
PERCENTILE_FUNCS(cont, CONT)
PERCENTILE_FUNCS(disc, DISC)
PERCENTILE_FUNCS(median, MEDIAN)

#define WINDOW(name)                                                                               \
    .step = name##_step, .final = name##_final, .value = name##_value, .inverse = name##_inverse

#define IIF(num)                                                                                   \
    {                                                                                              \
        .name = "iif", .args = num, .flags = SQLITE_DETERMINISTIC, .scalar = iif                   \
    }

const struct orma_sql_func orma_functions_compat[] = {
    {.name = "concat",
     .args = -1,
     .flags = SQLITE_DETERMINISTIC,
     .scalar = concat,
     .usage = "(value, ...) -> STRING",
     .doc = "All values as one string; NULLs are empty."},
    {.name = "concat_ws",
     .args = -1,
     .flags = SQLITE_DETERMINISTIC,
     .scalar = concat_ws,
     .usage = "(separator, value, ...) -> STRING",
     .doc = "All non-NULL values, joined by the separator."},
    {.name = "octet_length",
     .args = 1,
     .flags = SQLITE_DETERMINISTIC,
     .scalar = octet_length,
     .usage = "(value) -> LONG",
     .doc = "Length in bytes of the value as UTF-8 text, or of a blob."},
    {.name = "log",
     .args = 1,
     .flags = SQLITE_DETERMINISTIC,
     .scalar = log_10,
     .usage = "(value) -> DOUBLE",
     .doc = "The logarithm to base 10; NULL unless the argument is a number above 0. Also called "
            "log10."},
    {.name = "log10", .args = 1, .flags = SQLITE_DETERMINISTIC, .scalar = log_10},
    {.name = "log2",
     .args = 1,
     .flags = SQLITE_DETERMINISTIC,
     .scalar = log_2,
     .usage = "(value) -> DOUBLE",
     .doc = "The logarithm to base 2; NULL unless the argument is a number above 0."},
    /* Three arguments are SQLite's own, which does not evaluate what it does not need. */
    {.name = "iif",
     .args = 2,
     .flags = SQLITE_DETERMINISTIC,
     .scalar = iif,
     .usage = "(condition, value, ... [, otherwise]) -> ANY",
     .doc =
         "The value after the first condition that is true, otherwise the last one or NULL. Also "
         "called if."},
    IIF(4),
    IIF(5),
    IIF(6),
    IIF(7),
    IIF(8),
    IIF(9),
    {.name = "string_agg",
     .args = 2,
     WINDOW(string_agg),
     .usage = "(text, separator) -> STRING",
     .doc = "Aggregate: all strings, joined by the separator; NULLs are skipped."},
    {.name = "percentile",
     .args = 2,
     WINDOW(percentile),
     .usage = "(value, p) -> DOUBLE",
     .doc = "Aggregate: the p-th percentile (0 to 100), interpolated."},
    {.name = "percentile_cont",
     .args = 2,
     WINDOW(cont),
     .usage = "(value, fraction) -> DOUBLE",
     .doc = "Aggregate: the same with a fraction from 0 to 1."},
    {.name = "percentile_disc",
     .args = 2,
     WINDOW(disc),
     .usage = "(value, fraction) -> DOUBLE",
     .doc = "Aggregate: the same without interpolation: one of the values."},
    {.name = "median",
     .args = 1,
     WINDOW(median),
     .usage = "(value) -> DOUBLE",
     .doc = "Aggregate: percentile(value, 50)."},
    {0},
};
