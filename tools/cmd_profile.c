/*
 * orma profile, also under the name cpu_profile: where programs spend their time.
 *
 *   options ──► config ──► DIR/raw-trace ──► tables ──► DIR/profile.PID.pb, one per process
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "processor/flame/flame.h"
#include "protos/reflect/schema.h"
#include "protos/reflect/text.h"
#include "sdk/base/clock.h"
#include "sdk/base/fd.h"
#include "tools/applets.h"
#include "tools/base/units.h"
#include "tools/commands.h"
#include "tools/convert/profile_folder.h"
#include "tools/load/load.h"
#include "tools/load/loss.h"
#include "tools/load/symbols.h"
#include "tools/profile/report.h"
#include "tools/profile/text.h"
#include "tools/record/child.h"
#include "tools/record/frame_pointers.h"
#include "tools/record/profile_config.h"
#include "tools/record/recorder.h"
#include "tools/record/watched.h"
#include "tools/service/attach.h"
#include "tools/service/config_file.h"

#define FREQUENCY_DEFAULT 100
#define FREQUENCY_MAX 100000
#define WAITS_TOP 5
#define WAITS_MIN 0.02
#define COVERAGE_LEAST 0.9
#define SAMPLES_FEW 50u
#define COVERAGE_MIN_NS 50000000u /* of less CPU time, shares say nothing */
#define NUMBERS_MAX 4096

#define FREQUENCY_ONE 999 /* of one command: threads that live shorter than a period go unseen */
#define FREQUENCY_ALL 99
#define FREQUENCY_HIGH 20000 /* to try where there were few samples */
#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

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
     "How long, in milliseconds or with a unit (5s). 0 or no option: until Ctrl-C or the end of "
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
     "with its stack and that of the thread that woke it up (as root or with the permissions; otherwise stacks of "
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

enum call_graph { CALL_GRAPH_AUTO, CALL_GRAPH_DWARF, CALL_GRAPH_FP, CALL_GRAPH_LBR };

struct profile {
    struct orma_cli cli;
    const char *program;
    struct orma_record_profile_request request;
    const char *names, *config_path;
    bool partial, print_config, shaped, all, user_only, per_process, ask_servers;
    enum call_graph call_graph;
    struct orma_record_child child;
    struct rusage before;       /* of children that were there before the command */
    uint64_t begun_ns;          /* of the recording; REALTIME */
    uint64_t cpu_ns, kernel_ns; /* that the command used, and of it in the kernel; 0: not known */
    const char *dir;            /* as given; NULL: a temporary one */
    struct orma_convert_profile_folder folder;
    char *const *command;
    struct orma_buf config; /* encoded */
    int trace_fd;
    bool cut_short; /* of a recording that failed something is there */
    struct orma_service_attached service;
};

