#include "protos/reflect/embedded.h"

#include <errno.h>
#include <stdlib.h>
#ifdef ORMA_HAVE_ZLIB
#include <zlib.h>

int orma_embedded_unpack(const struct orma_embedded *self, char **ret)
{
    char *text = malloc((size_t)self->len + 1);
    uLongf len = self->len;

    if (!text || uncompress((Bytef *)text, &len, self->packed, self->packed_len) != Z_OK) {
        free(text); /* our own bytes: only memory can be missing */
        return -ENOMEM;
    }
    text[len] = '\0';
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
