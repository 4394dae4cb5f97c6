#include "traced/sessions/snapshot.h"

#include <stdlib.h>
#include <string.h>

#include "protos/fields/trace.h"
#include "sdk/base/clock.h"

#define DRIFT_NS 10000000
#define REPEATED_KINDS_MAX 64

struct traced_clocks traced_clocks_now(void)
{
    struct traced_clocks c = {{
        orma_clock_now(ORMA_CLOCK_BOOTTIME),
        orma_clock_now(ORMA_CLOCK_REALTIME_COARSE),
        orma_clock_now(ORMA_CLOCK_MONOTONIC_COARSE),
        orma_clock_now(ORMA_CLOCK_REALTIME),
        orma_clock_monotonic(),
        orma_clock_now(ORMA_CLOCK_MONOTONIC_RAW),
#if defined(__x86_64__)
        __builtin_ia32_rdtsc(), /* <x86intrin.h> is slow to compile */
#endif
    }};

    return c;
}

/* Has any clock gone another way than BOOTTIME? */
static bool has_drifted(const struct traced_clocks *a, const struct traced_clocks *b)
{
    int64_t boot = (int64_t)(b->now[0] - a->now[0]);

    for (size_t i = 1; i < TRACED_CLOCKS; i++) {
        int64_t drift = (int64_t)(b->now[i] - a->now[i]) - boot;

        if (drift >= DRIFT_NS || drift <= -DRIFT_NS)
            return true;
    }
    return false;
}

void traced_snapshots_add_clocks(struct traced_snapshots *self)
{
    struct traced_clocks now;

    if (self->no_clocks)
        return;
    now = traced_clocks_now();
    if (self->clocks_num && !has_drifted(&self->clocks[self->clocks_num - 1], &now))
        return;
    if (self->clocks_num == TRACED_SNAPSHOTS_MAX) {
        memmove(&self->clocks[0], &self->clocks[1], sizeof(now) * (TRACED_SNAPSHOTS_MAX - 1));
        self->clocks_num--;
    }
    self->clocks[self->clocks_num++] = now;
}

static void remove_event(struct traced_snapshots *self, size_t idx)
{
    orma_buf_fini(&self->events[idx].msg);
    memmove(&self->events[idx], &self->events[idx + 1],
            sizeof(self->events[0]) * (self->events_num - idx - 1));
    self->events_num--;
}

void traced_snapshots_add_event(struct traced_snapshots *self, uint32_t kind, uint64_t val,
                                struct orma_buf *msg)
{
    traced_snapshots_add_event_at(self, orma_clock_boottime(), kind, val, msg);
}

void traced_snapshots_add_event_at(struct traced_snapshots *self, uint64_t ts, uint32_t kind,
                                   uint64_t val, struct orma_buf *msg)
{
    size_t same = 0, first = 0;
    bool repeated = kind == ORMA_PB_TRACING_SERVICE_EVENT_FLUSH_STARTED ||
                    kind == ORMA_PB_TRACING_SERVICE_EVENT_ALL_DATA_SOURCES_FLUSHED ||
                    kind == ORMA_PB_TRACING_SERVICE_EVENT_BUFFER_CLONED;

    for (size_t i = self->events_num; i-- > 0;) {
        if (self->events[i].kind != kind)
            continue;
        same++;
        first = i;
    }
    if (same >= (repeated ? REPEATED_KINDS_MAX : 1))
        remove_event(self, first);
    else if (self->events_num == TRACED_EVENTS_MAX)
        remove_event(self, 0);
    struct traced_event *ev = &self->events[self->events_num++];
    *ev = (struct traced_event){.ts = ts, .kind = kind, .val = val};
    if (msg) {
        ev->msg = *msg;
        *msg = (struct orma_buf){0};
    }
}

void traced_snapshots_copy(struct traced_snapshots *to, const struct traced_snapshots *from)
{
    *to = *from;
    for (size_t i = 0; i < from->events_num; i++) {
        to->events[i].msg = (struct orma_buf){0};
        orma_buf_put(&to->events[i].msg, from->events[i].msg.data, from->events[i].msg.len);
    }
}

static int by_time(const void *a, const void *b)
{
    const struct traced_event *x = a, *y = b;

    return (x->ts > y->ts) - (x->ts < y->ts);
}

void traced_snapshots_sort_events(struct traced_snapshots *self)
{
    if (self->events_num)
        qsort(self->events, self->events_num, sizeof(self->events[0]), by_time);
}

void traced_snapshots_fini(struct traced_snapshots *self)
{
    while (self->events_num)
        remove_event(self, self->events_num - 1);
}
