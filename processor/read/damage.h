/*
 * Damage: what the reader does where the bytes of a trace are no packets.
 *
 *   packet packet ▒▒▒▒▒▒▒▒▒▒▒ packet packet          ▒ damaged: skipped, counted, told with its
 * offset └ search ──►└ three that follow each other, or the end of the file
 *
 * A damaged packet costs that packet. As long as the next one begins where it ends, nothing else is
 * lost. Where lengths are wrong, too, the next packet is searched: bytes are taken for one only if
 * they have the form of a TracePacket that a service wrote (known fields of the right kind, a time
 * or a sequence) and others follow. So what is lost is the packet and, at most, what it seemed to
 * swallow. Work is linear in the bytes.
 */
#ifndef ORMA_PROCESSOR_READ_DAMAGE_H
#define ORMA_PROCESSOR_READ_DAMAGE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct orma_reader;

struct orma_damage {
    bool searching;    /* for the packet behind the bytes that are counted here */
    bool at_end;       /* no more bytes will come */
    int64_t offset;    /* where they begin; -1: not in the file as such */
    uint64_t bytes;    /* so far */
    const char *why;   /* they are no packet */
    const char *first; /* why, at the first place of this file; NULL: there was none */
    bool good;         /* a packet of this file could be read */
    uint64_t fed;      /* bytes of this file before reader.uncut */
    int64_t outer;     /* where the packet lies whose unpacked bytes are read */
};

/* Where `at` is: of mapped bytes in the file, of fed ones among all that were fed, of unpacked ones
 * where the packet lies that they came out of. -1: nowhere. */
int64_t orma_damage_offset(const struct orma_reader *self, const uint8_t *at);

/* The packet at `record` was skipped whole; nothing else is wrong. */
void orma_damage_packet(struct orma_reader *self, const uint8_t *record, size_t len,
                        const char *why);

/* No packet begins at *pos, nor can it be told where the next one does: moves on and searches. */
void orma_damage_begin(struct orma_reader *self, const uint8_t **pos, const char *why);

/*
 * Moves to the next packet, or to `end`. False: more bytes are needed to tell whether one begins at
 * *pos; never if they are all there.
 */
bool orma_damage_search(struct orma_reader *self, const uint8_t **pos, const uint8_t *end);

/* Whether a packet or the end of the file is at `pos`; -EAGAIN: too few bytes are there to tell. */
int orma_damage_may_follow(const struct orma_reader *self, const uint8_t *pos, const uint8_t *end);

/*
 * At the end of a file, or of unpacked bytes, the reader makes no packet of what is between *pos
 * and `end`. True: a packet lies behind damage, and *pos has moved on for the search. False:
 * nothing is left, or what is left was truncated and is counted.
 */
bool orma_damage_tail_left(struct orma_reader *self, const uint8_t **pos, const uint8_t *end);

/* All of it was read: a search that found nothing is over. */
void orma_damage_tail_end(struct orma_reader *self);

/* The same for those who read a file without a reader. Whether packets or the end are at `pos`: 1,
 * 0, or -EAGAIN as above. */
int orma_damage_packets_at(const uint8_t *pos, const uint8_t *end, bool at_end);

/* The first place from `pos` on where packets begin: *ret 1; where that can't be told yet: -EAGAIN;
 * or `end`: 0. */
const uint8_t *orma_damage_find(const uint8_t *pos, const uint8_t *end, bool at_end, int *ret);

/* The end of a file: one without a single good packet is no trace (reader.error). */
void orma_damage_end(struct orma_reader *self);
#endif
