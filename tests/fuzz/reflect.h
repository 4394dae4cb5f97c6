/*
 * What the fuzzers of protos/reflect share.
 */
#ifndef ORMA_TESTS_FUZZ_REFLECT_H
#define ORMA_TESTS_FUZZ_REFLECT_H
#include "protos/reflect/json.h"
#include "protos/reflect/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Takes the first byte, which names a message of the default schema. */
uint32_t fuzz_message(const uint8_t **data, size_t *size);

/* Bytes to text and JSON and back: both must read, and print the same again. Aborts if not. */
void fuzz_round_trips(uint32_t msg, const struct orma_buf *bytes);
#endif
