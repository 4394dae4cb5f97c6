/*
 * Small language helpers that every layer uses. Nothing here allocates or does I/O.
 */
#ifndef ORMA_SDK_BASE_DEFS_H
#define ORMA_SDK_BASE_DEFS_H
#include <stddef.h>
#include <stdint.h>

#define ORMA_LIKELY(x) __builtin_expect(!!(x), 1)
#define ORMA_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define ORMA_COLD __attribute__((cold, noinline))
#define ORMA_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#define ORMA_CACHE_LINE 64

#define ORMA_ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))
#define ORMA_CONTAINER_OF(ptr, type, member) ((type *)((char *)(ptr)-offsetof(type, member)))
#define ORMA_MIN(a, b) ((a) < (b) ? (a) : (b))
#define ORMA_MAX(a, b) ((a) > (b) ? (a) : (b))

/*
 * Destructor at scope exit: ORMA_AUTO(orma_x_free_p) struct orma_x *x = ...;
 * ORMA_DEFINE_AUTO(struct orma_x *, orma_x_free) makes orma_x_free_p from a
 * destructor that takes the value. Destructors take NULL and half-built objects.
 */
#define ORMA_AUTO(fn) __attribute__((cleanup(fn)))
#define ORMA_DEFINE_AUTO(type, fn)                                                                 \
    static inline void fn##_p(type *p)                                                             \
    {                                                                                              \
        fn(*p);                                                                                    \
    }

/* Hands the pointer over: the variable becomes NULL, so its ORMA_AUTO does nothing. */
#define ORMA_STEAL(p)                                                                              \
    __extension__({                                                                                \
        __typeof__(p) stolen_ = (p);                                                               \
        (p) = NULL;                                                                                \
        stolen_;                                                                                   \
    })

/*
 * A place where another thread may run, or this process be killed. Empty in
 * releases; stress builds (-DORMA_TESTPOINTS) hang a yield, a sleep or a kill on it.
 */
#ifdef ORMA_TESTPOINTS
void orma_testpoint(const char *what);
#define ORMA_TESTPOINT(what) orma_testpoint(what)
#else
#define ORMA_TESTPOINT(what) ((void)0)
#endif

/* Rounds up to a power of two. */
static inline uint64_t orma_align_up(uint64_t n, uint64_t to)
{
    return (n + to - 1) & ~(to - 1);
}
#endif
