/* Scalar functions and aggregates: the table of each file of this room. */
#ifndef ORMA_PROCESSOR_SQL_FUNCTIONS_H
#define ORMA_PROCESSOR_SQL_FUNCTIONS_H
#include "processor/sql/base/builtins.h"
#include "processor/sql/base/values.h"

extern const struct orma_sql_func orma_sql_funcs_agg[];
extern const struct orma_sql_func orma_sql_funcs_args[];
extern const struct orma_sql_func orma_sql_funcs_arrays[];
extern const struct orma_sql_func orma_sql_funcs_compat[];
extern const struct orma_sql_func orma_sql_funcs_compress[];
extern const struct orma_sql_func orma_sql_funcs_files[];
extern const struct orma_sql_func orma_sql_funcs_ftrace[];
extern const struct orma_sql_func orma_sql_funcs_math[];
extern const struct orma_sql_func orma_sql_funcs_meta[];
extern const struct orma_sql_func orma_sql_funcs_ordered[];
extern const struct orma_sql_func orma_sql_funcs_regexp[];
extern const struct orma_sql_func orma_sql_funcs_string[];
extern const struct orma_sql_func orma_sql_funcs_time[];

extern const struct orma_sql_module orma_sql_modules_ordered[];

/* sum(), total() and avg() of SQLite 3.43, where the library is older. SQLITE_OK or an error. */
int orma_sums_register(sqlite3 *db);
#endif
