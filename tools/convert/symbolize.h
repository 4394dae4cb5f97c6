/*
 * Names for the frames of a trace, and for what ProGuard or R8 renamed, written
 * as packets to append. Where they come from: tools/load/symbols.h.
 */
#ifndef ORMA_TOOLS_CONVERT_SYMBOLIZE_H
#define ORMA_TOOLS_CONVERT_SYMBOLIZE_H
#include "processor/api/symbolize.h"
#include "tools/convert/convert.h"

/* A symbolizer with the environment's settings, on `paths`. 0, or negative with the message
 * printed. */
int orma_convert_symbols_new(const struct orma_convert *self, const char *paths,
                             struct orma_symbolizer **ret);

/* One line: how much got a name. */
void orma_convert_symbols_report(const struct orma_convert *self,
                                 const struct orma_symbolize_result *s);
#endif
