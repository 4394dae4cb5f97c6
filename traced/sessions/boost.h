/* Scheduling priority of the service, as sessions ask for it: the highest wins. */
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
 * Applies the highest priority that any session asks for; without sessions the
 * ordinary one. -EPERM and others: it was refused, and nothing has changed.
 */
int traced_boost_update(struct traced_sessions *sessions);
#endif
