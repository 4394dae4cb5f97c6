/*
 * One thread, one event loop:
 *
 *   producer socket, wake-up descriptor ──► orma_producer_dispatch()
 *   commit timer                        ──►        │ setup start flush stop clear
 *   retry timer ─► connect                         ▼
 *   timers of the sources                   struct source_use ─► struct orma_source
 *
 * A source_use ties an instance of the service to a source and to the writer
 * that is its sink.
 */
#include "probes/probes.h"

#include <errno.h>
#include <event2/event.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/time.h>
#include <unistd.h>

#include "probes/ftrace/instance.h"
#include "probes/ftrace/names.h"
#include "probes/ftrace/saved.h"
#include "probes/kernel/tracefs.h"
#include "probes/sources.h"
#include "probes/unserved.h"
#include "protos/pbc.h"
#include "sdk/base/clock.h"
#include "sdk/base/fd.h"
#include "sdk/base/log.h"
#include "sdk/ipc/sock.h"
#include "sdk/transport/producer.h"
#include "sdk/transport/writer.h"

#define SOURCES_MAX 32
#define SHM_SIZE (2u << 20)
#define SHM_PAGE (32u << 10)
#define STOP_WAIT_NS UINT64_C(1000000000) /* for memory, when told to stop */
#define RETRY_FIRST_MS 1000u
#define RETRY_STEP_MS 1000u
#define RETRY_LIMIT_MS 10000u /* then RETRY_SLOW_MS */
#define RETRY_SLOW_MS 30000u

struct orma_probes;

/* A data source as the producer knows it. */
struct binding {
    struct orma_ds ds;
    struct orma_probes *probes;
    const struct orma_source_type *type;
};

struct orma_probes {
    struct orma_source_env env;
    char *strings[7]; /* of the config */
    struct orma_producer *producer;
    struct binding bindings[SOURCES_MAX];
    struct event *socket_event; /* NULL while not connected */
    struct event *wakeup_event, *stop_event, *commit_timer, *retry_timer;
    int stop_fd;
    _Atomic uint64_t wait_end; /* of all writers, once told to stop: CLOCK_MONOTONIC */
    uint32_t retry_ms;
    bool stranger;       /* it was said that who listens is not trusted */
    atomic_uint refused; /* sources that could not be made; anybody may read it */
};

/* The tie between the service's instance and our source. */
struct source_use {
    struct orma_source_sink sink;
    struct orma_probes *probes;
    struct orma_ds_instance *instance;
    struct orma_writer *writer;
    struct orma_source *source; /* NULL: could not be made */
    bool stopping;
    bool stopped;
};

static int sink_put(struct orma_source_sink *sink, const void *packet, size_t len)
{
    return orma_writer_put(ORMA_CONTAINER_OF(sink, struct source_use, sink)->writer, packet, len);
}

static void sink_flush(struct orma_source_sink *sink)
{
    orma_writer_flush(ORMA_CONTAINER_OF(sink, struct source_use, sink)->writer);
}

static void use_free(struct source_use *use)
{
    if (use->source) {
        orma_list_remove(&use->source->link);
        use->source->type->free(use->source);
    }
    orma_writer_free(use->writer);
    free(use);
}

/* The session's config; to be freed with protobuf_c_message_free_unpacked(). NULL: malformed. */
static Perfetto__Protos__DataSourceConfig *unpack_config(const struct orma_ds_instance *inst)
{
    ProtobufCMessage *msg = NULL;

    if (orma_pbc_unpack(&perfetto__protos__data_source_config__descriptor, inst->config, &msg) < 0)
        return NULL;
    return (Perfetto__Protos__DataSourceConfig *)msg;
}

static void warn_of_unserved(const char *source, const Perfetto__Protos__DataSourceConfig *config)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf fields = {0};

    orma_probes_unserved(source, config, &fields);
    if (fields.len)
        orma_log_warn("%s: ignored, not supported: %s", source, orma_buf_cstr(&fields));
}

