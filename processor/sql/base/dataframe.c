/*
 * A column starts without a type and takes that of its first value. Integers become doubles
 * when the first double comes: the largest integer so far is remembered with its row, and
 * refused if a double cannot hold it. finish() walks each column without NULLs to see whether
 * it is sorted, and whether its values are the row numbers, which makes it an alias of them.
 */
#include "processor/sql/base/dataframe.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "processor/sql/base/values.h"
#include "sdk/base/assert.h"

#define DOUBLE_EXACT ((uint64_t)1 << 53)

static bool init_columns(struct orma_dataframe *self, const char *const *names)
{
    for (unsigned i = 0; i < self->columns_num; i++) {
        self->columns[i].name = strdup(names[i]);
        if (!self->columns[i].name)
            return false;
        self->defs[i] =
            (struct orma_column_def){self->columns[i].name, ORMA_COL_INT, ORMA_COL_NULLABLE};
    }
    if (self->auto_id)
        self->defs[self->columns_num] = (struct orma_column_def){"_auto_id", ORMA_COL_ID, 0};
    return true;
}

struct orma_dataframe *orma_dataframe_new(struct orma_storage *storage, const char *const *names,
                                          unsigned num, bool auto_id)
{
    struct orma_dataframe *self = calloc(1, sizeof(*self));

    if (!self)
        return NULL;
    self->refs = 1;
    self->storage = storage;
    self->columns_num = num;
    self->auto_id = auto_id;
    self->columns = calloc(num + 1, sizeof(*self->columns));
    self->defs = calloc(num + 1, sizeof(*self->defs));
    if (!self->columns || !self->defs || !init_columns(self, names)) {
        orma_dataframe_unref(self);
        return NULL;
    }
    self->def = (struct orma_table_def){
        .name = "", .columns_num = (uint16_t)orma_dataframe_width(self), .columns = self->defs};
    if (orma_table_init(&self->table, &self->def, &self->failed) < 0) {
        orma_dataframe_unref(self);
        return NULL;
    }
    return self;
}

struct orma_dataframe *orma_dataframe_ref(struct orma_dataframe *self)
{
    self->refs++;
    return self;
}

void orma_dataframe_unref(void *data)
{
    struct orma_dataframe *self = data;

    ORMA_ASSERT(!self || self->refs);
    if (!self || --self->refs)
        return;
    if (self->table.columns)
        orma_table_fini(&self->table);
    for (unsigned i = 0; self->columns && i < self->columns_num; i++)
        free(self->columns[i].name);
    free(self->columns);
    free(self->defs);
    free(self->error);
    free(self);
}

const char *orma_dataframe_type_name(enum orma_dataframe_type type)
{
    switch (type) {
    case ORMA_DATAFRAME_INT:
        return "LONG";
    case ORMA_DATAFRAME_DOUBLE:
        return "DOUBLE";
    case ORMA_DATAFRAME_TEXT:
        return "STRING";
    case ORMA_DATAFRAME_UNKNOWN:
        break;
    }
    return "NULL";
}

ORMA_COLD static ORMA_PRINTF(2, 3) void refuse(struct orma_dataframe *self, const char *fmt, ...)
{
    va_list args;

    if (self->error)
        return;
    va_start(args, fmt);
    if (vasprintf(&self->error, fmt, args) < 0) {
        self->error = NULL;
        self->failed = true;
    }
    va_end(args);
}

ORMA_COLD static void refuse_type(struct orma_dataframe *self,
                                  const struct orma_dataframe_column *col,
                                  enum orma_dataframe_type got)
{
    bool fits = (got == ORMA_DATAFRAME_TEXT) == (col->declared == ORMA_DATAFRAME_TEXT);

    if (col->declared == ORMA_DATAFRAME_UNKNOWN)
        refuse(self, "column '%s' was inferred to be %s, but later received a value of type %s",
               col->name, orma_dataframe_type_name(col->type), orma_dataframe_type_name(got));
    else /* it is this value that does not fit, or one before */
        refuse(self, "column '%s' declared as %s in the schema, but %s found", col->name,
               orma_dataframe_type_name(col->declared),
               orma_dataframe_type_name(fits ? col->type : got));
}

ORMA_COLD static void refuse_inexact(struct orma_dataframe *self,
                                     const struct orma_dataframe_column *col, int64_t val,
                                     uint32_t row)
{
    refuse(self,
           "column '%s' has doubles and the integer %" PRId64
           " (row %u), which a double does not hold exactly",
           col->name, val, row);
}

/* An integer among doubles. */
ORMA_COLD static void put_int_as_double(struct orma_dataframe *self, unsigned idx, uint32_t row,
                                        int64_t val)
{
    uint64_t abs = val < 0 ? 0 - (uint64_t)val : (uint64_t)val;

    if (abs > DOUBLE_EXACT)
        refuse_inexact(self, &self->columns[idx], val, row);
    else
        orma_table_set_double(&self->table, idx, row, (double)val);
}

