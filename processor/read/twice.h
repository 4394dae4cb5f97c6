/*
 * Whether two files of a trace, or two recordings behind each other in one file, hold the same
 * packets: cuts and snapshots of one recording that overlap. What they say counts twice then,
 * which must be told.
 *
 * Packets are known by their time, size and both ends of their bytes. Of many packets only those
 * are kept whose key ends with zeroes, so memory does not grow with the trace; since the key
 * decides, both copies are kept or neither.
 */
#ifndef ORMA_PROCESSOR_READ_TWICE_H
#define ORMA_PROCESSOR_READ_TWICE_H
#include <stdbool.h>
#include <stdint.h>

#include "processor/read/packet.h"

struct orma_twice {
    struct orma_twice_slot *slots; /* NULL: none yet */
    uint32_t num;
    unsigned zeroes; /* that a key must end with */
    uint32_t part;   /* the file, or recording, at hand */
};

void orma_twice_fini(struct orma_twice *self);

/* What comes now is of another file or recording. */
static inline void orma_twice_next(struct orma_twice *self)
{
    self->part++;
}

/* How many packets this one stands for, if another part has it, too; 0: none. Negative: memory is
 * out. `ts` is that of the trace. */
int64_t orma_twice_look(struct orma_twice *self, const struct orma_read_packet *p, uint16_t machine,
                        int64_t ts);
#endif
