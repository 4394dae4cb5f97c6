/*
 * Numbers of fields on their way to the wire: what the text and JSON parsers
 * share. Private to protos/reflect.
 */
#ifndef ORMA_PROTOS_REFLECT_SCALAR_H
#define ORMA_PROTOS_REFLECT_SCALAR_H
#include "protos/reflect/schema.h"

/* What a field takes, for messages: "an integer (int32)". */
const char *orma_scalar_describe(uint8_t type);

/* An integer, given as magnitude and sign, as the bits that go to the wire. False: out of range. */
bool orma_scalar_from_int(uint8_t type, uint64_t magnitude, bool minus, uint64_t *ret_bits);

/* A real number for a FLOAT or DOUBLE field as bits. */
uint64_t orma_scalar_from_real(uint8_t type, double val);

/* Writes the bits without a tag. */
void orma_scalar_put(struct orma_buf *out, enum orma_pb_wire wire, uint64_t bits);
#endif
