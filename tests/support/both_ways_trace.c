/* Traces for both_ways.c, made of choices. */
#include "protos/fields/interned_data.h"
#include "protos/fields/process.h"
#include "protos/fields/trace.h"
#include "protos/fields/track_event.h"
#include "sdk/wire/pb_writer.h"
#include "tests/support/both_ways.h"

#define SEQUENCES 3

struct maker {
    const uint8_t *pos, *end; /* choices */
    struct orma_buf *out;
    uint32_t seq;
    uint64_t now;
};

static unsigned choose(struct maker *m, unsigned num)
{
    return m->pos < m->end ? *m->pos++ % num : 0;
}

/* True once in `num`. */
static bool rarely(struct maker *m, unsigned num)
{
    return choose(m, num) == num - 1;
}

static void put_name(struct maker *m)
{
    if (rarely(m, 6))
        orma_pb_put_cstr(m->out, ORMA_PB_DEBUG_ANNOTATION_NAME, "x");
    else if (!rarely(m, 30))
        orma_pb_put_u64(m->out, ORMA_PB_DEBUG_ANNOTATION_NAME_IID, 1 + choose(m, 4));
}

static void put_json(struct maker *m)
{
    static const char *const texts[] = {
        "{\"a\":[1,2,{\"b\":\"text\"}],\"c\":{\"d\":1.5,\"e\":null,\"f\":true}}",
        "[{\"a\":1},{\"a\":2},[3,4],\"some more text, so that it is worth leaving\"]",
        "{}",
        "\"a text only, which is long enough for an event that nobody decodes at once\"",
        "{\"broken\":",
    };

    orma_pb_put_cstr(m->out, ORMA_PB_DEBUG_ANNOTATION_LEGACY_JSON_VALUE,
                     texts[choose(m, ORMA_ARRAY_LEN(texts))]);
}

/* A value of any kind, of which some refer to what may not be there. */
static void put_tree(struct maker *m, unsigned depth)
{
    const unsigned kind = depth ? choose(m, 9) : 4;
    const uint32_t inside =
        kind == 0 ? ORMA_PB_DEBUG_ANNOTATION_DICT_ENTRIES : ORMA_PB_DEBUG_ANNOTATION_ARRAY_VALUES;

    switch (kind) {
    case 0:
    case 1:
        for (unsigned n = choose(m, 4); n; n--) {
            size_t e = orma_pb_begin(m->out, inside);

            if (kind == 0)
                put_name(m);
            put_tree(m, depth - 1);
            orma_pb_end(m->out, e);
        }
        break;
    case 2:
        orma_pb_put_u64(m->out, ORMA_PB_DEBUG_ANNOTATION_STRING_VALUE_IID, 1 + choose(m, 3));
        break;
    case 3:
        orma_pb_put_cstr(m->out, ORMA_PB_DEBUG_ANNOTATION_PROTO_TYPE_NAME,
                         ".perfetto.protos.DebugAnnotation");
        orma_pb_put_cstr(m->out, ORMA_PB_DEBUG_ANNOTATION_PROTO_VALUE, "");
        break;
    case 4:
        orma_pb_put_u64(m->out, ORMA_PB_DEBUG_ANNOTATION_INT_VALUE, choose(m, 200));
        break;
    case 5:
        orma_pb_put_cstr(m->out, ORMA_PB_DEBUG_ANNOTATION_STRING_VALUE, "some text of a value");
        break;
    default:
        put_json(m);
    }
}

/* Most events with several of these are long enough to be left for later. */
static void put_large_annotation(struct maker *m)
{
    size_t a = orma_pb_begin(m->out, ORMA_PB_TRACK_EVENT_DEBUG_ANNOTATIONS);

    put_name(m);
    put_tree(m, 3);
    orma_pb_end(m->out, a);
}

static void put_annotation(struct maker *m)
{
    size_t a = orma_pb_begin(m->out, ORMA_PB_TRACK_EVENT_DEBUG_ANNOTATIONS);

    if (rarely(m, 6))
        orma_pb_put_cstr(m->out, ORMA_PB_DEBUG_ANNOTATION_NAME, "x");
    else
        orma_pb_put_u64(m->out, ORMA_PB_DEBUG_ANNOTATION_NAME_IID, 1 + choose(m, 4));
    for (unsigned n = rarely(m, 20) ? 2 : 1; n; n--)
        orma_pb_put_u64(m->out, ORMA_PB_DEBUG_ANNOTATION_NAME_IID + 1 + choose(m, 8), choose(m, 4));
    orma_pb_end(m->out, a);
}

