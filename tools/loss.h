/*
 * What a session lost, out of the service's TraceStats message: the sums that
 * a person wants to see while recording and in the last line.
 */
#ifndef ORMA_TOOLS_LOSS_H
#define ORMA_TOOLS_LOSS_H
#include <stdbool.h>
#include <stdint.h>

#include "sdk/base/str.h"

struct orma_loss {
    /* Packets, from our own ledger (TraceStats 90001). */
    bool has_ledger;
    uint64_t delivered;
    uint64_t dropped;     /* by writers, for want of shared memory */
    uint64_t overwritten; /* in a ring, before they were read */
    uint64_t discarded;   /* by a full discard buffer */
    uint64_t broken;      /* invalid, unpatched, cut */
    uint64_t unreported;  /* writers that ended without their last report */
    /* Chunks and markers, from the standard fields. */
    uint64_t chunks_overwritten, chunks_discarded, writer_losses;
    uint64_t buffer_bytes, bytes_written;
    uint64_t buffer_used; /* of buffer_bytes: written, neither read nor overwritten */
    uint64_t flushes_failed;
};

/* Reads an encoded TraceStats; malformed parts count as nothing. */
void orma_loss_read(struct orma_str trace_stats, struct orma_loss *ret);

/* Packets lost, or chunks where the service keeps no ledger of packets. */
uint64_t orma_loss_total(const struct orma_loss *self);

/*
 * "nothing lost", or "lost 12 packets (10 overwritten, 2 dropped)": into `ret`,
 * with a further sentence if there are writers whose last report is missing.
 */
#define ORMA_LOSS_TEXT_MAX 256
void orma_loss_format(const struct orma_loss *self, char *ret, size_t ret_size);
#endif
