/*
 * Each report is a walk over an order of stacks.h. Columns of numbers have a fixed width; the name
 * gets what is left of the line, the module comes behind it. Names come from a trace and may
 * hold anything: orma_cell_put() makes them safe.
 */
#include "tools/profile/text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "tools/base/cell.h"
#include "tools/base/units.h"

#define NO_LIMIT 100000u
#define NAME_MIN 24u
#define MODULE_WIDTH 24u
#define DEPTH_MAX 200u
#define AMOUNT_WIDTH 9

struct orma_profile_report_style orma_profile_report_style(FILE *out)
{
    return (struct orma_profile_report_style){.out = out,
                                              .top = 10,
                                              .min = 0.005,
                                              .ascii = !orma_cell_unicode(),
                                              .width = orma_cell_terminal_width(out, NO_LIMIT)};
}

/* ---- pieces ---- */

static double percent(uint64_t part, uint64_t whole)
{
    return whole ? 100.0 * (double)part / (double)whole : 0;
}

/* "3.84 s", "12 180", "1.2 MiB": as what is counted wants it. */
static const char *amount(const struct orma_stacks *s, uint64_t weight,
                          char ret[ORMA_UNITS_TEXT_MAX])
{
    if (orma_stacks_is_memory(s))
        return orma_units_format_size(weight, ret);
    if (s->period_ns && weight < UINT64_MAX / s->period_ns)
        return orma_units_format_duration(weight * s->period_ns, ret);
    snprintf(ret, ORMA_UNITS_TEXT_MAX, "%" PRIu64, weight);
    return ret;
}

static void put_text(FILE *out, const char *text, unsigned width, bool pad)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf cell = {0};
    struct orma_str s = orma_str_from(text);

    orma_cell_put(&cell, s, width);
    fputs(orma_buf_cstr(&cell), out);
    for (unsigned used = orma_cell_width(orma_buf_str(&cell)); pad && used < width; used++)
        fputc(' ', out);
}

static unsigned left_of(const struct orma_profile_report_style *style, unsigned used)
{
    return style->width > used + NAME_MIN ? style->width - used : NAME_MIN;
}

static void put_function(const struct orma_profile_report_style *style, const struct orma_stacks *s,
                         uint32_t function, unsigned used)
{
    const struct orma_stacks_function *f = &orma_stacks_functions(s)[function];
    const char *module = orma_stacks_text(s, f->module);
    bool narrow = style->width < NO_LIMIT;
    unsigned room = left_of(style, used);
    unsigned name = narrow && room > NAME_MIN + MODULE_WIDTH ? room - MODULE_WIDTH - 2 : room;
    ORMA_AUTO(orma_buf_fini) struct orma_buf text = {0};

    orma_buf_printf(&text, "%s%s", orma_stacks_text(s, f->name), f->inlined ? " (inlined)" : "");
    if (!narrow) {
        put_text(style->out, orma_buf_cstr(&text), NO_LIMIT, false);
        if (*module) {
            fputs("  ", style->out);
            put_text(style->out, module, NO_LIMIT, false);
        }
    } else if (name < room) {
        put_text(style->out, orma_buf_cstr(&text), name, true);
        fputs("  ", style->out);
        put_text(style->out, module, MODULE_WIDTH, false);
    } else {
        put_text(style->out, orma_buf_cstr(&text), room, false);
    }
    fputc('\n', style->out);
}

static const char *what(const struct orma_stacks *s)
{
    static const char *const names[] = {[ORMA_STACKS_SAMPLES] = "samples",
                                        [ORMA_STACKS_HEAP] = "not freed",
                                        [ORMA_STACKS_ALLOCATED] = "allocated",
                                        [ORMA_STACKS_OFF_CPU] = "waited",
                                        [ORMA_STACKS_WAKERS] = "waited"};

    return names[s->kind];
}

static const char *plural(uint64_t num)
{
    return num == 1 ? "" : "s";
}

/* ---- head ---- */

