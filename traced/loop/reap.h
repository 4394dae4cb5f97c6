/*
 * Memory of central buffers that is given back in slices (turn.h): unmapping a
 * buffer that was filled takes up to 80 ms for each GiB.
 * Threads: the service's loop.
 */
#ifndef ORMA_TRACED_LOOP_REAP_H
#define ORMA_TRACED_LOOP_REAP_H
#include <stddef.h>

#include "traced/loop/turn.h"

struct traced_mapping {
    void *base;
    size_t size;
};

struct traced_reaper {
    struct traced_work work;
    struct traced_mapping *mappings;
    size_t num, cap;
};

void traced_reaper_init(struct traced_reaper *self);
/* Whatever is left goes at once. */
void traced_reaper_fini(struct traced_reaper *self);

/* Takes the mapping. */
void traced_reap(struct traced_reaper *self, struct traced_turns *turns, void *base, size_t size);
#endif
