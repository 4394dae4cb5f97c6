/*
 * Sink: where a data source puts its finished packets. In the daemon that is
 * a writer of the shared memory; in tests a list.
 */
#ifndef ORMA_SDK_WIRE_SINK_H
#define ORMA_SDK_WIRE_SINK_H
#include <stddef.h>

#include "sdk/base/buf.h"

struct orma_source_sink {
    /* One encoded TracePacket. 0, or negative: it was lost (and counted by the sink). */
    int (*put)(struct orma_source_sink *self, const void *packet, size_t len);
    /* Everything put so far is to reach the service. */
    void (*flush)(struct orma_source_sink *self);
};

/* Puts what is in the buffer, unless building it failed; then it is empty again. */
static inline int orma_source_sink_put_buf(struct orma_source_sink *self, struct orma_buf *packet)
{
    int r = packet->failed ? -1 : self->put(self, packet->data, packet->len);

    orma_buf_clear(packet);
    return r;
}
#endif
