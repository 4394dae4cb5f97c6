/*
 * A section is a query for items (name, ts, dur). Of each trace one query makes a row per name:
 * count, sum, median, p99, and of the blocks of the trace the sums and sums of squares of their
 * totals, means and medians. Rows of equal names are put side by side; each number that a section
 * compares becomes a test, and after all are counted, each is judged:
 *
 *     |b - a| > t(0.05 / sections / tests, blocks of both - 2) * sqrt(error(a)^2 + error(b)^2)
 *
 * `sections`: those with tests; `tests`: of this section, so that thousands of stacks do not hide
 * what one slice tells. Where events were lost, sums say nothing: they are no tests.
 */
#include "tools/report/diff.h"

#include <errno.h>
#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "processor/export/csv.h"
#include "sdk/base/vec.h"
#include "tools/base/cell.h"
#include "tools/base/cli.h"
#include "tools/load/loss.h"
#include "tools/report/choice.h"
#include "tools/report/notes.h"
#include "tools/report/render.h"

#define BLOCKS ORMA_REPORT_DIFF_BLOCKS
#define BLOCKS_MIN 4 /* fewer tell nothing of noise */
/* Two recordings of the same differ by that much in all of their blocks: other places in memory,
 * another clock of the CPU. */
#define BETWEEN_RECORDINGS 0.025
#define MORE_MIN_NS 5e5 /* a sum of times that changed by less, per second, is not worth a line */
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
    bool counts;                /* what is summed up are samples, no times */
    unsigned basis;             /* enum orma_report_basis */
} sections[] = {
    {"slices", "slice", "Which slices changed?", "slices",
     "name, ts, dur FROM orma_slice WHERE ended AND name IS NOT NULL$owners",
     1 << TOTAL | 1 << MEAN | 1 << MEDIAN, false, 0},
    {"cpu", "cpu", "Which threads used more or less CPU?", "sched",
     "t.name, r.ts, r.dur FROM orma_run AS r JOIN thread AS t USING (utid)\n"
     "WHERE t.name IS NOT NULL$threads",
     1 << TOTAL, false, ORMA_REPORT_OF_KERNEL | ORMA_REPORT_OF_SCHED},
    {"waits", "wait", "Which threads waited more or less for a CPU?", "sched",
     "t.name, w.ts, w.dur FROM orma_wait AS w JOIN thread AS t USING (utid)\n"
     "WHERE t.name IS NOT NULL$threads",
     1 << TOTAL, false, ORMA_REPORT_OF_KERNEL | ORMA_REPORT_OF_SCHED},
    {"sleeps", "sleep", "Which threads slept or were blocked more or less?", "sched",
     "t.name, s.ts, s.dur FROM thread_state AS s JOIN thread AS t USING (utid)\n"
     "WHERE t.name IS NOT NULL AND s.dur >= 0 AND s.state GLOB '[SDI]*' AND NOT "
     "t.is_idle$threads",
     1 << TOTAL, false, ORMA_REPORT_OF_KERNEL | ORMA_REPORT_OF_SCHED},
    {"calls", "call", "Which system calls changed?", "syscalls",
     "name, ts, dur FROM orma_syscall WHERE 1$threads", 1 << TOTAL | 1 << MEDIAN, false,
     ORMA_REPORT_OF_KERNEL},
    {"functions", "function", "Which functions had more or less samples?", "samples",
     "function AS name, ts, 1 AS dur FROM orma_sample WHERE function IS NOT NULL$threads",
     1 << TOTAL, true, 0},
    {"stacks", "stack", "Which stacks of calls had more or less samples?", "samples",
     "stack AS name, ts, 1 AS dur FROM orma_sample WHERE stack IS NOT NULL$threads", 1 << TOTAL,
     true, 0},
};

static const char sums_sql[] = "INCLUDE PERFETTO MODULE orma.diff;\n"
                               "INCLUDE PERFETTO MODULE orma.%s;\n"
                               "CREATE OR REPLACE PERFETTO TABLE _orma_diff_item AS SELECT %s;\n"
                               "SELECT * FROM _orma_diff_sums!(_orma_diff_item) ORDER BY name";

/* ---- one trace ---- */

struct sums {
    double n, total, median, p99, blocks;
    double value[METRICS], error[METRICS]; /* error: of the value, by the spread of blocks */
};

