/*
 * Rows that wait: of families that the import noted, and parses when somebody asks.
 *
 * A family is a set of tables that nobody else sees: no row of another table, and no number that is
 * given to one, depends on theirs. While items of it wait, its tables are marked, and so is that of
 * the statistics, which the items count in. Whoever reads a marked table settles it before:
 *
 *     if (table->waits) r = orma_storage_settle(storage, table, stop, data);
 *
 * What is read all the same trips an assertion. Settling does what the import would have done, in
 * the same order; when it is stopped, it goes on there the next time. Threads: that of the import.
 */
#ifndef ORMA_PROCESSOR_STORE_LATE_H
#define ORMA_PROCESSOR_STORE_LATE_H
#include <stdbool.h>
#include <stdint.h>

#include "processor/store/table_defs.h"

struct orma_storage;
struct orma_table;

enum orma_family {
    ORMA_FAMILY_NONE,
    ORMA_FAMILY_HEAP_GRAPH, /* heaps of managed languages, object by object */
    ORMA_FAMILIES_NUM
};

struct orma_storage_late {
    unsigned waiting; /* families with items that wait, as bits */
    uint64_t bytes;   /* of all items that waited */
    /* Times of rows that will be: the bounds of the trace are known before them. */
    bool has_times;
    int64_t first, last;
    /* Parses what waits of a family. 0, -ECANCELED: stopped; -ENOMEM, -ESTALE. */
    int (*settle)(void *data, enum orma_family family);
    void *data;
    /* While it does: whether it must stop. NULL: it goes on to the end. */
    bool (*stop)(void *data);
    void *stop_data;
};

/* An item of the family waits, or none any longer: marks its tables. */
void orma_storage_mark_family(struct orma_storage *self, enum orma_family family, bool waits);

/* Rows that are bounds of the trace will have this time. */
void orma_storage_expect_time(struct orma_storage *self, int64_t ts);

/*
 * Makes a marked table whole. 0; -ECANCELED when `stop` (which may be NULL) says so; -ENOMEM;
 * -ESTALE: the bytes of the trace that would be read are not those that were loaded.
 */
int orma_storage_settle(struct orma_storage *self, const struct orma_table *table,
                        bool (*stop)(void *data), void *data);

/* The same for all tables. */
int orma_storage_settle_all(struct orma_storage *self);
#endif
