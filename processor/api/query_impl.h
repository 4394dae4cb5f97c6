/*
 * What the modules above the C API may see of a query: for who reads many cells, each of which
 * costs a call and a lock otherwise; query.c makes queries, cells.c reads their rows.
 */
#ifndef ORMA_PROCESSOR_API_QUERY_IMPL_H
#define ORMA_PROCESSOR_API_QUERY_IMPL_H
#include <sqlite3.h>

#include "processor/processor.h"
#include "processor/sql/exec/exec.h"
#include "processor/sql/script/runner.h"
#include "processor/store/strpool.h"

/* The row that the query is at; it belongs to the query and is gone with its next step. */
struct orma_query_row {
    sqlite3_stmt *stmt;                     /* that has it; NULL: it is in columns */
    const struct orma_exec_column *columns; /* texts are numbers in `pool` */
    uint32_t at, columns_num;
    uint32_t left; /* so many rows are in the columns from `at` on */
    const struct orma_strpool *pool;
};

struct orma_query {
    struct orma_processor *tp;
    struct orma_sql_stmt *stmt;
    const struct orma_strpool *pool;
    char *scratch; /* a number as text */
};
#define ORMA_QUERY_SCRATCH 40

static inline struct orma_query_row orma_query_row(const struct orma_query *self)
{
    const struct orma_sql_stmt *stmt = self->stmt;

    if (!stmt->plan)
        return (struct orma_query_row){.stmt = stmt->stmt};
    return (struct orma_query_row){.columns = stmt->batch.columns,
                                   .at = stmt->batch_at,
                                   .columns_num = stmt->batch.columns_num,
                                   .left = stmt->batch.rows - stmt->batch_at,
                                   .pool = self->pool};
}

/* The query is at a row further on, of those that are left. */
static inline void orma_query_skip(struct orma_query *self, uint32_t rows)
{
    self->stmt->batch_at += rows;
}
#endif
