#include <criterion/criterion.h>

#include "processor/sql/script/modules.h"
#include "tests/support/leaks.h"
#include "tests/unit/sql/engine_fixture.h"

static const struct orma_sql_embedded modules[] = {
    {"own.one", "-- About the module.\n"
                "\n"
                "INCLUDE PERFETTO MODULE own.two;\n"
                "-- All of it. And\n"
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
                "-- Gives\n"
                "RETURNS\n"
                "-- the sum\n"
                "JOINID(thread.id) AS SELECT $a;\n"
                "CREATE PERFETTO FUNCTION g() RETURNS TABLE(ts LONG) AS SELECT 1 AS ts;\n"
                "CREATE PERFETTO MACRO _m(x Expr) RETURNS Expr AS ($x)"},
    {"own.wrong", "CREATE PERFETTO FUNCTION h(a; CREATE PERFETTO TABLE; CREATE PERFETTO VIEW z(,"},
};

#define OWN " FROM __intrinsic_stdlib_objects WHERE package = 'own' AND module < 'own.w'"

static const struct engine_check checks[] = {
    {"names", "SELECT module, name, qualified_name, object_type, exposed" OWN,
     "own.one t own.one.t table 1\nown.one v own.one.v view 1\n"
     "own.two f own.two.f function 1\nown.two g own.two.g table_function 1\n"
     "own.two _m own.two._m macro 0"},
    {"comments", "SELECT short_description, summary, description" OWN " AND name IN ('t', 'v')",
     "All of it. All of it. And more. All of it. And more.\nSecond paragraph.\nNULL NULL NULL"},
    {"columns", "SELECT cols, args" OWN " AND name = 't'",
     "[{\"name\":\"id\",\"type\":\"ID(slice.id)\",\"description\":\"The \\\"key\\\".\"},"
     "{\"name\":\"name\",\"type\":\"STRING\",\"description\":\"\"}] NULL"},
    {"arguments",
     "SELECT json_extract(args, '$[1].name'), return_type, return_description" OWN
     " AND name = 'f'",
     "b JOINID(thread.id) the sum"},
    {"rows", "SELECT args, return_type, cols" OWN " AND name = 'g'",
     "[] TABLE [{\"name\":\"ts\",\"type\":\"LONG\",\"description\":\"\"}]"},
    {"halves",
     "SELECT name, object_type FROM __intrinsic_stdlib_objects WHERE module = 'own.wrong'",
     "h function\nz view"},
    {"all JSON",
     "SELECT count() FROM __intrinsic_stdlib_objects WHERE NOT json_valid(coalesce(args, '[]')) OR "
     "NOT json_valid(coalesce(cols, '[]'))",
     "0"},
    {"ours",
     "SELECT object_type FROM __intrinsic_stdlib_objects WHERE qualified_name = "
     "'slices.with_context.thread_slice'",
     "view"},
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
