/*
 * Tables made by CREATE PERFETTO TABLE.
 *
 * The rows of such a table are a dataframe; SQLite knows it as a virtual table
 * whose argument is a number. The registry keeps the dataframe under that number
 * from CREATE to DROP: SQLite may disconnect and connect meanwhile.
 */
#ifndef ORMA_PROCESSOR_SQL_TABLES_DATAFRAME_TABLES_H
#define ORMA_PROCESSOR_SQL_TABLES_DATAFRAME_TABLES_H
#include "processor/sql/base/dataframe.h"
#include "processor/sql/base/sql.h"

/* The module of CREATE VIRTUAL TABLE; its argument is the number. */
#define ORMA_DATAFRAME_TABLES_MODULE "__orma_frame"
#define ORMA_DATAFRAME_INDEXES_MAX 64

struct orma_dataframe_table {
    char *name;
    struct orma_dataframe *frame;
    bool dropped; /* by a transaction that may still be rolled back */
    char *indexes[ORMA_DATAFRAME_INDEXES_MAX];
    unsigned indexes_num;
};

/* SQLITE_OK or an error. */
int orma_dataframe_tables_register(struct orma_sql *sql);
void orma_dataframe_tables_fini(struct orma_sql *sql);

/* Takes a reference. 0 or -ENOMEM. */
int orma_dataframe_tables_add(struct orma_sql *sql, const char *name, struct orma_dataframe *frame,
                              uint64_t *ret_id);

/* Its CREATE failed: the next sweep frees it. */
void orma_dataframe_tables_drop(struct orma_sql *sql, uint64_t id);

/* The newest of that name: one whose creation was rolled back may still be there. NULL: none. */
struct orma_dataframe_table *orma_dataframe_tables_find(struct orma_sql *sql, const char *name);

/* Frees what was dropped, once no rollback can bring it back. */
void orma_dataframe_tables_sweep(struct orma_sql *sql);
#endif
