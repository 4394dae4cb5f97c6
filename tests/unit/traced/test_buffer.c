#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sdk/shm/layout.h"
#include "sdk/wire/pb_writer.h"
#include "tests/support/leaks.h"
#include "traced/buffers/buffer.h"

#define KIB(n) ((size_t)(n) << 10)
#define CONT_PREV ORMA_SHM_CONT_PREV
#define CONT_NEXT ORMA_SHM_CONT_NEXT
#define NEEDS_PATCH ORMA_SHM_NEEDS_PATCH
/* In a list of fragments: the marker of a lost packet. */
#define DROP "\x01"
/* A size that runs over the chunk. */
#define BAD "\x02"

struct fixture {
    struct traced_buffer *buf;
};

static struct fixture fixture(size_t size, enum traced_policy policy)
{
    struct fixture f = {0};

    cr_assert_eq(traced_buffer_new(size, policy, &f.buf), 0);
    return f;
}

static void fixture_fini(struct fixture *f)
{
    traced_buffer_free(f->buf);
    orma_assert_no_leaks();
}

struct chunk {
    uint16_t producer, writer; /* 0: 1 */
    uint32_t id;
    uint16_t flags;
    bool incomplete;
    uint32_t payload_size; /* 0: 496, so that a record takes 512 */
    const char *frags[12];
};

/* A packet of text: field 900 holds it. Pieces of fragmented packets are put in raw. */
static void put_frag(struct orma_buf *payload, const char *text, bool raw)
{
    struct orma_buf packet = {0};

    if (!strcmp(text, DROP)) {
        orma_buf_put(payload, "\xff\xff\xff\x7f", 4);
        return;
    }
    if (!strcmp(text, BAD)) {
        orma_pb_put_raw_varint(payload, 5000);
        return;
    }
    if (raw)
        orma_buf_put_str(&packet, text + (*text == '\n'));
    else if (*text)
        orma_pb_put_cstr(&packet, 900, text);
    orma_pb_put_raw_varint(payload, packet.len);
    orma_buf_put(payload, packet.data, packet.len);
    orma_buf_fini(&packet);
}

static void write_chunk(struct fixture *f, struct chunk c)
{
    struct orma_buf payload = {0};
    uint16_t count = 0;
    uint32_t size = c.payload_size ? c.payload_size : 496;
    struct traced_seq *seq =
        traced_buffer_seq(f->buf, c.producer ? c.producer : 1, c.writer ? c.writer : 1);

    while (count < 12 && c.frags[count])
        count++;
    for (uint16_t i = 0; i < count; i++)
        put_frag(&payload, c.frags[i],
                 (i == 0 && c.flags & CONT_PREV) || (i + 1 == count && c.flags & CONT_NEXT) ||
                     c.frags[i][0] == '\n');
    cr_assert_leq(payload.len, size);
    memset(orma_buf_extend(&payload, size - payload.len), 0, size - payload.len);
    struct traced_chunk chunk = {
        .chunk_id = c.id,
        .packets = count | c.flags,
        .complete = !c.incomplete,
        .payload = payload.data,
        .payload_size = size,
    };
    traced_buffer_write(f->buf, seq, &chunk);
    orma_buf_fini(&payload);
}
#define WRITE(f, ...) write_chunk(f, (struct chunk){__VA_ARGS__})

/* Text of the packet: the content of field 900. */
static char *packet_text(const struct traced_packet *p)
{
    struct orma_buf all = {0};
    struct orma_pb_field field = {0};

    for (size_t i = 0; i < p->slices_num; i++)
        orma_buf_put(&all, p->slices[i].data, p->slices[i].len);
    struct orma_pb_reader r = orma_pb_reader(all.data, all.len);
    cr_assert(orma_pb_next(&r, &field));
    char *text = orma_str_dup(orma_pb_str(&field));
    orma_buf_fini(&all);
    return text;
}

