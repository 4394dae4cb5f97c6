/*
 * orma why: where the time of slices, threads or processes went, and because of whom.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/commands.h"
#include "tools/load/load.h"
#include "tools/report/report.h"
#include "tools/report/why.h"

#define SECTIONS_MAX 32
#define TOP_DEFAULT 10

enum {
    OPT_TOP = 1,
    OPT_FROM,
    OPT_TO,
    OPT_PROCESS,
    OPT_THREAD,
    OPT_SLICE,
    OPT_JSON,
    OPT_CSV,
    OPT_SQL
};

static const struct orma_option options[] = {
    {OPT_SLICE, 's', "slice", "NAME|ID", "Explain this slice, or all that match: 'req*'."},
    {OPT_THREAD, 't', "thread", "NAME|TID",
     "Explain this thread; with --slice: only slices of it."},
    {OPT_PROCESS, 'p', "process", "NAME|PID", "Explain the threads of this process; or as above."},
    {OPT_FROM, 0, "from", "TIME",
     "Begin there: a time since the begin of the trace (1.5s, 300ms), or a timestamp as tables "
     "have it."},
    {OPT_TO, 0, "to", "TIME", "End there."},
    {OPT_TOP, 'n', "top", "N", "Show N rows of each section (10); 0: all."},
    {OPT_JSON, 0, "json", NULL, "One JSON object, with times in ns and the SQL of each section."},
    {OPT_CSV, 0, "csv", NULL,
     "CSV (RFC 4180), a table for each section with an empty line between them."},
    {OPT_SQL, 0, "sql", NULL, "Print the SQL, and do not run it."},
    {0},
};

struct args {
    struct orma_cli cli;
    struct orma_report_request request;
    const char *sections[SECTIONS_MAX + 1];
    size_t sections_num;
};

static int set_top(struct args *a)
{
    uint64_t num;

    if (!orma_str_to_u64(orma_str_from(a->cli.value), &num) || num > 1000000000)
        return orma_cli_usage_error(&a->cli, "--top %s: expected a number of rows", a->cli.value);
    a->request.top = num;
    return ORMA_EXIT_OK;
}

static int take_argument(struct args *a)
{
    if (!a->request.trace)
        a->request.trace = a->cli.value;
    else if (a->sections_num == SECTIONS_MAX)
        return orma_cli_usage_error(&a->cli, "too many sections");
    else
        a->sections[a->sections_num++] = a->cli.value;
    return ORMA_EXIT_OK;
}

static int take_option(struct args *a, int id)
{
    struct orma_report_request *r = &a->request;
    const struct {
        int id;
        const char **text;
    } texts[] = {{OPT_FROM, &r->from},
                 {OPT_TO, &r->to},
                 {OPT_PROCESS, &r->process},
                 {OPT_THREAD, &r->thread},
                 {OPT_SLICE, &r->slice}};

    for (size_t i = 0; i < ORMA_ARRAY_LEN(texts); i++) {
        if (texts[i].id == id) {
            *texts[i].text = a->cli.value;
            return ORMA_EXIT_OK;
        }
    }
    switch (id) {
    case OPT_TOP:
        return set_top(a);
    case OPT_JSON:
        r->form = ORMA_REPORT_JSON;
        return ORMA_EXIT_OK;
    case OPT_CSV:
        r->form = ORMA_REPORT_CSV;
        return ORMA_EXIT_OK;
    case OPT_SQL:
        r->form = ORMA_REPORT_SQL;
        return ORMA_EXIT_OK;
    case ORMA_CLI_POSITIONAL:
        return take_argument(a);
    default:
        return ORMA_EXIT_USAGE;
    }
}

static int why(struct args *a)
{
    struct orma_processor *tp = NULL;
    int r = orma_processor_new(NULL, &tp), code = ORMA_EXIT_FAILURE;

    a->request.prepare = a->request.slice ? orma_report_why_of_slices : orma_report_why_of_threads;
    if (r == 0)
        r = orma_load_trace(tp, "orma why", a->request.trace, ORMA_LOAD_PROGRESS, NULL);
    if (r == 0) {
        code = orma_report_run(tp, &a->request, stdout);
        if (fflush(stdout) || ferror(stdout))
            code = orma_cli_output_failed("orma why", errno);
    }
    orma_processor_free(tp);
    return code;
}

static int run(const struct orma_command *self, int argc, char **argv)
{
    struct args a = {
        .request = {.program = "orma why", .top = TOP_DEFAULT, .table = orma_report_why_sections}};
    int id, code = ORMA_EXIT_OK;

    a.request.sections = a.sections;
    orma_cli_init(&a.cli, self, "orma why", argc, argv);
    while (code == ORMA_EXIT_OK && (id = orma_cli_next(&a.cli)) != ORMA_CLI_END) {
        if (id == ORMA_CLI_HELP)
            return ORMA_EXIT_OK;
        code = take_option(&a, id);
    }
    if (code != ORMA_EXIT_OK)
        return code;
    if (!a.request.trace)
        return orma_cli_usage_error(&a.cli, "no trace given: orma why TRACE --slice NAME");
    if (!a.request.slice && !a.request.thread && !a.request.process)
        return orma_cli_usage_error(&a.cli, "say what to explain: --slice, --thread or --process");
    return why(&a);
}

static void put_sections(struct orma_buf *out)
{
    for (const struct orma_report_section *s = orma_report_why_sections; s->name; s++)
        orma_buf_printf(out, " %s", s->name);
}

const struct orma_command orma_cmd_why = {
    .name = "why",
    .summary = "Explain why a slice, a thread or a process took so long.",
    .synopsis = "[OPTIONS] TRACE --slice NAME|ID [SECTION...]\n"
                "[OPTIONS] TRACE --thread NAME|TID [SECTION...]\n"
                "[OPTIONS] TRACE --process NAME|PID [SECTION...]",
    .details =
        "Sections: causes, time, blockers, chain, calls, cpus, faults, slow. The time is that of "
        "the critical path: while a thread is blocked, the threads that were going to wake it "
        "are looked at, and those that were going to wake these. A cause is named if it takes 3 % "
        "of the time, and more than what is unknown.\n\n"
        "The trace needs the switches of threads: 'orma record sched syscalls irq'.",
    .examples = "  orma why trace.pftrace --slice request\n"
                "  orma why trace.pftrace --thread worker --from 1.2s --to 1.4s\n"
                "  orma why trace.pftrace --slice 'req*' slow --json\n",
    .options = options,
    .put_words = put_sections,
    .run = run,
};
