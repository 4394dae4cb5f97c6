/*
 * Window traces: messages as args with the defaults of what they leave out, and layers with all
 * that they lie in.
 *
 * Rows name their message by number; the storage keeps its bytes. A message is walked once: each
 * value is a row, and behind the last field of a message come those that it could have had.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "processor/sql/base/tvf.h"
#include "processor/sql/functions/functions.h"
#include "processor/store/args.h"
#include "processor/store/blobs.h"
#include "protos/reflect/walk.h"
#include "sdk/base/base64.h"
#include "sdk/base/hash.h"
#include "sdk/base/map.h"

enum { COL_MESSAGE = 1, COL_FLAT_KEY, COL_KEY, COL_INT, COL_STRING, COL_REAL, COL_TYPE };
#define DEPTH_MAX 32
#define FIELDS_MAX 256
#define IID_LEN 4

/* A table whose rows have messages. `fields`: bits of those that are shown; 0: all. */
static const struct message_source {
    enum orma_table_id table;
    uint8_t message, args, container, transition; /* columns; 0: none */
    uint64_t fields;
    const char *type;
} sources[] = {
    {ORMA_TABLE_SURFACEFLINGER_LAYER, ORMA_SURFACEFLINGER_LAYER_BASE64_PROTO_ID, 0, 0, 0, 0,
     "LayerProto"},
    {ORMA_TABLE_SURFACEFLINGER_LAYERS_SNAPSHOT, ORMA_SURFACEFLINGER_LAYERS_SNAPSHOT_BASE64_PROTO_ID,
     0, 0, 0, 0x1f6, "LayersSnapshotProto"},
    {ORMA_TABLE_SURFACEFLINGER_TRANSACTIONS, ORMA_SURFACEFLINGER_TRANSACTIONS_BASE64_PROTO_ID, 0, 0,
     0, 0, "TransactionTraceEntry"},
    {ORMA_TABLE_WINDOW_MANAGER_SHELL_TRANSITION_PROTOS,
     ORMA_WINDOW_MANAGER_SHELL_TRANSITION_PROTOS_BASE64_PROTO_ID, 0, 0,
     ORMA_WINDOW_MANAGER_SHELL_TRANSITION_PROTOS_TRANSITION_ID, 0, "ShellTransition"},
    {ORMA_TABLE_INPUTMETHOD_CLIENTS, ORMA_INPUTMETHOD_CLIENTS_BASE64_PROTO_ID, 0, 0, 0, 0,
     "InputMethodClientsTraceProto"},
    {ORMA_TABLE_INPUTMETHOD_MANAGER_SERVICE, ORMA_INPUTMETHOD_MANAGER_SERVICE_BASE64_PROTO_ID, 0, 0,
     0, 0, "InputMethodManagerServiceTraceProto"},
    {ORMA_TABLE_INPUTMETHOD_SERVICE, ORMA_INPUTMETHOD_SERVICE_BASE64_PROTO_ID, 0, 0, 0, 0,
     "InputMethodServiceTraceProto"},
    {ORMA_TABLE_VIEWCAPTURE, ORMA_VIEWCAPTURE_BASE64_PROTO_ID, ORMA_VIEWCAPTURE_ARG_SET_ID, 0, 0,
     0x6, "ViewCapture"},
    {ORMA_TABLE_VIEWCAPTURE_VIEW, ORMA_VIEWCAPTURE_VIEW_BASE64_PROTO_ID,
     ORMA_VIEWCAPTURE_VIEW_ARG_SET_ID, 0, 0, 0, "ViewCapture.View"},
    {ORMA_TABLE_WINDOWMANAGER, ORMA_WINDOWMANAGER_BASE64_PROTO_ID, 0, 0, 0, 0x81bfa,
     "WindowManagerTraceEntry"},
    {ORMA_TABLE_WINDOWMANAGER_WINDOWCONTAINER, ORMA_WINDOWMANAGER_WINDOWCONTAINER_BASE64_PROTO_ID,
     0, ORMA_WINDOWMANAGER_WINDOWCONTAINER_CONTAINER_TYPE, 0, 0, "WindowContainerChildProto"},
    {ORMA_TABLE_ANDROID_KEY_EVENTS, ORMA_ANDROID_KEY_EVENTS_BASE64_PROTO_ID, 0, 0, 0, 0,
     "AndroidKeyEvent"},
    {ORMA_TABLE_ANDROID_MOTION_EVENTS, ORMA_ANDROID_MOTION_EVENTS_BASE64_PROTO_ID, 0, 0, 0, 0,
     "AndroidMotionEvent"},
    {ORMA_TABLE_ANDROID_INPUT_EVENT_DISPATCH, ORMA_ANDROID_INPUT_EVENT_DISPATCH_BASE64_PROTO_ID, 0,
     0, 0, 0, "AndroidWindowInputDispatchEvent"},
};

