/*
 * From the text to a plan, and from the plan to rows: the table __orma_exec, whose argument is the
 * plan as a pointer value. It runs when the first row is asked for; if it is given up then, the
 * statement's text is run as a query behind the same table.
 */
#include "processor/sql/exec/exec.h"
#include "processor/sql/base/plan_table.h"

#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>

#include "processor/sql/base/dataframe.h"
#include "processor/sql/base/trials.h"
#include "processor/sql/base/values.h"
#include "processor/sql/dialect/script.h"
#include "processor/sql/exec/exec_plan.h"

#define POINTER "orma_exec"
#define MODULE "__orma_exec"
#define COLUMNS_MAX 64
/* Tables with fewer rows are left to SQLite. */
#define ROWS_MIN 4096
/* What a query of more rows leaves in malloc's hands is given back. */
#define ROWS_LARGE (1u << 18)

void orma_exec_init(struct orma_sql *sql)
{
    const char *mode = getenv("ORMA_EXEC");

    sql->planner.exec = ORMA_EXEC_MODE_AUTO;
    sql->planner.rows_min = ROWS_MIN;
    if (mode && !strcmp(mode, "off"))
        sql->planner.exec = ORMA_EXEC_MODE_OFF;
    else if (mode && !strcmp(mode, "on"))
        sql->planner.exec = ORMA_EXEC_MODE_ON;
    else if (mode && !strcmp(mode, "both"))
        sql->planner.exec = ORMA_EXEC_MODE_BOTH;
}

void orma_exec_note_function(struct orma_sql *sql, const char *name)
{
    sql->planner.aggregates_replaced |= orma_exec_function_is_known(orma_str_from(name));
}

static void query_free(struct orma_exec_query *q)
{
    for (uint32_t i = 0; i < q->wins.len; i++) {
        ORMA_VEC_FINI(&q->wins.data[i]->partition);
        ORMA_VEC_FINI(&q->wins.data[i]->order);
        free(q->wins.data[i]);
    }
    for (unsigned i = 0; i < q->sources_num; i++)
        ORMA_VEC_FINI(&q->sources[i]->on);
    ORMA_VEC_FINI(&q->parts);
    ORMA_VEC_FINI(&q->wins);
    ORMA_VEC_FINI(&q->win_slots);
    ORMA_VEC_FINI(&q->where);
    ORMA_VEC_FINI(&q->having);
    ORMA_VEC_FINI(&q->groups);
    ORMA_VEC_FINI(&q->aggs);
    ORMA_VEC_FINI(&q->order);
    ORMA_VEC_FINI(&q->by_loops);
    ORMA_VEC_FINI(&q->keys);
    ORMA_VEC_FINI(&q->outer);
    ORMA_VEC_FINI(&q->results);
    orma_exec_frame_fini(&q->frame);
    free(q);
}

void orma_exec_plan_free(void *data)
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
        query_free(plan->queries.data[i]);
    }
    ORMA_VEC_FINI(&plan->queries);
    orma_exec_subs_free(plan);
    orma_exec_memos_free(plan);
    for (uint32_t i = 0; i < plan->frames.len; i++)
        orma_dataframe_unref(plan->frames.data[i]);
    ORMA_VEC_FINI(&plan->frames);
    for (unsigned i = 0; i < plan->spare_num; i++)
        free(plan->spare[i]);
    for (unsigned i = 0; i < COLUMNS_MAX && plan->out; i++)
        free(plan->out[i]);
    free(plan->out);
    free(plan->columns);
    free(plan->place);
    orma_arena_fini(&plan->arena);
    free(plan->text);
    ORMA_VEC_FINI(&plan->loops);
    orma_sql_reads_fini(&plan->reads);
    orma_sql_reads_fini(&plan->tables);
    orma_sql_reads_fini(&plan->views);
    orma_sql_reads_fini(&plan->unsaid);
    free(plan);
    if (large)
        (void)malloc_trim(0); /* only smaller */
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

/* A scan whose rows are taken as columns; equality most likely gives few. */
static bool is_long_scan(const struct orma_exec_plan *plan)
{
    const struct orma_exec_query *q = plan->root;

    if (!plan->sql->planner.by_columns || (q->has_limit && q->limit >= 0 && q->limit < ROWS_MIN))
        return false;
    for (uint32_t i = 0; i < q->where.len; i++) {
        if (q->where.data[i]->op == ORMA_EXEC_EQ || q->where.data[i]->op == ORMA_EXEC_IN)
            return false;
    }
    return true;
}

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

