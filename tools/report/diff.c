#include "tools/report/diff.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sdk/base/vec.h"
#include "tools/base/cli.h"
#include "tools/report/choice.h"
#include "tools/report/diff_parts.h"
#include "tools/report/noise.h"
#include "tools/report/notes.h"

/* ---- limits ---- */

const struct orma_report_limit_kind *orma_report_diff_kinds(void)
{
    static struct orma_report_limit_kind kinds[ORMA_DIFF_SECTIONS + 1];

    for (size_t i = 0; i < ORMA_DIFF_SECTIONS; i++)
        kinds[i] = (struct orma_report_limit_kind){.kind = orma_diff_sections[i].kind,
                                                   .section = orma_diff_sections[i].name,
                                                   .whole = orma_diff_sections[i].whole};
    return kinds;
}

static struct orma_report_limit_item item_of(const struct orma_diff *d,
                                             const struct orma_diff_change *c)
{
    struct orma_report_limit_item ret = {.kind = c->section->kind,
                                         .name = c->name,
                                         .in = {c->side[0].n > 0, c->side[1].n > 0},
                                         .listed = c->listed,
                                         .part = c->part,
                                         .metric = orma_diff_metric_names[c->metric]};

    for (unsigned m = 0; m < ORMA_DIFF_METRICS; m++)
        ret.tested |= orma_diff_can_test(d, c, m);
    return ret;
}

static int check_limits(const struct orma_diff *d, unsigned *ret_passed)
{
    struct orma_report_limit_item *items = calloc(d->changes.len + (size_t)1, sizeof(*items));
    const struct orma_report_limits limits = {
        .program = d->request->program,
        .traces = {d->request->traces[0], d->request->traces[1]},
        .kinds = orma_report_diff_kinds(),
        .is_compared = orma_diff_is_wanted,
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

const char *orma_report_diff_section(unsigned n, const char **ret_question)
{
    if (n >= ORMA_DIFF_SECTIONS)
        return NULL;
    if (ret_question)
        *ret_question = orma_diff_sections[n].question;
    return orma_diff_sections[n].name;
}

static int check_sections(const struct orma_report_diff_request *request)
{
    const char *names[ORMA_DIFF_SECTIONS + 1] = {0};

    for (size_t i = 0; i < ORMA_DIFF_SECTIONS; i++)
        names[i] = orma_diff_sections[i].name;
    return orma_report_check_names(request->program, request->sections, names,
                                   "use --thread and --process to select threads and processes");
}

int orma_report_diff_run(const struct orma_report_diff_request *request, FILE *out)
{
    struct orma_diff d = {.request = request, .out = out};
    unsigned passed = 0; /* limits, and those that nothing can be held against */

    if (check_sections(request) < 0)
        return ORMA_EXIT_USAGE;
    int r = orma_diff_read(&d);
    if (r == 0)
        r = orma_diff_judge(&d);
    if (r == 0) {
        r = orma_diff_print(&d);
        orma_diff_print_notes(&d);
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
