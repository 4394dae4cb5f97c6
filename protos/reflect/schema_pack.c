#include "protos/reflect/schema_pack.h"

#include <errno.h>
#include <stdlib.h>
#include <zlib.h>

/* The state of inflate: 7 KB, and a window of 32. */
#define INFLATE_ROOM 65536
#define BARE (-MAX_WBITS)

enum array { MSGS, FIELDS, BY_NAME, ENUMS, VALUES, ONEOFS, TYPES, EXTRAS, ARRAYS };

struct column {
    uint8_t array;
    uint8_t offset;
    uint8_t size;
    bool differences;
};

#define COLUMN(array, type, field, differences)                                                    \
    {                                                                                              \
        array, offsetof(type, field), sizeof(((type *)NULL)->field), differences                   \
    }

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

/* The columns are of different kinds: small blocks, each with a code of its own, take 2 % less. */
#define MEMORY 5

/* Bare, without the sum that zlib's own format ends with: these bytes are part of the program. */
static int deflate_all(const struct orma_buf *plain, struct orma_buf *out)
{
    z_stream z = {.next_in = plain->data, .avail_in = (uInt)plain->len};

    if (deflateInit2(&z, Z_BEST_COMPRESSION, Z_DEFLATED, BARE, MEMORY, Z_DEFAULT_STRATEGY) != Z_OK)
        return -ENOMEM;
    z.avail_out = (uInt)deflateBound(&z, plain->len);
    z.next_out = orma_buf_extend(out, z.avail_out);
    bool ok = z.next_out && deflate(&z, Z_FINISH) == Z_STREAM_END;
    out->len = z.total_out;
    (void)deflateEnd(&z);
    return ok ? 0 : -ENOMEM;
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
    return plain.failed ? -ENOMEM : deflate_all(&plain, out);
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

static uint8_t planes[sizeof(uint32_t)][ORMA_SCHEMA_PACK_ROWS_MAX];

/* Each size is a loop of its own. */
static inline void join_planes(uint8_t *to, const struct array_at *a, bool differences,
                               unsigned size)
{
    uint32_t before = 0;

    for (size_t row = 0; row < a->num; row++, to += a->stride) {
        uint32_t v = planes[0][row];

        if (size > 1)
            v |= (uint32_t)planes[1][row] << 8;
        if (size > 2)
            v |= (uint32_t)planes[2][row] << 16 | (uint32_t)planes[3][row] << 24;
        v += before;
        before = differences ? v : 0;
        if (size == sizeof(uint32_t))
            memcpy(to, &v, sizeof(v));
        else if (size == sizeof(uint16_t))
            memcpy(to, &(uint16_t){(uint16_t)v}, sizeof(uint16_t));
        else
            *to = (uint8_t)v;
    }
}

static bool get_column(z_stream *z, const struct column *c, const struct array_at *a)
{
    uint8_t *to = a->rows + c->offset;

    for (unsigned b = 0; b < c->size; b++)
        if (!inflate_next(z, planes[b], a->num))
            return false;
    if (c->size == sizeof(uint32_t))
        join_planes(to, a, c->differences, sizeof(uint32_t));
    else if (c->size == sizeof(uint16_t))
        join_planes(to, a, c->differences, sizeof(uint16_t));
    else
        join_planes(to, a, c->differences, 1);
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

bool orma_schema_unpack(struct orma_schema *schema, const unsigned char *packed, size_t len,
                        void *room)
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
    if (inflateInit2(&z, BARE) != Z_OK)
        return false;
    bool ok = true;
    for (size_t i = 0; i < ORMA_ARRAY_LEN(columns) && ok; i++)
        ok = get_column(&z, &columns[i], &arrays[columns[i].array]);
    ok = ok && inflate_next(&z, at, schema->strings_len);
    (void)inflateEnd(&z);
    return ok;
}
