/*
 * Walks the events of one raw ftrace page (or larger sub-buffer), as
 * per_cpu/cpuN/trace_pipe_raw gives it.
 *
 *   u64 timestamp | commit (8 bytes; 4 on 32-bit kernels) | events ...
 *
 * commit: bits 26:0 length of the events, bit 31: something was lost before
 * this page, bit 30: the number lost is stored behind the events.
 * Each event has a u32 header: bits 4:0 type, bits 31:5 time since the last.
 *
 * Nothing is trusted: a violation ends the walk with a status, and what was
 * delivered before stays good. The bytes must not change meanwhile.
 * Everything is inline, because this is the hot loop of the drain.
 */
#ifndef ORMA_SDK_FTRACE_PAGE_H
#define ORMA_SDK_FTRACE_PAGE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "protos/fields/ftrace.h"
#include "sdk/base/defs.h"

/* Inlined to the last, so that the walk's state lives in registers. */
#define ORMA_TRACEFS_PAGE_INLINE static inline __attribute__((always_inline))

#define ORMA_TRACEFS_PAGE_LENGTH_MASK 0x07ffffffu
#define ORMA_TRACEFS_PAGE_LOST (1u << 31)

enum orma_tracefs_page_type {
    ORMA_TRACEFS_PAGE_DATA_LONG = 0, /* 1..28: data of that many words */
    ORMA_TRACEFS_PAGE_PADDING = 29,
    ORMA_TRACEFS_PAGE_TIME_EXTEND = 30,
    ORMA_TRACEFS_PAGE_TIME_ABSOLUTE = 31,
};

/* Where things are, from events/header_page. */
struct orma_tracefs_page_layout {
    uint8_t commit_size; /* 4 or 8 */
    uint8_t data_offset; /* 12 or 16 */
};

struct orma_tracefs_page {
    const uint8_t *pos, *end;
    uint64_t ts;      /* of the last event delivered; of the page before the first */
    uint64_t base_ts; /* of the page */
    size_t length;    /* bytes of events that the page claims */
    bool lost;
    uint8_t backwards; /* stamps that were older than the one before; only absolute ones can be */
    int status;        /* ORMA_PB_FTRACE_STATUS_OK until something is wrong */
};

struct orma_tracefs_page_event {
    const uint8_t *data;
    size_t len; /* >= 2 */
    uint16_t id;
};

static inline uint16_t orma_tracefs_load16(const uint8_t *p)
{
    uint16_t val;

    memcpy(&val, p, sizeof(val));
    return val;
}

static inline uint32_t orma_tracefs_load32(const uint8_t *p)
{
    uint32_t val;

    memcpy(&val, p, sizeof(val));
    return val;
}

static inline uint64_t orma_tracefs_load64(const uint8_t *p)
{
    uint64_t val;

    memcpy(&val, p, sizeof(val));
    return val;
}

/* Starts the walk over `size` bytes. False: the header is wrong (see status). */
static inline bool orma_tracefs_page_open(struct orma_tracefs_page *self,
                                          const struct orma_tracefs_page_layout *layout,
                                          const uint8_t *data, size_t size)
{
    *self = (struct orma_tracefs_page){
        .pos = data, .end = data, .status = ORMA_PB_FTRACE_STATUS_ABI_INVALID_PAGE_HEADER};
    if (size < layout->data_offset)
        return false;

    uint32_t commit = orma_tracefs_load32(data + 8);
    self->base_ts = self->ts = orma_tracefs_load64(data);
    self->length = commit & ORMA_TRACEFS_PAGE_LENGTH_MASK;
    self->lost = commit & ORMA_TRACEFS_PAGE_LOST;
    if (!self->length || self->length > size - layout->data_offset)
        return false;
    self->pos = data + layout->data_offset;
    self->end = self->pos + self->length;
    self->status = ORMA_PB_FTRACE_STATUS_OK;
    return true;
}

/* Ends the walk. Always -1. */
ORMA_TRACEFS_PAGE_INLINE int orma_tracefs_page_fail(struct orma_tracefs_page *self, int status)
{
    self->status = status;
    self->pos = self->end;
    return -1;
}

/* Absolute stamps carry 59 bits; what is above comes from the stamp before, as the kernel does it.
 */
ORMA_TRACEFS_PAGE_INLINE uint64_t orma_tracefs_page_absolute(uint64_t stamp, uint64_t before)
{
    uint64_t high = before & ~(((uint64_t)1 << 59) - 1);

    if (!high)
        return stamp;
    stamp |= high;
    return stamp < before ? stamp + ((uint64_t)1 << 59) : stamp;
}

