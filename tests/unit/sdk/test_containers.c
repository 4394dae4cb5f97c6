#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sdk/base/search.h"
#include "sdk/base/vec.h"
#include "tests/support/alloc.h"
#include "tests/support/leaks.h"

struct row {
    int64_t ts;
    uint32_t id;
};
ORMA_VEC_STRUCT(rows, struct row);

static int fill(struct rows *rows, uint32_t num)
{
    for (uint32_t i = 0; i < num; i++) {
        int r = ORMA_VEC_PUSH(rows, (struct row){.ts = 10 * (int64_t)i, .id = i});

        if (r < 0)
            return r;
    }
    return 0;
}

Test(vec, keeps_its_elements_while_it_grows)
{
    struct rows rows = {0};

    cr_assert_eq(fill(&rows, 1000), 0);
    cr_assert_eq(rows.len, 1000);
    cr_assert_geq(rows.cap, 1000);
    cr_assert_lt(rows.cap, 2048 + 1);
    for (uint32_t i = 0; i < rows.len; i++)
        cr_assert(rows.data[i].id == i && rows.data[i].ts == 10 * (int64_t)i);
    ORMA_VEC_FINI(&rows);
    cr_assert(!rows.data && !rows.len && !rows.cap);
    cr_assert_eq(fill(&rows, 1), 0); /* usable again */
    ORMA_VEC_FINI(&rows);
    orma_assert_no_leaks();
}

Test(vec, works_on_any_struct_with_its_three_members)
{
    struct {
        const char **data;
        size_t len, cap;
    } names = {0};
    ORMA_VEC(int) numbers = {0};

    cr_assert_eq(ORMA_VEC_PUSH(&names, "a"), 0);
    cr_assert_eq(ORMA_VEC_PUSH(&names, "b"), 0);
    cr_assert_str_eq(names.data[1], "b");
    *ORMA_VEC_ADD(&numbers) = 7;
    cr_assert_eq(ORMA_VEC_PUSH(&numbers, numbers.data[0]), 0); /* of itself, while it may move */
    cr_assert(numbers.len == 2 && numbers.data[1] == 7);
    ORMA_VEC_FINI(&names);
    ORMA_VEC_FINI(&numbers);
    orma_assert_no_leaks();
}

Test(vec, inserts_and_removes_in_order)
{
    ORMA_VEC(int) v = {0};
    static const int expected[] = {0, 1, 2, 3};

    cr_assert_eq(ORMA_VEC_INSERT(&v, 0, 2), 0);
    cr_assert_eq(ORMA_VEC_INSERT(&v, 0, 0), 0);
    cr_assert_eq(ORMA_VEC_INSERT(&v, 1, 1), 0);
    cr_assert_eq(ORMA_VEC_INSERT(&v, v.len, 3), 0);
    cr_assert_arr_eq(v.data, expected, sizeof(expected));
    ORMA_VEC_REMOVE(&v, 1);
    ORMA_VEC_REMOVE(&v, v.len - 1);
    cr_assert(v.len == 2 && v.data[0] == 0 && v.data[1] == 2);
    ORMA_VEC_REMOVE(&v, 0);
    ORMA_VEC_REMOVE(&v, 0);
    cr_assert_eq(v.len, 0);
    ORMA_VEC_FINI(&v);
    orma_assert_no_leaks();
}

Test(vec, evaluates_its_arguments_once)
{
    struct rows rows[2] = {0}, *at = rows;
    uint32_t n = 0;

    cr_assert_eq(ORMA_VEC_PUSH(at++, (struct row){.id = ++n}), 0);
    cr_assert(at == rows + 1 && n == 1 && rows[0].data[0].id == 1);
    at = rows;
    cr_assert_eq(ORMA_VEC_RESERVE(at++, ++n), 0);
    cr_assert(at == rows + 1 && n == 2);
    ORMA_VEC_FINI(&rows[0]);
    orma_assert_no_leaks();
}

Test(vec, reserves_at_once_and_then_stays_where_it_is)
{
    struct rows rows = {0};

    cr_assert_eq(ORMA_VEC_RESERVE(&rows, 300), 0);
    cr_assert_eq(rows.cap, 300);
    struct row *before = rows.data;
    cr_assert_eq(fill(&rows, 300), 0);
    cr_assert_eq(rows.data, before);
    cr_assert_eq(ORMA_VEC_RESERVE(&rows, 0), 0);
    cr_assert_eq(rows.cap, 300);
    ORMA_VEC_FINI(&rows);
    orma_assert_no_leaks();
}

Test(vec, refuses_what_does_not_fit_and_stays_as_it_was)
{
    struct {
        uint8_t (*data)[4096];
        size_t len, cap;
    } wide = {0};
    struct rows rows = {0};
    uint8_t *bytes = NULL;
    uint32_t cap = 0;

    cr_assert_eq(fill(&rows, 3), 0);
    struct rows before = rows;
    cr_assert_eq(ORMA_VEC_RESERVE(&rows, UINT32_MAX), -ENOMEM);
    cr_assert_eq(ORMA_VEC_RESERVE(&rows, SIZE_MAX), -ENOMEM);
    cr_assert_eq(memcmp(&rows, &before, sizeof(rows)), 0);
    cr_assert_eq(ORMA_VEC_RESERVE(&wide, SIZE_MAX / 4096 + 1), -ENOMEM); /* bytes overflow */
    cr_assert_eq(ORMA_VEC_RESERVE(&wide, SIZE_MAX), -ENOMEM);
    cr_assert(!wide.data && !wide.cap);
    cr_assert_eq(ORMA_GROW(&bytes, &cap, (size_t)UINT32_MAX + 1), -ENOMEM);
    cr_assert(!bytes && !cap);
    ORMA_VEC_FINI(&rows);
    orma_assert_no_leaks();
}

