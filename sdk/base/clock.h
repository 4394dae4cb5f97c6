/*
 * Clocks in nanoseconds. Built-in clock ids of the format are those of
 * enum orma_clock; the kernel's own numbers stay inside this module.
 */
#ifndef ORMA_SDK_BASE_CLOCK_H
#define ORMA_SDK_BASE_CLOCK_H
#include <stdint.h>

enum orma_clock {
    ORMA_CLOCK_REALTIME = 1,
    ORMA_CLOCK_REALTIME_COARSE = 2,
    ORMA_CLOCK_MONOTONIC = 3,
    ORMA_CLOCK_MONOTONIC_COARSE = 4,
    ORMA_CLOCK_MONOTONIC_RAW = 5,
    ORMA_CLOCK_BOOTTIME = 6,
};

/* Now, in ns; 0 for a clock that this kernel does not have. */
uint64_t orma_clock_now(enum orma_clock clock);

static inline uint64_t orma_clock_boottime(void)
{
    return orma_clock_now(ORMA_CLOCK_BOOTTIME);
}

static inline uint64_t orma_clock_monotonic(void)
{
    return orma_clock_now(ORMA_CLOCK_MONOTONIC);
}
#endif
