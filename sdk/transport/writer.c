/*
 * Losing a packet, by where it happens:
 *
 *  - no chunk before its first byte: counted here. If a chunk was held, it is
 *    completed with a bare drop marker behind the last packet, in bytes kept
 *    in reserve, so no finished packet is sacrificed;
 *  - no chunk in its middle, without waiting: the size of its last piece
 *    becomes the drop marker. Counted here; the reader counts nothing for it;
 *  - no chunk in its middle, after waiting: the last piece was already handed
 *    over as "goes on in the next chunk", which then does not continue it. The
 *    reader finds the missing piece and counts it, so it is not counted here.
 *
 * So each lost packet is counted once. In all cases the next packet carries
 * previous_packet_dropped.
 */
#include "sdk/transport/writer.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "protos/fields/config.h"
#include "protos/fields/trace.h"
#include "sdk/base/assert.h"
#include "sdk/base/clock.h"
#include "sdk/base/guard.h"
#include "sdk/base/mem.h"
#include "sdk/transport/producer_impl.h"
#include "sdk/transport/writer_impl.h"
#include "sdk/wire/pb_writer.h"

#define STALL_MS 30000u
#define STALL_THEN_DROP_MS 100u
/* A waiting writer looks again after 8 us, 64 us, ... but at least so often. */
#define NAP_MAX_NS 1000000
/* How often others may snatch the room that a thread has made for itself. */
#define ROOM_TRIES 16
/* Pages that one dropped packet looks at: cheap, and the cursor still gets round. */
#define PAGES_WHILE_DROPPING 8u
/* A packet is begun in what is left of a chunk if there is at least so much of it. */
#define FRAGMENT_MIN 12u
/* Part of a chunk that is rather left empty than filled with a piece of a packet. */
#define WASTE_DEN 8u
/* 1: lost before this one; 256: because the shared memory was full. */
#define PREVIOUS_DROPPED 257u

enum orma_policy orma_policy_of_config(uint64_t value, enum orma_policy program)
{
    enum orma_policy most = program == ORMA_POLICY_BY_CONFIG ? ORMA_POLICY_STALL : program;

    switch (value) {
    case ORMA_PB_DATA_SOURCE_CONFIG_BUFFER_EXHAUSTED_DROP:
        return ORMA_POLICY_DROP;
    case ORMA_PB_DATA_SOURCE_CONFIG_BUFFER_EXHAUSTED_STALL_THEN_ABORT:
        return most; /* nothing of ours aborts the host */
    case ORMA_PB_DATA_SOURCE_CONFIG_BUFFER_EXHAUSTED_STALL_THEN_DROP:
        return most == ORMA_POLICY_STALL ? ORMA_POLICY_STALL_THEN_DROP : most;
    }
    return program == ORMA_POLICY_BY_CONFIG ? ORMA_POLICY_DROP : program;
}

int orma_writer_new_in_pool(struct orma_pool *pool, uint32_t target_buffer, enum orma_policy policy,
                            struct orma_writer **ret)
{
    struct orma_pool_slot *slot;
    int r = orma_pool_add(pool, target_buffer, &slot);

    if (r < 0)
        return r;
    /* Lines of its own: two writers that share one cost each other 2-3 times the event. */
    struct orma_writer *self = orma_mem_new(sizeof(*self)); /* a power of two >= 128 */
    if (!self) {
        orma_pool_retire(pool, slot);
        return -ENOMEM;
    }
    *self = (struct orma_writer){
        .policy = policy,
        .first = true,
        .restart = true,
        .pool = orma_pool_ref(pool),
        .slot = slot,
    };
    *ret = self;
    return 0;
}

int orma_writer_new(struct orma_producer *producer, uint32_t target_buffer, enum orma_policy policy,
                    struct orma_writer **ret)
{
    struct orma_pool *pool = orma_producer_ref_pool(producer);

    if (!pool)
        return -ENOTCONN;
    int r = orma_writer_new_in_pool(pool, target_buffer, policy, ret);
    orma_pool_unref(pool);
    return r;
}

void orma_writer_free(struct orma_writer *self)
{
    if (!self)
        return;
    orma_writer_flush(self);
    orma_pool_retire(self->pool, self->slot);
    orma_pool_unref(self->pool);
    orma_mem_free(self, sizeof(*self));
}

