#include "tests/support/account.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define CELL(column, row) orma_table_int(t, ORMA_IMPORT_ACCOUNT_##column, row)

static char wrong[200];

/* The rows of one file and unit follow each other. */
static bool is_same(const struct orma_table *t, uint32_t a, uint32_t b)
{
    return CELL(TRACE_ID, a) == CELL(TRACE_ID, b) && CELL(UNIT, a) == CELL(UNIT, b) &&
           !orma_table_is_null(t, ORMA_IMPORT_ACCOUNT_UNITS, b);
}

const char *account_wrong(const struct orma_storage *storage)
{
    const struct orma_table *t = &storage->tables[ORMA_TABLE_IMPORT_ACCOUNT];

    for (uint32_t row = 0, next; row < t->rows; row = next) {
        uint64_t counted = 0;

        next = row + 1;
        if (orma_table_is_null(t, ORMA_IMPORT_ACCOUNT_UNITS, row))
            continue;
        for (next = row; next < t->rows && is_same(t, row, next); next++) {
            counted += (uint64_t)CELL(COUNT, next);
            if (!strcmp(orma_strpool_cstr(&storage->pool, (uint32_t)CELL(REASON, next)), "no word"))
                counted = UINT64_MAX / 2;
        }
        if (counted == (uint64_t)CELL(UNITS, row))
            continue;
        snprintf(wrong, sizeof(wrong), "%.100s: %" PRId64 " units, of which %s%" PRIu64 " ended",
                 orma_strpool_cstr(&storage->pool, (uint32_t)CELL(UNIT, row)), CELL(UNITS, row),
                 counted >= UINT64_MAX / 2 ? "some without a word, " : "", counted);
        return wrong;
    }
    return NULL;
}
