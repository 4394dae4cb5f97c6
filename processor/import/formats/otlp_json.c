/*
 * JSON of OTLP to its messages: one table for each, whose rows are the names that may stand in it.
 *
 * Names are in camel case; those with underscores are taken, too. Integers may be texts, and
 * numbers of enums their names. Ids are hex, in old files base64. What is unknown is left out, as
 * the format wants it.
 */
#include "processor/import/formats/otlp_profiles.h"

#include <stdlib.h>
#include <string.h>

#include "protos/reflect/json_reader.h"
#include "sdk/base/base64.h"
#include "sdk/wire/pb_writer.h"

/* Messages in messages: values in values, and around them. */
#define DEPTH_MAX (3 * ORMA_OTLP_DEPTH_MAX + 8)

/* To find that a value has no end, all is read up to the end of the file: after so many of them
 * each value is in one line, as collectors write them. */
#define BROKEN_MAX 8

enum kind { KIND_TEXT, KIND_ID, KIND_BYTES, KIND_FIXED64, KIND_NUMBER, KIND_DOUBLE, KIND_MESSAGE };

struct row {
    const char *name; /* NULL ends a table */
    uint8_t field, kind;
    const struct row *sub;
};

static const struct row value[9], pair[4]; /* they hold each other */

static const struct row list[] = {{"values", ORMA_OTLP_LIST_VALUES, KIND_MESSAGE, value}, {0}};
static const struct row pairs[] = {{"values", ORMA_OTLP_LIST_VALUES, KIND_MESSAGE, pair}, {0}};
static const struct row value[9] = {
    {"stringValue", ORMA_OTLP_VALUE_STRING, KIND_TEXT, NULL},
    {"boolValue", ORMA_OTLP_VALUE_BOOL, KIND_NUMBER, NULL},
    {"intValue", ORMA_OTLP_VALUE_INT, KIND_NUMBER, NULL},
    {"doubleValue", ORMA_OTLP_VALUE_DOUBLE, KIND_DOUBLE, NULL},
    {"arrayValue", ORMA_OTLP_VALUE_ARRAY, KIND_MESSAGE, list},
    {"kvlistValue", ORMA_OTLP_VALUE_LIST, KIND_MESSAGE, pairs},
    {"bytesValue", ORMA_OTLP_VALUE_BYTES, KIND_BYTES, NULL},
    {"stringValueStrindex", ORMA_OTLP_VALUE_STRING_NUMBER, KIND_NUMBER, NULL},
    {0},
};
static const struct row pair[4] = {
    {"key", ORMA_OTLP_KEY_VALUE_KEY, KIND_TEXT, NULL},
    {"value", ORMA_OTLP_KEY_VALUE_VALUE, KIND_MESSAGE, value},
    {"keyStrindex", ORMA_OTLP_KEY_VALUE_KEY_NUMBER, KIND_NUMBER, NULL},
    {0},
};
static const struct row event[] = {
    {"timeUnixNano", ORMA_OTLP_EVENT_TIME, KIND_FIXED64, NULL},
    {"name", ORMA_OTLP_EVENT_NAME, KIND_TEXT, NULL},
    {"attributes", ORMA_OTLP_EVENT_ATTRIBUTES, KIND_MESSAGE, pair},
    {0},
};
static const struct row link[] = {
    {"traceId", ORMA_OTLP_LINK_TRACE_ID, KIND_ID, NULL},
    {"spanId", ORMA_OTLP_LINK_SPAN_ID, KIND_ID, NULL},
    {"attributes", ORMA_OTLP_LINK_ATTRIBUTES, KIND_MESSAGE, pair},
    {0},
};
static const struct row status[] = {
    {"message", ORMA_OTLP_STATUS_MESSAGE, KIND_TEXT, NULL},
    {"code", ORMA_OTLP_STATUS_CODE, KIND_NUMBER, NULL},
    {0},
};
static const struct row span[] = {
    {"traceId", ORMA_OTLP_SPAN_TRACE_ID, KIND_ID, NULL},
    {"spanId", ORMA_OTLP_SPAN_SPAN_ID, KIND_ID, NULL},
    {"traceState", ORMA_OTLP_SPAN_TRACE_STATE, KIND_TEXT, NULL},
    {"parentSpanId", ORMA_OTLP_SPAN_PARENT_SPAN_ID, KIND_ID, NULL},
    {"name", ORMA_OTLP_SPAN_NAME, KIND_TEXT, NULL},
    {"kind", ORMA_OTLP_SPAN_KIND, KIND_NUMBER, NULL},
    {"startTimeUnixNano", ORMA_OTLP_SPAN_START, KIND_FIXED64, NULL},
    {"endTimeUnixNano", ORMA_OTLP_SPAN_END, KIND_FIXED64, NULL},
    {"attributes", ORMA_OTLP_SPAN_ATTRIBUTES, KIND_MESSAGE, pair},
    {"droppedAttributesCount", ORMA_OTLP_SPAN_DROPPED_ATTRIBUTES, KIND_NUMBER, NULL},
    {"events", ORMA_OTLP_SPAN_EVENTS, KIND_MESSAGE, event},
    {"droppedEventsCount", ORMA_OTLP_SPAN_DROPPED_EVENTS, KIND_NUMBER, NULL},
    {"links", ORMA_OTLP_SPAN_LINKS, KIND_MESSAGE, link},
    {"droppedLinksCount", ORMA_OTLP_SPAN_DROPPED_LINKS, KIND_NUMBER, NULL},
    {"status", ORMA_OTLP_SPAN_STATUS, KIND_MESSAGE, status},
    {"flags", ORMA_OTLP_SPAN_FLAGS, KIND_NUMBER, NULL},
    {0},
};
static const struct row scope[] = {
    {"name", ORMA_OTLP_SCOPE_NAME, KIND_TEXT, NULL},
    {"version", ORMA_OTLP_SCOPE_VERSION, KIND_TEXT, NULL},
    {0},
};
static const struct row scope_spans[] = {
    {"scope", ORMA_OTLP_SCOPE_SPANS_SCOPE, KIND_MESSAGE, scope},
    {"instrumentationLibrary", ORMA_OTLP_SCOPE_SPANS_SCOPE, KIND_MESSAGE, scope},
    {"spans", ORMA_OTLP_SCOPE_SPANS_SPANS, KIND_MESSAGE, span},
    {0},
};
static const struct row resource[] = {
    {"attributes", ORMA_OTLP_RESOURCE_ATTRIBUTES, KIND_MESSAGE, pair},
    {0},
};
static const struct row resource_spans[] = {
    {"resource", ORMA_OTLP_RESOURCE_SPANS_RESOURCE, KIND_MESSAGE, resource},
    {"scopeSpans", ORMA_OTLP_RESOURCE_SPANS_SCOPE_SPANS, KIND_MESSAGE, scope_spans},
    {"instrumentationLibrarySpans", ORMA_OTLP_RESOURCE_SPANS_SCOPE_SPANS, KIND_MESSAGE,
     scope_spans},
    {0},
};
static const struct row traces[] = {
    {"resourceSpans", ORMA_OTLP_TRACES_RESOURCE_SPANS, KIND_MESSAGE, resource_spans},
    {"batches", ORMA_OTLP_TRACES_RESOURCE_SPANS, KIND_MESSAGE, resource_spans}, /* of Tempo */
    {0},
};

