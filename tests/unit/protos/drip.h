/* Streams that give what they have in small pieces. */
#ifndef ORMA_TESTS_UNIT_PROTOS_DRIP_H
#define ORMA_TESTS_UNIT_PROTOS_DRIP_H
#include <string.h>
#include <sys/types.h>

#include "sdk/base/defs.h"
#include "sdk/base/str.h"

/* A source that gives `step` bytes at a time. */
struct drip {
    struct orma_str left;
    size_t step;
};

static inline ssize_t drip_read(void *ctx, void *to, size_t len)
{
    struct drip *d = ctx;
    size_t n = ORMA_MIN(ORMA_MIN(len, d->step), d->left.len);

    memcpy(to, d->left.data, n);
    d->left.data += n;
    d->left.len -= n;
    return (ssize_t)n;
}
#endif
