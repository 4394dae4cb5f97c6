/* A plan runs when its first row is asked for; rows come out in batches of columns. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "processor/sql/exec/run/run.h"
#include "processor/sql/exec/statement.h"

/* A row that looks something up costs SQLite, which has indexes, as much as so many rows of the
 * table cost that the executor makes for all of them. */
#define ROWS_PER_LOOKUP 64

/* Rows of the largest table that the query reads. */
static uint32_t rows_below(const struct orma_exec_query *q)
{
    uint32_t rows = 0;

    for (unsigned i = 0; i < q->sources_num; i++) {
        const struct orma_exec_source *src = q->sources[i];

        rows = ORMA_MAX(rows, src->table ? src->table->rows : rows_below(src->query));
    }
    for (uint32_t i = 0; i < q->parts.len; i++)
        rows = ORMA_MAX(rows, rows_below(q->parts.data[i]));
    return rows;
}

static bool is_looked_up_enough(struct orma_exec_plan *plan)
{
    for (uint32_t i = 0; i < plan->subs.len; i++) {
        const struct orma_exec_query *q = plan->subs.data[i]->query;
        uint32_t few = q->keys.len ? rows_below(q) / ROWS_PER_LOOKUP : 0;

        if (few && orma_exec_run_has_few(plan, plan->root, few))
            return orma_exec_give_up(plan, "few rows that look something up");
    }
    return true;
}

static bool run(struct orma_exec_plan *plan)
{
    plan->ran = true;
    const bool settle =
        plan->statement.ids ||
        (plan->statement.sets && orma_args_is_worth_settling(&plan->sql->storage->args));
    if (settle && orma_sql_settle_args(plan->sql))
        return orma_exec_give_up(plan, "sets of args");
    if (plan->statement.generation != plan->sql->tables_generation)
        return orma_exec_give_up(plan, "tables that changed");
    plan->output.out = calloc(EXEC_COLUMNS_MAX, sizeof(*plan->output.out));
    plan->output.columns = calloc(EXEC_COLUMNS_MAX, sizeof(*plan->output.columns));
    plan->output.place = malloc(sizeof(*plan->output.place));
    if (!plan->output.out || !plan->output.columns || !plan->output.place)
        return orma_exec_give_up(plan, "out of memory");
    for (uint32_t i = 0; i < plan->root->results.len; i++) {
        if (!(plan->output.out[i] = orma_exec_take_vec(plan)))
            return false;
    }
    if (plan->sql->planner.exec == ORMA_EXEC_MODE_AUTO && !plan->found.mended &&
        !is_looked_up_enough(plan))
        return false;
    return orma_exec_run_subqueries(plan) && orma_exec_run_query(plan, plan->root);
}

/* The results from row `at` on; false: given up. */
static bool fill_batch(struct orma_exec_plan *plan, struct orma_exec_batch *ret)
{
    uint32_t num = ORMA_MIN(plan->root->frame.rows - plan->output.at, (uint32_t)EXEC_BLOCK);
    struct orma_exec_rows r;

    *ret = (struct orma_exec_batch){.rows = num, .columns_num = plan->root->results.len};
    if (!num)
        return true;
    orma_exec_run_frame_rows(plan->root, plan->output.at, num, plan->output.place, &r);
    for (uint32_t i = 0; i < plan->root->results.len; i++) {
        struct orma_exec_vec *v = plan->output.out[i];

        if (!orma_exec_run_eval(plan, plan->root->results.data[i].expr, &r, v))
            return false;
        plan->output.columns[i] =
            (struct orma_exec_column){v->vals, v->tagged ? v->tags : NULL, v->tag};
    }
    ret->columns = plan->output.columns;
    plan->output.at += num;
    return true;
}

/* A block whose values cannot be made is found before the first row is out: all are tried. */
static bool can_fill(struct orma_exec_plan *plan)
{
    struct orma_exec_batch batch;
    bool safe = true;

    for (uint32_t i = 0; i < plan->root->results.len; i++) {
        enum orma_exec_op op = plan->root->results.data[i].expr->op;

        safe &= op == ORMA_EXEC_COLUMN || op == ORMA_EXEC_SLOT || op == ORMA_EXEC_CONST;
    }
    for (uint32_t i = 0; i < plan->root->sources_num; i++)
        safe &= !plan->root->sources[i]->query;
    while (!safe && plan->output.at < plan->root->frame.rows) {
        if (!fill_batch(plan, &batch))
            return false;
    }
    plan->output.at = 0;
    plan->found.tried = true;
    return true;
}

/* ---- both ways ---- */

