/* From the text to a plan: what a statement is worth, and all stages before it runs. */
#include <stdlib.h>

#include "processor/sql/base/dataframe.h"
#include "processor/sql/base/trials.h"
#include "processor/sql/dialect/script.h"
#include "processor/sql/exec/bind/bind.h"
#include "processor/sql/exec/exec.h"
#include "processor/sql/exec/functions.h"
#include "processor/sql/exec/parse/parse.h"
#include "processor/sql/exec/plan/join.h"
#include "processor/sql/exec/run/run.h"
#include "processor/sql/exec/statement.h"
#include "sdk/base/libc.h"

/* Tables with fewer rows are left to SQLite. */
#define ROWS_MIN 4096
/* Several threads take rows in pieces that last some tenths of a millisecond; less than some of
 * them would not be worth it to wake a thread. A multiple of EXEC_BLOCK. */
#define PIECE_ROWS 32768
#define SHARED_ROWS_MIN (3 * PIECE_ROWS)
/* What a query of more rows leaves in malloc's hands is given back. */
#define ROWS_LARGE (1u << 18)

void orma_exec_init(struct orma_sql *sql)
{
    const char *mode = getenv("ORMA_EXEC"), *pieces = getenv("ORMA_EXEC_PIECES");

    sql->planner.exec = ORMA_EXEC_MODE_AUTO;
    sql->planner.rows_min = ROWS_MIN;
    sql->planner.piece_rows = PIECE_ROWS;
    sql->planner.shared_rows_min = SHARED_ROWS_MIN;
    if (mode && !strcmp(mode, "off"))
        sql->planner.exec = ORMA_EXEC_MODE_OFF;
    else if (mode && !strcmp(mode, "on"))
        sql->planner.exec = ORMA_EXEC_MODE_ON;
    else if (mode && !strcmp(mode, "both"))
        sql->planner.exec = ORMA_EXEC_MODE_BOTH;
    const long rows = pieces ? strtol(pieces, NULL, 10) : 0;
    if (rows > 0 && rows < PIECE_ROWS) {
        sql->planner.piece_rows = (uint32_t)rows;
        sql->planner.shared_rows_min = 2;
    }
}

void orma_exec_note_function(struct orma_sql *sql, const char *name)
{
    sql->planner.aggregates_replaced |=
        orma_exec_function_is_known(&orma_exec_catalog, orma_str_from(name));
}

void orma_exec_statement_free(void *data)
{
    struct orma_exec_plan *plan = data;
    bool large = false;

    if (!plan)
        return;
    for (struct orma_exec_plan **at = &plan->sql->planner.plans; *at; at = &(*at)->next) {
        if (*at == plan) {
            *at = plan->next;
            break;
        }
    }
    for (uint32_t i = 0; i < plan->queries.len; i++) {
        large |= plan->queries.data[i]->frame.rows > ROWS_LARGE;
        orma_exec_query_free(plan->queries.data[i]);
    }
    ORMA_VEC_FINI(&plan->queries);
    orma_exec_run_free_subqueries(plan);
    orma_exec_run_free_memos(plan);
    for (uint32_t i = 0; i < plan->frames.len; i++)
        orma_dataframe_unref(plan->frames.data[i]);
    ORMA_VEC_FINI(&plan->frames);
    for (unsigned i = 0; i < plan->spare_num; i++)
        free(plan->spare[i]);
    for (unsigned i = 0; i < EXEC_COLUMNS_MAX && plan->output.out; i++)
        free(plan->output.out[i]);
    free(plan->output.out);
    free(plan->output.columns);
    free(plan->output.place);
    orma_arena_fini(&plan->arena);
    free(plan->statement.text);
    ORMA_VEC_FINI(&plan->loops);
    orma_sql_reads_fini(&plan->names.reads);
    orma_sql_reads_fini(&plan->names.tables);
    orma_sql_reads_fini(&plan->names.views);
    orma_sql_reads_fini(&plan->names.unsaid);
    free(plan);
    if (large)
        orma_libc_trim();
}

/* ---- what a query is worth ---- */

static bool is_on(const struct orma_sql *sql)
{
    const struct orma_sql_planner *p = &sql->planner;

    return p->planned && p->exec != ORMA_EXEC_MODE_OFF && !p->off && !p->aggregates_replaced;
}

static bool is_large(const struct orma_sql *sql)
{
    return sql->planner.exec != ORMA_EXEC_MODE_AUTO ||
           sql->planner.rows_max >= sql->planner.rows_min;
}

/* A scan whose rows are taken as columns. Equality most likely gives few, unless it does for some
 * rows of the table. */
static bool is_long_scan(struct orma_exec_plan *plan)
{
    const struct orma_exec_query *q = plan->root;

    if (!plan->sql->planner.by_columns || (q->has_limit && q->limit >= 0 && q->limit < ROWS_MIN))
        return false;
    for (uint32_t i = 0; i < q->where.len; i++) {
        const struct orma_exec_expr *e = q->where.data[i];

        if ((e->op == ORMA_EXEC_EQ || e->op == ORMA_EXEC_IN) &&
            orma_exec_plan_guess_rows(plan, e) < ROWS_MIN)
            return false;
    }
    return true;
}

/* What an older SQLite answers otherwise than newer ones the executor takes whenever it can. */
static bool is_mended(const struct orma_exec_plan *plan)
{
    return (plan->found.mixes && orma_sql_trial(ORMA_TRIAL_CONVERTS_PARTS)) ||
           (plan->found.used_twice && plan->found.bare_constant &&
            orma_sql_trial(ORMA_TRIAL_FENCES_CTES));
}

