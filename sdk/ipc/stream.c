#include "sdk/ipc/stream.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "sdk/base/endian.h"
#include "sdk/base/fd.h"
#include "sdk/base/standard.h"
#include "sdk/ipc/frame.h"

/* In one message of a socket: so none is left for the kernel to close inside of recvmsg(). */
#define FDS_MAX 253

void orma_ipc_stream_init(struct orma_ipc_stream *self)
{
    *self = (struct orma_ipc_stream){.fd = -1};
}

static void discard_fd(struct orma_ipc_stream *self)
{
    if (!self->discard)
        orma_fd_close(&self->fd);
    else if (self->fd >= 0)
        self->discard(self->ctx, self->fd);
    self->fd = -1;
}

void orma_ipc_stream_fini(struct orma_ipc_stream *self)
{
    free(self->buf);
    discard_fd(self);
    orma_ipc_stream_init(self);
}

/* Takes every descriptor out of the message; keeps the only one, closes all if there are more. */
static int take_fds(struct orma_ipc_stream *self, struct msghdr *msg)
{
    int err = msg->msg_flags & (MSG_CTRUNC | MSG_TRUNC) ? -EBADMSG : 0;

    for (struct cmsghdr *c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c)) {
        if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
            continue;
        size_t num = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        if (num > 1)
            err = -EBADMSG;
        for (size_t i = 0; i < num; i++) {
            int fd;

            memcpy(&fd, CMSG_DATA(c) + i * sizeof(int), sizeof(fd));
            discard_fd(self); /* one slot: the last received stays */
            fd = orma_standard_avoid(fd);
            err = fd < 0 ? fd : err;
            self->fd = ORMA_MAX(fd, -1);
        }
    }
    if (err)
        discard_fd(self);
    return err;
}

int orma_ipc_stream_recv(struct orma_ipc_stream *self, int sock)
{
    _Alignas(struct cmsghdr) char control[CMSG_SPACE(FDS_MAX * sizeof(int))];

    if (!self->buf && !(self->buf = malloc(ORMA_IPC_FRAME_MAX)))
        return -ENOMEM;
    if (self->begin) {
        memmove(self->buf, self->buf + self->begin, self->end - self->begin);
        self->end -= self->begin;
        self->begin = 0;
    }
    if (self->end == ORMA_IPC_FRAME_MAX)
        return -ENOBUFS;

    struct iovec iov = {self->buf + self->end, ORMA_IPC_FRAME_MAX - self->end};
    struct msghdr msg = {.msg_iov = &iov,
                         .msg_iovlen = 1,
                         .msg_control = control,
                         .msg_controllen = sizeof(control)};
    ssize_t n;
    do
        n = recvmsg(sock, &msg, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    while (n < 0 && errno == EINTR);
    if (n < 0)
        return errno == EWOULDBLOCK ? -EAGAIN : -errno;
    int r = take_fds(self, &msg);
    if (r < 0)
        return r;
    self->end += (size_t)n;
    self->touched = ORMA_MAX(self->touched, self->end);
    return (int)n;
}

int orma_ipc_stream_next(struct orma_ipc_stream *self, const uint8_t **ret_data, size_t *ret_len)
{
    while (self->end - self->begin >= ORMA_IPC_LENGTH_SIZE) {
        uint32_t len;

        memcpy(&len, self->buf + self->begin, sizeof(len));
        len = ORMA_LE32(len);
        if (len > ORMA_IPC_FRAME_MAX - ORMA_IPC_LENGTH_SIZE)
            return -EMSGSIZE;
        if (len > self->end - self->begin - ORMA_IPC_LENGTH_SIZE)
            return 0;
        *ret_data = self->buf + self->begin + ORMA_IPC_LENGTH_SIZE;
        *ret_len = len;
        self->begin += ORMA_IPC_LENGTH_SIZE + len;
        if (len)
            return 1;
    }
    return 0;
}

int orma_ipc_stream_take_fd(struct orma_ipc_stream *self)
{
    int fd = self->fd;

    self->fd = -1;
    return fd;
}
