/* Rings of perf events, in memory of our own, and the worker that empties them. */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "probes/perf/prompt.h"
#include "probes/perf/worker.h"
#include "protos/fields/trace.h"
#include "sdk/base/defs.h"
#include "sdk/wire/pb_reader.h"
#include "tests/support/leaks.h"
#include "tests/support/probes_fixture.h"

enum { PAGE = 4096, DATA = 2 * PAGE, RECORD = 13 * 8, RINGS = 2, PID = 77, MARK = 5 };

struct recording {
    struct pf pf;
    struct orma_perf_plan plan;
    struct orma_perf_processes processes;
    struct orma_perf_encoder encoder;
    struct orma_perf_rings rings;
    struct orma_perf_worker *worker;
    struct orma_source_sink sink;
    struct orma_buf times; /* u64: of the packets that came out, or the records */
    uint64_t mark;
};

static void keep_time(struct recording *r, uint64_t time)
{
    orma_buf_put(&r->times, &time, sizeof(time));
}

static size_t times_num(const struct recording *r)
{
    return r->times.len / sizeof(uint64_t);
}

static uint64_t time_at(const struct recording *r, size_t i)
{
    uint64_t ret;

    memcpy(&ret, r->times.data + i * sizeof(ret), sizeof(ret));
    return ret;
}

static int put_packet(struct orma_source_sink *sink, const void *packet, size_t len)
{
    struct recording *r = ORMA_CONTAINER_OF(sink, struct recording, sink);
    struct orma_pb_reader in = orma_pb_reader(packet, len);
    struct orma_pb_field f;

    while (orma_pb_next(&in, &f)) {
        if (f.id == ORMA_PB_TRACE_PACKET_TIMESTAMP)
            keep_time(r, f.num);
    }
    return 0;
}

static void flush_packets(struct orma_source_sink *sink)
{
    (void)sink;
}

