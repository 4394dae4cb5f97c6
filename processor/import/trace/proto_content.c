/*
 * A node for each path. Bytes of a field are those of its value; tags, lengths and what is
 * malformed count as the message's own. Trees that a hostile trace makes too deep or too wide are
 * cut: what lies below counts as the own bytes of the last node.
 *
 * There is a tree for each category and name of track events, and one for all other packets. What
 * a track event is called is known when it is imported; until then its packet is only remembered.
 * Those that are dropped before are in no tree.
 */
#include "processor/import/trace/proto_content.h"

#include <errno.h>
#include <stdlib.h>

#include "protos/fields/trace.h"
#include "protos/reflect/schema.h"
#include "sdk/base/buf.h"
#include "sdk/base/vec.h"

#define DEPTH_MAX 48
#define NODES_MAX (1u << 20)
#define NONE UINT32_MAX
#define UNKNOWN 0 /* no field has this number */

struct node {
    uint32_t parent; /* NONE: the root of a tree, and `number` that of the tree */
    uint32_t number;
    uint32_t msg;                   /* ORMA_SCHEMA_NONE: not a message, or not known */
    const struct orma_field *field; /* NULL: the root, and unknown fields */
    int64_t size, count, total;
};

/* Category and name of the events that a tree is of, as pool ids; of that of other packets, 0. */
struct label {
    uint32_t category, name;
};
ORMA_VEC_STRUCT(labels, struct label);

struct orma_trace_content {
    struct orma_import_ctx *imp;
    const struct orma_schema *schema;
    struct node *nodes;
    uint32_t num, cap;
    struct orma_map by_key;  /* parent << 32 | number → node */
    struct orma_map waiting; /* address of a packet with a track event → its length */
    struct orma_map trees;   /* category << 32 | name → into `labels` */
    struct labels labels;
    bool failed;
};

/* NONE: there are too many. */
static uint32_t find_node(struct orma_trace_content *c, uint32_t parent, uint32_t number,
                          uint32_t msg, const struct orma_field *field)
{
    uint64_t key = (uint64_t)parent << 32 | number, have = orma_map_get(&c->by_key, key);

    if (have != ORMA_MAP_NONE)
        return (uint32_t)have;
    if (c->num == NODES_MAX || c->failed)
        return NONE;
    if (ORMA_GROW(&c->nodes, &c->cap, c->num + (size_t)1)) {
        c->failed = true;
        return NONE;
    }
    if (orma_map_put(&c->by_key, key, c->num)) {
        c->failed = true;
        return NONE;
    }
    c->nodes[c->num] =
        (struct node){.parent = parent, .number = number, .msg = msg, .field = field};
    return c->num++;
}

static size_t value_size(const struct orma_pb_field *f)
{
    size_t n = 1;

    switch (f->wire) {
    case ORMA_PB_LEN:
        return f->len;
    case ORMA_PB_I64:
        return 8;
    case ORMA_PB_I32:
        return 4;
    }
    for (uint64_t val = f->num; val >= 0x80; val >>= 7)
        n++;
    return n;
}

/* Counts the message, and below `node` its fields. */
static void add_message(struct orma_trace_content *c, uint32_t node, struct orma_pb_reader r,
                        size_t len, unsigned depth)
{
    size_t own = len;
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        uint32_t msg = c->nodes[node].msg;
        const struct orma_field *field = orma_schema_field(c->schema, msg, f.id);
        bool message = field && field->type == ORMA_TYPE_MESSAGE;
        uint32_t below = depth < DEPTH_MAX
                             ? find_node(c, node, field ? f.id : UNKNOWN,
                                         message ? field->type_idx : ORMA_SCHEMA_NONE, field)
                             : NONE;

        if (below == NONE)
            continue;
        own -= value_size(&f);
        if (message && f.wire == ORMA_PB_LEN) {
            add_message(c, below, orma_pb_sub(&f), f.len, depth + 1);
        } else {
            c->nodes[below].size += (int64_t)value_size(&f);
            c->nodes[below].count++;
        }
    }
    c->nodes[node].size += (int64_t)own;
    c->nodes[node].count++;
}

static bool has_event(struct orma_str packet)
{
    struct orma_pb_reader r = orma_pb_reader(packet.data, packet.len);
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f))
        if (f.id == ORMA_PB_TRACE_PACKET_TRACK_EVENT)
            return true;
    return false;
}

