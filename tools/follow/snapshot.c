#include "tools/follow/snapshot.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "sdk/base/clock.h"
#include "sdk/base/fd.h"
#include "sdk/transport/consumer.h"
#include "tools/service/clone.h"

#define CONNECT_MS 5000

static int clone_into(struct orma_follow_snapshot *self, int fd)
{
    ORMA_AUTO(orma_consumer_free_p) struct orma_consumer *consumer = NULL;
    ORMA_AUTO(orma_buf_fini) struct orma_buf request = {0}, error = {0};
    int r = orma_consumer_new(self->addr, CONNECT_MS, &consumer);

    if (r < 0) {
        if (!self->quiet)
            fprintf(stderr, "%s: %s: no session: no service answers: %s\n", self->program,
                    self->session, strerror(-r));
        return -ENOENT;
    }
    if (self->keep)
        orma_consumer_keep(consumer, self->keep);
    orma_service_clone_request_put(&request, self->session);
    self->taken_ns = orma_clock_boottime(); /* it is flushed after this */
    r = orma_service_clone(consumer, &request, fd, &self->bytes, &error);
    if (r < 0 && !self->quiet)
        fprintf(stderr, "%s: %s: %s ('orma status' lists the sessions)\n", self->program,
                self->session, orma_buf_cstr(&error));
    return r;
}

int orma_follow_snapshot(struct orma_follow_snapshot *self, struct orma_processor **ret)
{
    ORMA_AUTO(orma_fd_close) int fd = memfd_create("orma-snapshot", MFD_CLOEXEC);
    struct orma_processor *tp = NULL;
    char path[40];
    int r = fd < 0 ? -errno : clone_into(self, fd);

    if (r == 0)
        r = orma_processor_new(&self->config, &tp);
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    if (tp)
        r = orma_processor_load_file(tp, path, self->progress,
                                     self->ctx); /* mapped: it needs no descriptor */
    if (tp && r < 0) {
        if (r != -ECANCELED)
            fprintf(stderr, "%s: %s: %s\n", self->program, self->session, orma_processor_error(tp));
        orma_processor_free(tp);
        tp = NULL;
    }
    if (r == 0)
        *ret = tp;
    return r;
}
