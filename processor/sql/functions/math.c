/* Mathematics with the NULL rules of the trace processor: what is no number gives NULL. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "processor/sql/functions/functions.h"

static bool number(sqlite3_value *val, double *ret)
{
    int type = sqlite3_value_numeric_type(val); /* so '5' is a number, too */

    *ret = sqlite3_value_double(val);
    return type == SQLITE_INTEGER || type == SQLITE_FLOAT;
}

static void ln(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    double x;

    (void)argc;
    if (number(argv[0], &x) && x > 0)
        sqlite3_result_double(ctx, log(x));
}

static void exponential(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    double x;

    (void)argc;
    if (number(argv[0], &x))
        sqlite3_result_double(ctx, exp(x));
}

static void square_root(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    double x;

    (void)argc;
    if (number(argv[0], &x))
        sqlite3_result_double(ctx, sqrt(x));
}

/* ---- round ---- */

#define DIGITS 19                /* of a double that count when it is rounded */
#define PLACES_MAX 30            /* as SQLite has it */
#define WHOLE 4503599627370496.0 /* larger ones have no fraction */

/* Adds one to the last of `len` digits; `out` begins with a spare zero in front of them. */
static void count_up(char *out, int len)
{
    while (out[len] == '9')
        out[len--] = '0';
    out[len]++;
}

/* By the digits of the double itself, so that 1.005, which is a bit less, gives 1.0: SQLite 3.43
 * and later do so; older ones take it for a tie. */
static double round_digits(double x, int places)
{
    char text[40], digits[64] = "0";

    (void)snprintf(text, sizeof(text), "%.*e", DIGITS - 1, fabs(x)); /* d.ddde+dd */
    int power = atoi(strchr(text, 'e') + 1), keep = power + 1 + places;
    if (keep >= DIGITS)
        return x;
    if (keep < 0)
        return copysign(0, x);
    char first = text[0];
    memmove(text + 1, text + 2, DIGITS - 1); /* without the point */
    text[0] = first;
    memcpy(digits + 1, text, (size_t)keep);
    if (text[keep] >= '5')
        count_up(digits, keep);
    (void)snprintf(digits + 1 + keep, sizeof(digits) - 1 - (size_t)keep, "e%d", -places);
    return copysign(strtod(digits, NULL), x);
}

static void round_to(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    double x = sqlite3_value_double(argv[0]);
    int64_t places = argc > 1 ? sqlite3_value_int64(argv[1]) : 0;

    if (orma_value_is_null(argv[0]) || (argc > 1 && orma_value_is_null(argv[1])))
        return;
    if (x >= -WHOLE && x <= WHOLE) {
        if (places <= 0)
            x = (double)(int64_t)(x + (x < 0 ? -0.5 : 0.5));
        else
            x = round_digits(x, (int)(places < PLACES_MAX ? places : PLACES_MAX));
    }
    sqlite3_result_double(ctx, x);
}

const struct orma_sql_func orma_functions_math[] = {
    {.name = "round",
     .args = 1,
     .flags = SQLITE_DETERMINISTIC,
     .scalar = round_to,
     .usage = "(x [, places]) -> DOUBLE",
     .doc = "The number rounded to this many decimal places, by its decimal digits."},
    {.name = "round", .args = 2, .flags = SQLITE_DETERMINISTIC, .scalar = round_to},
    {.name = "__intrinsic_ln",
     .args = 1,
     .flags = SQLITE_DETERMINISTIC,
     .scalar = ln,
     .usage = "(x) -> DOUBLE",
     .doc = "The natural logarithm; NULL unless x is a number above 0."},
    {.name = "__intrinsic_exp",
     .args = 1,
     .flags = SQLITE_DETERMINISTIC,
     .scalar = exponential,
     .usage = "(x) -> DOUBLE",
     .doc = "e to the power of x; NULL unless x is a number."},
    {.name = "__intrinsic_sqrt",
     .args = 1,
     .flags = SQLITE_DETERMINISTIC,
     .scalar = square_root,
     .usage = "(x) -> DOUBLE",
     .doc = "The square root; NULL unless x is a number."},
    {0},
};
