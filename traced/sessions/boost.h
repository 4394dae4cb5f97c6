/* Scheduling of the service while a session asks for a better one: the best of all wins. */
#ifndef ORMA_TRACED_SESSIONS_BOOST_H
#define ORMA_TRACED_SESSIONS_BOOST_H
#include <stdint.h>

struct traced_sessions;

/* 0: what the service was started with. */
struct traced_boost {
    int policy; /* of PriorityBoostConfig */
    uint32_t priority;
};

/*
 * Applies what the sessions that exist ask for together; with none of them the
 * ordinary policy. -EPERM and others: it can't be had, and nothing has changed.
 */
int traced_boost_update(struct traced_sessions *sessions);
#endif
