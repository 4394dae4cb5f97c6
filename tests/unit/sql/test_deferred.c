/* What modules of the library define is made when it is first named: script/deferred.h. */
#include <criterion/criterion.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "processor/sql/engine.h"
#include "tests/support/leaks.h"
#include "tests/unit/sql/engine_fixture.h"

/* Objects that the connection has, without asking by a script, which may make some. */
static int objects(struct engine *e, const char *names)
{
    sqlite3_stmt *stmt;
    char *text = sqlite3_mprintf("SELECT count(*) FROM sqlite_master WHERE name IN (%s)", names);
    int num;

    cr_assert(text && !sqlite3_prepare_v2(e->sql->db, text, -1, &stmt, NULL));
    cr_assert(sqlite3_step(stmt) == SQLITE_ROW);
    num = sqlite3_column_int(stmt, 0);
    sqlite3_finalize(stmt);
    sqlite3_free(text);
    return num;
}

#define NAMES "'_slice_flattened', 'thread_slice', 'process_slice'"
#define INCLUDES                                                                                   \
    "INCLUDE PERFETTO MODULE slices.flat_slices; INCLUDE PERFETTO MODULE slices.with_context;"

/* What is there after a script that includes modules, and has this statement. */
static const struct {
    const char *what, *statement;
    int want;
} named[] = {
    {"nothing is named", "SELECT 1", 0},
    {"a table", "SELECT count(*) FROM _slice_flattened", 1},
    {"in another case", "SELECT count(*) FROM _SLICE_Flattened", 1},
    {"in quotes", "SELECT count(*) FROM \"thread_slice\"", 1},
    {"a table and a view", "SELECT count(*) FROM thread_slice, _slice_flattened", 2},
    {"in a string", "SELECT 'SELECT * FROM thread_slice'", 1},
    {"in a comment", "SELECT 1 /* thread_slice */", 0},
    {"as a column", "SELECT 1 AS thread_slice", 1},
    {"in a view of somebody", "CREATE VIEW mine AS SELECT * FROM thread_slice", 1},
    {"the catalog", "SELECT count(*) FROM sqlite_master", 3},
    {"a pragma", "PRAGMA table_info(slice)", 3},
    {"a pragma as a function", "SELECT * FROM pragma_table_list", 3},
    {"a transaction", "BEGIN; COMMIT", 3},
    {"to drop it", "DROP VIEW thread_slice", 0},
};

Test(sql_deferred, makes_what_statements_name)
{
    for (size_t i = 0; i < sizeof(named) / sizeof(*named); i++) {
        struct engine e;

        engine_init(&e);
        engine_run(&e, INCLUDES);
        cr_assert_eq(objects(&e, NAMES), 0, "%s: before", named[i].what);
        engine_run(&e, named[i].statement);
        cr_assert_str_eq(orma_sql_error_text(e.sql), "", "%s", named[i].what);
        cr_assert_eq(objects(&e, NAMES), named[i].want, "%s: %d", named[i].what,
                     objects(&e, NAMES));
        engine_fini(&e);
    }
    orma_assert_no_leaks();
}

static const struct engine_check checks[] = {
    {"a name that a module has is taken",
     "INCLUDE PERFETTO MODULE slices.flat_slices; CREATE PERFETTO TABLE _slice_flattened AS SELECT "
     "1 AS x",
     "error: already exists"},
    {"functions, by what they call",
     "INCLUDE PERFETTO MODULE android.startup.startup_breakdowns;"
     "SELECT _normalize_android_string('GC: Wait For X')",
     "userspace_memory_reclaim"},
    {"macros, by what they expand to",
     "INCLUDE PERFETTO MODULE graphs.search; SELECT count(*) FROM graph_reachable_bfs!("
     "(SELECT 1 AS source_node_id, 2 AS dest_node_id), (SELECT 1 AS node_id))",
     "2"},
    {"a function may have the name of a table",
     "INCLUDE PERFETTO MODULE slices.with_context; CREATE PERFETTO FUNCTION thread_slice(x LONG) "
     "RETURNS LONG AS SELECT $x + 1; SELECT thread_slice(1), (SELECT count(*) FROM thread_slice)",
     "2 0"},
    {"modules of others see it",
     "INCLUDE PERFETTO MODULE slices.with_context; CREATE PERFETTO FUNCTION n() RETURNS LONG AS "
     "SELECT count(*) FROM thread_slice; SELECT n()",
     "0"},
    {"what a transaction made and took back is there again",
     "INCLUDE PERFETTO MODULE slices.with_context; BEGIN; SELECT count(*) FROM thread_slice; "
     "ROLLBACK;"
     "SELECT count(*) FROM thread_slice",
     "0\n0"},
    {"twice", INCLUDES INCLUDES "SELECT count(*) FROM thread_slice", "0"},
};

Test(sql_deferred, is_as_if_it_was_there)
{
    engine_checks(NULL, checks, sizeof(checks) / sizeof(*checks));
}

Test(sql_deferred, is_forgotten_with_the_connection)
{
    struct engine e;

    engine_init(&e);
    engine_run(&e, INCLUDES);
    cr_assert_eq(orma_sql_reset(e.sql), 0);
    engine_run(&e, "SELECT count(*) FROM sqlite_master");
    cr_assert_eq(objects(&e, NAMES), 0);
    engine_expect(&e, "again", INCLUDES "SELECT count(*) FROM _slice_flattened", "0");
    engine_fini(&e);
    orma_assert_no_leaks();
}

/* A misspelled name of a module that was included. */
Test(sql_deferred, is_proposed)
{
    struct engine e;
    const char *out;

    engine_init(&e);
    out = engine_run(&e, INCLUDES "SELECT * FROM thread_slicf");
    cr_assert(strstr(out, "did you mean 'thread_slice'?"), "%s", out);
    engine_fini(&e);
    orma_assert_no_leaks();
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define INCLUDE_NS_MAX (20 * INT64_C(20000000))
#else
#define INCLUDE_NS_MAX INT64_C(20000000)
#endif

static int64_t cpu_ns(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
    return ts.tv_sec * INT64_C(1000000000) + ts.tv_nsec;
}

/* Viewers include dozens before they show anything; what is not named later costs nothing. */
Test(sql_deferred, includes_any_module_at_once, .timeout = 300)
{
    struct engine e;
    struct orma_str rest, name;
    char *names, include[256];
    unsigned num = 0;

    engine_init(&e);
    names = strdup(engine_run(&e, "SELECT DISTINCT module FROM __intrinsic_stdlib_objects WHERE "
                                  "module NOT GLOB 'prelude.*' ORDER BY 1"));
    rest = orma_str_from(names);
    while (rest.len && orma_str_cut(&rest, '\n', &name)) {
        int64_t least = INT64_MAX;

        if (!name.len)
            continue;
        snprintf(include, sizeof(include), "INCLUDE PERFETTO MODULE %.*s", ORMA_STR_ARG(name));
        for (int tries = 0; tries < 3 && least > INCLUDE_NS_MAX; tries++) {
            cr_assert_eq(orma_sql_reset(e.sql), 0);
            int64_t begin = cpu_ns();
            const char *out = engine_run(&e, include);
            least = cpu_ns() - begin < least ? cpu_ns() - begin : least;
            cr_assert_str_eq(out, "", "%s", include);
        }
        cr_assert(least <= INCLUDE_NS_MAX, "%s: %lld ns", include, (long long)least);
        num++;
    }
    cr_assert(num > 200, "%u", num);
    free(names);
    engine_fini(&e);
    orma_assert_no_leaks();
}
