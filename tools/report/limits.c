#include "tools/report/limits.h"

#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sdk/base/nearest.h"
#include "tools/base/cell.h"

static const struct orma_report_limit_kind *kind_of(const struct orma_report_limit_kind *kinds,
                                                    struct orma_str name)
{
    for (; kinds->kind; kinds++) {
        if (orma_str_eq_c(name, kinds->kind))
            return kinds;
    }
    return NULL;
}

/* ---- as they are written ---- */

static void put_unknown_kind(const struct orma_report_limit_kind *kinds, struct orma_str name,
                             struct orma_buf *why)
{
    struct orma_nearest near = {.wanted = name};

    for (const struct orma_report_limit_kind *k = kinds; k->kind; k++)
        (void)orma_nearest_consider(&near, k->kind);
    orma_buf_put_str(why, "there is no such kind");
    if (orma_nearest_get(&near))
        orma_buf_printf(why, "; did you mean '%s'?", orma_nearest_get(&near));
    orma_buf_put_str(why, orma_nearest_get(&near) ? " Kinds: " : "; kinds: ");
    for (const struct orma_report_limit_kind *k = kinds; k->kind; k++)
        orma_buf_printf(why, "%s%s", k == kinds ? "" : ", ", k->kind);
}

bool orma_report_limit_parse(const char *text, const struct orma_report_limit_kind *kinds,
                             const char *example, struct orma_report_limit *ret,
                             struct orma_buf *why)
{
    char *end;
    double part = strtod(text, &end) / 100;

    if (end == text || *end != '%' || end[1] != ':' || !end[2] || !(fabs(part) > 0) ||
        !isfinite(part)) {
        orma_buf_printf(why, "expected a limit such as %s", example);
        return false;
    }
    if (*text != '+' && *text != '-') {
        orma_buf_printf(why,
                        "a limit begins with + (must not increase by more) or - (must not "
                        "decrease by more), such as %s",
                        example);
        return false;
    }
    const char *eq = strchr(end + 2, '=');
    *ret = (struct orma_report_limit){.part = part, .text = text, .name = eq ? eq + 1 : end + 2};
    if (eq) {
        struct orma_str name = {end + 2, (size_t)(eq - end - 2)};
        const struct orma_report_limit_kind *kind = kind_of(kinds, name);

        if (!kind) {
            put_unknown_kind(kinds, name, why);
            return false;
        }
        ret->kind = kind->kind;
    }
    if (!*ret->name)
        orma_buf_printf(why, "expected a name after '=', such as %s", example);
    return *ret->name;
}

/* ---- against what was compared ---- */

static bool is_of_kind(const struct orma_report_limit *l, const struct orma_report_limit_item *item)
{
    return !l->kind || !strcmp(l->kind, item->kind);
}

static bool is_meant(const struct orma_report_limit *l, const struct orma_report_limit_item *item)
{
    return is_of_kind(l, item) && fnmatch(l->name, item->name, 0) == 0;
}

/* In neither trace. */
static void print_no_match(const struct orma_report_limits *self, const struct orma_report_limit *l)
{
    struct orma_nearest near = {.wanted = orma_str_from(l->name)};

    for (size_t i = 0; i < self->num; i++) {
        if (is_of_kind(l, &self->items[i]))
            (void)orma_nearest_consider(&near, self->items[i].name);
    }
    fprintf(stderr, "%s: --fail-on %s: neither trace has this name", self->program, l->text);
    if (orma_nearest_get(&near)) {
        fputs("; did you mean '", stderr);
        orma_cell_print(orma_nearest_get(&near), stderr);
        fputs("'?", stderr);
    }
    fputc('\n', stderr);
}

/* Nothing tells how much more it takes where there is nothing to compare it with. */
static void print_missing(const struct orma_report_limits *self, const struct orma_report_limit *l,
                          unsigned side)
{
    fprintf(stderr, "%s: limit %s: %s%s'", self->program, l->text, l->kind ? l->kind : "",
            l->kind ? " " : "");
    orma_cell_print(l->name, stderr);
    fprintf(stderr, "' is not in %s, %s\n", side ? "AFTER" : "BEFORE", self->traces[side]);
}