static void expect(struct fixture *f, const char *text, uint32_t loss)
{
    struct traced_packet p;

    cr_assert(traced_buffer_read(f->buf, &p), "nothing to read where '%s' was expected", text);
    char *got = packet_text(&p);
    cr_assert_str_eq(got, text);
    cr_assert_eq(p.loss, loss ? loss | TRACED_LOSS_PRESENT : 0, "loss %x before '%s'", p.loss,
                 text);
    free(got);
}

static void expect_end(struct fixture *f)
{
    struct traced_packet p;

    cr_assert_not(traced_buffer_read(f->buf, &p));
    traced_buffer_read_begin(f->buf);
    cr_assert_not(traced_buffer_read(f->buf, &p));
    traced_buffer_read_begin(f->buf);
}

static struct traced_ledger ledger(struct fixture *f)
{
    return traced_seq_ledger(traced_buffer_find(f->buf, 1, 1));
}

/*  [c0: a b] [c1: c]  */
Test(traced_buffer, yields_packets_in_the_order_of_their_sequence)
{
    struct fixture f = fixture(KIB(4), TRACED_RING);

    WRITE(&f, .id = 0, .frags = {"a", "b"});
    WRITE(&f, .id = 1, .frags = {"c"});
    expect(&f, "a", 0);
    expect(&f, "b", 0);
    expect(&f, "c", 0);
    expect_end(&f);
    cr_assert_eq(f.buf->stats.chunks_written, 2);
    cr_assert_eq(f.buf->stats.bytes_written, 1024);
    cr_assert_eq(f.buf->stats.chunks_read, 2);
    cr_assert_eq(f.buf->stats.bytes_read, 1024);
    cr_assert_eq(ledger(&f).delivered, 3);
    fixture_fini(&f);
}

/*  c0, c2, then c1: the sequence waits at the hole  */
Test(traced_buffer, waits_for_a_chunk_that_comes_late)
{
    struct fixture f = fixture(KIB(4), TRACED_RING);

    WRITE(&f, .id = 0, .frags = {"a"});
    WRITE(&f, .id = 2, .frags = {"c"});
    expect(&f, "a", 0);
    expect_end(&f);
    WRITE(&f, .id = 1, .frags = {"b"});
    expect(&f, "b", 0);
    expect(&f, "c", 0);
    expect_end(&f);
    cr_assert_eq(f.buf->stats.chunks_committed_out_of_order, 1);
    fixture_fini(&f);
}

Test(traced_buffer, reads_behind_a_hole_once_the_writer_is_gone)
{
    struct fixture f = fixture(KIB(4), TRACED_RING);

    WRITE(&f, .id = 0, .frags = {"a"});
    WRITE(&f, .id = 2, .frags = {"c"});
    expect(&f, "a", 0);
    expect_end(&f);
    traced_seq_settle(traced_buffer_find(f.buf, 1, 1));
    expect(&f, "c", TRACED_LOSS_GAP);
    expect_end(&f);
    fixture_fini(&f);
}

/*  [c0: a b…] [c1: …b…] [c2: …b c]  */
Test(traced_buffer, joins_a_packet_over_three_chunks)
{
    struct fixture f = fixture(KIB(4), TRACED_RING);

    WRITE(&f, .id = 0,
          .frags = {"a", "\xa2\x38\x06"
                         "12"},
          .flags = CONT_NEXT);
    expect(&f, "a", 0);
    expect_end(&f);
    WRITE(&f, .id = 1, .frags = {"34"}, .flags = CONT_PREV | CONT_NEXT);
    expect_end(&f);
    WRITE(&f, .id = 2, .frags = {"56", "c"}, .flags = CONT_PREV);
    expect(&f, "123456", 0);
    expect(&f, "c", 0);
    expect_end(&f);
    cr_assert_eq(f.buf->stats.readaheads_succeeded, 1);
    cr_assert_eq(f.buf->stats.readaheads_failed, 4);
    cr_assert_eq(ledger(&f).delivered, 3);
    fixture_fini(&f);
}

