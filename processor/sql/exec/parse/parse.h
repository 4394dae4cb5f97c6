/* Parsing: the text of a query becomes a tree. */
#ifndef ORMA_PROCESSOR_SQL_EXEC_PARSE_PARSE_H
#define ORMA_PROCESSOR_SQL_EXEC_PARSE_PARSE_H
#include "processor/sql/exec/base/functions.h"
#include "processor/sql/exec/parse/ast.h"
#include "sdk/base/arena.h"

/*
 * Parses one query. NULL: it has something that is not known here, is nested too deeply, or memory
 * is out. All that is accepted SQLite accepts, too, as far as grammar goes.
 */
struct orma_exec_select *orma_exec_parse(const struct orma_exec_catalog *catalog,
                                         struct orma_arena *arena, struct orma_str text);
#endif
