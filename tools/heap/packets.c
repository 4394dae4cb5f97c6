/*
 * Packets of the trace: those of the encoder, and sums at the time of a dump.
 */
#include "tools/heap/collector_parts.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "protos/fields/profiling.h"
#include "protos/fields/trace.h"
#include "sdk/base/clock.h"
#include "sdk/base/defs.h"
#include "sdk/base/fd.h"
#include "sdk/wire/pb_writer.h"

#define SEQUENCE_ID 1
#define SAMPLES_PER_PACKET 4000u

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

void orma_heap_collector_leave(struct orma_heap_collector *self)
{
    (void)pthread_mutex_unlock(&self->lock);
}

void orma_heap_collector_come_back(struct orma_heap_collector *self)
{
    (void)pthread_mutex_lock(&self->lock);
    if (!self->given_up)
        return;
    orma_heap_collector_leave(self);
    for (;;)
        (void)pause();
}

int orma_heap_collector_put_encoded(struct orma_source_sink *sink, const void *packet, size_t len)
{
    struct orma_heap_collector *self = ORMA_CONTAINER_OF(sink, struct orma_heap_collector, sink);

    orma_heap_collector_come_back(self);
    int r = put_packet(self, packet, len);
    orma_heap_collector_leave(self);
    return r;
}

int orma_heap_collector_put_own(struct orma_heap_collector *self, struct orma_buf *packet)
{
    if (packet->failed && !self->err)
        self->err = -ENOMEM;
    return packet->failed ? -ENOMEM : put_packet(self, packet->data, packet->len);
}

/* ---- dumps ---- */

static void put_sample(struct orma_buf *out, const struct orma_heap_site *s)
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
                             const struct orma_heap_site *first, uint64_t time)
{
    const struct orma_heap_process *process = orma_map_get_ptr(&self->process_of, first->pid);

    orma_pb_put_u64(out, ORMA_PB_PROFILE_PACKET_PROCESS_HEAP_SAMPLES_PID, first->pid);
    if (process && !process->attached)
        orma_pb_put_u64(out, ORMA_PB_PROFILE_PACKET_PROCESS_HEAP_SAMPLES_FROM_STARTUP, 1);
    orma_pb_put_u64(out, ORMA_PB_PROFILE_PACKET_PROCESS_HEAP_SAMPLES_TIMESTAMP,
                    time - self->ahead_ns);
    orma_pb_put_str(out, ORMA_PB_PROFILE_PACKET_PROCESS_HEAP_SAMPLES_HEAP_NAME,
                    first->heap == ORMA_HEAP_OF_MMAP ? ORMA_STR("mmap") : ORMA_STR("libc.malloc"));
    orma_pb_put_u64(out, ORMA_PB_PROFILE_PACKET_PROCESS_HEAP_SAMPLES_SAMPLING_INTERVAL_BYTES,
                    self->ring.interval);
    orma_pb_put_u64(out, ORMA_PB_PROFILE_PACKET_PROCESS_HEAP_SAMPLES_ORIG_SAMPLING_INTERVAL_BYTES,
                    self->ring.interval);
    orma_pb_put_u64(out, ORMA_PB_PROFILE_PACKET_PROCESS_HEAP_SAMPLES_START_TIMESTAMP,
                    (process ? process->start : self->started_ns) - self->ahead_ns);
    if (atomic_load_explicit(&self->shared->lost, memory_order_relaxed) || self->stats.unread)
        orma_pb_put_u64(out, ORMA_PB_PROFILE_PACKET_PROCESS_HEAP_SAMPLES_BUFFER_OVERRAN, 1);
    if (self->stats.corrupted)
        orma_pb_put_u64(out, ORMA_PB_PROFILE_PACKET_PROCESS_HEAP_SAMPLES_BUFFER_CORRUPTED, 1);
}

static int by_pid(const void *a, const void *b)
{
    const struct orma_heap_site *x = a, *y = b;

    if (x->pid != y->pid)
        return x->pid < y->pid ? -1 : 1;
    if (x->heap != y->heap)
        return x->heap < y->heap ? -1 : 1;
    return x->stack < y->stack ? -1 : x->stack > y->stack;
}

/* One process, or a part of it, as a packet. */
static void put_process(struct orma_heap_collector *self, const struct orma_heap_site *sites,
                        size_t num, uint64_t time, bool continued)
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
    (void)orma_heap_collector_put_own(self, out); /* noted in self->err */
}

int orma_heap_collector_put_dump(struct orma_heap_collector *self)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf copy = {0};
    uint64_t time = orma_clock_boottime();
    struct orma_heap_site *sites;

    orma_buf_put(&copy, self->sites.data, self->sites.len);
    if (copy.failed)
        return -ENOMEM;
    sites = (struct orma_heap_site *)(void *)copy.data;
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
