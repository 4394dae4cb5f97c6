/*
 * Packets that are well formed and mean nothing: the input chooses fields by the schema and fills
 * them, message in message. The first byte says what kind: any packets, packets of few kinds that
 * refer to each other, or bundles of kernel events, which need a frame around them.
 */
#include <stdlib.h>
#include <string.h>

#include "protos/fields/ftrace.h"
#include "protos/fields/trace.h"
#include "protos/reflect/schema.h"
#include "sdk/wire/pb_writer.h"
#include "tests/fuzz/load.h"

#define DEPTH_MAX 12
#define PACKETS_MAX 200

struct source {
    const uint8_t *pos, *end;
};

static uint8_t byte(struct source *s)
{
    return s->pos < s->end ? *s->pos++ : 0;
}

/* Mostly small numbers, so that ids meet each other; sometimes the borders. */
static uint64_t number(struct source *s)
{
    uint8_t kind = byte(s);
    uint64_t val = 0;

    if (kind < 200)
        return kind % 9;
    if (kind < 225)
        return (uint64_t)byte(s) << 8 | byte(s);
    if (kind < 240) {
        for (int i = 0; i < 8; i++)
            val = val << 8 | byte(s);
        return val;
    }
    return kind < 248 ? UINT64_MAX - kind % 3 : (uint64_t)INT64_MAX + kind % 3;
}

static void fill(struct source *s, uint32_t msg, unsigned depth, struct orma_buf *out);

/* Numbers of a list may stand side by side under one tag. */
static void put_packed(struct source *s, const struct orma_field *f, struct orma_buf *out)
{
    size_t begun = orma_pb_begin(out, f->number);

    for (unsigned i = byte(s) % 6; i-- > 0;) {
        uint8_t varint[10];

        orma_buf_put(out, varint, (size_t)(orma_varint_write(varint, number(s)) - varint));
    }
    orma_pb_end(out, begun);
}

static void put_field(struct source *s, const struct orma_field *f, unsigned depth,
                      struct orma_buf *out)
{
    static const char *const words[] = {"", "a", "thread", "B|1|x", "S|1|x|1", "C|1|c|5", "E"};

    switch (orma_field_wire(f->type)) {
    case ORMA_PB_VARINT:
        if (f->flags & ORMA_FIELD_REPEATED && byte(s) & 1) {
            put_packed(s, f, out);
            break;
        }
        orma_pb_put_u64(out, f->number, number(s));
        break;
    case ORMA_PB_I64:
        orma_pb_put_fixed64(out, f->number, number(s));
        break;
    case ORMA_PB_I32:
        orma_pb_put_fixed32(out, f->number, (uint32_t)number(s));
        break;
    default:
        if (f->type == ORMA_TYPE_MESSAGE && depth < DEPTH_MAX) {
            size_t begun = orma_pb_begin(out, f->number);

            fill(s, f->type_idx, depth + 1, out);
            orma_pb_end(out, begun);
        } else {
            const char *word = words[byte(s) % 7];

            orma_pb_put_bytes(out, f->number, word, strlen(word));
        }
    }
}

static void fill(struct source *s, uint32_t msg, unsigned depth, struct orma_buf *out)
{
    uint32_t num;
    const struct orma_field *fields = orma_schema_fields(orma_schema_default(), msg, &num);

    for (unsigned left = byte(s) % 8; num && left-- > 0 && s->pos < s->end;) {
        uint32_t at = byte(s);

        at = (at << 8 | byte(s)) % num;
        put_field(s, &fields[at], depth, out);
        if (byte(s) > 230) /* again, with other content */
            put_field(s, &fields[at], depth, out);
    }
}

/* One packet of few kinds, whose parts refer to each other: code of V8, window traces, and others
 * of Android. What they intern comes along. */
