/*
 * Parts of the shell under names of `orma`: metrics, summarize, serve, export. They do the same,
 * with the manners of `orma`.
 */
#include <string.h>

#include "tools/shell/shell.h"
#include "tools/shell/shell_impl.h"

static int run_part(const char *name, const struct orma_command *self, int argc, char **argv)
{
    const struct orma_command *part = orma_shell_commands;

    while (strcmp(part->name, name))
        part++; /* it is there */
    struct orma_command as = *part;
    as.name = self->name;
    as.summary = self->summary;
    as.synopsis = self->synopsis;
    as.details = self->details;
    as.examples = self->examples;
    orma_shell_call_orma();
    return part->run(&as, argc, argv);
}

static int run_metrics(const struct orma_command *self, int argc, char **argv)
{
    return run_part("metrics", self, argc, argv);
}

static int run_summarize(const struct orma_command *self, int argc, char **argv)
{
    return run_part("summarize", self, argc, argv);
}

static int run_serve(const struct orma_command *self, int argc, char **argv)
{
    return run_part("server", self, argc, argv);
}

static int run_export(const struct orma_command *self, int argc, char **argv)
{
    return run_part("export", self, argc, argv);
}

const struct orma_command orma_cmd_metrics = {
    .name = "metrics",
    .in_short = true,
    .summary = "Compute metrics of a trace.",
    .synopsis = "--run NAMES [OPTIONS] TRACE",
    .details = "'orma query TRACE \"SELECT name FROM trace_metrics\"' lists the metrics.",
    .examples = "  orma metrics --run trace_metadata trace.pftrace\n"
                "  orma metrics --run trace_stats --output json trace.pftrace\n",
    .options = orma_shell_metrics_options,
    .threads = true,
    .run = run_metrics,
};

const struct orma_command orma_cmd_summarize = {
    .name = "summarize",
    .in_short = true,
    .summary = "Compute a summary of a trace from specifications.",
    .synopsis = "[OPTIONS] TRACE [SPEC...]",
    .details = "Specifications are TraceSummarySpec messages: .textproto is text, .pb bytes.",
    .examples = "  orma summarize trace.pftrace spec.textproto\n",
    .options = orma_shell_summary_options,
    .threads = true,
    .run = run_summarize,
};

const struct orma_command orma_cmd_serve = {
    .name = "serve",
    .summary = "Serve a trace to browsers and programs.",
    .synopsis = "[OPTIONS] [http] [TRACE]\nstdio [TRACE]\n"
                "unix [--name=NAME | --path=PATH] [OPTIONS] [TRACE]\nkill NAME|PATH",
    .details =
        "Serves over HTTP for https://ui.perfetto.dev and Python, unless a mode is given. stdio: "
        "one client on standard input and output; unix: a socket in $XDG_RUNTIME_DIR/perfetto (or "
        "in the temporary folder). kill stops a server on a socket.",
    .examples = "  orma serve trace.pftrace             # then open https://ui.perfetto.dev\n"
                "  orma serve unix --name mine trace.pftrace\n",
    .options = orma_shell_server_options,
    .threads = true,
    .run = run_serve,
};

const struct orma_command orma_cmd_export = {
    .name = "export",
    .summary = "Write all tables of a trace, or rows of a query, as files.",
    .synopsis = "[sqlite] -o FILE TRACE\narrow_tar -o FILE TRACE\nperfetto -o FILE TRACE\n"
                "--to FORMAT -o FOLDER TRACE\n--to FORMAT -o FILE TRACE SQL",
    .details = ORMA_SHELL_EXPORT_DETAILS,
    .examples = "  orma export -o trace.db trace.pftrace\n"
                "  orma export --to parquet -o tables trace.pftrace\n"
                "  orma export --to parquet -o slices.parquet trace.pftrace 'SELECT ts, dur, name "
                "FROM slice'\n"
                "  orma export --to jsonl -o - trace.pftrace 'SELECT * FROM thread' | jq .name\n",
    .options = orma_shell_export_options,
    .threads = true,
    .run = run_export,
};
