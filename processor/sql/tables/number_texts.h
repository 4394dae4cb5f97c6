/*
 * Texts of the pool that look like numbers, by their number.
 *
 * SQLite compares a text with a number as numbers if the other side of the comparison has a
 * numeric affinity ('07' and '7.0' are 7 then), and as texts otherwise. A virtual table is not told
 * which; so it gives the rows of both, and SQLite looks again.
 */
#ifndef ORMA_PROCESSOR_SQL_NUMBER_TEXTS_H
#define ORMA_PROCESSOR_SQL_NUMBER_TEXTS_H
#include "processor/sql/base/sql.h"
#include "sdk/base/vec.h"

ORMA_VEC_STRUCT(orma_text_ids, int64_t);

/*
 * Adds the ids of all texts that are equal to the value by any affinity, and perhaps of some that
 * are not. NULL is equal to none. The value may become a number. False: memory is out.
 */
bool orma_number_texts_equal(struct orma_sql *sql, sqlite3_value *val, struct orma_text_ids *ids);

/* NULL is fine. */
void orma_number_texts_free(struct orma_number_texts *self);
#endif
