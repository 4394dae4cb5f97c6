/*
 * Structured queries (PerfettoSqlStructuredQuery): queries as messages, turned
 * into SQL.
 *
 *   WITH sq_0 AS (SELECT ...), sq_1 AS (SELECT ... FROM sq_0 ...) SELECT * FROM sq_1
 *
 * Queries that others name by id become tables when they are first needed. The
 * messages come from outside: nesting and cycles are limited.
 */
#ifndef ORMA_PROCESSOR_METRICS_STRUCTURED_H
#define ORMA_PROCESSOR_METRICS_STRUCTURED_H
#include "processor/sql/engine.h"
#include "sdk/base/buf.h"

/* A shared query. */
struct orma_structured_query {
    struct orma_str id; /* slices of the specs */
    struct orma_str msg;
    char table[40]; /* its table; "": not made yet */
    bool busy;      /* being made: asking for it again is a cycle */
};

struct orma_structured {
    struct orma_sql *sql;
    struct orma_structured_query *queries;
    size_t queries_num;
    unsigned tables; /* made so far, for their names */
    struct orma_buf error;
};

/* Appends the SQL of the query `msg`. 0, -EINVAL with `error`, -ENOMEM. */
int orma_structured_sql(struct orma_structured *self, struct orma_str msg, struct orma_buf *out);

/* The same for a shared query: its own SQL, or SELECT * of the table that was made of it. */
int orma_structured_sql_of(struct orma_structured *self, struct orma_str id, struct orma_buf *out);

/* Drops the tables that were made. */
void orma_structured_drop(struct orma_structured *self);

/* Sets `error`. Returns -EINVAL. */
int orma_structured_fail(struct orma_structured *self, const char *fmt, ...) ORMA_PRINTF(2, 3);

/* ---- reading messages: the last field of that number ---- */

bool orma_msg_str(struct orma_str msg, uint32_t id, struct orma_str *ret);
bool orma_msg_int(struct orma_str msg, uint32_t id, int64_t *ret);
#endif
