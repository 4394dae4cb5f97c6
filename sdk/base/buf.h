/*
 * A byte buffer that grows. Failure is sticky: after the first refused growth
 * (out of memory, or over ORMA_BUF_MAX) nothing more is appended and `failed`
 * stays set, so callers append a group of things and look once.
 */
#ifndef ORMA_SDK_BASE_BUF_H
#define ORMA_SDK_BASE_BUF_H
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sdk/base/defs.h"
#include "sdk/base/str.h"

#define ORMA_BUF_MAX ((size_t)1 << (sizeof(size_t) > 4 ? 40 : 30))

struct orma_buf {
    uint8_t *data;
    size_t len;
    size_t cap;
    bool failed;
    bool own_mem; /* from mem.h, not malloc(): for buffers of events. Set before the first byte. */
};

void orma_buf_fini(struct orma_buf *self);

/* Keeps the memory, forgets the content and the failure. */
static inline void orma_buf_clear(struct orma_buf *self)
{
    self->len = 0;
    self->failed = false;
}

/* Room for `n` more bytes; false (and failed) if there is none. */
bool orma_buf_reserve(struct orma_buf *self, size_t n);

/* Appends n uninitialised bytes and returns their address, valid until the next growth; NULL on
 * failure. */
uint8_t *orma_buf_extend(struct orma_buf *self, size_t n);

void orma_buf_put(struct orma_buf *self, const void *data, size_t len);
void orma_buf_put_byte(struct orma_buf *self, uint8_t byte);
void orma_buf_put_str(struct orma_buf *self, const char *text);
void orma_buf_printf(struct orma_buf *self, const char *fmt, ...) ORMA_PRINTF(2, 3);

/* Drops the first n <= len bytes. */
void orma_buf_consume(struct orma_buf *self, size_t n);

/* The content, terminated (not counted in len), "" when failed. Owned by the buffer. */
const char *orma_buf_cstr(struct orma_buf *self);

static inline struct orma_str orma_buf_str(const struct orma_buf *self)
{
    return (struct orma_str){(const char *)self->data, self->len};
}
#endif
