/*
 * Reader of the protobuf wire format over bytes that may be hostile.
 *
 * A reader is a slice with a sticky failure: past the end, or on a malformed
 * field, orma_pb_next() returns false and `failed` is set. Loop over the
 * fields, take what is known, skip the rest, and look at `failed` once:
 *
 *     struct orma_pb_reader r = orma_pb_reader(data, len);
 *     struct orma_pb_field f;
 *     while (orma_pb_next(&r, &f)) {
 *         switch (f.id) {
 *         case 8: ts = orma_pb_u64(&f); break;
 *         }
 *     }
 *     if (r.failed) ...
 *
 * A field of an unexpected wire type reads as 0 or as empty. Groups (wire types
 * 3 and 4) are malformed here: no message of this format has them. Nothing
 * recurses, so nesting costs the caller nothing that it did not ask for.
 * Threads: none; the bytes must not change while they are read.
 *
 * Source: protobuf.dev, "Encoding".
 */
#ifndef ORMA_SDK_WIRE_PB_READER_H
#define ORMA_SDK_WIRE_PB_READER_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "sdk/base/defs.h"
#include "sdk/base/endian.h"
#include "sdk/base/str.h"

enum orma_pb_wire { ORMA_PB_VARINT = 0, ORMA_PB_I64 = 1, ORMA_PB_LEN = 2, ORMA_PB_I32 = 5 };

/* Largest length of a field, 2^28 - 1: what four bytes of varint hold. */
#define ORMA_PB_LEN_MAX 0x0fffffffu
#define ORMA_PB_ID_MAX 0x1fffffffu

struct orma_pb_reader {
    const uint8_t *pos;
    const uint8_t *end;
    bool failed;
};

struct orma_pb_field {
    uint32_t id;
    uint8_t wire;        /* enum orma_pb_wire */
    uint64_t num;        /* VARINT, I64, I32 */
    const uint8_t *data; /* LEN: points into the reader's bytes */
    size_t len;
};

static inline struct orma_pb_reader orma_pb_reader(const void *data, size_t len)
{
    const uint8_t *p = data;

    return (struct orma_pb_reader){p, p ? p + len : p, false};
}

/* The longer forms; *at moves. False: cut short, or longer than ten bytes. */
bool orma_pb_varint_slow(const uint8_t **at, const uint8_t *end, uint64_t *ret);

inline bool orma_pb_varint_at(const uint8_t **at, const uint8_t *end, uint64_t *ret)
{
    const uint8_t *p = *at;

    if (ORMA_LIKELY(p < end && p[0] < 0x80)) {
        *ret = p[0];
        *at = p + 1;
        return true;
    }
    if (ORMA_LIKELY(end - p >= 2 && p[1] < 0x80)) {
        *ret = (uint64_t)(p[0] & 0x7f) | (uint64_t)p[1] << 7;
        *at = p + 2;
        return true;
    }
    /* By copies, so that the caller's own can stay in registers. */
    const uint8_t *slow_at = p;
    uint64_t slow_ret = 0;
    bool ok = orma_pb_varint_slow(&slow_at, end, &slow_ret);
    *at = slow_at;
    *ret = slow_ret;
    return ok;
}

inline bool orma_pb_fail(struct orma_pb_reader *self)
{
    self->failed = true;
    self->pos = self->end;
    return false;
}

/* A bare varint, as in packed fields. 0 and failed if there is none. */
static inline uint64_t orma_pb_varint(struct orma_pb_reader *self)
{
    uint64_t val;

    if (orma_pb_varint_at(&self->pos, self->end, &val))
        return val;
    orma_pb_fail(self);
    return 0;
}

