/*
 * Files of streams to packets to events. Files of one stream lie behind each other by the number
 * or the time of their first packet. Times of packets are no bounds: older tracers wrote events
 * outside of them.
 */
#include "processor/import/formats/ctf.h"

#include <stdlib.h>

#include "processor/model/sched.h"
#include "sdk/base/wide.h"

#define MAGIC 0xc1fc1fc1
#define INDEX_MAGIC "\xc1\xf1\xdc\xc1"
/* A field takes a bit at least, but for those that hold others. */
#define WORK_MIN UINT64_C(2000000)
#define WORK_OF_BYTE 64
/* Slots that are cleared or copied, per node. */
#define SLOTS_OF_NODE 32

/* A file of the folder, by its first packet. */
struct stream_file {
    struct orma_str name, bytes;
    uint32_t class;
    uint64_t instance, order;
    bool has_instance;
};

struct stream {
    const struct stream_file *file;
    uint64_t clock;
    uint64_t discarded, number; /* of the packet before */
    bool has_discarded, has_number;
};

struct packet {
    uint64_t packet_bits, content_bits; /* with its header */
    uint32_t class;
};

/* ---- times ---- */

bool orma_ctf_time(const struct orma_ctf *self, const struct orma_ctf_stream_class *c,
                   uint64_t value, int64_t *ret)
{
    struct orma_wide ns = {0, value};

    if (c->clock_idx != ORMA_CTF_NOTHING) {
        const struct orma_ctf_clock *clock = &self->clocks.data[c->clock_idx];

        ns = orma_wide_add(ns, orma_wide_of(clock->offset));
        if (clock->freq != 1000000000)
            ns = orma_wide_div(orma_wide_times(ns, 1000000000), clock->freq);
        ns = orma_wide_add(ns, orma_wide_mul_signed(clock->offset_s, 1000000000));
    }
    ns = orma_wide_add(ns, orma_wide_neg(orma_wide_of(self->base_ns)));
    *ret = (int64_t)ns.low;
    return orma_wide_fits(ns) && *ret >= 0;
}

/* ---- headers ---- */

static bool find_class(const struct orma_ctf *self, const struct orma_ctf_decoder *d, uint32_t *ret)
{
    if (!orma_ctf_has_role(d, ORMA_CTF_STREAM_CLASS)) {
        *ret = 0;
        return self->classes.len == 1;
    }
    for (uint32_t i = 0; i < self->classes.len; i++)
        if (self->classes.data[i].id == d->roles[ORMA_CTF_STREAM_CLASS]) {
            *ret = i;
            return true;
        }
    return false;
}

/* NULL, or why there is no packet. */
static const char *read_head(struct orma_ctf *self, const uint8_t *at, size_t len, uint64_t clock,
                             struct packet *ret)
{
    struct orma_ctf_decoder *d = &self->decoder;
    uint32_t class = 0;

    for (unsigned i = 0; i < 2; i++) { /* which class it is of is in its header */
        d->data = at;
        d->pos = 0;
        d->end = (uint64_t)len * 8;
        d->failed = false;
        d->last_order = 0;
        d->seen = 0;
        d->put = NULL;
        d->clock = clock;
        orma_ctf_decode(d, self->classes.data[class].packet_header);
        if (d->failed)
            return "a packet that is cut in its header";
        if (orma_ctf_has_role(d, ORMA_CTF_MAGIC) && d->roles[ORMA_CTF_MAGIC] != MAGIC)
            return "a packet that does not begin as such";
        if (!find_class(self, d, &ret->class))
            return "a packet of a stream that the metadata does not describe";
        if (ret->class == class)
            break;
        class = ret->class;
    }
    orma_ctf_decode(d, self->classes.data[class].packet_context);
    if (d->failed)
        return "a packet that is cut in its context";
    const bool has_packet = orma_ctf_has_role(d, ORMA_CTF_PACKET_BITS),
               has_content = orma_ctf_has_role(d, ORMA_CTF_CONTENT_BITS);
    ret->packet_bits = has_packet    ? d->roles[ORMA_CTF_PACKET_BITS]
                       : has_content ? d->roles[ORMA_CTF_CONTENT_BITS]
                                     : (uint64_t)len * 8;
    ret->content_bits = has_content ? d->roles[ORMA_CTF_CONTENT_BITS] : ret->packet_bits;
    if (!ret->packet_bits || ret->packet_bits % 8 || ret->content_bits > ret->packet_bits ||
        ret->content_bits < d->pos)
        return "a packet of an impossible size";
    return NULL;
}

