/*
 * linux.sys_stats: the system's own counters, each kind with its period.
 *
 * One timer wakes up when the next kinds are due, at multiples of their
 * periods, so that equal periods share a packet. Kinds whose file is not there
 * are named once and left alone. Files of /proc stay open.
 */
#include "probes/system/sources.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "probes/system/stats_parse.h"
#include "probes/system/stats_sysfs.h"
#include "protos/fields/sys_stats.h"
#include "protos/fields/trace.h"
#include "sdk/base/clock.h"
#include "sdk/base/fd.h"
#include "sdk/base/log.h"
#include "sdk/wire/pb_writer.h"

#define PERIOD_MIN_MS 10u
#define FILE_MAX (4u << 20)
#define FILES_MAX 3

enum kind {
    KIND_MEMINFO,
    KIND_VMSTAT,
    KIND_STAT,
    KIND_BUDDYINFO,
    KIND_DISKSTATS,
    KIND_SLAB,
    KIND_PSI,
    KIND_CPUFREQ,
    KIND_CPUIDLE,
    KIND_THERMAL,
    KIND_DEVFREQ,
    KIND_GPUFREQ,
    KINDS_NUM,
};

/* Either one file of /proc, or a tree below /sys; psi has three files of its own form. */
static const struct {
    const char *name, *file;
    orma_system_put_fn put;
    orma_system_tree_fn put_tree;
} kinds[KINDS_NUM] = {
    [KIND_MEMINFO] = {"meminfo", "meminfo", orma_system_put_meminfo, NULL},
    [KIND_VMSTAT] = {"vmstat", "vmstat", orma_system_put_vmstat, NULL},
    [KIND_STAT] = {"stat", "stat", orma_system_put_stat, NULL},
    [KIND_BUDDYINFO] = {"buddyinfo", "buddyinfo", orma_system_put_buddyinfo, NULL},
    [KIND_DISKSTATS] = {"diskstat", "diskstats", orma_system_put_diskstats, NULL},
    [KIND_SLAB] = {"slab", "slabinfo", orma_system_put_slabinfo, NULL},
    [KIND_PSI] = {"psi", NULL, NULL, NULL},
    [KIND_CPUFREQ] = {"cpufreq", NULL, NULL, orma_system_put_cpufreq},
    [KIND_CPUIDLE] = {"cpuidle", NULL, NULL, orma_system_put_cpuidle},
    [KIND_THERMAL] = {"thermal", NULL, NULL, orma_system_put_thermal},
    [KIND_DEVFREQ] = {"devfreq", NULL, NULL, orma_system_put_devfreq},
    [KIND_GPUFREQ] = {"gpufreq", NULL, NULL, orma_system_put_gpufreq},
};

static const struct {
    const char *file;
    uint32_t some, full;
} pressures[FILES_MAX] = {
    {"pressure/cpu", ORMA_PB_SYS_STATS_PSI_SAMPLE_PSI_RESOURCE_CPU_SOME,
     ORMA_PB_SYS_STATS_PSI_SAMPLE_PSI_RESOURCE_CPU_FULL},
    {"pressure/io", ORMA_PB_SYS_STATS_PSI_SAMPLE_PSI_RESOURCE_IO_SOME,
     ORMA_PB_SYS_STATS_PSI_SAMPLE_PSI_RESOURCE_IO_FULL},
    {"pressure/memory", ORMA_PB_SYS_STATS_PSI_SAMPLE_PSI_RESOURCE_MEMORY_SOME,
     ORMA_PB_SYS_STATS_PSI_SAMPLE_PSI_RESOURCE_MEMORY_FULL},
};

struct group {
    uint32_t period_ms; /* 0: not wanted, or not there */
    uint64_t due_ms;    /* boot time */
    int fds[FILES_MAX]; /* -1: none */
    bool read_once;     /* it is there: a later failure is not worth a word */
    struct orma_system_wanted wanted;
};

struct sys_stats {
    struct orma_source source;
    int sys_fd;
    struct group groups[KINDS_NUM];
    struct event *timer;
    struct orma_buf packet, text;
};

static struct sys_stats *stats_of(struct orma_source *source)
{
    return ORMA_CONTAINER_OF(source, struct sys_stats, source);
}

