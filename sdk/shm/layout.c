/* See the header for the picture and the states. All stores to a page header are CAS or RMW. */
#include "sdk/shm/layout.h"

#include <errno.h>
#include <sched.h>

#include "sdk/base/assert.h"
#include "sdk/base/defs.h"

/* Neighbours change their bits in the same word; a hostile peer may do so for ever. */
#define CAS_TRIES 64

static const uint8_t chunks_by_layout[8] = {0, 1, 2, 4, 7, 14, 0, 0};

bool orma_shm_sizes_valid(uint64_t page_size, uint64_t size)
{
    return page_size >= ORMA_SHM_PAGE_MIN && page_size <= ORMA_SHM_PAGE_MAX &&
           !(page_size & (page_size - 1)) && size >= page_size && size <= ORMA_SHM_SIZE_MAX &&
           size % page_size == 0;
}

int orma_shm_init(struct orma_shm *ret, void *base, size_t size, uint32_t page_size)
{
    if (!orma_shm_sizes_valid(page_size, size) || (uintptr_t)base % ORMA_SHM_PAGE_MIN)
        return -EINVAL;
    *ret = (struct orma_shm){base, size, page_size, (uint32_t)(size / page_size)};
    return 0;
}

unsigned orma_shm_chunks_num(uint32_t page_header)
{
    return chunks_by_layout[page_header >> 28 & 7];
}

uint32_t orma_shm_chunk_size(const struct orma_shm *self, uint32_t page_header)
{
    unsigned n = orma_shm_chunks_num(page_header);

    return n ? (self->page_size - ORMA_SHM_PAGE_HEADER) / n & ~3u : 0;
}

static struct orma_shm_chunk chunk_at(const struct orma_shm *self, uint32_t page, uint32_t idx,
                                      uint32_t page_header)
{
    uint32_t size = orma_shm_chunk_size(self, page_header);
    uint8_t *at =
        self->base + (size_t)page * self->page_size + ORMA_SHM_PAGE_HEADER + (size_t)idx * size;

    return (struct orma_shm_chunk){
        .header = (struct orma_shm_chunk_header *)at,
        .payload = at + ORMA_SHM_CHUNK_HEADER,
        .payload_size = size - ORMA_SHM_CHUNK_HEADER,
        .page = page,
        .idx = idx,
    };
}

static uint32_t with_state(uint32_t word, unsigned idx, enum orma_shm_state state)
{
    word = (word & ~(3u << (2 * idx))) | (uint32_t)state << (2 * idx);
    return word & 0x0fffffff ? word : 0; /* the last one out unpartitions the page */
}

/*
 * from -> to, unless the chunk is in another state or the race is lost too
 * often. acq_rel: acquire takes over what the other side published with the
 * state that we leave, release publishes our own bytes with the state that we
 * enter. Pairs with itself on the other side. *word is what was seen last.
 */
static bool change_state(_Atomic uint32_t *header, unsigned idx, enum orma_shm_state from,
                         enum orma_shm_state to, uint32_t *word)
{
    uint32_t seen = atomic_load_explicit(header, memory_order_relaxed); /* judged by the CAS */

    for (int tries = 0; tries < CAS_TRIES; tries++) {
        *word = seen;
        if (idx >= orma_shm_chunks_num(seen) || orma_shm_chunk_state(seen, idx) != from)
            return false;
        if (atomic_compare_exchange_weak_explicit(header, &seen, with_state(seen, idx, to),
                                                  memory_order_acq_rel, memory_order_relaxed))
            return true;
        if (tries > CAS_TRIES / 2)
            sched_yield();
    }
    return false;
}

static void partition(_Atomic uint32_t *header, enum orma_shm_layout layout)
{
    uint32_t none = 0;

    /* acquire: pairs with the release that stored 0. Losing is fine: someone else partitioned it.
     */
    atomic_compare_exchange_strong_explicit(header, &none, (uint32_t)layout << 28,
                                            memory_order_acq_rel, memory_order_relaxed);
}

bool orma_shm_acquire(const struct orma_shm *self, uint32_t page, enum orma_shm_layout layout,
                      uint16_t writer_id, uint32_t chunk_id, uint16_t first_packets,
                      struct orma_shm_chunk *ret)
{
    ORMA_ASSERT_HOT(chunks_by_layout[layout] > 0);
    ORMA_ASSERT_HOT(writer_id > 0 && writer_id <= ORMA_SHM_WRITER_ID_MAX);
    if (page >= self->pages_num)
        return false;

