/*
 * The parse tree of a query. Nodes lie in one arena and are never freed alone; texts are slices of
 * the statement, or of the arena where quotes were taken off.
 */
#ifndef ORMA_PROCESSOR_SQL_EXEC_AST_H
#define ORMA_PROCESSOR_SQL_EXEC_AST_H
#include <stdbool.h>
#include <stdint.h>

#include "sdk/base/arena.h"

enum orma_exec_op {
    /* Leaves. */
    ORMA_EXEC_NULL,
    ORMA_EXEC_NUMBER, /* `name` is as it is written */
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
    ORMA_EXEC_CAST, /* to the type `name` */
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
    /* Made by binding: exec_plan.h. */
    ORMA_EXEC_CONST,
    ORMA_EXEC_COLUMN,
    ORMA_EXEC_SLOT,
    ORMA_EXEC_MEMO,
    ORMA_EXEC_APPLY, /* a call for each row */
    ORMA_EXEC_PARAM, /* in the text of that */
    ORMA_EXEC_ARG,
    ORMA_EXEC_LEAST, /* min(a, b), max(a, b) */
    ORMA_EXEC_GREATEST,
    ORMA_EXEC_COALESCE,
    ORMA_EXEC_NULLIF,
    ORMA_EXEC_ROW, /* the number of the row of a source */
};

struct orma_exec_item {
    struct orma_exec_item *next;
    struct orma_exec_ast *expr; /* NULL: a star, of `table` if that is given */
    struct orma_str alias, table;
    bool desc, nulls_given, nulls_last;
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

struct orma_exec_window {
    struct orma_exec_window *next;
    struct orma_str name; /* in a WINDOW clause; of the base window in OVER w */
    struct orma_exec_item *partition, *order;
    struct orma_exec_extent extent;
};

struct orma_exec_ast {
    struct orma_exec_ast *next; /* in a list of arguments */
    enum orma_exec_op op;
    bool negated;  /* NOT BETWEEN, NOT IN, NOT LIKE */
    bool has_base; /* CASE x WHEN */
    bool has_else;
    bool distinct; /* count(DISTINCT x) */
    bool filtered; /* its argument is one of a FILTER */
    bool quoted;   /* NAME in double quotes: may be a text */
    struct orma_str name, table;
    struct orma_exec_ast *args;
    struct orma_exec_window *over;
    struct orma_exec_select *select; /* IN_SELECT, VALUE, EXISTS */
};

enum orma_exec_join {
    ORMA_EXEC_INNER,
    ORMA_EXEC_LEFT,
};

struct orma_exec_from {
    struct orma_exec_from *next;
    struct orma_str name, alias;
    struct orma_exec_select *select; /* instead of a name */
    enum orma_exec_join join;        /* to what stands before */
    struct orma_exec_ast *on;
    struct orma_exec_item *using; /* aliases are the columns */
};

struct orma_exec_with {
    struct orma_exec_with *next;
    struct orma_str name;
    struct orma_exec_item *columns; /* aliases */
    bool materialized;              /* by that word */
    struct orma_exec_select *select;
};

/* How a part of a compound query is put together with all before it. */
enum orma_exec_set {
    ORMA_EXEC_UNION_ALL,
    ORMA_EXEC_UNION,
    ORMA_EXEC_INTERSECT,
    ORMA_EXEC_EXCEPT,
};

struct orma_exec_select {
    struct orma_exec_with *with;
    bool distinct;
    struct orma_exec_item *items;
    struct orma_exec_from *from;
    struct orma_exec_ast *where, *having;
    struct orma_exec_item *group, *order;
    struct orma_exec_window *windows;
    struct orma_exec_ast *limit, *offset;
    struct orma_exec_select *more; /* the next part; order and limit are those of the whole */
    enum orma_exec_set set;
};

/*
 * Parses one query. NULL: it has something that is not known here, is nested too deeply, or memory
 * is out. All that is accepted SQLite accepts, too, as far as grammar goes.
 */
struct orma_exec_select *orma_exec_parse(struct orma_arena *arena, struct orma_str text);
#endif