/* What an older SQLite answers otherwise than newer ones the executor takes whenever it can. */
static bool is_mended(const struct orma_exec_plan *plan)
{
    return (plan->mixes && orma_sql_trial(ORMA_TRIAL_CONVERTS_PARTS)) ||
           (plan->used_twice && plan->bare_constant && orma_sql_trial(ORMA_TRIAL_FENCES_CTES));
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
            !orma_exec_finds_one(plan, q))
            return true;
    }
    return false;
}

static bool has_or(const struct orma_exec_expr *e)
{
    bool found = e->op == ORMA_EXEC_OR;

    for (unsigned i = 0; i < e->num && !found; i++)
        found = has_or(e->args[i]);
    return found;
}

/* SQLite may look for the sides of an OR one after the other: rows come in another order. */
static bool may_split(const struct orma_exec_query *q)
{
    for (uint32_t i = 0; i < q->where.len; i++) {
        if (has_or(q->where.data[i]))
            return true;
    }
    return false;
}

static bool needs_loops(const struct orma_exec_plan *plan)
{
    for (uint32_t i = 0; i < plan->queries.len; i++) {
        const struct orma_exec_query *q = plan->queries.data[i];

        if (!q->any_order && (q->sources_num > 1 || may_split(q) || q->keys.len))
            return true;
    }
    return false;
}

/* "SCAN alias VIRTUAL TABLE ...": the alias. */
static bool add_loop(struct orma_exec_plan *plan, int parent, const char *detail)
{
    static const char *const ends[] = {" VIRTUAL TABLE", " USING ", " LEFT-JOIN"};
    const char *name = !strncmp(detail, "SCAN ", 5)     ? detail + 5
                       : !strncmp(detail, "SEARCH ", 7) ? detail + 7
                                                        : NULL;
    size_t len = name ? strlen(name) : 0;

    if (!name)
        return true;
    for (size_t i = 0; i < ORMA_ARRAY_LEN(ends); i++) {
        const char *end = strstr(name, ends[i]);

        if (end && (size_t)(end - name) < len)
            len = (size_t)(end - name);
    }
    struct orma_exec_loop loop = {.parent = parent};
    const char *copy = orma_arena_strdup(&plan->arena, (struct orma_str){name, len});
    /* Its rows come in the order of all columns that are in it. */
    loop.by_index = strstr(detail, "AUTOMATIC");
    loop.alias = (struct orma_str){copy, len};
    return copy && ORMA_VEC_PUSH(&plan->loops, loop) == 0;
}

/* SQLite's loops, from the outermost in. */
static bool ask_loops(struct orma_exec_plan *plan)
{
    char *text = sqlite3_mprintf("EXPLAIN QUERY PLAN %s",
                                 plan->given ? sqlite3_sql(plan->given) : plan->text);
    sqlite3_stmt *stmt = NULL;
    bool ok = text && !sqlite3_prepare_v2(plan->sql->db, text, -1, &stmt, NULL);

    while (ok && sqlite3_step(stmt) == SQLITE_ROW) {
        const char *detail = (const char *)sqlite3_column_text(stmt, 3);

        if (detail && !strncmp(detail, "MULTI-INDEX OR", 14))
            orma_exec_give_up(plan, "an OR that SQLite splits");
        ok = detail && !plan->why && add_loop(plan, sqlite3_column_int(stmt, 1), detail);
    }
    sqlite3_finalize(stmt);
    sqlite3_free(text);
    return ok || orma_exec_give_up(plan, "the order of loops");
}

/* Rows of one key come in another order from an index that SQLite makes for it. */
static bool check_indexes(struct orma_exec_plan *plan)
{
    for (uint32_t i = 0; i < plan->queries.len; i++) {
        const struct orma_exec_query *q = plan->queries.data[i];

        for (uint32_t k = 0; q->keys.len && !q->any_order && k < plan->loops.len; k++) {
            if (plan->loops.data[k].by_index)
                return orma_exec_give_up(plan, "an index that SQLite makes");
        }
    }
    return true;
}

/* ---- after binding ---- */

/* Whether values of an expression depend on which sets of args are equal: extract_arg() of a column
 * does not. */
