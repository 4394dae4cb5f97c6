/*
 * The service's own state, for the files of this folder.
 */
#ifndef ORMA_TRACED_INTERNAL_H
#define ORMA_TRACED_INTERNAL_H
#include <event2/event.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "sdk/base/list.h"
#include "sdk/base/map.h"
#include "traced/loop/reap.h"
#include "traced/loop/turn.h"
#include "traced/network/conn.h"
#include "traced/service.h"
#include "traced/sessions/trigger.h"

struct traced_listener;
struct traced_producer;
struct traced_session;

/* When a session of this name was started, for a guardrail. */
#define TRACED_RECENT_MAX 64
struct traced_recent {
    char name[128];
    uint64_t ts;
};

/* 0: what the service was started with. */
struct traced_boost {
    int policy; /* of PriorityBoostConfig */
    uint32_t priority;
};

struct traced_service {
    struct traced_boost boost;
    struct event_base *base;
    struct traced_turns turns;
    struct traced_reaper reaper;
    int stop_fd; /* eventfd */
    struct event *stop_event;
    struct event *touch_event; /* touching buffer pages ahead, when nothing else is to do */
    struct traced_listener *listeners;
    size_t listeners_num;
    struct orma_list conns;     /* traced_conn.link */
    struct orma_list producers; /* traced_producer.link */
    struct orma_list
        data_sources;          /* traced_data_source.service_link, in the order of registering */
    struct orma_list sessions; /* traced_session.link */
    struct orma_map producers_by_id;
    struct orma_map buffers_by_id; /* -> struct traced_session_buffer */
    struct orma_list machines;     /* traced_machine.link */
    size_t conns_num, producers_num, sessions_num;
    uint16_t last_producer_id, last_buffer_id;
    uint64_t last_session_id, last_instance_id, last_flush_id;
    uint64_t producers_seen;
    uint64_t last_data_source_serial;
    uint64_t flushes_sent;      /* messages to producers */
    uint64_t config_bytes_sent; /* to producers, for the cost of it */
    uint64_t chunks_discarded, patches_discarded;
    size_t data_sources_num;
    struct traced_recent recent[TRACED_RECENT_MAX]; /* ring of sessions started with guardrails */
    size_t recent_num, recent_at;
    struct traced_trigger_history trigger_history;
    uint64_t random; /* state of a generator; 0: not seeded yet */
    uint64_t log_since_ns;
    uint32_t logged;          /* lines about clients since then */
    int32_t file_patience_ms; /* for a file without a consumer that takes nothing */
    uid_t uid;
    bool lockdown;
};

extern const struct traced_port traced_producer_port;
extern const struct traced_port traced_consumer_port;

/* Told by conn.c. */
/* One slice of reading the memory of a producer that is heard out. False: there is nothing more. */
bool traced_producer_wind_up(struct traced_conn *conn);
void traced_producer_gone(struct traced_conn *conn);
void traced_consumer_gone(struct traced_conn *conn);
/* Everything queued was taken by the consumer's socket. */
void traced_consumer_drained(struct traced_conn *conn);

/*
 * May a line about a client be logged? Clients can cause many; of each ten seconds
 * the first 50 are, and how many were left out.
 */
bool traced_may_log(struct traced_service *self);

/* Something was written into a buffer whose next pages do not exist yet. */
void traced_service_want_touch(struct traced_service *self);
#endif
