/*
 * Receiving end of a connection: bytes and descriptors in, whole frames out.
 * No event loop: the owner calls orma_ipc_stream_recv() when the socket is
 * readable, then orma_ipc_stream_next() until it returns false.
 *
 * Holds at most one frame's worth of bytes (ORMA_IPC_FRAME_MAX) and one
 * descriptor, the last received; the message that it belongs to takes it.
 * Threads: none.
 */
#ifndef ORMA_SDK_IPC_STREAM_H
#define ORMA_SDK_IPC_STREAM_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct orma_ipc_stream {
    uint8_t *buf; /* allocated at the first byte, freed at the end */
    size_t begin, end;
    size_t touched; /* of the buffer, ever: so much memory is kept */
    int fd;         /* -1: none */
    /* What is done with a descriptor that nobody takes. NULL: it is closed. */
    void (*discard)(void *ctx, int fd);
    void *ctx;
};

void orma_ipc_stream_init(struct orma_ipc_stream *self);
void orma_ipc_stream_fini(struct orma_ipc_stream *self);

/*
 * One recvmsg() without blocking. Bytes received (> 0); 0: the peer closed;
 * -EAGAIN: nothing there; -ENOBUFS: the buffer is full, take frames first;
 * -EBADMSG: more descriptors than one; or another -errno of the socket.
 */
int orma_ipc_stream_recv(struct orma_ipc_stream *self, int sock);

/*
 * The next whole frame's payload, valid until the next recv. 1: there is one,
 * 0: not yet, -EMSGSIZE: the peer announced more than is allowed.
 * Empty frames are skipped.
 */
int orma_ipc_stream_next(struct orma_ipc_stream *self, const uint8_t **ret_data, size_t *ret_len);

/* The descriptor received last, now the caller's; -1 if there is none. */
int orma_ipc_stream_take_fd(struct orma_ipc_stream *self);
#endif
