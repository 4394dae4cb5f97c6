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
#include "sdk/ipc/frame.h"
#include "traced/endpoints/query.h"

struct traced_clone;
struct traced_conn;
struct traced_instance;
struct traced_session;
struct traced_trigger;

#define TRACED_READS_MAX 16
/* A reply is cut before this sum of slices. */
#define TRACED_REPLY_MAX (ORMA_IPC_FRAME_MAX - 64)

struct traced_consumer {
    struct traced_conn *conn;
    struct traced_session *session; /* NULL: none */
    struct traced_clone *clone;     /* under way; NULL: none */
    bool clone_drop_reply;          /* of the last CloneSession */
    bool clone_reply_due;           /* the session is that clone, and its file not complete */
    uint64_t clone_request_id;
    bool next_file_drop_reply;
    uint64_t next_file_request_id; /* while the session has an old file */
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

/* Its session is gone already, or is another's. */
void traced_consumer_free(struct traced_consumer *self);

/* The consumer's session has ended, or could not be made (`error`): EnableTracing is answered,
 * if it waits. */
void traced_consumer_session_ended(struct traced_consumer *self, const char *error);

/* More of the session can be read: goes on with the first ReadBuffers request. */
void traced_consumer_pump(struct traced_consumer *self);

/* One more ReadBuffers request. -EBUSY: so many wait already. */
int traced_consumer_add_read(struct traced_consumer *self, uint64_t request_id);
/* What was read of a session and not sent yet is thrown away. */
void traced_consumer_forget_batch(struct traced_consumer *self);

/* For ObserveEvents. */
void traced_consumer_instance_changed(const struct traced_instance *instance);
void traced_consumer_all_started(struct traced_session *session);
void traced_consumer_clone_due(const struct traced_session *session,
                               const struct traced_trigger *trigger);
/* What is already so, in one message. */
void traced_consumer_replay_events(struct traced_consumer *self);
#endif
