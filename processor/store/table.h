/*
 * Tables of typed columns, append-only: the memory of the processor.
 *
 * A table is an instance of a definition (table_defs.h). The id of a row is
 * its number. Columns are contiguous and reached by row number only: memory
 * moves when a table grows, so never keep a pointer into one.
 *
 *   column      data[0 .. rows)        one of (of the last rows: see below)
 *               ├─ nothing             no value but 0 or NULL was ever set
 *               ├─ int8, 16, 32, 64    the narrowest width that held all values so far
 *               └─ double              numbers with a fraction came
 *               valid[0 .. rows/64)    nullable numbers: bit set = there is a value
 *
 * Integers are kept at the narrowest width that fits what came so far and are
 * widened when a value needs it; a column of doubles stays integer until the
 * first value that is none. Strings are pool ids; id 0 is NULL. A fresh row
 * holds 0, and NULL where the column may be NULL.
 *
 * Memory: a column has a tail of at most 32768 rows as above; what is older lies in
 * blocks of 1024 rows, packed (block.h). Both are written and read the same way.
 *
 *   rows   0 ........................ sealed ........... rows
 *          blocks of 1024 values      data[0 ...]
 *
 * The tail is calloc'ed up to 64 KiB per column, then mmap grown by mremap; the bits of
 * `valid` are in one piece.
 *
 * Failure is sticky: after the first refused growth `*failed` is set and
 * orma_table_add() gives ORMA_ROW_NONE, which every setter ignores.
 * Threads: none while rows are added; readers may share a finished table.
 */
#ifndef ORMA_PROCESSOR_STORE_TABLE_H
#define ORMA_PROCESSOR_STORE_TABLE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "processor/store/block.h"
#include "processor/store/table_defs.h"
#include "sdk/base/assert.h"
#include "sdk/base/defs.h"

enum orma_column_kind {
    ORMA_COL_ID,       /* the row number; not stored */
    ORMA_COL_ALIAS,    /* the same under another name */
    ORMA_COL_COMPUTED, /* an integer that `compute` of the table gives */
    ORMA_COL_INT,
    ORMA_COL_DOUBLE,
    ORMA_COL_STRING, /* ids of the string pool */
};

enum orma_column_flags {
    ORMA_COL_NULLABLE = 1,
    ORMA_COL_TIME = 2, /* usually ascending: whether it is, is watched */
    ORMA_COL_U32 = 4,  /* declared narrower than 64 bits; said by perfetto_table_info(), no more */
    ORMA_COL_I32 = 8,
};

struct orma_column_def {
    const char *name;
    uint8_t kind;  /* enum orma_column_kind */
    uint8_t flags; /* enum orma_column_flags */
};

struct orma_table_def {
    const char *name;
    uint16_t columns_num;
    const struct orma_column_def *columns;
};

extern const struct orma_table_def orma_table_defs[ORMA_TABLES_NUM];

/* How the values of a column lie in memory; the number is the width but for the double. */
enum orma_width {
    ORMA_WIDTH_NONE = 0,
    ORMA_WIDTH_8 = 1,
    ORMA_WIDTH_16 = 2,
    ORMA_WIDTH_32 = 4,
    ORMA_WIDTH_64 = 8,
    ORMA_WIDTH_DOUBLE = 9,
};

struct orma_column {
    void *data;                     /* from row `sealed` on */
    struct orma_block *blocks;      /* of the rows before; NULL: all of them are zero */
    uint64_t *valid;                /* NULL: not nullable, or nothing but NULL so far */
    size_t data_bytes, valid_bytes; /* reserved */
    int64_t last;                   /* TIME columns: the last value appended */
    uint32_t sealed;                /* rows in blocks; 0 without any */
    uint32_t blocks_cap;
    uint8_t width; /* enum orma_width, of `data` */
    uint8_t flags; /* of the definition */
    uint8_t kind;
    bool unsorted; /* a value was smaller than the one before it, or a NULL */
};

#define ORMA_ROW_NONE UINT32_MAX
#define ORMA_ROWS_MAX (UINT32_MAX - 64)

struct orma_table {
    const struct orma_table_def *def;
    struct orma_column *columns;
    uint32_t rows;
    uint32_t sealed; /* rows before the tails of the columns */
    uint32_t cap;    /* rows there is room for, sealed ones included */
    bool *failed;
    bool waits;                                   /* rows of it were not parsed yet: see late.h */
    int64_t (*compute)(void *data, uint32_t row); /* of the computed column; < 0: NULL */
    void *compute_data;
};

