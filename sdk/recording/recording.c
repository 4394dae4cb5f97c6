/*
 * A recording is a pool of private memory, a session of track events in it (and
 * sessions of other data sources), and a drain.
 *
 * `lock` guards the drain and the file. Writers that find no chunk free come in
 * through make_room(); they hold nothing then. Lock order: lock, then the
 * pool's. Sessions are begun and ended without it.
 */
#include "orma/recording.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "protos/fields/config.h"
#include "protos/fields/trace.h"
#include "sdk/base/assert.h"
#include "sdk/base/clock.h"
#include "sdk/base/cond.h"
#include "sdk/base/fd.h"
#include "sdk/base/fork.h"
#include "sdk/base/guard.h"
#include "sdk/base/replace.h"
#include "sdk/base/standard.h"
#include "sdk/base/thread.h"
#include "sdk/events/te.h"
#include "sdk/sources/ds.h"
#include "sdk/transport/pool_drain.h"
#include "sdk/wire/pb_writer.h"

#define BUFFER_KB_DEFAULT 4096u
#define BUFFER_KB_MAX (ORMA_SHM_SIZE_MAX >> 10)
#define BUFFER_KB_MIN 64u
#define PAGE_SIZE_SMALL 4096u
#define PAGE_SIZE_LARGE 16384u
/* The only buffer there is. */
#define TARGET 1u
#define SOURCES_MAX 16u
/* Chunks overwritten at a time: a few, so that the next ones come without asking. */
#define OVERWRITE_BATCH 4u
#define RENEWALS_PER_RING 32u

struct orma_recording {
    struct orma_list link;                       /* live.list */
    uint32_t life;                               /* orma_fork_generation() */
    enum { RUNNING, FINISHING, FINISHED } state; /* under live.lock */
    int result;                                  /* of finish() */
    struct orma_recording_counts counts;
    enum orma_recording_mode mode;
    int fd;
    bool owns_fd;
    struct orma_pool *pool;
    struct orma_te_session *te;
    struct orma_ds_session *sources[SOURCES_MAX];
    size_t sources_num;

    pthread_mutex_t lock; /* of the next three; with the guard, so without malloc() (guard.h) */
    struct orma_pool_drain drain;
    int error; /* first of the file */

    pthread_t thread;
    bool has_thread, quit; /* quit: under wake_lock */
    uint32_t period_ms;
    pthread_mutex_t wake_lock;
    pthread_cond_t wake;
};

/* Those that run: what is not stopped is finished at exit. */
static struct {
    pthread_mutex_t lock;
    struct orma_list list; /* orma_recording.link */
    bool at_exit;
} live = {.lock = PTHREAD_MUTEX_INITIALIZER, .list = {&live.list, &live.list}};

/* ---- file ---- */

/* With the lock. */
static void write_out(struct orma_recording *self)
{
    ORMA_ASSERT_HOT(orma_guard_is_locked(&self->lock));
    struct orma_buf *out = &self->drain.out;
    int r = out->failed ? -ENOMEM : 0;

    if (r == 0 && !self->error && out->len)
        r = orma_fd_write_unsignalled(self->fd, out->data, out->len);
    if (r < 0 && !self->error)
        self->error = r;
    orma_buf_clear(out);
}

static void put_snapshot(struct orma_recording *self)
{
    static const enum orma_clock clocks[] = {
        ORMA_CLOCK_BOOTTIME,  ORMA_CLOCK_REALTIME,         ORMA_CLOCK_REALTIME_COARSE,
        ORMA_CLOCK_MONOTONIC, ORMA_CLOCK_MONOTONIC_COARSE, ORMA_CLOCK_MONOTONIC_RAW,
    };
    struct orma_buf b = {.own_mem = true};
    size_t at = orma_pb_begin(&b, ORMA_PB_TRACE_PACKET_CLOCK_SNAPSHOT);

    for (size_t i = 0; i < ORMA_ARRAY_LEN(clocks); i++) {
        size_t clock = orma_pb_begin(&b, ORMA_PB_CLOCK_SNAPSHOT_CLOCKS);

        orma_pb_put_u64(&b, ORMA_PB_CLOCK_SNAPSHOT_CLOCK_CLOCK_ID, clocks[i]);
        orma_pb_put_u64(&b, ORMA_PB_CLOCK_SNAPSHOT_CLOCK_TIMESTAMP, orma_clock_now(clocks[i]));
        orma_pb_end(&b, clock);
    }
    orma_pb_put_u64(&b, ORMA_PB_CLOCK_SNAPSHOT_PRIMARY_TRACE_CLOCK, ORMA_CLOCK_BOOTTIME);
    orma_pb_end(&b, at);
    if (!b.failed)
        orma_pool_drain_add(&self->drain, b.data, b.len);
    orma_buf_fini(&b);
}

