#include "tools/record/explain.h"

#include <errno.h>

#include "protos/fields/config.h"
#include "protos/reflect/schema.h"
#include "protos/reflect/text.h"
#include "sdk/wire/pb_reader.h"
#include "tools/record/source_notes.h"

static const struct {
    uint32_t field;
    const char *comment;
} comments[] = {
    {ORMA_PB_TRACE_CONFIG_BUFFERS,
     "A central buffer in the service. Data sources name it by its index, from 0."},
    {ORMA_PB_TRACE_CONFIG_DURATION_MS, "The service ends the session after this time."},
    {ORMA_PB_TRACE_CONFIG_WRITE_INTO_FILE, "The service writes into the file continuously, so the "
                                           "buffer only holds what arrives between two writes."},
    {ORMA_PB_TRACE_CONFIG_FILE_WRITE_PERIOD_MS, "Milliseconds between two writes."},
    {ORMA_PB_TRACE_CONFIG_MAX_FILE_SIZE_BYTES, "The session ends before the file grows past this."},
    {ORMA_PB_TRACE_CONFIG_INCREMENTAL_STATE_CONFIG,
     "Writers repeat names and tracks this often, so that data after a loss can be read."},
    {ORMA_PB_TRACE_CONFIG_TRIGGER_CONFIG, "Named events that start, stop or clone the session."},
};

/* TraceConfig.data_sources.config.name */
static struct orma_str source_name(struct orma_pb_reader r)
{
    struct orma_str name = {0};
    struct orma_pb_field f, c;

    while (orma_pb_next(&r, &f)) {
        if (f.id != ORMA_PB_TRACE_CONFIG_DATA_SOURCE_CONFIG)
            continue;
        struct orma_pb_reader config = orma_pb_sub(&f);
        while (orma_pb_next(&config, &c)) {
            if (c.id == ORMA_PB_DATA_SOURCE_CONFIG_NAME)
                name = orma_pb_str(&c);
        }
    }
    return name;
}

static const char *comment_of(const struct orma_pb_field *f)
{
    if (f->id == ORMA_PB_TRACE_CONFIG_DATA_SOURCES) {
        struct orma_str name = source_name(orma_pb_sub(f));

        for (const struct orma_record_source_note *n = orma_record_source_notes; n->source; n++) {
            if (orma_str_eq_c(name, n->source))
                return n->text;
        }
    }
    for (size_t i = 0; i < ORMA_ARRAY_LEN(comments); i++) {
        if (comments[i].field == f->id)
            return comments[i].comment;
    }
    return NULL;
}

int orma_record_explain_config(struct orma_str config, struct orma_buf *ret)
{
    const struct orma_schema *schema = orma_schema_default();
    uint32_t msg = orma_schema_find_msg(schema, ORMA_STR("perfetto.protos.TraceConfig"));
    struct orma_pb_reader r = orma_pb_reader(config.data, config.len);
    struct orma_pb_field f;
    const char *last = NULL;

    orma_buf_put_str(ret,
                     "# A trace config, for 'orma record -c FILE' and 'perfetto --txt -c FILE'.\n");
    while (orma_pb_next(&r, &f)) {
        const char *comment = comment_of(&f);

        if (comment && comment != last)
            orma_buf_printf(ret, "\n# %s\n", comment);
        last = comment;
        int e = orma_text_print_field(schema, msg, &f, NULL, ret);
        if (e < 0)
            return e;
    }
    if (r.failed)
        return -EBADMSG;
    return ret->failed ? -ENOMEM : 0;
}