static void make_source(struct source_use *use, const struct orma_source_type *type)
{
    Perfetto__Protos__DataSourceConfig *config = unpack_config(use->instance);
    struct orma_source_env *env = &use->probes->env;
    int r = config ? type->create(env, config, &use->sink, &use->source) : -EBADMSG;

    if (r < 0) {
        if (r == -EBADMSG || r == -ENOMEM) /* of the rest the source has said why */
            orma_log_error("%s: cannot serve this session: %s", type->name, strerror(-r));
        atomic_fetch_add_explicit(&use->probes->refused, 1, memory_order_relaxed);
        use->source = NULL;
    } else {
        use->source->owner = use;
        use->source->session_id = config->has_tracing_session_id ? config->tracing_session_id : 0;
        orma_list_insert(&env->sources, &use->source->link);
        warn_of_unserved(type->name, config);
    }
    if (config)
        protobuf_c_message_free_unpacked(&config->base, NULL);
}

static void on_setup(void *ctx, struct orma_ds_instance *inst)
{
    struct binding *binding = ctx;
    struct orma_probes *self = binding->probes;
    struct source_use *use = calloc(1, sizeof(*use));

    inst->user = NULL;
    if (!use)
        return;
    *use = (struct source_use){.sink = {sink_put, sink_flush}, .probes = self, .instance = inst};
    if (orma_writer_new(self->producer, inst->target_buffer, ORMA_POLICY_STALL, &use->writer) < 0) {
        orma_log_error("%s: cannot create a writer for this session", binding->type->name);
        free(use);
        return;
    }
    orma_writer_wait_until(use->writer, &self->wait_end);
    inst->user = use;
    make_source(use, binding->type);
}

static void on_start(void *ctx, struct orma_ds_instance *inst)
{
    struct source_use *use = inst->user;

    if (use && use->source)
        use->source->type->start(use->source);
    orma_producer_started(((struct binding *)ctx)->probes->producer, inst->id);
}

static void on_flush(void *ctx, struct orma_ds_instance *inst, uint64_t flush_id)
{
    struct source_use *use = inst->user;

    if (use && use->source && use->source->type->flush) {
        use->source->type->flush(use->source, flush_id);
        return;
    }
    if (use)
        sink_flush(&use->sink);
    orma_producer_flushed(((struct binding *)ctx)->probes->producer, inst->id, flush_id);
}

static void on_stop(void *ctx, struct orma_ds_instance *inst)
{
    struct source_use *use = inst->user;
    uint64_t id = inst->id;

    if (use && use->source && use->source->type->stop) {
        use->source->type->stop(use->source); /* answers with env->stopped, now or later */
        return;
    }
    if (use)
        use_free(use);
    inst->user = NULL;
    orma_producer_stopped(((struct binding *)ctx)->probes->producer, id);
}

static void on_clear(void *ctx, struct orma_ds_instance *inst)
{
    struct source_use *use = inst->user;

    (void)ctx;
    if (use && use->source && use->source->type->clear)
        use->source->type->clear(use->source);
}

static void source_flushed(struct orma_source *source, uint64_t flush_id)
{
    struct source_use *use = source->owner;

    orma_producer_flushed(use->probes->producer, use->instance->id, flush_id);
}

static void source_stopped(struct orma_source *source)
{
    struct source_use *use = source->owner;
    struct orma_ds_instance *inst = use->instance;
    struct orma_probes *self = use->probes;
    uint64_t id = inst->id;

    use_free(use);
    inst->user = NULL;
    orma_producer_stopped(self->producer, id); /* the instance ends here */
}

static const struct orma_ds_ops ds_ops = {
    .setup = on_setup,
    .start = on_start,
    .stop = on_stop,
    .flush = on_flush,
    .clear = on_clear,
};

static void set_timer(struct event *timer, int64_t ms)
{
    const struct timeval tv = {.tv_sec = (time_t)(ms / 1000),
                               .tv_usec = (suseconds_t)(ms % 1000 * 1000)};

    (void)evtimer_add(timer, &tv); /* fails for bad arguments only */
}

