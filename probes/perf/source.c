/*
 * linux.perf: samples of what the cpus, or some processes, do, with call stacks, and counters.
 *
 * A ring per cpu (ring.h) as the config asks (plan.h). At each period all rings are emptied, in
 * the order of time over all of them: a FORK on one cpu comes before the samples of the child on
 * another. So records of the last moments stay until the next round, as an older one may still be
 * on its way. The worker (worker.h) makes packets of them (encode.h): it takes them itself, and we
 * come by a moment later. If it has not come to the end, we save them from the rings in slices. A
 * flush is answered when the worker has done all of a round that began after it.
 */
#include "probes/perf/source.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "probes/perf/allowed.h"
#include "probes/perf/blocked.h"
#include "probes/perf/cpus.h"
#include "probes/perf/encode.h"
#include "probes/perf/tasks.h"
#include "probes/perf/worker.h"
#include "sdk/base/clock.h"
#include "sdk/base/fd.h"
#include "sdk/base/log.h"

#define NAME "linux.perf"
#define LOOK_AT_ONCE_NS UINT64_C(4000000) /* so much later a wait is worth a look */
#define BLOCKED_LOOKS_MAX 64u
#define CHECK_EVERY 16               /* records between two looks at the clock */
#define SETTLED_NS UINT64_C(5000000) /* that old, no older record comes any more */
#define WORKER_MS 10u                /* that the worker has for a round */
#define MARK_STOP UINT64_MAX
#define RETURNS_MAX 128u /* of cpus: rings that are opened late */

struct perf {
    struct orma_source source;
    struct orma_perf_plan plan, switches;
    struct orma_perf_processes processes;
    struct orma_perf_encoder encoder;
    struct orma_perf_rings rings;
    size_t rings_max;
    struct orma_perf_cpus cpus; /* that were online in the round before */
    struct orma_perf_worker *worker;
    struct event *packets; /* the worker has made some */
    uint64_t until;        /* of this round: records up to this time */
    struct event *timer, *clear_timer;
    struct orma_buf flushes;  /* u64 ids: to be answered at the end of this round ... */
    struct orma_buf flushes2; /* ... and of the next */
    bool in_round, stopping, stopped, without_kernel;
    bool sees_cpus, tells_no_more;
};

static struct perf *perf_of(struct orma_source *source)
{
    return ORMA_CONTAINER_OF(source, struct perf, source);
}

static void arm(struct event *timer, uint32_t ms)
{
    const struct timeval tv = {.tv_sec = ms / 1000, .tv_usec = ms % 1000 * 1000};

    (void)evtimer_add(timer, &tv); /* fails for bad arguments only */
}

/* ---- cpus that come and go ---- */

static bool is_target(const struct orma_perf_plan *plan, uint32_t cpu)
{
    for (size_t i = 0; i < plan->cpus_num; i++) {
        if (plan->cpus[i] == cpu)
            return true;
    }
    return !plan->cpus;
}

static int open_switches(struct perf *self, const struct orma_perf_tasks *tasks, uint32_t cpu)
{
    struct orma_perf_ring *ring = &self->rings.all[self->rings.num];
    int r = orma_perf_ring_open(ring, &self->switches, cpu, tasks->tids, tasks->num);

    if (r < 0)
        return r;
    ring->switches = true;
    self->rings.num++;
    return 0;
}

static void tell_return(struct perf *self, uint32_t cpu, int r)
{
    if (r == 0)
        orma_log_warn(NAME ": cpu %u came online: its first %u ms are missing", cpu,
                      self->plan.read_period_ms);
    else if (!self->tells_no_more)
        orma_log_warn(NAME ": cpu %u came online and is not watched: %s", cpu,
                      r == -ENOSPC ? "cpus went and came back too often" : strerror(-r));
    self->tells_no_more |= r < 0;
}

/* Behind the others: whoever looks into those keeps their places. */
static int open_late(struct perf *self, uint32_t cpu)
{
    struct orma_perf_ring ring, switches;
    size_t num = 1;

    if (self->rings.num + 2 > self->rings_max)
        return -ENOSPC;
    int r = orma_perf_ring_open(&ring, &self->plan, cpu, NULL, 0);
    if (r == 0 && self->plan.split) {
        r = orma_perf_ring_open(&switches, &self->switches, cpu, NULL, 0);
        if (r < 0)
            orma_perf_ring_close(&ring);
        switches.switches = true;
        num = 2;
    }
    if (r < 0)
        return r;
    pthread_mutex_lock(&self->rings.lock); /* the worker goes over them, too */
    self->rings.all[self->rings.num] = ring;
    if (num == 2)
        self->rings.all[self->rings.num + 1] = switches;
    self->rings.num += num;
    pthread_mutex_unlock(&self->rings.lock);
    for (size_t i = self->rings.num - num; i < self->rings.num; i++)
        orma_perf_ring_enable(&self->rings.all[i]);
    return 0;
}

