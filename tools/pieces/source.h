/*
 * The packets of a trace file, one after the other, in little memory: a file of any size passes
 * through a buffer that holds one packet. What is compressed is unpacked on the way, and damaged
 * places are skipped as the processor skips them (processor/read/damage.h), told, and counted.
 *
 * A file is walked several times (survey, then copy), and all walks must meet the same packets: one
 * that was cut or written anew meanwhile is refused. So a pipe, and a file that is compressed as a
 * whole, is first written to a file without a name.
 */
#ifndef ORMA_TOOLS_PIECES_SOURCE_H
#define ORMA_TOOLS_PIECES_SOURCE_H
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "processor/read/inflate.h"
#include "processor/read/packet.h"

/* What is wrong with the file; counted anew by each walk. */
struct orma_pieces_damage {
    uint64_t places, bytes;
    int64_t first;   /* offset of the first place */
    const char *why; /* what it is */
};

struct orma_pieces_source {
    const char *program, *path; /* for messages */
    int fd;
    FILE *spooled; /* what `fd` belongs to; NULL: the file itself */
    uint64_t size;
    uint64_t packets, bytes_left_out; /* of the first walk; no packets: there was none */
    struct orma_pieces_damage damage;
    const char *unpacked_why;   /* what was wrong when all of it was unpacked; NULL: nothing */
    bool has_deflate, has_zstd; /* packets of this kind were met */
    bool unpacked;              /* the file was packed as a whole, as by gzip */
    uint8_t *room;              /* of size `cap` */
    size_t cap;
};

struct orma_pieces_packet {
    struct orma_read_packet p;
    uint64_t number; /* among all packets, those inside of others, too: the same in every walk */
    uint64_t offset; /* of the packet, or of the one that it came out of, in the file */
};

/* 0, or the error of which to say something, or one that ends the walk silently. */
typedef int orma_pieces_packet_fn(void *ctx, const struct orma_pieces_packet *packet);
/* A field of the file that is no packet, as it stands there. */
typedef int orma_pieces_field_fn(void *ctx, struct orma_str bytes);

/* Here and in all that reads or writes pieces, errors have been said, but for one: that memory was
 * out, which each command says once at its end, by this. Returns `r`. */
int orma_pieces_tell_memory(const char *program, const char *path, int r);

/* `path` may be "-". 0, or -errno with a line on stderr: not there, not packets. */
int orma_pieces_source_open(struct orma_pieces_source *self, const char *program, const char *path);
void orma_pieces_source_close(struct orma_pieces_source *self);

/* All packets in the order of the file. 0, what a callback returned, or -errno after a message. */
int orma_pieces_source_walk(struct orma_pieces_source *self, orma_pieces_packet_fn *packet,
                            orma_pieces_field_fn *field, void *ctx);

/* Counts damage inside of a packet that somebody found. */
void orma_pieces_damaged(struct orma_pieces_source *self, uint64_t offset, uint64_t bytes,
                         const char *why);

/* A line each about it, and about the file that was unpacked, on stderr, if there was any. */
void orma_pieces_tell_damage(const struct orma_pieces_source *self);
#endif
