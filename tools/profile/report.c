/*
 *   arguments ─► trace loaded ─► stacks (what was chosen) ─► text.h, or a file of flame.h
 *
 * Without a trace it is the last one that `orma profile` of this user has left in the temporary
 * folder.
 */
#include "tools/profile/report.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "processor/flame/flame.h"
#include "sdk/base/fd.h"
#include "sdk/base/nearest.h"
#include "tools/base/cell.h"
#include "tools/base/inputs.h"
#include "tools/base/units.h"
#include "tools/load/load.h"
#include "tools/load/loss.h"
#include "tools/load/symbols.h"
#include "tools/load/threads.h"
#include "tools/output/output.h"
#include "tools/profile/text.h"
#include "tools/report/choice.h"
#include "tools/report/limits.h"

#define PATH_SIZE 4200

enum {
    OPT_TOP = 1,
    OPT_TREE,
    OPT_BOTTOM_UP,
    OPT_CALLERS,
    OPT_BY,
    OPT_SORT,
    OPT_MIN,
    OPT_FROM,
    OPT_TO,
    OPT_PROCESS,
    OPT_OF,
    OPT_ALL,
    OPT_THREAD,
    OPT_SLICE,
    OPT_EVENT,
    OPT_HEAP,
    OPT_OFF_CPU,
    OPT_WAKERS,
    OPT_FORMAT,
    OPT_OUT,
    OPT_ASCII,
    OPT_FORCE,
    OPT_FAIL_ON,
};

#define CHOICE_OPTIONS                                                                             \
    {OPT_PROCESS, 'p', "process", "NAME|PID",                                                      \
     "Show only this process; NAME may be a pattern: 'cc*'."},                                     \
        {OPT_OF, 0, "of", "NAME|PID", "Show only this process and what it started."},              \
        {OPT_ALL, 0, "all", NULL,                                                                  \
         "Show the whole machine. By default, a trace that was recorded for a command (orma "      \
         "record -- COMMAND) shows only that command and what it started."},                       \
        {OPT_THREAD, 't', "thread", "NAME|TID", "Show only this thread, or those that match."},    \
        {OPT_SLICE, 's', "slice", "NAME|ID",                                                       \
         "Show only what is inside this slice, or those that match."},                             \
        {OPT_FROM, 0, "from", "TIME",                                                              \
         "Start at this time: since the start of the trace (1.5s, 300ms), or a timestamp as in "   \
         "the tables."},                                                                           \
        {OPT_TO, 0, "to", "TIME", "End at this time."},                                            \
        {OPT_EVENT, 'e', "event", "NAME",                                                          \
         "Which event to show, if the trace has several: page-faults. Default: time."},            \
        {OPT_OFF_CPU, 0, "off-cpu", NULL,                                                          \
         "Show waits instead of CPU time, for profiles made with --off-cpu."},                     \
        {OPT_WAKERS, 0, "wakers", NULL,                                                            \
         "Show waits and who ended them: in trees and flame graphs, the stack of the waker "       \
         "follows that of the wait."},                                                             \
    {                                                                                              \
        OPT_HEAP, 0, "heap", "WHAT", "Show the memory of a heap profile: live, or allocated."      \
    }

static const struct orma_option options[] = {
    {OPT_TOP, 'n', "top", "N", "Number of functions to show (default: 10); 0: all."},
    {OPT_TREE, 'T', "tree", NULL, "Call tree from the top: what each function spent, and where."},
    {OPT_BOTTOM_UP, 'b', "bottom-up", NULL,
     "Call tree from the hot functions up to their callers."},
    {OPT_CALLERS, 'c', "callers", "FUNCTION", "Show who called this function."},
    {OPT_BY, 0, "by", "WHAT",
     "Sum by module (library), thread, process or function; waits also by reason."},
    {OPT_SORT, 0, "sort", "WHAT",
     "Order of the list of functions: self (the default), or total, with all that a function "
     "calls."},
    {OPT_MIN, 0, "min", "PERCENT",
     "In trees: combine what is below this percentage (default: 0.5)."},
    CHOICE_OPTIONS,
    {OPT_FORMAT, 0, "format", "NAME",
     "Output format: text (the default), collapsed, speedscope, svg, or html (flame graphs)."},
    {OPT_OUT, 'o', "out", "FILE", "Write to FILE instead of standard output."},
    {OPT_FORCE, 'f', "force", NULL, "Overwrite FILE if it exists."},
    {OPT_ASCII, 0, "ascii", NULL, "Draw trees with ASCII characters."},
    {0},
};

