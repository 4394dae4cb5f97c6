/*
 * Indexes on columns, made when equality on a column is asked for again.
 *
 * An index is the rows in order of their value (equal ones in order of rows).
 * When the table has grown since, a new one is made and the old one left alone.
 */
#ifndef ORMA_PROCESSOR_SQL_INDEX_H
#define ORMA_PROCESSOR_SQL_INDEX_H
#include "processor/sql/engine.h"

/* Tables shorter than this are scanned. */
#define ORMA_INDEX_ROWS_MIN 256

struct orma_sql_index {
    struct orma_sql_index *next;
    const struct orma_table *table;
    unsigned col;
    uint32_t uses;  /* asked for so often without an index */
    uint32_t rows;  /* of the table when it was made; 0: not made */
    uint32_t *perm; /* rows by value; NULLs are left out */
    uint32_t perm_num;
    int64_t min;
    uint32_t *starts; /* values min + i begin at starts[i]; NULL: search by halves */
    uint32_t starts_num;
};

void orma_sql_indexes_fini(struct orma_sql *self);

/* The table is going away. */
void orma_sql_indexes_drop(struct orma_sql *self, const struct orma_table *table);

/* Equality on the column will be asked for: the index is made the first time. */
void orma_sql_index_expect(struct orma_sql *self, const struct orma_table *table, unsigned col);

/*
 * The rows whose value is `val`, if the column has an index by now. False: there
 * is none (yet), or no memory for one: scan.
 */
bool orma_sql_index_find(struct orma_sql *self, const struct orma_table *table, unsigned col,
                         int64_t val, const uint32_t **ret_rows, uint32_t *ret_num);
#endif
