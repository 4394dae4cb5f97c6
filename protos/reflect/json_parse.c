/*
 * Recursive descent over tokens of scan.h, straight into the encoded message:
 *
 *   object -> members -> field by name -> value by the field's type
 *
 * A message is encoded behind a length that is patched at its end (sdk/wire). Packed fields
 * are written as one block; seen.h finds repeated values and oneofs that are set twice.
 * Values of unknown fields are parsed, and dropped if the options permit it.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "protos/reflect/json.h"
#include "protos/reflect/number.h"
#include "protos/reflect/scalar.h"
#include "protos/reflect/scan.h"
#include "protos/reflect/seen.h"
#include "sdk/base/base64.h"
#include "sdk/base/hex.h"
#include "sdk/base/utf8.h"
#include "sdk/wire/pb_writer.h"

enum token {
    TOKEN_END,    /* of the text; also after failure */
    TOKEN_STRING, /* decoded, in `string` */
    TOKEN_NUMBER,
    TOKEN_WORD, /* true, false, null */
    TOKEN_CHAR, /* { } [ ] : , and anything else */
};

struct parser {
    const struct orma_schema *schema;
    struct orma_json_parse *opts;
    struct orma_scan scan;
    enum token token;
    struct orma_buf string; /* the current string, decoded */
    struct orma_buf *out;
    unsigned depth;
    struct orma_seen seen;
};

static int parse_object(struct parser *p, uint32_t msg);

/* ---- tokens ---- */

static int skip_blanks(struct orma_scan *scan)
{
    int c;

    while ((c = orma_scan_peek(scan)) == ' ' || c == '\t' || c == '\n' || c == '\r')
        orma_scan_skip(scan);
    return c;
}

static bool take_hex4(struct orma_scan *scan, uint32_t *ret)
{
    *ret = 0;
    for (int i = 0; i < 4; i++) {
        int digit = orma_hex_digit(orma_scan_peek(scan));

        if (digit < 0 || !orma_scan_take(scan))
            return false;
        *ret = *ret << 4 | (uint32_t)digit;
    }
    return true;
}

/* Behind "\u", which is in the current token. */
static int unicode_escape(struct parser *p)
{
    struct orma_scan *scan = &p->scan;
    uint32_t code, low;

    if (!take_hex4(scan, &code))
        return orma_scan_fail(scan, "expected 4 hexadecimal digits in this escape");
    if (code >= 0xd800 && code < 0xdc00) {
        if (orma_scan_peek(scan) != '\\' || !orma_scan_take(scan) || orma_scan_peek(scan) != 'u' ||
            !orma_scan_take(scan) || !take_hex4(scan, &low) || low < 0xdc00 || low > 0xdfff)
            return orma_scan_fail(scan, "the second half of this character is missing");
        code = 0x10000 + ((code & 0x3ff) << 10) + (low & 0x3ff);
    }
    if (!orma_utf8_put(&p->string, code))
        return orma_scan_fail(scan, "this escape is no Unicode character");
    return 0;
}

static int escape(struct parser *p)
{
    static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";

    orma_scan_mark(&p->scan);
    if (!orma_scan_take(&p->scan))
        return p->scan.err;
    int c = orma_scan_peek(&p->scan);
    const char *at = c > 0 ? strchr(names, c) : NULL;
    if (at) {
        orma_scan_skip(&p->scan);
        orma_buf_put_byte(&p->string, (uint8_t)values[at - names]);
        return 0;
    }
    if (c != 'u' || !orma_scan_take(&p->scan))
        return orma_scan_fail(&p->scan, "unknown escape in a string");
    return unicode_escape(p);
}

/* Behind the opening quote. The current token stays the quote, but for errors in escapes. */
static int take_string(struct parser *p)
{
    struct orma_scan *scan = &p->scan;
    uint64_t begun = scan->col;

    orma_buf_clear(&p->string);
    for (int c; (c = orma_scan_peek(scan)) != '"';) {
        if (c >= ' ' && c != '\\') {
            orma_buf_put_byte(&p->string, (uint8_t)c);
            orma_scan_skip(scan);
            continue;
        }
        if (c == '\\') {
            if (escape(p) < 0)
                return scan->err;
            continue;
        }
        if (c < 0 || c == '\n')
            scan->col = begun;
        else
            orma_scan_mark(scan);
        scan->len = 1;
        return orma_scan_fail(scan, c < 0 || c == '\n'
                                        ? "this string is not closed on its line"
                                        : "a control character in a string must be escaped");
    }
    orma_scan_skip(scan);
    scan->col = begun;
    return p->string.failed ? -ENOMEM : 0;
}

