/*
 * One parser for all forms of the shell: an option's id decides which group takes it
 * (common, server, metrics, summary). Combinations that exclude each other are checked at
 * the end.
 */
#include <stdlib.h>
#include <string.h>

#include "processor/serve/rpc.h"
#include "sdk/base/str.h"
#include "tools/base/units.h"
#include "tools/load/threads.h"
#include "tools/shell/shell_impl.h"

#define PORT_DEFAULT 9001

void orma_shell_init(struct orma_shell *self)
{
    *self = (struct orma_shell){.config = {.size = sizeof(struct orma_processor_config)},
                                .port = PORT_DEFAULT,
                                .idle_ms = UINT64_MAX};
}

static int add_package(struct orma_shell *sh, const struct orma_cli *cli, bool replace)
{
    if (sh->packages_num == ORMA_SHELL_PACKAGES_MAX)
        return orma_cli_usage_error(cli, "more than %d packages", ORMA_SHELL_PACKAGES_MAX), 1;
    sh->packages[sh->packages_num++] = (struct orma_shell_package){cli->value, replace};
    return -1;
}

static int take_port(struct orma_shell *sh, const struct orma_cli *cli)
{
    uint64_t port;

    if (!orma_str_to_u64(orma_str_from(cli->value), &port) || port > UINT16_MAX)
        return orma_cli_usage_error(cli, "bad port '%s': 0 to 65535", cli->value), 1;
    sh->port = (uint16_t)port;
    return -1;
}

static int take_idle(struct orma_shell *sh, const struct orma_cli *cli)
{
    if (!strcmp(cli->value, "auto"))
        sh->idle_ms = UINT64_MAX;
    else if (!strcmp(cli->value, "never"))
        sh->idle_ms = 0;
    else if (!orma_units_parse_duration_ms(cli->value, &sh->idle_ms))
        return orma_cli_usage_error(
                   cli, "bad time '%s': expected auto, never, or a time such as 30m", cli->value),
               1;
    return -1;
}

static int take_query_timeout(struct orma_shell *sh, const struct orma_cli *cli)
{
    if (!orma_units_parse_duration_ms(cli->value, &sh->config.query_timeout_ms) ||
        !sh->config.query_timeout_ms)
        return orma_cli_usage_error(cli, "bad time '%s': expected a time such as 10s", cli->value),
               1;
    return -1;
}

static void print_version(void)
{
    printf("Perfetto v58.2-orma-%s\nTrace Processor RPC API version: %d\n", ORMA_VERSION,
           ORMA_RPC_API_VERSION);
}

/* Options of servers. */
static int take_server_option(struct orma_shell *sh, const struct orma_cli *cli, int id)
{
    switch (id) {
    case ORMA_SHELL_HTTPD:
        sh->httpd = true;
        break;
    case ORMA_SHELL_STDIOD:
        sh->stdiod = true;
        break;
    case ORMA_SHELL_PORT:
        return take_port(sh, cli);
    case ORMA_SHELL_ADDRESS:
        sh->address = cli->value;
        break;
    case ORMA_SHELL_ORIGINS:
        sh->origins = cli->value;
        break;
    case ORMA_SHELL_NAME_OPTION:
        sh->socket_name = cli->value;
        break;
    case ORMA_SHELL_PATH:
        sh->socket_path = cli->value;
        break;
    case ORMA_SHELL_DAEMONIZE:
        sh->daemonize = true;
        break;
    case ORMA_SHELL_IDLE_TIMEOUT:
        return take_idle(sh, cli);
    }
    return -1;
}

static int take_summary_option(struct orma_shell *self, const struct orma_cli *cli, int id)
{
    struct orma_shell_metrics *m = &self->metrics;

    switch (id) {
    case ORMA_SHELL_SUMMARY:
        m->summary = true;
        break;
    case ORMA_SHELL_SUMMARY_METRICS:
        m->summary_ids = cli->value;
        break;
    case ORMA_SHELL_SUMMARY_METADATA:
        m->metadata = cli->value;
        break;
    case ORMA_SHELL_SUMMARY_SPEC:
        if (m->specs_num == ORMA_SHELL_LIST_MAX)
            return orma_shell_complain(cli->value, "too many specifications");
        m->specs[m->specs_num++] = cli->value;
        break;
    case ORMA_SHELL_SUMMARY_FORMAT:
        if (strcmp(cli->value, "text") && strcmp(cli->value, "binary"))
            return orma_shell_complain(cli->value, "unknown format: expected text or binary");
        m->summary_format = cli->value;
        break;
    case ORMA_SHELL_STRUCTURED_ID:
        m->query_id = cli->value;
        break;
    }
    return -1;
}

static int take_metrics_option(struct orma_shell *self, const struct orma_cli *cli, int id)
{
    struct orma_shell_metrics *m = &self->metrics;

    switch (id) {
    case ORMA_SHELL_METRICS_RUN:
        m->run = cli->value;
        break;
    case ORMA_SHELL_METRICS_PRE:
        m->pre = cli->value;
        break;
    case ORMA_SHELL_METRICS_OUTPUT:
        if (strcmp(cli->value, "text") && strcmp(cli->value, "binary") &&
            strcmp(cli->value, "json"))
            return orma_shell_complain(cli->value, "unknown format: expected text, binary or json");
        m->format = cli->value;
        break;
    case ORMA_SHELL_METRICS_EXTENSION:
        if (m->extensions_num == ORMA_SHELL_LIST_MAX)
            return orma_shell_complain(cli->value, "too many extensions");
        m->extensions[m->extensions_num++] = cli->value;
        break;
    case ORMA_SHELL_METRICS_POST_QUERY:
        m->post_query = cli->value;
        break;
    default:
        return take_summary_option(self, cli, id);
    }
    return -1;
}

