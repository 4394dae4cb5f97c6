/*
 * Completion for bash from the tables of options.
 */
#ifndef ORMA_TOOLS_COMPLETION_H
#define ORMA_TOOLS_COMPLETION_H
#include "sdk/base/buf.h"
#include "tools/help/help.h"

/* The whole script, for every program that Orma answers to. */
void orma_help_completion_put_bash(const struct orma_help_tables *tables, struct orma_buf *out);
#endif
