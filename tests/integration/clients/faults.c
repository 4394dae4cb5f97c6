/*
 * Faults with known culprits: why_faults KIND SECONDS. The thread "victim" (the first one) wants to
 * get on; what keeps it from that is
 *
 *   lock    "holder" has the lock most of the time        pipe   "peer" answers slowly
 *   hog     "hog" takes its cpu at a real-time priority   stop   "gc" stops it now and then
 *   fsync   the disk                                      clean  nothing
 */
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define MS UINT64_C(1000000)

static _Atomic int stop;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int questions[2], answers[2];

static uint64_t now(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * 1000 * MS + (uint64_t)t.tv_nsec;
}

/* Works so long, by the clock of the thread: however busy the machine is. */
static void work(uint64_t ns)
{
    uint64_t end = now(CLOCK_THREAD_CPUTIME_ID) + ns;

    while (now(CLOCK_THREAD_CPUTIME_ID) < end)
        ;
}

static void rest(uint64_t ns)
{
    struct timespec t = {.tv_nsec = (long)ns};

    nanosleep(&t, NULL);
}

static void stay_on_a_cpu(void)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET(0, &set);
    (void)sched_setaffinity(0, sizeof(set), &set); /* otherwise less is lost */
}

/* Holds the lock for `held`, then not for `free`. */
static void hold(const char *name, uint64_t held, uint64_t released)
{
    prctl(PR_SET_NAME, name);
    while (!stop) {
        pthread_mutex_lock(&lock);
        work(held);
        pthread_mutex_unlock(&lock);
        rest(released);
    }
}

static void *holder(void *none)
{
    hold("holder", 10 * MS, MS / 10);
    return none;
}

static void *gc(void *none)
{
    hold("gc", 20 * MS, 20 * MS);
    return none;
}

static void *hog(void *none)
{
    struct sched_param param = {.sched_priority = 10};

    prctl(PR_SET_NAME, "hog");
    stay_on_a_cpu();
    if (sched_setscheduler(0, SCHED_FIFO, &param) < 0)
        (void)setpriority(PRIO_PROCESS, 0, -20);
    while (!stop) {
        work(15 * MS);
        rest(3 * MS);
    }
    return none;
}

static void *peer(void *none)
{
    char c;

    prctl(PR_SET_NAME, "peer");
    while (read(questions[0], &c, 1) == 1) {
        work(8 * MS);
        if (write(answers[1], &c, 1) != 1)
            break;
    }
    return none;
}

static void step(const char *kind, int file)
{
    static char block[64 << 10];
    char c = 1;

    if (!strcmp(kind, "lock") || !strcmp(kind, "stop")) {
        pthread_mutex_lock(&lock);
        work(MS / 2);
        pthread_mutex_unlock(&lock);
        rest(MS / 20);
    } else if (!strcmp(kind, "pipe")) {
        if (write(questions[1], &c, 1) != 1 || read(answers[0], &c, 1) != 1)
            stop = 1;
    } else if (!strcmp(kind, "fsync")) {
        if (write(file, block, sizeof(block)) < 0 || fsync(file) < 0)
            stop = 1;
    } else {
        work(2 * MS);
    }
}

int main(int argc, char **argv)
{
    static const struct {
        const char *kind;
        void *(*run)(void *none);
    } others[] = {{"lock", holder}, {"stop", gc}, {"hog", hog}, {"pipe", peer}};
    const char *kind = argc > 1 ? argv[1] : "clean";
    uint64_t end = now(CLOCK_MONOTONIC) + (uint64_t)(atof(argc > 2 ? argv[2] : "1") * 1e9);
    int file = open("fsync.tmp", O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0600);
    pthread_t thread;

    prctl(PR_SET_NAME, "victim");
    if (pipe(questions) < 0 || pipe(answers) < 0 || file < 0)
        return 1;
    if (!strcmp(kind, "hog"))
        stay_on_a_cpu();
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        if (!strcmp(others[i].kind, kind) && pthread_create(&thread, NULL, others[i].run, NULL))
            return 1;
    }
    while (now(CLOCK_MONOTONIC) < end && !stop)
        step(kind, file);
    unlink("fsync.tmp");
    _exit(0);
}
