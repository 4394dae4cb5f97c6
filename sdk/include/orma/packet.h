/*
 * Writes one packet, field by field, directly into the trace. A packet is a TracePacket message;
 * fields are given by number. It may have any size: it continues in the next chunk automatically.
 *
 *     orma_packet_u64(p, 8, orma_now());          timestamp
 *     orma_packet_nest(p, 900);                   for_testing {
 *     orma_packet_str(p, 1, "text");                str: "text"
 *     orma_packet_unnest(p);                      }
 *
 * After a failure (out of memory, nested too deeply) the rest is ignored and the packet counts as
 * lost. Get a packet from data_source.h.
 * Threads: a packet belongs to the thread that started it.
 */
#ifndef ORMA_PACKET_H
#define ORMA_PACKET_H
#include <stddef.h>
#include <stdint.h>

#include "orma/api.h"

ORMA_BEGIN_DECLS

struct orma_packet;

/* uint32, uint64, bool, enum; int32 and int64 by cast */
ORMA_API void orma_packet_u64(struct orma_packet *packet, uint32_t field, uint64_t val);
/* sint32, sint64 */
ORMA_API void orma_packet_sint(struct orma_packet *packet, uint32_t field, int64_t val);
ORMA_API void orma_packet_fixed32(struct orma_packet *packet, uint32_t field, uint32_t val);
ORMA_API void orma_packet_fixed64(struct orma_packet *packet, uint32_t field, uint64_t val);
ORMA_API void orma_packet_double(struct orma_packet *packet, uint32_t field, double val);
ORMA_API void orma_packet_float(struct orma_packet *packet, uint32_t field, float val);
/* Also for encoded messages. */
ORMA_API void orma_packet_bytes(struct orma_packet *packet, uint32_t field, const void *data,
                                size_t len);
ORMA_API void orma_packet_str(struct orma_packet *packet, uint32_t field, const char *text);

/* A nested message: everything written until the matching unnest. At most 32 levels. */
ORMA_API void orma_packet_nest(struct orma_packet *packet, uint32_t field);
ORMA_API void orma_packet_unnest(struct orma_packet *packet);

/* Already encoded fields, including tags. */
ORMA_API void orma_packet_raw(struct orma_packet *packet, const void *data, size_t len);

ORMA_END_DECLS
#endif
