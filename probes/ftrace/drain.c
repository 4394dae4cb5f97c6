/*
 * One tick:
 *
 *   all cpus: not caught up
 *   repeat:   for each cpu that is not caught up and below its limit:
 *                 read a batch (128 KiB); translate it for each session
 *   until every cpu is caught up or has had its limit
 *
 * When a cpu is caught up: at a sub-buffer that is less than half full (the
 * first one of a tick excepted: it may be the rest of one whose beginning was
 * read before), when the kernel says so, and for a flush at the first
 * sub-buffer that begins after the flush was asked for.
 */
#include "probes/ftrace/drain.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/time.h>
#include <unistd.h>

#include "protos/fields/ftrace.h"
#include "sdk/base/clock.h"
#include "sdk/base/log.h"

#define PERIOD_DEFAULT_MS 100
#define PERIOD_WATCHED_MS 1000 /* with buffer_percent: what is rare waits no longer */
#define PERIOD_MAX_MS 60000
#define TICKS_PER_TRY 16 /* to open the rings of cpus that are offline */

/* What one batch of one cpu gave. */
struct batch {
    size_t len; /* bytes, whole sub-buffers */
    int status; /* enum FtraceParseStatus of a failed read; OK otherwise */
};

/* Looks at the sub-buffer that was just read. */
static bool is_caught_up(const struct orma_ftrace_instance *self,
                         const struct orma_ftrace_instance_cpu *cpu, const uint8_t *page,
                         bool is_first)
{
    uint64_t base_ts = orma_tracefs_load64(page);
    size_t len = orma_tracefs_load32(page + 8) & ORMA_TRACEFS_PAGE_LENGTH_MASK;

    if (cpu->until_ts)
        return base_ts > cpu->until_ts;
    return !is_first && len < (self->subbuf_size - self->page_layout.data_offset) / 2;
}

static bool is_benign(int err)
{
    return err == EAGAIN || err == EINTR || err == ENOMEM || err == EBUSY || err == ENODEV;
}

static struct batch read_batch(struct orma_ftrace_instance *self,
                               struct orma_ftrace_instance_cpu *cpu)
{
    struct orma_ftrace *ftrace = self->ftrace;
    struct batch ret = {.status = ORMA_PB_FTRACE_STATUS_OK};

    while (!cpu->caught_up && cpu->read < cpu->max &&
           ret.len + self->subbuf_size <= ftrace->batch_size) {
        uint8_t *page = ftrace->batch + ret.len;
        ssize_t n = read(cpu->fd, page, self->subbuf_size);

        if (n != (ssize_t)self->subbuf_size) {
            cpu->caught_up = true;
            if (n > 0)
                ret.status = ORMA_PB_FTRACE_STATUS_PARTIAL_PAGE_READ;
            else if (n < 0 && !is_benign(errno))
                ret.status = ORMA_PB_FTRACE_STATUS_UNEXPECTED_READ_ERROR;
            break;
        }
        cpu->caught_up = is_caught_up(self, cpu, page, cpu->is_first);
        cpu->is_first = false;
        cpu->read += self->subbuf_size;
        ret.len += self->subbuf_size;
    }
    return ret;
}

static void translate_batch(struct orma_ftrace_instance *self, unsigned idx,
                            const struct batch *batch)
{
    ORMA_LIST_EACH (struct orma_ftrace_drain, d, &self->drains, link) {
        if (!d->active)
            continue;
        orma_ftrace_translate_begin(d->translate, self->cpus[idx].id, &d->cpus[idx]);
        for (size_t at = 0; at < batch->len; at += self->subbuf_size)
            orma_ftrace_translate_page(d->translate, self->ftrace->batch + at, self->subbuf_size);
        if (batch->status != ORMA_PB_FTRACE_STATUS_OK)
            orma_ftrace_translate_error(d->translate, 0, batch->status);
        orma_ftrace_translate_end(d->translate);
    }
}

