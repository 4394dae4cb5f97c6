/*
 * A section is a query for items (name, ts, dur). Of each trace one query makes a row per name
 * (count, sum, median, p99) and one for each block of it. Rows of equal names are put side by side;
 * each number that a section compares becomes a test, and after all are counted, each is judged:
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
#include "tools/report/diff.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "processor/export/csv.h"
#include "processor/sql/dialect/quote.h"
#include "sdk/base/path.h"
#include "sdk/base/vec.h"
#include "tools/base/cell.h"
#include "tools/base/cli.h"
#include "tools/load/loss.h"
#include "tools/report/choice.h"
#include "tools/report/noise.h"
#include "tools/report/notes.h"
#include "tools/report/render.h"

#define BLOCKS ORMA_REPORT_NOISE_BLOCKS
#define BLOCKS_MIN 4 /* fewer tell nothing of noise */
/* Two recordings of the same differ by that much in all of their blocks: other places in memory,
 * another clock of the CPU. */
#define BETWEEN_RECORDINGS 0.025
/* One name beside the others, where most are: that much, or that long (caches, being recorded). */
#define OWN_NOISE 0.01
#define OWN_NOISE_NS 300
/* What all names share may differ by more: nothing tells it from another speed of the machine. */
#define BETWEEN_MACHINES 0.1
#define COMMON_MIN (5 * BLOCKS) /* so often a name is there that says what all share */
/* A sum of times that changed by less, per second, is not worth a line: of slices, or of threads.
 */
#define MORE_MIN_NS 5e5
#define MORE_MIN_OF_THREADS_NS 5e6
/* A run of a program beside another one: with fewer than BLOCKS_MIN of them, and with more. */
#define FEW_RUNS_NOISE 0.25
#define FEW_LIVES_NOISE 0.5 /* they hold waits for everything */
#define RUNS_NOISE BETWEEN_MACHINES
#define LIVES_NOISE 0.25
#define SAMPLES_MIN 10 /* of a function in a run */
#define FALSE_ALARMS 0.05
#define TIMES_MIN 9.0 /* from here on a change is so many times as much, not per cent */
#define WIDTH 80

/* What can be compared of a name. */
enum metric { TOTAL, MEAN, MEDIAN, METRICS };

static const char *const metric_names[] = {[TOTAL] = "total", [MEAN] = "mean", [MEDIAN] = "p50"};

static const struct section {
    const char *name, *kind, *question;
    const char *module, *items; /* what is selected of modules orma.* */
    unsigned metrics;           /* bits: 1 << enum metric */
    bool counts;                /* what is summed up are samples, no times; see struct runs */
    bool common;                /* names can share a change: all get slower with the machine */
    bool of_wall;               /* sums are a part of the time that passes, not of work */
    bool of_runs;               /* items are whole processes: compared by run, not by second */
    const char *of_run;         /* the question where samples are of whole runs */
    const char *unknown;        /* sums lack times of these states without an end; or NULL */
    unsigned basis;             /* enum orma_report_basis */
} sections[] = {
    {.name = "processes",
     .kind = "process",
     .question = "Which programs used more or less CPU, from start to end?",
     .module = "processes",
     .items = "name, ts, cpu_dur AS dur, unknown_dur FROM orma_whole_process\n"
              "WHERE cpu_dur IS NOT NULL$processes",
     .metrics = 1 << MEAN,
     .of_runs = true,
     .basis = ORMA_REPORT_OF_KERNEL | ORMA_REPORT_OF_SCHED},
    {.name = "lifetimes",
     .kind = "lifetime",
     .question = "Which programs took more or less time, from start to end?",
     .module = "processes",
     .items = "name, ts, dur, 0 AS unknown_dur FROM orma_whole_process WHERE 1$processes",
     .metrics = 1 << MEAN,
     .of_wall = true,
     .of_runs = true,
     .basis = ORMA_REPORT_OF_KERNEL},
    {.name = "slices",
     .kind = "slice",
     .question = "Which slices changed?",
     .module = "slices",
     .items = "name, ts, dur, self_dur FROM orma_slice\n"
              "WHERE ended AND name IS NOT NULL$owners",
     .metrics = 1 << TOTAL | 1 << MEAN | 1 << MEDIAN,
     .common = true},
    {.name = "cpu",
     .kind = "cpu",
     .question = "Which threads used more or less CPU?",
     .module = "sched",
     .items = "t.name, r.ts, r.dur, NULL AS self_dur FROM orma_run AS r JOIN thread AS t USING "
              "(utid)\nWHERE t.name IS NOT NULL$threads",
     .metrics = 1 << TOTAL,
     .unknown = "*",
     .basis = ORMA_REPORT_OF_KERNEL | ORMA_REPORT_OF_SCHED},
    {.name = "waits",
     .kind = "wait",
     .question = "Which threads waited more or less for a CPU?",
     .module = "sched",
     .items = "t.name, w.ts, w.dur, NULL AS self_dur FROM orma_wait AS w JOIN thread AS t USING "
              "(utid)\nWHERE t.name IS NOT NULL$threads",
     .metrics = 1 << TOTAL,
     .of_wall = true,
     .unknown = "R*",
     .basis = ORMA_REPORT_OF_KERNEL | ORMA_REPORT_OF_SCHED},
    {.name = "sleeps",
     .kind = "sleep",
     .question = "Which threads slept or were blocked more or less?",
     .module = "sched",
     .items = "t.name, s.ts, s.dur, NULL AS self_dur\n"
              "FROM thread_state AS s JOIN thread AS t USING (utid)\n"
              "WHERE t.name IS NOT NULL AND s.dur >= 0 AND s.state GLOB '[SDI]*'\n"
              "  AND s.id NOT IN (SELECT id FROM _orma_torn_state) AND NOT t.is_idle$threads",
     .metrics = 1 << TOTAL,
     .of_wall = true,
     .unknown = "[SDI]*",
     .basis = ORMA_REPORT_OF_KERNEL | ORMA_REPORT_OF_SCHED},
    {.name = "calls",
     .kind = "call",
     .question = "Which system calls changed?",
     .module = "syscalls",
     .items = "name, ts, dur, NULL AS self_dur FROM orma_syscall WHERE 1$threads",
     .metrics = 1 << TOTAL | 1 << MEDIAN,
     .common = true,
     .basis = ORMA_REPORT_OF_KERNEL},
    {.name = "functions",
     .kind = "function",
     .question = "Which functions had more or fewer samples?",
     .of_run = "Which functions took more or less, from start to end?",
     .module = "samples",
     .items = "function AS name, ts, 1 AS dur, NULL AS self_dur, id AS sample_id FROM orma_sample\n"
              "WHERE function IS NOT NULL$threads",
     .metrics = 1 << TOTAL,
     .counts = true},
    {.name = "stacks",
     .kind = "stack",
     .question = "Which call stacks had more or fewer samples?",
     .of_run = "Which call stacks took more or less, from start to end?",
     .module = "samples",
     .items = "stack AS name, ts, 1 AS dur, NULL AS self_dur, id AS sample_id FROM orma_sample\n"
              "WHERE stack IS NOT NULL$threads",
     .metrics = 1 << TOTAL,
     .counts = true},
};

