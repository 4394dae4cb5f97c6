/* Tables of names that a trace brings for its own events. */
#include "processor/model/translate.h"

#include "processor/import/trace/trace.h"
#include "protos/fields/trace.h"

/* All entries of maps are alike. */
enum { KEY = 1, VALUE };

/* One entry: from a text, or from a number. */
static void read_entry(struct orma_import_ctx *imp, uint16_t machine, enum orma_translation kind,
                       struct orma_str bytes)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;
    uint64_t from = 0;
    uint32_t name = 0;

    while (orma_pb_next(&r, &f)) {
        if (f.id == KEY)
            from = f.wire == ORMA_PB_LEN ? orma_model_str(imp->model, orma_pb_str(&f))
                                         : orma_pb_u64(&f);
        else if (f.id == VALUE)
            name = orma_model_str(imp->model, orma_pb_str(&f));
    }
    if (name)
        orma_translate_add(imp->model, machine, kind, from, name);
}

static bool translation_early(struct orma_import_ctx *imp, const struct orma_packet_ctx *ctx)
{
    static const struct {
        uint8_t table, entries, kind;
    } tables[] = {
        {ORMA_PB_TRANSLATION_TABLE_CHROME_HISTOGRAM, 1, ORMA_TRANSLATE_HISTOGRAM},
        {ORMA_PB_TRANSLATION_TABLE_CHROME_USER_EVENT, 1, ORMA_TRANSLATE_USER_EVENT},
        {ORMA_PB_TRANSLATION_TABLE_CHROME_PERFORMANCE_MARK, 1, ORMA_TRANSLATE_MARK_SITE},
        {ORMA_PB_TRANSLATION_TABLE_CHROME_PERFORMANCE_MARK, 2, ORMA_TRANSLATE_MARK},
        {ORMA_PB_TRANSLATION_TABLE_SLICE_NAME, 1, ORMA_TRANSLATE_SLICE},
        {ORMA_PB_TRANSLATION_TABLE_PROCESS_TRACK_NAME, 1, ORMA_TRANSLATE_PROCESS_TRACK},
        {ORMA_PB_TRANSLATION_TABLE_CHROME_STUDY, 1, ORMA_TRANSLATE_STUDY},
    };
    struct orma_pb_reader r = orma_pb_reader(ctx->p->payload.data, ctx->p->payload.len);
    struct orma_pb_field f, g;

    while (orma_pb_next(&r, &f)) {
        struct orma_pb_reader inner = orma_pb_sub(&f);

        while (f.wire == ORMA_PB_LEN && orma_pb_next(&inner, &g))
            for (unsigned i = 0; i < ORMA_ARRAY_LEN(tables); i++)
                if (tables[i].table == f.id && tables[i].entries == g.id)
                    read_entry(imp, ctx->machine, (enum orma_translation)tables[i].kind,
                               orma_pb_str(&g));
    }
    return true;
}

static const uint16_t fields[] = {ORMA_PB_TRACE_PACKET_TRANSLATION_TABLE, 0};
const struct orma_importer orma_trace_translation_importer = {
    .name = "translation_table", .fields = fields, .early = translation_early};
