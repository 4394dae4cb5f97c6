/*
 * orma profile report, orma profile diff: answers from a trace that has samples.
 */
#ifndef ORMA_TOOLS_PROFILE_REPORT_H
#define ORMA_TOOLS_PROFILE_REPORT_H
#include "tools/base/cli.h"

/* What `orma profile report` and `orma profile diff` are; argv[0] is the word behind `profile`. */
extern const struct orma_command orma_cmd_profile_report, orma_cmd_profile_diff;
#endif
