/*
 * The process of a trace: it loads it, asks, and leaves the rows in a file for many.c.
 */
#ifndef ORMA_TOOLS_MANY_ASK_H
#define ORMA_TOOLS_MANY_ASK_H

#include <stdint.h>
#include <stdio.h>

#include "tools/many/many.h"

/* Longer texts and blobs are cut. */
#define ORMA_MANY_CELL_MAX ((uint32_t)1 << 30)

/* The program ends with it. */
_Noreturn void orma_many_ask(const struct orma_many *args, const char *path, FILE *out);

#endif