static const char items_sql[] = "INCLUDE PERFETTO MODULE orma.diff;\n"
                                "INCLUDE PERFETTO MODULE orma.%s;\n"
                                "CREATE OR REPLACE PERFETTO TABLE _orma_diff_item AS\n"
                                "SELECT %s AS name, ts, %s AS dur, %s FROM (SELECT %s);\n";
static const char blocks_sql[] =
    "SELECT * FROM _orma_diff_blocks!(_orma_diff_item, %" PRId64 ", %" PRId64 ")\n"
    "ORDER BY name, nr";
static const char runs_sql[] = "SELECT * FROM _orma_diff_runs!(_orma_diff_item) ORDER BY name, nr";

/* From when to when anything is known of those that were chosen. */
static const char span_sql[] = "INCLUDE PERFETTO MODULE orma.slices;\n"
                               "SELECT min(ts), max(ts + max(dur, 0)) FROM (\n"
                               "  SELECT ts, dur FROM thread_state WHERE 1$threads\n"
                               "  UNION ALL SELECT ts, dur FROM orma_slice WHERE 1$owners\n"
                               "  UNION ALL SELECT ts, 0 FROM perf_sample WHERE 1$threads)";

/* The time that others had the CPUs, and how many CPUs there are. */
static const char others_sql[] =
    "INCLUDE PERFETTO MODULE orma.sched;\n"
    "SELECT total(dur) - (SELECT total(dur) FROM orma_run WHERE 1$threads), count(DISTINCT ucpu)\n"
    "FROM orma_run";

/* The time of states without an end, of each name. */
static const char unknown_sql[] = "INCLUDE PERFETTO MODULE orma.sched;\n"
                                  "SELECT %s AS called, total(u.next_ts - u.ts)\n"
                                  "FROM orma_state_unknown_end AS u JOIN thread AS t USING (utid)\n"
                                  "WHERE t.name IS NOT NULL AND u.state GLOB '%s'$threads\n"
                                  "GROUP BY called ORDER BY called";

/*
 * What was sampled. A profile of a command begins and ends with it (the sampling is enabled by its
 * exec); of one that was ended by the clock this is not known. Samples of what threads waited for
 * have no period.
 */
static const char sampled_sql[] =
    "INCLUDE PERFETTO MODULE orma.frames;\n"
    "SELECT (SELECT group_concat(DISTINCT name) FROM stack_sample_counter_track WHERE is_timebase),"
    "\n  (SELECT period_ns FROM _orma_sample_period),\n"
    "  (SELECT count(*) FROM _orma_sample_weight),\n"
    "  EXISTS (SELECT 1 FROM metadata WHERE name = 'orma_command_pid'),\n"
    "  EXISTS (SELECT 1 FROM metadata WHERE name = 'trace_config_pbtxt' AND str_value GLOB "
    "'*enable_on_exec: true*'),\n"
    "  EXISTS (SELECT 1 FROM metadata WHERE name = 'trace_config_pbtxt' AND (str_value GLOB "
    "'*duration_ms: *' OR str_value GLOB '*off_cpu: true*'))";

/* ---- one trace ---- */

/* How samples are compared if both traces are of commands from begin to end: by what they stand
 * for, and not by second. */
enum samples { BY_SECOND, BY_TIME, BY_EVENTS };

struct sums {
    double n, total, median, p99, blocks;
    double unknown; /* by which the total may be too low, per second; of runs: the mean */
};

struct change {
    const struct section *section;
    char *name;
    struct sums side[2];
    struct orma_report_noise_pair value[METRICS]; /* of sums: per second */
    struct orma_report_noise_pair *self;          /* the same of times without children; or NULL */
    bool listed;
    enum metric metric; /* that the change is told by */
    double part;        /* of it; INFINITY: it was not there */
    double noise;       /* what of it could be noise, as a part */
    double more;        /* what it makes of the sum, per second */
};

struct diff {
    const struct orma_report_diff_request *request;
    ORMA_VEC(struct change) changes;
    int64_t from_ts[2], to_ts[2];
    double seconds[2];
    char *processes[2]; /* what --process chooses, of each trace; or NULL */
    enum samples samples;
    double period_ns[2]; /* of samples; NAN if they do not stand for time */
    double others;       /* the part of the CPUs that others had, in the trace where it was more */
    double common[ORMA_ARRAY_LEN(sections)]; /* the part by which all durations changed; or 0 */
    struct orma_report_request ranges[2];    /* what was chosen, of each trace */
    struct orma_report_choice choices[2];
    struct orma_report_notes notes[2];
    unsigned tests[ORMA_ARRAY_LEN(sections)], sections, all_tests;
    FILE *out;
};

