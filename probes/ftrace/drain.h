/*
 * Drain: reads what the kernel has recorded, hands it to the translations.
 * Part of instance.h, in a file of its own because it is the hot half.
 */
#ifndef ORMA_PROBES_FTRACE_DRAIN_H
#define ORMA_PROBES_FTRACE_DRAIN_H
#include "probes/ftrace/instance.h"

/* Opens the ring of a cpu. Its fd stays -1 while the cpu is offline: drains try again. */
void orma_ftrace_drain_open_cpu(struct orma_ftrace_instance *self,
                                struct orma_ftrace_instance_cpu *cpu);

/* Ticks from now on, at the shortest period of the active sessions. */
void orma_ftrace_drain_start_timer(struct orma_ftrace_instance *self);
void orma_ftrace_drain_stop_timer(struct orma_ftrace_instance *self);

/* One tick: 1 MiB of each cpu at most. True if there is more. */
bool orma_ftrace_drain_tick(struct orma_ftrace_instance *self);

/* Everything that was recorded before this call, of every cpu. */
void orma_ftrace_drain_flush(struct orma_ftrace_instance *self);
#endif
