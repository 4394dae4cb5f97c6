/*
 * orma record: records this machine and its instrumented programs.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "probes/probes.h"
#include "processor/sql/base/memory.h"
#include "protos/fields/config.h"
#include "sdk/base/clock.h"
#include "sdk/base/fd.h"
#include "sdk/ipc/sock.h"
#include "sdk/transport/consumer.h"
#include "sdk/wire/pb_writer.h"
#include "tools/base/units.h"
#include "tools/commands.h"
#include "tools/doctor/auto_size.h"
#include "tools/flight/flight.h"
#include "tools/output/output.h"
#include "tools/record/child.h"
#include "tools/record/explain.h"
#include "tools/record/names.h"
#include "tools/record/presets.h"
#include "tools/record/record_config.h"
#include "tools/record/record_impl.h"
#include "tools/record/recorder.h"
#include "tools/record/trace_scan.h"
#include "tools/service/background.h"
#include "tools/service/clone.h"
#include "tools/service/config_file.h"
#include "tools/service/state.h"
#include "tools/service/trace_config.h"

#define BUFFER_DEFAULT ((uint64_t)32 << 20)
#define SNAPSHOT_CONNECT_MS 5000
#define SNAPSHOTS_CHECKED 64 /* names of files that must not be there */
#define SUFFIX ".pftrace"    /* of names that are made up */
#define BACKGROUND_WAIT_MS 30000
/* Between a moment and the snapshot of it there may be so much, beside the times asked for. */
#define SNAPSHOT_MS 5000

static struct orma_output_want wanted(const struct orma_record *rec)
{
    return (struct orma_output_want){.program = "orma record",
                                     .path = rec->out_path,
                                     .force = rec->force,
                                     .binary = true,
                                     .quiet = rec->quiet};
}

/* A made-up name tells the second: somebody else's recording may have begun in the same one. */
static void find_free_name(struct orma_record *rec)
{
    const size_t stem = strlen(rec->path_buf) - strlen(SUFFIX);
    struct stat st;

    for (unsigned n = 2; n < 100 && lstat(rec->path_buf, &st) == 0; n++)
        snprintf(rec->path_buf + stem, sizeof(rec->path_buf) - stem, "-%u" SUFFIX, n);
}

/* Standard output, the file that was named, or one named by the date. */
static int name_output(struct orma_record *rec)
{
    if (rec->out_path && !strcmp(rec->out_path, "-")) {
        if (isatty(STDOUT_FILENO)) {
            fprintf(stderr, "orma record: refusing to write a trace to a terminal: redirect "
                            "the output, or name a file with -o FILE\n");
            return -EINVAL;
        }
        rec->to_stdout = true;
        return 0;
    }
    if (!rec->out_path) {
        time_t now = time(NULL);
        struct tm tm;

        strftime(rec->path_buf, sizeof(rec->path_buf), "orma-%Y%m%d-%H%M%S" SUFFIX,
                 localtime_r(&now, &tm));
        find_free_name(rec);
        rec->out_path = rec->path_buf;
    }
    ORMA_AUTO(orma_buf_fini) struct orma_buf path = {0};
    struct orma_output_want want = wanted(rec);

    int r = 0;

    if (orma_record_rotation_wanted(&rec->rotation)) {
        rec->rotation.want = want;
        return orma_record_rotation_check(&rec->rotation);
    }
    if (!rec->snapshots)
        return orma_output_check(&want);
    for (unsigned i = 0; r == 0 && i < SNAPSHOTS_CHECKED; i++) {
        orma_buf_clear(&path);
        orma_buf_printf(&path, "%s.%u", rec->out_path, i);
        want.path = orma_buf_cstr(&path);
        r = orma_output_check(&want);
    }
    return r;
}

