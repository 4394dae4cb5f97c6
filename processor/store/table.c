/*
 * Growth, widening and sealing. All columns of a table share one capacity; a column
 * takes memory from the first value on that is neither 0 nor NULL.
 *
 * When the tails are full, their older half is packed into blocks. What is still
 * written to (how long something took, mostly) is then in the other half, as a rule.
 */
#include "processor/store/table.h"
#include "sdk/base/assert.h"
#include "sdk/base/vec.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

#undef orma_table_set
#undef orma_column_bits
#undef orma_table_int

/* Below, malloc is cheaper; above, mremap moves pages instead of bytes. */
#define HEAP_MAX ((size_t)64 << 10)
#define ROWS_FIRST 64
#define TAIL_ROWS ORMA_TABLE_TAIL_ROWS
#define SEAL_ROWS (TAIL_ROWS / 2)
#define SEAL_BLOCKS (SEAL_ROWS / ORMA_BLOCK_ROWS)

/* Zeroed memory of `new_bytes` with the old content; NULL when refused (the old stays). */
static void *grow_zeroed(void *old, size_t old_bytes, size_t new_bytes)
{
    void *mem;

    if (old && old_bytes > HEAP_MAX) {
        mem = mremap(old, old_bytes, new_bytes, MREMAP_MAYMOVE);
        return mem == MAP_FAILED ? NULL : mem;
    }
    if (new_bytes > HEAP_MAX) {
        mem = mmap(NULL, new_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (mem == MAP_FAILED)
            return NULL;
        if (old)
            memcpy(mem, old, old_bytes);
        free(old);
        return mem;
    }
    mem = realloc(old, new_bytes);
    if (mem)
        memset((char *)mem + old_bytes, 0, new_bytes - old_bytes);
    return mem;
}

static void release(void *mem, size_t bytes)
{
    if (!mem)
        return;
    if (bytes > HEAP_MAX)
        (void)munmap(mem, bytes); /* of our own mapping: cannot fail */
    else
        free(mem);
}

static size_t data_bytes(const struct orma_column *col, uint32_t rows)
{
    return orma_width_bytes(col->width) * rows;
}

int orma_table_init(struct orma_table *self, const struct orma_table_def *def, bool *failed)
{
    *self = (struct orma_table){.def = def, .failed = failed};
    self->columns = calloc(def->columns_num, sizeof(*self->columns));
    if (!self->columns)
        return -ENOMEM;
    for (unsigned i = 0; i < def->columns_num; i++) {
        self->columns[i].flags = def->columns[i].flags;
        self->columns[i].kind = def->columns[i].kind;
    }
    return 0;
}

/* Gives back the blocks from `from` to `to`. */
static void blocks_fini(struct orma_column *col, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++)
        orma_block_fini(&col->blocks[i]);
}

void orma_table_fini(struct orma_table *self)
{
    for (unsigned i = 0; self->columns && i < self->def->columns_num; i++) {
        struct orma_column *col = &self->columns[i];

        blocks_fini(col, 0, col->sealed / ORMA_BLOCK_ROWS);
        free(col->blocks);
        release(col->data, col->data_bytes);
        release(col->valid, col->valid_bytes);
    }
    free(self->columns);
    *self = (struct orma_table){0};
}

size_t orma_table_bytes(const struct orma_table *self)
{
    size_t bytes = 0;

    for (unsigned i = 0; i < self->def->columns_num; i++) {
        const struct orma_column *col = &self->columns[i];

        bytes += data_bytes(col, self->rows - self->sealed);
        bytes += col->valid ? orma_table_valid_bytes(self->rows) : 0;
        for (uint32_t k = 0; k < col->sealed / ORMA_BLOCK_ROWS; k++)
            bytes += orma_block_memory(&col->blocks[k]);
    }
    return bytes;
}

#define READ_LOOP(type)                                                                            \
    do {                                                                                           \
        const type *vals = (const type *)col->data + (first - col->sealed);                        \
        for (uint32_t i = 0; i < num; i++)                                                         \
            to[i] = vals[i];                                                                       \
    } while (0)

static void read_tail(const struct orma_column *col, uint32_t first, uint32_t num, int64_t *to)
{
    switch (col->width) {
    case ORMA_WIDTH_8:
        READ_LOOP(int8_t);
        break;
    case ORMA_WIDTH_16:
        READ_LOOP(int16_t);
        break;
    case ORMA_WIDTH_32:
        READ_LOOP(int32_t);
        break;
    case ORMA_WIDTH_64:
    case ORMA_WIDTH_DOUBLE:
        memcpy(to, (const char *)col->data + (size_t)(first - col->sealed) * 8, (size_t)num * 8);
        break;
    default:
        memset(to, 0, (size_t)num * 8);
    }
}

