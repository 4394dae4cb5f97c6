/*
 * Profiles: samples of one type of value each.
 *
 *   a sample with times     a row of profiler_sample for each of them, with its thread, cpu and
 * span one without             its values are added to a profile of sums by stack
 *
 * A sample that counts time, or of which the profile says how much time lies between two, stands
 * for that time; other values than 1 are a counter beside it.
 */
#include "processor/import/formats/otlp_profiles.h"

#include <stdlib.h>

#include "processor/model/callstacks.h"
#include "processor/model/processes.h"
#include "sdk/wire/pb_reader.h"

/* What a double holds, of which a thousand can be added. */
#define WEIGHT_MAX (INT64_C(1) << 53)

/* What samples of a time have in common. */
struct orma_otlp_sample {
    uint32_t upid, utid, callsite;
    uint32_t ucpu;  /* ORMA_ID_NONE: not told */
    uint32_t track; /* of its values; ORMA_TRACK_NONE: each counts 1 */
    uint32_t session;
    double scale; /* of a value, on its track */
    struct orma_otlp_link link;
};

/* A Profile. */
struct profile {
    uint32_t type, unit; /* pool ids */
    double unit_ns;      /* of values; 0: they are no time */
    double period_ns;    /* of samples that are counted; 0: not told */
    uint32_t session;    /* rows; ORMA_ROW_NONE: not made yet */
    uint32_t sums;
};

/* A message at hand. */
struct reading {
    struct orma_file *file;
    struct orma_model *model;
    struct orma_otlp_dictionary dict;
    struct orma_str resource;
    uint32_t process;         /* in the list of the file; ORMA_OTLP_NOBODY: not needed yet */
    ORMA_VEC(int64_t) values; /* of the sample at hand */
    ORMA_VEC(uint64_t) times;
    struct {
        uint32_t pid, tid, executable, path, thread_name, cpu;
    } keys; /* pool ids */
};

static void no_memory(const struct reading *r)
{
    r->model->storage->failed = true;
}

/* ---- profiles ---- */

static double ns_of(struct orma_model *model, uint32_t unit)
{
    static const struct {
        const char *name;
        double ns;
    } units[] = {{"nanoseconds", 1},    {"ns", 1},   {"microseconds", 1e3}, {"us", 1e3},
                 {"milliseconds", 1e6}, {"ms", 1e6}, {"seconds", 1e9},      {"s", 1e9}};
    const struct orma_str name = orma_strpool_get(&model->storage->pool, unit);

    for (unsigned i = 0; i < ORMA_ARRAY_LEN(units); i++)
        if (orma_str_eq_c(name, units[i].name))
            return units[i].ns;
    return 0;
}

static void read_type(const struct reading *in, struct orma_pb_reader r, uint32_t *type,
                      uint32_t *unit)
{
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_OTLP_VALUE_TYPE_TYPE)
            *type = orma_otlp_dictionary_text(&in->dict, orma_pb_u64(&f));
        else if (f.id == ORMA_OTLP_VALUE_TYPE_UNIT)
            *unit = orma_otlp_dictionary_text(&in->dict, orma_pb_u64(&f));
    }
}

static struct profile read_head(const struct reading *in, struct orma_str bytes)
{
    struct profile p = {.type = ORMA_STR_EMPTY,
                        .unit = ORMA_STR_EMPTY,
                        .session = ORMA_ROW_NONE,
                        .sums = ORMA_ROW_NONE};
    uint32_t period_type = ORMA_STR_EMPTY, period_unit = ORMA_STR_EMPTY;
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;
    int64_t period = 0;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_OTLP_PROFILE_SAMPLE_TYPE && f.wire == ORMA_PB_LEN)
            read_type(in, orma_pb_sub(&f), &p.type, &p.unit);
        else if (f.id == ORMA_OTLP_PROFILE_PERIOD_TYPE && f.wire == ORMA_PB_LEN)
            read_type(in, orma_pb_sub(&f), &period_type, &period_unit);
        else if (f.id == ORMA_OTLP_PROFILE_PERIOD)
            period = orma_pb_i64(&f);
    }
    if (p.type == ORMA_STR_EMPTY)
        p.type = orma_model_lit(in->model, "unknown");
    if (p.unit == ORMA_STR_EMPTY)
        p.unit = orma_model_lit(in->model, "count");
    p.unit_ns = ns_of(in->model, p.unit);
    if (period > 0 && p.unit == orma_model_lit(in->model, "count"))
        p.period_ns = (double)period * ns_of(in->model, period_unit);
    return p;
}

