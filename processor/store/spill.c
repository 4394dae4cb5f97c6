#include "processor/store/spill.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "sdk/base/defs.h"
#include "sdk/base/fd.h"

/* Files of pieces; they begin at multiples of it. */
#define REGION ((size_t)64 << 20)
#define REGIONS_MAX 4096
#define ALIGN 16
/* Behind the last piece of a region: reads are 8 bytes wide. */
#define SLACK 16
/* To look at the memory costs as much as to pack some blocks. */
#define LOOK_BYTES ((size_t)8 << 20)

struct region {
    char *at; /* NULL: the place is free */
    uint32_t pieces;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* all of these */
static uint64_t limit_bytes;                             /* 0: not known */
static uint64_t (*ask)(void);
static struct region *regions;
static unsigned regions_num;
static struct region *current; /* pieces are added to; NULL: a new one */
static size_t current_used;

static atomic_size_t unlooked = LOOK_BYTES; /* bytes since the last look */
static atomic_bool needed, forked;

void orma_spill_ask(uint64_t (*limit)(void))
{
    pthread_mutex_lock(&lock);
    if (!ask)
        ask = limit;
    pthread_mutex_unlock(&lock);
}

void orma_spill_limit(uint64_t bytes)
{
    pthread_mutex_lock(&lock);
    if (!limit_bytes || bytes < limit_bytes)
        limit_bytes = bytes;
    pthread_mutex_unlock(&lock);
}

uint64_t orma_spill_memory_used(void)
{
    unsigned long long resident, shared;
    FILE *f = fopen("/proc/self/statm", "re");
    int found = f ? fscanf(f, "%*u %llu %llu", &resident, &shared) : 0;

    if (f)
        (void)fclose(f); /* only read from */
    return found == 2 && resident > shared ? (resident - shared) * (uint64_t)sysconf(_SC_PAGESIZE)
                                           : 0;
}

bool orma_spill_is_needed(size_t more)
{
    /* Relaxed: a look more or less does no harm. */
    size_t before = atomic_fetch_add_explicit(&unlooked, more, memory_order_relaxed);

    if (before < LOOK_BYTES && more < LOOK_BYTES)
        return atomic_load_explicit(&needed, memory_order_relaxed);
    atomic_store_explicit(&unlooked, 0, memory_order_relaxed);
    pthread_mutex_lock(&lock);
    if (!limit_bytes && ask)
        limit_bytes = ask();
    const uint64_t limit = limit_bytes ? limit_bytes : UINT64_MAX;
    pthread_mutex_unlock(&lock);
    const uint64_t used = orma_spill_memory_used();
    const bool is = used > limit / 2 || more > limit / 2 - used;
    /* What holds for one large array says nothing of small ones. */
    atomic_store_explicit(&needed, used > limit / 2, memory_order_relaxed);
    return is;
}

/* ---- files ---- */

/* A file beyond the limit is a signal (SIGXFSZ), which ends programs that do not expect it. */
static bool is_too_large(size_t bytes)
{
    struct rlimit limit;

    return getrlimit(RLIMIT_FSIZE, &limit) == 0 && bytes > limit.rlim_cur;
}

static int open_file(size_t bytes)
{
    if (is_too_large(bytes))
        return -1;
    const char *const wanted = getenv("TMPDIR");
    const char *const folders[] = {wanted ? wanted : "/var/tmp", wanted ? wanted : "/tmp"};
    int fd = -1;

    for (size_t i = 0; fd < 0 && i < ORMA_ARRAY_LEN(folders); i++) {
        fd = open(folders[i], O_TMPFILE | O_RDWR | O_EXCL | O_CLOEXEC, 0600);
        /* A full disk would end the process when a page is first written to. Not posix_fallocate():
         * where the file system cannot do it, that writes to all of the file. */
        if (fd >= 0 && fallocate(fd, 0, 0, (off_t)bytes) < 0)
            orma_fd_close(&fd);
    }
    return fd;
}

static void *map_at(void *at, size_t bytes)
{
    int fd = open_file(bytes);
    void *ret = fd < 0 ? MAP_FAILED
                       : mmap(at, bytes, PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_NORESERVE | (at ? MAP_FIXED : 0), fd, 0);

    if (fd >= 0)
        orma_fd_close(&fd);
    return ret == MAP_FAILED ? NULL : ret;
}

bool orma_spill_has_room(uint64_t bytes)
{
    int fd = bytes < INT64_MAX / 2 ? open_file((size_t)bytes) : -1;
    const bool ret = fd >= 0;

    orma_fd_close(&fd);
    return ret;
}

void *orma_spill_map(size_t bytes)
{
    return map_at(NULL, bytes);
}

void orma_spill_unmap(void *at, size_t bytes)
{
    (void)munmap(at, bytes);
}

/* ---- pieces ---- */

static void hold_lock(void)
{
    pthread_mutex_lock(&lock);
}

/* Both sides go on in files of their own. */
static void drop_lock(void)
{
    current = NULL;
    if (regions_num)
        atomic_store_explicit(&forked, true, memory_order_relaxed);
    pthread_mutex_unlock(&lock);
}

static void watch_forks(void)
{
    (void)pthread_atfork(hold_lock, drop_lock, drop_lock);
}

void orma_spill_watch_forks(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    (void)pthread_once(&once, watch_forks);
}

bool orma_spill_is_ours(void)
{
    return !atomic_load_explicit(&forked, memory_order_relaxed);
}

/* Addresses that begin at a multiple of the size. */
static char *reserve(void)
{
    char *at =
        mmap(NULL, 2 * REGION, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (at == MAP_FAILED)
        return NULL;
    const size_t before = (REGION - (uintptr_t)at % REGION) % REGION;
    if (before)
        (void)munmap(at, before);
    (void)munmap(at + before + REGION, REGION - before);
    return at + before;
}

static struct region *free_place(void)
{
    if (!regions)
        regions = calloc(REGIONS_MAX, sizeof(*regions));
    for (unsigned i = 0; regions && i < REGIONS_MAX; i++) {
        if (!regions[i].at)
            return &regions[i];
    }
    return NULL;
}

static struct region *new_region(void)
{
    struct region *r = free_place();
    char *at = r ? reserve() : NULL;

    if (!at)
        return NULL;
    if (!map_at(at, REGION)) {
        (void)munmap(at, REGION);
        return NULL;
    }
    *r = (struct region){.at = at};
    regions_num++;
    return r;
}

static void drop_region(struct region *r)
{
    (void)munmap(r->at, REGION);
    *r = (struct region){0};
    regions_num--;
    if (current == r)
        current = NULL;
}

void *orma_spill_take(size_t bytes)
{
    void *ret = NULL;

    bytes = (bytes + ALIGN - 1) / ALIGN * ALIGN;
    if (bytes > REGION - SLACK)
        return NULL;
    orma_spill_watch_forks();
    pthread_mutex_lock(&lock);
    if (current && bytes > REGION - SLACK - current_used)
        current = NULL;
    if (!current) {
        current = new_region();
        current_used = 0;
    }
    if (current) {
        ret = current->at + current_used;
        current_used += bytes;
        current->pieces++;
    }
    pthread_mutex_unlock(&lock);
    return ret;
}

void orma_spill_give(void *at)
{
    char *base = (char *)((uintptr_t)at / REGION * REGION);

    pthread_mutex_lock(&lock);
    for (unsigned i = 0; i < REGIONS_MAX; i++) {
        if (regions[i].at != base)
            continue;
        if (!--regions[i].pieces)
            drop_region(&regions[i]);
        break;
    }
    pthread_mutex_unlock(&lock);
}
