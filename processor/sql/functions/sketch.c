/*
 * Sketches: percentiles of values that are not kept, and of sketches of others.
 *
 * A value is counted in a bucket: its double without the lower 46 bits, so that each power of two
 * has 64 buckets, and a value given for one is wrong by 1/128 at most. Whole numbers below 128 have
 * a bucket each.
 *
 *   sketch: version (2), 0 if all values are whole, least, greatest (8 bytes each: integers if all
 *           are whole, else doubles; in version 1 always doubles),
 *           then per bucket in order: its number less that of the one before (zigzag), its count
 *
 * All but the first 18 bytes are varints. Sketches come from files of others: nothing in them is
 * trusted.
 */
#include <math.h>
#include <stdlib.h>

#include "processor/sql/base/percentile.h"
#include "processor/sql/functions/functions.h"
#include "sdk/base/search.h"
#include "sdk/base/vec.h"
#include "sdk/wire/pb_reader.h"
#include "sdk/wire/pb_writer.h"

#define VERSION 2
#define SHIFT 46
#define HEAD 18
#define NUMBER_MAX ((int64_t)(UINT64_C(0x7ff) << (52 - SHIFT)))

struct bucket {
    int64_t number; /* below zero for values that are */
    uint64_t count;
};

/* A value: exact as an integer if it is whole. */
struct end {
    double real;
    int64_t whole;
};

struct sketch {
    struct bucket *buckets; /* in order */
    size_t len, cap;
    struct end least, greatest;
    uint64_t count;
    bool real; /* not all are whole */
};

static int64_t number_of(double val)
{
    uint64_t bits;
    double size = fabs(val);

    memcpy(&bits, &size, sizeof(bits));
    return val < 0 ? -(int64_t)(bits >> SHIFT) : (int64_t)(bits >> SHIFT);
}

static double border(int64_t number)
{
    uint64_t bits = (uint64_t)number << SHIFT;
    double val;

    memcpy(&val, &bits, sizeof(val));
    return val;
}

/* The middle of a bucket. */
static double value_of(const struct sketch *s, int64_t number)
{
    double low = border(llabs(number)), high = border(llabs(number) + 1);
    double val = isfinite(low) && isfinite(high) ? low + (high - low) / 2 : low;

    val = s->real ? val : floor(val);
    return ORMA_MAX(ORMA_MIN(number < 0 ? -val : val, s->greatest.real), s->least.real);
}

/* False: no memory, or more than can be counted. */
static bool add(struct sketch *s, int64_t number, uint64_t count)
{
    size_t at = ORMA_LOWER_BOUND(s->buckets, s->len, .number, number);

    if (count > INT64_MAX - s->count)
        return false;
    s->count += count;
    if (at < s->len && s->buckets[at].number == number) {
        s->buckets[at].count += count;
        return true;
    }
    if (ORMA_GROW(&s->buckets, &s->cap, s->len + (size_t)1))
        return false;
    memmove(s->buckets + at + 1, s->buckets + at, (s->len - at) * sizeof(*s->buckets));
    s->buckets[at] = (struct bucket){number, count};
    s->len++;
    return true;
}

static void extend(struct sketch *s, struct end least, struct end greatest, bool real)
{
    if (!s->count) {
        s->least = least;
        s->greatest = greatest;
    }
    s->least.real = ORMA_MIN(s->least.real, least.real);
    s->least.whole = ORMA_MIN(s->least.whole, least.whole);
    s->greatest.real = ORMA_MAX(s->greatest.real, greatest.real);
    s->greatest.whole = ORMA_MAX(s->greatest.whole, greatest.whole);
    s->real |= real;
}

static void sketch_step(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct sketch *s = ORMA_AGG_STATE(ctx, struct sketch);
    int type = sqlite3_value_type(argv[0]);

    (void)argc;
    if (!s || type == SQLITE_NULL)
        return;
    if (type != SQLITE_INTEGER && type != SQLITE_FLOAT) {
        orma_result_error(ctx, "PERCENTILE_SKETCH: expected numbers");
        return;
    }
    const struct end val = {sqlite3_value_double(argv[0]), sqlite3_value_int64(argv[0])};
    extend(s, val, val, type == SQLITE_FLOAT);
    if (!add(s, number_of(val.real), 1))
        sqlite3_result_error_nomem(ctx);
}

static int64_t whole_of(double val)
{
    return val >= 0x1p63 ? INT64_MAX : val <= -0x1p63 ? INT64_MIN : (int64_t)val;
}

/* False: it is no number. */
static bool read_end(const uint8_t *head, const uint8_t *at, struct end *ret)
{
    if (head[0] == VERSION && !head[1]) {
        memcpy(&ret->whole, at, sizeof(ret->whole));
        ret->real = (double)ret->whole;
    } else {
        memcpy(&ret->real, at, sizeof(ret->real));
        ret->whole = isnan(ret->real) ? 0 : whole_of(ret->real);
    }
    return !isnan(ret->real);
}

static void put_end(const struct sketch *s, struct end val, struct orma_buf *out)
{
    if (s->real)
        orma_buf_put(out, &val.real, sizeof(val.real));
    else
        orma_buf_put(out, &val.whole, sizeof(val.whole));
}

