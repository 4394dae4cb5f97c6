/*
 * A cursor stands on one event. Events of the ordinary list are messages one after the other:
 * most of them are read by a fast path that knows the usual order of fields. The compact lists
 * are packed arrays, one per column, that are walked side by side; times there are differences
 * to the event before.
 */
#include "processor/read/bundle.h"

#include "protos/fields/ftrace.h"

#define FIELD(name) ORMA_PB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED_##name

/* ---- damage ---- */

#define EVENT_TAG (ORMA_PB_FTRACE_EVENT_BUNDLE_EVENT << 3 | ORMA_PB_LEN)
/* Behind damage, so many events must follow each other to be believed. */
#define CHAIN 3
/* An event has a time, a thread, flags and a message or two. The bound keeps the search linear. */
#define EVENT_FIELDS_MAX 16

/* An event as recorders write it: its time comes first. */
static bool is_event(const struct orma_pb_field *f)
{
    struct orma_pb_reader r = orma_pb_reader(f->data, f->len);
    struct orma_pb_field in;
    unsigned num = 0;

    if (f->wire != ORMA_PB_LEN || !f->len || *f->data != ORMA_PB_FTRACE_EVENT_TIMESTAMP << 3)
        return false;
    while (num <= EVENT_FIELDS_MAX && orma_pb_next(&r, &in))
        num++;
    return !r.failed && num <= EVENT_FIELDS_MAX;
}

/* Events, up to something else that can be read, or to the end. */
static bool is_chain(const uint8_t *at, const uint8_t *end)
{
    struct orma_pb_reader r = orma_pb_reader(at, (size_t)(end - at));
    struct orma_pb_field f;

    for (unsigned i = 0; i < CHAIN; i++) {
        if (!orma_pb_next(&r, &f))
            return i > 0 && !r.failed;
        if (f.id != ORMA_PB_FTRACE_EVENT_BUNDLE_EVENT)
            return i > 0;
        if (!is_event(&f))
            return false;
    }
    return true;
}

ORMA_COLD static bool next_event_behind(struct orma_pb_reader *r, const uint8_t *at)
{
    const uint8_t *end = r->end;

    for (at++; at < end && (at = memchr(at, EVENT_TAG, (size_t)(end - at))); at++) {
        if (is_chain(at, end)) {
            *r = orma_pb_reader(at, (size_t)(end - at));
            return true;
        }
    }
    return false;
}

ORMA_COLD bool orma_bundle_field_behind(struct orma_pb_reader *r, const uint8_t *at,
                                        struct orma_pb_field *ret, struct orma_str *damage)
{
    bool found = next_event_behind(r, at);

    *damage = (struct orma_str){(const char *)at, (size_t)(r->pos - at)};
    return found && orma_pb_next(r, ret);
}

/* ---- lists ---- */

/* Field number → column, by kind of list. */
static int column_of(enum orma_item_kind kind, uint32_t field)
{
    if (kind == ORMA_ITEM_SCHED_SWITCH) {
        switch (field) {
        case FIELD(SWITCH_TIMESTAMP):
            return ORMA_COMPACT_TIME;
        case FIELD(SWITCH_NEXT_PID):
            return ORMA_COMPACT_PID;
        case FIELD(SWITCH_NEXT_PRIO):
            return ORMA_COMPACT_PRIO;
        case FIELD(SWITCH_NEXT_COMM_INDEX):
            return ORMA_COMPACT_COMM;
        case FIELD(SWITCH_PREV_STATE):
            return ORMA_COMPACT_STATE;
        }
        return -1;
    }
    switch (field) {
    case FIELD(WAKING_TIMESTAMP):
        return ORMA_COMPACT_TIME;
    case FIELD(WAKING_PID):
        return ORMA_COMPACT_PID;
    case FIELD(WAKING_PRIO):
        return ORMA_COMPACT_PRIO;
    case FIELD(WAKING_COMM_INDEX):
        return ORMA_COMPACT_COMM;
    case FIELD(WAKING_TARGET_CPU):
        return ORMA_COMPACT_TARGET;
    case FIELD(WAKING_COMMON_FLAGS):
        return ORMA_COMPACT_FLAGS;
    }
    return -1;
}

void orma_bundle_cursor_init(struct orma_bundle_cursor *self,
                             const struct orma_kernel_bundle *bundle, enum orma_item_kind kind)
{
    *self = (struct orma_bundle_cursor){.kind = kind};
    if (kind == ORMA_ITEM_FTRACE_EVENT) {
        self->r = orma_pb_reader(bundle->event_bytes.data, bundle->event_bytes.len);
        return;
    }
    struct orma_pb_reader r = orma_pb_reader(bundle->compact.data, bundle->compact.len);
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        int column = column_of(kind, f.id);

        if (column >= 0 && f.wire == ORMA_PB_LEN)
            self->columns[column] = orma_pb_sub(&f);
        self->comms_num += f.id == FIELD(INTERN_TABLE);
    }
}

