/*
 * Images of storages for tests: in memory, with sums that are right whatever was changed, and
 * compared with the storage that they are of.
 */
#ifndef ORMA_TESTS_SUPPORT_IMAGE_H
#define ORMA_TESTS_SUPPORT_IMAGE_H
#include "processor/store/image.h"
#include "sdk/base/buf.h"

/* A storage with rows in blocks and tails, of all types, args, bytes, and events whose args are
 * made when they are asked for. To be freed with test_image_free(). `rows`: of the long tables. */
struct orma_storage *test_image_storage(uint32_t rows);
void test_image_free(struct orma_storage *storage);

/* The bytes of its image; 0 or the error. */
int test_image_write(struct orma_storage *storage, const struct orma_image_label *label,
                     struct orma_buf *ret);

/* Writes the sums of what is there now, as far as there is any of it. */
void test_image_sum(uint8_t *data, size_t size);

/* Reads every cell, text and set of args; NULL if they are equal, else where they differ.
 * `b` NULL: it is only read. */
const char *test_image_differs(struct orma_storage *a, struct orma_storage *b);
#endif
