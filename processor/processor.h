/*
 * The trace processor: bytes of a trace in, answers in SQL out.
 *
 *     struct orma_processor *tp;
 *     struct orma_query *q;
 *
 *     orma_processor_new(NULL, &tp);
 *     if (orma_processor_load_file(tp, path, NULL, NULL) < 0)
 *         puts(orma_processor_error(tp));
 *     if (!orma_query_prepare(tp, "SELECT name, dur FROM slice", SIZE_MAX, &q, NULL)) {
 *         while (orma_query_step(q) == 1)
 *             printf("%s %lld\n", orma_query_text(q, 0), (long long)orma_query_int64(q, 1));
 *         orma_query_free(q);
 *     }
 *     orma_processor_free(tp);
 *
 * Any number of processors may live side by side; nothing is shared. A
 * processor and its queries belong to one thread at a time, but for
 * orma_processor_interrupt(). Queries are freed before their processor.
 */
#ifndef ORMA_PROCESSOR_PROCESSOR_H
#define ORMA_PROCESSOR_PROCESSOR_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sdk/base/str.h"

struct orma_processor;
struct orma_query;
struct orma_script_run;

/* Zero-initialised is the default. `size` is sizeof(struct): it may grow. */
struct orma_processor_config {
    size_t size;
    bool full_sort;         /* sort everything at the end, never in windows */
    bool no_ftrace_raw;     /* no rows in ftrace_event */
    bool crop_track_events; /* only what lies in the range of interest */
    bool sql_file_access;   /* SQL may write files and attach databases */
    bool one_thread;        /* load on the calling thread alone. Else a second one helps with large
                             * traces where it makes them faster; the rows are the same */
    bool analyze_content;   /* what the bytes of packets are for: experimental_proto_content */
    uint64_t query_timeout_ms; /* a script that takes longer fails; 0: none does */
};

/* 0, -EINVAL, -ENOMEM, -EIO (SQLite does not start). `config` may be NULL. */
int orma_processor_new(const struct orma_processor_config *config, struct orma_processor **ret);

/* NULL is fine. */
void orma_processor_free(struct orma_processor *self);

/* What went wrong last, for people; "" if nothing did. Valid until the next call. */
const char *orma_processor_error(const struct orma_processor *self);

/* ---- loading ---- */

/* Called now and then while loading; other than 0 stops the load with -ECANCELED. */
typedef int orma_progress_fn(void *data, uint64_t bytes_done, uint64_t bytes_total);

/*
 * Loads and finishes. 0 or -errno; the text of the error tells more. A regular file is mapped until
 * the processor is freed; while it is, the process has a handler for SIGBUS, which passes on what
 * is not about such a file (read/mapped.h). -ESTALE: somebody wrote over the file meanwhile.
 */
int orma_processor_load_file(struct orma_processor *self, const char *path,
                             orma_progress_fn *progress, void *data);

/* The same piece by piece, in any sizes; the bytes are copied. */
int orma_processor_feed(struct orma_processor *self, const void *data, size_t len);
int orma_processor_finish(struct orma_processor *self);

/*
 * Names for frames that the trace has none for, found at the end of the load; of traces of packets
 * only. Before that end. -EINVAL: wrong mode; -ENOTSUP: the build cannot read binaries; what else
 * is wrong shows when the load ends. Texts are copied.
 */
struct orma_processor_names {
    /* Gets packets with what was found: behind the trace they name its frames for others, too. */
    void (*put)(void *data, const void *packets, size_t len);
    /* Told about each module whose frames were looked up. Both may be NULL. */
    void (*told)(void *data, const char *module);
    void *data;
};

struct orma_processor_symbols {
    const char *binary_paths;  /* folders with binaries, ':' between them; NULL: none */
    const char *mode;          /* find, index; NULL: find */
    bool this_machine;         /* without binary_paths: the binaries that are installed here */
    const char *proguard_maps; /* [PACKAGE=]PATH of mappings, ':' between them; NULL: none */
    /* URLs of debuginfod servers, blanks between them, asked about binaries without debug
     * information; NULL: the network is not used. */
    const char *servers;
    struct orma_processor_names names;
};
int orma_processor_set_symbols(struct orma_processor *self,
                               const struct orma_processor_symbols *symbols);

/*
 * A folder of images of traces that were loaded before: orma_processor_load_file() takes them
 * instead of importing again, with the same rows in all tables, and leaves one there for the next
 * time. Off unless this is called, before the load; not for traces whose frames get names, and not
 * for what is fed. NULL: off. 0 or -ENOMEM. See processor/cache/cache.h.
 */
struct orma_processor_cache {
    const char *folder;   /* made if it is not there; must be of the user alone. Copied */
    uint64_t limit_bytes; /* of all images; those that were not used for longest go. 0: 4 GiB */
    uint64_t slow_ms;     /* a load that took less leaves none; args that it left for later count */
    bool wait;            /* writes before the load returns, not in a process of its own */
};
int orma_processor_set_cache(struct orma_processor *self, const struct orma_processor_cache *cache);

/* What became of it in the last load, in a sentence; "": nothing. */
const char *orma_processor_cache_note(struct orma_processor *self);

/*
 * What of the file was skipped since it means nothing, after the load. Places and bytes are also in
 * the stats (`damaged_places`, `damaged_bytes`), each place is a row of _trace_import_logs.
 */
struct orma_processor_damage {
    uint64_t places, bytes;
    int64_t first_offset;   /* -1: there is none, or it is in a file inside that is packed */
    uint64_t cut_off_bytes; /* at the end: the begin of something that is not there */
};
struct orma_processor_damage orma_processor_damage(const struct orma_processor *self);

