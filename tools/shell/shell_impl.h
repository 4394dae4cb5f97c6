/*
 * What the files of the shell share: one invocation, from flags to result.
 */
#ifndef ORMA_TOOLS_SHELL_IMPL_H
#define ORMA_TOOLS_SHELL_IMPL_H
#include "processor/processor.h"
#include "sdk/base/buf.h"
#include "tools/base/cli.h"
#include "tools/load/cache.h"
#include "tools/shell/shell_metrics.h"

#define ORMA_SHELL_NAME "trace_processor_shell"
#define ORMA_SHELL_WORDS_MAX 16
#define ORMA_SHELL_PACKAGES_MAX 32

/* Options of all forms of the shell. */
enum orma_shell_option {
    ORMA_SHELL_QUERY_FILE = 1,
    ORMA_SHELL_QUERY_STRING,
    ORMA_SHELL_INTERACTIVE,
    ORMA_SHELL_WIDE,
    ORMA_SHELL_PERF_FILE,
    ORMA_SHELL_FULL_SORT,
    ORMA_SHELL_NO_FTRACE_RAW,
    ORMA_SHELL_CROP,
    ORMA_SHELL_CACHE,
    ORMA_SHELL_CONTENT,
    ORMA_SHELL_DEV,
    ORMA_SHELL_REMOTE,
    ORMA_SHELL_FILE_ACCESS,
    ORMA_SHELL_QUERY_TIMEOUT,
    ORMA_SHELL_ACCEPTED, /* changes nothing here */
    ORMA_SHELL_ADD_PACKAGE,
    ORMA_SHELL_OVERRIDE_PACKAGE,
    ORMA_SHELL_OVERRIDE_STDLIB,
    ORMA_SHELL_VERSION,
    ORMA_SHELL_HELP_CLASSIC,
    ORMA_SHELL_ABSENT, /* known, but not in this build */
    ORMA_SHELL_EXPORT,
    ORMA_SHELL_OUTPUT,
    ORMA_SHELL_TO,
    ORMA_SHELL_FORCE,
    ORMA_SHELL_ARGS,
    ORMA_SHELL_HTTPD,
    ORMA_SHELL_STDIOD,
    ORMA_SHELL_PORT,
    ORMA_SHELL_ADDRESS,
    ORMA_SHELL_ORIGINS,
    ORMA_SHELL_NAME_OPTION,
    ORMA_SHELL_PATH,
    ORMA_SHELL_DAEMONIZE,
    ORMA_SHELL_IDLE_TIMEOUT,
    ORMA_SHELL_IDLE_START,
};

/* The options that every form has. */
#define ORMA_SHELL_GLOBAL_OPTIONS                                                                  \
    {ORMA_SHELL_FULL_SORT, 0, "full-sort", NULL, "Sort all events at the end of the load."},       \
        ORMA_LOAD_CACHE_OPTION(ORMA_SHELL_CACHE),                                                  \
        {ORMA_SHELL_NO_FTRACE_RAW, 0, "no-ftrace-raw", NULL,                                       \
         "Leave the table ftrace_event empty."},                                                   \
        {ORMA_SHELL_CROP, 0, "crop-track-events", NULL, "Only the trace's range of interest."},    \
        {ORMA_SHELL_ADD_PACKAGE, 0, "add-sql-package", "PATH[@PACKAGE]",                           \
         "Every .sql file below PATH becomes a module of PACKAGE (the folder's name). May be "     \
         "repeated."},                                                                             \
        {ORMA_SHELL_OVERRIDE_PACKAGE, 0, "override-sql-package", "PATH[@PACKAGE]",                 \
         "The same, but replace an existing package."},                                            \
        {ORMA_SHELL_OVERRIDE_STDLIB, 0, "override-stdlib", "PATH",                                 \
         "The folders in PATH take the place of all modules; needs --dev."},                       \
        {ORMA_SHELL_DEV, 0, "dev", NULL, "Enable development options."},                           \
        {ORMA_SHELL_ACCEPTED, 0, "dev-flag", "KEY=VALUE", "Accepted; has no effect."},             \
        {ORMA_SHELL_ACCEPTED, 0, "extra-checks", NULL, "Accepted; has no effect."},                \
        {ORMA_SHELL_FILE_ACCESS, 0, "allow-sql-file-access", NULL,                                 \
         "SQL may write files (export_json()) and attach databases."},                             \
        {ORMA_SHELL_QUERY_TIMEOUT, 0, "query-timeout", "TIME",                                     \
         "Abort queries that take longer than this (10s, 5m)."},                                   \
        {ORMA_SHELL_REMOTE, 0, "remote", "ADDR",                                                   \
         "Query a running server instead: its name, its socket, or host:port."},                   \
        {ORMA_SHELL_ABSENT, 'm', "metatrace", "FILE", NULL},                                       \
        {ORMA_SHELL_ABSENT, 0, "metatrace-buffer-capacity", "N", NULL},                            \
        {ORMA_SHELL_ABSENT, 0, "metatrace-categories", "LIST", NULL},                              \
        {ORMA_SHELL_ABSENT, 0, "register-files-dir", "PATH", NULL},                                \
        {ORMA_SHELL_CONTENT, 0, "analyze-trace-proto-content", NULL,                               \
         "Fill experimental_proto_content: what the bytes of packets are used for."},              \
    {                                                                                              \
        ORMA_SHELL_VERSION, 'v', "version", NULL, "Print the version."                             \
    }

