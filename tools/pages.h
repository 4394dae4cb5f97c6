/*
 * Every command line that has a table of options: what manual pages, completion
 * and `orma help` are made from.
 */
#ifndef ORMA_TOOLS_PAGES_H
#define ORMA_TOOLS_PAGES_H
#include "tools/base/cli.h"

struct orma_page {
    char file[64];    /* of the manual page: "orma-record" */
    char program[64]; /* as it is called: "orma record" */
    const struct orma_command *command;
    const struct orma_command *parts; /* sub-commands, ended by a NULL name; NULL: none */
};

/* Page number `n`, from 0; false past the last. */
bool orma_page_get(size_t n, struct orma_page *ret);

/* By the name of the file, or the program's. */
bool orma_page_find(const char *name, struct orma_page *ret);
#endif