Test(vec, survives_memory_that_runs_out)
{
    struct rows rows = {0};

    cr_assert_eq(fill(&rows, 4), 0);
    orma_alloc_fail_after(0);
    cr_assert_eq(fill(&rows, 1), -ENOMEM);
    cr_assert_null(ORMA_VEC_ADD(&rows));
    cr_assert_eq(ORMA_VEC_INSERT(&rows, 0, (struct row){0}), -ENOMEM);
    orma_alloc_fail_after(-1);
    cr_assert_eq(rows.len, 4);
    for (uint32_t i = 0; i < rows.len; i++)
        cr_assert_eq(rows.data[i].id, i);
    cr_assert_eq(fill(&rows, 1), 0);
    ORMA_VEC_FINI(&rows);
    orma_assert_no_leaks();
}

Test(vec, parallel_arrays_grow_with_one_capacity)
{
    uint8_t *kinds = NULL;
    struct row *values = NULL;
    size_t cap = 0;

    for (size_t num = 0; num < 100; num++) {
        size_t one = cap, other = cap;

        cr_assert_eq(ORMA_GROW(&kinds, &one, num + 1), 0);
        cr_assert_eq(ORMA_GROW(&values, &other, num + 1), 0);
        cr_assert_eq(one, other);
        cap = one;
        kinds[num] = (uint8_t)num;
        values[num].ts = (int64_t)num;
    }
    for (size_t i = 0; i < 100; i++)
        cr_assert(kinds[i] == i && values[i].ts == (int64_t)i);
    free(kinds);
    free(values);
    orma_assert_no_leaks();
}

/* ---- search ---- */

Test(search, finds_the_bounds_of_equal_keys)
{
    /*                               0  1  2  3  4  5 */
    static const struct row rows[] = {{1}, {3}, {3}, {3}, {7}, {9}};
    static const struct {
        int64_t key;
        size_t lower, upper, offset;
    } cases[] = {
        {0, 0, 0, 6}, {1, 0, 1, 0}, {2, 1, 1, 0},  {3, 1, 4, 3},
        {4, 4, 4, 3}, {9, 5, 6, 5}, {10, 6, 6, 5},
    };

    for (size_t i = 0; i < ORMA_ARRAY_LEN(cases); i++) {
        size_t num = ORMA_ARRAY_LEN(rows);

        cr_assert_eq(ORMA_LOWER_BOUND(rows, num, .ts, cases[i].key), cases[i].lower, "%zu", i);
        cr_assert_eq(ORMA_UPPER_BOUND(rows, num, .ts, cases[i].key), cases[i].upper, "%zu", i);
        cr_assert_eq(ORMA_OFFSET_FIND(rows, num, .ts, cases[i].key), cases[i].offset, "%zu", i);
    }
    orma_assert_no_leaks();
}

Test(search, an_empty_array_has_no_element)
{
    const uint32_t *none = NULL;
    uint32_t num = 0;

    cr_assert_eq(ORMA_LOWER_BOUND(none, num, , 7u), 0);
    cr_assert_eq(ORMA_UPPER_BOUND(none, num, , 7u), 0);
    cr_assert_eq(ORMA_OFFSET_FIND(none, num, , 7u), 0);
    orma_assert_no_leaks();
}

Test(search, agrees_with_a_walk_for_all_lengths_and_keys)
{
    uint32_t v[40];

    for (uint32_t num = 0; num <= ORMA_ARRAY_LEN(v); num++) {
        for (uint32_t i = 0; i < num; i++)
            v[i] = i / 3 * 2;
        for (uint32_t key = 0; key < 30; key++) {
            uint32_t lower = 0, upper = 0;

            for (uint32_t i = 0; i < num; i++) {
                lower += v[i] < key;
                upper += v[i] <= key;
            }
            cr_assert_eq(ORMA_LOWER_BOUND(v, num, , key), lower);
            cr_assert_eq(ORMA_UPPER_BOUND(v, num, , key), upper);
        }
    }
    orma_assert_no_leaks();
}

Test(search, a_partition_point_starts_where_it_is_told)
{
    static const int v[] = {9, 8, 5, 5, 2, 1}; /* falling */

    cr_assert_eq(ORMA_PARTITION_POINT(i, 0u, 6u, v[i] > 5), 2);
    cr_assert_eq(ORMA_PARTITION_POINT(i, 3u, 6u, v[i] > 5), 3);
    cr_assert_eq(ORMA_PARTITION_POINT(i, 0u, 6u, v[i] >= 0), 6);
    cr_assert_eq(ORMA_PARTITION_POINT(i, 2u, 2u, v[i] >= 0), 2);
    orma_assert_no_leaks();
}
