/*
 * The module, and packets with WinscopeExtensions: snapshots of views, windows, the input method,
 * and events of input.
 */
#include "processor/import/winscope/winscope.h"

enum {
    EXT_IME_CLIENTS = 1,
    EXT_IME_SERVICE,
    EXT_IME_MANAGER,
    EXT_VIEWCAPTURE,
    EXT_INPUT,
    EXT_WINDOWS
};

/* Snapshots with nothing but args. */
static const struct snapshot {
    struct orma_winscope_columns columns;
    uint8_t ts;
    uint16_t stat;
    const char *type;
} snapshots[] = {
    [EXT_IME_CLIENTS] = {{ORMA_TABLE_INPUTMETHOD_CLIENTS, ORMA_INPUTMETHOD_CLIENTS_ARG_SET_ID,
                          ORMA_INPUTMETHOD_CLIENTS_BASE64_PROTO_ID},
                         ORMA_INPUTMETHOD_CLIENTS_TS,
                         ORMA_STAT_WINSCOPE_INPUTMETHOD_CLIENTS_PARSE_ERRORS,
                         "com.android.internal.InputMethodClientsTraceProto"},
    [EXT_IME_SERVICE] = {{ORMA_TABLE_INPUTMETHOD_SERVICE, ORMA_INPUTMETHOD_SERVICE_ARG_SET_ID,
                          ORMA_INPUTMETHOD_SERVICE_BASE64_PROTO_ID},
                         ORMA_INPUTMETHOD_SERVICE_TS,
                         ORMA_STAT_WINSCOPE_INPUTMETHOD_SERVICE_PARSE_ERRORS,
                         "com.android.internal.InputMethodServiceTraceProto"},
    [EXT_IME_MANAGER] = {{ORMA_TABLE_INPUTMETHOD_MANAGER_SERVICE,
                          ORMA_INPUTMETHOD_MANAGER_SERVICE_ARG_SET_ID,
                          ORMA_INPUTMETHOD_MANAGER_SERVICE_BASE64_PROTO_ID},
                         ORMA_INPUTMETHOD_MANAGER_SERVICE_TS,
                         ORMA_STAT_WINSCOPE_INPUTMETHOD_MANAGER_SERVICE_PARSE_ERRORS,
                         "com.android.internal.InputMethodManagerServiceTraceProto"},
};

static void snapshot(struct orma_import_ctx *imp, const struct orma_item *item,
                     const struct snapshot *s, struct orma_str bytes)
{
    const struct orma_winscope_msg msg = {
        .type = s->type, .bytes = bytes, .gen = item->gen, .machine = item->machine};
    struct orma_table *t = orma_model_table(imp->model, s->columns.table);
    struct orma_pb_field f[1];
    uint32_t row = orma_table_add(t);

    if (!orma_msg_read(bytes, f, 1))
        orma_stats_inc(orma_model_stats(imp->model, item->machine), s->stat);
    orma_table_set_time(t, s->ts, row, item->ts);
    orma_winscope_set_message(imp, &s->columns, row, &msg, NULL);
}

static void parse(struct orma_import_ctx *imp, const struct orma_item *item)
{
    struct orma_pb_reader r = orma_pb_reader(item->data, item->len);
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        switch (f.id) {
        case EXT_IME_CLIENTS:
        case EXT_IME_SERVICE:
        case EXT_IME_MANAGER:
            snapshot(imp, item, &snapshots[f.id], orma_pb_str(&f));
            break;
        case EXT_VIEWCAPTURE:
            orma_winscope_viewcapture(imp, item, orma_pb_str(&f));
            break;
        case EXT_INPUT:
            orma_winscope_input(imp, item, orma_pb_str(&f));
            break;
        case EXT_WINDOWS:
            orma_winscope_windows(imp, item, orma_pb_str(&f));
            break;
        }
    }
}

static void fini(struct orma_import_ctx *imp)
{
    orma_map_fini(&orma_winscope(imp)->rows);
    orma_map_fini(&orma_winscope(imp)->messages);
    orma_map_fini(&orma_winscope(imp)->flags);
}

static const uint16_t fields[] = {ORMA_PB_TRACE_PACKET_WINSCOPE_EXTENSIONS, 0};
const struct orma_importer orma_winscope_extensions_importer = {
    .name = "winscope", .fields = fields, .parse = parse, .fini = fini};

const struct orma_import_module orma_winscope_module = {.name = "winscope",
                                                        .state_size = sizeof(struct orma_winscope)};