static uint32_t count_of(const struct orma_writer *self)
{
    return self->packets & ORMA_SHM_PACKETS_MASK;
}

/*
 * Gives the chunk away. `records` are those that stand in it, `flag` 0 or
 * CONT_NEXT. The count may go down by the one that was never begun; a scraper
 * that still saw it took it for unfinished.
 */
static void hand_over(struct orma_writer *self, uint32_t records, uint32_t flag)
{
    ORMA_ASSERT_HOT(self->header && count_of(self) > 0);
    uint32_t finished = count_of(self) - 1;
    uint32_t word = (self->packets & ORMA_SHM_FLAGS) | flag | records;

    self->pos = self->end = self->hard_end = NULL;
    self->header = NULL;
    orma_pool_complete(self->pool, self->slot, &self->chunk, (uint16_t)word, finished);
}

/* In a new chunk the hot path may add records until `end`; by then there are not too many. */
void orma_writer_set_end(struct orma_writer *self)
{
    ORMA_ASSERT_HOT(self->pos <= self->hard_end && count_of(self) <= ORMA_SHM_PACKETS_MAX);
    size_t budget = (size_t)(ORMA_SHM_PACKETS_MAX - count_of(self)) * ORMA_WRITER_RECORD_MIN;

    self->end = (size_t)(self->hard_end - self->pos) > budget ? self->pos + budget : self->hard_end;
}

static void hold(struct orma_writer *self, const struct orma_shm_chunk *chunk, uint16_t packets)
{
    ORMA_ASSERT_HOT(!self->header);
    self->chunk = *chunk;
    self->header = chunk->header;
    self->packets = packets;
    self->pos = chunk->payload;
    self->hard_end = chunk->payload + chunk->payload_size - ORMA_WRITER_SIZE_LEN;
    self->next_chunk_id++;
    self->dropping = false;
    orma_writer_set_end(self);
    /* release: the drainer that follows the pointer sees the first packets word. */
    atomic_store_explicit(&self->slot->current, chunk->header, memory_order_release);
}

static bool try_acquire(struct orma_writer *self, uint16_t packets, uint32_t pages,
                        struct orma_shm_chunk *ret)
{
    return orma_pool_acquire(self->pool, self->slot, self->next_chunk_id, packets, pages, ret);
}

static bool is_at_wait_end(const struct orma_writer *self)
{
    uint64_t end = self->wait_end ? atomic_load_explicit(self->wait_end, memory_order_relaxed) : 0;

    return end && orma_clock_monotonic() >= end;
}

static bool must_not_wait(struct orma_writer *self)
{
    return self->policy == ORMA_POLICY_DROP || self->dropping || is_at_wait_end(self) ||
           atomic_load_explicit(&self->hurry, memory_order_relaxed) ||
           atomic_load_explicit(&self->pool->closed, memory_order_relaxed);
}

/* No chunk is held. Waits as long as the policy allows. */
static bool wait_loop(struct orma_writer *self, uint16_t packets, struct orma_shm_chunk *ret)
{
    uint32_t limit_ms = self->policy == ORMA_POLICY_STALL ? STALL_MS : STALL_THEN_DROP_MS;
    uint64_t end = orma_clock_monotonic() + limit_ms * UINT64_C(1000000);
    long nap_ns = 0;

    while (!must_not_wait(self)) {
        orma_pool_make_room(self->pool);
        if (try_acquire(self, packets, UINT32_MAX, ret))
            return true;
        orma_pool_starve(self->pool);
        if (orma_clock_monotonic() >= end)
            return false;
        if (nap_ns)
            nanosleep(&(struct timespec){.tv_nsec = nap_ns}, NULL);
        else
            sched_yield();
        nap_ns = nap_ns ? ORMA_MIN(nap_ns * 8, NAP_MAX_NS) : 8000;
    }
    return false;
}

static ORMA_COLD bool wait_for_chunk(struct orma_writer *self, uint16_t packets,
                                     struct orma_shm_chunk *ret)
{
    if (self->hooks)
        self->hooks->before_wait(self->hooks_ctx);
    bool got = wait_loop(self, packets, ret);
    if (self->hooks)
        self->hooks->after_wait(self->hooks_ctx);
    return got;
}

