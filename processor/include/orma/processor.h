/*
 * The trace processor: loads traces and runs SQL on them. Link with `pkg-config --libs
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
 * Errors: functions return 0 (or more) on success and a negative errno otherwise;
 * orma_processor_error() is the message. Results come last, are called ret_x, and are set on
 * success only.
 *
 * Units: nanoseconds of the trace's clock in rows, milliseconds (_ms) and bytes in settings.
 * Strings are UTF-8 and end with a zero. The bytes of a trace may be anything: nothing in them is
 * trusted.
 *
 * Ownership: the caller owns what a function named _new, _open or _prepare returns, and frees it
 * with the one named _free or _close. Strings and bytes of a row belong to the query, and are valid
 * until its next step. Queries and scripts must be freed before their processor.
 *
 * Threads: any number of processors may exist at the same time; they share nothing. A processor,
 * with its queries, may be used by one thread at a time; only orma_processor_interrupt() may be
 * called from another one. Loading a large trace uses helpers (threads, and processes while frames
 * are symbolized), which have ended when the call returns. With more than one of `threads` (below),
 * large loads and queries start up to that many less one; they sleep between calls, with all
 * signals blocked but those of faults, and end when the processor is freed. A thread that loads or
 * queries needs a stack of at least 512 KiB.
 *
 * Signals: while a file is mapped (orma_processor_load_file()), the process has a SIGBUS handler,
 * which forwards signals that do not concern such a file. A program that does not want one can use
 * orma_processor_feed() instead.
 *
 * fork(): the child must not use processors of its parent, not even to free them. It may create its
 * own, whatever other threads of the parent were doing. exec() is fine at any time: all descriptors
 * are close-on-exec.
 *
 * Unloading: the library stays mapped after dlclose().
 *
 * Versions: symbols carry the version that introduced them. Structs that callers fill start with
 * their size and grow only at the end; members that the library does not know must be zero.
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

/* Version of the loaded library, not of this header: "0.1.0". */
ORMA_API const char *orma_processor_version(void);

/* Zero-initialised, with `size` set to sizeof(struct), means all defaults. */
struct orma_processor_config {
    size_t size;
    bool full_sort;         /* sort everything at the end, never in windows */
    bool no_ftrace_raw;     /* no rows in ftrace_event */
    bool crop_track_events; /* only the range of interest */
    bool sql_file_access;   /* SQL may write files and attach databases */
    bool one_thread; /* load on the calling thread only, whatever `threads` says. Otherwise a second
                        thread helps with large traces if that is faster; the rows are the same */
    bool analyze_content; /* what the bytes of packets are used for: experimental_proto_content */
    uint64_t query_timeout_ms; /* scripts that take longer fail; 0: no limit */
    /* Memory limit of the process, not counting pages of files: a load or query that exceeds it,
     * and has added to it, fails with -ENOMEM. 0: for queries, seven eighths of the memory of the
     * machine or container. */
    uint64_t memory_limit_bytes;
    /* Threads that load and query, the calling one included: at most 256. Rows, their order and
     * errors are the same for any number. 0: as the variable ORMA_THREADS says; without it one
     * queries, and a second one helps to load (see `one_thread`). */
    uint32_t threads;
};

/* 0, -EINVAL (the size, or too many threads), -ENOMEM, -EIO (SQLite does not start). `config` may
 * be NULL. */
ORMA_API int orma_processor_new(const struct orma_processor_config *config,
                                struct orma_processor **ret);

/* NULL is fine. */
ORMA_API void orma_processor_free(struct orma_processor *self);

/* The last error message; "" if there was no error. Valid until the next call. */
ORMA_API const char *orma_processor_error(const struct orma_processor *self);

/* Byte offset of the error in the SQL of the last failed prepare; -1: unknown. */
ORMA_API int orma_processor_error_offset(const struct orma_processor *self);

/* ---- loading ---- */

/*
 * Enables the cache: a trace that was loaded before opens in milliseconds, with the same rows. Call
 * this before orma_processor_load_file(), the only function that uses the cache. "auto": cache
 * files are in the user's folder ($XDG_CACHE_HOME/orma or ~/.cache/orma), for loads that take more
 * than 0.2 s; a path: in that folder, for all loads; "off", or not called: no cache; NULL: as the
 * variable ORMA_CACHE says, or "auto". ORMA_CACHE_LIMIT limits the total size ("500mb"; default
 * 4g). The cache file is written before the load returns, by no other process or thread. A folder
 * that cannot be written, or that others can write to, is not an error. -EINVAL: unknown setting;
 * -ENOMEM.
 */
