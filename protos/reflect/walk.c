/*
 * Recursive descent over encoded bytes, guided by the schema: each field is matched with its
 * wire type, numbers are decoded as their type means them, packed blocks element by element,
 * sub-messages up to the depth that the options permit. What does not fit is reported as
 * unknown with its bytes.
 */
#include "protos/reflect/walk.h"

#include "sdk/base/endian.h"

#include <errno.h>

struct walker {
    const struct orma_schema *schema;
    const struct orma_walk *walk;
    unsigned depth_max;
    struct orma_buf counts; /* uint32_t: values seen of each field, of each open message */
};

/* The message whose fields are being visited. */
struct level {
    const struct orma_walk_item *item; /* NULL: the outermost */
    uint32_t msg;
    unsigned depth;
    bool counted;  /* it has a field that may come several times */
    size_t counts; /* then the first one's, in bytes */
};

static int walk_message(struct walker *w, struct orma_pb_reader r, uint32_t msg,
                        const struct orma_walk_item *item, unsigned depth);

bool orma_walk_is_wellformed(const void *data, size_t len)
{
    struct orma_pb_reader r = orma_pb_reader(data, len);
    struct orma_pb_field f;

    while (orma_pb_next(&r, &f)) {
    }
    return !r.failed;
}

static uint8_t wire_type(uint8_t wire)
{
    switch ((enum orma_pb_wire)wire) {
    case ORMA_PB_VARINT:
        return ORMA_TYPE_UINT64;
    case ORMA_PB_I64:
        return ORMA_TYPE_FIXED64;
    case ORMA_PB_I32:
        return ORMA_TYPE_FIXED32;
    case ORMA_PB_LEN:
        break;
    }
    return ORMA_TYPE_BYTES;
}

/* The bits of a number as its type means them. */
static void set_number(struct orma_walk_item *item, uint64_t bits)
{
    uint32_t low = (uint32_t)bits;
    float narrow;

    switch (item->type) {
    case ORMA_TYPE_DOUBLE:
        memcpy(&item->real, &bits, sizeof(bits));
        return;
    case ORMA_TYPE_FLOAT:
        memcpy(&narrow, &low, sizeof(low));
        item->real = (double)narrow;
        return;
    case ORMA_TYPE_INT32:
    case ORMA_TYPE_ENUM:
    case ORMA_TYPE_SFIXED32:
        item->i64 = (int32_t)low;
        return;
    case ORMA_TYPE_UINT32:
    case ORMA_TYPE_FIXED32:
        item->u64 = low;
        return;
    case ORMA_TYPE_BOOL:
        item->u64 = bits != 0;
        return;
    case ORMA_TYPE_SINT32:
        item->i64 = (int32_t)(low >> 1 ^ -(low & 1));
        return;
    case ORMA_TYPE_SINT64:
        item->i64 = (int64_t)(bits >> 1 ^ -(bits & 1));
        return;
    }
    item->u64 = bits;
}

/* Only of fields that may come several times: most messages have none. */
static int count_value(struct walker *w, struct level *level, struct orma_walk_item *item)
{
    uint32_t n;

    if (!w->walk->indices || !item->field || !orma_field_is_repeated(item->field))
        return 0;
    const struct orma_field *fields = orma_schema_fields(w->schema, level->msg, &n);
    if (!level->counted) {
        level->counts = w->counts.len;
        uint8_t *counts = orma_buf_extend(&w->counts, n * sizeof(uint32_t));
        if (!counts)
            return -ENOMEM;
        memset(counts, 0, n * sizeof(uint32_t));
        level->counted = true;
    }
    item->index = ((uint32_t *)(void *)(w->counts.data + level->counts))[item->field - fields]++;
    return 0;
}

/* One number of a packed field; false: cut short. */
static bool take_packed(struct orma_pb_reader *r, enum orma_pb_wire wire, uint64_t *ret)
{
    size_t size = wire == ORMA_PB_I64 ? 8 : 4;

    *ret = 0;
    if (wire == ORMA_PB_VARINT) {
        *ret = orma_pb_varint(r);
        return !r->failed;
    }
    if ((size_t)(r->end - r->pos) < size)
        return orma_pb_fail(r);
    memcpy(ret, r->pos, size);
    *ret = ORMA_LE64(*ret);
    r->pos += size;
    return true;
}

static bool is_packed(const struct orma_pb_field *f, enum orma_pb_wire wire)
{
    struct orma_pb_reader r = orma_pb_sub(f);
    uint64_t bits;

    while (r.pos < r.end)
        if (!take_packed(&r, wire, &bits))
            return false;
    return true;
}

static int visit_packed(struct walker *w, struct level *level, const struct orma_pb_field *f,
                        struct orma_walk_item *item)
{
    enum orma_pb_wire wire = orma_field_wire(item->type);
    struct orma_pb_reader r = orma_pb_sub(f);
    uint64_t bits;
    int err = 0;

    while (!err && r.pos < r.end && take_packed(&r, wire, &bits)) {
        err = count_value(w, level, item);
        if (err)
            break;
        set_number(item, bits);
        err = w->walk->value(w->walk->ctx, item);
    }
    return err < 0 ? err : 0;
}

