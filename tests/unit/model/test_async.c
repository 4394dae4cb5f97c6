/* Lanes of slices that overlap, as pictures: time runs to the right. */
#include "processor/model/async.h"

#include "tests/unit/model/fixture.h"

static struct orma_track_spec spec_of(struct fixture *f, int64_t dim)
{
    return (struct orma_track_spec){
        .type = "lane",
        .event = ORMA_TRACK_SLICES,
        .dims_num = 1,
        .dims = {orma_dim(fixture_str(f, "of"), dim)},
        .name = fixture_str(f, "n"),
        .parent = ORMA_TRACK_NONE,
    };
}

static uint32_t begin(struct fixture *f, int64_t dim, uint64_t cookie, int64_t ts)
{
    const struct orma_track_spec spec = spec_of(f, dim);

    return orma_async_begin(&f->model, &spec, cookie, ts, false);
}

static uint32_t end(struct fixture *f, int64_t dim, uint64_t cookie, int64_t ts)
{
    const struct orma_track_spec spec = spec_of(f, dim);

    return orma_async_end(&f->model, &spec, cookie, ts);
}

/*  lane 0:  [== 1 ==]    [== 3 ==]
 *  lane 1:     [======= 2 =======]  */
Test(async, what_overlaps_lies_on_the_lowest_free_lane)
{
    struct fixture *f = fixture_new();

    cr_assert_eq(begin(f, 0, 1, 10), 0);
    cr_assert_eq(begin(f, 0, 2, 20), 1);
    cr_assert_eq(end(f, 0, 1, 30), 0);
    cr_assert_eq(begin(f, 0, 3, 40), 0);
    cr_assert_eq(end(f, 0, 2, 50), 1);
    cr_assert_eq(end(f, 0, 3, 50), 0);
    fixture_expect(f, ORMA_TABLE_TRACK, "name type track_group_id {dimension_arg_set_id}",
                   "n lane 0 of=0,track_compressor_idx=0\n"
                   "n lane 0 of=0,track_compressor_idx=1\n");
    fixture_free(f);
}

/* The rule, by a walk over stacks of ends: the lowest lane where the slice lies inside of all. */
#define WALK_LANES 512
#define WALK_DEPTH 256

struct walk {
    int64_t ends[WALK_LANES][WALK_DEPTH];
    uint32_t depth[WALK_LANES];
};

static uint32_t walk_to(struct walk *self, int64_t ts, int64_t end)
{
    for (uint32_t i = 0; i < WALK_LANES; i++) {
        uint32_t *depth = &self->depth[i];

        while (*depth && self->ends[i][*depth - 1] <= ts)
            --*depth;
        if (*depth == WALK_DEPTH || (*depth && self->ends[i][*depth - 1] < end))
            continue;
        self->ends[i][(*depth)++] = end;
        return i;
    }
    return UINT32_MAX;
}

Test(async, slices_that_overlap_lie_where_a_walk_finds_room)
{
    struct walk *walk = calloc(1, sizeof(*walk));
    struct fixture *f = fixture_new();
    const struct orma_track_spec spec = spec_of(f, 0);
    uint64_t random = 1;
    uint32_t most = 0;
    int64_t ts = 0;

    cr_assert(walk);
    for (unsigned i = 0; i < 6000; i++) {
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
        unsigned dice = (unsigned)(random >> 33);
        int64_t dur = 1 + (dice >> 4) % (dice % 3 ? 150 : 5);

        ts += dice % 4 == 0 ? 0 : 1 + (i % 1000 < 30) * 20;
        uint32_t lane = walk_to(walk, ts, ts + dur);
        cr_assert_eq(orma_async_nest(&f->model, &spec, ts, dur), lane, "slice %u", i);
        (void)orma_slices_complete(&f->model.slices, ts, dur, lane, 0, 0, NULL);
        most = ORMA_MAX(most, lane);
    }
    cr_assert_gt(most, ORMA_LANES_FEW);
    fixture_free(f);
    free(walk);
}

/* Those with a length that do not nest, beside lanes that are open. */
Test(async, instants_lie_on_the_lowest_lane_of_theirs)
{
    struct fixture *f = fixture_new();
    const struct orma_track_spec spec = spec_of(f, 0);
    const uint32_t many = 3 * ORMA_LANES_FEW;

    for (uint32_t i = 0; i < many; i++) {
        cr_assert_eq(begin(f, 0, i, 10), 2 * i);
        cr_assert_eq(orma_async_instant(&f->model, &spec, 10, 10 + i), 2 * i + 1);
    }
    for (uint32_t i = 0; i < many; i++)
        cr_assert_eq(orma_async_instant(&f->model, &spec, 20 + i, 1000), 2 * i + 1);
    cr_assert_eq(orma_async_instant(&f->model, &spec, 500, 1), 2 * many);
    fixture_free(f);
}

