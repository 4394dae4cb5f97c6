/*
 * Programs under established names: links to `orma` behave like them.
 */
#ifndef ORMA_TOOLS_APPLETS_H
#define ORMA_TOOLS_APPLETS_H
#include "tools/base/cli.h"

struct orma_applet {
    const struct orma_command *command; /* its name, options and help */
    int (*main)(int argc, char **argv);
};

extern const struct orma_applet orma_applets[]; /* ended by a NULL command */

/* By the name that a program was started under, with or without folders. NULL: none. */
const struct orma_applet *orma_applet_find(const char *argv0);

/*
 * The daemons, if the program was started under one of their names. They do all by themselves,
 * from signals to the log.
 */
typedef int orma_main_fn(int argc, char **argv);
orma_main_fn *orma_applet_daemon(const char *argv0);

/* cmd_profile.c */
extern const struct orma_command orma_cmd_cpu_profile;
int orma_cpu_profile_main(int argc, char **argv);
#endif
