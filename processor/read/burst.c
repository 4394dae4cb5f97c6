/*
 * take_packet() compares the bytes of a packet with the form in the header: lengths first,
 * then the tail as a whole, and the timestamp is decoded on the way. The run of the sorter is
 * kept open between packets, so that a packet costs no look-up; finish() writes the counts
 * back when the first packet is different.
 */
#include "processor/read/burst.h"

#include "processor/read/reader.h"
#include "processor/read/sorter_impl.h"
#include "protos/fields/trace.h"

#define TAG_PACKET 0x0a
#define TAG_TIMESTAMP (ORMA_PB_TRACE_PACKET_TIMESTAMP << 3 | ORMA_PB_VARINT)
#define TAG_FLAGS (ORMA_PB_TRACE_PACKET_SEQUENCE_FLAGS << 3 | ORMA_PB_VARINT)
#define TAG_EVENT (ORMA_PB_TRACE_PACKET_TRACK_EVENT << 3 | ORMA_PB_LEN)
/* A tail is uid, sequence and pid: four bytes of tags, fifteen of values. */
#define TAIL_MAX 24
/* A page, which is where the processor's own reading ahead ends. */
#define AHEAD 2048
/* Three lengths or times of ten bytes, three tags, and flags. */
#define HEAD_MAX 35

/* What a burst changes, kept in registers until it ends. */
struct burst {
    struct orma_str tail;
    bool incremental, valid;
    int64_t unit, offset;
    int64_t lo, hi;  /* of the clock, before the offset */
    int64_t raw;     /* incremental: the sum so far */
    int64_t ts, min; /* of the packet before; what the sorter accepts */
    uint32_t packets, needed;
};

/* The tail says who wrote and nothing else. */
static bool is_tail(struct orma_str tail)
{
    struct orma_pb_reader r = orma_pb_reader(tail.data, tail.len);
    struct orma_pb_field f;
    unsigned sequences = 0;

    while (orma_pb_next(&r, &f)) {
        if (f.wire != ORMA_PB_VARINT)
            return false;
        if (f.id == ORMA_PB_TRACE_PACKET_TRUSTED_PACKET_SEQUENCE_ID)
            sequences++;
        else if (f.id != ORMA_PB_TRACE_PACKET_TRUSTED_UID &&
                 f.id != ORMA_PB_TRACE_PACKET_TRUSTED_PID)
            return false;
    }
    return sequences == 1 && !r.failed;
}

void orma_burst_note(struct orma_reader *self, const struct orma_read_packet *p)
{
    const char *end = p->bytes.data + p->bytes.len;
    const char *from = ORMA_MAX(p->payload.data ? p->payload.data + p->payload.len : NULL,
                                p->interned.data ? p->interned.data + p->interned.len : NULL);
    struct orma_str tail = {from, (size_t)(end - from)};

    if (p->has_defaults || p->machine_raw || !p->payload.data || self->burst.off ||
        self->last_seq->tokenize_events)
        self->burst.tail.len = 0;
    else if (!orma_str_eq(tail, self->burst.tail))
        self->burst.tail =
            tail.len && tail.len <= TAIL_MAX && is_tail(tail) ? tail : (struct orma_str){NULL, 0};
}

/* The clock that packets of the sequence have when they name none. False: it must be looked up. */
static inline bool use_clock(struct orma_reader *self, const struct orma_seq *seq, struct burst *b)
{
    uint32_t id = seq->gen->has_clock ? seq->gen->clock_id : seq->clock.view->default_id;

    if (id == seq->clock.view->same_id) {
        b->unit = 1;
        b->lo = INT64_MIN;
        b->hi = INT64_MAX;
        return self->timeline.used || !self->timeline.claimed;
    }
    b->incremental = seq->clock.incremental;
    b->unit = seq->clock.unit;
    b->offset = seq->clock.offset;
    b->lo = seq->clock.lo;
    b->hi = seq->clock.hi;
    b->raw = seq->clock.incremental ? seq->clock.raw : 0;
    return seq->clock.cached && seq->clock.id == id && seq->clock.epoch == self->timeline.epoch &&
           seq->clock.stamp == self->timeline.clocks.cache_stamp;
}

/* The segment that a packet at `pos` would lengthen, or NULL. */
static struct segment *open_segment(const struct orma_seq *seq, struct burst b, const uint8_t *pos)
{
    const struct orma_run *run = seq->events;
    struct segment *s = run && run->num > run->at ? &run->segments[run->num - 1] : NULL;

    return s && run->tail == pos && s->gen == seq->gen && s->once &&
                   s->incremental == b.incremental && s->unit == b.unit && s->offset == b.offset
               ? s
               : NULL;
}

/* The time of the packet, if it may follow the one before. */
static inline bool take_time(struct burst *b, uint64_t timestamp)
{
    int64_t raw = (int64_t)((uint64_t)b->raw + timestamp), ns, ts;

    if (__builtin_mul_overflow(raw, b->unit, &ns) || ns < b->lo || ns >= b->hi)
        return false;
    ts = (int64_t)((uint64_t)ns + (uint64_t)b->offset);
    if (ts < b->ts || ts < b->min)
        return false;
    b->ts = ts;
    b->raw = b->incremental ? raw : 0;
    return true;
}

