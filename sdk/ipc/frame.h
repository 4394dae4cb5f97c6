/*
 * One IPC frame: an envelope (bind, invoke, reply) in protobuf, after a
 * little-endian u32 length. See stream.h for cutting frames out of a socket.
 */
#ifndef ORMA_SDK_IPC_FRAME_H
#define ORMA_SDK_IPC_FRAME_H
#include <stdbool.h>
#include <stdint.h>

#include "sdk/base/buf.h"
#include "sdk/base/str.h"

/* Length word included. Whoever sends more is disconnected. */
#define ORMA_IPC_FRAME_MAX 131072u
#define ORMA_IPC_LENGTH_SIZE 4u

enum orma_ipc_kind {
    ORMA_IPC_NONE, /* no known message in it */
    ORMA_IPC_BIND,
    ORMA_IPC_BIND_REPLY,
    ORMA_IPC_INVOKE,
    ORMA_IPC_INVOKE_REPLY,
    ORMA_IPC_ERROR,
    ORMA_IPC_PEER_IDENTITY,
};

/* Flat: each kind uses the members that its comment names. Spans point into the decoded bytes. */
struct orma_ipc_frame {
    enum orma_ipc_kind kind;
    uint64_t request_id;

    struct orma_str service_name; /* BIND */
    uint32_t service_id;          /* BIND_REPLY, INVOKE */
    uint32_t method_id;           /* INVOKE */
    struct orma_str payload;      /* INVOKE: arguments. INVOKE_REPLY: reply. ERROR: text */
    bool drop_reply;              /* INVOKE */
    bool success;                 /* BIND_REPLY, INVOKE_REPLY */
    bool has_more;                /* INVOKE_REPLY */

    /* BIND_REPLY: the MethodInfo messages, to be walked with orma_ipc_frame_methods(). */
    struct orma_str bind_reply;

    /* PEER_IDENTITY */
    int32_t peer_pid, peer_uid;
    struct orma_str machine_id_hint, machine_name;
};

/* -EBADMSG if the envelope is malformed. `ret` points into `data`. */
int orma_ipc_frame_decode(const void *data, size_t len, struct orma_ipc_frame *ret);

typedef void (*orma_ipc_method_fn)(void *ctx, uint32_t id, struct orma_str name);
void orma_ipc_frame_methods(const struct orma_ipc_frame *self, orma_ipc_method_fn fn, void *ctx);

/*
 * Appends the frame with its length. `methods` (BIND_REPLY only) are names by
 * id, from 1 to methods_end - 1. -EMSGSIZE if it is too large: nothing appended.
 */
int orma_ipc_frame_encode(struct orma_buf *out, const struct orma_ipc_frame *frame,
                          const char *const *methods, uint32_t methods_end);
#endif
