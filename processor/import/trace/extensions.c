/* Descriptors in the trace: fields that this program does not know become args by their names. */
#include <errno.h>

#include "processor/import/trace/trace.h"
#include "processor/read/damage.h"
#include "processor/read/inflate.h"
#include "protos/fields/trace.h"
#include "protos/reflect/schema.h"

/* Unpacked; those of whole Android systems have some hundred KiB. */
#define SET_MAX ((uint64_t)64 << 20)

static void add_set(struct orma_import_ctx *imp, struct orma_str set)
{
    if (!imp->ports->schema && orma_schema_new(orma_schema_default(), &imp->ports->schema)) {
        imp->model->storage->failed = true;
        return;
    }
    /* A set that is refused leaves the schema as it was: its fields stay unknown, and are counted.
     */
    if (orma_schema_add(imp->ports->schema, set.data, set.len, NULL) == -ENOMEM)
        imp->model->storage->failed = true;
}

static void add_packed_set(struct orma_import_ctx *imp, struct orma_str packet,
                           struct orma_str packed)
{
    struct orma_unpacked none = {0}, *unpacked = imp->reader ? &imp->reader->unpacked : &none;
    const uint64_t max = ORMA_MIN(orma_unpacked_left(unpacked), SET_MAX);
    ORMA_AUTO(orma_buf_fini) struct orma_buf set = {0};
    int r = orma_inflate(ORMA_INFLATE_ZLIB, packed, max, &set);

    (void)orma_unpacked_add(unpacked, set.len); /* not more than was left */
    if (!r)
        add_set(imp, orma_buf_str(&set));
    else if (r != -ENOMEM && imp->reader)
        orma_damage_packet(imp->reader, (const uint8_t *)packet.data, packet.len,
                           r == -EFBIG ? "descriptors above the size limit when unpacked"
                           : r == -ENOTSUP
                               ? "descriptors with a compression method that was not built in"
                               : "descriptors that cannot be unpacked");
    imp->model->storage->failed |= r == -ENOMEM;
}

static bool extensions_early(struct orma_import_ctx *imp, const struct orma_packet_ctx *ctx)
{
    struct orma_pb_reader r = orma_pb_reader(ctx->p->payload.data, ctx->p->payload.len);
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_EXTENSION_DESCRIPTOR_EXTENSION_SET) {
            add_set(imp, orma_pb_str(&f));
        } else if (f.id == ORMA_PB_EXTENSION_DESCRIPTOR_EXTENSION_SET_GZIP) {
            add_packed_set(imp, ctx->p->bytes, orma_pb_str(&f));
        }
    }
    return true;
}

static const uint16_t fields[] = {ORMA_PB_TRACE_PACKET_EXTENSION_DESCRIPTOR, 0};
const struct orma_importer orma_trace_extensions_importer = {
    .name = "extensions", .fields = fields, .early = extensions_early};
