/*
 * The program `orma`: one sub-command per file. Under another program's name
 * (a link to it) it answers as that program.
 */
#include <stdio.h>
#include <string.h>

#include "sdk/base/log.h"
#include "tools/applets.h"
#include "tools/commands.h"
#include "tools/shell.h"

static const struct orma_command *const commands[] = {
    &orma_cmd_record, &orma_cmd_query, &orma_cmd_stats, &orma_cmd_status, &orma_cmd_convert,
};

static void overview(FILE *out)
{
    fprintf(out,
            "Usage: orma COMMAND [OPTIONS] ...\n\n"
            "Records what this machine and its programs do, and answers questions about it.\n\n"
            "Commands:\n");
    for (size_t i = 0; i < ORMA_ARRAY_LEN(commands); i++)
        fprintf(out, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
    fprintf(
        out,
        "\nFirst steps:\n"
        "  orma record -t 5s -o trace.pftrace   # as root: the kernel's events, too\n"
        "  orma stats trace.pftrace             # was anything lost?\n"
        "  orma query trace.pftrace 'SELECT name, count(*) FROM slice GROUP BY name'\n"
        "\n'orma COMMAND --help' tells more. The trace opens in https://ui.perfetto.dev, too.\n");
}

static const struct orma_command *find(const char *name)
{
    for (size_t i = 0; i < ORMA_ARRAY_LEN(commands); i++) {
        if (!strcmp(commands[i]->name, name))
            return commands[i];
    }
    return NULL;
}

static int unknown(const char *name)
{
    const char *names[ORMA_ARRAY_LEN(commands) + 1] = {0};

    for (size_t i = 0; i < ORMA_ARRAY_LEN(commands); i++)
        names[i] = commands[i]->name;
    const char *near = orma_cli_did_you_mean(name, names);
    fprintf(stderr, "orma: unknown command '%s'", name);
    fprintf(stderr, near ? "; did you mean '%s'?\n" : "\n", near);
    fprintf(stderr, "Try 'orma --help'.\n");
    return ORMA_EXIT_USAGE;
}

/* The processor's shell has three names. */
static bool is_shell(const char *argv0)
{
    const char *slash = strrchr(argv0, '/'), *name = slash ? slash + 1 : argv0;

    return !strcmp(name, "trace_processor_shell") || !strcmp(name, "trace_processor") ||
           !strcmp(name, "tp");
}

int main(int argc, char **argv)
{
    const struct orma_applet *applet = argc > 0 ? orma_applet_find(argv[0]) : NULL;

    if (applet)
        return applet->main(argc, argv);
    if (argc > 0 && is_shell(argv[0]))
        return orma_shell_main(argc, argv);
    orma_log_init("orma", ORMA_LOG_WARN);
    if (argc < 2) {
        overview(stdout);
        return ORMA_EXIT_USAGE;
    }
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
        const struct orma_command *asked = argc > 2 ? find(argv[2]) : NULL;
        char program[64];

        if (argc > 2 && !asked)
            return unknown(argv[2]);
        snprintf(program, sizeof(program), "orma %s", asked ? asked->name : "");
        if (asked)
            orma_cli_help(asked, program, stdout);
        else
            overview(stdout);
        return ORMA_EXIT_OK;
    }
    if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
        puts(ORMA_VERSION_TEXT);
        return ORMA_EXIT_OK;
    }
    const struct orma_command *command = find(argv[1]);
    return command ? command->run(command, argc - 1, argv + 1) : unknown(argv[1]);
}
