/*
 * fork(): the child has none of our threads, and what it shares with its parent
 * (the connection, the shared memory, the files of recordings) stays the
 * parent's. It forgets all of it. If the parent had called orma_init(), the
 * child's first event (or call) begins anew, as a producer of its own; a child
 * that only calls exec() pays nothing.
 *
 * Memory that the parent's other threads may have been changing is not freed.
 */
#ifndef ORMA_SDK_CLIENT_LIFE_H
#define ORMA_SDK_CLIENT_LIFE_H
#include <stdbool.h>
#include <stdint.h>

/* Once, before anything starts that a child would have to forget. */
void orma_life_watch(void);

/* Counts forks down to this process: what was made under another number is an ancestor's. */
uint32_t orma_life_generation(void);

/* ---- called in the child, by life.c; each module forgets ---- */

/* True: tracing is to begin anew. */
bool orma_tracing_after_fork(void);
/*
 * Around fork(), in the thread that calls it: its events are lost and counted meanwhile. In the
 * child, a signal handler or somebody else's fork handler would still write for the parent.
 */
void orma_te_before_fork(void);
void orma_te_after_fork_in_parent(void);
/* wake: the next event calls orma_tracing_revive(). */
void orma_te_after_fork(bool wake);
void orma_ds_after_fork(bool wake);
void orma_ds_source_after_fork(void);
void orma_recording_after_fork(void);
void orma_startup_after_fork(void);
void orma_tsc_after_fork(void);

/* Begins anew in a child, if that is due. */
void orma_tracing_revive(void);
/* The same, but not in what looks like a signal handler. */
void orma_tracing_revive_by_event(void);
#endif
