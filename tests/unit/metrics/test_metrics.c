#include <criterion/criterion.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

#include "processor/metrics/metrics.h"
#include "processor/sql/engine.h"
#include "tests/support/leaks.h"
#include "tests/unit/sql/engine_fixture.h"

#define MESSAGES                                                                                   \
    "syntax = \"proto2\"; package perfetto.protos;"                                                \
    "message Box { enum Size { SMALL = 1; LARGE = 2; } optional Size size = 1;"                    \
    " optional int32 number = 2; optional uint64 huge = 3; repeated string names = 4;"             \
    " optional Box inner = 5; optional double real = 6; optional bool yes = 7;"                    \
    " repeated Box boxes = 8; optional sfixed32 fixed = 9; optional string name = 10; }"           \
    "extend TraceMetrics { optional Box box = 500; optional int64 number = 501; }"

static void start(struct engine *e, struct orma_metrics **ret)
{
    struct orma_proto_source source = {"box.proto", ORMA_STR(MESSAGES)};

    engine_init(e);
    cr_assert_eq(orma_metrics_new(e->sql, ret), 0, "%s", orma_sql_error_text(e->sql));
    cr_assert_eq(orma_metrics_add_protos(*ret, &source, 1), 0, "%s", orma_metrics_error(*ret));
}

static void stop(struct engine *e, struct orma_metrics *m)
{
    orma_metrics_free(m);
    engine_fini(e);
}

/* Runs `sql` as the metric box; the text of what comes out, or "error: ...". */
static const char *compute(struct orma_metrics *m, const char *sql, struct orma_buf *out)
{
    const char *names[] = {"box"};

    orma_buf_clear(out);
    int r = orma_metrics_add_sql(m, "own/box.sql", orma_str_from(sql));
    if (r == 0)
        r = orma_metrics_compute(m, names, 1, ORMA_METRICS_TEXT, out);
    if (r < 0) {
        orma_buf_clear(out);
        orma_buf_printf(out, "error: %s", orma_metrics_error(m));
    }
    return orma_buf_cstr(out);
}

#define BOX "DROP VIEW IF EXISTS box_output; CREATE VIEW box_output AS SELECT "

Test(metrics, fill_messages)
{
    static const struct {
        const char *what, *sql, *want;
    } checks[] = {
        {"scalars", BOX "Box('size', 'LARGE', 'number', -5, 'real', 0.5, 'yes', 1, 'fixed', -1)",
         "size: LARGE\n  number: -5\n  real: 0.5\n  yes: true\n  fixed: -1\n"},
        {"enum by number", BOX "Box('size', 1)", "size: SMALL\n"},
        {"NULL is unset", BOX "Box('size', NULL, 'number', 1)", "{\n  number: 1\n}"},
        {"inner", BOX "Box('inner', Box('number', 1), 'name', 'x')",
         "inner {\n    number: 1\n  }\n  name: \"x\"\n"},
        {"empty inner", BOX "Box('inner', Box())", "inner {\n  }\n"},
        {"repeated", BOX "Box('names', (SELECT RepeatedField(column1) FROM (VALUES('b'),('a'))))",
         "names: \"b\"\n  names: \"a\"\n"},
        {"repeated messages",
         BOX "Box('boxes', (SELECT RepeatedField(Box('number', column1)) FROM (VALUES(1),(2))))",
         "boxes {\n    number: 1\n  }\n  boxes {\n    number: 2\n  }\n"},
        {"repeated NULL",
         BOX "Box('boxes', (SELECT RepeatedField(column1) FROM (VALUES(NULL),(Box('yes', 0)))))",
         "boxes {\n  }\n  boxes {\n    yes: false\n  }\n"},
        {"no rows to repeat", BOX "Box('names', (SELECT RepeatedField(1) WHERE 0), 'number', 3)",
         "{\n  number: 3\n}"},
        {"no row", BOX "Box('number', 1) WHERE 0", "box] {\n}\n"},
        {"empty", BOX "Box()", "box] {\n}\n"},
        {"a table",
         "DROP VIEW IF EXISTS box_output; CREATE TABLE box_output AS SELECT "
         "Box('number', 7) AS m",
         "number: 7"},
        {"through a table",
         "DROP TABLE IF EXISTS box_output; CREATE TABLE q AS SELECT "
         "Box('number', 8) AS m;" BOX "Box('inner', m) FROM q",
         "inner {\n    number: 8"},
        {"null_if_empty", BOX "Box('inner', NULL_IF_EMPTY(Box()), 'number', 1)", "{\n  number: 1"},
    };
    struct orma_metrics *m;
    struct orma_buf out = {0};
    struct engine e;

    start(&e, &m);
    for (size_t i = 0; i < ORMA_ARRAY_LEN(checks); i++) {
        const char *got = compute(m, checks[i].sql, &out);

        cr_assert(strstr(got, checks[i].want), "%s\n  got <%s>\n  want <%s>", checks[i].what, got,
                  checks[i].want);
    }
    orma_buf_fini(&out);
    stop(&e, m);
    orma_assert_no_leaks();
}

