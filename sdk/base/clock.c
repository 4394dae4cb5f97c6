#include "sdk/base/clock.h"

#include <time.h>

#include "sdk/base/defs.h"

uint64_t orma_clock_now(enum orma_clock clock)
{
    static const clockid_t kernel_ids[] = {
        [ORMA_CLOCK_REALTIME] = CLOCK_REALTIME,
        [ORMA_CLOCK_REALTIME_COARSE] = CLOCK_REALTIME_COARSE,
        [ORMA_CLOCK_MONOTONIC] = CLOCK_MONOTONIC,
        [ORMA_CLOCK_MONOTONIC_COARSE] = CLOCK_MONOTONIC_COARSE,
        [ORMA_CLOCK_MONOTONIC_RAW] = CLOCK_MONOTONIC_RAW,
        [ORMA_CLOCK_BOOTTIME] = CLOCK_BOOTTIME,
    };
    struct timespec ts;

    if ((unsigned)clock >= ORMA_ARRAY_LEN(kernel_ids) || clock_gettime(kernel_ids[clock], &ts) < 0)
        return 0;
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}
