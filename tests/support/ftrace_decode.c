#include "tests/support/ftrace_decode.h"

#include <stdlib.h>
#include <string.h>

#include "protos/fields/ftrace.h"
#include "protos/fields/interned_data.h"
#include "protos/fields/trace.h"
#include "protos/tables/ftrace_events.h"
#include "sdk/base/hash.h"
#include "sdk/wire/pb_reader.h"

#define DESCRIPTORS_MAX 4096
#define GENERIC_FIELDS_MAX 200

struct generic_field {
    char name[64];
    uint32_t type;
};

struct descriptor {
    uint32_t id;
    char name[128], group[128];
    struct generic_field fields[GENERIC_FIELDS_MAX];
};

struct decoder {
    struct ft_bundle out;
    struct descriptor *descriptors;
    unsigned descriptors_num, descriptors_cap;
    void (*fn)(void *ctx, const struct ft_event *ev);
    void *ctx;
};

/* Names outlive the decoder: one copy of each, for the life of the test. */
static const char *keep(const char *text)
{
    static struct orma_map names;
    uint64_t hash = orma_hash_bytes(text, strlen(text));
    const char *copy = orma_map_get_ptr(&names, hash);

    if (!copy) {
        copy = strdup(text);
        (void)orma_map_put_ptr(&names, hash, copy);
    }
    return copy;
}

static void copy_text(char *to, size_t size, struct orma_str text)
{
    size_t len = text.len < size - 1 ? text.len : size - 1;

    if (len)
        memcpy(to, text.data, len);
    to[len] = '\0';
}

static void read_field_descriptor(struct descriptor *d, struct orma_pb_reader r)
{
    struct generic_field field = {.name = ""};
    struct orma_pb_field f;
    uint32_t number = 0;

    while (orma_pb_next(&r, &f)) {
        if (f.id == 1)
            copy_text(field.name, sizeof(field.name), orma_pb_str(&f));
        else if (f.id == 3)
            number = orma_pb_u32(&f);
        else if (f.id == 5)
            field.type = orma_pb_u32(&f);
    }
    if (number && number < GENERIC_FIELDS_MAX)
        d->fields[number] = field;
}

/* Room for one more: most packets have few or none. */
static bool grow(struct decoder *self)
{
    unsigned cap = self->descriptors_cap ? 2 * self->descriptors_cap : 8;
    struct descriptor *descriptors;

    if (self->descriptors_num < self->descriptors_cap)
        return true;
    descriptors = realloc(self->descriptors, cap * sizeof(*descriptors));
    if (!descriptors)
        return false;
    self->descriptors = descriptors;
    self->descriptors_cap = cap;
    return true;
}

static void read_descriptor(struct decoder *self, struct orma_pb_reader r)
{
    struct orma_pb_field f, g;

    if (self->descriptors_num == DESCRIPTORS_MAX || !grow(self))
        return;
    struct descriptor *d = &self->descriptors[self->descriptors_num];
    memset(d, 0, sizeof(*d));
    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_FTRACE_EVENT_BUNDLE_GENERIC_EVENT_DESCRIPTOR_FIELD_ID) {
            d->id = orma_pb_u32(&f);
        } else if (f.id == ORMA_PB_FTRACE_EVENT_BUNDLE_GENERIC_EVENT_DESCRIPTOR_GROUP_NAME) {
            copy_text(d->group, sizeof(d->group), orma_pb_str(&f));
        } else if (f.id == ORMA_PB_FTRACE_EVENT_BUNDLE_GENERIC_EVENT_DESCRIPTOR_EVENT_DESCRIPTOR) {
            struct orma_pb_reader sub = orma_pb_sub(&f);

            while (orma_pb_next(&sub, &g)) {
                if (g.id == 1)
                    copy_text(d->name, sizeof(d->name), orma_pb_str(&g));
                else if (g.id == 2)
                    read_field_descriptor(d, orma_pb_sub(&g));
            }
        }
    }
    self->descriptors_num++;
    self->out.descriptors++;
}

static void add(struct ft_event *ev, const char *name, enum ft_type type,
                const struct orma_pb_field *f)
{
    if (ev->fields_num == FT_FIELDS_MAX)
        return;
    ev->fields[ev->fields_num++] = (struct ft_field){name, type, orma_pb_u64(f), orma_pb_str(f)};
}

static enum ft_type type_of(enum orma_pb_type type)
{
    switch (type) {
    case ORMA_PB_TYPE_STRING:
        return FT_TEXT;
    case ORMA_PB_TYPE_BYTES:
    case ORMA_PB_TYPE_MESSAGE:
        return FT_BYTES;
    case ORMA_PB_TYPE_INT32:
    case ORMA_PB_TYPE_INT64:
        return FT_INT;
    default:
        return FT_UINT;
    }
}

static void read_known(struct ft_event *ev, const struct orma_ftrace_message *m,
                       struct orma_pb_reader r, struct decoder *self)
{
    struct orma_pb_field f;

