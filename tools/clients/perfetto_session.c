/*
 *   record:   [observe] enable ──► wait ──► ended ──► read back
 *                            │       └─ signal: flush, disable ─┘   (clone trigger: a snapshot
 *                            └─ detach: done                         on a second connection)
 *   attach:   attach, notify ──► [flush, disable] ──► wait ──► ended
 *   clone:    clone ──► read back
 */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "protos/fields/common.h"
#include "protos/fields/config.h"
#include "protos/fields/ipc.h"
#include "sdk/base/clock.h"
#include "sdk/base/fd.h"
#include "sdk/ipc/methods.h"
#include "sdk/ipc/sock.h"
#include "sdk/transport/consumer.h"
#include "sdk/wire/pb_reader.h"
#include "sdk/wire/pb_writer.h"
#include "tools/clients/perfetto_impl.h"
#include "tools/clients/triggers.h"
#include "tools/record/names.h"
#include "tools/service/background.h"
#include "tools/service/clone.h"
#include "tools/service/readback.h"
#include "tools/service/state.h"

#define CONNECT_TIMEOUT_MS 5000
#define CALL_TIMEOUT_MS 10000
/* A flush of the service may take that long, and more if the config says so. */
#define FLUSH_TIMEOUT_MS 30000
/* Between two replies with data. */
#define READ_TIMEOUT_MS 3000
/* After a signal the output may take nothing for so long. */
#define OUTPUT_PATIENCE_MS 2000
/* A session that has not ended so long after its time will not end. */
#define OVERTIME_MS 60000u

static const char *const methods[] = ORMA_CONSUMER_PORT_METHODS;

struct session {
    struct orma_perfetto *self;
    struct orma_consumer *consumer;
    struct orma_service_hits hits;
    bool stopping;
};

static int connect_service(struct orma_perfetto *self, struct orma_consumer **ret)
{
    int r = orma_consumer_new(NULL, CONNECT_TIMEOUT_MS, ret);

    if (r < 0)
        orma_perfetto_say(self,
                          "no tracing service answers (%s): start traced, or use tracebox or 'orma "
                          "record', which start their own",
                          orma_sock_why(-r));
    return r;
}

/* A call by method number; the service's silence and refusals are the caller's to name. */
static int call(struct orma_consumer *c, enum orma_consumer_port_method method,
                struct orma_buf *args, int fd, int timeout_ms, struct orma_buf *reply)
{
    int r = orma_consumer_call(c, methods[method], args, fd, timeout_ms, reply);

    orma_buf_fini(args);
    return r;
}

/* ---- what the service tells ---- */

static void on_event(void *ctx, struct orma_str events)
{
    struct session *s = ctx;
    struct orma_pb_reader r = orma_pb_reader(events.data, events.len);
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_OBSERVABLE_EVENTS_ALL_DATA_SOURCES_STARTED && orma_pb_bool(&f)) {
            orma_perfetto_report_status(s->self, ORMA_BACKGROUND_OK);
            if (s->self->args.background)
                orma_service_background_silence(); /* whoever started it is gone now */
        } else if (f.id == ORMA_PB_OBSERVABLE_EVENTS_CLONE_TRIGGER_HIT) {
            orma_service_hits_put(&s->hits, orma_pb_str(&f));
        }
    }
}

/* ---- snapshots ---- */

static bool clones_on_trigger(const struct orma_perfetto *self)
{
    return self->config_info.trigger_mode == ORMA_PB_TRACE_CONFIG_TRIGGER_CONFIG_CLONE_SNAPSHOT;
}

static void put_clone_request(struct orma_buf *b, const struct orma_perfetto_args *args)
{
    if (args->clone_name)
        orma_pb_put_cstr(b, ORMA_PB_CLONE_SESSION_REQUEST_UNIQUE_SESSION_NAME, args->clone_name);
    else
        orma_pb_put_u64(b, ORMA_PB_CLONE_SESSION_REQUEST_SESSION_ID,
                        args->clone_for_bugreport ? UINT64_MAX : args->clone_id);
    orma_pb_put_u64(b, ORMA_PB_CLONE_SESSION_REQUEST_SKIP_TRACE_FILTER, args->clone_for_bugreport);
    orma_pb_put_u64(b, ORMA_PB_CLONE_SESSION_REQUEST_FOR_BUGREPORT, args->clone_for_bugreport);
}

