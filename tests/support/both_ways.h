/*
 * Shortcuts of the import, compared with the slow path: the same trace is loaded
 * without them, with them, with a second thread as well, and with args left for later; every cell
 * of every table, every text and every statistic must be the same.
 */
#ifndef ORMA_TESTS_SUPPORT_BOTH_WAYS_H
#define ORMA_TESTS_SUPPORT_BOTH_WAYS_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sdk/base/buf.h"

/* NULL if all ways give the same; else where they differ (valid until the next call). `step`:
 * bytes fed at a time, 0: all at once. */
const char *both_ways_differ(const uint8_t *data, size_t len, size_t step);

/* The same of a load by one thread, and by crews of 2, 3 and 8, with numbers of texts. */
const char *both_ways_threads_differ(const uint8_t *data, size_t len, size_t step);

/*
 * The packets of a trace, packed by what `seed` says: in compressed packets of both kinds, with
 * others in between, some of them damaged, cut off or in one another. False: not in this build.
 */
bool both_ways_compress(struct orma_buf *out, const uint8_t *data, size_t len, uint64_t seed);

/* Adds a member to a zip archive, deflated; both_ways_zip_end() adds the list. Some by `seed` have
 * a wrong sum or size, or are damaged. */
struct both_ways_zip {
    struct orma_buf bytes, list;
    unsigned num;
};
bool both_ways_zip_add(struct both_ways_zip *zip, const char *name, struct orma_str text,
                       uint64_t seed);
void both_ways_zip_end(struct both_ways_zip *zip);
void both_ways_zip_fini(struct both_ways_zip *zip);

/*
 * A trace of track events as `choices` say: mostly such as writers make them and shortcuts take,
 * with all that ends a shortcut in between: other sequences, states, clocks, fields out of
 * order, packets that are late, lost or broken, descriptors, ends of windows.
 */
void both_ways_trace(struct orma_buf *out, const uint8_t *choices, size_t len);

/* Adds bundles of kernel events as `seed` says, most of them whole. */
void both_ways_kernel(struct orma_buf *out, uint64_t seed);
#endif
