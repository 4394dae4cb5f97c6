/*
 * What programs call in place of the C library's functions. The usual case is a subtraction and a
 * jump there. A call that fails changes nothing: neither in the program, nor in what was reported.
 */
#include <errno.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sdk/heap/parts.h"

#define EXPORT __attribute__((visibility("default")))
#define CALLER __builtin_return_address(0)

static __attribute__((noinline)) void *slow_malloc(size_t n, void *caller)
{
    uint64_t hits = orma_hook_hits(n);

    return orma_hook_sample(orma_hook_next.malloc(n), n, hits, caller);
}

EXPORT void *orma_hook_malloc(size_t n)
{
    if (orma_hook_count(n))
        return slow_malloc(n, CALLER);
    return orma_hook_next.malloc(n);
}

static __attribute__((noinline)) void slow_free(void *p)
{
    if (orma_hook_in_arena(p))
        return;
    if (!orma_hook_own.inside && orma_hook_forget(p))
        orma_hook_report_free(p, 0);
    orma_hook_next.free(p);
}

EXPORT void orma_hook_free(void *p)
{
    if (ORMA_HEAP_UNLIKELY(orma_hook_may_be_sampled(p) || orma_hook_in_arena(p)))
        slow_free(p);
    else
        orma_hook_next.free(p);
}

EXPORT void *orma_hook_calloc(size_t num, size_t n)
{
    size_t all;

    if (__builtin_mul_overflow(num, n, &all) || !orma_hook_count(all))
        return orma_hook_next.calloc(num, n);
    uint64_t hits = orma_hook_hits(all);
    return orma_hook_sample(orma_hook_next.calloc(num, n), all, hits, CALLER);
}

static void *move_from_arena(void *p, size_t n)
{
    size_t old = orma_hook_arena_size(p);
    void *ret = orma_hook_malloc(n);

    if (ret)
        memcpy(ret, p, old < n ? old : n);
    return ret;
}

/* One that was sampled may move, or not, or stay as it is. */
static __attribute__((noinline)) void *next_realloc(void *p, size_t n)
{
    bool was = !orma_hook_own.inside && orma_hook_forget(p);
    uint64_t time = was ? orma_hook_sys_now() : 0;
    void *ret = orma_hook_next.realloc(p, n);

    if (was && !ret && n)
        orma_hook_remember(p);
    else if (was)
        orma_hook_report_free(p, time);
    return ret;
}

static void *realloc_for(void *p, size_t n, void *caller)
{
    if (ORMA_HEAP_UNLIKELY(orma_hook_in_arena(p)))
        return move_from_arena(p, n);
    uint64_t hits = orma_hook_count(n) ? orma_hook_hits(n) : 0;
    void *ret = p && ORMA_HEAP_UNLIKELY(orma_hook_may_be_sampled(p)) ? next_realloc(p, n)
                                                                     : orma_hook_next.realloc(p, n);
    return hits ? orma_hook_sample(ret, n, hits, caller) : ret;
}

EXPORT void *orma_hook_realloc(void *p, size_t n)
{
    return realloc_for(p, n, CALLER);
}

EXPORT void *orma_hook_reallocarray(void *p, size_t num, size_t n)
{
    size_t all;

    if (__builtin_mul_overflow(num, n, &all)) {
        errno = ENOMEM;
        return NULL;
    }
    return realloc_for(p, all, CALLER);
}

static void *memalign_for(size_t align, size_t n, void *caller)
{
    if (!orma_hook_count(n))
        return orma_hook_next.memalign(align, n);
    uint64_t hits = orma_hook_hits(n);
    return orma_hook_sample(orma_hook_next.memalign(align, n), n, hits, caller);
}

EXPORT void *orma_hook_memalign(size_t align, size_t n)
{
    return memalign_for(align, n, CALLER);
}

EXPORT void *orma_hook_aligned_alloc(size_t align, size_t n)
{
    return memalign_for(align, n, CALLER);
}

EXPORT int orma_hook_posix_memalign(void **ret, size_t align, size_t n)
{
    int saved = errno;

    if (!align || align % sizeof(void *) || align & (align - 1))
        return EINVAL;
    void *p = memalign_for(align, n, CALLER);
    errno = saved;
    if (!p)
        return ENOMEM;
    *ret = p;
    return 0;
}

EXPORT void *orma_hook_valloc(size_t n)
{
    return memalign_for(4096, n, CALLER);
}

EXPORT void *orma_hook_pvalloc(size_t n)
{
    size_t all;

    if (__builtin_add_overflow(n, 4095, &all)) {
        errno = ENOMEM;
        return NULL;
    }
    return memalign_for(4096, all & ~(size_t)4095, CALLER);
}

/* ---- memory that is not malloc's ---- */

/* What an allocator maps, it gives out: it counts when it does. */
static bool is_allocators(const void *caller)
{
    return (uintptr_t)caller >= orma_hook_next.start && (uintptr_t)caller < orma_hook_next.end;
}

static uint64_t hits_of_map(size_t len, const void *caller)
{
    return len <= PTRDIFF_MAX && !orma_hook_own.inside && !is_allocators(caller) &&
                   orma_hook_count(len)
               ? orma_hook_hits(len)
               : 0;
}