static int visit_message(struct walker *w, const struct level *level, struct orma_walk_item *item)
{
    const struct orma_walk *walk = w->walk;

    int err = walk->enter ? walk->enter(walk->ctx, item) : 0;
    if (err)
        return err < 0 ? err : 0;
    err = walk_message(w, orma_pb_reader(item->bytes.data, item->bytes.len), item->field->type_idx,
                       item, level->depth + 1);
    if (!err && walk->leave)
        err = walk->leave(walk->ctx, item);
    return err < 0 ? err : 0;
}

/* How the schema's idea of a field and its bytes go together. */
enum fit { FIT_NOT, FIT_NUMBER, FIT_PACKED, FIT_BYTES, FIT_MESSAGE };

static enum fit fit_of(const struct walker *w, const struct level *level,
                       const struct orma_field *field, const struct orma_pb_field *f)
{
    if (!field)
        return FIT_NOT;
    enum orma_pb_wire wire = orma_field_wire(field->type);
    if (wire != ORMA_PB_LEN && f->wire == wire)
        return FIT_NUMBER;
    if (f->wire != ORMA_PB_LEN)
        return FIT_NOT;
    if (wire != ORMA_PB_LEN)
        return orma_field_is_repeated(field) && is_packed(f, wire) ? FIT_PACKED : FIT_NOT;
    if (field->type != ORMA_TYPE_MESSAGE)
        return FIT_BYTES;
    return level->depth < w->depth_max && orma_walk_is_wellformed(f->data, f->len) ? FIT_MESSAGE
                                                                                   : FIT_NOT;
}

/* A number of the outermost message that nobody asked for. Lists and messages are looked at first,
 * since they may be malformed. */
static bool is_left_out(const struct walker *w, const struct level *level,
                        const struct orma_field *field, const struct orma_pb_field *f)
{
    return w->walk->wants && !level->item && field && f->wire != ORMA_PB_LEN &&
           f->wire == orma_field_wire(field->type) && !w->walk->wants(w->walk->ctx, field);
}

static int visit(struct walker *w, struct level *level, const struct orma_pb_field *f)
{
    const struct orma_field *field = orma_schema_field(w->schema, level->msg, f->id);

    if (is_left_out(w, level, field, f))
        return 0;
    enum fit fit = fit_of(w, level, field, f);
    struct orma_walk_item item = {
        .up = level->item, .number = f->id, .msg = level->msg, .bytes = orma_pb_str(f)};
    int err;

    item.field = fit == FIT_NOT ? NULL : field;
    item.type = item.field ? field->type : wire_type(f->wire);
    if (fit == FIT_PACKED)
        return visit_packed(w, level, f, &item);
    err = count_value(w, level, &item);
    if (err)
        return err;
    if (fit == FIT_MESSAGE)
        return visit_message(w, level, &item);
    set_number(&item, f->num);
    err = w->walk->value(w->walk->ctx, &item);
    return err < 0 ? err : 0;
}

static int walk_message(struct walker *w, struct orma_pb_reader r, uint32_t msg,
                        const struct orma_walk_item *item, unsigned depth)
{
    struct level level = {.item = item, .msg = msg, .depth = depth};
    struct orma_pb_field f;
    size_t counts = w->counts.len;
    int err = 0;

    while (!err && orma_pb_next(&r, &f))
        err = visit(w, &level, &f);
    w->counts.len = counts;
    return !err && r.failed ? -EBADMSG : err;
}

static struct walker walker(const struct orma_schema *schema, const struct orma_walk *walk)
{
    unsigned max = walk->depth_max ? walk->depth_max : ORMA_WALK_DEPTH_MAX;

    return (struct walker){
        .schema = schema, .walk = walk, .depth_max = ORMA_MIN(max, (unsigned)ORMA_WALK_DEPTH_MAX)};
}

int orma_walk(const struct orma_schema *schema, uint32_t msg, const void *data, size_t len,
              const struct orma_walk *walk)
{
    struct walker w = walker(schema, walk);
    int err = walk_message(&w, orma_pb_reader(data, len), msg, NULL, 0);

    orma_buf_fini(&w.counts);
    return err;
}

int orma_walk_field(const struct orma_schema *schema, uint32_t msg,
                    const struct orma_pb_field *field, const struct orma_walk *walk)
{
    struct walker w = walker(schema, walk);
    struct level level = {.msg = msg};
    int err = visit(&w, &level, field);

    orma_buf_fini(&w.counts);
    return err;
}

void orma_walk_path(const struct orma_schema *schema, const struct orma_walk_item *item,
                    bool indices, struct orma_buf *out)
{
    if (item->up) {
        orma_walk_path(schema, item->up, indices, out);
        orma_buf_put_byte(out, '.');
    }
    if (item->field)
        orma_buf_put_str(out, orma_schema_short_name(orma_field_name(schema, item->field)));
    else
        orma_buf_printf(out, "%u", item->number);
    if (indices && item->field && orma_field_is_repeated(item->field))
        orma_buf_printf(out, "[%u]", item->index);
}
