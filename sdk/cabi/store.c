#include "sdk/cabi/store.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "protos/fields/common.h"
#include "protos/fields/orma_ext.h"
#include "protos/fields/trace.h"
#include "sdk/base/map.h"
#include "sdk/base/mem.h"
#include "sdk/transport/reassembly.h"
#include "sdk/wire/pb_writer.h"

#define BATCH 64u
#define PAGE 4096u
#define SHM_MIN_KB 8u
/* 1 is that of the service itself. */
#define FIRST_SEQ 2u

struct seq {
    struct orma_list link; /* buffer.seqs; NULL: the buffer is gone */
    struct orma_cabi_buffer *buffer;
    uint32_t id;
    uint16_t writer_id;
    bool gap;            /* packets before the next one are missing; also before the first */
    bool retired;        /* its writer is gone */
    uint32_t next_chunk; /* no other is read while it is being written: one may be listed */
    struct orma_reassembly packets;
    uint64_t emitted, dropped, delivered, overwritten, cut;
};

static struct {
    struct orma_pool *pool;
    uint32_t last_target, last_seq;
    struct orma_map targets; /* number -> struct orma_cabi_buffer */
    struct orma_map seqs;    /* writer id -> struct seq */
    struct orma_buf slots;   /* scratch of each_slot() */
    uint32_t pid, uid;
} g;

/* ---- the pool's side ---- */

static void wake(void *ctx)
{
    (void)ctx;
    orma_cabi_wake();
}

/* On the loop: a writer here would wait for itself. */
static bool make_room(void *ctx)
{
    (void)ctx;
    if (!orma_pool_has_listed(g.pool))
        return false;
    orma_cabi_store_drain(false);
    return true;
}

static const struct orma_pool_ops ops = {.wake = wake, .make_room = make_room};

static void unmap(void *base, size_t size)
{
    munmap(base, size);
}

int orma_cabi_store_begin(uint32_t shm_kb)
{
    size_t size = (size_t)shm_kb * 1024;

    if (g.pool)
        return 0;
    if (!size || size % PAGE || shm_kb < SHM_MIN_KB)
        size = ORMA_SHM_SIZE_DEFAULT;
    size = ORMA_MIN(size, (size_t)ORMA_SHM_SIZE_MAX);
    void *base = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base == MAP_FAILED)
        return -errno;
    int r = orma_pool_new(base, size, PAGE, unmap, &ops, NULL, &g.pool);
    if (r < 0) {
        munmap(base, size);
        return r;
    }
    g.slots.own_mem = true;
    g.pid = (uint32_t)getpid();
    g.uid = getuid();
    orma_pool_set_drainer(g.pool);
    return 0;
}

struct orma_pool *orma_cabi_store_pool(void)
{
    return g.pool;
}

void orma_cabi_store_open(struct orma_cabi_buffer *b)
{
    b->target = ++g.last_target;
    orma_list_init(&b->seqs);
    (void)orma_map_put_ptr(&g.targets, b->target, b); /* -ENOMEM: its packets go nowhere */
}

/* ---- buffers ---- */

static size_t packet_at(const struct orma_cabi_buffer *b, size_t at, uint32_t *ret_len,
                        struct seq **ret_seq)
{
    memcpy(ret_len, b->data.data + at, sizeof(*ret_len));
    memcpy(ret_seq, b->data.data + at + sizeof(*ret_len), sizeof(*ret_seq));
    return at + sizeof(*ret_len) + sizeof(*ret_seq);
}

static void compact(struct orma_cabi_buffer *b)
{
    if (b->at < b->data.len / 2)
        return;
    orma_buf_consume(&b->data, b->at);
    b->at = 0;
}

static void overwrite(struct orma_cabi_buffer *b, size_t need)
{
    while (b->at < b->data.len && b->data.len - b->at + need > b->size) {
        struct seq *seq;
        uint32_t len;
        size_t data = packet_at(b, b->at, &len, &seq);

        seq->overwritten++;
        seq->delivered--;
        b->overwritten += data + len - b->at;
        b->packets_overwritten++;
        b->at = data + len;
    }
    compact(b);
}

