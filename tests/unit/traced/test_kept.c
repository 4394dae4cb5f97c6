/*
 * What is left in a ring can be read. Writers as those of SDKs: names by number, differences of
 * times and of a counter, tracks that are described once; they begin anew now and then, and their
 * packets lie over several chunks, are scraped, or have names in them that are new. A small reader
 * that knows nothing but what it is given must find for each packet of the ring the name, the time
 * and the value that its writer meant.
 */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "protos/fields/common.h"
#include "protos/fields/trace.h"
#include "protos/fields/track_event.h"
#include "sdk/shm/layout.h"
#include "sdk/wire/pb_writer.h"
#include "tests/support/leaks.h"
#include "traced/buffers/kept.h"

#define WRITERS 4
#define EVENTS_MAX 4000
#define NAMES 12
#define CHUNK_MAX 2032
#define CLOCK 64
#define NUMBER 100 /* of an event's field with the number of the event */

static uint64_t rng;

static uint32_t rnd(uint32_t below)
{
    rng ^= rng << 13;
    rng ^= rng >> 7;
    rng ^= rng << 17;
    return (uint32_t)(rng >> 33) % below;
}

static bool chance(uint32_t percent)
{
    return rnd(100) < percent;
}

struct truth {
    uint64_t time, value;
    uint32_t name; /* what the number meant: another name each time that the writer begins anew */
};

struct chunk {
    struct orma_buf payload;
    uint16_t count, flags;
    uint32_t id;
};

struct writer {
    uint16_t id;
    bool has_begun, counts;
    uint32_t next_chunk, size, events, epoch;
    uint64_t time, value, track;
    bool knows[NAMES + 1];
    struct truth truth[EVENTS_MAX];
    struct chunk open; /* size 0: none */
    struct {
        bool valid, has_sum;
        uint64_t clock, value;
        uint32_t names[NAMES + 1];
        bool has_track;
        uint32_t last;
    } reader;
};

struct bed {
    struct traced_buffer *buf;
    struct writer writers[WRITERS];
    bool scrapes, reads;
    uint64_t read_events;
};

/* ---- writing ---- */

static struct traced_seq *seq_of(struct bed *b, const struct writer *w)
{
    return traced_buffer_seq(b->buf, 1, w->id);
}

static void commit(struct bed *b, struct writer *w, bool complete)
{
    struct orma_buf copy = {0};

    orma_buf_put(&copy, w->open.payload.data, w->open.payload.len);
    memset(orma_buf_extend(&copy, w->size - copy.len), 0, w->size - copy.len);
    struct traced_chunk chunk = {
        .chunk_id = w->open.id,
        .packets = w->open.count | (complete ? w->open.flags : w->open.flags & ORMA_SHM_CONT_PREV),
        .complete = complete,
        .payload = copy.data,
        .payload_size = w->size,
    };
    /* What a scrape takes of the last packet is not whole: the service leaves it out. */
    traced_buffer_write(b->buf, seq_of(b, w), &chunk);
    orma_buf_fini(&copy);
}

static void begin_chunk(struct writer *w, uint16_t flags)
{
    orma_buf_clear(&w->open.payload);
    w->open.id = w->next_chunk++;
    w->open.count = 0;
    w->open.flags = flags;
}

static void put_packet(struct bed *b, struct writer *w, const struct orma_buf *packet)
{
    size_t at = 0;
    bool begun = false;

    do {
        size_t space = w->size - w->open.payload.len;
        if (!w->has_begun || space < 6) {
            if (w->has_begun) {
                w->open.flags |= begun ? ORMA_SHM_CONT_NEXT : 0;
                commit(b, w, true);
            }
            w->has_begun = true;
            begin_chunk(w, begun ? ORMA_SHM_CONT_PREV : 0);
            space = w->size;
        }
        size_t piece = ORMA_MIN(packet->len - at, space - 3);
        orma_pb_put_raw_varint(&w->open.payload, piece);
        orma_buf_put(&w->open.payload, packet->data + at, piece);
        w->open.count++;
        at += piece;
        begun = true;
        if (at < packet->len) {
            w->open.flags |= ORMA_SHM_CONT_NEXT;
            commit(b, w, true);
            begin_chunk(w, ORMA_SHM_CONT_PREV);
        }
    } while (at < packet->len);
}

