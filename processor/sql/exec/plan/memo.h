/* What SQLite was asked is remembered: by text, or by the arguments that a call met last. */
#ifndef ORMA_PROCESSOR_SQL_EXEC_PLAN_MEMO_H
#define ORMA_PROCESSOR_SQL_EXEC_PLAN_MEMO_H
#include "processor/sql/exec/base/query.h"

/* The tag of a value that was not asked for yet. */
#define EXEC_UNKNOWN 0
/* Calls that are remembered. */
#define EXEC_CALLS_KEPT 1024

struct orma_exec_memo {
    struct orma_exec_memo *next;
    sqlite3_stmt *stmt;
    uint32_t num; /* texts there is room for */
    uint32_t calls;
    uint8_t *tags; /* EXEC_UNKNOWN: not asked yet */
    int64_t *vals;
};

/* Arguments and their value; `tags` of a free one are EXEC_UNKNOWN. */
struct orma_exec_kept_call {
    uint8_t tags[EXEC_PARAMS_MAX + 1];
    int64_t vals[EXEC_PARAMS_MAX];
    int64_t ret;
};

struct orma_exec_call {
    struct orma_exec_call *next;
    sqlite3_stmt *stmt;
    uint32_t texts;       /* that it gave */
    uint64_t rows, calls; /* that were made for so many rows */
    struct orma_exec_kept_call kept[EXEC_CALLS_KEPT];
};

#endif
