/*
 * Regular expressions of configs, matched against names that producers chose.
 * PCRE2 without JIT and with limits, so that neither side can make it run away.
 * Threads: any; no state.
 */
#ifndef ORMA_TRACED_REGEX_H
#define ORMA_TRACED_REGEX_H
#include <stdbool.h>

/* Is this build able to match at all? */
bool traced_regex_supported(void);

/* 0; -EINVAL: malformed; -ENOSYS: not supported. */
int traced_regex_check(const char *pattern);

/* Does the pattern match the whole text? False also if it runs into the limits. */
bool traced_regex_match(const char *pattern, const char *text);
#endif
