/*
 * Import of traces made here: rates, peak memory, memory per row, and the ratio
 * to a bare loop that decodes the same packets and stores what a table of slices
 * needs (bench_import_bare.h says what it does not do).
 *
 *   (a) busy ftrace, compact and not   (b) track events, plain and annotated
 *   (c) counters                       (d) many small processes
 *
 * BENCH_MB=n sets the size of the inputs (default 32). BENCH_GROWTH=1 runs (a) and (b)
 * at n, 4 n and 16 n. BENCH_ONLY=text picks the inputs whose name holds the text.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "processor/api/processor_impl.h"
#include "processor/processor.h"
#include "protos/fields/ftrace.h"
#include "protos/fields/interned_data.h"
#include "protos/fields/process.h"
#include "protos/fields/trace.h"
#include "protos/fields/track_event.h"
#include "sdk/base/buf.h"
#include "sdk/wire/pb_reader.h"
#include "sdk/wire/pb_writer.h"
#include "tests/bench/bench_import_bare.h"

#define SEQUENCES 4
#define CPUS 4
#define NAMES 64
#define RUNS 3
#define START_NS UINT64_C(1000000000000)

struct input {
    struct orma_buf bytes;
    uint64_t events;
};

static uint64_t random_state = 88172645463325252ull;

static uint64_t random_next(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    return random_state ^= random_state << 17;
}

/* ---- inputs ---- */

static void end_packet(struct orma_buf *out, size_t packet, uint32_t sequence)
{
    orma_pb_put_u64(out, ORMA_PB_TRACE_PACKET_TRUSTED_UID, 1000);
    orma_pb_put_u64(out, ORMA_PB_TRACE_PACKET_TRUSTED_PACKET_SEQUENCE_ID, sequence);
    orma_pb_put_u64(out, ORMA_PB_TRACE_PACKET_TRUSTED_PID, 100 + sequence);
    orma_pb_end(out, packet);
}

static void put_clock(struct orma_buf *out, uint32_t id, uint64_t ts, bool incremental)
{
    size_t clock = orma_pb_begin(out, ORMA_PB_CLOCK_SNAPSHOT_CLOCKS);

    orma_pb_put_u64(out, ORMA_PB_CLOCK_SNAPSHOT_CLOCK_CLOCK_ID, id);
    orma_pb_put_u64(out, ORMA_PB_CLOCK_SNAPSHOT_CLOCK_TIMESTAMP, ts);
    if (incremental)
        orma_pb_put_u64(out, ORMA_PB_CLOCK_SNAPSHOT_CLOCK_IS_INCREMENTAL, 1);
    orma_pb_end(out, clock);
}

static void put_interned(struct orma_buf *out)
{
    size_t interned = orma_pb_begin(out, ORMA_PB_TRACE_PACKET_INTERNED_DATA);

    for (unsigned i = 1; i <= NAMES; i++) {
        char name[32];
        size_t entry = orma_pb_begin(out, ORMA_PB_INTERNED_DATA_EVENT_NAMES);

        snprintf(name, sizeof(name), "Module::Function%u", i);
        orma_pb_put_u64(out, ORMA_PB_EVENT_NAME_IID, i);
        orma_pb_put_cstr(out, ORMA_PB_EVENT_NAME_NAME, name);
        orma_pb_end(out, entry);
    }
    size_t entry = orma_pb_begin(out, ORMA_PB_INTERNED_DATA_EVENT_CATEGORIES);
    orma_pb_put_u64(out, ORMA_PB_EVENT_CATEGORY_IID, 1);
    orma_pb_put_cstr(out, ORMA_PB_EVENT_CATEGORY_NAME, "bench");
    orma_pb_end(out, entry);
    entry = orma_pb_begin(out, ORMA_PB_INTERNED_DATA_DEBUG_ANNOTATION_NAMES);
    orma_pb_put_u64(out, ORMA_PB_DEBUG_ANNOTATION_NAME_IID, 1);
    orma_pb_put_cstr(out, ORMA_PB_DEBUG_ANNOTATION_NAME__NAME, "value");
    orma_pb_end(out, entry);
    orma_pb_end(out, interned);
}