static void make_ring(struct recording *r, size_t i)
{
    struct orma_perf_ring *ring = &r->rings.all[i];
    void *mem = mmap(NULL, PAGE + DATA, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    cr_assert_neq(mem, MAP_FAILED);
    *ring = (struct orma_perf_ring){.cpu = (uint32_t)i,
                                    .page = mem,
                                    .data_size = DATA,
                                    .map_size = PAGE + DATA,
                                    .copy = malloc(65536)};
    ring->page->data_head = ring->page->data_tail = 3 * DATA - 2 * RECORD - 8; /* soon at the end */
}

static void setup(struct recording *r)
{
    Perfetto__Protos__PerfEventConfig config = PERFETTO__PROTOS__PERF_EVENT_CONFIG__INIT;
    Perfetto__Protos__PerfEventConfig__CallstackSampling cs =
        PERFETTO__PROTOS__PERF_EVENT_CONFIG__CALLSTACK_SAMPLING__INIT;
    char why[256];

    *r = (struct recording){.sink = {.put = put_packet, .flush = flush_packets}};
    pf_init(&r->pf);
    pf_file(&r->pf, "proc/77/comm", "sampled\n");
    cs.has_user_frames = true;
    cs.user_frames = PERFETTO__PROTOS__PERF_EVENT_CONFIG__UNWIND_MODE__UNWIND_FRAME_POINTER;
    config.callstack_sampling = &cs;
    cr_assert_eq(orma_perf_plan_make(&r->plan, &config, NULL, why, sizeof(why)), 0);
    cr_assert_eq(orma_perf_processes_init(&r->processes, pf_path(&r->pf, "proc"), &config), 0);
    r->processes.all_wanted = true;
    r->rings.plan = &r->plan;
    r->rings.all = calloc(RINGS, sizeof(*r->rings.all));
    r->rings.num = RINGS;
    pthread_mutex_init(&r->rings.lock, NULL);
    for (size_t i = 0; i < RINGS; i++)
        make_ring(r, i);
    cr_assert_eq(orma_perf_worker_new(&r->encoder, &r->rings, &r->worker), 0);
    orma_perf_encoder_init(&r->encoder, &r->plan, &r->processes, orma_perf_worker_sink(r->worker));
}

static void teardown(struct recording *r)
{
    cr_assert(orma_perf_worker_free(r->worker));
    for (size_t i = 0; i < RINGS; i++)
        orma_perf_ring_close(&r->rings.all[i]);
    free(r->rings.all);
    pthread_mutex_destroy(&r->rings.lock);
    orma_perf_encoder_fini(&r->encoder);
    orma_perf_processes_fini(&r->processes);
    orma_perf_plan_fini(&r->plan);
    orma_buf_fini(&r->times);
    pf_fini(&r->pf);
    orma_assert_no_leaks();
}

static void put_words(struct orma_perf_ring *ring, const uint64_t *words, size_t num)
{
    uint64_t head = ring->page->data_head;

    cr_assert_leq(head + num * 8 - ring->page->data_tail, DATA);
    for (size_t i = 0; i < num; i++, head += 8)
        memcpy((uint8_t *)ring->page + PAGE + head % DATA, &words[i], 8);
    __atomic_store_n(&ring->page->data_head, head, __ATOMIC_RELEASE);
}

static void put_sample(struct recording *r, size_t ring, uint64_t time)
{
    const struct perf_event_header head = {
        .type = PERF_RECORD_SAMPLE, .misc = PERF_RECORD_MISC_USER, .size = RECORD};
    const uint32_t pids[2] = {PID, PID};
    uint64_t words[RECORD / 8] = {0,      0,      time,   ring,
                                  1,      4242,   4,      (uint64_t)PERF_CONTEXT_USER,
                                  0x1000, 0x2000, 0x3000, /* no registers, no stack: */ 0,
                                  0};

    memcpy(words, &head, 8);
    memcpy(words + 1, pids, 8);
    put_words(&r->rings.all[ring], words, ORMA_ARRAY_LEN(words));
}

static bool is_empty(const struct orma_perf_ring *ring)
{
    return ring->page->data_head == __atomic_load_n(&ring->page->data_tail, __ATOMIC_ACQUIRE);
}

static void take_time(void *ctx, const struct orma_perf_record *record)
{
    keep_time(ctx, record->time);
}

static void give_to_worker(void *ctx, const struct orma_perf_record *record)
{
    orma_perf_worker_put(((struct recording *)ctx)->worker, record);
}

static void on_mark(void *ctx, uint64_t mark)
{
    ((struct recording *)ctx)->mark = mark;
}

static void wait_for_mark(struct recording *r)
{
    struct pollfd p = {orma_perf_worker_fd(r->worker), POLLIN, 0};

    r->mark = 0;
    orma_perf_worker_mark(r->worker, MARK);
    while (r->mark != MARK) {
        cr_assert_eq(poll(&p, 1, 30000), 1);
        orma_perf_worker_take(r->worker, &r->sink, on_mark, r);
    }
}

static void expect_times(const struct recording *r, const uint64_t *times, size_t num)
{
    cr_assert_eq(times_num(r), num, "%zu", times_num(r));
    for (size_t i = 0; i < num; i++)
        cr_assert_eq(time_at(r, i), times[i], "%zu: %llu", i, (unsigned long long)time_at(r, i));
}

/* What prompt.h hears of; nothing is taken. */
Test(perf_rings, shows_samples_before_they_are_taken)
{
    struct orma_perf_glimpse glimpse;
    uint64_t seen = 0;
    struct recording r;

    setup(&r);
    struct orma_perf_ring *ring = &r.rings.all[0];
    cr_assert(!orma_perf_ring_glimpse(ring, &seen, &glimpse), "none yet");
    for (uint64_t time = 10; time <= 40; time += 10)
        put_sample(&r, 0, time);
    for (uint64_t time = 10; time <= 30; time += 10) {
        cr_assert(orma_perf_ring_glimpse(ring, &seen, &glimpse));
        cr_assert_eq(glimpse.time, time);
        cr_assert_eq(glimpse.pid, PID);
        cr_assert_eq(glimpse.tid, PID);
    }
    cr_assert_eq(ring->page->data_tail, 3 * DATA - 2 * RECORD - 8, "all is still there");
    while (orma_perf_rings_next(&r.rings, UINT64_MAX, 0, take_time, &r))
        ;
    cr_assert(!orma_perf_ring_glimpse(ring, &seen, &glimpse), "40 was taken before we came");
    put_sample(&r, 0, 50);
    const uint64_t nonsense = 0;
    put_words(ring, &nonsense, 1);
    cr_assert(orma_perf_ring_glimpse(ring, &seen, &glimpse) && glimpse.time == 50);
    cr_assert(!orma_perf_ring_glimpse(ring, &seen, &glimpse), "a record without a size");
    cr_assert_eq(seen, ring->page->data_head);
    teardown(&r);
}

/* How often it was called, and for whom; of other threads, nothing. */
static bool read_words(void *ctx, uint32_t pid, uint32_t tid, struct orma_buf *ret)
{
    uint64_t *times = ctx;
    const uint64_t words[2] = {++*times, pid};

    orma_buf_put(ret, words, sizeof(words));
    return tid == PID;
}

static void ring_bell(struct recording *r, size_t ring)
{
    const uint64_t one = 1;
    int fd;

    memcpy(&fd, r->rings.all[ring].leaders.data, sizeof(fd));
    cr_assert_eq(write(fd, &one, sizeof(one)), (ssize_t)sizeof(one));
}

Test(perf_rings, reads_a_thread_as_soon_as_its_sample_is_there)
{
    struct orma_buf got = {0};
    struct orma_perf_prompt *prompt;
    uint64_t times = 0, words[2];
    struct recording r;

    setup(&r);
    for (size_t i = 0; i < RINGS; i++) {
        int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);

        orma_buf_put(&r.rings.all[i].leaders, &fd, sizeof(fd));
        orma_buf_put(&r.rings.all[i].fds, &fd, sizeof(fd)); /* closed with the ring */
    }
    cr_assert_eq(orma_perf_prompt_new(&r.rings, read_words, &times, &prompt), 0);
    cr_assert(!orma_perf_prompt_take(prompt, PID, 10, &got), "nothing there");
    for (uint64_t time = 10; time <= 20; time += 10) {
        put_sample(&r, 0, time);
        ring_bell(&r, 0);
        while (!orma_perf_prompt_take(prompt, PID, time, &got))
            sched_yield();
        cr_assert_eq(got.len, sizeof(words));
        memcpy(words, got.data, sizeof(words));
        orma_buf_fini(&got);
        cr_assert_eq(words[0], time / 10);
        cr_assert_eq(words[1], PID);
        cr_assert(!orma_perf_prompt_take(prompt, PID, time, &got), "it was taken");
    }
    orma_perf_prompt_free(prompt);
    orma_perf_prompt_free(NULL);
    teardown(&r);
}

