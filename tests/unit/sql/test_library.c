/* Libraries of others: what their modules are written with, and preludes that want more than we
 * have. */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "processor/sql/engine.h"
#include "processor/sql/script/modules.h"
#include "tests/support/leaks.h"
#include "tests/unit/sql/engine_fixture.h"

/* Lists of columns and tables are mapped by macros that are arguments of macros. */
static const char lists_sql[] =
    "-- A name as it is.\n"
    "CREATE PERFETTO MACRO _same(a ColumnName) RETURNS _SqlFragment AS\n$a;\n"
    "CREATE PERFETTO MACRO _map(columns ColumnNameList, fn _Macro)\n"
    "RETURNS _ProjectionFragment\nAS\n__intrinsic_token_apply!($fn, $columns);\n"
    "CREATE PERFETTO MACRO _map_prefix(columns _ColumnNameList, fn _Macro)\n"
    "RETURNS _SqlFragment AS __intrinsic_token_apply_prefix!($fn, $columns);\n"
    "CREATE PERFETTO MACRO _pick(\n  -- a table;\n  t TableOrSubquery, /* (its columns */\n"
    "  columns ColumnNameList)\nRETURNS TableOrSubquery AS\n"
    "(\n  SELECT 1 AS one _map_prefix!($columns, _same)\n  FROM $t -- the end, \"of\" it)\n);\n";

/* A macro for up to three tables and two keys: it binds the names of all that there may be. */
static const char meet_sql[] =
    "INCLUDE PERFETTO MODULE lib.lists;\n"
    "CREATE PERFETTO MACRO _pair(x ColumnName, y ColumnName)\nRETURNS _ProjectionFragment AS\n"
    "__intrinsic_stringify!($x), input.$y;\n"
    "CREATE PERFETTO MACRO _as(x ColumnName, y ColumnName) RETURNS _ProjectionFragment AS $x AS "
    "$y;\n"
    "CREATE PERFETTO MACRO _bind(x Expr, y Expr) RETURNS Expr AS\n"
    "__intrinsic_table_ptr_bind($x, __intrinsic_stringify!($y));\n"
    "CREATE PERFETTO MACRO _first(x Expr, y Expr) RETURNS Expr AS $x;\n"
    "CREATE PERFETTO MACRO _set(t TableOrSubquery, keys ColumnNameList)\n"
    "RETURNS TableOrSubquery AS (\n"
    "  SELECT __intrinsic_interval_tree_intervals_agg(\n    input.id, input.ts, input.dur\n"
    "    __intrinsic_token_apply_prefix!(_pair, $keys, $keys)\n"
    "  ) FROM (SELECT * FROM $t ORDER BY ts) input\n);\n"
    "CREATE PERFETTO MACRO _meet(tabs _TableNameList, keys ColumnNameList)\n"
    "RETURNS TableOrSubquery AS (\n  SELECT\n    c0 AS ts,\n    c1 AS dur,\n"
    "    __intrinsic_token_apply!(_first, (c2 AS id_0, c3 AS id_1, c4 AS id_2), $tabs)\n"
    "    __intrinsic_token_apply_prefix!(_as, (c5, c6), $keys)\n"
    "  FROM __intrinsic_table_ptr(\n    __intrinsic_interval_intersect(\n"
    "      __intrinsic_token_apply!(_set, $tabs, ($keys, $keys, $keys)),\n"
    "      __intrinsic_stringify!($keys)\n    )\n  )\n"
    "  WHERE __intrinsic_table_ptr_bind(c0, 'ts')\n"
    "    AND __intrinsic_table_ptr_bind(c1, 'dur')\n"
    "    AND __intrinsic_table_ptr_bind(c2, 'id_0')\n"
    "    AND __intrinsic_table_ptr_bind(c3, 'id_1')\n"
    "    AND __intrinsic_table_ptr_bind(c4, 'id_2')\n"
    "    __intrinsic_token_apply_and_prefix!(_bind, (c5, c6), $keys)\n);\n";

