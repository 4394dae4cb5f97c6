#include "tools/top/session.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "probes/probes.h"
#include "protos/fields/common.h"
#include "protos/fields/config.h"
#include "sdk/base/clock.h"
#include "sdk/wire/pb_reader.h"
#include "sdk/wire/pb_writer.h"
#include "tools/record/record_config.h"
#include "tools/service/state.h"

#define START_NS UINT64_C(10000000000)
#define TURN_MS 100

static bool is_usable(const struct orma_live_session *self, struct orma_str state, const char *name,
                      char *why, size_t size)
{
    if (self->service.host)
        return orma_probes_source_usable(NULL, name, why, size);
    snprintf(why, size, "the running service does not offer it (start traced_probes)");
    return orma_service_state_has_source(state, name);
}

static void make_config(const struct orma_live_session *self, const char *program,
                        struct orma_str state, uint64_t buffer_bytes, struct orma_buf *config)
{
    struct orma_record_request rq = {.mode = ORMA_RECORD_RING, .buffer_bytes = buffer_bytes};
    char why[512] = "";

    (void)orma_record_request_add(&rq, "sched/sched_switch"); /* known words */
    (void)orma_record_request_add(&rq, "sched/sched_waking");
    (void)orma_record_request_add(&rq, "apps");
    rq.ftrace = is_usable(self, state, "linux.ftrace", why, sizeof(why));
    if (!rq.ftrace)
        fprintf(stderr, "%s: no threads, only slices: linux.ftrace: %s\n", program, why);
    rq.process_stats = is_usable(self, state, "linux.process_stats", why, sizeof(why));
    orma_record_config_put(config, &rq);
    orma_pb_put_cstr(config, ORMA_PB_TRACE_CONFIG_UNIQUE_SESSION_NAME, self->name);
}

static void on_event(void *ctx, struct orma_str events)
{
    struct orma_pb_reader r = orma_pb_reader(events.data, events.len);
    struct orma_pb_field f;
    bool *started = ctx;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_OBSERVABLE_EVENTS_ALL_DATA_SOURCES_STARTED)
            *started |= orma_pb_bool(&f);
    }
}

static int start(struct orma_live_session *self, const char *program, struct orma_str config)
{
    const uint64_t end = orma_clock_monotonic() + START_NS;
    const char *why = "";
    bool started = false;
    int r = orma_consumer_observe(self->service.consumer,
                                  ORMA_PB_OBSERVABLE_EVENTS_TYPE_ALL_DATA_SOURCES_STARTED, on_event,
                                  &started);

    if (r == 0)
        r = orma_consumer_enable(self->service.consumer, config, -1);
    while (r == 0 && !started && orma_clock_monotonic() < end) {
        r = orma_consumer_wait(self->service.consumer, TURN_MS);
        r = r == -ETIMEDOUT || r == -EINTR ? 0 : r;
        if (r == 0 && orma_consumer_ended(self->service.consumer, &why))
            r = -EREMOTEIO;
    }
    (void)orma_consumer_observe(self->service.consumer, 0, on_event, NULL); /* `started` goes */
    if (r < 0)
        fprintf(stderr, "%s: cannot record: %s\n", program, why && *why ? why : strerror(-r));
    return r;
}

int orma_live_session_begin(struct orma_live_session *self, const char *program,
                            uint64_t buffer_bytes)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf state = {0}, config = {0};
    int r = orma_service_attach(&self->service, program, ORMA_SERVICE_ATTACH_ANY);

    if (r < 0)
        return r;
    if (orma_service_state_query(self->service.consumer, &state) < 0)
        orma_buf_clear(&state);
    snprintf(self->name, sizeof(self->name), "orma-top-%d", (int)getpid());
    make_config(self, program, orma_buf_str(&state), buffer_bytes, &config);
    return config.failed ? -ENOMEM : start(self, program, orma_buf_str(&config));
}

void orma_live_session_end(struct orma_live_session *self)
{
    orma_service_attached_fini(&self->service);
}

const char *orma_live_session_addr(const struct orma_live_session *self)
{
    return self->service.host ? orma_service_host_consumer_addr(self->service.host) : NULL;
}