static double number(const struct orma_report_result *r, size_t row, uint32_t col)
{
    const struct orma_report_cell *cell = orma_report_result_cell(r, row, col);

    return cell->type == ORMA_VALUE_INT64    ? (double)cell->num
           : cell->type == ORMA_VALUE_DOUBLE ? cell->real
                                             : NAN;
}

static void clear(struct orma_report_noise_pair *metrics)
{
    for (size_t i = 0; i < 2 * (size_t)BLOCKS; i++) {
        metrics[TOTAL].side[i / BLOCKS].block[i % BLOCKS] = 0;
        metrics[MEAN].side[i / BLOCKS].block[i % BLOCKS] = NAN;
        metrics[MEDIAN].side[i / BLOCKS].block[i % BLOCKS] = NAN;
    }
}

static void set_block(struct orma_report_noise_pair *metrics, unsigned side, size_t nr, double n,
                      double total, double median, double seconds)
{
    metrics[TOTAL].side[side].block[nr] = total * BLOCKS / seconds;
    metrics[MEAN].side[side].block[nr] = total / n;
    metrics[MEDIAN].side[side].block[nr] = median;
}

/* One row of a name: it as a whole, or a block. */
static void take_row(struct change *c, unsigned side, const struct orma_report_result *r,
                     size_t row, double seconds)
{
    double nr = number(r, row, 1), n = number(r, row, 2), total = number(r, row, 3);
    double median = number(r, row, 4);

    if (isnan(nr)) {
        c->side[side] = (struct sums){n,      total,
                                      median, number(r, row, 5),
                                      0,      c->section->of_runs ? number(r, row, 6) / n : 0};
        return;
    }
    c->side[side].blocks++;
    set_block(c->value, side, (size_t)nr, n, total, median, seconds);
    if (c->self)
        set_block(c->self, side, (size_t)nr, n, number(r, row, 6), number(r, row, 7), seconds);
}

/* ---- tests ---- */

/* Events of the kind that these are about were lost: sums are too low by nobody knows how much. */
static bool is_short(const struct orma_report_notes *notes, const struct section *s)
{
    return notes->trace.len || ((s->basis & ORMA_REPORT_OF_KERNEL) && notes->kernel.len);
}

/* Are these samples of whole runs? */
static bool is_run_of_samples(const struct diff *d, const struct section *s)
{
    return s->counts && d->samples != BY_SECOND;
}

/* Can noise be told of this number at all? */
static bool can_test(const struct diff *d, const struct change *c, enum metric m)
{
    const struct sums *a = &c->side[0], *b = &c->side[1];

    if (!(c->section->metrics & (1U << m)))
        return false;
    if (is_run_of_samples(d, c->section))
        return fmax(a->n, b->n) >= SAMPLES_MIN && !is_short(&d->notes[0], c->section) &&
               !is_short(&d->notes[1], c->section);
    if (c->section->of_runs)
        return a->n && b->n && !is_short(&d->notes[0], c->section) &&
               !is_short(&d->notes[1], c->section);
    if (m == TOTAL && (is_short(&d->notes[0], c->section) || is_short(&d->notes[1], c->section)))
        return false;
    if (m == TOTAL)
        return fmax(a->blocks, b->blocks) >= BLOCKS_MIN;
    return fmin(a->blocks, b->blocks) >= BLOCKS_MIN;
}

static double noise_of_runs(const struct change *c, const struct orma_report_noise_test *test)
{
    const struct sums *a = &c->side[0], *b = &c->side[1];
    double more = fmax(test->mean[0], test->mean[1]), unknown = fmax(a->unknown, b->unknown);

    if (fmin(a->blocks, b->blocks) < BLOCKS_MIN)
        return unknown + more * (c->section->of_wall ? FEW_LIVES_NOISE : FEW_RUNS_NOISE);
    return unknown + hypot(test->within, more * (c->section->of_wall ? LIVES_NOISE : RUNS_NOISE));
}

/* What of a difference could be noise; `p`: how often a test may be wrong. */
static double noise_of(const struct diff *d, const struct change *c, enum metric m,
                       const struct orma_report_noise_test *test)
{
    double between = BETWEEN_RECORDINGS * test->mean[0];
    double own = m == MEDIAN && c->section->basis ? OWN_NOISE_NS : 0; /* calls are short */
    double others = m == MEDIAN ? 0 : d->others * fmax(test->mean[0], test->mean[1]);

    if (c->section->of_runs)
        return noise_of_runs(c, test);
    if (c->section->of_wall) { /* of 1e9 ns in a second */
        between = BETWEEN_RECORDINGS * 1e9;
        others = d->others * 1e9;
    }
    return sqrt(test->within * test->within + between * between + own * own + others * others) +
           (m == TOTAL ? c->side[test->mean[1] < test->mean[0]].unknown : 0);
}

/* Sums of samples of one run each: so many may be chance (the error of a count is its square root),
 * and the runs differ anyhow. */
static struct orma_report_noise_test compare_samples(const struct change *c, double p)
{
    struct orma_report_noise_test test = {.mean = {c->side[0].total, c->side[1].total}};
    double squares = 0;

    for (unsigned i = 0; i < 2; i++) {
        const struct sums *s = &c->side[i], *other = &c->side[!i];
        double one = s->n ? s->total / s->n : other->total / other->n;

        squares += one * one * fmax(s->n, 1);
        test.mean[i] = s->n ? s->total : 0;
    }
    test.within = orma_report_noise_t_quantile(p / 2, 1e9) * sqrt(squares);
    return test;
}

static bool is_worth_a_line(const struct change *c, enum metric m, double more)
{
    if (c->section->counts)
        return true;
    if (c->section->basis)
        return fabs(more) >=
               (m == TOTAL || c->section->of_runs ? MORE_MIN_OF_THREADS_NS : MORE_MIN_NS);
    return m != TOTAL || fabs(more) >= MORE_MIN_NS; /* a slice may be rare, and matter */
}