/* ---- the same, of profiles ---- */

static const struct row value_type[] = {
    {"typeStrindex", ORMA_OTLP_VALUE_TYPE_TYPE, KIND_NUMBER, NULL},
    {"unitStrindex", ORMA_OTLP_VALUE_TYPE_UNIT, KIND_NUMBER, NULL},
    {0},
};
static const struct row sample[] = {
    {"stackIndex", ORMA_OTLP_SAMPLE_STACK, KIND_NUMBER, NULL},
    {"attributeIndices", ORMA_OTLP_SAMPLE_ATTRIBUTES, KIND_NUMBER, NULL},
    {"linkIndex", ORMA_OTLP_SAMPLE_LINK, KIND_NUMBER, NULL},
    {"values", ORMA_OTLP_SAMPLE_VALUES, KIND_NUMBER, NULL},
    {"timestampsUnixNano", ORMA_OTLP_SAMPLE_TIMES, KIND_FIXED64, NULL},
    {0},
};
static const struct row profile[] = {
    {"sampleType", ORMA_OTLP_PROFILE_SAMPLE_TYPE, KIND_MESSAGE, value_type},
    {"samples", ORMA_OTLP_PROFILE_SAMPLES, KIND_MESSAGE, sample},
    {"periodType", ORMA_OTLP_PROFILE_PERIOD_TYPE, KIND_MESSAGE, value_type},
    {"period", ORMA_OTLP_PROFILE_PERIOD, KIND_NUMBER, NULL},
    {"originalPayload", ORMA_OTLP_PROFILE_ORIGINAL_PAYLOAD, KIND_BYTES, NULL},
    {0},
};
static const struct row scope_profiles[] = {
    {"profiles", ORMA_OTLP_SCOPE_PROFILES_PROFILES, KIND_MESSAGE, profile},
    {0},
};
static const struct row resource_profiles[] = {
    {"resource", ORMA_OTLP_RESOURCE_PROFILES_RESOURCE, KIND_MESSAGE, resource},
    {"scopeProfiles", ORMA_OTLP_RESOURCE_PROFILES_SCOPE_PROFILES, KIND_MESSAGE, scope_profiles},
    {0},
};
static const struct row mapping[] = {
    {"memoryStart", ORMA_OTLP_MAPPING_START, KIND_NUMBER, NULL},
    {"memoryLimit", ORMA_OTLP_MAPPING_LIMIT, KIND_NUMBER, NULL},
    {"fileOffset", ORMA_OTLP_MAPPING_OFFSET, KIND_NUMBER, NULL},
    {"filenameStrindex", ORMA_OTLP_MAPPING_FILENAME, KIND_NUMBER, NULL},
    {"attributeIndices", ORMA_OTLP_MAPPING_ATTRIBUTES, KIND_NUMBER, NULL},
    {0},
};
static const struct row code_line[] = {
    {"functionIndex", ORMA_OTLP_LINE_FUNCTION, KIND_NUMBER, NULL},
    {"line", ORMA_OTLP_LINE_LINE, KIND_NUMBER, NULL},
    {0},
};
static const struct row location[] = {
    {"mappingIndex", ORMA_OTLP_LOCATION_MAPPING, KIND_NUMBER, NULL},
    {"address", ORMA_OTLP_LOCATION_ADDRESS, KIND_NUMBER, NULL},
    {"lines", ORMA_OTLP_LOCATION_LINES, KIND_MESSAGE, code_line},
    {"attributeIndices", ORMA_OTLP_LOCATION_ATTRIBUTES, KIND_NUMBER, NULL},
    {0},
};
static const struct row function[] = {
    {"nameStrindex", ORMA_OTLP_FUNCTION_NAME, KIND_NUMBER, NULL},
    {"systemNameStrindex", ORMA_OTLP_FUNCTION_SYSTEM_NAME, KIND_NUMBER, NULL},
    {"filenameStrindex", ORMA_OTLP_FUNCTION_FILENAME, KIND_NUMBER, NULL},
    {"startLine", ORMA_OTLP_FUNCTION_START_LINE, KIND_NUMBER, NULL},
    {0},
};
static const struct row profiles_link[] = {
    {"traceId", ORMA_OTLP_PROFILES_LINK_TRACE_ID, KIND_ID, NULL},
    {"spanId", ORMA_OTLP_PROFILES_LINK_SPAN_ID, KIND_ID, NULL},
    {0},
};
static const struct row attribute[] = {
    {"keyStrindex", ORMA_OTLP_ATTRIBUTE_KEY, KIND_NUMBER, NULL},
    {"value", ORMA_OTLP_ATTRIBUTE_VALUE, KIND_MESSAGE, value},
    {0},
};
static const struct row stack[] = {
    {"locationIndices", ORMA_OTLP_STACK_LOCATIONS, KIND_NUMBER, NULL},
    {0},
};
static const struct row dictionary[] = {
    {"mappingTable", ORMA_OTLP_DICTIONARY_MAPPINGS, KIND_MESSAGE, mapping},
    {"locationTable", ORMA_OTLP_DICTIONARY_LOCATIONS, KIND_MESSAGE, location},
    {"functionTable", ORMA_OTLP_DICTIONARY_FUNCTIONS, KIND_MESSAGE, function},
    {"linkTable", ORMA_OTLP_DICTIONARY_LINKS, KIND_MESSAGE, profiles_link},
    {"stringTable", ORMA_OTLP_DICTIONARY_STRINGS, KIND_TEXT, NULL},
    {"attributeTable", ORMA_OTLP_DICTIONARY_ATTRIBUTES, KIND_MESSAGE, attribute},
    {"stackTable", ORMA_OTLP_DICTIONARY_STACKS, KIND_MESSAGE, stack},
    {0},
};
static const struct row profiles[] = {
    {"resourceProfiles", ORMA_OTLP_PROFILES_RESOURCE_PROFILES, KIND_MESSAGE, resource_profiles},
    {"dictionary", ORMA_OTLP_PROFILES_DICTIONARY, KIND_MESSAGE, dictionary},
    {0},
};