static void put_clock(struct orma_buf *p, uint64_t id, uint64_t ts, bool incremental)
{
    size_t clock = orma_pb_begin(p, ORMA_PB_CLOCK_SNAPSHOT_CLOCKS);

    orma_pb_put_u64(p, ORMA_PB_CLOCK_SNAPSHOT_CLOCK_CLOCK_ID, id);
    orma_pb_put_u64(p, ORMA_PB_CLOCK_SNAPSHOT_CLOCK_TIMESTAMP, ts);
    if (incremental)
        orma_pb_put_u64(p, ORMA_PB_CLOCK_SNAPSHOT_CLOCK_IS_INCREMENTAL, 1);
    orma_pb_end(p, clock);
}

static void begin_anew(struct bed *b, struct writer *w)
{
    struct orma_buf p = {0};

    w->time += rnd(1000);
    w->value = 0;
    w->epoch++;
    memset(w->knows, 0, sizeof(w->knows));
    orma_pb_put_u64(&p, ORMA_PB_TRACE_PACKET_SEQUENCE_FLAGS, 1);
    size_t defaults = orma_pb_begin(&p, ORMA_PB_TRACE_PACKET_TRACE_PACKET_DEFAULTS);
    orma_pb_put_u64(&p, ORMA_PB_TRACE_PACKET_DEFAULTS_TIMESTAMP_CLOCK_ID, CLOCK);
    size_t te = orma_pb_begin(&p, ORMA_PB_TRACE_PACKET_DEFAULTS_TRACK_EVENT_DEFAULTS);
    orma_pb_put_u64(&p, ORMA_PB_TRACK_EVENT_DEFAULTS_TRACK_UUID, w->track);
    orma_pb_put_u64(&p, ORMA_PB_TRACK_EVENT_DEFAULTS_EXTRA_COUNTER_TRACK_UUIDS, w->track + 1);
    orma_pb_end(&p, te);
    orma_pb_end(&p, defaults);
    size_t clocks = orma_pb_begin(&p, ORMA_PB_TRACE_PACKET_CLOCK_SNAPSHOT);
    put_clock(&p, 6, w->time, false);
    put_clock(&p, CLOCK, w->time, true);
    orma_pb_end(&p, clocks);
    put_packet(b, w, &p);

    for (uint64_t i = 0; i < (w->counts ? 2 : 1); i++) {
        orma_buf_clear(&p);
        orma_pb_put_u64(&p, ORMA_PB_TRACE_PACKET_TIMESTAMP, 0);
        orma_pb_put_u64(&p, ORMA_PB_TRACE_PACKET_SEQUENCE_FLAGS, 2);
        size_t track = orma_pb_begin(&p, ORMA_PB_TRACE_PACKET_TRACK_DESCRIPTOR);
        orma_pb_put_u64(&p, ORMA_PB_TRACK_DESCRIPTOR_UUID, w->track + i);
        if (i) {
            size_t counter = orma_pb_begin(&p, ORMA_PB_TRACK_DESCRIPTOR_COUNTER);
            orma_pb_put_u64(&p, ORMA_PB_COUNTER_DESCRIPTOR_IS_INCREMENTAL, 1);
            orma_pb_end(&p, counter);
        }
        orma_pb_end(&p, track);
        put_packet(b, w, &p);
    }
    orma_buf_fini(&p);
}

static uint32_t meaning(const struct writer *w, uint32_t iid)
{
    return w->epoch * 1000 + iid;
}

