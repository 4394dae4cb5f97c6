/*
 * Blanks, strings, escapes, numbers and words are read by the same functions for both readers.
 *
 * Spans: a value is found by its end: a string up to its closing quote, a container by counting
 * brackets outside of strings, anything else up to the next separator. Nothing inside a container
 * is looked at before somebody asks for it, so a broken member costs that member and not the
 * object. Strings stay as they stand in the text until orma_json_text() resolves their escapes.
 *
 * Cursor: every byte is judged once, in order. A container is entered by reading its bracket and
 * left by the entry that finds the closing one, so no depth is walked twice. The first failure is
 * kept with its place in the text.
 */
#include "protos/reflect/json_reader.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <strings.h>

#include "protos/reflect/json_inline.h"
#include "protos/reflect/number.h"
#include "sdk/base/hex.h"
#include "sdk/base/utf8.h"

/* ---- spans ---- */

static bool fail(struct orma_json *self)
{
    self->failed = true;
    return false;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/*
 * Digits and at most one point among them, where the value can be had exactly: both the digits as a
 * whole number and the power of ten are doubles, so one division rounds as strtod would. Most
 * numbers are such.
 */
static bool to_exact_double(struct orma_str text, double *ret)
{
    static const double tens[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                  1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
    uint64_t whole = 0;
    size_t point = text.len;

    if (FLT_EVAL_METHOD != 0 || text.len > ORMA_ARRAY_LEN(tens) || !is_digit(text.data[0]))
        return false;
    for (size_t i = 0; i < text.len; i++) {
        if (is_digit(text.data[i]))
            whole = whole * 10 + (uint64_t)(text.data[i] - '0');
        else if (text.data[i] == '.' && point == text.len)
            point = i;
        else
            return false;
    }
    if (whole > (uint64_t)1 << 53)
        return false;
    *ret = (double)whole / tens[point == text.len ? 0 : text.len - point - 1];
    return true;
}

/* Whole text as people write numbers; `sign` too. */
static bool to_double(struct orma_str text, double *ret)
{
    char copy[ORMA_JSON_NUMBER_MAX + 1];
    bool negative = text.len && text.data[0] == '-';

    if (text.len && (negative || text.data[0] == '+')) {
        text.data++;
        text.len--;
    }
    if (!text.len || text.len > ORMA_JSON_NUMBER_MAX || !memchr("0123456789.", text.data[0], 11))
        return false;
    memcpy(copy, text.data, text.len);
    copy[text.len] = '\0';
    if (!to_exact_double(text, ret) &&
        (strspn(copy, "+-0123456789.eE") != text.len || !orma_number_to_double(copy, ret)))
        return false;
    if (negative)
        *ret = -*ret;
    return true;
}

static bool read_number(struct orma_str text, struct orma_json_value *ret)
{
    double val;

    if (!text.len || !memchr("-0123456789", text.data[0], 11))
        return false;
    if (orma_str_to_i64(text, &ret->integer)) {
        ret->type = ORMA_JSON_INT;
        return true;
    }
    ret->type = ORMA_JSON_REAL;
    ret->integer = 0;
    return to_double(text, &val);
}

/* NaN and infinities, as programs print them. */
static bool is_not_finite(struct orma_str text, double *ret)
{
    static const struct {
        const char *word;
        double val;
    } words[] = {{"nan", NAN}, {"inf", INFINITY}, {"infinity", INFINITY}};
    const bool negative = text.len && text.data[0] == '-';

    if (text.len && (negative || text.data[0] == '+')) {
        text.data++;
        text.len--;
    }
    for (unsigned i = 0; i < ORMA_ARRAY_LEN(words); i++) {
        if (text.len == strlen(words[i].word) && !strncasecmp(text.data, words[i].word, text.len)) {
            *ret = negative ? -words[i].val : words[i].val;
            return true;
        }
    }
    return false;
}

static bool read_word(struct orma_str text, struct orma_json_value *ret)
{
    if (orma_str_eq(text, ORMA_STR("null"))) {
        ret->type = ORMA_JSON_NULL;
        return true;
    }
    ret->boolean = orma_str_eq(text, ORMA_STR("true"));
    ret->type = ORMA_JSON_BOOL;
    return ret->boolean || orma_str_eq(text, ORMA_STR("false"));
}

/* Whether a word has ended, where another byte would make it something else. */
static bool ends_word(char c)
{
    return c == ',' || c == '}' || c == ']' || c == ':' || orma_json_is_blank(c);
}

bool orma_json_read(struct orma_json *self, struct orma_json_value *ret)
{
    const char *pos = orma_json_skip_blanks(self->pos, self->end), *to;
    struct orma_json_digits digits;
    double val;

    *ret = (struct orma_json_value){0};
    if (self->failed || pos == self->end)
        return false;
    if (*pos == '"') {
        to = orma_json_skip_text(pos + 1, self->end, &ret->escaped);
        if (!to)
            return fail(self);
        ret->type = ORMA_JSON_STRING;
        ret->raw = (struct orma_str){pos + 1, (size_t)(to - pos) - 2};
        self->pos = to;
        return true;
    }
    to = orma_json_plain_number(pos, self->end, ret, &digits);
    if (to && (to == self->end || ends_word(*to))) {
        self->pos = to;
        return true;
    }
    to = orma_json_skip(pos, self->end);
    if (!to && (*pos == '{' || *pos == '['))
        return fail(self);
    if (!to)
        to = self->end;
    ret->raw = (struct orma_str){pos, (size_t)(to - pos)};
    self->pos = to;
    if (*pos == '{' || *pos == '[') {
        ret->type = *pos == '{' ? ORMA_JSON_OBJECT : ORMA_JSON_ARRAY;
        return (to[-1] == '}') == (*pos == '{') ? true : fail(self);
    }
    if (read_number(ret->raw, ret) || read_word(ret->raw, ret))
        return true;
    ret->type = ORMA_JSON_REAL;
    ret->integer = 0;
    return is_not_finite(ret->raw, &val) ? true : fail(self);
}

bool orma_json_resume(struct orma_json *self, const char *before)
{
    self->failed = self->pos <= orma_json_skip_blanks(before, self->end);
    return !self->failed;
}

struct orma_json orma_json_inside(const struct orma_json_value *c)
{
    if (c->type != ORMA_JSON_OBJECT && c->type != ORMA_JSON_ARRAY)
        return (struct orma_json){0};
    return orma_json((struct orma_str){c->raw.data + 1, c->raw.len - 2});
}

/* To the next entry of a container, behind a comma. False at the end. */
static inline bool next_entry(struct orma_json *self)
{
    self->pos = orma_json_skip_blanks(self->pos, self->end);
    while (self->pos < self->end && *self->pos == ',')
        self->pos = orma_json_skip_blanks(self->pos + 1, self->end);
    return !self->failed && self->pos < self->end;
}

bool orma_json_enter(struct orma_json *self, char bracket)
{
    self->pos = orma_json_skip_blanks(self->pos, self->end);
    if (self->failed || self->pos == self->end || *self->pos != bracket)
        return false;
    self->pos++;
    return true;
}

bool orma_json_leave(struct orma_json *self, char bracket)
{
    if (!next_entry(self) || *self->pos != bracket)
        return false;
    self->pos++;
    return true;
}

/* The name that must stand here, up to behind its colon. */
static bool read_name(struct orma_json *self, struct orma_str *ret)
{
    bool escaped;
    const char *begin = self->pos + 1, *to;

    if (*self->pos != '"' || !(to = orma_json_skip_text(begin, self->end, &escaped)))
        return fail(self);
    *ret = (struct orma_str){begin, (size_t)(to - begin) - 1};
    self->pos = orma_json_skip_blanks(to, self->end);
    if (self->pos == self->end || *self->pos != ':')
        return fail(self);
    self->pos++;
    return true;
}

/* Where orma_json_leave() has gone before. */
static inline bool is_at_name(const struct orma_json *self)
{
    return !self->failed && self->pos < self->end && *self->pos == '"';
}

bool orma_json_name(struct orma_json *self, struct orma_str *ret)
{
    return (is_at_name(self) || next_entry(self)) && read_name(self, ret);
}

bool orma_json_member(struct orma_json *self, struct orma_str *ret_key, struct orma_json_value *ret)
{
    return orma_json_name(self, ret_key) && (orma_json_read(self, ret) ? true : fail(self));
}

bool orma_json_element(struct orma_json *self, struct orma_json_value *ret)
{
    return next_entry(self) && (orma_json_read(self, ret) ? true : fail(self));
}

bool orma_json_name_is(struct orma_str name, const char *wanted)
{
    const size_t len = strlen(wanted);

    if (name.len == len || name.len > 12 * len) /* "\\ud83d\\ude00" is one character */
        return name.len == len && !memcmp(name.data, wanted, len);
    if (name.len < len || !memchr(name.data, '\\', name.len))
        return false;
    ORMA_AUTO(orma_buf_fini) struct orma_buf plain = {0};
    const struct orma_json_value v = {.type = ORMA_JSON_STRING, .escaped = true, .raw = name};

    return orma_str_eq_c(orma_json_text(&v, &plain), wanted);
}

struct orma_json_value orma_json_find(const struct orma_json_value *object, const char *key)
{
    struct orma_json_value v;
    struct orma_str name;

    if (object->type == ORMA_JSON_OBJECT)
        for (struct orma_json o = orma_json_inside(object); orma_json_member(&o, &name, &v);)
            if (orma_json_name_is(name, key))
                return v;
    return (struct orma_json_value){0};
}

/* ---- texts ---- */

/* What stands behind a backslash: up to `to`, it means `code`; `wrong` says why it should not. */
struct json_escape {
    const char *to, *wrong;
    uint32_t code;
};

static bool is_half(uint32_t code)
{
    return code >= 0xd800 && code < 0xe000;
}

/* The four digits behind \u, and a second half if one follows. */
static struct json_escape read_escape_u(const char *pos, const char *end)
{
    struct orma_str digits = {pos, (size_t)(end - pos)};
    int code = orma_hex4(digits), low;

    if (code < 0)
        return (struct json_escape){pos, "expected 4 hexadecimal digits in this escape", 'u'};
    pos += 4;
    if (!is_half((uint32_t)code))
        return (struct json_escape){pos, NULL, (uint32_t)code};
    if (code >= 0xdc00)
        return (struct json_escape){pos, "this escape is no Unicode character", (uint32_t)code};
    if (end - pos >= 6 && pos[0] == '\\' && pos[1] == 'u' &&
        (low = orma_hex4((struct orma_str){pos + 2, (size_t)(end - pos - 2)})) >= 0xdc00 &&
        low < 0xe000)
        return (struct json_escape){
            pos + 6, NULL, 0x10000 + ((uint32_t)(code - 0xd800) << 10) + (uint32_t)(low - 0xdc00)};
    return (struct json_escape){pos, "the second half of this character is missing",
                                (uint32_t)code};
}

/* `pos` is behind the backslash. */
static struct json_escape read_escape(const char *pos, const char *end)
{
    static const char from[] = "\"\\/nrtbf", to[] = "\"\\/\n\r\t\b\f";
    static const char unknown[] = "unknown escape in a string";

    if (pos == end)
        return (struct json_escape){pos, unknown, '\\'};
    if (*pos == 'u')
        return read_escape_u(pos + 1, end);
    const char *at = *pos ? strchr(from, *pos) : NULL;
    if (!at)
        return (struct json_escape){pos + 1, unknown, (uint8_t)*pos};
    return (struct json_escape){pos + 1, NULL, (uint8_t)to[at - from]};
}

/* An escape's character. What is no escape is the byte behind the backslash. */
static void put_escape(struct orma_buf *out, const struct json_escape *e, bool replace)
{
    bool half = is_half(e->code);
    uint8_t bytes[ORMA_UTF8_MAX];

    if (e->code < 0x80 || (e->wrong && !half))
        orma_buf_put_byte(out, (uint8_t)e->code);
    else
        orma_buf_put(out, bytes, orma_utf8_encode(half && replace ? 0xfffd : e->code, bytes));
}

/* `replace` halves of surrogate pairs that stand alone; else they stay, as the bytes that would be
 * their code. */
static struct orma_str resolve(const struct orma_json_value *string, bool replace,
                               struct orma_buf *scratch)
{
    const char *pos = string->raw.data, *end = pos + string->raw.len;

    if (!string->escaped)
        return string->raw;
    orma_buf_clear(scratch);
    while (pos < end) {
        const char *to = memchr(pos, '\\', (size_t)(end - pos));

        to = to ? to : end;
        orma_buf_put(scratch, pos, (size_t)(to - pos));
        pos = to;
        if (pos < end) {
            struct json_escape e = read_escape(pos + 1, end);

            put_escape(scratch, &e, replace);
            pos = e.to;
        }
    }
    return orma_buf_str(scratch);
}

struct orma_str orma_json_text(const struct orma_json_value *string, struct orma_buf *scratch)
{
    return resolve(string, false, scratch);
}

double orma_json_number(const struct orma_json_value *value)
{
    double val = 0;

    if (value->type == ORMA_JSON_INT)
        return (double)value->integer;
    if (value->type == ORMA_JSON_REAL && !to_double(value->raw, &val))
        (void)is_not_finite(value->raw, &val); /* it was checked when it was read */
    return val;
}

bool orma_json_text_number(struct orma_str text, double *ret)
{
    return to_double(text, ret);
}

/* ---- to the letter ---- */

/* Takes one or more digits off the front. */
static bool take_digits(struct orma_str *text)
{
    size_t n = 0;

    while (n < text->len && is_digit(text->data[n]))
        n++;
    *text = (struct orma_str){text->data + n, text->len - n};
    return n > 0;
}

static bool take_one_of(struct orma_str *text, char a, char b)
{
    if (!text->len || (*text->data != a && *text->data != b))
        return false;
    *text = (struct orma_str){text->data + 1, text->len - 1};
    return true;
}

/* -?(0|[1-9][0-9]*)(.[0-9]+)?([eE][+-]?[0-9]+)? */
bool orma_json_is_number(struct orma_str text)
{
    (void)take_one_of(&text, '-', '-');
    if (text.len > 1 && text.data[0] == '0' && is_digit(text.data[1]))
        return false;
    if (!take_digits(&text))
        return false;
    if (take_one_of(&text, '.', '.') && !take_digits(&text))
        return false;
    if (take_one_of(&text, 'e', 'E')) {
        (void)take_one_of(&text, '+', '-');
        if (!take_digits(&text))
            return false;
    }
    return !text.len;
}

struct orma_json_cursor orma_json_cursor(struct orma_str text, struct orma_json_rules rules,
                                         struct orma_buf *error)
{
    const char *begin = text.data ? text.data : "";

    return (struct orma_json_cursor){
        .pos = begin, .end = begin + text.len, .rules = rules, .error = error};
}

bool orma_json_cursor_fail(struct orma_json_cursor *self, struct orma_str at, const char *fmt, ...)
{
    va_list args;

    if (self->failed)
        return false;
    self->failed = true;
    self->failed_at = at;
    if (self->error) {
        char text[1024]; /* cut when too long */

        va_start(args, fmt);
        (void)vsnprintf(text, sizeof(text), fmt, args);
        va_end(args);
        orma_buf_put_str(self->error, text);
    }
    return false;
}

struct orma_str orma_json_place(const struct orma_json_value *v)
{
    if (v->type == ORMA_JSON_STRING)
        return (struct orma_str){v->raw.data - 1, 1};
    return v->raw;
}

bool orma_json_cursor_refuse(struct orma_json_cursor *self, const struct orma_json_value *found,
                             const char *expected)
{
    struct orma_str at = orma_json_place(found);

    if (found->type == ORMA_JSON_STRING)
        return orma_json_cursor_fail(self, at, "expected %s, found a string", expected);
    if (!at.len)
        return orma_json_cursor_fail(self, at, "expected %s, but the text ends", expected);
    return orma_json_cursor_fail(self, at, "expected %s, found \"%.*s\"", expected, (int)at.len,
                                 at.data);
}

/* From the opening quote behind the closing one. */
static bool take_string(struct orma_json_cursor *self, struct orma_json_value *ret)
{
    const char *begin = self->pos, *pos = begin + 1;

    while ((pos = orma_json_find_mark(pos, self->end)) < self->end && *pos != '"') {
        if (*pos == '\n')
            break;
        if (*pos != '\\')
            return orma_json_cursor_fail(self, (struct orma_str){pos, 1},
                                         "a control character in a string must be escaped");
        struct json_escape e = read_escape(pos + 1, self->end);

        if (e.wrong && !(self->rules.replace_halves && is_half(e.code)))
            return orma_json_cursor_fail(self, (struct orma_str){pos, (size_t)(e.to - pos)}, "%s",
                                         e.wrong);
        ret->escaped = true;
        pos = e.to;
    }
    if (pos == self->end || *pos != '"')
        return orma_json_cursor_fail(self, (struct orma_str){begin, 1},
                                     "this string is not closed on its line");
    ret->type = ORMA_JSON_STRING;
    ret->raw = (struct orma_str){begin + 1, (size_t)(pos - begin) - 1};
    self->pos = pos + 1;
    return true;
}

static bool is_word_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_' ||
           c == '.' || c == '+' || c == '-';
}

/* A number, or a word; a word that means nothing is left where it is. */
static bool take_word(struct orma_json_cursor *self, struct orma_json_value *ret)
{
    const char *to = self->pos;

    while (to < self->end && is_word_byte(*to))
        to++;
    ret->raw = (struct orma_str){self->pos, (size_t)(to - self->pos)};
    if (ret->raw.len > self->rules.word_max) {
        ret->raw.len = self->rules.word_max;
        return orma_json_cursor_fail(self, ret->raw, "more than %u bytes in one word",
                                     self->rules.word_max);
    }
    if (*self->pos == '-' || is_digit(*self->pos)) {
        if (!orma_json_is_number(ret->raw))
            return orma_json_cursor_fail(self, ret->raw, "\"%.*s\" is no number", (int)ret->raw.len,
                                         ret->raw.data);
        ret->type = orma_str_to_i64(ret->raw, &ret->integer) ? ORMA_JSON_INT : ORMA_JSON_REAL;
    } else if (!read_word(ret->raw, ret)) {
        ret->type = ORMA_JSON_NONE;
        return true;
    }
    self->pos = to;
    return true;
}

bool orma_json_cursor_read(struct orma_json_cursor *self, struct orma_json_value *ret)
{
    *ret = (struct orma_json_value){0};
    if (self->failed)
        return false;
    self->pos = orma_json_skip_blanks(self->pos, self->end);
    ret->raw = (struct orma_str){self->pos, self->pos < self->end};
    if (!ret->raw.len)
        return true;
    if (*self->pos == '"')
        return take_string(self, ret);
    if (is_word_byte(*self->pos))
        return take_word(self, ret);
    if (*self->pos == '{' || *self->pos == '[') {
        ret->type = *self->pos == '{' ? ORMA_JSON_OBJECT : ORMA_JSON_ARRAY;
        self->pos++;
        self->opened = true;
    }
    return true;
}

/* Something else stands here than what must. */
static bool refuse_next(struct orma_json_cursor *self, const char *expected)
{
    struct orma_json_value found;

    return orma_json_cursor_read(self, &found) && orma_json_cursor_refuse(self, &found, expected);
}

static bool take(struct orma_json_cursor *self, char c)
{
    self->pos = orma_json_skip_blanks(self->pos, self->end);
    if (self->pos == self->end || *self->pos != c)
        return false;
    self->pos++;
    return true;
}

/* To the next entry of the container that was entered last. False behind its end. */
static bool cursor_entry(struct orma_json_cursor *self, char close)
{
    bool first = self->opened;

    self->opened = false;
    if (self->failed || take(self, close))
        return false;
    if (first || take(self, ','))
        return true;
    return refuse_next(self, close == '}' ? "\",\" or \"}\"" : "\",\" or \"]\"");
}

bool orma_json_cursor_key(struct orma_json_cursor *self, struct orma_json_value *ret)
{
    if (!cursor_entry(self, '}') || !orma_json_cursor_read(self, ret))
        return false;
    return ret->type == ORMA_JSON_STRING ||
           orma_json_cursor_refuse(self, ret, "the name of a field in quotes");
}

bool orma_json_cursor_value(struct orma_json_cursor *self, struct orma_json_value *ret)
{
    return (take(self, ':') || refuse_next(self, "\":\"")) && orma_json_cursor_read(self, ret);
}

bool orma_json_cursor_element(struct orma_json_cursor *self, struct orma_json_value *ret)
{
    return cursor_entry(self, ']') && orma_json_cursor_read(self, ret);
}

bool orma_json_cursor_skip(struct orma_json_cursor *self, const struct orma_json_value *value,
                           unsigned depth)
{
    struct orma_json_value v;

    if (value->type == ORMA_JSON_NONE)
        return orma_json_cursor_refuse(self, value, "a value");
    if (value->type != ORMA_JSON_ARRAY && value->type != ORMA_JSON_OBJECT)
        return true;
    if (!orma_json_cursor_may_enter(self, value, depth))
        return false;
    if (value->type == ORMA_JSON_ARRAY)
        while (orma_json_cursor_element(self, &v) && orma_json_cursor_skip(self, &v, depth + 1))
            ;
    else
        while (orma_json_cursor_key(self, &v) && orma_json_cursor_value(self, &v) &&
               orma_json_cursor_skip(self, &v, depth + 1))
            ;
    return !self->failed;
}

bool orma_json_cursor_may_enter(struct orma_json_cursor *self,
                                const struct orma_json_value *container, unsigned depth)
{
    return depth < self->rules.depth_max ||
           orma_json_cursor_fail(self, container->raw, "more than %u objects inside one another",
                                 self->rules.depth_max);
}

bool orma_json_cursor_end(struct orma_json_cursor *self, const char *expected)
{
    if (self->failed)
        return false;
    self->pos = orma_json_skip_blanks(self->pos, self->end);
    return self->pos == self->end || refuse_next(self, expected);
}

struct orma_str orma_json_cursor_text(const struct orma_json_cursor *self,
                                      const struct orma_json_value *string,
                                      struct orma_buf *scratch)
{
    return resolve(string, self->rules.replace_halves, scratch);
}
