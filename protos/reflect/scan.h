/*
 * Scanner of text with positions, for the text parser; the JSON parser, which has a reader of its
 * own (json_reader.h), takes from here how an error is shown. Private to protos/reflect.
 *
 * It reads from memory, or through a window from a source of any size; the window
 * keeps the line that is being read, for messages like
 *
 *     config.pbtxt:3:9 error: "BufferConfig" has no field "size"; did you mean "size_kb"?
 *       buffers { size: 4 }
 *                 ^~~~
 *
 * Errors are about the current token, which is always on the line in the window.
 * Columns count bytes, from 1. Failure is sticky: after it peek() sees the end.
 */
#ifndef ORMA_PROTOS_REFLECT_SCAN_H
#define ORMA_PROTOS_REFLECT_SCAN_H
#include <stdarg.h>

#include "protos/reflect/io.h"
#include "sdk/base/buf.h"

#define ORMA_SCAN_TOKEN_MAX 1023

struct orma_scan {
    const char *pos, *end;
    const char *line_start; /* of the current line, or of what is kept of it */
    size_t line_cut;        /* bytes of the line that are no longer in the window */
    uint64_t line;          /* from 1 */
    int err;                /* sticky */
    bool at_end;            /* the source is exhausted */
    struct orma_reflect_source source;
    char *window; /* NULL when reading from memory */
    const char *file;
    struct orma_buf *error; /* receives the message; may be NULL */
    /* The current token. */
    uint64_t col;
    size_t back; /* the caret of an error begins so many bytes earlier: at a sign */
    size_t len;
    char text[ORMA_SCAN_TOKEN_MAX + 1];
};

/* `file` names the input in messages; NULL: "-". */
void orma_scan_init_memory(struct orma_scan *self, struct orma_str text, const char *file,
                           struct orma_buf *error);

/* 0, -ENOMEM. */
int orma_scan_init_source(struct orma_scan *self, struct orma_reflect_source source,
                          const char *file, struct orma_buf *error);
void orma_scan_fini(struct orma_scan *self);

/* More of the source into the window. False at the end and after failure. */
bool orma_scan_refill(struct orma_scan *self);

/* The next byte, -1 at the end. */
static inline int orma_scan_peek(struct orma_scan *self)
{
    if (self->pos == self->end && !orma_scan_refill(self))
        return -1;
    return (unsigned char)*self->pos;
}

/* Goes behind the byte that was seen. */
static inline void orma_scan_skip(struct orma_scan *self)
{
    if (*self->pos++ == '\n') {
        self->line++;
        self->line_start = self->pos;
        self->line_cut = 0;
    }
}

/* The current token begins here. */
static inline void orma_scan_mark(struct orma_scan *self)
{
    self->col = self->line_cut + (uint64_t)(self->pos - self->line_start) + 1;
    self->back = 0;
    self->len = 0;
    self->text[0] = '\0';
}

/* The current token is `len` bytes at `at`, further on in a text in memory. */
void orma_scan_move(struct orma_scan *self, const char *at, size_t len);

/* Adds the byte that was seen to the token and goes behind it; fails when it grows too long. */
bool orma_scan_take(struct orma_scan *self);

/* Some editors begin a UTF-8 text with a mark, which is not part of it. 0, or the failure. */
int orma_scan_skip_mark(struct orma_scan *self);

/* "file:line:col error: ..." with the line and a caret. Returns -EBADMSG; only the first counts. */
int orma_scan_fail(struct orma_scan *self, const char *fmt, ...) ORMA_PRINTF(2, 3);

static inline bool orma_scan_is_letter(int c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static inline bool orma_scan_is_digit(int c)
{
    return c >= '0' && c <= '9';
}
#endif
