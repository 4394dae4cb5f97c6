/* The stack rules of slices, as pictures: time runs to the right. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

#include "processor/model/slices.h"
#include "tests/support/leaks.h"

struct fixture {
    struct orma_storage storage;
    struct orma_slices slices;
};

static struct fixture *fixture_new(void)
{
    struct fixture *f = calloc(1, sizeof(*f));

    cr_assert_eq(orma_storage_init(&f->storage), 0);
    orma_slices_init(&f->slices, &f->storage);
    return f;
}

static void fixture_free(struct fixture *f)
{
    orma_slices_fini(&f->slices);
    orma_storage_fini(&f->storage);
    free(f);
}

static void expect(struct fixture *f, uint32_t row, int64_t dur, int64_t depth, int64_t parent)
{
    const struct orma_table *t = &f->storage.tables[ORMA_TABLE_SLICE];

    cr_assert_eq(orma_table_int(t, ORMA_SLICE_DUR, row), dur, "dur of %u", row);
    cr_assert_eq(orma_table_int(t, ORMA_SLICE_DEPTH, row), depth, "depth of %u", row);
    cr_assert_eq(orma_table_is_null(t, ORMA_SLICE_PARENT_ID, row), parent < 0);
    if (parent >= 0)
        cr_assert_eq(orma_table_int(t, ORMA_SLICE_PARENT_ID, row), parent, "parent of %u", row);
}

/*  0 [---------- a ----------] 100
 *      10 [-- b --] 50          110 (c, never ends)  */
Test(slice, nests_and_leaves_the_unfinished_open)
{
    struct fixture *f = fixture_new();
    uint32_t a = orma_slices_begin(&f->slices, 0, 0, 0, 1, NULL);
    uint32_t b = orma_slices_begin(&f->slices, 10, 0, 0, 2, NULL);

    cr_assert_eq(orma_slices_end(&f->slices, 50, 0, 0, 0, NULL), b);
    cr_assert_eq(orma_slices_end(&f->slices, 100, 0, 0, 0, NULL), a);
    uint32_t c = orma_slices_begin(&f->slices, 110, 0, 0, 3, NULL);
    cr_assert_eq(orma_slices_end(&f->slices, 120, 1, 0, 0, NULL), ORMA_SLICE_NONE);
    orma_slices_finish(&f->slices);
    expect(f, a, 100, 0, -1);
    expect(f, b, 40, 1, a);
    expect(f, c, -1, 0, -1);
    fixture_free(f);
    orma_assert_no_leaks();
}

/*  0 [--- a ---] 60: ended by name while b is open; b ends with it when time goes on */
Test(slice, an_outer_end_closes_what_lies_above_it)
{
    struct fixture *f = fixture_new();
    uint32_t a = orma_slices_begin(&f->slices, 0, 0, 0, 1, NULL);
    uint32_t b = orma_slices_begin(&f->slices, 10, 0, 0, 2, NULL);

    cr_assert_eq(orma_slices_end(&f->slices, 60, 0, 0, 1, NULL), a);
    expect(f, b, -1, 1, a);
    uint32_t c = orma_slices_begin(&f->slices, 70, 0, 0, 3, NULL);
    expect(f, b, 50, 1, a);
    expect(f, c, -1, 0, -1);
    cr_assert_eq(f->storage.stats[0].single[ORMA_STAT_MISPLACED_END_EVENT], 1);
    fixture_free(f);
    orma_assert_no_leaks();
}

Test(slice, an_end_with_a_category_does_not_match_a_slice_without)
{
    struct fixture *f = fixture_new();
    uint32_t a = orma_slices_begin(&f->slices, 0, 0, 0, 1, NULL);

    cr_assert_eq(orma_slices_end(&f->slices, 10, 0, 9, 0, NULL), ORMA_SLICE_NONE);
    cr_assert_eq(orma_slices_end(&f->slices, 20, 0, 0, 0, NULL), a);
    fixture_free(f);
    orma_assert_no_leaks();
}

/*  0 [---- a ----] 100
 *        50 [---- b ----] 150 refused   100 [ c ] beside a, not in it */
