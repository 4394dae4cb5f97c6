#include "tools/fleet/native.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "sdk/base/hash.h"

#define KEYS_VERSION UINT64_C(1)
#define KEYS_HERE UINT64_C(0x600) /* the block has its keys, and only these */
/* A piece of a column of texts. */
#define PIECE ((size_t)1 << 20)

static void put(struct orma_buf *out, uint64_t value, size_t size)
{
    orma_buf_put(out, &value, size); /* little endian, as all of the wire */
}

static void put_varint(struct orma_buf *out, uint64_t value)
{
    for (; value > 127; value >>= 7)
        orma_buf_put_byte(out, (uint8_t)(value | 128));
    orma_buf_put_byte(out, (uint8_t)value);
}

static void put_text(struct orma_buf *out, struct orma_str text)
{
    put_varint(out, text.len);
    orma_buf_put(out, text.data, text.len);
}

/* ---- dictionaries ---- */

/* The entry of a text in the dictionary. UINT32_MAX: no memory. */
static uint32_t entry_of(struct orma_fleet_native *self, struct orma_str text)
{
    uint64_t key = orma_hash_bytes_from(orma_hash_seed(), text.data, text.len), at;

    for (; (at = orma_map_get(&self->places, key)) != ORMA_MAP_NONE; key++) {
        if (orma_str_eq(self->entries.data[at], text))
            return (uint32_t)at;
    }
    if (orma_map_put(&self->places, key, self->entries.len) || ORMA_VEC_PUSH(&self->entries, text))
        return UINT32_MAX;
    return self->entries.len - 1;
}

static int learn(struct orma_fleet_native *self, struct orma_str text)
{
    const uint32_t entry = entry_of(self, text);

    return entry == UINT32_MAX ? -ENOMEM : ORMA_VEC_PUSH(&self->numbers, entry);
}

/* Of column `col` of the table; -1, -2: build and machine. */
static int make_dictionary(struct orma_fleet_native *self, int col)
{
    int r = 0;

    orma_map_clear(&self->places);
    self->entries.len = self->numbers.len = self->first.len = 0;
    for (uint32_t b = 0; !r && b < self->blocks_num; b++) {
        const struct orma_fleet_block *block = &self->blocks[b];

        r = ORMA_VEC_PUSH(&self->first, self->numbers.len);
        if (!r && col < 0)
            r = learn(self, col == -1 ? block->trace->build : block->trace->machine);
        for (uint32_t i = 0; !r && col >= 0 && i < block->columns[col].entries_num; i++)
            r = learn(self, orma_fleet_entry(&block->columns[col], i));
    }
    return r;
}

/* ---- order ---- */

struct ranked {
    struct orma_str text;
    uint32_t entry;
};

static int compare_ranked(const void *a, const void *b)
{
    return orma_fleet_compare(((const struct ranked *)a)->text, ((const struct ranked *)b)->text);
}

/* The numbers of the dictionary become places in its order. */
static int rank(struct orma_fleet_native *self)
{
    const uint32_t num = self->entries.len;
    struct ranked *all = malloc((num + (size_t)1) * sizeof(*all));
    uint32_t *ranks = malloc((num + (size_t)1) * sizeof(*ranks));

    for (uint32_t i = 0; all && i < num; i++)
        all[i] = (struct ranked){self->entries.data[i], i};
    if (all && ranks) {
        qsort(all, num, sizeof(*all), compare_ranked);
        for (uint32_t i = 0; i < num; i++)
            ranks[all[i].entry] = i;
        for (uint32_t i = 0; i < self->numbers.len; i++)
            self->numbers.data[i] = ranks[self->numbers.data[i]];
    }
    const int r = all && ranks ? 0 : -ENOMEM;
    free(all);
    free(ranks);
    return r;
}

static int compare_runs(const void *a, const void *b)
{
    const struct orma_fleet_run *x = a, *y = b;

    for (unsigned i = 0; i < ORMA_ARRAY_LEN(x->ranks); i++) {
        if (x->ranks[i] != y->ranks[i])
            return x->ranks[i] < y->ranks[i] ? -1 : 1;
    }
    if (x->block != y->block)
        return x->block < y->block ? -1 : 1;
    return x->from < y->from ? -1 : 1;
}

static bool same_entry(const struct orma_fleet_block *block, int col, uint32_t a, uint32_t b)
{
    return col < 0 || orma_fleet_entry_of(&block->columns[col], a) ==
                          orma_fleet_entry_of(&block->columns[col], b);
}

