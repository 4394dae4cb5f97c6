/*
 * Bytes that come piece by piece. They are gathered in a blob, in which packets are
 * read where they lie; only what is left of a packet that is not whole yet moves, to
 * the begin of the next blob.
 */
#include <errno.h>
#include <string.h>

#include "processor/read/reader.h"

/* Copied bytes come in blocks of this size, so that most packets lie whole in one. */
#define BLOB_SIZE ((size_t)1 << 20)

/* Makes space for `len` more bytes behind `pending` without moving packets that were read. */
static bool pending_reserve(struct orma_reader *self, size_t len)
{
    if (len <= self->uncut.cap - self->uncut.len)
        return true;
    if (len > SIZE_MAX / 4 - self->uncut.len)
        return false;
    size_t cap = ORMA_MAX(BLOB_SIZE, (self->uncut.len + len) * 2);
    uint8_t *blob = orma_reader_blob(self, cap);
    if (!blob)
        return false;
    if (self->uncut.len)
        memcpy(blob, self->uncut.bytes, self->uncut.len);
    self->uncut.bytes = blob;
    self->uncut.cap = cap;
    return true;
}

int orma_reader_feed(struct orma_reader *self, const uint8_t *data, size_t len)
{
    while (len && !self->error) {
        size_t step = ORMA_MIN(len, BLOB_SIZE / 2);

        if (!pending_reserve(self, step))
            return -ENOMEM;
        memcpy(self->uncut.bytes + self->uncut.len, data, step);
        self->uncut.len += step;
        size_t used = orma_reader_map(self, self->uncut.bytes, self->uncut.len);
        self->damage.fed += used;
        self->uncut.bytes += used;
        self->uncut.len -= used;
        self->uncut.cap -= used;
        data += step;
        len -= step;
    }
    return self->storage->failed ? -ENOMEM : 0;
}
