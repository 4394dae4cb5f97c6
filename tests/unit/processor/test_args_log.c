/* Sets of args that are logged first and get ids later: the same ids, rows and values as those
 * that are stored at once. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "processor/store/storage.h"
#include "tests/support/leaks.h"

static struct orma_storage *storage_new(bool logging)
{
    struct orma_storage *s = calloc(1, sizeof(*s));

    cr_assert_eq(orma_storage_init(s), 0);
    if (logging)
        orma_args_log(&s->args);
    return s;
}

static void storage_free(struct orma_storage *s)
{
    orma_storage_fini(s);
    free(s);
}

static uint32_t next(uint32_t *seed)
{
    *seed = *seed * 1664525 + 1013904223;
    return *seed >> 8;
}

/* Values that have an edge, of any type. */
static struct orma_args_item any_value(uint32_t key, uint32_t *seed)
{
    static const int64_t edges[] = {0, 1, -1, 63, 64, -64, -65, 127, 128, INT64_MAX, INT64_MIN};
    struct orma_args_item a = {.flat_key = 1 + key % 3, .key = key, .type = next(seed) % 8 & 7};

    if (a.type == ORMA_ARG_REAL)
        a.d = next(seed) % 4 ? next(seed) % 3 * 0.25 : INFINITY;
    else if (a.type == ORMA_ARG_STRING || a.type == ORMA_ARG_JSON)
        a.i = next(seed) % 3;
    else if (a.type == ORMA_ARG_BOOL)
        a.i = next(seed) % 2;
    else if (a.type != ORMA_ARG_NULL)
        a.i = next(seed) % 4 ? edges[next(seed) % ORMA_ARRAY_LEN(edges)]
                             : (int64_t)(((uint64_t)1 << next(seed) % 64) - next(seed) % 2);
    return a;
}

static void any_list(struct orma_args_list *list, uint32_t *seed)
{
    uint32_t num = next(seed) % 40 ? next(seed) % 4 : 1 + next(seed) % 300;

    orma_args_list_clear(list);
    for (uint32_t i = 0; i < num; i++)
        orma_args_put(list, any_value(1 + i + next(seed) % 2 * 1000, seed));
}

/* A slice with this set, or none. */
static void add_row(struct orma_storage *s, uint32_t set)
{
    struct orma_table *t = &s->tables[ORMA_TABLE_SLICE];

    orma_storage_set_args(t, ORMA_SLICE_ARG_SET_ID, orma_table_add(t), set);
}

static void expect_same_tables(const struct orma_storage *a, const struct orma_storage *b)
{
    static const enum orma_table_id tables[] = {ORMA_TABLE_ARGS, ORMA_TABLE_SLICE};

    for (unsigned i = 0; i < ORMA_ARRAY_LEN(tables); i++) {
        const struct orma_table *x = &a->tables[tables[i]], *y = &b->tables[tables[i]];

        cr_assert_eq(x->rows, y->rows);
        for (unsigned col = 0; col < x->def->columns_num; col++)
            for (uint32_t row = 0; row < x->rows; row++) {
                bool null = orma_table_is_null(x, col, row);

                cr_assert_eq(null, orma_table_is_null(y, col, row), "%u %u", col, row);
                cr_assert(null || orma_column_bits(&x->columns[col], row) ==
                                      orma_column_bits(&y->columns[col], row),
                          "%u %u", col, row);
            }
    }
}

/* Sets one behind the other, each of them with some left out, and here and there. */
static void expect_readers_find(struct orma_storage *s, uint32_t key)
{
    const struct orma_table *t = &s->tables[ORMA_TABLE_SLICE];
    struct orma_args_reader reader;
    uint32_t seed = key;

    orma_args_reader_init(&reader, &s->args);
    for (uint32_t i = 0; i < 2 * t->rows; i++) {
        uint32_t row = i < t->rows ? i : next(&seed) % t->rows;
        struct orma_args_item a = {0}, b = {0};

        if (orma_table_is_null(t, ORMA_SLICE_ARG_SET_ID, row) || (i & 0x1000 && next(&seed) % 9))
            continue;
        uint32_t set = (uint32_t)orma_table_int(t, ORMA_SLICE_ARG_SET_ID, row);
        bool found = orma_args_find(&s->args, set, key, &a);
        cr_assert_eq(orma_args_reader_find(&reader, set, key, &b), found, "%u", row);
        cr_assert(!found || (a.type == b.type && a.i == b.i), "%u", row);
    }
}

