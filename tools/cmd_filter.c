/*
 * orma filter: what belongs to some processes, threads, or kinds of packets, as a trace.
 */
#include <stdio.h>

#include "tools/commands.h"
#include "tools/pieces/filter.h"
#include "tools/pieces/options.h"

enum {
    OPT_PROCESS = 1,
    OPT_THREAD,
    OPT_CATEGORY,
    OPT_SOURCE,
    OPT_NOT,
};

static const struct orma_option options[] = {
    {OPT_PROCESS, 'p', "process", "NAME|PID",
     "Keep what belongs to this process, or to those that match. May be repeated."},
    {OPT_THREAD, 't', "thread", "NAME|TID",
     "Keep what belongs to this thread, or to those that match. May be repeated."},
    {OPT_CATEGORY, 0, "category", "NAME",
     "Keep track events of this category, or of those that match. May be repeated."},
    {OPT_SOURCE, 0, "source", "NAME",
     "Keep packets of this kind, such as track_event, ftrace_events, process_stats, sys_stats or "
     "perf_sample (the names of their fields in TracePacket). May be repeated."},
    {OPT_NOT, 0, "not", NULL, "Leave out what matches, and keep all else."},
    ORMA_PIECES_OUTPUT_OPTION("TRACE-filtered.pftrace"),
    ORMA_PIECES_COMPRESS_OPTION("as in TRACE"),
    ORMA_PIECES_FORCE_OPTION(ORMA_PIECES_OVERWRITE),
    {0},
};

static int add(struct orma_cli *cli, struct orma_pieces_wants *wants)
{
    if (wants->num == ORMA_PIECES_WANTS_MAX)
        return orma_cli_usage_error(cli, "%s: more than %d", cli->option, ORMA_PIECES_WANTS_MAX);
    wants->patterns[wants->num++] = cli->value;
    return -1;
}

static int run(const struct orma_command *self, int argc, char **argv)
{
    struct orma_pieces_filter_request request = {.program = "orma filter"};
    struct orma_pieces_args args = {.suffix = "-filtered"};
    struct orma_cli cli;
    int id, code = -1;

    orma_cli_init(&cli, self, request.program, argc, argv);
    while (code < 0 && (id = orma_cli_next(&cli)) != ORMA_CLI_END) {
        switch (id) {
        case OPT_PROCESS:
            code = add(&cli, &request.processes);
            break;
        case OPT_THREAD:
            code = add(&cli, &request.threads);
            break;
        case OPT_CATEGORY:
            code = add(&cli, &request.categories);
            break;
        case OPT_SOURCE:
            code = add(&cli, &request.sources);
            break;
        case OPT_NOT:
            request.invert = true;
            break;
        default:
            code = orma_pieces_take_other(&cli, id, &args);
        }
    }
    if (code < 0 && !request.processes.num && !request.threads.num && !request.categories.num &&
        !request.sources.num)
        code = orma_cli_usage_error(&cli, "add --process, --thread, --category or --source");
    if (code < 0)
        code = orma_pieces_finish_args(&cli, &args, &request.want);
    if (code >= 0)
        return code;
    request.path = args.trace;
    request.packing = args.packing;
    return orma_output_exit(orma_pieces_filter(&request));
}

const struct orma_command orma_cmd_filter = {
    .name = "filter",
    .in_short = true,
    .summary = "Keep only some processes, threads or kinds of packets of a trace.",
    .synopsis =
        "TRACE (--process NAME|PID | --thread NAME|TID | --category NAME | --source NAME)... "
        "[--not] [-o FILE]",
    .details =
        "Names may be patterns. They are compared with the names of processes (the whole name, or "
        "the last part of a path), of their main threads, and of threads. If an option is given "
        "several times, one of its values must match; if several options are given, each must. "
        "What has no time (descriptions, clocks, the configuration) always stays.\n"
        "With --process or --thread, packets that belong to no process are left out, such as "
        "counters of the machine. Slices and counters belong to the thread or process of their "
        "track, kernel events to the thread that caused them, wakings to the thread that was "
        "woken. Switches of all threads stay, with the events that tell which threads there are: "
        "without them a CPU would seem to run what it did not; --source chooses packets without "
        "them. Only track events have categories: with --category nothing else stays.",
    .examples = "  orma filter trace.pftrace --process system_server -o server.pftrace\n"
                "  orma filter trace.pftrace --source track_event --process 'my*'\n"
                "  orma filter trace.pftrace --not --source ftrace_events -o no-kernel.pftrace\n",
    .options = options,
    .run = run,
};
