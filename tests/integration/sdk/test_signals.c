/*
 * Events in signal handlers, whatever they interrupt: malloc, events, turns of
 * data sources, recordings, the beginning and the end of tracing, fork, threads
 * that never emitted an event. Nothing hangs, and every event is in the trace or
 * in the ledger.
 *
 *   test_integration_sdk_signals TRACED [TEST...]
 *
 * A timer interrupts the main thread all the time. Its handler emits events that
 * take the slow path: each has a text that its sequence has not seen, and the sites
 * are many.
 */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "orma/orma.h"
#include "sdk/base/defs.h"
#include "sdk/base/fd.h"
#include "tests/integration/sdk/actors.h"

/* Handlers that each test wants to see; more come while it gets there. */
#define HANDLED_MIN 1000u
#define TIMER_US 100
#define FORK_US 50000
/* Far beyond what a loaded machine needs: whoever takes longer hangs. */
#define HANG_S 60

ORMA_CATEGORY_DEFINE(sig, "sig", NULL, NULL);

/* Children of fork() do not free what their parent's threads may have been changing. */
ORMA_API const char *__lsan_default_options(void);
const char *__lsan_default_options(void)
{
    return "detect_leaks=0";
}

/* ---- the handler ---- */

/* Events emitted, by the actor; shared with the test. */
static struct counts {
    _Atomic uint64_t handled, ordinary, unattributed;
} * counts;

static void put_number(char *to, uint64_t n)
{
    for (int i = 15; i >= 0; i--, n >>= 4)
        to[i] = "0123456789abcdef"[n & 15];
    to[16] = '\0';
}

