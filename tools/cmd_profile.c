/*
 * orma profile, also under the name cpu_profile: where programs spend their time.
 *
 *   options ──► config ──► DIR/raw-trace ──► tables ──► DIR/profile.PID.pb, one per process
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "protos/reflect/schema.h"
#include "protos/reflect/text.h"
#include "sdk/base/fd.h"
#include "tools/applets.h"
#include "tools/commands.h"
#include "tools/convert/profile_folder.h"
#include "tools/load/load.h"
#include "tools/load/symbols.h"
#include "tools/record/profile_config.h"
#include "tools/record/recorder.h"
#include "tools/service/attach.h"
#include "tools/service/config_file.h"

#define FREQUENCY_DEFAULT 100
#define FREQUENCY_MAX 100000
#define TRACE_NAME "raw-trace"

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
    OPT_OUT
};

static const struct orma_option options[] = {
    {OPT_FREQUENCY, 'f', "frequency", "HZ", "Samples per second on each cpu (100)."},
    {OPT_DURATION, 'd', "duration", "MS",
     "How long, in milliseconds; 0, as without it: until Ctrl-C or the end of COMMAND."},
    {OPT_EVENT, 'e', "event", "NAME",
     "What is counted: HW_CPU_CYCLES, HW_INSTRUCTIONS, HW_CACHE_REFERENCES, HW_CACHE_MISSES, "
     "HW_BRANCH_INSTRUCTIONS, HW_BRANCH_MISSES, HW_BUS_CYCLES, HW_STALLED_CYCLES_FRONTEND, "
     "HW_STALLED_CYCLES_BACKEND, SW_TASK_CLOCK, SW_PAGE_FAULTS, SW_CONTEXT_SWITCHES. May be given "
     "several times. Default: the clock of the cpu."},
    {OPT_KERNEL, 'k', "kernel-frames", NULL, "Functions of the kernel, too."},
    {OPT_NAME, 'n', "name", "NAMES",
     "Only processes of these names, separated by commas. Default: all."},
    {OPT_PARTIAL, 'p', "partial-matching", NULL, "NAMES may be parts of names."},
    {OPT_CONFIG, 'c', "config", "FILE",
     "A trace config of your own with linux.perf in it; excludes all options but -o."},
    {OPT_NO_ANNOTATIONS, 0, "no-annotations", NULL,
     "Accepted for scripts: functions are never annotated."},
    {OPT_PRINT_CONFIG, 0, "print-config", NULL, "Print the config, and do nothing else."},
    {OPT_OUT, 'o', "output", "DIR",
     "An existing, empty folder for the results. Default: a new one in the temporary folder."},
    {0},
};

struct profile {
    struct orma_cli cli;
    const char *program;
    struct orma_record_profile_request request;
    const char *names, *config_path;
    bool partial, print_config, shaped;
    const char *dir; /* as given; NULL: a temporary one */
    struct orma_convert_profile_folder folder;
    char *const *command;
    struct orma_buf config; /* encoded */
    int trace_fd;
    struct orma_service_attached service;
};

