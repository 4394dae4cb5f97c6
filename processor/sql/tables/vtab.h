/* What virtual tables over columns are made of: for planning, and for exec/. */
#ifndef ORMA_PROCESSOR_SQL_VTAB_H
#define ORMA_PROCESSOR_SQL_VTAB_H
#include "processor/sql/base/sql.h"
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

/* ---- for the engine and for tables made by queries ---- */

/* Registers every table of the storage. 0 or an SQLite code. vtab.c */
int orma_vtab_register(struct orma_sql *self);

/* A virtual table over `table`, to be freed by xDisconnect of orma_vtab_table. An SQLite code. */
int orma_vtab_new(sqlite3 *db, struct orma_sql *sql, struct orma_table *table, sqlite3_vtab **ret);
extern const sqlite3_module orma_vtab_table;

/* Of a virtual table made by orma_vtab_new(). */
struct orma_sql *orma_vtab_sql(sqlite3_vtab *base);
struct orma_table *orma_vtab_get_table(sqlite3_vtab *base);

/* The args table, which has rows that are made on demand: as stored, and with display_value. */
extern const sqlite3_module orma_vtab_args;

/* ---- for planning and for exec/ ---- */

/* The stored column behind one that SQLite sees; -1: it is computed. The rowid is the id. */
int orma_vtab_stored_column(const struct orma_vtab *self, int col);

/* Resets the scan to all rows that the table or projection has. */
void orma_vtab_start_scan(struct orma_sql *sql, const struct orma_table *table,
                          const struct orma_proj *proj, struct orma_rowscan *scan);

/* Flags of a plan. */
enum {
    ORMA_PLAN_DISTINCT = 1,
    ORMA_PLAN_LIMIT = 2,
    ORMA_PLAN_OFFSET = 4,
    ORMA_PLAN_ROW = 8,   /* the plan is equality of the id and nothing else */
    ORMA_PLAN_ARGS = 16, /* reads ids of sets of args, or args */
};

/* Beside those of filters, in plans: equality of a text by any affinity, of which SQLite looks at
 * the rows again. */
enum { ORMA_PLAN_OP_EQUAL = 1001, ORMA_PLAN_OP_IS = 1002 };

/* vtab_plan.c: best_index of tables over columns, with a plan for orma_plan_read(). */
int orma_vtab_plan(sqlite3_vtab *base, sqlite3_index_info *info);

/*
 * Begins the scan that the plan describes. An SQLite code.
 */
int orma_vtab_run_plan(const struct orma_vtab *self, struct orma_rowscan *scan, int flags,
                       const char *plan, sqlite3_value **argv);
#endif
