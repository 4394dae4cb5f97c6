/* Scalar functions and aggregates: the table of each file of this folder. */
#ifndef ORMA_PROCESSOR_SQL_FUNCTIONS_H
#define ORMA_PROCESSOR_SQL_FUNCTIONS_H
#include "processor/sql/base/builtins.h"
#include "processor/sql/base/values.h"

extern const struct orma_sql_func orma_functions_agg[];
extern const struct orma_sql_func orma_functions_args[];
extern const struct orma_sql_func orma_functions_arrays[];
extern const struct orma_sql_func orma_functions_compat[];
extern const struct orma_sql_func orma_functions_newer_text[];
extern const struct orma_sql_func orma_functions_compress[];
extern const struct orma_sql_func orma_functions_dates[];
extern const struct orma_sql_func orma_functions_files[];
extern const struct orma_sql_func orma_functions_ftrace[];
extern const struct orma_sql_func orma_functions_heavy[];
extern const struct orma_sql_func orma_functions_math[];
extern const struct orma_sql_func orma_functions_meta[];
extern const struct orma_sql_func orma_functions_ordered[];
extern const struct orma_sql_func orma_functions_packages[];
extern const struct orma_sql_func orma_functions_quote[];
extern const struct orma_sql_func orma_functions_regexp[];
extern const struct orma_sql_func orma_functions_sketch[];
extern const struct orma_sql_func orma_functions_string[];
extern const struct orma_sql_func orma_functions_time[];

extern const struct orma_sql_module orma_functions_ordered_modules[];

struct orma_tvf;
extern const struct orma_tvf orma_functions_tvf_winscope_args, orma_functions_tvf_winscope_paths;

/* sum(), total() and avg() of SQLite 3.43, where the library is older. SQLITE_OK or an error. */
int orma_sums_register(sqlite3 *db);
#endif
