/*
 * The tables of the shell, and what each of its forms does with its arguments.
 */
#include "tools/shell/shell.h"

#include <string.h>
#include <unistd.h>

#include "tools/base/inputs.h"
#include "tools/convert/bundle.h"
#include "tools/convert/convert.h"
#include "tools/convert/merge.h"
#include "tools/shell/shell_impl.h"

static const struct orma_option classic_options[] = {
    {ORMA_SHELL_QUERY_FILE, 'q', "query-file", "FILE",
     "Run the SQL in FILE (- is standard input), and print CSV."},
    {ORMA_SHELL_QUERY_STRING, 'Q', "query-string", "SQL", "Run SQL, print CSV."},
    {ORMA_SHELL_INTERACTIVE, 'i', "interactive", NULL, "Then open a prompt."},
    {ORMA_SHELL_WIDE, 'W', "wide", NULL, "Columns of 40 characters instead of 20 at the prompt."},
    {ORMA_SHELL_PERF_FILE, 'p', "perf-file", "FILE", "Write the times of load and query, in ns."},
    {ORMA_SHELL_EXPORT, 'e', "export", "FILE", "Write all tables into an SQLite file."},
    {ORMA_SHELL_HTTPD, 'D', "httpd", NULL, "Serve the trace over HTTP (a trace is optional)."},
    {ORMA_SHELL_PORT, 0, "http-port", "PORT", "With -D: the port. Default: 9001."},
    {ORMA_SHELL_ADDRESS, 0, "http-ip-address", "ADDRESS",
     "With -D: the address. Default: localhost."},
    {ORMA_SHELL_ORIGINS, 0, "http-additional-cors-origins", "LIST",
     "With -D: also accept requests from pages of these origins."},
    {ORMA_SHELL_STDIOD, 0, "stdiod", NULL, "Serve on standard input and output."},
    {ORMA_SHELL_HELP_CLASSIC, 0, "help-classic", NULL, "Show this."},
    {ORMA_SHELL_METRICS_RUN, 0, "run-metrics", "NAMES",
     "Compute these metrics (separated by commas); NAME.sql is a file, with NAME.proto beside it."},
    {ORMA_SHELL_METRICS_PRE, 0, "pre-metrics", "FILE", "Run the SQL in FILE before the metrics."},
    {ORMA_SHELL_METRICS_OUTPUT, 0, "metrics-output", "FORM",
     "Print metrics as text (the default), binary or json."},
    {ORMA_SHELL_METRICS_EXTENSION, 0, "metric-extension", "DISK@VIRTUAL",
     "Metrics in DISK/sql, with messages in DISK/protos; may be repeated."},
    {ORMA_SHELL_SUMMARY, 0, "summary", NULL, "Compute a trace summary."},
    {ORMA_SHELL_SUMMARY_METRICS, 0, "summary-metrics-v2", "IDS",
     "The metrics of the summary: all, or ids separated by commas."},
    {ORMA_SHELL_SUMMARY_METADATA, 0, "summary-metadata-query", "ID",
     "The query whose rows (key, value) become metadata."},
    {ORMA_SHELL_SUMMARY_SPEC, 0, "summary-spec", "FILE",
     "A specification: TraceSummarySpec as text or bytes; may be repeated."},
    {ORMA_SHELL_SUMMARY_FORMAT, 0, "summary-format", "FORM", "text (the default) or binary."},
    {ORMA_SHELL_SUMMARY_SPEC, 0, "structured-query-spec", "FILE", "The same as --summary-spec."},
    {ORMA_SHELL_STRUCTURED_ID, 0, "structured-query-id", "ID",
     "Print the rows of this query of the specifications."},
    ORMA_SHELL_GLOBAL_OPTIONS,
    {0},
};

static const struct orma_option query_options[] = {
    {ORMA_SHELL_QUERY_FILE, 'f', "query-file", "FILE",
     "Read the SQL from FILE; - is standard input."},
    {ORMA_SHELL_INTERACTIVE, 'i', "interactive", NULL, "Then open a prompt."},
    {ORMA_SHELL_WIDE, 'W', "wide", NULL, "Columns of 40 characters instead of 20 at the prompt."},
    {ORMA_SHELL_PERF_FILE, 0, "perf-file", "FILE", "Write the times of load and query, in ns."},
    {ORMA_SHELL_STRUCTURED_ID, 0, "structured-query-id", "ID",
     "Print the rows of this query of the specifications instead of SQL."},
    {ORMA_SHELL_SUMMARY_SPEC, 0, "summary-spec", "FILE",
     "A specification: TraceSummarySpec as text or bytes; may be repeated."},
    ORMA_SHELL_GLOBAL_OPTIONS,
    {0},
};