/* ---- names ---- */

/* "start_time" for "startTime", too. */
static bool is_name(struct orma_str key, const char *name)
{
    for (size_t i = 0; i < key.len; i++) {
        char c = key.data[i];

        if (c == '_' && i + 1 < key.len)
            c = (char)(key.data[++i] & ~0x20);
        if (!*name || *name++ != c)
            return false;
    }
    return !*name;
}

static const struct row *find(const struct row *table, struct orma_str key)
{
    for (; table->name; table++)
        if (is_name(key, table->name))
            return table;
    return NULL;
}

/* ---- values ---- */

static void put_scalar(struct orma_otlp_writer *w, const struct row *row,
                       const struct orma_json_value *v)
{
    struct orma_str text =
        v->type == ORMA_JSON_STRING ? orma_json_text(v, &w->scratch) : (struct orma_str){NULL, 0};
    double real = 0;

    switch ((enum kind)row->kind) {
    case KIND_TEXT:
        if (text.data)
            orma_pb_put_str(&w->out, row->field, text);
        break;
    case KIND_ID:
        orma_otlp_put_id(w, row->field, text,
                         orma_str_eq_c(orma_str_from(row->name), "traceId") ? 16 : 8);
        break;
    case KIND_BYTES:
        orma_buf_clear(&w->bytes);
        if (orma_base64_decode(text, ORMA_BASE64_LENIENT, &w->bytes))
            orma_pb_put_bytes(&w->out, row->field, w->bytes.data, w->bytes.len);
        break;
    case KIND_FIXED64:
        orma_pb_put_fixed64(&w->out, row->field, orma_otlp_number(w, v));
        break;
    case KIND_NUMBER:
        orma_pb_put_u64(&w->out, row->field, orma_otlp_number(w, v));
        break;
    case KIND_DOUBLE: /* "NaN" and "Infinity" stay texts */
        if (text.data && !orma_json_text_number(text, &real))
            orma_pb_put_str(&w->out, ORMA_OTLP_VALUE_STRING, text);
        else
            orma_pb_put_double(&w->out, row->field, text.data ? real : orma_json_number(v));
        break;
    case KIND_MESSAGE:
        break;
    }
}

