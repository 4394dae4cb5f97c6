/*
 * One snapshot: the session's ring as a trace of its own, cut to the time around a moment, with the
 * moment and the condition in it: as the trigger of the snapshot, and as an instant on a track
 * "Flight recorder".
 */
#ifndef ORMA_TOOLS_FLIGHT_SNAP_H
#define ORMA_TOOLS_FLIGHT_SNAP_H
#include "tools/flight/flight.h"

struct orma_flight_snap {
    const struct orma_flight_plan *plan;
    unsigned number;
    const char *condition;
    uint64_t moment; /* BOOTTIME */
    uint64_t bytes;  /* result */
};

/* 0 and PATH.N is there, whole; or -errno, it is not, and why was said. */
int orma_flight_snap(struct orma_flight_snap *self);

/* Runs the command of the plan for it, and does not wait for it. -errno: said. */
int orma_flight_snap_tell(const struct orma_flight_snap *self);
#endif
