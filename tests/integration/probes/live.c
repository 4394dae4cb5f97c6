/*
 * linux.ftrace on the running kernel, each test in a tracing instance of its own:
 *
 *   complete     every event that the kernel counted is a row, or was reported lost, per cpu
 *   two          concurrent sessions get exactly their events
 *   probes       uprobes and static probe points of this very program
 *   only         set_event_pid, tracing_cpumask and the kernel's filters
 *   names        kernel addresses become numbers and names; another clock says how it relates
 *   killed       what a killed process left is put back
 *   watermark    buffer_percent: nobody wakes up while nothing happens
 *
 * `live [TEST [SECONDS]]`. Skips (77) without the rights.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "probes/ftrace/instance.h"
#include "probes/ftrace/saved.h"
#include "probes/ftrace/source.h"
#include "protos/fields/ftrace.h"
#include "protos/fields/trace.h"
#include "sdk/base/log.h"
#include "sdk/wire/pb_reader.h"
#include "tests/integration/probes/probe_site.h"
#include "tests/integration/probes/workload.h"
#include "tests/support/ftrace_decode.h"
#include "tests/support/probes_fixture.h"

#define SKIP 77
#define CPUS_MAX 512
#define TRIES 3

typedef Perfetto__Protos__FtraceConfig Config;

static struct {
    struct pf pf;
    char *root;
    char name[64], path[256];
    const char *fake_root; /* the fixture's own, to be freed by it */
    unsigned seconds;
} t;

#define FAIL(...)                                                                                  \
    do {                                                                                           \
        printf("    ");                                                                            \
        printf(__VA_ARGS__);                                                                       \
        printf("\n");                                                                              \
        return false;                                                                              \
    } while (0)

static bool begin(void)
{
    static unsigned serial;

    snprintf(t.name, sizeof(t.name), "orma_live_%d_%u", (int)getpid(), serial++);
    snprintf(t.path, sizeof(t.path), "%s/instances/%s", t.root, t.name);
    if (mkdir(t.path, 0700) < 0)
        FAIL("mkdir %s: %s", t.path, strerror(errno));
    pf_init(&t.pf);
    t.fake_root = t.pf.env.tracefs_root;
    t.pf.env.tracefs_root = t.root;
    free((char *)t.pf.env.proc_root);
    t.pf.env.proc_root = strdup("/proc");
    return true;
}

static void end(void)
{
    t.pf.env.tracefs_root = t.fake_root;
    pf_fini(&t.pf);
    for (int i = 0; i < 100 && rmdir(t.path) < 0 && errno == EBUSY; i++)
        usleep(20000);
}

static const char *read_control(const char *file)
{
    static char text[4096];
    char path[512];
    ssize_t n = 0;

    snprintf(path, sizeof(path), "%s/%s", t.path, file);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        n = read(fd, text, sizeof(text) - 1);
        close(fd);
    }
    text[n > 0 ? n : 0] = '\0';
    text[strcspn(text, "\n")] = '\0';
    return text;
}

static struct orma_source *session_to(struct orma_source_sink *sink, Config *config,
                                      const char *const *events, size_t num)
{
    Perfetto__Protos__DataSourceConfig ds = PERFETTO__PROTOS__DATA_SOURCE_CONFIG__INIT;

    config->instance_name = t.name;
    config->ftrace_events = (char **)events; /* not written to */
    config->n_ftrace_events = num;
    ds.ftrace_config = config;
    struct orma_source *s = NULL;
    if (orma_ftrace_source.create(&t.pf.env, &ds, sink, &s) < 0)
        abort();
    s->owner = &t.pf;
    orma_list_insert(&t.pf.env.sources, &s->link);
    return s;
}

static struct orma_source *session(Config *config, const char *const *events, size_t num)
{
    return session_to(&t.pf.sink, config, events, num);
}

/* ---- what came ---- */

struct counts {
    uint64_t rows[CPUS_MAX], entries[CPUS_MAX], read[CPUS_MAX], lost[CPUS_MAX];
    uint64_t errors, malformed;
    unsigned cpus;
    void (*event)(const struct ft_event *ev);
};

static struct counts counts;

static void on_event(void *ctx, const struct ft_event *ev)
{
    (void)ctx;
    if (ev->cpu < CPUS_MAX)
        counts.rows[ev->cpu]++;
    if (counts.event)
        counts.event(ev);
}

