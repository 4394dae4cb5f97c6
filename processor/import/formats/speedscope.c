/*
 * Files of speedscope: {"shared": {"frames": [{name, file, line}]}, "profiles": [...]}
 *
 *   sampled   stacks as lists of frames, the outermost first, and what each weighs
 *   evented   frames that open (O) and close (C), the innermost first
 *
 * Where the unit is a time, a stack becomes a sample that stands for its weight; opened frames are
 * slices of the thread, too. Of other units, profiles are sums by stack. An evented profile has
 * one stack between two events: it goes with the first of them.
 */
#include "processor/import/formats/json_profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "processor/import/formats/formats.h"
#include "processor/model/callstacks.h"
#include "sdk/base/vec.h"

enum kind { KIND_SAMPLE, KIND_OPEN, KIND_CLOSE };

/* What waits for its time. */
struct event {
    int64_t ts, ns; /* ns: of its stack, from ts on */
    uint32_t utid, callsite;
    uint32_t name; /* of what opens */
    uint32_t ends; /* so many slices, of what closes */
    uint8_t kind;
    const char *at;
};

struct frame {
    uint32_t row, name;
    uint32_t open; /* how often it is, at the time */
};

struct open {
    uint32_t frame, callsite;
};

struct speedscope {
    struct orma_formats_profile base;
    ORMA_VEC(struct frame) frames;
    ORMA_VEC(struct open) open;
    ORMA_VEC(struct event) events; /* of the profile at hand */
    struct orma_map sums;          /* unit → row of its aggregate profile */
    struct orma_map threads;       /* those of evented profiles, which are one each */
};

struct profile {
    struct orma_formats_span type, name, unit, start, end, samples, weights, events;
    double unit_ns; /* 0: no time */
    uint32_t utid;
    uint32_t sums; /* row, of what has no times */
};

static void out_of_memory(struct orma_file *file)
{
    file->imp->model->storage->failed = true;
}

/* A unit that has no row. */
static void skip(struct orma_file *file, const char *at, enum orma_account_reason reason,
                 const char *kind)
{
    orma_file_unit(file, at);
    (void)orma_file_skipped(file, reason, kind);
}

static void read_frame(struct orma_file *file, const struct orma_formats_span *span)
{
    struct speedscope *s = file->state;
    struct orma_json j = orma_formats_span_inside(span);
    struct orma_formats_span v;
    struct orma_str key;
    uint32_t name = 0, source = 0;
    int64_t line = 0;

    while (span->v.type == ORMA_JSON_OBJECT && orma_formats_span_member(file, &j, &key, &v)) {
        if (orma_json_name_is(key, "name"))
            name = orma_formats_profile_text(file, &v.v);
        else if (orma_json_name_is(key, "file"))
            source = orma_formats_profile_text(file, &v.v);
        else if (orma_json_name_is(key, "line") && v.v.type == ORMA_JSON_INT)
            line = v.v.integer;
    }
    if (!name) {
        orma_file_part(file, ORMA_ACCOUNT_DAMAGED, "frames without a name", span->v.raw.data);
        name = orma_model_lit(file->imp->model, "[unknown]");
    }
    const struct frame frame = {
        .row = orma_formats_profile_frame(file, name, source, source ? line : 0), .name = name};
    if (ORMA_VEC_PUSH(&s->frames, frame))
        out_of_memory(file);
}

static void read_frames(struct orma_file *file, const struct orma_formats_span *shared)
{
    struct orma_json j = orma_formats_span_inside(shared);
    struct orma_formats_span v, frames = {0};
    struct orma_str key;

    while (shared->v.type == ORMA_JSON_OBJECT && orma_formats_span_member(file, &j, &key, &v))
        if (orma_json_name_is(key, "frames"))
            orma_formats_span_set(file, &frames, &v);
    j = orma_formats_span_inside(&frames);
    while (frames.v.type == ORMA_JSON_ARRAY && !orma_file_failed(file) &&
           orma_formats_span_element(file, &j, &v))
        read_frame(file, &v);
}

static struct frame *frame_of(const struct speedscope *s, const struct orma_json_value *v)
{
    return v->type == ORMA_JSON_INT && v->integer >= 0 && v->integer < s->frames.len
               ? &s->frames.data[v->integer]
               : NULL;
}

/* ---- threads ---- */

