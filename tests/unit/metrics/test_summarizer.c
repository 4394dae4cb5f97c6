#include <criterion/criterion.h>
#include <stdio.h>

#include "processor/metrics/summarizer.h"
#include "protos/fields/trace_processor.h"
#include "protos/reflect/text.h"
#include "tests/support/leaks.h"
#include "tests/unit/sql/engine_fixture.h"

#define T "query { id: 'a' table { table_name: 't' } } "
#define OF_A                                                                                       \
    "query { id: 'b' inner_query_id: 'a' order_by { ordering_specs { column_name: 'x' direction: " \
    "DESC } } } "
#define TABLES                                                                                     \
    "SELECT type, name FROM sqlite_master WHERE name GLOB '_orma_summarizer*' ORDER BY name"

struct fixture {
    struct engine e;
    struct orma_summarizers *all;
    struct orma_buf out, text;
};

static void init(struct fixture *f)
{
    *f = (struct fixture){0};
    engine_init(&f->e);
    engine_expect(&f->e, "rows",
                  "CREATE PERFETTO TABLE t AS SELECT column1 AS x FROM (VALUES (3), (4), (5))", "");
    cr_assert_eq(orma_summarizers_new(f->e.sql, &f->all), 0);
}

static void fini(struct fixture *f)
{
    orma_summarizers_free(f->all);
    engine_expect(&f->e, "nothing is left behind", TABLES, "");
    orma_buf_fini(&f->out);
    orma_buf_fini(&f->text);
    engine_fini(&f->e);
    orma_assert_no_leaks();
}

/* A result as text, on one line. */
static const char *print(struct fixture *f, const char *message)
{
    const struct orma_schema *schema = orma_schema_default();

    orma_buf_clear(&f->text);
    cr_assert_eq(orma_text_print(schema, orma_schema_find_msg(schema, orma_str_from(message)),
                                 f->out.data, f->out.len, NULL, &f->text),
                 0);
    size_t len = 0;
    for (size_t i = 0; i < f->text.len; i++) {
        bool space = f->text.data[i] == ' ' || f->text.data[i] == '\n';

        if (!space || (len && f->text.data[len - 1] != ' '))
            f->text.data[len++] = space ? ' ' : f->text.data[i];
    }
    f->text.len = len;
    return orma_buf_cstr(&f->text);
}

static const char *update(struct fixture *f, const char *spec)
{
    const struct orma_schema *schema = orma_schema_default();
    struct orma_text_parse opts = {.file = "spec", .error = &f->text};
    struct orma_buf bytes = {0};

    cr_assert_eq(
        orma_text_parse(schema,
                        orma_schema_find_msg(schema, ORMA_STR("perfetto.protos.TraceSummarySpec")),
                        orma_str_from(spec), &opts, &bytes),
        0, "%s", orma_buf_cstr(&f->text));
    orma_buf_clear(&f->out);
    orma_summarizers_update(f->all, ORMA_STR("s"), orma_buf_str(&bytes), &f->out);
    orma_buf_fini(&bytes);
    return print(f, "perfetto.protos.UpdateSummarizerSpecResult");
}

static const char *query(struct fixture *f, const char *id)
{
    orma_buf_clear(&f->out);
    orma_summarizers_query(f->all, ORMA_STR("s"), orma_str_from(id), &f->out);
    return print(f, "perfetto.protos.QuerySummarizerResult");
}

static void expect(const char *what, const char *got, const char *want)
{
    cr_assert(strstr(got, want), "%s\n  got <%s>\n  want <%s>", what, got, want);
}

Test(summarizer, tables_are_made_when_they_are_asked_for_and_last)
{
    struct fixture f;

    init(&f);
    cr_assert_null(orma_summarizers_create(f.all, ORMA_STR("s")));
    expect("both are new", update(&f, T OF_A),
           "queries { query_id: \"a\" was_updated: true } queries { query_id: \"b\" was_updated: "
           "true }");
    engine_expect(&f.e, "nothing is made yet", TABLES, "");
    expect("rows", query(&f, "b"), "row_count: 3");
    expect("columns", orma_buf_cstr(&f.text), "columns: \"x\"");
    expect("it is there", orma_buf_cstr(&f.text), "exists: true");
    expect("over the table of the other", orma_buf_cstr(&f.text),
           " sql: \"WITH sq_0 AS (\\nSELECT * FROM _orma_summarizer_1_1");
    expect("without it", orma_buf_cstr(&f.text),
           "standalone_sql: \"WITH sq_0 AS (\\nSELECT * FROM t\\n)");
    expect("as text", orma_buf_cstr(&f.text), "textproto: \"id: \\\"b\\\"\\n");
    engine_expect(&f.e, "a copy is made only where there is something to compute", TABLES,
                  "table _orma_summarizer_1_0\nview _orma_summarizer_1_1");
    engine_expect(&f.e, "its rows", "SELECT x FROM _orma_summarizer_1_0", "5\n4\n3");
    expect("nothing changed", update(&f, T OF_A),
           "queries { query_id: \"a\" } queries { query_id: \"b\" }");
    engine_expect(&f.e, "and the tables stay", "SELECT x FROM _orma_summarizer_1_0", "5\n4\n3");
    fini(&f);
}

