/*
 * orma profile, also under the name cpu_profile: where programs spend their time.
 *
 *   options ──► config ──► DIR/raw-trace ──► tables ──► DIR/profile.PID.pb, one per process
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sdk/base/fd.h"
#include "tools/applets.h"
#include "tools/base/units.h"
#include "tools/commands.h"
#include "tools/convert/profile_folder.h"
#include "tools/profile/report.h"
#include "tools/profile/session.h"
#include "tools/record/child.h"
#include "tools/record/profile_config.h"
#include "tools/service/attach.h"

#define FREQUENCY_MAX 100000
#define NUMBERS_MAX 4096
#define FEW_MS 100

enum {
    OPT_FREQUENCY = 1,
    OPT_DURATION,
    OPT_EVENT,
    OPT_KERNEL,
    OPT_NAME,
    OPT_PARTIAL,
    OPT_CONFIG,
    OPT_NO_ANNOTATIONS,
    OPT_PRINT_CONFIG,
    OPT_OUT,
    OPT_PID,
    OPT_ALL,
    OPT_CPU,
    OPT_CALL_GRAPH,
    OPT_STACK_SIZE,
    OPT_USER_ONLY,
    OPT_PER_PROCESS,
    OPT_DEBUGINFOD,
    OPT_OFF_CPU,
};

#define EVENT_HELP                                                                                 \
    "HW_CPU_CYCLES, HW_INSTRUCTIONS, HW_CACHE_REFERENCES, HW_CACHE_MISSES, "                       \
    "HW_BRANCH_INSTRUCTIONS, HW_BRANCH_MISSES, HW_BUS_CYCLES, HW_STALLED_CYCLES_FRONTEND, "        \
    "HW_STALLED_CYCLES_BACKEND, SW_TASK_CLOCK, SW_PAGE_FAULTS, SW_CONTEXT_SWITCHES"

static const struct orma_option options[] = {
    {OPT_PID, 'p', "pid", "PIDS",
     "Profile these processes (separated by commas) and what they start, until all of them have "
     "exited."},
    {OPT_NAME, 'n', "name", "NAMES",
     "Profile the running processes with these names (separated by commas): the program's name, or "
     "what it calls itself (nginx for 'nginx: worker process'); '*' matches anything."},
    {OPT_PARTIAL, 0, "partial-matching", NULL, "NAMES may be parts of names."},
    {OPT_ALL, 'a', "all", NULL,
     "Profile the whole machine; with COMMAND, while it runs. The default without COMMAND, -p and "
     "-n."},
    {OPT_CPU, 'C', "cpu", "LIST", "Only on these cpus: 0,2-3."},
    {OPT_FREQUENCY, 'F', "frequency", "HZ",
     "Samples per second on each CPU (default: 999 for a command or processes, 99 for the whole "
     "machine)."},
    {OPT_FREQUENCY, 'f', NULL, "HZ", "The same as -F."},
    {OPT_EVENT, 'e', "event", "EVENTS",
     "The event to count, in perf's syntax: cpu-clock (the default), page-faults, "
     "context-switches, cycles, instructions, cache-misses, LLC-load-misses, rHEX, "
     "UNIT/event=0xc0,umask=1,name=X/, GROUP:TRACEPOINT and mem:ADDRESS:rwx (each hit, without "
     "-F), with * in names of tracepoints; followed by /period=N/ or /freq=N/, and :u, :k (only in "
     "user space or the kernel), :p (precise). Several events: separate them with commas, or "
     "repeat the option; {A,B}:S reads B with each sample of A."},
    {OPT_DURATION, 'd', "duration", "MS|TIME",
     "How long: 5s, 500ms, or a number of milliseconds. 0 or no option: until Ctrl-C or the end of "
     "COMMAND."},
    {OPT_CALL_GRAPH, 'g', "call-graph", "HOW",
     "How to find callers: dwarf (unwind by .eh_frame; works for all programs), fp (frame "
     "pointers; cheaper), lbr (the processor's last branch record, with -e cycles; at most about "
     "30 callers), or auto (the default): fp if the program and all of its libraries keep frame "
     "pointers, else dwarf."},
    {OPT_STACK_SIZE, 0, "stack-size", "KIB",
     "With dwarf: how much of each stack to copy, 4 to 63 KiB (default: 63, or down to 16 where "
     "little memory may be locked)."},
    {OPT_KERNEL, 'k', "kernel-frames", NULL,
     "Include kernel functions: the default, where the kernel allows it."},
    {OPT_USER_ONLY, 0, "user-only", NULL, "Leave out kernel functions."},
    {OPT_OFF_CPU, 0, "off-cpu", NULL,
     "Also record what threads wait for: each time a thread is off the CPU for 100 us or more, "
     "with its stack and that of the thread that woke it up (as root or with the permissions; "
     "otherwise stacks of "
     "waits of 10 ms or more)."},
    {OPT_DEBUGINFOD, 0, "debuginfod", NULL,
     "Fetch missing debug information from the servers in DEBUGINFOD_URLS."},
    {OPT_PER_PROCESS, 0, "per-process", NULL, "Also write a pprof file for each process."},
    {OPT_CONFIG, 'c', "config", "FILE",
     "Use this trace config, which must contain linux.perf; only -o can be combined with it."},
    {OPT_PRINT_CONFIG, 0, "print-config", NULL, "Print the config and exit."},
    {OPT_OUT, 'o', "output", "DIR",
     "A folder for the results: an empty one, or a new one. Default: a new one in the temporary "
     "folder."},
    {0},
};

static const struct orma_option cpu_profile_options[] = {
    {OPT_FREQUENCY, 'f', "frequency", "HZ", "Samples per second on each CPU (default: 100)."},
    {OPT_DURATION, 'd', "duration", "MS",
     "How long, in milliseconds. 0 or no option: until Ctrl-C or the end of COMMAND."},
    {OPT_EVENT, 'e', "event", "NAME",
     "The event to count: " EVENT_HELP ". May be repeated. Default: the CPU clock."},
    {OPT_KERNEL, 'k', "kernel-frames", NULL, "Include kernel functions."},
    {OPT_NAME, 'n', "name", "NAMES",
     "Only processes of these names, separated by commas. Default: all."},
    {OPT_PARTIAL, 'p', "partial-matching", NULL, "NAMES may be parts of names."},
    {OPT_CONFIG, 'c', "config", "FILE",
     "Use this trace config, which must contain linux.perf; only -o can be combined with it."},
    {OPT_NO_ANNOTATIONS, 0, "no-annotations", NULL,
     "Accepted for compatibility; functions are never annotated."},
    {OPT_PRINT_CONFIG, 0, "print-config", NULL, "Print the config and exit."},
    {OPT_OUT, 'o', "output", "DIR",
     "A folder for the results: an empty one, or a new one. Default: a new one in the temporary "
     "folder."},
    {0},
};

/* "1,5-7" becomes four u32. */
static int parse_numbers(struct orma_profile_session *self, const char *text, struct orma_buf *ret,
                         const char *what)
{
    struct orma_str rest = orma_str_from(text), range, from;
    uint64_t first, last;

    while (rest.len && orma_str_cut(&rest, ',', &range)) {
        bool good = orma_str_cut(&range, '-', &from) && orma_str_to_u64(from, &first);

        last = first;
        if (good && range.len)
            good = orma_str_to_u64(range, &last);
        if (!good || last > INT32_MAX || last < first || last - first > NUMBERS_MAX)
            return orma_cli_usage_error(&self->cli, "bad list of %s '%s': expected 1,5-7", what,
                                        text);
        for (uint64_t n = first; n <= last; n++) {
            uint32_t number = (uint32_t)n;

            orma_buf_put(ret, &number, sizeof(number));
        }
    }
    if (!ret->len)
        return orma_cli_usage_error(&self->cli, "no %s given", what);
    return ORMA_EXIT_OK;
}