static const struct orma_option interactive_options[] = {
    {ORMA_SHELL_WIDE, 'W', "wide", NULL, "Columns of 40 characters instead of 20."},
    ORMA_SHELL_GLOBAL_OPTIONS,
    {0},
};

const struct orma_option orma_shell_export_options[] = {
    {ORMA_SHELL_OUTPUT, 'o', "output", "FILE",
     "The file to write, or with --to the folder; -: standard output."},
    {ORMA_SHELL_TO, 0, "to", "parquet|arrow|csv|jsonl|sqlite",
     "The format. All but sqlite accept SQL after the trace, and write the result of its last "
     "statement; without SQL they write a folder with one file per table."},
    {ORMA_SHELL_FORCE, 'f', "force", NULL, "Overwrite FILE if it exists."},
    {ORMA_SHELL_ARGS, 0, "args", NULL,
     "With parquet and arrow: add a column args with the args of arg_set_id as JSON; in a query "
     "result, the column of this name holds JSON."},
    ORMA_SHELL_GLOBAL_OPTIONS,
    {0},
};

static int run_metrics(const struct orma_command *command, int argc, char **argv)
{
    struct orma_shell sh;

    orma_shell_init(&sh);
    int code = orma_shell_parse(&sh, command, orma_shell_program("metrics"), 2, argc, argv);
    if (code >= 0)
        return code;
    sh.trace = sh.words[0];
    if (sh.words_num == 2) {
        fprintf(stderr, "%s: too many arguments: the names of metrics follow --run: %s --run %s %s\n",
                orma_shell_program("metrics"), orma_shell_program("metrics"), sh.words[1],
                sh.words[0]);
        return orma_shell_usage();
    }
    if (!sh.trace)
        return orma_shell_missing("metrics", "no trace file given");
    if (!sh.metrics.run)
        return orma_shell_missing("metrics", "no metrics named: use --run a,b");
    return orma_shell_execute(&sh);
}

static int run_summarize(const struct orma_command *command, int argc, char **argv)
{
    struct orma_shell sh;

    orma_shell_init(&sh);
    int code = orma_shell_parse(&sh, command, orma_shell_program("summarize"), ORMA_SHELL_WORDS_MAX,
                                argc, argv);
    if (code >= 0)
        return code;
    sh.trace = sh.words[0];
    if (!sh.trace)
        return orma_shell_missing("summarize", "no trace file given");
    for (size_t i = 1; i < sh.words_num && sh.metrics.specs_num < ORMA_SHELL_LIST_MAX; i++)
        sh.metrics.specs[sh.metrics.specs_num++] = sh.words[i];
    sh.metrics.summary = true;
    return orma_shell_execute(&sh);
}

static int run_query(const struct orma_command *self, int argc, char **argv)
{
    struct orma_shell sh;

    orma_shell_init(&sh);
    int code = orma_shell_parse(&sh, self, ORMA_SHELL_NAME " query", 2, argc, argv);
    if (code >= 0)
        return code;
    if (sh.remote && sh.words[1])
        return orma_shell_missing("query: with --remote, only SQL can be given, no trace",
                                  sh.words[1]);
    sh.trace = sh.remote ? NULL : sh.words[0];
    sh.query_text = sh.words[sh.remote ? 0 : 1];
    if (!sh.trace && !sh.remote)
        return orma_shell_missing("query", "no trace file given");
    if (!sh.query_text && !sh.query_file && !sh.metrics.query_id && !isatty(STDIN_FILENO))
        sh.query_file = "-";
    if (!sh.query_text && !sh.query_file && !sh.metrics.query_id)
        return orma_shell_missing("query", "no SQL provided. Give it as an argument, with -f FILE, "
                                           "or on standard input.");
    return orma_shell_execute(&sh);
}

static int run_interactive(const struct orma_command *self, int argc, char **argv)
{
    struct orma_shell sh;

    orma_shell_init(&sh);
    int code = orma_shell_parse(&sh, self, ORMA_SHELL_NAME " interactive", 1, argc, argv);
    if (code >= 0)
        return code;
    sh.trace = sh.words[0];
    sh.interactive = true;
    return sh.trace ? orma_shell_execute(&sh)
                    : orma_shell_missing("interactive", "no trace file given");
}