static const struct orma_option diff_options[] = {
    {OPT_TOP, 'n', "top", "N", "Number of functions to show (default: 10); 0: all."},
    {OPT_FAIL_ON, 0, "fail-on", "LIMIT",
     "Exit with 1 if the self time of a function changed by more than this limit and more than "
     "chance explains, such as '+10%:parse_*' (a name or a pattern; -10%: if it decreased), or if "
     "the name is missing from one of the profiles. May be repeated."},
    CHOICE_OPTIONS,
    {0},
};

/* The limits of --fail-on are on functions only. */
static const struct orma_report_limit_kind limit_kinds[] = {{"function", "functions"}, {0}};

#define LIMITS_MAX 16

enum view { VIEW_TOP, VIEW_TREE, VIEW_BOTTOM_UP, VIEW_CALLERS, VIEW_SUMS };

struct args {
    struct orma_cli cli;
    const char *program;
    const char *paths[2];
    unsigned paths_num, paths_max;
    struct orma_stacks_choice choice;
    struct orma_report_request who; /* and when */
    struct orma_buf scope;          /* a sentence on what is left out, or "" */
    struct orma_buf losses[2];      /* what each trace lost, as every command says it */
    const char *callers, *out;
    enum view view;
    enum orma_stacks_by by;
    struct orma_profile_report_style style;
    bool has_format, force;
    enum orma_flame_format format;
    int64_t top;
    struct orma_report_limit limits[LIMITS_MAX]; /* of a difference */
    size_t limits_num;
};

/* ---- arguments ---- */

static int add_limit(struct args *a)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf why = {0};

    if (a->limits_num == LIMITS_MAX)
        return orma_cli_usage_error(&a->cli, "more than %d limits", LIMITS_MAX);
    if (!orma_report_limit_parse(a->cli.value, limit_kinds, "'+10%:parse_*'",
                                 &a->limits[a->limits_num], &why))
        return orma_cli_usage_error(&a->cli, "--fail-on %s: %s", a->cli.value, orma_buf_cstr(&why));
    a->limits_num++;
    return ORMA_EXIT_OK;
}

static int take_by(struct args *a)
{
    static const char *const names[] = {[ORMA_STACKS_BY_FUNCTION] = "function",
                                        [ORMA_STACKS_BY_MODULE] = "module",
                                        [ORMA_STACKS_BY_THREAD] = "thread",
                                        [ORMA_STACKS_BY_PROCESS] = "process",
                                        [ORMA_STACKS_BY_REASON] = "reason"};
    const char *name = strcmp(a->cli.value, "library") ? a->cli.value : "module";

    for (unsigned i = 0; i < ORMA_ARRAY_LEN(names); i++) {
        if (strcmp(names[i], name) != 0)
            continue;
        a->by = (enum orma_stacks_by)i;
        a->view = VIEW_SUMS;
        return ORMA_EXIT_OK;
    }
    return orma_cli_usage_error(
        &a->cli, "--by %s: expected module, thread, process, function or reason", a->cli.value);
}

static int take_number(struct args *a, double max, double *ret)
{
    char *end;

    *ret = strtod(a->cli.value, &end);
    if (end == a->cli.value || *end || !(*ret >= 0) || *ret > max)
        return orma_cli_usage_error(&a->cli, "%s %s: expected a number up to %.0f", a->cli.option,
                                    a->cli.value, max);
    return ORMA_EXIT_OK;
}

