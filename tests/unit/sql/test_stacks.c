/* Stacks of call sites as profiles. */
#include <criterion/criterion.h>

#include "protos/fields/pprof.h"
#include "sdk/wire/pb_reader.h"
#include "tests/support/leaks.h"
#include "tests/unit/sql/engine_fixture.h"

static uint32_t add(struct engine *e, unsigned table)
{
    return orma_table_add(&e->storage.tables[table]);
}

/*  site 0: main in /bin/app     site 1: work (two symbols) in /bin/app, called by 0 */
static void fill(struct engine *e)
{
    struct orma_table *m = &e->storage.tables[ORMA_TABLE_STACK_PROFILE_MAPPING];
    struct orma_table *f = &e->storage.tables[ORMA_TABLE_STACK_PROFILE_FRAME];
    struct orma_table *s = &e->storage.tables[ORMA_TABLE_STACK_PROFILE_SYMBOL];
    struct orma_table *c = &e->storage.tables[ORMA_TABLE_STACK_PROFILE_CALLSITE];
    uint32_t row = add(e, ORMA_TABLE_STACK_PROFILE_MAPPING);

    orma_table_set(m, ORMA_STACK_PROFILE_MAPPING_NAME, row,
                   orma_storage_cstr(&e->storage, "/bin/app.odex"));
    for (int i = 0; i < 2; i++) {
        row = add(e, ORMA_TABLE_STACK_PROFILE_FRAME);
        orma_table_set(f, ORMA_STACK_PROFILE_FRAME_NAME, row,
                       orma_storage_cstr(&e->storage, i ? "work" : "main"));
        orma_table_set(f, ORMA_STACK_PROFILE_FRAME_MAPPING, row, 0);
        row = add(e, ORMA_TABLE_STACK_PROFILE_SYMBOL);
        orma_table_set(s, ORMA_STACK_PROFILE_SYMBOL_SYMBOL_SET_ID, row, 0);
        orma_table_set(s, ORMA_STACK_PROFILE_SYMBOL_NAME, row,
                       orma_storage_cstr(&e->storage, i ? "work_outer" : "work_inner"));
        row = add(e, ORMA_TABLE_STACK_PROFILE_CALLSITE);
        orma_table_set(c, ORMA_STACK_PROFILE_CALLSITE_FRAME_ID, row, i);
        if (i)
            orma_table_set(c, ORMA_STACK_PROFILE_CALLSITE_PARENT_ID, row, 0);
    }
    orma_table_set(f, ORMA_STACK_PROFILE_FRAME_SYMBOL_SET_ID, 1, 0);
}

/* Fields of a profile, counted by number, and its strings with blanks between them. */
static void read_profile(struct engine *e, const char *sql, unsigned *counts, struct orma_buf *text)
{
    sqlite3_stmt *stmt;
    struct orma_pb_field f;

    cr_assert_eq(sqlite3_prepare_v2(e->sql->db, sql, -1, &stmt, NULL), SQLITE_OK);
    cr_assert_eq(sqlite3_step(stmt), SQLITE_ROW);
    struct orma_pb_reader r =
        orma_pb_reader(sqlite3_column_blob(stmt, 0), (size_t)sqlite3_column_bytes(stmt, 0));
    while (orma_pb_next(&r, &f)) {
        counts[f.id & 15]++;
        if (f.id != ORMA_PB_PPROF_PROFILE_STRING_TABLE)
            continue;
        orma_buf_put(text, orma_pb_str(&f).data, orma_pb_str(&f).len);
        orma_buf_put_byte(text, ' ');
    }
    cr_assert(!r.failed);
    cr_assert_eq(sqlite3_finalize(stmt), SQLITE_OK);
}

