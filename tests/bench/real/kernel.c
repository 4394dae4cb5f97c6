/*
 * The floor of recording the kernel: its rings read into memory every 100 ms, and nothing else;
 * what it costs to make packets of that; and the load under which both are measured: two pairs of
 * processes that pass a byte around.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "probes/ftrace/events.h"
#include "probes/ftrace/instance.h"
#include "probes/kernel/tracefs.h"
#include "sdk/base/defs.h"
#include "sdk/ftrace/translate.h"
#include "tests/bench/real/made.h"

#define PAIRS 2
#define CPUS_MAX 256
#define SUBBUF_KB 64
#define RING_KB 16384
#define TICK_US 100000
#define READS_MAX 4096
#define PASSES 20
#define KEPT_SIZE ((size_t)16 << 20)

static pid_t load[PAIRS];

/* Sub-buffers that were read, for real_translate_kernel(). */
static struct {
    uint8_t *data;
    size_t len, page_size;
} kept;

static void pass_bytes(int from, int to)
{
    char c = 'x';

    while (write(to, &c, 1) == 1 && read(from, &c, 1) == 1)
        ;
    _exit(0);
}

void real_load_start(void)
{
    fflush(NULL);
    for (unsigned i = 0; i < PAIRS; i++) {
        int a[2], b[2];

        load[i] = fork();
        if (load[i])
            continue;
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (pipe(a) < 0 || pipe(b) < 0)
            _exit(1);
        if (fork() == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            pass_bytes(a[0], b[1]);
        }
        pass_bytes(b[0], a[1]);
    }
}

void real_load_stop(void)
{
    for (unsigned i = 0; i < PAIRS; i++) {
        if (load[i] <= 0)
            continue;
        kill(load[i], SIGKILL);
        waitpid(load[i], NULL, 0);
    }
}

/* ---- reading ---- */

static void read_cpu(int fd, uint8_t *to, size_t size)
{
    for (unsigned i = 0; i < READS_MAX; i++) {
        uint32_t len;

        if (read(fd, to, size) != (ssize_t)size)
            break;
        memcpy(&len, to + 8, sizeof(len));
        if ((len & ORMA_TRACEFS_PAGE_LENGTH_MASK) < size / 2)
            break; /* to go on would chase the writer */
    }
}

/* What is in the rings when the measuring is over. */
static void keep_some(const int *fds, unsigned num, size_t size)
{
    kept.page_size = size;
    if (!kept.data && !(kept.data = malloc(KEPT_SIZE)))
        return;
    usleep(TICK_US);
    for (unsigned i = 0; i < num; i++) {
        while (KEPT_SIZE - kept.len >= size &&
               read(fds[i], kept.data + kept.len, size) == (ssize_t)size) {
            uint32_t len;

            memcpy(&len, kept.data + kept.len + 8, sizeof(len));
            kept.len += size;
            if ((len & ORMA_TRACEFS_PAGE_LENGTH_MASK) < size / 2)
                break;
        }
    }
}

static void set_up(const struct orma_tracefs *fs)
{
    char text[16];

    snprintf(text, sizeof(text), "%d", SUBBUF_KB);
    (void)orma_tracefs_write(fs, "buffer_subbuf_size_kb", text); /* older kernels have none */
    snprintf(text, sizeof(text), "%d", RING_KB);
    (void)orma_tracefs_write(fs, "buffer_size_kb", text);
    (void)orma_tracefs_write(fs, "events/sched/enable", "1");
    (void)orma_tracefs_write(fs, "events/irq/enable", "1");
    (void)orma_tracefs_write(fs, "events/raw_syscalls/enable", "1");
}

