/*
 * timer -> begin_round -> slices over /proc -> end_round -> timer
 *
 * For each process the values are read and compared with those last written (`cached`);
 * only changes are encoded. end_round drops the cache of processes that are gone.
 */
#include "probes/process/poll.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>

#include "probes/core/proc_parse.h"
#include "protos/fields/process.h"
#include "protos/fields/trace.h"
#include "sdk/base/clock.h"
#include "sdk/base/fd.h"
#include "sdk/base/map.h"
#include "sdk/wire/pb_writer.h"

#define FILE_MAX (64 * 1024)
#define PACKET_SOFT_MAX (48 * 1024)
#define PERIOD_MIN_MS 100u
#define LINK_MAX 4096

/* Everything that is a number, in the order of `fields`. */
enum value {
    VALUE_MEM, /* ORMA_PROC_MEM_NUM of them */
    VALUE_OOM = VALUE_MEM + ORMA_PROC_MEM_NUM,
    VALUE_SMR_RSS,
    VALUE_SMR_PSS,
    VALUE_SMR_PSS_ANON,
    VALUE_SMR_PSS_FILE,
    VALUE_SMR_PSS_SHMEM,
    VALUE_SMR_SWAP_PSS,
    VALUE_USER,
    VALUE_KERNEL,
    VALUES_NUM,
};

static const uint8_t fields[VALUES_NUM] = {
    [VALUE_MEM + ORMA_PROC_VM_SIZE] = ORMA_PB_PROCESS_STATS_PROCESS_VM_SIZE_KB,
    [VALUE_MEM + ORMA_PROC_VM_RSS] = ORMA_PB_PROCESS_STATS_PROCESS_VM_RSS_KB,
    [VALUE_MEM + ORMA_PROC_RSS_ANON] = ORMA_PB_PROCESS_STATS_PROCESS_RSS_ANON_KB,
    [VALUE_MEM + ORMA_PROC_RSS_FILE] = ORMA_PB_PROCESS_STATS_PROCESS_RSS_FILE_KB,
    [VALUE_MEM + ORMA_PROC_RSS_SHMEM] = ORMA_PB_PROCESS_STATS_PROCESS_RSS_SHMEM_KB,
    [VALUE_MEM + ORMA_PROC_VM_SWAP] = ORMA_PB_PROCESS_STATS_PROCESS_VM_SWAP_KB,
    [VALUE_MEM + ORMA_PROC_VM_LCK] = ORMA_PB_PROCESS_STATS_PROCESS_VM_LOCKED_KB,
    [VALUE_MEM + ORMA_PROC_VM_HWM] = ORMA_PB_PROCESS_STATS_PROCESS_VM_HWM_KB,
    [VALUE_OOM] = ORMA_PB_PROCESS_STATS_PROCESS_OOM_SCORE_ADJ,
    [VALUE_SMR_RSS] = ORMA_PB_PROCESS_STATS_PROCESS_SMR_RSS_KB,
    [VALUE_SMR_PSS] = ORMA_PB_PROCESS_STATS_PROCESS_SMR_PSS_KB,
    [VALUE_SMR_PSS_ANON] = ORMA_PB_PROCESS_STATS_PROCESS_SMR_PSS_ANON_KB,
    [VALUE_SMR_PSS_FILE] = ORMA_PB_PROCESS_STATS_PROCESS_SMR_PSS_FILE_KB,
    [VALUE_SMR_PSS_SHMEM] = ORMA_PB_PROCESS_STATS_PROCESS_SMR_PSS_SHMEM_KB,
    [VALUE_SMR_SWAP_PSS] = ORMA_PB_PROCESS_STATS_PROCESS_SMR_SWAP_PSS_KB,
    [VALUE_USER] = ORMA_PB_PROCESS_STATS_PROCESS_RUNTIME_USER_MODE,
    [VALUE_KERNEL] = ORMA_PB_PROCESS_STATS_PROCESS_RUNTIME_KERNEL_MODE,
};

/* What was last written of one process. */
struct cached {
    uint64_t values[VALUES_NUM];
    uint32_t present; /* bit per enum value */
    uint32_t round;   /* in which it was last met */
};

struct orma_process_poll {
    struct orma_source_sink *sink;
    int proc_fd;
    uint32_t period_ms;
    uint32_t ttl_rounds; /* 0: for ever */
    bool smaps, times, fds;
    struct event *timer;
    struct orma_map cache; /* pid -> struct cached * */
    uint32_t round;
    uint64_t round_begun_ns;
    DIR *walk; /* NULL: no round under way */
    struct orma_buf packet, text;
    size_t stats;
};

static void cache_clear(struct orma_process_poll *self)
{
    ORMA_MAP_EACH (slot, &self->cache)
        free((void *)(uintptr_t)slot->val);
    orma_map_clear(&self->cache);
}

static struct cached *cache_get(struct orma_process_poll *self, int32_t pid)
{
    struct cached *c = orma_map_get_ptr(&self->cache, (uint32_t)pid);

    if (c)
        return c;
    c = calloc(1, sizeof(*c));
    if (c && orma_map_put_ptr(&self->cache, (uint32_t)pid, c) < 0) {
        free(c);
        c = NULL;
    }
    return c;
}