Test(metrics, refuse_what_does_not_fit)
{
    static const struct {
        const char *what, *sql, *want;
    } checks[] = {
        {"unknown field", BOX "Box('nix', 1)", "unknown field 'nix'"},
        {"odd", BOX "Box('number')", "the number of arguments is odd"},
        {"name", BOX "Box(1, 1)", "field names must be strings"},
        {"text", BOX "Box('number', 'x')", "field number of message Box: it cannot hold a string"},
        {"real", BOX "Box('number', 0.5)", "it cannot hold a real number"},
        {"integer", BOX "Box('real', 1)", "it cannot hold an integer"},
        {"range", BOX "Box('number', 2147483648)", "out of range"},
        {"bool", BOX "Box('yes', 2)", "out of range"},
        {"uint64", BOX "Box('huge', 1)", "uint64 are not supported"},
        {"enum name", BOX "Box('size', 'HUGE')", "the enum has no value 'HUGE'"},
        {"enum number", BOX "Box('size', 3)", "the enum has no value 3"},
        {"one for many", BOX "Box('names', 'x')", "it is repeated: use RepeatedField()"},
        {"message for many", BOX "Box('boxes', Box('number', 1))", "it is repeated"},
        {"many for one", BOX "Box('name', (SELECT RepeatedField('x')))", "it is not repeated"},
        {"mixed", BOX "Box('names', (SELECT RepeatedField(column1) FROM (VALUES('x'),(1))))",
         "all values must have the same type"},
        {"other message", BOX "Box('inner', TraceMetadata('trace_uuid', 'x'))",
         "expected a perfetto.protos.Box, not a perfetto.protos.TraceMetadata"},
        {"any blob", BOX "Box('inner', x'0801')", "is not a message made by a function"},
        {"long blob", BOX "Box('inner', x'0aff')", "is not a message made by a function"},
        {"bytes of a repeated", BOX "Box('boxes', x'1a03ffffff')", "RepeatedField()"},
        {"other output", BOX "TraceMetadata('trace_uuid', 'x')", "not a message of type"},
        {"two columns", BOX "Box(), 1", "should have exactly one column"},
        {"two rows", BOX "Box() UNION ALL SELECT Box()", "should have at most one row"},
        {"no blob", BOX "1", "column has invalid type"},
        {"no output", "DROP VIEW IF EXISTS box_output", "no such table: box_output"},
        {"bad SQL", "SELEC 1", "syntax error"},
        {"unknown path", "SELECT RUN_METRIC('nix.sql')", "unknown metric path 'nix.sql'"},
        {"missing value", "SELECT RUN_METRIC('own/box.sql', 'a')", "a key has no value"},
        {"no key", "SELECT RUN_METRIC('own/box.sql', 1, 2)", "keys must be strings"},
        {"NULL value", "SELECT RUN_METRIC('own/box.sql', 'a', NULL)", "neither a string nor a number"},
        {"recursion", "SELECT RUN_METRIC('own/box.sql')", "too deeply"},
        {"substitution", "SELECT RUN_METRIC('own/key.sql', 'other', 1)", "{{key}} in own/key.sql"},
        {"null_if_empty", "SELECT NULL_IF_EMPTY(1)", "must be a blob or NULL"},
        {"unwrap", "SELECT UNWRAP_METRIC_PROTO(x'00', 'perfetto.protos.Box')", "is not a message"},
        {"unwrap other", "SELECT UNWRAP_METRIC_PROTO(Box('yes', 1), 'perfetto.protos.Bo')",
         "of another type"},
    };
    struct orma_metrics *m;
    struct orma_buf out = {0};
    struct engine e;

    start(&e, &m);
    cr_assert_eq(orma_metrics_add_sql(m, "own/key.sql", ORMA_STR("SELECT '{{ key }}'")), 0);
    for (size_t i = 0; i < ORMA_ARRAY_LEN(checks); i++) {
        const char *got = compute(m, checks[i].sql, &out);

        cr_assert(!strncmp(got, "error: ", 7) && strstr(got, checks[i].want),
                  "%s\n  got <%s>\n  want <%s>", checks[i].what, got, checks[i].want);
    }
    orma_buf_fini(&out);
    stop(&e, m);
    orma_assert_no_leaks();
}

