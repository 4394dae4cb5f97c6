/*
 * What the files of the shell share: one invocation, from flags to result.
 */
#ifndef ORMA_TOOLS_SHELL_IMPL_H
#define ORMA_TOOLS_SHELL_IMPL_H
#include "processor/processor.h"
#include "sdk/base/buf.h"
#include "tools/cli.h"

struct orma_shell {
    struct orma_processor_config config;
    struct orma_processor *tp;
    const char *trace;
    const char *perf_file;
    const char *query_file; /* "-": standard input */
    const char *query_text;
    bool interactive, wide;
    uint64_t load_ns, query_ns;
};

/* Runs `sql` and prints CSV. 0 or 1, with the message printed. */
int orma_shell_run_sql(struct orma_shell *self, struct orma_str sql);

/* Reads SQL from a file or "-". 0 or -errno with the message printed. */
int orma_shell_read_sql(const char *path, struct orma_buf *ret);

/* The prompt, until the end of input. */
int orma_shell_interactive(struct orma_shell *self);
#endif