/* 0 and *ret_bytes, or negative: has said why. */
static int clone_session(struct orma_perfetto *self, struct orma_consumer *c,
                         const struct orma_buf *request, int fd, uint64_t *ret_bytes)
{
    struct orma_buf error = {0};
    int r = orma_service_clone(c, request, fd, ret_bytes, &error);

    if (r < 0)
        orma_perfetto_say(self, "%s", orma_buf_cstr(&error));
    orma_buf_fini(&error);
    return r;
}

static int read_back(struct orma_perfetto *self, struct orma_consumer *c, int fd, uint64_t *bytes)
{
    struct orma_fd_wait wait = {.stop_fd = self->signal_fd, .patience_ms = OUTPUT_PATIENCE_MS};
    int r = orma_service_readback(c, fd, READ_TIMEOUT_MS, &wait, bytes);

    if (r == -ETIMEDOUT)
        orma_perfetto_say(self, "the trace is incomplete: the service stopped sending");
    else if (r == -ECANCELED)
        orma_perfetto_say(self, "the trace is incomplete: the output accepts no more data");
    else if (r < 0)
        orma_perfetto_say(self, "the trace is incomplete: %s", strerror(-r));
    return r;
}

static void say_written(const struct orma_perfetto *self, const char *path, uint64_t bytes)
{
    orma_perfetto_say(self, "Wrote %" PRIu64 " bytes into %s", bytes,
                      strcmp(path, "-") ? path : "standard output");
}

static int snapshot_into(struct session *s, const struct orma_buf *request, int fd,
                         const char *path)
{
    struct orma_perfetto *self = s->self;
    ORMA_AUTO(orma_consumer_free_p) struct orma_consumer *c = NULL;
    struct session none = {.self = self};
    uint64_t bytes = 0;
    int r = connect_service(self, &c);

    if (r == 0)
        r = orma_consumer_observe(c, ORMA_PB_OBSERVABLE_EVENTS_TYPE_CLONE_TRIGGER_HIT, on_event,
                                  &none);
    if (r == 0)
        orma_consumer_keep(c, s->consumer);
    if (r == 0)
        r = clone_session(self, c, request, fd, &bytes);
    orma_service_hits_fini(&none.hits); /* of a session that is only a copy: nothing to clone */
    if (r == 0)
        say_written(self, path, bytes);
    else if (!bytes)
        (void)unlink(path); /* nothing came into it */
    return r;
}

/* FILE.N on a second connection, while the first keeps the session alive. */
static void snapshot(struct session *s, const struct orma_buf *request)
{
    struct orma_perfetto *self = s->self;
    struct orma_buf path = {0};

    orma_buf_printf(&path, "%s.%u", self->args.out_path, self->snapshots++);
    ORMA_AUTO(orma_fd_close) int fd = orma_perfetto_open(self, orma_buf_cstr(&path));
    if (fd >= 0 && (ftruncate(fd, 0) == 0 || errno == EINVAL))
        (void)snapshot_into(s, request, fd, orma_buf_cstr(&path)); /* it has said why */
    orma_buf_fini(&path);
}

static void tell_skipped(struct session *s)
{
    if (s->hits.skipped)
        orma_perfetto_say(s->self, "too many triggers: skipped %u snapshot%s", s->hits.skipped,
                          s->hits.skipped == 1 ? "" : "s");
    s->hits.skipped = 0;
}

static void take_hits(struct session *s)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf request = {0};

    while (orma_service_hits_take(&s->hits, &request, NULL)) {
        snapshot(s, &request);
        orma_buf_clear(&request);
    }
    if (s->hits.taken < s->hits.limit) /* else triggers may go on for ever: told at the end */
        tell_skipped(s);
}

static int run_clone(struct orma_perfetto *self)
{
    ORMA_AUTO(orma_consumer_free_p) struct orma_consumer *c = NULL;
    ORMA_AUTO(orma_buf_fini) struct orma_buf request = {0};
    int r = connect_service(self, &c);

    put_clone_request(&request, &self->args);
    if (r == 0)
        r = orma_perfetto_truncate_output(self);
    if (r == 0)
        r = clone_session(self, c, &request, self->out_fd, &self->bytes);
    if (r == 0)
        say_written(self, self->args.out_path, self->bytes);
    return r < 0 ? ORMA_EXIT_FAILURE : ORMA_EXIT_OK;
}

