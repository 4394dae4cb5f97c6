/*
 * Traces of Jaeger and spans of Zipkin (version 2), in JSON: the same things under other names, in
 * microseconds.
 *
 *   Jaeger   {"data": [{"traceID", "spans": [...], "processes": {"p1": {"serviceName", "tags"}}}]}
 *   Zipkin   [span...], or a list of such lists; the service is in "localEndpoint"
 */
#include "processor/import/formats/otlp.h"

#include "protos/reflect/json_reader.h"
#include "sdk/wire/pb_writer.h"

#define NS_PER_US 1000
/* Lists in a list. */
#define LISTS_MAX 2

/* A time, or how long something took. */
static uint64_t ns_of(struct orma_otlp_writer *w, const struct orma_json_value *v)
{
    uint64_t ns;

    if (v->type == ORMA_JSON_REAL && orma_json_number(v) >= 0 && orma_json_number(v) < 1e15)
        return (uint64_t)(orma_json_number(v) * NS_PER_US);
    return __builtin_mul_overflow(orma_otlp_number(w, v), (uint64_t)NS_PER_US, &ns) ? 0 : ns;
}

/* Without a length that is a number the span has no end: 0 would be one. */
static bool is_length(struct orma_otlp_writer *w, const struct orma_json_value *v)
{
    uint64_t val;
    const uint64_t most = INT64_MAX / NS_PER_US;
    bool good = false;

    if (v->type == ORMA_JSON_INT)
        good = v->integer >= 0 && (uint64_t)v->integer <= most;
    else if (v->type == ORMA_JSON_REAL)
        good = orma_json_number(v) >= 0 && orma_json_number(v) <= (double)most;
    else if (v->type == ORMA_JSON_STRING)
        good = orma_str_to_u64(orma_json_text(v, &w->scratch), &val) && val <= most;
    if (!good && v->type != ORMA_JSON_NULL)
        orma_file_part(w->file, ORMA_ACCOUNT_DAMAGED, "durations", v->raw.data);
    return good;
}

static struct orma_str text_of(struct orma_otlp_writer *w, const struct orma_json_value *v)
{
    return v->type == ORMA_JSON_STRING ? orma_json_text(v, &w->scratch) : (struct orma_str){"", 0};
}

static void put_times(struct orma_otlp_writer *w, uint64_t start, uint64_t length, bool has_length)
{
    orma_pb_put_fixed64(&w->out, ORMA_OTLP_SPAN_START, start);
    if (has_length && length <= UINT64_MAX - start)
        orma_pb_put_fixed64(&w->out, ORMA_OTLP_SPAN_END, start + length);
}

/* ---- Jaeger ---- */

/* [{"key", "type", "value"}] */
static void put_tags(struct orma_otlp_writer *w, uint32_t field, const struct orma_json_value *tags)
{
    struct orma_json j = orma_json_inside(tags);
    struct orma_json_value tag;

    while (tags->type == ORMA_JSON_ARRAY && orma_json_element(&j, &tag)) {
        if (tag.type != ORMA_JSON_OBJECT)
            continue;
        struct orma_json_value key = orma_json_find(&tag, "key"),
                               val = orma_json_find(&tag, "value");
        if (key.type == ORMA_JSON_STRING && val.type != ORMA_JSON_NONE)
            orma_otlp_put_pair(w, field, key.raw, &val);
    }
}