/* Threads take their events along; those of a whole cpu end with it. */
static void look_for_cpus(struct perf *self)
{
    struct orma_perf_cpus now;

    if (!self->sees_cpus || self->stopping ||
        orma_perf_cpus_read(&now, self->source.env->sys_root) < 0)
        return;
    for (uint32_t word = 0; word < ORMA_ARRAY_LEN(now.online); word++) {
        uint64_t came = now.online[word] & ~self->cpus.online[word];

        for (; came; came &= came - 1) {
            uint32_t cpu = word * 64 + (uint32_t)__builtin_ctzll(came);

            if (!is_target(&self->plan, cpu))
                continue;
            int r = open_late(self, cpu);
            if (r == -ENODEV) /* its events come a moment later: again in the next round */
                now.online[word] &= ~(UINT64_C(1) << cpu % 64);
            else
                tell_return(self, cpu, r);
        }
    }
    self->cpus = now;
}

/* ---- rounds ---- */

static void read_counters(struct perf *self)
{
    struct orma_perf_record record;

    for (size_t i = 0; i < self->rings.num; i++) {
        if (orma_perf_ring_read(&self->rings.all[i], &self->plan, &record) == 0)
            orma_perf_worker_put(self->worker, &record);
    }
}

static void put_record(void *ctx, const struct orma_perf_record *record)
{
    struct perf *self = ctx;

    orma_perf_worker_put(self->worker, record);
}

/* False: the slice is used up. */
static bool drain(struct perf *self, uint64_t until_ns)
{
    for (unsigned n = 1; orma_perf_rings_save(&self->rings, self->until, put_record, self); n++) {
        if (n % CHECK_EVERY == 0 && orma_clock_boottime() > until_ns)
            return false;
    }
    return true;
}

static void mark_flushes(struct perf *self)
{
    for (size_t i = 0; i + sizeof(uint64_t) <= self->flushes.len; i += sizeof(uint64_t)) {
        uint64_t id;

        memcpy(&id, self->flushes.data + i, sizeof(id));
        orma_perf_worker_mark(self->worker, id);
    }
    orma_buf_fini(&self->flushes);
    self->flushes = self->flushes2;
    self->flushes2 = (struct orma_buf){0};
}

static void put_look(struct perf *self)
{
    const struct orma_perf_record look = {.kind = ORMA_PERF_LOOK, .time = self->until};

    orma_perf_worker_put(self->worker, &look);
}

static void on_mark(void *ctx, uint64_t mark)
{
    struct perf *self = ctx;

    if (mark == MARK_STOP)
        self->stopped = true; /* the last mark: nothing comes after it */
    else
        orma_source_flushed(&self->source, mark);
}

static void take_packets(struct perf *self)
{
    orma_perf_worker_take(self->worker, self->source.sink, on_mark, self);
}

/* One event a group, or nothing is known. */
static void take_cpu_time(const struct perf *self, struct orma_perf_record *end)
{
    uint64_t sum = 0, one;

    if (!self->plan.cpu_time)
        return;
    for (size_t i = 0; i < self->rings.num; i++) {
        if (orma_perf_ring_total(&self->rings.all[i], &one) < 0)
            return;
        sum += one;
    }
    end->counts[end->counts_num++] = sum;
}

static void end_round(struct perf *self)
{
    self->in_round = false;
    if (self->plan.looks && self->until != UINT64_MAX)
        put_look(self);
    mark_flushes(self);
    orma_perf_worker_kick(self->worker);
    if (self->stopping) {
        struct orma_perf_record end = {.kind = ORMA_PERF_END,
                                       .time = orma_perf_rings_now(&self->rings)};

        take_cpu_time(self, &end);
        orma_perf_worker_put(self->worker, &end);
        orma_perf_worker_mark(self->worker, MARK_STOP);
        return;
    }
    arm(self->timer, self->flushes.len ? 0 : self->plan.read_period_ms);
    take_packets(self); /* of the round before; last: it may tell of a flush */
}

static void begin_round(struct perf *self)
{
    self->in_round = true;
    self->until = self->stopping || self->flushes.len
                      ? UINT64_MAX
                      : orma_perf_rings_now(&self->rings) - SETTLED_NS;
    if (self->plan.poll)
        read_counters(self);
}

