/* Conditions of the flight recorder: how they are written, and what goes by that is odd or hostile.
 */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "sdk/base/buf.h"
#include "sdk/wire/pb_writer.h"
#include "tools/flight/condition.h"
#include "tools/flight/latency.h"
#include "tools/flight/slices.h"

#define MS UINT64_C(1000000)
#define BEGIN UINT64_C(1000000000000)

static unsigned told;
static uint64_t last_moment, last_ns;

static void on_told(void *ctx, unsigned rule, uint64_t moment, uint64_t ns)
{
    (void)ctx;
    cr_assert_eq(rule, 2);
    told++;
    last_moment = moment;
    last_ns = ns;
}

static const struct orma_flight_rule rules[ORMA_FLIGHT_CONDITIONS_MAX] = {[2] = {"req*", 50 * MS}};

static struct orma_flight_slices slices(void)
{
    told = 0;
    return (struct orma_flight_slices){.rules = rules, .told = on_told};
}

/* type 1 begins, 2 ends; `lost`: packets before it. */
static void event(struct orma_flight_slices *s, uint32_t seq, uint64_t ts, unsigned type,
                  const char *name, bool lost)
{
    struct orma_buf b = {0};

    orma_pb_put_u64(&b, 8, ts);
    orma_pb_put_u64(&b, 10, seq);
    if (lost)
        orma_pb_put_u64(&b, 42, 1);
    size_t e = orma_pb_begin(&b, 11);
    orma_pb_put_u64(&b, 9, type);
    if (name)
        orma_pb_put_cstr(&b, 23, name);
    orma_pb_end(&b, e);
    orma_flight_slices_take(s, b.data, b.len);
    orma_buf_fini(&b);
}

Test(flight, conditions_as_people_write_them)
{
    struct orma_flight_condition c;

    cr_assert_null(orma_flight_condition_parse("slice \"a > b\" > 50ms", &c));
    cr_assert_eq(c.kind, ORMA_FLIGHT_SLICE);
    cr_assert_str_eq(c.name, "a > b");
    cr_assert_eq(c.longer_ns, 50 * MS);
    cr_assert_null(orma_flight_condition_parse("  latency  worker 1 >20ms", &c));
    cr_assert_eq(c.kind, ORMA_FLIGHT_LATENCY);
    cr_assert_str_eq(c.name, "worker 1");
    cr_assert_null(orma_flight_condition_parse("select 1", &c));
    cr_assert_eq(c.kind, ORMA_FLIGHT_SQL);
    static const char *const wrong[] = {"",
                                        "slice",
                                        "slice x",
                                        "slice > 5ms",
                                        "slice \"x > 5ms",
                                        "slice x > 0ms",
                                        "slice x > soon",
                                        "selector"};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        cr_assert_not_null(orma_flight_condition_parse(wrong[i], &c), "%s", wrong[i]);
}

Test(flight, a_slice_is_told_once)
{
    struct orma_flight_slices s = slices();

    event(&s, 7, BEGIN, 1, "request", false);
    event(&s, 7, BEGIN + MS, 1, "other", false);
    event(&s, 7, BEGIN + 90 * MS, 2, NULL, false);
    cr_assert_eq(told, 0);
    orma_flight_slices_look(&s, BEGIN + 50 * MS);
    cr_assert_eq(told, 0); /* not longer yet */
    orma_flight_slices_look(&s, BEGIN + 60 * MS);
    orma_flight_slices_look(&s, BEGIN + 70 * MS);
    event(&s, 7, BEGIN + 99 * MS, 2, NULL, false);
    cr_assert_eq(told, 1);
    cr_assert_eq(last_moment, BEGIN + 50 * MS);
    event(&s, 7, BEGIN + 100 * MS, 1, "request", false);
    event(&s, 7, BEGIN + 151 * MS, 2, NULL, false);
    cr_assert_eq(told, 2);
    cr_assert_eq(last_moment, BEGIN + 151 * MS);
    cr_assert_eq(last_ns, 51 * MS);
    event(&s, 7, BEGIN + 200 * MS, 2, NULL, false); /* an end without a begin */
    cr_assert_eq(told, 2);
    orma_flight_slices_fini(&s);
}

Test(flight, what_was_open_when_packets_were_lost_is_unknown)
{
    struct orma_flight_slices s = slices();

    event(&s, 7, BEGIN, 1, "request", false);
    event(&s, 8, BEGIN, 1, "request", false);
    event(&s, 7, BEGIN + 80 * MS, 2, NULL, true); /* of another slice, perhaps */
    cr_assert_eq(told, 0);
    cr_assert_eq(s.forgotten, 1);
    event(&s, 8, BEGIN + 80 * MS, 2, NULL, false);
    cr_assert_eq(told, 1);
    orma_flight_slices_fini(&s);
}

Test(flight, clocks_that_jump_and_stacks_without_end)
{
    struct orma_flight_slices s = slices();

    event(&s, 7, BEGIN + 500 * MS, 1, "request", false);
    event(&s, 7, BEGIN, 2, NULL, false); /* before it began */
    event(&s, 7, BEGIN + 500 * MS, 1, "request", false);
    orma_flight_slices_look(&s, BEGIN);
    cr_assert_eq(told, 0);
    for (unsigned i = 0; i < 100000; i++)
        event(&s, 9, BEGIN + i, 1, "deep", false);
    for (uint32_t i = 0; i < 200000; i++) /* more sequences and tracks than are kept */
        event(&s, 100 + i, BEGIN, 1, "request", false);
    cr_assert_leq(s.tracks.len, 65536);
    orma_flight_slices_fini(&s);
}