static int take_heap(struct args *a)
{
    if (strcmp(a->cli.value, "live") && strcmp(a->cli.value, "allocated"))
        return orma_cli_usage_error(&a->cli, "--heap %s: expected live or allocated", a->cli.value);
    a->choice.kind = *a->cli.value == 'l' ? ORMA_STACKS_HEAP : ORMA_STACKS_ALLOCATED;
    return ORMA_EXIT_OK;
}

static int take_choice(struct args *a, int id)
{
    const char *value = a->cli.value;

    switch (id) {
    case OPT_PROCESS:
        a->who.process = value;
        break;
    case OPT_OF:
        a->who.tree = value;
        break;
    case OPT_ALL:
        a->who.all = true;
        break;
    case OPT_THREAD:
        a->who.thread = value;
        break;
    case OPT_SLICE:
        a->who.slice = value;
        break;
    case OPT_EVENT:
        a->choice.event = value;
        break;
    case OPT_FROM:
        a->who.from = value;
        break;
    case OPT_TO:
        a->who.to = value;
        break;
    case OPT_HEAP:
        return take_heap(a);
    case OPT_OFF_CPU:
        a->choice.kind = ORMA_STACKS_OFF_CPU;
        break;
    case OPT_WAKERS:
        a->choice.kind = ORMA_STACKS_WAKERS;
        break;
    default:
        return ORMA_EXIT_USAGE;
    }
    return ORMA_EXIT_OK;
}

static int take_option(struct args *a, int id)
{
    double number = 0;
    int r = ORMA_EXIT_OK;

    switch (id) {
    case OPT_TOP:
        r = take_number(a, 1e6, &number);
        a->top = (int64_t)number;
        break;
    case OPT_FAIL_ON:
        r = add_limit(a);
        break;
    case OPT_TREE:
        a->view = VIEW_TREE;
        break;
    case OPT_BOTTOM_UP:
        a->view = VIEW_BOTTOM_UP;
        break;
    case OPT_CALLERS:
        a->view = VIEW_CALLERS;
        a->callers = a->cli.value;
        break;
    case OPT_BY:
        return take_by(a);
    case OPT_SORT:
        a->style.by_total = !strcmp(a->cli.value, "total");
        if (!a->style.by_total && strcmp(a->cli.value, "self") != 0)
            r = orma_cli_usage_error(&a->cli, "--sort %s: expected self or total", a->cli.value);
        break;
    case OPT_MIN:
        r = take_number(a, 100, &number);
        a->style.min = number / 100;
        break;
    case OPT_FORMAT:
        a->has_format = orma_flame_format_of(a->cli.value, &a->format);
        if (!a->has_format && strcmp(a->cli.value, "text") != 0)
            r = orma_cli_usage_error(
                &a->cli, "--format %s: expected text, collapsed, speedscope, svg or html",
                a->cli.value);
        break;
    case OPT_OUT:
        a->out = a->cli.value;
        break;
    case OPT_FORCE:
        a->force = true;
        break;
    case OPT_ASCII:
        a->style.ascii = true;
        break;
    case ORMA_CLI_POSITIONAL:
        if (a->paths_num == a->paths_max)
            return orma_cli_usage_error(&a->cli, "unexpected argument '%s'", a->cli.value);
        a->paths[a->paths_num++] = a->cli.value;
        break;
    case ORMA_CLI_REST:
        return orma_cli_usage_error(&a->cli, "there is no command to run");
    default:
        return take_choice(a, id);
    }
    return r;
}

/* ---- traces ---- */

static int64_t changed(const struct stat *st)
{
    return (int64_t)st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec;
}

/* The newest that is ours: in a folder of others anything may lie. */
static bool last_trace(char ret[PATH_SIZE])
{
    const char *tmp = getenv("TMPDIR");
    struct dirent *entry;
    int64_t newest = INT64_MIN;

    tmp = tmp && *tmp ? tmp : "/tmp";
    DIR *dir = opendir(tmp);
    while (dir && (entry = readdir(dir))) {
        char path[PATH_SIZE];
        struct stat st;

        if (strncmp(entry->d_name, "profile-", 8) != 0 ||
            (size_t)snprintf(path, sizeof(path), "%s/%s/" ORMA_LOAD_FOLDER_TRACE, tmp,
                             entry->d_name) >= sizeof(path) ||
            lstat(path, &st) < 0 || !S_ISREG(st.st_mode) || st.st_uid != geteuid() ||
            changed(&st) <= newest)
            continue;
        newest = changed(&st);
        memcpy(ret, path, sizeof(path));
    }
    if (dir)
        closedir(dir);
    return newest != INT64_MIN;
}

