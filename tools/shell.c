#include "tools/shell.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "processor/serve/csv.h"
#include "sdk/base/clock.h"
#include "sdk/base/fd.h"
#include "tools/convert.h"
#include "tools/load.h"
#include "tools/shell_impl.h"

#define SQL_BYTES_MAX ((size_t)64 << 20)
#define PROGRAM "trace_processor_shell"
#define RPC_API_VERSION 14

enum {
    OPT_QUERY_FILE = 1,
    OPT_QUERY_STRING,
    OPT_INTERACTIVE,
    OPT_WIDE,
    OPT_PERF_FILE,
    OPT_FULL_SORT,
    OPT_NO_FTRACE_RAW,
    OPT_CROP,
    OPT_ACCEPTED, /* changes nothing here */
    OPT_VERSION,
    OPT_HELP_CLASSIC,
    OPT_ABSENT, /* known, but not in this build */
};

#define GLOBAL_OPTIONS                                                                             \
    {OPT_FULL_SORT, 0, "full-sort", NULL, "Sort all events at the end of the load."},              \
        {OPT_NO_FTRACE_RAW, 0, "no-ftrace-raw", NULL, "No rows in ftrace_event."},                 \
        {OPT_CROP, 0, "crop-track-events", NULL, "Only the trace's range of interest."},           \
        {OPT_ACCEPTED, 0, "dev", NULL, "Accepted; changes nothing."},                              \
        {OPT_ACCEPTED, 0, "dev-flag", "KEY=VALUE", "Accepted; changes nothing."},                  \
        {OPT_ACCEPTED, 0, "extra-checks", NULL, "Accepted; the checks are always on."},            \
        {OPT_ABSENT, 0, "remote", "ADDR", NULL}, {OPT_ABSENT, 'm', "metatrace", "FILE", NULL},     \
        {OPT_ABSENT, 0, "analyze-trace-proto-content", NULL, NULL},                                \
    {                                                                                              \
        OPT_VERSION, 'v', "version", NULL, "Print the version."                                    \
    }

static const struct orma_option classic_options[] = {
    {OPT_QUERY_FILE, 'q', "query-file", "FILE",
     "Run the SQL in FILE (- is standard input), print CSV."},
    {OPT_QUERY_STRING, 'Q', "query-string", "SQL", "Run SQL, print CSV."},
    {OPT_INTERACTIVE, 'i', "interactive", NULL, "Go on with a prompt afterwards."},
    {OPT_WIDE, 'W', "wide", NULL, "Columns of 40 characters instead of 20 at the prompt."},
    {OPT_PERF_FILE, 'p', "perf-file", "FILE", "Write the times of load and query, in ns."},
    {OPT_HELP_CLASSIC, 0, "help-classic", NULL, "Show this."},
    {OPT_ABSENT, 'D', "httpd", NULL, NULL},
    {OPT_ABSENT, 0, "stdiod", NULL, NULL},
    {OPT_ABSENT, 'e', "export", "FILE", NULL},
    {OPT_ABSENT, 0, "run-metrics", "NAMES", NULL},
    {OPT_ABSENT, 0, "summary", NULL, NULL},
    GLOBAL_OPTIONS,
    {0},
};

static const struct orma_option query_options[] = {
    {OPT_QUERY_FILE, 'f', "query-file", "FILE", "Read the SQL from FILE; - is standard input."},
    {OPT_INTERACTIVE, 'i', "interactive", NULL, "Go on with a prompt afterwards."},
    {OPT_WIDE, 'W', "wide", NULL, "Columns of 40 characters instead of 20 at the prompt."},
    {OPT_PERF_FILE, 0, "perf-file", "FILE", "Write the times of load and query, in ns."},
    {OPT_ABSENT, 0, "structured-query-id", "ID", NULL},
    {OPT_ABSENT, 0, "summary-spec", "FILE", NULL},
    GLOBAL_OPTIONS,
    {0},
};

static const struct orma_option interactive_options[] = {
    {OPT_WIDE, 'W', "wide", NULL, "Columns of 40 characters instead of 20."},
    GLOBAL_OPTIONS,
    {0},
};

static int run_query(const struct orma_command *self, int argc, char **argv);
static int run_interactive(const struct orma_command *self, int argc, char **argv);
static int run_classic(const struct orma_command *self, int argc, char **argv);

static int run_convert(const struct orma_command *self, int argc, char **argv)
{
    return orma_convert_main(self, PROGRAM " convert", ORMA_CONVERT_SHELL_CONVERT, 1, argc, argv);
}

static int run_util(const struct orma_command *self, int argc, char **argv)
{
    return orma_convert_main(self, PROGRAM " util", ORMA_CONVERT_SHELL_UTIL, 1, argc, argv);
}

