/*
 * The text is a window: all of it in memory, or a buffer that is refilled from a source
 * while the current token stays in it. Line and column are counted as bytes are consumed.
 * The first failure is kept and formatted with its line and a caret.
 */
#include "protos/reflect/scan.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "sdk/base/assert.h"
#include "sdk/base/utf8.h"

#define WINDOW_SIZE 65536
#define LINE_KEPT_MAX 4096 /* of a long line, behind the position */
#define LINE_SHOWN_MAX 160 /* in a message */

void orma_scan_init_memory(struct orma_scan *self, struct orma_str text, const char *file,
                           struct orma_buf *error)
{
    static const char empty[] = "";

    self->pos = self->line_start = text.data ? text.data : empty;
    self->end = self->pos + text.len;
    self->line_cut = 0;
    self->line = 1;
    self->err = 0;
    self->at_end = true;
    self->window = NULL;
    self->file = file ? file : "-";
    self->error = error;
    orma_scan_mark(self);
}

int orma_scan_init_source(struct orma_scan *self, struct orma_reflect_source source,
                          const char *file, struct orma_buf *error)
{
    char *window = malloc(WINDOW_SIZE);

    orma_scan_init_memory(self, (struct orma_str){window, 0}, file, error);
    if (!window)
        return -ENOMEM;
    self->window = window;
    self->source = source;
    self->at_end = false;
    return 0;
}

void orma_scan_fini(struct orma_scan *self)
{
    free(self->window);
    self->window = NULL;
}

bool orma_scan_refill(struct orma_scan *self)
{
    if (self->at_end || self->err)
        return false;
    size_t kept = (size_t)(self->end - self->line_start);
    size_t cut = kept > LINE_KEPT_MAX ? kept - LINE_KEPT_MAX : 0;

    kept -= cut;
    self->line_cut += cut;
    memmove(self->window, self->end - kept, kept);
    self->line_start = self->window;
    self->pos = self->end = self->window + kept;
    ssize_t n = self->source.read(self->source.ctx, self->window + kept, WINDOW_SIZE - kept);
    if (n < 0) {
        self->err = (int)n;
        if (self->error)
            orma_buf_printf(self->error, "%s: %s\n", self->file, strerror((int)-n));
    }
    self->at_end = n <= 0;
    self->end += n > 0 ? n : 0;
    return n > 0;
}

void orma_scan_move(struct orma_scan *self, const char *at, size_t len)
{
    const char *newline;

    ORMA_ASSERT(!self->window && self->pos <= at && at <= self->end);
    while ((newline = memchr(self->pos, '\n', (size_t)(at - self->pos)))) {
        self->pos = newline;
        orma_scan_skip(self);
    }
    self->pos = at;
    orma_scan_mark(self);
    self->len = len;
}

bool orma_scan_take(struct orma_scan *self)
{
    if (self->len == ORMA_SCAN_TOKEN_MAX) {
        orma_scan_fail(self, "more than %d bytes in one word", ORMA_SCAN_TOKEN_MAX);
        return false;
    }
    self->text[self->len++] = *self->pos;
    self->text[self->len] = '\0';
    orma_scan_skip(self);
    return true;
}

int orma_scan_skip_mark(struct orma_scan *self)
{
    static const char mark[] = "\xef\xbb\xbf";

    if (orma_scan_peek(self) != (unsigned char)mark[0])
        return self->err;
    orma_scan_mark(self);
    for (int i = 0; mark[i]; i++) {
        if (orma_scan_peek(self) != (unsigned char)mark[i])
            return orma_scan_fail(self, "this is no text");
        orma_scan_skip(self);
    }
    self->line_start = self->pos;
    return self->err;
}

/* Control bytes and bad UTF-8 would disturb the terminal; tabs stay, so that carets stand below. */
static void put_visible(struct orma_buf *out, const char *text, size_t len)
{
    for (size_t i = 0; i < len;) {
        size_t n = orma_utf8_len((struct orma_str){text + i, len - i});
        unsigned char c = (unsigned char)text[i];

        if (!n || (c < ' ' && c != '\t') || c == 0x7f)
            orma_buf_put_byte(out, '?');
        else
            orma_buf_put(out, text + i, n);
        i += n ? n : 1;
    }
}

/* The line with a caret below column col; of a long line what is around it. */
static void put_line(struct orma_scan *self)
{
    size_t at = (size_t)(self->col - self->back - 1);

    at = at < self->line_cut ? 0 : at - self->line_cut;
    /* What follows in the line may not have been read yet; a window always has room for some. */
    while ((size_t)(self->end - self->line_start) < at + LINE_SHOWN_MAX && !self->at_end &&
           !memchr(self->line_start, '\n', (size_t)(self->end - self->line_start))) {
        size_t before = (size_t)(self->pos - self->line_start);
        size_t cut = self->line_cut;

        if (!orma_scan_refill(self))
            break;
        at -= ORMA_MIN(at, (size_t)(self->line_cut - cut));
        self->pos = self->line_start + before - ORMA_MIN(before, (size_t)(self->line_cut - cut));
    }
    size_t len = (size_t)(self->end - self->line_start);
    const char *newline = len ? memchr(self->line_start, '\n', len) : NULL;
    if (newline)
        len = (size_t)(newline - self->line_start);
    if (len && self->line_start[len - 1] == '\r')
        len--;
    size_t from = at > LINE_SHOWN_MAX / 2 ? at - LINE_SHOWN_MAX / 2 : 0;
    while (from && from < len && ((unsigned char)self->line_start[from] & 0xc0) == 0x80)
        from--; /* do not begin inside a character */
    from = ORMA_MIN(from, len);
    size_t shown = ORMA_MIN(len - from, (size_t)LINE_SHOWN_MAX);

    if (!len)
        return; /* nothing to point at: the end of the text */
    put_visible(self->error, self->line_start + from, shown);
    orma_buf_put_byte(self->error, '\n');
    for (size_t i = from; i < at;) {
        size_t n = i < len ? orma_utf8_len((struct orma_str){self->line_start + i, len - i}) : 1;

        orma_buf_put_byte(self->error, i < len && self->line_start[i] == '\t' ? '\t' : ' ');
        i += n ? n : 1;
    }
    orma_buf_put_byte(self->error, '^');
    for (size_t i = 1; i < self->len + self->back && at + i < from + shown; i++)
        orma_buf_put_byte(self->error, '~');
    orma_buf_put_byte(self->error, '\n');
}

int orma_scan_fail(struct orma_scan *self, const char *fmt, ...)
{
    char text[1024];
    va_list args;

    if (self->err)
        return self->err;
    if (self->error) {
        va_start(args, fmt);
        (void)vsnprintf(text, sizeof(text), fmt, args); /* cut when too long */
        va_end(args);
        orma_buf_printf(self->error, "%s:%llu:%llu error: ", self->file,
                        (unsigned long long)self->line,
                        (unsigned long long)(self->col - self->back));
        put_visible(self->error, text, strlen(text));
        orma_buf_put_byte(self->error, '\n');
        put_line(self);
    }
    if (!self->err)
        self->err = -EBADMSG;
    self->at_end = true;
    self->pos = self->end;
    return self->err;
}
