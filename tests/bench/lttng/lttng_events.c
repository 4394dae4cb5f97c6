/*
 * The peer of bench_sdk.c: the same events with LTTng-UST, beside the same
 * floor. Started by bench_lttng.py, which runs the session.
 */
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include <tp.h> /* of this folder */

#include <stdio.h>

#include "sdk/base/clock.h"
#include "tests/bench/bench.h"

#define OPS 2000000u

static void floor_clock(void *ctx, uint64_t n)
{
    (void)ctx;
    for (uint64_t i = 0; i < n; i++)
        BENCH_USE(orma_clock_boottime());
}

static void slices(void *ctx, uint64_t n)
{
    (void)ctx;
    for (uint64_t i = 0; i < n; i += 2) {
        lttng_ust_tracepoint(orma_bench, slice_begin);
        lttng_ust_tracepoint(orma_bench, slice_end);
    }
}

static void two_args(void *ctx, uint64_t n)
{
    (void)ctx;
    for (uint64_t i = 0; i < n; i++)
        lttng_ust_tracepoint(orma_bench, two, i, i + 7);
}

int main(void)
{
    bench_title("LTTng-UST (ns per event)");
    struct bench_result clock = bench_run(floor_clock, NULL, OPS);

    bench_print("CLOCK_BOOTTIME", clock, NULL, 0);
    if (!lttng_ust_tracepoint_enabled(orma_bench, slice_begin)) {
        printf("the session does not want the events\n");
        return 1;
    }
    bench_print("slice, LTTng-UST", bench_run(slices, NULL, OPS), &clock, 0);
    bench_print("two integers, LTTng-UST", bench_run(two_args, NULL, OPS), &clock, 0);
    return 0;
}
