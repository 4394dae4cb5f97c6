/*
 * Flushes: producers are asked to hand over what they hold, and answer with the
 * flush's id. How requests share a flush: flush.c.
 * Threads: the service's loop.
 */
#ifndef ORMA_TRACED_SESSIONS_FLUSH_H
#define ORMA_TRACED_SESSIONS_FLUSH_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sdk/base/list.h"

struct traced_producer;
struct traced_session;
struct traced_sessions;

/* As in TraceStats. */
enum traced_flush_outcome { TRACED_FLUSH_NONE, TRACED_FLUSH_OK, TRACED_FLUSH_FAILED };

/* Which producers are asked: those that write into buffers that a clone transfers, into the
 * others, or all. */
enum traced_flush_scope { TRACED_FLUSH_ALL, TRACED_FLUSH_TRANSFER, TRACED_FLUSH_STAY };

/* Flags of a flush, as producers get them: the low four bits are the reason, the next four who
 * asked (1: the service). */
#define TRACED_FLUSH_REASON_MASK 0xfu
#define TRACED_FLUSH_PERIODIC (1u | 1u << 4)
#define TRACED_FLUSH_STOP (2u | 1u << 4)
#define TRACED_FLUSH_CLONE (3u | 1u << 4)

/* `ok`: all producers answered in time. Called once, also when the session is freed before. */
typedef void (*traced_flush_fn)(struct traced_session *session, bool ok, void *ctx);

/* Part of a session. */
struct traced_flushes {
    struct orma_list list; /* session_flush.link, see flush.c */
    size_t num;            /* requests under way */
    uint64_t requested, succeeded, failed;
    enum traced_flush_outcome final; /* of the flush before the session's end */
};

void traced_flushes_init(struct traced_flushes *self);
void traced_flushes_copy_counts(struct traced_flushes *to, const struct traced_flushes *from);
/* Ends all of them as failed. */
void traced_flushes_cancel(struct traced_session *session);

/* timeout_ms 0: as the config says. */
void traced_flush(struct traced_session *session, enum traced_flush_scope scope,
                  uint32_t timeout_ms, uint64_t flags, traced_flush_fn fn, void *ctx);

/* All flushes up to this id are done for this producer. */
void traced_flush_ack(struct traced_sessions *sessions, struct traced_producer *producer,
                      uint64_t id);
/* It stands still: flushes that it was asked for end without it, unless it answers before they do.
 */
void traced_flush_give_up(struct traced_session *session, struct traced_producer *producer);
void traced_flush_producer_gone(struct traced_sessions *sessions, struct traced_producer *producer);
#endif
