/* Operators on intervals, graphs and rows: the tables of each file of this folder. */
#ifndef ORMA_PROCESSOR_SQL_OPERATORS_H
#define ORMA_PROCESSOR_SQL_OPERATORS_H
#include "processor/sql/base/builtins.h"
#include "processor/sql/base/dataframe.h"
#include "processor/sql/base/ints.h"
#include "processor/sql/base/sort.h"
#include "processor/sql/base/values.h"

extern const struct orma_sql_func orma_operators_counters[];
extern const struct orma_sql_func orma_operators_critical_path[];
extern const struct orma_sql_func orma_operators_dominator[];
extern const struct orma_sql_func orma_operators_dataframes[];
extern const struct orma_sql_func orma_operators_graph[];
extern const struct orma_sql_func orma_operators_intervals[];
extern const struct orma_sql_func orma_operators_scan[];
extern const struct orma_sql_func orma_operators_span_join[];
extern const struct orma_sql_func orma_operators_tree[];
extern const struct orma_sql_func orma_operators_tree_summary[];

extern const struct orma_tvf orma_operators_tvf_ancestor_callsite;
extern const struct orma_tvf orma_operators_tvf_ancestor_slice;
extern const struct orma_tvf orma_operators_tvf_critical_path_walk;
extern const struct orma_tvf orma_operators_tvf_descendant_slice;
extern const struct orma_tvf orma_operators_tvf_dfs_weight_bounded;
extern const struct orma_tvf orma_operators_tvf_directly_connected_flow;
extern const struct orma_tvf orma_operators_tvf_dominator_tree;
extern const struct orma_tvf orma_operators_tvf_flat_slice;
extern const struct orma_tvf orma_operators_tvf_following_flow;
extern const struct orma_tvf orma_operators_tvf_preceding_flow;
extern const struct orma_tvf orma_operators_tvf_slice_layout;
extern const struct orma_tvf orma_operators_tvf_tree_partition;

/* xBestIndex of a table with `num` arguments, hidden columns from `first` on: takes them if all are
 * given as equalities. Gives the SQLite code; the error text names the table. */
int orma_operators_need_args(sqlite3_vtab *base, sqlite3_index_info *info, int first, int num,
                             const char *name);

extern const struct orma_sql_module orma_operators_absent_modules[];
extern const struct orma_sql_module orma_operators_dataframes_modules[];
extern const struct orma_sql_module orma_operators_mipmap_modules[];

/* The connection is closed: rows of mipmaps go. mipmap.c */
void orma_operators_mipmaps_fini(struct orma_sql *sql);
extern const struct orma_sql_module orma_operators_span_join_modules[];
extern const struct orma_sql_module orma_operators_window_modules[];
#endif
