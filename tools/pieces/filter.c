/*
 * The first look finds out who is who: names of processes and threads come anywhere in a trace, and
 * a track says of whom it is by those above it. The second one copies what is wanted.
 *
 * Slices stay or go with their track, so begins and ends stay together. Switches of threads stay:
 * a CPU that misses some would show threads that run longer than they did.
 */
#include "tools/pieces/filter.h"

#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "processor/read/bundle.h"
#include "protos/fields/ftrace.h"
#include "protos/fields/process.h"
#include "protos/fields/profiling.h"
#include "protos/fields/trace.h"
#include "protos/fields/track_event.h"
#include "protos/reflect/schema.h"
#include "sdk/base/hash.h"
#include "sdk/base/path.h"
#include "sdk/base/vec.h"
#include "sdk/wire/pb_writer.h"
#include "tools/pieces/bundle.h"
#include "tools/pieces/category.h"
#include "tools/pieces/survey.h"

/* Whom something is of; 0: nobody knows. */
struct owner {
    uint32_t pid, tid;
};

/* Patterns of one option, and which of them something in the trace fits. */
struct wanted {
    const struct orma_pieces_wants *patterns;
    int64_t numbers[ORMA_PIECES_WANTS_MAX];
    uint64_t is_number, found; /* a bit for each */
    uint64_t guessed;          /* found if the thread of this number is of no other process */
};
_Static_assert(ORMA_PIECES_WANTS_MAX <= 64, "bits in struct wanted");

enum track_state { TRACK_NEW, TRACK_OPEN, TRACK_DONE };

struct track {
    uint64_t parent;    /* uuid; 0: none */
    struct owner owner; /* what it says itself; when done, of the nearest one above that says it */
    uint8_t state;      /* open: those above it are being looked at, so that circles end there */
};

struct filter {
    const struct orma_pieces_filter_request *request;
    struct orma_pieces_source *source;
    struct orma_pieces_known known;
    struct orma_pieces_piece piece;
    const struct orma_schema *schema;
    uint32_t packet_msg;
    struct wanted process, thread, category, kind;
    struct orma_map processes, threads; /* pids and tids that match */
    struct orma_map of_thread;          /* tid → pid */
    struct orma_map by_uuid;            /* of a machine → index into tracks */
    struct orma_map by_seq;             /* index of a sequence → tid << 32 | pid */
    struct orma_map lost;               /* cpus whose loss is in front of an event yet to come */
    ORMA_VEC(struct track) tracks;
    ORMA_VEC(uint32_t) way; /* tracks, each above the one before */
    struct orma_pieces_categories categories;
    struct orma_pieces_counters counters;
    unsigned look; /* at the trace, from 0 on */
    struct orma_buf text, payload;
    bool by_owner; /* somebody is asked for */
    bool failed;
};

/* No memory. Asked at each packet, and after the last one. */
static bool has_failed(const struct filter *self)
{
    return self->failed || orma_pieces_known_failed(&self->known) || self->text.failed ||
           self->payload.failed || self->categories.failed || self->counters.failed;
}

/* ---- patterns ---- */

static void wanted_init(struct wanted *self, const struct orma_pieces_wants *patterns)
{
    *self = (struct wanted){.patterns = patterns};
    for (unsigned i = 0; i < patterns->num; i++)
        if (orma_str_to_i64(orma_str_from(patterns->patterns[i]), &self->numbers[i]))
            self->is_number |= UINT64_C(1) << i;
}

static bool matches(struct filter *self, struct wanted *wanted, struct orma_str name)
{
    uint64_t found = 0;

    orma_buf_clear(&self->text);
    orma_buf_put(&self->text, name.data, name.len);
    self->failed |= self->text.failed;
    const char *whole = orma_buf_cstr(&self->text);
    for (unsigned i = 0; i < wanted->patterns->num; i++) {
        const char *pattern = wanted->patterns->patterns[i];
        const uint64_t bit = UINT64_C(1) << i;

        if (found && wanted->found & bit)
            continue; /* nothing to learn */
        if (!fnmatch(pattern, whole, 0) || !fnmatch(pattern, orma_path_base(whole), 0))
            found |= bit;
    }
    wanted->found |= found;
    return found != 0;
}

