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
#include "protos/fields/profiling.h"
#include "protos/fields/trace.h"
#include "sdk/base/clock.h"
#include "sdk/base/defs.h"
#include "sdk/base/fd.h"
#include "sdk/base/hash.h"
#include "sdk/base/search.h"
#include "sdk/heap/shared.h"
#include "sdk/wire/pb_writer.h"
#include "tools/heap/pids.h"

#define SEQUENCE_ID 1
#define SITES_MAX (1u << 20)
#define LIVE_MAX (4u << 20)
#define SAMPLES_PER_PACKET 4000u
#define MAPS_MAX 65536u /* of a process */
#define STALE_MIN 4096u
#define PROCESSES_MAX (1u << 18)
#define TURN_NS 2000000
#define RECORD_MAX (sizeof(struct orma_heap_record) + ORMA_HEAP_STACK_MAX)

enum heap { HEAP_MALLOC, HEAP_MMAP };

struct site {
    uint32_t pid;
    uint32_t heap;
    uint64_t stack; /* of the encoder */
    uint64_t allocated, freed, allocs, frees;
    uint32_t next; /* of the same process, + 1; 0: it is the last */
};

struct live {
    uint64_t bytes, count, time;
    uint32_t site, program; /* number of the program that allocated it: others have run since */
};

/* A mapping, or what is left of it. Those of a process are in order. */
struct map {
    uint64_t start, end, bytes, count, time;
    uint32_t site;
};

struct process {
    uint32_t program, first_site, lives;
    uint64_t start;
    bool attached;
    struct orma_buf maps; /* struct map */
};

struct orma_heap_collector {
    int fd, out_fd;
    char path[64];
    struct orma_heap_shared *shared;
    uint8_t *ring;
    uint64_t tail, interval; /* ours: the program can change those that are shared */
    struct orma_perf_plan plan;
    struct orma_perf_processes processes;
    struct orma_perf_encoder encoder;
    struct orma_source_sink sink;
    struct orma_map site_of; /* hash of pid and stack → number */
    struct orma_buf sites;   /* struct site */
    struct orma_map live;    /* hash of program and address → struct live * */
    uint64_t stale;          /* of them: of programs that are gone */
    uint32_t last_program;
    struct orma_map process_of; /* pid → struct process * */
    struct orma_buf framed, packet;
    uint64_t index, started_ns;
    uint64_t ahead_ns; /* BOOTTIME is before MONOTONIC */
    struct orma_heap_collector_stats stats;
    struct orma_heap_pids pids;
    _Atomic int err;
    /* Of the thread */
    pthread_t thread;
    pthread_mutex_t lock;
    bool started, given_up;
    _Atomic bool ending, ended;
    _Atomic uint64_t done;
    /* Our death is in the header: by the kernel, from a list that it knows of. */
    struct robust_list_head robust;
    struct robust_list owner;
};

/* ---- the trace ---- */

static int put_packet(struct orma_heap_collector *self, const void *packet, size_t len)
{
    orma_buf_clear(&self->framed);
    size_t begun = orma_pb_begin(&self->framed, ORMA_PB_TRACE_PACKET);
    orma_buf_put(&self->framed, packet, len);
    orma_pb_put_u64(&self->framed, ORMA_PB_TRACE_PACKET_TRUSTED_PACKET_SEQUENCE_ID, SEQUENCE_ID);
    orma_pb_end(&self->framed, begun);
    int r = self->framed.failed
                ? -ENOMEM
                : orma_fd_write_all(self->out_fd, self->framed.data, self->framed.len);
    if (r < 0 && !self->err)
        self->err = r;
    return r;
}

/* Others may look at what is here. */
static void leave(struct orma_heap_collector *self)
{
    (void)pthread_mutex_unlock(&self->lock);
}

static void come_back(struct orma_heap_collector *self)
{
    (void)pthread_mutex_lock(&self->lock);
    if (!self->given_up)
        return;
    leave(self);
    for (;;)
        (void)pause();
}

static int put_encoded(struct orma_source_sink *sink, const void *packet, size_t len)
{
    struct orma_heap_collector *self = ORMA_CONTAINER_OF(sink, struct orma_heap_collector, sink);

    come_back(self);
    int r = put_packet(self, packet, len);
    leave(self);
    return r;
}

