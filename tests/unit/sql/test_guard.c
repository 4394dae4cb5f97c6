/* What SQLite brings that no query may use: against the library that is linked, whichever it is. */
#include <criterion/criterion.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "processor/sql/engine.h"
#include "processor/sql/sqlite/guard.h"
#include "tests/support/leaks.h"
#include "tests/unit/sql/engine_fixture.h"

/* A connection as SQLite makes it, and a list that it gives. */
struct bare {
    sqlite3 *db;
    sqlite3_stmt *stmt;
};

static struct bare bare_list(const char *sql)
{
    struct bare b = {0};

    cr_assert_eq(sqlite3_open(":memory:", &b.db), SQLITE_OK);
    cr_assert_eq(sqlite3_prepare_v2(b.db, sql, -1, &b.stmt, NULL), SQLITE_OK);
    return b;
}

static const char *bare_next(struct bare *b)
{
    return sqlite3_step(b->stmt) == SQLITE_ROW ? (const char *)sqlite3_column_text(b->stmt, 0)
                                               : NULL;
}

static void bare_close(struct bare *b)
{
    sqlite3_finalize(b->stmt);
    sqlite3_close(b->db);
}

static const struct orma_sqlite_guard_name *find_module(const char *name)
{
    for (const struct orma_sqlite_guard_name *m = orma_sqlite_guard_modules; m->name; m++) {
        if (!strcasecmp(m->name, name))
            return m;
    }
    return NULL;
}

#define LOOK_AT_IT                                                                                 \
    "is new in this SQLite: look at what it does, and add it to processor/sql/sqlite/guard.c"

Test(guard, all_that_this_sqlite_has_was_looked_at)
{
    unsigned num = 0;
    const char *name;

    struct bare b = bare_list("SELECT DISTINCT name FROM pragma_function_list");
    for (; (name = bare_next(&b)); num++)
        cr_expect(orma_sqlite_guard_find_function(name), "the function %s() " LOOK_AT_IT, name);
    bare_close(&b);
    cr_assert_gt(num, 50);
    b = bare_list("SELECT name FROM pragma_module_list WHERE name NOT GLOB 'pragma_*'");
    for (num = 0; (name = bare_next(&b)); num++)
        cr_expect(find_module(name), "the module %s " LOOK_AT_IT, name);
    bare_close(&b);
    b = bare_list("PRAGMA pragma_list");
    for (num = 0; (name = bare_next(&b)); num++)
        cr_expect(orma_sqlite_guard_find_pragma(name), "the pragma %s " LOOK_AT_IT, name);
    bare_close(&b);
    cr_assert_gt(num, 50);
}

Test(guard, tables_are_sorted)
{
    for (const struct orma_sqlite_guard_name *f = orma_sqlite_guard_functions; f[1].name; f++)
        cr_expect_lt(strcmp(f[0].name, f[1].name), 0, "%s", f[1].name);
    for (const struct orma_sqlite_guard_pragma *p = orma_sqlite_guard_pragmas; p[1].name; p++)
        cr_expect_lt(strcmp(p[0].name, p[1].name), 0, "%s", p[1].name);
}

/* One crashed: a tokenizer's table was freed with its module. */
Test(guard, refused_functions_say_why)
{
    struct bare b = bare_list("SELECT name, narg FROM pragma_function_list");
    struct engine e;
    const char *name;

    engine_init(&e);
    while ((name = bare_next(&b))) {
        const struct orma_sqlite_guard_name *known = orma_sqlite_guard_find_function(name);
        int args = sqlite3_column_int(b.stmt, 1);
        char list[128] = "", call[256], want[256];

        if (!known || !known->refused)
            continue;
        for (int i = 0; i < (args < 0 ? 3 : args); i++)
            strcat(list, i ? ",'simple'" : "'simple'");
        snprintf(call, sizeof(call), "SELECT %s(%s)", name, list);
        snprintf(want, sizeof(want), "error: %s(): this function of SQLite is refused: %s", name,
                 known->refused);
        engine_expect(&e, name, call, want);
    }
    engine_fini(&e);
    bare_close(&b);
}

