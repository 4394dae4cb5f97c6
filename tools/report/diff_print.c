/*
 * What was found, as text, Markdown or JSON, and what has to be known to read it.
 */
#include "tools/report/diff_parts.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "processor/export/csv.h"
#include "sdk/base/path.h"
#include "sdk/base/vec.h"
#include "tools/base/cell.h"
#include "tools/report/choice.h"
#include "tools/report/diff.h"
#include "tools/report/notes.h"
#include "tools/report/render.h"
#include "tools/report/result.h"

#define TIMES_MIN 9.0 /* from here on a change is so many times as much, not per cent */
#define WIDTH 80

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
static void put_change(struct orma_report_result *r, const struct orma_diff_change *c)
{
    char text[48];

    if (!c->side[0].n || !c->side[1].n)
        snprintf(text, sizeof(text), "%s", c->side[0].n ? "gone" : "new");
    else if (c->part >= TIMES_MIN)
        snprintf(text, sizeof(text), "x%.0f %s", 1 + c->part, orma_diff_metric_names[c->metric]);
    else
        snprintf(text, sizeof(text), "%+.1f%% %s", 100 * c->part,
                 orma_diff_metric_names[c->metric]);
    put_text(r, text);
}

static const char *const titles[] = {"name",     "times_a",     "times_b",    "p50_a",  "p50_b",
                                     "change",   "share_pct",   "_p99_a",     "_p99_b", "_per_s_a",
                                     "_per_s_b", "_change_pct", "_noise_pct", "_metric"};

/* A program that has two names is read with both; programs that read JSON know it by the first. */
static void put_names(const struct orma_diff *d, struct orma_report_result *r, const char *name)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf both = {0};

    if (d->request->form == ORMA_REPORT_DIFF_JSON || !orma_diff_has_two_names(d) ||
        strcmp(name, orma_path_base(d->processes[0])) != 0) {
        put_text(r, name);
        return;
    }
    orma_buf_printf(&both, "%s -> %s", name, orma_path_base(d->processes[1]));
    put_text(r, both.failed ? name : orma_buf_cstr(&both));
}

static void put_row(const struct orma_diff *d, struct orma_report_result *r,
                    const struct orma_diff_change *c, bool sums, double all)
{
    const struct orma_diff_sums *a = &c->side[0], *b = &c->side[1];
    const double *seconds = d->seconds;

    put_names(d, r, c->name);
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
    put_text(r, orma_diff_metric_names[c->metric]);
}

static int by_change(const void *a, const void *b)
{
    const struct orma_diff_change *x = *(const struct orma_diff_change *const *)a;
    const struct orma_diff_change *y = *(const struct orma_diff_change *const *)b;
    double left = fabs(x->more), right = fabs(y->more);

    return left < right ? 1 : left > right ? -1 : strcmp(x->name, y->name);
}

/* Listed changes of a section, what explains most first; `ret` is an array of pointers. */
static uint32_t sort_changes(struct orma_diff *d, const struct orma_diff_section *s,
                             const struct orma_diff_change **ret, double *ret_all)
{
    uint32_t num = 0;

    *ret_all = 0;
    for (uint32_t i = 0; i < d->changes.len; i++) {
        const struct orma_diff_change *c = &d->changes.data[i];

        if (c->section != s || !c->listed)
            continue;
        ret[num++] = c;
        *ret_all += fabs(c->more);
    }
    if (num)
        qsort(ret, num, sizeof(*ret), by_change);
    return num;
}

static int orma_diff_rows(struct orma_diff *d, const struct orma_diff_section *s,
                          struct orma_report_result *ret)
{
    const struct orma_diff_change **sorted = calloc(d->changes.len + (size_t)1, sizeof(*sorted));
    bool sums = orma_diff_is_run_of_samples(d, s);
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
        c.unit = strstr(titles[i], "_pct")                                    ? ORMA_REPORT_PERCENT
                 : time && (!s->counts || orma_diff_is_time_of_samples(d, s)) ? ORMA_REPORT_NS
                                                                              : ORMA_REPORT_PLAIN;
        (void)ORMA_VEC_PUSH(&ret->columns, c);
    }
    uint32_t num = sort_changes(d, s, sorted, &all);
    for (uint32_t i = 0; i < num && (!d->request->top || i < d->request->top); i++)
        put_row(d, ret, sorted[i], sums, all);
    ret->rows = ret->columns.len ? ret->cells.len / ret->columns.len : 0;
    ret->more = d->request->top && num > d->request->top;
    free(sorted);
    return 0;
}

/* ---- output ---- */