/* Bits of the patterns that are this number. */
static uint64_t number_bits(const struct wanted *wanted, uint32_t number)
{
    uint64_t bits = 0;

    for (unsigned i = 0; wanted->is_number && i < wanted->patterns->num; i++)
        if (wanted->is_number >> i & 1 && wanted->numbers[i] == (int64_t)number)
            bits |= UINT64_C(1) << i;
    return bits;
}

/* Something is of this one: patterns that are numbers may have found it. */
static void meet_owner(struct filter *self, struct owner o)
{
    if (o.pid)
        self->process.found |= number_bits(&self->process, o.pid);
    else if (o.tid)
        self->process.guessed |= number_bits(&self->process, o.tid);
    if (o.tid)
        self->thread.found |= number_bits(&self->thread, o.tid);
}

static void add(struct filter *self, struct orma_map *set, uint32_t number)
{
    self->failed |= orma_map_put(set, number, 1) < 0;
}

static void name_process(struct filter *self, uint32_t pid, struct orma_str name)
{
    meet_owner(self, (struct owner){pid, 0});
    if (self->request->processes.num && name.len && matches(self, &self->process, name))
        add(self, &self->processes, pid);
}

static void name_thread(struct filter *self, uint32_t tid, uint32_t pid, struct orma_str name)
{
    meet_owner(self, (struct owner){pid, tid});
    if (pid)
        self->failed |= orma_map_put(&self->of_thread, tid, pid) < 0;
    if (self->request->threads.num && name.len && matches(self, &self->thread, name))
        add(self, &self->threads, tid);
    if (tid == pid) /* a process is also called as its main thread */
        name_process(self, pid, name);
}

/* Bits of the patterns that were not found so far. */
static uint64_t lacks(const struct wanted *wanted)
{
    const unsigned num = wanted->patterns->num;

    return num ? ~wanted->found & UINT64_MAX >> (64 - num) : 0;
}

/* Patterns that are numbers and were not found so far. */
static bool lacks_numbers(const struct filter *self)
{
    return lacks(&self->process) & self->process.is_number & ~self->process.guessed ||
           lacks(&self->thread) & self->thread.is_number;
}

static bool is_in(const struct orma_map *set, uint32_t number)
{
    return orma_map_get(set, number) != ORMA_MAP_NONE;
}

static bool wants_owner(const struct filter *self, struct owner o)
{
    const struct orma_pieces_filter_request *r = self->request;
    const uint64_t of = o.tid ? orma_map_get(&self->of_thread, o.tid) : ORMA_MAP_NONE;
    const uint32_t pid = o.pid ? o.pid : of != ORMA_MAP_NONE ? (uint32_t)of : o.tid;

    return (!r->processes.num ||
            (pid && (is_in(&self->processes, pid) || number_bits(&self->process, pid)))) &&
           (!r->threads.num ||
            (o.tid && (is_in(&self->threads, o.tid) || number_bits(&self->thread, o.tid))));
}

/* ---- who is who ---- */

static struct orma_str text_of(const struct orma_pb_field *message, uint32_t id)
{
    struct orma_pb_reader r = orma_pb_sub(message);
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f))
        if (f.id == id && f.wire == ORMA_PB_LEN)
            return orma_pb_str(&f);
    return (struct orma_str){"", 0};
}

static uint32_t number_of(const struct orma_pb_field *message, uint32_t id)
{
    struct orma_pb_reader r = orma_pb_sub(message);
    struct orma_pb_field f;
    uint32_t num = 0;

    while (orma_pb_next(&r, &f))
        if (f.id == id)
            num = orma_pb_u32(&f);
    return num;
}

