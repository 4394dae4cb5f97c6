/*
 * A packet in the making, of unknown size (orma/packet.h), in one writer.
 *
 *   chunk n:   ...[size|tag 4-byte placeholder ....  -> goes on
 *   chunk n+1: [size| .... ]...
 *
 * Sizes of nested messages are four bytes, filled in when the message ends: in
 * place if its chunk is still ours, else by a patch that travels with the commit.
 * A packet that is lost half way still sends its patches, since no reader
 * goes past a chunk that waits for one.
 *
 * Threads: that of the writer.
 */
#ifndef ORMA_SDK_SOURCES_PACKET_H
#define ORMA_SDK_SOURCES_PACKET_H
#include "orma/packet.h"
#include "sdk/transport/writer_impl.h"

#define ORMA_PACKET_NESTING_MAX 32u

struct orma_packet_nest {
    uint8_t *size_at;  /* NULL: in a chunk that was handed over, see the next two */
    uint32_t chunk_id; /* of the placeholder */
    uint32_t offset;   /* in that chunk's payload */
    uint64_t begun;    /* packet.written when the content began */
};

struct orma_packet {
    struct orma_writer *writer;
    uint8_t *size_at; /* size word of the present piece */
    uint8_t *pos;     /* next byte, in the chunk */
    uint64_t written; /* bytes of the packet so far */
    bool spans;       /* began in an earlier chunk */
    bool lost;        /* nothing more is written; the loss is counted */
    unsigned depth;
    struct orma_packet_nest nests[ORMA_PACKET_NESTING_MAX];
};

/* Always succeeds; without a chunk the packet is lost from the start. */
void orma_packet_begin(struct orma_packet *self, struct orma_writer *writer);
/* 0; -ENOBUFS: it was lost. Open messages are closed. */
int orma_packet_end(struct orma_packet *self);
#endif
