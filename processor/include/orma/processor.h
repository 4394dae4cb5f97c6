/*
 * The trace processor: bytes of traces in, answers in SQL out. Link with `pkg-config --libs
 * orma_processor`.
 *
 *     #include <inttypes.h>
 *     #include <stdio.h>
 *     #include <orma/processor.h>
 *
 *     int main(int argc, char **argv)
 *     {
 *         const char *sql = "SELECT ts, name FROM slice WHERE dur > ?";
 *         struct orma_processor *tp;
 *         struct orma_query *q;
 *
 *         if (argc < 2 || orma_processor_new(NULL, &tp) < 0)
 *             return 2;
 *         int r = orma_processor_load_file(tp, argv[1], NULL, NULL);
 *         if (r == 0)
 *             r = orma_query_prepare(tp, sql, ORMA_WHOLE, &q, NULL);
 *         if (r == 0) {
 *             orma_query_bind_int64(q, 1, 1000000);
 *             while ((r = orma_query_step(q)) == 1)
 *                 printf("%" PRId64 " %s\n", orma_query_int64(q, 0), orma_query_text(q, 1));
 *             orma_query_free(q);
 *         }
 *         if (r < 0)
 *             fprintf(stderr, "%s\n", orma_processor_error(tp));
 *         orma_processor_free(tp);
 *         return r < 0;
 *     }
 *
 * Errors: functions return 0 (or more) on success and a negative errno otherwise; the text for
 * people is orma_processor_error(). Results come last, are called ret_x, and are set on success
 * only.
 *
 * Units: nanoseconds of the trace's clock in rows, milliseconds (_ms) and bytes in settings. Texts
 * are UTF-8 and end with a zero. Bytes of a trace may be anything: nothing is trusted.
 *
 * Ownership: what a function named _new, _open or _prepare gives is the caller's, to be freed by
 * the one named _free or _close. Texts and bytes of a row are the query's and are gone with its
 * next step. Queries and scripts are freed before their processor.
 *
 * Threads: any number of processors may live side by side, nothing is shared. A processor, with its
 * queries, is used by one thread at a time; only orma_processor_interrupt() may come from another
 * one. A large load has helpers (threads, and processes while frames get names), which have ended
 * when the call returns. A thread that loads or asks needs a stack of at least 512 KiB.
 *
 * Signals: while a file is mapped (orma_processor_load_file()), the process has a handler for
 * SIGBUS, which passes on what is not about such a file. A program that wants none feeds bytes
 * instead.
 *
 * fork(): the child must not touch processors of its parent, not even to free them. It may make its
 * own, whatever other threads of the parent were doing. exec() is fine at any time: all descriptors close.
 *
 * Unloading: the library stays mapped after dlclose().
 *
 * Versions: symbols carry the version that brought them. Structs that callers fill begin with their
 * size and grow at the end only; what is behind the end that the library knows must be zero.
 */
#ifndef ORMA_PROCESSOR_H
#define ORMA_PROCESSOR_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef ORMA_API
#define ORMA_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* As a length: up to the terminator. */
#define ORMA_WHOLE SIZE_MAX

struct orma_processor;
struct orma_query;
struct orma_script_run;

/* "0.1.0": of the library that runs, not of this header. */
ORMA_API const char *orma_processor_version(void);

/* Zero-initialised but for `size`, which is sizeof(struct), is the default. */
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
    /* The process may have as much in memory, pages of files not counted: a load or query that goes
     * beyond it, and has added to it, fails with -ENOMEM. 0: seven eighths of what the machine or
     * the container has, for queries. */
    uint64_t memory_limit_bytes;
};

/* 0, -EINVAL (the size), -ENOMEM, -EIO (SQLite does not start). `config` may be NULL. */
ORMA_API int orma_processor_new(const struct orma_processor_config *config,
                                struct orma_processor **ret);

/* NULL is fine. */
ORMA_API void orma_processor_free(struct orma_processor *self);

/* What went wrong last, for people; "" if nothing did. Valid until the next call. */
ORMA_API const char *orma_processor_error(const struct orma_processor *self);

/* Where in the text the last failed prepare went wrong, in bytes; -1: unknown. */
ORMA_API int orma_processor_error_offset(const struct orma_processor *self);

/* ---- loading ---- */

/*
 * A trace that was loaded before comes from an image of it in milliseconds, with the same rows.
 * Before orma_processor_load_file(), of which alone there are images. "auto": they are in the
 * user's folder ($XDG_CACHE_HOME/orma or ~/.cache/orma), and loads of more than 0.2 s leave one; a
 * path: in that folder, and all loads leave one; "off", or not called: there are none; NULL: what
 * the variable ORMA_CACHE says, or "auto". ORMA_CACHE_LIMIT is how much they all may take ("500mb";
 * 4g). The image is written before the load returns, by no other process or thread. A folder that
 * takes none, or that others can write to, is no error. -EINVAL: the setting means nothing;
 * -ENOMEM.
 */
