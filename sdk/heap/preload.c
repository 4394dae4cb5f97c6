/*
 * The library that `orma heap` preloads: stands in front of malloc and its relatives, and reports
 * some of the calls (shared.h).
 *
 * Every thread counts bytes down to its next sample; the distances are exponential (a Poisson
 * process over bytes), so that each byte has the same chance: one that is hit k times counts k
 * times the mean. Allocations of at least the mean are all reported, and count as what they are. Of
 * frees only those of sampled addresses matter: one look at a counter tells nearly all others
 * apart.
 *
 * The usual case is a subtraction and a jump to the C library. This code runs inside any program,
 * before its constructors and in its signal handlers: no lock, no allocation, nothing printed.
 *
 * Loaded without a reader, it is idle: once per IDLE_BYTES a thread looks whether somebody has come
 * (`attach`). When the reader ends, or no longer moves, it is idle again. Memory that was shared
 * stays mapped, as a thread may be writing to it; the reader has given its pages back.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "sdk/heap/shared.h"

#define EXPORT __attribute__((visibility("default")))
#define UNLIKELY(x) __builtin_expect(!!(x), 0)
#define SLOTS (1u << 18)
#define WINDOW 32u
#define MANY                                                                                       \
    255 /* a place that is so crowded tells nothing any more: all its frees are reported           \
         */
#define NO_SIZE ((size_t)INT64_MAX) /* and what is above: nothing to count down with */
#define IDLE_BYTES (256 << 10)
#define DEAD_NS UINT64_C(3000000000) /* a reader that does not move for so long is none */
#define FULL_TRIES 20
#define PATIENCE_TRIES 1000 /* of 200 us */

/* Written at the begin and, by attach(), once per reader; before `large`, which begins to sample.
 */
static _Atomic(struct orma_heap_shared *) shared; /* NULL: nobody listens */
static _Atomic uint32_t own_pid;
static _Atomic size_t large = NO_SIZE; /* from here on, each allocation is sampled */
static _Atomic uint32_t maps_reported;
static _Atomic uint32_t beat_seen;
static _Atomic uint64_t beat_since;
static struct orma_heap_attach attach = {
    .magic = {ORMA_HEAP_ATTACH_MAGIC, ~ORMA_HEAP_ATTACH_MAGIC}};
static _Atomic uint8_t sampled[SLOTS]; /* by hash: how many live addresses there were sampled */
static _Atomic uintptr_t addresses[SLOTS + WINDOW]; /* and which, within WINDOW of their place */

static __thread struct {
    int64_t left;  /* bytes to the next sample */
    uint64_t seed; /* 0: a new thread */
    bool inside;
    uintptr_t stack_low, stack_high;
} own __attribute__((tls_model("initial-exec")));

/* ---- the next library's functions ---- */

static void *boot_malloc(size_t n);
static void boot_free(void *p);
static void *boot_calloc(size_t num, size_t n);
static void *boot_realloc(void *p, size_t n);
static void *boot_memalign(size_t align, size_t n);

static void *(*next_malloc)(size_t) = boot_malloc;
static void (*next_free)(void *) = boot_free;
static void *(*next_calloc)(size_t, size_t) = boot_calloc;
static void *(*next_realloc)(void *, size_t) = boot_realloc;
static void *(*next_memalign)(size_t, size_t) = boot_memalign;

/* dlsym() may allocate: from here, and never freed. */
static char arena[64 << 10] __attribute__((aligned(16)));
static size_t arena_used;
static bool resolving;

static void *from_arena(size_t n)
{
    size_t at = __atomic_fetch_add(&arena_used, (n + 31) & ~(size_t)15, __ATOMIC_RELAXED);

    if (n > sizeof(arena) || at > sizeof(arena) - n - 16)
        return NULL;
    *(size_t *)(void *)(arena + at) = n; /* for realloc() */
    return arena + at + 16;
}

static bool in_arena(const void *p)
{
    return (const char *)p >= arena && (const char *)p < arena + sizeof(arena);
}

