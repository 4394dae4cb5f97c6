/*
 * Messages of OTLP: TracesData { ResourceSpans { Resource, ScopeSpans { Scope, Span } } }.
 *
 * Only what places a span is read here; its attributes wait for its row. Spans come in the order of
 * their ends, children before parents, so parents are looked for when all are there.
 */
#include "processor/import/formats/otlp.h"

#include <stdlib.h>

#include "sdk/base/hash.h"
#include "sdk/wire/pb_reader.h"

#define PARENT_KNOWN 0x100u
#define PARENT_REMOTE 0x200u
/* Numbers of processes that have none. */
#define MADE_UP UINT32_C(0x80000000)

static void no_memory(struct orma_file *file)
{
    file->imp->model->storage->failed = true;
}

/* ---- values ---- */

static void put_value(struct orma_file *file, struct orma_str value, unsigned depth,
                      struct orma_arg_key *key, struct orma_args_list *ret);

static void put_pair(struct orma_file *file, struct orma_str pair, unsigned depth,
                     struct orma_arg_key *key, struct orma_args_list *ret)
{
    struct orma_pb_reader r = orma_pb_reader(pair.data, pair.len);
    const size_t full = key->full_len, flat = key->flat_len;
    struct orma_str name = {NULL, 0}, value = {NULL, 0};
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_OTLP_KEY_VALUE_KEY && f.wire == ORMA_PB_LEN)
            name = orma_pb_str(&f);
        else if (f.id == ORMA_OTLP_KEY_VALUE_VALUE && f.wire == ORMA_PB_LEN)
            value = orma_pb_str(&f);
    }
    if (!name.len)
        return;
    orma_arg_key_push(key, name); /* dots nest: http.request.method */
    put_value(file, value, depth, key, ret);
    key->full_len = full;
    key->flat_len = flat;
}

static void put_list(struct orma_file *file, struct orma_str list, bool pairs, unsigned depth,
                     struct orma_arg_key *key, struct orma_args_list *ret)
{
    struct orma_pb_reader r = orma_pb_reader(list.data, list.len);
    struct orma_pb_field f;
    unsigned num = 0;

    if (depth == ORMA_OTLP_DEPTH_MAX) {
        orma_file_part(file, ORMA_ACCOUNT_NOT_READ, "values that lie too deep in others", NULL);
        return;
    }
    while (orma_pb_next(&r, &f)) {
        const size_t full = key->full_len, flat = key->flat_len;

        if (f.id != ORMA_OTLP_LIST_VALUES || f.wire != ORMA_PB_LEN)
            continue;
        if (pairs) {
            put_pair(file, orma_pb_str(&f), depth + 1, key, ret);
        } else {
            orma_arg_key_push_index(key, num++);
            put_value(file, orma_pb_str(&f), depth + 1, key, ret);
        }
        key->full_len = full;
        key->flat_len = flat;
    }
}

static void put_hex(struct orma_file *file, struct orma_str bytes, struct orma_arg_key *key,
                    struct orma_args_list *ret)
{
    struct orma_buf text = {0};

    for (size_t i = 0; i < bytes.len; i++)
        orma_buf_printf(&text, "%02x", (uint8_t)bytes.data[i]);
    orma_arg_put_text(file->imp, key, orma_buf_str(&text), ret);
    orma_buf_fini(&text);
}

static void put_value(struct orma_file *file, struct orma_str value, unsigned depth,
                      struct orma_arg_key *key, struct orma_args_list *ret)
{
    struct orma_pb_reader r = orma_pb_reader(value.data, value.len);
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        const bool text = f.wire == ORMA_PB_LEN, number = f.wire == ORMA_PB_VARINT;

        if (f.id == ORMA_OTLP_VALUE_STRING && text)
            orma_arg_put_text(file->imp, key, orma_pb_str(&f), ret);
        else if (f.id == ORMA_OTLP_VALUE_BOOL && number)
            orma_arg_put(file->imp, key, ORMA_ARG_BOOL, orma_pb_bool(&f), ret);
        else if (f.id == ORMA_OTLP_VALUE_INT && number)
            orma_arg_put(file->imp, key, ORMA_ARG_INT, orma_pb_i64(&f), ret);
        else if (f.id == ORMA_OTLP_VALUE_DOUBLE && f.wire == ORMA_PB_I64)
            orma_arg_put_double(file->imp, key, orma_pb_double(&f), ret);
        else if ((f.id == ORMA_OTLP_VALUE_ARRAY || f.id == ORMA_OTLP_VALUE_LIST) && text)
            put_list(file, orma_pb_str(&f), f.id == ORMA_OTLP_VALUE_LIST, depth, key, ret);
        else if (f.id == ORMA_OTLP_VALUE_BYTES && text)
            put_hex(file, orma_pb_str(&f), key, ret);
    }
}

