/*
 * A scanner like SQLite's own: the first byte selects a function, which gives the length of
 * the token. Nothing is stored: a token is a place, and the next one is found from its end.
 * Spaces and comments are tokens, too; orma_token_next_solid() skips them.
 */
#include "processor/sql/dialect/token.h"

#include <string.h>

#define NBSP_0 0xc2
#define NBSP_1 0xa0

struct cursor {
    const unsigned char *text;
    uint32_t len, pos;
};

static int peek(const struct cursor *c, uint32_t ahead)
{
    return ahead < c->len - c->pos ? c->text[c->pos + ahead] : -1;
}

static bool is_digit(int c)
{
    return c >= '0' && c <= '9';
}

static bool is_hex(int c)
{
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static bool is_letter(int c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/* A bit for each byte that words have: letters, digits, '_', '$', and what is not ASCII. */
static const uint64_t word_bytes[4] = {0x03ff001000000000, 0x07fffffe87fffffe, UINT64_MAX,
                                       UINT64_MAX};

static inline bool is_word_byte(unsigned char c)
{
    return word_bytes[c >> 6] >> (c & 63) & 1;
}

static bool at_nbsp(const struct cursor *c)
{
    return peek(c, 0) == NBSP_0 && peek(c, 1) == NBSP_1;
}

static bool at_word(const struct cursor *c)
{
    return c->pos < c->len && is_word_byte(c->text[c->pos]) && !at_nbsp(c);
}

/* Most bytes of a statement are seen here. */
static void skip_word(struct cursor *c)
{
    const unsigned char *text = c->text;
    uint32_t pos = c->pos;

    while (pos < c->len && is_word_byte(text[pos]) &&
           !(text[pos] == NBSP_0 && pos + 1 < c->len && text[pos + 1] == NBSP_1))
        pos++;
    c->pos = pos;
}

static enum orma_tok scan_space(struct cursor *c)
{
    for (;;) {
        int b = peek(c, 0);

        if (b == ' ' || (b >= '\t' && b <= '\r'))
            c->pos++;
        else if (at_nbsp(c))
            c->pos += 2;
        else
            return ORMA_TOK_SPACE;
    }
}

static enum orma_tok scan_line_comment(struct cursor *c)
{
    const unsigned char *end = memchr(c->text + c->pos, '\n', c->len - c->pos);

    c->pos = end ? (uint32_t)(end - c->text) : c->len;
    return ORMA_TOK_COMMENT;
}

/* As in SQLite a comment that is not closed reaches to the end. */
static enum orma_tok scan_block_comment(struct cursor *c)
{
    const unsigned char *end = c->text + c->len, *at = c->text + c->pos + 2;

    while ((at = memchr(at, '*', (size_t)(end - at))) && at + 1 < end && at[1] != '/')
        at++;
    c->pos = at && at + 1 < end ? (uint32_t)(at - c->text) + 2 : c->len;
    return ORMA_TOK_COMMENT;
}

/* From the opening quote on; a doubled quote is a quote inside. */
static enum orma_tok scan_quoted(struct cursor *c, unsigned char quote, enum orma_tok kind)
{
    for (c->pos++; c->pos < c->len; c->pos++) {
        if (c->text[c->pos] != quote)
            continue;
        if (quote == ']' || peek(c, 1) != quote) {
            c->pos++;
            return kind;
        }
        c->pos++;
    }
    return ORMA_TOK_BAD;
}

static enum orma_tok scan_blob(struct cursor *c)
{
    uint32_t digits = 0;

    for (c->pos += 2; is_hex(peek(c, 0)); c->pos++)
        digits++;
    if (peek(c, 0) == '\'') {
        c->pos++;
        return digits % 2 ? ORMA_TOK_BAD : ORMA_TOK_BLOB;
    }
    return c->pos < c->len ? scan_quoted(c, '\'', ORMA_TOK_BAD) : ORMA_TOK_BAD;
}

/* Digits with single underscores between them. */
static void skip_digits(struct cursor *c, bool (*is)(int))
{
    while (is(peek(c, 0)) || (peek(c, 0) == '_' && is(peek(c, 1)) && is(c->text[c->pos - 1])))
        c->pos++;
}

static enum orma_tok scan_number(struct cursor *c)
{
    if (peek(c, 0) == '0' && (peek(c, 1) | 0x20) == 'x' && is_hex(peek(c, 2))) {
        c->pos += 2;
        skip_digits(c, is_hex);
    } else {
        skip_digits(c, is_digit);
        if (peek(c, 0) == '.') {
            c->pos++;
            skip_digits(c, is_digit);
        }
        int sign = peek(c, 1) == '+' || peek(c, 1) == '-';
        if ((peek(c, 0) | 0x20) == 'e' && is_digit(peek(c, 1 + (uint32_t)sign))) {
            c->pos += 1 + (uint32_t)sign;
            skip_digits(c, is_digit);
        }
    }
    if (!at_word(c))
        return ORMA_TOK_NUMBER;
    skip_word(c);
    return ORMA_TOK_BAD; /* 12abc */
}

static enum orma_tok scan_variable(struct cursor *c)
{
    uint32_t begin = c->pos++;

    if (c->text[begin] == '?') {
        while (is_digit(peek(c, 0)))
            c->pos++;
        return ORMA_TOK_VARIABLE;
    }
    skip_word(c);
    return c->pos - begin > 1 ? ORMA_TOK_VARIABLE : ORMA_TOK_BAD;
}

static enum orma_tok one(struct cursor *c, uint32_t len, enum orma_tok kind)
{
    c->pos += len;
    return kind;
}

static enum orma_tok scan_minus(struct cursor *c)
{
    if (peek(c, 1) == '-')
        return scan_line_comment(c);
    if (peek(c, 1) == '>')
        return one(c, peek(c, 2) == '>' ? 3 : 2, ORMA_TOK_OPERATOR);
    return one(c, 1, ORMA_TOK_OPERATOR);
}

static enum orma_tok scan_operator(struct cursor *c)
{
    int a = peek(c, 0), b = peek(c, 1);
    bool two = (a == '=' && b == '=') || (a == '<' && (b == '=' || b == '>' || b == '<')) ||
               (a == '>' && (b == '=' || b == '>')) || (a == '|' && b == '|');

    return one(c, two ? 2 : 1, ORMA_TOK_OPERATOR);
}

static enum orma_tok scan(struct cursor *c)
{
    int b = peek(c, 0);

    switch (b) {
    case ' ':
    case '\t':
    case '\n':
    case '\v':
    case '\f':
    case '\r':
        return scan_space(c);
    case '-':
        return scan_minus(c);
    case '/':
        return peek(c, 1) == '*' ? scan_block_comment(c) : one(c, 1, ORMA_TOK_OPERATOR);
    case '(':
        return one(c, 1, ORMA_TOK_OPEN);
    case ')':
        return one(c, 1, ORMA_TOK_CLOSE);
    case ',':
        return one(c, 1, ORMA_TOK_COMMA);
    case ';':
        return one(c, 1, ORMA_TOK_SEMICOLON);
    case '!':
        return peek(c, 1) == '=' ? one(c, 2, ORMA_TOK_OPERATOR) : one(c, 1, ORMA_TOK_BANG);
    case '.':
        return is_digit(peek(c, 1)) ? scan_number(c) : one(c, 1, ORMA_TOK_DOT);
    case '\'':
        return scan_quoted(c, '\'', ORMA_TOK_STRING);
    case '"':
    case '`':
        return scan_quoted(c, (unsigned char)b, ORMA_TOK_QUOTED);
    case '[':
        return scan_quoted(c, ']', ORMA_TOK_QUOTED);
    case '$':
    case ':':
    case '@':
    case '?':
        return scan_variable(c);
    case '=':
    case '<':
    case '>':
    case '|':
    case '&':
    case '+':
    case '*':
    case '%':
    case '~':
        return scan_operator(c);
    case 'x':
    case 'X':
        if (peek(c, 1) == '\'')
            return scan_blob(c);
        break;
    }
    if (is_digit(b))
        return scan_number(c);
    if (at_nbsp(c))
        return scan_space(c);
    if (!at_word(c))
        return one(c, 1, ORMA_TOK_BAD);
    skip_word(c);
    return ORMA_TOK_WORD;
}

struct orma_token orma_token_next(struct orma_str text, uint32_t at)
{
    struct cursor c = {(const unsigned char *)text.data, (uint32_t)text.len, at};

    if (at >= text.len)
        return (struct orma_token){ORMA_TOK_END, (uint32_t)text.len, 0};
    enum orma_tok kind = scan(&c);
    return (struct orma_token){kind, at, c.pos - at};
}

struct orma_token orma_token_next_solid(struct orma_str text, uint32_t at)
{
    struct orma_token tok = orma_token_next(text, at);

    while (tok.kind == ORMA_TOK_SPACE || tok.kind == ORMA_TOK_COMMENT)
        tok = orma_token_next(text, tok.at + tok.len);
    return tok;
}

static inline unsigned char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (unsigned char)(c | 0x20) : (unsigned char)c;
}

bool orma_word_eq(struct orma_str a, struct orma_str b)
{
    if (a.len != b.len)
        return false;
    for (size_t i = 0; i < a.len; i++) {
        if (lower(a.data[i]) != lower(b.data[i]))
            return false;
    }
    return true;
}

bool orma_word_is_plain(struct orma_str s)
{
    if (!s.len || !is_letter((unsigned char)s.data[0]))
        return false;
    for (size_t i = 1; i < s.len; i++) {
        if (!is_letter((unsigned char)s.data[i]) && !is_digit((unsigned char)s.data[i]))
            return false;
    }
    return true;
}
