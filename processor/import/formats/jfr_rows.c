/*
 * Events of JFR as rows. A few kinds have a meaning of their own: samples, allocations, numbers
 * that are counters. All others, those of applications too, are slices of their thread (instants,
 * without a duration) with their fields as args; without a thread they lie on a track of their
 * category.
 */
#include "processor/import/formats/jfr.h"

#include "processor/model/async.h"
#include "processor/model/callstacks.h"

#define ARGS_DEPTH_MAX 4
#define ELEMENTS_MAX 64
/* Samples of one event, which stands for so many. */
#define SAMPLES_MAX 100000
/* And all events of a file, beside one each: a few bytes could be gigabytes of rows. */
#define REPEATED_MAX 4000000

#define COUNTERS(name)                                                                             \
    {                                                                                              \
        name, ORMA_JFR_COUNTERS,                                                                   \
        {                                                                                          \
            NULL, NULL                                                                             \
        }                                                                                          \
    }
#define SAMPLE(name)                                                                               \
    {                                                                                              \
        name, ORMA_JFR_SAMPLE,                                                                     \
        {                                                                                          \
            NULL, NULL                                                                             \
        }                                                                                          \
    }
#define ALLOCATION(name, first, second)                                                            \
    {                                                                                              \
        name, ORMA_JFR_ALLOCATION,                                                                 \
        {                                                                                          \
            first, second                                                                          \
        }                                                                                          \
    }
#define NAMED(name, by)                                                                            \
    {                                                                                              \
        name, ORMA_JFR_NAMED,                                                                      \
        {                                                                                          \
            by, NULL                                                                               \
        }                                                                                          \
    }
#define OTHER(name, use)                                                                           \
    {                                                                                              \
        name, use,                                                                                 \
        {                                                                                          \
            NULL, NULL                                                                             \
        }                                                                                          \
    }

static const struct orma_jfr_rule rules[] = {
    SAMPLE("jdk.ExecutionSample"),
    SAMPLE("jdk.NativeMethodSample"),
    SAMPLE("jdk.CPUTimeSample"),
    SAMPLE("profiler.WallClockSample"),
    SAMPLE("profiler.CPUSample"),
    ALLOCATION("jdk.ObjectAllocationSample", "weight", NULL),
    ALLOCATION("jdk.ObjectAllocationInNewTLAB", "tlabSize", "allocationSize"),
    ALLOCATION("jdk.ObjectAllocationOutsideTLAB", "allocationSize", NULL),
    ALLOCATION("jdk.OldObjectSample", "objectSize", NULL),
    ALLOCATION("profiler.LiveObject", "allocationSize", NULL),
    ALLOCATION("profiler.Malloc", "size", NULL),
    NAMED("jdk.GCPhasePause", "name"),
    NAMED("jdk.GCPhasePauseLevel1", "name"),
    NAMED("jdk.GCPhasePauseLevel2", "name"),
    NAMED("jdk.GCPhasePauseLevel3", "name"),
    NAMED("jdk.GCPhasePauseLevel4", "name"),
    NAMED("jdk.GCPhaseConcurrent", "name"),
    NAMED("jdk.GCPhaseConcurrentLevel1", "name"),
    NAMED("jdk.GCPhaseConcurrentLevel2", "name"),
    NAMED("jdk.GCPhaseParallel", "name"),
    NAMED("jdk.ExecuteVMOperation", "operation"),
    COUNTERS("jdk.CPULoad"),
    COUNTERS("jdk.ThreadCPULoad"),
    COUNTERS("jdk.ThreadContextSwitchRate"),
    COUNTERS("jdk.GCHeapSummary"),
    COUNTERS("jdk.G1HeapSummary"),
    COUNTERS("jdk.PSHeapSummary"),
    COUNTERS("jdk.MetaspaceSummary"),
    COUNTERS("jdk.GCHeapMemoryUsage"),
    COUNTERS("jdk.GCHeapMemoryPoolUsage"),
    COUNTERS("jdk.PhysicalMemory"),
    COUNTERS("jdk.SwapSpace"),
    COUNTERS("jdk.ResidentSetSize"),
    COUNTERS("jdk.NativeMemoryUsage"),
    COUNTERS("jdk.NativeMemoryUsageTotal"),
    COUNTERS("jdk.JavaThreadStatistics"),
    COUNTERS("jdk.ClassLoadingStatistics"),
    COUNTERS("jdk.CompilerStatistics"),
    COUNTERS("jdk.ExceptionStatistics"),
    COUNTERS("jdk.SymbolTableStatistics"),
    COUNTERS("jdk.StringTableStatistics"),
    COUNTERS("jdk.DirectBufferStatistics"),
    COUNTERS("jdk.NetworkUtilization"),
    COUNTERS("jdk.ContainerCPUUsage"),
    COUNTERS("jdk.ContainerCPUThrottling"),
    COUNTERS("jdk.ContainerMemoryUsage"),
    COUNTERS("jdk.ContainerIOUsage"),
    OTHER("jdk.SystemProcess", ORMA_JFR_PROCESS),
    OTHER("jdk.JVMInformation", ORMA_JFR_JVM),
    OTHER("jdk.ThreadStart", ORMA_JFR_THREAD_START),
    OTHER("jdk.ThreadEnd", ORMA_JFR_THREAD_END),
    OTHER("jdk.DataLoss", ORMA_JFR_LOSS),
};