static bool read_again(struct sys_stats *self, int fd)
{
    orma_buf_clear(&self->text);
    if (fd < 0 || lseek(fd, 0, SEEK_SET) < 0)
        return false;
    int r = orma_fd_read_all(fd, FILE_MAX, &self->text);
    return (r == 0 || r == -EFBIG) && !self->text.failed; /* too long: the beginning counts */
}

static bool put_kind(struct sys_stats *self, enum kind kind)
{
    struct group *group = &self->groups[kind];
    bool ok = false;

    if (kinds[kind].put_tree)
        return kinds[kind].put_tree(&self->packet, self->sys_fd) > 0;
    if (kinds[kind].put) {
        ok = read_again(self, group->fds[0]);
        if (ok)
            kinds[kind].put(&self->packet, orma_buf_str(&self->text), &group->wanted);
        return ok;
    }
    for (unsigned i = 0; i < FILES_MAX; i++) {
        if (!read_again(self, group->fds[i]))
            continue;
        orma_system_put_pressure(&self->packet, orma_buf_str(&self->text), pressures[i].some,
                                 pressures[i].full);
        ok = true;
    }
    return ok;
}

/* Nothing of this kind on this machine: said once, and never tried again. */
static void give_up(struct sys_stats *self, enum kind kind)
{
    orma_log_info("linux.sys_stats: %s does not exist here, or is not readable", kinds[kind].name);
    self->groups[kind].period_ms = 0;
}

static void collect(struct sys_stats *self, uint64_t now_ms)
{
    size_t begun, before;

    orma_buf_clear(&self->packet);
    orma_source_put_time(&self->packet, orma_clock_boottime());
    begun = orma_pb_begin(&self->packet, ORMA_PB_TRACE_PACKET_SYS_STATS);
    before = self->packet.len;
    for (unsigned kind = 0; kind < KINDS_NUM; kind++) {
        struct group *group = &self->groups[kind];

        if (!group->period_ms || group->due_ms > now_ms)
            continue;
        group->due_ms = now_ms - now_ms % group->period_ms + group->period_ms;
        if (put_kind(self, kind))
            group->read_once = true;
        else if (!group->read_once)
            give_up(self, kind);
    }
    if (self->packet.len == before && !self->packet.failed)
        return;
    orma_pb_put_u64(&self->packet, ORMA_PB_SYS_STATS_COLLECTION_END_TIMESTAMP,
                    orma_clock_boottime());
    orma_pb_end(&self->packet, begun);
    (void)orma_source_sink_put_buf(self->source.sink,
                                   &self->packet); /* lost: the writer counts it */
}

static void schedule(struct sys_stats *self, uint64_t now_ms)
{
    uint64_t next = UINT64_MAX;

    for (unsigned kind = 0; kind < KINDS_NUM; kind++) {
        if (self->groups[kind].period_ms)
            next = ORMA_MIN(next, self->groups[kind].due_ms);
    }
    if (next == UINT64_MAX)
        return;
    uint64_t wait = next > now_ms ? next - now_ms : 1;
    const struct timeval tv = {.tv_sec = (time_t)(wait / 1000),
                               .tv_usec = (suseconds_t)(wait % 1000 * 1000)};
    (void)evtimer_add(self->timer, &tv); /* fails for bad arguments only */
}

static void on_timer(evutil_socket_t fd, short what, void *arg)
{
    struct sys_stats *self = arg;

    (void)fd;
    (void)what;
    collect(self, orma_clock_boottime() / 1000000);
    schedule(self, orma_clock_boottime() / 1000000);
}

static void want(struct orma_system_wanted *self, int key)
{
    if (key > 0 && key < 256)
        self->bits[key >> 6] |= UINT64_C(1) << (key & 63);
}

