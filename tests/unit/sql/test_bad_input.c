/* What must not take the process down, nor hang it, whatever people write. */
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/support/leaks.h"
#include "tests/unit/sql/engine_fixture.h"

#define CHECKS(setup, ...)                                                                         \
    do {                                                                                           \
        static const struct engine_check checks_[] = {__VA_ARGS__};                                \
        engine_checks(setup, checks_, sizeof(checks_) / sizeof(checks_[0]));                       \
    } while (0)

struct interrupter {
    struct orma_sql *sql;
    _Atomic bool done;
};

/* Again and again: the query may not have begun the first time. */
static void *interrupt(void *data)
{
    struct interrupter *self = data;

    while (!atomic_load(&self->done)) {
        (void)usleep(10000);
        orma_sql_interrupt(self->sql);
    }
    return NULL;
}

#define NUMBERS(n)                                                                                 \
    "(WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < " #n                \
    ") SELECT i FROM n)"

Test(bad_input, endless_queries_can_be_interrupted)
{
    static const struct {
        const char *what, *setup, *script;
    } cases[] = {
        {"endless recursion", "", "SELECT count(*) FROM " NUMBERS(1e18)},
        {"endless window", "", "SELECT sum(ts) FROM __intrinsic_window(0, 9223372036854775807, 1)"},
        {"spans that never meet",
         "CREATE VIEW a AS SELECT 2 * ts AS ts, 1 AS dur FROM "
         "__intrinsic_window(0, 4000000000000000000, 1);"
         "CREATE VIEW b AS SELECT 2 * ts + 1 AS ts, 1 AS dur FROM "
         "__intrinsic_window(0, 4000000000000000000, 1);"
         "CREATE VIRTUAL TABLE s USING SPAN_JOIN(a, b);",
         "SELECT count(*) FROM s"},
        {"intervals that all meet", "INCLUDE PERFETTO MODULE intervals.intersect;",
         "SELECT count(*) FROM _interval_intersect!((" NUMBERS(
             1) ", (SELECT i AS id, 0 AS ts, 9 AS "
                "dur FROM " NUMBERS(100000) "), (SELECT i AS id, 0 AS ts, 9 AS dur FROM " NUMBERS(
                    100000) ")), ())"},
        {"ways that double at each step", "INCLUDE PERFETTO MODULE graphs.scan;",
         "SELECT count(*) FROM _graph_scan!((SELECT i AS source_node_id, i + 1 AS dest_node_id "
         "FROM " NUMBERS(60) " UNION ALL SELECT i, i + 2 FROM " NUMBERS(
             60) "), (SELECT 0 AS id, 0 AS x), "
                 "(x), (SELECT * FROM $table))"},
        {"a table of everything", "", "CREATE PERFETTO TABLE t AS SELECT i FROM " NUMBERS(1e18)},
        {"a function in a loop",
         "CREATE PERFETTO FUNCTION f(a INT) RETURNS INT AS SELECT count(*) + $a FROM " NUMBERS(
             1e18) ";",
         "SELECT f(1)"},
    };

    for (size_t i = 0; i < ORMA_ARRAY_LEN(cases); i++) {
        struct engine e;
        struct interrupter in = {0};
        pthread_t thread;

        engine_init(&e);
        in.sql = e.sql;
        engine_expect(&e, cases[i].what, cases[i].setup, "");
        cr_assert_eq(pthread_create(&thread, NULL, interrupt, &in), 0);
        const char *got = engine_run(&e, cases[i].script);
        atomic_store(&in.done, true);
        cr_assert_eq(pthread_join(thread, NULL), 0);
        cr_assert(!strncmp(got, "error: ", 7), "%s: %s", cases[i].what, got);
        engine_expect(&e, "and the engine goes on", "SELECT 1", "1");
        engine_fini(&e);
    }
    orma_assert_no_leaks();
}

