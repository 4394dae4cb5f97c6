/*
 * What this process reads: no output may be one of these files, under whatever name.
 *
 * The command line adds its words by itself, orma_load_trace() each trace; commands add what they
 * find elsewhere (files that fit a pattern). A word that turns out to name the output is left out
 * by its address: both are the same word of argv.
 */
#ifndef ORMA_TOOLS_BASE_INPUTS_H
#define ORMA_TOOLS_BASE_INPUTS_H
#include <stdbool.h>

enum orma_inputs_kind {
    ORMA_INPUTS_FILE,   /* a file; a folder of that name only holds other things */
    ORMA_INPUTS_FOLDER, /* if it is a folder, it is read with all that is in it */
};

/* What is not there, or can be no output, is left out. `path` stays where it is. */
void orma_inputs_add(const char *path, enum orma_inputs_kind kind);

/* This word of the command line names no file: a preset, a format. */
void orma_inputs_drop(const char *word);

/* The input that an output called `path` would damage, as it was named; NULL: none. Standard input
 * is one as well. */
const char *orma_inputs_hit(const char *path);

/* The same for an open file, which may be standard output; `word` named it. */
const char *orma_inputs_hit_fd(int fd, const char *word);
#endif
