/*
 * Profiles of callgrind: the graph of calls that a file holds, and the stacks made of it.
 *
 *   lines ─► functions, calls between them, costs of their lines by file ─► stacks
 *
 * Each cost is a list of values, one for each event that was counted. Costs of a function's own
 * lines are those of a place: a function, and the file that the lines are in (inlined code lies in
 * others). Threads: none; everything belongs to one file.
 */
#ifndef ORMA_PROCESSOR_IMPORT_FORMATS_CALLGRIND_H
#define ORMA_PROCESSOR_IMPORT_FORMATS_CALLGRIND_H
#include "processor/import/core/file.h"
#include "sdk/base/map.h"
#include "sdk/base/vec.h"

#define ORMA_CALLGRIND_EVENTS_MAX 64

struct orma_callgrind_function {
    uint32_t name, object, source; /* pool ids */
    uint32_t thread;               /* index */
    uint32_t line;                 /* the first one that is told; 0: none */
};

struct orma_callgrind_call {
    uint32_t from, to; /* functions */
    bool cut;          /* it closes a cycle */
    uint64_t times;
};

struct orma_callgrind_place {
    uint32_t function, source, line;
};

struct orma_callgrind_graph {
    uint32_t events_num;
    uint32_t events[ORMA_CALLGRIND_EVENTS_MAX]; /* pool ids */
    ORMA_VEC(uint32_t) threads;                 /* their numbers */
    ORMA_VEC(struct orma_callgrind_function) functions;
    ORMA_VEC(struct orma_callgrind_call) calls;
    ORMA_VEC(struct orma_callgrind_place) places;
    ORMA_VEC(int64_t) call_costs;  /* events_num of each call: with all that was called */
    ORMA_VEC(int64_t) place_costs; /* the same, of the lines alone */
};

/* Makes aggregate profiles of it, one for each event; once. */
void orma_callgrind_put_stacks(struct orma_file *file, struct orma_callgrind_graph *graph);

void orma_callgrind_graph_fini(struct orma_callgrind_graph *self);
#endif
