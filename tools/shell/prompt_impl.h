/*
 * What the files of the prompt share.
 */
#ifndef ORMA_TOOLS_SHELL_PROMPT_IMPL_H
#define ORMA_TOOLS_SHELL_PROMPT_IMPL_H
#include <signal.h>
#include <stdio.h>

#include "processor/processor.h"
#include "sdk/base/buf.h"
#include "tools/shell/line_editor.h"

enum orma_shell_mode {
    ORMA_SHELL_MODE_TABLE,
    ORMA_SHELL_MODE_BOX,
    ORMA_SHELL_MODE_LINE,
    ORMA_SHELL_MODE_CSV,
    ORMA_SHELL_MODE_JSON,
    ORMA_SHELL_MODE_MARKDOWN,
};

/* Each column on a line of its own: AUTO: where a row would not fit the terminal. */
enum orma_shell_expand {
    ORMA_SHELL_EXPAND_AUTO,
    ORMA_SHELL_EXPAND_ON,
    ORMA_SHELL_EXPAND_OFF,
};

struct orma_shell_prompt_state {
    struct orma_processor *tp;
    struct orma_buf trace; /* its path */
    struct orma_line_editor *editor;
    struct orma_buf sql; /* the lines before, of a statement that is not whole */
    enum orma_shell_mode mode;
    enum orma_shell_expand expand;
    unsigned width; /* no column is wider; 0: as wide as what is in it */
    bool timer, colour, done;
};

/* ---- prompt_rows.c ---- */

/* "table", "box", ...: false if there is no such mode. */
bool orma_shell_mode_find(const char *name, enum orma_shell_mode *ret);
const char *orma_shell_mode_name(unsigned n); /* NULL past the last */

/* 0, -EIO, or the error of the query. */
int orma_shell_print_rows(const struct orma_shell_prompt_state *p, struct orma_query *q, FILE *out);

/* ---- prompt_dots.c ---- */

/* A command with its dot, and "\x". */
void orma_shell_dot(struct orma_shell_prompt_state *p, const char *line);
const char *orma_shell_dot_name(unsigned n); /* NULL past the last */

/* ---- prompt_run.c ---- */

/* The handler of SIGINT: ends what runs, and sets orma_shell_stop. */
void orma_shell_interrupt(int sig);
extern volatile sig_atomic_t orma_shell_stop;

/* What runs from now on, until it is NULL; nobody has interrupted that yet. */
void orma_shell_set_interruptible(struct orma_processor *tp);

/* Runs statements and shows their rows; `from` is what errors call the text. */
void orma_shell_run_text(struct orma_shell_prompt_state *p, const char *sql, const char *from);

/* What a function prints, with a pager where it does not fit the screen. */
void orma_shell_show(struct orma_shell_prompt_state *p,
                     void (*print)(struct orma_shell_prompt_state *p, const char *arg, FILE *out),
                     const char *arg);

/* ---- prompt_complete.c ---- */

orma_line_editor_complete_fn orma_shell_complete; /* its context is the prompt */

/* Words of SQL, some of them several together; NULL at the end. */
extern const char *const orma_shell_keywords[];

/* ---- prompt_colours.c ---- */

orma_line_editor_colour_fn orma_shell_colour; /* its context is the prompt */

/* Does the text end with a whole statement? */
bool orma_shell_is_whole(struct orma_str sql);
#endif