/* `failed` is set on the first refused growth; it outlives the table. 0 or -ENOMEM. */
int orma_table_init(struct orma_table *self, const struct orma_table_def *def, bool *failed);
void orma_table_fini(struct orma_table *self);

/* Drops the rows from `rows` on, as if they had never been added. */
void orma_table_truncate(struct orma_table *self, uint32_t rows);

/* Room for rows of an image (image.h) in a table that has none: those before `sealed` get no blocks
 * yet. False: memory is out. */
bool orma_table_restore(struct orma_table *self, uint32_t rows, uint32_t sealed);
/* The same for a column of it: zeroed memory for its tail and, if `valid`, its bits; and blocks,
 * which are not set. */
bool orma_table_restore_column(struct orma_table *self, unsigned col, uint8_t width, bool valid);

/* Bytes of the bits of a column that say which rows are not NULL. */
static inline size_t orma_table_valid_bytes(uint32_t rows)
{
    return ((size_t)rows + 63) / 64 * 8;
}
/* Rows before which a table must have blocks. */
#define ORMA_TABLE_TAIL_ROWS 32768u

/* Puts ids[v] for each value v < num of a column of integers, or NULL where that is
 * ORMA_ROW_NONE; what is NULL stays NULL. */
void orma_table_renumber(struct orma_table *self, unsigned col, const uint32_t *ids, uint32_t num);

/* Bytes of all columns up to the last row: what the table holds, not what it reserved for more. */
size_t orma_table_bytes(const struct orma_table *self);

/* Bytes per value of a width. */
static inline size_t orma_width_bytes(uint8_t width)
{
    return width == ORMA_WIDTH_DOUBLE ? 8 : width;
}

/* Slow ways of the functions below. */
bool orma_table_grow(struct orma_table *self);
void orma_table_set_slow(struct orma_table *self, unsigned col, uint32_t row, int64_t val);
void orma_table_set_sealed(struct orma_table *self, unsigned col, uint32_t row, int64_t val);
void orma_table_set_double_slow(struct orma_table *self, unsigned col, uint32_t row, double val);

/* A new row; ORMA_ROW_NONE when memory is out. */
static inline uint32_t orma_table_add(struct orma_table *self)
{
    ORMA_ASSERT_HOT(!self->waits);
    if (ORMA_UNLIKELY(self->rows == self->cap) && !orma_table_grow(self))
        return ORMA_ROW_NONE;
    return self->rows++;
}

inline void orma_column_mark_valid(struct orma_column *col, uint32_t row)
{
    if (col->flags & ORMA_COL_NULLABLE && col->valid)
        col->valid[row >> 6] |= 1ull << (row & 63);
}

/* Integers and string ids. Setting a value makes a nullable cell not NULL. */
inline void orma_table_set(struct orma_table *self, unsigned col_idx, uint32_t row, int64_t val)
{
    struct orma_column *col = &self->columns[col_idx];
    uint32_t at = row - self->sealed;

    ORMA_ASSERT_HOT(col_idx < self->def->columns_num);
    if (ORMA_UNLIKELY(at >= self->rows - self->sealed)) {
        orma_table_set_sealed(self, col_idx, row, val);
        return;
    }
    switch (col->width) {
    case ORMA_WIDTH_NONE:
        if (!val && !(col->flags & ORMA_COL_NULLABLE))
            return;
        break;
    case ORMA_WIDTH_8:
        if (ORMA_UNLIKELY((int8_t)val != val))
            break;
        ((int8_t *)col->data)[at] = (int8_t)val;
        orma_column_mark_valid(col, row);
        return;
    case ORMA_WIDTH_16:
        if (ORMA_UNLIKELY((int16_t)val != val))
            break;
        ((int16_t *)col->data)[at] = (int16_t)val;
        orma_column_mark_valid(col, row);
        return;
    case ORMA_WIDTH_32:
        if (ORMA_UNLIKELY((int32_t)val != val))
            break;
        ((int32_t *)col->data)[at] = (int32_t)val;
        orma_column_mark_valid(col, row);
        return;
    case ORMA_WIDTH_64:
        ((int64_t *)col->data)[at] = val;
        orma_column_mark_valid(col, row);
        return;
    }
    orma_table_set_slow(self, col_idx, row, val);
}