static void put_descriptor(struct orma_buf *out, uint32_t seq, uint64_t uuid, bool counter)
{
    size_t packet = orma_pb_begin(out, 1);
    size_t desc;

    orma_pb_put_u64(out, ORMA_PB_TRACE_PACKET_TIMESTAMP, 0);
    orma_pb_put_u64(out, ORMA_PB_TRACE_PACKET_SEQUENCE_FLAGS, 2);
    desc = orma_pb_begin(out, ORMA_PB_TRACE_PACKET_TRACK_DESCRIPTOR);
    orma_pb_put_u64(out, ORMA_PB_TRACK_DESCRIPTOR_UUID, uuid);
    if (counter) {
        orma_pb_put_u64(out, ORMA_PB_TRACK_DESCRIPTOR_PARENT_UUID, 1000 + seq);
        orma_pb_put_cstr(out, ORMA_PB_TRACK_DESCRIPTOR_NAME, "level");
        orma_pb_end(out, orma_pb_begin(out, ORMA_PB_TRACK_DESCRIPTOR_COUNTER));
    } else {
        size_t thread = orma_pb_begin(out, ORMA_PB_TRACK_DESCRIPTOR_THREAD);

        orma_pb_put_u64(out, ORMA_PB_THREAD_DESCRIPTOR_PID, 100);
        orma_pb_put_u64(out, ORMA_PB_THREAD_DESCRIPTOR_TID, 100 + seq);
        orma_pb_end(out, thread);
    }
    orma_pb_end(out, desc);
    end_packet(out, packet, seq);
}

/* What a writer begins with: state, clock, names, descriptors. */
static void begin_sequence(struct orma_buf *out, uint32_t seq)
{
    size_t packet = orma_pb_begin(out, 1);

    orma_pb_put_u64(out, ORMA_PB_TRACE_PACKET_SEQUENCE_FLAGS, 1);
    size_t defaults = orma_pb_begin(out, ORMA_PB_TRACE_PACKET_TRACE_PACKET_DEFAULTS);
    orma_pb_put_u64(out, ORMA_PB_TRACE_PACKET_DEFAULTS_TIMESTAMP_CLOCK_ID, 64);
    size_t events = orma_pb_begin(out, ORMA_PB_TRACE_PACKET_DEFAULTS_TRACK_EVENT_DEFAULTS);
    orma_pb_put_u64(out, ORMA_PB_TRACK_EVENT_DEFAULTS_TRACK_UUID, 1000 + seq);
    orma_pb_end(out, events);
    orma_pb_end(out, defaults);
    put_interned(out);
    size_t snapshot = orma_pb_begin(out, ORMA_PB_TRACE_PACKET_CLOCK_SNAPSHOT);
    put_clock(out, 6, START_NS, false);
    put_clock(out, 64, START_NS, true);
    orma_pb_end(out, snapshot);
    end_packet(out, packet, seq);
    put_descriptor(out, seq, 1000 + seq, false);
    put_descriptor(out, seq, 2000 + seq, true);
}

enum event_form { EVENTS_PLAIN, EVENTS_ANNOTATED, EVENTS_COUNTERS };

/* An event in the few bytes that the SDK spends on it. */
static void put_event(struct orma_buf *out, uint32_t seq, uint64_t delta, unsigned depth,
                      enum event_form form)
{
    uint8_t event[64], packet[96];
    uint8_t *e = event, *p = packet;
    bool begin = depth != 0;

