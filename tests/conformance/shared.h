/*
 * Where the recorded samples are: $ORMA_SHARED, or the folder `shared` beside the
 * checkout. They are not part of the project.
 */
#ifndef ORMA_TESTS_CONFORMANCE_SHARED_H
#define ORMA_TESTS_CONFORMANCE_SHARED_H
#include <stdbool.h>

#include "sdk/base/buf.h"

/* The folder; without one, says so and ends the program with 77, which meson counts as skipped. */
const char *shared_folder(void);

/*
 * Calls back for each file below `folder` whose name matches the pattern of fnmatch(3), in the
 * order of names. Returns how many there were.
 */
int shared_each(const char *folder, const char *pattern, void (*visit)(void *ctx, const char *path),
                void *ctx);

/*
 * Prints `ok NAME` or `FAIL NAME` for tests/conformance/passing.py, which knows the samples that
 * must pass. NAME is the path below the folder of samples.
 */
void shared_verdict(const char *path, bool ok);

/* The whole file; the program ends with a message when it can't be read. */
void shared_read(const char *path, struct orma_buf *ret);
#endif
