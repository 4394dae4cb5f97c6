/*
 * For tests: raw pages of the kernel's ring, event by event.
 *
 *     struct page_builder b = page_begin(1000);
 *     page_data(&b, 5, bytes, len);
 *     page_end(&b);
 */
#ifndef ORMA_TESTS_SUPPORT_PAGE_BUILDER_H
#define ORMA_TESTS_SUPPORT_PAGE_BUILDER_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define PAGE_BUILDER_SIZE 4096

struct page_builder {
    uint8_t page[PAGE_BUILDER_SIZE];
    size_t len; /* of the page so far, its header included */
};

static inline void page_u32(struct page_builder *b, uint32_t val)
{
    memcpy(b->page + b->len, &val, sizeof(val));
    b->len += sizeof(val);
}

static inline struct page_builder page_begin(uint64_t ts)
{
    struct page_builder b = {.len = 16};

    memcpy(b.page, &ts, sizeof(ts));
    return b;
}

/* A short event `delta` after the one before; `len` is rounded up to words. */
static inline void page_data(struct page_builder *b, uint32_t delta, const void *data, size_t len)
{
    size_t words = (len + 3) / 4;

    if (words <= 28) {
        page_u32(b, (uint32_t)words | delta << 5);
    } else {
        page_u32(b, delta << 5);
        page_u32(b, (uint32_t)words * 4 + 4);
    }
    memcpy(b->page + b->len, data, len);
    b->len += words * 4;
}

/* Sets the length, as it is or as `claimed`. */
static inline void page_end_claiming(struct page_builder *b, uint32_t claimed, uint32_t flags)
{
    uint64_t commit = claimed | flags;

    memcpy(b->page + 8, &commit, sizeof(commit));
}

static inline void page_end(struct page_builder *b)
{
    page_end_claiming(b, (uint32_t)(b->len - 16), 0);
}
#endif