static void put_event(struct bed *b, struct writer *w)
{
    uint32_t iid = 1 + rnd(NAMES), n = ++w->events;
    uint64_t delta = chance(90) ? rnd(200) : rnd(1u << 30);
    static char zeros[3000];
    struct orma_buf p = {0};

    w->time += delta;
    orma_pb_put_u64(&p, ORMA_PB_TRACE_PACKET_TIMESTAMP, delta);
    orma_pb_put_u64(&p, ORMA_PB_TRACE_PACKET_SEQUENCE_FLAGS, 2);
    size_t event = orma_pb_begin(&p, ORMA_PB_TRACE_PACKET_TRACK_EVENT);
    orma_pb_put_u64(&p, ORMA_PB_TRACK_EVENT_NAME_IID, iid);
    orma_pb_put_u64(&p, NUMBER, n);
    if (w->counts) {
        uint64_t more = rnd(50);
        w->value += more;
        orma_pb_put_u64(&p, ORMA_PB_TRACK_EVENT_EXTRA_COUNTER_VALUES, more);
    }
    orma_pb_put_bytes(&p, 101, zeros, chance(97) ? rnd(30) : rnd(sizeof(zeros)));
    orma_pb_end(&p, event);
    if (!w->knows[iid]) {
        size_t interned = orma_pb_begin(&p, ORMA_PB_TRACE_PACKET_INTERNED_DATA);
        orma_pb_put_u64(&p, 200, iid);
        orma_pb_put_u64(&p, 201, meaning(w, iid));
        orma_pb_end(&p, interned);
        w->knows[iid] = true;
    }
    w->truth[n] = (struct truth){w->time, w->value, meaning(w, iid)};
    put_packet(b, w, &p);
    orma_buf_fini(&p);
}

/* ---- reading ---- */

static uint64_t number_in(struct orma_pb_reader r, uint32_t id)
{
    struct orma_pb_field f;
    uint64_t num = 0;

    while (orma_pb_next(&r, &f))
        if (f.id == id)
            num = f.num;
    return num;
}

static void read_clocks(struct writer *w, struct orma_pb_reader r)
{
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        struct orma_pb_reader clock = orma_pb_reader(f.data, f.len);
        if (number_in(clock, ORMA_PB_CLOCK_SNAPSHOT_CLOCK_CLOCK_ID) == CLOCK)
            w->reader.clock = number_in(clock, ORMA_PB_CLOCK_SNAPSHOT_CLOCK_TIMESTAMP);
    }
}