const struct orma_jfr_rule *orma_jfr_find_rule(struct orma_str name)
{
    for (unsigned i = 0; i < ORMA_ARRAY_LEN(rules); i++)
        if (orma_str_eq_c(name, rules[i].name))
            return &rules[i];
    return NULL;
}

struct event {
    struct orma_file *file;
    struct orma_model *model;
    struct orma_jfr_chunk *chunk;
    struct orma_jfr_class *class;
    struct orma_jfr_cursor fields;
    int64_t ts, dur; /* dur -1: it has none */
    uint32_t utid, callsite;
    uint64_t stack; /* its key; 0: none */
    uint32_t stack_class;
};

static enum orma_jfr_use use_of(const struct event *e)
{
    return e->class->rule ? e->class->rule->use : ORMA_JFR_SLICE;
}

static bool member(const struct event *e, const char *name, struct orma_jfr_value *ret)
{
    return orma_jfr_member(e->file, e->chunk, e->class, e->fields, name, ret);
}

/* The text of a field, also where it is in a pool; 0: none. */
static uint32_t text_of_value(const struct event *e, const struct orma_jfr_value *v)
{
    if (v->field->is_array)
        return 0;
    if (v->in_pool)
        return orma_jfr_text(e->file, e->chunk, v->field->class, (uint64_t)v->integer);
    return v->kind == ORMA_JFR_STRING ? v->text : 0;
}

static uint32_t text_member(const struct event *e, const char *name)
{
    struct orma_jfr_value v;

    return member(e, name, &v) ? text_of_value(e, &v) : 0;
}

static bool is_number(const struct orma_jfr_value *v)
{
    return !v->in_pool && !v->field->is_array &&
           (v->kind == ORMA_JFR_INTEGER || v->kind == ORMA_JFR_FLOAT ||
            v->kind == ORMA_JFR_DOUBLE || v->kind == ORMA_JFR_BYTE);
}

/* Spans as ns. False: as it is. */
static bool in_ns(const struct event *e, const struct orma_jfr_value *v, int64_t *ret)
{
    static const int64_t factors[] = {
        [ORMA_JFR_SPAN_NS] = 1,
        [ORMA_JFR_SPAN_US] = 1000,
        [ORMA_JFR_SPAN_MS] = 1000000,
        [ORMA_JFR_SPAN_SECONDS] = 1000000000,
    };
    const enum orma_jfr_unit unit = v->field->unit;

    if (v->kind != ORMA_JFR_INTEGER)
        return false;
    if (unit == ORMA_JFR_TIME_TICKS)
        return orma_jfr_time(e->chunk, v->integer, ret);
    if (unit == ORMA_JFR_SPAN_TICKS)
        return orma_jfr_ticks(e->chunk, v->integer, ret);
    return unit < ORMA_ARRAY_LEN(factors) && factors[unit] &&
           !__builtin_mul_overflow(v->integer, factors[unit], ret);
}

