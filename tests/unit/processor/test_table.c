#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

#include "processor/store/strpool.h"
#include "processor/store/table.h"
#include "tests/support/leaks.h"

static const struct orma_column_def columns[] = {
    {"id", ORMA_COL_ID, 0},
    {"ts", ORMA_COL_INT, ORMA_COL_TIME},
    {"num", ORMA_COL_INT, ORMA_COL_NULLABLE},
    {"real", ORMA_COL_DOUBLE, ORMA_COL_NULLABLE},
    {"text", ORMA_COL_STRING, ORMA_COL_NULLABLE},
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

/* ---- blocks ---- */

static uint64_t random_next(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    return *state ^= *state << 17;
}

static void expect_block(const struct orma_block *b, const int64_t *vals)
{
    int64_t read[ORMA_BLOCK_ROWS];

    orma_block_read(b, 0, ORMA_BLOCK_ROWS, read);
    for (unsigned i = 0; i < ORMA_BLOCK_ROWS; i++) {
        cr_assert_eq(orma_block_get(b, i), vals[i], "value %u", i);
        cr_assert_eq(read[i], vals[i], "value %u", i);
    }
}

/* Rows whose value lies in [lo, hi], both ways. */
static void expect_range(const struct orma_block *b, const int64_t *vals, int64_t lo, int64_t hi)
{
    uint32_t rows[ORMA_BLOCK_ROWS], num, want = 0;

    num = orma_block_range(b, lo, (uint64_t)hi - (uint64_t)lo, 100, 900, 5000, rows);
    for (uint32_t i = 100; i < 1000; i++) {
        if (vals[i] < lo || vals[i] > hi)
            continue;
        cr_assert_lt(want, num);
        cr_assert_eq(rows[want++], 5000 + i);
    }
    cr_assert_eq(num, want);
}

Test(block, holds_values_of_any_spread)
{
    static const int64_t bases[] = {0, -1, 120, 1000000000000, INT64_MIN, INT64_MAX};
    uint64_t state = 4711;

    for (unsigned i = 0; i < ORMA_ARRAY_LEN(bases); i++) {
        for (unsigned bits = 0; bits <= 64; bits += 4) {
            int64_t vals[ORMA_BLOCK_ROWS];
            struct orma_block b;

            for (unsigned k = 0; k < ORMA_BLOCK_ROWS; k++) {
                uint64_t off = bits ? random_next(&state) >> (64 - bits) : 0;

                vals[k] = (int64_t)((uint64_t)bases[i] + off);
                if (i == 3 && k % 3 == 0)
                    vals[k] = 0; /* far from the others */
            }
            cr_assert(orma_block_make(&b, vals, sizeof(*vals)));
            cr_assert(i == 5 || b.bytes <= (bits + 15) / 8); /* the last one wraps */
            expect_block(&b, vals);
            expect_range(&b, vals, vals[200], vals[200]);
            expect_range(&b, vals, INT64_MIN, INT64_MAX);
            expect_range(&b, vals, INT64_MIN, bases[i]);
            expect_range(&b, vals, bases[i], INT64_MAX);
            expect_range(&b, vals, 0, 0);
            expect_range(&b, vals, -5, 77);
            expect_range(&b, vals, ORMA_MIN(vals[300], vals[400]), ORMA_MAX(vals[300], vals[400]));
            orma_block_fini(&b);
        }
    }
    orma_assert_no_leaks();
}

Test(block, takes_narrow_integers)
{
    struct orma_block b;
    int64_t want[ORMA_BLOCK_ROWS];
    int8_t bytes[ORMA_BLOCK_ROWS];
    int16_t halves[ORMA_BLOCK_ROWS];
    int32_t words[ORMA_BLOCK_ROWS];

    for (unsigned i = 0; i < ORMA_BLOCK_ROWS; i++)
        want[i] = bytes[i] = (int8_t)(i * 7);
    cr_assert(orma_block_make(&b, bytes, 1));
    expect_block(&b, want);
    orma_block_fini(&b);
    for (unsigned i = 0; i < ORMA_BLOCK_ROWS; i++)
        want[i] = halves[i] = (int16_t)(i * 701);
    cr_assert(orma_block_make(&b, halves, 2));
    expect_block(&b, want);
    orma_block_fini(&b);
    for (unsigned i = 0; i < ORMA_BLOCK_ROWS; i++)
        want[i] = words[i] = i % 5 ? (int32_t)(i * 70001 + INT32_MIN) : 0;
    cr_assert(orma_block_make(&b, words, 4));
    expect_block(&b, want);
    orma_block_fini(&b);
    orma_assert_no_leaks();
}

Test(block, can_be_written_to)
{
    static const int64_t steps[] = {-1, 0, 5, 255, 256, -200, 70000, 0, INT64_MAX, INT64_MIN, 3};
    int64_t vals[ORMA_BLOCK_ROWS] = {0};
    struct orma_block b = orma_block_zeros();

    expect_block(&b, vals);
    for (unsigned i = 0; i < ORMA_ARRAY_LEN(steps); i++) {
        vals[i * 50] = steps[i];
        cr_assert(orma_block_set(&b, i * 50, steps[i]));
        expect_block(&b, vals);
    }
    orma_block_fini(&b);
    /* Zeros among large ones, and what then lies at the border. */
    for (unsigned i = 0; i < ORMA_BLOCK_ROWS; i++)
        vals[i] = i % 2 ? 1000000 + i : 0;
    cr_assert(orma_block_make(&b, vals, sizeof(*vals)));
    cr_assert(b.zeros);
    for (int64_t val = 999998; val < 1000003; val++) {
        vals[val % 7] = val;
        cr_assert(orma_block_set(&b, (uint32_t)(val % 7), val));
        expect_block(&b, vals);
    }
    orma_block_fini(&b);
    orma_assert_no_leaks();
}

/* ---- tables with blocks ---- */

#define MANY 100000

static double real_of(uint32_t row)
{
    return row > 60000 ? row + 0.25 : row;
}

Test(table, old_rows_are_packed_and_still_written)
{
    bool failed = false;
    struct orma_table t;
    int64_t *nums = calloc(MANY, sizeof(*nums));
    uint64_t state = 99;

    orma_table_init(&t, &def, &failed);
    for (uint32_t i = 0; i < MANY; i++) {
        uint32_t row = orma_table_add(&t), late = (uint32_t)(random_next(&state) % (i + 1));

        orma_table_set_time(&t, TS, row, 1000000000 + (int64_t)i * 100);
        orma_table_set_double(&t, REAL, row, real_of(row));
        if (i == 70000) /* the first text comes when rows are sealed already */
            orma_table_set(&t, TEXT, 3, 17);
        nums[late] = i % 1000 ? (int64_t)(i % 77) : INT64_MIN + i;
        orma_table_set(&t, NUM, late, nums[late]);
    }
    cr_assert(!failed);
    cr_assert_gt(t.sealed, 0);
    cr_assert_lt(orma_table_bytes(&t), MANY * 24);
    for (uint32_t i = 0; i < MANY; i++) {
        cr_assert_eq(orma_table_int(&t, TS, i), 1000000000 + (int64_t)i * 100);
        cr_assert_eq(orma_column_double(&t.columns[REAL], i), real_of(i));
        cr_assert_eq(orma_table_int(&t, TEXT, i), i == 3 ? 17 : 0);
        cr_assert(orma_table_is_null(&t, NUM, i) ? !nums[i]
                                                 : orma_table_int(&t, NUM, i) == nums[i]);
    }
    /* A double comes to a row that was sealed as another number. */
    orma_table_set_double(&t, REAL, 20, 7.5);
    orma_table_set(&t, REAL, 21, 8);
    cr_assert_eq(orma_column_double(&t.columns[REAL], 20), 7.5);
    cr_assert_eq(orma_column_double(&t.columns[REAL], 21), 8);
    orma_table_set_null(&t, NUM, 21);
    cr_assert(orma_table_is_null(&t, NUM, 21));
    orma_table_fini(&t);
    free(nums);
    orma_assert_no_leaks();
}

Test(table, is_read_over_the_border_of_blocks_and_tail)
{
    bool failed = false;
    struct orma_table t;
    int64_t vals[5000];

    orma_table_init(&t, &def, &failed);
    for (uint32_t i = 0; i < MANY; i++)
        orma_table_set(&t, NUM, orma_table_add(&t), (int64_t)i * i);
    for (uint32_t first = 17; first + 5000 < MANY; first += 3333) {
        orma_column_read(&t.columns[NUM], first, 5000, vals);
        for (uint32_t i = 0; i < 5000; i++)
            cr_assert_eq(vals[i], (int64_t)(first + i) * (first + i));
    }
    orma_table_fini(&t);
    orma_assert_no_leaks();
}

Test(table, rows_can_be_taken_back)
{
    static const uint32_t sizes[] = {99990, 70000, 65536, 50001, 1024, 1023, 5, 0};
    bool failed = false;
    struct orma_table t;

    orma_table_init(&t, &def, &failed);
    for (uint32_t i = 0; i < MANY; i++)
        orma_table_set(&t, NUM, orma_table_add(&t), i % 100);
    orma_table_set(&t, NUM, 50000, INT64_MAX); /* wider than the tail */
    orma_table_set_double(&t, REAL, 99999, 0.5);
    orma_table_set_double(&t, REAL, 1000, 1.5);
    for (unsigned s = 0; s < ORMA_ARRAY_LEN(sizes); s++) {
        orma_table_truncate(&t, sizes[s]);
        cr_assert_eq(t.rows, sizes[s]);
        for (uint32_t i = 0; i < sizes[s]; i++) {
            cr_assert_eq(orma_table_int(&t, NUM, i), i == 50000 ? INT64_MAX : i % 100);
            cr_assert_eq(orma_table_is_null(&t, REAL, i), i != 1000);
        }
        if (sizes[s] > 1000)
            cr_assert_eq(orma_column_double(&t.columns[REAL], 1000), 1.5);
        /* Fresh rows are fresh. */
        for (unsigned i = 0; i < 100; i++) {
            uint32_t row = orma_table_add(&t);

            cr_assert(orma_table_is_null(&t, NUM, row));
            cr_assert_eq(orma_table_int(&t, NUM, row), 0);
            orma_table_set(&t, NUM, row, row % 100);
        }
    }
    cr_assert(!failed);
    orma_table_fini(&t);
    orma_assert_no_leaks();
}

/* Long names stay whole, so that those stay apart that differ late. */
Test(strpool, texts_that_are_made_may_be_long)
{
    static const size_t lens[] = {0, 510, 511, 512, 513, 4095, 199999};
    bool failed = false;
    struct orma_strpool p;

    cr_assert_eq(orma_strpool_init(&p, &failed), 0);
    for (size_t i = 0; i < ORMA_ARRAY_LEN(lens); i++) {
        char *text = malloc(lens[i] + 1);

        for (size_t k = 0; k < lens[i]; k++)
            text[k] = "\xc3\xa9"[k % 2];
        text[lens[i]] = '\0';
        uint32_t a = orma_strpool_addf(&p, "%s a", text), b = orma_strpool_addf(&p, "%s b", text);

        cr_assert_eq(orma_strpool_get(&p, a).len, lens[i] + 2);
        cr_assert_eq(orma_strpool_get(&p, b).data[lens[i] + 1], 'b');
        cr_assert_neq(a, b);
        cr_assert_eq(orma_strpool_addf(&p, "%s%c%c", text, ' ', 'a'), a);
        free(text);
    }
    orma_strpool_fini(&p);
    cr_assert_not(failed);
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