/* "1,5-7" becomes four u32. */
static int parse_numbers(struct profile *self, const char *text, struct orma_buf *ret,
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

static int parse_call_graph(struct profile *self, const char *value)
{
    static const char *const names[] = {"auto", "dwarf", "fp", "lbr"};

    for (unsigned i = 0; i < ORMA_ARRAY_LEN(names); i++) {
        if (strcmp(value, names[i]) != 0)
            continue;
        self->call_graph = (enum call_graph)i;
        return ORMA_EXIT_OK;
    }
    return orma_cli_usage_error(&self->cli, "bad call graph '%s': auto, dwarf, fp or lbr%s", value,
                                value[0] == '-' ? "; stacks are taken also without -g" : "");
}

static int parse_stack_size(struct profile *self, const char *value)
{
    uint64_t kib;

    if (!orma_str_to_u64(orma_str_from(value), &kib) || kib < 4 || kib > 63)
        return orma_cli_usage_error(&self->cli, "bad stack size '%s': 4 to 63 KiB", value);
    self->request.stack_bytes = (uint32_t)kib * 1024;
    return ORMA_EXIT_OK;
}

/* "page-faults,cycles:u" */
static int parse_events(struct profile *self, const char *value)
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
static int parse_pids(struct profile *self, const char *value)
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

static int parse_option(struct profile *self, int id)
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
static int parse(struct profile *self, bool *ret_go_on)
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

/* ---- config ---- */

/* Others than root may watch their own processes only, one by one. */
static bool by_pid(const struct profile *self)
{
    return self->request.native && geteuid() != 0;
}

/* Its process is there before everything else, so that it can be watched from its first moment. */
static int prepare_command(struct profile *self)
{
    if (!self->request.native || !self->command || self->config_path || self->print_config)
        return 0;
    if (!orma_record_child_exists(self->command[0])) {
        fprintf(stderr, "%s: %s: not found\n", self->program, self->command[0]);
        return -ENOENT;
    }
    (void)getrusage(RUSAGE_CHILDREN, &self->before);
    int r = orma_record_child_prepare(&self->child, self->command);
    if (r < 0)
        fprintf(stderr, "%s: cannot start a process: %s\n", self->program, strerror(-r));
    return r;
}

/* Of the whole machine nothing is known before. */
static bool keeps_frame_pointers(const struct profile *self)
{
    const struct orma_buf *pids = &self->request.pids;

    if (self->command && self->request.on_exec)
        return orma_record_frame_pointers_of_command(self->command[0]);
    return pids->len &&
           orma_record_frame_pointers_of_processes(
               "/proc", (const int32_t *)(const void *)pids->data, pids->len / sizeof(int32_t));
}

/* 0: there is such a counter, or of rights, the source tells; -errno. */
static int try_cycles(uint64_t sample_type)
{
    struct perf_event_attr attr = {.size = sizeof(attr),
                                   .type = PERF_TYPE_HARDWARE,
                                   .config = PERF_COUNT_HW_CPU_CYCLES,
                                   .sample_period = 1000000,
                                   .sample_type = sample_type,
                                   .exclude_kernel = 1,
                                   .disabled = 1};

    if (sample_type)
        attr.branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_CALL_STACK;
    int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    int r = fd >= 0 || errno == EACCES || errno == EPERM ? 0 : -errno;
    orma_fd_close(&fd);
    return r;
}

/* Before anything is run: few machines have it, virtual ones hardly ever. */
static int check_lbr(const struct profile *self)
{
    if (try_cycles(PERF_SAMPLE_BRANCH_STACK) == 0)
        return 0;
    fprintf(stderr,
            "%s: this machine has no last branch record (LBR); use --call-graph=dwarf instead\n",
            self->program);
    return -ENOTSUP;
}

/* Virtual machines often have no counter of cycles. As perf does, the clock is taken there. */
static void replace_cycles(struct profile *self)
{
    static const char cycles[] = "HW_CPU_CYCLES";
    struct orma_record_perf_events *events = &self->request.events;
    bool replaced = false;

    for (size_t i = 0; i < events->num; i++) {
        struct orma_buf *text = &events->list[i].base, with = {0};
        const char *found = strstr(orma_buf_cstr(text), cycles);

        if (!found || try_cycles(0) == 0)
            continue;
        orma_buf_put(&with, text->data, (size_t)(found - (const char *)text->data));
        orma_buf_printf(&with, "SW_CPU_CLOCK%s", found + strlen(cycles));
        orma_buf_fini(text);
        *text = with;
        replaced = true;
    }
    if (replaced)
        fprintf(stderr, "%s: this machine does not count cycles: using cpu-clock instead\n",
                self->program);
}

/* What the request leaves open. */
static void complete_request(struct profile *self)
{
    struct orma_record_profile_request *rq = &self->request;
    bool one = rq->pids.len || self->names || (self->command && !self->all);
    int32_t pid = self->child.pid;

    if (!rq->frequency_hz)
        rq->frequency_hz = !rq->native ? FREQUENCY_DEFAULT : one ? FREQUENCY_ONE : FREQUENCY_ALL;
    if (!rq->native)
        return;
    rq->kernel_frames = !self->user_only;
    if (self->command && !self->all && !rq->pids.len && !self->names) {
        orma_buf_put(&rq->pids, &pid, sizeof(pid));
        rq->on_exec = true;
    }
    rq->lbr = self->call_graph == CALL_GRAPH_LBR;
    rq->frame_pointers = self->call_graph == CALL_GRAPH_FP || rq->lbr ||
                         (self->call_graph == CALL_GRAPH_AUTO && keeps_frame_pointers(self));
}

static int find_processes(struct profile *self)
{
    struct orma_str rest = orma_str_from(self->names), name;
    int found = 0;

    while (rest.len && orma_str_cut(&rest, ',', &name)) {
        name = orma_str_trim(name);
        int n =
            !name.len ? 0
            : by_pid(self)
                ? orma_record_profile_add_pids(&self->request, "/proc", name, self->partial)
                : orma_record_profile_add_processes(&self->request, "/proc", name, self->partial);
        if (n < 0)
            return n;
        found += n;
    }
    if (!found) {
        fprintf(stderr, "%s: no running process is named '%s'%s\n", self->program, self->names,
                self->partial          ? ""
                : self->request.native ? "; --partial-matching also matches parts of names"
                                       : "; -p matches parts of names");
        return -ESRCH;
    }
    return 0;
}

static void tell_processes(const struct profile *self)
{
    const struct orma_buf *names = &self->request.names;

    if (names->len)
        fprintf(stderr, "%s: profiling these processes:\n", self->program);
    for (size_t at = 0; at < names->len; at += strlen((const char *)names->data + at) + 1)
        fprintf(stderr, "  %s\n", (const char *)names->data + at);
}

/* Into self->config; with --print-config onto standard output instead. */
static int make_config(struct profile *self)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf text = {0};
    ORMA_AUTO(orma_buf_fini) struct orma_buf error = {0};
    const struct orma_schema *schema = orma_schema_default();
    struct orma_text_parse opts = {.file = "config", .error = &error};
    int r;

    if (self->config_path) {
        r = orma_service_config_load(self->config_path, ORMA_SERVICE_CONFIG_AUTO, &self->config,
                                     &error);
        if (r < 0)
            fprintf(stderr, "%s: %s\n", self->program, orma_buf_cstr(&error));
        return r;
    }
    r = self->names ? find_processes(self) : 0;
    if (r < 0)
        return r;
    complete_request(self);
    orma_record_profile_config_text(&text, &self->request);
    if (self->print_config) {
        fputs(orma_buf_cstr(&text), stdout);
        return 0;
    }
    tell_processes(self);
    r = orma_text_parse(schema,
                        orma_schema_find_msg(schema, ORMA_STR("perfetto.protos.TraceConfig")),
                        orma_buf_str(&text), &opts, &self->config);
    if (r < 0)
        fprintf(stderr, "%s: %s\n", self->program, orma_buf_cstr(&error));
    return r;
}