void orma_column_read(const struct orma_column *col, uint32_t first, uint32_t num, int64_t *to)
{
    uint32_t row = first, end = first + num;

    while (row < end && row < col->sealed) {
        uint32_t at = row % ORMA_BLOCK_ROWS, n = ORMA_MIN(ORMA_BLOCK_ROWS - at, end - row);

        orma_block_read(&col->blocks[row / ORMA_BLOCK_ROWS], at, n, to + (row - first));
        row += n;
    }
    if (row < end)
        read_tail(col, row, end - row, to + (row - first));
}

ORMA_COLD static bool fail(struct orma_table *self)
{
    *self->failed = true;
    return false;
}

static bool grow_part(void **mem, size_t *have, size_t want)
{
    void *grown = *mem && want > *have ? grow_zeroed(*mem, *have, want) : *mem;

    if (*mem && !grown)
        return false;
    if (*mem && want > *have)
        *have = want;
    *mem = grown;
    return true;
}

/* Bits are reserved in larger steps: pages that nobody touched take no memory. */
static size_t valid_reserve(const struct orma_column *col, uint32_t cap)
{
    size_t want = orma_table_valid_bytes(cap);

    return want > col->valid_bytes ? ORMA_MAX(want, col->valid_bytes * 2) : want;
}

/* `cap` moves only when all columns have grown; those before a refusal are larger than they need
 * be until the next try. */
static bool grow_columns(struct orma_table *self, uint32_t cap)
{
    for (unsigned i = 0; i < self->def->columns_num; i++) {
        struct orma_column *col = &self->columns[i];
        void *valid = col->valid;

        if (!grow_part(&col->data, &col->data_bytes, data_bytes(col, cap - self->sealed)))
            return false;
        bool grown = grow_part(&valid, &col->valid_bytes, valid_reserve(col, cap));
        col->valid = valid;
        if (!grown)
            return false;
    }
    return true;
}

static uint8_t width_for(int64_t val)
{
    if ((int8_t)val == val)
        return ORMA_WIDTH_8;
    if ((int16_t)val == val)
        return ORMA_WIDTH_16;
    return (int32_t)val == val ? ORMA_WIDTH_32 : ORMA_WIDTH_64;
}

/* `at`: in the tail. */
static void put(struct orma_column *col, uint32_t at, int64_t val)
{
    switch (col->width) {
    case ORMA_WIDTH_8:
        ((int8_t *)col->data)[at] = (int8_t)val;
        break;
    case ORMA_WIDTH_16:
        ((int16_t *)col->data)[at] = (int16_t)val;
        break;
    case ORMA_WIDTH_32:
        ((int32_t *)col->data)[at] = (int32_t)val;
        break;
    case ORMA_WIDTH_64:
        ((int64_t *)col->data)[at] = val;
        break;
    case ORMA_WIDTH_DOUBLE:
        ((double *)col->data)[at] = (double)val;
        break;
    }
}

/* ---- blocks ---- */

static bool blocks_reserve(struct orma_column *col, uint32_t num)
{
    return !ORMA_GROW(&col->blocks, &col->blocks_cap, num);
}

/* The first half of a tail in blocks behind those that are there; `sealed` is still as it was. */
static bool pack_column(struct orma_column *col)
{
    size_t width = orma_width_bytes(col->width);
    uint32_t have = col->sealed / ORMA_BLOCK_ROWS;

    if (!col->width)
        return true;
    if (!blocks_reserve(col, have + SEAL_BLOCKS))
        return false;
    for (uint32_t i = 0; i < SEAL_BLOCKS; i++) {
        const char *vals = (char *)col->data + i * ORMA_BLOCK_ROWS * width;

        if (!orma_block_make(&col->blocks[have + i], vals, (unsigned)width)) {
            blocks_fini(col, have, have + i);
            return false;
        }
    }
    return true;
}

