/*
 * The head of a TracePacket: which fields it has and where its payload lies.
 * One pass over the top-level fields, nothing is copied.
 */
#ifndef ORMA_PROCESSOR_READ_PACKET_H
#define ORMA_PROCESSOR_READ_PACKET_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "protos/fields/trace.h"
#include "sdk/base/str.h"
#include "sdk/wire/pb_reader.h"

/* Fields of TracePacket below this are in tables by their number; others are counted, no more. */
#define ORMA_PACKET_FIELDS_MAX 1024

struct orma_read_packet {
    /* Zero until the field comes. */
    uint32_t sequence;
    uint32_t flags;
    uint32_t machine_raw;
    uint32_t dropped; /* previous_packet_dropped */
    uint32_t field;   /* number of the payload's field; 0: none */
    bool has_sequence, has_timestamp, has_clock, cleared, first, has_pid, has_uid, has_defaults;
    bool odd; /* two payloads, or a field that is not what the format has: see strays.h */
    uint8_t timestamps, payloads; /* how many there are; one of each is the rule */
    uint64_t timestamp;
    struct orma_str payload, interned;
    /* From here on only what the flags say was there. */
    uint32_t clock_id;
    uint32_t uid;
    uint32_t pid;
    struct orma_str bytes; /* the whole message, always */
    struct orma_str defaults;
};

/* Fields of a TracePacket that are numbers; all others are messages or bytes. */
static inline bool orma_packet_is_number(uint32_t field)
{
    switch (field) {
    case ORMA_PB_TRACE_PACKET_TIMESTAMP:
    case ORMA_PB_TRACE_PACKET_TIMESTAMP_CLOCK_ID:
    case ORMA_PB_TRACE_PACKET_TRUSTED_UID:
    case ORMA_PB_TRACE_PACKET_TRUSTED_PID:
    case ORMA_PB_TRACE_PACKET_TRUSTED_PACKET_SEQUENCE_ID:
    case ORMA_PB_TRACE_PACKET_MACHINE_ID:
    case ORMA_PB_TRACE_PACKET_SEQUENCE_FLAGS:
    case ORMA_PB_TRACE_PACKET_INCREMENTAL_STATE_CLEARED:
    case ORMA_PB_TRACE_PACKET_PREVIOUS_PACKET_DROPPED:
    case ORMA_PB_TRACE_PACKET_FIRST_PACKET_ON_SEQUENCE:
        return true;
    }
    return false;
}

/* Fields that say something about the packet instead of being its payload. */
static inline void orma_packet_meta(struct orma_read_packet *p, const struct orma_pb_field *f)
{
    switch (f->id) {
    case ORMA_PB_TRACE_PACKET_TIMESTAMP_CLOCK_ID:
        p->clock_id = orma_pb_u32(f);
        p->has_clock = true;
        break;
    case ORMA_PB_TRACE_PACKET_TRUSTED_UID:
        p->uid = orma_pb_u32(f);
        p->has_uid = true;
        break;
    case ORMA_PB_TRACE_PACKET_TRUSTED_PID:
        p->pid = orma_pb_u32(f);
        p->has_pid = true;
        break;
    case ORMA_PB_TRACE_PACKET_MACHINE_ID:
        p->machine_raw = orma_pb_u32(f);
        break;
    case ORMA_PB_TRACE_PACKET_INCREMENTAL_STATE_CLEARED:
        p->cleared = p->cleared || orma_pb_bool(f);
        break;
    case ORMA_PB_TRACE_PACKET_PREVIOUS_PACKET_DROPPED:
        p->dropped = orma_pb_u32(f);
        break;
    case ORMA_PB_TRACE_PACKET_FIRST_PACKET_ON_SEQUENCE:
        p->first = orma_pb_bool(f);
        break;
    case ORMA_PB_TRACE_PACKET_TRACE_PACKET_DEFAULTS:
        p->defaults = orma_pb_str(f);
        p->has_defaults = f->wire == ORMA_PB_LEN;
        break;
    default:
        /* All kinds of payload are messages or bytes. Chrome tells its facts in two forms in one
         * packet: the typed one counts. */
        p->odd |= p->field != 0;
        if (f->wire == ORMA_PB_LEN && p->field != ORMA_PB_TRACE_PACKET_CHROME_METADATA) {
            p->field = f->id;
            p->payload = orma_pb_str(f);
            p->payloads += p->payloads < 2;
        }
    }
}

/* Fields that most packets have, by their tag, which is one byte. False: it is none of them. */
static inline bool orma_packet_usual(struct orma_read_packet *p, uint8_t tag, uint64_t val)
{
    switch (tag) {
    case ORMA_PB_TRACE_PACKET_TIMESTAMP << 3:
        p->timestamp = val;
        p->has_timestamp = true;
        p->timestamps += p->timestamps < 2;
        return true;
    case ORMA_PB_TRACE_PACKET_TRUSTED_PACKET_SEQUENCE_ID << 3:
        p->sequence = (uint32_t)val;
        p->has_sequence = true;
        return true;
    case ORMA_PB_TRACE_PACKET_SEQUENCE_FLAGS << 3:
        p->flags = (uint32_t)val;
        return true;
    case ORMA_PB_TRACE_PACKET_TRUSTED_UID << 3:
        p->uid = (uint32_t)val;
        p->has_uid = true;
        return true;
    }
    return false;
}

/* Any other field. */
static inline void orma_packet_field(struct orma_read_packet *p, const struct orma_pb_field *f)
{
    p->odd |= f->wire != (orma_packet_is_number(f->id) ? ORMA_PB_VARINT : ORMA_PB_LEN);
    switch (f->id) {
    case ORMA_PB_TRACE_PACKET_TIMESTAMP:
        p->timestamp = orma_pb_u64(f);
        p->has_timestamp = true;
        p->timestamps += p->timestamps < 2;
        break;
    case ORMA_PB_TRACE_PACKET_TRUSTED_PACKET_SEQUENCE_ID:
        p->sequence = orma_pb_u32(f);
        p->has_sequence = true;
        break;
    case ORMA_PB_TRACE_PACKET_SEQUENCE_FLAGS:
        p->flags = orma_pb_u32(f);
        break;
    case ORMA_PB_TRACE_PACKET_INTERNED_DATA:
        p->interned = orma_pb_str(f);
        break;
    default:
        orma_packet_meta(p, f);
    }
}

/* False: malformed; what was read until there is in *p. */
static inline bool orma_packet_read(struct orma_read_packet *p, const uint8_t *data, size_t len)
{
    struct orma_pb_reader r = orma_pb_reader(data, len);
    struct orma_pb_field f;

    memset(p, 0, offsetof(struct orma_read_packet, clock_id));
    p->bytes = (struct orma_str){(const char *)data, len};
    while (r.pos != r.end) {
        const uint8_t *pos = r.pos + 1;
        uint64_t val;

        if (*r.pos < 0x80 && !(*r.pos & 7) && orma_pb_varint_at(&pos, r.end, &val) &&
            orma_packet_usual(p, *r.pos, val)) {
            r.pos = pos;
            continue;
        }
        if (!orma_pb_next(&r, &f))
            break;
        orma_packet_field(p, &f);
    }
    if (p->flags & ORMA_PB_TRACE_PACKET_SEQ_INCREMENTAL_STATE_CLEARED)
        p->cleared = true;
    return !r.failed;
}
#endif
