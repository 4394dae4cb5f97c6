/* What virtual tables over columns are made of: for planning, and for columnar.c. */
#ifndef ORMA_PROCESSOR_SQL_VTAB_H
#define ORMA_PROCESSOR_SQL_VTAB_H
#include "processor/sql/engine.h"
#include "processor/sql/tables/proj.h"
#include "processor/sql/tables/scan.h"

/* A column as SQLite sees it. */
struct orma_vcolumn {
    uint8_t op; /* enum orma_proj_op */
    uint16_t col, other;
    uint32_t key; /* ARG: pool id */
};

struct orma_vtab {
    sqlite3_vtab base;
    struct orma_sql *sql;
    struct orma_table *table;
    const struct orma_proj *proj; /* NULL: the table as it is stored */
    struct orma_vcolumn *columns;
    int columns_num;
};

/* The stored column behind one that SQLite sees; -1: it is computed. The rowid is the id. */
int orma_vtab_stored_column(const struct orma_vtab *self, int col);

/* The name of a column. */
const char *orma_vtab_column_name(const struct orma_vtab *self, int col);

/* Resets the scan to all rows that the table or projection has. */
void orma_vtab_start_scan(struct orma_sql *sql, const struct orma_table *table,
                          const struct orma_proj *proj, struct orma_sql_scan *scan);

/* Flags of a plan. */
enum {
    ORMA_PLAN_DISTINCT = 1,
    ORMA_PLAN_LIMIT = 2,
    ORMA_PLAN_OFFSET = 4,
};

/* plan.c: best_index of tables over columns, with a plan for orma_plan_read(). */
int orma_vtab_plan(sqlite3_vtab *base, sqlite3_index_info *info);

/*
 * Begins the scan that the plan describes. An SQLite code.
 */
int orma_vtab_run_plan(const struct orma_vtab *self, struct orma_sql_scan *scan, int flags,
                       const char *plan, sqlite3_value **argv);
#endif
