/*
 * orma record: records this machine and its instrumented programs.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

#include "probes/probes.h"
#include "sdk/base/clock.h"
#include "sdk/base/fd.h"
#include "sdk/client/consumer.h"
#include "tools/child.h"
#include "tools/commands.h"
#include "tools/config_file.h"
#include "tools/explain.h"
#include "tools/host.h"
#include "tools/kernel_loss.h"
#include "tools/presets.h"
#include "tools/record_config.h"
#include "tools/recorder.h"
#include "tools/service_state.h"
#include "tools/trace_config.h"
#include "tools/units.h"

#define BUFFER_DEFAULT ((uint64_t)32 << 20)
#define BUFFER_MIN ((uint64_t)4096)
#define BUFFER_MAX (((uint64_t)4 << 30) - 1)
#define CONNECT_TIMEOUT_MS 5000
#define PROBES_POLL_US 2000

enum {
    OPT_TIME = 1,
    OPT_BUFFER,
    OPT_OUT,
    OPT_FORCE,
    OPT_ALL,
    OPT_RING,
    OPT_STREAM,
    OPT_MAX_SIZE,
    OPT_CONFIG,
    OPT_TXT,
    OPT_EXPLAIN,
    OPT_PRIVATE,
    OPT_QUIET
};

static const struct orma_option options[] = {
    {OPT_TIME, 't', "time", "TIME",
     "How long to record: 500ms, 10s, 5m, 2h. Without it, until Ctrl-C or the end of COMMAND."},
    {OPT_BUFFER, 'b', "buffer", "SIZE", "Central buffer: 64kb, 32mb (the default), 1gb."},
    {OPT_OUT, 'o', "output", "FILE",
     "Where the trace goes; - is standard output. Default: orma-DATE-TIME.pftrace."},
    {OPT_FORCE, 'f', "force", NULL, "Overwrite FILE if it exists."},
    {OPT_ALL, 'a', "all", NULL, "Record everything that has a preset."},
    {OPT_RING, 0, "ring", NULL,
     "Keep only the newest data, as much as the buffer holds, and write them at the end."},
    {OPT_STREAM, 0, "stream", NULL, "Write into FILE all the time: the default."},
    {OPT_MAX_SIZE, 0, "max-size", "SIZE", "End the recording before FILE grows past this."},
    {OPT_CONFIG, 'c', "config", "FILE",
     "A trace config of your own, text or binary; - is standard input. It says all: presets, -a, "
     "-t, -b, --ring, --stream and --max-size do not go with it."},
    {OPT_TXT, 0, "txt", NULL, "The config is text, whatever it looks like."},
    {OPT_EXPLAIN, 0, "explain", NULL,
     "Print the config that would be used, with comments, and record nothing."},
    {OPT_PRIVATE, 0, "private", NULL,
     "Use a service of our own even if one is running on this machine."},
    {OPT_QUIET, 'q', "quiet", NULL, "No progress, no last line; errors only."},
    {0},
};

struct record {
    struct orma_cli cli;
    struct orma_record_request request;
    const char *out_path; /* as given, or made up */
    char path_buf[64];
    bool to_stdout, force, private_service, quiet, explain;
    const char *config_path; /* NULL: made from the request */
    enum orma_config_form config_form;
    bool shaped; /* an option was given that makes no sense beside a config */
    struct orma_buf config;
    char *const *command;
    int out_fd;
    bool out_created;
    int signal_fd;
    struct orma_host *host;
    struct orma_consumer *consumer;
};