static void flush_nothing(struct orma_source_sink *sink)
{
    (void)sink; /* each packet is written at once */
}

static int put_own(struct orma_heap_collector *self, struct orma_buf *packet)
{
    if (packet->failed && !self->err)
        self->err = -ENOMEM;
    return packet->failed ? -ENOMEM : put_packet(self, packet->data, packet->len);
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
        atomic_store(&self->shared->owner, (uint32_t)gettid());
}

static void disown_header(struct orma_heap_collector *self)
{
    self->robust.list.next = &self->robust.list;
    (void)syscall(SYS_set_robust_list, NULL, sizeof(self->robust)); /* its memory goes */
    atomic_store(&self->shared->owner, 0);
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
    self->ring = (uint8_t *)memory + ORMA_HEAP_RING_AT;
    self->shared->magic = ORMA_HEAP_MAGIC;
    self->shared->interval = self->interval = interval;
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
    snprintf(self->path, sizeof(self->path), "/proc/%d/fd/%d", (int)getpid(), self->fd);
    return make_memory(self, interval);
}

#define SEAL_EXEC 0x20 /* of vm.memfd_noexec: it never was a program, and will be none */

/* The file of a program that ran before us: a memfd that is empty, and nothing else. */
static int take_ring(struct orma_heap_collector *self, uint64_t interval, int fd)
{
    struct stat st;
    int seals;

    self->fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
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
    (void)put_own(self, out);
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
    self->fd = -1;
    self->out_fd = out_fd;
    self->processes.proc_fd = -1;
    self->sink = (struct orma_source_sink){.put = put_encoded, .flush = flush_nothing};
    self->plan = (struct orma_perf_plan){.stacks = true,
                                         .user_frames = true,
                                         .unwind = ORMA_PERF_REGS_MASK != 0,
                                         .names = true,
                                         .on_exec = true,
                                         .stack_bytes = ORMA_HEAP_STACK_MAX,
                                         .clock_id = ORMA_PB_BUILTIN_CLOCK_BOOTTIME};
    self->plan.events[0].attr.clockid = CLOCK_BOOTTIME;
    (void)pthread_mutex_init(&self->lock, NULL);
    orma_heap_pids_init(&self->pids, PROCESSES_MAX);
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
        orma_buf_fini(&((struct process *)(uintptr_t)slot->val)->maps);
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
    ret.strangers = self->pids.strangers;
    ret.given_up = self->given_up;
    return ret;
}

/* ---- records ---- */

static struct site *sites_of(const struct orma_heap_collector *self)
{
    return (struct site *)(void *)self->sites.data;
}

static uint64_t key_of(uint32_t pid, uint64_t what)
{
    return orma_mix64(what ^ orma_mix64((uint64_t)pid << 1 | 1));
}

/* It is in no sum: whether it was freed is not known either. */
static void leave_out(struct orma_heap_collector *self, uint64_t count, uint64_t bytes)
{
    self->stats.left_out += count;
    self->stats.left_out_bytes += bytes;
}

/* NULL: no memory, or too many. */
static struct process *process_of(struct orma_heap_collector *self, uint32_t pid)
{
    struct process *ret = orma_map_get_ptr(&self->process_of, pid);

    if (ret || self->process_of.len >= PROCESSES_MAX)
        return ret;
    ret = calloc(1, sizeof(*ret));
    if (!ret || orma_map_put_ptr(&self->process_of, pid, ret) < 0) {
        free(ret);
        return NULL;
    }
    ret->program = ++self->last_program;
    ret->start = self->started_ns;
    return ret;
}

/* The number of a site; SITES_MAX: there is no room. */
static uint32_t find_site(struct orma_heap_collector *self, struct process *process, uint32_t pid,
                          enum heap heap, uint64_t stack)
{
    uint64_t key = key_of(pid, stack << 1 | heap), known = orma_map_get(&self->site_of, key);
    const struct site new = {.pid = pid, .heap = heap, .stack = stack, .next = process->first_site};

