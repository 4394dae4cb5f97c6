/*
 * What some aggregates give, as tables: called with their pointer, the rows of it; without
 * one, no rows, but names and types of the columns.
 */
#include <errno.h>

#include "processor/sql/operators/operators.h"

/* Columns are taken by name; the first of ours is the number of the row. */
static int copy_result(struct orma_tvf_call *call, const char *const *names, const char *table)
{
    const struct orma_dataframe *from = call->argc ? orma_value_frame(call->argv[0]) : NULL;
    int cols[ORMA_TVF_COLUMNS_MAX];

    if (!from && (!call->argc || orma_value_is_null(call->argv[0])))
        return 0;
    for (unsigned i = 1; names[i]; i++) {
        cols[i] = from ? orma_dataframe_find(from, names[i]) : -1;
        if (cols[i] < 0)
            return orma_tvf_fail(call, "%s: the argument must be the result of the aggregate %s",
                                 table, table);
    }
    for (uint32_t at = 0; at < from->table.rows; at++) {
        uint32_t row = orma_dataframe_add(call->frame);

        if (orma_sql_should_stop(call->sql, at + 1))
            return -ECANCELED;
        orma_dataframe_put_int(call->frame, 0, row, row);
        for (unsigned i = 1; names[i]; i++) {
            if (!orma_table_is_null(&from->table, (unsigned)cols[i], at))
                orma_dataframe_put_int(call->frame, i, row,
                                       orma_table_int(&from->table, (unsigned)cols[i], at));
        }
    }
    return 0;
}

static int run_dominators(struct orma_tvf_call *call)
{
    return copy_result(call, orma_operators_tvf_dominator_tree.columns,
                       orma_operators_tvf_dominator_tree.name);
}

static int run_partition(struct orma_tvf_call *call)
{
    return copy_result(call, orma_operators_tvf_tree_partition.columns,
                       orma_operators_tvf_tree_partition.name);
}

static int run_walk(struct orma_tvf_call *call)
{
    return copy_result(call, orma_operators_tvf_critical_path_walk.columns,
                       "__intrinsic_critical_path_walk");
}

const struct orma_tvf orma_operators_tvf_dominator_tree = {
    .name = "__intrinsic_dominator_tree",
    .columns = {"id", "node_id", "dominator_node_id"},
    .types = "III",
    .args = {"in_result"},
    .variadic = true,
    .run = run_dominators,
    .usage = "([pointer])",
    .doc = "The result of the aggregate of this name, as rows; no rows without it, or for NULL.",
};

const struct orma_tvf orma_operators_tvf_tree_partition = {
    .name = "__intrinsic_structural_tree_partition",
    .columns = {"id", "node_id", "parent_node_id", "group_key"},
    .types = "IIII",
    .args = {"in_result"},
    .variadic = true,
    .run = run_partition,
    .usage = "([pointer])",
    .doc = "The result of the aggregate of this name, as rows; no rows without it, or for NULL.",
};

const struct orma_tvf orma_operators_tvf_critical_path_walk = {
    .name = "__intrinsic_critical_path_walk_out",
    .columns = {"id", "root_id", "depth", "ts", "dur", "blocker_id", "blocker_utid", "parent_id"},
    .types = "IIIIIIII",
    .args = {"in_result"},
    .variadic = true,
    .run = run_walk,
    .usage = "([pointer])",
    .doc = "The result of __intrinsic_critical_path_walk(), as rows; no rows without it, or for NULL.",
};