/* ---- args ---- */

static void put_value(const struct event *e, const struct orma_jfr_value *v, unsigned depth,
                      struct orma_arg_key *key, struct orma_args_list *args);

static void put_fields(const struct event *e, const struct orma_jfr_class *class,
                       struct orma_jfr_cursor c, unsigned depth, struct orma_arg_key *key,
                       struct orma_args_list *args)
{
    const struct orma_strpool *pool = &e->model->storage->pool;
    const size_t full = key->full_len, flat = key->flat_len;

    for (uint32_t i = 0; i < class->fields_num && !c.failed; i++) {
        const struct orma_jfr_field *field = &e->chunk->fields.data[class->fields + i];
        struct orma_jfr_value v;

        orma_jfr_value(e->file, e->chunk, field, &c, &v);
        if (c.failed || !field->name)
            continue;
        orma_arg_key_push(key, orma_strpool_get(pool, field->name));
        put_value(e, &v, depth, key, args);
        key->full_len = full;
        key->flat_len = flat;
    }
}

static void put_elements(const struct event *e, const struct orma_jfr_value *list, unsigned depth,
                         struct orma_arg_key *key, struct orma_args_list *args)
{
    struct orma_jfr_cursor c = {list->data, e->chunk->end, false};
    const size_t full = key->full_len, flat = key->flat_len;

    if (list->num > ELEMENTS_MAX)
        orma_file_part(e->file, ORMA_ACCOUNT_NOT_READ, "elements of long lists", list->data);
    for (uint32_t i = 0; i < ORMA_MIN(list->num, (uint32_t)ELEMENTS_MAX); i++) {
        struct orma_jfr_value v;

        orma_jfr_element(e->file, e->chunk, list->field, &c, &v);
        if (c.failed)
            return;
        struct orma_jfr_field field = *list->field;
        field.is_array = false;
        v.field = &field;
        orma_arg_key_push_index(key, i);
        put_value(e, &v, depth, key, args);
        key->full_len = full;
        key->flat_len = flat;
    }
}

static void put_struct(const struct event *e, const struct orma_jfr_value *v, unsigned depth,
                       struct orma_arg_key *key, struct orma_args_list *args)
{
    const struct orma_jfr_cursor inside = {v->data, e->chunk->end, false};

    if (depth == ARGS_DEPTH_MAX)
        orma_file_part(e->file, ORMA_ACCOUNT_NOT_READ, "values that lie too deep in others",
                       v->data);
    else
        put_fields(e, &e->chunk->classes.data[v->field->class], inside, depth + 1, key, args);
}

static void put_integer(const struct event *e, const struct orma_jfr_value *v,
                        struct orma_arg_key *key, struct orma_args_list *args)
{
    int64_t ns;

    if (v->integer == INT64_MIN && !v->field->is_unsigned) /* "not available" */
        return;
    orma_arg_put(e->file->imp, key,
                 v->kind == ORMA_JFR_BOOLEAN          ? ORMA_ARG_BOOL
                 : v->field->unit == ORMA_JFR_ADDRESS ? ORMA_ARG_POINTER
                 : v->field->is_unsigned              ? ORMA_ARG_UINT
                                                      : ORMA_ARG_INT,
                 in_ns(e, v, &ns) ? ns : v->integer, args);
}

static void put_value(const struct event *e, const struct orma_jfr_value *v, unsigned depth,
                      struct orma_arg_key *key, struct orma_args_list *args)
{
    uint32_t text;