/* What libraries for phones are written with, whatever the trace has. */
static const char phone_sql[] =
    "CREATE PERFETTO TABLE users AS SELECT type, android_user_id FROM "
    "__intrinsic_android_user_list;\n"
    "CREATE PERFETTO TABLE curves AS SELECT * FROM __intrinsic_wattson_curves_cpu_1d();\n"
    "CREATE PERFETTO VIEW chunks AS SELECT e.element_type FROM __intrinsic_etm_v4_chunk AS c\n"
    "JOIN __intrinsic_etm_decode_chunk(c.id) AS e;\n"
    "CREATE PERFETTO MACRO twice(x Expr) RETURNS Expr AS ($x + $x);\n"
    "CREATE PERFETTO TABLE spaced AS SELECT twice !(1) AS a, twice\n!(2) AS id;\n"
    "CREATE PERFETTO TABLE numbered AS SELECT _auto_id AS n, * FROM spaced;\n"
    "CREATE PERFETTO FUNCTION package_of(uid LONG) RETURNS STRING\n"
    "DELEGATES TO _intrinsic_package_lookup;\n"
    "CREATE PERFETTO FUNCTION who(uid LONG) RETURNS STRING DELEGATES TO package_of;\n"
    "CREATE PERFETTO TABLE reals(a LONG) AS SELECT 1 AS a UNION ALL SELECT 2.5;\n"
    "CREATE PERFETTO TABLE related AS SELECT s.id FROM slice AS s\n"
    "JOIN descendant_slice(s.id) AS d WHERE d.name = 'x' OR s.name = 'y';\n"
    /* The time of nothing: NULL. */
    "CREATE PERFETTO TABLE of_nothing AS SELECT c0 AS ts, c1 AS dur, c2 AS id_0, c5 AS id_3\n"
    "FROM __intrinsic_table_ptr(__intrinsic_interval_intersect(\n"
    "  (SELECT __intrinsic_interval_tree_intervals_agg(1, x.ts, NULL)\n"
    "   FROM (SELECT min(ts) AS ts FROM slice) AS x), ''))\n"
    "WHERE __intrinsic_table_ptr_bind(c0, 'ts') AND __intrinsic_table_ptr_bind(c1, 'dur')\n"
    "AND __intrinsic_table_ptr_bind(c2, 'id_0') AND __intrinsic_table_ptr_bind(c5, 'id_3');\n";

static const struct orma_sql_embedded lib[] = {
    {"lib.lists", lists_sql},
    {"lib.meet", meet_sql},
    {"lib.phone", phone_sql},
};

#define SPANS                                                                                      \
    "INCLUDE PERFETTO MODULE lib.*;"                                                               \
    "CREATE PERFETTO TABLE s AS SELECT column1 AS id, column2 AS ts, column3 AS dur, "             \
    "column4 AS k FROM (VALUES (0, 1, 6, 'x'), (1, 3, 2, 'y'), (2, 3, 4, 'x'));"

