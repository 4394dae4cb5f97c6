/*
 * SQL over a storage: one SQLite connection with every table of the storage as
 * a virtual table, views and modules on top of them, our functions, operators
 * and the PerfettoSQL dialect.
 *
 *   script ─► dialect/ ─► statement ─┬─► SQLite                       rows
 *   (exec.h)                         ├─► CREATE TABLE, INDEX          perfetto_table.c
 *                                    ├─► CREATE FUNCTION              user_func.c,
 * user_table_func.c ├─► CREATE MACRO                 dialect/macro.h └─► INCLUDE modules.c ─►
 * script
 *
 * New native functions and table-valued modules are rows of tables named in
 * natives.c (struct orma_sql_func, struct orma_sql_module); views are rows in
 * views.c, everything else that SQL can say for itself is a module in stdlib/.
 *
 * Errors: a call that fails leaves its text and traceback in `error`, which the
 * next call from outside clears. Calls nest (a function may run a script);
 * inner errors are wrapped by the outer calls on their way out.
 *
 * Threads: one at a time; only orma_sql_interrupt() may come from another.
 */
#ifndef ORMA_PROCESSOR_SQL_ENGINE_H
#define ORMA_PROCESSOR_SQL_ENGINE_H
#include <sqlite3.h>
#include <stdatomic.h>
#include <stddef.h>

#include "processor/sql/base/memory.h"
#include "processor/sql/dialect/macro.h"
#include "processor/store/storage.h"
#include "sdk/base/map.h"

struct orma_sql_packages;
struct orma_vtab;

struct orma_sql {
    sqlite3 *db;
    struct orma_storage *storage;
    struct orma_sql_index *indexes; /* made on first use: see index.h */
    struct orma_sql_error error;
    struct orma_buf error_text;     /* what orma_sql_error_text() gives */
    unsigned left_out;              /* statements of a foreign prelude that failed */
    struct orma_buf left_out_first; /* the first of their errors */
    int error_offset;               /* of the last failure, into its script; -1: unknown */
    int depth;                      /* calls into the engine that are running */
    int operators;                  /* operators that are reading their sources, nested */
    _Atomic bool interrupted;
    bool making_anew; /* the connection: half of one would be of use to nobody */
    struct orma_sql_memory memory;
    uint64_t time_limit_ns; /* for a script from its begin; 0: none. Set by the owner */
    uint64_t deadline_ns;   /* of the script that runs, by CLOCK_MONOTONIC; 0: none */
    bool out_of_time;       /* it was stopped */
    struct orma_macros macros;
    struct orma_map
        frames; /* tables made by CREATE PERFETTO TABLE: id -> struct orma_frame_table */
    uint64_t next_frame;
    unsigned frames_dropped;     /* those of `frames` that wait for orma_frame_tables_sweep() */
    sqlite3_module frame_module; /* of these tables */
    struct orma_sql_user_func *user_funcs;             /* user_func.c */
    struct orma_sql_user_table_func *user_table_funcs; /* user_table_func.c */
    struct orma_sql_packages *packages;                /* modules.c */
    struct orma_timeline *timelines[2];                /* functions/time.c; each one malloc */
    int64_t bounds_start, bounds_end;                  /* of the trace */
    /* columnar.c: the table of the statement that is being prepared, and whether it has more. */
    const struct orma_vtab *planned;
    bool planned_mixed;
    bool columnar_off, aggregates_replaced;
    struct orma_derived *derived; /* derived.c */
    uint64_t tables_generation;   /* changes when tables are made or dropped */
    /* Called when the connection is there, and again after orma_sql_reset(): 0 or -errno. */
    int (*on_open)(void *data);
    void *on_open_data;
    bool data_ready;
    bool file_access; /* SQL may read and write files */
    /* Folders where __intrinsic_symbolize() may look, and how, set by the owner; NULL: it must be
     * allowed to read files, and takes those of this machine. */
    char *binary_paths, *binary_mode;
    struct orma_symbolizer *symbolizer; /* operators/symbolize.c; made when first needed */
    struct orma_sqlstats *stats;        /* sqlstats.h; made when first needed */
    /* What export_json() calls, set by the owner; NULL: there is none. 0 or -errno. */
    int (*export_json)(void *data, const char *path);
    void *export_data;
};

