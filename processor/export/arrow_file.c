/*
 * Files of Arrow ("Feather 2"):
 *
 *   "ARROW1\0\0", messages (the schema, a record batch for each batch), the end, footer, its
 * length, "ARROW1" message: ~0, length of its head, the head (padded to 8), the body: buffers of
 * columns, each padded to 8
 *
 * Heads and footer are tables of FlatBuffers. They are written from the front: what a table refers
 * to stands behind it, and the reference, a distance, is filled in when its place is known.
 */
#include <errno.h>
#include <string.h>

#include "processor/export/files.h"

#include "sdk/base/endian.h"

#define FIELDS_MAX 8
#define VERSION 4 /* of the metadata: V5 */
enum { HEADER_SCHEMA = 1, HEADER_RECORD_BATCH = 3 };
enum { TYPE_INT = 2, TYPE_FLOAT = 3, TYPE_BINARY = 4, TYPE_UTF8 = 5 };

struct block {
    int64_t offset;
    int32_t head_len, pad;
    int64_t body_len;
};

struct arrow {
    FILE *out;
    int64_t offset;
    struct orma_buf head, body, blocks;
};

/* ---- FlatBuffers ---- */

static void pad(struct orma_buf *b, size_t to)
{
    while (b->len % to && !b->failed)
        orma_buf_put_byte(b, 0);
}

static void put(struct orma_buf *b, size_t at, const void *data, size_t len)
{
    if (!b->failed)
        memcpy(b->data + at, data, len);
}

/* Fills the reference at `at` in: it leads to the end of what is written. */
static void refer(struct orma_buf *b, size_t at)
{
    uint32_t distance = (uint32_t)(b->len - at);

    put(b, at, &distance, sizeof(distance));
}

static void put_u32(struct orma_buf *b, uint32_t val)
{
    orma_buf_put(b, &val, sizeof(val));
}

/*
 * A table whose fields have these sizes (a digit each; 0: absent), all zero; `from` is the
 * reference to it. ret_at gets the place of each.
 */
static void table(struct orma_buf *b, size_t from, const char *sizes, size_t *ret_at)
{
    const size_t num = strlen(sizes);
    uint16_t vtable[2 + FIELDS_MAX];
    size_t len = sizeof(int32_t);

    for (size_t i = 0; i < num; i++) {
        size_t size = (size_t)(sizes[i] - '0');

        len += size ? (size - len % size) % size : 0;
        vtable[2 + i] = (uint16_t)(size ? len : 0);
        len += size;
    }
    vtable[0] = (uint16_t)((2 + num) * sizeof(*vtable));
    vtable[1] = (uint16_t)len;
    pad(b, 2);
    size_t vtable_at = b->len;
    orma_buf_put(b, vtable, vtable[0]);
    pad(b, 8);
    size_t at = b->len;
    refer(b, from);
    uint8_t *to = orma_buf_extend(b, len);
    if (!to)
        return;
    memset(to, 0, len);
    int32_t back = (int32_t)(at - vtable_at);
    memcpy(to, &back, sizeof(back));
    for (size_t i = 0; i < num; i++)
        ret_at[i] = at + vtable[2 + i];
}

/* A vector of `num` elements, which follow. */
static void vector(struct orma_buf *b, size_t from, uint32_t num, size_t align)
{
    pad(b, 4);
    while ((b->len + 4) % align && !b->failed)
        put_u32(b, 0);
    refer(b, from);
    put_u32(b, num);
}

static void string(struct orma_buf *b, size_t from, const char *text)
{
    const size_t len = strlen(text);

    vector(b, from, (uint32_t)len, 4);
    orma_buf_put(b, text, len + 1);
}

/* ---- heads ---- */

static void put_type(struct orma_buf *b, size_t from, enum orma_value_type type)
{
    const uint32_t width = 64;
    const uint16_t precision = 2; /* double */
    const uint8_t is_signed = 1;
    size_t at[FIELDS_MAX];

    switch (type) {
    case ORMA_VALUE_INT64:
        table(b, from, "41", at);
        put(b, at[0], &width, sizeof(width));
        put(b, at[1], &is_signed, sizeof(is_signed));
        return;
    case ORMA_VALUE_DOUBLE:
        table(b, from, "2", at);
        put(b, at[0], &precision, sizeof(precision));
        return;
    case ORMA_VALUE_NULL:
    case ORMA_VALUE_TEXT:
    case ORMA_VALUE_BLOB:
        table(b, from, "", at);
    }
}