/* Data of a length that its header cannot hold. 1: data in *ret_len; -1: failed. */
ORMA_TRACEFS_PAGE_INLINE int orma_tracefs_page_long_data(struct orma_tracefs_page *self,
                                                         size_t left, size_t *ret_len)
{
    uint32_t word;

    if (left < 4)
        return orma_tracefs_page_fail(self, ORMA_PB_FTRACE_STATUS_ABI_SHORT_DATA_LENGTH);
    word = orma_tracefs_load32(self->pos); /* counts itself */
    if (!word)
        return orma_tracefs_page_fail(self, ORMA_PB_FTRACE_STATUS_ABI_ZERO_DATA_LENGTH);
    if (word < 4 || word > left)
        return orma_tracefs_page_fail(self, ORMA_PB_FTRACE_STATUS_ABI_INVALID_DATA_LENGTH);
    self->pos += 4;
    *ret_len = word - 4;
    return 1;
}

/* What was reserved and given back. 0: skipped; -1: failed. */
ORMA_TRACEFS_PAGE_INLINE int orma_tracefs_page_padding(struct orma_tracefs_page *self,
                                                       uint32_t header, size_t left)
{
    uint32_t word;

    if (!(header >> 5)) /* means "end of the page", but the page's length says there is more */
        return orma_tracefs_page_fail(self, ORMA_PB_FTRACE_STATUS_ABI_NULL_PADDING);
    if (left < 4)
        return orma_tracefs_page_fail(self, ORMA_PB_FTRACE_STATUS_ABI_SHORT_PADDING_LENGTH);
    word = orma_tracefs_load32(self->pos); /* counts itself */
    if (word < 4 || word > left)
        return orma_tracefs_page_fail(self, ORMA_PB_FTRACE_STATUS_ABI_INVALID_PADDING_LENGTH);
    self->pos += word;
    return 0;
}

ORMA_TRACEFS_PAGE_INLINE void orma_tracefs_page_set_ts(struct orma_tracefs_page *self, uint32_t low,
                                                       uint64_t word)
{
    uint64_t before = self->ts - low;

    self->ts = orma_tracefs_page_absolute(low + (word << 27), before);
    self->backwards += self->ts < before && self->backwards < UINT8_MAX;
}

/* Everything but short data. 1: data in *ret_len, 0: go on, -1: failed. pos is behind the header.
 */
ORMA_TRACEFS_PAGE_INLINE int orma_tracefs_page_special(struct orma_tracefs_page *self,
                                                       uint32_t header, size_t *ret_len)
{
    size_t left = (size_t)(self->end - self->pos);
    unsigned type = header & 31;
    uint64_t word;

    if (type == ORMA_TRACEFS_PAGE_DATA_LONG)
        return orma_tracefs_page_long_data(self, left, ret_len);
    if (type == ORMA_TRACEFS_PAGE_PADDING)
        return orma_tracefs_page_padding(self, header, left);
    if (left < 4)
        return orma_tracefs_page_fail(self, type == ORMA_TRACEFS_PAGE_TIME_EXTEND
                                                ? ORMA_PB_FTRACE_STATUS_ABI_SHORT_TIME_EXTEND
                                                : ORMA_PB_FTRACE_STATUS_ABI_SHORT_TIME_STAMP);
    word = orma_tracefs_load32(self->pos);
    self->pos += 4;
    if (type == ORMA_TRACEFS_PAGE_TIME_EXTEND)
        self->ts += word << 27;
    else
        orma_tracefs_page_set_ts(self, header >> 5, word);
    return 0;
}

/* The next data event; its time is in `ts`. False at the end, and at the first violation. */
ORMA_TRACEFS_PAGE_INLINE bool orma_tracefs_page_next(struct orma_tracefs_page *self,
                                                     struct orma_tracefs_page_event *ret)
{
    for (size_t left; (left = (size_t)(self->end - self->pos)) >= 4;) {
        uint32_t header = orma_tracefs_load32(self->pos);
        unsigned type = header & 31;
        size_t len = (size_t)type * 4;

        self->pos += 4;
        self->ts += header >> 5;
        if (ORMA_UNLIKELY(type - 1u > 27u)) {
            int r = orma_tracefs_page_special(self, header, &len);

            if (r < 0)
                return false;
            if (!r)
                continue;
            if (len < 2)
                return orma_tracefs_page_fail(self, ORMA_PB_FTRACE_STATUS_ABI_SHORT_EVENT_ID) > 0;
        } else if (ORMA_UNLIKELY(len > left - 4)) {
            return orma_tracefs_page_fail(self, ORMA_PB_FTRACE_STATUS_ABI_END_OVERFLOW) > 0;
        }
        ret->data = self->pos;
        ret->len = len;
        ret->id = orma_tracefs_load16(self->pos);
        self->pos += len;
        return true;
    }
    if (ORMA_UNLIKELY(self->pos != self->end))
        (void)orma_tracefs_page_fail(self, ORMA_PB_FTRACE_STATUS_ABI_SHORT_EVENT_HEADER);
    return false;
}
#endif
