/*
 * Strays: fields of packets that the format does not have, or not in this form. A newer writer made
 * them, or a bit has flipped in a tag; either way what they hold is in no table, and the importers,
 * which take the fields that they know, would not notice.
 *
 * Looked at are all packets but for what makes most of a trace: the events of tracks, which their
 * importer looks at as it reads them, and those of the kernel, samples and the objects of heaps,
 * which nobody looks at. Threads: none.
 */
#ifndef ORMA_PROCESSOR_READ_STRAYS_H
#define ORMA_PROCESSOR_READ_STRAYS_H
#include "processor/read/packet.h"
#include "protos/reflect/schema.h"

struct orma_strays {
    const struct orma_schema *schema; /* NULL: no packet was looked at */
    uint32_t packet;                  /* messages of the schema */
    uint32_t passed_by[6];
    /* A field that is not known, or whose bytes do not fit its type: of this message. */
    void (*found)(void *data, const char *msg, uint32_t number, const uint8_t *packet);
    void *data;
};

/* True if the packet is to be looked at: its payload is none of the most frequent ones, or its head
 * is odd. */
static inline bool orma_strays_wants(const struct orma_read_packet *p)
{
    return p->odd || p->interned.len || p->has_defaults ||
           (p->field != ORMA_PB_TRACE_PACKET_TRACK_EVENT &&
            p->field != ORMA_PB_TRACE_PACKET_PERF_SAMPLE &&
            p->field != ORMA_PB_TRACE_PACKET_HEAP_GRAPH);
}

void orma_strays_look(struct orma_strays *self, const struct orma_read_packet *p);
#endif