Test(guard, modules_of_sqlite_cannot_be_used)
{
    struct bare b = bare_list("SELECT name FROM pragma_module_list WHERE name NOT GLOB 'pragma_*'");
    struct engine e;
    const char *name;

    engine_init(&e);
    while ((name = bare_next(&b))) {
        const struct orma_sqlite_guard_name *known = find_module(name);
        char sql[256];

        snprintf(sql, sizeof(sql), "CREATE VIRTUAL TABLE v USING %s(a)", name);
        if (known && known->refused)
            engine_expect(&e, name, sql, "error: no such module");
    }
    engine_fini(&e);
    bare_close(&b);
}

/* Whatever a query says, the next one finds the connection as it was. */
Test(guard, pragmas_change_nothing_that_a_later_query_sees)
{
    static const char *const values[] = {"1", "0", "-1", "2", "'/tmp'", "UTF16", "OFF", "ON"};
    struct bare b = bare_list("PRAGMA pragma_list");
    sqlite3_int64 heap = sqlite3_hard_heap_limit64(-1), soft = sqlite3_soft_heap_limit64(-1);
    struct engine e;
    const char *name;
    char before[16384], sql[256];

    engine_init(&e);
    while ((name = bare_next(&b))) {
        const struct orma_sqlite_guard_pragma *p = orma_sqlite_guard_find_pragma(name);

        if (!p || p->use == ORMA_PRAGMA_ASK || !strcmp(name, "function_list"))
            continue; /* that list is long */
        snprintf(sql, sizeof(sql), "PRAGMA %s", name);
        snprintf(before, sizeof(before), "%s", engine_run(&e, sql));
        for (size_t i = 0; i < ORMA_ARRAY_LEN(values); i++) {
            snprintf(sql, sizeof(sql), "PRAGMA %s = %s", name, values[i]);
            engine_expect(&e, sql, sql, "error: is refused: ");
            snprintf(sql, sizeof(sql), "PRAGMA main.%s(%s)", name, values[i]);
            engine_expect(&e, sql, sql, "error: is refused: ");
        }
        snprintf(sql, sizeof(sql), "PRAGMA %s", name);
        engine_expect(&e, name, sql, before);
    }
    engine_expect(&e, "as a table function", "SELECT * FROM pragma_journal_mode('wal')", "error: ");
    engine_expect(&e, "LIKE is as it was", "SELECT 'A' LIKE 'a'", "1");
    engine_expect(&e, "of nobody", "PRAGMA no_such_thing", "error: is refused: ");
    engine_expect(&e, "asking is allowed", "SELECT name FROM pragma_table_info('slice') LIMIT 1",
                  "id");
    e.sql->given.file_access = true;
    engine_expect(&e, "process-wide even with files", "PRAGMA hard_heap_limit = 1",
                  "error: is refused: ");
    engine_fini(&e);
    cr_assert_eq(sqlite3_hard_heap_limit64(-1), heap);
    cr_assert_eq(sqlite3_soft_heap_limit64(-1), soft);
    bare_close(&b);
}

/* Calls that only the dialect makes, and table functions whose arguments are left out. */
Test(guard, functions_need_the_arguments_that_they_read)
{
    static const struct engine_check checks[] = {
        {"no query", "SELECT sum(__orma_ordered()) OVER (), count(*) FROM (VALUES (1), (2))",
         "error: expected a query"},
        {"cells far away", "SELECT __orma_cell(1, 9223372036854775807, 9223372036854775807)",
         "NULL"},
        {"no plan", "SELECT * FROM (VALUES (1)), __intrinsic_dataframe_query_plan_decoder()",
         "error: argument 'in_plan' is missing"},
        {"no pattern", "SELECT * FROM __intrinsic_flamegraph_find('slice')",
         "error: argument 'in_pattern' is missing"},
    };

    engine_checks(NULL, checks, ORMA_ARRAY_LEN(checks));
}

