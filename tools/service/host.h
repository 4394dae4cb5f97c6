/*
 * A service and the system's probes inside this process, each on a thread of
 * its own, on private sockets in a directory that only this user may enter.
 * What `orma record` uses when no service is running, and tracebox always.
 */
#ifndef ORMA_TOOLS_SERVICE_HOST_H
#define ORMA_TOOLS_SERVICE_HOST_H
#include <stdbool.h>

#include "sdk/base/defs.h"

struct orma_service_host;

/*
 * Starts the service, and the probes if `probes`. Signals that the caller
 * handles must be blocked before, so that the threads inherit that. -errno;
 * *ret_what then names the step.
 */
int orma_service_host_new(bool probes, struct orma_service_host **ret, const char **ret_what);

/* The same on the sockets where the system's service would listen. -EADDRINUSE: it does. */
int orma_service_host_new_on_system_sockets(bool probes, struct orma_service_host **ret,
                                            const char **ret_what);

/* Stops the threads, removes the sockets and the directory. NULL is fine. */
void orma_service_host_free(struct orma_service_host *self);
ORMA_DEFINE_AUTO(struct orma_service_host *, orma_service_host_free)

/* Has a data source refused a session? The setup of all is over when a session has started. */
bool orma_service_host_refused(const struct orma_service_host *self);

/* Socket addresses, valid as long as the host. */
const char *orma_service_host_producer_addr(const struct orma_service_host *self);
const char *orma_service_host_consumer_addr(const struct orma_service_host *self);
/* Where relays of other machines may connect; NULL on the system's sockets. */
const char *orma_service_host_relay_addr(const struct orma_service_host *self);
#endif
