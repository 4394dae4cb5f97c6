/*
 * Kernel events without a message of their own.
 *
 * The trace brings a description (a DescriptorProto) that names their fields.
 * If these have the right names and types the event is a slice or a counter as well:
 *
 *   track_event_type   number: the character 'B', 'E' or 'I'; with slice_name, text: slices
 *   counter_value      number; without those two: a counter
 *   track_name         text, optional; else the event's name
 *   scope_tgid, scope_cpu, scope_<x>   number: whose track it is; else the thread's
 *
 * A field of such a name with another type is like any other field.
 */
#include <stdlib.h>

#include "processor/import/kernel/kernel.h"
#include "protos/fields/ftrace.h"
#include "protos/reflect/schema.h"

#define FIELDS_MAX 250

/* google.protobuf.DescriptorProto and FieldDescriptorProto */
enum { DESCRIPTOR_NAME = 1, DESCRIPTOR_FIELD = 2 };
enum { FIELD_NAME = 1, FIELD_NUMBER = 3, FIELD_LABEL = 4, FIELD_TYPE = 5, LABEL_REPEATED = 3 };

static bool read_field(struct orma_import_ctx *imp, struct orma_str bytes,
                       struct orma_generic_field *ret)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;

    *ret = (struct orma_generic_field){0};
    while (orma_pb_next(&r, &f)) {
        if (f.id == FIELD_NAME)
            ret->name = orma_model_str(imp->model, orma_pb_str(&f));
        else if (f.id == FIELD_NUMBER)
            ret->number = orma_pb_u32(&f);
        else if (f.id == FIELD_LABEL)
            ret->repeated = orma_pb_u32(&f) == LABEL_REPEATED;
        else if (f.id == FIELD_TYPE)
            ret->type = (uint8_t)orma_pb_u32(&f);
    }
    return ret->name && ret->number && !r.failed;
}

static bool is_number(uint8_t type)
{
    switch ((enum orma_field_type)type) {
    case ORMA_TYPE_INT32:
    case ORMA_TYPE_INT64:
    case ORMA_TYPE_UINT32:
    case ORMA_TYPE_UINT64:
    case ORMA_TYPE_SINT32:
    case ORMA_TYPE_SINT64:
    case ORMA_TYPE_FIXED32:
    case ORMA_TYPE_FIXED64:
    case ORMA_TYPE_SFIXED32:
    case ORMA_TYPE_SFIXED64:
        return true;
    case ORMA_TYPE_ENUM:
    case ORMA_TYPE_BOOL:
    case ORMA_TYPE_FLOAT:
    case ORMA_TYPE_DOUBLE:
    case ORMA_TYPE_STRING:
    case ORMA_TYPE_BYTES:
    case ORMA_TYPE_MESSAGE:
    case ORMA_TYPE_GROUP:
        break;
    }
    return false;
}

/* Which fields have a meaning. */
static void note_track_fields(struct orma_import_ctx *imp, struct orma_kernel_generic_event *g)
{
    for (uint32_t i = 0; i < g->fields_num; i++) {
        struct orma_str name = orma_strpool_get(&imp->model->storage->pool, g->fields[i].name);
        bool number = is_number(g->fields[i].type), text = g->fields[i].type == ORMA_TYPE_STRING;
        uint8_t idx = (uint8_t)(i + 1);

        if (number && orma_str_eq_c(name, "track_event_type"))
            g->event_type = idx;
        else if (text && orma_str_eq_c(name, "slice_name"))
            g->slice_name = idx;
        else if (text && orma_str_eq_c(name, "track_name"))
            g->track_name = idx;
        else if (number && orma_str_eq_c(name, "counter_value"))
            g->counter_value = idx;
        else if (number && orma_str_starts(name, ORMA_STR("scope_")) && !g->scope)
            g->scope = idx;
    }
    if (g->event_type && g->slice_name)
        g->is = ORMA_GENERIC_SLICES;
    else if (g->counter_value)
        g->is = ORMA_GENERIC_COUNTER;
}

