/*
 * Shortcuts of the import, compared with the slow path: the same trace is loaded
 * without them, with them, with a second thread as well, and with args left for later; every cell
 * of every table, every text and every statistic must be the same.
 */
#ifndef ORMA_TESTS_SUPPORT_BOTH_WAYS_H
#define ORMA_TESTS_SUPPORT_BOTH_WAYS_H
#include <stddef.h>
#include <stdint.h>

#include "sdk/base/buf.h"

/* NULL if all ways give the same; else where they differ (valid until the next call). `step`:
 * bytes fed at a time, 0: all at once. */
const char *both_ways_differ(const uint8_t *data, size_t len, size_t step);

/*
 * A trace of track events as `choices` say: mostly such as writers make them and shortcuts take,
 * with all that ends a shortcut in between: other sequences, states, clocks, fields out of
 * order, packets that are late, lost or broken, descriptors, ends of windows.
 */
void both_ways_trace(struct orma_buf *out, const uint8_t *choices, size_t len);
#endif
