/*
 * The tracing service as a library: sockets, sessions, central buffers.
 *
 *     struct traced_config config = {.consumer_addr = "/run/x/consumer"};
 *     struct traced_service *service;
 *     if (traced_service_new(&config, &service, &error) == 0) {
 *         traced_service_run(service);    until traced_service_stop()
 *         traced_service_free(service);
 *     }
 *
 * Everything happens on the thread that runs the loop, but for the writing and
 * compressing of output, which has threads of its own. Nothing is global: a
 * process may host several services. SIGPIPE is never raised.
 *
 * Rules by number: docs/service.md.
 * Threads: all calls from one thread at a time, but for traced_service_stop().
 */
#ifndef ORMA_TRACED_SERVICE_H
#define ORMA_TRACED_SERVICE_H
#include <stdbool.h>
#include <stddef.h>

#include "sdk/base/buf.h"
#include "sdk/base/defs.h"

struct traced_service;

struct traced_config {
    /* Addresses as in sdk/ipc/sock.h, the first a comma-separated list. NULL: the environment or
     * the default. */
    const char *producer_addrs;
    const char *consumer_addr;
    /* Listening sockets instead of addresses (both or none); taken over on success. */
    const int *producer_fds;
    size_t producer_fds_num;
    int consumer_fd; /* looked at only if producer_fds_num > 0 */
    /* Relays may connect: on all producer sockets, or on those of these addresses. */
    bool enable_relay;
    const char *const *relay_addrs;
    size_t relay_addrs_num;
    /* Where what sessions hold outlasts the service (rescue/folder.h); NULL: the default, "none".
     */
    const char *rescue_base;
};

/*
 * Listens. -errno, and `error` (may be NULL) gets one line saying what could
 * not be done: the address and the reason.
 */
int traced_service_new(const struct traced_config *config, struct traced_service **ret,
                       struct orma_buf *error);

/* Runs until stopped. 0, or -errno of the loop. */
int traced_service_run(struct traced_service *self);

/* Makes run() return soon. From any thread, and from signal handlers. */
void traced_service_stop(struct traced_service *self);

/*
 * Closes everything; files are written to their end first, as far as they take it
 * within 1.5 s. Socket files that new() made are removed. NULL is fine.
 */
void traced_service_free(struct traced_service *self);
ORMA_DEFINE_AUTO(struct traced_service *, traced_service_free)

/* What the service calls itself: "Perfetto v58.2-orma-0.1.0", for clients that parse the number. */
const char *traced_version(void);
#endif