/* One value, or a list of them, of which each keeps its place. */
static void put_scalars(struct orma_otlp_writer *w, const struct row *row,
                        const struct orma_json_value *v)
{
    struct orma_json_value element;

    if (v->type != ORMA_JSON_ARRAY) {
        put_scalar(w, row, v);
        return;
    }
    struct orma_json j = orma_json_inside(v);
    while (orma_json_element(&j, &element)) {
        if (row->kind == KIND_TEXT && element.type != ORMA_JSON_STRING)
            orma_pb_put_str(&w->out, row->field, ORMA_STR(""));
        else
            put_scalar(w, row, &element);
    }
    if (j.failed)
        orma_file_damage(w->file, j.pos, (size_t)(j.end - j.pos), "malformed JSON");
}

/* An object, or a list of them. */
static void put_messages(struct orma_otlp_writer *w, const struct row *row,
                         const struct orma_json_value *v, unsigned depth);

static void put_members(struct orma_otlp_writer *w, const struct row *table,
                        const struct orma_json_value *object, unsigned depth)
{
    struct orma_json j = orma_json_inside(object);
    struct orma_json_value v;
    struct orma_str key;

    while (orma_json_member(&j, &key, &v)) {
        const struct row *row = find(table, key);

        if (!row || v.type == ORMA_JSON_NULL)
            continue;
        if (row->kind == KIND_MESSAGE)
            put_messages(w, row, &v, depth + 1);
        else
            put_scalars(w, row, &v);
    }
    if (j.failed)
        orma_file_damage(w->file, j.pos, (size_t)(j.end - j.pos), "malformed JSON");
}