struct change {
    const struct section *section;
    char *name;
    struct sums side[2];
    bool listed;
    enum metric metric; /* that the change is told by */
    double part;        /* of it; INFINITY: it was not there */
    double noise;       /* what of it could be noise, as a part */
    double more;        /* of the sum, per second */
};

struct diff {
    const struct orma_report_diff_request *request;
    ORMA_VEC(struct change) changes;
    double seconds[2];
    struct orma_report_request ranges[2]; /* what was chosen, of each trace */
    struct orma_report_choice choices[2];
    struct orma_report_notes notes[2];
    unsigned tests[ORMA_ARRAY_LEN(sections)], sections, all_tests;
    unsigned passed; /* limits */
    FILE *out;
};

/* The error of a mean of `num` values of which sum and sum of squares are known. */
static double error_of(double num, double sum, double squares)
{
    double mean = num > 0 ? sum / num : 0;
    double var = num > 1 ? (squares - num * mean * mean) / (num - 1) : 0;

    return num > 1 ? sqrt(fmax(var, 0) / num) : 0;
}

static double number(const struct orma_report_result *r, size_t row, uint32_t col)
{
    const struct orma_report_cell *cell = orma_report_result_cell(r, row, col);

    return cell->type == ORMA_VALUE_INT64 ? (double)cell->num : cell->real;
}

static struct sums sums_of(const struct orma_report_result *r, size_t row, double seconds)
{
    struct sums ret = {.n = number(r, row, 1),
                       .total = number(r, row, 2),
                       .median = number(r, row, 3),
                       .p99 = number(r, row, 4),
                       .blocks = number(r, row, 5)};

    ret.value[TOTAL] = ret.total / seconds;
    ret.value[MEAN] = ret.total / ret.n;
    ret.value[MEDIAN] = ret.median;
    /* A block without any has a sum of 0, but no mean. */
    ret.error[TOTAL] = error_of(BLOCKS, number(r, row, 6), number(r, row, 7)) * BLOCKS / seconds;
    ret.error[MEAN] = error_of(ret.blocks, number(r, row, 8), number(r, row, 9));
    ret.error[MEDIAN] = error_of(ret.blocks, number(r, row, 10), number(r, row, 11));
    return ret;
}

/* ---- tests ---- */

/* The value that a standard normal variable exceeds with probability p: Abramowitz, Stegun
 * 26.2.23. */
static double normal_quantile(double p)
{
    double t = sqrt(-2 * log(p));

    return t - (2.515517 + 0.802853 * t + 0.010328 * t * t) /
                   (1 + 1.432788 * t + 0.189269 * t * t + 0.001308 * t * t * t);
}

/* The same of Student's t: its expansion in 1 / freedom. */
static double t_quantile(double p, double freedom)
{
    double z = normal_quantile(p), z3 = z * z * z, z5 = z3 * z * z, z7 = z5 * z * z, f = freedom;

    return z + (z3 + z) / (4 * f) + (5 * z5 + 16 * z3 + 3 * z) / (96 * f * f) +
           (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * f * f * f);
}

/* Events of the kind that these are about were lost: sums are too low by nobody knows how much. */
static bool is_short(const struct orma_report_notes *notes, const struct section *s)
{
    return notes->trace.len || ((s->basis & ORMA_REPORT_OF_KERNEL) && notes->kernel.len);
}

/* Can noise be told of this number at all? */
static bool can_test(const struct diff *d, const struct change *c, enum metric m)
{
    const struct sums *a = &c->side[0], *b = &c->side[1];

    if (!(c->section->metrics & (1U << m)))
        return false;
    if (m == TOTAL && (is_short(&d->notes[0], c->section) || is_short(&d->notes[1], c->section)))
        return false;
    if (m == TOTAL)
        return fmax(a->blocks, b->blocks) >= BLOCKS_MIN;
    return fmin(a->blocks, b->blocks) >= BLOCKS_MIN;
}

