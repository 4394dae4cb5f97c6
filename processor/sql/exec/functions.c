/*
 * The table of functions and operators: one row each, and what computes it. base/functions.h says
 * what the columns mean; docs/HACKING.md, "A function or an operator of the executor", how to add a
 * row.
 */
#include "processor/sql/exec/functions.h"

#include "processor/sql/exec/run/aggregate.h"
#include "processor/sql/exec/run/operators.h"
#include "processor/sql/exec/run/window.h"
#include "sdk/base/defs.h"

#define ARGS(least, most) .args_min = (least), .args_max = (most)
#define FIRST ORMA_EXEC_FIRST
#define HERE ORMA_EXEC_HERE
#define LAST ORMA_EXEC_LAST
#define EXTENT(unit, from, to) .has_extent = true, .extent = {ORMA_EXEC_##unit, from, to, 0, 0}

/* A scalar that SQLite works out: pure, and with `fails` it may fail. */
#define CALL(title, least, most, gives, fails)                                                     \
    {                                                                                              \
        .name = title, ARGS(least, most), .kinds = EXEC_SCALAR, .types = (gives) | EXEC_NULL,      \
        .is_pure = true, .may_fail = fails,                                                        \
    }

/* A sum or what follows from it. */
#define SUM(title, gives, of, none, value, end)                                                    \
    {                                                                                              \
        .name = title, ARGS(1, 1), .kinds = EXEC_AGGREGATE | EXEC_WINDOW, .types = gives,          \
        .of_args = of, .by_order_of_reals = true, .empty = none, .step = orma_exec_run_step_sum,   \
        .drop = orma_exec_run_drop_sum, .final = end, .keeps = EXEC_KEEPS_SUMS, .shares = true,    \
        .fold = orma_exec_run_fold_sum, .group_value = value,                                      \
    }

#define BEST(title, adds, moving)                                                                  \
    {                                                                                              \
        .name = title, ARGS(1, 1), .kinds = EXEC_AGGREGATE | EXEC_WINDOW, .types = EXEC_NULL,      \
        .of_args = EXEC_OF_ALL, .has_distinct = true, .picks_row = true, .empty = EXEC_NULL,       \
        .step = adds, .keeps = EXEC_KEEPS_VALUES, .fold = orma_exec_run_fold_best,                 \
        .group_value = orma_exec_run_group_best, .window = moving,                                 \
    }

#define PERCENTILE(title, args, all, one)                                                          \
    {                                                                                              \
        .name = title, ARGS(args, args), .kinds = EXEC_AGGREGATE, .types = EXEC_REAL | EXEC_NULL,  \
        .empty = EXEC_NULL, .keeps = EXEC_KEEPS_NOTHING, .shares = true,                           \
        .fold = orma_exec_run_fold_percentile, .group_value = orma_exec_run_group_percentile,      \
        .whole = all, .exact = one,                                                                \
    }