/* ---- waiting for the end ---- */

static void stop(struct session *s)
{
    struct orma_buf args = {0};
    uint32_t more_ms = s->self->config_info.flush_timeout_ms;

    s->stopping = true;
    orma_pb_put_u64(&args, ORMA_PB_FLUSH_REQUEST_TIMEOUT_MS, 0);
    orma_pb_put_u64(&args, ORMA_PB_FLUSH_REQUEST_FLAGS, ORMA_FLUSH_FLAGS_STOP);
    int r = call(s->consumer, ORMA_CONSUMER_PORT_FLUSH, &args, -1,
                 (int)ORMA_MIN(more_ms, 3600000u) + FLUSH_TIMEOUT_MS, NULL);
    if (r < 0 && !orma_consumer_ended(s->consumer, NULL))
        orma_perfetto_say(s->self, "the last flush failed; the end of some data may be missing");
    r = orma_consumer_disable(s->consumer);
    if (r < 0)
        orma_perfetto_say(s->self, "cannot stop the session: %s", strerror(-r));
}

static void take_signal(struct session *s)
{
    char byte;

    if (read(s->self->signal_fd, &byte, 1) == 1 && !s->stopping) {
        orma_perfetto_say(s->self, "stopping (a second signal quits at once)");
        stop(s);
    }
}

/* 0: the session ended well. Negative: has said why. */
static int wait_for_end(struct session *s, uint64_t lifetime_ms)
{
    uint64_t start_ns = orma_clock_monotonic();
    const char *error = "";

    while (!orma_consumer_ended(s->consumer, &error)) {
        struct pollfd fds[2] = {{.fd = orma_consumer_fd(s->consumer), .events = POLLIN},
                                {.fd = s->self->signal_fd, .events = POLLIN}};
        uint64_t age_ms = (orma_clock_monotonic() - start_ns) / 1000000u;

        if (lifetime_ms && age_ms > lifetime_ms + OVERTIME_MS) {
            orma_perfetto_say(s->self, "timed out waiting for the session to end");
            return -ETIMEDOUT;
        }
        if (poll(fds, 2, 1000) < 0 && errno != EINTR)
            return -errno;
        int r = fds[0].revents ? orma_consumer_dispatch(s->consumer) : 0;
        if (r < 0) {
            orma_perfetto_say(s->self, "the service is gone");
            return r;
        }
        if (fds[1].revents)
            take_signal(s);
        take_hits(s);
    }
    if (*error) {
        orma_perfetto_say(s->self, "the service says: %s", error);
        return -EREMOTEIO;
    }
    return 0;
}

/* The trace is in the file, or comes there now. */
static int collect(struct session *s, bool service_wrote)
{
    struct orma_perfetto *self = s->self;

    if (self->out_fd < 0 || service_wrote) {
        orma_perfetto_say(self, "The service has written the trace into its file");
        return 0;
    }
    int r = read_back(self, s->consumer, self->out_fd, &self->bytes);
    if (r == 0 && !clones_on_trigger(self))
        say_written(self, self->args.out_path, self->bytes);
    return r;
}

/* ---- recording ---- */

static int observe(struct session *s)
{
    struct orma_perfetto *self = s->self;
    uint32_t types = 0;

    if (clones_on_trigger(self))
        types |= ORMA_PB_OBSERVABLE_EVENTS_TYPE_CLONE_TRIGGER_HIT;
    if (self->notify_fd >= 0 || self->parent_fd >= 0)
        types |= ORMA_PB_OBSERVABLE_EVENTS_TYPE_ALL_DATA_SOURCES_STARTED;
    return types ? orma_consumer_observe(s->consumer, types, on_event, s) : 0;
}

