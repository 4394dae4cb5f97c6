/*
 * The SDK under load: threads that emit all the time and threads that live for
 * a few events, while sessions begin and end around them: recordings in tiny
 * memory of every mode, sessions of a real service with tiny shared memory, and
 * children that record for themselves.
 *
 *   stress_sdk TRACED [SECONDS]
 *
 * Holds for each session: a valid stream for any reader; the events of a thread
 * in the order in which it emitted them; per sequence, exactly,
 * emitted = received + lost.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "orma/orma.h"
#include "sdk/base/clock.h"
#include "sdk/base/map.h"
#include "tests/support/session.h"

#define WORKERS 3
#define SECONDS_DEFAULT 4
#define BUFFER_KB 64

#define CHECK(x)                                                                                   \
    do {                                                                                           \
        if (!(x)) {                                                                                \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #x);                                \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

ORMA_CATEGORY_DEFINE(stress, "stress", NULL, NULL);
ORMA_CATEGORY_DEFINE(rare, "stress.rare", NULL, NULL);

/* Forked children make no threads, but ThreadSanitizer asks before it knows. */
ORMA_API const char *__tsan_default_options(void);
const char *__tsan_default_options(void)
{
    return "die_after_fork=0";
}

#ifdef ORMA_TESTPOINTS
/* Loses its turn in one of so many critical places. */
void orma_testpoint(const char *what)
{
    static _Thread_local uint32_t random = 1;

    (void)what;
    random = random * 1664525 + 1013904223;
    if (random >> 24 == 7)
        sched_yield();
    if (random >> 16 == 77)
        usleep(200);
}
#endif

static atomic_bool quit;

/* ---- a data source ---- */

static void on_flush(struct orma_ds_session *session, void *user)
{
    (void)session, (void)user;
}

static const struct orma_data_source_ops ops = {sizeof(ops), NULL, NULL, NULL, on_flush, NULL};
static struct orma_data_source source = ORMA_DATA_SOURCE("stress.source", &ops, NULL);

static void write_packets(uint64_t serial)
{
    static const char filler[9000];

    ORMA_DATA_SOURCE_EACH(it, &source)
    {
        struct orma_packet *p = orma_ds_packet_begin(&it);

        orma_packet_nest(p, 900);
        orma_packet_nest(p, 2);
        orma_packet_u64(p, 1, serial);
        /* Sometimes over several chunks, with sizes to be patched. */
        orma_packet_bytes(p, 2, filler, serial % 7 ? serial % 60 : sizeof(filler));
        orma_packet_unnest(p);
        orma_packet_unnest(p);
        (void)orma_ds_packet_end(p);
    }
}

/* ---- threads that emit ---- */

static void emit(uint64_t n)
{
    char name[16];

    ORMA_SLICE(stress, "outer", ORMA_ARG_UINT("n", n));
    ORMA_COUNTER(stress, "counter", n);
    ORMA_INSTANT(stress, "plain");
    if (n % 5 == 0)
        ORMA_INSTANT(rare, "rare", ORMA_ARG_STR("text", "some text"), ORMA_FLOW(n));
    if (n % 11 == 0) {
        snprintf(name, sizeof(name), "dyn %u", (unsigned)(n % 50));
        ORMA_INSTANT(stress, "", ORMA_DYNAMIC_NAME(name));
    }
    if (n % 64 == 0)
        write_packets(n);
}

static void *worker(void *arg)
{
    uint64_t n = 0;

    (void)arg;
    while (!atomic_load_explicit(&quit, memory_order_relaxed)) {
        emit(++n);
        /* In bursts, each too much for the shared memory; there is much more to be done. */
        if (n % 300 == 0)
            usleep(5000);
    }
    return NULL;
}

/* Counts on where the last one ended: where many processes run, threads get ids of former ones. */
static void *brief(void *arg)
{
    uint64_t *n = arg;

    for (unsigned i = 1; i < 20; i++)
        emit(++*n);
    return NULL;
}

static void *breeder(void *arg)
{
    pthread_t thread;
    uint64_t n = 0;

    (void)arg;
    while (!atomic_load_explicit(&quit, memory_order_relaxed)) {
        CHECK(pthread_create(&thread, NULL, brief, &n) == 0);
        pthread_join(thread, NULL);
        usleep(500);
    }
    return NULL;
}

/* ---- what came out ---- */

/* The events of one thread in one sequence count upwards. */
static void check_order(const struct orma_test_seq *s)
{
    struct orma_map last = {0}; /* track -> n */

    for (size_t i = 0; i < orma_te_reader_num(&s->te); i++) {
        const struct orma_test_event *e = orma_te_reader_event(&s->te, i);
        uint64_t n;

        if (e->type != 1 || sscanf(e->args, "n=%" SCNu64, &n) != 1)
            continue;
        uint64_t before = orma_map_get(&last, e->track);
        CHECK(before == ORMA_MAP_NONE || before < n);
        CHECK(orma_map_put(&last, e->track, n) == 0);
    }
    orma_map_fini(&last);
}

static uint64_t check_trace(struct orma_test_trace *t)
{
    uint64_t events = 0;

    for (size_t i = 0; i < t->num; i++) {
        const struct orma_test_seq *s = &t->seqs[i];

        CHECK(s->has_counts && s->delivered == s->packets);
        /* Children end as if killed, some before they said how much they have written. */
        CHECK(s->has_emitted || s->pid != getpid());
        CHECK(!s->has_emitted || s->emitted == s->delivered + s->dropped + s->lost);
        /* A ring that went round has lost beginnings; else nothing may be amiss for any reader. */
        CHECK(s->lost || s->te.errors == 0);
        check_order(s);
        events += orma_te_reader_num(&s->te);
    }
    orma_test_trace_fini(t);
    return events;
}