struct orma_sql_func {
    const char *name; /* NULL ends a table */
    int args;         /* -1: any number */
    int flags;        /* SQLITE_DETERMINISTIC, ... */
    void (*scalar)(sqlite3_context *ctx, int argc, sqlite3_value **argv);
    void (*step)(sqlite3_context *ctx, int argc, sqlite3_value **argv);
    void (*final)(sqlite3_context *ctx);
    void (*value)(sqlite3_context *ctx); /* window functions: value and inverse too */
    void (*inverse)(sqlite3_context *ctx, int argc, sqlite3_value **argv);
    /* For the page of functions: "(a, b) -> LONG" and one sentence. NULL: not for people. */
    const char *usage, *doc;
};

struct orma_sql_module {
    const char *name; /* NULL ends a table */
    const sqlite3_module *module;
    const char *usage, *doc;
};

/* 0, -ENOMEM, or -EIO with an error. The storage must outlive it. */
int orma_sql_open(struct orma_storage *storage, struct orma_sql **ret);
void orma_sql_close(struct orma_sql *self);

/*
 * Makes the connection anew, as it was after orma_sql_data_ready(): tables, views, functions,
 * macros and indexes made since are gone, and modules can be included again. No statement may be
 * open. Cannot be interrupted. 0 or -EIO.
 */
int orma_sql_reset(struct orma_sql *self);

/* The data is complete: things that depend on it (trace bounds) are made anew. 0 or -EIO. */
int orma_sql_data_ready(struct orma_sql *self);

/* Text and traceback of the last failure; "" if there was none. Valid until the next call. */
const char *orma_sql_error_text(struct orma_sql *self);

/*
 * Stops the script that runs in another thread, or in the one that a signal handler interrupts:
 * its statement fails with -ECANCELED at the next look, and so does what it runs after that. Sets
 * a flag only; without effect when nothing runs.
 */
void orma_sql_interrupt(struct orma_sql *self);

/* The flag alone. */
static inline bool orma_sql_is_told_to_stop(struct orma_sql *self)
{
    return atomic_load_explicit(&self->interrupted, memory_order_relaxed) && !self->making_anew;
}

/* Memory and time: interrupts what has had enough of them. */
void orma_sql_look_at_limits(struct orma_sql *self);

/*
 * For loops in functions and operators: true when they should stop and fail, because somebody said
 * so, because the query gathers more than the memory holds, or because its time is over. In the
 * thread of the query only.
 */
static inline bool orma_sql_is_interrupted(struct orma_sql *self)
{
    if (++self->memory.looks % ORMA_SQL_MEMORY_LOOKS == 0)
        orma_sql_look_at_limits(self);
    return orma_sql_is_told_to_stop(self);
}

/* In the callbacks of functions: the engine they were registered with. */
static inline struct orma_sql *orma_sql_of(sqlite3_context *ctx)
{
    return sqlite3_user_data(ctx);
}

/* ---- parts, in their own files ---- */

struct orma_sql_view {
    const char *name, *sql; /* CREATE VIEW name AS sql */
};
extern const struct orma_sql_view orma_sql_views[]; /* views.c; NULL name at the end */

/* Registers all native functions and modules. 0 or an SQLite code. natives.c */
int orma_natives_register(struct orma_sql *self);

/* The native function of that name; `args` -2: with any number of arguments. NULL: none. */
const struct orma_sql_func *orma_natives_find(struct orma_str name, int args);
bool orma_natives_has_module(struct orma_str name);
int orma_natives_register_as(struct orma_sql *self, const char *name,
                             const struct orma_sql_func *func);

/* Every table of native functions and of modules; NULL ends. For tests and documents. */
extern const struct orma_sql_func *const orma_native_funcs[];
extern const struct orma_sql_module *const orma_native_modules[];

/* Registers every table of the storage. 0 or an SQLite code. vtab.c */
int orma_vtab_register(struct orma_sql *self);

/* A virtual table over `table`, to be freed by xDisconnect of orma_vtab_table. An SQLite code. */
int orma_vtab_new(sqlite3 *db, struct orma_sql *sql, struct orma_table *table, sqlite3_vtab **ret);
extern const sqlite3_module orma_vtab_table;

/* Of a virtual table made by orma_vtab_new(). */
struct orma_sql *orma_vtab_sql(sqlite3_vtab *base);
struct orma_table *orma_vtab_get_table(sqlite3_vtab *base);

/* The args table, which has rows that are made on demand: as stored, and with display_value. */
extern const sqlite3_module orma_vtab_args;

/* The value of an arg as result of a function or column. */
void orma_sql_result_arg(sqlite3_context *ctx, const struct orma_storage *st,
                         const struct orma_arg *arg);

/* Numbers of cpus are unique among machines by steps of this. */
#define ORMA_SQL_UCPUS_PER_MACHINE 4096
#endif
