#include <errno.h>

#include "protos/fields/trace.h"
#include "sdk/transport/writer_impl.h"
#include "sdk/wire/pb_reader.h"
#include "tests/unit/client/fixture.h"

static int put(struct orma_writer *w, uint32_t serial, size_t payload)
{
    static uint8_t packet[1 << 21];

    return orma_writer_put(w, packet, fixture_packet(packet, serial, payload));
}

struct seen {
    bool first, dropped, ok;
    size_t payload;
};

/* What stands in a received packet, its bytes checked against `serial`. */
static struct seen look(const struct orma_test_writer *w, size_t idx, uint32_t serial)
{
    struct orma_str p = orma_test_writer_packet(w, idx);
    struct orma_pb_reader r = orma_pb_reader(p.data, p.len);
    struct orma_pb_field f;
    struct seen seen = {.ok = true};

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_TRACE_PACKET_FIRST_PACKET_ON_SEQUENCE)
            seen.first = f.num == 1;
        if (f.id == ORMA_PB_TRACE_PACKET_PREVIOUS_PACKET_DROPPED)
            seen.dropped = f.num == 257;
        if (f.id == 900) {
            seen.payload = f.len;
            for (size_t i = 0; i < f.len; i++)
                seen.ok &= f.data[i] == (uint8_t)(serial * 31 + i);
        }
    }
    seen.ok &= !r.failed;
    return seen;
}

Test(writer, packets_arrive_whole_and_in_order)
{
    struct fixture *f = fixture_new(1 << 18, 4096);
    struct orma_writer *w = fixture_writer(f, ORMA_POLICY_DROP);

    for (uint32_t i = 0; i < 1000; i++) {
        cr_assert_eq(put(w, i, i % 97), 0);
        if (i % 100 == 0)
            fixture_settle(f);
    }
    orma_writer_flush(w);
    fixture_settle(f);
    struct orma_test_writer *got = orma_test_service_writer(f->service, 1);
    cr_assert_eq(orma_test_writer_num(got), 1000);
    for (uint32_t i = 0; i < 1000; i++) {
        struct seen s = look(got, i, i);

        cr_assert(s.ok);
        cr_assert_eq(s.payload, i % 97);
        cr_assert_eq(s.first, i == 0);
        cr_assert(!s.dropped);
    }
    cr_assert(got->registered);
    cr_assert_eq(got->target_buffer, FIXTURE_BUFFER);
    cr_assert_eq(got->gaps + got->markers + got->missing, 0);
    cr_assert_eq(got->emitted, 1000);
    orma_writer_free(w);
    fixture_settle(f);
    cr_assert(got->unregistered);
    fixture_free(f);
    orma_assert_no_leaks();
}

Test(writer, packets_of_every_size_around_a_chunk_survive)
{
    for (size_t page = 4096; page <= 32768; page *= 8) {
        struct fixture *f = fixture_new(1 << 20, page);
        struct orma_writer *w = fixture_writer(f, ORMA_POLICY_DROP);
        uint32_t num = 0;

        for (size_t size = page - 80; size < page + 60; size++, num++) {
            cr_assert_eq(put(w, num, size), 0);
            cr_assert_eq(put(w, num, num % 300), 0);
            fixture_settle(f);
        }
        orma_writer_flush(w);
        fixture_settle(f);
        struct orma_test_writer *got = orma_test_service_writer(f->service, 1);
        cr_assert_eq(orma_test_writer_num(got), 2 * num);
        for (uint32_t i = 0; i < num; i++) {
            struct seen a = look(got, 2 * i, i), b = look(got, 2 * i + 1, i);

            cr_assert(a.ok && b.ok);
            cr_assert_eq(a.payload, page - 80 + i);
            cr_assert_eq(b.payload, i % 300);
        }
        cr_assert_eq(got->gaps + got->markers + got->missing, 0);
        orma_writer_free(w);
        fixture_free(f);
    }
    orma_assert_no_leaks();
}

Test(writer, a_packet_may_span_many_chunks)
{
    struct fixture *f = fixture_new(1 << 20, 4096);
    struct orma_writer *w = fixture_writer(f, ORMA_POLICY_DROP);

    cr_assert_eq(put(w, 1, 100), 0);
    cr_assert_eq(put(w, 2, 500000), 0);
    cr_assert_eq(put(w, 3, 5), 0);
    orma_writer_flush(w);
    fixture_settle(f);
    struct orma_test_writer *got = orma_test_service_writer(f->service, 1);
    cr_assert_eq(orma_test_writer_num(got), 3);
    for (uint32_t i = 0; i < 3; i++)
        cr_assert(look(got, i, i + 1).ok);
    cr_assert_eq(look(got, 1, 2).payload, 500000);
    cr_assert_eq(got->emitted, 3);
    orma_writer_free(w);
    fixture_free(f);
    orma_assert_no_leaks();
}