/* Such queries would end the process sooner or later; a small limit stands for the machine's. */
Test(bad_input, queries_that_gather_without_an_end_run_out_of_memory)
{
    static const struct engine_check checks[] = {
        {"a table of everything", "CREATE PERFETTO TABLE t AS SELECT i FROM " NUMBERS(1e18), "t"},
        {"a plain table", "CREATE TABLE t AS SELECT i FROM " NUMBERS(1e18), "t"},
        {"sorted", "SELECT i FROM " NUMBERS(1e18) " ORDER BY i % 7 LIMIT -1", NULL},
        {"distinct", "SELECT count(DISTINCT i * 3) FROM " NUMBERS(1e18), NULL},
        {"grouped", "SELECT i * 3 AS k, count(*) FROM " NUMBERS(1e18) " GROUP BY k", NULL},
        {"an aggregate of ours", "SELECT percentile(i, 50) FROM " NUMBERS(1e18), NULL},
        {"a set", "SELECT __intrinsic_array_agg(i) FROM " NUMBERS(1e18), NULL},
        {"pairs",
         "INCLUDE PERFETTO MODULE intervals.intersect;"
         "CREATE PERFETTO TABLE s AS SELECT i AS id, 0 AS ts, 9 AS dur FROM " NUMBERS(
             100000) ";"
                     "SELECT count(*) FROM _interval_intersect!((s, s), ())",
         NULL},
    };

    (void)setenv("TMPDIR", "/nowhere", 1); /* no files: they would hold much */
    for (size_t i = 0; i < ORMA_ARRAY_LEN(checks); i++) {
        struct engine e;

        engine_init(&e);
        e.sql->limits.memory.limit_bytes = 32 << 20;
        engine_expect(&e, checks[i].what, checks[i].script, "error: out of memory: the query");
        if (checks[i].want)
            engine_expect(&e, "nothing stays",
                          "SELECT count(*) FROM sqlite_schema WHERE name = 't'", "0");
        engine_expect(&e, "and the engine goes on", "SELECT 1", "1");
        engine_fini(&e);
    }
    orma_assert_no_leaks();
}

/* Where memory has no room for the rows of a sort, files have: the executor's, or SQLite's. */
Test(bad_input, what_does_not_fit_into_memory_is_sorted_in_files)
{
    static const char *const checks[] = {
        "SELECT count(*), sum(n - id) FROM (SELECT id, lead(id) OVER (PARTITION BY k ORDER BY v) "
        "AS n FROM t)",
        "SELECT max(v), sum(x) FROM (SELECT v, id % 17 AS x FROM t ORDER BY v, id LIMIT -1 OFFSET "
        "7)",
    };
    struct engine e;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    cr_skip_test("the sanitizer keeps what was given back, and it counts");
#endif
    engine_init(&e);
    engine_expect(&e, "a table",
                  "CREATE PERFETTO TABLE t AS SELECT i AS id, i % 13 AS k, i * 7919 % 1000003 AS v "
                  "FROM " NUMBERS(999999) "; SELECT count(*) FROM t",
                  "1000000");
    for (size_t i = 0; i < ORMA_ARRAY_LEN(checks); i++) {
        struct orma_sql_memory *memory = &e.sql->limits.memory;

        memory->limit_bytes = UINT64_MAX;
        char *want = strdup(engine_run(&e, checks[i]));
        cr_assert_null(e.sql->planner.why, "%s: %s", checks[i], e.sql->planner.why);
        memory->limit_bytes = UINT64_MAX - orma_sql_memory_room(memory) + (38 << 20);
        engine_expect(&e, checks[i], checks[i], want);
        if (e.sql->planner.why)
            cr_assert_str_eq(e.sql->planner.why, "more rows than memory holds");
        free(want);
    }
    engine_fini(&e);
    orma_assert_no_leaks();
}

Test(bad_input, recursion_without_an_end_is_an_error)
{
    CHECKS(
        NULL,
        {"function", "CREATE PERFETTO FUNCTION f(a INT) RETURNS INT AS SELECT f($a); SELECT f(1)",
         "error: "},
        {"table function",
         "CREATE PERFETTO FUNCTION f(a INT) RETURNS TABLE(x INT) AS SELECT x FROM f($a); "
         "SELECT * FROM f(1)",
         "error: "},
        {"macro", "CREATE PERFETTO MACRO m() RETURNS Expr AS m!(); SELECT m!()", "error: "},
        {"macros in turn",
         "CREATE PERFETTO MACRO a() RETURNS Expr AS b!(); CREATE PERFETTO MACRO b() RETURNS Expr "
         "AS a!(); SELECT a!()",
         "error: "},
        {"span joins in turn",
         "CREATE VIEW a AS SELECT 0 AS ts, 1 AS dur; CREATE VIEW b AS SELECT 0 AS ts;"
         "CREATE VIRTUAL TABLE s USING span_join(a, b); DROP VIEW b;"
         "CREATE VIEW b AS SELECT ts FROM s; SELECT * FROM s",
         "error: "}, );
}

