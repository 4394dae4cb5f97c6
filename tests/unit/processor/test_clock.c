#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

#include "processor/read/clock.h"
#include "sdk/base/defs.h"
#include "tests/support/leaks.h"

enum { REAL = 1, MONO = 3, BOOT = 6, USER = 200 };

static bool add(struct orma_clocks *c, uint64_t a, int64_t a_ns, uint64_t b, int64_t b_ns)
{
    const struct orma_clock_value v[] = {{a, a_ns, 1, false}, {b, b_ns, 1, false}};

    return orma_clocks_add(c, v, 2, BOOT);
}

static int64_t to(struct orma_clocks *c, uint64_t from, int64_t ns, uint64_t target)
{
    int64_t ret = -1;

    cr_assert_eq(orma_clocks_convert(c, from, ns, target, &ret, NULL), ORMA_CLOCK_OK);
    return ret;
}

Test(clock, uses_the_last_snapshot_that_is_not_later_or_the_first_of_all)
{
    struct orma_clocks c = {0};
    struct orma_clock_span span;
    int64_t ret;

    cr_assert(add(&c, MONO, 1000, BOOT, 5000));
    cr_assert(add(&c, MONO, 2000, BOOT, 6100));
    static const struct {
        int64_t mono, boot;
    } cases[] = {{0, 4000}, {1000, 5000}, {1999, 5999}, {2000, 6100}, {9000, 13100}};
    for (unsigned i = 0; i < ORMA_ARRAY_LEN(cases); i++)
        cr_assert_eq(to(&c, MONO, cases[i].mono, BOOT), cases[i].boot);
    orma_clocks_convert(&c, MONO, 1500, BOOT, &ret, &span);
    cr_assert_eq(span.lo, INT64_MIN);
    cr_assert_eq(span.hi, 2000);
    cr_assert_eq(span.offset, 4000);
    cr_assert_eq(to(&c, MONO, 77, MONO), 77);
    orma_clocks_fini(&c);
    orma_assert_no_leaks();
}

/* 1000 that are to be taken back, while 1,000,000 go by. */
Test(clock, a_difference_may_change_evenly_and_turns_nothing_round)
{
    struct orma_clocks c = {0};
    const struct orma_clock_value both[] = {{MONO, 0, 1, false}, {BOOT, 0, 1, false}};
    int64_t before = 0;

    cr_assert(add(&c, MONO, 0, BOOT, 50));
    cr_assert(add(&c, MONO, 5000, BOOT, 5050));
    orma_clocks_go_evenly(&c, both, 2);
    cr_assert_eq(to(&c, MONO, 6000, BOOT), 6050, "there is no next one yet");
    cr_assert(add(&c, MONO, 1005000, BOOT, 1004050));
    cr_assert_eq(to(&c, MONO, 4999, BOOT), 5049);
    cr_assert_eq(to(&c, MONO, 5000, BOOT), 5050);
    cr_assert_eq(to(&c, MONO, 505000, BOOT), 504550);
    cr_assert_eq(to(&c, MONO, 1005000, BOOT), 1004050);
    cr_assert_eq(to(&c, MONO, 2005000, BOOT), 2004050);
    for (int64_t ns = 4000; ns < 1010000; ns++) {
        int64_t now = to(&c, MONO, ns, BOOT);

        cr_assert_geq(now, before);
        before = now;
    }
    orma_clocks_fini(&c);
    orma_assert_no_leaks();
}

Test(clock, goes_several_hops_each_with_snapshots_of_its_kind)
{
    struct orma_clocks c = {0};
    struct orma_clock_span span;
    int64_t ret;

    cr_assert(add(&c, USER, 0, MONO, 100));
    cr_assert(add(&c, MONO, 100, REAL, 1000));
    cr_assert(add(&c, MONO, 200, REAL, 5000));
    cr_assert(add(&c, REAL, 1000, BOOT, 7000));
    cr_assert_eq(to(&c, USER, 10, BOOT), 7010);
    cr_assert_eq(to(&c, USER, 100, BOOT), 11000);
    orma_clocks_convert(&c, USER, 10, BOOT, &ret, &span);
    cr_assert_eq(span.hi, 100); /* where the second hop takes its other snapshot */
    orma_clocks_fini(&c);
    orma_assert_no_leaks();
}

Test(clock, tells_why_it_can_not_convert)
{
    struct orma_clocks c = {0};
    int64_t ret;

    cr_assert_eq(orma_clocks_convert(&c, MONO, 1, BOOT, &ret, NULL), ORMA_CLOCK_UNKNOWN_SOURCE);
    cr_assert(add(&c, MONO, 1, REAL, 1));
    cr_assert_eq(orma_clocks_convert(&c, MONO, 1, BOOT, &ret, NULL), ORMA_CLOCK_UNKNOWN_TARGET);
    cr_assert(add(&c, BOOT, 1, USER, 1));
    cr_assert_eq(orma_clocks_convert(&c, MONO, 1, BOOT, &ret, NULL), ORMA_CLOCK_NO_PATH);
    orma_clocks_fini(&c);
    orma_assert_no_leaks();
}

Test(clock, refuses_snapshots_that_contradict_earlier_ones)
{
    struct orma_clocks c = {0};
    const struct orma_clock_value twice[] = {{MONO, 1, 1, false}, {MONO, 2, 1, false}};
    const struct orma_clock_value unit[] = {{MONO, 1, 1000, false}, {BOOT, 9, 1, false}};
    const struct orma_clock_value trace_unit[] = {{BOOT, 9, 1000, false}};

    cr_assert(add(&c, MONO, 1000, BOOT, 5000));
    cr_assert(!orma_clocks_add(&c, twice, 2, BOOT));
    cr_assert(!orma_clocks_add(&c, unit, 2, BOOT));
    cr_assert(!orma_clocks_add(&c, trace_unit, 1, BOOT));
    cr_assert(!add(&c, MONO, 2000, BOOT, 4000)); /* the trace's clock went back */
    cr_assert(!orma_clocks_add(&c, NULL, 0, BOOT));
    cr_assert_eq(to(&c, MONO, 1000, BOOT), 5000);
    orma_clocks_fini(&c);
    orma_assert_no_leaks();
}

Test(clock, a_clock_seen_going_back_is_a_target_only)
{
    struct orma_clocks c = {0};
    int64_t ret;

    cr_assert(add(&c, REAL, 1000, BOOT, 5000));
    cr_assert(add(&c, REAL, 500, BOOT, 6000));
    cr_assert_eq(orma_clocks_convert(&c, REAL, 700, BOOT, &ret, NULL), ORMA_CLOCK_NO_PATH);
    cr_assert_eq(to(&c, BOOT, 6100, REAL), 600);
    orma_clocks_fini(&c);
    orma_assert_no_leaks();
}
