/*
 * orma diff: what takes more or less in a second trace of the same work.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "tools/commands.h"
#include "tools/load/cache.h"
#include "tools/load/load.h"
#include "tools/load/symbols.h"
#include "tools/load/threads.h"
#include "tools/report/diff.h"
#include "tools/report/options.h"

#define LIST_MAX 32
#define TOP_DEFAULT 20

enum {
    OPT_FAIL_ON = 1,
    OPT_TOP,
    OPT_JSON,
    OPT_MARKDOWN,
    OPT_PROCESS,
    OPT_THREAD,
    OPT_CACHE,
    OPT_SAME_SPEED,
    OPT_TREE,
    OPT_ALL
};

static const struct orma_option options[] = {
    {OPT_FAIL_ON, 0, "fail-on", "LIMIT",
     "Exit with 1 if a difference exceeds this limit, such as '+5%:slice=request' (kinds: process, "
     "lifetime, slice, cpu, wait, sleep, call, function, stack; names may be patterns; -5%: if it "
     "decreased), or if the name is missing from one of the traces. May be repeated."},
    {OPT_TOP, 'n', "top", "N", "Show N rows of each section (20); 0: all."},
    {OPT_PROCESS, 'p', "process", "NAME|PID",
     "Compare only this process, or those that match. A=B: it is called A in the first trace, B in "
     "the second."},
    {OPT_THREAD, 't', "thread", "NAME|TID", "Compare only this thread, or those that match."},
    ORMA_REPORT_TREE_OPTIONS_AS(OPT_TREE, OPT_ALL),
    {OPT_JSON, 0, "json", NULL, "One JSON object."},
    {OPT_MARKDOWN, 0, "markdown", NULL, "Print Markdown tables, for review comments."},
    {OPT_SAME_SPEED, 0, "same-speed", NULL,
     "The machine was equally fast in both: also list the common factor of all names, which is "
     "normally removed."},
    ORMA_LOAD_CACHE_OPTION(OPT_CACHE),
    {0},
};

struct args {
    struct orma_cli cli;
    struct orma_report_diff_request request;
    struct orma_report_limit limits[LIST_MAX];
    struct orma_report_names sections;
    size_t traces_num;
};

static int add_limit(struct args *a)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf why = {0};

    if (a->request.limits_num == LIST_MAX)
        return orma_cli_usage_error(&a->cli, "more than %d limits", LIST_MAX);
    if (!orma_report_limit_parse(a->cli.value, orma_report_diff_kinds(), "'+5%:slice=request'",
                                 &a->limits[a->request.limits_num], &why))
        return orma_cli_usage_error(&a->cli, "--fail-on %s: %s", a->cli.value, orma_buf_cstr(&why));
    a->request.limits_num++;
    return ORMA_EXIT_OK;
}

static int take_argument(struct args *a)
{
    if (a->traces_num == 2)
        return orma_report_take_section(&a->cli, &a->sections);
    a->request.traces[a->traces_num++] = a->cli.value;
    return ORMA_EXIT_OK;
}

static int take_option(struct args *a, int id)
{
    switch (id) {
    case OPT_FAIL_ON:
        return add_limit(a);
    case OPT_TOP:
        return orma_report_take_top(&a->cli, &a->request.top);
    case OPT_PROCESS:
        a->request.process = a->cli.value;
        return ORMA_EXIT_OK;
    case OPT_THREAD:
        a->request.thread = a->cli.value;
        return ORMA_EXIT_OK;
    case OPT_TREE:
    case OPT_ALL:
        return orma_report_take_scope(&a->cli, id == OPT_ALL, &a->request.tree, &a->request.all);
    case OPT_CACHE:
        orma_load_cache_set(a->cli.value);
        return ORMA_EXIT_OK;
    case OPT_SAME_SPEED:
        a->request.same_speed = true;
        return ORMA_EXIT_OK;
    case OPT_JSON:
        a->request.form = ORMA_REPORT_DIFF_JSON;
        return ORMA_EXIT_OK;
    case OPT_MARKDOWN:
        a->request.form = ORMA_REPORT_DIFF_MARKDOWN;
        return ORMA_EXIT_OK;
    case ORMA_CLI_POSITIONAL:
        return take_argument(a);
    default:
        return ORMA_EXIT_USAGE;
    }
}

static int diff(struct args *a)
{
    int r = 0, code = ORMA_EXIT_FAILURE;

    for (unsigned i = 0; i < 2 && r == 0; i++) {
        r = orma_processor_new(orma_load_config(), &a->request.tp[i]);
        if (r == 0)
            r = orma_load_symbols_for(a->request.tp[i], "orma diff", a->request.traces[i]);
        if (r == 0)
            r = orma_load_trace(a->request.tp[i], "orma diff", a->request.traces[i],
                                ORMA_LOAD_TELLS, NULL);
    }
    if (r == 0) {
        code = orma_report_diff_run(&a->request, stdout);
        if (fflush(stdout) || ferror(stdout))
            code = orma_cli_output_failed("orma diff", errno);
    }
    for (unsigned i = 0; i < 2; i++)
        orma_processor_free(a->request.tp[i]);
    return code;
}

/* A section before the traces makes a trace of a section. */
static int check_order(const struct args *a)
{
    const char *others[LIST_MAX + 2] = {a->request.traces[1]};
    bool is_file = false;

    for (size_t i = 0; i < LIST_MAX && a->request.sections[i]; i++) {
        others[i + 1] = a->request.sections[i];
        is_file |= access(others[i + 1], F_OK) == 0;
    }
    return is_file ? orma_cli_check_order(&a->cli, a->request.traces[0], others, 2) : ORMA_EXIT_OK;
}

