#include "tools/pieces/options.h"

#include <string.h>

#include "sdk/base/path.h"

static int take_packing(struct orma_cli *cli, enum orma_pieces_packing *ret)
{
    static const char *const names[] = {[ORMA_PIECES_PLAIN] = "none",
                                        [ORMA_PIECES_DEFLATE] = "deflate",
                                        [ORMA_PIECES_ZSTD] = "zstd"};

    for (unsigned i = ORMA_PIECES_PLAIN; i < ORMA_ARRAY_LEN(names); i++) {
        if (!strcmp(cli->value, names[i])) {
            *ret = i;
            return -1;
        }
    }
    return orma_cli_usage_error(cli, "%s %s: expected none, deflate or zstd", cli->option,
                                cli->value);
}

static int take_trace(struct orma_cli *cli, const char *word, struct orma_pieces_args *args)
{
    if (args->trace)
        return orma_cli_second_trace(cli, args->trace, word, "");
    args->trace = word;
    return -1;
}

int orma_pieces_take_other(struct orma_cli *cli, int id, struct orma_pieces_args *args)
{
    int code = -1;

    switch (id) {
    case ORMA_PIECES_OPT_OUTPUT:
        args->output = cli->value;
        return -1;
    case ORMA_PIECES_OPT_FORCE:
        args->force = true;
        return -1;
    case ORMA_PIECES_OPT_COMPRESS:
        return take_packing(cli, &args->packing);
    case ORMA_CLI_POSITIONAL:
        return take_trace(cli, cli->value, args);
    case ORMA_CLI_REST:
        for (int i = cli->rest_idx; code < 0 && i < cli->argc; i++)
            code = take_trace(cli, cli->argv[i], args);
        return code;
    case ORMA_CLI_HELP:
        return ORMA_EXIT_OK;
    default:
        return ORMA_EXIT_USAGE;
    }
}

struct orma_str orma_pieces_stem(const char *trace)
{
    const char *base = strcmp(trace, "-") ? orma_path_base(trace) : "trace";
    const char *dot = strrchr(base, '.');

    if (dot && dot > base && (!strcmp(dot, ".gz") || !strcmp(dot, ".zst"))) {
        for (const char *at = dot - 1; at > base; at--)
            if (*at == '.')
                return (struct orma_str){base, (size_t)(at - base)};
    }
    return (struct orma_str){base, dot && dot > base ? (size_t)(dot - base) : strlen(base)};
}

int orma_pieces_finish_args(struct orma_cli *cli, struct orma_pieces_args *args,
                            struct orma_output_want *ret)
{
    if (!args->trace)
        return orma_cli_usage_error(cli, "no trace");
    if (!args->output && args->suffix) {
        const struct orma_str stem = orma_pieces_stem(args->trace);
        const int len = snprintf(args->room, sizeof(args->room), "%.*s%s.pftrace",
                                 ORMA_STR_ARG(stem), args->suffix);

        if (len < 0 || (size_t)len >= sizeof(args->room))
            return orma_cli_usage_error(cli, "no output: add -o FILE");
        args->output = args->room;
    }
    *ret = (struct orma_output_want){
        .program = cli->program, .path = args->output, .force = args->force, .binary = true};
    return -1;
}
