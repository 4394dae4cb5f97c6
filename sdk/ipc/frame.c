/*
 * A frame is a length and one message, of which one kind is set. Decoding goes
 * field by field; spans of the result point into the input. Of several kinds in one
 * frame the last counts, as protobuf has it; with none, or only newer ones, the kind is 0.
 */
#include "sdk/ipc/frame.h"

#include <errno.h>

#include "protos/fields/ipc.h"
#include "sdk/base/endian.h"
#include "sdk/wire/pb_reader.h"
#include "sdk/wire/pb_writer.h"

static bool decode_bind(struct orma_pb_reader r, struct orma_ipc_frame *f)
{
    struct orma_pb_field field;

    while (orma_pb_next(&r, &field)) {
        if (field.id == ORMA_PB_IPC_FRAME_BIND_SERVICE_SERVICE_NAME)
            f->service_name = orma_pb_str(&field);
    }
    return !r.failed;
}

static bool decode_bind_reply(struct orma_pb_reader r, struct orma_ipc_frame *f)
{
    struct orma_pb_field field;

    f->bind_reply = (struct orma_str){(const char *)r.pos, (size_t)(r.end - r.pos)};
    while (orma_pb_next(&r, &field)) {
        switch (field.id) {
        case ORMA_PB_IPC_FRAME_BIND_SERVICE_REPLY_SUCCESS:
            f->success = orma_pb_bool(&field);
            break;
        case ORMA_PB_IPC_FRAME_BIND_SERVICE_REPLY_SERVICE_ID:
            f->service_id = orma_pb_u32(&field);
            break;
        }
    }
    return !r.failed;
}

static bool decode_invoke(struct orma_pb_reader r, struct orma_ipc_frame *f)
{
    struct orma_pb_field field;

    while (orma_pb_next(&r, &field)) {
        switch (field.id) {
        case ORMA_PB_IPC_FRAME_INVOKE_METHOD_SERVICE_ID:
            f->service_id = orma_pb_u32(&field);
            break;
        case ORMA_PB_IPC_FRAME_INVOKE_METHOD_METHOD_ID:
            f->method_id = orma_pb_u32(&field);
            break;
        case ORMA_PB_IPC_FRAME_INVOKE_METHOD_ARGS_PROTO:
            f->payload = orma_pb_str(&field);
            break;
        case ORMA_PB_IPC_FRAME_INVOKE_METHOD_DROP_REPLY:
            f->drop_reply = orma_pb_bool(&field);
            break;
        }
    }
    return !r.failed;
}

static bool decode_invoke_reply(struct orma_pb_reader r, struct orma_ipc_frame *f)
{
    struct orma_pb_field field;

    while (orma_pb_next(&r, &field)) {
        switch (field.id) {
        case ORMA_PB_IPC_FRAME_INVOKE_METHOD_REPLY_SUCCESS:
            f->success = orma_pb_bool(&field);
            break;
        case ORMA_PB_IPC_FRAME_INVOKE_METHOD_REPLY_HAS_MORE:
            f->has_more = orma_pb_bool(&field);
            break;
        case ORMA_PB_IPC_FRAME_INVOKE_METHOD_REPLY_REPLY_PROTO:
            f->payload = orma_pb_str(&field);
            break;
        }
    }
    return !r.failed;
}

static bool decode_error(struct orma_pb_reader r, struct orma_ipc_frame *f)
{
    struct orma_pb_field field;

    while (orma_pb_next(&r, &field)) {
        if (field.id == ORMA_PB_IPC_FRAME_REQUEST_ERROR_ERROR)
            f->payload = orma_pb_str(&field);
    }
    return !r.failed;
}

static bool decode_peer_identity(struct orma_pb_reader r, struct orma_ipc_frame *f)
{
    struct orma_pb_field field;

    while (orma_pb_next(&r, &field)) {
        switch (field.id) {
        case ORMA_PB_IPC_FRAME_SET_PEER_IDENTITY_PID:
            f->peer_pid = orma_pb_i32(&field);
            break;
        case ORMA_PB_IPC_FRAME_SET_PEER_IDENTITY_UID:
            f->peer_uid = orma_pb_i32(&field);
            break;
        case ORMA_PB_IPC_FRAME_SET_PEER_IDENTITY_MACHINE_ID_HINT:
            f->machine_id_hint = orma_pb_str(&field);
            break;
        case ORMA_PB_IPC_FRAME_SET_PEER_IDENTITY_MACHINE_NAME:
            f->machine_name = orma_pb_str(&field);
            break;
        }
    }
    return !r.failed;
}

