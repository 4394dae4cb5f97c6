/*
 * The registry of builtins: all functions, aggregates, table functions and
 * modules of the folders below. Each folder declares its own in its header.
 */
#include "processor/sql/engine.h"
#include "processor/sql/exec/exec.h"
#include "processor/sql/functions/functions.h"
#include "processor/sql/inspect/inspect.h"
#include "processor/sql/operators/operators.h"
#include "processor/sql/profiles/profiles.h"
#include "processor/sql/script/script.h"
#include "processor/sql/tables/derived.h"

/* One line each: people add to these at the same time. */
// clang-format off
static const struct orma_sql_func *const funcs[] = {
    orma_functions_agg,
    orma_functions_args,
    orma_functions_arrays,
    orma_exec_funcs,
    orma_functions_compress,
    orma_operators_counters,
    orma_functions_dates,
    orma_operators_critical_path,
    orma_derived_funcs,
    orma_operators_dominator,
    orma_functions_files,
    orma_profiles_flamegraph,
    orma_operators_dataframes,
    orma_functions_ftrace,
    orma_operators_graph,
    orma_operators_intervals,
    orma_functions_heavy,
    orma_functions_math,
    orma_functions_meta,
    orma_functions_compat,
    orma_functions_newer_text,
    orma_functions_ordered,
    orma_functions_packages,
    orma_functions_quote,
    orma_functions_regexp,
    orma_functions_sketch,
    orma_script_legacy,
    orma_operators_scan,
    orma_operators_span_join,
    orma_profiles_stack_sums,
    orma_profiles_stacks,
    orma_functions_string,
    orma_profiles_symbolize,
    orma_functions_time,
    orma_operators_tree,
    orma_operators_tree_summary,
    NULL,
};

static const struct orma_tvf *const tvfs[] = {
    &orma_operators_tvf_ancestor_callsite,
    &orma_operators_tvf_ancestor_slice,
    &orma_profiles_tvf_annotated_callstack,
    &orma_operators_tvf_critical_path_walk,
    &orma_operators_tvf_descendant_slice,
    &orma_operators_tvf_dfs_weight_bounded,
    &orma_operators_tvf_directly_connected_flow,
    &orma_operators_tvf_dominator_tree,
    &orma_profiles_tvf_flamegraph_find,
    &orma_operators_tvf_flat_slice,
    &orma_operators_tvf_following_flow,
    &orma_inspect_tvf_names,
    &orma_inspect_tvf_plan_decoder,
    &orma_operators_tvf_preceding_flow,
    &orma_profiles_tvf_profile_tree,
    &orma_operators_tvf_slice_layout,
    &orma_sqlstats_tvf,
    &orma_inspect_tvf_stdlib_objects,
    &orma_inspect_tvf_table_info,
    &orma_inspect_tvf_tables,
    &orma_operators_tvf_tree_partition,
    &orma_functions_tvf_winscope_args,
    &orma_functions_tvf_winscope_paths,
    NULL,
};

static const struct orma_sql_module *const modules[] = {
    orma_exec_modules,
    orma_profiles_flamegraph_modules,
    orma_operators_absent_modules,
    orma_operators_dataframes_modules,
    orma_operators_mipmap_modules,
    orma_operators_window_modules,
    orma_functions_ordered_modules,
    orma_operators_span_join_modules,
    NULL,
};
// clang-format on

const struct orma_sql_builtins orma_sql_builtins = {funcs, tvfs, modules};
