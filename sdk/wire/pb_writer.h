/*
 * Writer of the protobuf wire format into a growable buffer. For cold paths:
 * IPC messages, packets of the service and of the probes. (The event path of
 * the SDK writes into shared memory and knows its sizes beforehand.)
 *
 * Failure is that of the buffer: sticky, looked at once.
 */
#ifndef ORMA_SDK_WIRE_PB_WRITER_H
#define ORMA_SDK_WIRE_PB_WRITER_H
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "sdk/base/assert.h"
#include "sdk/base/buf.h"
#include "sdk/base/str.h"
#include "sdk/wire/pb_reader.h"

#define ORMA_VARINT_MAX 10
#define ORMA_VARINT_REDUNDANT 4

/* Bytes that `val` takes, 1..10. */
static inline unsigned orma_varint_size(uint64_t val)
{
    return (70 - (unsigned)__builtin_clzll(val | 1)) / 7;
}

/* Writes at `to`, which has ORMA_VARINT_MAX bytes; returns the end. */
static inline uint8_t *orma_varint_write(uint8_t *to, uint64_t val)
{
    for (; val >= 0x80; val >>= 7)
        *to++ = (uint8_t)(val | 0x80);
    *to++ = (uint8_t)val;
    return to;
}

/* Four bytes whatever the value (< 2^28): what a size is patched into later. */
static inline void orma_varint_write_redundant(uint8_t *to, uint32_t val)
{
    ORMA_ASSERT_HOT(val < UINT32_C(1) << 28);
    to[0] = (uint8_t)(val | 0x80);
    to[1] = (uint8_t)(val >> 7 | 0x80);
    to[2] = (uint8_t)(val >> 14 | 0x80);
    to[3] = (uint8_t)(val >> 21 & 0x7f);
}

void orma_pb_put_raw_varint(struct orma_buf *out, uint64_t val);
void orma_pb_put_tag(struct orma_buf *out, uint32_t id, enum orma_pb_wire wire);

/* uint32, uint64, int32, int64 (sign-extended by the caller's cast), bool, enum */
void orma_pb_put_u64(struct orma_buf *out, uint32_t id, uint64_t val);
void orma_pb_put_i64(struct orma_buf *out, uint32_t id, int64_t val);
void orma_pb_put_sint(struct orma_buf *out, uint32_t id, int64_t val);
void orma_pb_put_fixed64(struct orma_buf *out, uint32_t id, uint64_t val);
void orma_pb_put_fixed32(struct orma_buf *out, uint32_t id, uint32_t val);
void orma_pb_put_double(struct orma_buf *out, uint32_t id, double val);
void orma_pb_put_float(struct orma_buf *out, uint32_t id, float val);
void orma_pb_put_bytes(struct orma_buf *out, uint32_t id, const void *data, size_t len);
void orma_pb_put_str(struct orma_buf *out, uint32_t id, struct orma_str text);
void orma_pb_put_cstr(struct orma_buf *out, uint32_t id, const char *text);

/*
 * A nested message: what is written between the two calls. The size takes as
 * few bytes as it can; nest at will, but inner before outer.
 */
size_t orma_pb_begin(struct orma_buf *out, uint32_t id);
void orma_pb_end(struct orma_buf *out, size_t begun);
#endif
