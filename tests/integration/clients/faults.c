/*
 * Faults with known culprits: why_faults KIND SECONDS. The thread "victim" (the first one) wants to
 * get on; what keeps it from that is
 *
 *   lock    "holder" has the lock most of the time        pipe   "peer" answers slowly
 *   hog     "hog" takes its cpu at a real-time priority   stop   "gc" stops it now and then
 *   fsync   the disk                                      faults pages that it touches first
 *   quota   its cgroup may use a fifth of a cpu           major  pages that come from the disk
 *   timers  a timer interrupts its cpu all the time       clean  nothing
 *   chain   "root" answers through two others             epoll  "peer" sets an eventfd, slowly
 *   spin    "holder", as lock, but it spins before        io     "holder" writes to the disk
 *   workers "holder1" and "holder2", one after the other
 *   inverse "holder" has the lock, and "hog" its cpu
 *
 * Exit code 77: this fault is not allowed here.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MS UINT64_C(1000000)
#define NOT_ALLOWED 77
#define PAGE 4096
#define PAGES 256
#define FILE_PAGES 4096

static _Atomic int stop;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int questions[2], answers[2], relays[2][2], bell, bells, disk;

static uint64_t now(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (uint64_t)t.tv_sec * 1000 * MS + (uint64_t)t.tv_nsec;
}

/* Works so long, by the clock of the thread: however busy the machine is. That clock is a system
 * call: it is asked now and then. */
static void work(uint64_t ns)
{
    uint64_t end = now(CLOCK_THREAD_CPUTIME_ID) + ns;

    while (now(CLOCK_THREAD_CPUTIME_ID) < end) {
        for (volatile unsigned i = 0; i < 20000; i++)
            ;
    }
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
        exit(NOT_ALLOWED);
    while (!stop) {
        work(15 * MS);
        rest(3 * MS);
    }
    return none;
}

static void *holder1(void *none)
{
    hold("holder1", 8 * MS, MS / 10);
    return none;
}

static void *holder2(void *none)
{
    hold("holder2", 8 * MS, MS / 10);
    return none;
}

static void *writer(void *none)
{
    static char block[64 << 10];

    prctl(PR_SET_NAME, "holder");
    while (!stop) {
        pthread_mutex_lock(&lock);
        for (int i = 0; i < 4; i++) {
            if (write(disk, block, sizeof(block)) < 0 || fsync(disk) < 0)
                exit(1);
        }
        pthread_mutex_unlock(&lock);
        rest(MS / 10);
    }
    return none;
}

static void *pinned_holder(void *none)
{
    stay_on_a_cpu();
    return holder(none);
}

/* Asks the next one, and passes its answer on. */
static void relay(const char *name, int in, int out)
{
    char c;

    prctl(PR_SET_NAME, name);
    while (read(in, &c, 1) == 1 && write(out, &c, 1) == 1)
        ;
}

static void *first_relay(void *none)
{
    relay("relay1", relays[0][0], relays[1][1]);
    return none;
}

static void *second_relay(void *none)
{
    relay("relay2", relays[1][0], answers[1]);
    return none;
}

static void *root(void *none)
{
    char c;

    prctl(PR_SET_NAME, "root");
    while (read(questions[0], &c, 1) == 1) {
        work(8 * MS);
        if (write(relays[0][1], &c, 1) != 1)
            break;
    }
    return none;
}

