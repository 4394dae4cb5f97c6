/*
 * Generated queries, and the tables that they are about: small ones, full of edges: NULL, 2^53 + 1,
 * the ends of 64 bits, minus zero, texts that look like numbers, empty ones, equal keys.
 */
#ifndef ORMA_TESTS_UNIT_SQL_QUERY_GENERATOR_H
#define ORMA_TESTS_UNIT_SQL_QUERY_GENERATOR_H

#include <stdbool.h>
#include <stdint.h>

#include "sdk/base/buf.h"

struct query_gen {
    uint64_t seed;
    int depth;
    unsigned aliases; /* a, b, ... */
    bool over;        /* names are those of a sub-select: a.x, a.y, a.z */
    struct orma_buf text;
};

extern const char query_gen_tables[];

/* Another one for each seed; it stays until the next. */
const char *query_gen_make(struct query_gen *g, uint64_t seed);

#endif
