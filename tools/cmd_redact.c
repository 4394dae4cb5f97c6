/*
 * orma redact: a trace without its names, paths and texts.
 */
#include <stdio.h>

#include "tools/commands.h"
#include "tools/pieces/options.h"
#include "tools/pieces/redact.h"

enum { OPT_KEEP = 1, OPT_HIDE, OPT_DROP_ARGS };

static const struct orma_option options[] = {
    {OPT_KEEP, 0, "keep", "PATTERN",
     "Texts that match this pattern stay, such as 'kworker*'. May be repeated."},
    {OPT_HIDE, 0, "hide", "PATTERN",
     "Replace only the texts that match this pattern, such as '*customer*'. May be repeated."},
    {OPT_DROP_ARGS, 0, "drop-args", NULL,
     "Leave the annotations of track events out, with their numbers."},
    ORMA_PIECES_OUTPUT_OPTION("TRACE-redacted.pftrace"),
    ORMA_PIECES_COMPRESS_OPTION("as in TRACE"),
    ORMA_PIECES_FORCE_OPTION(ORMA_PIECES_OVERWRITE),
    {0},
};

static int add(struct orma_cli *cli, const char **list, unsigned *num)
{
    if (*num == ORMA_PIECES_PATTERNS_MAX)
        return orma_cli_usage_error(cli, "more than %d patterns", ORMA_PIECES_PATTERNS_MAX);
    list[(*num)++] = cli->value;
    return -1;
}

static int run(const struct orma_command *self, int argc, char **argv)
{
    struct orma_pieces_redact_request request = {.program = "orma redact"};
    struct orma_pieces_args args = {.suffix = "-redacted"};
    struct orma_cli cli;
    int id, code = -1;

    orma_cli_init(&cli, self, request.program, argc, argv);
    while (code < 0 && (id = orma_cli_next(&cli)) != ORMA_CLI_END) {
        switch (id) {
        case OPT_KEEP:
            code = add(&cli, request.keep, &request.keep_num);
            break;
        case OPT_HIDE:
            code = add(&cli, request.hide, &request.hide_num);
            break;
        case OPT_DROP_ARGS:
            request.drop_args = true;
            break;
        default:
            code = orma_pieces_take_other(&cli, id, &args);
        }
    }
    if (code < 0)
        code = orma_pieces_finish_args(&cli, &args, &request.want);
    if (code >= 0)
        return code;
    request.path = args.trace;
    request.packing = args.packing;
    return orma_output_exit(orma_pieces_redact(&request));
}

const struct orma_command orma_cmd_redact = {
    .name = "redact",
    .in_short = true,
    .summary = "Replace the names and texts of a trace.",
    .synopsis = "TRACE [OPTIONS] [-o FILE]",
    .details =
        "Every text becomes another one: names of processes, threads, slices and functions, "
        "command lines, paths, logs, text in arguments, build ids, the configuration. Equal texts "
        "become equal names, and a name does not tell its text: the key is random and forgotten. "
        "Numbers stay: times, counts, ids of processes, stacks, numbers in arguments.\n"
        "Fields that this version does not know, and bytes whose content no schema tells, such as "
        "pages of the kernel, are left out. Compressed packets are unpacked first.",
    .examples = "  orma redact trace.pftrace -o for-the-vendor.pftrace\n"
                "  orma redact trace.pftrace --keep 'kworker*' --keep 'Choreographer*'\n"
                "  orma redact trace.pftrace --hide '*customer*'\n",
    .options = options,
    .run = run,
};