/* What names an extension of the type; apache.org has arrow.json among its own. */
static void put_json(struct orma_buf *b, size_t from)
{
    size_t pair, at[FIELDS_MAX];

    vector(b, from, 1, 4);
    pair = b->len;
    put_u32(b, 0);
    table(b, pair, "44", at); /* key, value */
    string(b, at[0], "ARROW:extension:name");
    string(b, at[1], "arrow.json");
}

static void put_column(struct orma_buf *b, size_t from, const char *name, enum orma_value_type type,
                       bool json)
{
    const uint8_t kind = type == ORMA_VALUE_INT64    ? TYPE_INT
                         : type == ORMA_VALUE_DOUBLE ? TYPE_FLOAT
                         : type == ORMA_VALUE_BLOB   ? TYPE_BINARY
                                                     : TYPE_UTF8;
    const uint8_t nullable = 1;
    size_t at[FIELDS_MAX];

    /* name, nullable, type of type, type, dictionary, children, metadata */
    table(b, from, json ? "4114044" : "411404", at);
    put(b, at[1], &nullable, sizeof(nullable));
    put(b, at[2], &kind, sizeof(kind));
    string(b, at[0], name);
    put_type(b, at[3], type);
    vector(b, at[5], 0, 4);
    if (json)
        put_json(b, at[6]);
}

static void put_schema(struct orma_buf *b, size_t from, const struct orma_columns *columns)
{
    const unsigned num = orma_columns_num(columns);
    size_t at[FIELDS_MAX];

    table(b, from, "24", at); /* byte order, columns */
    vector(b, at[1], num, 4);
    size_t first = b->len;
    if (!orma_buf_extend(b, num * sizeof(uint32_t)))
        return;
    for (unsigned i = 0; i < num; i++)
        put_column(b, first + i * sizeof(uint32_t), orma_columns_name(columns, i),
                   orma_columns_type(columns, i), orma_columns_is_json(columns, i));
}

/* The begin of a message. Returns the place of the reference to its header. */
static size_t begin_message(struct orma_buf *b, uint8_t header, int64_t body_len)
{
    const int16_t version = VERSION;
    size_t at[FIELDS_MAX] = {0};

    orma_buf_clear(b);
    put_u32(b, 0);           /* the reference to the root */
    table(b, 0, "2148", at); /* version, type of header, header, length of the body */
    put(b, at[0], &version, sizeof(version));
    put(b, at[1], &header, sizeof(header));
    put(b, at[3], &body_len, sizeof(body_len));
    return at[2];
}

static int put_out(struct arrow *self, const void *data, size_t len)
{
    self->offset += (int64_t)len;
    return !len || fwrite(data, 1, len, self->out) == len ? 0 : -EIO;
}

static int put_message(struct arrow *self)
{
    struct orma_buf *b = &self->head;

    pad(b, 8);
    if (b->failed || self->body.failed)
        return -ENOMEM;
    const uint32_t prefix[2] = {UINT32_MAX, (uint32_t)b->len};
    int r = put_out(self, prefix, sizeof(prefix));
    if (!r)
        r = put_out(self, b->data, b->len);
    return r ? r : put_out(self, self->body.data, self->body.len);
}

/* ---- batches ---- */

struct buffers {
    struct orma_buf list; /* int64_t: offset, length */
    struct orma_buf *body;
    size_t begin; /* of the one at hand */
};

static void buffer_end(struct buffers *self)
{
    const int64_t entry[2] = {(int64_t)self->begin, (int64_t)(self->body->len - self->begin)};

    orma_buf_put(&self->list, entry, sizeof(entry));
    pad(self->body, 8);
    self->begin = self->body->len;
}

/* Where each text begins, then the texts. */
static int put_texts(struct buffers *to, const struct orma_columns_column *col, uint64_t rows)
{
    const int32_t *entries = (const void *)col->vals.data;
    uint64_t at = 0;

    put_u32(to->body, 0);
    for (uint64_t row = 0; row < rows; row++) {
        at += orma_columns_is_null(col, row) ? 0
                                             : orma_columns_entry(col, (uint32_t)entries[row]).len;
        if (at > INT32_MAX)
            return -EFBIG;
        put_u32(to->body, (uint32_t)at);
    }
    buffer_end(to);
    for (uint64_t row = 0; row < rows; row++) {
        if (orma_columns_is_null(col, row))
            continue;
        struct orma_str text = orma_columns_entry(col, (uint32_t)entries[row]);
        orma_buf_put(to->body, text.data, text.len);
    }
    buffer_end(to);
    return 0;
}

