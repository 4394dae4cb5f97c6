/*
 * One group of events and one ring per cpu. next() copies a record out (it may wrap around
 * the end of the ring), moves data_tail, and decodes the copy. A record whose size makes no
 * sense empties the ring: nothing after it can be trusted.
 */
#include "probes/perf/ring.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sdk/base/clock.h"
#include "sdk/base/defs.h"
#include "sdk/base/fd.h"

#define RECORD_MAX 65536u /* the size is a u16 */

static int event_open(struct perf_event_attr *attr, uint32_t cpu, int group_fd)
{
    int fd = (int)syscall(SYS_perf_event_open, attr, -1, (int)cpu, group_fd, PERF_FLAG_FD_CLOEXEC);

    return fd < 0 ? -errno : fd;
}

static int open_group(struct orma_perf_ring *self, const struct orma_perf_plan *plan)
{
    for (unsigned i = 0; i < plan->events_num; i++) {
        struct perf_event_attr attr = plan->events[i].attr;
        int fd = event_open(&attr, self->cpu, i ? self->fds[0] : -1);

        if (fd < 0)
            return fd;
        self->fds[self->fds_num++] = fd;
        if (plan->events[i].filter &&
            ioctl(fd, PERF_EVENT_IOC_SET_FILTER, plan->events[i].filter) < 0)
            return -errno;
    }
    return 0;
}

static int map_ring(struct orma_perf_ring *self, const struct orma_perf_plan *plan)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);

    self->data_size = plan->ring_pages * page;
    self->map_size = self->data_size + page;
    void *mem = mmap(NULL, self->map_size, PROT_READ | PROT_WRITE, MAP_SHARED, self->fds[0], 0);
    if (mem == MAP_FAILED)
        return -errno;
    self->page = mem;
    self->copy = malloc(RECORD_MAX);
    return self->copy ? 0 : -ENOMEM;
}

int orma_perf_ring_open(struct orma_perf_ring *self, const struct orma_perf_plan *plan,
                        uint32_t cpu)
{
    int r;

    *self = (struct orma_perf_ring){.cpu = cpu};
    r = open_group(self, plan);
    if (r == 0 && !plan->poll)
        r = map_ring(self, plan);
    if (r < 0)
        orma_perf_ring_close(self);
    return r;
}

void orma_perf_ring_close(struct orma_perf_ring *self)
{
    if (self->page)
        (void)munmap(self->page, self->map_size); /* fails for bad arguments only */
    while (self->fds_num)
        orma_fd_close(&self->fds[--self->fds_num]);
    free(self->copy);
    *self = (struct orma_perf_ring){.cpu = self->cpu};
}

/* The leader takes the group with it. */
void orma_perf_ring_enable(struct orma_perf_ring *self)
{
    (void)ioctl(self->fds[0], PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP);
}

void orma_perf_ring_disable(struct orma_perf_ring *self)
{
    (void)ioctl(self->fds[0], PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP);
}

/* ---- records ---- */

struct words {
    const uint64_t *at, *end;
    bool ok;
};

static uint64_t word(struct words *w)
{
    if (w->at == w->end) {
        w->ok = false;
        return 0;
    }
    return *w->at++;
}

/* {u64 nr, u64 values[nr]}: PERF_FORMAT_GROUP. */
static void take_counts(struct words *w, struct orma_perf_record *ret)
{
    uint64_t num = word(w);

    if (num > (uint64_t)(w->end - w->at)) {
        w->ok = false;
        return;
    }
    for (uint64_t i = 0; i < num; i++) {
        uint64_t count = word(w);

        if (i < ORMA_PERF_EVENTS_MAX)
            ret->counts[ret->counts_num++] = count;
    }
}

/* The order of the fields is that of PERF_RECORD_SAMPLE in perf_event_open(2). */
static bool decode_sample(const struct orma_perf_plan *plan, struct words *w,
                          struct orma_perf_record *ret)
{
    uint64_t pids = word(w);
    uint64_t num;