static int run_export(const struct orma_command *self, int argc, char **argv)
{
    struct orma_shell sh;

    orma_shell_init(&sh);
    int code = orma_shell_parse(&sh, self, orma_shell_program("export"), 3, argc, argv);
    if (code >= 0)
        return code;
    if (!sh.export_to && sh.words[0] && orma_shell_export_knows(sh.words[0]) &&
        strcmp(sh.words[0], "sqlite"))
        return orma_shell_missing(
            "export",
            "the format follows --to, the output -o: orma export --to csv -o FOLDER TRACE");
    if (sh.words[2])
        return orma_shell_missing("export", "too many arguments: name the output with -o");
    if (sh.export_to && !orma_shell_export_knows(sh.export_to))
        return orma_shell_missing("export",
                                  "unknown format: expected parquet, arrow, csv, jsonl or sqlite");
    if (sh.export_to && !strcmp(sh.export_to, "sqlite") && sh.words[1] &&
        strcmp(sh.words[0], "sqlite"))
        return orma_shell_missing("export",
                                  "an SQLite file always has all tables: leave out the SQL");
    if (sh.export_args && (!sh.export_to || !orma_shell_export_has_json(sh.export_to)))
        return orma_shell_missing("export", "--args needs --to parquet or --to arrow");
    if (sh.export_to && strcmp(sh.export_to, "sqlite")) {
        sh.export_sql = sh.words[1];
        sh.words[1] = sh.words[0];
        sh.words[0] = "sqlite";
    }
    if (orma_shell_is_orma() && sh.words[0] && !sh.words[1]) { /* the format goes without saying */
        sh.words[1] = sh.words[0];
        sh.words[0] = "sqlite";
    }
    if (!sh.words[0] || (strcmp(sh.words[0], "sqlite") && strcmp(sh.words[0], "arrow_tar") &&
                         strcmp(sh.words[0], "perfetto")))
        return orma_shell_missing("export",
                                  "unknown format: expected sqlite, arrow_tar or perfetto");
    if (strcmp(sh.words[0], "sqlite") != 0)
        sh.export_to = sh.words[0];
    sh.trace = sh.words[1];
    if (!sh.trace)
        return orma_shell_missing("export", "no trace file given");
    if (!sh.export_file)
        return orma_shell_missing("export", "no output given: add -o FILE");
    orma_inputs_drop(sh.words[0]);
    if (orma_shell_export_check(&sh))
        return 1;
    return orma_shell_execute(&sh);
}

static int run_convert(const struct orma_command *self, int argc, char **argv)
{
    return orma_convert_main(self, ORMA_SHELL_NAME " convert", ORMA_CONVERT_SHELL_CONVERT, 1, argc,
                             argv);
}

static int run_bundle(const struct orma_command *self, int argc, char **argv)
{
    (void)self;
    return orma_convert_bundle_main(ORMA_SHELL_NAME " bundle", 1, argc, argv);
}

static int run_util(const struct orma_command *self, int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "merge"))
        return orma_convert_merge_main(argc - 1, argv + 1);
    return orma_convert_main(self, ORMA_SHELL_NAME " util", ORMA_CONVERT_SHELL_UTIL, 1, argc, argv);
}

static int run_classic(const struct orma_command *self, int argc, char **argv)
{
    struct orma_shell sh;

    orma_shell_init(&sh);
    int code = orma_shell_parse(&sh, self, ORMA_SHELL_NAME, 0, argc, argv);
    if (code >= 0)
        return code;
    if (sh.httpd)
        return orma_shell_serve_http(&sh);
    if (sh.stdiod)
        return orma_shell_serve_stdio(&sh);
    if (sh.export_file && (sh.query_text || sh.query_file))
        return orma_shell_missing(ORMA_SHELL_NAME, "-e cannot be combined with -q or -Q");
    if (sh.metrics.summary && sh.metrics.run)
        return orma_shell_missing(ORMA_SHELL_NAME,
                                  "--summary cannot be combined with --run-metrics");
    if (sh.remote && sh.trace)
        return orma_shell_missing(ORMA_SHELL_NAME, "with --remote, no trace file can be given");
    if (!sh.trace && !sh.remote)
        return orma_shell_missing(ORMA_SHELL_NAME, "no trace file given; see --help");
    sh.interactive |= !sh.query_text && !sh.query_file && !sh.export_file && !sh.metrics.run &&
                      !sh.metrics.summary && !sh.metrics.query_id;
    return orma_shell_execute(&sh);
}

