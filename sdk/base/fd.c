#include "sdk/base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "sdk/base/standard.h"

#define READ_STEP 16384

void orma_fd_close(int *fd)
{
    int saved = errno;

    if (*fd >= 0)
        (void)close(*fd); /* nothing to do about it */
    *fd = -1;
    errno = saved;
}

int orma_fd_settle(int fd)
{
    struct stat st;

    if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
        return 0;
    int copy = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    if (copy < 0) /* the long way */
        return fdatasync(fd) < 0 && errno != EINVAL && errno != EROFS ? -errno : 0;
    return close(copy) < 0 && errno != EINTR ? -errno : 0; /* that of every copy asks */
}

struct orma_fd_id orma_fd_identify(int fd)
{
    int saved = errno;
    struct stat st;

    if (fd < 0 || fstat(fd, &st) < 0)
        st.st_dev = st.st_ino = 0;
    errno = saved;
    return (struct orma_fd_id){st.st_dev, st.st_ino};
}

bool orma_fd_is(int fd, struct orma_fd_id id)
{
    struct orma_fd_id now = orma_fd_identify(fd);

    return now.ino && now.ino == id.ino && now.dev == id.dev;
}

int orma_fd_set_nonblock(int fd)
{
    int flags = fcntl(fd, F_GETFL);

    return flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0 ? -errno : 0;
}

int orma_fd_write_all(int fd, const void *data, size_t len)
{
    const char *p = data;

    while (len) {
        ssize_t n = write(fd, p, len);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -errno;
        p += n;
        len -= (size_t)n;
    }
    return 0;
}

/* Signals of a write() go to the thread that wrote: what came of ours is taken back. */
int orma_fd_write_unsignalled(int fd, const void *data, size_t len)
{
    const struct timespec now = {0};
    sigset_t ours, before, waiting;

    sigemptyset(&ours);
    sigaddset(&ours, SIGPIPE);
    sigaddset(&ours, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &ours, &before);
    sigpending(&waiting);
    int r = orma_fd_write_all(fd, data, len);
    const int came = r == -EPIPE ? SIGPIPE : r == -EFBIG ? SIGXFSZ : 0;
    if (came && !sigismember(&waiting, came)) {
        sigemptyset(&ours);
        sigaddset(&ours, came);
        (void)sigtimedwait(&ours, NULL, &now);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return r;
}

/* 0: it takes something. -ECANCELED; -EINTR: look again. */
static int wait_for_room(int fd, struct orma_fd_wait *wait)
{
    bool watch = !wait->hurry || wait->asked;
    struct pollfd fds[] = {
        {.fd = fd, .events = POLLOUT},
        {.fd = watch ? wait->stop_fd : -1, .events = POLLIN},
    };
    int n = poll(fds, 2, wait->hurry ? wait->patience_ms : -1);

    if (n <= 0)
        return n < 0 ? -errno : -ECANCELED;
    if (!fds[1].revents)
        return 0;
    if (wait->asked && !wait->asked(wait->ctx))
        return -EINTR;
    if (wait->hurry)
        return -ECANCELED;
    wait->hurry = true;
    return -EINTR;
}

int orma_fd_write_until(int fd, const void *data, size_t len, struct orma_fd_wait *wait)
{
    const uint8_t *p = data;
    struct stat st;

    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
        return orma_fd_write_all(fd, data, len);
    while (len) {
        int r = wait_for_room(fd, wait);
        ssize_t n = r == 0 ? write(fd, p, ORMA_MIN(len, (size_t)PIPE_BUF)) : r;

        if (r == 0 && n < 0)
            n = -errno;
        if (n == -EINTR || n == -EAGAIN)
            continue;
        if (n < 0)
            return (int)n;
        p += n;
        len -= (size_t)n;
    }
    return 0;
}

int orma_fd_read_all(int fd, size_t max_bytes, struct orma_buf *ret)
{
    size_t start = ret->len;

    for (;;) {
        if (!orma_buf_reserve(ret, READ_STEP))
            return -ENOMEM;
        ssize_t n = read(fd, ret->data + ret->len, ret->cap - ret->len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? -errno : 0;
        ret->len += (size_t)n;
        if (ret->len - start > max_bytes)
            return -EFBIG;
    }
}

int orma_fd_read_at(int fd, void *to, size_t len, uint64_t at)
{
    for (size_t done = 0; done < len;) {
        ssize_t n = pread(fd, (uint8_t *)to + done, len - done, (off_t)(at + done));

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? -errno : -ENODATA;
        done += (size_t)n;
    }
    return 0;
}

int orma_fd_read_file(int dir_fd, const char *path, size_t max_bytes, struct orma_buf *ret)
{
    ORMA_AUTO(orma_fd_close) int fd = openat(dir_fd, path, O_RDONLY | O_CLOEXEC);

    return fd < 0 ? -errno : orma_fd_read_all(fd, max_bytes, ret);
}

int orma_fd_open_regular(int dir_fd, const char *path, int flags)
{
    ORMA_AUTO(orma_fd_close) int at = openat(dir_fd, path, O_PATH | O_CLOEXEC | flags);
    char name[40];
    struct stat st;

    if (at < 0 || fstat(at, &st) < 0)
        return -errno;
    if (!S_ISREG(st.st_mode))
        return -EINVAL;
    snprintf(name, sizeof(name), "/proc/self/fd/%d", at);
    int fd = open(name, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    return fd < 0 ? -errno : fd;
}

int orma_fd_write_file(int dir_fd, const char *path, const char *text)
{
    ORMA_AUTO(orma_fd_close) int fd = openat(dir_fd, path, O_WRONLY | O_CLOEXEC);
    size_t len = strlen(text);

    if (fd < 0)
        return -errno;
    ssize_t n = write(fd, text, len); /* in one call: control files take a command at a time */
    if (n < 0)
        return -errno;
    return (size_t)n == len ? 0 : -EIO;
}

int orma_fd_shared_memory(const char *name, size_t size)
{
    ORMA_AUTO(orma_fd_close)
    int fd = orma_standard_avoid(memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING));

    if (fd < 0)
        return fd;
    if (ftruncate(fd, (off_t)size) < 0 ||
        fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) < 0)
        return -errno;
    int ret = fd;
    fd = -1;
    return ret;
}