/* The number behind a word: "Thread (7)", "pid: 41"; 0: there is none. */
static uint32_t number_behind(struct orma_str name, const char *word)
{
    const size_t n = strlen(word);

    for (size_t i = 0, at; i + n < name.len; i++) {
        uint64_t number = 0;

        if (strncasecmp(name.data + i, word, n) != 0)
            continue;
        for (at = i + n; at < name.len && memchr(" :(#=", name.data[at], 5); at++)
            ;
        size_t from = at;
        while (at < name.len && name.data[at] >= '0' && name.data[at] <= '9' && number < INT32_MAX)
            number = number * 10 + (uint64_t)(name.data[at++] - '0');
        if (at > from && number <= INT32_MAX && (at == name.len || (name.data[at] | 32) != 'x'))
            return (uint32_t)number;
    }
    return 0;
}

static void find_thread(struct orma_file *file, struct profile *p, uint32_t index, bool evented)
{
    struct orma_model *m = file->imp->model;
    struct orma_processes *all = orma_model_processes(m, m->base);
    struct speedscope *s = file->state;
    const struct orma_str path = orma_formats_profile_file_name(file);
    const uint32_t text = orma_formats_profile_text(file, &p->name.v);
    const struct orma_str name = orma_strpool_get(&m->storage->pool, text);
    uint32_t pid = number_behind(name, "process"), tid = number_behind(name, "thread");
    char made_up[32];

    pid = pid ? pid : number_behind(name, "pid");
    tid = tid ? tid : number_behind(name, "tid");
    if (!pid)
        pid = orma_formats_profile_made_up(file, path.len ? path : ORMA_STR("speedscope"));
    if (!tid || (evented && orma_map_get(&s->threads, tid) != ORMA_MAP_NONE)) {
        (void)snprintf(made_up, sizeof(made_up), "profile %u.%u", (unsigned)file->row,
                       (unsigned)index);
        tid = orma_formats_profile_made_up(file, orma_str_from(made_up));
    }
    if (evented && orma_map_put(&s->threads, tid, 1))
        out_of_memory(file);
    p->utid = orma_processes_thread_of(all, tid, pid);
    if (text)
        orma_processes_name_thread(all, p->utid, text, ORMA_THREAD_NAME_OTHER);
}

/* ---- units ---- */

static void find_unit(struct orma_file *file, struct profile *p)
{
    static const struct {
        const char *name;
        double ns;
    } units[] = {
        {"nanoseconds", 1}, {"microseconds", 1e3}, {"milliseconds", 1e6}, {"seconds", 1e9}};
    struct orma_model *m = file->imp->model;
    struct speedscope *s = file->state;
    const uint32_t unit = orma_formats_profile_text(file, &p->unit.v);
    const bool bytes = unit == orma_model_lit(m, "bytes");

    for (unsigned i = 0; i < ORMA_ARRAY_LEN(units); i++)
        if (unit && unit == orma_model_lit(m, units[i].name))
            p->unit_ns = units[i].ns;
    uint64_t sums = p->unit_ns > 0 ? 0 : orma_map_get(&s->sums, unit);
    if (sums == ORMA_MAP_NONE) {
        sums = orma_callstacks_aggregate(
            m, "speedscope", orma_model_lit(m, bytes ? "speedscope space" : "speedscope weight"),
            orma_model_lit(m, bytes ? "space" : "weight"),
            bytes || (unit && unit != orma_model_lit(m, "none")) ? unit
                                                                 : orma_model_lit(m, "count"));
        if (orma_map_put(&s->sums, unit, sums))
            out_of_memory(file);
    }
    p->sums = (uint32_t)sums;
}

/* Gives the events of a profile to the sorter. */
static void emit(struct orma_file *file)
{
    struct speedscope *s = file->state;

    for (uint32_t i = 0; i < s->events.len; i++) {
        struct event *e = orma_arena_alloc(&s->base.arena, sizeof(*e));

        orma_file_unit(file, s->events.data[i].at);
        if (!e) {
            out_of_memory(file);
            (void)orma_file_skipped(file, ORMA_ACCOUNT_NO_WORD, "events");
            return;
        }
        *e = s->events.data[i];
        if (e->ts < 0)
            (void)orma_file_skipped(file, ORMA_ACCOUNT_CLOCK, "events with a time before zero");
        else
            (void)orma_file_add(file, e->ts, 0, (const uint8_t *)e, sizeof(*e));
    }
    s->events.len = 0;
}

