/*
 * The account of an import as tests look at it: for each file and unit, units = those that were
 * read + those that were counted, and no unit without a word.
 */
#ifndef ORMA_TESTS_SUPPORT_ACCOUNT_H
#define ORMA_TESTS_SUPPORT_ACCOUNT_H
#include "processor/store/storage.h"

/* What is wrong with it, after an import that did not fail; NULL: nothing. Valid until the next
 * call. */
const char *account_wrong(const struct orma_storage *storage);

/* The same for those who ask: it gives no row. */
#define ACCOUNT_WRONG_SQL                                                                          \
    "SELECT trace_id, unit, max(units), sum(count) FROM import_account WHERE units IS NOT NULL "   \
    "GROUP BY trace_id, unit HAVING max(units) != sum(count) OR sum(reason = 'no word') > 0"
#endif
