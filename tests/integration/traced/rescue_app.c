/*
 * Emits numbered events, and says in shared memory which of its calls have returned, so that
 * whoever kills somebody knows what must not be lost.
 *
 *   rescue_app ORACLE THREADS PAUSE_US
 *
 * ORACLE is a file of 64 numbers of 64 bits: the number of the last event of each thread. The event
 * `n` of thread `t` is an instant "n" with the arguments t, n and a text whose length depends on n:
 * some are larger than a chunk.
 */
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "orma/orma.h"

#define THREADS_MAX 64
#define LARGEST 9000

ORMA_CATEGORY_DEFINE(rescue, "rescue", NULL, NULL);

static _Atomic uint64_t *oracle;
static long pause_us;
static char letters[LARGEST + 1];

static void *work(void *arg)
{
    uint64_t t = (uint64_t)(uintptr_t)arg;

    for (uint64_t n = 1;; n++) {
        size_t len = n % 257 == 0 ? LARGEST : n * 7919 % 61;

        ORMA_INSTANT(rescue, "n", ORMA_ARG_INT("t", (int64_t)t), ORMA_ARG_INT("n", (int64_t)n),
                     ORMA_ARG_STR("x", letters + LARGEST - len));
        atomic_store(&oracle[t], n);
        if (pause_us)
            nanosleep(&(struct timespec){.tv_nsec = pause_us * 1000}, NULL);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    struct orma_init_args args = ORMA_INIT_ARGS;
    pthread_t thread;

    assert(argc == 4);
    int fd = open(argv[1], O_RDWR);
    int threads = atoi(argv[2]);
    pause_us = atol(argv[3]);
    oracle = mmap(NULL, THREADS_MAX * sizeof(*oracle), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    assert(oracle != MAP_FAILED && threads <= THREADS_MAX);
    memset(letters, 'x', LARGEST);
    args.exhausted = ORMA_EXHAUSTED_STALL;
    args.connect_wait_ms = 10000;
    assert(orma_init(&args) == 0);
    while (!ORMA_ENABLED(rescue))
        usleep(1000);
    for (int t = 0; t < threads; t++)
        assert(pthread_create(&thread, NULL, work, (void *)(uintptr_t)t) == 0);
    pause();
    return 0;
}