static int parse_option(struct record *rec, int id)
{
    const char *value = rec->cli.value;

    switch (id) {
    case OPT_TIME:
        if (!orma_parse_duration_ms(value, &rec->request.duration_ms) ||
            rec->request.duration_ms > UINT32_MAX)
            return orma_cli_usage_error(&rec->cli, "bad time '%s': say 500ms, 10s, 5m or 2h",
                                        value);
        break;
    case OPT_BUFFER:
        if (!orma_parse_size_bytes(value, &rec->request.buffer_bytes) ||
            rec->request.buffer_bytes < BUFFER_MIN || rec->request.buffer_bytes > BUFFER_MAX)
            return orma_cli_usage_error(
                &rec->cli, "bad buffer size '%s': 4kb up to below 4gb, as in 32mb", value);
        break;
    case OPT_OUT:
        rec->out_path = value;
        break;
    case OPT_FORCE:
        rec->force = true;
        break;
    case OPT_ALL:
        orma_record_request_add_all(&rec->request);
        break;
    case OPT_RING:
        rec->request.mode = ORMA_RECORD_RING;
        break;
    case OPT_STREAM:
        rec->request.mode = ORMA_RECORD_STREAM;
        break;
    case OPT_MAX_SIZE:
        if (!orma_parse_size_bytes(value, &rec->request.max_file_bytes))
            return orma_cli_usage_error(&rec->cli, "bad size '%s': say 100mb or 2gb", value);
        break;
    case OPT_CONFIG:
        rec->config_path = value;
        break;
    case OPT_TXT:
        rec->config_form = ORMA_CONFIG_TEXT;
        break;
    case OPT_EXPLAIN:
        rec->explain = true;
        break;
    case OPT_PRIVATE:
        rec->private_service = true;
        break;
    case OPT_QUIET:
        rec->quiet = true;
        break;
    case ORMA_CLI_REST:
        rec->command = rec->cli.argv + rec->cli.rest_idx;
        if (!rec->command[0])
            return orma_cli_usage_error(&rec->cli, "a command must follow '--'");
        break;
    case ORMA_CLI_POSITIONAL:
        if (!orma_record_request_add(&rec->request, value)) {
            const char *names[64] = {0};

            for (size_t i = 0; orma_presets[i].name && i < ORMA_ARRAY_LEN(names) - 1; i++)
                names[i] = orma_presets[i].name;
            const char *near = orma_cli_did_you_mean(value, names);
            return near ? orma_cli_usage_error(&rec->cli, "unknown preset '%s'; did you mean '%s'?",
                                               value, near)
                        : orma_cli_usage_error(&rec->cli,
                                               "unknown preset '%s' (an event is 'group/name', a "
                                               "command follows '--')",
                                               value);
        }
        break;
    }
    return ORMA_EXIT_OK;
}

/* ORMA_EXIT_OK and *ret_go_on, or what to exit with. */
static int parse(struct record *rec, bool *ret_go_on)
{
    bool named = false;
    int id;

    *ret_go_on = false;
    while ((id = orma_cli_next(&rec->cli)) != ORMA_CLI_END) {
        if (id == ORMA_CLI_HELP)
            return ORMA_EXIT_OK;
        if (id == ORMA_CLI_BAD)
            return ORMA_EXIT_USAGE;
        named |= id == ORMA_CLI_POSITIONAL || id == OPT_ALL;
        rec->shaped |= id == ORMA_CLI_POSITIONAL || id == OPT_ALL || id == OPT_TIME ||
                       id == OPT_BUFFER || id == OPT_RING || id == OPT_STREAM || id == OPT_MAX_SIZE;
        int r = parse_option(rec, id);
        if (r != ORMA_EXIT_OK)
            return r;
    }
    if (rec->config_path && rec->shaped)
        return orma_cli_usage_error(&rec->cli,
                                    "with -c the config says what to record and how long: "
                                    "presets, -a, -t, -b, --ring, --stream and "
                                    "--max-size do not go with it");
    if (!named)
        orma_record_request_add_defaults(&rec->request);
    *ret_go_on = true;
    return ORMA_EXIT_OK;
}

static int open_output(struct record *rec)
{
    if (rec->out_path && !strcmp(rec->out_path, "-")) {
        if (isatty(STDOUT_FILENO)) {
            fprintf(stderr, "orma record: a trace is not for a terminal: redirect the output or "
                            "name a file with -o FILE\n");
            return -EINVAL;
        }
        rec->to_stdout = true;
        rec->out_fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
        return rec->out_fd < 0 ? -errno : 0;
    }
    if (!rec->out_path) {
        time_t now = time(NULL);
        struct tm tm;

        strftime(rec->path_buf, sizeof(rec->path_buf), "orma-%Y%m%d-%H%M%S.pftrace",
                 localtime_r(&now, &tm));
        rec->out_path = rec->path_buf;
    }
    int exist = rec->force ? O_TRUNC : O_EXCL;
    rec->out_fd = open(rec->out_path, O_CREAT | O_RDWR | O_CLOEXEC | exist, 0644);
    if (rec->out_fd < 0) {
        int err = errno;

        fprintf(stderr, "orma record: %s: %s%s\n", rec->out_path, strerror(err),
                err == EEXIST ? "; --force overwrites it, -o names another" : "");
        return -err;
    }
    rec->out_created = true;
    return 0;
}

