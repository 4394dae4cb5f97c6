/*
 * A consumer as the service sees it: at most one session, and what it waits
 * for. Made by the first call of the consumer port, gone with the connection.
 * Threads: the service's loop.
 */
#ifndef ORMA_TRACED_ENDPOINTS_CONSUMER_H
#define ORMA_TRACED_ENDPOINTS_CONSUMER_H
#include <stdbool.h>
#include <stdint.h>

#include "sdk/base/buf.h"
#include "traced/endpoints/query.h"

struct traced_clone;
struct traced_conn;
struct traced_instance;
struct traced_session;
struct traced_trigger;

#define TRACED_READS_MAX 16

struct traced_consumer {
    struct traced_conn *conn;
    struct traced_session *session; /* NULL: none */
    struct traced_clone *clone;     /* under way; NULL: none */
    int32_t uid;
    bool waits_for_end; /* an EnableTracing request is unanswered */
    uint64_t enable_request_id;
    bool observes;
    uint64_t observe_request_id;
    uint32_t observe_mask;            /* 1 << type */
    uint64_t reads[TRACED_READS_MAX]; /* ReadBuffers requests, in order */
    size_t reads_num;
    struct traced_queries queries;
    struct orma_buf batch; /* read from the session, not sent yet */
    size_t batch_at;       /* of the packet to be sent next */
    size_t packet_at;      /* inside it */
    bool batch_more;
};

/* Made by the first call; NULL: no memory. */
struct traced_consumer *traced_consumer_of(struct traced_conn *conn);

/* The consumer's session has ended, or `error` says why it could not be. May be called with NULL.
 */
void traced_consumer_session_ended(struct traced_consumer *self, const char *error);

/* More of the session can be read: goes on with the first ReadBuffers request. */
void traced_consumer_pump(struct traced_consumer *self);

/* For ObserveEvents. */
void traced_consumer_instance_changed(const struct traced_instance *instance);
void traced_consumer_all_started(struct traced_session *session);
void traced_consumer_clone_trigger(const struct traced_session *session,
                                   const struct traced_trigger *trigger);
#endif
