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

Test(model_log, damage_is_summed_up_and_its_first_place_kept)
{
    struct fixture *f = fixture_new();

    cr_assert_eq(f->model.damage.first, -1);
    orma_model_damage(&f->model, 100, 5, "why");
    orma_model_damage(&f->model, 200, 7, "why");
    orma_model_cut_off(&f->model, 0);
    orma_model_cut_off(&f->model, 3);
    cr_assert_eq(f->model.damage.places, 2);
    cr_assert_eq(f->model.damage.bytes, 12);
    cr_assert_eq(f->model.damage.first, 100);
    cr_assert_eq(f->model.damage.cut_off, 3);
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
