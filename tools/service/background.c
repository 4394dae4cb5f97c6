#include "tools/service/background.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <unistd.h>

#include "sdk/base/fd.h"

static int to_null(int first, int last)
{
    ORMA_AUTO(orma_fd_close) int null = open("/dev/null", O_RDWR | O_CLOEXEC);

    if (null < 0)
        return -errno;
    for (int fd = first; fd <= last; fd++) {
        if (dup2(null, fd) < 0)
            return -errno;
    }
    return 0;
}

int orma_service_background_fork(struct orma_service_background *ret)
{
    int fds[2];

    if (pipe2(fds, O_CLOEXEC) < 0)
        return -errno;
    fflush(NULL); /* or the other process would print it again */
    pid_t pid = fork();
    if (pid < 0) {
        int err = errno;

        (void)close(fds[0]);
        (void)close(fds[1]);
        return -err;
    }
    (void)close(fds[pid == 0 ? 0 : 1]);
    *ret = (struct orma_service_background){.pid = pid, .fd = fds[pid == 0 ? 1 : 0]};
    if (pid == 0)
        return setsid() < 0 ? -errno : to_null(STDIN_FILENO, STDOUT_FILENO);
    return 0;
}

int orma_service_background_wait(struct orma_service_background *self, int timeout_ms)
{
    struct pollfd pfd = {.fd = self->fd, .events = POLLIN};
    char status;
    int code;

    if (poll(&pfd, 1, timeout_ms) <= 0)
        code = ORMA_BACKGROUND_TIMEOUT;
    else
        code = read(self->fd, &status, 1) == 1 ? status : ORMA_BACKGROUND_ERROR;
    orma_fd_close(&self->fd);
    return code;
}

void orma_service_background_report(int *fd, char status)
{
    /* Nobody may be there to read it any more: that is their business. */
    if (*fd >= 0 && write(*fd, &status, 1) < 0)
        errno = 0;
    orma_fd_close(fd);
}

void orma_service_background_silence(void)
{
    (void)to_null(STDERR_FILENO, STDERR_FILENO); /* worst case: it goes on speaking */
}
