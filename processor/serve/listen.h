/* Sockets that a server of HTTP listens on. */
#ifndef ORMA_PROCESSOR_SERVE_LISTEN_H
#define ORMA_PROCESSOR_SERVE_LISTEN_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ORMA_LISTENERS_MAX 2

struct orma_listeners {
    int fds[ORMA_LISTENERS_MAX];
    size_t num;
    uint16_t port;
    bool local; /* on the loopback only */
};

/*
 * `address` NULL or "localhost": both loopback addresses. `port` 0: any that is free. What was
 * opened before a failure is in *self. 0; -EINVAL: no such address; -errno of bind().
 */
int orma_listen(struct orma_listeners *self, const char *address, uint16_t port);
void orma_listeners_close(struct orma_listeners *self);
#endif