static void put_log(struct orma_otlp_writer *w, const struct orma_json_value *log)
{
    struct orma_json_value time = orma_json_find(log, "timestamp"),
                           fields = orma_json_find(log, "fields"), field;
    struct orma_json j = orma_json_inside(&fields);
    size_t begun = orma_pb_begin(&w->out, ORMA_OTLP_SPAN_EVENTS);
    bool named = false;

    orma_pb_put_fixed64(&w->out, ORMA_OTLP_EVENT_TIME, ns_of(w, &time));
    while (fields.type == ORMA_JSON_ARRAY && orma_json_element(&j, &field) && !named) {
        struct orma_json_value key, val;

        if (field.type != ORMA_JSON_OBJECT)
            continue;
        key = orma_json_find(&field, "key");
        val = orma_json_find(&field, "value");
        named = key.type == ORMA_JSON_STRING && val.type == ORMA_JSON_STRING &&
                orma_str_eq_c(key.raw, "event");
        if (named)
            orma_pb_put_str(&w->out, ORMA_OTLP_EVENT_NAME, text_of(w, &val));
    }
    if (!named)
        orma_pb_put_cstr(&w->out, ORMA_OTLP_EVENT_NAME, "log");
    put_tags(w, ORMA_OTLP_EVENT_ATTRIBUTES, &fields);
    orma_pb_end(&w->out, begun);
}

/* The first CHILD_OF is the parent, all others are links. */
static void put_references(struct orma_otlp_writer *w, const struct orma_json_value *list)
{
    struct orma_json j = orma_json_inside(list);
    struct orma_json_value ref;
    bool has_parent = false;

    while (list->type == ORMA_JSON_ARRAY && orma_json_element(&j, &ref)) {
        struct orma_json_value kind, trace, span;

        if (ref.type != ORMA_JSON_OBJECT)
            continue;
        kind = orma_json_find(&ref, "refType");
        trace = orma_json_find(&ref, "traceID");
        span = orma_json_find(&ref, "spanID");
        if (!has_parent && kind.type == ORMA_JSON_STRING && orma_str_eq_c(kind.raw, "CHILD_OF")) {
            has_parent = true;
            orma_otlp_put_id(w, ORMA_OTLP_SPAN_PARENT_SPAN_ID, text_of(w, &span), 8);
            continue;
        }
        size_t begun = orma_pb_begin(&w->out, ORMA_OTLP_SPAN_LINKS);
        orma_otlp_put_id(w, ORMA_OTLP_LINK_TRACE_ID, text_of(w, &trace), 16);
        orma_otlp_put_id(w, ORMA_OTLP_LINK_SPAN_ID, text_of(w, &span), 8);
        orma_pb_end(&w->out, begun);
    }
}

static void read_jaeger_span(struct orma_otlp_writer *w, const struct orma_json_value *span,
                             const struct orma_map *processes)
{
    struct orma_json j = orma_json_inside(span);
    struct orma_json_value v, log;
    struct orma_str key;
    uint64_t start = 0, length = 0, process = ORMA_MAP_NONE;
    bool has_length = false;

    orma_buf_clear(&w->out);
    while (span->type == ORMA_JSON_OBJECT && orma_json_member(&j, &key, &v)) {
        if (orma_json_name_is(key, "traceID")) {
            orma_otlp_put_id(w, ORMA_OTLP_SPAN_TRACE_ID, text_of(w, &v), 16);
        } else if (orma_json_name_is(key, "spanID")) {
            orma_otlp_put_id(w, ORMA_OTLP_SPAN_SPAN_ID, text_of(w, &v), 8);
        } else if (orma_json_name_is(key, "operationName")) {
            orma_pb_put_str(&w->out, ORMA_OTLP_SPAN_NAME, text_of(w, &v));
        } else if (orma_json_name_is(key, "references")) {
            put_references(w, &v);
        } else if (orma_json_name_is(key, "startTime")) {
            start = ns_of(w, &v);
        } else if (orma_json_name_is(key, "duration")) {
            length = ns_of(w, &v);
            has_length = is_length(w, &v);
        } else if (orma_json_name_is(key, "tags")) {
            put_tags(w, ORMA_OTLP_SPAN_ATTRIBUTES, &v);
        } else if (orma_json_name_is(key, "processID")) {
            process = orma_map_get(processes, orma_model_str(w->file->imp->model, text_of(w, &v)));
        } else if (orma_json_name_is(key, "logs") && v.type == ORMA_JSON_ARRAY) {
            for (struct orma_json l = orma_json_inside(&v); orma_json_element(&l, &log);)
                if (log.type == ORMA_JSON_OBJECT)
                    put_log(w, &log);
        }
    }
    if (j.failed) /* what came before counts */
        orma_file_damage(w->file, j.pos, (size_t)(j.end - j.pos), "malformed JSON");
    put_times(w, start, length, has_length);
    if (process == ORMA_MAP_NONE)
        process = orma_otlp_process(w->file, (struct orma_str){"", 0});
    struct orma_str bytes = orma_otlp_keep(w);
    if (bytes.data)
        orma_otlp_add_span(w->file, bytes, (uint32_t)process);
}