ORMA_API int orma_processor_use_cache(struct orma_processor *self, const char *setting);

/* Called now and then while loading; non-zero stops the load with -ECANCELED. */
typedef int orma_progress_fn(void *data, uint64_t bytes_done, uint64_t bytes_total);

/*
 * Loads and finishes. `progress` may be NULL. A regular file is mapped until the processor is freed
 * (see Signals above). -EBUSY: a trace is already loaded; -EBADMSG: not a trace, or an unknown
 * format; -ENOMEM: out of memory, or beyond the limit; -ECANCELED; -ESTALE: the file was
 * overwritten meanwhile; or an error of opening or reading. A damaged trace is not an error: the
 * intact parts are loaded, and the table `stats` counts the rest.
 */
ORMA_API int orma_processor_load_file(struct orma_processor *self, const char *path,
                                      orma_progress_fn *progress, void *data);

/* The same in pieces of any size; the bytes are copied. No queries before orma_processor_finish().
 */
ORMA_API int orma_processor_feed(struct orma_processor *self, const void *data, size_t len);
ORMA_API int orma_processor_finish(struct orma_processor *self);

/* Bytes of the trace that were read; for compressed data, the compressed size. */
ORMA_API uint64_t orma_processor_size(const struct orma_processor *self);

/* From another thread: stops the running load or query, which fails with -ECANCELED. */
ORMA_API void orma_processor_interrupt(struct orma_processor *self);

/* Non-zero: the statement that runs is stopped, and fails with -ECANCELED. */
typedef int orma_stop_fn(void *data);

/*
 * For programs that learn in the thread of a query that it should end (Ctrl-C in an interpreter,
 * the interrupt of another database): while a statement runs, `should_stop` is asked about every 30
 * ms, in the thread that runs it. It must not use the processor. Loads have a progress function for
 * this. NULL: nobody is asked, as at the beginning.
 */
ORMA_API void orma_processor_ask_to_stop(struct orma_processor *self, orma_stop_fn *should_stop,
                                         void *data);

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
 * there is no statement (only blanks or comments; *ret is then NULL); -EINVAL with the error
 * message set.
 */
ORMA_API int orma_query_prepare(struct orma_processor *self, const char *sql, size_t len,
                                struct orma_query **ret, const char **ret_rest);
/* NULL is fine. */
ORMA_API void orma_query_free(struct orma_query *self);

/* 1: a row, 0: no more rows, -errno: failed (-ECANCELED: interrupted, or out of time). */
ORMA_API int orma_query_step(struct orma_query *self);

/*
 * Parameters (?, ?5, :name, @name, $name) count from 1. They are NULL until bound, stay bound over
 * a reset, and must be bound before the first step. Strings and blobs are copied; a text that is a
 * NULL pointer is a NULL. -ERANGE: no such parameter; -EBUSY: the query is running, reset it first;
 * -E2BIG: 2 GiB or more; -ENOMEM.
 */
ORMA_API unsigned orma_query_parameters(const struct orma_query *self);
/* The index of ":name"; 0: no such parameter. */
ORMA_API unsigned orma_query_parameter(const struct orma_query *self, const char *name);
ORMA_API int orma_query_bind_null(struct orma_query *self, unsigned param);
ORMA_API int orma_query_bind_int64(struct orma_query *self, unsigned param, int64_t value);
ORMA_API int orma_query_bind_double(struct orma_query *self, unsigned param, double value);
ORMA_API int orma_query_bind_text(struct orma_query *self, unsigned param, const char *text,
                                  size_t len);
ORMA_API int orma_query_bind_blob(struct orma_query *self, unsigned param, const void *data,
                                  size_t len);

/*
 * Rewinds: the next step returns the first row again. 0, or -errno if the data it reads no longer
 * exists. Statements of PerfettoSQL (CREATE PERFETTO TABLE, INCLUDE, ...) were executed when they
 * were prepared; they are not executed again.
 */
ORMA_API int orma_query_reset(struct orma_query *self);

ORMA_API unsigned orma_query_columns(const struct orma_query *self);
ORMA_API const char *orma_query_column_name(const struct orma_query *self, unsigned col);

/* Values of the current row; columns count from 0. Any type may be requested: SQLite's conversion
 * rules apply. */