    if (form == EVENTS_COUNTERS) {
        *e++ = 0x48, *e++ = ORMA_PB_TRACK_EVENT_TYPE_COUNTER;
        *e++ = 0x58, e = orma_varint_write(e, 2000 + seq);
        *e++ = 0xf0, *e++ = 0x01, e = orma_varint_write(e, random_next() & 0xffff);
    } else if (begin) {
        *e++ = 0x18, *e++ = 1;
        *e++ = 0x48, *e++ = ORMA_PB_TRACK_EVENT_TYPE_SLICE_BEGIN;
        *e++ = 0x50, e = orma_varint_write(e, 1 + random_next() % NAMES);
        if (form == EVENTS_ANNOTATED) {
            uint8_t *len = e + 1;

            *e++ = 0x22, e++;
            *e++ = 0x08, *e++ = 1;
            *e++ = 0x20, e = orma_varint_write(e, random_next() & 0xff);
            *len = (uint8_t)(e - len - 1);
        }
    } else {
        *e++ = 0x48, *e++ = ORMA_PB_TRACK_EVENT_TYPE_SLICE_END;
    }
    *p++ = 0x40, p = orma_varint_write(p, delta);
    *p++ = 0x68, *p++ = 2;
    *p++ = 0x5a, p = orma_varint_write(p, (uint64_t)(e - event));
    memcpy(p, event, (size_t)(e - event)), p += e - event;
    *p++ = 0x18, p = orma_varint_write(p, 1000);
    *p++ = 0x50, *p++ = (uint8_t)seq;
    *p++ = 0xf8, *p++ = 0x04, p = orma_varint_write(p, 100 + seq);
    orma_buf_put_byte(out, 0x0a);
    orma_pb_put_raw_varint(out, (uint64_t)(p - packet));
    orma_buf_put(out, packet, (size_t)(p - packet));
}

/* Chunks of a sequence at a time, as a service writes them. */
static void make_events(struct input *in, size_t size, enum event_form form)
{
    unsigned depth[SEQUENCES + 1] = {0};

    for (uint32_t seq = 1; seq <= SEQUENCES; seq++)
        begin_sequence(&in->bytes, seq);
    for (uint32_t seq = 1; in->bytes.len < size; seq = seq % SEQUENCES + 1) {
        for (unsigned i = 0; i < 200; i++, in->events++) {
            bool begin = depth[seq] < 2 || (depth[seq] < 6 && random_next() & 1);

            depth[seq] += begin ? 1 : (unsigned)-1;
            put_event(&in->bytes, seq, 300 + random_next() % 1000, begin, form);
        }
    }
}

static void put_ftrace_event(struct input *in, uint64_t ts, uint32_t pid, bool switches)
{
    struct orma_buf *out = &in->bytes;
    size_t event = orma_pb_begin(out, ORMA_PB_FTRACE_EVENT_BUNDLE_EVENT), inner;

    orma_pb_put_u64(out, ORMA_PB_FTRACE_EVENT_TIMESTAMP, ts);
    orma_pb_put_u64(out, ORMA_PB_FTRACE_EVENT_PID, pid);
    if (switches && random_next() & 1) {
        inner = orma_pb_begin(out, ORMA_PB_FTRACE_EVENT_SCHED_SWITCH);
        orma_pb_put_cstr(out, ORMA_PB_SCHED_SWITCH_FTRACE_EVENT_PREV_COMM, "worker");
        orma_pb_put_u64(out, ORMA_PB_SCHED_SWITCH_FTRACE_EVENT_PREV_PID, pid);
        orma_pb_put_u64(out, ORMA_PB_SCHED_SWITCH_FTRACE_EVENT_PREV_PRIO, 120);
        orma_pb_put_u64(out, ORMA_PB_SCHED_SWITCH_FTRACE_EVENT_PREV_STATE, 1);
        orma_pb_put_cstr(out, ORMA_PB_SCHED_SWITCH_FTRACE_EVENT_NEXT_COMM, "worker");
        orma_pb_put_u64(out, ORMA_PB_SCHED_SWITCH_FTRACE_EVENT_NEXT_PID, random_next() % 200 + 1);
        orma_pb_put_u64(out, ORMA_PB_SCHED_SWITCH_FTRACE_EVENT_NEXT_PRIO, 120);
    } else if (random_next() & 1) {
        inner = orma_pb_begin(out, ORMA_PB_FTRACE_EVENT_SOFTIRQ_ENTRY);
        orma_pb_put_u64(out, ORMA_PB_SOFTIRQ_ENTRY_FTRACE_EVENT_VEC, 1);
    } else {
        inner = orma_pb_begin(out, ORMA_PB_FTRACE_EVENT_SOFTIRQ_EXIT);
        orma_pb_put_u64(out, ORMA_PB_SOFTIRQ_EXIT_FTRACE_EVENT_VEC, 1);
    }
    orma_pb_end(out, inner);
    orma_pb_end(out, event);
    in->events++;
}