/* Behind the last packet, or instead of the size at `at` of the piece just written. */
static void hand_over_marked(struct orma_writer *self, uint8_t *at)
{
    ORMA_ASSERT_HOT(at >= self->chunk.payload && at <= self->hard_end);
    orma_varint_write_redundant(at, ORMA_SHM_DROP_MARKER);
    hand_over(self, count_of(self), 0);
}

void orma_writer_abandon(struct orma_writer *self, uint8_t *piece)
{
    hand_over_marked(self, piece);
}

bool orma_writer_next_chunk(struct orma_writer *self, uint8_t *piece, uint32_t flags,
                            bool *ret_counts)
{
    ORMA_HUSHED;
    uint16_t packets = piece ? 1 | ORMA_SHM_CONT_PREV : 1;
    struct orma_shm_chunk chunk;
    uint32_t records = piece ? count_of(self) : count_of(self) - 1;
    uint32_t flag = flags | (piece ? ORMA_SHM_CONT_NEXT : 0);
    bool holds = self->header != NULL;
    uint32_t pages = self->dropping ? PAGES_WHILE_DROPPING : UINT32_MAX;

    *ret_counts = true;
    bool got = try_acquire(self, packets, pages, &chunk);
    /* A thread that drains for itself need not lose anything; others may snatch what it frees. */
    for (int i = 0; !got && i < ROOM_TRIES && orma_pool_make_room(self->pool); i++)
        got = try_acquire(self, packets, pages, &chunk);
    if (!got && must_not_wait(self)) {
        orma_pool_starve(self->pool);
        if (holds)
            hand_over_marked(self, piece ? piece : self->pos);
        self->dropping = true;
        return false;
    }
    if (holds)
        hand_over(self, records, flag);
    if (!got && !wait_for_chunk(self, packets, &chunk)) {
        self->dropping = true;
        *ret_counts = !piece;
        return false;
    }
    hold(self, &chunk, packets);
    return true;
}

void orma_writer_count_drop(struct orma_writer *self, enum orma_drop_reason reason)
{
    atomic_fetch_add_explicit(&self->slot->dropped[reason], 1, memory_order_relaxed);
    self->lost = true;
    self->restart = true;
}

bool orma_writer_add(struct orma_writer *self, const uint8_t *record, size_t len)
{
    if (!self->header || count_of(self) >= ORMA_SHM_PACKETS_MAX ||
        (size_t)(self->hard_end - self->pos) < len)
        return false;
    memcpy(self->pos, record, len);
    orma_writer_advance(self, self->pos + len);
    orma_writer_set_end(self); /* pos may have passed the old one */
    return true;
}

bool orma_writer_make_room(struct orma_writer *self, uint32_t need)
{
    bool counts;

    if (self->header && count_of(self) < ORMA_SHM_PACKETS_MAX) {
        orma_writer_set_end(self);
        if ((size_t)(self->end - self->pos) >= need)
            return true;
    }
    return orma_writer_next_chunk(self, NULL, 0, &counts) &&
           (size_t)(self->end - self->pos) >= need;
}

/* ---- whole packets ---- */

/* A packet as it is written: what the writer puts in front, then the caller's bytes. */
struct bytes {
    uint8_t mark[8];
    size_t mark_len;
    const uint8_t *data;
    size_t len;
};

static uint8_t *copy_part(uint8_t *to, const struct bytes *b, size_t from, size_t n)
{
    if (from < b->mark_len) {
        size_t part = ORMA_MIN(n, b->mark_len - from);

        memcpy(to, b->mark + from, part);
        to += part;
        from += part;
        n -= part;
    }
    if (n)
        memcpy(to, b->data + (from - b->mark_len), n);
    return to + n;
}

static uint8_t *put_mark(uint8_t *to, uint32_t id, uint64_t val)
{
    return orma_varint_write(orma_varint_write(to, (uint64_t)id << 3), val);
}

size_t orma_writer_marks(const struct orma_writer *self, uint8_t *to)
{
    uint8_t *end = to;

    if (self->first)
        end = put_mark(end, ORMA_PB_TRACE_PACKET_FIRST_PACKET_ON_SEQUENCE, 1);
    if (self->lost)
        end = put_mark(end, ORMA_PB_TRACE_PACKET_PREVIOUS_PACKET_DROPPED, PREVIOUS_DROPPED);
    return (size_t)(end - to);
}