static void take_cpu(struct orma_pb_reader r)
{
    uint64_t vals[16] = {0};
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        if (f.id < ORMA_ARRAY_LEN(vals))
            vals[f.id] = f.num;
    }
    uint64_t cpu = vals[ORMA_PB_FTRACE_CPU_STATS_CPU];
    if (cpu >= CPUS_MAX)
        return;
    counts.cpus = ORMA_MAX(counts.cpus, (unsigned)cpu + 1);
    counts.entries[cpu] = vals[ORMA_PB_FTRACE_CPU_STATS_ENTRIES];
    counts.read[cpu] = vals[ORMA_PB_FTRACE_CPU_STATS_READ_EVENTS];
    counts.lost[cpu] = vals[ORMA_PB_FTRACE_CPU_STATS_OVERRUN] +
                       vals[ORMA_PB_FTRACE_CPU_STATS_COMMIT_OVERRUN] +
                       vals[ORMA_PB_FTRACE_CPU_STATS_DROPPED_EVENTS];
}

/* The statistics of the end, of which the last ones count. */
static void take_stats(struct orma_pb_reader r)
{
    struct orma_pb_reader again = r;
    struct orma_pb_field f;
    bool is_end = false;

    while (orma_pb_next(&r, &f))
        is_end |= f.id == ORMA_PB_FTRACE_STATS_PHASE && f.num == ORMA_PB_FTRACE_STATS_END_OF_TRACE;
    while (is_end && orma_pb_next(&again, &f)) {
        if (f.id == ORMA_PB_FTRACE_STATS_CPU_STATS)
            take_cpu(orma_pb_sub(&f));
    }
}

/* Of the packets from `from` on. */
static void count(void (*event)(const struct ft_event *ev))
{
    memset(&counts, 0, sizeof(counts));
    counts.event = event;
    for (size_t i = 0; i < t.pf.packets_num; i++) {
        struct orma_str packet = t.pf.packets[i];
        struct ft_bundle b = ft_decode(packet.data, packet.len, NULL, on_event, NULL);
        struct orma_pb_reader r = orma_pb_reader(packet.data, packet.len);
        struct orma_pb_field f;

        counts.errors += b.errors_num;
        counts.malformed += b.malformed;
        while (!b.is_bundle && orma_pb_next(&r, &f)) {
            if (f.id == ORMA_PB_TRACE_PACKET_FTRACE_STATS)
                take_stats(orma_pb_sub(&f));
        }
    }
}

/* ---- load ---- */

static void *ping(void *arg)
{
    int *fds = arg;
    char c;

    while (read(fds[0], &c, 1) == 1 && write(fds[1], &c, 1) == 1) {
    }
    return NULL;
}

/* A child that keeps both ends of two pipes and everything else busy until killed. */
static pid_t start_load(void)
{
    pid_t pid = fork();

    if (pid)
        return pid;
    int a[2], b[2], ends[2][2];
    pthread_t threads[2];
    char dir[] = "/tmp/orma-live-XXXXXX";

    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* however the test ends */
    if (pipe(a) < 0 || pipe(b) < 0 || !mkdtemp(dir))
        _exit(1);
    ends[0][0] = a[0];
    ends[0][1] = b[1];
    ends[1][0] = b[0];
    ends[1][1] = a[1];
    pthread_create(&threads[0], NULL, ping, ends[0]);
    pthread_create(&threads[1], NULL, ping, ends[1]);
    if (write(a[1], "x", 1) != 1)
        _exit(1);
    for (;;)
        workload_round(dir);
}

