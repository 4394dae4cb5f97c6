/*
 * How long queries go on after somebody interrupts them, by wall clock: every kind of long query
 * is interrupted at points spread over its run, and the longest wait is shown beside the median.
 *
 *     bench_interrupt [--rows N] [--only TEXT] [--points N]
 *
 * The wish is 100 ms. What SQLite does in one step of its machine (sorting rows that it has
 * gathered, above all) is not ours to stop.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "processor/sql/engine.h"
#include "processor/sql/script/runner.h"
#include "tests/support/sql_rows.h"

#define LONGEST_MS 2500 /* of each run; what takes longer counts as endless */
#define POINTS_MAX 64

#define NUMBERS(n)                                                                                 \
    "(WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < " #n                \
    ") SELECT i FROM n)"

struct query {
    const char *what, *setup, *sql;
};

static const struct query queries[] = {
    {"endless recursion", "", "SELECT count(*) FROM " NUMBERS(1e18)},
    {"cross join, counted", "", "SELECT count(*) FROM slice a, slice b"},
    {"cross join, aggregated", "", "SELECT sum(a.dur + b.dur) FROM slice a, slice b, slice c"},
    {"cross join, grouped", "", "SELECT a.name, count(*) FROM slice a, sched b GROUP BY a.name"},
    {"join without an index", "",
     "SELECT count(*) FROM slice a JOIN slice b ON a.dur + 1 = b.dur * 3 + a.depth"},
    {"window over much", "",
     "SELECT sum(x) FROM (SELECT sum(dur) OVER (ORDER BY dur) AS x FROM slice)"},
    {"sort in SQLite, expression", "", "SELECT * FROM slice ORDER BY dur * 7919 % 10007"},
    {"sort in SQLite, text", "", "SELECT * FROM slice ORDER BY name || dur"},
    {"sort of a column", "", "SELECT * FROM slice ORDER BY dur DESC LIMIT -1"},
    {"sort of names", "", "SELECT * FROM slice ORDER BY name, dur LIMIT -1"},
    {"distinct of an expression", "", "SELECT count(DISTINCT dur * ts) FROM slice"},
    {"distinct of all columns", "", "SELECT DISTINCT * FROM slice"},
    {"group by a join", "",
     "SELECT a.dur * b.dur AS x, count(*) FROM slice a JOIN slice b ON b.id = a.id + 1 GROUP BY x"},
    {"aggregates over columns", "",
     "SELECT name, track_id, depth, dur, count(*), sum(ts) FROM slice GROUP BY 1, 2, 3, 4"},
    {"percentile", "", "SELECT percentile(dur * 3, 50), median(ts) FROM slice"},
    {"group_concat of all", "", "SELECT length(group_concat(name)) FROM slice"},
    {"LIKE and GLOB", "",
     "SELECT count(*) FROM slice a, slice b WHERE a.name LIKE '%9%' AND b.name GLOB '*k*'"},
    {"REGEXP", "",
     "SELECT count(*) FROM slice a, slice b WHERE (a.name || b.name) REGEXP '(w.*)+k.*[0-9]+$'"},
    {"REGEXP that backtracks", "",
     "SELECT 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa' REGEXP '^(a+)+$b'"},
    {"GLOB that backtracks", "", "SELECT printf('%.4000c', 'a') GLOB '*a*a*a*a*a*a*a*a*a*a*b'"},
    {"LIKE that backtracks", "", "SELECT printf('%.4000c', 'a') LIKE '%a%a%a%a%a%a%a%a%a%a%b'"},
    {"a long string", "", "SELECT length(replace(printf('%.90000000c', 'a'), 'a', 'bcdef'))"},
    {"a table of everything", "", "CREATE PERFETTO TABLE big AS SELECT i FROM " NUMBERS(1e18)},
    {"a table of sorted slices", "",
     "CREATE OR REPLACE PERFETTO TABLE big AS SELECT * FROM slice ORDER BY dur % 1000"},
    {"a table of a join", "",
     "CREATE PERFETTO TABLE big AS SELECT a.* FROM slice a JOIN slice b ON a.dur = b.dur"},
    {"an index", "CREATE PERFETTO TABLE keyed AS SELECT *, name || dur AS k FROM slice;",
     "CREATE OR REPLACE PERFETTO INDEX i ON keyed(k, dur); SELECT count(*) FROM keyed WHERE k = "
     "'x';"
     "SELECT count(*) FROM keyed WHERE k = 'y'; SELECT k FROM keyed ORDER BY k, dur LIMIT -1"},
    {"CREATE TABLE AS", "", "CREATE TABLE big AS SELECT a.*, b.ts FROM slice a, slice b"},
    {"a plain index", "CREATE TABLE plain AS SELECT *, name || dur AS k FROM slice;",
     "CREATE INDEX plain_k ON plain(k, ts)"},
    {"function in a loop",
     "CREATE PERFETTO FUNCTION f(a INT) RETURNS INT AS SELECT count(*) + $a FROM " NUMBERS(
         1e18) ";",
     "SELECT f(1)"},
    {"function for every row", "CREATE PERFETTO FUNCTION g(a INT) RETURNS INT AS SELECT $a + 1;",
     "SELECT sum(g(g(a.dur))) FROM slice a, slice b"},
    {"memoized recursion",
     "CREATE PERFETTO FUNCTION h(a INT) RETURNS INT AS SELECT 1 + h($a - 1);"
     "SELECT experimental_memoize('h');",
     "SELECT h(1000000000)"},
    {"endless window table", "",
     "SELECT sum(ts) FROM __intrinsic_window(0, 9223372036854775807, 1)"},
    {"span join that never meets",
     "CREATE VIEW a AS SELECT 2 * ts AS ts, 1 AS dur FROM __intrinsic_window(0, "
     "4000000000000000000, 1);"
     "CREATE VIEW b AS SELECT 2 * ts + 1 AS ts, 1 AS dur FROM __intrinsic_window(0, "
     "4000000000000000000, 1);"
     "CREATE VIRTUAL TABLE s USING SPAN_JOIN(a, b);",
     "SELECT count(*) FROM s"},
    {"span join to be sorted",
     "CREATE VIEW c AS SELECT (ts * 7919) % 1000003 AS ts, dur, cpu FROM sched;"
     "CREATE VIRTUAL TABLE u USING SPAN_OUTER_JOIN(c PARTITIONED cpu, sched PARTITIONED cpu);",
     "SELECT count(*) FROM u"},
    {"interval intersection", "INCLUDE PERFETTO MODULE intervals.intersect;",
     "SELECT count(*) FROM _interval_intersect!(((SELECT id, 0 AS ts, 1000 AS dur FROM slice), "
     "(SELECT id, 0 AS ts, 9 AS dur FROM slice)), ())"},
    {"self intersection", "INCLUDE PERFETTO MODULE intervals.intersect;",
     "SELECT count(*) FROM interval_self_intersect!((SELECT id, ts, 100000000 AS dur FROM slice))"},
    {"overlap count", "INCLUDE PERFETTO MODULE intervals.overlap;",
     "SELECT max(value) FROM intervals_overlap_count!((SELECT ts, dur FROM slice), ts, dur)"},
    {"merge of overlaps", "INCLUDE PERFETTO MODULE intervals.overlap;",
     "SELECT count(*) FROM interval_merge_overlapping_partitioned!((SELECT ts, dur, track_id FROM "
     "slice), (track_id))"},
    {"depth-first search", "INCLUDE PERFETTO MODULE graphs.search;",
     "SELECT count(*) FROM graph_reachable_dfs!((SELECT id AS source_node_id, id + 1 AS "
     "dest_node_id FROM slice), (SELECT id AS node_id FROM slice))"},
    {"dominators", "INCLUDE PERFETTO MODULE graphs.dominator_tree;",
     "SELECT count(*) FROM graph_dominator_tree!((SELECT id AS source_node_id, id + 1 AS "
     "dest_node_id FROM slice UNION ALL SELECT id, id + 2 FROM slice), 0)"},
    {"graph scan that doubles", "INCLUDE PERFETTO MODULE graphs.scan;",
     "SELECT count(*) FROM _graph_scan!((SELECT i AS source_node_id, i + 1 AS dest_node_id "
     "FROM " NUMBERS(60) " UNION ALL SELECT i, i + 2 FROM " NUMBERS(
         60) "), "
             "(SELECT 0 AS id, 0 AS x), (x), (SELECT * FROM $table))"},
    {"graph scan, long", "INCLUDE PERFETTO MODULE graphs.scan;",
     "SELECT count(*) FROM _graph_aggregating_scan!((SELECT id AS source_node_id, id + 1 AS "
     "dest_node_id FROM slice), (SELECT 0 AS id, 0 AS x), (x), (SELECT id, x + 1 AS x FROM "
     "$table))"},
    {"tree partition", "INCLUDE PERFETTO MODULE graphs.partition;",
     "SELECT count(*) FROM tree_structural_partition_by_group!((SELECT id, nullif(id - 1, -1) AS "
     "parent_id, id % 7 AS group_key FROM slice))"},
    {"descendants of all", "", "SELECT count(*) FROM slice s, descendant_slice(s.id), slice"},
    {"flows of all", "", "SELECT count(*) FROM slice s, directly_connected_flow(s.id)"},
    {"flat slices", "", "SELECT count(*) FROM experimental_flat_slice(0, 9223372036854775807)"},
    {"slice layout", "",
     "SELECT count(*) FROM experimental_slice_layout((SELECT group_concat(id) FROM track))"},
    {"slice mipmap",
     "CREATE VIRTUAL TABLE m USING __intrinsic_slice_mipmap((SELECT id, ts, dur, depth FROM slice "
     "ORDER BY ts));",
     "SELECT count(*) FROM m(0, 9000000000000000000, 1)"},
    {"making a mipmap", "",
     "CREATE VIRTUAL TABLE m USING __intrinsic_slice_mipmap((SELECT id, ts, dur, depth FROM slice "
     "ORDER BY ts))"},
    {"flamegraph", "",
     "CREATE VIRTUAL TABLE fl USING __intrinsic_flamegraph((SELECT id, parent_id, name, dur AS "
     "value FROM slice)); SELECT count(*) FROM fl(__intrinsic_flamegraph_config('view', "
     "'TOP_DOWN', 'value', 'value'))"},
    {"stack hashes", "INCLUDE PERFETTO MODULE slices.stack;",
     "SELECT count(DISTINCT stack_id) FROM slice_with_stack_id"},
    {"self durations", "",
     "INCLUDE PERFETTO MODULE slices.self_dur; SELECT sum(self_dur) FROM slice_self_dur"},
    {"args as JSON", "", "SELECT sum(length(__intrinsic_arg_set_to_json(arg_set_id))) FROM slice"},
    {"metadata of nothing", "", "SELECT sum(extract_metadata('x') IS NULL) FROM slice a, slice b"},
    {"json_each of much", "",
     "SELECT count(*) FROM json_each((SELECT json_group_array(dur) FROM slice))"},
    {"rows as they come", "", "SELECT a.id, b.name FROM slice a, slice b"},
};

