/*
 * One pass over the file's packets, headers only for most of them: the last TraceStats for
 * the ledger, what the kernel lost (counters at the end less those at the start, by cpu),
 * unknown and failed events, and whether anything but descriptions was written. Compressed
 * packets end the pass: then nothing is known.
 *
 * Any producer can write what the probes write. So each sequence speaks for itself only, and sums
 * stay at the largest number: a liar can add losses, but hides none of the others.
 */
#include "tools/record/trace_scan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "protos/fields/ftrace.h"
#include "protos/fields/orma_ext.h"
#include "protos/fields/profiling.h"
#include "protos/fields/trace.h"
#include "sdk/base/hash.h"
#include "sdk/base/map.h"
#include "sdk/base/mapped.h"
#include "sdk/wire/pb_reader.h"
#include "sdk/wire/pb_writer.h"

#define CPUS_MAX 1024
#define KPROBES CPUS_MAX                  /* stands for a cpu */
#define TRACE_PACKET 1                    /* Trace.packet */
#define NAMES_BYTES_MAX ((size_t)1 << 20) /* of a list */
#define INCIDENTS_BYTES_MAX ((size_t)16 << 20)
#define PIECE_MAX ((size_t)64 << 20) /* of a packet that goes by in pieces */
/* The service's own packets; what it says behind its last statistics is no data. */
#define SERVICE_SEQUENCE 1

struct scan {
    struct orma_record_trace_scan *ret;
    /* Events that the kernel lost, and hits of kprobes that it missed, by place_of(). */
    struct orma_map first, last;
    struct orma_map noted;      /* hashes of names that are in a list */
    struct orma_map machine_of; /* of sequences that are not of this machine */
    uint64_t start_ns;          /* of the session */
    uint64_t unreadable, perf_lost, perf_skipped;
    struct orma_map valid;      /* sequences whose names and clocks are known */
    struct orma_map kernel_seq; /* their place in `kernel` */
    struct orma_buf kernel;     /* of struct orma_buf: the incidents that each told last */
    size_t kernel_bytes;        /* of these */
    bool no_memory;
    bool compressed;
    bool has_stats;
    bool data_behind; /* the last statistics */
    bool has_lists;
};

static uint64_t place_of(uint32_t sequence, uint64_t cpu)
{
    return (uint64_t)sequence << 16 | cpu;
}

static void take_count(struct scan *s, uint64_t place, uint64_t lost, bool at_start)
{
    uint64_t count = ORMA_MIN(lost, (uint64_t)INT64_MAX);

    if (at_start && orma_map_get(&s->last, place) == ORMA_MAP_NONE)
        s->no_memory |= orma_map_put(&s->first, place, count) < 0;
    s->no_memory |= orma_map_put(&s->last, place, count) < 0;
}

static void read_cpu(struct scan *s, uint32_t sequence, struct orma_pb_reader r, bool at_start)
{
    struct orma_pb_field f;
    uint64_t cpu = 0, lost = 0;

    while (orma_pb_next(&r, &f)) {
        switch (f.id) {
        case ORMA_PB_FTRACE_CPU_STATS_CPU:
            cpu = f.num;
            break;
        case ORMA_PB_FTRACE_CPU_STATS_OVERRUN:
        case ORMA_PB_FTRACE_CPU_STATS_DROPPED_EVENTS:
        case ORMA_PB_FTRACE_CPU_STATS_COMMIT_OVERRUN:
            lost = orma_ledger_sum(lost, f.num);
            break;
        }
    }
    if (cpu < CPUS_MAX)
        take_count(s, place_of(sequence, cpu), lost, at_start);
}

/*
 * Each flush repeats them: a name once. Any producer may have written it, so it begins no line and
 * tells a terminal nothing, and there is an end to them.
 */
static void note(struct scan *s, struct orma_buf *list, const struct orma_pb_field *f)
{
    struct orma_str name = orma_pb_str(f);
    uint64_t key = orma_hash_bytes_from((uintptr_t)list, name.data, name.len);

    if (list->len + name.len >= NAMES_BYTES_MAX || orma_map_get(&s->noted, key) != ORMA_MAP_NONE)
        return;
    s->no_memory |= orma_map_put(&s->noted, key, 1) < 0;
    for (size_t i = 0; i < name.len; i++) {
        unsigned char c = (unsigned char)name.data[i];

        orma_buf_put_byte(list, c < ' ' || c == 0x7f ? '?' : c);
    }
    orma_buf_put_byte(list, '\n');
}

