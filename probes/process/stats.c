/*
 * Lists, worked off in slices:
 *
 *   walk   the initial scan: position in /proc, and in the tasks of one process
 *   queue  numbers that ftrace has seen
 *   execs  who executes a program, looked up at once (execs.c)
 *   poll   the counters of all processes (poll.c)
 */
#include "probes/process/stats.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>

#include "probes/core/proc_parse.h"
#include "probes/process/execs.h"
#include "probes/process/poll.h"
#include "protos/fields/orma_ext.h"
#include "protos/fields/process.h"
#include "protos/fields/trace.h"
#include "sdk/base/clock.h"
#include "sdk/base/fd.h"
#include "sdk/base/log.h"
#include "sdk/base/map.h"
#include "sdk/base/vec.h"
#include "sdk/wire/pb_writer.h"

#define STATUS_MAX (64 * 1024)
#define CMDLINE_MAX (32 * 1024)
#define CGROUP_MAX 8192
#define PACKET_SOFT_MAX (48 * 1024)
#define LINK_MAX 4096
#define FDS_PER_TICK 1000
/* Slices are half a millisecond apart: a child that forked to stay gets its entry after 100 ms. */
#define EXEC_TRIES_MAX 200

struct process_stats {
    struct orma_source source;
    int proc_fd;
    bool record_threads; /* names */
    bool record_age;
    bool skip_main_thread;
    bool on_demand;
    bool scan_at_start;
    bool resolve_fds;
    struct orma_map seen; /* pid -> 1 */
    bool cleared;         /* the next packet says that state was forgotten */

    DIR *walk; /* NULL: no scan under way */
    DIR *tasks;
    int32_t tasks_tgid;
    uint32_t *queue;
    size_t queue_num, queue_cap, queue_at;
    struct event *slice;
    int32_t exec_pid;    /* to be looked at again in the next slice; 0: none */
    uint32_t exec_tries; /* of all such */

    struct orma_buf packet; /* ProcessTree that is being built; empty: none */
    size_t tree;            /* orma_pb_begin() of it */
    struct orma_buf text;
    struct orma_process_poll *poll;   /* NULL: no counters wanted */
    struct orma_process_execs *execs; /* NULL: not possible here, or not wanted */
};

static struct process_stats *stats_of(struct orma_source *source)
{
    return ORMA_CONTAINER_OF(source, struct process_stats, source);
}

static void packet_open(struct process_stats *self)
{
    if (self->packet.len)
        return;
    orma_source_put_time(&self->packet, orma_clock_boottime());
    if (self->cleared)
        orma_pb_put_u64(&self->packet, ORMA_PB_TRACE_PACKET_INCREMENTAL_STATE_CLEARED, 1);
    self->cleared = false;
    self->tree = orma_pb_begin(&self->packet, ORMA_PB_TRACE_PACKET_PROCESS_TREE);
}

static void packet_close(struct process_stats *self)
{
    if (!self->packet.len)
        return;
    orma_pb_put_u64(&self->packet, ORMA_PB_PROCESS_TREE_COLLECTION_END_TIMESTAMP,
                    orma_clock_boottime());
    orma_pb_end(&self->packet, self->tree);
    (void)orma_source_sink_put_buf(self->source.sink,
                                   &self->packet); /* lost: the writer counts it */
}

static void put_cmdline(struct process_stats *self, int32_t pid, struct orma_str name)
{
    struct orma_buf *out = &self->packet;
    struct orma_str rest, arg;

    if (!orma_proc_read(self->proc_fd, pid, "cmdline", CMDLINE_MAX, &self->text))
        self->text.len = 0;
    rest = orma_buf_str(&self->text);
    while (rest.len && rest.data[rest.len - 1] == '\0')
        rest.len--;
    if (!rest.len) {
        orma_pb_put_str(out, ORMA_PB_PROCESS_TREE_PROCESS_CMDLINE, name);
        orma_pb_put_u64(out, ORMA_PB_PROCESS_TREE_PROCESS_CMDLINE_IS_COMM, 1);
        return;
    }
    while (orma_str_cut(&rest, '\0', &arg))
        orma_pb_put_str(out, ORMA_PB_PROCESS_TREE_PROCESS_CMDLINE, arg);
}

