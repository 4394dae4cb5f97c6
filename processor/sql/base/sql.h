/*
 * A connection: what all folders of processor/sql share about it.
 *
 * The struct belongs to engine.c, which opens and closes it. Errors: a call that
 * fails leaves its text and traceback in `error`, which the next call from outside
 * clears. Calls nest (a function may run a script); inner errors are wrapped by
 * the outer calls on their way out.
 *
 * What a query can do is in tables that engine.c hands in: `builtins` (functions,
 * table functions, modules) and `statements` (one function for each kind of
 * statement of the dialect). Nothing below calls those by name.
 *
 * Threads: one at a time; only orma_sql_interrupt() may come from another.
 */
#ifndef ORMA_PROCESSOR_SQL_BASE_SQL_H
#define ORMA_PROCESSOR_SQL_BASE_SQL_H
#include <sqlite3.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/types.h>

#include "processor/sql/base/memory.h"
#include "processor/sql/base/reads.h"
#include "processor/sql/dialect/macro.h"
#include "processor/store/storage.h"
#include "sdk/base/map.h"

struct orma_sql_builtins;
struct orma_statement;
struct orma_packages;
struct orma_crew;
struct orma_deferred;

/* What runs: script/runner.c. */
struct orma_sql_run {
    int depth;     /* calls into the engine that are running */
    int operators; /* operators that are reading their sources, nested; operators/span_join.c */
    _Atomic bool interrupted;
    bool making_anew; /* the connection: half of one would be of use to nobody; engine.c */
    bool data_ready;  /* engine.c */
};

/* What a script may use up: limits.c. */
struct orma_sql_limits {
    struct orma_sql_memory memory;
    uint64_t deadline_ns; /* of the script that runs, by CLOCK_MONOTONIC; 0: none */
    uint64_t asked_ns;    /* of the last look, by the same clock */
    uint64_t owner_ns;    /* when given.should_stop() was asked last, by the same clock */
    int progress_steps;   /* of SQLite between two looks */
    bool out_of_time;     /* it was stopped */
};

/* Whether the executor (exec/exec.h) is asked: ORMA_EXEC in the environment. */
enum orma_exec_mode {
    ORMA_EXEC_MODE_AUTO, /* where it is worth it */
    ORMA_EXEC_MODE_OFF,
    ORMA_EXEC_MODE_ON,   /* first, and for small tables, too */
    ORMA_EXEC_MODE_BOTH, /* the same, and SQLite runs the statement, too */
};

/* Optimizations of SQLite that are off, since older versions do them wrong: sqlite/older.h. */
struct orma_sql_older {
    unsigned off;        /* for this statement; */
    unsigned always_off; /* for all, since a view or function needs it */
};

/* What tables/ notes while SQLite prepares a statement, for exec/. */
struct orma_sql_planner {
    bool planned; /* there was one */
    bool args;    /* it reads ids of sets of args */
    bool rowids;  /* it may read numbers of rows */
    struct orma_sql_older older;
    bool distinct;            /* the statement is a SELECT DISTINCT */
    bool off;                 /* orma_columnar(0) */
    bool aggregates_replaced; /* by functions of the user with the same names */
    uint32_t rows_max;        /* of the tables that were planned */
    uint32_t rows_min; /* smaller tables are left to SQLite, unless the mode says otherwise */
    /* Rows that one thread works on at a time, and how few are not worth several. */
    uint32_t piece_rows, shared_rows_min;
    uint64_t shared; /* jobs that several did to the end */
    enum orma_exec_mode exec;
    bool by_columns;              /* the statement at hand is read by columns, if it can be */
    sqlite3_stmt *given;          /* it has parameters where the one at hand has values: its names
                                     and loops count; NULL: there is none */
    struct orma_exec_plan *plans; /* of statements that live; exec/exec.c */
    struct orma_sql_reads reads;  /* what SQLite found in the statement at hand */
    unsigned unlike; /* statements in which the executor found other columns than SQLite */
    const char *why; /* the executor gave the last statement up; NULL: it did not */
    /* What a table function lacks in plans that were refused for it; "": nothing. Another plan may
     * have it; if none has, this is what was wrong: base/tvf.h. */
    char lacks[160];
};

/* Tables made by CREATE PERFETTO TABLE: tables/dataframe_tables.c. */
struct orma_sql_dataframes {
    struct orma_map tables; /* id -> struct orma_dataframe_table */
    uint64_t last_id;
    unsigned dropped; /* those of `tables` that wait for orma_dataframe_tables_sweep() */
    sqlite3_module module;
};

/* What the program sets that opened the connection. */
struct orma_sql_given {
    bool file_access; /* SQL may read and write files */
    /* SQL writes neither the loaded file nor what else the program reads: is_input() has the name
     * of the input that an output called `path` would overwrite; NULL: there is none. */
    dev_t input_dev;
    ino_t input_ino; /* 0: none */
    const char *(*is_input)(const char *path);
    uint64_t time_limit_ns; /* for a script from its begin; 0: none */
    /* Asked now and then in the thread of the query: should it stop? NULL: nobody is asked. */
    int (*should_stop)(void *data);
    void *should_stop_data;
    /* Called when the connection is there, and again after orma_sql_reset(): 0 or -errno. */
    int (*on_open)(void *data);
    void *on_open_data;
    /* Folders where __intrinsic_symbolize() may look, and how; NULL: it must be allowed to read
     * files, and takes those of this machine. */
    char *binary_paths, *binary_mode;
    /* What export_json() calls; NULL: there is none. 0 or -errno. */
    int (*export_json)(void *data, const char *path);
    void *export_data;
};