static void put_losses(FILE *out, const struct orma_stacks *s, const char *losses)
{
    if (losses)
        fprintf(out, "%s; ", losses);
    if (s->cut)
        fprintf(out, "truncated stacks: %" PRIu64 " (%.1f %%); ", s->cut,
                percent(s->cut, s->samples));
    if (s->continued)
        fprintf(out,
                "too deep to copy, outer callers taken from the previous sample: %" PRIu64
                " (%.1f %%); ",
                s->continued, percent(s->continued, s->samples));
    if (s->without_stack)
        fprintf(out, "without a stack: %" PRIu64 "; ", s->without_stack);
    if (s->unnamed)
        fprintf(out, "in functions without a name: %.1f %%; ", percent(s->unnamed, s->weight));
    if (s->without_python)
        fprintf(out, "in Python, but without Python functions: %.1f %%; ",
                percent(s->without_python, s->weight));
    if (!s->cut && !s->continued && !s->without_stack)
        fprintf(out, "all stacks are whole");
    else
        fprintf(out, "the rest is whole");
    fputc('\n', out);
}

#define UNSEEN_TOP 3u

static void put_unseen(const struct orma_profile_report_style *style, const struct orma_stacks *s)
{
    const struct orma_stacks_counted *c = &s->counted;
    const struct orma_stacks_unseen *rows = (const void *)c->unseen_names.data;
    size_t num = c->unseen_names.len / sizeof(*rows), top = ORMA_MIN(num, UNSEEN_TOP);
    char text[ORMA_UNITS_TEXT_MAX];
    uint64_t rest = c->unseen_ns;

    fprintf(style->out, "; %" PRIu64 " thread%s ended without a sample", c->unseen,
            plural(c->unseen));
    if (c->short_num == c->unseen)
        fputs(" because they used less than a sampling period", style->out);
    else
        fprintf(style->out, ", %" PRIu64 " of them within a sampling period", c->short_num);
    fprintf(style->out, ": %s", orma_units_format_duration(c->unseen_ns, text));
    for (size_t i = 0; i < top; i++) {
        fputs(i ? ", " : " in ", style->out);
        put_text(style->out, orma_stacks_text(s, rows[i].process), left_of(style, style->width / 2),
                 false);
        if (num > 1)
            fprintf(style->out, " %s", orma_units_format_duration(rows[i].ns, text));
        rest -= rows[i].ns;
    }
    if (top < num)
        fprintf(style->out, ", others %s", orma_units_format_duration(rest, text));
}

/* What samples cannot say. */
static void put_counted(const struct orma_profile_report_style *style, const struct orma_stacks *s)
{
    char text[ORMA_UNITS_TEXT_MAX];

    if (!s->counted.ns && !s->counted.unseen)
        return;
    fputs("counted by the kernel: ", style->out);
    if (s->counted.ns)
        fprintf(style->out, "%s of CPU time", orma_units_format_duration(s->counted.ns, text));
    else
        fputs("of CPU time not all", style->out);
    if (s->counted.unseen)
        put_unseen(style, s);
    else
        fputs("; no thread ended without a sample", style->out);
    fputc('\n', style->out);
}