static const struct {
    uint32_t field;
    bool (*decode)(struct orma_pb_reader, struct orma_ipc_frame *);
} kinds[] = {
    [ORMA_IPC_BIND] = {ORMA_PB_IPC_FRAME_MSG_BIND_SERVICE, decode_bind},
    [ORMA_IPC_BIND_REPLY] = {ORMA_PB_IPC_FRAME_MSG_BIND_SERVICE_REPLY, decode_bind_reply},
    [ORMA_IPC_INVOKE] = {ORMA_PB_IPC_FRAME_MSG_INVOKE_METHOD, decode_invoke},
    [ORMA_IPC_INVOKE_REPLY] = {ORMA_PB_IPC_FRAME_MSG_INVOKE_METHOD_REPLY, decode_invoke_reply},
    [ORMA_IPC_ERROR] = {ORMA_PB_IPC_FRAME_MSG_REQUEST_ERROR, decode_error},
    [ORMA_IPC_PEER_IDENTITY] = {ORMA_PB_IPC_FRAME_SET_PEER_IDENTITY, decode_peer_identity},
};

int orma_ipc_frame_decode(const void *data, size_t len, struct orma_ipc_frame *ret)
{
    struct orma_pb_reader r = orma_pb_reader(data, len);
    struct orma_ipc_frame frame = {0};
    struct orma_pb_field field;

    while (orma_pb_next(&r, &field)) {
        if (field.id == ORMA_PB_IPC_FRAME_REQUEST_ID) {
            frame.request_id = orma_pb_u64(&field);
            continue;
        }
        for (size_t k = ORMA_IPC_BIND; k < ORMA_ARRAY_LEN(kinds); k++) {
            if (field.id != kinds[k].field || field.wire != ORMA_PB_LEN)
                continue;
            frame.kind = (enum orma_ipc_kind)k; /* of a oneof, the last wins */
            if (!kinds[k].decode(orma_pb_sub(&field), &frame))
                return -EBADMSG;
        }
    }
    if (r.failed)
        return -EBADMSG;
    *ret = frame;
    return 0;
}

void orma_ipc_frame_methods(const struct orma_ipc_frame *self, orma_ipc_method_fn fn, void *ctx)
{
    struct orma_pb_reader r = orma_pb_reader(self->bind_reply.data, self->bind_reply.len);
    struct orma_pb_field field, sub;

    while (orma_pb_next(&r, &field)) {
        if (field.id != ORMA_PB_IPC_FRAME_BIND_SERVICE_REPLY_METHODS)
            continue;
        struct orma_pb_reader m = orma_pb_sub(&field);
        struct orma_str name = {0};
        uint32_t id = 0;

        while (orma_pb_next(&m, &sub)) {
            if (sub.id == ORMA_PB_IPC_FRAME_BIND_SERVICE_REPLY_METHOD_INFO_ID)
                id = orma_pb_u32(&sub);
            else if (sub.id == ORMA_PB_IPC_FRAME_BIND_SERVICE_REPLY_METHOD_INFO_NAME)
                name = orma_pb_str(&sub);
        }
        if (id && name.len)
            fn(ctx, id, name);
    }
}

static void encode_bind_reply(struct orma_buf *out, const struct orma_ipc_frame *f,
                              const char *const *methods, uint32_t methods_end)
{
    if (f->success)
        orma_pb_put_u64(out, ORMA_PB_IPC_FRAME_BIND_SERVICE_REPLY_SUCCESS, 1);
    if (f->service_id)
        orma_pb_put_u64(out, ORMA_PB_IPC_FRAME_BIND_SERVICE_REPLY_SERVICE_ID, f->service_id);
    for (uint32_t id = 1; id < methods_end; id++) {
        size_t m = orma_pb_begin(out, ORMA_PB_IPC_FRAME_BIND_SERVICE_REPLY_METHODS);

        orma_pb_put_u64(out, ORMA_PB_IPC_FRAME_BIND_SERVICE_REPLY_METHOD_INFO_ID, id);
        orma_pb_put_cstr(out, ORMA_PB_IPC_FRAME_BIND_SERVICE_REPLY_METHOD_INFO_NAME, methods[id]);
        orma_pb_end(out, m);
    }
}

