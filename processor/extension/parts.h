/*
 * The parts of orma_sqlite.so: orma_sqlite.c has the functions, table.c traces
 * that are open and columns of their tables, plan.c queries, scan.c rows.
 */
#ifndef ORMA_PROCESSOR_EXTENSION_PARTS_H
#define ORMA_PROCESSOR_EXTENSION_PARTS_H

#include <stdbool.h>
#include <stdint.h>

#include "processor/include/orma/processor.h"

/* The functions of the host, whose SQLite need not be the one that the processor has. */
#define sqlite3_api orma_extension_api
#include <sqlite3ext.h>
extern const sqlite3_api_routines *sqlite3_api;

/* Before the number of a value in a plan. */
#define ORMA_EXTENSION_PLACE '\1'
/* Around a comparison that holds by the affinity of texts only: ORMA_EXTENSION_LOOSE, number of its
 * value, space, comparison, ORMA_EXTENSION_LOOSE_END. */
#define ORMA_EXTENSION_LOOSE '\2'
#define ORMA_EXTENSION_LOOSE_END '\3'
#define ORMA_EXTENSION_LOOSE_MAX 64
#define ORMA_EXTENSION_ROWS_GUESS 100000.0

struct orma_extension_trace {
    struct orma_extension_trace *next;
    struct orma_processor *tp;
    char *schema;
    unsigned refs; /* of the registry, and of its tables */
};

struct orma_extension_registry {
    sqlite3 *db;
    struct orma_extension_trace *traces;
    unsigned refs; /* of functions and modules */
    bool aux_safe; /* processor/sql/base/aux_terms.h: of the host */
};

struct orma_extension_table {
    sqlite3_vtab base;
    struct orma_extension_trace *trace;
    char *name;
    int columns;
    char **names;
    bool *numeric;  /* the column compares as numbers */
    bool aux_safe;  /* as of the registry */
    int id;         /* the column `id`; -1: there is none */
    bool looked;    /* the next two are known */
    bool id_unique; /* whole numbers, each once */
    double rows;
};

/* The error of the table, for the host; what to return to it. */
int orma_extension_fail_table(struct orma_extension_table *t, const char *text);

/* Was sqlite3_interrupt() called for what the host runs? For orma_processor_ask_to_stop(). */
int orma_extension_host_stops(void *db);

/* The same for the error of its trace. */
int orma_extension_fail(struct orma_extension_table *t, int error);

/* Methods of the module. */
int orma_extension_connect(sqlite3 *db, void *data, int argc, const char *const *argv,
                           sqlite3_vtab **ret, char **ret_error);

int orma_extension_disconnect(sqlite3_vtab *base);

int orma_extension_best_index(sqlite3_vtab *base, sqlite3_index_info *info);

/* Virtual tables, of which a trace has one each. */
extern const sqlite3_module orma_extension_module;

void orma_extension_trace_unref(struct orma_extension_trace *t);

/* Where the trace of this schema is in the list, or would be. */
struct orma_extension_trace **orma_extension_find_trace(struct orma_extension_registry *r,
                                                        const char *schema);

#endif