static int parse_option(struct profile *self, int id)
{
    const char *value = self->cli.value;
    struct orma_record_profile_request *rq = &self->request;

    switch (id) {
    case OPT_FREQUENCY:
        if (!orma_str_to_u64(orma_str_from(value), &rq->frequency_hz) || !rq->frequency_hz ||
            rq->frequency_hz > FREQUENCY_MAX)
            return orma_cli_usage_error(&self->cli, "bad frequency '%s': 1 to %d samples a second",
                                        value, FREQUENCY_MAX);
        break;
    case OPT_DURATION:
        if (!orma_str_to_u64(orma_str_from(value), &rq->duration_ms) ||
            rq->duration_ms > UINT32_MAX)
            return orma_cli_usage_error(&self->cli, "bad duration '%s': expected milliseconds",
                                        value);
        break;
    case OPT_EVENT:
        if (!orma_record_profile_event_known(value))
            return orma_cli_usage_error(&self->cli, "unknown event '%s'; --help lists them", value);
        if (rq->events_num == ORMA_RECORD_PROFILE_EVENTS_MAX)
            return orma_cli_usage_error(&self->cli, "at most %d events",
                                        ORMA_RECORD_PROFILE_EVENTS_MAX);
        rq->events[rq->events_num++] = value;
        break;
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
    if (self->partial && !self->names)
        return orma_cli_usage_error(&self->cli, "--partial-matching needs --name");
    *ret_go_on = true;
    return ORMA_EXIT_OK;
}

/* ---- config ---- */

static int find_processes(struct profile *self)
{
    struct orma_str rest = orma_str_from(self->names), name;
    int found = 0;

    while (rest.len && orma_str_cut(&rest, ',', &name)) {
        name = orma_str_trim(name);
        int n = name.len ? orma_record_profile_add_processes(&self->request, "/proc", name,
                                                             self->partial)
                         : 0;
        if (n < 0)
            return n;
        found += n;
    }
    if (!found) {
        fprintf(stderr, "%s: no running process is named '%s'%s\n", self->program, self->names,
                self->partial ? "" : "; -p matches parts of names");
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

    if (r < 0)
        return r;
    self->trace_fd =
        openat(self->folder.fd, TRACE_NAME, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0644);
    if (self->trace_fd < 0) {
        int err = errno;

        fprintf(stderr, "%s: %s/" TRACE_NAME ": %s\n", self->program, self->folder.path,
                strerror(err));
        return -err;
    }
    return 0;
}

/* ---- recording and results ---- */

static int record(struct profile *self, int signal_fd, int *ret_code)
{
    struct orma_recorder run = {
        .program = self->program,
        .config = orma_buf_str(&self->config),
        .out_fd = self->trace_fd,
        .service_writes = true,
        .progress = isatty(STDERR_FILENO),
        .command = self->command,
        .signal_fd = signal_fd,
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
    if (!self->command && !self->request.duration_ms && !self->config_path)
        fprintf(stderr, "%s: profiling; Ctrl-C ends it\n", self->program);
    r = orma_recorder_run(&run);
    orma_buf_fini(&run.sources);
    *ret_code = ORMA_MAX(run.child_code, ORMA_EXIT_OK);
    if (run.has_loss && (orma_ledger_total(&run.loss) || run.loss.unreported)) {
        orma_ledger_format(&run.loss, loss, sizeof(loss));
        fprintf(stderr, "%s: %s\n", self->program, loss);
    }
    return r < 0 && !run.bytes ? r : 0;
}

static int export_all(struct profile *self)
{
    char path[4200];
    struct orma_processor *tp = NULL;
    int r = orma_processor_new(NULL, &tp);

    if (r < 0) {
        fprintf(stderr, "%s: %s\n", self->program, strerror(-r));
        return r;
    }
    snprintf(path, sizeof(path), "%s/" TRACE_NAME, self->folder.path);
    r = orma_load_symbols_from_here(tp, self->program);
    if (r == 0)
        r = orma_load_trace(tp, self->program, path, ORMA_LOAD_PROGRESS, NULL);
    struct orma_profile_export ex = {.tp = tp, .kind = ORMA_PROFILE_PERF};
    if (r == 0)
        r = orma_convert_profile_folder_fill(&self->folder, &ex);
    if (r == 0 && !ex.written)
        fprintf(stderr,
                "%s: no samples with stacks%s%s: did the processes run, and may they be watched? "
                "(as root, or with kernel.perf_event_paranoid at -1)\n",
                self->program, self->folder.made ? "" : " in ", self->folder.made ? "" : path);
    orma_processor_free(tp);
    return r == 0 && !ex.written ? -ENODATA : r;
}

/* A folder that we made holds nothing of worth without samples; in one of the user's the trace
 * stays, if there is one. */
static void drop_folder(struct profile *self, bool has_trace)
{
    if (has_trace && !self->folder.made)
        return;
    if (unlinkat(self->folder.fd, TRACE_NAME, 0) == 0 && self->folder.made)
        (void)rmdir(self->folder.path); /* nothing came of it */
}

static int profile(struct profile *self)
{
    int code = ORMA_EXIT_OK;
    int r = make_config(self);

    if (r < 0 || self->print_config)
        return r < 0 ? ORMA_EXIT_FAILURE : ORMA_EXIT_OK;
    int signal_fd = orma_recorder_signals();
    r = signal_fd < 0 ? signal_fd : open_folder(self);
    if (r == 0) {
        r = record(self, signal_fd, &code);
        if (r < 0)
            drop_folder(self, false);
    }
    if (r == 0 && (r = export_all(self)) == -ENODATA)
        drop_folder(self, true);
    orma_fd_close(&signal_fd);
    return r < 0 && code == ORMA_EXIT_OK ? ORMA_EXIT_FAILURE : code;
}

static int run_as(const struct orma_command *command, const char *program, int argc, char **argv)
{
    struct profile self = {.program = program, .folder = {.fd = -1}, .trace_fd = -1};
    bool go_on;

    self.request.frequency_hz = FREQUENCY_DEFAULT;
    orma_cli_init(&self.cli, command, program, argc, argv);
    int code = parse(&self, &go_on);
    if (go_on)
        code = profile(&self);
    orma_service_attached_fini(&self.service);
    orma_buf_fini(&self.config);
    orma_buf_fini(&self.request.names);
    orma_fd_close(&self.trace_fd);
    orma_convert_profile_folder_close(&self.folder);
    return code;
}

static int run(const struct orma_command *self, int argc, char **argv)
{
    return run_as(self, "orma profile", argc, argv);
}

#define SUMMARY "See where programs spend their time, function by function."
#define SYNOPSIS "[OPTIONS] [-- COMMAND [ARG]...]"
#define DETAILS                                                                                    \
    "Samples what each cpu does, with the stack of calls that led there, and writes one profile "  \
    "per process in the format of pprof, beside the trace that they were made of (raw-trace), "    \
    "which 'orma query' reads.\n\n"                                                                \
    "Stacks of programs follow frame pointers: what was compiled with -fomit-frame-pointer (most " \
    "of Debian's libraries) shows the function that ran, but not always who called it. Lines, "    \
    "and "                                                                                         \
    "functions that were compiled into others, come from debug information where it is installed."

const struct orma_command orma_cmd_profile = {
    .name = "profile",
    .summary = SUMMARY,
    .synopsis = SYNOPSIS,
    .details = DETAILS,
    .examples = "  orma profile -k -d 5000                 # this machine, for five seconds\n"
                "  orma profile -f 1000 -- ./program\n"
                "  orma profile -n postgres -p -o results  # until Ctrl-C\n",
    .options = options,
    .run = run,
};

const struct orma_command orma_cmd_cpu_profile = {
    .name = "cpu_profile",
    .summary = SUMMARY,
    .synopsis = SYNOPSIS,
    .details = DETAILS,
    .examples = "  cpu_profile -n server -d 10000 -o results\n"
                "  cpu_profile -e HW_CACHE_MISSES -n server --print-config\n",
    .options = options,
};

int orma_cpu_profile_main(int argc, char **argv)
{
    return run_as(&orma_cmd_cpu_profile, "cpu_profile", argc, argv);
}