static void read_kprobes(struct scan *s, uint32_t sequence, struct orma_pb_reader r, bool at_start)
{
    struct orma_pb_field f;
    uint64_t missed = 0;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_FTRACE_KPROBE_STATS_MISSES)
            missed = f.num;
    }
    take_count(s, place_of(sequence, KPROBES), missed, at_start);
}

static struct orma_buf *incidents_of(struct scan *s, uint32_t sequence)
{
    uint64_t at = orma_map_get(&s->kernel_seq, sequence);
    const struct orma_buf none = {0};

    if (at == ORMA_MAP_NONE) {
        at = s->kernel.len;
        orma_buf_put(&s->kernel, &none, sizeof(none));
        if (s->kernel.failed || orma_map_put(&s->kernel_seq, sequence, at) < 0)
            return NULL;
    }
    return (struct orma_buf *)(void *)(s->kernel.data + at);
}

/* Each has all incidents so far. */
static void keep_incidents(struct scan *s, uint32_t sequence, struct orma_pb_reader r)
{
    struct orma_buf *kept = incidents_of(s, sequence);
    struct orma_pb_field f;

    if (!kept) {
        s->no_memory = true;
        return;
    }
    s->kernel_bytes -= kept->len;
    orma_buf_clear(kept);
    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_FTRACE_STATS_ORMA_FTRACE_INCIDENTS && f.data &&
            f.len <
                INCIDENTS_BYTES_MAX - ORMA_MIN(s->kernel_bytes + kept->len, INCIDENTS_BYTES_MAX))
            orma_pb_put_bytes(kept, f.id, f.data, f.len);
        else if (f.id == ORMA_PB_FTRACE_STATS_ORMA_FTRACE_INCIDENTS)
            s->no_memory = true;
    }
    s->no_memory |= kept->failed;
    s->kernel_bytes += kept->len;
}

static void read_kernel_incidents(struct scan *s)
{
    for (size_t at = 0; at + sizeof(struct orma_buf) <= s->kernel.len;
         at += sizeof(struct orma_buf)) {
        const struct orma_buf *kept = (const void *)(s->kernel.data + at);
        struct orma_pb_reader r = orma_pb_reader(kept->data, kept->len);
        struct orma_pb_field f;

        while (orma_pb_next(&r, &f))
            orma_ledger_read_incident(&s->ret->loss, orma_pb_sub(&f), s->start_ns);
    }
}

static void read_kernel_stats(struct scan *s, uint32_t sequence, struct orma_pb_reader r)
{
    struct orma_pb_reader again = r;
    struct orma_pb_field f;
    bool at_start = false;

    s->ret->has_kernel_stats = true;
    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_FTRACE_STATS_PHASE)
            at_start = f.num == ORMA_PB_FTRACE_STATS_START_OF_TRACE;
    }
    while (orma_pb_next(&again, &f)) {
        switch (f.id) {
        case ORMA_PB_FTRACE_STATS_CPU_STATS:
            read_cpu(s, sequence, orma_pb_sub(&f), at_start);
            break;
        case ORMA_PB_FTRACE_STATS_KPROBE_STATS:
            read_kprobes(s, sequence, orma_pb_sub(&f), at_start);
            break;
        case ORMA_PB_FTRACE_STATS_UNKNOWN_FTRACE_EVENTS:
            note(s, &s->ret->unknown, &f);
            break;
        case ORMA_PB_FTRACE_STATS_FAILED_FTRACE_EVENTS:
            note(s, &s->ret->failed, &f);
            break;
        case ORMA_PB_FTRACE_STATS_ATRACE_ERRORS:
            note(s, &s->ret->setup_error, &f);
            break;
        }
    }
}

static uint64_t known_or_zero(const struct orma_map *map, uint64_t key)
{
    uint64_t val = orma_map_get(map, key);

    return val == ORMA_MAP_NONE ? 0 : val;
}

