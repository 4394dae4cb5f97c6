/*
 * The shared rate comes from two pairs: `base`, and the latest anchor of any
 * thread. When base is old enough for a measurement, whoever reads an anchor
 * computes the rate, and the anchor becomes the next base about every second.
 */
#include "sdk/events/tsc.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "sdk/base/clock.h"
#include "sdk/base/fork.h"
#include "sdk/base/guard.h"

#if ORMA_HAVE_TSC
#include <cpuid.h>
#endif

#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#define SOURCE "/sys/devices/system/clocksource/clocksource0/current_clocksource"
#define REBASE_NS 1000000000u
/* A pair is good if the counter moved so little around the clock read; else it is read again. */
#define PAIR_TRIES 4
/* A rate that differs so much from the last is a jump of a clock, not a drift: begin anew. */
#define JUMP_SHIFT 8

struct pair {
    uint64_t tsc, ns;
};

static struct {
    _Atomic bool trusted;
    _Atomic uint64_t mult; /* 0: not measured yet */
    pthread_mutex_t lock;  /* of base; tried, never waited for */
    struct pair base;
    _Atomic(const char *) source; /* instead of SOURCE */
} g = {.lock = PTHREAD_MUTEX_INITIALIZER};

#if ORMA_HAVE_TSC

__extension__ typedef unsigned __int128 wide;

static bool cpu_is_invariant(void)
{
    unsigned a, b, c, d;

    /* Bit 8 of EDX: constant rate, in all states of power. */
    return __get_cpuid(0x80000007, &a, &b, &c, &d) && d & 1u << 8;
}

/* Also called from events, perhaps in a signal handler: no memory is allocated. */
static bool names_tsc(const char *path)
{
    char text[8];
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        return false;
    ssize_t len = read(fd, text, sizeof(text));
    (void)close(fd); /* only read from */
    return (len == 3 || (len == 4 && text[3] == '\n')) && memcmp(text, "tsc", 3) == 0;
}

static bool kernel_uses_tsc(void)
{
    ORMA_HUSHED;
    const char *path = atomic_load_explicit(&g.source, memory_order_relaxed);

    return names_tsc(path ? path : SOURCE);
}

static bool may_read(void)
{
    int state = 0;

    return prctl(PR_GET_TSC, &state) < 0 || state == PR_TSC_ENABLE;
}

void orma_tsc_check(bool allow)
{
    bool trusted = allow && cpu_is_invariant() && may_read() && kernel_uses_tsc();

    /* Relaxed: threads see it with their next anchor. */
    atomic_store_explicit(&g.trusted, trusted, memory_order_relaxed);
}

void orma_tsc_set_source(const char *path)
{
    atomic_store_explicit(&g.source, path, memory_order_relaxed);
}

void orma_tsc_assume(uint64_t mult)
{
    atomic_store_explicit(&g.trusted, true, memory_order_relaxed);
    atomic_store_explicit(&g.mult, mult, memory_order_relaxed);
    pthread_mutex_lock(&g.lock); /* and never unlocked: nobody measures any more */
}

static struct pair read_pair(void)
{
    struct pair best = {0};
    uint64_t best_width = UINT64_MAX;

    for (int i = 0; i < PAIR_TRIES; i++) {
        uint64_t before = orma_tsc_ticks();
        uint64_t ns = orma_clock_boottime();
        uint64_t width = orma_tsc_ticks() - before;

        /* A narrow one is as good as it gets; only an interrupted read is worth repeating. */
        if (width < best_width) {
            best_width = width;
            best = (struct pair){before + width / 2, ns};
        }
        if (width < 400)
            break;
    }
    return best;
}

/* Called with the lock. */
static void measure(struct pair now)
{
    uint64_t ticks = now.tsc - g.base.tsc, ns = now.ns - g.base.ns;
    uint64_t old = atomic_load_explicit(&g.mult, memory_order_relaxed);

    if (!g.base.ns || now.ns < g.base.ns || now.tsc < g.base.tsc || ns > REBASE_NS * UINT64_C(60)) {
        g.base = now; /* first, or long ago, or a jump */
        return;
    }
    if (ns < ORMA_TSC_BASE_NS)
        return;
    uint64_t mult = (uint64_t)(((wide)ns << 32) / ticks);
    uint64_t diff = mult > old ? mult - old : old - mult;
    if (old && diff > old >> JUMP_SHIFT) {
        /* Suspend, or a clock that was set: until measured again, the kernel is asked each time. */
        g.base = now;
        mult = 0;
    } else if (ns >= REBASE_NS) {
        g.base = now;
        if (!kernel_uses_tsc()) /* it has changed its mind */
            atomic_store_explicit(&g.trusted, false, memory_order_relaxed);
    } else if (old && ns < REBASE_NS / 2) {
        return; /* just rebased: the old rate is the better one */
    }
    atomic_store_explicit(&g.mult, mult, memory_order_relaxed);
}

uint64_t orma_tsc_read_anchor(struct orma_tsc_anchor *self)
{
    if (!atomic_load_explicit(&g.trusted, memory_order_relaxed)) {
        self->limit = 0;
        return orma_clock_boottime();
    }
    struct pair now = read_pair();
    if (pthread_mutex_trylock(&g.lock) == 0) {
        measure(now);
        pthread_mutex_unlock(&g.lock);
    }
    /* Not before what the old anchor may have given, so that a thread's time never goes back. */
    uint64_t ticks = ORMA_MIN(now.tsc - self->tsc, self->limit);
    uint64_t given = self->limit ? self->ns + (ticks * self->mult >> 32) : 0;
    self->tsc = now.tsc;
    self->ns = ORMA_MAX(now.ns, given);
    self->mult = atomic_load_explicit(&g.mult, memory_order_relaxed);
    self->limit = self->mult ? ((uint64_t)ORMA_TSC_SPAN_NS << 32) / self->mult : 0;
    return self->ns;
}

#else

void orma_tsc_check(bool allow)
{
    (void)allow;
}

uint64_t orma_tsc_read_anchor(struct orma_tsc_anchor *self)
{
    self->limit = 0;
    return orma_clock_boottime();
}

void orma_tsc_assume(uint64_t mult)
{
    (void)mult;
}

void orma_tsc_set_source(const char *path)
{
    (void)path;
}

#endif

bool orma_tsc_is_trusted(void)
{
    return atomic_load_explicit(&g.trusted, memory_order_relaxed);
}

void orma_tsc_after_fork(void)
{
    /* Another thread may have held it. */
    g.lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    g.base = (struct pair){0};
}