static void read_tree(struct filter *self, struct orma_str bytes)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_PROCESS_TREE_PROCESSES)
            name_process(self, number_of(&f, ORMA_PB_PROCESS_TREE_PROCESS_PID),
                         text_of(&f, ORMA_PB_PROCESS_TREE_PROCESS_CMDLINE));
        else if (f.id == ORMA_PB_PROCESS_TREE_THREADS)
            name_thread(self, number_of(&f, ORMA_PB_PROCESS_TREE_THREAD_TID),
                        number_of(&f, ORMA_PB_PROCESS_TREE_THREAD_TGID),
                        text_of(&f, ORMA_PB_PROCESS_TREE_THREAD_NAME));
    }
}

static struct owner read_thread(struct filter *self, const struct orma_pb_field *f)
{
    const struct owner o = {number_of(f, ORMA_PB_THREAD_DESCRIPTOR_PID),
                            number_of(f, ORMA_PB_THREAD_DESCRIPTOR_TID)};

    if (o.tid)
        name_thread(self, o.tid, o.pid, text_of(f, ORMA_PB_THREAD_DESCRIPTOR_THREAD_NAME));
    return o;
}

static uint32_t read_process(struct filter *self, const struct orma_pb_field *f)
{
    const uint32_t pid = number_of(f, ORMA_PB_PROCESS_DESCRIPTOR_PID);

    name_process(self, pid, text_of(f, ORMA_PB_PROCESS_DESCRIPTOR_PROCESS_NAME));
    return pid;
}

/* Machines number their tracks each for itself. */
static uint64_t track_key(const struct orma_pieces_seq *seq, uint64_t uuid)
{
    return seq->seq->machine ? orma_mix64(uuid + seq->seq->machine) : uuid;
}

static void read_track(struct filter *self, const struct orma_pieces_seq *seq,
                       struct orma_str bytes)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;
    struct track t = {0};
    uint64_t uuid = 0;

    while (orma_pb_next(&r, &f)) {
        switch (f.id) {
        case ORMA_PB_TRACK_DESCRIPTOR_UUID:
            uuid = orma_pb_u64(&f);
            break;
        case ORMA_PB_TRACK_DESCRIPTOR_PARENT_UUID:
            t.parent = orma_pb_u64(&f);
            break;
        case ORMA_PB_TRACK_DESCRIPTOR_PROCESS:
            t.owner.pid = read_process(self, &f);
            break;
        case ORMA_PB_TRACK_DESCRIPTOR_THREAD:
            t.owner = read_thread(self, &f);
            break;
        }
    }
    /* Services repeat them: the first one counts, for readers too. */
    if (orma_map_get(&self->by_uuid, track_key(seq, uuid)) == ORMA_MAP_NONE)
        self->failed |= orma_map_put(&self->by_uuid, track_key(seq, uuid), self->tracks.len) < 0 ||
                        ORMA_VEC_PUSH(&self->tracks, t) < 0;
}

/* The lists of switches and wakings: who that is, and for switches what they are called. */
static void read_list(struct filter *self, const struct orma_pb_field *f, enum orma_item_kind kind,
                      const struct orma_str *names, uint32_t num)
{
    struct orma_kernel_bundle b = {.compact = orma_pb_str(f), .to = UINT32_MAX};
    struct orma_bundle_cursor c;
    struct orma_item item;

    orma_bundle_cursor_init(&c, &b, kind);
    while (orma_bundle_cursor_next(&c, &b, &item)) {
        const uint32_t tid = (uint32_t)item.sched.pid;

        meet_owner(self, (struct owner){0, tid});
        if (kind != ORMA_ITEM_SCHED_SWITCH || item.sched.comm_index >= num ||
            !names[item.sched.comm_index].data)
            continue;
        name_thread(self, tid, 0, names[item.sched.comm_index]);
        if (orma_map_get(&self->of_thread, tid) == tid)
            name_process(self, tid, names[item.sched.comm_index]);
    }
}

