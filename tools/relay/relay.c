#include "tools/relay/relay.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sdk/base/fd.h"
#include "sdk/base/list.h"
#include "sdk/base/log.h"
#include "sdk/base/thread.h"
#include "sdk/ipc/frame.h"
#include "sdk/ipc/sock.h"
#include "tools/relay/clocks.h"
#include "tools/relay/copy.h"

#define CONNECTIONS_MAX 4096
#define CONNECTIONS_OF_USER_MAX 1024 /* root and our own user have all */
#define STACK_BYTES ((size_t)256 << 10)
#define RETRY_FIRST_MS 250
#define RETRY_LAST_MS 30000
#define PROGRAM_RETRY_MS 1000
#define SEND_MS 10000
#define BACKLOG_REST_MS 100 /* no descriptor, no thread: others end meanwhile */

struct orma_relay {
    struct orma_relay_config config;
    struct orma_buf hint; /* of this boot of this machine */
    char *socket;
    int listen_fd, stop_fd, end_fd;
    pthread_t listener, clocks;
    bool listens, tells;
    bool told_off; /* that the service is not there: once, until it is there again */
    pthread_mutex_t lock;
    pthread_cond_t idle;
    unsigned connections;
    struct orma_list programs; /* program.link */
};

struct program {
    struct orma_list link;
    struct orma_relay *relay;
    int fd;
    struct ucred who; /* pid 0, uid -1: not known */
};

/* ---- who is who ---- */

static void put_part(struct orma_buf *to, const char *path)
{
    struct stat st;

    if (stat(path, &st) == 0)
        orma_buf_printf(to, "/%" PRIu64, (uint64_t)st.st_ino);
}

/*
 * Processes are counted by their number and times by the clock: other namespaces of either are
 * another machine. The initial ones have the same numbers everywhere.
 */
static void find_hint(struct orma_relay *self)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf boot = {0};

    if (orma_fd_read_file(AT_FDCWD, "/proc/sys/kernel/random/boot_id", 64, &boot) == 0)
        orma_buf_put(&self->hint, boot.data, strcspn(orma_buf_cstr(&boot), "\n"));
    put_part(&self->hint, "/proc/self/ns/time");
    put_part(&self->hint, "/proc/self/ns/pid");
    if (self->config.own_machine)
        orma_buf_printf(&self->hint, "/%s", self->config.name);
}

/* Connects to the service, and says for whom. */
static int connect_for(struct orma_relay *self, int32_t pid, int32_t uid, bool leads)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf frame = {0};
    const struct orma_ipc_frame who = {.kind = ORMA_IPC_PEER_IDENTITY,
                                       .peer_pid = pid,
                                       .peer_uid = uid,
                                       .machine_id_hint = orma_buf_str(&self->hint),
                                       .machine_name = orma_str_from(self->config.name)};
    int fd = self->config.connect(self->config.ctx, leads, self->stop_fd);

    if (fd < 0)
        return fd;
    int r = orma_ipc_frame_encode(&frame, &who, NULL, 0);
    if (r == 0)
        r = orma_sock_send(fd, frame.data, frame.len, -1, SEND_MS);
    if (r < 0) {
        orma_fd_close(&fd);
        return r;
    }
    return fd;
}

/* ---- programs ---- */

static bool enter(struct program *program)
{
    struct orma_relay *self = program->relay;
    const uid_t uid = program->who.uid;
    unsigned of_user = 0;

    pthread_mutex_lock(&self->lock);
    ORMA_LIST_EACH (struct program, other, &self->programs, link)
        of_user += other->who.uid == uid;
    bool room = self->connections < CONNECTIONS_MAX &&
                (of_user < CONNECTIONS_OF_USER_MAX || uid == 0 || uid == geteuid());
    if (room) {
        orma_list_insert(&self->programs, &program->link);
        self->connections++;
    }
    pthread_mutex_unlock(&self->lock);
    return room;
}