struct orma_sql {
    sqlite3 *db;
    struct orma_storage *storage;
    struct orma_crew *crew;                   /* threads/crew.h: its owner's; NULL: one thread */
    const struct orma_sql_builtins *builtins; /* base/builtins.h */
    /* By enum orma_statement_kind: carries out a statement, 0 or -errno with the error set. */
    int (*const *statements)(struct orma_sql *sql, const struct orma_statement *stmt);
    /* Whether a function that a script made gives the same for the same arguments as long as no
     * table changes. */
    bool (*is_steady)(struct orma_sql *sql, struct orma_str name, int args);
    /* Makes what a statement needs of modules that were included; script/deferred.c. 0 or -errno
     * with the error set. */
    int (*need)(struct orma_sql *sql, struct orma_str statement);

    struct orma_sql_error error;
    struct orma_buf error_text; /* what orma_sql_error_text() gives */
    int error_offset;           /* of the last failure, into its script; -1: unknown */
    struct orma_sql_run run;
    struct orma_sql_limits limits;
    struct orma_sql_planner planner;
    struct orma_sql_dataframes dataframes;
    uint64_t tables_generation;     /* changes when tables are made or dropped */
    struct orma_macros macros;      /* dialect/macro.h */
    unsigned left_out;              /* statements of a foreign prelude that failed: script/stub.c */
    struct orma_buf left_out_first; /* the first of their errors */

    /* Parts that only their files look into; those that are made when first needed may be NULL. */
    struct orma_index *indexes;                        /* tables/index.c; when needed */
    struct orma_number_texts *number_texts;            /* tables/number_texts.c; when needed */
    struct orma_derived *derived;                      /* tables/derived.c; when needed */
    struct orma_packages *packages;                    /* script/packages.c */
    struct orma_deferred *deferred;                    /* script/deferred.c; when needed */
    struct orma_sql_user_func *user_funcs;             /* script/user_func.c: a list */
    struct orma_sql_user_table_func *user_table_funcs; /* script/user_table_func.c: a list */
    struct orma_mipmap_rows *mipmaps;                  /* operators/mipmap.c: a list */
    struct orma_sqlstats *stats;                       /* script/sqlstats.c; when needed */
    struct orma_sql_timeline *timelines[2];            /* functions/time.c; when needed, malloc */
    int64_t bounds_start, bounds_end;                  /* of the trace: functions/time.c */
    sqlite3 *plain;                                    /* functions/heavy.c; when needed */
    struct orma_symbolizer *symbolizer;                /* profiles/symbolize.c; when needed */

    struct orma_sql_given given;
};

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
    return atomic_load_explicit(&self->run.interrupted, memory_order_relaxed) &&
           !self->run.making_anew;
}

/* Memory and time: interrupts what has had enough of them. */
void orma_sql_look_at_limits(struct orma_sql *self);

/* Has SQLite look at the limits between its steps: soon in a statement that begins, then after as
 * many steps as take a few milliseconds. */
void orma_sql_watch_steps(struct orma_sql *self);

/*
 * For loops in functions and operators: true when they should stop and fail, because somebody said
 * so, because the query gathers more than the memory holds, or because its time is over. In the
 * thread of the query only.
 */
static inline bool orma_sql_is_interrupted(struct orma_sql *self)
{
    if (++self->limits.memory.looks % ORMA_SQL_MEMORY_LOOKS == 0)
        orma_sql_look_at_limits(self);
    return orma_sql_is_told_to_stop(self);
}

/* How often loops look whether they should stop, in steps. */
#define ORMA_INTERRUPT_STEPS 4096

static inline bool orma_sql_should_stop(struct orma_sql *sql, uint64_t step)
{
    return step % ORMA_INTERRUPT_STEPS == 0 && orma_sql_is_interrupted(sql);
}

/*
 * Before rows of a table of the storage are read: they may not be parsed yet (store/late.h). An
 * SQLite code. What is no longer there is told by the flag `stale`, as for args.
 */
int orma_sql_settle_table(struct orma_sql *sql, const struct orma_table *table);
/* The same before ids of sets of args are read (store/args.h). */
int orma_sql_settle_args(struct orma_sql *sql);
static inline int orma_sql_settle(struct orma_sql *sql, const struct orma_table *table)
{
    return ORMA_UNLIKELY(table->waits) ? orma_sql_settle_table(sql, table) : SQLITE_OK;
}

/* In the callbacks of functions: the engine they were registered with. */
static inline struct orma_sql *orma_sql_of(sqlite3_context *ctx)
{
    return sqlite3_user_data(ctx);
}

/* The time limit counts from now. */
void orma_sql_start_clock(struct orma_sql *sql);

/* Whether the script or its library made a plain table of that name. */
bool orma_sql_has_table(struct orma_sql *sql, const char *name);

/* Runs statements of our own making, no dialect. An SQLite code. */
int orma_sql_run_plain(struct orma_sql *sql, const char *statement);

#endif
