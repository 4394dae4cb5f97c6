#include "processor/serve/metatrace.h"

#include <unistd.h>

#include "protos/fields/trace.h"
#include "protos/fields/trace_processor.h"
#include "sdk/base/clock.h"
#include "sdk/wire/pb_writer.h"

#define MAX ((size_t)64 << 20)
#define QUERY_MAX ((size_t)64 << 10) /* longer texts are cut */

void orma_metatrace_fini(struct orma_metatrace *self)
{
    orma_buf_fini(&self->packets);
    *self = (struct orma_metatrace){0};
}

/* So that times of the server can be told from those of its clients. */
static void put_clocks(struct orma_buf *out)
{
    static const enum orma_clock clocks[] = {ORMA_CLOCK_BOOTTIME, ORMA_CLOCK_MONOTONIC,
                                             ORMA_CLOCK_REALTIME};
    const size_t packet = orma_pb_begin(out, ORMA_PB_TRACE_PACKET);
    const size_t snapshot = orma_pb_begin(out, ORMA_PB_TRACE_PACKET_CLOCK_SNAPSHOT);

    for (size_t i = 0; i < ORMA_ARRAY_LEN(clocks); i++) {
        const size_t clock = orma_pb_begin(out, ORMA_PB_CLOCK_SNAPSHOT_CLOCKS);

        orma_pb_put_u64(out, ORMA_PB_CLOCK_SNAPSHOT_CLOCK_CLOCK_ID, clocks[i]);
        orma_pb_put_u64(out, ORMA_PB_CLOCK_SNAPSHOT_CLOCK_TIMESTAMP, orma_clock_now(clocks[i]));
        orma_pb_end(out, clock);
    }
    orma_pb_put_u64(out, ORMA_PB_CLOCK_SNAPSHOT_PRIMARY_TRACE_CLOCK, ORMA_CLOCK_BOOTTIME);
    orma_pb_end(out, snapshot);
    orma_pb_end(out, packet);
}

void orma_metatrace_enable(struct orma_metatrace *self)
{
    orma_metatrace_fini(self);
    self->on = true;
    put_clocks(&self->packets);
}

uint64_t orma_metatrace_now(void)
{
    return orma_clock_boottime();
}

void orma_metatrace_put(struct orma_metatrace *self, const char *name, uint64_t begin_ns,
                        struct orma_str query)
{
    struct orma_buf *out = &self->packets;

    if (!self->on || self->overrun)
        return;
    query.len = ORMA_MIN(query.len, QUERY_MAX);
    self->overrun = out->len + query.len > MAX;
    const size_t packet = orma_pb_begin(out, ORMA_PB_TRACE_PACKET);
    orma_pb_put_u64(out, ORMA_PB_TRACE_PACKET_TIMESTAMP, begin_ns);
    const size_t event = orma_pb_begin(out, ORMA_PB_TRACE_PACKET_PERFETTO_METATRACE);
    orma_pb_put_cstr(out, ORMA_PB_PERFETTO_METATRACE_EVENT_NAME, name);
    orma_pb_put_u64(out, ORMA_PB_PERFETTO_METATRACE_EVENT_DURATION_NS,
                    orma_clock_boottime() - begin_ns);
    orma_pb_put_u64(out, ORMA_PB_PERFETTO_METATRACE_THREAD_ID, (uint64_t)gettid());
    if (self->overrun)
        orma_pb_put_u64(out, ORMA_PB_PERFETTO_METATRACE_HAS_OVERRUNS, 1);
    if (query.len) {
        const size_t arg = orma_pb_begin(out, ORMA_PB_PERFETTO_METATRACE_ARGS);

        orma_pb_put_cstr(out, ORMA_PB_PERFETTO_METATRACE_ARG_KEY, "query");
        orma_pb_put_str(out, ORMA_PB_PERFETTO_METATRACE_ARG_VALUE, query);
        orma_pb_end(out, arg);
    }
    orma_pb_end(out, event);
    orma_pb_end(out, packet);
}

void orma_metatrace_read(struct orma_metatrace *self, struct orma_buf *out)
{
    if (self->packets.failed)
        orma_pb_put_cstr(out, ORMA_PB_DISABLE_AND_READ_METATRACE_RESULT_ERROR, "out of memory");
    else
        orma_pb_put_bytes(out, ORMA_PB_DISABLE_AND_READ_METATRACE_RESULT_METATRACE,
                          self->packets.data, self->packets.len);
    orma_metatrace_fini(self);
}
