#include "tests/support/te_reader.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "protos/fields/common.h"
#include "protos/fields/interned_data.h"
#include "protos/fields/trace.h"
#include "protos/fields/track_event.h"
#include "sdk/wire/pb_reader.h"

#define EACH_FIELD(f, data, len)                                                                   \
    for (struct orma_pb_reader f##_reader_ = orma_pb_reader(data, len);                            \
         orma_pb_next(&f##_reader_, &(f));)

static void fail(struct orma_te_reader *self, const char *what)
{
    if (self->errors++ < 10)
        fprintf(stderr, "track event reader: %s (event %zu)\n", what, orma_te_reader_num(self));
}

void orma_te_reader_fini(struct orma_te_reader *self)
{
    orma_buf_fini(&self->interned);
    orma_buf_fini(&self->events);
    orma_buf_fini(&self->tracks);
}

size_t orma_te_reader_num(const struct orma_te_reader *self)
{
    return self->events.len / sizeof(struct orma_test_event);
}

const struct orma_test_event *orma_te_reader_event(const struct orma_te_reader *self, size_t idx)
{
    return (const struct orma_test_event *)self->events.data + idx;
}

const struct orma_test_track *orma_te_reader_track(const struct orma_te_reader *self, uint64_t uuid)
{
    const struct orma_test_track *t = (const struct orma_test_track *)self->tracks.data;

    for (size_t i = 0; i < self->tracks.len / sizeof(*t); i++) {
        if (t[i].uuid == uuid)
            return &t[i];
    }
    return NULL;
}

static void copy(char *to, size_t size, const struct orma_pb_field *f)
{
    snprintf(to, size, "%.*s", (int)f->len, f->len ? (const char *)f->data : "");
}

static void append(char *to, size_t size, const char *fmt, ...) ORMA_PRINTF(3, 4);
static void append(char *to, size_t size, const char *fmt, ...)
{
    size_t len = strlen(to);
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(to + len, size - len, fmt, ap);
    va_end(ap);
}

/* ---- interned data ---- */

static const char *interned(struct orma_te_reader *self, uint32_t field, uint64_t iid)
{
    const struct orma_test_interned *in = (const struct orma_test_interned *)self->interned.data;

    for (size_t i = 0; i < self->interned.len / sizeof(*in); i++) {
        if (in[i].field == field && in[i].iid == iid)
            return in[i].text;
    }
    fail(self, "an iid that was never defined");
    return "?";
}

static void read_interned(struct orma_te_reader *self, struct orma_pb_field *msg)
{
    struct orma_pb_field f, g;

    EACH_FIELD(f, msg->data, msg->len)
    {
        struct orma_test_interned in = {.field = f.id};

        EACH_FIELD(g, f.data, f.len)
        {
            if (g.id == 1)
                in.iid = (uint32_t)g.num;
            else if (g.wire == ORMA_PB_LEN)
                snprintf(in.text + strlen(in.text), sizeof(in.text) - strlen(in.text), "%s%.*s",
                         in.text[0] ? ":" : "", (int)g.len, (const char *)g.data);
            else
                append(in.text, sizeof(in.text), ":%" PRIu64, g.num);
        }
        if (!in.iid)
            fail(self, "iid 0");
        const struct orma_test_interned *old =
            (const struct orma_test_interned *)self->interned.data;
        for (size_t i = 0; i < self->interned.len / sizeof(*old); i++) {
            if (old[i].field == in.field && old[i].iid == in.iid && strcmp(old[i].text, in.text))
                fail(self, "an iid defined twice");
        }
        orma_buf_put(&self->interned, &in, sizeof(in));
    }
}

/* ---- descriptors ---- */

static void read_counter(struct orma_test_track *t, const struct orma_pb_field *msg)
{
    struct orma_pb_field f;

    t->is_counter = true;
    EACH_FIELD(f, msg->data, msg->len)
    {
        switch (f.id) {
        case ORMA_PB_COUNTER_DESCRIPTOR_UNIT:
            t->unit = (uint32_t)f.num;
            break;
        case ORMA_PB_COUNTER_DESCRIPTOR_UNIT_MULTIPLIER:
            t->multiplier = (int64_t)f.num;
            break;
        case ORMA_PB_COUNTER_DESCRIPTOR_IS_INCREMENTAL:
            t->incremental = f.num != 0;
            break;
        case ORMA_PB_COUNTER_DESCRIPTOR_UNIT_NAME:
            copy(t->unit_name, sizeof(t->unit_name), &f);
            break;
        }
    }
}

static void read_owner(struct orma_test_track *t, const struct orma_pb_field *msg)
{
    bool is_thread = msg->id == ORMA_PB_TRACK_DESCRIPTOR_THREAD;
    struct orma_pb_field f;

    t->is_thread = is_thread;
    t->is_process = !is_thread;
    EACH_FIELD(f, msg->data, msg->len)
    {
        if (f.id == ORMA_PB_THREAD_DESCRIPTOR_PID)
            t->pid = (int32_t)f.num;
        else if (is_thread && f.id == ORMA_PB_THREAD_DESCRIPTOR_TID)
            t->tid = (int32_t)f.num;
        else if (is_thread && f.id == ORMA_PB_THREAD_DESCRIPTOR_THREAD_NAME)
            copy(t->name, sizeof(t->name), &f);
        else if (!is_thread && f.id == ORMA_PB_PROCESS_DESCRIPTOR_PROCESS_NAME)
            copy(t->name, sizeof(t->name), &f);
    }
}

static void read_track(struct orma_te_reader *self, const struct orma_pb_field *msg)
{
    struct orma_test_track t = {0};
    struct orma_pb_field f;

    EACH_FIELD(f, msg->data, msg->len)
    {
        switch (f.id) {
        case ORMA_PB_TRACK_DESCRIPTOR_UUID:
            t.uuid = f.num;
            break;
        case ORMA_PB_TRACK_DESCRIPTOR_PARENT_UUID:
            t.parent = f.num;
            break;
        case ORMA_PB_TRACK_DESCRIPTOR_NAME:
            copy(t.name, sizeof(t.name), &f);
            break;
        case ORMA_PB_TRACK_DESCRIPTOR_PROCESS:
        case ORMA_PB_TRACK_DESCRIPTOR_THREAD:
            read_owner(&t, &f);
            break;
        case ORMA_PB_TRACK_DESCRIPTOR_COUNTER:
            read_counter(&t, &f);
            break;
        case ORMA_PB_TRACK_DESCRIPTOR_CHILD_ORDERING:
            t.ordering = (uint32_t)f.num;
            break;
        case ORMA_PB_TRACK_DESCRIPTOR_SIBLING_ORDER_RANK:
            t.rank = (int32_t)f.num;
            break;
        case ORMA_PB_TRACK_DESCRIPTOR_SIBLING_MERGE_BEHAVIOR:
            t.merge = (uint32_t)f.num;
            break;
        }
    }
    struct orma_test_track *old = (struct orma_test_track *)orma_te_reader_track(self, t.uuid);
    if (old)
        *old = t;
    else
        orma_buf_put(&self->tracks, &t, sizeof(t));
}

/* ---- clocks ---- */

static void read_clocks(struct orma_te_reader *self, const struct orma_pb_field *msg)
{
    uint64_t boottime = 0;
    struct orma_pb_field f, g;

    EACH_FIELD(f, msg->data, msg->len)
    {
        uint64_t v[5] = {0};

        EACH_FIELD(g, f.data, f.len)
        {
            if (g.id < 5)
                v[g.id] = g.num;
        }
        if (v[1] == 6) {
            boottime = v[2];
            if (boottime < self->snapshot_ns)
                fail(self, "a clock snapshot before the last one of its sequence");
            self->snapshot_ns = boottime;
        }
        if (v[1] == 64) {
            self->unit_ns = v[4] ? v[4] : 1;
            self->last_ns = v[2] * self->unit_ns;
            if (boottime / self->unit_ns != v[2] || !v[3])
                fail(self, "clock 64 does not agree with boottime");
        }
        if (v[1] == 65)
            self->absolute_unit_ns = v[4];
    }
}

static void resolve_time(struct orma_te_reader *self, struct orma_test_event *ev, uint64_t raw,
                         uint32_t clock)
{
    ev->clock_id = 6;
    switch (clock) {
    case 64:
        if (!self->unit_ns)
            fail(self, "clock 64 was not defined");
        ev->ts = self->last_ns += raw * self->unit_ns;
        break;
    case 65:
        if (!self->absolute_unit_ns)
            fail(self, "clock 65 was not defined");
        ev->ts = raw * self->absolute_unit_ns;
        break;
    default:
        ev->ts = raw;
        ev->clock_id = clock;
    }
}

/* ---- events ---- */

static void read_annotation(struct orma_te_reader *self, struct orma_test_event *ev,
                            const struct orma_pb_field *msg, const char *prefix, int index)
{
    char key[128] = "";
    struct orma_pb_field f;
    double d;
    int child = 0;

    EACH_FIELD(f, msg->data, msg->len)
    {
        if (f.id == ORMA_PB_DEBUG_ANNOTATION_NAME_IID)
            snprintf(key, sizeof(key), "%s%s%s", prefix, prefix[0] ? "." : "",
                     interned(self, ORMA_PB_INTERNED_DATA_DEBUG_ANNOTATION_NAMES, f.num));
        else if (f.id == ORMA_PB_DEBUG_ANNOTATION_NAME)
            snprintf(key, sizeof(key), "%s%s%.*s", prefix, prefix[0] ? "." : "", (int)f.len,
                     (const char *)f.data);
    }
    if (!key[0])
        snprintf(key, sizeof(key), "%s[%d]", prefix, index);
    EACH_FIELD(f, msg->data, msg->len)
    {
        char *to = ev->args;
        const char *sep = to[0] ? " " : "";

        switch (f.id) {
        case ORMA_PB_DEBUG_ANNOTATION_BOOL_VALUE:
            append(to, sizeof(ev->args), "%s%s=%s", sep, key, f.num ? "true" : "false");
            break;
        case ORMA_PB_DEBUG_ANNOTATION_UINT_VALUE:
            append(to, sizeof(ev->args), "%s%s=%" PRIu64, sep, key, f.num);
            break;
        case ORMA_PB_DEBUG_ANNOTATION_INT_VALUE:
            append(to, sizeof(ev->args), "%s%s=%" PRId64, sep, key, (int64_t)f.num);
            break;
        case ORMA_PB_DEBUG_ANNOTATION_POINTER_VALUE:
            append(to, sizeof(ev->args), "%s%s=0x%" PRIx64, sep, key, f.num);
            break;
        case ORMA_PB_DEBUG_ANNOTATION_DOUBLE_VALUE:
            memcpy(&d, &f.num, sizeof(d));
            append(to, sizeof(ev->args), "%s%s=%g", sep, key, d);
            break;
        case ORMA_PB_DEBUG_ANNOTATION_STRING_VALUE:
            append(to, sizeof(ev->args), "%s%s='%.*s'", sep, key, (int)f.len, (const char *)f.data);
            break;
        case ORMA_PB_DEBUG_ANNOTATION_STRING_VALUE_IID:
            append(to, sizeof(ev->args), "%s%s=\"%s\"", sep, key,
                   interned(self, ORMA_PB_INTERNED_DATA_DEBUG_ANNOTATION_STRING_VALUES, f.num));
            break;
        case ORMA_PB_DEBUG_ANNOTATION_PROTO_TYPE_NAME:
            append(to, sizeof(ev->args), "%s%s:%.*s", sep, key, (int)f.len, (const char *)f.data);
            break;
        case ORMA_PB_DEBUG_ANNOTATION_PROTO_VALUE:
            append(to, sizeof(ev->args), "(%zu)", f.len);
            break;
        case ORMA_PB_DEBUG_ANNOTATION_DICT_ENTRIES:
        case ORMA_PB_DEBUG_ANNOTATION_ARRAY_VALUES:
            read_annotation(self, ev, &f, key, child++);
            break;
        }
    }
}

static void read_log(struct orma_te_reader *self, struct orma_test_event *ev,
                     const struct orma_pb_field *msg)
{
    struct orma_pb_field f;

    EACH_FIELD(f, msg->data, msg->len)
    {
        if (f.id == ORMA_PB_LOG_MESSAGE_BODY_IID)
            append(ev->args, sizeof(ev->args), " log='%s'",
                   interned(self, ORMA_PB_INTERNED_DATA_LOG_MESSAGE_BODY, f.num));
        else if (f.id == ORMA_PB_LOG_MESSAGE_PRIO)
            append(ev->args, sizeof(ev->args), " prio=%" PRIu64, f.num);
        else if (f.id == ORMA_PB_LOG_MESSAGE_SOURCE_LOCATION_IID)
            (void)interned(self, ORMA_PB_INTERNED_DATA_SOURCE_LOCATIONS, f.num);
    }
}

static void read_event_field(struct orma_te_reader *self, struct orma_test_event *ev,
                             const struct orma_pb_field *f)
{
    const char *text = "";
    double d;

    switch (f->id) {
    case ORMA_PB_TRACK_EVENT_TYPE:
        ev->type = (uint32_t)f->num;
        break;
    case ORMA_PB_TRACK_EVENT_TRACK_UUID:
        ev->track = f->num;
        break;
    case ORMA_PB_TRACK_EVENT_NAME_IID:
        text = interned(self, ORMA_PB_INTERNED_DATA_EVENT_NAMES, f->num);
        append(ev->name, sizeof(ev->name), "%s", text);
        break;
    case ORMA_PB_TRACK_EVENT_NAME:
        copy(ev->name, sizeof(ev->name), f);
        break;
    case ORMA_PB_TRACK_EVENT_CATEGORY_IIDS:
        text = interned(self, ORMA_PB_INTERNED_DATA_EVENT_CATEGORIES, f->num);
        append(ev->categories, sizeof(ev->categories), "%s%s", ev->categories[0] ? "," : "", text);
        break;
    case ORMA_PB_TRACK_EVENT_CATEGORIES:
        append(ev->categories, sizeof(ev->categories), "%s%.*s", ev->categories[0] ? "," : "",
               (int)f->len, (const char *)f->data);
        break;
    case ORMA_PB_TRACK_EVENT_COUNTER_VALUE:
        ev->counter = (int64_t)f->num;
        break;
    case ORMA_PB_TRACK_EVENT_DOUBLE_COUNTER_VALUE:
        memcpy(&ev->counter_double, &f->num, sizeof(d));
        break;
    case ORMA_PB_TRACK_EVENT_DEBUG_ANNOTATIONS:
        read_annotation(self, ev, f, "", 0);
        break;
    case ORMA_PB_TRACK_EVENT_FLOW_IDS:
        append(ev->args, sizeof(ev->args), " flow=%" PRIu64, f->num);
        break;
    case ORMA_PB_TRACK_EVENT_TERMINATING_FLOW_IDS:
        append(ev->args, sizeof(ev->args), " flow_end=%" PRIu64, f->num);
        break;
    case ORMA_PB_TRACK_EVENT_SOURCE_LOCATION_IID:
        text = interned(self, ORMA_PB_INTERNED_DATA_SOURCE_LOCATIONS, f->num);
        append(ev->args, sizeof(ev->args), " at=%s", text);
        break;
    case ORMA_PB_TRACK_EVENT_LOG_MESSAGE:
        read_log(self, ev, f);
        break;
    case ORMA_PB_TRACK_EVENT_CORRELATION_ID:
        append(ev->args, sizeof(ev->args), " correlation=%" PRIu64, f->num);
        break;
    case ORMA_PB_TRACK_EVENT_CORRELATION_ID_STR_IID:
        text = interned(self, ORMA_PB_INTERNED_DATA_CORRELATION_ID_STR, f->num);
        append(ev->args, sizeof(ev->args), " correlation='%s'", text);
        break;
    case ORMA_PB_TRACK_EVENT_EXTRA_COUNTER_TRACK_UUIDS:
    case ORMA_PB_TRACK_EVENT_EXTRA_DOUBLE_COUNTER_TRACK_UUIDS:
        if (!orma_te_reader_track(self, f->num))
            fail(self, "an extra counter on a track that was not described");
        break;
    case ORMA_PB_TRACK_EVENT_EXTRA_COUNTER_VALUES:
        append(ev->args, sizeof(ev->args), " extra=%" PRId64, (int64_t)f->num);
        break;
    case ORMA_PB_TRACK_EVENT_EXTRA_DOUBLE_COUNTER_VALUES:
        memcpy(&d, &f->num, sizeof(d));
        append(ev->args, sizeof(ev->args), " extra=%g", d);
        break;
    default:
        append(ev->args, sizeof(ev->args), " %" PRIu32 ":%" PRIu64 "(%zu)", f->id, f->num, f->len);
    }
}

static void read_event(struct orma_te_reader *self, const struct orma_pb_field *msg, uint64_t raw,
                       uint32_t clock, bool has_time)
{
    struct orma_test_event ev = {.track = self->default_track};
    struct orma_pb_field f;

    if (!has_time)
        fail(self, "an event without a time");
    resolve_time(self, &ev, raw, clock);
    EACH_FIELD(f, msg->data, msg->len)
    read_event_field(self, &ev, &f);
    if (!ev.type)
        fail(self, "an event without a type");
    if (ev.track && !orma_te_reader_track(self, ev.track)) /* 0 is the whole trace */
        fail(self, "an event on a track that was not described");
    orma_buf_put(&self->events, &ev, sizeof(ev));
}

/* ---- packets ---- */

static void read_defaults(struct orma_te_reader *self, const struct orma_pb_field *msg)
{
    struct orma_pb_field f, g;

    EACH_FIELD(f, msg->data, msg->len)
    {
        if (f.id == ORMA_PB_TRACE_PACKET_DEFAULTS_TIMESTAMP_CLOCK_ID)
            self->default_clock = (uint32_t)f.num;
        if (f.id != ORMA_PB_TRACE_PACKET_DEFAULTS_TRACK_EVENT_DEFAULTS)
            continue;
        EACH_FIELD(g, f.data, f.len)
        {
            if (g.id == ORMA_PB_TRACK_EVENT_DEFAULTS_TRACK_UUID)
                self->default_track = g.num;
        }
    }
}

static void clear_state(struct orma_te_reader *self)
{
    self->generations++;
    self->valid = true;
    self->unit_ns = self->absolute_unit_ns = 0;
    self->default_clock = 6;
    self->default_track = 0;
    orma_buf_clear(&self->interned);
}

void orma_te_reader_add(struct orma_te_reader *self, struct orma_str packet)
{
    struct orma_pb_field f, event = {0}, track = {0}, interned_data = {0}, clocks = {0},
                            defaults = {0};
    uint64_t flags = 0, raw = 0, clock = 0;
    bool dropped = false, has_time = false;

    EACH_FIELD(f, packet.data, packet.len)
    {
        switch (f.id) {
        case ORMA_PB_TRACE_PACKET_TIMESTAMP:
            raw = f.num;
            has_time = true;
            break;
        case ORMA_PB_TRACE_PACKET_TIMESTAMP_CLOCK_ID:
            clock = f.num;
            break;
        case ORMA_PB_TRACE_PACKET_SEQUENCE_FLAGS:
            flags = f.num;
            break;
        case ORMA_PB_TRACE_PACKET_PREVIOUS_PACKET_DROPPED:
            dropped = true;
            break;
        case ORMA_PB_TRACE_PACKET_TRACE_PACKET_DEFAULTS:
            defaults = f;
            break;
        case ORMA_PB_TRACE_PACKET_INTERNED_DATA:
            interned_data = f;
            break;
        case ORMA_PB_TRACE_PACKET_CLOCK_SNAPSHOT:
            clocks = f;
            break;
        case ORMA_PB_TRACE_PACKET_TRACK_DESCRIPTOR:
            track = f;
            break;
        case ORMA_PB_TRACE_PACKET_TRACK_EVENT:
            event = f;
            break;
        }
    }
    self->losses += dropped;
    if (flags & ORMA_PB_TRACE_PACKET_SEQ_INCREMENTAL_STATE_CLEARED)
        clear_state(self);
    else if (dropped)
        self->valid = false;
    if (flags & ORMA_PB_TRACE_PACKET_SEQ_NEEDS_INCREMENTAL_STATE && !self->valid) {
        fail(self, "a packet that needs a state, and there is none");
        return;
    }
    if (defaults.data)
        read_defaults(self, &defaults);
    if (interned_data.data)
        read_interned(self, &interned_data);
    if (clocks.data)
        read_clocks(self, &clocks);
    else if (track.data)
        read_track(self, &track);
    else if (event.data)
        read_event(self, &event, raw, clock ? (uint32_t)clock : self->default_clock, has_time);
}
