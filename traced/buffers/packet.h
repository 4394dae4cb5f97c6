/*
 * What a producer's packet may look like: well-formed top-level fields, and
 * none of those that only the service writes. Nested messages are not checked: readers
 * must survive them anyway.
 */
#ifndef ORMA_TRACED_BUFFERS_PACKET_H
#define ORMA_TRACED_BUFFERS_PACKET_H
#include <stdbool.h>
#include <stddef.h>

#include "traced/buffers/buffer.h"

/* False: to be dropped and counted. The packet is the concatenation of the slices. */
bool traced_packet_valid(const struct traced_slice *slices, size_t num);
#endif
