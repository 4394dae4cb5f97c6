/*
 * Draining the running kernel: CPU time of the drainer per event, of
 *
 *   raw     read() into memory, nothing else: no drainer can cost less
 *   floor   raw, and parsing and transcoding those same pages once more in memory
 *   ours    linux.ftrace up to its packets; and again under a smaller load
 *   trace-cmd record, if it is installed; less what it costs to start and stop
 *
 * under the same load (two pairs of processes that pass a byte through pipes)
 * with the same events, ring and sub-buffer size. Also how long it takes to
 * enable 300 events, and what a scan of 10,000 threads costs. Needs root. `bench_probes_live
 * [SECONDS]`.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "probes/core/source.h"
#include "probes/ftrace/instance.h"
#include "probes/ftrace/source.h"
#include "probes/process/stats.h"
#include "sdk/base/clock.h"
#include "sdk/base/log.h"

#define RING_KB 16384
#define PAIRS 2
#define KEPT_SIZE (24u << 20)
#define TICK_US 100000
#define CPUS_MAX 256
#define SKIP 77

static const char *const event_names[] = {"sched/*", "irq/*", "raw_syscalls/*"};

static struct {
    char *root, name[64], path[256], scratch[64];
    struct orma_tracefs fs;
    double seconds;
    pid_t load[PAIRS];
    unsigned pairs;
    uint64_t packets, bytes;
    uint8_t *kept; /* sub-buffers of the last raw run */
    size_t kept_len, subbuf_size;
} t;