/* ---- losses ---- */

static void tell_gap(struct orma_ctf *self, const struct orma_ctf_packet *p,
                     const struct orma_ctf_stream_class *c, uint64_t clock)
{
    struct orma_file *file = self->file;
    struct orma_model_gap gap = {.of_cpu = p->cpu >= 0, .cpu = p->cpu >= 0 ? (uint32_t)p->cpu : 0};
    int64_t ns;

    if (orma_ctf_time(self, c, clock, &ns) && orma_file_relate(file, self->clock_kind, ns, &gap.ts))
        orma_model_add_gap(file->imp->model, file->machine, &gap);
}

/* What the tracer counted since the packet before. */
static void note_losses(struct orma_ctf *self, struct stream *s, const struct orma_ctf_packet *p)
{
    const struct orma_ctf_decoder *d = &self->decoder;
    const struct orma_ctf_stream_class *c = &self->classes.data[p->class];
    const uint64_t end =
        orma_ctf_has_role(d, ORMA_CTF_END_TIME) && d->roles[ORMA_CTF_END_TIME] > d->clock
            ? d->roles[ORMA_CTF_END_TIME]
            : d->clock;

    if (orma_ctf_has_role(d, ORMA_CTF_PACKET_NUMBER)) {
        const uint64_t number = d->roles[ORMA_CTF_PACKET_NUMBER];

        if (s->has_number && number > s->number + 1) {
            orma_file_parts(self->file, ORMA_ACCOUNT_MISSING, "packets that are not in the trace",
                            number - s->number - 1);
            tell_gap(self, p, c, d->clock);
        }
        s->number = number;
        s->has_number = true;
    }
    if (orma_ctf_has_role(d, ORMA_CTF_DISCARDED)) {
        const uint64_t discarded = d->roles[ORMA_CTF_DISCARDED];
        /* The counter goes on where a recording is cut into several. */
        const bool is_first = !s->has_discarded && (!s->has_number || !s->number);
        const uint64_t before = s->has_discarded ? s->discarded : is_first ? 0 : discarded;

        if (discarded > before) {
            orma_file_parts(self->file, ORMA_ACCOUNT_MISSING,
                            is_first ? "events of first packets that the tracer had no room for"
                                     : "events that the tracer had no room for",
                            discarded - before);
            tell_gap(self, p, c, end);
        }
        s->discarded = discarded;
        s->has_discarded = true;
    }
}

/* ---- events ---- */

struct orma_ctf_event *orma_ctf_next_event(struct orma_ctf *self, struct orma_ctf_stream_class *c,
                                           struct orma_ctf_decoder *d)
{
    uint64_t idx = ORMA_MAP_NONE;

    d->seen = 0;
    orma_ctf_spend(d, (self->slots_num + c->packet_slots) / SLOTS_OF_NODE);
    if (self->slots_num)
        memset(d->event_slots, 0, self->slots_num * sizeof(*d->event_slots));
    orma_ctf_decode(d, c->header);
    d->time = d->clock;
    if (orma_ctf_has_role(d, ORMA_CTF_EVENT_CLASS))
        idx = orma_map_get(&c->events, d->roles[ORMA_CTF_EVENT_CLASS]);
    else if (c->events_num == 1)
        idx = c->first_event;
    if (d->failed || idx == ORMA_MAP_NONE)
        return NULL;
    orma_ctf_decode(d, c->context);
    orma_ctf_decode(d, self->events.data[idx].context);
    return d->failed ? NULL : &self->events.data[idx];
}