/* ---- the pool's side ---- */

static void wake(void *ctx)
{
    (void)ctx; /* the thread, if there is one, looks by the clock */
}

static bool make_room(void *ctx)
{
    struct orma_recording *self = ctx;

    orma_guard_lock(&self->lock);
    if (self->mode == ORMA_RECORDING_STREAM) {
        orma_pool_drain_all(&self->drain);
        write_out(self);
    } else if (self->mode == ORMA_RECORDING_RING) {
        (void)orma_pool_drain_overwrite(&self->drain, OVERWRITE_BATCH); /* none: others made room */
    }
    orma_guard_unlock(&self->lock);
    return self->mode != ORMA_RECORDING_DISCARD;
}

static const struct orma_pool_ops pool_ops = {
    .wake = wake, .make_room = make_room, .room_from_any = true};

static void unmap(void *base, size_t size)
{
    munmap(base, size);
}

static int make_pool(struct orma_recording *self, uint32_t kb)
{
    uint32_t page = kb >= 4096 ? PAGE_SIZE_LARGE : PAGE_SIZE_SMALL;
    size_t size = (size_t)kb * 1024 / page * page;
    void *base = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (base == MAP_FAILED)
        return -errno;
    int r = orma_pool_new(base, size, page, unmap, &pool_ops, self, &self->pool);
    if (r < 0)
        munmap(base, size);
    return r;
}

/* ---- the thread ---- */

static void *run(void *arg)
{
    struct orma_recording *self = arg;
    bool quit = false;

    while (!quit) {
        struct timespec end = orma_cond_in_ms(self->period_ms);

        pthread_mutex_lock(&self->wake_lock);
        while (!self->quit && pthread_cond_timedwait(&self->wake, &self->wake_lock, &end) == 0)
            ;
        quit = self->quit;
        pthread_mutex_unlock(&self->wake_lock);
        (void)make_room(self);
    }
    return NULL;
}

static void stop_thread(struct orma_recording *self)
{
    if (!self->has_thread)
        return;
    pthread_mutex_lock(&self->wake_lock);
    self->quit = true;
    pthread_cond_signal(&self->wake);
    pthread_mutex_unlock(&self->wake_lock);
    pthread_join(self->thread, NULL);
}

/* ---- sessions ---- */

static void source_stopped(void *ctx, uint64_t id)
{
    struct orma_recording *self = ctx;

    self->sources[id] = NULL;
}

static void run_here(void *ctx, void (*fn)(void *arg), void *arg)
{
    (void)ctx;
    fn(arg);
}

static int start_source(struct orma_recording *self, struct orma_str name)
{
    const struct orma_ds_home home = {.stopped = source_stopped, .run = run_here, .ctx = self};
    struct orma_data_source *source = orma_ds_find(name);
    struct orma_buf config = {0};

    if (!source)
        return -ENOENT;
    if (self->sources_num == SOURCES_MAX)
        return -ENOSPC;
    orma_pb_put_str(&config, ORMA_PB_DATA_SOURCE_CONFIG_NAME, name);
    size_t id = self->sources_num;
    int r = config.failed
                ? -ENOMEM
                : orma_ds_session_new(source, id, orma_buf_str(&config), self->pool, TARGET,
                                      orma_ds_policy(source, orma_buf_str(&config)), &home,
                                      &self->sources[id]);
    orma_buf_fini(&config);
    if (r == 0) {
        self->sources_num++;
        orma_ds_session_start(self->sources[id]);
    }
    return r;
}

/* A ring loses beginnings: so often that not much of it is lost with them, nor taken up by them. */
static uint32_t renew_chunks(const struct orma_recording *self)
{
    if (self->mode != ORMA_RECORDING_RING)
        return 0;
    return ORMA_MAX(self->pool->shm.pages_num / RENEWALS_PER_RING, 1u);
}