/* ---- sampled ---- */

/* False: a frame is none of the file. */
static bool read_stack(struct orma_file *file, const struct orma_formats_span *stack, uint32_t *ret)
{
    struct orma_json j = orma_formats_span_inside(stack);
    struct orma_formats_span v;
    const struct frame *f;

    *ret = ORMA_CALLSITE_NONE;
    if (stack->v.type != ORMA_JSON_ARRAY || stack->cut)
        return false;
    while (orma_formats_span_element(file, &j, &v)) {
        if (!(f = frame_of(file->state, &v.v)))
            return false;
        *ret = orma_callstacks_callsite(file->imp->model, *ret, f->row);
    }
    return !j.failed;
}

static void add_sample(struct orma_file *file, const struct profile *p,
                       const struct orma_formats_span *stack, int64_t ts, double weight)
{
    struct speedscope *s = file->state;
    struct event e = {.ts = ts, .utid = p->utid, .at = stack->v.raw.data};
    const bool good = read_stack(file, stack, &e.callsite) &&
                      orma_formats_profile_round(weight * p->unit_ns, &e.ns);

    if (good && p->unit_ns > 0) {
        if (ORMA_VEC_PUSH(&s->events, e))
            out_of_memory(file);
        return;
    }
    if (!good) {
        skip(file, e.at, ORMA_ACCOUNT_DAMAGED, "samples with a frame that is not in the file");
    } else if (e.callsite == ORMA_CALLSITE_NONE) {
        skip(file, e.at, ORMA_ACCOUNT_NOT_READ, "samples without a stack");
    } else {
        orma_file_unit(file, e.at);
        orma_callstacks_aggregate_add(file->imp->model, p->sums, e.callsite, weight);
        (void)orma_file_took(file);
    }
}

static void read_sampled(struct orma_file *file, const struct profile *p)
{
    struct orma_json stacks = orma_formats_span_inside(&p->samples);
    struct orma_json weights = orma_formats_span_inside(&p->weights);
    struct orma_formats_span stack, v;
    int64_t start = 0, ts, offset;
    double sum = 0, weight;
    bool lost = false;

    if (p->unit_ns > 0 && !orma_formats_profile_ns(&p->start.v, p->unit_ns, &start))
        orma_file_part(file, ORMA_ACCOUNT_MISSING, "times at which a profile starts", NULL);
    while (p->samples.v.type == ORMA_JSON_ARRAY && !orma_file_failed(file) &&
           orma_formats_span_element(file, &stacks, &stack)) {
        if (lost || !orma_formats_span_element(file, &weights, &v) ||
            !orma_formats_profile_number(&v.v, &weight) || weight < 0 ||
            !orma_formats_profile_round(sum * p->unit_ns, &offset) ||
            __builtin_add_overflow(start, offset, &ts)) {
            skip(file, stack.v.raw.data, ORMA_ACCOUNT_DAMAGED,
                 lost ? "samples behind one without a valid weight"
                      : "samples without a valid weight");
            lost = true; /* times are sums of the weights before */
            continue;
        }
        add_sample(file, p, &stack, ts, weight);
        sum += weight;
    }
    if (!lost && orma_formats_span_element(file, &weights, &v))
        orma_file_part(file, ORMA_ACCOUNT_DAMAGED, "weights without a sample", v.v.raw.data);
    emit(file);
}

/* ---- evented ---- */

struct reading {
    double at;
    bool any;
};

/* The stack so far stood up to `at`. */
static void advance(struct orma_file *file, const struct profile *p, struct reading *r, double at)
{
    struct speedscope *s = file->state;
    struct event *last = s->events.len ? &s->events.data[s->events.len - 1] : NULL;
    int64_t end;

    if (s->open.len && p->unit_ns > 0 && last &&
        orma_formats_profile_round(at * p->unit_ns, &end) && end > last->ts)
        last->ns = end - last->ts;
    else if (s->open.len && !(p->unit_ns > 0) && at > r->at)
        orma_callstacks_aggregate_add(file->imp->model, p->sums,
                                      s->open.data[s->open.len - 1].callsite, at - r->at);
    r->at = at;
    r->any = true;
}

/* Closes the frame, and what is still open inside of it. 0: it is not open. So each look at an open
 * frame closes it. */
