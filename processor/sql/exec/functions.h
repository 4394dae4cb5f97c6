/* The table of functions and operators that the executor knows: base/functions.h says what is in
 * it. */
#ifndef ORMA_PROCESSOR_SQL_EXEC_FUNCTIONS_H
#define ORMA_PROCESSOR_SQL_EXEC_FUNCTIONS_H
#include "processor/sql/exec/base/functions.h"

extern const struct orma_exec_catalog orma_exec_catalog;
#endif
