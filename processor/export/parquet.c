/*
 * Parquet, of what it has for flat tables:
 *
 *   "PAR1", row groups, FileMetaData, its length (4 bytes), "PAR1"
 *   row group:    a batch: for each column the page of its dictionary (texts), and a page of values
 *   page:         PageHeader, then the compressed bytes: which rows are not NULL, the others'
 * values
 *
 * PageHeader and FileMetaData are structs of Thrift in its compact protocol. Which rows are not
 * NULL is a run (all), or the bits of the batch as they are. Texts are numbers of the dictionary,
 * packed as narrow as they fit.
 */
#include <errno.h>
#include <string.h>
#ifdef ORMA_HAVE_ZSTD
#include <zstd.h>
#endif

#include "processor/export/files.h"
#include "sdk/base/endian.h"
#include "sdk/wire/pb_writer.h"

#define STATISTICS_TEXT_MAX 256 /* longer texts are left out of the statistics */
#define ZSTD_LEVEL 1

enum { THRIFT_I32 = 5, THRIFT_I64 = 6, THRIFT_BINARY = 8, THRIFT_LIST = 9, THRIFT_STRUCT = 12 };
enum { TYPE_INT64 = 2, TYPE_DOUBLE = 5, TYPE_BYTES = 6 };
enum { ENCODING_PLAIN = 0, ENCODING_RLE = 3, ENCODING_DICTIONARY = 8 };
enum { PAGE_DATA = 0, PAGE_DICTIONARY = 2 };

struct parquet {
    FILE *out;
    uint64_t offset, rows;
    struct orma_buf groups; /* the RowGroup of each, for the end */
    uint32_t groups_num;
    struct orma_buf page, packed, scratch;
    void *zstd;
};

/* What the metadata of a column say of it. */
struct chunk {
    uint64_t begin, dictionary, data; /* offsets; dictionary 0: there is none */
    uint64_t plain, packed;           /* bytes, headers included */
};

/* ---- Thrift ---- */

/* A field of a struct, whose fields come by number: `last` is that of the one before. */
static void field(struct orma_buf *b, unsigned *last, unsigned id, unsigned type)
{
    orma_buf_put_byte(b, (uint8_t)((id - *last) << 4 | type));
    *last = id;
}

static void number(struct orma_buf *b, uint64_t val)
{
    uint8_t *to;

    if (orma_buf_reserve(b, ORMA_VARINT_MAX)) {
        to = b->data + b->len;
        b->len = (size_t)(orma_varint_write(to, val) - b->data);
    }
}

static void integer(struct orma_buf *b, unsigned *last, unsigned id, unsigned type, uint64_t val)
{
    field(b, last, id, type);
    number(b, val << 1); /* zigzag of what is not negative */
}

static void bytes(struct orma_buf *b, const void *data, size_t len)
{
    number(b, len);
    orma_buf_put(b, data, len);
}

static void list(struct orma_buf *b, unsigned type, uint32_t num)
{
    if (num < 15) {
        orma_buf_put_byte(b, (uint8_t)(num << 4 | type));
        return;
    }
    orma_buf_put_byte(b, (uint8_t)(0xf0 | type));
    number(b, num);
}

static void end(struct orma_buf *b)
{
    orma_buf_put_byte(b, 0);
}

/* ---- pages ---- */

static int put(struct parquet *self, const void *data, size_t len)
{
    self->offset += len;
    return !len || fwrite(data, 1, len, self->out) == len ? 0 : -EIO;
}

/* The bytes of a page as they are written. */
static const struct orma_buf *pack(struct parquet *self)
{
#ifdef ORMA_HAVE_ZSTD
    orma_buf_clear(&self->packed);
    size_t room = ZSTD_compressBound(self->page.len);
    uint8_t *to = orma_buf_extend(&self->packed, room);

    if (!to)
        return NULL;
    size_t len =
        ZSTD_compressCCtx(self->zstd, to, room, self->page.data, self->page.len, ZSTD_LEVEL);
    self->packed.len = ZSTD_isError(len) ? 0 : len;
    return ZSTD_isError(len) ? NULL : &self->packed;
#else
    return &self->page;
#endif
}