static double cpu_now(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static double drain(const struct orma_tracefs *fs, double seconds, uint64_t *ret_events)
{
    static uint8_t page[SUBBUF_KB * 1024];
    uint32_t cpus[CPUS_MAX];
    unsigned num = orma_tracefs_cpus(fs, cpus, CPUS_MAX);
    uint64_t kb = 0;
    int fds[CPUS_MAX];
    char path[64];

    kept.len = 0;
    if (!orma_tracefs_number(fs, "buffer_subbuf_size_kb", &kb) || kb > SUBBUF_KB)
        kb = 4;

    for (unsigned i = 0; i < num; i++) {
        snprintf(path, sizeof(path), "per_cpu/cpu%u/trace_pipe_raw", cpus[i]);
        fds[i] = openat(fs->dir_fd, path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    }
    double begun = cpu_now();
    for (int i = 0; i < (int)(seconds * 1e6 / TICK_US); i++) {
        usleep(TICK_US);
        for (unsigned cpu = 0; cpu < num; cpu++)
            read_cpu(fds[cpu], page, (size_t)kb * 1024);
    }
    double ret = cpu_now() - begun;
    keep_some(fds, num, (size_t)kb * 1024);
    *ret_events = 0;
    for (unsigned i = 0; i < num; i++) {
        struct orma_tracefs_cpu_stats stats;

        if (orma_tracefs_cpu_stats(fs, cpus[i], &stats) == 0)
            *ret_events += stats.read_events;
        close(fds[i]);
    }
    return ret;
}

const char *real_read_kernel(double seconds, double *ret_cpu_s, uint64_t *ret_events)
{
    char name[64], path[REAL_PATH_MAX], *root;
    struct orma_tracefs fs;

    if (geteuid() != 0 || orma_tracefs_find(NULL, &root) < 0)
        return "needs root, and tracefs";
    snprintf(name, sizeof(name), "orma_bench_%d", (int)getpid());
    snprintf(path, sizeof(path), "%s/instances/%s", root, name);
    bool good = mkdir(path, 0700) == 0 && orma_tracefs_open(&fs, root, name) == 0;
    free(root);
    if (!good)
        return "no instance of tracefs can be made";
    set_up(&fs);
    *ret_cpu_s = drain(&fs, seconds, ret_events);
    (void)orma_tracefs_write(&fs, "tracing_on", "0");
    orma_tracefs_close(&fs);
    for (int i = 0; i < 100 && rmdir(path) < 0; i++)
        usleep(20000);
    return NULL;
}

/* ---- packets ---- */

static int forget(struct orma_source_sink *self, const void *packet, size_t len)
{
    (void)self, (void)packet, (void)len;
    return 0;
}

/* Nanoseconds an event, of one pass over the pages. */
static double translate_kept(struct orma_ftrace_translate *t)
{
    struct orma_ftrace_translate_cpu cpu = {0};
    uint64_t before = t->counts.events;
    double begun = cpu_now();

    for (size_t at = 0; at < kept.len;) {
        size_t end = ORMA_MIN(at + ORMA_FTRACE_DRAIN_BATCH_SIZE, kept.len);

        orma_ftrace_translate_begin(t, 0, &cpu);
        for (; at < end; at += kept.page_size)
            orma_ftrace_translate_page(t, kept.data + at, kept.page_size);
        orma_ftrace_translate_end(t);
    }
    uint64_t events = t->counts.events - before;
    return events ? (cpu_now() - begun) * 1e9 / (double)events : 0;
}

double real_translate_kernel(bool compact)
{
    static const char *const names[] = {"sched/*", "irq/*", "raw_syscalls/*"};
    Perfetto__Protos__FtraceConfig config = PERFETTO__PROTOS__FTRACE_CONFIG__INIT;
    Perfetto__Protos__FtraceConfig__CompactSchedConfig sched =
        PERFETTO__PROTOS__FTRACE_CONFIG__COMPACT_SCHED_CONFIG__INIT;
    struct orma_source_sink sink = {.put = forget};
    struct orma_ftrace_generic_ids *ids = NULL;
    struct orma_ftrace_translate translate;
    struct orma_ftrace_events events = {0};
    struct orma_ftrace_bundle bundle;
    struct orma_tracefs fs;
    double best = 0;
    char *root;

    sched.has_enabled = 1;
    sched.enabled = compact;
    config.compact_sched = &sched;
    config.ftrace_events = (char **)names;
    config.n_ftrace_events = ORMA_ARRAY_LEN(names);
    if (!kept.len || orma_tracefs_find(NULL, &root) < 0)
        return 0;
    if (orma_tracefs_open(&fs, root, NULL) < 0 || orma_ftrace_translate_init(&translate) < 0 ||
        orma_ftrace_bundle_init(&bundle) < 0 || orma_ftrace_generic_ids_new(&ids) < 0 ||
        orma_ftrace_events_select(&events, &fs, &config) < 0 ||
        orma_ftrace_events_compile(&events, &fs, &config, 8, ids, &translate) < 0)
        return 0; /* no memory: the program ends soon */
    orma_tracefs_page_layout(&fs, &translate.page_layout);
    translate.bundle = &bundle;
    translate.sink = &sink;
    for (unsigned i = 0; i < PASSES; i++) {
        double ns = translate_kept(&translate);

        best = i ? ORMA_MIN(best, ns) : ns;
    }
    orma_ftrace_events_fini(&events);
    orma_ftrace_generic_ids_free(ids);
    orma_ftrace_bundle_fini(&bundle);
    orma_ftrace_translate_fini(&translate);
    orma_tracefs_close(&fs);
    free(root);
    return best;
}
