/*
 *   enable ──► all data sources started ──► command runs ──┐
 *                                                          ├─► flush, disable ──► ended ──► read
 *   duration over (told by the service) ───────────────────┘      (unless the service ended it)
 */
#include "tools/record/recorder.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "protos/fields/common.h"
#include "sdk/base/clock.h"
#include "sdk/base/fd.h"
#include "sdk/transport/consumer.h"
#include "sdk/wire/pb_reader.h"
#include "tools/base/signals.h"
#include "tools/base/units.h"
#include "tools/record/child.h"
#include "tools/record/command_note.h"
#include "tools/record/names.h"
#include "tools/record/pump.h"
#include "tools/record/rotation.h"
#include "tools/record/watched.h"
#include "tools/service/clone.h"
#include "tools/service/readback.h"

#define TICK_MS 250
/* After that the command is started although some data source is still not ready. */
#define START_TIMEOUT_MS 10000
/* And after that, if of each data source one is: others may offer it as well, and never be. */
#define START_QUIET_MS 1000
#define STOP_TIMEOUT_MS 20000
#define READ_TIMEOUT_MS 10000
/* Signals so close together are one request: `timeout` signals its child and then its group. */
#define SAME_REQUEST_MS 500
/* So long nothing is said about the end that is waited for. */
#define END_SILENCE_MS 1000
/* Once a signal has asked for the end, an output that takes nothing is given up after so long.
 * Where the service writes it, the service in this process waits, too, at its own end. */
#define OUTPUT_PATIENCE_MS 2000
#define SERVICE_PATIENCE_MS 1000

#define CANNOT_WRITE "cannot write the trace"

struct state {
    struct orma_recorder *rec;
    uint64_t started_ns;     /* MONOTONIC */
    bool all_started;        /* every data source */
    struct orma_buf started; /* names of those of which one is at least, one a line */
    uint64_t change_ns;      /* MONOTONIC, when one of them last did something */
    bool stop_asked;
    bool progress_shown;
    int signals;            /* that asked for the end; see SAME_REQUEST_MS */
    uint64_t asked_ns;      /* MONOTONIC, of the last one that counts */
    uint64_t full_since_ns; /* the output has no room; see is_stuck() */
    pid_t child;            /* 0: none running */
    struct orma_record_command command;
    struct orma_service_hits hits;
    struct orma_record_pump *pump; /* NULL: the service writes straight to out_fd, or not at all */
    uint64_t size_before;          /* of out_fd, if it is a file */
    bool cut;                      /* the output took no data, and was given up */
    int pump_error; /* why the pump could not write; the service sees a broken pipe */
};

static void say(const struct orma_recorder *rec, const char *what, int err)
{
    if (err)
        fprintf(stderr, "%s: %s: %s\n", rec->program, what, strerror(-err));
    else
        fprintf(stderr, "%s: %s\n", rec->program, what);
}

static bool has_line(const struct orma_buf *lines, const char *name)
{
    struct orma_str rest = orma_buf_str(lines), line;

    while (rest.len && orma_str_cut(&rest, '\n', &line)) {
        if (orma_str_eq_c(line, name))
            return true;
    }
    return false;
}

bool orma_recorder_had_source(const struct orma_recorder *self, const char *name)
{
    return has_line(&self->sources, name);
}

static void note_source(struct state *st, struct orma_pb_reader change)
{
    char name[256] = "";
    struct orma_pb_field f;
    bool started = false;

    while (orma_pb_next(&change, &f)) {
        if (f.id == ORMA_PB_OBSERVABLE_EVENTS_DATA_SOURCE_INSTANCE_STATE_CHANGE_DATA_SOURCE_NAME)
            snprintf(name, sizeof(name), "%.*s", ORMA_STR_ARG(orma_pb_str(&f)));
        else if (f.id == ORMA_PB_OBSERVABLE_EVENTS_DATA_SOURCE_INSTANCE_STATE_CHANGE_STATE)
            started =
                orma_pb_u32(&f) == ORMA_PB_OBSERVABLE_EVENTS_DATA_SOURCE_INSTANCE_STATE_STARTED;
    }
    if (name[0] && !has_line(&st->rec->sources, name))
        orma_buf_printf(&st->rec->sources, "%s\n", name);
    if (name[0] && started && !has_line(&st->started, name))
        orma_buf_printf(&st->started, "%s\n", name);
    st->change_ns = orma_clock_monotonic();
}

