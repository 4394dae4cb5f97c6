/*
 * Events of the ordinary list are copied as they are. The lists of switches and wakings are columns
 * side by side, whose times are differences: what stays gets new differences, and keeps the table
 * of names, to which it refers by place.
 */
#include "tools/pieces/bundle.h"

#include "processor/read/bundle.h"
#include "protos/fields/ftrace.h"
#include "sdk/wire/pb_writer.h"

/* The clock of bundles that no snapshot of the service has: private to the sequence. */
#define FTRACE_CLOCK_ID 64
#define COMPACT(name) ORMA_PB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED_##name
#define LIST_COLUMNS 6

/* A list of events in columns: times first. The last one of wakings may be missing. */
struct list {
    uint32_t fields[LIST_COLUMNS];
    unsigned num, needed, pid;
};

static const struct list switches = {
    .fields = {COMPACT(SWITCH_TIMESTAMP), COMPACT(SWITCH_NEXT_PID), COMPACT(SWITCH_NEXT_PRIO),
               COMPACT(SWITCH_NEXT_COMM_INDEX), COMPACT(SWITCH_PREV_STATE)},
    .num = 5,
    .needed = 5,
    .pid = 1};
static const struct list wakings = {.fields = {COMPACT(WAKING_TIMESTAMP), COMPACT(WAKING_PID),
                                               COMPACT(WAKING_PRIO), COMPACT(WAKING_COMM_INDEX),
                                               COMPACT(WAKING_TARGET_CPU),
                                               COMPACT(WAKING_COMMON_FLAGS)},
                                    .num = 6,
                                    .needed = 5,
                                    .pid = 1};

static int column_of(const struct list *list, uint32_t field)
{
    for (unsigned i = 0; i < list->num; i++)
        if (list->fields[i] == field)
            return (int)i;
    return -1;
}

/* ---- times ---- */

static bool convert(struct orma_pieces_bundle *self, uint64_t time, int64_t *ret)
{
    const int64_t ns = (int64_t)time;

    if (self->bad_clock || ns < 0)
        return false;
    if (ORMA_LIKELY(ns >= self->span.lo && ns < self->span.hi)) {
        *ret = (int64_t)(time + (uint64_t)self->span.offset);
        return true;
    }
    if (orma_pieces_known_convert(self->known, self->seq, self->clock, ns, ret, &self->span))
        return true;
    self->span = (struct orma_clock_span){0};
    return false;
}

static bool event_time(struct orma_str event, uint64_t *ret)
{
    struct orma_pb_reader r = orma_pb_reader(event.data, event.len);
    struct orma_pb_field f;

    if (ORMA_LIKELY(event.len && *r.pos == ORMA_PB_FTRACE_EVENT_TIMESTAMP << 3)) {
        r.pos++;
        return orma_pb_varint_at(&r.pos, r.end, ret);
    }
    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_FTRACE_EVENT_TIMESTAMP) {
            *ret = orma_pb_u64(&f);
            return true;
        }
    }
    return false;
}

static void note(struct orma_pieces_bundle *self, uint64_t time, bool is_switch)
{
    int64_t ts;

    if (!convert(self, time, &ts))
        return;
    if (is_switch && ts < self->edge)
        self->switch_before = ORMA_MAX(self->switch_before, ts);
    self->first = self->events ? ORMA_MIN(self->first, ts) : ts;
    self->last = self->events ? ORMA_MAX(self->last, ts) : ts;
    self->events++;
}

static void note_list(struct orma_pieces_bundle *self, const struct orma_pb_field *column)
{
    struct orma_pb_reader r = orma_pb_sub(column);
    uint64_t time = 0;

    while (r.pos != r.end) {
        time += orma_pb_varint(&r);
        if (!r.failed)
            note(self, time, column->id == switches.fields[0]);
    }
}

static void note_events(struct orma_pieces_bundle *self)
{
    struct orma_pb_reader r = orma_pb_reader(self->payload.data, self->payload.len);
    struct orma_pb_field f, g;
    struct orma_str damage = {0};
    uint64_t time;

    while (orma_bundle_field(&r, &f, &damage)) {
        self->damaged += damage.len;
        damage.len = 0;
        if (f.wire != ORMA_PB_LEN)
            continue;
        if (f.id == ORMA_PB_FTRACE_EVENT_BUNDLE_EVENT) {
            if (event_time(orma_pb_str(&f), &time))
                note(self, time, false);
        } else if (f.id == ORMA_PB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED) {
            struct orma_pb_reader list = orma_pb_sub(&f);

            while (orma_pb_next(&list, &g))
                if ((g.id == switches.fields[0] || g.id == wakings.fields[0]) &&
                    g.wire == ORMA_PB_LEN)
                    note_list(self, &g);
        }
    }
    if (r.failed)
        self->damaged += damage.len;
}

