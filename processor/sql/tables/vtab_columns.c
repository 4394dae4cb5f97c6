/* What a virtual table over columns consists of: its columns, its names, the rows it starts with.
 */
#include "processor/sql/tables/vtab.h"

static bool is_id(const struct orma_column_def *def)
{
    return def->kind == ORMA_COL_ID || def->kind == ORMA_COL_ALIAS;
}

int orma_vtab_stored_column(const struct orma_vtab *v, int col)
{
    if (col < 0)
        return is_id(&v->table->def->columns[0]) ? 0 : -1;
    const struct orma_vcolumn *c = &v->columns[col];
    /* With one machine a cpu's number is its ucpu. */
    if (c->op == ORMA_PROJ_COL ||
        (c->op == ORMA_PROJ_CPU && v->sql->storage->tables[ORMA_TABLE_MACHINE].rows == 1))
        return c->col;
    return -1;
}

/* The rows that a projection has at all. */
void orma_vtab_start_scan(struct orma_sql *sql, const struct orma_table *table,
                          const struct orma_proj *proj, struct orma_rowscan *scan)
{
    const struct orma_strpool *pool = &sql->storage->pool;

    orma_rowscan_reset(scan, sql, table);
    for (unsigned i = 0; proj && i < ORMA_PROJ_CHOICES_MAX; i++) {
        if (proj->choices[i].choice == ORMA_CHOOSE_ALL)
            continue;
        struct orma_filter *f = orma_rowscan_new_filter(scan);

        f->col = proj->choices[i].col;
        switch ((enum orma_proj_choice)proj->choices[i].choice) {
        case ORMA_CHOOSE_ALL:
            break;
        case ORMA_CHOOSE_TEXT:
            f->lo = orma_strpool_find(pool, orma_str_from(proj->choices[i].text));
            f->kind = f->lo ? ORMA_FILTER_STR_ID : ORMA_FILTER_NONE_PASS;
            break;
        case ORMA_CHOOSE_NOT_NULL:
            f->kind = ORMA_FILTER_NOT_NULL;
            break;
        case ORMA_CHOOSE_ZERO:
            f->kind = ORMA_FILTER_RANGE;
            break;
        case ORMA_CHOOSE_ARG:
            f->kind = ORMA_FILTER_ARG;
            f->lo = orma_strpool_find(pool, orma_str_from(proj->choices[i].text));
            break;
        }
    }
}