static void find_sets(struct orma_exec_plan *plan, const struct orma_exec_expr *e, bool inside)
{
    if (e->op == ORMA_EXEC_COLUMN && e->source->table) {
        const struct orma_vcolumn v = orma_exec_table_vcolumn(plan, e->source, e->col);
        const struct orma_table *t = e->source->table, *tables = plan->sql->storage->tables;
        const bool set = v.op == ORMA_PROJ_COL && t >= tables && t < tables + ORMA_TABLES_NUM &&
                         orma_args_is_set_column(&t->def->columns[v.col]);

        plan->sets |= set && inside;
        plan->ids |= set != inside || v.op == ORMA_PROJ_ARG;
    } else if (e->op == ORMA_EXEC_COLUMN && !e->source->query->parts.len) {
        find_sets(plan, e->source->query->results.data[e->col].expr, inside);
    } else if (inside) {
        plan->ids = true;
    }
    for (unsigned i = 0; i < e->num; i++)
        find_sets(plan, e->args[i], e->op == ORMA_EXEC_ARG && i == 0);
}

static void fold(struct orma_exec_plan *plan, struct orma_exec_expr *e)
{
    if (plan->args)
        find_sets(plan, e, false);
    orma_exec_fold(plan, e);
}

/* Conditions: SQLite tests them in an order of its own, so none may fail where there are several.
 */
static void fold_all(struct orma_exec_plan *plan, struct orma_exec_exprs *list, bool alone)
{
    plan->sure = !alone || list->len > 1;
    for (uint32_t i = 0; i < list->len && !plan->why; i++) {
        const struct orma_exec_expr *val;
        unsigned col;
        int op;

        /* Scans have indexes for these. */
        if (!orma_exec_is_filter(plan, list->data[i], &op, &col, &val))
            fold(plan, list->data[i]);
        else if (plan->args)
            find_sets(plan, list->data[i], false);
    }
    plan->sure = false;
}

static void fold_keys(struct orma_exec_plan *plan, struct orma_exec_keys *keys)
{
    for (uint32_t i = 0; i < keys->len && !plan->why; i++)
        fold(plan, keys->data[i].expr);
}

static void fold_window(struct orma_exec_plan *plan, struct orma_exec_win *w)
{
    fold_keys(plan, &w->partition);
    fold_keys(plan, &w->order);
    for (unsigned i = 0; i < w->funcs_num; i++) {
        if (w->funcs[i].arg)
            fold(plan, w->funcs[i].arg);
        if (w->funcs[i].fallback)
            fold(plan, w->funcs[i].fallback);
    }
}

/* Whether its results are looked at by name only: those that nobody reads have no values. */
static bool is_source(const struct orma_exec_plan *plan, const struct orma_exec_query *q)
{
    for (uint32_t i = 0; i < plan->queries.len && !q->distinct; i++) {
        const struct orma_exec_query *other = plan->queries.data[i];

        for (unsigned k = 0; k < other->sources_num; k++) {
            if (other->sources[k]->query == q)
                return true;
        }
    }
    return false;
}

static bool may_fail(const struct orma_exec_expr *e)
{
    bool found = e->op == ORMA_EXEC_CALL && e->function->may_fail;

    for (unsigned i = 0; i < e->num && !found; i++)
        found = may_fail(e->args[i]);
    return found;
}

/* SQLite works results out before it sorts, so also for rows behind the limit: whether for all of
 * them depends on their order. */
static bool check_limited(struct orma_exec_plan *plan, const struct orma_exec_query *q)
{
    for (uint32_t i = 0; q->has_limit && q->order.len && i < q->results.len; i++) {
        if (may_fail(q->results.data[i].expr))
            return orma_exec_give_up(plan, "a function that may fail behind a LIMIT");
    }
    return true;
}

static bool fold_query(struct orma_exec_plan *plan, struct orma_exec_query *q)
{
    fold_all(plan, &q->where, q->sources_num == 1);
    for (unsigned i = 0; i < q->sources_num; i++)
        fold_all(plan, &q->sources[i]->on, false);
    fold_keys(plan, &q->groups);
    for (uint32_t i = 0; i < q->aggs.len && !plan->why; i++) {
        if (q->aggs.data[i].arg)
            fold(plan, q->aggs.data[i].arg);
    }
    fold_all(plan, &q->having, true);
    for (uint32_t i = 0; i < q->wins.len && !plan->why; i++)
        fold_window(plan, q->wins.data[i]);
    const bool named = is_source(plan, q);
    if (!check_limited(plan, q))
        return false;
    plan->sure = named; /* nobody may read them */
    for (uint32_t i = 0; i < q->results.len && !plan->why; i++) {
        if (named)
            orma_exec_fold(plan, q->results.data[i].expr);
        else
            fold(plan, q->results.data[i].expr);
    }
    plan->sure = false;
    fold_keys(plan, &q->order);
    return !plan->why;
}

