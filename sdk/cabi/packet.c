/*
 * A packet that the program writes into the chunk itself (see abi.h), piece by
 * piece:
 *
 *   [4-byte size][bytes ...]   one piece per chunk; all but the last go on in the next
 *   ^size_at     ^begin   ^pos
 *
 * Before a chunk is given up, the program asks for each size of a message that
 * begins in it where it may be written later: into a patch, which goes to the
 * service when the packet ends. A packet without a chunk goes to scratch memory,
 * and is counted; its patches go nevertheless, since no reader goes past a chunk
 * that waits for one.
 */
#include <string.h>

#include "sdk/base/mem.h"
#include "sdk/cabi/cabi.h"
#include "sdk/wire/pb_writer.h"

#define SIZE_LEN ORMA_WRITER_SIZE_LEN
/* A packet is begun in what is left of a chunk if there is at least so much of it. */
#define BEGIN_MIN 16u
#define SCRATCH 4096u

struct orma_cabi_patch {
    struct orma_cabi_patch *next;
    uint32_t chunk_id, offset;
    uint8_t size[SIZE_LEN]; /* the program's to write; its first byte is not 0 then */
};

static void show_scratch(struct orma_cabi_tracer *self, struct orma_cabi_stream *w)
{
    static uint8_t waste[SCRATCH]; /* without memory all share it: nobody reads it */

    if (!self->scratch)
        self->scratch = orma_mem_new(SCRATCH);
    w->begin = w->pos = self->scratch ? self->scratch : waste;
    w->end = w->begin + SCRATCH;
}

static void lose(struct orma_cabi_tracer *self, bool counts, struct orma_cabi_stream *w)
{
    self->lost = true;
    if (counts)
        orma_writer_count_drop(self->writer, ORMA_DROP_NO_CHUNK);
    else
        orma_writer_count_cut(self->writer);
    show_scratch(self, w);
}

static void open_piece(struct orma_cabi_tracer *self, struct orma_cabi_stream *w)
{
    self->size_at = self->writer->pos;
    w->begin = w->pos = self->size_at + SIZE_LEN;
    w->end = self->writer->hard_end;
}

static void send_patches(struct orma_cabi_tracer *self)
{
    for (struct orma_cabi_patch *p = self->patches, *next; p; p = next) {
        next = p->next;
        const struct orma_pool_patch patch = {
            .chunk_id = p->chunk_id,
            .offset = p->offset,
            .size = (uint32_t)(p->size[0] & 0x7f) | (uint32_t)(p->size[1] & 0x7f) << 7 |
                    (uint32_t)(p->size[2] & 0x7f) << 14 | (uint32_t)(p->size[3] & 0x7f) << 21,
            .target_buffer = self->writer->slot->target_buffer,
            .writer_id = self->writer->slot->id,
            .last = !next || next->chunk_id != p->chunk_id,
        };
        /* -ENOMEM: the reader waits for it until it gives the packet up, and counts it. */
        (void)orma_pool_patch(self->writer->pool, &patch);
        orma_mem_free(p, sizeof(*p));
    }
    self->patches = NULL;
    self->patches_end = &self->patches;
}

/* One that the program has not ended: nobody knows how far it has come. */
static void abandon(struct orma_cabi_tracer *self)
{
    if (!self->in_packet)
        return;
    self->in_packet = false;
    if (!self->lost) {
        if (self->spans)
            orma_writer_abandon(self->writer, self->size_at);
        orma_writer_count_drop(self->writer, ORMA_DROP_NO_CHUNK);
    }
    send_patches(self);
}

void orma_cabi_tracer_begin_packet(struct orma_cabi_tracer *self, struct orma_cabi_stream *ret)
{
    struct orma_writer *writer = self->writer;
    bool counts = true;

    abandon(self);
    *ret = (struct orma_cabi_stream){.impl = self};
    self->in_packet = true;
    self->spans = self->lost = false;
    if (self->orphan) {
        self->lost = true;
        show_scratch(self, ret);
        return;
    }
    if (atomic_load_explicit(&writer->pool->closed, memory_order_relaxed) ||
        ((!writer->header || (writer->packets & ORMA_SHM_PACKETS_MASK) >= ORMA_SHM_PACKETS_MAX ||
          (size_t)(writer->hard_end - writer->pos) < BEGIN_MIN) &&
         !orma_writer_next_chunk(writer, NULL, 0, &counts))) {
        lose(self, counts, ret);
        return;
    }
    open_piece(self, ret);
    ret->pos += orma_writer_marks(writer, ret->pos);
}

