/*
 * The fields of one outermost message, from a source of any size: holds one field
 * at a time. A Trace read this way is its packets.
 *
 *     struct orma_field_stream s = {.source = orma_reflect_source_fd(fd)};
 *     while ((n = orma_field_stream_next(&s, &f)) > 0) ...
 *     orma_field_stream_fini(&s);
 */
#ifndef ORMA_PROTOS_REFLECT_STREAM_H
#define ORMA_PROTOS_REFLECT_STREAM_H
#include "protos/reflect/io.h"
#include "sdk/wire/pb_reader.h"

struct orma_field_stream {
    struct orma_reflect_source source;
    struct orma_buf buf; /* bytes read and not yet gone */
    size_t at;           /* the next field */
    uint64_t gone;       /* bytes before buf */
    bool at_end;
};

/*
 * 1 and the field, which points into the stream and is valid until the next call; 0 at the end.
 * -EBADMSG: malformed, or the last field is cut short; orma_field_stream_offset() says where.
 * -ENOMEM; what the source returned. Memory grows with bytes that came, not with lengths claimed.
 */
int orma_field_stream_next(struct orma_field_stream *self, struct orma_pb_field *ret);

/* Where the next field begins, in bytes of the source. */
static inline uint64_t orma_field_stream_offset(const struct orma_field_stream *self)
{
    return self->gone + self->at;
}

void orma_field_stream_fini(struct orma_field_stream *self);
#endif
