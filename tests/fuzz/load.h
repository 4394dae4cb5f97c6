/* Loads bytes as a trace and asks for rows of what came of them; whatever they are, it ends. */
#ifndef ORMA_TESTS_FUZZ_LOAD_H
#define ORMA_TESTS_FUZZ_LOAD_H
#include <stddef.h>
#include <stdint.h>

/* In pieces of `step` bytes (0: at once). Returns 0, or the error of loading. */
int fuzz_load(const uint8_t *data, size_t size, size_t step);

/* As a mapped file that others write to: some bytes change between the first look at them and the
 * next ones. `seed` says which. */
int fuzz_load_changing(const uint8_t *data, size_t size, uint64_t seed);
#endif