static void on_timer(evutil_socket_t fd, short what, void *arg)
{
    struct perf *self = arg;
    uint64_t due = 0;

    (void)fd;
    (void)what;
    if (!self->in_round && !self->flushes.len && !self->stopping)
        due = orma_perf_worker_due(self->worker);
    if (due) { /* it has done this round */
        uint64_t now = orma_clock_monotonic();

        arm(self->timer, (uint32_t)((ORMA_MAX(due, now) - now) / 1000000) + WORKER_MS);
        look_for_cpus(self);
        take_packets(self); /* last: it may tell of a flush */
        return;
    }
    if (!self->in_round) {
        look_for_cpus(self);
        begin_round(self);
    }
    if (self->plan.poll || drain(self, orma_clock_boottime() + ORMA_SOURCE_SLICE_NS))
        end_round(self);
    else
        arm(self->timer, 0);
}

static void on_packets(evutil_socket_t fd, short what, void *arg)
{
    struct perf *self = arg;

    (void)fd;
    (void)what;
    take_packets(self);
    if (self->stopped)
        orma_source_stopped(&self->source); /* may free it */
}

static void on_clear_timer(evutil_socket_t fd, short what, void *arg)
{
    struct perf *self = arg;

    (void)fd;
    (void)what;
    orma_perf_worker_clear(self->worker);
    arm(self->clear_timer, self->plan.clear_period_ms);
}

/* ---- life ---- */

static void close_rings(struct perf *self)
{
    for (size_t i = 0; i < self->rings.num; i++)
        orma_perf_ring_close(&self->rings.all[i]);
    free(self->rings.all);
    self->rings.all = NULL;
    self->rings.num = 0;
}

static void perf_free(struct orma_source *source)
{
    struct perf *self = perf_of(source);

    bool ended = orma_perf_worker_free(self->worker);

    if (self->packets)
        event_free(self->packets);
    if (self->timer)
        event_free(self->timer);
    if (self->clear_timer)
        event_free(self->clear_timer);
    if (!ended) { /* its thread may go on and use the rest */
        orma_log_error(NAME ": a file of a process that was watched does not answer: what was read "
                            "of it, and its thread, are given up");
        for (size_t i = 0; i < self->rings.num; i++)
            orma_perf_ring_disable(&self->rings.all[i]);
        return;
    }
    orma_perf_encoder_fini(&self->encoder); /* it may look into the rings, in a hurry */
    close_rings(self);
    pthread_mutex_destroy(&self->rings.lock);
    orma_perf_processes_fini(&self->processes);
    orma_perf_plan_fini(&self->plan);
    orma_buf_fini(&self->flushes);
    orma_buf_fini(&self->flushes2);
    free(self);
}

static int open_once(struct perf *self, const struct orma_perf_tasks *tasks, uint32_t *ret_cpu)
{
    long cpus = sysconf(_SC_NPROCESSORS_CONF);

    self->rings_max = (size_t)ORMA_MAX(cpus, 1L) * 2 + RETURNS_MAX;
    self->rings.all = calloc(self->rings_max, sizeof(*self->rings.all));
    /* Before the first is opened: what comes online meanwhile is found later. */
    self->sees_cpus =
        !self->plan.pids && orma_perf_cpus_read(&self->cpus, self->source.env->sys_root) == 0;
    orma_perf_plan_switches(&self->plan, &self->switches);
    if (!self->rings.all)
        return -ENOMEM;
    for (size_t i = 0; i < self->plan.cpus_num; i++) {
        *ret_cpu = self->plan.cpus[i];
        if (*ret_cpu >= (unsigned long)cpus)
            return -ENODEV;
    }
    for (long cpu = 0; cpu < cpus; cpu++) {
        struct orma_perf_ring *ring = &self->rings.all[self->rings.num];

        if (!is_target(&self->plan, (uint32_t)cpu))
            continue;
        *ret_cpu = (uint32_t)cpu;
        int r = orma_perf_ring_open(ring, &self->plan, (uint32_t)cpu, tasks->tids, tasks->num);
        if (r == -ENODEV) /* an offline cpu */
            continue;
        if (r == 0) {
            self->rings.num++;
            orma_perf_cpus_add(&self->cpus, (uint32_t)cpu); /* it may just have come online */
        }
        if (r == 0 && self->plan.split)
            r = open_switches(self, tasks, (uint32_t)cpu);
        if (r < 0 && !self->plan.ignore_open_failure)
            return r;
    }
    return self->rings.num || self->plan.ignore_open_failure ? 0 : -ENODEV;
}

