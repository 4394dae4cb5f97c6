/* Operators on intervals, graphs and rows: the tables of each file of this room. */
#ifndef ORMA_PROCESSOR_SQL_OPERATORS_H
#define ORMA_PROCESSOR_SQL_OPERATORS_H
#include "processor/sql/base/builtins.h"
#include "processor/sql/base/dataframe.h"
#include "processor/sql/base/ints.h"
#include "processor/sql/base/sort.h"
#include "processor/sql/base/values.h"

extern const struct orma_sql_func orma_sql_funcs_counters[];
extern const struct orma_sql_func orma_sql_funcs_critical_path[];
extern const struct orma_sql_func orma_sql_funcs_dominator[];
extern const struct orma_sql_func orma_sql_funcs_dataframes[];
extern const struct orma_sql_func orma_sql_funcs_graph[];
extern const struct orma_sql_func orma_sql_funcs_intervals[];
extern const struct orma_sql_func orma_sql_funcs_scan[];
extern const struct orma_sql_func orma_sql_funcs_span_join[];
extern const struct orma_sql_func orma_sql_funcs_tree[];
extern const struct orma_sql_func orma_sql_funcs_tree_summary[];

extern const struct orma_tvf orma_tvf_ancestor_callsite;
extern const struct orma_tvf orma_tvf_ancestor_slice;
extern const struct orma_tvf orma_tvf_critical_path_walk;
extern const struct orma_tvf orma_tvf_descendant_slice;
extern const struct orma_tvf orma_tvf_dfs_weight_bounded;
extern const struct orma_tvf orma_tvf_directly_connected_flow;
extern const struct orma_tvf orma_tvf_dominator_tree;
extern const struct orma_tvf orma_tvf_flat_slice;
extern const struct orma_tvf orma_tvf_following_flow;
extern const struct orma_tvf orma_tvf_preceding_flow;
extern const struct orma_tvf orma_tvf_slice_layout;
extern const struct orma_tvf orma_tvf_tree_partition;

extern const struct orma_sql_module orma_sql_modules_dataframes[];
extern const struct orma_sql_module orma_sql_modules_mipmap[];
extern const struct orma_sql_module orma_sql_modules_span_join[];
#endif
