/* A stored column compared with a constant, as a filter of a scan. */
#include "processor/sql/exec/run/run.h"

/* As SQLite has it; NULL: memory is out. */
static sqlite3_value *make_value(struct orma_exec_plan *plan, const struct orma_exec_value *val)
{
    struct orma_str text = {0};
    sqlite3_stmt *stmt = NULL;
    bool ok = !sqlite3_prepare_v2(plan->sql->db, "SELECT ?1", -1, &stmt, NULL);

    if (val->tag == EXEC_TEXT)
        text = orma_strpool_get(&plan->sql->storage->pool, (uint32_t)val->bits);
    if (ok && val->tag == EXEC_INT)
        sqlite3_bind_int64(stmt, 1, val->bits);
    else if (ok && val->tag == EXEC_REAL)
        sqlite3_bind_double(stmt, 1, orma_exec_double(val->bits));
    else if (ok && val->tag == EXEC_TEXT)
        sqlite3_bind_text64(stmt, 1, text.data, text.len, SQLITE_STATIC, SQLITE_UTF8);
    ok = ok && sqlite3_step(stmt) == SQLITE_ROW;
    sqlite3_value *copy = ok ? sqlite3_value_dup(sqlite3_column_value(stmt, 0)) : NULL;
    sqlite3_finalize(stmt);
    return copy;
}

struct list {
    struct orma_exec_plan *plan;
    const struct orma_exec_expr *e;
    unsigned at;
    sqlite3_value *val; /* the last one */
    bool failed;
};

static sqlite3_value *next_of(void *data)
{
    struct list *l = data;

    sqlite3_value_free(l->val);
    l->val = ++l->at < l->e->num ? make_value(l->plan, &l->e->args[l->at]->constant.val) : NULL;
    l->failed |= !l->val && l->at < l->e->num;
    return l->val;
}

bool orma_exec_run_add_filter(struct orma_exec_plan *plan, const struct orma_table *t,
                              struct orma_rowscan *scan, int op, unsigned col,
                              const struct orma_exec_expr *val)
{
    struct orma_filter *f = orma_rowscan_new_filter(scan);
    struct orma_storage *st = plan->sql->storage;
    const struct orma_column_def *def = &t->def->columns[col];

    if (!val)
        return orma_filter_init(f, st, def, col, op, NULL);
    if (op == ORMA_FILTER_OP_IN) {
        struct list l = {.plan = plan, .e = val};
        bool ok = orma_filter_init_in(f, st, def, col, next_of, &l) && !l.failed;

        sqlite3_value_free(l.val);
        return ok || orma_exec_give_up(plan, "out of memory");
    }
    sqlite3_value *copy = make_value(plan, &val->constant.val);
    bool ok = copy && orma_filter_init(f, st, def, col, op, copy);
    sqlite3_value_free(copy);
    return ok || orma_exec_give_up(plan, "out of memory");
}
