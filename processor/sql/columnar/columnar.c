/*
 * The statement over a plan: the table __orma_columnar, whose argument is the
 * plan as a pointer value and whose rows are the groups.
 */
#include "processor/sql/columnar/columnar.h"
#include "processor/sql/base/plan_table.h"

#include <stdio.h>
#include <stdlib.h>

#include "processor/sql/base/values.h"
#include "processor/sql/columnar/columnar_plan.h"

#define POINTER "orma_columnar"
#define MODULE "__orma_columnar"
/* Columns: three types of each key and one without, the aggregates, the plan. */
#define KEY_VARIANTS 4
#define KEY_COLUMNS (KEY_VARIANTS * ORMA_COLUMNAR_KEYS_MAX)
#define PLAN_COLUMN (KEY_COLUMNS + ORMA_COLUMNAR_AGGS_MAX)

void orma_columnar_plan_free(void *data)
{
    struct orma_columnar_plan *plan = data;

    if (!plan)
        return;
    for (unsigned i = 0; i < plan->filters_num; i++) {
        sqlite3_value_free(plan->filters[i].val);
        for (sqlite3_value **v = plan->filters[i].values; v && *v; v++)
            sqlite3_value_free(*v);
        free(plan->filters[i].values);
    }
    free(plan->query);
    free(plan->name);
    free(plan);
}

void orma_columnar_note_function(struct orma_sql *sql, const char *name)
{
    /* Those of exec/, too. */
    static const char *const names[] = {"abs",
                                        "avg",
                                        "char",
                                        "coalesce",
                                        "count",
                                        "dense_rank",
                                        "extract_arg",
                                        "first_value",
                                        "format",
                                        "glob",
                                        "hex",
                                        "ifnull",
                                        "iif",
                                        "instr",
                                        "lag",
                                        "last_value",
                                        "lead",
                                        "length",
                                        "like",
                                        "lower",
                                        "ltrim",
                                        "max",
                                        "median",
                                        "min",
                                        "nullif",
                                        "percentile",
                                        "percentile_cont",
                                        "percentile_disc",
                                        "printf",
                                        "quote",
                                        "rank",
                                        "replace",
                                        "round",
                                        "row_number",
                                        "rtrim",
                                        "sign",
                                        "substr",
                                        "substring",
                                        "sum",
                                        "total",
                                        "trim",
                                        "typeof",
                                        "unicode",
                                        "upper"};

    for (size_t i = 0; i < ORMA_ARRAY_LEN(names); i++)
        sql->planner.aggregates_replaced |= !sqlite3_stricmp(name, names[i]);
}

/* Not a view over the table that was planned. */
static bool is_table(struct orma_sql *sql, const char *name)
{
    static const char query[] =
        "SELECT 1 FROM sqlite_master WHERE type = 'view' AND name = ?1 COLLATE NOCASE UNION ALL "
        "SELECT 1 FROM sqlite_temp_master WHERE type = 'view' AND name = ?1 COLLATE NOCASE";
    sqlite3_stmt *stmt = NULL;
    bool ok = !sqlite3_prepare_v2(sql->db, query, -1, &stmt, NULL) &&
              !sqlite3_bind_text(stmt, 1, name, -1, SQLITE_STATIC) &&
              sqlite3_step(stmt) == SQLITE_DONE;

    sqlite3_finalize(stmt);
    return ok;
}

static bool has_word(struct orma_str text, const char *word)
{
    size_t len = strlen(word);

    for (size_t i = 0; i + len <= text.len; i++)
        if (!sqlite3_strnicmp(text.data + i, word, (int)len))
            return true;
    return false;
}

/* A look at the bytes: most statements need no better one. */
static bool may_aggregate(struct orma_str text)
{
    return text.len && (memchr(text.data, '(', text.len) || has_word(text, "distinct") ||
                        has_word(text, "group"));
}