Test(perf_rings, the_oldest_record_of_all_comes_first)
{
    const uint64_t expected[] = {10, 20, 30, 40, 50, 60, 70};
    struct recording r;

    setup(&r);
    for (uint64_t time = 10; time <= 60; time += 10)
        put_sample(&r, time % 20 ? 0 : 1, time);
    while (orma_perf_rings_next(&r.rings, 60, 0, take_time, &r))
        ;
    expect_times(&r, expected, 5);
    cr_assert(is_empty(&r.rings.all[0]), "the kernel has its room back");
    cr_assert_not(is_empty(&r.rings.all[1]), "60 was not due");
    put_sample(&r, 0, 70);
    while (orma_perf_rings_next(&r.rings, UINT64_MAX, 0, take_time, &r))
        ;
    expect_times(&r, expected, 7);
    teardown(&r);
}

Test(perf_rings, nonsense_empties_its_ring_alone)
{
    const uint64_t expected[] = {10, 30}, nonsense[] = {UINT64_C(4) << 48, 0, 0};
    struct recording r;

    setup(&r);
    put_sample(&r, 0, 10);
    put_words(&r.rings.all[1], nonsense, ORMA_ARRAY_LEN(nonsense));
    put_sample(&r, 1, 20);
    put_sample(&r, 0, 30);
    while (orma_perf_rings_next(&r.rings, UINT64_MAX, 0, take_time, &r))
        ;
    expect_times(&r, expected, 2);
    cr_assert_eq(r.rings.bad_records, 1);
    cr_assert(is_empty(&r.rings.all[1]));
    teardown(&r);
}

