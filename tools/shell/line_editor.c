/*
 * libedit does the editing. Here are bytes <-> wide characters (UTF-8, whatever the locale says),
 * the history's file, completion (the common part of all candidates, or their list), and Ctrl-C:
 * libedit reads through get_char(), which SIGINT ends. It is blocked but for the time that
 * get_char() waits: else one that comes while a key is being handled would be lost.
 *
 * libedit knows no colours. What it has on the screen when it waits for a key is the prompt and the
 * line: paint() writes the same characters over them, in colours, and puts the cursor back.
 */
#include "tools/shell/line_editor.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <wchar.h>

#include "sdk/base/dynlib.h"
#include "sdk/base/fd.h"
#include "sdk/base/utf8.h"
#include "sdk/base/vec.h"
#include "tools/base/cell.h"

bool orma_line_editor_usable(void)
{
    const char *term = getenv("TERM");

    return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && term && *term && strcmp(term, "dumb");
}

#ifdef ORMA_HAVE_LIBEDIT
#include <histedit.h>

/* Loaded when a person types: with its own three libraries it would be a twentieth of every start.
 */
#define FUNCTIONS(X)                                                                               \
    X(el_deletestr)                                                                                \
    X(el_end)                                                                                      \
    X(el_init)                                                                                     \
    X(el_wget)                                                                                     \
    X(el_wgets)                                                                                    \
    X(el_winsertstr)                                                                               \
    X(el_wline)                                                                                    \
    X(el_wset)                                                                                     \
    X(history_w)                                                                                   \
    X(history_wend)                                                                                \
    X(history_winit)

static struct {
    FUNCTIONS(ORMA_DYNLIB_POINTER)
} lib;
static const char *const function_names[] = {FUNCTIONS(ORMA_DYNLIB_NAME)};

static bool load_libedit(void)
{
    /* Debian's number, and that of others. */
    return orma_dynlib_load("libedit.so.2", function_names, ORMA_ARRAY_LEN(function_names), &lib) ||
           orma_dynlib_load("libedit.so.0", function_names, ORMA_ARRAY_LEN(function_names), &lib);
}

#define HISTORY_BYTES_MAX ((size_t)4 << 20)
#define LISTED_MAX 200 /* candidates that are shown */

struct orma_line_editor {
    EditLine *el;
    HistoryW *history;
    char *path;
    char *lines[ORMA_SHELL_HISTORY_MAX]; /* oldest first: what the file holds */
    size_t num;
    bool changed;
    bool interrupted; /* a signal came while a line was read */
    sigset_t waiting; /* the signals that are blocked while get_char() waits */
    wchar_t *prompt;
    orma_line_editor_complete_fn *complete;
    orma_line_editor_colour_fn *colour;
    void *ctx;    /* of both */
    bool painted; /* the line has colours, or had */
    bool stale;   /* it changed since */
};

/* ---- characters ---- */

static wchar_t *to_wide(struct orma_str text)
{
    wchar_t *ret = calloc(text.len + 1, sizeof(*ret));

    for (size_t n = 0; ret && text.len; n++) {
        uint32_t code = 0xfffd;
        size_t len = orma_utf8_decode(text, &code);

        len = len ? len : 1;
        ret[n] = (wchar_t)code;
        text = (struct orma_str){text.data + len, text.len - len};
    }
    return ret;
}

static void from_wide(const wchar_t *text, size_t len, struct orma_buf *ret)
{
    orma_buf_clear(ret);
    for (size_t i = 0; i < len; i++) {
        if (!orma_utf8_put(ret, (uint32_t)text[i]))
            orma_buf_put_byte(ret, '?');
    }
}

/* ---- colours ---- */

static const char *const colours[] = {
    [ORMA_LINE_EDITOR_PLAIN] = "\033[0m",       [ORMA_LINE_EDITOR_KEYWORD] = "\033[0;1;34m",
    [ORMA_LINE_EDITOR_FUNCTION] = "\033[0;36m", [ORMA_LINE_EDITOR_TEXT] = "\033[0;32m",
    [ORMA_LINE_EDITOR_NUMBER] = "\033[0;35m",   [ORMA_LINE_EDITOR_COMMENT] = "\033[0;2m",
};

