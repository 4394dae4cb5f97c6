/*
 * A second session beside the one that records: what conditions need, read all the while.
 */
#ifndef ORMA_TOOLS_FLIGHT_WATCH_H
#define ORMA_TOOLS_FLIGHT_WATCH_H
#include "tools/flight/flight.h"

struct orma_consumer;

/* Does a condition need it? */
bool orma_flight_watch_wanted(const struct orma_flight_plan *plan);

/* 0 and *ret, or -errno with a message. */
int orma_flight_watch_begin(const struct orma_flight_plan *plan, struct orma_consumer **ret);

/* Asks all writers for what they have, and reads it: `take` gets each packet. 1: all answered, so
 * what was before the call has come; 0: some did not; -errno: the session is over. */
int orma_flight_watch_read(struct orma_consumer *watch,
                           int (*take)(void *ctx, const uint8_t *packet, size_t len), void *ctx);
#endif
