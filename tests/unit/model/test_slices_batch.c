/* Slices made in batches are those that are made one by one, whatever comes and however many
 * threads there are. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "processor/model/slices_batch.h"
#include "sdk/base/hash.h"
#include "tests/support/alloc.h"
#include "tests/support/leaks.h"

#define OPS 40000u
#define TRACKS 7u

/* Ops of a seed; in some tracks more begins than ends, up to the depth that is allowed. */
struct maker {
    uint64_t state;
    int64_t ts;
    bool deep;
};

struct made {
    struct orma_slices_op op;
    uint32_t args; /* how many */
};

static uint32_t choose(struct maker *m, uint32_t num)
{
    m->state = orma_mix64(m->state + 1);
    return (uint32_t)(m->state >> 20) % num;
}

static struct made make(struct maker *m)
{
    struct made made = {.op = {.track = choose(m, TRACKS)}};
    const uint32_t kind = choose(m, 10);

    m->ts += choose(m, 3) ? choose(m, 20) : 0;
    made.op.ts = m->ts;
    made.op.kind = kind == 0                                          ? ORMA_SLICES_INSTANT
                   : kind < (m->deep && made.op.track == 3 ? 9u : 6u) ? ORMA_SLICES_BEGIN
                                                                      : ORMA_SLICES_END;
    /* Ends that fit anything, the one on top, one below, or nothing. */
    made.op.name = made.op.kind == ORMA_SLICES_END && choose(m, 3) ? 0 : 1 + choose(m, 4);
    made.op.category = choose(m, 4) ? 0 : 1 + choose(m, 2);
    made.op.has_args = made.op.kind != ORMA_SLICES_END && choose(m, 3) == 0;
    made.args = made.op.has_args ? choose(m, 4) : 0;
    return made;
}

struct side {
    struct orma_storage storage;
    struct orma_slices slices;
    uint64_t alone, refused;
};

static struct side *side_new(void)
{
    struct side *s = calloc(1, sizeof(*s));

    cr_assert_eq(orma_storage_init(&s->storage), 0);
    orma_slices_init(&s->slices, &s->storage);
    return s;
}

static void side_free(struct side *s)
{
    orma_slices_fini(&s->slices);
    orma_storage_fini(&s->storage);
    free(s);
}

static struct orma_args_item arg_of(const struct made *made, uint32_t i)
{
    const uint32_t key = 10 + i;

    return (struct orma_args_item){key, key, ORMA_ARG_INT, false, {.i = made->op.ts % 50}};
}

static void put_alone(struct side *s, const struct made *made)
{
    const struct orma_slices_op *op = &made->op;
    struct orma_args_list args = {0};

    for (uint32_t i = 0; i < made->args; i++)
        orma_args_put(&args, arg_of(made, i));
    if (op->kind == ORMA_SLICES_END)
        s->alone += orma_slices_end(&s->slices, op->ts, op->track, op->category, op->name, NULL) ==
                    ORMA_SLICE_NONE;
    else if (op->kind == ORMA_SLICES_BEGIN)
        (void)orma_slices_begin(&s->slices, op->ts, op->track, op->category, op->name, &args);
    else
        (void)orma_slices_complete(&s->slices, op->ts, 0, op->track, op->category, op->name, &args);
    orma_args_list_fini(&args);
}

static void put_batch(struct side *s, struct orma_slices_batch *batch, struct orma_crew *crew,
                      const struct made *made, uint32_t num)
{
    batch->num = num;
    for (uint32_t i = 0; i < num; i++)
        batch->ops[i] = made[i].op;
    if (!orma_slices_batch_may(&s->slices) || !orma_slices_batch_nest(batch, crew)) {
        s->refused++;
        for (uint32_t i = 0; i < num; i++)
            put_alone(s, &made[i]);
        return;
    }
    for (uint32_t i = 0; i < num; i++) {
        if (orma_slices_batch_is_alone(batch, i))
            s->alone++;
        if (!made[i].op.has_args)
            continue;
        batch->sets[i] = (struct orma_slices_set){.first = batch->args.len, .len = made[i].args};
        for (uint32_t k = 0; k < made[i].args; k++)
            cr_assert_eq(ORMA_VEC_PUSH(&batch->args, arg_of(&made[i], k)), 0);
    }
    orma_slices_batch_store(batch, crew);
}

static void expect_same(struct side *a, struct side *b)
{
    const enum orma_table_id tables[] = {ORMA_TABLE_SLICE, ORMA_TABLE_ARGS};

    orma_slices_finish(&a->slices);
    orma_slices_finish(&b->slices);
    for (unsigned i = 0; i < ORMA_ARRAY_LEN(tables); i++) {
        const struct orma_table *x = &a->storage.tables[tables[i]],
                                *y = &b->storage.tables[tables[i]];

        cr_assert_eq(x->rows, y->rows, "%s: %u and %u rows", x->def->name, x->rows, y->rows);
        for (uint32_t row = 0; row < x->rows; row++)
            for (unsigned col = 0; col < x->def->columns_num; col++)
                cr_assert(orma_table_is_null(x, col, row) == orma_table_is_null(y, col, row) &&
                              (orma_table_is_null(x, col, row) ||
                               orma_table_int(x, col, row) == orma_table_int(y, col, row)),
                          "%s.%s of row %u", x->def->name, x->def->columns[col].name, row);
    }
    for (unsigned i = 0; i < ORMA_STATS_NUM; i++)
        cr_assert_eq(a->storage.stats[0].single[i], b->storage.stats[0].single[i], "%s",
                     orma_stat_defs[i].name);
    cr_assert_eq(a->alone, b->alone);
}