static void put_packed(struct orma_buf *out, uint32_t field, const uint64_t *vals, unsigned num)
{
    size_t list = orma_pb_begin(out, field);

    for (unsigned i = 0; i < num; i++)
        orma_pb_put_raw_varint(out, vals[i]);
    orma_pb_end(out, list);
}

#define SWITCHES 400

static void put_compact(struct input *in, uint64_t ts)
{
    struct orma_buf *out = &in->bytes;
    uint64_t time[SWITCHES], state[SWITCHES], pid[SWITCHES], prio[SWITCHES], comm[SWITCHES];
    size_t compact = orma_pb_begin(out, ORMA_PB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED);

    for (unsigned i = 0; i < 8; i++) {
        char name[16];

        snprintf(name, sizeof(name), "worker/%u", i);
        orma_pb_put_cstr(out, ORMA_PB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED_INTERN_TABLE, name);
    }
    for (unsigned i = 0; i < SWITCHES; i++) {
        time[i] = i ? 1000 + random_next() % 1000 : ts;
        state[i] = random_next() % 3;
        pid[i] = random_next() % 200 + 1;
        prio[i] = 120;
        comm[i] = pid[i] & 7;
    }
    put_packed(out, ORMA_PB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED_SWITCH_TIMESTAMP, time, SWITCHES);
    put_packed(out, ORMA_PB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED_SWITCH_PREV_STATE, state, SWITCHES);
    put_packed(out, ORMA_PB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED_SWITCH_NEXT_PID, pid, SWITCHES);
    put_packed(out, ORMA_PB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED_SWITCH_NEXT_PRIO, prio, SWITCHES);
    put_packed(out, ORMA_PB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED_SWITCH_NEXT_COMM_INDEX, comm,
               SWITCHES);
    for (unsigned i = 0; i < SWITCHES; i++)
        state[i] = random_next() % CPUS;
    put_packed(out, ORMA_PB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED_WAKING_TIMESTAMP, time, SWITCHES);
    put_packed(out, ORMA_PB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED_WAKING_PID, pid, SWITCHES);
    put_packed(out, ORMA_PB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED_WAKING_TARGET_CPU, state, SWITCHES);
    put_packed(out, ORMA_PB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED_WAKING_PRIO, prio, SWITCHES);
    put_packed(out, ORMA_PB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED_WAKING_COMM_INDEX, comm, SWITCHES);
    orma_pb_end(out, compact);
    in->events += 2 * SWITCHES;
}

static void make_ftrace(struct input *in, size_t size, bool compact)
{
    uint64_t ts = START_NS;

    while (in->bytes.len < size) {
        for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
            size_t packet = orma_pb_begin(&in->bytes, 1);
            size_t bundle = orma_pb_begin(&in->bytes, ORMA_PB_TRACE_PACKET_FTRACE_EVENTS);

            orma_pb_put_u64(&in->bytes, ORMA_PB_FTRACE_EVENT_BUNDLE_CPU, cpu);
            for (unsigned i = 0; i < 200; i++)
                put_ftrace_event(in, ts + i * 2000 + cpu * 17, (uint32_t)(random_next() % 200) + 1,
                                 !compact);
            if (compact)
                put_compact(in, ts + cpu);
            orma_pb_end(&in->bytes, bundle);
            end_packet(&in->bytes, packet, 10 + cpu);
        }
        ts += 900000;
    }
}

