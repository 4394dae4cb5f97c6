/*
 * Clock of events: CLOCK_BOOTTIME, by way of the CPU's time stamp counter where
 * the kernel itself trusts that (its clocksource is tsc, the counter runs at one
 * rate and through idle states), else by clock_gettime().
 *
 * Each thread extrapolates from an anchor, a pair (counter, ns) read together,
 * for at most ORMA_TSC_SPAN_NS; then it reads a new one. The rate is measured
 * over at least ORMA_TSC_BASE_NS and measured again about every second, so it
 * follows what NTP does. Bound of the error: the span times the change of rate
 * since the last measurement (500 ppm: 0.25 us), plus the reading of the anchor
 * (some 30 ns). Readings from one anchor never go back.
 *
 * Where the kernel changes its mind the counter is given up within about a second
 * and one span; across a suspend (which only CLOCK_BOOTTIME counts), within a span.
 *
 * Threads: an anchor belongs to one thread; the rate is shared.
 */
#ifndef ORMA_SDK_EVENTS_TSC_H
#define ORMA_SDK_EVENTS_TSC_H
#include <stdbool.h>
#include <stdint.h>

#include "sdk/base/defs.h"

#if defined(__x86_64__)
#define ORMA_HAVE_TSC 1
#else
#define ORMA_HAVE_TSC 0
#endif

#define ORMA_TSC_SPAN_NS 500000u
#define ORMA_TSC_BASE_NS 10000000u

struct orma_tsc_anchor {
    uint64_t tsc;
    uint64_t ns;
    uint64_t mult;  /* ns per tick, times 2^32 */
    uint64_t limit; /* ticks that the anchor is good for; 0: do not use the counter */
};

/* Looks whether the counter may be used; cheap enough for each session's start. `allow` false:
 * never. */
void orma_tsc_check(bool allow);
bool orma_tsc_is_trusted(void);

/* For tests: the file that names the kernel's clocksource; NULL: the kernel's own. Kept. */
void orma_tsc_set_source(const char *path);

/* For counting instructions where the counter cannot be trusted (valgrind): a rate, as anchor.mult.
 */
void orma_tsc_assume(uint64_t mult);

/* In a child process: another thread may have held the lock. */
void orma_tsc_after_fork(void);

/* Reads a new anchor and returns the time. The zero-initialised anchor is a valid one. */
uint64_t orma_tsc_read_anchor(struct orma_tsc_anchor *self);

#if ORMA_HAVE_TSC
/* __rdtsc() without <x86intrin.h>: all of AVX-512 would take half of the time that these files compile. */
static inline uint64_t orma_tsc_ticks(void)
{
    return __builtin_ia32_rdtsc();
}
#endif

static inline uint64_t orma_tsc_now(struct orma_tsc_anchor *self)
{
#if ORMA_HAVE_TSC
    if (ORMA_LIKELY(self->limit)) {
        uint64_t ticks = orma_tsc_ticks() - self->tsc;

        if (ORMA_LIKELY(ticks <= self->limit))
            return self->ns + (ticks * self->mult >> 32);
    }
#endif
    return orma_tsc_read_anchor(self);
}
#endif
