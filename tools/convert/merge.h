/*
 * Several traces as one: a tar that the processor (and others) load as one
 * timeline. `orma merge`, `trace_processor_shell util merge`, and queries of several traces.
 */
#ifndef ORMA_TOOLS_MERGE_H
#define ORMA_TOOLS_MERGE_H
#include <stdbool.h>
#include <stddef.h>

#include "tools/base/cli.h"
#include "tools/output/output.h"

/* More traces than that are refused. */
#define ORMA_CONVERT_MERGE_MAX 1024

extern const struct orma_option orma_convert_merge_options[];

/* The command, under that name; `usage`: what to exit with after a wrong command line. argv[0] is
 * not looked at. Returns what to exit with. */
int orma_convert_merge_run(const struct orma_command *self, const char *program, int usage,
                           int argc, char **argv);
int orma_convert_merge_main(int argc, char **argv);

/* False, and said: the trace cannot stand beside `num` others. */
bool orma_convert_merge_fits(const char *program, const char *const *traces, size_t num,
                             const char *path);

/* Writes the tar. `manifest` NULL: none; then `apart` makes one, of a machine for each trace. 0 or
 * negative after saying why. */
int orma_convert_merge_write(const struct orma_output_want *want, const char *manifest, bool apart,
                             const char *const *traces, size_t num);
#endif