static void start_delay(const struct orma_service_trace_config *config_info)
{
    uint32_t span = config_info->start_delay_max_ms > config_info->start_delay_min_ms
                        ? config_info->start_delay_max_ms - config_info->start_delay_min_ms
                        : 0;
    uint32_t random = 0;

    if (!config_info->start_delay_max_ms)
        return;
    if (getrandom(&random, sizeof(random), 0) != sizeof(random))
        random = 0;
    uint64_t ms = config_info->start_delay_min_ms + (span ? random % (span + 1ull) : 0);
    struct timespec pause = {.tv_sec = (time_t)(ms / 1000), .tv_nsec = (long)(ms % 1000) * 1000000};
    (void)nanosleep(&pause, NULL); /* a signal shortens it, and is looked at afterwards */
}

static int detach(struct session *s)
{
    struct orma_buf args = {0};
    const char *error = "";

    orma_pb_put_cstr(&args, ORMA_PB_DETACH_REQUEST_KEY, s->self->args.key);
    int r = call(s->consumer, ORMA_CONSUMER_PORT_DETACH, &args, -1, CALL_TIMEOUT_MS, NULL);
    if (r < 0) {
        orma_consumer_ended(s->consumer, &error);
        if (!*error && r == -EREMOTEIO)
            error = "the key may be in use; check with 'perfetto --is_detached KEY'";
        orma_perfetto_say(s->self, "cannot detach the session%s%s", *error ? ": " : "", error);
    }
    return r;
}

/*
 * The program of this name records without a word; we record, too, but say it. The
 * service is not asked what it offers: the conversation with it is that program's.
 */
static void warn_of_names(struct orma_perfetto *self)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf problems = {0};
    struct orma_record_name_check check = {.config = orma_buf_str(&self->config)};
    struct orma_str rest, line;

    (void)orma_record_names_check(&check, &problems); /* how many does not matter */
    rest = orma_buf_str(&problems);
    while (rest.len && orma_str_cut(&rest, '\n', &line))
        orma_perfetto_say(self, "warning: %.*s", ORMA_STR_ARG(line));
}

static int record(struct session *s)
{
    struct orma_perfetto *self = s->self;
    struct orma_service_trace_config *config_info = &self->config_info;
    bool pass_fd = config_info->write_into_file && !config_info->has_output_path;
    int r = orma_perfetto_complete_config(self);

    if (r == 0)
        warn_of_names(self);
    if (self->args.background && !self->args.background_wait)
        orma_service_background_silence(); /* there is a service: nobody waits for what it says */
    start_delay(config_info);
    if (r == 0)
        r = observe(s);
    if (r == 0)
        r = orma_perfetto_truncate_output(self);
    if (r == 0)
        r = orma_consumer_enable(s->consumer, orma_buf_str(&self->config),
                                 pass_fd ? self->out_fd : -1);
    if (r < 0) {
        orma_perfetto_say(self, "cannot start the session: %s", strerror(-r));
        return r;
    }
    if (self->args.detach) {
        r = detach(s);
        orma_perfetto_report_status(self, r == 0 ? ORMA_BACKGROUND_OK : ORMA_BACKGROUND_ERROR);
        return r;
    }
    r = wait_for_end(s, orma_service_trace_config_lifetime_ms(config_info));
    return r < 0 ? r : collect(s, config_info->write_into_file);
}

/* ---- detached sessions ---- */

static void read_attach_reply(struct orma_perfetto *self, const struct orma_buf *reply)
{
    struct orma_pb_reader r = orma_pb_reader(reply->data, reply->len);
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_ATTACH_RESPONSE_TRACE_CONFIG)
            (void)orma_service_trace_config_read(orma_pb_str(&f),
                                                 &self->config_info); /* only for timeouts */
    }
}

/* ORMA_EXIT_OK, ORMA_PERFETTO_EXIT_NOT_DETACHED, ORMA_EXIT_FAILURE. */
static int attach(struct session *s)
{
    struct orma_buf args = {0}, reply = {0};

    orma_pb_put_cstr(&args, ORMA_PB_ATTACH_REQUEST_KEY, s->self->args.key);
    int r = call(s->consumer, ORMA_CONSUMER_PORT_ATTACH, &args, -1, CALL_TIMEOUT_MS, &reply);
    if (r == 0) {
        read_attach_reply(s->self, &reply);
        r = orma_consumer_enable_notify(s->consumer);
    }
    orma_buf_fini(&reply);
    if (r < 0 && r != -EREMOTEIO)
        orma_perfetto_say(s->self, "cannot attach: %s", strerror(-r));
    if (r == 0)
        return ORMA_EXIT_OK;
    return r == -EREMOTEIO ? ORMA_PERFETTO_EXIT_NOT_DETACHED : ORMA_EXIT_FAILURE;
}