    ev->name = orma_ftrace_name(m->name);
    while (orma_pb_next(&r, &f)) {
        for (unsigned i = 0; i < m->fields_num; i++) {
            const struct orma_ftrace_field *def = orma_ftrace_message_field(m, i);

            if (def->number == f.id)
                add(ev, orma_ftrace_name(def->name), type_of(def->type), &f);
        }
    }
    self->out.malformed |= r.failed;
}

static void read_generic(struct ft_event *ev, struct orma_pb_reader r, struct decoder *self)
{
    struct orma_pb_field f;

    ev->is_generic = true;
    ev->name = "?";
    for (unsigned i = 0; i < self->descriptors_num; i++) {
        const struct descriptor *d = &self->descriptors[i];

        if (d->id != ev->field_id)
            continue;
        ev->name = keep(d->name);
        ev->group = keep(d->group);
        while (orma_pb_next(&r, &f)) {
            const struct generic_field *g;

            if (f.id >= GENERIC_FIELDS_MAX)
                continue;
            g = &d->fields[f.id];
            add(ev, keep(g->name),
                g->type == 9    ? FT_TEXT
                : g->type == 12 ? FT_BYTES
                : g->type == 3  ? FT_INT
                                : FT_UINT,
                &f);
        }
        self->out.malformed |= r.failed;
        return;
    }
}

static void read_event(struct decoder *self, struct orma_pb_reader r)
{
    static struct ft_event ev; /* large */
    struct orma_pb_field f;

    memset(&ev, 0, offsetof(struct ft_event, fields));
    ev.cpu = self->out.cpu;
    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_FTRACE_EVENT_TIMESTAMP) {
            ev.ts = orma_pb_u64(&f);
        } else if (f.id == ORMA_PB_FTRACE_EVENT_PID) {
            ev.pid = orma_pb_u32(&f);
        } else if (f.wire == ORMA_PB_LEN) {
            const struct orma_ftrace_message *m = orma_ftrace_message_find(f.id);

            ev.field_id = f.id;
            if (m)
                read_known(&ev, m, orma_pb_sub(&f), self);
            else
                read_generic(&ev, orma_pb_sub(&f), self);
        }
    }
    self->out.malformed |= r.failed;
    self->out.events++;
    if (self->fn)
        self->fn(self->ctx, &ev);
}

#define COMPACT_MAX 8192

struct column {
    unsigned num;
    uint64_t vals[COMPACT_MAX];
};

static void put_compact(struct decoder *self, const char *name, const char *const *names,
                        const enum ft_type *types, const struct column *columns, unsigned num,
                        const struct orma_str *comms, unsigned comms_num)
{
    static struct ft_event ev;
    uint64_t ts = 0;

    for (unsigned i = 0; i < columns[0].num; i++) {
        memset(&ev, 0, offsetof(struct ft_event, fields));
        ts += columns[0].vals[i];
        ev.cpu = self->out.cpu;
        ev.ts = ts;
        ev.is_compact = true;
        ev.name = name;
        for (unsigned c = 1; c < num; c++) {
            struct ft_field *f = &ev.fields[ev.fields_num++];

            if (columns[c].num != columns[0].num)
                self->out.malformed = true;
            *f = (struct ft_field){names[c], types[c], columns[c].vals[i], {NULL, 0}};
            if (types[c] != FT_TEXT)
                continue;
            if (f->num >= comms_num)
                self->out.malformed = true;
            else
                f->text = comms[f->num];
        }
        if (self->fn)
            self->fn(self->ctx, &ev);
    }
}

static void read_compact(struct decoder *self, struct orma_pb_reader r)
{
    static const char *const switch_names[] = {"ts", "prev_state", "next_pid", "next_prio",
                                               "next_comm"};
    static const enum ft_type switch_types[] = {FT_UINT, FT_INT, FT_INT, FT_INT, FT_TEXT};
    static const char *const waking_names[] = {"ts",   "pid",  "target_cpu",
                                               "prio", "comm", "common_flags"};
    static const enum ft_type waking_types[] = {FT_UINT, FT_INT, FT_INT, FT_INT, FT_TEXT, FT_UINT};
    static struct column columns[13];
    struct orma_str comms[256];
    unsigned comms_num = 0;
    struct orma_pb_field f;

    for (unsigned i = 0; i < 13; i++)
        columns[i].num = 0;
    while (orma_pb_next(&r, &f)) {
        struct orma_pb_reader packed = {0};
        uint64_t val;

        if (f.id == ORMA_PB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED_INTERN_TABLE) {
            if (comms_num < 256)
                comms[comms_num++] = orma_pb_str(&f);
            continue;
        }
        if (f.id >= 13)
            continue;
        for (orma_pb_numbers(&f, &packed); orma_pb_number(&f, &packed, &val);) {
            if (columns[f.id].num < COMPACT_MAX)
                columns[f.id].vals[columns[f.id].num++] = val;
        }
    }
    self->out.malformed |= r.failed;
    self->out.comms = comms_num;
    self->out.compact_switches += columns[1].num;
    self->out.compact_wakings += columns[7].num;
    /* 1..4 and 6 belong to switches: bring them in a row. */
    columns[5] = columns[6];
    put_compact(self, "sched_switch", switch_names, switch_types, &columns[1], 5, comms, comms_num);
    put_compact(self, "sched_waking", waking_names, waking_types, &columns[7], 6, comms, comms_num);
}