static void stop_load(pid_t pid)
{
    if (pid <= 0)
        return;          /* there was no room for it: and -1 would mean everybody */
    kill(-pid, SIGKILL); /* a group of our own children */
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

/* ---- tests ---- */

static bool check_complete(void)
{
    uint64_t rows = 0, lost = 0;

    count(NULL);
    if (!counts.cpus || counts.malformed || counts.errors)
        FAIL("cpus %u, malformed packets %" PRIu64 ", errors %" PRIu64, counts.cpus,
             counts.malformed, counts.errors);
    for (unsigned cpu = 0; cpu < counts.cpus; cpu++) {
        printf("    cpu%u: kernel read %" PRIu64 " + left %" PRIu64 " + lost %" PRIu64
               ", rows %" PRIu64 "\n",
               cpu, counts.read[cpu], counts.entries[cpu], counts.lost[cpu], counts.rows[cpu]);
        if (counts.rows[cpu] != counts.read[cpu] || counts.entries[cpu])
            FAIL("cpu%u is not complete", cpu);
        rows += counts.rows[cpu];
        lost += counts.lost[cpu];
    }
    if (rows < 1000)
        FAIL("only %" PRIu64 " events: no load?", rows);
    printf("    %" PRIu64 " rows, %" PRIu64 " lost and reported\n", rows, lost);
    return true;
}

static bool test_complete(void)
{
    static const char *const groups[] = {"sched/*",     "irq/*",    "raw_syscalls/*", "syscalls/*",
                                         "timer/*",     "power/*",  "kmem/*",         "block/*",
                                         "workqueue/*", "signal/*", "task/*"};
    Config config = PERFETTO__PROTOS__FTRACE_CONFIG__INIT;

    config.has_buffer_size_kb = config.has_drain_period_ms = 1;
    config.buffer_size_kb = 16384;
    config.drain_period_ms = 100;
    struct orma_source *s = session(&config, groups, ORMA_ARRAY_LEN(groups));
    pid_t load = start_load();
    s->type->start(s);
    pf_run(&t.pf, NULL, t.seconds * 1000);
    s->type->flush(s, 1);
    pf_run(&t.pf, NULL, 50);
    s->type->stop(s); /* while the load goes on */
    stop_load(load);
    bool ok = check_complete();
    pf_free_source(&t.pf, s);
    return ok;
}

static unsigned got[2], strangers;

static void on_first(const struct ft_event *ev)
{
    bool is_mine = !strcmp(ev->name, "sched_switch") || !strcmp(ev->name, "sched_waking");

    got[0] += is_mine;
    strangers += !is_mine;
}

static void on_second(const struct ft_event *ev)
{
    bool is_mine = !strcmp(ev->name, "sched_waking") || !strcmp(ev->name, "task_newtask");

    got[1] += is_mine;
    strangers += !is_mine;
}

struct tagged_sink {
    struct orma_source_sink sink;
    struct orma_buf all; /* length, packet; ... */
};

static int tagged_put(struct orma_source_sink *self, const void *packet, size_t len)
{
    struct tagged_sink *to = ORMA_CONTAINER_OF(self, struct tagged_sink, sink);

    orma_buf_put(&to->all, &len, sizeof(len));
    orma_buf_put(&to->all, packet, len);
    return to->all.failed ? -ENOMEM : 0;
}

static void tagged_flush(struct orma_source_sink *self)
{
    (void)self;
}

static void decode_tagged(struct tagged_sink *from, void (*event)(const struct ft_event *ev))
{
    size_t at = 0, len;

    counts = (struct counts){.event = event};
    while (from->all.len - at >= sizeof(len)) {
        memcpy(&len, from->all.data + at, sizeof(len));
        (void)ft_decode(from->all.data + at + sizeof(len), len, NULL, on_event, NULL);
        at += sizeof(len) + len;
    }
    orma_buf_fini(&from->all);
}

static bool test_two(void)
{
    static const char *const first[] = {"sched/sched_switch", "sched/sched_waking"};
    static const char *const second[] = {"sched/sched_waking", "task/task_newtask"};
    struct tagged_sink sinks[2] = {{.sink = {tagged_put, tagged_flush}},
                                   {.sink = {tagged_put, tagged_flush}}};
    Config a = PERFETTO__PROTOS__FTRACE_CONFIG__INIT, b = a;
    struct orma_source *s[2];

    s[0] = session_to(&sinks[0].sink, &a, first, 2);
    s[1] = session_to(&sinks[1].sink, &b, second, 2);
    pid_t load = start_load();
    s[0]->type->start(s[0]);
    pf_run(&t.pf, NULL, 200);
    s[1]->type->start(s[1]);
    pf_run(&t.pf, NULL, 500);
    s[0]->type->stop(s[0]);
    pf_free_source(&t.pf, s[0]);
    pf_run(&t.pf, NULL, 300);
    s[1]->type->stop(s[1]);
    pf_free_source(&t.pf, s[1]);
    stop_load(load);
    got[0] = got[1] = strangers = 0;
    decode_tagged(&sinks[0], on_first);
    decode_tagged(&sinks[1], on_second);
    printf("    first %u, second %u, of others %u\n", got[0], got[1], strangers);
    return got[0] > 100 && got[1] > 100 && !strangers;
}

static unsigned hits[4];
static uint64_t sum_of_args;

static void on_probe(const struct ft_event *ev)
{
    const struct ft_field *arg = ft_find(ev, "arg1");

    if (!strncmp(ev->name, "probes_live_probe_site_called", 20) &&
        !strcmp(ev->group, "orma_uprobes"))
        hits[0]++;
    else if (!strcmp(ev->group, "orma_uretprobes"))
        hits[1]++;
    else if (!strcmp(ev->group, "orma_usdt"))
        hits[2]++;
    else
        hits[3]++;
    if (!strcmp(ev->group, "orma_usdt") && arg)
        sum_of_args += arg->num;
}

static bool test_probes(void)
{
    char self[200], specs[3][300];
    const char *events[] = {specs[0], specs[1], specs[2]};
    Config config = PERFETTO__PROTOS__FTRACE_CONFIG__INIT;
    ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);
    bool has_usdt = PROBE_SITE_HAS_USDT;

    if (len <= 0)
        FAIL("/proc/self/exe: %s", strerror(errno));
    self[len] = '\0';
    snprintf(specs[0], sizeof(specs[0]), "uprobe:%s:probe_site_called", self);
    snprintf(specs[1], sizeof(specs[1]), "uretprobe:%s:probe_site_called", self);
    snprintf(specs[2], sizeof(specs[2]), "usdt:%s:orma_test:passed", self);
    memset(hits, 0, sizeof(hits));
    sum_of_args = 0;
    struct orma_source *s = session(&config, events, has_usdt ? 3 : 2);
    s->type->start(s);
    for (int i = 1; i <= 100; i++)
        probe_site_called(i);
    s->type->stop(s);
    count(on_probe);
    pf_free_source(&t.pf, s);
    printf("    uprobe %u, uretprobe %u, usdt %u (arguments: sum %" PRIu64 "), others %u\n",
           hits[0], hits[1], hits[2], sum_of_args, hits[3]);
    char path[512];
    snprintf(path, sizeof(path), "%s/events/orma_uprobes", t.root);
    if (access(path, F_OK) == 0)
        FAIL("the probes are still there");
    return hits[0] == 100 && hits[1] == 100 && !hits[3] &&
           (!has_usdt || (hits[2] == 100 && sum_of_args == 5050));
}