/* Of sequences that tell of the same cpu, the one that tells most: they may have one buffer. */
static void sum_up_kernel(struct scan *s, struct orma_ledger *loss)
{
    struct orma_map most = {0}; /* by machine and cpu */

    ORMA_MAP_EACH (slot, &s->last) {
        uint64_t first = known_or_zero(&s->first, slot->key), cpu = slot->key & 0xffff;
        uint64_t place = known_or_zero(&s->machine_of, slot->key >> 16) << 16 | cpu;

        if (slot->val > first && slot->val - first > known_or_zero(&most, place))
            s->no_memory |= orma_map_put(&most, place, slot->val - first) < 0;
    }
    ORMA_MAP_EACH (slot, &most) {
        uint64_t *sum =
            (slot->key & 0xffff) == KPROBES ? &loss->kprobes_missed : &loss->kernel_overrun;

        *sum = orma_ledger_sum(*sum, slot->val);
    }
    orma_map_fini(&most);
}

static void read_bundle(struct scan *s, struct orma_pb_reader r)
{
    struct orma_pb_field f;

    while (!s->ret->has_kernel_events && orma_pb_next(&r, &f))
        s->ret->has_kernel_events = f.id == ORMA_PB_FTRACE_EVENT_BUNDLE_EVENT ||
                                    f.id == ORMA_PB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED;
}

/* What writers say without having recorded anything. */
static bool is_description(const struct orma_pb_field *f)
{
    switch (f->id) {
    case ORMA_PB_TRACE_PACKET_CLOCK_SNAPSHOT:
    case ORMA_PB_TRACE_PACKET_FTRACE_EVENTS: /* of the kernel: see read_bundle() */
    case ORMA_PB_TRACE_PACKET_FTRACE_STATS:
    case ORMA_PB_TRACE_PACKET_INTERNED_DATA:
    case ORMA_PB_TRACE_PACKET_PROCESS_DESCRIPTOR:
    case ORMA_PB_TRACE_PACKET_THREAD_DESCRIPTOR:
    case ORMA_PB_TRACE_PACKET_TRACE_PACKET_DEFAULTS:
    case ORMA_PB_TRACE_PACKET_TRACK_DESCRIPTOR:
        return true;
    default:
        return f->wire != ORMA_PB_LEN; /* payloads have a length */
    }
}

/* What goes along with other data, to give it names. */
static bool is_list(const struct orma_pb_field *f)
{
    return f->id == ORMA_PB_TRACE_PACKET_PROCESS_TREE ||
           f->id == ORMA_PB_TRACE_PACKET_PROCESS_STATS ||
           f->id == ORMA_PB_TRACE_PACKET_SYSTEM_INFO || f->id == ORMA_PB_TRACE_PACKET_CPU_INFO;
}

static void read_perf_sample(struct scan *s, struct orma_pb_reader r)
{
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_PERF_SAMPLE_KERNEL_RECORDS_LOST)
            s->perf_lost = orma_ledger_sum(s->perf_lost, f.num);
        else if (f.id == ORMA_PB_PERF_SAMPLE_SAMPLE_SKIPPED_REASON)
            s->perf_skipped += f.num == ORMA_PB_PERF_SAMPLE_PROFILER_SKIP_UNWIND_ENQUEUE;
    }
}

static void read_service_event(struct scan *s, struct orma_pb_reader r, uint64_t timestamp)
{
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_TRACING_SERVICE_EVENT_TRACING_STARTED)
            s->start_ns = timestamp;
    }
}

/* Can it be read? By the same rules as when it is imported. */
struct state {
    uint64_t flags, dropped;
    bool cleared;
};

static void follow_state(struct scan *s, uint32_t sequence, const struct state *now)
{
    bool valid;

    if (now->cleared || now->flags & ORMA_PB_TRACE_PACKET_SEQ_INCREMENTAL_STATE_CLEARED)
        (void)orma_map_put(&s->valid, sequence, 1); /* no memory: it counts as lost */
    else if (now->dropped)
        (void)orma_map_take(&s->valid, sequence);
    if (!(now->flags & ORMA_PB_TRACE_PACKET_SEQ_NEEDS_INCREMENTAL_STATE))
        return;
    valid = orma_map_get(&s->valid, sequence) != ORMA_MAP_NONE;
    s->unreadable += !valid;
}

