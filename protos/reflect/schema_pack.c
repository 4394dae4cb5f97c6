#include "protos/reflect/schema_pack.h"

#include <errno.h>
#include <stdlib.h>
#include <zlib.h>

/* The state of inflate: 7 KB, and a window of 32. */
#define INFLATE_ROOM 65536

enum array { MSGS, FIELDS, BY_NAME, ENUMS, VALUES, ONEOFS, TYPES, EXTRAS, ARRAYS };

struct column {
    uint8_t array;
    uint8_t offset;
    uint8_t size;
    bool differences;
};

#define COLUMN(array, type, field, differences)                                                    \
    {array, offsetof(type, field), sizeof(((type *)NULL)->field), differences}

static const struct column columns[] = {
    COLUMN(MSGS, struct orma_msg_row, name, true),
    COLUMN(MSGS, struct orma_msg_row, fields, true),
    COLUMN(MSGS, struct orma_msg_row, oneofs, true),
    COLUMN(MSGS, struct orma_msg_row, nfields, false),
    COLUMN(MSGS, struct orma_msg_row, dense, false),
    COLUMN(MSGS, struct orma_msg_row, noneofs, false),
    COLUMN(MSGS, struct orma_msg_row, nrequired, false),
    COLUMN(FIELDS, struct orma_field, name, true),
    COLUMN(FIELDS, struct orma_field, number, true),
    COLUMN(FIELDS, struct orma_field, type_idx, true),
    COLUMN(FIELDS, struct orma_field, oneof, false),
    COLUMN(FIELDS, struct orma_field, extra, false),
    COLUMN(FIELDS, struct orma_field, type, false),
    COLUMN(FIELDS, struct orma_field, flags, false),
    {BY_NAME, 0, sizeof(uint16_t), false},
    COLUMN(ENUMS, struct orma_enum_row, name, true),
    COLUMN(ENUMS, struct orma_enum_row, values, true),
    COLUMN(ENUMS, struct orma_enum_row, nvalues, false),
    COLUMN(VALUES, struct orma_enum_value, name, false),
    COLUMN(VALUES, struct orma_enum_value, number, false),
    {ONEOFS, 0, sizeof(uint32_t), true},
    {TYPES, 0, sizeof(uint32_t), true},
    COLUMN(EXTRAS, struct orma_field_extra, dflt, true),
    COLUMN(EXTRAS, struct orma_field_extra, json_name, true),
    COLUMN(EXTRAS, struct orma_field_extra, options, true),
    COLUMN(EXTRAS, struct orma_field_extra, options_len, false),
};

struct array_at {
    uint8_t *rows;
    size_t num, stride;
};

/* Columns are as wide as their memory: no padding is left unset. */
static void arrays_of(const struct orma_schema *s, struct array_at ret[ARRAYS])
{
    const struct array_at all[ARRAYS] = {
        [MSGS] = {(uint8_t *)s->msgs, s->nmsgs, sizeof(*s->msgs)},
        [FIELDS] = {(uint8_t *)s->fields, s->nfields, sizeof(*s->fields)},
        [BY_NAME] = {(uint8_t *)s->by_name, s->nfields, sizeof(*s->by_name)},
        [ENUMS] = {(uint8_t *)s->enums, s->nenums, sizeof(*s->enums)},
        [VALUES] = {(uint8_t *)s->values, s->nvalues, sizeof(*s->values)},
        [ONEOFS] = {(uint8_t *)s->oneofs, s->noneofs, sizeof(*s->oneofs)},
        [TYPES] = {(uint8_t *)s->types, orma_schema_ntypes(s), sizeof(*s->types)},
        [EXTRAS] = {(uint8_t *)s->extras, s->nextras, sizeof(*s->extras)},
    };

    memcpy(ret, all, sizeof(all));
}

static uint32_t cell_get(const struct column *c, const struct array_at *a, size_t row)
{
    const uint8_t *at = a->rows + row * a->stride + c->offset;
    uint32_t v = 0;

    for (unsigned b = 0; b < c->size; b++)
        v |= (uint32_t)at[b] << (8 * b);
    return v;
}

/* In the order of bytes of this machine: tables are built and read on the same one. */
static void put_column(const struct column *c, const struct array_at *a, struct orma_buf *out)
{
    for (unsigned b = 0; b < c->size; b++) {
        uint32_t before = 0;

        for (size_t row = 0; row < a->num; row++) {
            uint32_t v = cell_get(c, a, row);

            orma_buf_put_byte(out, (uint8_t)((c->differences ? v - before : v) >> (8 * b)));
            before = v;
        }
    }
}

