#include "protos/reflect/number.h"
#include "protos/reflect/text_parser.h"
#include "sdk/wire/pb_writer.h"

/* The value of a field that nobody knows, without looking what it means. */
static int skip_value(struct orma_text_parser *p)
{
    struct orma_buf *out = p->out, ignored = {0};
    int err = 0;

    if (orma_text_at(p, '-') && orma_text_advance(p) < 0)
        return p->scan.err;
    if (p->token == ORMA_TOKEN_STRING) {
        p->out = &ignored;
        err = orma_text_parse_strings(p, &ignored);
        p->out = out;
        orma_buf_fini(&ignored);
        return err;
    }
    if (p->token != ORMA_TOKEN_NAME && p->token != ORMA_TOKEN_NUMBER)
        return orma_text_expected(p, "a value");
    return orma_text_advance(p);
}

/* The fields of the innermost message. */
static int skip_message(struct orma_text_parser *p)
{
    int err = 0;

    while (!err && !orma_text_at_close(p)) {
        if (orma_text_at(p, '['))
            p->token = orma_text_extension(&p->scan);
        else if (p->token != ORMA_TOKEN_NAME && p->token != ORMA_TOKEN_NUMBER)
            return orma_text_expected(p, "the name of a field");
        err = orma_text_advance(p);
        if (!err)
            err = orma_text_skip_value(p);
    }
    return err;
}

static int skip_one(struct orma_text_parser *p)
{
    struct orma_text_brace outer;

    if (!orma_text_at(p, '{') && !orma_text_at(p, '<'))
        return skip_value(p);
    if (orma_text_open(p, NULL, &outer) < 0)
        return p->scan.err;
    return orma_text_close(p, &outer, skip_message(p));
}

/* What follows the name of a field that is dropped, its separator included. */
int orma_text_skip_value(struct orma_text_parser *p)
{
    int err = orma_text_at(p, ':') ? orma_text_advance(p) : 0;

    if (!err && orma_text_at(p, '[')) {
        do {
            err = orma_text_advance(p);
            if (!err && !orma_text_at(p, ']'))
                err = skip_one(p);
        } while (!err && orma_text_at(p, ','));
        if (!err)
            err = orma_text_at(p, ']') ? orma_text_advance(p)
                                       : orma_text_expected(p, "\",\" or \"]\"");
    } else if (!err) {
        err = skip_one(p);
    }
    if (!err && (orma_text_at(p, ',') || orma_text_at(p, ';')))
        err = orma_text_advance(p);
    return err;
}

/* The wire form of a field that is given by number. */
static int parse_raw_number(struct orma_text_parser *p, uint32_t number)
{
    bool minus, hex;
    uint64_t val;

    if (orma_text_parse_minus(p, &minus) < 0)
        return p->scan.err;
    if (p->token != ORMA_TOKEN_NUMBER || !orma_number_to_u64(p->scan.text, &val))
        return orma_text_expected(
            p, "an integer, a string or a message, as the field is given by number");
    hex = !minus && p->scan.text[0] == '0' && (p->scan.text[1] | 0x20) == 'x';
    if (hex && p->scan.len == 2 + 8)
        orma_pb_put_fixed32(p->out, number, (uint32_t)val);
    else if (hex && p->scan.len == 2 + 16)
        orma_pb_put_fixed64(p->out, number, val);
    else
        orma_pb_put_u64(p->out, number, minus ? -val : val);
    return orma_text_advance(p);
}

static int parse_raw_fields(struct orma_text_parser *p);

static int parse_raw_value(struct orma_text_parser *p, uint32_t number)
{
    struct orma_text_brace outer;
    size_t begun;
    int err;

    if (p->token == ORMA_TOKEN_STRING) {
        begun = orma_pb_begin(p->out, number);
        err = orma_text_parse_strings(p, p->out);
        orma_pb_end(p->out, begun);
        return err;
    }
    if (!orma_text_at(p, '{') && !orma_text_at(p, '<'))
        return parse_raw_number(p, number);
    if (orma_text_open(p, NULL, &outer) < 0)
        return p->scan.err;
    begun = orma_pb_begin(p->out, number);
    err = parse_raw_fields(p);
    orma_pb_end(p->out, begun);
    return orma_text_close(p, &outer, err);
}

/* A field by number: the current token is the number. */
int orma_text_parse_raw_field(struct orma_text_parser *p)
{
    uint64_t number;

    if (!orma_number_to_u64(p->scan.text, &number) || !number || number > ORMA_PB_ID_MAX)
        return orma_text_expected(p, "the name of a field, or its number");
    if (orma_text_advance(p) < 0 || (orma_text_at(p, ':') && orma_text_advance(p) < 0))
        return p->scan.err;
    int err = parse_raw_value(p, (uint32_t)number);
    if (!err && (orma_text_at(p, ',') || orma_text_at(p, ';')))
        err = orma_text_advance(p);
    return err;
}

/* In a message of unknown type every field is given by number. */
static int parse_raw_fields(struct orma_text_parser *p)
{
    int err = 0;

    while (!err && !orma_text_at_close(p)) {
        if (p->token != ORMA_TOKEN_NUMBER)
            return orma_text_expected(p,
                                      "the number of a field, as its message is given by number");
        err = orma_text_parse_raw_field(p);
    }
    return err;
}
