/*
 * orma report: answers without SQL.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sdk/base/path.h"
#include "tools/commands.h"
#include "tools/follow/follow.h"
#include "tools/load/load.h"
#include "tools/load/loss.h"
#include "tools/load/symbols.h"
#include "tools/load/threads.h"
#include "tools/output/output.h"
#include "tools/report/choice.h"
#include "tools/report/options.h"
#ifdef ORMA_HAVE_VIEW
#include "tools/view/file.h"
#endif

#define TOP_DEFAULT 10

enum { OPT_HTML = ORMA_REPORT_OPT_OWN, OPT_FORCE, OPT_FOLLOW, OPT_EVERY };

static const struct orma_option options[] = {
    {ORMA_REPORT_OPT_TOP, 'n', "top", "N", "Show N rows of each section (10); 0: all."},
    ORMA_REPORT_RANGE_OPTIONS,
    ORMA_REPORT_FILTER_OPTIONS,
    ORMA_REPORT_TREE_OPTIONS,
    ORMA_REPORT_GROUP_OPTION,
    ORMA_REPORT_FORM_OPTIONS,
#ifdef ORMA_HAVE_VIEW
    {OPT_HTML, 0, "html", "FILE",
     "Write one HTML file with the sections and the timeline; it opens anywhere, without a "
     "network."},
    {OPT_FORCE, 'f', "force", NULL, "Overwrite the file of --html if it exists."},
#endif
    ORMA_FOLLOW_OPTIONS(OPT_FOLLOW, OPT_EVERY),
    {ORMA_REPORT_OPT_SQL, 0, "sql", NULL, "Print the SQL of the sections instead of running it."},
    ORMA_LOAD_CACHE_OPTION(ORMA_REPORT_OPT_CACHE),
    {0},
};

struct args {
    struct orma_cli cli;
    struct orma_report_request request;
    struct orma_report_names sections;
    const char *html;
    uint64_t every_ms;
    bool force, follow;
};

static int take_option(struct args *a, int id)
{
    if (id == OPT_FORCE) {
        a->force = true;
        return ORMA_EXIT_OK;
    }
    if (id == OPT_FOLLOW) {
        a->follow = true;
        return ORMA_EXIT_OK;
    }
    if (id == OPT_EVERY)
        return orma_follow_take_every(&a->cli, &a->every_ms);
    if (id != OPT_HTML)
        return orma_report_take_option(&a->cli, id, &a->request, &a->sections);
    a->html = a->cli.value;
    a->request.form = ORMA_REPORT_JSON;
    return ORMA_EXIT_OK;
}

static struct orma_output_want wanted(const struct args *a)
{
    return (struct orma_output_want){.program = "orma report", .path = a->html, .force = a->force};
}

#ifdef ORMA_HAVE_VIEW
static int write_view(const struct args *a, struct orma_processor *tp, const char *json)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf losses = {0};
    struct orma_ledger loss;

    orma_load_loss(tp, &loss);
    orma_load_put_losses(tp, &loss, &losses);
    struct orma_report_choice chosen; /* as in the report, which it was good enough for */
    (void)orma_report_choice_init(&chosen, tp, &a->request);
    struct orma_view_config config = {.title = orma_path_base(a->request.trace),
                                      .losses = orma_buf_cstr(&losses),
                                      .report = json,
                                      .processes = orma_buf_cstr(&chosen.processes),
                                      .budget = orma_view_file_budget(ORMA_VIEW_FILE_BYTES)};
    struct orma_view *view;
    int r = orma_view_new(tp, &config, &view);

    orma_report_choice_fini(&chosen);
    if (r < 0) {
        const char *why = orma_processor_error(tp);

        fprintf(stderr, "orma report: %s: %s\n", a->request.trace, *why ? why : strerror(-r));
        return ORMA_EXIT_FAILURE;
    }
    const struct orma_output_want want = wanted(a);
    int code = orma_view_file_write(view, &want);
    orma_view_free(view);
    return code;
}

static int write_html(const struct args *a, struct orma_processor *tp)
{
    char *json = NULL;
    size_t len = 0;
    FILE *memory = open_memstream(&json, &len);

    if (!memory)
        return ORMA_EXIT_FAILURE;
    int code = orma_report_run(tp, &a->request, memory);
    if (fclose(memory) == 0 && code == ORMA_EXIT_OK)
        code = write_view(a, tp, json);
    free(json);
    return code;
}
#else
static int write_html(const struct args *a, struct orma_processor *tp)
{
    (void)a;
    (void)tp;
    return ORMA_EXIT_FAILURE; /* there is no such option */
}
#endif

