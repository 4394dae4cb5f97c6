/*
 * The central buffer against a model: random writers, commits late and out of
 * order, chunks that never come, scraping, patches, reads in between, rings and
 * discard buffers of a few KiB.
 *
 * The model knows of each writer all packets that it ever made, and where each
 * ends. It holds the buffer to this:
 *   - what is read was written: whole, unchanged, once, in the order of its writer;
 *   - nothing is missing in silence: behind a hole the next packet is marked, and
 *     without a hole it is not;
 *   - in the end each packet is delivered or counted as lost, each once;
 *   - the records of the mapping and the index agree, and so does the place of
 *     each record with the rules for rings (a second, plain implementation;
 *     not where the buffer begins anew after being read).
 */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sdk/shm/layout.h"
#include "sdk/wire/pb_writer.h"
#include "tests/support/leaks.h"
#include "traced/buffers/buffer_internal.h"

#define WRITERS 5
#define PACKETS_MAX 4000
/* Enough for the longest packet in the smallest chunks, behind those that wait. */
#define PENDING_MAX 32
#define PENDING_USUAL 4
#define CHUNK_MAX 2032

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

/* A chunk as its writer made it. */
struct chunk {
    uint32_t id;
    uint16_t count, flags;
    uint32_t size, len; /* of the payload; bytes used */
    uint8_t payload[CHUNK_MAX];
    /* Where nested sizes are to be put later; patch_at 0: none. */
    uint32_t patch_at;
    uint8_t patch[4];
    unsigned ends[64]; /* packets that end here */
    unsigned ends_num;
    unsigned scraped; /* of them, those which a scraped copy has shown */
};

struct writer {
    uint16_t producer, id;
    bool open; /* `now` is held */
    struct chunk now;
    uint32_t next_chunk;
    struct chunk pending[PENDING_MAX]; /* closed and not committed */
    unsigned pending_num;
    struct { /* patches not sent yet */
        uint32_t chunk, at;
        uint8_t data[4];
    } patches[64];
    unsigned patches_num;
    unsigned packets;      /* emitted */
    unsigned never;        /* of them, those whose end was never committed */
    unsigned last;         /* packet delivered last, 1-based; 0: none */
    unsigned char *hashes; /* of each packet, by number */
};

/* The plain ring: records in the order of the mapping, as sizes. */
struct plain {
    size_t size, wptr, used;
    uint64_t written, wraps, padding_written, padding_cleared;
    bool is_padding[4096]; /* by offset / 16; a record begins there if len[] is not 0 */
    uint16_t len[4096];
};

struct model {
    struct traced_buffer *buf;
    struct writer writers[WRITERS];
    struct plain plain;
    bool lossy, scrapes, patches, reads, late, reports, anew;
    uint64_t delivered;
};

/* ---- the plain ring ---- */

static void plain_clear(struct plain *p, size_t bytes)
{
    size_t at = p->wptr, end = p->wptr + bytes;

    while (at < end && at < p->used) {
        size_t len = p->len[at / 16];

        if (p->is_padding[at / 16])
            p->padding_cleared += len;
        p->len[at / 16] = 0;
        at += len;
    }
    if (at > end) {
        p->len[end / 16] = (uint16_t)(at - end);
        p->is_padding[end / 16] = true;
        p->padding_written += at - end;
    }
}

static void plain_wrap(struct plain *p)
{
    size_t rest = p->size - p->wptr;

    plain_clear(p, rest);
    p->len[p->wptr / 16] = (uint16_t)rest;
    p->is_padding[p->wptr / 16] = true;
    p->padding_written += rest;
    p->used = p->size;
    p->wptr = 0;
    p->wraps++;
}

static void plain_write(struct plain *p, uint32_t payload)
{
    size_t len = orma_align_up((size_t)payload + 16, 16);

    if (len > p->size - p->wptr)
        plain_wrap(p);
    plain_clear(p, len);
    p->len[p->wptr / 16] = (uint16_t)len;
    p->is_padding[p->wptr / 16] = false;
    p->written += len;
    p->wptr += len;
    p->used = ORMA_MAX(p->used, p->wptr);
    if (p->wptr == p->size) {
        p->wptr = 0;
        p->wraps++;
    }
}

