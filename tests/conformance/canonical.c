#include "tests/conformance/canonical.h"

#include <stdlib.h>

#include "protos/reflect/walk.h"
#include "sdk/wire/pb_writer.h"

struct piece {
    uint32_t number;
    uint32_t seq;
    bool in_map;                    /* the entries of a map have no order of their own */
    const struct orma_field *field; /* NULL: as it is */
    struct orma_pb_field raw;
};

static int piece_cmp(const void *a_, const void *b_)
{
    const struct piece *a = a_, *b = b_;

    if (a->number != b->number)
        return a->number < b->number ? -1 : 1;
    if (a->in_map && b->in_map) {
        size_t len = ORMA_MIN(a->raw.len, b->raw.len);
        int r = len ? memcmp(a->raw.data, b->raw.data, len) : 0;

        if (r || a->raw.len != b->raw.len)
            return r ? r : a->raw.len < b->raw.len ? -1 : 1;
    }
    return a->seq < b->seq ? -1 : a->seq > b->seq;
}

static void put_raw(struct orma_buf *out, const struct orma_pb_field *f)
{
    switch ((enum orma_pb_wire)f->wire) {
    case ORMA_PB_VARINT:
        orma_pb_put_u64(out, f->id, f->num);
        break;
    case ORMA_PB_I64:
        orma_pb_put_fixed64(out, f->id, f->num);
        break;
    case ORMA_PB_I32:
        orma_pb_put_fixed32(out, f->id, (uint32_t)f->num);
        break;
    case ORMA_PB_LEN:
        orma_pb_put_bytes(out, f->id, f->data, f->len);
        break;
    }
}

/* Packed or not, all become single numbers: the schema's form is one of the two. */
static bool put_numbers(struct orma_buf *out, const struct piece *p)
{
    enum orma_pb_wire wire = orma_field_wire(p->field->type);
    struct orma_pb_reader r = orma_pb_sub(&p->raw);

    while (r.pos < r.end) {
        struct orma_pb_field one = {.id = p->number, .wire = (uint8_t)wire};
        size_t size = wire == ORMA_PB_I64 ? 8 : 4;

        if (wire == ORMA_PB_VARINT) {
            one.num = orma_pb_varint(&r);
        } else if ((size_t)(r.end - r.pos) >= size) {
            memcpy(&one.num, r.pos, size);
            r.pos += size;
        } else {
            return false;
        }
        put_raw(out, &one);
    }
    return !r.failed;
}

static bool put_piece(const struct orma_schema *schema, bool last_wins, struct orma_buf *out,
                      const struct piece *p)
{
    bool is_len = p->raw.wire == ORMA_PB_LEN;

    if (p->field && p->field->type == ORMA_TYPE_MESSAGE && is_len &&
        orma_walk_is_wellformed(p->raw.data, p->raw.len)) {
        size_t begun = orma_pb_begin(out, p->number);
        bool ok = canonical(schema, p->field->type_idx, orma_pb_str(&p->raw), last_wins, out);

        orma_pb_end(out, begun);
        return ok;
    }
    if (p->field && is_len && orma_field_is_packable(p->field->type) &&
        orma_field_is_repeated(p->field))
        return put_numbers(out, p);
    put_raw(out, &p->raw);
    return true;
}

/* Values of one singular field: all but the last are overruled, messages are one in pieces. */
static bool put_singular(const struct orma_schema *schema, struct orma_buf *out,
                         const struct piece *from, const struct piece *to)
{
    struct piece one = to[-1];
    struct orma_buf merged = {0};

    if (one.field->type != ORMA_TYPE_MESSAGE || one.raw.wire != ORMA_PB_LEN)
        return put_piece(schema, true, out, &one);
    for (const struct piece *p = from; p < to; p++)
        if (p->raw.wire == ORMA_PB_LEN)
            orma_buf_put(&merged, p->raw.data, p->raw.len);
    one.raw.data = merged.data;
    one.raw.len = merged.len;
    bool ok = !merged.failed && put_piece(schema, true, out, &one);

    orma_buf_fini(&merged);
    return ok;
}

static bool is_named(const struct orma_schema *schema, const struct orma_field *field,
                     const char *name)
{
    return field && !strcmp(orma_field_name(schema, field), name);
}

/* A map is a repeated message of two fields, key = 1 and value = 2. */
static bool is_map(const struct orma_schema *schema, const struct orma_field *field)
{
    uint32_t num;

    if (!field || field->type != ORMA_TYPE_MESSAGE || !orma_field_is_repeated(field))
        return false;
    const struct orma_field *of_entry = orma_schema_fields(schema, field->type_idx, &num);
    return num == 2 && is_named(schema, &of_entry[0], "key") &&
           is_named(schema, &of_entry[1], "value");
}

bool canonical(const struct orma_schema *schema, uint32_t msg, struct orma_str bytes,
               bool last_wins, struct orma_buf *out)
{
    struct orma_pb_reader r = orma_pb_reader(bytes.data, bytes.len);
    struct orma_buf pieces = {0};
    struct piece piece = {0};

    for (; orma_pb_next(&r, &piece.raw); piece.seq++) {
        piece.number = piece.raw.id;
        piece.field = orma_schema_field(schema, msg, piece.number);
        piece.in_map = is_map(schema, piece.field);
        orma_buf_put(&pieces, &piece, sizeof(piece));
    }
    struct piece *at = (void *)pieces.data;
    if (piece.seq)
        qsort(at, piece.seq, sizeof(*at), piece_cmp);
    bool ok = !r.failed && !pieces.failed;
    for (uint32_t i = 0, end; ok && i < piece.seq; i = end) {
        bool singular = last_wins && at[i].field && !orma_field_is_repeated(at[i].field);

        for (end = i + 1; singular && end < piece.seq && at[end].number == at[i].number;)
            end++;
        ok = end > i + 1 ? put_singular(schema, out, &at[i], &at[end])
                         : put_piece(schema, last_wins, out, &at[i]);
    }
    orma_buf_fini(&pieces);
    return ok && !out->failed;
}
