/*
 * Leak check behind every criterion test: criterion runs each test in a child, whose leaks nobody reports
 * otherwise. Programs that depend on criterion_dep have it without a word: the linker replaces the call that
 * runs a body (--wrap in meson.build). A test that skips or fails is not checked. Does nothing without
 * LeakSanitizer.
 */
#ifndef ORMA_TESTS_SUPPORT_LEAKS_H
#define ORMA_TESTS_SUPPORT_LEAKS_H
#include <stdbool.h>

/* Fails the running test if memory is no longer reachable: for the middle of a body. */
void orma_assert_no_leaks(void);

/* The bare answer, for plain programs. */
bool orma_found_leaks(void);
#endif
