/*
 * Bundles of kernel events, taken apart event by event: their times, and those of one range as a
 * bundle of their own.
 */
#ifndef ORMA_TOOLS_PIECES_BUNDLE_H
#define ORMA_TOOLS_PIECES_BUNDLE_H
#include "tools/pieces/known.h"

struct orma_pieces_bundle {
    struct orma_pieces_known *known;
    struct orma_pieces_seq *seq;
    struct orma_str payload;
    uint32_t cpu;
    uint32_t clock;      /* of its events */
    bool bad_clock;      /* nobody knows that clock: no event has a time */
    bool tells;          /* says more than events: of its clock, of kinds of events */
    bool lost;           /* events were lost before its first one */
    bool by_time;        /* set before it is written: what is left out is of other times */
    uint64_t events;     /* with a time */
    int64_t first, last; /* times of the earliest and the latest */
    int64_t edge,
        switch_before; /* the last of the list of switches before `edge`, if > INT64_MIN */
    uint64_t damaged;  /* bytes that are not events */
    struct orma_clock_span span; /* of the conversion used last */
};

/* Reads it, and what it says of its clock. */
void orma_pieces_bundle_read(struct orma_pieces_bundle *self, struct orma_pieces_known *known,
                             struct orma_pieces_seq *seq, struct orma_str payload, int64_t edge);

/* Whether an event goes into the bundle that is written. `event`: its message, or empty for the
 * lists of switches and wakings; pid: the next one, or the woken one. */
typedef bool orma_pieces_event_fn(void *ctx, int64_t ts, struct orma_str event, bool is_switch,
                                  uint32_t pid);

/* Appends the bundle with the events that `wants`, and with what it says beside them. How many
 * events that are. */
uint64_t orma_pieces_bundle_write(struct orma_pieces_bundle *self, orma_pieces_event_fn *wants,
                                  void *ctx, struct orma_buf *out);
#endif
