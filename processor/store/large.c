#include "processor/store/large.h"

#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "processor/store/spill.h"
#include "sdk/base/defs.h"

/* Below, malloc is cheaper. */
#define LARGE_MIN ((size_t)1 << 20)
/* Blocks are multiples of it. */
#define UNIT ((size_t)1 << 16)
/* Blocks begin at a page; of malloc's memory hardly any does. */
#define PAGE_MASK ((uintptr_t)4095)
/* Queries hold a few dozen large arrays at once, more are malloc's. */
#define BLOCKS_MAX 64
/* What is asked for gets a kept block that is larger by so much of it at most. */
#define LEFT_OVER 4
/* So much more than was in use at once is kept: what was freed while a statement ran. */
#define KEPT_MORE 8

struct block {
    char *at; /* NULL: the place is free */
    size_t bytes;
    bool kept;
    bool spilled; /* it lies in a file (spill.h), and is not kept */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* all below */
static struct block blocks[BLOCKS_MAX];
static size_t used, kept, most; /* bytes; `most`: that were used at once */

static size_t whole_units(size_t bytes)
{
    return (bytes + UNIT - 1) / UNIT * UNIT;
}

static struct block *find(const char *at)
{
    for (unsigned i = 0; i < BLOCKS_MAX; i++) {
        if (blocks[i].at == at && !(at && blocks[i].kept))
            return &blocks[i];
    }
    return NULL;
}

/* Gives back kept blocks, or the ends of them, until no more than `bytes` are left. */
static void drop_to(size_t bytes)
{
    for (unsigned i = 0; i < BLOCKS_MAX && kept > bytes; i++) {
        struct block *b = &blocks[i];
        size_t less = ORMA_MIN(b->bytes, kept - bytes);

        if (!b->kept || munmap(b->at + b->bytes - less, less) < 0)
            continue;
        kept -= less;
        b->bytes -= less;
        if (!b->bytes)
            *b = (struct block){0};
    }
}

static void note_use(size_t more)
{
    used += more;
    most = ORMA_MAX(most, used);
    drop_to(most + most / KEPT_MORE - used);
}

static void keep(struct block *b)
{
    if (b->spilled) {
        orma_spill_unmap(b->at, b->bytes);
        *b = (struct block){0};
        return;
    }
    used -= b->bytes;
    kept += b->bytes;
    b->kept = true;
    (void)madvise(b->at, b->bytes, MADV_FREE); /* an old kernel: it stays ours */
}

static struct block *best_kept(size_t bytes)
{
    struct block *best = NULL;

    for (unsigned i = 0; i < BLOCKS_MAX; i++) {
        if (blocks[i].kept && blocks[i].bytes >= bytes &&
            blocks[i].bytes - bytes <= bytes / LEFT_OVER &&
            (!best || blocks[i].bytes < best->bytes))
            best = &blocks[i];
    }
    return best;
}

static struct block *spill_block(struct block *b, size_t bytes)
{
    char *at = orma_spill_map(bytes);

    if (!at)
        return NULL;
    *b = (struct block){.at = at, .bytes = bytes, .spilled = true};
    return b;
}

static struct block *map_block(size_t bytes)
{
    struct block *b = find(NULL);

    if (b && orma_spill_is_needed(bytes) && spill_block(b, bytes))
        return b;
    char *at = b ? mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                 : MAP_FAILED;

    if (at == MAP_FAILED)
        return NULL;
    *b = (struct block){.at = at, .bytes = bytes};
    note_use(bytes);
    return b;
}

/* Around fork(): the child finds the lock free, and what it is for whole. */
static void hold_lock(void)
{
    pthread_mutex_lock(&lock);
}

static void drop_lock(void)
{
    pthread_mutex_unlock(&lock);
}

static void watch_forks(void)
{
    orma_spill_watch_forks(); /* our lock comes first, as where both are taken */
    (void)pthread_atfork(hold_lock, drop_lock, drop_lock);
}

/* *ret_dirty: bytes that may be anything; the others are 0. */
static void *take(size_t bytes, size_t *ret_dirty)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    (void)pthread_once(&once, watch_forks);
    pthread_mutex_lock(&lock);
    struct block *b = best_kept(bytes);
    if (b) {
        b->kept = false;
        kept -= b->bytes;
        note_use(b->bytes);
        *ret_dirty = bytes;
    } else {
        b = map_block(bytes);
        *ret_dirty = 0;
    }
    void *ret = b ? b->at : NULL;
    pthread_mutex_unlock(&lock);
    return ret;
}

void *orma_large_alloc(size_t bytes)
{
    size_t dirty;

    if (bytes > SIZE_MAX / 2)
        return NULL;
    void *ret = bytes < LARGE_MIN ? NULL : take(whole_units(bytes), &dirty);
    return ret ? ret : malloc(bytes);
}

void *orma_large_zeroed(size_t num, size_t size)
{
    size_t bytes, dirty;

    if (__builtin_mul_overflow(num, size, &bytes) || bytes > SIZE_MAX / 2)
        return NULL;
    if (bytes < LARGE_MIN)
        return calloc(num, size);
    void *ret = take(whole_units(bytes), &dirty);
    if (ret && dirty)
        memset(ret, 0, bytes);
    return ret ? ret : calloc(num, size);
}

static bool may_be_block(const void *mem)
{
    return mem && !((uintptr_t)mem & PAGE_MASK);
}

/* NULL: it is as it was. */
static void *resize_block(struct block *b, size_t bytes)
{
    size_t before = b->bytes;

    if (bytes <= before)
        return b->at;
    if (b->spilled || orma_spill_is_needed(bytes - before)) /* perhaps to a file */
        return NULL;
    char *at = mremap(b->at, before, bytes, MREMAP_MAYMOVE);
    if (at == MAP_FAILED)
        return NULL;
    b->at = at;
    b->bytes = bytes;
    note_use(bytes - before);
    return at;
}

static void *move_to(void *mem, size_t before, size_t bytes)
{
    void *ret = orma_large_alloc(bytes);

    if (!ret)
        return NULL;
    memcpy(ret, mem, ORMA_MIN(before, bytes));
    orma_large_free(mem);
    return ret;
}

void *orma_large_resize(void *mem, size_t bytes)
{
    if (!mem)
        return orma_large_alloc(bytes);
    if (bytes > SIZE_MAX / 2)
        return NULL;
    if (may_be_block(mem)) {
        pthread_mutex_lock(&lock);
        struct block *b = find(mem);
        size_t before = b ? b->bytes : 0;
        void *ret = b && bytes >= LARGE_MIN ? resize_block(b, whole_units(bytes)) : NULL;
        pthread_mutex_unlock(&lock);
        if (b)
            return ret ? ret : move_to(mem, before, bytes);
    }
    return bytes < LARGE_MIN ? realloc(mem, bytes) : move_to(mem, malloc_usable_size(mem), bytes);
}

void orma_large_free(void *mem)
{
    if (may_be_block(mem)) {
        pthread_mutex_lock(&lock);
        struct block *b = find(mem);
        if (b)
            keep(b);
        pthread_mutex_unlock(&lock);
        if (b)
            return;
    }
    free(mem);
}

size_t orma_large_kept(void)
{
    pthread_mutex_lock(&lock);
    size_t ret = kept;
    pthread_mutex_unlock(&lock);
    return ret;
}

void orma_large_drop(void)
{
    if (pthread_mutex_trylock(&lock))
        return;
    drop_to(0);
    most = used;
    pthread_mutex_unlock(&lock);
}
