/*
 * A trace with what its names come from, as one archive that loads anywhere:
 *
 *   trace.perfetto     the trace as it was
 *   symbols.pb         functions, files and lines of its frames, if any were found
 *   deobfuscation.pb   what short names mean, if there is a mapping
 *
 * `trace_processor_shell bundle`, `traceconv bundle`, `orma convert bundle`.
 */
#ifndef ORMA_TOOLS_CONVERT_BUNDLE_H
#define ORMA_TOOLS_CONVERT_BUNDLE_H
#include "tools/base/cli.h"

extern const struct orma_option orma_convert_bundle_options[];

/* argv[0] is not looked at. Wrong usage gives `usage_code`. */
int orma_convert_bundle_main(const char *program, int usage_code, int argc, char **argv);
#endif
