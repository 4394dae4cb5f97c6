/* Trace bounds, and times of the trace on other clocks. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "processor/sql/functions/functions.h"
#include "sdk/base/search.h"

enum { CLOCK_ID_REALTIME = 1, CLOCK_ID_MONOTONIC = 3 };

static void trace_start(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    (void)argc;
    (void)argv;
    sqlite3_result_int64(ctx, orma_sql_of(ctx)->bounds_start);
}

static void trace_end(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    (void)argc;
    (void)argv;
    sqlite3_result_int64(ctx, orma_sql_of(ctx)->bounds_end);
}

static void trace_dur(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    (void)argc;
    (void)argv;
    sqlite3_result_int64(ctx, orma_sql_of(ctx)->bounds_end - orma_sql_of(ctx)->bounds_start);
}

/* What one clock of the first machine showed at times of the trace, in order of these. */
struct orma_sql_timeline {
    int64_t clock;
    uint32_t rows; /* of the snapshot table when it was made */
    size_t num;
    struct reading {
        int64_t ts, val;
    } readings[];
};

static int by_time(const void *a, const void *b)
{
    int64_t x = ((const struct reading *)a)->ts, y = ((const struct reading *)b)->ts;

    return x < y ? -1 : x > y;
}

static struct orma_sql_timeline *make_timeline(const struct orma_table *t, int64_t clock)
{
    struct orma_sql_timeline *line =
        malloc(sizeof(*line) + ((size_t)t->rows + 1) * sizeof(line->readings[0]));

    if (!line)
        return NULL;
    *line = (struct orma_sql_timeline){.clock = clock, .rows = t->rows};
    for (uint32_t row = 0; row < t->rows; row++) {
        if (orma_table_int(t, ORMA_CLOCK_SNAPSHOT_CLOCK_ID, row) != clock ||
            orma_table_int(t, ORMA_CLOCK_SNAPSHOT_MACHINE_ID, row) != 0)
            continue;
        line->readings[line->num++] =
            (struct reading){orma_table_int(t, ORMA_CLOCK_SNAPSHOT_TS, row),
                             orma_table_int(t, ORMA_CLOCK_SNAPSHOT_CLOCK_VALUE, row)};
    }
    qsort(line->readings, line->num, sizeof(line->readings[0]), by_time);
    return line;
}

static const struct orma_sql_timeline *get_timeline(struct orma_sql *sql, int64_t clock)
{
    const struct orma_table *t = &sql->storage->tables[ORMA_TABLE_CLOCK_SNAPSHOT];
    struct orma_sql_timeline **slot = &sql->timelines[clock == CLOCK_ID_REALTIME];

    if (!*slot || (*slot)->rows != t->rows) {
        free(*slot);
        *slot = make_timeline(t, clock);
    }
    return *slot;
}

static int64_t add_saturating(int64_t a, int64_t b)
{
    int64_t sum;

    if (__builtin_add_overflow(a, b, &sum))
        return a < 0 ? INT64_MIN : INT64_MAX;
    return sum;
}

/*
 * The clock at a time of the trace: the snapshot before it plus the time since, but never past what
 * the next snapshot says; before the first one, what that says. False: the first machine has no
 * snapshot of this clock.
 */
static bool to_clock(struct orma_sql *sql, int64_t clock, int64_t ts, int64_t *ret)
{
    const struct orma_sql_timeline *line = get_timeline(sql, clock);

    if (!line || !line->num)
        return false;
    size_t lo = ORMA_UPPER_BOUND(line->readings, line->num, .ts, ts);
    *ret = line->readings[0].val;
    if (!lo)
        return true;
    const struct reading *at = &line->readings[lo - 1];
    *ret = add_saturating(at->val, add_saturating(ts, -at->ts));
    if (lo < line->num)
        *ret = ORMA_MIN(*ret, line->readings[lo].val);
    return true;
}

static void to_clock_func(sqlite3_context *ctx, sqlite3_value *val, int64_t clock, const char *name)
{
    int64_t out;

    if (orma_value_is_null(val))
        return;
    if (sqlite3_value_type(val) != SQLITE_INTEGER)
        orma_result_error(ctx, "%s: first argument should be timestamp", name);
    else if (to_clock(orma_sql_of(ctx), clock, sqlite3_value_int64(val), &out))
        sqlite3_result_int64(ctx, out);
}

static void to_realtime(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    (void)argc;
    to_clock_func(ctx, argv[0], CLOCK_ID_REALTIME, "TO_REALTIME");
}

static void to_monotonic(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    (void)argc;
    to_clock_func(ctx, argv[0], CLOCK_ID_MONOTONIC, "TO_MONOTONIC");
}

#define NS_PER_S INT64_C(1000000000)

