/*
 * Writers take turns. Each application thread is a writer: it has a track of its own, opens and
 * closes slices on it and on a few shared tracks of its process, and counts. Its names are interned
 * and begin anew now and then. One more writer is the kernel with two cpus, whose switches are
 * those of a scheduler: who is switched away was running, and whoever runs was made runnable.
 *
 * A loss is a packet that says that one before it is missing: what needs the state is written after
 * it all the same, and not counted.
 */
#include "tests/fuzz/made_trace.h"

#include <string.h>

#include "protos/fields/ftrace.h"
#include "protos/fields/interned_data.h"
#include "protos/fields/trace.h"
#include "protos/fields/track_event.h"
#include "sdk/wire/pb_writer.h"

#define THREADS 4
#define CPUS 2
#define NAMES 5
#define DEPTH 12
#define KERNEL THREADS /* number of its writer, from 0 */

enum { NEEDS_STATE = 2, CLEARS_STATE = 1, INCREMENTAL_CLOCK = 64 };

struct writer {
    unsigned number, pid, tid;
    bool cleared, lost, described;
    unsigned interned; /* bits of names */
    unsigned open, open_shared;
    uint64_t ts; /* that was written last, for deltas */
};

struct maker {
    struct made_trace *t;
    struct writer writers[THREADS];
    uint64_t ts;
    unsigned features;
    int running[CPUS]; /* tid; 0: idle */
    bool asleep[THREADS];
};

enum feature {
    FEATURE_ARGS = 1,
    FEATURE_FLOWS = 2,
    FEATURE_COUNTERS = 4,
    FEATURE_SHARED = 8,
    FEATURE_KERNEL = 16,
    FEATURE_LOSS = 32,
    FEATURE_CLEAR = 64,
    FEATURE_LITERAL = 128,
    FEATURE_COMPLETE = 256, /* slices with their length, which may cross each other */
    FEATURE_DELTAS = 512,   /* times that count from the last one of their writer */
    FEATURE_STATES = 1024,
    FEATURES = 2048,
};

uint64_t made_trace_pick(struct made_trace *self, uint64_t num)
{
    self->state ^= self->state << 13;
    self->state ^= self->state >> 7;
    self->state ^= self->state << 17;
    return num ? (self->state >> 11) % num : 0;
}

static uint64_t pick(struct maker *m, uint64_t num)
{
    return made_trace_pick(m->t, num);
}

static bool has(struct maker *m, enum feature f)
{
    return m->features & f;
}

static uint64_t thread_uuid(const struct writer *w)
{
    return 100 + w->tid;
}

static uint64_t shared_uuid(const struct writer *w)
{
    return 200 + w->pid;
}

static uint64_t state_uuid(const struct writer *w)
{
    return 400 + w->tid;
}

static uint64_t counter_uuid(const struct writer *w)
{
    return 300 + w->tid;
}

/* ---- packets ---- */

static size_t open_packet(struct maker *m, unsigned writer, bool stamped)
{
    struct made_trace *t = m->t;

    t->packets[t->num].begin = t->bytes.len;
    t->packets[t->num].writer = writer;
    size_t begun = orma_pb_begin(&t->bytes, 1);
    orma_pb_put_u64(&t->bytes, ORMA_PB_TRACE_PACKET_TRUSTED_PACKET_SEQUENCE_ID, writer + 1);
    if (stamped)
        orma_pb_put_u64(&t->bytes, ORMA_PB_TRACE_PACKET_TIMESTAMP, m->ts);
    return begun;
}

static void close_packet(struct maker *m, size_t begun)
{
    orma_pb_end(&m->t->bytes, begun);
    m->t->packets[m->t->num++].end = m->t->bytes.len;
}