static int run(const struct orma_command *self, int argc, char **argv)
{
    struct args a = {.request = {.program = "orma diff", .top = TOP_DEFAULT}};
    int id, code = ORMA_EXIT_OK;

    a.request.sections = a.sections.names;
    a.request.limits = a.limits;
    orma_cli_init(&a.cli, self, "orma diff", argc, argv);
    while (code == ORMA_EXIT_OK && (id = orma_cli_next(&a.cli)) != ORMA_CLI_END) {
        if (id == ORMA_CLI_HELP)
            return ORMA_EXIT_OK;
        code = take_option(&a, id);
    }
    if (code != ORMA_EXIT_OK)
        return code;
    if (a.traces_num < 2)
        return orma_cli_usage_error(&a.cli, "two traces are needed: orma diff BEFORE AFTER");
    code = check_order(&a);
    return code == ORMA_EXIT_OK ? diff(&a) : code;
}

static void put_sections(struct orma_buf *out)
{
    for (unsigned i = 0; orma_report_diff_section(i, NULL); i++)
        orma_buf_printf(out, " %s", orma_report_diff_section(i, NULL));
}

const struct orma_command orma_cmd_diff = {
    .name = "diff",
    .summary = "Show what takes more or less time in a second trace.",
    .synopsis = "[OPTIONS] BEFORE AFTER [SECTION...]",
    .details = "Sections: processes, lifetimes, slices, cpu, waits, sleeps, calls, functions, "
               "stacks. The first two compare whole runs of programs that began and ended in both "
               "traces; so do the last two for profiles of commands ('orma profile -- COMMAND'). "
               "The others compare the median, the mean and the sum per second of each name. Noise "
               "is estimated from ten blocks of each trace. Changes that noise could explain, or "
               "that all names share (a slower machine), are not listed. The largest changes of "
               "sums come first; 'explains' is their share of all listed changes.",
    .examples = "  orma diff before.pftrace after.pftrace\n"
                "  orma diff before.pftrace after.pftrace slices --fail-on '+5%:slice=request'\n"
                "  orma diff before.pftrace after.pftrace --markdown\n",
    .options = options,
    .threads = true,
    .exclusive = "json markdown",
    .put_words = put_sections,
    .run = run,
};