/*  [c0: a b…]  (c1 lost)  [c2: …b c]  */
Test(traced_buffer, drops_a_packet_whose_middle_was_lost)
{
    struct fixture f = fixture(KIB(4), TRACED_RING);

    WRITE(&f, .id = 0, .frags = {"a", "b"}, .flags = CONT_NEXT);
    WRITE(&f, .id = 2, .frags = {"b", "c"}, .flags = CONT_PREV);
    expect(&f, "a", 0);
    expect_end(&f);
    traced_buffer_settle(f.buf);
    expect(&f, "c", TRACED_LOSS_REASSEMBLY | TRACED_LOSS_GAP | TRACED_LOSS_ORPHAN);
    expect_end(&f);
    cr_assert_eq(ledger(&f).unpatched, 1);
    cr_assert_eq(ledger(&f).cut, 0);
    fixture_fini(&f);
}

Test(traced_buffer, a_ring_overwrites_the_oldest_and_counts_packets)
{
    struct fixture f = fixture(KIB(2), TRACED_RING);

    for (uint32_t i = 0; i < 6; i++)
        WRITE(&f, .id = i, .frags = {"a", "b", ""});
    cr_assert_eq(f.buf->stats.chunks_overwritten, 2);
    cr_assert_eq(f.buf->stats.bytes_overwritten, 1024);
    cr_assert_eq(f.buf->stats.write_wrap_count, 1);
    cr_assert_eq(ledger(&f).overwritten, 4);
    expect(&f, "a", TRACED_LOSS_OVERWRITTEN);
    for (int i = 0; i < 3; i++) {
        expect(&f, "b", 0);
        expect(&f, "a", 0);
    }
    expect(&f, "b", 0);
    expect_end(&f);
    WRITE(&f, .id = 6, .frags = {"c"});
    expect(&f, "c", 0);
    cr_assert_eq(f.buf->stats.chunks_overwritten, 2, "what was read is not lost");
    fixture_fini(&f);
}

/*  2048 bytes: two records of 1008, then one of 528 that does not fit behind them  */
Test(traced_buffer, pads_the_end_and_what_is_left_of_overwritten_records)
{
    struct fixture f = fixture(KIB(2), TRACED_RING);

    WRITE(&f, .id = 0, .frags = {"a"}, .payload_size = 990);
    WRITE(&f, .id = 1, .frags = {"b"}, .payload_size = 990);
    cr_assert_eq(f.buf->stats.bytes_written, 2016);
    WRITE(&f, .id = 2, .frags = {"c"}, .payload_size = 500);
    cr_assert_eq(f.buf->stats.padding_bytes_written, 32 + 480);
    cr_assert_eq(f.buf->stats.write_wrap_count, 1);
    expect(&f, "b", TRACED_LOSS_OVERWRITTEN);
    expect(&f, "c", 0);
    WRITE(&f, .id = 3, .frags = {"d"}, .payload_size = 464);
    cr_assert_eq(f.buf->stats.padding_bytes_cleared, 480);
    expect(&f, "d", 0);
    expect_end(&f);
    fixture_fini(&f);
}

Test(traced_buffer, a_discard_buffer_refuses_for_ever_once_full)
{
    struct fixture f = fixture(KIB(1), TRACED_DISCARD);

    WRITE(&f, .id = 0, .frags = {"a"});
    WRITE(&f, .id = 1, .frags = {"b"});
    WRITE(&f, .id = 2, .frags = {"c", "d", ""});
    expect(&f, "a", 0);
    expect(&f, "b", 0);
    WRITE(&f, .id = 3, .frags = {"e"});
    expect_end(&f);
    cr_assert_eq(f.buf->stats.chunks_discarded, 2);
    cr_assert_eq(ledger(&f).discarded, 3);
    fixture_fini(&f);
}

Test(traced_buffer, a_discard_buffer_that_is_read_in_time_loses_nothing)
{
    struct fixture f = fixture(KIB(1), TRACED_DISCARD);

    for (uint32_t i = 0; i < 10; i++) {
        WRITE(&f, .id = i, .frags = {"a"});
        expect(&f, "a", 0);
    }
    cr_assert_eq(f.buf->stats.chunks_discarded, 0);
    fixture_fini(&f);
}

