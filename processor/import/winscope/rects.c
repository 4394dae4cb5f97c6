/* Rectangles, transformations, and what is drawn of them: rows that are there once. */
#include "processor/import/winscope/winscope.h"
#include "sdk/base/hash.h"

enum { RECT_LEFT = 1, RECT_TOP, RECT_RIGHT, RECT_BOTTOM, RECT_FIELDS };
enum { TRANSFORM_DSDX = 1, TRANSFORM_DTDX, TRANSFORM_DSDY, TRANSFORM_DTDY, TRANSFORM_TYPE };

/* Bits of TransformProto.type. */
enum {
    TYPE_SCALE = 0x4,
    TYPE_FLIP_H = 0x100,
    TYPE_FLIP_V = 0x200,
    TYPE_ROT_90 = 0x400,
    TYPE_ROT_INVALID = 0x8000,
};

static bool from_edges(double left, double top, double right, double bottom,
                       struct orma_winscope_rect *ret)
{
    *ret = (struct orma_winscope_rect){left, top, right - left, bottom - top};
    return ret->w > 0 && ret->h > 0;
}

bool orma_winscope_read_rect(struct orma_str bytes, struct orma_winscope_rect *ret)
{
    struct orma_pb_field f[RECT_FIELDS];

    orma_msg_read(bytes, f, RECT_FIELDS);
    return from_edges(orma_pb_i32(&f[RECT_LEFT]), orma_pb_i32(&f[RECT_TOP]),
                      orma_pb_i32(&f[RECT_RIGHT]), orma_pb_i32(&f[RECT_BOTTOM]), ret);
}

bool orma_winscope_read_float_rect(struct orma_str bytes, struct orma_winscope_rect *ret)
{
    struct orma_pb_field f[RECT_FIELDS];

    orma_msg_read(bytes, f, RECT_FIELDS);
    return from_edges((double)orma_pb_float(&f[RECT_LEFT]), (double)orma_pb_float(&f[RECT_TOP]),
                      (double)orma_pb_float(&f[RECT_RIGHT]), (double)orma_pb_float(&f[RECT_BOTTOM]),
                      ret);
}

struct orma_winscope_transform orma_winscope_read_transform(struct orma_str bytes, double x,
                                                            double y)
{
    struct orma_pb_field f[TRANSFORM_TYPE + 1];
    struct orma_winscope_transform ret = ORMA_WINSCOPE_IDENTITY;

    orma_msg_read(bytes, f, TRANSFORM_TYPE + 1);
    int32_t type = orma_pb_i32(&f[TRANSFORM_TYPE]);
    bool turned = type & TYPE_ROT_90, flipped = type & TYPE_FLIP_H && type & TYPE_FLIP_V;
    if (type & (TYPE_SCALE | TYPE_ROT_INVALID))
        ret = (struct orma_winscope_transform){.dsdx = (double)orma_pb_float(&f[TRANSFORM_DSDX]),
                                               .dtdx = (double)orma_pb_float(&f[TRANSFORM_DTDX]),
                                               .dtdy = (double)orma_pb_float(&f[TRANSFORM_DTDY]),
                                               .dsdy = (double)orma_pb_float(&f[TRANSFORM_DSDY])};
    else if (turned)
        ret = (struct orma_winscope_transform){.dtdx = flipped ? -1 : 1, .dtdy = flipped ? 1 : -1};
    else if (flipped)
        ret = (struct orma_winscope_transform){.dsdx = -1, .dsdy = -1};
    ret.tx = x;
    ret.ty = y;
    return ret;
}

/* A row that says this, or a new one (true). */
static bool shared(struct orma_import_ctx *imp, enum orma_table_id table, const void *parts,
                   size_t len, bool own, uint32_t *ret)
{
    struct orma_map *map = &orma_winscope(imp)->rows;
    uint64_t key = orma_fnv1a(orma_fnv1a(ORMA_FNV1A_BASIS, &table, sizeof(table)), parts, len);
    uint64_t have = own ? ORMA_MAP_NONE : orma_map_get(map, key);

    if (have != ORMA_MAP_NONE) {
        *ret = (uint32_t)have;
        return false;
    }
    *ret = orma_table_add(orma_model_table(imp->model, table));
    if (!own && orma_map_put(map, key, *ret))
        imp->model->storage->failed = true;
    return true;
}