/* How many batches were refused. */
static uint64_t compare(uint64_t seed, unsigned threads, bool deep, bool logged, uint32_t at_most)
{
    struct maker maker = {.state = seed, .deep = deep};
    struct made *made = calloc(OPS, sizeof(*made));
    struct side *one = side_new(), *many = side_new();
    struct orma_slices_batch batch;
    struct orma_crew *crew = threads ? orma_crew_new(threads) : NULL;

    cr_assert(orma_slices_batch_init(&batch, &many->slices));
    for (unsigned i = 0; logged && i < 2; i++)
        orma_args_log(i ? &one->storage.args : &many->storage.args);
    for (uint32_t i = 0; i < OPS; i++) {
        made[i] = make(&maker);
        put_alone(one, &made[i]);
    }
    for (uint32_t at = 0, num; at < OPS; at += num) {
        num = 1 + choose(&maker, at_most);
        num = ORMA_MIN(OPS - at, num);
        if (choose(&maker, 5)) {
            put_batch(many, &batch, crew, &made[at], num);
        } else {
            num = ORMA_MIN(num, 3u);
            for (uint32_t i = 0; i < num; i++)
                put_alone(many, &made[at + i]);
        }
    }
    expect_same(one, many);
    const uint64_t refused = many->refused;
    orma_slices_batch_fini(&batch);
    orma_crew_free(crew);
    side_free(one);
    side_free(many);
    free(made);
    return refused;
}

Test(slices_batch, gives_the_rows_of_one_by_one)
{
    for (uint64_t seed = 1; seed <= 6; seed++) {
        const uint32_t at_most = seed % 2 ? ORMA_SLICES_BATCH_MAX : 100;

        cr_assert_eq(compare(seed, 0, false, seed % 3, at_most), 0);
        cr_assert_eq(compare(seed, 2, false, seed % 3, at_most), 0);
        cr_assert_eq(compare(seed, 5, false, seed % 3, at_most), 0);
    }
    orma_assert_no_leaks();
}

Test(slices_batch, leaves_stacks_that_get_too_deep_to_others)
{
    cr_assert_gt(compare(1, 3, true, true, 1000), 0);
    cr_assert_gt(compare(2, 0, true, false, ORMA_SLICES_BATCH_MAX), 0);
    orma_assert_no_leaks();
}

Test(slices_batch, leaves_tracks_that_do_not_nest_to_others)
{
    struct side *s = side_new();
    struct orma_slices_batch batch;

    cr_assert(orma_slices_batch_init(&batch, &s->slices));
    orma_slices_set_unnestable(&s->slices, 1);
    batch.num = 2;
    batch.ops[0] = (struct orma_slices_op){.ts = 1, .track = 0, .kind = ORMA_SLICES_BEGIN};
    batch.ops[1] = (struct orma_slices_op){.ts = 2, .track = 1, .kind = ORMA_SLICES_BEGIN};
    cr_assert_not(orma_slices_batch_nest(&batch, NULL));
    cr_assert_eq(s->storage.tables[ORMA_TABLE_SLICE].rows, 0);
    batch.num = 1;
    cr_assert(orma_slices_batch_nest(&batch, NULL));
    orma_slices_batch_store(&batch, NULL);
    cr_assert_eq(s->storage.tables[ORMA_TABLE_SLICE].rows, 1);
    orma_slices_batch_fini(&batch);
    side_free(s);
    orma_assert_no_leaks();
}

/* What is allocated next holds no zeros. */
static void dirty_memory(void)
{
    void *blocks[64];

    for (unsigned i = 0; i < ORMA_ARRAY_LEN(blocks); i++) {
        blocks[i] = malloc(16 + 16 * (size_t)i);
        cr_assert_not_null(blocks[i]);
        memset(blocks[i], 0x55, 16 + 16 * (size_t)i);
    }
    for (unsigned i = 0; i < ORMA_ARRAY_LEN(blocks); i++)
        free(blocks[i]);
}

/* A batch that found no memory leaves nothing behind that the next one could take for a track. */
Test(slices_batch, begins_anew_after_memory_was_out)
{
    for (long after = 0; after < 12; after++) {
        struct side *s = side_new();
        struct orma_slices_batch batch;

        cr_assert(orma_slices_batch_init(&batch, &s->slices));
        batch.num = 2;
        batch.ops[0] = (struct orma_slices_op){.ts = 5, .track = 30, .kind = ORMA_SLICES_BEGIN};
        batch.ops[1] = (struct orma_slices_op){.ts = 7, .track = 30, .kind = ORMA_SLICES_END};
        cr_assert_not_null(orma_slices_stack(&s->slices, 30));
        dirty_memory();
        orma_alloc_fail_after(after);
        (void)orma_slices_batch_nest(&batch, NULL);
        orma_alloc_fail_after(-1);
        cr_assert(orma_slices_batch_nest(&batch, NULL), "after %ld", after);
        orma_slices_batch_store(&batch, NULL);
        cr_assert_eq(s->storage.tables[ORMA_TABLE_SLICE].rows, 1);
        cr_assert_eq(orma_table_int(&s->storage.tables[ORMA_TABLE_SLICE], ORMA_SLICE_DUR, 0), 2);
        orma_slices_batch_fini(&batch);
        side_free(s);
    }
    orma_assert_no_leaks();
}
