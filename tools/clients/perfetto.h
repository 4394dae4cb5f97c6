/*
 * The recorder client under its established name: `perfetto`, and
 * `trigger_perfetto`. Options, exit codes and requests are those of the program
 * of that name; what it can do on Android only is refused with a message.
 */
#ifndef ORMA_TOOLS_PERFETTO_H
#define ORMA_TOOLS_PERFETTO_H
#include "tools/base/cli.h"

extern const struct orma_command orma_cmd_perfetto;
extern const struct orma_command orma_cmd_trigger_perfetto;

int orma_perfetto_main(int argc, char **argv);
int orma_trigger_perfetto_main(int argc, char **argv);

/*
 * The same client as a part of another program. `prepare` (may be NULL) is called
 * in the process that records, after it went to the background and before it
 * connects; what it starts may have threads. Negative: the message is printed.
 */
struct orma_perfetto_hooks {
    const char *program; /* in messages */
    int (*prepare)(void *ctx);
    void *ctx;
};
int orma_perfetto_run(const struct orma_perfetto_hooks *hooks, int argc, char **argv);
#endif
