/*
 * Bursts: packets that differ from the one before in their time and event only.
 *
 * A writer's events follow each other in the file, and what the service adds to
 * each of them is the same:
 *
 *   tag len │ 40 time │ 68 02 │ 5a len track event │ 18 uid  50 sequence  f8 04 pid
 *             timestamp  flags                       └── tail: bytes as before ──┘
 *
 * The reader reads a packet on the slow path and notes its tail. As long as packets
 * have this form and that tail they are the same for the state of the sequence,
 * and go to the same run of the sorter: a few comparisons each. The first one
 * that is anything else is read on the slow path again. It must make no difference:
 * tests/unit/processor/test_shortcuts.c imports traces both ways.
 */
#ifndef ORMA_PROCESSOR_READ_BURST_H
#define ORMA_PROCESSOR_READ_BURST_H
#include "processor/read/packet.h"

struct orma_reader;

/* The packet `p` was read and used up. */
void orma_burst_note(struct orma_reader *self, const struct orma_read_packet *p);

/* Reads packets from `pos` on while they belong to a burst; returns where it stopped. */
const uint8_t *orma_burst_read(struct orma_reader *self, const uint8_t *pos, const uint8_t *end);
#endif
