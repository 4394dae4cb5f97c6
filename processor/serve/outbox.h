/*
 * Bytes that wait until a peer takes them: what a loop sends without ever blocking.
 *
 * Put what is to be sent, flush at once and whenever the socket can be written. How much
 * waits is the owner's business: it stops making more.
 */
#ifndef ORMA_PROCESSOR_SERVE_OUTBOX_H
#define ORMA_PROCESSOR_SERVE_OUTBOX_H
#include "sdk/base/buf.h"

struct orma_outbox {
    struct orma_buf bytes;
    size_t sent; /* of them */
};

void orma_outbox_fini(struct orma_outbox *self);

static inline size_t orma_outbox_waiting(const struct orma_outbox *self)
{
    return self->bytes.len - self->sent;
}

void orma_outbox_put(struct orma_outbox *self, const void *data, size_t len);

/*
 * Sends what the socket takes now. The number of bytes, 0: it takes none; -errno: the peer is
 * gone, or bytes were lost because there was no memory (-ENOMEM).
 */
int64_t orma_outbox_flush(struct orma_outbox *self, int fd);
#endif
