#include "protos/reflect/embedded.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#ifdef ORMA_HAVE_ZLIB
#include <zlib.h>

int orma_embedded_unpack(const struct orma_embedded *self, char **ret)
{
    char *text = malloc((size_t)self->len + 1);
    z_stream z = {
        .next_in = (Bytef *)(uintptr_t)self->packed,
        .avail_in = self->packed_len,
        .next_out = (Bytef *)text,
        .avail_out = self->len,
    };
    bool ok = text && inflateInit2(&z, -MAX_WBITS) == Z_OK;

    if (ok) {
        ok = inflate(&z, Z_FINISH) == Z_STREAM_END && !z.avail_out;
        (void)inflateEnd(&z); /* there is nothing left that could be said */
    }
    if (!ok) {
        free(text); /* our own bytes: only memory can be missing */
        return -ENOMEM;
    }
    text[self->len] = '\0';
    *ret = text;
    return 0;
}
#else
int orma_embedded_unpack(const struct orma_embedded *self, char **ret)
{
    (void)self;
    *ret = calloc(1, 1);
    return *ret ? 0 : -ENOMEM;
}
#endif