ORMA_API enum orma_value_type orma_query_type(const struct orma_query *self, unsigned col);
ORMA_API int64_t orma_query_int64(const struct orma_query *self, unsigned col);
ORMA_API double orma_query_double(const struct orma_query *self, unsigned col);
ORMA_API const char *orma_query_text(const struct orma_query *self, unsigned col);
ORMA_API const void *orma_query_blob(const struct orma_query *self, unsigned col);
/* Of the text (without its terminator) or the blob. */
ORMA_API size_t orma_query_bytes(const struct orma_query *self, unsigned col);

/* The same for many cells: the first `num` of the row, in one call. */
struct orma_cell {
    enum orma_value_type type;
    bool stays;   /* `data` is valid until the processor is freed, not only until the next step */
    size_t bytes; /* of `data`; 0 for numbers */
    union {
        int64_t whole;
        double real;
        const void *data; /* text or blob; a NULL text: out of memory */
    };
};
ORMA_API void orma_query_cells(const struct orma_query *self, unsigned num, struct orma_cell *ret);

/*
 * False for statements that are run for their effect: those of PerfettoSQL, functions that return
 * nothing, a single column suppress_query_output. May run up to the first row.
 */
ORMA_API bool orma_query_has_output(struct orma_query *self);

/* False for statements of PerfettoSQL: their result has no columns. */
ORMA_API bool orma_query_has_columns(const struct orma_query *self);

/*
 * Runs all statements of a script, with error positions that count from its start. `name` is its
 * name in tracebacks (NULL: stdin). Statements of PerfettoSQL are executed when they are reached
 * and return a query without rows.
 * orma_script_step: 1 and *ret, 0 at the end, -errno (the script is over then).
 * orma_script_offset: bytes up to the end of the last statement.
 */
ORMA_API int orma_script_open(struct orma_processor *self, const char *sql, size_t len,
                              const char *name, struct orma_script_run **ret);
ORMA_API int orma_script_step(struct orma_script_run *self, struct orma_query **ret);
ORMA_API size_t orma_script_offset(const struct orma_script_run *self);
/* True if only blanks, comments and semicolons are left. `sql` must still be valid. */
ORMA_API bool orma_script_at_end(const struct orma_script_run *self);
ORMA_API void orma_script_close(struct orma_script_run *self);

/* ---- columns ---- */

struct ArrowArrayStream; /* orma/arrow.h, or any other definition */

enum orma_arrow_flags {
    ORMA_ARROW_DICTIONARIES = 1, /* strings as int32 indices into a dictionary per batch */
    ORMA_ARROW_EXACT = 2,        /* values of two types in one column end the stream with EDOM */
};

/*
 * The rows as columns, in batches of at most `rows` (0: 65536), through Apache Arrow's C stream
 * interface: pyarrow, pandas, polars, DuckDB and others use them without a copy.
 *
 * Types are int64, double, utf8 and binary. In SQL, values have types and columns do not: the type
 * of a column is determined by its first values, where integers mixed with reals become doubles,
 * and strings mixed with numbers become strings. Up to a million rows are searched for a non-NULL
 * value. If a later value does not fit, the stream ends with EDOM and an error that says what to
 * CAST.
 *
 * Takes ownership of the query on success: it is freed when the stream is released, which must
 * happen before its processor is freed. Batches belong to their holder, and may outlive everything
 * else. The stream may be used by one thread at a time, like a query.
 *
 * 0, -ENOMEM, -EINVAL (no columns), or the error of the query's first step.
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

/* A module of a package, given as text: its name ("package.path.name") and its SQL. */
struct orma_module_text {
    const char *key;
    const char *sql;
};

/* The same, from memory; everything is copied. */
ORMA_API int orma_processor_add_sql_modules(struct orma_processor *self, const char *package,
                                            const struct orma_module_text *modules, size_t num,
                                            bool replace);

/* Drops every table, view, function, macro and index made since loading. -EBUSY while a query is
 * open. */
ORMA_API int orma_processor_restore(struct orma_processor *self);

/* ---- metrics and summaries ---- */

enum orma_message_format { ORMA_MESSAGE_BINARY, ORMA_MESSAGE_TEXT, ORMA_MESSAGE_JSON };

/* The TraceMetrics message of these metrics, followed by a zero. The caller frees it with
 * orma_free().
 */
ORMA_API int orma_processor_compute_metrics(struct orma_processor *self, const char *const *names,
                                            size_t num, enum orma_message_format format, char **ret,
                                            size_t *ret_len);

/*
 * The TraceSummary of these specs: each is a TraceSummarySpec, as text (its length is 0, or lengths
 * is NULL) or in binary. `metrics` NULL: all; `metadata` is the id of a query, or NULL.
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
