/* Views of a window: the snapshot and each of its views, whose texts are interned. */
#include "processor/import/winscope/winscope.h"

enum { CAPTURE_PACKAGE = 1, CAPTURE_WINDOW, CAPTURE_VIEWS };
enum {
    VIEW_ID = 1,
    VIEW_PARENT,
    VIEW_HASHCODE,
    VIEW_VIEW_ID,
    VIEW_CLASS,
    VIEW_LEFT,
    VIEW_TOP,
    VIEW_WIDTH,
    VIEW_HEIGHT,
    VIEW_SCROLL_X,
    VIEW_SCROLL_Y,
    VIEW_X,
    VIEW_Y,
    VIEW_SCALE_X,
    VIEW_SCALE_Y,
    VIEW_ALPHA,
    VIEW_VISIBILITY = 19,
    VIEW_FIELDS
};

/* Where children of a view lie, and whether it is seen at all. */
struct place {
    int32_t id;
    double left, top, scale_x, scale_y;
    bool visible;
};

struct capture {
    struct orma_import_ctx *imp;
    const struct orma_item *item;
    uint32_t snapshot, depth;
    struct orma_map by_id; /* views → index of places */
    ORMA_VEC(struct place) places;
};

static double scale(const struct orma_pb_field *f)
{
    return f->id ? (double)orma_pb_float(f) : 1;
}

/* Offsets are those of the view above, scaled as it is. */
static struct place place_of(const struct capture *c, const struct orma_pb_field *f)
{
    static const struct place root = {.scale_x = 1, .scale_y = 1, .visible = true};
    uint64_t idx = orma_map_get(&c->by_id, orma_pb_u32(&f[VIEW_PARENT]));
    const struct place *up = idx == ORMA_MAP_NONE ? &root : &c->places.data[idx];
    struct place p = {.id = orma_pb_i32(&f[VIEW_ID])};
    double x = (double)orma_pb_i32(&f[VIEW_LEFT]) + (double)orma_pb_float(&f[VIEW_X]);
    double y = (double)orma_pb_i32(&f[VIEW_TOP]) + (double)orma_pb_float(&f[VIEW_Y]);

    p.scale_x = up->scale_x * scale(&f[VIEW_SCALE_X]);
    p.scale_y = up->scale_y * scale(&f[VIEW_SCALE_Y]);
    p.left = up->left + x * up->scale_x +
             (double)orma_pb_i32(&f[VIEW_WIDTH]) * (up->scale_x - p.scale_x) / 2;
    p.top = up->top + y * up->scale_y +
            (double)orma_pb_i32(&f[VIEW_HEIGHT]) * (up->scale_y - p.scale_y) / 2;
    p.visible = up->visible && orma_pb_i32(&f[VIEW_VISIBILITY]) == 0 &&
                (!f[VIEW_ALPHA].id || orma_pb_float(&f[VIEW_ALPHA]) > 0);
    return p;
}

static uint32_t rect_of(struct capture *c, const struct orma_pb_field *f, const struct place *p)
{
    const struct orma_winscope_drawn drawn = {
        .rect = {p->left, p->top, orma_pb_i32(&f[VIEW_WIDTH]) * p->scale_x,
                 orma_pb_i32(&f[VIEW_HEIGHT]) * p->scale_y},
        .transform = ORMA_WINSCOPE_IDENTITY,
        .depth = c->depth++ * 4,
        .visible = p->visible,
        .has_opacity = true,
        .opacity = f[VIEW_ALPHA].id ? (double)orma_pb_float(&f[VIEW_ALPHA]) : 1,
    };

    return orma_winscope_drawn_row(c->imp, &drawn);
}

static void remember(struct capture *c, const struct place *p)
{
    if (ORMA_VEC_PUSH(&c->places, *p) ||
        orma_map_put(&c->by_id, (uint32_t)p->id, c->places.len - 1))
        c->imp->model->storage->failed = true;
}

