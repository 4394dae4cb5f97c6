/*
 * Scans through SQL beside the least that a virtual table can be: five arrays of
 * integers, a row number, no constraints, the same SQLite in the same run.
 *
 *     bench_scan [ROWS [TEXT]]       (5 million; queries whose name holds the text)
 *
 * Ours twice: as it comes, and without aggregates over columns (row by row, as every
 * statement goes that is not recognised). Milliseconds of CPU time, the best of five runs.
 * The last part is what needs no scan: a range of a sorted column, equality on columns
 * that have an index by then.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "processor/sql/engine.h"
#include "processor/sql/script/runner.h"
#include "tests/support/sql_rows.h"

#define RUNS 5
#define COLUMNS 5

/* ---- the yardstick ---- */

struct least_vtab {
    sqlite3_vtab base;
    const int64_t *columns[COLUMNS];
    int64_t rows;
};

struct least_cursor {
    sqlite3_vtab_cursor base;
    int64_t row;
};

static int least_connect(sqlite3 *db, void *data, int argc, const char *const *argv,
                         sqlite3_vtab **ret, char **ret_error)
{
    struct least_vtab *v = malloc(sizeof(*v));

    (void)argc, (void)argv, (void)ret_error;
    if (!v)
        return SQLITE_NOMEM;
    *v = *(struct least_vtab *)data;
    *ret = &v->base;
    return sqlite3_declare_vtab(db, "CREATE TABLE x(ts INT, dur INT, track_id INT, depth INT, "
                                    "name_id INT)");
}

static int least_disconnect(sqlite3_vtab *v)
{
    free(v);
    return SQLITE_OK;
}

static int least_best_index(sqlite3_vtab *v, sqlite3_index_info *info)
{
    info->estimatedRows = ((struct least_vtab *)v)->rows;
    info->estimatedCost = (double)info->estimatedRows;
    return SQLITE_OK;
}

static int least_open(sqlite3_vtab *v, sqlite3_vtab_cursor **ret)
{
    struct least_cursor *c = calloc(1, sizeof(*c));

    (void)v;
    *ret = &c->base;
    return c ? SQLITE_OK : SQLITE_NOMEM;
}

static int least_close(sqlite3_vtab_cursor *c)
{
    free(c);
    return SQLITE_OK;
}

static int least_filter(sqlite3_vtab_cursor *c, int num, const char *str, int argc,
                        sqlite3_value **argv)
{
    (void)num, (void)str, (void)argc, (void)argv;
    ((struct least_cursor *)c)->row = 0;
    return SQLITE_OK;
}

static int least_next(sqlite3_vtab_cursor *c)
{
    ((struct least_cursor *)c)->row++;
    return SQLITE_OK;
}

static int least_eof(sqlite3_vtab_cursor *c)
{
    return ((struct least_cursor *)c)->row >= ((struct least_vtab *)c->pVtab)->rows;
}

static int least_column(sqlite3_vtab_cursor *c, sqlite3_context *ctx, int col)
{
    const struct least_vtab *v = (const struct least_vtab *)c->pVtab;

    sqlite3_result_int64(ctx, v->columns[col][((struct least_cursor *)c)->row]);
    return SQLITE_OK;
}

static int least_rowid(sqlite3_vtab_cursor *c, sqlite3_int64 *ret)
{
    *ret = ((struct least_cursor *)c)->row;
    return SQLITE_OK;
}

static const sqlite3_module least_module = {
    .xConnect = least_connect,
    .xBestIndex = least_best_index,
    .xDisconnect = least_disconnect,
    .xOpen = least_open,
    .xClose = least_close,
    .xFilter = least_filter,
    .xNext = least_next,
    .xEof = least_eof,
    .xColumn = least_column,
    .xRowid = least_rowid,
};

/* ---- measuring ---- */

/* %s stands for the table. */
static const struct query {
    const char *what, *sql;
} queries[] =
    {
        {"count", "SELECT count(*) FROM %s"},
        {"sum", "SELECT sum(dur) FROM %s"},
        {"filter", "SELECT count(*), sum(dur) FROM %s WHERE dur > 40000"},
        {"filter, rows", "SELECT ts, dur, track_id FROM %s WHERE dur > 48000"},
        {"filter, two", "SELECT sum(ts) FROM %s WHERE dur > 10000 AND depth = 2"},
        {"all rows", "SELECT ts, dur, track_id, depth FROM %s"},
        {"expression", "SELECT sum(dur * 2 + depth) FROM %s"},
        {"group", "SELECT depth, count(*), sum(dur) FROM %s GROUP BY depth ORDER BY depth"},
        {"top 10", "SELECT dur, ts FROM %s ORDER BY dur DESC, ts LIMIT 10"},
        {"top 10, filtered",
         "SELECT dur, ts FROM %s WHERE depth = 1 ORDER BY dur DESC, ts LIMIT 10"},
},
  pointed[] = {
      {"range of time", "SELECT sum(dur) FROM %s WHERE ts BETWEEN 2000000000 AND 2000200000"},
      {"range of time, rows",
       "SELECT ts, dur, depth FROM %s WHERE ts BETWEEN 2000000000 AND 2000200000 ORDER BY ts"},
      {"equality", "SELECT ts, depth FROM %s WHERE dur = 12345 LIMIT 5"},
      {"equality, sum", "SELECT count(*), sum(depth) FROM %s WHERE dur = 12345"},
};