static void judge_metric(struct diff *d, struct change *c, enum metric m, double p)
{
    bool run = is_run_of_samples(d, c->section);
    struct orma_report_noise_test test =
        run ? compare_samples(c, p) : orma_report_noise_compare(&c->value[m], p);
    double from = test.mean[0], delta = test.mean[1] - from;
    double noise = run ? hypot(test.within, FEW_RUNS_NOISE * fmax(from, test.mean[1]))
                       : noise_of(d, c, m, &test);
    double more = m == TOTAL            ? delta
                  : c->section->of_runs ? delta * c->side[1].n
                                        : delta * c->side[1].n / d->seconds[1];

    if (fabs(delta) <= noise || !is_worth_a_line(c, m, more))
        return;
    /* The number of a call says more than a sum, where both changed. */
    if (c->listed && m == TOTAL)
        return;
    c->listed = true;
    c->metric = m;
    c->more = more;
    c->part = from > 0 ? delta / from : INFINITY;
    c->noise = from > 0 ? noise / from : INFINITY;
}

/* How often a test of this section may be wrong. */
static double false_alarms(const struct diff *d, const struct section *s)
{
    return FALSE_ALARMS / d->sections / fmax(d->tests[s - sections], 1);
}

/* By what part the duration of a name may differ between recordings, by itself. */
static double own_noise(const struct change *c)
{
    const struct orma_report_noise_pair *pair = c->self ? &c->self[MEDIAN] : &c->value[MEDIAN];
    struct orma_report_noise_test test = orma_report_noise_compare(pair, FALSE_ALARMS);

    return hypot(OWN_NOISE, OWN_NOISE_NS / fmax(test.mean[0], 1));
}

/* Divides what all names of the section share out of the numbers of this kind. */
static int take_common(struct diff *d, const struct section *s, enum metric m)
{
    struct orma_report_noise_member *members = calloc(d->changes.len + (size_t)1, sizeof(*members));
    double between = hypot(BETWEEN_MACHINES, d->others);
    struct orma_report_noise_pair factors;
    size_t num = 0;

    if (!members)
        return -ENOMEM;
    for (uint32_t i = 0; i < d->changes.len; i++) {
        const struct change *c = &d->changes.data[i];
        const struct orma_report_noise_pair *pair = c->self ? &c->self[m] : &c->value[m];

        if (c->section == s && fmin(c->side[0].n, c->side[1].n) >= COMMON_MIN &&
            can_test(d, c, m) && orma_report_noise_is_steady(pair))
            members[num++] = (struct orma_report_noise_member){pair, own_noise(c)};
    }
    double shared =
        orma_report_noise_common(members, num, FALSE_ALARMS / d->sections, between, &factors);
    free(members);
    for (uint32_t i = 0; i < d->changes.len; i++) {
        if (d->changes.data[i].section == s)
            orma_report_noise_divide(&d->changes.data[i].value[m], &factors);
    }
    if (m == MEDIAN)
        d->common[s - sections] = shared;
    return 0;
}

static void count_tests(struct diff *d)
{
    for (uint32_t i = 0; i < d->changes.len; i++) {
        const struct change *c = &d->changes.data[i];

        for (unsigned m = 0; m < METRICS; m++)
            d->tests[c->section - sections] += can_test(d, c, m);
    }
    for (size_t i = 0; i < ORMA_ARRAY_LEN(sections); i++) {
        d->sections += d->tests[i] != 0;
        d->all_tests += d->tests[i];
    }
}

static int judge(struct diff *d)
{
    static const enum metric order[] = {MEDIAN, MEAN, TOTAL};
    int r = 0;

    count_tests(d);
    for (size_t i = 0; i < ORMA_ARRAY_LEN(sections); i++) {
        bool common = sections[i].common && !d->request->same_speed && d->tests[i];

        for (unsigned m = MEAN; m < METRICS && common && r == 0; m++)
            r = take_common(d, &sections[i], m);
    }
    for (uint32_t i = 0; i < d->changes.len && r == 0; i++) {
        struct change *c = &d->changes.data[i];

        for (size_t m = 0; m < ORMA_ARRAY_LEN(order); m++) {
            if (can_test(d, c, order[m]) && !(c->listed && order[m] == MEAN))
                judge_metric(d, c, order[m], false_alarms(d, c->section));
        }
    }
    return r;
}

/* ---- reading ---- */

static const char *name_at(const struct orma_report_result *r, size_t row)
{
    return row < r->rows ? orma_report_result_cell(r, row, 0)->text : NULL;
}

/* The rows of a name, of either trace or of both; `at` moves behind them. */
static int add(struct diff *d, const struct section *s, const char *name,
               const struct orma_report_result *r, size_t *at)
{
    struct change c = {.section = s, .name = strdup(name)};

    clear(c.value);
    if (s->common && !s->basis && (c.self = calloc(METRICS, sizeof(*c.self))))
        clear(c.self);
    for (unsigned side = 0; side < 2; side++) {
        for (const char *n; (n = name_at(&r[side], at[side])) && !strcmp(n, name); at[side]++)
            take_row(&c, side, &r[side], at[side], d->seconds[side]);
    }
    return !c.name || ORMA_VEC_PUSH(&d->changes, c) ? -ENOMEM : 0;
}

/* Rows of both in the order of their names. */
static int merge(struct diff *d, const struct section *s, const struct orma_report_result *r)
{
    size_t at[2] = {0};
    int err = 0;

    while (err == 0 && (at[0] < r[0].rows || at[1] < r[1].rows)) {
        const char *a = name_at(&r[0], at[0]), *b = name_at(&r[1], at[1]);

        err = add(d, s, !a || (b && strcmp(b, a) < 0) ? b : a, r, at);
    }
    return err;
}