/*  [c0: a b? ] scraped while written: b may not be whole  */
Test(traced_buffer, a_scraped_chunk_is_extended_by_its_commit)
{
    struct fixture f = fixture(KIB(4), TRACED_RING);

    WRITE(&f, .id = 0, .frags = {"a", "b"}, .incomplete = true);
    expect(&f, "a", 0);
    expect_end(&f);
    WRITE(&f, .id = 0, .frags = {"a", "b", "c"});
    WRITE(&f, .id = 1, .frags = {"d"});
    expect(&f, "b", 0);
    expect(&f, "c", 0);
    expect(&f, "d", 0);
    expect_end(&f);
    cr_assert_eq(f.buf->stats.chunks_rewritten, 1);
    cr_assert_eq(f.buf->stats.chunks_written, 2);
    cr_assert_eq(ledger(&f).delivered, 4);
    fixture_fini(&f);
}

Test(traced_buffer, a_commit_without_more_completes_the_scraped_copy)
{
    struct fixture f = fixture(KIB(4), TRACED_RING);

    WRITE(&f, .id = 0, .frags = {"a", ""}, .incomplete = true);
    expect(&f, "a", 0);
    WRITE(&f, .id = 0, .frags = {"a"});
    WRITE(&f, .id = 1, .frags = {"b"});
    expect(&f, "b", 0);
    cr_assert_eq(f.buf->stats.chunks_rewritten, 0);
    fixture_fini(&f);
}

Test(traced_buffer, a_scraped_chunk_overwritten_meanwhile_is_not_delivered_twice)
{
    struct fixture f = fixture(KIB(1), TRACED_RING);

    WRITE(&f, .id = 0, .frags = {"a", "b"}, .incomplete = true);
    expect(&f, "a", 0);
    WRITE(&f, .writer = 2, .id = 0, .frags = {"x"});
    WRITE(&f, .writer = 2, .id = 1, .frags = {"y"});
    WRITE(&f, .id = 0, .frags = {"a", "b"});
    expect(&f, "b", 0);
    expect(&f, "y", TRACED_LOSS_OVERWRITTEN);
    cr_assert_eq(ledger(&f).delivered, 2);
    cr_assert_eq(ledger(&f).overwritten, 0);
    fixture_fini(&f);
}

Test(traced_buffer, refuses_a_rewrite_that_shrinks_or_drops_flags)
{
    struct fixture f = fixture(KIB(4), TRACED_RING);

    WRITE(&f, .id = 0, .frags = {"a", "b"});
    WRITE(&f, .id = 0, .frags = {"a"});
    cr_assert_eq(f.buf->stats.abi_violations, 1);
    WRITE(&f, .id = 0, .frags = {"a", "b", "c"}, .payload_size = 300);
    cr_assert_eq(f.buf->stats.abi_violations, 2);
    WRITE(&f, .id = 1, .frags = {"c", "d"}, .flags = CONT_PREV);
    WRITE(&f, .id = 1, .frags = {"c", "d", "e"});
    cr_assert_eq(f.buf->stats.abi_violations, 3);
    fixture_fini(&f);
}

Test(traced_buffer, waits_for_patches_and_applies_them)
{
    struct fixture f = fixture(KIB(4), TRACED_RING);
    struct traced_patch patch = {.offset = 1, .data = {0xa2, 0x38, 0x82, 0x00}};
    struct traced_seq *seq;

    /* One packet "....12|34": its tag and length come as a patch. */
    WRITE(&f, .id = 0, .frags = {"????12"}, .flags = CONT_NEXT | NEEDS_PATCH);
    WRITE(&f, .id = 1, .frags = {"", "z"}, .flags = CONT_PREV);
    expect_end(&f);
    seq = traced_buffer_find(f.buf, 1, 1);
    traced_buffer_patch(f.buf, seq, 0, &patch, 1, true);
    expect_end(&f);
    traced_buffer_patch(f.buf, seq, 0, &patch, 1, false);
    expect(&f, "12", 0);
    expect(&f, "z", 0);
    cr_assert_eq(f.buf->stats.patches_succeeded, 2);
    patch.offset = 493;
    traced_buffer_patch(f.buf, seq, 0, &patch, 1, false);
    cr_assert_eq(f.buf->stats.patches_failed, 1);
    patch.offset = 492;
    traced_buffer_patch(f.buf, seq, 0, &patch, 1, false);
    cr_assert_eq(f.buf->stats.patches_succeeded, 3);
    traced_buffer_patch(f.buf, seq, 7, &patch, 1, false);
    traced_buffer_patch(f.buf, NULL, 0, &patch, 1, false);
    cr_assert_eq(f.buf->stats.patches_failed, 3);
    fixture_fini(&f);
}

