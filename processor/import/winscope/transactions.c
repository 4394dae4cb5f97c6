/* What was asked of SurfaceFlinger: transactions, layers and displays that come and go. */
#include "processor/import/winscope/winscope.h"
#include "sdk/base/hash.h"

enum {
    ENTRY_VSYNC = 2,
    ENTRY_TRANSACTIONS,
    ENTRY_ADDED_LAYERS,
    ENTRY_DESTROYED_LAYERS,
    ENTRY_ADDED_DISPLAYS,
    ENTRY_REMOVED_DISPLAYS,
    ENTRY_DESTROYED_HANDLES
};
enum { STATE_PID = 1, STATE_UID, STATE_ID = 6, STATE_LAYERS, STATE_DISPLAYS };
enum { CHANGE_ID = 1, CHANGE_WHAT };

static const struct orma_winscope_columns columns = {
    ORMA_TABLE_SURFACEFLINGER_TRANSACTION, ORMA_SURFACEFLINGER_TRANSACTION_ARG_SET_ID,
    ORMA_SURFACEFLINGER_TRANSACTION_BASE64_PROTO_ID};
static const char layer_type[] = "com.android.internal.LayerState";
static const char display_type[] = "com.android.internal.DisplayState";
static const char added_type[] = "com.android.internal.LayerCreationArgs";

struct entry {
    struct orma_import_ctx *imp;
    const struct orma_item *item;
    uint32_t snapshot;
};

/* ---- flags ---- */

static void flag_row(struct orma_import_ctx *imp, uint32_t id, const char *type, uint32_t bit)
{
    const struct orma_schema *schema = orma_import_schema(imp);
    const char *name = orma_schema_value_name(
        schema, orma_schema_find_enum(schema, orma_str_from(type)), (int32_t)bit);
    struct orma_table *t = orma_model_table(imp->model, ORMA_TABLE_SURFACEFLINGER_TRANSACTION_FLAG);

    if (!name)
        return;
    uint32_t row = orma_table_add(t);
    orma_table_set(t, ORMA_SURFACEFLINGER_TRANSACTION_FLAG_FLAGS_ID, row, id);
    orma_table_set(t, ORMA_SURFACEFLINGER_TRANSACTION_FLAG_FLAG, row,
                   orma_model_cstr(imp->model, name));
}

/* The number of a mask of changes, with a row for each of them when it is new. */
static uint32_t flags_of(struct orma_import_ctx *imp, uint64_t what, bool of_display)
{
    struct orma_map *map = &orma_winscope(imp)->flags;
    uint64_t key = orma_mix64(what) ^ (of_display ? 1 : 0), have = orma_map_get(map, key);

    if (have != ORMA_MAP_NONE)
        return (uint32_t)have;
    uint32_t id = (uint32_t)map->len;
    if (orma_map_put(map, key, id))
        imp->model->storage->failed = true;
    for (unsigned i = 0; i < 64; i++) {
        if (!(what >> i & 1))
            continue;
        flag_row(imp, id,
                 of_display ? "com.android.internal.DisplayState.Changes"
                 : i < 32   ? "com.android.internal.LayerState.ChangesLsb"
                            : "com.android.internal.LayerState.ChangesMsb",
                 (uint32_t)1 << i % 32);
    }
    return id;
}

/* ---- rows ---- */

static uint32_t add_row(const struct entry *e, const char *type)
{
    struct orma_table *t = orma_model_table(e->imp->model, columns.table);
    uint32_t row = orma_table_add(t);

    orma_table_set(t, ORMA_SURFACEFLINGER_TRANSACTION_SNAPSHOT_ID, row, e->snapshot);
    orma_table_set(t, ORMA_SURFACEFLINGER_TRANSACTION_TRANSACTION_TYPE, row,
                   orma_model_lit(e->imp->model, type));
    return row;
}

static void set_message(const struct entry *e, uint32_t row, const char *type,
                        struct orma_str bytes)
{
    const struct orma_winscope_msg msg = {
        .type = type, .bytes = bytes, .machine = e->item->machine};

    orma_winscope_set_message(e->imp, &columns, row, &msg, NULL);
}

/* A change of a layer or a display: its row. */
static uint32_t change(const struct entry *e, const char *name, struct orma_str bytes,
                       bool of_display)
{
    struct orma_table *t = orma_model_table(e->imp->model, columns.table);
    struct orma_pb_field f[CHANGE_WHAT + 1];
    uint32_t row = add_row(e, name);

    orma_msg_read(bytes, f, CHANGE_WHAT + 1);
    orma_table_set(t,
                   of_display ? ORMA_SURFACEFLINGER_TRANSACTION_DISPLAY_ID
                              : ORMA_SURFACEFLINGER_TRANSACTION_LAYER_ID,
                   row, orma_pb_u32(&f[CHANGE_ID]));
    orma_table_set(t, ORMA_SURFACEFLINGER_TRANSACTION_FLAGS_ID, row,
                   flags_of(e->imp, orma_pb_u64(&f[CHANGE_WHAT]), of_display));
    set_message(e, row, of_display ? display_type : layer_type, bytes);
    return row;
}

