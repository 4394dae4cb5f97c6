#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "processor/sql/engine.h"
#include "processor/sql/script/modules.h"
#include "sdk/base/fd.h"
#include "tests/support/leaks.h"
#include "tests/unit/sql/engine_fixture.h"

struct check {
    const char *what, *script, *want;
};

/* Each in an engine of its own. */
static void run_checks(const struct check *checks, size_t num)
{
    for (size_t i = 0; i < num; i++) {
        struct engine e;

        engine_init(&e);
        engine_expect(&e, checks[i].what, checks[i].script, checks[i].want);
        engine_fini(&e);
    }
    orma_assert_no_leaks();
}

#define CPT "CREATE PERFETTO TABLE t AS "
#define CORPT "CREATE OR REPLACE PERFETTO TABLE t AS "

Test(table, keeps_the_rows_of_its_select)
{
    static const struct check checks[] = {
        {"values", CPT "SELECT 1 AS a, 'x' AS b, 0.5 AS c, NULL AS d; SELECT * FROM t",
         "1 x 0.5 NULL"},
        {"order", CPT "SELECT column1 AS a FROM (VALUES (3),(1),(2)); SELECT a FROM t ORDER BY a",
         "1\n2\n3"},
        {"hidden id", CPT "SELECT column1 AS a FROM (VALUES (7),(8)); SELECT _auto_id, a FROM t",
         "0 7\n1 8"},
        {"id of its own", CPT "SELECT 5 AS id; SELECT * FROM t; SELECT _auto_id FROM t", "5\n0"},
        {"any type", "CREATE PERFETTO TABLE t(a ANY) AS SELECT 1 AS a",
         "error: ANY type cannot be used in table columns"},
        {"types of nothing", CPT "SELECT 1 AS id WHERE 0; SELECT * FROM perfetto_table_info('t')",
         "0 t id uint32 0 3\n1 t _auto_id id 0 0"},
        {"a number of its own", CPT "SELECT 5 AS _auto_id",
         "error: the column name _auto_id is reserved"},
        {"empty", CPT "SELECT 1 AS a WHERE 0; SELECT count(*) FROM t", "0"},
        {"replaced", CPT "SELECT 1 AS a;" CORPT "SELECT a + 1 AS a FROM t; SELECT a FROM t", "2"},
        {"dropped", CPT "SELECT 1 AS a; DROP TABLE t; SELECT a FROM t", "error: no such table: t"},
        {"made again", CPT "SELECT 1 AS a; DROP TABLE t;" CPT "SELECT 2 AS a; SELECT a FROM t",
         "2"},
        {"not writable", CPT "SELECT 1 AS a; INSERT INTO t VALUES (2)",
         "error: table t may not be modified"},
        {"types",
         "CREATE PERFETTO TABLE t(a LONG, b DOUBLE, c STRING) AS SELECT 1 AS a, 2 AS b, 'x' AS c;"
         "SELECT typeof(a), typeof(b), typeof(c) FROM t",
         "integer real text"},
        {"integers among doubles", CPT "SELECT 1 AS a UNION ALL SELECT 0.5; SELECT a FROM t",
         "1.0\n0.5"},
        {"big integers", CPT "SELECT 9007199254740993 AS a; SELECT a FROM t", "9007199254740993"},
        {"large and small",
         CPT "SELECT column1 AS a FROM (VALUES (-9223372036854775808),(9223372036854775807));"
             "SELECT a FROM t WHERE a < 0",
         "-9223372036854775808"},
    };

    run_checks(checks, ORMA_ARRAY_LEN(checks));
}

