#include "sdk/transport/reassembly.h"

#include <string.h>

#include "sdk/wire/pb_reader.h"
#include "sdk/wire/pb_writer.h"

#define BATCH 64u
#define SIZE_LEN 4u

/* A chunk that waits for its patches, and those behind it. */
struct held {
    uint32_t chunk_id;
    uint16_t packets;
    uint32_t len; /* payload bytes, which follow */
};

void orma_reassembly_init(struct orma_reassembly *self, const struct orma_reassembly_ops *ops,
                          void *ctx)
{
    *self = (struct orma_reassembly){.ops = ops, .ctx = ctx};
    self->part.own_mem = self->held.own_mem = true;
}

void orma_reassembly_fini(struct orma_reassembly *self)
{
    orma_buf_fini(&self->part);
    orma_buf_fini(&self->held);
}

static void forget_open(struct orma_reassembly *self)
{
    self->open = ORMA_OPEN_NONE;
    orma_buf_clear(&self->part);
}

/* The next chunk does not continue it. */
static void lose_open(struct orma_reassembly *self)
{
    enum orma_open_packet was = self->open;

    forget_open(self);
    if (was != ORMA_OPEN_NONE)
        self->ops->cut(self->ctx, was);
}

static void give_up_open(struct orma_reassembly *self)
{
    bool was_open = self->open != ORMA_OPEN_NONE;

    forget_open(self);
    if (was_open && self->ops->given_up)
        self->ops->given_up(self->ctx);
}

static void read_record(struct orma_reassembly *self, const uint8_t *data, size_t len,
                        bool continues, bool goes_on)
{
    if (continues && self->open != ORMA_OPEN_HERE) {
        if (!goes_on)
            lose_open(self);
        return;
    }
    if (!continues && !goes_on) {
        if (len)
            self->ops->packet(self->ctx, data, len);
        return;
    }
    orma_buf_put(&self->part, data, len);
    self->open = ORMA_OPEN_HERE;
    if (goes_on)
        return;
    if (self->part.failed) {
        lose_open(self);
        return;
    }
    self->ops->packet(self->ctx, self->part.data, self->part.len);
    forget_open(self);
}

/* Records from self->scraped on, `count` in all. */
static void read_chunk(struct orma_reassembly *self, uint32_t chunk_id, uint16_t packets,
                       unsigned count, const uint8_t *payload, size_t len)
{
    bool again = self->scraped && self->scraped_id == chunk_id;
    struct orma_pb_reader r = orma_pb_reader(payload, len);
    unsigned i = again ? self->scraped : 0;

    if (again)
        r.pos += self->scraped_at;
    else if (!(packets & ORMA_SHM_CONT_PREV))
        lose_open(self);
    for (; i < count; i++) {
        uint64_t size = orma_pb_varint(&r);

        if (size == ORMA_SHM_DROP_MARKER) {
            give_up_open(self);
            return;
        }
        if (r.failed || size > (size_t)(r.end - r.pos))
            return;
        read_record(self, r.pos, size, i == 0 && packets & ORMA_SHM_CONT_PREV,
                    i == count - 1 && packets & ORMA_SHM_CONT_NEXT);
        r.pos += size;
    }
    self->scraped = count;
    self->scraped_id = chunk_id;
    self->scraped_at = (size_t)(r.pos - payload);
}

static void settle(struct orma_reassembly *self)
{
    size_t at = 0;

    while (at < self->held.len) {
        struct held h;

        memcpy(&h, self->held.data + at, sizeof(h));
        if (h.packets & ORMA_SHM_NEEDS_PATCH)
            break;
        read_chunk(self, h.chunk_id, h.packets, h.packets & ORMA_SHM_PACKETS_MASK,
                   self->held.data + at + sizeof(h), h.len);
        at += sizeof(h) + h.len;
    }
    orma_buf_consume(&self->held, at);
}

void orma_reassembly_take(struct orma_reassembly *self, const struct orma_pool_chunk *c)
{
    uint16_t packets = atomic_load_explicit(&c->chunk.header->packets, memory_order_relaxed);

    if (!self->held.len && !(packets & ORMA_SHM_NEEDS_PATCH)) {
        read_chunk(self, c->chunk_id, packets, packets & ORMA_SHM_PACKETS_MASK, c->chunk.payload,
                   c->chunk.payload_size);
        return;
    }
    const struct held h = {c->chunk_id, packets, c->chunk.payload_size};
    orma_buf_put(&self->held, &h, sizeof(h));
    orma_buf_put(&self->held, c->chunk.payload, h.len);
    if (self->held.failed) {
        orma_buf_clear(&self->held);
        lose_open(self);
    }
}

void orma_reassembly_scrape(struct orma_reassembly *self, uint32_t chunk_id, uint16_t packets,
                            unsigned count, const uint8_t *payload, size_t len)
{
    if (!self->held.len)
        read_chunk(self, chunk_id, packets & ORMA_SHM_CONT_PREV, count, payload, len);
}

bool orma_reassembly_patch(struct orma_reassembly *self, const struct orma_pool_patch *patch)
{
    for (size_t at = 0; at < self->held.len;) {
        struct held h;

        memcpy(&h, self->held.data + at, sizeof(h));
        if (h.chunk_id == patch->chunk_id && patch->offset <= h.len - SIZE_LEN) {
            orma_varint_write_redundant(self->held.data + at + sizeof(h) + patch->offset,
                                        patch->size);
            if (patch->last)
                h.packets &= (uint16_t)~ORMA_SHM_NEEDS_PATCH;
            memcpy(self->held.data + at, &h, sizeof(h));
            settle(self);
            return true;
        }
        at += sizeof(h) + h.len;
    }
    return false;
}

void orma_reassembly_take_patches(struct orma_pool *pool,
                                  struct orma_reassembly *(*find)(void *ctx, uint16_t writer_id),
                                  void *ctx)
{
    struct orma_pool_patch patches[BATCH];
    size_t num;

    do {
        num = orma_pool_take_patches(pool, patches, BATCH);
        for (size_t i = 0; i < num; i++) {
            struct orma_reassembly *r = find(ctx, patches[i].writer_id);

            /* Else its chunk was completed since what is listed was taken. */
            if (!r || !orma_reassembly_patch(r, &patches[i]))
                orma_pool_patch_listed(pool, &patches[i]);
        }
    } while (num == BATCH);
}

/* A packet counts in the chunk in which it ends. */
unsigned orma_reassembly_skip(struct orma_reassembly *self, const struct orma_pool_chunk *c)
{
    uint16_t packets = atomic_load_explicit(&c->chunk.header->packets, memory_order_relaxed);
    struct orma_pb_reader r = orma_pb_reader(c->chunk.payload, c->chunk.payload_size);
    unsigned count = packets & ORMA_SHM_PACKETS_MASK;

    if (!(packets & ORMA_SHM_CONT_PREV))
        lose_open(self);
    forget_open(self);
    for (unsigned i = 0; i < count; i++) {
        uint64_t size = orma_pb_varint(&r);

        if (size == ORMA_SHM_DROP_MARKER || r.failed || size > (size_t)(r.end - r.pos))
            return i;
        if (i == count - 1 && packets & ORMA_SHM_CONT_NEXT) {
            self->open = ORMA_OPEN_GONE;
            return i;
        }
        r.pos += size;
    }
    return count;
}

void orma_reassembly_end(struct orma_reassembly *self)
{
    lose_open(self);
}