/* What waits is found by its numbers as what is stored by ids, and nothing is settled for it. */
static void expect_found_waiting(struct orma_storage *waiting, struct orma_storage *stored)
{
    const struct orma_table *x = &waiting->tables[ORMA_TABLE_SLICE];
    const struct orma_table *y = &stored->tables[ORMA_TABLE_SLICE];
    struct orma_args_reader reader;
    uint32_t seed = 5, found = 0;

    orma_args_reader_init(&reader, &waiting->args);
    for (uint32_t i = 0; i < 2 * x->rows; i++) {
        uint32_t row = i < x->rows ? i : next(&seed) % x->rows;
        uint32_t key = 1 + next(&seed) % 3;
        struct orma_args_item a = {0}, b = {0};

        cr_assert_eq(orma_table_is_null(x, ORMA_SLICE_ARG_SET_ID, row),
                     orma_table_is_null(y, ORMA_SLICE_ARG_SET_ID, row));
        if (orma_table_is_null(x, ORMA_SLICE_ARG_SET_ID, row))
            continue;
        bool is = orma_args_find(&stored->args,
                                 (uint32_t)orma_table_int(y, ORMA_SLICE_ARG_SET_ID, row), key, &a);
        cr_assert_eq(orma_args_reader_find(
                         &reader, (uint32_t)orma_table_int(x, ORMA_SLICE_ARG_SET_ID, row), key, &b),
                     is);
        cr_assert(!is || (a.type == b.type && a.i == b.i), "%u", row);
        found += is;
    }
    cr_assert_gt(found, 1000);
    cr_assert(!orma_args_reader_find(&reader, waiting->args.log.sets_num, 1,
                                     &(struct orma_args_item){0}));
    cr_assert(orma_args_unsettled(&waiting->args));
}

static bool always(void *data)
{
    ++*(unsigned *)data;
    return true;
}

Test(args_log, settled_sets_are_those_that_are_stored_at_once)
{
    struct orma_storage *stored = storage_new(false), *logged = storage_new(true);
    struct orma_args_list list = {0};
    uint32_t seed = 1;

    for (unsigned i = 0; i < 70000; i++) { /* so many that blocks are packed */
        uint32_t sets = i < 30000 ? 0 : 20000, again = 1 + next(&seed) % (sets + 1);

        any_list(&list, sets ? &again : &seed);
        add_row(stored, orma_args_commit(&stored->args, &list));
        add_row(logged, i % 7 ? orma_args_commit(&logged->args, &list)
                              : orma_args_intern(&logged->args, &list));
    }
    cr_assert_eq(logged->tables[ORMA_TABLE_ARGS].rows, 0);
    cr_assert(orma_args_unsettled(&logged->args));
    orma_args_log_end(&logged->args);
    expect_found_waiting(logged, stored);
    unsigned stops = 0;
    while (!orma_args_settle_until(&logged->args, always, &stops)) {
        cr_assert(orma_args_unsettled(&logged->args));
        if (stops == 3)
            expect_found_waiting(logged, stored);
    }
    cr_assert_gt(stops, 10);
    cr_assert(!orma_args_unsettled(&logged->args));
    expect_same_tables(stored, logged);
    for (uint32_t key = 1; key < 1100; key = key * 3 + 1)
        expect_readers_find(logged, key);
    expect_readers_find(stored, 1001);
    orma_args_list_fini(&list);
    storage_free(stored);
    storage_free(logged);
    orma_assert_no_leaks();
}