/* Whether the query numbers its rows and does nothing else that looks at all of them. */
static bool only_numbers(const struct orma_exec_query *q)
{
    if (q->wins.len != 1 || q->distinct || q->order.len || q->has_limit ||
        q->wins.data[0]->partition.len)
        return false;
    for (unsigned i = 0; i < q->wins.data[0]->funcs_num; i++) {
        if (q->wins.data[0]->funcs[i].func != EXEC_ROW_NUMBER)
            return false;
    }
    return true;
}

/* row_number() < 100 around a query that numbers its rows: the first 99 will do. */
static void limit_numbers(struct orma_exec_query *q)
{
    for (uint32_t i = 0; i < q->where.len; i++) {
        const struct orma_exec_expr *e = q->where.data[i];

        if ((e->op != ORMA_EXEC_LT && e->op != ORMA_EXEC_LE) ||
            e->args[0]->op != ORMA_EXEC_COLUMN || !e->args[0]->source->query ||
            e->args[0]->source->join == ORMA_EXEC_LEFT || e->args[1]->op != ORMA_EXEC_CONST ||
            e->args[1]->val.tag != EXEC_INT)
            continue;
        struct orma_exec_query *sub = e->args[0]->source->query;
        const struct orma_exec_expr *slot = sub->results.data[e->args[0]->col].expr;
        int64_t num = e->args[1]->val.bits - (e->op == ORMA_EXEC_LT);
        if (only_numbers(sub) && slot->op == ORMA_EXEC_SLOT && slot->has_base && num > 0 &&
            num < UINT32_MAX)
            sub->first_rows = (uint32_t)num;
    }
}

/* ---- preparing ---- */

/* Names of columns, and where they come from, as SQLite says. */
static bool same_columns(struct orma_exec_plan *plan, sqlite3_stmt *stmt)
{
    for (uint32_t i = 0; i < plan->root->results.len; i++) {
        const struct orma_exec_result *r = &plan->root->results.data[i];
        const char *name = sqlite3_column_name(stmt, (int)i);
        const char *origin = sqlite3_column_origin_name(stmt, (int)i);

        if (r->given && (!name || !orma_exec_same_name(r->name, orma_str_from(name))))
            return orma_exec_give_up(plan, "the name of a column");
        if (!origin || r->expr->op != ORMA_EXEC_COLUMN || !r->expr->source->table)
            continue;
        struct orma_exec_result col = orma_exec_table_column(plan, r->expr->source, r->expr->col);
        if (!orma_exec_same_name(col.name, orma_str_from(origin)))
            return orma_exec_give_up(plan, "the origin of a column");
    }
    return true;
}

static int by_column(const void *a, const void *b)
{
    const struct orma_sql_read *x = a, *y = b;

    return x->column < y->column ? -1 : x->column > y->column;
}

static void sort_reads(struct orma_sql_reads *reads)
{
    if (reads->list.len)
        qsort(reads->list.data, reads->list.len, sizeof(*reads->list.data), by_column);
}

static bool has_column(const struct orma_sql_reads *reads, struct orma_sql_read r)
{
    return reads->list.len &&
           bsearch(&r, reads->list.data, reads->list.len, sizeof(*reads->list.data), by_column);
}

static bool has_table(const struct orma_sql_reads *reads, uint64_t table)
{
    for (uint32_t i = 0; i < reads->list.len; i++) {
        if (reads->list.data[i].table == table)
            return true;
    }
    return false;
}

/* Of the schema: tables look there while they are connected. */
static bool is_schema(uint64_t table)
{
    static const char *const names[] = {"sqlite_master", "sqlite_temp_master", "sqlite_schema",
                                        "sqlite_temp_schema"};

    for (size_t i = 0; i < ORMA_ARRAY_LEN(names); i++) {
        if (orma_sql_reads_table(orma_str_from(names[i])) == table)
            return true;
    }
    return false;
}

