/*
 * Scripts of anybody against the whole engine: dialect, operators, functions and
 * modules over a small trace. Whatever they say, they end, and the engine is of
 * use afterwards.
 */
#include <stdlib.h>

#include "processor/sql/engine.h"
#include "processor/sql/script/runner.h"

/* Statements and rows of a script that are run; steps of SQLite's machine between two looks. */
#define STATEMENTS_MAX 64
#define ROWS_MAX 200
#define PROGRESS_STEPS 1000
#define PROGRESS_MAX 300
#define HEAP_MAX ((sqlite3_int64)512 << 20)

static int count_down(void *left)
{
    return --*(int *)left < 0;
}

/*  0 a ──┐ 3 d     flows 1 → 3, 3 → 1
 *  1 b ─┤         call sites 0 ← 1
 *  2 c ─┘  */
static void fill(struct orma_storage *st)
{
    struct orma_table *slices = &st->tables[ORMA_TABLE_SLICE];
    struct orma_table *flows = &st->tables[ORMA_TABLE_FLOW];
    struct orma_table *sites = &st->tables[ORMA_TABLE_STACK_PROFILE_CALLSITE];

    for (int i = 0; i < 4; i++) {
        uint32_t row = orma_table_add(slices);

        orma_table_set_time(slices, ORMA_SLICE_TS, row, 10 * i);
        orma_table_set(slices, ORMA_SLICE_DUR, row, i == 3 ? -1 : 100 - 20 * i);
        orma_table_set(slices, ORMA_SLICE_DEPTH, row, i % 3);
        orma_table_set(slices, ORMA_SLICE_NAME, row, orma_storage_cstr(st, "s"));
        if (i % 3)
            orma_table_set(slices, ORMA_SLICE_PARENT_ID, row, i - 1);
    }
    for (int i = 0; i < 2; i++) {
        uint32_t row = orma_table_add(flows);

        orma_table_set(flows, ORMA_FLOW_SLICE_OUT, row, i ? 3 : 1);
        orma_table_set(flows, ORMA_FLOW_SLICE_IN, row, i ? 1 : 3);
        row = orma_table_add(sites);
        if (i)
            orma_table_set(sites, ORMA_STACK_PROFILE_CALLSITE_PARENT_ID, row, 0);
    }
}

static void run(struct orma_sql *sql, struct orma_str script)
{
    struct orma_runner *runner;
    struct orma_sql_stmt *stmt;
    int r;

    if (orma_runner_new(sql, "File \"fuzz\"", script, &runner) < 0)
        return;
    for (int n = 0; n < STATEMENTS_MAX && orma_runner_next(runner, &stmt) > 0; n++) {
        (void)orma_sql_stmt_has_output(stmt);
        for (int rows = 0; rows < ROWS_MAX && (r = orma_sql_stmt_step(stmt)) > 0; rows++) {
            for (int i = 0; i < sqlite3_column_count(stmt->stmt); i++)
                (void)sqlite3_column_text(stmt->stmt, i);
        }
        orma_sql_stmt_free(stmt);
    }
    orma_runner_free(runner);
    (void)orma_sql_error_text(sql);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct orma_storage st = {0};
    struct orma_sql *sql = NULL;
    int left = PROGRESS_MAX;

    sqlite3_hard_heap_limit64(HEAP_MAX);
    if (size > 4096)
        return 0;
    if (orma_storage_init(&st) < 0)
        abort();
    fill(&st);
    if (orma_sql_open(&st, &sql) < 0 || orma_sql_data_ready(sql) < 0)
        abort();
    sqlite3_limit(sql->db, SQLITE_LIMIT_LENGTH, 1 << 20);
    sql->planner.exec = ORMA_EXEC_MODE_ON; /* all that it can take */
    sqlite3_progress_handler(sql->db, PROGRESS_STEPS, count_down, &left);
    run(sql, (struct orma_str){(const char *)data, size});
    left = PROGRESS_MAX;
    if (orma_sql_reset(sql) < 0) /* whatever was made is gone, and nothing is broken */
        abort();
    orma_sql_close(sql);
    orma_storage_fini(&st);
    return 0;
}
