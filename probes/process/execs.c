/*
 * One event and one small ring for each cpu: the kernel writes a record of 16 bytes (header, pid,
 * tid) for each exec and wakes us. A ring that is full drops records: their processes are looked
 * up later, by the events of linux.ftrace, if they are still there.
 */
#include "probes/process/execs.h"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sdk/base/fd.h"
#include "sdk/base/str.h"

#define TRACEFS "/sys/kernel/tracing"
#define RING_PAGES 1u /* of data, a power of two: 256 records */
#define CPUS_MAX 1024

struct ring {
    struct orma_process_execs *execs;
    int fd;
    struct perf_event_mmap_page *page;
    struct event *readable;
};

struct orma_process_execs {
    orma_process_exec_fn *on_exec;
    void *ctx;
    size_t page_size, num;
    struct ring rings[];
};

struct record {
    struct perf_event_header header;
    uint32_t pid, tid;
};

/* The ring's bytes from `at` on; a record may go over the end. */
static void copy_out(const struct ring *ring, uint64_t at, void *to, size_t len)
{
    size_t size = ring->execs->page_size * RING_PAGES;
    const uint8_t *data = (const uint8_t *)ring->page + ring->execs->page_size;

    for (size_t i = 0; i < len; i++)
        ((uint8_t *)to)[i] = data[(at + i) % size];
}

static void take(struct ring *ring)
{
    struct orma_process_execs *self = ring->execs;
    /* Pairs with the kernel's store behind its records (perf_output_put_handle()). */
    uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
    uint64_t at = ring->page->data_tail;
    struct record record;

    while (head - at >= sizeof(record.header)) {
        copy_out(ring, at, &record.header, sizeof(record.header));
        if (record.header.size < sizeof(record.header) || record.header.size > head - at)
            at = head; /* nonsense: begin anew */
        else if (record.header.type == PERF_RECORD_SAMPLE && record.header.size >= sizeof(record)) {
            copy_out(ring, at, &record, sizeof(record));
            at += record.header.size;
            self->on_exec(self->ctx, (int32_t)record.pid);
        } else {
            at += record.header.size;
        }
    }
    /* What was copied may be overwritten. */
    __atomic_store_n(&ring->page->data_tail, at, __ATOMIC_RELEASE);
}

static void on_readable(evutil_socket_t fd, short what, void *arg)
{
    (void)fd;
    (void)what;
    take(arg);
}

static bool read_event_id(const struct orma_source_env *env, uint64_t *ret)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf path = {0}, text = {0};
    struct orma_str id;

    orma_buf_printf(&path, "%s/events/sched/sched_process_exec/id",
                    env->tracefs_root ? env->tracefs_root : TRACEFS);
    if (orma_fd_read_file(AT_FDCWD, orma_buf_cstr(&path), 64, &text) < 0)
        return false;
    id = orma_buf_str(&text);
    while (id.len && id.data[id.len - 1] == '\n')
        id.len--;
    return orma_str_to_u64(id, ret);
}

static bool open_ring(struct orma_process_execs *self, struct event_base *base, uint64_t id, int cpu)
{
    struct ring *ring = &self->rings[self->num];
    struct perf_event_attr attr = {
        .type = PERF_TYPE_TRACEPOINT,
        .size = sizeof(attr),
        .config = id,
        .sample_period = 1,
        .sample_type = PERF_SAMPLE_TID,
        .wakeup_events = 1,
    };

    ring->execs = self;
    ring->fd = (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
    if (ring->fd < 0)
        return false;
    void *map = mmap(NULL, self->page_size * (1 + RING_PAGES), PROT_READ | PROT_WRITE, MAP_SHARED,
                     ring->fd, 0);
    ring->page = map == MAP_FAILED ? NULL : map;
    ring->readable = event_new(base, ring->fd, EV_READ | EV_PERSIST, on_readable, ring);
    self->num++; /* to be closed, whatever is in it */
    return ring->page && ring->readable && event_add(ring->readable, NULL) == 0;
}

struct orma_process_execs *orma_process_execs_new(struct orma_source_env *env,
                                                  orma_process_exec_fn *on_exec, void *ctx)
{
    long cpus = sysconf(_SC_NPROCESSORS_CONF);
    struct orma_process_execs *self;
    bool any = false;
    uint64_t id;

    if (strcmp(env->proc_root, "/proc") != 0 || cpus < 1 || cpus > CPUS_MAX ||
        !read_event_id(env, &id))
        return NULL;
    self = calloc(1, sizeof(*self) + (size_t)cpus * sizeof(self->rings[0]));
    if (!self)
        return NULL;
    self->on_exec = on_exec;
    self->ctx = ctx;
    self->page_size = (size_t)sysconf(_SC_PAGESIZE);
    for (int cpu = 0; cpu < (int)cpus; cpu++)
        any |= open_ring(self, env->base, id, cpu); /* a cpu may be off */
    if (any)
        return self;
    orma_process_execs_free(self);
    return NULL;
}

void orma_process_execs_take(struct orma_process_execs *self)
{
    for (size_t i = 0; self && i < self->num; i++) {
        if (self->rings[i].page)
            take(&self->rings[i]);
    }
}

void orma_process_execs_free(struct orma_process_execs *self)
{
    if (!self)
        return;
    for (size_t i = 0; i < self->num; i++) {
        struct ring *ring = &self->rings[i];

        if (ring->readable)
            event_free(ring->readable);
        if (ring->page)
            (void)munmap(ring->page, self->page_size * (1 + RING_PAGES));
        orma_fd_close(&ring->fd);
    }
    free(self);
}
