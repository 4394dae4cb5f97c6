#include "tools/fleet/native.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define KEYS_VERSION UINT64_C(1)
#define KEYS_HERE UINT64_C(0x600) /* the block has its keys, and only these */

static void put(struct orma_buf *out, uint64_t value, size_t size)
{
    orma_buf_put(out, &value, size); /* little endian, as all of the wire */
}

void orma_fleet_put_varint(struct orma_buf *out, uint64_t value)
{
    for (; value > 127; value >>= 7)
        orma_buf_put_byte(out, (uint8_t)(value | 128));
    orma_buf_put_byte(out, (uint8_t)value);
}

void orma_fleet_put_text(struct orma_buf *out, struct orma_str text)
{
    orma_fleet_put_varint(out, text.len);
    orma_buf_put(out, text.data, text.len);
}

static void put_title(struct orma_buf *out, const char *name, enum orma_fleet_kind kind)
{
    orma_fleet_put_text(out, orma_str_from(name));
    orma_fleet_put_text(out, orma_str_from(orma_fleet_type(kind)));
}

static void put_dictionary(struct orma_buf *out, size_t keys, size_t width_log2)
{
    put(out, KEYS_VERSION, 8);
    put(out, KEYS_HERE | width_log2, 8);
    put(out, keys, 8);
}

static int64_t whole(const struct orma_columns_column *c, uint64_t row)
{
    return ((const int64_t *)(const void *)c->vals.data)[row];
}

static double real(const struct orma_columns_column *c, uint64_t row)
{
    return ((const double *)(const void *)c->vals.data)[row];
}

static void put_same(struct orma_buf *out, uint64_t value, size_t size, uint64_t rows)
{
    uint8_t *to = orma_buf_extend(out, rows * size);

    if (to && !value)
        memset(to, 0, rows * size);
    for (uint64_t i = 0; to && value && i < rows; i++, to += size)
        memcpy(to, &value, size);
}

static int put_ints(struct orma_buf *out, const struct orma_columns_column *c, uint64_t rows)
{
    if (c->type == ORMA_VALUE_INT64)
        orma_buf_put(out, c->vals.data, rows * sizeof(int64_t));
    else if (c->nulls == rows)
        put_same(out, 0, sizeof(int64_t), rows);
    else
        return -EDOM;
    return 0;
}

static int put_reals(struct orma_buf *out, const struct orma_columns_column *c, uint64_t rows)
{
    if (c->type == ORMA_VALUE_DOUBLE) {
        orma_buf_put(out, c->vals.data, rows * sizeof(double));
        return 0;
    }
    for (uint64_t i = 0; c->type == ORMA_VALUE_INT64 && i < rows; i++) {
        const double val = (double)whole(c, i);

        orma_buf_put(out, &val, sizeof(val));
    }
    return c->type == ORMA_VALUE_INT64 ? 0 : put_ints(out, c, rows);
}

/* Of any type. */
static void put_cell(struct orma_buf *out, const struct orma_columns_column *c, uint64_t row)
{
    const int32_t *at = (const int32_t *)(const void *)c->vals.data + row;
    char number[32] = "";

    if (orma_columns_is_null(c, row)) {
        orma_buf_put_byte(out, 0);
    } else if (c->type == ORMA_VALUE_TEXT) {
        orma_fleet_put_text(out, orma_columns_entry(c, (uint32_t)*at));
    } else if (c->type == ORMA_VALUE_BLOB) {
        orma_fleet_put_text(
            out, (struct orma_str){(const char *)c->bytes.data + at[0], (size_t)(at[1] - at[0])});
    } else {
        if (c->type == ORMA_VALUE_INT64)
            snprintf(number, sizeof(number), "%" PRId64, whole(c, row));
        else if (c->type == ORMA_VALUE_DOUBLE)
            snprintf(number, sizeof(number), "%.17g", real(c, row));
        orma_fleet_put_text(out, orma_str_from(number));
    }
}

static void put_texts(struct orma_buf *out, const struct orma_columns_column *c, uint64_t rows)
{
    for (uint64_t i = 0; i < rows; i++)
        put_cell(out, c, i);
}

/* The numbers of the batch are those of the block; behind its keys is "", for NULL. */
static void put_names(struct orma_buf *out, const struct orma_columns_column *c, uint64_t rows)
{
    const uint32_t entries = c->type == ORMA_VALUE_TEXT ? orma_columns_entries(c) : 0;
    const size_t keys = (size_t)entries + 1;
    const size_t log2 = keys <= 256 ? 0 : keys <= 65536 ? 1 : 2;

    put_dictionary(out, keys, log2);
    for (uint32_t i = 0; i < entries; i++)
        orma_fleet_put_text(out, orma_columns_entry(c, i));
    orma_buf_put_byte(out, 0);
    put(out, rows, 8);
    uint8_t *to = orma_buf_extend(out, rows << log2);
    for (uint64_t i = 0; to && i < rows; i++) {
        const uint32_t key = !entries || orma_columns_is_null(c, i)
                                 ? entries
                                 : (uint32_t)((const int32_t *)(const void *)c->vals.data)[i];
        if (log2 == 0)
            to[i] = (uint8_t)key;
        else
            memcpy(to + (i << log2), &key, log2 == 1 ? 2 : 4);
    }
}

/* What is no text becomes one: names are texts, but who knows. */
static void put_other_names(struct orma_buf *out, const struct orma_columns_column *c,
                            uint64_t rows)
{
    put_dictionary(out, rows, 2);
    put_texts(out, c, rows);
    put(out, rows, 8);
    for (uint64_t i = 0; i < rows; i++)
        put(out, i, 4);
}

int orma_fleet_put_batch(struct orma_buf *out, const struct orma_columns_batch *batch,
                         const char *columns)
{
    struct orma_fleet_column column;
    int r = 0;

    for (unsigned i = 0; !r && i < batch->num && orma_fleet_next_column(&columns, &column); i++) {
        const struct orma_columns_column *c = &batch->columns[i];

        put_title(out, column.name, column.kind);
        if (column.kind == ORMA_FLEET_INT)
            r = put_ints(out, c, batch->rows);
        else if (column.kind == ORMA_FLEET_REAL)
            r = put_reals(out, c, batch->rows);
        else if (column.kind == ORMA_FLEET_TEXT)
            put_texts(out, c, batch->rows);
        else if (c->type == ORMA_VALUE_TEXT || c->nulls == batch->rows)
            put_names(out, c, batch->rows);
        else
            put_other_names(out, c, batch->rows);
    }
    return r ? r : out->failed ? -ENOMEM : 0;
}

static void put_same_name(struct orma_buf *out, struct orma_str text, uint64_t rows)
{
    put_dictionary(out, 1, 0);
    orma_fleet_put_text(out, text);
    put(out, rows, 8);
    put_same(out, 0, 1, rows);
}

void orma_fleet_put_head(struct orma_buf *out, const struct orma_fleet_trace_cells *cells,
                         uint64_t rows)
{
    put_title(out, "date", ORMA_FLEET_DATE);
    put_same(out, cells->day, 2, rows);
    put_title(out, "build", ORMA_FLEET_NAME);
    put_same_name(out, cells->build, rows);
    put_title(out, "machine", ORMA_FLEET_NAME);
    put_same_name(out, cells->machine, rows);
    put_title(out, "load", ORMA_FLEET_LOAD);
    put_same(out, cells->load, 8, rows);
}