static struct orma_kernel_generic_event *read_descriptor(struct orma_import_ctx *imp,
                                                         struct orma_str bytes)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;
    struct orma_kernel_generic_event *g = calloc(1, sizeof(*g));

    if (g)
        g->fields = calloc(FIELDS_MAX, sizeof(*g->fields));
    if (!g || !g->fields) {
        free(g);
        imp->model->storage->failed = true;
        return NULL;
    }
    while (orma_pb_next(&r, &f)) {
        if (f.id == DESCRIPTOR_NAME)
            g->name = orma_model_str(imp->model, orma_pb_str(&f));
        else if (f.id == DESCRIPTOR_FIELD && g->fields_num < FIELDS_MAX &&
                 read_field(imp, orma_pb_str(&f), &g->fields[g->fields_num]))
            g->fields_num++;
    }
    note_track_fields(imp, g);
    return g;
}

static void generic_free(struct orma_kernel_generic_event *g)
{
    if (g)
        free(g->fields);
    free(g);
}

void orma_kernel_describe(struct orma_import_ctx *imp, uint16_t machine, struct orma_str bytes)
{
    struct orma_kernel_state *st = orma_kernel_state(imp);
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;
    struct orma_str descriptor = {NULL, 0};
    uint32_t field = 0;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_FTRACE_EVENT_BUNDLE_GENERIC_EVENT_DESCRIPTOR_FIELD_ID)
            field = orma_pb_u32(&f);
        else if (f.id == ORMA_PB_FTRACE_EVENT_BUNDLE_GENERIC_EVENT_DESCRIPTOR_EVENT_DESCRIPTOR)
            descriptor = orma_pb_str(&f);
    }
    if (field < ORMA_FTRACE_FIELDS_MAX || !descriptor.data) {
        orma_stats_inc(orma_model_stats(imp->model, machine),
                       ORMA_STAT_FTRACE_GENERIC_DESCRIPTOR_ERRORS);
        return;
    }
    if (orma_map_get_ptr(&st->generic, field))
        return; /* bundles repeat it */
    struct orma_kernel_generic_event *g = read_descriptor(imp, descriptor);
    if (!g)
        return;
    if (!g->name || orma_map_put_ptr(&st->generic, field, g)) {
        orma_stats_inc(orma_model_stats(imp->model, machine),
                       ORMA_STAT_FTRACE_GENERIC_DESCRIPTOR_ERRORS);
        generic_free(g);
    }
}

const struct orma_kernel_generic_event *orma_kernel_generic(struct orma_import_ctx *imp,
                                                            uint32_t field)
{
    return orma_map_get_ptr(&orma_kernel_state(imp)->generic, field);
}

void orma_kernel_generic_fini(struct orma_kernel_state *st)
{
    ORMA_MAP_EACH (slot, &st->generic) {
        generic_free((struct orma_kernel_generic_event *)(uintptr_t)slot->val);
    }
    orma_map_fini(&st->generic);
}

uint32_t orma_kernel_generic_name(struct orma_import_ctx *imp, struct orma_str payload)
{
    struct orma_pb_reader r = orma_pb_reader(payload.data, payload.len);
    struct orma_pb_field f;
    uint32_t name = 0;

    while (orma_pb_next(&r, &f))
        if (f.id == ORMA_PB_GENERIC_FTRACE_EVENT_EVENT_NAME)
            name = orma_model_str(imp->model, orma_pb_str(&f));
    return name;
}

static const struct orma_generic_field *find_field(const struct orma_kernel_generic_event *g,
                                                   uint32_t number)
{
    for (uint32_t i = 0; i < g->fields_num; i++)
        if (g->fields[i].number == number)
            return &g->fields[i];
    return NULL;
}

