/*
 * Names that come late: a program that generates code may write its map of it long after the code
 * has run (V8 keeps two megabytes of it in memory). Frames without a name are remembered, and
 * looked up once more when the process ends, or the session. What is found becomes ModuleSymbols.
 *
 * Those name a mapping by path and build id. Generated code has neither of its own, so its mappings
 * get an id that is made of the process. Threads: none.
 */
#ifndef ORMA_PROBES_PERF_LATE_H
#define ORMA_PROBES_PERF_LATE_H
#include "probes/perf/process.h"

#define ORMA_PERF_LATE_ID_BYTES 16

void orma_perf_late_id(const struct orma_perf_process *process,
                       uint8_t ret[ORMA_PERF_LATE_ID_BYTES]);

/* Code at `pc` had no name; `rel_pc`: what its frame has. Beyond a limit they are forgotten. */
void orma_perf_late_add(struct orma_perf_process *process, const struct orma_perf_file *file,
                        uint64_t pc, uint64_t rel_pc);

/* Takes what lies in one file; `ret` gets ModuleSymbols, or nothing. False: none is left. */
bool orma_perf_late_take(struct orma_perf_processes *self, struct orma_perf_process *process,
                         struct orma_buf *ret);
#endif
