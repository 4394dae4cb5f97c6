/*
 * Life of tracing in a process: early starts and exits, a service that
 * comes back, threads that come and go, signals, no descriptors left.
 *
 *   test_integration_sdk_life TRACED [TEST...]
 *
 * Each test is a child process with the SDK, and this process, which runs the
 * session: they take turns at checkpoints.
 */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "orma/orma.h"
#include "sdk/base/defs.h"
#include "sdk/base/fd.h"
#include "sdk/events/te.h"
#include "sdk/tracing/startup.h"
#include "tests/integration/sdk/actors.h"

ORMA_CATEGORY_DEFINE(life, "life", NULL, NULL);

/* A child does not free what its parent's threads may have been changing: see fork.h. */
ORMA_API const char *__lsan_default_options(void);
const char *__lsan_default_options(void)
{
    return "detect_leaks=0";
}

static void many(const char *what, int num)
{
    for (int i = 0; i < num; i++)
        ORMA_INSTANT(life, "", ORMA_DYNAMIC_NAME(what));
}

/* ---- startup ---- */

static void *slice_around(void *arg)
{
    ORMA_SLICE(life, "around");
    (void)arg;
    checkpoint(); /* the service is there */
    /* Connected; and what the service then had to say has been carried out. */
    for (int trips = 0; trips < 3; trips += orma_flush(WAIT_MS) == 0)
        ;
    return NULL;
}

/* Begins without a service, goes on with one: scopes that are open meanwhile find their ends. */
static void play_startup(void)
{
    struct orma_init_args args = ORMA_INIT_ARGS;
    pthread_t thread;

    args.exhausted = ORMA_EXHAUSTED_STALL;
    checkpoint(); /* the service has gone, and its path is known */
    expect("startup", (uint64_t)orma_startup_tracing(NULL), 0);
    expect("startup twice", (uint64_t)-orma_startup_tracing(NULL), EALREADY);
    many("early", 500);
    expect("init", (uint64_t)orma_init(&args), 0);
    assert(pthread_create(&thread, NULL, slice_around, NULL) == 0);
    ORMA_SLICE(life, "main around", ORMA_ARG_INT("i", 1));
    many("early", 500);
    pthread_join(thread, NULL); /* meanwhile the session has started */
    many("late", 1000);
}

static void test_startup(const char *traced)
{
    struct orma_test_daemon daemon;
    struct orma_test_trace t;
    char link[96], target[96];

    /* A path that leads nowhere yet. */
    snprintf(link, sizeof(link), "/tmp/orma-life-%d", (int)getpid());
    char *old = strdup(getenv("PERFETTO_PRODUCER_SOCK_NAME"));
    setenv("PERFETTO_PRODUCER_SOCK_NAME", link, 1);
    struct actor a = act(play_startup);
    await(&a);
    go_on(&a);
    await(&a);
    char *consumer = strdup(getenv("PERFETTO_CONSUMER_SOCK_NAME"));
    orma_test_daemon_start(&daemon, traced);
    struct orma_test_session *session = begin();
    snprintf(target, sizeof(target), "%s/p", daemon.dir);
    assert(symlink(target, link) == 0);
    go_on(&a);
    finish(&a);
    end(session, &t);
    expect("early", orma_test_trace_count(&t, 3, "early"), 1000);
    expect("late", orma_test_trace_count(&t, 3, "late"), 1000);
    expect("begins", orma_test_trace_count(&t, 1, NULL), 2);
    expect("ends", orma_test_trace_count(&t, 2, NULL), 2);
    orma_test_trace_fini(&t);
    expect("exit code of the second service", (uint64_t)orma_test_daemon_stop(&daemon), 0);
    unlink(link);
    setenv("PERFETTO_PRODUCER_SOCK_NAME", old, 1);
    setenv("PERFETTO_CONSUMER_SOCK_NAME", consumer, 1);
    free(old);
    free(consumer);
}

/* Lives for a millisecond. */
static void play_brief(void)
{
    struct orma_startup_args args = ORMA_STARTUP_ARGS;

    args.categories = "life";
    expect("startup", (uint64_t)orma_startup_tracing(&args), 0);
    expect("init", (uint64_t)orma_init(NULL), 0);
    many("brief", 300);
}