    ret->kind = ORMA_PERF_SAMPLE;
    ret->pid = (uint32_t)pids; /* two u32; this is little endian, as are all our machines */
    ret->tid = (uint32_t)(pids >> 32);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    ret->pid = (uint32_t)(pids >> 32);
    ret->tid = (uint32_t)pids;
#endif
    ret->time = word(w);
    uint64_t cpu = word(w);
    memcpy(&ret->cpu, &cpu, sizeof(ret->cpu));
    take_counts(w, ret);
    if (!plan->stacks)
        return w->ok;
    num = word(w);
    if (!w->ok || num > (uint64_t)(w->end - w->at))
        return false;
    ret->chain = w->at;
    ret->chain_num = num;
    return true;
}

bool orma_perf_record_decode(const struct orma_perf_plan *plan, const uint64_t *record, size_t len,
                             struct orma_perf_record *ret, bool *ret_skip)
{
    struct perf_event_header head;
    struct words w = {record + 1, record + len / 8, true};

    *ret_skip = false;
    *ret = (struct orma_perf_record){0};
    if (len < sizeof(head))
        return false;
    memcpy(&head, record, sizeof(head));
    ret->misc = head.misc;
    switch (head.type) {
    case PERF_RECORD_SAMPLE:
        return decode_sample(plan, &w, ret);
    case PERF_RECORD_LOST: /* {u64 id, lost} */
        ret->kind = ORMA_PERF_LOST;
        (void)word(&w);
        ret->lost = word(&w);
        return w.ok;
    case PERF_RECORD_LOST_SAMPLES: /* {u64 lost} */
        ret->kind = ORMA_PERF_LOST;
        ret->lost = word(&w);
        return w.ok;
    default: /* throttling and the like */
        *ret_skip = true;
        return true;
    }
}

/* Copies, since a record may run over the end of the ring. */
static void copy_out(const struct orma_perf_ring *self, uint64_t at, size_t len)
{
    const uint8_t *data = (const uint8_t *)self->page + (self->map_size - self->data_size);
    size_t offset = at & (self->data_size - 1);
    size_t first = ORMA_MIN(len, self->data_size - offset);

    memcpy(self->copy, data + offset, first);
    memcpy((uint8_t *)self->copy + first, data, len - first);
}

int orma_perf_ring_next(struct orma_perf_ring *self, const struct orma_perf_plan *plan,
                        struct orma_perf_record *ret)
{
    for (;;) {
        uint64_t head = __atomic_load_n(&self->page->data_head, __ATOMIC_ACQUIRE);
        uint64_t tail = self->page->data_tail;
        struct perf_event_header h;
        bool skip;

        if (head == tail)
            return 0;
        copy_out(self, tail, sizeof(h));
        memcpy(&h, self->copy, sizeof(h));
        if (h.size < sizeof(h) || h.size % 8 || h.size > head - tail) {
            __atomic_store_n(&self->page->data_tail, head, __ATOMIC_RELEASE);
            return -EBADMSG;
        }
        copy_out(self, tail, h.size);
        __atomic_store_n(&self->page->data_tail, tail + h.size, __ATOMIC_RELEASE);
        if (!orma_perf_record_decode(plan, self->copy, h.size, ret, &skip))
            return -EBADMSG;
        if (skip)
            continue;
        if (ret->kind == ORMA_PERF_LOST)
            ret->cpu = self->cpu;
        return 1;
    }
}

int orma_perf_ring_read(struct orma_perf_ring *self, const struct orma_perf_plan *plan,
                        struct orma_perf_record *ret)
{
    uint64_t values[1 + ORMA_PERF_EVENTS_MAX];
    ssize_t n = read(self->fds[0], values, sizeof(values));

    if (n < 0)
        return -errno;
    struct words w = {values, values + n / 8, true};
    *ret = (struct orma_perf_record){.cpu = self->cpu, .time = orma_clock_boottime()};
    take_counts(&w, ret);
    (void)plan;
    return w.ok ? 0 : -EBADMSG;
}
