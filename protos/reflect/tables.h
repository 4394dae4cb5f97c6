/*
 * The layout of a schema's tables: private to protos/reflect. The default schema
 * is these arrays as constants, written by schema_gen.c at build time.
 *
 *   types     all full names in order      -> messages, enums
 *   msgs      one row per message          -> fields, oneofs
 *   fields    of each message together, by number; by_name beside them, by name
 *   enums     one row per enum             -> values, by number
 *   strings   all names, each terminated; offset 0 is ""
 *
 * Offsets instead of pointers: half the size, and no relocation at start.
 */
#ifndef ORMA_PROTOS_REFLECT_TABLES_H
#define ORMA_PROTOS_REFLECT_TABLES_H
#include "protos/reflect/schema.h"

#define ORMA_TYPES_ENUM 0x80000000u /* in types[]: the index is of an enum */

struct orma_msg_row {
    uint32_t name;
    uint32_t fields; /* first */
    uint32_t oneofs; /* first */
    uint16_t nfields;
    uint16_t dense; /* the first `dense` fields have the numbers 1, 2, 3... */
    uint16_t noneofs;
    uint16_t nrequired;
};

struct orma_enum_row {
    uint32_t name;
    uint32_t values; /* first */
    uint32_t nvalues;
};

/* What few fields have. Offsets into strings; 0 is none. */
struct orma_field_extra {
    uint32_t dflt;
    uint32_t json_name; /* only when it is not the usual camel case */
    uint32_t options;
    uint32_t options_len;
};

struct orma_schema {
    const struct orma_msg_row *msgs;
    const struct orma_field *fields;
    const uint16_t *by_name; /* relative to the message's first field */
    const struct orma_enum_row *enums;
    const struct orma_enum_value *values;
    const uint32_t *oneofs; /* names */
    const uint32_t *types;
    const struct orma_field_extra *extras;
    const char *strings;
    uint32_t nmsgs, nfields, nenums, nvalues, noneofs, nextras;
    uint32_t strings_len;
    void *owned; /* the memory of all arrays; NULL for the builtin one */
};

static inline uint32_t orma_schema_ntypes(const struct orma_schema *self)
{
    return self->nmsgs + self->nenums;
}

static inline const char *orma_schema_type_name(const struct orma_schema *self, uint32_t type)
{
    return self->strings + (type & ORMA_TYPES_ENUM ? self->enums[type & ~ORMA_TYPES_ENUM].name
                                                   : self->msgs[type].name);
}

/* Position of `name` in types[], or where it would be inserted. */
uint32_t orma_schema_types_lower(const struct orma_schema *self, struct orma_str name);
#endif