static void make_processes(struct input *in, size_t size)
{
    for (uint32_t pid = 2; in->bytes.len < size; pid++, in->events++) {
        size_t packet = orma_pb_begin(&in->bytes, 1);
        char name[32];

        orma_pb_put_u64(&in->bytes, ORMA_PB_TRACE_PACKET_TIMESTAMP, START_NS + pid * 1000ull);
        size_t tree = orma_pb_begin(&in->bytes, ORMA_PB_TRACE_PACKET_PROCESS_TREE);
        size_t proc = orma_pb_begin(&in->bytes, ORMA_PB_PROCESS_TREE_PROCESSES);
        snprintf(name, sizeof(name), "/bin/job-%u", pid);
        orma_pb_put_u64(&in->bytes, ORMA_PB_PROCESS_TREE_PROCESS_PID, pid);
        orma_pb_put_u64(&in->bytes, ORMA_PB_PROCESS_TREE_PROCESS_PPID, 1);
        orma_pb_put_cstr(&in->bytes, ORMA_PB_PROCESS_TREE_PROCESS_CMDLINE, name);
        orma_pb_put_u64(&in->bytes, ORMA_PB_PROCESS_TREE_PROCESS_UID, 1000);
        orma_pb_end(&in->bytes, proc);
        orma_pb_end(&in->bytes, tree);
        end_packet(&in->bytes, packet, 3);
    }
}

static void make(struct input *in, const char *name, size_t size)
{
    *in = (struct input){0};
    random_state = 88172645463325252ull;
    if (!strcmp(name, "a-ftrace-compact"))
        make_ftrace(in, size, true);
    else if (!strcmp(name, "a-ftrace"))
        make_ftrace(in, size, false);
    else if (!strcmp(name, "b-events"))
        make_events(in, size, EVENTS_PLAIN);
    else if (!strcmp(name, "b-annotated"))
        make_events(in, size, EVENTS_ANNOTATED);
    else if (!strcmp(name, "c-counters"))
        make_events(in, size, EVENTS_COUNTERS);
    else
        make_processes(in, size);
    if (in->bytes.failed) {
        fprintf(stderr, "out of memory\n");
        exit(1);
    }
}

/* ---- measuring ---- */