static void watch_socket(struct orma_probes *self);

static void schedule_commit(struct orma_probes *self)
{
    int ms =
        orma_producer_is_connected(self->producer) ? orma_producer_timeout_ms(self->producer) : -1;

    if (ms >= 0)
        set_timer(self->commit_timer, ms);
    else
        (void)evtimer_del(self->commit_timer); /* the same */
}

static void retry_later(struct orma_probes *self)
{
    set_timer(self->retry_timer, self->retry_ms);
    self->retry_ms =
        self->retry_ms < RETRY_LIMIT_MS ? self->retry_ms + RETRY_STEP_MS : RETRY_SLOW_MS;
}

static void dispatch(struct orma_probes *self)
{
    int r;

    if (!orma_producer_is_connected(self->producer))
        return;
    r = orma_producer_dispatch(self->producer);
    if (r < 0) {
        orma_log_info("connection to the service ended: %s", strerror(-r));
        if (self->socket_event)
            event_free(self->socket_event);
        self->socket_event = NULL;
        self->retry_ms = RETRY_FIRST_MS;
        retry_later(self);
    }
    schedule_commit(self);
}

static void on_event(evutil_socket_t fd, short what, void *arg)
{
    (void)fd;
    (void)what;
    dispatch(arg);
}

static void watch_socket(struct orma_probes *self)
{
    self->socket_event = event_new(self->env.base, orma_producer_fd(self->producer),
                                   EV_READ | EV_PERSIST, on_event, self);
    if (!self->socket_event || event_add(self->socket_event, NULL) < 0)
        orma_log_error("out of memory: cannot watch the connection to the service");
    schedule_commit(self);
}

static void on_retry(evutil_socket_t fd, short what, void *arg)
{
    struct orma_probes *self = arg;
    int r = orma_producer_connect(self->producer);

    (void)fd;
    (void)what;
    if (r < 0) {
        if (r == -EPERM && !self->stranger)
            orma_log_warn("%s is not used: %s", orma_sock_producer_addr(), orma_sock_why(EPERM));
        self->stranger = r == -EPERM;
        orma_log_debug("no service: %s", strerror(-r));
        retry_later(self);
        return;
    }
    self->retry_ms = RETRY_FIRST_MS;
    watch_socket(self);
}

static void on_stop_fd(evutil_socket_t fd, short what, void *arg)
{
    (void)fd;
    (void)what;
    (void)event_base_loopbreak(((struct orma_probes *)arg)->env.base);
}

/* ---- public ---- */

static const char *keep(struct orma_probes *self, unsigned slot, const char *text,
                        const char *fallback, bool *ok)
{
    if (!text)
        text = fallback;
    self->strings[slot] = text ? strdup(text) : NULL;
    if (text && !self->strings[slot])
        *ok = false;
    return self->strings[slot];
}

static int copy_config(struct orma_probes *self, const struct orma_probes_config *config)
{
    char *state_dir = config->state_dir ? NULL : orma_ftrace_saved_default_dir();
    struct orma_source_env *env = &self->env;
    bool ok = true;

    (void)keep(self, 0, config->producer_addr, NULL, &ok);
    (void)keep(self, 1, config->producer_name, "perfetto.traced_probes", &ok);
    env->tracefs_root = keep(self, 2, config->tracefs_root, NULL, &ok);
    env->proc_root = keep(self, 3, config->proc_root, "/proc", &ok);
    env->sys_root = keep(self, 4, config->sys_root, "/sys", &ok);
    env->dev_root = keep(self, 5, config->dev_root, "/dev", &ok);
    env->state_dir = keep(self, 6, config->state_dir, state_dir, &ok);
    free(state_dir);
    return ok ? 0 : -ENOMEM;
}