struct orma_shell_package {
    const char *spec; /* PATH[@PACKAGE] */
    bool replace;
};

struct orma_shell {
    struct orma_processor_config config;
    struct orma_processor *tp;
    const char *words[ORMA_SHELL_WORDS_MAX]; /* positional arguments */
    size_t words_num;
    const char *trace;
    bool still_busy; /* a server ended, but not its thread */
    const char *perf_file;
    const char *query_file; /* "-": standard input */
    const char *query_text;
    const char *export_file;
    const char *export_to;  /* the format; NULL: sqlite */
    const char *export_sql; /* NULL: all tables */
    bool force;             /* replace what exists */
    bool export_args;       /* the column `args` is JSON; tables get it */
    const char *remote;     /* the address of a server that has the trace */
    struct orma_shell_package packages[ORMA_SHELL_PACKAGES_MAX];
    size_t packages_num;
    const char *stdlib;
    bool interactive, wide, dev;
    int width; /* of columns at the prompt; 0: as `wide` says */
    /* server */
    bool httpd, stdiod, daemonize;
    const char *address, *origins, *socket_name, *socket_path;
    uint16_t port;
    uint64_t idle_ms; /* UINT64_MAX: as the mode has it */
    uint64_t load_ns, query_ns;
    struct orma_shell_metrics metrics;
};

void orma_shell_init(struct orma_shell *self);

/*
 * How it was called: as trace_processor_shell, the default, or as `orma`, whose wrong usage is 2,
 * and which does not talk about what went well.
 */
void orma_shell_call_orma(void);
bool orma_shell_is_orma(void);
/* "trace_processor_shell" or "orma"; with a part of it (not NULL), "orma metrics". */
const char *orma_shell_program(const char *part);
/* What wrong usage exits with. */
int orma_shell_usage(void);

/*
 * Takes the command line; positional arguments (at most `words_max`) go to `words`. -1: go on;
 * else what to exit with.
 */
int orma_shell_parse(struct orma_shell *self, const struct orma_command *command,
                     const char *program, size_t words_max, int argc, char **argv);

/* A message and the exit code of wrong usage. */
int orma_shell_missing(const char *command, const char *what);

/* Makes the processor with its packages, loads the trace (unless NULL). 0 or 1, with the message
 * printed. */
int orma_shell_load(struct orma_shell *self);

/* The packages of the options, into a processor that has no trace yet. 0 or 1. */
int orma_shell_add_packages(const struct orma_shell *self, struct orma_processor *tp);

/* Runs what was asked for, goes on with a prompt if wanted. Everything is freed. An exit code. */
int orma_shell_execute(struct orma_shell *self);

/* Runs `sql` and prints CSV. 0 or 1, with the message printed. */
int orma_shell_run_sql(struct orma_shell *self, struct orma_str sql);

/* Reads SQL from a file or "-". 0 or -errno with the message printed. */
int orma_shell_read_sql(const char *path, struct orma_buf *ret);

/* Every table and view into an SQLite file. 0 or 1, with the message printed. */
int orma_shell_export(struct orma_shell *self, const char *path);
/* Could the export of the options be written? Asked before the load. 0 or 1, with the message. */
int orma_shell_export_check(const struct orma_shell *self);
/* Whether this is a format of --to. */
bool orma_shell_export_knows(const char *name);
bool orma_shell_export_has_json(const char *name);

/* Standard output took no more, errno says why: a line about it, unless only its reader has left.
 * The exit code. */
int orma_shell_output_failed(void);

/* Says on stderr what is wrong with `what`: an option's value, a file. 1, the exit code. */
int orma_shell_complain(const char *what, const char *why);

/* The prompt, until the end of input. */
int orma_shell_interactive(struct orma_shell *self);

/* The query of the options, asked of the server `remote`. An exit code. */
int orma_shell_query_remote(struct orma_shell *self);

/* The path of a server's socket by its name; makes the folder. 0 or -errno; -EPERM: the folder is
 * not ours. */
int orma_shell_socket_path(const char *name, struct orma_buf *ret);
const char *orma_shell_socket_why(int err);

/* Servers: shell_server.c. Everything is freed; an exit code. */
int orma_shell_serve_http(struct orma_shell *self);
int orma_shell_serve_stdio(struct orma_shell *self);
int orma_shell_run_server(const struct orma_command *command, int argc, char **argv);
extern const struct orma_option orma_shell_server_options[];
extern const struct orma_option orma_shell_export_options[];
#define ORMA_SHELL_EXPORT_DETAILS                                                                  \
    "sqlite is a database with all tables, arrow_tar an archive with an Arrow file for each. "     \
    "perfetto is the imported trace: the same version of Orma opens it in place of the trace, "    \
    "with the same rows, without importing again. It must be the only input."
#endif
