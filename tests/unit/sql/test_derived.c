#include <criterion/criterion.h>
#include <time.h>

#include "processor/sql/engine.h"
#include "tests/support/leaks.h"
#include "tests/unit/sql/engine_fixture.h"

static void add_thread(struct engine *e)
{
    struct orma_table *t = &e->storage.tables[ORMA_TABLE_THREAD];

    orma_table_set(t, ORMA_THREAD_TID, orma_table_add(t), 42);
}

Test(derived, slices_and_counters_are_in_the_tables)
{
    struct engine e;

    engine_init(&e);
    add_thread(&e);
    engine_expect(&e, "slices",
                  "SELECT orma_slice(orma_track('Startup'), column1, column2, column3, 'boot') "
                  "FROM (VALUES (100, 50, 'outer'), (110, 10, 'inner'), (125, 5, 'second'), "
                  "(112, 2, 'deep'), (200, -1, 'open'))",
                  "0\n1\n2\n3\n4");
    engine_expect(&e, "nested",
                  "SELECT ts, dur, name, category, depth, parent_id FROM slice ORDER BY id",
                  "100 50 outer boot 0 NULL\n110 10 inner boot 1 0\n125 5 second boot 1 0\n"
                  "112 2 deep boot 2 1\n200 -1 open boot 0 NULL");
    engine_expect(&e, "by time", "SELECT name FROM slice WHERE ts BETWEEN 105 AND 130 ORDER BY ts",
                  "inner\ndeep\nsecond");
    engine_expect(&e, "one track", "SELECT orma_track('Startup'), orma_track('Other', 'utid', 0)",
                  "0 1");
    engine_expect(&e, "of a thread", "SELECT id, name, utid FROM thread_track", "1 Other 0");
    engine_expect(&e, "the same again",
                  "SELECT orma_track('Other', 'utid', 0), orma_track('Other')", "1 2");
    engine_expect(&e, "counters",
                  "SELECT orma_counter(orma_counter_track('load', '%'), ts, dur * 0.5) FROM slice "
                  "WHERE dur > 4 ORDER BY ts",
                  "0\n1\n2");
    engine_expect(&e, "their values",
                  "SELECT c.ts, c.value, t.name, t.unit FROM counter c JOIN counter_track t "
                  "ON c.track_id = t.id ORDER BY c.ts",
                  "100 25.0 load %\n110 5.0 load %\n125 2.5 load %");
    engine_fini(&e);
    orma_assert_no_leaks();
}

/* Each look for a track went through all events that waited. */
Test(derived, many_tracks_cost_what_they_are)
{
    struct engine e;

    engine_init(&e);
    clock_t before = clock();
    engine_expect(&e, "each track is asked for several times",
                  "WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 199999)"
                  "SELECT count(DISTINCT orma_track('t' || (i / 2))), "
                  "count(orma_slice(orma_track('t' || (i / 4)), i, 1, 'x')) FROM n",
                  "100000 200000");
    engine_expect(&e, "and once more when they are rows",
                  "SELECT count(DISTINCT orma_track('t' || (id / 2))) FROM slice", "100000");
    engine_expect(&e, "no more than that", "SELECT count(*) FROM track", "100000");
    cr_assert_lt((double)(clock() - before) / CLOCKS_PER_SEC, 20, "once minutes");
    engine_fini(&e);
    orma_assert_no_leaks();
}

Test(derived, descriptions_are_args)
{
    struct engine e;

    engine_init(&e);
    engine_expect(&e, "slice", "SELECT orma_slice(orma_track('t'), 1, 2, 'x')", "0");
    engine_expect(&e, "describe", "SELECT orma_describe(0, 'What x is', 'https://x.example')", "0");
    engine_expect(&e, "args",
                  "SELECT extract_arg(arg_set_id, 'description'), "
                  "extract_arg(arg_set_id, 'doc_link') FROM slice",
                  "What x is https://x.example");
    engine_expect(&e, "again", "SELECT orma_describe(id, 'Better') FROM slice", "0");
    engine_expect(&e, "kept",
                  "SELECT extract_arg(arg_set_id, 'description'), "
                  "extract_arg(arg_set_id, 'doc_link') FROM slice",
                  "Better https://x.example");
    engine_expect(&e, "in one statement",
                  "SELECT orma_describe(orma_slice(orma_track('t'), 9, 1, 'y'), 'Y')", "1");
    engine_expect(&e, "both", "SELECT name, extract_arg(arg_set_id, 'description') FROM slice",
                  "x Better\ny Y");
    engine_fini(&e);
    orma_assert_no_leaks();
}

