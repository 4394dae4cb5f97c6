#include "sdk/base/mem.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "sdk/base/assert.h"
#include "sdk/base/defs.h"
#include "sdk/base/guard.h"

#define SHIFT_MIN 6u /* a cache line */
#define SHIFT_MAX 12u
#define BLOCK_SIZE ((size_t)64 << 10)
#define WIPED_SIZE ((size_t)16 << 10)

__thread volatile unsigned orma_guard_depth;

/* In a piece that is free. */
struct piece {
    struct piece *next;
};

static struct {
    pthread_mutex_t lock;
    struct piece *free[SHIFT_MAX + 1]; /* by the power of two */
    uint8_t *next, *end;               /* of the block that is being cut */
    uint8_t *wiped_next, *wiped_end;   /* the same of one that children find empty */
    bool (*refuse)(void);
} g = {.lock = PTHREAD_MUTEX_INITIALIZER};

static unsigned shift_of(size_t size)
{
    unsigned shift = SHIFT_MIN;

    while ((size_t)1 << shift < size)
        shift++;
    return shift;
}

/*
 * The thread sanitizer does not see mremap(): it takes the next owner of an address that was moved
 * away for one who races with the owner before. Under it large blocks are copied.
 */
#if defined(__SANITIZE_THREAD__)
#define HAS_MREMAP false
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define HAS_MREMAP false
#endif
#endif
#ifndef HAS_MREMAP
#define HAS_MREMAP true
#endif

static bool is_large(size_t size)
{
    return size > (size_t)1 << SHIFT_MAX;
}

static void *new_pages(size_t size)
{
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    return p == MAP_FAILED ? NULL : p;
}

/* With the lock. Blocks begin at pages, so rounding the address up aligns within the block, too. */
static void *cut(size_t size)
{
    uint8_t *at = g.next ? (uint8_t *)(uintptr_t)orma_align_up((uintptr_t)g.next, size) : NULL;

    if (!at || at >= g.end || (size_t)(g.end - at) < size) {
        if (!(at = new_pages(BLOCK_SIZE))) /* what is left of the old one stays unused */
            return NULL;
        g.end = at + BLOCK_SIZE;
    }
    g.next = at + size;
    return at;
}

static void *new_piece(unsigned shift)
{
    orma_guard_lock(&g.lock);
    struct piece *p = g.free[shift];
    if (p)
        g.free[shift] = p->next;
    else
        p = cut((size_t)1 << shift);
    orma_guard_unlock(&g.lock);
    return p ? memset(p, 0, (size_t)1 << shift) : NULL;
}

void *orma_mem_new(size_t size)
{
    ORMA_ASSERT_HOT(size > 0);
    if (g.refuse && g.refuse())
        return NULL;
    return is_large(size) ? new_pages(size) : new_piece(shift_of(size));
}

void *orma_mem_new_wiped(size_t size)
{
    ORMA_ASSERT_HOT(size > 0 && size <= WIPED_SIZE);
    if (g.refuse && g.refuse())
        return NULL;
    size = (size_t)1 << shift_of(size);
    orma_guard_lock(&g.lock);
    if (!g.wiped_next || (size_t)(g.wiped_end - g.wiped_next) < size) {
        g.wiped_next = new_pages(WIPED_SIZE);
        g.wiped_end = g.wiped_next ? g.wiped_next + WIPED_SIZE : NULL;
        if (g.wiped_next) /* without: old kernels leave it as it is */
            (void)madvise(g.wiped_next, WIPED_SIZE, MADV_WIPEONFORK);
    }
    void *ret = g.wiped_next;
    if (ret)
        g.wiped_next += size;
    orma_guard_unlock(&g.lock);
    return ret;
}

void orma_mem_free(void *p, size_t size)
{
    struct piece *piece = p;

    if (!p)
        return;
    if (is_large(size)) {
        (void)munmap(p, size); /* fails for what was not mapped only */
        return;
    }
    orma_guard_lock(&g.lock);
    piece->next = g.free[shift_of(size)];
    g.free[shift_of(size)] = piece;
    orma_guard_unlock(&g.lock);
}

void *orma_mem_resize(void *p, size_t old_size, size_t size)
{
    if (p && !is_large(size) && !is_large(old_size) && shift_of(size) == shift_of(old_size))
        return p;
    if (HAS_MREMAP && p && is_large(size) && is_large(old_size)) {
        void *moved = mremap(p, old_size, size, MREMAP_MAYMOVE);

        return moved == MAP_FAILED ? NULL : moved;
    }
    void *fresh = orma_mem_new(size);
    if (fresh && p) {
        memcpy(fresh, p, ORMA_MIN(old_size, size));
        orma_mem_free(p, old_size);
    }
    return fresh;
}

void orma_mem_after_fork(void)
{
    bool (*refuse)(void) = g.refuse;

    memset(&g, 0, sizeof(g));
    g.lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    g.refuse = refuse;
    orma_guard_depth = 0;
}

void orma_mem_set_refusal(bool (*refuse)(void))
{
    g.refuse = refuse;
}