/* What was given, or else the last profile; NULL, with a message: there is none. */
static const char *find_trace(const struct args *a, const char *given, char room[PATH_SIZE])
{
    if (given)
        return orma_load_in_folder(given, room, PATH_SIZE);
    if (last_trace(room))
        return room;
    fprintf(stderr, "%s: no trace given, and no earlier profile found; see orma profile --help\n",
            a->program);
    return NULL;
}

/* Memory is counted by process, from the begin. */
static int check_heap(const struct args *a)
{
    const char *what = a->who.thread  ? "--thread"
                       : a->who.slice ? "--slice"
                       : a->who.from  ? "--from"
                                      : NULL;

    if ((a->choice.kind != ORMA_STACKS_HEAP && a->choice.kind != ORMA_STACKS_ALLOCATED) || !what)
        return 0;
    fprintf(stderr,
            "%s: %s does not apply to --heap: memory is counted by process, from the start\n",
            a->program, what);
    return -EINVAL;
}

/* Files with sums have nobody to choose. */
static int check_sums(const struct args *a, struct orma_processor *tp)
{
    const struct orma_report_request *who = &a->who;

    if ((!who->process && !who->tree && !who->thread && !who->slice && !who->from && !who->to) ||
        orma_load_number(tp, "SELECT EXISTS (SELECT 1 FROM __intrinsic_aggregate_sample) AND NOT "
                             "EXISTS (SELECT 1 FROM __intrinsic_profiler_sample)") != 1)
        return 0;
    fprintf(stderr,
            "%s: %s has only sums by stack: it has no processes, threads, slices or times to "
            "choose from\n",
            who->program, who->trace);
    return -EINVAL;
}

/* `chosen` has the texts that the choice refers to. */
static int choose(struct args *a, struct orma_processor *tp, struct orma_report_choice *chosen)
{
    int r = check_sums(a, tp);

    if (r == 0)
        r = orma_report_choice_init(chosen, tp, &a->who);
    a->choice.has_from = a->who.from;
    a->choice.has_to = a->who.to;
    a->choice.from_ns = chosen->from_ts;
    a->choice.to_ns = chosen->to_ts;
    a->choice.threads = a->who.thread ? orma_buf_cstr(&chosen->threads) : NULL;
    a->choice.processes = orma_buf_cstr(&chosen->processes);
    a->choice.slices = orma_buf_cstr(&chosen->slices);
    return r;
}

static const char *without_stacks(enum orma_stacks_kind kind)
{
    switch (kind) {
    case ORMA_STACKS_SAMPLES:
        return " in this selection: orma profile -- PROGRAM records some; for those of orma heap, "
               "use --heap live";
    case ORMA_STACKS_OFF_CPU:
        return " of waits: record with --off-cpu";
    case ORMA_STACKS_WAKERS:
        return " of threads that end waits: record with --off-cpu, as root";
    default:
        return " of a heap";
    }
}

static int load_stacks(struct args *a, struct orma_processor *tp, const char *path,
                       struct orma_stacks *ret, struct orma_buf *losses)
{
    struct orma_report_choice chosen = {0};
    struct orma_ledger loss;
    int r = check_heap(a);

