/*
 * Chunk states under load: writers on several threads, a service that takes
 * and frees, and a vandal that flips the states of a page of its own.
 *
 * Holds: each chunk arrives once and whole, those of one writer in order, and
 * at the end every page is unpartitioned again.
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sdk/base/defs.h"
#include "sdk/base/hash.h"
#include "sdk/shm/layout.h"

#define WRITERS 4
#define PAGES 6
#define VANDAL_PAGE (PAGES - 1)
#define CHUNKS_PER_WRITER 20000
#define RING 4096 /* finished chunks on their way to the service */

#define CHECK(x)                                                                                   \
    do {                                                                                           \
        if (!(x)) {                                                                                \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #x);                                \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

/* What a commit message tells the service: a queue under a lock, as the socket is. */
struct commit {
    uint32_t page, idx;
};

static struct {
    pthread_mutex_t lock;
    struct commit ring[RING];
    size_t head, tail;
} commits = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct orma_shm shm;
static atomic_int writers_left;

static void commit_push(struct commit c)
{
    for (bool done = false; !done;) {
        pthread_mutex_lock(&commits.lock);
        done = commits.tail - commits.head < RING;
        if (done)
            commits.ring[commits.tail++ % RING] = c;
        pthread_mutex_unlock(&commits.lock);
        if (!done)
            sched_yield();
    }
}

static bool commit_pop(struct commit *ret)
{
    bool any;

    pthread_mutex_lock(&commits.lock);
    any = commits.head != commits.tail;
    if (any)
        *ret = commits.ring[commits.head++ % RING];
    pthread_mutex_unlock(&commits.lock);
    return any;
}

static void fill(const struct orma_shm_chunk *c, uint16_t writer, uint32_t id)
{
    uint64_t val = orma_mix64((uint64_t)writer << 32 | id);

    for (uint32_t at = 0; at + sizeof(val) <= c->payload_size; at += sizeof(val))
        memcpy(c->payload + at, &val, sizeof(val));
}

static void check(const struct orma_shm_chunk *c, uint16_t writer, uint32_t id)
{
    uint64_t want = orma_mix64((uint64_t)writer << 32 | id), val;

    for (uint32_t at = 0; at + sizeof(val) <= c->payload_size; at += sizeof(val)) {
        memcpy(&val, c->payload + at, sizeof(val));
        CHECK(val == want);
    }
}

static void *run_writer(void *arg)
{
    static const enum orma_shm_layout layouts[] = {ORMA_SHM_LAYOUT_1, ORMA_SHM_LAYOUT_2,
                                                   ORMA_SHM_LAYOUT_7, ORMA_SHM_LAYOUT_14};
    uint16_t writer = (uint16_t)(uintptr_t)arg;
    struct orma_shm_chunk c;

    for (uint32_t id = 0; id < CHUNKS_PER_WRITER;) {
        uint32_t page = (id + writer) % VANDAL_PAGE;

        if (!orma_shm_acquire(&shm, page, layouts[id % ORMA_ARRAY_LEN(layouts)], writer, id, 1,
                              &c)) {
            bool found = false;

            for (page = 0; page < VANDAL_PAGE && !found; page++)
                found = orma_shm_acquire(&shm, page, ORMA_SHM_LAYOUT_4, writer, id, 1, &c);
            if (!found) {
                sched_yield();
                continue;
            }
        }
        fill(&c, writer, id);
        orma_shm_complete(&shm, &c);
        commit_push((struct commit){c.page, c.idx});
        id++;
    }
    atomic_fetch_sub(&writers_left, 1);
    return NULL;
}

/* A hostile producer: nothing that it does to a header may stop the service or lead it astray. */
static void *run_vandal(void *arg)
{
    _Atomic uint32_t *header = orma_shm_page_header(&shm, VANDAL_PAGE);
    uint64_t seed = 1;

    (void)arg;
    while (atomic_load(&writers_left)) {
        seed = orma_mix64(seed + 1);
        atomic_store_explicit(header, (uint32_t)seed, memory_order_release);
        commit_push((struct commit){VANDAL_PAGE, (uint32_t)(seed >> 32) % 20});
    }
    atomic_store(header, 0);
    return NULL;
}

static void take(struct commit commit, uint32_t next_id[WRITERS + 1], uint64_t *taken)
{
    struct orma_shm_chunk c;
    enum orma_shm_state state;

    if (orma_shm_peek(&shm, commit.page, commit.idx, &c, &state))
        CHECK(c.payload + c.payload_size <= shm.base + shm.size);
    if (!orma_shm_take(&shm, commit.page, commit.idx, &c)) {
        CHECK(commit.page == VANDAL_PAGE);
        return;
    }
    if (commit.page == VANDAL_PAGE) {
        orma_shm_release(&shm, &c);
        return;
    }
    uint16_t writer = atomic_load_explicit(&c.header->writer_id, memory_order_relaxed);
    uint32_t id = atomic_load_explicit(&c.header->chunk_id, memory_order_relaxed);

    CHECK(writer >= 1 && writer <= WRITERS);
    CHECK(id == next_id[writer]++);
    check(&c, writer, id);
    orma_shm_release(&shm, &c);
    ++*taken;
}

int main(void)
{
    uint32_t next_id[WRITERS + 1] = {0};
    pthread_t threads[WRITERS + 1];
    uint64_t taken = 0;
    struct commit c;
    size_t size = (size_t)PAGES * ORMA_SHM_PAGE_MIN;
    void *base = aligned_alloc(ORMA_SHM_PAGE_MIN, size);

    memset(base, 0, size);
    CHECK(orma_shm_init(&shm, base, size, ORMA_SHM_PAGE_MIN) == 0);
    atomic_store(&writers_left, WRITERS);
    for (uintptr_t i = 0; i < WRITERS; i++)
        CHECK(!pthread_create(&threads[i], NULL, run_writer, (void *)(i + 1)));
    CHECK(!pthread_create(&threads[WRITERS], NULL, run_vandal, NULL));
    for (bool left = true; left;) {
        left = atomic_load(&writers_left) > 0; /* before the queue: nothing is pushed after */
        while (commit_pop(&c))
            take(c, next_id, &taken);
        sched_yield();
    }
    for (int i = 0; i <= WRITERS; i++)
        pthread_join(threads[i], NULL);
    CHECK(taken == (uint64_t)WRITERS * CHUNKS_PER_WRITER);
    for (uint32_t page = 0; page < VANDAL_PAGE; page++)
        CHECK(atomic_load(orma_shm_page_header(&shm, page)) == 0);
    printf("%llu chunks of %d writers, each once, whole and in order\n", (unsigned long long)taken,
           WRITERS);
    free(base);
    return 0;
}
