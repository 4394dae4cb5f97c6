/*
 * Packets come out of reassembly.h. Overwriting walks over the records without reading them: it
 * must count packets, and know whether the next chunk starts with the rest of a lost one.
 */
#include "sdk/transport/pool_drain.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "protos/fields/orma_ext.h"
#include "protos/fields/trace.h"
#include "sdk/base/mem.h"
#include "sdk/transport/reassembly.h"
#include "sdk/wire/pb_writer.h"

#define BATCH 64u
/* The recording's own packets; writers follow. */
#define OWN_SEQ 1u

struct orma_pool_drain_seq {
    uint16_t writer_id;
    bool introduced; /* uid and pid were said */
    struct orma_pool_drain *of;
    struct orma_reassembly packets;
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

        orma_reassembly_fini(&seq->packets);
        orma_mem_free(seq, sizeof(*seq));
    }
    orma_map_fini(&self->seqs);
    orma_buf_fini(&self->out);
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

static void deliver(void *ctx, const void *packet, size_t len)
{
    struct orma_pool_drain_seq *seq = ctx;
    struct orma_pool_drain *self = seq->of;

    if (self->sink)
        self->sink(self->sink_ctx, seq->writer_id, packet, len);
    else
        put_packet(self, packet, len, OWN_SEQ + seq->writer_id, !seq->introduced);
    seq->introduced = true;
    seq->delivered++;
    self->written++;
}

static void count_cut(void *ctx, enum orma_open_packet was)
{
    struct orma_pool_drain_seq *seq = ctx;

    seq->cut += was == ORMA_OPEN_HERE;
    seq->of->cut += was == ORMA_OPEN_HERE;
    seq->overwritten += was == ORMA_OPEN_GONE;
    seq->of->overwritten += was == ORMA_OPEN_GONE;
}

static const struct orma_reassembly_ops reassembly_ops = {.packet = deliver, .cut = count_cut};

/* ---- chunks in ---- */

/* NULL when out of memory. */
static struct orma_pool_drain_seq *seq_of(struct orma_pool_drain *self, uint16_t writer_id)
{
    struct orma_pool_drain_seq *seq = orma_map_get_ptr(&self->seqs, writer_id);

    if (seq || !(seq = orma_mem_new(sizeof(*seq))))
        return seq;
    seq->writer_id = writer_id;
    seq->of = self;
    orma_reassembly_init(&seq->packets, &reassembly_ops, seq);
    if (orma_map_put_ptr(&self->seqs, writer_id, seq) < 0) {
        orma_mem_free(seq, sizeof(*seq));
        return NULL;
    }
    return seq;
}

static struct orma_reassembly *packets_of(void *ctx, uint16_t writer_id)
{
    struct orma_pool_drain *self = ctx;
    struct orma_pool_drain_seq *seq = orma_map_get_ptr(&self->seqs, writer_id);

    return seq ? &seq->packets : NULL;
}

void orma_pool_drain_all(struct orma_pool_drain *self)
{
    struct orma_pool_chunk chunks[BATCH];
    size_t num;

    do {
        num = orma_pool_take(self->pool, chunks, BATCH);
        for (size_t i = 0; i < num; i++) {
            struct orma_pool_drain_seq *seq = seq_of(self, chunks[i].writer_id);

            if (seq)
                orma_reassembly_take(&seq->packets, &chunks[i]);
            orma_shm_release(&self->pool->shm, &chunks[i].chunk);
        }
    } while (num == BATCH);
    orma_pool_look_from_start(self->pool);
    orma_reassembly_take_patches(self->pool, packets_of, self);
}

bool orma_pool_drain_overwrite(struct orma_pool_drain *self, size_t num)
{
    struct orma_pool_chunk chunks[BATCH];

    orma_reassembly_take_patches(self->pool, packets_of, self);
    num = orma_pool_take(self->pool, chunks, ORMA_MIN(num, (size_t)BATCH));
    for (size_t i = 0; i < num; i++) {
        struct orma_pool_drain_seq *seq = seq_of(self, chunks[i].writer_id);
        unsigned packets = seq ? orma_reassembly_skip(&seq->packets, &chunks[i]) : 0;

        if (seq)
            seq->overwritten += packets;
        self->overwritten += packets;
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
