/*
 * The parse tree of a query. Nodes lie in one arena and are never freed alone; texts are slices of
 * the statement, or of the arena where quotes were taken off.
 */
#ifndef ORMA_PROCESSOR_SQL_EXEC_PARSE_AST_H
#define ORMA_PROCESSOR_SQL_EXEC_PARSE_AST_H
#include "processor/sql/exec/base/syntax.h"
#include "sdk/base/str.h"

struct orma_exec_item {
    struct orma_exec_item *next;
    struct orma_exec_ast *expr; /* NULL: a star, of `table` if that is given */
    struct orma_str alias, table;
    bool desc, nulls_given, nulls_last;
};

struct orma_exec_window {
    struct orma_exec_window *next;
    struct orma_str name; /* in a WINDOW clause; of the base window in OVER w */
    struct orma_exec_item *partition, *order;
    struct orma_exec_extent extent;
};

/* What `op` is says which member of the union counts; operators have arguments alone. */
struct orma_exec_ast {
    struct orma_exec_ast *next; /* in a list of arguments */
    enum orma_exec_op op;
    bool negated; /* NOT BETWEEN, NOT IN, NOT LIKE, NOT GLOB */
    struct orma_exec_ast *args;
    union {
        struct {
            struct orma_str text; /* a number as it is written; a text without its quotes */
        } literal;                /* NULL, NUMBER, TEXT */
        struct {
            struct orma_str table, name;
            bool quoted; /* in double quotes: may be a text */
        } name;          /* NAME */
        struct {
            struct orma_str name;
            bool distinct; /* count(DISTINCT x) */
            bool filtered; /* its argument is one of a FILTER */
            struct orma_exec_window *over;
        } call; /* CALL */
        struct {
            struct orma_str type;
        } cast; /* CAST */
        struct {
            bool has_base, has_else; /* CASE base WHEN ... ELSE ... */
        } choice;                    /* CASE */
        struct {
            struct orma_exec_select *select;
        } query; /* IN_SELECT, VALUE, EXISTS */
    };
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

#endif