/* What a pointer points to goes with the statement that made it. */
Test(guard, pointers_do_not_leave_their_statement)
{
#define FRAME "__intrinsic_row_dataframe_agg('a', column1) FROM (VALUES (1), (2))"
    static const struct engine_check checks[] = {
        {"as result of a function",
         "CREATE PERFETTO FUNCTION f() RETURNS ANY AS SELECT " FRAME
         ";SELECT count(*) FROM __intrinsic_table_ptr(f())",
         "0"},
        {"through a function",
         "CREATE PERFETTO FUNCTION f(x ANY) RETURNS ANY AS SELECT $x;"
         "SELECT count(*) FROM __intrinsic_table_ptr(f((SELECT " FRAME ")))",
         "0"},
        {"from a table function",
         "CREATE PERFETTO FUNCTION f() RETURNS TABLE(p ANY) AS SELECT (SELECT " FRAME ") AS p;"
         "SELECT count(*) FROM f(), __intrinsic_table_ptr(p)",
         "0"},
        {"out of an ordered aggregate",
         "SELECT typeof(__orma_cell(__orma_ordered('SELECT ?1', column1), 0, 0)) FROM "
         "(VALUES (1), (2))",
         "null"},
        {"within its statement it is of use",
         "SELECT count(*) FROM __intrinsic_table_ptr((SELECT " FRAME "))", "2"},
    };
#undef FRAME

    engine_checks(NULL, checks, ORMA_ARRAY_LEN(checks));
}

/* Each of these is one call, which nobody can interrupt. */
Test(guard, values_and_patterns_have_a_size)
{
    static const struct engine_check checks[] = {
        {"a text", "SELECT length(replace(hex(zeroblob(20000000)), '0', 'xx'))", "error: too big"},
        {"a blob", "SELECT length(zeroblob(70000000))", "error: too big"},
        {"a pattern", "SELECT 'a' LIKE printf('%.*c', 5001, '%')",
         "error: LIKE or GLOB pattern too complex"},
        {"a large one", "SELECT length(zeroblob(67000000))", "67000000"},
    };

    engine_checks(NULL, checks, ORMA_ARRAY_LEN(checks));
}

/* Two statements at once, as the C API allows: one reads what the other takes away. */
Test(guard, tables_stay_while_a_statement_reads_them)
{
    static const char *const changes[] = {
        "DROP TABLE t",
        "CREATE OR REPLACE PERFETTO TABLE t AS SELECT 'other' AS b",
        "DROP VIEW v",
        "CREATE OR REPLACE PERFETTO FUNCTION f() RETURNS TABLE(x INT) AS SELECT 7 AS x",
        "CREATE OR REPLACE PERFETTO FUNCTION g(x INT) RETURNS INT AS SELECT 7",
        "DROP PERFETTO INDEX i ON t",
        "SELECT orma_slice(orma_track('x'), column1, 1, 'new') FROM (VALUES (1), (2))",
    };
    static const char *const reads[] = {
        "SELECT a FROM t",    "SELECT a FROM t WHERE a > 0 ORDER BY a",
        "SELECT a FROM v",    "SELECT x FROM f()",
        "SELECT g(a) FROM t", "SELECT ts FROM slice"};

    for (size_t i = 0; i < ORMA_ARRAY_LEN(changes); i++) {
        for (size_t k = 0; k < ORMA_ARRAY_LEN(reads); k++) {
            struct orma_runner *runner;
            struct orma_sql_stmt *stmt;
            struct engine e;

            engine_init(&e);
            engine_expect(
                &e, "setup",
                "SELECT orma_slice(orma_track('y'), column1, 1, 'old') FROM (VALUES (1), (2));"
                "CREATE PERFETTO TABLE t AS SELECT column1 AS a FROM (VALUES (1), (2), (3));"
                "CREATE PERFETTO INDEX i ON t(a); CREATE VIEW v AS SELECT a FROM t;"
                "CREATE PERFETTO FUNCTION f() RETURNS TABLE(x INT) AS SELECT a AS x FROM t;"
                "CREATE PERFETTO FUNCTION g(x INT) RETURNS INT AS SELECT $x + 1",
                "0\n1");
            cr_assert_eq(orma_runner_new(e.sql, "File \"t\"", orma_str_from(reads[k]), &runner), 0);
            cr_assert_eq(orma_runner_next(runner, &stmt), 1);
            cr_assert_eq(orma_sql_stmt_step(stmt), 1);
            (void)engine_run(&e, changes[i]); /* may be refused: it is in use */
            while (orma_sql_stmt_step(stmt) > 0)
                (void)sqlite3_column_text(stmt->stmt, 0);
            orma_sql_stmt_free(stmt);
            orma_runner_free(runner);
            engine_expect(&e, changes[i], "SELECT 1", "1");
            engine_fini(&e);
        }
    }
    orma_assert_no_leaks();
}

/* ---- interrupts ---- */