/* What SQLite reads that is not read here. It names a table without a column if nobody reads one,
 * and also columns of views. */
static bool is_unknown(const struct orma_exec_plan *plan, struct orma_sql_read theirs)
{
    if (has_table(&plan->tables, theirs.table))
        return theirs.named && !has_column(&plan->reads, theirs);
    return !has_table(&plan->views, theirs.table) && !is_schema(theirs.table);
}

static bool find_others(const struct orma_exec_plan *plan, const struct orma_sql_reads *theirs)
{
    for (uint32_t i = 0; i < plan->reads.list.len; i++) {
        if (!has_column(theirs, plan->reads.list.data[i]))
            return true;
    }
    for (uint32_t i = 0; i < theirs->list.len; i++) {
        if (is_unknown(plan, theirs->list.data[i]))
            return true;
    }
    return false;
}

/* Tables that SQLite read nothing of: it may have left out a query that nobody needs. */
static bool has_unread(const struct orma_exec_plan *plan, const struct orma_sql_reads *theirs)
{
    for (uint32_t i = 0; i < plan->tables.list.len; i++) {
        const uint64_t table = plan->tables.list.data[i].table;

        if (!has_table(theirs, table) && !has_table(&plan->unsaid, table))
            return true;
    }
    return false;
}

/* Each table and column that names were found to be is what SQLite's authorizer saw, and the other
 * way round. */
static bool same_reads(struct orma_exec_plan *plan)
{
    struct orma_sql_reads *theirs = &plan->sql->planner.reads, *ours = &plan->reads;

    if (theirs->failed || ours->failed || plan->tables.failed || plan->views.failed ||
        plan->unsaid.failed)
        return orma_exec_give_up(plan, "memory");
    sort_reads(ours);
    sort_reads(theirs);
    if (has_unread(plan, theirs))
        return orma_exec_give_up(plan, "a table that SQLite does not read");
    if (!find_others(plan, theirs))
        return true;
    plan->sql->planner.unlike++;
    if (plan->sql->planner.exec == ORMA_EXEC_MODE_BOTH) {
        fprintf(stderr, "orma: the executor found other columns than SQLite in:\n%s\n", plan->text);
        abort();
    }
    return orma_exec_give_up(plan, "other columns than SQLite found");
}

static bool make_plan(struct orma_exec_plan *plan, sqlite3_stmt *stmt)
{
    struct orma_exec_select *ast = orma_exec_parse(&plan->arena, orma_str_from(plan->text));

    if (!ast)
        return orma_exec_give_up(plan, "the text");
    if (!orma_exec_bind(plan, ast))
        return false;
    orma_exec_check(plan);
    if (plan->root->results.len != (uint32_t)sqlite3_column_count(stmt) ||
        plan->root->results.len > COLUMNS_MAX)
        return orma_exec_give_up(plan, "the number of columns");
    if (!same_columns(plan, stmt) || !same_reads(plan))
        return false;
    plan->mended = is_mended(plan);
    if (!plan->mended && !is_on(plan->sql))
        return orma_exec_give_up(plan, "the executor is off");
    if (!plan->mended && plan->sql->planner.exec == ORMA_EXEC_MODE_AUTO && !is_worth(plan))
        return orma_exec_give_up(plan, "nothing to win");
    if (needs_loops(plan) && (!ask_loops(plan) || !check_indexes(plan)))
        return false;
    plan->ids |= plan->args && plan->loops.len; /* rows may be in the order of a column of them */
    for (uint32_t i = 0; i < plan->queries.len; i++) {
        limit_numbers(plan->queries.data[i]);
        if (!fold_query(plan, plan->queries.data[i]))
            return false;
    }
    return true;
}

static sqlite3_stmt *make_statement(struct orma_exec_plan *plan, sqlite3_stmt *stmt)
{
    struct orma_buf text = {0};
    sqlite3_stmt *made = NULL;

    if (plan->given)
        stmt = plan->given;
    for (int i = 0; i < sqlite3_column_count(stmt); i++) {
        const char *name = sqlite3_column_name(stmt, i);

        orma_buf_printf(&text, "%s c%d AS ", i ? "," : "SELECT", i);
        orma_sql_put_quoted(&text, orma_str_from(name ? name : ""));
    }
    orma_buf_put_str(&text, " FROM " MODULE "(?1)");
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
    plan->args = sql->planner.args;
    plan->distinct = sql->planner.distinct;
    plan->off = sql->planner.older.off;
    plan->given = sql->planner.given;
    plan->generation = sql->tables_generation;
    plan->text = orma_str_dup(text);
    if (plan->text && make_plan(plan, stmt))
        made = make_statement(plan, stmt);
    sql->planner.why = plan->why;
    if (!made) {
        orma_exec_plan_free(plan);
        return NULL;
    }
    if (sqlite3_bind_pointer(made, 1, plan, POINTER, orma_exec_plan_free)) {
        sqlite3_finalize(made); /* the plan is freed by SQLite */
        return NULL;
    }
    plan->stmt = made;
    plan->next = sql->planner.plans;
    sql->planner.plans = plan;
    return made;
}

