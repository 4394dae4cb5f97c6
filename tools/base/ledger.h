/*
 * What a session lost: out of the service's TraceStats message, in the words
 * of protos/loss.h. `orma record` and `orma stats` print the same sentence.
 */
#ifndef ORMA_TOOLS_BASE_LEDGER_H
#define ORMA_TOOLS_BASE_LEDGER_H
#include <stdbool.h>
#include <stdint.h>

#include "protos/loss.h"
#include "sdk/base/str.h"

struct orma_ledger {
    /* Packets by reason, from our own ledger (TraceStats 90001). */
    bool has_ledger;
    uint64_t delivered;
    uint64_t lost[ORMA_LOST_REASONS];
    uint64_t unreported; /* writers that ended without their last report */
    /* Where there is no ledger: chunks and markers, from the standard fields. */
    uint64_t chunks_overwritten, chunks_discarded, writer_losses;
    uint64_t buffer_bytes, bytes_written;
    uint64_t buffer_used; /* of buffer_bytes: written, neither read nor overwritten */
    uint64_t flushes_failed;
    /* Set by the caller. */
    uint64_t kernel_overrun; /* events that the kernel's own rings lost */
    const char *unknown;     /* why more may be lost than was counted; NULL: it is complete */
    bool ring;               /* overwriting was asked for: it is no loss */
};

/* Reads an encoded TraceStats; malformed parts count as nothing. */
void orma_ledger_read(struct orma_str trace_stats, struct orma_ledger *ret);

/* The reason that this word of the table `loss` names; ORMA_LOST_REASONS: none. */
enum orma_loss_reason orma_ledger_of_name(const char *name);

/* Packets lost, or chunks where the service keeps no ledger of packets. */
uint64_t orma_ledger_total(const struct orma_ledger *self);

/* What a ring has overwritten by design: packets, or chunks. 0 if it was no ring. */
uint64_t orma_ledger_aged_out(const struct orma_ledger *self);

/* Is it certain that nothing was lost? */
bool orma_ledger_is_none(const struct orma_ledger *self);

/*
 * "nothing lost", "lost 12 packets (10 overwritten, 2 dropped), 7 kernel
 * events overrun", "what was lost is not known: WHY": into `ret`.
 */
#define ORMA_LEDGER_TEXT_MAX 400
void orma_ledger_format(const struct orma_ledger *self, char *ret, size_t ret_size);
#endif
