/*
 * Whose program is at the other end of a connection over the loopback? A port on 127.0.0.1 is open
 * to all users of the machine, and what a request says of its origin is true of browsers only.
 * Threads: none.
 */
#ifndef ORMA_PROCESSOR_SERVE_PEER_H
#define ORMA_PROCESSOR_SERVE_PEER_H
#include <stdbool.h>
#include <stdint.h>

/* False: the kernel does not know such a connection, as of those that come from elsewhere. */
bool orma_peer_user(int fd, uint32_t *ret_uid);

/* Root, whoever runs this program, or who runs it by sudo. */
bool orma_peer_is_ours(uint32_t uid);
#endif
