/*
 * Recording inside the process: events go to the program's own memory and from there to a file,
 * without a service and, by default, without an extra thread. It uses the same macros, and works at
 * the same time as sessions of the service.
 *
 *     struct orma_recording_args args = ORMA_RECORDING_ARGS;
 *     struct orma_recording *recording;
 *
 *     args.path = "trace.pftrace";
 *     if (orma_recording_start(&args, &recording) == 0) {
 *         work();
 *         orma_recording_stop(recording, NULL);
 *     }
 *
 * A recording that is still running when the program exits is completed then.
 *
 * Threads: start, flush and stop from any, one at a time per recording.
 */
#ifndef ORMA_RECORDING_H
#define ORMA_RECORDING_H
#include <stddef.h>
#include <stdint.h>

#include "orma/api.h"

ORMA_BEGIN_DECLS

enum orma_recording_mode {
    ORMA_RECORDING_STREAM, /* full memory is written to the file, by the thread that finds it full
                            */
    ORMA_RECORDING_RING,   /* the oldest data is overwritten; the file is written at the end */
    ORMA_RECORDING_DISCARD /* data is lost when full; the file is written at the end */
};

struct orma_recording_args {
    size_t struct_size;
    const char *path;         /* replaced if it exists; or NULL: */
    int fd;                   /* stays the caller's */
    uint32_t mode;            /* enum orma_recording_mode */
    uint32_t buffer_kb;       /* default 4096, at most 32768 */
    const char *categories;   /* patterns, "render,io.*,-io.debug"; NULL: "*" */
    const char *sources;      /* further data sources by name, "a,b"; NULL: none */
    uint32_t write_period_ms; /* STREAM: period of a writer thread; 0: no thread */
    const void *track_events; /* further fields of a TrackEventConfig, encoded */
    size_t track_events_len;
};
#define ORMA_RECORDING_ARGS                                                                        \
    {                                                                                              \
        sizeof(struct orma_recording_args), NULL, -1, 0, 0, NULL, NULL, 0, NULL, 0                 \
    }

/* Packets of this recording. emitted = written + dropped + overwritten. */
struct orma_recording_counts {
    uint64_t emitted;
    uint64_t written;
    uint64_t dropped;
    uint64_t overwritten;
};

struct orma_recording;

/* 0; -EINVAL; -ENOMEM; -EBUSY: too many sessions; -errno of the file. */
ORMA_API int orma_recording_start(const struct orma_recording_args *args,
                                  struct orma_recording **ret);

/* STREAM: everything emitted so far is in the file when this returns. 0, or -errno of the file. */
ORMA_API int orma_recording_flush(struct orma_recording *recording);

/*
 * Stops the recording, writes the remaining data, frees it. `ret` may be NULL. 0, or the first
 * -errno of the file; -ETIMEDOUT: a thread is stuck inside an event, and its last events are
 * missing; -ECANCELED: called in a child process, which does not take part in its parent's
 * recordings.
 */
ORMA_API int orma_recording_stop(struct orma_recording *recording,
                                 struct orma_recording_counts *ret);

ORMA_END_DECLS
#endif