static void read_packet(struct scan *s, struct orma_pb_reader r)
{
    struct orma_pb_field f, event = {0}, kernel = {0};
    uint32_t sequence = 0, machine = 0;
    uint64_t timestamp = 0;
    struct state state = {0};
    bool stats = false, has_list = false, has_data = false;

    while (orma_pb_next(&r, &f)) {
        if (is_list(&f))
            has_list = true;
        else if (!is_description(&f))
            has_data = true;
        switch (f.id) {
        case ORMA_PB_TRACE_PACKET_TRUSTED_PACKET_SEQUENCE_ID:
            sequence = orma_pb_u32(&f);
            break;
        case ORMA_PB_TRACE_PACKET_MACHINE_ID: /* the service says it */
            machine = orma_pb_u32(&f);
            break;
        case ORMA_PB_TRACE_PACKET_FTRACE_EVENTS:
            read_bundle(s, orma_pb_sub(&f));
            break;
        case ORMA_PB_TRACE_PACKET_FTRACE_STATS:
            kernel = f;
            break;
        case ORMA_PB_TRACE_PACKET_TIMESTAMP:
            timestamp = f.num;
            break;
        case ORMA_PB_TRACE_PACKET_SERVICE_EVENT:
            event = f;
            break;
        case ORMA_PB_TRACE_PACKET_PERF_SAMPLE:
            read_perf_sample(s, orma_pb_sub(&f));
            break;
        case ORMA_PB_TRACE_PACKET_SEQUENCE_FLAGS:
            state.flags = f.num;
            break;
        case ORMA_PB_TRACE_PACKET_INCREMENTAL_STATE_CLEARED:
            state.cleared = state.cleared || f.num;
            break;
        case ORMA_PB_TRACE_PACKET_PREVIOUS_PACKET_DROPPED:
            state.dropped = f.num;
            break;
        case ORMA_PB_TRACE_PACKET_TRACE_STATS:
            orma_ledger_read(orma_pb_str(&f), s->start_ns, &s->ret->loss);
            stats = true;
            break;
        case ORMA_PB_TRACE_PACKET_COMPRESSED_PACKETS:
        case ORMA_PB_TRACE_PACKET_ZSTD_COMPRESSED_PACKETS:
            s->compressed = true;
            break;
        }
    }
    if (event.data)
        read_service_event(s, orma_pb_sub(&event), timestamp);
    if (kernel.data) {
        s->no_memory |= machine && orma_map_put(&s->machine_of, sequence, machine) < 0;
        read_kernel_stats(s, sequence, orma_pb_sub(&kernel));
        keep_incidents(s, sequence, orma_pb_sub(&kernel));
    }
    if (sequence)
        follow_state(s, sequence, &state);
    if (sequence && sequence != SERVICE_SEQUENCE) {
        s->has_lists |= has_list;
        s->ret->has_data |= has_data;
    }
    if (stats) {
        s->has_stats = true;
        s->data_behind = false;
    } else if (sequence && sequence != SERVICE_SEQUENCE) {
        s->data_behind = true;
    }
}

/* False: it cannot be told. */
static bool sum_up(struct scan *s)
{
    struct orma_ledger *loss = &s->ret->loss;

    if (s->compressed)
        return false;
    if (!s->has_stats || s->data_behind)
        loss->unknown = "the trace ends before its last statistics";
    read_kernel_incidents(s);
    loss->unreadable = s->unreadable;
    loss->perf_lost = s->perf_lost;
    loss->perf_skipped = s->perf_skipped;
    sum_up_kernel(s, loss);
    if (s->no_memory)
        loss->unknown = "there was not enough memory to count it";
    s->ret->has_data |= s->ret->has_kernel_events;
    s->ret->has_lists_only = s->has_lists && !s->ret->has_data;
    s->ret->has_data |= s->has_lists;
    return true;
}

static bool scan(struct scan *s, const void *data, size_t len)
{
    struct orma_pb_reader trace = orma_pb_reader(data, len);
    struct orma_pb_field packet;

    while (!s->compressed && orma_pb_next(&trace, &packet)) {
        if (packet.id == TRACE_PACKET)
            read_packet(s, orma_pb_sub(&packet));
    }
    return sum_up(s);
}