/* Of WindowContainerChildProto: the field of each type of container. */
static const struct {
    const char *type;
    uint8_t field;
} containers[] = {
    {"WindowContainer", 2}, {"DisplayContent", 3}, {"DisplayArea", 4}, {"Task", 5},
    {"Activity", 6},        {"WindowToken", 7},    {"WindowState", 8}, {"TaskFragment", 9}};

/* A message that is walked. */
struct dump {
    struct orma_tvf_call *call;
    const struct message_source *source;
    const struct orma_schema *schema;
    uint64_t fields; /* bits of those of the outermost message that are shown; 0: all */
    int64_t number;
    uint32_t row; /* of the source */
    struct orma_buf key, flat;
    struct orma_map *keys; /* those that are there already; NULL: all count */
    struct {
        uint32_t msg;
        size_t key, flat;
        uint64_t seen[FIELDS_MAX / 64]; /* fields by their place in the schema */
    } open[DEPTH_MAX + 1];
    unsigned depth;
};

static bool is_shown(const struct dump *d, unsigned depth, uint32_t number)
{
    return depth || !d->fields || (number < 64 && d->fields >> number & 1);
}

static void push(struct dump *d, const struct orma_field *field, bool indexed, uint32_t index)
{
    const char *name = orma_field_name(d->schema, field);

    if (field->flags & ORMA_FIELD_EXTENSION)
        name = orma_schema_short_name(name);
    orma_buf_printf(&d->key, "%s%s", d->key.len ? "." : "", name);
    orma_buf_printf(&d->flat, "%s%s", d->flat.len ? "." : "", name);
    if (indexed)
        orma_buf_printf(&d->key, "[%u]", (unsigned)index);
}

static void cut(struct dump *d, size_t key, size_t flat)
{
    d->key.len = key;
    d->flat.len = flat;
}

/* A row of that type; its value is still missing. UINT32_MAX: the key is there already. */
static uint32_t add(struct dump *d, enum orma_arg_type type)
{
    struct orma_dataframe *out = d->call->frame;
    uint64_t hash = orma_hash_bytes(d->key.data ? (const char *)d->key.data : "", d->key.len);

    if (d->keys && orma_map_get(d->keys, hash) != ORMA_MAP_NONE)
        return UINT32_MAX;
    if (d->keys && orma_map_put(d->keys, hash, 1))
        d->key.failed = true;
    uint32_t row = orma_dataframe_add(out);
    orma_dataframe_put_int(out, COL_MESSAGE, row, d->number);
    orma_dataframe_put_text(out, COL_FLAT_KEY, row, orma_buf_str(&d->flat));
    orma_dataframe_put_text(out, COL_KEY, row, orma_buf_str(&d->key));
    orma_dataframe_put_text(out, COL_TYPE, row, orma_str_from(orma_arg_type_names[type]));
    return row;
}

static void add_int(struct dump *d, enum orma_arg_type type, int64_t val)
{
    uint32_t row = add(d, type);

    if (row != UINT32_MAX)
        orma_dataframe_put_int(d->call->frame, COL_INT, row, val);
}

