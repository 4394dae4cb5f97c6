/*
 * A descriptor set on its way into a schema: private to protos/reflect.
 *
 * schema_load.c reads the bytes into lists of what is new; schema_build.c merges
 * the lists with the old tables into new ones. The old schema is only read, so a
 * set that turns out bad half way changes nothing.
 */
#ifndef ORMA_PROTOS_REFLECT_SCHEMA_LOAD_H
#define ORMA_PROTOS_REFLECT_SCHEMA_LOAD_H
#include "protos/reflect/tables.h"
#include "sdk/base/map.h"

/* A field for message `msg`, in order of appearance `seq`. */
struct orma_new_field {
    uint32_t msg, seq;
    struct orma_field field;
};

struct orma_new_value {
    uint32_t enum_idx, seq;
    struct orma_enum_value value;
};

/* A message (its oneofs are a span of new_oneofs) or enum that the old schema does not have. */
struct orma_new_type {
    uint32_t type; /* index, with ORMA_TYPES_ENUM for enums */
    uint32_t name;
    uint32_t oneofs, noneofs;
};

struct orma_schema_load {
    const struct orma_schema *old;
    struct orma_buf *notes; /* may be NULL */
    int refused;            /* fields that were not taken */
    int err;                /* the first failure; 0: none */

    uint32_t nmsgs, nenums; /* of old and new together */
    /* Buffers used as vectors of what is named behind them. */
    struct orma_buf strings; /* those behind the old ones */
    struct orma_buf types;   /* struct orma_new_type */
    struct orma_buf fields;  /* struct orma_new_field */
    struct orma_buf values;  /* struct orma_new_value */
    struct orma_buf oneofs;  /* uint32_t names */
    struct orma_buf extras;  /* struct orma_field_extra */
    struct orma_buf decls;   /* schema_load.c: what was declared where */
    struct orma_map names;   /* hash of a new string -> its offset */
    struct orma_map by_name; /* offset of a full name -> type */
};

/* Terminated text at this offset, old or new. */
static inline const char *orma_schema_load_string(const struct orma_schema_load *self,
                                                  uint32_t offset)
{
    return offset < self->old->strings_len
               ? self->old->strings + offset
               : (const char *)self->strings.data + (offset - self->old->strings_len);
}

/* Merges into a new schema, sorting the lists. 0, -ENOMEM, -E2BIG. */
int orma_schema_build(struct orma_schema_load *load, struct orma_schema *ret);
#endif
