#include "tools/fleet/hash.h"

#include <stdbool.h>
#include <string.h>

#include "sdk/base/defs.h"

static const uint64_t iv[8] = {UINT64_C(0x6a09e667f3bcc908), UINT64_C(0xbb67ae8584caa73b),
                               UINT64_C(0x3c6ef372fe94f82b), UINT64_C(0xa54ff53a5f1d36f1),
                               UINT64_C(0x510e527fade682d1), UINT64_C(0x9b05688c2b3e6c1f),
                               UINT64_C(0x1f83d9abfb41bd6b), UINT64_C(0x5be0cd19137e2179)};
static const uint8_t sigma[10][16] = {{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
                                      {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
                                      {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4},
                                      {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
                                      {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13},
                                      {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
                                      {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11},
                                      {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
                                      {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5},
                                      {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0}};

static inline uint64_t rotate(uint64_t x, unsigned n)
{
    return x >> n | x << (64 - n);
}

static inline void mix(uint64_t *v, unsigned a, unsigned b, unsigned c, unsigned d, uint64_t x,
                       uint64_t y)
{
    v[a] += v[b] + x;
    v[d] = rotate(v[d] ^ v[a], 32);
    v[c] += v[d];
    v[b] = rotate(v[b] ^ v[c], 24);
    v[a] += v[b] + y;
    v[d] = rotate(v[d] ^ v[a], 16);
    v[c] += v[d];
    v[b] = rotate(v[b] ^ v[c], 63);
}

static void compress(struct orma_fleet_hash *self, const uint8_t *block, bool last)
{
    uint64_t v[16], m[16];

    memcpy(v, self->h, sizeof(self->h));
    memcpy(v + 8, iv, sizeof(iv));
    memcpy(m, block, sizeof(m)); /* little endian, as all machines that this runs on */
    v[12] ^= self->length;
    v[14] = last ? ~v[14] : v[14];
    for (unsigned round = 0; round < 12; round++) {
        const uint8_t *s = sigma[round % 10];

        for (unsigned i = 0; i < 4; i++)
            mix(v, i, i + 4, i + 8, i + 12, m[s[2 * i]], m[s[2 * i + 1]]);
        for (unsigned i = 0; i < 4; i++)
            mix(v, i, (i + 1) % 4 + 4, (i + 2) % 4 + 8, (i + 3) % 4 + 12, m[s[8 + 2 * i]],
                m[s[9 + 2 * i]]);
    }
    for (unsigned i = 0; i < 8; i++)
        self->h[i] ^= v[i] ^ v[i + 8];
}

void orma_fleet_hash_init(struct orma_fleet_hash *self)
{
    *self = (struct orma_fleet_hash){0};
    memcpy(self->h, iv, sizeof(iv));
    self->h[0] ^= UINT64_C(0x01010000) | ORMA_FLEET_HASH_BYTES;
}

void orma_fleet_hash_put(struct orma_fleet_hash *self, const void *data, size_t len)
{
    const uint8_t *from = data;

    while (len) {
        if (self->used == sizeof(self->block)) { /* more comes: it is not the last one */
            self->length += sizeof(self->block);
            compress(self, self->block, false);
            self->used = 0;
        }
        const size_t n = ORMA_MIN(len, sizeof(self->block) - self->used);

        memcpy(self->block + self->used, from, n);
        self->used += n;
        from += n;
        len -= n;
    }
}

void orma_fleet_hash_end(struct orma_fleet_hash *self, uint8_t ret[ORMA_FLEET_HASH_BYTES])
{
    self->length += self->used;
    memset(self->block + self->used, 0, sizeof(self->block) - self->used);
    compress(self, self->block, true);
    memcpy(ret, self->h, ORMA_FLEET_HASH_BYTES);
}