    if (v->field->is_array) {
        put_elements(e, v, depth, key, args);
    } else if (v->in_pool || v->kind == ORMA_JFR_STRING) {
        if ((text = text_of_value(e, v)))
            orma_arg_put(e->file->imp, key, ORMA_ARG_STRING, text, args);
    } else if (v->kind == ORMA_JFR_STRUCT) {
        put_struct(e, v, depth, key, args);
    } else if (v->kind == ORMA_JFR_FLOAT || v->kind == ORMA_JFR_DOUBLE) {
        orma_arg_put_double(e->file->imp, key, v->real, args);
    } else {
        put_integer(e, v, key, args);
    }
}

/* The class of the event, and all fields but those that place it. */
static void put_args(const struct event *e, struct orma_args_list *args)
{
    static const char *const placing[] = {"startTime", "duration", "eventThread", "stackTrace"};
    const struct orma_strpool *pool = &e->model->storage->pool;
    struct orma_jfr_cursor c = e->fields;
    struct orma_arg_key key;

    orma_args_put_str(args, orma_model_lit(e->model, "event"), e->class->name);
    for (uint32_t i = 0; i < e->class->fields_num && !c.failed; i++) {
        const struct orma_jfr_field *field = &e->chunk->fields.data[e->class->fields + i];
        struct orma_jfr_value v;
        bool skip = !field->name;

        orma_jfr_value(e->file, e->chunk, field, &c, &v);
        for (unsigned j = 0; j < ORMA_ARRAY_LEN(placing); j++)
            skip |= orma_jfr_is(e->file, field->name, placing[j]);
        if (skip || c.failed)
            continue;
        orma_arg_key_init(&key, "");
        orma_arg_key_push(&key, orma_strpool_get(pool, field->name));
        put_value(e, &v, 0, &key, args);
    }
    if (c.failed)
        orma_file_part(e->file, ORMA_ACCOUNT_DAMAGED, "fields of events", c.at);
}

/* ---- slices ---- */

/* "Thread Park" of "Java Thread Park". */
static uint32_t name_of(const struct event *e)
{
    const struct orma_strpool *pool = &e->model->storage->pool;
    uint32_t named = 0;

    if (use_of(e) == ORMA_JFR_NAMED)
        named = text_member(e, e->class->rule->values[0]);
    if (named && named != ORMA_STR_EMPTY)
        return named;
    if (!e->class->label)
        return e->class->short_name;
    const struct orma_str label = orma_strpool_get(pool, e->class->label);
    if (!orma_str_starts(label, ORMA_STR("Java ")))
        return e->class->label;
    return orma_model_str(e->model, (struct orma_str){label.data + 5, label.len - 5});
}

static uint32_t track_of(const struct event *e)
{
    struct orma_model *m = e->model;
    const int64_t dur = ORMA_MAX(e->dur, 0);
    struct orma_track_spec spec = {
        .machine = e->file->machine,
        .parent = ORMA_TRACK_NONE,
    };

    if (e->utid != ORMA_ID_NONE) {
        const uint32_t track = orma_model_thread_track(m, e->file->machine, e->utid);

        if (orma_slices_overlapped(&m->slices, e->ts, dur, track) == ORMA_SLICE_NONE)
            return track;
        spec.type = "jfr_thread_overlapping";
        spec.name = orma_model_lit(m, "overlapping events");
        spec.dims_num = 1;
        spec.dims[0] = orma_dim(m->known.utid, e->utid);
        return orma_async_nest(m, &spec, e->ts, dur);
    }
    struct orma_processes *p = orma_model_processes(m, e->file->machine);
    spec.type = "jfr_category";
    spec.name = e->class->category ? e->class->category : orma_model_lit(m, "JFR");
    spec.dims_num = 2;
    spec.dims[0] =
        orma_dim(m->known.upid, orma_processes_process(p, orma_jfr_pid(e->file, e->chunk)));
    spec.dims[1] = orma_dim_str(orma_model_lit(m, "category"), spec.name);
    return orma_async_nest(m, &spec, e->ts, dur);
}

