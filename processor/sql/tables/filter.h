/*
 * Filters on columns: what WHERE asks of a table, without SQLite in between.
 *
 * A filter is one comparison of one column with a constant, brought into the
 * form that is cheapest to test. A set of filters is applied to a range of
 * rows at a time. Comparisons follow SQLite's rules for a column of the
 * declared type: numbers against texts, NULLs, doubles against integers.
 */
#ifndef ORMA_PROCESSOR_SQL_FILTER_H
#define ORMA_PROCESSOR_SQL_FILTER_H
#include <sqlite3.h>

#include "processor/store/storage.h"

enum orma_filter_kind {
    ORMA_FILTER_NONE_PASS, /* no row */
    ORMA_FILTER_NOT_NULL,
    ORMA_FILTER_NULL,
    ORMA_FILTER_RANGE, /* lo <= integer <= hi */
    ORMA_FILTER_NOT_INT,
    ORMA_FILTER_DOUBLE, /* `op` against d */
    ORMA_FILTER_STR_ID, /* string id == lo */
    ORMA_FILTER_NOT_STR_ID,
    ORMA_FILTER_STR,       /* `op` against text */
    ORMA_FILTER_ARG,       /* the set in the column has an arg with the key lo */
    ORMA_FILTER_IN,        /* one of `values`: integers, or ids of strings */
    ORMA_FILTER_IN_DOUBLE, /* the same, doubles */
    ORMA_FILTER_MATCH,     /* GLOB or LIKE `text` */
};

/* Beside SQLite's operators, in plans: IN. */
#define ORMA_FILTER_OP_IN 1000

struct orma_filter {
    enum orma_filter_kind kind;
    unsigned col;
    int op; /* SQLITE_INDEX_CONSTRAINT_* */
    int64_t lo, hi;
    double d;
    struct orma_str text; /* owned by the filter: malloc */
    /* IN: rising, each once; owned. With `bits`: bit value - values[0]. */
    union {
        int64_t *values;
        double *doubles;
    };
    uint32_t values_num, values_cap;
    uint64_t *bits;
    uint8_t *matches; /* MATCH: by string id, 0 not known yet, 1 no, 2 yes; owned */
    uint32_t matches_num;
};

/* True if this operator on this kind of column can be taken over whole. */
bool orma_filter_can(const struct orma_column_def *def, int op);

/* False: memory is out. `val` may be NULL for IS NULL and IS NOT NULL. */
bool orma_filter_init(struct orma_filter *self, struct orma_storage *storage,
                      const struct orma_column_def *def, unsigned col, int op, sqlite3_value *val);

/*
 * The same for IN: `next` gives the values one after the other and NULL at the end.
 */
bool orma_filter_init_in(struct orma_filter *self, struct orma_storage *storage,
                         const struct orma_column_def *def, unsigned col,
                         sqlite3_value *(*next)(void *data), void *data);

/* The value as an integer column would hold it; false: no integer is equal to it. */
bool orma_filter_integer_of(sqlite3_value *val, int64_t *ret);

/* One of these texts, by their ids: in any order, some perhaps twice. Takes `ids` over: malloc. */
void orma_filter_init_ids(struct orma_filter *self, unsigned col, int64_t *ids, uint32_t num);

void orma_filter_fini(struct orma_filter *self);

/* Keeps of `rows` those that pass; returns how many. */
uint32_t orma_filter_apply(struct orma_filter *self, struct orma_storage *storage,
                           const struct orma_table *table, uint32_t *rows, uint32_t num);

/* The same for the rows first, first+1, ... first+num-1, written to `rows`. */
uint32_t orma_filter_apply_range(struct orma_filter *self, struct orma_storage *storage,
                                 const struct orma_table *table, uint32_t first, uint32_t num,
                                 uint32_t *rows);
#endif