/* Files are no memory of the program, and what nobody may touch is only room for addresses. */
static void *mmap_for(void *at, size_t len, int prot, int flags, int fd, int64_t offset,
                      void *caller)
{
    uint64_t hits = flags & MAP_ANONYMOUS && prot != PROT_NONE ? hits_of_map(len, caller) : 0;
    struct orma_hook_unmap unmap = {0};

    if (flags & MAP_FIXED)
        unmap = orma_hook_begin_unmap();
    void *p = orma_hook_sys_mmap(at, len, prot, flags, fd, offset);
    if (p != MAP_FAILED) {
        orma_hook_report_unmap(&unmap, p, len); /* what lay there */
        orma_hook_sample_map(p, len, hits, caller);
    }
    orma_hook_end_unmap(&unmap);
    return p;
}

/* <sys/mman.h> makes one of the two names the other. */
EXPORT void *orma_hook_mmap(void *at, size_t len, int prot, int flags, int fd, int64_t offset)
{
    return mmap_for(at, len, prot, flags, fd, offset, CALLER);
}

EXPORT void *orma_hook_mmap64(void *at, size_t len, int prot, int flags, int fd, int64_t offset)
{
    return mmap_for(at, len, prot, flags, fd, offset, CALLER);
}

EXPORT int orma_hook_munmap(void *at, size_t len)
{
    const struct orma_hook_unmap unmap = orma_hook_begin_unmap();
    int r = orma_hook_sys_munmap(at, len);

    if (r == 0)
        orma_hook_report_unmap(&unmap, at, len);
    orma_hook_end_unmap(&unmap);
    return r;
}

EXPORT void *orma_hook_mremap(void *old, size_t old_len, size_t len, int flags, ...)
{
    uint64_t hits = hits_of_map(len, CALLER);
    const struct orma_hook_unmap unmap = orma_hook_begin_unmap();
    va_list args;

    va_start(args, flags);
    void *to = flags & MREMAP_FIXED ? va_arg(args, void *) : NULL;
    va_end(args);
    void *p = orma_hook_sys_mremap(old, old_len, len, flags, to);
    if (p != MAP_FAILED) {
        orma_hook_report_unmap(&unmap, old, old_len);
        if (to)
            orma_hook_report_unmap(&unmap, to, len);
        if (hits && orma_hook_sys_is_file(p)) /* as in mmap_for() */
            hits = 0;
        orma_hook_sample_map(p, len, hits, CALLER);
    }
    orma_hook_end_unmap(&unmap);
    return p;
}

/* ---- sandboxes ---- */

#ifdef ORMA_HEAP_RAW_CALLS
#define SET_MODE_LAST 1 /* of seccomp(): STRICT, FILTER; what is above only asks */

static void look_at_call(long number, const long args[6])
{
    const bool by_prctl = number == SYS_prctl && (int)args[0] == PR_SET_SECCOMP,
               by_call = number == SYS_seccomp && (unsigned long)args[0] <= SET_MODE_LAST;

    if ((by_prctl && args[1] == SECCOMP_MODE_STRICT) ||
        (by_call && args[0] == SECCOMP_SET_MODE_STRICT) ||
        (number == SYS_prctl && (int)args[0] == PR_SET_TSC && args[1] == PR_TSC_SIGSEGV))
        orma_hook_sys_leave_counter();
    if (by_prctl || by_call)
        orma_hook_sys_confine();
}

static long call(long number, const long args[6])
{
    long ret;

    look_at_call(number, args);
    ret = orma_hook_sys_raw(number, args);
    if (ret < 0 && ret > -4096) {
        errno = (int)-ret;
        return -1;
    }
    return ret;
}

/* As the C library does: what was not passed is whatever lies there. */
static void take_args(long *ret, unsigned num, va_list args)
{
    for (unsigned i = 0; i < num; i++)
        ret[i] = va_arg(args, long);
}

EXPORT int orma_hook_prctl(int option, ...)
{
    long values[6] = {option};
    va_list args;

    va_start(args, option);
    take_args(values + 1, 4, args);
    va_end(args);
    return (int)call(SYS_prctl, values);
}

EXPORT long orma_hook_syscall(long number, ...)
{
    long values[6];
    va_list args;

    va_start(args, number);
    take_args(values, 6, args);
    va_end(args);
    return call(number, values);
}
#endif

/* ---- life ---- */

/* Where the kernel does not wipe our page (before 4.14), fork() is all that is noticed. */
static void in_child(void)
{
    atomic_store_explicit(&orma_hook_self->pid, 0, memory_order_relaxed);
}

__attribute__((constructor)) static void begin(void)
{
    int saved = errno;
    const char *path = getenv(ORMA_HEAP_ENV);

    orma_hook_own.inside = true;
    orma_hook_next_resolve();
    orma_hook_next_look();
    (void)pthread_atfork(NULL, NULL, in_child);
    if (path)
        orma_hook_start_by_path(path);
    orma_hook_own.inside = false;
    orma_hook_own.left = 0; /* what came before us is not counted */
    errno = saved;
}

__attribute__((destructor)) static void end(void)
{
    struct orma_heap_shared *s = orma_hook_listener();

    /* A copy that no reader has heard of need not end. */
    if (!s || !atomic_load_explicit(&orma_hook_self->pid, memory_order_relaxed))
        return;
    orma_hook_own.inside = true;
    orma_hook_wait(s, orma_hook_put(s, &(struct orma_hook_note){.kind = ORMA_HEAP_END}));
}