Test(traced_buffer, without_its_patches_only_that_packet_is_lost)
{
    struct fixture f = fixture(KIB(4), TRACED_RING);

    WRITE(&f, .id = 0, .frags = {"a", "????12"}, .flags = CONT_NEXT | NEEDS_PATCH);
    WRITE(&f, .id = 1, .frags = {"34", "b"}, .flags = CONT_PREV);
    expect_end(&f);
    traced_buffer_settle(f.buf);
    expect(&f, "a", 0);
    expect(&f, "b", TRACED_LOSS_REASSEMBLY);
    cr_assert_eq(ledger(&f).unpatched, 1);
    cr_assert_eq(ledger(&f).delivered, 2);
    fixture_fini(&f);
}

Test(traced_buffer, a_drop_marker_ends_the_chunk_and_marks_the_next_packet)
{
    struct fixture f = fixture(KIB(4), TRACED_RING);

    WRITE(&f, .id = 0, .frags = {"a", DROP});
    WRITE(&f, .id = 1, .frags = {"b"});
    expect(&f, "a", 0);
    expect(&f, "b", TRACED_LOSS_WRITER_ABORT);
    cr_assert_eq(f.buf->stats.trace_writer_packet_loss, 1);
    cr_assert_eq(f.buf->stats.abi_violations, 0);
    fixture_fini(&f);
}

/*  [c0: a b…] [c1: DROP]: the writer counts b as dropped, nobody else does  */
Test(traced_buffer, a_fragmented_packet_may_end_in_a_drop_marker)
{
    struct fixture f = fixture(KIB(4), TRACED_RING);

    WRITE(&f, .id = 0, .frags = {"a", "b"}, .flags = CONT_NEXT);
    WRITE(&f, .id = 1, .frags = {DROP}, .flags = CONT_PREV);
    WRITE(&f, .id = 2, .frags = {"c"});
    expect(&f, "a", 0);
    expect(&f, "c", TRACED_LOSS_WRITER_ABORT);
    struct traced_ledger sum = ledger(&f);
    cr_assert_eq(sum.delivered, 2);
    cr_assert_eq(sum.unpatched + sum.invalid + sum.cut + sum.overwritten, 0);
    fixture_fini(&f);
}

Test(traced_buffer, a_size_over_the_chunk_loses_the_rest_of_it_only)
{
    struct fixture f = fixture(KIB(4), TRACED_RING);

    WRITE(&f, .id = 0, .frags = {"a", BAD, "b", "c"});
    WRITE(&f, .id = 1, .frags = {"d"});
    expect(&f, "a", 0);
    expect(&f, "d", TRACED_LOSS_CORRUPT);
    cr_assert_eq(f.buf->stats.abi_violations, 1);
    cr_assert_eq(ledger(&f).invalid, 3);
    fixture_fini(&f);
}

Test(traced_buffer, refuses_forged_and_malformed_packets)
{
    struct fixture f = fixture(KIB(4), TRACED_RING);

    /* trusted_uid; a cut varint; wire type 3. A leading newline means: as it stands. */
    WRITE(&f, .id = 0, .frags = {"\n\x18\x01", "\n\x08\x80", "\n\x0b\x01", "ok"});
    expect(&f, "ok", TRACED_LOSS_CORRUPT);
    expect_end(&f);
    cr_assert_eq(f.buf->stats.invalid_packets, 3);
    cr_assert_eq(ledger(&f).invalid, 3);
    fixture_fini(&f);
}

