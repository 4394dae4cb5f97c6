/*
 * The C API for the modules and programs of this project: the public header, whose manual holds
 * here, too, and what is not promised to others.
 */
#ifndef ORMA_PROCESSOR_PROCESSOR_H
#define ORMA_PROCESSOR_PROCESSOR_H
#include "processor/include/orma/processor.h"
#include "sdk/base/str.h"

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
    const char *binary_paths; /* folders with binaries, ':' between them; NULL: none */
    const char *mode;         /* find, index; NULL: find */
    bool this_machine;        /* without binary_paths: the binaries that are installed here */
    /* REALTIME, of a trace that was made here: files without a build id are taken, too, if they
     * have not changed since; 0: none are. */
    uint64_t unchanged_since_ns;
    const char *proguard_maps; /* [PACKAGE=]PATH of mappings, ':' between them; NULL: none */
    /* URLs of debuginfod servers, blanks between them, asked about binaries without debug
     * information; NULL: the network is not used. */
    const char *servers;
    struct orma_processor_names names;
};
int orma_processor_set_symbols(struct orma_processor *self,
                               const struct orma_processor_symbols *symbols);

/* SQL that may write files writes none for which this says that it is an input; nor, without it,
 * the file that was loaded. */
void orma_processor_protect(struct orma_processor *self, const char *(*is_input)(const char *path));

/* orma_processor_use_cache(), where `wait` is a choice: false lets a process of its own write the
 * image. See processor/cache/cache.h. */
int orma_processor_choose_cache(struct orma_processor *self, const char *setting, bool wait);

/* What became of it in the last load, in a sentence; "": nothing. */
const char *orma_processor_cache_note(struct orma_processor *self);

/*
 * What else was made of the whole trace, in the same folder, by a short name: a descriptor that
 * stands where what was written begins, or -ENOENT and the like. Keeping it is done by a copy of
 * this process, and only if it took long enough; `write` gives 0 or -errno, `bytes` is about what
 * it writes.
 */
int orma_processor_kept(struct orma_processor *self, const char *name);
void orma_processor_drop_kept(struct orma_processor *self, const char *name); /* it is of no use */
int orma_processor_keep(struct orma_processor *self, const char *name, int64_t took_ns,
                        int (*write)(void *ctx, int fd), void *ctx, uint64_t bytes);

/*
 * What of the file was skipped since it means nothing, after the load. Places and bytes are also in
 * the stats (`damaged_places`, `damaged_bytes`), each place is a row of _trace_import_logs.
 */
struct orma_processor_damage {
    uint64_t places, bytes;
    int64_t first_offset;     /* -1: there is none, or it is in a file inside that is packed */
    uint64_t truncated_bytes; /* at the end: the begin of something that is not there */
};
struct orma_processor_damage orma_processor_damage(const struct orma_processor *self);

/*
 * What of the trace is in no table, and why: sentences of the table import_account, by number from
 * 0; NULL: there are no more. Without any, everything that the trace holds could be read, but for
 * `orma_processor_edges()` units that lie outside of what was recorded.
 */
const char *orma_processor_unread(const struct orma_processor *self, uint32_t n);
/* The same without statistics of errors, for who lists these anyway. */
const char *orma_processor_unread_unit(const struct orma_processor *self, uint32_t n);
/* How many there are: an archive may have tens of thousands, and each is looked for from the first.
 */
uint32_t orma_processor_unread_num(const struct orma_processor *self);
uint64_t orma_processor_edges(const struct orma_processor *self);

/* The statement: as it was written, or for PerfettoSQL what was made of it. */
struct orma_str orma_query_sql(const struct orma_query *self);

/* The folders in `dir` take the place of the whole embedded library. Before loading. */
int orma_processor_override_stdlib(struct orma_processor *self, const char *dir);

/*
 * How many statements of that library's prelude failed and were left out, because it describes data
 * that have no tables here; views that declare their columns are there, and empty. *ret_first: the
 * first error, valid until the next call; set if there was one. To be asked after loading.
 */
unsigned orma_processor_stdlib_left_out(const struct orma_processor *self, const char **ret_first);

/* From now on SQL neither writes files nor attaches databases; those that are attached stay. */
void orma_processor_close_files(struct orma_processor *self);

/* See processor/metrics/metrics.h and summary.h; belongs to the processor. */
struct orma_metrics;
struct orma_metrics *orma_processor_metrics(struct orma_processor *self);

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
#endif