static bool is_word_byte(int c)
{
    return orma_scan_is_letter(c) || orma_scan_is_digit(c) || c == '.' || c == '+' || c == '-';
}

/* -?(0|[1-9][0-9]*)(.[0-9]+)?([eE][+-]?[0-9]+)? */
static bool is_number(const char *s)
{
    s += *s == '-';
    if (*s == '0' && s[1] >= '0' && s[1] <= '9')
        return false;
    size_t digits = strspn(s, "0123456789");
    if (!digits)
        return false;
    s += digits;
    if (*s == '.') {
        digits = strspn(++s, "0123456789");
        if (!digits)
            return false;
        s += digits;
    }
    if (*s == 'e' || *s == 'E') {
        s++;
        s += *s == '+' || *s == '-';
        digits = strspn(s, "0123456789");
        if (!digits)
            return false;
        s += digits;
    }
    return *s == '\0';
}

/* The next token becomes the current one. 0, -ENOMEM, or the scanner's failure. */
static int next(struct parser *p)
{
    struct orma_scan *scan = &p->scan;
    int c = skip_blanks(scan);

    orma_scan_mark(scan);
    p->token = TOKEN_END;
    if (c < 0)
        return scan->err;
    p->token = TOKEN_CHAR;
    if (c == '"') {
        p->token = TOKEN_STRING;
        orma_scan_skip(scan);
        return take_string(p);
    }
    if (!is_word_byte(c))
        return orma_scan_take(scan) ? 0 : scan->err;
    p->token = c == '-' || orma_scan_is_digit(c) ? TOKEN_NUMBER : TOKEN_WORD;
    for (; is_word_byte(c); c = orma_scan_peek(scan))
        if (!orma_scan_take(scan))
            return scan->err;
    if (p->token == TOKEN_NUMBER && !is_number(scan->text))
        return orma_scan_fail(scan, "\"%s\" is no number", scan->text);
    return 0;
}

static bool at_char(const struct parser *p, char c)
{
    return p->token == TOKEN_CHAR && p->scan.text[0] == c;
}

static bool at_word(const struct parser *p, const char *word)
{
    return p->token == TOKEN_WORD && !strcmp(p->scan.text, word);
}

static int expected(struct parser *p, const char *what)
{
    switch (p->token) {
    case TOKEN_END:
        return orma_scan_fail(&p->scan, "expected %s, but the text ends", what);
    case TOKEN_STRING:
        return orma_scan_fail(&p->scan, "expected %s, found a string", what);
    case TOKEN_NUMBER:
    case TOKEN_WORD:
    case TOKEN_CHAR:
        break;
    }
    return orma_scan_fail(&p->scan, "expected %s, found \"%s\"", what, p->scan.text);
}

static const char *name_of(const struct parser *p, const struct orma_field *field)
{
    return orma_field_name(p->schema, field);
}

static const char *describe(uint8_t type)
{
    if (type == ORMA_TYPE_MESSAGE)
        return "an object";
    return type == ORMA_TYPE_BYTES ? "a string of base64" : orma_scalar_describe(type);
}

static int bad_value(struct parser *p, const struct orma_field *field)
{
    char what[256];

    (void)snprintf(what, sizeof(what), "%s for \"%.120s\"", describe(field->type),
                   name_of(p, field));
    return expected(p, what);
}

/* ---- values ---- */

/* The text of a number, from a number or a string; NULL: neither. */
static const char *number_text(struct parser *p)
{
    if (p->token == TOKEN_NUMBER)
        return p->scan.text;
    if (p->token != TOKEN_STRING || memchr(orma_buf_cstr(&p->string), 0, p->string.len))
        return NULL;
    return is_number(orma_buf_cstr(&p->string)) ? orma_buf_cstr(&p->string) : NULL;
}

