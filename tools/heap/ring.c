#include "tools/heap/ring.h"

#include <string.h>

#include "sdk/base/defs.h"

#define WAIT_NS UINT64_C(50000000) /* a writer that runs takes some microseconds */

static struct orma_heap_record *record_at(const struct orma_heap_ring *self, uint64_t position)
{
    return (struct orma_heap_record *)(void *)(self->bytes +
                                               (position & (ORMA_HEAP_RING_BYTES - 1)));
}

/* Pairs with the writer's release. */
static uint32_t size_at(const struct orma_heap_ring *self, uint64_t position)
{
    return atomic_load_explicit(&record_at(self, position)->size, memory_order_acquire);
}

/* Up to `limit`, and not over the end of the ring. */
static bool is_size(uint32_t size, uint64_t position, uint64_t limit)
{
    return size >= 8 && size % 8 == 0 && size <= limit - position &&
           size <= ORMA_HEAP_RING_BYTES - (position & (ORMA_HEAP_RING_BYTES - 1));
}

/* Where anything was written first; `limit`: nowhere. */
static uint64_t first_written(const struct orma_heap_ring *self, uint64_t position, uint64_t limit)
{
    for (; position < limit; position += 8) {
        const volatile uint64_t *word = (const void *)record_at(self, position);

        if (*word)
            break;
    }
    return position;
}

static bool copy(const struct orma_heap_record *from, uint32_t size, struct orma_heap_record *to)
{
    memcpy((void *)to, (const void *)from, ORMA_MIN(size, ORMA_HEAP_RECORD_MAX));
    if (to->kind == ORMA_HEAP_PAD)
        return true;
    return size >= sizeof(*to) && size <= ORMA_HEAP_RECORD_MAX &&
           to->stack_len <= size - sizeof(*to);
}

/* Its bytes are zero then. False: nonsense. */
static bool take(struct orma_heap_ring *self, uint64_t *position, uint32_t size,
                 struct orma_heap_record *ret)
{
    struct orma_heap_record *r = record_at(self, *position);

    if (!copy(r, size, ret)) {
        self->corrupted = true;
        return false;
    }
    memset((void *)r, 0, size);
    *position += size;
    return true;
}

/* ---- what is not finished ---- */

static void drop(struct orma_heap_ring *self, unsigned nr)
{
    memmove(&self->open[nr], &self->open[nr + 1], (self->open_num - nr - 1) * sizeof(*self->open));
    self->open_num--;
}

static bool keep_open(struct orma_heap_ring *self, unsigned nr, uint64_t at, uint64_t end)
{
    if (self->open_num == ORMA_HEAP_RING_OPEN_MAX)
        return false;
    memmove(&self->open[nr + 1], &self->open[nr], (self->open_num - nr) * sizeof(*self->open));
    self->open[nr] = (struct orma_heap_open){at, end, 0};
    self->open_num++;
    return true;
}

/* Its process is gone, so that nobody finishes it. One that was killed before its pid was written
 * is kept: a stopped one may still write. What is shorter than a record, a PAD, has no pid, and may
 * be all that is left of the ring. */
static bool is_dead(const struct orma_heap_ring *self, uint64_t position, uint32_t len)
{
    const struct orma_heap_record *r = record_at(self, position);
    uint32_t pid = len < sizeof(*r) ? 0 : *(const volatile uint32_t *)&r->pid;

    return pid && !self->is_alive(self->ctx, *(const volatile uint64_t *)&r->pid_space, pid);
}

/* What is known of it by now. True: a record is in `ret`. */
static bool look_at_open(struct orma_heap_ring *self, unsigned nr, uint64_t now_ns,
                         struct orma_heap_record *ret)
{
    struct orma_heap_open *o = &self->open[nr];
    uint32_t size = size_at(self, o->at), len = size & ~ORMA_HEAP_OPEN;
    bool may_search = now_ns - o->looked_ns >= WAIT_NS;

    if (size && !is_size(len, o->at, o->end)) {
        self->corrupted = true;
        return false;
    }
    if (size == len && size)
        return take(self, &o->at, size, ret);
    if (!may_search)
        return false;
    o->looked_ns = now_ns;
    if (!size) {
        uint64_t next = first_written(self, o->at, o->end), end = o->end;

        self->corrupted = next == o->at; /* who writes begins with the size */
        if (next > o->at && next < end && keep_open(self, nr + 1, next, end))
            o->end = next;
    } else if (is_dead(self, o->at, len)) {
        memset((void *)record_at(self, o->at), 0, len);
        o->at += len;
        self->dead++;
    }
    return false;
}

static bool take_open(struct orma_heap_ring *self, uint64_t now_ns, struct orma_heap_record *ret)
{
    for (unsigned i = 0; i < self->open_num && !self->corrupted;) {
        bool found = look_at_open(self, i, now_ns, ret);

        if (self->open[i].at == self->open[i].end)
            drop(self, i);
        else if (!found)
            i++;
        if (found)
            return true;
    }
    return false;
}

