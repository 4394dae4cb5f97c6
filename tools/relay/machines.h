/*
 * The other machines of a recording: for each a way to a relay there, which is opened again when
 * it breaks.
 *
 *   ssh:HOST, ssh://HOST:PORT   `orma relay` is started there, and ssh carries its connections
 *   tcp:HOST:PORT               `orma relay --listen` waits there
 *   vsock:CID:PORT              the same, in a virtual machine
 *
 * Messages go to stderr. Threads: calls from one; one thread for each machine, and one for each
 * connection by TCP or vsock.
 */
#ifndef ORMA_TOOLS_RELAY_MACHINES_H
#define ORMA_TOOLS_RELAY_MACHINES_H
#include <stdbool.h>

#include "sdk/base/defs.h"
#include "sdk/transport/consumer.h"

#define ORMA_RELAY_MACHINES_MAX 32

struct orma_relay_machines;

/* NULL: it is one that can be asked for; else what is wrong. */
const char *orma_relay_machine_check(const char *spec);

struct orma_relay_machines_config {
    const char *program;
    const char *const *specs;
    unsigned num;
    const char *service; /* path of the socket on which our service expects relays */
    bool quiet;
};

/* Begins to connect. `config` stays the caller's, and valid. -errno. */
int orma_relay_machines_new(const struct orma_relay_machines_config *config,
                            struct orma_relay_machines **ret);
/* Until all are there, with what they offer; a few seconds at most, a minute by ssh, and no longer
 * than until `signal_fd` (a signalfd; -1: none) has a signal other than SIGCHLD. -errno, with a
 * message. */
int orma_relay_machines_wait(struct orma_relay_machines *self, struct orma_consumer *consumer,
                             int signal_fd);
/* Ends all. NULL is fine. */
void orma_relay_machines_free(struct orma_relay_machines *self);
ORMA_DEFINE_AUTO(struct orma_relay_machines *, orma_relay_machines_free)
#endif
