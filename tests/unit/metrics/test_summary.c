#include <criterion/criterion.h>
#include <errno.h>

#include "processor/metrics/summary.h"
#include "tests/support/leaks.h"
#include "tests/unit/sql/engine_fixture.h"

#define ROWS                                                                                       \
    "CREATE PERFETTO TABLE t AS SELECT column1 AS id, column2 AS ts, column3 AS dur, "             \
    "column4 AS name FROM (VALUES (1, 10, 5, 'a'), (2, 20, 5, 'b'), (3, 12, 10, 'a'))"
#define T "table { table_name: \"t\" }"
#define M "metric_spec { id: \"m\" value: \"dur\" "

/* The summary of all metrics of a specification as text, or "error: ...". */
static const char *summarize(struct engine *e, const char *spec, struct orma_buf *text)
{
    struct orma_summary *s;
    struct orma_buf out = {0};

    orma_buf_clear(text);
    cr_assert_eq(orma_summary_new(e->sql, &s), 0);
    int r = orma_summary_add_text(s, "spec", orma_str_from(spec));
    if (r == 0)
        r = orma_summary_compute(s, NULL, 0, NULL, &out);
    if (r == 0)
        orma_summary_print(out.data, out.len, text);
    else
        orma_buf_printf(text, "error: %s", orma_summary_error(s));
    orma_buf_fini(&out);
    orma_summary_free(s);
    return orma_buf_cstr(text);
}

struct check {
    const char *what, *spec, *want;
};

static void run_checks(const struct check *checks, size_t num)
{
    struct orma_buf text = {0};
    struct engine e;

    engine_init(&e);
    engine_expect(&e, "rows", ROWS, "");
    for (size_t i = 0; i < num; i++) {
        const char *got = summarize(&e, checks[i].spec, &text);

        cr_assert(strstr(got, checks[i].want), "%s\n  got <%s>\n  want <%s>", checks[i].what, got,
                  checks[i].want);
    }
    engine_expect(&e, "nothing is left behind",
                  "SELECT count(*) FROM sqlite_master WHERE name GLOB '_orma_structured*'", "0");
    orma_buf_fini(&text);
    engine_fini(&e);
    orma_assert_no_leaks();
}

Test(summary, values_and_dimensions)
{
    static const struct check checks[] = {
        {"values", M "query { " T " } }", "double_value: 5"},
        {"inferred", M "dimensions: \"name\" query { " T " } }", "string_value: \"a\""},
        {"integer", M "dimensions: \"id\" query { " T " } }", "int64_value: 3"},
        {"boolean",
         M "dimensions_specs { name: \"b\" type: BOOLEAN } query { sql { sql: "
           "\"SELECT 1 AS dur, 1 AS b\" } } }",
         "bool_value: true"},
        {"NULL dimension",
         M "dimensions: \"b\" query { sql { sql: \"SELECT 1 AS dur, NULL AS b\" } } }",
         "null_value"},
        {"template",
         "metric_template_spec { id_prefix: \"x\" value_columns: \"dur\" query { " T " } }",
         "id: \"x_dur\""},
        {"apart",
         "metric_template_spec { id_prefix: \"x\" value_columns: \"dur\" "
         "disable_auto_bundling: true query { " T " } }",
         "bundle_id: \"x_dur\""},
    };

    run_checks(checks, ORMA_ARRAY_LEN(checks));
}

Test(summary, rows_without_values_are_dropped)
{
    struct orma_buf text = {0};
    struct engine e;

    engine_init(&e);
    const char *got = summarize(&e, M "query { sql { sql: \"SELECT NULL AS dur\" } } }", &text);
    cr_assert(strstr(got, "bundle_id: \"m\"") && !strstr(got, "row"), "%s", got);
    orma_buf_fini(&text);
    engine_fini(&e);
    orma_assert_no_leaks();
}

