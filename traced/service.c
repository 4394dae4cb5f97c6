/*
 * The service puts the modules together: it makes one state of each, hands in the
 * tables of events and endpoints, and connects what no room can connect itself. Nothing below calls
 * it by name.
 */
#include "traced/service.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "sdk/base/clock.h"
#include "sdk/base/fd.h"
#include "sdk/base/log.h"
#include "sdk/base/str.h"
#include "sdk/ipc/sock.h"
#include "traced/endpoints/consumer_port.h"
#include "traced/endpoints/producer_port.h"
#include "traced/internal.h"
#include "traced/output/file.h"
#include "traced/producers/producer.h"
#include "traced/rescue/folder.h"
#include "traced/sessions/finish.h"
#include "traced/sessions/session.h"

/* At the end, for what producers have sent and nobody has read. */
#define HEAR_ALL_NS UINT64_C(500000000)

const char *traced_version(void)
{
    return "Perfetto v58.2-orma-" ORMA_VERSION;
}

/* ---- listening ---- */

static const struct traced_endpoint *endpoint_of(const struct traced_config *config,
                                                 const char *addr)
{
    bool relay = config->enable_relay;

    for (size_t i = 0; i < config->relay_addrs_num && addr; i++)
        relay |= !strcmp(config->relay_addrs[i], addr);
    return relay ? &traced_producer_relay_endpoint : &traced_producer_endpoint;
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
            r = traced_network_listen(&self->network, addr, endpoint_of(config, addr), error);
        free(addr);
    }
    return r;
}

static int adopt_sockets(struct traced_service *self, const struct traced_config *config)
{
    int r = 0;

    for (size_t i = 0; i < config->producer_fds_num && r == 0; i++)
        r = traced_network_adopt(&self->network, config->producer_fds[i],
                                 endpoint_of(config, NULL));
    if (r == 0)
        r = traced_network_adopt(&self->network, config->consumer_fd, &traced_consumer_endpoint);
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
    return traced_network_listen(
        &self->network, config->consumer_addr ? config->consumer_addr : orma_sock_consumer_addr(),
        &traced_consumer_endpoint, error);
}

/* ---- what is done when nothing else is to do ---- */

/* Something was written into a buffer whose next pages do not exist yet. */
static void want_touch(struct traced_service *self)
{
    struct timeval now = {0, 0};

    if (!evtimer_pending(self->touch_event, NULL))
        event_add(self->touch_event, &now);
}

static void on_touch(evutil_socket_t fd, short what, void *arg)
{
    struct traced_service *self = arg;
    bool more = false;

    (void)fd;
    (void)what;
    ORMA_LIST_EACH (struct traced_session, s, &self->sessions.list, link)
        for (size_t i = 0; i < s->buffers_num; i++)
            if (s->buffers[i].buf->stats.chunks_written)
                more |= traced_buffer_touch_ahead(s->buffers[i].buf);
    if (more)
        want_touch(self);
}

/* ---- what producers report ---- */

static void on_committed(struct traced_producer *producer, uint64_t flush_id)
{
    struct traced_sessions *sessions = producer->registry->context;

    want_touch(ORMA_CONTAINER_OF(sessions, struct traced_service, sessions));
    ORMA_LIST_EACH (struct traced_session, s, &sessions->list, link) {
        traced_session_output_note_data(s);
        traced_session_note_rings(s);
        if (s->rescue.due)
            traced_session_rescue_note(s);
    }
    if (flush_id)
        traced_flush_ack(sessions, producer, flush_id);
}

static const struct traced_producer_events producer_events = {
    .committed = on_committed,
    .gone = traced_sessions_producer_gone,
    .data_source_gone = traced_sessions_source_gone,
    .mark_ids = traced_sessions_mark_ids,
};

/* ---- life ---- */

static void on_stop(evutil_socket_t fd, short what, void *arg)
{
    struct traced_service *self = arg;
    uint64_t count;

    (void)what;
    (void)!read(fd, &count, sizeof(count)); /* only its being readable matters */
    event_base_loopbreak(self->loop.base);
}

