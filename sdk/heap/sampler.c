/*
 * Every thread counts bytes down to its next sample; the distances are exponential (a Poisson
 * process over bytes), so that each byte has the same chance: one that is hit k times counts k
 * times the mean. Allocations of at least the mean are all reported, and count as what they are.
 *
 * What may fail, and takes memory away when it does not (realloc, munmap, mremap, MAP_FIXED), is
 * reported when it is done, with the time before it: what another thread was given at that address
 * meanwhile is younger.
 */
#include <errno.h>
#include <string.h>

#include "sdk/heap/parts.h"

#define IDLE_BYTES (64 << 10)

/* ---- the countdown ---- */

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
    uint64_t *seed = &orma_hook_own.seed;

    if (!*seed)
        *seed = (orma_hook_sys_now() ^ (uintptr_t)seed) * UINT64_C(0x9e3779b97f4a7c15) | 1;
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    double u = (double)((*seed >> 11) + 1) / 9007199254740992.0;

    return (int64_t)(-natural_log(u) * (double)s->interval) + 1;
}

/*
 * What a thread counted down before it knew of this reader says nothing: neither the rest of
 * another countdown, nor a large size that was taken off because `large` was not set yet.
 */
__attribute__((noinline)) uint64_t orma_hook_hits(size_t n)
{
    struct orma_hook_own *own = &orma_hook_own;
    uint64_t hits = 0;

    if (own->inside)
        return 0;
    struct orma_heap_shared *s = orma_hook_find_listener();
    if (!s) {
        own->left = IDLE_BYTES;
        return 0;
    }
    uint32_t epoch = atomic_load_explicit(&orma_hook_state.epoch, memory_order_relaxed);
    const bool large = n >= s->interval;
    if (own->epoch != epoch) {
        own->epoch = epoch; /* its first sample is as far away as any other */
        own->left = next_distance(s) - (int64_t)(large ? 0 : n);
    }
    if (large)
        return 1; /* counts as what it is */
    for (; own->left <= 0; hits++)
        own->left += next_distance(s);
    return hits;
}

/* ---- libraries ---- */

/* The first members of struct dl_find_object, and of struct link_map. */
struct object {
    unsigned long long flags;
    void *start, *end;
    struct {
        uintptr_t base;
        const char *name;
    } * link;
    uint64_t rest[8];
};

static uint64_t mix(uint64_t hash, uint64_t with)
{
    return (hash ^ with) * UINT64_C(0x9e3779b97f4a7c15) ^ hash >> 29;
}

/* The reader knows libraries by what is mapped when it looks. One that allocates for the first
 * time may have been loaded just now, and be gone when it does. */
static void show_library(struct orma_heap_shared *s, void *caller)
{
    struct object object = {0};
    uint64_t hash = 1;

    if (!orma_hook_next.find_object || orma_hook_next.find_object(caller, &object) != 0 ||
        !object.link || !object.link->name)
        return;
    hash = mix(hash, (uintptr_t)object.start);
    hash = mix(hash, (uintptr_t)object.end);
    for (const char *c = object.link->name; *c; c++)
        hash = mix(hash, (uint8_t)*c);
    if (!orma_hook_is_new_library(hash | 1))
        return;
    uint64_t end = orma_hook_put(s, &(struct orma_hook_note){.kind = ORMA_HEAP_MAPPED});
    if (end)
        orma_hook_wait(s, end);
    else
        orma_hook_forget_library(hash | 1); /* no room: its next allocation tries again */
}

/* ---- reports ---- */