static void put_age(struct process_stats *self, int32_t pid)
{
    struct orma_proc_stat stat;
    uint64_t tick_ns = 1000000000u / (uint64_t)sysconf(_SC_CLK_TCK);

    if (orma_proc_read(self->proc_fd, pid, "stat", STATUS_MAX, &self->text) &&
        orma_proc_parse_stat(orma_buf_str(&self->text), &stat))
        orma_pb_put_u64(&self->packet, ORMA_PB_PROCESS_TREE_PROCESS_PROCESS_START_FROM_BOOT,
                        stat.start_time * tick_ns);
}

static void put_cgroup(struct process_stats *self, int32_t pid)
{
    struct orma_str path;

    if (!orma_proc_read(self->proc_fd, pid, "cgroup", CGROUP_MAX, &self->text))
        return;
    path = orma_proc_parse_cgroup(orma_buf_str(&self->text));
    if (path.len)
        orma_pb_put_str(&self->packet, ORMA_PB_PROCESS_TREE_PROCESS_ORMA_CGROUP, path);
}

static void put_process(struct process_stats *self, const struct orma_proc_status *s)
{
    struct orma_buf *out = &self->packet;
    char name[64];
    struct orma_str copy = {name, ORMA_MIN(s->name.len, sizeof(name))};

    memcpy(name, s->name.data ? s->name.data : "", copy.len); /* `text` is read into again */
    packet_open(self);
    size_t begun = orma_pb_begin(out, ORMA_PB_PROCESS_TREE_PROCESSES);
    orma_pb_put_i64(out, ORMA_PB_PROCESS_TREE_PROCESS_PID, s->pid);
    orma_pb_put_i64(out, ORMA_PB_PROCESS_TREE_PROCESS_PPID, s->ppid);
    orma_pb_put_i64(out, ORMA_PB_PROCESS_TREE_PROCESS_UID, (int32_t)s->uid);
    for (unsigned i = 1; i < s->nspid_num; i++)
        orma_pb_put_i64(out, ORMA_PB_PROCESS_TREE_PROCESS_NSPID, s->nspid[i]);
    const bool is_kthread = s->has_kthread ? s->is_kthread : s->pid == 2 || s->ppid == 2;
    if (is_kthread)
        orma_pb_put_u64(out, ORMA_PB_PROCESS_TREE_PROCESS_IS_KTHREAD, 1);
    put_cmdline(self, s->pid, copy);
    if (self->record_age)
        put_age(self, s->pid);
    if (!is_kthread)
        put_cgroup(self, s->pid);
    orma_pb_end(out, begun);
}

static void put_thread(struct process_stats *self, const struct orma_proc_status *s)
{
    struct orma_buf *out = &self->packet;

    packet_open(self);
    size_t begun = orma_pb_begin(out, ORMA_PB_PROCESS_TREE_THREADS);
    orma_pb_put_i64(out, ORMA_PB_PROCESS_TREE_THREAD_TID, s->pid);
    orma_pb_put_i64(out, ORMA_PB_PROCESS_TREE_THREAD_TGID, s->tgid);
    if (self->record_threads && s->name.len)
        orma_pb_put_str(out, ORMA_PB_PROCESS_TREE_THREAD_NAME, s->name);
    for (unsigned i = 1; i < s->nspid_num; i++)
        orma_pb_put_i64(out, ORMA_PB_PROCESS_TREE_THREAD_NSTID, s->nspid[i]);
    orma_pb_end(out, begun);
}

static bool is_seen(const struct process_stats *self, int32_t pid)
{
    return orma_map_get(&self->seen, (uint32_t)pid) != ORMA_MAP_NONE;
}

static void mark_seen(struct process_stats *self, int32_t pid)
{
    (void)orma_map_put(&self->seen, (uint32_t)pid, 1); /* no memory: it may be told twice */
}

/* Whether it runs the program of this process: a child that has not called exec() yet does. */
static bool runs_our_program(const struct process_stats *self, int32_t pid)
{
    char path[64], theirs[4096], ours[4096];

    (void)snprintf(path, sizeof(path), "%d/exe", pid); /* fits */
    ssize_t n = readlinkat(self->proc_fd, path, theirs, sizeof(theirs));
    return n > 0 && readlink("/proc/self/exe", ours, sizeof(ours)) == n &&
           !memcmp(theirs, ours, (size_t)n);
}

