#include <criterion/criterion.h>

#include "processor/sql/script/modules.h"
#include "tests/support/leaks.h"
#include "tests/unit/sql/engine_fixture.h"

static const struct orma_sql_embedded modules[] = {
    {"own.one", "-- About the module.\n"
                "\n"
                "INCLUDE PERFETTO MODULE own.two;\n"
                "-- Of something else.\n"
                "\n"
                "-- All of it. And\n"
                "/* not for people */\n"
                "-- more.\n"
                "--\n"
                "-- Second paragraph.\n"
                "CREATE OR REPLACE PERFETTO TABLE t(\n"
                "  -- The \"key\".\n"
                "  id ID(slice.id),\n"
                "  name STRING) AS SELECT 1 AS id, ';' AS name;\n"
                "create perfetto view v as select 1;\n"
                "CREATE PERFETTO INDEX i ON t(id);\n"
                "SELECT 'CREATE PERFETTO TABLE no AS'"},
    {"own.two", "CREATE PERFETTO FUNCTION f(a LONG, b STRING)\n"
                "-- the\n"
                "-- sum\n"
                "RETURNS JOINID(thread.id) AS SELECT $a;\n"
                "CREATE PERFETTO FUNCTION g() RETURNS TABLE(ts LONG) AS SELECT 1 AS ts;\n"
                "CREATE PERFETTO MACRO _m(x Expr) RETURNS Expr AS ($x);\n"
                "CREATE PERFETTO VIEW w AS SELECT 1"},
    {"own.wrong", "CREATE PERFETTO FUNCTION h(a; CREATE PERFETTO TABLE; CREATE PERFETTO VIEW z(,"},
};

#define OWN " FROM __intrinsic_stdlib_objects WHERE package = 'own' AND module < 'own.w'"

static const struct engine_check checks[] = {
    {"names",
     "SELECT id - (SELECT min(id)" OWN
     ") AS id, module, name, qualified_name, object_type, exposed" OWN,
     "0 own.one own.one own.one MODULE 1\n1 own.one t own.one.t TABLE 1\n"
     "2 own.one v own.one.v VIEW 1\n3 own.two own.two own.two MODULE 1\n"
     "4 own.two w own.two.w VIEW 1\n5 own.two f own.two.f FUNCTION 1\n"
     "6 own.two g own.two.g TABLE_FUNCTION 1\n7 own.two _m own.two._m MACRO 0"},
    {"comments", "SELECT short_description, description" OWN " AND name IN ('t', 'v')",
     "All of it. And more. Second paragraph. All of it. And more. Second paragraph.\n "},
    {"columns", "SELECT cols, args" OWN " AND name = 't'",
     "[{\"name\":\"id\",\"type\":\"ID(slice.id)\",\"description\":\"The \\\"key\\\".\"},"
     "{\"name\":\"name\",\"type\":\"STRING\",\"description\":\"\"}] []"},
    {"arguments",
     "SELECT json_extract(args, '$[1].name'), return_type, return_description" OWN
     " AND name = 'f'",
     "b JOINID(thread.id) the sum"},
    {"rows", "SELECT args, return_type, cols" OWN " AND name = 'g'",
     "[] TABLE [{\"name\":\"ts\",\"type\":\"LONG\",\"description\":\"\"}]"},
    {"summary of a module", "SELECT summary, description, return_type" OWN " AND name = 'own.two'",
     "Package: own\nModule: own.two\nQualified name: own.two\nSearch aliases: own own two\n"
     "Kind: public MODULE  "},
    {"summary of a table", "SELECT summary" OWN " AND name = 't'",
     "Package: own\nModule: own.one\nName: t\nQualified name: own.one.t\n"
     "Search aliases: own own one t\nKind: public TABLE\n"
     "Description: All of it. And more. Second paragraph.\nColumns:\n"
     "- id (ID(slice.id)): The \"key\".\n- name (STRING)"},
    {"summary of a function", "SELECT summary" OWN " AND name = 'f'",
     "Package: own\nModule: own.two\nName: f\nQualified name: own.two.f\n"
     "Search aliases: own own two f\nKind: public FUNCTION\nArguments:\n- a (LONG)\n"
     "- b (STRING)\nReturns: JOINID(thread.id): the sum"},
    {"at most so long",
     "SELECT max(length(CAST(short_description AS BLOB))) <= 160 FROM __intrinsic_stdlib_objects",
     "1"},
    {"halves",
     "SELECT name, object_type FROM __intrinsic_stdlib_objects WHERE module = 'own.wrong' AND "
     "object_type != 'MODULE'",
     "z VIEW\nh FUNCTION"},
    {"all JSON",
     "SELECT count() FROM __intrinsic_stdlib_objects WHERE NOT json_valid(args) OR "
     "NOT json_valid(cols) OR args IS NULL OR cols IS NULL",
     "0"},
    {"no NULLs",
     "SELECT count() FROM __intrinsic_stdlib_objects WHERE description IS NULL OR return_type IS "
     "NULL "
     "OR return_description IS NULL OR short_description IS NULL OR summary IS NULL",
     "0"},
    {"ours",
     "SELECT object_type FROM __intrinsic_stdlib_objects WHERE qualified_name = "
     "'slices.with_context.thread_slice'",
     "VIEW"},
    {"what the program makes is described",
     "SELECT object_type, description, json_extract(cols, '$[1].name'), json_extract(cols, "
     "'$[1].type'), exposed FROM __intrinsic_stdlib_objects WHERE qualified_name = "
     "'prelude.after_eof.views.flow'",
     "VIEW Arrows from slices to slices. slice_out JOINID(slice.id) 1"},
    {"its functions, too",
     "SELECT object_type, return_type FROM __intrinsic_stdlib_objects WHERE name = 'trace_end'",
     "FUNCTION TIMESTAMP"},
    {"ours have comments",
     "SELECT json_extract(value, '$.description') FROM __intrinsic_stdlib_objects, json_each(cols) "
     "WHERE qualified_name = 'slices.with_context.thread_slice' AND json_extract(value, '$.name') "
     "= 'pid'",
     "Alias for `process.pid`."},
};

Test(stdlib_objects, are_read_from_the_texts)
{
    for (size_t i = 0; i < sizeof(checks) / sizeof(checks[0]); i++) {
        struct engine e;

        engine_init(&e);
        cr_assert_eq(orma_packages_add_texts(e.sql, "own", modules,
                                             sizeof(modules) / sizeof(modules[0]), false),
                     0);
        engine_expect(&e, checks[i].what, checks[i].script, checks[i].want);
        engine_fini(&e);
    }
    orma_assert_no_leaks();
}
