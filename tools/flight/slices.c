#include "tools/flight/slices.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "protos/fields/common.h"
#include "protos/fields/interned_data.h"
#include "protos/fields/trace.h"
#include "protos/fields/track_event.h"
#include "sdk/base/clock.h"
#include "sdk/base/str.h"
#include "sdk/wire/pb_reader.h"

#define TRACKS_MAX 65536u
#define SEQS_MAX 32768u
#define NAMES_MAX 65536u
#define DEPTH_MAX 512u
/* Of all programs. */
#define OPEN_ALL_MAX ((size_t)1 << 20)
#define NAMES_ALL_MAX ((size_t)1 << 20)
#define NAME_BYTES_MAX 256
#define CLOCK_SEQ_FIRST 64
#define CLOCK_SEQ_NUM 64
#define OWN_TRACK (UINT64_C(1) << 63) /* of a sequence that names none */

struct seq_clock {
    uint64_t unit_ns, value; /* unit 0: unknown; value: of the last packet, if it is incremental */
    int64_t to_boot;
    bool incremental;
};

struct seq {
    uint32_t id, default_clock;
    uint32_t losses; /* times that packets of it were lost */
    uint64_t default_track;
    struct orma_map names; /* iid → rules that its text meets */
    struct seq_clock clocks[CLOCK_SEQ_NUM];
};

struct open_slice {
    uint64_t boot;
    uint16_t rules;
};

struct track {
    uint32_t seq, losses; /* of that sequence, when its slices began */
    uint32_t num, cap;
    struct open_slice *open;
};

/* ---- memory ---- */

static void free_seqs(struct orma_flight_slices *self)
{
    ORMA_MAP_EACH (slot, &self->seqs) {
        struct seq *s = (struct seq *)(uintptr_t)slot->val;

        orma_map_fini(&s->names);
        free(s);
    }
    self->names = 0;
    orma_map_clear(&self->seqs);
}

static void free_tracks(struct orma_flight_slices *self)
{
    ORMA_MAP_EACH (slot, &self->tracks) {
        struct track *t = (struct track *)(uintptr_t)slot->val;

        free(t->open);
        free(t);
    }
    self->given_up += self->open;
    self->open = 0;
    orma_map_clear(&self->tracks);
}

void orma_flight_slices_fini(struct orma_flight_slices *self)
{
    free_seqs(self);
    free_tracks(self);
    orma_map_fini(&self->seqs);
    orma_map_fini(&self->tracks);
}

static struct seq *seq_of(struct orma_flight_slices *self, uint32_t id)
{
    struct seq *s = orma_map_get_ptr(&self->seqs, id);

    if (s)
        return s;
    if (self->seqs.len >= SEQS_MAX) {
        self->names_given_up += self->names;
        free_seqs(self); /* those that go on introduce themselves again */
    }
    s = calloc(1, sizeof(*s));
    if (!s || orma_map_put_ptr(&self->seqs, id, s) < 0) {
        free(s);
        return NULL;
    }
    s->id = id;
    return s;
}

static struct track *track_of(struct orma_flight_slices *self, uint64_t key)
{
    struct track *t = orma_map_get_ptr(&self->tracks, key);

    if (t)
        return t;
    if (self->tracks.len >= TRACKS_MAX)
        free_tracks(self);
    t = calloc(1, sizeof(*t));
    if (!t || orma_map_put_ptr(&self->tracks, key, t) < 0) {
        free(t);
        return NULL;
    }
    return t;
}

/* Of a track whose packets were lost since its slices began nothing is known. It is looked at when
 * it is used: a walk over all tracks for each such packet could take for ever. */
static void forget_unknown(struct orma_flight_slices *self, struct track *t)
{
    const struct seq *s = t->num ? orma_map_get_ptr(&self->seqs, t->seq) : NULL;

    if (!s || s->losses == t->losses)
        return;
    self->forgotten += t->num;
    self->open -= t->num;
    t->num = 0;
}

static void forget_names(struct orma_flight_slices *self, struct seq *s)
{
    self->names -= s->names.len;
    orma_map_fini(&s->names); /* its room as well, of which there may be much */
}