Test(table, refuses_what_it_can_not_keep)
{
    static const struct check checks[] = {
        {"exists", CPT "SELECT 1 AS a;" CPT "SELECT 2 AS a", "error: already exists"},
        {"exists as a view", "CREATE VIEW t AS SELECT 1;" CPT "SELECT 2 AS a",
         "error: already exists"},
        {"a view is not replaced by a table", "CREATE VIEW t AS SELECT 1;" CORPT "SELECT 2 AS a",
         "error: use DROP VIEW to delete view t"},
        {"blob", CPT "SELECT x'00' AS a", "error: Bytes type is not supported"},
        {"blob in the schema", "CREATE PERFETTO TABLE t(a BYTES) AS SELECT NULL AS a",
         "error: Bytes type is not supported"},
        {"text among numbers", CPT "SELECT 1 AS a UNION ALL SELECT 'x'",
         "error: column 'a' was inferred to be LONG, but later received a value of type STRING"},
        {"numbers among texts", CPT "SELECT 'x' AS a UNION ALL SELECT 0.5",
         "error: column 'a' was inferred to be STRING, but later received a value of type DOUBLE"},
        {"an integer that no double holds", CPT "SELECT 0.5 AS a UNION ALL SELECT 9007199254740993",
         "error: 9007199254740993 (row 1)"},
        {"the same the other way round", CPT "SELECT 9007199254740993 AS a UNION ALL SELECT 0.5",
         "error: 9007199254740993 (row 0)"},
        {"name of a column", CPT "SELECT 1 AS \"a b\"", "error: column name 'a b'"},
        {"no name", CPT "SELECT 1+1", "error: column name '1+1'"},
        {"same names", CPT "SELECT 1 AS a, 2 AS A", "error: multiple columns are named A"},
        {"missing column", "CREATE PERFETTO TABLE t(a LONG, b LONG) AS SELECT 1 AS a",
         "error: declared in the schema, but do not exist: b"},
        {"undeclared column", "CREATE PERFETTO TABLE t(a LONG) AS SELECT 1 AS a, 2 AS b",
         "error: missing from the schema: b"},
        {"wrong type", "CREATE PERFETTO TABLE t(a LONG) AS SELECT 'x' AS a",
         "error: column 'a' declared as LONG in the schema, but STRING found"},
        {"no select", CPT "DELETE FROM t", "error: no such table: t"},
        {"a statement that writes", "CREATE TABLE u(a);" CPT "INSERT INTO u VALUES(1) RETURNING a",
         "error: this must be a SELECT"},
        {"failed ones leave nothing", CPT "SELECT x'00' AS a", "error: Bytes"},
    };

    run_checks(checks, ORMA_ARRAY_LEN(checks));
}

Test(table, survives_transactions)
{
    static const struct check checks[] = {
        {"dropped and rolled back",
         CPT "SELECT 1 AS a; BEGIN; DROP TABLE t; ROLLBACK; SELECT a FROM t", "1"},
        {"created and rolled back",
         "BEGIN;" CPT "SELECT 1 AS a; ROLLBACK;" CPT "SELECT 2 AS a; SELECT a FROM t", "2"},
        {"replaced and rolled back",
         CPT "SELECT 1 AS a; BEGIN;" CORPT "SELECT 2 AS a; ROLLBACK; SELECT a FROM t", "1"},
    };

    run_checks(checks, ORMA_ARRAY_LEN(checks));
}