Test(slice, complete_slices_that_overlap_in_part_are_dropped)
{
    struct fixture *f = fixture_new();
    uint32_t a = orma_slices_complete(&f->slices, 0, 100, 0, 0, 1, NULL);

    cr_assert_eq(orma_slices_complete(&f->slices, 50, 100, 0, 0, 2, NULL), ORMA_SLICE_NONE);
    uint32_t inner = orma_slices_complete(&f->slices, 50, 50, 0, 0, 3, NULL);
    uint32_t c = orma_slices_complete(&f->slices, 100, 10, 0, 0, 4, NULL);
    expect(f, a, 100, 0, -1);
    expect(f, inner, 50, 1, a);
    expect(f, c, 10, 0, -1);
    cr_assert_eq(f->storage.stats[0].single[ORMA_STAT_SLICE_DROP_OVERLAPPING_COMPLETE_EVENT], 1);
    cr_assert_eq(orma_slices_complete(&f->slices, 200, -5, 0, 0, 1, NULL), ORMA_SLICE_NONE);
    cr_assert_eq(f->storage.stats[0].single[ORMA_STAT_SLICE_NEGATIVE_DURATION], 1);
    fixture_free(f);
    orma_assert_no_leaks();
}

Test(slice, a_slice_ends_within_time)
{
    struct fixture *f = fixture_new();

    cr_assert_eq(orma_slices_complete(&f->slices, 10, INT64_MAX - 9, 0, 0, 1, NULL),
                 ORMA_SLICE_NONE);
    cr_assert_eq(f->storage.stats[0].single[ORMA_STAT_SLICE_NEGATIVE_DURATION], 1);
    cr_assert_eq(orma_slices_complete(&f->slices, 10, INT64_MAX - 10, 0, 0, 1, NULL), 0);
    cr_assert_eq(orma_slices_top(&f->slices, 0, INT64_MAX), 0);
    fixture_free(f);
}

Test(slice, instants_of_one_time_nest_in_each_other)
{
    struct fixture *f = fixture_new();
    uint32_t a = orma_slices_complete(&f->slices, 10, 0, 0, 0, 1, NULL);
    uint32_t b = orma_slices_complete(&f->slices, 10, 0, 0, 0, 2, NULL);
    uint32_t c = orma_slices_complete(&f->slices, 11, 0, 0, 0, 3, NULL);

    expect(f, a, 0, 0, -1);
    expect(f, b, 0, 1, a);
    expect(f, c, 0, 0, -1);
    fixture_free(f);
    orma_assert_no_leaks();
}

Test(slice, the_end_adds_args_to_those_of_the_beginning)
{
    struct fixture *f = fixture_new();
    struct orma_args_list args = {0};

    orma_args_put_int(&args, 1, 10);
    uint32_t a = orma_slices_begin(&f->slices, 0, 0, 0, 1, &args);
    uint32_t open = orma_slices_begin(&f->slices, 5, 1, 0, 1, &args);
    orma_args_list_clear(&args);
    orma_args_put_int(&args, 2, 20);
    orma_slices_end(&f->slices, 10, 0, 0, 0, &args);
    orma_slices_finish(&f->slices);
    const struct orma_table *t = &f->storage.tables[ORMA_TABLE_SLICE];
    orma_args_load(&f->storage.args, (uint32_t)orma_table_int(t, ORMA_SLICE_ARG_SET_ID, a), &args);
    cr_assert_eq(args.len, 2);
    orma_args_load(&f->storage.args, (uint32_t)orma_table_int(t, ORMA_SLICE_ARG_SET_ID, open),
                   &args);
    cr_assert_eq(args.len, 1);
    orma_args_list_fini(&args);
    fixture_free(f);
    orma_assert_no_leaks();
}

Test(slice, the_stack_has_a_limit)
{
    struct fixture *f = fixture_new();

    for (int i = 0; i < ORMA_SLICE_DEPTH_MAX; i++)
        cr_assert_neq(orma_slices_begin(&f->slices, i, 0, 0, 1, NULL), ORMA_SLICE_NONE);
    cr_assert_eq(orma_slices_begin(&f->slices, 9999, 0, 0, 1, NULL), ORMA_SLICE_NONE);
    cr_assert_eq(f->storage.stats[0].single[ORMA_STAT_SLICE_MAX_DEPTH_EXCEEDED], 1);
    fixture_free(f);
    orma_assert_no_leaks();
}
