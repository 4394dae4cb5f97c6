/*
 * Letters, numbers and names of mangled Rust, and the text that they become.
 */
#include "processor/symbols/rust_reader.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sdk/base/buf.h"
#include "sdk/base/defs.h"
#include "sdk/base/utf8.h"

char orma_rust_look(const struct orma_rust_reader *r)
{
    return !r->bad && r->pos < r->in.len ? r->in.data[r->pos] : '\0';
}

char orma_rust_consume(struct orma_rust_reader *r)
{
    char c = orma_rust_look(r);

    if (c)
        r->pos++;
    else
        r->bad = true;
    return c;
}

bool orma_rust_accept(struct orma_rust_reader *r, char c)
{
    if (orma_rust_look(r) != c)
        return false;
    r->pos++;
    return true;
}

void orma_rust_put_bytes(struct orma_rust_reader *r, const char *data, size_t len)
{
    if (r->silent || r->bad)
        return;
    if (r->out.len > ORMA_RUST_TEXT_MAX || len > ORMA_RUST_TEXT_MAX - r->out.len)
        r->bad = true;
    else
        orma_buf_put(&r->out, data, len);
}

void orma_rust_put(struct orma_rust_reader *r, const char *text)
{
    orma_rust_put_bytes(r, text, strlen(text));
}

void orma_rust_put_number(struct orma_rust_reader *r, uint64_t number)
{
    char text[24];

    snprintf(text, sizeof(text), "%" PRIu64, number);
    orma_rust_put(r, text);
}

bool orma_rust_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static uint64_t add_digit(struct orma_rust_reader *r, uint64_t number, uint64_t base,
                          uint64_t digit)
{
    if (number > (UINT64_MAX - digit) / base)
        r->bad = true;
    return number * base + digit;
}

uint64_t orma_rust_read_decimal(struct orma_rust_reader *r)
{
    uint64_t number = 0;

    if (!orma_rust_is_digit(orma_rust_look(r))) {
        r->bad = true;
        return 0;
    }
    if (orma_rust_accept(r, '0'))
        return 0;
    while (orma_rust_is_digit(orma_rust_look(r)))
        number = add_digit(r, number, 10, (uint64_t)(orma_rust_consume(r) - '0'));
    return number;
}

uint64_t orma_rust_read_base62(struct orma_rust_reader *r)
{
    uint64_t number = 0;

    if (orma_rust_accept(r, '_'))
        return 0;
    while (!r->bad && !orma_rust_accept(r, '_')) {
        char c = orma_rust_consume(r);

        if (orma_rust_is_digit(c))
            number = add_digit(r, number, 62, (uint64_t)(c - '0'));
        else if (c >= 'a' && c <= 'z')
            number = add_digit(r, number, 62, (uint64_t)(c - 'a' + 10));
        else if (c >= 'A' && c <= 'Z')
            number = add_digit(r, number, 62, (uint64_t)(c - 'A' + 36));
        else
            r->bad = true;
    }
    if (number == UINT64_MAX)
        r->bad = true;
    return r->bad ? 0 : number + 1;
}

uint64_t orma_rust_read_tagged(struct orma_rust_reader *r, char tag)
{
    uint64_t number;

    if (!orma_rust_accept(r, tag))
        return 0;
    number = orma_rust_read_base62(r);
    if (number == UINT64_MAX)
        r->bad = true;
    return r->bad ? 0 : number + 1;
}

struct orma_rust_ident orma_rust_read_ident(struct orma_rust_reader *r)
{
    struct orma_rust_ident id = {.punycode = orma_rust_accept(r, 'u')};
    uint64_t len = orma_rust_read_decimal(r);

    (void)orma_rust_accept(r, '_'); /* it keeps digits apart */
    if (r->bad || len > r->in.len - r->pos) {
        r->bad = true;
        return (struct orma_rust_ident){0};
    }
    id.text = (struct orma_str){r->in.data + r->pos, len};
    r->pos += len;
    for (size_t i = 0; i < len; i++) {
        char c = id.text.data[i];

        if (!orma_rust_is_digit(c) && !(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') &&
            c != '_')
            r->bad = true;
    }
    return id;
}

/* ---- punycode (RFC 3492, with '_' for '-') ---- */

static uint32_t adapt(uint32_t delta, uint32_t num, bool first)
{
    uint32_t k = 0;

    delta /= first ? 700 : 2;
    delta += delta / num;
    for (; delta > 455; k += 36)
        delta /= 35;
    return k + 36 * delta / (delta + 38);
}

/* One number of the extended part; UINT32_MAX: malformed. */
static uint32_t read_delta(struct orma_str s, size_t *pos, uint32_t bias)
{
    uint64_t delta = 0, weight = 1;

    for (uint32_t k = 36;; k += 36) {
        uint32_t t = k <= bias ? 1 : ORMA_MIN(k - bias, 26u), digit;

        if (*pos == s.len)
            return UINT32_MAX;
        char c = s.data[(*pos)++];
        if (c >= 'a' && c <= 'z')
            digit = (uint32_t)(c - 'a');
        else if (orma_rust_is_digit(c))
            digit = (uint32_t)(c - '0') + 26;
        else
            return UINT32_MAX;
        delta += digit * weight;
        if (digit < t)
            return delta < UINT32_MAX ? (uint32_t)delta : UINT32_MAX;
        weight *= 36 - t;
        if (delta >= UINT32_MAX || weight >= UINT32_MAX)
            return UINT32_MAX;
    }
}

#define IDENT_MAX 512

/* The code points of `s`; how many, or 0: malformed. */
static uint32_t decode_punycode(struct orma_str s, uint32_t *ret)
{
    uint32_t num = 0, code = 128, bias = 72, at = 0;
    size_t pos = 0;

    for (size_t i = s.len; i-- > 0;) {
        if (s.data[i] != '_')
            continue;
        for (pos = 0; pos < i && num < IDENT_MAX; pos++)
            ret[num++] = (unsigned char)s.data[pos];
        pos = i + 1;
        break;
    }
    for (bool first = true; pos < s.len; first = false) {
        uint32_t delta = read_delta(s, &pos, bias);

        if (delta == UINT32_MAX || num >= IDENT_MAX || delta > UINT32_MAX - at)
            return 0;
        at += delta;
        bias = adapt(delta, ++num, first);
        code += at / num;
        at %= num;
        if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
            return 0;
        memmove(ret + at + 1, ret + at, (num - 1 - at) * sizeof(*ret));
        ret[at++] = code;
    }
    return num;
}

void orma_rust_put_ident(struct orma_rust_reader *r, struct orma_rust_ident id)
{
    uint32_t codes[IDENT_MAX + 1], num;

    if (!id.punycode) {
        orma_rust_put_bytes(r, id.text.data, id.text.len);
        return;
    }
    num = decode_punycode(id.text, codes);
    r->bad |= !num;
    for (uint32_t i = 0; i < num; i++) {
        uint8_t utf8[ORMA_UTF8_MAX];

        orma_rust_put_bytes(r, (const char *)utf8, orma_utf8_encode(codes[i], utf8));
    }
}