Test(stacks, become_a_profile)
{
    struct engine e;
    unsigned counts[16] = {0};
    struct orma_buf text = {0};

    engine_init(&e);
    fill(&e);
    read_profile(&e,
                 "SELECT experimental_profile(s) FROM (SELECT "
                 "cat_stacks('thread', stack_from_stack_profile_callsite(1)) AS s UNION ALL SELECT "
                 "stack_from_stack_profile_callsite(0) UNION ALL SELECT "
                 "cat_stacks('thread', stack_from_stack_profile_callsite(1)))",
                 counts, &text);
    cr_assert_eq(counts[ORMA_PB_PPROF_PROFILE_SAMPLE], 2, "equal stacks are one sample");
    cr_assert_eq(counts[ORMA_PB_PPROF_PROFILE_LOCATION], 3);
    cr_assert_eq(counts[ORMA_PB_PPROF_PROFILE_MAPPING], 1);
    cr_assert_eq(counts[ORMA_PB_PPROF_PROFILE_FUNCTION], 4, "two symbols in one location");
    cr_assert_str_eq(orma_buf_cstr(&text),
                     " samples count work_inner work_outer /bin/app.odex main thread ");
    orma_buf_fini(&text);
    engine_fini(&e);
    orma_assert_no_leaks();
}

Test(stacks, may_be_annotated)
{
    struct engine e;
    unsigned counts[16] = {0};
    struct orma_buf text = {0};

    engine_init(&e);
    fill(&e);
    read_profile(&e, "SELECT experimental_profile(stack_from_stack_profile_callsite(0, 1))", counts,
                 &text);
    cr_assert_str_eq(orma_buf_cstr(&text), " samples count main [aot] /bin/app.odex ");
    engine_expect(&e, "rows",
                  "SELECT id, parent_id, annotation FROM experimental_annotated_callstack(1)",
                  "1 0 aot\n0 NULL aot");
    orma_buf_fini(&text);
    engine_fini(&e);
    orma_assert_no_leaks();
}

Test(stacks, annotate_functions_of_symbols_too)
{
    struct engine e;
    unsigned counts[16] = {0};
    struct orma_buf text = {0};

    engine_init(&e);
    fill(&e);
    read_profile(&e, "SELECT experimental_profile(stack_from_stack_profile_callsite(1, 1))", counts,
                 &text);
    cr_assert_str_eq(orma_buf_cstr(&text), " samples count work_inner [aot] work_outer [aot] "
                                           "/bin/app.odex main [aot] ");
    orma_buf_fini(&text);
    engine_fini(&e);
    orma_assert_no_leaks();
}

/* Each is called by the one before. */
Test(stacks, annotate_frames_of_the_runtime)
{
    static const struct {
        const char *function;
        int mapping;
    } frames[] = {{"before", 1}, {"art_jni_trampoline", 1}, {"native", 1},
                  {"helper", 1}, {"nterp_iget", 1},         {"other", 2},
                  {"shown", 3}};
    static const char *const mappings[] = {"/lib/libart.so", "/lib/libc.so", "/x/base.apk"};
    struct engine e;

    engine_init(&e);
    fill(&e);
    for (size_t i = 0; i < ORMA_ARRAY_LEN(mappings); i++)
        orma_table_set(&e.storage.tables[ORMA_TABLE_STACK_PROFILE_MAPPING],
                       ORMA_STACK_PROFILE_MAPPING_NAME, add(&e, ORMA_TABLE_STACK_PROFILE_MAPPING),
                       orma_storage_cstr(&e.storage, mappings[i]));
    for (size_t i = 0; i < ORMA_ARRAY_LEN(frames); i++) {
        struct orma_table *f = &e.storage.tables[ORMA_TABLE_STACK_PROFILE_FRAME];
        struct orma_table *c = &e.storage.tables[ORMA_TABLE_STACK_PROFILE_CALLSITE];
        uint32_t frame = add(&e, ORMA_TABLE_STACK_PROFILE_FRAME);
        uint32_t site = add(&e, ORMA_TABLE_STACK_PROFILE_CALLSITE);

        orma_table_set(f, ORMA_STACK_PROFILE_FRAME_NAME, frame,
                       orma_storage_cstr(&e.storage, frames[i].function));
        orma_table_set(f, ORMA_STACK_PROFILE_FRAME_MAPPING, frame, frames[i].mapping);
        orma_table_set(c, ORMA_STACK_PROFILE_CALLSITE_FRAME_ID, site, frame);
        if (i)
            orma_table_set(c, ORMA_STACK_PROFILE_CALLSITE_PARENT_ID, site, site - 1);
    }
    engine_expect(&e, "frames",
                  "SELECT name, annotation FROM experimental_annotated_callstack(8) a JOIN "
                  "stack_profile_frame f ON a.frame_id = f.id ORDER BY a.id",
                  "before NULL\nart_jni_trampoline common-frame\nnative NULL\nhelper "
                  "common-frame\nnterp_iget common-frame-interp\nother NULL\nshown interp");
    engine_fini(&e);
    orma_assert_no_leaks();
}