/* The search for what was meant looks at a bounded part of them. */
Test(bad_input, names_that_name_nothing)
{
    struct orma_buf script = {0};
    struct engine e;

    CHECKS(NULL, {"quotes", "SELECT * FROM \"slc'ie\"", "error: no such table: slc'ie"},
           {"empty", "SELECT * FROM \"\"", "error: no such table: "},
           {"dots", "SELECT * FROM \"...\"", "error: no such table: ..."},
           {"no letters", "SELECT \"\".[] FROM slice", "error: no such column: ."},
           {"views in turn",
            "CREATE VIEW a AS SELECT * FROM b; CREATE VIEW b AS SELECT * FROM a;"
            "SELECT idd FROM a",
            "error: view "},
           {"in the place of what is asked",
            "CREATE VIEW pragma_function_list AS SELECT nix FROM nope;"
            "SELECT cout(*) FROM slice",
            "error: no such function: cout"}, );
    engine_init(&e);
    orma_buf_put_str(&script, "SELECT tss FROM slice WHERE id IN (0");
    for (unsigned i = 0; i < 20000; i++)
        orma_buf_put_str(&script, ", (dur)");
    orma_buf_put_str(&script, ")");
    engine_expect(&e, "many words", orma_buf_cstr(&script), "error: did you mean 'ts'?");
    orma_buf_clear(&script);
    orma_buf_put_str(&script, "SELECT * FROM ");
    for (unsigned i = 0; i < 100000; i++)
        orma_buf_put_str(&script, "slice");
    engine_expect(&e, "a long one", orma_buf_cstr(&script), "error: no such table: sliceslice");
    engine_expect(&e, "and the engine goes on", "SELECT 1", "1");
    engine_fini(&e);
    orma_buf_fini(&script);
    orma_assert_no_leaks();
}

Test(bad_input, failed_statements_leave_nothing_half_made)
{
    CHECKS(
        NULL,
        {"table", "CREATE PERFETTO TABLE t AS SELECT column1 AS a FROM (VALUES (1), ('x'))",
         "error: later received a value of type STRING"},
        {"operator", "CREATE VIRTUAL TABLE s USING span_join(nope, nope)", "error: no such table"},
        {"module", "INCLUDE PERFETTO MODULE no.such",
         "error: INCLUDE: Package 'no.such' not found"},
        {"name that is SQL",
         "CREATE PERFETTO TABLE \"x; DROP TABLE y\" AS SELECT 1 AS a; SELECT a FROM \"x; DROP "
         "TABLE y\"",
         "1"}, );
    struct engine e;

    engine_init(&e);
    (void)engine_run(&e, "CREATE PERFETTO TABLE t AS SELECT column1 AS a FROM (VALUES (1), ('x'))");
    engine_expect(&e, "no table", "SELECT count(*) FROM sqlite_schema WHERE name = 't'", "0");
    (void)engine_run(&e, "CREATE VIRTUAL TABLE s USING span_join(nope, nope)");
    engine_expect(&e, "no operator", "SELECT count(*) FROM sqlite_schema WHERE name = 's'", "0");
    engine_expect(&e, "names are free", "CREATE PERFETTO TABLE t AS SELECT 2 AS a; SELECT a FROM t",
                  "2");
    engine_fini(&e);
    orma_assert_no_leaks();
}

Test(bad_input, arguments_of_any_type_and_number)
{
    CHECKS(
        NULL, {"too few", "SELECT * FROM ancestor_slice()", "error: "},
        {"too many", "SELECT * FROM ancestor_slice(1, 2, 3)", "error: "},
        {"blob", "SELECT * FROM descendant_slice(x'00')", "error: start id should be an integer."},
        {"double", "SELECT * FROM following_flow(0.5)", "error: start id should be an integer."},
        {"huge", "SELECT * FROM ancestor_slice(9223372036854775807)",
         "error: no row with id 9223372036854775807"},
        {"pointer of another kind",
         "SELECT __intrinsic_dfs((SELECT __intrinsic_array_agg(1)), "
         "(SELECT __intrinsic_graph_agg(1, 2)))",
         "NULL"},
        {"no opening of files", "ATTACH '/etc/passwd' AS x", "error: "},
        {"no extensions", "SELECT load_extension('x')", "error: "},
        {"writing into the schema", "INSERT INTO sqlite_schema VALUES (1,1,1,1,1)", "error: "}, );
}