static int init_events(struct traced_service *self)
{
    self->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (self->stop_fd < 0)
        return -errno;
    self->stop_event =
        event_new(self->loop.base, self->stop_fd, EV_READ | EV_PERSIST, on_stop, self);
    self->touch_event = evtimer_new(self->loop.base, on_touch, self);
    if (!self->stop_event || !self->touch_event || event_add(self->stop_event, NULL) < 0)
        return -ENOMEM;
    return 0;
}

/* All that can be freed whatever follows. */
static int init_rooms(struct traced_service *self)
{
    int r = traced_loop_init(&self->loop);

    self->sessions = (struct traced_sessions){
        .loop = &self->loop,
        .producers = &self->producers,
        .events = &traced_consumer_session_events,
        .version = traced_version(),
        .file_patience_ms = TRACED_FILE_PATIENCE_MS,
        .uid = geteuid(),
    };
    traced_sessions_init(&self->sessions);
    traced_producers_init(&self->producers, &self->loop, &producer_events, &self->sessions);
    if (r == 0)
        r = traced_network_init(&self->network, &self->loop, &self->sessions);
    else
        orma_list_init(&self->network.conns);
    return r;
}

/* Without it all works as well: only a crash costs more. */
static void open_rescue(struct traced_service *self, const char *base)
{
    struct orma_buf why = {0};
    int r = traced_rescue_folder_new(base, &self->rescue, &why);
    bool expected = !base && r != -EPERM; /* a machine without /dev/shm, a read-only one */

    if (r < 0 && r != -ENOENT)
        orma_log(expected ? ORMA_LOG_DEBUG : ORMA_LOG_WARN,
                 "no rescue folder: what is recorded does not outlast this process (%s)",
                 orma_buf_cstr(&why));
    orma_buf_fini(&why);
    self->producers.rescue = self->sessions.rescue = self->rescue;
    if (self->rescue && self->rescue->dead_num)
        orma_log_warn("%u service%s died and left data behind: 'orma recover' makes traces of it",
                      self->rescue->dead_num, self->rescue->dead_num == 1 ? "" : "s");
}

int traced_service_new(const struct traced_config *config, struct traced_service **ret,
                       struct orma_buf *error)
{
    ORMA_AUTO(traced_service_free_p) struct traced_service *self = calloc(1, sizeof(*self));

    if (!self)
        return -ENOMEM;
    self->stop_fd = -1;
    int r = init_rooms(self);
    if (r == 0)
        r = init_events(self);
    if (r == 0)
        r = start_listening(self, config, error);
    if (r == 0)
        open_rescue(self, config->rescue_base);
    if (r < 0) {
        if (error && !error->len)
            orma_buf_printf(error, "cannot start: %s", strerror(-r));
        return r;
    }
    *ret = ORMA_STEAL(self);
    return 0;
}

int traced_service_run(struct traced_service *self)
{
    if (self->rescue)
        traced_rescue_folder_note_pid(self->rescue);
    return event_base_loop(self->loop.base, EVLOOP_NO_EXIT_ON_EMPTY) < 0 ? -EIO : 0;
}

void traced_service_stop(struct traced_service *self)
{
    uint64_t one = 1;

    (void)!write(self->stop_fd, &one, sizeof(one)); /* it can only be set already */
}

/* What lies in the sockets of producers belongs to the sessions that are finished now. */
static void hear_all(struct traced_service *self)
{
    uint64_t end_ns = orma_clock_monotonic() + HEAR_ALL_NS;

    ORMA_LIST_EACH (struct traced_producer, p, &self->producers.list, link)
        traced_conn_hear_now(p->conn, end_ns);
}

void traced_service_free(struct traced_service *self)
{
    if (!self)
        return;
    hear_all(self);
    traced_sessions_finish(&self->sessions, TRACED_FINISH_MS);
    traced_network_fini(&self->network);
    if (self->stop_event)
        event_free(self->stop_event);
    if (self->touch_event)
        event_free(self->touch_event);
    orma_fd_close(&self->stop_fd);
    traced_sessions_fini(&self->sessions);
    traced_producers_fini(&self->producers);
    traced_loop_fini(&self->loop);
    traced_rescue_folder_free(self->rescue);
    free(self);
}
