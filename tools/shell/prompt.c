/*
 * Lines are gathered until they make a whole statement, or a command with its dot.
 */
#include "tools/shell/prompt.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/base/cli.h"
#include "tools/shell/prompt_impl.h"

#define PROMPT "orma> "
#define PROMPT_MORE " ...> "

/* ---- lines ---- */

/* 1: a line in `ret`; 0: the end; -EINTR. */
static int read_line(struct orma_shell_prompt_state *p, const char *prompt, struct orma_buf *ret)
{
    char *line = NULL;
    size_t cap = 0;

    if (p->editor)
        return orma_line_editor_read(p->editor, prompt, ret);
    fputs(prompt, stdout);
    fflush(stdout);
    errno = 0;
    ssize_t len = getline(&line, &cap, stdin);
    int r = len >= 0 ? 1 : errno == EINTR ? -EINTR : 0;
    orma_buf_clear(ret);
    if (len > 0)
        orma_buf_put(ret, line, (size_t)len - (line[len - 1] == '\n'));
    if (r == -EINTR)
        clearerr(stdin);
    free(line);
    return r;
}

static void take_line(struct orma_shell_prompt_state *p, const struct orma_buf *line)
{
    struct orma_buf *sql = &p->sql;
    struct orma_str text = orma_str_trim(orma_buf_str(line));
    bool command = text.len && (*text.data == '.' || *text.data == '\\');

    if (!sql->len && command) {
        char *copied = orma_str_dup(text);

        if (p->editor)
            orma_line_editor_remember(p->editor, text);
        if (copied)
            orma_shell_dot(p, copied);
        free(copied);
        return;
    }
    if (!text.len && !sql->len)
        return;
    orma_buf_put(sql, line->data, line->len);
    orma_buf_put_byte(sql, '\n');
    if (text.len && !orma_shell_is_whole(orma_buf_str(sql)))
        return;
    if (p->editor)
        orma_line_editor_remember(p->editor, orma_str_trim(orma_buf_str(sql)));
    orma_shell_run_text(p, orma_buf_cstr(sql), "SQL");
    orma_buf_clear(sql);
}

static void read_lines(struct orma_shell_prompt_state *p)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf line = {0};
    int r = 1;

    while (!p->done && (r == 1 || r == -EINTR)) {
        r = read_line(p, p->sql.len ? PROMPT_MORE : PROMPT, &line);
        if (r == 1)
            take_line(p, &line);
        else if (r == -EINTR)
            orma_buf_clear(&p->sql);
    }
    if (p->sql.len) /* the end comes without a ';' */
        orma_shell_run_text(p, orma_buf_cstr(&p->sql), "SQL");
}

static struct orma_line_editor *make_editor(struct orma_shell_prompt_state *p)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf path = {0};
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");

    if (!orma_line_editor_usable())
        return NULL;
    if (state && *state)
        orma_buf_printf(&path, "%s/orma/history", state);
    else if (home && *home)
        orma_buf_printf(&path, "%s/.local/state/orma/history", home);
    struct orma_line_editor *editor =
        orma_line_editor_new(path.len && !path.failed ? orma_buf_cstr(&path) : NULL);
    if (editor) {
        orma_line_editor_set_complete(editor, orma_shell_complete, p);
        orma_line_editor_set_colour(editor, p->colour ? orma_shell_colour : NULL);
    }
    return editor;
}

static bool wants_colour(void)
{
    const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

    return isatty(STDOUT_FILENO) && !(no && *no) && term && strcmp(term, "dumb") != 0;
}

int orma_shell_prompt(struct orma_processor *tp, const char *trace)
{
    struct sigaction act = {.sa_handler = orma_shell_interrupt}, old;
    struct orma_shell_prompt_state p = {.tp = tp, .timer = true, .colour = wants_colour()};

    orma_buf_put_str(&p.trace, trace);
    p.editor = make_editor(&p);
    sigaction(SIGINT, &act, &old);
    printf("SQL ends with ';' or an empty line. .help lists commands, .quit ends.\n");
    read_lines(&p);
    sigaction(SIGINT, &old, NULL);
    orma_line_editor_free(p.editor);
    orma_processor_free(p.tp);
    orma_buf_fini(&p.trace);
    orma_buf_fini(&p.sql);
    return ORMA_EXIT_OK;
}