/* Between two rows nothing runs; the statement has not ended for that. */
Test(guard, an_interrupt_between_two_rows_counts)
{
    struct orma_runner *runner;
    struct orma_sql_stmt *stmt;
    struct engine e;

    engine_init(&e);
    cr_assert_eq(orma_runner_new(e.sql, "File \"t\"",
                                 ORMA_STR("WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT "
                                          "i + 1 FROM n) SELECT count(*) FROM n GROUP BY i / 9"
                                          " LIMIT -1"),
                                 &runner),
                 0);
    cr_assert_eq(orma_runner_next(runner, &stmt), 1);
    orma_sql_interrupt(e.sql);
    cr_assert_eq(orma_sql_stmt_step(stmt), -ECANCELED);
    orma_sql_stmt_free(stmt);
    orma_runner_free(runner);
    engine_expect(&e, "a later script is not concerned", "SELECT 1", "1");
    orma_sql_interrupt(e.sql); /* nothing runs */
    engine_expect(&e, "nor by one that came too late", "SELECT 2", "2");
    engine_fini(&e);
    orma_assert_no_leaks();
}

Test(guard, a_query_that_takes_too_long_fails_and_says_so)
{
    struct engine e;

    engine_init(&e);
    e.sql->given.time_limit_ns = 200 * 1000 * 1000;
    engine_expect(&e, "endless",
                  "SELECT 1; WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n) "
                  "SELECT count(*) FROM n",
                  "error: the query takes longer than the limit of 0.2 s");
    engine_expect(&e, "in an operator",
                  "SELECT sum(ts) FROM __intrinsic_window(0, 9223372036854775807, 1)",
                  "error: the query takes longer than the limit of 0.2 s");
    engine_expect(&e, "each has its own time", "SELECT 1", "1");
    e.sql->given.time_limit_ns = 1; /* long over when a reset begins */
    cr_assert_eq(orma_sql_reset(e.sql), 0);
    e.sql->given.time_limit_ns = 0;
    engine_expect(&e, "nothing is missing", "SELECT count(*) FROM slice", "0");
    engine_fini(&e);
    orma_assert_no_leaks();
}

/* A function of SQLite's that takes long, and asks nobody. */
static void slow(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    int *calls = sqlite3_user_data(ctx);

    (void)argc;
    (void)argv;
    ++*calls;
    (void)usleep(50000);
    sqlite3_result_int(ctx, *calls);
}

Test(guard, a_query_whose_steps_take_long_is_asked_after_few)
{
    struct engine e;
    int calls = 0;

    engine_init(&e);
    cr_assert_eq(
        sqlite3_create_function(e.sql->db, "slow", 1, SQLITE_UTF8, &calls, slow, NULL, NULL), 0);
    e.sql->given.time_limit_ns = 200 * 1000 * 1000;
    engine_expect(&e, "slow steps",
                  "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n LIMIT 1000) "
                  "SELECT sum(slow(i)) FROM n",
                  "error: the query takes longer than the limit of 0.2 s");
    cr_assert_leq(calls, 10, "called %d times, 50 ms each, in 200 ms", calls);
    e.sql->given.time_limit_ns = 0;
    engine_fini(&e);
    orma_assert_no_leaks();
}

struct interrupter {
    struct orma_sql *sql;
    _Atomic bool done;
};

static void *interrupt(void *data)
{
    struct interrupter *self = data;

    while (!atomic_load(&self->done))
        orma_sql_interrupt(self->sql);
    return NULL;
}

/* A reset closes the connection: whoever interrupts must not touch it. */
Test(guard, interrupts_may_come_while_the_connection_is_made_anew)
{
    struct engine e;
    struct interrupter in = {0};
    pthread_t thread;

    engine_init(&e);
    in.sql = e.sql;
    cr_assert_eq(pthread_create(&thread, NULL, interrupt, &in), 0);
    for (int i = 0; i < 20; i++)
        cr_assert_eq(orma_sql_reset(e.sql), 0); /* and is not interrupted itself */
    atomic_store(&in.done, true);
    cr_assert_eq(pthread_join(thread, NULL), 0);
    cr_assert_eq(orma_sql_reset(e.sql), 0);
    engine_expect(&e, "and the engine goes on", "SELECT count(*) > 0 FROM sqlite_master", "1");
    engine_fini(&e);
    orma_assert_no_leaks();
}
