/* Metadata of CTF 1.8: text to tokens. */
#include "processor/import/formats/ctf_tsdl.h"

#include <stdarg.h>
#include <stdio.h>

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

void orma_ctf_fail(struct orma_ctf *self, unsigned line, const char *fmt, ...)
{
    char text[300];
    va_list args;
    int n = 0;

    if (self->failed)
        return;
    self->failed = true;
    if (line)
        n = snprintf(text, sizeof(text), "line %u: ", line);
    va_start(args, fmt);
    (void)vsnprintf(text + n, sizeof(text) - (size_t)n, fmt, args);
    va_end(args);
    const char *copy = orma_arena_strdup(&self->arena, orma_str_from(text));
    self->error = orma_str_from(copy ? copy : "no memory");
}

void orma_ctf_parser_fail(struct orma_ctf_parser *p, const char *what)
{
    const struct orma_str near = p->token.text;

    orma_ctf_fail(p->self, p->token.line, "%s at '%.*s'", what, (int)ORMA_MIN(near.len, (size_t)40),
                  near.data ? near.data : "");
    p->at = p->end;
    p->token = (struct orma_ctf_token){.type = ORMA_CTF_END, .line = p->token.line};
}

/* Blanks and comments. */
static void skip(struct orma_ctf_parser *p)
{
    while (p->at < p->end) {
        const size_t left = (size_t)(p->end - p->at);

        if (*p->at == '\n') {
            p->line++;
            p->at++;
        } else if (*p->at == ' ' || *p->at == '\t' || *p->at == '\r' || *p->at == '\f' || !*p->at) {
            p->at++;
        } else if (left >= 2 && p->at[0] == '/' && p->at[1] == '/') {
            const char *end = memchr(p->at, '\n', left);

            p->at = end ? end : p->end;
        } else if (left >= 2 && p->at[0] == '/' && p->at[1] == '*') {
            const char *end = left > 3 ? memmem(p->at + 2, left - 2, "*/", 2) : NULL;

            for (const char *c = p->at; c < (end ? end : p->end); c++)
                p->line += *c == '\n';
            p->at = end ? end + 2 : p->end;
        } else {
            return;
        }
    }
}

static unsigned digit_of(char c)
{
    return is_digit(c)            ? (unsigned)(c - '0')
           : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a' + 10)
           : c >= 'A' && c <= 'F' ? (unsigned)(c - 'A' + 10)
                                  : 99;
}

/* One letter of a text or a character constant, at which the parser stands. */
static char escaped(struct orma_ctf_parser *p)
{
    static const char names[] = "ntrabfv0", means[] = "\n\t\r\a\b\f\v";
    char c = *p->at++;
    unsigned val = 0, n = 0;

    if (c != '\\' || p->at == p->end)
        return c;
    c = *p->at++;
    if (c == 'x') {
        for (; n < 2 && p->at < p->end && digit_of(*p->at) < 16; n++)
            val = val * 16 + digit_of(*p->at++);
        return (char)val;
    }
    if (c >= '0' && c <= '7') {
        for (val = (unsigned)(c - '0'); n < 2 && p->at < p->end && digit_of(*p->at) < 8; n++)
            val = val * 8 + digit_of(*p->at++);
        return (char)val;
    }
    const char *known = strchr(names, c);
    return c && known && *known != '0' ? means[known - names] : c;
}

static void quoted(struct orma_ctf_parser *p)
{
    const char *begin = ++p->at, *at = begin;
    char *copy;
    size_t len = 0;

    while (at < p->end && *at != '"')
        at += *at == '\\' && at + 1 < p->end ? 2 : 1;
    copy = at < p->end ? orma_arena_alloc(&p->self->arena, (size_t)(at - begin) + 1) : NULL;
    if (!copy) {
        orma_ctf_parser_fail(p, "a text without an end");
        return;
    }
    while (p->at < at) {
        p->line += *p->at == '\n';
        copy[len++] = escaped(p);
    }
    copy[len] = 0;
    p->at = at + 1;
    p->token.type = ORMA_CTF_QUOTED;
    p->token.text = (struct orma_str){copy, strlen(copy)};
}