/* What the service says about a packet. */
static size_t put_trusted(uint8_t *to, struct seq *seq)
{
    uint8_t *end = to;

    end = orma_varint_write(end, ORMA_PB_TRACE_PACKET_TRUSTED_UID << 3);
    end = orma_varint_write(end, g.uid);
    end = orma_varint_write(end, ORMA_PB_TRACE_PACKET_TRUSTED_PACKET_SEQUENCE_ID << 3);
    end = orma_varint_write(end, seq->id);
    end = orma_varint_write(end, ORMA_PB_TRACE_PACKET_TRUSTED_PID << 3);
    end = orma_varint_write(end, g.pid);
    if (seq->gap) {
        end = orma_varint_write(end, ORMA_PB_TRACE_PACKET_PREVIOUS_PACKET_DROPPED << 3);
        end = orma_varint_write(end, 1);
    }
    return (size_t)(end - to);
}

static void deliver(void *ctx, const void *packet, size_t len)
{
    struct seq *seq = ctx;
    struct orma_cabi_buffer *b = seq->buffer;
    uint8_t trusted[48];

    if (!b || b->closed)
        return;
    size_t more = put_trusted(trusted, seq), size = 12 + len + more;
    if (size > b->size || (b->discard && b->data.len - b->at + size > b->size)) {
        seq->gap = true;
        seq->overwritten++;
        b->packets_discarded++;
        return;
    }
    overwrite(b, size);
    uint32_t head = (uint32_t)(len + more);
    orma_buf_put(&b->data, &head, sizeof(head));
    orma_buf_put(&b->data, &seq, sizeof(seq));
    orma_buf_put(&b->data, packet, len);
    orma_buf_put(&b->data, trusted, more);
    if (b->data.failed) { /* of a part of it: nothing was kept that could be cut */
        orma_buf_clear(&b->data);
        b->at = 0;
        b->packets_overwritten++;
        return;
    }
    seq->gap = false;
    seq->delivered++;
    b->written += size;
}

static void count_cut(void *ctx, enum orma_open_packet was)
{
    struct seq *seq = ctx;

    (void)was; /* no chunk is given away unread */
    seq->cut++;
    seq->gap = true;
}

/* With a drop marker its writer counts it. */
static void note_gap(void *ctx)
{
    ((struct seq *)ctx)->gap = true;
}

static const struct orma_reassembly_ops reassembly_ops = {
    .packet = deliver, .cut = count_cut, .given_up = note_gap};

/* ---- sequences ---- */

static struct seq *seq_of(uint16_t writer_id, uint32_t target)
{
    struct seq *seq = orma_map_get_ptr(&g.seqs, writer_id);

    if (seq || !(seq = calloc(1, sizeof(*seq))))
        return seq;
    seq->buffer = orma_map_get_ptr(&g.targets, target);
    seq->writer_id = writer_id;
    seq->id = FIRST_SEQ + g.last_seq++;
    seq->gap = true;
    orma_reassembly_init(&seq->packets, &reassembly_ops, seq);
    if (orma_map_put_ptr(&g.seqs, writer_id, seq) < 0) {
        free(seq);
        return NULL;
    }
    if (seq->buffer)
        orma_list_insert(&seq->buffer->seqs, &seq->link);
    return seq;
}

static void free_seq(struct seq *seq)
{
    orma_list_remove(&seq->link);
    orma_reassembly_fini(&seq->packets);
    free(seq);
}

static void take_chunk(const struct orma_pool_chunk *c)
{
    struct seq *seq = seq_of(c->writer_id, c->target_buffer);

    if (!seq)
        return;
    seq->next_chunk = c->chunk_id + 1;
    if (seq->buffer)
        seq->buffer->chunks++;
    orma_reassembly_take(&seq->packets, c);
}