static void put_snapshot(struct maker *m)
{
    struct orma_buf *out = &m->t->bytes;
    size_t packet = open_packet(m, 0, true);
    size_t snapshot = orma_pb_begin(out, ORMA_PB_TRACE_PACKET_CLOCK_SNAPSHOT);

    for (unsigned id = 3; id <= 6; id += 3) { /* CLOCK_MONOTONIC, CLOCK_BOOTTIME */
        size_t clock = orma_pb_begin(out, ORMA_PB_CLOCK_SNAPSHOT_CLOCKS);

        orma_pb_put_u64(out, ORMA_PB_CLOCK_SNAPSHOT_CLOCK_CLOCK_ID, id);
        orma_pb_put_u64(out, ORMA_PB_CLOCK_SNAPSHOT_CLOCK_TIMESTAMP, m->ts);
        orma_pb_end(out, clock);
    }
    orma_pb_end(out, snapshot);
    close_packet(m, packet);
}

static void put_track(struct maker *m, struct writer *w, uint64_t uuid, uint64_t parent,
                      const char *name, uint32_t kind)
{
    struct orma_buf *out = &m->t->bytes;
    size_t packet = open_packet(m, w->number, false);
    size_t track = orma_pb_begin(out, ORMA_PB_TRACE_PACKET_TRACK_DESCRIPTOR);

    orma_pb_put_u64(out, ORMA_PB_TRACK_DESCRIPTOR_UUID, uuid);
    if (parent)
        orma_pb_put_u64(out, ORMA_PB_TRACK_DESCRIPTOR_PARENT_UUID, parent);
    if (name)
        orma_pb_put_cstr(out, ORMA_PB_TRACK_DESCRIPTOR_NAME, name);
    if (kind)
        orma_pb_end(out, orma_pb_begin(out, kind));
    if (!parent && uuid == w->pid) {
        size_t process = orma_pb_begin(out, ORMA_PB_TRACK_DESCRIPTOR_PROCESS);

        orma_pb_put_u64(out, ORMA_PB_PROCESS_DESCRIPTOR_PID, w->pid);
        orma_pb_end(out, process);
    } else if (uuid == thread_uuid(w)) {
        size_t thread = orma_pb_begin(out, ORMA_PB_TRACK_DESCRIPTOR_THREAD);

        orma_pb_put_u64(out, ORMA_PB_THREAD_DESCRIPTOR_PID, w->pid);
        orma_pb_put_u64(out, ORMA_PB_THREAD_DESCRIPTOR_TID, w->tid);
        orma_pb_end(out, thread);
    }
    orma_pb_end(out, track);
    close_packet(m, packet);
}

static void describe(struct maker *m, struct writer *w)
{
    put_track(m, w, w->pid, 0, NULL, 0);
    put_track(m, w, thread_uuid(w), w->pid, NULL, 0);
    put_track(m, w, shared_uuid(w), w->pid, "shared", 0);
    put_track(m, w, counter_uuid(w), w->pid, "counter", ORMA_PB_TRACK_DESCRIPTOR_COUNTER);
    put_track(m, w, state_uuid(w), w->pid, "state", ORMA_PB_TRACK_DESCRIPTOR_STATE);
    w->described = true;
}

/* ---- events ---- */

static const char *const names[NAMES] = {"read", "parse", "draw", "", "wait \"here\"\n"};

static void put_name(struct maker *m, unsigned name)
{
    struct orma_buf *out = &m->t->bytes;

    if (has(m, FEATURE_LITERAL) && pick(m, 2))
        orma_pb_put_cstr(out, ORMA_PB_TRACK_EVENT_NAME, names[name]);
    else
        orma_pb_put_u64(out, ORMA_PB_TRACK_EVENT_NAME_IID, name + 1);
}

/* All names at once: the packet that clears the state brings them. */
static void put_interned(struct maker *m)
{
    struct orma_buf *out = &m->t->bytes;
    size_t data = orma_pb_begin(out, ORMA_PB_TRACE_PACKET_INTERNED_DATA);

    for (unsigned i = 0; i < NAMES; i++) {
        size_t entry = orma_pb_begin(out, ORMA_PB_INTERNED_DATA_EVENT_NAMES);

        orma_pb_put_u64(out, ORMA_PB_EVENT_NAME_IID, i + 1);
        orma_pb_put_cstr(out, ORMA_PB_EVENT_NAME_NAME, names[i]);
        orma_pb_end(out, entry);
    }
    orma_pb_end(out, data);
}

