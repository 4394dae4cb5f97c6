#include "processor/sql/filter.h"

#include <math.h>
#include <stdlib.h>

bool orma_filter_can(const struct orma_column_def *def, int op)
{
    (void)def;
    switch (op) {
    case SQLITE_INDEX_CONSTRAINT_EQ:
    case SQLITE_INDEX_CONSTRAINT_NE:
    case SQLITE_INDEX_CONSTRAINT_LT:
    case SQLITE_INDEX_CONSTRAINT_LE:
    case SQLITE_INDEX_CONSTRAINT_GT:
    case SQLITE_INDEX_CONSTRAINT_GE:
    case SQLITE_INDEX_CONSTRAINT_ISNULL:
    case SQLITE_INDEX_CONSTRAINT_ISNOTNULL:
    case SQLITE_INDEX_CONSTRAINT_IS:
        return true;
    }
    return false;
}

void orma_filter_fini(struct orma_filter *self)
{
    free((void *)(uintptr_t)self->text.data);
}

/* Every number is less than every text and blob. */
static void against_text(struct orma_filter *self)
{
    switch (self->op) {
    case SQLITE_INDEX_CONSTRAINT_NE:
    case SQLITE_INDEX_CONSTRAINT_LT:
    case SQLITE_INDEX_CONSTRAINT_LE:
        self->kind = ORMA_FILTER_NOT_NULL;
        break;
    default:
        self->kind = ORMA_FILTER_NONE_PASS;
    }
}

static void range_of(struct orma_filter *self, int64_t val)
{
    self->kind = ORMA_FILTER_RANGE;
    self->lo = INT64_MIN;
    self->hi = INT64_MAX;
    switch (self->op) {
    case SQLITE_INDEX_CONSTRAINT_EQ:
    case SQLITE_INDEX_CONSTRAINT_IS:
        self->lo = self->hi = val;
        break;
    case SQLITE_INDEX_CONSTRAINT_NE:
        self->kind = ORMA_FILTER_NOT_INT;
        self->lo = val;
        break;
    case SQLITE_INDEX_CONSTRAINT_LT:
        if (val == INT64_MIN)
            self->kind = ORMA_FILTER_NONE_PASS;
        else
            self->hi = val - 1;
        break;
    case SQLITE_INDEX_CONSTRAINT_LE:
        self->hi = val;
        break;
    case SQLITE_INDEX_CONSTRAINT_GT:
        if (val == INT64_MAX)
            self->kind = ORMA_FILTER_NONE_PASS;
        else
            self->lo = val + 1;
        break;
    case SQLITE_INDEX_CONSTRAINT_GE:
        self->lo = val;
        break;
    }
}

/* An integer column against a number with a fraction, or one beyond all integers. */
static void range_of_double(struct orma_filter *self, double val)
{
    if (val >= -9223372036854775808.0 && val < 9223372036854775808.0) {
        double whole = floor(val);

        if (whole == val) {
            range_of(self, (int64_t)val);
            return;
        }
        switch (self->op) { /* x < 2.5 is x <= 2, x > 2.5 is x > 2 */
        case SQLITE_INDEX_CONSTRAINT_LT:
            self->op = SQLITE_INDEX_CONSTRAINT_LE;
            break;
        case SQLITE_INDEX_CONSTRAINT_GE:
            self->op = SQLITE_INDEX_CONSTRAINT_GT;
            break;
        case SQLITE_INDEX_CONSTRAINT_EQ:
        case SQLITE_INDEX_CONSTRAINT_IS:
            self->kind = ORMA_FILTER_NONE_PASS;
            return;
        case SQLITE_INDEX_CONSTRAINT_NE:
            self->kind = ORMA_FILTER_NOT_NULL;
            return;
        }
        range_of(self, (int64_t)whole);
        return;
    }
    bool above = val > 0;
    bool less = self->op == SQLITE_INDEX_CONSTRAINT_LT || self->op == SQLITE_INDEX_CONSTRAINT_LE;
    bool greater = self->op == SQLITE_INDEX_CONSTRAINT_GT || self->op == SQLITE_INDEX_CONSTRAINT_GE;
    self->kind = (less && above) || (greater && !above) || self->op == SQLITE_INDEX_CONSTRAINT_NE
                     ? ORMA_FILTER_NOT_NULL
                     : ORMA_FILTER_NONE_PASS;
}

static void init_int(struct orma_filter *self, sqlite3_value *val)
{
    switch (sqlite3_value_numeric_type(val)) {
    case SQLITE_INTEGER:
        range_of(self, sqlite3_value_int64(val));
        break;
    case SQLITE_FLOAT:
        range_of_double(self, sqlite3_value_double(val));
        break;
    default:
        against_text(self);
    }
}