static int put_buffers(struct buffers *to, const struct orma_columns_column *col, uint64_t rows)
{
    if (col->nulls)
        orma_buf_put(to->body, col->valid.data, (rows + 7) / 8);
    buffer_end(to);
    if (col->type == ORMA_VALUE_TEXT)
        return put_texts(to, col, rows);
    orma_buf_put(to->body, col->vals.data, col->vals.len);
    buffer_end(to);
    if (col->type == ORMA_VALUE_BLOB) {
        orma_buf_put(to->body, col->bytes.data, col->bytes.len);
        buffer_end(to);
    }
    return 0;
}

static void put_batch_head(struct orma_buf *b, const struct orma_columns_batch *batch,
                           const struct buffers *buffers)
{
    size_t from = begin_message(b, HEADER_RECORD_BATCH, (int64_t)buffers->body->len);
    size_t at[FIELDS_MAX] = {0};
    const int64_t rows = (int64_t)batch->rows;

    table(b, from, "844", at); /* rows, nodes, buffers */
    put(b, at[0], &rows, sizeof(rows));
    vector(b, at[1], batch->num, 8);
    for (unsigned i = 0; i < batch->num; i++) {
        const int64_t node[2] = {rows, (int64_t)batch->columns[i].nulls};

        orma_buf_put(b, node, sizeof(node));
    }
    vector(b, at[2], (uint32_t)(buffers->list.len / (2 * sizeof(int64_t))), 8);
    orma_buf_put(b, buffers->list.data, buffers->list.len);
}

static int put_batch(struct arrow *self, const struct orma_columns_batch *batch)
{
    struct buffers buffers = {.body = &self->body};
    struct block block = {.offset = self->offset};
    int r = 0;

    orma_buf_clear(&self->body);
    for (unsigned i = 0; !r && i < batch->num; i++)
        r = put_buffers(&buffers, &batch->columns[i], batch->rows);
    put_batch_head(&self->head, batch, &buffers);
    if (buffers.list.failed)
        r = -ENOMEM;
    orma_buf_fini(&buffers.list);
    if (!r)
        r = put_message(self);
    block.body_len = (int64_t)self->body.len;
    block.head_len = (int32_t)(self->head.len + 8);
    orma_buf_put(&self->blocks, &block, sizeof(block));
    return r;
}

static int put_footer(struct arrow *self, const struct orma_columns *columns)
{
    static const uint32_t eos[2] = {UINT32_MAX, 0};
    const int16_t version = VERSION;
    struct orma_buf *b = &self->head;
    size_t at[FIELDS_MAX] = {0};
    int r = put_out(self, eos, sizeof(eos));

    orma_buf_clear(b);
    put_u32(b, 0);
    table(b, 0, "2444", at); /* version, schema, dictionaries, record batches */
    put(b, at[0], &version, sizeof(version));
    put_schema(b, at[1], columns);
    vector(b, at[2], 0, 8);
    vector(b, at[3], (uint32_t)(self->blocks.len / sizeof(struct block)), 8);
    orma_buf_put(b, self->blocks.data, self->blocks.len);
    pad(b, 8);
    put_u32(b, (uint32_t)b->len);
    orma_buf_put(b, "ARROW1", 6);
    if (b->failed || self->blocks.failed)
        return -ENOMEM;
    return r ? r : put_out(self, b->data, b->len);
}

int orma_export_arrow(struct orma_columns *columns, FILE *out)
{
    struct arrow self = {.out = out};
    struct orma_columns_batch *batch;
    int r = ORMA_IS_BIG_ENDIAN ? -ENOTSUP : orma_columns_settle(columns);

    if (!r)
        r = put_out(&self, "ARROW1\0", 8);
    if (!r) {
        put_schema(&self.head, begin_message(&self.head, HEADER_SCHEMA, 0), columns);
        r = put_message(&self);
    }
    while (!r && (r = orma_columns_next(columns, &batch)) == 1) {
        r = put_batch(&self, batch);
        orma_columns_batch_unref(batch);
    }
    if (!r)
        r = put_footer(&self, columns);
    orma_buf_fini(&self.head);
    orma_buf_fini(&self.body);
    orma_buf_fini(&self.blocks);
    return r;
}