static uint32_t wanted_pid;
static unsigned of_pid, of_others;

static void on_pid(const struct ft_event *ev)
{
    if (ev->pid == wanted_pid)
        of_pid++;
    else
        of_others++;
}

static bool only_mine(Config *config, const char *event)
{
    struct orma_source *s = session(config, &event, 1);

    of_pid = of_others = 0;
    wanted_pid = (uint32_t)syscall(SYS_gettid);
    s->type->start(s);
    pid_t load = start_load();
    for (int i = 0; i < 50; i++)
        usleep(1000);
    s->type->stop(s);
    stop_load(load);
    count(on_pid);
    pf_free_source(&t.pf, s);
    printf("    %s: mine %u, of others %u\n", event, of_pid, of_others);
    return of_pid > 10 && !of_others;
}

static unsigned on_cpus[2];

static void on_cpu(const struct ft_event *ev)
{
    on_cpus[ev->cpu != 0]++;
}

static bool only_cpu0(void)
{
    const char *events[] = {"sched/*"};
    Config config = PERFETTO__PROTOS__FTRACE_CONFIG__INIT;

    config.tracing_cpumask = (char[]){"1"};
    struct orma_source *s = session(&config, events, 1);
    pid_t load = start_load();
    s->type->start(s);
    for (int i = 0; i < 100 && !on_cpus[0]; i++) {
        pf_run(&t.pf, NULL, 200);
        on_cpus[0] = on_cpus[1] = 0;
        count(on_cpu);
    }
    s->type->stop(s);
    stop_load(load);
    pf_free_source(&t.pf, s);
    printf("    tracing_cpumask 1: on cpu0 %u, on others %u\n", on_cpus[0], on_cpus[1]);
    return on_cpus[0] && !on_cpus[1];
}

