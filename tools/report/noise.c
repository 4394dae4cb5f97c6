/*
 * The mean of n blocks with spread s has the error s / sqrt(n), if blocks are independent. If each
 * resembles the one before it by r (the correlation at lag 1, of both traces), it is as if there
 * were n (1 - r) / (1 + r) of them.
 *
 * What all share: names that changed by themselves must not have a say in it. With the change d of
 * a name (of its logarithms) and its uncertainty s, the shared change is where most names agree,
 * the maximum of sum(exp(-(d - x)^2 / 2 s^2)). The share of a block is the mean over names, each
 * weighed by its agreement and by 1 / s^2. How much names differ from block to block beside the
 * others, which is a part of s, is seen from the median over all.
 */
#include "tools/report/noise.h"

#include <math.h>
#include <stdlib.h>

#define BLOCKS ORMA_REPORT_NOISE_BLOCKS
#define COMMON_MIN 3 /* of two names, either may be the one that changed */
#define CANDIDATES 64
#define REFINEMENTS 8
#define RESEMBLANCE_MAX 0.6 /* ten blocks cannot tell more */

struct estimate {
    double num, mean;
    double squares; /* of distances from the mean */
    double lagged;  /* products of distances of neighbours */
};

static struct estimate estimate(const struct orma_report_noise_series *s)
{
    struct estimate e = {0};
    double last = NAN;

    for (size_t i = 0; i < BLOCKS; i++) {
        if (!isnan(s->block[i])) {
            e.num++;
            e.mean += s->block[i];
        }
    }
    e.mean /= fmax(e.num, 1);
    for (size_t i = 0; i < BLOCKS; i++) {
        double off = s->block[i] - e.mean;

        if (!isnan(off))
            e.squares += off * off;
        if (!isnan(off) && !isnan(last))
            e.lagged += off * last;
        last = off;
    }
    return e;
}

/* The square of the error of the mean. */
static double error_squared(const struct estimate *e, double resemblance)
{
    if (e->num < 2)
        return 0;
    return e->squares / (e->num - 1) / e->num * (1 + resemblance) / (1 - resemblance);
}

/* The value that a standard normal variable exceeds with probability p: Abramowitz, Stegun
 * 26.2.23. */
static double normal_quantile(double p)
{
    double t = sqrt(-2 * log(p));

    return t - (2.515517 + 0.802853 * t + 0.010328 * t * t) /
                   (1 + 1.432788 * t + 0.189269 * t * t + 0.001308 * t * t * t);
}

/* Its expansion in 1 / freedom. */
double orma_report_noise_t_quantile(double p, double freedom)
{
    double z = normal_quantile(p), z3 = z * z * z, z5 = z3 * z * z, z7 = z5 * z * z, f = freedom;

    return z + (z3 + z) / (4 * f) + (5 * z5 + 16 * z3 + 3 * z) / (96 * f * f) +
           (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * f * f * f);
}

struct orma_report_noise_test orma_report_noise_compare(const struct orma_report_noise_pair *pair,
                                                        double p)
{
    struct estimate a = estimate(&pair->side[0]), b = estimate(&pair->side[1]);
    double squares = a.squares + b.squares;
    /* What is seen of a resemblance r in so few blocks is r - (1 + 4 r) / n. */
    double r = squares > 0 ? (a.lagged + b.lagged) / squares : 0;
    double freedom = fmax(a.num + b.num - 2, 1);

    r = fmin(fmax((r + 1.0 / BLOCKS) / (1 - 4.0 / BLOCKS), 0), RESEMBLANCE_MAX);
    return (struct orma_report_noise_test){.mean = {a.mean, b.mean},
                                           .within =
                                               orma_report_noise_t_quantile(p / 2, freedom) *
                                               sqrt(error_squared(&a, r) + error_squared(&b, r))};
}

/* ---- what all share ---- */

