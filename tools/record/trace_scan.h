/*
 * What a trace file contains about its own recording: one walk over its packets,
 * without importing them. `orma record` reads its last line from here, so that
 * `orma stats` of the same file reports the same.
 */
#ifndef ORMA_TOOLS_TRACE_SCAN_H
#define ORMA_TOOLS_TRACE_SCAN_H
#include <stdbool.h>
#include <stdint.h>

#include "sdk/base/buf.h"
#include "tools/base/ledger.h"

struct orma_record_trace_scan {
    /* Out of the last TraceStats, kernel_overrun included; `unknown` where the file ends without
     * one. */
    struct orma_ledger loss;
    bool has_data;           /* a producer wrote more than descriptions of itself */
    bool has_lists_only;     /* ... which were lists of processes and descriptions of the machine */
    bool has_kernel_stats;   /* the source of kernel events has reported */
    bool has_kernel_events;  /* ... and recorded some */
    struct orma_buf unknown; /* kernel events that this kernel lacks, one a line */
    struct orma_buf failed;  /* those that could not be switched on, one a line */
    struct orma_buf setup_error; /* why there are no kernel events at all */
};

/*
 * False: `fd` is no file that can be mapped, or its packets are compressed;
 * then *ret is empty. orma_record_trace_scan_fini() in any case.
 */
bool orma_record_trace_scan(int fd, struct orma_record_trace_scan *ret);
void orma_record_trace_scan_fini(struct orma_record_trace_scan *self);

/*
 * The same of a trace that goes by, into a pipe: all of its bytes in their order. end() frees.
 * False: packets are compressed, or the bytes do not end with a whole one; then *ret is empty.
 */
struct orma_record_trace_watch;
int orma_record_trace_watch_new(struct orma_record_trace_watch **ret); /* -ENOMEM */
void orma_record_trace_watch_put(struct orma_record_trace_watch *self, const void *data,
                                 size_t len);
bool orma_record_trace_watch_end(struct orma_record_trace_watch *self,
                                 struct orma_record_trace_scan *ret);
#endif
