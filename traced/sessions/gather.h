/*
 * Gathering: all that producers have handed over by now comes into a session's
 * buffers, in slices (turn.h), before a flush or the session itself ends.
 *
 *   round:  sockets  what each producer of the session had sent when the round began is handled,
 *                    and a producer whose connection ends is gone
 *           memory   chunks of producers that allow scraping are copied, and complete ones of those
 *                    that stand still
 *           done     those who wait are called
 *
 * Whoever asks while a round is under way waits for the next one, together with
 * all others: any number of flushes costs two rounds at most. A round always
 * ends: what producers send after its begin is not waited for.
 * Threads: the service's loop.
 */
#ifndef ORMA_TRACED_SESSIONS_GATHER_H
#define ORMA_TRACED_SESSIONS_GATHER_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sdk/base/list.h"
#include "traced/loop/turn.h"

struct traced_session;

/* Part of whatever waits. */
struct traced_gather_wait {
    struct orma_list link; /* traced_gather.now or .next; in none: does not wait */
    /* Gathered. May free the session. */
    void (*fn)(struct traced_gather_wait *self);
};

struct traced_gather_mark {
    uint64_t mark;
    uint16_t producer_id;
};

/* Part of a session. */
struct traced_gather {
    struct traced_session *session;
    struct traced_work work;
    struct orma_list now, next;       /* traced_gather_wait.link */
    struct traced_gather_mark *marks; /* of the round */
    size_t marks_num, at;
    uint64_t rounds; /* begun so far */
    bool running;
    bool scraping; /* the second part of a round */
    uint32_t page;
};

void traced_gather_init(struct traced_gather *self, struct traced_session *session);
/* Waits that have not ended are dropped without a call. */
void traced_gather_fini(struct traced_gather *self);

/* Calls wait->fn from the loop, once. */
void traced_gather_begin(struct traced_gather *self, struct traced_gather_wait *wait);

static inline bool traced_gather_waits(const struct traced_gather_wait *wait)
{
    return !orma_list_empty(&wait->link);
}

/* To be called before the wait is freed. Fine if it does not wait. */
static inline void traced_gather_cancel(struct traced_gather_wait *wait)
{
    orma_list_remove(&wait->link);
}
#endif