static bool test_only(void)
{
    uint32_t tid = (uint32_t)syscall(SYS_gettid);
    Config config = PERFETTO__PROTOS__FTRACE_CONFIG__INIT;
    char filtered[100];
    bool ok;

    config.tids_to_trace = &tid;
    config.n_tids_to_trace = 1;
    ok = only_mine(&config, "raw_syscalls/sys_enter");
    if (read_control("set_event_pid")[0])
        FAIL("set_event_pid still says '%s'", read_control("set_event_pid"));
    pf_forget_packets(&t.pf);
    snprintf(filtered, sizeof(filtered), "raw_syscalls/sys_enter if common_pid == %u", tid);
    config.n_tids_to_trace = 0;
    ok = only_mine(&config, filtered) && ok;
    if (strcmp(read_control("events/raw_syscalls/sys_enter/filter"), "none"))
        FAIL("the filter is still there");
    pf_forget_packets(&t.pf);
    return ok && only_cpu0();
}

static unsigned functions, raw_addresses;

static void on_function(const struct ft_event *ev)
{
    const struct ft_field *f = ft_find(ev, "function");

    functions += f && f->num;
    raw_addresses += f && f->num > UINT32_MAX;
}

static bool test_names(void)
{
    const char *events[] = {"workqueue/workqueue_execute_start"};
    Config config = PERFETTO__PROTOS__FTRACE_CONFIG__INIT;
    struct ft_symbols symbols = {0};
    unsigned named = 0, clocks = 0;

    config.has_symbolize_ksyms = config.symbolize_ksyms = 1;
    config.has_use_monotonic_raw_clock = config.use_monotonic_raw_clock = 1;
    struct orma_source *s = session(&config, events, 1);
    pid_t load = start_load();
    s->type->start(s);
    for (int i = 0; i < 200 && functions < 10; i++) {
        pf_run(&t.pf, NULL, 100);
        functions = raw_addresses = 0;
        count(on_function);
    }
    s->type->stop(s);
    stop_load(load);
    for (size_t i = 0; i < t.pf.packets_num; i++) {
        struct ft_bundle b =
            ft_decode(t.pf.packets[i].data, t.pf.packets[i].len, &symbols, NULL, NULL);

        clocks +=
            b.is_bundle && b.clock == ORMA_PB_FTRACE_CLOCK_MONO_RAW && b.ftrace_ts && b.boot_ts;
    }
    named = (unsigned)symbols.names.len;
    ft_symbols_fini(&symbols);
    pf_free_source(&t.pf, s);
    printf("    functions %u, raw addresses %u, names %u, bundles with both clocks %u\n", functions,
           raw_addresses, named, clocks);
    return functions >= 10 && !raw_addresses && named && clocks;
}

/* In a child: sets everything up and is killed in the middle of it. */
static void die_while_recording(void)
{
    static char uprobe[300];
    char self[200];
    ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);
    const char *events[] = {"sched/sched_switch", uprobe};
    Config config = PERFETTO__PROTOS__FTRACE_CONFIG__INIT;

    self[len > 0 ? len : 0] = '\0';
    snprintf(uprobe, sizeof(uprobe), "uprobe:%s:probe_site_called", self);
    config.tracing_cpumask = (char[]){"1"};
    struct orma_source *s = session(&config, events, 2);
    s->type->start(s);
    raise(SIGKILL);
}

