/*
 * What one user of the machine holds of a service: connections, and bytes that
 * are kept for them. Nobody but root and the service's own user can take all
 * of either: a user may have at most half of the connections that the others
 * leave, and TRACED_USER_BYTES_MAX bytes. Descriptors that wait to be closed count as connections.
 *
 * All that comes over a network counts as one user.
 * Threads: the service's loop.
 */
#ifndef ORMA_TRACED_NETWORK_USER_H
#define ORMA_TRACED_NETWORK_USER_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sdk/base/map.h"
#include "traced/network/closer.h"

/* Of all connections of one user: frames that are not whole, frames that wait to be sent, names and
 * descriptors. Some two thousand honest producers keep less. */
#define TRACED_USER_BYTES_MAX ((size_t)256 << 20)
#define TRACED_USER_NETWORK (UINT64_C(1) << 32) /* behind all uids */

struct traced_user {
    uint64_t id; /* uid, or TRACED_USER_NETWORK */
    bool trusted;
    size_t conns, bytes;
};

struct traced_users {
    struct orma_map map; /* id to traced_user */
    size_t conns;        /* of all */
    size_t conns_max;    /* what there are descriptors for */
    uint64_t own;        /* uid of the service */
    struct traced_closer *closer;
};

/* -ENOMEM: to be ended all the same. */
int traced_users_init(struct traced_users *self);
/* No connection is left. */
void traced_users_fini(struct traced_users *self);

/* One more connection. NULL: this user has enough, or memory is out. */
struct traced_user *traced_users_enter(struct traced_users *self, uint64_t id);
/* The end of one, which holds nothing any more. */
void traced_users_leave(struct traced_users *self, struct traced_user *user);

/* More or less bytes. False: it is more than the user may hold; it counts all the same. */
bool traced_user_hold(struct traced_user *self, size_t before, size_t now);

/* Closes what a connection of the user has sent, or its socket. */
void traced_users_close(struct traced_users *self, uint64_t id, int fd);
/* Does so much of the user's wait to be closed that no more is taken from it? */
bool traced_users_is_stuck(struct traced_users *self, const struct traced_user *user);
#endif