    if (known != ORMA_MAP_NONE)
        return (uint32_t)known;
    known = self->sites.len / sizeof(new);
    if (known >= SITES_MAX || orma_map_put(&self->site_of, key, known) < 0)
        return SITES_MAX;
    orma_buf_put(&self->sites, &new, sizeof(new));
    if (self->sites.failed)
        return SITES_MAX;
    process->first_site = (uint32_t)known + 1;
    return (uint32_t)known;
}

/* What was allocated there since `time`, another thread got when it was free already. */
static void take_free(struct orma_heap_collector *self, uint32_t pid, uint64_t address,
                      uint64_t time)
{
    struct process *process = orma_map_get_ptr(&self->process_of, pid);
    uint64_t key = process ? key_of(process->program, address) : 0;
    struct live *l = process ? orma_map_get_ptr(&self->live, key) : NULL;

    if (!l || l->time > time)
        return; /* another with the same bit, or one of before */
    (void)orma_map_take(&self->live, key);
    struct site *s = &sites_of(self)[l->site];
    s->freed += l->bytes;
    s->frees += l->count;
    process->lives--;
    free(l);
}

/* DWARF's numbers would be another order: the encoder's is the kernel's. */
static void set_regs(struct orma_perf_record *record, const uint64_t *regs)
{
#if ORMA_PERF_REGS_MASK
#if defined(__x86_64__)
    static const uint8_t places[ORMA_HEAP_REGS] = {8, 7, 6, 1, 13, 14, 15, 16};
#else
    static const uint8_t places[ORMA_HEAP_REGS] = {32, 31, 19, 20, 21, 22, 23,
                                                   24, 25, 26, 27, 28, 29, 30};
#endif

    for (unsigned i = 0; i < ORMA_HEAP_REGS; i++)
        record->regs[places[i]] = regs[i];
    record->abi = PERF_SAMPLE_REGS_ABI_64;
#else
    (void)record;
    (void)regs;
#endif
}

/* Where its stack is known from now on; SITES_MAX: there is no room. */
static uint32_t site_of_sample(struct orma_heap_collector *self, struct process *process,
                               const struct orma_heap_record *r, enum heap heap)
{
    struct orma_perf_record record = {.kind = ORMA_PERF_SAMPLE,
                                      .time = r->time,
                                      .pid = r->pid,
                                      .tid = r->tid,
                                      .stack = (const uint8_t *)(r + 1),
                                      .stack_len = r->stack_len};

    self->stats.samples++;
    set_regs(&record, r->regs);
    leave(self);
    uint64_t stack = orma_perf_encode_stack(&self->encoder, &record);
    come_back(self);
    return find_site(self, process, r->pid, heap, stack);
}

static void take_alloc(struct orma_heap_collector *self, const struct orma_heap_record *r)
{
    struct process *process = process_of(self, r->pid);
    struct live *l = NULL;
    uint32_t site = SITES_MAX;

    take_free(self, r->pid, r->address, r->time); /* a free that was lost, or comes yet */
    if (process)
        site = site_of_sample(self, process, r, HEAP_MALLOC);
    if (site != SITES_MAX && self->live.len < LIVE_MAX)
        l = malloc(sizeof(*l));
    if (l)
        *l = (struct live){r->bytes, r->count, r->time, site, process->program};
    if (!l || orma_map_put_ptr(&self->live, key_of(process->program, r->address), l) < 0) {
        free(l);
        leave_out(self, r->count, r->bytes);
        return;
    }
    sites_of(self)[site].allocated += r->bytes;
    sites_of(self)[site].allocs += r->count;
    process->lives++;
}

/* Puts bytes in the place of others. False: there is no room. */
static bool replace(struct orma_buf *buf, size_t at, size_t len, const void *data, size_t data_len)
{
    size_t rest = buf->len - at - len;

    if (data_len > len && !orma_buf_extend(buf, data_len - len))
        return false;
    memmove(buf->data + at + data_len, buf->data + at + len, rest);
    if (data_len)
        memcpy(buf->data + at, data, data_len);
    buf->len = at + data_len + rest;
    return true;
}

/* ---- mappings ---- */

