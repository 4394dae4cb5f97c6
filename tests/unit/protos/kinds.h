/*
 * The test schema: kinds.proto, with kinds_ext.proto beside it, through the same
 * loader as any user's descriptor set.
 */
#ifndef ORMA_TESTS_UNIT_PROTOS_KINDS_H
#define ORMA_TESTS_UNIT_PROTOS_KINDS_H
#include "protos/reflect/schema.h"

/* The bytes of the sets, as protoc made them. */
void kinds_read_set(struct orma_buf *ret);
void kinds_ext_read_set(struct orma_buf *ret);

/* A new schema of kinds.proto, and kinds_ext.proto if `ext`. Ends the test on failure. */
struct orma_schema *kinds_schema(bool ext);

/* Index of a message of package orma.test. */
uint32_t kinds_msg(const struct orma_schema *schema, const char *name);

/* Hexadecimal digits, blanks free, to bytes. */
void kinds_from_hex(const char *hex, struct orma_buf *ret);
#endif