/* Whether one of those that are meant is in both traces; else what there is of them is printed. */
static bool is_in_both(const struct orma_report_limits *self, const struct orma_report_limit *l)
{
    bool in[2] = {false, false};

    for (size_t i = 0; i < self->num; i++) {
        const struct orma_report_limit_item *item = &self->items[i];

        if (!is_meant(l, item))
            continue;
        if (item->in[0] && item->in[1])
            return true;
        in[0] |= item->in[0];
        in[1] |= item->in[1];
    }
    if (!in[0] && !in[1])
        print_no_match(self, l);
    else if (in[0] && in[1]) /* a pattern: others in each */
        fprintf(stderr, "%s: limit %s: none of its names is in both traces\n", self->program,
                l->text);
    else
        print_missing(self, l, in[0]);
    return false;
}

/* A limit that nothing could pass is kept, but nobody should take that for an answer. */
static void tell_unchecked(const struct orma_report_limits *self, const struct orma_report_limit *l)
{
    for (size_t i = 0; i < self->num; i++) {
        if (is_meant(l, &self->items[i]) && self->items[i].tested)
            return;
    }
    fprintf(stderr,
            "%s: limit %s was not checked: too few occurrences to tell a change from noise, or "
            "data was lost\n",
            self->program, l->text);
}

static bool is_passed(const struct orma_report_limit *l, const struct orma_report_limit_item *item)
{
    return item->listed && (l->part > 0 ? item->part >= l->part : item->part <= l->part);
}

/* A program that takes four times as long does nothing at a higher rate: whoever limited the rate
 * may have meant the whole. */
static void tell_whole(const struct orma_report_limits *self, const struct orma_report_limit *l,
                       const struct orma_report_limit_kind *kind)
{
    for (size_t i = 0; i < self->num; i++) {
        const struct orma_report_limit_item *item = &self->items[i];

        if (strcmp(item->kind, kind->whole) != 0 || fnmatch(l->name, item->name, 0) != 0 ||
            !is_passed(l, item) || !isfinite(item->part))
            continue;
        fprintf(stderr, "%s: limit %s is about rates per second; from start to end, '",
                self->program, l->text);
        orma_cell_print(item->name, stderr);
        fprintf(stderr, "' changed by %+.1f%%: to limit that, write %s=, not %s=\n",
                100 * item->part, kind->whole, kind->kind);
        return;
    }
}

unsigned orma_report_limit_check(const struct orma_report_limits *self,
                                 const struct orma_report_limit *l)
{
    const struct orma_report_limit_kind *kind =
        l->kind ? kind_of(self->kinds, orma_str_from(l->kind)) : NULL;
    unsigned passed = 0;

    if (kind && !self->is_compared(self->ctx, kind->section)) {
        fprintf(stderr,
                "%s: limit %s: %s are not compared: add this section, or leave out all sections\n",
                self->program, l->text, kind->section);
        return 1;
    }
    if (!is_in_both(self, l))
        return 1;
    tell_unchecked(self, l);
    for (size_t i = 0; i < self->num; i++) {
        const struct orma_report_limit_item *item = &self->items[i];

        if (!is_meant(l, item) || !is_passed(l, item))
            continue;
        fprintf(stderr, "%s: %s '", self->program, item->kind);
        orma_cell_print(item->name, stderr);
        if (isfinite(item->part))
            fprintf(stderr, "' changed by %+.1f%% (%s); the limit is %s\n", 100 * item->part,
                    item->metric, l->text);
        else
            fprintf(stderr, "' is new; the limit is %s\n", l->text);
        passed++;
    }
    if (!passed && kind && kind->whole)
        tell_whole(self, l, kind);
    return passed;
}
