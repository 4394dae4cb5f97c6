/* Filters, groups, columns and order of structured queries. */
#include "processor/metrics/structured_gen.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "processor/sql/dialect/script.h"
#include "processor/sql/dialect/token.h"
#include "processor/sql/script/runner.h"

/* ---- filters ---- */

static const char *filter_op(int64_t op)
{
    static const char *const ops[] = {
        NULL, "=", "!=", "<", "<=", ">", ">=", "GLOB", "IS NULL", "IS NOT NULL"};

    return op > 0 && op < (int64_t)ORMA_ARRAY_LEN(ops) ? ops[op] : NULL;
}

static void put_real(struct orma_buf *out, double val)
{
    char text[40];

    snprintf(text, sizeof(text), "%.17g", val);
    orma_buf_printf(out, "%s%s", text, strpbrk(text, ".en") ? "" : ".0");
}

/* The values of the first kind that has some: `column op value OR ...`; how many. */
static unsigned put_values(struct orma_str filter, uint32_t id, struct orma_str column,
                           const char *op, struct orma_buf *out)
{
    struct orma_pb_reader r = orma_sq_reader(filter);
    struct orma_pb_field f;
    unsigned num = 0;

    while (orma_pb_next(&r, &f)) {
        if (f.id != id)
            continue;
        orma_buf_put_str(out, num++ ? " OR " : "");
        orma_sq_put_name(out, column);
        orma_buf_printf(out, " %s ", op);
        if (f.wire == ORMA_PB_LEN)
            orma_sql_put_literal(out, (struct orma_str){(const char *)f.data, f.len});
        else if (f.wire == ORMA_PB_I64)
            put_real(out, orma_pb_double(&f));
        else
            orma_buf_printf(out, "%" PRId64, orma_pb_i64(&f));
    }
    return num;
}

static int put_filter(struct orma_sq_gen *g, struct orma_str filter, struct orma_buf *out)
{
    struct orma_str column;
    int64_t op;

    (void)orma_msg_str(filter, SQ(FILTER_COLUMN_NAME), &column);
    (void)orma_msg_int(filter, SQ(FILTER_OP), &op);
    const char *sql = filter_op(op);
    if (!column.len || !sql)
        return orma_sq_fail(g, "a filter needs a column and an operator");
    if (op == SQ(FILTER_IS_NULL) || op == SQ(FILTER_IS_NOT_NULL)) {
        orma_sq_put_name(out, column);
        orma_buf_printf(out, " %s", sql);
        return 0;
    }
    orma_buf_put_str(out, "(");
    if (!put_values(filter, SQ(FILTER_STRING_RHS), column, sql, out) &&
        !put_values(filter, SQ(FILTER_DOUBLE_RHS), column, sql, out) &&
        !put_values(filter, SQ(FILTER_INT64_RHS), column, sql, out))
        return orma_sq_fail(g, "the filter of column '%.*s' has no value to compare with",
                            ORMA_STR_ARG(column));
    orma_buf_put_str(out, ")");
    return 0;
}

static int put_filter_group(struct orma_sq_gen *g, struct orma_str group, int depth,
                            struct orma_buf *out)
{
    struct orma_pb_reader r = orma_sq_reader(group);
    struct orma_pb_field f;
    unsigned num = 0;
    int64_t op;
    int res = 0;

    (void)orma_msg_int(group, SQ(EXPERIMENTAL_FILTER_GROUP_OP), &op);
    if (op != SQ(EXPERIMENTAL_FILTER_GROUP_AND) && op != SQ(EXPERIMENTAL_FILTER_GROUP_OR))
        return orma_sq_fail(g, "a filter group must be AND or OR");
    if (depth > ORMA_SQ_DEPTH_MAX)
        return orma_sq_fail(g, "filter groups are nested too deeply");
    orma_buf_put_str(out, "(");
    while (res == 0 && orma_pb_next(&r, &f)) {
        struct orma_str part = {(const char *)f.data, f.len};

        if (f.wire != ORMA_PB_LEN || f.id < SQ(EXPERIMENTAL_FILTER_GROUP_FILTERS) ||
            f.id > SQ(EXPERIMENTAL_FILTER_GROUP_SQL_EXPRESSIONS))
            continue;
        orma_buf_put_str(out, !num++                                    ? ""
                              : op == SQ(EXPERIMENTAL_FILTER_GROUP_AND) ? " AND "
                                                                        : " OR ");
        if (f.id == SQ(EXPERIMENTAL_FILTER_GROUP_FILTERS))
            res = put_filter(g, part, out);
        else if (f.id == SQ(EXPERIMENTAL_FILTER_GROUP_GROUPS))
            res = put_filter_group(g, part, depth + 1, out);
        else
            orma_buf_printf(out, "(%.*s)", ORMA_STR_ARG(part));
    }
    orma_buf_put_str(out, ")");
    return res || num ? res : orma_sq_fail(g, "a filter group is empty");
}