/* Gives up what is refused, as far as it may: the kernel's side, memory, novelties. */
static bool step_back(struct perf *self, int r)
{
    if (r == -EACCES || r == -EPERM) {
        if (orma_perf_plan_without_wakers(&self->plan))
            return true;
        if (!orma_perf_plan_without_kernel(&self->plan))
            return false;
        self->without_kernel = true;
        return true;
    }
    if (r == -ENOBUFS)
        return orma_perf_plan_with_less_memory(&self->plan);
    return r == -EINVAL && orma_perf_plan_for_older_kernel(&self->plan);
}

static void tell_refusal(const struct perf *self, int r, uint32_t cpu)
{
    const char *filter = r == -EACCES || r == -EPERM ? orma_perf_filter_reason() : NULL;

    if (filter)
        orma_log_error(NAME ": %s", filter);
    else if (self->plan.pids && r == -ESRCH)
        orma_log_error(NAME ": process %d: it does not exist", self->plan.pids[0]);
    else if (self->plan.pids && (r == -EACCES || r == -EPERM))
        orma_log_error(NAME ": process %d belongs to another user, or kernel.perf_event_paranoid "
                            "is above 2: needs root or CAP_PERFMON",
                       self->plan.pids[0]);
    else if (r == -EACCES || r == -EPERM)
        orma_log_error(NAME ": watching all processes needs root, CAP_PERFMON, or: sudo sysctl "
                            "kernel.perf_event_paranoid=-1");
    else if (self->plan.lbr && (r == -ENOENT || r == -EOPNOTSUPP || r == -EINVAL))
        orma_log_error(
            NAME ": this machine has no last branch record (LBR): use --call-graph=dwarf instead");
    else if (r == -ENOBUFS)
        orma_log_error(NAME
                       ": not enough lockable memory for ring buffers; raise it with 'ulimit -l'");
    else if (r == -ENODEV)
        orma_log_error(NAME ": cpu %u: this machine has no such cpu, or it is offline", cpu);
    else if (r == -EMFILE)
        orma_log_error(NAME ": too many threads for the limit on open files (ulimit -n)");
    else
        orma_log_error(NAME ": cpu %u: %s%s", cpu, strerror(-r),
                       r == -ENOENT || r == -EOPNOTSUPP ? " (this machine has no such counter)"
                       : r == -EINVAL
                           ? " (the kernel does not sample this event, or not for single processes)"
                           : "");
}

/* What is not told of waits, and what would. */
static void tell_waits(const struct perf *self)
{
    if (self->without_kernel)
        orma_log_warn(
            NAME ": for waits of 10 ms or more, stacks are read from outside; for shorter ones, "
                 "only the time is known; with 'sudo sysctl kernel.perf_event_paranoid=1' all "
                 "waits have stacks; root also sees who ended them");
    else if (!self->plan.wakers)
        orma_log_warn(NAME ": cannot see who ends waits: that needs root, or CAP_PERFMON and "
                           "access to /sys/kernel/tracing");
}

static int open_rings(struct perf *self)
{
    ORMA_AUTO(orma_perf_tasks_fini) struct orma_perf_tasks tasks = {0};
    uint32_t cpu = 0;
    int r = self->plan.pids ? orma_perf_tasks_find(&tasks, &self->plan, self->source.env->proc_root)
                            : 0;

    for (bool again = r == 0; again;) {
        r = open_once(self, &tasks, &cpu);
        if (r < 0)
            close_rings(self);
        again = r < 0 && step_back(self, r);
    }
    if (r < 0)
        tell_refusal(self, r, cpu);
    else if (self->plan.off_cpu)
        tell_waits(self);
    else if (self->without_kernel)
        orma_log_warn(NAME ": kernel functions are not recorded; that needs root, or 'sudo sysctl "
                           "kernel.perf_event_paranoid=%s'",
                      self->plan.pids ? "1" : "-1");
    return r;
}

static int start_worker(struct perf *self)
{
    int r = orma_perf_worker_new(&self->encoder, &self->rings, &self->worker);

    if (r < 0)
        return r;
    orma_perf_encoder_init(&self->encoder, &self->plan, &self->processes,
                           orma_perf_worker_sink(self->worker)); /* it has nothing to do yet */
    if (!self->plan.off_cpu)
        self->encoder.rings = &self->rings;
    self->encoder.state_dir = self->source.env->state_dir;
    self->packets = event_new(self->source.env->base, orma_perf_worker_fd(self->worker),
                              EV_READ | EV_PERSIST, on_packets, self);
    if (!self->packets || event_add(self->packets, NULL) < 0)
        return -ENOMEM;
    return 0;
}

