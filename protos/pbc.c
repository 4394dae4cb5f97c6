#include "protos/pbc.h"

#include <errno.h>

#include "sdk/wire/pb_reader.h"

static int check(const ProtobufCMessageDescriptor *type, struct orma_pb_reader r, int depth)
{
    struct orma_pb_field f;
    int err = 0;

    if (depth > ORMA_PBC_DEPTH_MAX)
        return -EBADMSG;
    while (!err && orma_pb_next(&r, &f)) {
        if (f.wire != ORMA_PB_LEN)
            continue;
        const ProtobufCFieldDescriptor *field = protobuf_c_message_descriptor_get_field(type, f.id);
        if (field && field->type == PROTOBUF_C_TYPE_MESSAGE)
            err = check(field->descriptor, orma_pb_sub(&f), depth + 1);
        else if (field && field->type == PROTOBUF_C_TYPE_STRING &&
                 orma_str_has_zero(orma_pb_str(&f)))
            err = -EILSEQ;
    }
    return err ? err : r.failed ? -EBADMSG : 0;
}

int orma_pbc_unpack(const ProtobufCMessageDescriptor *type, struct orma_str bytes,
                    ProtobufCMessage **ret)
{
    static const uint8_t none;
    const uint8_t *data = bytes.len ? (const uint8_t *)bytes.data : &none;

    int r = check(type, orma_pb_reader(data, bytes.len), 1);

    if (r < 0)
        return r;
    *ret = protobuf_c_message_unpack(type, NULL, bytes.len, data);
    return *ret ? 0 : -EBADMSG;
}
