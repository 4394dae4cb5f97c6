/*
 * Triggers: names that producers call out, and what sessions do about them.
 *
 *   START   the first one starts the session, for stop_delay_ms
 *   STOP    stop_delay_ms after the first one the session is flushed and ends
 *   CLONE   stop_delay_ms after each one the consumer is told to take a snapshot
 *
 * Of each session only so many are remembered that a producer can't fill our
 * memory with them (rule 43 of docs/service.md). Threads: the service's loop.
 */
#ifndef ORMA_TRACED_SESSIONS_TRIGGER_H
#define ORMA_TRACED_SESSIONS_TRIGGER_H
#include <event2/event.h>
#include <stdbool.h>
#include <stdint.h>

#include "sdk/base/list.h"
#include "sdk/base/map.h"
#include "sdk/base/str.h"

struct traced_producer;
struct traced_service;
struct traced_session;

/* A trigger that a session has received. */
struct traced_trigger {
    struct orma_list link; /* traced_session.triggers */
    struct traced_session *session;
    uint64_t ts;
    char *name, *producer_name;
    int32_t producer_uid;
    uint32_t stop_delay_ms;
    bool emitted;        /* its packet was read */
    struct event *timer; /* CLONE: until the consumer is told; NULL otherwise */
};

/* A producer calls a name out: goes to all sessions that wait for it. */
void traced_trigger_activate(struct traced_producer *producer, struct orma_str name);

/* May the session's data be read? Without a trigger there is no trace. */
bool traced_trigger_lets_read(const struct traced_session *session);

/* All that were received go to another session. */
void traced_triggers_move(struct traced_session *from, struct traced_session *to);
void traced_triggers_fini(struct traced_session *session);

/*
 * What triggers were received lately, for max_per_24_h: a ring of the last 4096
 * of all sessions, with a count for each name in it.
 */
#define TRACED_TRIGGER_HISTORY_MAX 4096
struct traced_trigger_history {
    struct {
        uint64_t ts;
        struct traced_trigger_count *count;
    } items[TRACED_TRIGGER_HISTORY_MAX];
    uint32_t head, len;
    uint64_t secret;        /* of the hash */
    struct orma_map counts; /* hash of a name -> traced_trigger_count */
};
void traced_trigger_history_fini(struct traced_trigger_history *self);
#endif