const struct orma_command orma_shell_commands[] = {
    {
        .name = "query",
        .summary = "Run SQL on a trace and print the rows as CSV.",
        .synopsis = "[OPTIONS] TRACE [SQL]",
        .details = "The SQL is the argument, the file of -f, or standard input. Names and strings "
                   "are quoted without escapes; NULL is \"[NULL]\".",
        .examples =
            "  trace_processor_shell query trace.pftrace 'SELECT name, dur FROM slice LIMIT 3'\n"
            "  echo 'SELECT count(*) FROM sched' | trace_processor_shell query trace.pftrace\n",
        .options = query_options,
        .threads = true,
        .run = run_query,
    },
    {
        .name = "interactive",
        .summary = "Open an SQL prompt for a trace.",
        .synopsis = "[OPTIONS] TRACE",
        .examples = "  trace_processor_shell interactive trace.pftrace\n",
        .options = interactive_options,
        .threads = true,
        .run = run_interactive,
    },
    {
        .name = "convert",
        .summary = "Convert a trace into another format.",
        .synopsis = "FORMAT [INPUT [OUTPUT]]",
        .details = "Formats: text, json, systrace, ctrace, profile, firefox.",
        .examples = "  trace_processor_shell convert json trace.pftrace trace.json\n"
                    "  trace_processor_shell convert text trace.pftrace | less\n",
        .options = orma_convert_options,
        .threads = true,
        .run = run_convert,
    },
    {
        .name = "bundle",
        .summary = "Pack a trace and the symbols of its frames into one archive.",
        .synopsis = "[OPTIONS] TRACE ARCHIVE",
        .details = "The archive is a tar that loads like the trace.",
        .examples = "  trace_processor_shell bundle trace.pftrace trace.tar\n",
        .options = orma_convert_bundle_options,
        .threads = true,
        .run = run_bundle,
    },
    {
        .name = "util",
        .summary = "Rewrite traces: text_to_binary, decompress_packets, merge, symbolize, "
                   "deobfuscate.",
        .synopsis = "UTILITY [INPUT [OUTPUT]]\nmerge -o FILE [--manifest=FILE] [--no-validate] "
                    "[--strict] TRACE...",
        .details = "merge packs several traces into one archive, which loads as one trace; see "
                   "'util merge --help'. symbolize and deobfuscate write packets to append to the "
                   "trace: the symbols of its frames, from the binaries below PERFETTO_BINARY_PATH "
                   "or of this machine, and original names, from PERFETTO_PROGUARD_MAP.",
        .examples = "  trace_processor_shell util text_to_binary trace.txt trace.pftrace\n"
                    "  trace_processor_shell util merge -o both.tar one.pftrace two.pftrace\n"
                    "  trace_processor_shell util symbolize trace.pftrace >> trace.pftrace\n",
        .options = orma_convert_options,
        .threads = true,
        .run = run_util,
    },
    {
        .name = "metrics",
        .summary = "Compute metrics of a trace.",
        .synopsis = "--run NAMES [OPTIONS] TRACE",
        .details = "SELECT name FROM trace_metrics lists the available metrics.",
        .examples = "  trace_processor_shell metrics --run trace_metadata trace.pftrace\n",
        .options = orma_shell_metrics_options,
        .threads = true,
        .run = run_metrics,
    },
    {
        .name = "summarize",
        .summary = "Compute a trace summary from specifications.",
        .synopsis = "[OPTIONS] TRACE [SPEC...]",
        .details = "Specifications are TraceSummarySpec messages: .textproto is text, .pb bytes.",
        .examples = "  trace_processor_shell summarize trace.pftrace spec.textproto\n",
        .options = orma_shell_summary_options,
        .threads = true,
        .run = run_summarize,
    },
    {
        .name = "export",
        .summary = "Write all tables of a trace into a database, or an archive.",
        .synopsis = "sqlite -o FILE TRACE\narrow_tar -o FILE TRACE\nperfetto -o FILE TRACE",
        .details = ORMA_SHELL_EXPORT_DETAILS,
        .examples = "  trace_processor_shell export sqlite -o trace.db trace.pftrace\n",
        .options = orma_shell_export_options,
        .threads = true,
        .run = run_export,
    },
    {
        .name = "server",
        .summary = "Serve a trace to browsers and programs.",
        .synopsis = "http [OPTIONS] [TRACE]\nstdio [TRACE]\n"
                    "unix [--name=NAME | --path=PATH] [OPTIONS] [TRACE]\nkill NAME|PATH",
        .details = "http: for https://ui.perfetto.dev and Python; stdio: one client on standard "
                   "input and output; unix: a socket in $XDG_RUNTIME_DIR/perfetto (or in the "
                   "temporary folder). kill stops a server on a socket.",
        .examples =
            "  trace_processor_shell server http trace.pftrace      # then open the viewer\n"
            "  trace_processor_shell server unix --name mine trace.pftrace\n"
            "  trace_processor_shell query --remote mine 'SELECT count(*) FROM slice'\n",
        .options = orma_shell_server_options,
        .threads = true,
        .run = orma_shell_run_server,
    },
    {0},
};

