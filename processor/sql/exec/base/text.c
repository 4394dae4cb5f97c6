/* Expressions as SQLite reads them, and what SQLite makes of those that are constant. */
#include <inttypes.h>

#include "processor/sql/exec/base/query.h"

/* The only column of a row of SQLite's. */
bool orma_exec_value_of(struct orma_exec_plan *plan, sqlite3_stmt *stmt,
                        struct orma_exec_value *ret)
{
    struct orma_str text;

    switch (sqlite3_column_type(stmt, 0)) {
    case SQLITE_NULL:
        *ret = (struct orma_exec_value){EXEC_NULL, 0};
        return true;
    case SQLITE_INTEGER:
        *ret = (struct orma_exec_value){EXEC_INT, sqlite3_column_int64(stmt, 0)};
        return true;
    case SQLITE_FLOAT:
        *ret = (struct orma_exec_value){EXEC_REAL, orma_exec_bits(sqlite3_column_double(stmt, 0))};
        return true;
    case SQLITE_TEXT:
        text.data = (const char *)sqlite3_column_text(stmt, 0);
        text.len = (size_t)sqlite3_column_bytes(stmt, 0);
        ret->tag = EXEC_TEXT;
        ret->bits = text.data ? orma_strpool_add(&plan->sql->storage->pool, text) : 0;
        return ret->bits || orma_exec_give_up(plan, "too many distinct strings");
    }
    return orma_exec_give_up(plan, "a blob");
}

static void put_text(struct orma_buf *to, struct orma_str s)
{
    orma_buf_put_byte(to, '\'');
    for (size_t i = 0; i < s.len; i++) {
        if (s.data[i] == '\'')
            orma_buf_put_byte(to, '\'');
        orma_buf_put_byte(to, (uint8_t)s.data[i]);
    }
    orma_buf_put_byte(to, '\'');
}

static void put_const(struct orma_buf *to, const struct orma_exec_plan *plan,
                      const struct orma_exec_expr *e)
{
    if (e->constant.val.tag == EXEC_NULL)
        orma_buf_put_str(to, "NULL");
    else if (e->constant.val.tag == EXEC_INT && e->constant.val.bits != INT64_MIN)
        orma_buf_printf(to, "%" PRId64, e->constant.val.bits);
    else if (e->constant.val.tag == EXEC_TEXT)
        put_text(to, orma_strpool_get(&plan->sql->storage->pool, (uint32_t)e->constant.val.bits));
    else
        orma_buf_put(to, e->constant.text.data, e->constant.text.len);
}

static void put_list(struct orma_buf *to, const struct orma_exec_plan *plan,
                     const struct orma_exec_expr *e, unsigned from)
{
    orma_buf_put_str(to, "(");
    for (unsigned i = from; i < e->num; i++) {
        orma_buf_put_str(to, i > from ? "," : "");
        orma_exec_put_expr(to, plan, e->args[i]);
    }
    orma_buf_put_str(to, ")");
}

static void put_case(struct orma_buf *to, const struct orma_exec_plan *plan,
                     const struct orma_exec_expr *e)
{
    unsigned i = 0;

    orma_buf_put_str(to, "CASE ");
    if (e->choice.has_base)
        orma_exec_put_expr(to, plan, e->args[i++]);
    for (; i + 1 < e->num || (i < e->num && !e->choice.has_else); i += 2) {
        orma_buf_put_str(to, " WHEN ");
        orma_exec_put_expr(to, plan, e->args[i]);
        orma_buf_put_str(to, " THEN ");
        orma_exec_put_expr(to, plan, e->args[i + 1]);
    }
    if (e->choice.has_else) {
        orma_buf_put_str(to, " ELSE ");
        orma_exec_put_expr(to, plan, e->args[i]);
    }
    orma_buf_put_str(to, " END");
}

static void put_operator(struct orma_buf *to, const struct orma_exec_plan *plan,
                         const struct orma_exec_expr *e)
{
    bool behind = e->op == ORMA_EXEC_IS_NULL || e->op == ORMA_EXEC_NOT_NULL;

    orma_buf_put_str(to, e->negated ? "(NOT (" : "(");
    if (e->num == 2 || behind)
        orma_exec_put_expr(to, plan, e->args[0]);
    orma_buf_printf(to, " %s ", orma_exec_operator_of(plan->catalog, e->op)->text);
    if (!behind)
        orma_exec_put_expr(to, plan, e->args[e->num - 1]);
    orma_buf_put_str(to, e->negated ? "))" : ")");
}

void orma_exec_put_expr(struct orma_buf *to, const struct orma_exec_plan *plan,
                        const struct orma_exec_expr *e)
{
    switch (e->op) {
    case ORMA_EXEC_CONST:
        put_const(to, plan, e);
        break;
    case ORMA_EXEC_COLUMN:
    case ORMA_EXEC_SLOT:
        orma_buf_put_str(to, e->affinity == EXEC_AFF_TEXT ? "CAST(?1 AS TEXT)" : "?1");
        break;
    case ORMA_EXEC_PARAM:
        orma_buf_printf(to, "?%u", e->param.number);
        break;
    case ORMA_EXEC_CASE:
        put_case(to, plan, e);
        break;
    case ORMA_EXEC_CAST:
        orma_buf_put_str(to, "CAST(");
        orma_exec_put_expr(to, plan, e->args[0]);
        orma_buf_printf(to, " AS %.*s)", ORMA_STR_ARG(e->cast.type));
        break;
    case ORMA_EXEC_CALL:
        orma_buf_put(to, e->call.name.data, e->call.name.len);
        put_list(to, plan, e, 0);
        break;
    case ORMA_EXEC_IN:
        orma_buf_put_str(to, "(");
        orma_exec_put_expr(to, plan, e->args[0]);
        orma_buf_put_str(to, e->negated ? " NOT IN " : " IN ");
        put_list(to, plan, e, 1);
        orma_buf_put_str(to, ")");
        break;
    default:
        put_operator(to, plan, e);
        break;
    }
}

/* Functions of the trace as a whole, and pure ones of constants. A constant that is a column of a
 * sub-select stays one: bind/expr.c. */
bool orma_exec_is_fixed(const struct orma_exec_expr *e)
{
    for (unsigned i = 0; i < e->num; i++) {
        if (e->args[i]->op != ORMA_EXEC_CONST || e->args[i]->is_column)
            return false;
    }
    return e->call.function->of_trace || (e->num && e->call.function->is_pure);
}

bool orma_exec_call_now(struct orma_exec_plan *plan, struct orma_exec_expr *e)
{
    struct orma_buf text = {0};
    sqlite3_stmt *stmt = NULL;
    struct orma_exec_value v;

    orma_buf_put_str(&text, "SELECT ");
    orma_exec_put_expr(&text, plan, e);
    bool ok = !text.failed &&
              !sqlite3_prepare_v2(plan->sql->db, orma_buf_cstr(&text), -1, &stmt, NULL) &&
              sqlite3_step(stmt) == SQLITE_ROW && orma_exec_value_of(plan, stmt, &v);
    const char *call = ok ? orma_arena_strdup(&plan->arena, orma_buf_str(&text)) : NULL;
    sqlite3_finalize(stmt);
    orma_buf_fini(&text);
    if (!call)
        return orma_exec_give_up(plan, "a function of constants");
    e->op = ORMA_EXEC_CONST;
    e->num = 0;
    e->constant.val = v;
    e->constant.text = orma_str_from(call + strlen("SELECT ")); /* as it is written */
    e->types = v.tag;
    return true;
}