static int open_folder(struct profile *self)
{
    int r = orma_convert_profile_folder_open(&self->folder, self->program, self->dir, true);

    return r < 0 ? r : orma_convert_profile_folder_trace(&self->folder, &self->trace_fd);
}

/* ---- recording and results ---- */

static uint64_t ns_of(struct timeval t)
{
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_usec * 1000u;
}

/* What the command and its children used of the cpus. We may have had others, before this program
 * was executed. */
static void take_cpu_time(struct profile *self)
{
    struct rusage used;

    if (!self->child.pid || getrusage(RUSAGE_CHILDREN, &used) < 0)
        return;
    self->kernel_ns = ns_of(used.ru_stime) - ns_of(self->before.ru_stime);
    self->cpu_ns = self->kernel_ns + ns_of(used.ru_utime) - ns_of(self->before.ru_utime);
}

/* Without its samples the command is not worth running; the source has said what is wrong. */
static bool may_begin(void *ctx)
{
    const struct profile *self = ctx;

    return !self->service.host || !orma_service_host_refused(self->service.host);
}

static int record(struct profile *self, int signal_fd, int *ret_code)
{
    struct orma_recorder run = {
        .program = self->program,
        .config = orma_buf_str(&self->config),
        .out_fd = self->trace_fd,
        .service_writes = true,
        .progress = isatty(STDERR_FILENO),
        .command = self->command,
        .prepared = self->child.pid > 0 ? &self->child : NULL,
        .signal_fd = signal_fd,
        .may_begin = may_begin,
        .ctx = self,
    };
    char loss[ORMA_LEDGER_TEXT_MAX];
    int r = orma_service_attach(&self->service, self->program, ORMA_SERVICE_ATTACH_ANY);

    if (r < 0)
        return r;
    run.consumer = self->service.consumer;
    if (self->service.host) {
        run.child_producer_addr = orma_service_host_producer_addr(self->service.host);
        run.child_consumer_addr = orma_service_host_consumer_addr(self->service.host);
    }
    struct orma_record_watched watched = {.fd = -1};
    if (!self->command && self->request.pids.len)
        orma_record_watched_open(&watched, (const int32_t *)(const void *)self->request.pids.data,
                                 self->request.pids.len / sizeof(int32_t));
    self->begun_ns = orma_clock_now(ORMA_CLOCK_REALTIME);
    run.watched = watched.fd >= 0 ? &watched : NULL;
    if (!self->command && !self->request.duration_ms && !self->config_path)
        fprintf(stderr, "%s: profiling; Ctrl-C%s ends it\n", self->program,
                run.watched ? ", or the end of the processes," : "");
    r = orma_recorder_run(&run);
    orma_record_watched_close(&watched);
    take_cpu_time(self); /* before we have other children */
    orma_buf_fini(&run.sources);
    *ret_code = ORMA_MAX(run.child_code, ORMA_EXIT_OK);
    if (run.has_loss && !orma_ledger_is_none(&run.loss)) {
        orma_ledger_format(&run.loss, loss, sizeof(loss));
        fprintf(stderr, "%s: %s\n", self->program, loss);
    }
    self->cut_short = r < 0; /* it has been said why */
    return r < 0 && (run.not_spawned || !run.bytes) ? r : 0;
}