/* Adds what a sketch has. */
static bool merge(struct sketch *s, const uint8_t *data, size_t len)
{
    struct orma_pb_reader r = orma_pb_reader(data + HEAD, len - HEAD);
    int64_t number = 0;
    struct end ends[2];

    if (!read_end(data, data + 2, &ends[0]) || !read_end(data, data + 10, &ends[1]) ||
        ends[0].real > ends[1].real || ends[0].whole > ends[1].whole)
        return false;
    extend(s, ends[0], ends[1], data[1]);
    for (bool first = true; r.pos < r.end; first = false) {
        uint64_t delta = orma_pb_varint(&r), count = orma_pb_varint(&r);
        int64_t step = (int64_t)(delta >> 1) ^ -(int64_t)(delta & 1);

        if (r.failed || !count || step > 2 * NUMBER_MAX || step < -NUMBER_MAX ||
            (!first && step <= 0))
            return false;
        number += step;
        if (number > NUMBER_MAX || !add(s, number, count))
            return false;
    }
    return !r.failed;
}

static bool is_sketch(sqlite3_value *val)
{
    const uint8_t *data;

    return sqlite3_value_type(val) == SQLITE_BLOB && sqlite3_value_bytes(val) > HEAD &&
           (data = sqlite3_value_blob(val)) && (data[0] == VERSION || data[0] == 1) && data[1] <= 1;
}

/* False: the error is set. NULL adds nothing. */
static bool merge_value(sqlite3_context *ctx, struct sketch *s, sqlite3_value *val)
{
    if (orma_value_is_null(val) ||
        (is_sketch(val) && merge(s, sqlite3_value_blob(val), (size_t)sqlite3_value_bytes(val))))
        return true;
    orma_result_error(ctx, "expected the result of PERCENTILE_SKETCH");
    return false;
}

static void merge_step(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct sketch *s = ORMA_AGG_STATE(ctx, struct sketch);

    (void)argc;
    if (s)
        (void)merge_value(ctx, s, argv[0]); /* the error is the query's */
}

static void put(const struct sketch *s, struct orma_buf *out)
{
    int64_t before = 0;

    orma_buf_put_byte(out, VERSION);
    orma_buf_put_byte(out, s->real);
    put_end(s, s->least, out);
    put_end(s, s->greatest, out);
    for (size_t i = 0; i < s->len; i++) {
        int64_t step = s->buckets[i].number - before;

        orma_pb_put_raw_varint(out, (uint64_t)step << 1 ^ (uint64_t)(step >> 63));
        orma_pb_put_raw_varint(out, s->buckets[i].count);
        before = s->buckets[i].number;
    }
}

static void sketch_final(sqlite3_context *ctx)
{
    struct sketch *s = sqlite3_aggregate_context(ctx, 0);
    struct orma_buf out = {0};

    if (!s)
        return;
    if (s->count) {
        put(s, &out);
        if (out.failed)
            sqlite3_result_error_nomem(ctx);
        else
            sqlite3_result_blob64(ctx, out.data, out.len, SQLITE_TRANSIENT);
    }
    orma_buf_fini(&out);
    free(s->buckets);
    *s = (struct sketch){0};
}

static void percentile_of(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct sketch s = {0};
    double percent = sqlite3_value_double(argv[1]);
    size_t at = 0;

    (void)argc;
    if (orma_value_is_null(argv[1]) || !(percent >= 0 && percent <= 100)) {
        orma_result_error(ctx, "PERCENTILE_OF_SKETCH: expected a percentage from 0 to 100");
    } else if (merge_value(ctx, &s, argv[0]) && s.count) {
        uint64_t left = (uint64_t)orma_percentile_place(s.count, percent / 100);

        while (left >= s.buckets[at].count && at + 1 < s.len)
            left -= s.buckets[at++].count;
        const double middle = value_of(&s, s.buckets[at].number);
        const struct end val = percent <= 0     ? s.least
                               : percent >= 100 ? s.greatest
                                                : (struct end){middle, whole_of(middle)};
        if (s.real)
            sqlite3_result_double(ctx, val.real);
        else
            sqlite3_result_int64(ctx,
                                 ORMA_MAX(ORMA_MIN(val.whole, s.greatest.whole), s.least.whole));
    }
    free(s.buckets);
}

const struct orma_sql_func orma_functions_sketch[] = {
    {.name = "percentile_sketch",
     .args = 1,
     .step = sketch_step,
     .final = sketch_final,
     .usage = "(value) -> BYTES",
     .doc = "Aggregate: a sketch of the values, some kilobytes large, for percentiles with an "
            "error of at most 1 % of the value."},
    {.name = "percentile_sketch_merge",
     .args = 1,
     .step = merge_step,
     .final = sketch_final,
     .usage = "(sketch) -> BYTES",
     .doc = "Aggregate: merges several sketches into one, also sketches from other traces."},
    {.name = "percentile_of_sketch",
     .args = 2,
     .scalar = percentile_of,
     .usage = "(sketch, percent) -> LONG or DOUBLE",
     .doc = "A percentile of the values in a sketch: 50 is the median; 0 and 100 are exact."},
    {0},
};
