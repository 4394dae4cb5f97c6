/*
 * State of packet sequences: what a packet may refer to.
 *
 * A sequence is one writer. Its state comes in generations: a generation is
 * what was interned since the last clear, and the defaults in force. Packets
 * that wait in the sorter keep the generation they were read in, by count.
 *
 *   sequence ──► current generation ──► interned data (shared by generations
 *                   defaults                           that differ in defaults)
 *
 * Interned entries point into the bytes of the trace, which stay where they
 * are until the import ends. The first definition of an id stays.
 * Threads: none.
 */
#ifndef ORMA_PROCESSOR_READ_SEQ_H
#define ORMA_PROCESSOR_READ_SEQ_H
#include <stdbool.h>
#include <stdint.h>

#include "sdk/base/defs.h"
#include "sdk/base/map.h"
#include "sdk/base/str.h"

/* Field numbers of InternedData that are kept. */
#define ORMA_INTERNED_KINDS 64
/* Extensions of it have numbers from 1000 on, and are kept at the end. */
#define ORMA_INTERNED_EXTENSIONS 1000
#define ORMA_INTERNED_COMPUTE_KERNELS 62   /* 1000 */
#define ORMA_INTERNED_COMPUTE_ARG_NAMES 63 /* 1001 */
#define ORMA_SEQ_EXTRA_COUNTERS 8

struct orma_interned {
    const uint8_t *data; /* the entry's message; NULL: no such id */
    uint32_t len;
    uint32_t cache; /* an importer's own number for it + 1; 0 = none yet */
};

struct orma_intern_table {
    struct orma_interned *dense; /* by id */
    uint32_t dense_len;
    struct orma_interned *sparse;
    uint32_t sparse_len, sparse_cap;
    struct orma_map sparse_by_id;
};

struct orma_interned_data {
    uint32_t refs;
    uint32_t cache; /* an importer's own number for all of it + 1; 0 = none yet */
    struct orma_intern_table *tables[ORMA_INTERNED_KINDS];
};

struct orma_seq_gen {
    uint32_t refs;
    struct orma_seq *seq;
    struct orma_interned_data *interned;
    struct orma_str defaults; /* TracePacketDefaults, may be empty */
    bool has_clock, has_track, has_pid;
    uint32_t clock_id;
    uint32_t pid, tid; /* of the thread that writes, if has_pid */
    uint64_t track_uuid;
    uint8_t extra_num, extra_double_num;
    uint64_t extra_uuids[ORMA_SEQ_EXTRA_COUNTERS];
    uint64_t extra_double_uuids[ORMA_SEQ_EXTRA_COUNTERS];
    /* Their tracks (of the track event importer), once an event had values for them. */
    void *extra_tracks[2][ORMA_SEQ_EXTRA_COUNTERS];
    /* Sums of incremental counters since the clear: track uuid → slot. Shared like `interned`. */
    struct orma_seq_sums *sums;
    /* The track (of the track event importer) that an event of the sequence was on last. */
    void *event_track;
    uint32_t kept; /* that importer's number for it + 1, while it keeps it; 0: it does not */
    uint32_t
        number; /* of those of the sequence: with that it is like no other, not even a later one */
};

struct orma_seq_sums {
    uint32_t refs;
    struct orma_map slots;
    double *values;
    uint32_t num, cap;
};

struct orma_run;

/* What importers worked out of packets that wait in the run, in the order of the file: a head,
 * which says of which packet and how many sums follow, and the sums. */
union orma_seq_ahead {
    uint64_t head;
    double sum;
};

/* Packets, and those that are missing. */
struct orma_seq_counts {
    uint64_t needed, skipped; /* packets that need state, and those dropped for lack of it */
    uint64_t packets;
    /* Losses before a packet, that before the first one left out: how many, and by reason (bits of
     * previous_packet_dropped). */
    uint64_t losses;
    uint32_t losses_by_reason[32];
};

/* Of ThreadDescriptor and legacy time fields. */
struct orma_seq_times {
    bool known;
    int64_t time_us, thread_time_us, thread_instructions;
};

/* The conversion used last: raw * unit + offset, while lo <= ns < hi. */
struct orma_seq_clock {
    bool cached, incremental;
    uint32_t id;
    uint32_t epoch, stamp;
    int64_t unit, lo, hi, offset;
    int64_t raw;                  /* incremental: the sum so far */
    struct orma_clock_view *view; /* of its file and machine; the reader's */
};

