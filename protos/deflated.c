#include "protos/deflated.h"

#include <stdlib.h>

/* A library that wants more than there is gets it from the heap. */
static void *room_alloc(void *ctx, uInt num, uInt size)
{
    struct orma_deflated *self = ctx;
    size_t want = ((size_t)num * size + 15) & ~(size_t)15;

    if (want > sizeof(self->room) - self->used)
        return malloc(want);
    self->used += want;
    return (uint8_t *)self->room + self->used - want;
}

static void room_free(void *ctx, void *at)
{
    struct orma_deflated *self = ctx;

    if ((uintptr_t)at - (uintptr_t)self->room >= sizeof(self->room))
        free(at);
}

bool orma_deflated_start(struct orma_deflated *self, const unsigned char *bytes, size_t len)
{
    self->used = 0;
    self->z = (z_stream){.zalloc = room_alloc, .zfree = room_free, .opaque = self};
    self->z.next_in = (Bytef *)bytes;
    self->z.avail_in = (uInt)len;
    return inflateInit2(&self->z, -MAX_WBITS) == Z_OK;
}

bool orma_deflated_next(struct orma_deflated *self, void *to, size_t len)
{
    self->z.next_out = to;
    self->z.avail_out = (uInt)len;
    while (self->z.avail_out) {
        int r = inflate(&self->z, Z_NO_FLUSH);

        if (r != Z_OK && !(r == Z_STREAM_END && !self->z.avail_out))
            return false;
    }
    return true;
}

void orma_deflated_end(struct orma_deflated *self)
{
    (void)inflateEnd(&self->z); /* of a stream that was not read to its end */
}