/* Once nothing but the recording itself can fail. */
static int open_output(struct orma_record *rec)
{
    if (rec->snapshots)
        return 0; /* each has its own */
    if (rec->to_stdout) {
        rec->out_fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
        return rec->out_fd < 0 ? -errno : 0;
    }
    /* From here on the file is ours: who reads what was there before keeps it, and who comes now,
     * or after we were killed, finds what is recorded. */
    if (orma_record_rotation_wanted(&rec->rotation)) {
        int r = orma_record_rotation_open(&rec->rotation, &rec->out_fd, &rec->out_created);

        rec->out_path = orma_buf_cstr(&rec->rotation.path);
        return r;
    }
    if (rec->out_path == rec->path_buf)
        find_free_name(rec);
    const struct orma_output_want want = wanted(rec);
    return orma_output_begin(&want, 0644, &rec->out_fd, &rec->out_created);
}

/* Can this source record now? What our own probes can do, or what the running service offers. */
static bool usable(const struct orma_record *rec, struct orma_str state, const char *name,
                   char *why, size_t why_size)
{
    if (rec->machines_num) /* what this one cannot do, another one may */
        return true;
    if (!state.len || rec->service.host)
        return orma_probes_source_usable(NULL, name, why, why_size);
    if (orma_service_state_has_source(state, name))
        return true;
    snprintf(why, why_size, "the running service does not offer it (start traced_probes)");
    return false;
}

/* Says what this machine or these rights do not allow, and leaves it out. */
static bool ask_for(const struct orma_record *rec, struct orma_str state, const char *name)
{
    char why[512] = "";
    bool ok = usable(rec, state, name, why, sizeof(why));

    if (!ok && !rec->quiet)
        fprintf(stderr, "orma record: left out %s: %s\n", name, why);
    return ok;
}

static void ask_for_sources(struct orma_record *rec, struct orma_str state)
{
    struct orma_record_request *rq = &rec->request;

    rq->ftrace = orma_record_request_has_kernel(rq) && ask_for(rec, state, "linux.ftrace");
    if (rq->events_num && !rq->ftrace && !rec->named)
        (void)orma_record_request_add(rq, "cpu"); /* what needs no right, instead: a known word */
    rq->process_stats = ask_for(rec, state, "linux.process_stats");
    rq->system_info = ask_for(rec, state, "linux.system_info");
    rq->sys_stats =
        rq->polls & ~(unsigned)(ORMA_RECORD_POLL_PROCESSES | ORMA_RECORD_POLL_JOURNAL) &&
        ask_for(rec, state, "linux.sys_stats");
    rq->journald =
        rq->polls & ORMA_RECORD_POLL_JOURNAL && ask_for(rec, state, "linux.systemd_journald");
}

/* Everything that was named needs kernel events, and there can be none? */
static bool nothing_is_left(const struct orma_record *rec)
{
    const struct orma_record_request *rq = &rec->request;

    if (!rec->named || rq->ftrace || !rq->words_num)
        return false;
    for (size_t i = 0; i < rq->words_num; i++) {
        if (!orma_record_word_is_kernel(rq->words[i]))
            return false;
    }
    return true;
}

struct absent {
    struct orma_record_request *request;
    struct orma_buf names;
};

static void drop_absent(void *ctx, enum orma_ftrace_name kind, const char *name)
{
    struct absent *a = ctx;

    if (kind == ORMA_FTRACE_NAME_EVENT && orma_record_request_drop(a->request, name))
        orma_buf_printf(&a->names, "%s%s", a->names.len ? ", " : "", name);
}

/* Presets are for every kernel: what this one lacks is said in one line. */
static void drop_absent_events(struct orma_record *rec)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf events = {0};
    struct absent a = {.request = &rec->request};

    orma_record_events_put(&events, &rec->request);
    (void)orma_probes_unknown_names(NULL, orma_buf_str(&events), drop_absent,
                                    &a); /* not readable: the trace will tell */
    if (a.names.len && !rec->quiet)
        fprintf(stderr, "orma record: left out, not in this kernel: %s\n", orma_buf_cstr(&a.names));
    orma_buf_fini(&a.names);
}

/* Its programs stay with it; ours is private. */
static void say_who_is_left_out(const struct orma_record *rec)
{
    struct orma_consumer *consumer;

    if (rec->private_service || rec->quiet || orma_consumer_new(NULL, 1000, &consumer) < 0)
        return;
    fprintf(stderr,
            "orma record: the programs of the service on %s are not recorded with "
            "--machine\n",
            orma_sock_consumer_addr());
    orma_consumer_free(consumer);
}

