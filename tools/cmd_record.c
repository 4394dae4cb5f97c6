/*
 * orma record: records this machine and its instrumented programs.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "probes/probes.h"
#include "sdk/base/clock.h"
#include "sdk/base/fd.h"
#include "sdk/client/consumer.h"
#include "tools/child.h"
#include "tools/clients/background.h"
#include "tools/clients/clone.h"
#include "tools/clients/config_file.h"
#include "tools/clients/trace_config.h"
#include "tools/commands.h"
#include "tools/record/kernel_loss.h"
#include "tools/record/presets.h"
#include "tools/record/record_config.h"
#include "tools/record/record_impl.h"
#include "tools/record/recorder.h"
#include "tools/shell/explain.h"
#include "tools/units.h"

#define BUFFER_DEFAULT ((uint64_t)32 << 20)
#define BACKGROUND_WAIT_MS 30000

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

static int connect_service(struct record *rec)
{
    bool running = rec->clone || (rec->request.trigger && !rec->command);
    enum orma_attach_how how = rec->private_service ? ORMA_ATTACH_OWN
                               : running            ? ORMA_ATTACH_RUNNING
                                                    : ORMA_ATTACH_ANY;
    int r = orma_attach(&rec->service, "orma record", how);

    if (r == -ENOENT || r == -ECONNREFUSED || r == -EACCES) {
        if (running)
            fprintf(stderr, "orma record: no service is running%s: start traced%s\n",
                    rec->clone ? ", so there is no session to clone"
                               : " that a trigger could reach",
                    rec->clone ? "" : " and traced_probes");
    }
    return r;
}

static void last_line(const struct record *rec, const struct orma_recorder *run)
{
    char size[ORMA_UNITS_TEXT_MAX], duration[ORMA_UNITS_TEXT_MAX];
    char loss[ORMA_LOSS_TEXT_MAX];
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

static void on_started(void *ctx)
{
    struct record *rec = ctx;

    if (rec->parent_fd < 0)
        return;
    orma_background_tell(&rec->parent_fd, ORMA_BACKGROUND_OK);
    orma_background_silence();
}

static int run_session(struct record *rec, const struct orma_trace_config *facts)
{
    struct orma_recorder run = {
        .consumer = rec->service.consumer,
        .program = "orma record",
        .config = orma_buf_str(&rec->config),
        .out_fd = rec->out_fd,
        .service_writes = facts->write_into_file,
        .progress = !rec->quiet && !rec->background && isatty(STDERR_FILENO),
        .command = rec->command,
        .child_producer_addr =
            rec->service.host ? orma_host_producer_addr(rec->service.host) : NULL,
        .child_consumer_addr =
            rec->service.host ? orma_host_consumer_addr(rec->service.host) : NULL,
        .signal_fd = rec->signal_fd,
        .on_started = on_started,
        .ctx = rec,
    };
    int r = orma_recorder_run(&run);

    if (r < 0 && !run.bytes)
        return run.child_code > 0 ? run.child_code : ORMA_EXIT_FAILURE;
    if (!run.bytes && rec->request.trigger) {
        fprintf(stderr, "orma record: '%s' was not fired: nothing recorded\n",
                rec->request.trigger);
        return ORMA_EXIT_FAILURE;
    }
    rec->out_created = false; /* something to read: it stays */
    last_line(rec, &run);
    return r < 0 && run.child_code <= 0 ? ORMA_EXIT_FAILURE
                                        : ORMA_MAX(run.child_code, ORMA_EXIT_OK);
}

/* The process that the user started: tells where the recording goes on. */
static int wait_for_start(struct record *rec, struct orma_background *bg)
{
    int status = orma_background_wait(bg, BACKGROUND_WAIT_MS);

    rec->out_created = false; /* the other's */
    if (status == ORMA_BACKGROUND_ERROR)
        return ORMA_EXIT_FAILURE; /* it has said why */
    if (status == ORMA_BACKGROUND_TIMEOUT)
        fprintf(stderr, "orma record: not all data sources have started yet\n");
    if (!rec->quiet)
        fprintf(stderr, "orma record: recording into %s in the background; 'kill %d' ends it\n",
                rec->out_path, (int)bg->pid);
    return ORMA_EXIT_OK;
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
    if (open_output(rec) < 0)
        return ORMA_EXIT_FAILURE;
    if (rec->background) {
        struct orma_background bg;

        r = orma_background_fork(&bg);
        if (r < 0)
            fprintf(stderr, "orma record: cannot go to the background: %s\n", strerror(-r));
        if (r < 0 || bg.pid)
            return r < 0 ? ORMA_EXIT_FAILURE : wait_for_start(rec, &bg);
        rec->parent_fd = bg.fd;
    }
    return connect_service(rec) < 0 ? ORMA_EXIT_FAILURE : run_session(rec, &facts);
}

static int snapshot(struct record *rec)
{
    struct orma_buf request = {0}, error = {0};
    char size[ORMA_UNITS_TEXT_MAX];
    uint64_t bytes = 0;
    int r = open_output(rec);

    if (r == 0)
        r = connect_service(rec);
    if (r < 0)
        return ORMA_EXIT_FAILURE;
    orma_clone_request_put(&request, rec->clone);
    r = orma_clone(rec->service.consumer, &request, rec->out_fd, &bytes, &error);
    if (r < 0)
        fprintf(stderr, "orma record: %s ('orma status' lists the sessions)\n",
                orma_buf_cstr(&error));
    else if (!rec->quiet)
        fprintf(stderr, "%s: %s, snapshot of session %s\n",
                rec->to_stdout ? "standard output" : rec->out_path, orma_format_size(bytes, size),
                rec->clone);
    if (bytes)
        rec->out_created = false;
    orma_buf_fini(&request);
    orma_buf_fini(&error);
    return r < 0 ? ORMA_EXIT_FAILURE : ORMA_EXIT_OK;
}

static int run(const struct orma_command *self, int argc, char **argv)
{
    struct record rec = {
        .request = {.mode = ORMA_RECORD_STREAM, .buffer_bytes = BUFFER_DEFAULT},
        .out_fd = -1,
        .signal_fd = -1,
        .parent_fd = -1,
    };
    bool go_on;

    orma_cli_init(&rec.cli, self, "orma record", argc, argv);
    int code = orma_record_parse(&rec, &go_on);
    if (!go_on)
        return code;
    rec.signal_fd = orma_recorder_signals();
    if (rec.signal_fd < 0)
        code = ORMA_EXIT_FAILURE;
    else
        code = rec.clone ? snapshot(&rec) : record(&rec);
    orma_attached_fini(&rec.service);
    orma_buf_fini(&rec.config);
    if (rec.out_created)
        (void)unlink(rec.out_path); /* nothing came into it */
    orma_fd_close(&rec.out_fd);
    orma_fd_close(&rec.parent_fd);
    orma_fd_close(&rec.signal_fd);
    return code;
}

const struct orma_command orma_cmd_record = {
    .name = "record",
    .summary = "Record what this machine and its instrumented programs do.",
    .synopsis = "[OPTIONS] [PRESET | GROUP/EVENT]... [-- COMMAND [ARG]...]\n"
                "[OPTIONS] -c CONFIG [-- COMMAND [ARG]...]\n"
                "--clone SESSION [-o FILE]",
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
                "  orma record --ring -b 16mb        # the last moments before Ctrl-C\n"
                "  orma record --trigger crash      # the last moments before somebody fires it\n"
                "  orma record --clone 3 -o now.pftrace\n",
    .options = orma_record_options,
    .run = run,
};