/*  sample 0: set 0 (cycles 5, instructions 7)    sample 1: none */
Test(stacks, counters_that_were_read_with_samples)
{
    static const char *const names[] = {"cycles", "instructions"};
    struct engine e;

    engine_init(&e);
    for (int i = 0; i < 2; i++) {
        struct orma_table *t = &e.storage.tables[ORMA_TABLE_TRACK];
        uint32_t row = add(&e, ORMA_TABLE_TRACK);

        orma_table_set(t, ORMA_TRACK_NAME, row, orma_storage_cstr(&e.storage, names[i]));
        t = &e.storage.tables[ORMA_TABLE_COUNTER];
        row = add(&e, ORMA_TABLE_COUNTER);
        orma_table_set(t, ORMA_COUNTER_TRACK_ID, row, i);
        orma_table_set_double(t, ORMA_COUNTER_VALUE, row, 5 + 2 * i);
        t = &e.storage.tables[ORMA_TABLE_PROFILER_COUNTER_SET];
        row = add(&e, ORMA_TABLE_PROFILER_COUNTER_SET);
        orma_table_set(t, ORMA_PROFILER_COUNTER_SET_COUNTER_SET_ID, row, 0);
        orma_table_set(t, ORMA_PROFILER_COUNTER_SET_COUNTER_ID, row, i);
        t = &e.storage.tables[ORMA_TABLE_PROFILER_SAMPLE];
        row = add(&e, ORMA_TABLE_PROFILER_SAMPLE);
        if (!i)
            orma_table_set(t, ORMA_PROFILER_SAMPLE_COUNTER_SET_ID, row, 0);
    }
    engine_expect(&e, "values",
                  "INCLUDE PERFETTO MODULE linux.perf.counters;"
                  "SELECT linux_perf_counter_for_sample(0, 'instructions'), "
                  "linux_perf_counter_for_sample(0, 'cycles'), "
                  "linux_perf_counter_for_sample(0, 'nope'), "
                  "linux_perf_counter_for_sample(1, 'cycles'), "
                  "__intrinsic_perf_counter_for_sample(NULL, NULL)",
                  "7.0 5.0 NULL NULL NULL");
    engine_expect(&e, "no sample", "SELECT __intrinsic_perf_counter_for_sample(99, 'cycles')",
                  "error: no sample has this id");
    engine_fini(&e);
    orma_assert_no_leaks();
}

static void add_allocation(struct engine *e, int64_t ts, int upid, int site, int count, int size)
{
    struct orma_table *t = &e->storage.tables[ORMA_TABLE_HEAP_PROFILE_ALLOCATION];
    uint32_t row = add(e, ORMA_TABLE_HEAP_PROFILE_ALLOCATION);

    orma_table_set(t, ORMA_HEAP_PROFILE_ALLOCATION_TS, row, ts);
    orma_table_set(t, ORMA_HEAP_PROFILE_ALLOCATION_UPID, row, upid);
    orma_table_set(t, ORMA_HEAP_PROFILE_ALLOCATION_CALLSITE_ID, row, site);
    orma_table_set(t, ORMA_HEAP_PROFILE_ALLOCATION_COUNT, row, count);
    orma_table_set(t, ORMA_HEAP_PROFILE_ALLOCATION_SIZE, row, size);
}

