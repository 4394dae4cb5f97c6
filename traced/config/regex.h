/*
 * Regular expressions of configs, matched against names that producers chose.
 *
 * A pattern without special characters is compared as text. The others are
 * PCRE2's, without JIT, and with a limit on the steps of each match, so that
 * neither side can make it run away. A match is always of the whole text.
 * Threads: any; a regex does not change once it is made.
 */
#ifndef ORMA_TRACED_CONFIG_REGEX_H
#define ORMA_TRACED_CONFIG_REGEX_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sdk/base/buf.h"
#include "sdk/base/defs.h"

struct traced_regex;

#define TRACED_REGEX_PATTERN_MAX 4096
/* Longer texts match nothing but a pattern that is plain text. */
#define TRACED_REGEX_TEXT_MAX 4096

/* -EINVAL: `error` has the reason, for people. -ENOMEM. The pattern is copied. */
int traced_regex_new(const char *pattern, struct traced_regex **ret, struct orma_buf *error);
void traced_regex_free(struct traced_regex *self);
ORMA_DEFINE_AUTO(struct traced_regex *, traced_regex_free)

/* Bytes of memory. */
size_t traced_regex_size(const struct traced_regex *self);

/*
 * A step is a piece of the pattern that is tried at a place of the text. False
 * also if there would be more than max_steps. *ret_steps: how many there were.
 */
bool traced_regex_matches(const struct traced_regex *self, const char *text, uint32_t max_steps,
                          uint32_t *ret_steps);
#endif
