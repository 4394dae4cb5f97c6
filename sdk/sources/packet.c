/*
 * A packet is written straight into the chunk, piece by piece:
 *
 *   [4-byte size][bytes ...]   one piece per chunk; all but the last go on in the next
 *                 ^ nests[0].size_at, nests[1].size_at ...: sizes to be filled in
 *
 * Sizes are four bytes wide until the end is known. A nested message that is still
 * open when its chunk is handed over becomes a patch (writer id, chunk id, offset),
 * sent when it is closed. A packet that stayed in one chunk and is short is moved
 * down by three bytes at the end, to a size of one byte.
 */
#include "sdk/sources/packet.h"

#include <errno.h>
#include <string.h>

#include "sdk/base/assert.h"
#include "sdk/base/endian.h"
#include "sdk/wire/pb_writer.h"

#define SIZE_LEN ORMA_WRITER_SIZE_LEN
/* A packet is begun in what is left of a chunk if there is at least so much of it. */
#define BEGIN_MIN 12u
#define TAG_MAX 5u
#define PACKET_MAX (ORMA_SHM_DROP_MARKER - 1)

static size_t room(const struct orma_packet *self)
{
    ORMA_ASSERT_HOT(self->pos <= self->writer->hard_end);
    return (size_t)(self->writer->hard_end - self->pos);
}

/* ---- losing ---- */

static void patch(struct orma_packet *self, unsigned idx, uint32_t size)
{
    const struct orma_packet_nest *n = &self->nests[idx];
    /* Nested sizes of one chunk are closed one after the other, the outermost last. */
    bool more =
        idx && !self->nests[idx - 1].size_at && self->nests[idx - 1].chunk_id == n->chunk_id;
    const struct orma_pool_patch p = {
        .chunk_id = n->chunk_id,
        .offset = n->offset,
        .size = size,
        .target_buffer = self->writer->slot->target_buffer,
        .writer_id = self->writer->slot->id,
        .last = !more,
    };

    /* -ENOMEM: the reader waits for the patch until it gives the packet up, and counts it. */
    (void)orma_pool_patch(self->writer->pool, &p);
}

/* From here on nothing is written. What was handed over gets its patches nevertheless. */
static void give_up(struct orma_packet *self)
{
    self->lost = true;
    while (self->depth) {
        self->depth--;
        if (!self->nests[self->depth].size_at)
            patch(self, self->depth, 0);
    }
}

static void lose(struct orma_packet *self, bool counts)
{
    if (counts)
        orma_writer_count_drop(self->writer, ORMA_DROP_NO_CHUNK);
    else
        orma_writer_count_cut(self->writer);
    give_up(self);
}

/* The caller wants what cannot be: the packet is taken back as far as it can be. */
static void refuse(struct orma_packet *self)
{
    if (self->lost)
        return;
    if (self->spans)
        orma_writer_abandon(self->writer, self->size_at);
    orma_writer_count_drop(self->writer, ORMA_DROP_TOO_LARGE);
    give_up(self);
}

/* ---- pieces ---- */

static void open_piece(struct orma_packet *self)
{
    self->size_at = self->writer->pos;
    self->pos = self->size_at + SIZE_LEN;
}

static void close_piece(struct orma_packet *self)
{
    orma_varint_write_redundant(self->size_at, (uint32_t)(self->pos - self->size_at - SIZE_LEN));
}

/* The packet goes on in the next chunk. False: it is lost. */
static bool next_piece(struct orma_packet *self)
{
    struct orma_writer *w = self->writer;
    const uint8_t *payload = w->chunk.payload;
    uint32_t chunk_id = w->next_chunk_id - 1, flags = 0;
    bool counts;

    close_piece(self);
    for (unsigned i = 0; i < self->depth; i++) {
        struct orma_packet_nest *n = &self->nests[i];

        if (!n->size_at)
            continue;
        /* Its bytes are somebody's old ones; a reader that does not wait for us shall see a size.
         */
        orma_varint_write_redundant(n->size_at, 0);
        n->offset = (uint32_t)(n->size_at - payload);
        n->chunk_id = chunk_id;
        n->size_at = NULL;
        flags = ORMA_SHM_NEEDS_PATCH;
    }
    self->spans = true;
    if (!orma_writer_next_chunk(w, self->size_at, flags, &counts)) {
        lose(self, counts);
        return false;
    }
    open_piece(self);
    return true;
}

static void put(struct orma_packet *self, const void *data, size_t len)
{
    const uint8_t *from = data;

    if (len > PACKET_MAX - self->written)
        refuse(self);
    while (!self->lost && len) {
        size_t n = ORMA_MIN(len, room(self));

        memcpy(self->pos, from, n);
        self->pos += n;
        self->written += n;
        from += n;
        len -= n;
        if (len && !next_piece(self))
            return;
    }
}

/* ---- packets ---- */