static int connect_machines(struct orma_record *rec)
{
    const struct orma_relay_machines_config config = {
        .program = "orma record",
        .specs = rec->machines,
        .num = rec->machines_num,
        .service = orma_service_host_relay_addr(rec->service.host),
        .quiet = rec->quiet};
    int r = orma_relay_machines_new(&config, &rec->others);

    say_who_is_left_out(rec);
    return r < 0 ? r : orma_relay_machines_wait(rec->others, rec->service.consumer, rec->signal_fd);
}

static int connect_service(struct orma_record *rec)
{
    bool running = rec->clone || ((rec->request.trigger || rec->has_triggers) && !rec->command);
    enum orma_service_attach_how how =
        running ? ORMA_SERVICE_ATTACH_RUNNING : ORMA_SERVICE_ATTACH_ANY;

    if (rec->private_service || rec->machines_num)
        how = ORMA_SERVICE_ATTACH_OWN;
    int r = orma_service_attach(&rec->service, "orma record", how);

    if (r == 0 && rec->machines_num)
        return connect_machines(rec);

    if (r == -ENOENT || r == -ECONNREFUSED || r == -EACCES || r == -EPERM) {
        if (running && r == -EACCES)
            orma_service_say_no_permission("orma record");
        else if (running && r != -EPERM) /* of which it has been said why */
            fprintf(stderr, "orma record: no service is running%s: start traced%s\n",
                    rec->clone ? ", so there is no session to clone"
                               : " that a trigger could reach",
                    rec->clone ? "" : " and traced_probes");
    }
    return r;
}

/* The user's config. */
static int load_config(struct orma_record *rec)
{
    struct orma_buf error = {0};
    int r = orma_service_config_load(rec->config_path, rec->config_form, &rec->config, &error);

    if (r < 0)
        fprintf(stderr, "orma record: %s\n", orma_buf_cstr(&error));
    orma_buf_fini(&error);
    return r;
}

/* Out of the words on the command line. `state`: of the service; empty: none is connected. */
static int make_config(struct orma_record *rec, struct orma_str state)
{
    ask_for_sources(rec, state);
    if (nothing_is_left(rec)) {
        fprintf(stderr, "orma record: nothing that was asked for can be recorded\n");
        return -EACCES;
    }
    if (rec->request.ftrace)
        drop_absent_events(rec);
    orma_record_config_put(&rec->config, &rec->request);
    return rec->config.failed ? -ENOMEM : 0;
}

/* Names that mean nothing would be recorded as nothing, silently. */
static int check_names(struct orma_record *rec, struct orma_str state)
{
    struct orma_buf problems = {0};
    struct orma_record_name_check check = {
        .config = orma_buf_str(&rec->config),
        .state = state,
        .may_come = rec->command && rec->service.host,
    };
    struct orma_str rest, line;

    if (rec->allow_unknown)
        return 0;
    unsigned num = orma_record_names_check(&check, &problems);
    rest = orma_buf_str(&problems);
    while (rest.len && orma_str_cut(&rest, '\n', &line))
        fprintf(stderr, "orma record: %s%s%.*s\n", rec->config_path ? rec->config_path : "",
                rec->config_path ? ": " : "", ORMA_STR_ARG(line));
    if (num && check.any_source)
        fprintf(stderr, "orma record: nothing was recorded; --allow-unknown records anyway\n");
    orma_buf_fini(&problems);
    return num ? -EINVAL : 0;
}

static struct orma_doctor_auto auto_size(const struct orma_record *rec,
                                         const struct orma_service_trace_config *config_info)
{
    uint64_t hold_ms = config_info->trigger_mode ? 0 : config_info->duration_ms;

    if (rec->when_num)
        hold_ms = rec->before_ms + rec->after_ms + 1000; /* until the snapshot is made */
    return (struct orma_doctor_auto){
        .program = "orma record",
        .addr = rec->service.host ? orma_service_host_consumer_addr(rec->service.host) : NULL,
        .signal_fd = rec->signal_fd,
        .hold_ms = hold_ms ? hold_ms : ORMA_RECORD_BEFORE_MS,
        .out_path = rec->to_stdout ? NULL : rec->out_path,
        .has_command = rec->command != NULL,
        .quiet = rec->quiet};
}