#define SITE(n)                                                                                    \
    case n:                                                                                        \
        ORMA_INSTANT(sig, "handler", ORMA_ARG_INTERNED_STR("new " #n, text));                      \
        break;
#define SITES4(n) SITE(n##0) SITE(n##1) SITE(n##2) SITE(n##3)
#define SITES16(n) SITES4(n##0) SITES4(n##1) SITES4(n##2) SITES4(n##3)
#define SITES64(n) SITES16(n##0) SITES16(n##1) SITES16(n##2) SITES16(n##3)

static void emit_in_handler(uint64_t n)
{
    char text[17];

    put_number(text, n);
    switch (1000 + (n & 3) + (n >> 2 & 3) * 10 + (n >> 4 & 3) * 100) {
        SITES64(1)
    }
}

static void on_signal(int number)
{
    int err = errno;

    (void)number;
    errno = 4711;
    if (ORMA_ENABLED(sig)) {
        emit_in_handler(counts->handled++);
    }
    if (errno != 4711)
        _exit(3);
    errno = err;
}

static void start_timer_of(suseconds_t interval_us)
{
    struct itimerval timer = {.it_interval = {0, interval_us}, .it_value = {0, TIMER_US}};
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};

    assert(sigaction(SIGALRM, &action, NULL) == 0);
    assert(setitimer(ITIMER_REAL, &timer, NULL) == 0);
}

static void start_timer(void)
{
    start_timer_of(TIMER_US);
}

static void stop_timer(void)
{
    struct itimerval off = {{0, 0}, {0, 0}};

    assert(setitimer(ITIMER_REAL, &off, NULL) == 0);
}

static bool enough(void)
{
    static uint64_t before;

    if (counts->handled - before < HANDLED_MIN)
        return false;
    before = counts->handled;
    return true;
}

/* ---- the test's side ---- */

/* Waits for the actor's end; one that hangs is killed. */
static void finish_or_kill(struct actor *a)
{
    time_t end_at = time(NULL) + HANG_S;
    int status;

    while (waitpid(a->pid, &status, WNOHANG) == 0) {
        if (time(NULL) > end_at) {
            fprintf(stderr, "it hangs\n");
            kill(a->pid, SIGKILL);
        }
        nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
    }
    expect("exit status", (uint64_t)status, 0);
    close(a->to);
    close(a->from);
}

/* Every event is there or was dropped, and the ledger of every sequence holds. */
static void check(struct orma_test_trace *t)
{
    uint64_t dropped = counts->unattributed;

    expect("errors", orma_test_trace_check(t), 0);
    for (size_t i = 0; i < t->num; i++)
        dropped += t->seqs[i].dropped;
    uint64_t there =
        orma_test_trace_count(t, 3, "handler") + orma_test_trace_count(t, 3, "ordinary");
    expect("there and dropped", there + dropped, counts->handled + counts->ordinary);
    expect("some of the handler's are there", orma_test_trace_count(t, 3, "handler") > 0, 1);
    expect("attributed", counts->unattributed, 0);
    orma_test_trace_fini(t);
}

/* A session around `play`. */
static void run_with(const struct orma_test_config *config, void (*play)(void), bool exact)
{
    struct orma_test_session *session = orma_test_session_start(config);
    struct orma_test_trace t;

    memset(counts, 0, sizeof(*counts));
    struct actor a = act(play);
    finish_or_kill(&a);
    orma_test_session_stop(session, &t);
    if (exact) {
        check(&t);
        return;
    }
    expect("errors", orma_test_trace_check(&t), 0);
    orma_test_trace_fini(&t);
}

/* Large enough for all: what a ring overwrites cannot be counted by name. */
static const struct orma_test_config usual = {.clear_period_ms = 20, .buffer_kb = 512 << 10};

static void begin_under_fire(void)
{
    start_tracing(); /* stalls */
    start_timer();
}

static void cease(void)
{
    stop_timer();
    counts->unattributed = orma_lost_unattributed();
}

/* Time passes without events, so that traces stay small; some of it in malloc. */
static void dawdle(void)
{
    for (int i = 0; i < 40; i++) {
        void *volatile block = malloc(2000);

        free(block);
    }
}

/* ---- malloc ---- */

static void play_malloc(void)
{
    void *blocks[64] = {0};
    uint32_t random = 1;

    begin_under_fire();
    while (!enough()) {
        random = random * 1664525 + 1013904223;
        void **b = &blocks[random >> 26];
        free(*b);
        *b = malloc(1500 + (random >> 8 & 0x3fff)); /* too large for the thread's own cache */
    }
    cease();
    for (size_t i = 0; i < 64; i++)
        free(blocks[i]);
}

static void test_malloc(void)
{
    run_with(&usual, play_malloc, true);
}

/* ---- events ---- */

static void play_events(void)
{
    begin_under_fire();
    while (!enough()) {
        ORMA_INSTANT(sig, "ordinary", ORMA_ARG_UINT("n", counts->ordinary));
        counts->ordinary++;
        dawdle();
    }
    cease();
}

static void test_events(void)
{
    run_with(&usual, play_events, true);
}

static void test_events_that_stall(void)
{
    /* Eight small pages: each chunk's end waits for the service. */
    struct orma_test_config config = usual;

    config.producer_name = "test_integration_sdk_signals";
    config.shm_kb = 32;
    config.page_kb = 4;
    config.exhausted_policy = 2;
    run_with(&config, play_events, true);
    run_with(&config, play_malloc, true);
}

static void test_events_that_are_dropped(void)
{
    struct orma_test_config config = usual;

    config.producer_name = "test_integration_sdk_signals";
    config.shm_kb = 32;
    config.page_kb = 4;
    config.exhausted_policy = 1;
    run_with(&config, play_events, false);
}

/* ---- turns of a data source ---- */

static const struct orma_data_source_ops ops = {sizeof(ops), NULL, NULL, NULL, NULL, NULL};
static struct orma_data_source source = ORMA_DATA_SOURCE("sig.source", &ops, NULL);

/* Packets that go over chunks, with sizes that are patched. */
static void take_turns(void)
{
    static char text[6000];

    ORMA_DATA_SOURCE_EACH(it, &source)
    {
        struct orma_packet *p = orma_ds_packet_begin(&it);

        orma_packet_nest(p, 900);
        orma_packet_bytes(p, 1, text, sizeof(text));
        orma_packet_unnest(p);
        (void)orma_ds_packet_end(p);
    }
}

static void play_turns(void)
{
    source.exhausted = ORMA_EXHAUSTED_BY_CONFIG;
    assert(orma_data_source_register(&source) == 0);
    begin_under_fire();
    while (!enough())
        take_turns();
    cease();
}

static void test_turns(void)
{
    struct orma_test_config config = usual;

    config.second_source = "sig.source";
    config.buffer_kb = 512 << 10;
    config.exhausted_policy = 2;
    run_with(&config, play_turns, true);
}

/* ---- recordings ---- */

static char path[64];

static void play_recording(void)
{
    struct orma_recording_args args = ORMA_RECORDING_ARGS;
    struct orma_recording *recording;

    assert(orma_data_source_register(&source) == 0);
    args.path = path;
    args.buffer_kb = 64;
    args.sources = "sig.source";
    assert(orma_recording_start(&args, &recording) == 0);
    start_timer();
    for (unsigned i = 0; !enough(); i++) {
        dawdle();
        for (int j = 0; j < 5; j++) {
            ORMA_INSTANT(sig, "ordinary", ORMA_ARG_UINT("n", counts->ordinary));
            counts->ordinary++;
        }
        if (i % 50 == 0)
            take_turns();
        if (i % 100 == 0)
            expect("flush", (uint64_t)orma_recording_flush(recording), 0);
    }
    cease();
    expect("stop", (uint64_t)orma_recording_stop(recording, NULL), 0);
}

static void record_with(void (*play)(void))
{
    struct orma_buf bytes = {0};
    struct orma_test_trace t;

    memset(counts, 0, sizeof(*counts));
    snprintf(path, sizeof(path), "/tmp/orma-signals-%d.pftrace", (int)getpid());
    struct actor a = act(play);
    finish_or_kill(&a);
    assert(orma_fd_read_file(-100, path, 1 << 30, &bytes) == 0);
    unlink(path);
    orma_test_trace_parse(orma_buf_str(&bytes), &t);
    check(&t);
    orma_buf_fini(&bytes);
}

static void test_recording(void)
{
    record_with(play_recording);
}

/* ---- threads that are cancelled ---- */

static void *emit_until_cancelled(void *arg)
{
    for (;;) {
        ORMA_INSTANT(sig, "ordinary", ORMA_ARG_UINT("n", counts->ordinary));
        counts->ordinary++;
        pthread_testcancel(); /* here, and not in the write of a full memory */
    }
    return arg;
}

static void play_cancelled(void)
{
    struct orma_recording_args args = ORMA_RECORDING_ARGS;
    struct orma_recording *recording;

    args.path = path;
    args.buffer_kb = 64;
    assert(orma_recording_start(&args, &recording) == 0);
    for (int i = 0; i < 40; i++) {
        uint64_t before = counts->ordinary;
        pthread_t thread;

        emit_in_handler(counts->handled++);
        assert(pthread_create(&thread, NULL, emit_until_cancelled, NULL) == 0);
        while (counts->ordinary - before < 1500)
            sched_yield();
        assert(pthread_cancel(thread) == 0 && pthread_join(thread, NULL) == 0);
    }
    expect("stop", (uint64_t)orma_recording_stop(recording, NULL), 0);
}

static void test_cancelled(void)
{
#ifdef __SANITIZE_ADDRESS__
    /* What a cancelled thread had on its stack stays marked, and the sanitizer stumbles over it. */
    fprintf(stderr, "cancelled: left out under the address sanitizer\n");
    return;
#endif
    record_with(play_cancelled);
}

/* ---- beginning, end ---- */

static void play_life(void)
{
    start_timer();
    for (int i = 0; i < 60 || !enough(); i++) {
        struct orma_init_args args = ORMA_INIT_ARGS;
        struct orma_startup_args startup = ORMA_STARTUP_ARGS;

        args.connect_wait_ms = i % 2 ? ORMA_NO_WAIT : 0;
        if (i % 3 == 0)
            (void)orma_startup_tracing(&startup);
        expect("init", (uint64_t)orma_init(&args), 0);
        if (i % 3 == 1)
            (void)orma_startup_tracing(&startup);
        (void)orma_flush(1000);
        (void)orma_wait_for_session(10);
        orma_shutdown();
    }
    cease();
}

static void test_life(void)
{
    run_with(&usual, play_life, false);
}

/* ---- threads ---- */

/* The first event of this thread is its handler's. */
static void *idle_thread(void *arg)
{
    sigset_t alarm_set;
    void *block = NULL;

    (void)arg;
    sigemptyset(&alarm_set);
    sigaddset(&alarm_set, SIGALRM);
    pthread_sigmask(SIG_UNBLOCK, &alarm_set, NULL);
    uint64_t before = counts->handled;
    while (counts->handled == before) {
        free(block);
        block = malloc(3000);
    }
    free(block);
    return NULL;
}

static void play_threads(void)
{
    sigset_t alarm_set;

    start_tracing();
    sigemptyset(&alarm_set);
    sigaddset(&alarm_set, SIGALRM);
    pthread_sigmask(SIG_BLOCK, &alarm_set, NULL);
    start_timer();
    for (int i = 0; i < 200; i++) {
        pthread_t threads[2];

        for (int j = 0; j < 2; j++)
            assert(pthread_create(&threads[j], NULL, idle_thread, NULL) == 0);
        for (int j = 0; j < 2; j++)
            pthread_join(threads[j], NULL);
    }
    cease();
}

static void test_threads(void)
{
    run_with(&usual, play_threads, true);
}

/* ---- fork ---- */

static void in_child(void)
{
    void *block = NULL;

    start_timer();
    for (int i = 0; i < 20000; i++) {
        free(block);
        block = malloc(2000 + (unsigned)i % 5000);
        ORMA_INSTANT(sig, "child");
    }
    stop_timer();
    free(block);
    exit(0);
}

static void play_forks(void)
{
    begin_under_fire();
    for (int i = 0; i < 30; i++) {
        /* The kernel begins a fork anew at each signal: one comes amid it, the next leaves it time.
         */
        start_timer_of(FORK_US);
        pid_t pid = fork();
        int status;

        if (pid == 0)
            in_child();
        assert(pid > 0);
        start_timer();
        while (waitpid(pid, &status, 0) < 0)
            assert(errno == EINTR);
        expect("status of the child", (uint64_t)status, 0);
    }
    cease();
}

static void test_forks(void)
{
#ifdef __SANITIZE_ADDRESS__
    /* Its own locks are not fit for forks of programs with threads: a child may wait for ever. */
    fprintf(stderr, "forks: left out under the address sanitizer\n");
    return;
#endif
    run_with(&usual, play_forks, false);
}

/* ---- the list ---- */

static const struct named_test tests[] = {
    {"malloc", test_malloc},
    {"events", test_events},
    {"stall", test_events_that_stall},
    {"drop", test_events_that_are_dropped},
    {"turns", test_turns},
    {"recording", test_recording},
    {"cancelled", test_cancelled},
    {"life", test_life},
    {"threads", test_threads},
    {"forks", test_forks},
};

int main(int argc, char **argv)
{
    struct orma_test_daemon daemon;

    assert(argc >= 2);
    counts = mmap(NULL, sizeof(*counts), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert(counts != MAP_FAILED);
    orma_test_daemon_start(&daemon, argv[1]);
    run_tests(tests, ORMA_ARRAY_LEN(tests), argv + 2);
    expect("exit code of the service", (uint64_t)orma_test_daemon_stop(&daemon), 0);
    return failed;
}
