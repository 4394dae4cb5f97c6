/*
 * What all that runs on the service's thread shares: libevent's loop, the turns
 * of long work, memory that is given back in slices, and the limit on log lines
 * that clients cause. Owned by the service; the modules above hold a pointer.
 * Threads: the service's loop.
 */
#ifndef ORMA_TRACED_LOOP_LOOP_H
#define ORMA_TRACED_LOOP_LOOP_H
#include <event2/event.h>
#include <stdbool.h>
#include <stdint.h>

#include "traced/loop/reap.h"
#include "traced/loop/turn.h"

struct traced_loop {
    struct event_base *base;
    struct traced_turns turns;
    struct traced_reaper reaper;
    uint64_t log_since_ns; /* begin of the current log window */
    uint32_t logged;       /* lines about clients in it, those left out included */
};

/* -ENOMEM: to be freed with traced_loop_fini() all the same. */
int traced_loop_init(struct traced_loop *self);
/* Zero-initialised is fine, and so is one whose init failed. */
void traced_loop_fini(struct traced_loop *self);

/*
 * May a line about a client be logged? Clients can cause many: the first 50 of
 * each ten seconds are logged, and the number of those left out.
 */
bool traced_loop_may_log(struct traced_loop *self);

void traced_loop_arm(struct event *timer, uint32_t ms);
/* At the next multiple of the period by the wall clock, so that sessions and machines agree. */
void traced_loop_arm_periodic(struct event *timer, uint32_t period_ms);
#endif
