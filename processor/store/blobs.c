#include "processor/store/blobs.h"

#include <stdlib.h>

uint32_t orma_blobs_add(struct orma_blobs *self, const void *data, size_t len, uint8_t tag)
{
    if (self->num == self->cap) {
        uint32_t cap = self->cap ? self->cap * 2 : 64;
        struct orma_blob_entry *grown = realloc(self->entries, cap * sizeof(*grown));

        if (!grown)
            return UINT32_MAX;
        self->entries = grown;
        self->cap = cap;
    }
    self->entries[self->num] = (struct orma_blob_entry){self->bytes.len, len, tag};
    orma_buf_put(&self->bytes, data, len);
    return self->bytes.failed ? UINT32_MAX : self->num++;
}

struct orma_str orma_blobs_get(const struct orma_blobs *self, int64_t id, uint8_t *ret_tag)
{
    if (id < 0 || id >= self->num)
        return (struct orma_str){0};
    const struct orma_blob_entry *e = &self->entries[id];
    *ret_tag = e->tag;
    return (struct orma_str){e->len ? (const char *)self->bytes.data + e->start : "", e->len};
}

void orma_blobs_fini(struct orma_blobs *self)
{
    orma_buf_fini(&self->bytes);
    free(self->entries);
    *self = (struct orma_blobs){0};
}