static void put_messages(struct orma_otlp_writer *w, const struct row *row,
                         const struct orma_json_value *v, unsigned depth)
{
    struct orma_json_value element;

    if (depth > DEPTH_MAX) {
        orma_file_part(w->file, ORMA_ACCOUNT_NOT_READ, "values that lie too deep in others",
                       (const uint8_t *)v->raw.data);
        return;
    }
    if (v->type == ORMA_JSON_OBJECT) {
        size_t begun = orma_pb_begin(&w->out, row->field);

        put_members(w, row->sub, v, depth);
        orma_pb_end(&w->out, begun);
    } else if (v->type == ORMA_JSON_ARRAY) {
        struct orma_json j = orma_json_inside(v);

        while (orma_json_element(&j, &element))
            if (element.type == ORMA_JSON_OBJECT)
                put_messages(w, row, &element, depth);
        if (j.failed)
            orma_file_damage(w->file, j.pos, (size_t)(j.end - j.pos), "malformed JSON");
    }
}

/* ---- lines ---- */

static bool has_profiles(const struct orma_json_value *object)
{
    struct orma_json j = orma_json_inside(object);
    struct orma_json_value v;
    struct orma_str key;

    while (orma_json_member(&j, &key, &v))
        if (is_name(key, "resourceProfiles"))
            return true;
    return false;
}

static void read_value(struct orma_otlp_writer *w, const struct orma_json_value *v)
{
    const bool of_profiles = v->type == ORMA_JSON_OBJECT && has_profiles(v);

    orma_buf_clear(&w->out);
    if (v->type == ORMA_JSON_OBJECT)
        put_members(w, of_profiles ? profiles : traces, v, 0);
    if (w->out.len) {
        struct orma_str message = orma_otlp_keep(w);

        if (message.data && !of_profiles)
            orma_otlp_read(w->file, message);
        else if (message.data && !orma_otlp_read_profiles(w->file, message)) {
            orma_file_unit(w->file, v->raw.data);
            (void)orma_file_skipped(w->file, ORMA_ACCOUNT_DAMAGED,
                                    "values of JSON with profiles, but without their dictionary");
        }
        return;
    }
    if (orma_otlp_read_others(w, v))
        return;
    orma_file_unit(w->file, v->raw.data);
    (void)orma_file_skipped(w->file, ORMA_ACCOUNT_NOT_READ,
                            "values of JSON without spans and profiles");
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

void orma_otlp_read_json(struct orma_file *file, struct orma_str text)
{
    struct orma_otlp_writer w = {.file = file};
    const char *at = text.data, *end = at + text.len, *line = at;
    unsigned broken = 0;

    while (!orma_file_failed(file)) {
        while (at < end && is_blank(*at))
            at++;
        if (at == end)
            break;
        if (line <= at && !(line = memchr(at, '\n', (size_t)(end - at))))
            line = end;
        struct orma_json j =
            orma_json((struct orma_str){at, (size_t)((broken < BROKEN_MAX ? end : line) - at)});
        struct orma_json_value v;
        if (orma_json_read(&j, &v)) {
            read_value(&w, &v);
            at = j.pos;
            continue;
        }
        orma_file_unit(file, at); /* the next line may be whole */
        (void)orma_file_damaged(file, "lines of JSON", at, (size_t)(line - at), "malformed JSON");
        at = line;
        broken++;
    }
    orma_buf_fini(&w.out);
    orma_buf_fini(&w.scratch);
    orma_buf_fini(&w.bytes);
}
