/*
 * A program with the SDK, for attacks: it counts what it emits in a file that it maps, so the count
 * survives whatever happens to it.
 *
 *     app COUNTS count THREADS RATE SECONDS     instants "tick" with their number, RATE a second
 * and thread app COUNTS burst POLICY EVENTS            slices, while somebody has stopped the
 * service; then a flush app COUNTS signals SECONDS                a timer's handler emits while
 * four threads do app COUNTS forks SECONDS                  children emit, flush and exit or _exit
 * while threads emit app COUNTS threads NUMBER                 so many threads at once, then as
 * many one after the other
 *
 *     app COUNTS closes FOLDER       closes all descriptors that it has, as daemons do, and opens
 *                                    files and sockets of its own
 *     app COUNTS dies -              is killed before the service knows of its first event
 *     app COUNTS cancels THREADS     each is cancelled while it flushes, or waits for a session
 *     app COUNTS clock -             waits for a session in vain, while the clock of the day is set
 *                                    back: [10] is how long
 *     app COUNTS swaps FOLDER        as closes, by dup2()
 *     app COUNTS swaps-first -       has all descriptors replaced before its first event, and goes on
 *     app COUNTS leaves -            ends the library's work, and goes on for a second
 *
 * COUNTS is 16 numbers: [0..7] emitted by thread, [8] 1 when a session is there, [9] 1 at an
 * orderly end, [10] milliseconds of the flush, [11] its result, [12] children crashed, [13] hung,
 * [14] by handlers, [15] lost without a thread's sequence to count them.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <orma/orma.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

ORMA_CATEGORY_DEFINE(attack, "attack", "events of attacks", NULL);

#define THREADS_MAX 8

static uint64_t *counts;
static double seconds;
static long rate, per_thread;

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* As others see the clock of the day in a program that reads it before it is set back an hour. */
static time_t ahead;

int clock_gettime(clockid_t id, struct timespec *t)
{
    int r = (int)syscall(SYS_clock_gettime, id, t);

    if (r == 0 && id == CLOCK_REALTIME)
        t->tv_sec += ahead;
    return r;
}

static void count(unsigned slot, uint64_t by)
{
    __atomic_add_fetch(&counts[slot], by, __ATOMIC_RELAXED);
}

static void wait_until(double when)
{
    for (double left = when - now(); left > 0; left = when - now()) {
        struct timespec pause = {.tv_nsec = left > 0.002 ? 1000000 : 50000};
        (void)nanosleep(&pause, NULL);
    }
}

static void *ticks(void *arg)
{
    unsigned slot = (unsigned)(uintptr_t)arg;
    double begin = now();

    for (uint64_t i = 0; now() - begin < seconds; i++) {
        ORMA_INSTANT(attack, "tick", ORMA_ARG_UINT("thread", slot), ORMA_ARG_UINT("i", i));
        count(slot, 1);
        if (rate)
            wait_until(begin + (double)(i + 1) / (double)rate);
    }
    return NULL;
}

static void *pairs(void *arg)
{
    unsigned slot = (unsigned)(uintptr_t)arg;

    for (double end = now() + seconds; now() < end;) {
        ORMA_SLICE_BEGIN(attack, "pair");
        ORMA_SLICE_END(attack);
        count(slot, 2);
    }
    return NULL;
}

static void *burst(void *arg)
{
    unsigned slot = (unsigned)(uintptr_t)arg;

    for (long i = 0; i < per_thread; i++) {
        ORMA_SLICE(attack, "slice", ORMA_ARG_UINT("i", i));
        count(slot, 2);
    }
    return NULL;
}

static void run_threads(void *(*fn)(void *), long number)
{
    pthread_t *threads = calloc((size_t)number, sizeof(*threads));
    pthread_attr_t attr;
    long made = 0;

    pthread_attr_init(&attr);
    pthread_attr_setstacksize(&attr, 128 << 10);
    while (threads && made < number &&
           !pthread_create(&threads[made], &attr, fn, (void *)(uintptr_t)(made % THREADS_MAX)))
        made++;
    for (long i = 0; i < made; i++)
        pthread_join(threads[i], NULL);
    free(threads);
}

static void on_alarm(int sig)
{
    (void)sig;
    ORMA_INSTANT(attack, "handler", ORMA_ARG_UINT("n", counts[14]));
    count(14, 1);
}

