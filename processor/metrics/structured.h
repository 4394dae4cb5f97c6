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
    char table[40];       /* its table; "": not made yet */
    bool is_view;         /* it is a view instead */
    bool busy;            /* being made: asking for it again is a cycle */
    struct orma_buf uses; /* of a summarizer: ids of others that it was made of, each with a zero */
    struct orma_buf sql;  /* of a summarizer: what its table was made of */
};

struct orma_structured {
    struct orma_sql *sql;
    struct orma_structured_query *queries;
    size_t queries_num;
    unsigned tables; /* made so far, for their names */
    unsigned nested; /* tables that are being made, each for the one before */
    struct orma_buf error;

    /* ---- of summarizers (summarizer.h) ---- */

    unsigned owner;           /* their number; 0: of a summary, which makes tables only */
    bool inlined;             /* shared queries are written out: nothing is made */
    struct orma_buf *modules; /* gets the names of included modules, each with a zero; or NULL */
    struct orma_structured_query *making;
};

/* Appends the SQL of the query `msg`. 0, -EINVAL with `error`, -ENOMEM. */
int orma_structured_sql(struct orma_structured *self, struct orma_str msg, struct orma_buf *out);

/* The same for a shared query: its own SQL, or SELECT * of the table that was made of it. */
int orma_structured_sql_of(struct orma_structured *self, struct orma_str id, struct orma_buf *out);

/* Makes the table of a shared query if it has none yet, and those that it needs. 0, -EINVAL,
 * -ENOMEM. */
int orma_structured_make(struct orma_structured *self, struct orma_structured_query *query);

/* Drops the table of one query, if it was made; then those of all. */
void orma_structured_drop_one(struct orma_structured *self, struct orma_structured_query *query);
void orma_structured_drop(struct orma_structured *self);

/* Sets `error`. Returns -EINVAL. */
int orma_structured_fail(struct orma_structured *self, const char *fmt, ...) ORMA_PRINTF(2, 3);

/* ---- reading messages: the last field of that number ---- */

bool orma_msg_str(struct orma_str msg, uint32_t id, struct orma_str *ret);
bool orma_msg_int(struct orma_str msg, uint32_t id, int64_t *ret);
#endif
