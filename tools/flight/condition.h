/*
 * Conditions of a flight recorder, as people write them:
 *
 *   slice "request" > 50ms     a slice of this name (a pattern) lasts longer
 *   latency worker > 20ms      a thread of this name (a pattern) waits longer for a CPU
 *   SELECT ...                 SQL over what the ring holds: it returns a row
 */
#ifndef ORMA_TOOLS_FLIGHT_CONDITION_H
#define ORMA_TOOLS_FLIGHT_CONDITION_H
#include <stddef.h>
#include <stdint.h>

enum orma_flight_kind { ORMA_FLIGHT_SLICE, ORMA_FLIGHT_LATENCY, ORMA_FLIGHT_SQL };

#define ORMA_FLIGHT_NAME_MAX 256

struct orma_flight_condition {
    const char *text; /* as it was written */
    enum orma_flight_kind kind;
    char name[ORMA_FLIGHT_NAME_MAX]; /* pattern; not of SQL */
    uint64_t longer_ns;
};

/* NULL, or what is wrong with it. `text` stays the caller's. */
const char *orma_flight_condition_parse(const char *text, struct orma_flight_condition *ret);
#endif
