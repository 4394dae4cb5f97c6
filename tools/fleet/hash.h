/* BLAKE2b (RFC 7693) of 128 bits: what names a content. `b2sum -l 128` prints the same. */
#ifndef ORMA_TOOLS_FLEET_HASH_H
#define ORMA_TOOLS_FLEET_HASH_H
#include <stddef.h>
#include <stdint.h>

#define ORMA_FLEET_HASH_BYTES 16

struct orma_fleet_hash {
    uint64_t h[8], length;
    uint8_t block[128];
    size_t used; /* of the block */
};

void orma_fleet_hash_init(struct orma_fleet_hash *self);
void orma_fleet_hash_put(struct orma_fleet_hash *self, const void *data, size_t len);
void orma_fleet_hash_end(struct orma_fleet_hash *self, uint8_t ret[ORMA_FLEET_HASH_BYTES]);
#endif