static void on_event(void *ctx, struct orma_str events)
{
    struct state *st = ctx;
    struct orma_pb_reader r = orma_pb_reader(events.data, events.len);
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_OBSERVABLE_EVENTS_ALL_DATA_SOURCES_STARTED)
            st->all_started |= orma_pb_bool(&f);
        else if (f.id == ORMA_PB_OBSERVABLE_EVENTS_INSTANCE_STATE_CHANGES)
            note_source(st, orma_pb_sub(&f));
        else if (f.id == ORMA_PB_OBSERVABLE_EVENTS_CLONE_TRIGGER_HIT && st->rec->on_snapshot)
            orma_service_hits_put(&st->hits, orma_pb_str(&f));
    }
}

/* Several signals may wait; the second that asks for an end takes the first's patience away. */
static void take_signals(struct state *st)
{
    uint64_t now = orma_clock_monotonic();
    struct signalfd_siginfo info;
    int code;

    while (read(st->rec->signal_fd, &info, sizeof(info)) == sizeof(info)) {
        if (info.ssi_signo != SIGCHLD) {
            if (!st->signals || now - st->asked_ns > SAME_REQUEST_MS * 1000000ull) {
                st->signals++;
                st->asked_ns = now;
            }
            st->stop_asked = true;
        } else if (st->child && orma_record_child_reap(st->child, &code)) {
            st->rec->child_code = code;
            st->child = 0;
            st->stop_asked = true;
        }
    }
}

/* "3.2 s", or "3.2 s, 6.8 s left". */
static void print_time(const struct state *st)
{
    double done = (double)(orma_clock_monotonic() - st->started_ns) / 1e9;
    double whole = (double)st->rec->duration_ms / 1e3;

    fprintf(stderr, "\r%.1f s", done);
    if (whole > done)
        fprintf(stderr, ", %.1f s left", whole - done);
}

/* A command writes to the same terminal: a line that is drawn again and again would be in its way.
 * Dumb terminals cannot draw one. */
static bool can_draw(const struct orma_recorder *rec)
{
    const char *term = getenv("TERM");

    return rec->progress && !rec->command && term && strcmp(term, "dumb");
}

static void progress(struct state *st)
{
    struct orma_recorder *rec = st->rec;
    struct orma_buf stats = {0};
    struct orma_ledger loss = {0};
    struct stat file;
    char size[ORMA_UNITS_TEXT_MAX], text[160];

    if (!can_draw(rec))
        return;
    if (orma_consumer_stats_wait(rec->consumer, &stats) == 0)
        orma_ledger_read(orma_buf_str(&stats), 0, &loss);
    orma_buf_fini(&stats);
    loss.lost[ORMA_LOST_CUT] = loss.lost[ORMA_LOST_UNPATCHED] = 0;  /* what is not read yet */
    loss.unreported = loss.incidents_num = loss.flushes_failed = 0; /* for the last line */
    loss.incident_is_loss = loss.incident_is_doubt = false;
    loss.ring = !rec->service_writes;
    uint64_t bytes = loss.bytes_written;
    if (rec->service_writes && fstat(rec->out_fd, &file) == 0 && S_ISREG(file.st_mode))
        bytes = (uint64_t)file.st_size;
    orma_ledger_format(&loss, text, sizeof(text));
    print_time(st);
    fprintf(stderr, "  %s%s  buffer %u%% full  %s\033[K", orma_units_format_size(bytes, size),
            rec->service_writes ? " written" : " recorded",
            loss.buffer_bytes ? (unsigned)(loss.buffer_used * 100 / loss.buffer_bytes) : 0, text);
    st->progress_shown = true;
}

static void progress_end(struct state *st)
{
    if (st->progress_shown)
        fprintf(stderr, "\r\033[K");
    st->progress_shown = false;
}

/* Not inside of a dispatch: a snapshot takes its time. */
static void take_hits(struct state *st)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf request = {0}, trigger = {0};

    if (st->hits.num)
        progress_end(st);
    while (st->signals < 2 && orma_service_hits_take(&st->hits, &request, &trigger)) {
        st->rec->on_snapshot(st->rec->ctx, st->rec->consumer, &request, orma_buf_cstr(&trigger));
        orma_buf_clear(&request);
        orma_buf_clear(&trigger);
        take_signals(st);
    }
}

