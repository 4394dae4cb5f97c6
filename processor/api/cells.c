/* The cells of a row, for users of the C API, one call each. */
#include <stdlib.h>
#include <string.h>

#include "processor/api/query_impl.h"
#include "sdk/base/plain_locale.h"

unsigned orma_query_columns(const struct orma_query *self)
{
    return (unsigned)sqlite3_column_count(self->stmt->stmt);
}

const char *orma_query_column_name(const struct orma_query *self, unsigned col)
{
    const char *name = sqlite3_column_name(self->stmt->stmt, (int)col);

    return name ? name : "";
}

/* The cell of a row that is there as columns; false: SQLite has it. */
static bool cell_of(const struct orma_query *self, unsigned col, enum orma_exec_type *ret_type,
                    int64_t *ret)
{
    const struct orma_sql_stmt *stmt = self->stmt;

    if (!stmt->plan || col >= stmt->batch.columns_num)
        return false;
    const struct orma_exec_column *c = &stmt->batch.columns[col];
    *ret_type = c->types ? c->types[stmt->batch_at] : c->type;
    *ret = c->vals[stmt->batch_at];
    return true;
}

enum orma_value_type orma_query_type(const struct orma_query *self, unsigned col)
{
    enum orma_exec_type type;
    int64_t val;

    if (cell_of(self, col, &type, &val))
        return type == ORMA_EXEC_TYPE_INT    ? ORMA_VALUE_INT64
               : type == ORMA_EXEC_TYPE_REAL ? ORMA_VALUE_DOUBLE
               : type == ORMA_EXEC_TYPE_TEXT ? ORMA_VALUE_TEXT
                                             : ORMA_VALUE_NULL;
    switch (sqlite3_column_type(self->stmt->stmt, (int)col)) {
    case SQLITE_INTEGER:
        return ORMA_VALUE_INT64;
    case SQLITE_FLOAT:
        return ORMA_VALUE_DOUBLE;
    case SQLITE_TEXT:
        return ORMA_VALUE_TEXT;
    case SQLITE_BLOB:
        return ORMA_VALUE_BLOB;
    }
    return ORMA_VALUE_NULL;
}

static double double_of(int64_t bits)
{
    double val;

    memcpy(&val, &bits, sizeof(val));
    return val;
}

int64_t orma_query_int64(const struct orma_query *self, unsigned col)
{
    enum orma_exec_type type;
    int64_t val;

    if (!cell_of(self, col, &type, &val))
        return sqlite3_column_int64(self->stmt->stmt, (int)col);
    if (type == ORMA_EXEC_TYPE_REAL) {
        double d = double_of(val);

        return d <= -0x1p63 ? INT64_MIN : d >= 0x1p63 ? INT64_MAX : (int64_t)d;
    }
    return type == ORMA_EXEC_TYPE_INT    ? val
           : type == ORMA_EXEC_TYPE_TEXT ? strtoll(orma_query_text(self, col), NULL, 10)
                                         : 0;
}

static double double_of_text(const char *text)
{
    ORMA_WITH_PLAIN_LOCALE;
    return strtod(text, NULL);
}

double orma_query_double(const struct orma_query *self, unsigned col)
{
    enum orma_exec_type type;
    int64_t val;

    if (!cell_of(self, col, &type, &val))
        return sqlite3_column_double(self->stmt->stmt, (int)col);
    return type == ORMA_EXEC_TYPE_REAL   ? double_of(val)
           : type == ORMA_EXEC_TYPE_INT  ? (double)val
           : type == ORMA_EXEC_TYPE_TEXT ? double_of_text(orma_query_text(self, col))
                                         : 0;
}

