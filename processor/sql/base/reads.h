/*
 * Columns of tables that a statement names, as numbers that can be compared: names in any case.
 * SQLite says which it found while it prepares a statement; who resolves names himself can look
 * whether he found the same.
 */
#ifndef ORMA_PROCESSOR_SQL_BASE_READS_H
#define ORMA_PROCESSOR_SQL_BASE_READS_H
#include <stdbool.h>

#include "sdk/base/str.h"
#include "sdk/base/vec.h"

struct orma_sql_read {
    uint64_t table, column; /* the column of that table */
    bool named;             /* false: the table alone, of which no column is read */
};

struct orma_sql_reads {
    ORMA_VEC(struct orma_sql_read) list; /* some several times */
    bool on;                             /* it is written */
    bool failed;                         /* memory was out: some are missing */
};

static inline uint64_t orma_sql_reads_hash(uint64_t hash, struct orma_str name)
{
    for (size_t i = 0; i < name.len; i++) {
        char c = name.data[i];

        hash = (hash ^ (uint8_t)(c >= 'A' && c <= 'Z' ? c + 'a' - 'A' : c)) * 1099511628211u;
    }
    return (hash ^ '.') * 1099511628211u;
}

static inline uint64_t orma_sql_reads_table(struct orma_str table)
{
    return orma_sql_reads_hash(14695981039346656037u, table);
}

static inline void orma_sql_reads_add(struct orma_sql_reads *self, struct orma_str table,
                                      struct orma_str column)
{
    struct orma_sql_read r = {.table = orma_sql_reads_table(table), .named = column.len > 0};

    r.column = orma_sql_reads_hash(r.table, column);
    self->failed |= ORMA_VEC_PUSH(&self->list, r) < 0;
}

static inline void orma_sql_reads_fini(struct orma_sql_reads *self)
{
    ORMA_VEC_FINI(&self->list);
}
#endif
