#include "tools/record/watched.h"

#include <errno.h>
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
    return -1;
#endif
}

void orma_record_watched_open(struct orma_record_watched *self, const int32_t *pids, size_t num)
{
    *self = (struct orma_record_watched){.fd = epoll_create1(EPOLL_CLOEXEC)};
    for (size_t i = 0; self->fd >= 0 && i < num; i++) {
        int fd = open_process(pids[i]);
        struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};

        if (fd < 0 && errno == ESRCH) /* it has ended */
            continue;
        if (fd < 0 || epoll_ctl(self->fd, EPOLL_CTL_ADD, fd, &event) < 0) {
            orma_fd_close(&fd);
            orma_record_watched_close(self); /* then nobody can say which is the last */
            return;
        }
        self->left++;
    }
    if (!self->left)
        orma_record_watched_close(self);
}

void orma_record_watched_close(struct orma_record_watched *self)
{
    orma_fd_close(&self->fd); /* what it holds ends with this program */
    self->fd = -1;
    self->left = 0;
}

bool orma_record_watched_ended(struct orma_record_watched *self)
{
    struct epoll_event event;

    while (self->left && epoll_wait(self->fd, &event, 1, 0) == 1) {
        int fd = event.data.fd;

        orma_fd_close(&fd); /* and so it is not told again */
        self->left--;
    }
    return !self->left;
}
