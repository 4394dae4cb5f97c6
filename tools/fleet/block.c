#include "tools/fleet/block.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- order ---- */

int orma_fleet_compare(struct orma_str a, struct orma_str b)
{
    const size_t len = ORMA_MIN(a.len, b.len);
    const int r = len ? memcmp(a.data, b.data, len) : 0;

    return r ? r : (a.len > b.len) - (a.len < b.len);
}

static int find_column(const struct orma_fleet_table *table, const char *name, size_t len)
{
    const char *list = table->columns;
    struct orma_fleet_column c;

    for (int i = 0; orma_fleet_next_column(&list, &c); i++) {
        if (strlen(c.name) == len && !memcmp(c.name, name, len))
            return i;
    }
    return -1; /* of the head: the same in all rows */
}

int orma_fleet_sort_column(const struct orma_fleet_table *table, unsigned n)
{
    for (const char *at = table->order; *at;) {
        const size_t len = strcspn(at, ",");
        const int col = find_column(table, at, len);

        if (col >= 0 && !n--)
            return col;
        at += len + strspn(at + len, ", ");
    }
    return -1;
}

struct ranked {
    struct orma_str text;
    uint32_t entry;
};

static int compare_ranked(const void *a, const void *b)
{
    return orma_fleet_compare(((const struct ranked *)a)->text, ((const struct ranked *)b)->text);
}

/* The place of each entry in the order of texts, from 1; that of "", as of NULL, is 0. */
static uint32_t *rank(const struct orma_columns_column *c)
{
    const uint32_t num = orma_columns_entries(c);
    struct ranked *all = calloc((size_t)num + 1, sizeof(*all));
    uint32_t *ret = calloc((size_t)num + 1, sizeof(*ret));

    for (uint32_t i = 0; all && i < num; i++)
        all[i] = (struct ranked){orma_columns_entry(c, i), i};
    if (all && ret) {
        qsort(all, num, sizeof(*all), compare_ranked);
        for (uint32_t i = 0; i < num; i++)
            ret[all[i].entry] = all[i].text.len ? i + 1 : 0;
    } else {
        free(ret);
        ret = NULL;
    }
    free(all);
    return ret;
}

struct key {
    const struct orma_columns_column *column;
    uint32_t *ranks; /* NULL: it is no text */
};

static int key_init(struct key *k, const struct orma_columns_batch *batch,
                    const struct orma_fleet_table *table, unsigned n)
{
    const int col = orma_fleet_sort_column(table, n);

    *k = (struct key){.column = col < 0 ? NULL : &batch->columns[col]};
    if (k->column && k->column->type == ORMA_VALUE_TEXT && !(k->ranks = rank(k->column)))
        return -ENOMEM;
    return 0;
}

static int64_t key_of(const struct key *k, uint32_t row)
{
    if (!k->column || (k->ranks && orma_columns_is_null(k->column, row)))
        return 0;
    if (k->ranks)
        return k->ranks[((const uint32_t *)(const void *)k->column->vals.data)[row]];
    return k->column->type == ORMA_VALUE_INT64
               ? ((const int64_t *)(const void *)k->column->vals.data)[row]
               : 0;
}

struct keyed {
    int64_t key;
    uint32_t row;
};

static int compare_keyed(const void *a, const void *b)
{
    const struct keyed *x = a, *y = b;

    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return x->row < y->row ? -1 : 1;
}

/* Rows that are equal in the first key, by the second: mostly they are in order already. */
static int sort_equal(const struct key *k, uint32_t *rows, uint32_t num)
{
    uint32_t i = 1;

    while (i < num && key_of(k, rows[i - 1]) <= key_of(k, rows[i]))
        i++;
    if (i >= num)
        return 0;
    struct keyed *all = malloc(num * sizeof(*all));
    if (!all)
        return -ENOMEM;
    for (i = 0; i < num; i++)
        all[i] = (struct keyed){key_of(k, rows[i]), rows[i]};
    qsort(all, num, sizeof(*all), compare_keyed);
    for (i = 0; i < num; i++)
        rows[i] = all[i].row;
    free(all);
    return 0;
}

/* `order` gets the rows as they are to be written; the first key is a text, which are few. */
static int sort(const struct key keys[2], uint32_t rows, uint32_t *order)
{
    const uint32_t ranks = keys[0].ranks ? orma_columns_entries(keys[0].column) + 1 : 1;
    uint32_t *ends = calloc((size_t)ranks + 1, sizeof(*ends));
    int r = 0;

    if (!ends)
        return -ENOMEM;
    for (uint32_t i = 0; i < rows; i++)
        ends[(keys[0].ranks ? key_of(&keys[0], i) : 0) + 1]++;
    for (uint32_t i = 0; i < ranks; i++)
        ends[i + 1] += ends[i];
    for (uint32_t i = 0; i < rows; i++)
        order[ends[keys[0].ranks ? key_of(&keys[0], i) : 0]++] = i;
    for (uint32_t i = 0, begin = 0; !r && i < ranks; begin = ends[i++])
        r = sort_equal(&keys[1], order + begin, ends[i] - begin);
    free(ends);
    return r;
}

