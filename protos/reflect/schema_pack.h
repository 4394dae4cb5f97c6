/*
 * The default schema as deflated bytes, a fifth of its tables: they are unpacked when somebody
 * first asks for it. The strings come first; then each column of a table is packed for itself, as
 * differences and byte by byte of all rows, because that is what deflates well. A name is the
 * number of its string: mostly the next.
 *
 * One order of columns for both directions: schema_gen packs at build time, programs unpack.
 */
#ifndef ORMA_PROTOS_REFLECT_SCHEMA_PACK_H
#define ORMA_PROTOS_REFLECT_SCHEMA_PACK_H
#include "protos/reflect/tables.h"
#include "sdk/base/buf.h"

/* Rows that a table may have, and strings: what fits into the memory for one column. */
#define ORMA_SCHEMA_PACK_ROWS_MAX 16384

/* Made by schema_gen. */
struct orma_schema_packed {
    const unsigned char *bytes;
    size_t len;
    void *room;
    struct orma_schema schema; /* with its counts; the arrays come by unpacking */
};
extern struct orma_schema_packed orma_schema_builtin;

/* -ENOMEM; -E2BIG: more rows than a column holds. */
int orma_schema_pack(const struct orma_schema *schema, struct orma_buf *out);

/* Bytes that the tables take. */
size_t orma_schema_unpacked_size(const struct orma_schema *counts);

/*
 * Sets the arrays of `schema`, whose counts are set, to tables in `room`. The bytes are our own:
 * false means that the program is not what was built. Needs no memory, so it cannot fail for want
 * of it. One thread.
 */
bool orma_schema_unpack(struct orma_schema *schema, const unsigned char *packed, size_t len,
                        void *room);
#endif
