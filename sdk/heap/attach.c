/*
 * Loaded without a reader, the library is idle: once in some thousand bytes a thread looks whether
 * somebody has come. When the reader ends, or no longer moves, it is idle again. Memory that was
 * shared stays mapped, as a thread may be writing to it; the reader has given its pages back.
 *
 *   idle ─► START is in the ring, and seen ─► `epoch` ─► `large` ─► `shared`: threads report
 *
 * Whoever sees `shared` sees what was set before; whoever sees `large` alone finds nobody yet.
 */
#include <errno.h>
#include <sys/mman.h>

#include "sdk/heap/parts.h"

#define SIZE (ORMA_HEAP_RING_AT + ORMA_HEAP_RING_BYTES)

static struct orma_heap_shared *map_shared(int fd)
{
    void *memory = orma_hook_sys_mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

    return memory == MAP_FAILED ? NULL : memory;
}

/* `how`: of the record START, its count. */
static void start(struct orma_heap_shared *s, uint64_t how)
{
    const struct orma_hook_note begins = {
        .kind = ORMA_HEAP_START, .count = how, .bytes = orma_hook_next.has_new};

    orma_hook_forget_all();
    atomic_store_explicit(&orma_hook_state.beat_since, 0, memory_order_relaxed);
    atomic_store_explicit(&orma_hook_attach.active, 1, memory_order_relaxed);
    orma_hook_wait(s, orma_hook_put(s, &begins));
    atomic_fetch_add_explicit(&orma_hook_state.epoch, 1, memory_order_relaxed);
    atomic_store_explicit(&orma_hook_state.large, s->interval, memory_order_relaxed);
    /* Pairs with the acquire in orma_hook_listener(). */
    atomic_store_explicit(&orma_hook_state.shared, s, memory_order_release);
}

void orma_hook_start_by_path(const char *path)
{
    int fd = orma_hook_sys_open(path);
    struct orma_heap_shared *s = NULL;
    struct stat st;

    if (fd >= 0 && orma_hook_sys_keeps_size(fd) && orma_hook_sys_fstat(fd, &st) == 0 &&
        (uint64_t)st.st_size == SIZE)
        s = map_shared(fd);
    if (fd >= 0)
        (void)orma_hook_sys_close(fd);
    if (s && s->magic == ORMA_HEAP_MAGIC && s->interval)
        start(s, ORMA_HEAP_BEGUN);
    else if (s)
        (void)orma_hook_sys_munmap(s, SIZE);
}

/* Other threads may close descriptors that they do not know, and get the number anew. */
static void close_own(int fd, const struct stat *made)
{
    struct stat st;

    if (orma_hook_sys_fstat(fd, &st) == 0 && st.st_ino == made->st_ino && st.st_dev == made->st_dev)
        (void)orma_hook_sys_close(fd);
}

/* Shows a reader the memory, by our descriptor. True: it has it. */
static bool show_memory(struct orma_heap_shared *s, int fd)
{
    atomic_store_explicit(&orma_hook_attach.fd, fd + 1, memory_order_release); /* it reads it */
    for (unsigned i = 0; i < ORMA_HEAP_PATIENCE * 5; i++) {
        if (atomic_load_explicit(&s->beat, memory_order_relaxed))
            break;
        orma_hook_sys_nap();
    }
    atomic_store_explicit(&orma_hook_attach.fd, 0, memory_order_relaxed);
    return atomic_load_explicit(&s->beat, memory_order_relaxed) != 0;
}

/* A reader has come: memory for both. */
static void start_for(uint64_t interval)
{
    int fd = orma_hook_sys_memory("orma-heap", SIZE);
    struct orma_heap_shared *s;
    struct stat st;

    if (fd < 0)
        return;
    s = orma_hook_sys_fstat(fd, &st) == 0 ? map_shared(fd) : NULL;
    if (!s) {
        (void)orma_hook_sys_close(fd);
        return;
    }
    s->magic = ORMA_HEAP_MAGIC;
    s->interval = interval;
    atomic_store_explicit(&s->on, 1, memory_order_relaxed);
    bool seen = show_memory(s, fd);
    close_own(fd, &st);
    if (seen)
        start(s, ORMA_HEAP_ATTACHED);
    else
        (void)orma_hook_sys_munmap(s, SIZE); /* nobody has it */
}

struct orma_heap_shared *orma_hook_find_listener(void)
{
    struct orma_heap_shared *s = orma_hook_listener();
    int saved = errno;

    if (s && !atomic_load_explicit(&s->on, memory_order_relaxed)) {
        orma_hook_fall_idle();
        s = NULL;
    }
    if (s ||
        !ORMA_HEAP_UNLIKELY(atomic_load_explicit(&orma_hook_attach.wanted, memory_order_relaxed)))
        return s;
    uint64_t interval = atomic_exchange_explicit(&orma_hook_attach.wanted, 0, memory_order_relaxed);
    if (!interval)
        return NULL; /* another thread was faster */
    orma_hook_own.inside = true;
    start_for(interval);
    orma_hook_own.inside = false;
    errno = saved;
    return orma_hook_listener();
}
