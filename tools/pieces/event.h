/*
 * What of a track event matters to those who take a trace apart: when it is, which slice it begins
 * or ends, and which of its numbers are differences to events before it.
 */
#ifndef ORMA_TOOLS_PIECES_EVENT_H
#define ORMA_TOOLS_PIECES_EVENT_H
#include "tools/pieces/known.h"

enum orma_pieces_edge {
    ORMA_PIECES_NEITHER,
    ORMA_PIECES_BEGIN,
    ORMA_PIECES_END,
};

/* Values of incremental counters that an event may bring along. */
#define ORMA_PIECES_EXTRAS ORMA_SEQ_EXTRA_COUNTERS

struct orma_pieces_event {
    enum orma_pieces_edge edge;
    uint64_t key; /* of the track that slices nest on; differs between machines */
    int64_t dur;  /* of an event that is a slice as a whole, else 0 */
    uint32_t type;
    uint64_t uuid;     /* of the track that it names, or its sequence; 0: none */
    uint32_t pid, tid; /* of another thread that the event names; only without a track */
    bool has_pid, has_tid;
    bool has_value, has_double, has_extras;
    bool has_delta[ORMA_PIECES_DELTAS];
};

/*
 * Reads it; *ts, if `timed`, is the packet's time, and becomes the event's. False: it has none. The
 * sums of its sequence move on.
 */
bool orma_pieces_event_read(struct orma_pieces_known *known, struct orma_pieces_seq *seq,
                            const struct orma_read_packet *p, bool timed, int64_t *ts,
                            struct orma_pieces_event *ret);

/* ---- counters that are told as differences ---- */

struct orma_pieces_counters {
    struct orma_map incremental; /* uuids of such tracks */
    struct orma_map slots;       /* sequence, uuid → slot */
    struct orma_pieces_sum {
        uint32_t gen; /* of the sequence: a clear begins anew */
        uint64_t sum; /* so far, the event at hand included */
        double sum_double;
    } * sums;
    uint32_t num, cap;
    bool failed;
};

void orma_pieces_counters_fini(struct orma_pieces_counters *self);

/* A TrackDescriptor may say that its track is one. */
void orma_pieces_counters_describe(struct orma_pieces_counters *self, struct orma_str descriptor);

/* The numbers of an event that are of such tracks, in the order in which they stand there. */
struct orma_pieces_values {
    uint32_t slots[1 + 2 * ORMA_PIECES_EXTRAS]; /* UINT32_MAX: not of such a track */
    double amounts[1 + 2 * ORMA_PIECES_EXTRAS];
    int64_t wholes[1 + 2 * ORMA_PIECES_EXTRAS]; /* of integers, exactly */
    uint32_t ints;    /* extra_counter_values, behind the value of the event itself */
    uint32_t doubles; /* extra_double_counter_values, behind those */
    bool any;
};

/* Finds them, without moving sums on. */
void orma_pieces_counters_read(struct orma_pieces_counters *self, const struct orma_pieces_seq *seq,
                               const struct orma_pieces_event *event, struct orma_str payload,
                               struct orma_pieces_values *ret);

/* Sums move on. */
void orma_pieces_counters_add(struct orma_pieces_counters *self,
                              const struct orma_pieces_values *values);

/* ---- writing ---- */

/* What is to be added to the numbers of an event. */
struct orma_pieces_lack {
    int64_t deltas[ORMA_PIECES_DELTAS];
    int64_t wholes[1 + 2 * ORMA_PIECES_EXTRAS];
    double doubles[1 + 2 * ORMA_PIECES_EXTRAS];
    bool any;
};

/* Appends the event with these numbers; all else as it is. */
void orma_pieces_event_write(struct orma_buf *out, struct orma_str payload,
                             const struct orma_pieces_values *values,
                             const struct orma_pieces_lack *lack);

/* Appends stacks with this added to the time of the first one, and so to all. */
void orma_pieces_stacks_write(struct orma_buf *out, struct orma_str payload, int64_t lack_us);
#endif
