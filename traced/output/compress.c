#include "traced/output/compress.h"

#include <errno.h>
#include <stdlib.h>
#ifdef HAVE_ZLIB
#include <zlib.h>
#endif
#ifdef HAVE_ZSTD
#include <zstd.h>
#endif

#include "protos/fields/orma_ext.h"
#include "protos/fields/trace.h"
#include "sdk/wire/pb_reader.h"
#include "sdk/wire/pb_writer.h"

#define DEFLATE_LEVEL 6
#define ZSTD_LEVEL 3

typedef Perfetto__Protos__TraceConfig__CompressionConfig wanted_t;

static bool wants_deflate(const Perfetto__Protos__TraceConfig *config)
{
    return (config->compression && config->compression->deflate) ||
           config->compression_type ==
               PERFETTO__PROTOS__TRACE_CONFIG__COMPRESSION_TYPE__COMPRESSION_TYPE_DEFLATE;
}

#ifdef HAVE_ZLIB
/* Of our own field, which protobuf-c knows not. */
static int deflate_level(const wanted_t *wanted)
{
    const ProtobufCMessage *m = wanted && wanted->deflate ? &wanted->deflate->base : NULL;

    for (unsigned i = 0; m && i < m->n_unknown_fields; i++) {
        const ProtobufCMessageUnknownField *f = &m->unknown_fields[i];
        struct orma_pb_reader r = orma_pb_reader(f->data, f->len);
        uint64_t level = orma_pb_varint(&r);

        if (f->tag == ORMA_PB_TRACE_CONFIG_COMPRESSION_CONFIG_DEFLATE_ORMA_LEVEL &&
            f->wire_type == PROTOBUF_C_WIRE_TYPE_VARINT && level >= 1 && level <= 9)
            return (int)level;
    }
    return DEFLATE_LEVEL;
}
#endif

struct traced_compression traced_compression_of(const Perfetto__Protos__TraceConfig *config)
{
    const wanted_t *wanted = config->compression;

#ifdef HAVE_ZSTD
    if (wanted && wanted->zstd) {
        int level = wanted->zstd->has_level ? (int)wanted->zstd->level : ZSTD_LEVEL;

        level = level < ZSTD_minCLevel() ? ZSTD_minCLevel() : level;
        level = level > ZSTD_maxCLevel() ? ZSTD_maxCLevel() : level;
        return (struct traced_compression){TRACED_COMPRESSION_ZSTD, level};
    }
#endif
#ifdef HAVE_ZLIB
    if (wants_deflate(config))
        return (struct traced_compression){TRACED_COMPRESSION_DEFLATE, deflate_level(wanted)};
#else
    (void)wants_deflate;
    (void)wanted;
#endif
    return (struct traced_compression){0};
}

static size_t bound(struct traced_compression how, size_t len)
{
    switch (how.kind) {
    case TRACED_COMPRESSION_DEFLATE:
#ifdef HAVE_ZLIB
        return compressBound((uLong)len);
#else
        break;
#endif
    case TRACED_COMPRESSION_ZSTD:
#ifdef HAVE_ZSTD
        return ZSTD_compressBound(len);
#else
        break;
#endif
    case TRACED_COMPRESSION_NONE:
        break;
    }
    return len;
}

/* Bytes written, 0: failed. */
static size_t squeeze(struct traced_compression how, const struct orma_buf *batch, uint8_t *to,
                      size_t cap)
{
    switch (how.kind) {
    case TRACED_COMPRESSION_DEFLATE: {
#ifdef HAVE_ZLIB
        uLongf len = (uLongf)cap;

        return compress2(to, &len, batch->data, (uLong)batch->len, how.level) == Z_OK ? len : 0;
#else
        break;
#endif
    }
    case TRACED_COMPRESSION_ZSTD: {
#ifdef HAVE_ZSTD
        size_t len = ZSTD_compress(to, cap, batch->data, batch->len, how.level);

        return ZSTD_isError(len) ? 0 : len;
#else
        break;
#endif
    }
    case TRACED_COMPRESSION_NONE:
        break;
    }
    (void)to;
    (void)cap;
    return 0;
}

void traced_compress(struct traced_compression how, const struct orma_buf *batch,
                     struct orma_buf *out)
{
    size_t cap = bound(how, batch->len);
    uint8_t *squeezed = batch->len ? malloc(cap) : NULL;
    size_t len = squeezed ? squeeze(how, batch, squeezed, cap) : 0;

    if (len) {
        size_t packet = orma_pb_begin(out, ORMA_PB_TRACE_PACKET);
        orma_pb_put_bytes(out,
                          how.kind == TRACED_COMPRESSION_ZSTD
                              ? ORMA_PB_TRACE_PACKET_ZSTD_COMPRESSED_PACKETS
                              : ORMA_PB_TRACE_PACKET_COMPRESSED_PACKETS,
                          squeezed, len);
        orma_pb_end(out, packet);
    } else {
        orma_buf_put(out, batch->data, batch->len);
    }
    free(squeezed);
}