static int parse_call_graph(struct orma_profile_session *self, const char *value)
{
    static const char *const names[] = {"auto", "dwarf", "fp", "lbr"};

    for (unsigned i = 0; i < ORMA_ARRAY_LEN(names); i++) {
        if (strcmp(value, names[i]) != 0)
            continue;
        self->call_graph = (enum orma_profile_call_graph)i;
        return ORMA_EXIT_OK;
    }
    return orma_cli_usage_error(&self->cli, "bad call graph '%s': auto, dwarf, fp or lbr%s", value,
                                value[0] == '-' ? "; stacks are taken also without -g" : "");
}

static int parse_stack_size(struct orma_profile_session *self, const char *value)
{
    uint64_t kib;

    if (!orma_str_to_u64(orma_str_from(value), &kib) || kib < 4 || kib > 63)
        return orma_cli_usage_error(&self->cli, "bad stack size '%s': 4 to 63 KiB", value);
    self->request.stack_bytes = (uint32_t)kib * 1024;
    return ORMA_EXIT_OK;
}

/* "page-faults,cycles:u" */
static int parse_events(struct orma_profile_session *self, const char *value)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf error = {0};
    struct orma_record_profile_request *rq = &self->request;

    if (!rq->native && strncmp(value, "HW_", 3) && strncmp(value, "SW_", 3))
        return orma_cli_usage_error(&self->cli, "unknown event '%s'; --help lists them", value);
    if (orma_record_perf_events_add(&rq->events, value, &error) < 0)
        return orma_cli_usage_error(&self->cli, "%s", orma_buf_cstr(&error));
    return ORMA_EXIT_OK;
}