Test(index, belongs_to_a_table)
{
    static const struct check checks[] = {
        {"made and dropped",
         CPT "SELECT 1 AS a; CREATE PERFETTO INDEX i ON t(a); CREATE OR REPLACE PERFETTO INDEX i "
             "ON t(a); DROP PERFETTO INDEX i ON t; SELECT a FROM t",
         "1"},
        {"twice",
         CPT "SELECT 1 AS a; CREATE PERFETTO INDEX i ON t(a); CREATE PERFETTO INDEX i "
             "ON t(a)",
         "error: Index 'i' already exists"},
        {"of two tables",
         CPT "SELECT 1 AS a; CREATE PERFETTO TABLE u AS SELECT 1 AS a; CREATE PERFETTO INDEX i ON "
             "t(a); CREATE PERFETTO INDEX i ON u(a)",
         "error: Index 'i' already exists"},
        {"moved to another table",
         CPT "SELECT 1 AS a; CREATE PERFETTO TABLE u AS SELECT 1 AS a; CREATE PERFETTO INDEX i ON "
             "t(a); CREATE OR REPLACE PERFETTO INDEX i ON u(a); DROP PERFETTO INDEX i ON t",
         ""},
        {"unknown table", "CREATE PERFETTO INDEX i ON nope(a)",
         "error: CREATE PERFETTO INDEX: table 'nope' does not exist"},
        {"native table", "CREATE PERFETTO INDEX i ON __intrinsic_slice(ts)",
         "error: CREATE PERFETTO INDEX: "},
        {"unknown column", CPT "SELECT 1 AS a; CREATE PERFETTO INDEX i ON t(a, b)",
         "error: Column 'b' not found in table 't'"},
        {"unknown index", CPT "SELECT 1 AS a; DROP PERFETTO INDEX i ON t",
         "error: Index 'i' not found"},
    };

    run_checks(checks, ORMA_ARRAY_LEN(checks));
}

Test(view, is_checked_when_it_is_made)
{
    static const struct check checks[] = {
        {"plain", "CREATE PERFETTO VIEW v AS SELECT 1 AS a; SELECT a FROM v", "1"},
        {"built in", "CREATE PERFETTO VIEW slice AS SELECT 1 AS a", "error: already exists"},
        {"built in, covered",
         "CREATE OR REPLACE PERFETTO VIEW slice AS SELECT 1 AS a; SELECT a FROM slice;"
         "CREATE OR REPLACE PERFETTO VIEW slice AS SELECT 2 AS b; SELECT b FROM slice",
         "1\n2"},
        {"replaced",
         "CREATE PERFETTO VIEW v AS SELECT 1 AS a; CREATE OR REPLACE PERFETTO VIEW v "
         "AS SELECT 2 AS a; SELECT a FROM v",
         "2"},
        {"exists", "CREATE PERFETTO VIEW v AS SELECT 1 AS a; CREATE PERFETTO VIEW v AS SELECT 2",
         "error: already exists"},
        {"missing column", "CREATE PERFETTO VIEW v(a LONG, b LONG) AS SELECT 1 AS a",
         "error: do not exist: b"},
        {"wrong body", "CREATE PERFETTO VIEW v AS SELECT nope", "error: no such column: nope"},
        {"a failed replacement keeps the old one",
         "CREATE PERFETTO VIEW v AS SELECT 1 AS a; CREATE OR REPLACE PERFETTO VIEW v AS SELECT "
         "nope",
         "error: nope"},
    };

    run_checks(checks, ORMA_ARRAY_LEN(checks));
}

#define CPF "CREATE PERFETTO FUNCTION "

