/*
 * A service and probes in two threads of this process. Private ones listen on sockets in a
 * new folder, which is marked as in use (leftovers.h) until free() removes it.
 */
#include "tools/service/host.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "probes/probes.h"
#include "sdk/base/buf.h"
#include "sdk/base/fd.h"
#include "sdk/base/log.h"
#include "sdk/base/run_dir.h"
#include "sdk/ipc/sock.h"
#include "tools/service/leftovers.h"
#include "traced/service.h"

#define PATH_SIZE 64

struct orma_service_host {
    char dir[PATH_SIZE];
    int lock_fd; /* as long as it is open, the folder is in use; -1: there is none */
    char producer[PATH_SIZE + 16], consumer[PATH_SIZE + 16], relay[PATH_SIZE + 16];
    char producers[2 * PATH_SIZE + 64]; /* both */
    bool has_dir;
    struct traced_service *service;
    struct orma_probes *probes;
    pthread_t service_thread, probes_thread;
    bool service_runs, probes_run;
};

static void *run_service(void *arg)
{
    struct orma_service_host *self = arg;
    int r = traced_service_run(self->service);

    if (r < 0)
        orma_log_error("the service ended with error %d", -r);
    return NULL;
}

static void *run_probes(void *arg)
{
    struct orma_service_host *self = arg;
    int r = orma_probes_run(self->probes);

    if (r < 0)
        orma_log_error("the probes ended with error %d", -r);
    return NULL;
}

/* *ret_what names the folder in which there is no room for it. */
static int make_dir(struct orma_service_host *self, const char **ret_what)
{
    static _Thread_local char no_folder[PATH_SIZE + 64];
    const char *base = orma_path_run_dir();

    (void)orma_service_leftovers_remove(); /* how many does not matter here */
    /* Socket paths are short by nature: the usual place, unless it is too long or not ours. */
    if (!base || access(base, W_OK | X_OK) < 0 ||
        snprintf(NULL, 0, "%s/" ORMA_SERVICE_LEFTOVERS_PATTERN, base) >= PATH_SIZE)
        base = "/tmp";
    snprintf(no_folder, sizeof(no_folder), "cannot make a folder for the sockets in %s", base);
    *ret_what = no_folder;
    snprintf(self->dir, sizeof(self->dir), "%s/" ORMA_SERVICE_LEFTOVERS_PATTERN, base);
    if (!mkdtemp(self->dir)) /* mode 0700: nobody else may enter */
        return -errno;
    self->has_dir = true;
    self->lock_fd = orma_service_leftovers_mark(self->dir);
    if (self->lock_fd < 0)
        orma_log_debug("%s: cannot mark the folder as in use",
                       self->dir); /* then it stays if we are killed */
    snprintf(self->producer, sizeof(self->producer), "%s/producer.sock", self->dir);
    snprintf(self->consumer, sizeof(self->consumer), "%s/consumer.sock", self->dir);
    snprintf(self->relay, sizeof(self->relay), "%s/relay.sock", self->dir);
    snprintf(self->producers, sizeof(self->producers), "%s,%s", self->producer, self->relay);
    return 0;
}

static int start_service(struct orma_service_host *self)
{
    /* Without a directory of our own: the system's sockets. */
    const char *relay = self->relay;
    struct traced_config config = {.producer_addrs = self->has_dir ? self->producers : NULL,
                                   .consumer_addr = self->has_dir ? self->consumer : NULL,
                                   .relay_addrs = &relay,
                                   .relay_addrs_num = self->has_dir ? 1 : 0};
    struct orma_buf error = {0};
    int r = traced_service_new(&config, &self->service, &error);

    if (r < 0 && error.len)
        orma_log_error("%s", orma_buf_cstr(&error));
    orma_buf_fini(&error);
    if (r < 0)
        return r;
    r = -pthread_create(&self->service_thread, NULL, run_service, self);
    self->service_runs = r == 0;
    if (r == 0)
        (void)pthread_setname_np(self->service_thread, "orma-service"); /* else it has our name */
    return r;
}

static int start_probes(struct orma_service_host *self)
{
    struct orma_probes_config config = {.producer_addr = orma_service_host_producer_addr(self)};
    int r = orma_probes_new(&config, &self->probes);

    if (r < 0)
        return r;
    r = -pthread_create(&self->probes_thread, NULL, run_probes, self);
    self->probes_run = r == 0;
    if (r == 0)
        (void)pthread_setname_np(self->probes_thread, "orma-probes"); /* else it has our name */
    return r;
}

static int start(bool private_sockets, bool probes, struct orma_service_host **ret,
                 const char **ret_what)
{
    ORMA_AUTO(orma_service_host_free_p) struct orma_service_host *self = calloc(1, sizeof(*self));
    int r;

    *ret_what = "out of memory";
    if (!self)
        return -ENOMEM;
    self->lock_fd = -1;
    if (private_sockets && (r = make_dir(self, ret_what)) < 0)
        return r;
    *ret_what = "cannot start a service";
    if ((r = start_service(self)) < 0)
        return r;
    *ret_what = "cannot start the probes";
    if (probes && (r = start_probes(self)) < 0)
        return r;
    *ret = ORMA_STEAL(self);
    return 0;
}

int orma_service_host_new(bool probes, struct orma_service_host **ret, const char **ret_what)
{
    return start(true, probes, ret, ret_what);
}

int orma_service_host_new_on_system_sockets(bool probes, struct orma_service_host **ret,
                                            const char **ret_what)
{
    return start(false, probes, ret, ret_what);
}

void orma_service_host_free(struct orma_service_host *self)
{
    if (!self)
        return;
    /* The probes first: what they restore may still be told to the service. */
    if (self->probes_run) {
        orma_probes_stop(self->probes);
        pthread_join(self->probes_thread, NULL);
    }
    orma_probes_free(self->probes);
    if (self->service_runs) {
        traced_service_stop(self->service);
        pthread_join(self->service_thread, NULL);
    }
    traced_service_free(self->service);
    if (self->has_dir) {
        (void)unlink(self->producer); /* the service may have removed them already */
        (void)unlink(self->consumer);
        (void)unlink(self->relay);
        orma_service_leftovers_unmark(self->dir);
        (void)rmdir(self->dir);
        orma_fd_close(&self->lock_fd);
    }
    free(self);
}

bool orma_service_host_refused(const struct orma_service_host *self)
{
    return self->probes && orma_probes_refused(self->probes);
}

const char *orma_service_host_producer_addr(const struct orma_service_host *self)
{
    return self->has_dir ? self->producer : orma_sock_producer_addr();
}

const char *orma_service_host_relay_addr(const struct orma_service_host *self)
{
    return self->has_dir ? self->relay : NULL;
}

const char *orma_service_host_consumer_addr(const struct orma_service_host *self)
{
    return self->has_dir ? self->consumer : orma_sock_consumer_addr();
}