/* Makes room by packing. All columns, or none. */
static bool seal(struct orma_table *self)
{
    for (unsigned i = 0; i < self->def->columns_num; i++) {
        if (pack_column(&self->columns[i]))
            continue;
        while (i-- > 0) {
            struct orma_column *col = &self->columns[i];
            uint32_t have = col->sealed / ORMA_BLOCK_ROWS;

            blocks_fini(col, have, col->width ? have + SEAL_BLOCKS : have);
        }
        return false;
    }
    for (unsigned i = 0; i < self->def->columns_num; i++) {
        struct orma_column *col = &self->columns[i];
        size_t half = SEAL_ROWS * orma_width_bytes(col->width);

        if (!col->width)
            continue;
        col->sealed += SEAL_ROWS;
        memcpy(col->data, (char *)col->data + half, half);
        memset((char *)col->data + half, 0, half);
    }
    self->sealed += SEAL_ROWS;
    return true;
}

ORMA_COLD bool orma_table_grow(struct orma_table *self)
{
    uint64_t cap = self->cap ? (uint64_t)self->cap * 2 : ROWS_FIRST;

    if (*self->failed || self->cap >= ORMA_ROWS_MAX)
        return fail(self);
    if (self->cap - self->sealed >= TAIL_ROWS) {
        if (!seal(self))
            return fail(self);
        cap = (uint64_t)self->sealed + TAIL_ROWS;
    }
    cap = ORMA_MIN(cap, (uint64_t)ORMA_ROWS_MAX);
    if (!grow_columns(self, (uint32_t)cap))
        return fail(self);
    self->cap = (uint32_t)cap;
    return true;
}

/* Integers in blocks become doubles. */
static bool blocks_to_doubles(struct orma_column *col)
{
    double vals[ORMA_BLOCK_ROWS];
    int64_t ints[ORMA_BLOCK_ROWS];

    for (uint32_t i = 0; i < col->sealed / ORMA_BLOCK_ROWS; i++) {
        struct orma_block block;

        orma_block_read(&col->blocks[i], 0, ORMA_BLOCK_ROWS, ints);
        for (uint32_t k = 0; k < ORMA_BLOCK_ROWS; k++)
            vals[k] = (double)ints[k];
        memcpy(ints, vals, sizeof(ints));
        if (!orma_block_make(&block, ints, sizeof(*ints)))
            return false;
        orma_block_fini(&col->blocks[i]);
        col->blocks[i] = block;
    }
    return true;
}

/* Blocks of zeros for the rows before the tail: the column had none as long as it had no width. */
static bool blocks_of_zeros(struct orma_table *self, struct orma_column *col)
{
    if (!blocks_reserve(col, self->sealed / ORMA_BLOCK_ROWS))
        return false;
    for (uint32_t i = 0; i < self->sealed / ORMA_BLOCK_ROWS; i++)
        col->blocks[i] = orma_block_zeros();
    return true;
}

/* New memory for the tail at the wider width, old values carried over. A failure is final: what a
 * half-widened column then holds is never read. */
static bool widen(struct orma_table *self, struct orma_column *col, uint8_t width)
{
    struct orma_column wide = *col;

    if (!col->width && self->sealed && !blocks_of_zeros(self, &wide)) {
        *col = wide;
        return fail(self);
    }
    wide.width = width;
    wide.sealed = self->sealed;
    wide.data_bytes = data_bytes(&wide, self->cap - self->sealed);
    wide.data = grow_zeroed(NULL, 0, wide.data_bytes);
    if (!wide.data) {
        col->blocks = wide.blocks;
        col->blocks_cap = wide.blocks_cap;
        return fail(self);
    }
    for (uint32_t row = self->sealed; col->data && row < self->rows; row++)
        if (col->width != ORMA_WIDTH_DOUBLE)
            put(&wide, row - self->sealed, orma_column_int(col, row));
    release(col->data, col->data_bytes);
    *col = wide;
    return width != ORMA_WIDTH_DOUBLE || blocks_to_doubles(col) || fail(self);
}

static bool ensure_valid(struct orma_table *self, struct orma_column *col)
{
    if (!(col->flags & ORMA_COL_NULLABLE) || col->kind == ORMA_COL_STRING || col->valid)
        return true;
    col->valid_bytes = orma_table_valid_bytes(self->cap);
    col->valid = grow_zeroed(NULL, 0, col->valid_bytes);
    return col->valid || fail(self);
}

/* A value where there is memory for it. */
static void put_row(struct orma_table *self, struct orma_column *col, uint32_t row, int64_t val)
{
    double d = (double)val;
    int64_t bits = val;

    if (row >= self->sealed) {
        put(col, row - self->sealed, val);
        return;
    }
    if (col->width == ORMA_WIDTH_DOUBLE)
        memcpy(&bits, &d, sizeof(bits));
    if (!orma_block_set(&col->blocks[row / ORMA_BLOCK_ROWS], row % ORMA_BLOCK_ROWS, bits))
        *self->failed = true;
}

