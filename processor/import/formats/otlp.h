/*
 * Spans of OpenTelemetry; profiles, which have the same resources, are in otlp_profiles.h.
 *
 *   otlp_json.c    OTLP in JSON to messages of OTLP
 *   otlp_others.c  what Jaeger and Zipkin write, the same; otlp_values.c: values of both
 *   otlp_spans.c   messages to spans: ids, times, processes
 *   otlp.c         rows: lanes, slices, instants, flows
 *
 * Messages lie in the file, or in memory of `arena`, up to the end of the import.
 */
#ifndef ORMA_PROCESSOR_IMPORT_FORMATS_OTLP_H
#define ORMA_PROCESSOR_IMPORT_FORMATS_OTLP_H
#include "processor/import/core/arg_key.h"
#include "processor/import/core/file.h"
#include "sdk/base/arena.h"
#include "sdk/base/vec.h"

/* Numbers of fields, as in opentelemetry-proto. */
enum orma_otlp_field {
    ORMA_OTLP_TRACES_RESOURCE_SPANS = 1,
    ORMA_OTLP_RESOURCE_SPANS_RESOURCE = 1,
    ORMA_OTLP_RESOURCE_SPANS_SCOPE_SPANS = 2,
    ORMA_OTLP_RESOURCE_ATTRIBUTES = 1,
    ORMA_OTLP_SCOPE_SPANS_SCOPE = 1,
    ORMA_OTLP_SCOPE_SPANS_SPANS = 2,
    ORMA_OTLP_SCOPE_NAME = 1,
    ORMA_OTLP_SCOPE_VERSION = 2,
    ORMA_OTLP_SPAN_TRACE_ID = 1,
    ORMA_OTLP_SPAN_SPAN_ID = 2,
    ORMA_OTLP_SPAN_TRACE_STATE = 3,
    ORMA_OTLP_SPAN_PARENT_SPAN_ID = 4,
    ORMA_OTLP_SPAN_NAME = 5,
    ORMA_OTLP_SPAN_KIND = 6,
    ORMA_OTLP_SPAN_START = 7,
    ORMA_OTLP_SPAN_END = 8,
    ORMA_OTLP_SPAN_ATTRIBUTES = 9,
    ORMA_OTLP_SPAN_DROPPED_ATTRIBUTES = 10,
    ORMA_OTLP_SPAN_EVENTS = 11,
    ORMA_OTLP_SPAN_DROPPED_EVENTS = 12,
    ORMA_OTLP_SPAN_LINKS = 13,
    ORMA_OTLP_SPAN_DROPPED_LINKS = 14,
    ORMA_OTLP_SPAN_STATUS = 15,
    ORMA_OTLP_SPAN_FLAGS = 16,
    ORMA_OTLP_EVENT_TIME = 1,
    ORMA_OTLP_EVENT_NAME = 2,
    ORMA_OTLP_EVENT_ATTRIBUTES = 3,
    ORMA_OTLP_LINK_TRACE_ID = 1,
    ORMA_OTLP_LINK_SPAN_ID = 2,
    ORMA_OTLP_LINK_ATTRIBUTES = 4,
    ORMA_OTLP_STATUS_MESSAGE = 2,
    ORMA_OTLP_STATUS_CODE = 3,
    ORMA_OTLP_KEY_VALUE_KEY = 1,
    ORMA_OTLP_KEY_VALUE_VALUE = 2,
    ORMA_OTLP_VALUE_STRING = 1,
    ORMA_OTLP_VALUE_BOOL = 2,
    ORMA_OTLP_VALUE_INT = 3,
    ORMA_OTLP_VALUE_DOUBLE = 4,
    ORMA_OTLP_VALUE_ARRAY = 5,
    ORMA_OTLP_VALUE_LIST = 6,
    ORMA_OTLP_VALUE_BYTES = 7,
    ORMA_OTLP_LIST_VALUES = 1, /* of arrays and of lists of keys */
};

/* Values in values. */
#define ORMA_OTLP_DEPTH_MAX 16

struct orma_otlp_id {
    uint8_t trace[16], span[8];
};

