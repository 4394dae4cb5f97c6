/*
 * Messages as values of SQL: what the functions of metrics give one another.
 *
 *   message    1: name of its type    2: its bytes
 *   repeated   3: values { 1: integer | 2: real | 3: text | 4: a message as above }
 *
 * A message without fields is a blob of no bytes. Blobs come from SQL, where
 * anybody can write them: everything is checked.
 */
#ifndef ORMA_PROCESSOR_METRICS_BUILDER_H
#define ORMA_PROCESSOR_METRICS_BUILDER_H
#include <sqlite3.h>

#include "protos/reflect/schema.h"

/*
 * Builds the message `msg` from name, value, name, value... as result of `ctx`. Errors become
 * those of the function.
 */
void orma_builder_build(const struct orma_schema *schema, uint32_t msg, sqlite3_context *ctx,
                        int argc, sqlite3_value **argv);

/* RepeatedField(x): an aggregate. */
void orma_builder_repeated_step(sqlite3_context *ctx, int argc, sqlite3_value **argv);
void orma_builder_repeated_final(sqlite3_context *ctx);

/*
 * The bytes of a message value of the type `name`. 0; -EINVAL: it is none; -EPROTOTYPE: it is of
 * another type.
 */
int orma_builder_unwrap(sqlite3_value *val, const char *name, struct orma_str *ret);
#endif
