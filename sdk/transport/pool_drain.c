/*
 * The path of a chunk:
 *
 *   listed --take--> waits for a patch?  no:  its records are read, packets go out
 *                                        yes: copied to seq.held, with all that follows
 *                                             in that sequence, until the patch comes
 *
 * so that packets leave in the order of their sequence, and the chunk itself is free
 * at once. A packet in several pieces is gathered in seq.part; `open` says whether
 * its beginning is there. Overwriting walks over the records without reading them: it
 * must count packets, and know whether the next chunk starts with the rest of a lost one.
 */
#include "sdk/transport/pool_drain.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "protos/fields/orma_ext.h"
#include "protos/fields/trace.h"
#include "sdk/base/mem.h"
#include "sdk/wire/pb_reader.h"
#include "sdk/wire/pb_writer.h"

#define BATCH 64u
#define SIZE_LEN 4u
/* The recording's own packets; writers follow. */
#define OWN_SEQ 1u

/* A chunk that waits for its patches, and those behind it. */
struct held {
    uint32_t chunk_id;
    uint16_t packets;
    uint32_t len; /* payload bytes, which follow */
};

/* The packet that the last chunk ended in the middle of. */
enum open_packet {
    OPEN_NONE,
    OPEN_HERE, /* its beginning is in `part` */
    OPEN_GONE, /* its beginning was overwritten */
};

struct orma_pool_drain_seq {
    uint16_t writer_id;
    bool introduced; /* uid and pid were said */
    enum open_packet open;
    struct orma_buf part;      /* packet so far */
    struct orma_buf held;      /* of struct held */
    uint64_t emitted, dropped; /* as the writer said last */
    uint64_t delivered, overwritten, cut;
};

void orma_pool_drain_init(struct orma_pool_drain *self, struct orma_pool *pool)
{
    *self = (struct orma_pool_drain){
        .pool = pool, .pid = (uint32_t)getpid(), .uid = (uint32_t)getuid()};
    self->out.own_mem = self->seqs.own_mem = true; /* events may drain, in signal handlers even */
}

void orma_pool_drain_fini(struct orma_pool_drain *self)
{
    ORMA_MAP_EACH (slot, &self->seqs) {
        struct orma_pool_drain_seq *seq = (struct orma_pool_drain_seq *)(uintptr_t)slot->val;

        orma_buf_fini(&seq->part);
        orma_buf_fini(&seq->held);
        orma_mem_free(seq, sizeof(*seq));
    }
    orma_map_fini(&self->seqs);
    orma_buf_fini(&self->out);
}

/* NULL when out of memory. */
static struct orma_pool_drain_seq *seq_of(struct orma_pool_drain *self, uint16_t writer_id)
{
    struct orma_pool_drain_seq *seq = orma_map_get_ptr(&self->seqs, writer_id);

    if (seq || !(seq = orma_mem_new(sizeof(*seq))))
        return seq;
    seq->writer_id = writer_id;
    seq->part.own_mem = seq->held.own_mem = true;
    if (orma_map_put_ptr(&self->seqs, writer_id, seq) < 0) {
        orma_mem_free(seq, sizeof(*seq));
        return NULL;
    }
    return seq;
}

/* ---- packets out ---- */

static void put_packet(struct orma_pool_drain *self, const void *packet, size_t len,
                       uint32_t seq_id, bool introduce)
{
    uint8_t trusted[32], *end = trusted;

    end = orma_varint_write(end, ORMA_PB_TRACE_PACKET_TRUSTED_PACKET_SEQUENCE_ID << 3);
    end = orma_varint_write(end, seq_id);
    if (introduce) {
        end = orma_varint_write(end, ORMA_PB_TRACE_PACKET_TRUSTED_UID << 3);
        end = orma_varint_write(end, self->uid);
        end = orma_varint_write(end, ORMA_PB_TRACE_PACKET_TRUSTED_PID << 3);
        end = orma_varint_write(end, self->pid);
    }
    size_t more = (size_t)(end - trusted);
    orma_pb_put_tag(&self->out, ORMA_PB_TRACE_PACKET, ORMA_PB_LEN);
    orma_pb_put_raw_varint(&self->out, len + more);
    orma_buf_put(&self->out, packet, len);
    orma_buf_put(&self->out, trusted, more);
}

void orma_pool_drain_add(struct orma_pool_drain *self, const void *packet, size_t len)
{
    put_packet(self, packet, len, OWN_SEQ, true);
}

static void deliver(struct orma_pool_drain *self, struct orma_pool_drain_seq *seq,
                    const void *packet, size_t len)
{
    if (self->sink)
        self->sink(self->sink_ctx, seq->writer_id, packet, len);
    else
        put_packet(self, packet, len, OWN_SEQ + seq->writer_id, !seq->introduced);
    seq->introduced = true;
    seq->delivered++;
    self->written++;
}

/* ---- chunks in ---- */

