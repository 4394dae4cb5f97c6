#include "processor/store/blobs.h"

#include <stdlib.h>

#include "sdk/base/vec.h"

uint32_t orma_blobs_add(struct orma_blobs *self, const void *data, size_t len, uint8_t tag)
{
    if (self->mapped || ORMA_GROW(&self->entries, &self->cap, self->num + (size_t)1))
        return UINT32_MAX;
    self->entries[self->num] = (struct orma_blob_entry){self->bytes.len, len, tag};
    orma_buf_put(&self->bytes, data, len);
    return self->bytes.failed ? UINT32_MAX : self->num++;
}

struct orma_str orma_blobs_get(const struct orma_blobs *self, int64_t id, uint8_t *ret_tag)
{
    if (id < 0 || id >= self->num)
        return (struct orma_str){0};
    const struct orma_blob_entry *e = &self->entries[id];
    if (e->start > self->bytes.len || e->len > self->bytes.len - e->start)
        return (struct orma_str){0}; /* of an image that was tampered with */
    *ret_tag = e->tag;
    return (struct orma_str){e->len ? (const char *)self->bytes.data + e->start : "", e->len};
}

void orma_blobs_fini(struct orma_blobs *self)
{
    if (!self->mapped) {
        orma_buf_fini(&self->bytes);
        free(self->entries);
    }
    *self = (struct orma_blobs){0};
}
