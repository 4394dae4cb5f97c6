/*
 * What a relay tells a service of its machine: the system, and its clocks again and again, so that
 * the service can relate them to its own (RelayPort). Threads: the one that calls.
 */
#ifndef ORMA_TOOLS_RELAY_CLOCKS_H
#define ORMA_TOOLS_RELAY_CLOCKS_H

/* Takes a connection that has said who it is. Returns when it is over (-errno; -ENOPROTOOPT: the
 * service takes no relays), or when `stop_fd` can be read (0). `ready`, once, when the service
 * knows the clocks. */
int orma_relay_tell_clocks(int fd, int stop_fd, void (*ready)(void *ctx), void *ctx);
#endif
