/*
 * Hashes: FNV-1a-64 where the format asks for it, a good mixer for our own tables.
 */
#ifndef ORMA_SDK_BASE_HASH_H
#define ORMA_SDK_BASE_HASH_H
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define ORMA_FNV1A_BASIS 0xcbf29ce484222325u
#define ORMA_FNV1A_PRIME 0x100000001b3u

static inline uint64_t orma_fnv1a(uint64_t hash, const void *data, size_t len)
{
    const uint8_t *p = data;

    for (size_t i = 0; i < len; i++)
        hash = (hash ^ p[i]) * ORMA_FNV1A_PRIME;
    return hash;
}

/* Finaliser of MurmurHash3 (Austin Appleby, public domain): every input bit moves every output bit.
 */
static inline uint64_t orma_mix64(uint64_t x)
{
    x = (x ^ (x >> 33)) * 0xff51afd7ed558ccdu;
    x = (x ^ (x >> 33)) * 0xc4ceb9fe1a85ec53u;
    return x ^ (x >> 33);
}

/* A number that only this process knows; not 0. Where hashes begin with it, nobody can choose data
 * whose hashes are equal. Any thread; defined in map.c. */
uint64_t orma_hash_seed(void);

/* For tables of strings: eight bytes at a time, multiply and fold. Not for the wire. */
static inline uint64_t orma_hash_bytes_from(uint64_t seed, const void *data, size_t len)
{
    const uint8_t *p = data;
    uint64_t hash = seed ^ 0x9e3779b97f4a7c15u ^ len;

    for (; len >= 8; p += 8, len -= 8) {
        uint64_t word;

        memcpy(&word, p, 8);
        hash = orma_mix64(hash ^ word);
    }
    uint64_t tail = 0;
    for (size_t i = 0; i < len; i++)
        tail |= (uint64_t)p[i] << (8 * i);
    return orma_mix64(hash ^ tail);
}

static inline uint64_t orma_hash_bytes(const void *data, size_t len)
{
    return orma_hash_bytes_from(0, data, len);
}
#endif
