/*
 * What a reader knows at a packet: the state of its sequence, and its time in the trace's clock.
 * Kept in the order of the file, by the code of the processor, so that times here are its times.
 *
 *   sequence: generation ─► interned data since the clear (as bytes), defaults
 *             clocks and counters that are told as differences: their sums so far
 *
 * The sums are those of everything so far. A piece of the trace that got only a part of the packets
 * compares them with its own, and adds what it lacks (piece.h).
 */
#ifndef ORMA_TOOLS_PIECES_KNOWN_H
#define ORMA_TOOLS_PIECES_KNOWN_H
#include "processor/read/reader.h"
#include "tools/pieces/source.h"

/* Values of a sequence that older track events tell as differences; times of stacks, too. */
enum orma_pieces_delta {
    ORMA_PIECES_TIME_US,
    ORMA_PIECES_THREAD_TIME_US,
    ORMA_PIECES_INSTRUCTIONS,
    ORMA_PIECES_DELTAS,
};

struct orma_pieces_seq {
    struct orma_seq *seq; /* of the reader: number, machine, clocks, validity */
    uint32_t index;       /* among all, from 0 on */
    uint32_t machine_raw; /* as its packets call it */
    uint32_t uid, pid;
    bool has_uid, has_pid, saw_first;
    uint32_t gen;             /* how often its state was cleared; 0: never */
    uint32_t lost;            /* why packets were lost last (previous_packet_dropped) */
    struct orma_buf interned; /* of InternedData since the clear */
    struct orma_buf defaults; /* TracePacketDefaults in force */
    bool has_defaults;
    uint32_t defaults_num; /* changes with the defaults */
    /* Before the packet at hand. */
    size_t interned_before;
    uint64_t packets; /* with the one at hand */
    /* Incremental clocks since the last snapshot: the sum of what packets added, and whether the
     * packet at hand did. */
    uint64_t clock_sum, clock_before;
    uint32_t clock_epoch; /* changes with the snapshots */
    bool clock_named;     /* the packet at hand names the clock */
    /* Since the descriptor of the thread. */
    int64_t sums[ORMA_PIECES_DELTAS], sums_before[ORMA_PIECES_DELTAS];
    int64_t base_us;
    uint32_t sums_epoch;
    bool adds_time; /* stacks: the packet at hand adds to the sum of times */
    bool has_edge;
    int64_t edge_ts; /* the latest begin or end of a slice so far: later ones may be earlier */
    struct orma_pieces_seq *same_id; /* another one, of another machine */
};

struct orma_pieces_known {
    struct orma_storage storage;
    struct orma_reader reader;
    struct orma_map seqs;  /* machine << 32 | id → seq */
    struct orma_map by_id; /* id → the first of those that are called so */
    struct orma_pieces_seq *last;
    uint32_t seqs_num;
    bool keeps_state;                /* interned data is kept, not only times */
    int64_t last_ts;                 /* of packets that have none of their own */
    int64_t last_pair;               /* of bundles of kernel events */
    struct orma_pieces_known *later; /* what is known at the end; NULL: not yet */
    bool failed;
};

/* 0 or -ENOMEM. */
int orma_pieces_known_init(struct orma_pieces_known *self, bool keeps_state);
void orma_pieces_known_fini(struct orma_pieces_known *self);

/*
 * The packet comes. *ret_ts: its time; false: it has none that anybody can tell (it names no time,
 * or an unknown clock). *ret: its sequence, also of packets without one (number 0). NULL: no
 * memory.
 */
bool orma_pieces_known_take(struct orma_pieces_known *self, const struct orma_read_packet *p,
                            struct orma_pieces_seq **ret, int64_t *ret_ts);

/* The sequence begins or ends a slice. True: it did so later in time before, so that the slices of
 * that track are in the order of their times only when they are sorted. */
static inline bool orma_pieces_known_edge(struct orma_pieces_seq *seq, int64_t ts)
{
    const bool late = seq->has_edge && ts < seq->edge_ts;

    seq->edge_ts = late ? seq->edge_ts : ts;
    seq->has_edge = true;
    return late;
}

/* No memory, wherever: asked at each packet, and after the last one. */
bool orma_pieces_known_failed(const struct orma_pieces_known *self);

/* A time of another clock of the sequence's machine. */
bool orma_pieces_known_convert(struct orma_pieces_known *self, struct orma_pieces_seq *seq,
                               uint32_t clock, int64_t ns, int64_t *ret,
                               struct orma_clock_span *ret_span);

/* A time in microseconds as track events of older forms have it. False: no time can be that. */
bool orma_pieces_known_micros(struct orma_pieces_known *self, struct orma_pieces_seq *seq,
                              int64_t us, int64_t *ret);

/* Bundles say what their own clock showed at some time of BOOTTIME. */
void orma_pieces_known_pair(struct orma_pieces_known *self, struct orma_pieces_seq *seq,
                            uint32_t clock, int64_t ns, int64_t boot_ns);
#endif