/* What there is to say when nothing was sampled. */
static void tell_nothing(const struct profile *self, const char *path)
{
    const struct orma_record_profile_request *rq = &self->request;

    if (self->child.pid <= 0)
        fprintf(stderr,
                "%s: no samples with stacks%s%s: did the processes run, and is there permission to "
                "watch them? (run as root, or set kernel.perf_event_paranoid to -1)\n",
                self->program, self->dir ? " in " : "", self->dir ? path : "");
    else if (orma_record_child_changes_rights(self->command[0]))
        fprintf(stderr, "%s: '%s' is setuid: the kernel lets only root watch it\n", self->program,
                self->command[0]);
    else if (rq->events.num)
        fprintf(stderr, "%s: no samples: the events of -e did not happen in '%s'\n", self->program,
                self->command[0]);
    else
        fprintf(stderr,
                "%s: no samples: '%s' used %.1f ms of CPU time, and a sample is taken every %.1f "
                "ms; -F %d takes more\n",
                self->program, self->command[0], (double)self->cpu_ns / 1e6,
                1e3 / (double)rq->frequency_hz, FREQUENCY_HIGH);
}

static bool sees_kernel(const struct orma_stacks *stacks)
{
    const struct orma_stacks_function *f = orma_stacks_functions(stacks);

    for (size_t i = 0; i < orma_stacks_functions_num(stacks); i++) {
        if (f[i].self && !strcmp(orma_stacks_text(stacks, f[i].module), "kernel"))
            return true;
    }
    return false;
}

/* Threads that live shorter than the time between two samples are never seen. */
static void tell_coverage(const struct profile *self, const struct orma_stacks *stacks)
{
    const struct orma_stacks_counted *counted = &stacks->counted;
    double used = (double)self->cpu_ns, seen = (double)(stacks->samples * stacks->period_ns);
    bool kernel = self->kernel_ns && sees_kernel(stacks);
    char unseen[80] = "";

    if (!stacks->period_ns || !self->cpu_ns || self->request.cpus.len)
        return;
    if (!kernel)
        used -= (double)self->kernel_ns;
    bool often = self->request.frequency_hz >= FREQUENCY_HIGH;
    if (counted->ns && counted->unseen_ns)
        snprintf(unseen, sizeof(unseen), "threads without a sample used %.1f %%, ",
                 100.0 * (double)counted->unseen_ns / (double)counted->ns);
    bool all_have_some = counted->ns && !counted->unseen_ns;
    if (self->cpu_ns > COVERAGE_MIN_NS && seen < COVERAGE_LEAST * used && all_have_some)
        fprintf(stderr,
                "%s: samples explain %.0f %% of the %sCPU time, although every thread has some: "
                "the rest may be time that a host takes from this machine\n",
                self->program, 100.0 * seen / used, kernel ? "" : "user's ");
    else if (self->cpu_ns > COVERAGE_MIN_NS && seen < COVERAGE_LEAST * used)
        fprintf(
            stderr,
            "%s: samples explain %.0f %% of the %sCPU time: %sthe rest may belong to threads that "
            "live shorter than the time between two samples or start again with each vfork(), or "
            "be time that %s\n",
            self->program, 100.0 * seen / used, kernel ? "" : "user's ", unseen,
            often ? "taking the samples costs"
                  : "a host takes from this machine; -F " TEXT(
                        FREQUENCY_HIGH) " catches most such threads, as does -a as root at any -F");
    else if (stacks->samples < SAMPLES_FEW && !often)
        fprintf(stderr,
                "%s: %" PRIu64 " sample%s: percentages are rough; -F %d takes more samples\n",
                self->program, stacks->samples, stacks->samples == 1 ? "" : "s", FREQUENCY_HIGH);
}