/* Where the cursor is behind these characters, rows from that of the prompt. False: some are shown
 * in a way of libedit's, as control characters are, or those of a search. */
static bool walk(const wchar_t *text, const wchar_t *end, unsigned width, unsigned *row,
                 unsigned *col)
{
    for (; text < end; text++) {
        int cells = wcwidth(*text);

        if (cells <= 0)
            return false;
        if (*col + (unsigned)cells > width) {
            ++*row;
            *col = 0;
        }
        *col += (unsigned)cells;
        if (*col == width) {
            ++*row;
            *col = 0;
        }
    }
    return true;
}

static void put_coloured(struct orma_buf *out, const struct orma_buf *line, const uint8_t *styles)
{
    uint8_t style = ORMA_LINE_EDITOR_PLAIN;

    for (size_t i = 0; i < line->len; i++) {
        if (styles[i] != style)
            orma_buf_put_str(out, colours[styles[i]]);
        style = styles[i];
        orma_buf_put_byte(out, line->data[i]);
    }
}

static void paint(struct orma_line_editor *self)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf line = {0}, styles = {0}, out = {0};
    const LineInfoW *at = lib.el_wline(self->el);
    unsigned row = 0, col = 0, start, last_row;
    struct winsize size;
    bool any = false;

    self->stale = false;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0 || !size.ws_col ||
        !walk(self->prompt, self->prompt + wcslen(self->prompt), size.ws_col, &row, &col) || row)
        return;
    start = col;
    if (!walk(at->buffer, at->cursor, size.ws_col, &row, &col))
        return;
    last_row = row;
    if (!walk(at->cursor, at->lastchar, size.ws_col, &last_row, &col) || last_row >= size.ws_row)
        return;
    from_wide(at->buffer, (size_t)(at->lastchar - at->buffer), &line);
    orma_buf_put(&styles, line.data, line.len); /* as many */
    if (styles.failed || !line.len)
        return;
    self->colour(self->ctx, orma_buf_str(&line), styles.data);
    for (size_t i = 0; i < styles.len; i++)
        any |= styles.data[i] != ORMA_LINE_EDITOR_PLAIN;
    if (!any && !self->painted)
        return;
    self->painted = true;
    orma_buf_put_str(&out, "\0337\r"); /* keeps the place */
    if (row)
        orma_buf_printf(&out, "\033[%uA", row);
    if (start)
        orma_buf_printf(&out, "\033[%uC", start);
    put_coloured(&out, &line, styles.data);
    orma_buf_printf(&out, "%s\0338", colours[ORMA_LINE_EDITOR_PLAIN]);
    if (!out.failed)
        (void)orma_fd_write_all(STDOUT_FILENO, out.data, out.len); /* else without colours */
}

/* ---- keys ---- */

/* False: a signal came. One that came before is told first: what is there was typed after it. */
static bool wait_for_key(const sigset_t *waiting)
{
    struct pollfd fd = {.fd = STDIN_FILENO, .events = POLLIN};
    sigset_t pending;

    if (sigpending(&pending) == 0 && sigismember(&pending, SIGINT) == 1 &&
        sigismember(waiting, SIGINT) == 0) {
        (void)sigsuspend(waiting);
        return false;
    }
    return ppoll(&fd, 1, NULL, waiting) >= 0 || errno != EINTR;
}