static void test_brief_life(void)
{
    struct orma_test_session *session = begin();
    struct orma_test_trace t;

    for (int i = 0; i < 5; i++) {
        struct actor a = act(play_brief);

        finish(&a);
    }
    end(session, &t);
    expect("brief", orma_test_trace_count(&t, 3, "brief"), 1500);
    orma_test_trace_fini(&t);
}

/* More than is kept: the ledger says so. */
static void play_too_much(void)
{
    struct orma_startup_args args = ORMA_STARTUP_ARGS;

    args.buffer_kb = 64;
    expect("startup", (uint64_t)orma_startup_tracing(&args), 0);
    many("too much", 20000);
    expect("init", (uint64_t)orma_init(NULL), 0);
    while (orma_flush(1000) < 0)
        ;
}

static void test_too_much(void)
{
    struct orma_test_session *session = begin();
    struct orma_test_trace t;
    struct actor a = act(play_too_much);
    uint64_t dropped = 0;

    finish(&a);
    end(session, &t);
    uint64_t got = orma_test_trace_count(&t, 3, "too much");
    for (size_t i = 0; i < t.num; i++)
        dropped += t.seqs[i].dropped;
    expect("some came, some did not", got > 500 && got < 20000, 1);
    expect("all are accounted for", got + dropped, 20000);
    orma_test_trace_fini(&t);
}

/* Sessions that come while threads emit all the time: each event is shown, or counted as lost. */
#define KEPT 100000

static struct takeover {
    const char *what;
    struct orma_str track_event; /* of the session */
    uint32_t policy;
    bool stands; /* a thread stands still inside an event meanwhile */
    bool second; /* another session comes with it */
    /* ---- written by the actor ---- */
    _Atomic uint64_t emitted;
    _Atomic bool stands_now, enough;
} * takeover;

static void *emit_until_enough(void *arg)
{
    (void)arg;
    for (uint64_t num = 0; !takeover->enough; num += 100) {
        many("kept or shown", 100);
        takeover->emitted += 100;
        if (num > KEPT)
            usleep(100);
    }
    return NULL;
}

static void *stand_still(void *arg)
{
    (void)arg;
    many("kept or shown", 1);
    takeover->emitted++;
    orma_te_self->busy = ORMA_TE_RUNNING;
    takeover->stands_now = true;
    while (!takeover->enough)
        usleep(1000);
    orma_te_self->busy = ORMA_TE_IDLE;
    return NULL;
}

static void play_takeover(void)
{
    struct orma_startup_args startup = ORMA_STARTUP_ARGS;
    struct orma_init_args args = ORMA_INIT_ARGS;
    int num = 2 + takeover->stands;
    pthread_t threads[3];

    args.exhausted = takeover->policy;
    startup.buffer_kb = 32 << 10;
    expect("startup", (uint64_t)orma_startup_tracing(&startup), 0);
    for (int i = 0; i < num; i++)
        assert(pthread_create(&threads[i], NULL, i == 2 ? stand_still : emit_until_enough, NULL) ==
               0);
    while (takeover->emitted < KEPT || takeover->stands_now != takeover->stands)
        usleep(1000);
    expect("init", (uint64_t)orma_init(&args), 0);
    while (orma_startup_waits())
        usleep(1000);
    many("kept or shown", 1);
    takeover->emitted++;
    takeover->enough = true;
    for (int i = 0; i < num; i++)
        pthread_join(threads[i], NULL);
}

static void take_over(const struct takeover *c)
{
    const struct orma_test_config config = {.track_event = c->track_event};
    struct orma_test_session *session = orma_test_session_start(&config);
    struct orma_test_session *second = c->second ? orma_test_session_start(&config) : NULL;
    struct orma_test_trace t;
    uint64_t lost = 0;

    *takeover = *c;
    struct actor a = act(play_takeover);
    finish(&a);
    end(session, &t);
    for (size_t i = 0; i < t.num; i++)
        lost += t.seqs[i].dropped + t.seqs[i].lost;
    uint64_t shown = orma_test_trace_count(&t, 3, "kept or shown");
    expect("some are shown", shown > 0, 1);
    expect("what is hidden is lost", lost >= (c->track_event.len ? KEPT : 0), 1);
    expect("events that nobody knows of",
           shown + lost < takeover->emitted ? takeover->emitted - shown - lost : 0, 0);
    /* Three packets introduce a sequence. Around a thread that stands still, an event may be both.
     */
    expect("too many",
           !c->stands && c->policy == ORMA_EXHAUSTED_STALL && shown + lost > takeover->emitted + 50,
           0);
    orma_test_trace_fini(&t);
    if (second) {
        end(second, &t);
        orma_test_trace_fini(&t);
    }
}