static void init_double(struct orma_filter *self, sqlite3_value *val)
{
    switch (sqlite3_value_numeric_type(val)) {
    case SQLITE_INTEGER:
    case SQLITE_FLOAT:
        self->kind = ORMA_FILTER_DOUBLE;
        self->d = sqlite3_value_double(val);
        break;
    default:
        against_text(self);
    }
}

static bool init_str(struct orma_filter *self, struct orma_storage *storage, sqlite3_value *val)
{
    if (sqlite3_value_type(val) == SQLITE_BLOB) {
        against_text(self); /* every text is less than every blob */
        return true;
    }
    const char *data = (const char *)sqlite3_value_text(val);
    struct orma_str text = {data, (size_t)sqlite3_value_bytes(val)};
    if (!data)
        return false;
    if (self->op == SQLITE_INDEX_CONSTRAINT_EQ || self->op == SQLITE_INDEX_CONSTRAINT_IS ||
        self->op == SQLITE_INDEX_CONSTRAINT_NE) {
        bool ne = self->op == SQLITE_INDEX_CONSTRAINT_NE;

        self->lo = orma_strpool_find(&storage->pool, text);
        if (self->lo)
            self->kind = ne ? ORMA_FILTER_NOT_STR_ID : ORMA_FILTER_STR_ID;
        else
            self->kind = ne ? ORMA_FILTER_NOT_NULL : ORMA_FILTER_NONE_PASS;
        return true;
    }
    self->kind = ORMA_FILTER_STR;
    self->text = (struct orma_str){orma_str_dup(text), text.len};
    return self->text.data;
}

bool orma_filter_init(struct orma_filter *self, struct orma_storage *storage,
                      const struct orma_column_def *def, unsigned col, int op, sqlite3_value *val)
{
    *self = (struct orma_filter){.col = col, .op = op};
    if (op == SQLITE_INDEX_CONSTRAINT_ISNULL || op == SQLITE_INDEX_CONSTRAINT_ISNOTNULL) {
        self->kind = op == SQLITE_INDEX_CONSTRAINT_ISNULL ? ORMA_FILTER_NULL : ORMA_FILTER_NOT_NULL;
        return true;
    }
    if (sqlite3_value_type(val) == SQLITE_NULL) {
        self->kind = op == SQLITE_INDEX_CONSTRAINT_IS ? ORMA_FILTER_NULL : ORMA_FILTER_NONE_PASS;
        return true;
    }
    switch ((enum orma_column_kind)def->kind) {
    case ORMA_COL_STRING:
        return init_str(self, storage, val);
    case ORMA_COL_DOUBLE:
        init_double(self, val);
        return true;
    case ORMA_COL_ID:
    case ORMA_COL_ALIAS:
    case ORMA_COL_COMPUTED:
    case ORMA_COL_INT:
        break;
    }
    init_int(self, val);
    return true;
}

static bool holds(int op, int cmp)
{
    switch (op) {
    case SQLITE_INDEX_CONSTRAINT_EQ:
    case SQLITE_INDEX_CONSTRAINT_IS:
        return !cmp;
    case SQLITE_INDEX_CONSTRAINT_NE:
        return cmp;
    case SQLITE_INDEX_CONSTRAINT_LT:
        return cmp < 0;
    case SQLITE_INDEX_CONSTRAINT_LE:
        return cmp <= 0;
    case SQLITE_INDEX_CONSTRAINT_GT:
        return cmp > 0;
    case SQLITE_INDEX_CONSTRAINT_GE:
        return cmp >= 0;
    }
    return false;
}

static int compare_text(struct orma_str a, struct orma_str b)
{
    int cmp = memcmp(a.data, b.data, ORMA_MIN(a.len, b.len));

    return cmp ? cmp : a.len < b.len ? -1 : a.len > b.len;
}