ORMA_COLD void orma_table_set_slow(struct orma_table *self, unsigned col_idx, uint32_t row,
                                   int64_t val)
{
    struct orma_column *col = &self->columns[col_idx];

    if (row >= self->rows || col->kind <= ORMA_COL_COMPUTED || !ensure_valid(self, col))
        return;
    if (!val && !col->width) { /* nothing to keep yet */
        orma_column_mark_valid(col, row);
        return;
    }
    if (col->width < width_for(val) && !widen(self, col, width_for(val)))
        return;
    put_row(self, col, row, val);
    orma_column_mark_valid(col, row);
}

void orma_table_set_sealed(struct orma_table *self, unsigned col_idx, uint32_t row, int64_t val)
{
    struct orma_column *col = &self->columns[col_idx];

    if (row >= self->rows || !col->width || (col->flags & ORMA_COL_NULLABLE && !col->valid)) {
        orma_table_set_slow(self, col_idx, row, val);
        return;
    }
    put_row(self, col, row, val); /* a block has its own width */
    orma_column_mark_valid(col, row);
}

/* A double that an integer column can hold without a change. */
static bool is_integer(double val)
{
    return val >= -9007199254740992.0 && val <= 9007199254740992.0 && (double)(int64_t)val == val;
}

void orma_table_set_double_slow(struct orma_table *self, unsigned col_idx, uint32_t row, double val)
{
    struct orma_column *col = &self->columns[col_idx];

    if (row >= self->rows)
        return;
    val += 0.0; /* minus zero is zero, as it is in a record of SQLite */
    if (col->width != ORMA_WIDTH_DOUBLE && is_integer(val)) {
        orma_table_set(self, col_idx, row, (int64_t)val);
        return;
    }
    if (!ensure_valid(self, col) ||
        (col->width != ORMA_WIDTH_DOUBLE && !widen(self, col, ORMA_WIDTH_DOUBLE)))
        return;
    if (row >= self->sealed) {
        ((double *)col->data)[row - self->sealed] = val;
    } else {
        int64_t bits;

        memcpy(&bits, &val, sizeof(bits));
        if (!orma_block_set(&col->blocks[row / ORMA_BLOCK_ROWS], row % ORMA_BLOCK_ROWS, bits))
            *self->failed = true;
    }
    orma_column_mark_valid(col, row);
}

void orma_table_set_null(struct orma_table *self, unsigned col_idx, uint32_t row)
{
    struct orma_column *col = &self->columns[col_idx];

    if (row >= self->rows)
        return;
    if (col->kind == ORMA_COL_STRING)
        orma_table_set(self, col_idx, row, 0);
    else if (col->valid)
        col->valid[row >> 6] &= ~(1ull << (row & 63));
}

/* ---- other numbers ---- */

/* The value for a row that has `val`, which is NULL from now on if there is none. */
static inline uint32_t number_for(struct orma_column *col, uint32_t row, uint32_t val)
{
    if (ORMA_LIKELY(val != ORMA_ROW_NONE))
        return val;
    if (col->valid)
        col->valid[row >> 6] &= ~(1ull << (row & 63));
    return 0;
}

/* False: memory is out, and the block is as it was. */
static bool renumber_block(struct orma_column *col, uint32_t at, const uint32_t *ids, uint32_t num)
{
    struct orma_block *block = &col->blocks[at];
    int64_t vals[ORMA_BLOCK_ROWS];
    struct orma_block made;
    bool changed = false;

    orma_block_read(block, 0, ORMA_BLOCK_ROWS, vals);
    for (uint32_t i = 0; i < ORMA_BLOCK_ROWS; i++) {
        if ((uint64_t)vals[i] >= num || ids[vals[i]] == vals[i])
            continue;
        vals[i] = number_for(col, at * ORMA_BLOCK_ROWS + i, ids[vals[i]]);
        changed = true;
    }
    if (!changed)
        return true;
    if (!orma_block_make(&made, vals, sizeof(*vals)))
        return false;
    orma_block_fini(block);
    *block = made;
    return true;
}

