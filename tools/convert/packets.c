#include "tools/convert/packets.h"

#include <errno.h>

#include "processor/read/inflate.h"
#include "protos/fields/trace.h"

/* The compressed bytes in a packet; they are its only field. False: an ordinary packet. */
static bool find_compressed(const struct orma_pb_field *packet, struct orma_str *ret,
                            enum orma_inflate_form *ret_form)
{
    struct orma_pb_reader r = orma_pb_sub(packet);
    struct orma_pb_field f;

    if (packet->id != ORMA_PB_TRACE_PACKET || !orma_pb_next(&r, &f) || f.wire != ORMA_PB_LEN ||
        (f.id != ORMA_PB_TRACE_PACKET_COMPRESSED_PACKETS &&
         f.id != ORMA_PB_TRACE_PACKET_ZSTD_COMPRESSED_PACKETS))
        return false;
    *ret = orma_pb_str(&f);
    *ret_form =
        f.id == ORMA_PB_TRACE_PACKET_COMPRESSED_PACKETS ? ORMA_INFLATE_ZLIB : ORMA_INFLATE_ZSTD;
    return true;
}

/* Of one packet, at once in memory; writers put at most some MiB into one. */
#define INFLATED_MAX ((uint64_t)512 << 20)

static int unpack(struct orma_convert_packets *self, enum orma_inflate_form form,
                  struct orma_str bytes)
{
    orma_buf_clear(&self->inflated);
    int r = orma_inflate(form, bytes, INFLATED_MAX, &self->inflated);

    if (r == -EBADMSG || r == -EFBIG) {
        self->damaged = true; /* what came out whole is worth having */
        r = 0;
    }
    self->inner = orma_pb_reader(self->inflated.data, self->inflated.len);
    return r;
}

int orma_convert_packets_next(struct orma_convert_packets *self, struct orma_pb_field *ret)
{
    enum orma_inflate_form form;
    struct orma_str bytes;

    if (!self->begun)
        self->stream = (struct orma_field_stream){.source = self->source};
    self->begun = true;
    for (;;) {
        if (orma_pb_next(&self->inner, ret))
            return 1;
        if (self->inner.failed)
            self->damaged = true;
        self->inner = (struct orma_pb_reader){0};
        int r = orma_field_stream_next(&self->stream, ret);
        if (r <= 0 || !self->expand || !find_compressed(ret, &bytes, &form))
            return r;
        r = unpack(self, form, bytes);
        if (r < 0)
            return r;
    }
}

uint64_t orma_convert_packets_offset(const struct orma_convert_packets *self)
{
    return orma_field_stream_offset(&self->stream);
}

void orma_convert_packets_fini(struct orma_convert_packets *self)
{
    orma_field_stream_fini(&self->stream);
    orma_buf_fini(&self->inflated);
}