static void add_real(struct dump *d, double val)
{
    uint32_t row = add(d, ORMA_ARG_REAL);

    if (row != UINT32_MAX)
        orma_dataframe_put_double(d->call->frame, COL_REAL, row, val);
}

static void add_text(struct dump *d, struct orma_str text)
{
    uint32_t row = add(d, ORMA_ARG_STRING);

    if (row != UINT32_MAX)
        orma_dataframe_put_text(d->call->frame, COL_STRING, row, text);
}

static void add_bytes(struct dump *d, struct orma_str bytes)
{
    struct orma_buf text = {0};

    orma_base64_put(&text, bytes);
    add_text(d, orma_buf_str(&text));
    d->key.failed |= text.failed;
    orma_buf_fini(&text);
}

static void add_enum(struct dump *d, const struct orma_field *field, int64_t val)
{
    const char *name = orma_schema_value_name(d->schema, field->type_idx, (int32_t)val);

    if (name)
        add_text(d, orma_str_from(name));
    else
        add_int(d, ORMA_ARG_INT, val);
}

/* ---- what a message leaves out ---- */

static void add_default(struct dump *d, const struct orma_field *field)
{
    const size_t key = d->key.len, flat = d->flat.len;

    push(d, field, false, 0);
    if (orma_field_is_repeated(field) || field->type == ORMA_TYPE_MESSAGE)
        (void)add(d, ORMA_ARG_NULL);
    else if (field->type == ORMA_TYPE_STRING || field->type == ORMA_TYPE_BYTES)
        add_text(d, ORMA_STR(""));
    else if (field->type == ORMA_TYPE_ENUM)
        add_enum(d, field, 0);
    else if (field->type == ORMA_TYPE_BOOL)
        add_int(d, ORMA_ARG_BOOL, 0);
    else if (field->type == ORMA_TYPE_DOUBLE || field->type == ORMA_TYPE_FLOAT)
        add_real(d, 0);
    else if (field->type == ORMA_TYPE_UINT32 || field->type == ORMA_TYPE_UINT64 ||
             field->type == ORMA_TYPE_FIXED32 || field->type == ORMA_TYPE_FIXED64)
        add_int(d, ORMA_ARG_UINT, 0);
    else
        add_int(d, ORMA_ARG_INT, 0);
    cut(d, key, flat);
}

static void add_defaults(struct dump *d)
{
    uint32_t num;
    const struct orma_field *fields = orma_schema_fields(d->schema, d->open[d->depth].msg, &num);

    for (uint32_t i = 0; i < ORMA_MIN(num, (uint32_t)FIELDS_MAX); i++)
        if (!(d->open[d->depth].seen[i / 64] >> i % 64 & 1) &&
            is_shown(d, d->depth, fields[i].number))
            add_default(d, &fields[i]);
}

static void see(struct dump *d, const struct orma_field *field)
{
    uint32_t num;
    const struct orma_field *fields = orma_schema_fields(d->schema, d->open[d->depth].msg, &num);
    size_t i = (size_t)(field - fields);

    if (i < FIELDS_MAX)
        d->open[d->depth].seen[i / 64] |= (uint64_t)1 << i % 64;
}

/* ---- the walk ---- */

static int enter(void *ctx, const struct orma_walk_item *item)
{
    struct dump *d = ctx;

    if (!item->field || !is_shown(d, d->depth, item->number) || d->depth == DEPTH_MAX)
        return 1;
    see(d, item->field);
    d->open[d->depth].key = d->key.len;
    d->open[d->depth].flat = d->flat.len;
    push(d, item->field, orma_field_is_repeated(item->field), item->index);
    d->depth++;
    memset(&d->open[d->depth], 0, sizeof(d->open[d->depth]));
    d->open[d->depth].msg = item->field->type_idx;
    return 0;
}

static int leave(void *ctx, const struct orma_walk_item *item)
{
    struct dump *d = ctx;

    (void)item;
    add_defaults(d);
    d->depth--;
    cut(d, d->open[d->depth].key, d->open[d->depth].flat);
    return d->key.failed || d->flat.failed ? -ENOMEM : 0;
}