struct orma_seq {
    uint32_t id;
    uint32_t machine;
    uint32_t file, trace;     /* of several files: their number, and their row */
    struct orma_seq_gen *gen; /* never NULL */
    uint32_t gens;            /* so far */
    bool valid;               /* incremental state was cleared and nothing lost since */
    bool saw_first;           /* first_packet_on_sequence came */
    bool tokenize_events; /* track events need the slow way (legacy times, incremental counters) */
    bool sums_read;       /* its incremental counters are summed as packets are read */
    uint32_t uid;
    uint32_t pid;
    bool has_pid;
    struct orma_seq_counts counts;
    struct orma_seq_times times;
    struct orma_seq_clock clock;
    /* Where the next packet may be appended in the sorter: track events, and what else there is. */
    struct orma_run *events, *others;
    struct {
        union orma_seq_ahead *items; /* from `at` on */
        uint32_t num, cap, at;
    } read_ahead;
};

/* The service's own packets; what it says behind its last statistics is no data. */
#define ORMA_SEQ_SERVICE 1

struct orma_seqs {
    struct orma_map by_id; /* file << 40 | machine << 32 | id → struct orma_seq * */
    uint32_t file;         /* of several ones: each has sequences of its own */
    uint32_t trace;        /* the row of that one */
    bool failed;
};

void orma_seqs_fini(struct orma_seqs *self);

/* Where a sequence of the file at hand is in `by_id`. */
static inline uint64_t orma_seqs_key(const struct orma_seqs *self, uint32_t machine, uint32_t id)
{
    return (uint64_t)self->file << 40 | (uint64_t)machine << 32 | id;
}

/* The sequence, made if it is new; NULL when memory is out. */
struct orma_seq *orma_seqs_get(struct orma_seqs *self, uint32_t machine, uint32_t id);

/* Starts a generation with nothing in it. 0 or -ENOMEM (the state is then invalid). */
int orma_seq_clear(struct orma_seq *self);

/* Starts a generation whose incremental counters begin anew, and all else goes on. 0 or -ENOMEM. */
int orma_seq_restart_sums(struct orma_seq *self);

/* Starts a generation with other defaults. 0 or -ENOMEM. */
int orma_seq_set_defaults(struct orma_seq *self, struct orma_str defaults);

/* Merges an InternedData message. How many entries were of no use (the others are kept), or
 * -ENOMEM.
 */
int orma_seq_intern(struct orma_seq *self, struct orma_str data);

/* NULL if the id was never defined. The entry's cache may be written. */
struct orma_interned *orma_seq_gen_find_slow(const struct orma_seq_gen *self, uint32_t kind,
                                             uint64_t iid);
static inline struct orma_interned *orma_seq_gen_find(const struct orma_seq_gen *self,
                                                      uint32_t kind, uint64_t iid)
{
    struct orma_intern_table *t = kind < ORMA_INTERNED_KINDS ? self->interned->tables[kind] : NULL;

    if (ORMA_LIKELY(t && iid < t->dense_len && t->dense[iid].data))
        return &t->dense[iid];
    return orma_seq_gen_find_slow(self, kind, iid);
}

static inline struct orma_seq_gen *orma_seq_gen_ref(struct orma_seq_gen *self)
{
    self->refs++;
    return self;
}

void orma_seq_gen_unref(struct orma_seq_gen *self);

/* Adds to the sum of an incremental counter and returns it. */
double orma_seq_gen_sum(struct orma_seq_gen *self, uint64_t track_uuid, double delta);

/* Room for `num` more words at the end of what waits; NULL: memory is out. */
union orma_seq_ahead *orma_seq_keep_ahead(struct orma_seq *self, uint32_t num);

/* The first of what waits, good until more is kept; NULL: nothing waits. */
static inline const union orma_seq_ahead *orma_seq_first_ahead(const struct orma_seq *self)
{
    return self->read_ahead.at < self->read_ahead.num ? &self->read_ahead.items[self->read_ahead.at]
                                                      : NULL;
}

/* The first `num` words wait no more. */
static inline void orma_seq_drop_ahead(struct orma_seq *self, uint32_t num)
{
    self->read_ahead.at += num;
}
#endif
