/*
 * What a session lost: out of the service's TraceStats message, or out of a
 * loaded trace (tools/load/loss.h), in the words of protos/loss.h and
 * protos/incident.h. All commands print the sentence of orma_ledger_format().
 */
#ifndef ORMA_TOOLS_BASE_LEDGER_H
#define ORMA_TOOLS_BASE_LEDGER_H
#include <stdbool.h>
#include <stdint.h>

#include "protos/incident.h"
#include "protos/loss.h"
#include "sdk/base/str.h"

/* Sentences of incidents that one line has room for. */
#define ORMA_LEDGER_INCIDENTS_MAX 1500

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
    /* What made the recording incomplete beside that, in words, with "; " between. */
    char incidents[ORMA_LEDGER_INCIDENTS_MAX];
    unsigned incidents_num;
    bool incident_is_loss;  /* one of them at least tells of missing data */
    bool incident_is_doubt; /* after one of them at least nobody can say */
    /* Set by the caller. */
    uint64_t kernel_overrun; /* events that the kernel's own rings lost */
    uint64_t kprobes_missed; /* times that a kprobe was passed and could not be recorded */
    uint64_t perf_lost;      /* records that the kernel's rings of perf lost */
    uint64_t perf_skipped;   /* samples that had no place in the queue to the unwinder */
    uint64_t unreadable;     /* packets in the trace whose names and clocks were lost */
    const char *unknown;     /* why more may be lost than was counted; NULL: it is complete */
    bool ring;               /* overwriting was asked for: it is no loss */
};

/* Counts are what writers say of themselves; a sum of lies must not come out small. */
static inline uint64_t orma_ledger_sum(uint64_t a, uint64_t b)
{
    return b > UINT64_MAX - a ? UINT64_MAX : a + b;
}

/* Reads an encoded TraceStats; malformed parts count as nothing. `start_ns`: when the session began
 * (boot clock), from which incidents are timed; 0: unknown. */
void orma_ledger_read(struct orma_str trace_stats, uint64_t start_ns, struct orma_ledger *ret);

/* One more incident, in words. */
void orma_ledger_add_incident(struct orma_ledger *self, struct orma_str text, uint32_t kind);
/* The same from an encoded OrmaIncident. */
void orma_ledger_read_incident(struct orma_ledger *self, struct orma_pb_reader message,
                               uint64_t start_ns);

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
 * events overrun", "incomplete: WHY", "what was lost is not known: WHY": into `ret`.
 */
#define ORMA_LEDGER_TEXT_MAX (ORMA_LEDGER_INCIDENTS_MAX + 500)
void orma_ledger_format(const struct orma_ledger *self, char *ret, size_t ret_size);

/* What helps next time, as one sentence; NULL: nothing that is known. */
const char *orma_ledger_remedy(const struct orma_ledger *self);
#endif
