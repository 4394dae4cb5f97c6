/*
 * One ring per cpu; the first group that is opened owns it, the others write into it.
 * next() decodes a record where it lies; only one that runs over the end of the ring is copied.
 * The kernel gets its room back at the next look into the ring, or when the record was taken. A
 * record whose size makes no sense empties the ring: nothing after it can be trusted.
 */
#include "probes/perf/ring.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "sdk/base/clock.h"
#include "sdk/base/defs.h"
#include "sdk/base/fd.h"
#include "sdk/base/log.h"

#define RECORD_MAX 65536u /* the size is a u16 */

static int fd_at(const struct orma_buf *fds, size_t i)
{
    int fd;

    memcpy(&fd, fds->data + i * sizeof(fd), sizeof(fd));
    return fd;
}

static size_t fds_num(const struct orma_buf *fds)
{
    return fds->len / sizeof(int);
}

static int event_open(const struct perf_event_attr *attr, int32_t tid, uint32_t cpu, int group_fd)
{
    struct perf_event_attr copy = *attr;
    int fd =
        (int)syscall(SYS_perf_event_open, &copy, tid, (int)cpu, group_fd, PERF_FLAG_FD_CLOEXEC);

    return fd < 0 ? -errno : fd;
}

static int open_event(struct orma_perf_ring *self, const struct orma_perf_event *event, int32_t tid,
                      int group_fd)
{
    int fd = event_open(&event->attr, tid, self->cpu, group_fd);

    if (fd < 0)
        return fd;
    orma_buf_put(&self->fds, &fd, sizeof(fd));
    if (self->fds.failed) {
        orma_fd_close(&fd);
        return -ENOMEM;
    }
    if (event->filter && ioctl(fd, PERF_EVENT_IOC_SET_FILTER, event->filter) < 0)
        return -errno;
    return fd;
}

static int open_group(struct orma_perf_ring *self, const struct orma_perf_plan *plan, int32_t tid)
{
    int leader = -1;

    for (unsigned i = 0; i < plan->events_num; i++) {
        int fd = open_event(self, &plan->events[i], tid, leader);

        if (fd < 0)
            return fd;
        leader = i ? leader : fd;
    }
    orma_buf_put(&self->leaders, &leader, sizeof(leader));
    return self->leaders.failed ? -ENOMEM : 0;
}

static int share_ring(struct orma_perf_ring *self, int fd)
{
    return ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, fd_at(&self->leaders, 0)) < 0 ? -errno : 0;
}

/* Beside the group, in the same ring: it samples by itself. */
static int open_waker(struct orma_perf_ring *self, const struct orma_perf_plan *plan, int32_t tid)
{
    int fd = plan->wakers ? open_event(self, &plan->waker, tid, -1) : 0;

    if (!plan->wakers || fd < 0)
        return fd;
    orma_buf_put(&self->leaders, &fd, sizeof(fd));
    return self->leaders.failed ? -ENOMEM : share_ring(self, fd);
}

static int map_ring(struct orma_perf_ring *self, const struct orma_perf_plan *plan)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);

    self->data_size = plan->ring_pages * page;
    self->map_size = self->data_size + page;
    void *mem =
        mmap(NULL, self->map_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd_at(&self->leaders, 0), 0);
    if (mem == MAP_FAILED)
        return errno == EPERM ? -ENOBUFS : -errno; /* more than may be locked */
    self->page = mem;
    self->copy = malloc(RECORD_MAX);
    return self->copy ? 0 : -ENOMEM;
}

/* A thread that is gone is none to watch. */
static int open_threads(struct orma_perf_ring *self, const struct orma_perf_plan *plan,
                        const int32_t *tids, size_t tids_num)
{
    for (size_t i = 0; i < tids_num; i++) {
        int r = open_group(self, plan, tids[i]);

        if (r < 0 && r != -ESRCH)
            return r;
        if (r == 0 && fds_num(&self->leaders) == 1)
            r = map_ring(self, plan);
        else if (r == 0)
            r = share_ring(self, fd_at(&self->leaders, fds_num(&self->leaders) - 1));
        if (r == 0)
            r = open_waker(self, plan, tids[i]);
        if (r < 0 && r != -ESRCH)
            return r;
    }
    return self->leaders.len ? 0 : -ESRCH;
}