static int run_attached(struct session *s)
{
    struct orma_perfetto *self = s->self;
    int code = attach(s);

    if (code == ORMA_PERFETTO_EXIT_NOT_DETACHED)
        orma_perfetto_say(self, "no detached session has the key '%s'", self->args.key);
    if (code)
        return code;
    if (self->args.stop)
        stop(s);
    int r = wait_for_end(s, 0);
    if (r == 0 && self->out_fd >= 0 && !self->config_info.write_into_file)
        r = orma_perfetto_truncate_output(self);
    if (r == 0)
        r = collect(s, self->config_info.write_into_file);
    return r < 0 ? ORMA_EXIT_FAILURE : ORMA_EXIT_OK;
}

static int run_is_detached(struct session *s)
{
    int code = attach(s);

    if (code)
        return code;
    return detach(s) < 0 ? ORMA_EXIT_FAILURE : ORMA_EXIT_OK;
}

/* ---- query ---- */

static int run_query(struct session *s)
{
    struct orma_perfetto *self = s->self;
    struct orma_buf state = {0};
    int r = orma_service_state_query(s->consumer, &state);

    if (r == -ENOSYS)
        orma_perfetto_say(self, "cannot query the service: it does not support queries");
    else if (r < 0)
        orma_perfetto_say(self, "cannot query the service: %s",
                          r == -EREMOTEIO ? "it refused the request" : strerror(-r));
    else if (self->args.query_raw)
        r = orma_fd_write_all(STDOUT_FILENO, state.data, state.len);
    else
        orma_service_state_print(orma_buf_str(&state), self->args.query_long, stdout);
    if (r == 0 && fflush(stdout) != 0)
        r = -errno;
    orma_buf_fini(&state);
    if (r == -EPIPE)
        return ORMA_EXIT_PIPE;
    return r < 0 ? ORMA_EXIT_FAILURE : ORMA_EXIT_OK;
}

static int fire_triggers(struct orma_perfetto *self)
{
    const char *names[ORMA_PERFETTO_LIST_MAX];
    struct orma_str name;
    size_t num = 0, at = 0;

    while (num < ORMA_PERFETTO_LIST_MAX &&
           orma_service_trace_config_trigger(orma_buf_str(&self->config), &at, &name))
        names[num++] = orma_str_dup(name);
    int r = orma_triggers_fire(self->hooks->program, names, num);
    while (num)
        free((char *)names[--num]);
    return r < 0 ? ORMA_EXIT_FAILURE : ORMA_EXIT_OK;
}

int orma_perfetto_run_session(struct orma_perfetto *self)
{
    ORMA_AUTO(orma_consumer_free_p) struct orma_consumer *consumer = NULL;
    struct session s = {.self = self, .hits.limit = ORMA_SERVICE_SNAPSHOTS_MAX};
    int code = ORMA_EXIT_FAILURE;

    if (self->args.action == ORMA_PERFETTO_RECORD && self->config_info.triggers_num)
        return fire_triggers(self);
    if (self->args.action == ORMA_PERFETTO_CLONE)
        return run_clone(self);
    if (connect_service(self, &consumer) < 0)
        return ORMA_EXIT_FAILURE;
    s.consumer = consumer;
    switch (self->args.action) {
    case ORMA_PERFETTO_RECORD:
        code = record(&s) < 0 ? ORMA_EXIT_FAILURE : ORMA_EXIT_OK;
        break;
    case ORMA_PERFETTO_QUERY:
        code = run_query(&s);
        break;
    case ORMA_PERFETTO_ATTACH:
        code = run_attached(&s);
        break;
    case ORMA_PERFETTO_IS_DETACHED:
        code = run_is_detached(&s);
        break;
    case ORMA_PERFETTO_CLONE:
    case ORMA_PERFETTO_NOTHING:
        break;
    }
    tell_skipped(&s);
    orma_service_hits_fini(&s.hits);
    return code;
}