/* One row, whatever the filter: the general case. */
static bool passes(const struct orma_filter *self, struct orma_storage *storage,
                   const struct orma_table *table, uint32_t row)
{
    bool null = orma_table_is_null(table, self->col, row);
    int64_t val;

    switch (self->kind) {
    case ORMA_FILTER_NONE_PASS:
        return false;
    case ORMA_FILTER_NOT_NULL:
        return !null;
    case ORMA_FILTER_NULL:
        return null;
    case ORMA_FILTER_RANGE:
        val = orma_table_int(table, self->col, row);
        return !null && val >= self->lo && val <= self->hi;
    case ORMA_FILTER_NOT_INT:
        return !null && orma_table_int(table, self->col, row) != self->lo;
    case ORMA_FILTER_DOUBLE: {
        double d = orma_column_double(&table->columns[self->col], row);

        /* NaN reads as NULL. */
        return !null && d == d && holds(self->op, d < self->d ? -1 : d > self->d);
    }
    case ORMA_FILTER_STR_ID:
        return orma_table_int(table, self->col, row) == self->lo;
    case ORMA_FILTER_NOT_STR_ID:
        return !null && orma_table_int(table, self->col, row) != self->lo;
    case ORMA_FILTER_STR:
        return !null &&
               holds(self->op,
                     compare_text(orma_strpool_get(&storage->pool,
                                                   (uint32_t)orma_table_int(table, self->col, row)),
                                  self->text));
    case ORMA_FILTER_ARG: {
        struct orma_arg arg;

        return !null &&
               orma_args_find(&storage->args, (uint32_t)orma_table_int(table, self->col, row),
                              (uint32_t)self->lo, &arg);
    }
    }
    return false;
}

/* Tight loops over one width; `NULLS` is a constant, so that the test goes away. */
#define RANGE_LOOP(type)                                                                           \
    do {                                                                                           \
        const type *data = col->data;                                                              \
        for (uint32_t i = 0; i < num; i++) {                                                       \
            uint32_t row = first + i;                                                              \
            rows[kept] = row;                                                                      \
            kept += (uint64_t)((int64_t)data[row] - lo) <= span;                                   \
        }                                                                                          \
    } while (0)

static uint32_t range_loop(const struct orma_column *col, int64_t lo, uint64_t span, uint32_t first,
                           uint32_t num, uint32_t *rows)
{
    uint32_t kept = 0;

    switch (col->width) {
    case ORMA_WIDTH_8:
        RANGE_LOOP(int8_t);
        break;
    case ORMA_WIDTH_16:
        RANGE_LOOP(int16_t);
        break;
    case ORMA_WIDTH_32:
        RANGE_LOOP(int32_t);
        break;
    case ORMA_WIDTH_64: {
        const uint64_t *data = col->data;

        for (uint32_t i = 0; i < num; i++) {
            rows[kept] = first + i;
            kept += data[first + i] - (uint64_t)lo <= span;
        }
        break;
    }
    default: /* all zero */
        for (uint32_t i = 0; i < num && 0 - (uint64_t)lo <= span; i++)
            rows[kept++] = first + i;
    }
    return kept;
}

/* A column whose stored integers can be tested as they are. */
static bool is_plain(const struct orma_column *col)
{
    return col->kind >= ORMA_COL_INT && col->width != ORMA_WIDTH_DOUBLE;
}

static uint32_t drop_nulls(const struct orma_column *col, uint32_t *rows, uint32_t num)
{
    uint32_t kept = 0;

    if (!(col->flags & ORMA_COL_NULLABLE) || col->kind == ORMA_COL_STRING)
        return num;
    for (uint32_t i = 0; i < num; i++) {
        uint32_t row = rows[i];

        rows[kept] = row;
        kept += !orma_column_is_null(col, row);
    }
    return kept;
}

uint32_t orma_filter_apply_range(const struct orma_filter *self, struct orma_storage *storage,
                                 const struct orma_table *table, uint32_t first, uint32_t num,
                                 uint32_t *rows)
{
    const struct orma_column *col = &table->columns[self->col];
    uint32_t kept = 0;

    if (self->kind == ORMA_FILTER_STR_ID && is_plain(col))
        return range_loop(col, self->lo, 0, first, num, rows);
    /* In terms of the difference to lo, which may not wrap in the narrow loops. */
    if (self->kind == ORMA_FILTER_RANGE && is_plain(col) &&
        (col->width == ORMA_WIDTH_64 || self->lo > INT64_MIN / 2))
        return drop_nulls(
            col, rows,
            range_loop(col, self->lo, (uint64_t)self->hi - (uint64_t)self->lo, first, num, rows));
    for (uint32_t i = 0; i < num; i++) {
        rows[kept] = first + i;
        kept += passes(self, storage, table, first + i);
    }
    return kept;
}

uint32_t orma_filter_apply(const struct orma_filter *self, struct orma_storage *storage,
                           const struct orma_table *table, uint32_t *rows, uint32_t num)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < num; i++) {
        uint32_t row = rows[i];

        rows[kept] = row;
        kept += passes(self, storage, table, row);
    }
    return kept;
}
