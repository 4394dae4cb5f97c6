/*
 * The periodic half of linux.process_stats: memory, times and files of every
 * process, at a period. Only what has changed is written; everything again
 * after the configured time to live, and after a clear.
 *
 * One round walks /proc in slices; a round that takes longer than the period
 * delays the next one. Threads: none.
 */
#ifndef ORMA_PROBES_PROCESS_POLL_H
#define ORMA_PROBES_PROCESS_POLL_H
#include "probes/core/source.h"

struct orma_process_poll;

/* *ret stays NULL if the config wants no counters. proc_fd is not owned. -ENOMEM. */
int orma_process_poll_new(struct orma_source_env *env, int proc_fd,
                          const Perfetto__Protos__ProcessStatsConfig *config,
                          struct orma_source_sink *sink, struct orma_process_poll **ret);
/* NULL is fine. */
void orma_process_poll_free(struct orma_process_poll *self);
void orma_process_poll_start(struct orma_process_poll *self);
/* Finishes the round that is under way, then no more. */
void orma_process_poll_stop(struct orma_process_poll *self);
void orma_process_poll_clear(struct orma_process_poll *self);
#endif