static uint64_t check_file(int fd)
{
    struct orma_test_trace t;
    off_t size = lseek(fd, 0, SEEK_END);

    CHECK(size > 0);
    char *data = mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, fd, 0);
    CHECK(data != MAP_FAILED);
    orma_test_trace_parse((struct orma_str){data, (size_t)size}, &t);
    munmap(data, (size_t)size);
    return check_trace(&t);
}

/* ---- recordings ---- */

struct one {
    struct orma_recording *recording;
    int fd;
};

static void begin_recording(struct one *r, uint32_t mode, uint32_t period_ms)
{
    struct orma_recording_args args = ORMA_RECORDING_ARGS;

    r->fd = memfd_create("stress", MFD_CLOEXEC);
    CHECK(r->fd >= 0);
    args.fd = r->fd;
    args.mode = mode;
    args.buffer_kb = BUFFER_KB;
    args.write_period_ms = mode == ORMA_RECORDING_STREAM ? period_ms : 0;
    args.sources = "stress.source";
    args.categories = mode == ORMA_RECORDING_RING ? "stress" : NULL;
    CHECK(orma_recording_start(&args, &r->recording) == 0);
}

static uint64_t end_recording(struct one *r)
{
    struct orma_recording_counts c;

    CHECK(orma_recording_stop(r->recording, &c) == 0);
    CHECK(c.emitted == c.written + c.dropped + c.overwritten);
    uint64_t events = check_file(r->fd);
    close(r->fd);
    return events;
}

/*
 * AddressSanitizer's allocator may be locked by another thread at the moment of
 * a fork, and stays so in the child: there, only the C library's own is safe.
 */
#if defined(__has_feature)
#define FORKS !__has_feature(address_sanitizer)
#elif defined(__SANITIZE_ADDRESS__)
#define FORKS 0
#else
#define FORKS 1
#endif

/* In a child: none of its parent's threads, nor of its sessions. */
static void record_in_child(void)
{
    struct one r;
    pid_t pid = fork();
    int status;

    CHECK(pid >= 0);
    if (pid == 0) {
#if defined(__SANITIZE_THREAD__)
        orma_shutdown(); /* ThreadSanitizer allows no thread here: so no service either */
#endif
        begin_recording(&r, ORMA_RECORDING_STREAM, 0);
        for (uint64_t n = 1; n <= 300; n++)
            emit(n);
        CHECK(end_recording(&r) >= 300 * 4);
        _exit(0); /* as if killed: it may be a producer of a session of the service by now */
    }
    CHECK(waitpid(pid, &status, 0) == pid);
    CHECK(status == 0);
}

static unsigned recordings(uint64_t end_ns)
{
    unsigned rounds = 0;
    uint64_t events = 0;

    for (; orma_clock_monotonic() < end_ns; rounds++) {
        struct one r[3];

        for (uint32_t mode = 0; mode < 3; mode++)
            begin_recording(&r[mode], mode, rounds % 2 ? 1 : 0);
        usleep(3000);
        if (rounds % 4 == 0)
            CHECK(orma_recording_flush(r[0].recording) == 0);
        if (FORKS && rounds % 3 == 0)
            record_in_child();
        usleep(3000);
        for (uint32_t mode = 0; mode < 3; mode++)
            events += end_recording(&r[(mode + rounds) % 3]);
    }
    CHECK(events > 0);
    return rounds;
}

/* ---- sessions of the service ---- */

static unsigned sessions(uint64_t end_ns)
{
    struct orma_test_config config = {.producer_name = NULL, .clear_period_ms = 5};
    unsigned rounds = 0;
    uint64_t events = 0;

    for (; orma_clock_monotonic() < end_ns; rounds++) {
        struct orma_test_session *other = NULL, *s = orma_test_session_start(&config);
        struct orma_test_trace t;

        if (rounds % 2)
            other = orma_test_session_start(&config);
        usleep(10000);
        if (rounds % 3 == 0)
            orma_test_session_flush(s);
        if (rounds % 3 == 1)
            record_in_child();
        orma_test_session_stop(s, &t);
        events += check_trace(&t);
        if (other) {
            orma_test_session_stop(other, &t);
            (void)check_trace(&t);
        }
    }
    CHECK(events > 0);
    return rounds;
}

int main(int argc, char **argv)
{
    struct orma_init_args args = ORMA_INIT_ARGS;
    struct orma_test_daemon daemon;
    pthread_t threads[WORKERS + 1];

    CHECK(argc >= 2);
    uint64_t half_ns = (uint64_t)(argc > 2 ? atoi(argv[2]) : SECONDS_DEFAULT) * 500000000;
    orma_test_daemon_start(&daemon, argv[1]);
    CHECK(orma_data_source_register(&source) == 0);
    args.shm_size_kb = 16; /* four pages for all threads: much is dropped */
    args.connect_wait_ms = 20000;
    CHECK(orma_init(&args) == 0);
    for (int i = 0; i < WORKERS; i++)
        CHECK(pthread_create(&threads[i], NULL, worker, NULL) == 0);
    CHECK(pthread_create(&threads[WORKERS], NULL, breeder, NULL) == 0);
    uint64_t now = orma_clock_monotonic();
    unsigned a = recordings(now + half_ns);
    unsigned b = sessions(orma_clock_monotonic() + half_ns);
    atomic_store(&quit, true);
    for (int i = 0; i <= WORKERS; i++)
        pthread_join(threads[i], NULL);
    orma_shutdown();
    CHECK(orma_test_daemon_stop(&daemon) == 0);
    printf("%u rounds of three recordings, %u of sessions\n", a, b);
    return 0;
}
