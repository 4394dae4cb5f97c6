/*
 * linux.perf: samples of what the cpus do, with call stacks, and counters.
 *
 * A group of events per cpu (ring.h) as the config asks (plan.h). At each
 * period all rings are emptied, in slices, into packets (encode.h). A flush
 * is answered when a round that began after it has ended.
 */
#include "probes/perf/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "probes/kernel/kallsyms.h"
#include "probes/perf/encode.h"
#include "sdk/base/clock.h"
#include "sdk/base/fd.h"
#include "sdk/base/log.h"

#define NAME "linux.perf"
#define KALLSYMS_MAX (64u << 20)
#define CHECK_EVERY 16 /* records between two looks at the clock */

struct perf {
    struct orma_source source;
    struct orma_perf_plan plan;
    struct orma_perf_processes processes;
    struct orma_perf_encoder encoder;
    struct orma_kallsyms *kallsyms;
    struct orma_perf_ring *rings;
    size_t rings_num;
    size_t at; /* the ring that the round is at */
    struct event *timer, *clear_timer;
    struct orma_buf flushes;  /* u64 ids: to be answered at the end of this round ... */
    struct orma_buf flushes2; /* ... and of the next */
    bool in_round, stopping;
    uint64_t bad_records;
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

/* ---- rounds ---- */

/* False: the slice is used up. */
static bool drain_ring(struct perf *self, struct orma_perf_ring *ring, uint64_t until_ns)
{
    struct orma_perf_record record;

    if (self->plan.poll) {
        if (orma_perf_ring_read(ring, &self->plan, &record) == 0)
            orma_perf_encode(&self->encoder, &record);
        return true;
    }
    for (unsigned n = 1;; n++) {
        int r = orma_perf_ring_next(ring, &self->plan, &record);

        if (r == 0)
            return true;
        if (r > 0)
            orma_perf_encode(&self->encoder, &record);
        else if (!self->bad_records++)
            orma_log_warn(NAME ": cpu %u: invalid record in the kernel's ring", ring->cpu);
        if (n % CHECK_EVERY == 0 && orma_clock_boottime() > until_ns)
            return false;
    }
}

static void answer(struct perf *self)
{
    struct orma_buf ids = self->flushes;

    self->flushes = self->flushes2;
    self->flushes2 = (struct orma_buf){0};
    for (size_t i = 0; i + sizeof(uint64_t) <= ids.len; i += sizeof(uint64_t)) {
        uint64_t id;

        memcpy(&id, ids.data + i, sizeof(id));
        orma_source_flushed(&self->source, id);
    }
    orma_buf_fini(&ids);
}

static void end_round(struct perf *self)
{
    self->in_round = false;
    answer(self);
    if (self->stopping)
        orma_source_stopped(&self->source);
    else
        arm(self->timer, self->flushes.len ? 0 : self->plan.read_period_ms);
}

static void on_timer(evutil_socket_t fd, short what, void *arg)
{
    struct perf *self = arg;
    uint64_t until_ns = orma_clock_boottime() + ORMA_SOURCE_SLICE_NS;

    (void)fd;
    (void)what;
    if (!self->in_round) {
        self->in_round = true;
        self->at = 0;
    }
    while (self->at < self->rings_num) {
        if (!drain_ring(self, &self->rings[self->at], until_ns)) {
            arm(self->timer, 0);
            return;
        }
        self->at++;
    }
    end_round(self);
}

static void on_clear_timer(evutil_socket_t fd, short what, void *arg)
{
    struct perf *self = arg;

    (void)fd;
    (void)what;
    orma_perf_encoder_clear(&self->encoder);
    arm(self->clear_timer, self->plan.clear_period_ms);
}

/* ---- life ---- */

static void perf_free(struct orma_source *source)
{
    struct perf *self = perf_of(source);

    for (size_t i = 0; i < self->rings_num; i++)
        orma_perf_ring_close(&self->rings[i]);
    free(self->rings);
    if (self->timer)
        event_free(self->timer);
    if (self->clear_timer)
        event_free(self->clear_timer);
    orma_perf_encoder_fini(&self->encoder);
    orma_perf_processes_fini(&self->processes);
    orma_kallsyms_free(self->kallsyms);
    orma_perf_plan_fini(&self->plan);
    orma_buf_fini(&self->flushes);
    orma_buf_fini(&self->flushes2);
    free(self);
}

static bool is_target(const struct orma_perf_plan *plan, uint32_t cpu)
{
    for (size_t i = 0; i < plan->cpus_num; i++) {
        if (plan->cpus[i] == cpu)
            return true;
    }
    return !plan->cpus;
}

static int open_rings(struct perf *self)
{
    long cpus = sysconf(_SC_NPROCESSORS_CONF);
    int r = 0;

    self->rings = calloc((size_t)ORMA_MAX(cpus, 1L), sizeof(*self->rings));
    if (!self->rings)
        return -ENOMEM;
    for (long cpu = 0; cpu < cpus; cpu++) {
        if (!is_target(&self->plan, (uint32_t)cpu))
            continue;
        r = orma_perf_ring_open(&self->rings[self->rings_num], &self->plan, (uint32_t)cpu);
        if (r == -ENODEV) /* an offline cpu */
            continue;
        if (r < 0 && !self->plan.ignore_open_failure) {
            orma_log_error(NAME ": cpu %ld: %s%s", cpu, strerror(-r),
                           r == -ENOENT || r == -EOPNOTSUPP ? " (this machine has no such counter)"
                                                            : "");
            return r;
        }
        if (r == 0)
            self->rings_num++;
    }
    return 0;
}

static void load_kallsyms(struct perf *self)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf text = {0};
    char path[256];