/* A character of the terminal: 1; 0: the end; -1: a signal came, or it failed. */
static int get_char(EditLine *el, wchar_t *ret)
{
    struct pollfd keys = {.fd = STDIN_FILENO, .events = POLLIN};
    struct orma_line_editor *self = NULL;
    uint8_t bytes[ORMA_UTF8_MAX];
    uint32_t code;

    lib.el_wget(el, EL_CLIENTDATA, &self);
    if (!self)
        return -1;
    self->stale = self->colour;
    if (self->stale && poll(&keys, 1, 0) == 0)
        paint(self); /* nothing more to handle first */
    for (size_t n = 0; n < sizeof(bytes); n++) {
        if (!wait_for_key(&self->waiting)) {
            self->interrupted = true; /* libedit forgets why, in the middle of a search */
            return -1;
        }
        ssize_t got = read(STDIN_FILENO, &bytes[n], 1);

        if (got <= 0)
            return got < 0 ? -1 : 0;
        if (orma_utf8_decode((struct orma_str){(const char *)bytes, n + 1}, &code)) {
            *ret = (wchar_t)code;
            if (self->stale && (code == '\n' || code == '\r'))
                paint(self); /* it stays as it is now */
            return 1;
        }
    }
    *ret = L'?';
    return 1;
}

/* ---- history ---- */

static void add_line(struct orma_line_editor *self, struct orma_str line)
{
    wchar_t *wide;
    HistEventW event;
    char *copy;

    if (!line.len || (self->num && orma_str_eq_c(line, self->lines[self->num - 1])))
        return;
    copy = orma_str_dup(line);
    wide = to_wide(line);
    if (copy && wide) {
        if (self->num == ORMA_SHELL_HISTORY_MAX) {
            free(self->lines[0]);
            memmove(self->lines, self->lines + 1, (--self->num) * sizeof(*self->lines));
        }
        self->lines[self->num++] = copy;
        (void)lib.history_w(self->history, &event, H_ENTER, wide); /* else a line less */
        self->changed = true;
        copy = NULL;
    }
    free(copy);
    free(wide);
}

static void load_history(struct orma_line_editor *self)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf file = {0};

    if (orma_fd_read_file(AT_FDCWD, self->path, HISTORY_BYTES_MAX, &file) == 0) {
        struct orma_str rest = orma_buf_str(&file), line;

        while (rest.len && orma_str_cut(&rest, '\n', &line))
            add_line(self, line);
    }
    self->changed = false;
}

/* The folders above the file, each if it is missing. */
static void make_folders(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        (void)mkdir(path, 0700); /* the last open() tells */
        *slash = '/';
    }
}

static void save_history(struct orma_line_editor *self)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf text = {0};

    for (size_t i = 0; i < self->num; i++)
        orma_buf_printf(&text, "%s\n", self->lines[i]);
    make_folders(self->path);
    ORMA_AUTO(orma_fd_close)
    int fd = open(self->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd >= 0 && !text.failed)
        (void)orma_fd_write_all(fd, text.data, text.len); /* a history less is no failure */
}

void orma_line_editor_remember(struct orma_line_editor *self, struct orma_str text)
{
    bool comments = memmem(text.data, text.len, "--", 2) != NULL;
    struct orma_str rest = text, line;

    if (comments) {
        while (rest.len && orma_str_cut(&rest, '\n', &line))
            add_line(self, line);
        return;
    }
    char *copy = orma_str_dup(text);
    for (char *p = copy; p && *p; p++)
        *p = *p == '\n' ? ' ' : *p;
    if (copy)
        add_line(self, orma_str_trim(orma_str_from(copy)));
    free(copy);
}

/* ---- completion ---- */

static bool same_letter(char a, char b)
{
    a = a >= 'A' && a <= 'Z' ? (char)(a - 'A' + 'a') : a;
    b = b >= 'A' && b <= 'Z' ? (char)(b - 'A' + 'a') : b;
    return a == b;
}

/* Bytes that all candidates begin with, and how many there are. */
static size_t common_part(const struct orma_buf *words, size_t *ret_num)
{
    const char *first = (const char *)words->data, *end = first + words->len;
    size_t common = words->len ? strlen(first) : 0;

    *ret_num = 0;
    for (const char *w = first; w < end; w += strlen(w) + 1) {
        size_t n = 0;

        while (n < common && same_letter(w[n], first[n]))
            n++;
        common = n;
        ++*ret_num;
    }
    while (common && (first[common] & 0xc0) == 0x80)
        common--; /* not in the middle of a character */
    return common;
}

