/*
 * Growth and widening. All columns of a table share one capacity; a column
 * takes memory from the first value on that is neither 0 nor NULL.
 */
#include "processor/store/table.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

/* Below, malloc is cheaper; above, mremap moves pages instead of bytes. */
#define HEAP_MAX ((size_t)64 << 10)
#define ROWS_FIRST 64

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

static size_t valid_bytes(uint32_t rows)
{
    return ((size_t)rows + 63) / 64 * 8;
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

void orma_table_fini(struct orma_table *self)
{
    for (unsigned i = 0; self->columns && i < self->def->columns_num; i++) {
        struct orma_column *col = &self->columns[i];

        release(col->data, col->data_bytes);
        release(col->valid, col->valid_bytes);
    }
    free(self->columns);
    *self = (struct orma_table){0};
}

void orma_table_truncate(struct orma_table *self, uint32_t rows)
{
    for (unsigned i = 0; i < self->def->columns_num && rows < self->rows; i++) {
        struct orma_column *col = &self->columns[i];
        size_t width = orma_width_bytes(col->width);

        if (col->data)
            memset((char *)col->data + rows * width, 0, (self->rows - rows) * width);
        for (uint32_t row = rows; col->valid && row < self->rows; row++)
            col->valid[row >> 6] &= ~(1ull << (row & 63));
    }
    self->rows = ORMA_MIN(self->rows, rows);
}

size_t orma_table_bytes(const struct orma_table *self)
{
    size_t bytes = 0;

    for (unsigned i = 0; i < self->def->columns_num; i++) {
        bytes += data_bytes(&self->columns[i], self->rows);
        bytes += self->columns[i].valid ? valid_bytes(self->rows) : 0;
    }
    return bytes;
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

/* `cap` moves only when all columns have grown; those before a refusal are larger than they need
 * be until the next try. */
static bool grow_columns(struct orma_table *self, uint32_t cap)
{
    for (unsigned i = 0; i < self->def->columns_num; i++) {
        struct orma_column *col = &self->columns[i];
        void *valid = col->valid;

        if (!grow_part(&col->data, &col->data_bytes, data_bytes(col, cap)))
            return false;
        bool grown = grow_part(&valid, &col->valid_bytes, valid_bytes(cap));
        col->valid = valid;
        if (!grown)
            return false;
    }
    return true;
}

ORMA_COLD bool orma_table_grow(struct orma_table *self)
{
    uint64_t cap = self->cap ? (uint64_t)self->cap * 2 : ROWS_FIRST;

    if (*self->failed || self->cap >= ORMA_ROWS_MAX)
        return fail(self);
    cap = ORMA_MIN(cap, (uint64_t)ORMA_ROWS_MAX);
    if (!grow_columns(self, (uint32_t)cap))
        return fail(self);
    self->cap = (uint32_t)cap;
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

static void put(struct orma_column *col, uint32_t row, int64_t val)
{
    switch (col->width) {
    case ORMA_WIDTH_8:
        ((int8_t *)col->data)[row] = (int8_t)val;
        break;
    case ORMA_WIDTH_16:
        ((int16_t *)col->data)[row] = (int16_t)val;
        break;
    case ORMA_WIDTH_32:
        ((int32_t *)col->data)[row] = (int32_t)val;
        break;
    case ORMA_WIDTH_64:
        ((int64_t *)col->data)[row] = val;
        break;
    case ORMA_WIDTH_DOUBLE:
        ((double *)col->data)[row] = (double)val;
        break;
    }
}

/* New memory at the wider width, old values carried over. */
static bool widen(struct orma_table *self, struct orma_column *col, uint8_t width)
{
    struct orma_column wide = *col;

    wide.width = width;
    wide.data_bytes = data_bytes(&wide, self->cap);
    wide.data = grow_zeroed(NULL, 0, wide.data_bytes);
    if (!wide.data)
        return fail(self);
    for (uint32_t row = 0; col->data && row < self->rows; row++) {
        if (col->width != ORMA_WIDTH_DOUBLE)
            put(&wide, row, orma_column_int(col, row));
    }
    release(col->data, col->data_bytes);
    *col = wide;
    return true;
}

static bool ensure_valid(struct orma_table *self, struct orma_column *col)
{
    if (!(col->flags & ORMA_COL_NULLABLE) || col->kind == ORMA_COL_STRING || col->valid)
        return true;
    col->valid_bytes = valid_bytes(self->cap);
    col->valid = grow_zeroed(NULL, 0, col->valid_bytes);
    return col->valid || fail(self);
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
    put(col, row, val);
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
    ((double *)col->data)[row] = val;
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
