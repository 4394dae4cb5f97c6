#include "traced/sessions/machine.h"

#include <criterion/criterion.h>
#include <stdlib.h>

#include "sdk/base/clock.h"
#include "tests/support/leaks.h"

#define HOUR UINT64_C(3600000000000)

static struct traced_machine *machine_new(void)
{
    return calloc(1, sizeof(struct traced_machine));
}

static void machine_free(struct traced_machine *m)
{
    ORMA_VEC_FINI(&m->ties);
    free(m);
}

static const char relays[2];

static void exchange_by(struct traced_machine *m, unsigned relay, bool is_ping, uint64_t client,
                        uint64_t host)
{
    struct traced_exchange x = {.client_num = 1};

    x.client[0].id = ORMA_CLOCK_BOOTTIME;
    x.client[0].ts = client;
    x.host.now[0] = host;
    traced_machine_add_exchange(m, &relays[relay], is_ping, &x);
}

static void exchange(struct traced_machine *m, bool is_ping, uint64_t client, uint64_t host)
{
    exchange_by(m, 0, is_ping, client, host);
}

/* Theirs is ahead by `ahead`; each way takes 10 ns. */
static void round_at(struct traced_machine *m, uint64_t host, uint64_t ahead)
{
    exchange(m, true, host + ahead - 10, host);
    exchange(m, false, host + ahead + 10, host + 10);
}

Test(machine, bounds_are_those_of_all_rounds)
{
    struct traced_machine *m = machine_new();

    round_at(m, HOUR, 5000);
    cr_assert(m->has_known);
    cr_assert_eq(m->known.at_least, 5000);
    cr_assert_eq(m->known.at_most, 5010);
    exchange(m, true, HOUR + 100 + 4000, HOUR + 100); /* slow ways say less */
    exchange(m, false, HOUR + 100 + 9000, HOUR + 4100);
    cr_assert_eq(m->known.at_least, 5000);
    cr_assert_eq(m->known.at_most, 5010);
    machine_free(m);
    orma_assert_no_leaks();
}

/* Relays of others say what they like. */
Test(machine, clocks_that_cannot_be_are_no_rounds)
{
    static const uint64_t aheads[] = {UINT64_C(1) << 63, (UINT64_C(1) << 63) + 20,
                                      (UINT64_C(1) << 63) - 30, UINT64_C(1) << 62,
                                      -(UINT64_C(1) << 62)};

    for (size_t i = 0; i < sizeof(aheads) / sizeof(*aheads); i++) {
        struct traced_machine *m = machine_new();

        round_at(m, HOUR, aheads[i]);
        round_at(m, 2 * HOUR, aheads[i]);
        cr_assert(!m->has_known, "%zu", i);
        machine_free(m);
    }
    orma_assert_no_leaks();
}

/* The clocks are the same. The update of the second relay was sent before the ping of the first
 * arrived, so nothing says that it was read later. */
Test(machine, a_round_is_of_one_relay)
{
    struct traced_machine *m = machine_new();

    exchange_by(m, 1, true, HOUR, HOUR + 10);
    exchange_by(m, 0, true, HOUR + 20, HOUR + 100);
    exchange_by(m, 1, false, HOUR + 50, HOUR + 110);
    cr_assert(!m->has_known);
    exchange_by(m, 0, false, HOUR + 120, HOUR + 130);
    cr_assert(m->has_known);
    cr_assert_leq(m->known.at_least, 0);
    cr_assert_geq(m->known.at_most, 0);
    machine_free(m);
    orma_assert_no_leaks();
}