static void print_note(void *ctx, const char *note)
{
    const struct orma_report_diff_request *r = ctx;

    fprintf(stderr, "%s: %s\n", r->program, note);
}

/* Whoever compares runs of a program of which nothing tells that they are runs should know. */
static void print_rates_of_samples(const struct orma_diff *d)
{
    bool rates = false;

    for (size_t i = 0; i < ORMA_DIFF_SECTIONS; i++)
        rates |= orma_diff_sections[i].counts && d->tests[i] && d->samples == ORMA_DIFF_BY_SECOND &&
                 !d->timed;
    double shorter = fmin(d->seconds[0], d->seconds[1]),
           longer = fmax(d->seconds[0], d->seconds[1]);

    if (rates && longer > (1 + ORMA_DIFF_FEW_RUNS_NOISE) * shorter)
        fprintf(
            stderr,
            "%s: samples are compared per second, over %.3g s and %.3g s: what only took longer in "
            "total does not show a higher rate ('orma profile diff' compares totals)\n",
            d->request->program, d->seconds[0], d->seconds[1]);
}

static void print_pair(const struct orma_diff *d)
{
    fprintf(stderr, "%s: '", d->request->program);
    orma_cell_print(d->processes[1], stderr);
    fputs("' is listed as '", stderr);
    orma_cell_print(d->processes[0], stderr);
    fputs("': the traces were recorded for these two commands\n", stderr);
}

void orma_diff_print_notes(struct orma_diff *d)
{
    bool lost = false, unknown = false;

    for (size_t i = 0; i < ORMA_DIFF_SECTIONS; i++) {
        if (fabs(d->common[i]) >= ORMA_DIFF_BETWEEN_RECORDINGS)
            fprintf(stderr,
                    "%s: all %s took about %.1f%% %s, as on a %s machine; the changes below "
                    "are relative to that (--same-speed: absolute)\n",
                    d->request->program, orma_diff_sections[i].name, 100 * fabs(d->common[i]),
                    d->common[i] > 0 ? "longer" : "less", d->common[i] > 0 ? "slower" : "faster");
    }
    if (d->paired && d->request->form == ORMA_REPORT_DIFF_JSON)
        print_pair(d);
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

static void print_section(struct orma_diff *d, const struct orma_diff_section *s, bool first,
                          const struct orma_report_result *rows)
{
    const struct orma_report_frame frame = {
        .width = ORMA_MAX(orma_cell_terminal_width(d->out, WIDTH), 40U),
        .unicode = orma_cell_unicode(),
        .out = d->out};

    if (d->request->form == ORMA_REPORT_DIFF_JSON) {
        fprintf(d->out,
                "%s\n    {\"name\": \"%s\", \"all_pct\": %.3g,\n     \"rows\": ", first ? "" : ",",
                s->name, 100 * d->common[s - orma_diff_sections]);
        orma_report_render_json(&frame, rows);
        fputc('}', d->out);
        return;
    }
    if (!rows->rows)
        return;
    bool markdown = d->request->form == ORMA_REPORT_DIFF_MARKDOWN;
    fprintf(d->out, markdown ? "%s### %s\n\n" : "%s%s\n\n", first ? "" : "\n",
            orma_diff_is_run_of_samples(d, s) ? s->of_run
            : d->timed && s->counts           ? s->of_time
                                              : s->question);
    if (markdown)
        orma_report_render_markdown(&frame, rows);
    else
        orma_report_render_text(&frame, rows);
    if (rows->more)
        fprintf(d->out, "%s(more rows: --top %zu)\n", markdown ? "\n" : "", d->request->top * 2);
}

static void print_begin(const struct orma_diff *d)
{
    if (d->request->form != ORMA_REPORT_DIFF_JSON)
        return;
    fputs("{\"a\": ", d->out);
    orma_print_json_text(d->request->traces[0], d->out);
    fputs(", \"b\": ", d->out);
    orma_print_json_text(d->request->traces[1], d->out);
    fprintf(d->out, ", \"tests\": %u,\n \"sections\": [", d->all_tests);
}

static void print_scope(struct orma_diff *d)
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

int orma_diff_print(struct orma_diff *d)
{
    bool any = false;
    int r = 0;

    print_begin(d);
    print_scope(d);
    for (size_t i = 0; i < ORMA_DIFF_SECTIONS && r == 0; i++) {
        struct orma_report_result rows = {0};

        if (!orma_diff_is_wanted(d, orma_diff_sections[i].name))
            continue;
        r = orma_diff_rows(d, &orma_diff_sections[i], &rows);
        if (r == 0)
            print_section(d, &orma_diff_sections[i], !any, &rows);
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
