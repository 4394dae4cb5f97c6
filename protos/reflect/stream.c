#include "protos/reflect/stream.h"

#include <errno.h>

#define READ_SIZE 65536

/* How many bytes the field at `pos` needs; 0: malformed. Says more than there are when unsure. */
static size_t needed(const uint8_t *pos, const uint8_t *end)
{
    const uint8_t *at = pos;
    size_t have = (size_t)(end - pos);
    uint64_t tag, len;

    if (!orma_pb_varint_at(&at, end, &tag))
        return have < 10 ? have + 1 : 0;
    switch (tag & 7) {
    case ORMA_PB_I64:
        return (size_t)(at - pos) + 8;
    case ORMA_PB_I32:
        return (size_t)(at - pos) + 4;
    }
    const uint8_t *number = at;
    if (!orma_pb_varint_at(&at, end, &len))
        return end - number < 10 ? have + 1 : 0;
    if ((tag & 7) == ORMA_PB_LEN)
        return len > ORMA_PB_LEN_MAX ? 0 : (size_t)(at - pos) + (size_t)len;
    return (size_t)(at - pos);
}

/* More bytes behind those in the buffer. 1, 0 at the end. */
static int refill(struct orma_field_stream *self)
{
    if (self->at) { /* not once more for each part of one long field */
        self->gone += self->at;
        orma_buf_consume(&self->buf, self->at);
        self->at = 0;
    }
    if (self->at_end)
        return 0;
    uint8_t *to = orma_buf_extend(&self->buf, READ_SIZE);
    if (!to)
        return -ENOMEM;
    ssize_t n = self->source.read(self->source.ctx, to, READ_SIZE);
    self->buf.len -= READ_SIZE - (size_t)(n > 0 ? n : 0);
    self->at_end = n <= 0;
    return n < 0 ? (int)n : n > 0;
}

int orma_field_stream_next(struct orma_field_stream *self, struct orma_pb_field *ret)
{
    for (;;) {
        const uint8_t *base = self->buf.data;
        size_t have = self->buf.len - self->at;
        size_t need = have ? needed(base + self->at, base + self->buf.len) : 1;

        if (!need)
            return -EBADMSG;
        if (need <= have) {
            struct orma_pb_reader r = orma_pb_reader(base + self->at, need);

            if (!orma_pb_next(&r, ret))
                return -EBADMSG;
            self->at += need;
            return 1;
        }
        int more = refill(self);
        if (more < 0)
            return more;
        if (!more)
            return self->buf.len ? -EBADMSG : 0;
    }
}

void orma_field_stream_fini(struct orma_field_stream *self)
{
    orma_buf_fini(&self->buf);
}
