/*
 * Schema: what messages, fields and enums are called and how they are encoded,
 * read from the bytes of a google.protobuf.FileDescriptorSet.
 *
 * Two kinds, one type:
 *   - orma_schema_default(): every message of protos/, as constants of the program; shared by all
 *     threads, never freed.
 *   - orma_schema_new() copies a schema, and orma_schema_add() merges descriptor
 *     sets into the copy: a user's extensions, or those embedded in a trace
 *     (ExtensionDescriptor). The bytes may be hostile: a refused set leaves the
 *     schema as it was.
 *
 * Messages and enums are small indices, valid for the life of the schema and of
 * every copy made of it. Pointers (fields, values, names) are valid until the
 * next orma_schema_add() to the same schema. Extensions are fields of the message
 * that they extend, with ORMA_FIELD_EXTENSION set and their full name.
 *
 * Threads: many may read one schema; whoever adds to it must be alone.
 */
#ifndef ORMA_PROTOS_REFLECT_SCHEMA_H
#define ORMA_PROTOS_REFLECT_SCHEMA_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sdk/base/buf.h"
#include "sdk/base/str.h"
#include "sdk/wire/pb_reader.h"

/* No such message, enum, oneof. */
#define ORMA_SCHEMA_NONE UINT32_MAX
/* Messages and enums of one schema, fields of one message. */
#define ORMA_SCHEMA_TYPES_MAX 65534
#define ORMA_SCHEMA_FIELDS_MAX 65534
/* Full names: bytes, and parts between dots. */
#define ORMA_SCHEMA_NAME_MAX 511
#define ORMA_SCHEMA_NAME_PARTS_MAX 40
#define ORMA_SCHEMA_NOTES_MAX 65536

/* FieldDescriptorProto.Type. */
enum orma_field_type {
    ORMA_TYPE_DOUBLE = 1,
    ORMA_TYPE_FLOAT,
    ORMA_TYPE_INT64,
    ORMA_TYPE_UINT64,
    ORMA_TYPE_INT32,
    ORMA_TYPE_FIXED64,
    ORMA_TYPE_FIXED32,
    ORMA_TYPE_BOOL,
    ORMA_TYPE_STRING,
    ORMA_TYPE_GROUP, /* never in a schema: fields of this type are left out */
    ORMA_TYPE_MESSAGE,
    ORMA_TYPE_BYTES,
    ORMA_TYPE_UINT32,
    ORMA_TYPE_ENUM,
    ORMA_TYPE_SFIXED32,
    ORMA_TYPE_SFIXED64,
    ORMA_TYPE_SINT32,
    ORMA_TYPE_SINT64,
};

enum orma_field_flags {
    ORMA_FIELD_REPEATED = 1,
    ORMA_FIELD_REQUIRED = 2,
    ORMA_FIELD_PACKED = 4, /* how it must be written; readers take both forms */
    ORMA_FIELD_EXTENSION = 8,
};

/* A field. The name is asked for with orma_field_name(). */
struct orma_field {
    uint32_t name; /* in the schema's strings */
    uint32_t number;
    uint16_t type_idx; /* MESSAGE: its index; ENUM: its index */
    uint16_t oneof;    /* index in the message + 1; 0: in none */
    uint16_t extra;    /* default, JSON name, options: + 1; 0: none of them */
    uint8_t type;      /* enum orma_field_type */
    uint8_t flags;     /* enum orma_field_flags */
};

struct orma_enum_value {
    uint32_t name;
    int32_t number;
};

struct orma_schema;

const struct orma_schema *orma_schema_default(void);

/* A copy of `base`, or with NULL an empty one. 0, -ENOMEM. */
int orma_schema_new(const struct orma_schema *base, struct orma_schema **ret);

/* NULL is fine; the default schema is not. */
void orma_schema_free(struct orma_schema *self);
ORMA_DEFINE_AUTO(struct orma_schema *, orma_schema_free)

/*
 * Merges a serialised FileDescriptorSet. What the schema has already stays; its messages and enums
 * get the fields and values that are new to it. A known field of another type keeps
 * ours, with one exception: where ours is `bytes` and theirs a message, theirs is taken.
 *
 * Returns the number of fields that were not taken (of another type, or groups), which are named
 * in `notes` (may be NULL), one line each until there are ORMA_SCHEMA_NOTES_MAX bytes. Takes time
 * in proportion to the set, and unless the set has nothing new, to the schema. -EBADMSG: malformed
 * or contradictory bytes, with the reason in `notes`. -E2BIG: more types, or longer names, than a
 * schema holds. -ENOMEM.
 */
