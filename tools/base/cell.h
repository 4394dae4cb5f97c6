/*
 * Text in columns of a terminal: how wide it is, cut to a width, and safe to show. Bytes that are
 * no UTF-8 and control characters are shown as '?', so that names out of a trace cannot give
 * orders to the terminal.
 */
#ifndef ORMA_TOOLS_BASE_CELL_H
#define ORMA_TOOLS_BASE_CELL_H
#include <stdbool.h>
#include <stdio.h>

#include "sdk/base/buf.h"

/* Columns of the text as orma_cell_put() prints it. */
unsigned orma_cell_width(struct orma_str text);

/* Appends the text in at most `width` columns, with an ellipsis if it was cut. */
void orma_cell_put(struct orma_buf *out, struct orma_str text, unsigned width);

/* Prints the whole text. */
void orma_cell_print(const char *text, FILE *out);

/* Does the environment say that text is UTF-8? */
bool orma_cell_unicode(void);

/* The size of the terminal; false: it is none, or does not say. */
bool orma_cell_screen(FILE *out, unsigned *ret_rows, unsigned *ret_columns);

/* Columns of the terminal; `otherwise` where it is none. */
unsigned orma_cell_terminal_width(FILE *out, unsigned otherwise);
#endif
