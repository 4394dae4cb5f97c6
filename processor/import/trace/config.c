/* The configuration that the trace was recorded with. */
#include <errno.h>

#include "processor/import/trace/ledger.h"
#include "processor/import/trace/trace.h"
#include "protos/fields/config.h"
#include "protos/fields/trace.h"
#include "protos/reflect/text.h"

/* Octal escapes of characters that C has letters for become those: that is how this text is written
 * elsewhere. In place. */
static void name_escapes(struct orma_buf *text)
{
    static const char codes[] = "007010013014", letters[] = "abvf";
    size_t to = 0;

    for (size_t i = 0; i < text->len; i++) {
        const char *at = NULL;

        text->data[to++] = text->data[i];
        if (text->data[i] != '\\' || i + 1 == text->len)
            continue;
        for (const char *code = codes; *code && text->len - i > 3 && !at; code += 3)
            at = memcmp(text->data + i + 1, code, 3) ? NULL : code;
        text->data[to++] = at ? (uint8_t)letters[(at - codes) / 3] : text->data[i + 1];
        i += at ? 3 : 1;
    }
    text->len = to;
}

static void write_text(struct orma_import_ctx *imp, struct orma_str bytes)
{
    const struct orma_schema *schema = orma_schema_default();
    uint32_t msg = orma_schema_find_msg(schema, ORMA_STR("perfetto.protos.TraceConfig"));
    struct orma_buf text = {0};

    if (msg == ORMA_SCHEMA_NONE)
        return;
    /* Malformed bytes: what could be read of them is better than nothing. */
    int r = orma_text_print(schema, msg, bytes.data, bytes.len, NULL, &text);
    if (r == -ENOMEM)
        imp->model->storage->failed = true;
    name_escapes(&text);
    while (text.len && text.data[text.len - 1] == '\n')
        text.len--;
    orma_metadata_str(imp->model, "trace_config_pbtxt", false, ORMA_METADATA_TRACE, 0,
                      orma_model_str(imp->model, orma_buf_str(&text)));
    orma_buf_fini(&text);
}

static void read_source(struct orma_import_ctx *imp, uint16_t machine, struct orma_str bytes)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f, g, h;

    while (orma_pb_next(&r, &f)) {
        struct orma_pb_reader config = orma_pb_sub(&f);

        while (f.id == ORMA_PB_TRACE_CONFIG_DATA_SOURCE_CONFIG && orma_pb_next(&config, &g)) {
            struct orma_pb_reader ftrace = orma_pb_sub(&g);

            while (g.id == ORMA_PB_DATA_SOURCE_CONFIG_FTRACE_CONFIG && orma_pb_next(&ftrace, &h))
                if (h.id == ORMA_PB_FTRACE_CONFIG_PRESERVE_FTRACE_BUFFER && orma_pb_bool(&h))
                    orma_port_preserve(imp, machine);
        }
    }
}

static bool discards(struct orma_str buffer)
{
    struct orma_pb_reader r = orma_pb_reader(buffer.data, buffer.len);
    struct orma_pb_field f;
    bool ret = false;

    while (orma_pb_next(&r, &f))
        if (f.id == ORMA_PB_TRACE_CONFIG_BUFFER_CONFIG_FILL_POLICY)
            ret = orma_pb_u64(&f) == ORMA_PB_TRACE_CONFIG_BUFFER_CONFIG_DISCARD;
    return ret;
}

