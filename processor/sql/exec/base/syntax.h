/* What the text of a statement is made of: operators, joins, sets, frames of windows. */
#ifndef ORMA_PROCESSOR_SQL_EXEC_BASE_SYNTAX_H
#define ORMA_PROCESSOR_SQL_EXEC_BASE_SYNTAX_H
#include <stdbool.h>
#include <stdint.h>

enum orma_exec_op {
    /* Leaves. */
    ORMA_EXEC_NULL,
    ORMA_EXEC_NUMBER, /* `literal.text` is as it is written */
    ORMA_EXEC_TEXT,
    ORMA_EXEC_NAME, /* [table.]name */
    ORMA_EXEC_STAR, /* of count(*) */
    /* Two operands. */
    ORMA_EXEC_OR,
    ORMA_EXEC_AND,
    ORMA_EXEC_EQ,
    ORMA_EXEC_NE,
    ORMA_EXEC_LT,
    ORMA_EXEC_LE,
    ORMA_EXEC_GT,
    ORMA_EXEC_GE,
    ORMA_EXEC_IS,
    ORMA_EXEC_IS_NOT,
    ORMA_EXEC_BIT_AND,
    ORMA_EXEC_BIT_OR,
    ORMA_EXEC_SHIFT_LEFT,
    ORMA_EXEC_SHIFT_RIGHT,
    ORMA_EXEC_ADD,
    ORMA_EXEC_SUB,
    ORMA_EXEC_MUL,
    ORMA_EXEC_DIV,
    ORMA_EXEC_REM,
    ORMA_EXEC_CONCAT,
    /* One. */
    ORMA_EXEC_NOT,
    ORMA_EXEC_NEG,
    ORMA_EXEC_PLUS,
    ORMA_EXEC_IS_NULL,
    ORMA_EXEC_NOT_NULL,
    ORMA_EXEC_CAST, /* to the type `cast.type` */
    /* Any number. */
    ORMA_EXEC_BETWEEN, /* value, low, high */
    ORMA_EXEC_IN,      /* value, then the list */
    ORMA_EXEC_IN_SELECT,
    ORMA_EXEC_LIKE, /* text, pattern */
    ORMA_EXEC_GLOB,
    ORMA_EXEC_CASE, /* [base], when, then, ..., [else]: flags say which are there */
    ORMA_EXEC_CALL,
    ORMA_EXEC_VALUE, /* of a query in parentheses */
    ORMA_EXEC_EXISTS,
    /* Made by binding: base/expr.h. */
    ORMA_EXEC_CONST,
    ORMA_EXEC_COLUMN,
    ORMA_EXEC_SLOT,
    ORMA_EXEC_MEMO,
    ORMA_EXEC_APPLY, /* a call for each row */
    ORMA_EXEC_PARAM, /* in the text of that */
    ORMA_EXEC_ROW,   /* the number of the row of a source */
};

/* Where the frame of a row begins or ends. */
enum orma_exec_border {
    ORMA_EXEC_FIRST,  /* UNBOUNDED PRECEDING */
    ORMA_EXEC_BEFORE, /* `num` PRECEDING */
    ORMA_EXEC_HERE,   /* CURRENT ROW */
    ORMA_EXEC_AFTER,
    ORMA_EXEC_LAST,
};

enum orma_exec_unit {
    ORMA_EXEC_RANGE,
    ORMA_EXEC_ROWS,
    ORMA_EXEC_GROUPS,
};

/* Zero is what SQLite takes if nothing is written, but for `to`. */
struct orma_exec_extent {
    enum orma_exec_unit unit;
    enum orma_exec_border from, to;
    int64_t from_num, to_num;
};

enum orma_exec_join {
    ORMA_EXEC_INNER,
    ORMA_EXEC_LEFT,
};

/* How a part of a compound query is put together with all before it. */
enum orma_exec_set {
    ORMA_EXEC_UNION_ALL,
    ORMA_EXEC_UNION,
    ORMA_EXEC_INTERSECT,
    ORMA_EXEC_EXCEPT,
};

#endif
