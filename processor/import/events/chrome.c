/* What Chrome says of itself: its untyped bundle of facts, and the typed one. */
#include "processor/import/events/events.h"
#include "protos/fields/trace.h"
#include "sdk/base/buf.h"

#include <inttypes.h>
#include <stdio.h>

/* ChromeEventBundle, ChromeMetadata and ChromeMetadataPacket, as far as they are read. */
enum {
    BUNDLE_METADATA = 2,
    FACT_NAME = 1,
    FACT_STRING = 2,
    FACT_BOOL = 3,
    FACT_INT = 4,
    FACT_JSON = 5,
    PACKET_PLAYSTORE_VERSION_CODE = 2,
    PACKET_ENABLED_CATEGORIES = 3,
    PACKET_PRODUCT_VERSION = 6,
    PACKET_CHANNEL = 7,
    PACKET_OS_NAME = 8,
};

struct fact {
    struct orma_str name;
    enum { NO_VALUE, TEXT, JSON, NUMBER } kind;
    int64_t num;
    uint32_t str;
};

static struct fact read_fact(struct orma_import_ctx *imp, struct orma_str bytes)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;
    struct fact fact = {0};

    while (orma_pb_next(&r, &f)) {
        switch (f.id) {
        case FACT_NAME:
            fact.name = orma_pb_str(&f);
            break;
        case FACT_STRING:
        case FACT_JSON:
            fact.kind = f.id == FACT_JSON ? JSON : TEXT;
            fact.str = orma_model_str(imp->model, orma_pb_str(&f));
            break;
        case FACT_BOOL:
        case FACT_INT:
            fact.kind = NUMBER;
            fact.num = (int64_t)orma_pb_u64(&f);
            break;
        }
    }
    return fact;
}

/* The row "cr-[which-]name". */
static void put_metadata(struct orma_import_ctx *imp, uint16_t machine, const char *which,
                         const struct fact *fact)
{
    struct orma_buf name = {0};

    orma_buf_put_str(&name, "cr-");
    orma_buf_put_str(&name, which);
    orma_buf_put(&name, fact->name.data, fact->name.len);
    orma_buf_put_byte(&name, 0);
    if (name.failed)
        imp->model->storage->failed = true;
    else if (fact->kind == NUMBER)
        orma_metadata_int(imp->model, (const char *)name.data, false,
                          ORMA_METADATA_MACHINE_AND_TRACE, machine, fact->num);
    else
        orma_metadata_str(imp->model, (const char *)name.data, false,
                          ORMA_METADATA_MACHINE_AND_TRACE, machine, fact->str);
    orma_buf_fini(&name);
}

static void put_arg(struct orma_import_ctx *imp, struct orma_args_list *args,
                    const struct fact *fact)
{
    uint32_t key = orma_model_str(imp->model, fact->name);

    if (fact->kind == NUMBER)
        orma_args_put_int(args, key, fact->num);
    else if (fact->kind == TEXT)
        orma_args_put_str(args, key, fact->str);
    else
        orma_args_put(args,
                      (struct orma_args_item){key, key, ORMA_ARG_JSON, false, {.i = fact->str}});
}

/* Facts become metadata, and args of one row of the raw events. The second program's are numbered.
 */
static void events_parse(struct orma_import_ctx *imp, const struct orma_item *item)
{
    struct orma_table *t = orma_model_table(imp->model, ORMA_TABLE_CHROME_RAW);
    struct orma_pb_reader r = orma_pb_reader(item->data, item->len);
    struct orma_pb_field f;
    char which[16] = "";
    bool any = false;

    ORMA_MODEL_ARGS(args, imp->model);
    while (orma_pb_next(&r, &f)) {
        if (f.id != BUNDLE_METADATA)
            continue;
        if (!any && ++orma_events(imp)->chrome_bundles > 1)
            snprintf(which, sizeof(which), "%" PRIu32 "-", orma_events(imp)->chrome_bundles);
        any = true;
        struct fact fact = read_fact(imp, orma_pb_str(&f));
        if (fact.kind == NO_VALUE) {
            orma_stats_add(orma_model_stats(imp->model, item->machine),
                           ORMA_STAT_EMPTY_CHROME_METADATA, 1);
            continue;
        }
        put_metadata(imp, item->machine, which, &fact);
        put_arg(imp, args, &fact);
    }
    if (!any)
        return;
    uint32_t row = orma_table_add(t);
    orma_table_set_time(t, ORMA_CHROME_RAW_TS, row, item->ts);
    orma_table_set(t, ORMA_CHROME_RAW_NAME, row,
                   orma_model_lit(imp->model, "chrome_event.metadata"));
    orma_storage_set_args(t, ORMA_CHROME_RAW_ARG_SET_ID, row,
                          orma_args_commit(&imp->model->storage->args, args));
}

static const uint16_t events_fields[] = {ORMA_PB_TRACE_PACKET_CHROME_EVENTS, 0};
const struct orma_importer orma_events_chrome_events_importer = {
    .name = "chrome_events", .fields = events_fields, .parse = events_parse};

/* ---- the typed packet ---- */

/* "a-", ..., "z-", "ba-": programs in the order in which the file has them. */
static void letters(uint32_t num, char ret[static 10])
{
    char reversed[8];
    size_t len = 0, n = 0;

    do
        reversed[len++] = (char)('a' + num % 26);
    while ((num /= 26));
    while (len)
        ret[n++] = reversed[--len];
    ret[n++] = '-';
    ret[n] = 0;
}

static bool typed_tokenize(struct orma_import_ctx *imp, const struct orma_packet_ctx *ctx)
{
    static const struct {
        uint32_t field;
        bool text;
        const char *name;
    } known[] = {
        {PACKET_PLAYSTORE_VERSION_CODE, false, "playstore_version_code"},
        {PACKET_ENABLED_CATEGORIES, true, "enabled_categories"},
        {PACKET_PRODUCT_VERSION, true, "product-version"},
        {PACKET_OS_NAME, true, "os-name"},
        {PACKET_CHANNEL, false, "channel"},
    };
    const struct orma_str bytes = ctx->p->payload;
    struct orma_pb_field f;
    char which[10];

    letters(orma_events(imp)->chrome_packets++, which);
    for (size_t i = 0; i < ORMA_ARRAY_LEN(known); i++) {
        struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);

        while (orma_pb_next(&r, &f)) {
            if (known[i].field != f.id)
                continue;
            struct fact fact = {.name = orma_str_from(known[i].name),
                                .kind = known[i].text ? TEXT : NUMBER};
            if (known[i].text)
                fact.str = orma_model_str(imp->model, orma_pb_str(&f));
            else
                fact.num = (int64_t)orma_pb_u64(&f);
            put_metadata(imp, ctx->machine, which, &fact);
        }
    }
    return true;
}

static const uint16_t typed_fields[] = {ORMA_PB_TRACE_PACKET_CHROME_METADATA, 0};
const struct orma_importer orma_events_chrome_metadata_importer = {
    .name = "chrome_metadata", .fields = typed_fields, .tokenize = typed_tokenize};