static void add_callstack(const struct event *e, uint32_t slice, uint32_t track)
{
    struct orma_table *t = orma_model_table(e->model, ORMA_TABLE_TRACK_EVENT_CALLSTACKS);

    if (e->callsite == ORMA_CALLSITE_NONE)
        return;
    const uint32_t row = orma_table_add(t);
    orma_table_set(t, ORMA_TRACK_EVENT_CALLSTACKS_SLICE_ID, row, slice);
    orma_table_set(t, ORMA_TRACK_EVENT_CALLSTACKS_TRACK_ID, row, track);
    orma_table_set(t, ORMA_TRACK_EVENT_CALLSTACKS_CALLSITE_ID, row, e->callsite);
}

static struct orma_unit_end add_slice(const struct event *e)
{
    const uint32_t track = track_of(e);
    const uint32_t category = e->class->category ? e->class->category : e->class->name;

    if (track == ORMA_TRACK_NONE)
        return orma_file_skipped(e->file, ORMA_ACCOUNT_NO_WORD, "events");
    ORMA_MODEL_ARGS(args, e->model);
    put_args(e, args);
    const uint32_t slice = orma_slices_complete(&e->model->slices, e->ts, ORMA_MAX(e->dur, 0),
                                                track, category, name_of(e), args);
    if (slice == ORMA_SLICE_NONE)
        return orma_file_skipped(e->file, ORMA_ACCOUNT_NOT_READ,
                                 "events that lie in too many others");
    add_callstack(e, slice, track);
    return orma_file_took(e->file);
}

/* ---- samples and allocations ---- */

static struct orma_unit_end add_sample(const struct event *e)
{
    struct orma_jfr *self = e->file->state;
    struct orma_model *m = e->model;
    struct orma_processes *p = orma_model_processes(m, e->file->machine);
    struct orma_jfr_value v;
    int64_t num = 1;
    const uint32_t upid = e->utid == ORMA_ID_NONE
                              ? orma_processes_process(p, orma_jfr_pid(e->file, e->chunk))
                              : orma_processes_upid(p, e->utid);
    const struct orma_sample sample = {
        .ts = e->ts,
        .source = e->class->name,
        .task = orma_callstacks_task(m, upid, e->utid, ORMA_ROW_NONE),
        .exec = ORMA_ROW_NONE,
        .callsite = e->callsite,
        .session = ORMA_ROW_NONE,
        .counter_set = ORMA_COUNTER_SET_NONE,
    };

    if (member(e, "samples", &v) && v.kind == ORMA_JFR_INTEGER && !v.in_pool && v.integer > 0)
        num = v.integer; /* one event for samples that were alike */
    if (num > SAMPLES_MAX)
        orma_file_part(e->file, ORMA_ACCOUNT_DAMAGED, "events for impossibly many samples", NULL);
    num = ORMA_MIN(num, (int64_t)SAMPLES_MAX);
    if (num > 1 && self->repeated + (uint64_t)num > REPEATED_MAX) {
        orma_file_part(e->file, ORMA_ACCOUNT_NOT_READ,
                       "events for more samples than are made of a recording (one each)", NULL);
        num = 1;
    }
    self->repeated += (uint64_t)num - 1;
    for (; num; num--)
        (void)orma_callstacks_sample(m, &sample);
    return orma_file_took(e->file);
}

/* One for all chunks. */
static uint32_t profile_of(const struct event *e, uint32_t type, bool is_bytes)
{
    struct orma_jfr *self = e->file->state;
    const uint64_t key = (uint64_t)e->class->name << 32 | type;
    const uint64_t known = orma_map_get(&self->profiles, key);

    if (known != ORMA_MAP_NONE)
        return (uint32_t)known;
    const uint32_t row =
        orma_callstacks_aggregate(e->model, "jfr", e->class->name, type,
                                  orma_model_lit(e->model, is_bytes ? "bytes" : "count"));
    if (orma_map_put(&self->profiles, key, row))
        e->model->storage->failed = true;
    return row;
}

