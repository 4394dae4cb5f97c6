/*
 * All that an import leaves behind: tables, strings, argument sets, statistics.
 *
 * One storage per processor. Importers add to it, SQL reads it. `failed` is the
 * one sticky out-of-memory flag of everything below: whoever feeds bytes looks
 * at it between packets and gives up with -ENOMEM.
 */
#ifndef ORMA_PROCESSOR_STORE_STORAGE_H
#define ORMA_PROCESSOR_STORE_STORAGE_H
#include "processor/store/args.h"
#include "processor/store/blobs.h"
#include "processor/store/late.h"
#include "processor/store/stats.h"
#include "processor/store/strpool.h"
#include "processor/store/table.h"

#define ORMA_MACHINES_MAX 64
/* Traces with statistics of their own; those of further ones count for the last of them. */
#define ORMA_TRACES_MAX 64

/* The statistics of one trace file. */
struct orma_trace_stats {
    uint32_t trace;                                  /* row of the file */
    struct orma_stats by_machine[ORMA_MACHINES_MAX]; /* by machine row */
};

/*
 * Numbers of cpus (ucpu) are unique among machines by steps of this: that of cpu `n` of machine `m`
 * is m * ORMA_UCPUS_PER_MACHINE + n.
 */
#define ORMA_UCPUS_PER_MACHINE 4096

struct orma_storage {
    struct orma_strpool pool;
    struct orma_table tables[ORMA_TABLES_NUM]; /* by enum orma_table_id */
    struct orma_args_store args;
    struct orma_stats *stats; /* of the trace at hand, by machine row */
    struct orma_trace_stats *traces[ORMA_TRACES_MAX];
    unsigned traces_num;
    struct orma_blobs arrays;      /* contents of arrays of heaps: see import/formats/hprof.h */
    struct orma_blobs video;       /* what rows of video_frames are of, by row */
    struct orma_blobs messages;    /* of window traces: see import/winscope/ */
    struct orma_storage_late late; /* rows that were not parsed yet */
    bool failed;
    bool stale; /* somebody read bytes of the trace that are no longer those that were loaded */
};

/* 0 or -ENOMEM; then orma_storage_fini() is still due. */
int orma_storage_init(struct orma_storage *self);
void orma_storage_fini(struct orma_storage *self);

static inline uint32_t orma_storage_str(struct orma_storage *self, struct orma_str s)
{
    return orma_strpool_add(&self->pool, s);
}

static inline uint32_t orma_storage_cstr(struct orma_storage *self, const char *text)
{
    return orma_strpool_add_c(&self->pool, text);
}

/* For loops that parse what waited: whether to stop, and go on the next time. Cheap, but not for
 * each object of millions. */
static inline bool orma_storage_should_stop(struct orma_storage *self)
{
    return self->late.stop && self->late.stop(self->late.stop_data);
}

/* Sets an arg_set_id column: NULL where there is no set. */
static inline void orma_storage_set_args(struct orma_table *table, unsigned col, uint32_t row,
                                         uint32_t set)
{
    if (set != ORMA_ARG_SET_NONE)
        orma_table_set(table, col, row, set);
}

/* From now on `stats` are those of this trace, the first one if `is_first`. */
void orma_storage_use_trace(struct orma_storage *self, uint32_t trace, bool is_first);

/* Makes the rows of the stats table anew from the values. `machine_rows` machines exist. Nothing
 * while rows wait (late.h): they count first. */
void orma_storage_write_stats(struct orma_storage *self, uint32_t machine_rows);

/* First and last time of all that happened; {0, 0} if nothing did. */
void orma_storage_bounds(const struct orma_storage *self, int64_t *ret_start, int64_t *ret_end);
#endif
