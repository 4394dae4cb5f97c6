#include "sdk/base/buf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sdk/base/assert.h"
#include "sdk/base/mem.h"

#define FIRST_CAP 256

void orma_buf_fini(struct orma_buf *self)
{
    if (self->own_mem)
        orma_mem_free(self->data, self->cap);
    else
        free(self->data);
    *self = (struct orma_buf){.own_mem = self->own_mem};
}

static uint8_t *resized(const struct orma_buf *self, size_t cap)
{
    return self->own_mem ? orma_mem_resize(self->data, self->cap, cap) : realloc(self->data, cap);
}

bool orma_buf_reserve(struct orma_buf *self, size_t n)
{
    if (self->failed)
        return false;
    if (n <= self->cap - self->len)
        return true;
    if (n > ORMA_BUF_MAX - self->len)
        return !(self->failed = true);

    size_t cap = ORMA_MAX(self->cap, (size_t)FIRST_CAP);
    while (cap - self->len < n)
        cap *= 2;
    uint8_t *grown = resized(self, cap);
    if (!grown)
        return !(self->failed = true);
    self->data = grown;
    self->cap = cap;
    return true;
}

uint8_t *orma_buf_extend(struct orma_buf *self, size_t n)
{
    if (!orma_buf_reserve(self, n))
        return NULL;
    self->len += n;
    return self->data + self->len - n;
}

void orma_buf_put(struct orma_buf *self, const void *data, size_t len)
{
    uint8_t *to = len ? orma_buf_extend(self, len) : NULL;

    if (to)
        memcpy(to, data, len);
}

void orma_buf_put_byte(struct orma_buf *self, uint8_t byte)
{
    orma_buf_put(self, &byte, 1);
}

void orma_buf_put_str(struct orma_buf *self, const char *text)
{
    orma_buf_put(self, text, strlen(text));
}

void orma_buf_printf(struct orma_buf *self, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    int n = vsnprintf(NULL, 0, fmt, args);
    va_end(args);
    if (n < 0 || !orma_buf_reserve(self, (size_t)n + 1)) {
        self->failed = true;
        return;
    }
    va_start(args, fmt);
    vsnprintf((char *)self->data + self->len, (size_t)n + 1, fmt, args);
    va_end(args);
    self->len += (size_t)n;
}

void orma_buf_consume(struct orma_buf *self, size_t n)
{
    ORMA_ASSERT_HOT(n <= self->len);
    self->len -= n;
    if (self->len)
        memmove(self->data, self->data + n, self->len);
}

const char *orma_buf_cstr(struct orma_buf *self)
{
    if (!orma_buf_reserve(self, 1))
        return "";
    self->data[self->len] = '\0';
    return (const char *)self->data;
}