/* What threads are called on the CPUs, and which there are. */
static void read_bundle(struct filter *self, struct orma_str payload)
{
    struct orma_pb_reader r = orma_pb_reader(payload.data, payload.len);
    struct orma_pb_field f, g;
    struct orma_str damage = {0};

    while (orma_bundle_field(&r, &f, &damage)) {
        if (f.id == ORMA_PB_FTRACE_EVENT_BUNDLE_EVENT && lacks_numbers(self))
            meet_owner(self, (struct owner){0, number_of(&f, ORMA_PB_FTRACE_EVENT_PID)});
        if (f.id != ORMA_PB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED || f.wire != ORMA_PB_LEN)
            continue;
        struct orma_str names[ORMA_COMPACT_COMMS_MAX];
        struct orma_pb_reader compact = orma_pb_sub(&f);
        uint32_t num = 0;

        while (orma_pb_next(&compact, &g))
            if (g.id == ORMA_PB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED_INTERN_TABLE &&
                num < ORMA_COMPACT_COMMS_MAX)
                names[num++] = orma_pb_str(&g);
        read_list(self, &f, ORMA_ITEM_SCHED_SWITCH, names, num);
        if (lacks_numbers(self))
            read_list(self, &f, ORMA_ITEM_SCHED_WAKING, names, num);
    }
}

static struct owner owner_of_sample(struct orma_str payload)
{
    const struct orma_pb_field whole = {
        .data = (const uint8_t *)payload.data, .len = payload.len, .wire = ORMA_PB_LEN};

    return (struct owner){number_of(&whole, ORMA_PB_PERF_SAMPLE_PID),
                          number_of(&whole, ORMA_PB_PERF_SAMPLE_TID)};
}

static void meet_polls(struct filter *self, struct orma_str payload)
{
    struct orma_pb_reader r = orma_pb_reader(payload.data, payload.len);
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f))
        if (f.id == ORMA_PB_PROCESS_STATS_PROCESSES && f.wire == ORMA_PB_LEN)
            meet_owner(self, (struct owner){number_of(&f, ORMA_PB_PROCESS_STATS_PROCESS_PID), 0});
}

static bool wants_category(void *ctx, struct orma_str name)
{
    struct filter *self = ctx;

    return matches(self, &self->category, name);
}

/* Categories that events name themselves; those that are interned are met there. */
static void meet_categories(struct filter *self, struct orma_str payload)
{
    struct orma_pb_reader r = orma_pb_reader(payload.data, payload.len);
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f))
        if (f.id == ORMA_PB_TRACK_EVENT_CATEGORIES && f.wire == ORMA_PB_LEN)
            (void)matches(self, &self->category, orma_pb_str(&f));
}

static void meet_event(struct filter *self, struct orma_pieces_seq *seq,
                       const struct orma_pieces_packet *packet, bool timed, int64_t ts)
{
    struct orma_pieces_event e;

    if (!self->look && lacks(&self->category))
        meet_categories(self, packet->p.payload);
    timed = orma_pieces_event_read(&self->known, seq, &packet->p, timed, &ts, &e);
    if (e.has_pid || e.has_tid)
        meet_owner(self, (struct owner){e.has_pid ? e.pid : 0, e.has_tid ? e.tid : 0});
    if (!timed || !self->request->categories.num)
        return;
    if (!self->look)
        orma_pieces_categories_note(&self->categories, seq, &e, ts);
    else
        orma_pieces_categories_collect(&self->categories, seq, &e, packet->p.payload, ts,
                                       packet->number);
}

