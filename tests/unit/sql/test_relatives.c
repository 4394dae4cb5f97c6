/* Walks over slices, call sites and flows, on rows that are put into the storage directly. */
#include <criterion/criterion.h>

#include "tests/support/leaks.h"
#include "tests/unit/sql/engine_fixture.h"

static void add_slice(struct engine *e, const char *name, int parent)
{
    struct orma_table *t = &e->storage.tables[ORMA_TABLE_SLICE];
    uint32_t row = orma_table_add(t);

    orma_table_set(t, ORMA_SLICE_NAME, row, orma_storage_cstr(&e->storage, name));
    if (parent >= 0)
        orma_table_set(t, ORMA_SLICE_PARENT_ID, row, parent);
}

static void add_flow(struct engine *e, int out, int in)
{
    struct orma_table *t = &e->storage.tables[ORMA_TABLE_FLOW];
    uint32_t row = orma_table_add(t);

    orma_table_set(t, ORMA_FLOW_SLICE_OUT, row, out);
    orma_table_set(t, ORMA_FLOW_SLICE_IN, row, in);
}

static void add_callsite(struct engine *e, int parent)
{
    struct orma_table *t = &e->storage.tables[ORMA_TABLE_STACK_PROFILE_CALLSITE];
    uint32_t row = orma_table_add(t);

    if (parent >= 0)
        orma_table_set(t, ORMA_STACK_PROFILE_CALLSITE_PARENT_ID, row, parent);
}

/*  0 a      3 d      5 f        flows: b → d, c → d, d → f, g → h, h → g
 *  └ 1 b    └ 4 e    6 g              e → c (back into a child of a)
 *    └ 2 c           7 h        */
static void fill(struct engine *e)
{
    static const int parents[] = {-1, 0, 1, -1, 3, -1, -1, -1};
    static const int flows[][2] = {{1, 3}, {2, 3}, {3, 5}, {6, 7}, {7, 6}, {4, 2}};
    char name[2] = "a";

    for (size_t i = 0; i < ORMA_ARRAY_LEN(parents); i++, name[0]++)
        add_slice(e, name, parents[i]);
    for (size_t i = 0; i < ORMA_ARRAY_LEN(flows); i++)
        add_flow(e, flows[i][0], flows[i][1]);
    add_callsite(e, -1);
    add_callsite(e, 0);
    add_callsite(e, 1);
    add_callsite(e, 0);
}

static void expect(const char *what, const char *script, const char *want)
{
    struct engine e;

    engine_init(&e);
    fill(&e);
    engine_expect(&e, what, script, want);
    engine_fini(&e);
    orma_assert_no_leaks();
}

/* The letters of both ends of each arrow. */
#define ARROWS(f)                                                                                  \
    "SELECT s.name, (SELECT group_concat(substr('abcdefgh', slice_out + 1, 1) || "                 \
    "substr('abcdefgh', slice_in + 1, 1), ' ') FROM " f "(s.id)) FROM slice s"

Test(relatives, flows_that_are_connected_directly)
{
    expect("chains in one direction, each flow once", ARROWS("directly_connected_flow"),
           "a NULL\nb bd df\nc ec cd df\nd bd cd df ec\ne ec cd df\nf df bd cd ec\n"
           "g hg gh\nh gh hg");
}

Test(relatives, flows_that_follow)
{
    expect("of descendants too", ARROWS("following_flow"),
           "a bd cd df ec\nb bd df cd ec\nc cd df ec\nd df ec cd\ne ec cd df\nf NULL\n"
           "g gh hg\nh hg gh");
    expect("number of following flows",
           "SELECT (SELECT COUNT(*) FROM FOLLOWING_FLOW(slice.id)) AS following FROM slice",
           "4\n4\n3\n3\n3\n0\n2\n2");
}

Test(relatives, flows_that_precede)
{
    expect("of ancestors too", ARROWS("preceding_flow"),
           "a NULL\nb NULL\nc ec bd cd\nd bd cd ec\ne bd cd ec\nf df bd cd ec\ng hg gh\nh gh hg");
}

Test(relatives, slices_and_flows_that_are_not_there)
{
    expect("NULL", "SELECT count(*) FROM following_flow(NULL)", "0");
    expect("unknown", "SELECT * FROM following_flow(99)", "error: invalid slice id 99");
    expect("negative", "SELECT * FROM preceding_flow(-1)", "error: invalid slice id -1");
    expect("text", "SELECT * FROM directly_connected_flow('1')",
           "error: start id should be an integer.");
    expect("numbered rows", "SELECT id, slice_out FROM following_flow(1)", "0 1\n1 3\n2 2\n3 4");
    expect("hidden columns", "SELECT _auto_id, _fn_arg0 FROM following_flow(3) LIMIT 1", "0 NULL");
    expect("named", "SELECT count(*) FROM following_flow WHERE _fn_arg0 = 1", "4");
    expect("slice", "SELECT * FROM descendant_slice(8)", "error: no row with id 8");
}

Test(relatives, ancestors_and_descendants)
{
    expect("up", "SELECT name FROM ancestor_slice(2)", "a\nb");
    expect("down", "SELECT name FROM descendant_slice(0)", "b\nc");
    expect("call sites", "SELECT id FROM experimental_ancestor_stack_profile_callsite(2)", "0\n1");
    expect("no call sites", "SELECT id FROM experimental_ancestor_stack_profile_callsite(0)", "");
}

/* More rows than fit without an index; and parents that a hostile file made a circle of. */
Test(relatives, ends_in_large_and_in_broken_tables)
{
    struct engine e;

    engine_init(&e);
    for (int i = 0; i < 5000; i++)
        add_slice(&e, "s", i - 1);
    engine_expect(&e, "deep", "SELECT count(*) FROM descendant_slice(0)", "4999");
    engine_expect(&e, "high", "SELECT count(*) FROM ancestor_slice(4999)", "4999");
    orma_table_set(&e.storage.tables[ORMA_TABLE_SLICE], ORMA_SLICE_PARENT_ID, 0, 4999);
    engine_expect(&e, "circle", "SELECT count(*) >= 4999 FROM ancestor_slice(4999)", "1");
    engine_fini(&e);
    orma_assert_no_leaks();
}
