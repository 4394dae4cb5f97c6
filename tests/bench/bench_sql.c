/*
 * Queries over our columns beside the same queries over plain SQLite tables
 * that hold the same rows and the obvious indexes, in one process and one run.
 *
 *     bench_sql [--rows N] [--only TEXT] [--no-exec] [--csv FILE]
 *
 * With --csv the rows of slice are written to FILE, and the queries that run over
 * columns are timed alone, one a line with the SQL: for duckdb.mjs.
 *
 * Rows: 1 million slices and scheduling slices each, a quarter as many of the
 * rest. Shown are milliseconds of CPU time per query, the best of a few runs,
 * and ours / plain: below 1 we are faster.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "processor/sql/engine.h"
#include "processor/sql/script/runner.h"
#include "tests/support/sql_rows.h"

#define RUNS 5
#define LONG_MS 300 /* queries longer than that run twice only */

struct query {
    const char *what, *sql;
    const char *plain; /* NULL: the same text; "": plain SQLite has nothing like it */
};

static const struct query queries[] = {
    {"count", "SELECT count(*) FROM slice", NULL},
    {"sum", "SELECT sum(dur) FROM slice", NULL},
    {"sum, min, max, avg", "SELECT sum(dur), min(ts), max(dur), avg(dur) FROM slice", NULL},
    {"sum of few by name", "SELECT count(*), sum(dur) FROM slice WHERE name = 'work 7'", NULL},
    {"sum with a filter", "SELECT sum(dur) FROM slice WHERE dur > 30000", NULL},
    {"sum with two filters", "SELECT sum(dur) FROM slice WHERE dur > 10000 AND depth = 2", NULL},
    {"group by name", "SELECT name, count(*), sum(dur) FROM slice GROUP BY name", NULL},
    {"group by cpu", "SELECT cpu, sum(dur), count(*) FROM sched GROUP BY cpu", NULL},
    {"group by two", "SELECT track_id, name, sum(dur) FROM slice GROUP BY track_id, name", NULL},
    {"group, order, limit",
     "SELECT name, sum(dur) AS total FROM slice GROUP BY name ORDER BY total DESC LIMIT 10", NULL},
    {"distinct", "SELECT count(*) FROM (SELECT DISTINCT name FROM slice)", NULL},
    {"group of an expression", "SELECT dur / 10000 AS d, count(*) FROM slice GROUP BY d", NULL},
    {"scan: few rows of many", "SELECT id, ts, dur FROM slice WHERE dur = 12345", NULL},
    {"scan: names", "SELECT id, ts FROM slice WHERE name = 'Load 33'", NULL},
    {"scan: glob", "SELECT count(*), sum(dur) FROM slice WHERE name GLOB 'work 1*'", NULL},
    {"scan: a tenth", "SELECT sum(length(name)) FROM slice WHERE dur BETWEEN 20000 AND 25000",
     NULL},
    {"scan: IN list",
     "SELECT sum(length(name)), sum(dur) FROM slice WHERE name IN ('work 1','work 2','Load 3',"
     "'work 4','work 5')",
     NULL},
    {"scan: all columns", "SELECT sum(id + ts + dur + track_id + depth) FROM slice", NULL},
    {"scan: range of time",
     "SELECT count(name) FROM slice WHERE ts BETWEEN 1100000000 AND 1200000000", NULL},
    {"top 20 by dur", "SELECT id, name, dur FROM slice ORDER BY dur DESC, id LIMIT 20", NULL},
    {"top 20, filtered", "SELECT id, dur FROM slice WHERE depth = 1 ORDER BY dur DESC, id LIMIT 20",
     NULL},
    {"sorted all", "SELECT max(n) FROM (SELECT name AS n, dur FROM slice ORDER BY dur LIMIT -1)",
     NULL},
    {"sorted range",
     "SELECT sum(d) FROM (SELECT dur AS d FROM slice WHERE ts > 1100000000 AND ts < 1400000000 "
     "ORDER BY ts LIMIT -1)",
     NULL},
    {"sorted range, rows",
     "SELECT id, dur FROM slice WHERE ts > 1100000000 AND ts < 1400000000 ORDER BY ts", NULL},
    {"join of four",
     "SELECT count(*), sum(s.dur) FROM slice s JOIN thread_track tt ON s.track_id = tt.id "
     "JOIN thread t USING (utid) JOIN process p USING (upid)",
     NULL},
    {"join, one process",
     "SELECT count(*), sum(s.dur) FROM slice s JOIN thread_track tt ON s.track_id = tt.id "
     "JOIN thread t USING (utid) JOIN process p USING (upid) WHERE p.name = 'process 7'",
     NULL},
    {"join, by thread",
     "SELECT t.name, sum(s.dur) FROM slice s JOIN thread_track tt ON s.track_id = tt.id "
     "JOIN thread t USING (utid) GROUP BY t.utid",
     NULL},
    {"left join",
     "SELECT count(*), count(p.name) FROM sched LEFT JOIN thread t USING (utid) "
     "LEFT JOIN process p USING (upid)",
     NULL},
    {"self join by parent",
     "SELECT count(*) FROM slice c JOIN slice p ON c.parent_id = p.id WHERE p.dur > 45000", NULL},
    {"children by parent",
     "SELECT count(*) FROM slice p JOIN slice c ON c.parent_id = p.id WHERE p.dur > 48000", NULL},
    {"join flows",
     "SELECT count(*) FROM flow f JOIN slice a ON f.slice_out = a.id "
     "JOIN slice b ON f.slice_in = b.id WHERE b.ts > a.ts",
     NULL},
    {"IN a query",
     "SELECT count(*) FROM slice WHERE track_id IN (SELECT id FROM thread_track WHERE utid < 20)",
     NULL},
    {"exists",
     "SELECT count(*) FROM slice s WHERE dur > 48000 AND EXISTS (SELECT 1 FROM flow f "
     "WHERE f.slice_out = s.id)",
     NULL},
    {"window: lead",
     "SELECT sum(gap) FROM (SELECT lead(ts) OVER (PARTITION BY cpu ORDER BY ts) - ts AS gap "
     "FROM sched WHERE utid < 100)",
     NULL},
    {"window: rank",
     "SELECT count(*) FROM (SELECT row_number() OVER (PARTITION BY track_id ORDER BY dur DESC) AS "
     "r FROM slice WHERE depth = 0) WHERE r <= 3",
     NULL},
    {"args: one key",
     "SELECT sum(extract_arg(arg_set_id, 'debug.count')) FROM slice WHERE arg_set_id IS NOT NULL",
     "SELECT sum(a.int_value) FROM slice s JOIN args a ON a.arg_set_id = s.arg_set_id AND "
     "a.key = 'debug.count'"},
    {"args: join",
     "SELECT sum(a.int_value) FROM slice s JOIN args a ON a.arg_set_id = s.arg_set_id "
     "WHERE a.key = 'debug.count' AND s.dur > 30000",
     NULL},
    {"ancestors",
     "SELECT count(*) FROM (SELECT id FROM slice WHERE depth = 4 LIMIT 50000) s, "
     "ancestor_slice(s.id) a",
     "SELECT count(*) FROM (WITH RECURSIVE up(id) AS (SELECT parent_id FROM (SELECT parent_id FROM "
     "slice WHERE depth = 4 LIMIT 50000) UNION ALL SELECT p.parent_id FROM up JOIN slice p ON "
     "up.id = p.id WHERE p.parent_id IS NOT NULL) SELECT id FROM up)"},
    {"descendants",
     "SELECT count(*) FROM (SELECT id FROM slice WHERE depth = 0 LIMIT 50000) s, "
     "descendant_slice(s.id) d",
     "SELECT count(*) FROM (WITH RECURSIVE down(id) AS (SELECT c.id FROM (SELECT id FROM slice "
     "WHERE depth = 0 LIMIT 50000) s JOIN slice c ON c.parent_id = s.id UNION ALL SELECT c.id FROM "
     "down JOIN slice c ON c.parent_id = down.id) SELECT id FROM down)"},
    {"following flows",
     "SELECT count(*) FROM (SELECT id FROM slice WHERE depth = 0 LIMIT 2000) s, "
     "directly_connected_flow(s.id) f",
     ""},
    {"span join of columns",
     "CREATE VIRTUAL TABLE IF NOT EXISTS bench_span USING SPAN_JOIN(bench_freq PARTITIONED cpu, "
     "bench_sched PARTITIONED cpu); SELECT count(*), sum(dur * freq) FROM bench_span",
     ""},
    {"span join of views",
     "CREATE VIEW IF NOT EXISTS bench_view AS SELECT ts, dur, cpu, utid FROM sched; "
     "CREATE VIRTUAL TABLE IF NOT EXISTS bench_span2 USING SPAN_JOIN(bench_freq PARTITIONED cpu, "
     "bench_view PARTITIONED cpu); SELECT count(*), sum(dur * freq) FROM bench_span2",
     ""},
    {"percentile", "SELECT percentile(dur, 50) FROM slice WHERE depth = 1", ""},
    {"counters",
     "SELECT t.cpu, avg(c.value) FROM counter c JOIN cpu_counter_track t "
     "ON c.track_id = t.id GROUP BY t.cpu",
     NULL},
};

