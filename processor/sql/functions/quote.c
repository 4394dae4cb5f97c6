/*
 * quote() of SQLite 3.50, where the library is older: values as SQL has them.
 *
 * A real number has 15 digits if these are enough to read the same number back, and as many as 64
 * bits hold otherwise: 18 or 19. Infinity is a number that is read as infinity.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "processor/sql/functions/functions.h"

/* Numbers are scaled by powers of ten to below this, the largest that a double may have there. */
#define SCALED_MAX 9.223372036854774784e+18
/* Digits in front of the point of what is below it, at most. */
#define SCALED_DIGITS 19
/* The digits of a double that its decimal form may need, and more than are looked at here. */
#define EXACT_DIGITS 60

/*
 * The first digits of a finite number above 0 as an integer, *ret_exp the power of ten that goes
 * with it: what is behind the point is cut off on the side where the nearest double is.
 */
static uint64_t first_digits(double val, int *ret_exp)
{
    char text[EXACT_DIGITS + 16], scaled[EXACT_DIGITS + 48];
    int exp, front = SCALED_DIGITS;
    uint64_t digits = 0;
    bool rest = false;
    double nearest;

    snprintf(text, sizeof(text), "%.*e", EXACT_DIGITS, val);
    exp = atoi(strchr(text, 'e') + 1);
    *strchr(text, 'e') = '\0';
    for (;; front--) {
        snprintf(scaled, sizeof(scaled), "%se%d", text, front - 1);
        nearest = strtod(scaled, NULL);
        if (nearest <= SCALED_MAX)
            break;
    }
    for (int i = 0, seen = 0; text[i]; i++) {
        if (text[i] == '.')
            continue;
        if (seen++ < front)
            digits = digits * 10 + (uint64_t)(text[i] - '0');
        else
            rest |= text[i] != '0';
    }
    *ret_exp = exp - front + 1;
    return digits + (rest && (uint64_t)nearest > digits);
}

static void put_long_form(struct orma_buf *out, double val)
{
    char text[24];
    int exp, len;

    len = snprintf(text, sizeof(text), "%llu", (unsigned long long)first_digits(fabs(val), &exp));
    exp += len - 1;
    while (len > 2 && text[len - 1] == '0')
        len--;
    orma_buf_printf(out, "%s%c.%.*se%+03d", val < 0 ? "-" : "", text[0], len - 1, text + 1, exp);
}

static void put_real(struct orma_buf *out, double val)
{
    char text[48];

    if (isinf(val)) {
        orma_buf_put_str(out, val < 0 ? "-9.0e+999" : "9.0e+999");
        return;
    }
    sqlite3_snprintf(sizeof(text), text, "%!.15g", val);
    if (strtod(text, NULL) == val)
        orma_buf_put_str(out, text);
    else
        put_long_form(out, val);
}

static void put_text(struct orma_buf *out, struct orma_str s)
{
    orma_buf_put_byte(out, '\'');
    for (size_t i = 0; i < s.len && s.data[i]; i++) {
        if (s.data[i] == '\'')
            orma_buf_put_byte(out, '\'');
        orma_buf_put_byte(out, (uint8_t)s.data[i]);
    }
    orma_buf_put_byte(out, '\'');
}

/* With control characters as escapes of unistr(), if there are any. */
static void put_text_escaped(struct orma_buf *out, struct orma_str s)
{
    size_t len = strnlen(s.data, s.len);
    bool any = false;

    for (size_t i = 0; i < len; i++)
        any |= (uint8_t)s.data[i] < ' ';
    if (!any) {
        put_text(out, s);
        return;
    }
    orma_buf_put_str(out, "unistr('");
    for (size_t i = 0; i < len; i++) {
        if ((uint8_t)s.data[i] < ' ') {
            orma_buf_printf(out, "\\u%04x", (unsigned)s.data[i]);
            continue;
        }
        if (s.data[i] == '\'' || s.data[i] == '\\')
            orma_buf_put_byte(out, (uint8_t)s.data[i]);
        orma_buf_put_byte(out, (uint8_t)s.data[i]);
    }
    orma_buf_put_str(out, "')");
}

static void put_blob(struct orma_buf *out, const uint8_t *data, size_t len)
{
    static const char digits[] = "0123456789ABCDEF";

    orma_buf_put_str(out, "X'");
    for (size_t i = 0; i < len; i++) {
        orma_buf_put_byte(out, (uint8_t)digits[data[i] >> 4]);
        orma_buf_put_byte(out, (uint8_t)digits[data[i] & 15]);
    }
    orma_buf_put_byte(out, '\'');
}

static void put_value(sqlite3_context *ctx, sqlite3_value **argv, bool escaped)
{
    struct orma_buf out = {0};

    switch (sqlite3_value_type(argv[0])) {
    case SQLITE_INTEGER:
        orma_buf_printf(&out, "%lld", (long long)sqlite3_value_int64(argv[0]));
        break;
    case SQLITE_FLOAT:
        put_real(&out, sqlite3_value_double(argv[0]));
        break;
    case SQLITE_TEXT:
        (escaped ? put_text_escaped : put_text)(&out, orma_value_str(argv[0]));
        break;
    case SQLITE_BLOB:
        put_blob(&out, sqlite3_value_blob(argv[0]), (size_t)sqlite3_value_bytes(argv[0]));
        break;
    default:
        orma_buf_put_str(&out, "NULL");
    }
    orma_result_buf(ctx, &out, false);
}

static void quote(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    (void)argc;
    put_value(ctx, argv, false);
}

static void unistr_quote(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    (void)argc;
    put_value(ctx, argv, true);
}

const struct orma_sql_func orma_functions_quote[] = {
    {.name = "quote",
     .args = 1,
     .flags = SQLITE_DETERMINISTIC,
     .scalar = quote,
     .usage = "(value) -> STRING",
     .doc =
         "The value as an SQL literal: strings in quotes, blobs as X'..', infinity as 9.0e+999."},
    {.name = "unistr_quote",
     .args = 1,
     .flags = SQLITE_DETERMINISTIC,
     .scalar = unistr_quote,
     .usage = "(value) -> STRING",
     .doc = "The same, with control characters of texts as escapes for unistr()."},
    {0},
};