int orma_perf_ring_open(struct orma_perf_ring *self, const struct orma_perf_plan *plan,
                        uint32_t cpu, const int32_t *tids, size_t tids_num)
{
    int r;

    *self = (struct orma_perf_ring){.cpu = cpu};
    if (tids) {
        r = open_threads(self, plan, tids, tids_num);
    } else {
        r = open_group(self, plan, -1);
        if (r == 0 && !plan->poll)
            r = map_ring(self, plan);
        if (r == 0)
            r = open_waker(self, plan, -1);
    }
    if (r < 0)
        orma_perf_ring_close(self);
    return r;
}

void orma_perf_ring_close(struct orma_perf_ring *self)
{
    if (self->page)
        (void)munmap(self->page, self->map_size); /* fails for bad arguments only */
    for (size_t i = fds_num(&self->fds); i-- > 0;)
        (void)close(fd_at(&self->fds, i)); /* nothing was written */
    orma_buf_fini(&self->fds);
    orma_buf_fini(&self->leaders);
    free(self->copy);
    *self = (struct orma_perf_ring){.cpu = self->cpu};
}

/* A leader takes its group with it. */
static void command_all(struct orma_perf_ring *self, unsigned long command)
{
    for (size_t i = 0; i < fds_num(&self->leaders); i++)
        (void)ioctl(fd_at(&self->leaders, i), command, PERF_IOC_FLAG_GROUP);
}

void orma_perf_ring_enable(struct orma_perf_ring *self)
{
    command_all(self, PERF_EVENT_IOC_ENABLE);
}

void orma_perf_ring_disable(struct orma_perf_ring *self)
{
    command_all(self, PERF_EVENT_IOC_DISABLE);
}

/* ---- records ---- */

static const uint8_t *data_of(const struct orma_perf_ring *self)
{
    return (const uint8_t *)self->page + (self->map_size - self->data_size);
}

/* What was decoded last is not looked at any more. */
static void release(struct orma_perf_ring *self)
{
    if (self->held)
        __atomic_store_n(&self->page->data_tail, self->page->data_tail + self->held,
                         __ATOMIC_RELEASE);
    self->held = 0;
}

/* A word never lies over the end of the ring: its size is a multiple of 8. */
static uint64_t word_at(const struct orma_perf_ring *self, uint64_t at)
{
    uint64_t ret;

    memcpy(&ret, data_of(self) + (at & (self->data_size - 1) & ~(uint64_t)7), sizeof(ret));
    return ret;
}

/* Where the time is: behind the task in samples, behind the task of the trailer in others. */
bool orma_perf_ring_peek(struct orma_perf_ring *self, uint64_t *ret_time)
{
    release(self);
    uint64_t head = __atomic_load_n(&self->page->data_head, __ATOMIC_ACQUIRE);
    uint64_t tail = self->page->data_tail;
    uint64_t first;
    struct perf_event_header h;

    if (head == tail)
        return false;
    first = word_at(self, tail);
    memcpy(&h, &first, sizeof(h));
    *ret_time = 0; /* nonsense is for next() to say, at once */
    if (h.size >= 32 && h.size % 8 == 0 && h.size <= head - tail)
        *ret_time = word_at(self, h.type == PERF_RECORD_SAMPLE ? tail + 16 : tail + h.size - 16);
    return true;
}

bool orma_perf_ring_glimpse(const struct orma_perf_ring *self, uint64_t *seen,
                            struct orma_perf_glimpse *ret)
{
    const uint64_t head = __atomic_load_n(&self->page->data_head, __ATOMIC_ACQUIRE);
    const uint64_t tail = self->page->data_tail;
    struct perf_event_header h;

    if (*seen - tail > head - tail) /* it was taken before we came */
        *seen = tail;
    while (*seen != head) {
        const uint64_t at = *seen, first = word_at(self, at);

        memcpy(&h, &first, sizeof(h));
        if (h.size < sizeof(h) || h.size % 8 || h.size > head - at) {
            *seen = head; /* nonsense, which next() finds, too */
            return false;
        }
        *seen = at + h.size;
        if (h.type != PERF_RECORD_SAMPLE || h.size < 32)
            continue;
        const uint64_t task = word_at(self, at + 8);
        ret->pid = (uint32_t)task;
        ret->tid = (uint32_t)(task >> 32);
        ret->time = word_at(self, at + 16);
        return true;
    }
    return false;
}

int orma_perf_ring_fd(const struct orma_perf_ring *self)
{
    return fd_at(&self->leaders, 0);
}