static bool same_cell(const struct orma_exec_plan *plan, const struct orma_exec_column *col,
                      uint32_t row, sqlite3_stmt *stmt, int idx)
{
    uint8_t type = col->types ? col->types[row] : col->type;
    struct orma_str text;
    double d;

    switch (sqlite3_column_type(stmt, idx)) {
    case SQLITE_NULL:
        return type == EXEC_NULL;
    case SQLITE_INTEGER:
        return type == EXEC_INT && col->vals[row] == sqlite3_column_int64(stmt, idx);
    case SQLITE_FLOAT:
        d = sqlite3_column_double(stmt, idx);
        return type == EXEC_REAL && col->vals[row] == orma_exec_bits(d);
    case SQLITE_TEXT:
        text = orma_strpool_get(&plan->sql->storage->pool, (uint32_t)col->vals[row]);
        return type == EXEC_TEXT && text.len == (size_t)sqlite3_column_bytes(stmt, idx) &&
               !memcmp(text.data, sqlite3_column_text(stmt, idx), text.len);
    }
    return false;
}

ORMA_COLD static void complain(const struct orma_exec_plan *plan, uint32_t row, int col)
{
    fprintf(stderr, "orma: the executor differs in row %u, column %d, of:\n%s\n", row, col,
            plan->statement.text);
    abort();
}

/* NULL is fine. */
void orma_exec_statement_end(const struct orma_exec_plan *plan, sqlite3_stmt *query)
{
    if (query && query == plan->statement.given)
        (void)sqlite3_reset(query); /* says how the last run went */
    else
        sqlite3_finalize(query);
}

/* As the statement was prepared, though others may have been since. */
int orma_exec_statement_prepare(const struct orma_exec_plan *plan, sqlite3_stmt **ret)
{
    struct orma_sql *sql = plan->sql;
    const unsigned off =
        plan->statement.off | sql->planner.older.always_off; /* of views made since, too */

    sql->planner.distinct = plan->statement.distinct;
    if (sql->planner.older.off != off) {
        sql->planner.older.off = off;
        sqlite3_test_control(SQLITE_TESTCTRL_OPTIMIZATIONS, sql->db, off);
    }
    return sqlite3_prepare_v2(sql->db, plan->statement.text, -1, ret, NULL);
}

/* Runs the statement in SQLite, too, and compares every cell. */
ORMA_COLD static void run_both_ways(struct orma_exec_plan *plan)
{
    struct orma_exec_batch batch = {0};
    sqlite3_stmt *stmt = plan->statement.given;
    uint32_t at = 0, rows = 0;
    int r;

    if (!stmt && orma_exec_statement_prepare(plan, &stmt))
        return;
    while ((r = sqlite3_step(stmt)) == SQLITE_ROW) {
        if (at == batch.rows) {
            at = 0;
            if (!fill_batch(plan, &batch) || !batch.rows)
                complain(plan, rows, -1);
        }
        for (int i = 0; i < sqlite3_column_count(stmt); i++) {
            if (!same_cell(plan, &batch.columns[i], at, stmt, i))
                complain(plan, rows, i);
        }
        at++;
        rows++;
    }
    if (r == SQLITE_DONE && rows != plan->root->frame.rows)
        complain(plan, rows, -2);
    if (r != SQLITE_DONE && !orma_sql_is_told_to_stop(plan->sql))
        complain(plan, rows, -3);
    orma_exec_statement_end(plan, stmt);
    plan->output.at = 0;
}

/* Runs it, if it did not yet; false: given up. */
bool orma_exec_statement_start(struct orma_exec_plan *plan)
{
    if (plan->ran)
        return !plan->why;
    if (!run(plan) || !can_fill(plan))
        return false;
    if (plan->sql->planner.exec == ORMA_EXEC_MODE_BOTH && !plan->found.mended)
        run_both_ways(plan);
    return true;
}

int orma_exec_next_batch(struct orma_exec_plan *plan, struct orma_exec_batch *ret)
{
    if (!orma_exec_statement_start(plan) || !fill_batch(plan, ret))
        return orma_sql_is_told_to_stop(plan->sql) ? -ECANCELED : -EAGAIN;
    return ret->rows > 0;
}

bool orma_exec_gave_up(const struct orma_exec_plan *plan)
{
    return plan && plan->why;
}

uint64_t orma_exec_rows_read(const struct orma_exec_plan *plan)
{
    return plan ? plan->looked : 0;
}

struct orma_exec_plan *orma_exec_plan_of(struct orma_sql *sql, sqlite3_stmt *stmt)
{
    struct orma_exec_plan *plan = sql->planner.plans;

    while (plan && plan->statement.stmt != stmt)
        plan = plan->next;
    return plan;
}