#define ORMA_OTLP_NOBODY UINT32_MAX

struct orma_otlp_span {
    struct orma_otlp_id id;
    uint8_t parent_id[8];
    bool has_parent, parent_is_here;
    int64_t ts, end; /* end INT64_MIN: it has none */
    struct orma_str bytes;
    uint32_t name, scope, version; /* pool ids */
    uint32_t process;              /* in `processes` */
    uint32_t parent, slice, lane;  /* ORMA_OTLP_NOBODY: none */
};

/* What waits for its time: a span, or an event of one. ORMA_OTLP_NOBODY as span: more is behind
 * it (otlp_profiles.h). */
struct orma_otlp_item {
    uint32_t span;
    struct orma_str event; /* data NULL: the span itself */
};

/* Where spans lie below each other: those that are open, the innermost last. */
struct orma_otlp_lane {
    uint32_t track;
    int64_t instant;         /* when the last span without a length was on it */
    ORMA_VEC(uint32_t) open; /* spans */
};

/* A resource. */
struct orma_otlp_process {
    uint32_t upid, pid;
    ORMA_VEC(struct orma_otlp_lane) lanes;
    ORMA_VEC(uint64_t)
    free, busy;                /* heaps: numbers of lanes; ends of their outermost spans, below */
    ORMA_VEC(int64_t) busy_to; /* by lane */
};

struct orma_otlp {
    struct orma_arena arena;
    ORMA_VEC(struct orma_otlp_span) spans;
    ORMA_VEC(struct orma_otlp_item) events;
    struct orma_otlp_item *items; /* of spans, by number */
    ORMA_VEC(struct orma_otlp_process) processes;
    struct orma_map by_id; /* hash of trace and span → index of the span + 1; next where equal */
    struct orma_map by_process;     /* text of a resource (pool id) → index in processes */
    struct orma_map sessions, sums; /* of profiles: type << 32 | unit → row */
};

/* ---- otlp_spans.c ---- */

/* A TracesData, or a part of one: its spans are noted. */
void orma_otlp_read(struct orma_file *file, struct orma_str message);

/* For those who have spans one by one: the process of a Resource, and a span of it. */
uint32_t orma_otlp_process(struct orma_file *file, struct orma_str resource);
void orma_otlp_add_span(struct orma_file *file, struct orma_str bytes, uint32_t process);

/* The span with that id; ORMA_OTLP_NOBODY. */
uint32_t orma_otlp_find(const struct orma_otlp *self, const struct orma_otlp_id *id);

/* Attributes as args below the key: members of all fields `field` of a message. */
void orma_otlp_put_attributes(struct orma_file *file, struct orma_str message, uint32_t field,
                              struct orma_arg_key *key, struct orma_args_list *ret);

/* ---- otlp_values.c ---- */

/* Fields of messages that are made of values of JSON. */
struct orma_otlp_writer {
    struct orma_file *file;
    struct orma_buf out, scratch, bytes;
};
struct orma_json_value;

/* An id: hex of any length up to that of `size` bytes, or base64. */
void orma_otlp_put_id(struct orma_otlp_writer *w, uint32_t field, struct orma_str text,
                      size_t size);
/* The number that a value is, or has as text. */
uint64_t orma_otlp_number(struct orma_otlp_writer *w, const struct orma_json_value *v);
/* A KeyValue in `field` of a plain value; of objects and lists, their text. */
void orma_otlp_put_pair(struct orma_otlp_writer *w, uint32_t field, struct orma_str key,
                        const struct orma_json_value *v);
/* What was written, as bytes that stay. data NULL: memory is out. */
struct orma_str orma_otlp_keep(struct orma_otlp_writer *w);

/* ---- otlp_others.c ---- */

/* False: the value is neither what Jaeger nor what Zipkin writes. */
bool orma_otlp_read_others(struct orma_otlp_writer *w, const struct orma_json_value *v);

/* ---- otlp_json.c ---- */

/* Lines of JSON, or one value: as messages to orma_otlp_read(). */
void orma_otlp_read_json(struct orma_file *file, struct orma_str text);
#endif