/*
 * A recorder that carries the probes starts its command while they scan. Between fork and exec
 * the command has the recorder's name, which would stay: such a child is looked at again.
 */
static bool waits_for_exec(struct process_stats *self, const struct orma_proc_status *s)
{
    if (s->ppid != getpid() || self->exec_tries >= EXEC_TRIES_MAX ||
        !runs_our_program(self, s->pid))
        return false;
    self->exec_tries++;
    self->exec_pid = s->pid;
    return true;
}

/* A process by its own number: its entry, and that of its main thread. */
static void look_at_process(struct process_stats *self, const struct orma_proc_status *s)
{
    mark_seen(self, s->pid);
    if (!self->skip_main_thread)
        put_thread(self, s); /* first: the name points into the text that put_process() reuses */
    put_process(self, s);
}

/* Any number, of a process or of a thread. Those that are gone are left out. */
static void look_at(struct process_stats *self, int32_t pid)
{
    struct orma_proc_status status, leader;

    if (pid <= 0 || is_seen(self, pid) ||
        !orma_proc_read(self->proc_fd, pid, "status", STATUS_MAX, &self->text) ||
        !orma_proc_parse_status(orma_buf_str(&self->text), &status))
        return;
    if (status.pid != pid)
        return; /* a /proc of another namespace */
    if (status.tgid == pid) {
        if (!waits_for_exec(self, &status))
            look_at_process(self, &status);
        return;
    }
    mark_seen(self, pid);
    put_thread(self, &status);
    if (!is_seen(self, status.tgid) &&
        orma_proc_read(self->proc_fd, status.tgid, "status", STATUS_MAX, &self->text) &&
        orma_proc_parse_status(orma_buf_str(&self->text), &leader) && leader.pid == leader.tgid)
        look_at_process(self, &leader);
}

/* "123", but not "self". */
static bool is_pid(const char *name, int32_t *ret)
{
    uint64_t num;

    if (!orma_str_to_u64(orma_str_from(name), &num) || !num || num > INT32_MAX || name[0] == '0')
        return false;
    *ret = (int32_t)num;
    return true;
}