static void put_service(struct orma_otlp_writer *w, const struct orma_json_value *name)
{
    if (name->type == ORMA_JSON_STRING)
        orma_otlp_put_pair(w, ORMA_OTLP_RESOURCE_ATTRIBUTES, ORMA_STR("service.name"), name);
}

static void read_processes(struct orma_otlp_writer *w, const struct orma_json_value *object,
                           struct orma_map *ret)
{
    struct orma_json j = orma_json_inside(object);
    struct orma_json_value v;
    struct orma_str key;

    while (object->type == ORMA_JSON_OBJECT && orma_json_member(&j, &key, &v)) {
        if (v.type != ORMA_JSON_OBJECT)
            continue;
        struct orma_json_value name = orma_json_find(&v, "serviceName"),
                               tags = orma_json_find(&v, "tags");
        orma_buf_clear(&w->out);
        put_service(w, &name);
        put_tags(w, ORMA_OTLP_RESOURCE_ATTRIBUTES, &tags);
        struct orma_str resource = orma_otlp_keep(w);
        if (!resource.data || orma_map_put(ret, orma_model_str(w->file->imp->model, key),
                                           orma_otlp_process(w->file, resource)) < 0)
            w->file->imp->model->storage->failed = true;
    }
}

static void read_jaeger(struct orma_otlp_writer *w, const struct orma_json_value *data)
{
    struct orma_json j = orma_json_inside(data);
    struct orma_json_value trace, span;

    while (orma_json_element(&j, &trace) && !orma_file_failed(w->file)) {
        struct orma_map processes = {0};

        if (trace.type != ORMA_JSON_OBJECT)
            continue;
        struct orma_json_value list = orma_json_find(&trace, "processes"),
                               spans = orma_json_find(&trace, "spans");
        read_processes(w, &list, &processes);
        struct orma_json s = orma_json_inside(&spans);
        while (spans.type == ORMA_JSON_ARRAY && orma_json_element(&s, &span) &&
               !orma_file_failed(w->file))
            read_jaeger_span(w, &span, &processes);
        orma_map_fini(&processes);
    }
    if (j.failed)
        orma_file_damage(w->file, j.pos, (size_t)(j.end - j.pos), "malformed JSON");
}

/* ---- Zipkin ---- */

static uint64_t zipkin_kind(struct orma_str text)
{
    static const char *const kinds[] = {"SERVER", "CLIENT", "PRODUCER", "CONSUMER"};

    for (unsigned i = 0; i < ORMA_ARRAY_LEN(kinds); i++)
        if (orma_str_eq_c(text, kinds[i]))
            return i + 2;
    return 0;
}

static void put_annotations(struct orma_otlp_writer *w, const struct orma_json_value *list)
{
    struct orma_json j = orma_json_inside(list);
    struct orma_json_value v;

    while (list->type == ORMA_JSON_ARRAY && orma_json_element(&j, &v)) {
        if (v.type != ORMA_JSON_OBJECT)
            continue;
        struct orma_json_value time = orma_json_find(&v, "timestamp"),
                               name = orma_json_find(&v, "value");
        size_t begun = orma_pb_begin(&w->out, ORMA_OTLP_SPAN_EVENTS);
        orma_pb_put_fixed64(&w->out, ORMA_OTLP_EVENT_TIME, ns_of(w, &time));
        orma_pb_put_str(&w->out, ORMA_OTLP_EVENT_NAME, text_of(w, &name));
        orma_pb_end(&w->out, begun);
    }
}