static void number(struct orma_ctf_parser *p)
{
    const char *begin = p->at;
    unsigned base = 10;
    uint64_t val = 0;

    if (*p->at == '0' && p->at + 1 < p->end && (p->at[1] == 'x' || p->at[1] == 'X')) {
        base = 16;
        p->at += 2;
    } else if (*p->at == '0' && p->at + 1 < p->end && (p->at[1] == 'b' || p->at[1] == 'B')) {
        base = 2;
        p->at += 2;
    } else if (*p->at == '0') {
        base = 8;
    }
    for (; p->at < p->end && digit_of(*p->at) < base; p->at++)
        if (__builtin_mul_overflow(val, base, &val) ||
            __builtin_add_overflow(val, digit_of(*p->at), &val)) {
            orma_ctf_parser_fail(p, "a number of more than 64 bits");
            return;
        }
    while (p->at < p->end && strchr("uUlL", *p->at) && *p->at)
        p->at++;
    p->token.type = ORMA_CTF_NUMBER;
    p->token.number = val;
    p->token.text = (struct orma_str){begin, (size_t)(p->at - begin)};
    if (p->at < p->end && (is_letter(*p->at) || is_digit(*p->at)))
        orma_ctf_parser_fail(p, "a malformed number");
}

static void sign(struct orma_ctf_parser *p)
{
    static const char *const longer[] = {":=", "...", "->"};
    const struct orma_str rest = {p->at, (size_t)(p->end - p->at)};
    size_t len = 1;

    for (unsigned i = 0; i < ORMA_ARRAY_LEN(longer); i++)
        if (orma_str_starts(rest, orma_str_from(longer[i])))
            len = strlen(longer[i]);
    p->token.type = ORMA_CTF_SIGN;
    p->token.text = (struct orma_str){p->at, len};
    p->at += len;
}

void orma_ctf_parser_next(struct orma_ctf_parser *p)
{
    skip(p);
    p->token = (struct orma_ctf_token){.type = ORMA_CTF_END, .line = p->line};
    if (p->at == p->end || orma_ctf_parser_failed(p))
        return;
    if (is_letter(*p->at)) {
        const char *begin = p->at;

        while (p->at < p->end && (is_letter(*p->at) || is_digit(*p->at)))
            p->at++;
        p->token.type = ORMA_CTF_WORD;
        p->token.text = (struct orma_str){begin, (size_t)(p->at - begin)};
    } else if (is_digit(*p->at)) {
        number(p);
    } else if (*p->at == '"') {
        quoted(p);
    } else if (*p->at == '\'' && p->end - p->at >= 3) {
        p->at++;
        p->token.number = (uint64_t)(int64_t)escaped(p);
        p->token.type = ORMA_CTF_NUMBER;
        if (p->at == p->end || *p->at++ != '\'')
            orma_ctf_parser_fail(p, "a malformed character");
    } else {
        sign(p);
    }
}

bool orma_ctf_parser_take(struct orma_ctf_parser *p, const char *text)
{
    if (!orma_ctf_parser_is(p, text))
        return false;
    orma_ctf_parser_next(p);
    return true;
}

bool orma_ctf_parser_need(struct orma_ctf_parser *p, const char *text)
{
    char what[40];

    if (orma_ctf_parser_take(p, text))
        return true;
    (void)snprintf(what, sizeof(what), "no '%.20s'", text);
    orma_ctf_parser_fail(p, what);
    return false;
}

bool orma_ctf_parser_number(struct orma_ctf_parser *p, uint64_t *ret)
{
    bool negative = false;

    while (orma_ctf_parser_is(p, "-") || orma_ctf_parser_is(p, "+")) {
        negative ^= *p->token.text.data == '-';
        orma_ctf_parser_next(p);
    }
    if (p->token.type != ORMA_CTF_NUMBER) {
        orma_ctf_parser_fail(p, "no number");
        return false;
    }
    *ret = negative ? -p->token.number : p->token.number;
    orma_ctf_parser_next(p);
    return true;
}

bool orma_ctf_parser_name(struct orma_ctf_parser *p, struct orma_str *ret)
{
    if (p->token.type != ORMA_CTF_WORD && p->token.type != ORMA_CTF_QUOTED) {
        orma_ctf_parser_fail(p, "no name");
        return false;
    }
    *ret = p->token.text;
    orma_ctf_parser_next(p);
    return true;
}