/* Values of arrays get a key each: "caller[2]". */
static void put_value(struct orma_import_ctx *imp, const struct orma_generic_field *field,
                      uint32_t key, const struct orma_pb_field *f, struct orma_args_list *ret)
{
    struct orma_args_item item = {.flat_key = field->name, .key = key, .i = orma_pb_i64(f)};

    switch ((enum orma_field_type)field->type) {
    case ORMA_TYPE_INT32:
    case ORMA_TYPE_INT64:
    case ORMA_TYPE_SFIXED32:
    case ORMA_TYPE_SFIXED64:
    case ORMA_TYPE_ENUM:
        item.type = ORMA_ARG_INT;
        break;
    case ORMA_TYPE_SINT32:
    case ORMA_TYPE_SINT64:
        item.type = ORMA_ARG_INT;
        item.i = orma_pb_sint(f);
        break;
    case ORMA_TYPE_UINT32:
    case ORMA_TYPE_UINT64:
    case ORMA_TYPE_FIXED32:
    case ORMA_TYPE_FIXED64:
        item.type = ORMA_ARG_UINT;
        item.i = (int64_t)orma_pb_u64(f);
        break;
    case ORMA_TYPE_BOOL:
        item.type = ORMA_ARG_BOOL;
        item.i = orma_pb_bool(f);
        break;
    case ORMA_TYPE_FLOAT:
        item.type = ORMA_ARG_REAL;
        item.d = (double)orma_pb_float(f);
        break;
    case ORMA_TYPE_DOUBLE:
        item.type = ORMA_ARG_REAL;
        item.d = orma_pb_double(f);
        break;
    case ORMA_TYPE_STRING:
        item.type = ORMA_ARG_STRING;
        item.i = orma_model_str(imp->model, orma_pb_str(f));
        break;
    case ORMA_TYPE_BYTES:
    case ORMA_TYPE_MESSAGE:
    case ORMA_TYPE_GROUP:
        return;
    }
    orma_args_put(ret, item);
}

void orma_kernel_generic_args(struct orma_import_ctx *imp,
                              const struct orma_kernel_generic_event *g, struct orma_str payload,
                              struct orma_args_list *ret)
{
    struct orma_pb_reader r = orma_pb_reader(payload.data, payload.len);
    struct orma_strpool *pool = &imp->model->storage->pool;
    struct orma_pb_field f;
    uint32_t index = 0, before = 0;

    while (orma_pb_next(&r, &f)) {
        const struct orma_generic_field *field = find_field(g, f.id);
        uint32_t key = field ? field->name : 0;

        if (!field)
            continue;
        if (field->repeated) {
            index = f.id == before ? index + 1 : 0;
            before = f.id;
            key = orma_strpool_addf(pool, "%s[%u]", orma_strpool_cstr(pool, field->name), index);
        }
        put_value(imp, field, key, &f, ret);
    }
}

/* ---- as track events ---- */

struct values {
    int64_t type, counter, scope;
    uint32_t slice_name, track_name;
    uint32_t missing; /* of the fields that have a meaning */
};

static int64_t number_of(uint8_t type, const struct orma_pb_field *f)
{
    if (type == ORMA_TYPE_SINT32 || type == ORMA_TYPE_SINT64)
        return orma_pb_sint(f);
    return orma_pb_i64(f);
}

static struct values read_values(struct orma_import_ctx *imp,
                                 const struct orma_kernel_generic_event *g, struct orma_str payload)
{
    bool slices = g->is == ORMA_GENERIC_SLICES;
    const uint8_t wanted[] = {slices ? g->event_type : 0, slices ? g->slice_name : 0,
                              slices ? 0 : g->counter_value, g->track_name, g->scope};
    struct orma_pb_reader r = orma_pb_reader(payload.data, payload.len);
    struct orma_pb_field f;
    struct values v = {0};

    for (unsigned i = 0; i < ORMA_ARRAY_LEN(wanted); i++)
        v.missing |= wanted[i] ? 1u << i : 0;
    while (orma_pb_next(&r, &f)) {
        const struct orma_generic_field *field = find_field(g, f.id);
        uint32_t idx = field ? (uint32_t)(field - g->fields) + 1 : 0;

        for (unsigned i = 0; idx && i < ORMA_ARRAY_LEN(wanted); i++)
            v.missing &= idx == wanted[i] ? ~(1u << i) : ~0u;
        if (!idx)
            continue;
        if (idx == g->event_type)
            v.type = number_of(field->type, &f);
        else if (idx == g->counter_value)
            v.counter = number_of(field->type, &f);
        else if (idx == g->scope)
            v.scope = number_of(field->type, &f);
        else if (idx == g->slice_name)
            v.slice_name = orma_model_str(imp->model, orma_pb_str(&f));
        else if (idx == g->track_name)
            v.track_name = orma_model_str(imp->model, orma_pb_str(&f));
    }
    return v;
}

