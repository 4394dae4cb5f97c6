/*
 * Snapshots of SurfaceFlinger: displays and the layers on them, from the top to the bottom.
 *
 * First all layers of a snapshot are read; then who is above whom is settled (a tree by parents,
 * where a layer may be placed relative to another one instead), and from that their depths, what
 * hides a layer, and which cover which. Rows come last, in the order of the message.
 */
#include "processor/import/winscope/layers.h"

#include <stdlib.h>

enum {
    SNAPSHOT_ELAPSED = 1,
    SNAPSHOT_WHERE,
    SNAPSHOT_LAYERS,
    SNAPSHOT_PARTIAL = 5,
    SNAPSHOT_DISPLAYS = 7
};
enum { LAYERS_LAYERS = 1 };
enum {
    DISPLAY_ID = 1,
    DISPLAY_NAME,
    DISPLAY_STACK,
    DISPLAY_SIZE,
    DISPLAY_SPACE,
    DISPLAY_TRANSFORM,
    DISPLAY_VIRTUAL,
    DISPLAY_FIELDS
};
enum { SIZE_W = 1, SIZE_H, SIZE_FIELDS };
enum { RADIUS_TL = 1, RADIUS_TR, RADIUS_BL, RADIUS_BR, RADIUS_FIELDS };
enum { POSITION_X = 1, POSITION_Y };
enum { BORDER_WIDTH = 1, BORDER_COLOR };
enum { INPUT_FRAME = 3, INPUT_TOUCHABLE = 4, INPUT_CONFIG = 17 };
enum { REGION_RECT = 2 };
enum { CONFIG_NOT_VISIBLE = 1 << 1, CONFIG_NOT_TOUCHABLE = 1 << 3, CONFIG_SPY = 1 << 14 };
#define STACK_NONE UINT32_MAX

static const struct orma_winscope_columns snapshot_columns = {
    ORMA_TABLE_SURFACEFLINGER_LAYERS_SNAPSHOT, ORMA_SURFACEFLINGER_LAYERS_SNAPSHOT_ARG_SET_ID,
    ORMA_SURFACEFLINGER_LAYERS_SNAPSHOT_BASE64_PROTO_ID};
static const struct orma_winscope_columns layer_columns = {
    ORMA_TABLE_SURFACEFLINGER_LAYER, ORMA_SURFACEFLINGER_LAYER_ARG_SET_ID,
    ORMA_SURFACEFLINGER_LAYER_BASE64_PROTO_ID};

/* ---- displays ---- */

static void display(const struct orma_winscope_scene *s, uint32_t snapshot, struct orma_str bytes)
{
    struct orma_table *t = orma_model_table(s->imp->model, ORMA_TABLE_SURFACEFLINGER_DISPLAY);
    struct orma_pb_field f[DISPLAY_FIELDS], size[SIZE_FIELDS];
    struct orma_winscope_drawn drawn = {.transform = ORMA_WINSCOPE_IDENTITY};

    orma_msg_read(bytes, f, DISPLAY_FIELDS);
    orma_msg_read(orma_pb_str(&f[DISPLAY_SIZE]), size, SIZE_FIELDS);
    if (!orma_winscope_read_rect(orma_pb_str(&f[DISPLAY_SPACE]), &drawn.rect))
        drawn.rect = (struct orma_winscope_rect){.w = orma_pb_i32(&size[SIZE_W]),
                                                 .h = orma_pb_i32(&size[SIZE_H])};
    drawn.group = orma_pb_u32(&f[DISPLAY_STACK]);
    drawn.transform = orma_winscope_read_transform(orma_pb_str(&f[DISPLAY_TRANSFORM]), 0, 0);
    uint32_t rect = orma_winscope_drawn_row(s->imp, &drawn), row = orma_table_add(t);
    orma_table_set(t, ORMA_SURFACEFLINGER_DISPLAY_SNAPSHOT_ID, row, snapshot);
    orma_table_set(t, ORMA_SURFACEFLINGER_DISPLAY_IS_ON, row, drawn.group != STACK_NONE);
    orma_table_set(t, ORMA_SURFACEFLINGER_DISPLAY_IS_VIRTUAL, row,
                   orma_pb_bool(&f[DISPLAY_VIRTUAL]));
    orma_table_set(t, ORMA_SURFACEFLINGER_DISPLAY_TRACE_RECT_ID, row, rect);
    orma_table_set(t, ORMA_SURFACEFLINGER_DISPLAY_DISPLAY_ID, row, orma_pb_i64(&f[DISPLAY_ID]));
    if (f[DISPLAY_NAME].id)
        orma_table_set(t, ORMA_SURFACEFLINGER_DISPLAY_DISPLAY_NAME, row,
                       orma_msg_text(s->imp, &f[DISPLAY_NAME]));
}

