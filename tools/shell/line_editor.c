/*
 * The terminal is in raw mode while a line is edited. Bytes -> keys (escape sequences) ->
 * changes of text, cursor and history -> the line is drawn anew. History is loaded at the
 * start and written at the end.
 */
#include "tools/shell/line_editor.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include "sdk/base/fd.h"
#include "sdk/base/str.h"

#define HISTORY_BYTES_MAX ((size_t)4 << 20)
#define COLUMNS_DEFAULT 80
#define WITH_CTRL(c) ((c)&0x1f)

/* Keys beyond the bytes that they send. */
enum { KEY_LEFT = 256, KEY_RIGHT, KEY_UP, KEY_DOWN, KEY_HOME, KEY_END, KEY_DELETE, KEY_NONE };

struct orma_line_editor {
    char *path;
    char *lines[ORMA_SHELL_HISTORY_MAX]; /* oldest first */
    size_t num;
    bool changed;
    /* While a line is read: */
    struct orma_buf text;
    size_t at;    /* of the cursor, in bytes */
    size_t shown; /* the line of history that is shown; num: the new one */
    char *typed;  /* the new line, while another one is shown */
    const char *prompt;
};

/* ---- history ---- */

static void add_line(struct orma_line_editor *self, struct orma_str line)
{
    char *copy;

    if (!line.len || (self->num && orma_str_eq_c(line, self->lines[self->num - 1])))
        return;
    copy = orma_str_dup(line);
    if (!copy)
        return; /* a line less in the history */
    if (self->num == ORMA_SHELL_HISTORY_MAX) {
        free(self->lines[0]);
        memmove(self->lines, self->lines + 1, (--self->num) * sizeof(*self->lines));
    }
    self->lines[self->num++] = copy;
    self->changed = true;
}

