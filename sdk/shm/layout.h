/*
 * Shared memory between one producer and the service: pages, chunks, states.
 *
 *   memory:  [page 0][page 1]...                 page_size bytes each, 4..64 KiB
 *   page:    [u32 header][u32 0][chunk 0][chunk 1]...
 *   header:  bits 2i+1:2i state of chunk i (0..13), bits 30:28 layout, 31 zero
 *   chunk:   [u32 chunk_id][u16 writer_id][u16 packets][payload...]
 *   packets: bits 9:0 count of packets or fragments begun, bits 15:10 flags
 *
 * Two state bits per chunk. Only the named side may leave a state:
 *
 *   FREE --producer--> WRITING --producer--> COMPLETE --service--> READING --service--> FREE
 *
 * A page without layout has no owner; the producer that swaps the whole
 * header word from 0 partitions it, and the side that frees its last chunk stores 0
 * again. So the layout of a page holds only as long as one of its chunks is
 * held: each operation reads the word again.
 *
 * Payload is plain memory: published by COMPLETE, taken over by READING;
 * nothing else orders it. While WRITING, `packets` is stored with release
 * before each packet, so a scraper that loads it with acquire sees all but the
 * last counted packet whole.
 *
 * The ABI is fixed by others and is never extended. Nothing here trusts the
 * other side: indices and words are checked at each call, loops are bounded.
 * Threads: any number of writers in the producer, one thread in the service.
 */
#ifndef ORMA_SDK_SHM_LAYOUT_H
#define ORMA_SDK_SHM_LAYOUT_H
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ORMA_SHM_PAGE_MIN 4096u
#define ORMA_SHM_PAGE_MAX 32768u /* what a service hands out; the ABI would allow 65536 */
#define ORMA_SHM_PAGE_DEFAULT 4096u
#define ORMA_SHM_SIZE_MAX (32u << 20)
#define ORMA_SHM_SIZE_DEFAULT (256u << 10)
#define ORMA_SHM_PAGE_HEADER 8u
#define ORMA_SHM_CHUNK_HEADER 8u
#define ORMA_SHM_CHUNKS_MAX 14u
#define ORMA_SHM_WRITER_ID_MAX 32767u
/* Writers change to the next chunk at this count; 1023 is the largest the field holds. */
#define ORMA_SHM_PACKETS_MAX 1022u
#define ORMA_SHM_PACKETS_MASK 0x3ffu
/*
 * A size with this value is no size: the packet that it belongs to is lost, and
 * so was what followed. Orma's writers put it after the last packet, or in
 * place of the size of a packet's last piece; both they count themselves, so a
 * reader counts a packet only when a piece is missing without a marker.
 */
#define ORMA_SHM_DROP_MARKER 0x0fffffffu

enum orma_shm_state {
    ORMA_SHM_FREE = 0,
    ORMA_SHM_WRITING = 1,
    ORMA_SHM_READING = 2,
    ORMA_SHM_COMPLETE = 3,
};

enum orma_shm_layout {
    ORMA_SHM_LAYOUT_NONE = 0,
    ORMA_SHM_LAYOUT_1 = 1, /* one chunk: what everybody uses */
    ORMA_SHM_LAYOUT_2 = 2,
    ORMA_SHM_LAYOUT_4 = 3,
    ORMA_SHM_LAYOUT_7 = 4,
    ORMA_SHM_LAYOUT_14 = 5,
};

/* Bits of the 16-bit `packets` word. */
enum orma_shm_flag {
    ORMA_SHM_CONT_PREV = 0x0400,   /* the first record continues the packet of the previous chunk */
    ORMA_SHM_CONT_NEXT = 0x0800,   /* the last record's packet goes on in the next chunk */
    ORMA_SHM_NEEDS_PATCH = 0x1000, /* sizes will come in a commit's patches */
    ORMA_SHM_FLAGS = 0x1c00,
};

struct orma_shm {
    uint8_t *base; /* page aligned */
    size_t size;
    uint32_t page_size;
    uint32_t pages_num;
};