/* ---- rows of layers ---- */

static void set_radii(struct orma_table *t, uint32_t row, const struct orma_pb_field *layer)
{
    struct orma_pb_field f[RADIUS_FIELDS];

    if (!layer[LAYER_EFFECTIVE_RADII].id && !layer[LAYER_CORNER_RADII].id &&
        !layer[LAYER_CORNER_RADIUS].id)
        return;
    bool all = layer[LAYER_EFFECTIVE_RADII].id || layer[LAYER_CORNER_RADII].id;
    orma_msg_read(orma_pb_str(layer[LAYER_EFFECTIVE_RADII].id ? &layer[LAYER_EFFECTIVE_RADII]
                                                              : &layer[LAYER_CORNER_RADII]),
                  f, RADIUS_FIELDS);
    for (unsigned i = 0; i < 4; i++)
        orma_table_set_double(
            t, ORMA_SURFACEFLINGER_LAYER_CORNER_RADIUS_TL + i, row,
            (double)orma_pb_float(all ? &f[RADIUS_TL + i] : &layer[LAYER_CORNER_RADIUS]));
}

static void set_border(struct orma_winscope_drawn *drawn, const struct orma_pb_field *border)
{
    struct orma_pb_field f[BORDER_COLOR + 1];

    if (!border->id)
        return;
    orma_msg_read(orma_pb_str(border), f, BORDER_COLOR + 1);
    drawn->has_border = true;
    drawn->border_width = (double)orma_pb_float(&f[BORDER_WIDTH]);
    drawn->border_color = orma_pb_u32(&f[BORDER_COLOR]);
}

static struct orma_winscope_transform transform_of(const struct orma_pb_field *layer)
{
    struct orma_pb_field at[POSITION_Y + 1];

    orma_msg_read(orma_pb_str(&layer[LAYER_POSITION]), at, POSITION_Y + 1);
    return orma_winscope_read_transform(orma_pb_str(&layer[LAYER_TRANSFORM]),
                                        (double)orma_pb_float(&at[POSITION_X]),
                                        (double)orma_pb_float(&at[POSITION_Y]));
}

/* The layer itself; ORMA_ROW_NONE: it has no area. */
static uint32_t layer_rect(const struct orma_winscope_scene *s, const struct orma_winscope_layer *l,
                           const struct orma_pb_field *layer)
{
    struct orma_winscope_drawn drawn = {
        .transform = transform_of(layer),
        .group = l->stack,
        .depth = l->depth,
        .visible = l->visible,
        .has_opacity = layer[LAYER_COLOR].id,
        .opacity = (double)l->alpha,
    };

    if (!orma_winscope_read_float_rect(orma_pb_str(&layer[LAYER_BOUNDS]), &drawn.rect))
        return ORMA_ROW_NONE;
    set_border(&drawn, &layer[LAYER_BORDER]);
    return orma_winscope_drawn_row(s->imp, &drawn);
}

static void fill_regions(const struct orma_winscope_scene *s, uint32_t rect, struct orma_str region)
{
    struct orma_table *t = orma_model_table(s->imp->model, ORMA_TABLE_WINSCOPE_FILL_REGION);
    struct orma_pb_reader r = orma_pb_reader(region.data, region.len);
    struct orma_winscope_rect part;
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
        if (f.id != REGION_RECT || !orma_winscope_read_rect(orma_pb_str(&f), &part))
            continue;
        uint32_t part_row = orma_winscope_rect_row(s->imp, &part, false);
        uint32_t row = orma_table_add(t);
        orma_table_set(t, ORMA_WINSCOPE_FILL_REGION_TRACE_RECT_ID, row, rect);
        orma_table_set(t, ORMA_WINSCOPE_FILL_REGION_RECT_ID, row, part_row);
    }
}