/* ---- batches ---- */

/* A row that looks something up costs SQLite, which has indexes, as much as so many rows of the
 * table cost that the executor makes for all of them. */
#define ROWS_PER_LOOKUP 64

static bool is_looked_up_enough(struct orma_exec_plan *plan)
{
    for (uint32_t i = 0; i < plan->subs.len; i++) {
        const struct orma_exec_query *q = plan->subs.data[i]->query;
        uint32_t few = q->keys.len ? rows_below(q) / ROWS_PER_LOOKUP : 0;

        if (few && orma_exec_has_few(plan, plan->root, few))
            return orma_exec_give_up(plan, "few rows that look something up");
    }
    return true;
}

static bool run(struct orma_exec_plan *plan)
{
    plan->ran = true;
    const bool settle =
        plan->ids || (plan->sets && orma_args_is_worth_settling(&plan->sql->storage->args));
    if (settle && orma_sql_settle_args(plan->sql))
        return orma_exec_give_up(plan, "sets of args");
    if (plan->generation != plan->sql->tables_generation)
        return orma_exec_give_up(plan, "tables that changed");
    plan->out = calloc(COLUMNS_MAX, sizeof(*plan->out));
    plan->columns = calloc(COLUMNS_MAX, sizeof(*plan->columns));
    plan->place = malloc(sizeof(*plan->place));
    if (!plan->out || !plan->columns || !plan->place)
        return orma_exec_give_up(plan, "memory");
    for (uint32_t i = 0; i < plan->root->results.len; i++) {
        if (!(plan->out[i] = orma_exec_take_vec(plan)))
            return false;
    }
    if (plan->sql->planner.exec == ORMA_EXEC_MODE_AUTO && !plan->mended &&
        !is_looked_up_enough(plan))
        return false;
    return orma_exec_run_subs(plan) && orma_exec_run(plan, plan->root);
}

/* The results from row `at` on; false: given up. */
static bool fill_batch(struct orma_exec_plan *plan, struct orma_exec_batch *ret)
{
    uint32_t num = ORMA_MIN(plan->root->frame.rows - plan->at, (uint32_t)EXEC_BLOCK);
    struct orma_exec_rows r;

    *ret = (struct orma_exec_batch){.rows = num, .columns_num = plan->root->results.len};
    if (!num)
        return true;
    orma_exec_frame_rows(plan->root, plan->at, num, plan->place, &r);
    for (uint32_t i = 0; i < plan->root->results.len; i++) {
        struct orma_exec_vec *v = plan->out[i];

        if (!orma_exec_eval(plan, plan->root->results.data[i].expr, &r, v))
            return false;
        plan->columns[i] = (struct orma_exec_column){v->vals, v->tagged ? v->tags : NULL, v->tag};
    }
    ret->columns = plan->columns;
    plan->at += num;
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
    while (!safe && plan->at < plan->root->frame.rows) {
        if (!fill_batch(plan, &batch))
            return false;
    }
    plan->at = 0;
    plan->tried = true;
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
            plan->text);
    abort();
}

/* NULL is fine. */
static void end_query(const struct orma_exec_plan *plan, sqlite3_stmt *query)
{
    if (query && query == plan->given)
        (void)sqlite3_reset(query); /* says how the last run went */
    else
        sqlite3_finalize(query);
}

/* As the statement was prepared, though others may have been since. */
static int prepare_text(const struct orma_exec_plan *plan, sqlite3_stmt **ret)
{
    struct orma_sql *sql = plan->sql;
    const unsigned off = plan->off | sql->planner.older.always_off; /* of views made since, too */

    sql->planner.distinct = plan->distinct;
    if (sql->planner.older.off != off) {
        sql->planner.older.off = off;
        sqlite3_test_control(SQLITE_TESTCTRL_OPTIMIZATIONS, sql->db, off);
    }
    return sqlite3_prepare_v2(sql->db, plan->text, -1, ret, NULL);
}