static struct orma_reassembly *packets_of(void *ctx, uint16_t writer_id)
{
    struct seq *seq = orma_map_get_ptr(&g.seqs, writer_id);

    (void)ctx;
    return seq ? &seq->packets : NULL;
}

static void take_listed(void)
{
    struct orma_pool_chunk chunks[BATCH];
    size_t num;

    do {
        num = orma_pool_take(g.pool, chunks, BATCH);
        for (size_t i = 0; i < num; i++) {
            take_chunk(&chunks[i]);
            orma_shm_release(&g.pool->shm, &chunks[i].chunk);
        }
    } while (num == BATCH);
    orma_pool_look_from_start(g.pool);
    orma_reassembly_take_patches(g.pool, packets_of, NULL);
}

/* ---- writers ---- */

struct slot_note {
    uint16_t id;
    bool reaped;
    uint32_t target;
    struct orma_writer_counts counts;
};

/* With the pool locked: only notes down. */
static void note_slot(void *ctx, struct orma_pool_slot *slot,
                      const struct orma_writer_counts *counts)
{
    const struct slot_note n = {slot->id, slot->reaped, slot->target_buffer, *counts};

    orma_buf_put(ctx, &n, sizeof(n));
}

static void note_writers(bool reap)
{
    orma_buf_clear(&g.slots);
    orma_pool_each_slot(g.pool, reap, note_slot, &g.slots);
    for (size_t at = 0; at + sizeof(struct slot_note) <= g.slots.len;
         at += sizeof(struct slot_note)) {
        const struct slot_note *n = (const struct slot_note *)(g.slots.data + at);
        struct seq *seq = seq_of(n->id, n->target);

        if (!seq)
            continue;
        seq->emitted = n->counts.emitted;
        seq->dropped = n->counts.dropped_no_chunk + n->counts.dropped_too_large;
        if (!n->reaped)
            continue;
        (void)orma_map_take(&g.seqs, n->id);
        orma_reassembly_end(&seq->packets);
        seq->retired = true;
        if (!seq->buffer)
            free_seq(seq);
    }
}

static void scrape(void)
{
    const struct orma_shm *shm = &g.pool->shm;

    for (uint32_t page = 0; page < shm->pages_num; page++) {
        enum orma_shm_state state;
        struct orma_shm_chunk chunk;

        for (uint32_t idx = 0; orma_shm_peek(shm, page, idx, &chunk, &state); idx++) {
            if (state != ORMA_SHM_WRITING)
                continue;
            struct seq *seq = orma_map_get_ptr(
                &g.seqs, atomic_load_explicit(&chunk.header->writer_id, memory_order_relaxed));
            uint32_t id = atomic_load_explicit(&chunk.header->chunk_id, memory_order_relaxed);
            /* acquire: what is counted is finished, but for the last. */
            uint16_t packets = atomic_load_explicit(&chunk.header->packets, memory_order_acquire);
            unsigned count = packets & ORMA_SHM_PACKETS_MASK;
            if (seq && id == seq->next_chunk && count > 1)
                orma_reassembly_scrape(&seq->packets, id, packets, count - 1, chunk.payload,
                                       chunk.payload_size);
        }
    }
}

void orma_cabi_store_drain(bool with_scrape)
{
    if (!g.pool)
        return;
    note_writers(false); /* sequences are numbered in the order of their writers */
    take_listed();
    if (with_scrape)
        scrape();
    note_writers(true);
}

bool orma_cabi_store_has_more(void)
{
    return g.pool && orma_pool_need(g.pool) != ORMA_POOL_IDLE;
}

/* ---- reading ---- */

void orma_cabi_store_read(struct orma_cabi_buffer *b,
                          void (*fn)(void *ctx, const void *packet, size_t len), void *ctx)
{
    while (b->at < b->data.len) {
        struct seq *seq;
        uint32_t len;
        size_t data = packet_at(b, b->at, &len, &seq);

        fn(ctx, b->data.data + data, len);
        b->at = data + len;
    }
    orma_buf_clear(&b->data);
    b->at = 0;
}