static void put_annotation(struct maker *m, uint32_t field, const char *name, unsigned depth)
{
    struct orma_buf *out = &m->t->bytes;
    size_t begun = orma_pb_begin(out, field);
    unsigned num = (unsigned)pick(m, 4);
    char key[2] = "a";

    if (name)
        orma_pb_put_cstr(out, ORMA_PB_DEBUG_ANNOTATION_NAME, name);
    switch (pick(m, depth < 3 ? 7 : 5)) {
    case 0:
        orma_pb_put_u64(out, ORMA_PB_DEBUG_ANNOTATION_BOOL_VALUE, pick(m, 2));
        break;
    case 1:
        orma_pb_put_u64(out, ORMA_PB_DEBUG_ANNOTATION_UINT_VALUE, pick(m, 9));
        break;
    case 2:
        orma_pb_put_i64(out, ORMA_PB_DEBUG_ANNOTATION_INT_VALUE, -(int64_t)pick(m, 1000));
        break;
    case 3:
        orma_pb_put_double(out, ORMA_PB_DEBUG_ANNOTATION_DOUBLE_VALUE, (double)pick(m, 64) / 8);
        break;
    case 4:
        orma_pb_put_cstr(out, ORMA_PB_DEBUG_ANNOTATION_STRING_VALUE, names[pick(m, NAMES)]);
        break;
    case 5:
        for (unsigned i = 0; i < num; i++)
            put_annotation(m, ORMA_PB_DEBUG_ANNOTATION_ARRAY_VALUES, NULL, depth + 1);
        break;
    case 6:
        for (unsigned i = 0; i < num; i++, key[0]++)
            put_annotation(m, ORMA_PB_DEBUG_ANNOTATION_DICT_ENTRIES, key, depth + 1);
        break;
    }
    orma_pb_end(out, begun);
}

/* Annotations of one event have names that differ. */
static void put_extras(struct maker *m)
{
    static const char *const keys[] = {"x", "y.z", "k[0]"};
    struct orma_buf *out = &m->t->bytes;

    for (unsigned i = 0; has(m, FEATURE_ARGS) && i < ORMA_ARRAY_LEN(keys); i++)
        if (pick(m, 3) == 0)
            put_annotation(m, ORMA_PB_TRACK_EVENT_DEBUG_ANNOTATIONS, keys[i], 0);
    if (has(m, FEATURE_FLOWS) && pick(m, 2))
        orma_pb_put_fixed64(out,
                            pick(m, 4) ? ORMA_PB_TRACK_EVENT_FLOW_IDS
                                       : ORMA_PB_TRACK_EVENT_TERMINATING_FLOW_IDS,
                            1 + pick(m, 6));
}

/* A slice of the thread that says how long it took: times of old kind, in microseconds. */
static void put_complete(struct maker *m, struct writer *w, bool counts)
{
    struct orma_buf *out = &m->t->bytes;

    orma_pb_put_u64(out, ORMA_PB_TRACK_EVENT_TRACK_UUID, thread_uuid(w));
    put_name(m, (unsigned)pick(m, NAMES));
    size_t legacy = orma_pb_begin(out, ORMA_PB_TRACK_EVENT_LEGACY_EVENT);
    orma_pb_put_u64(out, ORMA_PB_TRACK_EVENT_LEGACY_EVENT_PHASE, 'X');
    orma_pb_put_u64(out, ORMA_PB_TRACK_EVENT_LEGACY_EVENT_DURATION_US, pick(m, 3));
    orma_pb_end(out, legacy);
    put_extras(m);
    m->t->slices += counts;
}