int orma_schema_pack(const struct orma_schema *schema, struct orma_buf *out)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf plain = {0};
    struct array_at arrays[ARRAYS];

    arrays_of(schema, arrays);
    for (size_t i = 0; i < ORMA_ARRAY_LEN(columns); i++) {
        if (arrays[columns[i].array].num > ORMA_SCHEMA_PACK_ROWS_MAX)
            return -E2BIG;
        put_column(&columns[i], &arrays[columns[i].array], &plain);
    }
    orma_buf_put(&plain, schema->strings, schema->strings_len);
    uLongf len = compressBound(plain.len);
    uint8_t *to = plain.failed ? NULL : orma_buf_extend(out, len);
    if (!to || compress2(to, &len, plain.data, plain.len, Z_BEST_COMPRESSION) != Z_OK)
        return -ENOMEM;
    out->len = len;
    return 0;
}

/* Memory for inflate that is there already; a library that wants more gets it from the heap. */
struct inflate_room {
    size_t used;
    uint64_t bytes[INFLATE_ROOM / sizeof(uint64_t)];
};

static void *room_alloc(void *ctx, uInt num, uInt size)
{
    struct inflate_room *room = ctx;
    size_t want = ((size_t)num * size + 15) & ~(size_t)15;

    if (want > sizeof(room->bytes) - room->used)
        return malloc(want);
    room->used += want;
    return (uint8_t *)room->bytes + room->used - want;
}

static void room_free(void *ctx, void *at)
{
    struct inflate_room *room = ctx;

    if ((uintptr_t)at - (uintptr_t)room->bytes >= sizeof(room->bytes))
        free(at);
}

static bool inflate_next(z_stream *z, void *to, size_t len)
{
    z->next_out = to;
    z->avail_out = (uInt)len;
    while (z->avail_out) {
        int r = inflate(z, Z_NO_FLUSH);

        if (r != Z_OK && !(r == Z_STREAM_END && !z->avail_out))
            return false;
    }
    return true;
}

static bool get_column(z_stream *z, const struct column *c, const struct array_at *a)
{
    static uint8_t planes[sizeof(uint32_t)][ORMA_SCHEMA_PACK_ROWS_MAX];
    uint32_t before = 0;

    for (unsigned b = 0; b < c->size; b++)
        if (!inflate_next(z, planes[b], a->num))
            return false;
    for (size_t row = 0; row < a->num; row++) {
        uint8_t *to = a->rows + row * a->stride + c->offset;
        uint32_t v = 0;

        for (unsigned b = 0; b < c->size; b++)
            v |= (uint32_t)planes[b][row] << (8 * b);
        if (c->differences)
            before = v += before;
        for (unsigned b = 0; b < c->size; b++)
            to[b] = (uint8_t)(v >> (8 * b));
    }
    return true;
}

/* All tables have rows of uint32_t, but by_name, which stands behind them. */
size_t orma_schema_unpacked_size(const struct orma_schema *counts)
{
    struct array_at arrays[ARRAYS];
    size_t size = counts->strings_len;

    arrays_of(counts, arrays);
    for (unsigned i = 0; i < ARRAYS; i++)
        size += arrays[i].num * arrays[i].stride;
    return size;
}

static void *take(uint8_t **at, size_t num, size_t stride)
{
    uint8_t *ret = *at;

    *at += num * stride;
    return ret;
}

bool orma_schema_unpack(struct orma_schema *schema, const unsigned char *packed, size_t len, void *room)
{
    static struct inflate_room memory;
    z_stream z = {.zalloc = room_alloc, .zfree = room_free, .opaque = &memory};
    struct array_at arrays[ARRAYS];
    uint8_t *at = room;

    schema->msgs = take(&at, schema->nmsgs, sizeof(*schema->msgs));
    schema->fields = take(&at, schema->nfields, sizeof(*schema->fields));
    schema->enums = take(&at, schema->nenums, sizeof(*schema->enums));
    schema->values = take(&at, schema->nvalues, sizeof(*schema->values));
    schema->oneofs = take(&at, schema->noneofs, sizeof(*schema->oneofs));
    schema->types = take(&at, orma_schema_ntypes(schema), sizeof(*schema->types));
    schema->extras = take(&at, schema->nextras, sizeof(*schema->extras));
    schema->by_name = take(&at, schema->nfields, sizeof(*schema->by_name));
    schema->strings = (char *)at;
    arrays_of(schema, arrays);
    memory.used = 0;
    z.next_in = (Bytef *)packed;
    z.avail_in = (uInt)len;
    if (inflateInit(&z) != Z_OK)
        return false;
    bool ok = true;
    for (size_t i = 0; i < ORMA_ARRAY_LEN(columns) && ok; i++)
        ok = get_column(&z, &columns[i], &arrays[columns[i].array]);
    ok = ok && inflate_next(&z, at, schema->strings_len);
    (void)inflateEnd(&z);
    return ok;
}
