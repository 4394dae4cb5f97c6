/*
 * Which triggers all sessions received lately, for max_per_24_h: a ring of the
 * last TRACED_TRIGGER_HISTORY_MAX, with a count for each name in it.
 * Zero-initialised is empty. Threads: none.
 */
#ifndef ORMA_TRACED_SESSIONS_TRIGGER_HISTORY_H
#define ORMA_TRACED_SESSIONS_TRIGGER_HISTORY_H
#include <stdbool.h>
#include <stdint.h>

#include "sdk/base/map.h"
#include "sdk/base/str.h"

#define TRACED_TRIGGER_HISTORY_MAX 4096

struct traced_trigger_count;

struct traced_trigger_history {
    struct {
        uint64_t ts;
        struct traced_trigger_count *count;
    } items[TRACED_TRIGGER_HISTORY_MAX];
    uint32_t head, len;
    uint64_t secret;        /* of the hash */
    struct orma_map counts; /* hash of a name -> traced_trigger_count */
    uint64_t random;        /* state of a generator; 0: not seeded yet */
};
void traced_trigger_history_fini(struct traced_trigger_history *self);

/* How often the name came in the 24 hours before `now` (ns). */
uint32_t traced_trigger_history_count(struct traced_trigger_history *self, struct orma_str name,
                                      uint64_t now);
/* It came now. Not counted if there is no memory. */
void traced_trigger_history_add(struct traced_trigger_history *self, struct orma_str name,
                                uint64_t now);

/* The next one pushes out the oldest. */
static inline bool traced_trigger_history_is_full(const struct traced_trigger_history *self)
{
    return self->len == TRACED_TRIGGER_HISTORY_MAX;
}

/* A random number in [0, 1), for skip_probability. */
double traced_trigger_history_draw(struct traced_trigger_history *self);
#endif