Test(args_log, a_set_can_be_loaded_before_and_after_it_is_settled)
{
    struct orma_storage *s = storage_new(true);
    struct orma_args_list list = {0}, got = {0};
    struct orma_args_item arg;
    uint32_t set = 0;

    for (int i = 0; i < 200; i++) {
        orma_args_list_clear(&list);
        orma_args_put_int(&list, 1, i);
        orma_args_put_uint(&list, 2, UINT64_MAX);
        set = orma_args_commit(&s->args, &list);
        cr_assert_eq(set, (uint32_t)i);
    }
    orma_args_load(&s->args, 150, &got);
    cr_assert_eq(got.len, 2);
    cr_assert_eq(got.args[0].i, 150);
    cr_assert_eq((uint64_t)got.args[1].i, UINT64_MAX);
    cr_assert(orma_args_find(&s->args, set, 2, &arg) && arg.i == -1);
    cr_assert(!orma_args_find(&s->args, set, 3, &arg));
    orma_args_load(&s->args, 200, &got);
    cr_assert_eq(got.len, 0); /* there is none of that number */
    orma_args_log_end(&s->args);
    orma_args_load(&s->args, 300, &got); /* an id by now: the set that was number 150 */
    cr_assert_eq(got.len, 2);
    cr_assert_eq(got.args[0].i, 150);
    cr_assert_eq(s->tables[ORMA_TABLE_ARGS].rows, 400);
    orma_args_list_fini(&list);
    orma_args_list_fini(&got);
    storage_free(s);
    orma_assert_no_leaks();
}

Test(args_log, what_is_committed_later_finds_what_was_settled)
{
    struct orma_storage *s = storage_new(true);
    struct orma_args_list list = {0};

    cr_assert(orma_args_settle(&s->args)); /* nothing yet: the log goes on */
    cr_assert_eq(s->args.state, ORMA_ARGS_LOGGING);
    orma_args_put_int(&list, 1, 5);
    orma_args_put_int(&list, 2, 5);
    cr_assert_eq(orma_args_commit(&s->args, &list), 0);
    orma_args_list_clear(&list);
    orma_args_put_int(&list, 1, 6);
    cr_assert_eq(orma_args_commit(&s->args, &list), 1);
    orma_args_log_end(&s->args);
    cr_assert_eq(orma_args_commit(&s->args, &list), 2);
    cr_assert_eq(s->args.state, ORMA_ARGS_STORED);
    orma_args_list_fini(&list);
    storage_free(s);
    orma_assert_no_leaks();
}

Test(args_log, what_repeats_is_written_once)
{
    struct orma_storage *s = storage_new(true);
    struct orma_args_list list = {0};

    for (int i = 0; i < 1000000; i++) {
        orma_args_list_clear(&list);
        orma_args_put_int(&list, 1, i % 100);
        orma_args_put_real(&list, 2, i % 100);
        (void)orma_args_commit(&s->args, &list);
    }
    cr_assert_lt(s->args.log.sets_num, 1000000 / 20);
    cr_assert_eq(s->args.log.shapes_num, 1);
    orma_args_list_fini(&list);
    storage_free(s);
    orma_assert_no_leaks();
}

Test(args_log, interned_sets_have_one_number_however_many_there_are)
{
    struct orma_storage *s = storage_new(true);
    struct orma_args_list list = {0};

    for (int round = 0; round < 2; round++)
        for (int i = 0; i < 20000; i++) {
            orma_args_list_clear(&list);
            orma_args_put_int(&list, 1 + (uint32_t)i % 3, i);
            cr_assert_eq(orma_args_intern(&s->args, &list), (uint32_t)i);
        }
    orma_args_list_fini(&list);
    storage_free(s);
    orma_assert_no_leaks();
}

