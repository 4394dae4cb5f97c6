/*
 * Command lines from tables: one table of options per command, from which
 * parsing, --help, manual pages and completion are made.
 *
 * Options may stand before and after positional arguments; "--" ends them.
 * Long options take their value as "--name=VALUE" or "--name VALUE", letters
 * as "-nVALUE" or "-n VALUE"; letters without value may be joined ("-Dq").
 * Every command has -h and --help without listing them.
 */
#ifndef ORMA_TOOLS_BASE_CLI_H
#define ORMA_TOOLS_BASE_CLI_H
#include <stdbool.h>
#include <stdio.h>

#include "sdk/base/buf.h"

#define ORMA_VERSION_TEXT "orma " ORMA_VERSION

enum orma_exit {
    ORMA_EXIT_OK = 0,
    ORMA_EXIT_FAILURE = 1,
    ORMA_EXIT_USAGE = 2,
    ORMA_EXIT_NO_COMMAND = 127, /* the COMMAND was not found, as a shell says it */
    ORMA_EXIT_PIPE = 141,       /* nobody read the output any more: 128 + SIGPIPE, as of cat */
};

struct orma_option {
    int id;           /* > 0, own to the command; 0 ends the table */
    char letter;      /* 0: none */
    const char *name; /* long name, NULL: none */
    const char *arg;  /* what the value is called in help; NULL: no value */
    const char *help; /* a sentence; NULL: accepted, but not shown */
};

/* What one types by the habit of another tool, and what does it here. */
struct orma_habit {
    const char *option; /* "-e", "--pid" */
    const char *instead;
};

struct orma_command {
    const char *name;     /* "record"; under a compatible name: the program's */
    const char *summary;  /* one line for the overview */
    const char *synopsis; /* usage lines without the program's name, separated by \n */
    const char *details;  /* paragraphs for --help and the manual page; may be NULL */
    const char *examples; /* lines "command  # comment"; may be NULL */
    const struct orma_option *options;
    const struct orma_habit *habits; /* ends with an empty one; NULL: none */
    bool in_short;         /* the overview has its name only */
    bool threads;          /* loads or queries: has --threads, which needs no row and no case */
    const char *exclusive; /* long options that exclude each other: "json csv"; NULL: none */
    void (*put_words)(struct orma_buf *out); /* words that may follow, each behind a blank, for
                                                completion; NULL: files only */
    int (*run)(const struct orma_command *self, int argc,
               char **argv); /* argv[0]: the command's name */
};

/* Results of orma_cli_next() other than an option's id. */
enum orma_cli_result {
    ORMA_CLI_END = 0,
    ORMA_CLI_POSITIONAL = -1, /* value: the argument */
    ORMA_CLI_REST = -2,       /* "--" was met: rest of argv from rest_idx */
    ORMA_CLI_HELP = -3,       /* help has been printed: exit 0 */
    ORMA_CLI_BAD = -4,        /* a message has been printed: wrong usage */
};

struct orma_cli {
    const struct orma_command *command;
    const char *program; /* in messages: "orma record", "traceconv" */
    int argc;
    char **argv;
    int idx;             /* next argument */
    const char *letters; /* inside a joined "-abc": what follows */
    const char *value;
    const struct orma_option *taken; /* of those that exclude each other */
    char option[64]; /* the last option for messages: "--name", or "-n" if it has no name */
    int rest_idx;
};

/* The options of a command, by number from 0: those of its table, then those that several commands
 * have in common. NULL: there are no more. */
const struct orma_option *orma_cli_option(const struct orma_command *command, size_t n);

#define ORMA_CLI_THREADS_MAX 256u
/* What the last --threads said; 0: it was not given. */
unsigned orma_cli_threads(void);

void orma_cli_init(struct orma_cli *self, const struct orma_command *command, const char *program,
                   int argc, char **argv);
int orma_cli_next(struct orma_cli *self);

/*
 * Writing the result to standard output failed with this error number: one line
 * on stderr, but silence if only the reader has left (`| head`). What to exit with.
 */
int orma_cli_output_failed(const char *program, int err);

/* "program: text", then "Try 'program --help'.", on stderr; returns ORMA_EXIT_USAGE. */
int orma_cli_usage_error(const struct orma_cli *self, const char *fmt, ...) ORMA_PRINTF(2, 3);

/* Where `first`, a trace, is no file, but some of `others` (ended by NULL) are: the line to type
 * with at most so many of them, as a usage error. Else ORMA_EXIT_OK. */
int orma_cli_check_order(const struct orma_cli *self, const char *first, const char *const *others,
                         unsigned most);

/* The usage error of a second argument where a trace is the only one. `both`: what to do with two
 * traces, "; 'orma merge' combines several", or "". */
int orma_cli_second_trace(const struct orma_cli *self, const char *first, const char *second,
                          const char *both);

void orma_cli_help(const struct orma_command *command, const char *program, FILE *out);

/* Text wrapped at 80 columns; lines after the first start at `indent`, where the cursor is now. */
void orma_cli_wrap(FILE *out, const char *text, size_t indent);

/* The same at another width. */
void orma_cli_wrap_to(FILE *out, const char *text, size_t indent, size_t width);

/* The nearest of `names` (NULL-terminated) if it is near enough to be meant, else NULL. */
const char *orma_cli_did_you_mean(const char *word, const char *const *names);
#endif
