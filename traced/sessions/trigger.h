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
#include "sdk/base/map.h"

/* Rule 43: of each session so many are remembered, the rest is ignored. */
#define TRACED_TRIGGERS_MAX 1024

struct traced_producer;
struct traced_session;

struct traced_trigger {
    struct orma_list link; /* traced_triggers.list */
    struct traced_session *session;
    uint64_t ts;
    char *name, *producer_name;
    int32_t producer_uid;
    uint64_t user; /* traced_triggers.users */
    uint32_t stop_delay_ms;
    bool emitted;        /* its packet was read */
    struct event *timer; /* CLONE: until the snapshot is due; NULL otherwise */
};

/* Part of a session. */
struct traced_triggers {
    struct orma_list list; /* traced_trigger.link */
    size_t num;
    struct orma_map users; /* how many of them are whose */
    bool told;             /* that some are ignored */
};

void traced_triggers_init(struct traced_triggers *self);
void traced_triggers_fini(struct traced_session *session);

/* Is there room for one more of this producer? A user who is neither root nor the service's own has
 * at most half of what other users leave. */
bool traced_triggers_have_room(struct traced_session *session,
                               const struct traced_producer *producer);

/* Received now. NULL: no memory. */
struct traced_trigger *traced_trigger_new(struct traced_session *session,
                                          const struct traced_producer *producer, const char *name,
                                          uint32_t stop_delay_ms, uint64_t now);

/* May the session's data be read? Without a trigger there is no trace. */
bool traced_triggers_let_read(const struct traced_session *session);

/* Moves all triggers to another session, but for those whose snapshot is still to come. */
void traced_triggers_move(struct traced_session *from, struct traced_session *to);
#endif