Test(metrics, registration)
{
    struct orma_metrics *m;
    struct orma_buf out = {0};
    struct engine e;
    const char *wrong[] = {"nix"}, *number[] = {"number"};

    start(&e, &m);
    cr_assert_eq(orma_metrics_add_sql(m, "a/box.txt", ORMA_STR("")), -EINVAL);
    cr_assert(strstr(orma_metrics_error(m), "Unable to find .sql extension"));
    cr_assert_eq(orma_metrics_add_sql(m, "a/box.sql", ORMA_STR("SELECT 1")), 0);
    cr_assert_eq(orma_metrics_add_sql(m, "a/box.sql", ORMA_STR(BOX "Box('number', 2)")), 0);
    cr_assert_eq(orma_metrics_add_sql(m, "b/box.sql", ORMA_STR("SELECT 1")), -EINVAL);
    cr_assert(strstr(orma_metrics_error(m), "both trying to output the proto field box"));
    cr_assert_eq(orma_metrics_compute(m, wrong, 1, ORMA_METRICS_TEXT, &out), -EINVAL);
    cr_assert(strstr(orma_metrics_error(m), "Unknown metric nix"));
    engine_expect(&e, "names", "SELECT name FROM trace_metrics ORDER BY name",
                  "android_cpu\nbox\nclone_duration\njava_heap_class_stats\nprofiler_smaps\n"
                  "trace_metadata\ntrace_stats\nunsymbolized_frames");
    engine_expect(&e, "functions", "SELECT typeof(Box()), typeof(TraceAnalysisStats_Stat())",
                  "blob blob");
    cr_assert_eq(orma_sql_reset(e.sql), 0, "%s", orma_sql_error_text(e.sql));
    engine_expect(&e, "after a reset",
                  "SELECT count(*), hex(Box('number', 1)) IS NOT NULL "
                  "FROM trace_metrics",
                  "8 1");
    orma_metrics_descriptors(m, &out);
    cr_assert(memmem(out.data, out.len, ".perfetto.protos.Box", 20));
    cr_assert(memmem(out.data, out.len, "trace_duration_ns", 17));
    orma_buf_clear(&out);
    /* A field that is a number can't hold a message. */
    cr_assert_eq(orma_metrics_add_sql(m, "a/number.sql",
                                      ORMA_STR("CREATE VIEW number_output AS SELECT Box()")),
                 0);
    cr_assert_eq(orma_metrics_compute(m, number, 1, ORMA_METRICS_TEXT, &out), -EINVAL);
    orma_buf_fini(&out);
    stop(&e, m);
    orma_assert_no_leaks();
}

