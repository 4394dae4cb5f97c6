/*
 * Tasks: the threads of the processes that are to be watched, as they are now.
 * Later ones come by inheritance.
 */
#ifndef ORMA_PROBES_PERF_TASKS_H
#define ORMA_PROBES_PERF_TASKS_H
#include <stddef.h>
#include <stdint.h>

#include "probes/perf/plan.h"

struct orma_perf_tasks {
    int32_t *tids;
    size_t num;
};

/* 0; -ESRCH: no such process; -errno. Raises the limit of open files as far as they need. */
int orma_perf_tasks_find(struct orma_perf_tasks *self, const struct orma_perf_plan *plan,
                         const char *proc_root);
void orma_perf_tasks_fini(struct orma_perf_tasks *self);
#endif
