/*
 * The fields of a trace file, one at a time, with compressed packets unpacked:
 * what was one packet of compressed packets comes out as these packets.
 * A file of any size passes through little memory.
 *
 *     struct orma_convert_packets p = {.source = orma_reflect_source_fd(fd), .expand = true};
 *     while ((r = orma_convert_packets_next(&p, &f)) > 0) ...
 *     orma_convert_packets_fini(&p);
 */
#ifndef ORMA_TOOLS_PACKETS_H
#define ORMA_TOOLS_PACKETS_H
#include "protos/reflect/stream.h"

struct orma_convert_packets {
    /* Set by the caller. */
    struct orma_reflect_source source;
    bool expand;
    /* Out: a compressed packet was damaged; what was whole in it was given. */
    bool damaged;

    struct orma_field_stream stream;
    bool begun;
    struct orma_buf inflated;
    struct orma_pb_reader inner; /* what is left of `inflated` */
};

/*
 * 1 and a field of the Trace, valid until the next call; 0 at the end. -EBADMSG: malformed or cut
 * short at orma_convert_packets_offset(). -ENOTSUP: a kind of compression that is not built in.
 * -ENOMEM; what the source returned.
 */
int orma_convert_packets_next(struct orma_convert_packets *self, struct orma_pb_field *ret);

/* Where the next field begins, in bytes of the file. */
uint64_t orma_convert_packets_offset(const struct orma_convert_packets *self);

void orma_convert_packets_fini(struct orma_convert_packets *self);
#endif
