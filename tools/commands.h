/*
 * The commands of `orma`, one file each: tools/cmd_NAME.c.
 */
#ifndef ORMA_TOOLS_COMMANDS_H
#define ORMA_TOOLS_COMMANDS_H
#include "tools/base/cli.h"
#include "tools/convert/convert.h"
#include "tools/help/help.h"
#include "tools/shell/shell.h"

extern const struct orma_command orma_cmd_record;
extern const struct orma_command orma_cmd_heap;
extern const struct orma_command orma_cmd_profile;
extern const struct orma_command orma_cmd_report;
extern const struct orma_command orma_cmd_why;
extern const struct orma_command orma_cmd_diff;
extern const struct orma_command orma_cmd_query;
extern const struct orma_command orma_cmd_merge;
extern const struct orma_command orma_cmd_cut;
extern const struct orma_command orma_cmd_split;
extern const struct orma_command orma_cmd_filter;
extern const struct orma_command orma_cmd_redact;
extern const struct orma_command orma_cmd_recompress;
extern const struct orma_command orma_cmd_recover;
extern const struct orma_command orma_cmd_relay;
extern const struct orma_command orma_cmd_stats;
extern const struct orma_command orma_cmd_status;
extern const struct orma_command orma_cmd_top;
extern const struct orma_command orma_cmd_doctor;
extern const struct orma_command orma_cmd_list;
extern const struct orma_command orma_cmd_fleet;
extern const struct orma_command orma_cmd_view; /* builds with zlib */

/* All of them in the order of the overview, ended by NULL. */
extern const struct orma_command *const orma_commands[];
/* What they are for, in the same order. */
extern const struct orma_help_group orma_cmd_groups[];
/* `orma` itself: what its manual page says; without run(). */
extern const struct orma_command orma_cmd_self;
#endif
