/* SQL about SQL: the tables of each file of this folder. */
#ifndef ORMA_PROCESSOR_SQL_INSPECT_H
#define ORMA_PROCESSOR_SQL_INSPECT_H
#include "processor/sql/base/builtins.h"
#include "processor/sql/base/values.h"

extern const struct orma_tvf orma_inspect_tvf_names;
extern const struct orma_tvf orma_inspect_tvf_plan_decoder;
extern const struct orma_tvf orma_inspect_tvf_stdlib_objects;
extern const struct orma_tvf orma_inspect_tvf_table_info;
extern const struct orma_tvf orma_inspect_tvf_tables;
#endif
