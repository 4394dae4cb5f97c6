/*
 * The lexer of the text format: blanks and comments are skipped, then the first byte
 * decides: name, number, string or one character. Strings are unescaped when they are
 * asked for, not when they are scanned.
 */
#include "protos/reflect/text_token.h"

#include "sdk/base/hex.h"
#include "sdk/base/utf8.h"

/* Blanks and comments. */
static int skip_blanks(struct orma_scan *scan)
{
    int c;

    while ((c = orma_scan_peek(scan)) >= 0) {
        if (c == '#') {
            while (c >= 0 && c != '\n') {
                orma_scan_skip(scan);
                c = orma_scan_peek(scan);
            }
        } else if (c != ' ' && c != '\t' && c != '\n' && c != '\r' && c != '\v' && c != '\f') {
            break;
        } else {
            orma_scan_skip(scan);
        }
    }
    return c;
}

static enum orma_text_token take_name(struct orma_scan *scan)
{
    for (int c = orma_scan_peek(scan); orma_scan_is_letter(c) || orma_scan_is_digit(c);
         c = orma_scan_peek(scan))
        if (!orma_scan_take(scan))
            return ORMA_TOKEN_END;
    return ORMA_TOKEN_NAME;
}

/* More than a number can be is taken too: "12ab" is one bad word, not two good ones. */
static enum orma_text_token take_number(struct orma_scan *scan)
{
    bool hex = false, exponent = false;

    for (int c; (c = orma_scan_peek(scan)) >= 0;) {
        bool sign = (c == '+' || c == '-') && exponent;

        if (!orma_scan_is_digit(c) && !orma_scan_is_letter(c) && c != '.' && !sign)
            break;
        hex = hex || c == 'x' || c == 'X';
        exponent = !hex && (c == 'e' || c == 'E');
        if (!orma_scan_take(scan))
            return ORMA_TOKEN_END;
    }
    return ORMA_TOKEN_NUMBER;
}

enum orma_text_token orma_text_next(struct orma_scan *scan)
{
    int c = skip_blanks(scan);

    orma_scan_mark(scan);
    if (c < 0)
        return ORMA_TOKEN_END;
    if (orma_scan_is_letter(c))
        return take_name(scan);
    if (orma_scan_is_digit(c))
        return take_number(scan);
    if (!orma_scan_take(scan))
        return ORMA_TOKEN_END;
    if (c == '"' || c == '\'')
        return ORMA_TOKEN_STRING;
    if (c == '.' && orma_scan_is_digit(orma_scan_peek(scan)))
        return take_number(scan);
    /* A character of several bytes is shown whole in messages. */
    while (c >= 0xc0 && (orma_scan_peek(scan) & 0xc0) == 0x80 && orma_scan_peek(scan) >= 0)
        orma_scan_take(scan);
    return ORMA_TOKEN_CHAR;
}

enum orma_text_token orma_text_extension(struct orma_scan *scan)
{
    int c = skip_blanks(scan);

    orma_scan_mark(scan);
    while (orma_scan_is_letter(c) || orma_scan_is_digit(c) || c == '.') {
        if (!orma_scan_take(scan))
            return ORMA_TOKEN_END;
        c = orma_scan_peek(scan);
    }
    if (c != ']' && scan->len)
        c = skip_blanks(scan);
    if (c == '/') {
        orma_scan_fail(scan, "messages of type Any are not supported");
        return ORMA_TOKEN_END;
    }
    if (c != ']' || !scan->len) {
        orma_scan_fail(scan, "expected the full name of an extension and \"]\"");
        return ORMA_TOKEN_END;
    }
    orma_scan_skip(scan);
    return ORMA_TOKEN_NAME;
}

/* Up to `max` digits of this base (8 or 16). Returns how many there were. */
static int take_digits(struct orma_scan *scan, int base, int max, uint32_t *ret)
{
    int n = 0;

    *ret = 0;
    for (; n < max; n++) {
        int digit = orma_hex_digit(orma_scan_peek(scan));

        if (digit < 0 || digit >= base)
            break;
        *ret = *ret * (uint32_t)base + (uint32_t)digit;
        if (!orma_scan_take(scan))
            return 0;
    }
    return n;
}