/* The next chunk does not continue it. (With a drop marker its writer counts it.) */
static void lose_open(struct orma_pool_drain *self, struct orma_pool_drain_seq *seq)
{
    seq->cut += seq->open == OPEN_HERE;
    self->cut += seq->open == OPEN_HERE;
    seq->overwritten += seq->open == OPEN_GONE;
    self->overwritten += seq->open == OPEN_GONE;
    seq->open = OPEN_NONE;
    orma_buf_clear(&seq->part);
}

static void forget_open(struct orma_pool_drain_seq *seq)
{
    seq->open = OPEN_NONE;
    orma_buf_clear(&seq->part);
}

static void read_record(struct orma_pool_drain *self, struct orma_pool_drain_seq *seq,
                        const uint8_t *data, size_t len, bool continues, bool goes_on)
{
    if (continues && seq->open != OPEN_HERE) {
        if (!goes_on)
            lose_open(self, seq);
        return;
    }
    if (!continues && !goes_on) {
        if (len)
            deliver(self, seq, data, len);
        return;
    }
    orma_buf_put(&seq->part, data, len);
    seq->open = OPEN_HERE;
    if (!goes_on) {
        deliver(self, seq, seq->part.data, seq->part.len);
        forget_open(seq);
    }
}

static void read_chunk(struct orma_pool_drain *self, struct orma_pool_drain_seq *seq,
                       uint16_t packets, const uint8_t *payload, size_t len)
{
    struct orma_pb_reader r = orma_pb_reader(payload, len);
    unsigned count = packets & ORMA_SHM_PACKETS_MASK;

    if (!(packets & ORMA_SHM_CONT_PREV))
        lose_open(self, seq);
    for (unsigned i = 0; i < count; i++) {
        uint64_t size = orma_pb_varint(&r);

        if (size == ORMA_SHM_DROP_MARKER) {
            forget_open(seq);
            return;
        }
        if (r.failed || size > (size_t)(r.end - r.pos))
            return;
        read_record(self, seq, r.pos, size, i == 0 && packets & ORMA_SHM_CONT_PREV,
                    i == count - 1 && packets & ORMA_SHM_CONT_NEXT);
        r.pos += size;
    }
}

static void settle(struct orma_pool_drain *self, struct orma_pool_drain_seq *seq)
{
    size_t at = 0;

    while (at < seq->held.len) {
        struct held h;

        memcpy(&h, seq->held.data + at, sizeof(h));
        if (h.packets & ORMA_SHM_NEEDS_PATCH)
            break;
        read_chunk(self, seq, h.packets, seq->held.data + at + sizeof(h), h.len);
        at += sizeof(h) + h.len;
    }
    orma_buf_consume(&seq->held, at);
}

static void take_chunk(struct orma_pool_drain *self, const struct orma_pool_chunk *c)
{
    struct orma_pool_drain_seq *seq = seq_of(self, c->writer_id);
    uint16_t packets = atomic_load_explicit(&c->chunk.header->packets, memory_order_relaxed);

    if (!seq)
        return;
    if (!seq->held.len && !(packets & ORMA_SHM_NEEDS_PATCH)) {
        read_chunk(self, seq, packets, c->chunk.payload, c->chunk.payload_size);
        return;
    }
    const struct held h = {c->chunk_id, packets, c->chunk.payload_size};
    orma_buf_put(&seq->held, &h, sizeof(h));
    orma_buf_put(&seq->held, c->chunk.payload, h.len);
}

static void apply_patch(struct orma_pool_drain *self, const struct orma_pool_patch *p)
{
    struct orma_pool_drain_seq *seq = orma_map_get_ptr(&self->seqs, p->writer_id);

    for (size_t at = 0; seq && at < seq->held.len;) {
        struct held h;

        memcpy(&h, seq->held.data + at, sizeof(h));
        if (h.chunk_id == p->chunk_id && p->offset <= h.len - SIZE_LEN) {
            orma_varint_write_redundant(seq->held.data + at + sizeof(h) + p->offset, p->size);
            if (p->last)
                h.packets &= (uint16_t)~ORMA_SHM_NEEDS_PATCH;
            memcpy(seq->held.data + at, &h, sizeof(h));
            settle(self, seq);
            return;
        }
        at += sizeof(h) + h.len;
    }
    orma_pool_patch_listed(self->pool, p);
}

static void apply_patches(struct orma_pool_drain *self)
{
    struct orma_pool_patch patches[BATCH];
    size_t num;

    do {
        num = orma_pool_take_patches(self->pool, patches, BATCH);
        for (size_t i = 0; i < num; i++)
            apply_patch(self, &patches[i]);
    } while (num == BATCH);
}

void orma_pool_drain_all(struct orma_pool_drain *self)
{
    struct orma_pool_chunk chunks[BATCH];
    size_t num;

    do {
        num = orma_pool_take(self->pool, chunks, BATCH);
        for (size_t i = 0; i < num; i++) {
            take_chunk(self, &chunks[i]);
            orma_shm_release(&self->pool->shm, &chunks[i].chunk);
        }
    } while (num == BATCH);
    orma_pool_look_from_start(self->pool);
    apply_patches(self);
}