/* Up to its track. */
static void put_head(struct maker *m, unsigned type, uint64_t uuid)
{
    orma_pb_put_u64(&m->t->bytes, ORMA_PB_TRACK_EVENT_TYPE, type);
    orma_pb_put_u64(&m->t->bytes, ORMA_PB_TRACK_EVENT_TRACK_UUID, uuid);
}

static void put_slice(struct maker *m, struct writer *w, bool counts)
{
    bool shared = has(m, FEATURE_SHARED) && pick(m, 3) == 0;
    unsigned *open = shared ? &w->open_shared : &w->open;
    uint64_t uuid = shared ? shared_uuid(w) : thread_uuid(w), what = pick(m, 5);

    if (what >= 3 && *open) {
        put_head(m, ORMA_PB_TRACK_EVENT_TYPE_SLICE_END, uuid);
        *open -= counts;
        return;
    }
    bool instant = what == 2 || *open == DEPTH;
    put_head(m, instant ? ORMA_PB_TRACK_EVENT_TYPE_INSTANT : ORMA_PB_TRACK_EVENT_TYPE_SLICE_BEGIN,
             uuid);
    put_name(m, (unsigned)pick(m, NAMES));
    put_extras(m);
    *open += counts && !instant;
    m->t->slices += counts;
}

static void put_counter(struct maker *m, struct writer *w, bool counts)
{
    double val = (double)pick(m, 4096) / 4;

    put_head(m, ORMA_PB_TRACK_EVENT_TYPE_COUNTER, counter_uuid(w));
    orma_pb_put_double(&m->t->bytes, ORMA_PB_TRACK_EVENT_DOUBLE_COUNTER_VALUE, val);
    m->t->counters += counts;
    m->t->sum += counts ? val : 0;
}

/* A state of the writer's own track; without a name it ends. */
static void put_state(struct maker *m, struct writer *w)
{
    put_head(m, ORMA_PB_TRACK_EVENT_TYPE_STATE, state_uuid(w));
    if (pick(m, 4))
        put_name(m, (unsigned)pick(m, NAMES));
}

/* What a state begins with: the names, and the clock that deltas count on. */
static void put_begin_of_state(struct maker *m, struct writer *w)
{
    struct orma_buf *out = &m->t->bytes;

    put_interned(m);
    if (!has(m, FEATURE_DELTAS))
        return;
    size_t defaults = orma_pb_begin(out, ORMA_PB_TRACE_PACKET_TRACE_PACKET_DEFAULTS);
    orma_pb_put_u64(out, ORMA_PB_TRACE_PACKET_DEFAULTS_TIMESTAMP_CLOCK_ID, INCREMENTAL_CLOCK);
    orma_pb_end(out, defaults);
    size_t snapshot = orma_pb_begin(out, ORMA_PB_TRACE_PACKET_CLOCK_SNAPSHOT);
    for (unsigned i = 0; i < 2; i++) {
        size_t clock = orma_pb_begin(out, ORMA_PB_CLOCK_SNAPSHOT_CLOCKS);

        orma_pb_put_u64(out, ORMA_PB_CLOCK_SNAPSHOT_CLOCK_CLOCK_ID, i ? INCREMENTAL_CLOCK : 6);
        orma_pb_put_u64(out, ORMA_PB_CLOCK_SNAPSHOT_CLOCK_TIMESTAMP, i ? 0 : m->ts);
        orma_pb_put_u64(out, ORMA_PB_CLOCK_SNAPSHOT_CLOCK_IS_INCREMENTAL, i);
        orma_pb_end(out, clock);
    }
    orma_pb_end(out, snapshot);
    w->ts = m->ts;
}

/* A packet without a time, with which the state of a writer begins anew. */
static void clear_state(struct maker *m, struct writer *w)
{
    size_t packet = open_packet(m, w->number, false);

    orma_pb_put_u64(&m->t->bytes, ORMA_PB_TRACE_PACKET_SEQUENCE_FLAGS, CLEARS_STATE);
    put_begin_of_state(m, w);
    close_packet(m, packet);
    w->cleared = true;
    w->lost = false;
}