void orma_ctf_decoder_begin(struct orma_ctf *self, const struct orma_ctf_packet *packet,
                            uint64_t pos)
{
    const struct orma_ctf_stream_class *c = &self->classes.data[packet->class];
    struct orma_ctf_decoder *d = &self->decoder;

    d->data = packet->begin;
    d->pos = pos;
    d->end = packet->bits;
    d->failed = false;
    d->last_order = 0;
    d->put = NULL;
    d->path.failed = d->scratch.failed = false;
    if (c->packet_slots)
        memcpy(d->packet_slots, packet->slots, c->packet_slots * sizeof(*packet->slots));
}

/* What a switch says. */
struct switched {
    const uint32_t *keys; /* of the three */
    uint32_t prev, next;
    uint64_t state;
};

static void put_switched(struct orma_ctf_decoder *d, const struct orma_ctf_type *t,
                         struct orma_str path, const struct orma_ctf_value *v)
{
    struct switched *to = d->data_of_put;

    (void)path;
    if (v->is > ORMA_CTF_SIGNED)
        return;
    if (t->key == to->keys[0])
        to->prev = (uint32_t)v->u;
    else if (t->key == to->keys[1])
        to->next = (uint32_t)v->u;
    else if (t->key == to->keys[2])
        to->state = v->u;
}

static struct orma_ctf_cpu *cpu_of(struct orma_ctf *self, uint32_t cpu)
{
    while (self->cpus.len <= cpu)
        if (ORMA_VEC_PUSH(&self->cpus, (struct orma_ctf_cpu){.ts = INT64_MAX})) {
            orma_ctf_no_memory(self);
            return NULL;
        }
    return &self->cpus.data[cpu];
}

/* What must be known before the first event becomes a row. Bits of states that do not stand alone,
 * or high ones, are those of a task itself, as older tracers wrote them. */
static void note_switch(struct orma_ctf *self, int32_t cpu_num, const struct switched *said,
                        int64_t ts)
{
    struct orma_ctf_cpu *cpu = cpu_of(self, (uint32_t)cpu_num);

    if (!cpu)
        return;
    if (said->state > 0x100 || said->state & (said->state - 1))
        self->has_old_states = true;
    if (cpu->ts != INT64_MAX && ts >= cpu->last_ts && said->prev != cpu->next)
        self->breaks++;
    self->switches++;
    if (ts < cpu->ts) {
        cpu->ts = ts;
        cpu->tid = said->prev;
    }
    cpu->next = said->next;
    cpu->last_ts = ts;
}

static bool read_event(struct orma_ctf *self, struct orma_ctf_stream_class *c,
                       const struct orma_ctf_packet *p)
{
    struct orma_ctf_decoder *d = &self->decoder;
    struct orma_file *file = self->file;
    const uint64_t begin = d->pos;
    const uint8_t *at = p->begin + begin / 8;
    struct switched said = {.keys = self->switch_keys};
    int64_t ts;

    if (c->packet_slots)
        memcpy(d->packet_slots, p->slots, c->packet_slots * sizeof(*p->slots));
    struct orma_ctf_event *event = orma_ctf_next_event(self, c, d);
    orma_file_unit(file, NULL);
    if (!event && !d->failed) {
        (void)orma_file_skipped(file, ORMA_ACCOUNT_DAMAGED,
                                "packets from an event on that the metadata does not describe");
        return false;
    }
    if (event) {
        d->put = event->is_switch ? put_switched : NULL;
        d->data_of_put = &said;
        orma_ctf_decode(d, event->fields);
        d->put = NULL;
    }
    if (d->failed || d->pos == begin) {
        (void)orma_file_skipped(file, ORMA_ACCOUNT_DAMAGED, "packets from a malformed event on");
        return false;
    }
    event->is_used = true;
    if (c->clock_idx == ORMA_CTF_NOTHING && !orma_ctf_has_role(d, ORMA_CTF_TIME))
        d->time = ++self->untimed; /* only their order is known */
    if (!orma_ctf_time(self, c, d->time, &ts))
        (void)orma_file_skipped(file, ORMA_ACCOUNT_CLOCK, "events with an impossible time");
    else
        (void)orma_file_add(file, ts, 0, at, 1 + begin % 8);
    if (event->is_switch && p->cpu >= 0 && p->cpu < ORMA_CPUS_MAX)
        note_switch(self, p->cpu, &said, ts);
    return true;
}