void orma_dataframe_put_int(struct orma_dataframe *self, unsigned idx, uint32_t row, int64_t val)
{
    struct orma_dataframe_column *col = &self->columns[idx];

    ORMA_ASSERT_HOT(idx < self->columns_num);
    ORMA_ASSERT_HOT(row == ORMA_ROW_NONE || row < self->table.rows);
    if (col->type == ORMA_DATAFRAME_UNKNOWN)
        col->type = ORMA_DATAFRAME_INT;
    if (ORMA_LIKELY(col->type == ORMA_DATAFRAME_INT)) {
        uint64_t abs = val < 0 ? 0 - (uint64_t)val : (uint64_t)val;

        if (abs > col->int_max) {
            col->int_max = abs;
            col->int_max_row = row;
        }
        orma_table_set(&self->table, idx, row, val);
    } else if (col->type == ORMA_DATAFRAME_DOUBLE) {
        put_int_as_double(self, idx, row, val);
    } else {
        refuse_type(self, col, ORMA_DATAFRAME_INT);
    }
}

/* The first double of a column: the integers before it are doubles from now on. */
ORMA_COLD static bool become_double(struct orma_dataframe *self, unsigned idx)
{
    struct orma_dataframe_column *col = &self->columns[idx];

    if (col->type == ORMA_DATAFRAME_TEXT) {
        refuse_type(self, col, ORMA_DATAFRAME_DOUBLE);
        return false;
    }
    if (col->int_max > DOUBLE_EXACT) {
        refuse_inexact(self, col, orma_table_int(&self->table, idx, col->int_max_row),
                       col->int_max_row);
        return false;
    }
    col->type = ORMA_DATAFRAME_DOUBLE;
    self->defs[idx].kind = ORMA_COL_DOUBLE;
    self->table.columns[idx].kind = ORMA_COL_DOUBLE;
    return true;
}

void orma_dataframe_make_double(struct orma_dataframe *self, unsigned idx)
{
    if (self->columns[idx].type != ORMA_DATAFRAME_DOUBLE &&
        self->columns[idx].type != ORMA_DATAFRAME_TEXT)
        (void)become_double(self, idx); /* an inexact integer is in `error` */
}

void orma_dataframe_put_double(struct orma_dataframe *self, unsigned idx, uint32_t row, double val)
{
    if (self->columns[idx].type != ORMA_DATAFRAME_DOUBLE && !become_double(self, idx))
        return;
    orma_table_set_double(&self->table, idx, row, val);
}

static void become_text(struct orma_dataframe *self, unsigned idx)
{
    self->columns[idx].type = ORMA_DATAFRAME_TEXT;
    self->defs[idx].kind = ORMA_COL_STRING;
    self->table.columns[idx].kind = ORMA_COL_STRING;
}

void orma_dataframe_set_type(struct orma_dataframe *self, unsigned idx,
                             enum orma_dataframe_type type)
{
    ORMA_ASSERT(self->columns[idx].type == ORMA_DATAFRAME_UNKNOWN);
    if (type == ORMA_DATAFRAME_TEXT)
        become_text(self, idx);
    else if (type == ORMA_DATAFRAME_DOUBLE)
        (void)become_double(self, idx); /* there is no integer that could be inexact */
}

void orma_dataframe_put_str(struct orma_dataframe *self, unsigned idx, uint32_t row,
                            uint32_t pool_id)
{
    struct orma_dataframe_column *col = &self->columns[idx];

    if (!pool_id)
        return;
    if (col->type == ORMA_DATAFRAME_UNKNOWN)
        become_text(self, idx);
    if (col->type == ORMA_DATAFRAME_TEXT)
        orma_table_set(&self->table, idx, row, pool_id);
    else
        refuse_type(self, col, ORMA_DATAFRAME_TEXT);
}

void orma_dataframe_put_text(struct orma_dataframe *self, unsigned idx, uint32_t row,
                             struct orma_str text)
{
    orma_dataframe_put_str(self, idx, row, orma_strpool_add(&self->storage->pool, text));
    if (self->storage->failed)
        self->failed = true;
}

bool orma_dataframe_put_value(struct orma_dataframe *self, unsigned col, uint32_t row,
                              sqlite3_value *val)
{
    switch (sqlite3_value_type(val)) {
    case SQLITE_INTEGER:
        orma_dataframe_put_int(self, col, row, sqlite3_value_int64(val));
        break;
    case SQLITE_FLOAT:
        orma_dataframe_put_double(self, col, row, sqlite3_value_double(val));
        break;
    case SQLITE_TEXT: {
        const char *text = (const char *)sqlite3_value_text(val);

        if (text)
            orma_dataframe_put_text(self, col, row,
                                    (struct orma_str){text, (size_t)sqlite3_value_bytes(val)});
        else
            self->failed = true;
        break;
    }
    case SQLITE_BLOB:
        refuse(self, "column '%s' has a blob: Bytes type is not supported",
               self->columns[col].name);
        break;
    }
    return !self->error && !self->failed;
}

