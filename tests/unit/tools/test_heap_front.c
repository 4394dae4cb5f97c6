#include <criterion/criterion.h>

#include "tools/heap/front.h"

#define S UINT64_C(1000000000)

Test(heap_front, a_signal_of_long_ago_makes_nobody_impatient)
{
    struct orma_heap_front p = {0};

    orma_heap_front_note(&p, 1 * S); /* the command has handled it */
    cr_assert_not(orma_heap_front_is_impatient(&p, 4000 * S));
    orma_heap_front_note(&p, 4000 * S);
    cr_assert_not(orma_heap_front_is_impatient(&p, 4100 * S), "nobody has asked again");
    orma_heap_front_note(&p, 4100 * S);
    cr_assert(orma_heap_front_is_impatient(&p, 4100 * S), "it had 100 s");
}

Test(heap_front, the_end_has_ten_seconds)
{
    struct orma_heap_front p = {0};

    orma_heap_front_note(&p, 1 * S);
    for (uint64_t t = 4000; t < 4008; t++) {
        orma_heap_front_note(&p, t * S);
        cr_assert_not(orma_heap_front_is_impatient(&p, t * S));
    }
    cr_assert_not(orma_heap_front_is_impatient(&p, 4010 * S));
    cr_assert(orma_heap_front_is_impatient(&p, 4011 * S));
}
