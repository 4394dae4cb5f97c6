#include "processor/sql/exec/exec_funcs.h"

#include "sdk/base/assert.h"
#include "sdk/base/defs.h"

#define ALL_KINDS (EXEC_AGGREGATE | EXEC_WINDOW)
#define FIRST ORMA_EXEC_FIRST
#define HERE ORMA_EXEC_HERE
#define LAST ORMA_EXEC_LAST
#define EXTENT(unit, from, to) .has_extent = true, .extent = {ORMA_EXEC_##unit, from, to, 0, 0}

/* A function that SQLite calls: pure, and with `fails` it may fail. */
#define CALL(title, least, most, gives, fails)                                                     \
    {                                                                                              \
        .name = title, .args_min = least, .args_max = most, .kinds = EXEC_SCALAR,                  \
        .types = (gives) | EXEC_NULL, .is_pure = true, .may_fail = fails, .form = EXEC_FORM_CALL,  \
    }

static const struct orma_exec_function functions[] = {
    /* Aggregates. */
    {.name = "count",
     .args_max = 1,
     .kinds = ALL_KINDS,
     .types = EXEC_INT,
     .can_be_star = true,
     .has_distinct = true,
     .empty = EXEC_INT,
     .func = EXEC_COUNT},
    {.name = "sum",
     .args_min = 1,
     .args_max = 1,
     .kinds = ALL_KINDS,
     .types = EXEC_NULL,
     .of_args = true,
     .adds = true,
     .empty = EXEC_NULL,
     .func = EXEC_SUM},
    {.name = "total",
     .args_min = 1,
     .args_max = 1,
     .kinds = ALL_KINDS,
     .types = EXEC_REAL,
     .adds = true,
     .empty = EXEC_REAL,
     .func = EXEC_TOTAL},
    {.name = "avg",
     .args_min = 1,
     .args_max = 1,
     .kinds = ALL_KINDS,
     .types = EXEC_REAL | EXEC_NULL,
     .adds = true,
     .empty = EXEC_NULL,
     .func = EXEC_AVG},
    {.name = "min",
     .args_min = 1,
     .args_max = 1,
     .kinds = ALL_KINDS,
     .types = EXEC_NULL,
     .of_args = true,
     .has_distinct = true,
     .empty = EXEC_NULL,
     .func = EXEC_MIN},
    {.name = "max",
     .args_min = 1,
     .args_max = 1,
     .kinds = ALL_KINDS,
     .types = EXEC_NULL,
     .of_args = true,
     .has_distinct = true,
     .empty = EXEC_NULL,
     .func = EXEC_MAX},
    {.name = "percentile",
     .args_min = 2,
     .args_max = 2,
     .kinds = EXEC_AGGREGATE,
     .types = EXEC_REAL | EXEC_NULL,
     .empty = EXEC_NULL,
     .func = EXEC_PERCENTILE,
     .whole = 100},
    {.name = "percentile_cont",
     .args_min = 2,
     .args_max = 2,
     .kinds = EXEC_AGGREGATE,
     .types = EXEC_REAL | EXEC_NULL,
     .empty = EXEC_NULL,
     .func = EXEC_PERCENTILE,
     .whole = 1},
    {.name = "percentile_disc",
     .args_min = 2,
     .args_max = 2,
     .kinds = EXEC_AGGREGATE,
     .types = EXEC_REAL | EXEC_NULL,
     .empty = EXEC_NULL,
     .func = EXEC_PERCENTILE,
     .whole = 1,
     .exact = true},
    {.name = "median",
     .args_min = 1,
     .args_max = 1,
     .kinds = EXEC_AGGREGATE,
     .types = EXEC_REAL | EXEC_NULL,
     .empty = EXEC_NULL,
     .func = EXEC_PERCENTILE},
    /* Window functions. SQLite does not put windows with different frames together. */
    {.name = "row_number",
     .kinds = EXEC_WINDOW,
     .types = EXEC_INT,
     EXTENT(ROWS, FIRST, HERE),
     .func = EXEC_ROW_NUMBER},
    {.name = "rank",
     .kinds = EXEC_WINDOW,
     .types = EXEC_INT,
     EXTENT(RANGE, FIRST, HERE),
     .func = EXEC_RANK},
    {.name = "dense_rank",
     .kinds = EXEC_WINDOW,
     .types = EXEC_INT,
     EXTENT(RANGE, FIRST, HERE),
     .func = EXEC_DENSE_RANK},
    {.name = "lead",
     .args_min = 1,
     .args_max = 3,
     .kinds = EXEC_WINDOW,
     .types = EXEC_NULL,
     .of_args = true,
     EXTENT(ROWS, FIRST, LAST),
     .func = EXEC_LEAD},
    {.name = "lag",
     .args_min = 1,
     .args_max = 3,
     .kinds = EXEC_WINDOW,
     .types = EXEC_NULL,
     .of_args = true,
     EXTENT(ROWS, FIRST, HERE),
     .func = EXEC_LAG},
    {.name = "first_value",
     .args_min = 1,
     .args_max = 1,
     .kinds = EXEC_WINDOW,
     .types = EXEC_NULL,
     .of_args = true,
     .func = EXEC_FIRST_VALUE},
    {.name = "last_value",
     .args_min = 1,
     .args_max = 1,
     .kinds = EXEC_WINDOW,
     .types = EXEC_NULL,
     .of_args = true,
     .func = EXEC_LAST_VALUE},
    {.name = "nth_value",
     .args_min = 2,
     .args_max = 2,
     .kinds = EXEC_WINDOW,
     .types = EXEC_NULL,
     .of_args = true,
     .func = EXEC_NTH_VALUE},
    {.name = "ntile",
     .args_min = 1,
     .args_max = 1,
     .kinds = EXEC_WINDOW,
     .types = EXEC_INT,
     EXTENT(ROWS, HERE, LAST),
     .func = EXEC_NTILE},
    {.name = "percent_rank",
     .kinds = EXEC_WINDOW,
     .types = EXEC_REAL,
     EXTENT(GROUPS, HERE, LAST),
     .func = EXEC_PERCENT_RANK},
    {.name = "cume_dist",
     .kinds = EXEC_WINDOW,
     .types = EXEC_REAL,
     .has_extent = true,
     .extent = {ORMA_EXEC_GROUPS, ORMA_EXEC_AFTER, LAST, 1, 0},
     .func = EXEC_CUME_DIST},
    /* Scalars that become operators. */
    {.name = "coalesce",
     .args_min = 2,
     .args_max = -1,
     .kinds = EXEC_SCALAR,
     .of_args = true,
     .form = EXEC_FORM_CHOICE},
    {.name = "ifnull",
     .args_min = 2,
     .args_max = 2,
     .kinds = EXEC_SCALAR,
     .of_args = true,
     .form = EXEC_FORM_CHOICE},
    {.name = "iif",
     .args_min = 3,
     .args_max = 3,
     .kinds = EXEC_SCALAR,
     .of_args = true,
     .form = EXEC_FORM_IIF},
    {.name = "nullif",
     .args_min = 2,
     .args_max = 2,
     .kinds = EXEC_SCALAR,
     .of_args = true,
     .form = EXEC_FORM_NULLIF},
    {.name = "min",
     .args_min = 2,
     .args_max = -1,
     .kinds = EXEC_SCALAR,
     .of_args = true,
     .is_pure = true,
     .may_fail = true,
     .form = EXEC_FORM_LEAST},
    {.name = "max",
     .args_min = 2,
     .args_max = -1,
     .kinds = EXEC_SCALAR,
     .of_args = true,
     .is_pure = true,
     .may_fail = true,
     .form = EXEC_FORM_GREATEST},
    {.name = "extract_arg",
     .args_min = 2,
     .args_max = 2,
     .kinds = EXEC_SCALAR,
     .types = EXEC_ANY,
     .form = EXEC_FORM_ARG},
    {.name = "trace_start", .kinds = EXEC_SCALAR, .types = EXEC_ANY, .form = EXEC_FORM_OF_TRACE},
    {.name = "trace_end", .kinds = EXEC_SCALAR, .types = EXEC_ANY, .form = EXEC_FORM_OF_TRACE},
    {.name = "trace_dur", .kinds = EXEC_SCALAR, .types = EXEC_ANY, .form = EXEC_FORM_OF_TRACE},
    /* Scalars that SQLite works out. */
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

static bool is_named(const struct orma_exec_function *f, struct orma_str name)
{
    return strlen(f->name) == name.len && !sqlite3_strnicmp(f->name, name.data, (int)name.len);
}

const struct orma_exec_function *orma_exec_function_find(struct orma_str name, unsigned args,
                                                         bool over)
{
    for (size_t i = 0; i < ORMA_ARRAY_LEN(functions); i++) {
        const struct orma_exec_function *f = &functions[i];
        const bool kind = over ? f->kinds & EXEC_WINDOW : f->kinds & (EXEC_SCALAR | EXEC_AGGREGATE);

        if (kind && args >= (unsigned)f->args_min &&
            (f->args_max < 0 || args <= (unsigned)f->args_max) && is_named(f, name))
            return f;
    }
    return NULL;
}

bool orma_exec_function_is_known(struct orma_str name)
{
    for (size_t i = 0; i < ORMA_ARRAY_LEN(functions); i++) {
        if (is_named(&functions[i], name))
            return true;
    }
    return false;
}

bool orma_exec_function_of_engine(struct orma_sql *sql, struct orma_str name, unsigned args,
                                  struct orma_exec_function *ret)
{
    const bool made = sql->is_steady(sql, name, (int)args);
    const struct orma_sql_func *f = NULL;

    if (orma_exec_function_is_known(name))
        return false;
    if (!made && sql->is_steady(sql, name, -1)) { /* scripts made none of that name */
        f = orma_builtins_find(sql, name, (int)args);
        if (!f)
            f = orma_builtins_find(sql, name, -1);
    }
    if (!made && !(f && f->scalar && f->flags & SQLITE_DETERMINISTIC))
        return false;
    *ret = (struct orma_exec_function){.args_min = (int8_t)args,
                                       .args_max = (int8_t)args,
                                       .kinds = EXEC_SCALAR,
                                       .types = EXEC_ANY,
                                       .is_pure = !made,
                                       .may_fail = true,
                                       .form = EXEC_FORM_CALL};
    return true;
}

const struct orma_exec_function *orma_exec_function_of(enum orma_exec_func func)
{
    static const struct orma_exec_function bare = {
        .types = EXEC_NULL, .of_args = true, .empty = EXEC_NULL, .func = EXEC_BARE};
    const enum orma_exec_func like = func == EXEC_COUNT_ALL ? EXEC_COUNT : func;

    for (size_t i = 0; i < ORMA_ARRAY_LEN(functions); i++) {
        if (functions[i].kinds & ALL_KINDS && functions[i].func == like)
            return &functions[i];
    }
    ORMA_ASSERT(func == EXEC_BARE);
    return &bare;
}

/* ---- operators ---- */

static const struct orma_exec_operator operators[] = {
    [ORMA_EXEC_OR] = {"OR", .args = 2, .level = 1, .typing = EXEC_GIVES_TRUTH},
    [ORMA_EXEC_AND] = {"AND", .args = 2, .level = 2, .typing = EXEC_GIVES_TRUTH},
    [ORMA_EXEC_EQ] = {"=", "==", 2, 4, EXEC_GIVES_TRUTH, .compares = true},
    [ORMA_EXEC_NE] = {"<>", "!=", 2, 4, EXEC_GIVES_TRUTH, .compares = true},
    [ORMA_EXEC_LT] = {"<", NULL, 2, 5, EXEC_GIVES_TRUTH, .compares = true},
    [ORMA_EXEC_LE] = {"<=", NULL, 2, 5, EXEC_GIVES_TRUTH, .compares = true},
    [ORMA_EXEC_GT] = {">", NULL, 2, 5, EXEC_GIVES_TRUTH, .compares = true},
    [ORMA_EXEC_GE] = {">=", NULL, 2, 5, EXEC_GIVES_TRUTH, .compares = true},
    /* Words of several forms: the parser reads those at level 4 by itself. */
    [ORMA_EXEC_IS] = {"IS", .args = 2, .typing = EXEC_GIVES_TEST, .compares = true},
    [ORMA_EXEC_IS_NOT] = {"IS NOT", .args = 2, .typing = EXEC_GIVES_TEST, .compares = true},
    [ORMA_EXEC_BIT_AND] = {"&", NULL, 2, 6, EXEC_GIVES_TRUTH, .folds = true},
    [ORMA_EXEC_BIT_OR] = {"|", NULL, 2, 6, EXEC_GIVES_TRUTH, .folds = true},
    [ORMA_EXEC_SHIFT_LEFT] = {"<<", NULL, 2, 6, EXEC_GIVES_TRUTH, .folds = true},
    [ORMA_EXEC_SHIFT_RIGHT] = {">>", NULL, 2, 6, EXEC_GIVES_TRUTH, .folds = true},
    [ORMA_EXEC_ADD] = {"+", NULL, 2, 7, EXEC_GIVES_NUMBER, .folds = true},
    [ORMA_EXEC_SUB] = {"-", NULL, 2, 7, EXEC_GIVES_NUMBER, .folds = true},
    [ORMA_EXEC_MUL] = {"*", NULL, 2, 8, EXEC_GIVES_NUMBER, .folds = true},
    [ORMA_EXEC_DIV] = {"/", NULL, 2, 8, EXEC_GIVES_NUMBER_OR_NULL, .folds = true},
    [ORMA_EXEC_REM] = {"%", NULL, 2, 8, EXEC_GIVES_NUMBER_OR_NULL, .folds = true},
    [ORMA_EXEC_CONCAT] = {"||", NULL, 2, 9, EXEC_GIVES_TEXT, .by_sqlite = true},
    [ORMA_EXEC_NOT] = {"NOT", .args = 1, .typing = EXEC_GIVES_TRUTH},
    [ORMA_EXEC_NEG] = {"-", .args = 1, .typing = EXEC_GIVES_NUMBER},
    [ORMA_EXEC_PLUS] = {"+", .args = 1, .typing = EXEC_GIVES_SAME},
    [ORMA_EXEC_IS_NULL] = {"ISNULL", .args = 1, .typing = EXEC_GIVES_TEST},
    [ORMA_EXEC_NOT_NULL] = {"NOTNULL", .args = 1, .typing = EXEC_GIVES_TEST},
    [ORMA_EXEC_CAST] = {.args = 1, .typing = EXEC_GIVES_TYPE},
    [ORMA_EXEC_IN] = {.typing = EXEC_GIVES_TRUTH, .compares = true},
    [ORMA_EXEC_IN_SELECT] = {.args = 1, .typing = EXEC_GIVES_TRUTH, .compares = true},
    [ORMA_EXEC_LIKE] = {"LIKE", .args = 2, .typing = EXEC_GIVES_TRUTH, .by_sqlite = true},
    [ORMA_EXEC_GLOB] = {"GLOB", .args = 2, .typing = EXEC_GIVES_TRUTH, .by_sqlite = true},
    [ORMA_EXEC_CASE] = {.typing = EXEC_GIVES_BRANCH},
    [ORMA_EXEC_CALL] = {.typing = EXEC_GIVES_ANY, .by_sqlite = true},
    [ORMA_EXEC_ARG] = {.args = 2, .typing = EXEC_GIVES_ANY},
    [ORMA_EXEC_LEAST] = {.args = 2, .typing = EXEC_GIVES_ANY},
    [ORMA_EXEC_GREATEST] = {.args = 2, .typing = EXEC_GIVES_ANY},
    [ORMA_EXEC_COALESCE] = {.typing = EXEC_GIVES_ANY},
    [ORMA_EXEC_NULLIF] = {.args = 2, .typing = EXEC_GIVES_ANY},
    [ORMA_EXEC_ROW] = {.typing = EXEC_GIVES_ANY},
};

const struct orma_exec_operator *orma_exec_operator_of(enum orma_exec_op op)
{
    ORMA_ASSERT((size_t)op < ORMA_ARRAY_LEN(operators));
    return &operators[op];
}

static bool is_written(const char *text, struct orma_str as)
{
    return text && orma_str_eq_c(as, text);
}

bool orma_exec_operator_find(struct orma_str text, enum orma_exec_op *ret)
{
    for (size_t i = 0; i < ORMA_ARRAY_LEN(operators); i++) {
        if (operators[i].level &&
            (is_written(operators[i].text, text) || is_written(operators[i].other, text))) {
            *ret = (enum orma_exec_op)i;
            return true;
        }
    }
    return false;
}
