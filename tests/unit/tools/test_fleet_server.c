/* How long a server may take that answers, but never to the end. */
#include <criterion/criterion.h>

#include "tools/fleet/server.h"

/* When it is given up; 0: within a day it is not. */
static int64_t given_up(int64_t bytes_per_second)
{
    for (int64_t s = 1; s < 86400; s++) {
        if (!orma_fleet_may_wait(s, s * bytes_per_second))
            return s;
    }
    return 0;
}

Test(fleet_server, one_that_drips_has_an_end)
{
    cr_assert_eq(given_up(0), ORMA_FLEET_ANSWER_S + 1);
    cr_assert_eq(given_up(1), ORMA_FLEET_ANSWER_S + 1);
    cr_assert_lt(given_up(ORMA_FLEET_ANSWER_SPEED / 2), 3 * ORMA_FLEET_ANSWER_S);
}

Test(fleet_server, a_long_answer_may_take_long)
{
    cr_assert_eq(given_up(ORMA_FLEET_ANSWER_SPEED), 0);
    cr_assert(orma_fleet_may_wait(ORMA_FLEET_ANSWER_S, 0));
}
