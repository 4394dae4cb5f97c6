/*
 * The RPC over HTTP/1.1 and WebSocket, for browsers and Python clients, or as it is over a unix
 * socket.
 *
 * Requests are served one after the other, each to its end: there is one trace
 * and one processor. A client that does not read its answer for half a minute is
 * dropped. Cross-origin requests are answered for the viewer's origins and those
 * of the config only.
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
 * 0 or -errno of poll().
 */
int orma_server_run(struct orma_server *self, int stop_fd, uint64_t idle_ms);
#endif