sqlite3_stmt *orma_columnar_prepare(struct orma_sql *sql, struct orma_str text, sqlite3_stmt *stmt)
{
    const struct orma_vtab *v = sql->planner.table;
    sqlite3_stmt *made = NULL;
    struct orma_buf rewritten = {0}, flat = {0}, order = {0};

    if (!v || sql->planner.mixed || sql->planner.off || sql->planner.aggregates_replaced ||
        !may_aggregate(text))
        return NULL;
    struct orma_columnar_plan *plan = calloc(1, sizeof(*plan));
    if (!plan)
        return NULL;
    plan->sql = sql;
    plan->table = v->table;
    plan->proj = v->proj;
    plan->args = sql->planner.args;
    plan->generation = sql->tables_generation;
    if (orma_columnar_flatten(text, stmt, v, &flat, &order))
        text = orma_buf_str(&flat);
    else
        orma_buf_clear(&order);
    if (orma_columnar_parse(text, stmt, v, orma_buf_str(&order), plan, &rewritten) &&
        is_table(sql, plan->name) &&
        !sqlite3_prepare_v2(sql->db, orma_buf_cstr(&rewritten), -1, &made, NULL)) {
        if (sqlite3_bind_pointer(made, 1, plan, POINTER, orma_columnar_plan_free)) {
            sqlite3_finalize(made); /* the plan is freed by SQLite */
            made = NULL;
        }
        plan = NULL;
    }
    orma_columnar_plan_free(plan);
    orma_buf_fini(&rewritten);
    orma_buf_fini(&flat);
    orma_buf_fini(&order);
    return made;
}

/* ---- the table ---- */

struct columnar_cursor {
    sqlite3_vtab_cursor base;
    const struct orma_columnar_plan *plan; /* of the statement */
    struct orma_columnar_result result;
    uint32_t at;
    sqlite3_stmt *query; /* instead of a result */
    bool eof;
};

static int columnar_connect(sqlite3 *db, void *data, int argc, const char *const *argv,
                            sqlite3_vtab **ret, char **ret_error)
{
    struct orma_buf columns = {0};

    (void)db;
    (void)argc;
    (void)argv;
    (void)ret_error;
    for (unsigned i = 0; i < ORMA_COLUMNAR_KEYS_MAX; i++)
        orma_buf_printf(&columns,
                        ORMA_COLUMNAR_KEY_NAME " INTEGER, " ORMA_COLUMNAR_KEY_NAME
                                               " TEXT, " ORMA_COLUMNAR_KEY_NAME
                                               " DOUBLE, " ORMA_COLUMNAR_KEY_NAME ", ",
                        i, 'i', i, 't', i, 'd', i, 'n');
    for (unsigned i = 0; i < ORMA_COLUMNAR_AGGS_MAX; i++)
        orma_buf_printf(&columns, i ? ", " ORMA_COLUMNAR_AGG_NAME : ORMA_COLUMNAR_AGG_NAME, i);
    int r = columns.failed
                ? SQLITE_NOMEM
                : orma_plan_table_connect(data, orma_buf_str(&columns), PLAN_COLUMN, ret);
    orma_buf_fini(&columns);
    return r;
}

static int columnar_open(sqlite3_vtab *base, sqlite3_vtab_cursor **ret)
{
    struct columnar_cursor *c = calloc(1, sizeof(*c));

    (void)base;
    if (!c)
        return SQLITE_NOMEM;
    *ret = &c->base;
    return SQLITE_OK;
}

static void clear(struct columnar_cursor *c)
{
    orma_columnar_result_fini(&c->result);
    sqlite3_finalize(c->query);
    c->query = NULL;
    c->at = 0;
}

static int columnar_close(sqlite3_vtab_cursor *base)
{
    clear((struct columnar_cursor *)base);
    free(base);
    return SQLITE_OK;
}

static int step_query(struct columnar_cursor *c)
{
    int r = sqlite3_step(c->query);

    c->eof = r != SQLITE_ROW;
    return r == SQLITE_ROW || r == SQLITE_DONE ? SQLITE_OK : orma_plan_table_fail(c->base.pVtab);
}

static int columnar_filter(sqlite3_vtab_cursor *base, int num, const char *str, int argc,
                           sqlite3_value **argv)
{
    struct columnar_cursor *c = (struct columnar_cursor *)base;
    struct orma_sql *sql = ((struct orma_plan_table *)base->pVtab)->sql;
    int r = SQLITE_OK;

    (void)num;
    (void)str;
    clear(c);
    c->plan = argc ? sqlite3_value_pointer(argv[0], POINTER) : NULL;
    if (!c->plan) {
        sqlite3_free(base->pVtab->zErrMsg);
        base->pVtab->zErrMsg = sqlite3_mprintf(MODULE " is for the engine alone");
        return SQLITE_ERROR;
    }
    if (c->plan->generation == sql->tables_generation) {
        r = orma_columnar_run(c->plan, &c->result);
        c->eof = !c->result.num;
        if (r || !c->result.inexact)
            return r;
        orma_columnar_result_fini(&c->result);
    }
    /* Other tables than when it was prepared, or sums that only SQLite can make. */
    if (sqlite3_prepare_v2(sql->db, c->plan->query, -1, &c->query, NULL))
        return orma_plan_table_fail(base->pVtab);
    return step_query(c);
}