Test(args_log, a_set_and_shapes_of_any_size_are_kept)
{
    struct orma_storage *s = storage_new(true);
    struct orma_args_list list = {0}, got = {0};

    for (uint32_t len = 1; len < 200000; len *= 7) {
        orma_args_list_clear(&list);
        for (uint32_t i = 0; i < len; i++)
            orma_args_put_int(&list, i + 1, INT64_MIN + i);
        uint32_t set = orma_args_commit(&s->args, &list);
        orma_args_load(&s->args, set, &got);
        cr_assert_eq(got.len, len);
        cr_assert_eq(got.args[len - 1].i, INT64_MIN + len - 1);
    }
    for (uint32_t shape = 1; shape < 30000; shape++) {
        orma_args_list_clear(&list);
        orma_args_put_int(&list, shape, 1);
        (void)orma_args_commit(&s->args, &list);
    }
    cr_assert_geq(s->args.log.shapes_num, 29999);
    orma_args_log_end(&s->args);
    cr_assert(orma_args_settle(&s->args));
    orma_args_list_fini(&list);
    orma_args_list_fini(&got);
    storage_free(s);
    orma_assert_no_leaks();
}

/* ---- places ---- */

/* A place is a row of bytes: each is the number of a key, whose value is how often that was asked
 * for in all; 0 is none. */
struct shelf {
    unsigned decoded, done;
    bool gone;
};

static void decode(void *data, struct orma_args_place place, struct orma_args_list *ret)
{
    struct shelf *shelf = data;

    shelf->decoded++;
    for (uint32_t i = 0; i < place.len; i++)
        if (place.bytes[i])
            orma_args_put_int(ret, place.bytes[i], 1000 * place.context + place.bytes[i] + i);
}

static bool still_there(void *data)
{
    return !((struct shelf *)data)->gone;
}

static void done(void *data)
{
    ((struct shelf *)data)->done++;
}

static void offer(struct orma_storage *s, struct shelf *shelf)
{
    s->args.places[ORMA_ARGS_OF_PACKETS] = (struct orma_args_places){
        .data = shelf, .decode = decode, .still_there = still_there, .done = done};
}

/* Into one list places, into the other what is in them. */
static void any_lists(struct shelf *shelf, struct orma_args_list *with,
                      struct orma_args_list *without, uint32_t *seed)
{
    static const uint8_t bytes[] = {1, 2, 0, 3, 2, 9, 1, 0, 0, 8, 7, 6, 5, 4, 3, 2, 1};

    orma_args_list_clear(with);
    orma_args_list_clear(without);
    for (uint32_t n = next(seed) % 50 ? next(seed) % 5 : next(seed) % 60; n; n--) {
        if (next(seed) % 3 == 0) {
            const uint32_t at = next(seed) % 10;
            const struct orma_args_place place = {bytes + at, next(seed) % 8, next(seed) % 3};

            orma_args_put_place(with, place);
            decode(shelf, place, without);
        } else {
            struct orma_args_item a = any_value(next(seed) % 12, seed);

            a.yields = next(seed) % 4 == 0;
            orma_args_put(with, a);
            orma_args_put(without, a);
        }
    }
}

Test(args_log, places_are_decoded_as_if_they_had_been_at_once)
{
    struct orma_storage *stored = storage_new(false), *logged = storage_new(true);
    struct orma_args_list with = {0}, without = {0}, got = {0};
    struct shelf shelf = {0}, other = {0};
    uint32_t seed = 3, empty = 0;

    offer(logged, &shelf);
    for (unsigned i = 0; i < 70000; i++) {
        any_lists(&other, &with, &without, &seed);
        uint32_t set = orma_args_commit(&logged->args, &with);
        add_row(stored, orma_args_commit(&stored->args, &without));
        add_row(logged, set);
        empty += set != ORMA_ARG_SET_NONE && !without.len;
        if (i % 5000 || !with.len)
            continue;
        orma_args_load(&logged->args, set, &got); /* somebody asks meanwhile */
        cr_assert_eq(got.len, without.len);
        for (uint32_t k = 0; k < got.len; k++) {
            cr_assert_eq(got.args[k].key, without.args[k].key);
            cr_assert_eq(got.args[k].type, without.args[k].type);
            cr_assert_eq(got.args[k].i, without.args[k].i);
        }
    }
    cr_assert_gt(empty, 100); /* nothing came of some, whose rows have no set then */
    cr_assert_lt(shelf.decoded, 100);
    orma_args_log_end(&logged->args);
    cr_assert(orma_args_settle(&logged->args));
    cr_assert_eq(shelf.done, 1);
    expect_same_tables(stored, logged);
    orma_args_list_fini(&with);
    orma_args_list_fini(&without);
    orma_args_list_fini(&got);
    storage_free(stored);
    storage_free(logged);
    orma_assert_no_leaks();
}

