/*
 * Completion for bash, zsh and fish from the tables of options.
 */
#ifndef ORMA_TOOLS_COMPLETION_H
#define ORMA_TOOLS_COMPLETION_H
#include "sdk/base/buf.h"
#include "tools/help/help.h"

/* The whole script for this shell, for every program that Orma answers to; false: it is none of
 * them. */
bool orma_help_completion_put(const struct orma_help_tables *tables, const char *shell,
                              struct orma_buf *out);
#endif
