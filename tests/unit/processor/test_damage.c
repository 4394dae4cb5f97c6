/* Damaged traces: what is lost, what is read, and what is said about it. */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "processor/processor.h"
#include "protos/fields/ftrace.h"
#include "protos/fields/trace.h"
#include "protos/fields/track_event.h"
#include "sdk/base/fd.h"
#include "sdk/base/hash.h"
#include "sdk/wire/pb_writer.h"
#include "tests/support/leaks.h"

#define PACKETS 1000

static size_t begins[PACKETS + 1];

static void put_packet(struct orma_buf *out, unsigned i)
{
    size_t packet = orma_pb_begin(out, 1);

    orma_pb_put_u64(out, ORMA_PB_TRACE_PACKET_TIMESTAMP, 1000 + i);
    size_t e = orma_pb_begin(out, ORMA_PB_TRACE_PACKET_TRACK_EVENT);
    orma_pb_put_u64(out, ORMA_PB_TRACK_EVENT_TYPE, ORMA_PB_TRACK_EVENT_TYPE_INSTANT);
    orma_pb_put_u64(out, ORMA_PB_TRACK_EVENT_TRACK_UUID, 1);
    orma_pb_put_str(out, ORMA_PB_TRACK_EVENT_NAME, ORMA_STR("an instant"));
    orma_pb_end(out, e);
    orma_pb_put_u64(out, ORMA_PB_TRACE_PACKET_TRUSTED_PACKET_SEQUENCE_ID, 5);
    orma_pb_put_u64(out, ORMA_PB_TRACE_PACKET_TRUSTED_PID, 7);
    orma_pb_end(out, packet);
}

static void put_trace(struct orma_buf *out)
{
    for (unsigned i = 0; i < PACKETS; i++) {
        begins[i] = out->len;
        put_packet(out, i);
    }
    begins[PACKETS] = out->len;
}

static void replace(struct orma_buf *b, size_t at, size_t gone, const void *with, size_t len)
{
    struct orma_buf out = {0};

    orma_buf_put(&out, b->data, at);
    orma_buf_put(&out, with, len);
    orma_buf_put(&out, b->data + at + gone, b->len - at - gone);
    orma_buf_fini(b);
    *b = out;
}

struct outcome {
    int r;
    uint64_t slices, stat_places, rows;
    struct orma_processor_damage damage;
};

static uint64_t number(struct orma_processor *tp, const char *sql)
{
    struct orma_query *q;

    cr_assert_eq(orma_query_prepare(tp, sql, SIZE_MAX, &q, NULL), 0, "%s",
                 orma_processor_error(tp));
    uint64_t ret = orma_query_step(q) == 1 ? (uint64_t)orma_query_int64(q, 0) : 0;
    orma_query_free(q);
    return ret;
}

static int load_as_file(struct orma_processor *tp, const struct orma_buf *b)
{
    char path[] = "/tmp/orma-damage-XXXXXX";
    int fd = mkstemp(path);

    cr_assert_eq(orma_fd_write_all(fd, b->data, b->len), 0);
    close(fd);
    int r = orma_processor_load_file(tp, path, NULL, NULL);
    unlink(path);
    return r;
}

/* `step` 0: as a file that is mapped. */
static struct outcome load(const struct orma_buf *b, size_t step)
{
    struct orma_processor *tp;
    struct outcome o = {0};

    cr_assert_eq(orma_processor_new(NULL, &tp), 0);
    if (!step)
        o.r = load_as_file(tp, b);
    for (size_t at = 0; step && at < b->len && !o.r; at += step)
        o.r = orma_processor_feed(tp, b->data + at, ORMA_MIN(step, b->len - at));
    if (step && !o.r)
        o.r = orma_processor_finish(tp);
    o.damage = orma_processor_damage(tp);
    if (!o.r) {
        o.slices = number(tp, "SELECT count(*) FROM slice");
        o.stat_places = number(tp, "SELECT value FROM stats WHERE name = 'damaged_places'");
        o.rows = number(tp, "SELECT count(*) FROM _trace_import_logs WHERE name = 'damaged_places' "
                            "AND byte_offset IS NOT NULL");
    }
    orma_processor_free(tp);
    return o;
}

