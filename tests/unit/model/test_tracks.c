/* A track is its type, machine and dimensions, whatever it is called. */
#include "tests/unit/model/fixture.h"

Test(tracks, equal_dimensions_are_one_track_and_the_first_name_stays)
{
    struct fixture *f = fixture_new();
    struct orma_track_spec spec = {
        .type = "t",
        .event = ORMA_TRACK_COUNTER,
        .dims_num = 2,
        .dims = {orma_dim(f->model.known.cpu, 3),
                 orma_dim_str(f->model.known.name, fixture_str(f, "x"))},
        .name = fixture_str(f, "first"),
        .parent = ORMA_TRACK_NONE,
    };

    cr_assert_eq(orma_tracks_get(&f->model.tracks, &spec), 0);
    spec.name = fixture_str(f, "second");
    cr_assert_eq(orma_tracks_get(&f->model.tracks, &spec), 0);
    spec.dims[0].value = 4;
    cr_assert_eq(orma_tracks_get(&f->model.tracks, &spec), 1);
    spec.dims_num = 1;
    cr_assert_eq(orma_tracks_get(&f->model.tracks, &spec), 2);
    spec.type = "u";
    cr_assert_eq(orma_tracks_get(&f->model.tracks, &spec), 3);
    cr_assert_eq(orma_tracks_add(&f->model.tracks, &spec), 4); /* one of its own */
    fixture_expect(f, ORMA_TABLE_TRACK, "name type {dimension_arg_set_id} event_type",
                   "first t cpu=3,name=x counter\n"
                   "second t cpu=4,name=x counter\n"
                   "second t cpu=4 counter\n"
                   "second u cpu=4 counter\n"
                   "second u cpu=4 counter\n");
    fixture_free(f);
}

Test(tracks, what_was_asked_for_lately_is_found_and_nothing_else)
{
    struct fixture *f = fixture_new();
    struct orma_track_spec spec = {.type = "t",
                                   .dims_num = 1,
                                   .dims = {orma_dim(f->model.known.cpu, 0)},
                                   .parent = ORMA_TRACK_NONE};

    cr_assert_eq(orma_tracks_find_lately(&f->model.tracks, &spec), ORMA_TRACK_NONE);
    for (int64_t i = 0; i < 4 * ORMA_TRACKS_LATELY; i++) {
        spec.dims[0].value = i;
        uint32_t track = orma_tracks_get(&f->model.tracks, &spec);
        cr_assert_eq(track, i);
        cr_assert_eq(orma_tracks_find_lately(&f->model.tracks, &spec), track);
    }
    for (int64_t i = 0; i < 4 * ORMA_TRACKS_LATELY; i++) {
        spec.dims[0].value = i;
        uint32_t track = orma_tracks_find_lately(&f->model.tracks, &spec);
        cr_assert(track == ORMA_TRACK_NONE || track == i);
        cr_assert_eq(orma_tracks_get(&f->model.tracks, &spec), i);
    }
    fixture_free(f);
}

Test(tracks, machines_have_tracks_of_their_own)
{
    struct fixture *f = fixture_new();

    orma_model_add_machine(&f->model, 1, 5);
    for (uint16_t machine = 0; machine < 2; machine++)
        cr_assert_eq(orma_model_slice_track(&f->model, machine, "t", 0, 0, NULL), machine);
    fixture_expect(f, ORMA_TABLE_TRACK, "type machine_id", "t 0\nt 1\n");
    fixture_free(f);
}