static int choose_sizes(struct orma_record *rec, struct orma_service_trace_config *config_info)
{
    const struct orma_doctor_auto how = auto_size(rec, config_info);
    int r = orma_doctor_auto_choose(&how, &rec->config);

    if (r == -ECANCELED)
        fprintf(stderr, "orma record: stopped while it measured: nothing was recorded\n");
    return r < 0 ? r : orma_service_trace_config_read(orma_buf_str(&rec->config), config_info);
}

/* So that `orma status` tells whose session it is. */
static void name_session(struct orma_record *rec,
                         const struct orma_service_trace_config *config_info)
{
    if (config_info->has_session_name)
        return;
    snprintf(rec->session_name, sizeof(rec->session_name), "orma-record-%d", (int)getpid());
    orma_pb_put_cstr(&rec->config, ORMA_PB_TRACE_CONFIG_UNIQUE_SESSION_NAME, rec->session_name);
}

static int explain(struct orma_record *rec)
{
    struct orma_buf text = {0};
    int r = orma_record_explain_config(orma_buf_str(&rec->config), &text);

    if (r == 0)
        fwrite(text.data, 1, text.len, stdout);
    orma_buf_fini(&text);
    return r == 0 ? ORMA_EXIT_OK : ORMA_EXIT_FAILURE;
}

static void on_started(void *ctx)
{
    struct orma_record *rec = ctx;

    if (rec->plan) {
        rec->plan->session = rec->session_name;
        rec->plan->addr =
            rec->service.host ? orma_service_host_consumer_addr(rec->service.host) : NULL;
        rec->plan->path = rec->rotation.handover ? rec->rotation.want.path : rec->out_path;
        if (orma_flight_start(rec->plan, &rec->flight) < 0)
            rec->snapshots_failed++; /* said; the recording goes on */
    }
    if (rec->parent_fd < 0)
        return;
    orma_service_background_report(&rec->parent_fd, ORMA_BACKGROUND_OK);
    orma_service_background_silence();
}

/* Snapshots of files are made when all of them are complete. */
static void on_stopping(void *ctx)
{
    struct orma_record *rec = ctx;

    if (!rec->rotation.handover)
        rec->snapshots_failed += orma_flight_stop(ORMA_STEAL(rec->flight)).failed;
}

/* The conditions of --when. An exit code. */
static int plan_flight(struct orma_record *rec, struct orma_flight_plan *plan)
{
    if (!rec->when_num)
        return ORMA_EXIT_OK;
    *plan = (struct orma_flight_plan){.num = rec->when_num,
                                      .before_ms = rec->before_ms,
                                      .after_ms = rec->after_ms,
                                      .pause_ms = rec->pause_ms,
                                      .then = rec->then,
                                      .max = rec->snapshots_max,
                                      .program = "orma record",
                                      .force = rec->force,
                                      .quiet = rec->quiet};
    for (unsigned i = 0; i < rec->when_num; i++) {
        const char *wrong = orma_flight_condition_parse(rec->when[i], &plan->conditions[i]);

        if (wrong)
            return orma_cli_usage_error(&rec->cli, "--when '%s': %s", rec->when[i], wrong);
    }
    rec->plan = plan;
    if (orma_record_rotation_wanted(&rec->rotation)) {
        orma_record_handover_init(&rec->handover);
        plan->handover = rec->rotation.handover = &rec->handover;
        rec->rotation.hold_ms = rec->before_ms + rec->after_ms + SNAPSHOT_MS;
    }
    return ORMA_EXIT_OK;
}