/* The outcome, the same however the bytes come. */
static struct outcome load_all_ways(const struct orma_buf *b, const char *what)
{
    static const size_t steps[] = {1, 100, 4096, SIZE_MAX};
    struct outcome o = load(b, 0);

    for (unsigned i = 0; i < ORMA_ARRAY_LEN(steps); i++) {
        struct outcome other = load(b, steps[i]);

        cr_assert_eq(o.r < 0, other.r < 0, "%s, by %zu: %d, %d", what, steps[i], o.r, other.r);
        cr_assert_eq(o.slices, other.slices, "%s, by %zu: %llu, %llu", what, steps[i],
                     (unsigned long long)o.slices, (unsigned long long)other.slices);
        cr_assert_eq(memcmp(&o.damage, &other.damage, sizeof(o.damage)), 0,
                     "%s, by %zu: %lld, %lld", what, steps[i], (long long)o.damage.first_offset,
                     (long long)other.damage.first_offset);
    }
    return o;
}

static void expect(const struct orma_buf *b, const char *what, unsigned lost, size_t offset,
                   size_t bytes)
{
    struct outcome o = load_all_ways(b, what);

    cr_assert_eq(o.r, 0, "%s", what);
    cr_assert_eq(o.slices, PACKETS - lost, "%s: %llu", what, (unsigned long long)o.slices);
    cr_assert_eq(o.damage.places, 1, "%s: %llu", what, (unsigned long long)o.damage.places);
    cr_assert_eq(o.stat_places, 1, "%s", what);
    cr_assert_eq(o.rows, 1, "%s", what);
    cr_assert_eq(o.damage.first_offset, (int64_t)offset, "%s: %lld", what,
                 (long long)o.damage.first_offset);
    cr_assert_eq(o.damage.bytes, bytes, "%s: %llu", what, (unsigned long long)o.damage.bytes);
}

#define AT 300
#define SIZE (begins[AT + 1] - begins[AT])

Test(damage, an_unharmed_trace_has_none)
{
    struct orma_buf b = {0};

    put_trace(&b);
    struct outcome o = load_all_ways(&b, "unharmed");
    cr_assert_eq(o.slices, PACKETS);
    cr_assert_eq(o.damage.places + o.damage.bytes + o.damage.truncated_bytes, 0);
    cr_assert_eq(o.damage.first_offset, -1);
    orma_buf_fini(&b);
    orma_assert_no_leaks();
}

Test(damage, a_field_that_is_none_costs_its_packet)
{
    struct orma_buf b = {0};

    put_trace(&b);
    b.data[begins[AT] + 2] = 0x07; /* a wire type that does not exist */
    expect(&b, "a broken tag", 1, begins[AT], SIZE);
    orma_buf_fini(&b);
    orma_assert_no_leaks();
}