void orma_writer_count_cut(struct orma_writer *self)
{
    atomic_fetch_add_explicit(&self->slot->written, 1, memory_order_relaxed);
    self->lost = true;
    self->restart = true;
}

static int drop(struct orma_writer *self, enum orma_drop_reason reason)
{
    orma_writer_count_drop(self, reason);
    return reason == ORMA_DROP_TOO_LARGE ? -EMSGSIZE : -ENOBUFS;
}

static size_t room(const struct orma_writer *self)
{
    return self->header ? (size_t)(self->hard_end - self->pos) : 0;
}

static void put_whole(struct orma_writer *self, const struct bytes *b, size_t total)
{
    uint8_t *to = orma_varint_write(self->pos, total);

    orma_writer_advance(self, copy_part(to, b, 0, total));
    orma_writer_set_end(self); /* it may be shorter than ORMA_WRITER_RECORD_MIN */
}

/* In pieces, from where the writer stands. 0 or -ENOBUFS, then counted by one side or the other. */
static int put_pieces(struct orma_writer *self, const struct bytes *b, size_t total)
{
    for (size_t done = 0;;) {
        uint8_t *size = self->pos;
        size_t n = ORMA_MIN(room(self) - ORMA_WRITER_SIZE_LEN, total - done);
        bool counts;

        orma_varint_write_redundant(size, (uint32_t)n);
        uint8_t *end = copy_part(size + ORMA_WRITER_SIZE_LEN, b, done, n);
        done += n;
        if (done == total) {
            orma_writer_advance(self, end);
            orma_writer_set_end(self);
            return 0;
        }
        if (orma_writer_next_chunk(self, size, 0, &counts))
            continue;
        if (counts)
            return drop(self, ORMA_DROP_NO_CHUNK);
        orma_writer_count_cut(self);
        return -ENOBUFS;
    }
}

static int put_slow(struct orma_writer *self, const struct bytes *b, size_t total)
{
    size_t record = orma_varint_size(total) + total;
    size_t left = room(self);
    bool full = !self->header || count_of(self) >= ORMA_SHM_PACKETS_MAX || left < FRAGMENT_MIN;
    bool fits_empty = self->header && record <= self->chunk.payload_size - ORMA_WRITER_SIZE_LEN;
    bool counts;

    /* Whole packets survive the loss of a neighbour: prefer a new chunk if little is wasted. */
    if (full || (fits_empty && left <= self->chunk.payload_size / WASTE_DEN)) {
        if (!orma_writer_next_chunk(self, NULL, 0, &counts))
            return drop(self, ORMA_DROP_NO_CHUNK);
        if (record <= room(self)) {
            put_whole(self, b, total);
            return 0;
        }
    }
    return put_pieces(self, b, total);
}

int orma_writer_put(struct orma_writer *self, const void *packet, size_t len)
{
    struct bytes b = {.data = packet, .len = len};
    int r = 0;

    b.mark_len = orma_writer_marks(self, b.mark);
    if (len >= ORMA_SHM_DROP_MARKER - sizeof(b.mark))
        return drop(self, ORMA_DROP_TOO_LARGE);
    if (atomic_load_explicit(&self->pool->closed, memory_order_relaxed))
        return drop(self, ORMA_DROP_NO_CHUNK); /* nobody would ever read it */

    size_t total = b.mark_len + len;
    if (self->header && count_of(self) < ORMA_SHM_PACKETS_MAX &&
        orma_varint_size(total) + total <= room(self))
        put_whole(self, &b, total);
    else
        r = put_slow(self, &b, total);
    if (r == 0)
        orma_writer_marked(self);
    return r;
}

void orma_writer_flush(struct orma_writer *self)
{
    if (self->header && count_of(self) > 1)
        hand_over(self, count_of(self) - 1, 0);
}

bool orma_writer_take_restart(struct orma_writer *self)
{
    bool was = self->restart;

    self->restart = false;
    return was;
}

void orma_writer_counts(const struct orma_writer *self, struct orma_writer_counts *ret)
{
    orma_pool_counts(self->pool, self->slot, ret);
}

void orma_writer_wait_until(struct orma_writer *self, const _Atomic uint64_t *end_ns)
{
    self->wait_end = end_ns;
}

void orma_writer_hurry(struct orma_writer *self)
{
    /* Relaxed: seen at the next nap. */
    atomic_store_explicit(&self->hurry, true, memory_order_relaxed);
}
