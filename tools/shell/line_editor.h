/*
 * Lines typed at a terminal, with the usual keys and a history that is kept in
 * a file. One line of the screen; longer text scrolls sideways. Characters are
 * taken as one column wide.
 *
 * The terminal is in raw mode only while a line is read, so that Ctrl-C
 * interrupts what runs between two lines.
 */
#ifndef ORMA_TOOLS_LINE_EDITOR_H
#define ORMA_TOOLS_LINE_EDITOR_H
#include <stdbool.h>

#include "sdk/base/buf.h"

#define ORMA_SHELL_HISTORY_MAX 1000

struct orma_line_editor;

/* `history_path` (copied; NULL: none) is read now and written by free(). NULL: out of memory. */
struct orma_line_editor *orma_line_editor_new(const char *history_path);

/* NULL is fine. Writes the history if there is something new in it. */
void orma_line_editor_free(struct orma_line_editor *self);

/* Could it work here: are both ends the same kind of terminal that has cursor keys? */
bool orma_line_editor_usable(void);

/*
 * Reads a line into `ret` (replaced, without line end). 1; 0: end of input (Ctrl-D in an empty
 * line); -EINTR: given up by Ctrl-C; other -errno of the terminal.
 */
int orma_line_editor_read(struct orma_line_editor *self, const char *prompt, struct orma_buf *ret);
#endif
