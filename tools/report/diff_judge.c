/*
 * Each number that a section compares becomes a test, and after all are counted, each is judged:
 *
 *     |b - a| > sqrt(within^2 + between^2 + others^2)
 *
 * `within` comes from the blocks (noise.h), with false alarms in 0.05 / sections / tests of it.
 * `sections`: those with tests; `tests`: of this section, so that thousands of stacks do not hide
 * what one slice tells. `between` is what recordings of the same differ by anyhow. `others` is the
 * part of the CPUs that went to threads that are not compared: that much of a sum, or of a mean
 * with all its waits, may be their doing; medians do not see it. Where events were lost, sums say
 * nothing: they are no tests. Where switches are missing, a thread may have run, waited or slept
 * longer by all the time of its states whose ends are unknown: a change must be larger than that.
 *
 * Programs that began and ended in both traces are compared by run, not by second: "it takes four
 * times as long" is no rate. One run tells nothing of noise, so a change must be larger than what
 * runs of equal programs differ by on a busy machine. The same holds of samples where all that was
 * sampled is a command, from begin to end: their noise is that of counting.
 */
#include "tools/report/diff_parts.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "sdk/base/vec.h"
#include "tools/report/noise.h"
#include "tools/report/notes.h"

#define BLOCKS_MIN 4 /* fewer tell nothing of noise */
/* One name beside the others, where most are: that much, or that long (caches, being recorded). */
#define OWN_NOISE 0.01
#define OWN_NOISE_NS 300
/* What all names share may differ by more: nothing tells it from another speed of the machine. */
#define BETWEEN_MACHINES 0.1
#define COMMON_MIN                                                                                 \
    (5 * ORMA_REPORT_NOISE_BLOCKS) /* so often a name is there that says what all share */
/* A sum of times that changed by less, per second, is not worth a line: of slices, or of threads.
 */
#define MORE_MIN_NS 5e5
#define MORE_MIN_OF_THREADS_NS 5e6
#define FEW_LIVES_NOISE 0.5 /* they hold waits for everything */
#define RUNS_NOISE BETWEEN_MACHINES
#define LIVES_NOISE 0.25
#define SAMPLES_MIN 10 /* of a function in a run */
#define FALSE_ALARMS 0.05

/* Events of the kind that these are about were lost: sums are too low by nobody knows how much. */
static bool is_short(const struct orma_report_notes *notes, const struct orma_diff_section *s)
{
    return notes->trace.len || ((s->basis & ORMA_REPORT_OF_KERNEL) && notes->kernel.len);
}

bool orma_diff_is_run_of_samples(const struct orma_diff *d, const struct orma_diff_section *s)
{
    return s->counts && d->samples != ORMA_DIFF_BY_SECOND;
}

bool orma_diff_is_time_of_samples(const struct orma_diff *d, const struct orma_diff_section *s)
{
    return s->counts && (d->timed || d->samples == ORMA_DIFF_BY_TIME);
}

bool orma_diff_can_test(const struct orma_diff *d, const struct orma_diff_change *c,
                        enum orma_diff_metric m)
{
    const struct orma_diff_sums *a = &c->side[0], *b = &c->side[1];

    if (!(c->section->metrics & (1U << m)))
        return false;
    if (orma_diff_is_run_of_samples(d, c->section))
        return fmax(a->n, b->n) >= SAMPLES_MIN && !is_short(&d->notes[0], c->section) &&
               !is_short(&d->notes[1], c->section);
    if (c->section->of_runs)
        return a->n && b->n && !is_short(&d->notes[0], c->section) &&
               !is_short(&d->notes[1], c->section);
    if (m == ORMA_DIFF_TOTAL &&
        (is_short(&d->notes[0], c->section) || is_short(&d->notes[1], c->section)))
        return false;
    if (m == ORMA_DIFF_TOTAL)
        return fmax(a->blocks, b->blocks) >= BLOCKS_MIN;
    return fmin(a->blocks, b->blocks) >= BLOCKS_MIN;
}