static void test_takeover(void)
{
    const struct orma_str hides = {"\x38\x01", 2}; /* filter_debug_annotations */
    const struct takeover cases[] = {
        {.what = "shows", .policy = ORMA_EXHAUSTED_STALL, .second = true},
        {.what = "shows, drops", .policy = ORMA_EXHAUSTED_DROP},
        {.what = "hides", hides, .policy = ORMA_EXHAUSTED_STALL, .second = true},
        {.what = "hides, drops", hides, .policy = ORMA_EXHAUSTED_DROP},
        {.what = "stands", .policy = ORMA_EXHAUSTED_STALL, .stands = true},
    };

    takeover =
        mmap(NULL, sizeof(*takeover), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert(takeover != MAP_FAILED);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        int before = failed;

        failed = 0;
        take_over(&cases[i]);
        if (failed)
            fprintf(stderr, "in the case '%s'\n", cases[i].what);
        failed |= before;
    }
    munmap(takeover, sizeof(*takeover));
}

/* ---- policies ---- */

#define FLOOD 100000

static uint32_t own_policy;

static void play_flood(void)
{
    struct orma_init_args args = ORMA_INIT_ARGS;

    args.name = "flood";
    args.exhausted = own_policy;
    expect("init", (uint64_t)orma_init(&args), 0);
    expect("a session", (uint64_t)orma_wait_for_session(WAIT_MS), 1);
    many("flood", FLOOD);
}

/* A session may let the program wait less than it would, and more only if the program leaves that
 * to it. Four pages of memory are never enough. */
static void test_policies(void)
{
    static const struct {
        uint32_t own, of_session;
        bool whole;
    } cases[] = {
        {ORMA_EXHAUSTED_DROP, 0, false},
        {ORMA_EXHAUSTED_DROP, 2 /* stall */, false},
        {ORMA_EXHAUSTED_BY_CONFIG, 2, true},
        {ORMA_EXHAUSTED_BY_CONFIG, 0, false},
        {ORMA_EXHAUSTED_STALL, 1 /* drop */, false},
        {ORMA_EXHAUSTED_STALL, 0, true},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct orma_test_config config = {
            .producer_name = "flood", .shm_kb = 16, .exhausted_policy = cases[i].of_session};
        struct orma_test_session *session = orma_test_session_start(&config);
        struct orma_test_trace t;
        uint64_t dropped = 0;

        own_policy = cases[i].own;
        struct actor a = act(play_flood);
        finish(&a);
        end(session, &t);
        for (size_t j = 0; j < t.num; j++)
            dropped += t.seqs[j].dropped;
        expect("all came", dropped == 0, cases[i].whole);
        expect("events and losses", orma_test_trace_count(&t, 3, "flood") + dropped, FLOOD);
        orma_test_trace_fini(&t);
    }
}

/* ---- the service comes back ---- */

static void play_reconnect(void)
{
    start_tracing();
    many("first", 100);
    expect("flush", (uint64_t)orma_flush(WAIT_MS), 0);
    checkpoint();
    expect("the next session", (uint64_t)orma_wait_for_session(WAIT_MS), 1);
    many("second", 100);
}

