/* Mappings, frames and call sites are there once; samples each time. */
#include "processor/model/callstacks.h"

#include "tests/unit/model/fixture.h"

static uint32_t frame(struct fixture *f, uint32_t mapping, const char *name, uint64_t pc)
{
    const struct orma_stack_frame frame = {
        .mapping = mapping, .name = fixture_str(f, name), .rel_pc = pc};

    return orma_callstacks_frame(&f->model, &frame);
}

/*  main ◄─ a ◄─ b
 *            ◄─ a      b calls nobody, a calls itself: what differs is the caller */
Test(callstacks, a_call_site_is_a_frame_and_its_caller)
{
    struct fixture *f = fixture_new();
    uint32_t m = orma_callstacks_dummy_mapping(&f->model, "x");
    uint32_t main = frame(f, m, "main", 1), a = frame(f, m, "a", 2), b = frame(f, m, "b", 3);

    for (unsigned again = 0; again < 2; again++) {
        uint32_t root = orma_callstacks_callsite(&f->model, ORMA_CALLSITE_NONE, main);
        uint32_t first = orma_callstacks_callsite(&f->model, root, a);

        cr_assert_eq(root, 0);
        cr_assert_eq(first, 1);
        cr_assert_eq(orma_callstacks_callsite(&f->model, first, b), 2);
        cr_assert_eq(orma_callstacks_callsite(&f->model, first, a), 3);
        cr_assert_eq(orma_callstacks_callsite(&f->model, ORMA_CALLSITE_NONE, a), 4);
    }
    fixture_expect(f, ORMA_TABLE_STACK_PROFILE_CALLSITE, "depth parent_id frame_id.name",
                   "0 - main\n1 0 a\n2 1 b\n2 1 a\n0 - a\n");
    fixture_free(f);
}

Test(callstacks, mappings_are_equal_if_all_of_them_is)
{
    struct fixture *f = fixture_new();
    struct orma_mapping m = {.name = fixture_str(f, "lib"), .start = 0x1000, .end = 0x2000};

    cr_assert_eq(orma_callstacks_mapping(&f->model, &m), 0);
    cr_assert_eq(orma_callstacks_mapping(&f->model, &m), 0);
    m.load_bias = 1;
    cr_assert_eq(orma_callstacks_mapping(&f->model, &m), 1);
    cr_assert_eq(orma_callstacks_add_mapping(&f->model, &m), 2); /* of a process of its own */
    cr_assert_eq(orma_callstacks_dummy_mapping(&f->model, "lib"), 3);
    cr_assert_eq(orma_callstacks_dummy_mapping(&f->model, "lib"), 3);
    fixture_free(f);
}

Test(callstacks, names_of_mappings_are_paths)
{
    static const struct {
        const char *parts[3];
        const char *name;
    } cases[] = {
        {{NULL}, ""},
        {{"lib"}, "/lib"},
        {{"usr", "lib", "a.so"}, "/usr/lib/a.so"},
        {{"/usr/lib/a.so"}, "/usr/lib/a.so"},
        {{"[vdso]"}, "[vdso]"},
        {{""}, "/"},
    };
    struct fixture *f = fixture_new();

    for (unsigned i = 0; i < ORMA_ARRAY_LEN(cases); i++) {
        uint32_t parts[3];
        unsigned num = 0;

        for (; num < 3 && cases[i].parts[num]; num++)
            parts[num] = fixture_str(f, cases[i].parts[num]);
        cr_assert_str_eq(orma_strpool_cstr(&f->storage.pool,
                                           orma_callstacks_mapping_name(&f->model, parts, num)),
                         cases[i].name);
    }
    fixture_free(f);
}

Test(callstacks, build_ids_are_hexadecimal_also_those_of_breakpad)
{
    static const struct {
        struct orma_str bytes;
        const char *id;
    } cases[] = {
        {{"", 0}, ""},
        {{"\x00\xff", 2}, "00ff"},
        {{"0123456789ABCDEF0123456789ABCDEF1", 33}, "0123456789ABCDEF0123456789ABCDEF1"},
        {{"0123456789ABCDEF0123456789ABCDEx1", 33},
         "303132333435363738394142434445463031323334353637383941424344457831"},
    };
    struct fixture *f = fixture_new();

    for (unsigned i = 0; i < ORMA_ARRAY_LEN(cases); i++)
        cr_assert_str_eq(orma_strpool_cstr(&f->storage.pool,
                                           orma_callstacks_build_id(&f->model, cases[i].bytes)),
                         cases[i].id);
    fixture_free(f);
}

Test(callstacks, a_line_is_a_symbol_of_its_frame)
{
    struct fixture *f = fixture_new();
    struct orma_stack_frame frame = {.mapping = orma_callstacks_dummy_mapping(&f->model, ""),
                                     .name = fixture_str(f, "a")};

    cr_assert_eq(orma_callstacks_frame(&f->model, &frame), 0);
    frame.source = fixture_str(f, "a.c");
    frame.line = 3;
    cr_assert_eq(orma_callstacks_frame(&f->model, &frame), 1);
    cr_assert_eq(orma_callstacks_frame(&f->model, &frame), 1);
    fixture_expect(f, ORMA_TABLE_STACK_PROFILE_FRAME, "name symbol_set_id", "a -\na 0\n");
    fixture_expect(f, ORMA_TABLE_STACK_PROFILE_SYMBOL, "name source_file line_number", "a a.c 3\n");
    fixture_free(f);
}

Test(callstacks, samples_share_the_task_and_have_counters_of_their_own)
{
    struct fixture *f = fixture_new();
    uint32_t track =
        orma_model_counter_track(&f->model, 0, "c", fixture_str(f, "c"), NULL, 0, NULL);

    for (int64_t i = 0; i < 2; i++) {
        uint32_t set = orma_callstacks_counter_set(&f->model);
        struct orma_sample s = {
            .ts = 10 + i,
            .source = fixture_str(f, "s"),
            .task = orma_callstacks_task(&f->model, ORMA_ID_NONE, 0, ORMA_ROW_NONE),
            .exec = orma_callstacks_execution(&f->model, ORMA_ID_NONE, 0),
            .callsite = ORMA_CALLSITE_NONE,
            .session = ORMA_ROW_NONE,
            .counter_set = set,
        };

        orma_callstacks_add_counter(&f->model, set, 10 + i, track, (double)i);
        orma_callstacks_sample(&f->model, &s);
    }
    fixture_expect(f, ORMA_TABLE_PROFILER_SAMPLE,
                   "ts source task_context_id execution_context_id callsite_id counter_set_id",
                   "10 s 0 - - 0\n11 s 0 - - 1\n");
    fixture_expect(f, ORMA_TABLE_COUNTER, "ts value", "10 0\n11 1\n");
    fixture_free(f);
}