static void resolve(void)
{
    if (resolving)
        return;
    resolving = true;
    void *m = dlsym(RTLD_NEXT, "malloc"), *f = dlsym(RTLD_NEXT, "free"),
         *c = dlsym(RTLD_NEXT, "calloc"), *r = dlsym(RTLD_NEXT, "realloc"),
         *a = dlsym(RTLD_NEXT, "memalign");
    memcpy(&next_malloc, &m, sizeof(m));
    memcpy(&next_calloc, &c, sizeof(c));
    memcpy(&next_realloc, &r, sizeof(r));
    memcpy(&next_memalign, &a, sizeof(a));
    memcpy(&next_free, &f, sizeof(f));
    resolving = false;
}

static void *boot_malloc(size_t n)
{
    resolve();
    return next_malloc == boot_malloc ? from_arena(n) : next_malloc(n);
}

static void *boot_calloc(size_t num, size_t n)
{
    resolve();
    return next_calloc == boot_calloc ? from_arena(num * n) : next_calloc(num, n);
}

static void *boot_realloc(void *p, size_t n)
{
    resolve();
    return next_realloc == boot_realloc ? NULL : next_realloc(p, n);
}

static void *boot_memalign(size_t align, size_t n)
{
    resolve();
    return next_memalign == boot_memalign ? NULL : next_memalign(align, n);
}

static void boot_free(void *p)
{
    resolve();
    if (next_free != boot_free)
        next_free(p);
}

/* ---- the ring ---- */

static void nap(void)
{
    const struct timespec t = {0, 200000};

    (void)nanosleep(&t, NULL);
}