static bool any_exists(const struct orma_buf *pids)
{
    uint32_t pid;

    for (size_t at = 0; at < pids->len; at += sizeof(pid)) {
        memcpy(&pid, pids->data + at, sizeof(pid));
        if (kill((pid_t)pid, 0) == 0 || errno != ESRCH)
            return true;
    }
    return false;
}

/* Of several, some may have ended; without any there is nothing to wait for. */
static int parse_pids(struct orma_profile_session *self, const char *value)
{
    const struct orma_buf *pids = &self->request.pids;
    int code = parse_numbers(self, value, &self->request.pids, "processes");

    if (code != ORMA_EXIT_OK || !self->request.native || any_exists(pids))
        return code;
    fprintf(stderr,
            pids->len > sizeof(uint32_t) ? "%s: none of the processes %s exists\n"
                                         : "%s: process %s does not exist\n",
            self->program, value);
    return ORMA_EXIT_FAILURE;
}

/* Other commands take seconds: whoever types 5 gets no samples in 5 ms. */
static void tell_unit(const struct orma_profile_session *self, const char *value)
{
    uint64_t ms;

    if (self->cli.command == &orma_cmd_profile && orma_str_to_u64(orma_str_from(value), &ms) &&
        ms && ms < FEW_MS)
        fprintf(stderr, "%s: -d %s is %s milliseconds; for seconds: -d %ss\n", self->cli.program,
                value, value, value);
}

