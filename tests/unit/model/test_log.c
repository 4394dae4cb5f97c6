/* What could not be imported, and args that rows get in several steps. */
#include <stdio.h>

#include "tests/unit/model/fixture.h"

Test(model_log, an_entry_counts_and_says_where)
{
    struct fixture *f = fixture_new();
    struct orma_args_list args = {0};

    orma_args_put_int(&args, fixture_str(f, "n"), 1);
    orma_model_log(&f->model, 0, ORMA_STAT_SLICE_NEGATIVE_DURATION, 10, 20, &args);
    orma_model_log(&f->model, 0, ORMA_STAT_SLICE_NEGATIVE_DURATION, INT64_MIN, -1, NULL);
    orma_args_list_fini(&args);
    cr_assert_eq(fixture_stat(f, SLICE_NEGATIVE_DURATION), 2);
    fixture_expect(f, ORMA_TABLE_TRACE_IMPORT_LOGS, "trace_id ts byte_offset {arg_set_id}",
                   "0 10 20 n=1\n0 - - -\n");
    fixture_free(f);
}

/* What is found late stands where it should have been found. */
Test(model_log, entries_are_in_the_order_of_their_packets)
{
    struct fixture *f = fixture_new();
    uint64_t read = 20;

    f->model.log.read = &read;
    orma_model_log(&f->model, 0, ORMA_STAT_SLICE_NEGATIVE_DURATION, INT64_MIN, 2, NULL);
    read = 30;
    orma_model_log(&f->model, 0, ORMA_STAT_SLICE_NEGATIVE_DURATION, 7, -1, NULL);
    orma_model_log_read(&f->model, 0, ORMA_STAT_SLICE_NEGATIVE_DURATION, 20, 3, NULL);
    orma_model_log_read(&f->model, 0, ORMA_STAT_SLICE_NEGATIVE_DURATION, 10, 1, NULL);
    orma_model_finish(&f->model);
    fixture_expect(f, ORMA_TABLE_TRACE_IMPORT_LOGS, "ts byte_offset", "- 1\n- 2\n- 3\n7 -\n");
    fixture_free(f);
}

/*  [0 ───── around ───── 10)    [5 ─ reaches out ─ 15)   */
Test(model_log, slices_that_have_no_place_are_told)
{
    struct fixture *f = fixture_new();
    uint32_t track = orma_model_thread_track(&f->model, 0, 0);

    orma_slices_complete(&f->model.slices, 0, 10, track, 0, fixture_str(f, "around"), NULL);
    orma_slices_complete(&f->model.slices, 5, 10, track, 0, fixture_str(f, "reaches out"), NULL);
    for (unsigned i = 0; i <= ORMA_SLICE_DEPTH_MAX; i++)
        orma_slices_begin(&f->model.slices, 20, track, 0,
                          fixture_str(f, i < ORMA_SLICE_DEPTH_MAX ? "deep" : "too deep"), NULL);
    cr_assert_eq(fixture_stat(f, SLICE_DROP_OVERLAPPING_COMPLETE_EVENT), 1);
    cr_assert_eq(fixture_stat(f, SLICE_MAX_DEPTH_EXCEEDED), 1);
    fixture_expect(f, ORMA_TABLE_TRACE_IMPORT_LOGS, "ts {arg_set_id}",
                   "5 overlap_start=5,overlap_end=10,conflicting_slice_name=around,"
                   "conflicting_slice_ts=0,conflicting_slice_dur=10\n"
                   "20 parent_slice_name=deep,current_slice_name='too deep'\n");
    fixture_free(f);
}

Test(model_log, damage_is_summed_up_and_its_first_place_kept)
{
    struct fixture *f = fixture_new();

    cr_assert_eq(f->model.damage.first, -1);
    orma_model_damage(&f->model, 100, 5, "why");
    orma_model_damage(&f->model, 200, 7, "why");
    orma_model_truncated(&f->model, 0);
    orma_model_truncated(&f->model, 3);
    cr_assert_eq(f->model.damage.places, 2);
    cr_assert_eq(f->model.damage.bytes, 12);
    cr_assert_eq(f->model.damage.first, 100);
    cr_assert_eq(f->model.damage.truncated, 3);
    fixture_free(f);
}

Test(model_log, the_last_value_of_an_arg_counts_when_the_trace_ends)
{
    struct fixture *f = fixture_new();
    struct orma_args_list args = {0};
    uint32_t upid = orma_processes_process(orma_model_processes(&f->model, 0), 7);

    for (int64_t i = 0; i < 2; i++) {
        orma_args_list_clear(&args);
        orma_args_put_int(&args, fixture_str(f, "both"), i);
        orma_args_put_int(&args, fixture_str(f, i ? "second" : "first"), i);
        orma_model_add_args(&f->model, ORMA_TABLE_PROCESS, ORMA_PROCESS_ARG_SET_ID, upid, &args);
    }
    orma_args_list_fini(&args);
    fixture_expect(f, ORMA_TABLE_PROCESS, "{arg_set_id}", "-\n-\n");
    orma_model_finish(&f->model);
    fixture_expect(f, ORMA_TABLE_PROCESS, "{arg_set_id}", "-\nboth=1,first=0,second=1\n");
    fixture_free(f);
}

Test(model_log, literals_are_found_by_address_and_have_the_id_of_their_text)
{
    static char texts[2 * ORMA_LITERALS_NUM][8];
    struct fixture *f = fixture_new();

    for (unsigned i = 0; i < ORMA_ARRAY_LEN(texts); i++)
        snprintf(texts[i], sizeof(texts[i]), "t%u", i / 2); /* two addresses, one text */
    for (unsigned again = 0; again < 2; again++)
        for (unsigned i = 0; i < ORMA_ARRAY_LEN(texts); i++)
            cr_assert_eq(orma_model_lit(&f->model, texts[i]), fixture_str(f, texts[i]));
    fixture_free(f);
}

Test(model_log, reals_become_whole_numbers_or_nothing)
{
    static const struct {
        double real;
        int64_t whole;
    } cases[] = {{0, 0},
                 {-0.9, 0},
                 {1.9, 1},
                 {-1.9, -1},
                 {1e300, 0},
                 {-1e300, 0},
                 {__builtin_nan(""), 0},
                 {__builtin_inf(), 0}};

    for (unsigned i = 0; i < ORMA_ARRAY_LEN(cases); i++)
        cr_assert_eq(orma_model_whole(cases[i].real), cases[i].whole, "%g", cases[i].real);
}
