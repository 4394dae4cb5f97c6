#include "tools/commands.h"

const struct orma_command *const orma_commands[] = {
    &orma_cmd_record,
    &orma_cmd_profile,
    &orma_cmd_heap,
    &orma_cmd_status,
    &orma_cmd_top,
    &orma_cmd_recover,
    &orma_cmd_relay,
    &orma_cmd_report,
    &orma_cmd_why,
    &orma_cmd_diff,
    &orma_cmd_query,
#ifdef ORMA_HAVE_VIEW
    &orma_cmd_view,
#endif
    &orma_cmd_stats,
    &orma_cmd_doctor,
    &orma_cmd_metrics,
    &orma_cmd_summarize,
    &orma_cmd_convert,
    &orma_cmd_merge,
    &orma_cmd_cut,
    &orma_cmd_split,
    &orma_cmd_filter,
    &orma_cmd_redact,
    &orma_cmd_recompress,
    &orma_cmd_export,
    &orma_cmd_fleet,
    &orma_cmd_serve,
    &orma_cmd_list,
    &orma_cmd_help,
    NULL,
};

const struct orma_help_group orma_cmd_groups[] = {
    {"record", &orma_cmd_record},
    {"ask", &orma_cmd_report},
    {"share", &orma_cmd_convert},
    {"more", &orma_cmd_list},
    {0},
};

static const struct orma_option options[] = {
    {1, 'V', "version", NULL, "Print the version."},
    {0},
};

const struct orma_command orma_cmd_self = {
    .name = "orma",
    .summary = "Records what this machine and its programs do, and answers questions about it.",
    .synopsis = "COMMAND [OPTIONS] ...\nhelp [COMMAND | TOPIC]",
    .details = "Started under another name (by a link), it acts as that program: perfetto, "
               "trigger_perfetto, tracebox, trace_processor_shell, traceconv.",
    .examples = "  orma record -t 5s -o trace.pftrace   # as root: the kernel's events, too\n"
                "  orma report trace.pftrace            # who used the CPUs, who waited\n",
    .options = options,
};
