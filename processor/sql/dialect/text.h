/*
 * SQL text that remembers where each piece of it came from.
 *
 * A source is a text somebody wrote (a query, a module, the body of a macro)
 * with the name that errors use for it. A text is what is given to SQLite:
 * pieces of sources, put together by macro expansion and rewriting.
 *
 *   text     SELECT * FROM (SELECT a FROM t) WHERE b
 *   pieces   |------------||-------|     |-|--------|
 *            source 0      source 1     ^ source 0
 *                          (a macro)    source 0, as its argument
 *
 * Each piece names the macro call which put it there, each call the piece of
 * text in which it stands, and so on to the query: that is the traceback.
 * Threads: none. Failure is sticky in `failed` (out of memory, or too long).
 */
#ifndef ORMA_PROCESSOR_SQL_DIALECT_TEXT_H
#define ORMA_PROCESSOR_SQL_DIALECT_TEXT_H
#include "sdk/base/buf.h"

/* Longest text that expansion may make. */
#define ORMA_SQL_EXPANDED_MAX ((size_t)64 << 20)

struct orma_sql_source {
    unsigned refs;
    char *name; /* File "stdin", Macro "m" */
    char *text; /* terminated */
    size_t len;
};

/* Copies both. NULL when out of memory. */
struct orma_sql_source *orma_sql_source_new(const char *name, struct orma_str text);
struct orma_sql_source *orma_sql_source_ref(struct orma_sql_source *self);
void orma_sql_source_unref(struct orma_sql_source *self);
ORMA_DEFINE_AUTO(struct orma_sql_source *, orma_sql_source_unref)

static inline struct orma_str orma_sql_source_str(const struct orma_sql_source *self)
{
    return (struct orma_str){self->text, self->len};
}

#define ORMA_SQL_NO_CALL UINT32_MAX

/* A place in a source, as used by one macro call. */
struct orma_sql_origin {
    struct orma_sql_source *source; /* kept by the text */
    uint32_t at;
    uint32_t call; /* index of orma_sql_text.calls, or ORMA_SQL_NO_CALL */
};

struct orma_sql_piece {
    uint32_t at; /* where it begins in the text; it ends where the next one begins */
    bool fixed;  /* made up: all of it comes from one place */
    struct orma_sql_origin origin;
};

struct orma_sql_text {
    struct orma_buf buf;
    struct orma_buf pieces;  /* struct orma_sql_piece[] */
    struct orma_buf calls;   /* struct orma_sql_origin[]: where each macro call stands */
    struct orma_buf sources; /* struct orma_sql_source *[] */
    bool failed;
};

void orma_sql_text_fini(struct orma_sql_text *self);
void orma_sql_text_clear(struct orma_sql_text *self);

static inline struct orma_str orma_sql_text_str(const struct orma_sql_text *self)
{
    return orma_buf_str(&self->buf);
}

/* True if a macro was expanded into it. */
static inline bool orma_sql_text_is_expanded(const struct orma_sql_text *self)
{
    return self->calls.len > 0;
}

/* Keeps `source` alive as long as the text. */
void orma_sql_text_hold(struct orma_sql_text *self, struct orma_sql_source *source);

/* Registers a macro call that stands at `where`; the index for the origins of what it makes. */
uint32_t orma_sql_text_add_call(struct orma_sql_text *self, struct orma_sql_origin where);

/* Appends bytes of origin.source from origin.at on. */
void orma_sql_text_put(struct orma_sql_text *self, struct orma_sql_origin origin, uint32_t len);

/* Appends words of our own, shown in errors as if they stood at `where`. */
void orma_sql_text_put_made(struct orma_sql_text *self, struct orma_sql_origin where,
                            struct orma_str words);

/* Appends a slice of another text which has the same calls. */
void orma_sql_text_put_text(struct orma_sql_text *self, const struct orma_sql_text *from,
                            uint32_t at, uint32_t len);

/* Takes over calls and sources (but no text) of another text, so that slices of it can follow. */
void orma_sql_text_inherit(struct orma_sql_text *self, const struct orma_sql_text *from);

/* Where the byte at `at` came from; .source is NULL in an empty text. */
struct orma_sql_origin orma_sql_text_origin(const struct orma_sql_text *self, uint32_t at);

/* Frames for the place `at`, outermost first, two blanks and four blanks deep. */
void orma_sql_text_put_frames(const struct orma_sql_text *self, uint32_t at, struct orma_buf *out);

/* The line around `at`, cut to 128 characters on either side, and a caret below it. */
void orma_sql_text_put_caret(struct orma_str text, uint32_t at, unsigned indent,
                             struct orma_buf *out);
#endif