void orma_profile_report_head(const struct orma_profile_report_style *style,
                              const struct orma_stacks *s, uint64_t cpu_ns, const char *losses)
{
    size_t threads = orma_stacks_threads_num(s);
    char text[ORMA_UNITS_TEXT_MAX], used[ORMA_UNITS_TEXT_MAX];
    FILE *out = style->out;

    if (s->sums) {
        fprintf(out, "%" PRIu64 " stack%s, %s", s->samples, plural(s->samples),
                amount(s, s->weight, text));
        if (s->event) {
            fputs(" of ", out);
            put_text(out, orma_stacks_text(s, s->event), NO_LIMIT, false);
        } else {
            fputs(s->period_ns ? " of time" : " samples", out);
        }
        fputs(": sums over the whole file, without threads and times\n", out);
        if (s->left_out)
            fprintf(out,
                    "not shown: %" PRIu64
                    " stack%s with a value below 0.5 (or negative, as in a difference)\n",
                    s->left_out, plural(s->left_out));
        if (s->rounded)
            fprintf(out, "rounded to a whole number: %" PRIu64 " stack%s\n", s->rounded,
                    plural(s->rounded));
        return;
    }
    fprintf(out, "%" PRIu64 " process%s, %zu thread%s, ", s->processes,
            s->processes == 1 ? "" : "es", threads, plural(threads));
    if (s->kind != ORMA_STACKS_SAMPLES) {
        fprintf(out, "%s %s", amount(s, s->weight, text), what(s));
        if (!orma_stacks_is_memory(s))
            fprintf(out, " in %" PRIu64 " wait%s", s->samples, plural(s->samples));
        fputc('\n', out);
        if (!orma_stacks_is_memory(s) && (losses || s->cut || s->without_stack))
            put_losses(out, s, losses);
        return;
    }
    fprintf(out, "%" PRIu64 " sample%s", s->samples, plural(s->samples));
    if (s->event) {
        fputs(" of ", out);
        put_text(out, orma_stacks_text(s, s->event), NO_LIMIT, false);
        if (s->weight != s->samples)
            fprintf(out, ", which stand for %" PRIu64, s->weight);
    }
    if (s->timed)
        fprintf(out, ", which stand for %s", amount(s, s->weight, used));
    else if (s->period_ns)
        fprintf(out, ", one per %s: %s of CPU time", orma_units_format_duration(s->period_ns, text),
                amount(s, s->samples, used));
    if (s->period_ns && !s->timed && cpu_ns)
        fprintf(out, ", %.1f %% of the %s that were used",
                percent(s->samples * s->period_ns, cpu_ns),
                orma_units_format_duration(cpu_ns, text));
    fputc('\n', out);
    put_losses(out, s, losses);
    put_counted(style, s);
}

/* ---- top ---- */

static void put_weights(FILE *out, const struct orma_stacks *s, uint64_t weight)
{
    char text[ORMA_UNITS_TEXT_MAX];

    fprintf(out, "%5.1f %% %*s  ", percent(weight, s->weight), AMOUNT_WIDTH,
            amount(s, weight, text));
}

#define TOP_USED 38u /* columns of two weights */

static void put_row(const struct orma_profile_report_style *style, const struct orma_stacks *s,
                    uint32_t function)
{
    const struct orma_stacks_function *f = &orma_stacks_functions(s)[function];

    put_weights(style->out, s, f->self);
    put_weights(style->out, s, f->total);
    put_function(style, s, function, TOP_USED);
}

#define PYTHON_TOP 5

/* As its frames say, or the program itself with -X perf: "py::work". */
static bool is_python(const struct orma_stacks *s, uint32_t function)
{
    const struct orma_stacks_function *f = &orma_stacks_functions(s)[function];
    struct orma_str module = orma_str_from(orma_stacks_text(s, f->module));

    return !strncmp(orma_stacks_text(s, f->name), "py::", 4) ||
           (module.len > 3 && !memcmp(module.data + module.len - 3, ".py", 3));
}

/* What is costly in Python rarely works itself: libraries in C and the interpreter do. */
static void put_python(const struct orma_profile_report_style *style, const struct orma_stacks *s)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf order = {0};
    unsigned shown = 0;

    orma_stacks_top(s, true, &order);
    const uint32_t *rows = (const void *)order.data;
    for (size_t i = 0; i < order.len / sizeof(*rows) && shown < PYTHON_TOP; i++) {
        if (!is_python(s, rows[i]))
            continue;
        if (!shown++)
            fprintf(style->out, "\nPython's functions, by total:\n");
        put_row(style, s, rows[i]);
    }
}