/* Where it takes input; ORMA_ROW_NONE: nowhere. */
static uint32_t input_rect(const struct orma_winscope_scene *s, const struct orma_winscope_layer *l,
                           const struct orma_pb_field *layer)
{
    struct orma_winscope_drawn drawn = {
        .transform = transform_of(layer), .group = l->stack, .depth = l->depth};
    struct orma_pb_field f[INPUT_CONFIG + 1];

    if (!layer[LAYER_INPUT].id)
        return ORMA_ROW_NONE;
    orma_msg_read(orma_pb_str(&layer[LAYER_INPUT]), f, INPUT_CONFIG + 1);
    uint32_t config = orma_pb_u32(&f[INPUT_CONFIG]);
    if (!orma_winscope_read_rect(orma_pb_str(&f[INPUT_FRAME]), &drawn.rect))
        return ORMA_ROW_NONE;
    drawn.spy = config & CONFIG_SPY;
    drawn.visible = !(config & (CONFIG_NOT_VISIBLE | CONFIG_NOT_TOUCHABLE));
    uint32_t row = orma_winscope_drawn_row(s->imp, &drawn);
    fill_regions(s, row, orma_pb_str(&f[INPUT_TOUCHABLE]));
    return row;
}

static void put_list(struct orma_import_ctx *imp, struct orma_args_list *args, const char *name,
                     enum orma_arg_type type, const uint32_t *values, uint32_t num)
{
    struct orma_arg_key key;

    for (uint32_t i = 0; i < num; i++) {
        orma_arg_key_init(&key, name);
        orma_arg_key_push_index(&key, i);
        orma_arg_put(imp, &key, type, values[i], args);
    }
}

static void set_args(const struct orma_winscope_scene *s, const struct orma_winscope_layer *l,
                     uint32_t row)
{
    const struct orma_winscope_msg msg = {
        .type = "com.android.internal.LayerProto", .bytes = l->bytes, .machine = s->item->machine};

    ORMA_MODEL_ARGS(args, s->imp->model);
    orma_winscope_put_args(s->imp, &msg, args);
    put_list(s->imp, args, "visibility_reason", ORMA_ARG_STRING, l->reasons, l->reasons_num);
    put_list(s->imp, args, "occluded_by", ORMA_ARG_INT, l->occluded.data, l->occluded.len);
    put_list(s->imp, args, "partially_occluded_by", ORMA_ARG_INT, l->partly.data, l->partly.len);
    put_list(s->imp, args, "covered_by", ORMA_ARG_INT, l->covered.data, l->covered.len);
    struct orma_table *t = orma_model_table(s->imp->model, layer_columns.table);
    orma_storage_set_args(t, layer_columns.args, row,
                          orma_args_commit(&s->imp->model->storage->args, args));
    orma_table_set(t, layer_columns.message, row, orma_winscope_number(s->imp, l->bytes));
}

static void add_layer(const struct orma_winscope_scene *s, uint32_t snapshot,
                      const struct orma_winscope_layer *l)
{
    static const struct orma_msg_column own[] = {
        {LAYER_ID, ORMA_SURFACEFLINGER_LAYER_LAYER_ID, ORMA_MSG_I32, false},
        {LAYER_NAME, ORMA_SURFACEFLINGER_LAYER_LAYER_NAME, ORMA_MSG_TEXT, false},
        {LAYER_PARENT, ORMA_SURFACEFLINGER_LAYER_PARENT, ORMA_MSG_I32, false},
        {LAYER_HWC_TYPE, ORMA_SURFACEFLINGER_LAYER_HWC_COMPOSITION_TYPE, ORMA_MSG_I32, false},
        {LAYER_RELATIVE_OF, ORMA_SURFACEFLINGER_LAYER_Z_ORDER_RELATIVE_OF, ORMA_MSG_I32, false},
    };
    struct orma_table *t = orma_model_table(s->imp->model, layer_columns.table);
    struct orma_pb_field f[LAYER_FIELDS];

    orma_msg_read(l->bytes, f, LAYER_FIELDS);
    uint32_t rect = layer_rect(s, l, f), input = input_rect(s, l, f), row = orma_table_add(t);

    orma_table_set(t, ORMA_SURFACEFLINGER_LAYER_SNAPSHOT_ID, row, snapshot);
    orma_table_set(t, ORMA_SURFACEFLINGER_LAYER_IS_VISIBLE, row, l->visible);
    orma_table_set(t, ORMA_SURFACEFLINGER_LAYER_IS_HIDDEN_BY_POLICY, row, l->hidden);
    orma_table_set(t, ORMA_SURFACEFLINGER_LAYER_IS_MISSING_Z_PARENT, row, l->lost);
    orma_msg_set_columns(s->imp, t, row, own, ORMA_ARRAY_LEN(own), f);
    set_radii(t, row, f);
    if (rect != ORMA_ROW_NONE)
        orma_table_set(t, ORMA_SURFACEFLINGER_LAYER_LAYER_RECT_ID, row, rect);
    if (input != ORMA_ROW_NONE)
        orma_table_set(t, ORMA_SURFACEFLINGER_LAYER_INPUT_RECT_ID, row, input);
    set_args(s, l, row);
}