/* Reads every cpu up to its `max`, in turn. True if a cpu has more. */
static bool drain_all(struct orma_ftrace_instance *self)
{
    bool more = false, again = true;

    while (again) {
        again = more = false;
        for (unsigned i = 0; i < self->cpus_num; i++) {
            struct orma_ftrace_instance_cpu *cpu = &self->cpus[i];

            if (cpu->fd < 0 || cpu->caught_up)
                continue;
            more = true;
            if (cpu->read >= cpu->max)
                continue;
            struct batch batch = read_batch(self, cpu);
            if (batch.len || batch.status != ORMA_PB_FTRACE_STATUS_OK)
                translate_batch(self, i, &batch);
            again = true;
        }
    }
    return more;
}

static void notify_drains(struct orma_ftrace_instance *self)
{
    ORMA_LIST_EACH (struct orma_ftrace_drain, d, &self->drains, link) {
        if (d->active)
            d->ticked(d);
    }
}

/* Other clocks than boot's: one pair of readings, by which a reader translates. */
static void read_clocks(struct orma_ftrace_instance *self)
{
    struct orma_tracefs_cpu_stats stats;
    int64_t ftrace_ts, boot_ts;

    if (!self->clock || !self->cpus_num)
        return;
    if (self->clock == ORMA_PB_FTRACE_CLOCK_MONO_RAW)
        ftrace_ts = (int64_t)orma_clock_now(ORMA_CLOCK_MONOTONIC_RAW);
    else if (orma_tracefs_cpu_stats(&self->fs, self->cpus[0].id, &stats) == 0)
        ftrace_ts = (int64_t)(stats.now_ts * 1e9);
    else
        return;
    boot_ts = (int64_t)orma_clock_boottime();
    ORMA_LIST_EACH (struct orma_ftrace_drain, d, &self->drains, link) {
        d->translate->clock_ftrace_ts = ftrace_ts;
        d->translate->clock_boot_ts = boot_ts;
    }
}

void orma_ftrace_drain_open_cpu(struct orma_ftrace_instance *self,
                                struct orma_ftrace_instance_cpu *cpu)
{
    char path[64];