static uint32_t close_frame(struct orma_file *file, uint32_t frame, const char *at)
{
    struct speedscope *s = file->state;
    uint32_t ends = 0, closed;

    if (!s->frames.data[frame].open)
        return 0;
    if (s->open.data[s->open.len - 1].frame != frame)
        orma_file_part(file, ORMA_ACCOUNT_DAMAGED, "ends of frames before those inside of them",
                       at);
    do {
        closed = s->open.data[--s->open.len].frame;
        s->frames.data[closed].open--;
        ends += s->open.len < ORMA_SLICE_DEPTH_MAX; /* deeper ones are no slices */
    } while (closed != frame);
    return ORMA_MAX(ends, 1u);
}

static void open_frame(struct orma_file *file, uint32_t frame, uint32_t *ret_callsite)
{
    struct speedscope *s = file->state;
    const uint32_t parent =
        s->open.len ? s->open.data[s->open.len - 1].callsite : ORMA_CALLSITE_NONE;
    const struct open o = {
        frame, orma_callstacks_callsite(file->imp->model, parent, s->frames.data[frame].row)};

    if (ORMA_VEC_PUSH(&s->open, o))
        out_of_memory(file);
    else
        s->frames.data[frame].open++;
    *ret_callsite = o.callsite;
}

static void read_event(struct orma_file *file, const struct profile *p, struct reading *r,
                       const struct orma_formats_span *span)
{
    struct speedscope *s = file->state;
    struct orma_json j = orma_formats_span_inside(span);
    struct orma_json_value type = {0}, frame = {0}, time = {0};
    struct event e = {.utid = p->utid, .at = span->v.raw.data, .callsite = ORMA_CALLSITE_NONE};
    struct orma_formats_span v;
    struct orma_str key;
    double at;

    while (span->v.type == ORMA_JSON_OBJECT && orma_formats_span_member(file, &j, &key, &v)) {
        if (orma_json_name_is(key, "type"))
            type = v.v;
        else if (orma_json_name_is(key, "frame"))
            frame = v.v;
        else if (orma_json_name_is(key, "at"))
            time = v.v;
    }
    const bool opens = type.type == ORMA_JSON_STRING && orma_str_eq_c(type.raw, "O");
    if (!frame_of(s, &frame) || (!opens && !orma_str_eq_c(type.raw, "C"))) {
        skip(file, e.at, ORMA_ACCOUNT_DAMAGED, "events of no known type or frame");
        return;
    }
    if (!orma_formats_profile_number(&time, &at) || (r->any && at < r->at) ||
        (p->unit_ns > 0 && !orma_formats_profile_ns(&time, p->unit_ns, &e.ts))) {
        skip(file, e.at, ORMA_ACCOUNT_DAMAGED, "events without a valid time, or out of order");
        return;
    }
    advance(file, p, r, at);
    e.kind = opens ? KIND_OPEN : KIND_CLOSE;
    e.name = frame_of(s, &frame)->name;
    if (opens) {
        open_frame(file, (uint32_t)frame.integer, &e.callsite);
    } else {
        const uint32_t before = s->open.len;

        e.ends = close_frame(file, (uint32_t)frame.integer, e.at);
        if (!e.ends) {
            skip(file, e.at, ORMA_ACCOUNT_NO_BEGIN, "ends of frames");
            return;
        }
        if (before > ORMA_SLICE_DEPTH_MAX && s->open.len >= ORMA_SLICE_DEPTH_MAX)
            e.ends = 0;
        if (s->open.len)
            e.callsite = s->open.data[s->open.len - 1].callsite;
    }
    if (!(p->unit_ns > 0)) {
        orma_file_unit(file, e.at);
        (void)orma_file_took(file);
        return;
    }
    if (ORMA_VEC_PUSH(&s->events, e))
        out_of_memory(file);
}

static void read_evented(struct orma_file *file, const struct profile *p)
{
    struct speedscope *s = file->state;
    struct orma_json j = orma_formats_span_inside(&p->events);
    struct orma_formats_span v;
    struct reading r = {0};
    double end;

    while (p->events.v.type == ORMA_JSON_ARRAY && !orma_file_failed(file) &&
           orma_formats_span_element(file, &j, &v)) {
        if (v.cut) {
            orma_formats_span_broken(file, &j);
            break;
        }
        read_event(file, p, &r, &v);
    }
    if (s->open.len) {
        orma_file_parts(file, ORMA_ACCOUNT_MISSING, "ends of frames", s->open.len);
        if (orma_formats_profile_number(&p->end.v, &end) && end > r.at)
            advance(file, p, &r, end);
    }
    while (s->open.len)
        s->frames.data[s->open.data[--s->open.len].frame].open--;
    emit(file);
}

