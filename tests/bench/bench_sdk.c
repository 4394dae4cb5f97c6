/*
 * Cost of track events, beside what the machine charges for the unavoidable
 * part: a clock read, and a clock read with a raw 16-byte record.
 *
 *   bench_sdk                  the table
 *   bench_sdk --count N WHAT   N of one kind and nothing else, for counting
 *                              instructions (sdk_instructions.py)
 *
 * The sink is a pool of private memory whose full chunks are given back at once:
 * the cost of an event without that of a service.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "orma/track_event.h"
#include "sdk/base/clock.h"
#include "sdk/events/te.h"
#include "tests/bench/bench.h"

#define OPS 2000000u
#define POOL_SIZE (1u << 20)
#define RING_SIZE (256u << 10)
#define THREADS_MAX 4

ORMA_CATEGORY_DEFINE(bench, "bench", NULL, NULL);

/* ---- the sink ---- */

static struct orma_pool *pool;
static uint64_t bytes_drained;

static void wake(void *ctx)
{
    (void)ctx;
}

static bool make_room(void *ctx)
{
    struct orma_pool_chunk batch[64];
    size_t num = orma_pool_take(pool, batch, 64);

    (void)ctx;
    for (size_t i = 0; i < num; i++) {
        bytes_drained += batch[i].chunk.payload_size;
        orma_shm_release(&pool->shm, &batch[i].chunk);
    }
    return num != 0;
}

static const struct orma_pool_ops ops = {
    .wake = wake, .make_room = make_room, .room_from_any = true};

static struct orma_te_session *begin_session(void)
{
    struct orma_te_session *s;

    if (!pool) {
        void *base = mmap(NULL, POOL_SIZE, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

        if (base == MAP_FAILED || orma_pool_new(base, POOL_SIZE, 4096, NULL, &ops, NULL, &pool) < 0)
            abort();
    }
    if (orma_te_session_new((struct orma_str){0}, pool, 1, ORMA_POLICY_DROP, 0, &s) < 0)
        abort();
    return s;
}

/* ---- floors ---- */

static uint8_t *ring;

static void put_raw(uint64_t i, uint64_t now)
{
    uint64_t record[2] = {now, i};

    memcpy(ring + i % (RING_SIZE / sizeof(record)) * sizeof(record), record, sizeof(record));
}

#if ORMA_HAVE_TSC
static void floor_tsc(void *ctx, uint64_t n)
{
    (void)ctx;
    for (uint64_t i = 0; i < n; i++)
        BENCH_USE(orma_tsc_ticks());
}

static void floor_tsc_record(void *ctx, uint64_t n)
{
    (void)ctx;
    for (uint64_t i = 0; i < n; i++)
        put_raw(i, orma_tsc_ticks());
}
#endif

static void floor_clock(void *ctx, uint64_t n)
{
    (void)ctx;
    for (uint64_t i = 0; i < n; i++)
        BENCH_USE(orma_clock_boottime());
}

static void floor_clock_record(void *ctx, uint64_t n)
{
    (void)ctx;
    for (uint64_t i = 0; i < n; i++)
        put_raw(i, orma_clock_boottime());
}

/* ---- candidates: n events each ---- */

static void slices(void *ctx, uint64_t n)
{
    (void)ctx;
    for (uint64_t i = 0; i < n; i += 2) {
        ORMA_SLICE_BEGIN(bench, "slice");
        ORMA_SLICE_END(bench);
    }
}

static void instants(void *ctx, uint64_t n)
{
    (void)ctx;
    for (uint64_t i = 0; i < n; i++)
        ORMA_INSTANT(bench, "instant");
}

static void one_arg(void *ctx, uint64_t n)
{
    (void)ctx;
    for (uint64_t i = 0; i < n; i++)
        ORMA_INSTANT(bench, "one", ORMA_ARG_INT("i", i));
}

static void two_args(void *ctx, uint64_t n)
{
    (void)ctx;
    for (uint64_t i = 0; i < n; i++)
        ORMA_INSTANT(bench, "two", ORMA_ARG_INT("i", i), ORMA_ARG_INT("j", i + 7));
}

static void five_args(void *ctx, uint64_t n)
{
    (void)ctx;
    for (uint64_t i = 0; i < n; i++)
        ORMA_INSTANT(bench, "five", ORMA_ARG_INT("i", i), ORMA_ARG_UINT("u", i),
                     ORMA_ARG_BOOL("b", i & 1), ORMA_ARG_DOUBLE("d", (double)i),
                     ORMA_ARG_STR("s", "a string"));
}

static void dynamic_name(void *ctx, uint64_t n)
{
    char name[32];

    (void)ctx;
    memcpy(name, "made at run time 0", 19);
    for (uint64_t i = 0; i < n; i++) {
        name[17] = (char)('0' + i % 10);
        ORMA_INSTANT(bench, "", ORMA_DYNAMIC_NAME(name));
    }
}

static void counters(void *ctx, uint64_t n)
{
    (void)ctx;
    for (uint64_t i = 0; i < n; i++)
        ORMA_COUNTER(bench, "counter", i);
}

static void flows(void *ctx, uint64_t n)
{
    (void)ctx;
    for (uint64_t i = 0; i < n; i++)
        ORMA_INSTANT(bench, "flow", ORMA_FLOW(i));
}

static void disabled(void *ctx, uint64_t n)
{
    (void)ctx;
    for (uint64_t i = 0; i < n; i++) {
        ORMA_INSTANT(bench, "disabled");
        __asm__ volatile("" : : "r"(i) : "memory");
    }
}

static void empty_loop(void *ctx, uint64_t n)
{
    (void)ctx;
    for (uint64_t i = 0; i < n; i++)
        __asm__ volatile("" : : "r"(i) : "memory");
}

static const struct kind {
    const char *what;
    bench_fn fn;
} kinds[] = {
    {"slice", slices},
    {"instant", instants},
    {"instant, one integer", one_arg},
    {"instant, two integers", two_args},
    {"instant, five annotations", five_args},
    {"instant, name made at run time", dynamic_name},
    {"counter", counters},
    {"instant with flow", flows},
};

/* ---- threads ---- */

struct crowd {
    unsigned num;
    bench_fn fn;
    uint64_t each;
};

static void *one_of_crowd(void *arg)
{
    struct crowd *c = arg;

    c->fn(NULL, c->each);
    return NULL;
}

static void crowd(void *ctx, uint64_t n)
{
    struct crowd *c = ctx;
    pthread_t threads[THREADS_MAX];

    c->each = n / c->num;
    for (unsigned i = 0; i < c->num; i++)
        pthread_create(&threads[i], NULL, one_of_crowd, c);
    for (unsigned i = 0; i < c->num; i++)
        pthread_join(threads[i], NULL);
}

/* ---- output ---- */

static void bench_kinds(const char *clock, const struct bench_result *floor,
                        const struct bench_result *record)
{
    struct bench_result two = {0}, plain = {0};

    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        char what[64];
        struct bench_result r = bench_run(kinds[i].fn, NULL, OPS);

        if (kinds[i].fn == instants)
            plain = r;
        if (kinds[i].fn == two_args)
            two = r;
        snprintf(what, sizeof(what), "%s, %s", kinds[i].what, clock);
        bench_print(what, r, floor, 0);
    }
    (void)record;
    printf("  two integer annotations add %.1f ns\n", two.min_ns - plain.min_ns);
}