bool orma_report_noise_is_steady(const struct orma_report_noise_pair *pair)
{
    for (size_t i = 0; i < 2 * (size_t)BLOCKS; i++) {
        if (!(pair->side[i / BLOCKS].block[i % BLOCKS] > 0))
            return false;
    }
    return true;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

static double median(double *values, size_t num)
{
    qsort(values, num, sizeof(*values), by_value);
    return (values[(num - 1) / 2] + values[num / 2]) / 2;
}

struct common {
    size_t num;
    struct orma_report_noise_pair *logs; /* of each member, around 0 */
    double *change, *error, *room;       /* of each */
};

/* Logarithms less their mean in both traces, each trace with the same weight. */
static void take_logs(const struct orma_report_noise_pair *pair, struct orma_report_noise_pair *ret)
{
    double sum = 0;

    for (size_t i = 0; i < 2 * (size_t)BLOCKS; i++) {
        double value = log(pair->side[i / BLOCKS].block[i % BLOCKS]);

        ret->side[i / BLOCKS].block[i % BLOCKS] = value;
        sum += value;
    }
    for (size_t i = 0; i < 2 * (size_t)BLOCKS; i++)
        ret->side[i / BLOCKS].block[i % BLOCKS] -= sum / (2 * BLOCKS);
}

/* How far each is from the others in each block is its error, and what it changed by its change. */
static void estimate_members(struct common *c, const struct orma_report_noise_member *members)
{
    struct orma_report_noise_pair middle, beside;

    for (size_t i = 0; i < 2 * (size_t)BLOCKS; i++) {
        for (size_t j = 0; j < c->num; j++)
            c->room[j] = c->logs[j].side[i / BLOCKS].block[i % BLOCKS];
        middle.side[i / BLOCKS].block[i % BLOCKS] = median(c->room, c->num);
    }
    for (size_t j = 0; j < c->num; j++) {
        for (size_t i = 0; i < 2 * (size_t)BLOCKS; i++)
            beside.side[i / BLOCKS].block[i % BLOCKS] =
                c->logs[j].side[i / BLOCKS].block[i % BLOCKS] -
                middle.side[i / BLOCKS].block[i % BLOCKS];
        struct estimate a = estimate(&beside.side[0]), b = estimate(&beside.side[1]);
        double squares = error_squared(&a, 0) + error_squared(&b, 0);

        c->error[j] = sqrt(squares + members[j].own * members[j].own);
        c->change[j] = estimate(&c->logs[j].side[1]).mean - estimate(&c->logs[j].side[0]).mean;
    }
}

static double agreement(const struct common *c, size_t j, double at)
{
    double off = (c->change[j] - at) / c->error[j];

    return exp(-off * off / 2);
}

/* Where most agree. Changes of some members are tried, of many if there are few. */
static double shared_change(const struct common *c)
{
    size_t step = 1 + c->num / CANDIDATES;
    double best = 0, most = -1;

    for (size_t i = 0; i < c->num; i += step) {
        double sum = 0;

        for (size_t j = 0; j < c->num; j++)
            sum += agreement(c, j, c->change[i]);
        if (sum > most) {
            most = sum;
            best = c->change[i];
        }
    }
    for (int i = 0; i < REFINEMENTS; i++) {
        double sum = 0, weights = 0;

        for (size_t j = 0; j < c->num; j++) {
            double weight = agreement(c, j, best) / (c->error[j] * c->error[j]);

            sum += weight * c->change[j];
            weights += weight;
        }
        best = sum / weights; /* it begins at one of them: its weight is not 0 */
    }
    return best;
}

static struct orma_report_noise_pair shared_series(const struct common *c, double at)
{
    struct orma_report_noise_pair ret = {0};
    double weights = 0;

    for (size_t j = 0; j < c->num; j++)
        weights += c->room[j] = agreement(c, j, at) / (c->error[j] * c->error[j]);
    for (size_t j = 0; j < c->num; j++) {
        for (size_t i = 0; i < 2 * (size_t)BLOCKS; i++)
            ret.side[i / BLOCKS].block[i % BLOCKS] +=
                c->room[j] / weights * c->logs[j].side[i / BLOCKS].block[i % BLOCKS];
    }
    return ret;
}

double orma_report_noise_common(const struct orma_report_noise_member *members, size_t num,
                                double p, double between, struct orma_report_noise_pair *ret)
{
    struct common c = {.num = num, .logs = calloc(num + 1, sizeof(*c.logs))};
    double *rooms = calloc(num + 1, 3 * sizeof(*rooms)), change = 0;
    struct orma_report_noise_pair logs = {0};

    if (num >= COMMON_MIN && c.logs && rooms) {
        c.change = rooms;
        c.error = rooms + num;
        c.room = rooms + 2 * num;
        for (size_t j = 0; j < num; j++)
            take_logs(members[j].pair, &c.logs[j]);
        estimate_members(&c, members);
        logs = shared_series(&c, shared_change(&c));
        struct orma_report_noise_test test = orma_report_noise_compare(&logs, p);
        change = test.mean[1] - test.mean[0];
        if (fabs(change) > hypot(test.within, between)) {
            change = 0;
            logs = (struct orma_report_noise_pair){0};
        }
    }
    free(c.logs);
    free(rooms);
    for (size_t i = 0; i < 2 * (size_t)BLOCKS; i++)
        ret->side[i / BLOCKS].block[i % BLOCKS] = exp(logs.side[i / BLOCKS].block[i % BLOCKS]);
    return expm1(change);
}

void orma_report_noise_divide(struct orma_report_noise_pair *pair,
                              const struct orma_report_noise_pair *factors)
{
    for (size_t i = 0; i < 2 * (size_t)BLOCKS; i++)
        pair->side[i / BLOCKS].block[i % BLOCKS] /= factors->side[i / BLOCKS].block[i % BLOCKS];
}