/* Stops the load or query that runs in another thread; it fails with -ECANCELED. */
void orma_processor_interrupt(struct orma_processor *self);

/* ---- queries ---- */

enum orma_value_type {
    ORMA_VALUE_NULL,
    ORMA_VALUE_INT64,
    ORMA_VALUE_DOUBLE,
    ORMA_VALUE_TEXT,
    ORMA_VALUE_BLOB,
};

/*
 * Prepares the first statement of `sql` (len SIZE_MAX: up to its end). *ret_rest,
 * if not NULL, is set to what follows it. 0; 1 if there is no statement (blanks
 * or comments, *ret is then NULL); -EINVAL with the error text set.
 */
int orma_query_prepare(struct orma_processor *self, const char *sql, size_t len,
                       struct orma_query **ret, const char **ret_rest);
void orma_query_free(struct orma_query *self);

/*
 * The same for all statements of a text, with places in errors that count from its begin. `name`
 * is what tracebacks call it (NULL: stdin). Statements of PerfettoSQL (CREATE PERFETTO TABLE,
 * INCLUDE, ...) are carried out when they are reached and give a query without rows.
 * orma_script_step: 1 and *ret, 0 at the end, -errno (the script is over then).
 * orma_script_offset: bytes up to behind the last statement.
 */
int orma_script_open(struct orma_processor *self, const char *sql, size_t len, const char *name,
                     struct orma_script_run **ret);
int orma_script_step(struct orma_script_run *self, struct orma_query **ret);
size_t orma_script_offset(const struct orma_script_run *self);
/* Nothing but blanks, comments and semicolons is left. `sql` must still be there. */
bool orma_script_at_end(const struct orma_script_run *self);
void orma_script_close(struct orma_script_run *self);

/*
 * False for statements that are run for their effect: those of PerfettoSQL, functions that give
 * nothing, a single column suppress_query_output. May run up to the first row.
 */
bool orma_query_has_output(struct orma_query *self);

/* False for statements of PerfettoSQL: what they give instead of rows has no columns. */
bool orma_query_has_columns(const struct orma_query *self);

/* The statement: as it was written, or for PerfettoSQL what was made of it. */
struct orma_str orma_query_sql(const struct orma_query *self);

/* 1: a row, 0: no more rows, -errno: failed (-ECANCELED: interrupted). */
int orma_query_step(struct orma_query *self);

unsigned orma_query_columns(const struct orma_query *self);
const char *orma_query_column_name(const struct orma_query *self, unsigned col);

/* Of the current row. Text ends with a zero; bytes are valid until the next step. */
enum orma_value_type orma_query_type(const struct orma_query *self, unsigned col);
int64_t orma_query_int64(const struct orma_query *self, unsigned col);
double orma_query_double(const struct orma_query *self, unsigned col);
const char *orma_query_text(const struct orma_query *self, unsigned col);
const void *orma_query_blob(const struct orma_query *self, unsigned col);
size_t orma_query_bytes(const struct orma_query *self, unsigned col);

/* Where in the text the last failed prepare went wrong, in bytes; -1: unknown. */
int orma_processor_error_offset(const struct orma_processor *self);

/* ---- modules ---- */

/*
 * Every *.sql below `dir` becomes a module of the package `name` (NULL: the name of the folder);
 * files with another dot in their path are skipped and counted. An existing package is an error
 * unless `replace`.
 */
int orma_processor_add_sql_package(struct orma_processor *self, const char *dir, const char *name,
                                   bool replace, unsigned *ret_skipped);

/* A module of a package that is given as text: its key ("package.path.name") and its SQL. */
struct orma_module_text {
    const char *key;
    const char *sql;
};

/* The same from memory; everything is copied. */
int orma_processor_add_sql_modules(struct orma_processor *self, const char *package,
                                   const struct orma_module_text *modules, size_t num,
                                   bool replace);

/* The folders in `dir` take the place of the whole embedded library. Before loading. */
int orma_processor_override_stdlib(struct orma_processor *self, const char *dir);

/*
 * How many statements of that library's prelude failed and were left out, because it describes data
 * that have no tables here; views that declare their columns are there, and empty. *ret_first: the
 * first error, valid until the next call; set if there was one. To be asked after loading.
 */
unsigned orma_processor_stdlib_left_out(const struct orma_processor *self, const char **ret_first);

/* Drops every table, view, function, macro and index made since loading. No query may be open. */
int orma_processor_restore(struct orma_processor *self);

/* ---- metrics ---- */

/* See processor/metrics/metrics.h and summary.h; belongs to the processor. */
struct orma_metrics;
struct orma_metrics *orma_processor_metrics(struct orma_processor *self);

/* ---- statistics ---- */

struct orma_processor_stat {
    const char *name;
    bool indexed;
    int64_t idx;
    const char *severity; /* info, notice, data_loss, error */
    const char *source;   /* trace, analysis */
    int64_t value;
};

/* Name of the format number `n` that can be loaded, as in the metadata trace_type; NULL past the
 * last. */
const char *orma_processor_format(unsigned n);

/* The stat number `n` of the finished trace; false past the last. */
bool orma_processor_stat(const struct orma_processor *self, uint32_t n,
                         struct orma_processor_stat *ret);

/* Bytes of the trace that were read, unpacked ones counted as packed. */
uint64_t orma_processor_size(const struct orma_processor *self);
#endif