static void put_focused(struct source *s, uint32_t packet_msg, struct orma_buf *out)
{
    static const uint16_t kinds[] = {
        ORMA_PB_TRACE_PACKET_SURFACEFLINGER_LAYERS_SNAPSHOT,
        ORMA_PB_TRACE_PACKET_SURFACEFLINGER_TRANSACTIONS,
        ORMA_PB_TRACE_PACKET_SHELL_TRANSITION,
        ORMA_PB_TRACE_PACKET_SHELL_HANDLER_MAPPINGS,
        ORMA_PB_TRACE_PACKET_WINSCOPE_EXTENSIONS,
        ORMA_PB_TRACE_PACKET_V8_JS_CODE,
        ORMA_PB_TRACE_PACKET_V8_INTERNAL_CODE,
        ORMA_PB_TRACE_PACKET_V8_WASM_CODE,
        ORMA_PB_TRACE_PACKET_V8_REG_EXP_CODE,
        ORMA_PB_TRACE_PACKET_V8_CODE_MOVE,
        ORMA_PB_TRACE_PACKET_PROTOLOG_MESSAGE,
        ORMA_PB_TRACE_PACKET_PROTOLOG_VIEWER_CONFIG,
        ORMA_PB_TRACE_PACKET_CPU_PER_UID_DATA,
        ORMA_PB_TRACE_PACKET_ART_PROCESS_METADATA,
        ORMA_PB_TRACE_PACKET_VIDEO_FRAME,
        ORMA_PB_TRACE_PACKET_HEAP_GRAPH,
    };
    const uint16_t numbers[] = {kinds[byte(s) % ORMA_ARRAY_LEN(kinds)],
                                ORMA_PB_TRACE_PACKET_INTERNED_DATA,
                                ORMA_PB_TRACE_PACKET_TRACE_PACKET_DEFAULTS};
    uint8_t also = byte(s);

    for (unsigned i = 0; i < ORMA_ARRAY_LEN(numbers); i++) {
        const struct orma_field *f =
            orma_schema_field(orma_schema_default(), packet_msg, numbers[i]);

        if (!f || (i && also >> i & 1))
            continue;
        size_t at = orma_pb_begin(out, f->number);
        for (unsigned k = 0; k < 3; k++)
            fill(s, f->type_idx, 1, out);
        orma_pb_end(out, at);
    }
}

static void put_packet(struct source *s, uint8_t kind, uint64_t ts, struct orma_buf *out)
{
    bool ftrace = kind & 1;
    static uint32_t packet_msg, event_msg, bundle_msg, compact_msg;
    size_t packet = orma_pb_begin(out, 1);

    if (!packet_msg) {
        packet_msg =
            orma_schema_find_msg(orma_schema_default(), ORMA_STR("perfetto.protos.TracePacket"));
        event_msg =
            orma_schema_find_msg(orma_schema_default(), ORMA_STR("perfetto.protos.FtraceEvent"));
        bundle_msg = orma_schema_find_msg(orma_schema_default(),
                                          ORMA_STR("perfetto.protos.FtraceEventBundle"));
        compact_msg = orma_schema_find_msg(
            orma_schema_default(), ORMA_STR("perfetto.protos.FtraceEventBundle.CompactSched"));
    }
    orma_pb_put_u64(out, ORMA_PB_TRACE_PACKET_TRUSTED_PACKET_SEQUENCE_ID, 1 + byte(s) % 3);
    if (byte(s) % 8 == 0 || !ts)
        orma_pb_put_u64(out, ORMA_PB_TRACE_PACKET_SEQUENCE_FLAGS, 1);
    if (!ftrace) {
        orma_pb_put_u64(out, ORMA_PB_TRACE_PACKET_TIMESTAMP, ts);
        if (kind & 2)
            put_focused(s, packet_msg, out);
        else
            fill(s, packet_msg, 0, out);
    } else {
        size_t bundle = orma_pb_begin(out, ORMA_PB_TRACE_PACKET_FTRACE_EVENTS);

        orma_pb_put_u64(out, ORMA_PB_FTRACE_EVENT_BUNDLE_CPU, byte(s) % 5);
        if (byte(s) % 8 == 0)
            fill(s, bundle_msg, 1, out);
        if (byte(s) % 8 == 0) {
            size_t compact = orma_pb_begin(out, ORMA_PB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED);

            for (unsigned i = 0; i < 3; i++)
                fill(s, compact_msg, 2, out);
            orma_pb_end(out, compact);
        }
        for (unsigned i = byte(s) % 16; i-- > 0 && s->pos < s->end;) {
            size_t event = orma_pb_begin(out, ORMA_PB_FTRACE_EVENT_BUNDLE_EVENT);

            orma_pb_put_u64(out, ORMA_PB_FTRACE_EVENT_TIMESTAMP, ts += byte(s));
            orma_pb_put_u64(out, ORMA_PB_FTRACE_EVENT_PID, byte(s) % 6);
            fill(s, event_msg, 1, out);
            orma_pb_end(out, event);
        }
        orma_pb_end(out, bundle);
    }
    orma_pb_end(out, packet);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct source s = {data, data + size};
    struct orma_buf trace = {0};
    uint8_t kind = byte(&s);
    uint64_t ts = 0;

    for (unsigned i = 0; i < PACKETS_MAX && s.pos < s.end; i++) {
        put_packet(&s, kind, ts, &trace);
        ts += 1 + byte(&s);
    }
    if (trace.len && !trace.failed)
        (void)fuzz_load(trace.data, trace.len, 0);
    orma_buf_fini(&trace);
    return 0;
}