/* Where a NULL is packed, it reads as 0, and what it becomes is never looked at. */
void orma_table_renumber(struct orma_table *self, unsigned col_idx, const uint32_t *ids,
                         uint32_t num)
{
    struct orma_column *col = &self->columns[col_idx];

    if (!num || (!col->width && !ids[0])) /* no value is kept: all are 0 */
        return;
    for (uint32_t i = 0; i < col->sealed / ORMA_BLOCK_ROWS; i++)
        if (!renumber_block(col, i, ids, num))
            *self->failed = true;
    for (uint32_t row = col->width ? self->sealed : 0; row < self->rows; row++) {
        uint64_t val = (uint64_t)orma_column_int(col, row);

        if (orma_column_is_null(col, row) || val >= num)
            continue;
        if (ids[val] == ORMA_ROW_NONE)
            orma_table_set_null(self, col_idx, row);
        else if (ids[val] != val)
            orma_table_set(self, col_idx, row, ids[val]);
    }
}

/* ---- rows that were there already ---- */

bool orma_table_restore(struct orma_table *self, uint32_t rows, uint32_t sealed)
{
    uint32_t tail = sealed ? TAIL_ROWS : rows ? ROWS_FIRST : 0;

    ORMA_ASSERT(!self->cap && sealed % ORMA_BLOCK_ROWS == 0 && sealed <= rows &&
                rows - sealed <= TAIL_ROWS);
    while (tail < rows - sealed)
        tail *= 2;
    self->rows = rows;
    self->sealed = sealed;
    self->cap = (uint32_t)ORMA_MIN((uint64_t)sealed + tail, (uint64_t)ORMA_ROWS_MAX);
    return self->cap >= rows;
}

bool orma_table_restore_column(struct orma_table *self, unsigned col_idx, uint8_t width, bool valid)
{
    struct orma_column *col = &self->columns[col_idx];

    /* Of the same size, and there is nothing to convert yet. */
    if (width && !widen(self, col, width == ORMA_WIDTH_DOUBLE ? ORMA_WIDTH_64 : width))
        return false;
    col->width = width;
    return !valid || ensure_valid(self, col);
}

/* ---- taking back ---- */

/* Back to where the tail begins in the block of row `rows`, whose values move into the tail. */
static void unseal(struct orma_table *self, uint32_t rows)
{
    uint32_t first = rows / ORMA_BLOCK_ROWS, num = rows % ORMA_BLOCK_ROWS;

    for (unsigned i = 0; i < self->def->columns_num; i++) {
        struct orma_column *col = &self->columns[i];
        int64_t vals[ORMA_BLOCK_ROWS];

        if (!col->width)
            continue;
        orma_column_read(col, first * ORMA_BLOCK_ROWS, num, vals);
        for (uint32_t k = 0; k < num;
             k++) /* a block may have been given what the tail cannot hold */
            if (col->width < width_for(vals[k]) && !widen(self, col, width_for(vals[k])))
                return;
        blocks_fini(col, first, col->sealed / ORMA_BLOCK_ROWS);
        col->sealed = first * ORMA_BLOCK_ROWS;
        memset(col->data, 0, col->data_bytes);
        for (uint32_t k = 0; k < num; k++) {
            if (col->width == ORMA_WIDTH_DOUBLE)
                memcpy((double *)col->data + k, &vals[k], sizeof(*vals));
            else
                put(col, k, vals[k]);
        }
    }
    self->cap -= self->sealed - first * ORMA_BLOCK_ROWS;
    self->sealed = first * ORMA_BLOCK_ROWS;
    self->rows = rows;
}

void orma_table_truncate(struct orma_table *self, uint32_t rows)
{
    if (rows >= self->rows)
        return;
    for (unsigned i = 0; i < self->def->columns_num; i++) {
        struct orma_column *col = &self->columns[i];

        for (uint32_t row = rows; col->valid && row < self->rows; row++)
            col->valid[row >> 6] &= ~(1ull << (row & 63));
    }
    if (rows < self->sealed) {
        unseal(self, rows);
        return;
    }
    for (unsigned i = 0; i < self->def->columns_num; i++) {
        struct orma_column *col = &self->columns[i];
        size_t width = orma_width_bytes(col->width);

        if (col->data)
            memset((char *)col->data + (rows - self->sealed) * width, 0,
                   (self->rows - rows) * width);
    }
    self->rows = rows;
}

/* Where the compiler does not inline them. */
extern inline void orma_column_mark_valid(struct orma_column *col, uint32_t row);
extern inline void orma_table_set(struct orma_table *self, unsigned col_idx, uint32_t row,
                                  int64_t val);