/* ---- writing ---- */

static void pad(struct orma_buf *out)
{
    while (out->len % 8 && !out->failed)
        orma_buf_put_byte(out, 0);
}

static void put_width(struct orma_buf *out, uint32_t width)
{
    const uint32_t head[2] = {width, 0};

    orma_buf_put(out, head, sizeof(head));
}

static void narrow(uint8_t *to, const int64_t *vals, const uint32_t *order, uint32_t rows,
                   uint32_t width)
{
    for (uint32_t i = 0; i < rows; i++)
        memcpy(to + i * width, &vals[order[i]], width);
}

static void put_whole(struct orma_buf *out, const int64_t *vals, const uint32_t *order,
                      uint32_t rows)
{
    uint64_t bits = 0;

    for (uint32_t i = 0; i < rows; i++)
        bits |= (uint64_t)(vals[i] ^ vals[i] >> 63);
    const uint32_t width = bits < 1U << 7 ? 1 : bits < 1U << 15 ? 2 : bits < 1U << 31 ? 4 : 8;
    put_width(out, width);
    uint8_t *to = orma_buf_extend(out, (size_t)rows * width);
    if (!to)
        return;
    switch (width) { /* constants are fast */
    case 1:
        narrow(to, vals, order, rows, 1);
        break;
    case 2:
        narrow(to, vals, order, rows, 2);
        break;
    case 4:
        narrow(to, vals, order, rows, 4);
        break;
    default:
        narrow(to, vals, order, rows, 8);
    }
}

static void put_reals(struct orma_buf *out, const struct orma_columns_column *c,
                      const uint32_t *order, uint32_t rows)
{
    const int64_t *vals = (const void *)c->vals.data;

    put_width(out, sizeof(double));
    uint8_t *to = orma_buf_extend(out, rows * sizeof(double));
    for (uint32_t i = 0; to && i < rows; i++, to += sizeof(double)) {
        const int64_t val = vals[order[i]];
        const double d = (double)val;

        memcpy(to, c->type == ORMA_VALUE_INT64 ? (const void *)&d : (const void *)&val, sizeof(d));
    }
}

static int put_numbers(struct orma_buf *out, const struct orma_columns_column *c,
                       const uint32_t *order, uint32_t rows, bool real)
{
    if (c->nulls == rows) {
        put_width(out, sizeof(int64_t));
        uint8_t *to = orma_buf_extend(out, rows * sizeof(int64_t));
        if (to)
            memset(to, 0, rows * sizeof(int64_t));
    } else if (c->type == ORMA_VALUE_DOUBLE ? !real : c->type != ORMA_VALUE_INT64) {
        return -EDOM;
    } else if (real) {
        put_reals(out, c, order, rows);
    } else {
        put_whole(out, (const void *)c->vals.data, order, rows);
    }
    pad(out);
    return 0;
}

/* What is no text becomes one: names are texts, but who knows. */
static struct orma_str text_of(const struct orma_columns_column *c, uint32_t row, char *scratch,
                               size_t size)
{
    const int64_t val =
        c->type == ORMA_VALUE_BLOB ? 0 : ((const int64_t *)(const void *)c->vals.data)[row];
    const int32_t *at = (const int32_t *)(const void *)c->vals.data + row;
    double d;

    if (c->type == ORMA_VALUE_BLOB)
        return (struct orma_str){(const char *)c->bytes.data + at[0], (size_t)(at[1] - at[0])};
    memcpy(&d, &val, sizeof(d));
    if (c->type == ORMA_VALUE_INT64)
        snprintf(scratch, size, "%" PRId64, val);
    else
        snprintf(scratch, size, "%.17g", d);
    return orma_str_from(scratch);
}

/* A text for each row of a column that has none. */
static void put_other_entries(struct orma_buf *offsets, struct orma_buf *bytes,
                              const struct orma_columns_column *c, uint32_t rows)
{
    char scratch[32];

    for (uint32_t i = 0; i < rows; i++) {
        const uint32_t begin = (uint32_t)bytes->len;

        orma_buf_put(offsets, &begin, sizeof(begin));
        if (c->nulls < rows && !orma_columns_is_null(c, i)) {
            const struct orma_str text = text_of(c, i, scratch, sizeof(scratch));

            orma_buf_put(bytes, text.data, text.len);
        }
    }
}

/* Of the number of an entry. */
static unsigned width_of(uint32_t entries)
{
    return entries <= 1U << 8 ? 1 : entries <= 1U << 16 ? 2 : 4;
}