static void transaction(const struct entry *e, struct orma_str bytes)
{
    static const struct orma_msg_column own[] = {
        {STATE_ID, ORMA_SURFACEFLINGER_TRANSACTION_TRANSACTION_ID, ORMA_MSG_INT, false},
        {STATE_PID, ORMA_SURFACEFLINGER_TRANSACTION_PID, ORMA_MSG_U32, false},
        {STATE_UID, ORMA_SURFACEFLINGER_TRANSACTION_UID, ORMA_MSG_U32, false},
    };
    struct orma_table *t = orma_model_table(e->imp->model, columns.table);
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f[STATE_ID + 1], g;
    bool any = false;

    orma_msg_read(bytes, f, STATE_ID + 1);
    for (unsigned pass = STATE_LAYERS; pass <= STATE_DISPLAYS; pass++)
        for (struct orma_pb_reader again = r; orma_pb_next(&again, &g);) {
            if (g.id != pass)
                continue;
            uint32_t row = change(e, pass == STATE_LAYERS ? "LAYER_CHANGED" : "DISPLAY_CHANGED",
                                  orma_pb_str(&g), pass == STATE_DISPLAYS);
            orma_msg_set_columns(e->imp, t, row, own, ORMA_ARRAY_LEN(own), f);
            any = true;
        }
    if (!any)
        orma_msg_set_columns(e->imp, t, add_row(e, "NOOP"), own, ORMA_ARRAY_LEN(own), f);
}

static void added_layer(const struct entry *e, struct orma_str bytes)
{
    struct orma_table *t = orma_model_table(e->imp->model, columns.table);
    struct orma_pb_field f[CHANGE_ID + 1];
    uint32_t row = add_row(e, "LAYER_ADDED");

    orma_msg_read(bytes, f, CHANGE_ID + 1);
    orma_table_set(t, ORMA_SURFACEFLINGER_TRANSACTION_LAYER_ID, row, orma_pb_u32(&f[CHANGE_ID]));
    set_message(e, row, added_type, bytes);
}

/* Those that are named by number only. */
static void numbers(const struct entry *e, uint32_t field, const char *type, uint8_t column)
{
    struct orma_table *t = orma_model_table(e->imp->model, columns.table);
    struct orma_msg_numbers list = orma_msg_numbers(orma_msg_item(e->item), field);
    uint64_t val;

    while (orma_msg_next_number(&list, &val))
        orma_table_set(t, column, add_row(e, type), (uint32_t)val);
}

static void messages(const struct entry *e, uint32_t field)
{
    struct orma_pb_reader r = orma_pb_reader(e->item->data, e->item->len);
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        if (f.id != field)
            continue;
        if (field == ENTRY_TRANSACTIONS)
            transaction(e, orma_pb_str(&f));
        else if (field == ENTRY_ADDED_LAYERS)
            added_layer(e, orma_pb_str(&f));
        else
            (void)change(e, "DISPLAY_ADDED", orma_pb_str(&f), true);
    }
}

static void parse(struct orma_import_ctx *imp, const struct orma_item *item)
{
    static const struct orma_winscope_columns whole = {
        ORMA_TABLE_SURFACEFLINGER_TRANSACTIONS, ORMA_SURFACEFLINGER_TRANSACTIONS_ARG_SET_ID,
        ORMA_SURFACEFLINGER_TRANSACTIONS_BASE64_PROTO_ID};
    const struct orma_winscope_msg msg = {.type = "com.android.internal.TransactionTraceEntry",
                                          .bytes = orma_msg_item(item),
                                          .machine = item->machine};
    struct orma_table *t = orma_model_table(imp->model, whole.table);
    const struct entry e = {.imp = imp, .item = item, .snapshot = orma_table_add(t)};
    struct orma_pb_field f[ENTRY_VSYNC + 1];

    if (!orma_msg_read(msg.bytes, f, ENTRY_VSYNC + 1))
        orma_stats_inc(orma_model_stats(imp->model, item->machine),
                       ORMA_STAT_WINSCOPE_SF_TRANSACTIONS_PARSE_ERRORS);
    orma_table_set_time(t, ORMA_SURFACEFLINGER_TRANSACTIONS_TS, e.snapshot, item->ts);
    if (f[ENTRY_VSYNC].id)
        orma_table_set(t, ORMA_SURFACEFLINGER_TRANSACTIONS_VSYNC_ID, e.snapshot,
                       orma_pb_i64(&f[ENTRY_VSYNC]));
    orma_winscope_set_message(imp, &whole, e.snapshot, &msg, NULL);
    messages(&e, ENTRY_TRANSACTIONS);
    messages(&e, ENTRY_ADDED_LAYERS);
    numbers(&e, ENTRY_DESTROYED_LAYERS, "LAYER_DESTROYED",
            ORMA_SURFACEFLINGER_TRANSACTION_LAYER_ID);
    messages(&e, ENTRY_ADDED_DISPLAYS);
    numbers(&e, ENTRY_REMOVED_DISPLAYS, "DISPLAY_REMOVED",
            ORMA_SURFACEFLINGER_TRANSACTION_DISPLAY_ID);
    numbers(&e, ENTRY_DESTROYED_HANDLES, "LAYER_HANDLE_DESTROYED",
            ORMA_SURFACEFLINGER_TRANSACTION_LAYER_ID);
}

static const uint16_t fields[] = {ORMA_PB_TRACE_PACKET_SURFACEFLINGER_TRANSACTIONS, 0};
const struct orma_importer orma_winscope_transactions_importer = {
    .name = "transactions", .fields = fields, .parse = parse};
