/*
 * init turns an operator and a value into the cheapest test: a comparison of integers is a
 * range, one of texts for equality an id of the pool, one that can never hold no test at all.
 * apply runs one loop per kind over a block of rows, without a branch per row where the column
 * has a plain array or packed blocks (store/block.h compares there without unpacking).
 */
#include "processor/sql/tables/filter.h"

#include <math.h>
#include <stdlib.h>

#include "processor/sql/tables/sort.h"
#include "sdk/base/assert.h"
#include "sdk/base/search.h"
#include "sdk/base/vec.h"

/* IN: lists whose values lie within this many of each other get a bit for each. */
#define BITS_MAX (1u << 22)
/* Shorter ones are searched. */
#define BITS_VALUES_MIN 16
#define PATTERN_MAX 50000

bool orma_filter_can(const struct orma_column_def *def, int op)
{
    switch (op) {
    case SQLITE_INDEX_CONSTRAINT_GLOB:
    case SQLITE_INDEX_CONSTRAINT_LIKE:
        return def->kind == ORMA_COL_STRING;
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
    free(self->values);
    free(self->bits);
    free(self->matches);
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

/* How `val` compares with the double next to it: 0 if that is the same number. */
static int beside_double(int64_t val)
{
    double d = (double)val;

    if (d >= 9223372036854775808.0)
        return -1;
    return val < (int64_t)d ? -1 : val > (int64_t)d;
}

/* A column of doubles against an integer that no double is equal to; `side` as above. */
static void against_inexact(struct orma_filter *self, double d, int side)
{
    self->kind = ORMA_FILTER_DOUBLE;
    self->d = d;
    switch (self->op) {
    case SQLITE_INDEX_CONSTRAINT_LT:
    case SQLITE_INDEX_CONSTRAINT_LE:
        self->op = side < 0 ? SQLITE_INDEX_CONSTRAINT_LT : SQLITE_INDEX_CONSTRAINT_LE;
        break;
    case SQLITE_INDEX_CONSTRAINT_GT:
    case SQLITE_INDEX_CONSTRAINT_GE:
        self->op = side < 0 ? SQLITE_INDEX_CONSTRAINT_GE : SQLITE_INDEX_CONSTRAINT_GT;
        break;
    case SQLITE_INDEX_CONSTRAINT_NE:
        self->kind = ORMA_FILTER_NOT_NULL;
        break;
    default:
        self->kind = ORMA_FILTER_NONE_PASS;
    }
}

static void init_double(struct orma_filter *self, sqlite3_value *val)
{
    int type = sqlite3_value_numeric_type(val);
    int side = type == SQLITE_INTEGER ? beside_double(sqlite3_value_int64(val)) : 0;

    if (side) {
        against_inexact(self, sqlite3_value_double(val), side);
        return;
    }
    switch (type) {
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

/* GLOB and LIKE: each text is matched once. */
static bool init_match(struct orma_filter *self, struct orma_storage *storage, sqlite3_value *val)
{
    const char *data = (const char *)sqlite3_value_text(val);

    if (sqlite3_value_bytes(val) > PATTERN_MAX) { /* SQLite refuses it; it looks at every row */
        self->kind = ORMA_FILTER_NOT_NULL;
        return true;
    }
    self->kind = ORMA_FILTER_MATCH;
    self->text.data = data ? orma_str_dup(orma_str_from(data)) : NULL;
    self->matches_num = storage->pool.len;
    self->matches = calloc(self->matches_num + 1, 1);
    return self->text.data && self->matches;
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
    if (op == SQLITE_INDEX_CONSTRAINT_GLOB || op == SQLITE_INDEX_CONSTRAINT_LIKE)
        return init_match(self, storage, val);
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

/* ---- IN ---- */

static bool add_value(struct orma_filter *self, int64_t val)
{
    if (ORMA_GROW(&self->values, &self->values_cap, self->values_num + (size_t)1))
        return false;
    self->values[self->values_num++] = val;
    return true;
}

bool orma_filter_integer_of(sqlite3_value *val, int64_t *ret)
{
    switch (sqlite3_value_numeric_type(val)) {
    case SQLITE_INTEGER:
        *ret = sqlite3_value_int64(val);
        return true;
    case SQLITE_FLOAT: {
        double d = sqlite3_value_double(val);

        if (!(d >= -9223372036854775808.0 && d < 9223372036854775808.0) || floor(d) != d)
            return false;
        *ret = (int64_t)d;
        return true;
    }
    }
    return false;
}

static bool add_in(struct orma_filter *self, const struct orma_storage *storage,
                   const struct orma_column_def *def, sqlite3_value *val)
{
    int64_t number;
    double d;

    if (sqlite3_value_type(val) == SQLITE_NULL)
        return true;
    if (def->kind == ORMA_COL_STRING) {
        if (sqlite3_value_type(val) == SQLITE_BLOB)
            return true;
        const char *data = (const char *)sqlite3_value_text(val);
        if (!data)
            return false;
        number = orma_strpool_find(&storage->pool,
                                   (struct orma_str){data, (size_t)sqlite3_value_bytes(val)});
        return !number || add_value(self, number);
    }
    if (def->kind != ORMA_COL_DOUBLE)
        return !orma_filter_integer_of(val, &number) || add_value(self, number);
    if (sqlite3_value_numeric_type(val) != SQLITE_INTEGER &&
        sqlite3_value_numeric_type(val) != SQLITE_FLOAT)
        return true;
    if (sqlite3_value_type(val) == SQLITE_INTEGER && beside_double(sqlite3_value_int64(val)))
        return true;                     /* no double is equal to it */
    d = sqlite3_value_double(val) + 0.0; /* no minus zero */
    memcpy(&number, &d, sizeof(d));
    return add_value(self, number);
}

static int by_int(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return x < y ? -1 : x > y;
}

static int by_double(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return x < y ? -1 : x > y;
}

static void make_bits(struct orma_filter *self)
{
    uint64_t span = (uint64_t)self->values[self->values_num - 1] - (uint64_t)self->values[0];

    if (span >= BITS_MAX || (self->values_num < BITS_VALUES_MIN && span >= 64))
        return;
    self->bits = calloc(span / 64 + 1, sizeof(*self->bits));
    for (uint32_t i = 0; self->bits && i < self->values_num; i++) {
        uint64_t at = (uint64_t)self->values[i] - (uint64_t)self->values[0];

        self->bits[at / 64] |= 1ull << at % 64;
    }
}

/* All values are there: sorts them. */
static void finish_in(struct orma_filter *self)
{
    bool is_double = self->kind == ORMA_FILTER_IN_DOUBLE;
    uint32_t kept = 0;

    if (!self->values_num) {
        self->kind = ORMA_FILTER_NONE_PASS;
        return;
    }
    qsort(self->values, self->values_num, sizeof(*self->values), is_double ? by_double : by_int);
    for (uint32_t i = 0; i < self->values_num; i++) {
        if (!i || self->values[i] != self->values[kept - 1])
            self->values[kept++] = self->values[i];
    }
    self->values_num = kept;
    if (!is_double)
        make_bits(self);
}

void orma_filter_init_ids(struct orma_filter *self, unsigned col, int64_t *ids, uint32_t num)
{
    *self = (struct orma_filter){
        .col = col,
        .op = SQLITE_INDEX_CONSTRAINT_EQ,
        .kind = ORMA_FILTER_IN,
        .values = ids,
        .values_num = num,
        .values_cap = num,
    };
    if (num == 1) {
        self->lo = ids[0];
        self->kind = ORMA_FILTER_STR_ID;
        return;
    }
    finish_in(self);
}

bool orma_filter_init_in(struct orma_filter *self, struct orma_storage *storage,
                         const struct orma_column_def *def, unsigned col,
                         sqlite3_value *(*next)(void *data), void *data)
{
    *self = (struct orma_filter){
        .col = col,
        .op = ORMA_FILTER_OP_IN,
        .kind = def->kind == ORMA_COL_DOUBLE ? ORMA_FILTER_IN_DOUBLE : ORMA_FILTER_IN,
    };
    for (sqlite3_value *val = next(data); val; val = next(data)) {
        if (!add_in(self, storage, def, val))
            return false;
    }
    finish_in(self);
    return true;
}

static bool in_values(const struct orma_filter *self, int64_t val)
{
    ORMA_ASSERT_HOT(self->values_num && self->values[0] <= self->values[self->values_num - 1]);
    uint64_t at = (uint64_t)val - (uint64_t)self->values[0];

    if (val < self->values[0] || val > self->values[self->values_num - 1])
        return false;
    if (self->bits)
        return self->bits[at / 64] >> at % 64 & 1;
    /* It is not above the last one: there is an element. */
    return self->values[ORMA_LOWER_BOUND(self->values, self->values_num, , val)] == val;
}

static bool in_doubles(const struct orma_filter *self, double val)
{
    return bsearch(&val, self->doubles, self->values_num, sizeof(val), by_double);
}

/* ---- testing ---- */

static bool matches(struct orma_filter *self, const struct orma_storage *storage, uint32_t id)
{
    uint8_t *known = id < self->matches_num ? &self->matches[id] : NULL;

    if (!known || !*known) {
        const char *text = orma_strpool_cstr(&storage->pool, id);
        bool yes = self->op == SQLITE_INDEX_CONSTRAINT_GLOB
                       ? !sqlite3_strglob(self->text.data, text)
                       : !sqlite3_strlike(self->text.data, text, 0);

        if (!known)
            return yes;
        *known = yes ? 2 : 1;
    }
    return *known == 2;
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

/* One row, whatever the filter: the general case. */
static bool passes(struct orma_filter *self, struct orma_storage *storage,
                   const struct orma_table *table, uint32_t row)
{
    bool null = orma_sort_is_null(table, self->col, row);
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

        return !null && holds(self->op, d < self->d ? -1 : d > self->d);
    }
    case ORMA_FILTER_STR_ID:
        return orma_table_int(table, self->col, row) == self->lo;
    case ORMA_FILTER_NOT_STR_ID:
        return !null && orma_table_int(table, self->col, row) != self->lo;
    case ORMA_FILTER_STR:
        return !null && holds(self->op, orma_str_order(orma_strpool_get(&storage->pool,
                                                                        (uint32_t)orma_table_int(
                                                                            table, self->col, row)),
                                                       self->text));
    case ORMA_FILTER_ARG: {
        struct orma_args_item arg;

        return !null &&
               orma_args_find(&storage->args, (uint32_t)orma_table_int(table, self->col, row),
                              (uint32_t)self->lo, &arg);
    }
    case ORMA_FILTER_IN:
        return !null && in_values(self, orma_table_int(table, self->col, row));
    case ORMA_FILTER_IN_DOUBLE:
        return !null && in_doubles(self, orma_column_double(&table->columns[self->col], row));
    case ORMA_FILTER_MATCH:
        return !null && matches(self, storage, (uint32_t)orma_table_int(table, self->col, row));
    }
    return false;
}

/* Tight loops over one width; the differences wrap as those of unsigned numbers. */
#define RANGE_LOOP(type)                                                                           \
    do {                                                                                           \
        const type *data = (const type *)col->data + (first - col->sealed);                        \
        for (uint32_t i = 0; i < num; i++) {                                                       \
            rows[kept] = first + i;                                                                \
            kept += (uint64_t)data[i] - (uint64_t)lo <= span;                                      \
        }                                                                                          \
    } while (0)

/* Rows of the tail. */
static uint32_t tail_loop(const struct orma_column *col, int64_t lo, uint64_t span, uint32_t first,
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
    case ORMA_WIDTH_64:
        RANGE_LOOP(int64_t);
        break;
    default: /* all zero */
        for (uint32_t i = 0; i < num && 0 - (uint64_t)lo <= span; i++)
            rows[kept++] = first + i;
    }
    return kept;
}

static uint32_t range_loop(const struct orma_column *col, int64_t lo, uint64_t span, uint32_t first,
                           uint32_t num, uint32_t *rows)
{
    uint32_t kept = 0;

    while (num && first < col->sealed) {
        uint32_t at = first % ORMA_BLOCK_ROWS, n = ORMA_MIN(ORMA_BLOCK_ROWS - at, num);

        kept += orma_block_range(&col->blocks[first / ORMA_BLOCK_ROWS], lo, span, at, n, first - at,
                                 rows + kept);
        first += n;
        num -= n;
    }
    return num ? kept + tail_loop(col, lo, span, first, num, rows + kept) : kept;
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

uint32_t orma_filter_apply_range(struct orma_filter *self, struct orma_storage *storage,
                                 const struct orma_table *table, uint32_t first, uint32_t num,
                                 uint32_t *rows)
{
    const struct orma_column *col = &table->columns[self->col];
    uint32_t kept = 0;

    if (self->kind == ORMA_FILTER_STR_ID && is_plain(col))
        return range_loop(col, self->lo, 0, first, num, rows);
    if (self->kind == ORMA_FILTER_RANGE && is_plain(col))
        return drop_nulls(
            col, rows,
            range_loop(col, self->lo, (uint64_t)self->hi - (uint64_t)self->lo, first, num, rows));
    for (uint32_t i = 0; i < num; i++) {
        rows[kept] = first + i;
        kept += passes(self, storage, table, first + i);
    }
    return kept;
}

/* The same for a list of rows. */
static uint32_t gather_loop(const struct orma_column *col, int64_t lo, uint64_t span,
                            uint32_t *rows, uint32_t num)
{
    const struct orma_column c = *col;
    uint32_t kept = 0;

    for (uint32_t i = 0; i < num; i++) {
        uint32_t row = rows[i];

        rows[kept] = row;
        kept += (uint64_t)orma_column_bits(&c, row) - (uint64_t)lo <= span;
    }
    return kept;
}

uint32_t orma_filter_apply(struct orma_filter *self, struct orma_storage *storage,
                           const struct orma_table *table, uint32_t *rows, uint32_t num)
{
    const struct orma_column *col = &table->columns[self->col];
    uint32_t kept = 0;

    if (self->kind == ORMA_FILTER_STR_ID && is_plain(col))
        return gather_loop(col, self->lo, 0, rows, num);
    if (self->kind == ORMA_FILTER_RANGE && is_plain(col))
        return drop_nulls(
            col, rows,
            gather_loop(col, self->lo, (uint64_t)self->hi - (uint64_t)self->lo, rows, num));
    for (uint32_t i = 0; i < num; i++) {
        uint32_t row = rows[i];

        rows[kept] = row;
        kept += passes(self, storage, table, row);
    }
    return kept;
}