/* One packet with so many names, and perhaps with the word that those before are void. */
static void names(struct orma_flight_slices *s, uint32_t seq, unsigned first, unsigned num,
                  bool anew)
{
    struct orma_buf b = {0};

    orma_pb_put_u64(&b, 10, seq);
    orma_pb_put_u64(&b, 13, anew ? 3 : 2);
    size_t data = orma_pb_begin(&b, 12);
    for (unsigned i = 0; i < num; i++) {
        size_t name = orma_pb_begin(&b, 2);

        orma_pb_put_u64(&b, 1, first + i + 1);
        orma_pb_put_cstr(&b, 2, "n");
        orma_pb_end(&b, name);
    }
    orma_pb_end(&b, data);
    orma_flight_slices_take(s, b.data, b.len);
    orma_buf_fini(&b);
}

Test(flight, what_programs_have_is_bounded_in_all)
{
    struct orma_flight_slices s = slices();

    for (uint32_t seq = 1; seq <= 100; seq++) {
        names(&s, seq, 0, 60000, false);
        cr_assert_leq(s.names, 1u << 20);
    }
    cr_assert_gt(s.names_given_up, 4000000);
    for (uint32_t seq = 1; seq <= 100; seq++)
        names(&s, seq, 0, 1, true);
    cr_assert_eq(s.names, 100);
    for (uint32_t seq = 1; seq <= 40000; seq++) {
        for (unsigned i = 0; i < 50; i++)
            event(&s, seq, BEGIN, 1, "request", false);
        cr_assert_leq(s.open, 1u << 20);
    }
    cr_assert_gt(s.given_up, 0);
    orma_flight_slices_fini(&s);
}

/* The tracks of others are not walked through for each of them. */
Test(flight, many_packets_behind_losses, .timeout = 60)
{
    struct orma_flight_slices s = slices();

    for (uint32_t i = 0; i < 30000; i++)
        event(&s, 100 + i, BEGIN, 1, "request", false);
    for (uint32_t i = 0; i < 300000; i++)
        event(&s, 7, BEGIN, 1, "request", true);
    cr_assert_eq(s.forgotten, 299999);
    orma_flight_slices_look(&s, BEGIN + 51 * MS);
    cr_assert_eq(told, 30001);
    orma_flight_slices_fini(&s);
}

Test(flight, bytes_of_all_kinds)
{
    struct orma_flight_slices s = slices();
    struct orma_flight_latency l = {.rules = rules, .told = on_told};
    uint8_t bytes[64];

    srand(36);
    for (unsigned n = 0; n < 300000; n++) {
        size_t len = (size_t)rand() % sizeof(bytes);

        for (size_t i = 0; i < len; i++)
            bytes[i] = (uint8_t)(rand() % 3 ? rand() % 128 : rand());
        uint8_t *own = malloc(len + 1); /* so that a sanitizer sees what lies behind it */
        for (size_t i = 0; i < len; i++)
            own[i] = bytes[i];
        orma_flight_slices_take(&s, own, len);
        orma_flight_latency_take(&l, own, len);
        free(own);
    }
    s.told = l.told = NULL; /* nothing that is long enough for a time */
    orma_flight_slices_fini(&s);
    orma_flight_latency_fini(&l);
}

static void sched(struct orma_flight_latency *l, unsigned field, uint64_t ts, int prev,
                  unsigned state, int next, const char *comm)
{
    struct orma_buf b = {0};
    size_t bundle = orma_pb_begin(&b, 1);
    size_t e = orma_pb_begin(&b, 2);

    orma_pb_put_u64(&b, 1, ts);
    size_t f = orma_pb_begin(&b, field);
    if (field == 4) {
        orma_pb_put_u64(&b, 2, (uint64_t)prev);
        orma_pb_put_u64(&b, 4, state);
        orma_pb_put_cstr(&b, 5, comm);
        orma_pb_put_u64(&b, 6, (uint64_t)next);
    } else {
        orma_pb_put_u64(&b, 2, (uint64_t)next);
    }
    orma_pb_end(&b, f);
    orma_pb_end(&b, e);
    orma_pb_end(&b, bundle);
    orma_flight_latency_take(l, b.data, b.len);
    orma_buf_fini(&b);
}

Test(flight, waits_for_a_cpu_are_told_in_the_order_of_time)
{
    struct orma_flight_latency l = {.rules = rules, .told = on_told};

    told = 0;
    sched(&l, 4, BEGIN + 60 * MS, 1, 1, 5, "request"); /* comes before its waking */
    sched(&l, 20, BEGIN, 0, 0, 5, NULL);
    sched(&l, 20, BEGIN, 0, 0, 6, NULL);
    orma_flight_latency_look(&l, BEGIN + 50 * MS);
    cr_assert_eq(told, 0);
    orma_flight_latency_look(&l, BEGIN + 100 * MS);
    cr_assert_eq(told, 1);
    cr_assert_eq(last_ns, 60 * MS);
    sched(&l, 4, BEGIN + 110 * MS, 5, 0, 7, "x");       /* taken from it while it could run */
    sched(&l, 4, BEGIN + 165 * MS, 7, 1, 5, "request"); /* 55 ms later */
    sched(&l, 4, BEGIN + 170 * MS, 5, 1, 6, "other");   /* waited long, under another name */
    sched(&l, 4, BEGIN + 300 * MS, 6, 1, 5, "request"); /* slept: no wait is known */
    orma_flight_latency_look(&l, UINT64_MAX);
    cr_assert_eq(told, 2);
    cr_assert_eq(last_ns, 55 * MS);
    orma_flight_latency_fini(&l);
}