static double now_ms(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
    return (double)ts.tv_sec * 1e3 + (double)ts.tv_nsec / 1e6;
}

static void add_row(uint64_t *sum, sqlite3_stmt *stmt)
{
    for (int i = 0; i < sqlite3_column_count(stmt); i++)
        *sum = *sum * 31 + (uint64_t)sqlite3_column_int64(stmt, i);
}

static uint64_t run_ours(struct orma_sql *sql, const char *text)
{
    struct orma_runner *runner;
    struct orma_sql_stmt *stmt;
    uint64_t sum = 0;
    int r;

    if (orma_runner_new(sql, "bench", orma_str_from(text), &runner) < 0)
        exit(1);
    while ((r = orma_runner_next(runner, &stmt)) > 0) {
        while ((r = orma_sql_stmt_step(stmt)) > 0)
            add_row(&sum, stmt->stmt);
        orma_sql_stmt_free(stmt);
        if (r < 0)
            break;
    }
    orma_runner_free(runner);
    if (r < 0) {
        fprintf(stderr, "%s\n", orma_sql_error_text(sql));
        exit(1);
    }
    return sum;
}

static uint64_t run_least(sqlite3 *db, const char *text)
{
    sqlite3_stmt *stmt = NULL;
    uint64_t sum = 0;

    if (sqlite3_prepare_v2(db, text, -1, &stmt, NULL)) {
        fprintf(stderr, "%s\n", sqlite3_errmsg(db));
        exit(1);
    }
    while (sqlite3_step(stmt) == SQLITE_ROW)
        add_row(&sum, stmt);
    sqlite3_finalize(stmt);
    return sum;
}

/* The best of some runs. `sql` NULL: the yardstick. */
static double measure(struct orma_sql *sql, sqlite3 *db, const char *text, uint64_t *ret)
{
    double best = 0;

    for (int i = 0; i < RUNS; i++) {
        double begun = now_ms();

        *ret = sql ? run_ours(sql, text) : run_least(db, text);
        double took = now_ms() - begun;
        best = i && best < took ? best : took;
    }
    return best;
}

static void compare(const struct query *q, struct orma_sql *sql)
{
    char ours[256], least[256];
    uint64_t answers[3];

    snprintf(ours, sizeof(ours), q->sql, "slice");
    snprintf(least, sizeof(least), q->sql, "least");
    sql->planner.off = false;
    double columns_ms = measure(sql, NULL, ours, &answers[0]);
    sql->planner.off = true;
    double rows_ms = measure(sql, NULL, ours, &answers[1]);
    double least_ms = measure(NULL, sql->db, least, &answers[2]);
    printf("%-22s %10.3f %10.3f %10.3f %9.4f %9.4f%s\n", q->what, columns_ms, rows_ms, least_ms,
           columns_ms / least_ms, rows_ms / least_ms,
           answers[0] == answers[1] && answers[1] == answers[2] ? "" : "  ANSWERS DIFFER");
    fflush(stdout);
}

/* The yardstick has our rows. */
static bool fill(struct least_vtab *v, struct orma_storage *storage)
{
    static const unsigned columns[COLUMNS] = {ORMA_SLICE_TS, ORMA_SLICE_DUR, ORMA_SLICE_TRACK_ID,
                                              ORMA_SLICE_DEPTH, ORMA_SLICE_NAME};
    const struct orma_table *t = &storage->tables[ORMA_TABLE_SLICE];

    *v = (struct least_vtab){.rows = t->rows};
    for (unsigned i = 0; i < COLUMNS; i++) {
        int64_t *vals = malloc((size_t)t->rows * sizeof(*vals));

        if (!vals)
            return false;
        orma_column_read(&t->columns[columns[i]], 0, t->rows, vals);
        v->columns[i] = vals;
    }
    return true;
}

int main(int argc, char **argv)
{
    const char *only = argc > 2 ? argv[2] : NULL;
    uint32_t rows = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 5000000;
    struct orma_storage storage = {0};
    struct least_vtab least;
    struct orma_sql *sql;

    if (orma_storage_init(&storage) < 0)
        return 1;
    sql_rows_fill(&storage, rows);
    if (orma_sql_open(&storage, &sql) < 0 || orma_sql_data_ready(sql) < 0 ||
        !fill(&least, &storage) || sqlite3_create_module(sql->db, "least", &least_module, &least)) {
        fprintf(stderr, "%s\n", sql ? sqlite3_errmsg(sql->db) : "out of memory");
        return 1;
    }
    printf("\nScans of %u rows, ms of CPU time\n%-22s %10s %10s %10s %9s %9s\n", rows, "",
           "columns", "rows", "least", "ratio", "ratio");
    for (size_t i = 0; i < ORMA_ARRAY_LEN(queries); i++)
        if (!only || strstr(queries[i].what, only))
            compare(&queries[i], sql);
    printf("\nWhat needs no scan\n");
    for (size_t i = 0; i < ORMA_ARRAY_LEN(pointed); i++)
        compare(&pointed[i], sql);
    printf("\n%.1f bytes of columns per slice\n",
           (double)orma_table_bytes(&storage.tables[ORMA_TABLE_SLICE]) / rows);
    orma_sql_close(sql);
    for (unsigned i = 0; i < COLUMNS; i++)
        free((void *)(uintptr_t)least.columns[i]);
    orma_storage_fini(&storage);
    return 0;
}