/* ---- writers ---- */

static unsigned char hash_of(unsigned writer, unsigned number, size_t len)
{
    return (unsigned char)((writer * 2654435761u + number * 40503u + len * 97u) >> 3);
}

static void close_chunk(struct model *m, struct writer *w)
{
    if (!w->open)
        return;
    w->open = false;
    if (w->pending_num == PENDING_MAX)
        abort();
    w->pending[w->pending_num++] = w->now;
    (void)m;
}

static void open_chunk(struct writer *w, bool continues)
{
    static const uint32_t sizes[] = {240, 496, 1008, 2032};

    w->now = (struct chunk){.id = w->next_chunk++, .size = sizes[rnd(4)]};
    w->open = true;
    if (continues)
        w->now.flags |= ORMA_SHM_CONT_PREV;
}

static void put_size(struct chunk *c, uint32_t len)
{
    for (int i = 0; i < 4; i++, len >>= 7)
        c->payload[c->len++] = (uint8_t)((len & 0x7f) | (i < 3 ? 0x80 : 0));
}

/* One packet: field 900 (nested, its size in four bytes, perhaps patched later) with a text. */
static void emit(struct model *m, unsigned idx)
{
    struct writer *w = &m->writers[idx];
    uint8_t packet[4200];
    size_t text = chance(10) ? 400 + rnd(3000) : 8 + rnd(120);
    size_t len = 0, at = 0;
    bool patch_later = m->patches && chance(50);

    if (w->packets == PACKETS_MAX - 1)
        return;
    unsigned number = ++w->packets;
    uint8_t *end = orma_varint_write(packet, 900 << 3 | ORMA_PB_LEN);
    size_t size_at = (size_t)(end - packet);
    struct chunk size = {0};
    put_size(&size, (uint32_t)text);
    memcpy(end, size.payload, 4);
    len = size_at + 4;
    for (size_t i = 0; i < text; i++)
        packet[len + i] = (uint8_t)('a' + (number + i) % 23);
    memcpy(packet + len, &number, sizeof(number));
    len += text;
    w->hashes[number] = hash_of(idx, number, len);

    if (w->open && (w->now.size - w->now.len < 12 || w->now.count >= 60))
        close_chunk(m, w);
    while (at < len) {
        if (!w->open)
            open_chunk(w, at > 0);
        struct chunk *c = &w->now;
        size_t room = c->size - c->len - 4, take = ORMA_MIN(room, len - at);

        put_size(c, (uint32_t)take);
        if (at == 0 && take < len && take > size_at + 4 && patch_later) {
            c->flags |= ORMA_SHM_NEEDS_PATCH;
            c->patch_at = c->len + (uint32_t)size_at;
            memcpy(c->patch, packet + size_at, 4);
            memset(packet + size_at, 0x5a, 4);
        }
        memcpy(c->payload + c->len, packet + at, take);
        c->len += (uint32_t)take;
        c->count++;
        at += take;
        if (at < len) {
            c->flags |= ORMA_SHM_CONT_NEXT;
            close_chunk(m, w);
        } else {
            c->ends[c->ends_num++] = number;
        }
    }
}

/* ---- commits ---- */

static void hand_over(struct model *m, struct writer *w, const struct chunk *c, bool complete)
{
    struct traced_seq *seq = traced_buffer_seq(m->buf, w->producer, w->id);
    struct traced_chunk chunk = {
        .chunk_id = c->id,
        .packets = (uint16_t)(c->count | c->flags),
        .complete = complete,
        .payload = c->payload,
        .payload_size = c->size,
    };

    if (!complete) /* the writer counts a fragment before it writes it */
        chunk.packets = (uint16_t)((chunk.packets & ~0x3ff) | (c->count + 1));
    uint64_t written = m->buf->stats.chunks_written, wraps = m->buf->stats.write_wrap_count;
    traced_buffer_write(m->buf, seq, &chunk);
    if (m->reports) /* as with a commit: all that the writer has begun */
        traced_seq_report(seq, w->packets, 0);
    if (m->buf->stats.chunks_written > written)
        plain_write(&m->plain, c->size);
    else if (m->buf->stats.write_wrap_count > wraps)
        plain_wrap(&m->plain); /* a discard buffer that is full turns out so behind the wrap */
}