static bool config_early(struct orma_import_ctx *imp, const struct orma_packet_ctx *ctx)
{
    struct orma_pb_reader r = orma_pb_reader(ctx->p->payload.data, ctx->p->payload.len);
    struct orma_pb_field f;
    struct orma_stats *stats = orma_model_stats(imp->model, ctx->machine);
    bool into_file = false, flushes = false, no_flush = false, periodic = false;
    uint64_t discarding = 0, msb = 0, lsb = 0;
    unsigned buffer = 0;

    while (orma_pb_next(&r, &f)) {
        switch (f.id) {
        case ORMA_PB_TRACE_CONFIG_BUFFERS:
            if (buffer < 64 && discards(orma_pb_str(&f)))
                discarding |= 1ull << buffer;
            buffer++;
            break;
        case ORMA_PB_TRACE_CONFIG_TRACE_ATTRIBUTES:
            orma_trace_attributes(imp, ctx->machine, orma_pb_str(&f));
            break;
        case ORMA_PB_TRACE_CONFIG_DATA_SOURCES:
            read_source(imp, ctx->machine, orma_pb_str(&f));
            break;
        case ORMA_PB_TRACE_CONFIG_WRITE_INTO_FILE:
            into_file = orma_pb_bool(&f);
            break;
        case ORMA_PB_TRACE_CONFIG_FLUSH_PERIOD_MS:
            flushes = orma_pb_u64(&f) != 0;
            break;
        case ORMA_PB_TRACE_CONFIG_FILE_WRITE_PERIOD_MS:
            periodic = orma_pb_u64(&f) != 0;
            break;
        case ORMA_PB_TRACE_CONFIG_WRITE_FLUSH_MODE:
            no_flush = orma_pb_u64(&f) == ORMA_PB_TRACE_CONFIG_WRITE_FLUSH_DISABLED;
            break;
        case ORMA_PB_TRACE_CONFIG_TRACE_UUID_MSB:
            msb = orma_pb_u64(&f);
            break;
        case ORMA_PB_TRACE_CONFIG_TRACE_UUID_LSB:
            lsb = orma_pb_u64(&f);
            break;
        }
    }
    orma_trace_diagnostics_config(imp, ctx->machine, ctx->p->payload);
    orma_trace(imp)->into_file |= into_file;
    /* Left to itself, the service flushes before it writes, if it is told how often to write. */
    if (into_file && !flushes && (no_flush || !periodic))
        orma_stats_set(stats, ORMA_STAT_CONFIG_WRITE_INTO_FILE_NO_FLUSH, 1);
    for (unsigned i = 0; into_file && i < 64; i++)
        if (discarding >> i & 1)
            orma_stats_set_at(stats, ORMA_STAT_CONFIG_WRITE_INTO_FILE_DISCARD, (int32_t)i, 1);
    if (msb || lsb) {
        orma_metadata_uuid(imp->model, msb, lsb);
        orma_trace_ledger_recording(imp, msb, lsb);
    }
    orma_trace_ledger_expect(imp, into_file);
    return false;
}

/* The subscription that asked for the trace. */
static void read_statsd(struct orma_import_ctx *imp, const struct orma_pb_field *statsd)
{
    struct orma_pb_reader r = orma_pb_sub(statsd);
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f))
        if (f.id == ORMA_PB_TRACE_CONFIG_STATSD_METADATA_TRIGGERING_SUBSCRIPTION_ID)
            orma_metadata_int(imp->model, "statsd_triggering_subscription_id", false,
                              ORMA_METADATA_TRACE, 0, orma_pb_i64(&f));
}

static void config_parse(struct orma_import_ctx *imp, const struct orma_item *item)
{
    struct orma_pb_reader r = orma_pb_reader(item->data, item->len);
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        if (f.id == ORMA_PB_TRACE_CONFIG_UNIQUE_SESSION_NAME)
            orma_metadata_str(imp->model, "unique_session_name", false, ORMA_METADATA_TRACE, 0,
                              orma_model_str(imp->model, orma_pb_str(&f)));
        else if (f.id == ORMA_PB_TRACE_CONFIG_STATSD_METADATA)
            read_statsd(imp, &f);
    }
    write_text(imp, (struct orma_str){(const char *)item->data, item->len});
}

static const uint16_t fields[] = {ORMA_PB_TRACE_PACKET_TRACE_CONFIG, 0};
const struct orma_importer orma_trace_config_importer = {
    .name = "trace_config", .fields = fields, .early = config_early, .parse = config_parse};