/* What triggers asked for and nobody will make any more. */
static void give_up_hits(struct state *st)
{
    unsigned num = st->hits.num + st->hits.skipped;

    if (num)
        fprintf(stderr, "%s: %u snapshot%s that triggers requested %s not written%s\n",
                st->rec->program, num, num == 1 ? "" : "s", num == 1 ? "was" : "were",
                st->hits.limit && st->hits.taken == st->hits.limit
                    ? ": the limit of --max-snapshots is reached"
                    : "");
    st->rec->snapshots_skipped = num;
    orma_service_hits_fini(&st->hits);
}

/* One turn of the loop. 0, or the end of the connection. */
static int turn(struct state *st)
{
    struct orma_record_watched *watched = st->stop_asked ? NULL : st->rec->watched;
    struct pollfd fds[] = {
        {.fd = orma_consumer_fd(st->rec->consumer), .events = POLLIN},
        {.fd = st->rec->signal_fd, .events = POLLIN},
        {.fd = watched ? watched->fd : -1, .events = POLLIN},
    };
    int n = poll(fds, ORMA_ARRAY_LEN(fds),
                 orma_record_rotation_tick_ms(st->rec->rotation, TICK_MS));

    if (n < 0 && errno != EINTR)
        return -errno;
    if (n > 0 && fds[1].revents)
        take_signals(st);
    if (watched && (!watched->left || (n > 0 && fds[2].revents)))
        st->stop_asked |= orma_record_watched_ended(watched);
    int r = n > 0 && fds[0].revents ? orma_consumer_dispatch(st->rec->consumer) : 0;
    take_hits(st);
    return r;
}

struct missing {
    const struct orma_buf *started;
    bool found;
};

static void look_for_missing(void *ctx, const char *name)
{
    struct missing *missing = ctx;

    /* Programs may come, or not. */
    missing->found |= strcmp(name, "track_event") != 0 && !has_line(missing->started, name);
}

/* Is it time for the command? */
static bool is_ready(struct state *st)
{
    struct missing missing = {.started = &st->started};
    uint64_t now = orma_clock_monotonic();

    if (st->all_started || now - st->started_ns > START_TIMEOUT_MS * 1000000ull)
        return true;
    if (now - ORMA_MAX(st->change_ns, st->started_ns) < START_QUIET_MS * 1000000ull)
        return false;
    orma_record_names_sources(st->rec->config, look_for_missing, &missing);
    return !missing.found;
}

static int spawn_command(struct state *st)
{
    struct orma_recorder *rec = st->rec;
    uint64_t now = orma_clock_boottime();
    pid_t pid;

    if (rec->prepared) {
        pid = rec->prepared->pid;
        int r = orma_record_child_release(rec->prepared, rec->child_producer_addr,
                                          rec->child_consumer_addr);
        pid = r < 0 ? r : pid;
    } else {
        pid = orma_record_child_spawn(rec->command, rec->child_producer_addr,
                                      rec->child_consumer_addr);
    }

    if (pid < 0) {
        say(rec, rec->command[0], (int)pid);
        rec->child_code = pid == -ENOENT ? 127 : 126;
        rec->not_spawned = true;
        return (int)pid;
    }
    st->child = pid;
    st->command = (struct orma_record_command){
        .pid = pid, .started_ns = rec->prepared ? 0 : now, .argv = rec->command};
    return 0;
}

/* The next file, if it is time. */
static int rotate(struct state *st)
{
    struct orma_recorder *rec = st->rec;
    int before = rec->out_fd;
    int r = orma_record_rotation_turn(rec->rotation, rec->consumer, &rec->out_fd);

    if (rec->out_fd != before)
        st->size_before = 0;
    st->stop_asked |= r < 0;
    return r == -ENOSYS || r == -ENOMEM ? 0 : r; /* it has been said; the session can be ended */
}

