/*
 * Counter samples as intervals: each value holds until the next sample of its
 * track, the last one until the end of the trace.
 *
 * Of a run of equal values the first two rows stay. The others are held back, each in place of
 * the one before it; when the value changes, the last of them stays, too. So a run that is open
 * at the end of the data keeps two rows.
 */
#include <stdlib.h>

#include "processor/sql/operators/operators.h"
#include "sdk/base/map.h"
#include "sdk/base/vec.h"

#define POINTER "orma_counters"

struct sample {
    int64_t id, ts;
    double value;
};

struct series {
    int64_t track;
    struct sample *list;
    uint32_t len, cap;
    struct sample held; /* equal to the last two; ts 0: none */
};

struct counters {
    struct series *series; /* in order of their first sample */
    uint32_t len, cap;
    struct orma_map by_track; /* track -> place in `series` */
    bool failed;              /* the error was reported */
};

static void counters_free(void *data)
{
    struct counters *c = data;

    if (!c)
        return;
    for (uint32_t i = 0; i < c->len; i++)
        free(c->series[i].list);
    free(c->series);
    orma_map_fini(&c->by_track);
    free(c);
}

static struct series *series_of(struct counters *c, int64_t track)
{
    uint64_t place = orma_map_get(&c->by_track, (uint64_t)track);

    if (place != ORMA_MAP_NONE)
        return &c->series[place];
    if (ORMA_GROW(&c->series, &c->cap, c->len + (size_t)1))
        return NULL;
    if (orma_map_put(&c->by_track, (uint64_t)track, c->len) < 0)
        return NULL;
    c->series[c->len] = (struct series){.track = track};
    return &c->series[c->len++];
}

static bool keep_sample(struct series *s, struct sample sample)
{
    if (ORMA_GROW(&s->list, &s->cap, s->len + (size_t)1))
        return false;
    s->list[s->len++] = sample;
    return true;
}

static bool add_sample(struct series *s, struct sample now)
{
    uint32_t n = s->len;

    if (n >= 2 && s->list[n - 1].value == now.value && s->list[n - 2].value == now.value) {
        s->held = now;
        return true;
    }
    if (s->held.ts && !keep_sample(s, s->held))
        return false;
    s->held = (struct sample){0};
    return keep_sample(s, now);
}

/* NULL is 0. */
static bool is_number(sqlite3_value *val)
{
    int type = sqlite3_value_type(val);

    return type == SQLITE_INTEGER || type == SQLITE_FLOAT || type == SQLITE_NULL;
}

enum { C_ID, C_TS, C_TRACK, C_VALUE };

static const char *take_sample(struct counters *c, sqlite3_value **argv)
{
    struct sample now = {sqlite3_value_int64(argv[C_ID]), sqlite3_value_int64(argv[C_TS]),
                         sqlite3_value_double(argv[C_VALUE])};
    struct series *s;

    for (int i = C_ID; i <= C_VALUE; i++) {
        if (!is_number(argv[i]))
            return "id, ts, track_id and value must be numbers";
    }
    s = series_of(c, sqlite3_value_int64(argv[C_TRACK]));
    if (s && s->len && ORMA_MAX(s->list[s->len - 1].ts, s->held.ts) > now.ts)
        return "samples must come in order of ts";
    return s && add_sample(s, now) ? NULL : "out of memory";
}

static void counter_step(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct counters **state = ORMA_AGG_STATE(ctx, struct counters *);
    const char *wrong;

    (void)argc;
    if (!state || (*state && (*state)->failed))
        return;
    if (!*state)
        *state = calloc(1, sizeof(**state));
    wrong = *state ? take_sample(*state, argv) : "out of memory";
    if (wrong) {
        orma_result_error(ctx, "__intrinsic_counter_per_track_agg: %s", wrong);
        if (*state)
            (*state)->failed = true;
    }
}

static void counter_final(sqlite3_context *ctx)
{
    struct counters **state = sqlite3_aggregate_context(ctx, 0);

    if (!state || !*state)
        return;
    if ((*state)->failed)
        counters_free(*state);
    else
        sqlite3_result_pointer(ctx, *state, POINTER, counters_free);
}

static void put_series(struct orma_dataframe *f, const struct series *s, int64_t end)
{
    for (uint32_t i = 0; i < s->len; i++) {
        const struct sample *now = &s->list[i];
        uint32_t row = orma_dataframe_add(f);
        bool last = i + 1 == s->len;
        int64_t until = last ? end : now[1].ts, dur;

        if (__builtin_sub_overflow(until, now->ts, &dur))
            dur = INT64_MAX;
        orma_dataframe_put_int(f, 0, row, now->id);
        orma_dataframe_put_int(f, 1, row, now->ts);
        orma_dataframe_put_int(f, 2, row, dur);
        orma_dataframe_put_int(f, 3, row, s->track);
        orma_dataframe_put_double(f, 4, row, now->value);
        if (!last)
            orma_dataframe_put_double(f, 5, row, now[1].value);
        if (i)
            orma_dataframe_put_double(f, 6, row, now->value - now[-1].value);
    }
}

static void counter_intervals(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    static const char *const names[] = {"id",    "ts",         "dur",        "track_id",
                                        "value", "next_value", "delta_value"};
    const struct counters *c = sqlite3_value_pointer(argv[2], POINTER);
    struct orma_str kind = orma_value_str(argv[0]);
    struct orma_dataframe *f;

    (void)argc;
    if (!kind.data || !orma_str_eq_c(kind, "leading")) {
        orma_result_error(ctx, "__intrinsic_counter_intervals: the first argument must be "
                               "'leading'; 'lagging' is not supported");
        return;
    }
    if (sqlite3_value_type(argv[1]) != SQLITE_INTEGER) {
        orma_result_error(ctx, "__intrinsic_counter_intervals: the end must be an integer");
        return;
    }
    if (!c)
        return; /* no samples, no rows */
    f = orma_dataframe_new(orma_sql_of(ctx)->storage, names, ORMA_ARRAY_LEN(names), false);
    if (!f) {
        sqlite3_result_error_nomem(ctx);
        return;
    }
    for (uint32_t i = 0; i < c->len; i++)
        put_series(f, &c->series[i], sqlite3_value_int64(argv[1]));
    orma_dataframe_result_finished(ctx, f);
}

const struct orma_sql_func orma_operators_counters[] = {
    {.name = "__intrinsic_counter_per_track_agg",
     .args = 4,
     .step = counter_step,
     .final = counter_final,
     .usage = "(id, ts, track_id, value) -> pointer",
     .doc = "Aggregate: samples by track, in order of ts; of three or more equal values in a row "
            "it keeps the first two, and the last one if another value follows."},
    {.name = "__intrinsic_counter_intervals",
     .args = 3,
     .scalar = counter_intervals,
     .usage = "('leading', trace_end, series) -> pointer",
     .doc = "id, ts, dur, track_id, value, next_value, delta_value: how long each sample holds."},
    {0},
};
