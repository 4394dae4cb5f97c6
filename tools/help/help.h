/*
 * `orma help`, manual pages and completion, all made from the tables of options.
 *
 * The tables of commands and programs stand above this folder; main() hands
 * them in, so nothing here names a command.
 */
#ifndef ORMA_TOOLS_HELP_HELP_H
#define ORMA_TOOLS_HELP_HELP_H
#include "tools/base/cli.h"

/* A command line that has a table of options. */
struct orma_help_page {
    char file[64];    /* of the manual page: "orma-record" */
    char program[64]; /* as it is called: "orma record" */
    const struct orma_command *command;
    const struct orma_command *parts; /* sub-commands, ended by a NULL name; NULL: none */
};

/* Commands of one purpose: from `first` on, up to the first of the next group. */
struct orma_help_group {
    const char *name; /* one word; NULL ends the table */
    const struct orma_command *first;
};

struct orma_help_tables {
    const struct orma_command *self;            /* `orma` itself */
    const struct orma_command *const *commands; /* its commands, ended by NULL */
    const struct orma_help_group *groups;       /* of `commands`, in their order */
    const struct orma_command *help;            /* the one of `commands` that explains the others */
    /* Page number `n`, from 0; false past the last. Page 0 is that of `self`. */
    bool (*page)(size_t n, struct orma_help_page *ret);
};

/* By the name of the page's file, or the program's. */
bool orma_help_page_find(const struct orma_help_tables *tables, const char *name,
                         struct orma_help_page *ret);

void orma_help_overview(const struct orma_help_tables *tables, FILE *out);

/* The row of the table of commands; it has no run(), main() calls orma_help_run(). */
extern const struct orma_command orma_cmd_help;
int orma_help_run(const struct orma_help_tables *tables, int argc, char **argv);
#endif