Test(function, gives_one_value)
{
    static const struct check checks[] = {
        {"sum", CPF "f(a LONG, b LONG) RETURNS LONG AS SELECT $a + $b; SELECT f(1, 2)", "3"},
        {"no row", CPF "f() RETURNS LONG AS SELECT 1 WHERE 0; SELECT f() IS NULL", "1"},
        {"two rows", CPF "f() RETURNS LONG AS SELECT 1 UNION SELECT 2; SELECT f()",
         "error: f: multiple values were returned when executing function body. Executed SQL was "
         "SELECT 1 UNION SELECT 2"},
        {"two columns", CPF "f() RETURNS LONG AS SELECT 1, 2",
         "error: f: SQL definition should only return one column: returned 2 columns"},
        {"overloaded",
         CPF "f(a LONG) RETURNS LONG AS SELECT 1;" CPF
             "f(a LONG, b LONG) RETURNS LONG AS SELECT 2; SELECT f(0), f(0, 0)",
         "1 2"},
        {"wrong number", CPF "f(a LONG) RETURNS LONG AS SELECT 1; SELECT f(1, 2)",
         "error: f: invalid number of args; expected 1, received 2"},
        {"wrong type", CPF "f(a LONG) RETURNS LONG AS SELECT 1; SELECT f('x')",
         "error: f[arg=x]: argument 0 does not have expected type: expected LONG, actual STRING"},
        {"an integer is no double", CPF "f(a DOUBLE) RETURNS LONG AS SELECT 1; SELECT f(1)",
         "error: expected DOUBLE, actual BOOL/INT/UINT/LONG"},
        {"NULL passes", CPF "f(a DOUBLE) RETURNS LONG AS SELECT 1; SELECT f(NULL)", "1"},
        {"ANY passes", CPF "f(a ANY) RETURNS ANY AS SELECT $a; SELECT f(x'41'), f(1.5)", "A 1.5"},
        {"exists", CPF "f() RETURNS LONG AS SELECT 1;" CPF "f() RETURNS LONG AS SELECT 2",
         "error: function already exists. Use CREATE OR REPLACE to overwrite."},
        {"replaced",
         CPF "f() RETURNS LONG AS SELECT 1; SELECT f(); CREATE OR REPLACE PERFETTO "
             "FUNCTION f() RETURNS LONG AS SELECT 2; SELECT f()",
         "1\n2"},
        {"a failed replacement keeps the old one",
         CPF "f() RETURNS LONG AS SELECT 1; CREATE OR REPLACE PERFETTO FUNCTION f() RETURNS LONG "
             "AS SELECT nope",
         "error: nope"},
        {"recursion",
         CPF "f(x LONG) RETURNS LONG AS SELECT iif($x = 0, 1, $x * f($x - 1)); "
             "SELECT f(10)",
         "3628800"},
        {"endless recursion", CPF "f(x LONG) RETURNS LONG AS SELECT f($x + 1); SELECT f(0)",
         "error: f: calls itself too deeply"},
        {"endless recursion of tables",
         CPF "t(x LONG) RETURNS TABLE(y LONG) AS SELECT $x AS y; CREATE OR REPLACE PERFETTO "
             "FUNCTION t(x LONG) RETURNS TABLE(y LONG) AS SELECT y FROM t($x + 1); SELECT * FROM "
             "t(0)",
         "error: t: calls itself too deeply"},
        {"native ones stay", CPF "hash(a ANY...) RETURNS LONG DELEGATES TO __intrinsic_unhex", ""},
        {"native ones are not replaced",
         CPF "extract_arg(a LONG, b STRING) RETURNS LONG AS SELECT 1",
         "error: cannot redefine built-in function with the same name and argument count"},
        {"delegate",
         CPF "mine(a STRING) RETURNS LONG DELEGATES TO __intrinsic_unhex; SELECT "
             "mine('0x10')",
         "16"},
        {"unknown delegate", CPF "f(a LONG) RETURNS LONG DELEGATES TO nope",
         "error: Target function 'nope' not found in registry"},
        {"delegate to a function of a script",
         CPF "g(a LONG) RETURNS LONG AS SELECT $a + 1;" CPF
             "f(a LONG) RETURNS LONG DELEGATES TO g; SELECT f(1)",
         "2"},
        {"an argument that is not declared", CPF "f(a LONG) RETURNS LONG AS SELECT $b; SELECT f(1)",
         "NULL"},
        {"legacy", "SELECT create_function('f(x INT)', 'INT', 'SELECT $x + 1'); SELECT f(1)", "2"},
        {"legacy with a wrong argument", "SELECT create_function(1, 'INT', 'SELECT 1')",
         "error: CREATE_FUNCTION: function prototype (first argument) must be string"},
        {"legacy replaces itself while it runs",
         "SELECT create_function('f()', 'INT', 'SELECT 1'); SELECT create_function('f()', 'INT', "
         "'SELECT 2'); SELECT f()",
         "2"},
        {"an error in the body", CPF "f(a STRING) RETURNS LONG AS SELECT unhex($a); SELECT f('zz')",
         "error: Function \"f\" of File \"stdin\""},
    };

    run_checks(checks, ORMA_ARRAY_LEN(checks));
}