static int meet(void *ctx, const struct orma_pieces_packet *packet)
{
    struct filter *self = ctx;
    const struct orma_read_packet *p = &packet->p;
    const struct orma_pb_field whole = {
        .data = (const uint8_t *)p->payload.data, .len = p->payload.len, .wire = ORMA_PB_LEN};
    struct orma_pieces_seq *seq;
    int64_t ts = 0;
    const bool timed = orma_pieces_known_take(&self->known, p, &seq, &ts);

    if (!seq || has_failed(self))
        return -ENOMEM;
    if (self->request->categories.num)
        orma_pieces_categories_intern(&self->categories, seq, p);
    if (p->field == ORMA_PB_TRACE_PACKET_TRACK_EVENT &&
        (self->request->categories.num || lacks_numbers(self)))
        meet_event(self, seq, packet, timed, ts);
    if (self->look)
        return 0; /* all are known from the first look */
    switch (p->field) {
    case ORMA_PB_TRACE_PACKET_PROCESS_TREE:
        read_tree(self, p->payload);
        break;
    case ORMA_PB_TRACE_PACKET_TRACK_DESCRIPTOR:
        read_track(self, seq, p->payload);
        orma_pieces_counters_describe(&self->counters, p->payload);
        break;
    case ORMA_PB_TRACE_PACKET_PROCESS_DESCRIPTOR:
        (void)read_process(self, &whole);
        break;
    case ORMA_PB_TRACE_PACKET_THREAD_DESCRIPTOR: {
        const struct owner o = read_thread(self, &whole);

        self->failed |= orma_map_put(&self->by_seq, seq->index, (uint64_t)o.tid << 32 | o.pid) < 0;
        break;
    }
    case ORMA_PB_TRACE_PACKET_FTRACE_EVENTS:
        if (self->by_owner)
            read_bundle(self, p->payload);
        break;
    case ORMA_PB_TRACE_PACKET_PERF_SAMPLE:
        if (lacks_numbers(self))
            meet_owner(self, owner_of_sample(p->payload));
        break;
    case ORMA_PB_TRACE_PACKET_PROCESS_STATS:
        if (lacks_numbers(self))
            meet_polls(self, p->payload);
        break;
    }
    return 0;
}

/* ---- what stays ---- */

/* That of the nearest track above that says one. Each track is passed once. */
static struct owner owner_of_track(struct filter *self, const struct orma_pieces_seq *seq,
                                   uint64_t uuid)
{
    struct owner o = {0};

    self->way.len = 0;
    while (uuid) {
        const uint64_t at = orma_map_get(&self->by_uuid, track_key(seq, uuid));
        struct track *t = at == ORMA_MAP_NONE ? NULL : &self->tracks.data[at];

        if (!t || t->state == TRACK_OPEN)
            break;
        o = t->owner;
        if (t->state == TRACK_DONE || ORMA_VEC_PUSH(&self->way, (uint32_t)at) < 0 || o.pid)
            break;
        t->state = TRACK_OPEN;
        uuid = t->parent;
    }
    for (uint32_t i = 0; i < self->way.len; i++) {
        self->tracks.data[self->way.data[i]].owner = o;
        self->tracks.data[self->way.data[i]].state = TRACK_DONE;
    }
    return o;
}

static struct owner owner_of_event(struct filter *self, const struct orma_pieces_seq *seq,
                                   const struct orma_pieces_event *e)
{
    const uint64_t of = e->uuid ? ORMA_MAP_NONE : orma_map_get(&self->by_seq, seq->index);
    struct owner o = {0};

    if (e->uuid)
        return owner_of_track(self, seq, e->uuid);
    if (of != ORMA_MAP_NONE)
        o = (struct owner){(uint32_t)of, (uint32_t)(of >> 32)};
    if (e->has_pid) /* another thread, not known unless it is named, too */
        o = (struct owner){e->pid, 0};
    if (e->has_tid)
        o.tid = e->tid;
    return o;
}

/* Events that say what threads there are. */
static bool tells_of_threads(struct orma_str event)
{
    struct orma_pb_reader r = orma_pb_reader(event.data, event.len);
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        switch (f.id) {
        case ORMA_PB_FTRACE_EVENT_SCHED_SWITCH:
        case ORMA_PB_FTRACE_EVENT_TASK_NEWTASK:
        case ORMA_PB_FTRACE_EVENT_TASK_RENAME:
        case ORMA_PB_FTRACE_EVENT_SCHED_PROCESS_EXEC:
        case ORMA_PB_FTRACE_EVENT_SCHED_PROCESS_EXIT:
        case ORMA_PB_FTRACE_EVENT_SCHED_PROCESS_FORK:
        case ORMA_PB_FTRACE_EVENT_SCHED_PROCESS_FREE:
            return true;
        }
    }
    return false;
}