static int start_sessions(struct orma_recording *self, const struct orma_recording_args *args)
{
    struct orma_str rest = orma_str_from(args->sources), one;
    struct orma_buf config = {0};

    orma_tsc_check(!orma_te.no_tsc);
    orma_te_config_put_patterns(&config, args->categories);
    orma_buf_put(&config, args->track_events, args->track_events_len);
    /* DROP: with make_room() there is room, or there shall be none. */
    int r = config.failed ? -ENOMEM
                          : orma_te_session_new(orma_buf_str(&config), self->pool, TARGET,
                                                ORMA_POLICY_DROP, renew_chunks(self), &self->te);
    orma_buf_fini(&config);
    while (r == 0 && orma_str_cut(&rest, ',', &one))
        r = start_source(self, orma_str_trim(one));
    return r;
}

static int stop_sessions(struct orma_recording *self)
{
    for (size_t i = 0; i < self->sources_num; i++) {
        if (self->sources[i])
            orma_ds_session_stop(self->sources[i]);
        /* A deferred one ends on the thread that says so. */
        while (__atomic_load_n(&self->sources[i], __ATOMIC_ACQUIRE))
            nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    return self->te ? orma_te_session_free(self->te) : 0;
}

/* ---- beginning and end ---- */

static void free_recording(struct orma_recording *self)
{
    orma_pool_drain_fini(&self->drain);
    if (self->pool)
        orma_pool_close(self->pool);
    orma_pool_unref(self->pool);
    if (self->owns_fd)
        orma_fd_close(&self->fd);
    pthread_mutex_destroy(&self->lock);
    pthread_mutex_destroy(&self->wake_lock);
    pthread_cond_destroy(&self->wake);
    free(self);
}

static int open_file(struct orma_recording *self, const struct orma_recording_args *args)
{
    self->fd = args->fd;
    if (!args->path)
        return args->fd < 0 ? -EINVAL : 0;
    self->fd = open(args->path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    self->owns_fd = self->fd >= 0;
    int r = self->fd < 0 ? -errno : orma_replace_begin(&self->fd, args->path);
    if (r < 0)
        return r;
    self->fd = orma_standard_avoid(self->fd);
    return ORMA_MIN(self->fd, 0);
}

static int start(struct orma_recording *self, const struct orma_recording_args *args)
{
    uint32_t kb = args->buffer_kb ? args->buffer_kb : BUFFER_KB_DEFAULT;
    int r = open_file(self, args);

    if (r == 0)
        r = make_pool(self, kb);
    if (r < 0)
        return r;
    orma_pool_drain_init(&self->drain, self->pool);
    put_snapshot(self);
    r = start_sessions(self, args);
    if (r == 0 && args->write_period_ms && self->mode == ORMA_RECORDING_STREAM) {
        self->period_ms = args->write_period_ms;
        r = orma_thread_start(&self->thread, NULL, run, self);
        self->has_thread = r == 0;
    }
    return r;
}

/* Ends the sessions and writes everything; `self` stays. */
static void finish(struct orma_recording *self)
{
    self->result = stop_sessions(self);
    stop_thread(self);
    orma_guard_lock(&self->lock);
    orma_pool_drain_all(&self->drain);
    orma_pool_drain_counts(&self->drain, &self->counts.emitted, &self->counts.dropped);
    self->counts.written = self->drain.written;
    self->counts.overwritten = self->drain.overwritten + self->drain.cut;
    put_snapshot(self);
    orma_pool_drain_add_stats(&self->drain);
    write_out(self);
    if (self->result == 0)
        self->result = self->error ? self->error : orma_fd_settle(self->fd);
    orma_guard_unlock(&self->lock);
}

static void set_finished(struct orma_recording *self)
{
    finish(self);
    pthread_mutex_lock(&live.lock);
    self->state = FINISHED;
    pthread_mutex_unlock(&live.lock);
}

/* With live.lock. */
static void claim(struct orma_recording *self)
{
    ORMA_ASSERT_HOT(orma_guard_is_locked(&live.lock) && self->state == RUNNING);
    self->state = FINISHING;
    orma_list_remove(&self->link);
}

/* Whoever is first, stop or exit, finishes it; the other waits. */
static void finish_once(struct orma_recording *self)
{
    pthread_mutex_lock(&live.lock);
    bool mine = self->state == RUNNING;
    if (mine)
        claim(self);
    while (!mine && self->state != FINISHED) {
        pthread_mutex_unlock(&live.lock);
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        pthread_mutex_lock(&live.lock);
    }
    pthread_mutex_unlock(&live.lock);
    if (mine)
        set_finished(self);
}

/* At exit. Others may still use them, or stop them: they are finished, not freed. */
static void finish_all(void)
{
    struct orma_recording *r;

    (void)orma_fork_check();
    do {
        pthread_mutex_lock(&live.lock);
        r = orma_list_empty(&live.list)
                ? NULL
                : ORMA_CONTAINER_OF(live.list.next, struct orma_recording, link);
        if (r)
            claim(r);
        pthread_mutex_unlock(&live.lock);
        if (r)
            set_finished(r);
    } while (r);
}

static void add_to_live(struct orma_recording *self)
{
    pthread_mutex_lock(&live.lock);
    orma_list_insert(&live.list, &self->link);
    if (!live.at_exit)
        live.at_exit = atexit(finish_all) == 0 && at_quick_exit(finish_all) == 0;
    pthread_mutex_unlock(&live.lock);
}

/* The files are the parent's, and so is what its threads were writing. */
static void after_fork(void)
{
    live.lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    orma_list_init(&live.list);
}

int orma_recording_start(const struct orma_recording_args *args, struct orma_recording **ret)
{
    ORMA_HUSHED;
    struct orma_recording_args full = ORMA_RECORDING_ARGS;
    struct orma_recording *self;

    if (!args || !ret || args->struct_size < offsetof(struct orma_recording_args, path))
        return -EINVAL;
    memcpy(&full, args, ORMA_MIN(args->struct_size, sizeof(full)));
    if (full.mode > ORMA_RECORDING_DISCARD || full.buffer_kb > BUFFER_KB_MAX ||
        (full.buffer_kb && full.buffer_kb < BUFFER_KB_MIN))
        return -EINVAL;
    if (!(self = calloc(1, sizeof(*self))))
        return -ENOMEM;
    (void)orma_fork_check();
    orma_fork_watch(NULL, NULL, after_fork);
    self->life = orma_fork_generation();
    self->mode = (enum orma_recording_mode)full.mode;
    pthread_mutex_init(&self->lock, NULL);
    pthread_mutex_init(&self->wake_lock, NULL);
    orma_cond_init(&self->wake);
    int r = start(self, &full);
    if (r < 0) {
        if (stop_sessions(self) == 0)
            free_recording(self);
        return r;
    }
    add_to_live(self);
    *ret = self;
    return 0;
}

static int recording_state(struct orma_recording *self)
{
    pthread_mutex_lock(&live.lock);
    int state = self->state;
    pthread_mutex_unlock(&live.lock);
    return state;
}

int orma_recording_flush(struct orma_recording *recording)
{
    ORMA_HUSHED;

    if (!recording)
        return -EINVAL;
    (void)orma_fork_check();
    if (recording->life != orma_fork_generation())
        return -ECANCELED;
    if (recording_state(recording) != RUNNING)
        return 0; /* at exit: it has all, or is getting it */
    orma_te_session_flush(recording->te);
    for (size_t i = 0; i < recording->sources_num; i++) {
        if (recording->sources[i])
            orma_ds_session_flush(recording->sources[i]);
    }
    if (recording->mode == ORMA_RECORDING_STREAM)
        (void)make_room(recording);
    orma_guard_lock(&recording->lock);
    int r = recording->error;
    orma_guard_unlock(&recording->lock);
    return r;
}

int orma_recording_stop(struct orma_recording *recording, struct orma_recording_counts *ret)
{
    ORMA_HUSHED;

    if (!recording)
        return -EINVAL;
    (void)orma_fork_check();
    if (recording->life != orma_fork_generation())
        return -ECANCELED; /* and stays in memory: its locks may be held by nobody */
    finish_once(recording);
    int r = recording->result;
    if (ret)
        *ret = recording->counts;
    if (r != -ETIMEDOUT) /* else some thread may come back into it: it stays */
        free_recording(recording);
    return r;
}
