/*
 * Of each trace one query makes a row per name (count, sum, median, p99) and one for each block of
 * it; rows of equal names are put side by side.
 */
#include "tools/report/diff_parts.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "processor/sql/dialect/quote.h"
#include "sdk/base/path.h"
#include "sdk/base/vec.h"
#include "tools/load/loss.h"
#include "tools/report/choice.h"
#include "tools/report/noise.h"
#include "tools/report/notes.h"
#include "tools/report/result.h"

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
    "'*duration_ms: *' OR str_value GLOB '*off_cpu: true*')),\n"
    "  (SELECT total(o.ns) > 0 AND count(*) = count(o.id) FROM stack_sample AS s\n"
    "   LEFT JOIN _orma_sample_time AS o ON o.id = s.id)";

/* ---- one row ---- */

static double number(const struct orma_report_result *r, size_t row, uint32_t col)
{
    const struct orma_report_cell *cell = orma_report_result_cell(r, row, col);

    return cell->type == ORMA_VALUE_INT64    ? (double)cell->num
           : cell->type == ORMA_VALUE_DOUBLE ? cell->real
                                             : NAN;
}

static void clear(struct orma_report_noise_pair *metrics)
{
    for (size_t i = 0; i < 2 * (size_t)ORMA_REPORT_NOISE_BLOCKS; i++) {
        metrics[ORMA_DIFF_TOTAL]
            .side[i / ORMA_REPORT_NOISE_BLOCKS]
            .block[i % ORMA_REPORT_NOISE_BLOCKS] = 0;
        metrics[ORMA_DIFF_MEAN]
            .side[i / ORMA_REPORT_NOISE_BLOCKS]
            .block[i % ORMA_REPORT_NOISE_BLOCKS] = NAN;
        metrics[ORMA_DIFF_MEDIAN]
            .side[i / ORMA_REPORT_NOISE_BLOCKS]
            .block[i % ORMA_REPORT_NOISE_BLOCKS] = NAN;
    }
}

static void set_block(struct orma_report_noise_pair *metrics, unsigned side, size_t nr, double n,
                      double total, double median, double seconds)
{
    metrics[ORMA_DIFF_TOTAL].side[side].block[nr] = total * ORMA_REPORT_NOISE_BLOCKS / seconds;
    metrics[ORMA_DIFF_MEAN].side[side].block[nr] = total / n;
    metrics[ORMA_DIFF_MEDIAN].side[side].block[nr] = median;
}

/* One row of a name: it as a whole, or a block. */
static void take_row(struct orma_diff_change *c, unsigned side, const struct orma_report_result *r,
                     size_t row, double seconds)
{
    double nr = number(r, row, 1), n = number(r, row, 2), total = number(r, row, 3);
    double median = number(r, row, 4);

    if (isnan(nr)) {
        c->side[side] =
            (struct orma_diff_sums){n,      total,
                                    median, number(r, row, 5),
                                    0,      c->section->of_runs ? number(r, row, 6) / n : 0};
        return;
    }
    c->side[side].blocks++;
    set_block(c->value, side, (size_t)nr, n, total, median, seconds);
    if (c->self)
        set_block(c->self, side, (size_t)nr, n, number(r, row, 6), number(r, row, 7), seconds);
}

/* ---- one section ---- */

static const char *name_at(const struct orma_report_result *r, size_t row)
{
    return row < r->rows ? orma_report_result_cell(r, row, 0)->text : NULL;
}

/* The rows of a name, of either trace or of both; `at` moves behind them. */
static int add(struct orma_diff *d, const struct orma_diff_section *s, const char *name,
               const struct orma_report_result *r, size_t *at)
{
    struct orma_diff_change c = {.section = s, .name = strdup(name)};

    clear(c.value);
    if (s->common && !s->basis && (c.self = calloc(ORMA_DIFF_METRICS, sizeof(*c.self))))
        clear(c.self);
    for (unsigned side = 0; side < 2; side++) {
        for (const char *n; (n = name_at(&r[side], at[side])) && !strcmp(n, name); at[side]++)
            take_row(&c, side, &r[side], at[side], d->seconds[side]);
    }
    return !c.name || ORMA_VEC_PUSH(&d->changes, c) ? -ENOMEM : 0;
}

/* Rows of both in the order of their names. */
static int merge(struct orma_diff *d, const struct orma_diff_section *s,
                 const struct orma_report_result *r)
{
    size_t at[2] = {0};
    int err = 0;

    while (err == 0 && (at[0] < r[0].rows || at[1] < r[1].rows)) {
        const char *a = name_at(&r[0], at[0]), *b = name_at(&r[1], at[1]);

        err = add(d, s, !a || (b && strcmp(b, a) < 0) ? b : a, r, at);
    }
    return err;
}

