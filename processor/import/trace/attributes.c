/* Attributes that whoever recorded the trace gave it, in its config or later; the last one of a key
 * counts. */
#include "processor/import/trace/trace.h"
#include "protos/fields/common.h"
#include "protos/fields/trace.h"

static void read_attribute(struct orma_import_ctx *imp, uint16_t machine, struct orma_str bytes)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;
    struct orma_str key = {NULL, 0}, text = {NULL, 0};
    int64_t number = 0;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_TRACE_ATTRIBUTES_ATTRIBUTE_KEY)
            key = orma_pb_str(&f);
        else if (f.id == ORMA_PB_TRACE_ATTRIBUTES_ATTRIBUTE_STRING_VALUE)
            text = orma_pb_str(&f);
        else if (f.id == ORMA_PB_TRACE_ATTRIBUTES_ATTRIBUTE_LONG_VALUE)
            number = orma_pb_i64(&f);
    }
    if (!key.data)
        return;
    const char *name = orma_strpool_cstr(
        &imp->model->storage->pool,
        orma_strpool_addf(&imp->model->storage->pool, "trace_attribute.%.*s", ORMA_STR_ARG(key)));
    if (text.data)
        orma_metadata_str(imp->model, name, false, ORMA_METADATA_MACHINE_AND_TRACE, machine,
                          orma_model_str(imp->model, text));
    else
        orma_metadata_int(imp->model, name, false, ORMA_METADATA_MACHINE_AND_TRACE, machine,
                          number);
}

void orma_trace_attributes(struct orma_import_ctx *imp, uint16_t machine, struct orma_str bytes)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f))
        if (f.id == ORMA_PB_TRACE_ATTRIBUTES_ATTRIBUTE)
            read_attribute(imp, machine, orma_pb_str(&f));
}

static bool attributes_early(struct orma_import_ctx *imp, const struct orma_packet_ctx *ctx)
{
    orma_trace_attributes(imp, ctx->machine, ctx->p->payload);
    return true;
}

static const uint16_t fields[] = {ORMA_PB_TRACE_PACKET_TRACE_ATTRIBUTES, 0};
const struct orma_importer orma_trace_attributes_importer = {
    .name = "trace_attributes", .fields = fields, .early = attributes_early};
