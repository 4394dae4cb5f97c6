/*
 * What bench_heap.py times: a loop of nothing but malloc and free, and programs that spend a tenth
 * of their time there. Prints nanoseconds per round on standard output.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ROUNDS 4000000u
#define KEPT 64u

static void *kept[KEPT];

/* Of this process alone: what else runs does not count. */
static uint64_t now(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* `work` is what the program does besides, in units of about a nanosecond. */
static void round_of(uint32_t i, unsigned work)
{
    volatile uint32_t x = i;
    void **slot = &kept[i * 7 % KEPT];

    free(*slot);
    *slot = malloc(16 + i % 400);
    for (unsigned n = 0; n < work; n++)
        x = x * 1664525u + 1013904223u;
}

static double ns_per_round(unsigned rounds, unsigned work)
{
    uint64_t from = now();

    for (uint32_t i = 0; i < rounds; i++)
        round_of(i, work);
    return (double)(now() - from) / rounds;
}

/* So much work that malloc and free have a tenth of the time: known from loops of the same run. */
int main(int argc, char **argv)
{
    unsigned work = argc > 1 ? (unsigned)atoi(argv[1]) : 0;

    (void)ns_per_round(ROUNDS / 10, work); /* caches, and the heap's first pages */
    printf("%.3f\n", ns_per_round(work ? ROUNDS / 10 : ROUNDS, work));
    for (unsigned i = 0; i < KEPT; i++)
        free(kept[i]);
    return 0;
}