Test(function, remembers_what_it_computed)
{
    static const struct check checks[] = {
        {"two to the power",
         CPF "f(x LONG) RETURNS LONG AS SELECT iif($x = 0, 1, f($x - 1) + f($x - 1));"
             "SELECT experimental_memoize('f'); SELECT f(50)",
         "1125899906842624"},
        {"deeper than any stack",
         CPF "f(x LONG) RETURNS LONG AS SELECT iif($x = 0, 0, 1 + f($x - 1));"
             "SELECT experimental_memoize('f'); SELECT f(100000)",
         "100000"},
        {"NULL on the way",
         CPF "f(x LONG) RETURNS LONG AS SELECT iif($x = 0, 1, iif(f($x - 1) IS NULL, 1, NULL));"
             "SELECT experimental_memoize('f'); SELECT f(5000), f(5001)",
         "1 NULL"},
        {"an error on the way",
         CPF "f(x LONG) RETURNS LONG AS SELECT iif($x = 0, unhex('zz'), f($x - 1));"
             "SELECT experimental_memoize('f'); SELECT f(100)",
         "error: UNHEX"},
        {"of two arguments",
         CPF "f(x LONG, y LONG) RETURNS LONG AS SELECT 1; "
             "SELECT experimental_memoize('f')",
         "error: not a function of exactly one integer argument"},
    };

    run_checks(checks, ORMA_ARRAY_LEN(checks));
}

Test(table_function, gives_rows)
{
    static const struct check checks[] = {
        {"rows",
         CPF "f(n LONG) RETURNS TABLE(x LONG) AS WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL "
             "SELECT x + 1 FROM c WHERE x < $n) SELECT x FROM c; SELECT x FROM f(3)",
         "1\n2\n3"},
        {"arguments from outer rows",
         CPF "f(n LONG) RETURNS TABLE(x LONG) AS SELECT $n * 10 AS x; SELECT a, x FROM (SELECT 1 "
             "AS a UNION ALL SELECT 2), f(a)",
         "1 10\n2 20"},
        {"nested",
         CPF "f(n LONG) RETURNS TABLE(x LONG) AS SELECT $n + 1 AS x;" CPF
             "g(n LONG) RETURNS TABLE(x LONG) AS SELECT x + 1 AS x FROM f($n); SELECT a.x, "
             "b.x FROM g(1) a, g(a.x) b",
         "3 5"},
        {"names that are equal",
         CPF "f(x LONG) RETURNS TABLE(x LONG) AS SELECT $x AS x; SELECT * "
             "FROM f(4)",
         "4"},
        {"too few arguments",
         CPF "f(n LONG) RETURNS TABLE(x LONG) AS SELECT $n AS x; SELECT * FROM f()",
         "error: f: invalid number of args; expected 1, received 0"},
        {"hidden columns",
         CPF "f(n LONG) RETURNS TABLE(x LONG) AS SELECT $n AS x;"
             "SELECT x, in_n, _primary_key FROM f WHERE in_n = 3",
         "3 3 0"},
        {"an argument under OR",
         CPF "f(n LONG) RETURNS TABLE(x LONG) AS SELECT $n AS x UNION ALL SELECT 9;"
             "SELECT a.v, f.x FROM (SELECT 1 AS v) AS a JOIN f(a.v) WHERE f.x = 9 OR a.v = 2",
         "1 9"},
        {"another name", CPF "f() RETURNS TABLE(x LONG) AS SELECT 1 AS y",
         "error: column y at index 0 does not match return value name x."},
        {"fewer columns", CPF "f() RETURNS TABLE(x LONG, y LONG) AS SELECT 1 AS x",
         "error: number of return values 2 does not match SQL statement column count 1."},
        {"replaced while it is in use elsewhere",
         CPF "f() RETURNS TABLE(x LONG) AS SELECT 1 AS x; CREATE PERFETTO VIEW v AS SELECT x FROM "
             "f(); SELECT * FROM v; CREATE OR REPLACE PERFETTO FUNCTION f() RETURNS TABLE(x LONG) "
             "AS SELECT 2 AS x; SELECT * FROM v",
         "1\n2"},
        {"used by a function and replaced",
         CPF "f() RETURNS TABLE(x LONG) AS SELECT 1 AS x;" CPF
             "g() RETURNS LONG AS SELECT x FROM f(); SELECT g(); CREATE OR REPLACE PERFETTO "
             "FUNCTION f() RETURNS TABLE(x LONG) AS SELECT 2 AS x; SELECT g()",
         "1\n2"},
        {"native ones are not replaced",
         CPF "perfetto_table_info(x LONG) RETURNS TABLE(x LONG) AS SELECT 1 AS x",
         "error: table perfetto_table_info already exists"},
        {"legacy",
         "SELECT create_view_function('f(n INT)', 'x INT', 'SELECT $n AS x'); SELECT x "
         "FROM f(3)",
         "3"},
        {"an error in the body",
         CPF "f(a STRING) RETURNS TABLE(x LONG) AS SELECT unhex($a) AS x; SELECT * FROM f('zz')",
         "error: UNHEX"},
        {"a table below is dropped after a partial read",
         "CREATE TABLE b AS SELECT 1 UNION SELECT 2;" CPF
         "f() RETURNS TABLE(x LONG) AS SELECT 0 AS x UNION ALL SELECT * FROM b; CREATE TABLE r AS "
         "SELECT * FROM f() LIMIT 1; DROP TABLE b",
         ""},
    };

    run_checks(checks, ORMA_ARRAY_LEN(checks));
}