/* ---- profiles ---- */

static void read_profile(struct orma_file *file, const struct orma_formats_span *span,
                         uint32_t index)
{
    struct profile p = {0};
    const struct {
        const char *name;
        struct orma_formats_span *span;
    } members[] = {{"type", &p.type},        {"name", &p.name},    {"unit", &p.unit},
                   {"startValue", &p.start}, {"endValue", &p.end}, {"samples", &p.samples},
                   {"weights", &p.weights},  {"events", &p.events}};
    struct orma_json j = orma_formats_span_inside(span);
    struct orma_formats_span v;
    struct orma_str key;

    while (span->v.type == ORMA_JSON_OBJECT && orma_formats_span_member(file, &j, &key, &v))
        for (unsigned i = 0; i < ORMA_ARRAY_LEN(members); i++)
            if (orma_json_name_is(key, members[i].name))
                orma_formats_span_set(file, members[i].span, &v);
    const bool evented = orma_str_eq_c(p.type.v.raw, "evented");
    if (!evented && !orma_str_eq_c(p.type.v.raw, "sampled")) {
        orma_file_unit(file, span->v.raw.data);
        (void)orma_file_skipped(file, ORMA_ACCOUNT_NOT_READ, "profiles of an unknown type");
        return;
    }
    find_unit(file, &p);
    if (p.unit_ns > 0)
        find_thread(file, &p, index, evented);
    if (evented)
        read_evented(file, &p);
    else
        read_sampled(file, &p);
}

static size_t speedscope_read(struct orma_file *file, const uint8_t *data, size_t len, bool at_end)
{
    struct speedscope *s = file->state;
    struct orma_formats_span shared = {0}, profiles = {0}, v;
    struct orma_json j;
    struct orma_str key;
    uint32_t index = 0;

    (void)at_end; /* it is read once, whole */
    s->base.source = "speedscope";
    if (!orma_formats_profile_enter(file, data, len, &j))
        return len;
    while (orma_formats_profile_member(file, &j, &key, &v)) {
        if (orma_json_name_is(key, "shared"))
            orma_formats_span_set(file, &shared, &v);
        else if (orma_json_name_is(key, "profiles"))
            orma_formats_span_set(file, &profiles, &v);
    }
    read_frames(file, &shared);
    j = orma_formats_span_inside(&profiles);
    while (profiles.v.type == ORMA_JSON_ARRAY && !orma_file_failed(file) &&
           orma_formats_span_element(file, &j, &v))
        read_profile(file, &v, index++);
    return len;
}

static struct orma_unit_end speedscope_parse(struct orma_file *file, const struct orma_item *item)
{
    struct orma_model *m = file->imp->model;
    struct event e;

    memcpy(&e, item->data, sizeof(e));
    if (e.kind != KIND_SAMPLE) {
        const uint32_t track = orma_model_thread_track(m, m->base, e.utid);

        if (e.kind == KIND_OPEN)
            (void)orma_slices_begin(&m->slices, e.ts, track, 0, e.name, NULL);
        for (uint32_t i = 0; i < e.ends; i++)
            (void)orma_slices_end(&m->slices, e.ts, track, 0, 0, NULL);
    }
    if (e.kind == KIND_SAMPLE || (e.ns > 0 && e.callsite != ORMA_CALLSITE_NONE))
        orma_formats_profile_sample(file, e.ts, e.utid, e.callsite, e.ns);
    return orma_file_took(file);
}

static void speedscope_fini(struct orma_file *file)
{
    struct speedscope *s = file->state;

    orma_formats_profile_fini(&s->base);
    ORMA_VEC_FINI(&s->frames);
    ORMA_VEC_FINI(&s->open);
    ORMA_VEC_FINI(&s->events);
    orma_map_fini(&s->sums);
    orma_map_fini(&s->threads);
}

const struct orma_format_ops orma_format_speedscope = {
    .state_bytes = sizeof(struct speedscope),
    .clock = ORMA_CLOCK_TRACE_FILE,
    .unit = "event",
    .whole = true,
    .read = speedscope_read,
    .parse = speedscope_parse,
    .fini = speedscope_fini,
};