/* A row for all profiles of that type and unit. */
static uint32_t row_of(const struct reading *in, const struct profile *p, bool sums)
{
    struct orma_otlp *self = in->file->state;
    struct orma_map *rows = sums ? &self->sums : &self->sessions;
    const uint64_t key = (uint64_t)p->type << 32 | p->unit;
    const uint64_t known = orma_map_get(rows, key);

    if (known != ORMA_MAP_NONE)
        return (uint32_t)known;
    const struct orma_strpool *pool = &in->model->storage->pool;
    const uint32_t name =
        orma_strpool_addf(&in->model->storage->pool, "otlp %s", orma_strpool_cstr(pool, p->type));
    const uint32_t row = sums ? orma_callstacks_aggregate(in->model, "otlp", name, p->type, p->unit)
                              : orma_callstacks_session(in->model, "otlp", p->unit);
    if (orma_map_put(rows, key, row) < 0)
        no_memory(in);
    return row;
}

/* Where values of samples go: as time that they stand for, or as a counter. */
static uint32_t track_of(const struct reading *in, const struct profile *p)
{
    const bool time = p->unit_ns > 0 || p->period_ns > 0;
    struct orma_track_spec spec = {
        .type = time ? "stack_sample_time" : "stack_sample_value",
        .event = ORMA_TRACK_COUNTER,
        .machine = in->file->machine,
        .name = time ? orma_model_lit(in->model, "time of samples") : p->type,
        .unit = time ? orma_model_lit(in->model, "ns") : p->unit,
        .dims_num = 1,
        .dims = {orma_dim(orma_model_lit(in->model, "session_id"), p->session)},
        .parent = ORMA_TRACK_NONE,
    };

    return orma_tracks_get(&in->model->tracks, &spec);
}

/* ---- who a sample is of ---- */

/* What attributes of a sample say. */
struct subject {
    int64_t pid, tid, cpu; /* -1: not told */
    uint32_t executable, thread_name;
};

static void read_subject(const struct reading *in, const struct orma_pb_field *f,
                         struct subject *ret)
{
    struct orma_pb_reader packed = {0};
    uint64_t i;

    for (orma_pb_numbers(f, &packed); orma_pb_number(f, &packed, &i);) {
        if (i >= in->dict.attributes.len) {
            orma_file_part(in->file, ORMA_ACCOUNT_DAMAGED, "attributes missing from the dictionary",
                           f->data);
            continue;
        }
        const struct orma_otlp_attribute *a = &in->dict.attributes.data[i];
        const bool number = a->has_number && a->number >= 0 && a->number <= INT32_MAX;
        if (a->key == in->keys.pid && number)
            ret->pid = a->number;
        else if (a->key == in->keys.tid && number)
            ret->tid = a->number;
        else if (a->key == in->keys.cpu && number)
            ret->cpu = a->number;
        else if (a->key == in->keys.thread_name)
            ret->thread_name = a->text;
        else if (a->key == in->keys.executable || (a->key == in->keys.path && !ret->executable))
            ret->executable = a->text;
    }
}

static void find_subject(struct reading *in, const struct subject *who,
                         struct orma_otlp_sample *ret)
{
    struct orma_otlp *self = in->file->state;
    struct orma_processes *p = orma_model_processes(in->model, in->file->machine);
    uint32_t pid = (uint32_t)who->pid;

    ret->utid = ORMA_ID_NONE;
    if (who->pid >= 0) {
        ret->upid = orma_processes_process(p, pid);
        if (who->executable)
            orma_processes_name_process(p, ret->upid, who->executable, ORMA_PROCESS_NAME_OTHER);
    } else {
        if (in->process == ORMA_OTLP_NOBODY)
            in->process = orma_otlp_process(in->file, in->resource);
        if (in->process >= self->processes.len)
            return;
        pid = self->processes.data[in->process].pid;
        ret->upid = self->processes.data[in->process].upid;
    }
    if (who->tid < 0)
        return;
    ret->utid = orma_processes_thread_of(p, (uint32_t)who->tid, pid);
    if (who->thread_name)
        orma_processes_name_thread(p, ret->utid, who->thread_name, ORMA_THREAD_NAME_OTHER);
}