/* " WHERE ..." or nothing. */
int orma_sq_put_where(struct orma_sq_gen *g, struct orma_str msg, struct orma_buf *out)
{
    struct orma_pb_reader r = orma_sq_reader(msg);
    struct orma_str part;
    unsigned num = 0;
    int res = 0;

    if (orma_msg_str(msg, SQ(EXPERIMENTAL_FILTER_GROUP), &part)) {
        orma_buf_put_str(out, "\nWHERE ");
        return put_filter_group(g, part, 0, out);
    }
    while (res == 0 && orma_sq_next_str(&r, SQ(FILTERS), &part)) {
        orma_buf_put_str(out, num++ ? " AND " : "\nWHERE ");
        res = put_filter(g, part, out);
    }
    return res;
}

/* ---- groups, columns, order ---- */

static int put_aggregate(struct orma_sq_gen *g, struct orma_str agg, struct orma_buf *out)
{
    static const char *const names[] = {NULL,         "count",          "sum",    "min",
                                        "max",        "mean",           "median", "weighted_mean",
                                        "percentile", "count_distinct", "custom"};
    struct orma_pb_reader r = orma_sq_reader(agg);
    struct orma_pb_field f;
    struct orma_str column, name, custom;
    double percentile = -1;
    int64_t op;

    (void)orma_msg_int(agg, SQ(GROUP_BY_AGGREGATE_OP), &op);
    (void)orma_msg_str(agg, SQ(GROUP_BY_AGGREGATE_COLUMN_NAME), &column);
    (void)orma_msg_str(agg, SQ(GROUP_BY_AGGREGATE_RESULT_COLUMN_NAME), &name);
    (void)orma_msg_str(agg, SQ(GROUP_BY_AGGREGATE_CUSTOM_SQL_EXPRESSION), &custom);
    while (orma_pb_next(&r, &f)) {
        if (f.id == SQ(GROUP_BY_AGGREGATE_PERCENTILE) && f.wire == ORMA_PB_I64)
            percentile = orma_pb_double(&f);
    }
    if (op <= 0 || op >= (int64_t)ORMA_ARRAY_LEN(names))
        return orma_sq_fail(g, "an aggregate has no operator");
    if (!column.len && op != SQ(GROUP_BY_AGGREGATE_COUNT) && op != SQ(GROUP_BY_AGGREGATE_CUSTOM))
        return orma_sq_fail(g, "the aggregate %s needs a column", names[op]);
    struct orma_buf col = {0};
    orma_sq_put_name(&col, column);
    const char *c = orma_buf_cstr(&col);
    int res = 0;
    switch (op) {
    case SQ(GROUP_BY_AGGREGATE_COUNT):
        orma_buf_printf(out, "COUNT(%s)", column.len ? c : "*");
        break;
    case SQ(GROUP_BY_AGGREGATE_SUM):
        orma_buf_printf(out, "SUM(%s)", c);
        break;
    case SQ(GROUP_BY_AGGREGATE_MIN):
        orma_buf_printf(out, "MIN(%s)", c);
        break;
    case SQ(GROUP_BY_AGGREGATE_MAX):
        orma_buf_printf(out, "MAX(%s)", c);
        break;
    case SQ(GROUP_BY_AGGREGATE_MEAN):
        orma_buf_printf(out, "AVG(%s)", c);
        break;
    case SQ(GROUP_BY_AGGREGATE_MEDIAN):
        orma_buf_printf(out, "PERCENTILE(%s, 50)", c);
        break;
    case SQ(GROUP_BY_AGGREGATE_DURATION_WEIGHTED_MEAN):
        orma_buf_printf(out, "SUM(CAST(%s * dur AS DOUBLE)) / SUM(dur)", c);
        break;
    case SQ(GROUP_BY_AGGREGATE_OP__PERCENTILE):
        if (percentile < 0 || percentile > 100)
            res = orma_sq_fail(g, "a percentile must be between 0 and 100");
        orma_buf_printf(out, "PERCENTILE(%s, ", c);
        put_real(out, percentile);
        orma_buf_put_str(out, ")");
        break;
    case SQ(GROUP_BY_AGGREGATE_COUNT_DISTINCT):
        orma_buf_printf(out, "COUNT(DISTINCT %s)", c);
        break;
    case SQ(GROUP_BY_AGGREGATE_CUSTOM):
        if (!custom.len)
            res = orma_sq_fail(g, "a custom aggregate needs its expression");
        orma_buf_printf(out, "(%.*s)", ORMA_STR_ARG(custom));
        break;
    }
    orma_buf_put_str(out, " AS ");
    if (name.len)
        orma_sq_put_name(out, name);
    else
        orma_buf_printf(out, "%s%s%s", names[op], orma_word_is_plain(column) ? "_" : "",
                        orma_word_is_plain(column) ? c : "");
    orma_buf_fini(&col);
    return res;
}

