/*
 * Compression of a batch of packets: deflate (zlib format) or zstd, each where
 * the library was there at build time. One batch becomes one packet, whose only
 * field is the compressed stream of the others (rule 70 of docs/service.md).
 */
#ifndef ORMA_TRACED_OUTPUT_COMPRESS_H
#define ORMA_TRACED_OUTPUT_COMPRESS_H
#include "protos/perfetto/config.pb-c.h"
#include "sdk/base/buf.h"

enum traced_compression_kind {
    TRACED_COMPRESSION_NONE,
    TRACED_COMPRESSION_DEFLATE,
    TRACED_COMPRESSION_ZSTD,
};

struct traced_compression {
    enum traced_compression_kind kind;
    int level;
};

/* What the config asks for and was built in; of several, the one with the highest field number. */
struct traced_compression traced_compression_of(const Perfetto__Protos__TraceConfig *config);

/*
 * Appends one packet (of a Trace message) with all of `batch` in it; the batch
 * itself if there is no memory to compress it.
 */
void traced_compress(struct traced_compression how, const struct orma_buf *batch,
                     struct orma_buf *out);
#endif