Test(script, counts_and_hides_what_has_no_output)
{
    static const struct check checks[] = {
        {"suppressed", "SELECT 1 AS suppress_query_output; SELECT 2", "2"},
        {"void", "SELECT create_function('f()', 'INT', 'SELECT 1'); SELECT 3", "3"},
        {"a NULL is output", "SELECT NULL", "NULL"},
        {"before the error stays in effect", "CREATE TABLE x AS SELECT 1 AS a; SELECT nope",
         "error: nope"},
        {"zero bytes are no way out", "SELECT 1", "1"},
        {"macros over statements",
         "CREATE PERFETTO MACRO m(a Expr) RETURNS Expr AS $a + 1; SELECT "
         "m!(m!(1))",
         "3"},
        {"macro twice",
         "CREATE PERFETTO MACRO m() RETURNS Expr AS 1; CREATE PERFETTO MACRO m() "
         "RETURNS Expr AS 2",
         "error: Macro already exists"},
        {"ordered aggregate",
         "SELECT group_concat(b, '-' ORDER BY a DESC), string_agg(b, '') FROM (SELECT 1 AS a, 'x' "
         "AS b UNION ALL SELECT 2, 'y')",
         "y-x xy"},
        {"ordered aggregate of JSON",
         "SELECT json_group_array(json(b) ORDER BY a DESC) FROM (SELECT 1 AS a, '[1]' AS b UNION "
         "ALL SELECT 2, '{}')",
         "[{},[1]]"},
        {"ordered and filtered",
         "SELECT group_concat(DISTINCT b ORDER BY b DESC) FILTER (WHERE b < 4) FROM (SELECT "
         "column1 AS b FROM (VALUES (1),(3),(3),(2),(5)))",
         "3,2,1"},
        {"ordered by NULLs",
         "SELECT group_concat(ifnull(b,'n') ORDER BY b NULLS LAST) FROM "
         "(SELECT column1 AS b FROM (VALUES (2),(NULL),(1)))",
         "1,2,n"},
        {"no files", "ATTACH '/tmp/x.db' AS x", "error: not authorized"},
        {"no other virtual tables", "CREATE VIRTUAL TABLE x USING fts5(a)",
         "error: no such module: fts5"},
        {"ours need their statement", "CREATE VIRTUAL TABLE x USING __orma_frame(1)",
         "error: CREATE PERFETTO TABLE"},
        {"recursion of scripts",
         "CREATE PERFETTO FUNCTION f() RETURNS LONG AS SELECT import('x.y');"
         "SELECT f()",
         "error: INCLUDE: Package 'x.y' not found"},
    };

    run_checks(checks, ORMA_ARRAY_LEN(checks));
}