static bool keep_packet(struct orma_ctf *self, const struct orma_ctf_packet *p)
{
    const struct orma_ctf_stream_class *c = &self->classes.data[p->class];
    struct orma_ctf_packet copy = *p;

    if (c->packet_slots) {
        copy.slots = orma_ctf_alloc(self, c->packet_slots * sizeof(*copy.slots));
        if (!copy.slots)
            return false;
        memcpy(copy.slots, self->decoder.packet_slots, c->packet_slots * sizeof(*copy.slots));
    }
    if (ORMA_VEC_PUSH(&self->packets, copy)) {
        orma_ctf_no_memory(self);
        return false;
    }
    return true;
}

static void read_events(struct orma_ctf *self, uint64_t content_bits)
{
    const struct orma_ctf_packet *p = &self->packets.data[self->packets.len - 1];
    struct orma_ctf_decoder *d = &self->decoder;

    d->end = content_bits;
    while (d->pos < d->end && !orma_file_failed(self->file))
        if (!read_event(self, &self->classes.data[p->class], p))
            return;
}

/* ---- files ---- */

static void damaged(struct orma_ctf *self, const char *why)
{
    orma_file_unit(self->file, NULL);
    (void)orma_file_skippedf(self->file, ORMA_ACCOUNT_DAMAGED, "rests of files from %s on", why);
}

static void read_file(struct orma_ctf *self, struct stream *s)
{
    const uint8_t *at = (const uint8_t *)s->file->bytes.data;
    size_t left = s->file->bytes.len;

    while (left && !orma_file_failed(self->file)) {
        struct packet head;
        const char *why = read_head(self, at, left, s->clock, &head);

        if (why) {
            damaged(self, why);
            return;
        }
        if (head.packet_bits / 8 > left) {
            orma_file_truncated(self->file, head.packet_bits / 8 - left);
            head.packet_bits = (uint64_t)left * 8;
            head.content_bits = ORMA_MIN(head.content_bits, head.packet_bits);
        }
        struct orma_ctf_packet p = {
            .begin = at,
            .end = at + head.packet_bits / 8,
            .bits = head.content_bits,
            .class = head.class,
            .cpu = -1,
        };
        if (orma_ctf_has_role(&self->decoder, ORMA_CTF_CPU) &&
            self->decoder.roles[ORMA_CTF_CPU] <= INT32_MAX)
            p.cpu = (int32_t)self->decoder.roles[ORMA_CTF_CPU];
        note_losses(self, s, &p);
        if (!keep_packet(self, &p))
            return;
        read_events(self, head.content_bits);
        s->clock = self->decoder.clock;
        at += head.packet_bits / 8;
        left -= head.packet_bits / 8;
    }
}

static void look_at(struct orma_ctf *self, struct stream_file *f)
{
    const struct orma_ctf_decoder *d = &self->decoder;
    struct packet head;

    if (read_head(self, (const uint8_t *)f->bytes.data, f->bytes.len, 0, &head))
        return; /* told when it is read */
    f->class = head.class;
    f->has_instance = orma_ctf_has_role(d, ORMA_CTF_STREAM_INSTANCE);
    f->instance = d->roles[ORMA_CTF_STREAM_INSTANCE];
    f->order =
        orma_ctf_has_role(d, ORMA_CTF_PACKET_NUMBER) ? d->roles[ORMA_CTF_PACKET_NUMBER] : d->clock;
}