static const struct orma_exec_function functions[] = {
    /* Aggregates. */
    {.name = "count",
     ARGS(0, 1),
     .kinds = EXEC_AGGREGATE | EXEC_WINDOW,
     .types = EXEC_INT,
     .can_be_star = true,
     .has_distinct = true,
     .empty = EXEC_INT,
     .step = orma_exec_run_step_count,
     .drop = orma_exec_run_drop_count,
     .final = orma_exec_run_final_count,
     .keeps = EXEC_KEEPS_SUMS,
     .fold = orma_exec_run_fold_count,
     .group_value = orma_exec_run_group_count},
    SUM("sum", EXEC_NULL, EXEC_OF_ALL, EXEC_NULL, orma_exec_run_group_sum, orma_exec_run_final_sum),
    SUM("total", EXEC_REAL, EXEC_OF_NONE, EXEC_REAL, orma_exec_run_group_total,
        orma_exec_run_final_total),
    SUM("avg", EXEC_REAL | EXEC_NULL, EXEC_OF_NONE, EXEC_NULL, orma_exec_run_group_avg,
        orma_exec_run_final_avg),
    BEST("min", orma_exec_run_step_min, orma_exec_run_moving_min),
    BEST("max", orma_exec_run_step_max, orma_exec_run_moving_max),
    PERCENTILE("percentile", 2, 100, false),
    PERCENTILE("percentile_cont", 2, 1, false),
    PERCENTILE("percentile_disc", 2, 1, true),
    PERCENTILE("median", 1, 0, false),
    {.name = "group_concat",
     ARGS(1, 2),
     .kinds = EXEC_AGGREGATE,
     .types = EXEC_TEXT | EXEC_NULL,
     .by_order = true,
     .empty = EXEC_NULL,
     .keeps = EXEC_KEEPS_SUMS,
     .fold = orma_exec_run_fold_texts,
     .group_value = orma_exec_run_group_texts,
     .has_separator = true},
    /* Window functions. SQLite does not put windows with different frames together. */
    {.name = "row_number",
     .kinds = EXEC_WINDOW,
     .types = EXEC_INT,
     .window = orma_exec_run_row_number,
     .by_row = true,
     .reach = EXEC_REACH_ROWS,
     .numbers_rows = true,
     EXTENT(ROWS, FIRST, HERE)},
    {.name = "rank",
     .kinds = EXEC_WINDOW,
     .types = EXEC_INT,
     .window = orma_exec_run_rank,
     .reach = EXEC_REACH_PEERS,
     EXTENT(RANGE, FIRST, HERE)},
    {.name = "dense_rank",
     .kinds = EXEC_WINDOW,
     .types = EXEC_INT,
     .window = orma_exec_run_dense_rank,
     .reach = EXEC_REACH_PEERS,
     EXTENT(RANGE, FIRST, HERE)},
    {.name = "lead",
     ARGS(1, 3),
     .kinds = EXEC_WINDOW,
     .types = EXEC_NULL,
     .of_args = EXEC_OF_ALL,
     .window = orma_exec_run_lead,
     .by_row = true,
     .reach = EXEC_REACH_ROWS,
     .offset_arg = 2,
     EXTENT(ROWS, FIRST, LAST)},
    {.name = "lag",
     ARGS(1, 3),
     .kinds = EXEC_WINDOW,
     .types = EXEC_NULL,
     .of_args = EXEC_OF_ALL,
     .window = orma_exec_run_lag,
     .by_row = true,
     .reach = EXEC_REACH_ROWS,
     .offset_arg = 2,
     EXTENT(ROWS, FIRST, HERE)},
    {.name = "first_value",
     ARGS(1, 1),
     .kinds = EXEC_WINDOW,
     .types = EXEC_NULL,
     .of_args = EXEC_OF_ALL,
     .window = orma_exec_run_first_value,
     .first_of_frame = true},
    {.name = "last_value",
     ARGS(1, 1),
     .kinds = EXEC_WINDOW,
     .types = EXEC_NULL,
     .of_args = EXEC_OF_ALL,
     .window = orma_exec_run_last_value},
    {.name = "nth_value",
     ARGS(2, 2),
     .kinds = EXEC_WINDOW,
     .types = EXEC_NULL,
     .of_args = EXEC_OF_ALL,
     .window = orma_exec_run_nth_value,
     .moves = true,
     .offset_arg = 2,
     .offset_min = 1},
    {.name = "ntile",
     ARGS(1, 1),
     .kinds = EXEC_WINDOW,
     .types = EXEC_INT,
     .window = orma_exec_run_ntile,
     .reach = EXEC_REACH_ROWS,
     .offset_arg = 1,
     .offset_min = 1,
     EXTENT(ROWS, HERE, LAST)},
    {.name = "percent_rank",
     .kinds = EXEC_WINDOW,
     .types = EXEC_REAL,
     .window = orma_exec_run_percent_rank,
     .reach = EXEC_REACH_PEERS,
     EXTENT(GROUPS, HERE, LAST)},
    {.name = "cume_dist",
     .kinds = EXEC_WINDOW,
     .types = EXEC_REAL,
     .window = orma_exec_run_cume_dist,
     .reach = EXEC_REACH_PEERS,
     .has_extent = true,
     .extent = {ORMA_EXEC_GROUPS, ORMA_EXEC_AFTER, LAST, 1, 0}},
    /* Scalars that are worked out here. */
    {.name = "coalesce",
     ARGS(2, -1),
     .kinds = EXEC_SCALAR,
     .of_args = EXEC_OF_ALL,
     .is_pure = true,
     .null_if_all = true,
     .any_thread = true,
     .by_rows = orma_exec_run_coalesce},
    {.name = "ifnull",
     ARGS(2, 2),
     .kinds = EXEC_SCALAR,
     .of_args = EXEC_OF_ALL,
     .is_pure = true,
     .null_if_all = true,
     .any_thread = true,
     .by_rows = orma_exec_run_coalesce},
    {.name = "iif", ARGS(3, 3), .kinds = EXEC_SCALAR, .is_pure = true, .is_case = true},
    {.name = "nullif",
     ARGS(2, 2),
     .kinds = EXEC_SCALAR,
     .types = EXEC_NULL,
     .of_args = EXEC_OF_FIRST,
     .is_pure = true,
     .any_thread = true,
     .by_values = orma_exec_run_nullif},
    {.name = "min",
     ARGS(2, -1),
     .kinds = EXEC_SCALAR,
     .of_args = EXEC_OF_ALL,
     .is_pure = true,
     .any_thread = true,
     .by_rows = orma_exec_run_least},
    {.name = "max",
     ARGS(2, -1),
     .kinds = EXEC_SCALAR,
     .of_args = EXEC_OF_ALL,
     .is_pure = true,
     .any_thread = true,
     .by_rows = orma_exec_run_greatest},
    {.name = "extract_arg",
     ARGS(2, 2),
     .kinds = EXEC_SCALAR,
     .types = EXEC_ANY,
     .of_arg_set = true,
     .by_rows = orma_exec_run_extract_arg},
    /* Scalars that SQLite works out. */
    {.name = "trace_start", .kinds = EXEC_SCALAR, .types = EXEC_ANY, .of_trace = true},
    {.name = "trace_end", .kinds = EXEC_SCALAR, .types = EXEC_ANY, .of_trace = true},
    {.name = "trace_dur", .kinds = EXEC_SCALAR, .types = EXEC_ANY, .of_trace = true},
    CALL("abs", 1, 1, EXEC_ANY, true),
    CALL("char", 0, -1, EXEC_TEXT, false),
    CALL("format", 0, -1, EXEC_TEXT, false),
    CALL("glob", 2, 2, EXEC_INT, true),
    CALL("hex", 1, 1, EXEC_TEXT, false),
    CALL("instr", 2, 2, EXEC_INT, false),
    CALL("length", 1, 1, EXEC_INT, false),
    CALL("like", 2, 3, EXEC_INT, true),
    CALL("lower", 1, 1, EXEC_TEXT, false),
    CALL("ltrim", 1, 2, EXEC_TEXT, false),
    CALL("printf", 0, -1, EXEC_TEXT, false),
    CALL("quote", 1, 1, EXEC_TEXT, false),
    CALL("replace", 3, 3, EXEC_TEXT, true),
    CALL("round", 1, 2, EXEC_ANY, false),
    CALL("rtrim", 1, 2, EXEC_TEXT, false),
    CALL("sign", 1, 1, EXEC_INT, false),
    CALL("substr", 2, 3, EXEC_TEXT, false),
    CALL("substring", 2, 3, EXEC_TEXT, false),
    CALL("trim", 1, 2, EXEC_TEXT, false),
    CALL("typeof", 1, 1, EXEC_TEXT, false),
    CALL("unicode", 1, 1, EXEC_INT, false),
    CALL("upper", 1, 1, EXEC_TEXT, false),
};