void orma_cabi_store_close(struct orma_cabi_buffer *b)
{
    (void)orma_map_take(&g.targets, b->target);
    ORMA_LIST_EACH (struct seq, seq, &b->seqs, link) {
        orma_list_remove(&seq->link);
        seq->buffer = NULL;
        if (seq->retired)
            free_seq(seq);
    }
    orma_buf_fini(&b->data);
}

static void put_counts(struct orma_buf *out, const struct seq *seq, uint32_t idx)
{
    size_t at = orma_pb_begin(out, ORMA_PB_TRACE_STATS_ORMA_SEQUENCE_COUNTS);

    orma_pb_put_u64(out, ORMA_PB_ORMA_SEQUENCE_COUNTS_SEQUENCE_ID, seq->id);
    orma_pb_put_u64(out, ORMA_PB_ORMA_SEQUENCE_COUNTS_BUFFER, idx);
    orma_pb_put_u64(out, ORMA_PB_ORMA_SEQUENCE_COUNTS_PRODUCER_ID, 1);
    orma_pb_put_u64(out, ORMA_PB_ORMA_SEQUENCE_COUNTS_WRITER_ID, seq->writer_id);
    orma_pb_put_u64(out, ORMA_PB_ORMA_SEQUENCE_COUNTS_EMITTED, seq->emitted);
    orma_pb_put_u64(out, ORMA_PB_ORMA_SEQUENCE_COUNTS_DELIVERED, seq->delivered);
    orma_pb_put_u64(out, ORMA_PB_ORMA_SEQUENCE_COUNTS_DROPPED, seq->dropped);
    orma_pb_put_u64(out, ORMA_PB_ORMA_SEQUENCE_COUNTS_OVERWRITTEN, seq->overwritten);
    orma_pb_put_u64(out, ORMA_PB_ORMA_SEQUENCE_COUNTS_UNPATCHED, seq->cut);
    orma_pb_end(out, at);
}

void orma_cabi_store_put_stats(struct orma_buf *out, struct orma_cabi_buffer *b, uint32_t idx)
{
    uint64_t lost = 0;

    ORMA_LIST_EACH (struct seq, seq, &b->seqs, link)
        lost += seq->dropped + seq->cut;
    size_t at = orma_pb_begin(out, ORMA_PB_TRACE_STATS_BUFFER_STATS);
    orma_pb_put_u64(out, ORMA_PB_TRACE_STATS_BUFFER_STATS_BUFFER_SIZE, b->size);
    orma_pb_put_u64(out, ORMA_PB_TRACE_STATS_BUFFER_STATS_BYTES_WRITTEN, b->written);
    orma_pb_put_u64(out, ORMA_PB_TRACE_STATS_BUFFER_STATS_BYTES_OVERWRITTEN, b->overwritten);
    orma_pb_put_u64(out, ORMA_PB_TRACE_STATS_BUFFER_STATS_CHUNKS_WRITTEN, b->chunks);
    orma_pb_put_u64(out, ORMA_PB_TRACE_STATS_BUFFER_STATS_CHUNKS_DISCARDED, b->packets_discarded);
    orma_pb_put_u64(out, ORMA_PB_TRACE_STATS_BUFFER_STATS_CHUNKS_OVERWRITTEN,
                    b->packets_overwritten);
    orma_pb_put_u64(out, ORMA_PB_TRACE_STATS_BUFFER_STATS_TRACE_WRITER_PACKET_LOSS, lost);
    orma_pb_end(out, at);
    ORMA_LIST_EACH (struct seq, seq, &b->seqs, link)
        put_counts(out, seq, idx);
}

/* The parent's threads may have been changing all of it. */
void orma_cabi_store_after_fork(void)
{
    memset(&g, 0, sizeof(g));
}
