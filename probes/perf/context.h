/*
 * What processes and threads say of themselves (probes/otel/): attributes of the process, and the
 * request that a thread worked on when it was sampled.
 *
 *   look(process)   has it published something? its attributes, when they are new
 *   ids(record)     what its thread worked on, as it was read right after the sample (prompt.h)
 *
 * Whoever publishes nothing costs a look into /proc/PID/maps, at first a second later, then ever
 * more rarely. Memory is read as that of interpreters is (peek.h); one whose owner lets a read wait
 * is not read again. Threads: none.
 */
#ifndef ORMA_PROBES_PERF_CONTEXT_H
#define ORMA_PROBES_PERF_CONTEXT_H
#include "probes/otel/thread.h"
#include "probes/perf/process.h"
#include "probes/perf/ring.h"

struct orma_perf_contexts;

/* The rings must stay open until free(). NULL: no memory. */
struct orma_perf_contexts *orma_perf_contexts_new(struct orma_perf_processes *processes,
                                                  struct orma_perf_rings *rings);
/* NULL is fine. */
void orma_perf_contexts_free(struct orma_perf_contexts *self);

/* What it publishes, for orma_otel_process_attributes(), until the next call; NULL: nothing new. */
const struct orma_buf *orma_perf_context_look(struct orma_perf_contexts *self,
                                              struct orma_perf_process *process);

/* False: the thread worked on nothing, or nobody could read it in time. */
bool orma_perf_context_ids(struct orma_perf_contexts *self, const struct orma_perf_process *process,
                           const struct orma_perf_record *record, struct orma_otel_ids *ret);

/* NULL is fine. */
void orma_perf_context_free(struct orma_perf_context *self);
#endif