enum { THREAD_NAME_MAX = 15 };

bool orma_diff_has_two_names(const struct orma_diff *d)
{
    return d->processes[0] && d->processes[1] &&
           strcmp(orma_path_base(d->processes[0]), orma_path_base(d->processes[1])) != 0;
}

/* The program that was chosen by another name in the second trace has the name of the first. */
static void put_name(const struct orma_diff *d, unsigned side, struct orma_buf *out)
{
    const char *names[2];

    for (unsigned i = 0; i < 2; i++)
        names[i] = d->processes[i] ? orma_path_base(d->processes[i]) : NULL;
    if (!side || !orma_diff_has_two_names(d)) {
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
static int read_unknown(struct orma_diff *d, const struct orma_diff_section *s, unsigned side,
                        uint32_t first)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf name = {0}, text = {0}, sql = {0};
    struct orma_report_result r = {0};
    size_t row = 0;

    put_name(d, side, &name);
    orma_buf_printf(&text, unknown_sql, orma_buf_cstr(&name), s->unknown);
    orma_report_choice_put(&d->choices[side], orma_buf_cstr(&text), false, &sql);
    int err = orma_report_result_read(d->request->tp[side], orma_buf_cstr(&sql), SIZE_MAX, &r);
    for (uint32_t i = first; i < d->changes.len && err == 0; i++) {
        struct orma_diff_change *c = &d->changes.data[i];

        while (row < r.rows && strcmp(name_at(&r, row), c->name) < 0)
            row++;
        if (row < r.rows && !strcmp(name_at(&r, row), c->name))
            c->side[side].unknown = number(&r, row, 1) / d->seconds[side];
    }
    orma_report_result_fini(&r);
    return err;
}

/* How much an item is. */
static void put_dur(const struct orma_diff *d, unsigned side, const struct orma_diff_section *s,
                    struct orma_buf *out)
{
    if (s->counts && d->timed)
        orma_buf_put_str(out, "dur * (SELECT o.ns FROM _orma_sample_time AS o WHERE "
                              "o.id = sample_id)");
    else if (!orma_diff_is_run_of_samples(d, s))
        orma_buf_put_str(out, "dur");
    else if (d->samples == ORMA_DIFF_BY_TIME)
        orma_buf_printf(out, "dur * %" PRId64, (int64_t)d->period_ns[side]);
    else
        orma_buf_put_str(out, "dur * coalesce((SELECT w.weight FROM _orma_sample_weight AS w WHERE "
                              "w.id = sample_id), 1)");
}

static int read_section(struct orma_diff *d, const struct orma_diff_section *s)
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

/* ---- one trace ---- */

/* Two numbers about what was chosen. */
static int read_numbers(struct orma_diff *d, unsigned side, const char *text, double ret[2])
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
static int read_span(struct orma_diff *d, unsigned side)
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
static bool is_sampled_run(const struct orma_diff *d, unsigned side,
                           const struct orma_report_result *r)
{
    const struct orma_report_request *range = &d->ranges[side];
    bool of_command = number(r, 0, 3) > 0, on_exec = number(r, 0, 4) > 0, cut = number(r, 0, 5) > 0;
    bool chosen = d->choices[side].command.len || range->process || range->thread || range->tree;

    return !cut && !range->all && (on_exec || (of_command && chosen));
}

/* Samples of runs are compared if both traces have them, and of the same. */
static int read_samples(struct orma_diff *d)
{
    struct orma_report_result r[2] = {0};
    const char *counted[2] = {NULL, NULL};
    double weights[2] = {0};
    bool runs = true;
    int err = 0;

    d->timed = true;
    for (unsigned i = 0; i < 2 && err == 0; i++) {
        err = orma_report_result_read(d->request->tp[i], sampled_sql, 1, &r[i]);
        if (err < 0)
            fprintf(stderr, "%s: %s: %s\n", d->request->program, d->request->traces[i],
                    orma_processor_error(d->request->tp[i]));
        d->timed &= err == 0 && r[i].rows && number(&r[i], 0, 6) > 0;
        if (err == 0 && r[i].rows) {
            counted[i] = orma_report_result_cell(&r[i], 0, 0)->text;
            d->period_ns[i] = number(&r[i], 0, 1);
            weights[i] = number(&r[i], 0, 2);
            runs &= is_sampled_run(d, i, &r[i]);
        }
    }
    if (err == 0 && runs && d->period_ns[0] > 0 && d->period_ns[1] > 0)
        d->samples = ORMA_DIFF_BY_TIME;
    else if (err == 0 && runs && weights[0] > 0 && weights[1] > 0 && counted[0] && counted[1] &&
             !strcmp(counted[0], counted[1]))
        d->samples = ORMA_DIFF_BY_EVENTS;
    orma_report_result_fini(&r[0]);
    orma_report_result_fini(&r[1]);
    return err;
}

/* "A=B": the program has another name in the second trace. */
static int split_process(struct orma_diff *d)
{
    const char *text = d->request->process, *eq = text ? strchr(text, '=') : NULL;

    if (!text)
        return 0;
    d->processes[0] = strndup(text, eq ? (size_t)(eq - text) : strlen(text));
    d->processes[1] = strdup(eq ? eq + 1 : text);
    return d->processes[0] && d->processes[1] ? 0 : -ENOMEM;
}

static int choose(struct orma_diff *d, unsigned side, bool all)
{
    d->ranges[side] = (struct orma_report_request){.program = d->request->traces[side],
                                                   .process = d->processes[side],
                                                   .thread = d->request->thread,
                                                   .tree = d->request->tree,
                                                   .all = all};
    return orma_report_choice_init(&d->choices[side], d->request->tp[side], &d->ranges[side]);
}

/* A command is compared with a command, or a machine with a machine. */
static int choose_both(struct orma_diff *d)
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

/* The name of the program that the trace was recorded for: of the root of what was chosen. */
static int read_program(struct orma_diff *d, unsigned side, char **ret)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf sql = {0};
    struct orma_report_result r = {0};

    orma_buf_printf(
        &sql,
        "SELECT " ORMA_REPORT_LAST_PART("name") " FROM process WHERE upid IN (%s) AND name != ''",
        orma_buf_cstr(&d->choices[side].roots));
    int err = orma_report_result_read(d->request->tp[side], orma_buf_cstr(&sql), 1, &r);
    const char *name = err == 0 ? name_at(&r, 0) : NULL;
    if (name && *name && !(*ret = strdup(name)))
        err = -ENOMEM;
    orma_report_result_fini(&r);
    return err;
}