static void write_file(const char *dir, const char *name, const char *text)
{
    char path[256];

    snprintf(path, sizeof(path), "%s/%s", dir, name);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    cr_assert_geq(fd, 0);
    cr_assert_eq(orma_fd_write_all(fd, text, strlen(text)), 0);
    close(fd);
}

Test(modules, run_once_and_say_what_is_wrong)
{
    static const char *const files[][2] = {
        {"one.sql", "CREATE PERFETTO TABLE one AS SELECT 1 AS a;"},
        {"two.sql", "INCLUDE PERFETTO MODULE pkg.one; CREATE PERFETTO TABLE two AS SELECT a + 1 AS "
                    "a FROM one;"},
        {"wrong.sql", "\nSELECT nope;"},
        {"loop.sql", "INCLUDE PERFETTO MODULE pkg.loop2;"},
        {"loop2.sql", "INCLUDE PERFETTO MODULE pkg.loop;"},
        {"rows.sql", "SELECT 1;"},
        {"sub/deep.sql", "CREATE PERFETTO VIEW deep AS SELECT 'deep' AS a;"},
        {"old.v1.sql", "SELECT nope;"},
        {"note.txt", "not SQL"},
    };
    static const struct check checks[] = {
        {"include",
         "INCLUDE PERFETTO MODULE pkg.two; INCLUDE PERFETTO MODULE pkg.two; SELECT a "
         "FROM two",
         "2"},
        {"below a folder", "INCLUDE PERFETTO MODULE pkg.sub.*; SELECT a FROM deep", "deep"},
        {"by function", "SELECT import('pkg.one'); SELECT a FROM one", "1"},
        {"unknown package", "INCLUDE PERFETTO MODULE nope.one",
         "error: INCLUDE: Package 'nope.one' not found"},
        {"unknown module", "INCLUDE PERFETTO MODULE pkg.nope",
         "error: INCLUDE: unknown module 'pkg.nope'"},
        {"removed package", "INCLUDE PERFETTO MODULE common.slices", "error: has been removed"},
        {"cycle", "INCLUDE PERFETTO MODULE pkg.loop", "error: INCLUDE: cycle"},
        {"rows", "INCLUDE PERFETTO MODULE pkg.rows",
         "error: INCLUDE: Included module returning values."},
        {"traceback", "INCLUDE PERFETTO MODULE pkg.wrong",
         "error: Traceback (most recent call last):\n"
         "  File \"stdin\" line 1 col 1\n"
         "    INCLUDE PERFETTO MODULE pkg.wrong\n"
         "    ^\n"
         "  Module include \"pkg.wrong\" line 2 col 8\n"
         "    SELECT nope;\n"
         "           ^\n"
         "no such column: nope"},
    };
    char dir[] = "/tmp/orma-modules-XXXXXX", path[256];
    unsigned skipped = 0;

    cr_assert_not_null(mkdtemp(dir));
    snprintf(path, sizeof(path), "%s/sub", dir);
    cr_assert_eq(mkdir(path, 0755), 0);
    for (size_t i = 0; i < ORMA_ARRAY_LEN(files); i++)
        write_file(dir, files[i][0], files[i][1]);
    for (size_t i = 0; i < ORMA_ARRAY_LEN(checks); i++) {
        struct engine e;

        engine_init(&e);
        cr_assert_eq(orma_packages_add_folder(e.sql, dir, "pkg", false, &skipped), 0);
        cr_assert_eq(skipped, 1u);
        cr_assert_eq(orma_packages_add_folder(e.sql, dir, "pkg", false, NULL), -EBADMSG);
        cr_assert_eq(orma_packages_add_folder(e.sql, dir, "pkg", true, NULL), 0);
        engine_expect(&e, checks[i].what, checks[i].script, checks[i].want);
        if (!strcmp(checks[i].what, "rows"))
            engine_expect(&e, "poisoned", checks[i].script, "error: poisoned by earlier failure: ");
        engine_fini(&e);
    }
    for (size_t i = 0; i < ORMA_ARRAY_LEN(files); i++) {
        snprintf(path, sizeof(path), "%s/%s", dir, files[i][0]);
        unlink(path);
    }
    snprintf(path, sizeof(path), "%s/sub", dir);
    rmdir(path);
    rmdir(dir);
    orma_assert_no_leaks();
}

