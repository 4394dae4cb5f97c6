/*
 * Client end of a port: binds to a service, calls methods by name, hands
 * replies to callbacks. Bytes in, events out; the owner brings the loop: it
 * polls orma_ipc_client_fd() for reading and calls orma_ipc_client_dispatch().
 *
 * Replies come in any order; a method may stream several. When the connection
 * ends, every callback still waiting is called once with success = false and
 * has_more = false, from orma_ipc_client_free().
 * Threads: none; the owner serialises all calls.
 *
 * A socket that its program has closed, so that the number may be another file's, is neither
 * read, written nor closed: -EBADF, the connection is over.
 */
#ifndef ORMA_SDK_IPC_CLIENT_H
#define ORMA_SDK_IPC_CLIENT_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sdk/base/defs.h"
#include "sdk/base/str.h"

struct orma_ipc_client;

/* `reply` is valid during the call only. May invoke further methods, must not free the client. */
typedef void (*orma_ipc_reply_fn)(void *ctx, bool success, bool has_more, struct orma_str reply);

/*
 * Connects and sends the bind request for `service` ("ProducerPort", ...).
 * -errno of the connection. `sock` variant: takes the descriptor on success.
 */
int orma_ipc_client_new(const char *addr, const char *service, struct orma_ipc_client **ret);
int orma_ipc_client_new_from_fd(int sock, const char *service, struct orma_ipc_client **ret);
void orma_ipc_client_free(struct orma_ipc_client *self);
ORMA_DEFINE_AUTO(struct orma_ipc_client *, orma_ipc_client_free)

/* Closes the socket and does nothing else: in a child of fork(). */
void orma_ipc_client_close(struct orma_ipc_client *self);

int orma_ipc_client_fd(const struct orma_ipc_client *self);

/* Reads all there is and calls back. 0, or -errno: the connection is over (-ECONNRESET: closed). */
int orma_ipc_client_dispatch(struct orma_ipc_client *self);

/* Waits up to timeout_ms (-1: for ever) for something to read, then dispatches. -ETIMEDOUT. */
int orma_ipc_client_wait(struct orma_ipc_client *self, int timeout_ms);

/* Waits until the service has answered the bind. -ENOPROTOOPT: it has no such service. */
int orma_ipc_client_wait_bound(struct orma_ipc_client *self, int timeout_ms);
bool orma_ipc_client_is_bound(const struct orma_ipc_client *self);
/* The service has no such port. Neither: it has not answered. */
bool orma_ipc_client_is_refused(const struct orma_ipc_client *self);

/*
 * From now on sending does not wait: what the socket does not take is kept and sent by dispatch and
 * wait, for which the owner polls for writing while orma_ipc_client_has_queued(). -ENOBUFS when too
 * much waits. Descriptors cannot be passed then.
 */
void orma_ipc_client_set_queues(struct orma_ipc_client *self);
bool orma_ipc_client_has_queued(const struct orma_ipc_client *self);
/* Waits until all was sent. -ETIMEDOUT, or the connection's error. */
int orma_ipc_client_drain(struct orma_ipc_client *self, int timeout_ms);

/*
 * Sends a request. `fn` NULL: no reply is wanted. `pass_fd` -1: none; it stays
 * the caller's. -EAGAIN: not bound yet; -ENOSYS: the service lacks the method;
 * -EMSGSIZE; -EPIPE and others: the connection is over.
 */
int orma_ipc_client_invoke(struct orma_ipc_client *self, const char *method, const void *args,
                           size_t len, int pass_fd, orma_ipc_reply_fn fn, void *ctx);

/* Drops the requests whose callback has this context: they are never called back. */
void orma_ipc_client_forget(struct orma_ipc_client *self, const void *ctx);

/* The descriptor that came last, now the caller's; -1 if none. For use inside a callback. */
int orma_ipc_client_take_fd(struct orma_ipc_client *self);
#endif
