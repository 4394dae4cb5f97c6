/*
 * sum(), total() and avg() as SQLite has them since 3.43: what is rounded away while doubles are
 * added is kept beside the sum (Kahan and Babuska), and integers are added as integers as long as
 * there are only integers. Older libraries get these instead of their own, so that results do not
 * depend on the library.
 */
#include "processor/sql/base/kbn.h"
#include "processor/sql/functions/functions.h"

struct sum {
    struct orma_kbn real;
    int64_t whole, count;
    bool is_real, overflow;
};

static void to_real(struct sum *s)
{
    if (s->is_real)
        return;
    s->is_real = true;
    orma_kbn_add_int(&s->real, s->whole, 1);
}

static void sum_step(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct sum *s = ORMA_AGG_STATE(ctx, struct sum);
    int type = sqlite3_value_numeric_type(argv[0]);

    (void)argc;
    if (!s || type == SQLITE_NULL)
        return;
    s->count++;
    if (type != SQLITE_INTEGER) {
        to_real(s);
        s->overflow = false;
        orma_kbn_add(&s->real, sqlite3_value_double(argv[0]));
        return;
    }
    int64_t val = sqlite3_value_int64(argv[0]), sum;
    if (!s->is_real && !__builtin_add_overflow(s->whole, val, &sum)) {
        s->whole = sum;
        return;
    }
    s->overflow |= !s->is_real;
    to_real(s);
    orma_kbn_add_int(&s->real, val, 1);
}

static void sum_inverse(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct sum *s = ORMA_AGG_STATE(ctx, struct sum);
    int type = sqlite3_value_numeric_type(argv[0]);

    (void)argc;
    if (!s || type == SQLITE_NULL)
        return;
    s->count--;
    if (type != SQLITE_INTEGER) {
        orma_kbn_add(&s->real, -sqlite3_value_double(argv[0]));
        return;
    }
    int64_t val = sqlite3_value_int64(argv[0]);
    if (s->is_real)
        orma_kbn_add_int(&s->real, val, -1);
    else
        s->whole = (int64_t)((uint64_t)s->whole - (uint64_t)val);
}

static double value_of(const struct sum *s)
{
    if (!s)
        return 0;
    return s->is_real ? orma_kbn_value(&s->real) : (double)s->whole;
}

static struct sum *state(sqlite3_context *ctx)
{
    return sqlite3_aggregate_context(ctx, 0);
}

static void sum_result(sqlite3_context *ctx)
{
    const struct sum *s = state(ctx);

    if (!s || s->count <= 0)
        return;
    if (!s->is_real)
        sqlite3_result_int64(ctx, s->whole);
    else if (s->overflow)
        sqlite3_result_error(ctx, "integer overflow", -1);
    else
        sqlite3_result_double(ctx, value_of(s));
}

static void total_result(sqlite3_context *ctx)
{
    sqlite3_result_double(ctx, value_of(state(ctx)));
}

static void avg_result(sqlite3_context *ctx)
{
    const struct sum *s = state(ctx);

    if (s && s->count > 0)
        sqlite3_result_double(ctx, value_of(s) / (double)s->count);
}

int orma_sums_register(sqlite3 *db)
{
    static const struct {
        const char *name;
        void (*result)(sqlite3_context *ctx);
    } funcs[] = {{"sum", sum_result}, {"total", total_result}, {"avg", avg_result}};
    int r = SQLITE_OK;

    if (sqlite3_libversion_number() >= 3043000)
        return r;
    for (unsigned i = 0; i < ORMA_ARRAY_LEN(funcs) && !r; i++)
        r = sqlite3_create_window_function(db, funcs[i].name, 1, SQLITE_UTF8 | SQLITE_DETERMINISTIC,
                                           NULL, sum_step, funcs[i].result, funcs[i].result,
                                           sum_inverse, NULL);
    return r;
}
