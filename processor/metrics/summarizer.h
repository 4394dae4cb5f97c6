/*
 * Summarizers: structured queries whose tables last.
 *
 * A client that builds queries step by step gives the whole specification (TraceSummarySpec) again
 * after each step. Queries that did not change, and need none that did, keep their tables; a table
 * is made when it is first asked for. A summarizer has a name; clients of one processor share them.
 *
 *     orma_summarizers_new(sql, &all);
 *     orma_summarizers_create(all, name);
 *     orma_summarizers_update(all, name, spec, &result);          UpdateSummarizerSpecResult
 *     orma_summarizers_query(all, name, query_id, &result);       QuerySummarizerResult
 *     orma_summarizers_destroy(all, name);
 *     orma_summarizers_free(all);                                 before the engine is closed
 *
 * Errors are texts, valid until the next call; those of update and query are in their results.
 */
#ifndef ORMA_PROCESSOR_METRICS_SUMMARIZER_H
#define ORMA_PROCESSOR_METRICS_SUMMARIZER_H
#include "processor/sql/engine.h"
#include "sdk/base/buf.h"

struct orma_summarizers;

/* 0, -ENOMEM. */
int orma_summarizers_new(struct orma_sql *sql, struct orma_summarizers **ret);

/* Drops their tables. */
void orma_summarizers_free(struct orma_summarizers *self);

/* NULL, or what is wrong: the name is empty or taken, or there are too many. */
const char *orma_summarizers_create(struct orma_summarizers *self, struct orma_str name);

/* NULL, or that there is none of that name. */
const char *orma_summarizers_destroy(struct orma_summarizers *self, struct orma_str name);

/* Takes the queries of the specification in place of those before. */
void orma_summarizers_update(struct orma_summarizers *self, struct orma_str name,
                             struct orma_str spec, struct orma_buf *out);

/* Makes the table of a query, and describes it. */
void orma_summarizers_query(struct orma_summarizers *self, struct orma_str name,
                            struct orma_str query, struct orma_buf *out);
#endif