/* Where the kernel shows it. */
static void put_wakers(const struct orma_profile_report_style *style, struct orma_processor *tp)
{
    const struct orma_stacks_choice choice = {.kind = ORMA_STACKS_WAKERS};
    struct orma_stacks waits;

    if (orma_stacks_load(&waits, tp, &choice) < 0)
        return;
    printf("who ended the waits (with stacks: orma profile report --wakers --tree)\n");
    orma_profile_report_sums(style, &waits, ORMA_STACKS_BY_WAKER);
    fputc('\n', stdout);
    orma_stacks_fini(&waits);
}

/* What threads waited for, and in which functions. */
static int put_waits(struct profile *self, struct orma_processor *tp, const char *losses)
{
    const struct orma_stacks_choice choice = {.kind = ORMA_STACKS_OFF_CPU};
    struct orma_profile_report_style style = orma_profile_report_style(stdout);
    struct orma_stacks waits;

    if (!self->request.off_cpu)
        return -ENODATA;
    int r = orma_stacks_load(&waits, tp, &choice);
    if (r < 0) {
        printf("off cpu: no waits of 100 us or more\n\n");
        return r;
    }
    style.top = WAITS_TOP;
    style.min = WAITS_MIN;
    printf("off cpu: ");
    orma_profile_report_head(&style, &waits, 0, losses);
    orma_profile_report_sums(&style, &waits, ORMA_STACKS_BY_REASON);
    fputc('\n', stdout);
    orma_profile_report_callers(&style, &waits, ORMA_STACKS_NONE);
    fputc('\n', stdout);
    orma_stacks_fini(&waits);
    put_wakers(&style, tp);
    return 0;
}

/* The ten hottest functions, and the files for more. */
static int answer(struct profile *self, struct orma_processor *tp)
{
    const struct orma_stacks_choice choice = {.kind = ORMA_STACKS_SAMPLES};
    struct orma_profile_report_style style = orma_profile_report_style(stdout);
    struct orma_profile_export all = {.tp = tp, .kind = ORMA_PROFILE_PERF, .in_one = true};
    struct orma_profile_export each = {.tp = tp, .kind = ORMA_PROFILE_PERF};
    ORMA_AUTO(orma_buf_fini) struct orma_buf losses = {0};
    struct orma_ledger loss;
    struct orma_stacks stacks;
    int r = orma_stacks_load(&stacks, tp, &choice);

    orma_load_loss(tp, &loss);
    orma_load_put_losses(tp, &loss, &losses);
    if (r < 0) /* it may have done nothing but wait */
        return r == -ENODATA ? put_waits(self, tp, orma_buf_cstr(&losses)) : r;
    orma_profile_report_head(&style, &stacks, self->cpu_ns, orma_buf_cstr(&losses));
    fputc('\n', stdout);
    orma_profile_report_top(&style, &stacks);
    fputs(self->request.events.num > 1 ? "\nthe other events: orma profile report --event NAME\n\n"
                                       : "\n",
          stdout);
    tell_coverage(self, &stacks);
    (void)put_waits(self, tp, NULL); /* none: then it has said so */
    r = orma_convert_profile_folder_flame(&self->folder, &stacks,
                                          self->command ? self->command[0] : "orma profile");
    if (r == 0)
        r = orma_convert_profile_folder_fill(&self->folder, &all);
    if (r == 0 && self->per_process)
        r = orma_convert_profile_folder_fill(&self->folder, &each);
    if (r == 0)
        printf("%s: " ORMA_CONVERT_PROFILE_FLAME
               " (a flame graph), profile.pb (for pprof), " ORMA_LOAD_FOLDER_TRACE
               " (orma profile report, orma query)\n",
               self->folder.path);
    orma_stacks_fini(&stacks);
    return r;
}

