#include <criterion/criterion.h>

#include <math.h>
#include <stdint.h>

#include "tools/report/noise.h"

#define BLOCKS ORMA_REPORT_NOISE_BLOCKS
#define NAMES 5
#define RUNS 2000

static uint64_t seed;

/* Evenly between 0 and 1. */
static double evenly(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return ((double)(seed >> 12) + 0.5) / (double)(UINT64_C(1) << 52);
}

static double normal(void)
{
    return sqrt(-2 * log(evenly())) * cos(2 * M_PI * evenly());
}

static double heavy_tail(void)
{
    return pow(evenly(), -1 / 1.5);
}

static double two_modes(void)
{
    return evenly() < 0.3 ? 4 : 1;
}

static double spread(void)
{
    return 10 + normal();
}

/* Each number resembles the one before it. */
static double wandering(void)
{
    static double at = 10;

    at = 10 + 0.5 * (at - 10) + normal();
    return at;
}

static struct orma_report_noise_pair pair_of(double (*draw)(void), double factor)
{
    struct orma_report_noise_pair ret;

    for (int i = 0; i < 2 * BLOCKS; i++)
        ret.side[i / BLOCKS].block[i % BLOCKS] = draw() * (i < BLOCKS ? 1 : factor);
    return ret;
}

static bool differ(const struct orma_report_noise_pair *pair, double p)
{
    struct orma_report_noise_test t = orma_report_noise_compare(pair, p);

    return fabs(t.mean[1] - t.mean[0]) > t.within;
}

Test(noise, equal_series_differ_as_rarely_as_promised)
{
    static const struct {
        const char *what;
        double (*draw)(void);
    } cases[] = {{"normal", spread},
                 {"heavy tails", heavy_tail},
                 {"two modes", two_modes},
                 {"wandering", wandering}};

    seed = 4711;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        int wrong = 0;

        for (int run = 0; run < RUNS; run++) {
            struct orma_report_noise_pair pair = pair_of(cases[i].draw, 1);

            wrong += differ(&pair, 0.01);
        }
        cr_expect_leq(wrong, RUNS / 25, "%s: %d", cases[i].what, wrong);
    }
}

Test(noise, a_difference_beyond_the_spread_is_seen)
{
    int seen = 0;

    seed = 4712;
    for (int run = 0; run < RUNS; run++) {
        struct orma_report_noise_pair pair = pair_of(spread, 1.3);

        seen += differ(&pair, 0.01);
    }
    cr_expect_geq(seen, RUNS * 95 / 100, "%d", seen);
}

Test(noise, one_block_says_nothing)
{
    struct orma_report_noise_pair pair;

    for (int i = 0; i < 2 * BLOCKS; i++)
        pair.side[i / BLOCKS].block[i % BLOCKS] = i == 3 ? 1e9 : 0;
    cr_expect(!differ(&pair, 0.01), "all of it is in one block");
}

Test(noise, t_quantiles_are_those_of_tables)
{
    cr_expect_float_eq(orma_report_noise_t_quantile(0.025, 18), 2.101, 0.005);
    cr_expect_float_eq(orma_report_noise_t_quantile(0.005, 18), 2.878, 0.01);
    cr_expect_float_eq(orma_report_noise_t_quantile(0.0005, 18), 3.922, 0.05);
}

/* Names whose times all follow the machine, and the first one changes by itself. */
static void make_names(struct orma_report_noise_pair *pairs,
                       struct orma_report_noise_member *members, double machine, double factor)
{
    double pace[2 * BLOCKS];

    for (int i = 0; i < 2 * BLOCKS; i++)
        pace[i] = (1 + 0.05 * normal()) * (i < BLOCKS ? 1 : machine);
    for (int j = 0; j < NAMES; j++) {
        for (int i = 0; i < 2 * BLOCKS; i++)
            pairs[j].side[i / BLOCKS].block[i % BLOCKS] =
                1000 * (j + 1) * pace[i] * (1 + 0.005 * normal()) * (j || i < BLOCKS ? 1 : factor);
        members[j] = (struct orma_report_noise_member){&pairs[j], 0.01};
    }
}

Test(noise, the_change_of_one_name_is_not_shared)
{
    static const double machines[] = {0.94, 1, 1.06}, factors[] = {0.5, 0.95, 1, 1.05, 2};

    seed = 4713;
    for (size_t m = 0; m < 3; m++) {
        for (size_t f = 0; f < 5; f++) {
            struct orma_report_noise_pair pairs[NAMES], factor;
            struct orma_report_noise_member members[NAMES];

            make_names(pairs, members, machines[m], factors[f]);
            orma_report_noise_common(members, NAMES, 0.01, 0.1, &factor);
            for (int j = 0; j < NAMES; j++) {
                orma_report_noise_divide(&pairs[j], &factor);
                struct orma_report_noise_test t = orma_report_noise_compare(&pairs[j], 0.01);
                double part = t.mean[1] / t.mean[0], wanted = j ? 1 : factors[f];

                cr_expect_float_eq(part / wanted, 1, 0.02, "machine %g, factor %g, name %d: %g",
                                   machines[m], factors[f], j, part);
            }
        }
    }
}

Test(noise, what_is_no_noise_is_not_divided_out)
{
    struct orma_report_noise_pair pairs[NAMES], factors;
    struct orma_report_noise_member members[NAMES];

    seed = 4714;
    make_names(pairs, members, 2, 1);
    cr_expect_eq(orma_report_noise_common(members, NAMES, 0.01, 0.1, &factors), 0);
    cr_expect_eq(factors.side[1].block[3], 1);
}

Test(noise, two_names_share_nothing)
{
    struct orma_report_noise_pair pairs[NAMES], factors;
    struct orma_report_noise_member members[NAMES];

    seed = 4715;
    make_names(pairs, members, 1.05, 1);
    cr_expect_eq(orma_report_noise_common(members, 2, 0.01, 0.1, &factors), 0);
    cr_expect_eq(orma_report_noise_common(members, 0, 0.01, 0.1, &factors), 0);
    cr_expect_eq(factors.side[0].block[0], 1);
}

Test(noise, only_numbers_above_zero_in_all_blocks_are_steady)
{
    struct orma_report_noise_pair pair = pair_of(two_modes, 1);

    cr_expect(orma_report_noise_is_steady(&pair));
    pair.side[1].block[2] = 0;
    cr_expect(!orma_report_noise_is_steady(&pair));
    pair.side[1].block[2] = NAN;
    cr_expect(!orma_report_noise_is_steady(&pair));
}