void orma_profile_report_top(const struct orma_profile_report_style *style,
                             const struct orma_stacks *s)
{
    const struct orma_stacks_function *f = orma_stacks_functions(s);
    ORMA_AUTO(orma_buf_fini) struct orma_buf order = {0};
    const uint32_t *rows;
    uint64_t shown = 0;

    orma_stacks_top(s, style->by_total, &order);
    rows = (const void *)order.data;
    size_t num = order.len / sizeof(*rows), top = style->top ? ORMA_MIN(style->top, num) : num;
    fprintf(style->out, "   self              total             function\n");
    for (size_t i = 0; i < top; i++) {
        put_row(style, s, rows[i]);
        shown += f[rows[i]].self;
    }
    if (top < num)
        fprintf(style->out, "%5.1f %% in %zu other function%s\n",
                percent(s->weight - shown, s->weight), num - top, plural(num - top));
    if (orma_stacks_is_memory(s))
        fprintf(style->out,
                "(memory of an allocator counts for its caller; all functions: orma profile report "
                "--heap %s --tree FOLDER)\n",
                s->kind == ORMA_STACKS_ALLOCATED ? "allocated" : "live");
    else if (s->kind == ORMA_STACKS_OFF_CPU)
        fputs("(a wait in the kernel or the C library counts for its caller; reasons: --by reason; "
              "all functions: --tree)\n",
              style->out);
    if (!style->by_total && top < num)
        put_python(style, s);
}

/* ---- trees ---- */

struct branch {
    const struct orma_profile_report_style *style;
    const struct orma_stacks *s;
    char lines[DEPTH_MAX * 4 + 16]; /* what leads from the line above */
    size_t lines_len;
    unsigned depth;
};

static void put_branch(struct branch *b, bool last)
{
    fprintf(b->style->out, "%.*s%s", (int)b->lines_len, b->lines,
            !b->depth         ? ""
            : b->style->ascii ? (last ? "`-" : "|-")
            : last            ? "\xe2\x94\x94\xe2\x94\x80"
                              : "\xe2\x94\x9c\xe2\x94\x80");
}

/* What the lines below it begin with. How long the beginning was before. */
static size_t deepen(struct branch *b, bool last)
{
    size_t before = b->lines_len;
    const char *more = !b->depth ? "" : last ? "  " : b->style->ascii ? "| " : "\xe2\x94\x82 ";

    memcpy(b->lines + before, more, strlen(more));
    b->lines_len += strlen(more);
    b->depth++;
    return before;
}

static void put_others(struct branch *b, size_t num, uint64_t weight)
{
    fprintf(b->style->out, "%5.1f %%        ", percent(weight, b->s->weight));
    put_branch(b, true);
    fprintf(b->style->out, "%zu other%s\n", num, plural(num));
}

#define TREE_USED 15u

static void put_node(struct branch *b, uint32_t node, bool last)
{
    const struct orma_stacks_node *n = &orma_stacks_nodes(b->s)[node];

    fprintf(b->style->out, "%5.1f %% %4.1f %% ", percent(n->total, b->s->weight),
            percent(n->self, b->s->weight));
    put_branch(b, last);
    put_function(b->style, b->s, n->function, TREE_USED + 2 * b->depth);
}

static void put_children(struct branch *b, uint32_t node)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf order = {0};
    const struct orma_stacks_node *n = orma_stacks_nodes(b->s);
    uint64_t min = (uint64_t)(b->style->min * (double)b->s->weight), rest = 0;
    size_t shown = 0, num;
    const uint32_t *rows;

    orma_stacks_children(b->s, node, &order);
    rows = (const void *)order.data;
    num = order.len / sizeof(*rows);
    while (shown < num && n[rows[shown]].total >= min && n[rows[shown]].total)
        shown++;
    for (size_t i = shown; i < num; i++)
        rest += n[rows[i]].total;
    for (size_t i = 0; i < shown && b->depth < DEPTH_MAX; i++) {
        bool last = i + 1 == num;

        put_node(b, rows[i], last);
        size_t before = deepen(b, last);
        put_children(b, rows[i]);
        b->lines_len = before;
        b->depth--;
    }
    if (shown < num && shown)
        put_others(b, num - shown, rest);
}

void orma_profile_report_tree(const struct orma_profile_report_style *style,
                              const struct orma_stacks *s)
{
    struct branch b = {.style = style, .s = s};

    fprintf(style->out, "  total   self calls\n");
    put_children(&b, 0);
}

/* ---- from below ---- */

