#include <errno.h>

#include "sdk/sources/packet.h"
#include "sdk/wire/pb_reader.h"
#include "tests/unit/client/fixture.h"

/* { 900: { 1: depth, 2: filler, 900: {...} } }, `filler` bytes at each level before the next. */
static void put_tree(struct orma_packet *p, unsigned depth, size_t filler)
{
    static uint8_t bytes[1 << 16];

    memset(bytes, (int)depth, filler);
    orma_packet_nest(p, 900);
    orma_packet_u64(p, 1, depth);
    orma_packet_bytes(p, 2, bytes, filler);
    if (depth > 1)
        put_tree(p, depth - 1, filler);
    orma_packet_u64(p, 3, depth);
    orma_packet_unnest(p);
}

static void check_tree(const uint8_t *data, size_t len, unsigned depth, size_t filler)
{
    struct orma_pb_reader r = orma_pb_reader(data, len), in;
    struct orma_pb_field f;
    unsigned begins = 0, ends = 0;

    while (orma_pb_next(&r, &f) && f.id != 900)
        ; /* the writer's own */
    cr_assert_eq(f.id, 900);
    in = orma_pb_reader(f.data, f.len);
    while (orma_pb_next(&in, &f)) {
        begins += f.id == 1 && f.num == depth;
        ends += f.id == 3 && f.num == depth;
        if (f.id == 2) {
            cr_assert_eq(f.len, filler);
            for (size_t i = 0; i < filler; i++)
                cr_assert_eq(f.data[i], depth);
        }
        if (f.id == 900)
            check_tree(f.data - 6, f.len + 6, depth - 1, filler); /* tag, size */
    }
    cr_assert(!in.failed);
    cr_assert_eq(begins, 1);
    cr_assert_eq(ends, 1);
}

static int put_packet(struct orma_writer *w, unsigned depth, size_t filler)
{
    struct orma_packet p;

    orma_packet_begin(&p, w);
    put_tree(&p, depth, filler);
    return orma_packet_end(&p);
}

Test(packet, nested_messages_survive_every_border)
{
    struct fixture *f = fixture_new(1 << 20, 4096);
    struct orma_writer *w = fixture_writer(f, ORMA_POLICY_DROP);
    unsigned num = 0;

    for (unsigned depth = 1; depth <= 6; depth++) {
        for (size_t filler = 0; filler < 9000; filler += filler < 100 ? 1 : 701) {
            cr_assert_eq(put_packet(w, depth, filler), 0);
            fixture_settle(f);
            num++;
        }
    }
    orma_writer_flush(w);
    fixture_settle(f);
    struct orma_test_writer *got = orma_test_service_writer(f->service, 1);
    cr_assert_eq(orma_test_writer_num(got), num);
    cr_assert_eq(got->gaps + got->missing + got->markers, 0);
    cr_assert_eq(got->held.len, 0, "every chunk got its patches");
    num = 0;
    for (unsigned depth = 1; depth <= 6; depth++) {
        for (size_t filler = 0; filler < 9000; filler += filler < 100 ? 1 : 701) {
            struct orma_str p = orma_test_writer_packet(got, num++);

            check_tree((const uint8_t *)p.data, p.len, depth, filler);
        }
    }
    orma_writer_free(w);
    fixture_free(f);
    orma_assert_no_leaks();
}

Test(packet, small_packets_have_a_size_of_one_byte)
{
    struct fixture *f = fixture_new(1 << 16, 4096);
    struct orma_writer *w = fixture_writer(f, ORMA_POLICY_DROP);

    cr_assert_eq(put_packet(w, 1, 10), 0);
    uint8_t *before = w->pos;
    cr_assert_eq(put_packet(w, 1, 10), 0);
    cr_assert_eq(*before + 1, w->pos - before);
    orma_writer_free(w);
    fixture_free(f);
    orma_assert_no_leaks();
}