/* Is there something of that name in what was chosen? */
static int read_has_name(struct orma_diff *d, unsigned side, const char *name, bool *ret)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf literal = {0}, text = {0}, sql = {0};
    struct orma_report_result r = {0};

    orma_sql_put_literal(&literal, orma_str_from(name));
    orma_buf_printf(
        &text,
        "SELECT EXISTS (SELECT 1 FROM process WHERE " ORMA_REPORT_LAST_PART(
            "name") " = %s$processes) OR "
                    "EXISTS (SELECT 1 FROM thread WHERE name IN (%s, substr(%s, 1, %d))$threads)",
        orma_buf_cstr(&literal), orma_buf_cstr(&literal), orma_buf_cstr(&literal), THREAD_NAME_MAX);
    orma_report_choice_put(&d->choices[side], orma_buf_cstr(&text), false, &sql);
    int err = orma_report_result_read(d->request->tp[side], orma_buf_cstr(&sql), 1, &r);
    *ret = err == 0 && r.rows && number(&r, 0, 0) > 0;
    orma_report_result_fini(&r);
    return err;
}

/*
 * Two versions of a program often have two names. The programs that the traces were recorded for
 * are compared with each other, unless one trace has both names: then they are not versions.
 */
static int pair_commands(struct orma_diff *d)
{
    char *names[2] = {NULL, NULL};
    bool both = false;
    int r = 0;

    if (d->processes[0] || !d->choices[0].command.len || !d->choices[1].command.len)
        return 0;
    for (unsigned i = 0; i < 2 && r == 0; i++)
        r = read_program(d, i, &names[i]);
    both = !names[0] || !names[1] || !strcmp(names[0], names[1]);
    for (unsigned i = 0; i < 2 && r == 0 && !both; i++)
        r = read_has_name(d, i, names[!i], &both);
    if (r == 0 && !both) {
        for (unsigned i = 0; i < 2; i++)
            d->processes[i] = names[i];
        d->paired = true;
        return 0;
    }
    free(names[0]);
    free(names[1]);
    return r;
}

int orma_diff_read(struct orma_diff *d)
{
    int r = split_process(d);

    for (unsigned i = 0; i < 2; i++)
        orma_report_notes_read(&d->notes[i], d->request->tp[i]);
    if (r == 0)
        r = choose_both(d);
    if (r == 0)
        r = pair_commands(d);
    if (r == 0)
        r = read_samples(d);
    for (unsigned i = 0; i < 2 && r == 0; i++)
        r = read_span(d, i);
    for (size_t i = 0; i < ORMA_DIFF_SECTIONS && r == 0; i++) {
        /* A thread is no program. */
        if (orma_diff_is_wanted(d, orma_diff_sections[i].name) &&
            !(orma_diff_sections[i].of_runs && d->request->thread))
            r = read_section(d, &orma_diff_sections[i]);
    }
    return r;
}