static struct map *maps_of(const struct process *process, size_t *ret_num)
{
    *ret_num = process->maps.len / sizeof(struct map);
    return (struct map *)(void *)process->maps.data;
}

/* What is left of a mapping weighs as much as its length says. True: something is. */
static bool put_piece(struct orma_buf *left, const struct map *m, uint64_t start, uint64_t end,
                      uint64_t count)
{
    double part = (double)(end - start) / (double)(m->end - m->start);
    const struct map piece = {start, end,     (uint64_t)((double)m->bytes * part),
                              count, m->time, m->site};

    if (start >= end)
        return false;
    orma_buf_put(left, &piece, sizeof(piece));
    return true;
}

/* What lies in [from, to) is gone, but for what came since `time`; of mappings on either side, a
 * part may be left. */
static void take_unmap(struct orma_heap_collector *self, uint32_t pid, uint64_t from, uint64_t len,
                       uint64_t time)
{
    struct process *process = orma_map_get_ptr(&self->process_of, pid);
    uint64_t to = from + len < from ? UINT64_MAX : from + len;
    ORMA_AUTO(orma_buf_fini) struct orma_buf left = {0};
    size_t num, lo, hi;

    if (!process)
        return;
    struct map *m = maps_of(process, &num);
    lo = ORMA_UPPER_BOUND(m, num, .start, from);
    if (lo && m[lo - 1].end > from)
        lo--;
    for (hi = lo; hi < num && m[hi].start < to; hi++) {
        struct site *s = &sites_of(self)[m[hi].site];

        if (m[hi].time > time) {
            orma_buf_put(&left, &m[hi], sizeof(*m));
            continue;
        }
        bool before = put_piece(&left, &m[hi], m[hi].start, from, m[hi].count);
        bool behind = (!before || num < MAPS_MAX) && /* parted for ever: the rest counts as gone */
                      put_piece(&left, &m[hi], to, m[hi].end, before ? 0 : m[hi].count);
        const struct map *pieces = (const void *)(left.data + left.len);

        s->freed += m[hi].bytes;
        for (int i = 1; i <= before + behind && !left.failed; i++)
            s->freed -= pieces[-i].bytes;
        if (!before && !behind)
            s->frees += m[hi].count;
    }
    if (!left.failed && hi > lo)
        (void)replace(&process->maps, lo * sizeof(*m), (hi - lo) * sizeof(*m), left.data, left.len);
}

static void take_map(struct orma_heap_collector *self, const struct orma_heap_record *r)
{
    struct process *process = process_of(self, r->pid);
    struct map new = {r->address, r->address + r->count, r->bytes, 1, r->time, 0};
    size_t num;

    if (!r->count || new.end < new.start)
        return; /* nonsense */
    new.count = ORMA_MAX((new.bytes + r->count / 2) / r->count, UINT64_C(1));
    take_unmap(self, r->pid, r->address, r->count,
               UINT64_MAX); /* what was not said, or comes yet */
    new.site = process ? site_of_sample(self, process, r, HEAP_MMAP) : SITES_MAX;
    struct map *m = process ? maps_of(process, &num) : NULL;
    if (new.site == SITES_MAX || num >= MAPS_MAX ||
        !replace(&process->maps, ORMA_UPPER_BOUND(m, num, .start, new.start) * sizeof(*m), 0, &new,
                 sizeof(new))) {
        leave_out(self, new.count, new.bytes);
        return;
    }
    sites_of(self)[new.site].allocated += new.bytes;
    sites_of(self)[new.site].allocs += new.count;
}

/* ---- programs ---- */

/* Entries of programs that are gone; the map must not change while it is walked. */
static void drop_stale(struct orma_heap_collector *self)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf keys = {0};

    ORMA_MAP_EACH (slot, &self->live) {
        const struct live *l = (const struct live *)(uintptr_t)slot->val;
        const struct process *p = orma_map_get_ptr(&self->process_of, sites_of(self)[l->site].pid);

        if (!p || p->program != l->program)
            orma_buf_put(&keys, &slot->key, sizeof(slot->key));
    }
    for (size_t i = 0; i + sizeof(uint64_t) <= keys.len; i += sizeof(uint64_t)) {
        uint64_t key;

        memcpy(&key, keys.data + i, sizeof(key));
        free((void *)(uintptr_t)orma_map_take(&self->live, key));
    }
    self->stale = 0;
}

