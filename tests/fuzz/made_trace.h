/*
 * A random trace that is valid throughout, packet by packet, and what must be found in it.
 *
 *     struct made_trace t;
 *
 *     made_trace_init(&t, seed);
 *     feed(t.bytes.data, t.bytes.len);        whole, or cut at any t.ends[i]
 *     made_trace_fini(&t);
 *
 * A set of features is drawn per seed, so that small traces single out causes. Everything in it is
 * recorded on one clock; packets of different writers stand in any order, those of one writer in
 * the order of time.
 */
#ifndef ORMA_TESTS_FUZZ_MADE_TRACE_H
#define ORMA_TESTS_FUZZ_MADE_TRACE_H
#include "sdk/base/buf.h"

#define MADE_WRITERS 6
#define MADE_PACKETS 400

struct made_trace {
    struct orma_buf bytes;
    struct made_packet {
        size_t begin, end;
        unsigned writer; /* 0: concerns all */
    } packets[MADE_PACKETS];
    unsigned num;

    /* What was written with a valid state of its writer. */
    uint64_t slices, counters, switches;
    double sum;     /* of all values of counters */
    uint64_t state; /* of the random numbers */
};

void made_trace_init(struct made_trace *self, uint64_t seed);
void made_trace_fini(struct made_trace *self);

/* A number below `num`, from the trace's own source. */
uint64_t made_trace_pick(struct made_trace *self, uint64_t num);

/* Only the packets of the writers in `mask` (bit of each), and those that concern all. */
void made_trace_part(const struct made_trace *self, unsigned mask, struct orma_buf *ret);
#endif