static int add_sources(struct orma_probes *self)
{
    int r = 0;

    for (size_t i = 0; !r && orma_probes_source_types[i] && i < SOURCES_MAX; i++) {
        struct binding *binding = &self->bindings[i];

        binding->probes = self;
        binding->type = orma_probes_source_types[i];
        binding->ds = (struct orma_ds){
            .name = binding->type->name,
            .ops = &ds_ops,
            .ctx = binding,
            .will_notify_on_start = true,
            .will_notify_on_stop = true,
            .handles_incremental_state_clear = binding->type->handles_clear,
        };
        r = orma_producer_add(self->producer, &binding->ds);
    }
    return r;
}

static int make_events(struct orma_probes *self)
{
    struct event_base *base = self->env.base;

    self->wakeup_event = event_new(base, orma_producer_wakeup_fd(self->producer),
                                   EV_READ | EV_PERSIST, on_event, self);
    self->stop_event = event_new(base, self->stop_fd, EV_READ | EV_PERSIST, on_stop_fd, self);
    self->commit_timer = evtimer_new(base, on_event, self);
    self->retry_timer = evtimer_new(base, on_retry, self);
    if (!self->wakeup_event || !self->stop_event || !self->commit_timer || !self->retry_timer ||
        event_add(self->wakeup_event, NULL) < 0 || event_add(self->stop_event, NULL) < 0)
        return -ENOMEM;
    return 0;
}

/* Whoever makes one says why there is none. */
static void say_nothing(int severity, const char *text)
{
    (void)severity;
    (void)text;
}

/* The coarse clock, up to 4 ms late, has timers wake us up several times before they are due. */
static struct event_base *make_base(void)
{
    struct event_config *config = event_config_new();
    struct event_base *ret;

    if (!config)
        return NULL;
    event_config_set_flag(config, EVENT_BASE_FLAG_PRECISE_TIMER);
    event_set_log_callback(say_nothing);
    ret = event_base_new_with_config(config);
    event_set_log_callback(NULL);
    event_config_free(config);
    return ret;
}

static int set_up(struct orma_probes *self, const struct orma_probes_config *config)
{
    int r = copy_config(self, config);

    if (r < 0)
        return r;
    self->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (self->stop_fd < 0)
        return -errno;
    self->env.base = make_base();
    if (!self->env.base)
        return -ENOMEM;
    const struct orma_producer_config producer = {
        .name = self->strings[1],
        .addr = self->strings[0],
        .shm_size_hint_bytes = SHM_SIZE,
        .shm_page_hint_bytes = SHM_PAGE,
        .smb_scraping = false,
    };
    r = orma_producer_new(&producer, &self->producer);
    if (!r)
        r = add_sources(self);
    return r < 0 ? r : make_events(self);
}

int orma_probes_new(const struct orma_probes_config *config, struct orma_probes **ret)
{
    static const struct orma_probes_config defaults;
    struct orma_probes *self = calloc(1, sizeof(*self));

    if (!self)
        return -ENOMEM;
    self->stop_fd = -1;
    self->retry_ms = RETRY_FIRST_MS;
    self->env.flushed = source_flushed;
    self->env.stopped = source_stopped;
    orma_list_init(&self->env.sources);
    int r = set_up(self, config ? config : &defaults);
    if (r < 0) {
        orma_probes_free(self);
        return r;
    }
    *ret = self;
    return 0;
}

int orma_probes_run(struct orma_probes *self)
{
    int r;

    (void)orma_ftrace_saved_recover(self->env.state_dir); /* how many, it logs itself */
    set_timer(self->retry_timer, 0);
    r = event_base_loop(self->env.base, EVLOOP_NO_EXIT_ON_EMPTY);
    /* Ends every session: the sources put back what they changed. */
    ORMA_LIST_EACH (struct orma_source, source, &self->env.sources, link) {
        struct source_use *use = source->owner;

        use->instance->user = NULL;
        use_free(use);
    }
    if (orma_producer_is_connected(self->producer))
        (void)orma_producer_dispatch(self->producer); /* sends what they wrote at the end */
    return r < 0 ? -EIO : 0;
}

