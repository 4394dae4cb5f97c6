#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

#include "processor/store/storage.h"
#include "tests/support/leaks.h"

static struct orma_storage *storage_new(void)
{
    struct orma_storage *s = calloc(1, sizeof(*s));

    cr_assert_eq(orma_storage_init(s), 0);
    return s;
}

static void storage_free(struct orma_storage *s)
{
    orma_storage_fini(s);
    free(s);
}

Test(args, equal_sets_are_stored_once_and_have_the_id_of_their_first_row)
{
    struct orma_storage *s = storage_new();
    struct orma_args_list list = {0};
    uint32_t key = orma_storage_cstr(s, "key"), other = orma_storage_cstr(s, "other");

    orma_args_put_int(&list, key, 5);
    orma_args_put_str(&list, other, key);
    uint32_t set = orma_args_commit(&s->args, &list);
    cr_assert_eq(set, 0);
    orma_args_list_clear(&list);
    orma_args_put_int(&list, key, 6);
    uint32_t second = orma_args_commit(&s->args, &list);
    cr_assert_eq(second, 2);
    orma_args_list_clear(&list);
    orma_args_put_int(&list, key, 5);
    orma_args_put_str(&list, other, key);
    cr_assert_eq(orma_args_commit(&s->args, &list), set);
    cr_assert_eq(s->tables[ORMA_TABLE_ARGS].rows, 3);
    orma_args_list_clear(&list);
    cr_assert_eq(orma_args_commit(&s->args, &list), ORMA_ARG_SET_NONE);
    orma_args_list_fini(&list);
    storage_free(s);
    orma_assert_no_leaks();
}

/* Else such a set would get another number each time it is not among the recent ones. */
Test(args, minus_zero_makes_no_other_set_than_zero)
{
    struct orma_storage *s = storage_new();
    struct orma_args_list list = {0};

    orma_args_put_real(&list, 1, -0.0);
    const uint32_t set = orma_args_commit(&s->args, &list);
    orma_args_list_clear(&list);
    orma_args_put_int(&list, 1, 1);
    orma_args_put_real(&list, 1, -0.0); /* in the place of another */
    cr_assert_eq(orma_args_commit(&s->args, &list), set);
    orma_args_list_clear(&list);
    orma_args_put_real(&list, 1, 0.0);
    cr_assert_eq(orma_args_commit(&s->args, &list), set);
    orma_args_list_fini(&list);
    storage_free(s);
    orma_assert_no_leaks();
}

Test(args, a_set_that_begins_like_another_is_another)
{
    struct orma_storage *s = storage_new();
    struct orma_args_list list = {0};

    orma_args_put_int(&list, 1, 1);
    orma_args_put_int(&list, 2, 2);
    uint32_t two = orma_args_commit(&s->args, &list);
    orma_args_list_clear(&list);
    orma_args_put_int(&list, 1, 1);
    cr_assert_neq(orma_args_commit(&s->args, &list), two);
    orma_args_list_clear(&list);
    orma_args_put_uint(&list, 1, 1);
    cr_assert_neq(orma_args_commit(&s->args, &list), two);
    orma_args_list_fini(&list);
    storage_free(s);
    orma_assert_no_leaks();
}

Test(args, the_last_value_of_a_key_wins_in_the_place_of_the_first)
{
    struct orma_args_list list = {0};

    orma_args_put_int(&list, 1, 10);
    orma_args_put_int(&list, 2, 20);
    orma_args_put_real(&list, 1, 0.5);
    cr_assert_eq(list.len, 2);
    cr_assert_eq(list.args[0].type, ORMA_ARG_REAL);
    cr_assert_eq(list.args[0].d, 0.5);
    orma_args_list_fini(&list);
    orma_assert_no_leaks();
}

Test(args, ten_thousand_sets_are_found_again)
{
    struct orma_storage *s = storage_new();
    struct orma_args_list list = {0};
    uint32_t ids[10000];
    struct orma_args_item arg;

    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 10000; i++) {
            orma_args_list_clear(&list);
            orma_args_put_int(&list, 1, i);
            orma_args_put_real(&list, 2, i * 0.5);
            uint32_t set = orma_args_commit(&s->args, &list);

            if (round)
                cr_assert_eq(set, ids[i]);
            ids[i] = set;
        }
    }
    cr_assert(orma_args_find(&s->args, ids[77], 2, &arg));
    cr_assert_eq(arg.d, 38.5);
    cr_assert(!orma_args_find(&s->args, ids[77], 3, &arg));
    cr_assert(!orma_args_find(&s->args, 123456789, 3, &arg));
    orma_args_load(&s->args, ids[9999], &list);
    cr_assert_eq(list.len, 2);
    cr_assert_eq(list.args[0].i, 9999);
    orma_args_list_fini(&list);
    storage_free(s);
    orma_assert_no_leaks();
}

/* A source of six rows with the sets A A B (none) A B. */
static bool decode(void *data, uint32_t row, struct orma_args_list *ret)
{
    (void)data;
    if (row != 3)
        orma_args_put_int(ret, 1, row == 2 || row == 5);
    if (row == 2 || row == 5)
        orma_args_put_int(ret, 2, 2);
    return true;
}

