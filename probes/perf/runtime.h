/*
 * Programs that generate their code while they run, and write down its names only when they are
 * asked to: how to ask them. Threads: none.
 */
#ifndef ORMA_PROBES_PERF_RUNTIME_H
#define ORMA_PROBES_PERF_RUNTIME_H
#include "probes/perf/process.h"

/* Says what to do about generated code of this process that has no names, if somebody knows. Of
 * each kind once: *told has those that it was said of. The names were read for the last time. */
void orma_perf_runtime_tell(const struct orma_perf_process *process, unsigned *told);
#endif