void orma_otlp_put_attributes(struct orma_file *file, struct orma_str message, uint32_t field,
                              struct orma_arg_key *key, struct orma_args_list *ret)
{
    struct orma_pb_reader r = orma_pb_reader(message.data, message.len);
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f))
        if (f.id == field && f.wire == ORMA_PB_LEN)
            put_pair(file, orma_pb_str(&f), 0, key, ret);
}

/* ---- processes ---- */

static uint32_t text_of(struct orma_import_ctx *imp, const struct orma_args_list *args,
                        const char *key)
{
    uint32_t name = orma_model_cstr(imp->model, key);

    for (uint32_t i = 0; i < args->len; i++)
        if (args->args[i].key == name && args->args[i].type == ORMA_ARG_STRING)
            return (uint32_t)args->args[i].i;
    return 0;
}

/* 0: it has none. */
static uint32_t pid_of(struct orma_import_ctx *imp, const struct orma_args_list *args)
{
    uint32_t name = orma_model_cstr(imp->model, "process.pid");

    for (uint32_t i = 0; i < args->len; i++)
        if (args->args[i].key == name && args->args[i].type == ORMA_ARG_INT &&
            args->args[i].i > 0 && args->args[i].i <= INT32_MAX)
            return (uint32_t)args->args[i].i;
    return 0;
}

/* Containers have the same pids: whoever comes second gets a number that is made up. */
static uint32_t upid_of(struct orma_file *file, const struct orma_args_list *args,
                        struct orma_str resource, uint32_t *ret_pid)
{
    struct orma_import_ctx *imp = file->imp;
    struct orma_processes *p = orma_model_processes(imp->model, file->machine);
    uint32_t pid = pid_of(imp, args), name = text_of(imp, args, "service.name");

    if (!pid || orma_processes_find_process(p, pid) != ORMA_ID_NONE)
        pid = MADE_UP |
              (uint32_t)(orma_fnv1a(ORMA_FNV1A_BASIS, resource.data, resource.len) & 0x3fffffff);
    uint32_t upid = orma_processes_process(p, pid);
    *ret_pid = pid;
    orma_processes_name_process(p, upid,
                                name ? name : orma_model_lit(imp->model, "unknown_service"),
                                ORMA_PROCESS_NAME_OTHER);
    orma_model_add_args(imp->model, ORMA_TABLE_PROCESS, ORMA_PROCESS_ARG_SET_ID, upid, args);
    return upid;
}

/* The place of a resource in the list of processes. */
uint32_t orma_otlp_process(struct orma_file *file, struct orma_str resource)
{
    struct orma_otlp *self = file->state;
    uint32_t text = orma_model_str(file->imp->model, resource);
    uint64_t known = orma_map_get(&self->by_process, text);
    struct orma_arg_key key = {.full_len = 0};

    if (known != ORMA_MAP_NONE)
        return (uint32_t)known;
    ORMA_MODEL_ARGS(args, file->imp->model);
    orma_otlp_put_attributes(file, resource, ORMA_OTLP_RESOURCE_ATTRIBUTES, &key, args);
    struct orma_otlp_process process = {0};
    process.upid = upid_of(file, args, resource, &process.pid);
    if (ORMA_VEC_PUSH(&self->processes, process) ||
        orma_map_put(&self->by_process, text, self->processes.len - 1) < 0) {
        no_memory(file);
        return 0;
    }
    return self->processes.len - 1;
}

/* ---- ids ---- */

static uint64_t hash_of(const struct orma_otlp_id *id)
{
    return orma_hash_bytes_from(orma_hash_seed(), id, sizeof(*id)) >> 1;
}

