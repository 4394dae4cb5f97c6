#include "tools/record/watched.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sdk/base/fd.h"

static int open_process(int32_t pid)
{
#ifdef SYS_pidfd_open
    return (int)syscall(SYS_pidfd_open, pid, 0);
#else
    (void)pid;
    errno = ENOSYS;
    return -1;
#endif
}

static bool open_all(struct orma_record_watched *self, const int32_t *pids)
{
    for (size_t i = 0; i < self->num; i++) {
        struct epoll_event event = {.events = EPOLLIN, .data.u64 = i};
        int fd = open_process(pids[i]);

        self->fds[i] = fd;
        if (fd < 0 && errno == ESRCH) /* it has ended */
            continue;
        if (fd < 0 || epoll_ctl(self->fd, EPOLL_CTL_ADD, fd, &event) < 0)
            return false; /* then nobody can say which is the last */
        self->left++;
    }
    return true;
}

void orma_record_watched_open(struct orma_record_watched *self, const int32_t *pids, size_t num)
{
    *self = (struct orma_record_watched){.fd = -1};
    if (!num || !(self->fds = malloc(num * sizeof(*self->fds))))
        return;
    for (size_t i = 0; i < num; i++)
        self->fds[i] = -1;
    self->num = num;
    self->fd = epoll_create1(EPOLL_CLOEXEC);
    if (self->fd < 0 || !open_all(self, pids))
        orma_record_watched_close(self);
}

void orma_record_watched_close(struct orma_record_watched *self)
{
    for (size_t i = 0; i < self->num; i++)
        orma_fd_close(&self->fds[i]);
    free(self->fds);
    orma_fd_close(&self->fd);
    *self = (struct orma_record_watched){.fd = -1};
}

bool orma_record_watched_ended(struct orma_record_watched *self)
{
    struct epoll_event event;

    while (self->left && epoll_wait(self->fd, &event, 1, 0) == 1) {
        orma_fd_close(&self->fds[event.data.u64]); /* and so it is not told again */
        self->left--;
    }
    return !self->left;
}