static void list_words(const struct orma_buf *words)
{
    const char *first = (const char *)words->data, *end = first + words->len;
    unsigned width = 1, screen = orma_cell_terminal_width(stdout, 80), col = 0, num = 0;

    for (const char *w = first; w < end; w += strlen(w) + 1)
        width = ORMA_MAX(width, orma_cell_width(orma_str_from(w)) + 2);
    for (const char *w = first; w < end && num < LISTED_MAX; w += strlen(w) + 1, num++) {
        ORMA_AUTO(orma_buf_fini) struct orma_buf shown = {0};

        if (num == 0 || col + width > screen) {
            fputc('\n', stdout);
            col = 0;
        }
        orma_cell_put(&shown, orma_str_from(w), width);
        printf("%s%*s", orma_buf_cstr(&shown), (int)(width - orma_cell_width(orma_str_from(w))),
               "");
        col += width;
    }
    printf(num == LISTED_MAX ? "\n...\n" : "\n");
    fflush(stdout);
}

/* Puts `text` in place of the last `old` characters before the cursor. */
static void replace(EditLine *el, size_t old, struct orma_str text)
{
    wchar_t *wide = to_wide(text);

    lib.el_deletestr(el, (int)old);
    if (wide)
        (void)lib.el_winsertstr(el, wide); /* a line that is too long stays as it is */
    free(wide);
}

static unsigned char on_tab(EditLine *el, int key)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf before = {0}, after = {0}, words = {0};
    struct orma_line_editor *self = NULL;
    const LineInfoW *line = lib.el_wline(el);
    size_t from = 0, num, chars = 0;

    (void)key;
    lib.el_wget(el, EL_CLIENTDATA, &self);
    if (!self || !self->complete)
        return CC_ERROR;
    from_wide(line->buffer, (size_t)(line->cursor - line->buffer), &before);
    from_wide(line->cursor, (size_t)(line->lastchar - line->cursor), &after);
    self->complete(self->ctx, orma_buf_str(&before), orma_buf_str(&after), &from, &words);
    size_t common = common_part(&words, &num);
    if (!num || words.failed || before.failed)
        return CC_ERROR;
    for (size_t i = from; i < before.len; i++)
        chars += (before.data[i] & 0xc0) != 0x80;
    bool grows = common > before.len - from;
    if (grows || num == 1)
        replace(el, chars, (struct orma_str){(const char *)words.data, common});
    if (num == 1 || grows)
        return CC_REFRESH;
    list_words(&words);
    return CC_REDISPLAY;
}

/* ---- the editor ---- */

static wchar_t *get_prompt(EditLine *el)
{
    static wchar_t none[] = L"";
    struct orma_line_editor *self = NULL;

    lib.el_wget(el, EL_CLIENTDATA, &self);
    return self && self->prompt ? self->prompt : none;
}

static bool start(struct orma_line_editor *self)
{
    HistEventW event;

    if (!load_libedit())
        return false;
    if (!setlocale(LC_CTYPE, "C.UTF-8")) /* libedit asks it how wide characters are */
        (void)setlocale(LC_CTYPE, "");
    self->history = lib.history_winit();
    self->el = lib.el_init("orma", stdin, stdout, stderr);
    if (!self->history || !self->el)
        return false;
    (void)lib.history_w(self->history, &event, H_SETSIZE, ORMA_SHELL_HISTORY_MAX);
    lib.el_wset(self->el, EL_CLIENTDATA, self);
    lib.el_wset(self->el, EL_PROMPT_ESC, get_prompt, L'\1');
    lib.el_wset(self->el, EL_EDITOR, L"emacs");
    lib.el_wset(self->el, EL_HIST, lib.history_w, self->history);
    lib.el_wset(self->el, EL_GETCFN, get_char);
    lib.el_wset(self->el, EL_ADDFN, L"orma-complete", L"complete a word", on_tab);
    lib.el_wset(self->el, EL_BIND, L"\t", L"orma-complete", NULL);
    lib.el_wset(self->el, EL_BIND, L"^R", L"em-inc-search-prev", NULL);
    lib.el_wset(self->el, EL_BIND, L"\\e[3~", L"ed-delete-next-char", NULL);
    lib.el_wset(self->el, EL_BIND, L"^W", L"ed-delete-prev-word", NULL);
    return true;
}