static void put_track_event(struct maker *m)
{
    static const uint8_t types[] = {1, 2, 1, 2, 3, 4, 1, 5};
    size_t e = orma_pb_begin(m->out, ORMA_PB_TRACE_PACKET_TRACK_EVENT);
    uint8_t type = types[choose(m, 8)];

    if (!rarely(m, 40))
        orma_pb_put_u64(m->out, ORMA_PB_TRACK_EVENT_TYPE, type);
    if (rarely(m, 3))
        orma_pb_put_u64(m->out, ORMA_PB_TRACK_EVENT_TRACK_UUID, choose(m, 9));
    for (unsigned n = choose(m, 9) / 4; n; n--)
        orma_pb_put_u64(m->out, ORMA_PB_TRACK_EVENT_CATEGORY_IIDS, choose(m, 4));
    if (type != 2 || rarely(m, 6))
        orma_pb_put_u64(m->out, ORMA_PB_TRACK_EVENT_NAME_IID, choose(m, 5));
    if (rarely(m, 12))
        orma_pb_put_cstr(m->out, ORMA_PB_TRACK_EVENT_NAME, "spelt out");
    for (unsigned n = choose(m, 9) / 6; n; n--)
        put_annotation(m);
    for (unsigned n = rarely(m, 4) ? 1 + choose(m, 3) : 0; n; n--)
        put_large_annotation(m);
    if (type == 4 || rarely(m, 50))
        orma_pb_put_u64(m->out, ORMA_PB_TRACK_EVENT_COUNTER_VALUE, choose(m, 200));
    if (rarely(m, 40))
        orma_pb_put_fixed64(m->out, ORMA_PB_TRACK_EVENT_FLOW_IDS, choose(m, 5));
    if (rarely(m, 60))
        orma_pb_put_u64(m->out, ORMA_PB_TRACK_EVENT_TIMESTAMP_DELTA_US, choose(m, 5));
    orma_pb_end(m->out, e);
}

static void put_entry(struct maker *m, uint32_t kind, uint64_t iid)
{
    static const char *const texts[] = {"", "red", "green", "blue", "red"};
    size_t e = orma_pb_begin(m->out, kind);

    orma_pb_put_u64(m->out, ORMA_PB_EVENT_NAME_IID, iid);
    if (!rarely(m, 20))
        orma_pb_put_cstr(m->out, ORMA_PB_EVENT_NAME_NAME, texts[choose(m, 5)]);
    orma_pb_end(m->out, e);
}

static void put_interned(struct maker *m)
{
    size_t interned = orma_pb_begin(m->out, ORMA_PB_TRACE_PACKET_INTERNED_DATA);

    for (unsigned iid = 1 + choose(m, 2); iid < 5; iid++)
        put_entry(m, ORMA_PB_INTERNED_DATA_EVENT_NAMES, iid);
    for (unsigned iid = 1; iid < 3; iid++)
        put_entry(m, ORMA_PB_INTERNED_DATA_EVENT_CATEGORIES, iid);
    for (unsigned iid = 1; iid < 4; iid++)
        put_entry(m, ORMA_PB_INTERNED_DATA_DEBUG_ANNOTATION_NAMES, iid);
    for (unsigned iid = 1; iid < 3; iid++)
        put_entry(m, ORMA_PB_INTERNED_DATA_DEBUG_ANNOTATION_STRING_VALUES, iid);
    orma_pb_end(m->out, interned);
}

static void put_clock(struct maker *m, uint32_t id, uint64_t ts, bool incremental)
{
    size_t c = orma_pb_begin(m->out, ORMA_PB_CLOCK_SNAPSHOT_CLOCKS);

    orma_pb_put_u64(m->out, ORMA_PB_CLOCK_SNAPSHOT_CLOCK_CLOCK_ID, id);
    orma_pb_put_u64(m->out, ORMA_PB_CLOCK_SNAPSHOT_CLOCK_TIMESTAMP, ts);
    orma_pb_put_u64(m->out, ORMA_PB_CLOCK_SNAPSHOT_CLOCK_IS_INCREMENTAL, incremental);
    orma_pb_end(m->out, c);
}

