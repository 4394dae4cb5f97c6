/* Bytes that rows refer to by number: contents of arrays. Appended to, never changed. */
#ifndef ORMA_PROCESSOR_STORE_BLOBS_H
#define ORMA_PROCESSOR_STORE_BLOBS_H
#include <stdint.h>

#include "sdk/base/buf.h"

struct orma_blob_entry {
    uint64_t start, len;
    uint8_t tag; /* whoever adds them says what it means */
};

struct orma_blobs {
    struct orma_buf bytes;
    struct orma_blob_entry *entries;
    uint32_t num, cap;
    bool mapped; /* all of it is of an image (image.h): nothing is added, nothing freed */
};

/* The number of the copy; UINT32_MAX when memory is out. */
uint32_t orma_blobs_add(struct orma_blobs *self, const void *data, size_t len, uint8_t tag);

/* {NULL, 0}: there is none. */
struct orma_str orma_blobs_get(const struct orma_blobs *self, int64_t id, uint8_t *ret_tag);
void orma_blobs_fini(struct orma_blobs *self);
#endif