/* The rows of a block that are equal in the texts that the order begins with. */
static int split(struct orma_fleet_native *self, uint32_t b, const int cols[2])
{
    const struct orma_fleet_block *block = &self->blocks[b];
    int r = 0;

    for (uint32_t from = 0, to; !r && from < block->rows; from = to) {
        for (to = from + 1; to < block->rows && same_entry(block, cols[0], from, to) &&
                            same_entry(block, cols[1], from, to);)
            to++;
        r = ORMA_VEC_PUSH(&self->runs,
                          (struct orma_fleet_run){.block = b, .from = from, .num = to - from});
    }
    return r;
}

/* Where the text of each run stands in the order of all. */
static int rank_runs(struct orma_fleet_native *self, unsigned n, int col)
{
    int r = make_dictionary(self, col);

    if (!r)
        r = rank(self);
    for (uint32_t i = 0; !r && i < self->runs.len; i++) {
        struct orma_fleet_run *run = &self->runs.data[i];
        const struct orma_fleet_values *v = &self->blocks[run->block].columns[col];

        run->ranks[n] =
            self->numbers.data[self->first.data[run->block] + orma_fleet_entry_of(v, run->from)];
    }
    return r;
}

int orma_fleet_native_init(struct orma_fleet_native *self, const struct orma_fleet_table *table,
                           const struct orma_fleet_block *blocks, uint32_t num)
{
    int cols[2], r = 0;

    *self = (struct orma_fleet_native){
        .table = table, .blocks = blocks, .blocks_num = num, .column = UINT_MAX};
    for (unsigned i = 0; i < 2; i++) {
        cols[i] = orma_fleet_sort_column(table, i);
        if (cols[i] >= 0 && !blocks[0].columns[cols[i]].offsets)
            cols[i] = -1; /* a time or a number: of one trace, and in order */
    }
    for (uint32_t b = 0; !r && b < num; b++) {
        self->rows += blocks[b].rows;
        r = split(self, b, cols);
    }
    for (unsigned i = 0; !r && i < 2; i++)
        r = cols[i] < 0 ? 0 : rank_runs(self, i, cols[i]);
    if (!r)
        qsort(self->runs.data, self->runs.len, sizeof(*self->runs.data), compare_runs);
    return r;
}

void orma_fleet_native_fini(struct orma_fleet_native *self)
{
    ORMA_VEC_FINI(&self->runs);
    ORMA_VEC_FINI(&self->entries);
    ORMA_VEC_FINI(&self->numbers);
    ORMA_VEC_FINI(&self->first);
    orma_map_fini(&self->places);
}

/* ---- columns ---- */

static void widen(uint8_t *to, const struct orma_fleet_values *v, const struct orma_fleet_run *run)
{
    for (uint32_t i = 0; v->width < 8 && i < run->num; i++) {
        const uint32_t row = run->from + i;
        const int64_t val = v->width == 1   ? ((const int8_t *)v->rows)[row]
                            : v->width == 2 ? ((const int16_t *)v->rows)[row]
                                            : ((const int32_t *)v->rows)[row];

        memcpy(to + i * sizeof(val), &val, sizeof(val));
    }
    if (v->width == 8)
        memcpy(to, (const int64_t *)v->rows + run->from, run->num * sizeof(int64_t));
}

static void put_numbers(struct orma_fleet_native *self, int col, struct orma_buf *out)
{
    uint8_t *to = orma_buf_extend(out, self->rows * sizeof(int64_t));

    for (uint32_t i = 0; to && i < self->runs.len; i++) {
        const struct orma_fleet_run *run = &self->runs.data[i];

        widen(to, &self->blocks[run->block].columns[col], run);
        to += run->num * sizeof(int64_t);
    }
}

/* What each row of a trace has. */
static void put_same(struct orma_fleet_native *self, bool day, struct orma_buf *out)
{
    const size_t size = day ? 2 : 8;
    uint8_t *to = orma_buf_extend(out, self->rows * size);

    for (uint32_t i = 0; to && i < self->runs.len; i++) {
        const struct orma_fleet_run *run = &self->runs.data[i];
        const struct orma_fleet_trace_cells *trace = self->blocks[run->block].trace;
        const uint64_t val = day ? trace->day : trace->load;

        for (uint32_t row = 0; row < run->num; row++, to += size)
            memcpy(to, &val, size);
    }
}

