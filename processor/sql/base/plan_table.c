#include "processor/sql/base/plan_table.h"

#include <stdlib.h>

int orma_plan_table_connect(struct orma_sql *sql, struct orma_str columns, int num,
                            sqlite3_vtab **ret)
{
    struct orma_plan_table *v = calloc(1, sizeof(*v));
    struct orma_buf text = {0};

    orma_buf_printf(&text, "CREATE TABLE x(%.*s, plan HIDDEN)", (int)columns.len, columns.data);
    int r = !v || text.failed ? SQLITE_NOMEM : sqlite3_declare_vtab(sql->db, orma_buf_cstr(&text));
    orma_buf_fini(&text);
    if (r) {
        free(v);
        return r;
    }
    v->sql = sql;
    v->plan = num;
    *ret = &v->base;
    return SQLITE_OK;
}

int orma_plan_table_disconnect(sqlite3_vtab *base)
{
    free(base);
    return SQLITE_OK;
}

int orma_plan_table_best_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
    for (int i = 0; i < info->nConstraint; i++) {
        if (info->aConstraint[i].iColumn != ((struct orma_plan_table *)base)->plan ||
            info->aConstraint[i].op != SQLITE_INDEX_CONSTRAINT_EQ || !info->aConstraint[i].usable)
            continue;
        info->aConstraintUsage[i].argvIndex = 1;
        info->aConstraintUsage[i].omit = 1;
        info->estimatedCost = 1000;
        return SQLITE_OK;
    }
    return SQLITE_CONSTRAINT;
}

int orma_plan_table_fail(sqlite3_vtab *base)
{
    sqlite3 *db = ((struct orma_plan_table *)base)->sql->db;

    sqlite3_free(base->zErrMsg);
    base->zErrMsg = sqlite3_mprintf("%s", sqlite3_errmsg(db));
    return sqlite3_errcode(db) & 0xff;
}
