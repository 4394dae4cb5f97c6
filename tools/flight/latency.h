/*
 * Threads that wait too long for a CPU, found while the kernel's switches and wakings go by.
 *
 *   waking, or loss of the CPU while it could run ─► waits ─► gets a CPU: told, if that took too
 * long
 *
 * Each CPU has its own bundles, so events are collected until all that were before some moment have
 * come, and then looked at in the order of their times. A thread that never gets a CPU is not told:
 * where a switch was not recorded it would look the same. Threads: none.
 */
#ifndef ORMA_TOOLS_FLIGHT_LATENCY_H
#define ORMA_TOOLS_FLIGHT_LATENCY_H
#include "tools/flight/slices.h"

struct orma_flight_latency {
    const struct orma_flight_rule *rules; /* ORMA_FLIGHT_CONDITIONS_MAX of them */
    /* Rule number `rule` was met: at `moment` (BOOTTIME) a thread got a CPU. */
    void (*told)(void *ctx, unsigned rule, uint64_t moment, uint64_t waited_ns);
    void *ctx;

    struct orma_flight_sched *waiting; /* collected; see latency.c */
    size_t num, cap;
    struct orma_map ready; /* tid → BOOTTIME since when it could run */
    uint64_t events, forgotten;
};

void orma_flight_latency_fini(struct orma_flight_latency *self);

/* One TracePacket. */
void orma_flight_latency_take(struct orma_flight_latency *self, const uint8_t *packet, size_t len);

/* All that happened before `until` (BOOTTIME) has been taken. */
void orma_flight_latency_look(struct orma_flight_latency *self, uint64_t until);
#endif