int orma_schema_add(struct orma_schema *self, const void *set, size_t len, struct orma_buf *notes);

/* The message of this full name ("perfetto.protos.TraceConfig", a leading dot is ignored). */
uint32_t orma_schema_find_msg(const struct orma_schema *self, struct orma_str name);
uint32_t orma_schema_find_enum(const struct orma_schema *self, struct orma_str name);

uint32_t orma_schema_msg_count(const struct orma_schema *self);
uint32_t orma_schema_enum_count(const struct orma_schema *self);

/* Full names. */
const char *orma_schema_msg_name(const struct orma_schema *self, uint32_t msg);
const char *orma_schema_enum_name(const struct orma_schema *self, uint32_t enum_idx);

/* The name behind the last dot: "TraceConfig". */
const char *orma_schema_short_name(const char *full_name);

/* The fields of a message by ascending number, extensions included. */
const struct orma_field *orma_schema_fields(const struct orma_schema *self, uint32_t msg,
                                            uint32_t *ret_count);

/* NULL if there is none. Constant time for densely numbered messages, else logarithmic. */
const struct orma_field *orma_schema_field(const struct orma_schema *self, uint32_t msg,
                                           uint32_t number);

/* By the name in the .proto file; extensions by their full name. */
const struct orma_field *orma_schema_field_named(const struct orma_schema *self, uint32_t msg,
                                                 struct orma_str name);

/* By the JSON name, the original name, or "[full.name]" of an extension. */
const struct orma_field *orma_schema_field_json(const struct orma_schema *self, uint32_t msg,
                                                struct orma_str name);

const char *orma_field_name(const struct orma_schema *self, const struct orma_field *field);

/* Writes the JSON name ("flushPeriodMs") without terminator. */
void orma_field_json_name(const struct orma_schema *self, const struct orma_field *field,
                          struct orma_buf *out);

/* The default as text ("5", "FOO", "-inf"), NULL if none is declared. */
const char *orma_field_default(const struct orma_schema *self, const struct orma_field *field);

/* The serialised FieldOptions, for options that this code does not know; empty if there are none.
 */
struct orma_str orma_field_options(const struct orma_schema *self, const struct orma_field *field);

/* The name of a message's oneof; idx counts from 0 (struct orma_field counts from 1). */
const char *orma_schema_oneof_name(const struct orma_schema *self, uint32_t msg, uint32_t idx);
uint32_t orma_schema_oneof_count(const struct orma_schema *self, uint32_t msg);

/* The values of an enum by ascending number; of aliases the first declared comes first. */
const struct orma_enum_value *orma_schema_values(const struct orma_schema *self, uint32_t enum_idx,
                                                 uint32_t *ret_count);

/* The name of a value, NULL if it has none. */
const char *orma_schema_value_name(const struct orma_schema *self, uint32_t enum_idx,
                                   int32_t number);
bool orma_schema_value_named(const struct orma_schema *self, uint32_t enum_idx,
                             struct orma_str name, int32_t *ret_number);

/* A name of the strings table: of a struct orma_enum_value. */
const char *orma_schema_string(const struct orma_schema *self, uint32_t offset);

/* The wire type of one value of this type (packed or not is another question). */
enum orma_pb_wire orma_field_wire(uint8_t type);

/* May be packed: numbers, bool, enum. */
static inline bool orma_field_is_packable(uint8_t type)
{
    return orma_field_wire(type) != ORMA_PB_LEN;
}

static inline bool orma_field_is_repeated(const struct orma_field *field)
{
    return field->flags & ORMA_FIELD_REPEATED;
}

/*
 * What a person may have meant: writes "; did you mean \"x\"?" for the field (value) most like
 * `name`, or else a list of what there is, as the end of an error message.
 */
void orma_schema_suggest_field(const struct orma_schema *self, uint32_t msg, struct orma_str name,
                               struct orma_buf *out);
void orma_schema_suggest_value(const struct orma_schema *self, uint32_t enum_idx,
                               struct orma_str name, struct orma_buf *out);
#endif
