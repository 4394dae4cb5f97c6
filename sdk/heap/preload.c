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
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
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
#define NEVER (INT64_MAX / 2)
#define FULL_TRIES 20
#define PATIENCE_TRIES 1000 /* of 200 us */

static struct orma_heap_shared *shared; /* NULL: nobody listens */
static uint8_t *ring;
static uint32_t own_pid;
static size_t large = SIZE_MAX;        /* from here on, each allocation is sampled */
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

static struct orma_heap_record *at_position(uint64_t position)
{
    return (struct orma_heap_record *)(void *)(ring + (position & (ORMA_HEAP_RING_BYTES - 1)));
}

/* NULL: full. Its bytes are zero. */
static struct orma_heap_record *reserve(uint32_t size, uint64_t *ret_end)
{
    uint64_t head = atomic_load_explicit(&shared->head, memory_order_relaxed);

    for (unsigned tries = 0; tries < FULL_TRIES;) {
        uint64_t rest = ORMA_HEAP_RING_BYTES - (head & (ORMA_HEAP_RING_BYTES - 1));
        uint32_t need = rest < size ? (uint32_t)rest : size;
        /* Pairs with the reader's release: what it gave back is zero. */
        uint64_t tail = atomic_load_explicit(&shared->tail, memory_order_acquire);

        if (head - tail + need > ORMA_HEAP_RING_BYTES) {
            tries++;
            nap();
            head = atomic_load_explicit(&shared->head, memory_order_relaxed);
            continue;
        }
        if (!atomic_compare_exchange_weak_explicit(&shared->head, &head, head + need,
                                                   memory_order_relaxed, memory_order_relaxed))
            continue;
        if (need == size) {
            *ret_end = head + size;
            return at_position(head);
        }
        at_position(head)->kind = ORMA_HEAP_PAD; /* at least 8 bytes: sizes are multiples of 8 */
        atomic_store_explicit(&at_position(head)->size, need, memory_order_release);
        head += need;
    }
    atomic_fetch_add_explicit(&shared->lost, 1, memory_order_relaxed);
    return NULL;
}

static uint64_t now(void)
{
    struct timespec t = {0};

    (void)clock_gettime(CLOCK_BOOTTIME, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static uint64_t put(enum orma_heap_kind kind, uint64_t address, uint64_t bytes, uint64_t count,
                    const uint64_t *regs, size_t stack_len)
{
    uint32_t size = (uint32_t)(sizeof(struct orma_heap_record) + stack_len);
    uint64_t end = 0;
    struct orma_heap_record *r = reserve(size, &end);

    if (!r)
        return 0;
    r->kind = (uint32_t)kind;
    r->pid = own_pid;
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
static void wait_for_reader(uint64_t end)
{
    for (unsigned i = 0; end && i < PATIENCE_TRIES; i++) {
        if (atomic_load_explicit(&shared->tail, memory_order_relaxed) >= end ||
            !atomic_load_explicit(&shared->on, memory_order_relaxed))
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

static int64_t next_distance(void)
{
    own.seed ^= own.seed << 13;
    own.seed ^= own.seed >> 7;
    own.seed ^= own.seed << 17;
    double u = (double)((own.seed >> 11) + 1) / 9007199254740992.0;

    return (int64_t)(-natural_log(u) * (double)shared->interval) + 1;
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

    while (old != MANY &&
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

static __attribute__((noinline)) void report(void *p, size_t n, uint64_t hits)
{
    uint64_t regs[ORMA_HEAP_REGS] = {0};
    uint64_t bytes = n >= shared->interval ? n : hits * shared->interval;

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
#endif
    remember(p);
    (void)put(ORMA_HEAP_ALLOC, (uintptr_t)p, bytes, n ? (bytes + n / 2) / n : 1, regs,
              regs[1] ? stack_from(regs[1]) : 0);
}

/* The countdown is over: how often was this one hit? */
static __attribute__((noinline)) uint64_t hits_of(size_t n)
{
    uint64_t hits = 0;

    if (own.inside || !shared) {
        own.left = shared ? own.left : NEVER;
        return 0;
    }
    if (!own.seed) { /* a new thread: its first sample is as far away as any other */
        own.inside = true;
        find_stack();
        own.inside = false;
        own.seed = (now() ^ (uintptr_t)&own) * UINT64_C(0x9e3779b97f4a7c15) | 1;
        own.left = next_distance() - (int64_t)(n < large ? n : 0);
    }
    if (n >= large)
        return 1; /* counts as what it is */
    for (; own.left <= 0; hits++)
        own.left += next_distance();
    return hits;
}

static __attribute__((noinline)) void *sample(void *p, size_t n, uint64_t hits)
{
    int saved = errno;

    if (p && hits) {
        own.inside = true;
        report(p, n, hits);
        own.inside = false;
    }
    errno = saved;
    return p;
}

static __attribute__((noinline)) void report_free(void *p)
{
    int saved = errno;

    if (shared && !own.inside && forget(p))
        (void)put(ORMA_HEAP_FREE, (uintptr_t)p, 0, 0, NULL, 0);
    errno = saved;
}

/* ---- in front of the C library ---- */

#define COUNT(n) (UNLIKELY((n) >= large) || UNLIKELY((own.left -= (int64_t)(n)) <= 0))

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

/* ---- life ---- */

static void in_child(void)
{
    own_pid = (uint32_t)getpid();
    if (shared)
        wait_for_reader(put(ORMA_HEAP_START, 0, 0, 1, NULL, 0)); /* count 1: not a new program */
}

static void open_shared(void)
{
    const char *path = getenv(ORMA_HEAP_ENV);
    int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    struct stat st;
    void *memory = MAP_FAILED;

    if (fd >= 0 && fstat(fd, &st) == 0 &&
        (uint64_t)st.st_size == ORMA_HEAP_RING_AT + ORMA_HEAP_RING_BYTES)
        memory = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (fd >= 0)
        (void)close(fd);
    if (memory == MAP_FAILED)
        return;
    struct orma_heap_shared *s = memory;
    if (s->magic != ORMA_HEAP_MAGIC || !s->interval)
        return;
    ring = (uint8_t *)memory + ORMA_HEAP_RING_AT;
    shared = s;
    large = s->interval;
}

__attribute__((constructor)) static void begin(void)
{
    int saved = errno;

    own.inside = true;
    own_pid = (uint32_t)getpid();
    resolve();
    open_shared();
    if (shared) {
        (void)pthread_atfork(NULL, NULL, in_child);
        wait_for_reader(put(ORMA_HEAP_START, 0, 0, 0, NULL, 0));
    }
    own.inside = false;
    own.left = 0; /* what came before us is not counted */
    errno = saved;
}

__attribute__((destructor)) static void end(void)
{
    if (!shared)
        return;
    own.inside = true;
    wait_for_reader(put(ORMA_HEAP_END, 0, 0, 0, NULL, 0));
}