void orma_cabi_tracer_next_chunk(struct orma_cabi_tracer *self, struct orma_cabi_stream *w)
{
    const struct orma_writer *writer = self->writer;
    size_t len = (size_t)(w->pos - w->begin);
    uint32_t flags = 0;
    bool counts;

    w->before += len;
    if (self->lost || !self->in_packet) {
        show_scratch(self, w);
        return;
    }
    if (!len && w->end > w->pos) /* nothing would stand in it */
        return;
    orma_varint_write_redundant(self->size_at, (uint32_t)len);
    for (const struct orma_cabi_patch *p = self->patches; p; p = p->next) {
        if (p->chunk_id == writer->next_chunk_id - 1)
            flags = ORMA_SHM_NEEDS_PATCH;
    }
    self->spans = true;
    if (orma_writer_next_chunk(self->writer, self->size_at, flags, &counts))
        open_piece(self, w);
    else
        lose(self, counts, w);
}

uint8_t *orma_cabi_tracer_patch(struct orma_cabi_tracer *self, uint8_t *at)
{
    const struct orma_writer *writer = self->writer;

    if (self->lost || !self->in_packet)
        return NULL;
    struct orma_cabi_patch *p = orma_mem_new(sizeof(*p));
    /* A reader that does not wait for us shall see a size. */
    orma_varint_write_redundant(at, 0);
    if (!p)
        return NULL; /* the message stays empty for readers: what is in it is lost with it */
    p->chunk_id = writer->next_chunk_id - 1;
    p->offset = (uint32_t)(at - writer->chunk.payload);
    *self->patches_end = p;
    self->patches_end = &p->next;
    return p->size;
}

/* Most packets are small: a size of one byte instead of four. */
static uint8_t *compact(struct orma_cabi_tracer *self, uint8_t *end)
{
    size_t len = (size_t)(end - self->size_at) - SIZE_LEN;

    if (self->spans || len >= 0x80) {
        orma_varint_write_redundant(self->size_at, (uint32_t)len);
        return end;
    }
    memmove(self->size_at + 1, self->size_at + SIZE_LEN, len);
    self->size_at[0] = (uint8_t)len;
    return self->size_at + 1 + len;
}

static void end_packet(struct orma_cabi_tracer *self, const struct orma_cabi_stream *w)
{
    if (!self->in_packet)
        return;
    self->in_packet = false;
    if (!self->lost) {
        orma_writer_advance(self->writer, compact(self, w->pos));
        orma_writer_set_end(self->writer);
        orma_writer_marked(self->writer);
    }
    if (self->patches)
        send_patches(self);
}

void orma_cabi_tracer_fini_packet(struct orma_cabi_tracer *self)
{
    abandon(self);
    orma_mem_free(self->scratch, SCRATCH);
    self->scratch = NULL;
}

struct orma_cabi_stream PerfettoDsTracerImplPacketBegin(void *tracer)
{
    ORMA_HUSHED;
    struct orma_cabi_stream w;

    orma_cabi_tracer_begin_packet(tracer, &w);
    return w;
}

void PerfettoDsTracerImplPacketEnd(void *tracer, struct orma_cabi_stream *w)
{
    end_packet(tracer, w);
}

/* ---- flush ---- */

struct flush {
    struct orma_cabi_home home;
    void (*fn)(void *user);
    void *user;
};

static void flush(void *arg)
{
    struct flush *f = arg;

    if (*f->home.life == f->home.my_life)
        f->home.ops->sync(f->fn, f->user);
    orma_mem_free(f, sizeof(*f));
}

void orma_cabi_tracer_flush(struct orma_cabi_tracer *self, void (*fn)(void *user), void *user)
{
    struct flush *f = self->orphan ? NULL : orma_mem_new(sizeof(*f));

    if (!self->in_packet && !self->orphan)
        orma_writer_flush(self->writer);
    if (!f)
        return;
    *f = (struct flush){self->home, fn, user};
    if (!orma_cabi_post(flush, f))
        orma_mem_free(f, sizeof(*f));
}

void PerfettoDsTracerImplFlush(void *tracer, void (*fn)(void *user), void *user)
{
    ORMA_HUSHED;

    orma_cabi_tracer_flush(tracer, fn, user);
}