static void commit_at(struct model *m, unsigned idx, unsigned at)
{
    struct writer *w = &m->writers[idx];
    struct chunk *c = &w->pending[at];
    if (m->lossy && chance(4)) {
        w->never += c->ends_num - c->scraped;
    } else {
        hand_over(m, w, c, true);
        if (c->patch_at && w->patches_num < 64) {
            w->patches[w->patches_num].chunk = c->id;
            w->patches[w->patches_num].at = c->patch_at;
            memcpy(w->patches[w->patches_num++].data, c->patch, 4);
        }
    }
    memmove(c, c + 1, (w->pending_num - at - 1) * sizeof(*c));
    w->pending_num--;
}

/* In order, or two of them in the wrong one. */
static void commit(struct model *m, unsigned idx, bool any_order)
{
    const struct writer *w = &m->writers[idx];

    if (any_order && m->late && w->pending_num > 1 && chance(15))
        commit_at(m, idx, 1);
    if (w->pending_num)
        commit_at(m, idx, 0);
}

static void patch(struct model *m, unsigned idx)
{
    struct writer *w = &m->writers[idx];
    struct traced_patch p;

    if (!w->patches_num)
        return;
    w->patches_num--;
    p.offset = w->patches[w->patches_num].at;
    memcpy(p.data, w->patches[w->patches_num].data, 4);
    traced_buffer_patch(m->buf, traced_buffer_find(m->buf, w->producer, w->id),
                        w->patches[w->patches_num].chunk, &p, 1, false);
}

/* As the service scrapes: everything that is closed, in order, then what is being written. */
static void scrape(struct model *m, unsigned idx)
{
    struct writer *w = &m->writers[idx];

    while (w->pending_num)
        commit(m, idx, false);
    if (w->open && w->now.count >= 1) {
        hand_over(m, w, &w->now, false);
        w->now.scraped = w->now.ends_num;
    }
}

/* ---- reads ---- */

static void check_packet(struct model *m, const struct traced_packet *p)
{
    struct writer *w = NULL;
    uint8_t all[8192];
    size_t len = 0;
    unsigned idx = 0, number;

    for (unsigned i = 0; i < WRITERS; i++)
        if (m->writers[i].producer == p->seq->producer_id && m->writers[i].id == p->seq->writer_id)
            w = &m->writers[idx = i];
    cr_assert(w);
    cr_assert_leq(p->len, sizeof(all));
    for (size_t i = 0; i < p->slices_num; i++) {
        memcpy(all + len, p->slices[i].data, p->slices[i].len);
        len += p->slices[i].len;
    }
    cr_assert_eq(len, p->len);
    struct orma_pb_reader r = orma_pb_reader(all, len);
    struct orma_pb_field f;
    cr_assert(orma_pb_next(&r, &f));
    cr_assert_eq(f.id, 900);
    cr_assert_eq(r.pos, r.end);
    memcpy(&number, f.data, sizeof(number));
    cr_assert_gt(number, w->last, "writer %u: packet %u behind %u", idx, number, w->last);
    cr_assert_leq(number, w->packets);
    cr_assert_eq(w->hashes[number], hash_of(idx, number, len), "writer %u packet %u", idx, number);
    for (size_t i = sizeof(number); i < f.len; i++)
        cr_assert_eq(f.data[i], (uint8_t)('a' + (number + i) % 23));
    /* A late chunk may find its place overwritten before its successor: then one mark too many. */
    if (number != w->last + 1)
        cr_assert_neq(p->loss, 0, "writer %u: %u..%u are missing in silence", idx, w->last + 1,
                      number - 1);
    else if (w->last && !m->lossy && !(m->late && p->loss & TRACED_LOSS_OVERWRITTEN))
        cr_assert_eq(p->loss, 0, "writer %u: nothing is missing before %u, loss %x", idx, number,
                     p->loss);
    w->last = number;
    m->delivered++;
}