unsigned orma_probes_refused(struct orma_probes *self)
{
    return atomic_load_explicit(&self->refused, memory_order_relaxed);
}

void orma_probes_stop(struct orma_probes *self)
{
    const uint64_t one = 1;
    uint64_t end = orma_clock_monotonic() + STOP_WAIT_NS, none = 0;

    /* A service that gives no memory back does not keep us. A second signal does not wait anew. */
    (void)atomic_compare_exchange_strong(&self->wait_end, &none, end);
    ssize_t n = write(self->stop_fd, &one, sizeof(one));

    (void)n; /* full: it has been told before */
}

static void free_event(struct event *ev)
{
    if (ev)
        event_free(ev);
}

void orma_probes_free(struct orma_probes *self)
{
    if (!self)
        return;
    free_event(self->socket_event);
    free_event(self->wakeup_event);
    free_event(self->stop_event);
    free_event(self->commit_timer);
    free_event(self->retry_timer);
    orma_producer_free(self->producer);
    orma_ftrace_free(self->env.ftrace);
    if (self->env.base)
        event_base_free(self->env.base);
    orma_fd_close(&self->stop_fd);
    for (size_t i = 0; i < ORMA_ARRAY_LEN(self->strings); i++)
        free(self->strings[i]);
    free(self);
}

bool orma_probes_source_usable(const struct orma_probes_config *config, const char *source,
                               char *why, size_t why_size)
{
    static const struct orma_probes_config defaults;
    const struct orma_source_type *type = orma_probes_source_type_find(source);
    const struct orma_probes_config *c = config ? config : &defaults;
    const struct orma_source_env env = {
        .tracefs_root = c->tracefs_root,
        .proc_root = c->proc_root ? c->proc_root : "/proc",
        .sys_root = c->sys_root ? c->sys_root : "/sys",
        .dev_root = c->dev_root ? c->dev_root : "/dev",
    };

    if (!type) {
        (void)snprintf(why, why_size, "this build does not have this data source"); /* cut: fine */
        return false;
    }
    return !type->usable || type->usable(&env, why, why_size);
}

int orma_probes_unknown_names(const struct orma_probes_config *config,
                              struct orma_str ftrace_config, orma_ftrace_name_fn *fn, void *ctx)
{
    ProtobufCMessage *msg;
    int r = orma_pbc_unpack(&perfetto__protos__ftrace_config__descriptor, ftrace_config, &msg);

    if (r < 0)
        return r;
    r = orma_ftrace_unknown_names(config ? config->tracefs_root : NULL,
                                  (const Perfetto__Protos__FtraceConfig *)msg, fn, ctx);
    protobuf_c_message_free_unpacked(msg, NULL);
    return r;
}

int orma_probes_kernel_events(const struct orma_probes_config *config, struct orma_buf *ret)
{
    return orma_ftrace_list_events(config ? config->tracefs_root : NULL, ret);
}

const char *const *orma_probes_sources(void)
{
    static const char *names[SOURCES_MAX + 1];

    for (size_t i = 0; orma_probes_source_types[i] && i < SOURCES_MAX; i++)
        names[i] = orma_probes_source_types[i]->name; /* always the same: no race worth a lock */
    return names;
}

unsigned orma_probes_repair(const struct orma_probes_config *config)
{
    char *dir =
        config && config->state_dir ? strdup(config->state_dir) : orma_ftrace_saved_default_dir();
    unsigned ret = orma_ftrace_saved_recover(dir);

    free(dir);
    return ret;
}

int orma_probes_reset_ftrace(const struct orma_probes_config *config)
{
    struct orma_tracefs fs;
    char *root = NULL;
    int r;

    (void)orma_probes_repair(config); /* how many, it logs itself */
    r = orma_tracefs_find(config ? config->tracefs_root : NULL, &root);
    if (!r)
        r = orma_tracefs_open(&fs, root, NULL);
    free(root);
    if (r < 0)
        return r;
    r = orma_ftrace_saved_reset(&fs);
    orma_tracefs_close(&fs);
    return r;
}