static void add_sample(struct engine *e, int64_t ts, int site, int context)
{
    struct orma_table *t = &e->storage.tables[ORMA_TABLE_PROFILER_SAMPLE];
    uint32_t row = add(e, ORMA_TABLE_PROFILER_SAMPLE);

    orma_table_set_time(t, ORMA_PROFILER_SAMPLE_TS, row, ts);
    orma_table_set(t, ORMA_PROFILER_SAMPLE_CALLSITE_ID, row, site);
    orma_table_set(t, ORMA_PROFILER_SAMPLE_TASK_CONTEXT_ID, row, context);
}

Test(stacks, of_profiles_as_one_forest)
{
    struct engine e;

    engine_init(&e);
    fill(&e);
    add_allocation(&e, 10, 1, 1, 3, 300);
    add_allocation(&e, 20, 1, 1, -1, -100);
    add_allocation(&e, 20, 1, 0, 1, 8);
    add_allocation(&e, 20, 2, 0, 1, 7000);
    for (int i = 0; i < 2; i++) {
        uint32_t row = add(&e, ORMA_TABLE_PROFILER_TASK_CONTEXT);

        orma_table_set(&e.storage.tables[ORMA_TABLE_PROFILER_TASK_CONTEXT],
                       ORMA_PROFILER_TASK_CONTEXT_UPID, row, i + 1);
        add_sample(&e, 5 + i, 1, i);
        add_sample(&e, 7 + i, 0, i);
    }
#define TREE(...)                                                                                  \
    "SELECT depth, name, count, cumulative_count, size, cumulative_size, alloc_size, parent_id "   \
    "FROM experimental_flamegraph(" __VA_ARGS__ ")"
    engine_expect(&e, "heap", TREE("'native', 20, NULL, 1, NULL, NULL"),
                  "0 main 1 3 8 208 8 NULL\n1 work_outer 0 2 0 200 0 0\n"
                  "2 work_inner 2 2 200 200 300 1");
    engine_expect(&e, "earlier", TREE("'native', 10, NULL, NULL, '1,2', NULL"),
                  "0 main 0 3 0 300 0 NULL\n1 work_outer 0 3 0 300 0 0\n"
                  "2 work_inner 3 3 300 300 300 1");
    engine_expect(&e, "samples", TREE("'perf', NULL, NULL, NULL, NULL, NULL"),
                  "0 main 2 4 2 4 0 NULL\n1 work_outer 0 2 0 2 0 0\n2 work_inner 2 2 2 2 0 1");
    engine_expect(&e, "in time", TREE("'perf', NULL, '>=6, <8', NULL, NULL, NULL"),
                  "0 main 1 2 1 2 0 NULL\n1 work_outer 0 1 0 1 0 0\n2 work_inner 1 1 1 1 0 1");
    engine_expect(&e, "of a process and a name", TREE("'perf', NULL, NULL, 2, NULL, 'inner'"),
                  "0 main 0 1 0 1 0 NULL\n1 work_outer 0 1 0 1 0 0\n2 work_inner 1 1 1 1 0 1");
    engine_expect(&e, "kind", TREE("'java', 0, NULL, 1, NULL, NULL"),
                  "error: profile_type must be 'native', 'perf' or 'graph'");
    engine_expect(&e, "time", TREE("'perf', 0, 'x', 1, NULL, NULL"), "error: invalid ts_constraint");
    engine_expect(&e, "group", TREE("'perf', 0, NULL, 1, 'a', NULL"), "error: upid_group must be");
    engine_fini(&e);
    orma_assert_no_leaks();
}