static double noise_of_runs(const struct orma_diff_change *c,
                            const struct orma_report_noise_test *test)
{
    const struct orma_diff_sums *a = &c->side[0], *b = &c->side[1];
    double more = fmax(test->mean[0], test->mean[1]), unknown = fmax(a->unknown, b->unknown);

    if (fmin(a->blocks, b->blocks) < BLOCKS_MIN)
        return unknown + more * (c->section->of_wall ? FEW_LIVES_NOISE : ORMA_DIFF_FEW_RUNS_NOISE);
    return unknown + hypot(test->within, more * (c->section->of_wall ? LIVES_NOISE : RUNS_NOISE));
}

/* What of a difference could be noise; `p`: how often a test may be wrong. */
static double noise_of(const struct orma_diff *d, const struct orma_diff_change *c,
                       enum orma_diff_metric m, const struct orma_report_noise_test *test)
{
    double between = ORMA_DIFF_BETWEEN_RECORDINGS * test->mean[0];
    double own =
        m == ORMA_DIFF_MEDIAN && c->section->basis ? OWN_NOISE_NS : 0; /* calls are short */
    double others = m == ORMA_DIFF_MEDIAN ? 0 : d->others * fmax(test->mean[0], test->mean[1]);

    if (c->section->of_runs)
        return noise_of_runs(c, test);
    if (c->section->of_wall) { /* of 1e9 ns in a second */
        between = ORMA_DIFF_BETWEEN_RECORDINGS * 1e9;
        others = d->others * 1e9;
    }
    return sqrt(test->within * test->within + between * between + own * own + others * others) +
           (m == ORMA_DIFF_TOTAL ? c->side[test->mean[1] < test->mean[0]].unknown : 0);
}

/* Sums of samples of one run each: so many may be chance (the error of a count is its square root),
 * and the runs differ anyhow. */
static struct orma_report_noise_test compare_samples(const struct orma_diff_change *c, double p)
{
    struct orma_report_noise_test test = {.mean = {c->side[0].total, c->side[1].total}};
    double squares = 0;

    for (unsigned i = 0; i < 2; i++) {
        const struct orma_diff_sums *s = &c->side[i], *other = &c->side[!i];
        double one = s->n ? s->total / s->n : other->total / other->n;

        squares += one * one * fmax(s->n, 1);
        test.mean[i] = s->n ? s->total : 0;
    }
    test.within = orma_report_noise_t_quantile(p / 2, 1e9) * sqrt(squares);
    return test;
}

static bool is_worth_a_line(const struct orma_diff_change *c, enum orma_diff_metric m, double more)
{
    if (c->section->counts)
        return true;
    if (c->section->basis)
        return fabs(more) >=
               (m == ORMA_DIFF_TOTAL || c->section->of_runs ? MORE_MIN_OF_THREADS_NS : MORE_MIN_NS);
    return m != ORMA_DIFF_TOTAL || fabs(more) >= MORE_MIN_NS; /* a slice may be rare, and matter */
}

static void judge_metric(struct orma_diff *d, struct orma_diff_change *c, enum orma_diff_metric m,
                         double p)
{
    bool run = orma_diff_is_run_of_samples(d, c->section);
    struct orma_report_noise_test test =
        run ? compare_samples(c, p) : orma_report_noise_compare(&c->value[m], p);
    double from = test.mean[0], delta = test.mean[1] - from;
    double noise = run ? hypot(test.within, ORMA_DIFF_FEW_RUNS_NOISE * fmax(from, test.mean[1]))
                       : noise_of(d, c, m, &test);
    double more = m == ORMA_DIFF_TOTAL  ? delta
                  : c->section->of_runs ? delta * c->side[1].n
                                        : delta * c->side[1].n / d->seconds[1];

    if (fabs(delta) <= noise || !is_worth_a_line(c, m, more))
        return;
    /* The number of a call says more than a sum, where both changed. */
    if (c->listed && m == ORMA_DIFF_TOTAL)
        return;
    c->listed = true;
    c->metric = m;
    c->more = more;
    c->part = from > 0 ? delta / from : INFINITY;
    c->noise = from > 0 ? noise / from : INFINITY;
}

