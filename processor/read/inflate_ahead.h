/*
 * Compressed packets that follow each other, unpacked by other threads (threads/crew.h) while the
 * packets that came out of the first ones are read:
 *
 *   file    [packet][compressed ][compressed ][compressed ] ...
 *                    thread 1     thread 2     this thread
 *                    └─ its packets are read ─┴─ then those of this one ─┴─ ...
 *
 * Reading is one thread's work, in the order of the file. It takes what was unpacked only if it is
 * what it would have unpacked itself: whole, and not more than may come out. Anything else it
 * unpacks again, so nothing depends on the number of threads.
 */
#ifndef ORMA_PROCESSOR_READ_INFLATE_AHEAD_H
#define ORMA_PROCESSOR_READ_INFLATE_AHEAD_H
#include "processor/read/inflate.h"
#include "processor/read/packet.h"
#include "protos/fields/trace.h"

/* A trace file is one message with packets as field 1. */
#define ORMA_INFLATE_PACKET_TAG 0x0a

/* What comes out of a packet becomes one without being copied. */
struct orma_blob {
    struct orma_blob *next;
    uint8_t data[];
};

struct orma_inflate_ahead;
struct orma_crew;

static inline bool orma_inflate_ahead_is_compressed(const struct orma_read_packet *p)
{
    return p->field == ORMA_PB_TRACE_PACKET_COMPRESSED_PACKETS ||
           p->field == ORMA_PB_TRACE_PACKET_ZSTD_COMPRESSED_PACKETS;
}

static inline enum orma_inflate_form orma_inflate_ahead_form(uint32_t field)
{
    return field == ORMA_PB_TRACE_PACKET_COMPRESSED_PACKETS ? ORMA_INFLATE_ZLIB : ORMA_INFLATE_ZSTD;
}

/* The compressed packets from `at` on, as far as whole packets follow each other. NULL: there are
 * not several, or memory is out. */
struct orma_inflate_ahead *orma_inflate_ahead_find(const uint8_t *at, const uint8_t *end);
void orma_inflate_ahead_free(struct orma_inflate_ahead *self);

/* Calls `read_to` with the end of each of them, whose content can be taken then; it moves *pos on
 * from the first one. False ends it. */
void orma_inflate_ahead_run(struct orma_inflate_ahead *self, struct orma_crew *crew,
                            bool (*read_to)(void *data, const uint8_t **pos, const uint8_t *end),
                            void *data, const uint8_t **pos);

/* Hands out what came out of these bytes, behind space for the head of a blob. False: nothing did,
 * or more than `max`. NULL is fine. */
bool orma_inflate_ahead_take(struct orma_inflate_ahead *self, struct orma_str bytes, uint64_t max,
                             struct orma_buf *ret);
#endif
