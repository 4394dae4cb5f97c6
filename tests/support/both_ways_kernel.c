/* Kernel events for both_ways.c, made of a seed. */
#include <stdio.h>
#include <string.h>

#include "protos/fields/ftrace.h"
#include "protos/fields/trace.h"
#include "sdk/base/hash.h"
#include "sdk/wire/pb_writer.h"
#include "tests/support/both_ways.h"

#define CPUS 5
#define BUNDLES 120
#define LONG_TEXT 70000

struct maker {
    struct orma_buf *out;
    uint64_t state, now;
};

static unsigned choose(struct maker *m, unsigned num)
{
    m->state = orma_mix64(m->state + 1);
    return (unsigned)(m->state % num);
}

/* True once in `num`. */
static bool rarely(struct maker *m, unsigned num)
{
    return choose(m, num) == 0;
}

static void put_comm(struct maker *m, uint32_t field)
{
    char name[16];

    snprintf(name, sizeof(name), "task/%u", choose(m, 9));
    orma_pb_put_cstr(m->out, field, name);
}

static void put_switch(struct maker *m)
{
    put_comm(m, ORMA_PB_SCHED_SWITCH_FTRACE_EVENT_PREV_COMM);
    orma_pb_put_u64(m->out, ORMA_PB_SCHED_SWITCH_FTRACE_EVENT_PREV_PID, choose(m, 20));
    orma_pb_put_u64(m->out, ORMA_PB_SCHED_SWITCH_FTRACE_EVENT_PREV_STATE, choose(m, 300));
    put_comm(m, ORMA_PB_SCHED_SWITCH_FTRACE_EVENT_NEXT_COMM);
    orma_pb_put_u64(m->out, ORMA_PB_SCHED_SWITCH_FTRACE_EVENT_NEXT_PID, choose(m, 20));
}

static void put_call(struct maker *m)
{
    orma_pb_put_u64(m->out, ORMA_PB_SYS_ENTER_FTRACE_EVENT_ID, choose(m, 4));
    for (unsigned n = choose(m, 7); n; n--)
        orma_pb_put_u64(m->out, ORMA_PB_SYS_ENTER_FTRACE_EVENT_ARGS, choose(m, 1000));
}

/* Some are longer than others are handed over. */
static void put_text(struct maker *m)
{
    static char text[LONG_TEXT];

    if (rarely(m, 60)) {
        memset(text, 'x', sizeof(text));
        memcpy(text, "B|7|", 4);
        orma_pb_put_bytes(m->out, ORMA_PB_PRINT_FTRACE_EVENT_BUF, text, sizeof(text));
    } else {
        orma_pb_put_cstr(m->out, ORMA_PB_PRINT_FTRACE_EVENT_BUF,
                         (const char *const[]){"B|7|work", "E|7", "C|7|level|3"}[choose(m, 3)]);
    }
}

static void put_contents(struct maker *m)
{
    static const uint16_t fields[] = {
        ORMA_PB_FTRACE_EVENT_SCHED_SWITCH,
        ORMA_PB_FTRACE_EVENT_SCHED_WAKING,
        ORMA_PB_FTRACE_EVENT_SYS_ENTER,
        ORMA_PB_FTRACE_EVENT_SYS_EXIT,
        ORMA_PB_FTRACE_EVENT_SOFTIRQ_ENTRY,
        ORMA_PB_FTRACE_EVENT_SOFTIRQ_EXIT,
        ORMA_PB_FTRACE_EVENT_PRINT,
        ORMA_PB_FTRACE_EVENT_TASK_RENAME,
        ORMA_PB_FTRACE_EVENT_TASK_NEWTASK,
        ORMA_PB_FTRACE_EVENT_SCHED_PROCESS_FREE,
        2000, /* of nothing */
    };
    const unsigned field = fields[choose(m, ORMA_ARRAY_LEN(fields))];
    size_t inner = orma_pb_begin(m->out, field);

    switch (field) {
    case ORMA_PB_FTRACE_EVENT_SCHED_SWITCH:
        put_switch(m);
        break;
    case ORMA_PB_FTRACE_EVENT_SYS_ENTER:
    case ORMA_PB_FTRACE_EVENT_SYS_EXIT:
        put_call(m);
        break;
    case ORMA_PB_FTRACE_EVENT_PRINT:
        put_text(m);
        break;
    case ORMA_PB_FTRACE_EVENT_SCHED_WAKING:
        put_comm(m, ORMA_PB_SCHED_WAKING_FTRACE_EVENT_COMM);
        orma_pb_put_u64(m->out, ORMA_PB_SCHED_WAKING_FTRACE_EVENT_PID, choose(m, 20));
        break;
    case ORMA_PB_FTRACE_EVENT_TASK_RENAME:
        orma_pb_put_u64(m->out, ORMA_PB_TASK_RENAME_FTRACE_EVENT_PID, choose(m, 20));
        put_comm(m, ORMA_PB_TASK_RENAME_FTRACE_EVENT_NEWCOMM);
        break;
    case ORMA_PB_FTRACE_EVENT_TASK_NEWTASK:
        orma_pb_put_u64(m->out, ORMA_PB_TASK_NEWTASK_FTRACE_EVENT_PID, choose(m, 20));
        put_comm(m, ORMA_PB_TASK_NEWTASK_FTRACE_EVENT_COMM);
        orma_pb_put_u64(m->out, ORMA_PB_TASK_NEWTASK_FTRACE_EVENT_CLONE_FLAGS, choose(m, 2) << 16);
        break;
    case ORMA_PB_FTRACE_EVENT_SCHED_PROCESS_FREE:
        orma_pb_put_u64(m->out, ORMA_PB_SCHED_PROCESS_FREE_FTRACE_EVENT_PID, choose(m, 20));
        break;
    default:
        orma_pb_put_u64(m->out, 1, choose(m, 6));
    }
    orma_pb_end(m->out, inner);
}