    if (r == 0)
        r = orma_load_symbols_from_here(tp, a->program, NULL);
    if (r == 0)
        r = orma_load_trace(tp, a->program, path, ORMA_LOAD_PROGRESS, NULL);
    if (r < 0)
        return r; /* the message is printed */
    orma_load_loss(tp, &loss);
    orma_load_put_losses(tp, &loss, losses);
    a->who.program = a->program;
    a->who.trace = path;
    r = choose(a, tp, &chosen);
    if (r == 0) {
        r = orma_stacks_load(ret, tp, &a->choice);
        if (r == -ENODATA)
            fprintf(stderr, "%s: %s has no samples with stacks%s\n", a->program, path,
                    without_stacks(a->choice.kind));
        else if (r < 0)
            fprintf(stderr, "%s: %s\n", a->program, orma_stacks_error(ret, tp));
        a->scope.len = 0; /* of two traces, the second says it */
        orma_report_choice_put_scope(&chosen, &a->scope);
    }
    orma_report_choice_fini(&chosen);
    return r;
}

/* ---- answers ---- */

#define SHARED_NAMES 3u /* are told, of functions that have the text in their names */

static void print_no_function(const struct args *a, const struct orma_stacks *s)
{
    const struct orma_stacks_function *f = orma_stacks_functions(s);
    struct orma_nearest near = {.wanted = orma_str_from(a->callers)};
    unsigned shared = 0;

    for (size_t i = 0; i < orma_stacks_functions_num(s); i++) {
        const char *name = orma_stacks_text(s, f[i].name);

        if (!f[i].total)
            continue;
        (void)orma_nearest_consider(&near, name);
        if (!strstr(name, a->callers) || ++shared > SHARED_NAMES)
            continue;
        if (shared == 1)
            fprintf(stderr, "%s: several functions have '%s' in their names: ", a->program,
                    a->callers);
        fputs(shared > 1 ? ", '" : "'", stderr);
        orma_cell_print(name, stderr);
        fputc('\'', stderr);
    }
    if (shared > SHARED_NAMES)
        fputs(", ...", stderr);
    if (shared) {
        fputs("; give the full name of one\n", stderr);
        return;
    }
    fprintf(stderr, "%s: no function is called '%s'", a->program, a->callers);
    if (orma_nearest_get(&near)) {
        fputs("; did you mean '", stderr);
        orma_cell_print(orma_nearest_get(&near), stderr);
        fputs("'?\n", stderr);
    } else {
        fputs("; --top 0 lists all\n", stderr);
    }
}

static int put_view(struct args *a, const struct orma_stacks *s)
{
    uint32_t function = ORMA_STACKS_NONE;

    if (a->view == VIEW_CALLERS) {
        function = orma_stacks_find(s, a->callers);
        if (function == ORMA_STACKS_NONE) {
            print_no_function(a, s);
            return -ENOENT;
        }
    }
    if (s->kind == ORMA_STACKS_WAKERS && a->view == VIEW_TOP) {
        a->view = VIEW_SUMS;
        a->by = ORMA_STACKS_BY_WAKER;
    }
    orma_profile_report_head(&a->style, s, 0, orma_buf_cstr(&a->losses[0]));
    if (a->scope.len)
        fprintf(a->style.out, "%s\n", orma_buf_cstr(&a->scope));
    fputc('\n', a->style.out);
    switch (a->view) {
    case VIEW_TOP:
        orma_profile_report_top(&a->style, s);
        break;
    case VIEW_TREE:
        orma_profile_report_tree(&a->style, s);
        break;
    case VIEW_BOTTOM_UP:
    case VIEW_CALLERS:
        orma_profile_report_callers(&a->style, s, function);
        break;
    case VIEW_SUMS:
        orma_profile_report_sums(&a->style, s, a->by);
        break;
    }
    return 0;
}

static int put_file(struct args *a, const struct orma_stacks *s, const char *path, int fd)
{
    struct orma_flame flame = {.stacks = s, .title = path, .sink = orma_reflect_sink_fd(fd)};

    if (a->scope.len) /* there is no place for it */
        fprintf(stderr, "%s: %s\n", a->program, orma_buf_cstr(&a->scope));
    return orma_flame_write(&flame, a->format);
}

/* To a file that was named. */
static int write_out(struct args *a, const struct orma_stacks *s, const char *path,
                     const struct orma_output_want *want)
{
    struct orma_output out;
    int r = orma_output_open(&out, want);

    if (r < 0)
        return r;
    if (a->has_format) {
        r = put_file(a, s, path, out.fd);
        if (r < 0)
            (void)orma_output_failed(&out, -r);
    } else {
        a->style.out = orma_output_stream(&out);
        r = a->style.out ? put_view(a, s) : -EIO;
    }
    return orma_output_close(&out, r, a->has_format ? "a profile" : "what the profile says");
}