uint32_t orma_otlp_find(const struct orma_otlp *self, const struct orma_otlp_id *id)
{
    for (uint64_t at = hash_of(id);; at++) {
        uint64_t found = orma_map_get(&self->by_id, at);

        if (found == ORMA_MAP_NONE)
            return ORMA_OTLP_NOBODY;
        if (!memcmp(&self->spans.data[found - 1].id, id, sizeof(*id)))
            return (uint32_t)(found - 1);
    }
}

static bool note_id(struct orma_otlp *self, const struct orma_otlp_id *id, uint32_t idx)
{
    uint64_t at = hash_of(id);

    while (orma_map_get(&self->by_id, at) != ORMA_MAP_NONE)
        at++;
    return orma_map_put(&self->by_id, at, idx + (uint64_t)1) == 0;
}

/* ---- spans ---- */

static bool copy_id(const struct orma_pb_field *f, uint8_t *to, size_t len)
{
    if (f->wire != ORMA_PB_LEN || f->len != len)
        return false;
    memcpy(to, f->data, len);
    return true;
}

static bool is_zero(const uint8_t *at, size_t len)
{
    while (len && !at[len - 1])
        len--;
    return !len;
}

struct times {
    uint64_t start, end;
    uint32_t flags;
};

/* False: it is malformed. */
static bool read_span(struct orma_file *file, struct orma_str bytes, struct orma_otlp_span *span,
                      struct times *ret)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;
    bool good = true;

    while (orma_pb_next(&r, &f)) {
        switch (f.id) {
        case ORMA_OTLP_SPAN_TRACE_ID:
            good &= copy_id(&f, span->id.trace, sizeof(span->id.trace));
            break;
        case ORMA_OTLP_SPAN_SPAN_ID:
            good &= copy_id(&f, span->id.span, sizeof(span->id.span));
            break;
        case ORMA_OTLP_SPAN_PARENT_SPAN_ID:
            span->has_parent = copy_id(&f, span->parent_id, sizeof(span->parent_id)) &&
                               !is_zero(span->parent_id, sizeof(span->parent_id));
            break;
        case ORMA_OTLP_SPAN_NAME:
            span->name = orma_model_str(file->imp->model, orma_pb_str(&f));
            break;
        case ORMA_OTLP_SPAN_START:
            ret->start = orma_pb_u64(&f);
            break;
        case ORMA_OTLP_SPAN_END:
            ret->end = orma_pb_u64(&f);
            break;
        case ORMA_OTLP_SPAN_FLAGS:
            ret->flags = orma_pb_u32(&f);
            break;
        }
    }
    return good && !r.failed;
}

/* Events of a span, each a unit. */
static void note_events(struct orma_file *file, struct orma_str bytes, uint32_t span)
{
    struct orma_otlp *self = file->state;
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f))
        if (f.id == ORMA_OTLP_SPAN_EVENTS && f.wire == ORMA_PB_LEN &&
            ORMA_VEC_PUSH(&self->events, (struct orma_otlp_item){span, orma_pb_str(&f)}))
            no_memory(file);
}

/* Of a span that has no row. */
static void skip_events(struct orma_file *file, struct orma_str bytes)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        if (f.id != ORMA_OTLP_SPAN_EVENTS || f.wire != ORMA_PB_LEN)
            continue;
        orma_file_unit(file, f.data);
        (void)orma_file_skipped(file, ORMA_ACCOUNT_NOT_READ, "events of spans without a row");
    }
}

/* A span that has no row; others are units when their row is due. */
static void skip_span(struct orma_file *file, struct orma_str bytes,
                      enum orma_account_reason reason, const char *kind)
{
    orma_file_unit(file, bytes.data);
    (void)orma_file_skipped(file, reason, kind);
    skip_events(file, bytes);
}

