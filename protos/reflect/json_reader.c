/*
 * A value is found by its end: a string up to its closing quote, a container by counting brackets
 * outside of strings, anything else up to the next separator. Nothing inside a container is looked
 * at before somebody asks for it, so a broken member costs that member and not the object. Strings
 * stay as they stand in the text until orma_json_text() resolves their escapes.
 */
#include "protos/reflect/json_reader.h"

#include "protos/reflect/number.h"
#include "sdk/base/hex.h"
#include "sdk/base/utf8.h"

/* Longest number that is looked at; longer ones are nonsense. */
#define NUMBER_MAX 64

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static const char *skip_blanks(const char *pos, const char *end)
{
    while (pos < end && is_blank(*pos))
        pos++;
    return pos;
}

/* Behind the closing quote; `pos` is behind the opening one. NULL: not whole. */
static const char *skip_string(const char *pos, const char *end, bool *ret_escaped)
{
    while (pos < end) {
        if (*pos == '"')
            return pos + 1;
        if (*pos == '\\') {
            *ret_escaped = true;
            pos++;
        }
        pos++;
    }
    return NULL;
}

const char *orma_json_skip(const char *pos, const char *end)
{
    size_t depth = 0;
    bool escaped;

    while (pos < end) {
        switch (*pos) {
        case '"':
            pos = skip_string(pos + 1, end, &escaped);
            if (!pos || !depth)
                return pos;
            continue;
        case '{':
        case '[':
            depth++;
            break;
        case '}':
        case ']':
            if (depth <= 1) /* its own end, or that of what it lies in */
                return depth ? pos + 1 : pos;
            depth--;
            break;
        case ',':
        case ':':
        case ' ':
        case '\t':
        case '\n':
        case '\r':
            if (!depth)
                return pos;
            break;
        }
        pos++;
    }
    return NULL;
}

static bool fail(struct orma_json *self)
{
    self->failed = true;
    return false;
}

/* Whole text as people write numbers; `sign` too. */
static bool to_double(struct orma_str text, double *ret)
{
    char copy[NUMBER_MAX + 1];
    bool negative = text.len && text.data[0] == '-';

    if (text.len && (negative || text.data[0] == '+')) {
        text.data++;
        text.len--;
    }
    if (!text.len || text.len > NUMBER_MAX || !memchr("0123456789.", text.data[0], 11))
        return false;
    memcpy(copy, text.data, text.len);
    copy[text.len] = '\0';
    if (strspn(copy, "+-0123456789.eE") != text.len || !orma_number_to_double(copy, ret))
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
    return to_double(text, &val);
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

bool orma_json_read(struct orma_json *self, struct orma_json_value *ret)
{
    const char *pos = skip_blanks(self->pos, self->end), *to;

    *ret = (struct orma_json_value){0};
    if (self->failed || pos == self->end)
        return false;
    if (*pos == '"') {
        to = skip_string(pos + 1, self->end, &ret->escaped);
        if (!to)
            return fail(self);
        ret->type = ORMA_JSON_STRING;
        ret->raw = (struct orma_str){pos + 1, (size_t)(to - pos) - 2};
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
    return read_number(ret->raw, ret) || read_word(ret->raw, ret) ? true : fail(self);
}

struct orma_json orma_json_inside(const struct orma_json_value *c)
{
    if (c->type != ORMA_JSON_OBJECT && c->type != ORMA_JSON_ARRAY)
        return (struct orma_json){0};
    return orma_json((struct orma_str){c->raw.data + 1, c->raw.len - 2});
}

/* To the next entry of a container, behind a comma. False at the end. */
static bool next_entry(struct orma_json *self)
{
    self->pos = skip_blanks(self->pos, self->end);
    while (self->pos < self->end && *self->pos == ',')
        self->pos = skip_blanks(self->pos + 1, self->end);
    return !self->failed && self->pos < self->end;
}

bool orma_json_member(struct orma_json *self, struct orma_str *ret_key, struct orma_json_value *ret)
{
    struct orma_json_value key;

    if (!next_entry(self))
        return false;
    if (*self->pos != '"' || !orma_json_read(self, &key))
        return fail(self);
    self->pos = skip_blanks(self->pos, self->end);
    if (self->pos == self->end || *self->pos != ':')
        return fail(self);
    self->pos++;
    *ret_key = key.raw;
    return orma_json_read(self, ret) ? true : fail(self);
}

bool orma_json_element(struct orma_json *self, struct orma_json_value *ret)
{
    return next_entry(self) && (orma_json_read(self, ret) ? true : fail(self));
}

struct orma_json_value orma_json_find(const struct orma_json_value *object, const char *key)
{
    struct orma_json_value v;
    struct orma_str name;

    if (object->type == ORMA_JSON_OBJECT)
        for (struct orma_json o = orma_json_inside(object); orma_json_member(&o, &name, &v);)
            if (orma_str_eq_c(name, key))
                return v;
    return (struct orma_json_value){0};
}

/* ---- texts ---- */

/* Also halves of surrogate pairs that stand alone, as the bytes that would be their code. */
static void put_utf8(struct orma_buf *buf, uint32_t code)
{
    uint8_t bytes[ORMA_UTF8_MAX];

    orma_buf_put(buf, bytes, orma_utf8_encode(code, bytes));
}

/* The four digits behind \u, and a second half if one follows. */
static const char *put_escape_u(struct orma_buf *buf, const char *pos, const char *end)
{
    int c = orma_hex4((struct orma_str){pos, (size_t)(end - pos)}), low;

    if (c < 0) {
        orma_buf_put_byte(buf, 'u');
        return pos;
    }
    pos += 4;
    if (c >= 0xd800 && c < 0xdc00 && end - pos >= 6 && pos[0] == '\\' && pos[1] == 'u' &&
        (low = orma_hex4((struct orma_str){pos + 2, (size_t)(end - pos - 2)})) >= 0xdc00 &&
        low < 0xe000) {
        put_utf8(buf, 0x10000 + ((uint32_t)(c - 0xd800) << 10) + (uint32_t)(low - 0xdc00));
        return pos + 6;
    }
    put_utf8(buf, (uint32_t)c);
    return pos;
}

struct orma_str orma_json_text(const struct orma_json_value *string, struct orma_buf *scratch)
{
    static const char from[] = "nrtbf", to[] = "\n\r\t\b\f";
    const char *pos = string->raw.data, *end = pos + string->raw.len;

    if (!string->escaped)
        return string->raw;
    orma_buf_clear(scratch);
    while (pos < end) {
        if (*pos != '\\' || pos + 1 == end) {
            orma_buf_put_byte(scratch, (uint8_t)*pos++);
            continue;
        }
        char c = pos[1];
        const char *at = c ? strchr(from, c) : NULL;

        pos += 2;
        if (c == 'u')
            pos = put_escape_u(scratch, pos, end);
        else
            orma_buf_put_byte(scratch, (uint8_t)(at ? to[at - from] : c));
    }
    return orma_buf_str(scratch);
}

double orma_json_number(const struct orma_json_value *value)
{
    double val = 0;

    if (value->type == ORMA_JSON_INT)
        return (double)value->integer;
    if (value->type == ORMA_JSON_REAL)
        (void)to_double(value->raw, &val); /* it was checked when it was read */
    return val;
}

bool orma_json_text_number(struct orma_str text, double *ret)
{
    return to_double(text, ret);
}