static uint32_t root_of(struct orma_trace_content *c, uint32_t tree)
{
    return find_node(c, NONE, tree,
                     orma_schema_find_msg(c->schema, ORMA_STR("perfetto.protos.TracePacket")),
                     NULL);
}

static void look(void *data, struct orma_str packet)
{
    struct orma_trace_content *c = data;

    if (has_event(packet))
        c->failed |= orma_map_put(&c->waiting, (uintptr_t)packet.data, packet.len) < 0;
    else if (c->num)
        add_message(c, 0, orma_pb_reader(packet.data, packet.len), packet.len, 0);
}

/* The number of the tree of such events. */
static uint32_t tree_of(struct orma_trace_content *c, struct label label)
{
    uint64_t key = (uint64_t)label.category << 32 | label.name;
    uint64_t tree = orma_map_get(&c->trees, key);

    if (tree != ORMA_MAP_NONE)
        return (uint32_t)tree;
    if (ORMA_VEC_PUSH(&c->labels, label) || orma_map_put(&c->trees, key, c->labels.len - 1) < 0) {
        c->failed = true;
        return 0;
    }
    return c->labels.len - 1;
}

void orma_trace_content_event(struct orma_import_ctx *imp, const struct orma_item *item,
                              uint32_t category, uint32_t name)
{
    struct orma_trace_content *c = orma_trace(imp)->content;
    const uint8_t *packet = item->data - item->before;
    uint64_t len = c ? orma_map_take(&c->waiting, (uintptr_t)packet) : ORMA_MAP_NONE;

    if (len == ORMA_MAP_NONE)
        return;
    uint32_t root = root_of(c, tree_of(c, (struct label){category, name}));
    add_message(c, root == NONE ? 0 : root, orma_pb_reader(packet, len), len, 0);
}

int orma_trace_content_start(struct orma_import_ctx *imp)
{
    struct orma_trace_content *c =
        orma_model_lazy(imp->model, (void **)&orma_trace(imp)->content, sizeof(*c));

    if (!c)
        return -ENOMEM;
    c->imp = imp;
    c->schema = orma_schema_default();
    if (ORMA_VEC_PUSH(&c->labels, (struct label){0}) || root_of(c, 0) == NONE)
        return -ENOMEM;
    imp->reader->hooks.look = look;
    imp->reader->hooks.look_data = c;
    imp->reader->burst.off = true;
    return 0;
}

/* ---- rows ---- */

static const char *type_name(const struct orma_trace_content *c, const struct node *n)
{
    static const char *const names[] = {
        [ORMA_TYPE_DOUBLE] = "double",     [ORMA_TYPE_FLOAT] = "float",
        [ORMA_TYPE_INT64] = "int64",       [ORMA_TYPE_UINT64] = "uint64",
        [ORMA_TYPE_INT32] = "int32",       [ORMA_TYPE_FIXED64] = "fixed64",
        [ORMA_TYPE_FIXED32] = "fixed32",   [ORMA_TYPE_BOOL] = "bool",
        [ORMA_TYPE_STRING] = "string",     [ORMA_TYPE_MESSAGE] = "message",
        [ORMA_TYPE_BYTES] = "bytes",       [ORMA_TYPE_UINT32] = "uint32",
        [ORMA_TYPE_ENUM] = "enum",         [ORMA_TYPE_SFIXED32] = "sfixed32",
        [ORMA_TYPE_SFIXED64] = "sfixed64", [ORMA_TYPE_SINT32] = "sint32",
        [ORMA_TYPE_SINT64] = "sint64",
    };

    if (n->msg != ORMA_SCHEMA_NONE)
        return orma_schema_short_name(orma_schema_msg_name(c->schema, n->msg));
    if (!n->field || n->field->type >= ORMA_ARRAY_LEN(names) || !names[n->field->type])
        return "unknown";
    return names[n->field->type];
}

/* "#name" of a field; NULL for the root. */
static uint32_t field_name(struct orma_trace_content *c, const struct node *n)
{
    struct orma_strpool *pool = &c->imp->model->storage->pool;

    if (n->parent == NONE)
        return 0;
    if (!n->field)
        return orma_strpool_add_c(pool, "#unknown");
    return orma_strpool_addf(pool, "#%s", orma_field_name(c->schema, n->field));
}

/* "TracePacket.#clock_snapshot.ClockSnapshot": appended to that of the parent, which came first. */
static uint32_t path_name(struct orma_trace_content *c, const struct node *n, uint32_t parent)
{
    struct orma_strpool *pool = &c->imp->model->storage->pool;

    if (n->parent == NONE)
        return orma_strpool_add_c(pool, type_name(c, n));
    return orma_strpool_addf(pool, "%s.%s.%s", orma_strpool_cstr(pool, parent),
                             orma_strpool_cstr(pool, field_name(c, n)), type_name(c, n));
}