/*
 * The memory of what ran under this pid before is gone: it counts as freed, by site. Its entries
 * cannot be found any more, and go when they are as many as the others.
 */
static void forget_live(struct orma_heap_collector *self, struct process *process)
{
    for (uint32_t i = process->first_site; i; i = sites_of(self)[i - 1].next) {
        struct site *s = &sites_of(self)[i - 1];

        s->freed = s->allocated;
        s->frees = s->allocs;
    }
    self->stale += process->lives;
    process->lives = 0;
    process->program = ++self->last_program;
    orma_buf_clear(&process->maps);
    if (self->stale > STALE_MIN && self->stale > self->live.len / 2)
        drop_stale(self);
}

/* What is mapped is read as long as the program waits for us. */
static void take_mapped(struct orma_heap_collector *self, uint32_t pid)
{
    const uint64_t now = orma_clock_boottime();

    leave(self);
    struct orma_perf_process *p = orma_perf_process_get(&self->processes, pid, now);
    if (p)
        orma_perf_process_read(&self->processes, p, now);
    come_back(self);
}

static void take_start(struct orma_heap_collector *self, const struct orma_heap_record *r)
{
    const struct orma_perf_record begun = {
        .kind = ORMA_PERF_SAMPLE, .pid = r->pid, .tid = r->tid, .time = r->time};

    struct process *process = process_of(self, r->pid);

    self->stats.programs++;
    self->stats.own_new |= r->count != ORMA_HEAP_FORKED && r->bytes;
    if (process) {
        forget_live(self, process);
        process->start = r->time;
        process->attached = r->count == ORMA_HEAP_ATTACHED;
    }
    leave(self);
    orma_perf_process_forget(&self->processes, r->pid);
    orma_perf_encode_names(&self->encoder, &begun); /* as long as it waits for us */
    come_back(self);
    take_mapped(self, r->pid);
}

static bool is_allocation(const struct orma_heap_record *r)
{
    return r->kind == ORMA_HEAP_ALLOC || r->kind == ORMA_HEAP_MAP;
}

/* From here on, its pid is one of ours. False: there are too many. */
static bool find_process(struct orma_heap_collector *self, struct orma_heap_record *r)
{
    if (r->kind == ORMA_HEAP_PAD)
        return true;
    uint32_t pid =
        orma_heap_pids_find(&self->pids, r->pid_space, r->pid, r->kind == ORMA_HEAP_START);
    if (!pid && is_allocation(r))
        leave_out(self, r->count, r->bytes);
    r->tid = pid == r->pid ? r->tid : pid; /* one that there is */
    r->pid = pid;
    return pid != 0;
}

static void take_record(struct orma_heap_collector *self, struct orma_heap_record *r)
{
    if (!find_process(self, r))
        return;
    switch (r->kind) {
    case ORMA_HEAP_START:
        take_start(self, r);
        break;
    case ORMA_HEAP_ALLOC:
        take_alloc(self, r);
        break;
    case ORMA_HEAP_FREE:
        take_free(self, r->pid, r->address, r->time);
        break;
    case ORMA_HEAP_MAP:
        take_map(self, r);
        break;
    case ORMA_HEAP_UNMAP:
        take_unmap(self, r->pid, r->address, r->bytes, r->time);
        break;
    case ORMA_HEAP_MAPPED:
        take_mapped(self, r->pid);
        break;
    default: /* PAD, END */
        break;
    }
}

/* A copy that nobody can change any more. False: nonsense. */
static bool copy_record(struct orma_heap_record *to, const struct orma_heap_record *from,
                        uint32_t size, uint64_t room)
{
    if (size % 8 || size > room || size < 8)
        return false;
    memcpy((void *)to, (const void *)from, ORMA_MIN(size, RECORD_MAX));
    if (to->kind == ORMA_HEAP_PAD)
        return true;
    return size >= sizeof(*to) && size <= RECORD_MAX && to->stack_len <= size - sizeof(*to);
}