uint32_t orma_winscope_rect_row(struct orma_import_ctx *imp, const struct orma_winscope_rect *rect,
                                bool own)
{
    struct orma_table *t = orma_model_table(imp->model, ORMA_TABLE_WINSCOPE_RECT);
    uint32_t row;

    if (!shared(imp, ORMA_TABLE_WINSCOPE_RECT, rect, sizeof(*rect), own, &row))
        return row;
    orma_table_set_double(t, ORMA_WINSCOPE_RECT_X, row, rect->x);
    orma_table_set_double(t, ORMA_WINSCOPE_RECT_Y, row, rect->y);
    orma_table_set_double(t, ORMA_WINSCOPE_RECT_W, row, rect->w);
    orma_table_set_double(t, ORMA_WINSCOPE_RECT_H, row, rect->h);
    return row;
}

static uint32_t transform_row(struct orma_import_ctx *imp,
                              const struct orma_winscope_transform *transform, bool own)
{
    struct orma_table *t = orma_model_table(imp->model, ORMA_TABLE_WINSCOPE_TRANSFORM);
    uint32_t row;

    if (!shared(imp, ORMA_TABLE_WINSCOPE_TRANSFORM, transform, sizeof(*transform), own, &row))
        return row;
    orma_table_set_double(t, ORMA_WINSCOPE_TRANSFORM_DSDX, row, transform->dsdx);
    orma_table_set_double(t, ORMA_WINSCOPE_TRANSFORM_DTDX, row, transform->dtdx);
    orma_table_set_double(t, ORMA_WINSCOPE_TRANSFORM_TX, row, transform->tx);
    orma_table_set_double(t, ORMA_WINSCOPE_TRANSFORM_DTDY, row, transform->dtdy);
    orma_table_set_double(t, ORMA_WINSCOPE_TRANSFORM_DSDY, row, transform->dsdy);
    orma_table_set_double(t, ORMA_WINSCOPE_TRANSFORM_TY, row, transform->ty);
    return row;
}

uint32_t orma_winscope_drawn_row(struct orma_import_ctx *imp,
                                 const struct orma_winscope_drawn *drawn)
{
    struct orma_table *t = orma_model_table(imp->model, ORMA_TABLE_WINSCOPE_TRACE_RECT);
    const uint32_t rect = orma_winscope_rect_row(imp, &drawn->rect, drawn->own_rows);
    const uint32_t transform = transform_row(imp, &drawn->transform, drawn->own_rows);
    uint32_t row = orma_table_add(t);

    orma_table_set(t, ORMA_WINSCOPE_TRACE_RECT_RECT_ID, row, rect);
    orma_table_set(t, ORMA_WINSCOPE_TRACE_RECT_GROUP_ID, row, drawn->group);
    orma_table_set(t, ORMA_WINSCOPE_TRACE_RECT_DEPTH, row, drawn->depth);
    orma_table_set(t, ORMA_WINSCOPE_TRACE_RECT_IS_SPY, row, drawn->spy);
    orma_table_set(t, ORMA_WINSCOPE_TRACE_RECT_IS_VISIBLE, row, drawn->visible);
    orma_table_set(t, ORMA_WINSCOPE_TRACE_RECT_TRANSFORM_ID, row, transform);
    if (drawn->has_opacity)
        orma_table_set_double(t, ORMA_WINSCOPE_TRACE_RECT_OPACITY, row, drawn->opacity);
    if (drawn->has_border) {
        orma_table_set_double(t, ORMA_WINSCOPE_TRACE_RECT_BORDER_WIDTH, row, drawn->border_width);
        orma_table_set(t, ORMA_WINSCOPE_TRACE_RECT_BORDER_COLOR, row, drawn->border_color);
    }
    return row;
}
