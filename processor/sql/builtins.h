/* The tables of native functions, each in the file that its name says. See natives.c. */
#ifndef ORMA_PROCESSOR_SQL_NATIVES_H
#define ORMA_PROCESSOR_SQL_NATIVES_H
#include "processor/sql/base/tvf.h"
#include "processor/sql/engine.h"

extern const struct orma_sql_func orma_sql_funcs_agg[];
extern const struct orma_sql_func orma_sql_funcs_args[];
extern const struct orma_sql_func orma_sql_funcs_arrays[];
extern const struct orma_sql_func orma_sql_funcs_compress[];
extern const struct orma_sql_func orma_sql_funcs_counters[];
extern const struct orma_sql_func orma_sql_funcs_critical_path[];
extern const struct orma_sql_func orma_sql_funcs_dominator[];
extern const struct orma_sql_func orma_sql_funcs_files[];
extern const struct orma_sql_func orma_sql_funcs_flamegraph[];
extern const struct orma_sql_func orma_sql_funcs_frames[];
extern const struct orma_sql_func orma_sql_funcs_ftrace[];
extern const struct orma_sql_func orma_sql_funcs_graph[];
extern const struct orma_sql_func orma_sql_funcs_intervals[];
extern const struct orma_sql_func orma_sql_funcs_math[];
extern const struct orma_sql_func orma_sql_funcs_meta[];
extern const struct orma_sql_func orma_sql_funcs_modern[];
extern const struct orma_sql_func orma_sql_funcs_ordered[];
extern const struct orma_sql_func orma_sql_funcs_regexp[];
extern const struct orma_sql_func orma_sql_funcs_register[];
extern const struct orma_sql_func orma_sql_funcs_scan[];
extern const struct orma_sql_func orma_sql_funcs_span_join[];
extern const struct orma_sql_func orma_sql_funcs_stacks[];
extern const struct orma_sql_func orma_sql_funcs_string[];
extern const struct orma_sql_func orma_sql_funcs_symbolize[];
extern const struct orma_sql_func orma_sql_funcs_time[];
extern const struct orma_sql_func orma_sql_funcs_tree[];
extern const struct orma_sql_func orma_sql_funcs_tree_summary[];

extern const struct orma_sql_module orma_sql_modules_flamegraph[];
extern const struct orma_sql_module orma_sql_modules_frames[];
extern const struct orma_sql_module orma_sql_modules_mipmap[];
extern const struct orma_sql_module orma_sql_modules_ordered[];
extern const struct orma_sql_module orma_sql_modules_span_join[];

extern const struct orma_tvf orma_tvf_dfs_weight_bounded; /* operators/graph.c */
extern const struct orma_tvf orma_tvf_ancestor_slice;     /* operators/slices.c */
extern const struct orma_tvf orma_tvf_descendant_slice;
extern const struct orma_tvf orma_tvf_ancestor_callsite;
extern const struct orma_tvf orma_tvf_directly_connected_flow;
extern const struct orma_tvf orma_tvf_following_flow;
extern const struct orma_tvf orma_tvf_preceding_flow;
extern const struct orma_tvf orma_tvf_table_info; /* perfetto_table.c */
extern const struct orma_tvf orma_tvf_slice_layout;
extern const struct orma_tvf orma_tvf_flat_slice;
extern const struct orma_tvf orma_tvf_sqlstats;
extern const struct orma_tvf orma_tvf_stdlib_objects;
extern const struct orma_tvf orma_tvf_tables;
extern const struct orma_tvf orma_tvf_annotated_callstack;
extern const struct orma_tvf orma_tvf_profile_tree;
extern const struct orma_tvf orma_tvf_flamegraph_find;
extern const struct orma_tvf orma_tvf_plan_decoder;
extern const struct orma_tvf orma_tvf_dominator_tree; /* results.c */
extern const struct orma_tvf orma_tvf_tree_partition;
extern const struct orma_tvf orma_tvf_critical_path_walk;
#endif
