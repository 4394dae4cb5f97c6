/* Mathematics with the NULL rules of the trace processor: what is no number gives NULL. */
#include <math.h>

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

const struct orma_sql_func orma_functions_math[] = {
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
