/*
 * The floor of bench_import: what a loop costs that does nothing but decode and store.
 *
 * It maps the same file, reads every field of every packet with the common
 * reader, keeps interned names and the defaults of a sequence, finds the track by
 * its uuid, holds a stack per track, and stores the columns of a slice in memory
 * that doubles as it fills; args (slice, key, value) the same way.
 *
 * What it leaves out, and an importer can't: order of time across sequences (rows
 * come in the order of the file), conversion of clocks (one snapshot, added up),
 * sequences that lost something, fields and packets that it does not expect,
 * statistics, values that don't fit, tracks that merge.
 */
#ifndef ORMA_TESTS_BENCH_BENCH_IMPORT_BARE_H
#define ORMA_TESTS_BENCH_BENCH_IMPORT_BARE_H
#include <stdint.h>

/* CPU seconds for the file at `path`, which make_events() wrote; *ret_rows: slices. Exits on
 * failure. */
double bench_bare_load(const char *path, uint64_t *ret_rows);
#endif
