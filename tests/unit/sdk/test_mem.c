#include "sdk/base/mem.h"

#include <criterion/criterion.h>
#include <stdint.h>
#include <string.h>

#include "sdk/base/buf.h"
#include "sdk/base/guard.h"
#include "sdk/base/map.h"

static bool refuse(void)
{
    return true;
}

Test(mem, pieces_are_zero_aligned_and_apart)
{
    static const size_t sizes[] = {1, 63, 64, 65, 127, 128, 200, 1024, 4095, 4096, 4097, 100000};
    uint8_t *p[3 * sizeof(sizes) / sizeof(sizes[0])];
    size_t num = 0;

    for (int round = 0; round < 3; round++) {
        for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++, num++) {
            size_t whole = 64;

            while (whole < sizes[i] && whole < 4096)
                whole *= 2;
            cr_assert_not_null(p[num] = orma_mem_new(sizes[i]));
            cr_assert_eq((uintptr_t)p[num] % whole, 0);
            for (size_t k = 0; k < sizes[i]; k++)
                cr_assert_eq(p[num][k], 0);
            memset(p[num], (int)num + 1, sizes[i]);
        }
    }
    for (size_t i = 0; i < num; i++) {
        size_t size = sizes[i % (sizeof(sizes) / sizeof(sizes[0]))];

        cr_assert_eq(p[i][0], i + 1);
        cr_assert_eq(p[i][size - 1], i + 1);
        orma_mem_free(p[i], size);
    }
    cr_assert_not(orma_guard_is_up());
}

Test(mem, a_freed_piece_comes_again_and_is_zero)
{
    uint8_t *p = orma_mem_new(300);

    memset(p, 0xff, 300);
    orma_mem_free(p, 300);
    uint8_t *again = orma_mem_new(500);
    cr_assert_eq(again, p);
    for (size_t i = 0; i < 500; i++)
        cr_assert_eq(again[i], 0);
    orma_mem_free(again, 500);
    orma_mem_free(NULL, 17);
}

Test(mem, what_grows_keeps_its_bytes)
{
    static const size_t sizes[] = {10, 64, 65, 4096, 4097, 20000, 300000, 5000, 100};
    uint8_t *p = NULL;
    size_t old = 0;

    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        cr_assert_not_null(p = orma_mem_resize(p, old, sizes[i]));
        for (size_t k = 0; k < 10 && old; k++)
            cr_assert_eq(p[k], 'a' + k);
        for (size_t k = 0; k < 10; k++)
            p[k] = (uint8_t)('a' + k);
        old = sizes[i];
    }
    orma_mem_free(p, old);
}

Test(mem, buffers_and_maps_live_in_it)
{
    struct orma_buf b = {.own_mem = true};
    struct orma_map map = {.own_mem = true};

    for (int round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < 5000; i++) {
            orma_buf_put(&b, &i, sizeof(i));
            cr_assert_eq(orma_map_put(&map, i, i + 1), 0);
        }
        cr_assert_not(b.failed);
        for (uint32_t i = 0; i < 5000; i++) {
            cr_assert_eq(memcmp(b.data + i * sizeof(i), &i, sizeof(i)), 0);
            cr_assert_eq(orma_map_get(&map, i), i + 1);
        }
        orma_buf_fini(&b); /* and stay what they were */
        orma_map_fini(&map);
    }
    orma_mem_set_refusal(refuse);
    orma_buf_put_byte(&b, 1);
    cr_assert(b.failed);
    cr_assert_lt(orma_map_put(&map, 1, 1), 0);
    orma_mem_set_refusal(NULL);
    orma_buf_fini(&b);
    orma_map_fini(&map);
}
