/*
 * An error of a script: what is wrong, and the traceback of where.
 *
 *   Traceback (most recent call last):
 *     File "stdin" line 1 col 15
 *       SELECT * FROM nope
 *                     ^
 *   no such table: nope
 *
 * It is set once, where the error happens, and then wrapped with the frames of
 * whoever asked for that: outermost frames come first. Setting it again, or
 * wrapping one that is not set, does nothing.
 */
#ifndef ORMA_PROCESSOR_SQL_DIALECT_ERROR_H
#define ORMA_PROCESSOR_SQL_DIALECT_ERROR_H
#include "processor/sql/dialect/text.h"

#define ORMA_SQL_FRAMES_MAX 40

struct orma_sql_error {
    bool set;
    unsigned wraps; /* frames beyond ORMA_SQL_FRAMES_MAX are left out: recursion has many */
    struct orma_buf expanded; /* the statement after macro expansion, when there was one */
    struct orma_buf frames;
    struct orma_buf message;
};

void orma_sql_error_fini(struct orma_sql_error *self);
void orma_sql_error_clear(struct orma_sql_error *self);

/* An error at byte `at` of `text`; text may be NULL: no traceback. Always returns -EBADMSG. */
int orma_sql_error_set(struct orma_sql_error *self, const struct orma_sql_text *text, uint32_t at,
                       const char *fmt, ...) ORMA_PRINTF(4, 5);
int orma_sql_error_setv(struct orma_sql_error *self, const struct orma_sql_text *text, uint32_t at,
                        const char *fmt, va_list args) ORMA_PRINTF(4, 0);

/* Out of memory. Returns -ENOMEM. */
int orma_sql_error_oom(struct orma_sql_error *self);

/* The error happened below the statement at `at` of `text`. */
void orma_sql_error_wrap(struct orma_sql_error *self, const struct orma_sql_text *text,
                         uint32_t at);

/* All of it as text, without a newline at the end. */
void orma_sql_error_put(const struct orma_sql_error *self, struct orma_buf *out);
#endif