/* A snapshot is whole or nothing. 0, or negative: has said why. */
static int clone_into(struct orma_record *rec, struct orma_consumer *consumer,
                      const struct orma_buf *request, const char *path, const char *of_what)
{
    struct orma_output_want want = wanted(rec);
    struct orma_buf error = {0};
    char size[ORMA_UNITS_TEXT_MAX];
    struct orma_output out;
    uint64_t bytes = 0;

    want.path = path;
    if (orma_output_open(&out, &want) < 0)
        return -EIO;
    int r = orma_service_clone(consumer, request, out.fd, &bytes, &error);
    if (r < 0)
        fprintf(stderr, "orma record: %s%s\n", orma_buf_cstr(&error),
                rec->clone ? " ('orma status' lists the sessions)" : "");
    int end = orma_output_close(&out, r, NULL);
    if (r >= 0 && end >= 0 && !rec->quiet)
        fprintf(stderr, "%s: %s, snapshot %s\n", rec->to_stdout ? "standard output" : path,
                orma_units_format_size(bytes, size), of_what);
    orma_buf_fini(&error);
    return r < 0 ? r : end;
}

/* A trigger asks for one: PATH.N on a second connection, while the first keeps the session. */
static void on_snapshot(void *ctx, struct orma_consumer *session, const struct orma_buf *request,
                        const char *trigger)
{
    ORMA_AUTO(orma_consumer_free_p) struct orma_consumer *consumer = NULL;
    ORMA_AUTO(orma_buf_fini) struct orma_buf path = {0}, of_what = {0};
    struct orma_record *rec = ctx;
    const char *addr =
        rec->service.host ? orma_service_host_consumer_addr(rec->service.host) : NULL;
    int r = orma_consumer_new(addr, SNAPSHOT_CONNECT_MS, &consumer);

    orma_buf_printf(&path, "%s.%u", rec->out_path, rec->snapshots_num++);
    orma_buf_printf(&of_what, "at the trigger '%s'", trigger);
    if (r < 0)
        fprintf(stderr, "orma record: no snapshot: the service does not answer: %s\n",
                strerror(-r));
    if (r == 0) {
        orma_consumer_keep(consumer, session);
        r = clone_into(rec, consumer, request, orma_buf_cstr(&path), orma_buf_cstr(&of_what));
    }
    rec->snapshots_failed += r < 0;
}

/* Of a config whose triggers write the files. */
static int snapshots_outcome(const struct orma_record *rec, const struct orma_recorder *run,
                             bool failed)
{
    if (!failed && !rec->snapshots_num && !run->snapshots_skipped) {
        fprintf(stderr,
                "orma record: none of the config's triggers fired: no snapshot was written\n");
        return ORMA_EXIT_FAILURE;
    }
    if (run->child_code > 0)
        return run->child_code;
    return failed || rec->snapshots_failed || run->snapshots_skipped ? ORMA_EXIT_FAILURE
                                                                     : ORMA_EXIT_OK;
}

static void on_written(void *ctx, const void *data, size_t len)
{
    orma_record_trace_watch_put(ctx, data, len);
}

/* What cannot be read again is looked at while it goes by. NULL: it can, or no memory. */
static struct orma_record_trace_watch *make_watch(const struct orma_record *rec)
{
    struct orma_record_trace_watch *ret;
    struct stat st;

    if (rec->snapshots || fstat(rec->out_fd, &st) < 0 || S_ISREG(st.st_mode) ||
        orma_record_trace_watch_new(&ret) < 0)
        return NULL;
    return ret;
}

/* The kernel ends the service when the ring has filled the memory, not before. */
static void warn_of_memory(const struct orma_record *rec)
{
    const uint64_t ring = rec->request.buffer_bytes, there = orma_sql_memory_there();
    char size[ORMA_UNITS_TEXT_MAX], has[ORMA_UNITS_TEXT_MAX];

    if (rec->service.host && !rec->config_path && rec->request.mode == ORMA_RECORD_RING &&
        ring > there)
        fprintf(stderr,
                "orma record: warning: the ring (%s) is larger than the memory that this machine "
                "or control group has for it (%s): the recording dies when it is full\n",
                orma_units_format_size(ring, size), orma_units_format_size(there, has));
}

