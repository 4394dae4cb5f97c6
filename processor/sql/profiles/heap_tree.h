/* What profile_tree.c and heap_tree.c share. */
#ifndef ORMA_PROCESSOR_SQL_PROFILES_HEAP_TREE_H
#define ORMA_PROCESSOR_SQL_PROFILES_HEAP_TREE_H
#include "processor/sql/profiles/profiles.h"

/* Fills the frame of experimental_flamegraph() with the graph of that process and time. */
int orma_heap_tree_run(struct orma_tvf_call *call, int64_t ts, int64_t upid);
#endif
