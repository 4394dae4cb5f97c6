/*
 * What the executor knows of functions and operators: one row each, with what computes it. All
 * stages read it: the parser (how tightly an operator binds), binding (arguments, kinds, types),
 * planning (what may be called once per text), running (groups, windows, evaluation).
 *
 * A function that is not in it, is no pure function of the engine's registry, and was not made by a
 * script from such functions is refused while the statement is bound, whether or not anybody reads
 * its value: SQLite runs the statement then. So an aggregate that is not known here is never taken
 * for a scalar.
 */
#ifndef ORMA_PROCESSOR_SQL_EXEC_BASE_FUNCTIONS_H
#define ORMA_PROCESSOR_SQL_EXEC_BASE_FUNCTIONS_H
#include "processor/sql/base/builtins.h"
#include "processor/sql/base/kbn.h"
#include "processor/sql/exec/base/syntax.h"
#include "processor/sql/exec/base/value.h"
#include "sdk/base/assert.h"

struct orma_exec_agg;
struct orma_exec_expr;
struct orma_exec_groups;
struct orma_exec_plan;
struct orma_exec_rows;
struct orma_exec_wins_func;

/* ---- implementations; all give up by returning false ---- */

/* Values of `e` for `num` rows, from those of its arguments. */
typedef bool orma_exec_by_values(struct orma_exec_plan *plan, const struct orma_exec_expr *e,
                                 struct orma_exec_vec *const *args, uint32_t num,
                                 struct orma_exec_vec *ret);
/* The same for what evaluates its arguments itself, if it needs them. */
typedef bool orma_exec_by_rows(struct orma_exec_plan *plan, const struct orma_exec_expr *e,
                               const struct orma_exec_rows *rows, struct orma_exec_vec *ret);

/* What an aggregate keeps of the rows of a group, or of a frame: at first zeros, and a NULL. */
struct orma_exec_state {
    struct orma_exec_value val;
    int64_t count, whole;
    struct orma_kbn real; /* a sum of doubles, */
    bool is_real;         /* if there was one */
};

/* One more value, in the order of rows; NULLs only if the table says so. */
typedef bool orma_exec_step(struct orma_exec_plan *plan, struct orma_exec_state *state,
                            struct orma_exec_value v);
/* What it gives. */
typedef struct orma_exec_value orma_exec_final(const struct orma_exec_state *state);

/* run/aggregate.h: a block of values into the groups `codes` (NULL: all are of group 0). */
struct orma_exec_grouped;
typedef bool orma_exec_fold(struct orma_exec_groups *g, struct orma_exec_grouped *a,
                            const struct orma_exec_vec *v, const uint32_t *codes, uint32_t num);
/* What a group gives; `def` may ask another thing than the aggregate that `a` was made for. */
typedef struct orma_exec_value orma_exec_group_value(struct orma_exec_plan *plan,
                                                     struct orma_exec_grouped *a,
                                                     const struct orma_exec_agg *def,
                                                     uint32_t group);

/* run/window.h: values of the rows [from, to) of a partition. */
struct orma_exec_partition;
typedef bool orma_exec_window_func(struct orma_exec_partition *p,
                                   const struct orma_exec_wins_func *f, uint32_t from, uint32_t to);

/* ---- functions ---- */

enum orma_exec_kinds {
    EXEC_SCALAR = 1,
    EXEC_AGGREGATE = 2,
    EXEC_WINDOW = 4, /* with OVER */
};

/* Which types a function gives, besides those that its row names. */
enum orma_exec_of_args {
    EXEC_OF_NONE,
    EXEC_OF_ALL,   /* those of all arguments */
    EXEC_OF_FIRST, /* those of the first one */
};

/* What a window function looks at. */
enum orma_exec_reach {
    EXEC_REACH_FRAME, /* the frame of each row */
    EXEC_REACH_PEERS, /* which rows are equal in the order */
    EXEC_REACH_ROWS,  /* neither */
};

/* What an aggregate keeps by group, beside what `fold` keeps itself. */
enum orma_exec_keeps {
    EXEC_KEEPS_STATES, /* of `step` */
    EXEC_KEEPS_SUMS,
    EXEC_KEEPS_VALUES,
    EXEC_KEEPS_FIRSTS, /* a value, and whether there was one */
    EXEC_KEEPS_NOTHING,
};

struct orma_exec_function {
    const char *name;
    int8_t args_min, args_max; /* args_max -1: any number */
    uint8_t kinds;
    uint8_t types; /* that it gives, and also */
    enum orma_exec_of_args of_args;

    /* A scalar. With neither `by_values` nor `by_rows` SQLite is asked. */
    bool is_pure;     /* the same for the same arguments, and no other effect */
    bool may_fail;    /* for some arguments: called only where SQLite calls it, too */
    bool of_trace;    /* without arguments: the same for all rows */
    bool is_case;     /* iif(): a CASE */
    bool of_arg_set;  /* its first argument is the id of an arg set, its second one a text */
    bool null_if_all; /* NULL only if all arguments are */
    bool any_thread;  /* several threads may compute it at a time: it writes nothing they share */
    orma_exec_by_values *by_values; /* EXEC_PARAMS_MAX arguments at most */
    orma_exec_by_rows *by_rows;

    /* An aggregate, also with OVER. */
    bool can_be_star;       /* count(*) */
    bool has_distinct;      /* f(DISTINCT x): with a `fold` only */
    bool by_order;          /* the order of rows shows, */
    bool by_order_of_reals; /* or only if there are doubles */
    bool picks_row;         /* min(), max(): columns beside the groups are of that row */
    uint8_t empty;          /* the type of what it gives for no rows; numbers are 0 */
    orma_exec_step *step;
    orma_exec_step *drop;   /* a value leaves a frame; NULL: frames that move are refused */
    orma_exec_final *final; /* NULL: state.val */
    /* In groups, where a block at a time is faster. NULL: `step`. */
    enum orma_exec_keeps keeps;
    bool shares; /* what it keeps with all others that have the same `fold` */
    orma_exec_fold *fold;
    orma_exec_group_value *group_value;
    /* percentile() and the like: what the second argument is counted to (0: there is none, it is
     * the middle), and whether the result is one of the values. */
    double whole;
    bool exact;
    bool has_separator; /* group_concat(): the second argument is a constant text, or there is none
                         */

    /* A window function; of an aggregate only for frames that move. */
    orma_exec_window_func *window;
    bool by_row; /* `window` takes rows [from, to) of any partitions, whole or not */
    enum orma_exec_reach reach;
    bool moves;          /* it needs to know where each frame begins and ends, whatever it is */
    bool first_of_frame; /* of a frame from the first row of the partition it needs nothing else */
    bool numbers_rows;   /* row_number() */
    uint8_t offset_arg;  /* which argument, from 1, is a constant integer; 0: none */
    uint8_t offset_min;
    bool has_extent; /* a frame of its own, whatever is written */
    struct orma_exec_extent extent;
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
    bool by_sqlite;  /* only SQLite works it out; of a CALL the function says that */
    bool folds;      /* of integers that are known, while it is bound */
    bool any_thread; /* several threads may compute it at a time: it writes nothing they share */
    orma_exec_by_values *by_values;
    orma_exec_by_rows *by_rows;
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
    const struct orma_exec_function *bare; /* a column beside the groups, of one row of each */
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