struct orma_line_editor *orma_line_editor_new(const char *history_path)
{
    struct orma_line_editor *self = calloc(1, sizeof(*self));

    if (!self || !start(self)) {
        orma_line_editor_free(self);
        return NULL;
    }
    self->path = history_path ? strdup(history_path) : NULL;
    if (self->path)
        load_history(self);
    return self;
}

void orma_line_editor_free(struct orma_line_editor *self)
{
    if (!self)
        return;
    if (self->path && self->changed)
        save_history(self);
    for (size_t i = 0; i < self->num; i++)
        free(self->lines[i]);
    if (self->el)
        lib.el_end(self->el);
    if (self->history)
        lib.history_wend(self->history);
    free(self->path);
    free(self->prompt);
    free(self);
}

void orma_line_editor_set_complete(struct orma_line_editor *self, orma_line_editor_complete_fn *fn,
                                   void *ctx)
{
    self->complete = fn;
    self->ctx = ctx;
}

void orma_line_editor_set_colour(struct orma_line_editor *self, orma_line_editor_colour_fn *fn)
{
    self->colour = fn;
}

int orma_line_editor_read(struct orma_line_editor *self, const char *prompt, struct orma_buf *ret)
{
    sigset_t block;
    int len = 0;

    free(self->prompt);
    self->prompt = to_wide(orma_str_from(prompt));
    errno = 0;
    self->interrupted = self->painted = false;
    sigemptyset(&block);
    sigaddset(&block, SIGINT);
    (void)pthread_sigmask(SIG_BLOCK, &block, &self->waiting); /* fails for a bad `how` only */
    /* Before the prompt is there, which says that keys are ours: a Ctrl-D that came in between
     * would be the terminal's, and lost. */
    lib.el_wset(self->el, EL_PREP_TERM, 1);
    const wchar_t *line = lib.el_wgets(self->el, &len);
    int err = errno;
    (void)pthread_sigmask(SIG_SETMASK, &self->waiting, NULL);
    if (self->interrupted) {
        fputc('\n', stdout);
        return -EINTR;
    }
    if (!line || len <= 0) {
        fputc('\n', stdout);
        return len < 0 && err ? -err : 0;
    }
    size_t num = (size_t)len;
    while (num && (line[num - 1] == L'\n' || line[num - 1] == L'\r'))
        num--;
    from_wide(line, num, ret);
    return ret->failed ? -ENOMEM : 1;
}

#else /* lines are read as they come */

struct orma_line_editor *orma_line_editor_new(const char *history_path)
{
    (void)history_path;
    return NULL;
}

void orma_line_editor_free(struct orma_line_editor *self)
{
    (void)self;
}

void orma_line_editor_set_complete(struct orma_line_editor *self, orma_line_editor_complete_fn *fn,
                                   void *ctx)
{
    (void)self;
    (void)fn;
    (void)ctx;
}

void orma_line_editor_set_colour(struct orma_line_editor *self, orma_line_editor_colour_fn *fn)
{
    (void)self;
    (void)fn;
}

int orma_line_editor_read(struct orma_line_editor *self, const char *prompt, struct orma_buf *ret)
{
    (void)self;
    (void)prompt;
    (void)ret;
    return -ENOTSUP;
}

void orma_line_editor_remember(struct orma_line_editor *self, struct orma_str text)
{
    (void)self;
    (void)text;
}
#endif
