/*
 * What the executor knows of functions and operators: one row each. All stages read it: the parser
 * (how tightly an operator binds), binding (arguments, kinds, types), folding (what may be called
 * once per text), groups and windows (values of no rows, frames), evaluation.
 *
 * A function that is not in it, is no pure function of the engine's registry, and was not made by a
 * script from such functions is refused while the statement is bound, whether or not anybody reads
 * its value: SQLite runs the statement then. So an aggregate that is not known here is never taken
 * for a scalar.
 */
#ifndef ORMA_PROCESSOR_SQL_EXEC_BASE_FUNCTIONS_H
#define ORMA_PROCESSOR_SQL_EXEC_BASE_FUNCTIONS_H
#include "processor/sql/base/builtins.h"
#include "processor/sql/exec/base/syntax.h"
#include "processor/sql/exec/base/value.h"
#include "sdk/base/assert.h"

/* Aggregates and window functions. */
enum orma_exec_func {
    EXEC_COUNT_ALL,
    EXEC_COUNT,
    EXEC_SUM,
    EXEC_TOTAL,
    EXEC_AVG,
    EXEC_MIN,
    EXEC_MAX,
    EXEC_ROW_NUMBER,
    EXEC_RANK,
    EXEC_DENSE_RANK,
    EXEC_LEAD,
    EXEC_LAG,
    EXEC_FIRST_VALUE,
    EXEC_LAST_VALUE,
    EXEC_NTH_VALUE,
    EXEC_NTILE,
    EXEC_PERCENT_RANK,
    EXEC_CUME_DIST,
    EXEC_PERCENTILE, /* and the like */
    EXEC_BARE,       /* a column that is no part of the groups: of one row of each */
};

/* What a scalar function becomes while it is bound. */
enum orma_exec_form {
    EXEC_FORM_CALL,   /* a call, by SQLite */
    EXEC_FORM_CHOICE, /* coalesce() */
    EXEC_FORM_IIF,
    EXEC_FORM_NULLIF,
    EXEC_FORM_LEAST, /* two at a time */
    EXEC_FORM_GREATEST,
    EXEC_FORM_ARG,      /* a value of an arg set */
    EXEC_FORM_OF_TRACE, /* the same for all rows */
};

enum orma_exec_kinds {
    EXEC_SCALAR = 1,
    EXEC_AGGREGATE = 2,
    EXEC_WINDOW = 4, /* with OVER */
};

struct orma_exec_function {
    const char *name;
    int8_t args_min, args_max; /* args_max -1: any number */
    uint8_t kinds;
    uint8_t types;    /* that it gives, */
    bool of_args;     /* and also those of its arguments */
    bool is_pure;     /* the same for the same arguments, and no other effect */
    bool may_fail;    /* for some arguments: called only where SQLite calls it, too */
    bool can_be_star; /* count(*) */
    bool adds;        /* doubles: the order of rows shows */
    bool has_distinct;
    bool has_extent; /* a window of its own, whatever is written */
    uint8_t empty;   /* type of an aggregate of no rows; numbers are 0 */
    enum orma_exec_func func;
    enum orma_exec_form form;
    struct orma_exec_extent extent;
    /* percentile() and the like: what the second argument is counted to (0: there is none, it is
     * the middle), and whether the result is one of the values. */
    double whole;
    bool exact;
};

/* How the types of an operator follow from those of its arguments. */
enum orma_exec_typing {
    EXEC_GIVES_ANY,
    EXEC_GIVES_TRUTH,          /* an integer; NULL where an argument is */
    EXEC_GIVES_TEST,           /* an integer, never NULL */
    EXEC_GIVES_NUMBER,         /* what its arguments are, texts as numbers */
    EXEC_GIVES_NUMBER_OR_NULL, /* the same, and NULL also without one: x / 0 */
    EXEC_GIVES_TEXT,
    EXEC_GIVES_SAME, /* as its argument */
    EXEC_GIVES_BRANCH,
    EXEC_GIVES_TYPE, /* that of a CAST */
};

struct orma_exec_operator {
    const char *text, *other; /* as it is written, and another way; NULL: not between operands */
    uint8_t args;             /* 0: any number */
    uint8_t level;            /* of a binary operator: how tightly it binds; 0: it is none */
    enum orma_exec_typing typing;
    bool by_sqlite; /* calls, and what only SQLite works out */
    bool compares;  /* by affinities */
    bool folds;     /* of integers that are known, while it is bound */
};

/*
 * The table itself: processor/sql/exec/functions.c, which stands above the stages, as it lists what
 * they have; they are handed it with the statement.
 */
struct orma_exec_catalog {
    const struct orma_exec_function *functions;
    size_t functions_num;
    const struct orma_exec_operator *operators; /* by enum orma_exec_op; empty: unknown here */
    size_t operators_num;
};

/* A function of the table, with OVER (`over`) or without. NULL: it is not in it. */
const struct orma_exec_function *orma_exec_function_find(const struct orma_exec_catalog *catalog,
                                                         struct orma_str name, unsigned args,
                                                         bool over);

/* Whether the table has a function of that name at all. */
bool orma_exec_function_is_known(const struct orma_exec_catalog *catalog, struct orma_str name);

/* Those that are not in the table, but pure functions of the engine, or made by a script of such
 * functions: in *ret, which has no name. False: nothing is known of it, or it is an aggregate. */
bool orma_exec_function_of_engine(const struct orma_exec_catalog *catalog, struct orma_sql *sql,
                                  struct orma_str name, unsigned args,
                                  struct orma_exec_function *ret);

/* The row of an aggregate or a window function. */
const struct orma_exec_function *orma_exec_function_of(const struct orma_exec_catalog *catalog,
                                                       enum orma_exec_func func);

static inline const struct orma_exec_operator *
orma_exec_operator_of(const struct orma_exec_catalog *catalog, enum orma_exec_op op)
{
    ORMA_ASSERT((size_t)op < catalog->operators_num);
    return &catalog->operators[op];
}

/* The binary operator that is written like that. False: none is. */
bool orma_exec_operator_find(const struct orma_exec_catalog *catalog, struct orma_str text,
                             enum orma_exec_op *ret);
#endif