    _Atomic uint32_t *header = orma_shm_page_header(self, page);
    uint32_t word = atomic_load_explicit(header, memory_order_relaxed); /* a hint only */
    if (!word) {
        partition(header, layout);
        word = atomic_load_explicit(header, memory_order_relaxed);
    }
    for (unsigned idx = 0; idx < orma_shm_chunks_num(word); idx++) {
        uint32_t seen;

        if (orma_shm_chunk_state(word, idx) != ORMA_SHM_FREE ||
            !change_state(header, idx, ORMA_SHM_FREE, ORMA_SHM_WRITING, &seen))
            continue;
        *ret = chunk_at(self, page, idx, seen);
        ORMA_TESTPOINT("chunk acquired, header not written");
        atomic_store_explicit(&ret->header->writer_id, writer_id, memory_order_relaxed);
        atomic_store_explicit(&ret->header->chunk_id, chunk_id, memory_order_relaxed);
        /* release: a scraper that sees this word (acquire, in the service's scrape) sees both ids.
         */
        atomic_store_explicit(&ret->header->packets, first_packets, memory_order_release);
        return true;
    }
    return false;
}

void orma_shm_complete(const struct orma_shm *self, const struct orma_shm_chunk *chunk)
{
    uint32_t word;

    ORMA_ASSERT_HOT(chunk->page < self->pages_num && chunk->idx < ORMA_SHM_CHUNKS_MAX);
    ORMA_TESTPOINT("before the chunk is published");
    /*
     * Only neighbours' bits can make the CAS fail, and only the producer's own
     * writers and an honest service touch them: retry for as long as we hold it.
     */
    while (!change_state(orma_shm_page_header(self, chunk->page), chunk->idx, ORMA_SHM_WRITING,
                         ORMA_SHM_COMPLETE, &word)) {
        if (orma_shm_chunk_state(word, chunk->idx) != ORMA_SHM_WRITING)
            return; /* the service took it away by force: nothing left to publish */
    }
    ORMA_TESTPOINT("chunk published");
}

bool orma_shm_take(const struct orma_shm *self, uint32_t page, uint32_t idx,
                   struct orma_shm_chunk *ret)
{
    uint32_t word;

    if (page >= self->pages_num || idx >= ORMA_SHM_CHUNKS_MAX ||
        !change_state(orma_shm_page_header(self, page), idx, ORMA_SHM_COMPLETE, ORMA_SHM_READING,
                      &word))
        return false;
    *ret = chunk_at(self, page, idx, word);
    return true;
}

void orma_shm_release(const struct orma_shm *self, const struct orma_shm_chunk *chunk)
{
    _Atomic uint32_t *header = orma_shm_page_header(self, chunk->page);
    uint32_t word = atomic_load_explicit(header, memory_order_relaxed); /* judged by the CAS */

    /* Cleared first, so that a scraper can tell "acquired, header not written yet" by writer 0. */
    atomic_store_explicit(&chunk->header->writer_id, 0, memory_order_relaxed);
    atomic_store_explicit(&chunk->header->chunk_id, 0, memory_order_relaxed);
    atomic_store_explicit(&chunk->header->packets, 0, memory_order_release);
    for (int tries = 0; tries < CAS_TRIES; tries++) {
        /* release: the producer that acquires it (acq_rel) must not see our reads move past this.
         */
        if (atomic_compare_exchange_weak_explicit(header, &word,
                                                  with_state(word, chunk->idx, ORMA_SHM_FREE),
                                                  memory_order_acq_rel, memory_order_relaxed))
            return;
    }
    /* A peer that flips bits for ever only starves itself of this chunk. */
}

/* `to` for all chunks of the mask. */
static uint32_t with_states(uint32_t word, uint32_t mask, enum orma_shm_state to)
{
    for (unsigned idx = 0; idx < ORMA_SHM_CHUNKS_MAX; idx++)
        if (mask & 1u << idx)
            word = (word & ~(3u << (2 * idx))) | (uint32_t)to << (2 * idx);
    return word & 0x0fffffff ? word : 0;
}