/* The program that was chosen by another name in the second trace has the name of the first. */
static void put_name(const struct diff *d, unsigned side, struct orma_buf *out)
{
    enum { THREAD_NAME_MAX = 15 };
    const char *names[2];

    for (unsigned i = 0; i < 2; i++)
        names[i] = d->processes[i] ? orma_path_base(d->processes[i]) : NULL;
    if (!side || !names[0] || !strcmp(names[0], names[1])) {
        orma_buf_put_str(out, "name");
        return;
    }
    orma_buf_put_str(out, "iif(name IN (");
    orma_sql_put_literal(out, orma_str_from(names[1]));
    orma_buf_put_str(out, ", ");
    orma_sql_put_literal(out, (struct orma_str){names[1], strnlen(names[1], THREAD_NAME_MAX)});
    orma_buf_put_str(out, "), ");
    orma_sql_put_literal(out, orma_str_from(names[0]));
    orma_buf_put_str(out, ", name)");
}

/* Where switches are missing: what sums of the section may lack. Its changes begin at `first`. */
static int read_unknown(struct diff *d, const struct section *s, unsigned side, uint32_t first)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf name = {0}, text = {0}, sql = {0};
    struct orma_report_result r = {0};
    size_t row = 0;

    put_name(d, side, &name);
    orma_buf_printf(&text, unknown_sql, orma_buf_cstr(&name), s->unknown);
    orma_report_choice_put(&d->choices[side], orma_buf_cstr(&text), false, &sql);
    int err = orma_report_result_read(d->request->tp[side], orma_buf_cstr(&sql), SIZE_MAX, &r);
    for (uint32_t i = first; i < d->changes.len && err == 0; i++) {
        struct change *c = &d->changes.data[i];

        while (row < r.rows && strcmp(name_at(&r, row), c->name) < 0)
            row++;
        if (row < r.rows && !strcmp(name_at(&r, row), c->name))
            c->side[side].unknown = number(&r, row, 1) / d->seconds[side];
    }
    orma_report_result_fini(&r);
    return err;
}

/* How much an item is. */
static void put_dur(const struct diff *d, unsigned side, const struct section *s,
                    struct orma_buf *out)
{
    if (!is_run_of_samples(d, s))
        orma_buf_put_str(out, "dur");
    else if (d->samples == BY_TIME)
        orma_buf_printf(out, "dur * %" PRId64, (int64_t)d->period_ns[side]);
    else
        orma_buf_put_str(out, "dur * coalesce((SELECT w.weight FROM _orma_sample_weight AS w WHERE "
                              "w.id = sample_id), 1)");
}

static int read_section(struct diff *d, const struct section *s)
{
    uint32_t first = d->changes.len;
    struct orma_report_result r[2] = {0};
    int err = 0;

    for (unsigned i = 0; i < 2 && err == 0; i++) {
        ORMA_AUTO(orma_buf_fini) struct orma_buf items = {0}, name = {0}, dur = {0}, sql = {0};

        orma_report_choice_put(&d->choices[i], s->items, false, &items);
        put_name(d, i, &name);
        put_dur(d, i, s, &dur);
        orma_buf_printf(&sql, items_sql, s->module, orma_buf_cstr(&name), orma_buf_cstr(&dur),
                        s->of_runs ? "unknown_dur" : "self_dur", orma_buf_cstr(&items));
        if (s->of_runs)
            orma_buf_put_str(&sql, runs_sql);
        else
            orma_buf_printf(&sql, blocks_sql, d->from_ts[i], d->to_ts[i]);
        err = orma_report_result_read(d->request->tp[i], orma_buf_cstr(&sql), SIZE_MAX, &r[i]);
        if (err < 0)
            fprintf(stderr, "%s: %s: %s\n", d->request->program, d->request->traces[i],
                    orma_processor_error(d->request->tp[i]));
    }
    if (err == 0)
        err = merge(d, s, r);
    for (unsigned i = 0; i < 2 && err == 0; i++) {
        if (s->unknown && d->notes[i].sched.len)
            err = read_unknown(d, s, i, first);
    }
    orma_report_result_fini(&r[0]);
    orma_report_result_fini(&r[1]);
    return err;
}

/* Two numbers about what was chosen. */
static int read_numbers(struct diff *d, unsigned side, const char *text, double ret[2])
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf sql = {0};
    struct orma_report_result r = {0};

    orma_report_choice_put(&d->choices[side], text, false, &sql);
    int err = orma_report_result_read(d->request->tp[side], orma_buf_cstr(&sql), 1, &r);
    for (uint32_t i = 0; i < 2 && err == 0; i++)
        ret[i] = r.rows ? number(&r, 0, i) : NAN;
    orma_report_result_fini(&r);
    return err;
}

/* A recording may begin before the program, and end after it. */
static int read_span(struct diff *d, unsigned side)
{
    double span[2] = {NAN, NAN}, others[2];
    int r = 0;

    d->from_ts[side] = d->choices[side].start_ts;
    d->to_ts[side] = d->choices[side].end_ts;
    bool some = d->choices[side].threads.len;
    if (some)
        r = read_numbers(d, side, span_sql, span);
    if (r == 0 && span[1] > span[0]) {
        d->from_ts[side] = (int64_t)span[0];
        d->to_ts[side] = (int64_t)span[1];
    }
    d->seconds[side] = fmax((double)(d->to_ts[side] - d->from_ts[side]), 1) / 1e9;
    if (r == 0 && some) {
        double ns = fmax((double)orma_load_span_ns(d->request->tp[side]), 1);

        r = read_numbers(d, side, others_sql, others);
        if (r == 0 && others[1] > 0)
            d->others = fmax(d->others, others[0] / others[1] / ns);
    }
    return r;
}

/* Are there samples of a command, and of nothing else? */
static bool is_sampled_run(const struct diff *d, unsigned side, const struct orma_report_result *r)
{
    const struct orma_report_request *range = &d->ranges[side];
    bool of_command = number(r, 0, 3) > 0, on_exec = number(r, 0, 4) > 0, cut = number(r, 0, 5) > 0;
    bool chosen = d->choices[side].command.len || range->process || range->thread || range->tree;

    return !cut && !range->all && (on_exec || (of_command && chosen));
}

