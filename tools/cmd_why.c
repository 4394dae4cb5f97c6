/*
 * orma why: where the time of slices, threads or processes went, and because of whom.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tools/commands.h"
#include "tools/load/load.h"
#include "tools/load/symbols.h"
#include "tools/load/threads.h"
#include "tools/report/options.h"
#include "tools/report/why.h"

#define TOP_DEFAULT 10

static const struct orma_option options[] = {
    {ORMA_REPORT_OPT_SLICE, 's', "slice", "NAME|ID",
     "Explain this slice, or all that match: 'req*'."},
    {ORMA_REPORT_OPT_THREAD, 't', "thread", "NAME|TID",
     "Explain this thread; with --slice: only its slices."},
    {ORMA_REPORT_OPT_PROCESS, 'p', "process", "NAME|PID",
     "Explain the threads of this process; with --slice: only their slices."},
    ORMA_REPORT_TREE_OPTION,
    ORMA_REPORT_RANGE_OPTIONS,
    {ORMA_REPORT_OPT_TOP, 'n', "top", "N", "Show N rows of each section (10); 0: all."},
    ORMA_REPORT_FORM_OPTIONS,
    {ORMA_REPORT_OPT_SQL, 0, "sql", NULL, "Print the SQL instead of running it."},
    ORMA_LOAD_CACHE_OPTION(ORMA_REPORT_OPT_CACHE),
    {0},
};

struct args {
    struct orma_cli cli;
    struct orma_report_request request;
    struct orma_report_names sections;
};

static int why(struct args *a)
{
    struct orma_processor *tp = NULL;
    int r = orma_processor_new(orma_load_config(), &tp), code = ORMA_EXIT_FAILURE;

    a->request.prepare = a->request.slice ? orma_report_why_of_slices : orma_report_why_of_threads;
    if (r == 0)
        r = orma_load_symbols_for(tp, "orma why", a->request.trace);
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
    struct args a = {.request = {.program = "orma why",
                                 .top = TOP_DEFAULT,
                                 .table = orma_report_why_sections,
                                 .of = ORMA_REPORT_WHY_OF}};
    int id, code = ORMA_EXIT_OK;

    a.request.sections = a.sections.names;
    orma_cli_init(&a.cli, self, "orma why", argc, argv);
    while (code == ORMA_EXIT_OK && (id = orma_cli_next(&a.cli)) != ORMA_CLI_END) {
        if (id == ORMA_CLI_HELP)
            return ORMA_EXIT_OK;
        code = orma_report_take_option(&a.cli, id, &a.request, &a.sections);
    }
    if (code != ORMA_EXIT_OK)
        return code;
    if (!a.request.trace)
        return orma_cli_usage_error(&a.cli, "no trace given: orma why TRACE --slice NAME");
    code = orma_cli_check_order(&a.cli, a.request.trace, a.request.sections, 1);
    return code == ORMA_EXIT_OK ? why(&a) : code;
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
                "[OPTIONS] TRACE --process NAME|PID [SECTION...]\n"
                "[OPTIONS] TRACE --tree NAME|PID [SECTION...]\n"
                "[OPTIONS] TRACE [SECTION...]",
    .details = "Sections: causes, time, blockers, behind, chain, calls, cpus, faults, slow. Time "
               "is counted along the critical path: while a thread is blocked, it follows the "
               "threads that wake it later, and those that wake them. A cause is listed if it "
               "takes at least 3 % of the time, and more than the unknown part.\n"
               "\n"
               "If nothing is chosen and the trace was recorded for a command (orma record -- "
               "COMMAND), that command is explained: it waits for what it started.\n"
               "\n"
               "The trace must have thread switches; more events explain more: 'orma record sched "
               "syscalls irq timer faults'.",
    .examples = "  orma why trace.pftrace --slice request\n"
                "  orma why trace.pftrace --thread worker --from 1.2s --to 1.4s\n"
                "  orma why trace.pftrace --slice 'req*' slow --json\n",
    .options = options,
    .threads = true,
    .exclusive = ORMA_REPORT_FORMS,
    .put_words = put_sections,
    .run = run,
};
