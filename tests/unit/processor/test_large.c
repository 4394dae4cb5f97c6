/* Arrays that are kept when they are freed: what is in them stays, zeros are zeros, and no more is
 * kept than was in use. */
#include <criterion/criterion.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "processor/store/large.h"
#include "processor/store/spill.h"
#include "tests/support/leaks.h"

#define MB ((size_t)1 << 20)
#define ARRAYS 12

struct array {
    unsigned char *at;
    size_t bytes;
    unsigned char fill;
};

static uint32_t next(uint32_t *seed)
{
    *seed = *seed * 1664525 + 1013904223;
    return *seed >> 8;
}

/* Some below what malloc is for, most above. */
static size_t any_size(uint32_t *seed)
{
    return next(seed) % 4 ? MB + next(seed) % (8 * MB) : 1 + next(seed) % MB;
}

static void check(const unsigned char *at, size_t bytes, unsigned char fill)
{
    for (size_t i = 0; i < bytes; i += i + 4099 < bytes || i + 1 == bytes ? 4099 : bytes - 1 - i)
        cr_assert_eq(at[i], fill, "byte %zu of %zu: %d instead of %d", i, bytes, at[i], fill);
}

static void change(struct array *a, uint32_t *seed)
{
    size_t bytes = any_size(seed);

    switch (a->at ? next(seed) % 3 : 2 + next(seed) % 2) {
    case 0:
        check(a->at, a->bytes, a->fill);
        orma_large_free(a->at);
        *a = (struct array){0};
        return;
    case 1:
        a->at = orma_large_resize(a->at, bytes);
        check(a->at, a->bytes < bytes ? a->bytes : bytes, a->fill);
        break;
    case 2:
        orma_large_free(a->at);
        a->at = orma_large_alloc(bytes);
        break;
    default:
        a->at = orma_large_zeroed(bytes / 8 + 1, 8);
        check(a->at, bytes, 0);
    }
    cr_assert(a->at);
    a->bytes = bytes;
    a->fill = (unsigned char)(1 + next(seed) % 255);
    memset(a->at, a->fill, bytes);
}

static void use_randomly(uint32_t seed, int times)
{
    struct array arrays[ARRAYS] = {0};

    for (int i = 0; i < times; i++) {
        change(&arrays[next(&seed) % ARRAYS], &seed);
        struct array *a = &arrays[next(&seed) % ARRAYS];
        if (a->at)
            check(a->at, a->bytes, a->fill);
    }
    for (int i = 0; i < ARRAYS; i++)
        orma_large_free(arrays[i].at);
}

Test(large, random_uses_keep_what_is_in_arrays)
{
    use_randomly(7, 1500);
    cr_assert_gt(orma_large_kept(), 0);
    orma_large_drop();
    cr_assert_eq(orma_large_kept(), 0);
}

/* Some are in memory already when there is no room for others. */
Test(large, random_uses_keep_what_is_in_files)
{
    use_randomly(8, 100);
    orma_spill_limit(1);
    use_randomly(9, 500);
    orma_large_drop();
    cr_assert_eq(orma_large_kept(), 0);
}

Test(large, the_same_again_needs_no_memory)
{
    void *a = orma_large_alloc(16 * MB), *b = orma_large_alloc(4 * MB);

    cr_assert(a && b);
    cr_assert_eq(orma_large_kept(), 0);
    orma_large_free(a);
    orma_large_free(b);
    cr_assert_eq(orma_large_kept(), 20 * MB);
    cr_assert_eq(orma_large_alloc(4 * MB), b);
    cr_assert_eq(orma_large_alloc(16 * MB), a);
    cr_assert_eq(orma_large_kept(), 0);
    a = orma_large_resize(a, 100); /* no block is held for little */
    cr_assert_eq(orma_large_kept(), 16 * MB);
    orma_large_free(a);
    orma_large_free(b);
    orma_large_drop();
}

Test(large, no_more_is_kept_than_was_used_and_an_eighth)
{
    for (size_t mb = 2; mb < 40; mb += 3) { /* none fits the next */
        void *a = orma_large_alloc(mb * MB);

        cr_assert(a);
        cr_assert_leq(orma_large_kept() + mb * MB, mb * MB + mb * MB / 8);
        orma_large_free(a);
    }
    orma_large_drop();
}

Test(large, many_at_once_and_sizes_that_cannot_be)
{
    void *all[100];

    for (size_t i = 0; i < 100; i++) {
        all[i] = orma_large_zeroed(MB / 4, 4);
        cr_assert(all[i]);
        memset(all[i], 1, MB);
    }
    for (size_t i = 0; i < 100; i++)
        all[i] = orma_large_resize(all[i], 2 * MB);
    for (size_t i = 0; i < 100; i++) {
        check(all[i], MB, 1);
        orma_large_free(all[i]);
    }
    volatile size_t huge = SIZE_MAX - 7;
    cr_assert_null(orma_large_zeroed(huge, 8));
    cr_assert_null(orma_large_alloc(huge));
    void *a = orma_large_alloc(2 * MB);
    cr_assert_null(orma_large_resize(a, huge));
    orma_large_free(a);
    orma_large_free(NULL);
    orma_large_drop();
}
