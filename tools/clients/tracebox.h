/*
 * `tracebox`: all programs in one. With the name of one of them it is that
 * program; otherwise it is `perfetto` with a service and probes of its own.
 */
#ifndef ORMA_TOOLS_TRACEBOX_H
#define ORMA_TOOLS_TRACEBOX_H
#include "tools/base/cli.h"

extern const struct orma_command orma_cmd_tracebox;

int orma_tracebox_main(int argc, char **argv);
#endif