/* A packet counts in the chunk in which it ends. */
static void overwrite(struct orma_pool_drain *self, const struct orma_pool_chunk *c)
{
    struct orma_pool_drain_seq *seq = seq_of(self, c->writer_id);
    uint16_t packets = atomic_load_explicit(&c->chunk.header->packets, memory_order_relaxed);
    struct orma_pb_reader r = orma_pb_reader(c->chunk.payload, c->chunk.payload_size);
    unsigned count = packets & ORMA_SHM_PACKETS_MASK;

    if (!seq)
        return;
    if (!(packets & ORMA_SHM_CONT_PREV))
        lose_open(self, seq);
    forget_open(seq);
    for (unsigned i = 0; i < count; i++) {
        uint64_t size = orma_pb_varint(&r);

        if (size == ORMA_SHM_DROP_MARKER || r.failed || size > (size_t)(r.end - r.pos))
            return;
        if (i == count - 1 && packets & ORMA_SHM_CONT_NEXT) {
            seq->open = OPEN_GONE;
            return;
        }
        seq->overwritten++;
        self->overwritten++;
        r.pos += size;
    }
}

bool orma_pool_drain_overwrite(struct orma_pool_drain *self, size_t num)
{
    struct orma_pool_chunk chunks[BATCH];

    apply_patches(self);
    num = orma_pool_take(self->pool, chunks, ORMA_MIN(num, (size_t)BATCH));
    for (size_t i = 0; i < num; i++) {
        overwrite(self, &chunks[i]);
        orma_shm_release(&self->pool->shm, &chunks[i].chunk);
    }
    return num != 0;
}

/* ---- the ledger ---- */

/* With the pool locked. */
static void note_counts(void *ctx, struct orma_pool_slot *slot,
                        const struct orma_writer_counts *counts)
{
    struct orma_pool_drain *self = ctx;
    struct orma_pool_drain_seq *seq = seq_of(self, slot->id);

    if (!seq)
        return;
    seq->emitted = counts->emitted;
    seq->dropped = counts->dropped_no_chunk + counts->dropped_too_large;
}

void orma_pool_drain_counts(struct orma_pool_drain *self, uint64_t *ret_emitted,
                            uint64_t *ret_dropped)
{
    orma_pool_each_slot(self->pool, true, note_counts, self);
    *ret_emitted = *ret_dropped = 0;
    ORMA_MAP_EACH (slot, &self->seqs) {
        const struct orma_pool_drain_seq *seq = (struct orma_pool_drain_seq *)(uintptr_t)slot->val;

        *ret_emitted += seq->emitted;
        *ret_dropped += seq->dropped;
    }
}

void orma_pool_drain_each_loss(const struct orma_pool_drain *self, orma_pool_drain_seq_fn fn,
                               void *ctx)
{
    ORMA_MAP_EACH (slot, &self->seqs) {
        const struct orma_pool_drain_seq *seq = (struct orma_pool_drain_seq *)(uintptr_t)slot->val;

        fn(ctx, seq->writer_id, seq->dropped + seq->cut);
    }
}

static void put_seq(struct orma_buf *b, const struct orma_pool_drain_seq *seq)
{
    size_t at = orma_pb_begin(b, ORMA_PB_TRACE_STATS_ORMA_SEQUENCE_COUNTS);

    orma_pb_put_u64(b, ORMA_PB_ORMA_SEQUENCE_COUNTS_SEQUENCE_ID, OWN_SEQ + seq->writer_id);
    orma_pb_put_u64(b, ORMA_PB_ORMA_SEQUENCE_COUNTS_BUFFER, 0);
    orma_pb_put_u64(b, ORMA_PB_ORMA_SEQUENCE_COUNTS_PRODUCER_ID, 1);
    orma_pb_put_u64(b, ORMA_PB_ORMA_SEQUENCE_COUNTS_WRITER_ID, seq->writer_id);
    orma_pb_put_u64(b, ORMA_PB_ORMA_SEQUENCE_COUNTS_EMITTED, seq->emitted);
    orma_pb_put_u64(b, ORMA_PB_ORMA_SEQUENCE_COUNTS_DELIVERED, seq->delivered);
    orma_pb_put_u64(b, ORMA_PB_ORMA_SEQUENCE_COUNTS_DROPPED, seq->dropped);
    orma_pb_put_u64(b, ORMA_PB_ORMA_SEQUENCE_COUNTS_OVERWRITTEN, seq->overwritten);
    orma_pb_put_u64(b, ORMA_PB_ORMA_SEQUENCE_COUNTS_UNPATCHED, seq->cut);
    orma_pb_end(b, at);
}

void orma_pool_drain_add_stats(struct orma_pool_drain *self)
{
    struct orma_buf b = {.own_mem = true};
    size_t at = orma_pb_begin(&b, ORMA_PB_TRACE_PACKET_TRACE_STATS);

    ORMA_MAP_EACH (slot, &self->seqs)
        put_seq(&b, (struct orma_pool_drain_seq *)(uintptr_t)slot->val);
    orma_pb_end(&b, at);
    if (!b.failed)
        orma_pool_drain_add(self, b.data, b.len);
    orma_buf_fini(&b);
}
