/*
 * Where names for frames come from, as the environment says:
 *
 *   PERFETTO_BINARY_PATH      folders with binaries, ':' between them
 *   PERFETTO_SYMBOLIZER_MODE  find (the default) or index
 *   PERFETTO_PROGUARD_MAP     [PACKAGE=]PATH of mappings, ':' between them
 */
#ifndef ORMA_TOOLS_LOAD_SYMBOLS_H
#define ORMA_TOOLS_LOAD_SYMBOLS_H
#include "processor/processor.h"
#include "tools/convert/convert.h"

/* The values; NULL: not set, or empty. */
const char *orma_symbols_paths(void);
const char *orma_symbols_mode(void);
const char *orma_symbols_maps(void);

/* For the load that follows. 0, or negative after saying why; a build that reads no binaries says
 * so and goes on. */
int orma_symbols_from_environment(struct orma_processor *tp, const char *program);

/* The same for traces that were made here: without paths, the binaries of this machine. */
int orma_symbols_from_here(struct orma_processor *tp, const char *program);

/* A symbolizer as the environment says, on `paths`. 0, or negative after saying why. */
int orma_symbols_new(const struct orma_convert *self, const char *paths,
                     struct orma_symbolizer **ret);

/* One line: how much got a name. */
void orma_symbols_tell(const struct orma_convert *self, const struct orma_symbolize_result *s);
#endif