/* Writes the page that was gathered, of `values` values. */
static int put_page(struct parquet *self, struct chunk *c, unsigned kind, uint64_t values,
                    unsigned encoding)
{
    const struct orma_buf *packed = self->page.failed ? NULL : pack(self);
    struct orma_buf *head = &self->scratch;
    unsigned last = 0, of_page = 0;

    if (!packed)
        return -ENOMEM;
    orma_buf_clear(head);
    integer(head, &last, 1, THRIFT_I32, kind);
    integer(head, &last, 2, THRIFT_I32, self->page.len);
    integer(head, &last, 3, THRIFT_I32, packed->len);
    field(head, &last, kind == PAGE_DATA ? 5 : 7, THRIFT_STRUCT);
    integer(head, &of_page, 1, THRIFT_I32, values);
    integer(head, &of_page, 2, THRIFT_I32, encoding);
    if (kind == PAGE_DATA) {
        integer(head, &of_page, 3, THRIFT_I32, ENCODING_RLE);
        integer(head, &of_page, 4, THRIFT_I32, ENCODING_RLE);
    }
    end(head);
    end(head);
    if (head->failed)
        return -ENOMEM;
    c->plain += head->len + self->page.len;
    c->packed += head->len + packed->len;
    int r = put(self, head->data, head->len);
    return r ? r : put(self, packed->data, packed->len);
}

static void put_u32(struct orma_buf *b, size_t val)
{
    uint32_t v = (uint32_t)val;

    orma_buf_put(b, &v, sizeof(v)); /* little endian: others are refused */
}

/* Which rows are not NULL, behind the length of that. */
static void put_levels(struct orma_buf *b, const struct orma_columns_column *col, uint64_t rows)
{
    size_t at = b->len;

    put_u32(b, 0);
    if (!col->nulls) {
        number(b, rows << 1);
        orma_buf_put_byte(b, 1);
    } else {
        number(b, (rows + 7) / 8 << 1 | 1);
        orma_buf_put(b, col->valid.data, (rows + 7) / 8);
    }
    if (!b->failed) {
        uint32_t len = (uint32_t)(b->len - at - sizeof(len));

        memcpy(b->data + at, &len, sizeof(len));
    }
}

static void put_numbers(struct orma_buf *b, const struct orma_columns_column *col, uint64_t rows)
{
    const int64_t *vals = (const void *)col->vals.data;

    if (!col->nulls) {
        orma_buf_put(b, vals, rows * sizeof(*vals));
        return;
    }
    for (uint64_t row = 0; row < rows; row++) {
        if (!orma_columns_is_null(col, row))
            orma_buf_put(b, &vals[row], sizeof(*vals));
    }
}

static void put_blobs(struct orma_buf *b, const struct orma_columns_column *col, uint64_t rows)
{
    const int32_t *at = (const void *)col->vals.data;

    for (uint64_t row = 0; row < rows; row++) {
        if (orma_columns_is_null(col, row))
            continue;
        put_u32(b, (size_t)(at[row + 1] - at[row]));
        orma_buf_put(b, col->bytes.data + at[row], (size_t)(at[row + 1] - at[row]));
    }
}

static unsigned width_of(uint32_t entries)
{
    return entries <= 1 ? 1 : 32 - (unsigned)__builtin_clz(entries - 1);
}

/* The numbers of entries: one run of groups of eight, each number `width` bits. */
static void put_entries(struct orma_buf *b, const struct orma_columns_column *col, uint64_t rows,
                        unsigned width)
{
    const int32_t *entries = (const void *)col->vals.data;
    uint64_t values = rows - col->nulls, word = 0;
    unsigned bits = 0;

    orma_buf_put_byte(b, (uint8_t)width);
    number(b, (values + 7) / 8 << 1 | 1);
    size_t end_at = b->len + (values + 7) / 8 * width;
    uint8_t *to = orma_buf_extend(b, (values + 7) / 8 * width + sizeof(word));
    if (!to)
        return;
    for (uint64_t row = 0; row < rows; row++) {
        if (orma_columns_is_null(col, row))
            continue;
        word |= (uint64_t)(uint32_t)entries[row] << bits;
        bits += width;
        for (; bits >= 8; bits -= 8, word >>= 8)
            *to++ = (uint8_t)word;
    }
    memset(to, 0, (size_t)(b->data + b->len - to));
    if (bits)
        *to = (uint8_t)word;
    b->len = end_at;
}

static int put_dictionary(struct parquet *self, struct chunk *c,
                          const struct orma_columns_column *col)
{
    uint32_t num = orma_columns_entries(col);

    orma_buf_clear(&self->page);
    for (uint32_t i = 0; i < num; i++) {
        struct orma_str text = orma_columns_entry(col, i);

        put_u32(&self->page, text.len);
        orma_buf_put(&self->page, text.data, text.len);
    }
    c->dictionary = self->offset;
    return put_page(self, c, PAGE_DICTIONARY, num, ENCODING_PLAIN);
}

