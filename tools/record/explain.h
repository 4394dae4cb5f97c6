/*
 * A trace config as text that teaches: each part with a comment in front.
 */
#ifndef ORMA_TOOLS_RECORD_EXPLAIN_H
#define ORMA_TOOLS_RECORD_EXPLAIN_H
#include "sdk/base/buf.h"

/* Appends the text of an encoded TraceConfig; it parses back to the same config. 0 or -errno. */
int orma_record_explain_config(struct orma_str config, struct orma_buf *ret);
#endif
