#include "tests/bench/bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define RUNS_DEFAULT 11
#define RUNS_MAX 101

static double now_ns(clockid_t clock)
{
    struct timespec ts;

    clock_gettime(clock, &ts);
    return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

static struct bench_result run(bench_fn fn, void *ctx, uint64_t ops, clockid_t clock)
{
    const char *text = getenv("BENCH_RUNS");
    int runs = text ? atoi(text) : RUNS_DEFAULT;
    double times[RUNS_MAX];

    if (runs < 1 || runs > RUNS_MAX)
        runs = RUNS_DEFAULT;
    fn(ctx, ops);
    for (int i = 0; i < runs; i++) {
        double start = now_ns(clock);

        fn(ctx, ops);
        times[i] = (now_ns(clock) - start) / (double)ops;
    }
    qsort(times, (size_t)runs, sizeof(times[0]), by_value);
    return (struct bench_result){times[0], times[runs / 2]};
}

struct bench_result bench_run(bench_fn fn, void *ctx, uint64_t ops)
{
    return run(fn, ctx, ops, CLOCK_THREAD_CPUTIME_ID);
}

struct bench_result bench_run_process(bench_fn fn, void *ctx, uint64_t ops)
{
    return run(fn, ctx, ops, CLOCK_PROCESS_CPUTIME_ID);
}

void bench_title(const char *title)
{
    printf("\n%s\n%-52s %10s %10s %8s %8s\n", title, "", "min ns", "median ns", "ratio", "GB/s");
}

void bench_print(const char *what, struct bench_result result, const struct bench_result *floor,
                 double bytes_per_op)
{
    printf("%-52s %10.2f %10.2f ", what, result.min_ns, result.median_ns);
    if (floor)
        printf("%8.2f ", result.min_ns / floor->min_ns);
    else
        printf("%8s ", "floor");
    if (bytes_per_op > 0)
        printf("%8.2f\n", bytes_per_op / result.min_ns);
    else
        printf("%8s\n", "");
    fflush(stdout);
}