/* Until the session ended or somebody wants it to end. */
static int run(struct state *st)
{
    struct orma_recorder *rec = st->rec;
    bool start_pending = true;
    int r = 0;

    while (!orma_consumer_ended(rec->consumer, NULL) && !st->stop_asked) {
        if (start_pending && is_ready(st)) {
            start_pending = false;
            if (rec->may_begin && !rec->may_begin(rec->ctx)) {
                rec->not_spawned = true;
                return -ECANCELED;
            }
            if (rec->on_started)
                rec->on_started(rec->ctx);
            r = rec->command ? spawn_command(st) : 0;
            if (r < 0)
                return r;
        }
        r = turn(st);
        if (r == 0 && rec->rotation && !orma_consumer_ended(rec->consumer, NULL))
            r = rotate(st);
        if (r < 0)
            break;
        progress(st);
    }
    progress_end(st);
    rec->ended_by_itself = orma_consumer_ended(rec->consumer, NULL);
    if (r < 0)
        say(rec,
            rec->service_writes ? "the service went away; what it has written so far is kept"
                                : "the service went away, and all that it held",
            0);
    return r;
}

/* After a signal: the service has had no room in the output for a while. */
static bool is_stuck(struct state *st)
{
    struct pollfd pfd = {.fd = st->rec->out_fd, .events = POLLOUT};
    uint64_t now = orma_clock_monotonic();

    if (!st->rec->service_writes || !st->signals || poll(&pfd, 1, 0) != 0) { /* files always have */
        st->full_since_ns = now;
        return false;
    }
    return now - st->full_since_ns > SERVICE_PATIENCE_MS * 1000000ull;
}

struct end_wait {
    uint64_t begin_ns, limit_ns;
    bool told;
};

/* Whether to wait on for the end: not after a second signal, nor for ever. */
static bool may_wait(struct state *st, struct end_wait *wait)
{
    uint64_t now = orma_clock_monotonic();

    if (st->rec->progress && !wait->told && now - wait->begin_ns > END_SILENCE_MS * 1000000ull) {
        fprintf(stderr, "%s: waiting for the last data of all producers (Ctrl-C stops waiting)\n",
                st->rec->program);
        wait->told = true;
    }
    return st->signals < 2 && now < wait->limit_ns;
}

/* 0: all producers answered, or it was said that some did not. 1: not waited for. */
static int flush(struct state *st, struct end_wait *wait)
{
    struct orma_consumer *consumer = st->rec->consumer;
    struct orma_consumer_flush flush = {0};
    int r = orma_consumer_flush_begin(consumer, 0, ORMA_FLUSH_FLAGS_STOP, &flush);

    while (r == 0 && !flush.done && may_wait(st, wait))
        r = turn(st);
    if (!flush.done)
        orma_consumer_flush_forget(consumer, &flush);
    else if (!flush.complete)
        say(st->rec,
            "some producers did not respond to the flush; the end of their data may be missing", 0);
    return r < 0 ? r : !flush.done;
}

/* Asks for the end if need be and waits for it. 1: not all of it was waited for, but what is there
 * can be read. */
static int stop(struct state *st)
{
    struct orma_recorder *rec = st->rec;
    uint64_t now = orma_clock_monotonic();
    struct end_wait wait = {.begin_ns = now, .limit_ns = now + STOP_TIMEOUT_MS * 1000000ull};
    int r, missed = 0;

    st->full_since_ns = now;
    if (!orma_consumer_ended(rec->consumer, NULL)) {
        missed = flush(st, &wait);
        if (missed < 0)
            return missed;
        r = orma_consumer_disable(rec->consumer);
        if (r < 0)
            return r;
    }
    while (!orma_consumer_ended(rec->consumer, NULL)) {
        if (is_stuck(st))
            return -ETIMEDOUT;
        if (!may_wait(st, &wait))
            return 1;
        r = turn(st);
        if (r < 0)
            return r;
    }
    return missed;
}

/* Has somebody asked for the end since the last look? The end of the command does not count. */
static bool is_asked(void *ctx)
{
    struct state *st = ctx;
    int before = st->signals;

    take_signals(st);
    return st->signals > before;
}

static struct orma_fd_wait patience(struct state *st)
{
    return (struct orma_fd_wait){
        .stop_fd = st->rec->signal_fd,
        .asked = is_asked,
        .ctx = st,
        .hurry = st->signals > 0,
        .patience_ms = OUTPUT_PATIENCE_MS,
    };
}