static void add_value(struct dump *d, const struct orma_walk_item *item)
{
    switch (item->type) {
    case ORMA_TYPE_DOUBLE:
    case ORMA_TYPE_FLOAT:
        add_real(d, item->real);
        break;
    case ORMA_TYPE_UINT32:
    case ORMA_TYPE_UINT64:
    case ORMA_TYPE_FIXED32:
    case ORMA_TYPE_FIXED64:
        add_int(d, ORMA_ARG_UINT, (int64_t)item->u64);
        break;
    case ORMA_TYPE_BOOL:
        add_int(d, ORMA_ARG_BOOL, item->u64 != 0);
        break;
    case ORMA_TYPE_ENUM:
        add_enum(d, item->field, item->i64);
        break;
    case ORMA_TYPE_STRING:
        add_text(d, item->bytes);
        break;
    case ORMA_TYPE_BYTES:
        add_bytes(d, item->bytes);
        break;
    case ORMA_TYPE_MESSAGE: /* malformed */
        (void)add(d, ORMA_ARG_NULL);
        break;
    default:
        add_int(d, ORMA_ARG_INT, item->i64);
    }
}

/* The number of an interned text: what the row knows of it, under the name without "_iid". */
static bool add_interned(struct dump *d)
{
    struct orma_storage *st = d->call->sql->storage;
    const struct orma_table *t = &st->tables[d->source->table];
    struct orma_args_item arg;
    struct orma_str key = orma_buf_str(&d->key);

    if (!d->source->args || key.len <= IID_LEN ||
        memcmp(key.data + key.len - IID_LEN, "_iid", IID_LEN) != 0 ||
        orma_table_is_null(t, d->source->args, d->row))
        return false;
    key.len -= IID_LEN;
    uint32_t id = orma_strpool_find(&st->pool, key);
    if (!id ||
        !orma_args_find(&st->args, (uint32_t)orma_table_int(t, d->source->args, d->row), id,
                        &arg) ||
        arg.type != ORMA_ARG_STRING)
        return false;
    cut(d, d->key.len - IID_LEN, d->flat.len - IID_LEN);
    add_text(d, orma_strpool_get(&st->pool, arg.str));
    return true;
}

static int value(void *ctx, const struct orma_walk_item *item)
{
    struct dump *d = ctx;
    const size_t key = d->key.len, flat = d->flat.len;

    if (!item->field || !is_shown(d, d->depth, item->number))
        return 0;
    see(d, item->field);
    push(d, item->field, orma_field_is_repeated(item->field), item->index);
    if (!add_interned(d))
        add_value(d, item);
    cut(d, key, flat);
    return d->key.failed || d->flat.failed ? -ENOMEM : 0;
}

static int dump(struct dump *d, struct orma_str bytes)
{
    const struct orma_walk walk = {
        .value = value, .enter = enter, .leave = leave, .ctx = d, .indices = true};
    char name[96];

    (void)snprintf(name, sizeof(name), "com.android.internal.%s", d->source->type);
    uint32_t msg = orma_schema_find_msg(d->schema, orma_str_from(name));
    memset(&d->open[0], 0, sizeof(d->open[0]));
    d->open[0].msg = msg;
    d->depth = 0;
    cut(d, 0, 0);
    int r = msg == ORMA_SCHEMA_NONE ? 0 : orma_walk(d->schema, msg, bytes.data, bytes.len, &walk);
    d->depth = 0; /* a malformed message may have left it open */
    cut(d, 0, 0);
    if (r == -ENOMEM || d->key.failed || d->flat.failed)
        return -ENOMEM;
    if (msg != ORMA_SCHEMA_NONE)
        add_defaults(d);
    return 0;
}

/* ---- rows of a table ---- */