struct args {
    uint32_t rows;
    const char *csv;
    const char *only;
    bool no_exec;
};

static double now_ms(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
    return (double)ts.tv_sec * 1e3 + (double)ts.tv_nsec / 1e6;
}

/* The rows and a sum over them, so that answers can be compared. */
struct answer {
    uint64_t rows, hash;
};

static void add_row(struct answer *a, sqlite3_stmt *stmt)
{
    a->rows++;
    for (int i = 0; i < sqlite3_column_count(stmt); i++) {
        if (sqlite3_column_type(stmt, i) == SQLITE_INTEGER) {
            a->hash += (uint64_t)sqlite3_column_int64(stmt, i) * (uint64_t)(2 * i + 3);
            continue;
        }
        const unsigned char *text = sqlite3_column_text(stmt, i);
        uint64_t h = 14695981039346656037u;

        for (; text && *text; text++)
            h = (h ^ *text) * 1099511628211u;
        a->hash += h * (uint64_t)(i + 1);
    }
}

static struct answer run_ours(struct orma_sql *sql, const char *text)
{
    struct orma_runner *runner;
    struct orma_sql_stmt *stmt;
    struct answer a = {0};
    int r;

    if (orma_runner_new(sql, "bench", orma_str_from(text), &runner) < 0)
        exit(1);
    while ((r = orma_runner_next(runner, &stmt)) > 0) {
        while ((r = orma_sql_stmt_step(stmt)) > 0)
            add_row(&a, stmt->stmt);
        orma_sql_stmt_free(stmt);
        if (r < 0)
            break;
    }
    orma_runner_free(runner);
    if (r < 0) {
        fprintf(stderr, "%s\n", orma_sql_error_text(sql));
        exit(1);
    }
    return a;
}

