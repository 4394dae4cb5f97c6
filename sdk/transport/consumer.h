/*
 * Consumer: the controlling end of a session. Starts it, waits for its end,
 * reads packets back.
 *
 * No thread and no loop: the owner polls orma_consumer_fd() for reading and
 * calls orma_consumer_dispatch(); callbacks run inside that call. The
 * *_wait calls do so themselves until their own answer is there.
 *
 * One consumer is one connection and owns at most one session; when it is
 * freed, the service ends that session, unless it was detached.
 * Threads: none; the owner serialises all calls.
 */
#ifndef ORMA_SDK_TRANSPORT_CONSUMER_H
#define ORMA_SDK_TRANSPORT_CONSUMER_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sdk/base/buf.h"
#include "sdk/base/defs.h"
#include "sdk/base/str.h"

struct orma_consumer;

/* Why a flush is asked for, as the service passes it on to producers: explicit, by a command. */
#define ORMA_FLUSH_FLAGS_STOP (2u | 2u << 4)
#define ORMA_FLUSH_FLAGS_EXPLICIT (4u | 2u << 4)

/* NULL: orma_sock_consumer_addr(). Connects and binds; -errno, -ETIMEDOUT after timeout_ms. */
int orma_consumer_new(const char *addr, int timeout_ms, struct orma_consumer **ret);
void orma_consumer_free(struct orma_consumer *self);
ORMA_DEFINE_AUTO(struct orma_consumer *, orma_consumer_free)

int orma_consumer_fd(const struct orma_consumer *self);

/* 0, or -errno: the connection is over (-ECONNRESET: the service closed it). */
int orma_consumer_dispatch(struct orma_consumer *self);
/* Waits up to timeout_ms for something to read, then dispatches. -ETIMEDOUT, -EINTR. */
int orma_consumer_wait(struct orma_consumer *self, int timeout_ms);

/*
 * Starts a session. `fd` (or -1) is the output file of a write_into_file
 * config; it stays the caller's. orma_consumer_ended() reports the end.
 */
int orma_consumer_enable(struct orma_consumer *self, struct orma_str config, int fd);

/* Asks for the end notification of a session just attached to. */
int orma_consumer_enable_notify(struct orma_consumer *self);

/*
 * 0: the session runs. 1: it ended (or never began); *ret_error is "" or the
 * message of the service, valid until the consumer is freed. May be NULL.
 */
int orma_consumer_ended(const struct orma_consumer *self, const char **ret_error);

/*
 * Any method with an encoded request, waiting for its one answer (streamed
 * answers are appended one after the other: for query state that is the whole
 * message). `reply` may be NULL. -EREMOTEIO: refused by the service; -ENOSYS:
 * it has no such method; -ETIMEDOUT.
 */
int orma_consumer_call(struct orma_consumer *self, const char *method, const struct orma_buf *args,
                       int fd, int timeout_ms, struct orma_buf *reply);

/*
 * While a call of `self` waits, what comes for `other` (NULL: none) is dispatched as well: the
 * service cuts off whoever reads nothing for some seconds. `other` must live as long as that.
 */
void orma_consumer_keep(struct orma_consumer *self, struct orma_consumer *other);

/* Stops the session. */
int orma_consumer_disable(struct orma_consumer *self);

/* A flush of all producers of the session: a later dispatch writes *flush, which has to live until
 * it is done or forgotten. The service answers after flush_timeout_ms (0: as configured) at the
 * latest. */
struct orma_consumer_flush {
    bool done;
    bool complete; /* all producers answered */
};
int orma_consumer_flush_begin(struct orma_consumer *self, uint32_t flush_timeout_ms, uint64_t flags,
                              struct orma_consumer_flush *flush);
void orma_consumer_flush_forget(struct orma_consumer *self, struct orma_consumer_flush *flush);

/* The session goes on in the file `fd`, which stays the caller's: a later dispatch writes *next,
 * when the file before is complete. -ENOSYS: the service does not know that. */
struct orma_consumer_next {
    bool done;
    bool refused;        /* by the service: nothing has changed */
    bool failed;         /* the end of the file before could not be written */
    uint64_t behind;     /* packets so far that need what an older file says */
};
int orma_consumer_next_begin(struct orma_consumer *self, int fd, struct orma_consumer_next *next);
void orma_consumer_next_forget(struct orma_consumer *self, struct orma_consumer_next *next);

/* Ends the session and its buffers. */
int orma_consumer_free_buffers(struct orma_consumer *self);

/* One whole packet; a negative result ends the reading with that result. */
typedef int (*orma_packet_fn)(void *ctx, const uint8_t *packet, size_t len);

/*
 * Reads (and consumes) everything that is in the session's buffers now. Gives
 * up with -ETIMEDOUT when timeout_ms pass between two replies.
 */
int orma_consumer_read_wait(struct orma_consumer *self, int timeout_ms, orma_packet_fn fn,
                            void *ctx);

/* The session's TraceStats message, appended. -EREMOTEIO: there is no session. */
int orma_consumer_stats_wait(struct orma_consumer *self, struct orma_buf *ret);

/* One event of the session, as an encoded ObservableEvents message. */
typedef void (*orma_observe_fn)(void *ctx, struct orma_str events);

/* Bits of ObservableEvents.Type; from now on dispatch calls `fn` for them. */
int orma_consumer_observe(struct orma_consumer *self, uint32_t types, orma_observe_fn fn,
                          void *ctx);
#endif