/* Nobody drains: after the memory is full, packets are dropped, and none that was finished is
 * harmed. */
Test(writer, drops_are_counted_marked_and_cost_no_finished_packet)
{
    struct fixture *f = fixture_new(4 * 4096, 4096);
    struct orma_writer *w = fixture_writer(f, ORMA_POLICY_DROP);
    struct orma_writer_counts counts;
    uint32_t ok = 0, lost = 0;

    f->service->stalled = true;
    for (uint32_t i = 0; i < 500; i++)
        *(put(w, i, 40) == 0 ? &ok : &lost) += 1;
    cr_assert_gt(lost, 0);
    orma_writer_counts(w, &counts);
    cr_assert_eq(counts.emitted, 500);
    cr_assert_eq(counts.dropped_no_chunk, lost);

    fixture_settle(f);
    orma_test_service_resume(f->service);
    cr_assert(orma_writer_take_restart(w));
    cr_assert_eq(put(w, 999, 10), 0);
    cr_assert(!orma_writer_take_restart(w));
    cr_assert_eq(put(w, 1000, 10), 0);
    orma_writer_flush(w);
    fixture_settle(f);
    struct orma_test_writer *got = orma_test_service_writer(f->service, 1);
    cr_assert_eq(orma_test_writer_num(got), ok + 2);
    for (uint32_t i = 0; i < ok; i++)
        cr_assert(look(got, i, i).ok);
    cr_assert(look(got, ok, 999).dropped);
    cr_assert(!look(got, ok + 1, 1000).dropped);
    cr_assert_eq(got->markers, 1);
    cr_assert_eq(got->missing, 0);
    cr_assert_eq(got->emitted, 502);
    cr_assert_eq(got->dropped_no_chunk, lost);
    orma_writer_free(w);
    fixture_free(f);
    orma_assert_no_leaks();
}

Test(writer, a_packet_cut_by_exhaustion_is_marked_and_counted_once)
{
    struct fixture *f = fixture_new(4 * 4096, 4096);
    struct orma_writer *w = fixture_writer(f, ORMA_POLICY_DROP);

    cr_assert_eq(put(w, 0, 10), 0);
    cr_assert_eq(put(w, 1, 30000), -ENOBUFS);
    fixture_settle(f);
    cr_assert_eq(put(w, 2, 10), 0);
    orma_writer_flush(w);
    fixture_settle(f);
    struct orma_test_writer *got = orma_test_service_writer(f->service, 1);
    cr_assert_eq(orma_test_writer_num(got), 2);
    cr_assert(look(got, 0, 0).ok && look(got, 1, 2).ok && look(got, 1, 2).dropped);
    cr_assert_eq(got->markers, 1);
    cr_assert_eq(got->missing, 0, "the writer counted it, so the service must not");
    cr_assert_eq(got->emitted, 3);
    cr_assert_eq(got->dropped_no_chunk, 1);
    orma_writer_free(w);
    fixture_free(f);
    orma_assert_no_leaks();
}

/* It would take 30 s. */
Test(writer, waits_no_longer_than_its_owner_says, .timeout = 20)
{
    struct fixture *f = fixture_new(4 * 4096, 4096);
    struct orma_writer *w = fixture_writer(f, ORMA_POLICY_STALL);
    struct orma_writer_counts counts;
    _Atomic uint64_t end = 0;

    orma_writer_wait_until(w, &end);
    cr_assert_eq(put(w, 0, 10), 0);
    end = 1;
    cr_assert_eq(put(w, 1, 30000), -ENOBUFS);
    cr_assert_eq(put(w, 2, 30000), -ENOBUFS);
    orma_writer_counts(w, &counts);
    cr_assert_eq(counts.emitted, 3);
    cr_assert_eq(counts.dropped_no_chunk, 2);
    orma_writer_free(w);
    fixture_free(f);
    orma_assert_no_leaks();
}

