/* Conditions that the scan of a table tests itself: a stored column compared with a constant. */
#include "processor/sql/exec/exec_plan.h"

static int op_of(enum orma_exec_op op, bool turned)
{
    switch (op) {
    case ORMA_EXEC_EQ:
        return SQLITE_INDEX_CONSTRAINT_EQ;
    case ORMA_EXEC_NE:
        return SQLITE_INDEX_CONSTRAINT_NE;
    case ORMA_EXEC_LT:
        return turned ? SQLITE_INDEX_CONSTRAINT_GT : SQLITE_INDEX_CONSTRAINT_LT;
    case ORMA_EXEC_LE:
        return turned ? SQLITE_INDEX_CONSTRAINT_GE : SQLITE_INDEX_CONSTRAINT_LE;
    case ORMA_EXEC_GT:
        return turned ? SQLITE_INDEX_CONSTRAINT_LT : SQLITE_INDEX_CONSTRAINT_GT;
    case ORMA_EXEC_GE:
        return turned ? SQLITE_INDEX_CONSTRAINT_LE : SQLITE_INDEX_CONSTRAINT_GE;
    case ORMA_EXEC_IS_NULL:
        return SQLITE_INDEX_CONSTRAINT_ISNULL;
    case ORMA_EXEC_NOT_NULL:
        return SQLITE_INDEX_CONSTRAINT_ISNOTNULL;
    default:
        return 0;
    }
}

/* A stored column compared with a constant: what orma_filter does. */
bool orma_exec_is_filter(struct orma_exec_plan *plan, const struct orma_exec_expr *e, int *ret_op,
                         unsigned *ret_col, const struct orma_exec_expr **ret_val)
{
    for (unsigned i = 0; i < e->num && e->num <= 2; i++) {
        const struct orma_exec_expr *c = e->args[i], *val = e->num == 2 ? e->args[1 - i] : NULL;

        if (c->op != ORMA_EXEC_COLUMN || !c->source->table || (val && val->op != ORMA_EXEC_CONST))
            continue;
        struct orma_vcolumn v = orma_exec_table_vcolumn(plan, c->source, c->col);
        *ret_op = op_of(e->op, i);
        *ret_col = v.col;
        *ret_val = val;
        return *ret_op && v.op == ORMA_PROJ_COL;
    }
    return false;
}

bool orma_exec_add_filter(struct orma_exec_plan *plan, const struct orma_table *t,
                          struct orma_rowscan *scan, int op, unsigned col,
                          const struct orma_exec_expr *val)
{
    struct orma_filter *f = orma_rowscan_new_filter(scan);
    struct orma_storage *st = plan->sql->storage;
    sqlite3_stmt *stmt = NULL;

    if (!val)
        return orma_filter_init(f, st, &t->def->columns[col], col, op, NULL);
    bool ok = !sqlite3_prepare_v2(plan->sql->db, "SELECT ?1", -1, &stmt, NULL);
    struct orma_str text = {0};
    if (val->val.tag == EXEC_TEXT)
        text = orma_strpool_get(&st->pool, (uint32_t)val->val.bits);
    if (ok && val->val.tag == EXEC_INT)
        sqlite3_bind_int64(stmt, 1, val->val.bits);
    else if (ok && val->val.tag == EXEC_REAL)
        sqlite3_bind_double(stmt, 1, orma_exec_double(val->val.bits));
    else if (ok && val->val.tag == EXEC_TEXT)
        sqlite3_bind_text64(stmt, 1, text.data, text.len, SQLITE_STATIC, SQLITE_UTF8);
    ok = ok && sqlite3_step(stmt) == SQLITE_ROW;
    sqlite3_value *copy = ok ? sqlite3_value_dup(sqlite3_column_value(stmt, 0)) : NULL;
    ok = copy && orma_filter_init(f, st, &t->def->columns[col], col, op, copy);
    sqlite3_value_free(copy);
    sqlite3_finalize(stmt);
    return ok || orma_exec_give_up(plan, "memory");
}