/* SELECT keys, aggregates FROM sq_N WHERE ... GROUP BY keys */
int orma_sq_put_grouped(struct orma_sq_gen *g, struct orma_str msg, struct orma_str group,
                        int source, struct orma_buf *out)
{
    struct orma_pb_reader r = orma_sq_reader(group);
    struct orma_buf keys = {0};
    struct orma_str part;
    unsigned num = 0;
    int res = 0;

    while (orma_sq_next_str(&r, SQ(GROUP_BY_COLUMN_NAMES), &part)) {
        orma_buf_put_str(&keys, keys.len ? ", " : "");
        orma_sq_put_name(&keys, part);
    }
    orma_buf_put_str(out, "SELECT ");
    orma_buf_put(out, keys.data, keys.len);
    r = orma_sq_reader(group);
    while (res == 0 && orma_sq_next_str(&r, SQ(GROUP_BY_AGGREGATES), &part)) {
        orma_buf_put_str(out, num++ || keys.len ? ", " : "");
        res = put_aggregate(g, part, out);
    }
    if (!res && !num && !keys.len)
        res = orma_sq_fail(g, "group_by has neither columns nor aggregates");
    orma_buf_printf(out, "\nFROM sq_%d", source);
    if (!res)
        res = orma_sq_put_where(g, msg, out);
    if (keys.len)
        orma_buf_printf(out, "\nGROUP BY %s", orma_buf_cstr(&keys));
    orma_buf_fini(&keys);
    return res;
}

/* The list of select_columns; how many, or -EINVAL. */
int orma_sq_put_select_list(struct orma_sq_gen *g, struct orma_str msg, uint32_t field,
                            const char *prefix, struct orma_buf *out)
{
    struct orma_pb_reader r = orma_sq_reader(msg);
    struct orma_str column;
    int num = 0;

    while (orma_sq_next_str(&r, field, &column)) {
        struct orma_str expr, alias;

        if (!orma_msg_str(column, SQ(SELECT_COLUMN_COLUMN_NAME_OR_EXPRESSION), &expr))
            (void)orma_msg_str(column, SQ(SELECT_COLUMN_COLUMN_NAME), &expr);
        (void)orma_msg_str(column, SQ(SELECT_COLUMN_ALIAS), &alias);
        if (!expr.len)
            return orma_sq_fail(g, "a select column is empty");
        if (!alias.len && !orma_word_is_plain(expr))
            return orma_sq_fail(g, "the expression '%.*s' needs an alias", ORMA_STR_ARG(expr));
        orma_buf_printf(out, "%s%s%.*s", num++ ? ", " : "", orma_word_is_plain(expr) ? prefix : "",
                        ORMA_STR_ARG(expr));
        if (alias.len) {
            orma_buf_put_str(out, " AS ");
            orma_sq_put_name(out, alias);
        }
    }
    return num;
}

int orma_sq_put_order(struct orma_sq_gen *g, struct orma_str msg, struct orma_buf *out)
{
    struct orma_str order, spec, column;
    int64_t direction;
    unsigned num = 0;

    if (!orma_msg_str(msg, SQ(ORDER_BY), &order))
        return 0;
    struct orma_pb_reader r = orma_sq_reader(order);
    while (orma_sq_next_str(&r, SQ(ORDER_BY_ORDERING_SPECS), &spec)) {
        (void)orma_msg_str(spec, SQ(ORDER_BY_ORDERING_SPEC_COLUMN_NAME), &column);
        (void)orma_msg_int(spec, SQ(ORDER_BY_ORDERING_SPEC_DIRECTION), &direction);
        if (!column.len)
            return orma_sq_fail(g, "order_by without a column");
        orma_buf_put_str(out, num++ ? ", " : "\nORDER BY ");
        orma_sq_put_name(out, column);
        orma_buf_put_str(out, direction == SQ(ORDER_BY_DESC)  ? " DESC"
                              : direction == SQ(ORDER_BY_ASC) ? " ASC"
                                                              : "");
    }
    return num ? 0 : orma_sq_fail(g, "order_by is empty");
}

int orma_sq_put_limit(struct orma_sq_gen *g, struct orma_str msg, struct orma_buf *out)
{
    int64_t limit, offset;
    bool has_limit = orma_msg_int(msg, SQ(LIMIT), &limit);
    bool has_offset = orma_msg_int(msg, SQ(OFFSET), &offset);

    if (limit < 0 || offset < 0)
        return orma_sq_fail(g, "limit and offset must not be negative");
    if (has_offset && !has_limit)
        return orma_sq_fail(g, "offset needs a limit");
    if (has_limit)
        orma_buf_printf(out, "\nLIMIT %" PRId64, limit);
    if (has_offset)
        orma_buf_printf(out, " OFFSET %" PRId64, offset);
    return 0;
}