static int write_stdout(struct args *a, const struct orma_stacks *s, const char *path)
{
    (void)fflush(stdout); /* nothing was written yet */
    int r = a->has_format ? put_file(a, s, path, STDOUT_FILENO) : put_view(a, s);

    if (fflush(stdout) || ferror(stdout) || r == -EPIPE)
        return orma_cli_output_failed(a->program, r == -EPIPE ? EPIPE : errno);
    return r < 0 ? ORMA_EXIT_FAILURE : ORMA_EXIT_OK;
}

static int report(struct args *a)
{
    const struct orma_output_want want = {.program = a->program, .path = a->out, .force = a->force};
    const bool to_file = a->out && strcmp(a->out, "-") != 0;
    struct orma_processor *tp = NULL;
    struct orma_stacks s = {0};
    char room[PATH_SIZE];
    const char *path = find_trace(a, a->paths[0], room);
    int r = path ? 0 : -ENOENT, code = ORMA_EXIT_FAILURE;

    if (r == 0 && a->paths[0])
        orma_inputs_add(a->paths[0], ORMA_INPUTS_FOLDER);
    if (r == 0 && a->out)
        r = orma_output_check(&want);
    if (r == 0)
        r = orma_processor_new(orma_load_config(), &tp);
    if (r == 0)
        r = load_stacks(a, tp, path, &s, &a->losses[0]);
    if (r == 0)
        code =
            to_file ? orma_output_exit(write_out(a, &s, path, &want)) : write_stdout(a, &s, path);
    orma_stacks_fini(&s);
    orma_buf_fini(&a->scope);
    orma_buf_fini(&a->losses[0]);
    orma_processor_free(tp);
    return code;
}

static bool all_is_compared(const void *ctx, const char *section)
{
    (void)ctx;
    (void)section;
    return true;
}

/* How many limits were passed, with messages printed. */
static unsigned check_limits(const struct args *a, const struct orma_stacks_change *changes,
                             size_t num)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf items = {0};
    unsigned passed = 0;

    for (size_t i = 0; i < num; i++) {
        const struct orma_stacks_change *c = &changes[i];
        struct orma_report_limit_item item = {
            .kind = limit_kinds[0].kind,
            .name = c->name,
            .in = {c->before > 0, c->after > 0},
            .tested = !isnan(c->error),
            .listed = c->verdict == ORMA_STACKS_AMOUNT,
            .part = c->before ? c->amount_after / c->amount_before - 1 : INFINITY,
            .metric = "self time",
        };

        orma_buf_put(&items, &item, sizeof(item));
    }
    const struct orma_report_limits limits = {
        .program = a->program,
        .traces = {a->paths[0], a->paths[1]},
        .kinds = limit_kinds,
        .is_compared = all_is_compared,
        .items = (const void *)items.data,
        .num = items.len / sizeof(struct orma_report_limit_item),
    };

    for (size_t i = 0; i < a->limits_num; i++)
        passed += orma_report_limit_check(&limits, &a->limits[i]);
    if (items.failed) {
        fprintf(stderr, "%s: out of memory\n", a->program);
        passed++;
    }
    return passed;
}