static void encode_body(struct orma_buf *out, const struct orma_ipc_frame *f,
                        const char *const *methods, uint32_t methods_end)
{
    switch (f->kind) {
    case ORMA_IPC_NONE:
        break;
    case ORMA_IPC_BIND:
        orma_pb_put_str(out, ORMA_PB_IPC_FRAME_BIND_SERVICE_SERVICE_NAME, f->service_name);
        break;
    case ORMA_IPC_BIND_REPLY:
        encode_bind_reply(out, f, methods, methods_end);
        break;
    case ORMA_IPC_INVOKE:
        orma_pb_put_u64(out, ORMA_PB_IPC_FRAME_INVOKE_METHOD_SERVICE_ID, f->service_id);
        orma_pb_put_u64(out, ORMA_PB_IPC_FRAME_INVOKE_METHOD_METHOD_ID, f->method_id);
        orma_pb_put_str(out, ORMA_PB_IPC_FRAME_INVOKE_METHOD_ARGS_PROTO, f->payload);
        if (f->drop_reply)
            orma_pb_put_u64(out, ORMA_PB_IPC_FRAME_INVOKE_METHOD_DROP_REPLY, 1);
        break;
    case ORMA_IPC_INVOKE_REPLY:
        orma_pb_put_u64(out, ORMA_PB_IPC_FRAME_INVOKE_METHOD_REPLY_SUCCESS, f->success);
        if (f->has_more)
            orma_pb_put_u64(out, ORMA_PB_IPC_FRAME_INVOKE_METHOD_REPLY_HAS_MORE, 1);
        if (f->payload.data)
            orma_pb_put_str(out, ORMA_PB_IPC_FRAME_INVOKE_METHOD_REPLY_REPLY_PROTO, f->payload);
        break;
    case ORMA_IPC_ERROR:
        orma_pb_put_str(out, ORMA_PB_IPC_FRAME_REQUEST_ERROR_ERROR, f->payload);
        break;
    case ORMA_IPC_PEER_IDENTITY:
        orma_pb_put_i64(out, ORMA_PB_IPC_FRAME_SET_PEER_IDENTITY_PID, f->peer_pid);
        orma_pb_put_i64(out, ORMA_PB_IPC_FRAME_SET_PEER_IDENTITY_UID, f->peer_uid);
        orma_pb_put_str(out, ORMA_PB_IPC_FRAME_SET_PEER_IDENTITY_MACHINE_ID_HINT,
                        f->machine_id_hint);
        orma_pb_put_str(out, ORMA_PB_IPC_FRAME_SET_PEER_IDENTITY_MACHINE_NAME, f->machine_name);
        break;
    }
}

int orma_ipc_frame_encode(struct orma_buf *out, const struct orma_ipc_frame *frame,
                          const char *const *methods, uint32_t methods_end)
{
    size_t start = out->len;

    (void)orma_buf_extend(out, ORMA_IPC_LENGTH_SIZE); /* filled in below; failure is sticky */
    if (frame->request_id)
        orma_pb_put_u64(out, ORMA_PB_IPC_FRAME_REQUEST_ID, frame->request_id);
    if (frame->kind != ORMA_IPC_NONE) {
        size_t body = orma_pb_begin(out, kinds[frame->kind].field);
        encode_body(out, frame, methods, methods_end);
        orma_pb_end(out, body);
    }
    if (out->failed)
        return -ENOMEM;
    if (out->len - start > ORMA_IPC_FRAME_MAX) {
        out->len = start;
        return -EMSGSIZE;
    }
    uint32_t len = (uint32_t)(out->len - start - ORMA_IPC_LENGTH_SIZE);
    len = ORMA_LE32(len);
    memcpy(out->data + start, &len, sizeof(len));
    return 0;
}
