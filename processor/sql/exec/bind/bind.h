/* Binding: names become sources and columns, and the tree of a statement queries. */
#ifndef ORMA_PROCESSOR_SQL_EXEC_BIND_BIND_H
#define ORMA_PROCESSOR_SQL_EXEC_BIND_BIND_H
#include "processor/sql/exec/base/query.h"
#include "processor/sql/exec/parse/ast.h"

/* False: it was given up. */
bool orma_exec_bind(struct orma_exec_plan *plan, struct orma_exec_select *ast);

/* Column `col` of a table, with its name; an expression of NULL: memory is out. */
struct orma_exec_result orma_exec_bind_table_column(struct orma_exec_plan *plan,
                                                    struct orma_exec_source *src, unsigned col);
#endif