/* ---- samples ---- */

/* Numbers of a sample: varints, or eight bytes each. False: its bytes mean nothing. */
static bool read_times(struct reading *in, const struct orma_pb_field *f)
{
    if (f->wire == ORMA_PB_I64) {
        if (ORMA_VEC_PUSH(&in->times, f->num))
            no_memory(in);
        return true;
    }
    if (f->wire != ORMA_PB_LEN || f->len % 8)
        return false;
    for (size_t i = 0; i < f->len; i += 8) {
        uint64_t ts = 0;

        for (unsigned j = 8; j-- > 0;)
            ts = ts << 8 | f->data[i + j];
        if (ORMA_VEC_PUSH(&in->times, ts))
            no_memory(in);
    }
    return true;
}

static bool read_values(struct reading *in, const struct orma_pb_field *f)
{
    struct orma_pb_reader packed = {0};
    uint64_t val;

    for (orma_pb_numbers(f, &packed); orma_pb_number(f, &packed, &val);)
        if (ORMA_VEC_PUSH(&in->values, (int64_t)val))
            no_memory(in);
    return !packed.failed;
}

/* False: it is malformed. */
static bool read_sample(struct reading *in, struct orma_pb_reader r, uint64_t *ret_stack,
                        uint64_t *ret_link, struct subject *who)
{
    struct orma_pb_field f;
    bool good = true;

    in->values.len = in->times.len = 0;
    while (good && orma_pb_next(&r, &f)) {
        if (f.id == ORMA_OTLP_SAMPLE_STACK)
            *ret_stack = orma_pb_u64(&f);
        else if (f.id == ORMA_OTLP_SAMPLE_LINK)
            *ret_link = orma_pb_u64(&f);
        else if (f.id == ORMA_OTLP_SAMPLE_ATTRIBUTES)
            read_subject(in, &f, who);
        else if (f.id == ORMA_OTLP_SAMPLE_VALUES)
            good = read_values(in, &f);
        else if (f.id == ORMA_OTLP_SAMPLE_TIMES)
            good = read_times(in, &f);
    }
    return good && !r.failed;
}

static struct orma_unit_end add_sum(struct reading *in, struct profile *p, uint32_t callsite)
{
    double sum = 0;

    if (callsite == ORMA_CALLSITE_NONE)
        return orma_file_skipped(in->file, ORMA_ACCOUNT_NOT_READ, "samples without a stack");
    if (!in->values.len)
        return orma_file_skipped(in->file, ORMA_ACCOUNT_DAMAGED, "samples without a value");
    for (uint32_t i = 0; i < in->values.len; i++)
        sum += (double)in->values.data[i];
    if (p->sums == ORMA_ROW_NONE)
        p->sums = row_of(in, p, true);
    orma_callstacks_aggregate_add(in->model, p->sums, callsite, sum);
    return orma_file_took(in->file);
}

/* Gives the observations of a sample to the sorter, each a unit. */
static void add_times(struct reading *in, struct profile *p, const struct orma_otlp_sample *of,
                      const uint8_t *at)
{
    struct orma_otlp *self = in->file->state;
    struct orma_otlp_sample *sample = orma_arena_alloc(&self->arena, sizeof(*sample));
    bool plain =
        !(p->unit_ns > 0) && !(p->period_ns > 0) && p->unit == orma_model_lit(in->model, "count");

    for (uint32_t i = 0; i < in->values.len; i++)
        plain = plain && in->values.data[i] == 1;
    if (!sample) {
        no_memory(in);
        return;
    }
    *sample = *of;
    if (p->session == ORMA_ROW_NONE)
        p->session = row_of(in, p, false);
    sample->session = p->session;
    sample->track = plain ? ORMA_TRACK_NONE : track_of(in, p);
    sample->scale = p->unit_ns > 0 ? p->unit_ns : p->period_ns > 0 ? p->period_ns : 1;
    for (uint32_t i = 0; i < in->times.len; i++) {
        const uint64_t ts = in->times.data[i];
        struct orma_otlp_observation *o;

        orma_file_unit(in->file, at);
        if (!ts || ts > INT64_MAX) {
            (void)orma_file_skipped(in->file, ORMA_ACCOUNT_CLOCK, "samples without a time");
        } else if (!(o = orma_arena_alloc(&self->arena, sizeof(*o)))) {
            no_memory(in);
            (void)orma_file_skipped(in->file, ORMA_ACCOUNT_NO_WORD, "samples");
            return;
        } else {
            *o = (struct orma_otlp_observation){
                .as.span = ORMA_OTLP_NOBODY,
                .of = sample,
                .value = in->values.len ? in->values.data[i] : 1,
            };
            (void)orma_file_add(in->file, (int64_t)ts, 0, (const uint8_t *)o, 0);
        }
    }
}

