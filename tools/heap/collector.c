/*
 * The thread holds `lock` but where it looks at files of programs: between leave() and come_back(),
 * only what is of linux.perf is its own, and the sums can be written by others, whole.
 *
 * A record of the ring is copied, checked, and its bytes are cleared before they are given back.
 * Stacks go through the encoder of linux.perf, which names functions and interns; the heap packets
 * are on the same sequence and refer to its call stacks by their numbers.
 */
#include "tools/heap/collector.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "probes/perf/encode.h"
#include "protos/fields/common.h"
#include "protos/fields/trace.h"
#include "sdk/base/clock.h"
#include "sdk/base/fd.h"
#include "sdk/heap/shared.h"
#include "sdk/wire/pb_writer.h"
#include "tools/heap/collector_parts.h"
#include "tools/heap/pids.h"

#define TURN_NS 2000000
#define STAT_BYTES_MAX 4096u

/* ---- the trace ---- */

static void flush_nothing(struct orma_source_sink *sink)
{
    (void)sink; /* each packet is written at once */
}

/* ---- life ---- */

/* Whoever waits for us finds out that we died. The C library's own list is for locks that we do not
 * use. */
static void own_header(struct orma_heap_collector *self)
{
    self->owner.next = &self->robust.list;
    self->robust.list.next = &self->owner;
    self->robust.futex_offset = (long)((char *)&self->shared->owner - (char *)&self->owner);
    if (syscall(SYS_set_robust_list, &self->robust, sizeof(self->robust)) == 0)
        self->ring.owner = (uint32_t)gettid();
    atomic_store(&self->shared->owner, self->ring.owner);
}

static void disown_header(struct orma_heap_collector *self)
{
    self->robust.list.next = &self->robust.list;
    (void)syscall(SYS_set_robust_list, NULL, sizeof(self->robust)); /* its memory goes */
    atomic_store(&self->shared->owner, 0);
}

/* Since when it runs, in BOOTTIME. 0: it ended, and a zombie writes nothing any more; UINT64_MAX:
 * not known. */
static uint64_t start_of(uint32_t pid)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf stat = {0};
    unsigned long long ticks;
    char path[64], state;

    snprintf(path, sizeof(path), "/proc/%u/stat", pid);
    int r = orma_fd_read_file(AT_FDCWD, path, STAT_BYTES_MAX, &stat);
    const char *name_end = r < 0 ? NULL : strrchr(orma_buf_cstr(&stat), ')');

    if (r == -ENOENT || r == -ESRCH)
        return 0;
    if (!name_end || sscanf(name_end,
                            ") %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
                            "%*s %*s %llu",
                            &state, &ticks) != 2)
        return UINT64_MAX;
    if (state == 'Z' || state == 'X')
        return 0;
    return (uint64_t)((double)ticks * 1e9 / (double)sysconf(_SC_CLK_TCK));
}

static bool is_alive(void *ctx, uint64_t pid_space, uint32_t pid)
{
    struct orma_heap_collector *self = ctx;
    uint32_t here = orma_heap_pids_find(&self->pids, pid_space, pid, false);

    return !here || here > ORMA_HEAP_PID_MAX || start_of(here) != 0;
}

/* Not others that got a number anew. */
static uint64_t count_running(const struct orma_heap_collector *self)
{
    uint64_t ret = 0;

    ORMA_MAP_EACH (slot, &self->process_of) {
        const struct orma_heap_process *p = (const void *)(uintptr_t)slot->val;
        uint64_t start_ns = slot->key > ORMA_HEAP_PID_MAX ? 0 : start_of((uint32_t)slot->key);

        ret += start_ns && start_ns <= p->start;
    }
    return ret;
}

/*
 * Our pages of the memory: another, to which nobody else may write from here on. Kernels before 5.1
 * have no such seal: there they are as the rest, and what others write into them is noticed
 * (ring.h).
 */