ORMA_API int orma_processor_use_cache(struct orma_processor *self, const char *setting);

/* Called now and then while loading; other than 0 stops the load with -ECANCELED. */
typedef int orma_progress_fn(void *data, uint64_t bytes_done, uint64_t bytes_total);

/*
 * Loads and finishes. `progress` may be NULL. A regular file is mapped until the processor is freed
 * (see Signals above). -EBUSY: one is loaded already; -EBADMSG: no trace, or of no known format;
 * -ENOMEM: or beyond the limit; -ECANCELED; -ESTALE: somebody wrote over the file meanwhile; what
 * opening and reading give. A damaged trace is no error: what is not damaged is loaded, the table
 * `stats` has what was lost.
 */
ORMA_API int orma_processor_load_file(struct orma_processor *self, const char *path,
                                      orma_progress_fn *progress, void *data);

/* The same piece by piece, in any sizes; the bytes are copied. No queries before the end. */
ORMA_API int orma_processor_feed(struct orma_processor *self, const void *data, size_t len);
ORMA_API int orma_processor_finish(struct orma_processor *self);

/* Bytes of the trace that were read, unpacked ones counted as packed. */
ORMA_API uint64_t orma_processor_size(const struct orma_processor *self);

/* From another thread: stops the load or query that runs; it fails with -ECANCELED. */
ORMA_API void orma_processor_interrupt(struct orma_processor *self);

/* ---- queries ---- */

enum orma_value_type {
    ORMA_VALUE_NULL,
    ORMA_VALUE_INT64,
    ORMA_VALUE_DOUBLE,
    ORMA_VALUE_TEXT,
    ORMA_VALUE_BLOB,
};

/*
 * Prepares the first statement of `sql`. *ret_rest, if not NULL, is set to what follows it. 0; 1 if
 * there is no statement (blanks or comments, *ret is then NULL); -EINVAL with the error text set.
 */
ORMA_API int orma_query_prepare(struct orma_processor *self, const char *sql, size_t len,
                                struct orma_query **ret, const char **ret_rest);
/* NULL is fine. */
ORMA_API void orma_query_free(struct orma_query *self);

/* 1: a row, 0: no more rows, -errno: failed (-ECANCELED: interrupted, or out of time). */
ORMA_API int orma_query_step(struct orma_query *self);

/*
 * Parameters (?, ?5, :name, @name, $name) count from 1. They are NULL until they are bound, stay
 * bound over a reset, and are bound before the first step. Texts and blobs are copied. -ERANGE:
 * there is no such parameter; -EBUSY: the query runs, reset it first; -ENOMEM.
 */
ORMA_API unsigned orma_query_parameters(const struct orma_query *self);
/* The number of ":name"; 0: there is none. */
ORMA_API unsigned orma_query_parameter(const struct orma_query *self, const char *name);
ORMA_API int orma_query_bind_null(struct orma_query *self, unsigned param);
ORMA_API int orma_query_bind_int64(struct orma_query *self, unsigned param, int64_t value);
ORMA_API int orma_query_bind_double(struct orma_query *self, unsigned param, double value);
ORMA_API int orma_query_bind_text(struct orma_query *self, unsigned param, const char *text,
                                  size_t len);
ORMA_API int orma_query_bind_blob(struct orma_query *self, unsigned param, const void *data,
                                  size_t len);

/*
 * To the begin: the next step gives the first row again. 0, or -errno if what it reads is no longer
 * there. Statements of PerfettoSQL (CREATE PERFETTO TABLE, INCLUDE, ...) were carried out when they
 * were prepared; they are not again.
 */
ORMA_API int orma_query_reset(struct orma_query *self);

ORMA_API unsigned orma_query_columns(const struct orma_query *self);
ORMA_API const char *orma_query_column_name(const struct orma_query *self, unsigned col);

/* Of the current row; columns count from 0. Each type can be asked for: SQLite's rules convert. */
ORMA_API enum orma_value_type orma_query_type(const struct orma_query *self, unsigned col);
ORMA_API int64_t orma_query_int64(const struct orma_query *self, unsigned col);
ORMA_API double orma_query_double(const struct orma_query *self, unsigned col);
ORMA_API const char *orma_query_text(const struct orma_query *self, unsigned col);
ORMA_API const void *orma_query_blob(const struct orma_query *self, unsigned col);
/* Of the text (without its terminator) or the blob. */
ORMA_API size_t orma_query_bytes(const struct orma_query *self, unsigned col);

/* The same, for who reads all cells: `num` of them, from the first column on, in one call. */
struct orma_cell {
    enum orma_value_type type;
    bool stays;   /* `data` is there until the processor is freed, not only until the next step */
    size_t bytes; /* of `data`; 0 for numbers */
    union {
        int64_t whole;
        double real;
        const void *data; /* text or blob; a text of NULL: memory is out */
    };
};
ORMA_API void orma_query_cells(const struct orma_query *self, unsigned num, struct orma_cell *ret);

