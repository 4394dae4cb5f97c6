/*
 * Bump allocator: many small things that die together. Memory comes in blocks
 * that double up to 1 MiB; addresses stay valid until orma_arena_fini().
 * Zero-initialised is an empty arena. Threads: none.
 */
#ifndef ORMA_SDK_BASE_ARENA_H
#define ORMA_SDK_BASE_ARENA_H
#include <stddef.h>

#include "sdk/base/str.h"

struct orma_arena {
    struct orma_arena_block *blocks; /* newest first */
    char *pos, *end;
    size_t next_size;
};

void orma_arena_fini(struct orma_arena *self);

/* 16-byte aligned, not zeroed; NULL when out of memory. */
void *orma_arena_alloc(struct orma_arena *self, size_t size);

/* A terminated copy; NULL when out of memory. */
const char *orma_arena_strdup(struct orma_arena *self, struct orma_str s);
#endif
