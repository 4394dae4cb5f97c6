/*
 * Values by the type of their field: the current token is checked, converted with overflow
 * checks, and returned as the bits that go on the wire. Errors name the field, what was
 * expected and what was found.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>

#include "protos/reflect/number.h"
#include "protos/reflect/scalar.h"
#include "protos/reflect/text_parser.h"

/* An error about the current token: "expected X, found Y". */
int orma_text_expected(struct orma_text_parser *p, const char *what)
{
    switch (p->token) {
    case ORMA_TOKEN_END:
        if (p->brace.close)
            return orma_scan_fail(
                &p->scan, "the text ends inside the message that was opened at %llu:%llu",
                (unsigned long long)p->brace.line, (unsigned long long)p->brace.col);
        return orma_scan_fail(&p->scan, "expected %s, but the text ends", what);
    case ORMA_TOKEN_STRING:
        return orma_scan_fail(&p->scan, "expected %s, found a string", what);
    case ORMA_TOKEN_NAME:
    case ORMA_TOKEN_NUMBER:
    case ORMA_TOKEN_CHAR:
        break;
    }
    return orma_scan_fail(&p->scan, "expected %s, found \"%s\"", what, p->scan.text);
}

static const char *name_of(const struct orma_text_parser *p, const struct orma_field *field)
{
    return orma_field_name(p->schema, field);
}

/* Strings: adjacent ones are one. */
int orma_text_parse_strings(struct orma_text_parser *p, struct orma_buf *out)
{
    while (p->token == ORMA_TOKEN_STRING) {
        if (orma_text_string(&p->scan, out) < 0 || orma_text_advance(p) < 0)
            return p->scan.err;
    }
    return out->failed ? -ENOMEM : 0;
}

/* A sign, if there is one. */
int orma_text_parse_minus(struct orma_text_parser *p, bool *ret_minus)
{
    uint64_t line = p->scan.line, col = p->scan.col;

    *ret_minus = orma_text_at(p, '-');
    if (*ret_minus && orma_text_advance(p) < 0)
        return p->scan.err;
    if (*ret_minus && p->scan.line == line)
        p->scan.back = (size_t)(p->scan.col - col);
    return 0;
}

int orma_text_bad_value(struct orma_text_parser *p, const struct orma_field *field)
{
    char what[256];

    (void)snprintf(what, sizeof(what), "%s for \"%.120s\"", orma_scalar_describe(field->type),
                   name_of(p, field));
    return orma_text_expected(p, what);
}

static int parse_bool(struct orma_text_parser *p, const struct orma_field *field, uint64_t *ret);

/* Integers of today that were bool when many traces and documents were written. */
static bool was_bool(const struct orma_text_parser *p, const struct orma_field *field)
{
    return field->number == 42 && !strcmp(name_of(p, field), "previous_packet_dropped");
}

/* An integer in range for the field's type. */
static int parse_int(struct orma_text_parser *p, const struct orma_field *field, uint64_t *ret)
{
    uint64_t val;
    bool minus;

    if (orma_text_parse_minus(p, &minus) < 0)
        return p->scan.err;
    if (p->token == ORMA_TOKEN_NAME && !minus && was_bool(p, field))
        return parse_bool(p, field, ret);
    if (p->token != ORMA_TOKEN_NUMBER)
        return orma_text_bad_value(p, field);
    if (!orma_number_to_u64(p->scan.text, &val)) {
        if (strspn(p->scan.text, "0123456789") < p->scan.len)
            return orma_text_bad_value(p, field);
        return orma_scan_fail(&p->scan, "%s%s is more than 64 bits hold", minus ? "-" : "",
                              p->scan.text);
    }
    if (!orma_scalar_from_int(field->type, val, minus, ret))
        return orma_scan_fail(&p->scan, "%s%s is out of range for \"%s\": expected %s",
                              minus ? "-" : "", p->scan.text, name_of(p, field),
                              orma_scalar_describe(field->type));
    return orma_text_advance(p);
}

/* The number that a name may stand for where a float is expected. */
static bool special_number(const char *text, double *ret)
{
    static const struct {
        const char *text;
        double val;
    } names[] = {{"inf", INFINITY}, {"infinity", INFINITY}, {"nan", NAN}};
    char lower[12];
    size_t len = strlen(text);

    if (len >= sizeof(lower))
        return false;
    for (size_t i = 0; i <= len; i++)
        lower[i] = (char)(text[i] >= 'A' && text[i] <= 'Z' ? text[i] + ('a' - 'A') : text[i]);
    if (len == 4 && !strcmp(lower, "inff"))
        lower[3] = '\0';
    for (size_t i = 0; i < ORMA_ARRAY_LEN(names); i++) {
        if (!strcmp(lower, names[i].text)) {
            *ret = names[i].val;
            return true;
        }
    }
    return false;
}