const char *orma_query_text(const struct orma_query *self, unsigned col)
{
    enum orma_exec_type type;
    int64_t val;

    if (!cell_of(self, col, &type, &val)) {
        const char *text = (const char *)sqlite3_column_text(self->stmt->stmt, (int)col);

        return text ? text : "";
    }
    if (type == ORMA_EXEC_TYPE_TEXT)
        return orma_strpool_cstr(self->pool, (uint32_t)val);
    if (type == ORMA_EXEC_TYPE_INT)
        return sqlite3_snprintf(ORMA_QUERY_SCRATCH, self->scratch, "%lld", (long long)val);
    return type == ORMA_EXEC_TYPE_REAL
               ? sqlite3_snprintf(ORMA_QUERY_SCRATCH, self->scratch, "%!.15g", double_of(val))
               : "";
}

const void *orma_query_blob(const struct orma_query *self, unsigned col)
{
    if (self->stmt->plan)
        return orma_query_text(self, col);
    return sqlite3_column_blob(self->stmt->stmt, (int)col);
}

/* Of SQLite's row. */
static void cell_of_sqlite(sqlite3_stmt *stmt, int col, struct orma_cell *ret)
{
    ret->type = ORMA_VALUE_NULL;
    ret->stays = false;
    ret->bytes = 0;
    ret->whole = 0;
    switch (sqlite3_column_type(stmt, col)) {
    case SQLITE_INTEGER:
        ret->type = ORMA_VALUE_INT64;
        ret->whole = sqlite3_column_int64(stmt, col);
        break;
    case SQLITE_FLOAT:
        ret->type = ORMA_VALUE_DOUBLE;
        ret->real = sqlite3_column_double(stmt, col);
        break;
    case SQLITE_TEXT:
        ret->type = ORMA_VALUE_TEXT;
        ret->data = sqlite3_column_text(stmt, col);
        ret->bytes = (size_t)sqlite3_column_bytes(stmt, col);
        break;
    case SQLITE_BLOB:
        ret->type = ORMA_VALUE_BLOB;
        ret->data = sqlite3_column_blob(stmt, col);
        ret->bytes = (size_t)sqlite3_column_bytes(stmt, col);
        break;
    }
}

/* Field by field, each at its own width: a struct that is made and copied is waited for. */
static inline void cell_of_columns(const struct orma_query_row *row, unsigned col,
                                   struct orma_cell *ret)
{
    const struct orma_exec_column *c = &row->columns[col];
    const int64_t val = c->vals[row->at];

    ret->stays = false;
    ret->bytes = 0;
    ret->whole = val; /* or the bits of a double */
    switch (c->types ? c->types[row->at] : c->type) {
    case ORMA_EXEC_TYPE_INT:
        ret->type = ORMA_VALUE_INT64;
        break;
    case ORMA_EXEC_TYPE_REAL:
        ret->type = ORMA_VALUE_DOUBLE;
        break;
    case ORMA_EXEC_TYPE_TEXT: {
        const struct orma_str text = orma_strpool_get(row->pool, (uint32_t)val);

        ret->type = ORMA_VALUE_TEXT;
        ret->stays = true;
        ret->bytes = text.len;
        ret->data = text.data;
        break;
    }
    default:
        ret->type = ORMA_VALUE_NULL;
        ret->whole = 0;
    }
}

void orma_query_cells(const struct orma_query *self, unsigned num, struct orma_cell *ret)
{
    const struct orma_query_row row = orma_query_row(self);

    for (unsigned i = 0; i < num; i++) {
        if (row.stmt)
            cell_of_sqlite(row.stmt, (int)i, &ret[i]);
        else if (i < row.columns_num)
            cell_of_columns(&row, i, &ret[i]);
        else
            ret[i] = (struct orma_cell){.type = ORMA_VALUE_NULL};
    }
}

size_t orma_query_bytes(const struct orma_query *self, unsigned col)
{
    enum orma_exec_type type;
    int64_t val;

    if (!cell_of(self, col, &type, &val))
        return (size_t)sqlite3_column_bytes(self->stmt->stmt, (int)col);
    if (type == ORMA_EXEC_TYPE_TEXT)
        return orma_strpool_get(self->pool, (uint32_t)val).len;
    return type == ORMA_EXEC_TYPE_NULL ? 0 : strlen(orma_query_text(self, col));
}
