/*
 * __intrinsic_dataframe_query_plan_decoder(): the plan of a scan in words.
 *
 * EXPLAIN QUERY PLAN shows "SCAN slice VIRTUAL TABLE INDEX 2:2,6;|1,0;": the flags and the
 * plan that vtab_plan.c made. The whole line can be given, or the part behind INDEX; with the
 * name of a table columns have names.
 */
#include <errno.h>

#include "processor/sql/inspect/inspect.h"
#include "processor/sql/tables/filter.h"
#include "processor/sql/tables/proj.h"
#include "processor/sql/tables/vtab.h"

struct decoder {
    struct orma_tvf_call *call;
    const struct orma_table_def *def; /* NULL: columns have numbers only */
    unsigned args;                    /* that were named so far */
};

static const char *op_name(int op)
{
    switch (op) {
    case SQLITE_INDEX_CONSTRAINT_EQ:
    case ORMA_PLAN_OP_EQUAL:
        return "=";
    case SQLITE_INDEX_CONSTRAINT_IS:
    case ORMA_PLAN_OP_IS:
        return "IS";
    case SQLITE_INDEX_CONSTRAINT_NE:
        return "!=";
    case SQLITE_INDEX_CONSTRAINT_LT:
        return "<";
    case SQLITE_INDEX_CONSTRAINT_LE:
        return "<=";
    case SQLITE_INDEX_CONSTRAINT_GT:
        return ">";
    case SQLITE_INDEX_CONSTRAINT_GE:
        return ">=";
    case SQLITE_INDEX_CONSTRAINT_GLOB:
        return "GLOB";
    case SQLITE_INDEX_CONSTRAINT_LIKE:
        return "LIKE";
    case SQLITE_INDEX_CONSTRAINT_ISNULL:
        return "IS NULL";
    case SQLITE_INDEX_CONSTRAINT_ISNOTNULL:
        return "IS NOT NULL";
    case ORMA_FILTER_OP_IN:
        return "IN";
    default:
        return NULL;
    }
}

static const struct orma_table_def *find_table(struct orma_str name)
{
    for (unsigned i = 0; i < ORMA_TABLES_NUM; i++) {
        if (orma_str_eq(name, orma_str_from(orma_table_defs[i].name)))
            return &orma_table_defs[i];
    }
    for (const struct orma_proj *p = orma_vtab_projs; p->name; p++) {
        if (orma_str_eq(name, orma_str_from(p->name)))
            return &orma_table_defs[p->table];
    }
    return NULL;
}

static void put_line(struct decoder *d, struct orma_buf *line)
{
    uint32_t row = orma_dataframe_add(d->call->frame);

    if (line->failed)
        d->call->frame->failed = true;
    else
        orma_dataframe_put_text(d->call->frame, 0, row, orma_buf_str(line));
    line->len = 0;
}

static void put_column(const struct decoder *d, struct orma_buf *line, int col)
{
    if (d->def && col < (int)d->def->columns_num)
        orma_buf_put_str(line, d->def->columns[col].name);
    else
        orma_buf_printf(line, "column %d", col);
}

/* "a,b;" or nothing. Numbers are at most 4 digits: a longer one is no plan. */
static bool cut_pair(struct orma_str *rest, int *ret_a, int *ret_b)
{
    struct orma_str item, first;
    int64_t a, b;

    if (!rest->len || !orma_str_cut(rest, ';', &item) || !orma_str_cut(&item, ',', &first))
        return false;
    if (first.len > 4 || item.len > 4 || !orma_str_to_i64(first, &a) ||
        !orma_str_to_i64(item, &b) || a < 0 || b < 0)
        return false;
    *ret_a = (int)a;
    *ret_b = (int)b;
    return true;
}