/* "12", and "1.2e1", which is the same number. False: not an integer, or above 64 bits. */
static bool to_magnitude(const char *text, uint64_t *ret)
{
    double real;

    if (!text[strspn(text, "0123456789")])
        return orma_number_to_u64(text, ret);
    if (!orma_number_to_double(text, &real) || !(real < 18446744073709551616.0))
        return false;
    *ret = (uint64_t)real;
    return (double)*ret == real;
}

static int parse_int(struct parser *p, const struct orma_field *field, uint64_t *ret)
{
    const char *text = number_text(p);
    bool minus = text && text[0] == '-';
    uint64_t val;

    if (!text)
        return bad_value(p, field);
    if (!to_magnitude(text + minus, &val) || !orma_scalar_from_int(field->type, val, minus, ret))
        return orma_scan_fail(&p->scan, "%.100s is out of range for \"%s\": expected %s", text,
                              name_of(p, field), describe(field->type));
    return next(p);
}

static int parse_real(struct parser *p, const struct orma_field *field, uint64_t *ret)
{
    static const struct {
        const char *text;
        double val;
    } names[] = {{"NaN", NAN}, {"Infinity", INFINITY}, {"-Infinity", -INFINITY}};
    const char *text = number_text(p);
    bool minus = text && text[0] == '-', found = text != NULL;
    double val = 0;
    float narrow;

    if (text && field->type == ORMA_TYPE_FLOAT)
        val = orma_number_to_float(text + minus, &narrow) ? (double)narrow : 0;
    else if (text)
        (void)orma_number_to_double(text + minus, &val); /* its form has been checked */
    val = minus ? -val : val;
    for (size_t i = 0; !found && p->token == TOKEN_STRING && i < ORMA_ARRAY_LEN(names); i++) {
        if (orma_str_eq_c(orma_buf_str(&p->string), names[i].text)) {
            val = names[i].val;
            found = true;
        }
    }
    if (!found)
        return bad_value(p, field);
    *ret = orma_scalar_from_real(field->type, val);
    return next(p);
}

static int parse_enum(struct parser *p, const struct orma_field *field, uint64_t *ret,
                      bool *ret_dropped)
{
    struct orma_buf hint = {0};
    int32_t number;

    if (p->token != TOKEN_STRING)
        return parse_int(p, field, ret);
    if (orma_schema_value_named(p->schema, field->type_idx, orma_buf_str(&p->string), &number)) {
        *ret = (uint64_t)(int64_t)number;
        return next(p);
    }
    if (p->opts->flags & ORMA_JSON_LOSSY) {
        p->opts->dropped++;
        *ret_dropped = true;
        return next(p);
    }
    orma_schema_suggest_value(p->schema, field->type_idx, orma_buf_str(&p->string), &hint);
    orma_scan_fail(&p->scan, "\"%.200s\" is no value of \"%s\"%s", orma_buf_cstr(&p->string),
                   name_of(p, field), orma_buf_cstr(&hint));
    orma_buf_fini(&hint);
    return p->scan.err;
}

static int parse_number(struct parser *p, const struct orma_field *field, uint64_t *ret,
                        bool *ret_dropped)
{
    switch (field->type) {
    case ORMA_TYPE_BOOL:
        *ret = at_word(p, "true");
        return *ret || at_word(p, "false") ? next(p) : bad_value(p, field);
    case ORMA_TYPE_DOUBLE:
    case ORMA_TYPE_FLOAT:
        return parse_real(p, field, ret);
    case ORMA_TYPE_ENUM:
        return parse_enum(p, field, ret, ret_dropped);
    }
    return parse_int(p, field, ret);
}

static int parse_bytes(struct parser *p, const struct orma_field *field)
{
    if (p->token != TOKEN_STRING)
        return bad_value(p, field);
    size_t begun = orma_pb_begin(p->out, field->number);
    if (field->type == ORMA_TYPE_STRING)
        orma_buf_put(p->out, p->string.data, p->string.len);
    else if (!orma_base64_decode(orma_buf_str(&p->string), ORMA_BASE64_STRICT, p->out))
        return orma_scan_fail(&p->scan, "\"%s\" wants base64, which this is not",
                              name_of(p, field));
    orma_pb_end(p->out, begun);
    return next(p);
}