static uint64_t now(void)
{
    struct timespec t = {0};

    (void)clock_gettime(CLOCK_BOOTTIME, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Pairs with the release in start(). */
static struct orma_heap_shared *listener(void)
{
    return atomic_load_explicit(&shared, memory_order_acquire);
}

static void fall_idle(void)
{
    atomic_store_explicit(&large, NO_SIZE, memory_order_relaxed);
    atomic_store_explicit(&shared, NULL, memory_order_relaxed);
    atomic_store_explicit(&attach.active, 0, memory_order_relaxed);
}

/* Its ring is full: is there anybody to empty it? */
static void check_reader(struct orma_heap_shared *s)
{
    uint32_t beat = atomic_load_explicit(&s->beat, memory_order_relaxed);

    if (atomic_exchange_explicit(&beat_seen, beat, memory_order_relaxed) != beat ||
        !atomic_load_explicit(&beat_since, memory_order_relaxed))
        atomic_store_explicit(&beat_since, now(), memory_order_relaxed);
    else if (now() - atomic_load_explicit(&beat_since, memory_order_relaxed) > DEAD_NS)
        fall_idle();
}

static struct orma_heap_record *at_position(struct orma_heap_shared *s, uint64_t position)
{
    return (struct orma_heap_record *)(void *)((uint8_t *)s + ORMA_HEAP_RING_AT +
                                               (position & (ORMA_HEAP_RING_BYTES - 1)));
}

/* NULL: full. Its bytes are zero. */
static struct orma_heap_record *reserve(struct orma_heap_shared *s, uint32_t size,
                                        uint64_t *ret_end)
{
    uint64_t head = atomic_load_explicit(&s->head, memory_order_relaxed);

    for (unsigned tries = 0; tries < FULL_TRIES;) {
        uint64_t rest = ORMA_HEAP_RING_BYTES - (head & (ORMA_HEAP_RING_BYTES - 1));
        uint32_t need = rest < size ? (uint32_t)rest : size;
        /* Pairs with the reader's release: what it gave back is zero. */
        uint64_t tail = atomic_load_explicit(&s->tail, memory_order_acquire);

        if (head - tail + need > ORMA_HEAP_RING_BYTES) {
            tries++;
            nap();
            head = atomic_load_explicit(&s->head, memory_order_relaxed);
            continue;
        }
        if (!atomic_compare_exchange_weak_explicit(&s->head, &head, head + need,
                                                   memory_order_relaxed, memory_order_relaxed))
            continue;
        if (need == size) {
            *ret_end = head + size;
            return at_position(s, head);
        }
        at_position(s, head)->kind = ORMA_HEAP_PAD; /* at least 8 bytes: sizes are multiples of 8 */
        atomic_store_explicit(&at_position(s, head)->size, need, memory_order_release);
        head += need;
    }
    atomic_fetch_add_explicit(&s->lost, 1, memory_order_relaxed);
    check_reader(s);
    return NULL;
}

static uint64_t put(struct orma_heap_shared *s, enum orma_heap_kind kind, uint64_t address,
                    uint64_t bytes, uint64_t count, const uint64_t *regs, size_t stack_len)
{
    uint32_t size = (uint32_t)(sizeof(struct orma_heap_record) + stack_len);
    uint64_t end = 0;
    struct orma_heap_record *r = reserve(s, size, &end);

    if (!r)
        return 0;
    r->kind = (uint32_t)kind;
    r->pid = atomic_load_explicit(&own_pid, memory_order_relaxed);
    r->tid = (uint32_t)syscall(SYS_gettid);
    r->time = now();
    r->address = address;
    r->bytes = bytes;
    r->count = count;
    r->stack_len = stack_len;
    if (regs) {
        memcpy(r->regs, regs, sizeof(r->regs));
        memcpy(r + 1, (const void *)(uintptr_t)regs[1], stack_len);
    }
    /* Pairs with the reader's acquire. */
    atomic_store_explicit(&r->size, size, memory_order_release);
    return end;
}

/* Until the reader has seen it: it can look at our memory only while we are there. */
static void wait_for_reader(struct orma_heap_shared *s, uint64_t end)
{
    for (unsigned i = 0; end && i < PATIENCE_TRIES; i++) {
        if (atomic_load_explicit(&s->tail, memory_order_relaxed) >= end ||
            !atomic_load_explicit(&s->on, memory_order_relaxed))
            return;
        nap();
    }
}

/* ---- sampling ---- */

/* ln of a number in (0, 1]. */
static double natural_log(double x)
{
    uint64_t bits;
    double m, y, square, sum;

    memcpy(&bits, &x, sizeof(bits));
    int exponent = (int)(bits >> 52) - 1023;
    bits = (bits & UINT64_C(0xfffffffffffff)) | UINT64_C(0x3ff0000000000000);
    memcpy(&m, &bits, sizeof(m));
    y = (m - 1) / (m + 1);
    square = y * y;
    sum = y * (1 + square * (1 / 3.0 + square * (1 / 5.0 + square * (1 / 7.0 + square / 9.0))));
    return 2 * sum + exponent * 0.69314718055994531;
}

static int64_t next_distance(const struct orma_heap_shared *s)
{
    own.seed ^= own.seed << 13;
    own.seed ^= own.seed >> 7;
    own.seed ^= own.seed << 17;
    double u = (double)((own.seed >> 11) + 1) / 9007199254740992.0;

    return (int64_t)(-natural_log(u) * (double)s->interval) + 1;
}

static uint32_t place_of(const void *p)
{
    return (uint32_t)(((uintptr_t)p >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 46);
}

static bool may_be_sampled(const void *p)
{
    return atomic_load_explicit(&sampled[place_of(p)], memory_order_relaxed);
}

/* Counts are changed by several threads; one that is full stays full. */
static void change_count(uint32_t place, int by)
{
    uint8_t old = atomic_load_explicit(&sampled[place], memory_order_relaxed);

    while (old != MANY && (old || by > 0) &&
           !atomic_compare_exchange_weak_explicit(&sampled[place], &old, (uint8_t)(old + by),
                                                  memory_order_relaxed, memory_order_relaxed))
        ;
}

/* The address is ours until it is freed, so nobody else looks for it meanwhile. */
static void remember(const void *p)
{
    uint32_t place = place_of(p);

    change_count(place, 1);
    for (uint32_t i = place; i < place + WINDOW; i++) {
        uintptr_t none = 0;

        if (atomic_compare_exchange_strong_explicit(&addresses[i], &none, (uintptr_t)p,
                                                    memory_order_relaxed, memory_order_relaxed))
            return;
    }
    atomic_store_explicit(&sampled[place], MANY, memory_order_relaxed);
}

/* Was it sampled? Then it is not any more. */
static bool forget(const void *p)
{
    uint32_t place = place_of(p);

    for (uint32_t i = place; i < place + WINDOW; i++) {
        uintptr_t is = (uintptr_t)p;

        if (atomic_compare_exchange_strong_explicit(&addresses[i], &is, 0, memory_order_relaxed,
                                                    memory_order_relaxed)) {
            change_count(place, -1);
            return true;
        }
    }
    return atomic_load_explicit(&sampled[place], memory_order_relaxed) == MANY;
}

static void find_stack(void)
{
    pthread_attr_t attr;
    void *low = NULL;
    size_t size = 0;

    if (pthread_getattr_np(pthread_self(), &attr))
        return;
    if (pthread_attr_getstack(&attr, &low, &size) == 0) {
        own.stack_low = (uintptr_t)low;
        own.stack_high = (uintptr_t)low + size;
    }
    (void)pthread_attr_destroy(&attr);
}

/* So much may be copied from sp on: to the top of the stack, or of the page on another stack. */
static size_t stack_from(uintptr_t sp)
{
    size_t len = 4096 - (sp & 4095);

    if (sp >= own.stack_low && sp < own.stack_high)
        len = own.stack_high - sp;
    return (len < ORMA_HEAP_STACK_MAX ? len : ORMA_HEAP_STACK_MAX) & ~(size_t)7;
}

static __attribute__((noinline)) void report(struct orma_heap_shared *s, enum orma_heap_kind kind,
                                             void *p, size_t n, uint64_t hits)
{
    uint64_t regs[ORMA_HEAP_REGS] = {0};
    uint64_t bytes = n >= s->interval ? n : hits * s->interval;

#if defined(__x86_64__)
    __asm__ volatile("movq %%rsp, %0\n movq %%rbp, %1\n movq %%rbx, %2\n leaq 0f(%%rip), %%rax\n"
                     "movq %%rax, %3\n0:"
                     : "=m"(regs[1]), "=m"(regs[2]), "=m"(regs[3]), "=m"(regs[0])
                     :
                     : "rax", "memory");
    __asm__ volatile("movq %%r12, %0\n movq %%r13, %1\n movq %%r14, %2\n movq %%r15, %3"
                     : "=m"(regs[4]), "=m"(regs[5]), "=m"(regs[6]), "=m"(regs[7])
                     :
                     : "memory");
#elif defined(__aarch64__)
    __asm__ volatile("adr x9, .\n mov x10, sp\n stp x9, x10, [%0]\n stp x19, x20, [%0, 16]\n"
                     "stp x21, x22, [%0, 32]\n stp x23, x24, [%0, 48]\n stp x25, x26, [%0, 64]\n"
                     "stp x27, x28, [%0, 80]\n stp x29, x30, [%0, 96]"
                     :
                     : "r"(regs)
                     : "x9", "x10", "memory");
#endif
    if (kind == ORMA_HEAP_ALLOC)
        remember(p);
    else
        atomic_store_explicit(&maps_reported, 1, memory_order_relaxed);
    uint64_t count = kind == ORMA_HEAP_MAP ? n : n ? (bytes + n / 2) / n : 1;
    (void)put(s, kind, (uintptr_t)p, bytes, count, regs, regs[1] ? stack_from(regs[1]) : 0);
}

/* Of an earlier reader; whoever frees one of them meanwhile finds it here, or not: both is right.
 */
static void forget_all(void)
{
    for (uint32_t i = 0; i < SLOTS + WINDOW; i++)
        atomic_store_explicit(&addresses[i], 0, memory_order_relaxed);
    for (uint32_t i = 0; i < SLOTS; i++)
        atomic_store_explicit(&sampled[i], 0, memory_order_relaxed);
}

static void *map_shared(int fd)
{
    return mmap(NULL, ORMA_HEAP_RING_AT + ORMA_HEAP_RING_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED,
                fd, 0);
}

/* `how`: of the record START, its count. */
static void start(struct orma_heap_shared *s, uint64_t how)
{
    forget_all();
    atomic_store_explicit(&beat_since, 0, memory_order_relaxed);
    atomic_store_explicit(&attach.active, 1, memory_order_relaxed);
    atomic_store_explicit(&shared, s, memory_order_release); /* listener() */
    wait_for_reader(s, put(s, ORMA_HEAP_START, 0, 0, how, NULL, 0));
    atomic_store_explicit(&large, s->interval, memory_order_relaxed);
}

/* The reader of the command that we belong to. */
static void start_by_path(const char *path)
{
    int fd = open(path, O_RDWR | O_CLOEXEC);
    struct stat st;
    void *memory = MAP_FAILED;

    if (fd >= 0 && fstat(fd, &st) == 0 &&
        (uint64_t)st.st_size == ORMA_HEAP_RING_AT + ORMA_HEAP_RING_BYTES)
        memory = map_shared(fd);
    if (fd >= 0)
        (void)close(fd);
    if (memory == MAP_FAILED)
        return;
    struct orma_heap_shared *s = memory;
    if (s->magic == ORMA_HEAP_MAGIC && s->interval)
        start(s, 0);
}

/* Other threads may close descriptors that they do not know, and get the number anew. */
static void close_own(int fd, const struct stat *made)
{
    struct stat st;

    if (fstat(fd, &st) == 0 && st.st_ino == made->st_ino && st.st_dev == made->st_dev)
        (void)close(fd);
}

/* A reader has come: memory for both, which it finds by our descriptor. */
static void start_for(uint64_t interval)
{
    int fd = (int)syscall(SYS_memfd_create, "orma-heap", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    struct stat st;
    void *memory = MAP_FAILED;

    if (fd < 0)
        return;
    if (ftruncate(fd, (off_t)(ORMA_HEAP_RING_AT + ORMA_HEAP_RING_BYTES)) == 0 &&
        fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) == 0 &&
        fstat(fd, &st) == 0)
        memory = map_shared(fd);
    if (memory == MAP_FAILED) {
        (void)close(fd);
        return;
    }
    struct orma_heap_shared *s = memory;
    s->magic = ORMA_HEAP_MAGIC;
    s->interval = interval;
    atomic_store_explicit(&s->on, 1, memory_order_relaxed);
    atomic_store_explicit(&attach.fd, fd + 1, memory_order_release); /* the reader reads it */
    for (unsigned i = 0; i < PATIENCE_TRIES * 5; i++) {
        if (atomic_load_explicit(&s->beat, memory_order_relaxed))
            break;
        nap();
    }
    atomic_store_explicit(&attach.fd, 0, memory_order_relaxed);
    close_own(fd, &st);
    if (atomic_load_explicit(&s->beat, memory_order_relaxed))
        start(s, 2);
    else
        (void)munmap(memory, ORMA_HEAP_RING_AT + ORMA_HEAP_RING_BYTES); /* nobody has seen it */
}

/* Who listens; perhaps somebody has come, or gone. */
static struct orma_heap_shared *find_listener(void)
{
    struct orma_heap_shared *s = listener();
    int saved = errno;

    if (s && !atomic_load_explicit(&s->on, memory_order_relaxed)) {
        fall_idle();
        s = NULL;
    }
    if (s || !UNLIKELY(atomic_load_explicit(&attach.wanted, memory_order_relaxed)))
        return s;
    uint64_t interval = atomic_exchange_explicit(&attach.wanted, 0, memory_order_relaxed);
    if (!interval)
        return NULL; /* another thread was faster */
    own.inside = true;
    start_for(interval);
    own.inside = false;
    errno = saved;
    return listener();
}

/* The countdown is over: how often was this one hit? */
static __attribute__((noinline)) uint64_t hits_of(size_t n)
{
    uint64_t hits = 0;

    if (own.inside)
        return 0;
    struct orma_heap_shared *s = find_listener();
    if (!s) {
        own.left = IDLE_BYTES;
        return 0;
    }
    if (!own.seed) { /* a new thread: its first sample is as far away as any other */
        own.inside = true;
        find_stack();
        own.inside = false;
        own.seed = (now() ^ (uintptr_t)&own) * UINT64_C(0x9e3779b97f4a7c15) | 1;
        own.left = next_distance(s) - (int64_t)(n < s->interval ? n : 0);
    }
    if (n >= s->interval)
        return 1; /* counts as what it is */
    for (; own.left <= 0; hits++)
        own.left += next_distance(s);
    return hits;
}

static __attribute__((noinline)) void *sample(void *p, size_t n, uint64_t hits)
{
    struct orma_heap_shared *s = hits ? listener() : NULL;
    int saved = errno;

    if (p && s) {
        own.inside = true;
        report(s, ORMA_HEAP_ALLOC, p, n, hits);
        own.inside = false;
    }
    errno = saved;
    return p;
}

static __attribute__((noinline)) void report_free(void *p)
{
    struct orma_heap_shared *s = listener();
    int saved = errno;

    if (!own.inside && forget(p) && s)
        (void)put(s, ORMA_HEAP_FREE, (uintptr_t)p, 0, 0, NULL, 0);
    errno = saved;
}

/* ---- in front of the C library ---- */

/* In the order that costs least: what is large is left out of the countdown. */
#define COUNT(n)                                                                                   \
    (UNLIKELY((n) >= atomic_load_explicit(&large, memory_order_relaxed)) ||                        \
     UNLIKELY((own.left -= (int64_t)(n)) <= 0))

static __attribute__((noinline)) void *slow_malloc(size_t n)
{
    uint64_t hits = hits_of(n);

    return sample(next_malloc(n), n, hits);
}

EXPORT void *malloc(size_t n)
{
    if (COUNT(n))
        return slow_malloc(n);
    return next_malloc(n);
}

static __attribute__((noinline)) void slow_free(void *p)
{
    if (in_arena(p))
        return;
    report_free(p);
    next_free(p);
}

EXPORT void free(void *p)
{
    if (UNLIKELY(may_be_sampled(p) || in_arena(p)))
        slow_free(p);
    else
        next_free(p);
}

EXPORT void *calloc(size_t num, size_t n)
{
    size_t all;

    if (__builtin_mul_overflow(num, n, &all) || !COUNT(all))
        return next_calloc(num, n);
    uint64_t hits = hits_of(all);
    return sample(next_calloc(num, n), all, hits);
}

static void *move_from_arena(void *p, size_t n)
{
    size_t old = *(size_t *)(void *)((char *)p - 16);
    void *ret = malloc(n);

    if (ret)
        memcpy(ret, p, old < n ? old : n);
    return ret;
}

EXPORT void *realloc(void *p, size_t n)
{
    if (UNLIKELY(in_arena(p)))
        return move_from_arena(p, n);
    if (p && UNLIKELY(may_be_sampled(p)))
        report_free(p);
    if (!COUNT(n))
        return next_realloc(p, n);
    uint64_t hits = hits_of(n);
    return sample(next_realloc(p, n), n, hits);
}

EXPORT void *reallocarray(void *p, size_t num, size_t n)
{
    size_t all;

    if (__builtin_mul_overflow(num, n, &all)) {
        errno = ENOMEM;
        return NULL;
    }
    return realloc(p, all);
}

EXPORT void *memalign(size_t align, size_t n)
{
    if (!COUNT(n))
        return next_memalign(align, n);
    uint64_t hits = hits_of(n);
    return sample(next_memalign(align, n), n, hits);
}

EXPORT void *aligned_alloc(size_t align, size_t n)
{
    return memalign(align, n);
}

EXPORT int posix_memalign(void **ret, size_t align, size_t n)
{
    int saved = errno;

    if (!align || align % sizeof(void *) || align & (align - 1))
        return EINVAL;
    void *p = memalign(align, n);
    int err = errno;
    errno = saved;
    if (!p)
        return err;
    *ret = p;
    return 0;
}

EXPORT void *valloc(size_t n)
{
    return memalign(4096, n);
}

EXPORT void *pvalloc(size_t n)
{
    return memalign(4096, (n + 4095) & ~(size_t)4095);
}

/* ---- memory that is not malloc's ---- */

static void *raw_mmap(void *at, size_t len, int prot, int flags, int fd, off_t offset)
{
    return (void *)syscall(SYS_mmap, at, len, prot, flags, fd, offset);
}

/* Part of what was reported may go, or all of it, or several. */
static void report_unmap(void *at, size_t len)
{
    struct orma_heap_shared *s = listener();
    int saved = errno;

    if (s && !own.inside && atomic_load_explicit(&maps_reported, memory_order_relaxed))
        (void)put(s, ORMA_HEAP_UNMAP, (uintptr_t)at, len, 0, NULL, 0);
    errno = saved;
}

static __attribute__((noinline)) void report_map(void *p, size_t n, uint64_t hits)
{
    struct orma_heap_shared *s = hits ? listener() : NULL;
    int saved = errno;

    if (s) {
        own.inside = true;
        report(s, ORMA_HEAP_MAP, p, n, hits);
        own.inside = false;
    }
    errno = saved;
}

/* Files are no memory of the program, and what nobody may touch is only room for addresses. */
static void *count_mmap(void *at, size_t len, int prot, int flags, int fd, off_t offset)
{
    bool counts = flags & MAP_ANONYMOUS && prot != PROT_NONE && len <= INT64_MAX && !own.inside;
    uint64_t hits = counts && COUNT(len) ? hits_of(len) : 0;

    if (flags & MAP_FIXED)
        report_unmap(at, len); /* what lay there; if this fails, it was free before its time */
    void *p = raw_mmap(at, len, prot, flags, fd, offset);
    if (p != MAP_FAILED && hits)
        report_map(p, len, hits);
    return p;
}

/* <sys/mman.h> makes one of the two names the other. */
EXPORT void *orma_heap_mmap(void *at, size_t len, int prot, int flags, int fd,
                            off_t offset) __asm__("mmap");
EXPORT void *orma_heap_mmap64(void *at, size_t len, int prot, int flags, int fd,
                              off_t offset) __asm__("mmap64");

void *orma_heap_mmap(void *at, size_t len, int prot, int flags, int fd, off_t offset)
{
    return count_mmap(at, len, prot, flags, fd, offset);
}

void *orma_heap_mmap64(void *at, size_t len, int prot, int flags, int fd, off_t offset)
{
    return count_mmap(at, len, prot, flags, fd, offset);
}

/* Before the call: behind it, another thread may have the address already. */
EXPORT int munmap(void *at, size_t len)
{
    report_unmap(at, len);
    return (int)syscall(SYS_munmap, at, len);
}

EXPORT void *mremap(void *old, size_t old_len, size_t len, int flags, ...)
{
    uint64_t hits = !own.inside && len <= INT64_MAX && COUNT(len) ? hits_of(len) : 0;
    va_list args;

    va_start(args, flags);
    void *to = flags & MREMAP_FIXED ? va_arg(args, void *) : NULL;
    va_end(args);
    if (to)
        report_unmap(to, len);
    report_unmap(old, old_len);
    void *p = (void *)syscall(SYS_mremap, old, old_len, len, flags, to);
    if (p != MAP_FAILED && hits)
        report_map(p, len, hits);
    return p;
}

/* ---- life ---- */

static void in_child(void)
{
    struct orma_heap_shared *s = listener();

    atomic_store_explicit(&own_pid, (uint32_t)getpid(), memory_order_relaxed);
    if (s) /* count 1: not a new program */
        wait_for_reader(s, put(s, ORMA_HEAP_START, 0, 0, 1, NULL, 0));
}

__attribute__((constructor)) static void begin(void)
{
    int saved = errno;
    const char *path = getenv(ORMA_HEAP_ENV);

    own.inside = true;
    atomic_store_explicit(&own_pid, (uint32_t)getpid(), memory_order_relaxed);
    resolve();
    (void)pthread_atfork(NULL, NULL, in_child);
    if (path)
        start_by_path(path);
    own.inside = false;
    own.left = 0; /* what came before us is not counted */
    errno = saved;
}

__attribute__((destructor)) static void end(void)
{
    struct orma_heap_shared *s = listener();

    if (!s)
        return;
    own.inside = true;
    wait_for_reader(s, put(s, ORMA_HEAP_END, 0, 0, 0, NULL, 0));
}