/* Samples of runs are compared if both traces have them, and of the same. */
static int read_samples(struct diff *d)
{
    struct orma_report_result r[2] = {0};
    const char *counted[2] = {NULL, NULL};
    double weights[2] = {0};
    bool runs = true;
    int err = 0;

    for (unsigned i = 0; i < 2 && err == 0; i++) {
        err = orma_report_result_read(d->request->tp[i], sampled_sql, 1, &r[i]);
        if (err == 0 && r[i].rows) {
            counted[i] = orma_report_result_cell(&r[i], 0, 0)->text;
            d->period_ns[i] = number(&r[i], 0, 1);
            weights[i] = number(&r[i], 0, 2);
            runs &= is_sampled_run(d, i, &r[i]);
        }
    }
    if (err == 0 && runs && d->period_ns[0] > 0 && d->period_ns[1] > 0)
        d->samples = BY_TIME;
    else if (err == 0 && runs && weights[0] > 0 && weights[1] > 0 && counted[0] && counted[1] &&
             !strcmp(counted[0], counted[1]))
        d->samples = BY_EVENTS;
    orma_report_result_fini(&r[0]);
    orma_report_result_fini(&r[1]);
    return err;
}

/* ---- rows ---- */

static void put(struct orma_report_result *r, struct orma_report_cell cell)
{
    (void)ORMA_VEC_PUSH(&r->cells, cell); /* out of memory: rows are counted by cells below */
}

static void put_text(struct orma_report_result *r, const char *text)
{
    char *copy = strdup(text);

    put(r,
        (struct orma_report_cell){.type = copy ? ORMA_VALUE_TEXT : ORMA_VALUE_NULL, .text = copy});
}

static void put_real(struct orma_report_result *r, double val)
{
    put(r, (struct orma_report_cell){.type = isfinite(val) ? ORMA_VALUE_DOUBLE : ORMA_VALUE_NULL,
                                     .real = val});
}

/* The change as people write it: "+5.2% p50", "x12 total", "new", "gone". */
static void put_change(struct orma_report_result *r, const struct change *c)
{
    char text[48];

    if (!c->side[0].n || !c->side[1].n)
        snprintf(text, sizeof(text), "%s", c->side[0].n ? "gone" : "new");
    else if (c->part >= TIMES_MIN)
        snprintf(text, sizeof(text), "x%.0f %s", 1 + c->part, metric_names[c->metric]);
    else
        snprintf(text, sizeof(text), "%+.1f%% %s", 100 * c->part, metric_names[c->metric]);
    put_text(r, text);
}

static const char *const titles[] = {"name",     "times_a",     "times_b",    "p50_a",  "p50_b",
                                     "change",   "share_pct",   "_p99_a",     "_p99_b", "_per_s_a",
                                     "_per_s_b", "_change_pct", "_noise_pct", "_metric"};

static void put_row(struct orma_report_result *r, const struct change *c, bool sums, double all,
                    const double *seconds)
{
    const struct sums *a = &c->side[0], *b = &c->side[1];

    put_text(r, c->name);
    put_real(r, a->n);
    put_real(r, b->n);
    put_real(r, a->n && sums ? a->total : a->n && !c->section->counts ? a->median : NAN);
    put_real(r, b->n && sums ? b->total : b->n && !c->section->counts ? b->median : NAN);
    put_change(r, c);
    put_real(r, 100 * c->more / all);
    put_real(r, a->p99);
    put_real(r, b->p99);
    put_real(r, a->total / seconds[0]);
    put_real(r, b->total / seconds[1]);
    put_real(r, 100 * c->part);
    put_real(r, 100 * c->noise);
    put_text(r, metric_names[c->metric]);
}

static int by_change(const void *a, const void *b)
{
    const struct change *x = *(const struct change *const *)a;
    const struct change *y = *(const struct change *const *)b;
    double left = fabs(x->more), right = fabs(y->more);

    return left < right ? 1 : left > right ? -1 : strcmp(x->name, y->name);
}

/* Listed changes of a section, what explains most first; `ret` is an array of pointers. */
static uint32_t sort_changes(struct diff *d, const struct section *s, const struct change **ret,
                             double *ret_all)
{
    uint32_t num = 0;

    *ret_all = 0;
    for (uint32_t i = 0; i < d->changes.len; i++) {
        const struct change *c = &d->changes.data[i];

        if (c->section != s || !c->listed)
            continue;
        ret[num++] = c;
        *ret_all += fabs(c->more);
    }
    if (num)
        qsort(ret, num, sizeof(*ret), by_change);
    return num;
}

static int make_rows(struct diff *d, const struct section *s, struct orma_report_result *ret)
{
    const struct change **sorted = calloc(d->changes.len + (size_t)1, sizeof(*sorted));
    bool sums = is_run_of_samples(d, s);
    double all;

    if (!sorted)
        return -ENOMEM;
    for (size_t i = 0; i < ORMA_ARRAY_LEN(titles); i++) {
        struct orma_report_column c = {.for_programs = *titles[i] == '_'};
        bool time =
            strstr(titles[i], "p50") || strstr(titles[i], "p99") || strstr(titles[i], "per_s");

        snprintf(c.name, sizeof(c.name), "%s", titles[i] + c.for_programs);
        if (sums && !strncmp(c.name, "p50", 3))
            snprintf(c.name, sizeof(c.name), "total%s", titles[i] + 3);
        snprintf(c.title, sizeof(c.title), "%s", i == 6 ? "explains" : c.name);
        for (char *p = c.title; *p; p++)
            *p = *p == '_' ? ' ' : *p;
        c.unit = strstr(titles[i], "_pct")                       ? ORMA_REPORT_PERCENT
                 : time && (!s->counts || d->samples == BY_TIME) ? ORMA_REPORT_NS
                                                                 : ORMA_REPORT_PLAIN;
        (void)ORMA_VEC_PUSH(&ret->columns, c);
    }
    uint32_t num = sort_changes(d, s, sorted, &all);
    for (uint32_t i = 0; i < num && (!d->request->top || i < d->request->top); i++)
        put_row(ret, sorted[i], sums, all, d->seconds);
    ret->rows = ret->columns.len ? ret->cells.len / ret->columns.len : 0;
    ret->more = d->request->top && num > d->request->top;
    free(sorted);
    return 0;
}

