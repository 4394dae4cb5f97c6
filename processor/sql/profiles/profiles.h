/* Call stacks as tables and files: the tables of each file of this folder. */
#ifndef ORMA_PROCESSOR_SQL_PROFILES_H
#define ORMA_PROCESSOR_SQL_PROFILES_H
#include "processor/sql/base/builtins.h"
#include "processor/sql/base/dataframe.h"
#include "processor/sql/base/ints.h"
#include "processor/sql/base/sort.h"
#include "processor/sql/base/values.h"

extern const struct orma_sql_func orma_profiles_flamegraph[];
extern const struct orma_sql_func orma_profiles_stack_sums[];
extern const struct orma_sql_func orma_profiles_stacks[];
extern const struct orma_sql_func orma_profiles_symbolize[];

extern const struct orma_tvf orma_profiles_tvf_annotated_callstack;
extern const struct orma_tvf orma_profiles_tvf_flamegraph_find;
extern const struct orma_tvf orma_profiles_tvf_profile_tree;

extern const struct orma_sql_module orma_profiles_flamegraph_modules[];
#endif
