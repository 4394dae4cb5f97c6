/*
 * Cost of track events while a service drains them, beside the clock read; and
 * the chunks that the service finds each time it wakes. (Without a service, and
 * the bytes per event: bench_sdk.)
 *
 *   bench_sdk_service TRACED
 */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "orma/orma.h"
#include "sdk/base/clock.h"
#include "sdk/events/te.h"
#include "sdk/transport/producer_impl.h"
#include "sdk/transport/thread.h"
#include "tests/bench/bench.h"
#include "tests/support/session.h"

#define OPS 2000000u
#define COMMIT_MS 50

ORMA_CATEGORY_DEFINE(bench, "bench", NULL, NULL);

static void slices(void *ctx, uint64_t n)
{
    (void)ctx;
    for (uint64_t i = 0; i < n; i += 2) {
        ORMA_SLICE_BEGIN(bench, "slice");
        ORMA_SLICE_END(bench);
    }
}

#if ORMA_HAVE_TSC
static void floor_tsc(void *ctx, uint64_t n)
{
    (void)ctx;
    for (uint64_t i = 0; i < n; i++)
        BENCH_USE(orma_tsc_ticks());
}
#endif

static void floor_clock(void *ctx, uint64_t n)
{
    (void)ctx;
    for (uint64_t i = 0; i < n; i++)
        BENCH_USE(orma_clock_boottime());
}

static int turn(void *ctx, struct orma_producer *producer)
{
    (void)ctx;
    orma_te_source_turn(producer);
    return -1;
}

struct counts {
    uint64_t chunks, requests;
};

static void read_counts(void *ctx, struct orma_producer *producer)
{
    struct counts *c = ctx;

    c->chunks = producer->committer.chunks_sent;
    c->requests = producer->committer.requests_sent;
}

/* A producer of our own, so that its inside can be looked at. */
static struct orma_producer_thread *start_producer(uint32_t shm_kb)
{
    struct orma_producer_config config = {.name = "bench",
                                          .shm_size_hint_bytes = shm_kb * 1024,
                                          .smb_scraping = true,
                                          .commit_delay_ms = COMMIT_MS};
    struct orma_producer *producer;
    struct orma_producer_thread *thread;

    if (orma_producer_new(&config, &producer) < 0 ||
        orma_te_source_add(producer, ORMA_POLICY_STALL, NULL) < 0 ||
        orma_producer_thread_new(producer, turn, NULL, &thread) < 0)
        abort();
    if (!orma_te_wait_for_session(20000))
        abort();
    return thread;
}

static void with_service(uint32_t shm_kb, const struct bench_result *floor, const char *clock)
{
    struct orma_test_config config = {.buffer_kb = 4 << 10,
                                      .fill_policy = 2 /* discard: what comes is whole */};
    struct orma_test_session *session = orma_test_session_start(&config);
    struct orma_producer_thread *thread = start_producer(shm_kb);
    struct counts before, after;
    struct orma_test_trace t;
    char what[80];

    orma_producer_thread_call(thread, read_counts, &before);
    struct bench_result r = bench_run(slices, NULL, OPS);
    orma_producer_thread_call(thread, read_counts, &after);
    snprintf(what, sizeof(what), "slice, %s, %u KiB of shared memory", clock,
             shm_kb ? shm_kb : 256);
    bench_print(what, r, floor, 0);
    printf("  %.1f chunks per wake-up of the service\n",
           (double)(after.chunks - before.chunks) /
               (double)ORMA_MAX(after.requests - before.requests, 1u));
    orma_producer_thread_free(thread);
    orma_te_source_remove();
    orma_test_session_stop(session, &t);
    orma_test_trace_fini(&t);
}

int main(int argc, char **argv)
{
    struct orma_test_daemon daemon;

    if (argc != 2) {
        fprintf(stderr, "usage: bench_sdk_service TRACED\n");
        return 2;
    }
    orma_test_daemon_start(&daemon, argv[1]);
    bench_title("Track events with a service that drains them (ns of the thread per event)");
#if ORMA_HAVE_TSC
    orma_tsc_check(true);
    if (orma_tsc_is_trusted()) {
        struct bench_result tsc = bench_run(floor_tsc, NULL, OPS);

        bench_print("time stamp counter", tsc, NULL, 0);
        with_service(0, &tsc, "TSC");
        with_service(1024, &tsc, "TSC");
    }
#endif
    orma_te.no_tsc = true;
    struct bench_result clock = bench_run(floor_clock, NULL, OPS);
    bench_print("CLOCK_BOOTTIME", clock, NULL, 0);
    with_service(0, &clock, "BOOTTIME");
    with_service(1024, &clock, "BOOTTIME");
    return orma_test_daemon_stop(&daemon);
}
