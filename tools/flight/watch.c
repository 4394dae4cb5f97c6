#include "tools/flight/watch.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "protos/fields/config.h"
#include "sdk/base/clock.h"
#include "sdk/transport/consumer.h"
#include "tools/record/source_config.h"

#define CONNECT_MS 5000
#define FLUSH_MS 100
#define ANSWER_MS 1000
#define READ_MS 5000
/* What arrives in seconds, where nobody reads for so long; memory is used for what is there. */
#define BUFFER_KB 32768

static bool wants(const struct orma_flight_plan *plan, enum orma_flight_kind kind)
{
    for (unsigned i = 0; i < plan->num; i++) {
        if (plan->conditions[i].kind == kind)
            return true;
    }
    return false;
}

bool orma_flight_watch_wanted(const struct orma_flight_plan *plan)
{
    return wants(plan, ORMA_FLIGHT_SLICE) || wants(plan, ORMA_FLIGHT_LATENCY);
}

static void put_programs(struct orma_buf *out)
{
    struct orma_record_open_source s = orma_record_source_begin(out, "track_event");
    size_t config = orma_pb_begin(out, ORMA_PB_DATA_SOURCE_CONFIG_TRACK_EVENT_CONFIG);

    orma_pb_put_cstr(out, ORMA_PB_TRACK_EVENT_CONFIG_ENABLED_CATEGORIES, "*");
    orma_pb_end(out, config);
    orma_record_source_end(out, s);
}

static void put_kernel(struct orma_buf *out)
{
    struct orma_record_open_source s = orma_record_source_begin(out, "linux.ftrace");
    size_t config = orma_pb_begin(out, ORMA_PB_DATA_SOURCE_CONFIG_FTRACE_CONFIG);

    orma_pb_put_cstr(out, ORMA_PB_FTRACE_CONFIG_FTRACE_EVENTS, "sched/sched_switch");
    orma_pb_put_cstr(out, ORMA_PB_FTRACE_CONFIG_FTRACE_EVENTS, "sched/sched_waking");
    size_t compact = orma_pb_begin(out, ORMA_PB_FTRACE_CONFIG_COMPACT_SCHED);
    orma_pb_put_u64(out, ORMA_PB_FTRACE_CONFIG_COMPACT_SCHED_CONFIG_ENABLED, 0);
    orma_pb_end(out, compact);
    orma_pb_end(out, config);
    orma_record_source_end(out, s);
}

static void put_config(const struct orma_flight_plan *plan, struct orma_buf *out)
{
    size_t buffer = orma_pb_begin(out, ORMA_PB_TRACE_CONFIG_BUFFERS);

    orma_pb_put_u64(out, ORMA_PB_TRACE_CONFIG_BUFFER_CONFIG_SIZE_KB, BUFFER_KB);
    orma_pb_end(out, buffer);
    if (wants(plan, ORMA_FLIGHT_SLICE))
        put_programs(out);
    if (wants(plan, ORMA_FLIGHT_LATENCY))
        put_kernel(out);
}

int orma_flight_watch_begin(const struct orma_flight_plan *plan, struct orma_consumer **ret)
{
    ORMA_AUTO(orma_consumer_free_p) struct orma_consumer *watch = NULL;
    ORMA_AUTO(orma_buf_fini) struct orma_buf config = {0};
    const char *why = NULL;
    int r = orma_consumer_new(plan->addr, CONNECT_MS, &watch);

    put_config(plan, &config);
    if (r == 0)
        r = config.failed ? -ENOMEM : orma_consumer_enable(watch, orma_buf_str(&config), -1);
    if (r == 0 && orma_consumer_ended(watch, &why))
        r = -EREMOTEIO;
    if (r < 0) {
        fprintf(stderr, "%s: cannot look at conditions: %s\n", plan->program,
                why && *why ? why : strerror(-r));
        return r;
    }
    *ret = ORMA_STEAL(watch);
    return 0;
}

int orma_flight_watch_read(struct orma_consumer *watch,
                           int (*take)(void *ctx, const uint8_t *packet, size_t len), void *ctx)
{
    const uint64_t end = orma_clock_monotonic() + ANSWER_MS * UINT64_C(1000000);
    struct orma_consumer_flush flush = {0};
    int r = orma_consumer_flush_begin(watch, FLUSH_MS, ORMA_FLUSH_FLAGS_EXPLICIT, &flush);

    while (r == 0 && !flush.done && orma_clock_monotonic() < end) {
        r = orma_consumer_wait(watch, FLUSH_MS);
        r = r == -ETIMEDOUT || r == -EINTR ? 0 : r;
    }
    if (!flush.done)
        orma_consumer_flush_forget(watch, &flush);
    if (r == 0)
        r = orma_consumer_read_wait(watch, READ_MS, take, ctx);
    if (r == 0 && orma_consumer_ended(watch, NULL))
        r = -ECONNRESET;
    return r < 0 ? r : flush.done && flush.complete;
}