/* The bytes in one piece. */
static const uint64_t *record_at(struct orma_perf_ring *self, uint64_t at, size_t len)
{
    const uint8_t *data = data_of(self);
    size_t offset = at & (self->data_size - 1) & ~(size_t)7;
    size_t first = self->data_size - offset;

    if (len <= first)
        return (const uint64_t *)(const void *)(data + offset);
    memcpy(self->copy, data + offset, first);
    memcpy((uint8_t *)self->copy + first, data, len - first);
    return self->copy;
}

int orma_perf_ring_next(struct orma_perf_ring *self, const struct orma_perf_plan *plan,
                        struct orma_perf_record *ret)
{
    for (;;) {
        release(self);
        uint64_t head = __atomic_load_n(&self->page->data_head, __ATOMIC_ACQUIRE);
        uint64_t tail = self->page->data_tail, first;
        struct perf_event_header h;
        bool skip;

        if (head == tail)
            return 0;
        first = word_at(self, tail);
        memcpy(&h, &first, sizeof(h));
        if (h.size < sizeof(h) || h.size % 8 || h.size > head - tail) {
            __atomic_store_n(&self->page->data_tail, head, __ATOMIC_RELEASE);
            return -EBADMSG;
        }
        self->held = h.size;
        if (!orma_perf_record_decode(plan, record_at(self, tail, h.size), h.size, ret, &skip))
            return -EBADMSG;
        if (skip)
            continue;
        if (ret->kind == ORMA_PERF_LOST) {
            ret->cpu = self->cpu;
            ret->out = self->switches;
        }
        return 1;
    }
}

/* NULL: none is due. */
static struct orma_perf_ring *oldest(struct orma_perf_rings *self, uint64_t until)
{
    struct orma_perf_ring *ret = NULL;
    uint64_t time;

    for (size_t i = 0; i < self->num; i++) {
        if (!orma_perf_ring_peek(&self->all[i], &time) || time >= until)
            continue;
        until = time;
        ret = &self->all[i];
    }
    return ret;
}

static bool take_oldest(struct orma_perf_rings *self, uint64_t until, orma_perf_take *take,
                        void *ctx)
{
    struct orma_perf_record record;
    struct orma_perf_ring *ring;
    int r = 0;

    while (r <= 0 && (ring = oldest(self, until))) {
        r = orma_perf_ring_next(ring, self->plan, &record);
        if (r > 0) {
            take(ctx, &record);
            release(ring);
        } else if (r < 0 && !self->bad_records++) {
            orma_log_warn("linux.perf: cpu %u: invalid record in the kernel's ring", ring->cpu);
        }
    }
    return r > 0;
}

bool orma_perf_rings_next(struct orma_perf_rings *self, uint64_t until, uint64_t saves,
                          orma_perf_take *take, void *ctx)
{
    pthread_mutex_lock(&self->lock);
    bool ret = self->saves == saves && take_oldest(self, until, take, ctx);
    pthread_mutex_unlock(&self->lock);
    return ret;
}

bool orma_perf_rings_save(struct orma_perf_rings *self, uint64_t until, orma_perf_take *take,
                          void *ctx)
{
    pthread_mutex_lock(&self->lock);
    bool ret = take_oldest(self, until, take, ctx);
    self->saves++; /* when it has been taken: who sees this sees that */
    pthread_mutex_unlock(&self->lock);
    return ret;
}

uint64_t orma_perf_rings_now(const struct orma_perf_rings *self)
{
    struct timespec now = {0};

    (void)clock_gettime(self->plan->events[0].attr.clockid, &now); /* the kernel took it, too */
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

int orma_perf_ring_total(const struct orma_perf_ring *self, uint64_t *ret)
{
    *ret = 0;
    for (size_t i = 0; !self->switches && i < fds_num(&self->leaders); i++) {
        uint64_t count;

        if (read(fd_at(&self->leaders, i), &count, sizeof(count)) != sizeof(count))
            return -EIO;
        *ret += count;
    }
    return 0;
}

int orma_perf_ring_read(struct orma_perf_ring *self, const struct orma_perf_plan *plan,
                        struct orma_perf_record *ret)
{
    uint64_t values[1 + ORMA_PERF_EVENTS_MAX];
    ssize_t n = read(fd_at(&self->leaders, 0), values, sizeof(values));

    (void)plan;
    if (n < 0)
        return -errno;
    *ret = (struct orma_perf_record){.cpu = self->cpu, .time = orma_clock_boottime()};
    return orma_perf_record_counts(values, (size_t)n / 8, ret) ? 0 : -EBADMSG;
}
