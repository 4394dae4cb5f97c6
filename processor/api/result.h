/*
 * Rows as QueryResult messages, in batches, as clients of the RPC read them.
 *
 * The texts of a batch stand first, one after the other with a zero behind each;
 * then the kinds of cells, the numbers, the doubles (padded to eight bytes in the
 * output), the blobs. A batch ends at whole rows, near 128 KiB or 50000 cells.
 */
#ifndef ORMA_PROCESSOR_API_RESULT_H
#define ORMA_PROCESSOR_API_RESULT_H
#include "processor/processor.h"
#include "sdk/base/buf.h"
#include "sdk/base/str.h"

/* The largest message that clients take. */
#define ORMA_RESULT_MAX (((size_t)256 << 20) - 1)

/*
 * Where messages go. begin() writes what stands in front of the fields of a QueryResult into
 * `buf`, which is empty; end() closes and sends it, and is false when nobody listens any more.
 */
struct orma_result_out {
    struct orma_buf buf;
    size_t base; /* bytes of earlier messages that stand in front of this one in one body */
    void (*begin)(struct orma_result_out *self);
    bool (*end)(struct orma_result_out *self);
    void *ctx;
};

/* Runs all statements of `sql` and sends the rows of the last one, or the error. At least one
 * message. */
void orma_result_query(struct orma_processor *tp, struct orma_str sql, struct orma_result_out *out);

/*
 * Runs the statement at `start`. *ret_tail, where the next one begins, and *ret_executed (false:
 * none is left, or it is no good) are set before the first end().
 */
void orma_result_statement(struct orma_processor *tp, struct orma_str sql, uint64_t start,
                           struct orma_result_out *out, uint64_t *ret_tail, bool *ret_executed);

/* A message with nothing but this error. */
void orma_result_refuse(struct orma_result_out *out, const char *error);

/*
 * A nested message that is closed in place: four bytes of size, or one where that is enough. What
 * is inside keeps its place in the first case, so that doubles stay aligned.
 */
size_t orma_result_open(struct orma_buf *out, uint32_t id);
void orma_result_close(struct orma_buf *out, size_t opened);
#endif
