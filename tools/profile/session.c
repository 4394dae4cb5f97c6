/*
 * From the config to the recording: the command is prepared, the folder opened, the recording run.
 */
#include "tools/profile/session.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "sdk/base/clock.h"
#include "sdk/base/fd.h"
#include "tools/convert/profile_folder.h"
#include "tools/record/child.h"
#include "tools/record/recorder.h"
#include "tools/record/watched.h"
#include "tools/service/attach.h"

/* Its process is there before everything else, so that it can be watched from its first moment. */
static int prepare_command(struct orma_profile_session *self)
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

static int open_folder(struct orma_profile_session *self)
{
    int r = orma_convert_profile_folder_open(&self->folder, self->program, self->dir, true);

    return r < 0 ? r : orma_convert_profile_folder_trace(&self->folder, &self->trace_fd);
}

static uint64_t ns_of(struct timeval t)
{
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_usec * 1000u;
}

/* What the command and its children used of the cpus. We may have had others, before this program
 * was executed. */
static void take_cpu_time(struct orma_profile_session *self)
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
    const struct orma_profile_session *self = ctx;

    return !self->service.host || !orma_service_host_refused(self->service.host);
}

static int record(struct orma_profile_session *self, int signal_fd, int *ret_code)
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

/* A folder that we made holds nothing of worth without samples; in one of the user's the trace
 * stays, if there is one. */
static void drop_folder(struct orma_profile_session *self, bool has_trace)
{
    if (has_trace && (!self->folder.made || self->dir))
        return;
    orma_convert_profile_folder_drop(&self->folder);
}

int orma_profile_session_run(struct orma_profile_session *self)
{
    int code = ORMA_EXIT_OK;
    int r = self->call_graph == ORMA_PROFILE_CALL_GRAPH_LBR && !self->print_config
                ? orma_profile_session_check_lbr(self)
                : 0;

    if (r == 0)
        r = prepare_command(self);
    if (r < 0)
        return r == -ENOENT ? 127 : ORMA_EXIT_FAILURE;
    if (!self->print_config && self->request.native &&
        self->call_graph != ORMA_PROFILE_CALL_GRAPH_LBR)
        orma_profile_session_replace_cycles(self);
    r = orma_profile_session_configure(self);
    if (r < 0 || self->print_config)
        return r < 0 ? ORMA_EXIT_FAILURE : ORMA_EXIT_OK;
    int signal_fd = orma_recorder_signals("orma profile");
    r = signal_fd < 0 ? signal_fd : open_folder(self);
    if (r == 0) {
        r = record(self, signal_fd, &code);
        if (r < 0)
            drop_folder(self, false);
    }
    if (r == 0 && (r = orma_profile_session_answer(self)) == -ENODATA)
        drop_folder(self, true);
    orma_fd_close(&signal_fd);
    if (r == -ENODATA && self->child.pid > 0 && !self->cut_short)
        return code; /* it was too short, or did nothing: its own affair */
    return (r < 0 || self->cut_short) && code == ORMA_EXIT_OK ? ORMA_EXIT_FAILURE : code;
}