static void read_error(struct decoder *self, struct orma_pb_reader r)
{
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_FTRACE_EVENT_BUNDLE_FTRACE_ERROR_STATUS)
            self->out.last_error = orma_pb_i32(&f);
    }
    self->out.errors_num++;
}

static void read_head(struct decoder *self, struct orma_pb_reader r)
{
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        switch (f.id) {
        case ORMA_PB_FTRACE_EVENT_BUNDLE_CPU:
            self->out.cpu = orma_pb_u32(&f);
            break;
        case ORMA_PB_FTRACE_EVENT_BUNDLE_LOST_EVENTS:
            self->out.lost = orma_pb_bool(&f);
            break;
        case ORMA_PB_FTRACE_EVENT_BUNDLE_PREVIOUS_BUNDLE_END_TIMESTAMP:
            self->out.previous_end_ts = orma_pb_u64(&f);
            break;
        case ORMA_PB_FTRACE_EVENT_BUNDLE_FTRACE_CLOCK:
            self->out.clock = orma_pb_u32(&f);
            break;
        case ORMA_PB_FTRACE_EVENT_BUNDLE_FTRACE_TIMESTAMP:
            self->out.ftrace_ts = orma_pb_u64(&f);
            break;
        case ORMA_PB_FTRACE_EVENT_BUNDLE_BOOT_TIMESTAMP:
            self->out.boot_ts = orma_pb_u64(&f);
            break;
        case ORMA_PB_FTRACE_EVENT_BUNDLE_GENERIC_EVENT_DESCRIPTORS:
            read_descriptor(self, orma_pb_sub(&f));
            break;
        case ORMA_PB_FTRACE_EVENT_BUNDLE_ERROR:
            read_error(self, orma_pb_sub(&f));
            break;
        }
    }
    self->out.malformed |= r.failed;
}

static void read_bundle(struct decoder *self, struct orma_pb_reader r)
{
    struct orma_pb_field f;

    self->out.is_bundle = true;
    read_head(self, r); /* descriptors may stand behind their events */
    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_FTRACE_EVENT_BUNDLE_EVENT)
            read_event(self, orma_pb_sub(&f));
        else if (f.id == ORMA_PB_FTRACE_EVENT_BUNDLE_COMPACT_SCHED)
            read_compact(self, orma_pb_sub(&f));
    }
}

static void read_symbols(struct ft_symbols *symbols, struct orma_pb_reader r)
{
    struct orma_pb_field f, g;

    while (orma_pb_next(&r, &f)) {
        struct orma_pb_reader sub = orma_pb_sub(&f);
        struct orma_str name = {NULL, 0};
        uint64_t iid = 0;

        if (f.id != ORMA_PB_INTERNED_DATA_KERNEL_SYMBOLS)
            continue;
        while (orma_pb_next(&sub, &g)) {
            if (g.id == 1)
                iid = orma_pb_u64(&g);
            else if (g.id == 2)
                name = orma_pb_str(&g);
        }
        free(orma_map_get_ptr(&symbols->names, iid));
        (void)orma_map_put_ptr(&symbols->names, iid, orma_str_dup(name)); /* a test fails later */
    }
}

void ft_symbols_fini(struct ft_symbols *self)
{
    ORMA_MAP_EACH (slot, &self->names)
        free((void *)(uintptr_t)slot->val);
    orma_map_fini(&self->names);
}

struct ft_bundle ft_decode(const void *packet, size_t len, struct ft_symbols *symbols,
                           void (*fn)(void *ctx, const struct ft_event *ev), void *ctx)
{
    struct decoder self = {.fn = fn, .ctx = ctx};
    struct orma_pb_reader r = orma_pb_reader(packet, len), again = r;
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_TRACE_PACKET_SEQUENCE_FLAGS)
            self.out.sequence_flags = orma_pb_u32(&f);
        if (f.id == ORMA_PB_TRACE_PACKET_INTERNED_DATA && symbols)
            read_symbols(symbols, orma_pb_sub(&f));
    }
    self.out.malformed |= r.failed;
    while (orma_pb_next(&again, &f)) {
        if (f.id == ORMA_PB_TRACE_PACKET_FTRACE_EVENTS)
            read_bundle(&self, orma_pb_sub(&f));
    }
    free(self.descriptors);
    return self.out;
}

const struct ft_field *ft_find(const struct ft_event *ev, const char *name)
{
    for (unsigned i = 0; i < ev->fields_num; i++) {
        if (!strcmp(ev->fields[i].name, name))
            return &ev->fields[i];
    }
    return NULL;
}
