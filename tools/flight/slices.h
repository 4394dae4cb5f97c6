/*
 * Slices of programs that last too long, found while they go by: out of packets of track events, in
 * the order in which the service gives them, without an import.
 *
 *   packet ─► sequence: names, clock, default track ─► stack of open slices of the track ─► told
 *
 * A slice is told once: when its end is seen, or when it is still open and has lasted too long. Of
 * a track whose packets were lost nothing is known until the next begin: its open slices are
 * forgotten, and counted. Bytes come from other programs: what is malformed is left out, and memory
 * is bounded: what is beyond is forgotten, and counted. Threads: none.
 */
#ifndef ORMA_TOOLS_FLIGHT_SLICES_H
#define ORMA_TOOLS_FLIGHT_SLICES_H
#include <stddef.h>
#include <stdint.h>

#include "sdk/base/map.h"

#define ORMA_FLIGHT_CONDITIONS_MAX 16

struct orma_flight_rule {
    const char *name; /* a pattern as of file names; NULL: no such condition */
    uint64_t longer_ns;
};

struct orma_flight_slices {
    const struct orma_flight_rule *rules; /* ORMA_FLIGHT_CONDITIONS_MAX of them */
    /* Rule number `rule` was met by a slice of dur_ns; `moment`: BOOTTIME. */
    void (*told)(void *ctx, unsigned rule, uint64_t moment, uint64_t dur_ns);
    void *ctx;

    struct orma_map seqs;   /* id → struct seq */
    struct orma_map tracks; /* key → struct track */
    size_t open, names; /* of all */
    uint64_t events, forgotten;
    uint64_t given_up, names_given_up; /* open slices, names: beyond what is kept */
};

void orma_flight_slices_fini(struct orma_flight_slices *self);

/* One TracePacket. */
void orma_flight_slices_take(struct orma_flight_slices *self, const uint8_t *packet, size_t len);

/* All that happened before `until` (BOOTTIME) has been taken: slices that are open since long
 * before are told. */
void orma_flight_slices_look(struct orma_flight_slices *self, uint64_t until);
#endif