/* The next field. False at the end, and on malformed bytes (then `failed`). */
inline bool orma_pb_next(struct orma_pb_reader *self, struct orma_pb_field *ret)
{
    uint64_t tag, num;
    uint32_t low;

    if (self->pos == self->end)
        return false;
    if (!orma_pb_varint_at(&self->pos, self->end, &tag) || tag >> 3 == 0 ||
        tag >> 3 > ORMA_PB_ID_MAX)
        return orma_pb_fail(self);
    ret->id = (uint32_t)(tag >> 3);
    ret->wire = tag & 7;
    ret->num = 0;
    ret->data = NULL;
    ret->len = 0;
    switch (ret->wire) {
    case ORMA_PB_VARINT:
        return orma_pb_varint_at(&self->pos, self->end, &ret->num) || orma_pb_fail(self);
    case ORMA_PB_LEN:
        if (!orma_pb_varint_at(&self->pos, self->end, &num) || num > ORMA_PB_LEN_MAX ||
            num > (uint64_t)(self->end - self->pos))
            return orma_pb_fail(self);
        ret->data = self->pos;
        ret->len = (size_t)num;
        self->pos += num;
        return true;
    case ORMA_PB_I64:
        if (self->end - self->pos < 8)
            return orma_pb_fail(self);
        memcpy(&num, self->pos, 8);
        ret->num = ORMA_LE64(num);
        self->pos += 8;
        return true;
    case ORMA_PB_I32:
        if (self->end - self->pos < 4)
            return orma_pb_fail(self);
        memcpy(&low, self->pos, 4);
        ret->num = ORMA_LE32(low);
        self->pos += 4;
        return true;
    }
    return orma_pb_fail(self);
}

static inline uint64_t orma_pb_u64(const struct orma_pb_field *f)
{
    return f->wire == ORMA_PB_LEN ? 0 : f->num;
}

static inline int64_t orma_pb_i64(const struct orma_pb_field *f)
{
    return (int64_t)orma_pb_u64(f);
}

static inline uint32_t orma_pb_u32(const struct orma_pb_field *f)
{
    return (uint32_t)orma_pb_u64(f);
}

static inline int32_t orma_pb_i32(const struct orma_pb_field *f)
{
    return (int32_t)orma_pb_u64(f);
}

static inline bool orma_pb_bool(const struct orma_pb_field *f)
{
    return orma_pb_u64(f) != 0;
}

static inline double orma_pb_double(const struct orma_pb_field *f)
{
    double val = 0;

    if (f->wire == ORMA_PB_I64)
        memcpy(&val, &f->num, sizeof(val));
    return val;
}

static inline float orma_pb_float(const struct orma_pb_field *f)
{
    const uint32_t bits = (uint32_t)f->num;
    float val = 0;

    if (f->wire == ORMA_PB_I32)
        memcpy(&val, &bits, sizeof(val));
    return val;
}

/* sint32, sint64 */
static inline int64_t orma_pb_sint(const struct orma_pb_field *f)
{
    return (int64_t)(orma_pb_u64(f) >> 1) ^ -(int64_t)(orma_pb_u64(f) & 1);
}

static inline struct orma_str orma_pb_str(const struct orma_pb_field *f)
{
    return (struct orma_str){(const char *)f->data, f->len};
}

/* A reader of the field's bytes: of the nested message, or of the packed numbers. */
static inline struct orma_pb_reader orma_pb_sub(const struct orma_pb_field *f)
{
    return (struct orma_pb_reader){f->data, f->data ? f->data + f->len : NULL, false};
}

/*
 * Repeated numbers, packed or not. Start with *state = NULL at each occurrence
 * of the field; true for each number.
 *
 *     struct orma_pb_reader packed = {0};
 *     uint64_t val;
 *     for (orma_pb_numbers(&f, &packed); orma_pb_number(&f, &packed, &val);) ...
 */
static inline void orma_pb_numbers(const struct orma_pb_field *f, struct orma_pb_reader *state)
{
    static const uint8_t one; /* stands for the single number of an unpacked occurrence */

    if (f->wire == ORMA_PB_LEN)
        *state = orma_pb_sub(f);
    else
        *state = (struct orma_pb_reader){&one, &one + 1, false};
}

static inline bool orma_pb_number(const struct orma_pb_field *f, struct orma_pb_reader *state,
                                  uint64_t *ret)
{
    if (state->pos == state->end)
        return false;
    if (f->wire != ORMA_PB_LEN) {
        *ret = f->num;
        state->pos = state->end;
        return true;
    }
    *ret = orma_pb_varint(state);
    return !state->failed;
}
#endif