Test(traced_buffer, chunk_ids_wrap)
{
    struct fixture f = fixture(KIB(4), TRACED_RING);

    WRITE(&f, .id = 0xfffffffe, .frags = {"a"});
    WRITE(&f, .id = 0xffffffff, .frags = {"b"});
    WRITE(&f, .id = 1, .frags = {"d"});
    WRITE(&f, .id = 0, .frags = {"c"});
    expect(&f, "a", TRACED_LOSS_GAP);
    expect(&f, "b", 0);
    expect(&f, "c", 0);
    expect(&f, "d", 0);
    expect_end(&f);
    fixture_fini(&f);
}

Test(traced_buffer, sizes_at_the_border_fit_and_one_more_is_refused)
{
    static const struct {
        const char *what;
        size_t buffer;
        uint32_t payload;
        bool fits;
    } cases[] = {
        {"fills the buffer", KIB(4), 4096 - 16, true},
        {"one byte too large for the buffer", KIB(4), 4096 - 15, false},
        {"largest record", KIB(256), 65504, true},
        {"larger than any record", KIB(256), 65505, false},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct fixture f = fixture(cases[i].buffer, TRACED_RING);

        WRITE(&f, .id = 0, .frags = {"a"}, .payload_size = cases[i].payload);
        if (cases[i].fits)
            expect(&f, "a", 0);
        expect_end(&f);
        cr_assert_eq(f.buf->stats.abi_violations, !cases[i].fits, "%s", cases[i].what);
        /* The buffer is too small, or the record is none: the writer is at fault for the latter. */
        bool small = !cases[i].fits && cases[i].buffer == KIB(4);
        cr_assert_eq(ledger(&f).discarded, small, "%s", cases[i].what);
        cr_assert_eq(ledger(&f).invalid, !cases[i].fits && !small, "%s", cases[i].what);
        fixture_fini(&f);
    }
}

Test(traced_buffer, an_open_packet_at_the_end_is_counted_as_cut)
{
    struct fixture f = fixture(KIB(4), TRACED_RING);

    WRITE(&f, .id = 0, .frags = {"a", "b"}, .flags = CONT_NEXT);
    traced_buffer_settle(f.buf);
    expect(&f, "a", 0);
    expect_end(&f);
    cr_assert_eq(ledger(&f).cut, 1);
    fixture_fini(&f);
}

Test(traced_buffer, pages_ahead_are_touched_step_by_step_and_only_once)
{
    struct fixture f = fixture(KIB(700), TRACED_RING);

    cr_assert_not(traced_buffer_touch_ahead(f.buf));
    cr_assert_eq(f.buf->touched, KIB(32), "little was written");
    cr_assert_not(traced_buffer_touch_ahead(f.buf));
    cr_assert_eq(f.buf->touched, KIB(32));
    f.buf->used = f.buf->wptr = KIB(400);
    cr_assert_not(traced_buffer_touch_ahead(f.buf));
    cr_assert_eq(f.buf->touched, KIB(532));
    f.buf->used = f.buf->wptr = KIB(699);
    cr_assert_not(traced_buffer_touch_ahead(f.buf));
    cr_assert_eq(f.buf->touched, f.buf->size);
    f.buf->used = f.buf->wptr = 0;
    fixture_fini(&f);
}

/* ---- copies and successors ---- */

static uint64_t lost(const struct traced_ledger *l)
{
    return l->dropped + l->overwritten + l->discarded + l->invalid + l->unpatched + l->cut;
}

