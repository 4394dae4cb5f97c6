/*
 * From the service's buffers into a file: a Trace message of whole packets.
 */
#ifndef ORMA_TOOLS_SERVICE_READBACK_H
#define ORMA_TOOLS_SERVICE_READBACK_H
#include <stddef.h>
#include <stdint.h>

struct orma_consumer;

struct orma_fd_wait;

/*
 * Reads what the session has now. An output that takes nothing is waited for as
 * `wait` says (NULL: without limit), then -ECANCELED. Gives up with -ETIMEDOUT when timeout_ms
 * pass between two replies; then, and after other failures, the file ends at a
 * packet's end unless the write itself failed. *bytes grows by what was written.
 */
int orma_service_readback(struct orma_consumer *consumer, int fd, int timeout_ms,
                          struct orma_fd_wait *wait, uint64_t *bytes);

/* The same; `written` is called with all that was written. */
struct orma_service_written {
    void (*fn)(void *ctx, const void *data, size_t len); /* NULL: nobody listens */
    void *ctx;
};
int orma_service_readback_to(struct orma_consumer *consumer, int fd, int timeout_ms,
                             struct orma_fd_wait *wait, const struct orma_service_written *written,
                             uint64_t *bytes);
#endif