static void add_span(struct orma_file *file, struct orma_str bytes, const struct orma_otlp_span *of)
{
    struct orma_otlp *self = file->state;
    struct orma_otlp_span span = *of;
    struct times t = {0};

    span.bytes = bytes;
    if (!read_span(file, bytes, &span, &t)) {
        orma_file_unit(file, bytes.data);
        (void)orma_file_damaged(file, "spans", bytes.data, bytes.len, "a malformed span");
        skip_events(file, bytes);
        return;
    }
    if (!t.start || t.start > INT64_MAX || t.end > INT64_MAX) {
        skip_span(file, bytes, ORMA_ACCOUNT_CLOCK, "spans without a time");
        return;
    }
    uint32_t other = orma_otlp_find(self, &span.id);
    bool anonymous = is_zero(span.id.span, sizeof(span.id.span));
    if (!anonymous && other != ORMA_OTLP_NOBODY && self->spans.data[other].ts == (int64_t)t.start) {
        skip_span(file, bytes, ORMA_ACCOUNT_NOT_READ, "spans that are in the file twice");
        return;
    }
    span.ts = (int64_t)t.start;
    span.end = t.end ? ORMA_MAX((int64_t)t.end, span.ts) : INT64_MIN;
    span.parent_is_here = (t.flags & PARENT_KNOWN) && !(t.flags & PARENT_REMOTE);
    span.parent = span.slice = span.lane = ORMA_OTLP_NOBODY;
    const uint32_t idx = self->spans.len;
    if (ORMA_VEC_PUSH(&self->spans, span) ||
        (!anonymous && other == ORMA_OTLP_NOBODY && !note_id(self, &span.id, idx)))
        no_memory(file);
    if (t.end && t.end < t.start)
        orma_file_part(file, ORMA_ACCOUNT_DAMAGED, "ends of spans before their begin", bytes.data);
    note_events(file, bytes, idx);
}

void orma_otlp_add_span(struct orma_file *file, struct orma_str bytes, uint32_t process)
{
    const struct orma_otlp_span span = {.process = process};

    if (process != ORMA_OTLP_NOBODY)
        add_span(file, bytes, &span);
}

static void read_scope_spans(struct orma_file *file, struct orma_str bytes, uint32_t process)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len), again = r;
    struct orma_otlp_span span = {.process = process};
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        struct orma_pb_reader s = orma_pb_sub(&f);
        struct orma_pb_field v;

        if (f.id != ORMA_OTLP_SCOPE_SPANS_SCOPE || f.wire != ORMA_PB_LEN)
            continue;
        while (orma_pb_next(&s, &v)) {
            if (v.id == ORMA_OTLP_SCOPE_NAME && v.wire == ORMA_PB_LEN)
                span.scope = orma_model_str(file->imp->model, orma_pb_str(&v));
            else if (v.id == ORMA_OTLP_SCOPE_VERSION && v.wire == ORMA_PB_LEN)
                span.version = orma_model_str(file->imp->model, orma_pb_str(&v));
        }
    }
    while (orma_pb_next(&again, &f) && !orma_file_failed(file)) {
        if (f.id == ORMA_OTLP_SCOPE_SPANS_SPANS && f.wire == ORMA_PB_LEN)
            add_span(file, orma_pb_str(&f), &span);
    }
    if (again.failed)
        orma_file_damage(file, bytes.data, bytes.len, "a malformed list of spans");
}

static void read_resource_spans(struct orma_file *file, struct orma_str bytes)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len), again = r;
    struct orma_str resource = {"", 0};
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f))
        if (f.id == ORMA_OTLP_RESOURCE_SPANS_RESOURCE && f.wire == ORMA_PB_LEN)
            resource = orma_pb_str(&f);
    uint32_t process = orma_otlp_process(file, resource);
    while (orma_pb_next(&again, &f) && !orma_file_failed(file))
        if (f.id == ORMA_OTLP_RESOURCE_SPANS_SCOPE_SPANS && f.wire == ORMA_PB_LEN)
            read_scope_spans(file, orma_pb_str(&f), process);
    if (again.failed)
        orma_file_damage(file, bytes.data, bytes.len, "a malformed list of spans");
}

void orma_otlp_read(struct orma_file *file, struct orma_str message)
{
    struct orma_pb_reader r = orma_pb_reader(message.data, message.len);
    struct orma_pb_field f;
    const uint8_t *at = r.pos;

    for (; orma_pb_next(&r, &f) && !orma_file_failed(file); at = r.pos)
        if (f.id == ORMA_OTLP_TRACES_RESOURCE_SPANS && f.wire == ORMA_PB_LEN)
            read_resource_spans(file, orma_pb_str(&f));
    if (r.failed)
        orma_file_truncated(file, (uint64_t)((const uint8_t *)message.data + message.len - at));
}
