#include <criterion/criterion.h>
#include <inttypes.h>

#include "sdk/base/wide.h"
#include "tests/support/leaks.h"

static const int64_t numbers[] = {
    0,  1,          -1,        2,         -3,        1000000000,    -1000000000,
    63, UINT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN, INT64_MIN + 1, INT64_C(0x123456789abcdef0)};
#define NUM (sizeof(numbers) / sizeof(*numbers))

static bool is(struct orma_wide a, uint64_t high, uint64_t low)
{
    return a.high == high && a.low == low;
}

Test(wide, known_results)
{
    cr_assert(is(orma_wide_mul(UINT64_MAX, UINT64_MAX), UINT64_MAX - 1, 1));
    cr_assert(is(orma_wide_mul_signed(INT64_MIN, INT64_MIN), UINT64_C(1) << 62, 0));
    cr_assert(is(orma_wide_mul_signed(-3, 5), UINT64_MAX, (uint64_t)-15));
    cr_assert(is(orma_wide_add((struct orma_wide){0, UINT64_MAX}, orma_wide_of(1)), 1, 0));
    cr_assert(is(orma_wide_neg((struct orma_wide){1, 0}), UINT64_MAX, 0));
    cr_assert(is(orma_wide_times((struct orma_wide){1, 2}, 3), 3, 6));
    cr_assert(is(orma_wide_div((struct orma_wide){1, 0}, 2), 0, UINT64_C(1) << 63));
    cr_assert(is(orma_wide_div(orma_wide_of(-7), 2), UINT64_MAX, (uint64_t)-3), "towards zero");
    cr_assert(is(orma_wide_div_long((struct orma_wide){UINT64_MAX, UINT64_MAX}, UINT64_MAX), 1, 1));
    const struct orma_wide a = {0x11, 0x2200000000000033};
    cr_assert_eq(orma_wide_bits(a, 0), UINT64_C(0x2200000000000033));
    cr_assert_eq(orma_wide_bits(a, 4), UINT64_C(0x1220000000000003));
    cr_assert_eq(orma_wide_bits(a, 64), 0x11);
    cr_assert_eq(orma_wide_bits(a, 68), 1);
    cr_assert(orma_wide_fits(orma_wide_of(INT64_MIN)));
    cr_assert(orma_wide_fits(orma_wide_of(INT64_MAX)));
    cr_assert_not(orma_wide_fits((struct orma_wide){0, UINT64_C(1) << 63}));
    cr_assert_not(orma_wide_fits((struct orma_wide){UINT64_MAX, 1}));
}

/* Also where the compiler's own division is used. */
Test(wide, divides_what_was_multiplied)
{
    for (size_t i = 0; i < NUM; i++) {
        for (size_t k = 0; k < NUM; k++) {
            const uint64_t a = (uint64_t)numbers[i], by = (uint64_t)numbers[k];
            const struct orma_wide product = orma_wide_mul(a, by);

            if (!by)
                continue;
            cr_assert(is(orma_wide_div_long(product, by), 0, a), "%" PRIx64 " * %" PRIx64, a, by);
            if (numbers[k] > 0)
                cr_assert(is(orma_wide_div(orma_wide_mul_signed(numbers[i], numbers[k]), by),
                             orma_wide_of(numbers[i]).high, a),
                          "%" PRId64 " * %" PRId64, numbers[i], numbers[k]);
        }
    }
}