static double cpu_s(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

/* Of the thread that loads: with two threads this is what a machine with nothing else to do takes,
 * unless the other thread takes longer. */
static double thread_s(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static double wall_s(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

/* Memory of this process that is no file, in KiB. */
static long anonymous_kb(void)
{
    FILE *f = fopen("/proc/self/status", "re");
    char line[256];
    long kb = 0;

    while (f && fgets(line, sizeof(line), f))
        if (sscanf(line, "RssAnon: %ld", &kb) == 1)
            break;
    if (f)
        fclose(f);
    return kb;
}

struct outcome {
    double cpu, thread, wall;
    long peak_kb;
    int64_t rows;
    double slice_bytes; /* of columns, per slice */
};

static int watch(void *data, uint64_t done, uint64_t total)
{
    long *peak = data, now = anonymous_kb();

    (void)done;
    (void)total;
    if (now > *peak)
        *peak = now;
    return 0;
}

static int64_t ask(struct orma_processor *tp, const char *sql)
{
    struct orma_query *q;
    int64_t ret = -1;

    if (orma_query_prepare(tp, sql, SIZE_MAX, &q, NULL))
        return -1;
    if (orma_query_step(q) == 1)
        ret = orma_query_int64(q, 0);
    orma_query_free(q);
    return ret;
}

/* In a child, so that each load has a heap of its own. */
static struct outcome load(const char *path, bool threads)
{
    struct outcome o = {0};
    int fds[2];

    if (pipe(fds) < 0)
        exit(1);
    fflush(NULL);
    pid_t pid = fork();
    if (!pid) {
        const struct orma_processor_config config = {.size = sizeof(config),
                                                     .one_thread = !threads};
        struct orma_processor *tp;
        malloc_trim(0); /* what the parent left of its input would count for nothing */
        long before = anonymous_kb();

        if (orma_processor_new(&config, &tp) < 0)
            _exit(1);
        double cpu = cpu_s(), thread = thread_s(), wall = wall_s();
        if (orma_processor_load_file(tp, path, watch, &o.peak_kb) < 0) {
            fprintf(stderr, "%s\n", orma_processor_error(tp));
            _exit(1);
        }
        o.cpu = cpu_s() - cpu;
        o.thread = thread_s() - thread;
        o.wall = wall_s() - wall;
        watch(&o.peak_kb, 0, 0);
        o.peak_kb -= before;
        o.rows = ask(tp, "SELECT (SELECT count(*) FROM slice) + (SELECT count(*) FROM counter) + "
                         "(SELECT count(*) FROM ftrace_event) + (SELECT count(*) FROM process) + "
                         "(SELECT count(*) FROM sched) + (SELECT count(*) FROM thread_state)");
        const struct orma_table *slices =
            &orma_processor_sql(tp)->storage->tables[ORMA_TABLE_SLICE];
        if (slices->rows)
            o.slice_bytes = (double)orma_table_bytes(slices) / slices->rows;
        if (write(fds[1], &o, sizeof(o)) != sizeof(o))
            _exit(1);
        _exit(0);
    }
    close(fds[1]);
    if (pid < 0 || read(fds[0], &o, sizeof(o)) != sizeof(o)) {
        fprintf(stderr, "the load failed\n");
        exit(1);
    }
    close(fds[0]);
    waitpid(pid, NULL, 0);
    return o;
}

static void row(const char *name, const struct input *in, const char *path, bool threads,
                double bare)
{
    struct outcome best = load(path, threads);
    double mb = (double)in->bytes.len / 1e6;

    for (int i = 1; i < RUNS; i++) {
        struct outcome o = load(path, threads);

        best.wall = o.wall < best.wall ? o.wall : best.wall;
        best.cpu = o.cpu < best.cpu ? o.cpu : best.cpu;
        best.thread = o.thread < best.thread ? o.thread : best.thread;
    }
    printf("%-18s %7s %7.1f MB %8.0f MB/s %7.2f M/s %7.0f MB/s cpu %7.2f M/s main thread %6.2f x "
           "file %6.1f B/row",
           name, threads ? "2 cores" : "1 core", mb, mb / best.wall,
           (double)in->events / best.wall / 1e6, mb / best.cpu,
           (double)in->events / best.thread / 1e6, (double)best.peak_kb * 1024 / 1e6 / mb,
           (double)best.peak_kb * 1024 / (double)(best.rows ? best.rows : 1));
    if (best.slice_bytes > 0)
        printf(" %5.1f B of columns/slice", best.slice_bytes);
    if (bare > 0)
        printf("  %5.2f of the bare loop", bare / best.cpu);
    printf("\n");
}

static void measure(const char *name, size_t size)
{
    char path[] = "/tmp/orma-bench-XXXXXX";
    struct input in;
    double bare = 0;

    make(&in, name, size);
    int fd = mkstemp(path);
    if (fd < 0 || write(fd, in.bytes.data, in.bytes.len) != (ssize_t)in.bytes.len) {
        perror(path);
        exit(1);
    }
    close(fd);
    for (int i = 0; i < RUNS && name[0] == 'b'; i++) {
        uint64_t rows;
        double took = bench_bare_load(path, &rows);

        bare = !bare || took < bare ? took : bare;
        if (!i)
            printf("%-18s    bare %7.1f MB %8.0f MB/s %7.2f M/s %33" PRIu64 " slices\n", name,
                   (double)in.bytes.len / 1e6, (double)in.bytes.len / took / 1e6,
                   (double)in.events / took / 1e6, rows);
    }
    struct orma_buf bytes = in.bytes;
    orma_buf_fini(&bytes); /* its length is still wanted */
    row(name, &in, path, false, bare);
    row(name, &in, path, true, bare);
    if (!getenv("BENCH_KEEP"))
        unlink(path);
}

int main(void)
{
    static const char *const names[] = {"a-ftrace-compact", "a-ftrace",   "b-events",
                                        "b-annotated",      "c-counters", "d-processes"};
    const char *mb = getenv("BENCH_MB"), *only = getenv("BENCH_ONLY");
    size_t size = (size_t)(mb ? atoi(mb) : 32) << 20;

    printf("# import: rate by the clock, rate by CPU time, peak of anonymous memory\n");
    for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (!only || strstr(names[i], only))
            for (size_t n = size; n <= size * (getenv("BENCH_GROWTH") ? 16 : 1); n *= 4)
                measure(names[i], n);
    return 0;
}
