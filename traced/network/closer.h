/*
 * Closes descriptors that clients have sent, and sockets in which some still lie.
 *
 * close() may wait for whoever made the file: for the server of a file system (FUSE, NFS) to take
 * what was written, for the peer of a socket with SO_LINGER to read. So it is not called on the
 * service's loop, but on a thread, one for each user who has sent such a file: who makes it wait
 * waits alone. What waits counts as connections of that user (user.h).
 *
 * Memory files wait for nobody and are closed at once.
 * Threads: the service's loop, but for the threads in here.
 */
#ifndef ORMA_TRACED_NETWORK_CLOSER_H
#define ORMA_TRACED_NETWORK_CLOSER_H
#include <stddef.h>
#include <stdint.h>

struct traced_closer;

/* NULL: no memory. */
struct traced_closer *traced_closer_new(void);
/* NULL is fine. Does not wait: threads go on by themselves. */
void traced_closer_free(struct traced_closer *self);

/* Takes fd; -1 is fine. */
void traced_closer_put(struct traced_closer *self, uint64_t user, int fd);

/* Descriptors that are not closed yet: of a user, and of all. */
size_t traced_closer_waiting(struct traced_closer *self, uint64_t user, size_t *ret_all);
#endif