Test(proto_source, errors_have_places)
{
    static const struct {
        const char *text, *want;
    } checks[] = {
        {"message", "f:1: expected a name"},
        {"message A {\n optional int32 x = 0; }", "f:2: a field number must be between"},
        {"message A { optional Nix x = 1; }", "type of this field is unknown"},
        {"message A { map<int32, int32> x = 1; }", "groups and maps are not supported"},
        {"message A { optional int32 x = 1 }", "';' expected"},
        {"extend Nix { optional int32 x = 1; }", "message to be extended is unknown"},
        {"message A { optional string x = 1 [default = \"y", "unterminated string"},
        {"nonsense", "f:1: expected message, enum, extend"},
        {"message A { optional int32 x = 99999999999999999999; }", "expected a number"},
        {"enum E { A = 1; B }", "'=' expected"},
        {"message A { message A { message A { ", "expected"},
    };
    struct orma_buf out = {0}, error = {0}, deep = {0};

    for (size_t i = 0; i < ORMA_ARRAY_LEN(checks); i++) {
        struct orma_proto_source f = {"f", orma_str_from(checks[i].text)};

        orma_buf_clear(&error);
        cr_assert_eq(orma_proto_sources_parse(orma_schema_default(), &f, 1, &out, &error), -EBADMSG,
                     "%s", checks[i].text);
        cr_assert(strstr(orma_buf_cstr(&error), checks[i].want), "%s\n  got <%s>", checks[i].text,
                  orma_buf_cstr(&error));
        cr_assert_eq(out.len, 0);
    }
    for (int i = 0; i < 1000; i++)
        orma_buf_put_str(&deep, "message A {");
    struct orma_proto_source f = {"f", orma_buf_str(&deep)};
    cr_assert_eq(orma_proto_sources_parse(orma_schema_default(), &f, 1, &out, &error), -EBADMSG);
    orma_buf_fini(&out);
    orma_buf_fini(&error);
    orma_buf_fini(&deep);
    orma_assert_no_leaks();
}

/* Functions of shipped messages are registered by name and get their messages when one is called;
 * both ways lead to the same ones. */
Test(metrics, are_read_when_first_needed)
{
    static const char all[] = "SELECT group_concat(name) FROM (SELECT DISTINCT name FROM "
                              "pragma_function_list ORDER BY name)";
    struct orma_metrics *m;
    struct engine e;

    engine_init(&e);
    cr_assert_eq(orma_metrics_new(e.sql, &m), 0);
    char *before = strdup(engine_run(&e, all));
    cr_assert(strstr(before, "androidcpumetric_thread") ||
              strstr(before, "AndroidCpuMetric_Thread"));
    engine_expect(&e, "in a statement that runs",
                  "SELECT count(AndroidCpuMetric_Thread('name', 'x')), "
                  "hex(max(AndroidProcessMetadata('pid', i))) LIKE '%4802' "
                  "FROM (SELECT 1 AS i UNION ALL SELECT 2)",
                  "2 1");
    engine_expect(&e, "an unknown field", "SELECT AndroidCpuMetric_Thread('nix', 1)", "error: ");
    engine_expect(&e, "when read", all, before);
    cr_assert_eq(orma_sql_reset(e.sql), 0);
    engine_expect(&e, "by number", all, before);
    free(before);
    stop(&e, m);
    orma_assert_no_leaks();
}

#define CHAIN 3000u
/* Sanitizers make every function's share of it larger. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || defined(__clang__)
#define STACK_BYTES ((size_t)8 << 20)
#else
#define STACK_BYTES ((size_t)256 << 10)
#endif

static void *add_chain(void *arg)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf text = {0};
    struct orma_metrics *m = arg;

    orma_buf_put_str(&text, "syntax = \"proto2\"; package perfetto.protos;");
    for (unsigned i = 0; i < CHAIN; i++)
        orma_buf_printf(&text, "message M%u { optional M%u next = 1; }", i, i + 1);
    orma_buf_printf(&text, "message M%u { optional int32 x = 1; }", CHAIN);
    struct orma_proto_source source = {"chain.proto", orma_buf_str(&text)};
    return orma_metrics_add_protos(m, &source, 1) == 0 ? m : NULL;
}

/* Whoever adds messages says how many are in each other, and our stack does not grow with it. */
Test(metrics, messages_may_hold_others_as_deep_as_they_like)
{
    struct orma_metrics *m;
    pthread_attr_t attr;
    struct engine e;
    pthread_t thread;
    void *done = NULL;

    start(&e, &m);
    cr_assert_eq(pthread_attr_init(&attr), 0);
    cr_assert_eq(pthread_attr_setstacksize(&attr, STACK_BYTES), 0);
    cr_assert_eq(pthread_create(&thread, &attr, add_chain, m), 0);
    cr_assert_eq(pthread_join(thread, &done), 0);
    cr_assert_not_null(done, "%s", orma_metrics_error(m));
    engine_expect(&e, "the last of them", "SELECT length(M3000('x', 5)) > 0", "1");
    stop(&e, m);
}
