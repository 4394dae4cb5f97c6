/*
 * Lines typed at a terminal, by libedit: its usual keys (those of Emacs, Ctrl-R to search the
 * history), wide characters, several rows of the screen, completion, a history that is kept in a
 * file, one line an entry.
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

/* The words that can follow at the end of `before`, the line up to the cursor, each with its
 * terminator, into `ret`; *ret_from: where the word that they replace begins. `after`: what is
 * behind the cursor. */
typedef void orma_line_editor_complete_fn(void *ctx, struct orma_str before, struct orma_str after,
                                          size_t *ret_from, struct orma_buf *ret);

enum orma_line_editor_style {
    ORMA_LINE_EDITOR_PLAIN,
    ORMA_LINE_EDITOR_KEYWORD,
    ORMA_LINE_EDITOR_FUNCTION,
    ORMA_LINE_EDITOR_TEXT,
    ORMA_LINE_EDITOR_NUMBER,
    ORMA_LINE_EDITOR_COMMENT,
};

/* The style of each byte of `line` into `ret`. */
typedef void orma_line_editor_colour_fn(void *ctx, struct orma_str line, uint8_t *ret);

/* `history_path` (copied; NULL: none) is read now and written by free(). NULL: out of memory, or a
 * build without libedit. */
struct orma_line_editor *orma_line_editor_new(const char *history_path);

/* NULL is fine. Writes the history if there is something new in it. */
void orma_line_editor_free(struct orma_line_editor *self);

/* Could it work here: are both ends the same kind of terminal that has cursor keys? */
bool orma_line_editor_usable(void);

void orma_line_editor_set_complete(struct orma_line_editor *self, orma_line_editor_complete_fn *fn,
                                   void *ctx);

/* Lines have colours while they are typed; NULL: none. The context is that of completion. */
void orma_line_editor_set_colour(struct orma_line_editor *self, orma_line_editor_colour_fn *fn);

/*
 * Reads a line into `ret` (replaced, without line end). 1; 0: end of input (Ctrl-D in an empty
 * line); -EINTR: given up by Ctrl-C, for which SIGINT has a handler without SA_RESTART; other
 * -errno of the terminal. Nothing is added to the history.
 */
int orma_line_editor_read(struct orma_line_editor *self, const char *prompt, struct orma_buf *ret);

/* Line ends in the text become blanks, or, where it has comments, it becomes several entries. */
void orma_line_editor_remember(struct orma_line_editor *self, struct orma_str text);
#endif