static void with_signals(void)
{
    struct itimerval every = {{0, 200}, {0, 200}}, never = {{0, 0}, {0, 0}};

    signal(SIGALRM, on_alarm);
    setitimer(ITIMER_REAL, &every, NULL);
    run_threads(pairs, 4);
    setitimer(ITIMER_REAL, &never, NULL);
    usleep(10000);
}

/* The address sanitizer looks for leaks in exit(), and takes locks of its allocator for it, which
 * another thread may have held at the moment of the fork: they stay locked in the child. */
#ifdef __SANITIZE_ADDRESS__
#define ORDERLY_CHILDREN 0
#else
#define ORDERLY_CHILDREN 1
#endif

static void *forks(void *arg)
{
    (void)arg;
    for (double end = now() + seconds; now() < end;) {
        pid_t child = fork();
        int status;

        if (child == 0) {
            alarm(10);
            ORMA_INSTANT(attack, "child");
            (void)orma_flush(100);
            if (ORDERLY_CHILDREN && (long long)(now() * 1e6) & 1)
                exit(0);
            _exit(0);
        }
        if (child < 0)
            return NULL;
        waitpid(child, &status, 0);
        if (WIFSIGNALED(status))
            count(WTERMSIG(status) == SIGALRM ? 13 : 12, 1);
        count(4, 1); /* children: not events of ours */
    }
    return NULL;
}

static void with_forks(void)
{
    pthread_t emitters[4];

    for (uintptr_t i = 0; i < 4; i++)
        pthread_create(&emitters[i], NULL, pairs, (void *)i);
    forks(NULL);
    for (unsigned i = 0; i < 4; i++)
        pthread_join(emitters[i], NULL);
}

static void *flushes(void *arg)
{
    for (;;) {
        ORMA_INSTANT(attack, "flushed");
        count((unsigned)(uintptr_t)arg, 1);
        (void)orma_flush(100);
    }
    return NULL;
}

static void *waits(void *arg)
{
    (void)arg;
    while (orma_wait_for_session(-1) >= 0)
        pthread_testcancel();
    return NULL;
}

static void with_cancelled_threads(long number)
{
    pthread_t thread;

    for (long i = 0; i < number; i++) {
        if (pthread_create(&thread, NULL, i % 4 ? flushes : waits, NULL))
            continue;
        usleep((useconds_t)(i % 10 * 100));
        pthread_cancel(thread);
        pthread_join(thread, NULL);
    }
    counts[11] = (uint64_t)(int64_t)orma_flush(10000);
}

static int with_a_clock_that_is_set(void)
{
    double begin = now();

    ahead = 3600;
    int r = orma_wait_for_session(300);
    counts[10] = (uint64_t)((now() - begin) * 1000);
    return r == 0 ? 0 : 4;
}

static int policy_of(const char *name)
{
    return !strcmp(name, "stall") ? ORMA_EXHAUSTED_STALL
           : !strcmp(name, "std") ? ORMA_EXHAUSTED_STALL_THEN_DROP
                                  : ORMA_EXHAUSTED_DROP;
}

/* The parent has stopped the service when counts[8] is 2. */
static void with_a_stopped_service(void)
{
    while (__atomic_load_n(&counts[8], __ATOMIC_ACQUIRE) != 2)
        usleep(1000);
    burst(NULL);
    double begin = now();
    int r = orma_flush(2000);
    counts[10] = (uint64_t)((now() - begin) * 1000);
    counts[11] = (uint64_t)(int64_t)r;
    __atomic_store_n(&counts[8], 3, __ATOMIC_RELEASE);
}

/* Numbers that ours had are the program's own now: 0 if all are open at the end, files are empty,
 * and nobody wrote into sockets. */