static uint64_t stamp(struct maker *m, struct writer *w)
{
    uint64_t delta = m->ts - w->ts;

    if (!has(m, FEATURE_DELTAS))
        return m->ts;
    w->ts = m->ts;
    return delta;
}

/* One event of an application, perhaps behind a loss or with a new state. */
static void put_event(struct maker *m, struct writer *w)
{
    struct orma_buf *out = &m->t->bytes;
    uint64_t what = pick(m, 6);

    if (!w->described)
        describe(m, w);
    if (!w->cleared || ((w->lost || has(m, FEATURE_CLEAR)) && pick(m, 6) == 0))
        clear_state(m, w);
    bool lost = has(m, FEATURE_LOSS) && pick(m, 20) == 0;
    w->lost |= lost;
    size_t packet = open_packet(m, w->number, false);
    if (lost)
        orma_pb_put_u64(out, ORMA_PB_TRACE_PACKET_PREVIOUS_PACKET_DROPPED, 1);
    orma_pb_put_u64(out, ORMA_PB_TRACE_PACKET_SEQUENCE_FLAGS, NEEDS_STATE);
    orma_pb_put_u64(out, ORMA_PB_TRACE_PACKET_TIMESTAMP, stamp(m, w));
    size_t event = orma_pb_begin(out, ORMA_PB_TRACE_PACKET_TRACK_EVENT);
    if (has(m, FEATURE_COUNTERS) && what < 2)
        put_counter(m, w, !w->lost);
    else if (has(m, FEATURE_STATES) && what == 2)
        put_state(m, w);
    else if (has(m, FEATURE_COMPLETE))
        put_complete(m, w, !w->lost);
    else
        put_slice(m, w, !w->lost);
    orma_pb_end(out, event);
    close_packet(m, packet);
}

/* ---- the kernel ---- */

static size_t open_kernel_event(struct maker *m, int pid, uint32_t kind, size_t *ret)
{
    struct orma_buf *out = &m->t->bytes;
    size_t event = orma_pb_begin(out, ORMA_PB_FTRACE_EVENT_BUNDLE_EVENT);

    m->ts += 1 + pick(m, 50);
    orma_pb_put_u64(out, ORMA_PB_FTRACE_EVENT_TIMESTAMP, m->ts);
    orma_pb_put_u64(out, ORMA_PB_FTRACE_EVENT_PID, (uint64_t)pid);
    *ret = orma_pb_begin(out, kind);
    return event;
}

static void put_switch(struct maker *m, int cpu, int next)
{
    struct orma_buf *out = &m->t->bytes;
    int prev = m->running[cpu];
    size_t in, event = open_kernel_event(m, prev, ORMA_PB_FTRACE_EVENT_SCHED_SWITCH, &in);
    bool sleeps = prev && pick(m, 2);

    orma_pb_put_cstr(out, ORMA_PB_SCHED_SWITCH_FTRACE_EVENT_PREV_COMM, prev ? "app" : "swapper");
    orma_pb_put_u64(out, ORMA_PB_SCHED_SWITCH_FTRACE_EVENT_PREV_PID, (uint64_t)prev);
    orma_pb_put_u64(out, ORMA_PB_SCHED_SWITCH_FTRACE_EVENT_PREV_PRIO, 120);
    orma_pb_put_u64(out, ORMA_PB_SCHED_SWITCH_FTRACE_EVENT_PREV_STATE, sleeps ? 1 + pick(m, 2) : 0);
    orma_pb_put_cstr(out, ORMA_PB_SCHED_SWITCH_FTRACE_EVENT_NEXT_COMM, next ? "app" : "swapper");
    orma_pb_put_u64(out, ORMA_PB_SCHED_SWITCH_FTRACE_EVENT_NEXT_PID, (uint64_t)next);
    orma_pb_put_u64(out, ORMA_PB_SCHED_SWITCH_FTRACE_EVENT_NEXT_PRIO, 120);
    orma_pb_end(out, in);
    orma_pb_end(out, event);
    if (prev)
        m->asleep[prev - 11] = sleeps;
    m->running[cpu] = next;
    m->t->switches++;
}

