#include "protos/reflect/schema_pack.h"

#include <errno.h>
#include <stdlib.h>
#include <zlib.h>

#include "protos/deflated.h"
#include "sdk/base/assert.h"
#include "sdk/base/search.h"

#define BARE (-MAX_WBITS)

enum array { MSGS, FIELDS, BY_NAME, ENUMS, VALUES, ONEOFS, TYPES, EXTRAS, ARRAYS };

struct column {
    uint8_t array;
    uint8_t offset;
    uint8_t size;
    uint8_t form; /* enum form */
};

enum form { AS_IS, DIFFERENCES, NAME };

#define COLUMN(array, type, field, form)                                                           \
    {                                                                                              \
        array, offsetof(type, field), sizeof(((type *)NULL)->field), form                          \
    }

static const struct column columns[] = {
    COLUMN(MSGS, struct orma_msg_row, name, NAME),
    COLUMN(MSGS, struct orma_msg_row, fields, DIFFERENCES),
    COLUMN(MSGS, struct orma_msg_row, oneofs, DIFFERENCES),
    COLUMN(MSGS, struct orma_msg_row, nfields, AS_IS),
    COLUMN(MSGS, struct orma_msg_row, dense, AS_IS),
    COLUMN(MSGS, struct orma_msg_row, noneofs, AS_IS),
    COLUMN(MSGS, struct orma_msg_row, nrequired, AS_IS),
    COLUMN(FIELDS, struct orma_field, name, NAME),
    COLUMN(FIELDS, struct orma_field, number, DIFFERENCES),
    COLUMN(FIELDS, struct orma_field, type_idx, DIFFERENCES),
    COLUMN(FIELDS, struct orma_field, oneof, AS_IS),
    COLUMN(FIELDS, struct orma_field, extra, AS_IS),
    COLUMN(FIELDS, struct orma_field, type, AS_IS),
    COLUMN(FIELDS, struct orma_field, flags, AS_IS),
    {BY_NAME, 0, sizeof(uint16_t), AS_IS},
    COLUMN(ENUMS, struct orma_enum_row, name, NAME),
    COLUMN(ENUMS, struct orma_enum_row, values, DIFFERENCES),
    COLUMN(ENUMS, struct orma_enum_row, nvalues, AS_IS),
    COLUMN(VALUES, struct orma_enum_value, name, NAME),
    COLUMN(VALUES, struct orma_enum_value, number, AS_IS),
    {ONEOFS, 0, sizeof(uint32_t), DIFFERENCES},
    {TYPES, 0, sizeof(uint32_t), DIFFERENCES},
    COLUMN(EXTRAS, struct orma_field_extra, dflt, DIFFERENCES),
    COLUMN(EXTRAS, struct orma_field_extra, json_name, DIFFERENCES),
    COLUMN(EXTRAS, struct orma_field_extra, options, DIFFERENCES),
    COLUMN(EXTRAS, struct orma_field_extra, options_len, AS_IS),
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

/* Where each string begins. */
struct starts {
    uint32_t at[ORMA_SCHEMA_PACK_ROWS_MAX];
    size_t num;
};

static bool find_starts(const struct orma_schema *s, struct starts *ret)
{
    ret->num = 0;
    for (size_t at = 0; at < s->strings_len; at += strlen(s->strings + at) + 1) {
        if (ret->num == ORMA_ARRAY_LEN(ret->at))
            return false;
        ret->at[ret->num++] = (uint32_t)at;
    }
    return true;
}

static uint32_t number_of(const struct starts *starts, uint32_t offset)
{
    size_t ret = ORMA_LOWER_BOUND(starts->at, starts->num, , offset);

    ORMA_ASSERT(ret < starts->num && starts->at[ret] == offset);
    return (uint32_t)ret;
}

/* Bytes of a value as it is packed: there are less strings than two bytes can count. */
static unsigned width(const struct column *c)
{
    return c->form == NAME ? sizeof(uint16_t) : c->size;
}

/* In the order of bytes of this machine: tables are built and read on the same one. */
static void put_column(const struct column *c, const struct array_at *a,
                       const struct starts *starts, struct orma_buf *out)
{
    for (unsigned b = 0; b < width(c); b++) {
        uint32_t before = 0;

        for (size_t row = 0; row < a->num; row++) {
            uint32_t v = cell_get(c, a, row);

            if (c->form == NAME)
                v = number_of(starts, v);
            orma_buf_put_byte(out, (uint8_t)((c->form == AS_IS ? v : v - before) >> (8 * b)));
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
    static struct starts starts;
    ORMA_AUTO(orma_buf_fini) struct orma_buf plain = {0};
    struct array_at arrays[ARRAYS];

    if (!find_starts(schema, &starts))
        return -E2BIG;
    arrays_of(schema, arrays);
    orma_buf_put(&plain, schema->strings, schema->strings_len);
    for (size_t i = 0; i < ORMA_ARRAY_LEN(columns); i++) {
        if (arrays[columns[i].array].num > ORMA_SCHEMA_PACK_ROWS_MAX)
            return -E2BIG;
        put_column(&columns[i], &arrays[columns[i].array], &starts, &plain);
    }
    return plain.failed ? -ENOMEM : deflate_all(&plain, out);
}

static uint8_t planes[sizeof(uint32_t)][ORMA_SCHEMA_PACK_ROWS_MAX];

/* Each size is a loop of its own. `starts` is given for names. */
static inline void join_planes(uint8_t *to, const struct array_at *a, bool differences,
                               unsigned size, const struct starts *starts)
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
        if (starts)
            memcpy(to, &starts->at[v % ORMA_SCHEMA_PACK_ROWS_MAX], sizeof(v));
        else if (size == sizeof(uint32_t))
            memcpy(to, &v, sizeof(v));
        else if (size == sizeof(uint16_t))
            memcpy(to, &(uint16_t){(uint16_t)v}, sizeof(uint16_t));
        else
            *to = (uint8_t)v;
    }
}

static bool get_column(struct orma_deflated *z, const struct column *c, const struct array_at *a,
                       const struct starts *starts)
{
    uint8_t *to = a->rows + c->offset;
    bool differences = c->form == DIFFERENCES;

    for (unsigned b = 0; b < width(c); b++)
        if (!orma_deflated_next(z, planes[b], a->num))
            return false;
    if (c->form == NAME)
        join_planes(to, a, true, sizeof(uint16_t), starts);
    else if (c->size == sizeof(uint32_t))
        join_planes(to, a, differences, sizeof(uint32_t), NULL);
    else if (c->size == sizeof(uint16_t))
        join_planes(to, a, differences, sizeof(uint16_t), NULL);
    else
        join_planes(to, a, differences, 1, NULL);
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
    static struct orma_deflated z;
    static struct starts starts;
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
    if (!orma_deflated_start(&z, packed, len))
        return false;
    bool ok = orma_deflated_next(&z, at, schema->strings_len) && find_starts(schema, &starts);
    for (size_t i = 0; i < ORMA_ARRAY_LEN(columns) && ok; i++)
        ok = get_column(&z, &columns[i], &arrays[columns[i].array], &starts);
    orma_deflated_end(&z);
    return ok;
}