/* A thread's own storage lies above its stack, if it is not the first one. */
static size_t stack_from(uintptr_t sp)
{
    const uintptr_t own = (uintptr_t)&orma_hook_own, end = orma_hook_next.stack_end;
    size_t len = ORMA_HEAP_STACK_MAX;

    if (sp < end && end - sp < ORMA_HEAP_MAIN_STACK)
        len = end - sp;
    else if (sp < own)
        len = own - sp;
    return len < ORMA_HEAP_STACK_MAX ? len : ORMA_HEAP_STACK_MAX;
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
    const struct orma_hook_note note = {.kind = kind,
                                        .address = (uintptr_t)p,
                                        .bytes = bytes,
                                        .count = kind == ORMA_HEAP_MAP ? n
                                                 : n                   ? (bytes + n / 2) / n
                                                                       : 1,
                                        .regs = regs[1] ? regs : NULL,
                                        .stack_len = regs[1] ? stack_from((uintptr_t)regs[1]) : 0};
    (void)orma_hook_put(s, &note);
}

/* A handler that jumps out of us, or a cancellation, would leave a record that nobody ends, and a
 * thread that seems to be inside for ever. */
static struct orma_hook_signals enter(void)
{
    struct orma_hook_signals ret = orma_hook_sys_block_signals();

    orma_hook_own.inside = true;
    return ret;
}

static void leave(const struct orma_hook_signals *signals)
{
    orma_hook_own.inside = false;
    orma_hook_sys_unblock_signals(signals);
}

static void put_whole(struct orma_heap_shared *s, const struct orma_hook_note *note)
{
    const bool inside = orma_hook_own.inside;
    const struct orma_hook_signals signals = enter();

    (void)orma_hook_put(s, note);
    leave(&signals);
    orma_hook_own.inside = inside;
}

void *orma_hook_sample(void *p, size_t n, uint64_t hits, void *caller)
{
    struct orma_heap_shared *s = p && hits ? orma_hook_listener() : NULL;
    int saved = errno;

    if (s) {
        const struct orma_hook_signals signals = enter();

        show_library(s, caller);
        orma_hook_remember(p);
        report(s, ORMA_HEAP_ALLOC, p, n, hits);
        leave(&signals);
    }
    errno = saved;
    return p;
}

void orma_hook_sample_map(void *p, size_t n, uint64_t hits, void *caller)
{
    struct orma_heap_shared *s = hits ? orma_hook_listener() : NULL;
    int saved = errno;

    if (s) {
        const struct orma_hook_signals signals = enter();

        show_library(s, caller);
        atomic_store_explicit(&orma_hook_state.maps_reported, 1, memory_order_relaxed);
        report(s, ORMA_HEAP_MAP, p, n, hits);
        leave(&signals);
    }
    errno = saved;
}

void orma_hook_report_free(void *p, uint64_t time)
{
    struct orma_heap_shared *s = orma_hook_listener();
    int saved = errno;

    if (s)
        put_whole(s, &(struct orma_hook_note){
                         .kind = ORMA_HEAP_FREE, .time = time, .address = (uintptr_t)p});
    errno = saved;
}

struct orma_hook_unmap orma_hook_begin_unmap(void)
{
    struct orma_hook_unmap ret = {0};

    if (!orma_hook_listener() || orma_hook_own.inside ||
        !atomic_load_explicit(&orma_hook_state.maps_reported, memory_order_relaxed))
        return ret;
    ret.signals = orma_hook_sys_block_signals();
    ret.time = orma_hook_sys_now();
    return ret;
}

/* Part of what was reported may be gone, or all of it, or several. */
void orma_hook_report_unmap(const struct orma_hook_unmap *self, void *at, size_t len)
{
    struct orma_heap_shared *s = self->time ? orma_hook_listener() : NULL;
    int saved = errno;

    if (s)
        put_whole(s, &(struct orma_hook_note){.kind = ORMA_HEAP_UNMAP,
                                              .time = self->time,
                                              .address = (uintptr_t)at,
                                              .bytes = len});
    errno = saved;
}

void orma_hook_end_unmap(const struct orma_hook_unmap *self)
{
    int saved = errno;

    if (self->time)
        orma_hook_sys_unblock_signals(&self->signals);
    errno = saved;
}