/* Its cpu, and what it says of its clock. */
static void read_head(struct orma_pieces_bundle *self)
{
    struct orma_pb_reader r = orma_pb_reader(self->payload.data, self->payload.len);
    struct orma_pb_field f;
    struct orma_str damage = {0};
    int64_t ftrace_ts = 0, boot_ts = 0;
    uint32_t clock = ORMA_PB_FTRACE_CLOCK_UNSPECIFIED;
    bool has_pair = false;

    while (orma_bundle_field(&r, &f, &damage)) {
        switch (f.id) {
        case ORMA_PB_FTRACE_EVENT_BUNDLE_CPU:
            self->cpu = orma_pb_u32(&f);
            break;
        case ORMA_PB_FTRACE_EVENT_BUNDLE_FTRACE_CLOCK:
            clock = orma_pb_u32(&f);
            break;
        case ORMA_PB_FTRACE_EVENT_BUNDLE_FTRACE_TIMESTAMP:
            ftrace_ts = orma_pb_i64(&f);
            has_pair = true;
            break;
        case ORMA_PB_FTRACE_EVENT_BUNDLE_BOOT_TIMESTAMP:
            boot_ts = orma_pb_i64(&f);
            break;
        case ORMA_PB_FTRACE_EVENT_BUNDLE_LOST_EVENTS:
            self->lost = orma_pb_bool(&f);
            break;
        case ORMA_PB_FTRACE_EVENT_BUNDLE_GENERIC_EVENT_DESCRIPTORS:
            self->tells = true;
            break;
        }
    }
    switch (clock) {
    case ORMA_PB_FTRACE_CLOCK_UNSPECIFIED:
        self->clock = ORMA_CLOCK_BOOTTIME;
        return;
    case ORMA_PB_FTRACE_CLOCK_GLOBAL:
    case ORMA_PB_FTRACE_CLOCK_LOCAL:
        self->clock = FTRACE_CLOCK_ID;
        break;
    case ORMA_PB_FTRACE_CLOCK_MONO_RAW:
        self->clock = ORMA_CLOCK_MONOTONIC_RAW;
        break;
    default:
        self->bad_clock = true;
    }
    if (has_pair && !self->bad_clock && ftrace_ts != self->known->last_pair) {
        self->tells = true;
        orma_pieces_known_pair(self->known, self->seq, self->clock, ftrace_ts, boot_ts);
    }
}

void orma_pieces_bundle_read(struct orma_pieces_bundle *self, struct orma_pieces_known *known,
                             struct orma_pieces_seq *seq, struct orma_str payload, int64_t edge)
{
    *self = (struct orma_pieces_bundle){
        .known = known, .seq = seq, .payload = payload, .edge = edge, .switch_before = INT64_MIN};
    read_head(self);
    note_events(self);
}

/* ---- writing ---- */

struct write {
    struct orma_pieces_bundle *bundle;
    orma_pieces_event_fn *wants;
    void *ctx;
    struct orma_buf *out;
    uint64_t kept, left_out;
    bool first_left_out; /* of the ordinary list or of the switches */
};

static bool is_wanted(struct write *w, uint64_t time, struct orma_str event, bool is_switch,
                      uint32_t pid)
{
    int64_t ts;

    if (!convert(w->bundle, time, &ts))
        ts = w->bundle->first; /* readers leave it out, and count it */
    const bool wanted = w->wants(w->ctx, ts, event, is_switch, pid);

    if (!wanted && !w->kept && !w->left_out)
        w->first_left_out = true;
    w->kept += wanted;
    w->left_out += !wanted;
    return wanted;
}

/* The columns of one list with the events that are wanted. From an event on that is not whole,
 * nothing is kept. */