static int with_closed_descriptors(const char *folder)
{
    int files[8], sockets[8][2], r = 0;
    char path[4096], byte;

    run_threads(burst, 1);
    if (close_range(3, ~0u, 0))
        return 4;
    for (unsigned i = 0; i < 8; i++) {
        snprintf(path, sizeof(path), "%s/%u", folder, i);
        files[i] = open(path, O_RDWR | O_CREAT, 0644);
        if (files[i] < 0 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, sockets[i]))
            return 4;
    }
    for (unsigned i = 0; i < 20; i++) {
        run_threads(burst, 2);
        usleep(20000);
    }
    orma_shutdown();
    for (unsigned i = 0; i < 8; i++) {
        if (lseek(files[i], 0, SEEK_END) != 0)
            r |= 8;
        for (unsigned k = 0; k < 2; k++)
            r |= read(sockets[i][k], &byte, 1) != -1 || errno != EAGAIN ? 16 : 0;
    }
    return r;
}

/* The same, but there is never a moment without an open file: nothing tells whoever waits there. */
static int with_swapped_descriptors(const char *folder)
{
    int sockets[2], own[2];
    char path[4096], byte;
    struct stat st;

    snprintf(path, sizeof(path), "%s/file", folder);
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, sockets))
        return 4;
    own[0] = open(path, O_RDWR | O_CREAT, 0644);
    own[1] = sockets[0];
    for (unsigned i = 0; i < 300; i++) {
        for (int fd = 3; fd < 40; fd++) {
            if (fd != own[0] && fd != own[1] && fd != sockets[1] && fcntl(fd, F_GETFD) >= 0)
                (void)dup2(own[i % 2], fd);
        }
        run_threads(burst, 1);
    }
    orma_shutdown();
    if (fstat(own[0], &st) || st.st_size)
        return 8;
    return read(sockets[1], &byte, 1) != -1 || errno != EAGAIN ? 16 : 0;
}

/* Nobody is told of what it writes between that and the moment in which the library sees it. */
static void with_descriptors_replaced_first(void)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);

    for (int fd = 3; fd < 40; fd++)
        if (fd != null && fcntl(fd, F_GETFD) >= 0)
            (void)dup2(null, fd);
    run_threads(burst, 1);
    usleep(300000);
}

int main(int argc, char **argv)
{
    struct orma_init_args args = ORMA_INIT_ARGS;
    int fd = argc > 3 ? open(argv[1], O_RDWR | O_CREAT, 0644) : -1;

    if (fd < 0 || ftruncate(fd, 4096) < 0)
        return 2;
    counts = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (counts == MAP_FAILED)
        return 2;
    const char *mode = argv[2];
    args.exhausted = (uint32_t)policy_of(argv[3]);
    orma_init(&args);
    if (!strcmp(mode, "clock"))
        return with_a_clock_that_is_set();
    if (orma_wait_for_session(10000) != 1)
        return 3;
    __atomic_store_n(&counts[8], 1, __ATOMIC_RELEASE);
    if (!strcmp(mode, "count") && argc == 6) {
        rate = atol(argv[4]);
        seconds = atof(argv[5]);
        run_threads(ticks, atol(argv[3]));
    } else if (!strcmp(mode, "burst") && argc == 5) {
        per_thread = atol(argv[4]);
        with_a_stopped_service();
    } else if (!strcmp(mode, "signals")) {
        seconds = atof(argv[3]);
        with_signals();
    } else if (!strcmp(mode, "forks")) {
        seconds = atof(argv[3]);
        with_forks();
    } else if (!strcmp(mode, "threads")) {
        per_thread = 20;
        run_threads(burst, atol(argv[3]));
        for (long i = 0; i < atol(argv[3]); i++)
            run_threads(burst, 1);
    } else if (!strcmp(mode, "closes")) {
        per_thread = 2000;
        return with_closed_descriptors(argv[3]);
    } else if (!strcmp(mode, "swaps")) {
        per_thread = 20;
        return with_swapped_descriptors(argv[3]);
    } else if (!strcmp(mode, "swaps-first")) {
        per_thread = 20;
        with_descriptors_replaced_first();
    } else if (!strcmp(mode, "leaves")) {
        per_thread = 20;
        run_threads(burst, 1);
        orma_shutdown();
        sleep(1);
        return 0;
    } else if (!strcmp(mode, "cancels")) {
        with_cancelled_threads(atol(argv[3]));
    } else if (!strcmp(mode, "dies")) {
        ORMA_INSTANT(attack, "last words");
        kill(getpid(), SIGKILL);
    } else {
        return 2;
    }
    orma_shutdown();
    counts[15] = orma_lost_unattributed();
    counts[9] = 1;
    return 0;
}
