/*
 * Tables that people query, as projections of stored ones: columns renamed,
 * put in another order or computed from others, and a fixed choice of rows.
 *
 * They are virtual tables of their own rather than views, because SQLite can't
 * see through a view on the right of a LEFT JOIN: it would copy all of it.
 * Which there are stands in projections.tsv.
 */
#ifndef ORMA_PROCESSOR_SQL_PROJ_H
#define ORMA_PROCESSOR_SQL_PROJ_H
#include <stdint.h>

enum orma_proj_op {
    ORMA_PROJ_COL,  /* column `col` of the stored table */
    ORMA_PROJ_CPU,  /* the cpu's number in its machine, from a ucpu column */
    ORMA_PROJ_SUM,  /* col + other, as ts + dur */
    ORMA_PROJ_ARG,  /* the arg `key` of the set in column `col` */
    ORMA_PROJ_NULL, /* always NULL */
};

struct orma_proj_column {
    const char *name; /* NULL ends the list */
    uint8_t op;       /* enum orma_proj_op */
    uint16_t col, other;
    const char *key;
};

enum orma_proj_choice {
    ORMA_CHOOSE_ALL,
    ORMA_CHOOSE_TEXT,     /* col = text */
    ORMA_CHOOSE_NOT_NULL, /* col IS NOT NULL */
    ORMA_CHOOSE_ZERO,     /* col = 0 */
    ORMA_CHOOSE_ARG,      /* the set in `col` has the arg `text` */
};

#define ORMA_PROJ_CHOICES_MAX 2

struct orma_proj {
    const char *name; /* NULL ends the table */
    uint16_t table;   /* enum orma_table_id */
    const struct orma_proj_column *columns;
    struct {
        uint8_t choice; /* enum orma_proj_choice */
        uint16_t col;
        const char *text;
    } choices[ORMA_PROJ_CHOICES_MAX];
};

extern const struct orma_proj orma_vtab_projs[];
#endif