static void bench_threads(void)
{
    struct bench_result one = {0};

    for (unsigned num = 1; num <= THREADS_MAX; num *= 2) {
        struct crowd c = {.num = num, .fn = slices};
        struct bench_result r = bench_run_process(crowd, &c, OPS * 2);
        char what[64];

        if (num == 1)
            one = r;
        snprintf(what, sizeof(what), "slice, %u thread%s, per event", num, num > 1 ? "s" : "");
        bench_print(what, r, &one, 0);
    }
}

static void print_bytes(void)
{
    struct orma_te_session *s = begin_session();
    uint64_t n = 0;

    while (make_room(NULL))
        ;
    uint64_t before = bytes_drained;

    /* One event about every microsecond. */
    for (uint64_t until = orma_now(); n < 200000; n += 2) {
        while (orma_now() < until)
            ;
        ORMA_SLICE_BEGIN(bench, "slice");
        while (orma_now() < until + 1000)
            ;
        ORMA_SLICE_END(bench);
        until += 2000;
    }
    orma_te_session_free(s);
    while (make_room(NULL))
        ;
    printf("  %.2f bytes of chunk per slice event at 1 us\n",
           (double)(bytes_drained - before) / (double)n);
}

static int count_only(const char *num, const char *what)
{
    struct orma_te_session *s;

    /* Events are slow here: a slow clock keeps their distances as short as they are in earnest. */
    orma_tsc_assume(UINT64_C(1) << 24);
    if (!strcmp(what, "disabled")) {
        disabled(NULL, strtoull(num, NULL, 10));
        return 0;
    }
    if (!strcmp(what, "loop")) {
        empty_loop(NULL, strtoull(num, NULL, 10));
        return 0;
    }
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (strcmp(kinds[i].what, what))
            continue;
        s = begin_session();
        kinds[i].fn(NULL, strtoull(num, NULL, 10));
        orma_te_session_free(s);
        return 0;
    }
    fprintf(stderr, "bench_sdk: unknown: %s\n", what);
    return 2;
}

int main(int argc, char **argv)
{
    if (argc == 4 && !strcmp(argv[1], "--count"))
        return count_only(argv[2], argv[3]);
    ring = malloc(RING_SIZE);
    if (!ring)
        return 1;
    memset(ring, 1, RING_SIZE);

    bench_title("Track events (ns per event)");
    struct bench_result loop = bench_run(empty_loop, NULL, OPS * 10);
    bench_print("empty loop", loop, NULL, 0);
    bench_print("disabled event", bench_run(disabled, NULL, OPS * 10), &loop, 0);

    struct bench_result clock = bench_run(floor_clock, NULL, OPS), record;
#if ORMA_HAVE_TSC
    orma_tsc_check(true);
    if (orma_tsc_is_trusted()) {
        struct bench_result tsc = bench_run(floor_tsc, NULL, OPS);

        record = bench_run(floor_tsc_record, NULL, OPS);
        bench_print("time stamp counter", tsc, NULL, 0);
        bench_print("time stamp counter and 16 bytes", record, &tsc, 0);
        struct orma_te_session *s = begin_session();
        bench_kinds("TSC", &tsc, &record);
        bench_threads();
        orma_te_session_free(s);
        print_bytes();
    } else {
        printf("the kernel does not trust the time stamp counter of this machine\n");
    }
#endif
    record = bench_run(floor_clock_record, NULL, OPS);
    bench_print("CLOCK_BOOTTIME", clock, NULL, 0);
    bench_print("CLOCK_BOOTTIME and 16 bytes", record, &clock, 0);
    orma_tsc_check(false);
    struct orma_te_session *s = begin_session();
    bench_kinds("BOOTTIME", &clock, &record);
    orma_te_session_free(s);
    orma_pool_unref(pool);
    free(ring);
    return 0;
}