/* Each is made of the one before. */
static void update_with_chain(struct fixture *f, unsigned num, bool twice)
{
    struct orma_buf spec = {0};
    char before[16] = "a";

    orma_buf_put_str(&spec, T);
    for (unsigned i = 0; i < num; i++) {
        if (twice)
            orma_buf_printf(&spec,
                            "query { id: 'q%u' experimental_union { use_union_all: true queries { "
                            "inner_query_id: '%s' } queries { inner_query_id: '%s' } } } ",
                            i, before, before);
        else
            orma_buf_printf(&spec,
                            "query { id: 'q%u' inner_query_id: '%s' order_by { ordering_specs { "
                            "column_name: 'x' } } } ",
                            i, before);
        snprintf(before, sizeof(before), "q%u", i);
    }
    (void)update(f, orma_buf_cstr(&spec));
    orma_buf_fini(&spec);
}

Test(summarizer, hostile_chains_and_ids_are_refused)
{
    struct fixture f;

    init(&f);
    cr_assert_not_null(orma_summarizers_create(f.all, (struct orma_str){"s\0t", 3}));
    cr_assert_null(orma_summarizers_create(f.all, ORMA_STR("s")));
    update_with_chain(&f, 900, false);
    expect("all at once", query(&f, "q899"), "nested too deeply");
    expect("some levels", query(&f, "q40"), "row_count: 3");
    expect("written out, too", orma_buf_cstr(&f.text), "standalone_sql");
    update_with_chain(&f, 10, true);
    expect("twice as many each time", query(&f, "q9"), "row_count: 3072");
    cr_assert_null(strstr(orma_buf_cstr(&f.text), "standalone_sql"), "it is too long");
    expect("an id of two", update(&f, "query { id: 'b\\000c' table { table_name: 't' } }"),
           "contains a zero byte");
    fini(&f);
}

Test(summarizer, what_was_made_of_something_that_changed_is_made_again)
{
    struct fixture f;

    init(&f);
    cr_assert_null(orma_summarizers_create(f.all, ORMA_STR("s")));
    update(&f, T OF_A "query { id: 'c' table { table_name: 't' } }");
    query(&f, "b");
    query(&f, "c");
    expect("a changes",
           update(&f, "query { id: 'a' table { table_name: 't' } limit: 1 } " OF_A
                      "query { id: 'c' table { table_name: 't' } }"),
           "queries { query_id: \"a\" was_updated: true } queries { query_id: \"b\" was_updated: "
           "true } "
           "queries { query_id: \"c\" }");
    engine_expect(&f.e, "only c stays", TABLES, "view _orma_summarizer_1_2");
    expect("one row is left", query(&f, "b"), "row_count: 1");
    expect("b goes", update(&f, T), "queries { query_id: \"b\" was_dropped: true }");
    cr_assert_str_eq(query(&f, "b"), "");
    cr_assert_null(orma_summarizers_destroy(f.all, ORMA_STR("s")));
    engine_expect(&f.e, "no table without its summarizer", TABLES, "");
    fini(&f);
}

Test(summarizer, mistakes_are_told_and_change_nothing)
{
    struct fixture f;

    init(&f);
    expect("unknown", update(&f, T), "error: \"unknown summarizer \\'s\\'\"");
    expect("unknown", query(&f, "a"), "unknown summarizer");
    cr_assert_not_null(orma_summarizers_destroy(f.all, ORMA_STR("s")));
    cr_assert_not_null(orma_summarizers_create(f.all, ORMA_STR("")));
    cr_assert_null(orma_summarizers_create(f.all, ORMA_STR("s")));
    cr_assert_not_null(orma_summarizers_create(f.all, ORMA_STR("s")));
    update(&f, T);
    query(&f, "a");
    expect("no id", update(&f, "query { table { table_name: 't' } }"), "a query has no id");
    expect("twice", update(&f, T T), "two queries have the same id");
    engine_expect(&f.e, "what was there stays", TABLES, "view _orma_summarizer_1_0");
    update(&f,
           "query { id: 'a' inner_query_id: 'b' } query { id: 'b' inner_query_id: 'a' } "
           "query { id: 'c' table { table_name: 'nix' } } query { id: 'd' inner_query_id: 'e' }");
    expect("a cycle", query(&f, "a"), "it depends on itself");
    expect("no such table", query(&f, "c"), "no such table: nix");
    expect("no such query", query(&f, "d"), "unknown query \\'e\\'");
    cr_assert_null(orma_summarizers_create(f.all, ORMA_STR("other")));
    fini(&f);
}