/* All messages of a transition are parts of one. */
static int dump_transition(struct dump *d, const struct orma_table *t)
{
    const int64_t id = orma_table_int(t, d->source->transition, d->row);
    struct orma_buf whole = {0};
    struct orma_map keys = {0};
    uint8_t tag;

    for (uint32_t row = d->row; row < t->rows; row++) {
        if (orma_table_int(t, d->source->transition, row) != id)
            continue;
        struct orma_str part = orma_blobs_get(&d->call->sql->storage->messages,
                                              orma_table_int(t, d->source->message, row), &tag);
        orma_buf_put(&whole, part.data ? part.data : "", part.len);
    }
    d->keys = &keys;
    int r = whole.failed ? -ENOMEM : dump(d, orma_buf_str(&whole));
    orma_map_fini(&keys);
    orma_buf_fini(&whole);
    d->keys = NULL;
    return r;
}

/* Bits of the field that a container has; 0: it shows nothing. */
static uint64_t container_field(const struct dump *d, const struct orma_table *t)
{
    struct orma_str type = orma_strpool_get(
        &d->call->sql->storage->pool, (uint32_t)orma_table_int(t, d->source->container, d->row));

    for (unsigned i = 0; i < ORMA_ARRAY_LEN(containers); i++)
        if (orma_str_eq_c(type, containers[i].type))
            return (uint64_t)1 << containers[i].field;
    return 0;
}

static int dump_row(struct dump *d, struct orma_map *done)
{
    const struct orma_table *t = &d->call->sql->storage->tables[d->source->table];
    uint8_t tag;

    if (orma_table_is_null(t, d->source->message, d->row))
        return 0;
    d->number = orma_table_int(t, d->source->message, d->row);
    d->fields = d->source->container ? container_field(d, t) : d->source->fields;
    uint64_t key = d->source->transition
                       ? (uint64_t)orma_table_int(t, d->source->transition, d->row)
                       : (uint64_t)d->number;
    if ((d->source->container && !d->fields) || orma_map_get(done, key) != ORMA_MAP_NONE)
        return 0;
    if (orma_map_put(done, key, 1))
        return -ENOMEM;
    if (orma_sql_is_interrupted(d->call->sql))
        return -ECANCELED;
    if (d->source->transition)
        return dump_transition(d, t);
    return dump(d, orma_blobs_get(&d->call->sql->storage->messages, d->number, &tag));
}

static bool is_known(const char *name)
{
    for (unsigned i = 0; i < ORMA_TABLES_NUM; i++)
        if (!sqlite3_stricmp(orma_table_defs[i].name + strlen("__intrinsic_"), name) &&
            !strncmp(orma_table_defs[i].name, "__intrinsic_", strlen("__intrinsic_")))
            return true;
    return false;
}

static const struct message_source *source_of(const char *name)
{
    for (unsigned i = 0; i < ORMA_ARRAY_LEN(sources); i++)
        if (!sqlite3_stricmp(orma_table_defs[sources[i].table].name + strlen("__intrinsic_"), name))
            return &sources[i];
    return NULL;
}

static int run_args(struct orma_tvf_call *call)
{
    static const char function[] = "winscope_proto_to_args_with_defaults";
    const char *name = sqlite3_value_type(call->argv[0]) == SQLITE_TEXT
                           ? (const char *)sqlite3_value_text(call->argv[0])
                           : NULL;
    struct orma_map done = {0};
    int r = 0;

    if (!name)
        return orma_tvf_fail(call, "%s takes table name as a string.", function);
    if (!strncmp(name, "__intrinsic_", strlen("__intrinsic_")))
        name += strlen("__intrinsic_");
    if (!is_known(name))
        return orma_tvf_fail(call, "Failed to find __intrinsic_%s table.", name);
    struct dump d = {.call = call, .source = source_of(name), .schema = orma_schema_default()};
    if (!d.source)
        return orma_tvf_fail(call, "__intrinsic_%s table does not have proto descriptor.", name);
    const struct orma_table *t = &call->sql->storage->tables[d.source->table];
    for (; d.row < t->rows && r == 0; d.row++)
        r = dump_row(&d, &done);
    orma_map_fini(&done);
    orma_buf_fini(&d.key);
    orma_buf_fini(&d.flat);
    return r;
}