    (void)snprintf(path, sizeof(path), "per_cpu/cpu%u/trace_pipe_raw", cpu->id); /* fits */
    cpu->fd = openat(self->fs.dir_fd, path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
}

/* Cpus that came online since. */
static void try_missing_cpus(struct orma_ftrace_instance *self)
{
    if (++self->ticks % TICKS_PER_TRY)
        return;
    for (unsigned i = 0; i < self->cpus_num; i++) {
        if (self->cpus[i].fd < 0)
            orma_ftrace_drain_open_cpu(self, &self->cpus[i]);
    }
}

bool orma_ftrace_drain_tick(struct orma_ftrace_instance *self)
{
    try_missing_cpus(self);
    read_clocks(self);
    for (unsigned i = 0; i < self->cpus_num; i++) {
        struct orma_ftrace_instance_cpu *cpu = &self->cpus[i];

        cpu->caught_up = false;
        cpu->is_first = true;
        cpu->read = 0;
        cpu->max = ORMA_FTRACE_DRAIN_TICK_MAX;
        cpu->until_ts = 0;
    }
    bool more = drain_all(self);
    notify_drains(self);
    return more;
}

/* Now, in the clock of the ring; 0 if that cannot be known. */
static uint64_t ring_now(const struct orma_ftrace_instance *self, uint32_t cpu)
{
    struct orma_tracefs_cpu_stats stats;

    if (!self->clock)
        return orma_clock_boottime();
    if (self->clock == ORMA_PB_FTRACE_CLOCK_MONO_RAW)
        return orma_clock_now(ORMA_CLOCK_MONOTONIC_RAW);
    if (orma_tracefs_cpu_stats(&self->fs, cpu, &stats) < 0)
        return 0;
    return (uint64_t)(stats.now_ts * 1e9);
}

void orma_ftrace_drain_flush(struct orma_ftrace_instance *self)
{
    read_clocks(self);
    for (unsigned i = 0; i < self->cpus_num; i++) {
        struct orma_ftrace_instance_cpu *cpu = &self->cpus[i];

        cpu->caught_up = false;
        cpu->is_first = true;
        cpu->read = 0;
        /* All that the ring can hold and the sub-buffer that is being written. */
        cpu->max = self->buffer_size + 2 * self->subbuf_size;
        cpu->until_ts = ring_now(self, cpu->id);
        if (!cpu->until_ts)
            cpu->until_ts = UINT64_MAX; /* to the end, or to `max` */
    }
    (void)drain_all(self); /* what came later is for the next tick */
    notify_drains(self);
}

static uint32_t period_ms(const struct orma_ftrace_instance *self)
{
    uint32_t min = 0;

    ORMA_LIST_EACH (struct orma_ftrace_drain, d, (struct orma_list *)&self->drains, link) {
        uint32_t ms = d->period_ms;

        if (!d->active)
            continue;
        if (ms < 1 || ms > PERIOD_MAX_MS)
            ms = self->is_watched ? PERIOD_WATCHED_MS : PERIOD_DEFAULT_MS;
        if (!min || ms < min)
            min = ms;
    }
    return min ? min : PERIOD_DEFAULT_MS;
}

/* At the next multiple of the period: machines and sessions wake up together. */
static void schedule(struct orma_ftrace_instance *self, bool at_once)
{
    uint64_t period = (uint64_t)period_ms(self) * 1000;
    uint64_t now = orma_clock_now(ORMA_CLOCK_REALTIME) / 1000;
    uint64_t wait = at_once ? 0 : period - now % period;
    struct timeval tv = {.tv_sec = (time_t)(wait / 1000000),
                         .tv_usec = (suseconds_t)(wait % 1000000)};

    (void)evtimer_add(self->timer, &tv); /* fails for bad arguments only */
}

static void on_timer(evutil_socket_t fd, short what, void *arg);

/*
 * Waits for the rings to be as full as buffer_percent says. `all` after a tick of
 * the timer; otherwise only those that gave something: an fd that is ready but has nothing to
 * read must not keep us busy.
 */
static void watch(struct orma_ftrace_instance *self, bool all)
{
    for (unsigned i = 0; self->is_watched && i < self->cpus_num; i++) {
        struct orma_ftrace_instance_cpu *cpu = &self->cpus[i];

        if (cpu->fd < 0 || (!all && !cpu->read))
            continue;
        if (!cpu->poll)
            cpu->poll = event_new(self->ftrace->env->base, cpu->fd, EV_READ, on_timer, self);
        if (!cpu->poll || event_add(cpu->poll, NULL) < 0) {
            orma_log_info("%s: cannot poll for the buffer's fill level; reading by timer",
                          self->fs.path);
            self->is_watched = false;
        }
    }
}

static void on_timer(evutil_socket_t fd, short what, void *arg)
{
    struct orma_ftrace_instance *self = arg;
    bool more = orma_ftrace_drain_tick(self);

    (void)fd;
    if (what & EV_TIMEOUT || more)
        schedule(self, more);
    watch(self, what & EV_TIMEOUT);
}

void orma_ftrace_drain_start_timer(struct orma_ftrace_instance *self)
{
    if (!self->timer)
        self->timer = evtimer_new(self->ftrace->env->base, on_timer, self);
    if (self->timer)
        schedule(self, false);
    watch(self, true);
}

void orma_ftrace_drain_stop_timer(struct orma_ftrace_instance *self)
{
    if (self->timer)
        event_free(self->timer);
    self->timer = NULL;
    for (unsigned i = 0; i < self->cpus_num; i++) {
        if (self->cpus[i].poll)
            event_free(self->cpus[i].poll);
        self->cpus[i].poll = NULL;
    }
}