static void read_all(struct model *m)
{
    struct traced_packet p;

    traced_buffer_read_begin(m->buf);
    while (traced_buffer_read(m->buf, &p))
        check_packet(m, &p);
    if (m->anew)
        traced_buffer_rewind(m->buf);
}

/* ---- invariants ---- */

static void check_records(const struct model *m)
{
    const struct traced_buffer *b = m->buf;
    size_t refs = 0, records = 0;

    for (size_t at = 0; at < b->used;) {
        const struct traced_record *rec = traced_record_at(b, at);

        cr_assert_gt(rec->size, 0);
        cr_assert_eq(rec->check, traced_record_check(rec));
        if (!m->anew) {
            cr_assert_eq(rec->size, m->plain.len[at / 16], "record at %zu", at);
            cr_assert_eq(!!(rec->flags & TRACED_REC_PADDING), m->plain.is_padding[at / 16]);
        }
        if (!(rec->flags & TRACED_REC_PADDING)) {
            struct traced_seq *seq = traced_buffer_find(b, rec->producer_id, rec->writer_id);
            int64_t idx = seq ? traced_seq_find_ref(seq, rec->chunk_id) : -1;

            cr_assert_geq(idx, 0);
            cr_assert_eq(traced_record_of(b, traced_seq_ref(seq, (uint32_t)idx)), rec);
            records++;
        }
        at += rec->size;
        cr_assert_leq(at, b->used);
    }
    ORMA_LIST_EACH (struct traced_seq, seq, &b->seqs, link) {
        refs += seq->len;
        cr_assert_leq(seq->rd, seq->len);
        for (uint32_t i = 1; i < seq->len; i++)
            cr_assert_gt(seq->last_chunk_id - traced_seq_ref(seq, i - 1)->chunk_id,
                         seq->last_chunk_id - traced_seq_ref(seq, i)->chunk_id);
    }
    cr_assert_eq(refs, records);
    if (m->anew)
        return;
    cr_assert_eq(b->wptr, m->plain.wptr);
    cr_assert_eq(b->used, m->plain.used);
}

static void check_stats(const struct model *m)
{
    const struct traced_buffer_stats *st = &m->buf->stats;

    if (!m->anew) {
        cr_assert_eq(st->bytes_written, m->plain.written);
        cr_assert_eq(st->write_wrap_count, m->plain.wraps);
        cr_assert_eq(st->padding_bytes_written, m->plain.padding_written);
        cr_assert_eq(st->padding_bytes_cleared, m->plain.padding_cleared);
    }
    cr_assert_eq(st->abi_violations, 0);
    cr_assert_eq(st->invalid_packets, 0);
}

/* Each packet is somewhere, once. */
static void check_ledger(const struct model *m)
{
    uint64_t delivered = 0;

    for (unsigned i = 0; i < WRITERS; i++) {
        const struct writer *w = &m->writers[i];
        struct traced_seq *seq = traced_buffer_find(m->buf, w->producer, w->id);

        if (!seq)
            continue;
        struct traced_ledger l = traced_seq_ledger(seq);
        uint64_t lost = l.overwritten + l.discarded + l.invalid + l.unpatched;
        uint64_t never = w->never;
        for (unsigned k = 0; k < w->pending_num; k++)
            never += w->pending[k].ends_num - w->pending[k].scraped;
        cr_assert_eq(l.delivered + lost + never, w->packets,
                     "writer %u: emitted %u, delivered %llu, overwritten %llu, discarded %llu, "
                     "unpatched %llu, never committed %llu",
                     i, w->packets, (unsigned long long)l.delivered,
                     (unsigned long long)l.overwritten, (unsigned long long)l.discarded,
                     (unsigned long long)l.unpatched, (unsigned long long)never);
        cr_assert_eq(l.invalid, 0);
        if (m->reports) {
            traced_seq_report(seq, w->packets, 0);
            l = traced_seq_ledger(seq);
            cr_assert_eq(l.cut, never, "writer %u: cut %llu, never committed %llu", i,
                         (unsigned long long)l.cut, (unsigned long long)never);
        }
        delivered += l.delivered;
    }
    cr_assert_eq(delivered, m->delivered);
}