/* As the importer does: flags first, then what the packet defines, then what it says. */
static void read_packet(struct bed *b, const struct traced_packet *packet)
{
    struct orma_buf all = {0};
    struct orma_pb_field f, event = {0};
    struct writer *w = &b->writers[packet->seq->writer_id - 1];

    for (size_t i = 0; i < packet->slices_num; i++)
        orma_buf_put(&all, packet->slices[i].data, packet->slices[i].len);
    struct orma_pb_reader r = orma_pb_reader(all.data, all.len);
    uint64_t flags = number_in(r, ORMA_PB_TRACE_PACKET_SEQUENCE_FLAGS);
    bool has_clocks = false;
    if (flags & 1) {
        memset(&w->reader.names, 0, sizeof(w->reader.names));
        w->reader.valid = true;
        w->reader.value = 0;
    } else if (packet->loss) {
        w->reader.valid = false;
    }
    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_TRACE_PACKET_INTERNED_DATA) {
            struct orma_pb_reader in = orma_pb_reader(f.data, f.len);
            w->reader.names[number_in(in, 200)] = (uint32_t)number_in(in, 201);
        } else if (f.id == ORMA_PB_TRACE_PACKET_CLOCK_SNAPSHOT) {
            read_clocks(w, orma_pb_reader(f.data, f.len));
            has_clocks = true;
        } else if (f.id == ORMA_PB_TRACE_PACKET_TRACK_DESCRIPTOR) {
            w->reader.has_track |= number_in(orma_pb_reader(f.data, f.len), 1) == w->track;
        } else if (f.id == ORMA_PB_TRACE_PACKET_TRACK_EVENT) {
            event = f;
        }
    }
    cr_assert_not(r.failed);
    if (!has_clocks)
        w->reader.clock +=
            number_in(orma_pb_reader(all.data, all.len), ORMA_PB_TRACE_PACKET_TIMESTAMP);
    if (event.data) {
        struct orma_pb_reader in = orma_pb_reader(event.data, event.len);
        uint64_t n = number_in(in, NUMBER);

        w->reader.value += number_in(in, ORMA_PB_TRACK_EVENT_EXTRA_COUNTER_VALUES) +
                           number_in(in, ORMA_PB_TRACK_EVENT_COUNTER_VALUE);
        cr_assert_eq(packet->is_kept, n == 0);
        if (n) {
            const struct truth *t = &w->truth[n];
            cr_assert_gt(n, w->reader.last);
            cr_assert(w->reader.valid, "writer %u: event %u of %u has no state", w->id, (unsigned)n,
                      w->events);
            cr_assert(w->reader.has_track);
            cr_assert_eq(w->reader.names[number_in(in, ORMA_PB_TRACK_EVENT_NAME_IID)], t->name,
                         "writer %u: name of event %u", w->id, (unsigned)n);
            cr_assert_eq(w->reader.clock, t->time, "writer %u: time of event %u: %llu, not %llu",
                         w->id, (unsigned)n, (unsigned long long)w->reader.clock,
                         (unsigned long long)t->time);
            cr_assert_eq(w->reader.value, t->value, "writer %u: value of event %u", w->id,
                         (unsigned)n);
            w->reader.last = (uint32_t)n;
            b->read_events++;
        }
    }
    orma_buf_fini(&all);
}

static void read_all(struct bed *b, struct traced_buffer *buf)
{
    struct traced_packet p;

    for (unsigned i = 0; i < WRITERS; i++)
        memset(&b->writers[i].reader, 0, sizeof(b->writers[i].reader));
    traced_buffer_read_begin(buf);
    while (traced_buffer_read(buf, &p))
        read_packet(b, &p);
}

static void read_clone(struct bed *b)
{
    struct traced_buffer *clone;

    cr_assert_eq(traced_buffer_clone(b->buf, &clone), 0);
    read_all(b, clone);
    traced_buffer_free(clone);
}

/* ---- runs ---- */

static void init(struct bed *b, uint64_t seed, size_t size)
{
    rng = seed * 0x9e3779b97f4a7c15u + 1;
    memset(b, 0, sizeof(*b));
    cr_assert_eq(traced_buffer_new(size, TRACED_RING, &b->buf), 0);
    b->scrapes = chance(50);
    for (unsigned i = 0; i < WRITERS; i++) {
        b->writers[i] = (struct writer){
            .id = (uint16_t)(i + 1),
            .size = 128 + 16 * rnd(100),
            .counts = chance(40),
            .track = 10 * i + 10,
            .time = 1000000,
        };
        begin_anew(b, &b->writers[i]);
    }
}

static void fini(struct bed *b)
{
    for (unsigned i = 0; i < WRITERS; i++)
        orma_buf_fini(&b->writers[i].open.payload);
    traced_buffer_free(b->buf);
}