void orma_packet_begin(struct orma_packet *self, struct orma_writer *writer)
{
    uint8_t marks[8];
    bool counts = true;

    self->writer = writer;
    self->written = 0;
    self->spans = self->lost = false;
    self->depth = 0;
    if (atomic_load_explicit(&writer->pool->closed, memory_order_relaxed) ||
        ((!writer->header || (writer->packets & ORMA_SHM_PACKETS_MASK) >= ORMA_SHM_PACKETS_MAX ||
          (size_t)(writer->hard_end - writer->pos) < BEGIN_MIN) &&
         !orma_writer_next_chunk(writer, NULL, 0, &counts))) {
        lose(self, counts);
        return;
    }
    open_piece(self);
    put(self, marks, orma_writer_marks(writer, marks));
}

/* Most packets are small: a size of one byte instead of four. */
static void compact(struct orma_packet *self)
{
    size_t len = (size_t)(self->pos - self->size_at) - SIZE_LEN;

    if (self->spans || len >= 0x80)
        return;
    memmove(self->size_at + 1, self->size_at + SIZE_LEN, len);
    self->size_at[0] = (uint8_t)len;
    self->pos = self->size_at + 1 + len;
}

int orma_packet_end(struct orma_packet *self)
{
    while (self->depth && !self->lost)
        orma_packet_unnest(self);
    if (self->lost)
        return -ENOBUFS;
    close_piece(self);
    compact(self);
    orma_writer_advance(self->writer, self->pos);
    orma_writer_set_end(self->writer);
    orma_writer_marked(self->writer);
    return 0;
}

/* ---- fields ---- */

static void put_tag(struct orma_packet *self, uint32_t field, enum orma_pb_wire wire)
{
    uint8_t tag[TAG_MAX];

    put(self, tag, (size_t)(orma_varint_write(tag, (uint64_t)field << 3 | wire) - tag));
}

static void put_varint(struct orma_packet *self, uint64_t val)
{
    uint8_t bytes[ORMA_VARINT_MAX];

    put(self, bytes, (size_t)(orma_varint_write(bytes, val) - bytes));
}

void orma_packet_u64(struct orma_packet *packet, uint32_t field, uint64_t val)
{
    put_tag(packet, field, ORMA_PB_VARINT);
    put_varint(packet, val);
}

void orma_packet_sint(struct orma_packet *packet, uint32_t field, int64_t val)
{
    orma_packet_u64(packet, field, (uint64_t)val << 1 ^ (uint64_t)(val >> 63));
}

void orma_packet_fixed32(struct orma_packet *packet, uint32_t field, uint32_t val)
{
    val = ORMA_LE32(val);
    put_tag(packet, field, ORMA_PB_I32);
    put(packet, &val, sizeof(val));
}

void orma_packet_fixed64(struct orma_packet *packet, uint32_t field, uint64_t val)
{
    val = ORMA_LE64(val);
    put_tag(packet, field, ORMA_PB_I64);
    put(packet, &val, sizeof(val));
}

void orma_packet_double(struct orma_packet *packet, uint32_t field, double val)
{
    val = ORMA_LE64(val);
    put_tag(packet, field, ORMA_PB_I64);
    put(packet, &val, sizeof(val));
}

void orma_packet_float(struct orma_packet *packet, uint32_t field, float val)
{
    val = ORMA_LE32(val);
    put_tag(packet, field, ORMA_PB_I32);
    put(packet, &val, sizeof(val));
}

void orma_packet_bytes(struct orma_packet *packet, uint32_t field, const void *data, size_t len)
{
    put_tag(packet, field, ORMA_PB_LEN);
    put_varint(packet, len);
    put(packet, data, len);
}

void orma_packet_str(struct orma_packet *packet, uint32_t field, const char *text)
{
    orma_packet_bytes(packet, field, text, text ? strlen(text) : 0);
}

void orma_packet_raw(struct orma_packet *packet, const void *data, size_t len)
{
    put(packet, data, len);
}

void orma_packet_nest(struct orma_packet *packet, uint32_t field)
{
    if (packet->depth == ORMA_PACKET_NESTING_MAX)
        refuse(packet);
    put_tag(packet, field, ORMA_PB_LEN);
    /* The placeholder may not lie across a border. */
    if (packet->lost || (room(packet) < SIZE_LEN && !next_piece(packet)))
        return;
    struct orma_packet_nest *n = &packet->nests[packet->depth++];
    *n = (struct orma_packet_nest){.size_at = packet->pos};
    packet->pos += SIZE_LEN;
    packet->written += SIZE_LEN;
    n->begun = packet->written;
}

void orma_packet_unnest(struct orma_packet *packet)
{
    if (packet->lost || !packet->depth)
        return;
    unsigned idx = packet->depth - 1;
    uint32_t size = (uint32_t)(packet->written - packet->nests[idx].begun);
    if (packet->nests[idx].size_at)
        orma_varint_write_redundant(packet->nests[idx].size_at, size);
    else
        patch(packet, idx, size);
    packet->depth--;
}
