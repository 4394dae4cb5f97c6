/*
 * A lane for each user with something to close. Its thread takes one descriptor after the other,
 * and removes the lane when nothing is left. Whoever leaves last, the owner or a thread, frees.
 */
#include "traced/network/closer.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/prctl.h>

#include "sdk/base/defs.h"
#include "sdk/base/fd.h"
#include "sdk/base/list.h"
#include "sdk/base/thread.h"
#include "sdk/base/vec.h"

struct lane {
    struct orma_list link; /* traced_closer.lanes */
    struct traced_closer *closer;
    uint64_t user;
    int *fds; /* in any order */
    size_t num, cap;
    bool is_closing; /* one more, which is in it no longer */
    bool has_thread; /* false: none could be started, the next descriptor tries again */
};

struct traced_closer {
    pthread_mutex_t lock;
    struct orma_list lanes; /* lane.link */
    size_t waiting;         /* descriptors of all */
    size_t refs;            /* owner, and threads */
};

/* The lock is held, and let go. */
static void unref(struct traced_closer *self)
{
    bool last = --self->refs == 0;

    pthread_mutex_unlock(&self->lock);
    if (!last)
        return;
    pthread_mutex_destroy(&self->lock);
    free(self);
}

static void lane_free(struct lane *lane)
{
    orma_list_remove(&lane->link);
    free(lane->fds);
    free(lane);
}

static void *close_all(void *arg)
{
    struct lane *lane = arg;
    struct traced_closer *self = lane->closer;

    (void)prctl(PR_SET_NAME, "orma-close"); /* for those who look at threads */
    pthread_mutex_lock(&self->lock);
    while (lane->num) {
        int fd = lane->fds[--lane->num];

        lane->is_closing = true;
        pthread_mutex_unlock(&self->lock);
        orma_fd_close(&fd); /* may wait for ever */
        pthread_mutex_lock(&self->lock);
        lane->is_closing = false;
        self->waiting--;
    }
    lane_free(lane);
    unref(self);
    return NULL;
}

static struct lane *find(struct traced_closer *self, uint64_t user)
{
    ORMA_LIST_EACH (struct lane, lane, &self->lanes, link)
        if (lane->user == user)
            return lane;
    return NULL;
}

/* With the lock held. NULL: no memory. */
static struct lane *find_or_add(struct traced_closer *self, uint64_t user)
{
    struct lane *lane = find(self, user);

    if (lane)
        return lane;
    lane = calloc(1, sizeof(*lane));
    if (!lane)
        return NULL;
    *lane = (struct lane){.closer = self, .user = user};
    orma_list_insert(&self->lanes, &lane->link);
    return lane;
}

struct traced_closer *traced_closer_new(void)
{
    struct traced_closer *self = calloc(1, sizeof(*self));

    if (!self)
        return NULL;
    pthread_mutex_init(&self->lock, NULL);
    orma_list_init(&self->lanes);
    self->refs = 1;
    return self;
}

void traced_closer_free(struct traced_closer *self)
{
    if (!self)
        return;
    pthread_mutex_lock(&self->lock);
    ORMA_LIST_EACH (struct lane, lane, &self->lanes, link) {
        if (lane->has_thread)
            continue;
        for (size_t i = 0; i < lane->num; i++)
            orma_fd_close(&lane->fds[i]);
        lane_free(lane);
    }
    unref(self);
}

void traced_closer_put(struct traced_closer *self, uint64_t user, int fd)
{
    if (fd < 0)
        return;
    if (fcntl(fd, F_GET_SEALS) >= 0) { /* of memory: nobody stands behind it */
        orma_fd_close(&fd);
        return;
    }
    pthread_mutex_lock(&self->lock);
    struct lane *lane = find_or_add(self, user);
    if (lane && ORMA_GROW(&lane->fds, &lane->cap, lane->num + 1) == 0) {
        lane->fds[lane->num++] = fd;
        self->waiting++;
        fd = -1;
        if (!lane->has_thread) {
            self->refs++;
            lane->has_thread = orma_thread_start_detached(close_all, lane) == 0;
            self->refs -= lane->has_thread ? 0 : 1;
        }
    }
    pthread_mutex_unlock(&self->lock);
    orma_fd_close(&fd); /* no memory */
}

size_t traced_closer_waiting(struct traced_closer *self, uint64_t user, size_t *ret_all)
{
    pthread_mutex_lock(&self->lock);
    const struct lane *lane = find(self, user);
    size_t num = lane ? lane->num + (lane->is_closing ? 1 : 0) : 0;
    *ret_all = self->waiting;
    pthread_mutex_unlock(&self->lock);
    return num;
}