static void judge_metric(struct diff *d, struct change *c, enum metric m)
{
    const struct sums *a = &c->side[0], *b = &c->side[1];
    double from = a->value[m], to = b->value[m], delta = to - from;
    double freedom = m == TOTAL ? 2 * BLOCKS - 2 : a->blocks + b->blocks - 2;
    double tests = (double)d->sections * d->tests[c->section - sections];
    double within = t_quantile(FALSE_ALARMS / 2 / tests, freedom) *
                    sqrt(a->error[m] * a->error[m] + b->error[m] * b->error[m]);
    double noise = hypot(within, BETWEEN_RECORDINGS * from);
    double part = from > 0 ? delta / from : INFINITY;

    double more = m == TOTAL ? delta : delta * b->n / d->seconds[1];

    if (fabs(delta) <= noise)
        return;
    if ((m == TOTAL || c->section->basis) && !c->section->counts && fabs(more) < MORE_MIN_NS)
        return; /* a slice may be rare, and matter */
    /* The number of a call says more than a sum, where both changed. */
    if (c->listed && m == TOTAL)
        return;
    c->listed = true;
    c->metric = m;
    c->part = part;
    c->noise = from > 0 ? noise / from : INFINITY;
}

static void judge(struct diff *d)
{
    static const enum metric order[] = {MEDIAN, MEAN, TOTAL};

    for (uint32_t i = 0; i < d->changes.len; i++) {
        const struct change *c = &d->changes.data[i];

        for (unsigned m = 0; m < METRICS; m++)
            d->tests[c->section - sections] += can_test(d, c, m);
    }
    for (size_t i = 0; i < ORMA_ARRAY_LEN(sections); i++) {
        d->sections += d->tests[i] != 0;
        d->all_tests += d->tests[i];
    }
    for (uint32_t i = 0; i < d->changes.len; i++) {
        struct change *c = &d->changes.data[i];

        c->more = c->side[1].value[TOTAL] - c->side[0].value[TOTAL];
        for (size_t m = 0; m < ORMA_ARRAY_LEN(order); m++) {
            if (can_test(d, c, order[m]) && !(c->listed && order[m] == MEAN))
                judge_metric(d, c, order[m]);
        }
    }
}

/* ---- reading ---- */

static int add(struct diff *d, const struct section *s, const char *name, const struct sums *a,
               const struct sums *b)
{
    struct change c = {.section = s, .name = strdup(name)};

    if (a)
        c.side[0] = *a;
    if (b)
        c.side[1] = *b;
    return !c.name || ORMA_VEC_PUSH(&d->changes, c) ? -ENOMEM : 0;
}

/* Rows of both in the order of their names. */
static int merge(struct diff *d, const struct section *s, const struct orma_report_result *r)
{
    size_t i = 0, j = 0;
    int err = 0;

    while (err == 0 && (i < r[0].rows || j < r[1].rows)) {
        const char *a = i < r[0].rows ? orma_report_result_cell(&r[0], i, 0)->text : NULL;
        const char *b = j < r[1].rows ? orma_report_result_cell(&r[1], j, 0)->text : NULL;
        int order = !a ? 1 : !b ? -1 : strcmp(a, b);
        struct sums from = {0}, to = {0};

        if (order <= 0)
            from = sums_of(&r[0], i++, d->seconds[0]);
        if (order >= 0)
            to = sums_of(&r[1], j++, d->seconds[1]);
        err = add(d, s, order <= 0 ? a : b, order <= 0 ? &from : NULL, order >= 0 ? &to : NULL);
    }
    return err;
}