/* A clock of the sequence that counts on from event to event, or an ordinary one. */
static void put_snapshot(struct maker *m)
{
    size_t s = orma_pb_begin(m->out, ORMA_PB_TRACE_PACKET_CLOCK_SNAPSHOT);

    m->now += 1000;
    put_clock(m, 6, m->now, false);
    put_clock(m, 64, m->now, true);
    put_clock(m, 3, m->now - 500, false);
    orma_pb_end(m->out, s);
}

static void put_defaults(struct maker *m)
{
    static const uint32_t clocks[] = {64, 64, 64, 64, 6, 3, 77};
    size_t d = orma_pb_begin(m->out, ORMA_PB_TRACE_PACKET_TRACE_PACKET_DEFAULTS);
    size_t e = orma_pb_begin(m->out, ORMA_PB_TRACE_PACKET_DEFAULTS_TRACK_EVENT_DEFAULTS);

    orma_pb_put_u64(m->out, ORMA_PB_TRACK_EVENT_DEFAULTS_TRACK_UUID, 1 + m->seq);
    orma_pb_end(m->out, e);
    if (!rarely(m, 3))
        orma_pb_put_u64(m->out, ORMA_PB_TRACE_PACKET_DEFAULTS_TIMESTAMP_CLOCK_ID,
                        clocks[choose(m, 7)]);
    orma_pb_end(m->out, d);
}

static void put_descriptor(struct maker *m)
{
    size_t d = orma_pb_begin(m->out, ORMA_PB_TRACE_PACKET_TRACK_DESCRIPTOR);
    unsigned kind = choose(m, 5);
    uint64_t uuid = 1 + choose(m, 8);

    orma_pb_put_u64(m->out, ORMA_PB_TRACK_DESCRIPTOR_UUID, uuid);
    if (kind == 0) {
        size_t t = orma_pb_begin(m->out, ORMA_PB_TRACK_DESCRIPTOR_THREAD);

        orma_pb_put_u64(m->out, ORMA_PB_THREAD_DESCRIPTOR_PID, 10);
        orma_pb_put_u64(m->out, ORMA_PB_THREAD_DESCRIPTOR_TID, 10 + uuid);
        orma_pb_end(m->out, t);
    } else if (kind == 1) {
        orma_pb_end(m->out, orma_pb_begin(m->out, ORMA_PB_TRACK_DESCRIPTOR_COUNTER));
    } else if (kind == 3) {
        orma_pb_put_u64(m->out, ORMA_PB_TRACK_DESCRIPTOR_SIBLING_MERGE_BEHAVIOR,
                        ORMA_PB_TRACK_DESCRIPTOR_SIBLING_MERGE_BEHAVIOR_NONE);
    } else if (kind == 2) {
        orma_pb_put_cstr(m->out, ORMA_PB_TRACK_DESCRIPTOR_NAME, "side by side");
        orma_pb_put_u64(m->out, ORMA_PB_TRACK_DESCRIPTOR_PARENT_UUID, choose(m, 8));
    }
    orma_pb_end(m->out, d);
}

/* Marks that let the sorter give out what it has. */
static void put_mark(struct maker *m)
{
    static const uint32_t marks[] = {ORMA_PB_TRACING_SERVICE_EVENT_ALL_DATA_SOURCES_FLUSHED,
                                     ORMA_PB_TRACING_SERVICE_EVENT_READ_TRACING_BUFFERS_COMPLETED};
    size_t e = orma_pb_begin(m->out, ORMA_PB_TRACE_PACKET_SERVICE_EVENT);

    orma_pb_put_u64(m->out, marks[choose(m, 2)], 1);
    orma_pb_end(m->out, e);
}

static void put_time(struct maker *m)
{
    uint64_t step = choose(m, 250);

    m->now += step;
    /* What is a step on one clock is far in the past on another: both happen. */
    orma_pb_put_u64(m->out, ORMA_PB_TRACE_PACKET_TIMESTAMP, rarely(m, 100) ? m->now : step);
}

