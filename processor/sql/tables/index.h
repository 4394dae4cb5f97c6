/*
 * Indexes on columns, made when a column is asked for again.
 *
 * An index is the rows in order of their value: NULLs first, then as SQLite
 * orders values, equal ones in order of rows.
 *
 *   perm   [ rows with NULL | rows with the smallest value | ... | largest ]
 *   spans  value - min  ─►  from, to in perm     where values lie near each other
 *
 * It serves equality, lists of values, ORDER BY, and says how many rows a value
 * has. When the table has grown since, a new one is made and the old one left
 * alone: a cursor may still walk it.
 */
#ifndef ORMA_PROCESSOR_SQL_INDEX_H
#define ORMA_PROCESSOR_SQL_INDEX_H
#include "processor/sql/base/sql.h"

/* Tables shorter than this are scanned. */
#define ORMA_INDEX_ROWS_MIN 256

struct orma_sql_span {
    uint32_t from, to;
};

struct orma_index {
    struct orma_index *next;
    const struct orma_table *table;
    unsigned col;
    uint32_t uses;  /* asked for so often without an index */
    uint32_t rows;  /* of the table when it was made; 0: not made */
    uint32_t *perm; /* all rows */
    uint32_t nulls; /* so many at the begin of `perm` */
    int64_t min;
    struct orma_sql_span *spans; /* of the values min + i; NULL: search by halves */
    uint32_t spans_num;
    double per_value;        /* rows that a value has on average, estimated; 0: not known yet */
    uint32_t per_value_rows; /* of the table when that was estimated */
};

void orma_indexes_fini(struct orma_sql *self);

/* The table is going away. */
void orma_indexes_drop(struct orma_sql *self, const struct orma_table *table);

/* Equality on the column will be asked for: the index is made the first time. */
void orma_index_expect(struct orma_sql *self, const struct orma_table *table, unsigned col);

/*
 * The index of a column, if it has one by now. NULL: there is none (yet), or no
 * memory for one. `now`: it is worth making at once.
 */
const struct orma_index *orma_index_get(struct orma_sql *self, const struct orma_table *table,
                                        unsigned col, bool now);

/* The rows whose value (integer, or id of a text) is `val`: a range of perm. */
struct orma_sql_span orma_index_span(const struct orma_index *self,
                                     const struct orma_storage *storage, int64_t val);

/*
 * The rows whose value is `val`, rising, if the column has an index by now. False: there is none
 * (yet), or no memory for one: scan.
 */
bool orma_index_find(struct orma_sql *self, const struct orma_table *table, unsigned col,
                     int64_t val, const uint32_t **ret_rows, uint32_t *ret_num);

/* Where the run of equal values begins whose last row is perm[last]. */
uint32_t orma_index_run(const struct orma_index *self, uint32_t last);

/* How many rows a value of the column has on average: for estimates. At least 1. */
double orma_index_per_value(struct orma_sql *self, const struct orma_table *table, unsigned col);
#endif
