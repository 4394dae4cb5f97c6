/*
 * What programs report becomes sums. A record of the ring is copied, checked, and its bytes are
 * cleared before they are given back.
 */
#include "tools/heap/collector_parts.h"

#include <linux/futex.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "probes/perf/encode.h"
#include "sdk/base/clock.h"
#include "sdk/base/defs.h"
#include "sdk/base/hash.h"
#include "sdk/base/search.h"
#include "sdk/heap/shared.h"
#include "tools/heap/pids.h"

#define SITES_MAX (1u << 20)
#define LIVE_MAX (4u << 20)
#define MAPS_MAX 65536u /* of a process */
#define STALE_MIN 4096u

struct orma_heap_site *orma_heap_collector_sites_of(const struct orma_heap_collector *self)
{
    return (struct orma_heap_site *)(void *)self->sites.data;
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
static struct orma_heap_process *process_of(struct orma_heap_collector *self, uint32_t pid)
{
    struct orma_heap_process *ret = orma_map_get_ptr(&self->process_of, pid);

    if (ret || self->process_of.len >= ORMA_HEAP_PROCESSES_MAX)
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
static uint32_t find_site(struct orma_heap_collector *self, struct orma_heap_process *process,
                          uint32_t pid, enum orma_heap_of heap, uint64_t stack)
{
    uint64_t key = key_of(pid, stack << 1 | heap), known = orma_map_get(&self->site_of, key);
    const struct orma_heap_site new = {
        .pid = pid, .heap = heap, .stack = stack, .next = process->first_site};

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
    struct orma_heap_process *process = orma_map_get_ptr(&self->process_of, pid);
    uint64_t key = process ? key_of(process->program, address) : 0;
    struct orma_heap_live *l = process ? orma_map_get_ptr(&self->live, key) : NULL;

    if (!l || l->time > time)
        return; /* another with the same bit, or one of before */
    (void)orma_map_take(&self->live, key);
    struct orma_heap_site *s = &orma_heap_collector_sites_of(self)[l->site];
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
static uint32_t site_of_sample(struct orma_heap_collector *self, struct orma_heap_process *process,
                               const struct orma_heap_record *r, enum orma_heap_of heap)
{
    struct orma_perf_record record = {.kind = ORMA_PERF_SAMPLE,
                                      .time = r->time,
                                      .pid = r->pid,
                                      .tid = r->tid,
                                      .stack = (const uint8_t *)(r + 1),
                                      .stack_len = r->stack_len};

    self->stats.samples++;
    set_regs(&record, r->regs);
    orma_heap_collector_leave(self);
    uint64_t stack = orma_perf_encode_stack(&self->encoder, &record);
    orma_heap_collector_come_back(self);
    return find_site(self, process, r->pid, heap, stack);
}

static void take_alloc(struct orma_heap_collector *self, const struct orma_heap_record *r)
{
    struct orma_heap_process *process = process_of(self, r->pid);
    struct orma_heap_live *l = NULL;
    uint32_t site = SITES_MAX;

    take_free(self, r->pid, r->address, r->time); /* a free that was lost, or comes yet */
    if (process)
        site = site_of_sample(self, process, r, ORMA_HEAP_OF_MALLOC);
    if (site != SITES_MAX && self->live.len < LIVE_MAX)
        l = malloc(sizeof(*l));
    if (l)
        *l = (struct orma_heap_live){r->bytes, r->count, r->time, site, process->program};
    if (!l || orma_map_put_ptr(&self->live, key_of(process->program, r->address), l) < 0) {
        free(l);
        leave_out(self, r->count, r->bytes);
        return;
    }
    orma_heap_collector_sites_of(self)[site].allocated += r->bytes;
    orma_heap_collector_sites_of(self)[site].allocs += r->count;
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

static struct orma_heap_mapping *maps_of(const struct orma_heap_process *process, size_t *ret_num)
{
    *ret_num = process->maps.len / sizeof(struct orma_heap_mapping);
    return (struct orma_heap_mapping *)(void *)process->maps.data;
}

/* What is left of a mapping weighs as much as its length says. True: something is. */
static bool put_piece(struct orma_buf *left, const struct orma_heap_mapping *m, uint64_t start,
                      uint64_t end, uint64_t count)
{
    double part = (double)(end - start) / (double)(m->end - m->start);
    const struct orma_heap_mapping piece = {start, end,     (uint64_t)((double)m->bytes * part),
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
    struct orma_heap_process *process = orma_map_get_ptr(&self->process_of, pid);
    uint64_t to = from + len < from ? UINT64_MAX : from + len;
    ORMA_AUTO(orma_buf_fini) struct orma_buf left = {0};
    size_t num, lo, hi;

    if (!process)
        return;
    struct orma_heap_mapping *m = maps_of(process, &num);
    lo = ORMA_UPPER_BOUND(m, num, .start, from);
    if (lo && m[lo - 1].end > from)
        lo--;
    for (hi = lo; hi < num && m[hi].start < to; hi++) {
        struct orma_heap_site *s = &orma_heap_collector_sites_of(self)[m[hi].site];

        if (m[hi].time > time) {
            orma_buf_put(&left, &m[hi], sizeof(*m));
            continue;
        }
        bool before = put_piece(&left, &m[hi], m[hi].start, from, m[hi].count);
        bool behind = (!before || num < MAPS_MAX) && /* parted for ever: the rest counts as gone */
                      put_piece(&left, &m[hi], to, m[hi].end, before ? 0 : m[hi].count);
        const struct orma_heap_mapping *pieces = (const void *)(left.data + left.len);

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
    struct orma_heap_process *process = process_of(self, r->pid);
    struct orma_heap_mapping new = {r->address, r->address + r->count, r->bytes, 1, r->time, 0};
    size_t num;

    if (!r->count || new.end < new.start)
        return; /* nonsense */
    new.count = ORMA_MAX((new.bytes + r->count / 2) / r->count, UINT64_C(1));
    take_unmap(self, r->pid, r->address, r->count,
               UINT64_MAX); /* what was not said, or comes yet */
    new.site = process ? site_of_sample(self, process, r, ORMA_HEAP_OF_MMAP) : SITES_MAX;
    struct orma_heap_mapping *m = process ? maps_of(process, &num) : NULL;
    if (new.site == SITES_MAX || num >= MAPS_MAX ||
        !replace(&process->maps, ORMA_UPPER_BOUND(m, num, .start, new.start) * sizeof(*m), 0, &new,
                 sizeof(new))) {
        leave_out(self, new.count, new.bytes);
        return;
    }
    orma_heap_collector_sites_of(self)[new.site].allocated += new.bytes;
    orma_heap_collector_sites_of(self)[new.site].allocs += new.count;
}

/* ---- programs ---- */

/* Entries of programs that are gone; the map must not change while it is walked. */
static void drop_stale(struct orma_heap_collector *self)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf keys = {0};

    ORMA_MAP_EACH (slot, &self->live) {
        const struct orma_heap_live *l = (const struct orma_heap_live *)(uintptr_t)slot->val;
        const struct orma_heap_process *p =
            orma_map_get_ptr(&self->process_of, orma_heap_collector_sites_of(self)[l->site].pid);

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
static void forget_live(struct orma_heap_collector *self, struct orma_heap_process *process)
{
    for (uint32_t i = process->first_site; i; i = orma_heap_collector_sites_of(self)[i - 1].next) {
        struct orma_heap_site *s = &orma_heap_collector_sites_of(self)[i - 1];

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
static void orma_heap_collector_take_mapped(struct orma_heap_collector *self, uint32_t pid)
{
    const uint64_t now = orma_clock_boottime();

    orma_heap_collector_leave(self);
    struct orma_perf_process *p = orma_perf_process_get(&self->processes, pid, now);
    if (p)
        orma_perf_process_read(&self->processes, p, now);
    orma_heap_collector_come_back(self);
}

static void take_start(struct orma_heap_collector *self, const struct orma_heap_record *r)
{
    const struct orma_perf_record begun = {
        .kind = ORMA_PERF_SAMPLE, .pid = r->pid, .tid = r->tid, .time = r->time};

    struct orma_heap_process *process = process_of(self, r->pid);

    self->stats.programs++;
    self->stats.own_new |= r->count != ORMA_HEAP_FORKED && r->bytes;
    if (process) {
        forget_live(self, process);
        process->start = r->time;
        process->attached = r->count == ORMA_HEAP_ATTACHED;
    }
    orma_heap_collector_leave(self);
    orma_perf_process_forget(&self->processes, r->pid);
    orma_perf_encode_names(&self->encoder, &begun); /* as long as it waits for us */
    orma_heap_collector_come_back(self);
    orma_heap_collector_take_mapped(self, r->pid);
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
    r->tid = pid == r->pid && r->tid ? r->tid : pid; /* one that there is */
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
        orma_heap_collector_take_mapped(self, r->pid);
        break;
    default: /* PAD, END */
        break;
    }
}

void orma_heap_collector_turn(struct orma_heap_collector *self, uint64_t now_ns)
{
    _Alignas(8) static uint8_t copy[ORMA_HEAP_RECORD_MAX];
    const uint64_t end = self->ring.read + ORMA_HEAP_RING_BYTES; /* others want a turn, too */
    struct orma_heap_record *r = (struct orma_heap_record *)(void *)copy;

    orma_heap_ring_check(&self->ring);
    while (self->ring.read < end && orma_heap_ring_take(&self->ring, now_ns, r)) {
        take_record(self, r);
        atomic_fetch_add_explicit(&self->done, 1, memory_order_relaxed);
    }
    self->stats.corrupted = self->ring.corrupted;
}
