/*
 * A program that is sometimes slow, and says how often.
 *
 *   flight_load SECONDS THREADS PER_SECOND SLOW_EVERY_MS SLOW_MS [open]
 *
 * Each thread has its share of PER_SECOND slices "request" with "part" in them; one thread more has
 * a "request" of SLOW_MS all SLOW_EVERY_MS (0: none). `open`: a last one has not ended after
 * SECONDS, and the program waits for the end of its standard input with it.
 *
 * Any request may be slow on a busy machine: each is timed from inside and from outside of its slice,
 * so that it is known how many took longer than LIMIT_NS, surely and at most.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "orma/orma.h"

#define LIMIT_NS 50000000 /* of the conditions of the tests */

ORMA_CATEGORY_DEFINE(load, "load", NULL, NULL);

static _Atomic unsigned long surely, at_most;

static uint64_t end_ns;
static long per_second, slow_every_ms, slow_ms;

static void sleep_ns(long ns)
{
    const struct timespec t = {.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};

    nanosleep(&t, NULL);
}

static void request(long ns)
{
    uint64_t before = orma_now();

    ORMA_SLICE_BEGIN(load, "request");
    uint64_t begun = orma_now();
    ORMA_SLICE_BEGIN(load, "part");
    if (ns)
        sleep_ns(ns);
    ORMA_SLICE_END(load);
    uint64_t ends = orma_now();
    ORMA_SLICE_END(load);
    if (ends - begun > LIMIT_NS)
        surely++;
    if (orma_now() - before > LIMIT_NS)
        at_most++;
}

/* In steps of 5 ms. */
static void *fast(void *arg)
{
    uint64_t done = 0, begin = orma_now();

    (void)arg;
    while (per_second && orma_now() < end_ns) {
        uint64_t due = (orma_now() - begin) / 1000 * (uint64_t)per_second / 1000000;

        for (; done < due; done++)
            request(0);
        sleep_ns(5000000);
    }
    return NULL;
}

static void *slow(void *arg)
{
    long *num = arg;

    while (slow_every_ms && orma_now() < end_ns) {
        sleep_ns((slow_every_ms - slow_ms) * 1000000);
        request(slow_ms * 1000000);
        ++*num;
    }
    return NULL;
}

int main(int argc, char **argv)
{
    struct orma_init_args args = ORMA_INIT_ARGS;
    pthread_t threads[64], last;
    long num = 0, fast_num;
    char byte;

    if (argc < 6)
        return 2;
    args.name = "flight_load";
    args.exhausted = ORMA_EXHAUSTED_STALL;
    if (orma_init(&args) < 0 || !orma_wait_for_session(5000))
        return 3;
    end_ns = orma_now() + strtoull(argv[1], NULL, 10) * 1000000000;
    fast_num = strtol(argv[2], NULL, 10);
    per_second = fast_num ? strtol(argv[3], NULL, 10) / fast_num : 0;
    slow_every_ms = strtol(argv[4], NULL, 10);
    slow_ms = strtol(argv[5], NULL, 10);
    for (long i = 0; i < fast_num && i < 64; i++)
        pthread_create(&threads[i], NULL, fast, NULL);
    pthread_create(&last, NULL, slow, &num);
    pthread_join(last, NULL);
    for (long i = 0; i < fast_num && i < 64; i++)
        pthread_join(threads[i], NULL);
    if (argc > 6) {
        ORMA_SLICE_BEGIN(load, "request");
        while (read(STDIN_FILENO, &byte, 1) > 0)
            ;
        ORMA_SLICE_END(load);
    }
    orma_shutdown();
    printf("%ld slow, %lu to %lu longer than 50 ms\n", num, surely, at_most);
    return 0;
}
