/*
 * What a session does by the clock: clock snapshots and statistics, periodic
 * flushes, clearing of incremental state, a note about data sources that are
 * slow to start; and three timers whose end is the owner's business: its duration,
 * the wait for producers to stop, and the next look at those who are waited for.
 * Threads: the service's loop.
 */
#ifndef ORMA_TRACED_SESSIONS_SESSION_TIMERS_H
#define ORMA_TRACED_SESSIONS_SESSION_TIMERS_H
#include <event2/event.h>
#include <stdbool.h>
#include <stdint.h>

struct traced_session;

/* What a session does when its time is over. */
struct traced_timer_events {
    void (*duration_over)(struct traced_session *session);
    void (*stop_over)(struct traced_session *session);
    void (*look_due)(struct traced_session *session); /* at those who are waited for */
};

/* Part of a session. */
struct traced_session_timers {
    const struct traced_timer_events *events;
    int duration_fd; /* timerfd that goes on while the machine sleeps; -1: an ordinary timer */
    struct event *duration, *stop, *snapshot, *flush, *clear, *slow_start, *look;
};

/* -ENOMEM: to be freed with fini all the same. */
int traced_session_timers_init(struct traced_session *session,
                               const struct traced_timer_events *events);
void traced_session_timers_fini(struct traced_session *session);

/* The periodic ones; the first snapshot is taken at once. */
void traced_session_timers_start(struct traced_session *session);
/* All of them. */
void traced_session_timers_stop(struct traced_session *session);

/* Data has come. A ring that nobody reads asks its writers to repeat names and clocks each time
 * that it has gone on by an eighth, so that what is left of it can be read. A period in the config
 * does not replace that, unless the ring is small: writers that are fast fill it within the period.
 */
void traced_session_note_rings(struct traced_session *session);

/* The end of the session, or of its waiting, by the clock that the config prefers. */
void traced_session_arm_duration(struct traced_session *session, uint32_t ms);
void traced_session_cancel_duration(struct traced_session *session);
void traced_session_arm_stop(struct traced_session *session, uint32_t ms);
#endif
