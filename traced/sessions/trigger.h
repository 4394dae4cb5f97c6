/*
 * The triggers that a session has received, in the order of their arrival. What
 * a session does about them is in trigger_act.h.
 * Threads: the service's loop.
 */
#ifndef ORMA_TRACED_SESSIONS_TRIGGER_H
#define ORMA_TRACED_SESSIONS_TRIGGER_H
#include <event2/event.h>
#include <stdbool.h>
#include <stdint.h>

#include "sdk/base/list.h"

struct traced_producer;
struct traced_session;

struct traced_trigger {
    struct orma_list link; /* traced_triggers.list */
    struct traced_session *session;
    uint64_t ts;
    char *name, *producer_name;
    int32_t producer_uid;
    uint32_t stop_delay_ms;
    bool emitted;        /* its packet was read */
    struct event *timer; /* CLONE: until the snapshot is due; NULL otherwise */
};

/* Part of a session. */
struct traced_triggers {
    struct orma_list list; /* traced_trigger.link */
    size_t num;
};

void traced_triggers_init(struct traced_triggers *self);
void traced_triggers_fini(struct traced_session *session);

/* Received now. NULL: no memory. */
struct traced_trigger *traced_trigger_new(struct traced_session *session,
                                          const struct traced_producer *producer, const char *name,
                                          uint32_t stop_delay_ms, uint64_t now);

/* May the session's data be read? Without a trigger there is no trace. */
bool traced_triggers_let_read(const struct traced_session *session);

/* Moves all triggers to another session, but for those whose snapshot is still to come. */
void traced_triggers_move(struct traced_session *from, struct traced_session *to);
#endif
