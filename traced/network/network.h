/*
 * The sockets that a service listens on, and the connections made there.
 *
 * What clients of a socket may call is handed in as an endpoint (conn.h); nothing
 * here depends on what the methods do. What one user may have of all is bounded
 * (user.h). When descriptors run out all the same, accepting rests for a moment;
 * clients wait in the backlog.
 * Threads: the service's loop.
 */
#ifndef ORMA_TRACED_NETWORK_NETWORK_H
#define ORMA_TRACED_NETWORK_NETWORK_H
#include <stdbool.h>
#include <stddef.h>

#include "sdk/base/buf.h"
#include "sdk/base/list.h"
#include "traced/loop/loop.h"
#include "traced/network/user.h"

struct traced_endpoint;
struct traced_listener;

struct traced_network {
    struct traced_loop *loop;
    void *context;          /* of the methods of the endpoints; opaque here */
    struct orma_list conns; /* traced_conn.link */
    size_t conns_num;
    struct traced_users users;
    struct traced_listener *listeners; /* owned */
    size_t listeners_num;
};

/* -ENOMEM. The loop and the context must outlive it. */
int traced_network_init(struct traced_network *self, struct traced_loop *loop, void *context);
/* Closes all connections and listeners; socket files that were made here are removed. */
void traced_network_fini(struct traced_network *self);

/*
 * Listens on an address as in sdk/ipc/sock.h, or on a socket that listens
 * already (taken, also on failure). -errno; `error` (may be NULL) gets the
 * address and the reason.
 */
int traced_network_listen(struct traced_network *self, const char *addr,
                          const struct traced_endpoint *endpoint, struct orma_buf *error);
int traced_network_adopt(struct traced_network *self, int fd,
                         const struct traced_endpoint *endpoint);
#endif