const struct orma_command orma_shell_commands[] = {
    {
        .name = "query",
        .summary = "Run SQL on a trace and print the rows as CSV.",
        .synopsis = "[OPTIONS] TRACE [SQL]",
        .options = query_options,
        .run = run_query,
    },
    {
        .name = "interactive",
        .summary = "A prompt for SQL on a trace.",
        .synopsis = "[OPTIONS] TRACE",
        .options = interactive_options,
        .run = run_interactive,
    },
    {
        .name = "convert",
        .summary = "Convert a trace into another format.",
        .synopsis = "FORMAT [INPUT [OUTPUT]]",
        .options = orma_convert_options,
        .run = run_convert,
    },
    {
        .name = "util",
        .summary = "Rewrite traces: text_to_binary, decompress_packets.",
        .synopsis = "UTILITY [INPUT [OUTPUT]]",
        .options = orma_convert_options,
        .run = run_util,
    },
    {0},
};

const struct orma_command orma_cmd_shell = {
    .name = PROGRAM,
    .summary = "Ask traces in SQL.",
    .synopsis = "[COMMAND] [OPTIONS] TRACE",
    .details = "Commands: query, interactive, convert, util. Without a command, the flags below; "
               "without -q and "
               "-Q, a prompt.",
    .examples = "  trace_processor_shell query trace.pftrace 'SELECT * FROM slice LIMIT 3'\n"
                "  trace_processor_shell -q question.sql trace.pftrace\n",
    .options = classic_options,
    .run = run_classic,
};

static void overview(FILE *out)
{
    fprintf(out, "Usage: %s COMMAND [OPTIONS] TRACE\n\nCommands:\n", PROGRAM);
    for (const struct orma_command *c = orma_shell_commands; c->name; c++)
        fprintf(out, "  %-12s %s\n", c->name, c->summary);
    fprintf(out, "\nWithout a command: -q FILE, -Q SQL, or a prompt; see --help-classic.\n");
}

/* Flags that every form understands. Returns false if `id` is none of them; *ret_code < 0: go on.
 */
static bool common_option(struct orma_shell *sh, struct orma_cli *cli, int id, int *ret_code)
{
    *ret_code = -1;
    switch (id) {
    case OPT_QUERY_FILE:
        sh->query_file = cli->value;
        return true;
    case OPT_QUERY_STRING:
        sh->query_text = cli->value;
        return true;
    case OPT_INTERACTIVE:
        sh->interactive = true;
        return true;
    case OPT_WIDE:
        sh->wide = true;
        return true;
    case OPT_PERF_FILE:
        sh->perf_file = cli->value;
        return true;
    case OPT_FULL_SORT:
        sh->config.full_sort = true;
        return true;
    case OPT_NO_FTRACE_RAW:
        sh->config.no_ftrace_raw = true;
        return true;
    case OPT_CROP:
        sh->config.crop_track_events = true;
        return true;
    case OPT_ACCEPTED:
        return true;
    case OPT_VERSION:
        printf("Perfetto v58.2-orma-%s\nTrace Processor RPC API version: %d\n", ORMA_VERSION,
               RPC_API_VERSION);
        *ret_code = 0;
        return true;
    case OPT_HELP_CLASSIC:
        orma_cli_help(&orma_cmd_shell, PROGRAM, stdout);
        *ret_code = 0;
        return true;
    case OPT_ABSENT:
        fprintf(stderr, "%s: this build has no %s\n", PROGRAM, cli->option);
        *ret_code = 1;
        return true;
    case ORMA_CLI_HELP:
        *ret_code = 0;
        return true;
    case ORMA_CLI_BAD:
        *ret_code = 1;
        return true;
    }
    return false;
}

int orma_shell_read_sql(const char *path, struct orma_buf *ret)
{
    int r = strcmp(path, "-") ? orma_fd_read_file(AT_FDCWD, path, SQL_BYTES_MAX, ret)
                              : orma_fd_read_all(STDIN_FILENO, SQL_BYTES_MAX, ret);

    if (r < 0)
        fprintf(stderr, "failed to read the query file %s: %s\n", path, strerror(-r));
    return r;
}

int orma_shell_run_sql(struct orma_shell *self, struct orma_str sql)
{
    uint64_t start = orma_clock_now(ORMA_CLOCK_MONOTONIC);
    unsigned statements = 0;
    int r = orma_print_query(self->tp, sql.data ? sql.data : "", sql.len, ORMA_PRINT_CSV, stdout,
                             &statements);

    self->query_ns = orma_clock_now(ORMA_CLOCK_MONOTONIC) - start;
    if (r < 0) {
        fprintf(stderr, "%s\n",
                r == -EIO ? "cannot write the result" : orma_processor_error(self->tp));
        return 1;
    }
    if (!statements) {
        fprintf(stderr, "No valid SQL to run\n");
        return 1;
    }
    fprintf(stderr, "Query execution time: %" PRIu64 " ms\n", self->query_ns / 1000000);
    return 0;
}

static int write_perf_file(const struct orma_shell *sh)
{
    FILE *f = fopen(sh->perf_file, "we");

    if (!f) {
        fprintf(stderr, "%s: %s\n", sh->perf_file, strerror(errno));
        return 1;
    }
    fprintf(f, "%" PRIu64 ",%" PRIu64, sh->load_ns, sh->query_ns);
    return fclose(f) ? 1 : 0;
}

