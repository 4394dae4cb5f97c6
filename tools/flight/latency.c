#include "tools/flight/latency.h"

#include <fnmatch.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "protos/fields/ftrace.h"
#include "protos/fields/trace.h"
#include "sdk/base/str.h"
#include "sdk/wire/pb_reader.h"

#define COMM_MAX 16
/* Of events that wait for others; beyond it they are looked at as they are. */
#define WAITING_MAX ((size_t)1 << 20)
#define READY_MAX 262144u
/* Bits of prev_state that say why a thread sleeps; without any it could run. */
#define SLEEPS 0xffu

struct orma_flight_sched {
    uint64_t boot;
    int32_t tid, prev_tid; /* of a waking: prev_tid is -1 */
    bool prev_runs;        /* the thread that left could go on */
    char comm[COMM_MAX];
};

void orma_flight_latency_fini(struct orma_flight_latency *self)
{
    free(self->waiting);
    self->waiting = NULL;
    self->num = self->cap = 0;
    orma_map_fini(&self->ready);
}

static struct orma_flight_sched *add(struct orma_flight_latency *self)
{
    if (self->num == self->cap) {
        size_t cap = self->cap ? 2 * self->cap : 1024;
        struct orma_flight_sched *more = realloc(self->waiting, cap * sizeof(*more));

        if (!more)
            return NULL;
        self->waiting = more;
        self->cap = cap;
    }
    return &self->waiting[self->num++];
}

static void take_comm(struct orma_flight_sched *e, struct orma_str comm)
{
    snprintf(e->comm, sizeof(e->comm), "%.*s", ORMA_STR_ARG(comm));
}

static void read_switch(struct orma_pb_reader r, struct orma_flight_sched *e)
{
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        switch (f.id) {
        case ORMA_PB_SCHED_SWITCH_FTRACE_EVENT_PREV_PID:
            e->prev_tid = orma_pb_i32(&f);
            break;
        case ORMA_PB_SCHED_SWITCH_FTRACE_EVENT_PREV_STATE:
            e->prev_runs = !(orma_pb_u64(&f) & SLEEPS);
            break;
        case ORMA_PB_SCHED_SWITCH_FTRACE_EVENT_NEXT_COMM:
            take_comm(e, orma_pb_str(&f));
            break;
        case ORMA_PB_SCHED_SWITCH_FTRACE_EVENT_NEXT_PID:
            e->tid = orma_pb_i32(&f);
            break;
        }
    }
}

static void read_waking(struct orma_pb_reader r, struct orma_flight_sched *e)
{
    struct orma_pb_field f;

    e->prev_tid = -1;
    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_SCHED_WAKING_FTRACE_EVENT_PID)
            e->tid = orma_pb_i32(&f);
    }
}

static void read_event(struct orma_flight_latency *self, struct orma_pb_reader r)
{
    struct orma_flight_sched e = {.prev_runs = true}; /* a state of 0 is not written */
    struct orma_pb_field f;
    bool any = false;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_FTRACE_EVENT_TIMESTAMP)
            e.boot = orma_pb_u64(&f);
        else if (f.id == ORMA_PB_FTRACE_EVENT_SCHED_SWITCH)
            read_switch(orma_pb_sub(&f), &e);
        else if (f.id == ORMA_PB_FTRACE_EVENT_SCHED_WAKING)
            read_waking(orma_pb_sub(&f), &e);
        else
            continue;
        any |= f.id != ORMA_PB_FTRACE_EVENT_TIMESTAMP;
    }
    struct orma_flight_sched *to = any ? add(self) : NULL;
    if (to)
        *to = e;
    self->events += any;
}

/* What the kernel's clock has to be moved by. */
static uint64_t to_boot(struct orma_pb_reader bundle, bool *lost)
{
    uint64_t ftrace = 0, boot = 0;
    struct orma_pb_field f;

    while (orma_pb_next(&bundle, &f)) {
        if (f.id == ORMA_PB_FTRACE_EVENT_BUNDLE_FTRACE_TIMESTAMP)
            ftrace = orma_pb_u64(&f);
        else if (f.id == ORMA_PB_FTRACE_EVENT_BUNDLE_BOOT_TIMESTAMP)
            boot = orma_pb_u64(&f);
        else if (f.id == ORMA_PB_FTRACE_EVENT_BUNDLE_LOST_EVENTS)
            *lost |= orma_pb_bool(&f);
    }
    return ftrace && boot ? boot - ftrace : 0;
}

static void take_bundle(struct orma_flight_latency *self, struct orma_pb_reader bundle)
{
    bool lost = false;
    uint64_t shift = to_boot(bundle, &lost);
    size_t before = self->num;
    struct orma_pb_field f;

    if (lost) {
        self->forgotten += self->ready.len;
        orma_map_clear(&self->ready);
        self->num = before = 0;
    }
    while (orma_pb_next(&bundle, &f)) {
        if (f.id == ORMA_PB_FTRACE_EVENT_BUNDLE_EVENT)
            read_event(self, orma_pb_sub(&f));
    }
    for (size_t i = before; i < self->num; i++)
        self->waiting[i].boot += shift;
}

void orma_flight_latency_take(struct orma_flight_latency *self, const uint8_t *packet, size_t len)
{
    struct orma_pb_reader r = orma_pb_reader(packet, len);
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_TRACE_PACKET_FTRACE_EVENTS)
            take_bundle(self, orma_pb_sub(&f));
    }
    if (self->num > WAITING_MAX)
        orma_flight_latency_look(self, UINT64_MAX);
}

static int by_time(const void *a, const void *b)
{
    const struct orma_flight_sched *x = a, *y = b;

    return x->boot < y->boot ? -1 : x->boot > y->boot;
}

static void wait_from(struct orma_flight_latency *self, int32_t tid, uint64_t boot)
{
    if (self->ready.len >= READY_MAX) {
        self->forgotten += self->ready.len;
        orma_map_clear(&self->ready);
    }
    if (tid > 0)
        (void)orma_map_put(&self->ready, (uint32_t)tid, boot); /* else this wait is not known */
}

static void runs(struct orma_flight_latency *self, const struct orma_flight_sched *e)
{
    uint64_t since = orma_map_take(&self->ready, (uint32_t)e->tid);

    if (since == ORMA_MAP_NONE || since >= e->boot)
        return;
    for (unsigned i = 0; i < ORMA_FLIGHT_CONDITIONS_MAX; i++) {
        if (self->rules[i].name && e->boot - since > self->rules[i].longer_ns &&
            fnmatch(self->rules[i].name, e->comm, 0) == 0)
            self->told(self->ctx, i, e->boot, e->boot - since);
    }
}

void orma_flight_latency_look(struct orma_flight_latency *self, uint64_t until)
{
    size_t done = 0;

    if (self->num)
        qsort(self->waiting, self->num, sizeof(*self->waiting), by_time);
    for (; done < self->num && self->waiting[done].boot < until; done++) {
        const struct orma_flight_sched *e = &self->waiting[done];

        if (e->prev_tid < 0) {
            wait_from(self, e->tid, e->boot);
            continue;
        }
        (void)orma_map_take(&self->ready, (uint32_t)e->prev_tid); /* it ran */
        if (e->prev_runs)
            wait_from(self, e->prev_tid, e->boot);
        runs(self, e);
    }
    self->num -= done;
    if (done && self->num)
        memmove(self->waiting, self->waiting + done, self->num * sizeof(*self->waiting));
}