static void test_reconnect(const char *traced)
{
    struct orma_test_daemon daemons[2];
    struct orma_test_trace t;
    char link[96], target[96];
    char *producer = strdup(getenv("PERFETTO_PRODUCER_SOCK_NAME"));
    char *consumer = strdup(getenv("PERFETTO_CONSUMER_SOCK_NAME"));
    struct actor a;

    snprintf(link, sizeof(link), "/tmp/orma-life-%d", (int)getpid());
    for (int i = 0; i < 2; i++) {
        orma_test_daemon_start(&daemons[i], traced);
        snprintf(target, sizeof(target), "%s/p", daemons[i].dir);
        unlink(link);
        assert(symlink(target, link) == 0);
        setenv("PERFETTO_PRODUCER_SOCK_NAME", link, 1);
        struct orma_test_session *session = begin();
        if (i == 0) {
            a = act(play_reconnect);
            await(&a);
        } else {
            finish(&a);
        }
        end(session, &t);
        expect("first", orma_test_trace_count(&t, 3, "first"), i ? 0 : 100);
        expect("second", orma_test_trace_count(&t, 3, "second"), i ? 100 : 0);
        orma_test_trace_fini(&t);
        expect("exit code", (uint64_t)orma_test_daemon_stop(&daemons[i]), 0);
        if (i == 0)
            go_on(&a);
    }
    unlink(link);
    setenv("PERFETTO_PRODUCER_SOCK_NAME", producer, 1);
    setenv("PERFETTO_CONSUMER_SOCK_NAME", consumer, 1);
    free(producer);
    free(consumer);
}

/* ---- threads ---- */

#define SHORT_THREADS 10000
#define AT_ONCE 20

static void *short_thread(void *arg)
{
    (void)arg;
    ORMA_SLICE(life, "short");
    return NULL;
}

static void play_threads(void)
{
    pthread_t threads[AT_ONCE];

    start_tracing();
    for (int i = 0; i < SHORT_THREADS / AT_ONCE; i++) {
        for (int j = 0; j < AT_ONCE; j++)
            assert(pthread_create(&threads[j], NULL, short_thread, NULL) == 0);
        for (int j = 0; j < AT_ONCE; j++)
            pthread_join(threads[j], NULL);
    }
}

static void test_threads(void)
{
    struct orma_test_session *session = begin();
    struct orma_test_trace t;
    struct actor a = act(play_threads);

    finish(&a);
    end(session, &t);
    expect("begins", orma_test_trace_count(&t, 1, "short"), SHORT_THREADS);
    expect("ends", orma_test_trace_count(&t, 2, NULL), SHORT_THREADS);
    expect("few sequences", t.num < 10 * AT_ONCE, 1);
    orma_test_trace_fini(&t);
}

/* ---- signals ---- */

static volatile uint64_t handled;

static void on_signal(int sig)
{
    (void)sig;
    ORMA_INSTANT(life, "handler");
    handled++;
}

static void play_signals(void)
{
    struct itimerval timer = {.it_interval = {0, 200}, .it_value = {0, 200}},
                     off = {{0, 0}, {0, 0}};
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};

    start_tracing();
    many("warm", 1);
    assert(sigaction(SIGALRM, &action, NULL) == 0);
    assert(setitimer(ITIMER_REAL, &timer, NULL) == 0);
    for (int i = 0; i < 200 && handled < 500; i++) {
        for (int j = 0; j < 2000; j++) {
            ORMA_SLICE(life, "interrupted", ORMA_ARG_INT("j", j));
        }
    }
    assert(setitimer(ITIMER_REAL, &off, NULL) == 0);
    uint64_t told[2] = {handled, orma_lost_unattributed()};
    assert(write(stage_out, told, sizeof(told)) == sizeof(told));
}

static void test_signals(void)
{
    struct orma_test_session *session = begin();
    struct orma_test_trace t;
    struct actor a = act(play_signals);
    uint64_t told[2], dropped = 0;

    assert(read(a.from, told, sizeof(told)) == sizeof(told));
    finish(&a);
    end(session, &t); /* the ledger holds, with the handler's losses */
    for (size_t i = 0; i < t.num; i++)
        dropped += t.seqs[i].dropped;
    expect("the handler's events", orma_test_trace_count(&t, 3, "handler") + dropped + told[1],
           told[0]);
    expect("slices", orma_test_trace_count(&t, 1, "interrupted") > 1000, 1);
    expect("as many ends", orma_test_trace_count(&t, 2, NULL),
           orma_test_trace_count(&t, 1, "interrupted"));
    orma_test_trace_fini(&t);
}

/* ---- no descriptors ---- */