static void put_list(struct write *w, const struct list *list, struct orma_str compact)
{
    struct orma_pb_reader r = orma_pb_reader(compact.data, compact.len);
    struct orma_pb_field f;
    struct orma_pb_reader columns[LIST_COLUMNS] = {{0}};
    struct orma_buf out[LIST_COLUMNS] = {{0}};
    uint64_t time = 0, written = 0;

    while (orma_pb_next(&r, &f)) {
        const int column = column_of(list, f.id);

        if (column >= 0 && f.wire == ORMA_PB_LEN)
            columns[column] = orma_pb_sub(&f);
    }
    for (bool whole = true; whole;) {
        uint64_t vals[LIST_COLUMNS] = {0};
        bool has[LIST_COLUMNS];

        for (unsigned i = 0; i < list->num; i++) {
            has[i] = columns[i].pos != columns[i].end;
            vals[i] = has[i] ? orma_pb_varint(&columns[i]) : 0;
            whole = whole && (has[i] ? !columns[i].failed : i >= list->needed);
        }
        if (!whole)
            break;
        time += vals[0];
        if (!is_wanted(w, time, (struct orma_str){0}, list == &switches, (uint32_t)vals[list->pid]))
            continue;
        vals[0] = time - written;
        written = time;
        for (unsigned i = 0; i < list->num; i++)
            if (has[i])
                orma_pb_put_raw_varint(&out[i], vals[i]);
    }
    for (unsigned i = 0; i < list->num; i++) {
        if (out[i].len)
            orma_pb_put_bytes(w->out, list->fields[i], out[i].data, out[i].len);
        w->out->failed |= out[i].failed;
        orma_buf_fini(&out[i]);
    }
}

static void put_compact(struct write *w, struct orma_str compact)
{
    struct orma_pb_reader r = orma_pb_reader(compact.data, compact.len);
    struct orma_pb_field f;
    const uint8_t *from = r.pos;
    const size_t before = w->out->len;
    const size_t begun = orma_pb_begin(w->out, ORMA_PB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED);
    const uint64_t kept = w->kept;

    put_list(w, &switches, compact);
    put_list(w, &wakings, compact);
    if (w->kept == kept) { /* names that nobody refers to */
        w->out->len = before;
        return;
    }
    for (; orma_pb_next(&r, &f); from = r.pos)
        if (column_of(&switches, f.id) < 0 && column_of(&wakings, f.id) < 0)
            orma_buf_put(w->out, from, (size_t)(r.pos - from));
    orma_pb_end(w->out, begun);
}

static bool wants_event(struct write *w, struct orma_str event)
{
    uint64_t time;

    return event_time(event, &time) ? is_wanted(w, time, event, false, 0)
                                    : w->wants(w->ctx, w->bundle->first, event, false, 0);
}

uint64_t orma_pieces_bundle_write(struct orma_pieces_bundle *self, orma_pieces_event_fn *wants,
                                  void *ctx, struct orma_buf *out)
{
    struct write w = {.bundle = self, .wants = wants, .ctx = ctx, .out = out};
    struct orma_pb_reader r = orma_pb_reader(self->payload.data, self->payload.len);
    struct orma_pb_field f;
    struct orma_str damage = {0};

    while (orma_bundle_field(&r, &f, &damage)) {
        const bool bytes = f.wire == ORMA_PB_LEN;

        if (f.id == ORMA_PB_FTRACE_EVENT_BUNDLE_EVENT && bytes) {
            if (wants_event(&w, orma_pb_str(&f)))
                orma_pb_put_bytes(out, f.id, f.data, f.len);
        } else if (f.id == ORMA_PB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED && bytes) {
            put_compact(&w, orma_pb_str(&f));
        } else if (f.id == ORMA_PB_FTRACE_EVENT_BUNDLE_LOST_EVENTS) {
            continue; /* below */
        } else if (bytes) {
            orma_pb_put_bytes(out, f.id, f.data, f.len);
        } else if (f.wire == ORMA_PB_VARINT) {
            orma_pb_put_u64(out, f.id, f.num);
        } else if (f.wire == ORMA_PB_I64) {
            orma_pb_put_fixed64(out, f.id, f.num);
        } else {
            orma_pb_put_fixed32(out, f.id, (uint32_t)f.num);
        }
    }
    /* They were lost before the first event: if that is of another time, so are they. */
    if (self->lost && !(self->by_time && w.first_left_out))
        orma_pb_put_u64(out, ORMA_PB_FTRACE_EVENT_BUNDLE_LOST_EVENTS, 1);
    return w.kept;
}