static void *ringer(void *none)
{
    uint64_t one = 1;
    char c;

    prctl(PR_SET_NAME, "peer");
    while (read(questions[0], &c, 1) == 1) {
        work(8 * MS);
        if (write(bell, &one, sizeof(one)) != sizeof(one))
            break;
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

/* ---- a quota ---- */

static char group[128];

static bool put(const char *name, const char *text)
{
    char path[256];

    snprintf(path, sizeof(path), "%s/%s", group, name);
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    bool ret = fd >= 0 && write(fd, text, strlen(text)) > 0;
    if (fd >= 0)
        close(fd);
    return ret;
}

static void leave_group(void)
{
    char text[32];
    size_t len = strlen(group);

    if (!len)
        return;
    snprintf(text, sizeof(text), "%d", (int)getpid());
    *strrchr(group, '/') = '\0';
    (void)put("cgroup.procs", text); /* where it came from */
    group[strlen(group)] = '/';
    if (strlen(group) == len)
        (void)rmdir(group);
}

/* A fifth of a cpu, in pieces of 4 ms. Of version 1, or 2 with the controller of cpus. */
static bool enter_group(void)
{
    char text[32];

    snprintf(group, sizeof(group), "/sys/fs/cgroup/cpu/orma-why-%d", (int)getpid());
    if (mkdir(group, 0700) < 0) {
        snprintf(group, sizeof(group), "/sys/fs/cgroup/orma-why-%d", (int)getpid());
        if (mkdir(group, 0700) < 0) {
            *group = '\0';
            return false;
        }
    }
    snprintf(text, sizeof(text), "%d", (int)getpid());
    (void)(put("cpu.shares", "262144") || put("cpu.weight", "10000")); /* as its priority is */
    bool one = put("cpu.cfs_period_us", "20000") && put("cpu.cfs_quota_us", "4000");
    return (one || put("cpu.max", "4000 20000")) && put("cgroup.procs", text);
}

/* ---- timers ---- */

/* A clock that samples its cpu without a reader: the interrupt is all there is. */
static bool start_timers(void)
{
    struct perf_event_attr attr = {.size = sizeof(attr),
                                   .type = PERF_TYPE_SOFTWARE,
                                   .config = PERF_COUNT_SW_CPU_CLOCK,
                                   .sample_period = 20000};

    return syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC) >= 0;
}

/* ---- pages ---- */

static void touch_new_pages(void)
{
    char *pages =
        mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (pages == MAP_FAILED)
        exit(1);
    for (size_t i = 0; i < PAGES; i++)
        *(volatile char *)(pages + i * PAGE) = 1;
    munmap(pages, PAGES * PAGE);
    work(MS / 10);
}

/* Pages of the file that are not in memory, far from each other. */
static void touch_pages_of_the_disk(int file)
{
    static size_t at;
    char *pages = mmap(NULL, FILE_PAGES * PAGE, PROT_READ, MAP_SHARED, file, 0);

    if (pages == MAP_FAILED)
        exit(1);
    (void)madvise(pages, FILE_PAGES * PAGE, MADV_RANDOM);
    if (at % FILE_PAGES == 0)
        (void)posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
    for (size_t i = 0; i < 16; i++, at++)
        (void)*(volatile char *)(pages + at % FILE_PAGES * PAGE);
    munmap(pages, FILE_PAGES * PAGE);
}

static bool fill(int file)
{
    static const char page[PAGE] = {1};

    for (size_t i = 0; i < FILE_PAGES; i++) {
        if (write(file, page, PAGE) != PAGE)
            return false;
    }
    return fsync(file) == 0;
}

static bool wait_for_the_bell(void)
{
    struct epoll_event event;
    uint64_t count;

    return epoll_wait(bells, &event, 1, -1) == 1 &&
           read(bell, &count, sizeof(count)) == sizeof(count);
}

/* Has a lock in the middle of what it does. */
static bool is_of_a_lock(const char *kind)
{
    static const char *const kinds[] = {"lock", "stop", "spin", "workers", "io", "inverse"};

    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
        if (!strcmp(kind, kinds[i]))
            return true;
    }
    return false;
}

/* Tries for a while before it sleeps, as adaptive locks do. */
static void take_lock(int tries)
{
    while (tries-- > 0) {
        if (pthread_mutex_trylock(&lock) == 0)
            return;
    }
    pthread_mutex_lock(&lock);
}