static int map_reader(struct orma_heap_collector *self)
{
    const int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_FUTURE_WRITE | F_SEAL_SEAL;

    self->reader_fd = memfd_create("orma-heap-reader", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (self->reader_fd < 0 || fallocate(self->reader_fd, 0, 0, ORMA_HEAP_READER_BYTES) < 0)
        return -errno;
    void *pages =
        mmap(NULL, ORMA_HEAP_READER_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, self->reader_fd, 0);
    if (pages == MAP_FAILED)
        return -errno;
    if (fcntl(self->reader_fd, F_ADD_SEALS, seals) < 0) {
        (void)munmap(pages, ORMA_HEAP_READER_BYTES);
        orma_fd_close(&self->reader_fd);
        return 0;
    }
    if (mremap(pages, ORMA_HEAP_READER_BYTES, ORMA_HEAP_READER_BYTES, MREMAP_MAYMOVE | MREMAP_FIXED,
               self->shared) != MAP_FAILED)
        return 0;
    int r = -errno;
    (void)munmap(pages, ORMA_HEAP_READER_BYTES);
    return r;
}

/*
 * The pages are there before anybody writes to them: a program that found no memory for them would
 * get a signal, as would one whose file became shorter, or that may make no large files. So would
 * we: who gave us the file may change its size until it is sealed.
 */
static int make_memory(struct orma_heap_collector *self, uint64_t interval)
{
    const size_t size = ORMA_HEAP_RING_AT + ORMA_HEAP_RING_BYTES;
    struct stat st;

    if (fallocate(self->fd, 0, 0, (off_t)size) < 0 ||
        fcntl(self->fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) < 0 || fstat(self->fd, &st) < 0)
        return -errno;
    if ((uint64_t)st.st_size != size)
        return -EBADMSG;
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, self->fd, 0);
    if (memory == MAP_FAILED)
        return -errno;
    self->shared = memory;
    self->ring = (struct orma_heap_ring){.shared = memory,
                                         .bytes = (uint8_t *)memory + ORMA_HEAP_RING_AT,
                                         .is_alive = is_alive,
                                         .ctx = self};
    int r = self->seals_reader ? map_reader(self) : 0;
    if (r < 0)
        return r;
    self->shared->magic = ORMA_HEAP_MAGIC;
    self->shared->interval = self->ring.interval = interval;
    self->shared->on = 1;
    own_header(self);
    /* Last: from here on, a program that waits for it reads the header. */
    return fcntl(self->fd, F_ADD_SEALS, F_SEAL_SEAL) < 0 ? -errno : 0;
}

