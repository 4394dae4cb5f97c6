#include <criterion/criterion.h>
#include <stdlib.h>

#include "sdk/base/defs.h"
#include "sdk/shm/layout.h"
#include "tests/support/leaks.h"

static struct orma_shm new_shm(uint32_t page_size, unsigned pages)
{
    struct orma_shm shm;
    void *base = aligned_alloc(4096, (size_t)page_size * pages);

    memset(base, 0, (size_t)page_size * pages);
    cr_assert_eq(orma_shm_init(&shm, base, (size_t)page_size * pages, page_size), 0);
    return shm;
}

Test(shm, chunk_sizes_are_those_of_the_abi)
{
    static const struct {
        enum orma_shm_layout layout;
        unsigned num, size;
    } cases[] = {{ORMA_SHM_LAYOUT_NONE, 0, 0},    {ORMA_SHM_LAYOUT_1, 1, 4088},
                 {ORMA_SHM_LAYOUT_2, 2, 2044},    {ORMA_SHM_LAYOUT_4, 4, 1020},
                 {ORMA_SHM_LAYOUT_7, 7, 584},     {ORMA_SHM_LAYOUT_14, 14, 292},
                 {(enum orma_shm_layout)6, 0, 0}, {(enum orma_shm_layout)7, 0, 0}};
    struct orma_shm shm = new_shm(4096, 1);

    for (size_t i = 0; i < ORMA_ARRAY_LEN(cases); i++) {
        uint32_t word = (uint32_t)cases[i].layout << 28;

        cr_assert_eq(orma_shm_chunks_num(word), cases[i].num);
        cr_assert_eq(orma_shm_chunk_size(&shm, word), cases[i].size);
    }
    free(shm.base);
}

Test(shm, refuses_sizes_that_no_service_hands_out)
{
    cr_assert(orma_shm_sizes_valid(4096, 4096));
    cr_assert(orma_shm_sizes_valid(32768, 32 << 20));
    cr_assert(!orma_shm_sizes_valid(65536, 65536));
    cr_assert(!orma_shm_sizes_valid(12288, 24576));
    cr_assert(!orma_shm_sizes_valid(4096, 4097));
    cr_assert(!orma_shm_sizes_valid(4096, 0));
    cr_assert(!orma_shm_sizes_valid(4096, ((uint64_t)32 << 20) + 4096));
}

Test(shm, a_chunk_goes_round_and_the_last_one_out_unpartitions)
{
    struct orma_shm shm = new_shm(4096, 1);
    struct orma_shm_chunk w[14], r;
    _Atomic uint32_t *header = orma_shm_page_header(&shm, 0);

    for (unsigned i = 0; i < 14; i++) {
        cr_assert(orma_shm_acquire(&shm, 0, ORMA_SHM_LAYOUT_14, 3, i, 0, &w[i]));
        cr_assert_eq(w[i].idx, i);
        cr_assert_eq(w[i].payload_size, 284);
        memset(w[i].payload, 0xaa, w[i].payload_size);
    }
    cr_assert(!orma_shm_acquire(&shm, 0, ORMA_SHM_LAYOUT_14, 3, 14, 0, &r), "full");
    cr_assert(!orma_shm_take(&shm, 0, 5, &r), "still being written");
    for (unsigned i = 0; i < 14; i++) {
        orma_shm_complete(&shm, &w[i]);
        cr_assert(orma_shm_take(&shm, 0, i, &r));
        cr_assert_eq(atomic_load(&r.header->chunk_id), i);
        cr_assert_eq(atomic_load(&r.header->writer_id), 3);
        cr_assert(!orma_shm_take(&shm, 0, i, &r), "taken once");
        orma_shm_release(&shm, &r);
    }
    cr_assert_eq(atomic_load(header), 0);
    free(shm.base);
    orma_assert_no_leaks();
}

Test(shm, no_index_from_outside_leads_outside)
{
    struct orma_shm shm = new_shm(4096, 2);
    struct orma_shm_chunk c;
    enum orma_shm_state state;

    atomic_store(orma_shm_page_header(&shm, 1), 0xffffffffu); /* reserved layout, all complete */
    cr_assert(!orma_shm_take(&shm, 1, 0, &c));
    cr_assert(!orma_shm_take(&shm, 2, 0, &c));
    cr_assert(!orma_shm_take(&shm, UINT32_MAX, 0, &c));
    cr_assert(!orma_shm_take(&shm, 0, UINT32_MAX, &c));
    cr_assert(!orma_shm_peek(&shm, 1, 0, &c, &state));
    atomic_store(orma_shm_page_header(&shm, 1), (uint32_t)ORMA_SHM_LAYOUT_1 << 28 | 0xfff);
    cr_assert(!orma_shm_take(&shm, 1, 1, &c), "beyond the layout");
    cr_assert(orma_shm_take(&shm, 1, 0, &c));
    free(shm.base);
}

Test(shm, chunks_of_a_page_go_together)
{
    struct orma_shm shm = new_shm(4096, 1);
    struct orma_shm_chunk w[4];
    _Atomic uint32_t *header = orma_shm_page_header(&shm, 0);
    uint32_t word;

    for (unsigned i = 0; i < 4; i++)
        cr_assert(orma_shm_acquire(&shm, 0, ORMA_SHM_LAYOUT_4, 3, i, 0, &w[i]));
    orma_shm_complete(&shm, &w[0]);
    orma_shm_complete(&shm, &w[2]);
    cr_assert_eq(orma_shm_take_group(&shm, 0, 0xffffffff, &word), 1u << 0 | 1u << 2,
                 "only what is complete");
    cr_assert_eq(orma_shm_chunk_state(atomic_load(header), 2), ORMA_SHM_READING);
    cr_assert_eq(orma_shm_chunk_of(&shm, 0, 2, word).payload, w[2].payload);
    orma_shm_release_group(&shm, 0, 1u << 0 | 1u << 2, word);
    cr_assert_eq(orma_shm_chunk_state(atomic_load(header), 1), ORMA_SHM_WRITING);
    orma_shm_complete(&shm, &w[1]);
    orma_shm_complete(&shm, &w[3]);
    cr_assert_eq(orma_shm_take_group(&shm, 0, 1u << 1 | 1u << 3, &word), 1u << 1 | 1u << 3);
    orma_shm_release_group(&shm, 0, 1u << 1 | 1u << 3, word);
    cr_assert_eq(atomic_load(header), 0, "the last ones out unpartition the page");

    /* Alone in its page: the same, without a locked operation. */
    cr_assert(orma_shm_acquire(&shm, 0, ORMA_SHM_LAYOUT_1, 3, 9, 0, &w[0]));
    cr_assert_eq(orma_shm_take_group(&shm, 0, 1, &word), 0, "still being written");
    orma_shm_complete(&shm, &w[0]);
    cr_assert_eq(orma_shm_take_group(&shm, 0, 1, &word), 1);
    orma_shm_release_group(&shm, 0, 1, word);
    cr_assert_eq(atomic_load(header), 0);
    cr_assert_eq(atomic_load(&w[0].header->writer_id), 0);
    cr_assert_eq(orma_shm_take_group(&shm, 0, 1, &word), 0);
    cr_assert_eq(orma_shm_take_group(&shm, 7, 1, &word), 0);
    free(shm.base);
    orma_assert_no_leaks();
}