static int perf_create(struct orma_source_env *env,
                       const Perfetto__Protos__DataSourceConfig *config,
                       struct orma_source_sink *sink, struct orma_source **ret)
{
    const Perfetto__Protos__PerfEventConfig none = PERFETTO__PROTOS__PERF_EVENT_CONFIG__INIT;
    const Perfetto__Protos__PerfEventConfig *c =
        config->perf_event_config ? config->perf_event_config : &none;
    struct perf *self = calloc(1, sizeof(*self));
    char why[256];

    if (!self)
        return -ENOMEM;
    self->source = (struct orma_source){.type = &orma_perf_source, .env = env, .sink = sink};
    self->processes.proc_fd = -1;
    self->rings.plan = &self->plan;
    pthread_mutex_init(&self->rings.lock, NULL);
    int r = orma_perf_plan_make(&self->plan, c, env->tracefs_root, why, sizeof(why));
    if (r < 0)
        orma_log_error(NAME ": %s", why);
    if (r == 0)
        r = orma_perf_processes_init(&self->processes, env->proc_root, c);
    if (r == 0)
        r = open_rings(self);
    if (r == 0) {
        self->timer = evtimer_new(env->base, on_timer, self);
        self->clear_timer = evtimer_new(env->base, on_clear_timer, self);
        if (!self->timer || !self->clear_timer)
            r = -ENOMEM;
    }
    if (r == 0) {
        self->processes.all_wanted = self->plan.pids != NULL;
        r = start_worker(self);
    }
    if (r < 0) {
        perf_free(&self->source);
        return r;
    }
    *ret = &self->source;
    return 0;
}

static void put_blocked(void *ctx, const struct orma_perf_record *record)
{
    struct perf *self = ctx;

    orma_perf_worker_put(self->worker, record);
}

/* Who waits already is looked at: where, no record of the kernel will say. */
static void find_blocked(struct perf *self)
{
    const uint64_t now = orma_perf_rings_now(&self->rings);
    const struct orma_perf_record look = {.kind = ORMA_PERF_LOOK, .time = now + LOOK_AT_ONCE_NS};
    size_t num = 0;

    for (size_t i = 0; i < self->plan.pids_num; i++)
        num += orma_perf_blocked_find(self->processes.proc_fd, (uint32_t)self->plan.pids[i], now,
                                      put_blocked, self);
    for (size_t i = 0; self->plan.unwind && i < ORMA_MIN(num, (size_t)BLOCKED_LOOKS_MAX); i++)
        orma_perf_worker_put(self->worker, &look);
    if (num)
        orma_perf_worker_kick(self->worker);
}

static void perf_start(struct orma_source *source)
{
    struct perf *self = perf_of(source);

    for (size_t i = 0; i < self->rings.num && !self->plan.events[0].attr.enable_on_exec; i++)
        orma_perf_ring_enable(&self->rings.all[i]);
    if (self->plan.off_cpu && !self->plan.events[0].attr.enable_on_exec)
        find_blocked(self);
    bool alone = !self->plan.poll && self->plan.read_period_ms >= 2 * WORKER_MS;
    if (alone) /* in less time it would always be late */
        orma_perf_worker_begin(self->worker, self->plan.read_period_ms * UINT64_C(1000000),
                               SETTLED_NS);
    arm(self->timer, self->plan.read_period_ms + (alone ? WORKER_MS : 0));
    if (self->plan.clear_period_ms)
        arm(self->clear_timer, self->plan.clear_period_ms);
}

static void perf_flush(struct orma_source *source, uint64_t flush_id)
{
    struct perf *self = perf_of(source);

    /* A round under way may have passed a ring already. */
    orma_buf_put(self->in_round ? &self->flushes2 : &self->flushes, &flush_id, sizeof(flush_id));
    arm(self->timer, 0);
}

static void perf_stop(struct orma_source *source)
{
    struct perf *self = perf_of(source);

    for (size_t i = 0; i < self->rings.num; i++)
        orma_perf_ring_disable(&self->rings.all[i]);
    (void)evtimer_del(self->clear_timer); /* fails for bad arguments only */
    self->stopping = true;
    self->in_round = false; /* once more, to the end */
    arm(self->timer, 0);
}

static void perf_clear(struct orma_source *source)
{
    orma_perf_worker_clear(perf_of(source)->worker);
}

static bool perf_usable(const struct orma_source_env *env, char *why, size_t why_size)
{
    (void)env;
    return orma_perf_allowed(why, why_size);
}

const struct orma_source_type orma_perf_source = {
    .name = NAME,
    .handles_clear = true,
    .usable = perf_usable,
    .create = perf_create,
    .start = perf_start,
    .flush = perf_flush,
    .stop = perf_stop,
    .clear = perf_clear,
    .free = perf_free,
};