/* Runs the statement in SQLite, too, and compares every cell. */
ORMA_COLD static void run_both_ways(struct orma_exec_plan *plan)
{
    struct orma_exec_batch batch = {0};
    sqlite3_stmt *stmt = plan->given;
    uint32_t at = 0, rows = 0;
    int r;

    if (!stmt && prepare_text(plan, &stmt))
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
    end_query(plan, stmt);
    plan->at = 0;
}

/* Runs it, if it did not yet; false: given up. */
static bool start(struct orma_exec_plan *plan)
{
    if (plan->ran)
        return !plan->why;
    if (!run(plan) || !can_fill(plan))
        return false;
    if (plan->sql->planner.exec == ORMA_EXEC_MODE_BOTH && !plan->mended)
        run_both_ways(plan);
    return true;
}

int orma_exec_next_batch(struct orma_exec_plan *plan, struct orma_exec_batch *ret)
{
    if (!start(plan) || !fill_batch(plan, ret))
        return orma_sql_is_told_to_stop(plan->sql) ? -ECANCELED : -EAGAIN;
    return ret->rows > 0;
}

bool orma_exec_gave_up(const struct orma_exec_plan *plan)
{
    return plan && plan->why;
}

uint64_t orma_exec_looked(const struct orma_exec_plan *plan)
{
    return plan ? plan->looked : 0;
}

struct orma_exec_plan *orma_exec_of(struct orma_sql *sql, sqlite3_stmt *stmt)
{
    struct orma_exec_plan *plan = sql->planner.plans;

    while (plan && plan->stmt != stmt)
        plan = plan->next;
    return plan;
}

/* ---- the table ---- */

struct exec_cursor {
    sqlite3_vtab_cursor base;
    struct orma_exec_plan *plan; /* of the statement */
    struct orma_exec_batch batch;
    uint32_t at;         /* in the batch */
    sqlite3_stmt *query; /* instead of batches; ours unless it is the plan's `given` */
    int64_t row;
    bool eof;
};

static int exec_connect(sqlite3 *db, void *data, int argc, const char *const *argv,
                        sqlite3_vtab **ret, char **ret_error)
{
    struct orma_buf columns = {0};

    (void)db;
    (void)argc;
    (void)argv;
    (void)ret_error;
    for (unsigned i = 0; i < COLUMNS_MAX; i++)
        orma_buf_printf(&columns, i ? ", c%u" : "c%u", i);
    int r = columns.failed
                ? SQLITE_NOMEM
                : orma_plan_table_connect(data, orma_buf_str(&columns), COLUMNS_MAX, ret);
    orma_buf_fini(&columns);
    return r;
}

static int exec_open(sqlite3_vtab *base, sqlite3_vtab_cursor **ret)
{
    struct exec_cursor *c = calloc(1, sizeof(*c));

    (void)base;
    if (!c)
        return SQLITE_NOMEM;
    *ret = &c->base;
    return SQLITE_OK;
}

static int exec_close(sqlite3_vtab_cursor *base)
{
    const struct exec_cursor *c = (const struct exec_cursor *)base;

    end_query(c->plan, c->query);
    free(base);
    return SQLITE_OK;
}

static int step_query(struct exec_cursor *c)
{
    int r = sqlite3_step(c->query);

    c->eof = r != SQLITE_ROW;
    return r == SQLITE_ROW || r == SQLITE_DONE ? SQLITE_OK : orma_plan_table_fail(c->base.pVtab);
}

/* ---- rows ---- */

static int next_batch(struct exec_cursor *c)
{
    int r = orma_exec_next_batch(c->plan, &c->batch);

    c->at = 0;
    c->eof = r == 0;
    if (r == -EAGAIN) /* it was tried before */
        return SQLITE_INTERNAL;
    return r < 0 ? SQLITE_INTERRUPT : SQLITE_OK;
}

static int start_query(struct exec_cursor *c)
{
    c->query = c->plan->given;
    if (!c->query && prepare_text(c->plan, &c->query))
        return orma_plan_table_fail(c->base.pVtab);
    return step_query(c);
}

