/*
 * Tables of ours that are deflated in the program (bare, without a sum), read piece by piece.
 *
 * The memory is the caller's, so reading cannot fail for want of it. One reader belongs to one
 * thread.
 */
#ifndef ORMA_PROTOS_DEFLATED_H
#define ORMA_PROTOS_DEFLATED_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <zlib.h>

/* The state of inflate: 7 KB, and a window of 32. */
#define ORMA_DEFLATED_ROOM 65536

struct orma_deflated {
    z_stream z;
    size_t used;
    uint64_t room[ORMA_DEFLATED_ROOM / sizeof(uint64_t)];
};

/* False: the bytes are not what was built. */
bool orma_deflated_start(struct orma_deflated *self, const unsigned char *bytes, size_t len);
bool orma_deflated_next(struct orma_deflated *self, void *to, size_t len);
void orma_deflated_end(struct orma_deflated *self);
#endif
