/*
 * Streams: into a buffer that grows, or into a tracer's packet (packet.c). The
 * buffer is a list of slices, each as large as all before it; a slice stays where it
 * is, so sizes of messages are filled in in place.
 */
#include <stdlib.h>
#include <string.h>

#include "sdk/cabi/cabi.h"

#define SLICE_MIN 512u
#define SLICE_MAX (1u << 20)

struct slice {
    struct slice *next;
    size_t used; /* of the bytes that follow */
};

struct heap {
    enum orma_cabi_sink sink;
    struct slice *first, *last;
    struct slice empty;       /* before the first byte */
    uint8_t waste[SLICE_MIN]; /* without memory: what is written goes nowhere */
    bool failed;
};

static struct heap *heap_of(const struct orma_cabi_stream *w)
{
    return w->impl;
}

static bool is_heap(const struct orma_cabi_stream *w)
{
    return *(enum orma_cabi_sink *)w->impl == ORMA_CABI_HEAP;
}

/* Takes over how far the program has written. */
static void settle(struct orma_cabi_stream *w)
{
    struct heap *h = heap_of(w);

    if (!h->failed)
        h->last->used = (size_t)(w->pos - w->begin);
}

static void show(struct orma_cabi_stream *w, uint8_t *data, size_t len)
{
    w->before += (size_t)(w->pos - w->begin);
    w->begin = w->pos = data;
    w->end = data + len;
}

static void next_slice(struct orma_cabi_stream *w, size_t need)
{
    struct heap *h = heap_of(w);
    size_t cap = ORMA_MIN(ORMA_MAX(w->before + (size_t)(w->pos - w->begin), (size_t)SLICE_MIN),
                          (size_t)SLICE_MAX);

    settle(w);
    cap = ORMA_MAX(cap, need);
    struct slice *s = h->failed ? NULL : malloc(sizeof(*s) + cap);
    if (!s) {
        h->failed = true;
        show(w, h->waste, sizeof(h->waste));
        return;
    }
    s->next = NULL;
    s->used = 0;
    h->last->next = s;
    h->last = s;
    show(w, (uint8_t *)(s + 1), cap);
}

/* Without memory even for the buffer itself, all buffers share this one, into which nothing is
 * written. */
static struct heap no_memory = {.sink = ORMA_CABI_HEAP, .failed = true};

void *PerfettoHeapBufferCreate(struct orma_cabi_stream *w)
{
    struct heap *h = calloc(1, sizeof(*h));

    if (!h)
        h = &no_memory;
    else
        h->first = h->last = &h->empty;
    *w = (struct orma_cabi_stream){.impl = h, .begin = h->waste, .end = h->waste, .pos = h->waste};
    return h;
}

void PerfettoHeapBufferCopyInto(void *buffer, struct orma_cabi_stream *w, void *to, size_t len)
{
    struct heap *h = buffer;
    uint8_t *at = to;

    settle(w);
    if (h->failed) {
        if (len)
            memset(to, 0, len); /* what was to be there is lost; a parser stops at once */
        return;
    }
    for (const struct slice *s = h->first; s && len; s = s->next) {
        size_t n = ORMA_MIN(s->used, len);

        if (n)
            memcpy(at, s + 1, n);
        at += n;
        len -= n;
    }
}

void PerfettoHeapBufferDestroy(void *buffer, struct orma_cabi_stream *w)
{
    struct heap *h = buffer;

    (void)w;
    if (!h || h == &no_memory)
        return;
    for (struct slice *s = h->empty.next, *next; s; s = next) {
        next = s->next;
        free(s);
    }
    free(h);
}

/* ---- both kinds ---- */

static void next_chunk(struct orma_cabi_stream *w, size_t need)
{
    if (is_heap(w))
        next_slice(w, need);
    else
        orma_cabi_tracer_next_chunk(w->impl, w);
}

void PerfettoStreamWriterUpdateWritePtr(struct orma_cabi_stream *w)
{
    if (is_heap(w))
        settle(w);
}

void PerfettoStreamWriterNewChunk(struct orma_cabi_stream *w)
{
    next_chunk(w, 1);
}

void PerfettoStreamWriterAppendBytesSlowpath(struct orma_cabi_stream *w, const uint8_t *from,
                                             size_t len)
{
    while (len) {
        size_t n = ORMA_MIN((size_t)(w->end - w->pos), len);

        if (n)
            memcpy(w->pos, from, n);
        w->pos += n;
        from += n;
        len -= n;
        if (len)
            next_chunk(w, is_heap(w) ? len : 1);
    }
}

void PerfettoStreamWriterReserveBytesSlowpath(struct orma_cabi_stream *w, size_t len)
{
    if ((size_t)(w->end - w->pos) < len)
        next_chunk(w, len);
    if ((size_t)(w->end - w->pos) >= len)
        w->pos += len;
}

uint8_t *PerfettoStreamWriterAnnotatePatch(struct orma_cabi_stream *w, uint8_t *at)
{
    if (!is_heap(w))
        return orma_cabi_tracer_patch(w->impl, at);
    memset(at, 0, 4);
    return at;
}