Test(library, lists_of_names_and_tables)
{
    static const struct engine_check checks[] = {
        {"no column", SPANS "SELECT * FROM _pick!(s, ()) LIMIT 1", "1"},
        {"two columns", SPANS "SELECT * FROM _pick!(s, (dur, k)) LIMIT 1", "1 6 x"},
        {"mapped", SPANS "SELECT _map!((id, ts), _same) FROM s WHERE id = 2", "2 3"},
        {"two sets", SPANS "SELECT * FROM _meet!((s, s), ()) WHERE id_0 < id_1 ORDER BY 1, 3, 4",
         "3 2 0 1\n3 4 0 2\n3 2 1 2"},
        {"three sets by key",
         SPANS "SELECT * FROM _meet!((s, (SELECT * FROM s WHERE k = 'x'), s), (k)) "
               "WHERE id_0 < id_1 AND id_1 <= id_2",
         "3 4 0 2 2 x"},
        {"a name bound to nothing is read",
         "SELECT c0 FROM __intrinsic_table_ptr((SELECT __intrinsic_row_dataframe_agg('a', 1))) "
         "WHERE __intrinsic_table_ptr_bind(c0, 'b')",
         "error: column 'b' does not exist in table"},
        {"a name bound to nothing is not read",
         "SELECT c1 FROM __intrinsic_table_ptr((SELECT __intrinsic_row_dataframe_agg('a', 1))) "
         "WHERE __intrinsic_table_ptr_bind(c0, 'b') AND __intrinsic_table_ptr_bind(c1, 'a')",
         "1"},
        {"tables that no trace fills", SPANS "SELECT count(*) FROM users, curves, chunks", "0"},
        {"calls with blanks", SPANS "SELECT * FROM spaced", "2 4"},
        {"numbers of rows", SPANS "SELECT * FROM numbered", "0 2 4"},
        {"a name of a name", SPANS "SELECT who(1000), who(10001), who(1099999), who(NULL)",
         "AID_SYSTEM_USER uid=10001 ISOLATED_UID NULL"},
        {"numbers of both kinds", SPANS "SELECT a FROM reals", "1.0\n2.5"},
        {"another order of the tables", SPANS "SELECT count(*) FROM related", "0"},
        {"intervals of nothing", SPANS "SELECT * FROM of_nothing", "0 0 1 NULL"},
        {"no such type of a macro", "CREATE PERFETTO MACRO m(a Word) RETURNS Expr AS 1",
         "error: Macro 'm' argument 'a' is unknown type 'Word'"},
        {"arguments of one name", "CREATE PERFETTO MACRO m(a Expr, a Expr) RETURNS Expr AS 1",
         "error: multiple arguments are named a"},
    };

    for (size_t i = 0; i < ORMA_ARRAY_LEN(checks); i++) {
        struct engine e;

        engine_init(&e);
        cr_assert_eq(orma_packages_add_texts(e.sql, "lib", lib, ORMA_ARRAY_LEN(lib), false), 0);
        engine_expect(&e, checks[i].what, checks[i].script, checks[i].want);
        engine_fini(&e);
    }
    orma_assert_no_leaks();
}

static void put_file(const char *dir, const char *name, const char *text)
{
    struct orma_buf path = {0};
    FILE *f;

    orma_buf_printf(&path, "%s/%s", dir, name);
    f = fopen(orma_buf_cstr(&path), "we");
    cr_assert(f && fputs(text, f) >= 0 && fclose(f) == 0);
    orma_buf_fini(&path);
}

static void make_dir(const char *dir, const char *name)
{
    struct orma_buf path = {0};

    orma_buf_printf(&path, "%s/%s", dir, name);
    cr_assert(mkdir(orma_buf_cstr(&path), 0700) == 0, "%s", strerror(errno));
    orma_buf_fini(&path);
}

static const char *const folders[] = {"prelude", "prelude/before_eof", "prelude/after_eof",
                                      "phone"};
static const char *const files[][2] = {
    {"prelude/before_eof/functions.sql",
     "CREATE PERFETTO MACRO twice(x Expr) RETURNS Expr AS 2 * $x;\n"
     "CREATE PERFETTO FUNCTION pixels(x LONG) RETURNS LONG DELEGATES TO __intrinsic_pixels;\n"},
    {"prelude/after_eof/views.sql",
     "CREATE PERFETTO VIEW slice(id ID, ts TIMESTAMP, name STRING) AS\n"
     "SELECT id, ts, name FROM __intrinsic_slice;\n"
     "CREATE PERFETTO VIEW frame(id ID(slice.id), name STRING, jank DOUBLE, data ANY) AS\n"
     "SELECT f.*, s.name FROM __intrinsic_frame AS f JOIN slice AS s USING (id);\n"
     "CREATE PERFETTO TABLE pane(id LONG) AS SELECT id FROM __intrinsic_pane;\n"
     "CREATE PERFETTO INDEX pane_id ON pane(id);\n"
     "CREATE PERFETTO TABLE _private AS SELECT * FROM __intrinsic_pane;\n"
     "CREATE PERFETTO TABLE late AS SELECT twice!(21) AS answer;\n"},
    /* Older libraries have no stages. */
    {"prelude/before_eof/bounds.sql",
     "CREATE TABLE _trace_bounds AS SELECT 0 AS start_ts, 0 AS end_ts;\n"
     "CREATE PERFETTO FUNCTION trace_start() RETURNS TIMESTAMP AS\n"
     "SELECT start_ts FROM _trace_bounds;\n"},
    {"prelude/after_eof/core.sql",
     "CREATE PERFETTO VIEW trace_bounds(start_ts TIMESTAMP, end_ts TIMESTAMP) AS\n"
     "SELECT start_ts, end_ts FROM _trace_bounds;\n"
     "CREATE PERFETTO VIEW thread AS SELECT id AS utid, * FROM __intrinsic_thread;\n"
     "CREATE PERFETTO VIEW process AS SELECT id AS upid, * FROM __intrinsic_process;\n"},
    {"prelude/casts.sql",
     "CREATE PERFETTO MACRO to_int(x Expr) RETURNS Expr AS CAST($x AS INT);\n"},
    {"phone/frames.sql",
     "CREATE PERFETTO TABLE frames AS SELECT count(*) AS num, sum(jank) AS jank FROM frame;\n"},
    {"phone/panes.sql", "CREATE PERFETTO TABLE panes AS SELECT * FROM __intrinsic_pane;\n"},
};