/* One value, with its tag unless it is packed. */
static int parse_value(struct parser *p, const struct orma_field *field, bool packed)
{
    enum orma_pb_wire wire = orma_field_wire(field->type);
    bool dropped = false;
    uint64_t bits = 0;
    int err;

    if (field->type == ORMA_TYPE_MESSAGE) {
        size_t begun = orma_pb_begin(p->out, field->number);

        if (!at_char(p, '{'))
            return bad_value(p, field);
        err = parse_object(p, field->type_idx);
        orma_pb_end(p->out, begun);
        return err < 0 ? err : next(p);
    }
    if (wire == ORMA_PB_LEN)
        return parse_bytes(p, field);
    err = parse_number(p, field, &bits, &dropped);
    if (err < 0 || dropped)
        return err;
    if (!packed)
        orma_pb_put_tag(p->out, field->number, wire);
    orma_scalar_put(p->out, wire, bits);
    return 0;
}

/* '[' a, b... ']' with `one` for each element. */
static int parse_elements(struct parser *p, int (*one)(struct parser *, const struct orma_field *),
                          const struct orma_field *field)
{
    int err = next(p);

    if (!err && at_char(p, ']'))
        return next(p);
    while (!err) {
        err = one(p, field);
        if (!err && at_char(p, ']'))
            return next(p);
        if (!err)
            err = at_char(p, ',') ? next(p) : expected(p, "\",\" or \"]\"");
    }
    return err;
}

static int parse_element(struct parser *p, const struct orma_field *field)
{
    return parse_value(p, field, field->flags & ORMA_FIELD_PACKED);
}

static int parse_array(struct parser *p, const struct orma_field *field)
{
    if (!at_char(p, '[')) {
        char what[256];

        (void)snprintf(what, sizeof(what), "an array for \"%.120s\"", name_of(p, field));
        return expected(p, what);
    }
    if (!(field->flags & ORMA_FIELD_PACKED))
        return parse_elements(p, parse_element, field);
    size_t before = p->out->len;
    size_t begun = orma_pb_begin(p->out, field->number);
    int err = parse_elements(p, parse_element, field);
    if (p->out->len == begun)
        p->out->len = before; /* nothing to pack */
    else
        orma_pb_end(p->out, begun);
    return err;
}

/* ---- objects ---- */

static int skip_value(struct parser *p);

static int skip_element(struct parser *p, const struct orma_field *field)
{
    (void)field;
    return skip_value(p);
}

/* The members of an object, each through `member`, up to '}', which stays the current token. */
static int parse_members(struct parser *p, int (*member)(struct parser *, void *), void *ctx)
{
    int err = next(p);

    if (!err && at_char(p, '}'))
        return 0;
    while (!err) {
        if (p->token != TOKEN_STRING)
            return expected(p, "the name of a field in quotes");
        err = member(p, ctx);
        if (err || at_char(p, '}'))
            return err;
        err = at_char(p, ',') ? next(p) : expected(p, "\",\" or \"}\"");
    }
    return err;
}

static int expect_colon(struct parser *p)
{
    int err = next(p);

    if (err)
        return err;
    return at_char(p, ':') ? next(p) : expected(p, "\":\"");
}

static int skip_member(struct parser *p, void *ctx)
{
    int err = expect_colon(p);

    (void)ctx;
    return err ? err : skip_value(p);
}

/* A value of a field that nobody knows. */
static int skip_value(struct parser *p)
{
    int err;

    if (!at_char(p, '{') && !at_char(p, '[')) {
        if (p->token == TOKEN_STRING || p->token == TOKEN_NUMBER || at_word(p, "true") ||
            at_word(p, "false") || at_word(p, "null"))
            return next(p);
        return expected(p, "a value");
    }
    if (p->depth >= ORMA_JSON_DEPTH_MAX)
        return orma_scan_fail(&p->scan, "more than %d objects inside one another",
                              ORMA_JSON_DEPTH_MAX);
    p->depth++;
    if (at_char(p, '[')) {
        err = parse_elements(p, skip_element, NULL);
    } else {
        err = parse_members(p, skip_member, NULL);
        if (!err)
            err = next(p);
    }
    p->depth--;
    return err;
}