static void give_up_names(struct orma_flight_slices *self)
{
    self->names_given_up += self->names;
    ORMA_MAP_EACH (slot, &self->seqs)
        orma_map_fini(&((struct seq *)(uintptr_t)slot->val)->names);
    self->names = 0;
}

/* ---- state of a sequence ---- */

static uint16_t rules_of(const struct orma_flight_slices *self, struct orma_str name)
{
    char text[NAME_BYTES_MAX];
    uint16_t ret = 0;

    snprintf(text, sizeof(text), "%.*s", ORMA_STR_ARG(name));
    for (unsigned i = 0; i < ORMA_FLIGHT_CONDITIONS_MAX; i++) {
        if (self->rules[i].name && fnmatch(self->rules[i].name, text, 0) == 0)
            ret |= (uint16_t)(1u << i);
    }
    return ret;
}

static void take_names(struct orma_flight_slices *self, struct seq *s, struct orma_pb_reader data)
{
    struct orma_pb_field f, n;

    while (orma_pb_next(&data, &f)) {
        struct orma_pb_reader name = orma_pb_sub(&f);
        struct orma_str text = {0};
        uint64_t iid = 0;

        if (f.id != ORMA_PB_INTERNED_DATA_EVENT_NAMES)
            continue;
        while (orma_pb_next(&name, &n)) {
            if (n.id == ORMA_PB_EVENT_NAME_IID)
                iid = orma_pb_u64(&n);
            else if (n.id == ORMA_PB_EVENT_NAME_NAME)
                text = orma_pb_str(&n);
        }
        if (s->names.len >= NAMES_MAX) {
            self->names_given_up += s->names.len;
            forget_names(self, s);
        }
        if (self->names >= NAMES_ALL_MAX)
            give_up_names(self);
        size_t before = s->names.len;
        (void)orma_map_put(&s->names, iid, rules_of(self, text)); /* else it is not looked for */
        self->names += s->names.len - before;
    }
}

static void take_defaults(struct seq *s, struct orma_pb_reader defaults)
{
    struct orma_pb_field f, d;

    while (orma_pb_next(&defaults, &f)) {
        if (f.id == ORMA_PB_TRACE_PACKET_DEFAULTS_TIMESTAMP_CLOCK_ID)
            s->default_clock = orma_pb_u32(&f);
        if (f.id != ORMA_PB_TRACE_PACKET_DEFAULTS_TRACK_EVENT_DEFAULTS)
            continue;
        for (struct orma_pb_reader event = orma_pb_sub(&f); orma_pb_next(&event, &d);) {
            if (d.id == ORMA_PB_TRACK_EVENT_DEFAULTS_TRACK_UUID)
                s->default_track = orma_pb_u64(&d);
        }
    }
}

static bool read_clock(struct orma_pb_reader clock, uint32_t *id, struct seq_clock *ret)
{
    struct orma_pb_field f;

    *ret = (struct seq_clock){.unit_ns = 1};
    *id = 0;
    while (orma_pb_next(&clock, &f)) {
        switch (f.id) {
        case ORMA_PB_CLOCK_SNAPSHOT_CLOCK_CLOCK_ID:
            *id = orma_pb_u32(&f);
            break;
        case ORMA_PB_CLOCK_SNAPSHOT_CLOCK_TIMESTAMP:
            ret->value = orma_pb_u64(&f);
            break;
        case ORMA_PB_CLOCK_SNAPSHOT_CLOCK_IS_INCREMENTAL:
            ret->incremental = orma_pb_bool(&f);
            break;
        case ORMA_PB_CLOCK_SNAPSHOT_CLOCK_UNIT_MULTIPLIER_NS:
            ret->unit_ns = ORMA_MAX(orma_pb_u64(&f), UINT64_C(1));
            break;
        }
    }
    ret->value *= ret->unit_ns;
    return *id != 0;
}