/*  read: a b   [c1: c d]  |  copy here  |  [c2: e]  */
/*  [c0: a] [c1: b…  scraped] [c2: c] | read | [c3: d] [c1] [c4: e] [c5: f]  */
Test(traced_buffer, begins_anew_after_reading_and_leaves_what_is_needed)
{
    struct fixture f = fixture(KIB(64), TRACED_RING);

    f.buf->rewind_min = 3 * 512;
    WRITE(&f, .id = 0, .frags = {"a"});
    WRITE(&f, .writer = 2, .id = 0, .incomplete = true, .frags = {"b", "half"});
    traced_buffer_rewind(f.buf); /* too early */
    cr_assert_eq(f.buf->wptr, 2 * 512);
    WRITE(&f, .id = 1, .frags = {"c"});
    expect(&f, "a", 0);
    expect(&f, "c", 0);
    expect(&f, "b", 0);
    expect_end(&f);
    traced_buffer_rewind(f.buf);
    cr_assert_eq(f.buf->wptr, 0);
    WRITE(&f, .id = 2, .frags = {"d"}); /* over "a" */
    cr_assert_eq(f.buf->wptr, 512);
    WRITE(&f, .id = 3, .frags = {"e"}); /* around "b", over "c" */
    cr_assert_eq(f.buf->wptr, 3 * 512);
    WRITE(&f, .id = 4, .frags = {"f"});
    cr_assert_eq(f.buf->used, 4 * 512);
    WRITE(&f, .writer = 2, .id = 0, .frags = {"b", "whole"}); /* comes as it is at last */
    traced_buffer_read_begin(f.buf);
    expect(&f, "whole", 0);
    expect(&f, "d", 0);
    expect(&f, "e", 0);
    expect(&f, "f", 0);
    expect_end(&f);
    cr_assert_eq(ledger(&f).overwritten, 0);
    fixture_fini(&f);
}

/*  [c0: a] [c1: b, unread] | rewound | a chunk of three records' size goes behind both  */
Test(traced_buffer, beginning_anew_overwrites_nothing_unread_while_there_is_room)
{
    struct fixture f = fixture(KIB(64), TRACED_RING);

    f.buf->rewind_min = 0;
    WRITE(&f, .id = 0, .frags = {"a"});
    expect(&f, "a", 0);
    WRITE(&f, .writer = 2, .id = 0, .frags = {"b"});
    traced_buffer_rewind(f.buf);
    WRITE(&f, .id = 1, .payload_size = 1520, .frags = {"c"});
    cr_assert_eq(f.buf->wptr, 1024 + 1536);
    cr_assert_eq(f.buf->stats.padding_bytes_written, 512);
    cr_assert_eq(f.buf->stats.chunks_overwritten, 0);
    expect(&f, "c", 0);
    expect(&f, "b", 0);
    fixture_fini(&f);
}

Test(traced_buffer, a_copy_has_what_nobody_has_read_and_a_ledger_of_its_own)
{
    struct fixture f = fixture(KIB(4), TRACED_RING), copy = {0};

    WRITE(&f, .id = 0, .frags = {"a", "b"});
    expect(&f, "a", 0);
    expect(&f, "b", 0);
    WRITE(&f, .id = 1, .frags = {"c", "d"});
    traced_seq_report(traced_buffer_find(f.buf, 1, 1), 4, 0);
    cr_assert_eq(traced_buffer_clone(f.buf, &copy.buf), 0);
    WRITE(&f, .id = 2, .frags = {"e"});
    traced_seq_report(traced_buffer_find(f.buf, 1, 1), 5, 0);
    cr_assert_eq(copy.buf->stats.chunks_read, 0);
    expect(&copy, "c", 0);
    expect(&copy, "d", 0);
    expect_end(&copy);
    struct traced_ledger l = ledger(&copy);
    cr_assert_eq(l.emitted, 2);
    cr_assert_eq(l.delivered, 2);
    cr_assert_eq(lost(&l), 0);
    expect(&f, "c", 0);
    expect(&f, "d", 0);
    expect(&f, "e", 0);
    l = ledger(&f);
    cr_assert_eq(l.emitted, 5);
    cr_assert_eq(l.delivered, 5);
    traced_buffer_free(copy.buf);
    fixture_fini(&f);
}

