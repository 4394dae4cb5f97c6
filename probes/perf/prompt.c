#include "probes/perf/prompt.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

#include "sdk/base/defs.h"
#include "sdk/base/fd.h"
#include "sdk/base/hash.h"
#include "sdk/base/thread.h"

#define SLOTS 8192u /* a power of two; samples between two rounds of the worker */
#define BYTES_MAX (16u << 20)
#define ONCE_MAX 64u /* samples of one look */
#define NICE (-10)

struct kept {
    uint64_t time;
    uint32_t tid;
    struct orma_buf bytes;
};

struct wanted {
    uint64_t time;
    uint32_t pid, tid;
};

struct looker {
    struct orma_perf_prompt *of;
    struct orma_perf_ring *ring;
    pthread_t thread;
    int epoll;
    uint64_t seen; /* of the ring: as far as it was looked at */
    struct wanted found[ONCE_MAX];
};

struct orma_perf_prompt {
    struct orma_perf_rings *rings;
    orma_perf_prompt_read *read;
    void *ctx;
    int stop;
    struct looker *lookers;
    size_t lookers_num;
    pthread_mutex_t lock; /* of what follows, and of what read() uses */
    struct kept slots[SLOTS];
    size_t bytes;
    struct orma_buf read_now;
};

/* ---- what is kept ---- */

static struct kept *slot_of(struct orma_perf_prompt *self, uint32_t tid, uint64_t time)
{
    return &self->slots[orma_mix64(time ^ orma_mix64(tid)) % SLOTS];
}

static void drop(struct orma_perf_prompt *self, struct kept *kept)
{
    self->bytes -= kept->bytes.len;
    orma_buf_fini(&kept->bytes);
}

/* Nobody asked for it since the memory was last full. */
static void drop_all(struct orma_perf_prompt *self)
{
    for (size_t i = 0; i < SLOTS; i++)
        drop(self, &self->slots[i]);
}

static void keep(struct orma_perf_prompt *self, const struct wanted *sample)
{
    struct kept *kept = slot_of(self, sample->tid, sample->time);

    if (self->bytes > BYTES_MAX)
        drop_all(self);
    drop(self, kept); /* another's: nobody came for it, or it is bad luck */
    orma_buf_put(&kept->bytes, self->read_now.data, self->read_now.len);
    if (kept->bytes.failed)
        orma_buf_fini(&kept->bytes);
    self->bytes += kept->bytes.len;
    kept->time = sample->time;
    kept->tid = sample->tid;
}

bool orma_perf_prompt_take(struct orma_perf_prompt *self, uint32_t tid, uint64_t time,
                           struct orma_buf *ret)
{
    if (!self)
        return false;
    pthread_mutex_lock(&self->lock);
    struct kept *kept = slot_of(self, tid, time);
    const bool found = kept->bytes.len && kept->tid == tid && kept->time == time;
    if (found) {
        self->bytes -= kept->bytes.len;
        *ret = kept->bytes;
        kept->bytes = (struct orma_buf){0};
    }
    pthread_mutex_unlock(&self->lock);
    return found;
}

/* ---- lookers ---- */

/* Samples that are new; the rings' lock keeps others from giving their room back meanwhile. */
static size_t look_into(struct looker *self)
{
    struct orma_perf_rings *rings = self->of->rings;
    struct orma_perf_glimpse glimpse;
    size_t num = 0;

    pthread_mutex_lock(&rings->lock);
    while (num < ONCE_MAX && orma_perf_ring_glimpse(self->ring, &self->seen, &glimpse))
        self->found[num++] = (struct wanted){glimpse.time, glimpse.pid, glimpse.tid};
    pthread_mutex_unlock(&rings->lock);
    return num;
}

static void read_one(struct orma_perf_prompt *self, const struct wanted *sample)
{
    pthread_mutex_lock(&self->lock);
    orma_buf_clear(&self->read_now);
    if (self->read(self->ctx, sample->pid, sample->tid, &self->read_now) && !self->read_now.failed)
        keep(self, sample);
    pthread_mutex_unlock(&self->lock);
}

static void read_new(struct looker *self)
{
    size_t num;

    do {
        num = look_into(self);
        for (size_t i = num; i-- > 0;) /* the latest first: of others, the moment has passed */
            read_one(self->of, &self->found[i]);
    } while (num == ONCE_MAX);
}

