/*
 * Conversions of traces: between the protobuf forms as streams, and out of the
 * processor's tables into the formats of other viewers.
 *
 * `orma convert`, `traceconv` and the shell's `convert` and `util` are front
 * ends of the same table, orma_convert_modes.
 */
#ifndef ORMA_TOOLS_CONVERT_H
#define ORMA_TOOLS_CONVERT_H
#include <stdbool.h>
#include <stdint.h>

#include "sdk/base/buf.h"
#include "tools/base/cli.h"

struct orma_processor;

enum orma_convert_truncate { ORMA_TRUNCATE_NO, ORMA_TRUNCATE_START, ORMA_TRUNCATE_END };

/* One conversion on its way. Messages go to stderr behind "program: ". */
struct orma_convert {
    const char *program;
    const char *in_path; /* "-": standard input; for messages and for loading */
    int in_fd, out_fd;
    bool skip_unknown;   /* text: without fields that the schema does not know */
    bool full_sort;      /* json, systrace, ctrace */
    bool no_annotations; /* json: without args */
    bool verbose;        /* symbolize: each module */
    bool raw;            /* load without names from the environment */
    /* profile */
    unsigned profile_kind; /* enum orma_profile_kind */
    int64_t pid;           /* 0: all */
    int64_t from_ns, to_ns;
    const char *folder; /* NULL: a new temporary one */
    bool force;         /* files in it are replaced */
    enum orma_convert_truncate
        truncate; /* json, systrace, ctrace: kernel events kept are at this end */
    /* Out. */
    bool compatible;   /* under the name of another program */
    bool keep;         /* failed, but what is there is worth keeping */
    bool write_failed; /* and the message is printed */
    bool reader_left;  /* nobody reads the result any more: no reason for a message */
};

/* What a conversion gives: 0, or negative errno after saying why. */
typedef int (*orma_convert_fn)(struct orma_convert *self);

struct orma_convert_mode {
    const char *name;
    const char *help;
    orma_convert_fn run;   /* NULL: not supported here; `help` is the reason */
    bool binary;           /* the output is not for terminals */
    bool files;            /* the result is files in a folder, not an output */
    bool util;             /* the shell has it below `util` */
    bool no_input;         /* the input is not looked at, if one is named at all */
    const char *util_name; /* its name there, if another */
};

extern const struct orma_convert_mode orma_convert_modes[]; /* ended by a NULL name */
extern const struct orma_option orma_convert_options[];

/* The modes: convert_proto.c, convert_tables.c, symbols.c. */
int orma_convert_text(struct orma_convert *self);
int orma_convert_binary(struct orma_convert *self);
int orma_convert_decompress(struct orma_convert *self);
int orma_convert_json(struct orma_convert *self);
int orma_convert_firefox(struct orma_convert *self);
int orma_convert_flamegraph(struct orma_convert *self);
int orma_convert_flamegraph_svg(struct orma_convert *self);
int orma_convert_collapsed(struct orma_convert *self);
int orma_convert_speedscope(struct orma_convert *self);
int orma_convert_systrace(struct orma_convert *self);
int orma_convert_ctrace(struct orma_convert *self);
int orma_convert_profile(struct orma_convert *self);
int orma_convert_symbolize(struct orma_convert *self);
int orma_convert_deobfuscate(struct orma_convert *self);

/* Loads the input into a new processor. 0, or negative after saying why. */
int orma_convert_load(struct orma_convert *self, struct orma_processor **ret);

/* Output through a buffer: flushed when it grows large, and at the end. */
int orma_convert_write(struct orma_convert *self, struct orma_buf *out);
int orma_convert_write_if_large(struct orma_convert *self, struct orma_buf *out);

void orma_convert_say(const struct orma_convert *self, const char *fmt, ...) ORMA_PRINTF(2, 3);

/*
 * The command lines. `program` is shown in messages; argv[0] is not looked at. `kind` chooses the
 * modes: of `orma convert` and traceconv all, of the shell `convert` and `util` their own. Wrong
 * usage gives `usage_code`.
 */
enum orma_convert_kind { ORMA_CONVERT_ALL, ORMA_CONVERT_SHELL_CONVERT, ORMA_CONVERT_SHELL_UTIL };
int orma_convert_main(const struct orma_command *command, const char *program,
                      enum orma_convert_kind kind, int usage_code, int argc, char **argv);

extern const struct orma_command orma_cmd_convert;

/* traceconv, the program's name of old. */
extern const struct orma_command orma_cmd_traceconv;
int orma_traceconv_main(int argc, char **argv);
#endif