static void put_waking(struct maker *m, int cpu, int tid)
{
    struct orma_buf *out = &m->t->bytes;
    size_t in,
        event = open_kernel_event(m, m->running[cpu], ORMA_PB_FTRACE_EVENT_SCHED_WAKING, &in);

    orma_pb_put_cstr(out, ORMA_PB_SCHED_WAKING_FTRACE_EVENT_COMM, "app");
    orma_pb_put_u64(out, ORMA_PB_SCHED_WAKING_FTRACE_EVENT_PID, (uint64_t)tid);
    orma_pb_put_u64(out, ORMA_PB_SCHED_WAKING_FTRACE_EVENT_PRIO, 120);
    orma_pb_put_u64(out, ORMA_PB_SCHED_WAKING_FTRACE_EVENT_SUCCESS, 1);
    orma_pb_put_u64(out, ORMA_PB_SCHED_WAKING_FTRACE_EVENT_TARGET_CPU, (uint64_t)cpu);
    orma_pb_end(out, in);
    orma_pb_end(out, event);
    m->asleep[tid - 11] = false;
}

/* A bundle of one cpu. */
static void put_kernel(struct maker *m)
{
    struct orma_buf *out = &m->t->bytes;
    int cpu = (int)pick(m, CPUS);
    size_t packet = open_packet(m, KERNEL + 1, false);
    size_t bundle = orma_pb_begin(out, ORMA_PB_TRACE_PACKET_FTRACE_EVENTS);

    orma_pb_put_u64(out, ORMA_PB_FTRACE_EVENT_BUNDLE_CPU, (uint64_t)cpu);
    for (unsigned i = 1 + (unsigned)pick(m, 4); i-- > 0;) {
        int tid = 11 + (int)pick(m, THREADS);

        if (tid == m->running[!cpu])
            continue;
        if (tid == m->running[cpu])
            put_switch(m, cpu, 0);
        else if (m->asleep[tid - 11])
            put_waking(m, cpu, tid);
        else
            put_switch(m, cpu, tid);
    }
    orma_pb_end(out, bundle);
    close_packet(m, packet);
}

/* ---- the trace ---- */

void made_trace_init(struct made_trace *self, uint64_t seed)
{
    struct maker m = {.t = self, .ts = 1000};

    *self = (struct made_trace){.state = (seed + 1) * 0x9e3779b97f4a7c15u};
    for (int i = 0; i < 8; i++)
        (void)pick(&m, 2);
    m.features = (unsigned)pick(&m, FEATURES);
    for (unsigned i = 0; i < THREADS; i++) {
        m.writers[i] = (struct writer){.number = i + 1, .pid = 11 + i / 2 * 2, .tid = 11 + i};
        m.asleep[i] = true;
    }
    put_snapshot(&m);
    for (unsigned i = 10 + (unsigned)pick(&m, 120); i-- > 0;) {
        m.ts += 1 + pick(&m, 100);
        if (has(&m, FEATURE_KERNEL) && pick(&m, 3) == 0)
            put_kernel(&m);
        else
            put_event(&m, &m.writers[pick(&m, THREADS)]);
    }
}

void made_trace_fini(struct made_trace *self)
{
    orma_buf_fini(&self->bytes);
}

void made_trace_part(const struct made_trace *self, unsigned mask, struct orma_buf *ret)
{
    for (unsigned i = 0; i < self->num; i++) {
        const struct made_packet *p = &self->packets[i];

        if (!p->writer || mask & 1u << p->writer)
            orma_buf_put(ret, self->bytes.data + p->begin, p->end - p->begin);
    }
}