static struct orma_unit_end add_allocation(const struct event *e)
{
    struct orma_jfr_class *class = e->class;
    struct orma_model *m = e->model;
    uint32_t leaf = text_member(e, "objectClass");
    struct orma_jfr_value v;
    double bytes = 1;
    bool has_bytes = false;

    for (unsigned i = 0; i < ORMA_ARRAY_LEN(class->rule->values) && !has_bytes; i++)
        if (class->rule->values[i] && member(e, class->rule->values[i], &v) && is_number(&v)) {
            bytes = v.kind == ORMA_JFR_INTEGER ? (double)v.integer : v.real;
            has_bytes = true;
        }
    if (!leaf)
        leaf = text_member(e, "object");
    const uint32_t callsite = orma_jfr_stack(e->file, e->chunk, e->stack_class, e->stack, leaf);
    if (callsite == ORMA_CALLSITE_NONE)
        return orma_file_skipped(e->file, ORMA_ACCOUNT_LOST_STATE,
                                 "allocations without a stack and a class");
    orma_callstacks_aggregate_add(
        m, profile_of(e, has_bytes ? v.field->name : orma_model_lit(m, "objects"), has_bytes),
        callsite, bytes);
    return orma_file_took(e->file);
}

/* ---- counters ---- */

static const char *unit_of(const struct orma_jfr_field *field)
{
    switch (field->unit) {
    case ORMA_JFR_BYTES:
        return "bytes";
    case ORMA_JFR_SPAN_TICKS:
    case ORMA_JFR_SPAN_NS:
    case ORMA_JFR_SPAN_US:
    case ORMA_JFR_SPAN_MS:
    case ORMA_JFR_SPAN_SECONDS:
        return "ns";
    default:
        return NULL;
    }
}

/* What it is of: an interface, a memory pool. When it was measured is told by the time. */
static uint32_t subject_of(const struct event *e)
{
    struct orma_jfr_cursor c = e->fields;

    for (uint32_t i = 0; i < e->class->fields_num && !c.failed; i++) {
        const struct orma_jfr_field *field = &e->chunk->fields.data[e->class->fields + i];
        struct orma_jfr_value v;

        orma_jfr_value(e->file, e->chunk, field, &c, &v);
        if (c.failed || orma_jfr_is(e->file, field->name, "eventThread") ||
            orma_jfr_is(e->file, field->name, "stackTrace") ||
            orma_jfr_is(e->file, field->name, "when"))
            continue;
        const uint32_t text = text_of_value(e, &v);
        if (text && text != ORMA_STR_EMPTY)
            return text;
    }
    return 0;
}

static void add_counter(const struct event *e, const struct orma_jfr_value *v, uint32_t name)
{
    struct orma_model *m = e->model;
    struct orma_processes *p = orma_model_processes(m, e->file->machine);
    const bool of_thread = e->utid != ORMA_ID_NONE;
    int64_t ns;
    double val = v->real;

    if (v->kind == ORMA_JFR_INTEGER || v->kind == ORMA_JFR_BYTE)
        val = in_ns(e, v, &ns)        ? (double)ns
              : v->field->is_unsigned ? (double)(uint64_t)v->integer
                                      : (double)v->integer;
    const uint32_t upid =
        of_thread ? 0 : orma_processes_process(p, orma_jfr_pid(e->file, e->chunk));
    const struct orma_track_dim dims[] = {
        of_thread ? orma_dim(m->known.utid, e->utid) : orma_dim(m->known.upid, upid),
        orma_dim_str(orma_model_lit(m, "counter_name"), name),
    };
    orma_model_counter(m, e->ts,
                       orma_model_counter_track(
                           m, e->file->machine, of_thread ? "jfr_thread_counter" : "jfr_counter",
                           name, unit_of(v->field), ORMA_ARRAY_LEN(dims), dims),
                       val);
}