    if (!self->plan.stacks || !self->plan.kernel_frames)
        return;
    if ((size_t)snprintf(path, sizeof(path), "%s/kallsyms", self->source.env->proc_root) <
            sizeof(path) &&
        orma_fd_read_file(AT_FDCWD, path, KALLSYMS_MAX, &text) == 0 &&
        orma_kallsyms_parse(orma_buf_str(&text), &self->kallsyms) == 0)
        return;
    orma_log_warn(NAME ": no names for kernel functions: %s is hidden or unreadable", path);
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
    if (r < 0) {
        perf_free(&self->source);
        return r;
    }
    load_kallsyms(self);
    orma_perf_encoder_init(&self->encoder, &self->plan, &self->processes, self->kallsyms, sink);
    *ret = &self->source;
    return 0;
}

static void perf_start(struct orma_source *source)
{
    struct perf *self = perf_of(source);

    for (size_t i = 0; i < self->rings_num; i++)
        orma_perf_ring_enable(&self->rings[i]);
    arm(self->timer, self->plan.read_period_ms);
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

    for (size_t i = 0; i < self->rings_num; i++)
        orma_perf_ring_disable(&self->rings[i]);
    (void)evtimer_del(self->clear_timer); /* fails for bad arguments only */
    self->stopping = true;
    self->in_round = false; /* from the first ring once more */
    arm(self->timer, 0);
}

static void perf_clear(struct orma_source *source)
{
    orma_perf_encoder_clear(&perf_of(source)->encoder);
}

static bool perf_usable(const struct orma_source_env *env, char *why, size_t why_size)
{
    struct perf_event_attr attr = {.size = sizeof(attr),
                                   .type = PERF_TYPE_SOFTWARE,
                                   .config = PERF_COUNT_SW_CPU_CLOCK,
                                   .disabled = 1};
    int fd = (int)syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);

    (void)env;
    if (fd >= 0) {
        (void)close(fd);
        return true;
    }
    if (errno == EACCES || errno == EPERM)
        snprintf(why, why_size,
                 "watching all processes needs root, CAP_PERFMON, or: "
                 "sudo sysctl kernel.perf_event_paranoid=-1");
    else
        snprintf(why, why_size, "this kernel has no perf events: %s", strerror(errno));
    return false;
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