/* The time is the first field of an event wherever one is written by a program we know. */
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

bool orma_bundle_event_is_bare(struct orma_str event)
{
    struct orma_pb_reader r = orma_pb_reader(event.data, event.len);
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f))
        if (f.wire == ORMA_PB_LEN)
            return false;
    return true;
}

static bool event_next(struct orma_bundle_cursor *self, struct orma_item *ret)
{
    struct orma_pb_field f;
    struct orma_str damage; /* is told when the head is read */

    while (orma_bundle_field(&self->r, &f, &damage)) {
        if (f.id != ORMA_PB_FTRACE_EVENT_BUNDLE_EVENT || f.wire != ORMA_PB_LEN)
            continue;
        ret->data = f.data;
        ret->len = (uint32_t)f.len;
        ret->event.is_read = false;
        if (ORMA_LIKELY(event_time(orma_pb_str(&f), &self->time)))
            return true;
        self->untimed++;
    }
    return false;
}

static inline bool at_end(const struct orma_pb_reader *column)
{
    return column->pos == column->end;
}

/* Only the flags may be missing: older recorders have none. */
static bool compact_next(struct orma_bundle_cursor *self, struct orma_item *ret)
{
    struct orma_pb_reader *c = self->columns;
    struct orma_pb_reader *last =
        self->kind == ORMA_ITEM_SCHED_SWITCH ? &c[ORMA_COMPACT_STATE] : &c[ORMA_COMPACT_TARGET];

    if (at_end(&c[ORMA_COMPACT_TIME]) || at_end(&c[ORMA_COMPACT_PID]) ||
        at_end(&c[ORMA_COMPACT_PRIO]) || at_end(&c[ORMA_COMPACT_COMM]) || at_end(last)) {
        self->uneven = !at_end(&c[ORMA_COMPACT_TIME]) || !at_end(&c[ORMA_COMPACT_PID]) ||
                       !at_end(&c[ORMA_COMPACT_PRIO]) || !at_end(&c[ORMA_COMPACT_COMM]) ||
                       !at_end(last);
        return false;
    }
    self->time += orma_pb_varint(&c[ORMA_COMPACT_TIME]);
    if (c[ORMA_COMPACT_TIME].failed) {
        self->uneven = true;
        return false;
    }
    ret->sched = (struct orma_compact_sched){
        .pid = (uint32_t)orma_pb_varint(&c[ORMA_COMPACT_PID]),
        .prio = (int32_t)orma_pb_varint(&c[ORMA_COMPACT_PRIO]),
        .comm_index = (uint32_t)orma_pb_varint(&c[ORMA_COMPACT_COMM]),
        .common_flags =
            at_end(&c[ORMA_COMPACT_FLAGS]) ? 0 : (uint32_t)orma_pb_varint(&c[ORMA_COMPACT_FLAGS]),
    };
    if (ret->sched.comm_index >= self->comms_num) {
        self->uneven = true; /* what follows cannot be trusted either */
        return false;
    }
    if (self->kind == ORMA_ITEM_SCHED_SWITCH)
        ret->sched.prev_state = (int64_t)orma_pb_varint(last);
    else
        ret->sched.target_cpu = (uint32_t)orma_pb_varint(last);
    return true;
}

/* The lists of a bundle come one after the other where times are equal: switches, wakings, events.
 */
static uint64_t place_in_bundle(enum orma_item_kind kind, uint32_t index)
{
    const uint64_t list_max = ORMA_ORDER_STEP / 4;
    uint64_t list = kind == ORMA_ITEM_SCHED_SWITCH ? 0 : kind == ORMA_ITEM_SCHED_WAKING ? 1 : 2;

    return list * list_max + ORMA_MIN(index, list_max - 1);
}

bool orma_bundle_cursor_next(struct orma_bundle_cursor *self, const struct orma_kernel_bundle *b,
                             struct orma_item *ret)
{
    do {
        if (self->index >= b->to)
            return false;
        if (!(self->kind == ORMA_ITEM_FTRACE_EVENT ? event_next(self, ret)
                                                   : compact_next(self, ret)))
            return false;
    } while (self->index++ < b->from);
    ret->kind = (uint8_t)self->kind;
    ret->format = 0;
    ret->machine = b->machine;
    ret->gen = b->gen;
    ret->extra = NULL;
    ret->ts = (int64_t)(self->time + (uint64_t)b->clock_offset);
    ret->index = self->index - 1;
    ret->order = b->order + place_in_bundle(self->kind, ret->index);
    return true;
}