static unsigned add_counters_of(const struct event *e, const struct orma_jfr_class *class,
                                struct orma_jfr_cursor c, struct orma_str prefix, uint32_t subject,
                                unsigned depth)
{
    struct orma_strpool *pool = &e->model->storage->pool;
    unsigned num = 0;

    for (uint32_t i = 0; i < class->fields_num && !c.failed; i++) {
        const struct orma_jfr_field *field = &e->chunk->fields.data[class->fields + i];
        struct orma_jfr_value v;

        orma_jfr_value(e->file, e->chunk, field, &c, &v);
        if (c.failed || !field->name || field->unit == ORMA_JFR_ADDRESS ||
            field->unit == ORMA_JFR_TIME_TICKS || orma_jfr_is(e->file, field->name, "gcId") ||
            orma_jfr_is(e->file, field->name, "duration"))
            continue;
        const uint32_t name = orma_strpool_addf(pool, "%.*s.%s", (int)prefix.len, prefix.data,
                                                orma_strpool_cstr(pool, field->name));
        if (is_number(&v) && v.integer != INT64_MIN) {
            add_counter(e, &v,
                        subject ? orma_strpool_addf(pool, "%s (%s)", orma_strpool_cstr(pool, name),
                                                    orma_strpool_cstr(pool, subject))
                                : name);
            num++;
        } else if (!v.in_pool && !field->is_array && v.kind == ORMA_JFR_STRUCT &&
                   depth < ARGS_DEPTH_MAX) {
            const struct orma_jfr_cursor inside = {v.data, e->chunk->end, false};

            num += add_counters_of(e, &e->chunk->classes.data[field->class], inside,
                                   orma_strpool_get(pool, name), subject, depth + 1);
        }
    }
    return num;
}

static struct orma_unit_end add_counters(const struct event *e)
{
    const struct orma_str prefix = orma_strpool_get(&e->model->storage->pool, e->class->short_name);

    return add_counters_of(e, e->class, e->fields, prefix, subject_of(e), 0)
               ? orma_file_took(e->file)
               : add_slice(e);
}

/* ---- processes and threads ---- */

static struct orma_unit_end name_process(const struct event *e)
{
    struct orma_processes *p = orma_model_processes(e->model, e->file->machine);
    const uint32_t text = text_member(e, "pid"), name = text_member(e, "commandLine");
    uint64_t pid;

    if (!text || !orma_str_to_u64(orma_strpool_get(&e->model->storage->pool, text), &pid) ||
        pid > INT32_MAX)
        return add_slice(e);
    const uint32_t upid = orma_processes_process(p, (uint32_t)pid);
    if (name && name != ORMA_STR_EMPTY)
        orma_processes_name_process(p, upid, name, ORMA_PROCESS_NAME_OTHER);
    return orma_file_took(e->file);
}

/* By what it runs: "Demo" of "Demo 5". */
static void name_jvm(const struct event *e)
{
    struct orma_processes *p = orma_model_processes(e->model, e->file->machine);
    const uint32_t text = text_member(e, "javaArguments");
    struct orma_str rest, word = {"java", 4};

    if (text && text != ORMA_STR_EMPTY) {
        rest = orma_strpool_get(&e->model->storage->pool, text);
        (void)orma_str_cut(&rest, ' ', &word);
    }
    orma_processes_name_process(p, orma_processes_process(p, orma_jfr_pid(e->file, e->chunk)),
                                orma_model_str(e->model, word), ORMA_PROCESS_NAME_LABEL);
}

/* When the thread of an event began or ended. */
static void note_life(const struct event *e, bool ends)
{
    struct orma_processes *p = orma_model_processes(e->model, e->file->machine);
    struct orma_table *t = orma_model_table(e->model, ORMA_TABLE_THREAD);
    struct orma_jfr_value v;

    if (!member(e, "thread", &v) || !v.in_pool)
        return;
    const uint32_t utid = orma_jfr_thread(e->file, e->chunk, v.field->class, (uint64_t)v.integer);
    if (utid == ORMA_ID_NONE)
        return;
    if (!ends && orma_table_is_null(t, ORMA_THREAD_START_TS, utid))
        orma_table_set_time(t, ORMA_THREAD_START_TS, utid, e->ts);
    else if (ends)
        orma_processes_end_thread(p, e->ts, (uint32_t)orma_table_int(t, ORMA_THREAD_TID, utid));
}