static void play_no_fds(void)
{
    struct orma_recording_args args = ORMA_RECORDING_ARGS;
    struct orma_recording_counts counts;
    struct orma_recording *recording;
    struct rlimit old, none;
    int fds[2];

    assert(pipe(fds) == 0);
    char path[] = "/tmp/orma-life-XXXXXX";
    args.fd = mkstemp(path);
    assert(args.fd >= 0 && getrlimit(RLIMIT_NOFILE, &old) == 0);
    unlink(path);
    none = old;
    none.rlim_cur = 0;
    assert(setrlimit(RLIMIT_NOFILE, &none) == 0);
    expect("init without descriptors", orma_init(NULL) < 0, 1);
    many("nobody", 10);
    expect("flush", orma_flush(10) < 0, 1);
    /* A recording needs none but the file's. */
    expect("recording", (uint64_t)orma_recording_start(&args, &recording), 0);
    many("recorded", 10);
    expect("stop", (uint64_t)orma_recording_stop(recording, &counts), 0);
    expect("written", counts.written >= 10, 1);
    assert(setrlimit(RLIMIT_NOFILE, &old) == 0);
    start_tracing();
    many("with descriptors", 10);
}

static void test_no_fds(void)
{
    struct orma_test_session *session = begin();
    struct orma_test_trace t;
    struct actor a = act(play_no_fds);

    finish(&a);
    end(session, &t);
    expect("events", orma_test_trace_count(&t, 3, "with descriptors"), 10);
    orma_test_trace_fini(&t);
}

/* ---- recordings at exit, and in children ---- */

static char recorded[64];

static void play_recording(void)
{
    struct orma_recording_args args = ORMA_RECORDING_ARGS;
    struct orma_recording *recording;
    int status;

    args.path = recorded;
    assert(orma_recording_start(&args, &recording) == 0);
    many("before", 50);
    pid_t pid = fork();
    assert(pid >= 0);
    if (pid == 0) {
        many("child", 5000);
        expect("flush", (uint64_t)-orma_recording_flush(recording), ECANCELED);
        expect("stop", (uint64_t)-orma_recording_stop(recording, NULL), ECANCELED);
        exit(failed);
    }
    assert(waitpid(pid, &status, 0) == pid);
    expect("status of the child", (uint64_t)status, 0);
    many("after", 50);
    /* Never stopped. */
}

static void test_recording(void)
{
    struct orma_buf bytes = {0};
    struct orma_test_trace t;

    snprintf(recorded, sizeof(recorded), "/tmp/orma-life-%d.pftrace", (int)getpid());
    struct actor a = act(play_recording);
    finish(&a);
    assert(orma_fd_read_file(-100, recorded, 1 << 24, &bytes) == 0);
    unlink(recorded);
    orma_test_trace_parse(orma_buf_str(&bytes), &t);
    expect("errors", orma_test_trace_check(&t), 0);
    expect("before", orma_test_trace_count(&t, 3, "before"), 50);
    expect("after", orma_test_trace_count(&t, 3, "after"), 50);
    expect("child", orma_test_trace_count(&t, 3, "child"), 0);
    orma_test_trace_fini(&t);
    orma_buf_fini(&bytes);
}

/* ---- the service and a file at once ---- */

static void play_both(void)
{
    struct orma_recording_args args = ORMA_RECORDING_ARGS;
    struct orma_recording *recording;

    args.path = recorded;
    start_tracing();
    many("service only", 50);
    assert(orma_recording_start(&args, &recording) == 0);
    for (int i = 0; i < 1000; i++) {
        ORMA_SLICE(life, "both", ORMA_ARG_INT("i", i));
    }
    assert(orma_recording_stop(recording, NULL) == 0);
    many("service only", 50);
}

static void check_both(struct orma_test_trace *t, uint64_t alone)
{
    expect("errors", orma_test_trace_check(t), 0);
    expect("both", orma_test_trace_count(t, 1, "both"), 1000);
    expect("ends", orma_test_trace_count(t, 2, NULL), 1000);
    expect("service only", orma_test_trace_count(t, 3, "service only"), alone);
    orma_test_trace_fini(t);
}

static void test_both(void)
{
    struct orma_test_session *session = begin();
    struct orma_buf bytes = {0};
    struct orma_test_trace t;

    snprintf(recorded, sizeof(recorded), "/tmp/orma-life-%d.pftrace", (int)getpid());
    struct actor a = act(play_both);
    finish(&a);
    end(session, &t);
    check_both(&t, 100);
    assert(orma_fd_read_file(-100, recorded, 1 << 24, &bytes) == 0);
    unlink(recorded);
    orma_test_trace_parse(orma_buf_str(&bytes), &t);
    check_both(&t, 0);
    orma_buf_fini(&bytes);
}