/* Tails of a usual length by two words that may overlap. */
static inline bool is_same_tail(const uint8_t *at, struct orma_str tail)
{
    uint64_t words[4];

    if (tail.len < 8 || tail.len > 16)
        return memcmp(at, tail.data, tail.len) == 0;
    memcpy(&words[0], at, 8);
    memcpy(&words[1], tail.data, 8);
    memcpy(&words[2], at + tail.len - 8, 8);
    memcpy(&words[3], tail.data + tail.len - 8, 8);
    return words[0] == words[1] && words[2] == words[3];
}

/* A varint, where so many bytes follow that the usual lengths need no look at the end. */
static inline bool take_varint(const uint8_t **at, const uint8_t *end, uint64_t *ret)
{
    const uint8_t *p = *at;

    if (ORMA_LIKELY(p[0] < 0x80)) {
        *ret = p[0];
        *at = p + 1;
        return true;
    }
    if (ORMA_LIKELY(p[1] < 0x80)) {
        *ret = (uint64_t)(p[0] & 0x7f) | (uint64_t)p[1] << 7;
        *at = p + 2;
        return true;
    }
    return orma_pb_varint_at(at, end, ret);
}

/*
 * The packet at *pos; false, and nothing changed, if it is none of this burst. What is read
 * between the packet's length and the event's may lie behind the packet: only if the event ends
 * where the tail begins it was in it.
 */
static inline bool take_packet(struct burst *b, const uint8_t **pos, const uint8_t *end)
{
    const uint8_t *at = *pos + 1;
    uint64_t len, timestamp, event_len;
    bool needs = false;

    __builtin_prefetch(
        (const void *)((uintptr_t)at + AHEAD)); /* a number: it may be behind the end */
    if (end - at < HEAD_MAX || **pos != TAG_PACKET || !take_varint(&at, end, &len) ||
        len > (uint64_t)(end - at) || len < b->tail.len || len > ORMA_PB_LEN_MAX)
        return false;
    const uint8_t *stop = at + len - b->tail.len;
    if (*at++ != TAG_TIMESTAMP || !take_varint(&at, end, &timestamp))
        return false;
    if (*at == TAG_FLAGS) {
        needs = at[1] == ORMA_PB_TRACE_PACKET_SEQ_NEEDS_INCREMENTAL_STATE;
        if (!needs || !b->valid)
            return false;
        at += 2;
    }
    if (*at++ != TAG_EVENT || !take_varint(&at, end, &event_len) || at > stop ||
        event_len != (uint64_t)(stop - at) || !is_same_tail(stop, b->tail) ||
        !take_time(b, timestamp))
        return false;
    b->packets++;
    b->needed += needs;
    *pos = stop + b->tail.len;
    return true;
}

/* What the packets of a burst have changed. */
static void finish(struct orma_reader *self, struct orma_seq *seq, struct burst b,
                   const uint8_t *pos)
{
    self->order += b.packets * ORMA_ORDER_STEP;
    self->counts.packets += b.packets;
    self->counts.took += b.packets;
    self->burst.num++;
    self->last_ts = ORMA_MAX(self->last_ts, b.ts);
    self->sorter.max_ts = ORMA_MAX(self->sorter.max_ts, b.ts);
    self->sorter.waiting += b.packets;
    seq->counts.packets += b.packets;
    self->counts.data += seq->id != ORMA_SEQ_SERVICE ? b.packets : 0;
    seq->counts.needed += b.needed;
    if (b.incremental)
        seq->clock.raw = b.raw;
    seq->events->tail = pos;
    seq->events->last_ts = b.ts;
}

const uint8_t *orma_burst_read(struct orma_reader *self, const uint8_t *pos, const uint8_t *end)
{
    uint8_t uses = self->hooks.uses[ORMA_PB_TRACE_PACKET_TRACK_EVENT];
    struct orma_seq *seq = self->last_seq;
    struct burst b = {.tail = self->burst.tail};

    if (!b.tail.len || (uses & (ORMA_FIELD_EARLY | ORMA_FIELD_TOKENIZE)) ||
        !(uses & ORMA_FIELD_WANTED) || seq->tokenize_events || !use_clock(self, seq, &b))
        return pos;
    struct segment *segment = open_segment(seq, b, pos);
    if (!segment)
        return pos;
    b.valid = seq->valid && seq->id;
    b.ts = seq->events->last_ts;
    b.min = self->sorter.emitted_any ? ORMA_MAX(self->sorter.last_emitted, 0) : 0;
    while (b.packets < UINT32_MAX - segment->count && take_packet(&b, &pos, end))
        ;
    segment->count += b.packets;
    if (b.packets) {
        segment->end = pos;
        finish(self, seq, b, pos);
    }
    return pos;
}