static void put_event(struct maker *m, uint64_t *ts)
{
    size_t event = orma_pb_begin(m->out, ORMA_PB_FTRACE_EVENT_BUNDLE_EVENT);
    const uint64_t back = rarely(m, 300) ? choose(m, 500) : 0;

    *ts += choose(m, 4) ? choose(m, 200) : 0; /* many are of one time */
    if (!rarely(m, 200))
        orma_pb_put_u64(m->out, ORMA_PB_FTRACE_EVENT_TIMESTAMP, *ts - back);
    if (!rarely(m, 100))
        orma_pb_put_u64(m->out, ORMA_PB_FTRACE_EVENT_PID, choose(m, 20));
    if (rarely(m, 3))
        orma_pb_put_u64(m->out, ORMA_PB_FTRACE_EVENT_COMMON_FLAGS, choose(m, 64));
    if (!rarely(m, 100))
        put_contents(m);
    if (rarely(m, 200))
        orma_buf_put(m->out, "\x0b\xff", 2); /* no field */
    orma_pb_end(m->out, event);
    if (rarely(m, 400))
        orma_buf_put(m->out, "\x07\x07\x07", 3);
}

static void put_packed(struct maker *m, uint32_t field, unsigned num, unsigned below,
                       uint64_t first)
{
    size_t list = orma_pb_begin(m->out, field);

    num -= rarely(m, 60); /* lists of different lengths */
    for (unsigned i = 0; i < num; i++)
        orma_pb_put_raw_varint(m->out, (i ? 0 : first) + choose(m, below));
    orma_pb_end(m->out, list);
}

#define COMPACT(name) ORMA_PB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED_##name

static void put_compact(struct maker *m)
{
    size_t compact = orma_pb_begin(m->out, ORMA_PB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED);
    const unsigned num = 1 + choose(m, 60), comms = 4, below = rarely(m, 40) ? comms + 1 : comms;

    for (unsigned i = 0; i < comms; i++)
        put_comm(m, COMPACT(INTERN_TABLE));
    put_packed(m, COMPACT(SWITCH_TIMESTAMP), num, 200, m->now);
    put_packed(m, COMPACT(SWITCH_PREV_STATE), num, 3, 0);
    put_packed(m, COMPACT(SWITCH_NEXT_PID), num, 20, 0);
    put_packed(m, COMPACT(SWITCH_NEXT_PRIO), num, 140, 0);
    put_packed(m, COMPACT(SWITCH_NEXT_COMM_INDEX), num, below, 0);
    put_packed(m, COMPACT(WAKING_TIMESTAMP), num, 200, m->now);
    put_packed(m, COMPACT(WAKING_PID), num, 20, 0);
    put_packed(m, COMPACT(WAKING_TARGET_CPU), num, CPUS, 0);
    put_packed(m, COMPACT(WAKING_PRIO), num, 140, 0);
    put_packed(m, COMPACT(WAKING_COMM_INDEX), num, below, 0);
    if (rarely(m, 2))
        put_packed(m, COMPACT(WAKING_COMMON_FLAGS), num, 64, 0);
    orma_pb_end(m->out, compact);
}

void both_ways_kernel(struct orma_buf *out, uint64_t seed)
{
    struct maker m = {.out = out, .state = orma_mix64(seed), .now = 1000000000};

    for (unsigned i = 0; i < BUNDLES; i++) {
        size_t packet = orma_pb_begin(out, 1);
        size_t bundle = orma_pb_begin(out, ORMA_PB_TRACE_PACKET_FTRACE_EVENTS);
        uint64_t ts = m.now;

        if (!rarely(&m, 100))
            orma_pb_put_u64(out, ORMA_PB_FTRACE_EVENT_BUNDLE_CPU, choose(&m, CPUS));
        if (rarely(&m, 20))
            orma_pb_put_u64(out, ORMA_PB_FTRACE_EVENT_BUNDLE_LOST_EVENTS, 1);
        for (unsigned n = choose(&m, 40); n; n--)
            put_event(&m, &ts);
        if (choose(&m, 3))
            put_compact(&m);
        orma_pb_end(out, bundle);
        orma_pb_put_u64(out, ORMA_PB_TRACE_PACKET_TRUSTED_PACKET_SEQUENCE_ID, 20 + choose(&m, 2));
        orma_pb_end(out, packet);
        m.now += choose(&m, 3000);
    }
}
