/*
 * Where symbols of frames come from; settings in the environment:
 *
 *   PERFETTO_BINARY_PATH      folders with binaries, ':' between them
 *   PERFETTO_SYMBOLIZER_MODE  find (the default) or index
 *   PERFETTO_PROGUARD_MAP     [PACKAGE=]PATH of mappings, ':' between them
 */
#ifndef ORMA_TOOLS_LOAD_SYMBOLS_H
#define ORMA_TOOLS_LOAD_SYMBOLS_H
#include "processor/processor.h"

#define ORMA_LOAD_SYMBOLS_PATHS "PERFETTO_BINARY_PATH"
#define ORMA_LOAD_SYMBOLS_MODE "PERFETTO_SYMBOLIZER_MODE"
#define ORMA_LOAD_SYMBOLS_MAPS "PERFETTO_PROGUARD_MAP"

/* The values; NULL: not set, or empty. */
const char *orma_load_symbols_paths(void);
const char *orma_load_symbols_mode(void);
const char *orma_load_symbols_maps(void);

/* For the load that follows. 0, or negative with the message printed; a build without libdw prints
 * a message and continues. */
int orma_load_symbols_from_environment(struct orma_processor *tp, const char *program);

/* The same for traces that were made here: without paths, the binaries of this machine. */
int orma_load_symbols_from_here(struct orma_processor *tp, const char *program);
#endif
