/*
 * orma cut: a range of time out of a trace, as a trace.
 */
#include <stdio.h>

#include "tools/commands.h"
#include "tools/pieces/cut.h"
#include "tools/pieces/options.h"

enum { OPT_FROM = 1, OPT_TO };

static const struct orma_option options[] = {
    {OPT_FROM, 0, "from", "TIME",
     "Begin here: a time since the start of the trace (12.5s, 300ms, 2m), or a timestamp of the "
     "trace in ns (the beginning)."},
    {OPT_TO, 0, "to", "TIME", "End before this time (the end)."},
    ORMA_PIECES_OUTPUT_OPTION("TRACE-cut.pftrace"),
    ORMA_PIECES_COMPRESS_OPTION("as in TRACE"),
    ORMA_PIECES_FORCE_OPTION(ORMA_PIECES_OVERWRITE),
    {0},
};

static int run(const struct orma_command *self, int argc, char **argv)
{
    struct orma_pieces_cut_request request = {.program = "orma cut"};
    struct orma_pieces_args args = {.suffix = "-cut"};
    struct orma_cli cli;
    int id, code = -1;

    orma_cli_init(&cli, self, request.program, argc, argv);
    while (code < 0 && (id = orma_cli_next(&cli)) != ORMA_CLI_END) {
        switch (id) {
        case OPT_FROM:
            request.from = cli.value;
            break;
        case OPT_TO:
            request.to = cli.value;
            break;
        default:
            code = orma_pieces_take_other(&cli, id, &args);
        }
    }
    if (code < 0 && !request.from && !request.to)
        code = orma_cli_usage_error(&cli, "no range: add --from TIME, --to TIME, or both");
    if (code < 0)
        code = orma_pieces_finish_args(&cli, &args, &request.want);
    if (code >= 0)
        return code;
    request.path = args.trace;
    request.packing = args.packing;
    return orma_output_exit(orma_pieces_cut(&request));
}

const struct orma_command orma_cmd_cut = {
    .name = "cut",
    .summary = "Cut a range of time out of a trace.",
    .in_short = true,
    .synopsis = "TRACE [--from TIME] [--to TIME] [-o FILE]",
    .details =
        "Writes a trace with what happened in the range, for any reader of the format: names, "
        "descriptions of processes and tracks, clocks, and the configuration are in it as far as "
        "they are needed. Packets stay as they are, fields that nobody knows included. The trace "
        "is "
        "never in memory as a whole.\n"
        "Slices of programs that overlap with the range are there whole, with their true times. "
        "Kernel events are taken one by one: what they begin within the range and end behind it (a "
        "thread on a CPU) is open at the end, what they began before it is not there. Counters "
        "have their values from the first one in the range on. Counts of losses are those of the "
        "whole recording.",
    .examples = "  orma cut trace.pftrace --from 12.5s --to 14s -o glitch.pftrace\n"
                "  orma cut trace.pftrace --from 2m -o - | gzip > end.pftrace.gz\n",
    .options = options,
    .run = run,
};