static bool wants_event(void *ctx, int64_t ts, struct orma_str event, bool is_switch, uint32_t pid)
{
    struct filter *self = ctx;
    const struct orma_pb_field whole = {
        .data = (const uint8_t *)event.data, .len = event.len, .wire = ORMA_PB_LEN};

    (void)ts;
    if (is_switch || (event.data && tells_of_threads(event)))
        return true;
    const struct owner o = {0, event.data ? number_of(&whole, ORMA_PB_FTRACE_EVENT_PID) : pid};
    return wants_owner(self, o) != self->request->invert;
}

static void put_bundle(struct filter *self, struct orma_pieces_seq *seq,
                       const struct orma_pieces_packet *packet)
{
    struct orma_pieces_bundle b;

    orma_pieces_bundle_read(&b, &self->known, seq, packet->p.payload, INT64_MIN);
    if (b.damaged)
        orma_pieces_damaged(self->source, packet->offset, b.damaged,
                            "bytes in a bundle of kernel events that are not events");
    /* Readers see a loss in front of an event: that of a bundle of others is told once more. */
    if (self->lost.len)
        b.lost |= orma_map_take(&self->lost, orma_pieces_cpu_key(seq, b.cpu)) != ORMA_MAP_NONE;
    orma_buf_clear(&self->payload);
    const uint64_t kept = orma_pieces_bundle_write(&b, wants_event, self, &self->payload);
    const struct orma_str payload = orma_buf_str(&self->payload);

    self->piece.events += kept;
    if (b.lost && !kept)
        self->failed |= orma_map_put(&self->lost, orma_pieces_cpu_key(seq, b.cpu), 1) < 0;
    if (kept || b.tells || b.lost)
        orma_pieces_piece_put(&self->piece, seq, &packet->p, &payload);
    else if (packet->p.dropped)
        orma_pieces_piece_lost(&self->piece, seq, packet->p.dropped);
}

/* Polls of many processes: those that are wanted. */
static void put_polls(struct filter *self, struct orma_pieces_seq *seq,
                      const struct orma_read_packet *p)
{
    struct orma_pb_reader r = orma_pb_reader(p->payload.data, p->payload.len);
    struct orma_pb_field f;

    orma_buf_clear(&self->payload);
    for (const uint8_t *from = r.pos; orma_pb_next(&r, &f); from = r.pos) {
        if (f.id == ORMA_PB_PROCESS_STATS_PROCESSES && f.wire == ORMA_PB_LEN) {
            const struct owner o = {number_of(&f, ORMA_PB_PROCESS_STATS_PROCESS_PID), 0};

            if (wants_owner(self, o) == self->request->invert)
                continue;
        }
        orma_buf_put(&self->payload, from, (size_t)(r.pos - from));
    }
    const struct orma_str payload = orma_buf_str(&self->payload);
    orma_pieces_piece_put(&self->piece, seq, p, &payload);
    self->piece.events++;
}

static bool is_of_source(struct filter *self, uint32_t field)
{
    const struct orma_field *f = orma_schema_field(self->schema, self->packet_msg, field);

    return !self->request->sources.num ||
           (f && matches(self, &self->kind, orma_str_from(orma_field_name(self->schema, f))));
}

static void put_event(struct filter *self, struct orma_pieces_seq *seq,
                      const struct orma_pieces_packet *packet, bool timed, int64_t ts,
                      bool of_source)
{
    const struct orma_read_packet *p = &packet->p;
    struct orma_pieces_values values;
    struct orma_pieces_event e;

    values.any = false; /* the rest is large, and read only if there is any */
    (void)orma_pieces_event_read(&self->known, seq, p, timed, &ts, &e); /* the time is its own */
    if (self->counters.incremental.len)
        orma_pieces_counters_read(&self->counters, seq, &e, p->payload, &values);
    const bool of_category =
        !self->request->categories.num ||
        orma_pieces_categories_wants(&self->categories, seq, &e, p->payload, packet->number);
    const bool match = of_source && of_category &&
                       (!self->by_owner || wants_owner(self, owner_of_event(self, seq, &e)));
    if (match != self->request->invert)
        orma_pieces_piece_put_event(&self->piece, seq, p, &e, &self->counters, &values);
    else if (p->dropped)
        orma_pieces_piece_lost(&self->piece, seq, p->dropped);
    orma_pieces_counters_add(&self->counters, &values);
}