/* ---- packets ---- */

static bool wanted(uint32_t number)
{
    return number != SNAPSHOT_LAYERS;
}

static uint32_t add_snapshot(struct orma_import_ctx *imp, const struct orma_item *item,
                             const struct orma_pb_field *f)
{
    const struct orma_winscope_msg msg = {.type = "com.android.internal.LayersSnapshotProto",
                                          .bytes = orma_msg_item(item),
                                          .machine = item->machine,
                                          .wanted = wanted};
    struct orma_table *t = orma_model_table(imp->model, snapshot_columns.table);
    uint32_t row = orma_table_add(t);

    orma_table_set_time(t, ORMA_SURFACEFLINGER_LAYERS_SNAPSHOT_TS, row, item->ts);
    orma_table_set(t, ORMA_SURFACEFLINGER_LAYERS_SNAPSHOT_SEQUENCE_ID, row,
                   item->gen ? item->gen->seq->id : 0);
    if (!orma_pb_u64(&f[SNAPSHOT_ELAPSED]))
        orma_table_set(t, ORMA_SURFACEFLINGER_LAYERS_SNAPSHOT_HAS_INVALID_ELAPSED_TS, row, 1);
    orma_winscope_set_message(imp, &snapshot_columns, row, &msg, NULL);
    return row;
}

static void read_layers(struct orma_winscope_scene *s, struct orma_str bytes)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f))
        if (f.id == LAYERS_LAYERS)
            orma_winscope_scene_add(s, orma_pb_str(&f));
}

static void parse(struct orma_import_ctx *imp, const struct orma_item *item)
{
    struct orma_winscope_scene s = {.imp = imp, .item = item};
    struct orma_pb_reader r = orma_pb_reader(item->data, item->len);
    struct orma_pb_field head[SNAPSHOT_PARTIAL + 1], f;

    if (!orma_msg_read(orma_msg_item(item), head, SNAPSHOT_PARTIAL + 1))
        orma_stats_inc(orma_model_stats(imp->model, item->machine),
                       ORMA_STAT_WINSCOPE_SF_LAYERS_PARSE_ERRORS);
    s.partial = orma_pb_bool(&head[SNAPSHOT_PARTIAL]);
    uint32_t snapshot = add_snapshot(imp, item, head);
    while (orma_pb_next(&r, &f)) {
        if (f.id == SNAPSHOT_DISPLAYS)
            display(&s, snapshot, orma_pb_str(&f));
        else if (f.id == SNAPSHOT_LAYERS)
            read_layers(&s, orma_pb_str(&f));
    }
    orma_winscope_scene_settle(&s);
    for (uint32_t i = 0; i < s.layers.len && !imp->model->storage->failed; i++)
        add_layer(&s, snapshot, &s.layers.data[i]);
    orma_winscope_scene_fini(&s);
}

static const uint16_t fields[] = {ORMA_PB_TRACE_PACKET_SURFACEFLINGER_LAYERS_SNAPSHOT, 0};
const struct orma_importer orma_winscope_layers_importer = {
    .name = "layers", .fields = fields, .parse = parse};