static int read_back(struct state *st)
{
    struct orma_recorder *rec = st->rec;
    struct orma_fd_wait wait = patience(st);
    const struct orma_service_written written = {rec->on_written, rec->written_ctx};
    int r = orma_service_readback_to(rec->consumer, rec->out_fd, READ_TIMEOUT_MS, &wait, &written,
                                     &rec->bytes);

    if (r == -ECANCELED) {
        say(rec, "the output accepts no more data; the end of the trace is missing", 0);
        return r;
    }
    rec->reader_left = r == -EPIPE;
    if (r < 0 && !rec->reader_left)
        say(rec, CANNOT_WRITE, r);
    return r;
}

/* Behind all that the service wrote. A trace without it is whole, but about the machine. */
static void note_command(struct state *st)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf packet = {0};
    struct orma_recorder *rec = st->rec;
    struct orma_fd_wait wait = patience(st);

    if (!rec->note_command || !st->command.pid || !rec->bytes || rec->reader_left)
        return;
    orma_record_command_put(&packet, &st->command);
    int r =
        packet.failed ? -ENOMEM : orma_fd_write_until(rec->out_fd, packet.data, packet.len, &wait);
    if (r < 0)
        say(rec, "the trace does not say for which command it was recorded", r);
    else
        rec->bytes += packet.len;
}

static void put_command(void *ctx, struct orma_buf *out)
{
    const struct state *st = ctx;

    if (st->rec->note_command && st->command.pid)
        orma_record_command_put(out, &st->command);
}

static bool file_size(int fd, uint64_t *ret)
{
    struct stat st;

    if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
        return false;
    *ret = (uint64_t)st.st_size;
    return true;
}

/* How much the service has written so far, where it writes by itself. */
static void look_at_file(struct state *st)
{
    struct orma_recorder *rec = st->rec;
    uint64_t size;

    if (rec->service_writes && !st->pump && file_size(rec->out_fd, &size))
        rec->bytes = size - ORMA_MIN(size, st->size_before);
}

/* False: a signal came, and the output takes nothing. */
static bool wait_for_pump(struct state *st)
{
    struct pollfd fds[] = {
        {.fd = orma_record_pump_done_fd(st->pump), .events = POLLIN},
        {.fd = st->rec->signal_fd, .events = POLLIN},
    };

    st->full_since_ns = orma_clock_monotonic();
    for (;;) {
        int n = poll(fds, 2, TICK_MS);

        if (n > 0 && fds[0].revents)
            return true;
        if (n > 0 && is_asked(st) && st->signals > 1)
            return false;
        if (is_stuck(st))
            return false;
    }
}

/* What the service writes into no file of ours is counted on its way. */
static void end_pump(struct state *st, bool complete)
{
    if (!st->pump)
        return;
    if (complete && !wait_for_pump(st)) {
        complete = false;
        say(st->rec, "the output accepts no more data; the end of the trace is missing", 0);
    }
    int r = complete ? orma_record_pump_end(st->pump, &st->rec->bytes)
                     : orma_record_pump_cancel(st->pump, &st->rec->bytes);
    st->pump = NULL;
    st->rec->reader_left = r == -EPIPE;
    st->cut = r == -ECANCELED;
    st->pump_error = r < 0 && r != -EPIPE && r != -ECANCELED ? r : 0;
}

/* After the end, or what was waited of it: data, sums. */
static int collect(struct state *st, bool missed)
{
    struct orma_recorder *rec = st->rec;
    struct orma_buf stats = {0};
    const char *error = "";
    int r = 0;

    orma_consumer_ended(rec->consumer, &error);
    end_pump(st, true);
    if (st->cut)
        r = -ECANCELED;
    if (st->pump_error) {
        say(rec, CANNOT_WRITE, st->pump_error);
        r = st->pump_error;
    } else if (*error) {
        if (!rec->reader_left)
            say(rec, error, 0);
        r = -EREMOTEIO;
    }
    if (!rec->service_writes && !rec->on_snapshot && r == 0)
        r = read_back(st);
    if (rec->rotation)
        orma_record_rotation_close(rec->rotation, rec->consumer, &rec->out_fd);
    look_at_file(st);
    if (r == 0)
        note_command(st);
    int settled = r == 0 && rec->bytes ? orma_fd_settle(rec->out_fd) : 0;
    if (settled < 0) {
        say(rec, CANNOT_WRITE, settled);
        r = settled;
    }
    /* After the reading: what is still in a buffer counts as not delivered. */
    if (orma_consumer_stats_wait(rec->consumer, &stats) == 0) {
        orma_ledger_read(orma_buf_str(&stats), 0, &rec->loss);
        rec->has_loss = true;
    }
    if (missed)
        rec->loss.unknown = "its end was not waited for";
    if (settled < 0)
        rec->loss.unknown = "the file system did not take all of it";
    orma_buf_fini(&stats);
    (void)orma_consumer_free_buffers(rec->consumer); /* closing would do the same */
    return r;
}