static int put_texts(struct orma_buf *out, const struct orma_columns_column *c,
                     const uint32_t *order, uint32_t rows)
{
    ORMA_AUTO(orma_buf_fini) struct orma_buf offsets = {0}, others = {0};
    const bool is_text = c->type == ORMA_VALUE_TEXT, none = c->nulls == rows;
    const uint32_t entries = is_text ? orma_columns_entries(c) : none ? 0 : rows;
    const uint32_t *vals = (const void *)c->vals.data, head[2] = {entries + 1, 0};
    const struct orma_buf *bytes = is_text ? &c->bytes : &others;

    if (is_text && entries)
        orma_buf_put(&offsets, c->offsets.data, entries * sizeof(uint32_t));
    else
        put_other_entries(&offsets, &others, c, entries);
    if (offsets.failed || others.failed)
        return -ENOMEM;
    if (bytes->len > UINT32_MAX)
        return -EFBIG;
    /* The last one is "", for NULL. */
    const uint32_t ends[2] = {(uint32_t)bytes->len, (uint32_t)bytes->len};
    orma_buf_put(&offsets, ends, sizeof(ends));
    orma_buf_put(out, head, sizeof(head));
    orma_buf_put(out, offsets.data, offsets.len);
    pad(out);
    orma_buf_put(out, bytes->data, bytes->len);
    pad(out);
    const unsigned width = width_of(entries + 1);
    uint8_t *to = orma_buf_extend(out, (size_t)rows * width);
    for (uint32_t i = 0; to && i < rows; i++, to += width) {
        const uint32_t row = order[i], entry = !entries || orma_columns_is_null(c, row) ? entries
                                               : is_text                                ? vals[row]
                                                                                        : row;
        memcpy(to, &entry, width);
    }
    pad(out);
    return offsets.failed ? -ENOMEM : 0;
}

int orma_fleet_block_put(struct orma_buf *out, const struct orma_columns_batch *batch,
                         const struct orma_fleet_table *table)
{
    const uint32_t rows = (uint32_t)batch->rows; /* at most ORMA_COLUMNS_LOOK_MAX */
    uint32_t *order = malloc(((size_t)rows + 1) * sizeof(*order));
    const char *list = table->columns;
    struct orma_fleet_column c;
    struct key keys[2] = {0};
    int r = order ? 0 : -ENOMEM;

    for (unsigned n = 0; !r && n < 2; n++)
        r = key_init(&keys[n], batch, table, n);
    if (!r)
        r = sort(keys, rows, order);
    for (unsigned i = 0; !r && i < batch->num && orma_fleet_next_column(&list, &c); i++) {
        const struct orma_columns_column *from = &batch->columns[i];

        if (c.kind == ORMA_FLEET_INT || c.kind == ORMA_FLEET_REAL)
            r = put_numbers(out, from, order, rows, c.kind == ORMA_FLEET_REAL);
        else
            r = put_texts(out, from, order, rows);
    }
    free(keys[0].ranks);
    free(keys[1].ranks);
    free(order);
    return r ? r : out->failed ? -ENOMEM : 0;
}

/* ---- reading ---- */

struct reader {
    const uint8_t *at;
    size_t left;
};

static const void *take(struct reader *from, size_t num, size_t size)
{
    const uint8_t *at = from->at;
    const size_t len = (num * size + 7) & ~(size_t)7; /* numbers of 32 bits */

    if (len > from->left)
        return NULL;
    from->at += len;
    from->left -= len;
    return at;
}

static bool read_texts(struct reader *from, uint32_t rows, struct orma_fleet_values *ret)
{
    const uint32_t *head = take(from, 1, 8);

    if (!head || !head[0])
        return false;
    ret->entries_num = head[0];
    ret->offsets = take(from, (size_t)head[0] + 1, sizeof(uint32_t));
    if (!ret->offsets || ret->offsets[0])
        return false;
    for (uint32_t i = 0; i < ret->entries_num; i++) {
        if (ret->offsets[i] > ret->offsets[i + 1])
            return false;
    }
    ret->bytes = take(from, ret->offsets[ret->entries_num], 1);
    ret->width = width_of(ret->entries_num);
    ret->rows = take(from, rows, ret->width);
    for (uint32_t i = 0; ret->rows && i < rows; i++) {
        if (orma_fleet_entry_of(ret, i) >= ret->entries_num)
            return false;
    }
    return ret->bytes && ret->rows;
}

static bool read_numbers(struct reader *from, uint32_t rows, struct orma_fleet_values *ret)
{
    const uint32_t *head = take(from, 1, 8);

    if (!head || head[0] > 8 || __builtin_popcount(head[0]) != 1)
        return false;
    ret->width = head[0];
    ret->rows = take(from, rows, ret->width);
    return ret->rows;
}

bool orma_fleet_block_read(const uint8_t *data, size_t len, const struct orma_fleet_table *table,
                           struct orma_fleet_block *ret)
{
    struct reader from = {data, len};
    const char *list = table->columns;
    struct orma_fleet_column c;
    unsigned num = 0;

    while (orma_fleet_next_column(&list, &c)) {
        struct orma_fleet_values *v = &ret->columns[num];

        if (num++ == ORMA_FLEET_COLUMNS_MAX)
            return false;
        if (c.kind == ORMA_FLEET_NAME || c.kind == ORMA_FLEET_TEXT) {
            if (!read_texts(&from, ret->rows, v))
                return false;
        } else if (!read_numbers(&from, ret->rows, v)) {
            return false;
        }
    }
    return !from.left;
}