/* The loop thread may not wait for itself: it commits, and the service is a step away. */
Test(writer, stall_then_drop_gives_up_and_counts_the_cut_packet_on_one_side)
{
    struct fixture *f = fixture_new(4 * 4096, 4096);
    struct orma_writer *w = fixture_writer(f, ORMA_POLICY_STALL_THEN_DROP);

    cr_assert_eq(put(w, 0, 30000), -ENOBUFS);
    cr_assert_eq(put(w, 1, 10), -ENOBUFS, "no second wait before there is room");
    fixture_settle(f);
    cr_assert_eq(put(w, 2, 10), 0);
    orma_writer_flush(w);
    fixture_settle(f);
    struct orma_test_writer *got = orma_test_service_writer(f->service, 1);
    cr_assert_eq(orma_test_writer_num(got), 1);
    cr_assert(look(got, 0, 2).dropped);
    cr_assert_eq(got->missing, 1);
    cr_assert_eq(got->emitted, 3);
    cr_assert_eq(got->dropped_no_chunk, 1);
    cr_assert_eq(got->emitted, orma_test_writer_num(got) + got->missing + got->dropped_no_chunk);
    orma_writer_free(w);
    fixture_free(f);
    orma_assert_no_leaks();
}

Test(writer, what_is_being_written_can_be_scraped)
{
    struct fixture *f = fixture_new(1 << 16, 4096);
    struct orma_writer *w = fixture_writer(f, ORMA_POLICY_DROP);

    for (uint32_t i = 0; i < 5; i++)
        cr_assert_eq(put(w, i, 20), 0);
    fixture_settle(f);
    orma_test_service_scrape(f->service);
    struct orma_test_writer *got = orma_test_service_writer(f->service, 1);
    cr_assert_eq(orma_test_writer_num(got), 5, "the count in the header runs one ahead");
    for (uint32_t i = 0; i < 5; i++)
        cr_assert(look(got, i, i).ok);
    orma_writer_free(w);
    fixture_free(f);
    orma_assert_no_leaks();
}

/* 32 KiB chunks hold more small packets than the count may say. */
Test(writer, never_counts_more_packets_than_a_chunk_may_hold)
{
    struct fixture *f = fixture_new(1 << 20, 32768);
    struct orma_writer *w = fixture_writer(f, ORMA_POLICY_DROP);
    static const uint8_t tiny[] = {0x08, 0x01};

    for (unsigned i = 0; i < 5000; i++) {
        cr_assert_eq(orma_writer_put(w, tiny, sizeof(tiny)), 0);
        if (w->header)
            cr_assert_leq((w->packets & ORMA_SHM_PACKETS_MASK) - 1, ORMA_SHM_PACKETS_MAX);
    }
    orma_writer_flush(w);
    fixture_settle(f);
    struct orma_test_writer *got = orma_test_service_writer(f->service, 1);
    cr_assert_eq(orma_test_writer_num(got), 5000);
    cr_assert_eq(got->chunks_num, 5);
    orma_writer_free(w);
    fixture_free(f);
    orma_assert_no_leaks();
}

/* 64 pages, 100 writers: whole pages would leave 36 of them with nothing. */
Test(writer, many_writers_share_pages)
{
    struct fixture *f = fixture_new(64 * 4096, 4096);
    struct orma_writer *w[100];

    for (unsigned i = 0; i < 100; i++)
        w[i] = fixture_writer(f, ORMA_POLICY_DROP);
    for (uint32_t i = 0; i < 100; i++)
        cr_assert_eq(put(w[i], i, 100), 0);
    for (unsigned i = 0; i < 100; i++)
        orma_writer_free(w[i]);
    fixture_settle(f);
    for (uint16_t i = 0; i < 100; i++) {
        struct orma_test_writer *got = orma_test_service_writer(f->service, (uint16_t)(i + 1));

        cr_assert_eq(orma_test_writer_num(got), 1);
        cr_assert(look(got, 0, i).ok);
        cr_assert(got->unregistered);
        cr_assert_eq(got->emitted, 1);
    }
    fixture_free(f);
    orma_assert_no_leaks();
}

Test(writer, refuses_what_no_size_word_can_say)
{
    struct fixture *f = fixture_new(1 << 16, 4096);
    struct orma_writer *w = fixture_writer(f, ORMA_POLICY_DROP);
    struct orma_writer_counts counts;
    static uint8_t byte;

    cr_assert_eq(orma_writer_put(w, &byte, ORMA_SHM_DROP_MARKER),
                 -EMSGSIZE); /* looked at, not read */
    orma_writer_counts(w, &counts);
    cr_assert_eq(counts.emitted, 1);
    cr_assert_eq(counts.dropped_too_large, 1);
    orma_writer_free(w);
    fixture_free(f);
    orma_assert_no_leaks();
}