static int run_session(struct orma_record *rec, const struct orma_service_trace_config *config_info)
{
    struct orma_record_trace_watch *watch = make_watch(rec);
    struct orma_record_trace_scan unused;
    struct orma_recorder run = {
        .consumer = rec->service.consumer,
        .program = "orma record",
        .config = orma_buf_str(&rec->config),
        .out_fd = rec->out_fd,
        .rotation = orma_record_rotation_wanted(&rec->rotation) ? &rec->rotation : NULL,
        .service_writes = config_info->write_into_file,
        .duration_ms = config_info->trigger_mode ? 0 : config_info->duration_ms,
        .progress = !rec->quiet && !rec->background && isatty(STDERR_FILENO),
        .command = rec->command,
        .note_command = !rec->snapshots,
        .child_producer_addr =
            rec->service.host ? orma_service_host_producer_addr(rec->service.host) : NULL,
        .child_consumer_addr =
            rec->service.host ? orma_service_host_consumer_addr(rec->service.host) : NULL,
        .signal_fd = rec->signal_fd,
        .on_started = on_started,
        .on_stopping = on_stopping,
        .on_snapshot = rec->snapshots ? on_snapshot : NULL,
        .snapshots_max = rec->snapshots_max,
        .ctx = rec,
        .on_written = watch ? on_written : NULL,
        .written_ctx = watch,
    };
    warn_of_memory(rec);
    int r = orma_recorder_run(&run);
    if (rec->rotation.handover) {
        orma_record_rotation_hand_over(&rec->rotation);
        rec->snapshots_failed += orma_flight_stop(ORMA_STEAL(rec->flight)).failed;
    }
    rec->out_fd = run.out_fd;
    if (run.rotation)
        rec->out_path = orma_buf_cstr(&rec->rotation.path);
    if (rec->auto_size && rec->command) {
        const struct orma_doctor_auto how = auto_size(rec, config_info);
        orma_doctor_auto_tell(&how, config_info->write_into_file, run.loss.bytes_written,
                              run.duration_ns);
    }
    rec->watch = watch;
    int code = rec->snapshots ? snapshots_outcome(rec, &run, r < 0)
                              : orma_record_outcome(rec, &run, config_info, r < 0);

    if (rec->plan && rec->snapshots_failed && code == ORMA_EXIT_OK)
        code = ORMA_EXIT_FAILURE;
    orma_buf_fini(&run.sources);
    if (rec->watch && orma_record_trace_watch_end(rec->watch, &unused))
        orma_record_trace_scan_fini(&unused);
    rec->watch = NULL;
    return code;
}

/* The process that the user started: tells where the recording goes on. */
static int wait_for_start(struct orma_record *rec, struct orma_service_background *bg)
{
    int status = orma_service_background_wait(bg, BACKGROUND_WAIT_MS);

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

/* The part that runs in the background, if that was asked for. */
static int connect_and_run(struct orma_record *rec)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf state = {0};
    struct orma_service_trace_config config_info;

    if (connect_service(rec) < 0)
        return ORMA_EXIT_FAILURE;
    if (orma_service_state_query(rec->service.consumer, &state) < 0)
        orma_buf_clear(&state); /* a service that cannot tell: its sources stay unchecked */
    if (!rec->config_path && make_config(rec, orma_buf_str(&state)) < 0)
        return ORMA_EXIT_FAILURE;
    if (orma_service_trace_config_read(orma_buf_str(&rec->config), &config_info) < 0 ||
        check_names(rec, orma_buf_str(&state)) < 0)
        return ORMA_EXIT_FAILURE;
    if (rec->machines_num)
        orma_pb_put_u64(&rec->config, ORMA_PB_TRACE_CONFIG_TRACE_ALL_MACHINES, 1);
    if (rec->auto_size && choose_sizes(rec, &config_info) < 0)
        return ORMA_EXIT_FAILURE;
    if (rec->explain)
        return explain(rec);
    name_session(rec, &config_info);
    return open_output(rec) < 0 ? ORMA_EXIT_FAILURE : run_session(rec, &config_info);
}

/* A command that is not there is not worth a recording. */
static int check_command(const struct orma_record *rec)
{
    if (!rec->command || orma_record_child_exists(rec->command[0]))
        return 0;
    fprintf(stderr, "orma record: %s: %s\n", rec->command[0], strerror(ENOENT));
    return -ENOENT;
}