static int put_values(struct parquet *self, struct chunk *c, const struct orma_columns_column *col,
                      uint64_t rows)
{
    const bool by_entry = col->type == ORMA_VALUE_TEXT;

    orma_buf_clear(&self->page);
    put_levels(&self->page, col, rows);
    if (by_entry)
        put_entries(&self->page, col, rows, width_of(orma_columns_entries(col)));
    else if (col->type == ORMA_VALUE_BLOB)
        put_blobs(&self->page, col, rows);
    else
        put_numbers(&self->page, col, rows);
    c->data = self->offset;
    return put_page(self, c, PAGE_DATA, rows, by_entry ? ENCODING_DICTIONARY : ENCODING_PLAIN);
}

/* ---- statistics ---- */

/* The least and the greatest value. False: there is none, or they are not worth it. */
static bool extremes(const struct orma_columns_column *col, uint64_t rows, struct orma_str *ret_min,
                     struct orma_str *ret_max)
{
    const int64_t *ints = (const void *)col->vals.data;
    const double *doubles = (const void *)col->vals.data;
    const bool real = col->type == ORMA_VALUE_DOUBLE;
    uint64_t min = UINT64_MAX, max = 0;

    if (col->type == ORMA_VALUE_TEXT) {
        for (uint32_t i = 0; i < orma_columns_entries(col); i++) {
            struct orma_str text = orma_columns_entry(col, i);

            if (!i || orma_str_order(text, *ret_min) < 0)
                *ret_min = text;
            if (!i || orma_str_order(text, *ret_max) > 0)
                *ret_max = text;
        }
        return ret_min->data && ret_min->len <= STATISTICS_TEXT_MAX &&
               ret_max->len <= STATISTICS_TEXT_MAX;
    }
    for (uint64_t row = 0; col->type != ORMA_VALUE_BLOB && row < rows; row++) {
        if (orma_columns_is_null(col, row))
            continue;
        if (min == UINT64_MAX)
            min = max = row;
        if (real ? doubles[row] < doubles[min] : ints[row] < ints[min])
            min = row;
        if (real ? doubles[row] > doubles[max] : ints[row] > ints[max])
            max = row;
    }
    if (min == UINT64_MAX || (real && (doubles[min] == 0 || doubles[max] == 0)))
        return false; /* a zero has a sign, which readers may miss */
    *ret_min = (struct orma_str){(const char *)&ints[min], sizeof(*ints)};
    *ret_max = (struct orma_str){(const char *)&ints[max], sizeof(*ints)};
    return true;
}

/* ---- metadata ---- */

static void put_statistics(struct orma_buf *b, const struct orma_columns_column *col, uint64_t rows)
{
    struct orma_str min = {0}, max = {0};
    unsigned last = 0;

    integer(b, &last, 3, THRIFT_I64, col->nulls);
    if (extremes(col, rows, &min, &max)) {
        field(b, &last, 5, THRIFT_BINARY);
        bytes(b, max.data, max.len);
        field(b, &last, 6, THRIFT_BINARY);
        bytes(b, min.data, min.len);
    }
    end(b);
}

static unsigned type_of(enum orma_value_type type)
{
    return type == ORMA_VALUE_INT64    ? TYPE_INT64
           : type == ORMA_VALUE_DOUBLE ? TYPE_DOUBLE
                                       : TYPE_BYTES;
}

static void put_chunk(struct orma_buf *b, const struct chunk *c,
                      const struct orma_columns_column *col, uint64_t rows, const char *name)
{
    unsigned outer = 0, last = 0;

    integer(b, &outer, 2, THRIFT_I64, c->begin);
    field(b, &outer, 3, THRIFT_STRUCT);
    integer(b, &last, 1, THRIFT_I32, type_of(col->type));
    field(b, &last, 2, THRIFT_LIST);
    list(b, THRIFT_I32, c->dictionary ? 3 : 2);
    number(b, ENCODING_PLAIN << 1);
    number(b, ENCODING_RLE << 1);
    if (c->dictionary)
        number(b, ENCODING_DICTIONARY << 1);
    field(b, &last, 3, THRIFT_LIST);
    list(b, THRIFT_BINARY, 1);
    bytes(b, name, strlen(name));
#ifdef ORMA_HAVE_ZSTD
    integer(b, &last, 4, THRIFT_I32, 6);
#else
    integer(b, &last, 4, THRIFT_I32, 0);
#endif
    integer(b, &last, 5, THRIFT_I64, rows);
    integer(b, &last, 6, THRIFT_I64, c->plain);
    integer(b, &last, 7, THRIFT_I64, c->packed);
    integer(b, &last, 9, THRIFT_I64, c->data);
    if (c->dictionary)
        integer(b, &last, 11, THRIFT_I64, c->dictionary);
    field(b, &last, 12, THRIFT_STRUCT);
    put_statistics(b, col, rows);
    end(b);
    end(b);
}

