/*
 * A candidate for a packet is a tag byte with a length; is_chain() follows it for three
 * packets. A packet is accepted by the form of its fields, most of all by a time or a
 * sequence. memchr() skips to the next tag, and a place is looked at only once, so the search
 * is linear. `MORE` means that the bytes end within the chain.
 */
#include "processor/read/damage.h"

#include <errno.h>
#include <string.h>

#include "processor/read/reader.h"
#include "protos/fields/trace.h"

#define PACKET_TAG 0x0a
/* Behind damage, so many packets must follow each other to be believed. */
#define CHAIN 3
/* And be of a size and a number of fields that one has. */
#define LIKELY_MAX ((uint64_t)16 << 20)
#define FIELDS_MAX 48

enum verdict { NO, YES, MORE };

/* ---- what looks like a packet ---- */

/* A body has at most one time and one sequence, and at least one of them. */
static bool is_body(const uint8_t *data, size_t len)
{
    struct orma_pb_reader r = orma_pb_reader(data, len);
    struct orma_pb_field f;
    unsigned fields = 0, times = 0, sequences = 0;

    while (orma_pb_next(&r, &f)) {
        if (++fields > FIELDS_MAX ||
            f.wire != (orma_packet_is_number(f.id) ? ORMA_PB_VARINT : ORMA_PB_LEN))
            return false;
        times += f.id == ORMA_PB_TRACE_PACKET_TIMESTAMP;
        sequences += f.id == ORMA_PB_TRACE_PACKET_TRUSTED_PACKET_SEQUENCE_ID;
    }
    return !r.failed && times <= 1 && sequences <= 1 && times + sequences > 0;
}

/* The packet at *pos; YES moves behind it, MORE: it reaches beyond `end`. */
static enum verdict is_packet(const uint8_t **pos, const uint8_t *end)
{
    const uint8_t *at = *pos + 1;
    uint64_t len;

    if (**pos != PACKET_TAG)
        return NO;
    if (!orma_pb_varint_at(&at, end, &len))
        return end - at < 10 ? MORE : NO;
    if (!len || len > LIKELY_MAX)
        return NO;
    if (len > (uint64_t)(end - at))
        return MORE;
    if (!is_body(at, (size_t)len))
        return NO;
    *pos = at + len;
    return YES;
}

/* The last one of a chain may be truncated by the end of the file. */
static enum verdict is_chain(const uint8_t *pos, const uint8_t *end, bool at_end)
{
    for (unsigned i = 0; i < CHAIN; i++) {
        enum verdict v = pos == end ? MORE : is_packet(&pos, end);

        if (v == MORE && at_end)
            return i ? YES : NO;
        if (v != YES)
            return v;
    }
    return YES;
}

int orma_damage_packets_at(const uint8_t *pos, const uint8_t *end, bool at_end)
{
    enum verdict v = pos == end ? (at_end ? YES : MORE) : is_chain(pos, end, at_end);

    return v == MORE ? -EAGAIN : v == YES;
}

int orma_damage_may_follow(const struct orma_reader *self, const uint8_t *pos, const uint8_t *end)
{
    return orma_damage_packets_at(pos, end, self->damage.at_end);
}

/* The first place from `pos` on where a packet begins, or where that can't be told yet. */
static const uint8_t *find_packet(const uint8_t *pos, const uint8_t *end, bool at_end,
                                  enum verdict *ret)
{
    *ret = NO;
    while (pos < end && (pos = memchr(pos, PACKET_TAG, (size_t)(end - pos)))) {
        *ret = is_chain(pos, end, at_end);
        if (*ret != NO)
            return pos;
        pos++;
    }
    return end;
}

const uint8_t *orma_damage_find(const uint8_t *pos, const uint8_t *end, bool at_end, int *ret)
{
    enum verdict v;
    const uint8_t *at = find_packet(pos, end, at_end, &v);

    *ret = v == MORE ? -EAGAIN : v == YES;
    return at;
}

/* ---- what is said about it ---- */

int64_t orma_damage_offset(const struct orma_reader *self, const uint8_t *at)
{
    int64_t offset = orma_mapped_offset(self->source.mapped, at);
    uintptr_t fed = (uintptr_t)at - (uintptr_t)self->uncut.bytes;

    if (self->depth)
        return self->damage.outer;
    if (offset >= 0)
        return offset;
    return self->uncut.bytes && fed < self->uncut.len ? (int64_t)(self->damage.fed + fed) : -1;
}

static void tell(struct orma_reader *self, int64_t offset, uint64_t bytes, const char *why)
{
    self->burst.tail.len = 0;
    if (!self->damage.first)
        self->damage.first = why;
    self->hooks.damaged(self->hooks.data, offset, bytes, why);
}

void orma_damage_packet(struct orma_reader *self, const uint8_t *record, size_t len,
                        const char *why)
{
    tell(self, orma_damage_offset(self, record), len, why);
}

void orma_damage_begin(struct orma_reader *self, const uint8_t **pos, const char *why)
{
    self->damage.searching = true;
    self->damage.offset = orma_damage_offset(self, *pos);
    self->damage.bytes = 1;
    self->damage.why = why;
    *pos += 1;
}

static void end_search(struct orma_reader *self)
{
    self->damage.searching = false;
    tell(self, self->damage.offset, self->damage.bytes, self->damage.why);
}

bool orma_damage_search(struct orma_reader *self, const uint8_t **pos, const uint8_t *end)
{
    bool at_end = self->damage.at_end;
    enum verdict v;
    const uint8_t *at = find_packet(*pos, end, at_end, &v);

    self->damage.bytes += (uint64_t)(at - *pos);
    *pos = at;
    if (v == MORE)
        return false;
    if (v == YES || at_end)
        end_search(self);
    return true;
}

/* Whether there is a packet behind; then *pos is where the search goes on. */
static bool is_damaged(struct orma_reader *self, const uint8_t **pos, const uint8_t *end)
{
    enum verdict v;

    (void)find_packet(*pos + 1, end, true, &v);
    if (v == NO)
        return false;
    orma_damage_begin(self, pos, "a packet's length is wrong");
    return true;
}

bool orma_damage_tail_left(struct orma_reader *self, const uint8_t **pos, const uint8_t *end)
{
    if (*pos >= end)
        return false;
    if (is_damaged(self, pos, end))
        return true;
    self->burst.tail.len = 0;
    self->hooks.truncated(self->hooks.data, (uint64_t)(end - *pos));
    return false;
}

void orma_damage_tail_end(struct orma_reader *self)
{
    if (self->damage.searching)
        end_search(self);
}

void orma_damage_end(struct orma_reader *self)
{
    orma_damage_tail_end(self);
    if (self->damage.first && !self->damage.good && !self->error)
        self->error = self->damage.first;
    self->damage = (struct orma_damage){0};
}
