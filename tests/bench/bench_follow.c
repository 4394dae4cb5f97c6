/*
 * Following a trace of 64 MB (BENCH_MB) that grows: how long an answer to ten usual questions
 * takes, from the moment it is asked, and how long a question by itself. Each answer is a copy of
 * the process that ends the import of its own; see tools/follow/follow.h.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "sdk/base/clock.h"
#include "sdk/base/fd.h"
#include "sdk/wire/pb_writer.h"
#include "tests/bench/bench.h"
#include "tools/follow/follow.h"

#define ANSWERS 100
#define STEP_EVENTS 20000 /* between two flushes: a quarter of a second at 80,000 a second */

static const char *const questions[] = {
    "SELECT count(*) FROM slice",
    "SELECT ts, dur, name FROM slice ORDER BY ts DESC LIMIT 20",
    "SELECT name, count(*), sum(dur), max(dur) FROM slice GROUP BY name",
    "SELECT ts, dur, name FROM slice ORDER BY dur DESC LIMIT 10",
    "SELECT count(*) FROM slice WHERE dur > 1000000",
    "SELECT name, dur FROM slice WHERE ts > (SELECT end_ts FROM trace_bounds) - 1000000000 LIMIT "
    "100",
    "SELECT thread.name, count(*), sum(dur) FROM slice JOIN thread_track ON track_id = "
    "thread_track.id JOIN thread USING (utid) GROUP BY utid",
    "SELECT utid, tid, name FROM thread",
    "SELECT name, value FROM stats WHERE value > 0",
    "SELECT * FROM slice WHERE name = 'step 7' LIMIT 50",
};
#define QUESTIONS (sizeof(questions) / sizeof(questions[0]))

struct shared {
    unsigned answers;
    uint64_t ts; /* of the newest event */
    /* By the clock, and of CPU. */
    double whole_ms[ANSWERS], questions_ms[ANSWERS * QUESTIONS];
    double whole_cpu_ms[ANSWERS], questions_cpu_ms[ANSWERS * QUESTIONS];
};

static struct shared *shared;
static int out;

static void put(struct orma_buf *b, size_t packet, uint32_t seq)
{
    orma_pb_put_u64(b, 10, seq);
    orma_pb_end(b, packet);
}

static void mark(struct orma_buf *b, uint32_t field)
{
    size_t packet = orma_pb_begin(b, 1);

    orma_pb_put_u64(b, 8, shared->ts);
    size_t event = orma_pb_begin(b, 69);
    orma_pb_put_u64(b, field, 1);
    orma_pb_end(b, event);
    put(b, packet, 1);
}

static void threads(struct orma_buf *b)
{
    for (unsigned w = 0; w < 8; w++) {
        size_t packet = orma_pb_begin(b, 1);
        size_t track = orma_pb_begin(b, 60);

        orma_pb_put_u64(b, 1, 100 + w);
        size_t thread = orma_pb_begin(b, 4);
        orma_pb_put_u64(b, 1, 50);
        orma_pb_put_u64(b, 2, 51 + w);
        orma_pb_put_cstr(b, 5, "worker");
        orma_pb_end(b, thread);
        orma_pb_end(b, track);
        put(b, packet, 2 + w);
    }
}

/* What comes between two flushes. */
static void step(struct orma_buf *b)
{
    char name[16];

    for (unsigned i = 0; i < STEP_EVENTS; i++) {
        unsigned w = i / 2 % 8;
        size_t packet = orma_pb_begin(b, 1);

        shared->ts += 12500;
        orma_pb_put_u64(b, 8, shared->ts);
        size_t event = orma_pb_begin(b, 11);
        orma_pb_put_u64(b, 9, 1 + i % 2);
        orma_pb_put_u64(b, 11, 100 + w);
        if (i % 2 == 0) {
            snprintf(name, sizeof(name), "step %u", i / 2 % 50);
            orma_pb_put_cstr(b, 23, name);
        }
        orma_pb_end(b, event);
        put(b, packet, 2 + w);
    }
    mark(b, 9);
    mark(b, 3);
    mark(b, 4);
}

static void grow(void)
{
    struct orma_buf b = {0};

    step(&b);
    if (b.failed || orma_fd_write_all(out, b.data, b.len) < 0)
        exit(1);
    orma_buf_fini(&b);
}

/* Of this process: a copy begins at 0. */
static double cpu_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static int answer(void *ctx, struct orma_processor *tp, const struct orma_follow_state *state)
{
    unsigned n = state->answer - 1;

    (void)ctx;
    for (size_t i = 0; i < QUESTIONS; i++) {
        struct orma_query *q;
        uint64_t begin = orma_clock_monotonic();
        double cpu = cpu_ms();

        if (orma_query_prepare(tp, questions[i], SIZE_MAX, &q, NULL) != 0)
            return 1;
        while (orma_query_step(q) > 0)
            BENCH_USE(orma_query_type(q, 0));
        orma_query_free(q);
        shared->questions_cpu_ms[n * QUESTIONS + i] = cpu_ms() - cpu;
        shared->questions_ms[n * QUESTIONS + i] = (double)(orma_clock_monotonic() - begin) / 1e6;
    }
    shared->whole_ms[n] = (double)(orma_clock_monotonic() - state->asked_ns) / 1e6;
    shared->whole_cpu_ms[n] = cpu_ms();
    shared->answers = n + 1;
    grow();
    return 0;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

static void print(const char *what, double *ms, size_t num)
{
    qsort(ms, num, sizeof(*ms), compare);
    printf("%-46s %8.1f %8.1f %8.1f %8.1f\n", what, ms[0], ms[num / 2], ms[num * 99 / 100],
           ms[num - 1]);
}

int main(void)
{
    const char *mb = getenv("BENCH_MB");
    size_t bytes = (mb ? strtoull(mb, NULL, 10) : 64) << 20;
    char path[] = "/tmp/orma-follow-XXXXXX";
    struct orma_buf b = {0};

    out = mkstemp(path);
    shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (out < 0 || shared == MAP_FAILED)
        return 1;
    shared->ts = 1000000000000;
    threads(&b);
    while (b.len < bytes)
        step(&b);
    if (b.failed || orma_fd_write_all(out, b.data, b.len) < 0)
        return 1;
    orma_buf_fini(&b);
    const struct orma_follow follow = {.program = "bench",
                                       .name = path,
                                       .every_ms = 50,
                                       .times = ANSWERS,
                                       .config = {.size = sizeof(struct orma_processor_config)},
                                       .answer = answer};
    int code = orma_follow_run(&follow);
    (void)unlink(path);
    if (code)
        return code;
    printf("follow: %zu MB and more, %u answers, ms         min   median      p99      max\n",
           bytes >> 20, shared->answers);
    print("one question of ten", shared->questions_ms, shared->answers * QUESTIONS);
    print("  of CPU", shared->questions_cpu_ms, shared->answers * QUESTIONS);
    print("ten questions, from the moment they are asked", shared->whole_ms, shared->answers);
    print("  of CPU", shared->whole_cpu_ms, shared->answers);
    return 0;
}