static void scan_free(struct scan *s)
{
    if (!s)
        return;
    for (size_t at = 0; at + sizeof(struct orma_buf) <= s->kernel.len;
         at += sizeof(struct orma_buf))
        orma_buf_fini((struct orma_buf *)(void *)(s->kernel.data + at));
    orma_map_fini(&s->noted);
    orma_map_fini(&s->first);
    orma_map_fini(&s->last);
    orma_map_fini(&s->machine_of);
    orma_map_fini(&s->valid);
    orma_map_fini(&s->kernel_seq);
    orma_buf_fini(&s->kernel);
    free(s);
}

bool orma_record_trace_scan(int fd, struct orma_record_trace_scan *ret)
{
    struct orma_mapped *file = NULL; /* others may cut it while it is read */
    struct stat st;

    *ret = (struct orma_record_trace_scan){0};
    if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size <= 0)
        return false;
    struct scan *s = calloc(1, sizeof(*s));
    bool ok = s && orma_mapped_open(fd, &file) == 0;
    if (ok) {
        s->ret = ret;
        ok = scan(s, orma_mapped_data(file), orma_mapped_size(file)) && !orma_mapped_torn(file);
    }
    scan_free(s);
    orma_mapped_close(file);
    if (!ok)
        orma_record_trace_scan_fini(ret);
    return ok;
}

/* ---- in pieces ---- */

struct orma_record_trace_watch {
    struct scan *scan;
    struct orma_record_trace_scan result;
    struct orma_buf rest; /* begins with a packet, of which the end is missing */
    bool given_up;
};

int orma_record_trace_watch_new(struct orma_record_trace_watch **ret)
{
    struct orma_record_trace_watch *self = calloc(1, sizeof(*self));

    if (self)
        self->scan = calloc(1, sizeof(*self->scan));
    if (!self || !self->scan) {
        free(self);
        return -ENOMEM;
    }
    self->scan->ret = &self->result;
    *ret = self;
    return 0;
}

/* The length of a packet with its head; 0: more is needed to know, or it is none. */
static size_t packet_len(const uint8_t *data, size_t len, size_t *ret_head, bool *ret_bad)
{
    uint64_t payload = 0;
    size_t at = 1;

    *ret_bad = len && data[0] != (TRACE_PACKET << 3 | ORMA_PB_LEN);
    for (unsigned shift = 0; at < len && shift < 35; shift += 7) {
        uint8_t byte = data[at++];

        payload |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            *ret_bad |= payload > PIECE_MAX;
            *ret_head = at;
            return at + (size_t)payload;
        }
    }
    *ret_bad |= at > 5;
    return 0;
}

/* False: the packet there is not whole yet, or nothing can be told any more. */
static bool take_packet(struct orma_record_trace_watch *self, size_t *pos)
{
    const uint8_t *data = self->rest.data + *pos;
    size_t left = self->rest.len - *pos, head = 0;
    size_t len = packet_len(data, left, &head, &self->given_up);

    if (self->given_up || !len || len > left)
        return false;
    read_packet(self->scan, orma_pb_reader(data + head, len - head));
    self->given_up = self->scan->compressed;
    *pos += len;
    return true;
}

void orma_record_trace_watch_put(struct orma_record_trace_watch *self, const void *data, size_t len)
{
    size_t pos = 0;

    if (self->given_up)
        return;
    orma_buf_put(&self->rest, data, len);
    while (pos < self->rest.len && take_packet(self, &pos))
        continue;
    self->given_up |= self->rest.failed;
    orma_buf_consume(&self->rest, pos);
}

bool orma_record_trace_watch_end(struct orma_record_trace_watch *self,
                                 struct orma_record_trace_scan *ret)
{
    bool ok = !self->given_up && !self->rest.len && sum_up(self->scan);

    *ret = self->result;
    if (!ok)
        orma_record_trace_scan_fini(ret);
    scan_free(self->scan);
    orma_buf_fini(&self->rest);
    free(self);
    return ok;
}

void orma_record_trace_scan_fini(struct orma_record_trace_scan *self)
{
    orma_buf_fini(&self->unknown);
    orma_buf_fini(&self->failed);
    orma_buf_fini(&self->setup_error);
    *self = (struct orma_record_trace_scan){0};
}
