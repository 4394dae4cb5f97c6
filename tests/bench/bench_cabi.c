/*
 * Events through libperfetto_c.so beside our own macros, as ratios to a read of the clock. Few
 * enough that memory does not run out: the cost of an event, not of a loss or of a service.
 */
#include <time.h>

#include "orma/recording.h"
#include "orma/track_event.h"
#include "tests/bench/bench.h"
#include "tests/integration/cabi/session.h"

#define OPS 20000u

ORMA_CATEGORY_DEFINE(own, "own", NULL, NULL);
static struct cat cat = CAT("cat", "", NULL, 0);

static void read_clock(void *ctx, uint64_t ops)
{
    struct timespec t;

    (void)ctx;
    for (uint64_t i = 0; i < ops; i++) {
        clock_gettime(CLOCK_BOOTTIME, &t);
        BENCH_USE(t.tv_nsec);
    }
}

static void macro_slices(void *ctx, uint64_t ops)
{
    (void)ctx;
    for (uint64_t i = 0; i < ops; i += 2) {
        ORMA_SLICE_BEGIN(own, "slice");
        ORMA_SLICE_END(own);
    }
}

static void macro_args(void *ctx, uint64_t ops)
{
    (void)ctx;
    for (uint64_t i = 0; i < ops; i++)
        ORMA_INSTANT(own, "instant", ORMA_ARG_UINT("n", i));
}

static void slices(void *ctx, uint64_t ops)
{
    (void)ctx;
    for (uint64_t i = 0; i < ops; i += 2) {
        EVENT(cat, SLICE_BEGIN, "slice");
        EVENT(cat, SLICE_END, NULL);
    }
}

static void args(void *ctx, uint64_t ops)
{
    (void)ctx;
    for (uint64_t i = 0; i < ops; i++)
        EVENT(cat, INSTANT, "instant", ARG_UINT("n", i));
}

static void tracks(void *ctx, uint64_t ops)
{
    for (uint64_t i = 0; i < ops; i++)
        EVENT(cat, COUNTER, NULL, ON_MADE(ctx), INT_VALUE(i));
}

static void strings(void *ctx, uint64_t ops)
{
    (void)ctx;
    for (uint64_t i = 0; i < ops; i++)
        EVENT(cat, INSTANT, "instant", ARG_TEXT("a", "a text of some length"), ARG_INT("b", -1),
              ARG_BOOL("c", true));
}

static void low_level(void *ctx, uint64_t ops)
{
    struct moment at = PerfettoTeGetTimestamp();

    (void)ctx;
    for (uint64_t i = 0; i < ops; i++) {
        for (struct te_loop it = PerfettoTeLlImplBegin(cat.impl, at); it.ds.tracer;
             PerfettoTeLlImplNext(cat.impl, at, &it)) {
            struct cursor c = PerfettoDsTracerImplPacketBegin(it.ds.tracer);
            struct message m = {.cursor = &c};

            put_int(&m, 8, at.value);
            put_int(&m, 13, 2);
            PerfettoDsTracerImplPacketEnd(it.ds.tracer, &c);
        }
    }
}

int main(void)
{
    struct orma_recording_args record = ORMA_RECORDING_ARGS;
    const struct wanted w = {.source = "track_event", .on = {"*"}, .buffer_kb = 65536};
    struct orma_recording *recording;
    struct bench_result clock;

    bench_title("libperfetto_c.so: events");
    clock = bench_run(read_clock, NULL, OPS);
    bench_print("clock_gettime(CLOCK_BOOTTIME)", clock, NULL, 0);

    record.path = "/dev/null";
    record.mode = ORMA_RECORDING_RING;
    record.buffer_kb = 32768;
    if (orma_recording_start(&record, &recording) < 0)
        return 1;
    bench_print("our macro: begin or end of a slice", bench_run(macro_slices, NULL, OPS), &clock,
                0);
    bench_print("our macro: instant with a number", bench_run(macro_args, NULL, OPS), &clock, 0);
    orma_recording_stop(recording, NULL);

    init_backend(false, 32768);
    PerfettoTeInit();
    register_cat(&cat);
    PerfettoTePublishCategories();
    bench_print("disabled: begin or end of a slice", bench_run(slices, NULL, OPS), &clock, 0);
    struct made_track track = make_track("c", 4711, 0, false, COUNTER_FIELD);
    void *s = start_session(false, &w);
    if (!is_on(cat.enabled))
        return 1;
    bench_print("begin or end of a slice", bench_run(slices, NULL, OPS), &clock, 0);
    bench_print("instant with a number", bench_run(args, NULL, OPS), &clock, 0);
    bench_print("counter on a registered track", bench_run(tracks, &track, OPS), &clock, 0);
    bench_print("instant with three arguments", bench_run(strings, NULL, OPS), &clock, 0);
    bench_print("packet of the low level", bench_run(low_level, NULL, OPS), &clock, 0);
    end_session(s, "/dev/null", true);
    free(track.descriptor);
    return 0;
}