static void abs_time_str(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    int64_t real, sec, ns;
    char text[64], frac[16];
    struct tm tm;
    time_t t;

    (void)argc;
    if (orma_value_is_null(argv[0]))
        return;
    if (sqlite3_value_type(argv[0]) != SQLITE_INTEGER) {
        orma_result_error(ctx, "ABS_TIME_STR: first argument should be timestamp");
        return;
    }
    if (!to_clock(orma_sql_of(ctx), CLOCK_ID_REALTIME, sqlite3_value_int64(argv[0]), &real))
        return;
    sec = real / NS_PER_S;
    ns = real % NS_PER_S;
    if (ns < 0) {
        ns += NS_PER_S;
        sec--;
    }
    t = (time_t)sec;
    if (!gmtime_r(&t, &tm) || !strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm))
        return;
    snprintf(frac, sizeof(frac), ".%09u", (unsigned)ns);
    strncat(text, frac, sizeof(text) - strlen(text) - 1);
    sqlite3_result_text(ctx, text, -1, SQLITE_TRANSIENT);
}

static void to_timecode(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    int64_t val;
    uint64_t ns;
    char text[64];

    (void)argc;
    if (orma_value_is_null(argv[0]))
        return;
    if (sqlite3_value_type(argv[0]) != SQLITE_INTEGER) {
        orma_result_error(ctx, "TO_TIMECODE: first argument should be timestamp");
        return;
    }
    val = sqlite3_value_int64(argv[0]);
    ns = val < 0 ? 0 - (uint64_t)val : (uint64_t)val;
    uint64_t sec = ns / (uint64_t)NS_PER_S;
    snprintf(text, sizeof(text), "%s%02" PRIu64 ":%02u:%02u %03u %03u %03u", val < 0 ? "-" : "",
             sec / 3600, (unsigned)(sec / 60 % 60), (unsigned)(sec % 60),
             (unsigned)(ns / 1000000 % 1000), (unsigned)(ns / 1000 % 1000), (unsigned)(ns % 1000));
    sqlite3_result_text(ctx, text, -1, SQLITE_TRANSIENT);
}

/* The length of an interval; one that is still open has none, and sums over it would lack it. */
static void closed_dur(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    (void)argc;
    if (sqlite3_value_type(argv[0]) == SQLITE_INTEGER && sqlite3_value_int64(argv[0]) < 0)
        orma_result_error(ctx, "Interval intersect only works on intervals with non negative "
                               "duration. Leave out open intervals, or give them an end.");
    else
        sqlite3_result_value(ctx, argv[0]);
}

const struct orma_sql_func orma_functions_time[] = {
    {.name = "trace_start",
     .flags = SQLITE_DETERMINISTIC,
     .scalar = trace_start,
     .of_libraries = true,
     .usage = "() -> TIMESTAMP",
     .doc = "The time of the first event of the trace."},
    {.name = "trace_end",
     .flags = SQLITE_DETERMINISTIC,
     .scalar = trace_end,
     .of_libraries = true,
     .usage = "() -> TIMESTAMP",
     .doc = "The time at which the last event of the trace ends."},
    {.name = "trace_dur",
     .flags = SQLITE_DETERMINISTIC,
     .scalar = trace_dur,
     .of_libraries = true,
     .usage = "() -> DURATION",
     .doc = "From trace_start() to trace_end()."},
    {.name = "__intrinsic_to_realtime",
     .args = 1,
     .flags = SQLITE_DETERMINISTIC,
     .scalar = to_realtime,
     .usage = "(ts) -> LONG",
     .doc = "The wall clock at that time; NULL if the trace has no snapshot of it."},
    {.name = "__intrinsic_to_monotonic",
     .args = 1,
     .flags = SQLITE_DETERMINISTIC,
     .scalar = to_monotonic,
     .usage = "(ts) -> LONG",
     .doc = "CLOCK_MONOTONIC at that time; NULL if the trace has no snapshot of it."},
    {.name = "__intrinsic_closed_dur",
     .args = 1,
     .flags = SQLITE_DETERMINISTIC,
     .scalar = closed_dur,
     .usage = "(dur) -> DURATION",
     .doc = "The duration itself; an error if it is negative, as for an unfinished slice."},
    {.name = "__intrinsic_abs_time_str",
     .args = 1,
     .flags = SQLITE_DETERMINISTIC,
     .scalar = abs_time_str,
     .usage = "(ts) -> STRING",
     .doc = "The wall clock at that time as an ISO 8601 text in UTC."},
    {.name = "__intrinsic_to_timecode",
     .args = 1,
     .flags = SQLITE_DETERMINISTIC,
     .scalar = to_timecode,
     .usage = "(dur) -> STRING",
     .doc = "A duration as HH:MM:SS mmm uuu nnn."},
    {0},
};
