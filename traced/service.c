#include "traced/service.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sdk/base/clock.h"
#include "sdk/base/fd.h"
#include "sdk/base/log.h"
#include "sdk/base/str.h"
#include "sdk/ipc/sock.h"
#include "traced/endpoints/relay.h"
#include "traced/internal.h"
#include "traced/output/file.h"
#include "traced/producers/producer.h"
#include "traced/sessions/finish.h"
#include "traced/sessions/session.h"

#define LISTENERS_MAX 32
/* When descriptors run out, accepting rests for this long. */
#define ACCEPT_PAUSE_MS 100
/* Connections taken per turn of the loop, so that a storm of them does not stop the others. */
#define ACCEPT_BATCH 32
/* Lines about clients in the log. */
#define LOG_WINDOW_NS ((uint64_t)10 * 1000000000)
#define LOG_LINES_MAX 50
/* At the end, for what producers have sent and nobody has read. */
#define HEAR_ALL_NS UINT64_C(500000000)

struct traced_listener {
    struct traced_service *service;
    int fd;
    enum traced_socket_kind kind;
    bool relay_allowed;
    char *unlink_path; /* socket file that we made; NULL: none */
    dev_t dev;         /* of that file: another one under its name is not ours */
    ino_t ino;
    struct event *event, *pause;
};

const char *traced_version(void)
{
    return "Perfetto v58.2-orma-" ORMA_VERSION;
}

/* ---- listening ---- */

static void on_accept_pause(evutil_socket_t fd, short what, void *arg)
{
    struct traced_listener *self = arg;

    (void)fd;
    (void)what;
    event_add(self->event, NULL);
}

static void on_accept(evutil_socket_t fd, short what, void *arg)
{
    struct traced_listener *self = arg;

    (void)what;
    for (int i = 0; i < ACCEPT_BATCH; i++) {
        int sock = accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

        if (sock >= 0) {
            (void)traced_conn_new(self->service, sock, self->kind,
                                  self->relay_allowed); /* no memory: the client sees the end */
            continue;
        }
        if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
            struct timeval wait = {0, ACCEPT_PAUSE_MS * 1000};

            int err = errno;

            if (traced_may_log(self->service))
                orma_log_warn("connections wait: %s", strerror(err));
            event_del(self->event);
            event_add(self->pause, &wait);
        }
        return;
    }
}

static void listener_fini(struct traced_listener *self)
{
    struct stat st;

    if (self->event)
        event_free(self->event);
    if (self->pause)
        event_free(self->pause);
    orma_fd_close(&self->fd);
    if (self->unlink_path && lstat(self->unlink_path, &st) == 0 && st.st_dev == self->dev &&
        st.st_ino == self->ino)
        (void)unlink(self->unlink_path); /* nothing to do if somebody was faster */
    free(self->unlink_path);
}

/* Takes fd, also on failure. */
static int add_listener(struct traced_service *self, int fd, enum traced_socket_kind kind,
                        bool relay_allowed, const char *path)
{
    if (self->listeners_num == LISTENERS_MAX) {
        orma_fd_close(&fd);
        return -E2BIG;
    }
    struct traced_listener *l = &self->listeners[self->listeners_num++];
    struct stat st;

    *l = (struct traced_listener){
        .service = self, .fd = fd, .kind = kind, .relay_allowed = relay_allowed};
    if (path && lstat(path, &st) == 0 && S_ISSOCK(st.st_mode)) {
        l->unlink_path = strdup(path);
        l->dev = st.st_dev;
        l->ino = st.st_ino;
    }
    l->event = event_new(self->base, fd, EV_READ | EV_PERSIST, on_accept, l);
    l->pause = evtimer_new(self->base, on_accept_pause, l);
    return l->event && l->pause && event_add(l->event, NULL) == 0 ? 0 : -ENOMEM;
}

static bool relay_allowed(const struct traced_config *config, const char *addr)
{
    for (size_t i = 0; i < config->relay_addrs_num; i++)
        if (!strcmp(config->relay_addrs[i], addr))
            return true;
    return config->enable_relay;
}

static const char *reason(int err)
{
    if (err == -EADDRINUSE)
        return "another service is listening there";
    if (err == -EEXIST)
        return "there is a file of that name that is no socket";
    return strerror(-err);
}

static int listen_on(struct traced_service *self, const char *addr, enum traced_socket_kind kind,
                     bool relay, struct orma_buf *error)
{
    int fd = orma_sock_listen(addr);
    int r = fd < 0 ? fd : add_listener(self, fd, kind, relay, *addr == '@' ? NULL : addr);

    if (r < 0 && error)
        orma_buf_printf(error, "can't listen on %s: %s", addr, reason(r));
    return r;
}

static int listen_on_list(struct traced_service *self, const struct traced_config *config,
                          struct orma_buf *error)
{
    const char *list = config->producer_addrs ? config->producer_addrs : orma_sock_producer_addr();
    struct orma_str rest = orma_str_from(list), part;
    int r = 0;

    while (r == 0 && orma_str_cut(&rest, ',', &part)) {
        char *addr = orma_str_dup(orma_str_trim(part));

        if (!addr)
            return -ENOMEM;
        if (*addr)
            r = listen_on(self, addr, TRACED_PRODUCER_SOCKET, relay_allowed(config, addr), error);
        free(addr);
    }
    return r;
}

static int adopt_sockets(struct traced_service *self, const struct traced_config *config)
{
    int r = orma_fd_set_nonblock(config->consumer_fd);

    for (size_t i = 0; i < config->producer_fds_num && r == 0; i++) {
        r = orma_fd_set_nonblock(config->producer_fds[i]);
        if (r == 0)
            r = add_listener(self, config->producer_fds[i], TRACED_PRODUCER_SOCKET,
                             config->enable_relay, NULL);
    }
    if (r == 0)
        r = add_listener(self, config->consumer_fd, TRACED_CONSUMER_SOCKET, false, NULL);
    return r;
}