static int by_stream(const void *a, const void *b)
{
    const struct stream_file *x = a, *y = b;

    if (x->class != y->class)
        return x->class < y->class ? -1 : 1;
    if (x->has_instance != y->has_instance)
        return x->has_instance ? 1 : -1;
    if (x->has_instance && x->instance != y->instance)
        return x->instance < y->instance ? -1 : 1;
    if (x->has_instance && x->order != y->order)
        return x->order < y->order ? -1 : 1;
    return orma_str_order(x->name, y->name);
}

/* Names of parts: those of folders in the folder are none of streams. */
static bool is_stream(const struct orma_ctf *self, const struct orma_file_part *p)
{
    if (!p->bytes.len || memchr(p->name.data, '/', p->name.len) ||
        (p->bytes.len >= 4 && !memcmp(p->bytes.data, INDEX_MAGIC, 4)))
        return false;
    return (const uint8_t *)p->bytes.data != self->file->given.data &&
           !orma_str_eq_c(p->name, "metadata");
}

static void find_switches(struct orma_ctf *self)
{
    struct orma_model *m = self->file->imp->model;

    self->switch_keys[0] = orma_model_cstr(m, self->is_lttng ? "prev_tid" : "prev_pid");
    self->switch_keys[1] = orma_model_cstr(m, self->is_lttng ? "next_tid" : "next_pid");
    self->switch_keys[2] = orma_model_lit(m, "prev_state");
    for (uint32_t i = 0; self->is_kernel && i < self->events.len; i++)
        self->events.data[i].is_switch =
            orma_str_eq_c(self->events.data[i].name, "sched_switch") ||
            orma_str_eq_c(self->events.data[i].name, "sched:sched_switch");
}

/* Nodes that may be visited. */
static uint64_t work_of(const struct orma_ctf *self)
{
    uint64_t work = WORK_MIN;

    for (uint32_t i = 0; i < self->file->parts_num; i++)
        work += WORK_OF_BYTE * self->file->parts[i].bytes.len;
    return work;
}

static bool set_up(struct orma_ctf *self)
{
    struct orma_ctf_decoder *d = &self->decoder;
    uint32_t most = 1;

    find_switches(self);

    for (uint32_t i = 0; i < self->classes.len; i++)
        most = ORMA_MAX(most, self->classes.data[i].packet_slots);
    d->packet_slots = orma_ctf_alloc(self, most * sizeof(*d->packet_slots));
    d->event_slots = orma_ctf_alloc(self, (self->slots_num + 1) * sizeof(*d->event_slots));
    return d->packet_slots && d->event_slots;
}

static int by_place(const void *a, const void *b)
{
    const struct orma_ctf_packet *x = a, *y = b;

    return x->begin < y->begin ? -1 : x->begin > y->begin;
}

void orma_ctf_read_streams(struct orma_ctf *self)
{
    struct stream_file *files = calloc(self->file->parts_num + (size_t)1, sizeof(*files));
    struct stream s = {0};
    uint32_t num = 0;

    if (!files || !set_up(self)) {
        orma_ctf_no_memory(self);
        free(files);
        return;
    }
    self->decoder.work = work_of(self);
    for (uint32_t i = 0; i < self->file->parts_num; i++) {
        const struct orma_file_part *p = &self->file->parts[i];

        if (!is_stream(self, p))
            continue;
        files[num] = (struct stream_file){.name = p->name, .bytes = p->bytes};
        look_at(self, &files[num++]);
    }
    if (num)
        qsort(files, num, sizeof(*files), by_stream);
    for (uint32_t i = 0; i < num && !orma_file_failed(self->file); i++) {
        if (!i || !files[i].has_instance || !files[i - 1].has_instance ||
            files[i].class != files[i - 1].class || files[i].instance != files[i - 1].instance)
            s = (struct stream){0};
        s.file = &files[i];
        read_file(self, &s);
    }
    self->decoder.work =
        2 * work_of(self); /* of the events that were found, and all their values */
    if (self->packets.len)
        qsort(self->packets.data, self->packets.len, sizeof(*self->packets.data), by_place);
    free(files);
}