static void put_tail(struct maker *m)
{
    if (!rarely(m, 100))
        orma_pb_put_u64(m->out, ORMA_PB_TRACE_PACKET_TRUSTED_UID, 1000);
    if (!rarely(m, 100) || !rarely(m, 20)) /* without it the trace may be refused from here on */
        orma_pb_put_u64(m->out, ORMA_PB_TRACE_PACKET_TRUSTED_PACKET_SEQUENCE_ID,
                        rarely(m, 100) && rarely(m, 20) ? 0 : m->seq + 1);
    if (!rarely(m, 100))
        orma_pb_put_u64(m->out, ORMA_PB_TRACE_PACKET_TRUSTED_PID, 40 + m->seq);
    if (rarely(m, 100) && rarely(m, 4))
        orma_pb_put_u64(m->out, ORMA_PB_TRACE_PACKET_PREVIOUS_PACKET_DROPPED, 1);
    if (rarely(m, 120))
        orma_pb_put_u64(m->out, ORMA_PB_TRACE_PACKET_MACHINE_ID, 3);
    if (rarely(m, 120))
        orma_pb_put_u64(m->out, ORMA_PB_TRACE_PACKET_TIMESTAMP, 5);
    if (rarely(m, 120))
        orma_pb_put_u64(m->out, 5000, 5);
}

static void put_event_packet(struct maker *m)
{
    bool timed = !rarely(m, 120), late = rarely(m, 120);

    if (timed && !late)
        put_time(m);
    if (!rarely(m, 20))
        orma_pb_put_u64(m->out, ORMA_PB_TRACE_PACKET_SEQUENCE_FLAGS, rarely(m, 40) ? 3 : 2);
    if (rarely(m, 100))
        orma_pb_put_u64(m->out, ORMA_PB_TRACE_PACKET_TIMESTAMP_CLOCK_ID, 6);
    if (rarely(m, 120))
        orma_pb_put_u64(m->out, ORMA_PB_TRACE_PACKET_MACHINE_ID, 3);
    put_track_event(m);
    if (rarely(m, 90))
        put_track_event(m);
    if (timed && late)
        put_time(m);
    if (rarely(m, 40))
        put_interned(m);
}

static void put_packet(struct maker *m)
{
    size_t packet = orma_pb_begin(m->out, 1), at = m->out->len;

    switch (choose(m, 120)) {
    case 0:
    case 1:
        orma_pb_put_u64(m->out, ORMA_PB_TRACE_PACKET_SEQUENCE_FLAGS, 1);
        put_defaults(m);
        put_interned(m);
        break;
    case 9:
        put_snapshot(m);
        break;
    case 2:
    case 3:
        put_descriptor(m);
        break;
    case 4:
        put_mark(m);
        break;
    case 5:
        put_defaults(m);
        break;
    case 6:
    case 7:
    case 8:
        m->seq = choose(m, SEQUENCES);
        break;
    default:
        put_event_packet(m);
    }
    put_tail(m);
    if (rarely(m, 250) && rarely(m, 4) && !m->out->failed) /* cut off, or nonsense */
        m->out->data[at + choose(m, 8) % (m->out->len - at)] ^= (uint8_t)(1u << choose(m, 8));
    orma_pb_end(m->out, packet);
}

void both_ways_trace(struct orma_buf *out, const uint8_t *choices, size_t len)
{
    struct maker m = {choices, choices + len, out, 0, 1000000};

    for (; m.seq < SEQUENCES; m.seq++) {
        size_t packet = orma_pb_begin(out, 1);

        orma_pb_put_u64(out, ORMA_PB_TRACE_PACKET_SEQUENCE_FLAGS, 1);
        put_defaults(&m);
        put_interned(&m);
        put_snapshot(&m);
        orma_pb_put_u64(out, ORMA_PB_TRACE_PACKET_TRUSTED_PACKET_SEQUENCE_ID, m.seq + 1);
        orma_pb_end(out, packet);
    }
    m.seq = 0;
    while (m.pos < m.end && !out->failed)
        put_packet(&m);
}