static int start_listening(struct traced_service *self, const struct traced_config *config,
                           struct orma_buf *error)
{
    if (config->producer_fds_num)
        return adopt_sockets(self, config);
    int r = listen_on_list(self, config, error);
    if (r < 0)
        return r;
    return listen_on(self,
                     config->consumer_addr ? config->consumer_addr : orma_sock_consumer_addr(),
                     TRACED_CONSUMER_SOCKET, false, error);
}

/* ---- what is done when nothing else is to do ---- */

static void on_touch(evutil_socket_t fd, short what, void *arg)
{
    struct traced_service *self = arg;
    bool more = false;

    (void)fd;
    (void)what;
    ORMA_LIST_EACH (struct traced_session, s, &self->sessions, link)
        for (size_t i = 0; i < s->buffers_num; i++)
            if (s->buffers[i].buf->stats.chunks_written)
                more |= traced_buffer_touch_ahead(s->buffers[i].buf);
    if (more)
        traced_service_want_touch(self);
}

bool traced_may_log(struct traced_service *self)
{
    uint64_t now = orma_clock_boottime();

    if (now - self->log_since_ns >= LOG_WINDOW_NS) {
        if (self->logged > LOG_LINES_MAX)
            orma_log_warn("%u lines about clients were left out", self->logged - LOG_LINES_MAX);
        self->log_since_ns = now;
        self->logged = 0;
    }
    return self->logged++ < LOG_LINES_MAX;
}

void traced_service_want_touch(struct traced_service *self)
{
    struct timeval now = {0, 0};

    if (!evtimer_pending(self->touch_event, NULL))
        event_add(self->touch_event, &now);
}

/* ---- life ---- */

static void on_stop(evutil_socket_t fd, short what, void *arg)
{
    struct traced_service *self = arg;
    uint64_t count;

    (void)what;
    (void)!read(fd, &count, sizeof(count)); /* only its being readable matters */
    event_base_loopbreak(self->base);
}

static int init_loop(struct traced_service *self)
{
    struct event_config *config = event_config_new();

    if (!config)
        return -ENOMEM;
    event_config_set_flag(config, EVENT_BASE_FLAG_NOLOCK | EVENT_BASE_FLAG_PRECISE_TIMER);
    self->base = event_base_new_with_config(config);
    event_config_free(config);
    if (!self->base || traced_turns_init(&self->turns, self->base) < 0)
        return -ENOMEM;
    self->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (self->stop_fd < 0)
        return -errno;
    self->stop_event = event_new(self->base, self->stop_fd, EV_READ | EV_PERSIST, on_stop, self);
    self->touch_event = evtimer_new(self->base, on_touch, self);
    if (!self->stop_event || !self->touch_event || event_add(self->stop_event, NULL) < 0)
        return -ENOMEM;
    return 0;
}

int traced_service_new(const struct traced_config *config, struct traced_service **ret,
                       struct orma_buf *error)
{
    ORMA_AUTO(traced_service_free_p) struct traced_service *self = calloc(1, sizeof(*self));

    if (!self)
        return -ENOMEM;
    self->stop_fd = -1;
    self->uid = geteuid();
    self->file_patience_ms = TRACED_FILE_PATIENCE_MS;
    traced_reaper_init(&self->reaper);
    orma_list_init(&self->conns);
    orma_list_init(&self->producers);
    orma_list_init(&self->data_sources);
    orma_list_init(&self->sessions);
    orma_list_init(&self->machines);
    self->listeners = calloc(LISTENERS_MAX, sizeof(*self->listeners));
    int r = self->listeners ? init_loop(self) : -ENOMEM;
    if (r == 0)
        r = start_listening(self, config, error);
    if (r < 0) {
        if (error && !error->len)
            orma_buf_printf(error, "can't start: %s", strerror(-r));
        return r;
    }
    *ret = ORMA_STEAL(self);
    return 0;
}

int traced_service_run(struct traced_service *self)
{
    return event_base_loop(self->base, EVLOOP_NO_EXIT_ON_EMPTY) < 0 ? -EIO : 0;
}

void traced_service_stop(struct traced_service *self)
{
    uint64_t one = 1;

    (void)!write(self->stop_fd, &one, sizeof(one)); /* it can only be set already */
}

/* What lies in the sockets of producers belongs to the sessions that are finished now. */
static void hear_all(struct traced_service *self)
{
    uint64_t end_ns = traced_now_ns() + HEAR_ALL_NS;

    ORMA_LIST_EACH (struct traced_producer, p, &self->producers, link)
        traced_conn_hear_now(p->conn, end_ns);
}

void traced_service_free(struct traced_service *self)
{
    if (!self)
        return;
    hear_all(self);
    traced_finish_sessions(self, TRACED_FINISH_MS);
    ORMA_LIST_EACH (struct traced_conn, c, &self->conns, link)
        traced_conn_free(c);
    for (size_t i = 0; i < self->listeners_num; i++)
        listener_fini(&self->listeners[i]);
    free(self->listeners);
    if (self->stop_event)
        event_free(self->stop_event);
    if (self->touch_event)
        event_free(self->touch_event);
    orma_fd_close(&self->stop_fd);
    traced_reaper_fini(&self->reaper);
    traced_turns_fini(&self->turns);
    if (self->base)
        event_base_free(self->base);
    traced_machines_free(self);
    traced_trigger_history_fini(&self->trigger_history);
    orma_map_fini(&self->producers_by_id);
    orma_map_fini(&self->buffers_by_id);
    free(self);
}