static int check_config(struct orma_record *rec)
{
    struct orma_service_trace_config config_info;

    if (orma_service_trace_config_read(orma_buf_str(&rec->config), &config_info) < 0) {
        fprintf(stderr, "orma record: %s: not a trace config\n", rec->config_path);
        return -EINVAL;
    }
    if (config_info.has_output_path) {
        fprintf(
            stderr,
            "orma record: the config has an output_path; remove it and name the file with -o\n");
        return -EINVAL;
    }
    if (orma_record_rotation_wanted(&rec->rotation) &&
        (!config_info.write_into_file || config_info.max_file_size_bytes ||
         config_info.trigger_mode)) {
        fprintf(stderr,
                "orma record: %s: --rotate needs a config with write_into_file and without "
                "max_file_size_bytes or triggers\n",
                rec->config_path);
        return -EINVAL;
    }
    rec->has_triggers = config_info.trigger_mode != 0;
    if (rec->has_triggers && rec->private_service && !rec->command) {
        fprintf(
            stderr,
            "orma record: %s has triggers; with --private, only a COMMAND can fire them: add one\n",
            rec->config_path);
        return -EINVAL;
    }
    rec->snapshots = config_info.trigger_mode == ORMA_PB_TRACE_CONFIG_TRIGGER_CONFIG_CLONE_SNAPSHOT;
    if (!rec->snapshots || (rec->out_path && strcmp(rec->out_path, "-") != 0))
        return 0;
    fprintf(stderr,
            "orma record: %s: each trigger writes a file (CLONE_SNAPSHOT): name them with -o FILE; "
            "they are called FILE.0, FILE.1, ...\n",
            rec->config_path);
    return -EINVAL;
}

static int record(struct orma_record *rec)
{
    if (rec->explain && !rec->auto_size) {
        bool made = rec->config_path || make_config(rec, (struct orma_str){0}) == 0;

        return made ? explain(rec) : ORMA_EXIT_FAILURE;
    }
    if (rec->config_path && check_config(rec) < 0)
        return ORMA_EXIT_FAILURE;
    if (check_command(rec) < 0)
        return ORMA_EXIT_NO_COMMAND;
    if (!rec->explain && name_output(rec) < 0)
        return ORMA_EXIT_FAILURE;
    if (rec->background && !rec->explain) {
        struct orma_service_background bg;
        int r = orma_service_background_fork(&bg);

        if (r < 0)
            fprintf(stderr, "orma record: cannot start in the background: %s\n", strerror(-r));
        if (r < 0 || bg.pid)
            return r < 0 ? ORMA_EXIT_FAILURE : wait_for_start(rec, &bg);
        rec->parent_fd = bg.fd;
    }
    return connect_and_run(rec);
}

static int snapshot(struct orma_record *rec)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf request = {0}, of_what = {0};
    int r = name_output(rec);

    if (r == 0)
        r = connect_service(rec);
    if (r < 0)
        return ORMA_EXIT_FAILURE;
    orma_service_clone_request_put(&request, rec->clone);
    orma_buf_printf(&of_what, "of session %s", rec->clone);
    r = clone_into(rec, rec->service.consumer, &request, rec->out_path, orma_buf_cstr(&of_what));
    return r < 0 ? ORMA_EXIT_FAILURE : ORMA_EXIT_OK;
}