/* ---- in order ---- */

/* Behind what is not finished, if that took too long. False: nothing is to be read there yet. */
static bool pass_over(struct orma_heap_ring *self, uint32_t size, uint64_t limit, uint64_t now_ns)
{
    uint64_t end;

    if (!self->waits_ns)
        self->waits_ns = now_ns;
    if (now_ns != ORMA_HEAP_RING_NOW && now_ns - self->waits_ns < WAIT_NS)
        return false;
    self->waits_ns = 0; /* the next search is as far away */
    end = size ? self->read + (size & ~ORMA_HEAP_OPEN) : first_written(self, self->read, limit);
    self->corrupted = end == self->read; /* who writes begins with the size */
    if (self->corrupted || (!size && end == limit) ||
        !keep_open(self, self->open_num, self->read, end))
        return false;
    self->read = end;
    return true;
}

static bool take_next(struct orma_heap_ring *self, uint64_t now_ns, struct orma_heap_record *ret)
{
    while (!self->corrupted) {
        uint64_t head = atomic_load_explicit(&self->shared->head, memory_order_relaxed);
        uint64_t limit = self->tail + ORMA_HEAP_RING_BYTES;
        uint32_t size;

        if (head - self->tail < ORMA_HEAP_RING_BYTES) /* it may be nonsense */
            limit = head & ~UINT64_C(7);
        if (self->read >= limit)
            return false;
        size = size_at(self, self->read);
        if (size && !is_size(size & ~ORMA_HEAP_OPEN, self->read, limit)) {
            self->corrupted = true;
            return false;
        }
        if (size && !(size & ORMA_HEAP_OPEN)) {
            self->waits_ns = 0;
            return take(self, &self->read, size, ret);
        }
        if (!pass_over(self, size, limit, now_ns))
            return false;
    }
    return false;
}

/* Of what was taken before: whoever waits for a record goes on when all was done with it. */
static void give_back(struct orma_heap_ring *self)
{
    self->tail = self->open_num ? self->open[0].at : self->read;
    self->seen = self->read;
    atomic_store_explicit(&self->shared->seen, self->seen, memory_order_relaxed);
    /* Pairs with the acquire in reserve(): the bytes are zero. */
    atomic_store_explicit(&self->shared->tail, self->tail, memory_order_release);
}

/* ---- the header ---- */

/* What only we write. Written anew only where it differs: programs read it all the time. */
static bool is_ours(struct orma_heap_ring *self)
{
    struct orma_heap_shared *s = self->shared;

    if (s->magic == ORMA_HEAP_MAGIC && s->interval == self->interval &&
        atomic_load(&s->tail) == self->tail && atomic_load(&s->seen) == self->seen &&
        atomic_load(&s->on) == 1 && atomic_load(&s->owner) == self->owner)
        return true;
    s->magic = ORMA_HEAP_MAGIC;
    s->interval = self->interval;
    atomic_store(&s->tail, self->tail);
    atomic_store(&s->seen, self->seen);
    atomic_store(&s->on, 1);
    atomic_store(&s->owner, self->owner);
    return false;
}

/* Of what programs count. False: it fell. */
static bool grows(const _Atomic uint64_t *place, uint64_t *known)
{
    uint64_t before = *known;

    *known = atomic_load_explicit(place, memory_order_relaxed);
    return *known >= before;
}

void orma_heap_ring_check(struct orma_heap_ring *self)
{
    struct orma_heap_shared *s = self->shared;
    bool lost_grows = grows(&s->lost, &self->lost),
         confined_grows = grows(&s->confined, &self->confined);
    bool is_head = grows(&s->head, &self->head) && self->head >= self->read &&
                   self->head - self->tail <= ORMA_HEAP_RING_BYTES && self->head % 8 == 0;

    if (!is_ours(self) || !lost_grows || !confined_grows || !is_head)
        self->contradicted++;
    self->corrupted |= !is_head;
}

bool orma_heap_ring_take(struct orma_heap_ring *self, uint64_t now_ns, struct orma_heap_record *ret)
{
    give_back(self);
    return take_open(self, now_ns, ret) || take_next(self, now_ns, ret);
}

uint64_t orma_heap_ring_unread(const struct orma_heap_ring *self)
{
    const uint64_t limit = self->tail + ORMA_HEAP_RING_BYTES,
                   head = atomic_load_explicit(&self->shared->head, memory_order_relaxed);
    uint64_t ret = self->open_num, at = self->read;

    while (at < limit) {
        uint32_t size = size_at(self, at), len = size & ~ORMA_HEAP_OPEN;

        if (!is_size(len, at, limit))
            break;
        ret += record_at(self, at)->kind != ORMA_HEAP_PAD;
        at += len;
    }
    return ret + (head <= limit && at < head); /* one of which nothing was written */
}