static bool has_nulls(const struct orma_table *t, unsigned idx)
{
    const struct orma_column *col = &t->columns[idx];

    if (col->kind == ORMA_COL_STRING) {
        for (uint32_t row = 0; row < t->rows; row++) {
            if (!orma_column_int(col, row))
                return true;
        }
        return false;
    }
    if (!col->valid)
        return t->rows > 0;
    for (uint32_t word = 0; word < t->rows / 64; word++) {
        if (~col->valid[word])
            return true;
    }
    for (uint32_t row = t->rows & ~63u; row < t->rows; row++) {
        if (!(col->valid[row >> 6] >> (row & 63) & 1))
            return true;
    }
    return false;
}

static bool is_sorted(const struct orma_dataframe *self, unsigned idx)
{
    const struct orma_table *t = &self->table;
    const struct orma_column *col = &t->columns[idx];

    for (uint32_t row = 1; row < t->rows; row++) {
        bool falls;

        if (col->kind == ORMA_COL_STRING) {
            uint32_t a = (uint32_t)orma_column_int(col, row - 1);
            uint32_t b = (uint32_t)orma_column_int(col, row);

            falls = a != b && orma_str_order(orma_strpool_get(&self->storage->pool, a),
                                             orma_strpool_get(&self->storage->pool, b)) > 0;
        } else if (col->kind == ORMA_COL_DOUBLE) {
            falls = !(orma_column_double(col, row - 1) <= orma_column_double(col, row));
        } else {
            falls = orma_column_int(col, row - 1) > orma_column_int(col, row);
        }
        if (falls)
            return false;
    }
    return true;
}

static bool is_row_number(const struct orma_table *t, unsigned idx)
{
    const struct orma_column *col = &t->columns[idx];

    if (col->kind != ORMA_COL_INT || !t->rows)
        return false;
    for (uint32_t row = 0; row < t->rows; row++) {
        if (orma_column_int(col, row) != row)
            return false;
    }
    return true;
}

static void finish_column(struct orma_dataframe *self, unsigned idx)
{
    struct orma_dataframe_column *c = &self->columns[idx];
    struct orma_column *col = &self->table.columns[idx];
    struct orma_column_def *def = &self->defs[idx];

    if (c->type == ORMA_DATAFRAME_UNKNOWN)
        c->type = ORMA_DATAFRAME_INT;
    c->nulls = has_nulls(&self->table, idx);
    if (c->nulls)
        return;
    c->sorted = is_sorted(self, idx);
    c->id = is_row_number(&self->table, idx);
    def->flags = 0;
    if (c->id)
        def->kind = col->kind = ORMA_COL_ALIAS;
    else if (c->sorted && col->kind == ORMA_COL_INT)
        def->flags = ORMA_COL_TIME;
    col->flags = def->flags;
    col->unsorted = !c->sorted;
}

int orma_dataframe_finish(struct orma_dataframe *self)
{
    if (self->failed)
        return -ENOMEM;
    if (self->error)
        return -EINVAL;
    for (unsigned i = 0; i < self->columns_num; i++)
        finish_column(self, i);
    return 0;
}

void orma_dataframe_result(const struct orma_dataframe *self, sqlite3_context *ctx, unsigned idx,
                           uint32_t row)
{
    const struct orma_column *col = &self->table.columns[idx];

    if (orma_table_is_null(&self->table, idx, row))
        return;
    if (col->kind == ORMA_COL_STRING) {
        orma_result_pool(ctx, &self->storage->pool, (uint32_t)orma_column_int(col, row));
    } else if (col->kind == ORMA_COL_DOUBLE) {
        sqlite3_result_double(ctx, orma_column_double(col, row));
    } else {
        sqlite3_result_int64(ctx, orma_table_int(&self->table, idx, row));
    }
}

int orma_dataframe_find(const struct orma_dataframe *self, const char *name)
{
    for (unsigned i = 0; i < self->columns_num; i++) {
        if (!sqlite3_stricmp(self->columns[i].name, name))
            return (int)i;
    }
    return -1;
}

void orma_dataframe_result_pointer(sqlite3_context *ctx, struct orma_dataframe *self)
{
    sqlite3_result_pointer(ctx, self, ORMA_DATAFRAME_POINTER, orma_dataframe_unref);
}

void orma_dataframe_result_finished(sqlite3_context *ctx, struct orma_dataframe *frame)
{
    if (orma_dataframe_finish(frame) == 0) {
        orma_dataframe_result_pointer(ctx, frame);
        return;
    }
    if (frame->error)
        orma_result_error(ctx, "%s", frame->error);
    else
        sqlite3_result_error_nomem(ctx);
    orma_dataframe_unref(frame);
}
