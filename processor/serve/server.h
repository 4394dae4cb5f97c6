/*
 * The RPC over HTTP/1.1 and WebSocket, for browsers and Python clients, or as it is over a unix
 * socket.
 *
 * There is one trace and one processor, so queries are carried out one after the other, on a
 * thread of their own; the one that calls orma_server_run() talks to the clients and never
 * waits for one of them. A query ends when its client leaves. Limits on what a client can make
 * the server hold or wait for stand in server.c and docs/commands.md.
 *
 * Cross-origin requests are answered for the viewer's origins and those of the config only.
 */
#ifndef ORMA_PROCESSOR_SERVE_SERVER_H
#define ORMA_PROCESSOR_SERVE_SERVER_H
#include <stdint.h>

#include "processor/serve/rpc.h"

struct orma_server;

struct orma_server_config {
    const char *address; /* NULL or "localhost": both loopback addresses */
    uint16_t port;       /* 0: any that is free */
    const char *origins; /* more allowed origins, separated by commas; may be NULL */
    int unix_fd;         /* >= 0: instead of all that, this listening socket; becomes ours */
};

/* Listens. 0; -EINVAL: no such address; -EADDRINUSE and others of bind(). */
int orma_server_new(const struct orma_server_config *config, struct orma_rpc *rpc,
                    struct orma_server **ret);
void orma_server_free(struct orma_server *self);

uint16_t orma_server_port(const struct orma_server *self);

/*
 * Serves until `stop_fd` (-1: never) can be read, or no request came for `idle_ms` (0: for ever).
 * 0, or -errno of poll() and of making a thread. -EBUSY: the end was wanted, but a call that cannot
 * be interrupted still runs: neither the server nor the RPC may be freed then.
 */
int orma_server_run(struct orma_server *self, int stop_fd, uint64_t idle_ms);
#endif