/* Where it may not be the first, it is its turn when the kernel thinks so. */
static void be_first(const struct looker *self)
{
    const struct sched_param first = {.sched_priority = 1};
    cpu_set_t here;

    CPU_ZERO(&here);
    if (self->ring->cpu < CPU_SETSIZE)
        CPU_SET(self->ring->cpu, &here);
    (void)pthread_setaffinity_np(pthread_self(), sizeof(here), &here);
    if (pthread_setschedparam(pthread_self(), SCHED_FIFO, &first) != 0)
        (void)setpriority(PRIO_PROCESS, 0, NICE); /* of this thread */
}

static void *run(void *arg)
{
    struct looker *self = arg;
    struct epoll_event events[2];

    be_first(self);
    for (;;) {
        int num = epoll_wait(self->epoll, events, ORMA_ARRAY_LEN(events), -1);

        if (num < 0 && errno != EINTR)
            return NULL;
        for (int i = 0; i < num; i++) {
            if (events[i].data.ptr == NULL)
                return NULL;
        }
        read_new(self);
    }
}

/* ---- life ---- */

static int watch(const struct looker *self, int fd, void *what, uint32_t how)
{
    struct epoll_event event = {.events = EPOLLIN | how, .data.ptr = what};

    return epoll_ctl(self->epoll, EPOLL_CTL_ADD, fd, &event) < 0 ? -errno : 0;
}

static int looker_start(struct looker *self, struct orma_perf_prompt *of,
                        struct orma_perf_ring *ring)
{
    self->of = of;
    self->ring = ring;
    self->epoll = epoll_create1(EPOLL_CLOEXEC);
    int r = self->epoll < 0 ? -errno : watch(self, of->stop, NULL, 0);
    if (r == 0) /* by edge: of threads that have ended, the kernel would go on to say so */
        r = watch(self, orma_perf_ring_fd(ring), self, EPOLLET);
    if (r == 0)
        r = orma_thread_start(&self->thread, NULL, run, self);
    if (r < 0)
        orma_fd_close(&self->epoll);
    return r;
}

void orma_perf_prompt_free(struct orma_perf_prompt *self)
{
    const uint64_t one = 1;

    if (!self)
        return;
    if (self->stop >= 0)
        (void)!write(self->stop, &one, sizeof(one)); /* it was 0: there is room */
    for (size_t i = 0; i < self->lookers_num; i++) {
        pthread_join(self->lookers[i].thread, NULL);
        orma_fd_close(&self->lookers[i].epoll);
    }
    orma_fd_close(&self->stop);
    drop_all(self);
    orma_buf_fini(&self->read_now);
    pthread_mutex_destroy(&self->lock);
    free(self->lookers);
    free(self);
}

int orma_perf_prompt_new(struct orma_perf_rings *rings, orma_perf_prompt_read *read, void *ctx,
                         struct orma_perf_prompt **ret)
{
    struct orma_perf_prompt *self = calloc(1, sizeof(*self));
    int r = 0;

    if (!self)
        return -ENOMEM;
    self->rings = rings;
    self->read = read;
    self->ctx = ctx;
    pthread_mutex_init(&self->lock, NULL);
    self->lookers = calloc(ORMA_MAX(rings->num, (size_t)1), sizeof(*self->lookers));
    self->stop = eventfd(0, EFD_CLOEXEC);
    if (!self->lookers || self->stop < 0)
        r = self->lookers ? -errno : -ENOMEM;
    for (size_t i = 0; r == 0 && i < rings->num; i++) {
        if (rings->all[i].switches)
            continue;
        r = looker_start(&self->lookers[self->lookers_num], self, &rings->all[i]);
        self->lookers_num += r == 0;
    }
    if (r < 0)
        orma_perf_prompt_free(self);
    else
        *ret = self;
    return r;
}

void orma_perf_prompt_lock(struct orma_perf_prompt *self)
{
    if (self)
        pthread_mutex_lock(&self->lock);
}

void orma_perf_prompt_unlock(struct orma_perf_prompt *self)
{
    if (self)
        pthread_mutex_unlock(&self->lock);
}