static uint32_t rows(void *data)
{
    (void)data;
    return 6;
}

Test(args, equal_sets_of_a_source_share_the_id_of_the_first)
{
    struct orma_storage *s = storage_new();
    static const int64_t want[] = {0, 0, 2, -1, 0, 2};
    struct orma_args_item arg;

    s->args.source = (struct orma_args_source){NULL, decode, rows};
    for (uint32_t i = 0; i < 6; i++) {
        uint32_t set = orma_args_source_set(&s->args, i);

        cr_assert_eq(set == ORMA_ARG_SET_NONE ? -1 : (int64_t)(set - ORMA_ARG_SOURCE_FIRST),
                     want[i]);
    }
    cr_assert_eq(s->args.source_first_num, 2);
    cr_assert_eq(s->args.source_args, 3);
    cr_assert(orma_args_find(&s->args, ORMA_ARG_SOURCE_FIRST + 2, 2, &arg));
    cr_assert_eq(arg.i, 2);
    cr_assert(!orma_args_find(&s->args, ORMA_ARG_SOURCE_FIRST + 99, 2, &arg));
    storage_free(s);
    orma_assert_no_leaks();
}

/* A source whose sets come again and again, and which has to begin anew for each look back. */
struct walker {
    uint32_t last, backs;
};

static bool decode_walking(void *data, uint32_t row, struct orma_args_list *ret)
{
    struct walker *w = data;

    w->backs += row < w->last;
    w->last = row;
    orma_args_put_int(ret, 1, row % 10);
    orma_args_put_int(ret, 2, row < 5000 ? 0 : row);
    return true;
}

static uint32_t rows_walking(void *data)
{
    (void)data;
    return 6000;
}

Test(args, sets_of_a_source_that_come_again_are_kept)
{
    struct orma_storage *s = storage_new();
    struct walker w = {0};
    struct orma_args_item arg;

    s->args.source = (struct orma_args_source){&w, decode_walking, rows_walking};
    for (uint32_t i = 0; i < 6000; i++) {
        uint32_t set = orma_args_source_set(&s->args, i);

        cr_assert(orma_args_find(&s->args, set, 1, &arg));
        cr_assert_eq(arg.i, i % 10);
        cr_assert(orma_args_find(&s->args, set, 2, &arg));
        cr_assert_eq(arg.i, i < 5000 ? 0 : i);
    }
    cr_assert_lt(w.backs, 20, "%u", w.backs);
    storage_free(s);
    orma_assert_no_leaks();
}

/* Long lists are searched in another way, which must not outlive the list. */
Test(args, long_lists_keep_one_value_per_key)
{
    struct orma_args_list list = {0};

    for (uint32_t round = 0; round < 3; round++) {
        uint32_t num = round == 1 ? 20 : 5000;

        orma_args_list_clear(&list);
        for (uint32_t i = 0; i < 2 * num; i++)
            orma_args_put_int(&list, round * 100000 + i % num, i);
        for (uint32_t i = 0; i < num; i++)
            orma_args_put(&list, (struct orma_args_item){.key = round * 100000 + i,
                                                         .type = ORMA_ARG_BOOL,
                                                         .yields = true});
        cr_assert_eq(list.len, num);
        for (uint32_t i = 0; i < num; i++) {
            cr_assert_eq(list.args[i].key, round * 100000 + i);
            cr_assert_eq(list.args[i].type, ORMA_ARG_INT);
            cr_assert_eq(list.args[i].i, num + i);
        }
    }
    orma_args_list_fini(&list);
    orma_assert_no_leaks();
}

Test(args, a_copy_has_what_the_list_has_and_goes_on_like_it)
{
    static const uint8_t bytes[4] = {0};
    struct orma_args_list list = {0}, copy = {0};

    for (uint32_t num = 0; num < 60; num += 19) {
        orma_args_list_clear(&list);
        orma_args_put_int(&copy, 7777, 1); /* of the set before */
        if (num > 30)
            orma_args_put_place(&list, (struct orma_args_place){bytes, sizeof(bytes), 5});
        for (uint32_t i = 0; i < num; i++)
            orma_args_put_int(&list, 10 + i, i);
        orma_args_list_copy(&copy, &list);
        orma_args_put_int(&copy, 10, -1); /* there already, if there are any */
        orma_args_put_new(&copy, (struct orma_args_item){.key = 9, .type = ORMA_ARG_BOOL});
        orma_args_put_int(&copy, 9, -2);
        orma_args_put_int(&list, 10, -1);
        orma_args_put_int(&list, 9, -2);
        cr_assert_eq(copy.len, list.len);
        cr_assert_eq(copy.behind, list.behind);
        for (uint32_t i = 0; i < list.len; i++) {
            cr_assert_eq(copy.args[i].key, list.args[i].key);
            cr_assert_eq(copy.args[i].type, list.args[i].type);
            cr_assert_eq(copy.args[i].i, list.args[i].i);
        }
    }
    orma_args_list_fini(&list);
    orma_args_list_fini(&copy);
    orma_assert_no_leaks();
}