/* ---- limits ---- */

const struct orma_report_limit_kind *orma_report_diff_kinds(void)
{
    static struct orma_report_limit_kind kinds[ORMA_ARRAY_LEN(sections) + 1];

    for (size_t i = 0; i < ORMA_ARRAY_LEN(sections); i++)
        kinds[i] = (struct orma_report_limit_kind){sections[i].kind, sections[i].name};
    return kinds;
}

static bool is_wanted(const void *ctx, const char *name)
{
    const struct diff *d = ctx;
    const char *const *n = d->request->sections;

    if (!*n)
        return true;
    while (*n && strcmp(*n, name) != 0)
        n++;
    return *n != NULL;
}

static struct orma_report_limit_item item_of(const struct diff *d, const struct change *c)
{
    struct orma_report_limit_item ret = {.kind = c->section->kind,
                                         .name = c->name,
                                         .in = {c->side[0].n > 0, c->side[1].n > 0},
                                         .listed = c->listed,
                                         .part = c->part,
                                         .metric = metric_names[c->metric]};

    for (unsigned m = 0; m < METRICS; m++)
        ret.tested |= can_test(d, c, m);
    return ret;
}

static int check_limits(const struct diff *d, unsigned *ret_passed)
{
    struct orma_report_limit_item *items = calloc(d->changes.len + (size_t)1, sizeof(*items));
    const struct orma_report_limits limits = {
        .program = d->request->program,
        .traces = {d->request->traces[0], d->request->traces[1]},
        .kinds = orma_report_diff_kinds(),
        .is_compared = is_wanted,
        .ctx = d,
        .items = items,
        .num = d->changes.len};

    if (!items)
        return -ENOMEM;
    for (uint32_t i = 0; i < d->changes.len; i++)
        items[i] = item_of(d, &d->changes.data[i]);
    for (size_t i = 0; i < d->request->limits_num; i++)
        *ret_passed += orma_report_limit_check(&limits, &d->request->limits[i]);
    free(items);
    return 0;
}

/* ---- output ---- */

static void print_note(void *ctx, const char *note)
{
    const struct orma_report_diff_request *r = ctx;

    fprintf(stderr, "%s: %s\n", r->program, note);
}

/* Whoever compares runs of a program of which nothing tells that they are runs should know. */
static void print_rates_of_samples(const struct diff *d)
{
    bool rates = false;

    for (size_t i = 0; i < ORMA_ARRAY_LEN(sections); i++)
        rates |= sections[i].counts && d->tests[i] && d->samples == BY_SECOND;
    double shorter = fmin(d->seconds[0], d->seconds[1]),
           longer = fmax(d->seconds[0], d->seconds[1]);

    if (rates && longer > (1 + FEW_RUNS_NOISE) * shorter)
        fprintf(
            stderr,
            "%s: samples are compared per second, over %.3g s and %.3g s: what only took longer in "
            "total does not show a higher rate ('orma profile diff' compares totals)\n",
            d->request->program, d->seconds[0], d->seconds[1]);
}

static void print_notes(struct diff *d)
{
    bool lost = false, unknown = false;

    for (size_t i = 0; i < ORMA_ARRAY_LEN(sections); i++) {
        if (fabs(d->common[i]) >= BETWEEN_RECORDINGS)
            fprintf(stderr,
                    "%s: all %s took about %.1f%% %s, as on a %s machine; the changes below "
                    "are relative to that (--same-speed: absolute)\n",
                    d->request->program, sections[i].name, 100 * fabs(d->common[i]),
                    d->common[i] > 0 ? "longer" : "less", d->common[i] > 0 ? "slower" : "faster");
    }
    print_rates_of_samples(d);
    for (unsigned i = 0; i < 2; i++) {
        struct orma_report_diff_request one = *d->request;

        one.program = d->request->traces[i];
        orma_report_notes_each(&d->notes[i], ORMA_REPORT_OF_KERNEL | ORMA_REPORT_OF_SCHED, false,
                               print_note, &one);
        lost |= d->notes[i].kernel.len || d->notes[i].trace.len;
        unknown |= d->notes[i].sched.len != 0;
    }
    if (unknown)
        fprintf(stderr, "%s: thread times are compared only where thread switches are known\n",
                d->request->program);
    if (lost)
        fprintf(stderr, "%s: data was lost: sums per second and whole programs are not compared\n",
                d->request->program);
}

static void print_section(struct diff *d, const struct section *s, bool first,
                          const struct orma_report_result *rows)
{
    const struct orma_report_frame frame = {
        .width = ORMA_MAX(orma_cell_terminal_width(d->out, WIDTH), 40U),
        .unicode = orma_cell_unicode(),
        .out = d->out};

    if (d->request->form == ORMA_REPORT_DIFF_JSON) {
        fprintf(d->out,
                "%s\n    {\"name\": \"%s\", \"all_pct\": %.3g,\n     \"rows\": ", first ? "" : ",",
                s->name, 100 * d->common[s - sections]);
        orma_report_render_json(&frame, rows);
        fputc('}', d->out);
        return;
    }
    if (!rows->rows)
        return;
    bool markdown = d->request->form == ORMA_REPORT_DIFF_MARKDOWN;
    fprintf(d->out, markdown ? "%s### %s\n\n" : "%s%s\n\n", first ? "" : "\n",
            is_run_of_samples(d, s) ? s->of_run : s->question);
    if (markdown)
        orma_report_render_markdown(&frame, rows);
    else
        orma_report_render_text(&frame, rows);
    if (rows->more)
        fprintf(d->out, "%s(more rows: --top %zu)\n", markdown ? "\n" : "", d->request->top * 2);
}