static void library_in(char *dir)
{
    cr_assert(mkdtemp(dir), "%s", strerror(errno));
    for (size_t i = 0; i < ORMA_ARRAY_LEN(folders); i++)
        make_dir(dir, folders[i]);
    for (size_t i = 0; i < ORMA_ARRAY_LEN(files); i++)
        put_file(dir, files[i][0], files[i][1]);
}

static void remove_library(const char *dir)
{
    struct orma_buf path = {0};

    for (size_t i = 0; i < ORMA_ARRAY_LEN(files); i++) {
        orma_buf_clear(&path);
        orma_buf_printf(&path, "%s/%s", dir, files[i][0]);
        cr_expect_eq(unlink(orma_buf_cstr(&path)), 0);
    }
    for (size_t i = ORMA_ARRAY_LEN(folders); i-- > 0;) {
        orma_buf_clear(&path);
        orma_buf_printf(&path, "%s/%s", dir, folders[i]);
        cr_expect_eq(rmdir(orma_buf_cstr(&path)), 0);
    }
    cr_expect_eq(rmdir(dir), 0);
    orma_buf_fini(&path);
}

Test(library, a_prelude_may_want_tables_that_are_not_here)
{
    char dir[] = "/tmp/orma-library-XXXXXX";
    struct engine e;

    library_in(dir);
    engine_init(&e);
    cr_expect_eq(orma_sql_override_stdlib(e.sql, dir), 0, "%s", orma_sql_error_text(e.sql));
    cr_expect_eq(orma_sql_data_ready(e.sql), 0, "%s", orma_sql_error_text(e.sql));
    /* pixels(), frame, pane, its index, _private */
    cr_expect_eq(e.sql->left_out, 5, "%u statements left out", e.sql->left_out);
    cr_expect(strstr(orma_buf_cstr(&e.sql->left_out_first), "__intrinsic_pixels"));
    engine_expect(&e, "the rest of the prelude", "SELECT answer, to_int!('7') FROM late", "42 7");
    engine_expect(&e, "views are its own",
                  "SELECT name, sql LIKE '%__intrinsic_slice%' FROM "
                  "sqlite_schema WHERE name = 'slice'",
                  "slice 1");
    engine_expect(&e, "the bounds are in its table",
                  "SELECT trace_start() = start_ts, end_ts >= start_ts FROM trace_bounds", "1 1");
    engine_expect(&e, "ids under its names",
                  "SELECT group_concat(name) FROM (SELECT name FROM pragma_table_info('thread') "
                  "LIMIT 3)",
                  "utid,id,tid");
    engine_expect(&e, "packages that are not given stay",
                  "INCLUDE PERFETTO MODULE time.conversion; SELECT time_from_us(2)", "2000");
    engine_expect(&e, "empty views", "SELECT count(*), max(jank) FROM frame, pane", "0 NULL");
    engine_expect(&e, "modules over them",
                  "INCLUDE PERFETTO MODULE phone.frames; SELECT * FROM frames", "0 NULL");
    engine_expect(&e, "left out", "SELECT * FROM _private", "error: no such table: _private");
    engine_expect(&e, "other modules fail", "INCLUDE PERFETTO MODULE phone.panes",
                  "error: no such table: __intrinsic_pane");
    engine_expect(&e, "and stay failed", "INCLUDE PERFETTO MODULE phone.panes",
                  "error: poisoned by earlier failure: no such table: __intrinsic_pane");
    engine_fini(&e);
    remove_library(dir);
    orma_assert_no_leaks();
}