/* The second half of a pair of \u escapes, as some write characters above 0xffff. */
static uint32_t take_low_surrogate(struct orma_scan *scan, uint32_t high)
{
    uint32_t low;

    if (orma_scan_peek(scan) != '\\' || !orma_scan_take(scan) || orma_scan_peek(scan) != 'u' ||
        !orma_scan_take(scan) || take_digits(scan, 16, 4, &low) != 4 || low < 0xdc00 ||
        low > 0xdfff)
        return 0xd800; /* no code point: refused by the caller */
    return 0x10000 + ((high & 0x3ff) << 10) + (low & 0x3ff);
}

static int unicode_escape(struct orma_scan *scan, int digits, struct orma_buf *out)
{
    uint32_t code;

    if (!orma_scan_take(scan))
        return scan->err;
    if (take_digits(scan, 16, digits, &code) != digits)
        return orma_scan_fail(scan, "expected %d hexadecimal digits in this escape", digits);
    if (digits == 4 && code >= 0xd800 && code < 0xdc00)
        code = take_low_surrogate(scan, code);
    if (!orma_utf8_put(out, code))
        return orma_scan_fail(scan, "this escape is no Unicode character");
    return 0;
}

/* Behind the backslash, which is the first byte of the current token. */
static int escape(struct orma_scan *scan, struct orma_buf *out)
{
    static const char names[] = "abfnrtv\\'\"?", values[] = "\a\b\f\n\r\t\v\\'\"?";
    int c = orma_scan_peek(scan);
    const char *at = c > 0 ? strchr(names, c) : NULL;
    uint32_t code;

    if (at) {
        orma_scan_skip(scan);
        orma_buf_put_byte(out, (uint8_t)values[at - names]);
        return 0;
    }
    if (c == 'u' || c == 'U')
        return unicode_escape(scan, c == 'u' ? 4 : 8, out);
    if (c == 'x' || c == 'X') {
        if (!orma_scan_take(scan))
            return scan->err;
        if (!take_digits(scan, 16, 2, &code))
            return orma_scan_fail(scan, "expected hexadecimal digits behind \\x");
    } else if (!take_digits(scan, 8, 3, &code) || code > 0xff) {
        return orma_scan_fail(scan, "unknown escape in a string");
    }
    orma_buf_put_byte(out, (uint8_t)code);
    return 0;
}

int orma_text_string(struct orma_scan *scan, struct orma_buf *out)
{
    int quote = scan->text[0];
    uint64_t begun = scan->col, begun_line = scan->line; /* escapes become the current token */

    for (;;) {
        const char *from = scan->pos;

        while (scan->pos < scan->end && *scan->pos != quote && *scan->pos != '\\' &&
               *scan->pos != '\n')
            scan->pos++;
        orma_buf_put(out, from, (size_t)(scan->pos - from));
        int c = orma_scan_peek(scan);
        if (c == '\n') {
            orma_buf_put_byte(out, '\n');
            orma_scan_skip(scan);
            continue;
        }
        if (c < 0 && scan->line == begun_line) {
            scan->col = begun;
            scan->len = 1;
            return orma_scan_fail(scan, "this string is not closed");
        }
        if (c < 0) {
            orma_scan_mark(scan);
            return orma_scan_fail(scan, "the string that begins at %llu:%llu is not closed",
                                  (unsigned long long)begun_line, (unsigned long long)begun);
        }
        if (c == quote) {
            orma_scan_skip(scan);
            return 0;
        }
        if (c == '\\') {
            orma_scan_mark(scan);
            if (!orma_scan_take(scan) || escape(scan, out) < 0)
                return scan->err;
        }
        if (out->failed)
            return 0; /* the caller looks */
    }
}