static void skip(struct reading *in, const uint8_t *at, enum orma_account_reason reason,
                 const char *kind)
{
    orma_file_unit(in->file, at);
    (void)orma_file_skipped(in->file, reason, kind);
}

static void add_sample(struct reading *in, struct profile *p, const struct orma_pb_field *field)
{
    struct orma_otlp_sample sample = {.ucpu = ORMA_ID_NONE};
    struct subject who = {.pid = -1, .tid = -1, .cpu = -1};
    uint64_t stack = 0, link = 0;

    if (!read_sample(in, orma_pb_sub(field), &stack, &link, &who)) {
        skip(in, field->data, ORMA_ACCOUNT_DAMAGED, "samples");
        return;
    }
    if (stack && stack >= in->dict.stacks.len) {
        skip(in, field->data, ORMA_ACCOUNT_DAMAGED, "samples whose stack is not in the dictionary");
        return;
    }
    sample.callsite = stack ? in->dict.stacks.data[stack] : ORMA_CALLSITE_NONE;
    if (!in->times.len) {
        orma_file_unit(in->file, field->data);
        (void)add_sum(in, p, sample.callsite);
        return;
    }
    if (in->values.len && in->values.len != in->times.len) {
        skip(in, field->data, ORMA_ACCOUNT_DAMAGED, "samples without one value for each time");
        return;
    }
    if (link < in->dict.links.len)
        sample.link = in->dict.links.data[link];
    else if (link)
        orma_file_part(in->file, ORMA_ACCOUNT_DAMAGED, "links missing from the dictionary",
                       field->data);
    if (who.cpu >= 0)
        sample.ucpu = orma_model_ucpu(in->model, in->file->machine, (uint32_t)who.cpu);
    find_subject(in, &who, &sample);
    add_times(in, p, &sample, field->data);
}

static void read_profile(struct reading *in, struct orma_str bytes)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct profile p = read_head(in, bytes);
    const uint8_t *payload = NULL;
    struct orma_pb_field f;
    bool any = false;

    while (!orma_file_failed(in->file) && orma_pb_next(&r, &f)) {
        if (f.id == ORMA_OTLP_PROFILE_SAMPLES && f.wire == ORMA_PB_LEN) {
            add_sample(in, &p, &f);
            any = true;
        } else if (f.id == ORMA_OTLP_PROFILE_ORIGINAL_PAYLOAD && f.wire == ORMA_PB_LEN && f.len) {
            payload = f.data;
        }
    }
    if (payload && !any)
        skip(in, payload, ORMA_ACCOUNT_NOT_READ,
             "profiles with nothing but what they were made from");
    if (r.failed)
        orma_file_damage(in->file, bytes.data, bytes.len, "a malformed profile");
}

/* ---- messages ---- */

static void read_scope(struct reading *in, struct orma_str bytes)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;

    while (!orma_file_failed(in->file) && orma_pb_next(&r, &f))
        if (f.id == ORMA_OTLP_SCOPE_PROFILES_PROFILES && f.wire == ORMA_PB_LEN)
            read_profile(in, orma_pb_str(&f));
    if (r.failed)
        orma_file_damage(in->file, bytes.data, bytes.len, "a malformed list of profiles");
}

static void read_resource(struct reading *in, struct orma_str bytes)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len), again = r;
    struct orma_pb_field f;

    in->resource = (struct orma_str){"", 0};
    in->process = ORMA_OTLP_NOBODY;
    while (orma_pb_next(&r, &f))
        if (f.id == ORMA_OTLP_RESOURCE_PROFILES_RESOURCE && f.wire == ORMA_PB_LEN)
            in->resource = orma_otlp_dictionary_resource(&in->dict, orma_pb_str(&f));
    if (orma_str_find(in->resource, ORMA_STR("process.pid"))) /* samples may name it, too */
        in->process = orma_otlp_process(in->file, in->resource);
    while (!orma_file_failed(in->file) && orma_pb_next(&again, &f))
        if (f.id == ORMA_OTLP_RESOURCE_PROFILES_SCOPE_PROFILES && f.wire == ORMA_PB_LEN)
            read_scope(in, orma_pb_str(&f));
    if (again.failed)
        orma_file_damage(in->file, bytes.data, bytes.len, "a malformed list of profiles");
}