static void set(struct cached *now, enum value which, uint64_t val)
{
    now->values[which] = val;
    now->present |= 1u << which;
}

/* False: not a process, or gone. */
static bool read_values(struct orma_process_poll *self, int32_t pid, struct cached *now)
{
    struct orma_proc_status status;
    struct orma_proc_smaps smaps;
    struct orma_proc_stat stat;
    int64_t oom;

    *now = (struct cached){0};
    if (!orma_proc_read(self->proc_fd, pid, "status", FILE_MAX, &self->text) ||
        !orma_proc_parse_status(orma_buf_str(&self->text), &status) || status.tgid != pid)
        return false;
    for (unsigned i = 0; i < ORMA_PROC_MEM_NUM; i++) {
        if (status.mem_present >> i & 1)
            set(now, VALUE_MEM + i, status.mem[i]);
    }
    if (orma_proc_read(self->proc_fd, pid, "oom_score_adj", FILE_MAX, &self->text) &&
        orma_str_to_i64(orma_str_trim(orma_buf_str(&self->text)), &oom))
        set(now, VALUE_OOM, (uint64_t)oom);
    if (self->smaps && orma_proc_read(self->proc_fd, pid, "smaps_rollup", FILE_MAX, &self->text) &&
        orma_proc_parse_smaps(orma_buf_str(&self->text), &smaps)) {
        set(now, VALUE_SMR_RSS, smaps.rss);
        set(now, VALUE_SMR_PSS, smaps.pss);
        set(now, VALUE_SMR_PSS_ANON, smaps.pss_anon);
        set(now, VALUE_SMR_PSS_FILE, smaps.pss_file);
        set(now, VALUE_SMR_PSS_SHMEM, smaps.pss_shmem);
        set(now, VALUE_SMR_SWAP_PSS, smaps.swap_pss);
    }
    if (self->times && orma_proc_read(self->proc_fd, pid, "stat", FILE_MAX, &self->text) &&
        orma_proc_parse_stat(orma_buf_str(&self->text), &stat)) {
        uint64_t tick_ns = 1000000000u / (uint64_t)sysconf(_SC_CLK_TCK);

        set(now, VALUE_USER, stat.utime * tick_ns);
        set(now, VALUE_KERNEL, stat.stime * tick_ns);
    }
    return true;
}

static void packet_open(struct orma_process_poll *self)
{
    if (self->packet.len)
        return;
    orma_source_put_time(&self->packet, self->round_begun_ns);
    self->stats = orma_pb_begin(&self->packet, ORMA_PB_TRACE_PACKET_PROCESS_STATS);
}

static void packet_close(struct orma_process_poll *self)
{
    if (!self->packet.len)
        return;
    orma_pb_put_u64(&self->packet, ORMA_PB_PROCESS_STATS_COLLECTION_END_TIMESTAMP,
                    orma_clock_boottime());
    orma_pb_end(&self->packet, self->stats);
    (void)orma_source_sink_put_buf(self->sink, &self->packet); /* lost: the writer counts it */
}

