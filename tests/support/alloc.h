/*
 * Memory that runs out when a test says so. Link with alloc_dep: it replaces
 * malloc, calloc and realloc of the program and of our static libraries (not those
 * of shared libraries); sdk/base/mem.h refuses as well.
 */
#ifndef ORMA_TESTS_SUPPORT_ALLOC_H
#define ORMA_TESTS_SUPPORT_ALLOC_H
#include <stdbool.h>

/* The n-th allocation from now (0: the next) and all behind it fail; negative: none does. */
void orma_alloc_fail_after(long n);

/* True if one has failed since the last call of orma_alloc_fail_after(). */
bool orma_alloc_has_failed(void);
#endif