/* `v` NULL: all rows of the block have its one entry. */
static inline void put_keys(uint8_t *to, const struct orma_fleet_values *v,
                            const struct orma_fleet_run *run, const uint32_t *numbers, size_t size)
{
    for (uint32_t i = 0; i < run->num; i++)
        memcpy(to + i * size, &numbers[v ? orma_fleet_entry_of(v, run->from + i) : 0], size);
}

static int put_names(struct orma_fleet_native *self, int col, struct orma_buf *out)
{
    int r = make_dictionary(self, col);

    if (r)
        return r;
    const uint32_t keys = self->entries.len;
    const size_t log2 = keys <= 256 ? 0 : keys <= 65536 ? 1 : 2;
    put(out, KEYS_VERSION, 8);
    put(out, KEYS_HERE | log2, 8);
    put(out, keys, 8);
    for (uint32_t i = 0; i < keys; i++)
        put_text(out, self->entries.data[i]);
    put(out, self->rows, 8);
    uint8_t *to = orma_buf_extend(out, self->rows << log2);
    for (uint32_t i = 0; to && i < self->runs.len; i++) {
        const struct orma_fleet_run *run = &self->runs.data[i];
        const struct orma_fleet_values *v = col < 0 ? NULL : &self->blocks[run->block].columns[col];
        const uint32_t *numbers = self->numbers.data + self->first.data[run->block];

        if (log2 == 0)
            put_keys(to, v, run, numbers, 1);
        else if (log2 == 1)
            put_keys(to, v, run, numbers, 2);
        else
            put_keys(to, v, run, numbers, 4);
        to += (size_t)run->num << log2;
    }
    return 0;
}

static void put_texts(struct orma_fleet_native *self, int col, struct orma_buf *out)
{
    const size_t begin = out->len;

    for (; self->run < self->runs.len; self->run++, self->row = 0) {
        const struct orma_fleet_run *run = &self->runs.data[self->run];
        const struct orma_fleet_values *v = &self->blocks[run->block].columns[col];

        for (; self->row < run->num; self->row++) {
            if (out->len - begin >= PIECE)
                return;
            put_text(out, orma_fleet_entry(v, orma_fleet_entry_of(v, run->from + self->row)));
        }
    }
    self->in_texts = false;
}

/* The next column; false: that were all. */
static bool next_column(struct orma_fleet_native *self, int *ret_col)
{
    const unsigned head = 4; /* date, build, machine, load */

    self->column++;
    *ret_col = (int)self->column - (int)head;
    return orma_fleet_next_column(&self->lists[self->column >= head], &self->title);
}

static void put_begin(struct orma_fleet_native *self, struct orma_buf *out)
{
    unsigned num = 0;
    int col;

    self->lists[0] = orma_fleet_head;
    self->lists[1] = self->table->columns;
    while (next_column(self, &col))
        num++;
    self->lists[0] = orma_fleet_head;
    self->lists[1] = self->table->columns;
    self->column = UINT_MAX;
    put_varint(out, num);
    put_varint(out, self->rows);
}

int orma_fleet_native_next(struct orma_fleet_native *self, struct orma_buf *out)
{
    int col = (int)self->column - 4, r = 0;

    if (self->in_texts) {
        put_texts(self, col, out);
        return out->failed ? -ENOMEM : 1;
    }
    if (self->column == UINT_MAX)
        put_begin(self, out);
    if (!next_column(self, &col))
        return 0;
    put_text(out, orma_str_from(self->title.name));
    put_text(out, orma_str_from(orma_fleet_type(self->title.kind)));
    switch (self->title.kind) {
    case ORMA_FLEET_INT:
    case ORMA_FLEET_REAL:
        put_numbers(self, col, out);
        break;
    case ORMA_FLEET_DATE:
    case ORMA_FLEET_LOAD:
        put_same(self, self->title.kind == ORMA_FLEET_DATE, out);
        break;
    case ORMA_FLEET_NAME:
        /* Of the head: date -4, build -3, machine -2. */
        r = put_names(self, col < 0 ? (col == -3 ? -1 : -2) : col, out);
        break;
    case ORMA_FLEET_TEXT:
        self->run = self->row = 0;
        self->in_texts = true;
        put_texts(self, col, out);
        break;
    }
    return r ? r : out->failed ? -ENOMEM : 1;
}