/* The open files of a process. */
static void put_fds(struct orma_process_poll *self, int32_t pid)
{
    char path[300], target[LINK_MAX];
    struct dirent *entry;
    uint64_t num;

    (void)snprintf(path, sizeof(path), "%d/fd", pid); /* fits */
    int fd = openat(self->proc_fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    if (!dir) {
        orma_fd_close(&fd);
        return;
    }
    while ((entry = readdir(dir))) {
        if (!orma_str_to_u64(orma_str_from(entry->d_name), &num))
            continue;
        ssize_t len = readlinkat(dirfd(dir), entry->d_name, target, sizeof(target));
        if (len < 0)
            continue;
        size_t begun = orma_pb_begin(&self->packet, ORMA_PB_PROCESS_STATS_PROCESS_FDS);
        orma_pb_put_u64(&self->packet, ORMA_PB_PROCESS_STATS_FD_INFO_FD, num);
        orma_pb_put_bytes(&self->packet, ORMA_PB_PROCESS_STATS_FD_INFO_PATH, target, (size_t)len);
        orma_pb_end(&self->packet, begun);
    }
    (void)closedir(dir); /* read only */
}

static void put_process(struct orma_process_poll *self, int32_t pid, struct cached *before,
                        const struct cached *now)
{
    uint32_t changed = 0;

    for (unsigned i = 0; i < VALUES_NUM; i++) {
        if (now->present >> i & 1 &&
            (!(before->present >> i & 1) || before->values[i] != now->values[i]))
            changed |= 1u << i;
    }
    if (!changed && !self->fds)
        return;
    packet_open(self);
    size_t begun = orma_pb_begin(&self->packet, ORMA_PB_PROCESS_STATS_PROCESSES);
    orma_pb_put_i64(&self->packet, ORMA_PB_PROCESS_STATS_PROCESS_PID, pid);
    for (unsigned i = 0; i < VALUES_NUM; i++) {
        if (changed >> i & 1)
            orma_pb_put_u64(&self->packet, fields[i], now->values[i]);
    }
    if (self->fds)
        put_fds(self, pid);
    orma_pb_end(&self->packet, begun);
}

static void look_at(struct orma_process_poll *self, int32_t pid)
{
    struct cached now, *before;

    if (!read_values(self, pid, &now))
        return;
    before = cache_get(self, pid);
    if (!before)
        return;
    put_process(self, pid, before, &now);
    *before = now;
    before->round = self->round;
    if (self->packet.len > PACKET_SOFT_MAX)
        packet_close(self);
}

/* Processes that were not met in this round are gone; their numbers may come back as others. */
static void forget_gone(struct orma_process_poll *self)
{
    for (bool again = true; again;) {
        again = false;
        ORMA_MAP_EACH (slot, &self->cache) {
            struct cached *c = (void *)(uintptr_t)slot->val;

            if (c->round == self->round)
                continue;
            free(c);
            (void)orma_map_take(&self->cache, slot->key); /* shifts others: begin anew */
            again = true;
            break;
        }
    }
}

static void begin_round(struct orma_process_poll *self)
{
    int fd = openat(self->proc_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    self->walk = fd < 0 ? NULL : fdopendir(fd);
    if (!self->walk)
        orma_fd_close(&fd);
    if (self->ttl_rounds && self->round % self->ttl_rounds == 0)
        cache_clear(self);
    self->round++;
    self->round_begun_ns = orma_clock_boottime();
}

static void end_round(struct orma_process_poll *self)
{
    packet_close(self);
    (void)closedir(self->walk); /* read only */
    self->walk = NULL;
    forget_gone(self);
}

/* False: the round is over. */
static bool run_slice(struct orma_process_poll *self, uint64_t limit_ns)
{
    uint64_t begun = orma_clock_monotonic(), pid;
    struct dirent *entry;

    while (self->walk && (entry = readdir(self->walk))) {
        if (orma_str_to_u64(orma_str_from(entry->d_name), &pid) && pid && pid <= INT32_MAX)
            look_at(self, (int32_t)pid);
        if (orma_clock_monotonic() - begun > limit_ns)
            return true;
    }
    if (self->walk)
        end_round(self);
    return false;
}

static void wait_ms(struct orma_process_poll *self, uint64_t ms)
{
    const struct timeval tv = {.tv_sec = (time_t)(ms / 1000),
                               .tv_usec = (suseconds_t)(ms % 1000 * 1000)};

    (void)evtimer_add(self->timer, &tv); /* fails for bad arguments only */
}

static void on_timer(evutil_socket_t fd, short what, void *arg)
{
    struct orma_process_poll *self = arg;

    (void)fd;
    (void)what;
    if (!self->walk)
        begin_round(self);
    if (run_slice(self, ORMA_SOURCE_SLICE_NS)) {
        wait_ms(self, 1);
        return;
    }
    uint64_t took = (orma_clock_boottime() - self->round_begun_ns) / 1000000;
    wait_ms(self, took < self->period_ms ? self->period_ms - took : 1);
}

int orma_process_poll_new(struct orma_source_env *env, int proc_fd,
                          const Perfetto__Protos__ProcessStatsConfig *config,
                          struct orma_source_sink *sink, struct orma_process_poll **ret)
{
    struct orma_process_poll *self;

    *ret = NULL;
    if (!config->has_proc_stats_poll_ms || !config->proc_stats_poll_ms)
        return 0;
    self = calloc(1, sizeof(*self));
    if (!self)
        return -ENOMEM;
    self->sink = sink;
    self->proc_fd = proc_fd;
    self->period_ms = ORMA_MAX(config->proc_stats_poll_ms, PERIOD_MIN_MS);
    if (config->has_proc_stats_cache_ttl_ms)
        self->ttl_rounds = ORMA_MAX(1u, config->proc_stats_cache_ttl_ms / self->period_ms) *
                           (config->proc_stats_cache_ttl_ms > 0);
    self->smaps = config->has_scan_smaps_rollup && config->scan_smaps_rollup;
    self->times = config->has_record_process_runtime && config->record_process_runtime;
    self->fds = config->has_resolve_process_fds && config->resolve_process_fds;
    self->timer = evtimer_new(env->base, on_timer, self);
    if (!self->timer) {
        free(self);
        return -ENOMEM;
    }
    *ret = self;
    return 0;
}

void orma_process_poll_free(struct orma_process_poll *self)
{
    if (!self)
        return;
    event_free(self->timer);
    if (self->walk)
        (void)closedir(self->walk); /* read only */
    cache_clear(self);
    orma_map_fini(&self->cache);
    orma_buf_fini(&self->packet);
    orma_buf_fini(&self->text);
    free(self);
}

void orma_process_poll_start(struct orma_process_poll *self)
{
    wait_ms(self, 0);
}

void orma_process_poll_stop(struct orma_process_poll *self)
{
    (void)evtimer_del(self->timer); /* fails for bad arguments only */
    (void)run_slice(self, UINT64_MAX);
}

void orma_process_poll_clear(struct orma_process_poll *self)
{
    cache_clear(self);
}