static double now_cpu(clockid_t clock)
{
    struct timespec ts;

    clock_gettime(clock, &ts);
    return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

/* ---- load ---- */

static void pass_bytes(int from, int to)
{
    char c = 'x';

    for (unsigned i = 1; write(to, &c, 1) == 1 && read(from, &c, 1) == 1; i++) {
        if (t.pairs == 1 && i % 16 == 0)
            usleep(1); /* about 1.5 M events/s */
    }
    _exit(0);
}

static void start_load(void)
{
    fflush(NULL);
    for (unsigned i = 0; i < t.pairs; i++) {
        t.load[i] = fork();
        if (t.load[i])
            continue;
        int a[2], b[2];

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

static void stop_load(void)
{
    for (unsigned i = 0; i < t.pairs; i++) {
        if (t.load[i] <= 0)
            continue; /* there was no room for it: and -1 would mean everybody */
        kill(t.load[i], SIGKILL);
        waitpid(t.load[i], NULL, 0);
    }
}

/* ---- an instance ---- */

static bool make_instance(void)
{
    static unsigned serial;

    snprintf(t.name, sizeof(t.name), "orma_bench_%d_%u", (int)getpid(), serial++);
    snprintf(t.path, sizeof(t.path), "%s/instances/%s", t.root, t.name);
    return mkdir(t.path, 0700) == 0 && orma_tracefs_open(&t.fs, t.root, t.name) == 0;
}

static void remove_instance(void)
{
    orma_tracefs_close(&t.fs);
    for (int i = 0; i < 100 && rmdir(t.path) < 0 && errno == EBUSY; i++)
        usleep(20000);
}

struct counted {
    uint64_t read, lost;
};

static struct counted count_events(void)
{
    uint32_t cpus[CPUS_MAX];
    unsigned num = orma_tracefs_cpus(&t.fs, cpus, CPUS_MAX);
    struct counted ret = {0};
    struct orma_tracefs_cpu_stats stats;

    for (unsigned i = 0; i < num; i++) {
        if (orma_tracefs_cpu_stats(&t.fs, cpus[i], &stats) < 0)
            continue;
        ret.read += stats.read_events;
        ret.lost += stats.overrun + stats.dropped;
    }
    return ret;
}

static void print(const char *what, double cpu_ns, struct counted n, double floor)
{
    double per_event = n.read ? cpu_ns / (double)n.read : 0;

    printf("%-46s %8.2f %9.2f %9.2f M/s %9llu\n", what, per_event,
           floor > 0 ? per_event / floor : 1, (double)n.read / t.seconds / 1e6,
           (unsigned long long)n.lost);
}

/* ---- raw ---- */

/* Until a sub-buffer is less than half full, as any drainer must. */
static void read_cpu(int fd, uint8_t *to, size_t size)
{
    for (unsigned i = 0; i < 4096; i++) {
        ssize_t n = read(fd, to, size);
        uint32_t len;

        if (n != (ssize_t)size)
            break;
        if (KEPT_SIZE - t.kept_len >= size) {
            memcpy(t.kept + t.kept_len, to, size);
            t.kept_len += size;
        }
        memcpy(&len, to + 8, sizeof(len));
        if (i && (len & ORMA_TRACEFS_PAGE_LENGTH_MASK) < size / 2)
            break;
    }
}

static void write_number(const char *file, unsigned val)
{
    char text[16];

    snprintf(text, sizeof(text), "%u", val);
    orma_tracefs_write(&t.fs, file, text);
}

static double raw(unsigned subbuf_kb)
{
    uint32_t cpus[CPUS_MAX];
    unsigned num = orma_tracefs_cpus(&t.fs, cpus, CPUS_MAX);
    size_t size = (size_t)subbuf_kb * 1024;
    uint8_t *batch = malloc(size);
    int fds[CPUS_MAX];
    char path[64];

    t.kept_len = 0;
    t.subbuf_size = size;
    orma_tracefs_write(&t.fs, "tracing_on", "0");
    write_number("buffer_subbuf_size_kb", subbuf_kb);
    write_number("buffer_size_kb", RING_KB);
    for (size_t i = 0; i < ORMA_ARRAY_LEN(event_names); i++) {
        snprintf(path, sizeof(path), "events/%.*s/enable", (int)strlen(event_names[i]) - 2,
                 event_names[i]);
        orma_tracefs_write(&t.fs, path, "1");
    }
    for (unsigned i = 0; i < num; i++) {
        snprintf(path, sizeof(path), "per_cpu/cpu%u/trace_pipe_raw", cpus[i]);
        fds[i] = openat(t.fs.dir_fd, path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    }
    start_load();
    orma_tracefs_write(&t.fs, "tracing_on", "1");
    double begun = now_cpu(CLOCK_THREAD_CPUTIME_ID);
    for (int i = 0; i < (int)(t.seconds * 1e6 / TICK_US); i++) {
        usleep(TICK_US);
        for (unsigned cpu = 0; cpu < num; cpu++)
            read_cpu(fds[cpu], batch, size);
    }
    double ret = now_cpu(CLOCK_THREAD_CPUTIME_ID) - begun;
    orma_tracefs_write(&t.fs, "tracing_on", "0");
    stop_load();
    for (unsigned i = 0; i < num; i++)
        close(fds[i]);
    free(batch);
    return ret;
}

/* ---- ours ---- */

static int sink_put(struct orma_source_sink *self, const void *packet, size_t len)
{
    (void)self;
    (void)packet;
    t.packets++;
    t.bytes += len;
    return 0;
}

static void sink_flush(struct orma_source_sink *self)
{
    (void)self;
}

static void on_over(evutil_socket_t fd, short what, void *arg)
{
    (void)fd;
    (void)what;
    event_base_loopbreak(arg);
}

/* How many events of the kernel can be had, for start-up. */
static struct orma_source *make_source(struct orma_source_env *env, struct orma_source_sink *sink,
                                       char **events, size_t num)
{
    Perfetto__Protos__DataSourceConfig ds = PERFETTO__PROTOS__DATA_SOURCE_CONFIG__INIT;
    Perfetto__Protos__FtraceConfig config = PERFETTO__PROTOS__FTRACE_CONFIG__INIT;
    struct orma_source *s = NULL;

    config.instance_name = t.name;
    config.ftrace_events = events;
    config.n_ftrace_events = num;
    config.has_buffer_size_kb = config.has_drain_period_ms = 1;
    config.buffer_size_kb = RING_KB;
    config.drain_period_ms = TICK_US / 1000;
    ds.ftrace_config = &config;
    return orma_ftrace_source.create(env, &ds, sink, &s) < 0 ? NULL : s;
}

static struct orma_source_env new_env(void)
{
    struct orma_source_env env = {.base = event_base_new(),
                                  .tracefs_root = t.root,
                                  .proc_root = "/proc",
                                  .sys_root = "/sys",
                                  .dev_root = "/dev",
                                  .state_dir = t.scratch};
    return env;
}

static double ours(struct counted *ret_counted)
{
    const struct timeval span = {.tv_sec = (time_t)t.seconds,
                                 .tv_usec = (suseconds_t)((t.seconds - (int)t.seconds) * 1e6)};
    struct orma_source_sink sink = {sink_put, sink_flush};
    struct orma_source_env env = new_env();
    struct event *over = evtimer_new(env.base, on_over, env.base);
    orma_list_init(&env.sources);
    struct orma_source *s =
        make_source(&env, &sink, (char **)event_names, ORMA_ARRAY_LEN(event_names));

    t.packets = t.bytes = 0;
    start_load();
    s->type->start(s);
    evtimer_add(over, &span);
    double begun = now_cpu(CLOCK_THREAD_CPUTIME_ID);
    event_base_dispatch(env.base);
    double ret = now_cpu(CLOCK_THREAD_CPUTIME_ID) - begun;
    *ret_counted = count_events();
    stop_load();
    s->type->stop(s);
    s->type->free(s);
    event_free(over);
    event_base_free(env.base);
    return ret;
}

/* The same plans, over the pages that the raw run kept. Nanoseconds per event. */
static double transcode(void)
{
    Perfetto__Protos__FtraceConfig config = PERFETTO__PROTOS__FTRACE_CONFIG__INIT;
    struct orma_source_sink sink = {sink_put, sink_flush};
    struct orma_ftrace_generic_ids *ids = NULL;
    struct orma_ftrace_translate_cpu cpu = {0};
    struct orma_ftrace_translate translate;
    struct orma_ftrace_events events = {0};
    struct orma_ftrace_bundle bundle;
    double begun, ret = 0;

    config.ftrace_events = (char **)event_names;
    config.n_ftrace_events = ORMA_ARRAY_LEN(event_names);
    if (orma_ftrace_translate_init(&translate) < 0 || orma_ftrace_bundle_init(&bundle) < 0 ||
        orma_ftrace_generic_ids_new(&ids) < 0 ||
        orma_ftrace_events_select(&events, &t.fs, &config) < 0 ||
        orma_ftrace_events_compile(&events, &t.fs, &config, 8, ids, &translate) < 0)
        return 0;
    orma_tracefs_page_layout(&t.fs, &translate.page_layout);
    translate.bundle = &bundle;
    translate.sink = &sink;
    begun = now_cpu(CLOCK_THREAD_CPUTIME_ID);
    for (size_t at = 0; at < t.kept_len; at += t.subbuf_size) {
        if (at % ORMA_FTRACE_DRAIN_BATCH_SIZE == 0)
            orma_ftrace_translate_begin(&translate, 0, &cpu);
        orma_ftrace_translate_page(&translate, t.kept + at, t.subbuf_size);
        if ((at + t.subbuf_size) % ORMA_FTRACE_DRAIN_BATCH_SIZE == 0)
            orma_ftrace_translate_end(&translate);
    }
    orma_ftrace_translate_end(&translate);
    if (translate.counts.events)
        ret = (now_cpu(CLOCK_THREAD_CPUTIME_ID) - begun) / (double)translate.counts.events;
    orma_ftrace_translate_fini(&translate);
    orma_ftrace_bundle_fini(&bundle);
    orma_ftrace_events_fini(&events);
    orma_ftrace_generic_ids_free(ids);
    return ret;
}

/* ---- trace-cmd ---- */

/*
 * In a mount namespace of its own, where the files that some kernels refuse to
 * have written are only files: it would give up otherwise.
 */
static void hide_refused_files(void)
{
    static const char *const names[] = {"set_ftrace_filter",  "set_ftrace_notrace",
                                        "set_graph_function", "set_graph_notrace",
                                        "set_ftrace_pid",     "set_ftrace_notrace_pid"};
    char dummy[128], path[512];

    if (unshare(CLONE_NEWNS) < 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
        _exit(1);
    snprintf(dummy, sizeof(dummy), "%s/dummy", t.scratch);
    close(open(dummy, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    (void)mount(dummy, "/proc/sys/kernel/ftrace_enabled", NULL, MS_BIND, NULL);
    for (size_t i = 0; i < ORMA_ARRAY_LEN(names); i++) {
        snprintf(path, sizeof(path), "%s/%s", t.root, names[i]);
        (void)mount(dummy, path, NULL, MS_BIND, NULL); /* those that are there */
        snprintf(path, sizeof(path), "%s/%s", t.path, names[i]);
        (void)mount(dummy, path, NULL, MS_BIND, NULL);
    }
}

static double run_trace_cmd(double seconds)
{
    fflush(NULL);
    char out[128], span[32], ring[32];
    struct rusage usage;
    int status;
    pid_t pid = fork();

    if (pid == 0) {
        snprintf(out, sizeof(out), "%s/trace.dat", t.scratch);
        snprintf(span, sizeof(span), "%.1f", seconds);
        snprintf(ring, sizeof(ring), "%d", RING_KB);
        hide_refused_files();
        if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr))
            _exit(1);
        execlp("trace-cmd", "trace-cmd", "record", "-q", "-B", t.name, "-e", "sched", "-e", "irq",
               "-e", "raw_syscalls", "-b", ring, "-o", out, "sleep", span, (char *)NULL);
        _exit(127);
    }
    if (pid < 0 || wait4(pid, &status, 0, &usage) < 0 || !WIFEXITED(status) ||
        WEXITSTATUS(status) == 127)
        return -1;
    return ((double)usage.ru_utime.tv_sec + (double)usage.ru_stime.tv_sec) * 1e9 +
           ((double)usage.ru_utime.tv_usec + (double)usage.ru_stime.tv_usec) * 1e3;
}

static uint64_t count_lines(void)
{
    char command[200];
    unsigned long long num = 0;

    snprintf(command, sizeof(command), "trace-cmd report -i %s/trace.dat 2>/dev/null | wc -l",
             t.scratch);
    FILE *f = popen(command, "r");
    if (f && fscanf(f, "%llu", &num) != 1)
        num = 0;
    if (f)
        pclose(f);
    return num;
}

static void trace_cmd(double floor)
{
    const double usual = t.seconds;
    double idle, busy;
    struct counted n = {0};

    if (!make_instance())
        return;
    idle = run_trace_cmd(0.1);
    remove_instance();
    if (idle < 0 || !make_instance()) {
        printf("%-46s is not installed\n", "trace-cmd record");
        return;
    }
    t.seconds = ORMA_MIN(usual, 0.4); /* to count its events takes it twenty times as long */
    start_load();
    busy = run_trace_cmd(t.seconds);
    stop_load();
    remove_instance();
    n.read = count_lines();
    print("trace-cmd record, 4 KiB, start and stop left out", busy - idle, n, floor);
    t.seconds = usual;
}

/* ---- start-up ---- */

static void start_up(void)
{
    static char names[300][160];
    char *list[300], path[600];
    struct orma_source_sink sink = {sink_put, sink_flush};
    struct orma_source_env env = new_env();
    uint64_t begun, created, started, stopped;
    FILE *f;
    size_t num = 0;

    orma_list_init(&env.sources);
    snprintf(path, sizeof(path), "%s/available_events", t.root);
    f = fopen(path, "r");
    while (f && num < 300 && fgets(names[num], sizeof(names[num]), f)) {
        char *colon = strchr(names[num], ':');

        names[num][strcspn(names[num], "\n")] = '\0';
        if (!colon || !strncmp(names[num], "syscalls", 8))
            continue;
        *colon = '/';
        list[num] = names[num];
        num++;
    }
    if (f)
        fclose(f);
    if (!make_instance())
        return;
    begun = orma_clock_monotonic();
    struct orma_source *s = make_source(&env, &sink, list, num);
    created = orma_clock_monotonic();
    s->type->start(s);
    started = orma_clock_monotonic();
    s->type->stop(s);
    s->type->free(s);
    stopped = orma_clock_monotonic();
    printf("\nStart-up with %zu events: formats, ring and enabling %.1f ms, recording on %.1f ms; "
           "stop %.1f ms\n",
           num, (double)(created - begun) / 1e6, (double)(started - created) / 1e6,
           (double)(stopped - started) / 1e6);
    event_base_free(env.base);
    remove_instance();
}

/* ---- processes ---- */

#define THREADS 10000

static void *sleep_for_ever(void *arg)
{
    pause();
    return arg;
}

static pid_t start_threads(void)
{
    pthread_attr_t attr;
    pthread_t thread;
    int ready[2];
    char c;

    if (pipe(ready) < 0)
        return -1;
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        pthread_attr_init(&attr);
        pthread_attr_setstacksize(&attr, 32768);
        for (int i = 0; i < THREADS && pthread_create(&thread, &attr, sleep_for_ever, NULL) == 0;
             i++) {
        }
        if (write(ready[1], "x", 1) == 1)
            pause();
        _exit(0);
    }
    close(ready[1]);
    (void)!read(ready[0], &c, 1); /* or its end */
    close(ready[0]);
    return pid;
}

static struct {
    struct event *timer;
    uint64_t last_ns, worst_ns, last_bytes;
    unsigned idle;
    struct event_base *base;
} beat;

/* A timer among the source's own: how long is the loop busy in one go? CPU time, since others use
 * the machine, too. */
static void on_beat(evutil_socket_t fd, short what, void *arg)
{
    const struct timeval soon = {.tv_usec = 1000};
    uint64_t now = (uint64_t)now_cpu(CLOCK_THREAD_CPUTIME_ID);

    (void)fd;
    (void)what;
    (void)arg;
    beat.worst_ns = ORMA_MAX(beat.worst_ns, now - beat.last_ns);
    beat.last_ns = now;
    beat.idle = t.bytes == beat.last_bytes ? beat.idle + 1 : 0;
    beat.last_bytes = t.bytes;
    if (beat.idle > 200)
        event_base_loopbreak(beat.base);
    else
        evtimer_add(beat.timer, &soon);
}

static void scan_processes(void)
{
    Perfetto__Protos__DataSourceConfig ds = PERFETTO__PROTOS__DATA_SOURCE_CONFIG__INIT;
    Perfetto__Protos__ProcessStatsConfig config = PERFETTO__PROTOS__PROCESS_STATS_CONFIG__INIT;
    struct orma_source_sink sink = {sink_put, sink_flush};
    struct orma_source_env env = new_env();
    struct orma_source *s = NULL;
    pid_t threads = start_threads();

    orma_list_init(&env.sources);
    config.has_scan_all_processes_on_start = config.scan_all_processes_on_start = 1;
    config.has_record_thread_names = config.record_thread_names = 1;
    ds.process_stats_config = &config;
    t.bytes = t.packets = 0;
    if (orma_process_stats_source.create(&env, &ds, &sink, &s) == 0) {
        beat.base = env.base;
        beat.timer = evtimer_new(env.base, on_beat, NULL);
        beat.last_ns = (uint64_t)now_cpu(CLOCK_THREAD_CPUTIME_ID);
        double begun = now_cpu(CLOCK_THREAD_CPUTIME_ID);
        s->type->start(s);
        on_beat(-1, 0, NULL);
        event_base_dispatch(env.base);
        printf("Scan of %u threads: %.1f ms of CPU, %.0f bytes per thread; the loop was busy for "
               "%.1f ms at most\n",
               THREADS, (now_cpu(CLOCK_THREAD_CPUTIME_ID) - begun) / 1e6, (double)t.bytes / THREADS,
               (double)beat.worst_ns / 1e6);
        event_free(beat.timer);
        s->type->free(s);
    }
    event_base_free(env.base);
    if (threads > 0) {
        kill(threads, SIGKILL);
        waitpid(threads, NULL, 0);
    }
}

int main(int argc, char **argv)
{
    static const unsigned sizes[] = {4, 64};
    double floors[2] = {0};
    char what[80];
    struct counted n;

    orma_log_init("bench", ORMA_LOG_ERROR);
    t.seconds = argc > 1 ? atof(argv[1]) : 1;
    strcpy(t.scratch, "/tmp/orma-bench-XXXXXX");
    setlinebuf(stdout);
    if (geteuid() != 0 || orma_tracefs_find(NULL, &t.root) < 0 || !mkdtemp(t.scratch)) {
        puts("skipped: needs root and tracefs");
        return SKIP;
    }
    t.pairs = PAIRS;
    t.kept = malloc(KEPT_SIZE);
    if (!t.kept)
        return 1;
    printf("\n%-46s %8s %9s %13s %9s\n", "CPU of the drainer", "ns/event", "ratio", "events",
           "lost");
    for (size_t i = 0; i < ORMA_ARRAY_LEN(sizes); i++) {
        if (!make_instance())
            return 1;
        double cpu = raw(sizes[i]);
        n = count_events();
        floors[i] = n.read ? cpu / (double)n.read : 0;
        snprintf(what, sizeof(what), "read() into memory, %u KiB sub-buffers", sizes[i]);
        print(what, cpu, n, floors[i]);
        if (i == 1) {
            floors[1] += transcode();
            n.lost = 0;
            print("the same, parsed and transcoded once more: floor", floors[1] * (double)n.read, n,
                  floors[1]);
        }
        remove_instance();
    }
    if (make_instance()) {
        double cpu = ours(&n);

        print("linux.ftrace to packets, 64 KiB sub-buffers", cpu, n, floors[1]);
        printf("    %.2f bytes per event, %llu packets\n", (double)t.bytes / (double)n.read,
               (unsigned long long)t.packets);
        remove_instance();
    }
    trace_cmd(floors[0]);
    t.pairs = 1;
    if (make_instance()) {
        double cpu = ours(&n);

        print("linux.ftrace again, under a smaller load", cpu, n, floors[1]);
        remove_instance();
    }
    start_up();
    scan_processes();
    snprintf(what, sizeof(what), "rm -rf %s", t.scratch);
    if (system(what) != 0)
        puts("cannot clean up");
    free(t.root);
    free(t.kept);
    return 0;
}