/* The same for the row that was added last, in a column that is never NULL. */
static inline void orma_table_put(struct orma_table *self, unsigned col_idx, uint32_t row,
                                  int64_t val)
{
    struct orma_column *col = &self->columns[col_idx];
    uint32_t at = row - self->sealed;

    ORMA_ASSERT_HOT(col_idx < self->def->columns_num && row + 1 == self->rows);
    if (col->width == ORMA_WIDTH_8 && (int8_t)val == val)
        ((int8_t *)col->data)[at] = (int8_t)val;
    else if (col->width == ORMA_WIDTH_32 && (int32_t)val == val)
        ((int32_t *)col->data)[at] = (int32_t)val;
    else if (col->width == ORMA_WIDTH_64)
        ((int64_t *)col->data)[at] = val;
    else
        orma_table_set(self, col_idx, row, val);
}

/* The time of a new row: also watches the order. */
static inline void orma_table_set_time(struct orma_table *self, unsigned col_idx, uint32_t row,
                                       int64_t val)
{
    struct orma_column *col = &self->columns[col_idx];

    if (ORMA_UNLIKELY(row && val < col->last))
        col->unsorted = true;
    col->last = val;
    orma_table_set(self, col_idx, row, val);
}

static inline void orma_table_set_double(struct orma_table *self, unsigned col_idx, uint32_t row,
                                         double val)
{
    struct orma_column *col = &self->columns[col_idx];

    uint32_t at = row - self->sealed;

    if (col->width == ORMA_WIDTH_DOUBLE && at < self->rows - self->sealed) {
        ((double *)col->data)[at] = val + 0.0; /* no minus zero */
        orma_column_mark_valid(col, row);
        return;
    }
    orma_table_set_double_slow(self, col_idx, row, val);
}

void orma_table_set_null(struct orma_table *self, unsigned col_idx, uint32_t row);

static inline bool orma_column_is_null(const struct orma_column *col, uint32_t row)
{
    if (col->flags & ORMA_COL_NULLABLE && col->kind != ORMA_COL_STRING)
        return !col->valid || !(col->valid[row >> 6] >> (row & 63) & 1);
    return false;
}

/* The stored integer (or string id), or the bits of a double. */
static inline int64_t orma_column_bits(const struct orma_column *col, uint32_t row)
{
    uint32_t at = row - col->sealed;
    int64_t bits;

    if (row < col->sealed)
        return orma_block_get(&col->blocks[row >> ORMA_BLOCK_SHIFT], row & (ORMA_BLOCK_ROWS - 1));
    switch (col->width) {
    case ORMA_WIDTH_8:
        return ((const int8_t *)col->data)[at];
    case ORMA_WIDTH_16:
        return ((const int16_t *)col->data)[at];
    case ORMA_WIDTH_32:
        return ((const int32_t *)col->data)[at];
    case ORMA_WIDTH_64:
        return ((const int64_t *)col->data)[at];
    case ORMA_WIDTH_DOUBLE:
        memcpy(&bits, (const double *)col->data + at, sizeof(bits));
        return bits;
    }
    return 0;
}

/* The stored integer (or string id); 0 for columns of doubles with fractions. Of a NULL: any. */
static inline int64_t orma_column_int(const struct orma_column *col, uint32_t row)
{
    return ORMA_UNLIKELY(col->width == ORMA_WIDTH_DOUBLE) ? 0 : orma_column_bits(col, row);
}

static inline double orma_column_double(const struct orma_column *col, uint32_t row)
{
    int64_t bits = orma_column_bits(col, row);
    double val;

    if (col->width != ORMA_WIDTH_DOUBLE)
        return (double)bits;
    memcpy(&val, &bits, sizeof(val));
    return val;
}

/* orma_column_bits() of `num` rows in a row, which must be there. */
void orma_column_read(const struct orma_column *col, uint32_t first, uint32_t num, int64_t *to);

/* Reads of rows that are there; id columns included. */
static inline int64_t orma_table_int(const struct orma_table *self, unsigned col_idx, uint32_t row)
{
    const struct orma_column *col = &self->columns[col_idx];

    ORMA_ASSERT_HOT(col_idx < self->def->columns_num && !self->waits);
    if (row >= self->rows)
        return 0;
    if (col->kind <= ORMA_COL_ALIAS)
        return (int64_t)row;
    if (col->kind == ORMA_COL_COMPUTED)
        return self->compute ? self->compute(self->compute_data, row) : 0;
    return orma_column_int(col, row);
}

static inline bool orma_table_is_null(const struct orma_table *self, unsigned col_idx, uint32_t row)
{
    const struct orma_column *col = &self->columns[col_idx];

    ORMA_ASSERT_HOT(!self->waits);
    if (row >= self->rows)
        return true;
    if (col->kind == ORMA_COL_STRING)
        return !orma_column_int(col, row);
    return orma_column_is_null(col, row);
}
#endif
