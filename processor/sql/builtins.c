/*
 * The registry of builtins: all functions, aggregates, table functions and
 * modules of the rooms below. Each room declares its own in its header.
 */
#include "processor/sql/columnar/columnar.h"
#include "processor/sql/engine.h"
#include "processor/sql/functions/functions.h"
#include "processor/sql/inspect/inspect.h"
#include "processor/sql/operators/operators.h"
#include "processor/sql/profiles/profiles.h"
#include "processor/sql/script/script.h"
#include "processor/sql/tables/derived.h"

/* One line each: people add to these at the same time. */
// clang-format off
static const struct orma_sql_func *const funcs[] = {
    orma_sql_funcs_agg,
    orma_sql_funcs_args,
    orma_sql_funcs_arrays,
    orma_sql_funcs_columnar,
    orma_sql_funcs_compress,
    orma_sql_funcs_counters,
    orma_sql_funcs_critical_path,
    orma_sql_funcs_derived,
    orma_sql_funcs_dominator,
    orma_sql_funcs_files,
    orma_sql_funcs_flamegraph,
    orma_sql_funcs_dataframes,
    orma_sql_funcs_ftrace,
    orma_sql_funcs_graph,
    orma_sql_funcs_intervals,
    orma_sql_funcs_math,
    orma_sql_funcs_meta,
    orma_sql_funcs_compat,
    orma_sql_funcs_ordered,
    orma_sql_funcs_regexp,
    orma_sql_funcs_legacy,
    orma_sql_funcs_scan,
    orma_sql_funcs_span_join,
    orma_sql_funcs_stacks,
    orma_sql_funcs_string,
    orma_sql_funcs_symbolize,
    orma_sql_funcs_time,
    orma_sql_funcs_tree,
    orma_sql_funcs_tree_summary,
    NULL,
};

static const struct orma_tvf *const tvfs[] = {
    &orma_tvf_ancestor_callsite,
    &orma_tvf_ancestor_slice,
    &orma_tvf_annotated_callstack,
    &orma_tvf_critical_path_walk,
    &orma_tvf_descendant_slice,
    &orma_tvf_dfs_weight_bounded,
    &orma_tvf_directly_connected_flow,
    &orma_tvf_dominator_tree,
    &orma_tvf_flamegraph_find,
    &orma_tvf_flat_slice,
    &orma_tvf_following_flow,
    &orma_tvf_plan_decoder,
    &orma_tvf_preceding_flow,
    &orma_tvf_profile_tree,
    &orma_tvf_slice_layout,
    &orma_tvf_sqlstats,
    &orma_tvf_stdlib_objects,
    &orma_tvf_table_info,
    &orma_tvf_tables,
    &orma_tvf_tree_partition,
    NULL,
};

static const struct orma_sql_module *const modules[] = {
    orma_sql_modules_columnar,
    orma_sql_modules_flamegraph,
    orma_sql_modules_dataframes,
    orma_sql_modules_mipmap,
    orma_sql_modules_ordered,
    orma_sql_modules_span_join,
    NULL,
};
// clang-format on

const struct orma_sql_builtins orma_sql_builtins = {funcs, tvfs, modules};