/* How many chunks were overwritten. */
static uint64_t run(struct bed *b, uint64_t seed)
{
    init(b, seed, (size_t)(8 + rnd(24)) << 10);
    unsigned steps = 500 + rnd(3000), busy = rnd(WRITERS);
    for (unsigned i = 0; i < steps; i++) {
        /* One writer drives the others out. */
        struct writer *w = &b->writers[chance(70) ? busy : rnd(WRITERS)];
        if (chance(1))
            begin_anew(b, w);
        put_event(b, w);
        if (b->scrapes && chance(2) && !(w->open.flags & ORMA_SHM_CONT_NEXT))
            commit(b, w, false);
        if (rnd(1000) == 0)
            read_clone(b);
    }
    for (unsigned i = 0; i < WRITERS; i++)
        commit(b, &b->writers[i], true);
    traced_buffer_settle(b->buf);
    read_all(b, b->buf);
    cr_assert_eq(b->buf->stats.kept_dropped, 0);
    uint64_t overwritten = b->buf->stats.chunks_overwritten;
    fini(b);
    return overwritten;
}

Test(traced_kept, all_that_is_left_in_a_ring_can_be_read)
{
    static struct bed b;
    const char *text = getenv("ORMA_MODEL_RUNS");
    uint64_t runs = text ? strtoull(text, NULL, 10) : 400, overwritten = 0;

    for (uint64_t seed = 1; seed <= runs; seed++)
        overwritten += run(&b, seed);
    cr_assert_gt(overwritten, 10 * runs);
    orma_assert_no_leaks();
}

Test(traced_kept, what_is_kept_is_bounded)
{
    static struct bed b;
    static char bytes[1500];
    struct traced_packet packet;

    init(&b, 1, 16 << 10);
    struct writer *w = &b.writers[0];
    for (unsigned i = 0; i < 20000; i++) {
        struct orma_buf p = {0};

        orma_pb_put_u64(&p, ORMA_PB_TRACE_PACKET_SEQUENCE_FLAGS, 2);
        orma_pb_put_bytes(
            &p, i % 2 ? ORMA_PB_TRACE_PACKET_INTERNED_DATA : ORMA_PB_TRACE_PACKET_PROCESS_TREE,
            memset(bytes, (int)i, sizeof(bytes)), 1 + rnd(sizeof(bytes)));
        put_packet(&b, w, &p);
        cr_assert_leq(b.buf->kept_bytes, TRACED_KEPT_MAX(b.buf->size));
        orma_buf_fini(&p);
    }
    cr_assert_gt(b.buf->stats.kept_dropped, 0);
    begin_anew(&b, w);
    for (unsigned i = 0; i < 2000; i++)
        put_event(&b, w); /* and when it begins anew, all is well again */
    commit(&b, w, true);
    traced_buffer_settle(b.buf);
    memset(&w->reader, 0, sizeof(w->reader));
    while (traced_buffer_read(b.buf, &packet))
        if (packet.seq->writer_id == w->id)
            read_packet(&b, &packet);
    cr_assert_eq(w->reader.last, w->events);
    fini(&b);
    orma_assert_no_leaks();
}

/* A reader that was there meanwhile has what it needs; what it missed is marked, not made up. */
Test(traced_kept, nothing_is_made_up_behind_what_was_read)
{
    static struct bed b;
    struct traced_packet packet;

    init(&b, 1, 16 << 10);
    struct writer *w = &b.writers[0];
    for (unsigned i = 0; i < 50; i++)
        put_event(&b, w);
    read_all(&b, b.buf);
    for (unsigned i = 0; i < 2000; i++)
        put_event(&b, w);
    traced_buffer_read_begin(b.buf);
    bool is_first = true, was_cleared = false;
    while (traced_buffer_read(b.buf, &packet)) {
        was_cleared |= packet.is_kept &&
                       packet.slices[0].data[0] == ORMA_PB_TRACE_PACKET_SEQUENCE_FLAGS << 3 &&
                       packet.slices[0].data[1] & 1;
        if (packet.seq->writer_id == w->id && is_first) {
            cr_assert(packet.loss & TRACED_LOSS_OVERWRITTEN);
            is_first = false;
        }
    }
    cr_assert_not(is_first);
    cr_assert_not(was_cleared);
    fini(&b);
    orma_assert_no_leaks();
}