static int report(const struct args *a)
{
    const struct orma_output_want want = wanted(a);
    struct orma_processor *tp = NULL;
    int r = a->html ? orma_output_check(&want) : 0, code = ORMA_EXIT_FAILURE;

    if (r == 0)
        r = orma_processor_new(orma_load_config(), &tp);
    if (r == 0)
        r = orma_load_symbols_for(tp, "orma report", a->request.trace);
    if (r == 0)
        r = orma_load_trace(tp, "orma report", a->request.trace, ORMA_LOAD_TELLS, NULL);
    if (r == 0 && a->html) {
        code = write_html(a, tp);
    } else if (r == 0) {
        code = orma_report_run(tp, &a->request, stdout);
        if (fflush(stdout) || ferror(stdout))
            code = orma_cli_output_failed("orma report", errno);
    }
    orma_processor_free(tp);
    return code;
}

static int answer(void *ctx, struct orma_processor *tp, const struct orma_follow_state *state)
{
    const struct args *a = ctx;

    orma_follow_head(tp, state, "orma report");
    return orma_report_run(tp, &a->request, stdout);
}

static int follow(struct args *a)
{
    const struct orma_follow follow = {.program = "orma report",
                                       .name = a->request.trace,
                                       .every_ms = a->every_ms,
                                       .config = *orma_load_config(),
                                       .answer = answer,
                                       .ctx = a};

    return orma_follow_run(&follow);
}

static int run(const struct orma_command *self, int argc, char **argv)
{
    struct args a = {.request = {.program = "orma report", .top = TOP_DEFAULT}};
    int id, code = ORMA_EXIT_OK;

    a.request.sections = a.sections.names;
    orma_cli_init(&a.cli, self, "orma report", argc, argv);
    while (code == ORMA_EXIT_OK && (id = orma_cli_next(&a.cli)) != ORMA_CLI_END) {
        if (id == ORMA_CLI_HELP)
            return ORMA_EXIT_OK;
        code = take_option(&a, id);
    }
    if (code != ORMA_EXIT_OK)
        return code;
    if (!a.request.trace)
        return orma_cli_usage_error(&a.cli, "no trace given: orma report TRACE [SECTION...]");
    if (a.follow && a.html)
        return orma_cli_usage_error(&a.cli, "--html cannot be combined with --follow");
    if (a.every_ms && !a.follow)
        return orma_cli_usage_error(&a.cli, "--every needs --follow");
    if (a.follow)
        return follow(&a);
    code = orma_cli_check_order(&a.cli, a.request.trace, a.request.sections, 1);
    return code == ORMA_EXIT_OK ? report(&a) : code;
}

static void put_sections(struct orma_buf *out)
{
    for (const struct orma_report_section *s = orma_report_sections; s->name; s++)
        orma_buf_printf(out, " %s", s->name);
}

const struct orma_command orma_cmd_report = {
    .name = "report",
    .summary = "Show CPU use, waits, system calls, I/O, memory and slices.",
    .synopsis = "[OPTIONS] TRACE [SECTION...]",
    .details = "Sections: overview, threads, cpus, times, latency, switches, wakeups, syscalls, "
               "callers, io, io-threads, irqs, faults, memory, pressure, processes, slices, "
               "slowest, functions, counters, logs. If futex calls were recorded: futexes. Without "
               "a section: all for which the trace has "
               "data; for the others, the command that records them.\n"
               "\n"
               "CPU time is cut to the range of --from and --to; waits, calls, slices and the like "
               "count if they begin in it. If events were lost, or ends are unknown, a line with "
               "'!' and the column 'unknown' say so.",
    .examples = "  orma report trace.pftrace\n"
                "  orma report trace.pftrace latency --top 30\n"
                "  orma report trace.pftrace syscalls --process 'post*' --from 1.5s --to 2s\n"
                "  orma report trace.pftrace slices --json\n"
                "  orma report trace.pftrace --html=report.html   # to pass on\n"
                "  orma report --follow trace.pftrace threads   # while it is recorded\n"
                "  orma report trace.pftrace threads --sql\n",
    .options = options,
    .threads = true,
    .exclusive = ORMA_REPORT_FORMS,
    .put_words = put_sections,
    .run = run,
};
