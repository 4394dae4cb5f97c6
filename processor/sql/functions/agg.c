/* Aggregates and window functions of the trace processor. */
#include <stdlib.h>

#include "processor/sql/functions/functions.h"
#include "sdk/base/vec.h"

/* ---- VALUE_AT_MAX_TS ---- */

struct value_at_max {
    bool any;
    int type;
    int64_t ts;
    int64_t i;
    double d;
};

static void value_at_max_step(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct value_at_max *s = ORMA_AGG_STATE(ctx, struct value_at_max);
    int64_t ts = sqlite3_value_int64(argv[0]);

    (void)argc;
    if (!s)
        return;
    if (!s->any) {
        int type = sqlite3_value_type(argv[1]);

        if (sqlite3_value_type(argv[0]) != SQLITE_INTEGER) {
            orma_result_error(ctx, "VALUE_AT_MAX_TS: ts passed was not an integer");
            return;
        }
        if (type != SQLITE_INTEGER && type != SQLITE_FLOAT) {
            orma_result_error(ctx, "VALUE_AT_MAX_TS: value passed was not a number");
            return;
        }
        s->any = true;
        s->type = type;
        s->ts = INT64_MIN;
    }
    if (ts < s->ts)
        return;
    s->ts = ts;
    s->i = sqlite3_value_int64(argv[1]);
    s->d = sqlite3_value_double(argv[1]);
}

static void value_at_max_final(sqlite3_context *ctx)
{
    const struct value_at_max *s = sqlite3_aggregate_context(ctx, 0);

    if (!s || !s->any)
        return;
    if (s->type == SQLITE_INTEGER)
        sqlite3_result_int64(ctx, s->i);
    else
        sqlite3_result_double(ctx, s->d);
}

/* ---- LAST_NON_NULL ---- */

/* The values of the frame that are not NULL, oldest first; NULLs are counted only. */
struct last_non_null {
    struct entry {
        int64_t row;
        sqlite3_value *val;
    } * entries;
    size_t first, len, cap;
    int64_t next_row, gone; /* rows that came into the frame, and left it */
};

static void last_step(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct last_non_null *s = ORMA_AGG_STATE(ctx, struct last_non_null);

    (void)argc;
    if (!s || s->next_row++ < 0 || orma_value_is_null(argv[0]))
        return;
    if (s->first + s->len == s->cap) {
        size_t cap = ORMA_MAX(2 * s->len, (size_t)16);
        struct entry *grown = malloc(cap * sizeof(*grown));

        if (!grown) {
            sqlite3_result_error_nomem(ctx);
            return;
        }
        if (s->len)
            memcpy(grown, s->entries + s->first, s->len * sizeof(*grown));
        free(s->entries);
        s->entries = grown;
        s->first = 0;
        s->cap = cap;
    }
    s->entries[s->first + s->len++] = (struct entry){s->next_row - 1, sqlite3_value_dup(argv[0])};
}

static void last_inverse(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct last_non_null *s = sqlite3_aggregate_context(ctx, 0);

    (void)argc;
    (void)argv;
    if (!s)
        return;
    if (s->len && s->entries[s->first].row == s->gone) {
        sqlite3_value_free(s->entries[s->first].val);
        s->first++;
        s->len--;
    }
    s->gone++;
}

static void last_value(sqlite3_context *ctx)
{
    const struct last_non_null *s = sqlite3_aggregate_context(ctx, 0);

    if (s && s->len)
        orma_result_value(ctx, s->entries[s->first + s->len - 1].val);
}

static void last_final(sqlite3_context *ctx)
{
    struct last_non_null *s = sqlite3_aggregate_context(ctx, 0);

    if (!s)
        return;
    last_value(ctx);
    for (size_t i = 0; i < s->len; i++)
        sqlite3_value_free(s->entries[s->first + i].val);
    free(s->entries);
    s->entries = NULL;
    s->len = 0;
}

/* ---- INTERNAL_LAYOUT ---- */

/* When each row of the layout is free again; INT64_MAX: never. */
struct layout {
    int64_t *free_at;
    size_t len, cap;
    size_t current;
    bool failed;
};

static size_t find_free(struct layout *s, int64_t ts)
{
    for (size_t i = 0; i < s->len; i++) {
        if (s->free_at[i] <= ts)
            return i;
    }
    if (ORMA_GROW(&s->free_at, &s->cap, s->len + (size_t)1)) {
        s->failed = true;
        return 0;
    }
    s->free_at[s->len] = INT64_MIN;
    return s->len++;
}

static void layout_step(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct layout *s = ORMA_AGG_STATE(ctx, struct layout);
    int64_t ts = sqlite3_value_int64(argv[0]), dur = sqlite3_value_int64(argv[1]), end;

    (void)argc;
    if (!s)
        return;
    if (sqlite3_value_type(argv[0]) != SQLITE_INTEGER || ts < 0) {
        orma_result_error(ctx, "INTERNAL_LAYOUT: ts must be a non-negative integer");
        return;
    }
    if (sqlite3_value_type(argv[1]) != SQLITE_INTEGER || dur < -1) {
        orma_result_error(ctx, "INTERNAL_LAYOUT: dur must be an integer of -1 or more");
        return;
    }
    s->current = find_free(s, ts);
    if (s->failed) {
        sqlite3_result_error_nomem(ctx);
        return;
    }
    if (dur < 0 || __builtin_add_overflow(ts, dur, &end))
        end = INT64_MAX;
    if (dur)
        s->free_at[s->current] = end;
}

static void layout_inverse(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    (void)argc;
    (void)argv;
    orma_result_error(ctx, "INTERNAL_LAYOUT: the frame must be ROWS UNBOUNDED PRECEDING");
}

static void layout_value(sqlite3_context *ctx)
{
    const struct layout *s = sqlite3_aggregate_context(ctx, 0);

    if (s)
        sqlite3_result_int64(ctx, (int64_t)s->current);
}

static void layout_final(sqlite3_context *ctx)
{
    struct layout *s = sqlite3_aggregate_context(ctx, 0);

    if (!s)
        return;
    layout_value(ctx);
    free(s->free_at);
    *s = (struct layout){0};
}

const struct orma_sql_func orma_functions_agg[] = {
    {.name = "value_at_max_ts",
     .args = 2,
     .step = value_at_max_step,
     .final = value_at_max_final,
     .usage = "(ts, value) -> LONG or DOUBLE",
     .doc =
         "Aggregate: the value of the row with the greatest ts; among equal ts, of the last row."},
    {.name = "last_non_null",
     .args = 1,
     .step = last_step,
     .final = last_final,
     .value = last_value,
     .inverse = last_inverse,
     .usage = "(value) -> ANY",
     .doc = "Window function: the last value of the frame that is not NULL."},
    {.name = "internal_layout",
     .args = 2,
     .step = layout_step,
     .final = layout_final,
     .value = layout_value,
     .inverse = layout_inverse,
     .usage = "(ts, dur) -> LONG",
     .doc = "Window function over rows in order of ts: the lowest free row of a drawing."},
    {0},
};