/* How often a test of this section may be wrong. */
static double false_alarms(const struct orma_diff *d, const struct orma_diff_section *s)
{
    return FALSE_ALARMS / d->sections / fmax(d->tests[s - orma_diff_sections], 1);
}

/* By what part the duration of a name may differ between recordings, by itself. */
static double own_noise(const struct orma_diff_change *c)
{
    const struct orma_report_noise_pair *pair =
        c->self ? &c->self[ORMA_DIFF_MEDIAN] : &c->value[ORMA_DIFF_MEDIAN];
    struct orma_report_noise_test test = orma_report_noise_compare(pair, FALSE_ALARMS);

    return hypot(OWN_NOISE, OWN_NOISE_NS / fmax(test.mean[0], 1));
}

/* Divides what all names of the section share out of the numbers of this kind. */
static int take_common(struct orma_diff *d, const struct orma_diff_section *s,
                       enum orma_diff_metric m)
{
    struct orma_report_noise_member *members = calloc(d->changes.len + (size_t)1, sizeof(*members));
    double between = hypot(BETWEEN_MACHINES, d->others);
    struct orma_report_noise_pair factors;
    size_t num = 0;

    if (!members)
        return -ENOMEM;
    for (uint32_t i = 0; i < d->changes.len; i++) {
        const struct orma_diff_change *c = &d->changes.data[i];
        const struct orma_report_noise_pair *pair = c->self ? &c->self[m] : &c->value[m];

        if (c->section == s && fmin(c->side[0].n, c->side[1].n) >= COMMON_MIN &&
            orma_diff_can_test(d, c, m) && orma_report_noise_is_steady(pair))
            members[num++] = (struct orma_report_noise_member){pair, own_noise(c)};
    }
    double shared =
        orma_report_noise_common(members, num, FALSE_ALARMS / d->sections, between, &factors);
    free(members);
    for (uint32_t i = 0; i < d->changes.len; i++) {
        if (d->changes.data[i].section == s)
            orma_report_noise_divide(&d->changes.data[i].value[m], &factors);
    }
    if (m == ORMA_DIFF_MEDIAN)
        d->common[s - orma_diff_sections] = shared;
    return 0;
}

static void count_tests(struct orma_diff *d)
{
    for (uint32_t i = 0; i < d->changes.len; i++) {
        const struct orma_diff_change *c = &d->changes.data[i];

        for (unsigned m = 0; m < ORMA_DIFF_METRICS; m++)
            d->tests[c->section - orma_diff_sections] += orma_diff_can_test(d, c, m);
    }
    for (size_t i = 0; i < ORMA_DIFF_SECTIONS; i++) {
        d->sections += d->tests[i] != 0;
        d->all_tests += d->tests[i];
    }
}

int orma_diff_judge(struct orma_diff *d)
{
    static const enum orma_diff_metric order[] = {ORMA_DIFF_MEDIAN, ORMA_DIFF_MEAN,
                                                  ORMA_DIFF_TOTAL};
    int r = 0;

    count_tests(d);
    for (size_t i = 0; i < ORMA_DIFF_SECTIONS; i++) {
        bool common = orma_diff_sections[i].common && !d->request->same_speed && d->tests[i];

        for (unsigned m = ORMA_DIFF_MEAN; m < ORMA_DIFF_METRICS && common && r == 0; m++)
            r = take_common(d, &orma_diff_sections[i], m);
    }
    for (uint32_t i = 0; i < d->changes.len && r == 0; i++) {
        struct orma_diff_change *c = &d->changes.data[i];

        for (size_t m = 0; m < ORMA_ARRAY_LEN(order); m++) {
            if (orma_diff_can_test(d, c, order[m]) && !(c->listed && order[m] == ORMA_DIFF_MEAN))
                judge_metric(d, c, order[m], false_alarms(d, c->section));
        }
    }
    return r;
}
