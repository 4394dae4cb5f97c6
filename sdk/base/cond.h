/*
 * Conditions that are waited for until a time: by the monotonic clock. That of the day may be set
 * while somebody waits, and the wait would end at once, or an hour late.
 */
#ifndef ORMA_SDK_BASE_COND_H
#define ORMA_SDK_BASE_COND_H
#include <pthread.h>
#include <stdint.h>
#include <time.h>

static inline void orma_cond_init(pthread_cond_t *cond)
{
    pthread_condattr_t attr;

    pthread_condattr_init(&attr); /* neither can fail on Linux, with this clock */
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(cond, &attr);
    pthread_condattr_destroy(&attr);
}

/* For pthread_cond_timedwait() on such a condition. */
static inline struct timespec orma_cond_in_ms(uint64_t ms)
{
    struct timespec end;

    (void)clock_gettime(CLOCK_MONOTONIC, &end); /* cannot fail with this clock */
    uint64_t ns = (uint64_t)end.tv_nsec + ms * 1000000;
    end.tv_sec += (time_t)(ns / 1000000000);
    end.tv_nsec = (long)(ns % 1000000000);
    return end;
}
#endif