static void view(struct capture *c, struct orma_str bytes)
{
    static const struct orma_winscope_columns columns = {ORMA_TABLE_VIEWCAPTURE_VIEW,
                                                         ORMA_VIEWCAPTURE_VIEW_ARG_SET_ID,
                                                         ORMA_VIEWCAPTURE_VIEW_BASE64_PROTO_ID};
    static const struct orma_msg_column own[] = {
        {VIEW_ID, ORMA_VIEWCAPTURE_VIEW_NODE_ID, ORMA_MSG_U32, true},
        {VIEW_HASHCODE, ORMA_VIEWCAPTURE_VIEW_HASHCODE, ORMA_MSG_U32, true},
        {VIEW_PARENT, ORMA_VIEWCAPTURE_VIEW_PARENT_ID, ORMA_MSG_U32, true},
    };
    const struct orma_winscope_msg msg = {.type = "com.android.internal.ViewCapture.View",
                                          .bytes = bytes,
                                          .gen = c->item->gen,
                                          .machine = c->item->machine};
    struct orma_table *t = orma_model_table(c->imp->model, columns.table);
    struct orma_pb_field f[VIEW_FIELDS];

    orma_msg_read(bytes, f, VIEW_FIELDS);
    const struct place p = place_of(c, f);
    uint32_t rect = rect_of(c, f, &p), row = orma_table_add(t);
    orma_table_set(t, ORMA_VIEWCAPTURE_VIEW_SNAPSHOT_ID, row, c->snapshot);
    orma_table_set(t, ORMA_VIEWCAPTURE_VIEW_IS_VISIBLE, row, p.visible);
    orma_table_set(t, ORMA_VIEWCAPTURE_VIEW_TRACE_RECT_ID, row, rect);
    orma_msg_set_columns(c->imp, t, row, own, ORMA_ARRAY_LEN(own), f);
    orma_winscope_set_message(c->imp, &columns, row, &msg, NULL);
    if (f[VIEW_VIEW_ID].id)
        orma_table_set(t, ORMA_VIEWCAPTURE_VIEW_VIEW_ID, row,
                       orma_winscope_interned(c->imp, &msg, ORMA_WINSCOPE_VIEW_IDS,
                                              orma_pb_u64(&f[VIEW_VIEW_ID])));
    if (f[VIEW_CLASS].id)
        orma_table_set(t, ORMA_VIEWCAPTURE_VIEW_CLASS_NAME, row,
                       orma_winscope_interned(c->imp, &msg, ORMA_WINSCOPE_CLASSES,
                                              orma_pb_u64(&f[VIEW_CLASS])));
    remember(c, &p);
}

static bool wanted(uint32_t number)
{
    return number < CAPTURE_VIEWS;
}

void orma_winscope_viewcapture(struct orma_import_ctx *imp, const struct orma_item *item,
                               struct orma_str bytes)
{
    static const struct orma_winscope_columns columns = {
        ORMA_TABLE_VIEWCAPTURE, ORMA_VIEWCAPTURE_ARG_SET_ID, ORMA_VIEWCAPTURE_BASE64_PROTO_ID};
    const struct orma_winscope_msg msg = {.type = "com.android.internal.ViewCapture",
                                          .bytes = bytes,
                                          .gen = item->gen,
                                          .machine = item->machine,
                                          .wanted = wanted};
    struct orma_table *t = orma_model_table(imp->model, columns.table);
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct capture c = {.imp = imp, .item = item, .snapshot = orma_table_add(t)};
    struct orma_pb_field f[CAPTURE_VIEWS], g;

    if (!orma_msg_read(bytes, f, CAPTURE_VIEWS))
        orma_stats_inc(orma_model_stats(imp->model, item->machine),
                       ORMA_STAT_WINSCOPE_VIEWCAPTURE_PARSE_ERRORS);
    orma_table_set_time(t, ORMA_VIEWCAPTURE_TS, c.snapshot, item->ts);
    orma_table_set(t, ORMA_VIEWCAPTURE_PACKAGE_NAME, c.snapshot,
                   orma_winscope_interned(imp, &msg, ORMA_WINSCOPE_PACKAGES,
                                          orma_pb_u64(&f[CAPTURE_PACKAGE])));
    orma_table_set(
        t, ORMA_VIEWCAPTURE_WINDOW_NAME, c.snapshot,
        orma_winscope_interned(imp, &msg, ORMA_WINSCOPE_WINDOWS, orma_pb_u64(&f[CAPTURE_WINDOW])));
    orma_winscope_set_message(imp, &columns, c.snapshot, &msg, NULL);
    while (orma_pb_next(&r, &g))
        if (g.id == CAPTURE_VIEWS)
            view(&c, orma_pb_str(&g));
    orma_map_fini(&c.by_id);
    ORMA_VEC_FINI(&c.places);
}