/* As many lanes as are no longer walked over one by one: they are given out as few are. */
Test(async, many_lanes_are_found_as_few_are)
{
    struct fixture *f = fixture_new();
    const uint32_t many = 3 * ORMA_LANES_FEW;

    for (uint32_t i = 0; i < many; i++)
        cr_assert_eq(begin(f, 0, i, 10), i);
    cr_assert_eq(begin(f, 0, 7, 11), 7, "where it is open");
    cr_assert_eq(begin(f, 0, many - 1, 11), many - 1);
    cr_assert_eq(end(f, 0, 50, 20), 50);
    cr_assert_eq(end(f, 0, 3, 20), 3);
    cr_assert_eq(begin(f, 0, 50, 21), 50, "where it was last, not on the lowest one");
    cr_assert_eq(begin(f, 0, 1000, 22), 3, "on the lowest free one");
    cr_assert_eq(begin(f, 0, 3, 23), many, "whose lane another one has taken");
    cr_assert_eq(end(f, 0, 7, 24), 7);
    cr_assert_eq(begin(f, 0, 1001, 25), many + 1, "one of two on the lane goes on");
    cr_assert_eq(end(f, 0, 7, 26), 7);
    cr_assert_eq(begin(f, 0, 1002, 27), 7);
    fixture_free(f);
}

/*  lane 0:  [== 1 ============]
 *             [== 1 ====]           one cookie nests
 *  lane 1:        [ 2 ]             */
Test(async, what_begins_under_an_open_cookie_nests_in_its_lane)
{
    struct fixture *f = fixture_new();

    cr_assert_eq(begin(f, 0, 1, 10), 0);
    cr_assert_eq(begin(f, 0, 1, 11), 0);
    cr_assert_eq(begin(f, 0, 2, 12), 1);
    cr_assert_eq(end(f, 0, 1, 13), 0);
    cr_assert_eq(begin(f, 0, 3, 14), 2); /* 1 is open once more */
    cr_assert_eq(end(f, 0, 1, 15), 0);
    cr_assert_eq(begin(f, 0, 3, 16), 2);
    cr_assert_eq(begin(f, 0, 4, 16), 0);
    fixture_free(f);
}

Test(async, groups_are_told_apart_by_dimension)
{
    struct fixture *f = fixture_new();

    cr_assert_eq(begin(f, 0, 1, 10), 0);
    cr_assert_eq(begin(f, 1, 1, 10), 1);
    cr_assert_eq(begin(f, 0, 2, 10), 2);
    fixture_expect(f, ORMA_TABLE_TRACK, "track_group_id", "0\n1\n0\n");
    fixture_free(f);
}

/*  lane 0:  [10 .. 20)[20 .. 30)
 *  lane 1:    [15 .. 25)          */
Test(async, slices_of_known_length_keep_their_lane_busy_to_their_end)
{
    static const struct {
        int64_t ts, dur;
        uint32_t lane;
    } cases[] = {{10, 10, 0}, {15, 10, 1}, {20, 10, 0}, {29, 0, 1}, {30, INT64_MAX, 0}, {31, 0, 1}};
    struct fixture *f = fixture_new();
    const struct orma_track_spec spec = spec_of(f, 0);

    for (unsigned i = 0; i < ORMA_ARRAY_LEN(cases); i++)
        cr_assert_eq(orma_async_instant(&f->model, &spec, cases[i].ts, cases[i].dur), cases[i].lane,
                     "at %lld", (long long)cases[i].ts);
    fixture_free(f);
}

Test(async, an_end_without_a_begin_has_a_lane_and_closes_nothing)
{
    struct fixture *f = fixture_new();

    cr_assert_eq(end(f, 0, 9, 5), 0);
    cr_assert_eq(begin(f, 0, 1, 10), 0);
    cr_assert_eq(end(f, 0, 9, 15), 1);
    cr_assert_eq(begin(f, 0, 2, 20), 1); /* 1 still goes on */
    fixture_free(f);
}

/* The same number under another scope or process is another thing; a row has the name of what made
 * it. */
Test(async, chromes_ids_are_of_a_scope_and_perhaps_of_a_process)
{
    struct fixture *f = fixture_new();
    struct orma_legacy_async a = {
        .upid = ORMA_ID_NONE, .scope = fixture_str(f, "cat"), .name = fixture_str(f, "x"), .id = 5};

    cr_assert_eq(orma_legacy_async_track(&f->model, &a, ORMA_ASYNC_BEGIN, 10), 0);
    a.name = fixture_str(f, "nested");
    cr_assert_eq(orma_legacy_async_track(&f->model, &a, ORMA_ASYNC_BEGIN, 11), 0);
    a.scope = fixture_str(f, "other");
    cr_assert_eq(orma_legacy_async_track(&f->model, &a, ORMA_ASYNC_BEGIN, 12), 1);
    a.of_process = true;
    a.upid = 0;
    cr_assert_eq(orma_legacy_async_track(&f->model, &a, ORMA_ASYNC_BEGIN, 13), 2);
    fixture_expect(f, ORMA_TABLE_TRACK, "name type",
                   "x legacy_async_global_slice\n"
                   "nested legacy_async_global_slice\n"
                   "nested legacy_async_process_slice\n");
    fixture_free(f);
}
