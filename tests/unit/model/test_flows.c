/* Arrows from slice to slice: a flow is where its number was last. */
#include "processor/model/flows.h"

#include "tests/unit/model/fixture.h"

/* Slice i lasts from 10 i to 10 i + 5, on a track of its own number. */
static void add_slices(struct fixture *f, uint32_t num)
{
    for (uint32_t i = 0; i < num; i++)
        cr_assert_eq(orma_slices_complete(&f->model.slices, 10 * i, 5, i, 0, 1, NULL), i);
}

/*  [0] ─► [1] ─► [2]     [3] ─► [4]: the number was closed, and is used again */
Test(flows, an_arrow_goes_from_where_the_number_was_last)
{
    struct fixture *f = fixture_new();

    add_slices(f, 5);
    cr_assert(!orma_flows_active(&f->model, 7));
    orma_flows_begin(&f->model, 0, 7);
    cr_assert(orma_flows_active(&f->model, 7));
    orma_flows_step(&f->model, 1, 7);
    orma_flows_end(&f->model, 2, 7, true);
    cr_assert(!orma_flows_active(&f->model, 7));
    orma_flows_begin(&f->model, 3, 7);
    orma_flows_end(&f->model, 4, 7, false);
    cr_assert(orma_flows_active(&f->model, 7));
    fixture_expect(f, ORMA_TABLE_FLOW, "slice_out slice_in trace_id", "0 1 7\n1 2 7\n3 4 7\n");
    fixture_free(f);
}

Test(flows, steps_and_ends_need_a_begin_and_begins_only_one)
{
    struct fixture *f = fixture_new();

    add_slices(f, 2);
    orma_flows_step(&f->model, 0, 7);
    orma_flows_end(&f->model, 0, 7, true);
    orma_flows_begin(&f->model, 0, 7);
    orma_flows_begin(&f->model, 1, 7);
    cr_assert_eq(fixture_stat(f, FLOW_STEP_WITHOUT_START), 1);
    cr_assert_eq(fixture_stat(f, FLOW_END_WITHOUT_START), 1);
    cr_assert_eq(fixture_stat(f, FLOW_DUPLICATE_ID), 1);
    fixture_expect(f, ORMA_TABLE_FLOW, "slice_out", "");
    fixture_free(f);
}

Test(flows, the_earlier_slice_is_the_one_that_the_arrow_leaves)
{
    struct fixture *f = fixture_new();

    add_slices(f, 2);
    orma_flows_begin(&f->model, 1, 7);
    orma_flows_end(&f->model, 0, 7, true);
    orma_flows_insert(&f->model, 1, 0); /* of no flow: as it is told */
    fixture_expect(f, ORMA_TABLE_FLOW, "slice_out slice_in trace_id", "0 1 7\n1 0 -\n");
    fixture_free(f);
}

/*  track 0:  0 [== a ==] 20
 *  track 1:               30 (the flow ends with the next)   40 [ b ]   50 [ c ] */
Test(flows, an_end_may_wait_for_the_next_slice_of_its_track)
{
    struct fixture *f = fixture_new();
    struct orma_slices *s = &f->model.slices;

    uint32_t a = orma_slices_begin(s, 0, 0, 0, 1, NULL);
    orma_flows_begin_on(&f->model, 0, 10, 7);
    (void)orma_slices_end(s, 20, 0, 0, 0, NULL);
    orma_flows_end_on(&f->model, 1, 30, 7, false);
    (void)orma_slices_complete(s, 35, 1, 2, 0, 1, NULL); /* another track */
    uint32_t b = orma_slices_complete(s, 40, 1, 1, 0, 1, NULL);
    (void)orma_slices_complete(s, 50, 1, 1, 0, 1, NULL);
    cr_assert_eq(a, 0);
    cr_assert_eq(b, 2);
    fixture_expect(f, ORMA_TABLE_FLOW, "slice_out slice_in trace_id", "0 2 7\n");
    fixture_free(f);
}

/* 10 [====] 15: what happens at its very end is still in it; times before it do not come. */
Test(flows, a_slice_goes_on_up_to_its_end)
{
    static const struct {
        int64_t dur, ts;
        bool inside;
    } cases[] = {
        {5, 10, true},  {5, 15, true},  {5, 16, false},
        {0, 10, true},  {0, 11, false}, {INT64_MAX - 10, INT64_MAX, true},
        {-1, 16, true},
    };

    for (unsigned i = 0; i < ORMA_ARRAY_LEN(cases); i++) {
        struct fixture *f = fixture_new();

        if (cases[i].dur < 0)
            (void)orma_slices_begin(&f->model.slices, 10, 0, 0, 1, NULL);
        else
            (void)orma_slices_complete(&f->model.slices, 10, cases[i].dur, 0, 0, 1, NULL);
        orma_flows_begin_on(&f->model, 0, cases[i].ts, 7);
        cr_assert_eq(orma_flows_active(&f->model, 7), cases[i].inside, "case %u", i);
        cr_assert_eq(fixture_stat(f, FLOW_NO_ENCLOSING_SLICE), !cases[i].inside, "case %u", i);
        orma_flows_step_on(&f->model, 1, cases[i].ts, 7); /* nothing ever was on that track */
        cr_assert_eq(fixture_stat(f, FLOW_NO_ENCLOSING_SLICE), 2 - cases[i].inside);
        fixture_free(f);
    }
}

Test(flows, flows_known_by_text_have_a_number_of_their_own_and_args)
{
    struct fixture *f = fixture_new();
    uint32_t c = fixture_str(f, "c"), n = fixture_str(f, "n");
    uint64_t flow = orma_flows_id_v1(&f->model, 7, c, n);

    add_slices(f, 2);
    cr_assert_eq(orma_flows_id_v1(&f->model, 7, c, n), flow);
    cr_assert_neq(orma_flows_id_v1(&f->model, 7, n, c), flow);
    cr_assert_neq(orma_flows_id_v1(&f->model, 8, c, n), flow);
    orma_flows_begin(&f->model, 0, flow);
    orma_flows_end(&f->model, 1, flow, true);
    fixture_expect(f, ORMA_TABLE_FLOW, "slice_out slice_in trace_id {arg_set_id}",
                   "0 1 0 name=n,cat=c\n");
    fixture_free(f);
}