static void put_group(struct branch *b, const struct orma_stacks_group *g, bool last)
{
    fprintf(b->style->out, "%5.1f %%        ", percent(g->weight, b->s->weight));
    put_branch(b, last);
    if (g->function == ORMA_STACKS_NONE)
        fprintf(b->style->out, "(the beginning of the stack)\n");
    else
        put_function(b->style, b->s, g->function, TREE_USED + 2 * b->depth);
}

static void put_callers(struct branch *b, struct orma_buf *list, size_t limit)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf groups = {0};
    uint64_t min = (uint64_t)(b->style->min * (double)b->s->weight), rest = 0;
    const struct orma_stacks_group *g;
    size_t num, shown = 0;

    orma_stacks_group(b->s, list, &groups);
    g = (const void *)groups.data;
    num = groups.len / sizeof(*g);
    if (num == 1 && g->function == ORMA_STACKS_NONE)
        return; /* the stack begins: nothing to say */
    while (shown < num && g[shown].weight >= min && (!limit || shown < limit))
        shown++;
    for (size_t i = shown; i < num; i++)
        rest += g[i].weight;
    for (size_t i = 0; i < shown && b->depth < DEPTH_MAX; i++) {
        ORMA_AUTO(orma_buf_fini) struct orma_buf up = {0};
        bool last = i + 1 == num;

        put_group(b, &g[i], last);
        if (g[i].function == ORMA_STACKS_NONE)
            continue;
        orma_stacks_up(b->s, (const struct orma_stacks_at *)(const void *)list->data + g[i].from,
                       g[i].num, &up);
        size_t before = deepen(b, last);
        put_callers(b, &up, 0);
        b->lines_len = before;
        b->depth--;
    }
    if (shown < num && shown)
        put_others(b, num - shown, rest);
}

void orma_profile_report_callers(const struct orma_profile_report_style *style,
                                 const struct orma_stacks *s, uint32_t function)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf list = {0};
    struct branch b = {.style = style, .s = s};

    fprintf(style->out, "  %s\n",
            function == ORMA_STACKS_NONE ? "share          function, with its callers below"
                                         : "share          callers");
    orma_stacks_leaves(s, function, &list);
    put_callers(&b, &list, function == ORMA_STACKS_NONE ? style->top : 0);
}

/* ---- sums and differences ---- */

/* Processes and threads of one name together: there may be thousands. */
static void put_unseen_names(const struct orma_profile_report_style *style,
                             const struct orma_stacks *s)
{
    const struct orma_stacks_unseen *rows = (const void *)s->counted.unseen_names.data;
    size_t num = s->counted.unseen_names.len / sizeof(*rows);
    char text[ORMA_UNITS_TEXT_MAX];

    if (num)
        fputs("ended without a sample:\n", style->out);
    for (size_t i = 0; i < num && (!style->top || i < style->top); i++) {
        fprintf(style->out, "%*s  ", AMOUNT_WIDTH + 8,
                orma_units_format_duration(rows[i].ns, text));
        put_text(style->out, orma_stacks_text(s, rows[i].process), left_of(style, 40), false);
        fprintf(style->out, ", %" PRIu64 " thread%s\n", rows[i].num, plural(rows[i].num));
    }
    if (style->top && style->top < num)
        fprintf(style->out, "and %zu other name%s\n", num - style->top, plural(num - style->top));
}

void orma_profile_report_sums(const struct orma_profile_report_style *style,
                              const struct orma_stacks *s, enum orma_stacks_by by)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf sums = {0};
    char text[ORMA_UNITS_TEXT_MAX];
    const struct orma_stacks_sum *rows;

    orma_stacks_sums(s, by, &sums);
    rows = (const void *)sums.data;
    size_t num = sums.len / sizeof(*rows), top = style->top ? ORMA_MIN(style->top, num) : num;
    for (size_t i = 0; i < top; i++) {
        put_weights(style->out, s, rows[i].weight);
        put_text(style->out, *rows[i].name ? rows[i].name : "[no name]", left_of(style, 30), false);
        if (rows[i].id)
            fprintf(style->out, " (%" PRId64 ")", rows[i].id);
        if (rows[i].counted_ns)
            fprintf(style->out, ", %s counted",
                    orma_units_format_duration(rows[i].counted_ns, text));
        fputc('\n', style->out);
    }
    if (top < num)
        fprintf(style->out, "and %zu other%s\n", num - top, plural(num - top));
    if (by == ORMA_STACKS_BY_PROCESS)
        put_unseen_names(style, s);
}