static void read_zipkin_span(struct orma_otlp_writer *w, const struct orma_json_value *span)
{
    struct orma_json j = orma_json_inside(span);
    struct orma_json_value v, local = {0}, tag;
    struct orma_str key, name;
    uint64_t start = 0, length = 0;
    bool has_length = false;

    orma_buf_clear(&w->out);
    while (orma_json_member(&j, &key, &v)) {
        if (orma_json_name_is(key, "traceId")) {
            orma_otlp_put_id(w, ORMA_OTLP_SPAN_TRACE_ID, text_of(w, &v), 16);
        } else if (orma_json_name_is(key, "id")) {
            orma_otlp_put_id(w, ORMA_OTLP_SPAN_SPAN_ID, text_of(w, &v), 8);
        } else if (orma_json_name_is(key, "parentId")) {
            orma_otlp_put_id(w, ORMA_OTLP_SPAN_PARENT_SPAN_ID, text_of(w, &v), 8);
        } else if (orma_json_name_is(key, "name")) {
            orma_pb_put_str(&w->out, ORMA_OTLP_SPAN_NAME, text_of(w, &v));
        } else if (orma_json_name_is(key, "kind")) {
            orma_pb_put_u64(&w->out, ORMA_OTLP_SPAN_KIND, zipkin_kind(text_of(w, &v)));
        } else if (orma_json_name_is(key, "timestamp")) {
            start = ns_of(w, &v);
        } else if (orma_json_name_is(key, "duration")) {
            length = ns_of(w, &v);
            has_length = is_length(w, &v);
        } else if (orma_json_name_is(key, "localEndpoint")) {
            local = v;
        } else if (orma_json_name_is(key, "annotations")) {
            put_annotations(w, &v);
        } else if (orma_json_name_is(key, "tags") && v.type == ORMA_JSON_OBJECT) {
            for (struct orma_json t = orma_json_inside(&v); orma_json_member(&t, &name, &tag);)
                orma_otlp_put_pair(w, ORMA_OTLP_SPAN_ATTRIBUTES, name, &tag);
        }
    }
    if (j.failed) /* what came before counts */
        orma_file_damage(w->file, j.pos, (size_t)(j.end - j.pos), "malformed JSON");
    put_times(w, start, length, has_length);
    struct orma_str bytes = orma_otlp_keep(w);
    orma_buf_clear(&w->out);
    if (local.type == ORMA_JSON_OBJECT) {
        struct orma_json_value service = orma_json_find(&local, "serviceName");

        put_service(w, &service);
    }
    uint32_t process = orma_otlp_process(w->file, orma_buf_str(&w->out));
    if (bytes.data)
        orma_otlp_add_span(w->file, bytes, process);
}

static void read_zipkin(struct orma_otlp_writer *w, const struct orma_json_value *list,
                        unsigned depth)
{
    struct orma_json j = orma_json_inside(list);
    struct orma_json_value v;

    while (orma_json_element(&j, &v) && !orma_file_failed(w->file)) {
        if (v.type == ORMA_JSON_OBJECT) {
            read_zipkin_span(w, &v);
        } else if (v.type == ORMA_JSON_ARRAY && depth < LISTS_MAX) {
            read_zipkin(w, &v, depth + 1);
        } else {
            orma_file_unit(w->file, v.raw.data);
            (void)orma_file_skipped(w->file, ORMA_ACCOUNT_DAMAGED, "elements that are no spans");
        }
    }
    if (j.failed)
        orma_file_damage(w->file, j.pos, (size_t)(j.end - j.pos), "malformed JSON");
}

bool orma_otlp_read_others(struct orma_otlp_writer *w, const struct orma_json_value *v)
{
    if (v->type == ORMA_JSON_ARRAY) {
        read_zipkin(w, v, 1);
        return true;
    }
    struct orma_json_value data =
        v->type == ORMA_JSON_OBJECT ? orma_json_find(v, "data") : (struct orma_json_value){0};
    if (data.type != ORMA_JSON_ARRAY)
        return false;
    read_jaeger(w, &data);
    return true;
}
