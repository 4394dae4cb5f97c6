/*
 * orma help: the overview, a command, a topic; and what is made from the
 * option tables at build time: manual pages and completion.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "sdk/base/fd.h"
#include "tools/help/completion.h"
#include "tools/help/help.h"
#include "tools/help/man.h"
#include "tools/help/topics.h"

enum { OPT_MAN = 1, OPT_COMPLETION };

static const struct orma_option options[] = {
    {OPT_MAN, 0, "man", "NAME",
     "Print the manual page of a program or command (orma, orma-record, perfetto, ...), for man "
     "-l."},
    {OPT_COMPLETION, 0, "completion", "bash|zsh|fish",
     "Print the completion script for this shell: eval \"$(orma help --completion bash)\"; in "
     "fish: orma help --completion fish | source."},
    {0},
};

static const char *group_of(const struct orma_help_tables *tables,
                            const struct orma_command *command)
{
    const struct orma_help_group *g = tables->groups;

    while (g->name && g->first != command)
        g++;
    return g->name ? g->name : "";
}

static void put_short(const struct orma_help_tables *tables, FILE *out)
{
    const char *before = "also  ";

    for (size_t i = 0; tables->commands[i]; i++) {
        if (!tables->commands[i]->in_short)
            continue;
        fprintf(out, "%s%s", before, tables->commands[i]->name);
        before = " ";
    }
    fputc('\n', out);
}

/* It fits a screen of 80 by 24, with the prompt after it. */
void orma_help_overview(const struct orma_help_tables *tables, FILE *out)
{
    fprintf(out, "Usage: orma COMMAND [OPTIONS] ...   (%s; 'orma COMMAND --help' has more)\n",
            ORMA_VERSION_TEXT);
    for (size_t i = 0; tables->commands[i]; i++) {
        const struct orma_command *c = tables->commands[i];

        if (!c->in_short)
            fprintf(out, "%-8s%-10s %s\n", group_of(tables, c), c->name, c->summary);
    }
    put_short(tables, out);
    fprintf(out, "Help topics: ");
    for (const struct orma_help_topic *t = orma_help_topics; t->name; t++)
        fprintf(out, "%s%s", t == orma_help_topics ? "" : ", ", t->name);
    const char *step = tables->self->examples;
    fputc('\n', out);
    for (const char *word = "First:"; *step; word = "Then:") {
        size_t len = strcspn(step, "\n");

        fprintf(out, "%-6s%.*s\n", word, (int)len - 1, step + 1);
        step += len + (step[len] == '\n');
    }
}

bool orma_help_page_find(const struct orma_help_tables *tables, const char *name,
                         struct orma_help_page *ret)
{
    for (size_t n = 0; tables->page(n, ret); n++) {
        if (!strcmp(name, ret->file) || !strcmp(name, ret->program))
            return true;
    }
    return false;
}

/* Takes what was made over. */
static int print_made(struct orma_buf *made)
{
    int r = made->failed ? -ENOMEM : orma_fd_write_all(STDOUT_FILENO, made->data, made->len);

    orma_buf_fini(made);
    return r < 0 ? orma_cli_output_failed("orma help", -r) : ORMA_EXIT_OK;
}

static int unknown(const struct orma_help_tables *tables, const char *name)
{
    const char *names[64] = {0};
    size_t num = 0;

    for (size_t i = 0; tables->commands[i]; i++)
        names[num++] = tables->commands[i]->name;
    for (const struct orma_help_topic *t = orma_help_topics; t->name; t++)
        names[num++] = t->name;
    const char *near = orma_cli_did_you_mean(name, names);
    fprintf(stderr, "orma help: no command or topic '%s'%s%s%s\nTry 'orma help'.\n", name,
            near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    return ORMA_EXIT_USAGE;
}

static int explain(const struct orma_help_tables *tables, const struct orma_cli *cli,
                   const char *name, const char *about)
{
    struct orma_help_page page;
    char program[80];

    for (const struct orma_help_topic *t = orma_help_topics; t->name; t++) {
        if (strcmp(t->name, name))
            continue;
        if (about && !t->arg)
            return orma_cli_usage_error(cli, "'%s' takes no argument", name);
        return t->show(about);
    }
    snprintf(program, sizeof(program), "orma %.64s", name);
    if (!orma_help_page_find(tables, program, &page) && !orma_help_page_find(tables, name, &page))
        return unknown(tables, name);
    if (about)
        return orma_cli_usage_error(cli, "'%s' takes no argument", name);
    if (page.command == tables->self)
        orma_help_overview(tables, stdout);
    else
        orma_cli_help(page.command, page.program, stdout);
    return ORMA_EXIT_OK;
}

static int man(const struct orma_help_tables *tables, const struct orma_cli *cli, const char *name)
{
    struct orma_help_page page;
    struct orma_buf out = {0};

    if (!orma_help_page_find(tables, name, &page))
        return orma_cli_usage_error(cli, "no manual page '%s'", name);
    orma_help_man_put(tables, &page, &out);
    return print_made(&out);
}

int orma_help_run(const struct orma_help_tables *tables, int argc, char **argv)
{
    const char *words[2] = {0};
    struct orma_buf made = {0};
    struct orma_cli cli;
    size_t num = 0;
    int id;

    orma_cli_init(&cli, &orma_cmd_help, "orma help", argc, argv);
    while ((id = orma_cli_next(&cli)) != ORMA_CLI_END) {
        switch (id) {
        case OPT_MAN:
            return man(tables, &cli, cli.value);
        case OPT_COMPLETION:
            if (!orma_help_completion_put(tables, cli.value, &made))
                return orma_cli_usage_error(&cli, "no completion for '%s': bash, zsh or fish",
                                            cli.value);
            return print_made(&made);
        case ORMA_CLI_POSITIONAL:
            if (num == ORMA_ARRAY_LEN(words))
                return orma_cli_usage_error(&cli, "unexpected argument '%s'", cli.value);
            words[num++] = cli.value;
            break;
        case ORMA_CLI_HELP:
            return ORMA_EXIT_OK;
        default:
            return ORMA_EXIT_USAGE;
        }
    }
    if (num)
        return explain(tables, &cli, words[0], words[1]);
    orma_help_overview(tables, stdout);
    return ORMA_EXIT_OK;
}

const struct orma_command orma_cmd_help = {
    .name = "help",
    .summary = "Explain a command or a topic.",
    .synopsis = "[COMMAND | TOPIC [ABOUT]]",
    .details = "Topics: config, sources, presets, events, tables, units, loss, exit-codes. "
               "'config' takes the path of a field, 'tables' a table, 'events' a group.",
    .examples = "  orma help record\n"
                "  orma help config data_sources.config.ftrace_config\n"
                "  orma help tables slice\n",
    .options = options,
};