/* The suffix of C: 1.5f, but not that of 0x1f. */
static void cut_float_suffix(struct orma_scan *scan)
{
    bool hex = scan->text[0] == '0' && (scan->text[1] == 'x' || scan->text[1] == 'X');

    if (scan->len > 1 && !hex && (scan->text[scan->len - 1] | 0x20) == 'f')
        scan->text[--scan->len] = '\0';
}

static int parse_float(struct orma_text_parser *p, const struct orma_field *field, double *ret)
{
    double val = 0;
    float narrow;
    uint64_t integer;
    bool minus, ok;

    if (orma_text_parse_minus(p, &minus) < 0)
        return p->scan.err;
    if (p->token == ORMA_TOKEN_NAME) {
        ok = special_number(p->scan.text, &val);
    } else if (p->token == ORMA_TOKEN_NUMBER) {
        cut_float_suffix(&p->scan);
        if (field->type == ORMA_TYPE_FLOAT) {
            ok = orma_number_to_float(p->scan.text, &narrow);
            val = ok ? (double)narrow : 0;
        } else {
            ok = orma_number_to_double(p->scan.text, &val);
        }
        if (!ok && orma_number_to_u64(p->scan.text, &integer)) { /* hexadecimal */
            ok = true;
            val = (double)integer;
        }
    } else {
        ok = false;
    }
    if (!ok)
        return orma_text_bad_value(p, field);
    *ret = minus ? -val : val;
    return orma_text_advance(p);
}

static int parse_bool(struct orma_text_parser *p, const struct orma_field *field, uint64_t *ret)
{
    static const struct {
        const char *text;
        bool val;
    } names[] = {{"true", true},   {"false", false}, {"True", true},
                 {"False", false}, {"t", true},      {"f", false}};

    if (p->token != ORMA_TOKEN_NAME)
        return parse_int(p, field, ret);
    for (size_t i = 0; i < ORMA_ARRAY_LEN(names); i++) {
        if (!strcmp(names[i].text, p->scan.text)) {
            *ret = names[i].val;
            return orma_text_advance(p);
        }
    }
    return orma_text_bad_value(p, field);
}

/* *ret_dropped: the name is not known, and ORMA_TEXT_LOSSY lets it go. */
static int parse_enum(struct orma_text_parser *p, const struct orma_field *field, uint64_t *ret,
                      bool *ret_dropped)
{
    struct orma_str name = {p->scan.text, p->scan.len};
    struct orma_buf hint = {0};
    int32_t number;

    if (p->token != ORMA_TOKEN_NAME)
        return parse_int(p, field, ret);
    if (orma_schema_value_named(p->schema, field->type_idx, name, &number)) {
        *ret = (uint64_t)(int64_t)number;
        return orma_text_advance(p);
    }
    if (p->opts->flags & ORMA_TEXT_LOSSY) {
        p->opts->dropped++;
        *ret_dropped = true;
        return orma_text_advance(p);
    }
    orma_schema_suggest_value(p->schema, field->type_idx, name, &hint);
    orma_scan_fail(&p->scan, "\"%s\" is no value of \"%s\"%s", p->scan.text, name_of(p, field),
                   orma_buf_cstr(&hint));
    orma_buf_fini(&hint);
    return p->scan.err;
}

/* The value of a field that is a number on the wire, as the bits that go there. */
int orma_text_parse_number(struct orma_text_parser *p, const struct orma_field *field,
                           uint64_t *ret, bool *ret_dropped)
{
    double real = 0;
    int err;

    switch (field->type) {
    case ORMA_TYPE_BOOL:
        return parse_bool(p, field, ret);
    case ORMA_TYPE_ENUM:
        return parse_enum(p, field, ret, ret_dropped);
    case ORMA_TYPE_DOUBLE:
    case ORMA_TYPE_FLOAT:
        err = parse_float(p, field, &real);
        if (!err)
            *ret = orma_scalar_from_real(field->type, real); /* exact: read as what it is */
        return err;
    }
    return parse_int(p, field, ret);
}

int orma_text_open(struct orma_text_parser *p, const struct orma_field *field,
                   struct orma_text_brace *ret_outer)
{
    if (!orma_text_at(p, '{') && !orma_text_at(p, '<'))
        return field ? orma_text_bad_value(p, field) : orma_text_expected(p, "a message in braces");
    if (p->depth >= ORMA_TEXT_DEPTH_MAX)
        return orma_scan_fail(&p->scan, "more than %d messages inside one another",
                              ORMA_TEXT_DEPTH_MAX);
    *ret_outer = p->brace;
    p->brace = (struct orma_text_brace){
        .close = orma_text_at(p, '{') ? '}' : '>', .line = p->scan.line, .col = p->scan.col};
    p->depth++;
    return orma_text_advance(p);
}

int orma_text_close(struct orma_text_parser *p, const struct orma_text_brace *outer, int err)
{
    p->brace = *outer;
    p->depth--;
    return err < 0 ? err : orma_text_advance(p);
}
