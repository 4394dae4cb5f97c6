/* Facts have a scope, and one value in it or many. */
#include "tests/unit/model/fixture.h"

Test(metadata, a_single_fact_is_replaced_and_a_multiple_one_added)
{
    struct fixture *f = fixture_new();

    for (int64_t i = 1; i <= 2; i++) {
        orma_metadata_int(&f->model, "single", false, ORMA_METADATA_GLOBAL, 0, i);
        orma_metadata_int(&f->model, "multi", true, ORMA_METADATA_GLOBAL, 0, i);
    }
    orma_metadata_str(&f->model, "text", false, ORMA_METADATA_GLOBAL, 0, fixture_str(f, "x"));
    fixture_expect(f, ORMA_TABLE_METADATA, "name key_type int_value str_value machine_id trace_id",
                   "single single 2 - - -\n"
                   "multi multi 1 - - -\n"
                   "multi multi 2 - - -\n"
                   "text single - x - -\n");
    fixture_free(f);
}

Test(metadata, scopes_keep_a_fact_apart_by_machine_and_trace)
{
    static const struct {
        enum orma_metadata_scope scope;
        const char *rows;
    } cases[] = {
        {ORMA_METADATA_GLOBAL, "- - 3\n"},
        {ORMA_METADATA_MACHINE, "0 - 2\n1 - 3\n"},
        {ORMA_METADATA_TRACE, "- 0 1\n- 1 3\n"},
        {ORMA_METADATA_MACHINE_AND_TRACE, "0 0 0\n1 0 1\n0 1 2\n1 1 3\n"},
    };

    for (unsigned i = 0; i < ORMA_ARRAY_LEN(cases); i++) {
        struct fixture *f = fixture_new();

        orma_model_add_machine(&f->model, 1, 5);
        (void)orma_table_add(orma_model_table(&f->model, ORMA_TABLE_TRACE_FILE));
        for (uint32_t n = 0; n < 4; n++) {
            orma_model_use_trace(&f->model, n / 2);
            orma_metadata_int(&f->model, "x", false, cases[i].scope, n % 2, n);
        }
        fixture_expect(f, ORMA_TABLE_METADATA, "machine_id trace_id int_value", cases[i].rows);
        fixture_free(f);
    }
}

Test(metadata, a_uuid_has_its_usual_form)
{
    struct fixture *f = fixture_new();

    orma_metadata_uuid(&f->model, 0, 1);
    orma_metadata_uuid(&f->model, UINT64_MAX, 0x8000000000000000);
    fixture_expect(f, ORMA_TABLE_METADATA, "name str_value",
                   "trace_uuid ffffffff-ffff-ffff-8000-000000000000\n");
    fixture_free(f);
}
