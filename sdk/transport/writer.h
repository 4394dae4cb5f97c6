/*
 * Writer: one sequence of packets from one thread into one central buffer,
 * through chunks of the producer's shared memory.
 *
 * A writer owns the chunk that it fills. The hot path is: fits? copy; advance.
 * A full chunk is completed, put on the producer's commit list, and another is
 * acquired. What cannot be had is decided by the policy: dropped at once, or
 * waited for. Packets that were lost are counted per reason and reported; the
 * next packet that fits carries previous_packet_dropped.
 *
 * Threads: a writer belongs to one thread at a time. Making and freeing: any.
 */
#ifndef ORMA_SDK_TRANSPORT_WRITER_H
#define ORMA_SDK_TRANSPORT_WRITER_H
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sdk/base/defs.h"

struct orma_producer;
struct orma_writer;

enum orma_policy {
    ORMA_POLICY_DROP,            /* never waits */
    ORMA_POLICY_STALL,           /* waits up to 30 s, then drops; the host is never aborted */
    ORMA_POLICY_STALL_THEN_DROP, /* waits up to 100 ms, then drops until there is space again */
    ORMA_POLICY_BY_CONFIG,       /* of a program, not of a writer: see orma_policy_of_config() */
};

/*
 * What DataSourceConfig.buffer_exhausted_policy (0: unset) makes of the program's policy: none that
 * waits longer than that, for who records others must not make them wait. That of a program may be
 * BY_CONFIG: then the config has it.
 */
enum orma_policy orma_policy_of_config(uint64_t value, enum orma_policy program);

struct orma_writer_counts {
    uint64_t emitted; /* packets begun, the dropped ones included */
    uint64_t dropped_no_chunk;
    uint64_t dropped_too_large;
};

/* target_buffer is that of a struct orma_ds_instance. -ENOSPC: too many writers. -ENOMEM. */
int orma_writer_new(struct orma_producer *producer, uint32_t target_buffer, enum orma_policy policy,
                    struct orma_writer **ret);

/* Completes the chunk and commits it. NULL is fine. */
void orma_writer_free(struct orma_writer *self);
ORMA_DEFINE_AUTO(struct orma_writer *, orma_writer_free)

/*
 * Writes one whole encoded TracePacket, in fragments where it does not fit one
 * chunk. Its size is known, so nothing ever needs a patch. 0; -ENOBUFS: dropped
 * (and counted); -EMSGSIZE: larger than 2^28 - 2 bytes.
 */
int orma_writer_put(struct orma_writer *self, const void *packet, size_t len);

/* Completes the current chunk, so that the next commit carries all packets put so far. */
void orma_writer_flush(struct orma_writer *self);

/*
 * From when `*end_ns` (CLOCK_MONOTONIC) is not 0, the writer waits for a chunk until then at the
 * longest. The owner keeps the word, and may set it from any thread and from signal handlers.
 */
void orma_writer_wait_until(struct orma_writer *self, const _Atomic uint64_t *end_ns);

/* True once, at the first packet after a loss (and for the first of all): incremental state is to
 * be renewed. */
bool orma_writer_take_restart(struct orma_writer *self);

void orma_writer_counts(const struct orma_writer *self, struct orma_writer_counts *ret);
#endif
