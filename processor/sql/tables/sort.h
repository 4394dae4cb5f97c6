/*
 * Rows of a table in the order of columns: ORDER BY below SQLite.
 *
 * Order of values is SQLite's: NULL, then numbers, then texts by their bytes.
 * Sorting is stable: equal rows stay as they came, for falling keys too. That
 * is what SQLite's own sorter gives, so results do not depend on who sorts.
 */
#ifndef ORMA_PROCESSOR_SQL_SORT_H
#define ORMA_PROCESSOR_SQL_SORT_H
#include "processor/sql/base/sql.h"

struct orma_sort_key {
    unsigned col;
    bool desc;
};

/* False: memory is out, or `sql` was interrupted; the rows are then in any order. */
bool orma_sort_rows(struct orma_sql *sql, const struct orma_table *table,
                    const struct orma_sort_key *keys, unsigned keys_num, uint32_t *rows,
                    uint32_t num);

/* The same in the order of the table. */
bool orma_sort_by_row(struct orma_sql *sql, uint32_t *rows, uint32_t num);

/* Whether SQL reads NULL there: no value, a NaN, a computed value below zero. */
bool orma_sort_is_null(const struct orma_table *table, unsigned col, uint32_t row);

/* Compares the texts of two ids of the pool, NULL (0) first. */
int orma_sort_compare_text(const struct orma_strpool *pool, uint32_t a, uint32_t b);

/*
 * The best few of many rows that are offered in blocks. Numbers only.
 */
struct orma_top {
    const struct orma_table *table;
    struct orma_sort_key key;
    struct orma_top_row *heap; /* the worst of those kept is first */
    uint32_t num, max;
    uint64_t seen;
};

/* True if the key of such a column can be kept in an orma_top. */
bool orma_top_can(const struct orma_table *table, unsigned col);

/* False: memory is out. */
bool orma_top_init(struct orma_top *self, const struct orma_table *table, struct orma_sort_key key,
                   uint32_t max);
void orma_top_add(struct orma_top *self, const uint32_t *rows, uint32_t num);

/* Keeps of `rows` those that are no worse than the worst of those kept so far, as far as this key
 * goes; returns how many. */
uint32_t orma_top_sieve(const struct orma_top *self, uint32_t *rows, uint32_t num);

/* Writes the rows in order; returns how many. `rows` has room for `max`. */
uint32_t orma_top_take(struct orma_top *self, uint32_t *rows);
void orma_top_fini(struct orma_top *self);
#endif