const struct orma_command orma_cmd_shell = {
    .name = ORMA_SHELL_NAME,
    .summary = "Query traces in SQL.",
    .synopsis = "COMMAND [OPTIONS] TRACE\n[OPTIONS] TRACE\nhelp [COMMAND]",
    .details = "Without a command, the flags below apply; without -q and -Q, a prompt opens. With "
               "PERFETTO_BINARY_PATH=DIR[:DIR...] or PERFETTO_PROGUARD_MAP=[PACKAGE=]PATH[:...] "
               "set, the frames of a trace get names from binaries or mappings there.",
    .examples = "  trace_processor_shell query trace.pftrace 'SELECT * FROM slice LIMIT 3'\n"
                "  trace_processor_shell -q question.sql trace.pftrace\n"
                "  trace_processor_shell server http trace.pftrace\n",
    .options = classic_options,
    .threads = true,
    .run = run_classic,
};

static void overview(FILE *out)
{
    fprintf(out, "Usage: %s COMMAND [OPTIONS] TRACE\n\nCommands:\n", ORMA_SHELL_NAME);
    for (const struct orma_command *c = orma_shell_commands; c->name; c++)
        fprintf(out, "  %-12s %s\n", c->name, c->summary);
    fprintf(out,
            "\nWithout a command: -q FILE, -Q SQL, or a prompt; see --help-classic.\n\n"
            "Examples:\n%s",
            orma_cmd_shell.examples);
}

static const struct orma_command *find_command(const char *name)
{
    for (const struct orma_command *c = orma_shell_commands; c->name; c++) {
        if (!strcmp(name, c->name))
            return c;
    }
    return NULL;
}

/* Does the flag at argv[i] take the next argument as its value? */
static bool takes_next(const char *arg)
{
    for (const struct orma_option *o = classic_options; o->id; o++) {
        if (!o->arg)
            continue;
        if (arg[1] == '-' ? o->name && !strcmp(arg + 2, o->name) : o->letter == arg[1] && !arg[2])
            return true;
    }
    return false;
}

/* Index of the command word: the first argument that is no flag and no flag's value. 0: none. */
static int command_at(int argc, char **argv, const struct orma_command **ret)
{
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] == '-') {
            i += takes_next(argv[i]);
            continue;
        }
        *ret = find_command(argv[i]);
        return *ret ? i : 0;
    }
    return 0;
}

/* help [COMMAND] */
static int help(const char *name)
{
    const struct orma_command *command = name ? find_command(name) : NULL;
    char program[64];

    if (name && !command)
        return orma_shell_missing("help: no such command", name);
    snprintf(program, sizeof(program), ORMA_SHELL_NAME " %s", command ? command->name : "");
    if (command)
        orma_cli_help(command, program, stdout);
    else
        overview(stdout);
    return 0;
}

int orma_shell_main(int argc, char **argv)
{
    const struct orma_command *command = NULL;
    int at = command_at(argc, argv, &command);

    if (argc < 2 || (argc == 2 && (!strcmp(argv[1], "-h") || !strcmp(argv[1], "--help"))))
        return help(NULL);
    if (argc < 4 && !strcmp(argv[1], "help"))
        return help(argv[2]);
    if (!at)
        return run_classic(&orma_cmd_shell, argc, argv);
    if (access(command->name, F_OK) == 0)
        fprintf(stderr, "'%s' is read as the command; use ./%s for the file of that name\n",
                command->name, command->name);
    /* The command word becomes argv[0]; flags in front of it stay flags. */
    memmove(argv + 1, argv, (size_t)at * sizeof(*argv));
    argv[1] = argv[0];
    return command->run(command, argc - 1, argv + 1);
}
