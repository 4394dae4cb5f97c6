/*
 * Every file that a command writes for its user goes through here.
 *
 * - It is none of the inputs (tools/base/inputs.h), whatever links lead there.
 * - What exists is replaced with --force only, or where another program's name promises it.
 * - It is there whole or not at all, and nothing else stays behind: not after errors, signals, full
 *   disks. sdk/base/replace.h says how, and what it keeps of the file before.
 * - "-", devices, pipes and descriptors are written as they are.
 * - One line on stderr says what was written: "t.html: 1.2 MB, WHAT"; or what is wrong.
 *
 *     struct orma_output out;
 *     struct orma_output_want want = {.program = "orma view", .path = path, .force = force};
 *
 *     if (orma_output_open(&out, &want) < 0)
 *         return ORMA_EXIT_FAILURE;
 *     int r = write_page(out.fd);
 *     return orma_output_close(&out, r, "a timeline") < 0 ? ORMA_EXIT_FAILURE : ORMA_EXIT_OK;
 */
#ifndef ORMA_TOOLS_OUTPUT_OUTPUT_H
#define ORMA_TOOLS_OUTPUT_OUTPUT_H
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "sdk/base/replace.h"

struct orma_output_want {
    const char *program; /* for messages; NULL: they begin with the path */
    const char *path;    /* "-": standard output */
    bool force;          /* replaces what is there */
    bool no_force;       /* the command has no --force: the message names none */
    bool binary;         /* nothing for a terminal */
    bool quiet;          /* says nothing of what was written */
};

struct orma_output {
    struct orma_output_want want;
    int fd;     /* to write to; -1: not open */
    FILE *file; /* the same by stdio, once orma_output_stream() was called */
    bool is_stdout;
    struct orma_whole whole;
};

/* Could this output be written? Asked before a long load. 0, or -errno with a line on stderr. */
int orma_output_check(const struct orma_output_want *want);

/* 0, or -errno with a line on stderr. `want` is copied. */
int orma_output_open(struct orma_output *self, const struct orma_output_want *want);

/* For stdio; NULL with a line on stderr. Owned by `self`. */
FILE *orma_output_stream(struct orma_output *self);

/*
 * `r` < 0: it came to nothing, and that was said (but for errors of writing, see
 * orma_output_failed()). `what` says what is in it; NULL: nothing to say. 0 or -errno.
 */
int orma_output_close(struct orma_output *self, int r, const char *what);

/* Says that writing failed with `err`; silent where only the reader has left. Returns -err. */
int orma_output_failed(const struct orma_output *self, int err);

/*
 * For a file that grows under its own name, a recording: it is empty, open, and called `path`
 * afterwards. *ret_created: it is a regular file, so it can be removed if nothing comes into it.
 */
int orma_output_begin(const struct orma_output_want *want, mode_t mode, int *ret_fd,
                      bool *ret_created);

/* "t.db: 1.2 MB, all tables". */
void orma_output_say(const char *path, int64_t bytes, const char *what);

/* The exit code of a command whose output ended with `r`: 1, or 141 for a reader that left. */
int orma_output_exit(int r);
#endif
