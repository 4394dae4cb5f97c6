#include "protos/reflect/number.h"

#include "sdk/base/hex.h"
#include "sdk/base/plain_locale.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static bool put_special(struct orma_buf *out, double val)
{
    if (isnan(val))
        orma_buf_put_str(out, "nan");
    else if (isinf(val))
        orma_buf_put_str(out, val < 0 ? "-inf" : "inf");
    return !isfinite(val);
}

/*
 * 15 digits survive the way through a double, 17 always suffice; so the first that reads back is
 * the shortest. The same with 6 and 9 for floats.
 */
void orma_number_put_double(struct orma_buf *out, double val)
{
    char text[32];

    if (put_special(out, val))
        return;
    ORMA_WITH_PLAIN_LOCALE;
    for (int digits = 15; digits <= 17; digits++) {
        (void)snprintf(text, sizeof(text), "%.*g", digits, val);
        if (strtod(text, NULL) == val)
            break;
    }
    orma_buf_put_str(out, text);
}

void orma_number_put_float(struct orma_buf *out, float val)
{
    char text[32];

    if (put_special(out, (double)val))
        return;
    ORMA_WITH_PLAIN_LOCALE;
    for (int digits = 6; digits <= 9; digits++) {
        (void)snprintf(text, sizeof(text), "%.*g", digits, (double)val);
        if (strtof(text, NULL) == val)
            break;
    }
    orma_buf_put_str(out, text);
}

void orma_number_put_u64(struct orma_buf *out, uint64_t val)
{
    char text[20];
    size_t at = sizeof(text);

    do
        text[--at] = (char)('0' + val % 10);
    while (val /= 10);
    orma_buf_put(out, text + at, sizeof(text) - at);
}

void orma_number_put_i64(struct orma_buf *out, int64_t val)
{
    if (val < 0)
        orma_buf_put_byte(out, '-');
    orma_number_put_u64(out, val < 0 ? -(uint64_t)val : (uint64_t)val);
}

/* What strtod would take too, but no text of ours contains: blanks, signs, hexadecimal, names. */
static bool is_decimal(const char *text)
{
    return *text && strspn(text, "0123456789.eE+-") == strlen(text) && *text != '+' &&
           *text != '-' && (text[0] != '.' || (text[1] >= '0' && text[1] <= '9'));
}

bool orma_number_to_double(const char *text, double *ret)
{
    char *end;

    if (!is_decimal(text))
        return false;
    double val = strtod_l(text, &end, orma_plain_locale());
    if (*end)
        return false;
    *ret = val;
    return true;
}

bool orma_number_to_float(const char *text, float *ret)
{
    char *end;

    if (!is_decimal(text))
        return false;
    float val = strtof_l(text, &end, orma_plain_locale());
    if (*end)
        return false;
    *ret = val;
    return true;
}

bool orma_number_to_u64(const char *text, uint64_t *ret)
{
    unsigned base = 10;
    uint64_t val = 0;

    if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
        base = 16;
        text += 2;
    } else if (text[0] == '0' && text[1]) {
        base = 8;
        text++;
    }
    if (!*text)
        return false;
    for (; *text; text++) {
        unsigned digit = (unsigned)orma_hex_digit(*text); /* none: beyond every base */

        if (digit >= base || __builtin_mul_overflow(val, base, &val) ||
            __builtin_add_overflow(val, digit, &val))
            return false;
    }
    *ret = val;
    return true;
}