static int make_ring(struct orma_heap_collector *self, uint64_t interval)
{
    self->fd = memfd_create("orma-heap", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (self->fd < 0)
        return -errno;
    self->seals_reader = true;
    int r = make_memory(self, interval), pid = (int)getpid();
    snprintf(self->path, sizeof(self->path), "/proc/%d/fd/%d", pid, self->fd);
    if (self->reader_fd >= 0)
        snprintf(self->path, sizeof(self->path), "/proc/%d/fd/%d:/proc/%d/fd/%d", pid, self->fd,
                 pid, self->reader_fd);
    return r;
}

#define SEAL_EXEC 0x20 /* of vm.memfd_noexec: it never was a program, and will be none */

/* The file of a program that ran before us: a memfd that is empty, and nothing else. */
static int take_ring(struct orma_heap_collector *self, uint64_t interval, int fd)
{
    struct stat st;
    int seals;

    self->fd = fcntl(fd, F_DUPFD_CLOEXEC, 3); /* and our pages in it: it is one program's */
    if (self->fd < 0)
        return -errno;
    seals = fcntl(fd, F_GET_SEALS);
    if (seals < 0 || seals & ~SEAL_EXEC || fstat(fd, &st) < 0 || st.st_size)
        return -EBADMSG;
    return make_memory(self, interval);
}

static void put_clock_value(struct orma_buf *out, uint32_t id, uint64_t value)
{
    size_t clock = orma_pb_begin(out, ORMA_PB_CLOCK_SNAPSHOT_CLOCKS);

    orma_pb_put_u64(out, ORMA_PB_CLOCK_SNAPSHOT_CLOCK_CLOCK_ID, id);
    orma_pb_put_u64(out, ORMA_PB_CLOCK_SNAPSHOT_CLOCK_TIMESTAMP, value);
    orma_pb_end(out, clock);
}

/* Readers want to know of a clock before it is used. Times in heap profiles are MONOTONIC_COARSE.
 */
static void put_clock(struct orma_heap_collector *self)
{
    struct orma_buf *out = &self->packet;

    orma_pb_put_u64(out, ORMA_PB_TRACE_PACKET_TIMESTAMP, self->started_ns);
    size_t snapshot = orma_pb_begin(out, ORMA_PB_TRACE_PACKET_CLOCK_SNAPSHOT);
    put_clock_value(out, ORMA_PB_BUILTIN_CLOCK_BOOTTIME, self->started_ns);
    put_clock_value(out, ORMA_PB_BUILTIN_CLOCK_MONOTONIC_COARSE, self->started_ns - self->ahead_ns);
    orma_pb_end(out, snapshot);
    (void)orma_heap_collector_put_own(self, out);
    orma_buf_clear(out);
}

int orma_heap_collector_new(uint64_t interval, int shared_fd, int out_fd,
                            struct orma_heap_collector **ret)
{
    const Perfetto__Protos__PerfEventConfig config = PERFETTO__PROTOS__PERF_EVENT_CONFIG__INIT;
    struct orma_heap_collector *self = calloc(1, sizeof(*self));
    int r;

    if (!self)
        return -ENOMEM;
    self->fd = self->reader_fd = -1;
    self->out_fd = out_fd;
    self->processes.proc_fd = -1;
    self->sink =
        (struct orma_source_sink){.put = orma_heap_collector_put_encoded, .flush = flush_nothing};
    self->plan = (struct orma_perf_plan){.stacks = true,
                                         .user_frames = true,
                                         .unwind = ORMA_PERF_REGS_MASK != 0,
                                         .names = true,
                                         .on_exec = true,
                                         .stack_bytes = ORMA_HEAP_STACK_MAX,
                                         .clock_id = ORMA_PB_BUILTIN_CLOCK_BOOTTIME};
    self->plan.events[0].attr.clockid = CLOCK_BOOTTIME;
    (void)pthread_mutex_init(&self->lock, NULL);
    orma_heap_pids_init(&self->pids, ORMA_HEAP_PROCESSES_MAX);
    r = shared_fd < 0 ? make_ring(self, interval) : take_ring(self, interval, shared_fd);
    if (r == 0)
        r = orma_perf_processes_init(&self->processes, "/proc", &config);
    if (r < 0) {
        orma_heap_collector_free(self);
        return r;
    }
    self->processes.all_wanted = true;
    orma_perf_encoder_init(&self->encoder, &self->plan, &self->processes, &self->sink);
    self->encoder.hidden = "liborma_heap.so";
    self->started_ns = orma_clock_boottime();
    self->ahead_ns = self->started_ns - orma_clock_monotonic();
    put_clock(self);
    *ret = self;
    return 0;
}

void orma_heap_collector_free(struct orma_heap_collector *self)
{
    if (!self)
        return;
    if (self->shared) {
        self->shared->on = 0; /* nobody need wait for us */
        /* Programs keep the mapping, but need not keep the memory. */
        (void)fallocate(self->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, ORMA_HEAP_RING_AT,
                        ORMA_HEAP_RING_BYTES);
        if (self->given_up)
            return; /* the thread may go on one day, with what it uses */
        disown_header(self);
        (void)munmap(self->shared, ORMA_HEAP_RING_AT + ORMA_HEAP_RING_BYTES);
    }
    ORMA_MAP_EACH (slot, &self->live)
        free((void *)(uintptr_t)slot->val);
    ORMA_MAP_EACH (slot, &self->process_of) {
        orma_buf_fini(&((struct orma_heap_process *)(uintptr_t)slot->val)->maps);
        free((void *)(uintptr_t)slot->val);
    }
    orma_map_fini(&self->live);
    orma_map_fini(&self->site_of);
    orma_map_fini(&self->process_of);
    orma_heap_pids_fini(&self->pids);
    (void)pthread_mutex_destroy(&self->lock);
    orma_buf_fini(&self->sites);
    orma_buf_fini(&self->framed);
    orma_buf_fini(&self->packet);
    orma_perf_encoder_fini(&self->encoder);
    if (self->processes.proc_fd >= 0)
        orma_perf_processes_fini(&self->processes);
    orma_fd_close(&self->fd);
    orma_fd_close(&self->reader_fd);
    free(self);
}

const char *orma_heap_collector_path(const struct orma_heap_collector *self)
{
    return self->path;
}

struct orma_heap_collector_stats orma_heap_collector_stats(const struct orma_heap_collector *self)
{
    struct orma_heap_collector_stats ret = self->stats;

    ret.cut = self->encoder.cut;
    ret.too_deep = self->encoder.too_long;
    ret.lost = atomic_load_explicit(&self->shared->lost, memory_order_relaxed);
    ret.confined = atomic_load_explicit(&self->shared->confined, memory_order_relaxed);
    ret.dead = self->ring.dead;
    ret.contradicted = self->ring.contradicted;
    if (self->ended)
        ret.stopped = orma_heap_ring_unread(&self->ring);
    ret.strangers = self->pids.strangers;
    ret.given_up = self->given_up;
    return ret;
}

/* ---- the thread ---- */

static void *read_all(void *arg)
{
    struct orma_heap_collector *self = arg;

    for (bool last = false; !last;) {
        last = self->ending;
        orma_heap_collector_come_back(self);
        orma_heap_collector_turn(self, last ? ORMA_HEAP_RING_NOW : orma_clock_boottime());
        orma_heap_collector_leave(self);
        if (!last)
            (void)nanosleep(&(struct timespec){0, TURN_NS}, NULL);
    }
    self->ended = true;
    return NULL;
}

int orma_heap_collector_start(struct orma_heap_collector *self)
{
    int r = pthread_create(&self->thread, NULL, read_all, self);

    self->started = r == 0;
    return -r;
}

int orma_heap_collector_beat(struct orma_heap_collector *self)
{
    atomic_fetch_add_explicit(&self->shared->beat, 1, memory_order_relaxed);
    return self->err;
}

bool orma_heap_collector_end(struct orma_heap_collector *self)
{
    self->ending = true;
    if (self->started && !self->ended)
        return false;
    if (self->started)
        (void)pthread_join(self->thread, NULL);
    if (self->started)
        self->stats.running = count_running(self);
    self->started = false;
    return true;
}

/* What it works on counts, too: a large file is read for seconds. */
uint64_t orma_heap_collector_progress(const struct orma_heap_collector *self)
{
    struct timespec used = {0};
    clockid_t clock;

    if (self->started && !self->ended && pthread_getcpuclockid(self->thread, &clock) == 0)
        (void)clock_gettime(clock, &used);
    return self->done + (uint64_t)used.tv_sec * 1000000000u + (uint64_t)used.tv_nsec;
}

void orma_heap_collector_give_up(struct orma_heap_collector *self)
{
    (void)pthread_mutex_lock(&self->lock);
    self->given_up = self->started && !self->ended;
    if (self->given_up)
        self->stats.unread = orma_heap_ring_unread(&self->ring);
    orma_heap_collector_leave(self);
}

/* ---- dumps ---- */

int orma_heap_collector_dump(struct orma_heap_collector *self)
{
    (void)pthread_mutex_lock(&self->lock);
    int r = orma_heap_collector_put_dump(self);
    orma_heap_collector_leave(self);
    return r;
}