Test(engine, is_new_again_after_a_reset)
{
    struct engine e;

    engine_init(&e);
    engine_expect(&e, "made",
                  CPT "SELECT 1 AS a;" CPF "f() RETURNS LONG AS SELECT 1;" CPF
                      "g() RETURNS TABLE(x LONG) AS SELECT 1 AS x; CREATE PERFETTO MACRO m() "
                      "RETURNS Expr AS 1; CREATE TABLE u(x); SELECT f(), x, a FROM g(), t",
                  "1 1 1");
    cr_assert_eq(orma_sql_reset(e.sql), 0);
    engine_expect(&e, "table", "SELECT * FROM t", "error: no such table: t");
    engine_expect(&e, "function", "SELECT f()", "error: no such function: f");
    engine_expect(&e, "table function", "SELECT * FROM g()", "error: no such table: g");
    engine_expect(&e, "macro", "SELECT m!()", "error: unknown macro 'm'");
    engine_expect(&e, "sqlite's", "SELECT * FROM u", "error: no such table: u");
    engine_expect(&e, "prelude", "SELECT reverse('abc'), cast_int!('1') + 1", "cba 2");
    engine_fini(&e);
    orma_assert_no_leaks();
}

/* What does not fit SQLite's caches goes to files that are memory: runs of a sort, tables,
 * journals. */
Test(engine, temporary_files)
{
    struct engine e;

    engine_init(&e);
    engine_expect(&e, "a table",
                  "CREATE TEMP TABLE t(k TEXT UNIQUE, v INT);"
                  "INSERT INTO t WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n "
                  "WHERE i < 59999) SELECT printf('%.40c%d', 'x', i * 7919 % 60000), i FROM n;"
                  "SELECT count(*), sum(v), max(k) = printf('%.40c%d', 'x', 9999) FROM t",
                  "60000 1799970000 1");
    engine_expect(&e, "a sort",
                  "SELECT count(*), sum(was > k) FROM (SELECT k, lag(k) OVER (ORDER BY k || '') AS "
                  "was FROM t)",
                  "60000 0");
    engine_expect(&e, "a rollback",
                  "BEGIN; UPDATE t SET k = k || 'y', v = v + 1; DELETE FROM t WHERE v % 2; "
                  "ROLLBACK; SELECT count(*), sum(v), sum(length(k)) FROM t",
                  "60000 1799970000 2688890");
    engine_expect(&e, "shrinking",
                  "DELETE FROM t WHERE v > 10; PRAGMA temp.incremental_vacuum;"
                  "INSERT INTO t VALUES ('a', 1); SELECT count(*) FROM t",
                  "12");
    engine_expect(&e, "set operations",
                  "SELECT count(*) FROM (SELECT v * 3 FROM t UNION SELECT v * 3 FROM t EXCEPT "
                  "SELECT 3)",
                  "10");
    engine_fini(&e);
    orma_assert_no_leaks();
}