/* Says what this machine or these rights do not allow, and leaves it out. */
static void ask_for_sources(struct record *rec)
{
    struct orma_record_request *rq = &rec->request;
    const struct {
        const char *name;
        bool *flag;
        bool wanted;
    } sources[] = {
        {"linux.ftrace", &rq->ftrace, rq->events_num > 0},
        {"linux.process_stats", &rq->process_stats, true},
        {"linux.system_info", &rq->system_info, true},
        {"linux.sys_stats", &rq->sys_stats,
         (rq->polls & ~(unsigned)(ORMA_POLL_PROCESSES | ORMA_POLL_JOURNAL)) != 0},
        {"linux.systemd_journald", &rq->journald, (rq->polls & ORMA_POLL_JOURNAL) != 0},
    };

    for (size_t i = 0; i < ORMA_ARRAY_LEN(sources); i++) {
        char why[256] = "";

        *sources[i].flag =
            sources[i].wanted && orma_probes_source_usable(NULL, sources[i].name, why, sizeof(why));
        if (sources[i].wanted && !*sources[i].flag && !rec->quiet)
            fprintf(stderr, "orma record: left out %s: %s\n", sources[i].name, why);
    }
}

/*
 * Our own probes introduce themselves on a thread of their own: a session that
 * began before would not know that it has to wait for them.
 */
static int wait_for_probes(struct record *rec)
{
    const char *const *sources = orma_probes_sources();
    uint64_t end = orma_clock_now(ORMA_CLOCK_MONOTONIC) + CONNECT_TIMEOUT_MS * 1000000ull;
    struct orma_buf state = {0};
    int r = 0;

    while (*sources && r == 0) {
        orma_buf_clear(&state);
        r = orma_service_state_query(rec->consumer, &state);
        while (r == 0 && *sources && orma_service_state_has_source(orma_buf_str(&state), *sources))
            sources++;
        if (r == 0 && *sources && orma_clock_now(ORMA_CLOCK_MONOTONIC) > end)
            r = -ETIMEDOUT;
        if (r == 0 && *sources)
            usleep(PROBES_POLL_US);
    }
    orma_buf_fini(&state);
    return r;
}

static int connect_service(struct record *rec)
{
    const char *what = NULL;
    int r = rec->private_service ? -ENOENT
                                 : orma_consumer_new(NULL, CONNECT_TIMEOUT_MS, &rec->consumer);

    if (r == 0)
        return 0;
    if (!rec->private_service && r != -ENOENT && r != -ECONNREFUSED && r != -EACCES) {
        fprintf(stderr, "orma record: the service does not answer: %s\n", strerror(-r));
        return r;
    }
    r = orma_host_new(true, &rec->host, &what);
    if (r < 0) {
        fprintf(stderr, "orma record: %s: %s\n", what, strerror(-r));
        return r;
    }
    r = orma_consumer_new(orma_host_consumer_addr(rec->host), CONNECT_TIMEOUT_MS, &rec->consumer);
    if (r == 0)
        r = wait_for_probes(rec);
    if (r < 0)
        fprintf(stderr, "orma record: our own service does not answer: %s\n", strerror(-r));
    return r;
}

static void last_line(const struct record *rec, const struct orma_recorder *run)
{
    char size[ORMA_UNITS_TEXT_MAX], duration[ORMA_UNITS_TEXT_MAX], loss[200];
    uint64_t kernel_lost = 0;

    if (rec->quiet)
        return;
    orma_loss_format(&run->loss, loss, sizeof(loss));
    if (!rec->to_stdout)
        kernel_lost = orma_kernel_loss(rec->out_fd);
    fprintf(stderr, "%s: %s, %s, %s", rec->to_stdout ? "standard output" : rec->out_path,
            orma_format_size(run->bytes, size), orma_format_duration(run->duration_ns, duration),
            run->has_loss ? loss : "loss unknown: the service gave no statistics");
    if (kernel_lost)
        fprintf(stderr, ", %" PRIu64 " kernel events overrun", kernel_lost);
    fputc('\n', stderr);
}

/* Into rec->config: the user's, or made from the request. */
static int make_config(struct record *rec)
{
    struct orma_buf error = {0};
    int r = 0;

    if (rec->config_path) {
        r = orma_config_load(rec->config_path, rec->config_form, &rec->config, &error);
        if (r < 0)
            fprintf(stderr, "orma record: %s\n", orma_buf_cstr(&error));
        orma_buf_fini(&error);
        return r;
    }
    ask_for_sources(rec);
    orma_record_config_put(&rec->config, &rec->request);
    return rec->config.failed ? -ENOMEM : 0;
}