/* The clocks of the sequence, beside BOOTTIME at the same moment. */
static void take_clocks(struct seq *s, struct orma_pb_reader snapshot)
{
    struct orma_pb_reader again = snapshot;
    struct seq_clock c;
    struct orma_pb_field f;
    uint64_t boot = 0;
    uint32_t id;

    while (orma_pb_next(&snapshot, &f)) {
        if (f.id == ORMA_PB_CLOCK_SNAPSHOT_CLOCKS && read_clock(orma_pb_sub(&f), &id, &c) &&
            id == ORMA_PB_BUILTIN_CLOCK_BOOTTIME)
            boot = c.value;
    }
    while (orma_pb_next(&again, &f)) {
        if (f.id != ORMA_PB_CLOCK_SNAPSHOT_CLOCKS || !read_clock(orma_pb_sub(&f), &id, &c) ||
            id < CLOCK_SEQ_FIRST || id >= CLOCK_SEQ_FIRST + CLOCK_SEQ_NUM)
            continue;
        c.to_boot = boot ? (int64_t)(boot - c.value) : 0;
        s->clocks[id - CLOCK_SEQ_FIRST] = c;
    }
}

/* BOOTTIME of a packet; false: its clock is unknown. Sums of incremental clocks move on. */
static bool time_of(struct seq *s, uint32_t clock, uint64_t ts, uint64_t *ret)
{
    if (!clock)
        clock = s->default_clock;
    if (clock < CLOCK_SEQ_FIRST || clock >= CLOCK_SEQ_FIRST + CLOCK_SEQ_NUM) {
        *ret = clock == ORMA_PB_BUILTIN_CLOCK_MONOTONIC
                   ? ts + (orma_clock_boottime() - orma_clock_monotonic())
                   : ts;
        return true;
    }
    struct seq_clock *c = &s->clocks[clock - CLOCK_SEQ_FIRST];
    if (!c->unit_ns)
        return false;
    uint64_t value = ts * c->unit_ns;
    if (c->incremental)
        value = c->value += value;
    *ret = value + (uint64_t)c->to_boot;
    return true;
}

/* ---- events ---- */

static void begin_slice(struct orma_flight_slices *self, struct track *t, uint64_t boot,
                        uint16_t rules)
{
    if (t->num == t->cap) {
        uint32_t cap = t->cap ? 2 * t->cap : 8;
        struct open_slice *open =
            t->cap < DEPTH_MAX ? realloc(t->open, cap * sizeof(*t->open)) : NULL;

        if (!open) {
            self->given_up += t->num;
            self->open -= t->num;
            t->num = 0; /* no program nests so deep; ends of what is forgotten find nothing */
            return;
        }
        t->open = open;
        t->cap = cap;
    }
    t->open[t->num++] = (struct open_slice){.boot = boot, .rules = rules};
    self->open++;
}

static void tell(struct orma_flight_slices *self, struct open_slice *slice, uint64_t now,
                 bool ended)
{
    if (now < slice->boot)
        return; /* a clock that jumped */
    for (unsigned i = 0; slice->rules >> i; i++) {
        uint64_t longer = self->rules[i].longer_ns;

        if (!(slice->rules >> i & 1) || now - slice->boot <= longer)
            continue;
        slice->rules &= (uint16_t) ~(1u << i);
        self->told(self->ctx, i, ended ? now : slice->boot + longer, now - slice->boot);
    }
}

struct event {
    uint32_t type;
    uint64_t iid, track;
    struct orma_str name;
    bool has_track, has_name;
};

static struct event read_event(struct orma_pb_reader r)
{
    struct event ret = {0};
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        switch (f.id) {
        case ORMA_PB_TRACK_EVENT_TYPE:
            ret.type = orma_pb_u32(&f);
            break;
        case ORMA_PB_TRACK_EVENT_NAME_IID:
            ret.iid = orma_pb_u64(&f);
            break;
        case ORMA_PB_TRACK_EVENT_TRACK_UUID:
            ret.track = orma_pb_u64(&f);
            ret.has_track = true;
            break;
        case ORMA_PB_TRACK_EVENT_NAME:
            ret.name = orma_pb_str(&f);
            ret.has_name = true;
            break;
        }
    }
    return ret;
}

