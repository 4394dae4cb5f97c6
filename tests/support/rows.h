/*
 * Tables of a storage as text, so that a test compares all rows at once:
 *
 *     rows_expect(&storage, ORMA_TABLE_SLICE, "ts dur track_id.name {arg_set_id}",
 *                 "100 50 'Irq Cpu #2' ret=handled\n");
 *
 * Columns are separated by blanks. `a.b` follows the reference in `a` to column `b` of its table,
 * and `{a}` lists the arguments of the set in `a`. NULL is `-`; a text that is empty or holds a
 * blank stands in single quotes.
 */
#ifndef ORMA_TESTS_SUPPORT_ROWS_H
#define ORMA_TESTS_SUPPORT_ROWS_H
#include <criterion/criterion.h>
#include <stdlib.h>

#include "processor/store/storage.h"

/* To be freed. A column that does not exist aborts the test. */
char *rows_text(struct orma_storage *storage, enum orma_table_id table, const char *columns);

#define rows_expect(storage, table, columns, expected)                                             \
    do {                                                                                           \
        char *rows_are_ = rows_text(storage, table, columns);                                      \
                                                                                                   \
        cr_assert_str_eq(rows_are_, expected, "expected:\n%s\nthe rows are:\n%s", expected,        \
                         rows_are_);                                                               \
        free(rows_are_);                                                                           \
    } while (0)

/* A statistic of the first machine. */
#define rows_stat(storage, name) ((storage)->stats[0].single[ORMA_STAT_##name])
#endif