static void print_begin(const struct diff *d)
{
    if (d->request->form != ORMA_REPORT_DIFF_JSON)
        return;
    fputs("{\"a\": ", d->out);
    orma_print_json_text(d->request->traces[0], d->out);
    fputs(", \"b\": ", d->out);
    orma_print_json_text(d->request->traces[1], d->out);
    fprintf(d->out, ", \"tests\": %u,\n \"sections\": [", d->all_tests);
}

static void print_scope(struct diff *d)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf text = {0};

    if (d->request->form == ORMA_REPORT_DIFF_JSON)
        return;
    const struct orma_buf *before = &d->choices[0].command, *after = &d->choices[1].command;

    if (!after->len ||
        (before->len == after->len && !memcmp(before->data, after->data, after->len))) {
        orma_report_choice_put_scope(&d->choices[1], &text);
    } else {
        orma_buf_put_str(&text, "Before: ");
        orma_report_choice_put_command(&d->choices[0], &text);
        orma_buf_put_str(&text, ", after: ");
        orma_report_choice_put_command(&d->choices[1], &text);
        orma_buf_put_str(&text, " and what they started: the traces were recorded for these "
                                "commands; --all compares the whole machines.");
    }
    if (text.len)
        fprintf(d->out, "%s\n\n", orma_buf_cstr(&text));
}

static int print_all(struct diff *d)
{
    bool any = false;
    int r = 0;

    print_begin(d);
    print_scope(d);
    for (size_t i = 0; i < ORMA_ARRAY_LEN(sections) && r == 0; i++) {
        struct orma_report_result rows = {0};

        if (!is_wanted(d, sections[i].name))
            continue;
        r = make_rows(d, &sections[i], &rows);
        if (r == 0)
            print_section(d, &sections[i], !any, &rows);
        any |= rows.rows || d->request->form == ORMA_REPORT_DIFF_JSON;
        orma_report_result_fini(&rows);
    }
    if (d->request->form == ORMA_REPORT_DIFF_JSON)
        fputs("]}\n", d->out);
    else if (!any && d->all_tests)
        fprintf(d->out, "No differences beyond noise in %u comparisons.\n", d->all_tests);
    else if (!any)
        fprintf(d->out, "Not enough data to compare: record more with 'orma record apps sched "
                        "syscalls -t 10s'\n");
    return r;
}

const char *orma_report_diff_section(unsigned n, const char **ret_question)
{
    if (n >= ORMA_ARRAY_LEN(sections))
        return NULL;
    if (ret_question)
        *ret_question = sections[n].question;
    return sections[n].name;
}

static int check_sections(const struct orma_report_diff_request *request)
{
    const char *names[ORMA_ARRAY_LEN(sections) + 1] = {0};

    for (size_t i = 0; i < ORMA_ARRAY_LEN(sections); i++)
        names[i] = sections[i].name;
    return orma_report_check_names(request->program, request->sections, names,
                                   "use --thread and --process to select threads and processes");
}

/* "A=B": the program has another name in the second trace. */
static int split_process(struct diff *d)
{
    const char *text = d->request->process, *eq = text ? strchr(text, '=') : NULL;

    if (!text)
        return 0;
    d->processes[0] = strndup(text, eq ? (size_t)(eq - text) : strlen(text));
    d->processes[1] = strdup(eq ? eq + 1 : text);
    return d->processes[0] && d->processes[1] ? 0 : -ENOMEM;
}

static int choose(struct diff *d, unsigned side, bool all)
{
    d->ranges[side] = (struct orma_report_request){.program = d->request->traces[side],
                                                   .process = d->processes[side],
                                                   .thread = d->request->thread,
                                                   .tree = d->request->tree,
                                                   .all = all};
    return orma_report_choice_init(&d->choices[side], d->request->tp[side], &d->ranges[side]);
}

/* A command is compared with a command, or a machine with a machine. */
static int choose_both(struct diff *d)
{
    int r = choose(d, 0, d->request->all);

    if (r == 0)
        r = choose(d, 1, d->request->all);
    for (unsigned i = 0; i < 2 && r == 0; i++) {
        if (d->choices[i].command.len && !d->choices[!i].command.len) {
            orma_report_choice_fini(&d->choices[i]);
            r = choose(d, i, true);
        }
    }
    return r;
}

static int read_all(struct diff *d)
{
    int r = split_process(d);

    for (unsigned i = 0; i < 2; i++)
        orma_report_notes_read(&d->notes[i], d->request->tp[i]);
    if (r == 0)
        r = choose_both(d);
    if (r == 0)
        r = read_samples(d);
    for (unsigned i = 0; i < 2 && r == 0; i++)
        r = read_span(d, i);
    for (size_t i = 0; i < ORMA_ARRAY_LEN(sections) && r == 0; i++) {
        /* A thread is no program. */
        if (is_wanted(d, sections[i].name) && !(sections[i].of_runs && d->request->thread))
            r = read_section(d, &sections[i]);
    }
    return r;
}

int orma_report_diff_run(const struct orma_report_diff_request *request, FILE *out)
{
    struct diff d = {.request = request, .out = out};
    unsigned passed = 0; /* limits, and those that nothing can be held against */

    if (check_sections(request) < 0)
        return ORMA_EXIT_USAGE;
    int r = read_all(&d);
    if (r == 0)
        r = judge(&d);
    if (r == 0) {
        r = print_all(&d);
        print_notes(&d);
    }
    if (r == 0 && request->limits_num)
        r = check_limits(&d, &passed);
    for (uint32_t i = 0; i < d.changes.len; i++) {
        free(d.changes.data[i].name);
        free(d.changes.data[i].self);
    }
    ORMA_VEC_FINI(&d.changes);
    for (unsigned i = 0; i < 2; i++) {
        orma_report_choice_fini(&d.choices[i]);
        orma_report_notes_fini(&d.notes[i]);
        free(d.processes[i]);
    }
    return r < 0 || passed ? ORMA_EXIT_FAILURE : ORMA_EXIT_OK;
}
