/*
 * Sketches of functions/sketch.c: what is promised of their ends.
 */
#include <criterion/criterion.h>

#include "tests/unit/sql/engine_fixture.h"

Test(sketch, has_the_least_and_the_greatest_value_exactly)
{
    static const struct engine_check checks[] = {
        {"an integer that no double is",
         "SELECT percentile_of_sketch(percentile_sketch(9007199254740993), 100)",
         "9007199254740993"},
        {"both ends",
         "WITH n(i) AS (VALUES (-9223372036854775807 - 1), (7), (9223372036854775807)) SELECT "
         "percentile_of_sketch(percentile_sketch(i), 0), "
         "percentile_of_sketch(percentile_sketch(i), 100) FROM n",
         "-9223372036854775808 9223372036854775807"},
        {"of several sketches",
         "WITH s(x) AS (SELECT percentile_sketch(9007199254740993) UNION ALL SELECT "
         "percentile_sketch(9007199254740995)) SELECT "
         "percentile_of_sketch(percentile_sketch_merge(x), 0), "
         "percentile_of_sketch(percentile_sketch_merge(x), 100) FROM s",
         "9007199254740993 9007199254740995"},
        {"among doubles",
         "SELECT percentile_of_sketch(percentile_sketch(column1), 100) FROM "
         "(VALUES (0.5), (3))",
         "3.0"},
        {"of version 1, with doubles",
         "SELECT percentile_of_sketch(x'0100000000000000f03f000000000000f03f80ff0101', 100)", "1"},
        {"with infinity",
         "SELECT percentile_of_sketch(percentile_sketch(column1), 10) FROM (VALUES (-9e999), "
         "(1.0), "
         "(2.0))",
         "-Inf"},
        {"of a later version", "SELECT percentile_of_sketch(x'0300', 100)",
         "error: expected the result of PERCENTILE_SKETCH"},
    };

    engine_checks(NULL, checks, ORMA_ARRAY_LEN(checks));
}