static void step(const char *kind, int file)
{
    static char block[64 << 10];
    char c = 1;

    if (is_of_a_lock(kind)) {
        take_lock(!strcmp(kind, "spin") ? 1000 : 0);
        work(MS / 2);
        pthread_mutex_unlock(&lock);
        rest(MS / 20);
    } else if (!strcmp(kind, "epoll")) {
        if (write(questions[1], &c, 1) != 1 || !wait_for_the_bell())
            stop = 1;
    } else if (!strcmp(kind, "pipe") || !strcmp(kind, "chain")) {
        if (write(questions[1], &c, 1) != 1 || read(answers[0], &c, 1) != 1)
            stop = 1;
    } else if (!strcmp(kind, "fsync")) {
        if (write(file, block, sizeof(block)) < 0 || fsync(file) < 0)
            stop = 1;
    } else if (!strcmp(kind, "faults")) {
        touch_new_pages();
    } else if (!strcmp(kind, "major")) {
        touch_pages_of_the_disk(file);
    } else {
        work(2 * MS);
    }
}

/* What the victim needs before it begins. */
static bool prepare(const char *kind, int file)
{
    if (!strcmp(kind, "quota"))
        return enter_group();
    if (!strcmp(kind, "timers"))
        return start_timers();
    if (!strcmp(kind, "major"))
        return fill(file);
    return true;
}

/* The thread that is looked at: all that it does is of interest. */
static int victim(const char *kind, double seconds, int file)
{
    static const struct {
        const char *kind;
        void *(*run)(void *none);
    } others[] = {{"lock", holder},     {"stop", gc},           {"hog", hog},
                  {"pipe", peer},       {"spin", holder},       {"workers", holder1},
                  {"workers", holder2}, {"io", writer},         {"inverse", pinned_holder},
                  {"inverse", hog},     {"chain", first_relay}, {"chain", second_relay},
                  {"chain", root},      {"epoll", ringer}};
    uint64_t end = now(CLOCK_MONOTONIC) + (uint64_t)(seconds * 1e9);
    pthread_t thread;

    prctl(PR_SET_NAME, "victim");
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        if (!strcmp(others[i].kind, kind) && pthread_create(&thread, NULL, others[i].run, NULL))
            return 1;
    }
    while (now(CLOCK_MONOTONIC) < end && !stop)
        step(kind, file);
    return 0;
}

int main(int argc, char **argv)
{
    const char *kind = argc > 1 ? argv[1] : "clean";
    double seconds = atof(argc > 2 ? argv[2] : "1");
    int file = open("fault.tmp", O_CREAT | O_RDWR | O_TRUNC | O_CLOEXEC, 0600), status = 0;
    bool together = is_of_a_lock(kind) || !strcmp(kind, "pipe") || !strcmp(kind, "chain") ||
                    !strcmp(kind, "epoll");
    struct epoll_event event = {.events = EPOLLIN};

    bell = eventfd(0, EFD_CLOEXEC);
    bells = epoll_create1(EPOLL_CLOEXEC);
    disk = file;
    if (pipe(questions) < 0 || pipe(answers) < 0 || pipe(relays[0]) < 0 || pipe(relays[1]) < 0 ||
        file < 0 || epoll_ctl(bells, EPOLL_CTL_ADD, bell, &event) < 0)
        return 1;
    unlink("fault.tmp");
    (void)setpriority(PRIO_PROCESS, 0, -20); /* less of what else goes on here */
    if (!together)
        stay_on_a_cpu();
    if (!prepare(kind, file)) {
        fprintf(stderr, "%s: not allowed here: %s\n", kind, strerror(errno));
        leave_group();
        return NOT_ALLOWED;
    }
    pid_t child = fork();
    if (child == 0)
        _exit(victim(kind, seconds, file));
    if (child < 0 || waitpid(child, &status, 0) != child)
        status = 1;
    leave_group();
    return status != 0;
}