static int put_group(struct parquet *self, const struct orma_columns *columns,
                     const struct orma_columns_batch *batch)
{
    struct orma_buf *b = &self->groups;
    uint64_t total = 0;
    unsigned last = 0;

    field(b, &last, 1, THRIFT_LIST);
    list(b, THRIFT_STRUCT, batch->num);
    for (unsigned i = 0; i < batch->num; i++) {
        const struct orma_columns_column *col = &batch->columns[i];
        struct chunk c = {.begin = self->offset};
        int r = col->type == ORMA_VALUE_TEXT ? put_dictionary(self, &c, col) : 0;

        if (!r)
            r = put_values(self, &c, col, batch->rows);
        if (r)
            return r;
        put_chunk(b, &c, col, batch->rows, orma_columns_name(columns, i));
        total += c.plain;
    }
    integer(b, &last, 2, THRIFT_I64, total);
    integer(b, &last, 3, THRIFT_I64, batch->rows);
    end(b);
    self->groups_num++;
    self->rows += batch->rows;
    return b->failed ? -ENOMEM : 0;
}

/* The schema: a root, and its columns. */
static void put_schema(struct orma_buf *b, const struct orma_columns *columns)
{
    const unsigned num = orma_columns_num(columns);
    unsigned last = 0;

    list(b, THRIFT_STRUCT, num + 1);
    field(b, &last, 4, THRIFT_BINARY);
    bytes(b, "schema", 6);
    integer(b, &last, 5, THRIFT_I32, num);
    end(b);
    for (unsigned i = 0; i < num; i++) {
        const char *name = orma_columns_name(columns, i);

        last = 0;
        integer(b, &last, 1, THRIFT_I32, type_of(orma_columns_type(columns, i)));
        integer(b, &last, 3, THRIFT_I32, 1); /* optional */
        field(b, &last, 4, THRIFT_BINARY);
        bytes(b, name, strlen(name));
        if (orma_columns_type(columns, i) == ORMA_VALUE_TEXT) {
            const bool json = orma_columns_is_json(columns, i);
            unsigned kind = 0;

            integer(b, &last, 6, THRIFT_I32, json ? 19 : 0); /* JSON, UTF8 */
            field(b, &last, 10, THRIFT_STRUCT);
            field(b, &kind, json ? 12 : 1, THRIFT_STRUCT); /* JSON, STRING */
            end(b);
            end(b);
        }
        end(b);
    }
}

static int put_end(struct parquet *self, const struct orma_columns *columns)
{
    static const char by[] = "orma version " ORMA_VERSION;
    struct orma_buf *b = &self->page;
    unsigned last = 0;

    orma_buf_clear(b);
    integer(b, &last, 1, THRIFT_I32, 1);
    field(b, &last, 2, THRIFT_LIST);
    put_schema(b, columns);
    integer(b, &last, 3, THRIFT_I64, self->rows);
    field(b, &last, 4, THRIFT_LIST);
    list(b, THRIFT_STRUCT, self->groups_num);
    orma_buf_put(b, self->groups.data, self->groups.len);
    field(b, &last, 6, THRIFT_BINARY);
    bytes(b, by, sizeof(by) - 1);
    field(b, &last, 7, THRIFT_LIST); /* how each column is ordered: as its type */
    list(b, THRIFT_STRUCT, orma_columns_num(columns));
    for (unsigned i = 0; i < orma_columns_num(columns); i++) {
        unsigned kind = 0;

        field(b, &kind, 1, THRIFT_STRUCT);
        end(b);
        end(b);
    }
    end(b);
    put_u32(b, b->len);
    orma_buf_put(b, "PAR1", 4);
    return b->failed ? -ENOMEM : put(self, b->data, b->len);
}

int orma_export_parquet(struct orma_columns *columns, FILE *out)
{
    struct parquet self = {.out = out};
    struct orma_columns_batch *batch;
    int r = ORMA_IS_BIG_ENDIAN ? -ENOTSUP : orma_columns_settle(columns);

#ifdef ORMA_HAVE_ZSTD
    self.zstd = ZSTD_createCCtx();
    if (!r && !self.zstd)
        r = -ENOMEM;
#endif
    if (!r)
        r = put(&self, "PAR1", 4);
    while (!r && (r = orma_columns_next(columns, &batch)) == 1) {
        r = put_group(&self, columns, batch);
        orma_columns_batch_unref(batch);
    }
    if (!r)
        r = put_end(&self, columns);
#ifdef ORMA_HAVE_ZSTD
    (void)ZSTD_freeCCtx(self.zstd); /* always succeeds */
#endif
    orma_buf_fini(&self.groups);
    orma_buf_fini(&self.page);
    orma_buf_fini(&self.packed);
    orma_buf_fini(&self.scratch);
    return r;
}