struct run {
    struct orma_sql *sql;
    int after_ms;
    _Atomic bool done;
    double interrupted_at; /* 0: it ended before */
};

static double now_ms(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec * 1e3 + (double)ts.tv_nsec / 1e6;
}

static void *interrupt(void *data)
{
    struct run *run = data;

    for (double end = now_ms() + run->after_ms; now_ms() < end && !run->done;)
        (void)usleep(500);
    if (!run->done) {
        run->interrupted_at = now_ms();
        orma_sql_interrupt(run->sql);
    }
    return NULL;
}

/* 0, or -errno. */
static int execute(struct orma_sql *sql, const char *text)
{
    struct orma_runner *runner;
    struct orma_sql_stmt *stmt;
    int r = orma_runner_new(sql, "bench", orma_str_from(text), &runner);

    if (r < 0)
        return r;
    while ((r = orma_runner_next(runner, &stmt)) > 0) {
        while ((r = orma_sql_stmt_step(stmt)) > 0)
            ;
        orma_sql_stmt_free(stmt);
        if (r < 0)
            break;
    }
    orma_runner_free(runner);
    return r;
}

/* The wait in ms; -1: it ended by itself. *ret_took: how long it ran. */
static double one_run(struct orma_sql *sql, const struct query *q, int after_ms, double *ret_took)
{
    struct run run = {.sql = sql, .after_ms = after_ms};
    pthread_t thread;

    if (orma_sql_reset(sql) < 0 || execute(sql, q->setup) < 0) {
        fprintf(stderr, "%s: %s\n", q->what, orma_sql_error_text(sql));
        exit(1);
    }
    double start = now_ms();
    if (pthread_create(&thread, NULL, interrupt, &run))
        exit(1);
    int r = execute(sql, q->sql);
    double end = now_ms();
    run.done = true;
    pthread_join(thread, NULL);
    *ret_took = end - start;
    if (r < 0 && r != -ECANCELED)
        printf("  (%s)\n", orma_sql_error_text(sql));
    return r == -ECANCELED ? end - run.interrupted_at : -1;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double measure(struct orma_sql *sql, const struct query *q, int points)
{
    double waits[POINTS_MAX], took, total;
    double wait = one_run(sql, q, LONGEST_MS, &total);
    int num = 0;

    if (wait >= 0)
        waits[num++] = wait;
    for (int i = 0; i < points && num < POINTS_MAX; i++) {
        double end = wait >= 0 ? LONGEST_MS : total;

        wait = one_run(sql, q, 1 + (int)(end * i / points), &took);
        if (wait >= 0)
            waits[num++] = wait;
    }
    if (!num) {
        printf("%-30s %10.0f          -          -\n", q->what, total);
        return 0;
    }
    qsort(waits, (size_t)num, sizeof(*waits), by_size);
    printf("%-30s %10.0f %10.1f %10.1f%s\n", q->what, total, waits[num / 2], waits[num - 1],
           waits[num - 1] > 100 ? "  over 100 ms" : "");
    fflush(stdout);
    return waits[num - 1];
}

int main(int argc, char **argv)
{
    struct orma_storage storage = {0};
    struct orma_sql *sql;
    const char *only = "";
    uint32_t rows = 1000000;
    int points = 4;
    double longest = 0;

    for (int i = 1; i + 1 < argc; i += 2) {
        if (!strcmp(argv[i], "--rows"))
            rows = (uint32_t)strtoul(argv[i + 1], NULL, 10);
        else if (!strcmp(argv[i], "--only"))
            only = argv[i + 1];
        else if (!strcmp(argv[i], "--points"))
            points = atoi(argv[i + 1]);
    }
    if (orma_storage_init(&storage) < 0)
        return 1;
    sql_rows_fill(&storage, rows);
    if (orma_sql_open(&storage, &sql) < 0 || orma_sql_data_ready(sql) < 0)
        return 1;
    printf("\nFrom interrupt to return, %u slices, ms\n%-30s %10s %10s %10s\n", rows, "", "ran for",
           "median", "longest");
    for (size_t i = 0; i < ORMA_ARRAY_LEN(queries); i++) {
        if (!strstr(queries[i].what, only))
            continue;
        double ms = measure(sql, &queries[i], points);
        longest = ms > longest ? ms : longest;
    }
    printf("longest of all: %.1f ms\n", longest);
    orma_sql_close(sql);
    orma_storage_fini(&storage);
    return 0;
}