/* The command may outlive a recording with a time limit; a further signal ends the waiting. */
static void wait_for_command(struct state *st)
{
    int signals = st->signals;

    if (st->child && st->rec->progress)
        fprintf(stderr, "%s: recorded; waiting for '%s' to exit (Ctrl-C stops waiting)\n",
                st->rec->program, st->rec->command[0]);
    while (st->child && st->signals == signals) {
        struct pollfd pfd = {.fd = st->rec->signal_fd, .events = POLLIN};

        if (poll(&pfd, 1, -1) > 0)
            take_signals(st);
    }
}

/* Starts the session. A pipe is filled by way of the pump, which counts. */
static int enable(struct state *st)
{
    struct orma_recorder *rec = st->rec;
    uint32_t types = ORMA_PB_OBSERVABLE_EVENTS_TYPE_ALL_DATA_SOURCES_STARTED |
                     ORMA_PB_OBSERVABLE_EVENTS_TYPE_DATA_SOURCES_INSTANCES;
    int fd = rec->service_writes ? rec->out_fd : -1, pipe_fd = -1, r = 0;

    if (fd >= 0 && !file_size(fd, &st->size_before)) {
        r = orma_record_pump_start(fd, rec->on_written, rec->written_ctx, &st->pump, &pipe_fd);
        fd = pipe_fd;
    }
    if (r == 0)
        r = orma_consumer_enable(rec->consumer, rec->config, fd);
    orma_fd_close(&pipe_fd); /* the service has its own */
    if (rec->on_snapshot)
        types |= ORMA_PB_OBSERVABLE_EVENTS_TYPE_CLONE_TRIGGER_HIT;
    if (r == 0)
        r = orma_consumer_observe(rec->consumer, types, on_event, st);
    if (r < 0) {
        say(rec, "cannot start the session", r);
        end_pump(st, false);
    }
    return r;
}

int orma_recorder_run(struct orma_recorder *self)
{
    struct state st = {
        .rec = self, .hits.limit = self->snapshots_max, .started_ns = orma_clock_monotonic()};
    int r = enable(&st);

    self->child_code = -1;
    if (self->rotation) {
        self->rotation->put_note = put_command;
        self->rotation->ctx = &st;
    }
    if (r < 0) {
        orma_service_hits_fini(&st.hits);
        return r;
    }
    r = run(&st);
    if (self->on_stopping)
        self->on_stopping(self->ctx);
    int stopped = r == -ECONNRESET ? r : stop(&st); /* also when the command could not be started */
    if (stopped > 0)
        say(self,
            st.signals > 1
                ? "stopped at once by a second signal: data that producers had not handed over may "
                  "be missing"
                : "some producers did not respond in time; the end of the trace may be missing",
            0);
    else if (stopped < 0 && r >= 0)
        say(self, "the session did not end in time; the end of the trace may be missing",
            stopped == -ETIMEDOUT ? 0 : stopped);
    self->duration_ns = orma_clock_monotonic() - st.started_ns;
    if (stopped >= 0) {
        take_hits(&st); /* of what came while an answer was waited for */
        int collected = collect(&st, stopped > 0);
        r = r < 0 ? r : collected;
    }
    if (stopped < 0) {
        end_pump(&st, false);
        if (self->rotation)
            orma_record_rotation_close(self->rotation, self->consumer, &self->out_fd);
        look_at_file(&st); /* so that it is not taken for empty, and removed */
    }
    give_up_hits(&st);
    wait_for_command(&st);
    orma_buf_fini(&st.started);
    return r < 0 ? r : ORMA_MIN(stopped, 0);
}

int orma_recorder_signals(const char *program)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGCHLD, 0};

    signal(SIGPIPE, SIG_IGN); /* a reader that went away is an error of write() */
    return orma_signals_open(program, signals);
}
