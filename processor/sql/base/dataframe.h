/*
 * Frames: tables made by queries.
 *
 * A frame is a table of typed columns whose definition was made at run time:
 * what CREATE PERFETTO TABLE stores, and what operators hand to one another as
 * pointer values. Rows are added, each column takes the type of its first
 * value, and orma_dataframe_finish() settles what the columns are: ids (the row
 * number itself), sorted, nullable.
 *
 * Types: integers and doubles may mix while every integer is exact as a double;
 * text does not mix with numbers; blobs are refused. Text is interned in the
 * storage, as that of the trace.
 *
 * Shared by reference count. Threads: none.
 */
#ifndef ORMA_PROCESSOR_SQL_BASE_DATAFRAME_H
#define ORMA_PROCESSOR_SQL_BASE_DATAFRAME_H
#include <sqlite3.h>

#include "processor/store/storage.h"

/* The type under which frames are passed as pointer values. */
#define ORMA_DATAFRAME_POINTER "orma_dataframe"

enum orma_dataframe_type {
    ORMA_DATAFRAME_UNKNOWN, /* nothing but NULL so far */
    ORMA_DATAFRAME_INT,
    ORMA_DATAFRAME_DOUBLE,
    ORMA_DATAFRAME_TEXT,
};

struct orma_dataframe_column {
    char *name;
    enum orma_dataframe_type type;
    enum orma_dataframe_type declared; /* in a schema; UNKNOWN: there is none */
    uint64_t int_max;                  /* largest |integer| so far */
    uint32_t int_max_row;              /* where it is */
    bool nulls;
    bool sorted;
    bool id; /* the value is the row number */
};

struct orma_dataframe {
    unsigned refs;
    struct orma_storage *storage;
    struct orma_table_def def;
    struct orma_column_def *defs;
    struct orma_table table;
    struct orma_dataframe_column *columns;
    unsigned columns_num; /* without _auto_id, which is last in `def` when there is one */
    bool auto_id;
    bool failed; /* memory was out */
    char *error; /* the first wrong value, for people */
};

/*
 * `names` are copied. With `auto_id` a column _auto_id, the number of the row, is added last.
 * NULL when out of memory.
 */
struct orma_dataframe *orma_dataframe_new(struct orma_storage *storage, const char *const *names,
                                          unsigned num, bool auto_id);
struct orma_dataframe *orma_dataframe_ref(struct orma_dataframe *self);
void orma_dataframe_unref(void *self);

/* The new row, all NULL. ORMA_ROW_NONE when memory is out. */
static inline uint32_t orma_dataframe_add(struct orma_dataframe *self)
{
    return orma_table_add(&self->table);
}

/* Cells of a row that was added; a value of the wrong type sets `error` and is dropped. */
void orma_dataframe_put_int(struct orma_dataframe *self, unsigned col, uint32_t row, int64_t val);
void orma_dataframe_put_double(struct orma_dataframe *self, unsigned col, uint32_t row, double val);
void orma_dataframe_put_text(struct orma_dataframe *self, unsigned col, uint32_t row,
                             struct orma_str text);
void orma_dataframe_put_str(struct orma_dataframe *self, unsigned col, uint32_t row,
                            uint32_t pool_id);

/* Any value; false (and `error` set) if it can't be stored. */
bool orma_dataframe_put_value(struct orma_dataframe *self, unsigned col, uint32_t row,
                              sqlite3_value *val);

/* Gives a column without values a type; UNKNOWN: it becomes one of integers. */
void orma_dataframe_set_type(struct orma_dataframe *self, unsigned idx,
                             enum orma_dataframe_type type);

/* A column of integers becomes one of doubles; `error` is set if that changes one. */
void orma_dataframe_make_double(struct orma_dataframe *self, unsigned col);

/* No more rows. 0; -EINVAL with `error`, or -ENOMEM. */
int orma_dataframe_finish(struct orma_dataframe *self);

/* The cell as the result of a function or a column. */
void orma_dataframe_result(const struct orma_dataframe *self, sqlite3_context *ctx, unsigned col,
                           uint32_t row);

/* The column of that name, in any case; -1: none. */
int orma_dataframe_find(const struct orma_dataframe *self, const char *name);

/* LONG, DOUBLE, STRING */
const char *orma_dataframe_type_name(enum orma_dataframe_type type);

/* As the result of a function: the reference is handed over. */
void orma_dataframe_result_pointer(sqlite3_context *ctx, struct orma_dataframe *self);

/* Finishes the frame and hands it over as result; its error, or being out of memory, instead. */
void orma_dataframe_result_finished(sqlite3_context *ctx, struct orma_dataframe *frame);

/* Columns of the definition: how many, _auto_id included. */
static inline unsigned orma_dataframe_width(const struct orma_dataframe *self)
{
    return self->columns_num + self->auto_id;
}
#endif