/*  [c0: a x…]  |  taken here  |  [c1: …x b] */
Test(traced_buffer, a_successor_goes_on_without_a_gap_and_counts_from_there)
{
    struct fixture f = fixture(KIB(4), TRACED_RING), next = {0};

    WRITE(&f, .id = 0, .flags = CONT_NEXT, .frags = {"a", "head"});
    traced_seq_report(traced_buffer_find(f.buf, 1, 1), 2, 0);
    cr_assert_eq(traced_buffer_succeed(f.buf, &next.buf), 0);
    WRITE(&next, .id = 1, .flags = CONT_PREV, .frags = {"tail", "b"});
    traced_seq_report(traced_buffer_find(next.buf, 1, 1), 3, 0);
    traced_buffer_settle(next.buf);
    expect(&f, "a", 0);
    expect_end(&f);
    struct traced_ledger l = ledger(&f);
    cr_assert_eq(l.delivered, 1);
    cr_assert_eq(l.cut, 1, "the packet that was open");
    cr_assert_eq(l.emitted, l.delivered + lost(&l));
    expect(&next, "b", TRACED_LOSS_ORPHAN);
    l = ledger(&next);
    cr_assert_eq(l.emitted, 2, "its end, and b");
    cr_assert_eq(l.emitted, l.delivered + lost(&l));
    traced_buffer_free(next.buf);
    fixture_fini(&f);
}

/* What was scraped into the first buffer does not come again into the second. */
Test(traced_buffer, a_successor_knows_what_was_scraped)
{
    struct fixture f = fixture(KIB(4), TRACED_RING), next = {0};

    WRITE(&f, .id = 0, .frags = {"a", "b", "begun"}, .incomplete = true);
    cr_assert_eq(traced_buffer_succeed(f.buf, &next.buf), 0);
    WRITE(&next, .id = 0, .frags = {"a", "b", "begun", "c"});
    expect(&f, "a", 0);
    expect(&f, "b", 0);
    expect_end(&f);
    expect(&next, "begun", 0);
    expect(&next, "c", 0);
    expect_end(&next);
    traced_buffer_free(next.buf);
    fixture_fini(&f);
}

/* A writer that reports saves the walk; the sums are the same, empty records and all. */
Test(traced_buffer, overwritten_packets_are_exact_whether_the_writer_reports_or_not)
{
    for (int reports = 0; reports < 2; reports++) {
        struct fixture f = fixture(KIB(2), TRACED_RING);

        for (uint32_t id = 0; id < 12; id++) {
            WRITE(&f, .id = id, .frags = {"a", "b", "c", "d", "e", "f", "g", "h", "i", ""});
            if (reports)
                traced_seq_report(traced_buffer_find(f.buf, 1, 1), (id + 1) * 9, 0);
        }
        traced_buffer_settle(f.buf);
        for (int i = 0; i < 4 * 9; i++) {
            struct traced_packet p;
            cr_assert(traced_buffer_read(f.buf, &p));
        }
        expect_end(&f);
        struct traced_ledger l = ledger(&f);
        cr_assert_eq(l.delivered, 4 * 9);
        cr_assert_eq(l.overwritten, 8 * 9, "%s: %llu", reports ? "reports" : "does not report",
                     (unsigned long long)l.overwritten);
        cr_assert_eq(l.cut, 0);
        fixture_fini(&f);
    }
}

/* Thousands of chunks without a packet: the reader comes back for the rest. */
Test(traced_buffer, pauses_where_it_finds_nothing_for_long)
{
    struct fixture f = fixture(KIB(1024), TRACED_RING);
    struct traced_packet p;
    unsigned pauses = 0;

    for (uint32_t id = 0; id < 10000; id++)
        WRITE(&f, .id = id, .frags = {""}, .payload_size = 8);
    WRITE(&f, .id = 10000, .frags = {"a"});
    while (!traced_buffer_read(f.buf, &p)) {
        cr_assert(f.buf->paused);
        pauses++;
    }
    cr_assert_gt(pauses, 1);
    char *text = packet_text(&p);
    cr_assert_str_eq(text, "a");
    free(text);
    expect_end(&f);
    cr_assert_not(f.buf->paused);
    fixture_fini(&f);
}
