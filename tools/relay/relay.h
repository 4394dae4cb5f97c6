/*
 * A relay: programs of this machine connect to it as they would to a service, and it passes what
 * they and a service elsewhere say to each other on, byte by byte. Each program has a connection of
 * its own to the service, which begins with who it is and on which machine; one more tells the
 * clocks (clocks.h). A service that is not there is asked again after a while, which grows to half
 * a minute; programs wait meanwhile.
 *
 * Threads: calls from one; a thread runs for each connection, and one for the clocks.
 */
#ifndef ORMA_TOOLS_RELAY_RELAY_H
#define ORMA_TOOLS_RELAY_RELAY_H
#include <stdbool.h>

#include "sdk/base/buf.h"
#include "sdk/base/defs.h"

struct orma_relay;

struct orma_relay_config {
    const char *program; /* for messages */
    /* A new connection to the service, or -errno; the one with `leads` tells the clocks. It may
     * take its time, until `stop_fd` can be read, and is called by several threads. */
    int (*connect)(void *ctx, bool leads, int stop_fd);
    void *ctx;
    const char *to;     /* the same for people */
    const char *name;   /* of this machine */
    const char *socket; /* where it listens for programs; NULL: where they look for a service */
    /* Called when the service knows the clocks, each time that it was reached. */
    void (*ready)(void *ctx);
    bool own_machine; /* `name` is part of the identity: several relays on one machine */
};

/* Listens and starts. -errno with a line in `error`. */
int orma_relay_new(const struct orma_relay_config *config, struct orma_relay **ret,
                   struct orma_buf *error);
/* Where it listens. */
const char *orma_relay_socket(const struct orma_relay *self);
/* Can be read when the relay has ended by itself: the service takes no relays. */
int orma_relay_end_fd(const struct orma_relay *self);
/* Ends all connections. NULL is fine. */
void orma_relay_free(struct orma_relay *self);
ORMA_DEFINE_AUTO(struct orma_relay *, orma_relay_free)
#endif