struct orma_shm_chunk_header {
    _Atomic uint32_t chunk_id;
    _Atomic uint16_t writer_id;
    _Atomic uint16_t packets;
};
_Static_assert(sizeof(struct orma_shm_chunk_header) == ORMA_SHM_CHUNK_HEADER, "fixed by the ABI");
_Static_assert(offsetof(struct orma_shm_chunk_header, writer_id) == 4, "fixed by the ABI");
_Static_assert(offsetof(struct orma_shm_chunk_header, packets) == 6, "fixed by the ABI");

/* A chunk that the caller holds. */
struct orma_shm_chunk {
    struct orma_shm_chunk_header *header;
    uint8_t *payload;
    uint32_t payload_size;
    uint32_t page;
    uint32_t idx;
};

/* Are page size and total size such as a service hands out? */
bool orma_shm_sizes_valid(uint64_t page_size, uint64_t size);

/* -EINVAL if sizes or alignment are wrong. The memory stays the caller's. */
int orma_shm_init(struct orma_shm *ret, void *base, size_t size, uint32_t page_size);

/* Number of chunks of a page with this header word; 0 for unpartitioned and reserved layouts. */
unsigned orma_shm_chunks_num(uint32_t page_header);
/* Whole size with the chunk's header; 0 where there are no chunks. */
uint32_t orma_shm_chunk_size(const struct orma_shm *self, uint32_t page_header);

static inline unsigned orma_shm_chunk_state(uint32_t page_header, unsigned idx)
{
    return page_header >> (2 * idx) & 3;
}

static inline _Atomic uint32_t *orma_shm_page_header(const struct orma_shm *self, uint32_t page)
{
    return (_Atomic uint32_t *)(self->base + (size_t)page * self->page_size);
}

/* ---- producer ---- */

/*
 * Takes a free chunk of `page`, partitioning the page by `layout` if it is
 * free, and fills the chunk's header. `first_packets` is the first value of
 * the packets word: 0, or 1 | CONT_PREV. False: nothing free there (or lost
 * the race too often); try the next page.
 */
bool orma_shm_acquire(const struct orma_shm *self, uint32_t page, enum orma_shm_layout layout,
                      uint16_t writer_id, uint32_t chunk_id, uint16_t first_packets,
                      struct orma_shm_chunk *ret);

/* WRITING -> COMPLETE: the chunk belongs to the service once a commit names it. */
void orma_shm_complete(const struct orma_shm *self, const struct orma_shm_chunk *chunk);

/* ---- service (and producers that emulate shared memory) ---- */

/* COMPLETE -> READING. False if the indices are wrong or the chunk is not complete. */
bool orma_shm_take(const struct orma_shm *self, uint32_t page, uint32_t idx,
                   struct orma_shm_chunk *ret);

/* READING -> FREE (COMPLETE -> FREE in a producer that emulates): clears the chunk's header first.
 */
void orma_shm_release(const struct orma_shm *self, const struct orma_shm_chunk *chunk);

/*
 * The same for several chunks of one page, `mask` by index. The returned ones
 * were complete and are taken; *ret_word is the header word, which gives their place.
 *
 * A chunk that is alone in its page (layout 1) keeps its state COMPLETE: only
 * the service may leave that state, so nobody can tell the difference, and two
 * locked operations, each of which would wait for all copied bytes, are saved.
 */
uint32_t orma_shm_take_group(const struct orma_shm *self, uint32_t page, uint32_t mask,
                             uint32_t *ret_word);
/* `idx` is one of the chunks that the layout in `word` has: one of those that were taken. */
struct orma_shm_chunk orma_shm_chunk_of(const struct orma_shm *self, uint32_t page, uint32_t idx,
                                        uint32_t word);
void orma_shm_release_group(const struct orma_shm *self, uint32_t page, uint32_t taken,
                            uint32_t word);

/* For scraping: the chunk and its state as they are now; nothing is taken. False if there is none.
 */
bool orma_shm_peek(const struct orma_shm *self, uint32_t page, uint32_t idx,
                   struct orma_shm_chunk *ret, enum orma_shm_state *ret_state);
#endif