static int check_oneof(struct parser *p, const struct orma_seen_msg *m,
                       const struct orma_field *field)
{
    const struct orma_field *held =
        field->oneof ? orma_seen_oneof(&p->seen, m, field)->field : NULL;

    if (!held)
        return 0;
    return orma_scan_fail(&p->scan,
                          "\"%s\" can't stand beside \"%s\": both are of the oneof \"%s\"",
                          name_of(p, field), name_of(p, held),
                          orma_schema_oneof_name(p->schema, m->msg, field->oneof - 1u));
}

static int unknown_field(struct parser *p, const struct orma_seen_msg *m)
{
    struct orma_buf hint = {0};

    if (p->opts->flags & ORMA_JSON_LOSSY) {
        p->opts->dropped++;
        return skip_member(p, NULL);
    }
    orma_schema_suggest_field(p->schema, m->msg, orma_buf_str(&p->string), &hint);
    orma_scan_fail(&p->scan, "\"%s\" has no field \"%.200s\"%s",
                   orma_schema_short_name(orma_schema_msg_name(p->schema, m->msg)),
                   orma_buf_cstr(&p->string), orma_buf_cstr(&hint));
    orma_buf_fini(&hint);
    return p->scan.err;
}

static int parse_member(struct parser *p, void *ctx)
{
    const struct orma_seen_msg *m = ctx;
    const struct orma_field *field =
        orma_schema_field_json(p->schema, m->msg, orma_buf_str(&p->string));

    if (!field)
        return unknown_field(p, m);
    if (orma_seen_mark(&p->seen, m, field))
        return orma_scan_fail(&p->scan, "\"%s\" is given twice", name_of(p, field));
    int err = expect_colon(p);
    if (err)
        return err;
    if (at_word(p, "null")) {
        orma_seen_unmark(&p->seen, m, field);
        return next(p);
    }
    err = check_oneof(p, m, field);
    if (!err)
        err = orma_field_is_repeated(field) ? parse_array(p, field) : parse_value(p, field, false);
    if (!err && field->oneof)
        orma_seen_oneof(&p->seen, m, field)->field = field;
    return err;
}

/* From '{' to '}', which stays the current token. */
static int parse_object(struct parser *p, uint32_t msg)
{
    struct orma_seen_msg m;

    if (p->depth >= ORMA_JSON_DEPTH_MAX)
        return orma_scan_fail(&p->scan, "more than %d objects inside one another",
                              ORMA_JSON_DEPTH_MAX);
    int err = orma_seen_open(&p->seen, msg, &m);
    p->depth++;
    if (!err)
        err = parse_members(p, parse_member, &m);
    const struct orma_field *missing = err ? NULL : orma_seen_missing(&p->seen, &m);
    if (missing && !(p->opts->flags & ORMA_JSON_PARTIAL))
        err = orma_scan_fail(&p->scan, "this \"%s\" lacks \"%s\", which is required",
                             orma_schema_short_name(orma_schema_msg_name(p->schema, msg)),
                             name_of(p, missing));
    orma_seen_close(&p->seen, &m);
    p->depth--;
    return err;
}

int orma_json_parse(const struct orma_schema *schema, uint32_t msg, struct orma_str text,
                    struct orma_json_parse *opts, struct orma_buf *out)
{
    struct orma_json_parse none = {0};
    struct parser p = {
        .schema = schema, .opts = opts ? opts : &none, .out = out, .seen = {.schema = schema}};
    size_t before = out->len;

    p.opts->dropped = 0;
    orma_scan_init_memory(&p.scan, text, p.opts->file, p.opts->error);
    int err = orma_scan_skip_mark(&p.scan);
    if (!err)
        err = next(&p);
    if (!err)
        err = at_char(&p, '{') ? parse_object(&p, msg) : expected(&p, "an object");
    if (!err)
        err = next(&p);
    if (!err && p.token != TOKEN_END)
        err = expected(&p, "the end behind the object");
    if (!err && out->failed)
        err = -ENOMEM;
    if (err < 0)
        out->len = before;
    orma_buf_fini(&p.string);
    orma_seen_fini(&p.seen);
    return err;
}