/* Whether that may be so of a text; cheap, and not exact. */
static bool may_be_mended(struct orma_str text)
{
    static const char *const words[] = {"union", "intersect", "except", "with"};

    for (size_t i = 0; i + 4 <= text.len; i++) {
        for (size_t w = 0; w < ORMA_ARRAY_LEN(words); w++) {
            if ((text.data[i] | 0x20) == words[w][0] && strlen(words[w]) <= text.len - i &&
                !sqlite3_strnicmp(text.data + i, words[w], (int)strlen(words[w])))
                return orma_sql_trial(ORMA_TRIAL_CONVERTS_PARTS) ||
                       orma_sql_trial(ORMA_TRIAL_FENCES_CTES);
        }
    }
    return false;
}

static bool is_worth(struct orma_exec_plan *plan)
{
    if (!is_large(plan->sql))
        return false;
    if (is_long_scan(plan))
        return true;
    for (uint32_t i = 0; i < plan->queries.len; i++) {
        struct orma_exec_query *q = plan->queries.data[i];

        if ((q->grouped || q->wins.len || q->distinct || q->sources_num > 1 || q->keys.len) &&
            !orma_exec_plan_finds_one(plan, q))
            return true;
    }
    return false;
}

/* ---- preparing ---- */

static bool make_plan(struct orma_exec_plan *plan, sqlite3_stmt *stmt)
{
    struct orma_exec_select *ast =
        orma_exec_parse(plan->catalog, &plan->arena, orma_str_from(plan->statement.text));

    if (!ast)
        return orma_exec_give_up(plan, "syntax that the executor does not know");
    if (!orma_exec_bind(plan, ast) || !orma_exec_plan_order(plan))
        return false;
    orma_exec_plan_check(plan);
    if (plan->root->results.len != (uint32_t)sqlite3_column_count(stmt) ||
        plan->root->results.len > EXEC_COLUMNS_MAX)
        return orma_exec_give_up(plan, "the number of columns");
    if (!orma_exec_statement_agrees(plan, stmt))
        return false;
    plan->found.mended = is_mended(plan);
    if (!plan->found.mended && !is_on(plan->sql))
        return orma_exec_give_up(plan, "the executor is off");
    if (!plan->found.mended && plan->sql->planner.exec == ORMA_EXEC_MODE_AUTO && !is_worth(plan))
        return orma_exec_give_up(plan, "not faster than SQLite for this statement");
    if (!orma_exec_plan_order_loops(plan))
        return false;
    plan->statement.ids |=
        plan->statement.args && plan->loops.len; /* rows may be in the order of a column of them */
    return orma_exec_plan_rewrite(plan);
}

static sqlite3_stmt *make_statement(struct orma_exec_plan *plan, sqlite3_stmt *stmt)
{
    struct orma_buf text = {0};
    sqlite3_stmt *made = NULL;

    if (plan->statement.given)
        stmt = plan->statement.given;
    for (int i = 0; i < sqlite3_column_count(stmt); i++) {
        const char *name = sqlite3_column_name(stmt, i);

        orma_buf_printf(&text, "%s c%d AS ", i ? "," : "SELECT", i);
        orma_sql_put_quoted(&text, orma_str_from(name ? name : ""));
    }
    orma_buf_put_str(&text, " FROM " EXEC_MODULE "(?1)");
    if (text.failed || sqlite3_prepare_v2(plan->sql->db, orma_buf_cstr(&text), -1, &made, NULL))
        made = NULL;
    orma_buf_fini(&text);
    return made;
}

bool orma_exec_may_run(const struct orma_sql *sql)
{
    return is_on(sql) && is_large(sql);
}

sqlite3_stmt *orma_exec_prepare(struct orma_sql *sql, struct orma_str text, sqlite3_stmt *stmt)
{
    const struct orma_sql_planner *p = &sql->planner;
    const bool asked = text.len < (1u << 20) && p->planned && !p->aggregates_replaced &&
                       ((is_on(sql) && is_large(sql)) || may_be_mended(text));
    struct orma_exec_plan *plan = asked ? calloc(1, sizeof(*plan)) : NULL;
    sqlite3_stmt *made = NULL;

    if (sql->planner.planned && !asked)
        sql->planner.why = NULL; /* of a statement before */
    if (!plan)
        return NULL;
    plan->sql = sql;
    plan->catalog = &orma_exec_catalog;
    plan->statement.args = sql->planner.args;
    plan->statement.distinct = sql->planner.distinct;
    plan->statement.off = sql->planner.older.off;
    plan->statement.given = sql->planner.given;
    plan->statement.generation = sql->tables_generation;
    plan->statement.text = orma_str_dup(text);
    if (plan->statement.text && make_plan(plan, stmt))
        made = make_statement(plan, stmt);
    sql->planner.why = plan->why;
    if (!made) {
        orma_exec_statement_free(plan);
        return NULL;
    }
    if (sqlite3_bind_pointer(made, 1, plan, EXEC_POINTER, orma_exec_statement_free)) {
        sqlite3_finalize(made); /* the plan is freed by SQLite */
        return NULL;
    }
    plan->statement.stmt = made;
    plan->next = sql->planner.plans;
    sql->planner.plans = plan;
    return made;
}