static void put_packet(struct filter *self, struct orma_pieces_seq *seq,
                       const struct orma_read_packet *p)
{
    if (p->field == ORMA_PB_TRACE_PACKET_STREAMING_PROFILE_PACKET) {
        orma_pieces_piece_put_stacks(&self->piece, seq, p);
        return;
    }
    orma_pieces_piece_put(&self->piece, seq, p, NULL);
    self->piece.events++;
}

static int choose(void *ctx, const struct orma_pieces_packet *packet)
{
    struct filter *self = ctx;
    const struct orma_read_packet *p = &packet->p;
    const bool invert = self->request->invert;
    struct orma_pieces_seq *seq;
    int64_t ts = 0;
    const bool timed = orma_pieces_known_take(&self->known, p, &seq, &ts);

    if (!seq || has_failed(self))
        return -ENOMEM;
    if (self->request->categories.num)
        orma_pieces_categories_intern(&self->categories, seq, p);
    if (p->field == ORMA_PB_TRACE_PACKET_TRACE_STATS) {
        orma_pieces_piece_put_stats(&self->piece, &self->known, seq, p);
        return self->piece.error;
    }
    if (!p->field || orma_pieces_is_timeless(p->field)) {
        orma_pieces_piece_put(&self->piece, seq, p, NULL);
        return self->piece.error;
    }
    /* Nothing else has a category. */
    const bool of_source =
        is_of_source(self, p->field) &&
        (!self->request->categories.num || p->field == ORMA_PB_TRACE_PACKET_TRACK_EVENT);

    if (p->field == ORMA_PB_TRACE_PACKET_TRACK_EVENT) {
        put_event(self, seq, packet, timed, ts, of_source);
    } else if (self->by_owner && of_source && p->field == ORMA_PB_TRACE_PACKET_FTRACE_EVENTS) {
        put_bundle(self, seq, packet);
    } else if (self->by_owner && of_source && p->field == ORMA_PB_TRACE_PACKET_PROCESS_STATS) {
        put_polls(self, seq, p);
    } else {
        const bool owned = !self->by_owner || (p->field == ORMA_PB_TRACE_PACKET_PERF_SAMPLE &&
                                               wants_owner(self, owner_of_sample(p->payload)));

        if ((of_source && owned) != invert) {
            put_packet(self, seq, p);
        } else if (p->dropped) {
            orma_pieces_piece_lost(&self->piece, seq, p->dropped);
        }
    }
    return self->piece.error;
}

static int keep_field(void *ctx, struct orma_str bytes)
{
    struct filter *self = ctx;

    orma_pieces_piece_put_raw(&self->piece, bytes);
    return self->piece.error;
}

/* ---- both looks ---- */

/* Kinds of packets: whether this trace has them or not, they have a name. */
static void find_kinds(struct filter *self)
{
    uint32_t num;
    const struct orma_field *fields = orma_schema_fields(self->schema, self->packet_msg, &num);

    for (uint32_t i = 0; lacks(&self->kind) && i < num; i++)
        (void)is_of_source(self, fields[i].number);
}

/* A number in kernel events alone is that of a process if its thread is of no other one. */
static void believe_guesses(struct filter *self)
{
    for (unsigned i = 0; i < self->process.patterns->num; i++) {
        const uint64_t number = (uint64_t)self->process.numbers[i];
        const uint64_t of = orma_map_get(&self->of_thread, number);

        if (self->process.guessed >> i & 1 && (of == ORMA_MAP_NONE || of == number))
            self->process.found |= UINT64_C(1) << i;
    }
}