static int explain(struct record *rec)
{
    struct orma_buf text = {0};
    int r = orma_explain_config(orma_buf_str(&rec->config), &text);

    if (r == 0)
        fwrite(text.data, 1, text.len, stdout);
    orma_buf_fini(&text);
    return r == 0 ? ORMA_EXIT_OK : ORMA_EXIT_FAILURE;
}

static int record(struct record *rec)
{
    struct orma_trace_config facts;
    int r = make_config(rec);

    if (r < 0)
        return ORMA_EXIT_FAILURE;
    if (rec->explain)
        return explain(rec);
    r = orma_trace_config_read(orma_buf_str(&rec->config), &facts);
    if (r < 0)
        return ORMA_EXIT_FAILURE;
    if (facts.has_output_path) {
        fprintf(stderr,
                "orma record: the config has an output_path of its own; take it out and name the "
                "file with -o\n");
        return ORMA_EXIT_FAILURE;
    }
    r = open_output(rec);
    if (r < 0)
        return ORMA_EXIT_FAILURE;
    r = connect_service(rec);
    if (r < 0)
        return ORMA_EXIT_FAILURE;

    struct orma_recorder run = {
        .consumer = rec->consumer,
        .program = "orma record",
        .config = orma_buf_str(&rec->config),
        .out_fd = rec->out_fd,
        .service_writes = facts.write_into_file,
        .progress = !rec->quiet && isatty(STDERR_FILENO),
        .command = rec->command,
        .child_producer_addr = rec->host ? orma_host_producer_addr(rec->host) : NULL,
        .child_consumer_addr = rec->host ? orma_host_consumer_addr(rec->host) : NULL,
        .signal_fd = rec->signal_fd,
    };
    r = orma_recorder_run(&run);
    if (r < 0 && !run.bytes)
        return run.child_code > 0 ? run.child_code : ORMA_EXIT_FAILURE;
    rec->out_created = false; /* something to read: it stays */
    last_line(rec, &run);
    return r < 0 && run.child_code <= 0 ? ORMA_EXIT_FAILURE
                                        : ORMA_MAX(run.child_code, ORMA_EXIT_OK);
}

static int block_signals(void)
{
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGHUP);
    sigaddset(&set, SIGCHLD);
    signal(SIGPIPE, SIG_IGN); /* a reader that went away is an error of write() */
    if (sigprocmask(SIG_BLOCK, &set, NULL) < 0)
        return -errno;
    return signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
}

static int run(const struct orma_command *self, int argc, char **argv)
{
    struct record rec = {
        .request = {.mode = ORMA_RECORD_STREAM, .buffer_bytes = BUFFER_DEFAULT},
        .out_fd = -1,
        .signal_fd = -1,
    };
    bool go_on;

    orma_cli_init(&rec.cli, self, "orma record", argc, argv);
    int code = parse(&rec, &go_on);
    if (!go_on)
        return code;
    rec.signal_fd = block_signals();
    code = rec.signal_fd < 0 ? ORMA_EXIT_FAILURE : record(&rec);
    orma_consumer_free(rec.consumer);
    orma_host_free(rec.host);
    orma_buf_fini(&rec.config);
    if (rec.out_created)
        (void)unlink(rec.out_path); /* nothing came into it */
    orma_fd_close(&rec.out_fd);
    orma_fd_close(&rec.signal_fd);
    return code;
}

const struct orma_command orma_cmd_record = {
    .name = "record",
    .summary = "Record what this machine and its instrumented programs do.",
    .synopsis = "[OPTIONS] [PRESET | GROUP/EVENT]... [-- COMMAND [ARG]...]\n"
                "[OPTIONS] -c CONFIG [-- COMMAND [ARG]...]",
    .details =
        "Without a preset it records scheduling (as root, or with access to tracefs) and the track "
        "events of instrumented programs. Presets: sched, apps, irq, syscalls, disk, mem, power, "
        "cpu, net, timer, workqueue, signal, log. A kernel event is named GROUP/EVENT, a whole "
        "group GROUP/*.\n\n"
        "If a tracing service runs on this machine, it is used; otherwise service and probes run "
        "inside this process, on private sockets. With COMMAND, recording lasts as long as it runs "
        "(at most TIME), it finds the service through its environment, and its exit code is "
        "ours.\n\n"
        "Ctrl-C ends a recording and keeps the trace.",
    .examples = "  orma record -t 10s -o trace.pftrace\n"
                "  orma record -t 5s sched irq syscalls -b 64mb\n"
                "  orma record -o build.pftrace -- make -j4\n"
                "  orma record --ring -b 16mb        # the last moments before Ctrl-C\n",
    .options = options,
    .run = run,
};
