/*
 * Leak check at the end of a criterion test body: criterion runs each test in a
 * child whose leaks are not reported otherwise. Does nothing without LeakSanitizer.
 */
#ifndef ORMA_TESTS_SUPPORT_LEAKS_H
#define ORMA_TESTS_SUPPORT_LEAKS_H
#include <stdbool.h>

/* Fails the running test if memory is no longer reachable. */
void orma_assert_no_leaks(void);

/* The bare answer, for plain programs. */
bool orma_found_leaks(void);
#endif