static bool test_killed(void)
{
    static const char *const files[] = {"buffer_size_kb", "buffer_subbuf_size_kb",
                                        "trace_clock",    "tracing_cpumask",
                                        "tracing_on",     "buffer_percent"};
    char before[ORMA_ARRAY_LEN(files)][200], path[512];
    struct orma_tracefs fs;
    bool ok = true;

    if (orma_tracefs_open(&fs, t.root, t.name) < 0)
        FAIL("cannot open the instance");
    orma_tracefs_write(&fs, "buffer_size_kb", "640"); /* not the default */
    orma_tracefs_close(&fs);
    for (size_t i = 0; i < ORMA_ARRAY_LEN(files); i++)
        snprintf(before[i], sizeof(before[i]), "%s", read_control(files[i]));
    pid_t pid = fork();
    if (pid == 0)
        die_while_recording();
    waitpid(pid, NULL, 0);
    if (!strcmp(read_control("trace_clock"), before[2]))
        FAIL("the child changed nothing");
    unsigned num = orma_ftrace_saved_recover(t.pf.env.state_dir);
    printf("    put back: %u\n", num);
    for (size_t i = 0; i < ORMA_ARRAY_LEN(files); i++) {
        const char *now = read_control(files[i]);

        if (strcmp(now, before[i])) {
            printf("    %s: was '%s', is '%s'\n", files[i], before[i], now);
            ok = false;
        }
    }
    snprintf(path, sizeof(path), "%s/events/orma_uprobes", t.root);
    return ok && num == 1 && read_control("events/enable")[0] == '0' && access(path, F_OK) < 0;
}

static bool test_watermark(void)
{
    const char *events[] = {"ftrace/print"};
    Config config = PERFETTO__PROTOS__FTRACE_CONFIG__INIT;
    struct rusage before, after;
    char path[512];

    config.has_drain_buffer_percent = 1;
    config.drain_buffer_percent = 50;
    struct orma_source *s = session(&config, events, 1);
    s->type->start(s);
    if (strcmp(read_control("buffer_percent"), "50"))
        FAIL("buffer_percent is '%s'", read_control("buffer_percent"));
    pf_run(&t.pf, NULL, 300);
    getrusage(RUSAGE_SELF, &before);
    pf_run(&t.pf, NULL, 2000);
    getrusage(RUSAGE_SELF, &after);
    long wakeups = after.ru_nvcsw - before.ru_nvcsw;
    snprintf(path, sizeof(path), "%s/trace_marker", t.path);
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0 || write(fd, "I|1|hello", 9) != 9)
        FAIL("%s: %s", path, strerror(errno));
    close(fd);
    s->type->flush(s, 1);
    count(NULL);
    uint64_t rows = 0;
    for (unsigned cpu = 0; cpu < CPUS_MAX; cpu++)
        rows += counts.rows[cpu];
    s->type->stop(s);
    pf_free_source(&t.pf, s);
    printf("    wake-ups in 2 idle seconds: %ld; a flush finds %" PRIu64 " events\n", wakeups,
           rows);
    return rows == 1; /* the number of wake-ups is for people: a busy machine preempts */
}

static const struct {
    const char *name;
    bool (*fn)(void);
    bool needs_uprobes;
} tests[] = {
    {"complete", test_complete, false},   {"two", test_two, false},
    {"probes", test_probes, true},        {"only", test_only, false},
    {"names", test_names, false},         {"killed", test_killed, true},
    {"watermark", test_watermark, false},
};

static bool run(size_t idx)
{
    bool ok = false;

    /* Others may use tracefs at the same time: a private instance is not all there is. */
    for (int i = 0; i < TRIES && !ok; i++) {
        if (!begin())
            return false;
        ok = tests[idx].fn();
        end();
        printf("%s %s\n", ok ? "ok  " : "FAIL", tests[idx].name);
        fflush(stdout);
    }
    return ok;
}

int main(int argc, char **argv)
{
    char path[300];
    bool ok = true;
    int r = orma_tracefs_find(NULL, &t.root);

    setlinebuf(stdout);
    orma_log_init("live", ORMA_LOG_WARN);
    if (r == -ENOENT && geteuid() == 0 &&
        mount("nodev", "/sys/kernel/tracing", "tracefs", 0, NULL) == 0)
        r = orma_tracefs_find(NULL, &t.root);
    if (r < 0 || geteuid() != 0) {
        printf("skipped: no right to use tracefs\n");
        free(t.root);
        return SKIP;
    }
    t.seconds = argc > 2 ? (unsigned)atoi(argv[2]) : 2;
    snprintf(path, sizeof(path), "%s/uprobe_events", t.root);
    for (size_t i = 0; i < ORMA_ARRAY_LEN(tests); i++) {
        if (argc > 1 && strcmp(argv[1], tests[i].name))
            continue;
        if (tests[i].needs_uprobes && access(path, W_OK) < 0)
            printf("skip %s: this kernel has no uprobes\n", tests[i].name);
        else
            ok = run(i) && ok;
    }
    free(t.root);
    return !ok;
}