static struct answer run_plain(sqlite3 *db, const char *text)
{
    sqlite3_stmt *stmt = NULL;
    struct answer a = {0};

    if (sqlite3_prepare_v2(db, text, -1, &stmt, NULL)) {
        fprintf(stderr, "plain: %s\n", sqlite3_errmsg(db));
        exit(1);
    }
    while (sqlite3_step(stmt) == SQLITE_ROW)
        add_row(&a, stmt);
    sqlite3_finalize(stmt);
    return a;
}

/* The best of some runs, in ms. */
static double measure(struct orma_sql *sql, sqlite3 *plain, const char *text, struct answer *ret)
{
    double best = 0;

    for (int i = 0; i < RUNS; i++) {
        double start = now_ms();

        *ret = sql ? run_ours(sql, text) : run_plain(plain, text);
        double took = now_ms() - start;
        best = i && best < took ? best : took;
        if (took > LONG_MS && i)
            break;
    }
    return best;
}

static void compare(const struct query *q, struct orma_sql *sql, sqlite3 *plain)
{
    struct answer ours, theirs = {0};
    double ms = measure(sql, NULL, q->sql, &ours);
    const char *text = q->plain ? q->plain : q->sql;

    printf("%-26s %10.3f ", q->what, ms);
    if (!*text) {
        printf("\n");
        return;
    }
    double plain_ms = measure(NULL, plain, text, &theirs);
    printf("%10.3f %8.2f%s\n", plain_ms, ms / plain_ms,
           ours.rows == theirs.rows && ours.hash == theirs.hash ? "" : "  ANSWERS DIFFER");
    fflush(stdout);
}

static struct args read_args(int argc, char **argv)
{
    struct args a = {.rows = 1000000};

    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--rows") && i + 1 < argc)
            a.rows = (uint32_t)strtoul(argv[++i], NULL, 10);
        else if (!strcmp(argv[i], "--only") && i + 1 < argc)
            a.only = argv[++i];
        else if (!strcmp(argv[i], "--csv") && i + 1 < argc)
            a.csv = argv[++i];
        else if (!strcmp(argv[i], "--no-exec"))
            a.no_exec = true;
        else {
            fprintf(stderr, "usage: bench_sql [--rows N] [--only TEXT] [--no-exec] [--csv FILE]\n");
            exit(2);
        }
    }
    return a;
}