Test(args_log, sets_without_args_alone_are_none)
{
    static const uint8_t nothing[2] = {0};
    struct orma_storage *s = storage_new(true);
    struct orma_args_list list = {0};
    struct shelf shelf = {0};

    offer(s, &shelf);
    orma_args_put_place(&list, (struct orma_args_place){nothing, 2, 0});
    for (unsigned i = 0; i < 3; i++)
        add_row(s, i ? orma_args_commit(&s->args, &list) : ORMA_ARG_SET_NONE);
    cr_assert(!orma_table_is_null(&s->tables[ORMA_TABLE_SLICE], ORMA_SLICE_ARG_SET_ID, 1));
    orma_args_log_end(&s->args);
    cr_assert(orma_args_settle(&s->args));
    for (uint32_t row = 0; row < 3; row++)
        cr_assert(orma_table_is_null(&s->tables[ORMA_TABLE_SLICE], ORMA_SLICE_ARG_SET_ID, row));
    cr_assert_eq(s->tables[ORMA_TABLE_ARGS].rows, 0);
    orma_args_list_fini(&list);
    storage_free(s);
    orma_assert_no_leaks();
}

Test(args_log, a_set_that_was_begun_before_all_are_settled_is_stored_behind_them)
{
    static const uint8_t bytes[2] = {4, 5};
    struct orma_storage *s = storage_new(true);
    struct orma_args_list list = {0}, got = {0};
    struct shelf shelf = {0};

    offer(s, &shelf);
    orma_args_put_place(&list, (struct orma_args_place){bytes, 2, 1});
    add_row(s, orma_args_commit(&s->args, &list));
    cr_assert(orma_args_take_places(&s->args, ORMA_ARGS_OF_PACKETS));
    cr_assert(orma_args_settle(&s->args)); /* the import goes on, so places must */
    cr_assert_eq(shelf.done, 0);
    cr_assert(!orma_args_take_places(&s->args, ORMA_ARGS_OF_PACKETS));
    cr_assert_eq(orma_args_commit(&s->args, &list), 0); /* the same */
    orma_args_put_int(&list, 4, 1);
    uint32_t set = orma_args_commit(&s->args, &list);
    orma_args_load(&s->args, set, &got);
    cr_assert_eq(set, 2);
    cr_assert_eq(got.len, 2);
    cr_assert_eq(got.args[0].key, 4);
    cr_assert_eq(got.args[0].i, 1);
    orma_args_list_fini(&list);
    orma_args_list_fini(&got);
    storage_free(s);
    orma_assert_no_leaks();
}

Test(args_log, nothing_is_settled_when_the_bytes_are_gone)
{
    static const uint8_t bytes[2] = {4, 5};
    struct orma_storage *s = storage_new(true);
    struct orma_args_list list = {0};
    struct shelf shelf = {0};

    offer(s, &shelf);
    for (int i = 0; i < 5; i++) {
        orma_args_list_clear(&list);
        orma_args_put_int(&list, 1, i);
        if (i % 2)
            orma_args_put_place(&list, (struct orma_args_place){bytes, 2, 1});
        add_row(s, orma_args_commit(&s->args, &list));
    }
    orma_args_log_end(&s->args);
    shelf.gone = true;
    for (unsigned i = 0; i < 2; i++) {
        cr_assert(!orma_args_settle(&s->args));
        cr_assert(!s->failed);
        cr_assert_eq(s->tables[ORMA_TABLE_ARGS].rows, 0);
        cr_assert_eq(orma_table_int(&s->tables[ORMA_TABLE_SLICE], ORMA_SLICE_ARG_SET_ID, 4), 4);
    }
    orma_args_list_fini(&list);
    storage_free(s);
    orma_assert_no_leaks();
}