/* A statement does not see what it makes itself, however it reads the table. */
Test(derived, tables_stand_still_while_a_statement_runs)
{
    struct engine e;

    engine_init(&e);
    engine_run(&e, "SELECT orma_slice(orma_track('t'), 10, 1, 'a')");
    engine_run(&e, "SELECT orma_slice(track_id, ts + 1, 1, 'b') FROM slice");
    engine_expect(&e, "two", "SELECT count(*), sum(ts) FROM slice", "2 21");
    engine_run(&e, "SELECT orma_slice(a.track_id, 5, 1, 'c') FROM slice a, slice b");
    engine_expect(&e, "six", "SELECT count(*), sum(ts), min(ts) FROM slice", "6 41 5");
    engine_expect(&e, "no longer in order", "SELECT ts FROM slice ORDER BY ts LIMIT 5",
                  "5\n5\n5\n5\n10");
    engine_expect(&e, "a range", "SELECT count(*) FROM slice WHERE ts < 11", "5");
    engine_fini(&e);
    orma_assert_no_leaks();
}

Test(derived, go_away_with_a_reset)
{
    struct engine e;

    engine_init(&e);
    engine_run(&e, "SELECT orma_slice(orma_track('t'), 10, 1, 'a'), orma_describe(0, 'x')");
    engine_run(&e, "SELECT orma_counter(orma_counter_track('c', 'b'), 3, 0.5)");
    engine_expect(&e, "there",
                  "SELECT (SELECT count(*) FROM slice), (SELECT count(*) FROM counter), "
                  "(SELECT count(*) FROM track)",
                  "1 1 2");
    cr_assert_eq(orma_sql_reset(e.sql), 0);
    engine_expect(&e, "gone",
                  "SELECT (SELECT count(*) FROM slice), (SELECT count(*) FROM counter), "
                  "(SELECT count(*) FROM track)",
                  "0 0 0");
    engine_expect(&e, "once more", "SELECT orma_slice(orma_track('u'), 4, 1, 'b')", "0");
    engine_expect(&e, "fresh", "SELECT ts, name, arg_set_id, parent_id FROM slice",
                  "4 b NULL NULL");
    engine_fini(&e);
    orma_assert_no_leaks();
}

Test(derived, refuse_what_does_not_fit)
{
    static const struct {
        const char *sql, *want;
    } checks[] = {
        {"SELECT orma_track(NULL)", "error: a track needs a name"},
        {"SELECT orma_track('x', 'utid', 7)", "error: unknown utid 7"},
        {"SELECT orma_track('x', 'cpu', 0)", "error: 'utid' or 'upid'"},
        {"SELECT orma_track('x', 'utid')", "error: expected a number after 'utid'"},
        {"SELECT orma_track()", "error: orma_track(name"},
        {"SELECT orma_slice(0, 1, 2, 'x')", "error: no such track"},
        {"SELECT orma_slice(orma_track('t'), 'x', 2, 'x')", "error: ts must be an integer"},
        {"SELECT orma_slice(orma_track('t'), 1, -2, 'x')", "error: dur must be an integer"},
        {"SELECT orma_slice(orma_track('t'), 9223372036854775807, 2, 'x')", "error: dur must be"},
        {"SELECT orma_slice(orma_track('t'), 1)", "error: orma_slice(track_id"},
        {"SELECT orma_counter(orma_counter_track('t', ''), 1, 'x')", "error: must be a number"},
        {"SELECT orma_describe(99, 'x')", "error: no such slice"},
        {"CREATE VIEW v AS SELECT orma_track('x') AS t; SELECT t FROM v", "error: unsafe use"},
    };

    for (size_t i = 0; i < ORMA_ARRAY_LEN(checks); i++) {
        struct engine e;

        engine_init(&e);
        engine_expect(&e, checks[i].sql, checks[i].sql, checks[i].want);
        engine_fini(&e);
    }
    orma_assert_no_leaks();
}