static int columnar_next(sqlite3_vtab_cursor *base)
{
    struct columnar_cursor *c = (struct columnar_cursor *)base;

    if (c->query)
        return step_query(c);
    c->eof = ++c->at >= c->result.num;
    return SQLITE_OK;
}

static int columnar_eof(sqlite3_vtab_cursor *base)
{
    return ((struct columnar_cursor *)base)->eof;
}

static void put_key(const struct orma_columnar_plan *plan, const struct orma_columnar_key *key,
                    uint32_t row, sqlite3_context *ctx)
{
    const struct orma_table *t = plan->table;
    unsigned col = key->col;
    int64_t val;

    if (orma_sort_is_null(t, col, row))
        return;
    if (key->op) {
        if (orma_columnar_key_value(key, orma_table_int(t, col, row), &val))
            sqlite3_result_int64(ctx, val);
        return;
    }
    switch ((enum orma_column_kind)t->columns[col].kind) {
    case ORMA_COL_STRING:
        orma_result_pool(ctx, &plan->sql->storage->pool, (uint32_t)orma_table_int(t, col, row));
        break;
    case ORMA_COL_DOUBLE:
        sqlite3_result_double(ctx, orma_column_double(&t->columns[col], row));
        break;
    case ORMA_COL_ID:
    case ORMA_COL_ALIAS:
    case ORMA_COL_COMPUTED:
    case ORMA_COL_INT:
        sqlite3_result_int64(ctx, orma_table_int(t, col, row));
        break;
    }
}

static int columnar_column(sqlite3_vtab_cursor *base, sqlite3_context *ctx, int idx)
{
    const struct columnar_cursor *c = (const struct columnar_cursor *)base;
    const struct orma_columnar_plan *plan = c->plan;
    bool is_key = idx < KEY_COLUMNS;
    unsigned at = is_key ? (unsigned)idx / KEY_VARIANTS : (unsigned)(idx - KEY_COLUMNS);

    if (idx >= PLAN_COLUMN || at >= (is_key ? plan->keys_num : plan->aggs_num))
        return SQLITE_OK;
    if (c->query) {
        int col = (int)(is_key ? at : plan->keys_num + at);

        orma_result_value(ctx, sqlite3_column_value(c->query, col));
        return SQLITE_OK;
    }
    uint32_t group = c->result.order ? c->result.order[c->at] : c->at;
    if (is_key)
        put_key(plan, &plan->keys[at], c->result.first_row[group], ctx);
    else
        orma_columnar_put(plan, &c->result, at, group, ctx);
    return SQLITE_OK;
}

static int columnar_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *ret)
{
    *ret = ((struct columnar_cursor *)base)->at;
    return SQLITE_OK;
}

static const sqlite3_module columnar_module = {
    .xConnect = columnar_connect,
    .xBestIndex = orma_plan_table_best_index,
    .xDisconnect = orma_plan_table_disconnect,
    .xOpen = columnar_open,
    .xClose = columnar_close,
    .xFilter = columnar_filter,
    .xNext = columnar_next,
    .xEof = columnar_eof,
    .xColumn = columnar_column,
    .xRowid = columnar_rowid,
};

const struct orma_sql_module orma_columnar_modules[] = {
    {MODULE, &columnar_module, NULL, NULL},
    {NULL},
};

/* ---- the switch ---- */

static void set_columnar(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct orma_sql *sql = orma_sql_of(ctx);

    (void)argc;
    sql->planner.off = !sqlite3_value_int(argv[0]);
    sqlite3_result_int(ctx, !sql->planner.off);
}

const struct orma_sql_func orma_columnar_funcs[] = {
    {.name = "orma_columnar",
     .args = 1,
     .flags = SQLITE_DIRECTONLY,
     .scalar = set_columnar,
     .usage = "(on LONG) -> LONG",
     .doc = "Aggregates of one table are carried out over its columns, below SQLite; 0 turns that "
            "off for this connection, 1 on again. The answers are the same."},
    {NULL},
};
