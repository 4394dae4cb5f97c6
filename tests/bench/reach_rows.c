/*
 * What rows cost a program that asks liborma_processor: the floors of bench_reach.py.
 *
 *     reach_rows TRACE RUNS SQL [EXTENSION]
 *
 * Prints, for each way, the least CPU milliseconds of RUNS times: all rows of the statement,
 * prepared anew each time. With orma_sqlite.so also what the tables that it makes of the trace cost
 * a program that steps through SQLite, beside a table of SQLite's own with the same rows.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <orma/arrow.h>
#include <orma/processor.h>
#include <sqlite3.h>

#define COLUMNS_MAX 16

static struct orma_processor *tp;
static struct orma_query *query;
static unsigned columns;
static size_t rows, capacity;
static int64_t *stored[COLUMNS_MAX], *copies[COLUMNS_MAX];

static void fail(const char *what)
{
    fprintf(stderr, "reach_rows: %s: %s\n", what, orma_processor_error(tp));
    exit(1);
}

static double now_ms(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
    return (double)ts.tv_sec * 1e3 + (double)ts.tv_nsec / 1e6;
}

static void step_rows(void)
{
    for (rows = 0; orma_query_step(query) == 1;)
        rows++;
}

static void read_cells(void)
{
    struct orma_cell cells[COLUMNS_MAX];

    for (size_t row = 0; orma_query_step(query) == 1; row++) {
        orma_query_cells(query, columns, cells);
        for (unsigned i = 0; i < columns && row < capacity; i++)
            stored[i][row] = cells[i].whole; /* of a text, where it is */
    }
}

static void copy_columns(void)
{
    for (unsigned i = 0; i < columns; i++)
        memcpy(copies[i], stored[i], capacity * sizeof(*copies[i]));
}

static void read_arrow(uint64_t batch, unsigned flags)
{
    struct ArrowArrayStream stream;
    struct ArrowArray array;

    if (orma_query_arrow(query, batch, flags, &stream) < 0)
        fail("columns");
    query = NULL; /* the stream's */
    while (!stream.get_next(&stream, &array) && array.release)
        array.release(&array);
    stream.release(&stream);
}

static void read_arrow_whole(void)
{
    read_arrow((uint64_t)1 << 40, ORMA_ARROW_DICTIONARIES);
}

static void read_arrow_batches(void)
{
    read_arrow(65536, 0);
}

/* ---- the SQLite of others ---- */

static void check_host(sqlite3 *db, int r)
{
    if (!r || r == SQLITE_ROW || r == SQLITE_DONE)
        return;
    fprintf(stderr, "reach_rows: SQLite: %s\n", sqlite3_errmsg(db));
    exit(1);
}

static void run_host(sqlite3 *db, char *sql)
{
    check_host(db, sqlite3_exec(db, sql, NULL, NULL, NULL));
    sqlite3_free(sql);
}

/* As read_cells(). */
static double read_host(sqlite3 *db, const char *sql)
{
    sqlite3_stmt *stmt;
    size_t row = 0;
    int r;

    check_host(db, sqlite3_prepare_v2(db, sql, -1, &stmt, NULL));
    double begun = now_ms();
    for (; (r = sqlite3_step(stmt)) == SQLITE_ROW; row++) {
        for (unsigned i = 0; i < columns && row < capacity; i++) {
            if (sqlite3_column_type(stmt, (int)i) == SQLITE_TEXT)
                stored[i][row] = (intptr_t)sqlite3_column_text(stmt, (int)i);
            else
                stored[i][row] = sqlite3_column_int64(stmt, (int)i);
        }
    }
    double took = now_ms() - begun;
    check_host(db, r);
    if (row != rows)
        fail("SQLite has other rows");
    sqlite3_finalize(stmt);
    return took;
}

static void measure_host(const char *extension, const char *trace, int runs, const char *sql)
{
    double least[2] = {1e300, 1e300};
    sqlite3 *db;

    /* Without the locks that shells and Python pay for in every call. */
    check_host(NULL,
               sqlite3_open_v2(":memory:", &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL));
    check_host(db, sqlite3_enable_load_extension(db, 1));
    check_host(db, sqlite3_load_extension(db, extension, NULL, NULL));
    run_host(db, sqlite3_mprintf("SELECT orma_open(%Q)", trace));
    run_host(db, sqlite3_mprintf("CREATE TABLE mine AS %s", sql));
    for (int run = 0; run < 2 * runs; run++) {
        double took = read_host(db, run % 2 ? "SELECT * FROM mine" : sql);

        least[run % 2] = took < least[run % 2] ? took : least[run % 2];
    }
    printf("extension %.3f\nnative %.3f\n", least[0], least[1]);
    check_host(db, sqlite3_close(db));
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(void);
    } ways[] = {{"step", step_rows},
                {"cells", read_cells},
                {"copy", copy_columns},
                {"arrow", read_arrow_whole},
                {"batches", read_arrow_batches}};

    if ((argc != 4 && argc != 5) || orma_processor_new(NULL, &tp) < 0)
        return 2;
    if (orma_processor_load_file(tp, argv[1], NULL, NULL) < 0)
        fail(argv[1]);
    for (size_t w = 0; w < sizeof(ways) / sizeof(ways[0]); w++) {
        double least = 1e300;

        for (int run = 0; run < atoi(argv[2]); run++) {
            if (orma_query_prepare(tp, argv[3], ORMA_WHOLE, &query, NULL))
                fail("query");
            columns = orma_query_columns(query);
            if (columns > COLUMNS_MAX)
                fail("columns");
            double begun = now_ms();
            ways[w].run();
            double took = now_ms() - begun;
            least = took < least ? took : least;
            orma_query_free(query);
        }
        printf("%s %.3f\n", ways[w].name, least);
        for (unsigned i = 0; !capacity && i < columns; i++) {
            stored[i] = calloc(rows, sizeof(*stored[i]));
            copies[i] = calloc(rows, sizeof(*copies[i]));
            if (!stored[i] || !copies[i])
                return 1;
        }
        capacity = rows;
    }
    if (argc == 5)
        measure_host(argv[4], argv[1], atoi(argv[2]), argv[3]);
    orma_processor_free(tp);
    return 0;
}
