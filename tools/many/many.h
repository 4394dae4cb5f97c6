/*
 * One question to many traces: a process for each, side by side, and their rows in one table.
 *
 *   files ─► processes (load, ask, write rows to a file of their own) ─► database: result, traces
 * ─► last question
 *
 * The rows of a trace come into the database in one transaction when its process is done, so none
 * is there by half. A database that is kept knows which traces it has (path, size, time of change):
 * asked again, only others are loaded.
 */
#ifndef ORMA_TOOLS_MANY_MANY_H
#define ORMA_TOOLS_MANY_MANY_H
#include "processor/export/csv.h"

#define ORMA_MANY_PATTERNS_MAX 64

struct orma_many {
    const char *program; /* in messages */
    const char *patterns[ORMA_MANY_PATTERNS_MAX];
    size_t patterns_num;
    const char *sql;
    const char *then;     /* asked of the table `result` at the end; NULL: all of it */
    const char *metadata; /* names of the table metadata that become columns, with ',' between;
                             NULL: none */
    const char *file;     /* the database; NULL: one that is gone at the end */
    unsigned jobs;        /* processes; 0: as many as there are cpus */
    bool full_sort;
    uint64_t query_timeout_ms; /* for one trace; 0: none */
    enum orma_print_form form;
};

/* What to exit with: 0, or 1 if a trace failed, or all did. */
int orma_many_run(const struct orma_many *self);
#endif
