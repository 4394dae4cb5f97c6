/*
 * protobuf-c for bytes that may be hostile.
 *
 * protobuf-c recurses once per nesting level without a limit, so the nesting
 * is checked here first, by the message's own descriptor: what protobuf-c
 * would recurse into, and nothing else, counts. It gives texts as strings of C, which
 * end at their first zero byte, so that a path or a name would be another than was
 * checked: a message with such a text is refused, too.
 *
 * Used for cold messages only: configs, descriptors, IPC arguments. Enums keep
 * unknown values; unknown fields are kept in the message.
 */
#ifndef ORMA_PROTOS_PBC_H
#define ORMA_PROTOS_PBC_H
#include <protobuf-c/protobuf-c.h>

#include "sdk/base/buf.h"
#include "sdk/base/str.h"

#define ORMA_PBC_DEPTH_MAX 64

/*
 * The message, to be freed with protobuf_c_message_free_unpacked(msg, NULL).
 * 0, -EBADMSG: malformed or nested too deeply, -ENOMEM is reported as -EBADMSG
 * too (protobuf-c does not tell), -EILSEQ: a text has a zero byte in it.
 */
int orma_pbc_unpack(const ProtobufCMessageDescriptor *type, struct orma_str bytes,
                    ProtobufCMessage **ret);
#endif