static void turn(struct orma_heap_collector *self)
{
    _Alignas(8) static uint8_t copy[RECORD_MAX];
    const uint64_t end = self->tail + ORMA_HEAP_RING_BYTES; /* others want a turn, too */

    while (!self->stats.corrupted && self->tail < end) {
        uint64_t offset = self->tail & (ORMA_HEAP_RING_BYTES - 1);
        struct orma_heap_record *r = (struct orma_heap_record *)(void *)(self->ring + offset);
        /* Pairs with the writer's release. */
        uint32_t size = atomic_load_explicit(&r->size, memory_order_acquire);

        if (!size)
            break;
        if (!copy_record((struct orma_heap_record *)(void *)copy, r, size,
                         ORMA_HEAP_RING_BYTES - offset)) {
            self->stats.corrupted = true;
            break;
        }
        take_record(self, (struct orma_heap_record *)(void *)copy);
        memset((void *)r, 0, size);
        self->tail += size;
        /* Pairs with the acquire in reserve(): the bytes are zero. */
        atomic_store_explicit(&self->shared->tail, self->tail, memory_order_release);
        atomic_fetch_add_explicit(&self->done, 1, memory_order_relaxed);
    }
}

/* ---- the thread ---- */

static void *read_all(void *arg)
{
    struct orma_heap_collector *self = arg;

    for (bool last = false; !last;) {
        last = self->ending;
        come_back(self);
        turn(self);
        leave(self);
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

static uint64_t count_unread(const struct orma_heap_collector *self)
{
    uint64_t ret = 0;

    for (uint64_t at = self->tail; at < self->tail + ORMA_HEAP_RING_BYTES;) {
        uint64_t offset = at & (ORMA_HEAP_RING_BYTES - 1);
        const struct orma_heap_record *r = (const void *)(self->ring + offset);
        uint32_t size = atomic_load_explicit(&r->size, memory_order_acquire);

        if (size < 8 || size % 8 || size > ORMA_HEAP_RING_BYTES - offset)
            break;
        ret += r->kind != ORMA_HEAP_PAD;
        at += size;
    }
    return ret;
}

void orma_heap_collector_give_up(struct orma_heap_collector *self)
{
    (void)pthread_mutex_lock(&self->lock);
    self->given_up = self->started && !self->ended;
    if (self->given_up)
        self->stats.unread = count_unread(self);
    leave(self);
}

/* ---- dumps ---- */

static void put_sample(struct orma_buf *out, const struct site *s)
{
    size_t begun = orma_pb_begin(out, ORMA_PB_PROFILE_PACKET_PROCESS_HEAP_SAMPLES_SAMPLES);

    orma_pb_put_u64(out, ORMA_PB_PROFILE_PACKET_HEAP_SAMPLE_CALLSTACK_ID, s->stack);
    orma_pb_put_u64(out, ORMA_PB_PROFILE_PACKET_HEAP_SAMPLE_SELF_ALLOCATED, s->allocated);
    orma_pb_put_u64(out, ORMA_PB_PROFILE_PACKET_HEAP_SAMPLE_SELF_FREED, s->freed);
    orma_pb_put_u64(out, ORMA_PB_PROFILE_PACKET_HEAP_SAMPLE_ALLOC_COUNT, s->allocs);
    orma_pb_put_u64(out, ORMA_PB_PROFILE_PACKET_HEAP_SAMPLE_FREE_COUNT, s->frees);
    orma_pb_end(out, begun);
}

static void put_process_head(struct orma_heap_collector *self, struct orma_buf *out,
                             const struct site *first, uint64_t time)
{
    const struct process *process = orma_map_get_ptr(&self->process_of, first->pid);

    orma_pb_put_u64(out, ORMA_PB_PROFILE_PACKET_PROCESS_HEAP_SAMPLES_PID, first->pid);
    if (process && !process->attached)
        orma_pb_put_u64(out, ORMA_PB_PROFILE_PACKET_PROCESS_HEAP_SAMPLES_FROM_STARTUP, 1);
    orma_pb_put_u64(out, ORMA_PB_PROFILE_PACKET_PROCESS_HEAP_SAMPLES_TIMESTAMP,
                    time - self->ahead_ns);
    orma_pb_put_str(out, ORMA_PB_PROFILE_PACKET_PROCESS_HEAP_SAMPLES_HEAP_NAME,
                    first->heap == HEAP_MMAP ? ORMA_STR("mmap") : ORMA_STR("libc.malloc"));
    orma_pb_put_u64(out, ORMA_PB_PROFILE_PACKET_PROCESS_HEAP_SAMPLES_SAMPLING_INTERVAL_BYTES,
                    self->interval);
    orma_pb_put_u64(out, ORMA_PB_PROFILE_PACKET_PROCESS_HEAP_SAMPLES_ORIG_SAMPLING_INTERVAL_BYTES,
                    self->interval);
    orma_pb_put_u64(out, ORMA_PB_PROFILE_PACKET_PROCESS_HEAP_SAMPLES_START_TIMESTAMP,
                    (process ? process->start : self->started_ns) - self->ahead_ns);
    if (atomic_load_explicit(&self->shared->lost, memory_order_relaxed) || self->stats.unread)
        orma_pb_put_u64(out, ORMA_PB_PROFILE_PACKET_PROCESS_HEAP_SAMPLES_BUFFER_OVERRAN, 1);
    if (self->stats.corrupted)
        orma_pb_put_u64(out, ORMA_PB_PROFILE_PACKET_PROCESS_HEAP_SAMPLES_BUFFER_CORRUPTED, 1);
}

static int by_pid(const void *a, const void *b)
{
    const struct site *x = a, *y = b;

    if (x->pid != y->pid)
        return x->pid < y->pid ? -1 : 1;
    if (x->heap != y->heap)
        return x->heap < y->heap ? -1 : 1;
    return x->stack < y->stack ? -1 : x->stack > y->stack;
}

/* One process, or a part of it, as a packet. */
static void put_process(struct orma_heap_collector *self, const struct site *sites, size_t num,
                        uint64_t time, bool continued)
{
    struct orma_buf *out = &self->packet;

    orma_buf_clear(out);
    orma_pb_put_u64(out, ORMA_PB_TRACE_PACKET_TIMESTAMP, time);
    orma_pb_put_u64(out, ORMA_PB_TRACE_PACKET_SEQUENCE_FLAGS,
                    ORMA_PB_TRACE_PACKET_SEQ_NEEDS_INCREMENTAL_STATE);
    size_t profile = orma_pb_begin(out, ORMA_PB_TRACE_PACKET_PROFILE_PACKET);
    size_t process = orma_pb_begin(out, ORMA_PB_PROFILE_PACKET_PROCESS_DUMPS);
    put_process_head(self, out, &sites[0], time);
    for (size_t i = 0; i < num; i++) {
        if (sites[i].stack)
            put_sample(out, &sites[i]);
    }
    orma_pb_end(out, process);
    if (continued)
        orma_pb_put_u64(out, ORMA_PB_PROFILE_PACKET_CONTINUED, 1);
    orma_pb_put_u64(out, ORMA_PB_PROFILE_PACKET_INDEX, self->index++);
    orma_pb_end(out, profile);
    (void)put_own(self, out); /* noted in self->err */
}

static int dump(struct orma_heap_collector *self)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf copy = {0};
    uint64_t time = orma_clock_boottime();
    struct site *sites;

    orma_buf_put(&copy, self->sites.data, self->sites.len);
    if (copy.failed)
        return -ENOMEM;
    sites = (struct site *)(void *)copy.data;
    size_t num = copy.len / sizeof(*sites);
    if (num)
        qsort(sites, num, sizeof(*sites), by_pid);
    for (size_t from = 0, to; from < num; from = to) {
        for (to = from; to < num && to - from < SAMPLES_PER_PACKET &&
                        sites[to].pid == sites[from].pid && sites[to].heap == sites[from].heap;
             to++)
            ;
        put_process(self, &sites[from], to - from, time, to < num);
    }
    return self->err;
}

int orma_heap_collector_dump(struct orma_heap_collector *self)
{
    (void)pthread_mutex_lock(&self->lock);
    int r = dump(self);
    leave(self);
    return r;
}