/*
 * False for statements that are run for their effect: those of PerfettoSQL, functions that give
 * nothing, a single column suppress_query_output. May run up to the first row.
 */
ORMA_API bool orma_query_has_output(struct orma_query *self);

/* False for statements of PerfettoSQL: what they give instead of rows has no columns. */
ORMA_API bool orma_query_has_columns(const struct orma_query *self);

/*
 * All statements of a text, with places in errors that count from its begin. `name` is what
 * tracebacks call it (NULL: stdin). Statements of PerfettoSQL are carried out when they are reached
 * and give a query without rows.
 * orma_script_step: 1 and *ret, 0 at the end, -errno (the script is over then).
 * orma_script_offset: bytes up to behind the last statement.
 */
ORMA_API int orma_script_open(struct orma_processor *self, const char *sql, size_t len,
                              const char *name, struct orma_script_run **ret);
ORMA_API int orma_script_step(struct orma_script_run *self, struct orma_query **ret);
ORMA_API size_t orma_script_offset(const struct orma_script_run *self);
/* Nothing but blanks, comments and semicolons is left. `sql` must still be there. */
ORMA_API bool orma_script_at_end(const struct orma_script_run *self);
ORMA_API void orma_script_close(struct orma_script_run *self);

/* ---- columns ---- */

struct ArrowArrayStream; /* orma/arrow.h, or anybody's definition of it */

enum orma_arrow_flags {
    ORMA_ARROW_DICTIONARIES = 1, /* texts as numbers (int32) in a dictionary of their batch */
    ORMA_ARROW_EXACT = 2,        /* values of two types in one column end the stream with EDOM */
};

/*
 * The rows as columns, in batches of at most `rows` (0: 65536), by the C interface of Apache Arrow:
 * no copy is made for pyarrow, pandas, polars, DuckDB and all others that speak it.
 *
 * Types are int64, double, utf8 and binary. SQL has types for values, not for columns: that of a
 * column is what its first values are, where whole numbers and others are doubles, and texts and
 * numbers are texts. Up to a million rows are looked at for a value that is not NULL. A later value
 * that does not fit ends the stream with EDOM, and an error that says what to CAST.
 *
 * Takes the query on success: it is freed when the stream is released, which must be before its
 * processor is. Batches belong to nobody but their holder, and outlive all. The stream is used like
 * a query: by one thread at a time.
 *
 * 0, -ENOMEM, -EINVAL (no columns), or what the first step of the query gives.
 */
ORMA_API int orma_query_arrow(struct orma_query *self, uint64_t rows, unsigned flags,
                              struct ArrowArrayStream *ret);

/* ---- modules ---- */

/*
 * Every *.sql below `dir` becomes a module of the package `name` (NULL: the name of the folder);
 * files with another dot in their path are skipped and counted. An existing package is an error
 * unless `replace`. `ret_skipped` may be NULL.
 */
ORMA_API int orma_processor_add_sql_package(struct orma_processor *self, const char *dir,
                                            const char *name, bool replace, unsigned *ret_skipped);

/* A module of a package that is given as text: its key ("package.path.name") and its SQL. */
struct orma_module_text {
    const char *key;
    const char *sql;
};

/* The same from memory; everything is copied. */
ORMA_API int orma_processor_add_sql_modules(struct orma_processor *self, const char *package,
                                            const struct orma_module_text *modules, size_t num,
                                            bool replace);

/* Drops every table, view, function, macro and index made since loading. No query may be open. */
ORMA_API int orma_processor_restore(struct orma_processor *self);

/* ---- metrics and summaries ---- */

enum orma_message_format { ORMA_MESSAGE_BINARY, ORMA_MESSAGE_TEXT, ORMA_MESSAGE_JSON };

/* The TraceMetrics message of these metrics; a zero follows it. The caller frees it by orma_free().
 */
ORMA_API int orma_processor_compute_metrics(struct orma_processor *self, const char *const *names,
                                            size_t num, enum orma_message_format format, char **ret,
                                            size_t *ret_len);

/*
 * The TraceSummary of these specs: each a TraceSummarySpec as text (its length is 0, or lengths is
 * NULL) or in binary. `metrics` NULL: all; `metadata` is the id of a query, or NULL.
 */
ORMA_API int orma_processor_summarize(struct orma_processor *self, const char *const *specs,
                                      const size_t *lengths, size_t specs_num,
                                      const char *const *metrics, size_t metrics_num,
                                      const char *metadata, enum orma_message_format format,
                                      char **ret, size_t *ret_len);

ORMA_API void orma_free(void *data);

#ifdef __cplusplus
}
#endif
#endif