/* A pattern that nothing fits is a mistake, most likely: with --not, all would stay. */
static int check_patterns(struct filter *self)
{
    const struct orma_pieces_filter_request *r = self->request;
    const struct {
        const struct wanted *wanted;
        const char *what;
    } all[] = {
        {&self->process, "process"},
        {&self->thread, "thread"},
        {&self->category, "category"},
        {&self->kind, "kind of packets"},
    };

    believe_guesses(self);
    find_kinds(self);
    for (unsigned i = 0; i < ORMA_ARRAY_LEN(all); i++) {
        const uint64_t missing = lacks(all[i].wanted);

        if (!missing)
            continue;
        fprintf(stderr, "%s: %s: no %s matches '%s'\n", r->program, r->path, all[i].what,
                all[i].wanted->patterns->patterns[__builtin_ctzll(missing)]);
        return -ENOENT;
    }
    return 0;
}

static int look_and_copy(struct filter *self)
{
    const struct orma_pieces_filter_request *r = self->request;
    const unsigned looks = r->categories.num ? 2 : 1;
    int err = 0;
    char what[64];

    for (; err == 0 && self->look < looks; self->look++) {
        orma_pieces_categories_begin(&self->categories);
        err = orma_pieces_known_init(&self->known, false);
        if (err == 0)
            err = orma_pieces_source_walk(self->source, meet, NULL, self);
        if (err == 0 && has_failed(self))
            err = -ENOMEM;
        orma_pieces_known_fini(&self->known);
    }
    orma_pieces_categories_match(&self->categories);
    orma_pieces_categories_begin(&self->categories);
    if (err == 0 && has_failed(self))
        err = -ENOMEM;
    if (err == 0)
        err = check_patterns(self);
    if (err == 0)
        err = orma_pieces_piece_open(&self->piece, &r->want,
                                     orma_pieces_choose(self->source, r->packing));
    if (err < 0)
        return err;
    err = orma_pieces_known_init(&self->known, true);
    if (err == 0)
        err = orma_pieces_source_walk(self->source, choose, keep_field, self);
    if (err == 0 && has_failed(self))
        err = -ENOMEM;
    if (err == 0)
        orma_pieces_tell_damage(self->source);
    orma_pieces_known_fini(&self->known);
    snprintf(what, sizeof(what), "%" PRIu64 " event%s", self->piece.events,
             self->piece.events == 1 ? "" : "s");
    return orma_pieces_piece_close(&self->piece, err, what);
}

int orma_pieces_filter(const struct orma_pieces_filter_request *request)
{
    struct orma_pieces_source source;
    struct filter self = {.request = request,
                          .source = &source,
                          .schema = orma_schema_default(),
                          .by_owner = request->processes.num || request->threads.num};

    wanted_init(&self.process, &request->processes);
    wanted_init(&self.thread, &request->threads);
    wanted_init(&self.category, &request->categories);
    wanted_init(&self.kind, &request->sources);
    self.categories.wants = wants_category;
    self.categories.ctx = &self;
    self.packet_msg = orma_schema_find_msg(self.schema, ORMA_STR("perfetto.protos.TracePacket"));
    if (!orma_pieces_can_pack(request->program, request->packing))
        return -ENOTSUP;
    int r = orma_output_check(&request->want);
    if (r == 0)
        r = orma_pieces_source_open(&source, request->program, request->path);
    if (r < 0)
        return orma_pieces_tell_memory(request->program, request->path, r);
    r = orma_pieces_tell_memory(request->program, request->path, look_and_copy(&self));
    orma_map_fini(&self.processes);
    orma_map_fini(&self.threads);
    orma_map_fini(&self.of_thread);
    orma_map_fini(&self.by_uuid);
    orma_map_fini(&self.by_seq);
    orma_map_fini(&self.lost);
    ORMA_VEC_FINI(&self.tracks);
    ORMA_VEC_FINI(&self.way);
    orma_pieces_categories_fini(&self.categories);
    orma_pieces_counters_fini(&self.counters);
    orma_buf_fini(&self.text);
    orma_buf_fini(&self.payload);
    orma_pieces_source_close(&source);
    return r;
}