Test(damage, a_wrong_length_costs_its_packet)
{
    static const struct {
        const char *what, *bytes;
        unsigned len;
    } lengths[] = {
        {"two too short", NULL, 0},
        {"three too long", "\x0a", 0},
        {"a kilobyte", "\x0a\x80\x08", 3},
        {"most of the file", "\x0a\x80\xc0\x01", 4},
        {"far beyond the file", "\x0a\x80\x80\x80\x80\x01", 6},
        {"more than a packet may have", "\x0a\xff\xff\xff\xff\xff\xff\xff\xff\x7f", 10},
        {"no length at all", "\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 12},
        {"no tag", "\x00\x00\x00\x00", 4},
        {"another tag", "\x0e\x10", 2},
    };

    for (unsigned i = 0; i < ORMA_ARRAY_LEN(lengths); i++) {
        struct orma_buf b = {0};

        put_trace(&b);
        if (lengths[i].len)
            replace(&b, begins[AT], 2, lengths[i].bytes, lengths[i].len);
        else
            b.data[begins[AT] + 1] =
                (uint8_t)(b.data[begins[AT] + 1] + (lengths[i].bytes ? 3 : -2));
        expect(&b, lengths[i].what, 1, begins[AT],
               SIZE + (lengths[i].len ? lengths[i].len - 2 : 0));
        orma_buf_fini(&b);
    }
    orma_assert_no_leaks();
}

Test(damage, a_hole_costs_what_lay_in_it)
{
    struct orma_buf b = {0};

    put_trace(&b);
    memset(b.data + begins[AT] + 5, 0, begins[AT + 4] - begins[AT]); /* ends in the one behind */
    expect(&b, "zeroes", 5, begins[AT], begins[AT + 5] - begins[AT]);
    orma_buf_fini(&b);

    put_trace(&b);
    replace(&b, begins[AT] + 7, begins[AT + 3] - begins[AT] + 5, "", 0);
    expect(&b, "bytes that are missing", 4, begins[AT], SIZE - 5);
    orma_buf_fini(&b);

    put_trace(&b);
    replace(&b, begins[AT], 0, "garbage that was never a packet", 31);
    expect(&b, "bytes that are too many", 0, begins[AT], 31);
    orma_buf_fini(&b);
    orma_assert_no_leaks();
}

Test(damage, the_last_packet_may_be_damaged_too)
{
    struct orma_buf b = {0};

    put_trace(&b);
    b.data[begins[PACKETS - 1]] = 0xff;
    expect(&b, "the last one", 1, begins[PACKETS - 1], begins[PACKETS] - begins[PACKETS - 1]);
    orma_buf_fini(&b);
    orma_assert_no_leaks();
}

Test(damage, a_file_that_is_truncated_is_no_damage)
{
    for (unsigned cut = 1; cut < 29; cut += 7) {
        struct orma_buf b = {0};

        put_trace(&b);
        b.len = begins[AT] + cut;
        struct outcome o = load_all_ways(&b, "truncated");
        cr_assert_eq(o.slices, AT, "%u: %llu", cut, (unsigned long long)o.slices);
        cr_assert_eq(o.damage.places, 0);
        cr_assert_eq(o.damage.truncated_bytes, cut);
        orma_buf_fini(&b);
    }
    orma_assert_no_leaks();
}

Test(damage, state_without_a_sequence_costs_the_packet)
{
    struct orma_buf b = {0}, bad = {0};

    put_trace(&b);
    size_t packet = orma_pb_begin(&bad, 1);
    orma_pb_put_u64(&bad, ORMA_PB_TRACE_PACKET_TIMESTAMP, 1);
    orma_pb_put_u64(&bad, ORMA_PB_TRACE_PACKET_SEQUENCE_FLAGS,
                    ORMA_PB_TRACE_PACKET_SEQ_NEEDS_INCREMENTAL_STATE);
    orma_pb_end(&bad, packet);
    replace(&b, begins[AT], 0, bad.data, bad.len);
    struct outcome o = load_all_ways(&b, "no sequence");
    cr_assert_eq(o.r, 0);
    cr_assert_eq(o.slices, PACKETS);
    cr_assert_eq(o.damage.places, 1);
    orma_buf_fini(&b);
    orma_buf_fini(&bad);
    orma_assert_no_leaks();
}

Test(damage, what_has_no_good_packet_is_no_trace)
{
    struct orma_buf b = {0};

    for (unsigned i = 0; i < 20000; i++)
        orma_buf_put_byte(&b, (uint8_t)(orma_mix64(i) >> 8));
    b.data[0] = 0x0a;
    b.data[1] = 0x04;
    cr_assert_lt(load_all_ways(&b, "noise").r, 0);
    orma_buf_fini(&b);
    orma_assert_no_leaks();
}

/* Many bits anywhere: each costs a packet or two, no more. */
Test(damage, of_many_flipped_bits_each_costs_little, .timeout = 240)
{
    for (unsigned seed = 1; seed <= 40; seed++) {
        struct orma_buf b = {0};
        const unsigned flips = seed;

        put_trace(&b);
        for (unsigned i = 0; i < flips; i++) {
            uint64_t r = orma_mix64(seed * 1000 + i);

            b.data[10 + (r >> 8) % (b.len - 10)] ^= (uint8_t)(1u << r % 8);
        }
        struct outcome o = load_all_ways(&b, "flips");
        cr_assert_eq(o.r, 0, "seed %u", seed);
        cr_assert_geq(o.slices + 2 * flips, PACKETS, "seed %u: %llu", seed,
                      (unsigned long long)o.slices);
        orma_buf_fini(&b);
    }
    orma_assert_no_leaks();
}

/* Bytes of which each might begin a packet: the search must not look at all of them again and
 * again. Work is counted by the processor's own time, generously. */
Test(damage, a_search_is_linear, .timeout = 240)
{
    struct orma_buf b = {0};

    put_packet(&b, 0);
    orma_buf_put_byte(&b, 0);
    for (unsigned i = 0; i < 2000000; i++)
        orma_buf_put(&b, "\x0a\x7f", 2);
    clock_t begun = clock();
    cr_assert_eq(load(&b, 0).r, 0);
    cr_assert_lt((clock() - begun) / CLOCKS_PER_SEC, 30);
    orma_buf_fini(&b);
    orma_assert_no_leaks();
}

/* ---- bundles of kernel events ---- */

static void put_bundle(struct orma_buf *out, const char *broken, size_t len)
{
    size_t packet = orma_pb_begin(out, 1), bundle;

    orma_pb_put_u64(out, ORMA_PB_TRACE_PACKET_TRUSTED_PACKET_SEQUENCE_ID, 5);
    bundle = orma_pb_begin(out, ORMA_PB_TRACE_PACKET_FTRACE_EVENTS);
    orma_pb_put_u64(out, ORMA_PB_FTRACE_EVENT_BUNDLE_CPU, 0);
    for (unsigned i = 0; i < 10; i++) {
        if (i == 4)
            orma_buf_put(out, broken, len);
        size_t event = orma_pb_begin(out, ORMA_PB_FTRACE_EVENT_BUNDLE_EVENT), print;
        orma_pb_put_u64(out, ORMA_PB_FTRACE_EVENT_TIMESTAMP, 1000 + i);
        orma_pb_put_u64(out, ORMA_PB_FTRACE_EVENT_PID, 7);
        print = orma_pb_begin(out, ORMA_PB_FTRACE_EVENT_PRINT);
        orma_pb_put_str(out, ORMA_PB_PRINT_FTRACE_EVENT_BUF, ORMA_STR("I|7|mark"));
        orma_pb_end(out, print);
        orma_pb_end(out, event);
    }
    orma_pb_end(out, bundle);
    orma_pb_end(out, packet);
}

/* What is no field in a bundle costs itself; the events behind it are read. */
Test(damage, events_behind_damage_in_a_bundle_are_read)
{
    static const struct {
        const char *bytes;
        size_t len;
    } bad[] = {{"\x07\x07\x07", 3},
               {"\x12\xff\xff\xff\x7f\x08", 6},
               {"\0\0\0\0\0\0\0\0", 8},
               {"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 12}};

    for (unsigned i = 0; i < ORMA_ARRAY_LEN(bad); i++) {
        for (size_t step = 0; step < 100; step += 33) {
            struct orma_buf b = {0};

            put_bundle(&b, bad[i].bytes, bad[i].len);
            struct outcome o = load(&b, step);
            cr_assert_eq(o.r, 0);
            cr_assert_eq(o.slices, 10, "%u: %llu", i, (unsigned long long)o.slices);
            cr_assert_eq(o.damage.places, 1);
            cr_assert_eq(o.damage.bytes, bad[i].len);
            if (!step)
                cr_assert_eq(b.data + o.damage.first_offset,
                             memmem(b.data, b.len, bad[i].bytes, bad[i].len));
            orma_buf_fini(&b);
        }
    }
    orma_assert_no_leaks();
}