/* What the JVM itself says that it lost. */
static void note_loss(const struct event *e)
{
    struct orma_jfr_value v;

    if (member(e, "amount", &v) && v.kind == ORMA_JFR_INTEGER && v.integer > 0)
        orma_file_parts(e->file, ORMA_ACCOUNT_MISSING, "bytes that the JVM had no room for",
                        (uint64_t)v.integer);
}

/* ---- an event ---- */

bool orma_jfr_when(struct orma_file *file, struct orma_jfr_chunk *chunk,
                   const struct orma_jfr_class *class, struct orma_jfr_cursor fields, int64_t *ts,
                   int64_t *dur)
{
    struct orma_jfr_value start, length;
    int64_t end;

    *dur = -1;
    if (!orma_jfr_member(file, chunk, class, fields, "startTime", &start) ||
        start.kind != ORMA_JFR_INTEGER || start.field->is_array || start.in_pool ||
        !orma_jfr_time(chunk, start.integer, ts))
        return false;
    if (orma_jfr_member(file, chunk, class, fields, "duration", &length) &&
        length.kind == ORMA_JFR_INTEGER && !length.in_pool && !length.field->is_array &&
        length.integer >= 0 && !__builtin_add_overflow(start.integer, length.integer, &end) &&
        orma_jfr_time(chunk, end, &end)) /* both ends of ticks: what nested nests */
        *dur = ORMA_MAX(end - *ts, 0);
    return true;
}

static void find_place(struct event *e)
{
    struct orma_jfr_value v;

    e->utid = e->callsite = ORMA_ID_NONE;
    e->stack_class = ORMA_JFR_NO_CLASS;
    if ((member(e, "eventThread", &v) && v.in_pool) ||
        (use_of(e) == ORMA_JFR_SAMPLE && member(e, "sampledThread", &v) && v.in_pool))
        e->utid = orma_jfr_thread(e->file, e->chunk, v.field->class, (uint64_t)v.integer);
    if (!member(e, "stackTrace", &v) || !v.in_pool)
        return;
    e->stack = (uint64_t)v.integer;
    e->stack_class = v.field->class;
    if (use_of(e) != ORMA_JFR_ALLOCATION)
        e->callsite = orma_jfr_stack(e->file, e->chunk, e->stack_class, e->stack, 0);
}

struct orma_unit_end orma_jfr_event(struct orma_file *file, struct orma_jfr_chunk *chunk,
                                    int64_t ts, struct orma_jfr_class *class,
                                    struct orma_jfr_cursor fields)
{
    struct event e = {.file = file, .model = file->imp->model, .chunk = chunk, .class = class};
    int64_t raw;

    e.fields = fields;
    (void)orma_jfr_when(file, chunk, class, fields, &raw, &e.dur);
    e.ts = ts;
    find_place(&e);
    switch (use_of(&e)) {
    case ORMA_JFR_SAMPLE:
        return add_sample(&e);
    case ORMA_JFR_ALLOCATION:
        return add_allocation(&e);
    case ORMA_JFR_COUNTERS:
        return add_counters(&e);
    case ORMA_JFR_PROCESS:
        return name_process(&e);
    case ORMA_JFR_JVM:
        name_jvm(&e);
        break;
    case ORMA_JFR_THREAD_START:
        note_life(&e, false);
        break;
    case ORMA_JFR_THREAD_END: {
        const struct orma_unit_end end = add_slice(&e);

        note_life(&e, true);
        return end;
    }
    case ORMA_JFR_LOSS:
        note_loss(&e);
        break;
    default:
        break;
    }
    return add_slice(&e);
}
