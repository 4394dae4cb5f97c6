/* What the tests of formats share: a trace loaded in pieces, and the rows of a question. */
#ifndef ORMA_TESTS_UNIT_PROCESSOR_FORMATS_FX_H
#define ORMA_TESTS_UNIT_PROCESSOR_FORMATS_FX_H
#include <criterion/criterion.h>

#include "processor/processor.h"
#include "sdk/base/buf.h"

/* All rows as "a|b|c" lines. */
static inline void rows(struct orma_processor *tp, const char *sql, struct orma_buf *out)
{
    struct orma_query *q;

    cr_assert_eq(orma_query_prepare(tp, sql, SIZE_MAX, &q, NULL), 0, "%s",
                 orma_processor_error(tp));
    orma_buf_clear(out);
    while (orma_query_step(q) == 1)
        for (unsigned i = 0; i < orma_query_columns(q); i++)
            orma_buf_printf(out, "%s%s", orma_query_text(q, i),
                            i + 1 < orma_query_columns(q) ? "|" : "\n");
    orma_query_free(q);
}

static inline int load(struct orma_processor *tp, const void *data, size_t len, size_t step)
{
    int r = 0;

    for (size_t at = 0; at < len && !r; at += step)
        r = orma_processor_feed(tp, (const char *)data + at, ORMA_MIN(step, len - at));
    return r ? r : orma_processor_finish(tp);
}
#endif