static void load_history(struct orma_line_editor *self)
{
    struct orma_buf file = {0};

    if (orma_fd_read_file(AT_FDCWD, self->path, HISTORY_BYTES_MAX, &file) == 0) {
        struct orma_str rest = orma_buf_str(&file), line;

        while (rest.len && orma_str_cut(&rest, '\n', &line))
            add_line(self, line);
    }
    self->changed = false;
    orma_buf_fini(&file);
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
    struct orma_buf text = {0};

    for (size_t i = 0; i < self->num; i++)
        orma_buf_printf(&text, "%s\n", self->lines[i]);
    make_folders(self->path);
    int fd = open(self->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (fd >= 0 && !text.failed)
        (void)orma_fd_write_all(fd, text.data, text.len); /* it is only a history */
    orma_fd_close(&fd);
    orma_buf_fini(&text);
}

struct orma_line_editor *orma_line_editor_new(const char *history_path)
{
    struct orma_line_editor *self = calloc(1, sizeof(*self));

    if (!self)
        return NULL;
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
    orma_buf_fini(&self->text);
    free(self->typed);
    free(self->path);
    free(self);
}

/* ---- the terminal ---- */

bool orma_line_editor_usable(void)
{
    const char *term = getenv("TERM");

    return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && term && strcmp(term, "dumb");
}

static int set_raw(struct termios *ret_before)
{
    struct termios raw;

    if (tcgetattr(STDIN_FILENO, ret_before) < 0)
        return -errno;
    raw = *ret_before;
    raw.c_iflag &= ~(tcflag_t)(BRKINT | ICRNL | INPCK | ISTRIP | IXON);
    raw.c_lflag &= ~(tcflag_t)(ECHO | ICANON | IEXTEN | ISIG);
    raw.c_cc[VMIN] = 1;
    raw.c_cc[VTIME] = 0;
    return tcsetattr(STDIN_FILENO, TCSADRAIN, &raw) < 0 ? -errno : 0;
}

static size_t columns(void)
{
    struct winsize size;

    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 10 ? size.ws_col
                                                                            : COLUMNS_DEFAULT;
}

static bool is_continuation(uint8_t byte)
{
    return (byte & 0xc0) == 0x80;
}

/* Characters in so many bytes. */
static size_t width(const uint8_t *text, size_t len)
{
    size_t num = 0;

    for (size_t i = 0; i < len; i++)
        num += !is_continuation(text[i]);
    return num;
}

/* The line is drawn anew: from where the cursor fits, as much as fits. */
static void draw(const struct orma_line_editor *self)
{
    const uint8_t *text = self->text.data ? self->text.data : (const uint8_t *)"";
    size_t room = columns() - strlen(self->prompt) - 1, from = 0, to = self->text.len;
    struct orma_buf out = {0};

    while (width(text + from, self->at - from) > room) {
        from++;
        while (from < self->at && is_continuation(text[from]))
            from++;
    }
    while (width(text + from, to - from) > room) {
        to--;
        while (to > from && is_continuation(text[to]))
            to--;
    }
    orma_buf_printf(&out, "\r%s", self->prompt);
    orma_buf_put(&out, text + from, to - from);
    orma_buf_printf(&out, "\x1b[K\r\x1b[%zuC",
                    strlen(self->prompt) + width(text + from, self->at - from));
    if (!out.failed)
        (void)orma_fd_write_all(STDOUT_FILENO, out.data, out.len); /* reading will fail, too */
    orma_buf_fini(&out);
}

/* ---- keys ---- */

static int read_byte(void)
{
    uint8_t byte;
    ssize_t n;

    do {
        n = read(STDIN_FILENO, &byte, 1);
    } while (n < 0 && errno == EINTR);
    if (n == 1)
        return byte;
    return n == 0 ? 0 : -errno;
}

/* What follows an escape: "[A", "OH", "[3~" ... */
static int read_escape(void)
{
    int kind = read_byte(), c = kind == '[' || kind == 'O' ? read_byte() : 0, last = c;

    while (kind == '[' && ((last >= '0' && last <= '9') || last == ';'))
        last = read_byte();
    switch (last) {
    case 'A':
        return KEY_UP;
    case 'B':
        return KEY_DOWN;
    case 'C':
        return KEY_RIGHT;
    case 'D':
        return KEY_LEFT;
    case 'H':
        return KEY_HOME;
    case 'F':
        return KEY_END;
    case '~':
        if (c == '3')
            return KEY_DELETE;
        if (c == '1' || c == '7')
            return KEY_HOME;
        return c == '4' || c == '8' ? KEY_END : KEY_NONE;
    }
    return KEY_NONE;
}

static size_t before(const struct orma_line_editor *self, size_t at)
{
    while (at > 0 && is_continuation(self->text.data[--at]))
        ;
    return at;
}

static size_t behind(const struct orma_line_editor *self, size_t at)
{
    if (at < self->text.len)
        at++;
    while (at < self->text.len && is_continuation(self->text.data[at]))
        at++;
    return at;
}

static void insert(struct orma_line_editor *self, uint8_t byte)
{
    orma_buf_put_byte(&self->text, byte);
    if (self->text.failed)
        return;
    memmove(self->text.data + self->at + 1, self->text.data + self->at,
            self->text.len - 1 - self->at);
    self->text.data[self->at++] = byte;
}

static void cut(struct orma_line_editor *self, size_t from, size_t to)
{
    if (to > from)
        memmove(self->text.data + from, self->text.data + to, self->text.len - to);
    self->text.len -= to - from;
    self->at = from;
}

static size_t word_begin(const struct orma_line_editor *self)
{
    size_t at = self->at;

    while (at > 0 && self->text.data[at - 1] == ' ')
        at--;
    while (at > 0 && self->text.data[at - 1] != ' ')
        at--;
    return at;
}

static void show_history(struct orma_line_editor *self, size_t line)
{
    if (line > self->num)
        return;
    if (self->shown == self->num) { /* what was typed comes back later */
        free(self->typed);
        self->typed = orma_str_dup(orma_buf_str(&self->text));
    }
    self->shown = line;
    orma_buf_clear(&self->text);
    if (line < self->num)
        orma_buf_put_str(&self->text, self->lines[line]);
    else if (self->typed)
        orma_buf_put_str(&self->text, self->typed);
    self->at = self->text.len;
}

static void edit(struct orma_line_editor *self, int key)
{
    switch (key) {
    case WITH_CTRL('A'):
    case KEY_HOME:
        self->at = 0;
        break;
    case WITH_CTRL('E'):
    case KEY_END:
        self->at = self->text.len;
        break;
    case WITH_CTRL('B'):
    case KEY_LEFT:
        self->at = before(self, self->at);
        break;
    case WITH_CTRL('F'):
    case KEY_RIGHT:
        self->at = behind(self, self->at);
        break;
    case WITH_CTRL('P'):
    case KEY_UP:
        if (self->shown > 0)
            show_history(self, self->shown - 1);
        break;
    case WITH_CTRL('N'):
    case KEY_DOWN:
        show_history(self, self->shown + 1);
        break;
    case 0x7f:
    case WITH_CTRL('H'):
        cut(self, before(self, self->at), self->at);
        break;
    case WITH_CTRL('D'):
    case KEY_DELETE:
        cut(self, self->at, behind(self, self->at));
        break;
    case WITH_CTRL('K'):
        self->text.len = self->at;
        break;
    case WITH_CTRL('U'):
        cut(self, 0, self->at);
        break;
    case WITH_CTRL('W'):
        cut(self, word_begin(self), self->at);
        break;
    case WITH_CTRL('L'):
        (void)orma_fd_write_all(STDOUT_FILENO, "\x1b[H\x1b[2J", 7); /* drawing tells */
        break;
    default:
        if (key == '\t')
            key = ' ';
        if (key >= ' ' && key < 256)
            insert(self, (uint8_t)key);
    }
}

/* 1, 0, -EINTR, -errno. */
static int read_line(struct orma_line_editor *self)
{
    for (;;) {
        draw(self);
        int key = read_byte();

        if (key < 0)
            return key;
        if (key == 0 || (key == WITH_CTRL('D') && !self->text.len))
            return 0;
        if (key == '\r' || key == '\n')
            return 1;
        if (key == WITH_CTRL('C'))
            return -EINTR;
        edit(self, key == 0x1b ? read_escape() : key);
        if (self->text.failed)
            return -ENOMEM;
    }
}

int orma_line_editor_read(struct orma_line_editor *self, const char *prompt, struct orma_buf *ret)
{
    struct termios terminal;
    int r = set_raw(&terminal);

    if (r < 0)
        return r;
    orma_buf_clear(&self->text);
    self->prompt = prompt;
    self->at = 0;
    self->shown = self->num;
    fflush(stdout);
    r = read_line(self);
    (void)tcsetattr(STDIN_FILENO, TCSADRAIN, &terminal); /* as good as it gets */
    (void)orma_fd_write_all(STDOUT_FILENO, "\n", 1);     /* likewise */
    if (r == 1) {
        add_line(self, orma_buf_str(&self->text));
        orma_buf_clear(ret);
        orma_buf_put(ret, self->text.data, self->text.len);
        r = ret->failed ? -ENOMEM : 1;
    }
    return r;
}