static uint32_t track_of(struct orma_import_ctx *imp, const struct orma_kernel_generic_event *g,
                         const struct orma_kernel_event *e, const struct values *v, bool counter)
{
    static const char *const types[4][2] = {
        {"kernel_trackevent_thread_slice", "kernel_trackevent_thread_counter"},
        {"kernel_trackevent_process_slice", "kernel_trackevent_process_counter"},
        {"kernel_trackevent_cpu_slice", "kernel_trackevent_cpu_counter"},
        {"kernel_trackevent_custom_slice", "kernel_trackevent_custom_counter"},
    };
    struct orma_processes *procs = orma_model_processes(imp->model, e->machine);
    uint32_t name = v->track_name ? v->track_name : g->name;
    struct orma_str scope =
        g->scope ? orma_strpool_get(&imp->model->storage->pool, g->fields[g->scope - 1].name)
                 : (struct orma_str){NULL, 0};
    struct orma_track_dim dims[3] = {
        {.key = imp->model->known.utid},
        orma_dim_str(orma_model_lit(imp->model, "tracepoint"), g->name),
        orma_dim_str(imp->model->known.name, name),
    };
    unsigned which = 0;

    if (scope.data && orma_str_eq_c(scope, "scope_tgid")) {
        which = 1;
        dims[0] =
            orma_dim(imp->model->known.upid, orma_processes_process(procs, (uint32_t)v->scope));
    } else if (scope.data && orma_str_eq_c(scope, "scope_cpu")) {
        which = 2;
        dims[0] = orma_dim(imp->model->known.cpu, v->scope);
        if (v->scope >= 0 && v->scope < ORMA_CPUS_MAX)
            (void)orma_model_ucpu(imp->model, e->machine, (uint32_t)v->scope);
    } else if (scope.data) {
        which = 3;
        dims[0] = orma_dim(imp->model->known.scope, v->scope);
    }
    if (!which)
        dims[0] = orma_dim(imp->model->known.utid, orma_processes_thread(procs, e->pid));
    return counter ? orma_model_counter_track(imp->model, e->machine, types[which][1], name, NULL,
                                              3, dims)
                   : orma_model_slice_track(imp->model, e->machine, types[which][0], name, 3, dims);
}

static bool put_slice(struct orma_import_ctx *imp, const struct orma_kernel_event *e,
                      uint32_t track, const struct values *v)
{
    switch (v->type) {
    case 'B':
        orma_slices_begin(&imp->model->slices, e->ts, track, 0, v->slice_name, NULL);
        return true;
    case 'E':
        orma_slices_end(&imp->model->slices, e->ts, track, 0, 0, NULL);
        return true;
    case 'I':
        orma_slices_complete(&imp->model->slices, e->ts, 0, track, 0, v->slice_name, NULL);
        return true;
    }
    return false;
}

void orma_kernel_generic_parse(struct orma_import_ctx *imp,
                               const struct orma_kernel_generic_event *g,
                               const struct orma_kernel_event *e)
{
    bool good = true;

    if (g->is == ORMA_GENERIC_PLAIN)
        return;
    struct values v = read_values(imp, g, e->payload);
    if (v.missing)
        good = false;
    else if (g->is == ORMA_GENERIC_COUNTER)
        orma_model_counter(imp->model, e->ts, track_of(imp, g, e, &v, true), (double)v.counter);
    else
        good = put_slice(imp, e, track_of(imp, g, e, &v, false), &v);
    if (!good)
        orma_stats_inc(orma_model_stats(imp->model, e->machine),
                       ORMA_STAT_KERNEL_TRACKEVENT_FORMAT_ERROR);
}