Test(perf_rings, what_was_saved_comes_before_what_is_left)
{
    struct recording r;

    setup(&r);
    put_sample(&r, 0, 10);
    put_sample(&r, 1, 20);
    put_sample(&r, 0, 30);
    cr_assert(orma_perf_rings_next(&r.rings, UINT64_MAX, 0, take_time, &r));
    cr_assert(orma_perf_rings_save(&r.rings, UINT64_MAX, take_time, &r));
    cr_assert_not(orma_perf_rings_next(&r.rings, UINT64_MAX, 0, take_time, &r));
    cr_assert_not(is_empty(&r.rings.all[0]));
    cr_assert(orma_perf_rings_next(&r.rings, UINT64_MAX, r.rings.saves, take_time, &r));
    teardown(&r);
}

Test(perf_worker, empties_the_rings_at_each_period)
{
    const uint64_t expected[] = {10, 20, 30};
    struct recording r;

    setup(&r);
    cr_assert_eq(orma_perf_worker_due(r.worker), 0);
    orma_perf_worker_begin(r.worker, 2000000, 5000000);
    for (size_t i = 0; i < ORMA_ARRAY_LEN(expected); i++) {
        put_sample(&r, i % RINGS, expected[i]);
        while (!is_empty(&r.rings.all[i % RINGS]))
            usleep(1000);
    }
    wait_for_mark(&r);
    expect_times(&r, expected, ORMA_ARRAY_LEN(expected));
    teardown(&r);
}

/* What waits in the rings while the worker has to wait is saved, and comes out in its place. */
Test(perf_worker, that_is_stuck_loses_nothing)
{
    const uint64_t expected[] = {10, 20, 30, 40, 50};
    struct recording r;

    setup(&r);
    cr_assert_eq(mkfifo(pf_path(&r.pf, "proc/77/maps"), 0600), 0); /* to be read: that lasts */
    put_sample(&r, 0, 10);
    put_sample(&r, 1, 20);
    orma_perf_worker_begin(r.worker, 1000000, 0);
    while (!is_empty(&r.rings.all[0]))
        usleep(1000);
    cr_assert_eq(orma_perf_worker_due(r.worker), 0);
    put_sample(&r, 0, 30);
    put_sample(&r, 1, 40);
    while (orma_perf_rings_save(&r.rings, UINT64_MAX, give_to_worker, &r))
        ;
    cr_assert(is_empty(&r.rings.all[0]));
    cr_assert(is_empty(&r.rings.all[1]));
    put_sample(&r, 0, 50); /* must not overtake them */
    int fd = open(pf_path(&r.pf, "proc/77/maps"), O_WRONLY | O_CLOEXEC);
    cr_assert_geq(fd, 0);
    cr_assert_eq(unlink(pf_path(&r.pf, "proc/77/maps")), 0);
    (void)close(fd);
    while (!is_empty(&r.rings.all[0]))
        usleep(1000);
    wait_for_mark(&r);
    expect_times(&r, expected, ORMA_ARRAY_LEN(expected));
    teardown(&r);
}

/* Its thread may go on and use all that it was given: that stays. */
Test(perf_worker, whose_file_never_answers_is_given_up)
{
    static struct recording r;

    setup(&r);
    cr_assert_eq(mkfifo(pf_path(&r.pf, "proc/77/maps"), 0600), 0);
    put_sample(&r, 0, 10);
    orma_perf_worker_begin(r.worker, 1000000, 0);
    while (!is_empty(&r.rings.all[0]))
        usleep(1000);
    cr_assert_not(orma_perf_worker_free(r.worker));
    int fd = open(pf_path(&r.pf, "proc/77/maps"), O_WRONLY | O_CLOEXEC);
    cr_assert_geq(fd, 0, "it still waits");
    (void)close(fd);
    pf_fini(&r.pf);
}