/* ---- a run ---- */

static void run(uint64_t seed, size_t size, enum traced_policy policy, unsigned steps, bool anew)
{
    static struct model m; /* large */

    rng = seed * 0x9e3779b97f4a7c15u + 1;
    m = (struct model){
        .lossy = chance(40), .scrapes = chance(50), .patches = chance(50), .reads = chance(70)};
    cr_assert_eq(traced_buffer_new(size, policy, &m.buf), 0);
    m.plain.size = size;
    m.anew = anew;
    if (anew)
        m.buf->rewind_min = size / 4;
    for (unsigned i = 0; i < WRITERS; i++) {
        m.writers[i] = (struct writer){.producer = (uint16_t)(1 + i / 3),
                                       .id = (uint16_t)(1 + i),
                                       .next_chunk = chance(20) ? UINT32_MAX - 3 : 0};
        m.writers[i].hashes = calloc(PACKETS_MAX, 1);
        cr_assert(m.writers[i].hashes);
    }
    for (unsigned step = 0; step < steps; step++) {
        unsigned idx = rnd(WRITERS), what = rnd(100);

        if (what < 60) {
            if (m.writers[idx].pending_num < PENDING_USUAL)
                emit(&m, idx);
        } else if (what < 85) {
            commit(&m, idx, true);
        } else if (what < 90) {
            patch(&m, idx);
        } else if (what < 92 && m.scrapes) {
            scrape(&m, idx);
        } else if (what < 95 && m.reads) {
            read_all(&m);
        } else if (what < 97) {
            close_chunk(&m, &m.writers[idx]);
        }
        while (m.writers[idx].pending_num >= PENDING_USUAL)
            commit(&m, idx, true);
        if (step % 16 == 0)
            check_records(&m);
    }
    /* The writers end; most hand over what they hold. */
    for (unsigned i = 0; i < WRITERS; i++) {
        close_chunk(&m, &m.writers[i]);
        while (m.writers[i].pending_num)
            commit(&m, i, true);
        while (m.writers[i].patches_num && chance(90))
            patch(&m, i);
    }
    check_records(&m);
    traced_buffer_settle(m.buf);
    read_all(&m);
    check_stats(&m);
    check_ledger(&m);
    for (unsigned i = 0; i < WRITERS; i++)
        free(m.writers[i].hashes);
    traced_buffer_free(m.buf);
}

/* More runs for who wants to wait: ORMA_MODEL_RUNS in the environment. */
static uint64_t runs(uint64_t usual)
{
    const char *text = getenv("ORMA_MODEL_RUNS");

    return text ? strtoull(text, NULL, 10) : usual;
}

Test(traced_buffer_model, holds_for_random_writers_into_a_ring)
{
    for (uint64_t seed = 1; seed <= runs(300); seed++)
        run(seed, (size_t)4096 << (seed % 5), TRACED_RING, 1500, false);
    orma_assert_no_leaks();
}

Test(traced_buffer_model, holds_for_random_writers_into_a_discard_buffer)
{
    for (uint64_t seed = 1; seed <= runs(200); seed++)
        run(seed + 1000, (size_t)4096 << (seed % 5), TRACED_DISCARD, 1500, false);
    orma_assert_no_leaks();
}

Test(traced_buffer_model, holds_for_buffers_that_begin_anew_after_each_reading)
{
    for (uint64_t seed = 1; seed <= runs(300); seed++) {
        size_t size = (size_t)4096 << (seed % 5);

        run(seed + 2000, size, seed % 2 ? TRACED_RING : TRACED_DISCARD, 1500, true);
    }
    orma_assert_no_leaks();
}
