/*
 * The program `orma`: one sub-command per file. Under another program's name
 * (a link to it) it answers as that program.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sdk/base/log.h"
#include "sdk/base/path.h"
#include "sdk/base/standard.h"
#include "tools/applets.h"
#include "tools/commands.h"
#include "tools/commit.h"
#include "tools/messages.h"
#include "tools/pages.h"
#include "tools/record/child.h"
#include "tools/shell/shell.h"

static const struct orma_command *find(const char *name)
{
    for (size_t i = 0; orma_commands[i]; i++) {
        if (!strcmp(orma_commands[i]->name, name))
            return orma_commands[i];
    }
    return NULL;
}

static int unknown(const char *name)
{
    const char *names[32] = {0};

    for (size_t i = 0; orma_commands[i] && i < ORMA_ARRAY_LEN(names) - 1; i++)
        names[i] = orma_commands[i]->name;
    const char *near = orma_cli_did_you_mean(name, names);
    if (!near && access(name, R_OK) == 0) {
        fprintf(stderr,
                "orma: '%s' is a file; give the command first: orma report %s, orma view %s\n",
                name, name, name);
        return ORMA_EXIT_USAGE;
    }
    if (!near && orma_record_child_exists(name)) {
        fprintf(stderr, "orma: '%s' is not an orma command; to record it: orma record -- %s\n",
                name, name);
        return ORMA_EXIT_USAGE;
    }
    fprintf(stderr, "orma: unknown command '%s'", name);
    fprintf(stderr, near ? "; did you mean '%s'?\n" : "\n", near);
    fprintf(stderr, "Try 'orma --help'.\n");
    return ORMA_EXIT_USAGE;
}

/* The processor's shell has three names. */
static bool is_shell(const char *argv0)
{
    const char *name = orma_path_base(argv0);

    return !strcmp(name, "trace_processor_shell") || !strcmp(name, "trace_processor") ||
           !strcmp(name, "tp");
}

static int run(int argc, char **argv)
{
    const struct orma_applet *applet = argc > 0 ? orma_applet_find(argv[0]) : NULL;

    if (applet)
        return applet->main(argc, argv);
    if (argc > 0 && is_shell(argv[0]))
        return orma_shell_main(argc, argv);
    orma_log_init("orma", ORMA_LOG_WARN);
    if (argc < 2) {
        orma_help_overview(&orma_help_tables, stdout);
        return ORMA_EXIT_USAGE;
    }
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
        return orma_help_run(&orma_help_tables, argc - 1, argv + 1);
    if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
        puts(*ORMA_COMMIT ? ORMA_VERSION_TEXT " (commit " ORMA_COMMIT ")" : ORMA_VERSION_TEXT);
        return ORMA_EXIT_OK;
    }
    const struct orma_command *command = find(argv[1]);
    if (command == &orma_cmd_help)
        return orma_help_run(&orma_help_tables, argc - 1, argv + 1);
    return command ? command->run(command, argc - 1, argv + 1) : unknown(argv[1]);
}

int main(int argc, char **argv)
{
    orma_standard_take();
    orma_main_fn *daemon_main = argc > 0 ? orma_applet_daemon(argv[0]) : NULL;

    if (daemon_main)
        return daemon_main(argc, argv);
    signal(SIGPIPE, SIG_IGN); /* a reader that went away is an error of write() */
    signal(SIGXFSZ, SIG_IGN); /* so is a file larger than its limit */
    signal(SIGCHLD, SIG_DFL); /* ignored, as some start us, children end without a word */

    orma_messages_escape();
    int code = run(argc, argv);
    bool written = fflush(stdout) == 0 && !ferror(stdout);
    if (written || code != ORMA_EXIT_OK)
        return code; /* of a failure it has been said why */
    return orma_cli_output_failed(argc > 0 ? argv[0] : "orma", errno);
}
