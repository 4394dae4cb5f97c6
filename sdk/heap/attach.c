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
#include <fcntl.h>
#include <sys/mman.h>

#include "sdk/heap/parts.h"

#define SIZE (ORMA_HEAP_RING_AT + ORMA_HEAP_RING_BYTES)
#define SHOWN_NS UINT64_C(1000000000) /* a reader looks each 2 ms, or is none */
#define PATH_BYTES 64                 /* "/proc/PID/fd/FD" is shorter */

_Static_assert(offsetof(struct orma_heap_shared, head) == ORMA_HEAP_READER_BYTES,
               "others may not write to the pages before");

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
    orma_hook_know_self();
    atomic_store_explicit(&orma_hook_attach.active, 1, memory_order_relaxed);
    orma_hook_wait(s, orma_hook_put(s, &begins));
    atomic_fetch_add_explicit(&orma_hook_state.epoch, 1, memory_order_relaxed);
    atomic_store_explicit(&orma_hook_state.large, s->interval, memory_order_relaxed);
    /* Pairs with the acquire in orma_hook_listener(). */
    atomic_store_explicit(&orma_hook_state.shared, s, memory_order_release);
}

/* Is it as a reader leaves it, sealed last? */
static bool is_ready(int fd, uint64_t size)
{
    struct stat st;

    return orma_hook_sys_keeps_size(fd) && orma_hook_sys_fstat(fd, &st) == 0 &&
           (uint64_t)st.st_size == size;
}

/* The reader's pages, over those of the memory. False: it cannot be done. */
static bool map_reader(struct orma_heap_shared *s, int fd)
{
    return is_ready(fd, ORMA_HEAP_READER_BYTES) &&
           orma_hook_sys_mmap(s, ORMA_HEAP_READER_BYTES, PROT_READ, MAP_SHARED | MAP_FIXED, fd,
                              0) != MAP_FAILED;
}

/* `reader_fd` -1: its pages are in the memory. False: nobody can be reported to by this. */
static bool start_with(int fd, int reader_fd, uint64_t how)
{
    struct orma_heap_shared *s = is_ready(fd, SIZE) ? map_shared(fd) : NULL;

    if (s && (reader_fd < 0 || map_reader(s, reader_fd)) && s->magic == ORMA_HEAP_MAGIC &&
        s->interval) {
        start(s, how);
        return true;
    }
    if (s)
        (void)orma_hook_sys_munmap(s, SIZE);
    return false;
}

/* The paths are "RING:READER", or "RING". */
void orma_hook_start_by_path(const char *paths)
{
    const char *reader = paths;
    char path[PATH_BYTES];
    size_t len = 0;

    for (; *reader && *reader != ':' && len < sizeof(path) - 1; reader++)
        path[len++] = *reader;
    path[len] = '\0';
    if (*reader && *reader != ':')
        return; /* none of ours */
    int fd = orma_hook_sys_open(path, O_RDWR);
    int reader_fd = *reader ? orma_hook_sys_open(reader + 1, O_RDONLY) : -1;
    if (fd >= 0 && (!*reader || reader_fd >= 0))
        (void)start_with(fd, reader_fd, ORMA_HEAP_BEGUN);
    if (fd >= 0)
        (void)orma_hook_sys_close(fd);
    if (reader_fd >= 0)
        (void)orma_hook_sys_close(reader_fd);
}

/* Other threads may close descriptors that they do not know, and get the number anew. */
static void close_own(int fd, const struct stat *made)
{
    struct stat st;

    if (orma_hook_sys_fstat(fd, &st) == 0 && st.st_ino == made->st_ino && st.st_dev == made->st_dev)
        (void)orma_hook_sys_close(fd);
}

/* Shows a reader our descriptor, until it is ready; -ETIMEDOUT: it is not, within that time. */
static int show_memory(int fd)
{
    const uint64_t until_ns = orma_hook_sys_now() + SHOWN_NS;

    atomic_store_explicit(&orma_hook_attach.fd, fd + 1, memory_order_release); /* it reads it */
    while (!is_ready(fd, SIZE)) {
        if (orma_hook_sys_now() > until_ns)
            return -ETIMEDOUT;
        orma_hook_sys_nap();
    }
    return 0;
}

/* A reader has come: memory for both. 0, or why there is none, for it to read. */
static int start_for_reader(void)
{
    int fd = orma_hook_sys_memory("orma-heap");
    struct stat st;

    if (fd < 0)
        return -errno;
    if (orma_hook_sys_fstat(fd, &st) < 0) {
        int r = -errno;

        (void)orma_hook_sys_close(fd);
        return r;
    }
    int r = show_memory(fd);
    if (r == 0 && !start_with(fd, -1, ORMA_HEAP_ATTACHED))
        r = -ENOMEM;
    close_own(fd, &st);
    return r;
}

struct orma_heap_shared *orma_hook_find_listener(void)
{
    struct orma_heap_shared *s = orma_hook_listener();
    int saved = errno;

    if (s && orma_hook_is_gone(s)) {
        orma_hook_fall_idle();
        s = NULL;
    }
    if (s ||
        !ORMA_HEAP_UNLIKELY(atomic_load_explicit(&orma_hook_attach.wanted, memory_order_relaxed)))
        return s;
    if (orma_hook_sys_is_confined())
        return NULL; /* it may make no memory for us */
    if (!atomic_exchange_explicit(&orma_hook_attach.wanted, 0, memory_order_relaxed))
        return NULL; /* another thread was faster */
    orma_hook_own.inside = true;
    atomic_store_explicit(&orma_hook_attach.fd, start_for_reader(), memory_order_relaxed);
    orma_hook_own.inside = false;
    errno = saved;
    return orma_hook_listener();
}
