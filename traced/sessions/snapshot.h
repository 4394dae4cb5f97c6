/*
 * What is recorded about a session until the next read: clock snapshots and
 * life-cycle events.
 */
#ifndef ORMA_TRACED_SESSIONS_SNAPSHOT_H
#define ORMA_TRACED_SESSIONS_SNAPSHOT_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sdk/base/buf.h"

#if defined(__x86_64__)
#define TRACED_CLOCKS 7
#else
#define TRACED_CLOCKS 6
#endif
#define TRACED_CLOCKS_NS 6 /* the first of them, which are in ns */
#define TRACED_SNAPSHOTS_MAX 16
#define TRACED_EVENTS_MAX 160

/* In the order in which they are written: BOOTTIME first, the TSC last where there is one. */
struct traced_clocks {
    uint64_t now[TRACED_CLOCKS];
};

struct traced_event {
    uint64_t ts;
    uint32_t kind;       /* field of TracingServiceEvent */
    uint64_t val;        /* kinds that are numbers */
    uint32_t unanswered; /* flushes that have ended: how many producers had not answered */
    struct orma_buf msg; /* kinds that are messages, encoded */
};

/* Part of a session. */
struct traced_snapshots {
    bool no_clocks; /* clocks are not recorded: the config does not want that */
    bool has_initial;
    struct traced_clocks initial;
    struct traced_clocks clocks[TRACED_SNAPSHOTS_MAX];
    size_t clocks_num;
    struct traced_event events[TRACED_EVENTS_MAX];
    size_t events_num;
};

void traced_snapshots_fini(struct traced_snapshots *self);

struct traced_clocks traced_clocks_now(void);

/* Remembers the clocks, unless they are not wanted, or none has moved against BOOTTIME since the
 * last ones remembered. */
void traced_snapshots_add_clocks(struct traced_snapshots *self);

/*
 * Remembers that something happened now. Of each kind only the last is kept
 * until it is read; flushes are kept up to 64 times. Takes `msg` (may be NULL).
 */
void traced_snapshots_add_event(struct traced_snapshots *self, uint32_t kind, uint64_t val,
                                struct orma_buf *msg);
void traced_snapshots_add_event_at(struct traced_snapshots *self, uint64_t ts, uint32_t kind,
                                   uint64_t val, struct orma_buf *msg);
/* A copy of what is remembered, into an empty one. Messages for which there is no memory are left
 * empty. */
void traced_snapshots_copy(struct traced_snapshots *to, const struct traced_snapshots *from);
void traced_snapshots_sort_events(struct traced_snapshots *self);
#endif