static int parse_option(struct orma_profile_session *self, int id)
{
    const char *value = self->cli.value;
    struct orma_record_profile_request *rq = &self->request;

    switch (id) {
    case OPT_PID:
        return parse_pids(self, value);
    case OPT_CPU:
        return parse_numbers(self, value, &rq->cpus, "cpus");
    case OPT_ALL:
        self->all = true;
        break;
    case OPT_CALL_GRAPH:
        return parse_call_graph(self, value);
    case OPT_STACK_SIZE:
        return parse_stack_size(self, value);
    case OPT_USER_ONLY:
        self->user_only = true;
        break;
    case OPT_OFF_CPU:
        rq->off_cpu = true;
        break;
    case OPT_DEBUGINFOD:
        self->ask_servers = true;
        break;
    case OPT_PER_PROCESS:
        self->per_process = true;
        break;
    case OPT_FREQUENCY:
        if (!orma_str_to_u64(orma_str_from(value), &rq->frequency_hz) || !rq->frequency_hz ||
            rq->frequency_hz > FREQUENCY_MAX)
            return orma_cli_usage_error(
                &self->cli, "bad frequency '%s': 1 to %d samples a second%s", value, FREQUENCY_MAX,
                *value == '-' ? " (-f is not --force here: an existing folder is never overwritten)"
                              : "");
        rq->frequency_given = true;
        break;
    case OPT_DURATION:
        tell_unit(self, value);
        if ((!orma_str_to_u64(orma_str_from(value), &rq->duration_ms) &&
             !orma_units_parse_duration_ms(value, &rq->duration_ms)) ||
            rq->duration_ms > UINT32_MAX)
            return orma_cli_usage_error(
                &self->cli, "bad duration '%s': expected milliseconds, or a time such as 5s",
                value);
        break;
    case OPT_EVENT:
        return parse_events(self, value);
    case OPT_KERNEL:
        rq->kernel_frames = true;
        break;
    case OPT_NAME:
        self->names = value;
        break;
    case OPT_PARTIAL:
        self->partial = true;
        break;
    case OPT_CONFIG:
        self->config_path = value;
        break;
    case OPT_PRINT_CONFIG:
        self->print_config = true;
        break;
    case OPT_OUT:
        self->dir = value;
        break;
    case ORMA_CLI_REST:
        self->command = self->cli.argv + self->cli.rest_idx;
        if (!self->command[0])
            return orma_cli_usage_error(&self->cli, "a command must follow '--'");
        break;
    case ORMA_CLI_POSITIONAL:
        return orma_cli_usage_error(
            &self->cli, "unexpected argument '%s': a command follows '--', names follow -n", value);
    }
    return ORMA_EXIT_OK;
}

/* ORMA_EXIT_OK and *ret_go_on, or what to exit with. */
static int parse(struct orma_profile_session *self, bool *ret_go_on)
{
    int id;

    *ret_go_on = false;
    while ((id = orma_cli_next(&self->cli)) != ORMA_CLI_END) {
        if (id == ORMA_CLI_HELP)
            return ORMA_EXIT_OK;
        if (id == ORMA_CLI_BAD)
            return ORMA_EXIT_USAGE;
        self->shaped |= id > 0 && id != OPT_CONFIG && id != OPT_OUT;
        int r = parse_option(self, id);
        if (r != ORMA_EXIT_OK)
            return r;
    }
    if (self->config_path && self->shaped)
        return orma_cli_usage_error(&self->cli, "-c can be combined only with -o and a command");
    if (self->all && (self->request.pids.len || self->names))
        return orma_cli_usage_error(&self->cli, "-a excludes -p and -n");
    if (self->partial && !self->names)
        return orma_cli_usage_error(&self->cli, "--partial-matching needs --name");
    *ret_go_on = true;
    return ORMA_EXIT_OK;
}

/* ---- recording and results ---- */

static int run_as(const struct orma_command *command, const char *program, int argc, char **argv)
{
    struct orma_profile_session self = {
        .program = program, .trace_fd = -1, .child = {.go_fd = -1, .error_fd = -1}};
    bool go_on;

    self.request.native = command == &orma_cmd_profile;
    orma_cli_init(&self.cli, command, program, argc, argv);
    int code = parse(&self, &go_on);
    if (go_on)
        code = orma_profile_session_run(&self);
    orma_service_attached_fini(&self.service);
    orma_buf_fini(&self.config);
    orma_record_perf_events_fini(&self.request.events);
    orma_buf_fini(&self.request.names);
    orma_buf_fini(&self.request.pids);
    orma_buf_fini(&self.request.cpus);
    orma_record_child_drop(&self.child);
    orma_fd_close(&self.trace_fd);
    orma_convert_profile_folder_close(&self.folder);
    return code;
}

