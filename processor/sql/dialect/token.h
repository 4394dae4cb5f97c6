/*
 * Tokenizer for SQLite's SQL and for what PerfettoSQL adds to it.
 *
 * Tokens are slices of the text, found one at a time; nothing is copied. Any
 * bytes are accepted: what belongs to no token is ORMA_TOK_BAD, one byte or one
 * unterminated literal long, and the scan goes on. U+00A0 is a blank.
 */
#ifndef ORMA_PROCESSOR_SQL_DIALECT_TOKEN_H
#define ORMA_PROCESSOR_SQL_DIALECT_TOKEN_H
#include "sdk/base/str.h"

enum orma_tok {
    ORMA_TOK_END,
    ORMA_TOK_SPACE,
    ORMA_TOK_COMMENT,
    ORMA_TOK_WORD,     /* identifier or keyword */
    ORMA_TOK_QUOTED,   /* "x", `x`, [x] */
    ORMA_TOK_STRING,   /* 'x' */
    ORMA_TOK_BLOB,     /* x'00' */
    ORMA_TOK_NUMBER,   /* digits may be grouped: 1_000 */
    ORMA_TOK_VARIABLE, /* $x, :x, @x, ?1 */
    ORMA_TOK_OPERATOR,
    ORMA_TOK_DOT,
    ORMA_TOK_BANG, /* ! alone: a macro call when a word stands before it */
    ORMA_TOK_COMMA,
    ORMA_TOK_OPEN,
    ORMA_TOK_CLOSE,
    ORMA_TOK_SEMICOLON,
    ORMA_TOK_BAD,
};

struct orma_token {
    enum orma_tok kind;
    uint32_t at, len; /* bytes of the text */
};

/* Longest text that is tokenized; offsets are 32 bits wide. */
#define ORMA_SQL_TEXT_MAX ((size_t)256 << 20)

/* The token that begins at `at`; ORMA_TOK_END of length 0 at the end. */
struct orma_token orma_token_next(struct orma_str text, uint32_t at);

/* The next token from `at` on that is neither blank nor comment. */
struct orma_token orma_token_next_solid(struct orma_str text, uint32_t at);

static inline struct orma_str orma_token_text(struct orma_str text, struct orma_token tok)
{
    return (struct orma_str){text.data + tok.at, tok.len};
}

/* ASCII letters without case. */
bool orma_word_eq(struct orma_str a, struct orma_str b);

/* True for a WORD with these letters, in any case. */
static inline bool orma_token_is(struct orma_str text, struct orma_token tok, const char *word)
{
    return tok.kind == ORMA_TOK_WORD &&
           orma_word_eq(orma_token_text(text, tok), orma_str_from(word));
}

/* A whole text that can stand as a bare identifier: a letter or '_', then these and digits. */
bool orma_word_is_plain(struct orma_str s);
#endif