static void take_event(struct orma_flight_slices *self, struct seq *s, struct orma_pb_reader bytes,
                       uint64_t boot)
{
    struct event e = read_event(bytes);
    uint64_t key = e.has_track ? e.track : s->default_track;

    self->events++;
    if (e.type != ORMA_PB_TRACK_EVENT_TYPE_SLICE_BEGIN &&
        e.type != ORMA_PB_TRACK_EVENT_TYPE_SLICE_END)
        return;
    if (self->open >= OPEN_ALL_MAX)
        free_tracks(self);
    struct track *t = track_of(self, key ? key : OWN_TRACK | s->id);
    if (!t)
        return;
    forget_unknown(self, t);
    t->seq = s->id;
    t->losses = s->losses;
    if (e.type == ORMA_PB_TRACK_EVENT_TYPE_SLICE_BEGIN) {
        uint64_t known = e.has_name ? rules_of(self, e.name) : orma_map_get(&s->names, e.iid);

        begin_slice(self, t, boot, known == ORMA_MAP_NONE ? 0 : (uint16_t)known);
    } else if (t->num) {
        struct open_slice *slice = &t->open[--t->num];

        self->open--;
        if (slice->rules)
            tell(self, slice, boot, true);
    }
}

void orma_flight_slices_take(struct orma_flight_slices *self, const uint8_t *packet, size_t len)
{
    struct orma_pb_reader r = orma_pb_reader(packet, len);
    struct orma_pb_field f;
    struct orma_str event = {0}, names = {0}, clocks = {0}, defaults = {0};
    uint32_t id = 0, flags = 0, clock = 0, lost = 0;
    uint64_t ts = 0, boot;

    while (orma_pb_next(&r, &f)) {
        switch (f.id) {
        case ORMA_PB_TRACE_PACKET_TIMESTAMP:
            ts = orma_pb_u64(&f);
            break;
        case ORMA_PB_TRACE_PACKET_TIMESTAMP_CLOCK_ID:
            clock = orma_pb_u32(&f);
            break;
        case ORMA_PB_TRACE_PACKET_TRUSTED_PACKET_SEQUENCE_ID:
            id = orma_pb_u32(&f);
            break;
        case ORMA_PB_TRACE_PACKET_SEQUENCE_FLAGS:
            flags = orma_pb_u32(&f);
            break;
        case ORMA_PB_TRACE_PACKET_PREVIOUS_PACKET_DROPPED:
            lost = orma_pb_u32(&f);
            break;
        case ORMA_PB_TRACE_PACKET_TRACK_EVENT:
            event = orma_pb_str(&f);
            break;
        case ORMA_PB_TRACE_PACKET_INTERNED_DATA:
            names = orma_pb_str(&f);
            break;
        case ORMA_PB_TRACE_PACKET_CLOCK_SNAPSHOT:
            clocks = orma_pb_str(&f);
            break;
        case ORMA_PB_TRACE_PACKET_TRACE_PACKET_DEFAULTS:
            defaults = orma_pb_str(&f);
            break;
        }
    }
    struct seq *s = r.failed || !id ? NULL : seq_of(self, id);
    if (!s)
        return;
    s->losses += lost != 0;
    if (flags & ORMA_PB_TRACE_PACKET_SEQ_INCREMENTAL_STATE_CLEARED)
        forget_names(self, s);
    if (clocks.len)
        take_clocks(s, orma_pb_reader(clocks.data, clocks.len));
    if (defaults.len)
        take_defaults(s, orma_pb_reader(defaults.data, defaults.len));
    if (names.len)
        take_names(self, s, orma_pb_reader(names.data, names.len));
    if (time_of(s, clock, ts, &boot) && event.len)
        take_event(self, s, orma_pb_reader(event.data, event.len), boot);
}

void orma_flight_slices_look(struct orma_flight_slices *self, uint64_t until)
{
    ORMA_MAP_EACH (slot, &self->tracks) {
        struct track *t = (struct track *)(uintptr_t)slot->val;

        forget_unknown(self, t);
        for (uint32_t i = 0; i < t->num; i++) {
            if (t->open[i].rules)
                tell(self, &t->open[i], until, false);
        }
    }
}