/* What may follow `orma profile` instead of options. */
static const struct {
    const char *name;
    const struct orma_command *command;
} subcommands[] = {
    {"report", &orma_cmd_profile_report},
    {"diff", &orma_cmd_profile_diff},
};

static int run(const struct orma_command *self, int argc, char **argv)
{
    for (size_t i = 0; argc > 1 && i < ORMA_ARRAY_LEN(subcommands); i++) {
        if (!strcmp(argv[1], subcommands[i].name))
            return subcommands[i].command->run(subcommands[i].command, argc - 1, argv + 1);
    }
    return run_as(self, "orma profile", argc, argv);
}

#define SUMMARY "Show where programs spend their time, function by function."
#define SYNOPSIS "[OPTIONS] [-- COMMAND [ARG]...] | report [TRACE] | diff BEFORE AFTER"
#define CPU_PROFILE_SYNOPSIS "[OPTIONS] [-- COMMAND [ARG]...]"
#define DETAILS                                                                                    \
    "Samples COMMAND and what it starts, or processes, or all CPUs, with their call stacks. "      \
    "Prints the ten hottest functions, and writes a flame graph (flamegraph.html), a profile for " \
    "pprof (profile.pb), and the trace itself (raw-trace). 'orma profile report' shows more of "   \
    "it: trees of calls, callers of a function, sums by library and thread ('orma profile report " \
    "--help'); 'orma profile diff' compares two.\n\n"                                              \
    "Stacks are unwound without frame pointers, so functions of all libraries have their "         \
    "callers. "                                                                                    \
    "Line numbers and inlined functions come from debug information where it is installed. "       \
    "Python "                                                                                      \
    "functions (3.11 to 3.13) are read from the program's memory, and appear between those of "    \
    "its "                                                                                         \
    "interpreter and libraries.\n\n"                                                               \
    "Ordinary users may profile their own programs; kernel functions need root, or "               \
    "kernel.perf_event_paranoid set to 1."
#define CPU_PROFILE_DETAILS                                                                        \
    "Samples what each CPU does, with call stacks, and writes one profile per process in pprof's " \
    "format, beside the trace that they were made from (raw-trace), which 'orma query' reads."

/* Of the other commands, and of perf. */
static const struct orma_habit habits[] = {
    {"-t", "use --duration: -d 10s"},
    {"--time", "use --duration: -d 10s"},
    {0},
};

const struct orma_command orma_cmd_profile = {
    .name = "profile",
    .summary = SUMMARY,
    .synopsis = SYNOPSIS,
    .details = DETAILS,
    .examples = "  orma profile -- ./program               # it, and what it starts\n"
                "  orma profile -p 4711 -d 5s              # a process, for five seconds\n"
                "  orma profile -n postgres -o results     # until Ctrl-C\n"
                "  sudo orma profile -a -d 5s              # this machine\n"
                "  orma profile report --tree              # of the last one\n"
                "  orma profile diff before/ after/\n",
    .options = options,
    .habits = habits,
    .exclusive = "kernel-frames user-only",
    .run = run,
};

const struct orma_command orma_cmd_cpu_profile = {
    .name = "cpu_profile",
    .summary = SUMMARY,
    .synopsis = CPU_PROFILE_SYNOPSIS,
    .details = CPU_PROFILE_DETAILS,
    .examples = "  cpu_profile -n server -d 10000 -o results\n"
                "  cpu_profile -e HW_CACHE_MISSES -n server --print-config\n",
    .options = cpu_profile_options,
};

int orma_cpu_profile_main(int argc, char **argv)
{
    return run_as(&orma_cmd_cpu_profile, "cpu_profile", argc, argv);
}