/* Loads the trace, runs what was asked for, goes on with a prompt if wanted. */
static int execute(struct orma_shell *sh)
{
    struct orma_buf sql = {0};
    int code = 0;

    if (sh->query_text)
        orma_buf_put_str(&sql, sh->query_text);
    else if (sh->query_file && orma_shell_read_sql(sh->query_file, &sql) < 0)
        code = 1;
    if (!code && (orma_processor_new(&sh->config, &sh->tp) < 0 ||
                  orma_load(sh->tp, PROGRAM, sh->trace, ORMA_LOAD_SHELL, &sh->load_ns) < 0))
        code = 1;
    if (!code) {
        orma_print_health(sh->tp, stderr);
        if (sh->query_text || sh->query_file)
            code = orma_shell_run_sql(sh, orma_buf_str(&sql));
    }
    if (!code && sh->interactive)
        code = orma_shell_interactive(sh);
    if (!code && sh->perf_file)
        code = write_perf_file(sh);
    orma_processor_free(sh->tp);
    orma_buf_fini(&sql);
    return code;
}

static struct orma_shell new_shell(void)
{
    return (struct orma_shell){.config = {.size = sizeof(struct orma_processor_config)}};
}

static int missing_trace(const struct orma_cli *cli)
{
    orma_cli_usage_error(cli, "a trace file is needed");
    return 1;
}

static int run_classic(const struct orma_command *self, int argc, char **argv)
{
    struct orma_shell sh = new_shell();
    struct orma_cli cli;
    int id, code;

    orma_cli_init(&cli, self, PROGRAM, argc, argv);
    while ((id = orma_cli_next(&cli)) != ORMA_CLI_END) {
        if (common_option(&sh, &cli, id, &code)) {
            if (code >= 0)
                return code;
        } else {
            sh.trace =
                id == ORMA_CLI_REST ? argv[cli.rest_idx] : cli.value; /* the last one counts */
        }
    }
    if (!sh.trace)
        return missing_trace(&cli);
    sh.interactive |= !sh.query_text && !sh.query_file;
    return execute(&sh);
}

static int run_query(const struct orma_command *self, int argc, char **argv)
{
    struct orma_shell sh = new_shell();
    struct orma_cli cli;
    int id, code;

    orma_cli_init(&cli, self, PROGRAM " query", argc, argv);
    while ((id = orma_cli_next(&cli)) != ORMA_CLI_END) {
        if (common_option(&sh, &cli, id, &code)) {
            if (code >= 0)
                return code;
        } else if (id == ORMA_CLI_POSITIONAL && !(sh.trace && sh.query_text)) {
            *(sh.trace ? &sh.query_text : &sh.trace) = cli.value;
        } else if (id == ORMA_CLI_POSITIONAL) {
            fprintf(stderr, "query: too many arguments: %s\n", cli.value);
            return 1;
        }
    }
    if (!sh.trace)
        return missing_trace(&cli);
    if (!sh.query_text && !sh.query_file && !isatty(STDIN_FILENO))
        sh.query_file = "-";
    if (!sh.query_text && !sh.query_file) {
        fprintf(stderr,
                "query: no SQL provided. Give it as an argument, with -f FILE, or on standard "
                "input.\n");
        return 1;
    }
    return execute(&sh);
}

static int run_interactive(const struct orma_command *self, int argc, char **argv)
{
    struct orma_shell sh = new_shell();
    struct orma_cli cli;
    int id, code;

    orma_cli_init(&cli, self, PROGRAM " interactive", argc, argv);
    while ((id = orma_cli_next(&cli)) != ORMA_CLI_END) {
        if (common_option(&sh, &cli, id, &code)) {
            if (code >= 0)
                return code;
        } else if (sh.trace) {
            fprintf(stderr, "interactive: too many arguments: %s\n", cli.value);
            return 1;
        } else {
            sh.trace = cli.value;
        }
    }
    sh.interactive = true;
    return sh.trace ? execute(&sh) : missing_trace(&cli);
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
        for (const struct orma_command *c = orma_shell_commands; c->name; c++) {
            if (!strcmp(argv[i], c->name)) {
                *ret = c;
                return i;
            }
        }
        return 0;
    }
    return 0;
}

int orma_shell_main(int argc, char **argv)
{
    const struct orma_command *command = NULL;
    int at = command_at(argc, argv, &command);

    if (argc < 2 || (argc == 2 && (!strcmp(argv[1], "help") || !strcmp(argv[1], "-h") ||
                                   !strcmp(argv[1], "--help")))) {
        overview(stdout);
        return 0;
    }
    if (!at)
        return run_classic(&orma_cmd_shell, argc, argv);
    if (access(command->name, F_OK) == 0)
        fprintf(stderr, "'%s' is taken for the command; say ./%s for the file of that name\n",
                command->name, command->name);
    /* The command word becomes argv[0]; flags in front of it stay flags. */
    memmove(argv + 1, argv, (size_t)at * sizeof(*argv));
    argv[1] = argv[0];
    return command->run(command, argc - 1, argv + 1);
}
