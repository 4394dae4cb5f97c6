/*
 * A trace loaded for queries, with what is shown to the user meanwhile:
 * progress on a terminal, and what is wrong with the trace.
 */
#ifndef ORMA_TOOLS_LOAD_LOAD_H
#define ORMA_TOOLS_LOAD_LOAD_H
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "processor/processor.h"

enum orma_load_chatter {
    ORMA_LOAD_QUIET,    /* nothing */
    ORMA_LOAD_PROGRESS, /* a live line if stderr is a terminal, gone at the end */
    ORMA_LOAD_TELLS,    /* the same; the command itself says what could not be read */
    ORMA_LOAD_SHELL,    /* as the processor's shell prints it: always, with a last line */
};

#define ORMA_LOAD_EMPTY "the file is empty" /* in messages */

/* The trace in a folder of `orma profile` and `orma heap`. */
#define ORMA_LOAD_FOLDER_TRACE "raw-trace"

/* A folder that `orma profile` or `orma heap` made stands for the trace in it: that path, in
 * `room`. Else `path` itself. */
const char *orma_load_in_folder(const char *path, char *room, size_t size);

/* 0, or -errno with one line on stderr: "PROGRAM: PATH: what". *ret_ns: how long it took; may be
 * NULL. Folders as above are taken; "-" is standard input. */
int orma_load_trace(struct orma_processor *tp, const char *program, const char *path,
                    enum orma_load_chatter chatter, uint64_t *ret_ns);

/* What of the trace is in no table, and why: a line each behind `indent`. At most `max`, and a line
 * that says how many more there are. Returns how many there are in all. */
unsigned orma_load_print_unread(const struct orma_processor *tp, const char *indent, unsigned max,
                                FILE *out);

/*
 * Errors and losses that the statistics of a loaded trace tell, in sections;
 * colours if `out` is a terminal. Those that `is_fine` (or NULL) accepts are
 * left out. Returns how many there are; nothing is printed for 0.
 */
unsigned orma_load_print_health(const struct orma_processor *tp,
                                bool (*is_fine)(void *ctx, const struct orma_processor_stat *stat),
                                void *ctx, FILE *out);
#endif
