/*
 * One form for all encodings of a message: fields by number (each field's values
 * in their order, entries of maps by their bytes), varints as short as they can be, numbers packed as the schema
 * says. Two encodings of the same message become the same bytes.
 */
#ifndef ORMA_TESTS_CONFORMANCE_CANONICAL_H
#define ORMA_TESTS_CONFORMANCE_CANONICAL_H
#include "protos/reflect/schema.h"

/* Appends; false if the bytes are malformed. With `last_wins`, of a singular value that the bytes
 * repeat only the last is kept, of a singular message in pieces the whole: what readers see. */
bool canonical(const struct orma_schema *schema, uint32_t msg, struct orma_str bytes,
               bool last_wins, struct orma_buf *out);
#endif