static bool decode_filters(struct decoder *d, struct orma_str rest, struct orma_buf *line)
{
    int op, col;

    while (rest.len) {
        if (!cut_pair(&rest, &op, &col) || !op_name(op))
            return false;
        orma_buf_put_str(line, "Filter: ");
        put_column(d, line, col);
        orma_buf_printf(line, " %s", op_name(op));
        d->args++;
        if (op != SQLITE_INDEX_CONSTRAINT_ISNULL && op != SQLITE_INDEX_CONSTRAINT_ISNOTNULL)
            orma_buf_printf(line, " [argument %u]", d->args);
        put_line(d, line);
    }
    return true;
}

static bool decode_order(struct decoder *d, struct orma_str rest, int flags, struct orma_buf *line)
{
    int col, desc;

    if (rest.len)
        orma_buf_put_str(line, flags & ORMA_PLAN_DISTINCT ? "Distinct:" : "Order:");
    for (const char *comma = " "; rest.len; comma = ", ") {
        if (!cut_pair(&rest, &col, &desc))
            return false;
        orma_buf_put_str(line, comma);
        put_column(d, line, col);
        orma_buf_put_str(line, desc ? " descending" : "");
    }
    if (line->len)
        put_line(d, line);
    return true;
}

static bool decode(struct decoder *d, struct orma_str plan, int flags, struct orma_buf *line)
{
    struct orma_str filters;

    if (!orma_str_cut(&plan, '|', &filters))
        filters = (struct orma_str){0};
    if (!decode_filters(d, filters, line) || !decode_order(d, plan, flags, line))
        return false;
    if (flags & ORMA_PLAN_LIMIT) {
        orma_buf_printf(line, "Limit: [argument %u]", ++d->args);
        put_line(d, line);
    }
    if (flags & ORMA_PLAN_OFFSET) {
        orma_buf_printf(line, "Offset: [argument %u]", ++d->args);
        put_line(d, line);
    }
    if (!d->call->frame->table.rows) {
        orma_buf_put_str(line, "All rows, in table order");
        put_line(d, line);
    }
    return true;
}

static int run_decoder(struct orma_tvf_call *call)
{
    static const char mark[] = "VIRTUAL TABLE INDEX ";
    struct decoder d = {.call = call};
    struct orma_str text = orma_value_str(call->argv[0]), word;
    struct orma_buf line = {0};
    const char *at = text.data ? strstr(text.data, mark) : NULL;
    int64_t flags = 0;

    if (!text.data)
        return 0;
    if (call->argc > 1 && !orma_value_is_null(call->argv[1])) {
        d.def = find_table(orma_value_str(call->argv[1]));
        if (!d.def)
            return orma_tvf_fail(
                call, "__intrinsic_dataframe_query_plan_decoder: no stored table has the name '%s'",
                sqlite3_value_text(call->argv[1]));
    }
    if (at) { /* SCAN table VIRTUAL TABLE INDEX flags:plan */
        struct orma_str head = {text.data, (size_t)(at - text.data)};

        if (orma_str_cut(&head, ' ', &word) && orma_str_cut(&head, ' ', &word) && !d.def)
            d.def = find_table(word);
        text.len -= (size_t)(at + strlen(mark) - text.data);
        text.data = at + strlen(mark);
    }
    if (memchr(text.data, ':', text.len) &&
        (!orma_str_cut(&text, ':', &word) || !orma_str_to_i64(word, &flags)))
        flags = -1;
    bool ok = flags >= 0 && decode(&d, text, (int)flags, &line);
    orma_buf_fini(&line);
    return ok ? 0
              : orma_tvf_fail(call,
                              "__intrinsic_dataframe_query_plan_decoder: this is not a plan of a "
                              "stored table; take it from EXPLAIN QUERY PLAN");
}

const struct orma_tvf orma_inspect_tvf_plan_decoder = {
    .name = "__intrinsic_dataframe_query_plan_decoder",
    .columns = {"bytecode_str"},
    .types = "T",
    .args = {"in_plan", "in_table"},
    .variadic = true,
    .required = 1,
    .run = run_decoder,
    .usage = "('plan'[, 'table'])",
    .doc = "The steps of a query that a stored table runs itself: the plan is the detail of a SCAN "
           "line of EXPLAIN QUERY PLAN, or the part after INDEX.",
};