static uint32_t complete_ones(uint32_t word, uint32_t mask)
{
    unsigned num = orma_shm_chunks_num(word);
    uint32_t found = 0;

    for (unsigned idx = 0; idx < num; idx++)
        if (mask & 1u << idx && orma_shm_chunk_state(word, idx) == ORMA_SHM_COMPLETE)
            found |= 1u << idx;
    return found;
}

static bool is_alone(uint32_t word)
{
    return word == ((uint32_t)ORMA_SHM_LAYOUT_1 << 28 | ORMA_SHM_COMPLETE);
}

/* The only chunk of its page: no division to find it. */
static struct orma_shm_chunk lone_chunk(const struct orma_shm *self, uint32_t page)
{
    uint8_t *at = self->base + (size_t)page * self->page_size + ORMA_SHM_PAGE_HEADER;

    return (struct orma_shm_chunk){
        .header = (struct orma_shm_chunk_header *)at,
        .payload = at + ORMA_SHM_CHUNK_HEADER,
        .payload_size = self->page_size - ORMA_SHM_PAGE_HEADER - ORMA_SHM_CHUNK_HEADER,
        .page = page,
    };
}

struct orma_shm_chunk orma_shm_chunk_of(const struct orma_shm *self, uint32_t page, uint32_t idx,
                                        uint32_t word)
{
    ORMA_ASSERT_HOT(page < self->pages_num && idx < orma_shm_chunks_num(word));
    return is_alone(word) ? lone_chunk(self, page) : chunk_at(self, page, idx, word);
}

static void clear_header(struct orma_shm_chunk_header *header)
{
    atomic_store_explicit(&header->writer_id, 0, memory_order_relaxed);
    atomic_store_explicit(&header->chunk_id, 0, memory_order_relaxed);
    atomic_store_explicit(&header->packets, 0, memory_order_release);
}

uint32_t orma_shm_take_group(const struct orma_shm *self, uint32_t page, uint32_t mask,
                             uint32_t *ret_word)
{
    if (page >= self->pages_num)
        return 0;

    _Atomic uint32_t *header = orma_shm_page_header(self, page);
    /* acquire: pairs with orma_shm_complete(); the payload is there. */
    uint32_t word = atomic_load_explicit(header, memory_order_acquire);
    *ret_word = word;
    if (is_alone(word))
        return mask & 1;
    for (int tries = 0; tries < CAS_TRIES; tries++) {
        uint32_t taken = complete_ones(word, mask);

        *ret_word = word;
        if (!taken || is_alone(word)) /* changed under our hands */
            return taken;
        if (atomic_compare_exchange_weak_explicit(header, &word,
                                                  with_states(word, taken, ORMA_SHM_READING),
                                                  memory_order_acq_rel, memory_order_acquire))
            return taken;
    }
    return 0;
}

void orma_shm_release_group(const struct orma_shm *self, uint32_t page, uint32_t taken,
                            uint32_t word)
{
    _Atomic uint32_t *header = orma_shm_page_header(self, page);

    if (is_alone(word)) {
        clear_header(lone_chunk(self, page).header);
        /* release: our reads of the payload are over. Nobody else may have changed the word. */
        atomic_store_explicit(header, 0, memory_order_release);
        return;
    }
    for (uint32_t left = taken; left; left &= left - 1)
        clear_header(chunk_at(self, page, (uint32_t)__builtin_ctz(left), word).header);
    word = atomic_load_explicit(header, memory_order_relaxed); /* judged by the CAS */
    for (int tries = 0; tries < CAS_TRIES; tries++)
        if (atomic_compare_exchange_weak_explicit(header, &word,
                                                  with_states(word, taken, ORMA_SHM_FREE),
                                                  memory_order_acq_rel, memory_order_relaxed))
            return;
    /* As in orma_shm_release(). */
}

bool orma_shm_peek(const struct orma_shm *self, uint32_t page, uint32_t idx,
                   struct orma_shm_chunk *ret, enum orma_shm_state *ret_state)
{
    if (page >= self->pages_num)
        return false;

    /* acquire: pairs with the release of orma_shm_complete() when the state is COMPLETE. */
    uint32_t word = atomic_load_explicit(orma_shm_page_header(self, page), memory_order_acquire);
    if (idx >= orma_shm_chunks_num(word))
        return false;
    *ret = chunk_at(self, page, idx, word);
    *ret_state = (enum orma_shm_state)orma_shm_chunk_state(word, idx);
    return true;
}