static int read_section(struct diff *d, const struct section *s)
{
    struct orma_report_result r[2] = {0};
    int err = 0;

    for (unsigned i = 0; i < 2 && err == 0; i++) {
        ORMA_AUTO(orma_buf_fini) struct orma_buf items = {0}, sql = {0};

        orma_report_choice_put(&d->choices[i], s->items, false, &items);
        orma_buf_printf(&sql, sums_sql, s->module, orma_buf_cstr(&items));
        err = orma_report_result_read(d->request->tp[i], orma_buf_cstr(&sql), SIZE_MAX, &r[i]);
        if (err < 0)
            fprintf(stderr, "%s: %s: %s\n", d->request->program, d->request->traces[i],
                    orma_processor_error(d->request->tp[i]));
    }
    if (err == 0)
        err = merge(d, s, r);
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

static void put_row(struct orma_report_result *r, const struct change *c, double all)
{
    const struct sums *a = &c->side[0], *b = &c->side[1];

    put_text(r, c->name);
    put_real(r, a->n);
    put_real(r, b->n);
    put_real(r, a->n && !c->section->counts ? a->median : NAN);
    put_real(r, b->n && !c->section->counts ? b->median : NAN);
    put_change(r, c);
    put_real(r, 100 * c->more / all);
    put_real(r, a->p99);
    put_real(r, b->p99);
    put_real(r, a->value[TOTAL]);
    put_real(r, b->value[TOTAL]);
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
    double all;

    if (!sorted)
        return -ENOMEM;
    for (size_t i = 0; i < ORMA_ARRAY_LEN(titles); i++) {
        struct orma_report_column c = {.for_programs = *titles[i] == '_'};
        bool time =
            strstr(titles[i], "p50") || strstr(titles[i], "p99") || strstr(titles[i], "per_s");

        snprintf(c.name, sizeof(c.name), "%s", titles[i] + c.for_programs);
        snprintf(c.title, sizeof(c.title), "%s", i == 6 ? "explains" : c.name);
        for (char *p = c.title; *p; p++)
            *p = *p == '_' ? ' ' : *p;
        c.unit = strstr(titles[i], "_pct") ? ORMA_REPORT_PERCENT
                 : time && !s->counts      ? ORMA_REPORT_NS
                                           : ORMA_REPORT_PLAIN;
        (void)ORMA_VEC_PUSH(&ret->columns, c);
    }
    uint32_t num = sort_changes(d, s, sorted, &all);
    for (uint32_t i = 0; i < num && (!d->request->top || i < d->request->top); i++)
        put_row(ret, sorted[i], all);
    ret->rows = ret->columns.len ? ret->cells.len / ret->columns.len : 0;
    ret->more = d->request->top && num > d->request->top;
    free(sorted);
    return 0;
}

/* ---- limits ---- */

bool orma_report_limit_parse(const char *text, struct orma_report_limit *ret)
{
    char *end;
    double part = strtod(text, &end) / 100;
    const char *eq;

    if (end == text || *end != '%' || end[1] != ':' || !(fabs(part) > 0) || !isfinite(part))
        return false;
    *ret = (struct orma_report_limit){.part = part, .text = text};
    eq = strchr(end + 2, '=');
    ret->kind = end + 2;
    ret->kind_len = eq ? (size_t)(eq - end - 2) : 0;
    ret->name = eq ? eq + 1 : end + 2;
    for (size_t i = 0; i < ORMA_ARRAY_LEN(sections) && eq; i++) {
        if (strlen(sections[i].kind) == ret->kind_len &&
            !memcmp(sections[i].kind, ret->kind, ret->kind_len))
            return *ret->name;
    }
    return !eq && *ret->name;
}

static bool is_meant(const struct orma_report_limit *l, const struct change *c)
{
    return (!l->kind_len || (strlen(c->section->kind) == l->kind_len &&
                             !memcmp(c->section->kind, l->kind, l->kind_len))) &&
           fnmatch(l->name, c->name, 0) == 0;
}

/* Whether anything is meant at all: a limit that can never be passed is a mistake. */
static bool check_limit(struct diff *d, const struct orma_report_limit *l)
{
    bool meant = false;

    for (uint32_t i = 0; i < d->changes.len; i++) {
        const struct change *c = &d->changes.data[i];

        if (!is_meant(l, c))
            continue;
        meant = true;
        if (!c->listed || (l->part > 0 ? c->part < l->part : c->part > l->part))
            continue;
        fprintf(stderr, "%s: %s '%s' changed by %+.1f%% (%s); the limit is %s\n",
                d->request->program, c->section->kind, c->name, 100 * c->part,
                metric_names[c->metric], l->text);
        d->passed++;
    }
    if (!meant)
        fprintf(stderr, "%s: --fail-on %s: neither trace has anything of this name\n",
                d->request->program, l->text);
    return meant;
}

/* ---- output ---- */

static void print_note(void *ctx, const char *note)
{
    const struct orma_report_diff_request *r = ctx;

    fprintf(stderr, "%s: %s\n", r->program, note);
}

static void print_notes(struct diff *d)
{
    bool lost = false;

    for (unsigned i = 0; i < 2; i++) {
        struct orma_report_diff_request one = *d->request;

        one.program = d->request->traces[i];
        orma_report_notes_each(&d->notes[i], ORMA_REPORT_OF_KERNEL | ORMA_REPORT_OF_SCHED,
                               print_note, &one);
        lost |= d->notes[i].kernel.len || d->notes[i].trace.len;
    }
    if (lost)
        fprintf(stderr, "%s: sums of what was lost are not compared\n", d->request->program);
}

static void print_section(struct diff *d, const struct section *s, bool first,
                          const struct orma_report_result *rows)
{
    const struct orma_report_frame frame = {
        .width = ORMA_MAX(orma_cell_terminal_width(d->out, WIDTH), 40U),
        .unicode = orma_cell_unicode(),
        .out = d->out};

    if (d->request->form == ORMA_REPORT_DIFF_JSON) {
        fprintf(d->out, "%s\n    {\"name\": \"%s\",\n     \"rows\": ", first ? "" : ",", s->name);
        orma_report_render_json(&frame, rows);
        fputc('}', d->out);
        return;
    }
    if (!rows->rows)
        return;
    bool markdown = d->request->form == ORMA_REPORT_DIFF_MARKDOWN;
    fprintf(d->out, markdown ? "%s### %s\n\n" : "%s%s\n\n", first ? "" : "\n", s->question);
    if (markdown)
        orma_report_render_markdown(&frame, rows);
    else
        orma_report_render_text(&frame, rows);
    if (rows->more)
        fprintf(d->out, "(more rows: --top %zu)\n", d->request->top * 2);
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

static bool is_wanted(const struct diff *d, const char *name)
{
    const char *const *n = d->request->sections;

    if (!*n)
        return true;
    while (*n && strcmp(*n, name) != 0)
        n++;
    return *n != NULL;
}

static int print_all(struct diff *d)
{
    bool any = false;
    int r = 0;

    print_begin(d);
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
        fprintf(d->out, "No difference beyond the noise, of %u that were looked at.\n",
                d->all_tests);
    else if (!any)
        fprintf(d->out, "Too little to compare; 'orma record apps sched syscalls -t 10s' "
                        "records more.\n");
    return r;
}

const char *orma_report_diff_section(unsigned n)
{
    return n < ORMA_ARRAY_LEN(sections) ? sections[n].name : NULL;
}

static int check_sections(const struct orma_report_diff_request *request)
{
    const char *names[ORMA_ARRAY_LEN(sections) + 1] = {0};

    for (size_t i = 0; i < ORMA_ARRAY_LEN(sections); i++)
        names[i] = sections[i].name;
    return orma_report_check_names(request->program, request->sections, names);
}

static int read_all(struct diff *d)
{
    int r = 0;

    for (unsigned i = 0; i < 2; i++)
        orma_report_notes_read(&d->notes[i], d->request->tp[i]);
    for (unsigned i = 0; i < 2 && r == 0; i++) {
        double ns = (double)orma_load_span_ns(d->request->tp[i]);

        d->seconds[i] = ns > 0 ? ns / 1e9 : 1;
        d->ranges[i] = (struct orma_report_request){.program = d->request->traces[i],
                                                    .process = d->request->process,
                                                    .thread = d->request->thread};
        r = orma_report_choice_init(&d->choices[i], d->request->tp[i], &d->ranges[i]);
    }
    for (size_t i = 0; i < ORMA_ARRAY_LEN(sections) && r == 0; i++) {
        if (is_wanted(d, sections[i].name))
            r = read_section(d, &sections[i]);
    }
    return r;
}

int orma_report_diff_run(const struct orma_report_diff_request *request, FILE *out)
{
    struct diff d = {.request = request, .out = out};

    if (check_sections(request) < 0)
        return ORMA_EXIT_USAGE;
    int r = read_all(&d);
    if (r == 0) {
        judge(&d);
        r = print_all(&d);
        print_notes(&d);
    }
    for (size_t i = 0; i < request->limits_num && r == 0; i++)
        r = check_limit(&d, &request->limits[i]) ? 0 : -ENOENT;
    for (uint32_t i = 0; i < d.changes.len; i++)
        free(d.changes.data[i].name);
    ORMA_VEC_FINI(&d.changes);
    for (unsigned i = 0; i < 2; i++) {
        orma_report_choice_fini(&d.choices[i]);
        orma_report_notes_fini(&d.notes[i]);
    }
    return r < 0 || d.passed ? ORMA_EXIT_FAILURE : ORMA_EXIT_OK;
}