static void read_message(struct reading *in, struct orma_str message, struct orma_str dictionary)
{
    struct orma_pb_reader r = orma_pb_reader(message.data, message.len);
    struct orma_pb_field f;
    const uint8_t *at = r.pos;

    in->keys.pid = orma_model_lit(in->model, "process.pid");
    in->keys.tid = orma_model_lit(in->model, "thread.id");
    in->keys.thread_name = orma_model_lit(in->model, "thread.name");
    in->keys.executable = orma_model_lit(in->model, "process.executable.name");
    in->keys.path = orma_model_lit(in->model, "process.executable.path");
    in->keys.cpu = orma_model_lit(in->model, "cpu.logical_number");
    orma_otlp_dictionary_read(&in->dict, in->file, dictionary);
    for (; !orma_file_failed(in->file) && orma_pb_next(&r, &f); at = r.pos)
        if (f.id == ORMA_OTLP_PROFILES_RESOURCE_PROFILES && f.wire == ORMA_PB_LEN)
            read_resource(in, orma_pb_str(&f));
    if (r.failed)
        orma_file_truncated(in->file, (uint64_t)((const uint8_t *)message.data + message.len - at));
    orma_otlp_dictionary_fini(&in->dict);
    ORMA_VEC_FINI(&in->values);
    ORMA_VEC_FINI(&in->times);
}

bool orma_otlp_read_profiles(struct orma_file *file, struct orma_str message)
{
    struct reading in = {.file = file, .model = file->imp->model};
    struct orma_pb_reader r = orma_pb_reader(message.data, message.len);
    struct orma_str dictionary = {NULL, 0};
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f))
        if (f.id == ORMA_OTLP_PROFILES_DICTIONARY && f.wire == ORMA_PB_LEN)
            dictionary = orma_pb_str(&f);
    if (!dictionary.data)
        return false;
    read_message(&in, message, dictionary);
    return true;
}

/* ---- rows ---- */

static void add_context(struct orma_model *model, const struct orma_otlp_link *link,
                        uint32_t sample)
{
    struct orma_table *t = orma_model_table(model, ORMA_TABLE_PROFILER_SAMPLE_CONTEXT);

    if (!link->trace || !link->span)
        return;
    const uint32_t row = orma_table_add(t);
    orma_table_set(t, ORMA_PROFILER_SAMPLE_CONTEXT_PROFILER_SAMPLE_ID, row, sample);
    orma_table_set(t, ORMA_PROFILER_SAMPLE_CONTEXT_TRACE_ID, row, link->trace);
    orma_table_set(t, ORMA_PROFILER_SAMPLE_CONTEXT_SPAN_ID, row, link->span);
}

struct orma_unit_end orma_otlp_on_observation(struct orma_file *file, const struct orma_item *item,
                                              const struct orma_otlp_observation *what)
{
    const struct orma_otlp_sample *of = what->of;
    struct orma_model *model = file->imp->model;
    struct orma_sample s = {
        .ts = item->ts,
        .source = orma_model_lit(model, "otlp"),
        .task = orma_callstacks_task(model, of->upid, of->utid, ORMA_ROW_NONE),
        .exec = orma_callstacks_execution(model, of->ucpu, 0),
        .callsite = of->callsite,
        .session = of->session,
        .counter_set = ORMA_COUNTER_SET_NONE,
    };

    if (of->track != ORMA_TRACK_NONE) {
        double value = (double)what->value * of->scale;

        if (value > (double)WEIGHT_MAX || value < -(double)WEIGHT_MAX) {
            orma_file_part(file, ORMA_ACCOUNT_DAMAGED, "values that are impossibly large", NULL);
            value = value < 0 ? -(double)WEIGHT_MAX : (double)WEIGHT_MAX;
        }
        s.counter_set = orma_callstacks_counter_set(model);
        orma_callstacks_add_counter(model, s.counter_set, item->ts, of->track, value);
    }
    add_context(model, &of->link, orma_callstacks_sample(model, &s));
    return orma_file_took(file);
}