static DIR *open_tasks(struct process_stats *self, int32_t pid)
{
    char path[64];

    (void)snprintf(path, sizeof(path), "%d/task", pid); /* fits */
    int fd = openat(self->proc_fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    if (!dir)
        orma_fd_close(&fd);
    return dir;
}

static void close_dir(DIR **dir)
{
    if (*dir)
        (void)closedir(*dir); /* read only */
    *dir = NULL;
}

/* One step of the initial scan. False: it is over. */
static bool walk_step(struct process_stats *self)
{
    struct dirent *entry;
    int32_t pid;

    if (self->tasks) {
        entry = readdir(self->tasks);
        if (!entry)
            close_dir(&self->tasks);
        else if (is_pid(entry->d_name, &pid) && pid != self->tasks_tgid)
            look_at(self, pid);
        return true;
    }
    entry = readdir(self->walk);
    if (!entry) {
        close_dir(&self->walk);
        return false;
    }
    if (!is_pid(entry->d_name, &pid))
        return true;
    look_at(self, pid);
    self->tasks = open_tasks(self, pid);
    self->tasks_tgid = pid;
    return true;
}

/* One step of whatever waits. False: nothing does. */
static bool step(struct process_stats *self)
{
    if (self->queue_at < self->queue_num) {
        look_at(self, (int32_t)self->queue[self->queue_at++]);
        return true;
    }
    self->queue_at = self->queue_num = 0;
    return self->walk && walk_step(self);
}

static void enqueue(struct process_stats *self, uint32_t pid)
{
    if (ORMA_GROW(&self->queue, &self->queue_cap, self->queue_num + 1))
        return; /* this one stays without a name */
    self->queue[self->queue_num++] = pid;
}

/* True if something is left. */
static bool run_slice(struct process_stats *self, uint64_t limit_ns)
{
    uint64_t begun = orma_clock_monotonic();
    bool more;

    if (self->exec_pid) {
        enqueue(self, (uint32_t)self->exec_pid);
        self->exec_pid = 0;
    }
    while ((more = step(self))) {
        if (self->packet.len > PACKET_SOFT_MAX)
            packet_close(self);
        if (orma_clock_monotonic() - begun > limit_ns)
            break;
    }
    packet_close(self);
    return more || self->exec_pid;
}

static void wake(struct process_stats *self)
{
    const struct timeval soon = {.tv_usec = 500};

    if (self->slice)
        (void)evtimer_add(self->slice, &soon); /* fails for bad arguments only */
}

static void on_slice(evutil_socket_t fd, short what, void *arg)
{
    struct process_stats *self = arg;

    (void)fd;
    (void)what;
    if (run_slice(self, ORMA_SOURCE_SLICE_NS))
        wake(self);
}

static void stats_seen(struct orma_source *source, const struct orma_source_idset *renamed,
                       const struct orma_source_idset *pids)
{
    struct process_stats *self = stats_of(source);

    if (!self->on_demand)
        return;
    for (uint32_t i = 0; i < renamed->fresh_num; i++)
        (void)orma_map_take(&self->seen, renamed->fresh[i]); /* may not be there */
    for (uint32_t i = 0; i < pids->fresh_num; i++) {
        if (pids->fresh[i] && !is_seen(self, (int32_t)pids->fresh[i]))
            enqueue(self, pids->fresh[i]);
    }
    if (self->queue_num)
        wake(self);
}

/* A packet of its own: its time is behind that of the exec, and before the end of the process. */
static void on_exec(void *ctx, int32_t pid)
{
    struct process_stats *self = ctx;

    packet_close(self);
    (void)orma_map_take(&self->seen, (uint32_t)pid); /* may not be there */
    look_at(self, pid);
    packet_close(self);
}

static bool stats_wants_fds(const struct orma_source *source)
{
    return stats_of((struct orma_source *)source)->resolve_fds;
}

static void put_fd(struct process_stats *self, struct orma_buf *out, int32_t pid, uint32_t fd)
{
    char path[64], target[LINK_MAX];
    size_t process, info;

    (void)snprintf(path, sizeof(path), "%d/fd/%u", pid, fd); /* fits */
    ssize_t len = readlinkat(self->proc_fd, path, target, sizeof(target));
    if (len < 0)
        return; /* closed again, or the process is gone */
    process = orma_pb_begin(out, ORMA_PB_PROCESS_STATS_PROCESSES);
    orma_pb_put_i64(out, ORMA_PB_PROCESS_STATS_PROCESS_PID, pid);
    info = orma_pb_begin(out, ORMA_PB_PROCESS_STATS_PROCESS_FDS);
    orma_pb_put_u64(out, ORMA_PB_PROCESS_STATS_FD_INFO_FD, fd);
    orma_pb_put_bytes(out, ORMA_PB_PROCESS_STATS_FD_INFO_PATH, target, (size_t)len);
    orma_pb_end(out, info);
    orma_pb_end(out, process);
}

static void stats_fds(struct orma_source *source, const struct orma_map *pairs)
{
    struct process_stats *self = stats_of(source);
    ORMA_AUTO(orma_buf_fini) struct orma_buf packet = {0};
    size_t begun, before, num = 0;

    orma_source_put_time(&packet, orma_clock_boottime());
    begun = orma_pb_begin(&packet, ORMA_PB_TRACE_PACKET_PROCESS_STATS);
    before = packet.len;
    ORMA_MAP_EACH (slot, pairs) {
        if (packet.len < PACKET_SOFT_MAX && num++ < FDS_PER_TICK)
            put_fd(self, &packet, (int32_t)(slot->key >> 32), (uint32_t)slot->key);
    }
    if (packet.len == before)
        return;
    orma_pb_end(&packet, begun);
    (void)orma_source_sink_put_buf(source->sink, &packet); /* lost: the writer counts it */
}

static void stats_finish(struct orma_source *source)
{
    struct process_stats *self = stats_of(source);

    orma_process_execs_take(self->execs);
    (void)run_slice(self, UINT64_MAX);
    source->sink->flush(source->sink);
}

static void stats_free(struct orma_source *source)
{
    struct process_stats *self = stats_of(source);

    orma_process_execs_free(self->execs);
    orma_process_poll_free(self->poll);
    if (self->slice)
        event_free(self->slice);
    close_dir(&self->tasks);
    close_dir(&self->walk);
    orma_fd_close(&self->proc_fd);
    free(self->queue);
    orma_map_fini(&self->seen);
    orma_buf_fini(&self->packet);
    orma_buf_fini(&self->text);
    free(self);
}

static void read_config(struct process_stats *self,
                        const Perfetto__Protos__ProcessStatsConfig *config)
{
    self->record_threads = config->has_record_thread_names && config->record_thread_names;
    self->record_age = config->has_record_process_age && config->record_process_age;
    self->skip_main_thread =
        config->has_skip_main_thread_message && config->skip_main_thread_message;
    self->resolve_fds = config->has_resolve_process_fds && config->resolve_process_fds;
    self->on_demand = true;
    self->scan_at_start =
        config->has_scan_all_processes_on_start && config->scan_all_processes_on_start;
    for (size_t i = 0; i < config->n_quirks; i++) {
        if (config->quirks[i] == PERFETTO__PROTOS__PROCESS_STATS_CONFIG__QUIRKS__DISABLE_ON_DEMAND)
            self->on_demand = false;
        if (config->quirks[i] ==
            PERFETTO__PROTOS__PROCESS_STATS_CONFIG__QUIRKS__DISABLE_INITIAL_DUMP)
            self->scan_at_start = false;
    }
}

static int stats_create(struct orma_source_env *env,
                        const Perfetto__Protos__DataSourceConfig *config,
                        struct orma_source_sink *sink, struct orma_source **ret)
{
    static const Perfetto__Protos__ProcessStatsConfig empty =
        PERFETTO__PROTOS__PROCESS_STATS_CONFIG__INIT;
    const Perfetto__Protos__ProcessStatsConfig *ps =
        config->process_stats_config ? config->process_stats_config : &empty;
    struct process_stats *self = calloc(1, sizeof(*self));
    int r = 0;

    if (!self)
        return -ENOMEM;
    self->source =
        (struct orma_source){.type = &orma_process_stats_source, .env = env, .sink = sink};
    read_config(self, ps);
    self->cleared = true;
    self->proc_fd = open(env->proc_root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (self->proc_fd < 0) {
        r = -errno;
        orma_log_error("linux.process_stats: %s: %s", env->proc_root, strerror(errno));
    }
    if (!r && !(self->slice = evtimer_new(env->base, on_slice, self)))
        r = -ENOMEM;
    if (!r)
        r = orma_process_poll_new(env, self->proc_fd, ps, sink, &self->poll);
    if (r < 0) {
        stats_free(&self->source);
        return r;
    }
    *ret = &self->source;
    return 0;
}

static void start_walk(struct process_stats *self)
{
    int fd = openat(self->proc_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    close_dir(&self->tasks);
    close_dir(&self->walk);
    self->walk = fd < 0 ? NULL : fdopendir(fd);
    if (!self->walk) {
        orma_log_warn("linux.process_stats: cannot scan processes: %s", strerror(errno));
        orma_fd_close(&fd);
    }
}

static void stats_start(struct orma_source *source)
{
    struct process_stats *self = stats_of(source);

    if (self->on_demand && !self->execs)
        self->execs = orma_process_execs_new(source->env, on_exec, self);
    if (self->scan_at_start) {
        start_walk(self);
        wake(self);
    }
    if (self->poll)
        orma_process_poll_start(self->poll);
}

static void stats_flush(struct orma_source *source, uint64_t flush_id)
{
    stats_finish(source);
    orma_source_flushed(source, flush_id);
}

static void stats_stop(struct orma_source *source)
{
    struct process_stats *self = stats_of(source);

    stats_finish(source);
    orma_process_execs_free(self->execs);
    self->execs = NULL;
    if (self->poll)
        orma_process_poll_stop(self->poll);
    orma_source_stopped(source);
}

static void stats_clear(struct orma_source *source)
{
    struct process_stats *self = stats_of(source);

    packet_close(self);
    orma_map_clear(&self->seen);
    self->cleared = true;
    if (self->poll)
        orma_process_poll_clear(self->poll);
    if (self->scan_at_start) {
        start_walk(self);
        wake(self);
    }
}

static const struct orma_source_process_ops process_ops = {
    .seen = stats_seen,
    .wants_fds = stats_wants_fds,
    .fds = stats_fds,
    .finish = stats_finish,
};

const struct orma_source_type orma_process_stats_source = {
    .name = "linux.process_stats",
    .handles_clear = true,
    .create = stats_create,
    .start = stats_start,
    .flush = stats_flush,
    .stop = stats_stop,
    .clear = stats_clear,
    .free = stats_free,
    .processes = &process_ops,
};