const struct orma_tvf orma_functions_tvf_winscope_args = {
    .name = "__intrinsic_winscope_proto_to_args_with_defaults",
    .numbered = true,
    .columns = {"table_name", "base64_proto_id", "flat_key", "key", "int_value", "string_value",
                "real_value", "value_type"},
    .types = "TITTITDT",
    .args = {"table"},
    .run = run_args,
    .usage = "('table')",
    .doc = "Messages of a table of window traces or input events as args; missing fields have "
           "their defaults. table_name is NULL; each message comes once.",
};

/* ---- layers ---- */

#define ANCESTORS_MAX 512

/* The row of a layer in its snapshot, or ORMA_MAP_NONE. */
static uint64_t layer_key(const struct orma_table *t, uint32_t row, int64_t layer)
{
    uint64_t snapshot = (uint64_t)orma_table_int(t, ORMA_SURFACEFLINGER_LAYER_SNAPSHOT_ID, row);

    return snapshot << 32 | (uint32_t)layer;
}

/* Layers may lie in each other: a path ends before it comes back. */
static bool is_on(const int64_t *path, unsigned num, int64_t layer)
{
    for (unsigned i = 0; i < num; i++)
        if (path[i] == layer)
            return true;
    return false;
}

static void add_path(struct orma_tvf_call *call, const struct orma_table *t,
                     const struct orma_map *rows, uint32_t row)
{
    const int64_t layer = orma_table_int(t, ORMA_SURFACEFLINGER_LAYER_LAYER_ID, row);
    int64_t path[ANCESTORS_MAX];
    unsigned num = 0;
    uint64_t at = row;

    while (at != ORMA_MAP_NONE && num < ANCESTORS_MAX) {
        int64_t id = orma_table_int(t, ORMA_SURFACEFLINGER_LAYER_LAYER_ID, (uint32_t)at);

        if (is_on(path, num, id))
            break;
        path[num++] = id;
        if (orma_table_is_null(t, ORMA_SURFACEFLINGER_LAYER_PARENT, (uint32_t)at))
            break;
        at = orma_map_get(
            rows,
            layer_key(t, row, orma_table_int(t, ORMA_SURFACEFLINGER_LAYER_PARENT, (uint32_t)at)));
    }
    while (num-- > 0) {
        uint32_t out = orma_dataframe_add(call->frame);

        orma_dataframe_put_int(call->frame, 0, out,
                               orma_table_int(t, ORMA_SURFACEFLINGER_LAYER_SNAPSHOT_ID, row));
        orma_dataframe_put_int(call->frame, 1, out, layer);
        orma_dataframe_put_int(call->frame, 2, out, path[num]);
    }
}

static int run_paths(struct orma_tvf_call *call)
{
    const struct orma_table *t = &call->sql->storage->tables[ORMA_TABLE_SURFACEFLINGER_LAYER];
    struct orma_map rows = {0};
    int r = 0;

    for (uint32_t i = 0; i < t->rows && r == 0; i++)
        if (!orma_table_is_null(t, ORMA_SURFACEFLINGER_LAYER_LAYER_ID, i))
            r = orma_map_put(
                &rows, layer_key(t, i, orma_table_int(t, ORMA_SURFACEFLINGER_LAYER_LAYER_ID, i)),
                i);
    for (uint32_t i = 0; i < t->rows && r == 0; i++) {
        if (!orma_table_is_null(t, ORMA_SURFACEFLINGER_LAYER_LAYER_ID, i))
            add_path(call, t, &rows, i);
        if (i % 4096 == 4095 && orma_sql_is_interrupted(call->sql))
            r = -ECANCELED;
    }
    orma_map_fini(&rows);
    return r;
}

const struct orma_tvf orma_functions_tvf_winscope_paths = {
    .name = "__intrinsic_winscope_surfaceflinger_hierarchy_path",
    .numbered = true,
    .columns = {"snapshot_id", "layer_id", "ancestor_id"},
    .types = "III",
    .run = run_paths,
    .usage = "",
    .doc = "For each layer of a SurfaceFlinger snapshot, the layers that contain it, the outermost "
           "first, itself last.",
};
