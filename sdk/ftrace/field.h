/*
 * Single fields: numbers out of raw events, and texts, arrays and lengths into messages. As with
 * varint.h, every function may store up to 16 bytes more than it counts.
 */
#ifndef ORMA_SDK_FTRACE_FIELD_H
#define ORMA_SDK_FTRACE_FIELD_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "sdk/base/defs.h"
#include "sdk/ftrace/page.h"
#include "sdk/ftrace/plan.h"
#include "sdk/ftrace/varint.h"

/* The kernel's own packing (12 bits of major, 20 of minor) to that of user space. */
static inline uint64_t orma_ftrace_user_dev(uint64_t dev)
{
    uint64_t major = dev >> 20, minor = dev & 0xfffff;

    return (major & 0xfffff000u) << 32 | (major & 0xfff) << 8 | (minor & 0xfff00) << 12 |
           (minor & 0xff);
}

static inline uint64_t orma_ftrace_load_sized(const uint8_t *at, unsigned size, bool is_signed)
{
    switch (size) {
    case 1:
        return is_signed ? (uint64_t)(int64_t)(int8_t)*at : *at;
    case 2:
        return is_signed ? (uint64_t)(int64_t)(int16_t)orma_tracefs_load16(at)
                         : orma_tracefs_load16(at);
    case 4:
        return is_signed ? (uint64_t)(int64_t)(int32_t)orma_tracefs_load32(at)
                         : orma_tracefs_load32(at);
    default:
        return orma_tracefs_load64(at);
    }
}

static inline uint8_t *orma_ftrace_put_blob(uint8_t *p, const struct orma_ftrace_step *step,
                                            const uint8_t *data, size_t len)
{
    memcpy(p, &step->tag, sizeof(step->tag));
    p = orma_ftrace_put_varint(p + step->tag_len, len);
    memcpy(p, data, len);
    return p + len;
}

static inline uint8_t *orma_ftrace_put_numbers(uint8_t *p, const struct orma_ftrace_step *step,
                                               const uint8_t *data, size_t len)
{
    for (size_t i = 0; i + step->elem <= len; i += step->elem) {
        memcpy(p, &step->tag, sizeof(step->tag));
        p = orma_ftrace_put_varint(p + step->tag_len,
                                   orma_ftrace_load_sized(data + i, step->elem, step->is_signed));
    }
    return p;
}

/* Marks (among others behind it) the first byte that is 0. */
static inline uint64_t orma_ftrace_zero_bytes(uint64_t word)
{
    return (word - 0x0101010101010101u) & ~word & 0x8080808080808080u;
}

/* Text of `max` <= 16 bytes, cut at the first 0: always 16 bytes are read and stored. */
static inline uint8_t *orma_ftrace_put_short_text(uint8_t *p, const struct orma_ftrace_step *step,
                                                  const uint8_t *at, unsigned max)
{
    uint64_t text[2];

    memcpy(text, at, sizeof(text));
    uint64_t low = orma_ftrace_zero_bytes(text[0]), high = orma_ftrace_zero_bytes(text[1]);
    unsigned len = high ? 8 + ((unsigned)__builtin_ctzll(high) >> 3) : 16;
    if (low)
        len = (unsigned)__builtin_ctzll(low) >> 3;
    len = ORMA_MIN(len, max);
    memcpy(p, &step->tag, sizeof(step->tag));
    p += step->tag_len;
    *p++ = (uint8_t)len;
    memcpy(p, text, sizeof(text));
    return p + len;
}

/* Sets the length of what was written from `body` on; the byte before `body` is for it. */
static inline uint8_t *orma_ftrace_close_len(uint8_t *body, uint8_t *end)
{
    size_t len = (size_t)(end - body);

    if (ORMA_LIKELY(len < 0x80)) {
        body[-1] = (uint8_t)len;
        return end;
    }
    unsigned more = orma_varint_size(len) - 1;
    memmove(body + more, body, len);
    (void)orma_varint_write(body - 1, len); /* ends right before the moved bytes */
    return end + more;
}

#endif