/* Frees it. */
static void leave(struct program *program)
{
    struct orma_relay *self = program->relay;

    pthread_mutex_lock(&self->lock);
    orma_list_remove(&program->link);
    self->connections--;
    pthread_cond_signal(&self->idle);
    pthread_mutex_unlock(&self->lock);
    free(program);
}

/* -1: the program has ended, or the relay does. */
static int wait_for_service(struct orma_relay *self, int fd, const struct ucred *cred)
{
    struct pollfd fds[] = {{.fd = fd, .events = POLLRDHUP},
                           {.fd = self->stop_fd, .events = POLLIN}};
    int up, n = 0;

    do {
        up = connect_for(self, cred->pid, (int32_t)cred->uid, false);
        if (up < 0)
            n = poll(fds, 2, up == -EAGAIN ? 0 : PROGRAM_RETRY_MS);
    } while (up < 0 && n <= 0);
    return up < 0 ? -1 : up;
}

static void *serve(void *arg)
{
    struct program *program = arg;
    struct orma_relay *self = program->relay;
    int up = wait_for_service(self, program->fd, &program->who);

    if (up >= 0)
        orma_relay_copy(program->fd, up, self->stop_fd);
    orma_fd_close(&up);
    orma_fd_close(&program->fd);
    leave(program);
    return NULL;
}

/* Takes `fd`. -errno: it was closed, and there is no room for more now. */
static int start(struct orma_relay *self, int fd)
{
    struct program *program = calloc(1, sizeof(*program));
    pthread_attr_t attr;
    pthread_t thread;
    int r = program ? 0 : -ENOMEM;

    if (program) {
        *program = (struct program){.relay = self, .fd = fd, .who = {.uid = (uid_t)-1}};
        (void)getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &program->who,
                         &(socklen_t){sizeof(program->who)}); /* fails: nobody */
        r = enter(program) ? 0 : -EUSERS;
    }
    if (r < 0) {
        free(program);
        orma_fd_close(&fd);
        return r;
    }
    r = -pthread_attr_init(&attr);
    if (r == 0) {
        (void)pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED); /* a valid value */
        (void)pthread_attr_setstacksize(&attr, STACK_BYTES);               /* or the usual one */
        r = orma_thread_start(&thread, &attr, serve, program);
        (void)pthread_attr_destroy(&attr); /* cannot fail */
    }
    if (r < 0) {
        leave(program);
        orma_fd_close(&fd);
    }
    return r;
}

static void *listen_for_programs(void *arg)
{
    struct orma_relay *self = arg;
    struct pollfd fds[] = {{.fd = self->listen_fd, .events = POLLIN},
                           {.fd = self->stop_fd, .events = POLLIN}};

    for (;;) {
        if (poll(fds, 2, -1) < 0)
            continue;
        if (fds[1].revents)
            return NULL;
        int fd = accept4(self->listen_fd, NULL, NULL, SOCK_CLOEXEC);
        int r = fd < 0 ? -errno : start(self, fd);
        if (r == -EMFILE || r == -ENFILE || r == -ENOMEM || r == -EAGAIN)
            (void)poll(&fds[1], 1, BACKLOG_REST_MS);
    }
}

/* ---- clocks ---- */

static void say_ready(void *arg)
{
    struct orma_relay *self = arg;

    self->told_off = false;
    if (self->config.ready)
        self->config.ready(self->config.ctx);
    orma_log_info("this machine is '%s' for the service at %s", self->config.name, self->config.to);
}

static void say_lost(struct orma_relay *self, int err)
{
    if (!self->told_off && err != -EAGAIN)
        orma_log_warn("%s: %s; trying again", self->config.to, orma_sock_why(-err));
    self->told_off = true;
}