static void take_config(struct sys_stats *self, const Perfetto__Protos__SysStatsConfig *c)
{
    const uint32_t periods[KINDS_NUM] = {
        [KIND_MEMINFO] = c->meminfo_period_ms,
        [KIND_VMSTAT] = c->vmstat_period_ms,
        [KIND_STAT] = c->stat_period_ms,
        [KIND_BUDDYINFO] = c->buddyinfo_period_ms,
        [KIND_DISKSTATS] = c->diskstat_period_ms,
        [KIND_SLAB] = c->slab_period_ms,
        [KIND_PSI] = c->psi_period_ms,
        [KIND_CPUFREQ] = c->cpufreq_period_ms,
        [KIND_CPUIDLE] = c->cpuidle_period_ms,
        [KIND_THERMAL] = c->thermal_period_ms,
        [KIND_DEVFREQ] = c->devfreq_period_ms,
        [KIND_GPUFREQ] = c->gpufreq_period_ms,
    };

    for (unsigned kind = 0; kind < KINDS_NUM; kind++) {
        if (periods[kind])
            self->groups[kind].period_ms = ORMA_MAX(periods[kind], PERIOD_MIN_MS);
    }
    for (size_t i = 0; i < c->n_meminfo_counters; i++)
        want(&self->groups[KIND_MEMINFO].wanted, (int)c->meminfo_counters[i]);
    for (size_t i = 0; i < c->n_vmstat_counters; i++)
        want(&self->groups[KIND_VMSTAT].wanted, (int)c->vmstat_counters[i]);
    for (size_t i = 0; i < c->n_stat_counters; i++)
        want(&self->groups[KIND_STAT].wanted, (int)c->stat_counters[i]);
    self->groups[KIND_MEMINFO].wanted.all = !c->n_meminfo_counters;
    self->groups[KIND_VMSTAT].wanted.all = !c->n_vmstat_counters;
    self->groups[KIND_STAT].wanted.all = !c->n_stat_counters;
}

static int open_proc(const struct orma_source_env *env, int proc_fd, const char *file)
{
    int fd = proc_fd < 0 ? -1 : openat(proc_fd, file, O_RDONLY | O_CLOEXEC);

    if (fd < 0)
        orma_log_debug("linux.sys_stats: %s/%s: %s", env->proc_root, file, strerror(errno));
    return fd;
}

static void open_files(struct sys_stats *self)
{
    const struct orma_source_env *env = self->source.env;
    ORMA_AUTO(orma_fd_close)
    int proc_fd = open(env->proc_root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    for (unsigned kind = 0; kind < KINDS_NUM; kind++) {
        struct group *group = &self->groups[kind];

        if (!group->period_ms)
            continue;
        if (kinds[kind].file)
            group->fds[0] = open_proc(env, proc_fd, kinds[kind].file);
        for (unsigned i = 0; kind == KIND_PSI && i < FILES_MAX; i++)
            group->fds[i] = open_proc(env, proc_fd, pressures[i].file);
    }
}

static void stats_free(struct orma_source *source)
{
    struct sys_stats *self = stats_of(source);

    if (self->timer)
        event_free(self->timer);
    for (unsigned kind = 0; kind < KINDS_NUM; kind++) {
        for (unsigned i = 0; i < FILES_MAX; i++)
            orma_fd_close(&self->groups[kind].fds[i]);
    }
    orma_fd_close(&self->sys_fd);
    orma_buf_fini(&self->packet);
    orma_buf_fini(&self->text);
    free(self);
}

static int stats_create(struct orma_source_env *env,
                        const Perfetto__Protos__DataSourceConfig *config,
                        struct orma_source_sink *sink, struct orma_source **ret)
{
    struct sys_stats *self = calloc(1, sizeof(*self));

    if (!self)
        return -ENOMEM;
    self->source =
        (struct orma_source){.type = &orma_system_stats_source, .env = env, .sink = sink};
    for (unsigned kind = 0; kind < KINDS_NUM; kind++) {
        for (unsigned i = 0; i < FILES_MAX; i++)
            self->groups[kind].fds[i] = -1;
    }
    if (config->sys_stats_config)
        take_config(self, config->sys_stats_config);
    self->sys_fd = open(env->sys_root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    self->timer = evtimer_new(env->base, on_timer, self);
    if (!self->timer) {
        stats_free(&self->source);
        return -ENOMEM;
    }
    open_files(self);
    *ret = &self->source;
    return 0;
}

static void stats_start(struct orma_source *source)
{
    on_timer(-1, 0, stats_of(source)); /* the first values at once */
}

static void stats_stop(struct orma_source *source)
{
    (void)evtimer_del(stats_of(source)->timer); /* fails for bad arguments only */
    orma_source_stopped(source);
}

const struct orma_source_type orma_system_stats_source = {
    .name = "linux.sys_stats",
    .create = stats_create,
    .start = stats_start,
    .stop = stats_stop,
    .free = stats_free,
};
