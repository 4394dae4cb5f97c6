/*
 * Sorting in queries: qsort() that looks whether it should stop, keeps the order
 * of equal elements and costs one pass over what is in order already.
 */
#ifndef ORMA_PROCESSOR_SQL_BASE_SORT_H
#define ORMA_PROCESSOR_SQL_BASE_SORT_H
#include "processor/sql/base/sql.h"

/* 0, -ECANCELED (the order is any), -ENOMEM. */
int orma_sql_sort(struct orma_sql *sql, void *base, size_t num, size_t size,
                  int (*compare)(const void *, const void *));
int orma_sql_sort_r(struct orma_sql *sql, void *base, size_t num, size_t size,
                    int (*compare)(const void *, const void *, void *), void *data);
#endif
