/*
 * Benchmarks: CPU time per operation, minimum and median over several runs,
 * and always the ratio to a floor measured in the same process: a clock read,
 * a memcpy, a plain loop. Absolute figures move between machines; ratios stay.
 *
 * A benchmark is a program that calls bench_run() for its floors and its
 * candidates and prints them with bench_print(). It asserts no times.
 */
#ifndef ORMA_TESTS_BENCH_BENCH_H
#define ORMA_TESTS_BENCH_BENCH_H
#include <stdint.h>

/* Does `ops` operations. */
typedef void (*bench_fn)(void *ctx, uint64_t ops);

struct bench_result {
    double min_ns, median_ns; /* per operation, CPU time of this thread */
};

/*
 * Runs `fn` once to warm up and then 11 times (BENCH_RUNS in the environment
 * changes that), `ops` operations each.
 */
struct bench_result bench_run(bench_fn fn, void *ctx, uint64_t ops);

/* The same by CPU time of the whole process: for work on several threads. */
struct bench_result bench_run_process(bench_fn fn, void *ctx, uint64_t ops);

/* A title and the table's head. */
void bench_title(const char *title);

/* One row; `floor` NULL: this is a floor itself. bytes_per_op 0: no GB/s. */
void bench_print(const char *what, struct bench_result result, const struct bench_result *floor,
                 double bytes_per_op);

/* Keeps the compiler from dropping a computation. */
#define BENCH_USE(x) __asm__ volatile("" : : "g"(x) : "memory")
#endif
