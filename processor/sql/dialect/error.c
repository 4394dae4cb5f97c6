#include "processor/sql/dialect/error.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

void orma_sql_error_fini(struct orma_sql_error *self)
{
    orma_buf_fini(&self->expanded);
    orma_buf_fini(&self->frames);
    orma_buf_fini(&self->message);
    self->set = false;
    self->wraps = 0;
}

void orma_sql_error_clear(struct orma_sql_error *self)
{
    orma_buf_clear(&self->expanded);
    orma_buf_clear(&self->frames);
    orma_buf_clear(&self->message);
    self->set = false;
    self->wraps = 0;
}

int orma_sql_error_setv(struct orma_sql_error *self, const struct orma_sql_text *text, uint32_t at,
                        const char *fmt, va_list args)
{
    char *words = NULL;

    if (self->set)
        return -EBADMSG;
    self->set = true;
    if (vasprintf(&words, fmt, args) < 0)
        return orma_sql_error_oom(self);
    orma_buf_put_str(&self->message, words);
    free(words);
    if (!text || !text->pieces.len)
        return -EBADMSG;
    if (orma_sql_text_is_expanded(text)) {
        orma_buf_put_str(&self->expanded, "Fully expanded statement\n");
        orma_sql_text_put_caret(orma_sql_text_str(text), at, 2, &self->expanded);
    }
    orma_sql_text_put_frames(text, at, &self->frames);
    return -EBADMSG;
}

int orma_sql_error_set(struct orma_sql_error *self, const struct orma_sql_text *text, uint32_t at,
                       const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    int r = orma_sql_error_setv(self, text, at, fmt, args);
    va_end(args);
    return r;
}

int orma_sql_error_oom(struct orma_sql_error *self)
{
    if (!self->message.len)
        orma_buf_put_str(&self->message, "out of memory");
    self->set = true;
    return -ENOMEM;
}

void orma_sql_error_wrap(struct orma_sql_error *self, const struct orma_sql_text *text, uint32_t at)
{
    struct orma_buf frames = {0};

    if (!self->set || !text || !text->pieces.len || self->wraps++ >= ORMA_SQL_FRAMES_MAX)
        return;
    orma_sql_text_put_frames(text, at, &frames);
    orma_buf_put(&frames, self->frames.data, self->frames.len);
    orma_buf_fini(&self->frames);
    self->frames = frames;
}

void orma_sql_error_put(const struct orma_sql_error *self, struct orma_buf *out)
{
    orma_buf_put(out, self->expanded.data, self->expanded.len);
    if (self->frames.len) {
        orma_buf_put_str(out, "Traceback (most recent call last):\n");
        orma_buf_put(out, self->frames.data, self->frames.len);
    }
    orma_buf_put(out, self->message.data, self->message.len);
}