/* What duckdb.mjs needs: the rows, and our times of queries of one table over columns. */
static int write_yardstick(struct orma_sql *sql, const char *path)
{
    static const char *const alone[] = {
        "SELECT count(*) FROM slice",
        "SELECT sum(dur) FROM slice",
        "SELECT sum(dur), min(ts), max(dur), avg(dur) FROM slice",
        "SELECT count(*), sum(dur) FROM slice WHERE dur > 30000",
        "SELECT count(*), sum(dur) FROM slice WHERE dur > 10000 AND depth = 2",
        "SELECT count(*), sum(dur) FROM slice WHERE name = 'work 7'",
        "SELECT depth, count(*), sum(dur) FROM slice GROUP BY depth ORDER BY depth",
        "SELECT name, count(*), sum(dur) FROM slice GROUP BY name ORDER BY name",
        "SELECT track_id, min(dur), max(dur) FROM slice GROUP BY track_id ORDER BY track_id",
        "SELECT track_id, name, sum(dur) FROM slice GROUP BY track_id, name ORDER BY 1, 2 LIMIT 9",
        "SELECT name, sum(dur) AS total FROM slice GROUP BY name ORDER BY total DESC LIMIT 10",
        "SELECT id, dur FROM slice ORDER BY dur DESC, id LIMIT 20",
    };
    FILE *f = fopen(path, "we");
    sqlite3_stmt *stmt = NULL;
    struct answer a;

    if (!f || sqlite3_prepare_v2(sql->db, "SELECT id, ts, dur, track_id, name, depth FROM slice",
                                 -1, &stmt, NULL))
        return 1;
    fprintf(f, "id,ts,dur,track_id,name,depth\n");
    while (sqlite3_step(stmt) == SQLITE_ROW) {
        for (int i = 0; i < 6; i++) {
            const char *text = (const char *)sqlite3_column_text(stmt, i);

            fprintf(f, "%s%s", text ? text : "", i < 5 ? "," : "\n");
        }
    }
    sqlite3_finalize(stmt);
    for (size_t i = 0; i < ORMA_ARRAY_LEN(alone); i++) {
        double ms = measure(sql, NULL, alone[i], &a);

        printf("%.4f\t%llu\t%s\n", ms, (unsigned long long)a.rows, alone[i]);
    }
    return fclose(f) ? 1 : 0;
}

int main(int argc, char **argv)
{
    struct args args = read_args(argc, argv);
    struct orma_storage storage = {0};
    struct orma_sql *sql;
    sqlite3 *plain = NULL;

    if (orma_storage_init(&storage) < 0)
        return 1;
    sql_rows_fill(&storage, args.rows);
    if (orma_sql_open(&storage, &sql) < 0 || orma_sql_data_ready(sql) < 0) {
        fprintf(stderr, "%s\n", orma_sql_error_text(sql));
        return 1;
    }
    sql->planner.off = args.no_exec;
    if (args.csv)
        return write_yardstick(sql, args.csv);
    if (sqlite3_open(":memory:", &plain) || sql_rows_copy(sql, plain, true))
        return 1;
    (void)run_ours(sql,
                   "CREATE PERFETTO TABLE bench_freq AS SELECT c.ts, lead(c.ts, 1, c.ts + 1) "
                   "OVER (PARTITION BY t.cpu ORDER BY c.ts) - c.ts AS dur, t.cpu, c.value AS "
                   "freq FROM counter c JOIN cpu_counter_track t ON c.track_id = t.id; "
                   "CREATE PERFETTO TABLE bench_sched AS SELECT ts, dur, cpu, utid FROM sched");
    printf("\nSQL over %u slices, ms of CPU time\n%-26s %10s %10s %8s\n", args.rows, "", "ours",
           "plain", "ratio");
    for (size_t i = 0; i < ORMA_ARRAY_LEN(queries); i++) {
        if (!args.only || strstr(queries[i].what, args.only))
            compare(&queries[i], sql, plain);
    }
    sqlite3_close(plain);
    orma_sql_close(sql);
    orma_storage_fini(&storage);
    return 0;
}