static int exec_filter(sqlite3_vtab_cursor *base, int num, const char *str, int argc,
                       sqlite3_value **argv)
{
    struct exec_cursor *c = (struct exec_cursor *)base;
    struct orma_sql *sql = ((struct orma_plan_table *)base->pVtab)->sql;

    (void)num;
    (void)str;
    end_query(c->plan, c->query);
    c->query = NULL;
    c->plan = argc ? sqlite3_value_pointer(argv[0], POINTER) : NULL;
    if (!c->plan) {
        sqlite3_free(base->pVtab->zErrMsg);
        base->pVtab->zErrMsg = sqlite3_mprintf(MODULE " is for the engine alone");
        return SQLITE_ERROR;
    }
    if (orma_sql_is_told_to_stop(sql))
        return SQLITE_INTERRUPT;
    c->plan->at = 0;
    if (!start(c->plan)) {
        if (orma_sql_is_told_to_stop(sql))
            return SQLITE_INTERRUPT;
        sql->planner.why = c->plan->why;
        return start_query(c);
    }
    return next_batch(c);
}

static int exec_next(sqlite3_vtab_cursor *base)
{
    struct exec_cursor *c = (struct exec_cursor *)base;

    c->row++;
    if (c->query)
        return step_query(c);
    return ++c->at < c->batch.rows ? SQLITE_OK : next_batch(c);
}

static int exec_eof(sqlite3_vtab_cursor *base)
{
    return ((struct exec_cursor *)base)->eof;
}

static int exec_column(sqlite3_vtab_cursor *base, sqlite3_context *ctx, int idx)
{
    const struct exec_cursor *c = (const struct exec_cursor *)base;

    if (idx >= (int)c->plan->root->results.len)
        return SQLITE_OK;
    if (c->query) {
        orma_result_value(ctx, sqlite3_column_value(c->query, idx));
        return SQLITE_OK;
    }
    const struct orma_exec_column *col = &c->batch.columns[idx];
    switch (col->types ? col->types[c->at] : col->type) {
    case EXEC_INT:
        sqlite3_result_int64(ctx, col->vals[c->at]);
        break;
    case EXEC_REAL:
        sqlite3_result_double(ctx, orma_exec_double(col->vals[c->at]));
        break;
    case EXEC_TEXT:
        orma_result_pool(ctx, &c->plan->sql->storage->pool, (uint32_t)col->vals[c->at]);
        break;
    }
    return SQLITE_OK;
}

static int exec_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *ret)
{
    *ret = ((struct exec_cursor *)base)->row;
    return SQLITE_OK;
}

static const sqlite3_module exec_module = {
    .xConnect = exec_connect,
    .xBestIndex = orma_plan_table_best_index,
    .xDisconnect = orma_plan_table_disconnect,
    .xOpen = exec_open,
    .xClose = exec_close,
    .xFilter = exec_filter,
    .xNext = exec_next,
    .xEof = exec_eof,
    .xColumn = exec_column,
    .xRowid = exec_rowid,
};

const struct orma_sql_module orma_exec_modules[] = {
    {MODULE, &exec_module, NULL, NULL},
    {NULL},
};

/* ---- for people ---- */

static void set_on(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct orma_sql *sql = orma_sql_of(ctx);

    (void)argc;
    sql->planner.off = !sqlite3_value_int(argv[0]);
    sqlite3_result_int(ctx, !sql->planner.off);
}

/* Why the statement before was left to SQLite; NULL: it was not. */
static void why(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct orma_sql *sql = orma_sql_of(ctx);

    (void)argc;
    (void)argv;
    if (sql->planner.why)
        sqlite3_result_text(ctx, sql->planner.why, -1, SQLITE_STATIC);
}

const struct orma_sql_func orma_exec_funcs[] = {
    {.name = "orma_columnar",
     .args = 1,
     .flags = SQLITE_DIRECTONLY,
     .scalar = set_on,
     .usage = "(on LONG) -> LONG",
     .doc = "Statements are run over columns, below SQLite, where that is faster; 0 turns that off "
            "for this connection, 1 on again. The answers are the same."},
    {.name = "orma_exec_why",
     .args = 0,
     .flags = SQLITE_DIRECTONLY,
     .scalar = why,
     .usage = "() -> STRING",
     .doc =
         "Why the executor left the statement before this one to SQLite, in a few words; NULL if "
         "it did not, or was not asked."},
    {NULL},
};