static void *tell(void *arg)
{
    struct orma_relay *self = arg;
    struct pollfd stop = {.fd = self->stop_fd, .events = POLLIN};
    int wait = RETRY_FIRST_MS, r = 0;

    while (r != -ENOPROTOOPT) {
        int fd = connect_for(self, getpid(), (int32_t)geteuid(), true);

        r = fd < 0 ? fd : orma_relay_tell_clocks(fd, self->stop_fd, say_ready, self);
        if (r == 0 || poll(&stop, 1, 0) > 0)
            return NULL;
        if (r == -ENOPROTOOPT)
            break;
        bool was_there = fd >= 0 && !self->told_off;
        say_lost(self, r);
        if (was_there)
            wait = RETRY_FIRST_MS; /* and at once, first */
        else if (poll(&stop, 1, wait) > 0)
            return NULL;
        else
            wait = ORMA_MIN(wait * 2, RETRY_LAST_MS);
    }
    orma_log_error("the service at %s takes no relays: start it with --enable-relay-endpoint",
                   self->config.to);
    (void)!write(self->end_fd, &(uint64_t){1}, sizeof(uint64_t)); /* there is room */
    return NULL;
}

/* ---- life ---- */

static int set_up(struct orma_relay *self, struct orma_buf *error)
{
    int r = 0;

    find_hint(self);
    self->listen_fd = orma_sock_listen(self->socket);
    if (self->listen_fd == -EADDRINUSE) {
        orma_buf_printf(error,
                        "a service listens on %s already, and has the programs of this machine: "
                        "end it, or choose another socket",
                        self->socket);
        return self->listen_fd;
    }
    if (self->listen_fd < 0) {
        orma_buf_printf(error, "cannot listen on %s: %s", self->socket, strerror(-self->listen_fd));
        return self->listen_fd;
    }
    self->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    self->end_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (self->stop_fd < 0 || self->end_fd < 0)
        r = -errno;
    if (r == 0)
        r = orma_thread_start(&self->listener, NULL, listen_for_programs, self);
    self->listens = r == 0 && self->stop_fd >= 0;
    if (r == 0)
        r = orma_thread_start(&self->clocks, NULL, tell, self);
    self->tells = r == 0;
    if (r < 0)
        orma_buf_printf(error, "cannot start: %s", strerror(-r));
    return r;
}

int orma_relay_new(const struct orma_relay_config *config, struct orma_relay **ret,
                   struct orma_buf *error)
{
    ORMA_AUTO(orma_relay_free_p) struct orma_relay *self = calloc(1, sizeof(*self));

    if (!self)
        return -ENOMEM;
    self->config = *config;
    self->listen_fd = self->stop_fd = self->end_fd = -1;
    orma_list_init(&self->programs);
    pthread_mutex_init(&self->lock, NULL); /* neither can fail on Linux */
    pthread_cond_init(&self->idle, NULL);
    self->socket = strdup(config->socket ? config->socket : orma_sock_producer_addr());
    if (!self->socket)
        return -ENOMEM;
    int r = set_up(self, error);
    if (r == 0)
        *ret = ORMA_STEAL(self);
    return r;
}

const char *orma_relay_socket(const struct orma_relay *self)
{
    return self->socket;
}

int orma_relay_end_fd(const struct orma_relay *self)
{
    return self->end_fd;
}

void orma_relay_free(struct orma_relay *self)
{
    if (!self)
        return;
    if (self->stop_fd >= 0)
        (void)!write(self->stop_fd, &(uint64_t){1}, sizeof(uint64_t)); /* there is room */
    if (self->listens)
        pthread_join(self->listener, NULL);
    if (self->tells)
        pthread_join(self->clocks, NULL);
    pthread_mutex_lock(&self->lock);
    while (self->connections)
        pthread_cond_wait(&self->idle, &self->lock);
    pthread_mutex_unlock(&self->lock);
    if (self->listen_fd >= 0 && self->socket[0] == '/')
        (void)unlink(self->socket); /* somebody may have removed it already */
    orma_fd_close(&self->listen_fd);
    orma_fd_close(&self->stop_fd);
    orma_fd_close(&self->end_fd);
    orma_buf_fini(&self->hint);
    pthread_cond_destroy(&self->idle);
    pthread_mutex_destroy(&self->lock);
    free(self->socket);
    free(self);
}