/* What events a tree is of, as the args of all its rows. */
static uint32_t args_of(struct orma_trace_content *c, uint32_t tree)
{
    struct orma_model *model = c->imp->model;
    const struct label *label = &c->labels.data[tree];

    ORMA_MODEL_ARGS(args, model);
    if (tree) {
        orma_args_put_str(args, orma_model_lit(model, "event.category"), label->category);
        orma_args_put_str(args, orma_model_lit(model, "event.name"), label->name);
    }
    return orma_args_commit(&model->storage->args, args);
}

static void put_path(struct orma_trace_content *c, const struct node *n, uint32_t args)
{
    struct orma_table *t = orma_model_table(c->imp->model, ORMA_TABLE_EXPERIMENTAL_PROTO_PATH);
    uint32_t row = orma_table_add(t), type = orma_model_cstr(c->imp->model, type_name(c, n));

    if (n->parent != NONE)
        orma_table_set(t, ORMA_EXPERIMENTAL_PROTO_PATH_PARENT_ID, row, n->parent);
    orma_table_set(t, ORMA_EXPERIMENTAL_PROTO_PATH_FIELD_TYPE, row, type);
    orma_table_set(t, ORMA_EXPERIMENTAL_PROTO_PATH_FIELD_NAME, row, field_name(c, n));
    orma_storage_set_args(t, ORMA_EXPERIMENTAL_PROTO_PATH_ARG_SET_ID, row, args);
}

static void put_content(struct orma_trace_content *c, uint32_t node, uint32_t path)
{
    struct orma_table *t = orma_model_table(c->imp->model, ORMA_TABLE_EXPERIMENTAL_PROTO_CONTENT);
    const struct node *n = &c->nodes[node];
    uint32_t row = orma_table_add(t);

    orma_table_set(t, ORMA_EXPERIMENTAL_PROTO_CONTENT_PATH, row, path);
    orma_table_set(t, ORMA_EXPERIMENTAL_PROTO_CONTENT_PATH_ID, row, node);
    orma_table_set(t, ORMA_EXPERIMENTAL_PROTO_CONTENT_TOTAL_SIZE, row, n->total);
    orma_table_set(t, ORMA_EXPERIMENTAL_PROTO_CONTENT_SIZE, row, n->size);
    orma_table_set(t, ORMA_EXPERIMENTAL_PROTO_CONTENT_COUNT, row, n->count);
}

/* Of each node the text of its path, and the args of its tree. */
struct of_node {
    uint32_t path, args;
};

static void put_rows(struct orma_trace_content *c)
{
    struct of_node *all = calloc((size_t)c->num + 1, sizeof(*all));

    if (!all) {
        c->imp->model->storage->failed = true;
        return;
    }
    for (uint32_t i = c->num; i-- > 0;) { /* those above come first */
        c->nodes[i].total += c->nodes[i].size;
        if (c->nodes[i].parent != NONE)
            c->nodes[c->nodes[i].parent].total += c->nodes[i].total;
    }
    for (uint32_t i = 0; i < c->num; i++) {
        const struct node *n = &c->nodes[i];
        bool is_root = n->parent == NONE;

        all[i].args = is_root ? args_of(c, n->number) : all[n->parent].args;
        all[i].path = path_name(c, n, is_root ? 0 : all[n->parent].path);
        put_path(c, n, all[i].args);
        put_content(c, i, all[i].path);
    }
    free(all);
}

static void finish(struct orma_import_ctx *imp)
{
    struct orma_trace_content *c = orma_trace(imp)->content;

    if (!c)
        return;
    imp->model->storage->failed |= c->failed;
    if (c->num && (c->num > 1 || c->nodes[0].count) && !imp->model->storage->failed)
        put_rows(c);
}

static void fini(struct orma_import_ctx *imp)
{
    struct orma_trace_content *c = orma_trace(imp)->content;

    if (!c)
        return;
    free(c->nodes);
    orma_map_fini(&c->by_key);
    orma_map_fini(&c->waiting);
    orma_map_fini(&c->trees);
    ORMA_VEC_FINI(&c->labels);
}

const struct orma_importer orma_trace_proto_content_importer = {
    .name = "proto_content", .finish = finish, .fini = fini};