Test(summary, errors)
{
    static const struct check checks[] = {
        {"syntax", "metric_spec {", "spec:1:"},
        {"no id", "metric_spec { value: \"dur\" query { " T " } }", "a metric without id"},
        {"all", "metric_spec { id: \"all\" value: \"dur\" query { " T " } }", "is reserved"},
        {"twice", M "query { " T " } } " M "query { " T " } }", "defined twice"},
        {"both dimensions",
         M "dimensions: \"a\" dimensions_specs { name: \"b\" } query { " T " } }",
         "both dimensions and dimensions_specs"},
        {"untyped", M "dimensions_specs { name: \"name\" } query { " T " } }", "has no type"},
        {"missing value", "metric_spec { id: \"m\" value: \"nix\" query { " T " } }",
         "no value column 'nix'"},
        {"missing dimension", M "dimensions: \"nix\" query { " T " } }", "no column 'nix'"},
        {"text value", "metric_spec { id: \"m\" value: \"name\" query { " T " } }", "not a number"},
        {"wrong type", M "dimensions_specs { name: \"name\" type: DOUBLE } query { " T " } }",
         "must be a real number"},
        {"not boolean", M "dimensions_specs { name: \"id\" type: BOOLEAN } query { " T " } }",
         "must be 0 or 1"},
        {"blob", M "dimensions: \"b\" query { sql { sql: \"SELECT 1 AS dur, x'00' AS b\" } } }",
         "is a blob"},
        {"not unique", M "dimensions: \"name\" dimension_uniqueness: UNIQUE query { " T " } }",
         "two rows have the same dimensions"},
        {"bundle",
         M "bundle_id: \"x\" query { " T " } } metric_spec { id: \"n\" value: \"ts\" "
           "bundle_id: \"x\" query { " T " limit: 1 } }",
         "differ in query"},
        {"prefix", "metric_template_spec { value_columns: \"dur\" query { " T " } }",
         "without id_prefix"},
        {"both values",
         "metric_template_spec { id_prefix: \"x\" value_columns: \"dur\" "
         "value_column_specs { name: \"dur\" } query { " T " } }",
         "both value_columns and value_column_specs"},
        {"no query", M "}", "has no query"},
        {"no source", M "query { id: \"q\" } }", "structured query 'q': the query has no source"},
        {"unknown table", M "query { table { table_name: \"nix\" } } }", "no such table: nix"},
        {"unknown id", M "query { inner_query_id: \"nix\" } }", "unknown query 'nix'"},
        {"cycle",
         "query { id: \"a\" inner_query_id: \"b\" } query { id: \"b\" inner_query_id: "
         "\"a\" } " M "query { inner_query_id: \"a\" } }",
         "depends on itself"},
        {"no right side", M "query { " T " filters { column_name: \"id\" op: EQUAL } } }",
         "no value to compare with"},
        {"no operator", M "query { " T " filters { column_name: \"id\" } } }", "an operator"},
        {"offset", M "query { " T " offset: 1 } }", "offset needs a limit"},
        {"limit", M "query { " T " limit: -1 } }", "must not be negative"},
        {"expression",
         M "query { " T " select_columns { column_name_or_expression: \"id + 1\" } } }",
         "needs an alias"},
        {"preamble", M "query { sql { sql: \"SELECT 1; SELECT 2 AS dur\" } } }",
         "must not return rows"},
        {"dependency", M "query { sql { sql: \"SELECT * FROM $nix\" } } }",
         "$nix is not a dependency"},
        {"column of sql", M "query { sql { sql: \"SELECT 1 AS dur\" column_names: \"x\" } } }",
         "no such column: x"},
        {"union", M "query { experimental_union { queries { " T " } } } }", "two queries at least"},
        {"join", M "query { experimental_join { left_query { " T " } right_query { " T " } } } }",
         "needs a condition"},
        {"intersect", M "query { interval_intersect { base { " T " } } } }", "one more query"},
        {"partition",
         M "query { interval_intersect { base { " T " } interval_intersect { " T " } "
           "partition_columns: \"ts\" } } }",
         "partition column 'ts'"},
        {"time range", M "query { experimental_time_range { mode: STATIC ts: 5 } } }",
         "needs ts and dur"},
        {"module", M "query { " T " referenced_modules: \"no.such\" } }", "no.such"},
        {"filter group", M "query { " T " experimental_filter_group { op: AND } } }", "is empty"},
        {"quotes",
         M "query { " T " filters { column_name: \"na\\\"me\" op: EQUAL string_rhs: "
           "\"it's\" } } }",
         "dur"},
    };

    run_checks(checks, ORMA_ARRAY_LEN(checks));
}

Test(summary, nesting_is_limited)
{
    struct orma_buf spec = {0}, text = {0};
    struct engine e;

    engine_init(&e);
    orma_buf_put_str(&spec, M);
    for (int i = 0; i < 90; i++)
        orma_buf_put_str(&spec, i ? "inner_query {" : "query {");
    for (int i = 0; i < 91; i++)
        orma_buf_put_str(&spec, "}");
    cr_assert(strstr(summarize(&e, orma_buf_cstr(&spec), &text), "nested too deeply"), "%s",
              orma_buf_cstr(&text));
    orma_buf_fini(&spec);
    orma_buf_fini(&text);
    engine_fini(&e);
    orma_assert_no_leaks();
}