/* ---- killed ---- */

static void play_killed(void)
{
    start_tracing();
    many("killed", 100);
    expect("flush", (uint64_t)orma_flush(WAIT_MS), 0);
    many("killed", 200);
    checkpoint();
}

/* What was handed over is there, of the rest what was found in its memory; and the ledger holds. */
static void test_killed(void)
{
    for (int i = 0; i < 3; i++) {
        struct orma_test_session *session = begin();
        struct orma_test_trace t;
        struct actor a = act(play_killed);
        int status;

        await(&a);
        kill(a.pid, SIGKILL);
        assert(waitpid(a.pid, &status, 0) == a.pid);
        expect("killed", (uint64_t)WTERMSIG(status), SIGKILL);
        close(a.to);
        close(a.from);
        end(session, &t);
        uint64_t got = orma_test_trace_count(&t, 3, "killed");
        expect("events", got >= 100 && got <= 300, 1);
        orma_test_trace_fini(&t);
    }
}

/* ---- a service that stands still ---- */

static pid_t traced_pid;
#define BURST 200000

static uint64_t now_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

static void play_standstill(void)
{
    struct orma_init_args args = ORMA_INIT_ARGS;

    args.exhausted = ORMA_EXHAUSTED_DROP;
    expect("init", (uint64_t)orma_init(&args), 0);
    expect("a session", (uint64_t)orma_wait_for_session(WAIT_MS), 1);
    checkpoint(); /* the service stands still */
    for (int i = 0; i < BURST; i++) {
        ORMA_INSTANT(life, "burst", ORMA_ARG_INT("i", i));
        /* The socket fills, too. */
        if (i % (BURST / 200) == 0)
            expect("short flush", (uint64_t)-orma_flush(1), ETIMEDOUT);
    }
    uint64_t begun = now_ms();
    expect("flush", (uint64_t)-orma_flush(300), ETIMEDOUT);
    expect("flush in time", now_ms() - begun < 5000, 1); /* it took the send's ten seconds */
    checkpoint();                                        /* it goes on */
    expect("flush", (uint64_t)orma_flush(WAIT_MS), 0);
}

/* The connection is kept, and with it the counts. */
static void test_standstill(void)
{
    struct orma_test_session *session = begin();
    struct orma_test_trace t;
    struct actor a = act(play_standstill);
    uint64_t dropped = 0;

    await(&a);
    kill(traced_pid, SIGSTOP);
    go_on(&a);
    await(&a);
    kill(traced_pid, SIGCONT);
    go_on(&a);
    finish(&a);
    end(session, &t);
    for (size_t i = 0; i < t.num; i++)
        dropped += t.seqs[i].dropped;
    expect("some are there", orma_test_trace_count(&t, 3, "burst") > 0, 1);
    expect("there and dropped", orma_test_trace_count(&t, 3, "burst") + dropped, BURST);
    orma_test_trace_fini(&t);
}

static const char *traced_program;

static void test_startup_here(void)
{
    test_startup(traced_program);
}

static void test_reconnect_here(void)
{
    test_reconnect(traced_program);
}

static const struct named_test tests[] = {
    {"brief_life", test_brief_life},
    {"too_much", test_too_much},
    {"takeover", test_takeover},
    {"policies", test_policies},
    {"threads", test_threads},
    {"signals", test_signals},
    {"no_fds", test_no_fds},
    {"both", test_both},
    {"killed", test_killed},
    {"recording", test_recording},
    {"standstill", test_standstill},
    {"startup", test_startup_here},
    {"reconnect", test_reconnect_here},
};

int main(int argc, char **argv)
{
    struct orma_test_daemon daemon;

    assert(argc >= 2);
    traced_program = argv[1];
    orma_test_daemon_start(&daemon, traced_program);
    traced_pid = daemon.pid;
    run_tests(tests, ORMA_ARRAY_LEN(tests), argv + 2);
    expect("exit code of the service", (uint64_t)orma_test_daemon_stop(&daemon), 0);
    return failed;
}
