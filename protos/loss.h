/*
 * The words for losses: one table, from which `orma record`, `orma stats`, the
 * SQL table `loss` and `orma help loss` take theirs.
 *
 * A reason with a field number is a count of the service's ledger
 * (OrmaSequenceCounts in protos/orma_ext.proto).
 */
#ifndef ORMA_PROTOS_LOSS_H
#define ORMA_PROTOS_LOSS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* TraceStats: one OrmaSequenceCounts per sequence. */
#define ORMA_TRACE_STATS_SEQUENCE_COUNTS 90001

/* Fields of OrmaSequenceCounts that are no loss. */
enum {
    ORMA_COUNTS_SEQUENCE_ID = 1,
    ORMA_COUNTS_BUFFER = 2,
    ORMA_COUNTS_PRODUCER_ID = 3,
    ORMA_COUNTS_WRITER_ID = 4,
    ORMA_COUNTS_EMITTED = 5,
    ORMA_COUNTS_DELIVERED = 6,
    ORMA_COUNTS_KEPT = 15,
};

enum orma_loss_reason {
    ORMA_LOST_DROPPED,
    ORMA_LOST_OVERWRITTEN,
    ORMA_LOST_DISCARDED,
    ORMA_LOST_INVALID,
    ORMA_LOST_UNPATCHED,
    ORMA_LOST_CUT,
    ORMA_LOST_DIED,
    ORMA_LOST_REASONS, /* how many have a count */
};

struct orma_loss_word {
    const char *name; /* the word, everywhere */
    uint32_t field;   /* of OrmaSequenceCounts; 0: none */
    const char *text; /* what happened */
    const char *cure; /* what helps; NULL: nothing can be set */
};

/* By enum orma_loss_reason. */
extern const struct orma_loss_word orma_loss_words[ORMA_LOST_REASONS];

/* Events that the kernel's own ring buffers lost before they were read. */
extern const struct orma_loss_word orma_loss_overrun;

/* No count, but a mark: what was lost there is not known. Of a writer that ended without its last
 * report, or, without a sequence, of a trace that ends before its last statistics. */
extern const struct orma_loss_word orma_loss_unreported;

/* The reason that a field of OrmaSequenceCounts counts; ORMA_LOST_REASONS: none. */
enum orma_loss_reason orma_loss_of_field(uint32_t field);

struct orma_buf;

/* Appends a statistic of losses or errors in words, without a full stop: "7 kernel events lost: the
 * kernel's buffer was full before it was read (cpu 0)". `idx` NULL: it has no index. */
void orma_loss_put_stat(struct orma_buf *out, const char *name, const int64_t *idx, int64_t value);

/* Is it counted as an error although nothing is missing? perf.data has records that carry no sample
 * and no name; skipping them loses nothing. */
bool orma_loss_is_harmless(const char *name, int64_t idx);
#endif
