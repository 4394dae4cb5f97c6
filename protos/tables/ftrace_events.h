/*
 * Kernel events that have a protobuf message of their own.
 *
 * Two tables, read by the probes (kernel event → message) and by the
 * processor (message → names of its fields). The names of the fields of a
 * message equal the names of the tracepoint's fields.
 *
 * Source: the interface tables of the format, through tools/gen_protos.py.
 */
#ifndef ORMA_PROTOS_TABLES_FTRACE_EVENTS_H
#define ORMA_PROTOS_TABLES_FTRACE_EVENTS_H
#include <stdbool.h>
#include <stdint.h>

enum orma_pb_type {
    ORMA_PB_TYPE_INT32,
    ORMA_PB_TYPE_INT64,
    ORMA_PB_TYPE_UINT32,
    ORMA_PB_TYPE_UINT64,
    ORMA_PB_TYPE_SINT32,
    ORMA_PB_TYPE_SINT64,
    ORMA_PB_TYPE_FIXED32,
    ORMA_PB_TYPE_FIXED64,
    ORMA_PB_TYPE_SFIXED32,
    ORMA_PB_TYPE_SFIXED64,
    ORMA_PB_TYPE_BOOL,
    ORMA_PB_TYPE_FLOAT,
    ORMA_PB_TYPE_DOUBLE,
    ORMA_PB_TYPE_STRING,
    ORMA_PB_TYPE_BYTES,
    ORMA_PB_TYPE_ENUM,
    ORMA_PB_TYPE_MESSAGE,
};

/* Names are places in orma_ftrace_names: of some thousand pointers the loader would have to set each at every start. */
struct orma_ftrace_field {
    uint16_t name;
    uint16_t number; /* in the event's message */
    uint8_t type;    /* enum orma_pb_type */
    bool repeated;
};

/* One message of FtraceEvent's `event` oneof. */
struct orma_ftrace_message {
    uint16_t number; /* field number in FtraceEvent */
    uint16_t fields_num;
    uint16_t name;   /* field name in FtraceEvent */
    uint16_t fields; /* in orma_ftrace_fields, by number */
};

struct orma_ftrace_tracepoint {
    uint16_t group;
    uint16_t name;
    uint16_t message_idx; /* into orma_ftrace_messages */
};

extern const char orma_ftrace_names[];
extern const struct orma_ftrace_field orma_ftrace_fields[];
extern const struct orma_ftrace_message orma_ftrace_messages[]; /* by number */
extern const unsigned orma_ftrace_messages_num;
extern const struct orma_ftrace_tracepoint orma_ftrace_tracepoints[]; /* by group, then name */
extern const unsigned orma_ftrace_tracepoints_num;

static inline const char *orma_ftrace_name(uint16_t place)
{
    return orma_ftrace_names + place;
}

static inline const struct orma_ftrace_field *orma_ftrace_message_field(const struct orma_ftrace_message *m, unsigned i)
{
    return &orma_ftrace_fields[m->fields + i];
}

/* The message with this field number in FtraceEvent, or NULL. */
const struct orma_ftrace_message *orma_ftrace_message_find(uint32_t number);

/* All tracepoints. */
const struct orma_ftrace_tracepoint *orma_ftrace_tracepoint_list(unsigned *ret_num);

/* The tracepoint, or NULL. `group` may be NULL: then the first one of that name. */
const struct orma_ftrace_tracepoint *orma_ftrace_tracepoint_find(const char *group,
                                                                 const char *name);
#endif