Test(packet, every_type_of_field_is_written)
{
    struct fixture *f = fixture_new(1 << 16, 4096);
    struct orma_writer *w = fixture_writer(f, ORMA_POLICY_DROP);
    struct orma_packet p;
    struct orma_pb_field field;
    uint64_t seen = 0;
    double d;
    float s;

    orma_packet_begin(&p, w);
    orma_packet_u64(&p, 901, UINT64_MAX);
    orma_packet_sint(&p, 902, -3);
    orma_packet_fixed32(&p, 903, 7);
    orma_packet_fixed64(&p, 904, 8);
    orma_packet_double(&p, 905, 0.5);
    orma_packet_float(&p, 906, 0.25f);
    orma_packet_str(&p, 907, "text");
    orma_packet_raw(&p, "\xa0\x38\x05", 3); /* 900: 5 */
    cr_assert_eq(orma_packet_end(&p), 0);
    orma_writer_flush(w);
    fixture_settle(f);
    struct orma_str got = orma_test_writer_packet(orma_test_service_writer(f->service, 1), 0);
    struct orma_pb_reader r = orma_pb_reader(got.data, got.len);
    while (orma_pb_next(&r, &field)) {
        memcpy(&d, &field.num, sizeof(d));
        uint32_t low = (uint32_t)field.num;
        memcpy(&s, &low, sizeof(s));
        bool ok = (field.id == 900 && field.num == 5) ||
                  (field.id == 901 && field.num == UINT64_MAX) ||
                  (field.id == 902 && field.num == 5) || (field.id == 903 && field.num == 7) ||
                  (field.id == 904 && field.num == 8) || (field.id == 905 && d == 0.5) ||
                  (field.id == 906 && s == 0.25f) ||
                  (field.id == 907 && field.len == 4 && !memcmp(field.data, "text", 4));
        seen += ok;
    }
    cr_assert_eq(seen, 8);
    orma_writer_free(w);
    fixture_free(f);
    orma_assert_no_leaks();
}

static void expect_ledger(struct fixture *f, size_t received)
{
    struct orma_test_writer *got = orma_test_service_writer(f->service, 1);

    cr_assert_eq(orma_test_writer_num(got), received);
    cr_assert_eq(got->emitted,
                 received + got->dropped_no_chunk + got->dropped_too_large + got->missing);
    cr_assert_eq(got->held.len, 0);
}

Test(packet, losing_one_half_way_costs_that_one)
{
    for (int policy = ORMA_POLICY_DROP; policy <= ORMA_POLICY_STALL_THEN_DROP; policy += 2) {
        struct fixture *f = fixture_new(4 * 4096, 4096);
        struct orma_writer *w = fixture_writer(f, (enum orma_policy)policy);

        cr_assert_eq(put_packet(w, 3, 100), 0);
        cr_assert_eq(put_packet(w, 5, 8000), -ENOBUFS);
        fixture_settle(f);
        cr_assert_eq(put_packet(w, 3, 100), 0);
        orma_writer_flush(w);
        fixture_settle(f);
        expect_ledger(f, 2);
        orma_writer_free(w);
        fixture_free(f);
    }
    orma_assert_no_leaks();
}

Test(packet, what_cannot_be_is_refused_and_counted)
{
    struct fixture *f = fixture_new(1 << 16, 4096);
    struct orma_writer *w = fixture_writer(f, ORMA_POLICY_DROP);
    static const uint8_t byte;
    struct orma_packet p;

    cr_assert_eq(put_packet(w, 1, 10), 0);
    cr_assert_eq(put_packet(w, ORMA_PACKET_NESTING_MAX + 1, 10), -ENOBUFS);
    cr_assert_eq(put_packet(w, ORMA_PACKET_NESTING_MAX + 1, 1000), -ENOBUFS, "over several chunks");
    orma_packet_begin(&p, w);
    orma_packet_nest(&p, 900);
    orma_packet_bytes(&p, 1, &byte, ORMA_SHM_DROP_MARKER); /* looked at, not read */
    cr_assert_eq(orma_packet_end(&p), -ENOBUFS);
    cr_assert_eq(put_packet(w, 1, 10), 0);
    orma_writer_flush(w);
    fixture_settle(f);
    expect_ledger(f, 2);
    cr_assert_eq(orma_test_service_writer(f->service, 1)->dropped_too_large, 3);
    orma_writer_free(w);
    fixture_free(f);
    orma_assert_no_leaks();
}

Test(packet, open_messages_are_closed_at_the_end)
{
    struct fixture *f = fixture_new(1 << 16, 4096);
    struct orma_writer *w = fixture_writer(f, ORMA_POLICY_DROP);
    struct orma_packet p;

    orma_packet_begin(&p, w);
    orma_packet_nest(&p, 900);
    orma_packet_u64(&p, 1, 1);
    orma_packet_nest(&p, 4);
    orma_packet_u64(&p, 3, 1);
    orma_packet_unnest(&p);
    orma_packet_u64(&p, 3, 1);
    cr_assert_eq(orma_packet_end(&p), 0);
    orma_packet_unnest(&p); /* one too many: ignored */
    orma_writer_flush(w);
    fixture_settle(f);
    struct orma_str got = orma_test_writer_packet(orma_test_service_writer(f->service, 1), 0);
    check_tree((const uint8_t *)got.data, got.len, 1, 0);
    orma_writer_free(w);
    fixture_free(f);
    orma_assert_no_leaks();
}
