/*
 * `trace_processor_shell`: the processor under the name, flags, output and
 * exit codes that scripts expect. 0: success; 1: any error, wrong usage included.
 */
#ifndef ORMA_TOOLS_SHELL_H
#define ORMA_TOOLS_SHELL_H
#include "tools/base/cli.h"

extern const struct orma_command orma_cmd_shell;
/* Parts of it as commands of `orma`. */
extern const struct orma_command orma_cmd_metrics;
extern const struct orma_command orma_cmd_summarize;
extern const struct orma_command orma_cmd_serve;
extern const struct orma_command orma_cmd_export;
extern const struct orma_command orma_shell_commands[]; /* ended by a NULL name */

int orma_shell_main(int argc, char **argv);
#endif