/* A column beside the groups: of the first row of each, or of the one that min() or max() picked.
 */
static const struct orma_exec_function bare = {
    .types = EXEC_NULL,
    .of_args = EXEC_OF_ALL,
    .by_order = true,
    .empty = EXEC_NULL,
    .keeps = EXEC_KEEPS_FIRSTS,
    .fold = orma_exec_run_fold_first,
    .group_value = orma_exec_run_group_best,
};

#define COMPARES .args = 2, .any_thread = true, .by_values = orma_exec_run_compare
#define COMPUTES .args = 2, .folds = true, .any_thread = true, .by_values = orma_exec_run_arithmetic
#define BITS                                                                                       \
    .args = 2, .level = 6, .typing = EXEC_GIVES_TRUTH, .folds = true, .any_thread = true,          \
    .by_values = orma_exec_run_bits

static const struct orma_exec_operator operators[] = {
    [ORMA_EXEC_OR] = {"OR", .args = 2, .level = 1, .typing = EXEC_GIVES_TRUTH, .any_thread = true,
                      .by_values = orma_exec_run_logic},
    [ORMA_EXEC_AND] = {"AND", .args = 2, .level = 2, .typing = EXEC_GIVES_TRUTH, .any_thread = true,
                       .by_values = orma_exec_run_logic},
    [ORMA_EXEC_EQ] = {"=", "==", .level = 4, .typing = EXEC_GIVES_TRUTH, COMPARES},
    [ORMA_EXEC_NE] = {"<>", "!=", .level = 4, .typing = EXEC_GIVES_TRUTH, COMPARES},
    [ORMA_EXEC_LT] = {"<", .level = 5, .typing = EXEC_GIVES_TRUTH, COMPARES},
    [ORMA_EXEC_LE] = {"<=", .level = 5, .typing = EXEC_GIVES_TRUTH, COMPARES},
    [ORMA_EXEC_GT] = {">", .level = 5, .typing = EXEC_GIVES_TRUTH, COMPARES},
    [ORMA_EXEC_GE] = {">=", .level = 5, .typing = EXEC_GIVES_TRUTH, COMPARES},
    /* Words of several forms: the parser reads those at level 4 by itself. */
    [ORMA_EXEC_IS] = {"IS", .typing = EXEC_GIVES_TEST, COMPARES},
    [ORMA_EXEC_IS_NOT] = {"IS NOT", .typing = EXEC_GIVES_TEST, COMPARES},
    [ORMA_EXEC_BIT_AND] = {"&", BITS},
    [ORMA_EXEC_BIT_OR] = {"|", BITS},
    [ORMA_EXEC_SHIFT_LEFT] = {"<<", BITS},
    [ORMA_EXEC_SHIFT_RIGHT] = {">>", BITS},
    [ORMA_EXEC_ADD] = {"+", .level = 7, .typing = EXEC_GIVES_NUMBER, COMPUTES},
    [ORMA_EXEC_SUB] = {"-", .level = 7, .typing = EXEC_GIVES_NUMBER, COMPUTES},
    [ORMA_EXEC_MUL] = {"*", .level = 8, .typing = EXEC_GIVES_NUMBER, COMPUTES},
    [ORMA_EXEC_DIV] = {"/", .level = 8, .typing = EXEC_GIVES_NUMBER_OR_NULL, COMPUTES},
    [ORMA_EXEC_REM] = {"%", .level = 8, .typing = EXEC_GIVES_NUMBER_OR_NULL, COMPUTES},
    [ORMA_EXEC_CONCAT] = {"||", .args = 2, .level = 9, .typing = EXEC_GIVES_TEXT,
                          .by_sqlite = true},
    [ORMA_EXEC_NOT] = {"NOT", .args = 1, .typing = EXEC_GIVES_TRUTH, .any_thread = true,
                       .by_values = orma_exec_run_not},
    [ORMA_EXEC_NEG] = {"-", .args = 1, .typing = EXEC_GIVES_NUMBER, .any_thread = true,
                       .by_values = orma_exec_run_negative},
    [ORMA_EXEC_PLUS] = {"+", .args = 1, .typing = EXEC_GIVES_SAME, .any_thread = true,
                        .by_values = orma_exec_run_same},
    [ORMA_EXEC_IS_NULL] = {"ISNULL", .args = 1, .typing = EXEC_GIVES_TEST, .any_thread = true,
                           .by_values = orma_exec_run_null_test},
    [ORMA_EXEC_NOT_NULL] = {"NOTNULL", .args = 1, .typing = EXEC_GIVES_TEST, .any_thread = true,
                            .by_values = orma_exec_run_null_test},
    [ORMA_EXEC_CAST] = {.args = 1,
                        .typing = EXEC_GIVES_TYPE,
                        .any_thread = true,
                        .by_values = orma_exec_run_cast},
    [ORMA_EXEC_IN] = {.typing = EXEC_GIVES_TRUTH,
                      .any_thread = true,
                      .by_rows = orma_exec_run_in_list},
    [ORMA_EXEC_IN_SELECT] = {.typing = EXEC_GIVES_TRUTH,
                             .any_thread = true,
                             .by_values = orma_exec_run_in_set},
    [ORMA_EXEC_LIKE] = {"LIKE", .args = 2, .typing = EXEC_GIVES_TRUTH, .by_sqlite = true},
    [ORMA_EXEC_GLOB] = {"GLOB", .args = 2, .typing = EXEC_GIVES_TRUTH, .by_sqlite = true},
    [ORMA_EXEC_CASE] = {.typing = EXEC_GIVES_BRANCH,
                        .any_thread = true,
                        .by_rows = orma_exec_run_case},
    /* What computes a call stands in the row of its function. */
    [ORMA_EXEC_CALL] = {.typing = EXEC_GIVES_ANY},
    [ORMA_EXEC_VALUE] = {.any_thread = true, .by_values = orma_exec_run_subquery},
    [ORMA_EXEC_EXISTS] = {.any_thread = true, .by_values = orma_exec_run_subquery},
    /* Made by binding and planning; they are not written. */
    [ORMA_EXEC_CONST] = {.any_thread = true, .by_rows = orma_exec_run_const},
    [ORMA_EXEC_COLUMN] = {.any_thread = true, .by_rows = orma_exec_run_column},
    [ORMA_EXEC_SLOT] = {.any_thread = true, .by_rows = orma_exec_run_slot},
    [ORMA_EXEC_ROW] = {.any_thread = true, .by_rows = orma_exec_run_row},
    [ORMA_EXEC_MEMO] = {.args = 1, .any_thread = true, .by_values = orma_exec_run_remembered},
    [ORMA_EXEC_APPLY] = {.by_values = orma_exec_run_apply},
};

const struct orma_exec_catalog orma_exec_catalog = {
    .functions = functions,
    .functions_num = ORMA_ARRAY_LEN(functions),
    .operators = operators,
    .operators_num = ORMA_ARRAY_LEN(operators),
    .bare = &bare,
};
