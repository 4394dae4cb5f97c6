/*
 * Table-valued functions: a call with arguments gives rows.
 *
 * Each is one static description and one function that makes all rows of a call:
 * either a frame, or a list of rows of a stored table. The rest (columns, hidden
 * arguments, planning, cursors) is common. Arguments can be given in parentheses
 * or as WHERE on the hidden columns _fn_arg0, _fn_arg1, ...; all of them must be given.
 * Another hidden column, _auto_id, is the number of the row.
 */
#ifndef ORMA_PROCESSOR_SQL_BASE_TVF_H
#define ORMA_PROCESSOR_SQL_BASE_TVF_H
#include "processor/sql/base/dataframe.h"
#include "processor/sql/base/sql.h"

#define ORMA_TVF_COLUMNS_MAX 32
#define ORMA_TVF_ARGS_MAX 18

/* Rows of a stored table. */
struct orma_rows {
    uint32_t *rows;
    size_t len, cap;
    bool failed;
};

void orma_rows_fini(struct orma_rows *self);
void orma_rows_add(struct orma_rows *self, uint32_t row);

struct orma_tvf_call {
    struct orma_sql *sql;
    int argc;
    sqlite3_value **argv;
    char *error;                  /* from sqlite3_mprintf: what is wrong; freed by the caller */
    struct orma_dataframe *frame; /* to be filled, one column for each of `columns` */
    struct orma_rows rows;        /* the same for functions with a base table */
};

struct orma_tvf {
    const char *name;
    bool numbered; /* the first column is called id and is the number of the row; */
    unsigned echo; /* after it, so many arguments are columns under their names; then come */
    /* these. With a base table: names of its columns. */
    const char *columns[ORMA_TVF_COLUMNS_MAX];
    const char *types; /* of the columns, one letter each: I D T, ? unknown */
    const char *args[ORMA_TVF_ARGS_MAX];
    bool variadic;     /* arguments may be left out from the end, */
    unsigned required; /* but these are always there: run() need not look at argc */
    int base;          /* ORMA_TABLE_* + 1, or 0: a frame */
    /* 0, or -errno: -EINVAL with `error`, -ENOMEM, -ECANCELED. */
    int (*run)(struct orma_tvf_call *call);
    const char *usage, *doc; /* for the page of functions */
};

/* An SQLite code. */
int orma_tvf_register(struct orma_sql *sql, const struct orma_tvf *tvf);

/* Sets call->error. Returns -EINVAL. */
int orma_tvf_fail(struct orma_tvf_call *call, const char *fmt, ...) ORMA_PRINTF(2, 3);

/* A plan without an argument that is needed: SQLite shall look for another. Gives the code for
 * that. */
int orma_tvf_lacks(struct orma_sql *sql, const char *fmt, ...) ORMA_PRINTF(2, 3);

/*
 * Which of `num` hidden columns behind `visible` others have an equality that can be used: takes
 * them as arguments of xFilter, in the order of columns, and sets marks[column]. How many; -1:
 * there is one, but not in this order of the tables, and another will do.
 */
int orma_tvf_take_args(sqlite3_index_info *info, unsigned visible, unsigned num, uint8_t *marks);

/* A frame that was passed as a pointer value, NULL if it is none. */
static inline struct orma_dataframe *orma_value_frame(sqlite3_value *val)
{
    return sqlite3_value_pointer(val, ORMA_DATAFRAME_POINTER);
}
#endif