/* An amount of both: as one of them is written, where both have that unit. */
static const char *change_amount(const struct orma_stacks *s, double val, bool ns,
                                 char ret[ORMA_UNITS_TEXT_MAX])
{
    if (ns)
        return orma_units_format_duration((uint64_t)fabs(val), ret);
    struct orma_stacks plain = *s;
    plain.period_ns = 0;
    return amount(&plain, (uint64_t)fabs(val), ret);
}

static const char *verdict_of(const struct orma_stacks_change *c)
{
    switch (c->verdict) {
    case ORMA_STACKS_AMOUNT:
        return c->amount_after > c->amount_before ? "more" : "less";
    case ORMA_STACKS_SHARE:
        return "share only";
    case ORMA_STACKS_CHANCE:
        return "unclear";
    default:
        return "";
    }
}

static void put_change(const struct orma_profile_report_style *style, const struct orma_stacks *s,
                       const struct orma_stacks_change *c, bool ns)
{
    double delta = c->amount_after - c->amount_before;
    char text[ORMA_UNITS_TEXT_MAX], error[ORMA_UNITS_TEXT_MAX + 4];

    snprintf(error, sizeof(error), "%c%s", delta < 0 ? '-' : '+',
             change_amount(s, delta, ns, text));
    fprintf(style->out, "%*s", AMOUNT_WIDTH + 1, error);
    *error = '\0';
    if (!isnan(c->error))
        snprintf(error, sizeof(error), "+-%s", change_amount(s, c->error, ns, text));
    fprintf(style->out, " %-*s", AMOUNT_WIDTH + 2, error);
    fprintf(style->out, " %*s", AMOUNT_WIDTH, change_amount(s, c->amount_before, ns, text));
    fprintf(style->out, " %*s", AMOUNT_WIDTH, change_amount(s, c->amount_after, ns, text));
    fprintf(style->out, " %+6.1f pt  %-10s  ", 100 * (c->share_after - c->share_before),
            verdict_of(c));
    put_text(style->out, c->name, left_of(style, 66), false);
    if (*c->module && style->width == NO_LIMIT) {
        fputs("  ", style->out);
        put_text(style->out, c->module, NO_LIMIT, false);
    }
    fputc('\n', style->out);
}

/* Samples without a time have shares only; which of both it is, and what to do. */
static void put_without_time(const struct orma_profile_report_style *style,
                             const struct orma_stacks *s, const char *which)
{
    if (s->kind != ORMA_STACKS_SAMPLES || s->sums || s->event || s->period_ns)
        return;
    fprintf(style->out, "no times: %s ", which);
    if (s->taken_by) {
        fputs("is sampled by ", style->out);
        put_text(style->out, orma_stacks_text(s, s->taken_by), NO_LIMIT, false);
        fputs(", of which no time is known (perf record -e cpu-clock counts time)\n", style->out);
    } else {
        fputs("does not say what a sample stands for\n", style->out);
    }
}

void orma_profile_report_diff(const struct orma_profile_report_style *style,
                              const struct orma_stacks *before, const struct orma_stacks *after,
                              const struct orma_stacks_change *changes, size_t num)
{
    bool ns = before->period_ns && after->period_ns;
    size_t top = style->top ? ORMA_MIN(style->top, num) : num;

    put_without_time(style, before, "BEFORE");
    put_without_time(style, after, "AFTER");
    fprintf(style->out, " %*s %-*s %*s %*s    share              function\n", AMOUNT_WIDTH,
            "change", AMOUNT_WIDTH + 2, "", AMOUNT_WIDTH, "before", AMOUNT_WIDTH, "after");
    for (size_t i = 0; i < top; i++)
        put_change(style, before, &changes[i], ns);
    if (top < num)
        fprintf(style->out, "and %zu other%s\n", num - top, plural(num - top));
}
