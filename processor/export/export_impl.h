/*
 * What the exporters share: output in blocks, and rows of a query without error
 * handling at each step. Failure is sticky. Private to processor/serve.
 */
#ifndef ORMA_PROCESSOR_EXPORT_EXPORT_IMPL_H
#define ORMA_PROCESSOR_EXPORT_EXPORT_IMPL_H
#include "processor/export/export.h"
#include "sdk/base/buf.h"

struct orma_export_writer {
    struct orma_export *self;
    struct orma_buf out;
    int err;
};

struct orma_export_rows {
    struct orma_query *query;
    struct orma_export_writer *w;
};

/* To the sink when the buffer is large, or anyway. */
void orma_export_flush(struct orma_export_writer *self, bool all);

/* Frees the buffer; the result of all. */
int orma_export_fini(struct orma_export_writer *self);

struct orma_export_rows orma_export_rows(struct orma_export_writer *self, const char *sql);

/* False at the end, and after a failure; the query is freed then. */
bool orma_export_next(struct orma_export_rows *rows);

bool orma_export_is_null(const struct orma_export_rows *rows, unsigned col);
int64_t orma_export_int(const struct orma_export_rows *rows, unsigned col);
/* "" for NULL. */
struct orma_str orma_export_text(const struct orma_export_rows *rows, unsigned col);

/* ftrace.c: false, and sticky, if events of the kernels of several machines would mix. */
bool orma_export_one_kernel(struct orma_export_writer *self);
/* The same if `sql` gives a row that is not 0. */
bool orma_export_check(struct orma_export_writer *self, const char *sql, const char *refusal);

/* Has the trace kernel events? */
bool orma_export_has_ftrace(struct orma_export_writer *self);
/* The lines of the ftrace text with its head, without newlines. `where`: a condition of the rows of
 * ftrace_event; NULL: all. */
void orma_export_ftrace_lines(struct orma_export_writer *self, const char *where,
                              void (*line)(void *ctx, struct orma_str line), void *ctx);
#endif