static int export_files(struct profile *self, struct orma_processor *tp)
{
    struct orma_profile_export ex = {.tp = tp, .kind = ORMA_PROFILE_PERF};
    int r = orma_convert_profile_folder_fill(&self->folder, &ex);

    return r == 0 && !ex.written ? -ENODATA : r;
}

static int export_all(struct profile *self)
{
    char path[4200];
    struct orma_load_names names = {.ask_servers = self->ask_servers, .since_ns = self->begun_ns};
    struct orma_processor *tp = NULL;
    int r = orma_processor_new(NULL, &tp);

    if (r < 0) {
        fprintf(stderr, "%s: %s\n", self->program, strerror(-r));
        return r;
    }
    snprintf(path, sizeof(path), "%s/" ORMA_LOAD_FOLDER_TRACE, self->folder.path);
    r = orma_load_symbols_from_here(tp, self->program, &names);
    if (r == 0)
        r = orma_load_trace(tp, self->program, path, ORMA_LOAD_PROGRESS, NULL);
    orma_load_names_found(&names);
    if (r == 0)
        r = self->request.native ? answer(self, tp) : export_files(self, tp);
    if (r == -ENODATA)
        tell_nothing(self, path);
    orma_processor_free(tp); /* the file may change now */
    if (r == 0)
        (void)orma_load_names_append(&names, self->program, path); /* the answer has been given */
    orma_load_names_fini(&names);
    return r;
}

/* A folder that we made holds nothing of worth without samples; in one of the user's the trace
 * stays, if there is one. */
static void drop_folder(struct profile *self, bool has_trace)
{
    if (has_trace && (!self->folder.made || self->dir))
        return;
    orma_convert_profile_folder_drop(&self->folder);
}

static int profile(struct profile *self)
{
    int code = ORMA_EXIT_OK;
    int r = self->call_graph == CALL_GRAPH_LBR && !self->print_config ? check_lbr(self) : 0;

    if (r == 0)
        r = prepare_command(self);
    if (r < 0)
        return r == -ENOENT ? 127 : ORMA_EXIT_FAILURE;
    if (!self->print_config && self->request.native && self->call_graph != CALL_GRAPH_LBR)
        replace_cycles(self);
    r = make_config(self);
    if (r < 0 || self->print_config)
        return r < 0 ? ORMA_EXIT_FAILURE : ORMA_EXIT_OK;
    int signal_fd = orma_recorder_signals("orma profile");
    r = signal_fd < 0 ? signal_fd : open_folder(self);
    if (r == 0) {
        r = record(self, signal_fd, &code);
        if (r < 0)
            drop_folder(self, false);
    }
    if (r == 0 && (r = export_all(self)) == -ENODATA)
        drop_folder(self, true);
    orma_fd_close(&signal_fd);
    if (r == -ENODATA && self->child.pid > 0 && !self->cut_short)
        return code; /* it was too short, or did nothing: its own affair */
    return (r < 0 || self->cut_short) && code == ORMA_EXIT_OK ? ORMA_EXIT_FAILURE : code;
}

static int run_as(const struct orma_command *command, const char *program, int argc, char **argv)
{
    struct profile self = {
        .program = program, .trace_fd = -1, .child = {.go_fd = -1, .error_fd = -1}};
    bool go_on;

    self.request.native = command == &orma_cmd_profile;
    orma_cli_init(&self.cli, command, program, argc, argv);
    int code = parse(&self, &go_on);
    if (go_on)
        code = profile(&self);
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

const struct orma_command orma_cmd_profile = {
    .name = "profile",
    .summary = SUMMARY,
    .synopsis = SYNOPSIS,
    .details = DETAILS,
    .examples = "  orma profile -- ./program               # it, and what it starts\n"
                "  orma profile -p 4711 -d 5000            # a process, for five seconds\n"
                "  orma profile -n postgres -o results     # until Ctrl-C\n"
                "  sudo orma profile -a -d 5000            # this machine\n"
                "  orma profile report --tree              # of the last one\n"
                "  orma profile diff before/ after/\n",
    .options = options,
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
