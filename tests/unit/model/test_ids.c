#include <criterion/criterion.h>

#include "processor/model/ids.h"
#include "tests/support/leaks.h"

Test(ids, finds_what_was_put_whatever_the_id)
{
    static const uint32_t ids[] = {0,       1,       1023,       1024,           4095,
                                   4194303, 4194304, 2000000000, UINT32_MAX - 1, UINT32_MAX};
    struct orma_ids map = {0};

    for (unsigned i = 0; i < ORMA_ARRAY_LEN(ids); i++)
        cr_assert_eq(orma_ids_get(&map, ids[i]), ORMA_IDS_NONE);
    for (unsigned i = 0; i < ORMA_ARRAY_LEN(ids); i++)
        cr_assert_eq(orma_ids_put(&map, ids[i], i * 3), 0);
    for (unsigned i = 0; i < ORMA_ARRAY_LEN(ids); i++)
        cr_assert_eq(orma_ids_get(&map, ids[i]), i * 3);
    cr_assert_eq(orma_ids_get(&map, 2), ORMA_IDS_NONE);
    cr_assert_eq(orma_ids_get(&map, 5000), ORMA_IDS_NONE);
    cr_assert_eq(orma_ids_get(&map, 3000000000u), ORMA_IDS_NONE);
    orma_ids_fini(&map);
    orma_assert_no_leaks();
}

Test(ids, replaces_and_drops)
{
    struct orma_ids map = {0};

    for (uint32_t id = 4194000; id < 4194600; id++) {
        cr_assert_eq(orma_ids_put(&map, id, 1), 0);
        cr_assert_eq(orma_ids_put(&map, id, id), 0);
    }
    for (uint32_t id = 4194000; id < 4194600; id += 2)
        orma_ids_drop(&map, id);
    orma_ids_drop(&map, 7);          /* never was there */
    orma_ids_drop(&map, 4000000000); /* nor this one */
    for (uint32_t id = 4194000; id < 4194600; id++)
        cr_assert_eq(orma_ids_get(&map, id), id % 2 ? id : ORMA_IDS_NONE);
    orma_ids_fini(&map);
    orma_assert_no_leaks();
}