static int run(const struct orma_command *self, int argc, char **argv)
{
    struct orma_record rec = {
        .request = {.mode = ORMA_RECORD_STREAM, .buffer_bytes = BUFFER_DEFAULT},
        .out_fd = -1,
        .signal_fd = -1,
        .parent_fd = -1,
        .snapshots_max = ORMA_SERVICE_SNAPSHOTS_MAX,
        .before_ms = ORMA_RECORD_BEFORE_MS,
        .after_ms = ORMA_RECORD_AFTER_MS,
        .pause_ms = ORMA_RECORD_PAUSE_MS,
    };
    struct orma_flight_plan plan;
    bool go_on;

    orma_cli_init(&rec.cli, self, "orma record", argc, argv);
    int code = orma_record_parse(&rec, &go_on);
    if (go_on) {
        code = plan_flight(&rec, &plan);
        go_on = code == ORMA_EXIT_OK;
    }
    if (!go_on) {
        orma_arena_fini(&rec.names);
        return code;
    }
    /* The config first: one that does not come, from a pipe, is given up by a signal. */
    if (rec.config_path && load_config(&rec) < 0)
        code = ORMA_EXIT_FAILURE;
    else if ((rec.signal_fd = orma_recorder_signals("orma record")) < 0)
        code = ORMA_EXIT_FAILURE;
    else
        code = rec.clone ? snapshot(&rec) : record(&rec);
    orma_relay_machines_free(rec.others);
    orma_service_attached_fini(&rec.service);
    orma_buf_fini(&rec.config);
    orma_arena_fini(&rec.names);
    if (rec.out_created)
        (void)unlink(rec.out_path); /* nothing came into it */
    orma_record_rotation_fini(&rec.rotation);
    if (rec.rotation.handover)
        orma_record_handover_fini(&rec.handover);
    orma_fd_close(&rec.out_fd);
    orma_fd_close(&rec.parent_fd);
    orma_fd_close(&rec.signal_fd);
    return code;
}

static void put_presets(struct orma_buf *out)
{
    for (const struct orma_record_preset *p = orma_record_presets; p->name; p++)
        orma_buf_printf(out, " %s", p->name);
}

/* Of perf, trace-cmd, strace. */
static const struct orma_habit habits[] = {
    {"-e", "events are plain arguments: orma record sched/sched_switch irq/*"},
    {"-g", "'orma profile' records call stacks"},
    {"-p", "the whole machine is recorded; choose the process in the report: orma report FILE "
           "--tree PID; 'orma profile -p PID' samples one process"},
    {"--pid", "the whole machine is recorded; choose the process in the report: orma report FILE "
              "--tree PID; 'orma profile -p PID' samples one process"},
    {"-a", "the whole machine is always recorded"},
    {"-n", "the whole machine is recorded; choose the process in the report: orma report FILE "
           "--tree NAME; 'orma profile -n NAME' samples one program"},
    {"-d", "use --time: -t 10s"},
    {"--duration", "use --time: -t 10s"},
    {0},
};

const struct orma_command orma_cmd_record = {
    .name = "record",
    .summary = "Record what this machine and its instrumented programs do.",
    .synopsis = "[OPTIONS] [PRESET | GROUP/EVENT]... [-- COMMAND [ARG]...]\n"
                "[OPTIONS] -c CONFIG [-- COMMAND [ARG]...]\n"
                "--clone SESSION [-o FILE]",
    .details = "Without a preset it records scheduling (as root, or with access to tracefs) and "
               "the track events of instrumented programs. Presets: sched, apps, irq, syscalls, "
               "disk, mem, power, cpu, net, timer, faults, workqueue, signal, log. A kernel event "
               "is named GROUP/EVENT, a whole group GROUP/*.\n"
               "\n"
               "If a tracing service runs on this machine, it is used; otherwise service and "
               "probes run inside this process, on private sockets. With COMMAND, recording lasts "
               "as long as it runs (at most TIME); it finds the service through its environment, "
               "and its exit code becomes that of orma.\n"
               "\n"
               "Ctrl-C ends a recording and keeps the trace. A second one, at least half a second "
               "later, stops waiting for programs and keeps what has arrived.",
    .examples = "  orma record -t 10s -o trace.pftrace\n"
                "  orma record -t 5s sched irq syscalls -b 64mb\n"
                "  orma record -o build.pftrace -- make -j4\n"
                "  orma record --ring -b 16mb        # the last moments before Ctrl-C\n"
                "  orma record --ring --auto-size    # about the last ten seconds\n"
                "  orma record --ring --when 'slice \"request\" > 50ms' --before 5s\n"
                "  orma record --trigger crash      # the last moments before it fires\n"
                "  orma record --clone 3 -o now.pftrace\n",
    .put_words = put_presets,
    .options = orma_record_options,
    .habits = habits,
    .exclusive = "ring stream",
    .run = run,
};
