#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

#include "processor/store/strpool.h"
#include "processor/store/table.h"
#include "tests/support/leaks.h"

static const struct orma_column_def columns[] = {
    {"id", ORMA_COL_ID, 0, NULL},
    {"ts", ORMA_COL_INT, ORMA_COL_TIME, NULL},
    {"num", ORMA_COL_INT, ORMA_COL_NULLABLE, NULL},
    {"real", ORMA_COL_DOUBLE, ORMA_COL_NULLABLE, NULL},
    {"text", ORMA_COL_STRING, ORMA_COL_NULLABLE, NULL},
};
enum { ID, TS, NUM, REAL, TEXT };
static const struct orma_table_def def = {"test", 5, columns};

Test(table, fresh_cells_are_zero_or_null_and_take_no_memory)
{
    bool failed = false;
    struct orma_table t;

    cr_assert_eq(orma_table_init(&t, &def, &failed), 0);
    cr_assert_eq(orma_table_add(&t), 0);
    cr_assert_eq(orma_table_int(&t, TS, 0), 0);
    cr_assert(!orma_table_is_null(&t, TS, 0));
    cr_assert(orma_table_is_null(&t, NUM, 0));
    cr_assert(orma_table_is_null(&t, REAL, 0));
    cr_assert(orma_table_is_null(&t, TEXT, 0));
    cr_assert_eq(orma_table_bytes(&t), 0);
    orma_table_fini(&t);
    orma_assert_no_leaks();
}

Test(table, integers_are_widened_as_they_need_it)
{
    static const struct {
        int64_t val;
        uint8_t width;
    } steps[] = {
        {0, 0},         {-128, 1},      {127, 1},       {128, 2},       {-32768, 2},
        {32768, 4},     {-1, 4},        {INT32_MIN, 4}, {INT32_MAX, 4}, {(int64_t)INT32_MAX + 1, 8},
        {INT64_MIN, 8}, {INT64_MAX, 8},
    };
    bool failed = false;
    struct orma_table t;

    orma_table_init(&t, &def, &failed);
    for (unsigned i = 0; i < ORMA_ARRAY_LEN(steps); i++) {
        uint32_t row = orma_table_add(&t);

        orma_table_set(&t, NUM, row, steps[i].val);
        cr_assert_eq(t.columns[NUM].width, steps[i].width, "after step %u", i);
        for (unsigned j = 0; j <= i; j++) {
            cr_assert_eq(orma_table_int(&t, NUM, j), steps[j].val);
            cr_assert(!orma_table_is_null(&t, NUM, j));
        }
    }
    orma_table_set_null(&t, NUM, 3);
    cr_assert(orma_table_is_null(&t, NUM, 3));
    cr_assert(!orma_table_is_null(&t, NUM, 4));
    orma_table_fini(&t);
    orma_assert_no_leaks();
}

Test(table, doubles_stay_integers_until_one_has_a_fraction)
{
    bool failed = false;
    struct orma_table t;
    static const double vals[] = {1, 300, -70000, 0.5, 3};

    orma_table_init(&t, &def, &failed);
    for (unsigned i = 0; i < ORMA_ARRAY_LEN(vals); i++) {
        uint32_t row = orma_table_add(&t);

        orma_table_set_double(&t, REAL, row, vals[i]);
        cr_assert_eq(t.columns[REAL].width == ORMA_WIDTH_DOUBLE, i >= 3);
    }
    for (unsigned i = 0; i < ORMA_ARRAY_LEN(vals); i++)
        cr_assert_eq(orma_column_double(&t.columns[REAL], i), vals[i]);
    uint32_t row = orma_table_add(&t);
    orma_table_set_double(&t, REAL, row, -0.0);
    cr_assert(!__builtin_signbit(orma_column_double(&t.columns[REAL], row)));
    orma_table_fini(&t);
    orma_assert_no_leaks();
}

Test(table, grows_over_the_border_between_heap_and_mapping)
{
    bool failed = false;
    struct orma_table t;

    orma_table_init(&t, &def, &failed);
    for (uint32_t i = 0; i < 300000; i++) {
        uint32_t row = orma_table_add(&t);

        orma_table_set_time(&t, TS, row, (int64_t)i * 1000000);
        if (i % 3)
            orma_table_set(&t, NUM, row, i % 100);
    }
    for (uint32_t i = 0; i < 300000; i++) {
        cr_assert_eq(orma_table_int(&t, TS, i), (int64_t)i * 1000000);
        cr_assert_eq(orma_table_is_null(&t, NUM, i), i % 3 == 0);
    }
    cr_assert(!t.columns[TS].unsorted);
    uint32_t row = orma_table_add(&t);
    orma_table_set_time(&t, TS, row, 5);
    cr_assert(t.columns[TS].unsorted);
    cr_assert(!failed);
    orma_table_fini(&t);
    orma_assert_no_leaks();
}

Test(table, rows_that_are_not_there_are_neither_written_nor_read)
{
    bool failed = false;
    struct orma_table t;

    orma_table_init(&t, &def, &failed);
    orma_table_add(&t);
    orma_table_set(&t, NUM, 1, 7);
    orma_table_set(&t, NUM, ORMA_ROW_NONE, 7);
    orma_table_set_double(&t, REAL, ORMA_ROW_NONE, 7);
    cr_assert_eq(orma_table_int(&t, NUM, 1), 0);
    cr_assert(orma_table_is_null(&t, NUM, ORMA_ROW_NONE));
    orma_table_fini(&t);
    orma_assert_no_leaks();
}

Test(strpool, equal_texts_have_one_id)
{
    bool failed = false;
    struct orma_strpool p;
    char text[32];
    uint32_t ids[5000];

    cr_assert_eq(orma_strpool_init(&p, &failed), 0);
    for (unsigned i = 0; i < 5000; i++) {
        snprintf(text, sizeof(text), "text %u", i);
        ids[i] = orma_strpool_add_c(&p, text);
    }
    for (unsigned i = 0; i < 5000; i++) {
        snprintf(text, sizeof(text), "text %u", i);
        cr_assert_eq(orma_strpool_add_c(&p, text), ids[i]);
        cr_assert_eq(orma_strpool_find(&p, orma_str_from(text)), ids[i]);
        cr_assert_str_eq(orma_strpool_cstr(&p, ids[i]), text);
    }
    cr_assert_eq(orma_strpool_find(&p, ORMA_STR("absent")), 0);
    cr_assert_eq(orma_strpool_add(&p, ORMA_STR("")), ORMA_STR_EMPTY);
    cr_assert_eq(orma_strpool_add(&p, ORMA_STR("a\0b")), orma_strpool_add(&p, ORMA_STR("a\0b")));
    cr_assert_neq(orma_strpool_add(&p, ORMA_STR("a\0b")), orma_strpool_add(&p, ORMA_STR("a\0c")));
    cr_assert_null(orma_strpool_get(&p, 0).data);
    cr_assert_null(orma_strpool_get(&p, 999999).data);
    orma_strpool_fini(&p);
    orma_assert_no_leaks();
}