/* -1: go on; else what to exit with. */
static int take_option(struct orma_shell *sh, const struct orma_cli *cli, int id)
{
    switch (id) {
    case ORMA_SHELL_QUERY_FILE:
        sh->query_file = cli->value;
        break;
    case ORMA_SHELL_QUERY_STRING:
        sh->query_text = cli->value;
        break;
    case ORMA_SHELL_INTERACTIVE:
        sh->interactive = true;
        break;
    case ORMA_SHELL_WIDE:
        sh->wide = true;
        break;
    case ORMA_SHELL_PERF_FILE:
        sh->perf_file = cli->value;
        break;
    case ORMA_SHELL_FULL_SORT:
        sh->config.full_sort = true;
        break;
    case ORMA_SHELL_CACHE:
        orma_load_cache_set(cli->value);
        break;
    case ORMA_SHELL_NO_FTRACE_RAW:
        sh->config.no_ftrace_raw = true;
        break;
    case ORMA_SHELL_CONTENT:
        sh->config.analyze_content = true;
        break;
    case ORMA_SHELL_CROP:
        sh->config.crop_track_events = true;
        break;
    case ORMA_SHELL_REMOTE:
        sh->remote = cli->value;
        break;
    case ORMA_SHELL_FILE_ACCESS:
        sh->config.sql_file_access = true;
        break;
    case ORMA_SHELL_QUERY_TIMEOUT:
        return take_query_timeout(sh, cli);
    case ORMA_SHELL_DEV:
        sh->dev = true;
        break;
    case ORMA_SHELL_ADD_PACKAGE:
    case ORMA_SHELL_OVERRIDE_PACKAGE:
        return add_package(sh, cli, id == ORMA_SHELL_OVERRIDE_PACKAGE);
    case ORMA_SHELL_OVERRIDE_STDLIB:
        sh->stdlib = cli->value;
        break;
    case ORMA_SHELL_EXPORT:
    case ORMA_SHELL_OUTPUT:
        sh->export_file = cli->value;
        break;
    case ORMA_SHELL_FORCE:
        sh->force = true;
        break;
    case ORMA_SHELL_ARGS:
        sh->export_args = true;
        break;
    case ORMA_SHELL_TO:
        sh->export_to = cli->value;
        break;
    case ORMA_SHELL_VERSION:
        print_version();
        return 0;
    case ORMA_SHELL_HELP_CLASSIC:
        orma_cli_help(cli->command, ORMA_SHELL_NAME, stdout);
        return 0;
    case ORMA_SHELL_ABSENT:
        fprintf(stderr, "%s: this build has no %s\n", orma_shell_program(NULL), cli->option);
        return 1;
    case ORMA_CLI_HELP:
        return 0;
    case ORMA_CLI_BAD:
        return orma_shell_usage();
    default:
        if (id >= ORMA_SHELL_METRICS_FIRST && id < ORMA_SHELL_METRICS_LAST)
            return take_metrics_option(sh, cli, id);
        return take_server_option(sh, cli, id);
    }
    return -1;
}

/* The classic form takes the last argument only (words_max 0); others name what is too much. */
static int take_word(struct orma_shell *sh, const struct orma_cli *cli, size_t words_max,
                     const char *word)
{
    if (!words_max) {
        sh->trace = word;
        return -1;
    }
    if (sh->words_num == words_max)
        return orma_cli_usage_error(cli, "too many arguments: %s", word), orma_shell_usage();
    sh->words[sh->words_num++] = word;
    return -1;
}

/* A flag that is about a processor in this process; NULL: none was given. */
static const char *local_flag(const struct orma_shell *sh)
{
    const struct {
        bool given;
        const char *flag;
    } flags[] = {
        {sh->config.full_sort, "--full-sort"},
        {sh->config.no_ftrace_raw, "--no-ftrace-raw"},
        {sh->config.analyze_content, "--analyze-trace-proto-content"},
        {sh->config.crop_track_events, "--crop-track-events"},
        {sh->config.sql_file_access, "--allow-sql-file-access"},
        {sh->config.query_timeout_ms != 0, "--query-timeout"},
        {orma_cli_threads() != 0, "--threads"},
        {sh->packages_num != 0, "--add-sql-package"},
        {sh->stdlib != NULL, "--override-stdlib"},
        {sh->perf_file != NULL, "--perf-file"},
        {sh->interactive, "--interactive"},
        {sh->export_file != NULL, "--export"},
    };

    for (size_t i = 0; i < ORMA_ARRAY_LEN(flags); i++) {
        if (flags[i].given)
            return flags[i].flag;
    }
    return NULL;
}

int orma_shell_parse(struct orma_shell *self, const struct orma_command *command,
                     const char *program, size_t words_max, int argc, char **argv)
{
    struct orma_cli cli;
    int id, code = -1;

    orma_cli_init(&cli, command, program, argc, argv);
    while (code < 0 && (id = orma_cli_next(&cli)) != ORMA_CLI_END) {
        if (id == ORMA_CLI_POSITIONAL)
            code = take_word(self, &cli, words_max, cli.value);
        else if (id != ORMA_CLI_REST)
            code = take_option(self, &cli, id);
        for (int i = cli.rest_idx; id == ORMA_CLI_REST && code < 0 && i < argc; i++)
            code = take_word(self, &cli, words_max, argv[i]);
    }
    self->config.threads = orma_load_threads();
    if (code < 0 && self->remote && local_flag(self)) {
        fprintf(stderr, "%s cannot be combined with --remote: the server loads the trace\n",
                local_flag(self));
        return 1;
    }
    if (code < 0 && self->stdlib && !self->dev)
        return orma_cli_usage_error(&cli, "Overriding stdlib requires --dev flag"), 1;
    return code;
}