static int diff(struct args *a)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf found = {0};
    struct orma_processor *tp[2] = {NULL, NULL};
    struct orma_stacks s[2] = {{0}};
    unsigned passed = 0;
    char room[PATH_SIZE];
    int r = 0;

    for (unsigned i = 0; i < 2 && r == 0; i++) {
        const char *path = find_trace(a, a->paths[i], room);

        r = path ? orma_processor_new(orma_load_config(), &tp[i]) : -ENOENT;
        if (r == 0)
            r = load_stacks(a, tp[i], path, &s[i], &a->losses[i]);
    }
    if (r == 0) {
        for (unsigned i = 0; i < 2; i++) {
            fprintf(a->style.out, "%s ", i ? "after: " : "before:");
            orma_profile_report_head(&a->style, &s[i], 0, orma_buf_cstr(&a->losses[i]));
        }
        if (a->scope.len)
            fprintf(a->style.out, "%s\n", orma_buf_cstr(&a->scope));
        fputc('\n', a->style.out);
        orma_stacks_diff(&s[0], &s[1], &found);
        const struct orma_stacks_change *changes = (const void *)found.data;
        size_t num = found.len / sizeof(*changes);

        orma_profile_report_diff(&a->style, &s[0], &s[1], changes, num);
        passed = check_limits(a, changes, num);
    }
    for (unsigned i = 0; i < 2; i++) {
        orma_stacks_fini(&s[i]);
        orma_processor_free(tp[i]);
        orma_buf_fini(&a->losses[i]);
    }
    orma_buf_fini(&a->scope);
    return r < 0 || passed ? ORMA_EXIT_FAILURE : ORMA_EXIT_OK;
}

/* ---- commands ---- */

static int run_as(const struct orma_command *self, const char *program, unsigned paths,
                  int (*run)(struct args *a), int argc, char **argv)
{
    struct args a = {.program = program,
                     .paths_max = paths,
                     .style = orma_profile_report_style(stdout),
                     .top = -1};
    int id;

    orma_cli_init(&a.cli, self, program, argc, argv);
    while ((id = orma_cli_next(&a.cli)) != ORMA_CLI_END) {
        if (id == ORMA_CLI_HELP)
            return ORMA_EXIT_OK;
        if (id == ORMA_CLI_BAD)
            return ORMA_EXIT_USAGE;
        int r = take_option(&a, id);
        if (r != ORMA_EXIT_OK)
            return r;
    }
    if (a.who.tree && a.who.all)
        return orma_cli_usage_error(&a.cli, "--of and --all exclude each other");
    if (paths == 2 && a.paths_num < 2)
        return orma_cli_usage_error(&a.cli, "two traces are needed: orma profile diff BEFORE AFTER");
    if (a.top >= 0)
        a.style.top = (size_t)a.top;
    return run(&a);
}

static int run_report(const struct orma_command *self, int argc, char **argv)
{
    return run_as(self, "orma profile report", 1, report, argc, argv);
}

static int run_diff(const struct orma_command *self, int argc, char **argv)
{
    return run_as(self, "orma profile diff", 2, diff, argc, argv);
}

const struct orma_command orma_cmd_profile_report = {
    .name = "profile report",
    .summary = "Show where samples were taken: hot functions, and who calls them.",
    .synopsis = "[OPTIONS] [TRACE]",
    .details = "TRACE is any trace with stack samples, or a folder written by 'orma profile'. "
               "Default: this user's latest profile in the temporary folder.",
    .examples = "  orma profile report                        # the ten hottest functions\n"
                "  orma profile report --tree trace.pftrace\n"
                "  orma profile report --callers memcpy --process server\n"
                "  orma profile report --of make build.pftrace\n"
                "  orma profile report --format html -o flame.html\n",
    .options = options,
    .threads = true,
    .exclusive = "tree bottom-up callers by",
    .run = run_report,
};

const struct orma_command orma_cmd_profile_diff = {
    .name = "profile diff",
    .summary = "Show what changed between two profiles, beyond chance.",
    .synopsis = "[OPTIONS] BEFORE AFTER",
    .details = "Compares the self time of functions: how much it changed, with the 95 % confidence "
               "interval, and by how many percentage points their share differs. 'more', 'less': "
               "the amount changed; 'share only': the amount may be the same, while others "
               "changed; 'unclear': too few samples to tell (of all reported changes, at most 5 % "
               "are due to chance). For bytes, waits, and files that have only sums, there is no "
               "such interval. Amounts are totals of the whole recordings.",
    .examples = "  orma profile diff before/ after/\n"
                "  orma profile diff before/ after/ --fail-on '+10%:parse_*'\n",
    .options = diff_options,
    .threads = true,
    .run = run_diff,
};
