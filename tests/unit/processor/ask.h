/* The one number that a query gives. */
#ifndef ORMA_TESTS_UNIT_PROCESSOR_ASK_H
#define ORMA_TESTS_UNIT_PROCESSOR_ASK_H
#include <criterion/criterion.h>

#include "processor/processor.h"

static inline int64_t ask(struct orma_processor *tp, const char *sql)
{
    struct orma_query *q;

    cr_assert_eq(orma_query_prepare(tp, sql, SIZE_MAX, &q, NULL), 0, "%s",
                 orma_processor_error(tp));
    cr_assert_eq(orma_query_step(q), 1, "%s", orma_processor_error(tp));
    int64_t ret = orma_query_int64(q, 0);
    orma_query_free(q);
    return ret;
}
#endif
